"""How much noise above-threshold tests need: rates from a budget, margins from rates."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from littlestone.bounds.least import least
from littlestone.errors import ParameterError
from littlestone.privacy import ChargedTests, compose
from littlestone.source import exp

__all__ = ["Changes", "classic_rates", "fresh_rate", "margin"]

Changes = Literal["any", "monotone", "shift"]


def classic_rates(epsilon: Fraction, limit: int, changes: Changes) -> tuple[Fraction, Fraction]:
    """Return the rates (s, r) of offset and noise whose cost is exactly epsilon.

    Parameters
    ----------
    epsilon : Fraction > 0
    limit : int >= 1
    changes : {"any", "monotone", "shift"}

    Examples
    --------
    >>> classic_rates(Fraction(1), 1, "shift"), classic_rates(Fraction(1), 1, "monotone")
    ((Fraction(1, 1), Fraction(1, 1)), (Fraction(1, 2), Fraction(1, 2)))
    """
    steps = {"any": 2 * limit, "monotone": limit, "shift": limit - 1}[changes]
    # s : steps r = 1 : steps**(2/3), the split of least variance; by integers, so the same anywhere
    share = Fraction(1000, 1000 + _cube_root(steps**2 * 10**9))
    rate = epsilon * (1 - share) / steps if steps else epsilon
    if changes == "shift":
        rate = min(rate, epsilon / limit)
    return epsilon - steps * rate, rate


def _root(value: int) -> int:
    """Return the square root, rounded up to a power of two."""
    return 1 << (((value - 1).bit_length() + 1) // 2)


def _cube_root(value: int) -> int:
    """Return the integer part of the cube root."""
    return least(lambda x: (x + 1) ** 3 > value)


@lru_cache(maxsize=256)
def fresh_rate(epsilon: Fraction, delta: Fraction, limit: int) -> Fraction | None:
    """Return about the largest rate whose `ChargedTests` composes to (epsilon, delta), or None.

    Parameters
    ----------
    epsilon : Fraction > 0
    delta : Fraction in (0, 1)
    limit : int >= 1

    Examples
    --------
    >>> round(float(1 / fresh_rate(Fraction(1), Fraction(1, 10**6), 16)), 1)
    37.2
    """

    def private(rate: Fraction) -> bool:
        try:
            return compose([ChargedTests(rate, limit)], delta=delta)[0] <= epsilon
        except ParameterError:  # no order has a finite divergence
            return False

    # sqrt(limit): how the rate falls; an epsilon below about 1e-6 needs orders beyond `compose`
    low = next((r for i in range(1, 24) if private(r := epsilon / 2**i / _root(limit))), None)
    if low is None:
        return None
    high = 2 * low
    for _ in range(20):  # to a relative 1e-6
        middle = (low + high) / 2
        low, high = (middle, high) if private(middle) else (low, middle)
    short = Fraction(f"{float(low):.6e}")  # few digits
    return short if short <= low else low


def margin(offset: Fraction | None, rate: Fraction, queries: int, beta: Fraction) -> int:
    """Return about the least a = b + c with the two tails, beyond b and c, at most beta together.

    Parameters
    ----------
    offset : Fraction or None
        Rate of the offset; None if there is none.
    rate : Fraction > 0
    queries : int >= 1
    beta : Fraction in (0, 1)

    Notes
    -----
    ``2 e**(-s(b+1)) / (1 + e**-s) + queries e**(-r(c+1)) / (1 + e**-r) <= beta`` is decided
    exactly; where to split is only guessed.

    Examples
    --------
    >>> margin(None, Fraction(1), 1, Fraction(1, 20))
    2
    """
    both = 1 + exp(-rate)

    def fits(a: int, b: int) -> bool:
        noise = exp(-rate * (a - b + 1), times=queries)
        if offset is None:
            return (both * beta - noise).sign() >= 0
        far = exp(-offset * (b + 1), times=2)
        other = 1 + exp(-offset)
        return (beta * both * other - noise * other - far * both).sign() >= 0

    if offset is None:
        return least(lambda a: fits(a, 0))
    s, r = float(offset), float(rate)
    bend = math.log(2 * s * (1 + math.exp(-r)) / (queries * r * (1 + math.exp(-s))))

    def splits(a: int) -> bool:
        best = round((bend + r * a) / (s + r))  # where the sum of the two tails is least
        return any(0 <= b <= a and fits(a, b) for b in {best - 1, best, best + 1, 0, a})

    return least(splits)
