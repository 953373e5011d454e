"""Paper 004's definitions on explicit classes, without the library."""

from __future__ import annotations

from functools import cache


@cache
def ldim(rows: frozenset) -> int:
    if not rows:
        return -1
    best = 0
    for x in range(len(next(iter(rows)))):
        sides = [frozenset(r for r in rows if r[x] == y) for y in (0, 1)]
        if all(sides):
            best = max(best, 1 + min(map(ldim, sides)))
    return best


def soa(rows: frozenset, points: int) -> tuple:
    """Label 0 where it keeps the dimension, else 1: the library's public rule for ties."""
    best = ldim(rows)
    return tuple(
        0 if ldim(frozenset(r for r in rows if r[x] == 0)) == best else 1 for x in range(points)
    )


def extended_soa(rows: frozenset, points: int, examples) -> tuple:
    """Definition 11, one example after the other."""
    h, realizable = soa(rows, points), True
    for x, y in examples:
        rest = frozenset(r for r in rows if r[x] == y)
        if realizable and rest:
            rows = rest
            h = soa(rows, points)
        else:
            realizable = False
            h = (*h[:x], y, *h[x + 1 :])
    return h
