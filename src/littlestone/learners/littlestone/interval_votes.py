"""Votes for all intervals of low error, counted without a list of the class.

Let x_1 < ... < x_k be the points of all records, x_0 = low - 1 and x_(k+1) = high + 1. An interval
with its left end in (x_i, x_(i+1)] and its right end in [x_j, x_(j+1)), i < j, holds the points
i + 1, ..., j: so its votes are a function of the *cell* (i, j), and all intervals without a point
have those of the empty one. A teacher errs on the cell by its own points alone; in a row i of
cells, its votes are runs of j, which change only where i passes one of its points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from littlestone.classes import IntervalHypothesis
from littlestone.classes.base import weights_inside
from littlestone.classes.intervals import IntervalSpace
from littlestone.learners.littlestone.votes import Votes

if TYPE_CHECKING:
    from littlestone.classes import Intervals
    from littlestone.data import Sample
    from littlestone.types import Hypothesis


Ints = npt.NDArray[np.int64]
_LIMB = 24  # bits: sums of 2**29 of them are exact in doubles


class _Teacher:
    """One teacher's points, and where in each row of cells its intervals of low error lie."""

    def __init__(self, records: Sample, weight: int, low: int, high: int, tolerance: int) -> None:
        self.points, weights, self.empty = weights_inside(records, low, high)
        self.weight, self._tolerance = weight, tolerance
        self._prefix = list(accumulate(weights, initial=self.empty))

    def runs(self, left: int) -> list[tuple[int, int]]:
        """Return runs [j, j') of local right ends, for a left end after ``left`` own points."""
        errors = [sum_ - self._prefix[left] + self.empty for sum_ in self._prefix[left:]]
        out: list[tuple[int, int]] = []
        for j, wrong in enumerate(errors, start=left):
            if wrong > self._tolerance:
                continue
            if out and out[-1][1] == j:
                out[-1] = (out[-1][0], j + 1)
            else:
                out.append((j, j + 1))
        return out


class IntervalVotes(Votes):
    """Votes of lists of all intervals that err rarely.

    ``teachers``: the records of a teacher, and how many teachers have exactly these; ``tolerance``:
    most errors, as a count of records.

    Notes
    -----
    Cost: O(k**2) for k distinct points and each 24 bits of the domain, twice for a draw.

    Examples
    --------
    >>> from littlestone.classes import Intervals
    >>> from littlestone.data import Sample
    >>> teachers = [(Sample.of([5], [1]), 2), (Sample.of([2**40], [0]), 1)]
    >>> votes = IntervalVotes(Intervals(1, 2**64), teachers, tolerance=0)
    >>> votes.best, votes.sizes[3] == 5 * (2**40 - 5), votes.member(3, 0).describe()
    (3, True, '1 if 1 <= x <= 5, otherwise 0')
    """

    def __init__(
        self, concept_class: Intervals, teachers: Sequence[tuple[Sample, int]], tolerance: int
    ) -> None:
        low, high = concept_class.low, concept_class.high
        self._teachers = [_Teacher(s, weight, low, high, tolerance) for s, weight in teachers]
        inside = sorted({x for teacher in self._teachers for x in teacher.points})
        self._edges = [low - 1, *inside, high + 1]
        self._empty = sum(t.weight for t in self._teachers if t.empty <= tolerance)
        self._place = {x: i for i, x in enumerate(inside, start=1)}
        gaps = [after - before for before, after in pairwise(self._edges)]
        self._left, self._right = gaps[:-1], gaps[1:]
        between = [(a + 1, b - 1) for a, b in pairwise(self._edges) if a + 1 < b]
        #: The intervals without a point; the empty one is first.
        self._pointless = IntervalSpace(concept_class, tuple(between), None, None)

    @cached_property
    def sizes(self) -> Mapping[int, int]:
        """Number of intervals for each number of votes."""
        most = sum(teacher.weight for teacher in self._teachers) + 1
        total = np.zeros(most, dtype=object)
        for i, votes in self._rows():
            counts, lengths = self._row_sizes(i, votes)
            total[counts] += self._left[i] * lengths
        total[self._empty] += self._pointless.size
        return {count: int(total[count]) for count in range(1, most) if total[count]}

    def member(self, votes: int, index: int) -> Hypothesis:
        """Return an interval: those without a point first, then by left and right end."""
        if votes == self._empty:
            if index < self._pointless.size:
                return self._pointless.concept(index)
            index -= self._pointless.size
        for i, row in self._rows():
            counts, lengths = self._row_sizes(i, row)
            length = sum(lengths[counts == votes].tolist())
            if index < self._left[i] * length:
                left, right = divmod(index, length)
                for j in (np.flatnonzero(row == votes) + i).tolist():
                    if right < self._right[j]:
                        first = self._edges[i] + 1 + left
                        return IntervalHypothesis(first, self._edges[j + 1] + right)
                    right -= self._right[j]
            index -= self._left[i] * length
        raise IndexError(index)

    # -- rows of cells ------------------------------------------------------------------------

    def _rows(self) -> Iterator[tuple[int, Ints]]:
        """Yield (i, the votes of the cells (i, i + 1), ..., (i, k)) for each i."""
        k = len(self._left)
        steps = np.zeros(k + 2, dtype=np.int64)  # at j: the change of votes from j - 1 to j
        turns: dict[int, list[tuple[_Teacher, int]]] = {}
        for teacher in self._teachers:
            self._add(steps, teacher, 0, 1)
            for own, x in enumerate(teacher.points, start=1):
                turns.setdefault(self._place[x], []).append((teacher, own))
        for i in range(k):
            for teacher, own in turns.get(i, ()):
                self._add(steps, teacher, own - 1, -1)
                self._add(steps, teacher, own, 1)
            yield i, np.cumsum(steps)[i + 1 : k + 1]

    def _add(self, steps: Ints, teacher: _Teacher, left: int, sign: int) -> None:
        """Add a teacher's votes in one row: its local right ends stand for runs of cells."""
        starts = [0, *(self._place[x] for x in teacher.points), len(self._left) + 1]
        for j, after in teacher.runs(left):
            steps[starts[j]] += sign * teacher.weight
            steps[starts[after]] -= sign * teacher.weight

    @cached_property
    def _limbs(self) -> list[npt.NDArray[np.float64]]:
        """The numbers of right ends, in limbs of 24 bits."""
        bits = max(map(int.bit_length, self._right), default=0)
        mask = (1 << _LIMB) - 1
        shifts = range(0, bits, _LIMB)
        return [np.array([r >> s & mask for r in self._right], dtype=np.float64) for s in shifts]

    def _row_sizes(self, i: int, votes: Ints) -> tuple[Ints, npt.NDArray[np.object_]]:
        """Return the numbers of votes in a row, and how many right ends have each of them."""
        counts = np.flatnonzero(np.bincount(votes))
        lengths = np.zeros(len(counts), dtype=object)
        for number, limb in enumerate(self._limbs):
            part = np.bincount(votes, weights=limb[i:])[counts].astype(np.int64).astype(object)
            lengths += part << _LIMB * number
        return counts, lengths
