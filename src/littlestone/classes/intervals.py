"""Intervals of integers: the class, its draws from samples that are streamed, public points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Ranges, Structure
from littlestone.bounds.representations import PublicPoints
from littlestone.classes.base import (
    Mapped,
    gains_of,
    weights_inside,
)
from littlestone.classes.finite import (
    Labelling,
    RunDichotomies,
    best_dichotomies,
    best_gap,
    extremes,
    points_inside,
)
from littlestone.classes.hypotheses import (
    AlwaysZero,
    Fields,
    Frozen,
    as_labels,
    number,
    readable,
)
from littlestone.classes.spec import ClassAtPoints, at_public_points, written
from littlestone.classes.thresholds import (
    IntegerClass,
    ThresholdHypothesis,
    Thresholds,
)
from littlestone.data import IntegerDomain, Sample
from littlestone.source import Choice, PairPart, PairWeights, ScoreRuns, Source, StreamedRuns
from littlestone.types import Hypothesis, Labels, Points
from littlestone.types import Points as Batch

# -- How deep the intervals in some spans shatter: placing heights in spans.
#
# Let all intervals be left that lie in some spans, and the empty one. A shattered tree of depth d
# asks a point x_1; label 1 leaves the intervals around it, a product of left and of right ends, and
# label 0 splits a span; and so on along the labels 0. So there is one exactly if the *heights*
# r = d - 1, ..., 0 can be put in this order: height r at a point x of a span with 2**i points of
# the span up to x and 2**(r - i) from x on, for some i; the span is split there.
#
# With ``need(r) = 2**ceil(r/2) + 2**floor(r/2) - 1``, the length of the shortest span that takes
# height r, two facts decide it (proofs below). If one span is at least need(r) long and another
# one at least need(r - 1), all heights from r down can be put. If one span must take both, it does
# so exactly if it is at least alone(r) long, or, for odd r, at least need(r) if another span takes
# height r - 2. The whole class has one span.
#
# *Why the heights are all.* Before a positive example there are spans between the negatives. Follow
# the labels 0 in a shattered tree of depth d: the t-th question asks a point whose label 1 leaves
# dimension d - t at least, so height r = d - t is put at a point of a span with 2**i points of the
# span up to it, and 2**(r - i) from it on; this splits the span into two *sides* of at least 2**i -
# 1 and 2**(r - i) - 1 points. L >= d exactly if all heights can be put in this order.
#
# 1. *If one span has need(r) points and another one need(r - 1), all heights from r down can be
# put.* Put r in the middle of the first one. Its larger side has 2**ceil(r/2) - 1 >= need(r - 2)
# points. So the second span and this side satisfy the assumption for r - 1; by induction.
#
# 2. *Otherwise r and r - 1 are in one span A, and all other spans are shorter than need(r - 1).*
# (If A takes r and another span takes r - 1, case 1 applies.) Let v = 2**floor(r/2), let x split A
# into G and g, where G takes r - 1. By 1, for r - 1, it is enough that g, or another span, has
# need(r - 2) points.
#
# r even: need(r), need(r - 1), need(r - 2) = 2v - 1, 3v/2 - 1, v - 1. Windows (v, v) make |A| = 1
# + (3v/2 - 1) + (v - 1) = 5v/2 - 1 enough. It is necessary: if x has v points on g's side, as
# here; if g has less than v - 1 points, x has at least 2v on G's side and v/2 on the other, 5v/2
# - 1 in all.
#
# r odd: need(r), ..., need(r - 3) = 3v - 1, 2v - 1, 3v/2 - 1, v - 1. If another span has need(r -
# 2) points, windows (2v, v) do with |A| = 3v - 1 = need(r). If not: with g of need(r - 2) points,
# |A| = 1 + (2v - 1) + (3v/2 - 1) = 7v/2 - 1 is enough. It is necessary: if g is shorter, G takes
# r - 1 and r - 2, and all others are shorter than need(r - 2): by the even case G has 5v/2 - 1
# points, and, as x has 2v or more points on G's side at the cost of at least v on the other (4v
# and v/2 would be more), again 7v/2 - 1.


def alone(r: int) -> int:
    """Return the length from which on one span takes all heights from r down."""
    if r <= 1:
        return r + 1
    return (5 + 2 * (r % 2) << r // 2 - 1) - 1


def ldim_of_span(length: int) -> int:
    """Return the Littlestone dimension of all intervals in a span: the number of heights that fit.

    Examples
    --------
    >>> [ldim_of_span(n) for n in (0, 1, 2, 4, 6, 9, 2**64)]
    [0, 1, 2, 3, 4, 5, 126]
    """
    heights = 2 * length.bit_length()  # alone(r) is above 2**(r/2)
    while heights and alone(heights - 1) > length:
        heights -= 1
    return heights


Ints = npt.NDArray[np.int64]


class _Piece(NamedTuple):
    """Points of the sample, the end before them and the one behind them, and their weights."""

    start: int
    points: Ints
    end: int
    weights: Ints


class StreamedIntervals:
    """All intervals of low .. high, scored by minus their errors; see `Intervals.candidates`.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> sample = Sample.of([17, 18, 65, 66] * 9, [0, 1, 1, 0] * 9)
    >>> StreamedIntervals(sample, 1, 99).draw(Fraction(5), SeededSource(0))
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
        point, length = self._right_run(j)
        last = point + source.below(length)
        lefts = StreamedRuns(lambda: self._left_runs(point), point + 1 - self._low)
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
        """The empty interval, and all inside the spans between points."""
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
        """Return the member-th interval without points: the empty one, then span by span."""
        if member == 0:
            return None
        left = member - 1
        at = self._low - 1
        for part in self._parts():
            here = _all_pairs(part.before - 1)
            if left < here:
                spans = list(accumulate(pairs_of(span - 1) for span in part.before.tolist()))
                index = next(i for i, total in enumerate(spans) if left < total)
                at += int(part.before[:index].sum())
                return pair_of(at + 1, left - (spans[index - 1] if index else 0))
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


def pairs_of(span: int) -> int:
    """Return the number of pairs a <= b among ``span`` consecutive integers."""
    return span * (span + 1) // 2


def _all_pairs(spans: Ints) -> int:
    """Return the sum of `pairs_of` over spans, exactly."""
    return sum(map(pairs_of, spans.tolist()))


@readable
@dataclass(frozen=True)
class IntervalHypothesis(Frozen):
    """1 exactly on the integers from ``first`` to ``last``; the empty interval is `AlwaysZero`.

    Examples
    --------
    >>> import numpy as np
    >>> IntervalHypothesis(18, 65).predict(np.array([17, 18, 65, 66])).tolist()
    [0, 1, 1, 0]
    """

    first: int
    last: int

    TYPE = "interval"

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        return as_labels((points >= self.first) & (points <= self.last), len(points))

    def describe(self) -> str:
        """Say the hypothesis in words."""
        if self.first == self.last:
            return f"1 if x = {number(self.first)}, otherwise 0"
        return f"1 if {number(self.first)} <= x <= {number(self.last)}, otherwise 0"

    @classmethod
    def from_dict(cls, data: Any) -> IntervalHypothesis:
        """Read it back."""
        fields = Fields(data, ("first", "last"))
        first = fields.integer("first")
        return cls(first, fields.integer("last", low=first))


@written("intervals(1, 99)")
class Intervals(IntegerClass):
    """Intervals [a, b] with low <= a <= b <= high, and the empty one.

    Parameters
    ----------
    low, high : int of any size, low <= high
        The public domain. Never take it from the data.

    Guarantee
    ---------
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law over all
    N(N + 1)/2 + 1 intervals of a domain of N points.

    Notes
    -----
    VC dimension 2 (1 if there is one point only). Cost of a draw: O(k) for k distinct points of
    the sample, although there are about k**2/2 different behaviours on it: the weight of [a, b]
    is a product of a factor of a and a factor of b, so b is drawn from its exact marginal weight
    (a partition function, enclosed by balls), then a given b.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> from fractions import Fraction
    >>> ages = Intervals(1, 99)
    >>> ages.size, ages.vc_dim
    (4951, 2)
    >>> data = Sample.of([17, 18, 65, 66], [0, 1, 1, 0])
    >>> ages.candidates(data).draw(Fraction(50), SeededSource(0)).describe()
    '1 if 18 <= x <= 65, otherwise 0'
    """

    name = "intervals"

    @property
    def size(self) -> int:
        """Number of concepts."""
        return pairs_of(self.high - self.low + 1) + 1

    @property
    def structure(self) -> Ranges:
        """Intervals over the points."""
        return Ranges(self.high - self.low + 1)

    @property
    def vc_dim(self) -> int:
        """2, or 1 on a single point."""
        return 2 if self.high > self.low else 1

    streams = True

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all intervals, scored by minus their errors; see `ConceptClass.candidates`."""
        streamed = StreamedIntervals(sample.within(self.low, self.high), self.low, self.high)
        return Mapped(streamed, _interval)

    def _concepts(self) -> Iterator[Hypothesis]:
        yield AlwaysZero()
        for first in range(self.low, self.high + 1):
            for last in range(first, self.high + 1):
                yield IntervalHypothesis(first, last)

    def littlestone_bounds(self) -> tuple[int, int]:
        """Return the Littlestone dimension, twice: about ``2 log2 N`` (docs/oracles.md)."""
        ldim = ldim_of_span(self.high - self.low + 1)
        return ldim, ldim

    def threshold_bounds(self) -> tuple[int, int]:
        """Return the number of points, twice: intervals hold the thresholds."""
        return self.high - self.low + 1, self.high - self.low + 1


def _interval(ends: tuple[int, int] | None) -> Hypothesis:
    return AlwaysZero() if ends is None else IntervalHypothesis(*ends)


@best_dichotomies.register
def _(concept_class: Intervals, points: Batch, sample: Sample) -> Choice[Labelling]:
    low, high = concept_class.low, concept_class.high
    order, edges = points_inside(points, low, high)
    second, weights, _ = weights_inside(sample, low, high)
    most, least = extremes(edges, second, weights)
    return RunDichotomies(most, least, best_gap(edges, second, weights), order, len(points))


# -- Thresholds and intervals at public points: over the cells between them.


class CellClass(ClassAtPoints):
    """Thresholds or intervals whose ends are public points.

    A comparison ``x >= t`` becomes ``x >= q``, q the least public point that is at least t, or is
    never true. So a concept is one over *cells*: the number of public points up to x; no concept
    is 1 below all of them.

    Examples
    --------
    >>> at_public_points(Intervals(1, 99), [20, 60]).size
    4
    """

    def __init__(self, concept_class: IntegerClass, points: Any) -> None:
        super().__init__(concept_class, points)
        self.cells: Any = type(concept_class)(1, len(self.points))

    @staticmethod
    def some(concept_class: IntegerClass, number: int) -> tuple[IntegerClass, list[int]]:
        """Return the first points of the class."""
        low, high = concept_class.low, concept_class.high
        return concept_class, list(range(low, min(low + number - 1, high) + 1))

    @property
    def public(self) -> PublicPoints:
        """One comparison of a threshold, two of an interval."""
        return PublicPoints(self.number, 2 if isinstance(self.cells, Intervals) else 1)

    @property
    def size(self) -> int:
        """Number of concepts."""
        return int(self.cells.size)

    @property
    def structure(self) -> Structure:
        """That of the class over the cells."""
        found: Structure = self.cells.structure
        return found

    @property
    def vc_dim(self) -> int:
        """The VC dimension."""
        return int(self.cells.vc_dim)

    def littlestone_bounds(self) -> tuple[int, float]:
        """Return that over the cells."""
        found: tuple[int, float] = self.cells.littlestone_bounds()
        return found

    def threshold_bounds(self) -> tuple[int, float]:
        """Return that over the cells."""
        found: tuple[int, float] = self.cells.threshold_bounds()
        return found

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all concepts, scored by minus their errors; see `ConceptClass.candidates`."""
        return Mapped(self.cells.candidates(self._in_cells(sample)), self._at)

    def _in_cells(self, sample: Sample) -> Sample:
        """Return the records as numbers of cells; cell 0 is outside."""
        inside = sample.within(self.concept_class.low, self.concept_class.high).counted
        cells = np.searchsorted(self.points, inside.points, side="right")
        counts = np.zeros((len(self.points) + 1, len(inside.outside)), dtype=np.int64)
        np.add.at(counts, cells, inside.counts.T)
        outside = tuple((counts[0] + np.array(inside.outside)).tolist())
        kept = 1 + np.flatnonzero(counts[1:].any(axis=1))
        return Sample(kept, counts[kept].T, outside, inside.costs)

    def _at(self, concept: Hypothesis) -> Hypothesis:
        """Return a concept over cells as one over the domain."""
        edges, high = self.points.tolist(), self.concept_class.high
        if isinstance(concept, ThresholdHypothesis):
            above = [*(edge - 1 for edge in edges), high][concept.above]
            return ThresholdHypothesis(above, self.concept_class.low, high)
        if isinstance(concept, IntervalHypothesis):
            last = [*(edge - 1 for edge in edges), high][concept.last]
            return IntervalHypothesis(edges[concept.first - 1], last)
        return AlwaysZero()

    def _concepts(self) -> Iterator[Hypothesis]:
        return map(self._at, self.cells.concepts())


at_public_points.register(Thresholds, CellClass)
at_public_points.register(Intervals, CellClass)
