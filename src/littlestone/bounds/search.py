"""Numerical search for good public parameters.

What is found here is a proposal in floats: it decides how good a certificate is, never whether it
is valid. Everything is deterministic, so the same public parameters are found again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

__all__ = ["HOPELESS", "least_point", "least_real", "log_of", "softmax"]

#: Stands for "no n suffices" in searches (an infinity would make differences undefined).
HOPELESS = 1e30


def least_point(
    height: Callable[[Sequence[float]], float], start: Sequence[float], *, scale: float = 0.7
) -> list[float]:
    """Return where a function of a few numbers is about least (Nelder-Mead from ``start``)."""
    from scipy.optimize import minimize  # noqa: PLC0415 - slow to import, and rarely needed

    simplex = [list(start)]
    simplex += [[x + scale * (i == k) for i, x in enumerate(start)] for k in range(len(start))]
    found = minimize(
        lambda x: min(height([float(part) for part in x]), HOPELESS),
        list(start),
        method="Nelder-Mead",
        options={"maxfev": 60 * len(start), "initial_simplex": simplex, "xatol": 1e-3},
    )
    return [float(part) for part in found.x]


def least_real(enough: Callable[[float], bool], first: float = 1.0) -> float:
    """Return about the least n > 0 from which on ``enough`` holds; `HOPELESS` if none is found."""
    low, high = 0.0, max(first, 1.0)
    while not enough(high):
        low, high = high, 2 * high
        if high > HOPELESS:
            return HOPELESS
    while high - low > 1e-4 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def log_of(x: Fraction | int) -> float:
    """Return the natural logarithm of an exact positive number, also where it is no float.

    Examples
    --------
    >>> round(log_of(Fraction(2**5000, 3)) - 5000 * log_of(2) + log_of(3), 9)
    0.0
    """
    exact = Fraction(x)
    return math.log(exact.numerator) - math.log(exact.denominator)


def softmax(weights: Sequence[float]) -> list[float]:
    """Return positive shares that sum to one."""
    top = max(weights)
    powers = [math.exp(max(w - top, -20.0)) for w in weights]
    return [p / sum(powers) for p in powers]
