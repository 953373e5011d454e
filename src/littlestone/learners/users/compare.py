"""PrivateCompare: is the best error of a class below or above a given value? One bit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from littlestone.learners.users.separation import crossing, tail
from littlestone.source import ExplicitWeights, exp

if TYPE_CHECKING:
    from littlestone.learners.users.sweeps import UserErrors
    from littlestone.source import Source

__all__ = ["PrivateCompare", "cut_between", "rates"]

Floats = npt.NDArray[np.float64]
_GRID = 2**30  # cuts are fractions with this denominator
_STEEP = 60.0  # a tilt beyond this gains nothing


@dataclass(frozen=True)
class PrivateCompare:
    """Paper 002, Lemma C.1: compare the least user-level error with what a midpoint would give.

    Let eta be the least error of the class. The bit is 1 ("eta is above the midpoint") when the
    least number of users with more than ``t`` mistakes, plus noise, reaches ``n * cut``, where
    ``t`` and ``cut`` lie between what errors ``midpoint`` and ``midpoint + gap`` give.

    Parameters
    ----------
    samples_per_user : int
    midpoint : Fraction in (0, 1)
    gap : Fraction in (0, 1)
        Between ``midpoint`` and ``midpoint + gap`` both answers are right.
    epsilon : Fraction
    share : Fraction in (0, 1)
        Where the cut lies between the two probabilities.

    Notes
    -----
    *Guarantee.* The least score over the class moves by at most 1 when a user is replaced, so the
    noisy count, and the bit, is pure epsilon-DP; n is public. The noisy count itself is never
    released (nor even drawn): the bit is one coin with the probability of the event.

    *Deviations from the paper.* The exact separation, not 1/700 of its order; counts, not
    fractions of n; two-sided geometric noise, which is the Laplace of integers; and where
    ``midpoint + gap`` reaches 1 there is nothing to compare, and the public answer is 0.

    Examples
    --------
    >>> compare = PrivateCompare(16, Fraction(1, 4), Fraction(1, 8), Fraction(1), Fraction(1, 2))
    >>> compare.t, round(float(compare.cut), 3)
    (4, 0.574)
    """

    samples_per_user: int
    midpoint: Fraction
    gap: Fraction
    epsilon: Fraction
    share: Fraction

    @property
    def trivial(self) -> bool:
        """Whether every error is below ``midpoint + gap``, so that 0 is a right answer."""
        return self.midpoint + self.gap >= 1

    @cached_property
    def t(self) -> int:
        """The number of mistakes that separates best."""
        return int(crossing(self.samples_per_user, float(self.midpoint), self._far))

    @cached_property
    def cut(self) -> Fraction:
        """The share of users, between the two probabilities, that decides."""
        m = self.samples_per_user
        low, high = tail(m, float(self.midpoint), self.t), tail(m, self._far, self.t)
        return Fraction(int(cut_between(low, high, float(self.share)) * _GRID), _GRID)

    @property
    def _far(self) -> float:
        return float(self.midpoint + self.gap)

    def decide(self, errors: UserErrors, n: int, source: Source) -> int:
        """Return 1 for "above the midpoint", 0 for "below"; one exact coin.

        Parameters
        ----------
        errors : UserErrors
            Of at most ``samples_per_user`` records of each user.
        n : int
            Number of users (public).
        source : Source
        """
        if self.trivial:
            return 0
        missing = math.ceil(n * self.cut) - errors.least(self.t)
        return source.choose(_reaches(self.epsilon, missing))


def _reaches(epsilon: Fraction, missing: int) -> ExplicitWeights:
    """Return the weights of "noise < missing" and "noise >= missing", two-sided geometric."""
    p = exp(-epsilon)
    if missing > 0:
        reached = exp(-epsilon * missing)  # Pr[Z >= k] = p**k / (1 + p), k >= 1
        return ExplicitWeights(1 + p - reached, reached)
    short = exp(-epsilon * (1 - missing))
    return ExplicitWeights(short, 1 + p - short)


def cut_between(low: npt.ArrayLike, high: npt.ArrayLike, share: float) -> Floats:
    """Return the point between two probabilities, on the grid of cuts (never above it).

    Examples
    --------
    >>> cut_between(0.25, 0.75, 0.5).tolist()
    0.5
    """
    start = np.asarray(low, dtype=float)
    cuts = start + share * (np.asarray(high, dtype=float) - start)
    return np.asarray(np.floor(np.clip(cuts * _GRID, 1, _GRID - 1)) / _GRID)


def rates(
    cut: Floats, low: Floats, high: Floats, epsilon: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return how fast both failures of a comparison vanish with n, and the tilts for it.

    Pr[1] <= e**(l (N - n cut)) for every 0 <= l <= epsilon, and the expectation of the right side
    over n independent users, each of which counts with probability at most ``low``, is
    e**(-n up): that is the failure for eta <= midpoint. Likewise e**(-n down) for each hypothesis
    whose users count with probability at least ``high``.

    Returns
    -------
    up, down, tilt_up, tilt_down : ndarray
        Natural rates for one user; where one is not positive, nothing is certified.
    """
    tiny = 1e-300
    odds = np.log(cut) - np.log1p(-cut)
    most = min(epsilon, _STEEP)
    tilt_up = np.clip(odds - np.log(np.maximum(low, tiny)) + np.log1p(-low), 0, most)
    far = np.log(np.maximum(high, tiny)) - np.log(np.maximum(1 - high, tiny))
    tilt_down = np.clip(far - odds, 0, most)
    up = tilt_up * cut - np.log1p(low * np.expm1(tilt_up))
    down = -tilt_down * cut - np.log1p(high * np.expm1(-tilt_down))
    return up, down, tilt_up, tilt_down
