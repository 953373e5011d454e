"""Algorithm 2's own two steps: a median depth, and then a node of that depth.

The median is one of two mechanisms of `littlestone.mechanisms.median`, the choice is
`sparse_select`. Both targets are asked for as they are needed: fewer ends beyond the depth than
there are good chunks, and enough ends at it or beyond it to be votes for the right node.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from littlestone.bounds.search import log_of
from littlestone.classes.trees import ROOT, Node, VC1Tree
from littlestone.learners.vc1.claims import TWO_STEP
from littlestone.learners.vc1.methods import TreeBudget
from littlestone.learners.vc1.search import Array, least_chunks, log_sum, probability
from littlestone.mechanisms import sparse_select
from littlestone.mechanisms.median import Ordered, RankExponential, RankWindow, TreeEM

if TYPE_CHECKING:
    from littlestone.bounds import CertificateBuilder, Step
    from littlestone.source import Source

__all__ = ["Median", "TwoStep"]

Median = Literal["exponential", "tree"]

#: Shares of epsilon for the median that are tried.
SHARES = [Fraction(k, 40) for k in range(8, 38)]


@dataclass(frozen=True)
class TwoStep:
    """A private median of the depths of the ends, then a private choice at that depth.

    Parameters
    ----------
    budget : TreeBudget
    median : {"exponential", "tree"}
        The mechanism for the depth: pure, and needs ~ ln(depth), or ~ ln ln(depth).
    good : int
        More than so many ends are never asked for beyond the depth: good chunks that must exist.
    votes : int
        Ends at the depth or beyond it that are asked for.
    share : Fraction
        Part of epsilon that the median spends.
    required : int
    straight : bool
        Whether the tree is one path, so that the depth says which node: there is nothing left to
        choose, and the median spends everything.

    Notes
    -----
    *Guarantee.* (epsilon, delta)-DP when one chunk's path is replaced by any other: the sum of the
    two steps. Claims ``median.exponential`` or ``median.tree``; `sparse_select`.

    *Accuracy.* Claim ``vc1.two-step``.

    Examples
    --------
    >>> budget = TreeBudget(*map(Fraction, ("1", "1e-6", "0.1", "0.05")), depth=2**1024)
    >>> TwoStep.plan(budget, "tree").required < 5000
    True
    """

    budget: TreeBudget
    median: Median
    good: int
    votes: int
    share: Fraction
    required: int
    straight: bool = False

    @property
    def name(self) -> str:
        """``"median-exponential"`` or ``"median-tree"``."""
        return f"median-{self.median}"

    @classmethod
    def plan(cls, budget: TreeBudget, median: Median, *, straight: bool = False) -> TwoStep:
        """Return the constants that need the fewest records."""
        rate, height = float(budget.rate), budget.depth.bit_length()
        shares = [Fraction(1)] if straight else SHARES
        share = np.array([float(s) for s in shares])[:, None, None]
        delta1, delta2 = _deltas(budget.delta, median, straight=straight)
        # votes: what outweighs bottom, and some units more (e**-units < beta); top: the same
        more = np.linspace(0, max(16.0, 6 - log_of(budget.beta)), 49)
        votes, lost = np.ones((1, 1, 1), dtype=np.int64), np.zeros((1, 1, 1))
        if not straight:
            hidden = -log_of(delta2)
            own = rate * (1 - share)
            votes = np.ceil(1 + (hidden + more[None, :, None]) / own).astype(np.int64)
            lost = probability(hidden + own * (1 - votes))
        if median == "exponential":
            bad: float | Array = log_of(budget.depth)
        else:
            weight = np.log(height) + rate * share + log_of((1 - delta1) / delta1)
            bad = log_sum(weight, log_of(1 + height * _many(budget)))
        # at least 2, so that the window of the median is not empty
        top = np.maximum(np.ceil((bad + more[None, None, :]) / (rate * share)), 2).astype(np.int64)
        miss = probability(bad - rate * share * top)
        votes, top, fails = np.broadcast_arrays(votes, top, lost + miss)
        # the least number of good chunks with this top: see `failure`
        good = votes + 2 * top - 2 if median == "exponential" else votes + 3 * top - 3
        need = good.ravel()
        n, at = least_chunks(need, fails.ravel(), need + 1, float(budget.alpha), float(budget.beta))
        i, _, _ = np.unravel_index(at, good.shape)
        constants = (int(good.ravel()[at]), int(votes.ravel()[at]), shares[int(i)])
        return cls(budget, median, *constants, n, straight)

    @property
    def deltas(self) -> tuple[Fraction, Fraction]:
        """Delta of the median and of the choice."""
        return _deltas(self.budget.delta, self.median, straight=self.straight)

    @property
    def epsilons(self) -> tuple[Fraction, Fraction]:
        """Epsilon of the median and of the choice."""
        first = self.budget.epsilon * self.share
        return first, self.budget.epsilon - first

    def choose(self, ends: Sequence[Node], tree: VC1Tree, source: Source) -> Node | None:
        """Return a node, or None for bottom (steps 4 to 7 of Algorithm 2)."""
        depths = [tree.depth(end) for end in ends]
        depth = self._median(depths, source)  # step 4
        if not depth:
            return None if depth is None else ROOT
        if self.straight:
            return tree.ancestor(_last(tree), depth)
        # steps 5 and 6: one candidate for each chunk that reaches the depth
        reached = (end for end, own in zip(ends, depths, strict=True) if own >= depth)
        return sparse_select(  # step 7
            Counter(tree.ancestor(end, depth) for end in reached),
            k=1,
            epsilon=self.epsilons[1],
            delta=self.deltas[1],
            source=source,
            default=None,
            order=tree.order,
        )

    def _median(self, depths: Sequence[int], source: Source) -> int | None:
        t, size = len(depths), self.budget.depth + 1
        above, below = max(t - self.good + 1, 1), self.votes
        window = RankWindow(Fraction(0), Fraction(1))
        if above + below < t:
            window = RankWindow(Fraction(above, t), 1 - Fraction(below, t))
        values = Ordered.of(depths, size)
        if self.median == "exponential":
            return RankExponential(size, window, self.epsilons[0]).draw(values, source)
        height = (size - 1).bit_length()
        return TreeEM(height, window, self.epsilons[0], self.deltas[0]).draw(values, source)

    def failure(self, cert: CertificateBuilder, records: Step | int, chunks: int) -> Step:
        """Write the chance of error above alpha into a certificate."""
        budget, (epsilon1, epsilon2) = self.budget, self.epsilons
        delta1, delta2 = self.deltas
        too_few = budget.too_few(cert, records, chunks, self.good)
        cert.step("enough_chunks", "t >= good + 1", TWO_STEP, t=chunks, good=self.good)
        known = {"good": self.good, "votes": self.votes}
        if self.median == "exponential":
            # margin top of the best depth, and one more for the distance to what misses
            top = cert.step("top", "floor((good - votes)/2) + 1", TWO_STEP, **known)
            miss = cert.step(
                "miss_odds",
                "depth*exp(-rate1*top)",
                "median.exponential",
                depth=budget.depth,
                rate1=epsilon1 / 2,
                top=top,
            )
        else:
            top = cert.step("top", "floor((good + 3 - votes)/3)", TWO_STEP, **known)
            rate: dict[str, Any] = {"rate1": epsilon1 / 2, "height": budget.depth.bit_length()}
            bottom = cert.step(
                "bottom",
                "height*exp(rate1)*(1 - delta1)/delta1",
                "median.tree",
                delta1=delta1,
                **rate,
            )
            miss = cert.step(
                "miss_odds",
                "(bottom + 1 + most*height)*exp(-rate1*top)",
                "median.tree",
                bottom=bottom,
                most=max(_many(budget), chunks),
                top=top,
                **rate,
            )
        cert.step("window", "good >= votes + 2", TWO_STEP, **known)
        if self.straight:
            return cert.step(
                "first_failure", "too_few + miss/(1 + miss)", TWO_STEP, too_few=too_few, miss=miss
            )
        lost = cert.step(
            "lost_odds",
            "exp(rate2*(1 - votes))/delta2",
            TWO_STEP,
            rate2=epsilon2 / 2,
            votes=self.votes,
            delta2=delta2,
        )
        return cert.step(
            "first_failure",
            "too_few + miss/(1 + miss) + lost/(1 + lost)",
            TWO_STEP,
            too_few=too_few,
            miss=miss,
            lost=lost,
        )


def _last(path: VC1Tree) -> Node:
    """Return the deepest node of a tree that is one path."""
    chain: Any = path
    return chain.forest.bottom  # type: ignore[no-any-return]


def _deltas(delta: Fraction, median: Median, *, straight: bool) -> tuple[Fraction, Fraction]:
    """Return delta of the median and of the choice; a step that needs none gets none."""
    if median == "exponential":
        return Fraction(0), Fraction(0) if straight else delta
    return (delta, Fraction(0)) if straight else (delta / 2, delta / 2)


def _many(budget: TreeBudget) -> int:
    """Return a number of chunks that is hardly ever exceeded: nodes of so many are counted."""
    return max(8192, math.ceil(200 / min(budget.rate, Fraction(1)) / budget.alpha))
