"""The state of an online learner: plain data, all of it, so that it can be kept anywhere.

What is public and what is private are two separate documents. Public is what the stream published;
private is what the next draws depend on. Who holds the private part holds raw records.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from littlestone.classes import load
from littlestone.errors import ParameterError, StateError
from littlestone.learners.online.records import Record, read_records, write_records

if TYPE_CHECKING:
    from littlestone.types import Hypothesis, Json

__all__ = ["OnlineState", "StateTransaction"]

FORMAT = "littlestone-online-1"


@dataclass
class OnlineState:
    """Everything that an `OnlineAlgorithm` knows, between two records.

    Attributes
    ----------
    time : int
        Number of records learned; public.
    published : list of (int, Hypothesis)
        From which time on each hypothesis was published; public.
    stage : int
        Public.
    batches : int
        How often draws were made of the records; never more than planned. Public.
    stopped : bool
        Whether the budget is spent: the last hypothesis stays. Public.
    deal : int
        Seed of the public coins that deal time steps to teachers.
    limit : int
        The secret number of mistakes at which the alarm surely rings (limit and patience).
    alarm : int
        The secret time of the next event.
    rings : bool
        Whether the alarm rings then, or the future is drawn again.
    buffer : list of Record
        The mistakes since the last alarm, in order of time: one entry for each, equal or not.
    epochs : list of list of Record
        The mistakes of each earlier epoch.
    pending : dict from int to Point
        Points whose labels have not come yet, by ticket.
    tickets : int
        How many points were observed so; public.
    terms : str
        A digest of what the stream was begun with (class, plan, seed): it cannot go on with
        anything else, since what it published and spent was under these. Public.
    draws : int
        How often the source was turned to. Kept so that a reproducible source can continue.
    taken : bool
        Whether a learner has this object; see `take`. Not part of the documents.
    """

    time: int
    published: list[tuple[int, Hypothesis]]
    deal: int = field(repr=False)  # what is private is not shown by accident
    limit: int = field(default=0, repr=False)
    alarm: int = field(default=0, repr=False)
    rings: bool = field(default=False, repr=False)
    stage: int = 0
    batches: int = 0
    stopped: bool = False
    draws: int = field(default=0, repr=False)
    buffer: list[Record] = field(default_factory=list, repr=False)
    epochs: list[list[Record]] = field(default_factory=list, repr=False)
    pending: dict[int, Any] = field(default_factory=dict, repr=False)
    tickets: int = 0
    terms: str = ""
    taken: bool = field(default=False, compare=False, repr=False)

    @property
    def hypothesis(self) -> Hypothesis:
        """The published hypothesis."""
        return self.published[-1][1]

    @property
    def version(self) -> int:
        """Number of the published hypothesis, from 0."""
        return len(self.published) - 1

    def take(self) -> None:
        """Let one learner have this object, and no other after it.

        Raises
        ------
        StateError
            A learner has it: two learners of one state would spend the budget of its stream twice.
        """
        if self.taken:
            raise StateError(
                "This OnlineState is used by a learner already, and a second one would spend the "
                "budget of its stream twice. To hand a stream on, keep state.public() and "
                "state.private(), and continue one learner from OnlineState.from_json; or give a "
                "folder as 'state', which one process at a time can use."
            )
        self.taken = True

    def halt(self) -> None:
        """Learn nothing more; the published hypothesis stays, and records are forgotten."""
        self.stopped, self.buffer, self.epochs, self.pending = True, [], [], {}

    def public(self) -> Json:
        """Return what the stream published, as JSON."""
        return {
            "format": FORMAT,
            "time": self.time,
            "published": [[t, h.to_dict()] for t, h in self.published],
            "stage": self.stage,
            "batches": self.batches,
            "stopped": self.stopped,
            "tickets": self.tickets,
            "terms": self.terms,
        }

    def private(self) -> Json:
        """Return what must stay secret, as JSON; it contains records."""
        return {
            "deal": self.deal,
            "limit": self.limit,
            "alarm": self.alarm,
            "rings": self.rings,
            "draws": self.draws,
            "buffer": write_records(self.buffer),
            # documents of earlier versions are read: this field keeps the name it had in them
            "rounds": [write_records(epoch) for epoch in self.epochs],
            "pending": write_records((t, x, 0) for t, x in self.pending.items()),
        }

    @classmethod
    def from_json(cls, public: Any, private: Any) -> OnlineState:
        """Read both documents back.

        Raises
        ------
        ParameterError
            If they are not what `public` and `private` return.
        """
        try:
            if public["format"] != FORMAT:
                raise ValueError
            return cls(
                time=int(public["time"]),
                published=[(int(t), load(h)) for t, h in public["published"]],
                stage=int(public["stage"]),
                batches=int(public["batches"]),
                stopped=bool(public["stopped"]),
                deal=int(private["deal"]),
                limit=int(private["limit"]),
                alarm=int(private["alarm"]),
                rings=bool(private["rings"]),
                draws=int(private["draws"]),
                buffer=read_records(private["buffer"]),
                epochs=[read_records(epoch) for epoch in private["rounds"]],
                pending={t: x for t, x, _ in read_records(private["pending"])},
                tickets=int(public["tickets"]),
                terms=str(public.get("terms", "")),
            )
        except (KeyError, TypeError, ValueError):
            raise ParameterError(
                "The state of an online learner must be the two JSON documents that it wrote "
                f"(format {FORMAT}); these are incomplete or were changed."
            ) from None


class StateTransaction:
    """A block that changes a state in memory: left in the midst of a record, it halts the state.

    Somebody presses Ctrl-C, or memory is short: what was half done cannot be undone, and what the
    alarm and the council draw must be drawn once. A forked process is refused: its copy of the
    state would spend the same budget again.

    Parameters
    ----------
    state : OnlineState
    seeded : bool, default=False
        Whether all draws come from a seed: not private, so copies spend nothing.

    Examples
    --------
    >>> state = OnlineState(0, [], deal=1)
    >>> with StateTransaction(state):
    ...     raise MemoryError
    Traceback (most recent call last):
    MemoryError
    >>> state.stopped
    True
    """

    def __init__(self, state: OnlineState, *, seeded: bool = False) -> None:
        self._state = state
        self._process = None if seeded else _process()

    def __enter__(self) -> None:
        """Begin, in the process that has begun the stream."""
        if self._process is not None and self._process != _process():
            raise StateError(
                "This process was forked from the one that began the stream, and both have the "
                "same state: if both learned, the stream's budget would be spent twice. Learn in "
                "the process that began it, or begin another stream here; a state folder "
                "(state=...) is handed from one process to the next by itself."
            )

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Halt the state, if the block did not come to its end."""
        if kind is not None:
            self._state.halt()


_forks = 0


def _forked() -> None:
    global _forks  # noqa: PLW0603
    _forks += 1


if hasattr(os, "register_at_fork"):  # absent on Windows, which does not fork
    os.register_at_fork(after_in_child=_forked)


def _process() -> tuple[int, int]:
    """Return what differs between a process and its forks: numbers of processes are used again."""
    return os.getpid(), _forks
