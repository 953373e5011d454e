"""All decision trees of one depth over the bins and categories of a public schema."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import groupby, product
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import arb, ctx
from threadpoolctl import ThreadpoolController

from littlestone.bounds.representations import PublicPoints
from littlestone.classes.base import SchemaClass
from littlestone.classes.decision_trees.hypothesis import Node, Tree, TreeHypothesis
from littlestone.classes.spec import written
from littlestone.data import Literal, Sample, Schema
from littlestone.data.cells import BINARY, check_labels
from littlestone.data.sample import Batch, CodeTables, Entries, fit_memory, table_bytes
from littlestone.errors import check_integer, parameter_error
from littlestone.source import Choice, Explicit, Source, ball
from littlestone.types import Hypothesis, Point, Points

if TYPE_CHECKING:
    from littlestone.types import Label


# -- What the draw of a tree asks of records: what each answer costs them, by codes and by splits.
#
# A *split* is what an inner node asks: a literal of the schema except ``is not``, which asks the
# same as ``is`` with the sides swapped. (``age < 30`` is *not* ``age >= 30`` swapped: a cell that
# is missing or other answers no to both.)
#
# Splits of one column that part the records alike, up to swapping the sides, form one *pattern*:
# they have equal weights as roots, so one of them is weighed. This changes the time, never the
# law.
#
# Costs are sums of integers below 2**53, so exact in doubles.


Bits = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]
#: What each answer costs at the points of a stored batch: of its number, and the batch.
Weigh: TypeAlias = Callable[[int, Batch], npt.NDArray[Any]]

_EXACT = 2**53
_CACHE_BYTES = 1 << 27  # bytes of the sums of triples of columns that are kept of rows in memory
_MOST = 1 << 26  # entries of the tables that are yielded together
_TRIPLES = 3  # the largest sets of columns that are counted


class Splits:
    """The splits of a schema of a fixed number of columns, in its public order.

    Examples
    --------
    >>> schema = Schema.from_dict({"age": {"bins": [30]}, "city": {"categories": ["Bonn"]}})
    >>> [split.text for split in Splits(schema).literals]
    ['age >= 30', 'age < 30', 'city is Bonn']
    """

    def __init__(self, schema: Schema) -> None:
        self.literals: tuple[Literal, ...] = tuple(
            literal for literal in schema.literals() if literal.op != "is not"
        )
        self.n_codes = schema.n_codes

    def __len__(self) -> int:
        return len(self.literals)

    @cached_property
    def accepts(self) -> list[Bits]:
        """For each split, which codes of its column answer yes."""
        return [lit.accepts(self.n_codes[lit.column]) for lit in self.literals]

    @cached_property
    def masks(self) -> list[int]:
        """The same as integers, a bit for each code."""
        return [as_mask(accepts) for accepts in self.accepts]

    def answers(self, split: int, *, yes: bool) -> tuple[int, Bits]:
        """Return the column of a split, and which of its codes answer so."""
        return self.literals[split].column, self.accepts[split] == yes


class Rows(Protocol):
    """Records below some answers."""

    splits: Splits
    n_labels: int

    @property
    def totals(self) -> Counts:
        """What each answer costs all records."""

    def side(self, split: int, *, yes: bool) -> Rows:
        """Return the records that answer a split in one way."""

    def tables(self, order: int) -> CodeTables:
        """Return what each answer costs by the codes of sets of ``order`` columns, at least two."""

    def triples(self, column: int, sides: Bits) -> CodeTables:
        """Return the differences by pairs of columns, by sides of a column (`CodeTables.sides`)."""


class WeightedRows:
    """Rows in memory: an entry says what one answer costs at one row of codes."""

    def __init__(
        self,
        splits: Splits,
        entries: Entries | Callable[[], Entries],
        n_labels: int = 2,
        known: CodeTables | None = None,
        parts: list[Entries] | None = None,
    ) -> None:
        self.splits, self._entries, self.n_labels, self._known = splits, entries, n_labels, known
        self._parts = parts  # the entries as they are counted

    @cached_property
    def entries(self) -> Entries:
        """The entries; below a split they are made when they are asked for."""
        return self._entries() if callable(self._entries) else self._entries

    @classmethod
    def of(
        cls, splits: Splits, points: Points, costs: Counts, columns: Points | None = None
    ) -> WeightedRows:
        """Return the rows of points at which each answer (rows of ``costs``) costs something.

        ``columns`` are the points column by column, if they are at hand.
        """
        if sum(int(row.sum()) for row in costs) >= _EXACT:
            raise ValueError("Weights must sum to less than 2**53.")
        if columns is not None and len(costs) == 2 and not np.logical_and(*costs).any():
            answer = (costs[1] > 0).astype(np.int8)  # the only one that costs something
            return cls(splits, Entries(columns, answer, costs[0] + costs[1]))
        answers, where = np.nonzero(costs)
        codes = np.zeros((len(splits.n_codes), len(where)), dtype=np.int64)
        if len(where):
            codes = points.T[:, where] if columns is None else columns[:, where]
        return cls(splits, Entries(codes, answers, costs[answers, where]), len(costs))

    @property
    def totals(self) -> Counts:
        """What each answer costs all records."""
        if self._known is not None:
            return self._known.totals
        _, answers, costs, _ = self.entries
        return np.bincount(answers, costs.astype(np.float64), self.n_labels).astype(np.int64)

    def side(self, split: int, *, yes: bool) -> WeightedRows:
        """Return the records that answer a split in one way."""
        column, accepts = self.splits.answers(split, yes=yes)

        def entries() -> Entries:
            codes, answers, costs, _ = self.entries
            keep = np.flatnonzero(accepts[codes[column]])
            return Entries(codes[:, keep], answers[keep], costs[keep])

        known = None
        if self._known is not None and self._known.order:
            known = self._known.sides(column, accepts[None])
        return WeightedRows(self.splits, entries, self.n_labels, known)

    def tables(self, order: int) -> CodeTables:
        """Return what each answer costs by the codes of sets of columns, counted if not known."""
        n_codes, labels = self.splits.n_codes, self.n_labels
        if order == _TRIPLES and table_bytes(n_codes, order, labels) > _CACHE_BYTES:
            order = 2
        if self._known is None or self._known.order < order:
            self._known = CodeTables.of(self._parts or [self.entries], n_codes, order, labels)
        return self._known

    def triples(self, column: int, sides: Bits) -> CodeTables:
        """Return the differences by pairs of columns, by sides of a column."""
        n_codes, labels = self.splits.n_codes, self.n_labels
        codes, answers, costs, _ = self.entries
        keys = Entries(codes, codes[column] + n_codes[column] * answers, costs)
        tables = CodeTables.of([keys], n_codes, 2, n_codes[column] * labels)
        sums = {}
        for chosen, table in tables.sums.items():
            by_code = table.reshape(labels, n_codes[column], *table.shape[1:])
            found = np.tensordot(sides, by_code[:-1] - by_code[-1], axes=(1, 1))
            sums[chosen] = found.reshape(-1, *table.shape[1:])
        return CodeTables(n_codes, 2, sums)


class StoredRows:
    """Rows that are not in memory: known by their tables, which are taken in passes."""

    def __init__(
        self,
        splits: Splits,
        sample: Sample,  # not in memory
        weigh: Weigh | None,
        known: CodeTables,
        path: tuple[tuple[int, Bits], ...] = (),
    ) -> None:
        self.splits, self._sample, self._weigh = splits, sample, weigh
        self._known, self._path, self.n_labels = known, path, len(known.sums[()])

    @property
    def totals(self) -> Counts:
        """What each answer costs all records."""
        return self._known.totals

    def side(self, split: int, *, yes: bool) -> StoredRows:
        """Return the records that answer a split in one way."""
        column, accepts = self.splits.answers(split, yes=yes)
        known = self._known.sides(column, accepts[None])
        path = (*self._path, (column, accepts))
        return StoredRows(self.splits, self._sample, self._weigh, known, path)

    def tables(self, order: int) -> CodeTables:
        """Return what each answer costs by the codes of sets of columns, counted if not known."""
        if self._known.order < order:
            self._known = self._sample.tables(self.splits.n_codes, order, self._below)
        return self._known

    def triples(self, column: int, sides: Bits) -> CodeTables:
        """Return the differences by pairs of columns, by sides of a column."""
        return self.tables(_TRIPLES).differences().sides(column, sides)

    def _below(self, number: int, batch: Batch) -> npt.NDArray[Any]:
        """Weigh the rows that answer so; the others weigh nothing."""
        weigh = self._weigh
        weights: npt.NDArray[Any]
        weights = self._sample.weighed(batch) if weigh is None else weigh(number, batch)
        for column, accepts in self._path:
            weights = weights * accepts[batch.points[:, column]]
        return weights


def rows_of(splits: Splits, sample: Sample, order: int, weigh: Weigh | None = None) -> Rows:
    """Return the records of a sample, by what each answer costs; if stored, one pass.

    ``weigh`` says what each answer costs at the points of a batch, if not what the sample says.
    """
    if not sample.in_memory:
        known = sample.tables(splits.n_codes, min(order, _TRIPLES), weigh)
        return StoredRows(splits, sample, weigh, known)
    whole = Batch(sample.points, sample.counts)
    costs = sample.weighed(whole) if weigh is None else weigh(0, whole)
    return WeightedRows.of(splits, sample.points, costs, sample.counted.columns)


class Patterns(NamedTuple):
    """The different ways in which the splits part records, up to swapping the sides."""

    #: The numbers of the splits of each pattern; by columns, the constant ones last.
    members: tuple[tuple[int, ...], ...]
    #: Which patterns ask a column, and (patterns, codes) one side of each: that without the first
    #: code that occurs.
    columns: list[tuple[int, slice, Bits]]
    kind: type  # of integers that hold all costs together

    @classmethod
    def of(cls, splits: Splits, tables: CodeTables) -> Patterns:
        """Return the patterns of records with these tables."""
        found: dict[tuple[int, int], list[int]] = {}
        constant: list[int] = []
        occur = [first_code(tables, column) for column in range(len(splits.n_codes))]
        masks = [(as_mask(occurs), first) for occurs, first in occur]
        for number, (literal, yes) in enumerate(zip(splits.literals, splits.masks, strict=True)):
            column = literal.column
            occurs, first = masks[column]
            answers = (~yes if yes >> first & 1 else yes) & occurs
            group = found.setdefault((column, answers), []) if answers else constant
            group.append(number)
        columns, start = [], 0
        for column, own in groupby(found, key=itemgetter(0)):
            sides = np.array([splits.accepts[found[key][0]] for key in own])
            sides ^= sides[:, occur[column][1], None]
            columns.append((column, slice(start, start + len(sides)), sides))
            start += len(sides)
        members = [*found.values(), *([constant] if constant else [])]
        kind = np.int32 if tables.sums[()].sum() < 2**31 else np.int64
        return cls(tuple(map(tuple, members)), columns, kind)

    @property
    def times(self) -> Counts:
        """Number of splits of each pattern."""
        return np.array([len(m) for m in self.members], dtype=np.int64)

    def singles(self, costs: CodeTables) -> Counts:
        """Return the sums on one side of each pattern, of shape (answers, patterns)."""
        out = self._zeros(costs, ())
        for column, at, yes in self.columns:
            out[:, at] = costs.sums[column,] @ yes.T
        return out

    def pairs(self, costs: CodeTables) -> Counts:
        """Return the sums where both of two patterns answer yes: (answers, patterns, patterns)."""
        out = self._zeros(costs, (len(self.members),))
        for i, (column, at, yes) in enumerate(self.columns):
            sides = yes.astype(np.float64)
            out[:, at, at] = (costs.sums[column,][:, None] * sides) @ sides.T
            for other, there, answers in self.columns[i + 1 :]:
                crossed = sides @ (costs.sums[column, other] @ answers.T.astype(np.float64))
                out[:, at, there], out[:, there, at] = crossed, crossed.swapaxes(1, 2)
        return out

    def within(self, rows: Rows, costs: CodeTables) -> Iterator[tuple[int, Counts]]:
        """Yield each pattern with the `pairs` on its yes side; ``costs`` has pairs, or triples."""
        size, answers = len(self.members), len(costs.sums[()])
        step = max(1, _MOST // (answers * size**2))
        for column, at, yes in self.columns:
            for start in range(0, len(yes), step):
                sides = yes[start : start + step]
                whole = costs.order == _TRIPLES
                tables = costs.sides(column, sides) if whole else rows.triples(column, sides)
                inside = self.pairs(tables).reshape(-1, answers, size, size)
                yield from enumerate(inside, at.start + start)
        last = self.columns[-1][1].stop if self.columns else 0
        if last < size:
            yield last, np.zeros((answers, size, size), dtype=self.kind)

    def _zeros(self, costs: CodeTables, shape: tuple[int, ...]) -> Counts:
        return np.zeros((len(costs.sums[()]), *shape, len(self.members)), dtype=self.kind)


def as_mask(codes: Bits) -> int:
    """Return the integer whose bits are set at these codes.

    Examples
    --------
    >>> as_mask(np.array([True, False, True]))
    5
    """
    return int.from_bytes(np.packbits(codes, bitorder="little").tobytes(), "little")


def first_code(tables: CodeTables, column: int) -> tuple[Bits, int]:
    """Return which codes of a column occur, and the first of them."""
    occurs = tables.sums[column,].sum(axis=0) > 0
    return occurs, int(occurs.argmax())


# -- The exponential mechanism over all trees of one depth, where every answer costs something.
#
# Each answer costs an integer on each record, and a tree is drawn with probability proportional
# to ``e**(-rate * cost)``, exactly. `DecisionTrees` counts mistakes, or what they cost; boosting
# (`littlestone.learners.boosting`) draws each of its trees here, with weighted records.
#
# *Representations.* A full binary tree: a split at each of 2**depth - 1 inner nodes, an answer at
# each of 2**depth leaves. Different ones may be the same function.
#
# *Draw.* Top-down: the pattern of a root (`rows`) by the weight of all trees that have such a root,
# a member of the pattern uniformly, then the two sides, which given the root are independent. With
# rate r, a leaf weighs the sum over its answers of ``e**(-r cost)``; all trees of depth d below the
# root s weigh ``Z(yes side, d - 1) * Z(no side, d - 1)``, where Z sums over all roots. The product
# of these probabilities is ``e**(-r cost) / total`` for each representation.
#
# *Counts.* All that Z needs are costs by answer and by the codes of sets of at most three columns
# (`CodeTables`); trees of depth 4 go from root to root, with the tables of each side. What the last
# answer costs is subtracted from all: every tree then costs the same number less.
#
# *Partition functions* are pairs (k, x), worth ``x * e**(-r k)``: k is the exact integer cost of
# the best tree that is summed up, and x >= 1, so nothing overflows or underflows. The same
# recursion runs on doubles (the first enclosures) and on balls (any precision).
#
# *Error of the doubles.* Let u = 2**-53. All numbers are positive, and sums, products and
# conversions round to nearest, each by a factor (1 + d), |d| <= u. A number "has c factors" if it
# is the exact one times at most c such factors or their inverses; its relative error is then at
# most c u / (1 - c u) <= 2 c u. With p patterns (a side has no more of them than what it is a side
# of):
#
# * ``e**(-r k)`` is a product of two entries of tables that are compared with balls when they are
#   made, each within 2 u (3 factors): 3 + 3 + 1 = 7 factors; a sum of L of them, for L labels, has
#   7 + (L - 1) = L + 6.
# * A stump (multiplicity times two leaves): 2 (L + 6) + 2 = 2 L + 14 =: a. Shifted to a common k
#   and summed over p patterns: a + 7 + 1 + p = a + 8 + p.
# * With c factors for a side, a deeper root (multiplicity times two sides) has 2 c + 2.
#
# So roots of depth 1 have a_1 = 2 L + 14 factors, and of depth d + 1 they have 2 (a_d + 8 + p) +
# 2.
#
# *What is dropped.* Beyond the end K of the table ``e**(-r k)`` is taken as 0, and what it would be
# multiplied with is not computed. One such term stands for at most N trees (N = number of trees of
# the full depth), each weighing at most ``e**(-r K)`` of the best one, which is counted. This
# happens in at most 2**(depth + 1) sums, and K is so large that altogether less than 2**-100 is
# lost.


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
        costs, weights = (forest.k.min() - forest.k).tolist(), forest.x.tolist()
        rate = ball(self._rate)
        return [
            (arb(weights[root], radii[root]) if radii[root] else arb(weights[root]))
            * (rate * costs[root]).exp()
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
    >>> from littlestone.classes.decision_trees.concept_class import WeightedRows
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
        if rate not in self._drawings:
            drawing = Drawing(self._rows, self._depth, rate, fast=self._fast)
            self._drawings[rate] = drawing
        return TreeHypothesis.of(self._drawings[rate].tree(source), self._labels)


#: A class of more trees is not listed.
MOST_TREES = 1 << 12

#: How many splits a schema may have, by depth: more would take minutes, or gigabytes.
MAX_SPLITS = {1: 30_000, 2: 3_000, 3: 2_000, 4: 200}


@written("decision_trees(depth=2)")
class DecisionTrees(SchemaClass):
    """Decision trees such as "if married, then (if education >= 13, ...), otherwise ...".

    A *representation* is a full binary tree of the given depth: at each inner node one split, at
    each leaf a label. The splits are the literals of the schema (``>=`` and ``<`` for each edge,
    ``is`` for each category), without ``is not``, which is ``is`` with the sides swapped. A cell
    that is missing or other answers no to every split. Different representations may be the same
    function: each one counts, in ``size``, in the certificates and in the weights; a released
    tree is in normal form.

    So the class contains all `Rules` of at most ``depth`` literals, and all shallower trees.

    Parameters
    ----------
    schema : Schema
        Public columns, bins and categories. With `Schema.every_column`, `bind` the number of
        columns before use (the estimators do).
    depth : int in 1 .. 4, default 2
    labels : sequence of int or str, optional
        Public labels at the leaves, in the order of their codes; by default 0 and 1. A cell outside
        the list counts as a mistake of every tree.

    Raises
    ------
    ParameterError
        If the schema has too many splits for this depth: 30,000, 3,000, 2,000, 200.

    Guarantee
    ---------
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law over the
    representations, whose number is ``size``: with s splits 4 s, 16 s**3, 256 s**7, 65536 s**15;
    with k labels k**2 s, k**4 s**3, k**8 s**7, k**16 s**15.

    Notes
    -----
    The trees are never listed: their weight factorises over the two sides of a root
    (docs/decision-trees.md). Cost with p different splits: counts of all sets of at most three
    columns, then 4 p**2, 8 p**3, 16 p**4 leaves: on the census table 0.02, 0.2 and 25 seconds of
    one core.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> from fractions import Fraction
    >>> import numpy as np
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
    >>> trees = DecisionTrees(schema, depth=2)
    >>> trees.size, trees.vc_dim
    (2000, 10)
    >>> rows = np.array([[2, 2], [3, 2], [2, 1], [3, 1]])  # codes: age < 30 in Bonn, ...
    >>> data = Sample.of(rows, [0, 1, 1, 0])  # exclusive or, which no rule is
    >>> trees.candidates(data).draw(Fraction(50), SeededSource(1)).predict(rows).tolist()
    [0, 1, 1, 0]
    """

    name = "decision_trees"
    vc_exact = False

    def __init__(self, schema: Schema, depth: int = 2, labels: Any = None) -> None:
        if labels is not None:
            self.labels = check_labels("DecisionTrees", labels)
        super().__init__(schema)
        #: Number of splits from the root to each leaf.
        self.depth = check_integer("DecisionTrees", "depth", depth, low=1)
        if self.depth not in MAX_SPLITS:
            raise parameter_error("DecisionTrees", "depth", "1, 2, 3 or 4", self.depth)
        # tables for each label, of the square of the number of splits
        most = math.isqrt(2 * MAX_SPLITS[self.depth] ** 2 // len(self.labels))
        if schema.bound and len(self._splits) > most:
            raise parameter_error(
                "DecisionTrees", "schema", f"of at most {most} splits for depth {self.depth}",
                len(self._splits), "Use fewer bins or categories, or a smaller depth.",
            )  # fmt: skip

    @cached_property
    def _splits(self) -> Splits:
        return Splits(self.bound)

    @property
    def public(self) -> PublicPoints | None:
        """How near its trees are to those with splits at any numbers, if the bins are public.

        A tree compares a cell once for each inner node.
        """
        bins = self.schema.public
        return None if bins is None else bins.of(2**self.depth - 1)

    @property
    def uses_marginals(self) -> bool:
        """Whether the counts of sets of columns are enough, and not too many."""
        return fit_memory(self.schema, self.depth, len(self.labels) + self.lists_labels)

    @property
    def size(self) -> int:
        """Number of representations, exactly."""
        return count(len(self._splits), self.depth, len(self.labels))

    @cached_property
    def vc_dim(self) -> int:
        """An upper bound of the VC dimension, for the labels 0 and 1; see `shatter_bound`."""
        self.check_binary("The VC dimension")
        return self.shatter_bound(1)

    def shatter_bound(self, trees: int) -> int:
        """Return an upper bound on the number of points that functions of some trees shatter.

        T trees label m points in at most N(s(m))**T ways, where s(m) counts the `different_splits`
        and N the representations; if the points are shattered, this is at least 2**m.
        """
        # (2**k)**T > N**T if 2**k > N: then m = k * T points are not shattered
        m = trees * self.size.bit_length() - 1
        while (
            m > 1 and m >= trees * count(different_splits(self.schema, m), self.depth).bit_length()
        ):
            m = trees * count(different_splits(self.schema, m), self.depth).bit_length() - 1
        return m

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all representations, scored by minus their errors; see the base class."""
        if not sample.unlisted:
            self.check_binary("A sample with the labels 0 and 1")
        return Candidates(self._splits, self.depth, sample, self.labels)

    def _concepts(self) -> Iterator[Hypothesis]:
        seen: set[Hashable] = set()
        for tree in self._trees(self.depth):
            hypothesis = TreeHypothesis.of(tree, self.labels)
            if hypothesis.key not in seen:
                seen.add(hypothesis.key)
                yield hypothesis

    def _trees(self, depth: int) -> Iterator[Tree]:
        if depth == 0:
            yield from range(len(self.labels))
            return
        below = list(self._trees(depth - 1))
        for split, yes, no in product(self._splits.literals, below, below):
            yield Node(split, yes, no)

    def domain_points(self) -> Iterable[Point] | None:
        """Return all rows; None beyond 2**12 trees: the normal form of each takes 0.1 ms."""
        return super().domain_points() if self.size <= MOST_TREES else None


def different_splits(schema: Schema, points: int) -> int:
    """Return at most how many splits of a schema are different functions of some points.

    Of m points, a column of numbers splits in at most 2 (m - 1) ways by ``>=`` and ``<``, a
    column of texts m by ``is``; all other splits are constant on them.
    """
    kinds = ((len(column.literals(0)), column.numeric) for column in schema)
    return 1 + sum(
        min(n, 2 * (points - 1)) if numeric else min(n // 2, points) for n, numeric in kinds
    )
