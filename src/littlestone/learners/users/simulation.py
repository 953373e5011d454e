"""A public simulation of user-level errors, for pictures: no real data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from littlestone.data import UserSample
from littlestone.errors import check_integer, check_probability
from littlestone.learners.users.binomials import separate
from littlestone.learners.users.scores import ThresholdErrors
from littlestone.source import public_generator

__all__ = ["UserLevelCurve", "simulate_thresholds"]


@dataclass(frozen=True)
class UserLevelCurve:
    """Shares of simulated users with more than t mistakes, for thresholds across a domain.

    Attributes
    ----------
    samples_per_user, n_users, t : int
    above : int
        The threshold that labels were made with, before noise.
    thresholds : tuple of int
    shares : tuple of float
        At each threshold, the share of users with more than t mistakes.
    errors : tuple of float
        At each threshold, the share of all records that it gets wrong.
    """

    samples_per_user: int
    n_users: int
    t: int
    above: int
    thresholds: tuple[int, ...]
    shares: tuple[float, ...]
    errors: tuple[float, ...]


def simulate_thresholds(
    *,
    samples_per_user: Any = 64,
    n_users: Any = 2000,
    noise: Any = 0.2,
    seed: Any = 0,
) -> UserLevelCurve:
    """Simulate users whose records are uniform on 1..1000 and labelled by "x > 400" with noise.

    Parameters
    ----------
    samples_per_user, n_users : int >= 1
    noise : number in (0, 1)
        Probability that a label is flipped.
    seed : int >= 0
        Public.

    Returns
    -------
    UserLevelCurve
        ``littlestone.draw(curve)`` is its picture.

    Examples
    --------
    >>> curve = simulate_thresholds(n_users=200)
    >>> low = min(zip(curve.shares, curve.thresholds))[1]
    >>> abs(low - curve.above) < 60, curve.t
    (True, 15)
    """
    owner = "simulate_thresholds"
    m = check_integer(owner, "samples_per_user", samples_per_user, low=1)
    n = check_integer(owner, "n_users", n_users, low=1)
    flip = check_probability(owner, "noise", noise)
    rng = public_generator(check_integer(owner, "seed", seed, low=0))
    size, above = 1000, 400
    points = rng.integers(1, size + 1, size=n * m)
    labels = (points > above) ^ (rng.random(n * m) < float(flip))
    users = UserSample.of(np.repeat(np.arange(n), m).tolist(), points, labels.astype(np.int64))
    t, _ = separate(m, flip, min(flip + flip / 2, (flip + 1) / 2))
    grid = range(0, size + 1, 10)
    runs = ThresholdErrors(1, size, users).scores(t)
    pooled = users.pooled()
    errors = [
        (int(pooled.zeros[pooled.points > u].sum()) + int(pooled.ones[pooled.points <= u].sum()))
        / (n * m)
        for u in grid
    ]
    return UserLevelCurve(
        m, n, t, above, tuple(grid), tuple(runs.at(u) / n for u in grid), tuple(errors)
    )
