"""The votes of the labels at the records while trees are drawn, and what answers cost them.

A row for each label, with a number for each distinct point, in one byte, or two.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.classes.decision_trees import TreeHypothesis
from littlestone.classes.decision_trees.rows import Rows, Splits, rows_of
from littlestone.data import Sample
from littlestone.data.sample import Batch
from littlestone.learners.boosting.losses import Logistic

Ints = npt.NDArray[np.int64]


class Votes:
    """The votes of each label at the rows of a sample, batch after batch."""

    def __init__(self, sample: Sample, start: tuple[int, ...], loss: Logistic) -> None:
        self.sample, self.start, self.loss = sample, start, loss
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
        start, costs = np.array(self.start, dtype=np.int64)[:, None], np.zeros_like(given, np.int64)
        least = self.start[1] - self.start[0] - self._total
        reached = np.arange(least, least + 2 * self._total + 1)  # margins, of two labels
        for y, counts in enumerate(batch.counts):
            here = np.flatnonzero(counts)
            if y == len(given):  # outside the list: no answer is right
                costs[:, here] += most * counts[here]
            elif two:
                table = self.loss.of_label(np.stack([0 * reached, reached]), y, most)[1 - y]
                margins = given[1, here].astype(np.int64) - given[0, here] + self._total
                costs[1 - y, here] += counts[here] * table[margins]
            else:
                costs[:, here] += counts[here] * self.loss.of_label(start + given[:, here], y, most)
        return costs

    def _of(self, number: int, batch: Batch) -> npt.NDArray[Any]:
        if number == len(self._given):
            kind = np.uint8 if self._total < 256 else np.uint16
            self._given.append(np.zeros((len(self.start), len(batch.points)), dtype=kind))
        return self._given[number]
