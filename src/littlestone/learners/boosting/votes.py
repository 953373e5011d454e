"""The votes of the labels at the records while trees are drawn, and what answers cost them.

In memory a row for each label, with a number for each distinct point; of a stored sample for each
entry, in one byte, or two.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.classes.decision_trees import TreeHypothesis
from littlestone.classes.decision_trees.rows import Rows, Splits, WeightedRows, rows_of
from littlestone.data import MulticlassSample, Sample
from littlestone.data.code_tables import Entries
from littlestone.data.coded import CodedLabels, CodedSample
from littlestone.types import Points

if TYPE_CHECKING:
    from littlestone.learners.boosting.learner import Settings

Ints = npt.NDArray[np.int64]
#: Of each label (the last may be outside the list): where records have it, and how many.
ByLabel = list[tuple[Ints, Ints]]


class Votes:
    """The votes of each label at the rows of a sample, batch after batch."""

    def __init__(self, sample: Sample | MulticlassSample, start: tuple[int, ...]) -> None:
        self.sample, self.start = sample, start
        self._stored = isinstance(sample, CodedSample | CodedLabels)
        lengths = sample.lengths if self._stored else [len(sample.points)]  # type: ignore[union-attr]
        shapes = [(len(start), length) for length in lengths]
        self._given: list[npt.NDArray[Any]] = [np.zeros(shape, dtype=np.uint8) for shape in shapes]
        self._total = 0

    def add(self, tree: TreeHypothesis, votes: int = 1) -> None:
        """Add the votes of a tree: one pass."""
        before, self._total = self._total, self._total + votes
        if before < 256 <= self._total:
            self._given = [given.astype(np.uint16) for given in self._given]
        for given, points in zip(self._given, self._points(), strict=True):
            if len(points):
                answers = tree.predict(points).astype(np.int64)
                given[answers, np.arange(len(answers))] += votes

    def rows(self, splits: Splits, depth: int, settings: Settings, most: int) -> Rows:
        """Return what each answer costs the records, at most ``most`` each."""

        def weigh(number: int, part: Entries) -> Ints:
            unlisted = len(self.start) + isinstance(self.sample, CodedLabels)
            places = [np.flatnonzero(part.labels == y) for y in range(unlisted)]
            by_label = [(here, part.weights[here]) for here in places]
            return self.costs(number, by_label, settings, most)

        if self._stored:
            return rows_of(splits, self.sample, depth, weigh)
        several = isinstance(self.sample, MulticlassSample)
        counts = self.sample.counts if several else (self.sample.zeros, self.sample.ones)  # type: ignore[union-attr]
        by_label = [(here, row[here]) for row in counts for here in [np.flatnonzero(row)]]
        costs = self.costs(0, by_label, settings, most)
        return WeightedRows.of(splits, self.sample.points, costs)

    def costs(self, number: int, by_label: ByLabel, settings: Settings, most: int) -> Ints:
        """Return what each answer costs the records of a batch, of shape (labels, rows)."""
        given, two = self._given[number], len(self.start) == 2
        start, costs = np.array(self.start, dtype=np.int64)[:, None], np.zeros_like(given, np.int64)
        least = self.start[1] - self.start[0] - self._total
        reached = np.arange(least, least + 2 * self._total + 1)  # margins, of two labels
        for y, (here, counts) in enumerate(by_label):
            if y == len(given):  # outside the list: no answer is right
                costs[:, here] += most * counts
            elif two:
                table = settings.costs(np.stack([0 * reached, reached]), y, most)[1 - y]
                margins = given[1, here].astype(np.int64) - given[0, here] + self._total
                costs[1 - y, here] += counts * table[margins]
            else:
                costs[:, here] += counts * settings.costs(start + given[:, here], y, most)
        return costs

    def _points(self) -> Iterator[Points]:
        if isinstance(self.sample, CodedSample | CodedLabels):
            yield from (part.codes.T for part in self.sample.entries())
        else:
            yield self.sample.points
