"""Affine subspaces of F_q^n of dimension at most d: the example of Alon et al., section 1.

First linear algebra over a prime field, on tuples of Python integers. Then the hypotheses, and the
class.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, product
from typing import Any

import numpy as np
from flint import nmod_mat

from littlestone.classes.base import (
    Closures,
    ConceptClass,
    Mapped,
    Vector,
    VectorDomain,
    closures,
    vector_rows,
)
from littlestone.classes.finite import MOST_LABELS
from littlestone.classes.hypotheses import (
    AlwaysZero,
    Fields,
    Frozen,
    on_points,
    readable,
)
from littlestone.classes.spec import written
from littlestone.data import Sample
from littlestone.errors import UnsupportedError, check_integer, parameter_error
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


def rref(vectors: Iterable[Vector], q: int) -> Basis:
    """Return the reduced row echelon form of the span of some vectors.

    Examples
    --------
    >>> rref([(2, 4, 1), (1, 2, 0)], 5)
    ((1, 2, 0), (0, 0, 1))
    """
    rows = list(vectors)
    if not rows:
        return ()
    reduced, rank = nmod_mat(len(rows), len(rows[0]), list(chain(*rows)), q).rref()
    return tuple(tuple(map(int, row)) for row in reduced.tolist()[:rank])


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
        basis = rref((*self.basis, self.direction(point)), self.q)
        return AffineHypothesis(self.q, self.n, basis, reduce(self.offset, basis, self.q))

    def points(self) -> Iterator[Vector]:
        """Yield all q**dim points."""
        for factors in product(range(self.q), repeat=self.dim):
            out = list(self.offset)
            for factor, row in zip(factors, self.basis, strict=True):
                out = [(a + factor * b) % self.q for a, b in zip(out, row, strict=True)]
            yield tuple(out)

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
