"""Exact search on version spaces of sparse sets over an infinite domain.

Let F be the points seen so far. An *atom* is a set A of at most k points of F: it stands for all
sets that are A on F and hold at most ``k - |A|`` further points. A version space is a union of
atoms. Of a point that was never seen, label 0 changes nothing (there are infinitely many others
like it), and label 1 leaves the atoms with room, each with one place less. So

    L(atoms, k) >= t   iff   some atom has k - |A| >= t, or
                             L(atoms with room, k - 1) >= t - 1   (ask a new point), or
                             for some seen point both sides have L >= t - 1,

and questions about new points can neither lower the dimension by the SOA's answer, nor help a
decomposition. Atoms are integers: bit i of an atom is point i of F.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import comb, inf

from littlestone.combinatorics.budget import Budget, OutOfNodes
from littlestone.combinatorics.decomposition import depth_limit

__all__ = ["AtomDecomposition", "AtomSearch"]

Atoms = frozenset[int]

#: Deeper trees would exceed Python's stack: they count as out of budget.
_DEEPEST = 300


class AtomSearch:
    """Littlestone dimension, SOA and reducibility of unions of atoms.

    Parameters
    ----------
    k : int
        Most points of a set.
    budget : Budget
        A node is one union of atoms that is searched.
    """

    def __init__(self, k: int, budget: Budget) -> None:
        self.k, self._budget = k, budget
        self._decided: dict[tuple[Atoms, int], tuple[int, float]] = {}

    def ldim(self, atoms: Atoms) -> int:
        """Return the Littlestone dimension; -1 for no atom."""
        t = 0
        while self.at_least(atoms, t):
            t += 1
        return t - 1

    def at_least(self, atoms: Atoms, t: int) -> bool:
        """Decide whether the Littlestone dimension is at least t."""
        return self._at_least(atoms, self.k, t)

    def _at_least(self, atoms: Atoms, k: int, t: int) -> bool:
        if t <= 0:
            return t < 0 or bool(atoms)
        if not atoms:
            return False
        rooms = [k - a.bit_count() for a in atoms]
        if max(rooms) >= t:
            return True
        if len(atoms) == 1 or _leaves(rooms, t) < 1 << t:
            return False
        does, fails = self._decided.get((atoms, k), (0, inf))
        if t <= does or t >= fails:
            return t <= does
        self._budget.spend()
        answer = self._search(atoms, k, t)
        self._decided[atoms, k] = (max(does, t), fails) if answer else (does, min(fails, t))
        return answer

    def _search(self, atoms: Atoms, k: int, t: int) -> bool:
        with_room = frozenset(a for a in atoms if a.bit_count() < k)
        if self._at_least(with_room, k - 1, t - 1):
            return True
        for one, zero in sides(atoms):
            few, many = sorted((one, zero), key=len)
            if self._at_least(few, k, t - 1) and self._at_least(many, k, t - 1):
                return True
        return False

    def split(self, atoms: Atoms) -> int | None:
        """Return a seen point (a bit) that splits the dimension best; None: ask a new point."""
        t = self.ldim(atoms)
        if any(self.k - a.bit_count() >= t for a in atoms):
            return None
        with_room = frozenset(a for a in atoms if a.bit_count() < self.k)
        if self._at_least(with_room, self.k - 1, t - 1):
            return None
        for bit in splitting(atoms):
            one = frozenset(a for a in atoms if a & bit)
            if self.at_least(one, t - 1) and self.at_least(atoms - one, t - 1):
                return bit
        raise AssertionError("the dimension has a reason")

    def soa(self, atoms: Atoms) -> int:
        """Return the SOA on the seen points as one integer; it is 0 on all others."""
        t, everywhere, somewhere = self.ldim(atoms), -1, 0
        for a in atoms:
            everywhere, somewhere = everywhere & a, somewhere | a
        labels = everywhere & somewhere
        for bit in splitting(atoms):
            if not self.at_least(frozenset(a for a in atoms if not a & bit), t):
                labels |= bit
        return labels

    def reducibility(self, atoms: Atoms, cap: float) -> float:
        """Return the least number of SOA answers that lower the dimension, at most cap, or inf."""
        t, labels = self.ldim(atoms), self.soa(atoms)
        if t <= 0:
            return inf
        keeps = [frozenset(a for a in atoms if (a ^ labels) & bit == 0) for bit in splitting(atoms)]
        frontier, size = {atoms}, 0
        while size < cap and frontier:
            size += 1
            reached: set[Atoms] = set()
            for part in frontier:
                for keep in keeps:
                    rest = part & keep
                    if rest == part or rest in reached:
                        continue
                    self._budget.spend()
                    if not self.at_least(rest, t):
                        return size
                    reached.add(rest)
            frontier = reached
        return inf


class AtomDecomposition:
    """(p, d)-decompositions of unions of atoms; see `littlestone.combinatorics.ddim`.

    Parameters
    ----------
    search : AtomSearch
    budget : Budget
    p, d : int
    """

    def __init__(self, search: AtomSearch, budget: Budget, p: int, d: int) -> None:
        self._search, self._budget, self._p, self._d = search, budget, p, d
        self._known: dict[tuple[int, int | None, Atoms], tuple[int, float]] = {}

    def dimension(self, atoms: Atoms) -> int:
        """Return DDim; -1 for no atom."""
        if not atoms:
            return -1
        return next(
            t
            for t in range(self._search.ldim(atoms) + 1)  # with t = LDim it sits: Claim 4.1
            if self._sits(atoms, 0, t, None)
        )

    def essential(self, atoms: Atoms) -> list[int]:
        """Return the SOA, on the seen points, of each essential hypothesis."""
        if not atoms:
            return []
        t = self.dimension(atoms)
        if t == 0:  # every leaf of every optimal tree is a single set
            return sorted(atoms)
        candidates = self._leaves(atoms, 0, t)
        return sorted(f for f in candidates if not self._sits(atoms, 0, t, f))

    def _leaves(self, atoms: Atoms, depth: int, t: int) -> set[int]:
        """Return the SOAs of the leaves of dimension t of one optimal tree."""
        s = self._search.ldim(atoms)
        if s <= t and depth <= depth_limit(self._p, self._d, s):
            # Below a leaf of smaller dimension, or a reduction, no leaf has dimension t.
            return {self._search.soa(atoms)} if s == t and self._irreducible(atoms, t) else set()
        for one, zero in sides(atoms):
            if all(self._sits(side, depth + 1, t, None) for side in (one, zero)):
                return self._leaves(one, depth + 1, t) | self._leaves(zero, depth + 1, t)
        raise AssertionError("the class sits here")

    def _irreducible(self, atoms: Atoms, t: int) -> bool:
        return self._search.reducibility(atoms, self._p * 2 ** (self._d - t)) == inf

    def _sits(self, atoms: Atoms, depth: int, t: int, avoid: int | None) -> bool:
        does, fails = self._known.get((t, avoid, atoms), (-1, inf))
        if depth <= does or depth >= fails:
            return depth <= does
        answer = self._decide(atoms, depth, t, avoid)
        known = (max(does, depth), fails) if answer else (does, min(fails, depth))
        self._known[t, avoid, atoms] = known
        return answer

    def _decide(self, atoms: Atoms, depth: int, t: int, avoid: int | None) -> bool:
        s = self._search.ldim(atoms)
        if depth > depth_limit(self._p, self._d, s - 1):
            return False
        if s <= t and depth <= depth_limit(self._p, self._d, s):
            avoided = s == t and avoid is not None and self._search.soa(atoms) == avoid
            if not (avoided and self._irreducible(atoms, t)):
                return True
        if any(self._search.k - a.bit_count() > t for a in atoms):
            return False  # an atom is never split: it ends in a leaf of its own dimension
        if depth >= _DEEPEST:
            raise OutOfNodes
        self._budget.spend()
        for one, zero in sides(atoms):
            if self._sits(one, depth + 1, t, avoid) and self._sits(zero, depth + 1, t, avoid):
                return True
        return False


def splitting(atoms: Iterable[int]) -> list[int]:
    """Return the points, as bits, that some atoms hold and others do not."""
    every, some = -1, 0
    for a in atoms:
        every, some = every & a, some | a
    rest, out = some & ~every, []
    while rest:
        out.append(rest & -rest)
        rest &= rest - 1
    return out


def sides(atoms: Atoms) -> list[tuple[Atoms, Atoms]]:
    """Return the distinct splits by seen points, the most balanced ones first."""
    found: dict[Atoms, Atoms] = {}
    for bit in splitting(atoms):
        one = frozenset(a for a in atoms if a & bit)
        found[one] = atoms - one
    return sorted(found.items(), key=lambda split: -min(map(len, split)))


def _leaves(rooms: list[int], t: int) -> int:
    """Bound the leaves of a complete tree of depth t that a union of atoms can shatter.

    A class of Littlestone dimension w realises at most ``C(t, 0) + ... + C(t, w)`` of them.
    """
    counts = [sum(comb(t, i) for i in range(w + 1)) for w in range(max(rooms) + 1)]
    return sum(counts[w] for w in rooms)


def low_error_atoms(
    gains: list[int], room: int, errors: int, tolerance: int, budget: Budget
) -> list[tuple[int, ...]]:
    """Return all sets of at most ``room`` items whose gains bring the errors down far enough.

    Parameters
    ----------
    gains : list of int
        Decreasing: by how much each item lowers the errors.
    room, errors, tolerance : int
    budget : Budget
        A node is one partial set.

    Examples
    --------
    >>> low_error_atoms([3, 1, -1], 2, 4, 1, Budget(None))
    [(0,), (0, 1)]
    """
    found: list[tuple[int, ...]] = []
    prefix = [0]
    for gain in gains:
        prefix.append(prefix[-1] + max(gain, 0))

    def extend(start: int, chosen: tuple[int, ...], wrong: int) -> None:
        budget.spend()
        if wrong <= tolerance:
            found.append(chosen)
        room_left = room - len(chosen)
        for i in range(start, len(gains) if room_left else start):
            best = prefix[min(i + room_left, len(gains))] - prefix[i]
            if wrong - (best if gains[i] > 0 else gains[i]) > tolerance:
                break  # neither this item nor a later one helps
            extend(i + 1, (*chosen, i), wrong - gains[i])

    extend(0, (), errors)
    return found
