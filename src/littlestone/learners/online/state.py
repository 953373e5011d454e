"""The state of an online learner, and the records in it: plain data that can be kept anywhere.

*Private* is what the next draws depend on: mistakes, the secret threshold and the time of the next
event, points whose labels have not come. *Public* is what the stream published. They are two
documents, `OnlineState.private` and `OnlineState.public`. Anyone who holds the private one holds
raw records.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Never

import numpy as np

from littlestone.classes import load
from littlestone.classes.finite import batch
from littlestone.classes.hypotheses import AlwaysZero, PointHypothesis, from_json, to_json
from littlestone.classes.thresholds import ThresholdHypothesis
from littlestone.data import OUTSIDE, AnyDomain, IntegerDomain, RowDomain, Sample
from littlestone.data.domains import canonical
from littlestone.errors import DataError, ParameterError, StateError

if TYPE_CHECKING:
    import numpy.typing as npt

    from littlestone.classes import ConceptClass
    from littlestone.data import Domain
    from littlestone.data.domains import Outside
    from littlestone.types import Hypothesis, Json, Point, Points


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
    if type(x) is int and isinstance(domain, IntegerDomain):  # as `cell` does, and at once
        return x if domain.low <= x <= domain.high else OUTSIDE
    if isinstance(x, Mapping) and not isinstance(domain, RowDomain):
        if feature is None and len(x) == 1:
            (x,) = x.values()
        elif feature is not None and feature in x:
            x = x[feature]
        else:
            return OUTSIDE
    if isinstance(domain, AnyDomain):  # Python values keep their type, as in `AnyDomain.array`
        try:
            return canonical(x)
        except DataError:
            return OUTSIDE
    return domain.cell(x)


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
    # the common ones, without an array: this is done twice for each record
    if isinstance(hypothesis, ThresholdHypothesis):
        return 1 if hypothesis.above < point <= hypothesis.high else 0
    if isinstance(hypothesis, AlwaysZero):
        return 0
    if isinstance(hypothesis, PointHypothesis):
        return int(hypothesis.point == point)
    return int(hypothesis.predict(batch(concept_class, [point]))[0])


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
    if isinstance(domain, IntegerDomain) and domain.small and numbers:
        points = np.asarray(values, dtype=np.int64)
        return points, (points >= domain.low) & (points <= domain.high)
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
