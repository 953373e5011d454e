"""Going down to a proper node in one draw: the exponential mechanism over the leaves of T_good.

Not in the paper. It needs the logarithm of the number of leaves, where Algorithm 4 needs a power of
1/alpha; on every tree whose leaves can be listed, it is the better way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from littlestone.bounds.search import log_of
from littlestone.classes.trees import Node, VC1Tree
from littlestone.data import Sample
from littlestone.learners.vc1.claims import LEAVES
from littlestone.learners.vc1.counts import leaves_below, node_counts
from littlestone.mechanisms import exponential_mechanism
from littlestone.source import Explicit

if TYPE_CHECKING:
    from littlestone.bounds import CertificateBuilder, Step
    from littlestone.source import Source

__all__ = ["Leaves"]


@dataclass(frozen=True)
class Leaves:
    """The exponential mechanism over the first proper nodes, scored by their mistakes.

    Parameters
    ----------
    epsilon : Fraction
    gap : Fraction
        Error allowed beyond that of the node from which it starts.
    beta : Fraction
    leaves : int
        Public bound on the number of leaves below any improper node.
    extra : int
        Records more than a float computation asks for.

    Notes
    -----
    *Guarantee.* Pure epsilon-DP in the second part, for every node to start from: mistakes are
    counts that one record moves by at most 1.

    *Accuracy.* Claim ``vc1.proper.leaves``.
    """

    epsilon: Fraction
    gap: Fraction
    beta: Fraction
    leaves: int
    extra: int = 0

    name = "leaves"

    @property
    def required(self) -> int:
        """Records from which on the certificate holds."""
        decay = -math.log1p(-float(self.gap) * -math.expm1(-float(self.epsilon) / 2))
        return max(1, math.ceil((log_of(self.leaves - 1) - log_of(self.beta)) / decay)) + self.extra

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
        return cert.step(
            "second_failure",
            "min(1, (leaves - 1)*(1 - gap*(1 - exp(-rate)))**records)",
            LEAVES,
            leaves=self.leaves,
            gap=self.gap,
            rate=self.epsilon / 2,
            records=records,
        )


def _with_paths(tree: VC1Tree, top: Node) -> Iterator[tuple[Node, list[Node]]]:
    """Yield each leaf with the nodes from below ``top`` down to it."""
    start = tree.depth(top)
    for leaf in leaves_below(tree, top):
        steps = range(start + 1, tree.depth(leaf) + 1)
        yield leaf, [tree.ancestor(leaf, depth) for depth in steps]
