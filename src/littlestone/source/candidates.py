"""Choosing among huge candidate sets, by level: first a score, then a member with that score.

A `Choice` holds candidates with integer scores (higher is better) and draws candidate i with
probability proportional to ``e**(rate * score_i)``, exactly. The weights shown at the door are
one for each *level*, so the cost depends on the number of distinct scores, not of candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from littlestone.source.sampler import Source
from littlestone.source.weights import LevelWeights

__all__ = ["Choice", "Explicit", "Segments"]

T_co = TypeVar("T_co", covariant=True)


class Choice(Protocol[T_co]):
    """Candidates with integer scores, that can be drawn by the exponential weights."""

    @property
    def size(self) -> int:
        """Number of candidates (public)."""

    def draw(self, rate: Fraction, source: Source) -> T_co:
        """Return candidate i with probability proportional to ``e**(rate * score_i)``."""


class Explicit:
    """Candidates 0 .. m-1 with explicit integer scores.

    Parameters
    ----------
    scores : array-like of int, shape (m,)

    Notes
    -----
    Two passes over the scores (bincount, and one to find the member): 10**7 candidates take
    tens of milliseconds.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> Explicit([0, 1000, 0]).draw(Fraction(1), SeededSource(0))
    1
    """

    def __init__(self, scores: npt.ArrayLike) -> None:
        array = np.asarray(scores)
        if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
            raise ValueError("Scores must be a nonempty one-dimensional array of integers.")
        self.scores = array

    @property
    def size(self) -> int:
        """Number of candidates."""
        return int(self.scores.size)

    def draw(self, rate: Fraction, source: Source) -> int:
        """Return an index, exactly proportional to ``e**(rate * score)``."""
        low, high = int(self.scores.min()), int(self.scores.max())
        if high - low <= 4 * self.scores.size + 1024:
            shifted: npt.NDArray[Any] = self.scores
            if low:
                if shifted.dtype.kind == "i":  # narrower ones would wrap around below
                    shifted = shifted.astype(np.int64, copy=False)
                shifted = shifted - shifted.dtype.type(low)
            count = np.bincount(shifted.astype(np.intp, copy=False))
            gaps = np.flatnonzero(count)
            count, levels = count[gaps], [low + gap for gap in gaps.tolist()]
        else:
            distinct, count = np.unique(self.scores, return_counts=True)
            levels = distinct.tolist()
        chosen = source.choose(LevelWeights(count.tolist(), levels, rate))
        member = source.below(int(count[chosen]))
        return int(np.flatnonzero(self.scores == levels[chosen])[member])


class Segments:
    """Runs of consecutive candidates of an ordered domain; each run shares one score.

    Parameters
    ----------
    lengths : sequence of int >= 0, of any size
    scores : sequence of int

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> segment, offset = Segments([2**1024, 1], [0, 0]).draw(Fraction(1), SeededSource(0))
    >>> segment, 0 <= offset < 2**1024
    (0, True)
    """

    def __init__(self, lengths: Sequence[int], scores: Sequence[int]) -> None:
        self._levels = (list(lengths), list(scores))
        self.size = sum(self._levels[0])

    def draw(self, rate: Fraction, source: Source) -> tuple[int, int]:
        """Return (segment, offset inside it), exactly."""
        lengths, scores = self._levels
        segment = source.choose(LevelWeights(lengths, scores, rate))
        return segment, source.below(lengths[segment])
