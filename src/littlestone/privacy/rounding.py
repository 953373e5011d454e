"""Rounding that never flatters: exact end points of balls, decimals and floats rounded up.

A guarantee is an upper bound. Whatever leaves exact arithmetic on its way to a reader is therefore
rounded *up*, and the exact value travels beside it as text.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from numbers import Rational
from typing import Any

from flint import arb

from littlestone.errors import exact_value, parameter_error


def upper(x: arb) -> Fraction:
    """Return the exact upper end of a finite ball.

    Examples
    --------
    >>> from flint import arb
    >>> upper(arb(1) / 4)
    Fraction(1, 4)
    """
    return _dyadic(x.mid()) + _dyadic(x.rad())


def lower(x: arb) -> Fraction:
    """Return the exact lower end of a finite ball."""
    return _dyadic(x.mid()) - _dyadic(x.rad())


def round_up(x: Fraction, digits: int = 15) -> Fraction:
    """Return the least decimal with ``digits`` significant digits that is at least ``x`` >= 0.

    Examples
    --------
    >>> round_up(Fraction(1, 3), 3)
    Fraction(167, 500)
    """
    if x == 0:
        return Fraction(0)
    # log10 of numerator and denominator apart: both may be far beyond the range of a float.
    exponent = math.floor(math.log10(x.numerator) - math.log10(x.denominator))
    scale = Fraction(10) ** (digits - 1 - exponent)
    return Fraction(math.ceil(x * scale)) / scale


def float_up(x: Rational | int) -> float:
    """Return the least float that is at least ``x`` (``inf`` when there is none).

    Examples
    --------
    >>> float_up(Fraction(1, 10)), float_up(Fraction(3, 10))
    (0.1, 0.30000000000000004)
    """
    exact = Fraction(x)
    try:
        nearest = float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
    return nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)


@lru_cache(maxsize=256)
def short_text(x: Fraction, *, up: bool = True) -> str:
    """Write a number >= 0 for people: at most 6 digits, rounded up (or down).

    Examples
    --------
    >>> short_text(Fraction(1, 3)), short_text(Fraction(1, 3), up=False), short_text(Fraction(2))
    ('0.333334', '0.333333', '2')
    >>> short_text(Fraction(2) ** 2000), short_text(Fraction(1, 3) ** 2000)
    ('1.14814e602', '5.72125e-955')
    """
    if not x:
        return "0"
    places = math.floor(math.log10(x.numerator) - math.log10(x.denominator))
    scale = Fraction(10) ** (5 - places)
    lead = Fraction(math.ceil(x * scale) if up else math.floor(x * scale)) / 10**5
    if abs(places) < 300:
        return f"{float(lead * Fraction(10) ** places):.6g}"
    return f"{float(lead):.6g}e{places}"


def exact_text(x: Fraction) -> str:
    """Return the exact value as text: an integer or ``p/q``.

    Examples
    --------
    >>> exact_text(Fraction(1, 10)), exact_text(Fraction(2))
    ('1/10', '2')
    """
    return str(x)


def check_nonnegative(caller: str, name: str, value: Any, *, hint: str = "") -> Fraction:
    """Return a finite number >= 0 as the exact fraction of what was typed."""
    exact = exact_value(value)
    if exact is None or exact < 0:
        raise parameter_error(caller, name, "a number in [0, inf)", value, hint)
    return exact


def _dyadic(exact: arb) -> Fraction:
    mantissa, exponent = (int(part) for part in exact.man_exp())
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)
