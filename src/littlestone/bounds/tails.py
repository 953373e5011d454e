"""The binomial distribution: tails in floats for searches, confidence limits for measurements.

No certificate rests on them.

Confidence limits (Clopper and Pearson) say what a frequency in independent trials proves about a
probability: measured failure rates, error rates and audits all end there.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from littlestone.source import ball

# -- Tails of sums of signs, enclosed: what the agnostic certificates of `agnostic` are made of.
#
# A *walk* is a sum S of n independent steps in {-1, 0, 1}, each nonzero with probability p and of
# mean a; for p = 1 it is 2 Bin(n, (1 + a)/2) - n.


Floats = npt.NDArray[np.float64]

#: Bits beyond those that are asked for: sums of up to 2**24 terms lose less.
_GUARD = 40
#: Columns of `_worst` that are computed at a time.
_COLUMNS = 4096


def at_most(n: int, p: Fraction, a: Fraction, k: int, bits: int) -> arb:
    """Return Pr[S <= k], 0 < a < p <= 1, up to about 2**-bits."""
    if k < -n or k >= n:
        return arb(int(k >= n))
    if p == 1:
        return _signs(n, a, bits).at_most((n + k) // 2)
    if k <= 0:
        return _from_below(n, (p - a) / 2, (p + a) / 2, bits)[n + k]
    return 1 - _from_below(n, (p + a) / 2, (p - a) / 2, bits)[n - k - 1]  # of -S


def walk_work(n: int, p: Fraction, bits: int) -> float:
    """Return about the microseconds that a table of a walk takes."""
    return (2 * n if p < 1 else 2 * _reach(n, bits)) * (1 + bits / 2048)


def worst_work(n: int, width: int) -> float:
    """Return about the microseconds that a table of `worst` takes."""
    return n / width * (10 + math.sqrt(n) / 10)


def _reach(n: int, bits: int) -> int:
    """Return a w with Pr[a binomial is off its mean by w] <= 2**-(bits + 1): Hoeffding."""
    return math.isqrt(n * (bits + 2)) * 6 // 10 + 2


class _Binomial:
    """The distribution function of a binomial, where it is neither about 0 nor about 1."""

    def __init__(self, n: int, p: Fraction, bits: int) -> None:
        mean, reach = n * p, _reach(n, bits)
        self.first = max(math.floor(mean) - reach, 0)
        last = min(math.ceil(mean) + reach, n)
        self.rest = arb(1) / (arb(2) ** bits)
        with ctx.workprec(bits + _GUARD):
            bias = ball(p)
            odds = bias / (1 - bias)
            start = arb.bin_uiui(n, self.first)
            term = start * bias**self.first * (1 - bias) ** (n - self.first)
            # what lies below the first value
            total = arb(0) if self.first == 0 else self.rest * arb(0.5, 0.5)
            self.sums = []
            for j in range(self.first, last + 1):
                total += term
                self.sums.append(total)
                term = term * (odds * (n - j) / (j + 1))

    def at_most(self, j: int) -> arb:
        """Return Pr[Bin <= j]."""
        if j < self.first:
            return self.rest * arb(0.5, 0.5)
        if j - self.first >= len(self.sums):
            return 1 - self.rest * arb(0.5, 0.5)
        return self.sums[j - self.first]


@lru_cache(maxsize=32)
def _signs(n: int, a: Fraction, bits: int) -> _Binomial:
    return _Binomial(n, (1 + a) / 2, bits)


@lru_cache(maxsize=32)
def _from_below(n: int, down: Fraction, up: Fraction, bits: int) -> list[arb]:
    """Return Pr[S <= i - n] for i = 0 .. n; steps are -1 with probability down, 1 with up.

    g_i = Pr[S = i - n] are the coefficients of f**n, f = down + stay x + up x**2; comparing those
    of f (f**n)' = n f' f**n gives down (i+1) g_{i+1} = stay (n-i) g_i + up (2n-i+1) g_{i-1}. Up to
    i = n all of it is positive: nothing cancels.
    """
    with ctx.workprec(bits + _GUARD):
        stay, rise = ball((1 - down - up) / down), ball(up / down)
        before, term = arb(0), ball(down) ** n
        total, sums = term, [term]
        for i in range(n):
            after = (stay * (n - i) * term + rise * (2 * n - i + 1) * before) / (i + 1)
            before, term = term, after
            total += term
            sums.append(total)
    return sums


def worst(n: int, x: Fraction, width: int = 1) -> arb:
    """Return the largest Pr[Bin(n, (j + x)/n) <= j], 0 <= j <= n - x; 1 for x <= 0.

    How probably a binomial is below its mean by x, for the worst bias that a whole number j allows.
    With a ``width`` w an upper bound, in a time that falls like 1/w: j are taken w at a time, with
    the least bias among them and the largest j.  The ball is about 2**-40 wide, whatever the
    precision (`_worst`).
    """
    whole = x.numerator // x.denominator
    down = whole - width + 1  # from the first of w numbers, less x, to the last
    if x <= 0 or down < 0:
        return arb(1)
    if x > n:
        return arb(0)
    largest, radius = _worst(n, x - whole, width)
    if down >= len(largest):
        return arb(float(largest[-1]) + radius) * arb(0.5, 0.5)
    value = float(largest[down])
    return arb(value, value * _relative(len(largest)) + radius)


def _relative(rows: int) -> float:
    """Return a bound of the relative error of `_worst`: see there."""
    return (9 * rows + 32) * 2.0**-53


@lru_cache(maxsize=16)
def _worst(n: int, part: Fraction, width: int) -> tuple[Floats, float]:
    """Return for d = 0, 1, ... the largest Pr[Bin(n, (i + part)/n) <= i - d], i every width-th.

    Beside them an absolute error; the relative one is `_relative` of their number. In doubles, a
    column for each i, all operations on positive numbers: the chance of i is enclosed by a ball and
    rounded; each chance below is the last one times j/(n-j+1) times the odds against, four
    roundings; then come as many additions as rows. So every sum is right up to a factor (1 + u)**m,
    u = 2**-53, m at most five for each row and a few, which `_relative` exceeds. What is left out
    below the last row is bounded by a geometric series; what a double cannot hold, by 1e-290.
    """
    rows = min(n, 7 * math.isqrt(n) + 40) + 1
    largest, left_out = np.zeros(rows), 0.0
    u, v = part.numerator, part.denominator
    end = n + (part == 0)  # i + part <= n
    for start in range(0, end, _COLUMNS * width):
        i = np.arange(start, min(start + _COLUMNS * width, end), width)
        against = [((n - at) * v - u) / (at * v + u) if at or u else 0.0 for at in i.tolist()]
        chances = np.zeros((rows, len(i)))
        chances[0] = [_at_its_mean(n, at, part) for at in i.tolist()]
        for d in range(1, rows):
            j = np.maximum(i - d + 1, 0)  # the chance of i - d, which is 0 below 0
            chances[d] = chances[d - 1] * (j / (n - j + 1) * against)
        left_out = max(left_out, float(chances[-1].max()) * 2 * n)  # the ratio is below 1 - d/n
        sums = np.cumsum(chances[::-1], axis=0)[::-1]
        largest = np.maximum(largest, sums.max(axis=1))
    return largest, left_out + 1e-290


def _at_its_mean(n: int, i: int, part: Fraction) -> float:
    """Return Pr[Bin(n, (i + part)/n) = i], rounded to a double."""
    bias = (i + part) / n
    if bias in (0, 1):
        return 1.0
    with ctx.workprec(128):
        p = ball(bias)
        return float((arb.bin_uiui(n, i) * p**i * (1 - p) ** (n - i)).mid())


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
    limit = betaincinv(np.maximum(happened, 1), missed + 1, risk)
    return np.where(happened > 0, limit, 0.0)


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
    limit = betainccinv(happened + 1, np.maximum(missed, 1), risk)
    return np.where(missed > 0, limit, 1.0)


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


def log_chance(n: int, p: float, k: int) -> float:
    """Return ln Pr[Bin(n, p) = k].

    Examples
    --------
    >>> round(math.exp(log_chance(4, 0.5, 2)), 12)
    0.375
    """
    from scipy.special import betaln  # noqa: PLC0415 - slow to import

    ways = -float(betaln(k + 1, n - k + 1)) - math.log(n + 1)
    return ways + k * math.log(p) + (n - k) * math.log1p(-p)


def at_most_floats(k: int, n: int, p: float) -> float:
    """Return Pr[Bin(n, p) <= k].

    ``k``: also below 0 or above n; ``p``: what lies outside of [0, 1] counts as the nearer end:
    searches come near both.

    Examples
    --------
    >>> round(at_most_floats(1, 2, 0.5), 12), at_most_floats(-1, 2, 0.5), at_most_floats(2, 2, 0.5)
    (0.75, 0.0, 1.0)
    """
    from scipy.special import betaincc  # noqa: PLC0415 - slow to import

    if k < 0 or k >= n or p <= 0 or p >= 1:
        return float(k >= n or (k >= 0 and p <= 0))
    return float(betaincc(k + 1, n - k, p))


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

    Examples
    --------
    >>> round(bias_for(0, 10, 0.5), 9), round(1 - 0.5**0.1, 9)
    (0.066967008, 0.066967008)
    """
    return float(upper_limit(k, n, chance))
