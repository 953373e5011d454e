"""The private learner of classes of VC dimension 1 (Yan 2025), improper.

The path that each chunk of the records forces; a node by the paths, in one draw, or of thresholds
by a median depth; `VC1`: plan, draw, guarantee, certificate.

Statements and proofs: ``docs/learners/vc1.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Certificate, CertificateBuilder
from littlestone.bounds.certificate import Bound, least_n, log_of
from littlestone.bounds.tails import at_most_all
from littlestone.classes import ConceptClass, ThresholdHypothesis, Thresholds
from littlestone.classes.trees import ROOT, Node, VC1Tree, make_tree
from littlestone.data import Sample
from littlestone.data.sample import Kinds, part, shuffle, sizes
from littlestone.errors import InfeasibleError
from littlestone.learners.base import (
    CLASS,
    DELTA,
    DELTA_TEXT,
    ClassLearner,
    Goal,
    Plan,
    declared,
    maybe,
    share,
    whole,
)
from littlestone.mechanisms.median import (
    Ordered,
    RankWindow,
    TreeEM,
    one_shot_path,
)

if TYPE_CHECKING:
    from littlestone.bounds import Step
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = ["VC1"]


# -- Chunks of records: how they are split, and the path that each one forces (Algorithm 2, step
# 3).
#
# For thresholds only the largest point labelled 0 and the smallest one labelled 1 of each chunk
# matter, so all chunks are done at once; other trees go chunk by chunk.
#
# *Splitting the records of a threshold learner.* Walk through the records with label 0 from the
# largest point down and give each one its place in a secret uniform permutation: once every chunk
# has a record, those that follow cannot matter, and their places need not be drawn. What comes out
# has exactly the law of a full permutation (docs/learners/vc1.md), and the cost depends on the
# number of chunks, not on the number of records.


def chunk_ends(tree: VC1Tree, sample: Sample, shuffled: Kinds, chunks: int) -> list[Node]:
    """Return y_1, ..., y_t: for each chunk the deepest node that its records force, or `ROOT`.

    ``sample``: the records; ``shuffled``: these in shuffled order (`data.sample.shuffle`);
    consecutive ones share a chunk; ``chunks``: number of chunks, of nearly equal size; some are
    empty if there are fewer records.

    Notes
    -----
    Each end is a function of its own chunk, for any records: realizable or not, empty, outside the
    domain. So replacing one record replaces at most one end.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.classes.trees import make_tree
    >>> from littlestone.data.sample import OrderedSample
    >>> data = OrderedSample.listed([2, 9, 7, 8, 3, 1], [0, 1, 0, 1, 1, 0])
    >>> chunk_ends(make_tree(Thresholds(1, 10)), data, data.kinds, 3)
    [ROOT, 7, 3]
    """
    # B_i, the points that S_i makes deterministic, is the path up from what is returned for i
    if len(shuffled) <= chunks:  # a record each: equal records have equal ends
        kinds: Any
        kinds, where = np.unique(shuffled, return_inverse=True)
        alone = [tree.deterministic(part(sample, kinds[i : i + 1])) for i in range(len(kinds))]
        return [alone[i] for i in where.tolist()] + [ROOT] * (chunks - len(shuffled))
    ends, start = [], 0
    for size in sizes(len(shuffled), chunks):
        ends.append(tree.deterministic(part(sample, shuffled[start : start + size])))
        start += size
    return ends


Places = npt.NDArray[np.int64]


def first_look(chunks: int) -> int:
    """Return how many outermost records reach all chunks, but for about once in 150 times.

    Coupon collecting: after t (ln t + c) records a chunk is still without one with probability at
    most e**-c.

    Examples
    --------
    >>> first_look(8192)
    114778
    """
    return math.ceil(chunks * (math.log(chunks) + 5))


def shuffled_ends(sample: Sample, chunks: int, source: Source) -> list[Node]:
    """Shuffle all records of a sample of integers; return the deepest forced node of each chunk.

    It is what ``deterministic`` of the one path says: from its root "always 0" a record (x, 1)
    forces all of [x, high]. A chunk whose largest 0 is not below its smallest 1 fits no threshold,
    and forces nothing.

    ``sample``: of an integer domain; of a table that is not read yet nothing is counted.
    ``source``: gives the places, of those records only that are looked at.

    Examples
    --------
    >>> from littlestone.source import ReplaySource
    >>> data = Sample.of([2, 9, 7, 8, 3, 1], [0, 1, 0, 1, 1, 0])
    >>> shuffled_ends(data, 2, ReplaySource([]))  # places 0, 1, 2 for 7, 2, 1; then 3, ...
    [ROOT, 3]
    """
    n, look = sample.n, first_look(chunks)
    extremes = sample.extremes(look)
    counts = [*extremes.inside, extremes.outside[1]]
    draw = _places(n, source)
    firsts = [min(look, count) for count in counts]
    shuffled = np.split(_chunk_of(draw(sum(firsts)), n, chunks), np.cumsum(firsts)[:2])
    found = []
    for chunk, count in zip(shuffled, counts, strict=True):
        outermost, seen = _first_of_each(chunk, chunks), len(chunk)
        while seen < count and (outermost < 0).any():
            more = _chunk_of(draw(min(seen, count - seen)), n, chunks)
            later = _first_of_each(more, chunks)
            new = (outermost < 0) & (later >= 0)
            outermost[new] = later[new] + seen
            seen += len(more)
        found.append(outermost)
    zeros, ones, outside = found
    tails = sample.extremes(int(max(zeros.max(), ones.max())) + 1)
    largest, smallest = _points(tails.zeros, zeros), _points(tails.ones, ones)
    return [
        ROOT if one is None or beyond or not (zero is None or zero < one) else one
        for zero, one, beyond in zip(largest, smallest, (outside >= 0).tolist(), strict=True)
    ]


def _places(n: int, source: Source) -> Callable[[int], Places]:
    """Return what reveals the next few entries of one uniform permutation of range(n)."""
    free: Any = None

    def draw(few: int) -> Places:
        nonlocal free
        if free is None:
            drawn = source.permutation(n, few)
            free = np.ones(n, dtype=bool)
        else:
            left = np.flatnonzero(free)  # in the rest, the next entries are uniform again
            drawn = left[source.permutation(len(left), few)]
        free[drawn] = False
        return drawn

    return draw


def _chunk_of(places: Places, n: int, chunks: int) -> Places:
    """Return the chunk of each place: as `littlestone.data.sample.sizes` cuts them."""
    size, larger = divmod(n, chunks)
    border = larger * (size + 1)
    return np.where(
        places < border, places // (size + 1), larger + (places - border) // max(size, 1)
    )


def _first_of_each(chunk: Places, chunks: int) -> Places:
    """Return where each chunk is met first, -1 if it is not."""
    first = np.full(chunks, -1, dtype=np.int64)
    first[chunk[::-1]] = np.arange(len(chunk))[::-1]  # of equal indices the last one wins
    return first


def _points(tail: npt.NDArray[Any], first: Places) -> list[int | None]:
    points: list[Any] = tail[first[first >= 0]].tolist()
    found = iter(points)
    return [None if i < 0 else int(next(found)) for i in first.tolist()]


# -- Choosing a node of the tree, given the end of each chunk's path: one draw, or a median depth --
#
# *One draw* (`OneShot`) over the nodes of all chunks' paths. A node x is good if some chunk forces
# it and some *good* chunk forces nothing beyond it: then x lies between a hypothesis of error at
# most alpha and the concept itself. So a good node has some chunks that reach it, and fewer chunks
# that go beyond it than there are good ones: docs/learners/vc1.md.
#
# *A median* (`ChainMedian`) of the depths, by `littlestone.mechanisms.median.TreeEM`, on a tree
# that is one path, as that of thresholds is: there the depth says which node. Its
# window has two sides: fewer ends beyond the depth than there are good chunks, and at least one at
# it or beyond it. On branching trees a choice among the nodes of that depth would follow (Algorithm
# 2, steps 5 to 7); one draw needs fewer records there, and the two steps are
# `littlestone.papers.OPTPrivateLearner`.
#
# The constants of both are searched for in floats. What is found decides how many records a
# certificate asks for, never whether it is valid. Everything is a function of public parameters.


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
MEDIAN_FAILURE = Bound((
    *_TOO_FEW,
    ("enough_chunks", "t >= good + 1", CHAIN_MEDIAN),
    ("top", "floor((good + 2)/3)", CHAIN_MEDIAN),
    ("bottom", "height*exp(rate)*(1 - delta)/delta", "median.tree"),
    ("miss_odds", "(bottom + 1 + most*height)*exp(-rate*top)", "median.tree"),
    ("window", "good >= 3", CHAIN_MEDIAN),
    ("first_failure", "too_few + miss_odds/(1 + miss_odds)", CHAIN_MEDIAN),
))  # fmt: skip


@dataclass(frozen=True)
class TreeGoal(Goal):
    """What choosing a node of a tree may cost when one path is replaced, and must achieve."""

    depth: int  # height of the tree: the length of the longest path


Array = npt.NDArray[Any]

#: More chunks than this are never certified: their binomial law is summed term by term.
MOST = 10**6

#: Beyond any practical number of records; floats are accurate up to it.
_ABSURD = 10**9

#: Of the rate: with less far more records than `MOST` are needed, beyond 64 bits.
_LEAST = Fraction(1, 2**40)

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


@dataclass(frozen=True)
class ChainMedian:
    """Step 4 of Algorithm 2 on a tree that is one path: a private median depth, which is a node.

    Notes
    -----
    *Guarantee.* (epsilon, delta)-DP when one chunk's path is replaced by any other; claim
    ``median.tree``. It needs about ln ln(depth) records.

    *Accuracy.* Claim ``vc1.chain-median``.

    Examples
    --------
    >>> budget = TreeGoal(*map(Fraction, ("1", "1e-6", "0.1", "0.05")), depth=2**1024)
    >>> ChainMedian.plan(budget).required
    1711
    """

    budget: TreeGoal
    #: G in docs/learners/vc1.md: good chunks that must exist; fewer ends lie beyond the depth
    good: int
    required: int

    @classmethod
    def plan(cls, budget: TreeGoal) -> ChainMedian:
        """Return the constants that need the fewest records."""
        rate = float(budget.rate)
        known: dict[str, Any] = {
            "height": budget.depth.bit_length(), "most": _many(budget), "rate": rate,
            "delta": budget.delta,
        }  # fmt: skip
        # top: what outweighs a miss, and some units more (e**-units < beta)
        more = np.linspace(0, max(16.0, 6 - log_of(budget.beta)), 49)
        bad = MEDIAN_FAILURE.log("miss_odds", **known, top=0) + more
        # at least 2, so that the window of the median is not empty
        top = np.maximum(np.ceil(bad / rate), 2).astype(np.int64)
        fails = MEDIAN_FAILURE.floats("first_failure", **known, too_few=0, top=top)
        # the least number of good chunks with this top: see `failure`
        good = 3 * top - 2
        n, at = least_chunks(good, fails, good + 1, float(budget.alpha), float(budget.beta))
        return cls(budget, int(good[at]), n)

    def choose(self, ends: Sequence[Node], tree: VC1Tree, source: Source) -> Node | None:
        """Return the node at a private depth in the middle of all, or None for bottom."""
        t, size, budget = len(ends), self.budget.depth + 1, self.budget
        above = max(t - self.good + 1, 1)
        window = RankWindow(Fraction(0), Fraction(1))
        if above + 1 < t:
            window = RankWindow(Fraction(above, t), 1 - Fraction(1, t))
        median = TreeEM((size - 1).bit_length(), window, budget.epsilon, budget.delta)
        depths = [tree.depth(end) for end in ends]  # d(y_i)
        depth = median.draw(Ordered.of(depths, size), source)
        if not depth:
            return None if depth is None else ROOT
        path: Any = tree
        node: Node = tree.ancestor(path.forest.bottom, depth)
        return node

    def failure(self, cert: CertificateBuilder, records: Step | int, chunks: int) -> Step:
        """Write the chance of error above alpha into a certificate."""
        budget = self.budget
        return MEDIAN_FAILURE.write(
            cert, t=chunks, records=records, error=budget.alpha, good=self.good, rate=budget.rate,
            delta=budget.delta, height=budget.depth.bit_length(), most=max(_many(budget), chunks),
        )  # fmt: skip


def _many(budget: TreeGoal) -> int:
    """Return a number of chunks that is rarely exceeded; the certificate counts their nodes."""
    return max(8192, math.ceil(200 / min(budget.rate, Fraction(1)) / budget.alpha))


#: A private choice of a node, given the end of each chunk's path.
Chooser: TypeAlias = OneShot | ChainMedian


# -- The private learner of a class of VC dimension 1: Yan's Algorithms 1 and 2, repaired.
#
# The numbers are the steps of Algorithm 2 (OPTPrivateLearner), in papers 000 and 001 alike:
#
# 1. Build the tree of the class under a public concept f (Algorithm 1); relabel records by f. 2.
# Shuffle the records to chunks (one record each, as long as there are not very many). 3. Each
# chunk forces one path, whatever its records are. 4-7. Choose a node by the paths: in one draw,
# or of thresholds by a median depth. 8-9. Release f, flipped on the path of that node.
#
# Proper output (001, Algorithm 4) is `littlestone.papers.ProperLearner`; the exponential mechanism,
# whose output is always proper, needs fewer records on every tree whose leaves can be listed.
# Statements and proofs: ``docs/learners/vc1.md``.


PRIVACY = "vc1.privacy"


#: More records than this (and than are required) share chunks: the cost of a draw stays bounded.
MOST_CHUNKS = 8192


@dataclass(frozen=True)
class VC1Plan(Plan):
    """The plan of a VC-1 learner: every number of it but n."""

    tree: VC1Tree
    #: None for a tree of a single vertex: there is one concept, and nothing to choose.
    chooser: Chooser | None
    alpha: Fraction
    beta: Fraction
    chunks: int | None = None  # the user's number of chunks; None takes the best one

    @property
    def required(self) -> int:
        """The least n from which on the certificate always holds."""
        return 1 if self.chooser is None else self.chooser.required

    def chunk_count(self, n: int) -> int:
        """Return the number of chunks: one for each record, up to a limit."""
        if self.chunks is not None:
            return self.chunks
        return max(1, min(n, max(self.required, MOST_CHUNKS)))

    @lru_cache(maxsize=256)  # noqa: B019 - plans are few, and kept by `plan` anyway
    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records."""
        cert = CertificateBuilder(beta=self.beta)
        records = cert.step("records", "n", CHUNKS, n=n)
        if self.chooser is None:
            cert.step("one_concept", "records >= 1", CHUNKS)
        else:
            failure = self.chooser.failure(cert, records, self.chunk_count(n))
            cert.step("enough", "failure <= beta", CHUNKS, failure=failure)
        return cert.certificate(alpha=self.alpha, beta=self.beta, n=n)


@dataclass(frozen=True)
class VC1(ClassLearner[VC1Plan]):
    """The learner behind `VC1Learner`: OPTPrivateLearner (001, Algorithm 2).

    (epsilon, delta), replace-one, n public, for every input.
    """

    concept_class: ConceptClass = declared(
        CLASS,
        "Public, of VC dimension at most 1: `Thresholds`, `Points`, `TreePaths`, `Prefixes`, or a "
        "`FiniteClass`.",
        kw_only=False,
    )
    delta: Fraction = declared(share(DELTA), DELTA_TEXT)
    chunks: int | None = declared(
        maybe(whole(1)), "Number of parts of the records; None takes the best one.", default=None
    )

    name = "vc1"
    estimator = "VC1Learner"
    summary = "paths of the tree of a class of VC dimension 1; for huge domains"
    claim = PRIVACY
    pure = False
    agnostic = False

    def make_plan(self) -> VC1Plan:
        """Return the plan: thresholds by a median depth, other classes by one draw of a node."""
        concept_class = self.concept_class
        tree = public_tree(concept_class)
        kind = ChainMedian if isinstance(concept_class, Thresholds) else OneShot
        if not tree.height:
            return VC1Plan(tree, None, self.alpha, self.beta, self.chunks)
        goal = TreeGoal(self.epsilon, self.delta, self.alpha, self.beta, depth=tree.height)
        chooser = None if goal.rate < _LEAST else kind.plan(goal)
        if chooser is None or chooser.required > MOST:
            raise InfeasibleError(
                f"Learning {concept_class.spec} with this epsilon, delta, alpha and beta needs "
                f"more than {MOST:,} records, the limit of certificates. Allow a larger epsilon, "
                "delta, alpha or beta.",
                n_needed=MOST + 1,
            )
        plan, more = VC1Plan(tree, chooser, self.alpha, self.beta), 1
        while not plan.certificate(plan.required).holds:  # floats are hardly ever off by more
            required = plan.required + more
            plan, more = replace(plan, chooser=replace(chooser, required=required)), 2 * more
        return replace(plan, chunks=self.chunks)

    def shuffles(self, n: int) -> bool:
        """Return whether n records are split into parts of several records.

        If not, every record is its own chunk, and the output is a function of the counts alone.
        """
        return self.plan.chunk_count(n) != n

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Draw the hypothesis; a pure function of the sample and the draws."""
        plan = self.plan  # Algorithm 2, step 1: ``plan.tree``, of public parameters
        tree, chunks = plan.tree, plan.chunk_count(sample.n)
        if plan.chooser is None:
            return tree.hypothesis(ROOT)
        if self._by_tails and not sample.ordered:  # steps 2 and 3 at once
            ends = shuffled_ends(sample, chunks, source)
        else:
            ends = chunk_ends(tree, sample, shuffle(sample, source), chunks)  # steps 2 and 3
        node = plan.chooser.choose(ends, tree, source)  # steps 4 to 7
        return tree.hypothesis(ROOT if node is None else node)  # steps 8 and 9; bottom gives f

    @property
    def extremes(self) -> int | None:
        """How many of the outermost records are looked at, if these are all that matters."""
        return first_look(self.plan.chunk_count(2**62)) if self._by_tails else None

    @property
    def _by_tails(self) -> bool:
        """Whether only the outermost records of each chunk matter: thresholds."""
        return isinstance(self.plan.chooser, ChainMedian)


@lru_cache(maxsize=64)
def public_tree(concept_class: ConceptClass) -> VC1Tree:
    """Return the tree of a class; that of thresholds is one path, rooted at its end."""
    if isinstance(concept_class, Thresholds):
        low, high = concept_class.low, concept_class.high
        return make_tree(concept_class, ThresholdHypothesis(high, low, high))
    return make_tree(concept_class)
