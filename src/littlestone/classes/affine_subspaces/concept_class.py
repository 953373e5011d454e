"""Affine subspaces of F_q^n of dimension at most d: the example of Alon et al., section 1."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from littlestone.classes.affine_subspaces.linear_algebra import (
    Basis,
    is_prime,
    pivot,
    reduce,
    rref,
    subspaces,
    widen,
)
from littlestone.classes.base import LISTABLE, ConceptClass, Mapped
from littlestone.classes.encoding import Fields
from littlestone.classes.hypotheses import AlwaysZero, readable
from littlestone.classes.oracles import Closures, closures
from littlestone.classes.spec import written
from littlestone.classes.vectors import Vector, VectorDomain, vector_rows
from littlestone.data import Sample
from littlestone.errors import UnsupportedError, check_integer, parameter_error
from littlestone.source import Choice, Explicit
from littlestone.types import Hypothesis, Json, Labels, Point, Points

__all__ = ["MAX_LENGTH", "MAX_ORDER", "AffineSubspaces", "FlatHypothesis", "flat_through"]

#: Products of two entries, summed over a vector, stay within 64 bits.
MAX_ORDER = 2**20

MAX_LENGTH = 2**16


@readable
@dataclass(frozen=True)
class FlatHypothesis:
    """1 exactly on an affine subspace of F_q^n. Make one by `flat_through`.

    Parameters
    ----------
    q : prime
    n : int
    basis : tuple of rows
        Directions, in reduced row echelon form.
    offset : tuple of int
        The point of the subspace that is 0 at all pivots of the basis.

    Examples
    --------
    >>> line = flat_through(3, [(0, 1), (1, 1)])
    >>> line.basis, line.offset, line.dim
    (((1, 0),), (0, 1), 1)
    >>> line.predict(np.array([[2, 1], [2, 2]])).tolist()
    [1, 0]
    """

    q: int
    n: int
    basis: Basis
    offset: Vector

    TYPE = "flat"

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, self.q, self.n, self.basis, self.offset)

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

    def through(self, point: Vector) -> FlatHypothesis:
        """Return the smallest affine subspace that holds this one and a point."""
        return self.along(self.direction(point))

    def along(self, direction: Vector) -> FlatHypothesis:
        """Return the affine subspace spanned by this one and one more direction."""
        basis = widen(self.basis, direction, self.q)
        return FlatHypothesis(self.q, self.n, basis, reduce(self.offset, basis, self.q))

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
    def from_dict(cls, data: Any) -> FlatHypothesis:
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


def flat_through(q: int, points: Iterable[Vector]) -> FlatHypothesis:
    """Return the smallest affine subspace that holds some points, at least one.

    Examples
    --------
    >>> flat_through(2, [(0, 0), (1, 1), (1, 0)]).describe()
    'always 1'
    """
    listed = list(points)
    if not listed:
        raise parameter_error("flat_through", "points", "at least one point", 0)
    flat = FlatHypothesis(q, len(listed[0]), (), listed[0])
    for point in listed[1:]:
        flat = flat.through(point)
    return flat


def _row(fields: Fields, name: str, row: Any, q: int) -> Vector:
    if not isinstance(row, list) or not all(type(v) is int and 0 <= v < q for v in row):
        raise fields.refuse(name, f"made of integers in [0, {q - 1}]")
    return tuple(row)


@written("affine_subspaces(7, 20, 2)", "q", "n", "dim", required=3)
class AffineSubspaces(ConceptClass):
    """Affine subspaces (flats) of F_q^n of dimension at most ``dim``; none of them is empty.

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
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law; it lists
    the class, so it is for small ones. The oracles of `littlestone.classes.oracles` need no list.

    Notes
    -----
    VC dimension and Littlestone dimension ``dim + 1`` (1 for q = 2, n = 1, dim = 1, where there
    are three concepts only). The paper says dim: its ``dim`` mistakes come after the first
    positive example; that one costs a mistake, too. Proof: docs/oracles.md.

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
        owner = "AffineSubspaces"
        self.q = check_integer(owner, "q", q, low=2)
        if self.q > MAX_ORDER or not is_prime(self.q):
            hint = "The entries of vectors are counted modulo q; powers of primes are not offered."
            raise parameter_error(owner, "q", "a prime below 2**20", q, hint)
        self.n = check_integer(owner, "n", n, low=1)
        if self.n > MAX_LENGTH:
            raise parameter_error(owner, "n", f"at most {MAX_LENGTH}", n)
        self.dim = check_integer(owner, "dim", dim, low=0)
        if self.dim > self.n:
            raise parameter_error(owner, "dim", "at most n", dim, "No subspace is that large.")

    @property
    def spec(self) -> str:
        """The text of the class."""
        return f"affine_subspaces({self.q}, {self.n}, {self.dim})"

    @property
    def domain(self) -> VectorDomain:
        """The vectors."""
        return VectorDomain(self.q, self.n)

    @property
    def size(self) -> int:
        """Number of concepts: q**(n - s) translates of each s-dimensional linear subspace."""
        q, n = self.q, self.n
        total, linear = 0, 1  # linear: number of s-dimensional linear subspaces
        for s in range(self.dim + 1):
            total += q ** (n - s) * linear
            linear = linear * (q ** (n - s) - 1) // (q ** (s + 1) - 1)
        return total

    @property
    def ln_size(self) -> float:
        """Natural logarithm of the number of concepts."""
        return math.log(self.size)

    @property
    def vc_dim(self) -> int:
        """``dim + 1``; 1 if there are two points only."""
        return 1 if self.q**self.n == 2 else self.dim + 1

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all flats, scored by minus their errors; see `ConceptClass.candidates`."""
        if self.size > LISTABLE:
            raise UnsupportedError(
                f"The class {self.spec} has more than 2**20 concepts, and its exponential "
                "mechanism lists them. Use a smaller q, n or dim, or a learner for "
                "Littlestone classes."
            )
        rows, inside = vector_rows(sample.points, self.q, self.n)
        gains = (sample.ones.astype(np.int64) - sample.zeros)[inside]
        rows = rows[inside]
        # a vector lies in the translate of a linear subspace that its entries off the pivots name,
        # after reduction: one pass over the records for each linear subspace
        linear = list(self._linear())
        scores, starts = [], [0]
        for basis, free in linear:
            rest = rows
            if basis:
                factors = rows[:, [pivot(row) for row in basis]]
                rest = (rows - factors @ np.array(basis, dtype=np.int64)) % self.q
            place = np.zeros(len(rows), dtype=np.int64)
            for i in free:
                place = place * self.q + rest[:, i]
            gain = np.zeros(self.q ** len(free), dtype=np.int64)
            np.add.at(gain, place, gains)
            scores.append(gain)
            starts.append(starts[-1] + len(gain))

        def flat(index: int) -> FlatHypothesis:
            at = bisect_right(starts, index) - 1
            return self._translate(*linear[at], index - starts[at])

        return Mapped(Explicit(np.concatenate(scores) - sample.positives), flat)

    def _linear(self) -> Iterator[tuple[Basis, list[int]]]:
        """Yield each linear subspace that is small enough, and its entries off the pivots."""
        for s in range(self.dim + 1):
            for basis in subspaces(self.n, s, self.q):
                pivots = {pivot(row) for row in basis}
                yield basis, [i for i in range(self.n) if i not in pivots]

    def _translate(self, basis: Basis, free: list[int], place: int) -> FlatHypothesis:
        """Return the translate whose offset reads ``place`` off the pivots, as digits to base q."""
        offset = [0] * self.n
        for i in reversed(free):
            place, offset[i] = divmod(place, self.q)
        return FlatHypothesis(self.q, self.n, basis, tuple(offset))

    def _concepts(self) -> Iterator[FlatHypothesis]:
        for basis, free in self._linear():
            for place in range(self.q ** len(free)):
                yield self._translate(basis, free, place)

    def littlestone_bounds(self) -> tuple[int, int]:
        """Return the VC dimension, twice."""
        return self.vc_dim, self.vc_dim

    def threshold_bounds(self) -> tuple[int, int]:
        """Return dim + 1, twice."""
        return self.dim + 1, self.dim + 1

    def domain_points(self) -> Iterator[Point]:
        """Return all vectors."""
        return product(range(self.q), repeat=self.n)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.name, "q": self.q, "n": self.n, "dim": self.dim}

    @classmethod
    def from_dict(cls, data: Any) -> AffineSubspaces:
        """Read it back."""
        fields = Fields(data, ("q", "n", "dim"))
        return cls(fields.integer("q"), fields.integer("n"), fields.integer("dim"))


@closures.register
def _(concept_class: AffineSubspaces) -> Closures:
    q, n, dim = concept_class.q, concept_class.n, concept_class.dim

    def join(closed: Any, point: Any) -> Hypothesis | None:
        inside = isinstance(point, tuple) and len(point) == n
        if not inside or not all(isinstance(v, int) and 0 <= v < q for v in point):
            return None
        if isinstance(closed, AlwaysZero):
            return FlatHypothesis(q, n, (), point)
        wider = closed.through(point)
        return wider if wider.dim <= dim else None

    flats = AffineSubspaces(q, dim, dim).size if dim else 1
    return Closures(
        AlwaysZero(), join, dim + 1, flats + 1
    )  # the empty set is closed, but no concept
