"""Candidates in a line: a user's mistakes change only at few places, the user's own *events*.

Walk through the candidates in their order. A point x is labelled 1 by the candidates of one span,
so a user's number of mistakes changes only where a span of that user's own points begins or ends.
The user enters or leaves the set "more than t mistakes" at some of these events, so the score of
every candidate (how many users are in that set) is a running sum over events, and it is the same
for all candidates between two events of that t.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.source import Integers, ScoreRuns

if TYPE_CHECKING:
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = ["Events", "LineErrors", "sums"]

Ints = npt.NDArray[np.int64]

_KEPT = 4  # the runs of so many t are kept


class Events:
    """Where each user's number of mistakes changes, user by user and in the order of the line.

    Parameters
    ----------
    places : ndarray of int (int64, or object beyond 64 bits), shape (k,)
        Increasing candidates at which something changes.
    starts : int64 ndarray of shape (n_users + 1,)
        The events of user i are number starts[i] to starts[i + 1] - 1. Of several events at one
        place any order will do.
    where : int ndarray
        Index into ``places`` of each event.
    change : int64 ndarray
        By how much the user's mistakes change there.
    """

    def __init__(
        self, places: Integers, starts: Ints, where: npt.NDArray[Any], change: Ints
    ) -> None:
        self.places, self.starts = places, starts
        self.where, self.change = where, change


class LineErrors:
    """How many users have more than t mistakes, for every candidate of a line, and every t.

    Parameters
    ----------
    first, end : int of any size
        The candidates are first, ..., end - 1.
    mistakes : int64 ndarray of shape (n_users,)
        Of each user, under the candidate ``first``.
    events : Events
        With places in (first, end].
    make : callable
        The hypothesis of a candidate.

    Notes
    -----
    *Cost.* A few bytes for each event. Each new t takes one pass over the events, and gives at most
    as many runs as users enter or leave.

    Examples
    --------
    >>> events = Events(np.array([2, 6]), np.array([0, 2]), np.array([0, 1]), np.array([-1, 2]))
    >>> one_user = LineErrors(0, 9, np.array([1]), events, make=str)
    >>> one_user.scores(0).starts.tolist(), one_user.scores(0).scores.tolist()
    ([0, 2, 6], [1, 0, 1])
    """

    def __init__(
        self,
        first: int,
        end: int,
        mistakes: Ints,
        events: Events,
        *,
        make: Callable[[int], Hypothesis],
    ) -> None:
        self.first, self.end, self.hypothesis = first, end, make
        self._places, self._mistakes = events.places, mistakes
        after = np.cumsum(events.change)
        earlier = np.concatenate([[0], after])[events.starts[:-1]]  # of the users before
        after += np.repeat(mistakes - earlier, np.diff(events.starts))
        before = after - events.change
        small = _narrowest(max(int(before.max(initial=0)), int(after.max(initial=0))))
        self._before, self._after = before.astype(small), after.astype(small)
        self._where = events.where.astype(_narrowest(len(events.places)), copy=False)
        self._known: dict[int, ScoreRuns] = {}

    @property
    def size(self) -> int:
        """Number of candidates."""
        return self.end - self.first

    def scores(self, t: int) -> ScoreRuns:
        """Return for each candidate the number of users with more than t mistakes.

        Parameters
        ----------
        t : int >= 0

        Returns
        -------
        ScoreRuns
            Over first, ..., end - 1.
        """
        if t not in self._known:
            was, now = self._before > t, self._after > t
            crossing = np.flatnonzero(was != now)
            sign = now[crossing].astype(np.int8) * 2 - 1
            changed, change = _totals(self._where[crossing], sign, len(self._places))
            begin = int((self._mistakes > t).sum())
            scores = begin + np.concatenate([[0], np.cumsum(change)]).astype(np.int64)
            head = np.array([self.first], dtype=self._places.dtype)
            starts = np.concatenate([head, self._places[changed]])
            if int(starts[-1]) == self.end:  # what changes after the last candidate
                starts, scores = starts[:-1], scores[:-1]
            if len(self._known) >= _KEPT:
                self._known.pop(next(iter(self._known)))
            self._known[t] = ScoreRuns(starts, self.end, scores)
        return self._known[t]

    def least(self, t: int) -> int:
        """Return the least number of users with more than t mistakes, over all candidates."""
        return int(self.scores(t).scores.min())

    def draw(self, t: int, rate: Fraction, source: Source) -> Hypothesis:
        """Return a hypothesis with probability proportional to ``e**(-rate * users)``, exactly."""
        return self.hypothesis(self.scores(t).draw(-rate, source))


def sums(values: Ints, starts: Ints) -> Ints:
    """Add up the values of each user, who may have none.

    Parameters
    ----------
    values : int ndarray
        Those of the first user, then those of the second, ...
    starts : int ndarray of shape (n_users + 1,)
        Where the values of each user begin; the last entry is their number.

    Examples
    --------
    >>> sums(np.array([1, 2, 4]), np.array([0, 2, 2, 3])).tolist()
    [3, 0, 4]
    """
    running = np.concatenate([[0], np.cumsum(values)])
    totals: Ints = np.diff(running[starts])
    return totals


def _narrowest(most: int) -> Any:
    """Return the narrowest integer type that holds 0 .. most."""
    return next(k for k in (np.int8, np.int16, np.int32, np.int64) if most <= np.iinfo(k).max)


def _totals(where: npt.NDArray[Any], sign: npt.NDArray[Any], size: int) -> tuple[Ints, Ints]:
    """Return where the signs do not cancel, and what they add up to there."""
    if 4 * len(where) < size:  # few events among many places: sort them
        keys, index = np.unique(where, return_inverse=True)
    else:
        keys, index = np.arange(size), where
    total = np.bincount(index[sign > 0], minlength=len(keys))
    total -= np.bincount(index[sign < 0], minlength=len(keys))
    changed = np.flatnonzero(total)
    return keys[changed].astype(np.int64), total[changed].astype(np.int64)
