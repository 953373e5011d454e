"""Version spaces of affine subspaces (flats) of F_q^n: counting first, then exact search.

With positive examples, let C be the flat that they span, of dimension s; the flats that fit are
those through C that avoid the negatives N, and they are the subspaces of F_q^(n-s) that avoid the
directions of N seen from C. The Littlestone dimension is k, the largest dimension of such a
subspace (at most dim - s); the SOA is the intersection of all the largest flats that fit.

Before the first positive example, with A the points not in N, r - 1 the largest dimension of a flat
in A: the Littlestone dimension is r, unless A is a point or a pair of points that form a flat (then
0 and 1: without the empty set, the last concepts are too few). Again the SOA is the intersection,
for |A| >= 4; smaller ones are listed. Proofs: docs/oracles.md; counting: `avoiding`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations, product
from math import inf
from typing import Any, TypeVar

from littlestone.classes.affine_subspaces.concept_class import AffineSubspaces
from littlestone.classes.affine_subspaces.hypotheses import (
    FlatHypothesis,
    flat_through,
)
from littlestone.classes.affine_subspaces.linear_algebra import (
    Basis,
    Row,
    affine_avoiding,
    avoiding,
    certified,
    intersection,
    normal,
    pivot,
    quotient,
    reduce,
    rref,
    widen,
)
from littlestone.classes.hypotheses import AlwaysZero, on_points
from littlestone.classes.listed import MOST_LABELS, ListedSpace, Listing, labels
from littlestone.classes.oracles import (
    VersionSpace,
    as_point,
    check_label,
    searching,
    version_space,
)
from littlestone.classes.points import first_difference
from littlestone.classes.vectors import Vector
from littlestone.combinatorics.limits import NodeLimit
from littlestone.errors import SearchLimitError, UnsupportedError, parameter_error
from littlestone.types import Hypothesis, Point

T = TypeVar("T")

Rows = frozenset[Row]


@dataclass(frozen=True)
class FlatSpace(VersionSpace):
    """The flats that fit some examples.

    Examples
    --------
    >>> space = AffineSubspaces(7, 20, 2).version_space()
    >>> space = space.restrict((0,) * 20, 1).restrict((1,) * 20, 0)
    >>> space.littlestone_dim(), space.soa().describe()[:32]
    (2, '1 on the point (0, 0, 0, 0, 0, 0')
    """

    concept_class: AffineSubspaces
    flat: FlatHypothesis | None
    negatives: Rows
    max_nodes: int | None = field(compare=False, repr=False)

    @classmethod
    def of(cls, concept_class: AffineSubspaces, max_nodes: int | None) -> FlatSpace:
        """Return the space of all flats."""
        return cls(concept_class, None, frozenset(), max_nodes)

    @property
    def is_empty(self) -> bool:
        """Whether no flat is left."""
        if self.flat is None:
            return bool(len(self.negatives) == self._q**self._n)
        return self.flat.dim > self.concept_class.dim or (0,) * self._rest in self.negatives

    def restrict(self, point: Any, label: int) -> FlatSpace:
        """Return the flats that hold a point (label 1), or do not."""
        vector, label = self._vector(as_point(point)), check_label(label)
        if vector is None:
            if not label:
                return self
            nothing = FlatHypothesis(self._q, self._n, (), (0,) * self._n)
            return replace(self, flat=nothing, negatives=frozenset([(0,) * self._n]))
        if not label:
            return replace(self, negatives=self.negatives | {self._seen(vector)})
        if self.flat is None:
            flat = FlatHypothesis(self._q, self._n, (), vector)
            seen = frozenset(normal(flat.direction(x), self._q) for x in self.negatives)
            return replace(self, flat=flat, negatives=seen)
        direction = self._seen(vector)
        if not any(direction):
            return self
        seen = quotient(self.negatives, (direction,), self._q)
        return replace(self, flat=self.flat.through(vector), negatives=seen)

    def littlestone_dim(self) -> int:
        """Return the Littlestone dimension; -1 if empty."""
        if self.is_empty:
            return -1
        if self.flat is not None:
            return self._largest
        if self._few:
            return self._few.littlestone_dim()
        return self._largest + 1

    def soa(self) -> Hypothesis:
        """Return the intersection of the largest flats that fit."""
        if self.is_empty:
            return AlwaysZero()
        if self.flat is None:
            return self._few.soa() if self._few else self._common_flat()
        out = self.flat
        for row in self._common_directions():
            out = out.along(self._lift(row))
        return out

    def distinguish(self, h: Hypothesis, g: Hypothesis) -> Point | None:
        """Return a point of one of two flats but not of the other."""
        for one, other in ((h, g), (g, h)):
            if isinstance(one, FlatHypothesis) and isinstance(other, FlatHypothesis | AlwaysZero):
                found = self._outside(one, other)
                if found is not None:
                    return found
        if isinstance(h, FlatHypothesis | AlwaysZero) and isinstance(
            g, FlatHypothesis | AlwaysZero
        ):
            return None
        small = [on_points(x.points()) if isinstance(x, FlatHypothesis) else x for x in (h, g)]
        return first_difference(*small)  # one is a set of at most three points

    def reducibility(self, cap: int | None = None) -> float:
        """Return 1 where the SOA is larger than C; else count, or search a small class."""
        most, dimension = inf if cap is None else cap, self.littlestone_dim()
        if dimension <= 0:
            return inf
        if self.flat is None and self._few:
            return self._few.reducibility(cap)
        known = self._safe()
        if most <= known:
            return inf
        if self.soa() != (AlwaysZero() if self.flat is None else self.flat):
            return 1
        try:
            return self._listed("the reducibility").reducibility(cap)
        except UnsupportedError:
            raise SearchLimitError(known + 1, self._q**self._n, 0, "The reducibility") from None

    def splitting_point(self) -> Vector | None:
        """Return a point of a largest flat that fits, outside of C."""
        if self.littlestone_dim() <= 0:
            return None
        if self.flat is None:
            if self._few:
                return next(p for p in self._allowed(4))
            return self._affine(self.negatives, self._largest)[0]
        return self._plus(self.flat.offset, self._lift(self._subspace(self.negatives)[0]))

    def member(self) -> Hypothesis:
        """Return C, or the first single point."""
        if self.is_empty:
            raise parameter_error("VersionSpace.member", "self", "a nonempty space", "an empty one")
        return self.flat or FlatHypothesis(self._q, self._n, (), self._allowed(1)[0])

    # -- the largest flats --------------------------------------------------------------------

    @cached_property
    def _largest(self) -> int:
        """The largest dimension: of a subspace seen from C, or of a flat."""
        top = self.concept_class.dim - (self.flat.dim if self.flat else 0)
        for k in range(top, -1, -1):
            if self._ask(partial(self._exists, self.negatives, k)):
                return k
        raise AssertionError("a nonempty space has a concept")

    def _exists(self, forbidden: Rows, k: int, budget: NodeLimit) -> bool:
        """Say whether a flat or subspace of dimension k avoids something."""
        if self.flat is not None:
            if certified(len(forbidden), k, self._rest, self._q):
                return True
            return avoiding(forbidden, k, self._rest, self._q, budget) is not None
        if len(forbidden) * self._q**k < self._q**self._n:
            return True
        return affine_avoiding(forbidden, k, self._n, self._q, budget) is not None

    def _common_directions(self) -> Basis:
        """Return the intersection of all largest subspaces, seen from C.

        A direction v of one of them is in all, or another one avoids it; each answer raises the
        known part of the intersection or lowers the rest.
        """
        k, q = self._largest, self._q
        if not k or certified(len(self.negatives) + 1, k, self._rest, q):
            return ()
        rest = self._subspace(self.negatives)
        known: Basis = ()
        while len(known) < len(rest):
            v = next(row for row in rest if any(reduce(row, known, q)))
            found = self._ask(partial(avoiding, self.negatives | {normal(v, q)}, k, self._rest, q))
            if found is None:
                known = widen(known, v, q)
            else:
                rest = intersection(rest, found, q)
        return rest

    def _common_flat(self) -> Hypothesis:
        """Return the intersection of all largest flats: a flat, or nothing."""
        k, q, n = self._largest, self._q, self._n
        if (len(self.negatives) + 1) * q**k < q**n:
            return AlwaysZero()
        point, basis = self._affine(self.negatives, k)
        rest = FlatHypothesis(q, n, basis, point)
        known: FlatHypothesis | None = None
        while known is None or known.dim < rest.dim:
            v = next(x for x in self._generators(rest) if known is None or x not in known)
            found = self._ask(partial(affine_avoiding, self.negatives | {v}, k, n, q))
            if found is None:
                known = flat_through(q, [v]) if known is None else known.through(v)
                continue
            other = FlatHypothesis(q, n, found[1], found[0])
            common = _meet(rest, other)
            if common is None:
                return AlwaysZero()
            rest = common
        return rest

    def _safe(self) -> int:
        """Return a number of further negatives that surely do not lower the dimension."""
        k, q = self._largest, self._q
        if self.flat is not None:
            return int((q**self._rest - 2) // (q**k - 1)) - len(self.negatives)
        by_counting = int(q ** (self._n - k)) - 1 - len(self.negatives)
        return min(by_counting, int(q**self._n) - len(self.negatives) - 3)

    # -- inside -------------------------------------------------------------------------------

    @property
    def _q(self) -> int:
        return self.concept_class.q

    @property
    def _n(self) -> int:
        return self.concept_class.n

    def fresh(self) -> FlatSpace:
        """Return the same space without its listing, whose kernel remembers."""
        return replace(self)

    @property
    def _rest(self) -> int:
        """Dimension of what is seen from C."""
        return self._n - (self.flat.dim if self.flat else 0)

    @cached_property
    def _few(self) -> ListedSpace | None:
        """All flats inside at most three allowed points, listed."""
        if self.flat is not None or self._q**self._n - len(self.negatives) > 3:
            return None
        points = self._allowed(4)
        flats = {
            flat_through(self._q, chosen)
            for size in range(1, len(points) + 1)
            for chosen in combinations(points, size)
        }
        inside = set(points)
        low = (f for f in flats if f.dim <= self.concept_class.dim)
        fit = [f for f in low if inside.issuperset(f.points())]
        fit.sort(key=lambda f: (f.dim, f.basis, f.offset))
        matrix = labels(self.concept_class, fit, points)

        def name(ones: tuple[Point, ...]) -> Hypothesis:
            return _named(self._q, ones)

        return ListedSpace.of(Listing(self.concept_class, points, matrix, name, self.max_nodes))

    def _allowed(self, most: int) -> list[Vector]:
        found: list[Vector] = []
        for x in product(range(self._q), repeat=self._n):
            if len(found) == most:
                break
            if x not in self.negatives:
                found.append(x)
        return found

    def _subspace(self, forbidden: Rows) -> Basis:
        k, m, q = self._largest, self._rest, self._q
        found = self._ask(lambda budget: avoiding(forbidden, k, m, q, budget))
        assert found is not None
        return found

    def _affine(self, forbidden: Rows, k: int) -> tuple[Row, Basis]:
        found = self._ask(lambda b: affine_avoiding(forbidden, k, self._n, self._q, b))
        assert found is not None
        return found

    def _ask(self, question: Callable[[NodeLimit], T]) -> T:
        most = self.concept_class.dim + 1 - (self.flat.dim + 1 if self.flat else 0)
        with searching(self.max_nodes, "The Littlestone dimension", lambda: (0, most)) as budget:
            return question(budget)

    def _vector(self, point: Point) -> Vector | None:
        if not isinstance(point, tuple) or len(point) != self._n:
            return None
        inside = all(isinstance(v, int) and 0 <= v < self._q for v in point)
        return point if inside else None

    def _seen(self, vector: Vector) -> Row:
        """Return a point as negatives are stored."""
        if self.flat is None:
            return vector
        return next(iter(quotient([self.flat.direction(vector)], self.flat.basis, self._q)))

    def _lift(self, row: Row) -> Vector:
        """Return a vector with these coordinates off the pivots of C."""
        assert self.flat is not None
        pivots = {pivot(r) for r in self.flat.basis}
        entries = iter(row)
        return tuple(0 if i in pivots else next(entries) for i in range(self._n))

    def _plus(self, a: Vector, b: Vector) -> Vector:
        return tuple((x + y) % self._q for x, y in zip(a, b, strict=True))

    def _generators(self, flat: FlatHypothesis) -> list[Vector]:
        return [flat.offset, *(self._plus(flat.offset, row) for row in flat.basis)]

    def _outside(self, one: FlatHypothesis, other: Hypothesis) -> Vector | None:
        for x in self._generators(one):
            if not isinstance(other, FlatHypothesis) or x not in other:
                return x
        return None

    def _listed(self, what: str) -> VersionSpace:
        concepts = self.concept_class
        if concepts.size * self._q**self._n > MOST_LABELS:
            raise self._unknown(what, "the class is too large to be listed (2**26 labels).")
        points = list(product(range(self._q), repeat=self._n))
        fit = [f for f in concepts.concepts() if self._fits(f)]
        matrix = labels(concepts, fit, points)
        named = Listing(concepts, points, matrix, lambda p: _named(self._q, p), self.max_nodes)
        return ListedSpace.of(named)

    def _fits(self, concept: Any) -> bool:
        if self.flat is None:
            return all(x not in concept for x in self.negatives)
        if any(x not in concept for x in self._generators(self.flat)):
            return False
        base = self.flat.offset
        return all(self._plus(base, self._lift(row)) not in concept for row in self.negatives)


def _named(q: int, points: tuple[Any, ...]) -> Hypothesis:
    """Return the canonical hypothesis on listed points: a flat if they are one."""
    if not points:
        return AlwaysZero()
    flat = flat_through(q, points)
    return flat if q**flat.dim == len(points) else on_points(points)


def _meet(first: FlatHypothesis, second: FlatHypothesis) -> FlatHypothesis | None:
    """Return the common part of two flats, or None."""
    q, n = first.q, first.n
    # Lift to linear subspaces of one more dimension: (1, point) and (0, direction).
    lifted = [
        rref([(1, *flat.offset), *((0, *row) for row in flat.basis)], q) for flat in (first, second)
    ]
    common = intersection(lifted[0], lifted[1], q)
    if not common or not common[0][0]:
        return None
    basis = tuple(row[1:] for row in common[1:])
    return FlatHypothesis(q, n, basis, reduce(common[0][1:], basis, q))


@version_space.register
def _(concept_class: AffineSubspaces, max_nodes: int | None) -> VersionSpace:
    return FlatSpace.of(concept_class, max_nodes)
