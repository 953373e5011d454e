"""Choosing among runs of candidates that share a score, with or without a *bottom*.

All mechanisms of this room are one draw: candidate z with weight ``e**(rate * score(z))``, and,
when *which* candidates there are depends on the data, one public outcome *bottom* beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from littlestone.bounds.least import least
from littlestone.source import Exp, LevelWeights, Source, exp

__all__ = ["Runs", "bottom_weight", "least_tail"]

Scores = npt.NDArray[np.int64]


class Runs:
    """Runs of candidates; those of one run share one integer score (higher is better).

    Parameters
    ----------
    scores : ndarray of int64, shape (m,)
    lengths : ndarray of int64 whose sum fits, or sequence of int of any size, shape (m,)
        Number of candidates in each run; zero is allowed.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> runs = Runs(np.array([0, 200, 0]), [2**1024, 1, 5])
    >>> runs.draw(Fraction(10), SeededSource(0))
    (1, 0)
    """

    def __init__(self, scores: Scores, lengths: npt.NDArray[Any] | Sequence[int]) -> None:
        self.scores = scores
        self.lengths = lengths

    def draw(
        self, rate: Fraction, source: Source, bottom: Exp | None = None
    ) -> tuple[int, int] | None:
        """Return (run, place inside it), exactly by weight; None for bottom.

        Parameters
        ----------
        rate : Fraction
            A candidate of score s has weight ``e**(rate * s)``.
        source : Source
        bottom : Exp, optional
            Weight of bottom. If there is no candidate at all, bottom is certain.
        """
        levels, counts = self.levels()
        if not levels:
            return None
        if bottom is None:
            level = source.choose(LevelWeights(counts, levels, rate))
        else:
            level = source.choose(_Bottomed(bottom, LevelWeights(counts, levels, rate))) - 1
        if level < 0:
            return None
        place = source.below(counts[level])
        for run in np.flatnonzero(self.scores == levels[level]).tolist():
            length = int(self.lengths[run])
            if place < length:
                return run, place
            place -= length
        raise AssertionError("a level holds as many candidates as were counted")

    def levels(self) -> tuple[list[int], list[int]]:
        """Return the distinct scores, ascending, and how many candidates have each."""
        lengths = self.lengths
        if isinstance(lengths, np.ndarray) and lengths.dtype == np.int64:
            some = lengths > 0
            scores, lengths = self.scores[some], lengths[some]
            if not len(scores):
                return [], []
            low, high = int(scores.min()), int(scores.max())
            if high - low <= 4 * len(scores) + 1024:
                totals = np.zeros(high - low + 1, dtype=np.int64)
                np.add.at(totals, scores - low, lengths)
                at = np.flatnonzero(totals)
                return (at + low).tolist(), totals[at].tolist()
            order = np.argsort(scores, kind="stable")
            ordered = scores[order]
            first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
            return ordered[first].tolist(), np.add.reduceat(lengths[order], first).tolist()
        big: dict[int, int] = {}
        for score, length in zip(self.scores.tolist(), lengths, strict=True):
            if length:
                big[score] = big.get(score, 0) + int(length)
        levels = sorted(big)
        return levels, [big[score] for score in levels]


class _Bottomed:
    """Weights: outcome 0 is bottom, the others are levels, all on the scale of the levels."""

    def __init__(self, bottom: Exp, levels: LevelWeights) -> None:
        self.levels = levels
        # LevelWeights scales its best score to e**0
        self.bottom = bottom * exp(-levels.rate * max(levels.score))

    def __len__(self) -> int:
        return 1 + len(self.levels)

    def enclose(self, bits: int) -> list[arb]:
        """Return the enclosures, bottom first."""
        with ctx.workprec(bits):
            return [self.bottom.enclose(bits), *self.levels.enclose(bits)]


def bottom_weight(*, entering: int, score: int, rate: Fraction, delta: Fraction) -> Exp:
    r"""Return the least weight of bottom that hides candidates which one record brings.

    Parameters
    ----------
    entering : int >= 0
        Most candidates that exist in a data set but not in its neighbour.
    score : int
        Largest score that such a candidate can have.
    rate : Fraction
        Half of epsilon: a score moves by at most 1 up or down.
    delta : Fraction in (0, 1)

    Returns
    -------
    Exp
        ``entering * e**(rate * score) * (1 - delta) / delta``.

    Notes
    -----
    *Guarantee.* (2 * rate, delta)-DP for every input (docs/median.md, Lemma 1): the candidates
    that leave have mass at most delta, those that enter too, and on the rest the ratio of
    probabilities *given the rest* is at most ``e**(2 * rate)``.

    Examples
    --------
    >>> bottom_weight(entering=10, score=1, rate=Fraction(1, 2), delta=Fraction(1, 100))
    990*e**(1/2)
    """
    return exp(rate * score, times=entering * (1 - delta) / delta)


def least_tail(epsilon: Fraction, chance: Fraction) -> int:
    """Return the least k >= 1 with ``Pr[Z >= k] <= chance``; Z two-sided geometric.

    ``Pr[Z >= k] = e**(-epsilon * k) / (1 + e**-epsilon)`` for k >= 1; decided exactly.

    Examples
    --------
    >>> least_tail(Fraction(1), Fraction(1, 10**6))
    14
    """
    allowed = chance * (1 + exp(-epsilon))
    return least(lambda k: (allowed - exp(-epsilon * k)).sign() >= 0, low=1)
