"""Samples of rows of a schema that are not brought together: codes in a private file, in parts.

A table is read once. Equal coded rows are added up as far as memory allows, and what is left goes
into a private file that has no name (`HeldRows`). Every later pass is over that file, and adds up
counts (`CodeTables`).

Records that are held out are dealt as they are in memory (`parted`): by their places among all
records in canonical order. So the file is brought into that order once, and each part of the
records is a view of it, with how many records of each entry belong to the part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from littlestone.costs import Costs
from littlestone.data.code_tables import CodeTables, Entries
from littlestone.data.held import HeldRows, in_order
from littlestone.data.multiclass import MulticlassSample
from littlestone.data.points import distinct, totals
from littlestone.data.sample import LazySample, Sample
from littlestone.errors import DataError
from littlestone.source import NO_ROOM, private_places
from littlestone.types import Points

if TYPE_CHECKING:
    from littlestone.source import Places, Source

__all__ = ["AnyCoded", "CodedLabels", "CodedSample", "Dealt", "Weigh"]

Ints = npt.NDArray[np.int64]
#: What the entries of a part weigh: of the number of the part, and the part. With several labels a
#: row for each answer.
Weigh: TypeAlias = Callable[[int, Entries], npt.NDArray[Any]]

_EXACT = 2**53


class Dealt:
    """One of two parts of the records of a file, which is in order.

    Parameters
    ----------
    held : HeldRows
    places : Places
        Of the records of the first part, all records in order.
    first : bool
        Whether it is this part.

    Examples
    --------
    >>> from littlestone.source import Places
    >>> held = HeldRows([4])
    >>> held.add(Entries(np.array([[2, 3]]), np.array([0, 1]), np.array([3, 2])))
    >>> dealt = Dealt(held, Places.of(np.array([0, 2, 4]), 5), first=False)
    >>> [part.weights.tolist() for part in dealt.parts()], dealt.by_label
    ([[1, 1]], [1, 1])
    """

    def __init__(self, held: HeldRows, places: Places, *, first: bool) -> None:
        self._held, self._places, self._first = held, places, first
        self.n_codes, self.lengths = held.n_codes, held.lengths
        self.by_label = [0] * len(held.by_label)
        for part in self.parts():
            for label in range(len(self.by_label)):
                self.by_label[label] += int(part.weights[part.labels == label].sum())

    def parts(self) -> Iterator[Entries]:
        """Yield all entries of the file; those of the other part weigh nothing."""
        start = 0
        for part in self._held.parts():
            ends = start + np.concatenate([[0], np.cumsum(part.weights)])
            here = np.diff(self._places.before(ends))
            start = int(ends[-1])
            yield part._replace(weights=here if self._first else part.weights - here)


Rows: TypeAlias = HeldRows | Dealt


def _dealt(rows: Rows, source: Source, first: int) -> tuple[Dealt, Dealt]:
    """Deal the records, and return the first ones, and the others."""
    if isinstance(rows, Dealt):
        raise TypeError("Records are dealt once.")
    try:
        ordered = in_order(rows)
    except OSError:
        raise DataError(NO_ROOM) from None
    places = private_places(source, sum(rows.by_label), first)
    return Dealt(ordered, places, first=True), Dealt(ordered, places, first=False)


class CodedSample(LazySample):
    """A sample of rows of a schema that is counted in passes; it is held in memory only if needed.

    Parameters
    ----------
    held : HeldRows or Dealt
    weights : (int, int)
        How many each record counts, by its label.

    Examples
    --------
    >>> held = HeldRows([4])
    >>> held.add(Entries(np.array([[2, 3, 2]]), np.array([0, 1, 1]), np.array([1, 2, 4])))
    >>> sample = CodedSample(held)
    >>> sample.n, sample.priced(Costs.of({0: 1, 1: 10})).positives, sample.points.tolist()
    (7, 60, [[2], [3]])
    """

    _held: Rows
    _weights: tuple[int, int]

    outside = (0, 0)  # every row has codes

    def __init__(self, held: Rows, weights: tuple[int, int] = (1, 1)) -> None:
        super().__init__(_held=held, _weights=weights)

    @property
    def n_codes(self) -> tuple[int, ...]:
        """How many codes each column has (public)."""
        return self._held.n_codes

    @property
    def lengths(self) -> list[int]:
        """Number of entries of each part."""
        return self._held.lengths

    def entries(self) -> Iterator[Entries]:
        """Yield the rows in parts, with how much they count."""
        weights = np.array(self._weights, dtype=np.int64)
        for part in self._held.parts():
            yield part._replace(weights=part.weights * weights[part.labels])

    @staticmethod
    def weighed(part: Entries) -> npt.NDArray[Any]:
        """Return what the entries of a part weigh by themselves."""
        return part.weights

    def tables(self, order: int, weigh: Weigh | None = None) -> CodeTables:
        """Return the sums over the rows by the codes of sets of columns: one pass.

        Parameters
        ----------
        order : int
            The size of the sets.
        weigh : callable, optional
            By default the entries weigh what they count.
        """
        parts = self.entries()
        if weigh is not None:
            parts = (e._replace(weights=weigh(i, e)) for i, e in enumerate(parts))
        return CodeTables.of(parts, self.n_codes, order)

    def pieces(self) -> Iterator[Sample]:
        """Yield samples of some rows each, which together are this one."""
        for part in self.entries():
            one = part.labels == 1
            zeros, ones = np.where(one, 0, part.weights), np.where(one, part.weights, 0)
            yield Sample(part.codes.T.astype(np.int16), zeros, ones)

    def count(self) -> Sample:
        """Return the sample with all its points, in memory."""
        points, (zeros, ones) = _together(self._held.parts(), len(self.n_codes), 2)
        return Sample(points, zeros * self._weights[0], ones * self._weights[1])

    def priced(self, costs: Costs) -> Sample:
        """Return the sample in which each record counts as many as a mistake on it costs."""
        (_, zero), (one, _) = costs.matrix
        return CodedSample(self._held, (self._weights[0] * zero, self._weights[1] * one))

    def parted(self, source: Source, first: int) -> tuple[CodedSample, CodedSample]:
        """Return samples of the first records that are dealt, and of the others; see `dealing`."""
        dealt, others = _dealt(self._held, source, first)
        return CodedSample(dealt, self._weights), CodedSample(others, self._weights)

    @property
    def positives(self) -> int:
        """How much label 1 counts (private)."""
        return self._held.by_label[1] * self._weights[1]

    @property
    def n(self) -> int:
        """Number of records: public under replace-one."""
        return self._held.by_label[0] * self._weights[0] + self.positives


class CodedLabels(MulticlassSample):
    """The same with a public list of labels, and one for cells that are not in the list.

    Parameters
    ----------
    held : HeldRows or Dealt
    costs : Costs, optional
        Of mistakes; by default each costs 1.

    Examples
    --------
    >>> held = HeldRows([4], labels=4)
    >>> held.add(Entries(np.array([[2, 3, 2]]), np.array([0, 3, 2]), np.array([1, 2, 4])))
    >>> sample = CodedLabels(held)
    >>> sample, sample.counts.tolist()
    (MulticlassSample(n=7, labels=3), [[1, 0], [0, 0], [4, 0], [0, 2]])
    >>> sample.tables(1).sums[0,].astype(int).tolist()  # what each answer costs, by the codes
    [[0, 0, 4, 2], [0, 0, 5, 2], [0, 0, 1, 2]]
    """

    _held: Rows

    def __init__(self, held: Rows, costs: Costs | None = None) -> None:
        labels = len(held.by_label) - 1
        self.__dict__.update(  # a sample is frozen
            _held=held,
            costs=Costs.equal(labels) if costs is None else costs,
            outside=(0,) * (labels + 1),  # every row has codes
            kinds=None,
        )

    @property
    def n_codes(self) -> tuple[int, ...]:
        """How many codes each column has (public)."""
        return self._held.n_codes

    @property
    def lengths(self) -> list[int]:
        """Number of entries of each part."""
        return self._held.lengths

    @property
    def n(self) -> int:
        """Number of records: public under replace-one."""
        return sum(self._held.by_label)

    @property
    def by_label(self) -> Ints:
        """Number of records with each label, and with none of the list (private)."""
        return np.array(self._held.by_label, dtype=np.int64)

    def entries(self) -> Iterator[Entries]:
        """Yield the rows in parts, with how many records there are."""
        return self._held.parts()

    def weighed(self, part: Entries) -> npt.NDArray[Any]:
        """Return what each answer costs on the entries of a part."""
        costs: Ints = self.costs.table[part.labels].T * part.weights
        return costs

    def tables(self, order: int, weigh: Weigh | None = None) -> CodeTables:
        """Return what each answer costs, summed by the codes of sets of columns: one pass.

        Parameters
        ----------
        order : int
            The size of the sets.
        weigh : callable, optional
            What each answer costs on the entries of a part; by default the costs of mistakes.

        Raises
        ------
        ValueError
            If the sums are not exact in doubles.
        """
        if weigh is not None:
            answers = (
                part._replace(labels=np.full_like(part.labels, answer), weights=row)
                for number, part in enumerate(self.entries())
                for answer, row in enumerate(weigh(number, part))
            )
            return CodeTables.of(answers, self.n_codes, order, self.labels)
        counts = CodeTables.of(self.entries(), self.n_codes, order, self.labels + 1)
        costs = self.costs.table.T
        if int((costs @ self.by_label).sum()) >= _EXACT:
            raise ValueError("Weights must sum to less than 2**53.")
        sums = {
            chosen: np.tensordot(costs, table.astype(np.int64), axes=1).astype(np.float64)
            for chosen, table in counts.sums.items()
        }
        return CodeTables(self.n_codes, counts.order, sums)

    def pieces(self) -> Iterator[MulticlassSample]:
        """Yield samples of some rows each, which together are this one."""
        for part in self.entries():
            counts = np.where(np.arange(self.labels + 1)[:, None] == part.labels, part.weights, 0)
            points = part.codes.T.astype(np.int16)
            yield MulticlassSample(points, counts, self.outside, self.costs)

    def count(self) -> MulticlassSample:
        """Return the sample with all its points, in memory."""
        points, counts = _together(self.entries(), len(self.n_codes), self.labels + 1)
        return MulticlassSample(points, counts, self.outside, self.costs)

    @cached_property
    def _counted(self) -> MulticlassSample:
        return self.count()

    @property
    def points(self) -> Points:
        """Distinct points; brings the rows together."""
        return self._counted.points

    @property
    def counts(self) -> Ints:
        """Records with each label at each point; brings the rows together."""
        return self._counted.counts

    def priced(self, costs: Costs) -> Self:
        """Return the sample with these costs of mistakes."""
        return type(self)(self._held, costs)

    def parted(self, source: Source, first: int) -> tuple[CodedLabels, CodedLabels]:
        """Return samples of the first records that are dealt, and of the others; see `dealing`."""
        dealt, others = _dealt(self._held, source, first)
        return CodedLabels(dealt, self.costs), CodedLabels(others, self.costs)


AnyCoded: TypeAlias = CodedSample | CodedLabels


def _together(parts: Iterator[Entries], width: int, labels: int) -> tuple[Points, Ints]:
    """Return the distinct rows of all parts, and their counts by label."""
    left = [
        Entries(part.codes[:, here].astype(np.int16), part.labels[here], part.weights[here])
        for part in parts
        for here in [part.weights > 0]
    ]
    nothing = np.zeros(0, dtype=np.int64)
    left.append(Entries(np.zeros((width, 0), dtype=np.int16), nothing, nothing))
    codes, label, weights = (
        np.concatenate(columns, axis=-1) for columns in zip(*left, strict=True)
    )
    points, where = distinct(np.ascontiguousarray(codes.T))
    counts = [
        totals(where[label == value], weights[label == value], len(points))
        for value in range(labels)
    ]
    return points, np.array(counts)
