"""Samples over integers whose distinct points do not fit into memory: swept in order, from a file.

A table is read once: its engine groups and sorts, and what it hands out goes into a private file
that has no name (`Held`). Every later pass is over that file, so that all of them see the same
records, whatever happens to the table, and nothing stays behind when the process is killed.
"""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from littlestone.data.domains import Itself
from littlestone.data.sample import Counts, LazySample, Sample
from littlestone.errors import DataError
from littlestone.source import private_places

if TYPE_CHECKING:
    from littlestone.costs import Costs
    from littlestone.data.domains import Line
    from littlestone.source import Places, Source

__all__ = ["DealtPoints", "Held", "Part", "SweptSample"]

Ints = npt.NDArray[np.int64]


class Part(NamedTuple):
    """Some points in increasing order (or the numbers of points), with counts by label."""

    points: Ints
    zeros: Ints
    ones: Ints


class Held:
    """Distinct points in increasing order with counts by label, in a private file.

    Attributes
    ----------
    size : int
        Number of distinct points (private).
    zeros, ones : int
        Records with each label (private).

    Examples
    --------
    >>> held = Held()
    >>> held.add(Part(np.array([3, 5]), np.array([1, 0]), np.array([0, 2])))
    >>> [part.ones.tolist() for part in held.parts()], held.zeros, held.ones
    ([[0, 2]], 1, 2)
    """

    def __init__(self) -> None:
        # without a buffer: what a full disk does not take is an error at once
        self._file = tempfile.TemporaryFile(prefix="littlestone-", buffering=0)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._parts: list[tuple[int, tuple[np.dtype[Any], ...]]] = []
        self._last: int | None = None
        self.size, self.zeros, self.ones = 0, 0, 0

    def add(self, part: Part) -> None:
        """Append points; they must be larger than those before."""
        if not len(part.points):
            return
        rising = bool(np.all(part.points[1:] > part.points[:-1]))
        if not rising or (self._last is not None and part.points[0] <= self._last):
            raise DataError("The engine did not sort the points: nothing can be learned from them.")
        columns = [part.points, *(_short(counts) for counts in (part.zeros, part.ones))]
        self._parts.append((len(part.points), tuple(column.dtype for column in columns)))
        for column in columns:
            left = memoryview(column.tobytes())
            while left:
                left = left[self._file.write(left) :]
        self._last = int(part.points[-1])
        self.size += len(part.points)
        self.zeros += int(part.zeros.sum())
        self.ones += int(part.ones.sum())

    def parts(self) -> Iterator[Part]:
        """Yield the points with their counts, from the first on."""
        start = 0
        for length, kinds in self._parts:
            columns = []
            for kind in kinds:
                self._file.seek(start)
                raw = self._file.read(length * kind.itemsize)
                if len(raw) < length * kind.itemsize:
                    raise DataError("The private copy of the records is damaged. Read them again.")
                start += len(raw)
                columns.append(np.frombuffer(raw, dtype=kind).astype(np.int64, copy=False))
            yield Part(*columns)


class DealtPoints:
    """One of two parts of the records of a file: those of the points, and those outside.

    Parameters
    ----------
    held : Held
    outside : (int, int)
    places : Places
        Of the records of the first part: all records point by point, those with label 0 before
        those with label 1, and last of all those outside.
    first : bool
        Whether it is this part.

    Examples
    --------
    >>> from littlestone.source import Places
    >>> held = Held()
    >>> held.add(Part(np.array([3, 5]), np.array([1, 0]), np.array([0, 2])))
    >>> dealt = DealtPoints(held, (4, 0), Places.of(np.array([0, 2, 6]), 7), first=False)
    >>> [part.points.tolist() for part in dealt.parts()], dealt.zeros, dealt.ones, dealt.outside
    ([[5]], 0, 1, (3, 0))
    """

    def __init__(
        self, held: Held, outside: tuple[int, int], places: Places, *, first: bool
    ) -> None:
        self._held, self._places, self._first = held, places, first
        self.zeros, self.ones = 0, 0
        for part in self.parts():
            self.zeros += int(part.zeros.sum())
            self.ones += int(part.ones.sum())
        beyond = self._of_part(np.array(outside), held.zeros + held.ones).tolist()
        self.outside = (beyond[0], beyond[1])

    def parts(self) -> Iterator[Part]:
        """Yield the points of the part with their counts, from the first on; no part is empty."""
        start = 0
        for part in self._held.parts():
            counts = np.stack([part.zeros, part.ones], axis=1)
            here = self._of_part(counts.ravel(), start).reshape(-1, 2)
            start += int(counts.sum())
            some = here.any(axis=1)
            if some.any():
                yield Part(part.points[some], here[some, 0], here[some, 1])

    def _of_part(self, counts: Ints, start: int) -> Ints:
        """Return how many records of each kind belong to the part; they are at start and behind."""
        ends = start + np.concatenate([[0], np.cumsum(counts)])
        here = np.diff(self._places.before(ends))
        return here if self._first else counts - here


def _short(counts: Counts) -> npt.NDArray[Any]:
    return counts.astype(np.min_scalar_type(int(counts.max())))


class SweptSample(LazySample):
    """A sample that is swept in the order of its points; it is held in memory only if needed.

    Parameters
    ----------
    held : Held or DealtPoints
    outside : (int, int)
        Records outside the domain with label 0, with label 1.
    weights : (int, int)
        How many each record counts, by its label.
    line : Line, optional
        What the numbers of the sweep stand for; by default they are the points.

    Examples
    --------
    >>> held = Held()
    >>> held.add(Part(np.array([3, 5]), np.array([1, 0]), np.array([0, 2])))
    >>> sample = SweptSample(held, (4, 0))
    >>> from littlestone.costs import Costs
    >>> costly = sample.priced(Costs.of({0: 1, 1: 10}))
    >>> sample.n, costly.positives, sample.points.tolist()
    (7, 20, [3, 5])
    """

    _held: Held | DealtPoints
    _outside: tuple[int, int]
    _weights: tuple[int, int]
    _line: Line | None

    def __init__(
        self,
        held: Held | DealtPoints,
        outside: tuple[int, int],
        weights: tuple[int, int] = (1, 1),
        line: Line | None = None,
    ) -> None:
        super().__init__(_held=held, _outside=outside, _weights=weights, _line=line)

    def sweep(self) -> Iterator[Part]:
        """Yield the points in increasing order, with how much each label counts there."""
        zero, one = self._weights
        for part in self._held.parts():
            yield Part(part.points, part.zeros * zero, part.ones * one)

    def pieces(self) -> Iterator[Sample]:
        """Yield samples of some records each, which together are this one."""
        for part in self.sweep():
            points = part.points if self._line is None else self._line.points(part.points)
            yield Sample(points, part.zeros, part.ones)
        none = np.zeros(0, dtype=np.int64)
        yield Sample(none, none, none, self.outside)

    @property
    def in_order(self) -> bool:
        """Whether points are their own numbers, so that they are swept in canonical order."""
        return self._line is None or isinstance(self._line, Itself)

    def parted(self, source: Source, first: int) -> tuple[SweptSample, SweptSample]:
        """Return samples of the first records that are dealt, and of the others; see `dealing`."""
        held = self._held
        if not self.in_order or isinstance(held, DealtPoints):
            raise TypeError("Records that are swept in order are dealt, once.")
        places = private_places(source, held.zeros + held.ones + sum(self._outside), first)
        dealt, others = (
            DealtPoints(held, self._outside, places, first=which) for which in (True, False)
        )
        return (
            SweptSample(dealt, dealt.outside, self._weights, self._line),
            SweptSample(others, others.outside, self._weights, self._line),
        )

    def count(self) -> Sample:
        """Return the sample with all its points, in memory."""
        parts = list(self.sweep()) or [Part(*(np.zeros(0, dtype=np.int64) for _ in range(3)))]
        points, zeros, ones = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        if self._line is not None:
            points = self._line.points(points)
            order = np.argsort(points, kind="stable")
            points, zeros, ones = points[order], zeros[order], ones[order]
        return Sample(points, zeros, ones, self.outside)

    def priced(self, costs: Costs) -> Sample:
        """Return the sample in which each record counts as many as a mistake on it costs."""
        (_, zero), (one, _) = costs.matrix
        weights = (self._weights[0] * zero, self._weights[1] * one)
        return SweptSample(self._held, self._outside, weights, self._line)

    @property
    def outside(self) -> tuple[int, int]:
        """Records outside the domain with label 0, with label 1."""
        (zeros, ones), (zero, one) = self._outside, self._weights
        return zeros * zero, ones * one

    @property
    def negatives(self) -> int:
        """How much label 0 counts inside the domain (private)."""
        return self._held.zeros * self._weights[0]

    @property
    def positives(self) -> int:
        """How much label 1 counts (private)."""
        return self._held.ones * self._weights[1] + self.outside[1]

    @property
    def n(self) -> int:
        """Number of records: public under replace-one."""
        return self.negatives + self.positives + self.outside[0]
