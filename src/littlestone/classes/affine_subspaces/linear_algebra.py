"""Linear algebra over a prime field, on tuples of Python integers: exact at any size.

A linear subspace is a tuple of rows in reduced row echelon form, which is canonical: equal
subspaces have equal rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product

from littlestone.combinatorics.limits import NodeLimit

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


Rows = frozenset[Row]


def certified(forbidden: int, k: int, m: int, q: int) -> bool:
    """Say whether counting proves that a k-dimensional subspace of F_q^m avoids all forbidden ones.

    Examples
    --------
    >>> certified(1000, 3, 20, 7), certified(7, 2, 3, 2)
    (True, False)
    """
    return k == 0 or (k <= m and bool(forbidden * (q**k - 1) < q**m - 1))


def avoiding(forbidden: Rows, k: int, m: int, q: int, budget: NodeLimit) -> Basis | None:
    """Return a k-dimensional subspace of F_q^m without any forbidden direction; None if none is.

    Examples
    --------
    >>> plane = frozenset([(1, 0, 0), (0, 1, 0), (0, 0, 1)])
    >>> avoiding(plane, 2, 3, 2, NodeLimit(None))
    ((1, 0, 1), (0, 1, 1))
    >>> avoiding(plane | {(1, 1, 1), (1, 1, 0)}, 2, 3, 2, NodeLimit(None)) is None
    True
    """
    if k == 0:
        return ()
    if k > m or not _room(forbidden, k, m, q):
        return None
    sure = certified(len(forbidden), k, m, q)
    if k == m and not sure:
        return None
    excluded = forbidden
    for v in directions(m, q):
        if v in excluded:
            continue
        if not sure:
            budget.spend()
            if not _room(excluded, k, m, q):
                return None
        found = avoiding(quotient(excluded, (v,), q), k - 1, m - 1, q, budget)
        if found is not None:
            at = pivot(v)
            lifted = [(*row[:at], 0, *row[at:]) for row in found]
            return rref([v, *lifted], q)
        excluded = excluded | {v}
    return None


def affine_avoiding(
    forbidden: frozenset[Row], k: int, n: int, q: int, budget: NodeLimit
) -> tuple[Row, Basis] | None:
    """Return a k-dimensional affine subspace of F_q^n without forbidden points: a point, a basis.

    None if there is none. The certificate ``|N| q^k < q^n`` (a random affine subspace holds a fixed
    point with probability q^k / q^n) implies that of every base point outside N.

    Examples
    --------
    >>> affine_avoiding(frozenset([(0, 0), (1, 1)]), 1, 2, 2, NodeLimit(None))
    ((0, 1), ((1, 1),))
    """
    sure = len(forbidden) * q**k < q**n
    excluded = set(forbidden)
    if not sure and q**n - len(excluded) < q**k:
        return None
    for point in product(range(q), repeat=n):
        if point in excluded:
            continue
        if not sure:
            budget.spend()
            if q**n - len(excluded) < q**k:
                return None
        seen = frozenset(
            normal(tuple((a - b) % q for a, b in zip(x, point, strict=True)), q) for x in excluded
        )
        basis = avoiding(seen, k, n, q, budget)
        if basis is not None:
            return reduce(point, basis, q), basis
        excluded.add(point)  # no subspace through it avoids the others
    return None


def directions(m: int, q: int) -> Iterator[Row]:
    """Yield every direction of F_q^m once, normalised.

    Examples
    --------
    >>> list(directions(2, 3))
    [(0, 1), (1, 0), (1, 1), (1, 2)]
    """
    for at in reversed(range(m)):
        for tail in product(range(q), repeat=m - at - 1):
            yield (*(0,) * at, 1, *tail)


def intersection(first: Basis, second: Basis, q: int) -> Basis:
    """Return the common part of two subspaces (Zassenhaus).

    Examples
    --------
    >>> intersection(((1, 0, 0), (0, 1, 0)), ((1, 1, 0), (0, 0, 1)), 3)
    ((1, 1, 0),)
    """
    rows = [(*row, *row) for row in first] + [(*row, *(0,) * len(row)) for row in second]
    return rref((row[len(row) // 2 :] for row in rref(rows, q) if not any(_left(row))), q)


def _left(row: Row) -> Row:
    return row[: len(row) // 2]


def _room(forbidden: Rows, k: int, m: int, q: int) -> bool:
    """Say whether enough directions are allowed."""
    return bool((q**m - 1) // (q - 1) - len(forbidden) >= (q**k - 1) // (q - 1))
