"""The tree of the class that holds the paths to the *leaves* of a forest only.

Concepts are vertices of an unrooted tree whose edges are the points (`littlestone.classes.trees`).
Here only its leaves are concepts: every inner vertex is improper. Points that all concepts label
alike are merged: a vertex of degree two joins the two points beside it, which are equal, or (at
the top) complementary; a single top node is constant. What is left has inner vertices of degree
three or more, so it is a tree of paths again, seen from a leaf, of which the improper nodes are the
inner ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np

from littlestone.classes.trees.forest import ROOT, Forest, ListedForest, Node, Star
from littlestone.classes.trees.tree import PathsTree, plain
from littlestone.types import Hypothesis, Point


class LeafTree(PathsTree):
    """The tree of the paths to the leaves; improper at every inner vertex."""

    def __init__(
        self,
        forest: Forest,
        at: Node,
        make: Callable[[Node], Hypothesis],
        *,
        node: Callable[[Point], Node | None],
        f: Callable[[Point], int],
        leaves: int | float,
    ) -> None:
        super().__init__(forest, at, make)
        self._node, self._label, self._leaves = node, f, leaves

    def quotient(self, point: Point) -> Node | None:
        """Return the node of the points that are merged with this one."""
        return self._node(plain(point))

    def f(self, point: Point) -> int:
        """Return the label of f."""
        return self._label(plain(point))

    def is_proper(self, node: Node) -> bool:
        """Return whether the vertex is a leaf."""
        vertex = self.vertex(node)
        return vertex == self.at or self.forest.child_count(vertex) == (vertex is ROOT)

    @property
    def n_below(self) -> int | float:
        """The largest number of leaves below an inner vertex: all but f's; 0 without one."""
        return self._leaves - 1 if self._leaves > 2 else 0


class Merged:
    """A listed forest without vertices of degree two, and the node of each point."""

    def __init__(self, forest: ListedForest, node: dict[Node, Node | None], root: Node) -> None:
        self.forest, self.node, self.root = forest, node, root


def merged(forest: ListedForest) -> Merged:
    """Merge the nodes that no path to a leaf tells apart.

    Examples
    --------
    A chain to one of two leaves: both leaves say the same, with opposite labels.

    >>> found = merged(ListedForest("abcd", np.array([-1, 0, 1, 1])))
    >>> found.node, found.root, found.forest.nodes
    ({'a': None, 'b': None, 'c': 'd', 'd': 'd'}, 'c', ['d'])
    """
    above = forest.parents.tolist()
    children = [0] * forest.size
    for parent in above:
        if parent >= 0:
            children[parent] += 1
    last = list(range(forest.size))  # the lowest node with the same leaves
    for i in reversed(range(forest.size)):
        if above[i] >= 0 and children[above[i]] == 1:
            last[above[i]] = last[i]
    up = [-1] * forest.size  # the next one above with other leaves
    for i, parent in enumerate(above):
        if parent >= 0:
            up[i] = parent if last[parent] == parent else up[parent]
    kept = [i for i in range(forest.size) if last[i] == i]
    to: dict[int, int | None] = {i: last[i] for i in range(forest.size)}
    root, gone = -1, set[int]()
    tops = [i for i in kept if up[i] < 0]
    if len(tops) == 1:  # on every path
        root = tops[0]
        gone.add(root)
        tops = [i for i in kept if up[i] == root]
    if len(tops) == 2:  # on every path one of them; the one with children is left out
        out, stays = sorted(tops, key=lambda i: (children[i] == 0, i))
        if root >= 0:
            to[root] = None
        root = out
        gone.add(out)
        to |= {i: stays for i in range(forest.size) if last[i] == out}
    elif root >= 0:
        to[root] = None
    to = {i: None if at is None else to[at] for i, at in to.items()}
    left = [i for i in kept if i not in gone]
    place = {i: k for k, i in enumerate(left)}
    parents = np.array([place.get(up[i], -1) for i in left], dtype=np.int64)
    names = forest.nodes
    return Merged(
        ListedForest([names[i] for i in left], parents),
        {names[i]: None if at is None else names[at] for i, at in to.items()},
        ROOT if root < 0 else names[root],
    )


class BranchingForest(Forest):
    """A forest with one top node, and equally many children of every inner node, merged likewise.

    The top node is constant. If there are two nodes below it, the first one is merged with the
    second, and what was below it hangs from the root.
    """

    def __init__(self, forest: Forest) -> None:
        self._forest = forest
        (self._top,) = forest.children(ROOT)
        below = list(forest.children(self._top))
        #: The node that is left out, if there is one.
        self.out: Node | None = below[0] if len(below) == 2 else None
        #: The vertex above all.
        self.root: Node = self._top if self.out is None else self.out
        self._tops = below if self.out is None else [*forest.children(self.out), below[1]]
        self.size = forest.size - 1 - (self.out is not None)
        self.height = forest.height - 1

    def _shift(self, node: Node) -> int:
        return 1 + (self.out is not None and self._forest.precedes(node, self.out))

    def __contains__(self, node: object) -> bool:
        return node in self._forest and node not in (self._top, self.out)

    def depth(self, node: Node) -> int:
        """Return the number of nodes on the path."""
        return 0 if node is ROOT else self._forest.depth(node) - self._shift(node)

    def ancestor(self, node: Node, depth: int) -> Node:
        """Return the node at a depth on the path."""
        return self._forest.ancestor(node, depth + self._shift(node)) if depth else ROOT

    def children(self, node: Node) -> Iterator[Node]:
        """Yield the children."""
        return iter(self._tops) if node is ROOT else self._forest.children(node)

    def child_count(self, node: Node) -> int | float:
        """Return the number of children."""
        return len(self._tops) if node is ROOT else self._forest.child_count(node)

    def order(self, node: Node) -> Any:
        """Return the rank in preorder."""
        return -1 if node is ROOT else self._forest.order(node)

    def eccentricity(self, node: Node) -> int:
        """Return the distance of the farthest leaf: it lies on another side of the root."""
        depth = self.depth(node)
        if self.out is None or not depth or self._shift(node) == 2:
            return depth + self.height
        return max(depth + self.height - 1, self.height - depth)


def infinite_star() -> Star:
    """Return the star of all hashable points; the integers 0, 1, ... come first in public order."""
    return Star(math.inf, member=lambda point: True, members=lambda: count(0))
