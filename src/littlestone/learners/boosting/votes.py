"""The votes of the labels at the records while trees are drawn, and what answers cost them.

A row for each label, with a number for each distinct point, in one byte, or two.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.classes.boosted_trees.points import CodePoints
from littlestone.classes.decision_trees import TreeHypothesis
from littlestone.classes.decision_trees.rows import Rows, Splits, rows_of
from littlestone.data import Sample
from littlestone.data.sample import Batch
from littlestone.learners.boosting.losses import Logistic

Ints = npt.NDArray[np.int64]


class Votes:
    """The votes of each label at the rows of a sample, batch after batch."""

    def __init__(
        self,
        sample: Sample,
        start: tuple[int, ...],
        loss: Logistic,
        points: CodePoints | None = None,
    ) -> None:
        self.sample, self.start, self.loss, self.points = sample, start, loss, points
        self._begun: list[npt.NDArray[np.int32]] = []  # votes of the points, of the same batches
        self._given: list[npt.NDArray[Any]] = []  # of the batches that have been seen
        self._total = 0

    def add(self, tree: TreeHypothesis, place: int) -> None:
        """Add the votes of the tree at this place: one pass."""
        votes = self.loss.moves(place)
        before, self._total = self._total, self._total + votes
        if before < 256 <= self._total:
            self._given = [given.astype(np.uint16) for given in self._given]
        for number, batch in enumerate(self.sample.batches()):
            answers = tree.predict(batch.points).astype(np.int64)
            self._of(number, batch)[answers, np.arange(len(answers))] += votes

    def rows(self, splits: Splits, depth: int, place: int, most: int) -> Rows:
        """Return what each answer costs the records, at most ``most`` each."""

        def weigh(number: int, batch: Batch) -> Ints:
            return self.costs(number, batch, most)

        return rows_of(splits, self.sample, depth, weigh)

    def costs(self, number: int, batch: Batch, most: int) -> Ints:
        """Return what each answer costs the records of a batch, of shape (labels, rows)."""
        given, two = self._of(number, batch), len(self.start) == 2
        begin = self._begin(number, batch)
        costs = np.zeros_like(given, np.int64)
        zero, *_, one = self.ends
        first, last = one[0] - zero[1] - self._total, one[1] - zero[0] + self._total
        reached = np.arange(first, last + 1)  # margins, of two labels
        for y, counts in enumerate(batch.counts):
            here = np.flatnonzero(counts)
            if y == len(given):  # outside the list: no answer is right
                costs[:, here] += most * counts[here]
                continue
            votes = begin[:, here] if begin.shape[1] > 1 else begin
            if two:
                table = self.loss.of_label(np.stack([0 * reached, reached]), y, most)[1 - y]
                margins = given[1, here].astype(np.int64) - given[0, here] + (votes[1] - votes[0])
                costs[1 - y, here] += counts[here] * table[margins - first]
            else:
                costs[:, here] += counts[here] * self.loss.of_label(votes + given[:, here], y, most)
        return costs

    @property
    def ends(self) -> list[tuple[int, int]]:
        """The least and the most votes of each label that any row could begin with."""
        least, most = self.start, self.start
        if self.points is not None:
            least, most = (
                tuple(map(sum, zip(self.start, end, strict=True)))
                for end in (self.points.least, self.points.most)
            )
        return list(zip(least, most, strict=True))

    def _begin(self, number: int, batch: Batch) -> Ints:
        """Return the votes of each label to begin with: of each row, or of all."""
        start = np.array(self.start, dtype=np.int64)[:, None]
        if self.points is None:
            return start
        if number == len(self._begun):
            self._begun.append(self.points.votes(batch.points).astype(np.int32))
        return start + self._begun[number]

    def _of(self, number: int, batch: Batch) -> npt.NDArray[Any]:
        if number == len(self._given):
            kind = np.uint8 if self._total < 256 else np.uint16
            self._given.append(np.zeros((len(self.start), len(batch.points)), dtype=kind))
        return self._given[number]
