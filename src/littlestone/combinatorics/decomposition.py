"""(p, d)-decompositions, the decomposition dimension and essential hypotheses, exactly.

A (p, d)-decomposition is a tree of restrictions that ends in irreducible classes. Write
``D(s) = p (2**(d - s) - 1)``. In a valid tree a node with Littlestone dimension s has depth at most
``D(s - 1)``; a leaf has depth at most ``D(s)`` and is ``(p 2**(d - s))``-irreducible. A side
without hypotheses is dropped, never expanded: otherwise Lemma 4.1 would be false.

*Search.* A class with Littlestone dimension s <= t at depth at most D(s) can always be completed
with leaves of dimension at most t: while it is reducible, query the points that reduce it (Claim
4.1). So irreducibility need not be checked; the search decides at which depths a class is possible:

    V is possible at depth k  iff  k <= D(s - 1), s = LDim(V), and
                                   s <= t and k <= D(s), or
                                   for some point both (non-empty) sides are at depth k + 1.

The decomposition dimension is the least t for which the class is possible at depth 0. A labelling f
is essential iff it is not once leaves of dimension t with SOA f are forbidden. The empty class has
none; if the depth suffices for every column, the dimension is 0 and every hypothesis is essential;
if red(V) >= D(L - 1) + 2, L = LDim(V) >= 1, every tree follows SOA_V to a leaf of dimension L with
that SOA, and to no other: the list is {SOA_V}. (With + 1 in place of + 2 this is false.)
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from littlestone.combinatorics.dimensions import LittlestoneSearch, soa
from littlestone.combinatorics.matrix import BitMatrix, NodeLimit, members_of, set_of

# -- Irreducibility: how many answers of the standard optimal algorithm lower the dimension.
#
# A class V is *k-irreducible* when no sequence of k points, each answered as ``SOA_V`` answers,
# lowers ``LDim(V)``. The least number of points that does is ``reducibility(V)``; so V is
# k-irreducible exactly when ``reducibility(V) > k``.


#: Inclusion is compared pairwise below this many sets only; it is pruning, so any number is exact.
_COMPARE = 256


class ReductionSearch:
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

    def __init__(self, matrix: BitMatrix, search: LittlestoneSearch, budget: NodeLimit) -> None:
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
            sequence = self._shortest[v]
            return sequence if len(sequence) <= cap else None
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


@dataclass(frozen=True)
class DecompositionNode:
    """One node of a decomposition tree."""

    depth: int
    hypotheses: int
    point: int | None = None
    children: tuple[int, int] | None = None


@dataclass(frozen=True)
class DecompositionTree:
    """A valid (p, d)-decomposition: a witness that ``DDim_{p,d} <= degree``.

    References
    ----------
    Lyu 2025, Definition 4.2 (with non-empty nodes only).
    """

    p: int
    d: int
    degree: int
    nodes: tuple[DecompositionNode, ...]

    @property
    def leaves(self) -> tuple[DecompositionNode, ...]:
        """The leaves: the classes of the decomposition."""
        return tuple(node for node in self.nodes if node.point is None)


def depth_limit(p: int, d: int, s: int) -> int:
    """Return ``D(s) = p (2**(d - s) - 1)``: how deep a leaf of Littlestone dimension s may be.

    Examples
    --------
    >>> [depth_limit(3, 2, s) for s in (2, 1, 0, -1)]
    [0, 3, 9, 21]
    """
    return int(p * (2 ** (d - s) - 1))


Goal = tuple[int, int | None]  # (degree t, labelling that no leaf of dimension t may have)
Sitting = Generator[tuple[int, int], bool, bool]


class DecompositionSearch:
    """Answer decomposition questions on version spaces of one matrix, for one pair (p, d).

    References
    ----------
    Lyu 2025, Definitions 4.2 and 4.3, Claim 4.1.
    """

    def __init__(
        self,
        matrix: BitMatrix,
        search: LittlestoneSearch,
        reductions: ReductionSearch,
        budget: NodeLimit,
        *,
        p: int,
        d: int,
    ) -> None:
        self._p, self._d = p, d
        self._matrix = matrix
        self._search = search
        self._reductions = reductions
        self._budget = budget
        # For each goal and class: the greatest depth known to do, the least known to fail.
        self._known: dict[Goal, dict[int, tuple[int, float]]] = {}
        self._lower: dict[int, int] = {}
        self._essential: dict[int, tuple[int, ...]] = {}

    def bounds(self, v: int) -> tuple[int, int]:
        """Return what is known about DDim(v) without search: (lower, upper)."""
        return (self._lower.get(v, 0), self._search.bounds(v)[1]) if v else (-1, -1)

    def dimension(self, v: int) -> int:
        """Return DDim(v); -1 for the empty class."""
        if not v:
            return -1
        t = self._lower.get(v, 0)
        while not self._sits(v, 0, (t, None)):  # with t = LDim(v) it does: Claim 4.1
            t += 1
            self._lower[v] = t
        return t

    def tree(self, v: int) -> DecompositionTree:
        """Return one optimal tree of a non-empty class."""
        t = self.dimension(v)
        nodes: list[DecompositionNode] = []
        links: list[tuple[int, int]] = []  # (position of the parent, label) of each node
        # A reduction under way: the points still to answer, and the SOA that answers them.
        todo: list[tuple[int, int, int, int, tuple[int, ...], int]] = [(v, 0, -1, 0, (), 0)]
        while todo:
            part, depth, parent, label, path, labels = todo.pop()
            self._budget.spend()
            s = self._search.ldim(part)
            if not path and s <= t and depth <= self._limit(s):
                path = self._reductions.shortest(part, self._p * 2 ** (self._d - s)) or ()
                labels = self._reductions.soa(part) if path else 0
                point = path[0] if path else None
            else:
                point = path[0] if path else self._split(part, depth, t)
            position = len(nodes)
            nodes.append(DecompositionNode(depth, part, point))
            links.append((parent, label))
            if point is not None:
                column = self._matrix.columns[point]
                for answer, side in enumerate((part & ~column, part & column)):
                    rest = path[1:] if path and labels >> point & 1 == answer else ()
                    todo.append((side, depth + 1, position, answer, rest, labels))
        return DecompositionTree(self._p, self._d, t, _linked(nodes, links))

    def essential(self, v: int) -> tuple[int, ...]:
        """Return all essential labellings, ascending; none for the empty class."""
        if not v:
            return ()
        if v not in self._essential:
            self._essential[v] = self._all_essential(v)
        return self._essential[v]

    def _all_essential(self, v: int) -> tuple[int, ...]:
        top = self._search.ldim(v)
        if top >= 1 and not self._isolates(v, 0, top, len(self._matrix.live)):
            # Every tree follows the SOA of v for D(top - 1) + 1 steps at most. If that many steps
            # do not lower the dimension, and one more does not either, the path ends in a leaf of
            # dimension ``top`` with the SOA of v, and no other leaf has that dimension.
            cap = self._limit(top - 1) + 1
            if cap < self._reductions.bounds(v)[1] and self._reductions.is_irreducible(v, cap):
                self._lower[v] = top
                return (self._reductions.soa(v),)
        t = self.dimension(v)
        if t == 0:  # all leaves of all optimal trees are single hypotheses
            return tuple(sorted(self._matrix.rows[h] for h in members_of(v).tolist()))
        candidates = {
            self._reductions.soa(leaf.hypotheses)
            for leaf in self.tree(v).leaves
            if self._search.ldim(leaf.hypotheses) == t
        }
        return tuple(f for f in sorted(candidates) if not self._sits(v, 0, (t, f)))

    def _limit(self, s: int) -> int:
        return depth_limit(self._p, self._d, s)

    def _sits(self, v: int, depth: int, goal: Goal) -> bool:
        """Decide whether v can sit at a depth; a trampoline, as trees may be very deep."""
        stack = [self._sitting(v, depth, goal)]
        answer: bool | None = None
        while True:
            try:
                asked = next(stack[-1]) if answer is None else stack[-1].send(answer)
            except StopIteration as end:
                answer = bool(end.value)
                stack.pop()
                if not stack:
                    return answer
            else:
                stack.append(self._sitting(*asked, goal))
                answer = None

    def _sitting(self, v: int, depth: int, goal: Goal) -> Sitting:
        """Decide whether v can sit at a depth; sides are asked from the trampoline."""
        known = self._known.setdefault(goal, {})
        does, fails = known.get(v, (-1, float("inf")))
        if depth <= does or depth >= fails:
            return depth <= does
        sits = yield from self._decide(v, depth, goal)
        known[v] = (max(does, depth), fails) if sits else (does, min(fails, depth))
        return sits

    def _decide(self, v: int, depth: int, goal: Goal) -> Sitting:
        t, avoid = goal
        s = self._search.ldim(v)
        if depth > self._limit(s - 1):
            return False
        if s <= t and depth <= self._limit(s) and not (s == t and self._is_avoided(v, avoid)):
            return True
        if t == 0 and v.bit_count() > self._most_leaves(s, depth):
            return False
        self._budget.spend()
        splits = self._splits(v)
        if self._isolates(v, depth, s, len(splits)):
            return True
        for harder, easier, _ in self._ranked(splits):
            if (yield harder, depth + 1) and (yield easier, depth + 1):
                return True
        return False

    def _is_avoided(self, v: int, avoid: int | None) -> bool:
        """Say whether v, of the goal's dimension, must not become a leaf.

        Whether it is irreducible need not be asked: if it is not, the points that reduce it are
        among the splits that are tried next.
        """
        return avoid is not None and self._reductions.soa(v) == avoid

    def _most_leaves(self, s: int, depth: int) -> int:
        """Bound the leaves below a node of dimension s (the potential of Lemma 4.1)."""
        if s <= 1:  # one hypothesis leaves the path at each depth up to D(0)
            return self._limit(0) - depth + 1 if s else 1
        return int((self._p * 2**self._d - depth) ** s)

    def _isolates(self, v: int, depth: int, s: int, splits: int) -> bool:
        """Say whether asking for everything, down to single hypotheses, surely is valid."""
        questions = min(splits, v.bit_count() - 1)
        return depth + questions <= min(self._limit(0), self._limit(s - 1) + 1)

    def _splits(self, v: int) -> list[tuple[int, int, int]]:
        """Return the distinct splits of v as (side, other side, point), in column order."""
        splits: dict[int, int] = {}
        lowest = v & -v
        for column, point in self._matrix.live.items():
            side = v & column
            if side & lowest:
                side ^= v
            if side:
                splits.setdefault(side, point)
        return [(side, v ^ side, point) for side, point in splits.items()]

    def _ranked(self, splits: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        """Return splits as (harder side, easier side, point), the least hard ones first."""

        def hardness(side: int) -> tuple[int, int]:
            return self._search.ldim(side), side.bit_count()

        ordered = [
            (one, two, point) if hardness(one) >= hardness(two) else (two, one, point)
            for one, two, point in splits
        ]
        return sorted(ordered, key=lambda split: hardness(split[0]))

    def _split(self, v: int, depth: int, t: int) -> int:
        """Return a point of which both sides sit one deeper; v is known to sit at this depth."""
        splits = self._splits(v)
        if self._isolates(v, depth, self._search.ldim(v), len(splits)):  # then any will do
            return max(splits, key=lambda s: min(s[0].bit_count(), s[1].bit_count()))[2]
        goal = (t, None)
        return next(
            point
            for harder, easier, point in self._ranked(splits)
            if self._sits(harder, depth + 1, goal) and self._sits(easier, depth + 1, goal)
        )


def _linked(
    nodes: list[DecompositionNode], links: list[tuple[int, int]]
) -> tuple[DecompositionNode, ...]:
    """Return the nodes with their children filled in."""
    children: dict[int, list[int]] = {}
    for position, (parent, label) in enumerate(links):
        children.setdefault(parent, [0, 0])[label] = position
    return tuple(
        DecompositionNode(node.depth, node.hypotheses, node.point, _pair(children.get(position)))
        for position, node in enumerate(nodes)
    )


def _pair(children: list[int] | None) -> tuple[int, int] | None:
    return None if children is None else (children[0], children[1])
