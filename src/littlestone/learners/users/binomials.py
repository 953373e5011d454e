"""Exact separation of two binomial laws: how many mistakes of a user are many.

A user with m records is wrong more than t times with probability ``tail(m, p, t)`` when each record
is wrong with probability p. Which t tells error p from error q best? The likelihood ratio of two
binomial laws is monotone, so the best event at all is of this form, and its advantage is the total
variation distance (paper 002, Lemma 4.1, bounds it from below by 1/700 of its order of magnitude;
the exact value is about 500 times larger). All of this is in floats: certificates compute their
probabilities again rigorously.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_SHORT = 64  # sums of fewer terms are faster than the import of SciPy


def tail(m: int, p: npt.ArrayLike, t: npt.ArrayLike) -> Floats:
    """Return Pr[Bin(m, p) > t] in floats; certificates compute it again rigorously.

    Examples
    --------
    >>> round(float(tail(2, 0.5, 0)), 12)
    0.75
    """
    if m > _SHORT:
        from scipy.special import bdtrc  # noqa: PLC0415 - slow to import

        return np.asarray(bdtrc(np.asarray(t, dtype=float), m, np.asarray(p, dtype=float)))
    bias, least = np.broadcast_arrays(np.asarray(p, dtype=float), np.asarray(t))
    inner = np.clip(bias, 1e-300, 1 - 1e-16)[..., None]
    k, ways = _log_ways(m)
    chances = np.exp(ways + k * np.log(inner) + (m - k) * np.log1p(-inner))
    inside = np.minimum(np.sum(chances, axis=-1, where=k > least[..., None]), 1.0)
    return np.asarray(np.where(bias <= 0, least < 0, np.where(bias >= 1, least < m, inside)) * 1.0)


def all_tails(m: int, errors: Floats) -> Floats:
    """Return Pr[Bin(m, error) > t] for all errors, and t = 0, ..., m: one row for each error.

    Examples
    --------
    >>> all_tails(2, np.array([0.5, 1.0])).round(12).tolist()
    [[0.75, 0.25, 0.0], [1.0, 1.0, 0.0]]
    """
    inner = np.clip(errors, 1e-300, 1 - 1e-16)[:, None]
    k, ways = _log_ways(m)
    chances = np.exp(ways + k * np.log(inner) + (m - k) * np.log1p(-inner))
    above = np.minimum(np.cumsum(chances[:, :0:-1], axis=1)[:, ::-1], 1.0)
    above[errors <= 0], above[errors >= 1] = 0.0, 1.0
    return np.concatenate([above, np.zeros((len(errors), 1))], axis=1)


@lru_cache(maxsize=16)
def _log_ways(m: int) -> tuple[Floats, Floats]:
    """Return 0, ..., m, and the logarithms of the binomial coefficients C(m, i)."""
    k = np.arange(m + 1, dtype=float)
    return k, np.array([math.log(math.comb(m, i)) for i in range(m + 1)])


def gap(m: int, p: npt.ArrayLike, q: npt.ArrayLike, t: npt.ArrayLike) -> Floats:
    """Return Pr[Bin(m, q) > t] - Pr[Bin(m, p) > t]."""
    return tail(m, q, t) - tail(m, p, t)


def log_moment(tails: Floats, tilts: npt.ArrayLike) -> Floats:
    """Return ln E e**(tilt * clipped mistakes), in floats.

    ``tails``: Pr[B > t], Pr[B > t + 1], ...: the clipped mistakes min(max(B - t, 0), width) are the
    sum of these events.

    Examples
    --------
    >>> bool(np.isclose(log_moment(np.array([0.25]), [1.0])[0], math.log(0.75 + 0.25 * math.e)))
    True
    """
    tilt, i = np.asarray(tilts, dtype=float), np.arange(tails.shape[-1])
    steps = np.exp(tilt[None] * i[:, None]) * np.expm1(tilt)[None]
    return np.asarray(np.log1p(np.maximum(tails @ steps, -1 + 2**-53)))


def crossing(m: int, p: npt.ArrayLike, q: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return the t in [0, m) that separates Bin(m, p) from Bin(m, q) best, for p < q.

    It is where the two probability functions cross: all k above are likelier under q.

    Examples
    --------
    >>> int(crossing(16, 0.25, 0.35)), int(crossing(16, 0.0, 0.1))
    (4, 0)
    """
    low, high = np.clip(p, 1e-300, 1 - 1e-16), np.clip(q, 1e-300, 1 - 1e-16)
    # k ln(q/p) + (m - k) ln((1-q)/(1-p)) > 0
    fall = np.log1p(-low) - np.log1p(-high)
    where = m * fall / (np.log(high) - np.log(low) + fall)
    t = np.clip(np.floor(where), 0, m - 1)
    return np.asarray(t, dtype=np.int64)


def separate(m: int, p: Fraction, q: Fraction) -> tuple[int, float]:
    """Return the best t for telling error p from error q > p, and its advantage.

    Examples
    --------
    >>> t, advantage = separate(16, Fraction(9, 20), Fraction(1, 2))
    >>> t, round(advantage, 3)
    (7, 0.161)
    """
    t = crossing(m, float(p), float(q))
    return int(t), float(gap(m, float(p), float(q), t))


def separate_within(
    m: int, low: npt.ArrayLike, high: npt.ArrayLike, excess: float
) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return the t that tells p from p + excess best for the worst p in [low, high].

    For each t the gap, as a function of p, rises and then falls: its derivative compares two
    values of a beta density. So the worst p is an end of the interval. As a function of t the gap
    at the lower end peaks first, and the best t is where the two gaps cross.

    ``low``, ``high``: intervals; a p above 1 - excess has no p + excess, and does not count.

    Examples
    --------
    >>> t, least = separate_within(64, [0.25], [0.375], 0.1)
    >>> t.tolist(), least.round(3).tolist()
    ([23], [0.364])
    """
    start = np.atleast_1d(np.asarray(low, dtype=float))
    most = 1 - excess
    end = np.minimum(np.atleast_1d(np.asarray(high, dtype=float)), most)
    idle = start >= most
    start = np.minimum(start, most)
    first, last = crossing(m, start, start + excess), crossing(m, end, end + excess)
    for _ in range(math.ceil(math.log2(m + 1)) + 1):  # the gap at the lower end is the larger one
        middle = (first + last) // 2
        more = gap(m, start, start + excess, middle) > gap(m, end, end + excess, middle)
        first, last = (
            np.where(more, np.minimum(middle + 1, last), first),
            np.where(more, last, middle),
        )
    best = np.maximum(first - 1, 0)
    value = _least(m, start, end, excess, best)
    other = _least(m, start, end, excess, first)
    best, value = np.where(other >= value, first, best), np.maximum(value, other)
    return best.astype(np.int64), np.where(idle, 1.0, value)


def _least(m: int, low: Floats, high: Floats, excess: float, t: npt.NDArray[np.int64]) -> Floats:
    return np.minimum(gap(m, low, low + excess, t), gap(m, high, high + excess, t))
