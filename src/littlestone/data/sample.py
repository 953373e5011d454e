"""Labelled records as counts: what a learner is allowed to see."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, reduce
from importlib import import_module
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from littlestone.costs import Costs
from littlestone.data.cells import codes_of, label_values
from littlestone.data.domains import OUTSIDE, as_points, distinct, totals
from littlestone.errors import DataError, ParameterError, parameter_error
from littlestone.types import Label, Points

if TYPE_CHECKING:
    from littlestone.bounds import Unit
    from littlestone.data.domains import Domain, Line
    from littlestone.data.schema import Schema
    from littlestone.source import Source


Counts = npt.NDArray[np.int64]
#: What the records of a batch weigh: of its number and the batch; a row for each answer.
Weigh: TypeAlias = "Callable[[int, Batch], npt.NDArray[Any]]"

_EXACT = 2**53
_TWO = Costs.equal(2)


class Batch(NamedTuple):
    """Some distinct points, with counts of shape (labels, points).

    Points are of shape (points,), or (points, columns) where they are rows of codes.
    """

    points: Points
    counts: Counts


class Extremes(NamedTuple):
    """The outermost records of a sample of integers: all that a threshold can be wrong about.

    One entry for each record, the farthest out first: the largest points labelled 0, descending,
    and the smallest ones labelled 1, ascending. How many records there are with each label is said
    inside the domain, and outside.
    """

    zeros: npt.NDArray[Any]
    ones: npt.NDArray[Any]
    inside: tuple[int, int]
    outside: tuple[int, int]

    @property
    def n(self) -> int:
        """Number of records (public)."""
        return sum(self.inside) + sum(self.outside)


@dataclass(frozen=True, eq=False, repr=False)
class Sample:
    """n labelled records, as distinct points with a count for each label.

    Records whose point lies outside the public domain are counted in ``outside``; every concept
    gives such a point the first label. No record is ever dropped, so ``n`` (public) counts all.

    A sample of two labels has two rows of counts. One with a public list of k labels has k + 1:
    the last one counts cells that are not in the list. No answer is right for these, and whatever
    is answered costs the largest cost; so one record changes the cost of a concept by at most
    that, as if all labels were listed.

    Attributes
    ----------
    points : ndarray
        Distinct points in canonical (sorted) order: 1-D int64; 1-D object (integers of any size,
        texts, tuples); or 2-D integer codes, one row for each distinct row of a schema.
    counts : int64 ndarray of shape (rows, points)
        How many records at each point have each label.
    outside : tuple of int
        Records outside the domain, by label.
    costs : Costs
        Of mistakes; by default each costs 1.

    Examples
    --------
    >>> Sample.of([5, 3, 5], [1, 0, 1]).n
    3
    >>> sample = Sample.of([5, 3, 5], [2, 0, 3], labels=3)
    >>> sample, sample.answer_costs.tolist()
    (Sample(n=3, labels=3), [[0, 2], [1, 2], [1, 1]])
    """

    points: Points
    counts: Counts
    outside: tuple[int, ...] = (0, 0)
    costs: Costs = _TWO

    #: What one record is to the learner: its own unit, see `UserSample`.
    unit: ClassVar[Unit] = "records"
    #: Whether the points are in memory; if not, they were read by the rules of their domain.
    in_memory: ClassVar[bool] = True
    #: Whether the order of the records is remembered, for verification.
    ordered: ClassVar[bool] = False

    @property
    def labels(self) -> int:
        """Number of labels, k (public)."""
        return len(self.costs.matrix)

    @property
    def unlisted(self) -> bool:
        """Whether cells outside of a public list of labels are counted, in the last row."""
        return len(self.outside) > self.labels

    @property
    def by_label(self) -> Counts:
        """Number of records with each label (private)."""
        return np.asarray(self.counts.sum(axis=1) + np.array(self.outside, dtype=np.int64))

    @property
    def counted(self) -> Sample:
        """The sample in memory; brings the points together."""
        return self

    @cached_property
    def columns(self) -> Points:
        """The points of rows, column by column, each in one piece of memory."""
        return np.ascontiguousarray(self.points.T)

    def batches(self, line: Line | None = None) -> Iterator[Batch]:
        """Yield the points in canonical order, or their numbers on a line; no batch is empty."""
        if not len(self.points):
            return
        if line is None:
            yield Batch(self.columns.T, self.counts)
        else:
            keys = line.keys(self.points)
            order = np.argsort(keys, kind="stable")
            yield Batch(keys[order], self.counts[:, order])

    def cost_weighted(self, costs: Costs) -> Sample:
        """Return the sample with these costs of mistakes.

        Examples
        --------
        >>> Sample.of([3, 5], [0, 1]).cost_weighted(Costs.of({0: 1, 1: 9})).ones.tolist()
        [0, 9]
        """
        return replace(self, costs=costs)

    def complete(self) -> None:
        """Read what has not been read yet: afterwards no reading can fail."""

    @property
    def n(self) -> int:
        """Number of records: public under replace-one."""
        return int(self.by_label.sum())

    @property
    def table(self) -> Counts:
        """What each answer costs for each row of counts, of shape (rows, k)."""
        return self.costs.table[: len(self.outside)]

    def weighed(self, batch: Batch) -> Counts:
        """Return what each answer costs at the points of a batch, of shape (k, points)."""
        return _answer_costs(self.table, batch.counts)

    @cached_property
    def answer_costs(self) -> Counts:
        """What each answer costs at each point, of shape (k, points)."""
        return _answer_costs(self.table, self.counts)

    @property
    def outside_cost(self) -> int:
        """What the first label, which all concepts answer there, costs outside the domain."""
        return int(self.table[:, 0] @ np.array(self.outside, dtype=np.int64))

    @property
    def zeros(self) -> Counts:
        """Of two labels: what label 1 costs at each point, so the records labelled 0."""
        zeros: Counts = self.answer_costs[1]
        return zeros

    @property
    def ones(self) -> Counts:
        """Of two labels: what label 0 costs at each point, so the records labelled 1."""
        ones: Counts = self.answer_costs[0]
        return ones

    @property
    def positives(self) -> int:
        """What label 0 costs everywhere, so the records labelled 1 (private)."""
        return int(self.table[:, 0] @ self.by_label)

    @property
    def negatives(self) -> int:
        """What label 1 costs inside the domain, so the records labelled 0 there (private)."""
        inside = self.by_label - np.array(self.outside, dtype=np.int64)
        return int(self.table[:, 1] @ inside)

    def split(self, source: Source, first: int) -> tuple[Sample, Sample]:
        """Draw so many records (public), and return these, and the others.

        Examples
        --------
        >>> from littlestone.source import SeededSource
        >>> Sample.of([5, 3, 5], [1, 0, 1]).split(SeededSource(0), 1)
        (Sample(n=1), Sample(n=2))
        """
        order = shuffle(self, source)
        return part(self, order[:first]), part(self, order[first:])

    def within(self, low: int, high: int) -> Sample:
        """Return the sample in which points beyond these bounds are outside, too."""
        points = self.points
        if not len(points) or (points[0] >= low and points[-1] <= high):
            return self
        keep = np.asarray((points >= low) & (points <= high), dtype=bool)
        outside = self.counts[:, ~keep].sum(axis=1) + np.array(self.outside)
        return Sample(points[keep], self.counts[:, keep], tuple(outside.tolist()), self.costs)

    def tables(self, n_codes: Sequence[int], order: int, weigh: Weigh | None = None) -> CodeTables:
        """Return what each answer costs, summed by the codes of sets of columns: one pass.

        Parameters
        ----------
        n_codes : sequence of int
            How many codes each column has.
        order : int
        weigh : callable, optional
            What each answer costs at the points of a batch, if not what the sample says.

        Raises
        ------
        ValueError
            If the sums are not exact in doubles.
        """
        batches = self.batches()
        if weigh is not None:
            weighed = (b._replace(counts=weigh(i, b)) for i, b in enumerate(batches))
            return CodeTables.of(map(Entries.of, weighed), n_codes, order, self.labels)
        counts = CodeTables.of(map(Entries.of, batches), n_codes, order, len(self.outside))
        if int((self.table.T @ self.by_label).sum()) >= _EXACT:
            raise ValueError("Weights must sum to less than 2**53.")
        sums = {
            chosen: np.tensordot(self.table.T, found.astype(np.int64), axes=1).astype(np.float64)
            for chosen, found in counts.sums.items()
        }
        return CodeTables(n_codes, counts.order, sums)

    def extremes(self, most: int) -> Extremes:
        """Return at least ``most`` outermost records of each label, or all that there are.

        Examples
        --------
        >>> found = Sample.of([5, 3, 5, 8], [0, 0, 0, 1]).extremes(2)
        >>> found.zeros, found.ones, found.inside
        (array([5, 5]), array([8]), (3, 1))
        """
        return outermost(self.batches(), most, self.outside)

    @classmethod
    def of(cls, points: object, y: object, *, labels: int | None = None) -> Sample:
        """Count points (a 1-D or 2-D array or a list) that are known to lie in the domain.

        Parameters
        ----------
        points : array-like
        y : array-like of int
            Labels 0 and 1; with ``labels``, codes 0, ..., k, where k is a cell outside the list.
        labels : int, optional
            Number of labels of a public list.

        Raises
        ------
        ParameterError
            If there are more points than labels, or fewer.
        DataError
            If a label is none.
        """
        found, code = given_points(points, "Sample.of"), label_values(y, "Sample.of")
        if len(found) != len(code):
            raise ParameterError("The points and labels of Sample.of must have the same length.")
        largest = 1 if labels is None else labels
        if not np.isin(code, np.arange(largest + 1)).all():
            what = "0 or 1" if labels is None else f"integers from 0 to {labels}"
            raise DataError(f"The labels given to Sample.of must be {what}.")
        return count(found, code.astype(np.int64), labels)

    @classmethod
    def binary(
        cls, points: Points, zeros: Counts, ones: Counts, outside: tuple[int, ...] = (0, 0)
    ) -> Sample:
        """Return the sample with so many records labelled 0, and 1, at each point."""
        return Sample(points, np.stack([zeros, ones]).astype(np.int64, copy=False), outside)

    @classmethod
    def from_arrays(
        cls,
        X: Any,
        y: Any,
        domain: Domain,
        *,
        classes: Sequence[Any] = (0, 1),
        labels: Sequence[Label] | None = None,
        caller: str = "Sample.from_arrays",
    ) -> Sample:
        """Count Python arrays, strictly: what is outside the public domain is refused.

        Parameters
        ----------
        X : array-like of shape (n,), (n, 1), or (n, columns) for rows of a schema
        y : array-like of shape (n,)
        domain : Domain
        classes : pair
            The public labels (negative, positive).
        labels : sequence of int or str, optional
            A public list of labels instead.
        caller : str
            Who asks, for messages.

        Raises
        ------
        DataError
            Names column and rule, never a value, a row or a count. A refusal because of a value
            is outside the privacy guarantee.

        Examples
        --------
        >>> from littlestone.data import IntegerDomain
        >>> Sample.from_arrays([5, 3, 5], ["y", "n", "y"], IntegerDomain(1, 9), classes=("n", "y"))
        Sample(n=3)
        """
        if labels is None and (len(classes) != 2 or classes[0] == classes[1]):
            constraint = "two different labels (negative, positive)"
            raise parameter_error(caller, "classes", constraint, list(classes))
        points = domain.array(X, caller=caller)
        code = codes_of(y, classes if labels is None else labels, caller)
        check_lengths(caller, len(points), y=len(code))
        return count(points, code, None if labels is None else len(labels))

    @classmethod
    def read(
        cls, table: Any, *, strict: bool = False, caller: str = "Sample.read", **rules: Any
    ) -> Sample:
        """Count a table where it lies: the engine groups, and each distinct cell is converted.

        Every cell is converted alone by public rules, so nothing in the table can stop the
        reading, and one odd cell changes one record only: a point that is not in the domain is
        counted in ``outside``, a label is 1 when its cell equals ``positive``.

        Parameters
        ----------
        table : path, data frame or relation
            A CSV (``.csv``, ``.tsv``, ``.gz``) or Parquet path, or a folder of one kind; a
            pandas, polars, pyarrow or NumPy structured table; a DuckDB relation; a Spark data
            frame; or what `littlestone.data.read_table` returned.
        x : str, optional
            Column of the points; for rows of a schema nothing (its columns are read by name).
        y : str
            Column of the labels.
        domain : Domain
            `IntegerDomain`, `TextDomain`, `AnyDomain` or `RowDomain`.
        positive : int, float, bool or str, or a list of spellings, default=1
            Public. A label is 1 when its cell is the same number (1, 1.0, "1", True) or the same
            text, in which case counts; a missing label is 0.
        labels : sequence of int or str, optional
            A public list of labels instead: a cell that equals none of them is counted apart.
        strict : bool, default=False
            Refuse cells outside the public domain, labels outside the list, and missing labels,
            instead of counting them. A refusal because of a value is outside the guarantee.
        negative : optional
            With ``strict``: the only other label that is allowed.
        csv : CsvFormat, str or mapping, optional
            How a CSV file is written, for example ``"sep=;, decimal=comma, encoding=latin-1"``; by
            default what the schema declares. It is never guessed from the cells.
        caller : str
            Who asks, for messages.

        Returns
        -------
        Sample
            n counts every row of the table; a table without rows is a sample of none.

        Raises
        ------
        ParameterError
            A column or file that does not exist, a label that nothing can equal.
        DataError
            An unreadable table; with ``strict``, a cell outside the domain. The engine's
            own message is replaced, because engines quote rows.

        Notes
        -----
        *Cost.* One grouping in the engine; Python sees distinct groups only. 10 million rows with
        100,000 distinct points: about a second on two cores (``benchmarks/counts.py``).

        Examples
        --------
        >>> import pyarrow as pa
        >>> from littlestone.data import IntegerDomain
        >>> table = pa.table({"dose": ["3", "5 ", "x", None], "ill": ["1", "0", "1.0", "ill"]})
        >>> sample = Sample.read(table, x="dose", y="ill", domain=IntegerDomain(1, 9))
        >>> sample.points, sample.ones, sample.outside
        (array([3, 5]), array([1, 0]), (1, 1))
        >>> table = pa.table({"dose": [3, 5, 5, None], "kind": ["a", "c", "?", "b"]})
        >>> listed = Sample.read(
        ...     table, x="dose", y="kind", domain=IntegerDomain(1, 9), labels=("a", "b", "c"))
        >>> listed.counts.tolist(), listed.outside
        ([[1, 0], [0, 0], [0, 1], [0, 1]], (0, 1, 0, 0))
        """
        read = import_module("littlestone.data.read").read  # it makes samples; loads engines

        sample: Sample = read(table, kind=Sample, strict=strict, caller=caller, **rules)
        return sample

    def __repr__(self) -> str:
        listed = f", labels={self.labels}" if self.unlisted else ""
        return f"Sample(n={self.n}{listed})"  # nothing else is public


def _answer_costs(table: Counts, counts: Counts) -> Counts:
    if table.shape == (2, 2) and not table[0, 0] and not table[1, 1]:  # nothing to be summed
        return counts[::-1] * table[[1, 0], [0, 1], None]
    return np.asarray(table.T @ counts)


def outermost(batches: Iterator[Batch], most: int, outside: tuple[int, ...]) -> Extremes:
    """Return the extremes of sorted batches: keep the last points labelled 0, the first ones 1."""
    zeros: list[Any] = []
    ones: list[Any] = []
    inside, last, first = np.zeros(2, dtype=np.int64), 0, 0
    for points, counts in batches:
        inside += counts.sum(axis=1)
        here = _repeated(points[::-1], counts[0, ::-1], most)[::-1]
        zeros.append(here)
        last += len(here)
        while last - len(zeros[0]) >= most and len(zeros) > 1:
            last -= len(zeros.pop(0))
        here = _repeated(points, counts[1], most - first)
        ones.append(here)
        first += len(here)
    none = [np.zeros(0, dtype=np.int64)]
    found = np.concatenate(zeros or none)[::-1][:most], np.concatenate(ones or none)
    zero, one = inside.tolist()
    return Extremes(*found, (zero, one), (outside[0], outside[1]))


def _repeated(points: Points, counts: Counts, most: int) -> Points:
    """Return the first records, an entry for each."""
    needed = np.flatnonzero(counts)[:most]  # each of them is a record at least
    times = counts[needed]
    times = np.clip(most - (np.cumsum(times) - times), 0, times)
    return np.repeat(points[needed], times)


def grouped(
    points: Points, point: Counts, label: npt.NDArray[Any], n: Counts, labels: int | None = None
) -> Sample:
    """Return the sample of groups (index of a point or -1 for outside, code of a label, number)."""
    rows = 2 if labels is None else labels + 1
    # what is outside comes last
    place = np.where(point >= 0, point, len(points)) + (len(points) + 1) * label.astype(np.int64)
    counts = totals(place, n, rows * (len(points) + 1)).reshape(rows, -1)
    costs = _TWO if labels is None else Costs.equal(labels)
    return Sample(points, counts[:, :-1].copy(), tuple(counts[:, -1].tolist()), costs)


def count(points: Points, codes: Counts, labels: int | None = None) -> Sample:
    """Count points with codes of labels."""
    keys, where = distinct(points)
    return grouped(keys, where, codes, np.ones(len(codes), dtype=np.int64), labels)


def given_points(points: Any, caller: str, name: str = "points") -> Points:
    """Return points as they are stored; refuse what is no list of values that can be compared."""
    try:
        found = as_points(points)
        if found.dtype == object:
            hash(tuple(found.tolist()))
    except TypeError:
        rule = "a list or array of points: integers, texts or tuples of these"
        raise parameter_error(caller, name, rule, type(points).__name__) from None
    return found


def check_lengths(caller: str, n: int, **others: int) -> None:
    """Refuse arrays of different lengths (shapes of arguments are public, and not printed)."""
    for name, length in others.items():
        if length != n:
            raise ParameterError(f"The {name!r} parameter of {caller} must be as long as X.")


#: Record kinds: r i + label for the i-th distinct point, with r rows of counts, and last of all
#: those of points outside the domain.
Kinds = npt.NDArray[np.int64] | npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False, repr=False)
class OrderedSample(Sample):
    """A sample that remembers the order of its records: ``kinds``, one for each position.

    Examples
    --------
    >>> OrderedSample.listed([5, 3, OUTSIDE, 5], [1, 0, 1, 1]).kinds
    array([3, 0, 5, 3])
    """

    ordered = True

    kinds: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @classmethod
    def listed(
        cls,
        points: Sequence[Any],
        y: Sequence[int],
        layout: Callable[[list[Any]], Points] = as_points,
        labels: int | None = None,
    ) -> OrderedSample:
        """Return the sample of a list of records; see `Sample.of`.

        Examples
        --------
        >>> sample = OrderedSample.listed([5, 3, OUTSIDE], [2, 0, 1], labels=2)
        >>> sample.kinds.tolist(), sample.outside
        ([5, 0, 7], (0, 1, 0))
        """
        if len(points) != len(y):
            raise ParameterError("Points and labels must have the same length.")
        code = np.asarray(y, dtype=np.int64)
        inside = np.array([point is not OUTSIDE for point in points], dtype=bool)
        keys, where = distinct(layout([points[i] for i in np.flatnonzero(inside).tolist()]))
        rows = 2 if labels is None else labels + 1
        kinds = rows * len(keys) + code
        kinds[inside] = rows * where + code[inside]
        table = np.bincount(kinds, minlength=rows * (len(keys) + 1)).reshape(-1, rows).T
        costs = Costs.equal(labels or 2)
        return cls(keys, table[:, :-1].astype(np.int64), tuple(table[:, -1].tolist()), costs, kinds)


# -- shuffling, by position or by a secret permutation -----------------------------------------
# A learner that works on disjoint parts of its records is private only if replacing one record
# changes one part. A `Sample` has no positions, so its records are written out in a fixed order and
# shuffled by a *secret, exactly uniform* permutation: then the order does not matter, and for every
# value of the permutation two neighbours (written out alike but for one record) differ in one
# part. (Learners of thresholds reveal only a part of the permutation: `learners.vc1.choosers`.) An
# `OrderedSample` keeps positions; verification uses it, because `ExactSource` splits by position.


def shuffle(sample: Sample, source: Source) -> Kinds:
    """Return the kinds of all records in the order in which they are split.

    Notes
    -----
    Cost: n random keys and their sorting; 10 million records take about 1.6 s and 300 MB.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> sorted(shuffle(Sample.of([5, 3, 5], [1, 0, 1]), SeededSource(0)).tolist())
    [0, 3, 3]
    """
    order = source.permutation(sample.n)
    return written_out(sample)[order]


def written_out(sample: Sample) -> Kinds:
    """Return the kind of each record, in the order of the sample (or in a canonical one)."""
    if isinstance(sample, OrderedSample):
        return sample.kinds
    counts = np.concatenate([sample.counts.T.ravel(), np.array(sample.outside, dtype=np.int64)])
    small = np.int32 if len(counts) < 2**31 else np.int64
    numbers: Any = np.arange(len(counts), dtype=small)
    return np.repeat(numbers, counts)


def part(sample: Sample, kinds: Kinds) -> Sample:
    """Return the records of one part (a piece of what `shuffle` returned) as a sample.

    Examples
    --------
    >>> part(Sample.of([5, 3, 5], [1, 0, 1]), np.array([3, 3])).ones
    array([2])
    """
    found: Any
    found, counts = np.unique(kinds, return_counts=True)
    rows = len(sample.outside)
    index, where = np.unique(found // rows, return_inverse=True)
    table = np.zeros((rows, len(index)), dtype=np.int64)
    table[found % rows, where] = counts
    inside = index < len(sample.points)
    outside = tuple(table[:, ~inside].sum(axis=1).tolist())
    return Sample(sample.points[index[inside]], table[:, inside], outside, sample.costs)


def sizes(n: int, parts: int) -> list[int]:
    """Return the sizes of ``parts`` nearly equal parts of n records, the larger ones first.

    Examples
    --------
    >>> sizes(11, 4)
    [3, 3, 3, 2]
    """
    whole, rest = divmod(n, parts)
    return [whole + 1] * rest + [whole] * (parts - rest)


# -- Counts by label of the codes of rows: of single columns, of sets of two columns and of three.
#
# Rules, trees and boosted trees need no more of their records. The counts are sums over rows, so
# they are added up part after part, wherever the parts are, and the rows never have to be
# together.


Doubles = npt.NDArray[np.float64]
Bits = npt.NDArray[np.bool_]

#: Public: the sums of sets of so many columns at most are taken, and these many bytes of them.
_MOST_ORDER = 3
_CACHE_BYTES = 1 << 29
_CELLS = 1 << 12  # of a table that stays in the nearest cache, or of many entries in the next one
_MANY, _PLACES = 1 << 13, 1 << 26  # entries; numbers of places that are kept, of all tables
_MOST_COLUMNS = 64  # for which sets of three are searched that hold all pairs
_CHUNK = 1 << 14  # entries counted at once (twice as many of many): they stay in the cache


Columns: TypeAlias = tuple[int, ...]
#: Of sets of columns, the place of each row in a table.
Places: TypeAlias = dict[Columns, npt.NDArray[Any]]


class Entries(NamedTuple):
    """Encoded rows with a label and a weight; a row may have several entries.

    Parts of `joined` may have one label for all rows. ``places`` keeps where many rows are in
    tables of pairs, for other entries with these codes.
    """

    codes: npt.NDArray[Any]
    labels: Any
    weights: npt.NDArray[Any]
    places: Places | None = None

    @classmethod
    def of(cls, batch: Batch) -> Entries:
        """Return what weighs something in a batch, with weights in the place of counts."""
        label, at = np.nonzero(batch.counts)
        return cls(batch.points.T[:, at], label, batch.counts[label, at])

    @classmethod
    def joined(cls, parts: list[Entries]) -> Entries:
        """Return all entries of some parts."""
        labels = [np.broadcast_to(part.labels, len(part.weights)) for part in parts]
        codes, weights = [part.codes for part in parts], [part.weights for part in parts]
        return cls(np.concatenate(codes, axis=1), np.concatenate(labels), np.concatenate(weights))


def table_bytes(n_codes: Sequence[int], order: int, labels: int = 2) -> int:
    """Return the memory of the tables of all sets of ``order`` columns.

    Examples
    --------
    >>> table_bytes([4, 5, 3], 2)  # 8 bytes for each of two labels and 4 * 5 + 4 * 3 + 5 * 3 pairs
    752
    """
    order = min(order, len(n_codes))
    return 8 * labels * sum(math.prod(chosen) for chosen in combinations(n_codes, order))


def fit_memory(schema: Schema, order: int, labels: int = 2) -> bool:
    """Return whether the sums of sets of columns of a schema are taken (public).

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}})
    >>> fit_memory(schema, 3), fit_memory(schema, 4)
    (True, False)
    """
    if not schema.bound or order > _MOST_ORDER:
        return False
    return table_bytes(schema.n_codes, order, labels) <= _CACHE_BYTES


class CodeTables:
    """Sums of weights by label and by the codes of each set of at most ``order`` columns.

    Examples
    --------
    >>> rows = Entries(np.array([[2, 3, 3]]), np.array([0, 1, 1]), np.array([1, 1, 5]))
    >>> CodeTables.of([rows], (4,), 1).sums[0,].tolist()
    [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 6.0]]
    """

    def __init__(
        self, n_codes: Sequence[int], order: int, sums: Mapping[tuple[int, ...], Doubles]
    ) -> None:
        self.n_codes, self.order, self.sums = tuple(n_codes), order, dict(sums)

    @classmethod
    def of(
        cls, parts: Iterable[Entries], n_codes: Sequence[int], order: int, labels: int = 2
    ) -> CodeTables:
        """Return the sums over all entries, which together weigh less than 2**53."""
        parts = iter(parts)
        first = next(parts, None)
        many = first is not None and len(first.weights) >= _MANY
        n_codes = tuple(n_codes)
        sets, steps = _counted(n_codes, order, labels, _CELLS << 3 * many)
        sums = {chosen: np.zeros(labels * math.prod(n_codes[j] for j in chosen)) for chosen in sets}
        for part in chain([] if first is None else [first], parts):
            _add(sums, part, n_codes, labels)
        known = {
            chosen: table.reshape(labels, *(n_codes[j] for j in chosen))
            for chosen, table in sums.items()
        }
        # each row has one code of every column: sums of smaller sets are sums over a column
        for chosen, wider, at in steps:  # axes: that of the labels is the first
            known[chosen] = known[wider].sum(axis=at)
        return cls(n_codes, order, {c: table for c, table in known.items() if len(c) <= order})

    def sides(self, column: int, accepts: Bits) -> CodeTables:
        """Return the tables of rows by their codes of a column, of one order less."""
        weights, sums = accepts.astype(np.float64), {}
        for chosen in self.sums:
            if len(chosen) >= self.order:
                continue
            if column in chosen:
                shape = [1] * len(chosen)
                shape[chosen.index(column)] = -1
                found = self.sums[chosen] * weights.reshape(len(accepts), 1, *shape)
            else:
                wider = tuple(sorted((*chosen, column)))
                found = np.tensordot(weights, self.sums[wider], axes=(1, 1 + wider.index(column)))
            sums[chosen] = found.reshape(-1, *found.shape[2:])
        return CodeTables(self.n_codes, self.order - 1, sums)

    def differences(self) -> CodeTables:
        """Return the sums of all labels but the last, less those of the last."""
        sums = {chosen: table[:-1] - table[-1] for chosen, table in self.sums.items()}
        return CodeTables(self.n_codes, self.order, sums)

    @property
    def totals(self) -> npt.NDArray[np.int64]:
        """Weight by label."""
        return self.sums[()].astype(np.int64)


def _add(sums: dict[Columns, Doubles], part: Entries, n_codes: Columns, labels: int) -> None:
    """Add entries to all sums, a chunk after the other."""
    n, places = len(part.weights), part.places
    # of places in tables, none of which has 2**31 cells
    kind = np.int16 if max(map(len, sums.values())) <= 2**15 else np.int32
    if places is None or not _MANY <= n <= _PLACES // len(sums):
        places = None
    else:
        codes = part.codes.astype(kind, copy=False)
        for first, *others in [chosen for chosen in sums if chosen not in places]:
            found = reduce(lambda keys, j: keys * n_codes[j] + codes[j], others, codes[first])
            places[(first, *others)] = found
    step = _CHUNK << (n >= _MANY)
    for start in range(0, n, step):
        at = slice(start, start + step)
        weights = part.weights[at].astype(np.float64)
        if places is not None:
            for chosen, table in sums.items():
                keys, size, own = places[chosen][at], len(table) // labels, table
                if isinstance(part.labels, int):
                    own = table[part.labels * size : (part.labels + 1) * size]
                else:
                    keys = keys + part.labels[at].astype(np.int64) * size
                np.add(own, np.bincount(keys, weights, len(own)), out=own)
            continue
        codes, before = part.codes[:, at].astype(kind), Columns()
        made = [np.broadcast_to(part.labels, n)[at].astype(kind)]
        for chosen, table in sums.items():  # sets that begin alike follow each other
            alike = (j == k for j, k in zip(chosen, before, strict=False))
            shared = next((i for i, same in enumerate(alike) if not same), 0)
            del made[1 + shared :]
            for j in chosen[shared:]:
                made.append(made[-1] * n_codes[j] + codes[j])
            np.add(table, np.bincount(made[-1], weights, len(table)), out=table)
            before = chosen


@lru_cache(maxsize=64)
def _counted(
    n_codes: Columns, order: int, labels: int, cells: int
) -> tuple[tuple[Columns, ...], tuple[tuple[Columns, Columns, tuple[int, ...]], ...]]:
    """Return the sets of columns that are counted, and the sums over a column that follow.

    Of pairs, sets of more columns that hold many of them are counted, if they have at most so many
    cells. A sum is said by its set, a wider one, and the axes of that over which it sums.

    Examples
    --------
    >>> sets, steps = _counted((4, 4, 4, 4, 4000), 2, 2, 128)
    >>> sets
    ((0, 1, 2), (0, 1, 3), (0, 4), (1, 4), (2, 3), (2, 4), (3, 4))
    >>> steps[:3]
    (((0, 1), (0, 1, 3), (3,)), ((0, 2), (0, 1, 2), (2,)), ((0, 3), (0, 1, 3), (2,)))
    """
    columns, order = range(len(n_codes)), min(order, len(n_codes))
    pairs, sets = list(combinations(columns, 2)), list(combinations(columns, order))
    if order == 2 and len(n_codes) <= _MOST_COLUMNS:
        left, sets = set(pairs), []
        for pair in pairs:
            chosen: Columns = pair if pair in left else ()
            while chosen:
                size = labels * math.prod(n_codes[j] for j in chosen)
                new = {
                    k: sum(tuple(sorted((j, k))) in left for j in chosen)
                    for k in columns
                    if k not in chosen and size * n_codes[k] <= cells
                }
                third = max(new, key=lambda k: new[k], default=None)
                if third is None or not new[third]:
                    break
                chosen = tuple(sorted((*chosen, third)))
            left.difference_update(combinations(chosen, 2))
            sets += [chosen] if chosen else []
    known, steps = set(sets), []
    within = {pair: chosen for chosen in sets for pair in combinations(chosen, 2)}
    for narrow in chain.from_iterable(combinations(columns, k) for k in range(order, -1, -1)):
        wider = within[narrow] if len(narrow) == order == 2 else narrow
        if len(narrow) < order:
            few = min((j for j in columns if j not in narrow), key=lambda j: n_codes[j])
            wider = tuple(sorted((*narrow, few)))
        while wider != narrow:
            # in memory what is next to each other is summed fastest
            left_out = [at for at, j in enumerate(wider) if j not in narrow]
            together = wider[: len(narrow)] == narrow or wider[-len(narrow) :] == narrow
            at = tuple(left_out if together else left_out[:1])
            found = tuple(j for place, j in enumerate(wider) if place not in at)
            if found not in known:
                known.add(found)
                steps.append((found, wider, tuple(1 + place for place in at)))
            wider = found
    return tuple(sorted(sets)), tuple(steps)
