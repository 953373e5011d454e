"""Points of any domain, one at a time: the class, and its version spaces.

Let M be the number of concepts left. Where a concept x is 1, nothing else is 1, so the Littlestone
dimension is 1 for M >= 2. Removing one concept leaves M - 1, so the SOA is 0 everywhere for M >= 3
(also M infinite) and 1 on every point left for M = 2. For M >= 2, ``reducibility`` is M - 1: zeros
remove one concept each. A decomposition peels concepts off one by one; it isolates all of them if
``M - 1 <= p (2**d - 1)``, and otherwise ends in a leaf of dimension 1 whose SOA is the constant 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, count
from math import inf
from typing import Any

from littlestone.bounds import Atoms
from littlestone.classes.base import (
    LISTABLE,
    Closures,
    Mapped,
    VersionSpace,
    as_point,
    check_label,
    closures,
    gains_of,
    records,
    span_runs,
    version_space,
)
from littlestone.classes.finite import Labelling, SetDichotomies, best_dichotomies
from littlestone.classes.hypotheses import (
    AlwaysZero,
    PointHypothesis,
    in_bounds,
    on_points,
)
from littlestone.classes.spec import written
from littlestone.classes.thresholds import SetsOfPoints
from littlestone.classes.trees import ROOT, Node, PathsTree, Star, no_concept
from littlestone.combinatorics.decomposition import depth_limit
from littlestone.data import IntegerDomain, Sample
from littlestone.data.domains import canonical_order
from littlestone.errors import UnsupportedError
from littlestone.source import Choice, ScoreRuns, StreamedRuns
from littlestone.types import Hypothesis, Point
from littlestone.types import Points as Batch


@written("points() or points(1, 99)")
class Points(SetsOfPoints):
    """One point is 1, or none is.

    Parameters
    ----------
    low, high : int of any size, or both None
        None: every integer, text, tuple, ... may be a point; the class is infinite, and is learned
        through a `representation` (hashing). Otherwise the domain is low .. high.

    Notes
    -----
    VC dimension 1 and Littlestone dimension 1. Cost of a draw: O(k) for k distinct points.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.source import SeededSource
    >>> Points().size, Points(1, 9).size
    (inf, 10)
    >>> data = Sample.of([7, 7, 3], [1, 1, 0])
    >>> Points(1, 9).candidates(data).draw(Fraction(50), SeededSource(0)).describe()
    '1 if x = 7, otherwise 0'
    """

    name = "points"

    @property
    def size(self) -> int | float:
        """Number of concepts: one more than points."""
        return math.inf if self.bounds is None else self.bounds[1] - self.bounds[0] + 2

    vc_dim = 1
    structure = Atoms()  # at most one point
    streams = True

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all concepts, scored by minus their errors; see `ConceptClass.candidates`."""
        low, high = self._finite()
        sample = sample.within(low, high)
        return Mapped(
            StreamedRuns(lambda: self._streamed(sample), high - low + 2),
            lambda x: PointHypothesis(x) if x >= low else AlwaysZero(),
        )

    def _streamed(self, sample: Sample) -> Iterator[ScoreRuns]:
        """Yield the runs in pieces: the constant 0 comes before the domain."""
        low, high = self._finite()
        line = IntegerDomain(low, high).line
        pieces = ((points, points + 1, gains) for points, gains in gains_of(sample, line))
        return span_runs(pieces, low - 1, high + 1, -sample.positives)

    def _concepts(self) -> Iterator[Hypothesis]:
        low, high = self._finite()
        yield AlwaysZero()
        for point in range(low, high + 1):
            yield PointHypothesis(point)

    def tree(self, f: Hypothesis | None = None) -> PathsTree:
        """Return the tree of the class: points are the paths of a star."""
        domain = self.domain
        bounds = self.bounds
        if bounds is None:
            star = Star(self.size, member=lambda point: True)
        else:
            low, high = bounds
            star = Star(
                high - low + 1,
                member=lambda point: domain.cell(point) == point,
                members=lambda: iter(range(low, high + 1)),
            )
        at: Node = ROOT
        ones = () if f is None else f.support
        if ones is None or len(ones) > 1 or not all(point in star for point in ones):
            raise no_concept(self.spec)
        if ones:
            (at,) = ones
        return PathsTree(
            star, at, lambda node: AlwaysZero() if node is ROOT else PointHypothesis(node)
        )

    def littlestone_bounds(self) -> tuple[int, int]:
        """Return 1, twice: after the first mistake all is known."""
        return 1, 1

    def threshold_bounds(self) -> tuple[int, int]:
        """Return 1, twice."""
        return 1, 1


@dataclass(frozen=True)
class PointSpace(VersionSpace):
    """Some points, and perhaps the constant 0.

    Examples
    --------
    >>> space = Points().version_space().restrict("oslo", 0)
    >>> space.littlestone_dim(), space.soa(), space.restrict("rome", 1).soa()
    (1, AlwaysZero(), PointHypothesis(point='rome'))
    """

    concept_class: Points
    zero: bool
    listed: frozenset[Point]
    cofinite: bool

    @property
    def n_points(self) -> int | float:
        """Number of points left."""
        every = self.concept_class.size - 1
        return every - len(self.listed) if self.cofinite else len(self.listed)

    @property
    def size(self) -> int | float:
        """Number of concepts left."""
        return self.n_points + self.zero

    @property
    def is_empty(self) -> bool:
        """Whether no concept is left."""
        return self.size == 0

    def restrict(self, point: Any, label: int) -> PointSpace:
        """Return the one point (label 1), or all but it."""
        point, label = as_point(point), check_label(label)
        known = self._holds(point)
        if label:
            return self._finite(False, [point] if known else [])
        if not known:
            return self
        rest = self.listed | {point} if self.cofinite else self.listed - {point}
        return PointSpace(self.concept_class, self.zero, rest, self.cofinite)._tidy()

    def within_error(self, sample: Sample, tolerance: int) -> PointSpace:
        """Return the concepts of low error: those with few other positives and few zeros."""
        counts, outside = records(sample, tolerance)
        positives = outside + sum(ones for _, _, ones in counts)
        bounds = self.concept_class.bounds
        wrong = {x: positives - ones + zeros for x, zeros, ones in counts if in_bounds(x, bounds)}
        if positives <= tolerance and self.cofinite:
            worse = {x for x, errors in wrong.items() if errors > tolerance}
            return PointSpace(self.concept_class, self.zero, self.listed | worse, True)._tidy()
        candidates = wrong if self.cofinite else self.listed
        good = [x for x in candidates if self._holds(x) and wrong.get(x, positives) <= tolerance]
        return self._finite(self.zero and positives <= tolerance, good)

    def littlestone_dim(self) -> int:
        """Return 1 for at least two concepts, 0 for one, -1 for none."""
        return int(min(self.size, 2)) - 1

    def soa(self) -> Hypothesis:
        """Return the constant 0 for three or more concepts; all points left for two or one."""
        return AlwaysZero() if self.size > 2 else on_points(self._some(2))

    def reducibility(self, cap: int | None = None) -> float:
        """Return one less than the number of concepts."""
        least = self.size - 1 if self.size >= 2 else inf
        return least if cap is None or least <= cap else inf

    def decomposition_dim(self, p: int, d: int) -> int:
        """Return 0 if all concepts can be peeled off in time, else 1."""
        dimension = self._checked_dim("decomposition_dim", p, d)
        return dimension if dimension <= 0 else int(self.size - 1 > depth_limit(p, d, 0))

    def essential(self, p: int, d: int) -> Sequence[Hypothesis]:
        """Return all concepts, or the constant 0 alone if they cannot be distinguished in time."""
        if self.decomposition_dim(p, d) == 1:
            return (AlwaysZero(),)
        if self.size > LISTABLE:
            raise UnsupportedError("More than 2**20 essential points are not listed. Lower p or d.")
        points = sorted(self._some(int(self.n_points)), key=canonical_order)
        concepts = map(PointHypothesis, points)
        return (*((AlwaysZero(),) if self.zero else ()), *concepts)

    def splitting_point(self) -> Point | None:
        """Return any point that is left."""
        return self._some(1)[0] if self.size >= 2 else None

    def _first(self) -> Hypothesis:
        """Return the constant 0 if it is left, else the first point."""
        return AlwaysZero() if self.zero else PointHypothesis(self._some(1)[0])

    def _holds(self, point: Point) -> bool:
        inside = in_bounds(point, self.concept_class.bounds)
        return inside and (point in self.listed) != self.cofinite

    def _some(self, most: int) -> list[Point]:
        """Return the first points that are left, up to a limit."""
        most = int(min(most, self.n_points))
        if not self.cofinite:
            return sorted(self.listed, key=canonical_order)[:most]
        found: list[Point] = []
        low = self.concept_class.bounds[0] if self.concept_class.bounds else 0
        for point in count(low):
            if len(found) == most:
                break
            if self._holds(point):
                found.append(point)
        return found

    def _finite(self, zero: bool, points: Sequence[Point]) -> PointSpace:
        return PointSpace(self.concept_class, zero, frozenset(points), False)._tidy()

    def _tidy(self) -> PointSpace:
        """Return one form of equal spaces: of a bounded domain, the smaller part is listed."""
        bounds = self.concept_class.bounds
        if bounds is None or 2 * len(self.listed) + self.cofinite <= bounds[1] - bounds[0] + 1:
            return self
        others = frozenset(range(bounds[0], bounds[1] + 1)) - self.listed
        return PointSpace(self.concept_class, self.zero, others, not self.cofinite)


@version_space.register
def _(concept_class: Points, max_nodes: int | None) -> VersionSpace:
    return PointSpace(concept_class, True, frozenset(), True)


@closures.register
def _(concept_class: Points) -> Closures:
    return closed_sets(1, concept_class.bounds, (1,))


def closed_sets(k: int, bounds: tuple[int, int] | None, widths: tuple[int, ...]) -> Closures:
    """Return the closures of sets of at most k points: all of them are closed."""

    def join(closed: Any, point: Point) -> Hypothesis | None:
        if not in_bounds(point, bounds):
            return None
        points = (*closed.support, point)
        return on_points(points) if len(points) <= k else None

    return Closures(AlwaysZero(), join, k, 1 << k, widths)


@best_dichotomies.register
def _(concept_class: Points, points: Batch, sample: Sample) -> Choice[Labelling]:
    return set_dichotomies(1, concept_class.bounds, points, sample)


def set_dichotomies(
    most: int, bounds: tuple[int, int] | None, points: Batch, sample: Sample
) -> Choice[Labelling]:
    """Take at most ``most`` points: some of the given ones, and the best others to go with."""

    def within(x: Any) -> bool:
        return bounds is None or bounds[0] <= x <= bounds[1]

    inside = [i for i, x in enumerate(points.tolist()) if within(x)]
    given = points.tolist()
    gains = dict(zip(sample.points.tolist(), (sample.ones - sample.zeros).tolist(), strict=True))
    mine = [gains.pop(given[i], 0) for i in inside]
    others = sorted((g for x, g in gains.items() if g > 0 and within(x)), reverse=True)
    rest = list(accumulate(others[:most], initial=0))
    return SetDichotomies(
        mine, [rest[min(r, len(rest) - 1)] for r in range(most + 1)], inside, len(points)
    )
