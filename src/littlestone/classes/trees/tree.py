"""The tree of a class of VC dimension 1, for the private learner of Yan 2025.

Fix a concept f. Relabel each concept c to ``c_f = c XOR f``; merge points that no concept then
distinguishes; remove the points on which every concept agrees with f. Then the order "whenever
x has label 1, so has y" makes the points a forest, and every concept is one path up to the root
(paper 001, Definitions 13-17, Algorithm 1, Lemmas 3-5; in paper 000 Definitions 14-17).

The paper's distance d(x) is `Forest.depth`, its empty set is `ROOT`, and ``x ⪯ y`` is
`Forest.precedes`: y is x or above it.

The concepts are *vertices* of an unrooted tree whose edges are the points, and choosing f is
choosing the root; docs/vc1-trees.md has the proof. So the f of least height is a centre.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.classes.trees.forest import ROOT, Forest, Node
from littlestone.errors import UnsupportedError, parameter_error
from littlestone.types import Hypothesis, Point

if TYPE_CHECKING:
    from littlestone.classes.base import ConceptClass
    from littlestone.data import Sample


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

    >>> from littlestone.classes.trees.forest import Chain
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
