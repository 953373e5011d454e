"""The exponential mechanism over all trees of one depth, where every answer costs something.

Each answer costs an integer on each record, and a tree is drawn with probability proportional to
``e**(-rate * cost)``, exactly. `DecisionTrees` counts mistakes, or what they cost; boosting
(`littlestone.learners.boosting`) draws each of its trees here, with weighted records.

*Representations.* A full binary tree: a split at each of 2**depth - 1 inner nodes, an answer at
each of 2**depth leaves. Different ones may be the same function.

*Draw.* Top-down: the pattern of a root (`rows`) by the weight of all trees that have such a root, a
member of the pattern uniformly, then the two sides, which given the root are independent. With rate
r, a leaf weighs the sum over its answers of ``e**(-r cost)``; all trees of depth d below the root s
weigh ``Z(yes side, d - 1) * Z(no side, d - 1)``, where Z sums over all roots. The product of these
probabilities is ``e**(-r cost) / total`` for each representation.

*Counts.* All that Z needs are costs by answer and by the codes of sets of at most three columns
(`CodeTables`); trees of depth 4 go from root to root, with the tables of each side. What the last
answer costs is subtracted from all: every tree then costs the same number less.

*Partition functions* are pairs (k, x), worth ``x * e**(-r k)``: k is the exact integer cost of the
best tree that is summed up, and x >= 1, so nothing overflows or underflows. The same recursion runs
on doubles (the first enclosures) and on balls (any precision).

*Error of the doubles.* Let u = 2**-53. All numbers are positive, and sums, products and
conversions round to nearest, each by a factor (1 + d), |d| <= u. A number "has c factors" if it is
the exact one times at most c such factors or their inverses; its relative error is then at most
c u / (1 - c u) <= 2 c u. With p patterns (a side has no more of them than what it is a side of):

* ``e**(-r k)`` is a product of two entries of tables that are compared with balls when they are
  made, each within 2 u (3 factors): 3 + 3 + 1 = 7 factors; a sum of L of them, for L labels, has
  7 + (L - 1) = L + 6.
* A stump (multiplicity times two leaves): 2 (L + 6) + 2 = 2 L + 14 =: a. Shifted to a common k and
  summed over p patterns: a + 7 + 1 + p = a + 8 + p.
* With c factors for a side, a deeper root (multiplicity times two sides) has 2 c + 2.

So roots of depth 1 have a_1 = 2 L + 14 factors, and of depth d + 1 they have 2 (a_d + 8 + p) + 2.

*What is dropped.* Beyond the end K of the table ``e**(-r k)`` is taken as 0, and what it would be
multiplied with is not computed. One such term stands for at most N trees (N = number of trees of
the full depth), each weighing at most ``e**(-r K)`` of the best one, which is counted. This happens
in at most 2**(depth + 1) sums, and K is so large that altogether less than 2**-100 is lost.
"""

from __future__ import annotations

import math
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
from flint import arb, ctx
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from littlestone.classes.decision_trees.hypothesis import LeafTree, TreeHypothesis
from littlestone.classes.decision_trees.nodes import Node, Tree
from littlestone.classes.decision_trees.rows import Counts, Doubles, Patterns, Rows, Splits, rows_of
from littlestone.data.labels import BINARY
from littlestone.source import Explicit, Source, ball

if TYPE_CHECKING:
    from littlestone.data import Sample
    from littlestone.types import Label

Values = npt.NDArray[Any]  # doubles or balls

_LN2 = Fraction(694, 1001)  # rounded up
_DROPPED = 2.0**-100
_FILTER_BITS = 96  # what a draw asks for first
_SHORT = 1 << 12  # entries of a table that stays in the nearest cache
_TABLED = 3  # the depth up to which tables are enough


def count(splits: int, depth: int, labels: int = 2) -> int:
    """Return the number of representations: N(0) = labels, N(d) = splits * N(d - 1)**2.

    Examples
    --------
    >>> [count(3, depth) for depth in range(4)] == [2, 3 * 4, 3 * 12**2, 3 * 432**2]
    True
    """
    total = labels
    for _ in range(depth):
        total = splits * total**2
    return total


def one_thread() -> AbstractContextManager[Any]:
    """Let matrix products use one thread: ours are small and many, and threads wait for each other.

    On two busy cores, two threads took ten times as long as one.
    """
    limits: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limits


@lru_cache(maxsize=1)
def _controller() -> Any:
    return ThreadpoolController()  # finds the libraries once


class Powers(Protocol):
    """``e**(-rate * k)`` for arrays of integers k >= 0, as numbers of one kind; 0 beyond `last`."""

    last: int

    def __call__(self, k: Counts) -> Values:
        """Return the powers."""

    def numbers(self, times: Counts) -> Values:
        """Return small integers as numbers of this kind."""


class DoublePowers:
    """``e**(-rate * k)`` as doubles of 7 factors of rounding (see the module), and then zeros.

    It may be replaced by 0 once it is below 2**-bits.

    Examples
    --------
    >>> DoublePowers(Fraction(1, 1000), 100)(np.array([0, 1000, 10**9])).round(4).tolist()
    [1.0, 0.3679, 0.0]
    """

    def __init__(self, rate: Fraction, bits: int) -> None:
        self.last = math.floor(bits * _LN2 / rate)
        self._shift = (self.last.bit_length() + 1) // 2 if self.last > _SHORT else 0
        self._mask = (1 << self._shift) - 1
        self._fine = _table(rate, self._mask)
        coarse = _table(rate * (1 << self._shift), self.last >> self._shift)
        self._coarse: Doubles = np.append(coarse, 0.0)

    def __call__(self, k: Counts) -> Doubles:
        """Return the powers; a k beyond the table gives 0."""
        if not self._shift:
            return self._coarse.take(k, mode="clip")
        high = self._coarse.take(k >> self._shift, mode="clip")
        return high * self._fine.take(k & self._mask)

    def numbers(self, times: Counts) -> Doubles:
        """Return doubles."""
        return times.astype(np.float64)


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

    last = 2**62

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

    def numbers(self, times: Counts) -> Values:
        """Return balls."""
        return np.array([arb(k) for k in times.tolist()], dtype=object)


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


def leaves(costs: Counts, powers: Powers) -> Forest:
    """Return one leaf for each entry of ``costs`` (labels - 1, ...), above the last answer's."""
    if len(costs) == 1:  # of two answers, one weighs e**0
        return Forest(np.minimum(costs[0], 0), 1 + powers(np.abs(costs[0])))
    least = np.minimum(costs.min(axis=0), 0)
    total: Any = sum((powers(answer - least) for answer in costs), powers(-least))
    return Forest(least, total)


def stumps(inside: Counts, totals: Counts, times: Values, powers: Powers) -> Forest:
    """Return the roots of depth 1."""
    yes, no = leaves(inside, powers), leaves(totals - inside, powers)
    return Forest(yes.k + no.k, times * yes.x * no.x)


def twice(
    pairs: Counts, totals: Counts, times: Values, powers: Powers, *, summed: bool = False
) -> Forest:
    """Return the roots of depth 2 of records with these costs by pairs of patterns.

    ``summed`` adds them up; those far from the best are not weighed.
    """
    within = np.diagonal(pairs, axis1=1, axis2=2)
    sides = [
        (pairs, within[:, :, None]),  # row s: what lies on the yes side of s, by the second split
        (within[:, None, :] - pairs, (totals - within)[:, :, None]),
    ]
    weights = times
    if summed:
        costs: Any = sum(
            (_best(inside) + _best(sums - inside)).min(axis=-1) for inside, sums in sides
        )
        near = np.flatnonzero(costs - costs.min() <= powers.last)
        sides = [(inside[:, near], sums[:, near]) for inside, sums in sides]
        weights = times[near]
    yes, no = (stumps(*side, times, powers).total(powers) for side in sides)
    found = Forest(yes.k + no.k, weights * yes.x * no.x)
    return found.total(powers) if summed else found


def _best(costs: Counts) -> Counts:
    """Return the cost of the best answer of each leaf."""
    best: Counts = np.minimum(costs[0] if len(costs) == 1 else costs.min(axis=0), 0)
    return best


class WeightedRoots:
    """The patterns of rows, each weighing as much as all trees of a depth with such a root.

    ``fast`` takes the first enclosures from doubles; the enclosed weights are the same.
    """

    def __init__(self, rows: Rows, depth: int, rate: Fraction, *, fast: bool = True) -> None:
        self._rows, self._depth, self._rate, self._fast = rows, depth, Fraction(rate), fast
        self._tables = rows.tables(depth if depth <= _TABLED else 1)
        self._patterns = Patterns.of(rows.splits, self._tables)
        members = self._patterns.members
        self._order = sorted(range(len(members)), key=lambda pattern: members[pattern])
        self._known: dict[int, list[arb]] = {}

    def __len__(self) -> int:
        return len(self._order)

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of the splits of each pattern, in the order of the first ones."""
        return tuple(self._patterns.members[pattern] for pattern in self._order)

    def enclose(self, bits: int) -> list[arb]:
        """Return the enclosures, computed once for each precision."""
        if bits not in self._known:
            self._known[bits] = self._enclose(bits)
        return self._known[bits]

    def _enclose(self, bits: int) -> list[arb]:
        labels, splits = self._rows.n_labels, len(self._rows.splits)
        if self._fast and bits <= _FILTER_BITS:
            trees = count(splits, self._depth, labels)
            powers = _double_powers(self._rate, 102 + self._depth + trees.bit_length())
            with one_thread():
                forest = self._forest(powers)
            bound = error_bound(self._depth, len(self._patterns.members), labels)
            with ctx.workprec(bits):
                return self._enclosed(forest, [2 * x * bound for x in forest.x.tolist()])
        # at most 2**depth * (patterns + labels + 6) factors, each of one unit of rounding
        spare = self._depth + (splits + labels + 6).bit_length() + 4
        with ctx.workprec(bits + spare), one_thread():
            forest = self._forest(BallPowers(self._rate))
            return self._enclosed(forest, [0.0] * len(forest.x))

    def _enclosed(self, forest: Forest, radii: list[float]) -> list[arb]:
        """Return one ball for each root, scaled so that the least cost counts e**0."""
        costs, weights, least = forest.k.tolist(), forest.x.tolist(), int(forest.k.min())
        return [
            (arb(weights[root], radii[root]) if radii[root] else arb(weights[root]))
            * ball(-self._rate * (costs[root] - least)).exp()
            for root in self._order
        ]

    def _forest(self, powers: Powers) -> Forest:
        """Return all roots, in the order of the patterns."""
        patterns, costs = self._patterns, self._tables.differences()
        times, totals = powers.numbers(patterns.times), costs.totals[:, None]
        if self._depth == 1:
            return stumps(patterns.singles(costs), totals, times, powers)
        if self._depth > _TABLED:
            return self._by_sides(times, powers)
        pairs = patterns.pairs(costs)
        if self._depth == 2:
            return twice(pairs, totals, times, powers)
        k, x = np.zeros(len(times), dtype=np.int64), times.copy()
        for root, inside in patterns.within(self._rows, costs):
            own = inside[:, root, root][:, None]
            for side, sums in ((inside, own), (pairs - inside, totals - own)):
                below = twice(side, sums, times, powers, summed=True)  # all trees of depth 2
                k[root] += int(below.k)
                x[root] = x[root] * below.x
        return Forest(k, x)

    def _by_sides(self, times: Values, powers: Powers) -> Forest:
        """Return deeper roots: for each side of each, all trees of one depth less."""
        costs, weights = np.zeros(len(times), dtype=np.int64), times.copy()
        for root, members in enumerate(self._patterns.members):
            for yes in (True, False):
                side = self._rows.side(members[0], yes=yes)
                below = (
                    WeightedRoots(side, self._depth - 1, self._rate)._forest(powers).total(powers)
                )
                costs[root] += int(below.k)
                weights[root] = weights[root] * below.x
        return Forest(costs, weights)


def draw_tree(rows: Rows, depth: int, rate: Fraction, source: Source, *, fast: bool = True) -> Tree:
    """Return a representation with probability proportional to ``e**(-rate * cost)``, exactly.

    It has answers at its leaves and is not in normal form.

    Examples
    --------
    >>> from littlestone.classes.decision_trees.rows import WeightedRows
    >>> from littlestone.data import Schema
    >>> from littlestone.source import SeededSource
    >>> splits = Splits(Schema.from_dict({"age": {"bins": [30]}}))
    >>> rows = WeightedRows.of(splits, np.array([[2], [3]]), np.array([[0, 800], [900, 0]]))
    >>> TreeHypothesis.of(draw_tree(rows, 1, Fraction(1), SeededSource(0))).describe()
    'if age < 30, then 0, otherwise 1'
    """
    return Drawing(rows, depth, rate, fast=fast).tree(source)


class Drawing:
    """Draws of trees from rows; what lies below each path of answers is weighed once."""

    def __init__(self, rows: Rows, depth: int, rate: Fraction, *, fast: bool = True) -> None:
        self._rate, self._fast = Fraction(rate), fast
        self._known: dict[tuple[int, ...], tuple[Rows, WeightedRoots | None]] = {}
        self._known[()] = self._node(rows, depth)
        self._depth = depth

    def _node(self, rows: Rows, depth: int) -> tuple[Rows, WeightedRoots | None]:
        roots = WeightedRoots(rows, depth, self._rate, fast=self._fast) if depth else None
        return rows, roots

    def tree(self, source: Source, path: tuple[int, ...] = ()) -> Tree:
        """Draw the tree below a path: 2 * split + answer, from the root on."""
        if path not in self._known:
            asked, answer = divmod(path[-1], 2)
            below = self._known[path[:-1]][0].side(asked, yes=bool(answer))
            self._known[path] = self._node(below, self._depth - len(path))
        rows, roots = self._known[path]
        if roots is None:
            answers = Explicit([-cost for cost in rows.totals.tolist()])
            label: int = answers.draw(self._rate, source)
            return label
        members = roots.members[source.choose(roots)]
        split = members[source.below(len(members))]
        yes, no = (self.tree(source, (*path, 2 * split + side)) for side in (1, 0))
        return Node(rows.splits.literals[split], yes, no)


class Candidates:
    """All representations of trees of one depth, weighted by their cost on a sample.

    Examples
    --------
    >>> from littlestone.data import Sample, Schema
    >>> from littlestone.source import SeededSource
    >>> splits = Splits(Schema.from_dict({"age": {"bins": [30]}}))
    >>> sample = Sample.of(np.array([[2], [3]] * 50), [0, 2] * 50, labels=3)
    >>> trees = Candidates(splits, 1, sample, ("a", "b", "c"))
    >>> trees.size, trees.draw(Fraction(1), SeededSource(0)).describe()
    (18, 'if age < 30, then a, otherwise c')
    """

    def __init__(
        self,
        splits: Splits,
        depth: int,
        sample: Sample,
        labels: tuple[Label, ...] = BINARY,
        *,
        fast: bool = True,
    ) -> None:
        self._depth, self._labels, self._fast = depth, labels, fast
        self._rows = rows_of(splits, sample, depth)
        self._drawings: dict[Fraction, Drawing] = {}

    @property
    def size(self) -> int:
        """Number of representations."""
        return count(len(self._rows.splits), self._depth, len(self._labels))

    def draw(self, rate: Fraction, source: Source) -> TreeHypothesis:
        """Return a tree; each representation weighs e**(-rate * cost)."""
        return TreeHypothesis.of(self._drawn(rate, source), self._labels)

    def draw_apart(self, rate: Fraction, source: Source) -> LeafTree:
        """Return the same draw with all leaves of the representation."""
        return LeafTree.of(self._drawn(rate, source), self._labels)

    def _drawn(self, rate: Fraction, source: Source) -> Tree:
        if rate not in self._drawings:
            drawing = Drawing(self._rows, self._depth, rate, fast=self._fast)
            self._drawings[rate] = drawing
        return self._drawings[rate].tree(source)
