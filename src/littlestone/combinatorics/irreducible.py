"""Irreducibility: how many answers of the standard optimal algorithm lower the dimension.

A class V is *k-irreducible* when no sequence of k points, each answered as ``SOA_V`` answers,
lowers ``LDim(V)``. The least number of points that does is ``reducibility(V)``; so V is
k-irreducible exactly when ``reducibility(V) > k``.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from littlestone.combinatorics.ldim import LittlestoneSearch, soa
from littlestone.combinatorics.limits import NodeLimit
from littlestone.combinatorics.matrix import BitMatrix, set_of

V = TypeVar("V")
C = TypeVar("C")

#: Inclusion is compared pairwise below this many sets only; it is pruning, so any number is exact.
_COMPARE = 256


class ReductionSearch(Generic[V, C]):
    """Find shortest reductions of version spaces of one matrix; remembers them.

    Notes
    -----
    First a certificate in polynomial time, `is_packed`. Then breadth first over the restricted
    classes that keep the dimension; of several, only the inclusion-minimal ones matter, since
    what reduces a class reduces its subsets. Exponential in ``reducibility(V)``: the decision
    problem is coNP-hard already for Littlestone dimension 2.

    References
    ----------
    Lyu 2025, Definition 4.1.
    """

    def __init__(
        self, matrix: BitMatrix, search: LittlestoneSearch[V, C], budget: NodeLimit
    ) -> None:
        self._matrix = matrix
        self._search = search
        self._budget = budget
        self._soa: dict[int, int] = {}
        self._shortest: dict[int, tuple[int, ...]] = {}
        self._irreducible: dict[int, int] = {}  # largest k for which it is known

    def soa(self, v: int) -> int:
        """Return the labelling of the standard optimal algorithm, cached."""
        labels = self._soa.get(v)
        if labels is None:
            labels = self._soa[v] = soa(self._matrix, self._search, v)
        return labels

    def bounds(self, v: int) -> tuple[int, int]:
        """Return bounds of red(v) without search; meaningful when LDim(v) >= 1."""
        if v in self._shortest:
            return (len(self._shortest[v]),) * 2
        most = min(len(self._matrix.live), v.bit_count() - 1)
        return min(self._irreducible.get(v, 0) + 1, most), most

    def is_irreducible(self, v: int, k: int) -> bool:
        """Decide whether v is k-irreducible."""
        return self.shortest(v, k) is None

    def shortest(self, v: int, cap: int) -> tuple[int, ...] | None:
        """Return fewest points (at most cap) whose SOA answers lower LDim(v), or None.

        The points are ordered; each, answered after those before it, splits what is left.
        """
        if v in self._shortest:
            found = self._shortest[v]
            return found if len(found) <= cap else None
        dimension = self._search.ldim(v)
        if dimension <= 0 or cap <= self._irreducible.get(v, 0):
            return None  # one hypothesis agrees with its own SOA for ever
        sides = self._soa_sides(v)
        frontier: dict[int, tuple[int, ...]] = {v: ()}
        for size in range(1, cap + 1):
            reached: dict[int, tuple[int, ...]] = {}
            for part, points in frontier.items():
                for side, point in sides.items():
                    rest = part & side
                    if rest == part or rest in reached:
                        continue
                    self._budget.spend()
                    if not self._search.at_least(rest, dimension):
                        self._shortest[v] = (*points, point)
                        return self._shortest[v]
                    reached[rest] = (*points, point)
            self._irreducible[v] = max(size, self._irreducible.get(v, 0))
            if size == 1 < cap and self.is_packed(v, cap):
                return None
            minimal = _minimal(list(reached))
            frontier = {part: reached[part] for part in minimal}
        return None

    def is_packed(self, v: int, k: int) -> bool:
        """Try to prove that v is k-irreducible by a packing of shattered trees.

        Trees of depth ``LDim(v)`` are found one after the other in what the earlier ones left
        (a hypothesis that agrees with the SOA everywhere is never removed and may be shared). As
        long as one of them loses no leaf, the dimension stays: so if any k answers together
        touch fewer trees than there are, no k answers lower the dimension.
        """
        dimension = self._search.ldim(v)
        if dimension <= 0 or k <= self._irreducible.get(v, 0):
            return True
        removed = [v ^ side for side in self._soa_sides(v)]
        removable = 0
        for lost in removed:
            removable |= lost
        most = removable.bit_count() // (2**dimension - 1)
        touched = [0] * len(removed)
        trees, rest = 0, v
        while most > k and len(removed) > k and self._search.at_least(rest, dimension):
            self._budget.spend()
            leaves = set_of(self._search.tree(rest, dimension).leaves)
            rest &= ~(leaves & removable)
            trees += 1
            touched = [n + bool(lost & leaves) for n, lost in zip(touched, removed, strict=True)]
            if sum(sorted(touched, reverse=True)[:k]) < trees:
                self._irreducible[v] = k
                return True
        return False

    def _soa_sides(self, v: int) -> dict[int, int]:
        """Return the sides that SOA keeps, inclusion-minimal ones only, each with a point."""
        labels = self.soa(v)
        sides: dict[int, int] = {}
        for point, column in enumerate(self._matrix.columns):
            side = v & column if labels >> point & 1 else v & ~column
            if side != v:
                sides.setdefault(side, point)
        return {side: sides[side] for side in _minimal(list(sides))}


def _minimal(sets: list[int]) -> list[int]:
    """Return the inclusion-minimal sets, or all of them when there are too many to compare."""
    if len(sets) > _COMPARE:
        return sets
    kept: list[int] = []
    for candidate in sorted(sets, key=int.bit_count):
        if all(smaller & ~candidate for smaller in kept):
            kept.append(candidate)
    return kept
