"""What the ways of choosing a node have in common, and the budget they are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from littlestone.classes.trees import Node, VC1Tree
from littlestone.learners.goal import Goal
from littlestone.learners.vc1.claims import CHUNKS

if TYPE_CHECKING:
    from littlestone.bounds import CertificateBuilder, Step
    from littlestone.source import Source

__all__ = ["Chooser", "TreeBudget"]


@dataclass(frozen=True)
class TreeBudget(Goal):
    """What choosing a node of a tree may cost, and what it must achieve.

    Attributes
    ----------
    epsilon, delta : Fraction
        Privacy, when one path is replaced by any other.
    alpha, beta : Fraction
        Error of the node, and the probability of exceeding it.
    depth : int
        Height of the tree: the length of the longest path.
    """

    depth: int

    def too_few(
        self, cert: CertificateBuilder, records: Step | int, chunks: int, good: int
    ) -> Step:
        """Write down the chance that fewer than ``good`` chunks are good."""
        size = cert.step("chunk", "floor(records/t)", CHUNKS, records=records, t=chunks)
        missing = cert.step("missing", "(1 - error)**chunk", CHUNKS, error=self.alpha, chunk=size)
        return cert.step(
            "too_few",
            "binomial_above(t, missing, max(t - good, 0))",
            CHUNKS,
            t=chunks,
            missing=missing,
            good=good,
        )


class Chooser(Protocol):
    """A private choice of one node, given the end of each chunk's path.

    Attributes
    ----------
    name : str
    required : int
        The least number of chunks, of one record each, with which it is certified.
    """

    @property
    def name(self) -> str:
        """Name of the method."""

    @property
    def required(self) -> int:
        """The least number of chunks, of one record each, with which it is certified."""

    def choose(self, ends: Sequence[Node], tree: VC1Tree, source: Source) -> Node | None:
        """Return a node, or None for bottom; (epsilon, delta)-DP when one end is replaced."""

    def failure(self, cert: CertificateBuilder, records: Step | int, chunks: int) -> Step:
        """Write the chance of error above alpha into a certificate."""
