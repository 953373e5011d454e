"""How the budget of a stream is shared: what one draw may cost, so that all together cost it."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from littlestone.privacy import Approximate, BoundedRange, Concentrated, Loss, Pure, compose

__all__ = ["all_losses", "draw_epsilon", "log_over"]

# For so few draws, and an ordinary budget, composing dominating pairs is worth its time.
_FEW, _LARGE, _TINY = 64, 16, Fraction(1, 2**60)


@lru_cache(maxsize=256)
def draw_epsilon(
    epsilon: Fraction, delta: Fraction, alarm: Fraction, leak: Fraction, draws: int
) -> Fraction:
    """Return the largest known epsilon of one draw with which the whole stream costs (e, d).

    The best of: the plain sum (pure), Rényi divergences of bounded range, and for few draws the
    composition of dominating pairs.
    """
    if draws == 0:
        return epsilon - alarm
    best = (epsilon - alarm) / draws
    if delta:
        best = _largest(
            lambda one: (
                _cost({Pure(alarm): 1, Concentrated(draws * one**2 / 8): 1}, leak * draws, delta)
                <= epsilon
            ),
            best,
            factor=Fraction(2),
            steps=14,
        )
    if delta > _TINY and draws <= _FEW and epsilon <= _LARGE:
        best = _largest(
            lambda one: compose(all_losses(alarm, one, leak, draws), delta=delta)[0] <= epsilon,
            best,
            factor=Fraction(5, 4),
            steps=4,
        )
    return best


def _cost(losses: dict[Loss, int], leak: Fraction, delta: Fraction) -> Fraction:
    return compose({**losses, Approximate(Fraction(0), leak): 1}, delta=delta)[0]


def all_losses(alarm: Fraction, one: Fraction, leak: Fraction, draws: int) -> dict[Loss, int]:
    """Return what the alarms and the draws of a stream promise, as items of `compose`.

    Examples
    --------
    >>> len(all_losses(Fraction(1, 8), Fraction(1, 50), Fraction(0), 200))
    2
    """
    losses: dict[Loss, int] = {Pure(alarm): 1, BoundedRange(one): draws}
    if leak:
        losses[Approximate(Fraction(0), leak)] = draws
    return losses


def _largest(
    good: Callable[[Fraction], bool], low: Fraction, *, factor: Fraction, steps: int
) -> Fraction:
    """Return a large number with a property that small numbers have; ``low`` has it."""
    high = low * factor
    for _ in range(200):
        if not good(high):
            break
        low, high = high, high * factor
    for _ in range(steps):
        middle = _short((low + high) / 2)
        low, high = (middle, high) if good(middle) else (low, middle)
    return low


def _short(x: Fraction) -> Fraction:
    """Round down to 40 significant bits: exact arithmetic with short numbers is fast."""
    shift = max(40 + x.denominator.bit_length() - x.numerator.bit_length(), 0)
    return Fraction((x.numerator << shift) // x.denominator, 1 << shift)


def log_over(x: Fraction | int, epsilon: Fraction) -> int:
    """Return ln(x) / epsilon, rounded up, for an epsilon of any size."""
    return math.ceil(Fraction(math.log(x)) / epsilon)
