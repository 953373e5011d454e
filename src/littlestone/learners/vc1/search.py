"""Numerical search for good public constants.

What is found is a proposal in floats: it decides how many records a certificate asks for, never
whether it is valid. Everything is a function of public parameters, so it is found again.
"""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.bounds.tails import at_most_all

__all__ = ["MOST", "Array", "grid", "least_chunks", "log_sum", "probability"]

Array = npt.NDArray[Any]

#: More chunks than this are never certified: their binomial law is summed term by term.
MOST = 10**6

#: Nobody has so many records; floats are good until there.
_ABSURD = 10**9

#: Most values of one constant that are tried.
_FINE = 192

#: Floats may err by this much; the exact certificate must still hold.
_CAUTION = 1 - 1e-9


def log_sum(a: float | Array, b: float | Array) -> Array:
    """Return ln(e**a + e**b)."""
    total: Array = np.logaddexp(a, b)
    return total


def grid(low: int, high: int) -> npt.NDArray[np.int64]:
    """Return all integers in [low, high], or evenly spaced ones if these are very many.

    Examples
    --------
    >>> grid(3, 6), len(grid(0, 10**9))
    (array([3, 4, 5, 6]), 192)
    """
    if high - low < _FINE:
        return np.arange(low, high + 1)
    return np.unique(np.linspace(low, high, _FINE).astype(np.int64))


def probability(log_odds: Array) -> Array:
    """Return odds / (1 + odds)."""
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -700, 700))))


def least_chunks(
    good: Array, fails: Array, least: Array, alpha: float, beta: float
) -> tuple[int, int]:
    """Return the least number of chunks of one record, and the index of the constants for it.

    Parameters
    ----------
    good : int ndarray
        How many good chunks each candidate needs; a record is good with probability alpha.
    fails : float ndarray of the same shape
        What each candidate fails with, besides too few good chunks.
    least : int ndarray of the same shape
        How many chunks each candidate needs in any case.
    alpha, beta : float

    Returns
    -------
    (n, index)
        An absurd one if no candidate does with fewer.
    """
    allowed = beta * _CAUTION - fails
    possible = np.flatnonzero(allowed > 0)
    # the fewest good chunks first: of two candidates with equal failure the larger cannot win
    possible = possible[np.maximum(good[possible], least[possible] * alpha) <= alpha * _ABSURD]
    if not len(possible):
        return 2 * _ABSURD, 0
    order = possible[np.lexsort((-allowed[possible], good[possible]))]
    slack = np.maximum.accumulate(np.concatenate([[-1.0], allowed[order][:-1]]))
    order = order[allowed[order] > slack]
    need, allowed, start = good[order], allowed[order], least[order]
    smallest = float(allowed[0])

    def enough(n: int) -> npt.NDArray[np.bool_]:
        """Return for which candidates n chunks are enough: one law serves all of them."""
        first, chances = at_most_all(n, alpha, smallest)
        place = need - 1 - first
        inside = chances[np.clip(place, 0, len(chances) - 1)]
        too_few = np.where(place < 0, 0.0, np.where(place < len(chances), inside, 1.0))
        return np.asarray((n >= need) & (n >= start) & (too_few <= allowed))

    low, high = int(need[0]) - 1, ceil(int(need[0]) / alpha)
    while not enough(high).any():
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle).any() else (middle, high)
    return high, int(order[np.argmax(enough(high))])
