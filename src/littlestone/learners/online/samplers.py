"""What the mistakes of all epochs say, as draws of hypotheses; and their majority votes.

Two samplers draw from the same kind of list, the records that were mistakes, epoch after epoch:

* `ExponentialSampler`, for classes whose candidates can be scored: the exponential mechanism over
  all concepts, by how many mistakes each explains. A few draws are published as their majority.
* `ClosureSampler`, for classes whose concepts grow from points (single points, sparse sets, affine
  subspaces): the sparse mechanism over the next larger concepts, by how many mistakes each one
  would have predicted.

Each record votes alone. Replacing it changes what it says, and nothing else. (The teachers of paper
003, who vote for the records of many time steps, are `littlestone.papers.lyu.JointTrain`.)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from littlestone.classes import (
    ConceptClass,
    LeafPaths,
    Prefixes,
    Thresholds,
    TreePaths,
)
from littlestone.classes.base import Closures, VectorDomain, closures
from littlestone.classes.hypotheses import (
    AlwaysZero,
    Fields,
    PointHypothesis,
    SetHypothesis,
    TableHypothesis,
    load,
    on_points,
    readable,
)
from littlestone.classes.thresholds import ThresholdHypothesis
from littlestone.data import OUTSIDE, IntegerDomain
from littlestone.errors import UnsupportedError, parameter_error
from littlestone.learners.online.state import Record, label_of, sample_of
from littlestone.mechanisms import canonical_key
from littlestone.mechanisms.select import sparse_select
from littlestone.source import Source
from littlestone.types import Hypothesis, Json, Labels
from littlestone.types import Points as PointArray

Epochs = Sequence[Sequence[Record]]
_MAX_VOTERS = 100_000


class HypothesisSampler(Protocol):
    """Draws hypotheses from the mistakes of all epochs."""

    def draw(
        self,
        epochs: Epochs,
        draws: int,
        source: Source,
        *,
        now: Hypothesis,
    ) -> list[Hypothesis | None]:
        """Return independent draws; None is bottom."""

    def prior(self, draws: int, source: Source) -> list[Hypothesis]:
        """Return draws that no record had a part in (the source may be public)."""


@dataclass(frozen=True)
class ExponentialSampler:
    """Candidates are scored by how many mistakes they explain.

    Guarantee
    ---------
    Each draw is ``2 * rate``-bounded range when one record is replaced, added or removed.
    """

    concept_class: ConceptClass
    rate: Fraction

    def draw(
        self,
        epochs: Epochs,
        draws: int,
        source: Source,
        *,
        now: Hypothesis,
    ) -> list[Hypothesis | None]:
        """Return draws with probability proportional to e**(-rate * errors)."""
        records = [record for epoch in epochs for record in epoch]
        choice = self.concept_class.candidates(sample_of(records, self.concept_class))
        return [choice.draw(self.rate, source) for _ in range(draws)]

    def prior(self, draws: int, source: Source) -> list[Hypothesis]:
        """Return draws from the whole class."""
        choice = self.concept_class.candidates(sample_of([], self.concept_class))
        return [choice.draw(self.rate, source) for _ in range(draws)]


def closure_steps(concept_class: ConceptClass) -> Closures | None:
    """Return how the concepts of a class grow from points; None if no useful way is known.

    Examples
    --------
    >>> from littlestone.classes import AffineSubspaces, SparseSets
    >>> closure_steps(SparseSets(3)).widths, closure_steps(AffineSubspaces(7, 20, 2)).widths
    ((3, 2, 1), (49, 8, 1))
    """
    try:
        system = closures(concept_class)
    except UnsupportedError:
        return None
    return system if system.widths else None


@dataclass(frozen=True)
class ClosureSampler:
    """The sparse mechanism over the next larger concepts.

    Every mistake on a point with label 1 votes for the least concept that holds the published one
    and its point. On a realizable stream whatever is drawn lies inside the target, so only such
    mistakes happen, and each draw that is not bottom is progress.

    Guarantee
    ---------
    Each draw is (2 * rate, leak)-DP when one record is replaced, added or removed: the parts of
    `sparse_select`, for one candidate.
    """

    concept_class: ConceptClass  # with a `closure_steps`
    rate: Fraction  # of one draw
    leak: Fraction

    def draw(
        self,
        epochs: Epochs,
        draws: int,
        source: Source,
        *,
        now: Hypothesis,
    ) -> list[Hypothesis | None]:
        """Return draws with weights e**(rate * number of mistakes that vote), and bottom's."""
        votes = self.votes(epochs, now)
        one = sparse_select  # a record votes for one candidate: k = 1
        return [
            one(votes, k=1, epsilon=2 * self.rate, delta=self.leak, source=source, default=None)
            for _ in range(draws)
        ]

    def votes(self, epochs: Epochs, now: Hypothesis) -> dict[Hypothesis, int]:
        """Return how many mistakes vote for each next concept (not private)."""
        grown = closure_steps(self.concept_class)
        assert grown is not None
        ones = Counter(x for epoch in epochs for _, x, y in epoch if y == 1 and x is not OUTSIDE)
        votes: Counter[Hypothesis] = Counter()
        for x, n in ones.items():
            if not label_of(now, x, self.concept_class):
                larger = grown.join(now, x)
                if larger is not None:
                    votes[larger] += n
        return dict(votes)

    def prior(self, draws: int, source: Source) -> list[Hypothesis]:
        """Return the empty set."""
        return [AlwaysZero()]


# -- how many ways a vote can be wrong -----------------------------------------------------------


def vote_events(concept_class: ConceptClass, share: Fraction) -> Fraction:
    """Return a number V of events that contain every error of a vote, at all points together.

    Let D be any law of concepts, and R (odd) independent draws vote. With probability at least
    1 - V * Pr[Bin(R, share) > R / 2] the vote is right at every point where at most ``share`` of D
    is wrong.

    Notes
    -----
    *Proof.* Write f(p) = Pr[Bin(R, p) > R/2] and s = ``share`` < 1/2. *Cells* (points that some
    concept distinguishes): each fails with probability f(p) <= f(s). *Thresholds*: the sets {c :
    c(x) = 1} grow with x and the sets {c : c(x) = 0} shrink. In each family the largest set of
    weight at most s contains the others, so if the vote is wrong because of one, it is wrong
    because of the largest: 2 events. *No concept is 1 on more than k points*: the weights p_x =
    D{c(x) = 1} sum to at most k; f is convex on [0, 1/2] with f(0) = 0 (its derivative is
    proportional to (p (1-p))**((R-1)/2)), so f(p) <= (p/s) f(s) for p <= s, and these sum to k
    f(s)/s; at most k/(1-s) points have p_x >= 1 - s. *Paths of a tree*: the sets {c : c(x) = 1} are
    nested or disjoint, so the maximal ones of weight at most s are disjoint, with total weight at
    most 1; those of weight at least 1 - s form a chain.

    Examples
    --------
    >>> from littlestone.classes import Points
    >>> share = Fraction(1, 3)
    >>> vote_events(Thresholds(1, 2**64), share), vote_events(Points(1, 2**64), share)
    (Fraction(2, 1), Fraction(4, 1))
    """
    if isinstance(concept_class, LeafPaths):  # any law of its concepts is one of all paths
        return vote_events(concept_class.paths, share)
    cells, grown = _cells(concept_class), closure_steps(concept_class)
    if isinstance(concept_class, Thresholds):
        return min(cells, Fraction(2))
    if isinstance(concept_class, TreePaths | Prefixes):
        return min(cells, 1 / share + 1)
    if grown is None:
        return cells
    most = grown.widths[0]  # on so many points a concept can be 1
    return min(cells, most / share + int(most / (1 - share)))


def _cells(concept_class: ConceptClass) -> Fraction:
    """Return the number of points of the domain."""
    domain = concept_class.domain
    if isinstance(domain, IntegerDomain):
        return Fraction(domain.high - domain.low + 1)
    if isinstance(domain, VectorDomain):
        return Fraction(domain.q**domain.n)
    if concept_class.row_schema is not None:
        return Fraction(math.prod(concept_class.row_schema.n_codes))
    if isinstance(concept_class, TreePaths | Prefixes):
        return Fraction(concept_class.size - 1)
    return Fraction(2) ** int(concept_class.size)  # as many columns as there can be


# -- majority votes -------------------------------------------------------------------------------


@readable
@dataclass(frozen=True)
class VoteHypothesis:
    """1 where more than half of the votes say 1. Make one by `majority`.

    Examples
    --------
    >>> from littlestone.classes import IntervalHypothesis
    >>> vote = majority([IntervalHypothesis(1, 4), IntervalHypothesis(3, 6), AlwaysZero()])
    >>> vote.predict(np.arange(1, 7)).tolist()
    [0, 0, 1, 1, 0, 0]
    """

    #: Different hypotheses in canonical order, each with its number of votes.
    votes: tuple[tuple[Hypothesis, int], ...]

    TYPE = "vote"

    def __post_init__(self) -> None:
        keys = [canonical_key(h) for h, _ in self.votes]
        if len(keys) < 2 or any(a >= b for a, b in pairwise(keys)):
            raise parameter_error(
                "VoteHypothesis", "votes", "different hypotheses in canonical order",
                f"{len(keys)} of them", "Use majority(hypotheses).",
            )  # fmt: skip

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, tuple((h.key, n) for h, n in self.votes))

    def predict(self, points: PointArray) -> Labels:
        """Label each point."""
        ones = sum(n * h.predict(points).astype(np.int64) for h, n in self.votes)
        total = sum(n for _, n in self.votes)
        return np.asarray(2 * ones > total).astype(np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        shown = [f"{n} x ({h.describe()})" for h, n in self.votes[:5]]
        more = f" and {len(self.votes) - 5} more" if len(self.votes) > 5 else ""
        return f"1 where more than half of the votes say 1: {', '.join(shown)}{more}"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.TYPE, "votes": [[h.to_dict(), n] for h, n in self.votes]}

    @classmethod
    def from_dict(cls, data: Any) -> VoteHypothesis:
        """Read it back; only the canonical form is accepted."""
        fields = Fields(data, ("votes",))
        votes: list[tuple[Hypothesis, int]] = []
        for item in fields.items("votes", _MAX_VOTERS):
            match item:
                case [dict() as h, int() as n] if n >= 1 and h.get("type") != cls.TYPE:
                    votes.append((load(h), n))
                case _:
                    raise fields.refuse("votes", "a list of [hypothesis, number of votes >= 1]")
        return cls(tuple(votes))


def majority(hypotheses: Sequence[Hypothesis]) -> Hypothesis:
    """Return the function that is 1 where more than half of the hypotheses are 1.

    Examples
    --------
    >>> majority([ThresholdHypothesis(u, 1, 9) for u in (2, 7, 4)])
    ThresholdHypothesis(above=4, low=1, high=9)
    >>> majority([on_points("ab"), on_points("bc"), on_points("d"), on_points("")])
    AlwaysZero()
    """
    counts = Counter(hypotheses)
    total = len(hypotheses)
    for hypothesis, n in counts.items():
        if 2 * n > total:
            return hypothesis
    kinds = {type(h) for h in counts}
    if kinds == {ThresholdHypothesis}:
        # 1 at x if and only if more than half of the ends lie below x
        return sorted(hypotheses, key=lambda h: h.above)[total // 2]  # type: ignore[attr-defined]
    if kinds <= {AlwaysZero, PointHypothesis, SetHypothesis}:
        points = Counter(p for h, n in counts.items() for p in _ones(h) * n)
        return on_points(p for p, n in points.items() if 2 * n > total)
    if kinds == {TableHypothesis}:
        columns = zip(*(h.labels for h in hypotheses), strict=True)  # type: ignore[attr-defined]
        return TableHypothesis("".join("01"[2 * c.count("1") > total] for c in columns))
    return VoteHypothesis(tuple(sorted(counts.items(), key=lambda item: canonical_key(item[0]))))


def _ones(hypothesis: Hypothesis) -> list[Any]:
    match hypothesis:
        case PointHypothesis():
            return [hypothesis.point]
        case SetHypothesis():
            return list(hypothesis.points)
    return []
