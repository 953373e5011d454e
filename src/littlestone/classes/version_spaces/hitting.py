"""Smallest hitting sets: exact search with a node budget.

Deciding whether one of a given size exists is NP-hard. Sets are integers: bit i is element i. In a
cube with literals, two elements can be opposite: then a hitting set may not hold both.
"""

from __future__ import annotations

from collections.abc import Iterable

from littlestone.combinatorics.budget import Budget

__all__ = ["HittingSets", "minimal"]


def minimal(sets: Iterable[int]) -> frozenset[int]:
    """Return the inclusion-minimal sets.

    Examples
    --------
    >>> sorted(minimal([0b111, 0b011, 0b100]))
    [3, 4]
    """
    kept: list[int] = []
    for candidate in sorted(set(sets), key=int.bit_count):
        if all(smaller & ~candidate for smaller in kept):
            kept.append(candidate)
    return frozenset(kept)


class HittingSets:
    """The smallest sets that meet each of some sets.

    Parameters
    ----------
    sets : iterable of int
        Nonempty.
    half : int
        Elements i and ``half + i`` are opposite; 0 for none.
    budget : Budget
        A node is one partial hitting set.

    Examples
    --------
    >>> search = HittingSets([0b011, 0b110, 0b101], 0, Budget(None))
    >>> search.least(), bin(search.union())
    (2, '0b111')
    """

    def __init__(self, sets: Iterable[int], half: int, budget: Budget) -> None:
        self._sets, self._half, self._budget = minimal(sets), half, budget

    def least(self) -> int | None:
        """Return the size of the smallest ones; None if no (consistent) set hits all."""
        found = self.smallest()
        return None if found is None else found.bit_count()

    def smallest(self) -> int | None:
        """Return one of the smallest hitting sets."""
        elements = 0
        for s in self._sets:
            elements |= s
        for size in range(elements.bit_count() + 1):
            found = self.holding(0, size)
            if found is not None:
                return found
        return None

    def holding(self, forced: int, size: int) -> int | None:
        """Return a hitting set of at most this size that holds some elements, or None."""
        if forced & self._opposite(forced):
            return None
        allowed = ~self._opposite(forced)
        rest = [s for s in self._sets if not s & forced]
        found = self._extend(rest, allowed, size - forced.bit_count())
        return None if found is None else forced | found

    def union(self) -> int:
        """Return the union of all smallest hitting sets; 0 if there is none."""
        first = self.smallest()
        if first is None:
            return 0
        size, union, tried = first.bit_count(), first, first
        for s in self._sets:
            for element in bits(s):
                if not element & tried:
                    tried |= element
                    found = self.holding(element, size)
                    if found is not None:
                        union, tried = union | found, tried | found
        return union

    def unheld(self, elements: int, cap: float) -> int | None:
        """Return the least size of a set of elements that no smallest hitting set holds.

        None if it is more than ``cap``.
        """
        size = self.least()
        if size is None:
            return None
        chosen = bits(elements)
        level = [(0, 0)]  # sets that are held, with the index of the next element
        count = 0
        while level and count < cap:
            count += 1
            following = []
            for held, start in level:
                for i in range(start, len(chosen)):
                    self._budget.spend()
                    more = held | chosen[i]
                    if self.holding(more, size) is None:
                        return count
                    following.append((more, i + 1))
            level = following
        return None

    def _extend(self, rest: list[int], allowed: int, room: int) -> int | None:
        """Return at most ``room`` allowed elements that hit the rest, or None."""
        if not rest:
            return 0 if room >= 0 else None
        if room <= 0 or self._packing(rest, allowed) > room:
            return None
        self._budget.spend()
        smallest = min((s & allowed for s in rest), key=int.bit_count)
        for element in bits(smallest):
            open_ = [s for s in rest if not s & element]
            found = self._extend(open_, allowed & ~self._opposite(element), room - 1)
            if found is not None:
                return found | element
            allowed &= ~element  # no solution holds it
        return None

    def _packing(self, rest: list[int], allowed: int) -> int:
        """Return a number of disjoint sets: each needs an element of its own."""
        used = count = 0
        for s in sorted((s & allowed for s in rest), key=int.bit_count):
            if not s & used:
                used |= s
                count += 1
        return count

    def _opposite(self, elements: int) -> int:
        if not self._half:
            return 0
        low = (1 << self._half) - 1
        return elements >> self._half | (elements & low) << self._half


def bits(elements: int) -> list[int]:
    """Return the elements of a set as sets of one."""
    out = []
    while elements:
        out.append(elements & -elements)
        elements &= elements - 1
    return out
