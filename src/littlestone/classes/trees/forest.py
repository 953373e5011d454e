"""Rooted forests by depth arithmetic: the skeleton of every class of VC dimension 1.

A *forest* hangs from `ROOT` (the paper's ∅, at depth 0); its nodes are points, at depths 1, 2, ...
Nothing is stored unless it must be: a chain of 2**1024 nodes and the networks of IPv6 answer with
a few operations on integers.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.data.points import canonical_order
from littlestone.errors import UnsupportedError


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

    def deepest(self, nodes: Iterable[Node]) -> Node | None:
        """Return the deepest of pairwise comparable nodes; None if two are incomparable."""
        below: Node = ROOT
        for node in nodes:
            if self.precedes(node, below):
                below = node
            elif not self.precedes(below, node):
                return None
        return below


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
    >>> Star(float("inf"), member=lambda x: True).deepest(["a", "b"]) is None
    True
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
    other_end = _distances(forest, _farthest(one_end))
    farthest = np.maximum(one_end, other_end)
    return int(vertices[np.argmin(farthest[vertices])])


def _farthest(distances: Index) -> int:
    """Return the farthest vertex; the root is the last entry."""
    at = int(np.argmax(distances))
    return at if at < len(distances) - 1 else -1


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
