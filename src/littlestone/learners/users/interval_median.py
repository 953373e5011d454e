"""A private point that halves an interval, when each user holds many points of it: Lemma 5.1."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from littlestone.learners.users.separation import crossing
from littlestone.source import Integers, ScoreRuns

if TYPE_CHECKING:
    from littlestone.data import UserSample
    from littlestone.source import Source

__all__ = ["IntervalMedian"]


@dataclass(frozen=True)
class IntervalMedian:
    """Paper 002, Lemma 5.1: split an interval so that neither side has more than 2/3 of its mass.

    The score of u in [l, r] is the larger one of two numbers of users: those with more than s
    records in [l, u - 1], and those with more than s records in [u + 1, r]; smaller is better.

    Parameters
    ----------
    samples_per_user : int
    mass : Fraction in (0, 1]
        What [l, r] is supposed to hold at most. Only the choice of s depends on it.
    epsilon : Fraction

    Notes
    -----
    *Guarantee.* Each number moves by at most 1 when a user is replaced, so does the larger one:
    pure epsilon-DP at rate epsilon/2, for every input.

    *Cost.* One pass over the groups; at most two runs for each user.

    Examples
    --------
    >>> from littlestone.data import UserSample
    >>> from littlestone.source import SeededSource
    >>> users = UserSample.of([i // 2 for i in range(80)], [3, 7] * 40, [0] * 80)
    >>> median = IntervalMedian(2, Fraction(1), Fraction(2))
    >>> median.s, median.scores(users, 0, 9).starts.tolist()
    (1, [0, 3, 8])
    >>> median.draw(users, 0, 9, SeededSource(1)) in range(3, 8)
    True
    """

    samples_per_user: int
    mass: Fraction
    epsilon: Fraction

    @property
    def halves(self) -> tuple[Fraction, Fraction]:
        """The masses that s tells apart: one half and two thirds."""
        return self.mass / 2, self.mass * 2 / 3

    @property
    def s(self) -> int:
        """How many records of a user are many."""
        low, high = self.halves
        return int(crossing(self.samples_per_user, float(low), float(high)))

    def draw(self, users: UserSample, low: int, high: int, source: Source) -> int:
        """Return a point of [low, high].

        Parameters
        ----------
        users : UserSample
            At most ``samples_per_user`` records of each user.
        low, high : int of any size
        source : Source
        """
        return self.scores(users, low, high).draw(-self.epsilon / 2, source)

    def scores(self, users: UserSample, low: int, high: int) -> ScoreRuns:
        """Return the score of every point of [low, high]."""
        points, s = users.points, self.s
        here = np.asarray((points >= low) & (points <= high), dtype=bool)
        keep = np.append(here, False)[users.point]  # -1, outside the domain, is the last one
        user, point, count = users.user[keep], users.point[keep], users.count[keep]
        upto = np.cumsum(count)
        edges = np.searchsorted(user, np.arange(users.n_users + 1))
        running = np.append(0, upto)
        before = upto - count - running[edges[:-1]][user]  # records of this user at smaller points
        after = running[edges[1:]][user] - upto  # and at larger ones
        full = (before <= s) & (before + count > s)  # with this point, more than s from below
        many = (after <= s) & (after + count > s)  # and from above
        size = len(points)
        lower = np.bincount(point[full], minlength=size)  # they count for u > point
        upper = np.bincount(point[many], minlength=size)  # they count for u < point
        starts, rise, fall = _events(points[:size], lower, upper, low, high)
        left = np.cumsum(rise)
        right = int(upper.sum()) - np.cumsum(fall)
        return ScoreRuns(starts, high + 1, np.maximum(left, right).astype(np.int64))


def _events(
    points: Integers, lower: Integers, upper: Integers, low: int, high: int
) -> tuple[Integers, Integers, Integers]:
    """Return where the score may change, and by how much its two parts do."""
    last, first = np.flatnonzero(lower), np.flatnonzero(upper)
    wide = points if len(points) else np.zeros(0, dtype=np.int64)
    if wide.dtype != object and not -(2**62) < low <= high < 2**62:
        wide = wide.astype(object)
    head = np.array([low], dtype=wide.dtype)
    places = np.concatenate([head, wide[last] + 1, wide[first]])
    starts, where = np.unique(places, return_inverse=True)
    rise, fall = np.zeros(len(starts), dtype=np.int64), np.zeros(len(starts), dtype=np.int64)
    np.add.at(rise, where[1 : 1 + len(last)], lower[last])
    np.add.at(fall, where[1 + len(last) :], upper[first])
    inside = np.asarray(starts <= high, dtype=bool)
    return starts[inside], rise[inside], fall[inside]
