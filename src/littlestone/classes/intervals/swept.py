"""Intervals from samples that are swept: the law of all pairs of ends, in the memory of a part."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import isqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from littlestone.classes.swept import gains_of
from littlestone.data import IntegerDomain, Sample
from littlestone.source import PairPart, PairWeights, ScoreRuns, Source, SweptRuns

Ints = npt.NDArray[np.int64]


class _Piece(NamedTuple):
    """Points of the sample, the end before them and the one behind them, and their weights."""

    start: int
    points: Ints
    end: int
    weights: Ints


class SweptIntervals:
    """All intervals of low .. high, scored by minus their errors; see `Intervals.candidates`.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> sample = Sample.of([17, 18, 65, 66] * 9, [0, 1, 1, 0] * 9)
    >>> SweptIntervals(sample, 1, 99).draw(Fraction(5), SeededSource(0))
    (18, 65)
    """

    def __init__(self, sample: Sample, low: int, high: int) -> None:
        self._sample, self._low, self._high = sample, low, high
        self.size = pairs_of(high - low + 1) + 1

    def draw(self, rate: Fraction, source: Source) -> tuple[int, int] | None:
        """Return the ends of an interval, by ``e**(-rate * errors)`` exactly; None if it is empty.

        The draws are those of the samples in memory: a right end, then a left end.
        """
        weights = PairWeights(self._parts, self._pointless, self._points, Fraction(rate))
        j = source.choose(weights)
        if j == 0:
            return self._without_points(source.below(self._pointless))
        point, room = self._right_run(j)
        last = point + source.below(room)
        lefts = SweptRuns(lambda: self._left_runs(point), point + 1 - self._low)
        return lefts.draw(Fraction(rate), source), last

    def _pieces(self) -> Iterator[_Piece]:
        """Yield the points; behind the last one of a piece comes the first one of the next."""
        start, kept = self._low - 1, None
        line = IntegerDomain(self._low, self._high).line
        for points, gains in gains_of(self._sample, line):
            if kept is not None:
                yield kept._replace(end=int(points[0]))
                start = int(kept.points[-1])
            kept = _Piece(start, points, self._high + 1, -gains)
        if kept is not None:
            yield kept

    def _parts(self) -> Iterator[PairPart]:
        for start, points, end, weights in self._pieces():
            before = np.diff(points, prepend=start)
            after = np.diff(points, append=end)
            yield PairPart(before, after, weights)

    @cached_property
    def _points(self) -> int:
        return sum(len(piece.points) for piece in self._pieces())

    @cached_property
    def _pointless(self) -> int:
        """The empty interval, and all inside the gaps between points."""
        total, last = 1, self._low - 1
        for part in self._parts():
            total += _all_pairs(part.before - 1)
            last += int(part.before.sum())
        return total + pairs_of(self._high - last)

    def _right_run(self, j: int) -> tuple[int, int]:
        """Return the j-th point, and how many right ends there are up to the next one."""
        for _, points, end, _ in self._pieces():
            if j <= len(points):
                following = int(points[j]) if j < len(points) else end
                return int(points[j - 1]), following - int(points[j - 1])
            j -= len(points)
        raise AssertionError("the pieces have changed between two passes")

    def _left_runs(self, last: int) -> Iterator[ScoreRuns]:
        """Yield the left ends up to a point of the sample, scored by W in front of them."""
        score = 0
        for start, points, _, weights in self._pieces():
            inside = points[points <= last]
            if not len(inside):
                return
            scores = np.concatenate([[score], score + np.cumsum(weights)])
            starts = np.concatenate([[start], inside[:-1]]) + 1
            yield ScoreRuns(starts, int(inside[-1]) + 1, scores[: len(inside)])
            score = int(scores[-1])

    def _without_points(self, member: int) -> tuple[int, int] | None:
        """Return the member-th interval without points: the empty one, then gap by gap."""
        if member == 0:
            return None
        left = member - 1
        at = self._low - 1
        for part in self._parts():
            here = _all_pairs(part.before - 1)
            if left < here:
                gaps = list(accumulate(pairs_of(gap - 1) for gap in part.before.tolist()))
                index = next(i for i, total in enumerate(gaps) if left < total)
                at += int(part.before[:index].sum())
                return pair_of(at + 1, left - (gaps[index - 1] if index else 0))
            left -= here
            at += int(part.before.sum())
        return pair_of(at + 1, left)


def pair_of(start: int, index: int) -> tuple[int, int]:
    """Return an interval by its number among those from ``start`` on, ordered by the right end.

    Examples
    --------
    >>> [pair_of(5, i) for i in range(4)]
    [(5, 5), (5, 6), (6, 6), (5, 7)]
    """
    # The t-th right end, t = 0, 1, ..., has t + 1 left ends: take the largest t with
    # t(t + 1)/2 <= index.
    t = (isqrt(8 * index + 1) - 1) // 2
    return start + index - pairs_of(t), start + t


def pairs_of(gap: int) -> int:
    """Return the number of pairs a <= b among ``gap`` consecutive integers."""
    return gap * (gap + 1) // 2


def _all_pairs(gaps: Ints) -> int:
    """Return the sum of `pairs_of` over gaps, exactly: below 2**63 by squares of 21-bit digits."""
    if gaps.dtype == object:
        return sum(map(pairs_of, gaps.tolist()))
    mask = (1 << 21) - 1
    digits = [gaps & mask, (gaps >> 21) & mask, gaps >> 42]
    squares = 0
    for i, a in enumerate(digits):
        for k, b in enumerate(digits):
            squares += int(np.dot(a, b)) << 21 * (i + k)
    total = sum(int(digit.sum()) << 21 * i for i, digit in enumerate(digits))
    return (squares + total) // 2
