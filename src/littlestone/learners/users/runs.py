"""A score for every integer of a range, however long, as runs of equal scores."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.source import LevelWeights, Source

__all__ = ["Runs"]

Ints = npt.NDArray[np.int64]
#: int64, or object beyond 64 bits
Wide = npt.NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class Runs:
    """A score for every integer of a range, as runs of equal scores; less is better.

    Parameters
    ----------
    starts : ndarray of int (int64, or object beyond 64 bits), shape (k,)
        First integer of each run, increasing.
    end : int
        One more than the last integer.
    scores : int64 ndarray of shape (k,)

    Examples
    --------
    >>> runs = Runs(np.array([0, 5]), 9, np.array([3, 1]))
    >>> runs.lengths.tolist(), runs.at(4), runs.least(2, 4), runs.least(4, 3)
    ([5, 4], 3, 3, None)
    """

    starts: Wide
    end: int
    scores: Ints

    @property
    def lengths(self) -> Wide:
        """Number of integers of each run, at least 1; ready for `littlestone.source.Segments`."""
        ends = np.append(self.starts[1:], np.array([self.end], dtype=self.starts.dtype))
        lengths: Wide = ends - self.starts
        return lengths

    @property
    def size(self) -> int:
        """Number of integers."""
        return self.end - int(self.starts[0])

    def at(self, value: int) -> int:
        """Return the score of one integer."""
        return int(self.scores[self._run(value)])

    def least(self, first: int, last: int) -> int | None:
        """Return the least score from first to last; None if there is no integer between them."""
        first, last = max(first, int(self.starts[0])), min(last, self.end - 1)
        if first > last:
            return None
        return int(self.scores[self._run(first) : self._run(last) + 1].min())

    def draw(self, rate: Fraction, source: Source) -> int:
        """Return an integer with probability exactly proportional to ``e**(-rate * score)``.

        The door is shown one weight for each score, then a uniform rank among the integers of the
        chosen score: as for `littlestone.source.Explicit`, and however the range is cut into runs.
        """
        lengths = self.lengths
        levels, which = _levels(self.scores)
        sizes = np.zeros(len(levels), dtype=lengths.dtype)
        np.add.at(sizes, which, lengths)
        chosen = source.choose(LevelWeights(sizes.tolist(), (-levels).tolist(), rate))
        rank = source.below(int(sizes[chosen]))
        members = np.flatnonzero(which == chosen)
        ends = np.cumsum(lengths[members])
        at = int(np.searchsorted(ends, rank, side="right"))
        before = int(ends[at - 1]) if at else 0
        return int(self.starts[members[at]]) + rank - before

    def _run(self, value: int) -> int:
        return int(np.searchsorted(self.starts, value, side="right")) - 1


def _levels(scores: Ints) -> tuple[Ints, Ints]:
    """Return the distinct scores, and which one each score is."""
    low = int(scores.min())
    span = int(scores.max()) - low + 1
    if span > 4 * len(scores) + 1024:
        levels, which = np.unique(scores, return_inverse=True)
        return levels, which.astype(np.int64)
    there = np.flatnonzero(np.bincount(scores - low))
    rank = np.zeros(span, dtype=np.int64)
    rank[there] = np.arange(len(there))
    return there + low, rank[scores - low]
