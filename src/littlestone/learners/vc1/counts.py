"""The second part's records at the nodes of a tree: what the way down to a proper node sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from littlestone.classes.trees import Node, VC1Tree
from littlestone.data import Sample

__all__ = ["Below", "leaves_below", "node_counts"]


def node_counts(tree: VC1Tree, sample: Sample) -> tuple[Counter[Node], Counter[Node]]:
    """Return how many records each node has with label 0 and with label 1, relabelled by f.

    Records at constant points are wrong (or right) for every node alike, and left out.
    """
    negatives: Counter[Node] = Counter()
    positives: Counter[Node] = Counter()
    counts = zip(sample.points.tolist(), sample.zeros.tolist(), sample.ones.tolist(), strict=True)
    for point, zeros, ones in counts:
        node = tree.quotient(point)
        if node is None:
            continue
        if tree.f(point):
            zeros, ones = ones, zeros  # noqa: PLW2901 - relabelling (Definition 14)
        negatives[node] += zeros
        positives[node] += ones
    return negatives, positives


def leaves_below(tree: VC1Tree, node: Node) -> Iterator[Node]:
    """Yield the leaves of T_good (Algorithm 3): the first proper nodes below an improper one.

    In the public order of the tree. Nothing below a leaf is walked.
    """
    waiting = [tree.children(node)]
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
        elif tree.is_proper(child):
            yield child
        else:
            waiting.append(tree.children(child))


class Below:
    """Weights and values of the nodes of T_good, on one sample (Definitions 18 and 19).

    Parameters
    ----------
    tree : VC1Tree
    top : Node
        x_good; improper.
    negatives : Counter
        Records of the *second* part with label 0, by node.

    Notes
    -----
    Only nodes above records are stored; all others have weight 0, and a leaf of value 0 below.
    Replacing one record changes each weight, and each value, by at most 1.
    """

    def __init__(self, tree: VC1Tree, top: Node, negatives: Counter[Node]) -> None:
        self.tree, self.own = tree, negatives
        self.weights: Counter[Node] = Counter()
        self._touched: dict[Node, list[Node]] = {}
        start = tree.depth(top)
        for node, count in negatives.items():
            if not count or node == top or not tree.precedes(node, top):
                continue
            path = [tree.ancestor(node, depth) for depth in range(start + 1, tree.depth(node) + 1)]
            if any(tree.is_proper(above) for above in path[:-1]):
                continue  # cut off by Algorithm 3
            for above, here in zip([top, *path], path, strict=False):
                if here not in self.weights:
                    self._touched.setdefault(above, []).append(here)
                self.weights[here] += count
        self._least = self._least_values()

    def weight(self, node: Node) -> int:
        """Return w(x): negatives at a node or below it."""
        return self.weights[node]

    def least(self, node: Node) -> int:
        """Return the least number of negatives on a way from a node down to a leaf, both included.

        Added to the value of the parent it is the least value v of a leaf below.
        """
        return self._least.get(node, 0)

    def _least_values(self) -> dict[Node, int]:
        tree, least = self.tree, dict[Node, int]()
        for node in sorted(self.weights, key=tree.depth, reverse=True):
            least[node] = self.own[node]
            if not tree.is_proper(node):
                touched = self._touched.get(node, [])
                if tree.child_count(node) <= len(touched):  # else some child has no negatives
                    least[node] += min(least[child] for child in touched)
        return least


def first_children(tree: VC1Tree, node: Node, count: int) -> list[Node]:
    """Return the first children of a node, in public order; there may be infinitely many."""
    return list(islice(tree.children(node), count))
