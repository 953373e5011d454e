"""Version spaces of points: all points but a few, or a few points; with the constant 0 or not.

Let M be the number of concepts left. Where a concept x is 1, nothing else is 1, so the Littlestone
dimension is 1 for M >= 2. Removing one concept leaves M - 1, so the SOA is 0 everywhere for M >= 3
(also M infinite) and 1 on every point left for M = 2. For M >= 2, ``reducibility`` is M - 1: zeros
remove one concept each. A decomposition peels concepts off one by one; it isolates all of them if
``M - 1 <= p (2**d - 1)``, and otherwise ends in a leaf of dimension 1 whose SOA is the constant 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import Any

from littlestone.classes.base import LISTABLE
from littlestone.classes.hypotheses import AlwaysZero, PointHypothesis
from littlestone.classes.oracles import VersionSpace, as_point, check_label, records
from littlestone.classes.point_sets import SetHypothesis, in_bounds, on_points
from littlestone.classes.points import Points
from littlestone.combinatorics.decomposition import depth_limit
from littlestone.data import Sample
from littlestone.data.points import canonical_order
from littlestone.errors import UnsupportedError, parameter_error
from littlestone.types import Hypothesis, Point

__all__ = ["PointSpace", "first_difference"]


@dataclass(frozen=True)
class PointSpace(VersionSpace):
    """Some points, and perhaps the constant 0.

    Attributes
    ----------
    zero : bool
        Whether the constant 0 is left.
    listed : frozenset of points
        The points that are left, or (``cofinite``) those that are not.
    cofinite : bool

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

    @classmethod
    def of(cls, concept_class: Points) -> PointSpace:
        """Return the space of all concepts."""
        return cls(concept_class, True, frozenset(), True)

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
        held = self._holds(point)
        if label:
            return self._finite(False, [point] if held else [])
        if not held:
            return self
        rest = self.listed | {point} if self.cofinite else self.listed - {point}
        return PointSpace(self.concept_class, self.zero, rest, self.cofinite)._tidy()

    def within_error(self, sample: Sample, tolerance: int) -> PointSpace:
        """Return the concepts of low error: a point errs on the other positives and its zeros."""
        counts = records(sample, tolerance)
        positives = counts.outside + sum(ones for _, _, ones in counts)
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

    def distinguish(self, h: Hypothesis, g: Hypothesis) -> Point | None:
        """Return a point of one of two sets of points but not of the other."""
        return first_difference(h, g)

    def reducibility(self, cap: int | None = None) -> float:
        """Return one less than the number of concepts."""
        least = self.size - 1 if self.size >= 2 else inf
        return least if cap is None or least <= cap else inf

    def decomposition_dim(self, p: int, d: int) -> int:
        """Return 0 if all concepts can be peeled off in time, else 1."""
        dimension = self._checked_dim("decomposition_dim", p, d)
        return dimension if dimension <= 0 else int(self.size - 1 > depth_limit(p, d, 0))

    def essential(self, p: int, d: int) -> Sequence[Hypothesis]:
        """Return all concepts, or the constant 0 alone if they cannot be told apart in time."""
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

    def member(self) -> Hypothesis:
        """Return the constant 0 if it is left, else the first point."""
        if self.is_empty:
            raise parameter_error("VersionSpace.member", "self", "a nonempty space", "an empty one")
        return AlwaysZero() if self.zero else PointHypothesis(self._some(1)[0])

    def _holds(self, point: Point) -> bool:
        inside = in_bounds(point, self.concept_class.bounds)
        return inside and (point in self.listed) != self.cofinite

    def _some(self, most: int) -> list[Point]:
        """Return the first points that are left, at most so many."""
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


def first_difference(h: Hypothesis, g: Hypothesis) -> Point | None:
    """Return the first point that is in one of two listed sets only."""
    difference = _ones(h) ^ _ones(g)
    return min(difference, key=canonical_order) if difference else None


def _ones(hypothesis: Hypothesis) -> frozenset[Point]:
    match hypothesis:
        case AlwaysZero():
            return frozenset()
        case PointHypothesis():
            return frozenset([hypothesis.point])
        case SetHypothesis():
            return frozenset(hypothesis.points)
    raise UnsupportedError("Only sets of listed points can be told apart here.")
