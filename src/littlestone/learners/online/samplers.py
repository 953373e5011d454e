"""What the mistakes of all epochs say, as draws of hypotheses; and their majority votes.

Three samplers draw from the same kind of list, the records that were mistakes, epoch after epoch:

* `ExponentialSampler`, for classes whose candidates can be scored: the exponential mechanism over
  all concepts, by how many mistakes each explains. A few draws are published as their majority.
* `ClosureSampler`, for classes whose concepts grow from points (single points, sparse sets, affine
  subspaces): the sparse mechanism over the next larger concepts, by how many mistakes each one
  would have predicted.
* `TeacherEnsemble` (paper 003, Algorithm 4, JointTrain): k teachers, to which time steps were
  assigned beforehand. Each lists its essential hypotheses; the sparse mechanism draws from all
  lists.

A record belongs to one voter. Replacing it changes what this voter says, and nothing else:
which time step belongs to whom was decided without looking at any record, and how many mistakes an
epoch has changes no other voter's part. (Splitting an epoch's mistakes into parts of equal size, as
Lyu's Algorithm 3 prints it, changes two or more.)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from itertools import accumulate, pairwise
from typing import Any, Protocol

import numpy as np

from littlestone.classes import (
    AffineSubspaces,
    ConceptClass,
    LeafPaths,
    Points,
    Prefixes,
    SparseSets,
    Thresholds,
    TreePaths,
)
from littlestone.classes.affine_subspaces import AffineHypothesis, affine_span
from littlestone.classes.base import VectorDomain
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
from littlestone.classes.thresholds import ThresholdHypothesis, ThresholdList
from littlestone.data import OUTSIDE, IntegerDomain, RowDomain
from littlestone.errors import SearchLimitError, UnsupportedError, parameter_error
from littlestone.learners.online.state import Record, label_of, sample_of
from littlestone.mechanisms import canonical_key
from littlestone.mechanisms.select import count_lists, ordered, removal_bottom, sparse_select
from littlestone.source import Exp, LeveledChoice, Source, exp, public_generator
from littlestone.types import Hypothesis, Json, Labels
from littlestone.types import Points as PointArray

Epochs = Sequence[Sequence[Record]]
_MAX_VOTERS = 100_000


class HypothesisSampler(Protocol):
    """Draws hypotheses from the mistakes of all epochs."""

    @property
    def stages(self) -> int:
        """How many stages there are, one after the other."""

    def draw(
        self,
        epochs: Epochs,
        draws: int,
        source: Source,
        *,
        stage: int,
        shuffle: int,
        now: Hypothesis,
    ) -> list[Hypothesis | None]:
        """Return independent draws; None is bottom."""

    def prior(self, draws: int, source: Source) -> list[Hypothesis]:
        """Return draws that no record had a part in (the source may be public)."""


@dataclass(frozen=True)
class ExponentialSampler:
    """Every mistake is a teacher; candidates are scored by how many mistakes they explain.

    Guarantee
    ---------
    Each draw is ``2 * rate``-bounded range when one record is replaced, added or removed.
    """

    concept_class: ConceptClass
    rate: Fraction

    stages = 1

    def draw(
        self,
        epochs: Epochs,
        draws: int,
        source: Source,
        *,
        stage: int,
        shuffle: int,
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


@dataclass(frozen=True)
class Growth:
    """How the concepts of a class grow from points (claim ``online.closure``)."""

    #: For each step of growth, from the empty set on, how many next steps stay inside one concept,
    #: at most. After the last step a concept is as large as it can be.
    widths: tuple[int, ...]
    #: ``extend(h, x)`` is the least concept that holds h and a point x outside of it; None if
    #: there is none. From the empty set (`AlwaysZero`) on, only such concepts are reached.
    extend: Callable[[Hypothesis, Any], Hypothesis | None]


@singledispatch
def growth(concept_class: ConceptClass) -> Growth | None:
    """Return how the concepts of a class grow from points; None if no useful way is known.

    Examples
    --------
    >>> growth(SparseSets(3)).widths, growth(AffineSubspaces(7, 20, 2)).widths
    ((3, 2, 1), (49, 8, 1))
    """
    return None


@growth.register
def _(concept_class: Points) -> Growth:
    return Growth((1,), lambda h, x: on_points([x]) if isinstance(h, AlwaysZero) else None)


@growth.register
def _(concept_class: SparseSets) -> Growth:
    k = concept_class.vc_dim  # the number of points, if that is smaller

    def extend(h: Hypothesis, x: Any) -> Hypothesis | None:
        ones = _ones(h)
        return on_points([*ones, x]) if len(ones) < k else None

    return Growth(tuple(range(k, 0, -1)), extend)


@growth.register
def _(concept_class: AffineSubspaces) -> Growth:
    q, top = concept_class.q, concept_class.dim
    # inside a subspace of dimension ``top``: its points; then, through one of dimension i, the next
    widths = (q**top, *((q ** (top - i) - 1) // (q - 1) for i in range(top)))

    def extend(h: Hypothesis, x: Any) -> Hypothesis | None:
        if not isinstance(h, AffineHypothesis):
            return affine_span(q, [x])
        return h.through(x) if h.dim < top else None

    return Growth(widths, extend)


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

    concept_class: ConceptClass  # with a `growth`
    rate: Fraction  # of one draw
    leak: Fraction

    stages = 1

    def draw(
        self,
        epochs: Epochs,
        draws: int,
        source: Source,
        *,
        stage: int,
        shuffle: int,
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
        grown = growth(self.concept_class)
        assert grown is not None
        ones = Counter(x for epoch in epochs for _, x, y in epoch if y == 1 and x is not OUTSIDE)
        votes: Counter[Hypothesis] = Counter()
        for x, n in ones.items():
            if not label_of(now, x, self.concept_class):
                larger = grown.extend(now, x)
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
    >>> share = Fraction(1, 3)
    >>> vote_events(Thresholds(1, 2**64), share), vote_events(Points(1, 2**64), share)
    (Fraction(2, 1), Fraction(4, 1))
    """
    if isinstance(concept_class, LeafPaths):  # any law of its concepts is one of all paths
        return vote_events(concept_class.paths, share)
    cells, most = _cells(concept_class), _most_ones(concept_class)
    if isinstance(concept_class, Thresholds):
        return min(cells, Fraction(2))
    if isinstance(concept_class, TreePaths | Prefixes):
        return min(cells, 1 / share + 1)
    if most is None:
        return cells
    return min(cells, most / share + int(most / (1 - share)))


def _cells(concept_class: ConceptClass) -> Fraction:
    """Return the number of points of the domain."""
    domain = concept_class.domain
    if isinstance(domain, IntegerDomain):
        return Fraction(domain.high - domain.low + 1)
    if isinstance(domain, VectorDomain):
        return Fraction(domain.q**domain.n)
    if isinstance(domain, RowDomain):
        return Fraction(math.prod(domain.schema.n_codes))
    if isinstance(concept_class, TreePaths | Prefixes):
        return Fraction(concept_class.size - 1)
    return Fraction(2) ** int(concept_class.size)  # as many columns as there can be


def _most_ones(concept_class: ConceptClass) -> int | None:
    """Return on how many points a concept can be 1, if few."""
    if isinstance(concept_class, Points):
        return 1
    if isinstance(concept_class, SparseSets):
        return concept_class.vc_dim
    if isinstance(concept_class, AffineSubspaces):
        return int(concept_class.q**concept_class.dim)
    return None


@dataclass(frozen=True)
class Stage:
    """What a teacher does at one stage."""

    #: A teacher whose version space has another decomposition dimension submits nothing; None:
    #: every teacher submits (what Lyu prints; his Claim 6.4 fails then).
    dimension: int | None
    depth: int  # the p of the (p, d)-decomposition
    #: Largest part of each epoch's records of the teacher on which a concept may err.
    tolerance: Fraction


@dataclass(frozen=True)
class TeacherEnsemble:
    """JointTrain (003, Algorithm 4): k teachers, each with the mistakes of its time steps.

    Guarantee
    ---------
    Each draw is (2 * rate, leak)-DP when one record is replaced, added or removed: the parts of
    `sparse_select`.
    """

    concept_class: ConceptClass
    n_teachers: int
    plan: tuple[Stage, ...]
    dimension: int  # Littlestone dimension of the class: the d of its decompositions
    cap: int  # most records of one epoch that a teacher reads: its first ones
    most: int  # most hypotheses that a teacher submits: the first ones in the public order
    rate: Fraction  # of one draw
    leak: Fraction

    @property
    def stages(self) -> int:
        """How many stages there are."""
        return len(self.plan)

    def teacher(self, shuffle: int, time: int) -> int:
        """Return who gets the record of a time step: public coins, not the record's."""
        return int(public_generator(shuffle, time).integers(self.n_teachers))

    def draw(
        self,
        epochs: Epochs,
        draws: int,
        source: Source,
        *,
        stage: int,
        shuffle: int,
        now: Hypothesis,
    ) -> list[Hypothesis | None]:
        """Return draws with weights e**(rate * number of teachers who list it), and bottom's."""
        lists = self.lists(epochs, stage, shuffle)  # Algorithm 4, lines 3-6
        bottom = removal_bottom(k=self.most, epsilon=2 * self.rate, delta=self.leak)
        tally = Tally(lists, most=self.most, rate=self.rate, bottom=bottom)
        return [tally.draw(source) for _ in range(draws)]  # lines 9-11: SparseSample

    def prior(self, draws: int, source: Source) -> list[Hypothesis]:
        """Return draws from the list that a teacher without records submits; 0 if it is empty."""
        listed = self.submit([], self.plan[0])
        if next(iter(listed), None) is None:
            return [AlwaysZero()]
        tally = Tally([listed], most=self.most, rate=self.rate, bottom=exp(0, times=0))
        drawn = [tally.draw(source) for _ in range(draws)]
        return [h for h in drawn if h is not None]

    def lists(self, epochs: Epochs, stage: int, shuffle: int) -> list[Sequence[Hypothesis]]:
        """Return what each teacher submits (not private)."""
        shuffled: list[list[list[Record]]] = [[] for _ in range(self.n_teachers)]
        for epoch in epochs:
            for parts in shuffled:
                parts.append([])
            for record in epoch:
                shuffled[self.teacher(shuffle, record[0])][-1].append(record)
        return [self.submit(parts, self.plan[stage]) for parts in shuffled]

    def submit(self, parts: Epochs, stage: Stage) -> Sequence[Hypothesis]:
        """Return the essential hypotheses of one teacher, from its records of each epoch alone.

        A refused search is a function of this teacher's records too: it submits nothing then.
        """
        space = self.concept_class.version_space().fresh()
        try:
            for part in parts:  # lines 4, 17-19, DefineClass: few errors in *each* epoch
                first = part[: self.cap]
                if first:
                    tolerance = int(stage.tolerance * len(first))
                    space = space.within_error(sample_of(first, self.concept_class), tolerance)
            if stage.dimension is not None:
                found = space.decomposition_dim(stage.depth, self.dimension)
                if found != stage.dimension:
                    return ()
            return space.essential(stage.depth, self.dimension)  # Algorithm 4, line 5
        except (SearchLimitError, UnsupportedError):
            return ()


class Tally:
    """Hypotheses with the number of lists they are in, ready for many draws (SparseSample).

    Paper 003, Algorithm 1: the law of `littlestone.mechanisms.sparse_select_lists`.

    ``lists``: each of them a set; a lazy list of thresholds is not walked through; ``most``: most
    hypotheses of each list that count: its first ones; ``bottom``: the weight of bottom.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.source import ReplaySource
    >>> space = Thresholds(1, 2**32).version_space()
    >>> tally = Tally([space.restrict(9, 1).essential(2, 33), space.essential(2, 33)],
    ...               most=2**33, rate=Fraction(1), bottom=exp(0))
    >>> tally.draw(ReplaySource([2, 8])), tally.draw(ReplaySource([1, 0])).above
    (ThresholdHypothesis(above=8, low=1, high=4294967296), 9)
    """

    def __init__(
        self,
        lists: Sequence[Sequence[Hypothesis]],
        *,
        most: int,
        rate: Fraction,
        bottom: Exp,
    ) -> None:
        runs = [found for found in lists if isinstance(found, ThresholdList)]
        others = [found for found in lists if not isinstance(found, ThresholdList)]
        counts = count_lists(others, cap=most)
        #: (score, number of hypotheses, the first one or the run)
        pieces: list[tuple[int, int, Any]] = [
            *((counts[h], 1, h) for h in ordered(counts, canonical_key)),
            *_threshold_pieces(runs, most),
        ]
        self._choice: LeveledChoice[Hypothesis | None] = LeveledChoice(
            [score for score, _, _ in pieces],
            [size for _, size, _ in pieces],
            lambda piece, place: _member(pieces[piece][2], place),
            bottom,
        )
        self.rate = rate

    def draw(self, source: Source) -> Hypothesis | None:
        """Return a hypothesis, or None for bottom: first the number of lists, then which one."""
        return self._choice.draw(self.rate, source)


def _threshold_pieces(lists: Sequence[ThresholdList], most: int) -> list[tuple[int, int, Any]]:
    """Return runs of thresholds that are in equally many lists, by one sweep over their ends."""
    changes: Counter[int] = Counter()
    for found in lists:
        left = most
        for first, last in found.space.runs:
            end = min(last + 1, first + left)
            changes[first] += 1
            changes[end] -= 1
            left -= end - first
            if not left:
                break
    ends = sorted(changes)
    scores = accumulate(changes[end] for end in ends)
    named = lists[0].space.named if lists else None
    return [
        (score, high - low, (named, low))
        for score, (low, high) in zip(scores, pairwise(ends), strict=False)
        if score
    ]


def _member(what: Any, rank: int) -> Hypothesis:
    if isinstance(what, tuple):
        named, first = what
        return named(first + rank)  # type: ignore[no-any-return]
    return what  # type: ignore[no-any-return]


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
