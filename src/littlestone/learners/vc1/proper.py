"""Proper output: from an improper node of the tree down to a proper one, by a second part.

The exponential mechanism over the leaves of T_good (`Leaves`). Not in the paper: Algorithm 4 is
`littlestone.papers.yan.ProperLearner`. It needs the logarithm of the number of leaves, where that
needs a power of 1/alpha; on every tree whose leaves can be listed, it needs fewer records.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from littlestone.bounds.bound import Bound, log_of
from littlestone.classes.base import LISTABLE
from littlestone.classes.leaf_paths import LeafTree
from littlestone.classes.trees import ROOT, Node, PathsTree, VC1Tree
from littlestone.data import Sample
from littlestone.mechanisms import exponential_mechanism
from littlestone.source import Explicit

if TYPE_CHECKING:
    from littlestone.bounds import CertificateBuilder, Step
    from littlestone.source import Source

LEAVES = "vc1.proper.leaves"


# *Proof of `vc1.proper.leaves`* (Lemma 3 of docs/learners/vc1.md). Let q be the leaf on the way
# to c, and p another one. Let P be the probability of records with label 0 between x and p, and R
# that of points of I at q or above it, up to where the ways to p and q separate. err(p) = err(q)
# + P + R and err(q) <= a. On the second part, mistakes(p) - mistakes(q) counts just these
# records; p is drawn with probability at most e^(-l (mistakes(p) - mistakes(q))), whose
# expectation is at most (1 - (P+R)(1 - e^(-l)))^m. If err(p) > alpha, P + R > alpha - a. Union
# over p. QED


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


_LEAVES = Bound((
    ("second_failure", "min(1, (leaves - 1)*(1 - gap*(1 - exp(-rate)))**records)", LEAVES),
))  # fmt: skip


@dataclass(frozen=True)
class Leaves:
    """The exponential mechanism over the first proper nodes, scored by their mistakes.

    Notes
    -----
    *Guarantee.* Pure epsilon-DP in the second part, for every node to start from: mistakes are
    counts that one record moves by at most 1.

    *Accuracy.* Claim ``vc1.proper.leaves``.
    """

    epsilon: Fraction
    gap: Fraction  # error allowed beyond that of the node from which it starts
    beta: Fraction
    leaves: int  # public bound on the number of leaves below any improper node
    extra: int = 0  # records more than a float computation asks for

    @property
    def required(self) -> int:
        """Records from which on the certificate holds."""
        one: float = _LEAVES.log(
            "second_failure", leaves=2, gap=self.gap, rate=self.epsilon / 2, records=1
        )
        return max(1, math.ceil((log_of(self.beta) - log_of(self.leaves - 1)) / one)) + self.extra

    def go_down(self, node: Node, tree: VC1Tree, sample: Sample, source: Source) -> Node:
        """Return a proper node below an improper one."""
        negatives, positives = node_counts(tree, sample)
        leaves: list[Node] = []
        scores: list[int] = []
        for leaf, path in _with_paths(tree, node):
            leaves.append(leaf)
            # minus its mistakes, up to what all leaves have in common
            scores.append(sum(positives[at] - negatives[at] for at in path))
        candidates = Explicit(np.array(scores, dtype=np.int64))
        return leaves[exponential_mechanism(candidates, epsilon=self.epsilon, source=source)]

    def failure(self, cert: CertificateBuilder, records: Step) -> Step:
        """Write the chance of adding more than ``gap`` to the error into a certificate."""
        return _LEAVES.write(
            cert, leaves=self.leaves, gap=self.gap, rate=self.epsilon / 2, records=records
        )


def _with_paths(tree: VC1Tree, top: Node) -> Iterator[tuple[Node, list[Node]]]:
    """Yield each leaf with the nodes from below ``top`` down to it."""
    start = tree.depth(top)
    for leaf in leaves_below(tree, top):
        steps = range(start + 1, tree.depth(leaf) + 1)
        yield leaf, [tree.ancestor(leaf, depth) for depth in steps]


def most_leaves(tree: VC1Tree) -> int | float:
    """Return the largest number of first proper nodes below an improper node.

    0 if every node is proper, so that improper output does not exist; infinite if the tree cannot
    be walked.

    Examples
    --------
    >>> from littlestone.classes.trees import MatrixTree
    >>> most_leaves(MatrixTree([[0, 0, 0], [1, 1, 0], [1, 0, 1]], f=0))
    2
    """
    if isinstance(tree, LeafTree):
        return tree.n_below if tree.n_below <= LISTABLE else math.inf
    if isinstance(tree, PathsTree):
        return 0
    if not isinstance(tree.size, int):
        return math.inf
    most, walked = 0, list(tree.children(ROOT))
    for node in walked:  # grows while it is walked: all nodes, parents first
        walked += tree.children(node)
    leaves: dict[Node, int] = {}
    for node in reversed(walked):
        if tree.is_proper(node):
            leaves[node] = 1
        else:
            leaves[node] = sum(leaves[child] for child in tree.children(node))
            most = max(most, leaves[node])
    return most
