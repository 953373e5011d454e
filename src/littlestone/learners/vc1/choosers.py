"""Choosing a node of the tree, given the end of each chunk's path: one draw, or a median depth.

*One draw* (`OneShot`) over the nodes of all chunks' paths. A node x is good if some chunk forces it
and some *good* chunk forces nothing beyond it: then x lies between a hypothesis of error at most
alpha and the concept itself. So a good node has some chunks that reach it, and fewer chunks that go
beyond it than there are good ones: docs/learners/vc1.md.

*A median* (`ChainMedian`) of the depths, by one of two mechanisms of
`littlestone.mechanisms.median`, on a tree that is one path: there the depth says which node. Its
window has two sides: fewer ends beyond the depth than there are good chunks, and at least one at it
or beyond it. On branching trees a choice among the nodes of that depth would follow (Algorithm 2,
steps 5 to 7); one draw needs fewer records there, and the two steps are
`littlestone.papers.OPTPrivateLearner`.

The constants of both are searched for in floats. What is found decides how many records a
certificate asks for, never whether it is valid. Everything is a function of public parameters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from littlestone.bounds.bound import Bound, Line
from littlestone.bounds.search import least_n, log_of
from littlestone.bounds.tails import at_most_all
from littlestone.classes.trees import ROOT, Node, VC1Tree
from littlestone.errors import UnsupportedError
from littlestone.learners.base import Goal
from littlestone.mechanisms.median import (
    Ordered,
    RankExponential,
    RankWindow,
    TreeEM,
    one_shot_path,
)

if TYPE_CHECKING:
    from littlestone.bounds import CertificateBuilder, Step
    from littlestone.source import Source

CHUNKS = "vc1.chunks"
ONE_SHOT = "vc1.one-shot"
CHAIN_MEDIAN = "vc1.chain-median"


#: The chance that fewer than ``good`` of t chunks of equal size are good.
_TOO_FEW = (
    ("chunk", "floor(records/t)", CHUNKS),
    ("missing", "(1 - error)**chunk", CHUNKS),
    ("too_few", "binomial_above(t, missing, max(t - good, 0))", CHUNKS),
)
ONE_SHOT_FAILURE = Bound((
    ("good", "2*votes - 1 - even", ONE_SHOT),
    *_TOO_FEW,
    ("enough_chunks", "t >= 2*votes - 1", ONE_SHOT),
    ("bottom", "depth*exp(rate)*(1 - delta)/delta", ONE_SHOT),
    ("odds", "(bottom + depth*exp(rate*even))*exp(-rate*votes)", ONE_SHOT),
    ("first_failure", "too_few + odds/(1 + odds)", ONE_SHOT),
))  # fmt: skip
#: ``top`` is the margin of the best depth, and one more for the distance to what misses.
_MISS: dict[str, tuple[Line, ...]] = {
    "exponential": (
        ("top", "floor((good - 1)/2) + 1", CHAIN_MEDIAN),
        ("miss_odds", "depth*exp(-rate*top)", "median.exponential"),
    ),
    "tree": (
        ("top", "floor((good + 2)/3)", CHAIN_MEDIAN),
        ("bottom", "height*exp(rate)*(1 - delta)/delta", "median.tree"),
        ("miss_odds", "(bottom + 1 + most*height)*exp(-rate*top)", "median.tree"),
    ),
}
MEDIAN_FAILURE = {
    median: Bound((
        *_TOO_FEW,
        ("enough_chunks", "t >= good + 1", CHAIN_MEDIAN),
        *miss,
        ("window", "good >= 3", CHAIN_MEDIAN),
        ("first_failure", "too_few + miss_odds/(1 + miss_odds)", CHAIN_MEDIAN),
    ))
    for median, miss in _MISS.items()
}  # fmt: skip


@dataclass(frozen=True)
class TreeGoal(Goal):
    """What choosing a node of a tree may cost when one path is replaced, and must achieve."""

    depth: int  # height of the tree: the length of the longest path


class Chooser(Protocol):
    """A private choice of one node, given the end of each chunk's path."""

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


Array = npt.NDArray[Any]

#: More chunks than this are never certified: their binomial law is summed term by term.
MOST = 10**6

#: Beyond any practical number of records; floats are accurate up to it.
_ABSURD = 10**9

#: Most values of one constant that are tried.
_FINE = 192

#: Floats may err by this much; the exact certificate must still hold.
_CAUTION = 1 - 1e-9


def grid(low: int, high: int) -> npt.NDArray[np.int64]:
    """Return all integers in [low, high], or evenly spaced ones if these are very many.

    Examples
    --------
    >>> grid(3, 6), len(grid(0, 10**9))
    (array([3, 4, 5, 6]), 192)
    """
    if high >= 2**62:
        raise UnsupportedError(
            "Epsilon is too small: more than 10**18 records would be needed, beyond the planner's "
            "limit. Raise epsilon."
        )
    if high - low < _FINE:
        return np.arange(low, high + 1)
    return np.unique(np.linspace(low, high, _FINE).astype(np.int64))


def least_chunks(
    good: Array, fails: Array, least: Array, alpha: float, beta: float
) -> tuple[int, int]:
    """Return the least number of chunks of one record, and the index of the constants for it.

    ``good``: how many good chunks each candidate needs, a record being good with probability alpha;
    ``fails``: its failure besides too few of these; ``least``: chunks that it needs in any case.
    n is above any practical size if no candidate is certified with fewer.
    """
    allowed = beta * _CAUTION - fails
    possible = np.flatnonzero(allowed > 0)
    # the fewest good chunks first: of two candidates with equal failure the larger cannot win
    possible = possible[np.maximum(good[possible], least[possible] * alpha) <= alpha * _ABSURD]
    if not len(possible):
        return 2 * _ABSURD, 0
    order = possible[np.lexsort((-allowed[possible], good[possible]))]
    slack = np.maximum.accumulate(np.concatenate([[-1.0], allowed[order][:-1]]))
    order = order[allowed[order] > slack]
    need, allowed, start = good[order], allowed[order], least[order]
    smallest = float(allowed[0])

    def enough(n: int) -> npt.NDArray[np.bool_]:
        """Return for which candidates n chunks are enough: one law serves all of them."""
        first, chances = at_most_all(n, alpha, smallest)
        place = need - 1 - first
        inside = chances[np.clip(place, 0, len(chances) - 1)]
        too_few = np.where(place < 0, 0.0, np.where(place < len(chances), inside, 1.0))
        return np.asarray((n >= need) & (n >= start) & (too_few <= allowed))

    most = ceil(int(need[0]) / alpha)
    n = least_n(lambda n: bool(enough(n).any()), most, low=int(need[0]), step=most)
    return n, int(order[np.argmax(enough(n))])


@dataclass(frozen=True)
class OneShot:
    """One draw over the nodes of the chunks' paths, with bottom: in the place of steps 4 to 7.

    The score of a node is the smaller one of "chunks that reach it" and "2 votes - 1 - chunks that
    go beyond it": it is about ``votes`` for the deepest node that ``votes`` chunks reach.

    Notes
    -----
    *Guarantee.* (epsilon, delta)-DP when one chunk's path is replaced by any other; claim
    ``median.paths``.

    *Accuracy.* Claim ``vc1.one-shot``.

    Examples
    --------
    >>> from fractions import Fraction
    >>> budget = TreeGoal(*map(Fraction, ("1", "1e-6", "0.1", "0.05")), depth=2**20)
    >>> OneShot.plan(budget).required
    1201
    """

    budget: TreeGoal
    votes: int  # K in docs/learners/vc1.md: the best node's score is at least this
    #: e in Theorem 1 there: every node of a larger score is good, if 2 votes - 1 - even chunks are
    #: good. Only the certificate uses it.
    even: int
    required: int

    name = "one-shot"

    @classmethod
    def plan(cls, budget: TreeGoal) -> OneShot:
        """Return the constants that need the fewest records."""
        rate, depth = float(budget.rate), log_of(budget.depth)
        known = {"depth": budget.depth, "rate": rate, "delta": budget.delta}
        hidden = ONE_SHOT_FAILURE.log("bottom", **known) - depth
        # scores up to hidden/rate weigh, over the whole path, no more than bottom does
        even = grid(0, max(int(1.3 * hidden / rate), 0) + 1)[:, None]
        lowest = max(int((depth + max(hidden, 0) - log_of(budget.beta)) / rate), 1)
        votes = grid(lowest, lowest + int(12 / rate) + 5)[None, :]
        failure = ONE_SHOT_FAILURE.floats(
            "first_failure", too_few=0, even=even, votes=votes, **known
        )
        fails = np.where(votes > even, failure, 1.0)
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
        return ONE_SHOT_FAILURE.write(
            cert, t=chunks, records=records, error=budget.alpha, votes=self.votes, even=self.even,
            depth=budget.depth, rate=budget.rate, delta=budget.delta,
        )  # fmt: skip


Median = Literal["exponential", "tree"]


@dataclass(frozen=True)
class ChainMedian:
    """Step 4 of Algorithm 2 on a tree that is one path: a private median depth, which is a node.

    Notes
    -----
    *Guarantee.* (epsilon, delta)-DP when one chunk's path is replaced by any other; pure for the
    exponential mechanism. Claims ``median.exponential`` or ``median.tree``.

    *Accuracy.* Claim ``vc1.chain-median``.

    Examples
    --------
    >>> budget = TreeGoal(*map(Fraction, ("1", "1e-6", "0.1", "0.05")), depth=2**1024)
    >>> ChainMedian.plan(budget, "tree").required
    1711
    """

    budget: TreeGoal
    median: Median  # pure, and needs ~ ln(depth), or ~ ln ln(depth)
    #: G in docs/learners/vc1.md: good chunks that must exist; fewer ends lie beyond the depth
    good: int
    required: int

    @property
    def name(self) -> str:
        """``"median-exponential"`` or ``"median-tree"``."""
        return f"median-{self.median}"

    @classmethod
    def plan(cls, budget: TreeGoal, median: Median) -> ChainMedian:
        """Return the constants that need the fewest records."""
        rate, bound = float(budget.rate), MEDIAN_FAILURE[median]
        known: dict[str, Any] = {
            "depth": budget.depth, "height": budget.depth.bit_length(), "most": _many(budget),
            "rate": rate, "delta": budget.delta,
        }  # fmt: skip
        # top: what outweighs a miss, and some units more (e**-units < beta)
        more = np.linspace(0, max(16.0, 6 - log_of(budget.beta)), 49)
        bad = bound.log("miss_odds", **known, top=0) + more
        # at least 2, so that the window of the median is not empty
        top = np.maximum(np.ceil(bad / rate), 2).astype(np.int64)
        fails = bound.floats("first_failure", **known, too_few=0, top=top)
        # the least number of good chunks with this top: see `failure`
        good = 2 * top - 1 if median == "exponential" else 3 * top - 2
        n, at = least_chunks(good, fails, good + 1, float(budget.alpha), float(budget.beta))
        return cls(budget, median, int(good[at]), n)

    def choose(self, ends: Sequence[Node], tree: VC1Tree, source: Source) -> Node | None:
        """Return the node at a private depth in the middle of all, or None for bottom."""
        t, size, budget = len(ends), self.budget.depth + 1, self.budget
        above = max(t - self.good + 1, 1)
        window = RankWindow(Fraction(0), Fraction(1))
        if above + 1 < t:
            window = RankWindow(Fraction(above, t), 1 - Fraction(1, t))
        mechanism: RankExponential | TreeEM
        if self.median == "exponential":
            mechanism = RankExponential(size, window, budget.epsilon)
        else:
            mechanism = TreeEM((size - 1).bit_length(), window, budget.epsilon, budget.delta)
        depths = [tree.depth(end) for end in ends]  # d(y_i)
        depth = mechanism.draw(Ordered.of(depths, size), source)
        if not depth:
            return None if depth is None else ROOT
        path: Any = tree
        node: Node = tree.ancestor(path.forest.bottom, depth)
        return node

    def failure(self, cert: CertificateBuilder, records: Step | int, chunks: int) -> Step:
        """Write the chance of error above alpha into a certificate."""
        budget = self.budget
        return MEDIAN_FAILURE[self.median].write(
            cert, t=chunks, records=records, error=budget.alpha, good=self.good, rate=budget.rate,
            delta=budget.delta, depth=budget.depth, height=budget.depth.bit_length(),
            most=max(_many(budget), chunks),
        )  # fmt: skip


def _many(budget: TreeGoal) -> int:
    """Return a number of chunks that is rarely exceeded; the certificate counts their nodes."""
    return max(8192, math.ceil(200 / min(budget.rate, Fraction(1)) / budget.alpha))
