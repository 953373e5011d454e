"""The exponential mechanism over all trees of one depth, where every record has a weight.

A record with the integer weight w >= 0 that a tree labels wrongly costs the tree w, and a tree is
drawn with probability proportional to ``e**(-rate * cost)``, exactly. `DecisionTrees` is the case
w = 1; boosting (`littlestone.learners.boosting`) draws each of its trees here. Nearly all costs
are different, and sums reach (number of records) * (largest weight).

*Draw.* Top-down, as in `sampler`: a root by the weight of all trees that have it, a member of its
pattern, then the two sides, which given the root are independent. With rate r, a leaf over records
of weight a (label 0) and b (label 1) has two labels, of weights ``e**(-r b)`` and ``e**(-r a)``; a
tree of depth d below the root s weighs ``Z(yes side, d - 1) * Z(no side, d - 1)``, where Z sums
over all roots.

*Labels.* With k labels at the leaves an entry of `WeightedRows` says what one answer costs on a
row: a leaf weighs the sum over its answers of ``e**(-r cost)``, and the rest is the same. For two
labels the cost of answering 1 is the weight of the records labelled 0, and conversely.

*Counts.* All that Z needs are weighted counts by label of single codes, of pairs of codes and, at
depth 3, of triples: `RowCounts`. They are sums of integers below 2**53, so exact in doubles.

*Representation.* A partition function is a pair (k, x), worth ``x * e**(-r k)``: k is the exact
integer cost of the best tree that it sums up, and x >= 1, so nothing overflows or underflows. The
same recursion runs on doubles (the first enclosures) and on balls (`BallPowers`: any precision).

*Error of the doubles.* Let u = 2**-53. All numbers are positive, and sums, products and
conversions round to nearest, each by a factor (1 + d), |d| <= u. A number "has c factors" if it is
the exact one times at most c such factors or their inverses; its relative error is then at most
c u / (1 - c u) <= 2 c u. With p patterns:

* ``e**(-r k)`` is a product of two entries of tables that are compared with balls when they are
  made, each within 2 u (3 factors): 3 + 3 + 1 = 7 factors; a sum of L of them, for L labels, has
  7 + (L - 1) = L + 6, for two labels 8.
* A stump (multiplicity times two leaves): 2 (L + 6) + 2 = 2 L + 14 =: a. Shifted to a common k and
  summed over p patterns: a + 7 + 1 + p = a + 8 + p.
* With c factors for a side, a deeper root (multiplicity times two sides) has 2 c + 2.

So roots of depth 1 have a_1 = 2 L + 14 factors, and of depth d + 1 they have 2 (a_d + 8 + p) + 2.

*What is dropped.* Beyond the end K of the table ``e**(-r k)`` is taken as 0. One such term stands
for at most N trees (N = number of trees of the full depth), each weighing at most ``e**(-r K)`` of
the best one, which is counted. This happens in at most 2**(depth + 1) sums, and K is so large that
altogether less than 2**-100 is lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from littlestone.classes.decision_trees.counts import one_thread
from littlestone.classes.decision_trees.hypothesis import TreeHypothesis
from littlestone.classes.decision_trees.nodes import Node, Tree
from littlestone.classes.decision_trees.splits import Bits, Counts, Splits
from littlestone.classes.decision_trees.tabled import TabledRows
from littlestone.data import Sample
from littlestone.source import Explicit, Source, ball
from littlestone.types import Points

__all__ = [
    "AnyRows",
    "BallPowers",
    "DoublePowers",
    "Forest",
    "Powers",
    "RowCounts",
    "WeightedRoots",
    "WeightedRows",
    "draw_answers",
    "draw_tree",
    "error_bound",
    "grow",
    "leaves",
    "stumps",
]

Doubles = npt.NDArray[np.float64]
Values = npt.NDArray[Any]  # doubles or balls

AnyRows: TypeAlias = "WeightedRows | TabledRows"

_LN2 = Fraction(694, 1001)  # rounded up
_DROPPED = 2.0**-100
_FILTER_BITS = 96  # what a draw asks for first
_EXACT = 2**53


@dataclass(frozen=True, eq=False)
class WeightedRows:
    """Records of the domain as codes, each with a label and a weight.

    Attributes
    ----------
    splits : Splits
    codes : int64 array of shape (columns, entries)
    labels : int64 array of shape (entries,)
        With more than two labels: an answer.
    weights : int64 array of shape (entries,)
        All positive; an entry stands for all records with its codes and label, or for what its
        answer costs on its codes.
    n_labels : int, default 2
    """

    splits: Splits
    codes: Counts
    labels: Counts
    weights: Counts
    n_labels: int = 2

    @classmethod
    def of(
        cls, splits: Splits, sample: Sample, zeros: Counts | None = None, ones: Counts | None = None
    ) -> WeightedRows:
        """Return the rows of a sample, weighing ``zeros`` and ``ones`` (by default its counts).

        Parameters
        ----------
        splits : Splits
        sample : Sample
        zeros, ones : int64 arrays, one number for each point
            Together below 2**53.

        Raises
        ------
        ValueError
            If the sums are not exact in doubles.
        """
        zeros = sample.zeros if zeros is None else zeros
        ones = sample.ones if ones is None else ones
        return cls._made(splits, sample.points, [zeros, ones])

    @classmethod
    def of_answers(cls, splits: Splits, points: Points, costs: Counts) -> WeightedRows:
        """Return the rows of points at which each answer (rows of ``costs``) costs something.

        All costs together below 2**53.
        """
        return cls._made(splits, points, list(costs))

    @classmethod
    def _made(cls, splits: Splits, points: Points, by_label: Sequence[Counts]) -> WeightedRows:
        if sum(int(weights.sum()) for weights in by_label) >= _EXACT:
            raise ValueError("Weights must sum to less than 2**53.")
        rows = [np.flatnonzero(weights) for weights in by_label]
        where = np.concatenate(rows)
        labels = np.repeat(np.arange(len(by_label)), [len(r) for r in rows])
        weights = np.concatenate([w[r] for w, r in zip(by_label, rows, strict=True)])
        codes = np.zeros((len(splits.n_codes), len(where)), dtype=np.int64)
        if len(where):
            codes[:] = points[where].T
        return cls(splits, codes, labels, weights.astype(np.int64), len(by_label))

    def side(self, split: int, *, yes: bool) -> WeightedRows:
        """Return the rows that answer a split in one way."""
        literal = self.splits.literals[split]
        accepts = literal.accepts(self.splits.n_codes[literal.column])
        keep = np.flatnonzero(accepts[self.codes[literal.column]] == yes)
        return replace(
            self, codes=self.codes[:, keep], labels=self.labels[keep], weights=self.weights[keep]
        )

    @property
    def totals(self) -> Counts:
        """Weight by label."""
        sums = np.bincount(self.labels, self.weights.astype(np.float64), self.n_labels)
        return sums.astype(np.int64)

    def row_counts(self, depth: int = 3) -> RowCounts:
        """Return the weighted counts that a draw of a tree of this depth needs."""
        return RowCounts(self)


class RowCounts:
    """Weighted counts by label of the codes of rows: single ones, pairs, triples.

    The codes of all columns are numbered through: code c of column j is ``offset[j] + c``. An
    engine that can group rows by two or three columns can compute them, too.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> splits = Splits(Schema.from_dict({"age": {"bins": [30]}}))
    >>> sample = Sample.of(np.array([[2], [3], [3]]), [0, 1, 1])
    >>> WeightedRows.of(splits, sample).row_counts().singles.tolist()
    [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 2.0]]
    """

    def __init__(self, rows: WeightedRows) -> None:
        self._codes, self._labels, self._n_labels = rows.codes, rows.labels, rows.n_labels
        self._weights = rows.weights.astype(np.float64)
        self.n_codes = rows.splits.n_codes
        self.offsets = np.cumsum([0, *self.n_codes])

    def block(self, j: int) -> slice:
        """Return where the codes of a column stand."""
        return slice(int(self.offsets[j]), int(self.offsets[j + 1]))

    @cached_property
    def singles(self) -> Doubles:
        """Counts of shape (labels, codes)."""
        return np.concatenate(
            [
                self._count(self._labels * size + codes, (self._n_labels, size), self._weights)
                for size, codes in zip(self.n_codes, self._codes, strict=True)
            ],
            axis=1,
        )

    def pairs(self) -> Doubles:
        """Return counts of shape (labels, codes, codes); the diagonal blocks are diagonal."""
        return self._pairs(self._labels, self._codes, self._weights, self._n_labels)

    def triples(self, column: int) -> Doubles:
        """Return counts of shape (codes of the column, labels, codes, codes)."""
        size, labels = self.n_codes[column], self._n_labels
        key = self._codes[column] * labels + self._labels
        counts = self._pairs(key, self._codes, self._weights, labels * size)
        return counts.reshape(size, labels, *counts.shape[1:])

    def _pairs(self, key: Counts, codes: Counts, weights: Doubles, keys: int) -> Doubles:
        total = int(self.offsets[-1])
        out = np.zeros((keys, total, total))
        for i, first in enumerate(codes):
            with_first = key * self.n_codes[i] + first
            own = self._count(with_first, (keys, self.n_codes[i]), weights)
            diagonal = np.arange(total)[self.block(i)]
            out[:, diagonal, diagonal] = own
            for j in range(i + 1, len(codes)):
                shape = (keys, self.n_codes[i], self.n_codes[j])
                table = self._count(with_first * self.n_codes[j] + codes[j], shape, weights)
                out[:, self.block(i), self.block(j)] = table
                out[:, self.block(j), self.block(i)] = table.transpose(0, 2, 1)
        return out

    @staticmethod
    def _count(index: Counts, shape: tuple[int, ...], weights: Doubles) -> Doubles:
        sums: Doubles = np.bincount(index, weights, math.prod(shape)).astype(np.float64, copy=False)
        return sums.reshape(shape)


@dataclass(frozen=True, eq=False)
class _Patterns:
    """The different ways in which the splits part rows, up to swapping the sides.

    ``yes`` (patterns, codes) holds one side of each as zeros and ones; ``members`` the numbers of
    the splits of each. Splits are compared column by column, on the codes that occur.
    """

    yes: Doubles
    members: tuple[tuple[int, ...], ...]
    times: Doubles

    @classmethod
    def of(cls, splits: Splits, occurs: Bits, offsets: npt.NDArray[np.intp]) -> _Patterns:
        found: dict[tuple[int, bytes], list[int]] = {}
        sides: list[Bits] = []
        for number, (literal, accepts) in enumerate(
            zip(splits.literals, splits.accepts, strict=True)
        ):
            where = slice(int(offsets[literal.column]), int(offsets[literal.column + 1]))
            here = np.flatnonzero(occurs[where])
            # swap the sides so that the first code that occurs answers no: then alike means equal
            yes = accepts ^ bool(accepts[here[0]]) if len(here) else np.zeros_like(accepts)
            answers = yes[here]
            key = (literal.column, answers.tobytes()) if answers.any() else (-1, b"")
            if key not in found:
                found[key] = []
                side = np.zeros(len(occurs), dtype=bool)
                side[where] = yes if answers.any() else False
                sides.append(side)
            found[key].append(number)
        members = tuple(map(tuple, found.values()))
        times = np.array([len(m) for m in members], dtype=np.float64)
        return cls(np.array(sides, dtype=np.float64), members, times)


class Powers(Protocol):
    """``e**(-rate * k)`` for arrays of integers k >= 0, as numbers of one kind."""

    def __call__(self, k: Counts) -> Values:
        """Return the powers."""


class DoublePowers:
    """``e**(-rate * k)`` as doubles of 7 factors of rounding (see the module), and then zeros.

    Parameters
    ----------
    rate : Fraction > 0
    bits : int
        ``e**(-rate * k)`` may be replaced by 0 once it is below 2**-bits.

    Examples
    --------
    >>> DoublePowers(Fraction(1, 1000), 100)(np.array([0, 1000, 10**9])).round(4).tolist()
    [1.0, 0.3679, 0.0]
    """

    def __init__(self, rate: Fraction, bits: int) -> None:
        last = math.floor(bits * _LN2 / rate)
        self._shift = (last.bit_length() + 1) // 2
        self._mask = (1 << self._shift) - 1
        self._fine = _table(rate, self._mask)
        coarse = _table(rate * (1 << self._shift), last >> self._shift)
        self._coarse: Doubles = np.append(coarse, 0.0)

    def __call__(self, k: Counts) -> Doubles:
        """Return the powers; a k beyond the table gives 0."""
        high = self._coarse.take(k >> self._shift, mode="clip")
        return high * self._fine.take(k & self._mask)


def _table(rate: Fraction, last: int) -> Doubles:
    """Return e**(-rate * k) for k = 0 .. last, each within 2**-52, compared with its ball."""
    with ctx.workprec(160):
        step, power, near = ball(-rate).exp(), arb(1), arb(2) ** -52
        out = np.empty(last + 1)
        for k in range(last + 1):
            out[k] = x = float(power.mid())
            # Checked, not believed: how a number is converted is up to the library.
            if not abs(power - x) <= power * near:
                raise ArithmeticError("A power was not converted to the nearest double.")
            power = power * step
    return out


@lru_cache(maxsize=64)
def _double_powers(rate: Fraction, bits: int) -> DoublePowers:
    return DoublePowers(rate, bits)


class BallPowers:
    """``e**(-rate * k)`` as balls, each computed once, at the precision of the context."""

    def __init__(self, rate: Fraction) -> None:
        self._rate = Fraction(rate)
        self._known: dict[int, arb] = {}

    def __call__(self, k: Counts) -> Values:
        """Return the powers as an array of objects."""
        distinct, where = np.unique(k, return_inverse=True)
        for i in distinct.tolist():
            if i not in self._known:
                self._known[i] = ball(-self._rate * i).exp()
        powers = np.array([self._known[i] for i in distinct.tolist()], dtype=object)
        found: Values = powers[where.reshape(k.shape)]
        return found


def error_bound(depth: int, patterns: int, labels: int = 2) -> float:
    """Return the bound of the relative error of the first enclosures (see the module).

    Examples
    --------
    >>> error_bound(1, 150) < 2**-46, error_bound(3, 150) < 2**-41
    (True, True)
    """
    factors = 2 * labels + 14
    for _ in range(depth - 1):
        factors = 2 * (factors + 8 + patterns) + 2
    return 2 * factors * 2.0**-53 + _DROPPED


@dataclass(frozen=True, eq=False)
class Forest:
    """Partition functions ``x * e**(-rate * k)``, over the last axis: one for each root."""

    k: Counts
    x: Values

    def total(self, powers: Powers) -> Forest:
        """Sum over the roots."""
        least = self.k.min(axis=-1, keepdims=True)
        return Forest(least[..., 0], (powers(self.k - least) * self.x).sum(axis=-1))


def stumps(inside: Counts, totals: Counts, times: Values, powers: Powers) -> Forest:
    """Return the roots of depth 1.

    Parameters
    ----------
    inside : int64 array of shape (labels, ..., patterns)
        Weight by label on the yes side of each pattern.
    totals : int64 array of shape (labels, ..., 1)
    """
    yes, no = leaves(inside, powers), leaves(totals - inside, powers)
    return Forest(yes.k + no.k, times * yes.x * no.x)


def leaves(costs: Counts, powers: Powers) -> Forest:
    """Return one leaf for each entry; ``costs`` (labels, ...) says what its answers cost."""
    if len(costs) == 2:
        zeros, ones = costs  # of the better label: the cost of the other answer is counted
        return Forest(np.minimum(zeros, ones), 1 + powers(np.abs(zeros - ones)))
    least = costs.min(axis=0)  # the cost of the best answer
    total: Any = sum(powers(answer - least) for answer in costs)
    return Forest(least, total)


def _twice(pairs: Counts, totals: Counts, times: Values, powers: Powers) -> Forest:
    """Return the roots of depth 2 of rows with these counts by pairs of patterns."""
    within = np.diagonal(pairs, axis1=1, axis2=2)
    k: Any = 0
    x = times
    for inside, sums in (
        (pairs, within),  # row s: what lies on the yes side of s, by the second split
        (within[:, None, :] - pairs, totals - within),
    ):
        below = stumps(inside, sums[:, :, None], times, powers).total(powers)
        k, x = k + below.k, x * below.x
    return Forest(k, x)


class WeightedRoots:
    """The patterns of weighted rows, weighing as much as all trees of a depth with such a root.

    Parameters
    ----------
    rows : WeightedRows or TabledRows
    depth : int in 1 .. 3
    rate : Fraction > 0
    fast : bool, default True
        Whether the first enclosures come from doubles. The enclosed weights are the same.
    """

    def __init__(self, rows: AnyRows, depth: int, rate: Fraction, *, fast: bool = True) -> None:
        self._rows, self._depth, self._rate, self._fast = rows, depth, Fraction(rate), fast
        self._counts = rows.row_counts(depth)
        occurs = self._counts.singles.sum(axis=0) > 0
        self._patterns = _Patterns.of(rows.splits, occurs, self._counts.offsets)
        self._known: dict[int, list[arb]] = {}

    def __len__(self) -> int:
        return len(self._patterns.members)

    @property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of the splits of each pattern."""
        return self._patterns.members

    def enclose(self, bits: int) -> list[arb]:
        """Return the enclosures, computed once for each precision."""
        if bits not in self._known:
            self._known[bits] = self._enclose(bits)
        return self._known[bits]

    def _enclose(self, bits: int) -> list[arb]:
        p, splits = len(self), len(self._rows.splits)
        if self._fast and bits <= _FILTER_BITS:
            labels = self._rows.n_labels
            trees = labels ** (2**self._depth) * splits ** (2**self._depth - 1)
            powers = _double_powers(self._rate, 102 + self._depth + trees.bit_length())
            with one_thread():
                forest = self._forest(powers, self._patterns.times)
            bound = error_bound(self._depth, p, labels)
            with ctx.workprec(bits):
                return _enclosed(forest, self._rate, [2 * x * bound for x in forest.x.tolist()])
        # at most 2**depth * (patterns + labels + 6) factors, each of one unit of rounding
        spare = self._depth + (p + self._rows.n_labels + 6).bit_length() + 4
        with ctx.workprec(bits + spare), one_thread():
            times = np.array([arb(int(m)) for m in self._patterns.times], dtype=object)
            forest = self._forest(BallPowers(self._rate), times)
            return _enclosed(forest, self._rate, [0.0] * p)

    def _forest(self, powers: Powers, times: Values) -> Forest:
        yes, counts = self._patterns.yes, self._counts
        totals = self._rows.totals[:, None]
        if self._depth == 1:
            return stumps(_whole(counts.singles @ yes.T), totals, times, powers)
        pairs = _whole(yes @ counts.pairs() @ yes.T)
        if self._depth == 2:
            return _twice(pairs, totals, times, powers)
        return self._thrice(pairs, times, powers)

    def _thrice(self, pairs: Counts, times: Values, powers: Powers) -> Forest:
        """Return the roots of depth 3: inside each side of each root, all trees of depth 2."""
        costs, totals = np.zeros(len(self), dtype=np.int64), self._rows.totals
        weights = times.copy()
        for root, inside in self._within(pairs):
            own = inside[:, root, root]
            for side, sums in (
                (inside, own),
                (pairs - inside, totals - own),
            ):
                below = _twice(side, sums[:, None], times, powers).total(powers)
                costs[root] += int(below.k)
                weights[root] = weights[root] * below.x
        return Forest(costs, weights)

    def _within(self, pairs: Counts) -> Iterator[tuple[int, Counts]]:
        """Yield each pattern with the counts by pairs of patterns on its yes side."""
        yes, counts = self._patterns.yes, self._counts
        for column in range(len(counts.n_codes)):
            block = counts.block(column)
            roots = np.flatnonzero(yes[:, block].any(axis=1))
            if not len(roots):
                continue
            triples = yes @ counts.triples(column) @ yes.T
            for root in roots.tolist():
                yield root, _whole(np.tensordot(yes[root, block], triples, axes=1))
        for root in np.flatnonzero(~yes.any(axis=1)).tolist():
            yield root, np.zeros_like(pairs)


def _whole(sums: Doubles) -> Counts:
    return sums.astype(np.int64)


def _enclosed(forest: Forest, rate: Fraction, radii: list[float]) -> list[arb]:
    """Return one ball for each root, scaled so that the least cost counts e**0."""
    least = int(forest.k.min())
    return [
        (arb(x, radius) if radius else arb(x)) * ball(-rate * (k - least)).exp()
        for k, x, radius in zip(forest.k.tolist(), forest.x.tolist(), radii, strict=True)
    ]


def draw_tree(
    rows: AnyRows, depth: int, rate: Fraction, source: Source, *, fast: bool = True
) -> TreeHypothesis:
    """Return a tree of a depth with probability proportional to ``e**(-rate * cost)``, exactly.

    Parameters
    ----------
    rows : WeightedRows or TabledRows
    depth : int in 1 .. 3
    rate : Fraction > 0
    source : Source
    fast : bool, default True
        As for `WeightedRoots`.

    Returns
    -------
    TreeHypothesis
        In normal form.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> from littlestone.source import SeededSource
    >>> splits = Splits(Schema.from_dict({"age": {"bins": [30]}}))
    >>> sample = Sample.of(np.array([[2], [3]]), [0, 1])
    >>> rows = WeightedRows.of(splits, sample, np.array([900, 0]), np.array([0, 800]))
    >>> draw_tree(rows, 1, Fraction(1), SeededSource(0)).describe()
    'if age < 30, then 0, otherwise 1'
    """

    def leaf(below: AnyRows) -> int:
        zeros, ones = below.totals.tolist()
        return Explicit((-ones, -zeros)).draw(rate, source)

    return TreeHypothesis.of(grow(rows, depth, rate, source, leaf, fast=fast))


def draw_answers(
    rows: AnyRows, depth: int, rate: Fraction, source: Source, *, fast: bool = True
) -> Tree:
    """Return a tree with probability proportional to ``e**(-rate * cost)``, exactly.

    Parameters
    ----------
    rows : WeightedRows or TabledRows
        Of `WeightedRows.of_answers`, or of a `CodedLabels`: what each answer costs.
    depth, rate, source, fast
        As for `draw_tree`.

    Returns
    -------
    Node or int
        A representation, with answers at its leaves: not yet in normal form.
    """

    def leaf(below: AnyRows) -> int:
        return Explicit([-cost for cost in below.totals.tolist()]).draw(rate, source)

    return grow(rows, depth, rate, source, leaf, fast=fast)


def grow(
    rows: AnyRows,
    depth: int,
    rate: Fraction,
    source: Source,
    leaf: Callable[[Any], int],
    *,
    fast: bool = True,
) -> Tree:
    """Draw the splits from the root down; ``leaf`` draws the label of the rows of a leaf."""
    if depth == 0:
        return leaf(rows)
    roots = WeightedRoots(rows, depth, rate, fast=fast)
    members = roots.members[source.choose(roots)]
    split = members[source.below(len(members))]
    yes, no = (
        grow(rows.side(split, yes=answer), depth - 1, rate, source, leaf, fast=fast)
        for answer in (True, False)
    )
    return Node(rows.splits.literals[split], yes, no)
