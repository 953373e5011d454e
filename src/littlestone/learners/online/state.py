"""The state of an online learner, and the records in it: plain data that can be kept anywhere.

*Private* is what the next draws depend on: mistakes, the secret threshold and the time of the next
event, points whose labels have not come. *Public* is what the stream published. They are two
documents, `OnlineState.private` and `OnlineState.public`. Anyone who holds the private one holds
raw records.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Never, Protocol

import numpy as np

from littlestone.classes import ConceptClass, Prefixes, Thresholds, TreePaths
from littlestone.classes.base import Closures, closures
from littlestone.classes.finite import batch
from littlestone.classes.hypotheses import (
    AlwaysZero,
    Fields,
    PointHypothesis,
    SetHypothesis,
    TableHypothesis,
    from_json,
    load,
    on_points,
    readable,
    to_json,
)
from littlestone.classes.thresholds import ThresholdHypothesis
from littlestone.data import OUTSIDE, Sample
from littlestone.errors import (
    DataError,
    ParameterError,
    StateError,
    UnsupportedError,
    parameter_error,
)
from littlestone.mechanisms import canonical_key
from littlestone.mechanisms.select import sparse_select
from littlestone.source import Source
from littlestone.types import Hypothesis, Json, Labels
from littlestone.types import Points as PointArray

if TYPE_CHECKING:
    import numpy.typing as npt

    from littlestone.data import Domain
    from littlestone.data.domains import Outside
    from littlestone.types import Point, Points


FORMAT = "littlestone-online-3"

#: Time, point (or `OUTSIDE`), label.
Record = tuple[int, Any, int]
_OUTSIDE_JSON = {"outside": True}


@dataclass
class OnlineState:
    """Everything that an `OnlineAlgorithm` knows, between two records."""

    time: int  # number of records learned; public
    #: From which time on each hypothesis was published; public.
    published: list[tuple[int, Hypothesis]]
    #: The secret number of mistakes at which the test surely fires (limit and noise).
    limit: int = field(default=0, repr=False)  # what is private is not shown by accident
    #: The secret time at which the above-threshold test acts next.
    event: int = field(default=0, repr=False)
    #: Whether it fires then, or the future is drawn again.
    fires: bool = field(default=False, repr=False)
    #: How often draws were made of the records; never more than planned. Public.
    batches: int = 0
    #: Whether the budget is spent: the last hypothesis stays. Public.
    stopped: bool = False
    #: Number of draws so far. Kept so that a reproducible source can continue.
    draws: int = field(default=0, repr=False)
    #: The mistakes since the test fired last, in order of time: one entry for each, equal or not.
    buffer: list[Record] = field(default_factory=list, repr=False)
    #: The mistakes of each earlier epoch.
    epochs: list[list[Record]] = field(default_factory=list, repr=False)
    #: Points whose labels have not come yet, by ticket.
    pending: dict[int, Any] = field(default_factory=dict, repr=False)
    tickets: int = 0  # how many points were observed so; public
    #: How many records of each user were learned, where users are protected.
    contributions: dict[str, int] = field(default_factory=dict, repr=False)
    #: What contributions were, of users for whom they changed since the state was saved last. Not
    #: part of the documents.
    contributed_before: dict[str, int] = field(default_factory=dict, compare=False, repr=False)
    #: All earlier epochs together, counted; made again of them. Not part of the documents.
    tally: Sample | None = field(default=None, compare=False, repr=False)
    #: A digest of what the stream was begun with (class, plan, seed): it cannot continue with
    #: anything else, since what it published and spent was under these. Public.
    terms: str = ""
    #: Whether a learner has this object; see `take`. Not part of the documents.
    taken: bool = field(default=False, compare=False, repr=False)
    #: Of the process that made this object; a fork has another one. Not part of the documents.
    process: object = field(default_factory=lambda: _process, compare=False, repr=False)

    @property
    def hypothesis(self) -> Hypothesis:
        """The published hypothesis."""
        return self.published[-1][1]

    @property
    def version(self) -> int:
        """Number of the published hypothesis, from 0."""
        return len(self.published) - 1

    def take(self) -> None:
        """Let one learner have this object, and no other after it."""
        if self.taken:
            raise StateError(
                "This OnlineState is already used by a learner, and a second one would spend the "
                "budget of its stream twice. To hand a stream over, save state.public() and "
                "state.private(), and continue a single learner from OnlineState.from_json; or "
                "give a folder as 'state', which one process at a time can use."
            )
        self.taken = True

    def __getstate__(self) -> Never:
        """Refuse to be copied or pickled."""
        raise TypeError(
            "An OnlineState cannot be copied or pickled: two copies would spend the budget of one "
            "stream twice. Save its documents, public() and private(), and continue a single "
            "learner from OnlineState.from_json."
        )

    def admit(self, user: str, most: int) -> bool:
        """Count a record of a user, and return whether it is among the first ``most`` ones.

        One that is not must be learned as a record that everybody predicts: (`OUTSIDE`, 0). So the
        records of one user change at most ``most`` steps of the stream, at the same times.
        """
        known = self.contributions.get(user, 0)
        if known < most:
            self.contributed_before.setdefault(user, known)
            self.contributions[user] = known + 1
        return known < most

    def halt(self) -> None:
        """Learn nothing more; the published hypothesis stays, and records are forgotten."""
        self.stopped, self.buffer, self.epochs, self.pending = True, [], [], {}
        self.contributions, self.tally = {}, None

    def public(self) -> Json:
        """Return what the stream published, as JSON."""
        return {
            "format": FORMAT,
            "time": self.time,
            "published": [[t, h.to_dict()] for t, h in self.published],
            "batches": self.batches,
            "stopped": self.stopped,
            "tickets": self.tickets,
            "terms": self.terms,
        }

    def private(self) -> Json:
        """Return what must stay secret, as JSON; it contains records."""
        return {
            "limit": self.limit,
            "event": self.event,
            "fires": self.fires,
            "draws": self.draws,
            "buffer": write_records(self.buffer),
            "epochs": [write_records(epoch) for epoch in self.epochs],
            "pending": write_records((t, x, 0) for t, x in self.pending.items()),
            "contributions": dict(self.contributions),
        }

    @classmethod
    def from_json(cls, public: Any, private: Any) -> OnlineState:
        """Read both documents back."""
        try:
            if public["format"] != FORMAT:
                raise ValueError
            return cls(
                time=int(public["time"]),
                published=[(int(t), load(h)) for t, h in public["published"]],
                batches=int(public["batches"]),
                stopped=bool(public["stopped"]),
                limit=int(private["limit"]),
                event=int(private["event"]),
                fires=bool(private["fires"]),
                draws=int(private["draws"]),
                buffer=read_records(private["buffer"]),
                epochs=[read_records(epoch) for epoch in private["epochs"]],
                pending={t: x for t, x, _ in read_records(private["pending"])},
                tickets=int(public["tickets"]),
                contributions={str(u): int(n) for u, n in private["contributions"].items()},
                terms=str(public.get("terms", "")),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ParameterError(
                "The state of an online learner must be the two JSON documents that it wrote "
                f"(format {FORMAT}); these are incomplete or were changed."
            ) from None


class StateTransaction:
    """A block that changes a state in memory: left in the midst of a record, it halts the state.

    After Ctrl-C, or without memory, what was half done cannot be undone, and what the test and the
    sampler draw must be drawn once. A forked process is refused: its copy of the state would spend
    the same budget again, also if the state was not yet used.

    ``seeded``: whether all draws come from a seed: not private, so copies spend nothing.

    Examples
    --------
    >>> state = OnlineState(0, [])
    >>> with StateTransaction(state):
    ...     raise MemoryError
    Traceback (most recent call last):
    MemoryError
    >>> state.stopped
    True
    """

    def __init__(self, state: OnlineState, *, seeded: bool = False) -> None:
        self._state, self._seeded = state, seeded

    def __enter__(self) -> None:
        """Begin, in the process that has made the state."""
        if self._state.process is not _process and not self._seeded:
            raise StateError(
                "This process is a fork of the one that has this stream's state: if both learned, "
                "the stream's budget would be spent twice. Learn in the process that created the "
                "state, or begin another stream here; a state folder (state=...) can be used by "
                "one process after another."
            )

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Halt the state, if the block did not come to its end."""
        if kind is not None:
            self._state.halt()


#: What this process and its forks do not have in common; faster than the number of a process.
_process: object = object()


def _forked() -> None:
    global _process  # noqa: PLW0603
    _process = object()


if hasattr(os, "register_at_fork"):  # absent on Windows, which does not fork
    os.register_at_fork(after_in_child=_forked)


# -- records --------------------------------------------------------------------------------------


def point_of(domain: Domain, x: Any, feature: str | None = None) -> Point | Outside:
    """Return the point of one record; total: whatever is no point of the domain is `OUTSIDE`.

    Examples
    --------
    >>> from littlestone.data import IntegerDomain
    >>> domain = IntegerDomain(1, 99)
    >>> [point_of(domain, x) for x in (7, {"age": 7}, {"a": 1, "b": 2}, "seven", 100)]
    [7, 7, OUTSIDE, OUTSIDE, OUTSIDE]
    """
    if type(x) is not int and isinstance(x, Mapping) and domain.schema is None:
        if feature is None and len(x) == 1:
            (x,) = x.values()
        elif feature is not None and feature in x:
            x = x[feature]
        else:
            return OUTSIDE
    return domain.point(x)


_WHOLE = (int, np.integer, np.bool_)


def truth(caller: str, y: Any) -> int:
    """Return a label; a label that is none is refused."""
    if y is True or y is False:
        return int(y)
    if isinstance(y, _WHOLE) and 0 <= y <= 1:
        return int(y)
    raise DataError(f"The labels given to {caller} must be 0 or 1 (or False, True).")


def label_of(hypothesis: Hypothesis, point: Any, concept_class: ConceptClass) -> int:
    """Return the label of one point; 0 outside the domain.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> [label_of(ThresholdHypothesis(4, 1, 9), x, Thresholds(1, 9)) for x in (5, OUTSIDE)]
    [1, 0]
    """
    if point is OUTSIDE:
        return 0
    label = hypothesis.label(point)  # without an array: this is done twice for each record
    return int(hypothesis.predict(batch(concept_class, [point]))[0]) if label is None else label


def sample_of(records: Iterable[Record], concept_class: ConceptClass) -> Sample:
    """Return records as a sample: time and order are gone.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> found = sample_of([(0, 7, 1), (3, OUTSIDE, 1), (9, 7, 0)], Thresholds(1, 9))
    >>> found.points, found.zeros, found.ones, found.outside
    (array([7]), array([1]), array([1]), (0, 1))
    """
    inside, labels, outside = [], [], [0, 0]
    for _, x, y in records:
        if x is OUTSIDE:
            outside[y] += 1
        else:
            inside.append(x)
            labels.append(y)
    counted = Sample.of(batch(concept_class, inside), labels)
    return replace(counted, outside=tuple(outside))


def write_records(records: Iterable[Record]) -> list[list[Any]]:
    """Return records as JSON.

    Examples
    --------
    >>> write_records([(0, "a", 1), (4, OUTSIDE, 0)])
    [[0, 'a', 1], [4, {'outside': True}, 0]]
    """
    return [[t, _OUTSIDE_JSON if x is OUTSIDE else to_json(x), y] for t, x, y in records]


def read_records(data: Iterable[Sequence[Any]]) -> list[Record]:
    """Read back what `write_records` wrote."""
    return [(int(t), OUTSIDE if x == _OUTSIDE_JSON else from_json(x), int(y)) for t, x, y in data]


def labels_of(caller: str, y: Any) -> npt.NDArray[np.int8]:
    """Return labels as an array; what is no label is refused, by the rule only."""
    try:
        labels = np.asarray(y)
    except ValueError:  # lists among the labels
        labels = np.full(1, None)
    if labels.ndim != 1 or labels.dtype.kind not in "biu":  # one by one: pandas.NA, for example
        labels = np.asarray([truth(caller, label) for label in np.ravel(labels).tolist()])
    if not np.all((labels == 0) | (labels == 1)):
        raise DataError(f"The labels given to {caller} must be 0 or 1 (or False, True).")
    return labels.astype(np.int8)


def points_of(
    concept_class: ConceptClass, X: Any, feature: str | None
) -> tuple[Points, npt.NDArray[np.bool_]]:
    """Return points in the domain's layout, and where they lie inside; total."""
    domain = concept_class.domain
    if hasattr(X, "columns") and concept_class.row_schema is None:  # a data frame: one column
        names = list(X.columns)
        name = feature if feature in names else names[0] if len(names) == 1 else None
        X = np.full(len(X), None, dtype=object) if name is None else np.asarray(X[name])
    values = X if isinstance(X, np.ndarray) else None
    if values is not None and values.ndim == 2 and values.shape[1] == 1:
        values = X = values[:, 0]
    numbers = values is not None and values.dtype.kind in "iu" and values.dtype != np.uint64
    if domain.bounds is not None and domain.small and numbers:
        points, (low, high) = np.asarray(values, dtype=np.int64), domain.bounds
        return points, (points >= low) & (points <= high)
    try:
        rows = list(X)
    except TypeError:
        found = type(X).__name__
        raise DataError(f"Expected a list, an array or a table of rows, got {found}.") from None
    if hasattr(X, "columns"):  # a data frame: pandas, or polars
        rows = X.to_dicts() if hasattr(X, "to_dicts") else X.to_dict("records")
    cells = [point_of(domain, row, feature) for row in rows]
    inside = np.array([cell is not OUTSIDE for cell in cells], dtype=bool)
    if not inside.any():
        # any points will do, in the layout that hypotheses read: whether there is one must not show
        return np.zeros((len(cells), *batch(concept_class, []).shape[1:]), dtype=np.int64), inside
    filler = cells[int(np.flatnonzero(inside)[0])]
    known = [filler if cell is OUTSIDE else cell for cell in cells]
    return batch(concept_class, known), inside


# -- What the mistakes of all epochs say, as draws of hypotheses; and their majority votes.
#
# Two samplers draw from the same kind of list, the records that were mistakes, epoch after epoch:
#
# * `ExponentialSampler`, for classes whose candidates can be scored: the exponential mechanism over
#   all concepts, by how many mistakes each explains. A few draws are published as their majority.
# * `ClosureSampler`, for classes whose concepts grow from points (single points, sparse sets,
#   affine subspaces): the sparse mechanism over the next larger concepts, by how many mistakes each
#   one would have predicted.
#
# Each record votes alone. Replacing it changes what it says, and nothing else. (The teachers of
# paper 003, who vote for the records of many time steps, are
# `littlestone.papers.lyu.JointTrain`.)


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
    if concept_class.domain.size is not None:
        return Fraction(concept_class.domain.size)
    if isinstance(concept_class, TreePaths | Prefixes):
        return Fraction(concept_class.size - 1)
    return Fraction(2) ** int(concept_class.size)  # as many columns as there can be


# -- majority votes -------------------------------------------------------------------------------


@readable
@dataclass(frozen=True)
class VoteHypothesis(Hypothesis):
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
        points = Counter(p for h, n in counts.items() for p in (h.support or ()) * n)
        return on_points(p for p, n in points.items() if 2 * n > total)
    if kinds == {TableHypothesis}:
        columns = zip(*(h.labels for h in hypotheses), strict=True)  # type: ignore[attr-defined]
        return TableHypothesis("".join("01"[2 * c.count("1") > total] for c in columns))
    return VoteHypothesis(tuple(sorted(counts.items(), key=lambda item: canonical_key(item[0]))))
