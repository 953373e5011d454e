"""The best error of a class, found privately: paper 002, Lemma C.1, Algorithm 2, Lemma 4.5.

`PrivateCompare`
    One private bit: is the best error below or above a midpoint (Lemma C.1)?
`PrivateMinError`
    Binary search with such bits (Algorithm 2, Lemma 4.5).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from littlestone.learners.users.binomials import crossing, tail
from littlestone.source import ExplicitWeights, exp

if TYPE_CHECKING:
    from littlestone.learners.users.scores import UserErrors
    from littlestone.source import Source


Floats = npt.NDArray[np.float64]
_GRID = 2**30  # cuts are fractions with this denominator
_STEEP = 60.0  # a tilt beyond this gains nothing


@dataclass(frozen=True)
class PrivateCompare:
    """PrivateCompare (paper 002, Lemma C.1): the least error against a midpoint, as one bit.

    Let eta be the least error of the class. The bit is 1 ("eta is above the midpoint") when the
    least number of users with more than ``t`` mistakes, plus noise, reaches ``n * cut``, where
    ``t`` and ``cut`` lie between what errors ``midpoint`` and ``midpoint + gap`` give.

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
    gap: Fraction  # between ``midpoint`` and ``midpoint + gap`` both answers are right
    epsilon: Fraction
    share: Fraction  # where the cut lies between the two probabilities

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

        ``errors``: of at most ``samples_per_user`` records of each user; ``n``: number of users
        (public).
        """
        if self.trivial:
            return 0
        missing = math.ceil(n * self.cut) - errors.least(self.t)  # min over c of n err_z^t(c)
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


@dataclass(frozen=True)
class PrivateMinError:
    """PrivateMinError (paper 002, Algorithm 2, Lemma 4.5), with its branch the right way round.

    Notes
    -----
    *Guarantee.* Pure epsilon-DP by composition.

    *Accuracy.* If no comparison is wrong, the best error lies in [l, r + gap], where r = l +
    2**-steps (after a 1, eta > midpoint = l; after a 0, eta < midpoint + gap = r + gap). While none
    is wrong, [l, r] is one of the dyadic intervals with l < eta < r + gap, of which there are at
    most ``ceil(1 + gap / (r - l))``: `weight` counts their midpoints. This union is needed because
    the midpoints depend on the data; the paper applies its bound as if they were fixed.

    *Deviation from the paper.* As printed, the search goes to the wrong half; see `branch`.

    Examples
    --------
    >>> search = PrivateMinError(16, 3, Fraction(1, 20), Fraction(1), Fraction(1, 2))
    >>> search.weight, search.answers
    (5, 2)
    """

    samples_per_user: int
    #: Comparisons, T in the paper. With none, the answer is "in [0, 1]", for free.
    steps: int
    gap: Fraction  # the tolerance of each comparison, alpha/2 in Lemma C.1
    epsilon: Fraction  # of all comparisons together: each one gets ``epsilon / steps``
    share: Fraction  # of `PrivateCompare`

    name = "binary"

    def compare(self, midpoint: Fraction) -> PrivateCompare:
        """Return the comparison with a midpoint."""
        return PrivateCompare(
            self.samples_per_user, midpoint, self.gap, self.epsilon / self.steps, self.share
        )

    @staticmethod
    def branch(bit: int, low: Fraction, middle: Fraction, high: Fraction) -> tuple[Fraction, ...]:
        """Return the half to continue with: the lower one after "below" (0).

        Algorithm 2 as printed does the opposite: an exact comparator with eta = 0.05 then ends at
        0.97.
        """
        return (middle, high) if bit else (low, middle)

    def locate(self, errors: UserErrors, n: int, source: Source) -> tuple[Fraction, Fraction]:
        """Return the interval [l, min(1, r + gap)] for the best error of the class.

        ``n``: number of users (public).
        """
        # Algorithm 2: l and r; its loop; epsilon' = epsilon/T is shared out in `compare`.
        low, high = Fraction(0), Fraction(1)
        for _ in range(self.steps):
            middle = (low + high) / 2
            bit = self._known[middle].decide(errors, n, source)
            low, high = self.branch(bit, low, middle, high)
        return low, min(Fraction(1), high + self.gap)

    @cached_property
    def comparisons(self) -> tuple[PrivateCompare, ...]:
        """All comparisons that may take place and are not trivial."""
        return tuple(one for one in self._known.values() if not one.trivial)

    @cached_property
    def _known(self) -> dict[Fraction, PrivateCompare]:
        size = 2**self.steps
        return {Fraction(j, size): self.compare(Fraction(j, size)) for j in range(1, size)}

    @cached_property
    def intervals(self) -> list[tuple[Fraction, Fraction]]:
        """All intervals that may be the answer."""
        width = Fraction(1, 2**self.steps)
        lows = [j * width for j in range(2**self.steps)]
        return [(low, min(Fraction(1), low + width + self.gap)) for low in lows]

    @property
    def weight(self) -> int:
        """How many midpoints can be met while no comparison is wrong: their failures add up."""
        return sum(self._near(k) for k in range(self.steps))

    @property
    def answers(self) -> int:
        """How many intervals can be the answer if no comparison is wrong."""
        return self._near(self.steps)

    def _near(self, level: int) -> int:
        return min(1 << level, math.ceil(1 + self.gap * (1 << level)))
