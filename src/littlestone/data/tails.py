"""The two tails of a sample over integers: its largest points labelled 0, its smallest labelled 1.

All that a threshold can be wrong about lies there. A table of ten million rows has short tails, so
one pass over its columns is enough, without grouping and without a Python object for each point:
`TailSample`. Whatever else is asked of it, it counts the table first, and is a `Sample` like any
other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.data.sample import LazySample, Sample
from littlestone.data.swept import SweptSample
from littlestone.types import Points

__all__ = ["Column", "Tail", "TailSample", "Tails", "gather", "tails_of"]

Numbers = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]
#: Values of some rows (any integer type), which of them are points (None: all), and labels.
Column = tuple[Numbers, Mask | None, Mask]


@dataclass(frozen=True, eq=False, repr=False)
class Tail:
    """The records with one label, as far as they are known.

    Attributes
    ----------
    points : integer ndarray
        One entry for each record, the farthest out first: the largest points labelled 0 in
        descending order, or the smallest ones labelled 1 in ascending order.
    count : int
        How many records inside the domain have this label (private).
    """

    points: Numbers
    count: int


@dataclass(frozen=True, eq=False, repr=False)
class Tails:
    """Both tails, and the records outside the domain.

    Attributes
    ----------
    zeros, ones : Tail
    outside : (int, int)
        Records outside the domain with label 0, with label 1.
    """

    zeros: Tail
    ones: Tail
    outside: tuple[int, int]

    @property
    def n(self) -> int:
        """Number of records (public)."""
        return self.zeros.count + self.ones.count + sum(self.outside)


class TailSample(LazySample):
    """A sample of a table that has been read once, for its tails; it is counted only if needed.

    Parameters
    ----------
    read : callable
        ``read(most)`` returns the tails of the table, with at least ``most`` records in each (or
        all that there are).
    count : callable
        Returns the sample.
    most : int >= 1
        Public: how many records of each tail are needed, probably.
    """

    _read: Callable[[int], Tails]
    _count: Callable[[], Sample]
    _tails: Tails
    _most: int

    def __init__(
        self, read: Callable[[int], Tails], count: Callable[[], Sample], most: int
    ) -> None:
        super().__init__(_read=read, _count=count, _tails=read(most), _most=most)

    def tails(self, most: int) -> Tails:
        """Return both tails with at least ``most`` records each, or all that there are."""
        if most > self._most:
            tails = self._read(most)
            self.check_same(tails.n)
            self.__dict__.update(_tails=tails, _most=most)
        return self._tails

    def count(self) -> Sample:
        """Return the sample with all its points: a second reading."""
        sample = self._count()
        self.check_same(sample.n)
        return sample

    @property
    def n(self) -> int:
        """Number of records: public under replace-one."""
        return self._tails.n

    @property
    def outside(self) -> tuple[int, int]:
        """Records outside the domain with label 0, with label 1."""
        return self._tails.outside


def tails_of(sample: Sample, most: int) -> Tails:
    """Return the tails of a sample of integers, with at least ``most`` records each, or all.

    Examples
    --------
    >>> tails = tails_of(Sample.of([5, 3, 5, 8], [0, 0, 0, 1]), 2)
    >>> tails.zeros.points, tails.zeros.count, tails.ones.points
    (array([5, 5]), 3, array([8]))
    """
    if isinstance(sample, TailSample):
        return sample.tails(most)
    if isinstance(sample, SweptSample):
        return _swept_tails(sample, most)
    zeros = _outermost(sample.points[::-1], sample.zeros[::-1], most)
    return Tails(zeros, _outermost(sample.points, sample.ones, most), sample.outside)


def _outermost(points: Points, counts: npt.NDArray[np.int64], most: int) -> Tail:
    there = np.flatnonzero(counts)
    needed = there[:most]  # each of them is a record at least
    times = counts[needed]
    times = np.clip(most - (np.cumsum(times) - times), 0, times)
    return Tail(np.repeat(points[needed], times), int(counts.sum()))


def _swept_tails(sample: SweptSample, most: int) -> Tails:
    """Sweep once: keep the last points labelled 0, and the first ones labelled 1."""
    none = np.zeros(0, dtype=np.int64)
    last, first = (none, none), (none, none)
    for points, zeros, ones in sample.sweep():
        last, first = _joined(last, points, zeros), _joined(first, points, ones)
        last = last[0][-most:], last[1][-most:]
        first = first[0][:most], first[1][:most]
    low = replace(_outermost(last[0][::-1], last[1][::-1], most), count=sample.negatives)
    high = replace(_outermost(*first, most), count=sample.positives - sample.outside[1])
    return Tails(low, high, sample.outside)


def _joined(before: tuple[Points, Points], points: Points, counts: Points) -> tuple[Points, Points]:
    there = counts > 0
    joined = [
        np.concatenate(two) for two in zip(before, (points[there], counts[there]), strict=True)
    ]
    return joined[0], joined[1]


def gather(columns: Iterator[Column], most: int) -> Tails:
    """Return the tails of a stream of columns, in one pass and little memory.

    Parameters
    ----------
    columns : iterator of Column
        All of one integer type.
    most : int >= 1
        Records of each tail that are kept at least; the time hardly depends on it, nor on the
        order of the rows.

    Examples
    --------
    >>> x, label = np.array([5, 3, 5, 8]), np.array([False, True, False, True])
    >>> gather(iter([(x, None, label)]), 1).zeros.points
    array([5])
    """
    zeros, ones = _Outer(most, largest=True), _Outer(most, largest=False)
    outside = [0, 0]
    for values, inside, label in columns:
        if inside is None:
            zeros.add(values, ~label)
            ones.add(values, label)
        else:
            zeros.add(values, inside & ~label)
            ones.add(values, inside & label)
            missed = len(values) - int(np.count_nonzero(inside))
            positive = int(np.count_nonzero(label & ~inside))
            outside[0] += missed - positive
            outside[1] += positive
    return Tails(zeros.tail(), ones.tail(), (outside[0], outside[1]))


class _Outer:
    """The outermost values of a stream: a buffer that is cut down when it has grown fourfold."""

    def __init__(self, most: int, *, largest: bool) -> None:
        self.most, self.largest, self.count = most, largest, 0
        self._held: list[Numbers] = []
        self._size = 0
        self._bound: Any = None  # no value inside this bound can be among the outermost

    def add(self, values: Numbers, chosen: Mask) -> None:
        self.count += int(np.count_nonzero(chosen))
        if self._bound is not None:
            far = values > self._bound if self.largest else values < self._bound
            chosen = chosen & far
        held = values[chosen]
        if len(held):
            self._held.append(held)
            self._size += len(held)
            if self._size > 4 * self.most:
                self._cut()

    def _cut(self) -> None:
        values = np.concatenate(self._held)
        if len(values) > self.most:
            at = len(values) - self.most if self.largest else self.most - 1
            values.partition(at)
            self._bound = values[at]
            values = values[at:] if self.largest else values[: at + 1]
        self._held, self._size = [values], len(values)

    def tail(self) -> Tail:
        if not self._held:
            return Tail(np.zeros(0, dtype=np.int64), 0)
        self._cut()
        ordered = np.sort(self._held[0])
        return Tail(ordered[::-1] if self.largest else ordered, self.count)
