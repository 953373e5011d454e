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
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, count, product
from math import inf
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from littlestone.bounds.representations import PLANES, PublicPoints
from littlestone.classes.base import (
    Closures,
    ConceptClass,
    Mapped,
    Vector,
    VectorDomain,
    VersionSpace,
    as_point,
    check_label,
    closures,
    vector_rows,
    version_space,
)
from littlestone.classes.finite import MOST_LABELS, ListedSpace, listing
from littlestone.classes.hypotheses import (
    AlwaysZero,
    Fields,
    Frozen,
    as_labels,
    json_integer,
    number,
    on_points,
    parse_integer,
    readable,
)
from littlestone.classes.intervals import IntervalHypothesis
from littlestone.classes.points import first_difference
from littlestone.classes.spec import ClassAtPoints, at_public_points, written
from littlestone.classes.thresholds import ThresholdHypothesis
from littlestone.data import OUTSIDE, Domain, IntegerDomain, Outside, Sample
from littlestone.data.cells import number as number_of
from littlestone.data.cells import text
from littlestone.data.domains import OneColumn, refusal
from littlestone.errors import SearchLimitError, UnsupportedError, check_integer, parameter_error
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


# -- Affine subspaces of F_q^n of dimension at most d: the example of Alon et al., section 1.
#
# First linear algebra over a prime field, on tuples of Python integers: exact at any size. Then
# the hypotheses, the class, and its version spaces.


#: Rows in reduced row echelon form, which is canonical: equal subspaces have equal rows.
Basis = tuple[Vector, ...]


def is_prime(q: int) -> bool:
    """Return whether a small integer is prime, by trial division.

    Examples
    --------
    >>> [q for q in range(12) if is_prime(q)]
    [2, 3, 5, 7, 11]
    """
    return q >= 2 and all(q % d for d in range(2, int(q**0.5) + 1))


def pivot(row: Vector) -> int:
    """Return the position of the first nonzero entry of a nonzero row."""
    return next(i for i, entry in enumerate(row) if entry)


def reduce(vector: Vector, basis: Basis, q: int) -> Vector:
    """Return the representative of a vector modulo a subspace: zero at all pivots.

    Examples
    --------
    >>> reduce((2, 1, 1), ((1, 0, 2),), 3)
    (0, 1, 0)
    """
    out = vector
    for row in basis:
        factor = out[pivot(row)]
        if factor:
            out = tuple((a - factor * b) % q for a, b in zip(out, row, strict=True))
    return out


def widen(basis: Basis, vector: Vector, q: int) -> Basis:
    """Return the reduced rows of the span of a subspace and a vector."""
    rest = reduce(vector, basis, q)
    if not any(rest):
        return basis
    at = pivot(rest)
    inverse = pow(rest[at], -1, q)
    new = tuple(inverse * entry % q for entry in rest)
    rows = [tuple((a - r[at] * b) % q for a, b in zip(r, new, strict=True)) for r in basis]
    return tuple(sorted([*rows, new], key=pivot))


def rref(vectors: Iterable[Vector], q: int) -> Basis:
    """Return the reduced row echelon form of the span of some vectors.

    Examples
    --------
    >>> rref([(2, 4, 1), (1, 2, 0)], 5)
    ((1, 2, 0), (0, 0, 1))
    """
    basis: Basis = ()
    for vector in vectors:
        basis = widen(basis, vector, q)
    return basis


def quotient(vectors: Iterable[Vector], basis: Basis, q: int) -> frozenset[Vector]:
    """Return the directions of vectors modulo a subspace.

    Each direction is one row: coordinates off the pivots, scaled so that the first nonzero entry
    is 1. A vector of the subspace has no direction and gives the zero row.

    Examples
    --------
    >>> sorted(quotient([(1, 2, 2), (0, 1, 1), (1, 0, 0)], ((1, 0, 0),), 3))
    [(0, 0), (1, 1)]
    """
    pivots = {pivot(row) for row in basis}
    return frozenset(
        normal(tuple(e for i, e in enumerate(reduce(v, basis, q)) if i not in pivots), q)
        for v in vectors
    )


def normal(vector: Vector, q: int) -> Vector:
    """Return a vector scaled so that its first nonzero entry is 1."""
    if not any(vector):
        return vector
    inverse = pow(vector[pivot(vector)], -1, q)
    return tuple(inverse * entry % q for entry in vector)


def subspaces(n: int, k: int, q: int) -> Iterator[Basis]:
    """Yield every k-dimensional subspace of F_q^n once.

    Examples
    --------
    >>> len(list(subspaces(4, 2, 2)))
    35
    """
    for pivots in combinations(range(n), k):
        free = [
            (row, column)
            for row, at in enumerate(pivots)
            for column in range(at + 1, n)
            if column not in pivots
        ]
        for entries in product(range(q), repeat=len(free)):
            rows = [[int(column == at) for column in range(n)] for at in pivots]
            for (row, column), entry in zip(free, entries, strict=True):
                rows[row][column] = entry
            yield tuple(tuple(row) for row in rows)


def certified(forbidden: int, k: int, m: int, q: int) -> bool:
    """Say whether counting proves that a k-dimensional subspace of F_q^m avoids all forbidden ones.

    Examples
    --------
    >>> certified(1000, 3, 20, 7), certified(7, 2, 3, 2)
    (True, False)
    """
    return k == 0 or (k <= m and bool(forbidden * (q**k - 1) < q**m - 1))


def directions(m: int, q: int) -> Iterator[Vector]:
    """Yield every direction of F_q^m once, normalised.

    Examples
    --------
    >>> list(directions(2, 3))
    [(0, 1), (1, 0), (1, 1), (1, 2)]
    """
    for at in reversed(range(m)):
        for tail in product(range(q), repeat=m - at - 1):
            yield (*(0,) * at, 1, *tail)


#: Products of two entries, summed over a vector, stay within 64 bits.
MAX_ORDER = 2**20

MAX_LENGTH = 2**16


@readable
@dataclass(frozen=True)
class AffineHypothesis(Frozen):
    """1 exactly on an affine subspace of F_q^n. Make one by `affine_span`.

    Examples
    --------
    >>> line = affine_span(3, [(0, 1), (1, 1)])
    >>> line.basis, line.offset, line.dim
    (((1, 0),), (0, 1), 1)
    >>> line.predict(np.array([[2, 1], [2, 2]])).tolist()
    [1, 0]
    """

    q: int
    n: int
    basis: Basis
    offset: Vector

    TYPE = "affine_subspace"

    @property
    def dim(self) -> int:
        """The dimension: 0 for a single point."""
        return len(self.basis)

    def __contains__(self, point: object) -> bool:
        return (
            isinstance(point, tuple)
            and len(point) == self.n
            and not any(reduce(self.direction(point), self.basis, self.q))
        )

    def direction(self, point: Vector) -> Vector:
        """Return a point seen from the offset."""
        return tuple((a - b) % self.q for a, b in zip(point, self.offset, strict=True))

    def through(self, point: Vector) -> AffineHypothesis:
        """Return the smallest affine subspace that holds this one and a point."""
        return self.along(self.direction(point))

    def along(self, direction: Vector) -> AffineHypothesis:
        """Return the affine subspace spanned by this one and one more direction."""
        basis = widen(self.basis, direction, self.q)
        return AffineHypothesis(self.q, self.n, basis, reduce(self.offset, basis, self.q))

    def points(self) -> Iterator[Vector]:
        """Yield all q**dim points."""
        for factors in product(range(self.q), repeat=self.dim):
            out = list(self.offset)
            for factor, row in zip(factors, self.basis, strict=True):
                out = [(a + factor * b) % self.q for a, b in zip(out, row, strict=True)]
            yield tuple(out)

    def generators(self) -> list[Vector]:
        """Return dim + 1 points that no smaller affine subspace holds."""
        rows = [(0,) * self.n, *self.basis]
        return [
            tuple((a + b) % self.q for a, b in zip(self.offset, row, strict=True)) for row in rows
        ]

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        rows, inside = vector_rows(points, self.q, self.n)
        rest = (rows - np.array(self.offset, dtype=np.int64)) % self.q
        if self.basis:
            factors = rest[:, [pivot(row) for row in self.basis]]
            rest = (rest - factors @ np.array(self.basis, dtype=np.int64)) % self.q
        return (inside & ~rest.any(axis=1)).astype(np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        at = f"({', '.join(map(str, self.offset))})"
        if not self.basis:
            return f"1 on the point {at}, otherwise 0"
        if self.dim == self.n:
            return "always 1"
        shown = [f"({', '.join(map(str, row))})" for row in self.basis[:6]]
        more = f" and {self.dim - 6} more" if self.dim > 6 else ""
        along = " and ".join(shown) + more
        return f"1 on the affine subspace through {at} along {along} (modulo {self.q}), otherwise 0"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        basis = [list(row) for row in self.basis]
        return {"type": self.TYPE, "q": self.q, "basis": basis, "offset": list(self.offset)}

    @classmethod
    def from_dict(cls, data: Any) -> AffineHypothesis:
        """Read it back; only the canonical form is accepted."""
        fields = Fields(data, ("q", "basis", "offset"))
        q = fields.integer("q", low=2, high=MAX_ORDER)
        if not is_prime(q):
            raise fields.refuse("q", "a prime")
        offset = _row(fields, "offset", fields.items("offset", MAX_LENGTH), q)
        n = len(offset)
        basis = tuple(_row(fields, "basis", row, q) for row in fields.items("basis", n))
        if not n or any(len(row) != n or not any(row) for row in basis) or rref(basis, q) != basis:
            raise fields.refuse("basis", "rows in reduced row echelon form")
        if reduce(offset, basis, q) != offset:
            raise fields.refuse("offset", "0 at the pivots of the basis")
        return cls(q, n, basis, offset)


def affine_span(q: int, points: Iterable[Vector]) -> AffineHypothesis:
    """Return the smallest affine subspace that holds some points, at least one.

    Examples
    --------
    >>> affine_span(2, [(0, 0), (1, 1), (1, 0)]).describe()
    'always 1'
    """
    listed = list(points)
    if not listed:
        raise parameter_error("affine_span", "points", "at least one point", 0)
    subspace = AffineHypothesis(q, len(listed[0]), (), listed[0])
    for point in listed[1:]:
        subspace = subspace.through(point)
    return subspace


def _row(fields: Fields, name: str, row: Any, q: int) -> Vector:
    if not isinstance(row, list) or not all(type(v) is int and 0 <= v < q for v in row):
        raise fields.refuse(name, f"made of integers in [0, {q - 1}]")
    return tuple(row)


def count_subspaces(q: int, n: int, dim: int) -> int:
    """Return the number of subspaces: q**(n - s) translates of each s-dimensional linear subspace.

    Examples
    --------
    >>> count_subspaces(2, 4, 1)  # 16 points and 120 lines
    136
    """
    total, linear = 0, 1  # linear: number of s-dimensional linear subspaces
    for s in range(min(dim, n) + 1):
        total += q ** (n - s) * linear
        linear = linear * (q ** (n - s) - 1) // (q ** (s + 1) - 1)
    return total


@written("affine_subspaces(7, 20, 2)")
class AffineSubspaces(ConceptClass):
    """Affine subspaces of F_q^n of dimension at most ``dim``; none of them is empty.

    Parameters
    ----------
    q : prime
        The field F_q = {0, ..., q - 1}.
    n : int >= 1
        Length of the vectors.
    dim : int in [0, n]
        Largest dimension of a concept: 0 for single points, 1 for points and lines, ...

    Raises
    ------
    ParameterError
        If q is not a prime below 2**20. (A power of a prime needs another arithmetic.)

    Guarantee
    ---------
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law, where
    the class can be listed (2**26 labels).

    Notes
    -----
    VC dimension and Littlestone dimension ``dim + 1`` (1 for q = 2, n = 1, dim = 1, where there
    are three concepts only). The paper says dim: its ``dim`` mistakes come after the first
    positive example; that one costs a mistake, too. Proof: a comment of this file.

    Source: Alon et al. 2022, section 1.

    Examples
    --------
    >>> planes = AffineSubspaces(7, 20, 2)
    >>> planes.vc_dim, planes.size > 7**50
    (3, True)
    >>> AffineSubspaces(2, 4, 1).size  # 16 points and 120 lines
    136
    """

    name = "affine_subspaces"

    def __init__(self, q: int, n: int, dim: int) -> None:
        caller = "AffineSubspaces"
        self.q = check_integer(caller, "q", q, low=2)
        if self.q > MAX_ORDER or not is_prime(self.q):
            hint = "The entries of vectors are counted modulo q; powers of primes are not offered."
            raise parameter_error(caller, "q", "a prime below 2**20", q, hint)
        self.n = check_integer(caller, "n", n, low=1)
        if self.n > MAX_LENGTH:
            raise parameter_error(caller, "n", f"at most {MAX_LENGTH}", n)
        self.dim = check_integer(caller, "dim", dim, low=0)
        if self.dim > self.n:
            raise parameter_error(caller, "dim", "at most n", dim, "No subspace is that large.")

    @property
    def domain(self) -> VectorDomain:
        """The vectors."""
        return VectorDomain(self.q, self.n)

    @property
    def size(self) -> int:
        """Number of concepts."""
        return count_subspaces(self.q, self.n, self.dim)

    @property
    def ln_size(self) -> float:
        """Natural logarithm of the number of concepts."""
        return math.log(self.size)

    @property
    def vc_dim(self) -> int:
        """``dim + 1``; 1 if there are two points only."""
        return 1 if self.q**self.n == 2 else self.dim + 1

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all subspaces, scored by minus their errors; see `ConceptClass.candidates`."""
        listed = self._listed
        gains = sample.ones.astype(np.int64) - sample.zeros
        scores = np.array([int(gains[h.predict(sample.points) == 1].sum()) for h in listed])
        return Mapped(Explicit(scores - sample.positives), listed.__getitem__)

    @cached_property
    def _listed(self) -> list[AffineHypothesis]:
        if self.size * self.q**self.n > MOST_LABELS:
            raise UnsupportedError(
                f"The class {self.spec} is too large to be listed (more than 2**26 labels), as its "
                "exponential mechanism does. Use a smaller q, n or dim, or a learner for "
                "Littlestone classes (with a delta)."
            )
        return list(self._concepts())

    def _concepts(self) -> Iterator[AffineHypothesis]:
        for s in range(self.dim + 1):
            for basis in subspaces(self.n, s, self.q):
                pivots = {pivot(row) for row in basis}
                digits = [range(1) if i in pivots else range(self.q) for i in range(self.n)]
                for offset in product(*digits):  # translates: 0 at the pivots
                    yield AffineHypothesis(self.q, self.n, basis, offset)

    def improper(self, ones: tuple[Point, ...]) -> Hypothesis:
        """Return the canonical hypothesis on listed points: a subspace if they are one."""
        points: Any = ones
        subspace = affine_span(self.q, points) if points else None
        return subspace if subspace and self.q**subspace.dim == len(points) else on_points(points)

    def littlestone_bounds(self) -> tuple[int, int]:
        """Return the VC dimension, twice."""
        return self.vc_dim, self.vc_dim

    def threshold_bounds(self) -> tuple[int, int]:
        """Return dim + 1, twice."""
        return self.dim + 1, self.dim + 1

    def domain_points(self) -> Iterator[Point]:
        """Return all vectors."""
        return product(range(self.q), repeat=self.n)


@closures.register
def _(concept_class: AffineSubspaces) -> Closures:
    q, n, dim = concept_class.q, concept_class.n, concept_class.dim

    def join(closed: Any, point: Any) -> Hypothesis | None:
        inside = isinstance(point, tuple) and len(point) == n
        if not inside or not all(isinstance(v, int) and 0 <= v < q for v in point):
            return None
        if closed == AlwaysZero():
            return AffineHypothesis(q, n, (), point)
        wider = closed.through(point)
        return wider if wider.dim <= dim else None

    concepts = AffineSubspaces(q, dim, dim).size if dim else 1
    # inside a subspace of dimension ``dim``: its points; then, through one of dimension i, the next
    widths = (q**dim, *((q ** (dim - i) - 1) // (q - 1) for i in range(dim)))
    # the empty set is closed, but no concept
    return Closures(AlwaysZero(), join, dim + 1, concepts + 1, widths)


# *Dimension and counts* (rank, cl(P) and F as in docs/oracles.md). *Affine subspaces* are never
# empty, so before the first positive the induction needs a last step: with A the allowed points,
# label 0 at x leaves subspaces in A - x. For r >= 3 a parallel hyperplane of F has at least 2
# points and more of F is left; for r = 2 one needs |A| >= 3, for r = 1 |A| >= 2. So L = r except
# that L = r - 1 when A is one point (r = 1) or one pair that is a line (q = 2, r = 2). (The
# paper's "dim" omits the mistake at the first positive: L = dim + 1.)
#
# **Counting.** k-dimensional subspaces of F_q^m: a uniformly random one contains a fixed nonzero
# vector with probability (q^k - 1)/(q^m - 1), since it has q^k - 1 nonzero vectors and the linear
# group is transitive on them. So if |N| (q^k - 1) < q^m - 1, some k-dimensional subspace avoids
# all directions in N (seen from cl(P), m = n - dim cl(P)). With |N| + 1 in place of |N| the SOA
# is cl(P) itself; with |N| + t the space is t-irreducible.


@dataclass(frozen=True)
class AffineSpace(VersionSpace):
    """The affine subspaces that fit some examples: by counting where it decides, else listed.

    Let C be the span of the positive examples, of dimension s. The subspaces that fit are those
    through C that avoid the negatives, so subspaces of F_q^(n-s) that avoid their directions seen
    from C. The Littlestone dimension is k, the largest dimension of one (at most dim - s); the SOA
    is the intersection of all largest ones. Before the first positive example, with at least four
    points left, it is 1 + the largest dimension of an affine subspace that avoids the negatives.
    Proofs, also of the counts: the comment above, and docs/oracles.md.

    Examples
    --------
    >>> space = AffineSubspaces(7, 20, 2).version_space()
    >>> space = space.restrict((0,) * 20, 1).restrict((1,) * 20, 0)
    >>> space.littlestone_dim(), space.soa().describe()[:32]
    (2, '1 on the point (0, 0, 0, 0, 0, 0')
    """

    concept_class: AffineSubspaces
    span: AffineHypothesis | None
    negatives: frozenset[Vector]  # points, or directions seen from C
    max_nodes: int | None = field(compare=False, repr=False)

    @property
    def is_empty(self) -> bool:
        """Whether no subspace is left."""
        if self.span is None:
            return bool(len(self.negatives) == self._q**self._n)
        return self.span.dim > self.concept_class.dim or (0,) * self._rest in self.negatives

    def restrict(self, point: Any, label: int) -> AffineSpace:
        """Return the subspaces that hold a point (label 1), or do not."""
        vector, label = self._vector(as_point(point)), check_label(label)
        if vector is None:
            if not label:
                return self
            nothing = AffineHypothesis(self._q, self._n, (), (0,) * self._n)
            return replace(self, span=nothing, negatives=frozenset([(0,) * self._n]))
        if not label:
            return replace(self, negatives=self.negatives | {self._seen(vector)})
        if self.span is None:
            subspace = AffineHypothesis(self._q, self._n, (), vector)
            seen = frozenset(normal(subspace.direction(x), self._q) for x in self.negatives)
            return replace(self, span=subspace, negatives=seen)
        direction = self._seen(vector)
        if not any(direction):
            return self
        seen = quotient(self.negatives, (direction,), self._q)
        return replace(self, span=self.span.through(vector), negatives=seen)

    def littlestone_dim(self) -> int:
        """Return the Littlestone dimension; -1 if empty."""
        if self.is_empty:
            return -1
        if not self._counted(0):
            return self._listed("the Littlestone dimension").littlestone_dim()
        return self._largest + (self.span is None)

    def soa(self) -> Hypothesis:
        """Return the intersection of the largest subspaces that fit."""
        if self.is_empty:
            return AlwaysZero()
        if not self._counted(1) and (self._largest or not self.span):
            return self._listed("the SOA").soa()
        return self.span or AlwaysZero()

    def distinguish(self, h: Hypothesis, g: Hypothesis) -> Point | None:
        """Return a point of one of two subspaces but not of the other."""
        spaces = (AffineHypothesis, AlwaysZero)
        if isinstance(h, spaces) and isinstance(g, spaces):
            for one, other in ((h, g), (g, h)):
                for x in one.generators() if isinstance(one, AffineHypothesis) else ():
                    if not isinstance(other, AffineHypothesis) or x not in other:
                        return x
            return None
        small = [on_points(x.points()) if isinstance(x, AffineHypothesis) else x for x in (h, g)]
        return first_difference(*small)  # one is a set of at most three points

    def reducibility(self, cap: int | None = None) -> float:
        """Return what counting or the list says."""
        dimension = self.littlestone_dim()
        if dimension <= 0:
            return inf
        known = 0  # so many further negatives surely do not lower the dimension
        if self._counted(0):
            k, q, negatives = self._largest, self._q, len(self.negatives)
            known = int((q**self._rest - 2) // (q**k - 1)) - negatives if self.span else (
                min(int(q ** (self._n - k)) - 1, int(q**self._n) - 3) - negatives
            )  # fmt: skip
        if cap is not None and cap <= known:
            return inf
        try:
            return self._listed("the reducibility").reducibility(cap)
        except UnsupportedError:
            raise SearchLimitError(known + 1, self._q**self._n, 0, "The reducibility") from None

    def splitting_point(self) -> Point | None:
        """Return a point of a largest subspace that fits, outside of C."""
        if self.littlestone_dim() <= 0:
            return None
        if not self._counted(0):
            return self._listed("the Littlestone dimension").splitting_point()
        if self.span is None:  # the count holds at every point and in every direction
            return self._allowed()
        free = (v for v in directions(self._rest, self._q) if v not in self.negatives)
        return self._from_span(next(free))

    def member(self) -> Hypothesis:
        """Return C, or the first single point."""
        if self.is_empty:
            raise parameter_error("VersionSpace.member", "self", "a nonempty space", "an empty one")
        return self.span or AffineHypothesis(self._q, self._n, (), self._allowed())

    def fresh(self) -> AffineSpace:
        """Return the same space without its listing, whose kernel remembers."""
        return replace(self)

    # -- inside -------------------------------------------------------------------------------

    @property
    def _q(self) -> int:
        return self.concept_class.q

    @property
    def _n(self) -> int:
        return self.concept_class.n

    @property
    def _rest(self) -> int:
        """Dimension of what is seen from C."""
        return self._n - (self.span.dim if self.span else 0)

    @property
    def _largest(self) -> int:
        """The largest dimension that a subspace seen from C, or one of all points, may have."""
        return self.concept_class.dim - (self.span.dim if self.span else 0)

    def _counted(self, more: int) -> bool:
        """Say whether counting proves that a largest one avoids so many more negatives, too."""
        count, k, q = len(self.negatives) + more, self._largest, self._q
        if self.span is not None:
            return certified(count, k, self._rest, q)
        return bool(count * q**k < q**self._n and len(self.negatives) + 4 <= q**self._n)

    def _allowed(self) -> Vector:
        return next(x for x in product(range(self._q), repeat=self._n) if x not in self.negatives)

    def _vector(self, point: Point) -> Vector | None:
        if not isinstance(point, tuple) or len(point) != self._n:
            return None
        inside = all(isinstance(v, int) and 0 <= v < self._q for v in point)
        return point if inside else None

    def _seen(self, vector: Vector) -> Vector:
        """Return a point as negatives are stored."""
        if self.span is None:
            return vector
        return next(iter(quotient([self.span.direction(vector)], self.span.basis, self._q)))

    def _from_span(self, direction: Vector) -> Vector:
        """Return a point in this direction, given off the pivots of C."""
        assert self.span is not None
        pivots = {pivot(r) for r in self.span.basis}
        entries = iter(direction)
        offset = enumerate(self.span.offset)
        return tuple(x if i in pivots else (x + next(entries)) % self._q for i, x in offset)

    def _listed(self, what: str) -> VersionSpace:
        if self.concept_class.size * self._q**self._n > MOST_LABELS:
            raise self._unknown(what, "the class is too large to be listed (2**26 labels).")
        return self._rows

    @cached_property
    def _rows(self) -> VersionSpace:
        space: VersionSpace = ListedSpace.of(listing(self.concept_class, self.max_nodes))
        for x in self.span.generators() if self.span else ():
            space = space.restrict(x, 1)
        for row in self.negatives:
            space = space.restrict(row if self.span is None else self._from_span(row), 0)
        return space


@version_space.register
def _(concept_class: AffineSubspaces, max_nodes: int | None) -> VersionSpace:
    return AffineSpace(concept_class, None, frozenset(), max_nodes)
