"""Two-sided geometric noise, ``Pr[z] ~ e**(-rate |z|)``: as a coin, and as a number."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from littlestone.source import ExplicitWeights, Source, exp

__all__ = ["coin_of", "truncated", "two_sided"]


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
    p = exp(-rate)
    sign = source.choose(ExplicitWeights(1 - p, p, p))
    if sign == 0:
        return 0
    # given z != 0, the binary digits of |z| - 1 are independent coins; blocks of 2**digits
    digits = math.ceil(32 / rate).bit_length()
    size = 1
    more = ExplicitWeights(1 - exp(-rate * 2**digits), exp(-rate * 2**digits))
    while source.choose(more):
        size += 2**digits
    size += sum(source.choose(ExplicitWeights(1, exp(-rate * 2**i))) << i for i in range(digits))
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
