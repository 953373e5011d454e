"""A private count and intervals around it: a truncated geometric choice, no noise numbers.

The released count is count + Z clamped to [0, n], where Z is two-sided geometric. The magnitude
of Z is drawn by its binary digits, which are independent coins, so n may be 10**9 or 2**64.

The noise, ``Pr[z] ~ e**(-rate |z|)``, is there as a coin and as a number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from littlestone.bounds.search import least_n
from littlestone.errors import DataError, check_fraction, check_integer, check_probability
from littlestone.source import ExplicitWeights, Source, exp
from littlestone.types import Json


def coin_of(rate: Fraction, gap: int) -> ExplicitWeights:
    """Return the coin (no, yes) of ``gap + z >= 0``.

    Examples
    --------
    >>> coin_of(Fraction(1), 0).weights
    (1*e**(-1), 1)
    """
    both = 1 + exp(-rate)
    tail = exp(-rate * (gap + 1 if gap >= 0 else -gap))  # of the less likely side
    return ExplicitWeights(tail, both - tail) if gap >= 0 else ExplicitWeights(both - tail, tail)


def two_sided(rate: Fraction, source: Source) -> int:
    """Draw z exactly, by finitely many coins.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> two_sided(Fraction(100), SeededSource(0))
    0
    """
    sign = source.choose(_sign(rate))
    if sign == 0:
        return 0
    # given z != 0, the binary digits of |z| - 1 are independent coins; blocks of 2**digits
    digits = math.ceil(32 / rate).bit_length()
    size = 1
    while source.choose(_beyond(rate, 1 << digits)):
        size += 1 << digits
    size += sum(source.choose(_digit(rate, 1 << i)) << i for i in range(digits))
    return size if sign == 1 else -size


def truncated(rate: Fraction, n: int, source: Source) -> int:
    """Draw the two-sided geometric Z; a magnitude above n may be returned as any such one."""
    sign = source.choose(_sign(rate))
    if sign == 0:
        return 0
    digits = max(n - 1, 0).bit_length()
    beyond = 1 << digits  # >= n: then |Z| > n, and only the clamp matters
    magnitude = beyond
    if not source.choose(_beyond(rate, beyond)):
        # given |Z| - 1 < 2**digits, its digits are independent
        magnitude = sum(source.choose(_digit(rate, 1 << i)) << i for i in range(digits))
    return magnitude + 1 if sign == 1 else -magnitude - 1


@lru_cache(maxsize=256)
def _sign(rate: Fraction) -> ExplicitWeights:
    p = exp(-rate)
    return ExplicitWeights(1 - p, p, p)  # Pr[Z = 0] : Pr[Z > 0] : Pr[Z < 0]


@lru_cache(maxsize=256)
def _beyond(rate: Fraction, bound: int) -> ExplicitWeights:
    tail = exp(-rate * bound)  # Pr[|Z| - 1 >= bound | Z != 0]
    return ExplicitWeights(1 - tail, tail)


@lru_cache(maxsize=4096)
def _digit(rate: Fraction, value: int) -> ExplicitWeights:
    return ExplicitWeights(1, exp(-rate * value))


@dataclass(frozen=True)
class Estimate:
    """A released count, with an interval for the count of the data.

    The count of the data lies in [low, high] with probability at least 1 - beta, for every data
    set; both are computed from the released value and public parameters only.
    """

    value: int
    low: int
    high: int
    beta: Fraction
    epsilon: Fraction

    def to_dict(self) -> Json:
        """Return plain JSON; fractions as texts."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "beta": str(self.beta),
            "epsilon": str(self.epsilon),
        }


def private_count(
    count: int, n: int, *, epsilon: Any, source: Source, beta: Any = Fraction(1, 20)
) -> Estimate:
    """Return a private version of how many of n records have a property.

    The count in [0, n] is private, n public and of any size. With probability 1 - beta the interval
    holds the count; beta does not change what is released. `DataError` if the count is not an
    integer in [0, n], which is the caller's mistake.

    Notes
    -----
    *Guarantee.* Pure epsilon-DP when one record is replaced (the count moves by at most 1), and
    under add/remove if n stays a public bound. ``Pr[Z = z]`` is proportional to
    ``e**(-epsilon |z|)``, exactly; clamping to [0, n] is post-processing.

    *Cost.* At most ``2 + log2(n)`` coins.

    *Source.* Ghosh, Roughgarden and Sundararajan, STOC 2009 (the truncated geometric mechanism).
    The digits: ``e**(-epsilon * g)`` is a product over the binary digits of g.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> private_count(412, 1000, epsilon=1, source=SeededSource(4)).high - 412 < 10
    True
    """
    n = check_integer("private_count", "n", n, low=0)
    epsilon = check_fraction("private_count", "epsilon", epsilon)
    beta = check_probability("private_count", "beta", beta)
    if isinstance(count, bool) or int(count) != count or not 0 <= count <= n:
        raise DataError("The 'count' of private_count must be an integer between 0 and n.")
    value = min(n, max(0, int(count) + truncated(epsilon, n, source)))
    low, high = _around(value, n, epsilon, beta)
    return Estimate(value, low, high, beta, epsilon)


def noise_radius(*, epsilon: Any, beta: Any) -> int:
    """Return the least a with ``Pr[|Z| > a] <= beta``, decided exactly.

    That is ``2 p**(a+1) / (1 + p) <= beta`` with ``p = e**-epsilon``.

    Examples
    --------
    >>> noise_radius(epsilon=1, beta=0.05)
    3
    """
    epsilon = check_fraction("noise_radius", "epsilon", epsilon)
    beta = check_probability("noise_radius", "beta", beta)
    return _radius(epsilon, beta)


def _around(value: int, n: int, epsilon: Fraction, beta: Fraction) -> tuple[int, int]:
    # clamping moves the released value toward the count, never past it
    radius = noise_radius(epsilon=epsilon, beta=beta)
    return max(0, value - radius), min(n, value + radius)


@lru_cache(maxsize=256)
def _radius(epsilon: Fraction, beta: Fraction) -> int:
    allowed = beta * (1 + exp(-epsilon))
    return least_n(lambda a: (allowed - exp(-epsilon * (a + 1), times=2)).sign() >= 0, low=0)
