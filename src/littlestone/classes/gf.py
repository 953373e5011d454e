"""Linear algebra over a prime field, on tuples of Python integers: exact at any size.

A linear subspace is a tuple of rows in reduced row echelon form, which is canonical: equal
subspaces have equal rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product

__all__ = ["Basis", "is_prime", "pivot", "quotient", "reduce", "rref", "subspaces", "widen"]

Row = tuple[int, ...]
Basis = tuple[Row, ...]


def is_prime(q: int) -> bool:
    """Return whether a small integer is prime, by trial division.

    Examples
    --------
    >>> [q for q in range(12) if is_prime(q)]
    [2, 3, 5, 7, 11]
    """
    return q >= 2 and all(q % d for d in range(2, int(q**0.5) + 1))


def pivot(row: Row) -> int:
    """Return the position of the first nonzero entry of a nonzero row."""
    return next(i for i, entry in enumerate(row) if entry)


def reduce(vector: Row, basis: Basis, q: int) -> Row:
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


def widen(basis: Basis, vector: Row, q: int) -> Basis:
    """Return the reduced rows of the span of a subspace and a vector."""
    rest = reduce(vector, basis, q)
    if not any(rest):
        return basis
    at = pivot(rest)
    inverse = pow(rest[at], -1, q)
    new = tuple(inverse * entry % q for entry in rest)
    rows = [tuple((a - r[at] * b) % q for a, b in zip(r, new, strict=True)) for r in basis]
    return tuple(sorted([*rows, new], key=pivot))


def rref(vectors: Iterable[Row], q: int) -> Basis:
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


def quotient(vectors: Iterable[Row], basis: Basis, q: int) -> frozenset[Row]:
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


def normal(vector: Row, q: int) -> Row:
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
