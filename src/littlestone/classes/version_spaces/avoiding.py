"""Subspaces of F_q^m that avoid given directions: a counting certificate, then exact search.

*Counting.* Let N be a set of directions (nonzero vectors up to scale) of F_q^m, and 0 <= k <= m. A
uniformly random k-dimensional subspace holds a fixed nonzero vector with probability
``(q^k - 1) / (q^m - 1)``: it has q^k - 1 nonzero vectors, and the linear group moves any nonzero
vector to any other. So it meets N with probability at most |N| times that, and

    |N| (q^k - 1) < q^m - 1   implies that some k-dimensional subspace avoids N.

Then greedy choice finds one. Take any direction v outside N, and look at the quotient by v: it has
dimension m - 1, at most |N| directions must be avoided, none of them is 0, and the inequality
holds again with k - 1 and m - 1, because ``(q^(k-1) - 1) / (q^k - 1)`` increases with k. A subspace
of the quotient that avoids the images of N, together with v, avoids N.

*Search.* Without the certificate (the question is NP-hard for q >= 3: colouring) every direction v
is tried. If no subspace through v avoids N, then v may be added to N; so the search ends early, by
the opposite count: a k-dimensional subspace needs ``(q^k - 1) / (q - 1)`` allowed directions.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from littlestone.classes.gf import Basis, Row, normal, pivot, quotient, reduce, rref
from littlestone.combinatorics.budget import Budget

__all__ = ["affine_avoiding", "avoiding", "certified", "directions", "intersection"]

Rows = frozenset[Row]


def certified(forbidden: int, k: int, m: int, q: int) -> bool:
    """Say whether counting proves that a k-dimensional subspace of F_q^m avoids so many directions.

    Examples
    --------
    >>> certified(1000, 3, 20, 7), certified(7, 2, 3, 2)
    (True, False)
    """
    return k == 0 or (k <= m and bool(forbidden * (q**k - 1) < q**m - 1))


def avoiding(forbidden: Rows, k: int, m: int, q: int, budget: Budget) -> Basis | None:
    """Return a k-dimensional subspace of F_q^m without any forbidden direction; None if none is.

    Parameters
    ----------
    forbidden : frozenset of rows
        Normalised directions; not the zero row.
    k, m, q : int
    budget : Budget
        A node is one direction that is tried without certificate.

    Examples
    --------
    >>> plane = frozenset([(1, 0, 0), (0, 1, 0), (0, 0, 1)])
    >>> avoiding(plane, 2, 3, 2, Budget(None))
    ((1, 0, 1), (0, 1, 1))
    >>> avoiding(plane | {(1, 1, 1), (1, 1, 0)}, 2, 3, 2, Budget(None)) is None
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
    forbidden: frozenset[Row], k: int, n: int, q: int, budget: Budget
) -> tuple[Row, Basis] | None:
    """Return a k-dimensional affine subspace of F_q^n without forbidden points: a point, a basis.

    None if there is none. The certificate ``|N| q^k < q^n`` (a random affine subspace holds a fixed
    point with probability q^k / q^n) implies that of every base point outside N.

    Examples
    --------
    >>> affine_avoiding(frozenset([(0, 0), (1, 1)]), 1, 2, 2, Budget(None))
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
