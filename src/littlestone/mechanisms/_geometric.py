"""Two-sided geometric noise, ``Pr[z] ~ e**(-rate |z|)``: as a coin, and as a number."""

from __future__ import annotations

import math
from fractions import Fraction

from littlestone.source import Few, Source, exp

__all__ = ["coin_of", "two_sided"]


def coin_of(rate: Fraction, gap: int) -> Few:
    """Return the coin (no, yes) of ``gap + z >= 0``.

    Examples
    --------
    >>> coin_of(Fraction(1), 0).weights
    (1*e**(-1), 1)
    """
    both = 1 + exp(-rate)
    tail = exp(-rate * (gap + 1 if gap >= 0 else -gap))  # of the less likely side
    return Few(tail, both - tail) if gap >= 0 else Few(both - tail, tail)


def two_sided(rate: Fraction, source: Source) -> int:
    """Draw z exactly, by finitely many coins.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> two_sided(Fraction(100), SeededSource(0))
    0
    """
    p = exp(-rate)
    sign = source.choose(Few(1 - p, p, p))
    if sign == 0:
        return 0
    # given z != 0, the binary digits of |z| - 1 are independent coins; blocks of 2**digits
    digits = math.ceil(32 / rate).bit_length()
    size = 1
    more = Few(1 - exp(-rate * 2**digits), exp(-rate * 2**digits))
    while source.choose(more):
        size += 2**digits
    size += sum(source.choose(Few(1, exp(-rate * 2**i))) << i for i in range(digits))
    return size if sign == 1 else -size
