"""Proper output: which trees need a second part at all, and which way down needs fewer records."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, Protocol

from littlestone.classes.trees import ROOT, Node, PathsTree, VC1Tree
from littlestone.data import Sample
from littlestone.learners.vc1.descent import Descent
from littlestone.learners.vc1.leaves import Leaves

if TYPE_CHECKING:
    from littlestone.bounds import CertificateBuilder, Step
    from littlestone.source import Source

__all__ = ["Down", "ProperSelection", "most_leaves", "way_down"]

Down = Literal["auto", "leaves", "descent"]


class ProperSelection(Protocol):
    """A private way from an improper node to a proper one below it."""

    @property
    def name(self) -> str:
        """``"leaves"`` or ``"descent"``."""

    @property
    def required(self) -> int:
        """The least number of records of the second part with which it is certified."""

    def go_down(self, node: Node, tree: VC1Tree, sample: Sample, source: Source) -> Node:
        """Return a proper node; private in the sample for every node."""

    def failure(self, cert: CertificateBuilder, records: Step) -> Step:
        """Write the chance of adding more than the gap to the error into a certificate."""


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


@lru_cache(maxsize=1024)
def way_down(
    leaves: int | float,
    epsilon: Fraction,
    delta: Fraction,
    *,
    gap: Fraction,
    beta: Fraction,
    down: Down,
    rough: bool = False,
) -> ProperSelection:
    """Return the way that needs fewer records, or the one that is asked for.

    A rough one is only good for comparing numbers of records: its budget is not calibrated.
    """
    ways: list[ProperSelection] = []
    if down != "descent" and isinstance(leaves, int):
        ways.append(Leaves(epsilon, gap, beta, leaves))
    if down == "descent" or not ways:
        ways.append(Descent.plan(epsilon, delta, gap, beta, rough=rough))
    return min(ways, key=lambda way: way.required)
