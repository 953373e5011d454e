"""The least integer with an exactly decided property: no float decides a certificate."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["least"]


def least(holds: Callable[[int], bool], low: int = 0) -> int:
    """Return the least integer >= low at which a monotone property holds.

    Examples
    --------
    >>> least(lambda i: i * i >= 50)
    8
    """
    step = 1
    while not holds(low + step - 1):
        low, step = low + step, 2 * step
    high = low + step - 1  # holds here, and fails just below low
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
