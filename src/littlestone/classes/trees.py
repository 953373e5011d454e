"""The tree of a class of VC dimension 1 (paper 000/001, §4): MakeTree and everything it offers.

Shapes (chains, stars, lists) know no class; `make_tree` gives them roots, labels and concepts; the
tree of an explicit class is found from its matrix, or refused.

The page: ``docs/vc1-trees.md``.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.classes.hypotheses import TableHypothesis
from littlestone.data.domains import canonical_order
from littlestone.errors import UnsupportedError, parameter_error
from littlestone.types import Hypothesis, Point

if TYPE_CHECKING:
    from littlestone.classes.base import ConceptClass
    from littlestone.data import Sample

__all__ = [
    "ROOT",
    "Chain",
    "Forest",
    "ListedForest",
    "MatrixTree",
    "Node",
    "PathsTree",
    "Star",
    "VC1Tree",
    "make_tree",
]


# -- Rooted forests by depth arithmetic: the skeleton of every class of VC dimension 1.
#
# A *forest* hangs from `ROOT` (the paper's ∅, at depth 0); its nodes are points, at depths 1, 2,
# ... Nothing is stored unless it must be: a chain of 2**1024 nodes and the networks of IPv6
# answer with a few operations on integers.


class Root(enum.Enum):
    """The type of `ROOT`."""

    ROOT = "root"

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return self.value

    def __repr__(self) -> str:
        return "ROOT"


#: The node above all points (the paper's ∅). It is no point, and equals no point.
ROOT = Root.ROOT

Node = Hashable


class Forest(ABC):
    """A rooted forest, finite or not.

    A node *precedes* its ancestors and itself, as in the paper: ``x ⪯ y`` if and only if y lies on
    the path from x up to the root. Everything follows from `depth` and `ancestor`. Every forest is
    a `littlestone.mechanisms.median.PathTree`.
    """

    height: int
    size: int | float

    @abstractmethod
    def __contains__(self, node: object) -> bool:
        """Return whether this is a node (`ROOT` is not)."""

    @abstractmethod
    def depth(self, node: Node) -> int:
        """Return the number of nodes on the path from a node up to, and without, `ROOT`."""

    @abstractmethod
    def ancestor(self, node: Node, depth: int) -> Node:
        """Return the node at a depth in [0, depth(node)] on the path up from a node."""

    @abstractmethod
    def children(self, node: Node) -> Iterator[Node]:
        """Yield the children of a node or of `ROOT`, in a fixed public order; maybe endlessly."""

    @abstractmethod
    def child_count(self, node: Node) -> int | float:
        """Return the number of children of a node or of `ROOT`; ``math.inf`` if infinite."""

    @abstractmethod
    def order(self, node: Node) -> Any:
        """Return a sort key of a depth-first order: a node, then all that lies below it."""

    @abstractmethod
    def eccentricity(self, node: Node) -> int:
        """Return the largest number of edges from a node or `ROOT` to another one."""

    def parent(self, node: Node) -> Node:
        """Return the node just above; `ROOT` above a top node."""
        return self.ancestor(node, self.depth(node) - 1)

    def path(self, node: Node) -> Iterator[Node]:
        """Yield the nodes from the top down to, and with, a node."""
        for depth in range(1, self.depth(node) + 1):
            yield self.ancestor(node, depth)

    def precedes(self, x: Node, y: Node) -> bool:
        """Return whether y is x itself or above it (everything precedes `ROOT`)."""
        depth = self.depth(y)
        return depth <= self.depth(x) and self.ancestor(x, depth) == y

    def meet(self, x: Node, y: Node) -> int:
        """Return the depth of the deepest node that both precede; 0 if that is `ROOT`.

        Cost: O(log(depth)) calls of `ancestor`.
        """
        low, high = 0, min(self.depth(x), self.depth(y))
        while low < high:
            middle = (low + high + 1) // 2
            if self.ancestor(x, middle) == self.ancestor(y, middle):
                low = middle
            else:
                high = middle - 1
        return low


class Chain(Forest):
    """The integers from ``top`` to ``bottom``, each one the only child of the one before.

    Examples
    --------
    >>> chain = Chain(2**1024, 1)
    >>> chain.depth(2**1024 - 5), chain.ancestor(7, 3) == 2**1024 - 2
    (6, True)
    """

    def __init__(self, top: int, bottom: int) -> None:
        self.top, self.bottom = top, bottom
        self._step = 1 if bottom >= top else -1
        self.height = self.size = abs(bottom - top) + 1

    def __contains__(self, node: object) -> bool:
        return isinstance(node, int) and 0 <= (node - self.top) * self._step < self.height

    def depth(self, node: Any) -> int:
        """Return the place in the chain, from 1."""
        return 0 if node is ROOT else int((node - self.top) * self._step + 1)

    def ancestor(self, node: Node, depth: int) -> Node:
        """Return the integer at this place."""
        return self.top + self._step * (depth - 1) if depth else ROOT

    def children(self, node: Node) -> Iterator[Node]:
        """Yield the next integer, if there is one."""
        if self.child_count(node):
            yield self.ancestor(node, self.depth(node) + 1)

    def child_count(self, node: Node) -> int:
        """Return 0 at the bottom, otherwise 1."""
        return int(self.depth(node) < self.height)

    def order(self, node: Node) -> int:
        """Return the depth."""
        return self.depth(node)

    def eccentricity(self, node: Node) -> int:
        """Return the distance of the farther end; `ROOT` is one end."""
        return max(self.depth(node), self.height - self.depth(node))

    def meet(self, x: Node, y: Node) -> int:
        """Return the smaller depth: all are comparable."""
        return min(self.depth(x), self.depth(y))


class Star(Forest):
    """Every point is a child of `ROOT`; there may be infinitely many.

    Examples
    --------
    >>> Star(float("inf"), member=lambda x: True).meet("a", "b")
    0
    """

    height = 1

    def __init__(
        self,
        size: int | float,
        member: Callable[[object], bool],
        members: Callable[[], Iterable[Node]] | None = None,
    ) -> None:
        self.size = size
        self._member, self._members = member, members

    def __contains__(self, node: object) -> bool:
        return node is not ROOT and self._member(node)

    def depth(self, node: Node) -> int:
        """Return 1 for a point."""
        return int(node is not ROOT)

    def ancestor(self, node: Node, depth: int) -> Node:
        """Return the point itself, or `ROOT`."""
        return node if depth else ROOT

    def children(self, node: Node) -> Iterator[Node]:
        """Yield the points below `ROOT`."""
        if node is not ROOT:
            return iter(())
        if self._members is None:
            raise UnsupportedError(
                "The points of an unbounded domain have no public order that could be walked. "
                "Bound the domain, for example points(low, high)."
            )
        return iter(self._members())

    def child_count(self, node: Node) -> int | float:
        """Return the number of points below `ROOT`, and 0 below a point."""
        return self.size if node is ROOT else 0

    def order(self, node: Node) -> Any:
        """Return the canonical order of points, after `ROOT`."""
        return (0,) if node is ROOT else (1, *canonical_order(node))

    def eccentricity(self, node: Node) -> int:
        """Return 1 for `ROOT` (and for an only point), 2 for a point."""
        return 1 if node is ROOT or self.size == 1 else 2

    def meet(self, x: Node, y: Node) -> int:
        """Return 1 for one and the same point."""
        return int(x == y and x is not ROOT)


Index = npt.NDArray[np.int64]


class ListedForest(Forest):
    """A finite forest of listed nodes.

    Notes
    -----
    Cost: building O(n log(height)), `ancestor` O(log(height)) (binary lifting).

    Examples
    --------
    >>> forest = ListedForest("abcd", np.array([-1, 0, 1, 0]))
    >>> forest.height, list(forest.path("c")), list(forest.children("a")), forest.meet("c", "d")
    (3, ['a', 'b', 'c'], ['b', 'd'], 1)
    """

    def __init__(self, nodes: Sequence[Hashable], parents: Index) -> None:
        self.nodes = list(nodes)
        self.parents = parents
        self.size: int = len(self.nodes)
        self._index = {node: i for i, node in enumerate(self.nodes)}
        depths = [0] * (self.size + 1)  # the last entry is the root's: parent -1 points to it
        for i, above in enumerate(parents.tolist()):
            depths[i] = depths[above] + 1
        self.depths: Index = np.array(depths[:-1], dtype=np.int64)
        self.height = max(depths)

    @cached_property
    def _lifts(self) -> list[Index]:
        """For each k, the ancestor 2**k steps above every node; the root is the last index."""
        up = np.append(self.parents, -1)
        up[up < 0] = self.size
        lifts = [up]
        for _ in range(1, self.height.bit_length()):
            lifts.append(lifts[-1][lifts[-1]])
        return lifts

    @cached_property
    def _below(self) -> tuple[Index, Index]:
        """All nodes sorted by parent, and where the children of the root and of each node begin."""
        order = np.argsort(self.parents, kind="stable")
        starts = np.searchsorted(self.parents[order], np.arange(-1, self.size + 1))
        return order, starts

    def index(self, node: Node) -> int:
        """Return the place of a node in the list; -1 for `ROOT`."""
        return -1 if node is ROOT else self._index[node]

    def node(self, index: int) -> Node:
        """Return the node at a place in the list; `ROOT` for -1."""
        return ROOT if index < 0 else self.nodes[index]

    def __contains__(self, node: object) -> bool:
        return isinstance(node, Hashable) and node in self._index

    def depth(self, node: Node) -> int:
        """Return the number of nodes on the path."""
        return 0 if node is ROOT else int(self.depths[self._index[node]])

    def ancestor(self, node: Node, depth: int) -> Node:
        """Return the ancestor, by at most log2(height) jumps."""
        if not depth:
            return ROOT
        at, steps = self._index[node], self.depth(node) - depth
        for k in range(steps.bit_length()):
            if steps >> k & 1:
                at = int(self._lifts[k][at])
        return self.nodes[at]

    def path(self, node: Node) -> Iterator[Node]:
        """Yield the nodes from the top down to a node."""
        at, upwards = self.index(node), []
        while at >= 0:
            upwards.append(at)
            at = int(self.parents[at])
        return (self.nodes[i] for i in reversed(upwards))

    def children(self, node: Node) -> Iterator[Node]:
        """Yield the children, in the order of the list."""
        order, starts = self._below
        at = self.index(node) + 1
        return (self.nodes[i] for i in order[starts[at] : starts[at + 1]].tolist())

    def child_count(self, node: Node) -> int:
        """Return the number of children."""
        starts = self._below[1]
        at = self.index(node) + 1
        return int(starts[at + 1] - starts[at])

    @cached_property
    def _ranks(self) -> list[int]:
        """The rank of each node in preorder, siblings in the order of the list."""
        count = [1] * self.size + [0]  # nodes below, and with, each one; the root's comes last
        above = self.parents.tolist()
        for i in range(self.size - 1, -1, -1):
            count[above[i]] += count[i]
        free = [0] * (self.size + 1)  # the next free rank below each node
        ranks = [0] * self.size
        for i in range(self.size):
            ranks[i] = free[above[i]]
            free[above[i]] += count[i]
            free[i] = ranks[i] + 1
        return ranks

    def order(self, node: Node) -> int:
        """Return the rank in preorder; -1 for `ROOT`."""
        return -1 if node is ROOT else self._ranks[self._index[node]]

    def eccentricity(self, node: Node) -> int:
        """Return the largest distance, by one sweep: O(n)."""
        return int(_distances(self, self.index(node)).max())


def centre(forest: ListedForest, allowed: npt.ArrayLike | None = None) -> int:
    """Return the allowed vertex from which the farthest vertex is nearest.

    Notes
    -----
    Edges join each node with its parent. Some end of a longest path is farthest from every vertex
    (Jordan 1869), so two sweeps suffice. Cost: O(n).

    Examples
    --------
    >>> centre(ListedForest("abcd", np.array([-1, 0, 1, 2])))
    1
    """
    vertices: Any = np.arange(-1, forest.size) if allowed is None else np.asarray(allowed)
    one_end = _distances(forest, int(np.argmax(forest.depths)) if forest.size else -1)
    farthest = int(np.argmax(one_end))  # the root is the last entry
    other_end = _distances(forest, farthest if farthest < forest.size else -1)
    distances = np.maximum(one_end, other_end)
    return int(vertices[np.argmin(distances[vertices])])


def _distances(forest: ListedForest, start: int) -> Index:
    """Return the number of edges from a vertex to every vertex; the root is the last entry."""
    shared = [-1] * forest.size + [0]  # depth of the deepest common ancestor with the start
    at = start
    while at >= 0:
        shared[at] = int(forest.depths[at])
        at = int(forest.parents[at])
    for i, above in enumerate(forest.parents.tolist()):
        if shared[i] < 0:
            shared[i] = shared[above]
    depths = np.append(forest.depths, 0)
    distances: Index = depths + int(depths[start]) - 2 * np.array(shared, dtype=np.int64)
    return distances


# -- The tree of a class of VC dimension 1, for the private learner of Yan 2025.
#
# Fix a concept f. Relabel each concept c to ``c_f = c XOR f``; merge points that no concept then
# distinguishes; remove the points on which every concept agrees with f. Then the order "whenever
# x has label 1, so has y" makes the points a forest, and every concept is one path up to the root
# (paper 001, Definitions 13-17, Algorithm 1, Lemmas 3-5; in paper 000 Definitions 14-17).
#
# The paper's distance d(x) is `Forest.depth`, its empty set is `ROOT`, and ``x ⪯ y`` is
# `Forest.precedes`: y is x or above it.
#
# The concepts are *vertices* of an unrooted tree whose edges are the points, and choosing f is
# choosing the root. So the f of least height is a centre.
#
# *Proof* (the statement: docs/vc1-trees.md). `c_g = c_f XOR g_f`. Columns of C_f contain a 0 (at
# f), so none is another's complement, and passing to C_g complements some columns: two columns
# are equal in C_g if and only if they are in C_f, and constant ones stay constant; the nodes are
# the same. c_g is 1 on the symmetric difference of the root paths of v(c) and v(g), which is the
# path of T between v(c) and v(g). So the order of C_g is that of the paths of T that start at
# v(g).


def plain(point: Point) -> Point:
    """Return a NumPy number as Python's."""
    return point.item() if isinstance(point, np.generic) else point


class VC1Tree(Forest):
    """The tree of a class of VC dimension at most 1, under one concept f.

    Points enter by `quotient`, and from there on everything is about nodes. A node stands for all
    points that no concept distinguishes from it (relative to f), and is canonical and hashable.
    """

    @abstractmethod
    def quotient(self, point: Point) -> Node | None:
        """Return the node of a point; None if every concept agrees with f on it.

        A point outside the domain is such a point: every concept labels it 0.
        """

    @abstractmethod
    def f(self, point: Point) -> int:
        """Return the label that f gives to a point (0 outside the domain)."""

    @abstractmethod
    def hypothesis(self, node: Node) -> Hypothesis:
        """Return "f, but flipped on the path from a node up to the root"; f itself for `ROOT`.

        The node's concept if the node is proper, and otherwise an improper hypothesis.
        """

    @abstractmethod
    def is_proper(self, node: Node) -> bool:
        """Return whether the path from the node up to the root is a concept (Definition 17)."""

    def concept(self, node: Node) -> Hypothesis:
        """Return the concept of a proper node."""
        if not self.is_proper(node):
            raise UnsupportedError(
                "This node is not proper: no concept is its path. Use hypothesis(node) for the "
                "improper hypothesis, or go down to a proper node."
            )
        return self.hypothesis(node)

    def deterministic(self, sample: Sample) -> Node:
        """Return the deepest node that a sample forces to be on the path of its concept.

        Let x be the deepest of the positive points (after relabelling by f). If all positives lie
        on non-constant points of one path, and no negative lies on the path from x to the root, the
        forced nodes are x and everything above it. Otherwise no path fits the sample, and no node
        is forced: the answer is `ROOT`, as it is without any positive.

        Guarantee
        ---------
        For every sample, realizable or not, the forced nodes lie on one path: at most one at each
        depth. (Definition 15 read literally forces *every* point if no concept fits.)

        Notes
        -----
        A subset of the deterministic points of Definition 15 whenever some concept fits, and equal
        to them if every node is proper. Cost: O(distinct points).

        Source: paper 001, Definition 15 (paper 000: 16), with the correction of
        docs/vc1-trees.md.
        """
        deepest: Node = ROOT  # of the positive nodes
        negative: list[Node] = []
        if sample.outside[1]:
            return ROOT
        counts = zip(
            sample.points.tolist(), sample.zeros.tolist(), sample.ones.tolist(), strict=True
        )
        for point, zeros, ones in counts:
            flipped = self.f(point)
            node = self.quotient(point)
            if zeros if flipped else ones:
                if node is None:
                    return ROOT
                if self.precedes(node, deepest):
                    deepest = node
                elif not self.precedes(deepest, node):
                    return ROOT
            if (ones if flipped else zeros) and node is not None:
                negative.append(node)
        return ROOT if any(self.precedes(deepest, node) for node in negative) else deepest


class PathsTree(VC1Tree):
    """The tree of a class whose concepts are *all* paths of a forest, and the empty set.

    So every node is proper. Thresholds are the paths of a chain, points those of a star, prefixes
    those of the forest of prefixes. Nothing is written out: re-rooting is depth arithmetic.

    Notes
    -----
    A point is the edge between its node and the node's parent. Seen from ``at``, the edges above
    ``at`` are crossed in the opposite direction; all others keep theirs.

    Examples
    --------
    A chain rooted in its middle has half the height:

    >>> from littlestone.classes.trees import Chain
    >>> tree = PathsTree(Chain(1, 9), at=4, make=lambda node: node)
    >>> tree.height, [tree.depth(x) for x in range(1, 10)]
    (5, [4, 3, 2, 1, 1, 2, 3, 4, 5])
    >>> list(tree.path(7)), list(tree.path(2)), tree.f(3), tree.f(7)
    ([5, 6, 7], [4, 3, 2], 1, 0)
    """

    def __init__(self, forest: Forest, at: Node, make: Callable[[Node], Hypothesis]) -> None:
        if at is not ROOT and at not in forest:
            raise parameter_error("PathsTree", "at", "ROOT or a node of the forest", at)
        self.forest, self.at, self._make = forest, at, make
        self._top = forest.depth(at)  # number of reversed edges
        self.size = forest.size
        self.height = forest.eccentricity(at)

    def __contains__(self, node: object) -> bool:
        return node in self.forest

    def quotient(self, point: Point) -> Node | None:
        """Return the point itself: a path class distinguishes all its points."""
        point = plain(point)
        return point if point in self.forest else None

    def f(self, point: Point) -> int:
        """Return 1 on the path of f."""
        point = plain(point)
        return int(point in self.forest and self._reversed(point))

    def is_proper(self, node: Node) -> bool:
        """Return True: the class holds every path."""
        return True

    def _reversed(self, node: Node) -> bool:
        return node is not ROOT and self.forest.precedes(self.at, node)

    def depth(self, node: Node) -> int:
        """Return the number of points on which f and the node's concept differ."""
        if node is ROOT:
            return 0
        return sum(self._turns(node))

    def ancestor(self, node: Node, depth: int) -> Node:
        """Return the node at a depth on the path from a node to the root of this tree."""
        if not depth:
            return ROOT
        shared = self.forest.meet(self.at, node)
        if depth <= self._top - shared or shared == self.forest.depth(node):
            return self.forest.ancestor(self.at, self._top - depth + 1)
        return self.forest.ancestor(node, 2 * shared + depth - self._top)

    def meet(self, x: Node, y: Node) -> int:
        """Return the depth of the deepest node that both precede; 0 if that is `ROOT`.

        Both paths begin with reversed edges; if there are equally many, they share what they share
        in the forest. Cost: four depths and meets of the forest.
        """
        if x is ROOT or y is ROOT:
            return 0
        (up, down), (up2, down2) = self._turns(x), self._turns(y)
        if up != up2 or not (down and down2):
            return min(up, up2)
        return up + self.forest.meet(x, y) - (self._top - up)

    def _turns(self, node: Node) -> tuple[int, int]:
        """Return how many reversed edges lead to a node, and how many others after them."""
        depth, shared = self.forest.depth(node), self.forest.meet(self.at, node)
        if shared == depth:
            return self._top - depth + 1, 0
        return self._top - shared, depth - shared

    def vertex(self, node: Node) -> Node:
        """Return the node of the forest whose path is the concept of a node of this tree."""
        if node is ROOT:
            return self.at
        return self.forest.parent(node) if self._reversed(node) else node

    def hypothesis(self, node: Node) -> Hypothesis:
        """Return the concept of a node."""
        return self._make(self.vertex(node))

    def children(self, node: Node) -> Iterator[Node]:
        """Yield the children: first the reversed edge, if there is one, then as in the forest."""
        vertex = self.vertex(node)
        rest = (child for child in self.forest.children(vertex) if child != node)
        return chain([] if vertex is ROOT or not self._goes_up(node) else [vertex], rest)

    def child_count(self, node: Node) -> int | float:
        """Return the number of children."""
        vertex = self.vertex(node)
        from_here = self.forest.child_count(vertex)
        if self._reversed(node):  # the edge that led here is one of them
            from_here -= 1
        return from_here + (vertex is not ROOT and self._goes_up(node))

    def order(self, node: Node) -> Any:
        """Return first how many reversed edges lead to a node, then the order of the forest.

        Below a reversed edge lie exactly the nodes that take at least as many of them.
        """
        if node is ROOT:
            return (-1,)
        shared = self.forest.meet(self.at, node)
        if shared == self.forest.depth(node):
            return (self._top - shared + 1, 0)
        return (self._top - shared, 1, self.forest.order(node))

    def eccentricity(self, node: Node) -> int:
        """Return the largest number of points on which another path differs from a node's."""
        return self.forest.eccentricity(self.vertex(node))

    def _goes_up(self, node: Node) -> bool:
        """Return whether the edge above the node's vertex leads away from f."""
        return node is ROOT or self._reversed(node)


def no_concept(spec: str) -> Exception:
    """Return the error for an f that is not in the class."""
    return parameter_error("make_tree", "f", f"a concept of {spec}", "another hypothesis")


def make_tree(concept_class: ConceptClass, f: Hypothesis | None = None) -> VC1Tree:
    """Return the tree of a class of VC dimension at most 1.

    Notes
    -----
    Thresholds of any domain, points, paths of a taxonomy and of prefixes: nothing that is not
    already written out is written out. A finite class: see `MatrixTree`.

    Source: papers 000 and 001, Algorithm 1 (MakeTree); that f may be chosen freely is its step 1.
    Its loop over leaves, step 3, is run for explicit classes only: `MatrixTree`.

    Examples
    --------
    >>> from littlestone.classes import Thresholds, ThresholdHypothesis
    >>> tree = make_tree(Thresholds(1, 2**64))
    >>> tree.height == 2**63, tree.concept(ROOT).describe()
    (True, '1 if x > 2**63, otherwise 0 (x from 1 to 2**64)')
    >>> make_tree(Thresholds(1, 99), f=ThresholdHypothesis(99, 1, 99)).height
    99
    """
    return concept_class.tree(f)


# -- The tree of a class that is written out as a 0/1 matrix, and the test that it has one.
#
# After relabelling by a concept f, the all-0 row is in the class. Then no two columns are
# shattered if and only if any two of them, as sets of concepts, are nested or disjoint: a laminar
# family, and its inclusions are the forest. (Population genetics knows the test as that of four
# gametes, and the tree as a perfect phylogeny.)


Bits = npt.NDArray[np.uint8]


class MatrixTree(ListedForest, VC1Tree):
    """The tree of an explicit class: a row for each concept, a column for each point.

    Notes
    -----
    A node is the smallest index of the columns it stands for. Cost: O(m n) byte operations and
    two copies of the matrix; 10**4 x 10**4 takes one second for a given f, two for the best f.

    Source: paper 001, Algorithm 1 (MakeTree) and Assumptions 1-2.

    Examples
    --------
    >>> tree = MatrixTree([[0, 0, 0, 1], [1, 1, 0, 1], [1, 1, 1, 1]], f=0)
    >>> tree.height, [tree.quotient(x) for x in range(4)]
    (2, [0, 0, 2, None])
    >>> MatrixTree([[0, 0, 0, 1], [1, 1, 0, 1], [1, 1, 1, 1]]).height
    1
    """

    def __init__(self, matrix: npt.ArrayLike, f: int | None = None) -> None:
        table = _table(matrix)
        if f is not None and not 0 <= f < len(table):
            raise parameter_error("MatrixTree", "f", f"a row in [0, {len(table)})", f)
        by_point = np.ascontiguousarray(table.T)
        nodes, parents, columns, ends = _laminar(by_point, f or 0)
        if f is None:
            f = int(np.argmax(ends == centre(ListedForest(nodes, parents), ends)))
            nodes, parents, columns, ends = _laminar(by_point, f)
        super().__init__(nodes, parents)
        #: The row of f.
        self.row = f
        self._f, self._columns = table[f].copy(), columns
        #: For each row the index of its node in the list, -1 for `ROOT`.
        self._ends = ends
        self._proper = frozenset(ends.tolist())

    def quotient(self, point: Any) -> Node | None:
        """Return the first of the columns that no concept distinguishes from this one, given f."""
        if not self._is_column(point):
            return None
        at = int(self._columns[point])
        return None if at < 0 else self.nodes[at]

    def f(self, point: Any) -> int:
        """Return the label that f gives to a column; 0 for what is no column."""
        return int(self._f[point]) if self._is_column(point) else 0

    def _is_column(self, point: object) -> bool:
        return isinstance(point, int | np.integer) and bool(0 <= point < len(self._f))

    def is_proper(self, node: Node) -> bool:
        """Return whether some row is the path of this node."""
        return self.index(node) in self._proper

    def hypothesis(self, node: Node) -> TableHypothesis:
        """Return f, flipped on the path of a node, as a row of labels."""
        flip = np.zeros(self.size + 1, dtype=bool)  # the last entry: constant points
        flip[[self.index(above) for above in self.path(node)]] = True
        flip[-1] = False
        labels = self._f ^ flip[self._columns]
        return TableHypothesis((labels + ord("0")).tobytes().decode("ascii"))


def _shattered(*pair: int) -> UnsupportedError:
    return UnsupportedError(
        f"Only a class of VC dimension at most 1 has a tree. Here the points {min(pair)} and "
        f"{max(pair)} are shattered: concepts give them all four pairs of labels. Use a learner "
        "for finite classes, or remove concepts."
    )


def _table(matrix: npt.ArrayLike) -> Bits:
    table = np.asarray(matrix)
    if table.ndim != 2 or not table.size or not np.all((table == 0) | (table == 1)):
        rule = "a nonempty two-dimensional array of 0 and 1"
        raise parameter_error("MatrixTree", "matrix", rule, f"shape {table.shape}")
    return table.astype(np.uint8)


def _laminar(table: Bits, f: int) -> tuple[list[int], Index, Index, Index]:
    """Return the forest, for each point its place in the list, and for each concept its node's.

    The table has a row for each *point* here. A place is -1 for a constant point, and for f.
    """
    relabelled = table ^ table[:, f : f + 1]  # Algorithm 1, step 1: C_f
    packed, counts = np.packbits(relabelled, axis=1), relabelled.sum(axis=1, dtype=np.int64)

    # Assumptions 1 and 2: one point of each kind, and none that is 0 everywhere.
    first: dict[bytes, int] = {}
    pairs = enumerate(zip(packed, counts.tolist(), strict=True))
    kind = [first.setdefault(row.tobytes(), x) if count else -1 for x, (row, count) in pairs]
    kept = np.array(sorted(first.values()), dtype=np.int64)
    order = kept[np.argsort(-counts[kept], kind="stable")]  # a larger set before its subsets
    place = np.full(len(kind) + 1, -1, dtype=np.int64)
    place[order] = np.arange(len(order))

    # Algorithm 1, steps 2 and 3: each node below the least set that holds its own
    inside = relabelled[order].astype(bool)
    parents = _guess_parents(inside)
    ends = np.full(table.shape[1], -1, dtype=np.int64)
    for at, concepts in enumerate(inside):
        ends[concepts] = at  # on a path, deeper nodes come later

    # The family is laminar if children are subsets of their parents, and if each concept is on no
    # node beside the path of its last one. Otherwise, of the nodes of some concept, two overlap and
    # neither holds the other: with the all-0 row of f they are shattered.
    packed, inner = packed[order], np.flatnonzero(parents >= 0)
    wrong = (packed[inner] & ~packed[parents[inner]]).any(axis=1)
    if wrong.any():
        child = int(inner[np.argmax(wrong)])
        raise _shattered(int(order[child]), int(order[parents[child]]))
    depths = np.append(ListedForest(range(len(parents)), parents).depths, 0)
    beside = np.flatnonzero(inside.sum(axis=0) != depths[ends])
    if len(beside):
        around = np.flatnonzero(inside[:, beside[0]])
        sets = inside[around].astype(np.int64)
        only = sets @ (1 - sets).T > 0
        raise _shattered(*order[around[np.argwhere(only & only.T)[0]]].tolist())
    return order.tolist(), parents, place[np.array(kind)], ends


def _guess_parents(inside: npt.NDArray[np.bool_]) -> Index:
    """Return the parent of each set of concepts, if the family is laminar.

    The sets that hold one concept of a laminar family are a chain; so, among those that hold any
    concept of a set, its parent is the one just before.
    """
    parents = np.full(len(inside), -1, dtype=np.int64)
    if not len(parents):
        return parents
    witness = np.argmax(inside, axis=1)  # the first concept of each set
    by_witness = np.argsort(witness, kind="stable")
    concepts, starts = np.unique(witness[by_witness], return_index=True)
    for concept, these in zip(concepts, np.split(by_witness, starts[1:]), strict=True):
        chain = np.append(-1, np.flatnonzero(inside[:, concept]))
        parents[these] = chain[np.searchsorted(chain, these) - 1]
    return parents
