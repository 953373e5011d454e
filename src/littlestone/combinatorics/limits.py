"""Limits of exact searches: a number of nodes and, where public questions ask for it, a clock.

Running time depends on the machine; a node count depends on the question alone. Code that must
behave equally for equal inputs (a private learner above all) can therefore rely on it: a search has
a clock only inside `watching`, which `littlestone.theory.dimensions` alone enters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import process_time
from typing import TypeVar

T = TypeVar("T")

#: Seconds of processor time between two reports of progress.
REPORT_EVERY = 1.0

#: Enough for random classes of a few hundred thousand hypotheses; minutes, not days, when reached.
DEFAULT_MAX_NODES = 1_000_000


class OutOfNodes(Exception):  # noqa: N818 - a signal inside the package, never seen outside
    """The budget is used up; `Kernel` turns it into `littlestone.errors.SearchLimitError`."""

    parameter = "max_nodes"


class OutOfTime(OutOfNodes):
    """The time is used up."""

    parameter = "max_seconds"


class NodeLimit:
    """Count nodes up to a limit.

    Examples
    --------
    >>> budget = NodeLimit(1)
    >>> budget.spend()
    >>> budget.spend()
    Traceback (most recent call last):
    ...
    littlestone.combinatorics.limits.OutOfNodes
    """

    __slots__ = ("limit", "used")

    def __init__(self, limit: int | None) -> None:
        self.limit = limit
        self.used = 0

    def spend(self) -> None:
        """Count one node; raise `OutOfNodes` when it is one too many, or comes too late."""
        if self.limit is not None and self.used >= self.limit:
            raise OutOfNodes
        self.look()
        self.used += 1

    def look(self) -> None:
        """Look at the clock, if there is one: for long work inside one node."""
        clock = _CLOCK.get()
        if clock is not None:
            clock.look()


class Clock:
    """The processor time of some questions, and a report of the bounds so far.

    Examples
    --------
    >>> times = iter([0.0, 0.0, 1.0, 2.0])
    >>> clock = Clock(4, now=times.__next__)
    >>> clock.turn(2)
    >>> clock.look()
    >>> clock.look()
    Traceback (most recent call last):
    ...
    littlestone.combinatorics.limits.OutOfTime
    """

    def __init__(self, seconds: float | None, now: Callable[[], float] = process_time) -> None:
        self._now = now
        start = now()
        self._end = self._until = inf if seconds is None else start + seconds
        self._next = start + REPORT_EVERY
        self._report: Callable[[float, float], None] | None = None
        self.bounds: Callable[[], tuple[float, float]] | None = None

    def turn(self, parts: int, report: Callable[[float, float], None] | None = None) -> None:
        """Begin the next question, one of ``parts`` that share the time left."""
        now = self._now()
        self._until = now + max(self._end - now, 0.0) / parts
        self._report, self.bounds = report, None

    def look(self) -> None:
        """Raise `OutOfTime` when the time of the question is over; report each second."""
        now = self._now()
        if now >= self._until:
            raise OutOfTime
        if now >= self._next:
            self._next = now + REPORT_EVERY
            if self._report is not None and self.bounds is not None:
                self._report(*self.bounds())


_CLOCK: ContextVar[Clock | None] = ContextVar("clock", default=None)


@contextmanager
def watching(clock: Clock | None) -> Iterator[None]:
    """Let the searches inside look at a clock; None watches nothing."""
    token = _CLOCK.set(clock)
    try:
        yield
    finally:
        _CLOCK.reset(token)


def asked(bounds: Callable[[], tuple[float, float]]) -> None:
    """Tell the clock, if there is one, how to find the bounds so far of the question asked."""
    clock = _CLOCK.get()
    if clock is not None:
        clock.bounds = bounds


def timed(items: Iterable[T]) -> Iterator[T]:
    """Pass items on, with a look at the clock before each."""
    clock = _CLOCK.get()
    for item in items:
        if clock is not None:
            clock.look()
        yield item
