"""The margins of the records while trees are drawn, and the weights that follow from them.

In memory a margin for each distinct point, with several labels the votes of each label there; of a
`CodedSample` one for each entry of its file, in two bytes; of a `CodedLabels` as many bytes as
labels.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from littlestone.classes.decision_trees import TreeHypothesis
from littlestone.classes.decision_trees.rows import Rows, Splits, WeightedRows, rows_of
from littlestone.data import MulticlassSample, Sample
from littlestone.data.code_tables import Entries
from littlestone.data.coded import CodedLabels, CodedSample
from littlestone.learners.boosting.labels import answer_costs, entry_costs

__all__ = [
    "CodedMargins",
    "CodedVotes",
    "Margins",
    "Start",
    "answered",
    "margins_of",
    "voted",
    "weighted",
]

Ints = npt.NDArray[np.int64]


class CodedMargins:
    """The margins of the entries of a sample that is not in memory, part after part.

    Parameters
    ----------
    sample : CodedSample
    start : int
    """

    def __init__(self, sample: CodedSample, start: int) -> None:
        self.sample = sample
        self._parts = [np.full(length, start, dtype=np.int16) for length in sample.lengths]

    def add(self, tree: TreeHypothesis, votes: int) -> None:
        """Add the votes of a tree: one pass."""
        for number, part in enumerate(self.sample.entries()):
            self._parts[number] += votes * (2 * tree.predict(part.codes.T).astype(np.int16) - 1)

    def weights(self, number: int, part: Entries, table: Ints) -> Ints:
        """Return what the entries of a part weigh, by a table of weights around zero."""
        margins = self._parts[number]
        z = np.where(part.labels == 1, margins, -margins)
        weights: Ints = part.weights * table[len(table) // 2 + z]
        return weights


class CodedVotes:
    """The same with several labels: the votes of each label that the trees gave, a byte for each.

    Parameters
    ----------
    sample : CodedLabels
    start : tuple of int
        Votes of each label before the first tree.
    """

    def __init__(self, sample: CodedLabels, start: tuple[int, ...]) -> None:
        self.sample, self._start = sample, np.array(start, dtype=np.int64)[:, None]
        shapes = [(sample.labels, length) for length in sample.lengths]
        self._parts: list[npt.NDArray[Any]] = [np.zeros(shape, dtype=np.uint8) for shape in shapes]
        self._given = 0

    def add(self, tree: TreeHypothesis, votes: int) -> None:
        """Add the votes of a tree: one pass."""
        before, self._given = self._given, self._given + votes
        if before < 256 <= self._given:
            self._parts = [given.astype(np.uint16) for given in self._parts]
        for given, part in zip(self._parts, self.sample.entries(), strict=True):
            answers = tree.predict(part.codes.T).astype(np.int64)
            given[answers, np.arange(len(answers))] += votes

    def of(self, number: int) -> Ints:
        """Return the votes at the entries of a part."""
        votes: Ints = self._start + self._parts[number]
        return votes


Margins: TypeAlias = "Ints | CodedMargins | CodedVotes"

#: Margin of all rows before the first tree; with several labels, votes for each of them.
Start: TypeAlias = int | tuple[int, ...]


def margins_of(sample: Sample | MulticlassSample, start: Start) -> Margins:
    """Return the margins of all records before the first tree.

    Of shape (points,); with several labels (labels, points): the votes of each label.
    """
    if isinstance(sample, CodedSample):
        assert isinstance(start, int)
        return CodedMargins(sample, start)
    if isinstance(sample, CodedLabels):
        assert isinstance(start, tuple)
        return CodedVotes(sample, start)
    return np.repeat(np.array(start, dtype=np.int64)[..., None], len(sample.points), axis=-1)


def voted(
    sample: Sample | MulticlassSample, margins: Margins, tree: TreeHypothesis, votes: int = 1
) -> Margins:
    """Return the margins after the votes of a tree; the old ones may change."""
    if isinstance(margins, CodedMargins | CodedVotes):
        margins.add(tree, votes)
    elif len(sample.points):
        answers = tree.predict(sample.points).astype(np.int64)
        if margins.ndim == 1:
            margins += votes * (2 * answers - 1)
        else:
            margins[answers, np.arange(len(answers))] += votes
    return margins


def weighted(splits: Splits, sample: Sample, margins: Margins, table: Ints, depth: int) -> Rows:
    """Return the records, each with the weight of its label times its margin.

    Parameters
    ----------
    splits : Splits
    sample : Sample
    margins : ndarray of int64, or CodedMargins
    table : ndarray of int64
        Weights, that of zero in the middle.
    depth : int
        Of the tree that is drawn from them.
    """
    if isinstance(margins, CodedMargins):
        coded = margins

        def weigh(number: int, part: Entries) -> Ints:
            return coded.weights(number, part, table)

        return rows_of(splits, coded.sample, depth, weigh)
    assert isinstance(margins, np.ndarray)
    zero = len(table) // 2
    zeros, ones = sample.zeros * table[zero - margins], sample.ones * table[zero + margins]
    return WeightedRows.of(splits, sample.points, np.stack([ones, zeros]))


def answered(
    splits: Splits, sample: MulticlassSample, margins: Margins, depth: int, **settings: Any
) -> Rows:
    """Return what each answer costs the records, by their votes; see `labels`.

    Parameters
    ----------
    splits : Splits
    sample : MulticlassSample
    margins : ndarray of int64, or CodedVotes
    depth : int
        Of the tree that is drawn from them.
    **settings
        Of `labels.record_costs`: step, cap, resolution.
    """
    if isinstance(margins, CodedVotes):
        votes = margins

        def weigh(number: int, part: Entries) -> Ints:
            return entry_costs(part, votes.of(number), **settings)

        return rows_of(splits, votes.sample, depth, weigh)
    assert isinstance(margins, np.ndarray)
    return WeightedRows.of(splits, sample.points, answer_costs(sample, margins, **settings))
