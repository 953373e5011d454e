"""The definitions of the papers, spelled out on small domains; shares no code with the library.

A class on n points is a set of functions; function number f labels point x with bit x of f, and a
class is an integer with bit f set. So the classes on 3 points are 1..255, on 4 points 1..65535.
"""

from __future__ import annotations

from functools import cache, cached_property
from itertools import combinations, permutations, product

import numpy as np

INFINITE = float("inf")


class Universe:
    """All functions on n points, and everything about their classes by definition."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.functions = range(2**n)
        self.points = range(n)
        # functions by (point, label), as a class
        self.cells = [
            [sum(1 << f for f in self.functions if f >> x & 1 == y) for y in (0, 1)]
            for x in self.points
        ]
        self.ldim = cache(self._ldim)
        self.soa = cache(self._soa)
        self.reducibility = cache(self._reducibility)
        self.outcomes = cache(self._outcomes)
        self.most_leaves = cache(self._most_leaves)

    def classes(self):
        return range(1, 1 << 2**self.n)

    def matrix(self, v: int) -> np.ndarray:
        return np.array(
            [[f >> x & 1 for x in self.points] for f in self.functions if v >> f & 1],
            dtype=np.uint8,
        )

    # -- dimensions ---------------------------------------------------------------------------

    def _ldim(self, v: int) -> int:
        """Textbook recursion; compared with `ldim_by_trees` below."""
        if not v:
            return -1
        best = 0
        for zero, one in self.cells:
            if v & zero and v & one:
                best = max(best, 1 + min(self.ldim(v & zero), self.ldim(v & one)))
        return best

    def complete_trees(self, depth: int) -> set[frozenset[int]]:
        """Every complete tree labelled by points, as the set of classes its leaves allow."""
        trees = set()
        for points in product(self.points, repeat=2**depth - 1):
            leaves = set()
            for labels in product((0, 1), repeat=depth):
                node, allowed = 0, (1 << 2**self.n) - 1
                for label in labels:
                    allowed &= self.cells[points[node]][label]
                    node = 2 * node + 1 + label
                leaves.add(allowed)
            if 0 not in leaves:
                trees.add(frozenset(leaves))
        return trees

    def _soa(self, v: int) -> int:
        """Lyu, section 4: 0 when restricting to 0 keeps the dimension, 1 otherwise."""
        return sum(1 << x for x in self.points if self.ldim(v & self.cells[x][0]) != self.ldim(v))

    def labelled(self, chosen, labels) -> int:
        """All functions with these labels on these points, as a class."""
        return sum(
            1 << f
            for f in self.functions
            if all(f >> x & 1 == y for x, y in zip(chosen, labels, strict=True))
        )

    @cached_property
    def shatterings(self):
        """For each set of points, largest first: the classes that must all be met."""
        return [
            (size, [self.labelled(chosen, labels) for labels in product((0, 1), repeat=size)])
            for size in reversed(range(self.n + 1))
            for chosen in combinations(self.points, size)
        ]

    def vc(self, v: int) -> int:
        return next((size for size, cells in self.shatterings if all(v & c for c in cells)), -1)

    @cached_property
    def staircases(self):
        """For each sequence x_1..x_k, longest first: where h_1..h_k must come from.

        Alon et al., 3.2: h_i(x_j) = 1 iff i <= j.
        """
        return [
            (k, [self.labelled(chosen, [int(i <= j) for j in range(k)]) for i in range(k)])
            for k in reversed(range(self.n + 1))
            for chosen in permutations(self.points, k)
        ]

    def thresholds(self, v: int) -> int:
        return next(k for k, cells in self.staircases if all(v & c for c in cells))

    # -- irreducibility and decompositions ----------------------------------------------------

    def _reducibility(self, v: int) -> float:
        """The least length of a sequence of SOA answers that lowers the dimension."""
        f = self.soa(v)
        for size in range(1, self.n + 1):  # repetitions in a sequence restrict no further
            for chosen in combinations(self.points, size):
                rest = v
                for x in chosen:
                    rest &= self.cells[x][f >> x & 1]
                if self.ldim(rest) < self.ldim(v):
                    return size
        return INFINITE

    def _may_be_inner(self, v, depth, p, d):
        return depth <= p * (2 ** (d - self.ldim(v) + 1) - 1)

    def _may_be_leaf(self, v, depth, p, d):
        s = self.ldim(v)
        return depth <= p * (2 ** (d - s) - 1) and self.reducibility(v) > p * 2 ** (d - s)

    def _questions(self, v, idle):
        """Points, each with the non-empty sides; `idle` allows points that split nothing."""
        for zero, one in self.cells:
            sides = [side for side in (v & zero, v & one) if side]
            if idle or len(sides) == 2:
                yield sides

    def _outcomes(self, v, depth, p, d, t, idle=False):
        """All valid trees of degree at most t below v, as sets of SOAs of leaves of dimension t."""
        found = set()
        if not self._may_be_inner(v, depth, p, d):
            return found
        s = self.ldim(v)
        if s <= t and self._may_be_leaf(v, depth, p, d):
            found.add(frozenset([self.soa(v)] if s == t else []))
        for sides in self._questions(v, idle):
            below = [self.outcomes(side, depth + 1, p, d, t, idle) for side in sides]
            if all(below):
                found.update(frozenset().union(*pick) for pick in product(*below))
        return frozenset(found)

    def _most_leaves(self, v, depth, p, d):
        """The most leaves of a valid tree; -1 when there is none."""
        if not self._may_be_inner(v, depth, p, d):
            return -1
        best = 1 if self._may_be_leaf(v, depth, p, d) else -1
        for sides in self._questions(v, idle=False):
            below = [self.most_leaves(side, depth + 1, p, d) for side in sides]
            if min(below) > 0:
                best = max(best, sum(below))
        return best

    def holds(self, tree, v):
        """Say whether a tree is a valid decomposition of v (Definition 4.2), of its degree."""
        if tree.nodes[0].depth or tree.nodes[0].hypotheses != v:
            return False
        for node in tree.nodes:
            here = (node.hypotheses, node.depth, tree.p, tree.d)
            if not node.hypotheses or not self._may_be_inner(*here):
                return False
            if node.children is None:
                if not self._may_be_leaf(*here):
                    return False
                continue
            below = [tree.nodes[child] for child in node.children]
            if any(child.depth != node.depth + 1 for child in below):
                return False
            sides = [node.hypotheses & cell for cell in self.cells[node.point]]
            if [child.hypotheses for child in below] != sides:
                return False
        return tree.degree == max(self.ldim(leaf.hypotheses) for leaf in tree.leaves)

    def decompositions(self, v, p, d, idle=False):
        """DDim and, for every optimal tree, the SOAs of its leaves of that dimension."""
        for t in range(d + 1):
            found = self.outcomes(v, 0, p, d, t, idle)
            if found:
                return t, found
        raise AssertionError("Claim 4.1: a valid decomposition always exists")

    def essential(self, v, p, d, idle=False):
        t, trees = self.decompositions(v, p, d, idle)
        return t, frozenset.intersection(*trees)


@cache
def universe(n: int) -> Universe:
    return Universe(n)
