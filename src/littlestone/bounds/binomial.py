"""Confidence limits for a probability, from how often something happened in independent trials.

Measured failure rates, error rates and audits all end here: one exact statement about the
binomial distribution, solved by the inverse of the incomplete beta function.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["clopper_pearson", "lower_limit", "upper_limit"]

Floats = npt.NDArray[np.float64]


def lower_limit(hits: npt.ArrayLike, trials: int, risk: float) -> Floats:
    """Return limits that lie above the probability with chance at most ``risk``.

    Parameters
    ----------
    hits : int or array of int in [0, trials]
        Of any size.
    trials : int >= 1
        Independent, each with the same unknown probability of a hit.
    risk : float in (0, 1)

    Returns
    -------
    ndarray of float in [0, 1)
        In the shape of ``hits``: the probability at which so many hits, or more, have chance
        ``risk``; 0 without a hit.

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

    Returns
    -------
    ndarray of float in (0, 1]
        The probability at which so few hits, or fewer, have chance ``risk``; 1 without a miss.

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

    Parameters
    ----------
    hits, trials : int
        0 <= hits <= trials, trials >= 1.
    confidence : float in (0, 1), default 0.95
        The interval holds the probability with at least this chance; half the rest is spent on
        each side.

    Returns
    -------
    (low, high) : tuple of float

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
