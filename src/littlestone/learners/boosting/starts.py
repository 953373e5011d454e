"""What boosting of quantities, counts and times begins with: quantiles, means, a life table.

Each is drawn at a budget of its own and composed with the rounds. A unit has a weight of one: of
a user with k records each weighs ``floor(2**20 / k) / 2**20``. What is not known weighs nothing.
"""

from __future__ import annotations

from fractions import Fraction
from operator import mul

import numpy as np
import numpy.typing as npt

from littlestone.classes.boosted_trees.parts import PARTS
from littlestone.classes.boosted_trees.sums import hazard_score
from littlestone.data.targets import Periods, TargetSample
from littlestone.mechanisms.estimate import truncated
from littlestone.source import Explicit, Source

Ints = npt.NDArray[np.int64]

WHOLE = 1 << 20  # parts of a user
_FURTHEST = 7 * PARTS  # of log-odds to begin with


def whole(sample: TargetSample) -> int:
    """Return in how many parts a unit is weighed: the weights of its records sum to at most it."""
    return 1 if sample.user is None else WHOLE


def weights(sample: TargetSample) -> Ints:
    """Return what all records of each group weigh together; nothing, where the target is unknown.

    Examples
    --------
    >>> weights(TargetSample.of([[2]] * 4, [0, 1, -1, 5], ["a", "a", "a", "b"])).tolist()
    [0, 349525, 349525, 1048576]
    """
    count, user = sample.count, sample.user
    if user is None:
        weight = count
    else:
        records = np.zeros(sample.n, dtype=np.int64)
        np.add.at(records, user, count)
        weight = WHOLE // records[user] * count
    known: Ints = np.where(sample.code < 0, 0, weight)
    return known


def private_quantile(
    sample: TargetSample, size: int, quantile: Fraction, *, epsilon: Fraction, source: Source
) -> int:
    """Draw a code of a target near a quantile, by the exponential mechanism over all codes.

    A code misses the quantile by the larger of two sums over units (`quantile_sums`), or by
    nothing. Replacing a unit moves each by at most ``b whole``, so also what it is missed by, and
    the draw has epsilon-bounded range.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> sample = TargetSample.of([[2]] * 1000, [7] * 300 + [20] * 700)
    >>> [private_quantile(sample, 100, q, epsilon=Fraction(1), source=SeededSource(0))
    ...  for q in (Fraction(1, 4), Fraction(1, 2))]
    [7, 20]
    """
    missed = quantile_sums(sample, size, quantile).max(axis=0)
    rate = epsilon / (2 * quantile.denominator * whole(sample))
    return Explicit(-np.maximum(missed, 0)).draw(rate, source)


def quantile_sums(sample: TargetSample, size: int, quantile: Fraction) -> Ints:
    """Return how far codes are above a quantile q = a/b, and below it: two sums over units.

    ``b below - a all`` and ``a all - b upto``, the weights of what is below a code and not above
    it. A unit adds between ``-a whole`` and ``(b - a) whole`` to the first, and the reverse of such
    a number to the second.
    """
    top, bottom = quantile.as_integer_ratio()
    mass = np.bincount(sample.code.clip(0), weights(sample), size).astype(np.int64)
    upto = np.cumsum(mass)
    return np.stack([bottom * (upto - mass) - top * upto[-1], top * upto[-1] - bottom * upto])


def private_sum(
    sample: TargetSample,
    values: Ints,
    most: int,
    *,
    least: int = 0,
    epsilon: Fraction,
    source: Source,
) -> Fraction:
    """Return the sum over units of the mean of a number of their records, with noise.

    Numbers in least .. most, with 0 among them. Two-sided geometric noise of rate ``epsilon /
    ((most - least) whole)``, clamped to what is possible: epsilon-DP, since replacing a unit moves
    the sum by at most ``(most - least) whole`` parts.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> sample = TargetSample.of([[2]] * 1000, [7] * 1000)
    >>> private_sum(sample, sample.code, 9, epsilon=Fraction(9), source=SeededSource(0))
    Fraction(7000, 1)
    """
    # of Python's integers: with many users the sum does not fit into 64 bits
    total = sum(map(mul, weights(sample).tolist(), np.clip(values, least, most).tolist()))
    part = whole(sample)
    width, lowest = (most - least) * part, least * part * sample.n
    noisy = _noisy(total - lowest, epsilon / width, width * sample.n, source)
    return Fraction(noisy + lowest, part)


def private_counts(
    sample: TargetSample, cells: Ints, size: int, *, epsilon: Fraction, source: Source
) -> list[Fraction]:
    """Return how many units are in each of ``size`` cells, with noise; a user may be in several.

    Replacing a unit moves the weights of cells by at most ``2 whole`` together, so two-sided
    geometric noise of rate ``epsilon / (2 whole)`` in each, empty ones too, is epsilon-DP.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> sample = TargetSample.of([[2]] * 90, [0] * 60 + [1] * 30)
    >>> private_counts(sample, sample.code, 3, epsilon=Fraction(40), source=SeededSource(0))
    [Fraction(60, 1), Fraction(30, 1), Fraction(0, 1)]
    """
    part = whole(sample)
    exact = np.bincount(cells, weights(sample), size).astype(np.int64)
    rate, high = epsilon / (2 * part), part * sample.n
    return [Fraction(_noisy(count, rate, high, source), part) for count in exact.tolist()]


def life_table(
    sample: TargetSample, periods: Periods, *, epsilon: Fraction, source: Source
) -> tuple[int, ...]:
    """Return the score of the event in each period, in parts, from noisy counts of records.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> sample = TargetSample.of([[2]] * 1000, [1] * 500 + [5] * 250 + [8] * 250)
    >>> periods = Periods((1, 2))
    >>> [round(odds / 1024, 2)
    ...  for odds in life_table(sample, periods, epsilon=Fraction(9), source=SeededSource(0))]
    [0.0, 0.0]
    """
    last = len(periods.ends)
    counts = counts_at_risk(sample, periods, epsilon=epsilon, source=source)
    events = [counts[2 * (period + 1) + 1] for period in range(last)]
    risks = [sum(counts[2 * (period + 1) :], Fraction(0)) for period in range(last)]
    # where the noise is larger than what is counted, the share of all periods
    doubt = 4 / epsilon
    share = (sum(events, Fraction(0)) + 1) / (sum(risks, Fraction(0)) + 2)
    odds = []
    for happened, risk in zip(events, risks, strict=True):
        hazard = (happened + doubt * share) / (max(risk, happened) + doubt)
        score = round(PARTS * hazard_score(float(hazard / (1 - hazard))))
        odds.append(max(-_FURTHEST, min(_FURTHEST, score)))
    return tuple(odds)


def counts_at_risk(
    sample: TargetSample, periods: Periods, *, epsilon: Fraction, source: Source
) -> list[Fraction]:
    """Return how many records there are, with noise, by periods at risk and event in the last."""
    at_risk, event = periods.at_risk(sample.code.clip(0))
    cells, size = 2 * at_risk + (event >= 0), 2 * len(periods.ends) + 2
    return private_counts(sample, cells, size, epsilon=epsilon, source=source)


def _noisy(count: int, rate: Fraction, high: int, source: Source) -> int:
    """Return a count in 0 .. high with two-sided geometric noise, clamped to there."""
    return min(max(count + truncated(rate, high, source), 0), high)
