"""One draw over the nodes of all chunks' paths, instead of a median and a choice.

A node x is good if some chunk forces it and some *good* chunk forces nothing beyond it: then x lies
between a hypothesis of error at most alpha and the concept itself. So a good node has some chunks
that reach it, and fewer chunks that go beyond it than there are good ones: docs/learners/vc1.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.bounds.search import log_of
from littlestone.classes.trees import Node, VC1Tree
from littlestone.learners.vc1.claims import ONE_SHOT
from littlestone.learners.vc1.methods import TreeBudget
from littlestone.learners.vc1.search import grid, least_chunks, log_sum, probability
from littlestone.mechanisms.median import one_shot_path

if TYPE_CHECKING:
    from littlestone.bounds import CertificateBuilder, Step
    from littlestone.source import Source

__all__ = ["OneShot"]


@dataclass(frozen=True)
class OneShot:
    """A draw over the nodes of the chunks' paths, with bottom.

    The score of a node is the smaller one of "chunks that reach it" and "2 votes - 1 - chunks that
    go beyond it": it is about ``votes`` for the deepest node that so many chunks reach.

    Parameters
    ----------
    budget : TreeBudget
    votes : int
        The K of the score; the best node's score is at least this.
    even : int
        A score above this makes a node good, if there are 2 votes - 1 - even good chunks. Only the
        certificate knows it.
    required : int

    Notes
    -----
    *Guarantee.* (epsilon, delta)-DP when one chunk's path is replaced by any other; claim
    ``median.paths``.

    *Accuracy.* Claim ``vc1.one-shot``.

    Examples
    --------
    >>> from fractions import Fraction
    >>> budget = TreeBudget(*map(Fraction, ("1", "1e-6", "0.1", "0.05")), depth=2**20)
    >>> OneShot.plan(budget).required
    1201
    """

    budget: TreeBudget
    votes: int
    even: int
    required: int

    name = "one-shot"

    @classmethod
    def plan(cls, budget: TreeBudget) -> OneShot:
        """Return the constants that need the fewest records."""
        rate, depth = float(budget.rate), log_of(budget.depth)
        hidden = rate + log_of((1 - budget.delta) / budget.delta)
        # scores up to hidden/rate weigh, over the whole path, no more than bottom does
        even = grid(0, max(int(1.3 * hidden / rate), 0) + 1)[:, None]
        lowest = max(int((depth + max(hidden, 0) - log_of(budget.beta)) / rate), 1)
        votes = grid(lowest, lowest + int(12 / rate) + 5)[None, :]
        odds = depth + log_sum(hidden, rate * even) - rate * votes
        fails = np.where(votes > even, probability(odds), 1.0)
        good = 2 * votes - 1 - even
        least = good + even  # 2 votes - 1
        n, at = least_chunks(
            good.ravel(), fails.ravel(), least.ravel(), float(budget.alpha), float(budget.beta)
        )
        i, j = np.unravel_index(at, good.shape)
        return cls(budget, int(votes[0, j]), int(even[i, 0]), n)

    def choose(self, ends: Sequence[Node], tree: VC1Tree, source: Source) -> Node | None:
        """Return a node, or None for bottom."""
        budget = self.budget
        return one_shot_path(
            ends,
            tree,
            max_depth=budget.depth,
            epsilon=budget.epsilon,
            delta=budget.delta,
            source=source,
            reserve=max(len(ends) + 1 - 2 * self.votes, 0),
        )

    def failure(self, cert: CertificateBuilder, records: Step | int, chunks: int) -> Step:
        """Write the chance of error above alpha into a certificate."""
        budget = self.budget
        known = {"votes": self.votes, "even": self.even}
        good = 2 * self.votes - 1 - self.even
        cert.step("good", "2*votes - 1 - even", ONE_SHOT, **known)
        too_few = budget.too_few(cert, records, chunks, good)
        cert.step("enough_chunks", "t >= 2*votes - 1", ONE_SHOT, t=chunks, votes=self.votes)
        depth: dict[str, Any] = {"depth": budget.depth, "rate": budget.rate}
        bottom = cert.step(
            "bottom", "depth*exp(rate)*(1 - delta)/delta", ONE_SHOT, delta=budget.delta, **depth
        )
        odds = cert.step(
            "odds",
            "(bottom + depth*exp(rate*even))*exp(-rate*votes)",
            ONE_SHOT,
            bottom=bottom,
            **known,
            **depth,
        )
        return cert.step(
            "first_failure", "too_few + odds/(1 + odds)", ONE_SHOT, too_few=too_few, odds=odds
        )
