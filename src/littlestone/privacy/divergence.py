"""Exact comparison of two finite output laws: the hockey-stick divergence and its inverse.

The laws are what `ExactSource` computes: a ball for the probability of every outcome. All results
are enclosures, so an upper end is a proof.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any

from flint import arb, ctx

from littlestone.privacy.rounding import check_nonnegative, lower, upper
from littlestone.source import ball

Probabilities = Mapping[Hashable, arb]


def hockey_stick(p: Probabilities, q: Probabilities, epsilon: Any, *, bits: int = 256) -> arb:
    """Enclose the least delta with p(E) <= e**epsilon * q(E) + delta for all events E.

    Both laws map outcomes to balls; an outcome that is missing has probability zero. Only this
    order is compared: call again with p and q exchanged for the other. Returns a ball that contains
    the sum over outcomes of max(0, p - e**epsilon * q), computed with ``bits``; its upper end is a
    proof.

    Examples
    --------
    >>> from flint import arb
    >>> coin, bent = {0: arb(1) / 2, 1: arb(1) / 2}, {0: arb(1) / 4, 1: arb(3) / 4}
    >>> float(hockey_stick(coin, bent, 0))
    0.25
    """
    return _divergence(p, q, check_nonnegative("hockey_stick", "epsilon", epsilon), bits)


def tightest_epsilon(p: Probabilities, q: Probabilities, delta: Any = 0, *, bits: int = 256) -> arb:
    """Enclose the least epsilon >= 0 at which the hockey-stick divergence is at most ``delta``.

    Only this order is compared; delta = 0 is the largest log-ratio, pure differential privacy. The
    upper end of the ball is a proof of (epsilon, delta). It is infinite when the outcomes that q
    excludes have more than ``delta`` under p, or when the balls are too wide to exclude that (an
    exact tie: ask for a slightly larger delta).

    Examples
    --------
    >>> from flint import arb
    >>> coin, bent = {0: arb(1) / 2, 1: arb(1) / 2}, {0: arb(1) / 4, 1: arb(3) / 4}
    >>> round(float(tightest_epsilon(coin, bent)), 6)
    0.693147
    >>> float(tightest_epsilon(coin, bent, 0.25))
    0.0
    """
    exact = check_nonnegative("tightest_epsilon", "delta", delta)
    with ctx.workprec(bits):
        pairs = [(p.get(k, arb(0)), q.get(k, arb(0))) for k in {**p, **q}]
        if exact == 0:
            return _largest_ratio(pairs)
        guess = _guess(pairs, exact)
    if guess is None:
        return arb("inf")
    # The guess is near; widen it until both sides are proved.
    width = Fraction(1, 2**60)
    high = guess + width
    while not _divergence(p, q, high, bits) <= ball(exact):
        if width > 2**20:  # the balls are too wide to prove anything
            return arb("inf")
        width *= 16
        high = guess + width
    width, low = Fraction(1, 2**60), max(guess - Fraction(1, 2**60), Fraction(0))
    while low > 0 and not _divergence(p, q, low, bits) > ball(exact):
        width *= 16
        low = max(guess - width, Fraction(0))
    with ctx.workprec(bits):
        if low == 0 and _divergence(p, q, low, bits) <= ball(exact):
            return arb(0)
        return ball(low).union(ball(high))


def _divergence(p: Probabilities, q: Probabilities, epsilon: Fraction, bits: int) -> arb:
    with ctx.workprec(bits):
        factor, total, zero = _power(epsilon, bits), arb(0), arb(0)
        for outcome, mass in p.items():
            other = q.get(outcome)
            excess = mass if other is None else mass - factor * other
            if not excess <= 0:
                total += excess if excess > 0 else excess.max(zero)
        return total


@functools.lru_cache(maxsize=256)
def _power(epsilon: Fraction, bits: int) -> arb:
    with ctx.workprec(bits):
        return ball(epsilon).exp()


def _largest_ratio(pairs: list[tuple[arb, arb]]) -> arb:
    largest = arb(0)
    for mass, other in pairs:
        if mass <= 0:
            continue
        if not other > 0:
            return arb("inf")
        ratio = (mass / other).log() if mass > 0 else (mass.upper() / other).log().union(arb(0))
        largest = largest.max(ratio)
    return largest


def _guess(pairs: list[tuple[arb, arb]], delta: Fraction) -> Fraction | None:
    """Return a good epsilon from the end points of the balls, as plain fractions."""
    over, under = Fraction(0), Fraction(0)
    masses = [(max(upper(a), Fraction(0)), max(lower(b), Fraction(0))) for a, b in pairs]
    order = sorted(
        (m for m in masses if m[0] > 0), key=lambda m: (m[1] == 0, m[0] / (m[1] or 1)), reverse=True
    )
    for i, (mass, other) in enumerate(order):
        over, under = over + mass, under + other
        if over <= delta:
            continue
        if under == 0:
            return None
        root = (over - delta) / under  # e**epsilon, if these are the outcomes that count
        following = order[i + 1] if i + 1 < len(order) else (Fraction(0), Fraction(1))
        if following[1] == 0 or following[0] > root * following[1]:
            continue
        return Fraction(max(math.log(root), 0.0)) if root > 1 else Fraction(0)
    return Fraction(0)
