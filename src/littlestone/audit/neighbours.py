"""Neighbours of a real table: one record replaced, sampled, extreme, or like the loudest so far."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.data import OUTSIDE, IntegerDomain, RowDomain, Sample
from littlestone.data.dealing import OrderedSample

if TYPE_CHECKING:
    from littlestone.source import Source

__all__ = ["Pair", "Record", "Search", "listed", "replaced"]

Record = tuple[Any, int]
Pair = tuple[Record, Record]


def listed(sample: Sample) -> OrderedSample:
    """Return the records in a fixed order, so that neighbours are dealt alike."""
    counts = np.stack([sample.zeros, sample.ones], axis=1).ravel()
    counts = np.concatenate([counts, np.array(sample.outside, dtype=np.int64)])
    kinds = np.repeat(np.arange(len(counts)), counts)
    return OrderedSample(sample.points, sample.zeros, sample.ones, sample.outside, kinds)


def replaced(sample: Sample, old: Record, new: Record) -> Sample:
    """Return the sample with one record replaced; a list keeps its place.

    Parameters
    ----------
    sample : Sample
    old, new : (point, label)
        The old one is there.

    Examples
    --------
    >>> other = replaced(Sample.of([3, 5], [0, 1]), (5, 1), (4, 0))
    >>> other.points, other.zeros, other.ones
    (array([3, 4]), array([1, 1]), array([0, 0]))
    """
    points, zeros, ones = sample.points, sample.zeros.copy(), sample.ones.copy()
    outside = list(sample.outside)
    kinds = sample.kinds.copy() if isinstance(sample, OrderedSample) else None
    place = -1
    if kinds is not None:
        i, there = _find(points, old[0])
        kind = 2 * (i if there else len(points)) + old[1]
        place = int(np.flatnonzero(kinds == kind)[0])
    if new[0] is OUTSIDE:
        outside[new[1]] += 1
        at = len(points)
    else:
        at, there = _find(points, new[0])
        if not there:
            points = np.insert(points, at, new[0], axis=0)
            zeros, ones = np.insert(zeros, at, 0), np.insert(ones, at, 0)
            if kinds is not None:
                kinds += 2 * (kinds >= 2 * at)
        (ones if new[1] else zeros)[at] += 1
    if kinds is not None:
        kinds[place] = 2 * at + new[1]
    if old[0] is OUTSIDE:
        outside[old[1]] -= 1
    else:
        i, _ = _find(points, old[0])
        (ones if old[1] else zeros)[i] -= 1
        if not zeros[i] + ones[i]:
            points = np.delete(points, i, axis=0)
            zeros, ones = np.delete(zeros, i), np.delete(ones, i)
            if kinds is not None:
                kinds -= 2 * (kinds > 2 * i + 1)
    held = (outside[0], outside[1])
    if kinds is not None:
        return OrderedSample(points, zeros, ones, held, kinds)
    return Sample(points, zeros, ones, held)


def _find(points: Any, point: Any) -> tuple[int, bool]:
    """Return where a point is, or belongs, and whether it is there."""
    if point is OUTSIDE:
        return len(points), False
    rows = np.ndim(points) == 2
    at = bisect_left(points, tuple(point) if rows else point, key=tuple if rows else None)
    if at == len(points):
        return at, False
    return at, bool(tuple(points[at]) == tuple(point) if rows else points[at] == point)


class Search:
    """Neighbours: sampled, extreme, and variations of the loudest."""

    _KEPT = 5

    def __init__(self, domain: Any, sample: Sample, source: Source) -> None:
        self._domain, self._sample, self._source = domain, sample, source
        counts = np.stack([sample.zeros, sample.ones], axis=1).ravel()
        self._ends = np.cumsum(np.concatenate([counts, np.array(sample.outside)]))
        self._loudest: list[tuple[Fraction, Pair]] = []
        self._extremes = self._extreme()
        self._turn = 0

    def next(self) -> Pair:
        """Return what is replaced by what."""
        self._turn += 1
        if self._turn % 3 == 1:
            pair = next(self._extremes, None)
            if pair is not None:
                return pair
        if self._turn % 3 == 2 and self._loudest:
            _, (old, new) = self._loudest[self._source.below(len(self._loudest))]
            return (old, self._any()) if self._source.below(2) else (self._held(), new)
        return self._held(), self._any()

    def heard(self, pair: Pair, loss: Fraction) -> None:
        """Remember a loud pair."""
        found = sorted([*self._loudest, (loss, pair)], key=lambda one: -one[0])
        self._loudest = found[: self._KEPT]

    def _kind(self, kind: int) -> Record:
        i, label = divmod(kind, 2)
        if i == len(self._sample.points):
            return OUTSIDE, label
        return self._point(self._sample.points[i]), label

    def _point(self, point: Any) -> Any:
        return tuple(point.tolist()) if np.ndim(point) else getattr(point, "item", lambda: point)()

    def _held(self) -> Record:
        record = self._source.below(int(self._ends[-1]))
        return self._kind(int(np.searchsorted(self._ends, record, side="right")))

    def _any(self) -> Record:
        label = self._source.below(2)
        if isinstance(self._domain, IntegerDomain) and self._source.below(2):
            low, high = self._domain.low, self._domain.high
            return low + self._source.below(high - low + 1), label
        if isinstance(self._domain, RowDomain) and self._source.below(2):
            codes = self._domain.schema.n_codes
            return tuple(self._source.below(m) for m in codes), label
        return self._held()[0], label

    def _extreme(self) -> Iterator[Pair]:
        held = np.diff(self._ends, prepend=0)
        there = np.flatnonzero(held)
        olds = [self._kind(int(k)) for k in (*there[:4], *there[-4:], int(np.argmax(held)))]
        ends: list[Any] = []
        if isinstance(self._domain, IntegerDomain):
            ends = [self._domain.low, self._domain.high]
        elif isinstance(self._domain, RowDomain):
            codes = self._domain.schema.n_codes
            ends = [tuple(0 for _ in codes), tuple(m - 1 for m in codes)]
        if not isinstance(self._domain, RowDomain):
            ends.append(OUTSIDE)
        for old in dict.fromkeys(olds):
            flipped = (old[0], 1 - old[1])
            for new in (flipped, *((x, label) for x in ends for label in (0, 1))):
                if new != old:
                    yield old, new
        yield from pairwise(olds)
