"""How far a reading is, for whoever waits: the share of rows, where their number is public.

Only rows that a reader hands out one batch after the other are counted. What an engine does inside
(grouping, sorting) depends on the records, so nothing is said about it. Nor does what is said tell
where batches end: a writer may cut its file by bytes, which are the records'.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

_watching: list[Callable[[float], None]] = []


@contextmanager
def watched(tell: Callable[[float], None]) -> Iterator[None]:
    """Call ``tell(share)`` while tables are read in this process; engines' threads call it, too.

    Examples
    --------
    >>> with watched(print):
    ...     told = Told(3)
    ...     told(2), told(1)  # doctest: +ELLIPSIS
    0.01
    0.02
    ...
    0.99
    1.0
    (None, None)
    """
    _watching.append(tell)
    try:
        yield
    finally:
        _watching.remove(tell)


class Told:
    """Counts the rows of one reading; says each percent once, one after the other."""

    def __init__(self, total: int | None) -> None:
        self._total, self._done, self._said = total, 0, 0

    def __call__(self, rows: int) -> None:
        """Count further rows."""
        self._done += rows
        if not self._total or not _watching:
            return
        percent = min(100 * self._done // self._total, 100)
        while self._said < percent:
            self._said += 1
            for tell in tuple(_watching):
                tell(self._said / 100)
