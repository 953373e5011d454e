"""Version spaces of intervals, in closed form at any size.

*After a positive example* an interval [a, b] is a left end a in one run and a right end b in
another one, which no example has distinguished: a product of two classes of thresholds on disjoint
sides. Shattered trees of both can be put one below the other, and two SOAs can be run side by side,
so the Littlestone dimensions add: ``floor(log2 s) + floor(log2 t)`` for s left and t right ends.

*Before one* all intervals are left that lie in a gap between negative examples, and the empty one;
how deep they shatter depends on the two longest gaps only (`concept_class`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nlargest
from math import inf
from typing import Any

from littlestone.classes.hypotheses import AlwaysZero
from littlestone.classes.integers import NumberedConcepts
from littlestone.classes.intervals.concept_class import (
    IntervalHypothesis,
    Intervals,
    fits,
    highest,
    interval_from,
    ldim_of_gaps,
    on_runs,
    runs_of,
    thresholds,
)
from littlestone.classes.listed import MOST_LABELS, ListedSpace, Listing, labels
from littlestone.classes.oracles import VersionSpace, as_point, check_label, version_space
from littlestone.combinatorics.decomposition import depth_limit
from littlestone.errors import parameter_error
from littlestone.types import Hypothesis

Run = tuple[int, int]  # first and last


@dataclass(frozen=True)
class IntervalSpace(VersionSpace):
    """The intervals that fit some examples.

    Examples
    --------
    >>> space = Intervals(1, 2**64).version_space()
    >>> space.littlestone_dim(), space.restrict(2**63, 1).littlestone_dim()
    (126, 126)
    >>> space.restrict(1000, 1).restrict(5000, 0).soa().describe()
    '1 if 489 <= x <= 3047, otherwise 0'
    """

    concept_class: Intervals
    gaps: tuple[Run, ...] | None
    ends: tuple[Run, Run] | None
    max_nodes: int | None = field(compare=False, repr=False)

    @classmethod
    def of(cls, concept_class: Intervals, max_nodes: int | None) -> IntervalSpace:
        """Return the space of all intervals."""
        return cls(concept_class, ((concept_class.low, concept_class.high),), None, max_nodes)

    @property
    def is_empty(self) -> bool:
        """Whether no interval is left."""
        return self.gaps is None and self.ends is None

    @property
    def size(self) -> int:
        """Number of concepts."""
        if self.gaps is not None:
            return 1 + sum(g * (g + 1) // 2 for g in map(_length, self.gaps))
        return 0 if self.ends is None else _length(self.ends[0]) * _length(self.ends[1])

    def restrict(self, point: Any, label: int) -> IntervalSpace:
        """Return the intervals that hold a point (label 1), or do not."""
        x, label = as_point(point), check_label(label)
        low, high = self.concept_class.low, self.concept_class.high
        if not isinstance(x, int) or not low <= x <= high:
            return self._with(None, None) if label else self
        if self.gaps is not None:
            return self._split(x, label)
        if self.ends is None:
            return self
        (a, a_last), (b, b_last) = self.ends
        if label:
            return self._product(a, min(a_last, x), max(b, x), b_last)
        if x < b:  # all right ends are beyond
            return self._product(max(a, x + 1), a_last, b, b_last)
        return self._product(a, a_last, b, min(b_last, x - 1))

    def _split(self, x: int, label: int) -> IntervalSpace:
        assert self.gaps is not None
        for first, last in self.gaps:
            if first <= x <= last:
                if label:
                    return self._product(first, x, x, last)
                parts = [run for run in ((first, x - 1), (x + 1, last)) if run[0] <= run[1]]
                others = [gap for gap in self.gaps if gap != (first, last)]
                return self._with(tuple(sorted(others + parts)), None)
        return self._with(None, None) if label else self

    def littlestone_dim(self) -> int:
        """Return the Littlestone dimension (module docstring); -1 if empty."""
        if self.gaps is not None:
            return ldim_of_gaps(*self._longest)
        return -1 if self.ends is None else sum(_log2(_length(run)) for run in self.ends)

    def soa(self) -> Hypothesis:
        """Return the SOA's prediction: one run after a positive example, up to three before."""
        if self.ends is not None:
            (a, a_last), (b, b_last) = self.ends
            keep_a, keep_b = (1 << _log2(_length(run)) for run in self.ends)
            return IntervalHypothesis(max(a, a_last - keep_a + 1), min(b_last, b + keep_b - 1))
        return on_runs(self._ones)

    def distinguish(self, h: Hypothesis, g: Hypothesis) -> int | None:
        """Return the smallest point that two unions of runs label differently."""
        sides = [runs_of(h), runs_of(g)]
        for x in sorted(
            {end for runs in sides for first, last in runs for end in (first, last + 1)}
        ):
            if _holds(sides[0], x) != _holds(sides[1], x):
                return x
        return None

    def reducibility(self, cap: int | None = None) -> float:
        """Return the least number of SOA answers that lower the dimension (docs/oracles.md)."""
        dimension = self.littlestone_dim()
        if dimension <= 0:
            return inf
        least: float
        if self.ends is not None:
            sizes = [_length(run) for run in self.ends if _length(run) > 1]
            least = min(1 + _is_full(size) for size in sizes)
        elif self._ones:
            least = 1 if any(self._lowers(run, dimension) for run in self._ones) else 2
        else:
            least = self._cuts(dimension - 1)
        return least if cap is None or least <= cap else inf

    def decomposition_dim(self, p: int, d: int) -> int:
        """Return 0 where every interval can be isolated soon enough; else search a small space."""
        dimension = self._checked_dim("decomposition_dim", p, d)
        if dimension <= 0 or self._stays(dimension, p, d):
            return dimension
        return 0 if self._isolates(p, d) else self._listed("decompositions").decomposition_dim(p, d)

    def essential(self, p: int, d: int) -> Sequence[Hypothesis]:
        """Return all intervals of the space (lazily) where each can be isolated; else search."""
        dimension = self._checked_dim("essential", p, d)
        if dimension < 0:
            return ()
        if dimension == 0 or self._stays(dimension, p, d):
            return (self.soa(),)
        if self._isolates(p, d):
            return IntervalList(self)
        return self._listed("essential hypotheses").essential(p, d)

    def splitting_point(self) -> int | None:
        """Return a point where level d - 1 can be put, or one that halves a run of ends."""
        dimension = self.littlestone_dim()
        if dimension <= 0:
            return None
        if self.ends is not None:
            run = max(self.ends, key=_length)
            middle = run[0] + _length(run) // 2
            return middle - 1 if run is self.ends[0] else middle
        r = dimension - 1
        for first, last in self._candidates:
            g = last - first + 1
            edges = [1 << i for i in range(r + 1)] + [t + 1 for t in thresholds(r - 1)]
            for p in [p for edge in edges for p in (edge, g + 1 - edge) if 1 <= p <= g]:
                rest = self._longest_after((first, last), p - 1, g - p)
                if _log2(p) + _log2(g - p + 1) >= r and fits(*rest, r - 1):
                    return first + p - 1
        raise AssertionError("the dimension has a reason")

    def member(self) -> Hypothesis:
        """Return the smallest interval: the empty one before a positive example."""
        if self.gaps is not None:
            return AlwaysZero()
        if self.ends is None:
            raise parameter_error("VersionSpace.member", "self", "a nonempty space", "an empty one")
        return IntervalHypothesis(self.ends[0][1], self.ends[1][0])

    def concept(self, index: int) -> Hypothesis:
        """Return a concept by its number: the empty one first; in a gap, by the right end."""
        if not 0 <= index < self.size:
            raise IndexError(index)
        if self.ends is not None:
            left, right = divmod(index, _length(self.ends[1]))
            return IntervalHypothesis(self.ends[0][0] + left, self.ends[1][0] + right)
        if index == 0:
            return AlwaysZero()
        index -= 1
        for first, last in self.gaps or ():
            g = last - first + 1
            if index >= g * (g + 1) // 2:
                index -= g * (g + 1) // 2
                continue
            return interval_from(first, index)
        raise AssertionError("the index is in range")

    def index(self, hypothesis: Hypothesis) -> int | None:
        """Return the number of a concept of this space, or None."""
        if isinstance(hypothesis, AlwaysZero):
            return None if self.gaps is None else 0
        if not isinstance(hypothesis, IntervalHypothesis):
            return None
        a, b = hypothesis.first, hypothesis.last
        if self.ends is not None:
            (left, left_last), (right, right_last) = self.ends
            if left <= a <= left_last and right <= b <= right_last:
                return (a - left) * (right_last - right + 1) + b - right
            return None
        before = 1
        for first, last in self.gaps or ():
            g = last - first + 1
            if first <= a and b <= last:
                return before + (b - first) * (b - first + 1) // 2 + a - first
            before += g * (g + 1) // 2
        return None

    # -- before a positive example ------------------------------------------------------------

    @cached_property
    def _candidates(self) -> list[Run]:
        """The two longest gaps: only there the dimension can be lowered by one label 0."""
        return nlargest(2, self.gaps or (), key=_length)

    @cached_property
    def _longest(self) -> tuple[int, int]:
        first, second = ([_length(run) for run in self._candidates] + [0, 0])[:2]
        return first, second

    def _longest_after(self, gap: Run, left: int, right: int) -> tuple[int, int]:
        """Return the two longest gaps after one of the longest is split."""
        others = nlargest(3, self.gaps or (), key=_length)
        others.remove(gap)
        first, second, *_ = sorted([*map(_length, others), left, right, 0, 0], reverse=True)
        return first, second

    @cached_property
    def _ones(self) -> tuple[Run, ...]:
        """Where label 0 lowers the dimension: label 0 at x is a function of x by pieces."""
        r = self.littlestone_dim() - 1
        if r < 0:
            return ()
        found: list[Run] = []
        for first, last in sorted(self._candidates):
            g = last - first + 1
            marks = {t for t in (*thresholds(r), *self._longest) if t <= g}
            starts = sorted({0} | {at for t in marks for at in (t, g - t) if 0 <= at < g})
            for left, after in zip(starts, [*starts[1:], g], strict=True):
                if fits(*self._longest_after((first, last), left, g - 1 - left), r):
                    continue
                if found and found[-1][1] == first + left - 1:
                    found[-1] = (found[-1][0], first + after - 1)
                else:
                    found.append((first + left, first + after - 1))
        return tuple(found)

    def _lowers(self, run: Run, ldim: int) -> bool:
        """Say whether label 1 at some point of a run lowers the dimension.

        It leaves ``floor(log2 p) + floor(log2 q)``, constant between powers of two.
        """
        first, last = next(gap for gap in self._candidates if gap[0] <= run[0] <= gap[1])
        starts = [run[0]]
        for i in range((last - first + 1).bit_length()):
            starts += [
                x for x in (first + (1 << i) - 1, last - (1 << i) + 2) if run[0] <= x <= run[1]
            ]
        return any(_log2(x - first + 1) + _log2(last - x + 1) < ldim for x in starts)

    def _cuts(self, r: int) -> int:
        """Return how many labels 0 it takes until the levels from r down do not fit any more.

        Then all gaps are shorter than need(r), or one is shorter than alone(r) and all others are
        too short to help it. k points cut a gap of length g into parts shorter than t exactly if
        ``k >= floor(g / t)``.
        """
        lengths = [_length(run) for run in self.gaps or ()]
        alone, need, second = thresholds(r)
        everywhere = sum(g // need for g in lengths)
        if not second:
            return everywhere
        rest = sum(g // second for g in lengths)
        # of one gap a part of at most alone - 1 may stay; k cuts, k further parts below second
        return min(
            everywhere,
            *(rest - g // second + -(-max(g - alone + 1, 0) // second) for g in lengths),
        )

    # -- decompositions -----------------------------------------------------------------------

    def _isolates(self, p: int, d: int) -> bool:
        """Say whether a certain tree isolates every concept in time (docs/oracles.md).

        Before a positive example it halves all gaps again and again; after one, it halves the
        left ends and then the right ends.
        """
        dimension = self.littlestone_dim()
        if self.ends is not None:
            return (p, d) not in ((1, 1), (1, 2)) or self.size not in (3, 9)
        gaps, longest = len(self.gaps or ()), self._longest[0]
        if sum(map(_length, self.gaps or ())) + 2 > depth_limit(p, d, 0):
            return False
        for halvings in range(longest.bit_length()):
            left = longest >> halvings  # all gaps are at most so long then
            most = min(dimension, ldim_of_gaps(left, left))
            inside = highest(left)  # what label 1 leaves, at most
            depth = gaps * ((2 << halvings) - 1)
            if depth > depth_limit(p, d, most - 1) or depth + 3 > depth_limit(p, d, inside - 1):
                return False
        return True

    def _listed(self, what: str) -> ListedSpace:
        """Return the same space as a matrix of the points that some concept holds."""
        runs = self.gaps or ()
        if self.ends is not None:
            runs = ((self.ends[0][0], self.ends[1][1]),)
        if self.size * sum(map(_length, runs)) > MOST_LABELS:
            raise self._unknown(
                what,
                "it is too large to be listed (more than 2**26 labels). Use a smaller domain, or a "
                "larger p.",
            )
        points = [x for first, last in runs for x in range(first, last + 1)]
        concepts = [self.concept(i) for i in range(self.size)]
        matrix = labels(self.concept_class, concepts, points)
        name = self.concept_class.improper
        return ListedSpace.of(Listing(self.concept_class, points, matrix, name, self.max_nodes))

    # -- inside -------------------------------------------------------------------------------

    def _product(self, a: int, a_last: int, b: int, b_last: int) -> IntervalSpace:
        if a > a_last or b > b_last:
            return self._with(None, None)
        return self._with(None, ((a, a_last), (b, b_last)))

    def _with(self, gaps: tuple[Run, ...] | None, ends: tuple[Run, Run] | None) -> IntervalSpace:
        return IntervalSpace(self.concept_class, gaps, ends, self.max_nodes)


class IntervalList(NumberedConcepts):
    """All intervals of a space, in the order of their numbers; nothing is listed.

    Examples
    --------
    >>> found = Intervals(1, 2**40).version_space().essential(p=4, d=78)
    >>> found.size == 2**39 * (2**40 + 1) + 1, found[1].describe()
    (True, '1 if x = 1, otherwise 0')
    """

    def concept(self, index: int) -> Hypothesis:
        """Return one interval by its number."""
        named: Hypothesis = self.space.concept(index)
        return named


def _length(run: Run) -> int:
    return run[1] - run[0] + 1


def _log2(n: int) -> int:
    return n.bit_length() - 1


def _is_full(n: int) -> bool:
    """Say whether n is a power of two, less 1, above 1: then both ends of a run must be cut."""
    return n > 2 and n & (n + 1) == 0


def _holds(runs: Sequence[Run], x: int) -> bool:
    return any(first <= x <= last for first, last in runs)


@version_space.register
def _(concept_class: Intervals, max_nodes: int | None) -> VersionSpace:
    return IntervalSpace.of(concept_class, max_nodes)
