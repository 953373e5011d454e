"""Numerical search for good public constants.

What is found is a proposal in floats: it decides how many records a certificate asks for, never
whether it is valid. Everything is a function of public parameters, so it is found again.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "least_chunks", "log_of", "log_sum", "probability"]

Array = npt.NDArray[Any]

#: Floats may err by this much; the exact certificate must still hold.
_CAUTION = 1 - 1e-9


def log_of(x: Fraction | int) -> float:
    """Return the natural logarithm of a positive number, however large or small.

    Examples
    --------
    >>> round(log_of(Fraction(2**5000, 3)) - 5000 * log_of(2) + log_of(3), 9)
    0.0
    """
    exact = Fraction(x)
    return math.log(exact.numerator) - math.log(exact.denominator)


def log_sum(a: float | Array, b: float | Array) -> Array:
    """Return ln(e**a + e**b)."""
    total: Array = np.logaddexp(a, b)
    return total


def probability(log_odds: Array) -> Array:
    """Return odds / (1 + odds)."""
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -700, 700))))


def least_chunks(good: Array, fails: Array, alpha: float, beta: float) -> tuple[int, int]:
    """Return the least number of chunks of one record, and the index of the constants for it.

    Parameters
    ----------
    good : int ndarray
        How many good chunks each candidate needs; a record is good with probability alpha.
    fails : float ndarray of the same shape
        What each candidate fails with, besides too few good chunks.
    alpha, beta : float

    Returns
    -------
    (n, index)
    """
    from scipy.special import betainc  # noqa: PLC0415 - slow to import

    allowed = beta * _CAUTION - fails
    possible = np.flatnonzero(allowed > 0)
    # the fewest good chunks first: of two candidates with equal failure the larger cannot win
    order = possible[np.lexsort((-allowed[possible], good[possible]))]
    slack = np.maximum.accumulate(np.concatenate([[-1.0], allowed[order][:-1]]))
    order = order[allowed[order] > slack]
    need, allowed = good[order].astype(np.float64), allowed[order]

    def enough(n: Array) -> Array:
        too_few: Array = betainc(n - need + 1, need, 1 - alpha)  # Pr[Bin(n, alpha) < need]
        return np.asarray(too_few <= allowed)

    low = need - 1
    high = np.ceil(need / alpha)
    while not enough(high).all():
        high = np.where(enough(high), high, 2 * high)
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        fine = enough(np.maximum(middle, need))
        low, high = np.where(fine, low, middle), np.where(fine, middle, high)
    best = int(np.argmin(high))
    return int(high[best]), int(order[best])
