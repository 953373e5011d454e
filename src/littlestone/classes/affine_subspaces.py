"""Affine subspaces of F_q^n of dimension at most d: the example of Alon et al., section 1.

First linear algebra over a prime field, on tuples of Python integers: exact at any size. Then the
hypotheses, the class, and its version spaces.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, product
from math import inf
from typing import Any

import numpy as np

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
    on_points,
    readable,
)
from littlestone.classes.spec import written
from littlestone.data import Sample
from littlestone.errors import SearchLimitError, UnsupportedError, check_integer, parameter_error
from littlestone.source import Choice, Explicit
from littlestone.types import Hypothesis, Json, Labels, Point, Points

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
        return super().distinguish(*small)  # one is a set of at most three points

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

    def _first(self) -> Hypothesis:
        """Return C, or the first single point."""
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
