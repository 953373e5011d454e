"""Half-planes (and half-lines) at public points: all their dichotomies, exactly, and their scores.

The *upper* half-planes are {y >= b + w x}, the lower ones their complements; on a bounded grid a
steep one is {x >= c}, so these are all. At public points an upper half-plane is represented by a
limit of those of least slope that label them alike (claim ``public.planes``):

* the line through two of them, i with label 1 left of j with label 0, turned a little at the
  leftmost such j: 1 above the line, and on it left of j; or
* where no such pair bounds the slope, everything from one point on in the order (x, y), or nothing.

Coordinates differ by less than 2**20. So products are exact in 64 bits, and slopes in doubles:
different fractions a/b and c/d of such numbers differ by a factor of at least 1 + 2**-40.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from littlestone.bounds.representations import PLANES, PublicPoints
from littlestone.classes.base import (
    ConceptClass,
    Mapped,
)
from littlestone.classes.hypotheses import (
    AlwaysZero,
    Fields,
    as_labels,
    json_integer,
    number,
    parse_integer,
    readable,
)
from littlestone.classes.intervals import IntervalHypothesis
from littlestone.classes.spec import ClassAtPoints, at_public_points, written
from littlestone.classes.thresholds import ThresholdHypothesis
from littlestone.data import OUTSIDE, Domain, IntegerDomain, Outside, Sample
from littlestone.data.cells import number as number_of
from littlestone.data.cells import text
from littlestone.data.domains import OneColumn, refusal
from littlestone.errors import UnsupportedError, check_integer, parameter_error
from littlestone.source import Choice, Explicit
from littlestone.types import Hypothesis, Json, Labels, Point, Points

Pair = tuple[int, int]
Rows = npt.NDArray[np.int64]

#: Coordinates differ by less than this.
WIDEST = 2**20
#: Public points: their square is the number of candidates.
MOST_POINTS = 1000


class PlaneDomain(OneColumn):
    """The integer points (x, y) of a rectangle; a cell is "x y", with a space or a comma.

    Examples
    --------
    >>> domain = PlaneDomain((0, -5), (9, 5))
    >>> [domain.cell(raw) for raw in ("3 -2", "3, 2.0", (9, 5), "10 0", "7")]
    [(3, -2), (3, 2), (9, 5), OUTSIDE, OUTSIDE]
    """

    def __init__(self, low: Pair, high: Pair) -> None:
        self.low, self.high = low, high
        self.rule = f"a pair of integers from {low} to {high}"

    def cell(self, raw: object) -> Point | Outside:
        """Convert one cell; total and deterministic."""
        if isinstance(raw, tuple | list | np.ndarray):
            parts: list[Any] = [text(part) for part in raw]
        else:
            parts = list((text(raw) or "").replace(",", " ").replace(";", " ").split())
        values: list[Any] = [None if part is None else number_of(part) for part in parts]
        if len(values) != 2 or not all(isinstance(v, int) for v in values):
            return OUTSIDE
        inside = all(a <= v <= b for a, v, b in zip(self.low, values, self.high, strict=True))
        return tuple(values) if inside else OUTSIDE

    def array(self, X: Any, caller: str = "PlaneDomain") -> Points:
        """Convert an array of shape (n, 2), or a column of such cells, strictly."""
        cells = np.asarray(X, dtype=object)
        if cells.ndim == 2 and cells.shape[1] == 1:
            cells = cells[:, 0]
        points = [self.cell(raw) for raw in (cells if cells.ndim else [X])]
        if any(point is OUTSIDE for point in points):
            raise refusal(caller, "X", self.rule)
        return self.store(points)

    def store(self, points: Sequence[Any]) -> Points:
        """Return one row for each point."""
        return np.array(points, dtype=np.int64).reshape(len(points), 2)

    def _identity(self) -> Hashable:
        return (self.low, self.high)

    def __repr__(self) -> str:
        return f"PlaneDomain({self.low}, {self.high})"


def rows_of(points: Points) -> Rows:
    """Return a batch, also one of tuples, as rows."""
    return np.array(points.tolist(), dtype=np.int64).reshape(len(points), 2)


@readable
@dataclass(frozen=True)
class HalfPlaneHypothesis(Hypothesis):
    """1 above a line through a point, and on a part of the line; or the complement.

    The line goes to the right by ``direction``; on it what lies left of the point is 1. The
    direction (0, -1) means: what is not before the point in the order (x, y) is 1.

    Examples
    --------
    >>> import numpy as np
    >>> rule = HalfPlaneHypothesis((4, 2), (2, 1), False, (0, 0), (9, 9))
    >>> rule.predict(np.array([[2, 1], [4, 2], [6, 3], [4, 3]])).tolist(), rule.describe()
    ([1, 0, 0, 1], '1 above the line through (4, 2) and (6, 3), and on it left of (4, 2)')
    """

    point: Pair
    direction: Pair
    below: bool
    low: Pair
    high: Pair

    TYPE = "half-plane"

    @property
    def key(self) -> Hashable:
        """Canonical identity: the line with its turning point."""
        return (self.TYPE, self.point, self.direction, self.below, self.low, self.high)

    def predict(self, points: Points) -> Labels:
        """Label each point; 0 outside of the domain."""
        rows = rows_of(points)
        inside = np.asarray(((rows >= self.low) & (rows <= self.high)).all(axis=1))
        (dx, dy), (x, y) = self.direction, np.where(inside[:, None], rows, self.point).T
        x, y = x - self.point[0], y - self.point[1]
        side = dx * y - dy * x
        upper = (side > 0) | ((side == 0) & ((x < 0) if dx else (y >= 0)))
        return as_labels((upper != self.below) & inside, len(points))

    def describe(self) -> str:
        """Say the hypothesis in words."""
        (x, y), (dx, dy) = self.point, self.direction
        if not dx:
            never = x > self.high[0]
            if never:
                return "always 1" if self.below else "always 0"
            order = f"x > {x}, or x = {x} and y >= {y}"
            return f"1 unless {order}" if self.below else f"1 if {order}"
        line = f"above the line through {(x, y)} and {(x + dx, y + dy)}"
        return f"{'0' if self.below else '1'} {line}, and on it left of {(x, y)}"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        ends = {name: list(getattr(self, name)) for name in ("point", "direction", "low", "high")}
        return {"type": self.TYPE, **ends, "below": self.below}

    @classmethod
    def from_dict(cls, data: Any) -> HalfPlaneHypothesis:
        """Read it back."""
        fields = Fields(data, ("point", "direction", "low", "high", "below"))
        pairs = {}
        for name in ("point", "direction", "low", "high"):
            pair = fields.items(name, 2)
            if len(pair) != 2 or not all(type(value) is int for value in pair):
                raise fields.refuse(name, "two integers")
            pairs[name] = (pair[0], pair[1])
        (dx, dy), below = pairs["direction"], fields.any("below")
        if not isinstance(below, bool) or (dx, dy) != _reduced(dx, dy) or dx < 0:
            raise fields.refuse("direction", "without a common factor, beside true or false")
        return cls(below=below, **pairs)


def _reduced(dx: int, dy: int) -> Pair:
    """Return a direction to the right without a common factor; others as (0, -1)."""
    common = math.gcd(dx, dy)
    return (dx // common, dy // common) if dx > 0 else (0, -1)


# *Proof of the lemma* of docs/public.md (A <= B: A is part of B). If A <= B, then h(A) does not
# come after h(B). (*) So if I <= T and h(I) is consistent with all of T, then h(T) = h(I), and
# the bases of I and T contain each other, so are equal. Give each point an independent uniform
# number u, and let kappa(T) be the basis of T together with those of the other points that have
# the least u, d points in all. For d points I let V'(I) be the probability that a new point z
# changes kappa: kappa(I + {z}) != I. If z is inconsistent with h(I), then h(I + {z}) comes after
# h(I), so no subset of I is a basis of I + {z}, and kappa changes: V'(I) >= V(h(I)).
#
# kappa(T) = I if and only if no single z in T minus I changes kappa(I). *If:* h(I) is consistent
# with T, so by (*) the bases of T and of all I + {z} are that of I, and the other points of I
# have smaller u than every z. *Only if:* I contains the basis of T, so h(I) = h(T) is consistent
# with every z; by (*) the bases agree again, and the other points of I have the least u.
#
# Given I the other points are independent, and kappa(T) is exactly one of the sets of d points.
# So 1 = C(m, d) E[(1 - V'(I))^(m-d)] for every m >= d. These are all moments of 1 - V'(I), so
# they determine its law; the law Pr[V'(I) <= v] = v^d has these moments. Since h(kappa(T)) =
# h(T), Pr[V(h(T)) > a] <= Pr[V'(kappa(T)) > a] = C(m, d) integral from a to 1 of (1 - v)^(m-d) d
# v^(d-1) dv = Pr[Bin(m, a) <= d-1].
#
# *Proof of `public.planes`* (docs/public.md has the lemma; delta is infinitesimal). Let c be an
# upper half-plane and m >= 2 (else the bound is 1). Move each point (x, y) to (x, y - delta x^2 +
# delta^2 U), delta > 0 infinitesimal and U uniform and independent. Almost surely no three moved
# points lie on one line that is not vertical, and no two coincide. Take the half-planes of slope
# at least -R, R larger than the grid; call one consistent if no 1 is strictly below its line and
# no 0 strictly above. On the grid c has the labels of one of these with a margin, so moved points
# have consistent ones. Order them: first the one that is 0 everywhere, then by increasing slope,
# and by decreasing b.
#
# *d = 2.* The consistent (w, b) are a polyhedron, so there is a first one, h'. If its slope
# exceeds -R, a 1 on its line and a 0 on its right there bound the slope; these two are the only
# points on the line, they alone determine h', and no set without both does. If the slope is -R,
# h' is determined by the single 1 that bounds b; if there is no 1, by the empty set.
#
# *h is wrong only where h' is inconsistent.* Let first the slope exceed -R. As delta -> 0 the
# line of h' tends to that of h (the strict constraints have a solution, so the closed ones have
# the same infimum). Off the line of h both have the same sides, so where h != c, h' is
# inconsistent. On the line, whose moved points form a concave curve up to delta^2, a pair x_i <
# x_j of a 1 and a 0 asks for a slope of at least w - delta (x_i + x_j). So the leftmost 1, i, and
# the leftmost 0, j, determine h', and the points strictly between them are strictly above its
# line. c is 1 on the line up to some point at or after i and before j, and h up to j. So h != c
# only strictly between i and j, where c is 0: inconsistent. With slope -R the moved points are
# ordered along the normal of h' as by (x, y); h and h' are 1 from q on, and a point z with h(z)
# != c(z) is not q, so it is strictly on the side that h says.


@written("half_planes(0, 0, 1023, 1023)")
class HalfPlanes(ConceptClass):
    """Half-planes of an integer grid, or half-lines; learned at public points only.

    Without public points no private learner of half-planes of real numbers exists. With 200 of them
    about 4,100 records certify the best half-plane, whatever the grid: ``AgnosticLearner(cls,
    epsilon=, public=points)``.

    Parameters
    ----------
    low, high : int, or (int, int)
        The public domain: integers for half-lines (thresholds and their complements), corners of a
        rectangle for half-planes. The sides are shorter than 2**20.

    Notes
    -----
    VC dimension 3 (2 for half-lines), or less in a small domain. Cost of a draw with m public
    points and n records: O(m (m + n) log(m + n)); 15,000 records and 200 points: a second.
    Why: docs/public.md, and a comment of this file.

    Examples
    --------
    >>> import littlestone as ls
    >>> planes = ls.theory.HalfPlanes((0, 0), (999, 999))
    >>> points = [(i * 37 % 1000, i * i % 1000) for i in range(200)]
    >>> ls.AgnosticLearner(planes, epsilon=1, public=points).required_samples()
    4100
    """

    name = "half_planes"
    vc_exact = False

    def __init__(self, low: Any, high: Any) -> None:
        caller = "HalfPlanes"
        self.plane = isinstance(low, tuple | list)
        ends = [each if isinstance(each, tuple | list) else (each,) for each in (low, high)]
        if len(ends[0]) != len(ends[1]) or len(ends[0]) != 1 + self.plane:
            raise parameter_error(caller, "high", "of the shape of low: integers, or pairs", high)
        lows, highs = ([check_integer(caller, name, v) for v in end]
                       for name, end in zip(("low", "high"), ends, strict=True))  # fmt: skip
        for a, b in zip(lows, highs, strict=True):
            if not a <= b or (self.plane and not (b - a < WIDEST and abs(a) + abs(b) < 2**60)):
                rule = f"at least low, and less than 2**{WIDEST.bit_length() - 1} beyond it"
                raise parameter_error(caller, "high", rule, high)
        self.low: Any = tuple(lows) if self.plane else lows[0]
        self.high: Any = tuple(highs) if self.plane else highs[0]

    @classmethod
    def from_spec(cls, text: str) -> Self:
        """Read the text between the parentheses: two or four integers."""
        values = [parse_integer(part, "half_planes") for part in text.split(",")]
        half = len(values) // 2
        if len(values) not in (2, 4):
            raise parameter_error("half_planes(...)", "arguments", "two or four integers", text)
        if half == 1:
            return cls(*values)
        return cls(tuple(values[:half]), tuple(values[half:]))

    @property
    def spec(self) -> str:
        """The text of the class."""
        ends = [*self.low, *self.high] if self.plane else [self.low, self.high]
        return f"half_planes({', '.join(map(number, ends))})"

    @cached_property
    def domain(self) -> Domain:
        """The points of the grid."""
        if self.plane:
            return PlaneDomain(self.low, self.high)
        return IntegerDomain(self.low, self.high)

    @property
    def size(self) -> float:
        """Infinite: they are never counted."""
        return math.inf

    @property
    def vc_dim(self) -> int:
        """3, or 2 for half-lines: an upper bound in small domains."""
        return 3 if self.plane else 2

    def littlestone_bounds(self) -> tuple[int, float]:
        """Return nothing: none is computed."""
        return 0, math.inf

    def candidates(self, sample: Any) -> Choice[Hypothesis]:
        """Refuse: there are public points first."""
        raise self._without_points()

    @property
    def hashing(self) -> Any:
        """Refuse."""
        raise self._without_points()

    def _without_points(self) -> UnsupportedError:
        return UnsupportedError(
            f"{self.spec} is learned at public points only: give public=points (fit --public FILE, "
            "plan --public-points 200), unlabelled points from the same population."
        )

    def _concepts(self) -> Iterator[Hypothesis]:
        raise self._without_points()

    def to_dict(self) -> Json:
        """Return plain JSON."""
        ends = self.low, self.high
        low, high = ([json_integer(v) for v in end] if self.plane else json_integer(end)
                     for end in ends)  # fmt: skip
        return {"type": self.name, "low": low, "high": high}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back."""
        fields = Fields(data, ("low", "high"))
        if isinstance(fields.any("low"), list):
            return cls(fields.items("low", 2), fields.items("high", 2))
        return cls(fields.integer("low"), fields.integer("high"))


class Line(NamedTuple):
    """The upper candidates that turn at one public point: their directions, and their slopes."""

    point: Rows
    directions: Rows
    slopes: npt.NDArray[np.float64]


class HalfPlanesAtPoints(ClassAtPoints):
    """Half-planes or half-lines at public points: at most m**2 + m + 2, or 2 m + 2.

    One upper and one lower candidate of the same labels of the public points are both kept: the
    theorem is about each family.
    """

    def __init__(self, concept_class: HalfPlanes, points: Any) -> None:
        super().__init__(concept_class, points)
        if concept_class.plane and len(self.points) > MOST_POINTS:
            caller = f"{type(concept_class).__name__} at public points"
            rule = f"at most {MOST_POINTS} different points"
            raise parameter_error(caller, "public", rule, len(self.points))

    @staticmethod
    def some(concept_class: HalfPlanes, number: int) -> tuple[HalfPlanes, list[Any]]:
        """Return points of a parabola modulo a prime: no three of them are on a line."""
        low, high = concept_class.low, concept_class.high
        if not concept_class.plane:
            return concept_class, list(range(low, min(low + number - 1, high) + 1))
        p = next(p for p in count(number) if all(p % q for q in range(2, math.isqrt(p) + 1)))
        points = [(i, i * i % p) for i in range(number)]
        return HalfPlanes((0, 0), (p, p)), points

    @property
    def public(self) -> PublicPoints:
        """Two points decide a half-plane, one a half-line."""
        return PublicPoints(self.number, 2, PLANES) if self._plane else PublicPoints(self.number, 1)

    @property
    def _plane(self) -> bool:
        return bool(self.concept_class.plane)

    @cached_property
    def _lines(self) -> list[Line]:
        """The directions from points on the left to each point, each slope once."""
        found = []
        for point in self.points if self._plane else ():
            left = self.points[self.points[:, 0] < point[0]]
            steps = point - left
            slopes, first = np.unique(steps[:, 1] / steps[:, 0], return_index=True)
            found.append(Line(point, steps[first], slopes))
        return found

    @cached_property
    def _upper(self) -> int:
        """Number of upper candidates."""
        return sum(len(line.slopes) for line in self._lines) + len(self.points) + 1

    @property
    def size(self) -> int:
        """Number of candidates, upper and lower ones."""
        return 2 * self._upper

    @property
    def vc_dim(self) -> int:
        """An upper bound."""
        return int(self.concept_class.vc_dim)

    vc_exact = False

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all candidates, scored by minus their errors; see `ConceptClass.candidates`."""
        counted = sample.counted
        # what label 1 costs more than label 0 at each point
        rows, weights = counted.points, counted.zeros - counted.ones
        if not self._plane:
            within = counted.within(self.concept_class.low, self.concept_class.high)
            rows, weights = within.points, within.zeros - within.ones
        sums = (
            self._plane_sums(rows_of(rows), weights) if self._plane else self._sums(rows, weights)
        )
        total = int(weights.sum())
        errors = sample.positives + np.concatenate([sums, total - sums])
        return Mapped(Explicit(-errors), self._concept)

    def _sums(self, points: Points, weights: Rows) -> Rows:
        """Return the weight of x >= q for each public point q, and of nothing."""
        first = np.searchsorted(points, self.points, side="left").astype(np.int64)
        after: Rows = np.append(np.cumsum(weights[::-1])[::-1], 0)
        sums: Rows = after[np.append(first, len(points))]
        return sums

    def _plane_sums(self, rows: Rows, weights: Rows) -> Rows:
        """Return the weight of each upper candidate: around each public point by slope."""
        found, last = [], []
        for point, _, slopes in self._lines:
            x, y = (rows - point).T
            left, right = x < 0, x > 0
            same = (x == 0) & (y > 0)
            # left of the point 1 is what is above the line or on it, right of it what is above
            low, high = (_by_slope(y[side], x[side], weights[side]) for side in (left, right))
            sums = low.up_to(slopes) + high.total - high.up_to(slopes)
            found.append(sums + weights[same].sum())
            last.append(weights[right | ((x == 0) & (y >= 0))].sum())
        sums_of_all: Rows = np.concatenate([*found, np.array([*last, 0], dtype=np.int64)])
        return sums_of_all

    def _concept(self, index: int) -> Hypothesis:
        """Return a candidate by its number: upper ones first, of these lines before cuts."""
        below, index = divmod(index, self._upper)
        low, high = self.concept_class.low, self.concept_class.high
        if not self._plane:
            start = int([*self.points, high + 1][index])
            if not below:
                return ThresholdHypothesis(start - 1, low, high)
            return IntervalHypothesis(low, start - 1) if start > low else AlwaysZero()
        for line in self._lines:
            if index < len(line.slopes):
                dx, dy = map(int, line.directions[index])
                x, y = map(int, line.point)
                return HalfPlaneHypothesis((x, y), _reduced(dx, dy), bool(below), low, high)
            index -= len(line.slopes)
        cuts = [*map(tuple, self.points.tolist()), (high[0] + 1, low[1])]
        return HalfPlaneHypothesis(cuts[index], (0, -1), bool(below), low, high)

    def _concepts(self) -> Iterator[Hypothesis]:
        return map(self._concept, range(self.size))


class _Slopes(NamedTuple):
    """Weights in the order of slopes."""

    slopes: npt.NDArray[np.float64]
    sums: Rows

    @property
    def total(self) -> int:
        return int(self.sums[-1])

    def up_to(self, slopes: npt.NDArray[np.float64]) -> Rows:
        """Return the weight of slopes that are at most these."""
        found: Rows = self.sums[np.searchsorted(self.slopes, slopes, side="right")]
        return found


def _by_slope(y: Rows, x: Rows, weights: Rows) -> _Slopes:
    slopes = y / x
    order = np.argsort(slopes, kind="stable")
    return _Slopes(slopes[order], np.concatenate([[0], np.cumsum(weights[order])]))


at_public_points.register(HalfPlanes, HalfPlanesAtPoints)
