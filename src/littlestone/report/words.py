"""Numbers in words, for readers who do not write proofs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any

from littlestone.privacy.rounding import short_text

_BEFORE = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))


def number_of(n: int, unit: str) -> str:
    """Return a number of any size, with its unit: ``1 record``, ``2**64 users``."""
    return f"{integer(n)} {unit.removesuffix('s') if n == 1 else unit}"


def integer(value: int) -> str:
    """Return an integer of any size in few characters.

    Examples
    --------
    >>> integer(30162), integer(2**64), integer(2**1024 - 1), integer(-(10**30))
    ('30,162', '2**64', '2**1024 - 1', '≈ -1.00e30')
    """
    if abs(value) < 10**12:
        return f"{value:,}"
    size = abs(value)
    for power in (size.bit_length() - 1, size.bit_length()):
        rest = value - (1 << power if value > 0 else -(1 << power))
        if abs(rest) < 1000:
            tail = f" {'+-'[rest < 0]} {abs(rest)}" if rest else ""
            return f"{'-' if value < 0 else ''}2**{power}{tail}"
    places = int(size.bit_length() * math.log10(2))  # digits - 1, or one more than that
    places -= 10**places > size
    lead = f"{size * 100 // 10**places / 100:.2f}"
    return f"≈ {'-' if value < 0 else ''}{lead}e{places}"


def amount(value: Any) -> str:
    """Return a public number, text or list for a table of a derivation.

    Examples
    --------
    >>> amount(0.1), amount(420), amount(13.862943611198906), amount([1, 2]), amount(True)
    ('0.1', '420', '13.8629', '1, 2', 'yes')
    """
    match value:
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return ", ".join(map(amount, value))
        case Fraction() if value.denominator != 1:
            return _decimal(float(value))
        case int() | Fraction():
            return integer(int(value))
        case float():
            return _decimal(value)
        case _:
            return str(value)


def _decimal(value: float) -> str:
    if value.is_integer() and abs(value) < 10**12:
        return integer(int(value))
    return f"{value:.6g}".replace("inf", "∞")


def percent(
    value: float | Rational, digits: int = 1, *, rounded: Callable[[float], int] = round
) -> str:
    """Return a share as a percentage, never rounded to 0 or 100 unless it is exactly that.

    Examples
    --------
    >>> percent(0.05), percent(0.1234), percent(1e-9), percent(0.99999), percent(Fraction(1, 3))
    ('5%', '12.3%', 'less than 0.01%', 'more than 99.99%', '33.3%')
    >>> percent(0.1234, rounded=math.ceil)
    '12.4%'
    """
    share = float(value)
    if 0 < share < 0.0001:
        return "less than 0.01%"
    if 0.9999 < share < 1:
        return "more than 99.99%"
    if not (0.01 <= share <= 0.99 or share in (0, 1)):
        digits = max(digits, 2)
    shown = rounded(100 * share * 10**digits) / 10**digits
    return f"{shown:.{digits}f}".rstrip("0").rstrip(".") + "%" if digits else f"{shown:.0f}%"


def odds_factor(epsilon: Fraction) -> str:
    """Return e**epsilon, rounded up: the most by which odds can grow.

    Examples
    --------
    >>> odds_factor(Fraction(1)), odds_factor(Fraction(1, 1000)), odds_factor(Fraction(30))
    ('2.72', '1.002', '1.1e13')
    """
    if epsilon > 10**6:
        return f"e**{short_text(epsilon)}"
    if epsilon > 9:
        power = epsilon / Fraction(math.log(10))
        whole = math.floor(power)
        lead = math.ceil(10 ** (float(power - whole) + 1)) / 10
        return f"{lead:.1f}e{whole}"
    factor = math.exp(epsilon)
    digits = 3 if factor < 1.1 else 2 if factor < 100 else 0
    return f"{math.ceil(factor * 10**digits) / 10**digits:.{digits}f}"


@dataclass(frozen=True)
class Belief:
    """What a reader may believe about one record, before and after seeing the release."""

    before: str
    least: str
    most: str


def beliefs(epsilon: Fraction) -> tuple[Belief, ...]:
    """Return how far a release can move a belief about one record: odds times e**(±epsilon).

    Examples
    --------
    >>> beliefs(Fraction(1))[2]
    Belief(before='50%', least='26.8%', most='73.2%')
    """
    return tuple(
        Belief(
            percent(before),
            percent(_posterior(before, -epsilon), rounded=math.floor),
            percent(_posterior(before, epsilon), rounded=math.ceil),
        )
        for before in _BEFORE
    )


def best_guess(epsilon: Fraction, delta: Fraction) -> str:
    """Return how often the best guess between two equally likely values is right, at most.

    (e**epsilon + delta) / (e**epsilon + 1), rounded up: the two error rates of a test satisfy
    1 - a <= e**epsilon b + delta and 1 - b <= e**epsilon a + delta.

    Examples
    --------
    >>> best_guess(Fraction(1), Fraction(0)), best_guess(Fraction(1), Fraction(1, 10))
    ('73.2%', '75.8%')
    """
    wrong = (1 - float(delta)) / (math.exp(min(epsilon, Fraction(700))) + 1)
    return percent(min(1 - wrong, math.nextafter(1, 0)), rounded=math.ceil)


def _posterior(before: Fraction, log_factor: Fraction) -> float:
    """Return the probability whose odds are those of ``before`` times e**log_factor."""
    log_odds = math.log(before / (1 - before)) + float(
        max(Fraction(-2000), min(log_factor, Fraction(2000)))
    )
    if log_odds > 0:
        return min(1 / (1 + math.exp(-min(log_odds, 700))), math.nextafter(1, 0))  # never certain
    grown = math.exp(max(log_odds, -700))
    return grown / (1 + grown)
