r"""Several quantiles at once: cuts that part records into bins of about equal size, by halving.

A *cut* e of an ordered public domain parts its records into those below e and those from e on. The
first cut halves all records, the next ones halve the two parts, and so on for some levels. Each cut
is one exponential draw whose score is minus the number of records in the larger part, so a value
that most records share is cut off on both sides, and what remains is halved. Beside the cuts is
*no cut*, with the score of a cut that parts 1/32 of the records, and as many candidates as there
are cuts: a part in which no cut parts more is mostly left alone. The next level tries it again.

*Proof* (replace-one; a record may have no value, so the number of records in a part is private).
Take one level. Its parts are fixed by earlier levels. A record that is added to a part lowers the
score of each cut by 0 or 1, and that of *no cut* by 31/32: all move one way, by at most 1. So each
outcome becomes more or less likely by at most ``e**rate`` (normalizer included: the ratios of all
outcomes lie in an interval of length rate that holds 0). A replaced record leaves one part and
enters one, perhaps the same: ``2 rate``, and the log-ratios of the level lie in an interval of that
length. With ``rate = epsilon / (2 levels)`` the levels compose to epsilon. []

*Accuracy.* Let a part have m records, at most a of them at one point. A median point v has at most
m/2 records on either side, so the cut at v or the one behind it has at most ``(m + a)/2`` records
in its larger part (one of the two lies inside the part if it has two points of the domain). With N
cuts inside, and N times *no cut*, a draw that is worse than the best by more than t records has
probability at most ``2 N e**(-rate t)``. There are at most ``2**levels - 1`` draws, each with
``N < size``. []

(Smith, STOC 2011; halving: Kaplan, Schnapp and Stemmer, ICML 2022. The score that moves one way,
*no cut*, and the constants are this library's.)
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from littlestone.bounds import register_claim
from littlestone.bounds.search import least_n
from littlestone.errors import check_fraction, check_integer, check_probability, parameter_error
from littlestone.privacy import BoundedRange
from littlestone.source import Integers, LeveledChoice, Source, exact_integers, exp

PRIVACY = register_claim(
    "cuts.privacy",
    "Smith; Kaplan, Schnapp, Stemmer; constants: littlestone",
    "2011, 2022; docs/mechanisms.md",
    "Levels of exponential draws with rate epsilon/(2 levels), one for each part, scored by "
    "minus the records in the larger part, are epsilon-DP under replace-one, also where a "
    "record may have no value; each level has bounded range epsilon/levels.",
)

_SHARE = 32  # "no cut" scores like a cut that parts one in so many records


def private_cuts(
    points: Sequence[int] | Integers,
    counts: Sequence[int] | Integers,
    size: int,
    *,
    levels: int,
    epsilon: Any,
    source: Source,
) -> list[int]:
    """Return increasing cuts that part records into at most ``2**levels`` bins of about equal size.

    ``points`` are the values of records, strictly increasing in the public domain {0, ..., size -
    1}, and ``counts`` how many records have each; a record without a value is in none of them. A
    cut e in {1, ..., size - 1} parts the values below e from those at and above it.

    Notes
    -----
    *Guarantee.* epsilon-DP under replace-one, epsilon/2 under add/remove, for every input; the
    number of values is private. Claim ``cuts.privacy``; proof at the top of the module.

    *Accuracy.* `cuts_reach`.

    *Cost.* One weight for each distinct score, on each level at most one for each distinct value.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> private_cuts(range(100), [90] * 100, 100, levels=2, epsilon=1, source=SeededSource(0))
    [25, 50, 75]
    >>> private_cuts([0, 40], [9000, 1000], 100, levels=2, epsilon=1, source=SeededSource(0))
    [27]
    """
    size = check_integer("private_cuts", "size", size, low=1)
    rate = _rate("private_cuts", epsilon, levels) / _SHARE
    values = exact_integers(points, reach=2 * size)
    ends = np.cumsum(exact_integers(counts))
    if len(values) and not (values[0] >= 0 and values[-1] < size and (np.diff(values) > 0).all()):
        constraint = "strictly increasing integers from 0 to size - 1"
        raise parameter_error("private_cuts", "points", constraint, "others")
    parts: list[tuple[int, int]] = [(0, size)]
    cuts: list[int] = []
    for _ in range(levels):
        drawn = [_halve(values, ends, part, rate, source) for part in parts]
        cuts += [cut for cut in drawn if cut is not None]
        parts = list(pairwise([0, *sorted(cuts), size]))
    return sorted(cuts)


def _halve(
    values: Integers, ends: Integers, part: tuple[int, int], rate: Fraction, source: Source
) -> int | None:
    """Draw a cut of the values in [low, high), or None for no cut."""
    low, high = part
    inside = high - low - 1  # cuts low + 1, ..., high - 1
    if not inside:
        return None
    first, last = np.searchsorted(values, [low, high])
    before = int(ends[first - 1]) if first else 0
    m = (int(ends[last - 1]) if last else 0) - before
    # cuts in (point i, point i + 1] part the records in the same way; the first ones part none
    starts = np.concatenate([[low + 1], values[first:last] + 1])
    lengths = np.diff(np.append(starts, high))
    below = np.concatenate([[0], ends[first:last] - before])
    scores = np.append(-_SHARE * np.maximum(below, m - below), -(_SHARE - 1) * m)

    def member(run: int, place: int) -> int | None:
        return None if run == len(starts) else int(starts[run]) + place

    return LeveledChoice(scores, np.append(lengths, inside), member).draw(rate, source)


def cuts_loss(epsilon: Any, *, levels: int) -> dict[BoundedRange, int]:
    """Return what the cuts promise: items for `littlestone.privacy.compose`.

    Examples
    --------
    >>> cuts_loss(1, levels=4)
    {BoundedRange(eta=Fraction(1, 4)): 4}
    """
    return {BoundedRange(2 * _rate("private_cuts", epsilon, levels)): levels}


def cuts_reach(size: int, *, levels: int, epsilon: Any, beta: Any) -> int:
    """Return the least t such that every draw is within t records of the best, except beta.

    With probability at least 1 - beta, for all cuts at once: the larger part of a cut has less than
    ``(m + a)/2 + t`` of the m records that it parts, where at most a have the same value; and of m
    records that are not split, each cut would split less than ``m/32 + t``.

    Examples
    --------
    >>> cuts_reach(10_000, levels=3, epsilon=1, beta=0.05)
    90
    """
    size = check_integer("cuts_reach", "size", size, low=2)
    rate = _rate("cuts_reach", epsilon, levels)
    beta = check_probability("cuts_reach", "beta", beta)
    worse = 2 * (size - 1) * (2**levels - 1)
    return least_n(lambda t: (beta - exp(-rate * t, times=worse)).sign() >= 0, low=0)


def _rate(caller: str, epsilon: Any, levels: Any) -> Fraction:
    levels = check_integer(caller, "levels", levels, low=1)
    rate: Fraction = check_fraction(caller, "epsilon", epsilon) / (2 * levels)
    return rate
