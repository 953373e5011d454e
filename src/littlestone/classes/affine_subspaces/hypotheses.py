"""Flats of F_q^n as hypotheses."""

from __future__ import annotations

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
    widen,
)
from littlestone.classes.encoding import Fields
from littlestone.classes.hypotheses import readable
from littlestone.classes.vectors import Vector, vector_rows
from littlestone.errors import parameter_error
from littlestone.types import Json, Labels, Points

#: Products of two entries, summed over a vector, stay within 64 bits.
MAX_ORDER = 2**20

MAX_LENGTH = 2**16


@readable
@dataclass(frozen=True)
class FlatHypothesis:
    """1 exactly on an affine subspace of F_q^n. Make one by `flat_through`.

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


def flat_count(q: int, n: int, dim: int) -> int:
    """Return the number of flats: q**(n - s) translates of each s-dimensional linear subspace.

    Examples
    --------
    >>> flat_count(2, 4, 1)  # 16 points and 120 lines
    136
    """
    total, linear = 0, 1  # linear: number of s-dimensional linear subspaces
    for s in range(min(dim, n) + 1):
        total += q ** (n - s) * linear
        linear = linear * (q ** (n - s) - 1) // (q ** (s + 1) - 1)
    return total
