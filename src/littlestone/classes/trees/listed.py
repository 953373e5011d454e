"""A forest that is written out: a parent for each node, with ancestors found by doubling."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.classes.trees.forest import ROOT, Forest, Node

__all__ = ["ListedForest", "centre"]

Index = npt.NDArray[np.int64]


class ListedForest(Forest):
    """A finite forest of listed nodes.

    Parameters
    ----------
    nodes : sequence of hashable
        Distinct; the order is public.
    parents : int64 ndarray
        For each node the index of its parent, which must come before it; -1 at the top.

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

    Parameters
    ----------
    forest : ListedForest
    allowed : array-like of int, optional
        Vertices in order of preference: indices of nodes, or -1 for the root. Default: all.

    Returns
    -------
    int
        Index of a node, or -1. The first one of several equally good ones.

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
