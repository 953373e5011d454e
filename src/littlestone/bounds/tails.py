"""The binomial distribution: tails in floats for searches, confidence limits for measurements.

A plan asks for thousands of tails, one at a time; a sum of a few terms takes a microsecond or two,
and SciPy takes longer to import than all of a plan. No certificate rests on them.

Confidence limits (Clopper and Pearson) say what a frequency in independent trials proves about a
probability: measured failure rates, error rates and audits all end there.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def lower_limit(hits: npt.ArrayLike, trials: int, risk: float) -> Floats:
    """Return limits that lie above the probability with chance at most ``risk``.

    ``hits``: of any size; ``trials``: independent, each with the same unknown probability of a hit.

    Notes
    -----
    *Accuracy.* A float, correct to about 1e-14 relative; callers that release a statement widen
    it.

    *Source.* Clopper and Pearson, Biometrika 1934.

    Examples
    --------
    >>> lower_limit([0, 10], 10, 0.05).round(4)  # 0.05 ** (1 / 10)
    array([0.    , 0.7411])
    """
    from scipy.special import betaincinv  # noqa: PLC0415 - slow to import

    happened, missed = _counts(hits, trials)
    found = betaincinv(np.maximum(happened, 1), missed + 1, risk)
    return np.where(happened > 0, found, 0.0)


def upper_limit(hits: npt.ArrayLike, trials: int, risk: float) -> Floats:
    """Return limits that lie below the probability with chance at most ``risk``.

    Parameters, accuracy and source are those of `lower_limit`.

    Examples
    --------
    >>> upper_limit([0, 10], 10, 0.05).round(4)  # 1 - 0.05 ** (1 / 10)
    array([0.2589, 1.    ])
    """
    from scipy.special import betainccinv  # noqa: PLC0415 - slow to import

    happened, missed = _counts(hits, trials)
    # the complement's inverse: 1 - risk would lose the digits of a small risk
    found = betainccinv(happened + 1, np.maximum(missed, 1), risk)
    return np.where(missed > 0, found, 1.0)


def clopper_pearson(hits: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact two-sided interval of a probability from ``hits`` in ``trials``.

    ``hits``, ``trials``: 0 <= hits <= trials, trials >= 1; ``confidence``: the interval holds the
    probability with at least this chance; half the rest is spent on each side.

    Notes
    -----
    *Source.* Clopper and Pearson, Biometrika 1934.

    Examples
    --------
    >>> low, high = clopper_pearson(0, 100)
    >>> low, round(high, 4)
    (0.0, 0.0362)
    """
    tail = (1 - confidence) / 2
    return float(lower_limit(hits, trials, tail)), float(upper_limit(hits, trials, tail))


def _counts(hits: npt.ArrayLike, trials: int) -> tuple[Floats, Floats]:
    """Return hits and misses as floats; subtracted as integers, which may exceed 64 bits."""
    exact = np.asarray(hits, dtype=object)
    return np.asarray(exact, dtype=float), np.asarray(trials - exact, dtype=float)


_NOTHING = 1e-18  # of a sum: terms that are smaller, and fall, are left out


def log_chance(n: int, p: float, k: int) -> float:
    """Return ln Pr[Bin(n, p) = k].

    Notes
    -----
    *Source.* Loader's saddle-point expansion (C. Loader, Fast and accurate computation of binomial
    probabilities, 2000): differences of log-gammas would lose digits for large n.

    Examples
    --------
    >>> round(math.exp(log_chance(4, 0.5, 2)), 12)
    0.375
    """
    if k in (0, n):
        return n * (math.log1p(-p) if k == 0 else math.log(p))
    rest = n - k
    spread = _stirling(n) - _stirling(k) - _stirling(rest)
    spread -= _deviance(k, n * p) + _deviance(rest, n * (1 - p))
    return spread + 0.5 * math.log(n / (2 * math.pi * k * rest))


def _stirling(n: int) -> float:
    """Return ln n! minus Stirling's formula."""
    if n <= 15:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2 * math.pi)
    m = n * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / m) / m) / m) / m) / n


def _deviance(x: float, mean: float) -> float:
    """Return x ln(x/mean) + mean - x, with all its digits also where x is about the mean."""
    if abs(x - mean) >= 0.1 * (x + mean):
        return x * math.log(x / mean) + mean - x
    v = (x - mean) / (x + mean)
    total, term, i = (x - mean) * v, 2 * x * v, 1
    while True:
        term *= v * v
        i += 2
        new = total + term / i
        if new == total:
            return new
        total = new


def at_most(k: int, n: int, p: float) -> float:
    """Return Pr[Bin(n, p) <= k].

    ``k``: also below 0 or above n; ``p``: what lies outside of [0, 1] counts as the nearer end:
    searches come near both.

    Notes
    -----
    *Cost.* One term for each value below k that matters: about a standard deviation of them.

    Examples
    --------
    >>> round(at_most(1, 2, 0.5), 12), at_most(-1, 2, 0.5), at_most(2, 2, 0.5)
    (0.75, 0.0, 1.0)
    """
    if k < 0 or k >= n or p <= 0 or p >= 1:
        return float(k >= n or (k >= 0 and p <= 0))
    if k > n * p:  # the other side has the smaller, and fewer, terms
        return 1 - at_most(n - k - 1, n, 1 - p)
    odds = (1 - p) / p
    total = term = 1.0  # from k down, in units of its own chance
    for i in range(k, 0, -1):
        term *= i / (n - i + 1) * odds
        total += term
        if term < _NOTHING * total:
            break
    return min(1.0, total * math.exp(log_chance(n, p, k)))


def at_most_all(n: int, p: float, least: float) -> tuple[int, npt.NDArray[np.float64]]:
    """Return Pr[Bin(n, p) <= k] for all k that matter, and the first of these k.

    ``least``: what matters: below the first k the chance is nothing beside it.

    Examples
    --------
    >>> first, chances = at_most_all(2, 0.5, 0.01)
    >>> first, chances.round(12).tolist()
    (0, [0.25, 0.75, 1.0])
    """
    rare = 45 - math.log(least)  # Bernstein's inequality: e**-rare lies beyond ``wide``
    wide = rare / 3 + math.sqrt(rare * rare / 9 + 2 * rare * n * p * (1 - p))
    first, last = max(math.floor(n * p - wide), 0), min(math.ceil(n * p + wide), n)
    k = np.arange(first, last)
    grows = np.log((n - k) / (k + 1)) + (math.log(p) - math.log1p(-p))
    logs = log_chance(n, p, first) + np.concatenate([[0.0], np.cumsum(grows)])
    return first, np.minimum(np.cumsum(np.exp(logs)), 1.0)


def bias_for(k: int, n: int, chance: float) -> float:
    """Return the p in (0, 1) with Pr[Bin(n, p) <= k] = ``chance``.

    Notes
    -----
    Newton's method, kept inside an interval in which the answer lies.

    Examples
    --------
    >>> round(bias_for(0, 10, 0.5), 9), round(1 - 0.5**0.1, 9)
    (0.066967008, 0.066967008)
    """
    if k == 0:
        return -math.expm1(math.log(chance) / n)
    low, high, p = 0.0, 1.0, (k + 0.7) / (n + 0.4)
    for _ in range(100):
        term = math.exp(n * math.log1p(-p))
        if term > 0:
            odds, total = p / (1 - p), term
            for i in range(k):
                term *= (n - i) / (i + 1) * odds
                total += term
            last = term
        else:  # too small for a float
            total, last = at_most(k, n, p), math.exp(log_chance(n, p, k))
        excess = total - chance
        low, high = (p, high) if excess > 0 else (low, p)
        # the derivative is minus the density of a beta law
        slope = (n - k) / (1 - p) * last
        step = excess / slope if slope > 0 else math.inf
        new = p + step if low < p + step < high else (low + high) / 2
        if abs(new - p) <= 1e-12 * p:
            return new
        p = new
    return p
