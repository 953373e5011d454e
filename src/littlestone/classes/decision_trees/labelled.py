"""The exponential mechanism over all trees of one depth with any public labels at the leaves.

A record of label y that a tree answers k costs c(y, k), and a cell outside the list of labels costs
the largest cost whatever is answered. So the cost of a tree is a sum over its leaves of what the
answer of the leaf costs on the rows there, and the draw of `weighted` factorises as for two labels:
a leaf weighs the sum over its k answers of ``e**(-rate * cost)``. What costs the same in all trees
is left out; it changes no probability.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from littlestone.classes.decision_trees.hypothesis import TreeHypothesis
from littlestone.classes.decision_trees.leaves import LeafTree
from littlestone.classes.decision_trees.sampler import count
from littlestone.classes.decision_trees.tabled import TabledRows
from littlestone.classes.decision_trees.weighted import AnyRows, WeightedRows, draw_answers
from littlestone.data.coded import CodedLabels

if TYPE_CHECKING:
    from littlestone.classes.decision_trees.nodes import Tree
    from littlestone.classes.decision_trees.splits import Splits
    from littlestone.data import MulticlassSample
    from littlestone.source import Source
    from littlestone.types import Label

__all__ = ["LabelledCandidates"]


class LabelledCandidates:
    """All representations of trees of one depth with k labels, weighted by their cost on a sample.

    Parameters
    ----------
    splits : Splits
    depth : int in 1 .. 3
    labels : tuple of int or str
    sample : MulticlassSample
    fast : bool, default True
        As for `WeightedRoots`.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.classes.decision_trees.splits import Splits
    >>> from littlestone.data import MulticlassSample, Schema
    >>> from littlestone.source import SeededSource
    >>> splits = Splits(Schema.from_dict({"age": {"bins": [30]}}))
    >>> sample = MulticlassSample.of(np.array([[2], [3]] * 50), [0, 2] * 50, labels=3)
    >>> trees = LabelledCandidates(splits, 1, ("a", "b", "c"), sample)
    >>> trees.size, trees.draw(Fraction(1), SeededSource(0)).describe()
    (18, 'if age < 30, then a, otherwise c')
    """

    def __init__(
        self,
        splits: Splits,
        depth: int,
        labels: tuple[Label, ...],
        sample: MulticlassSample,
        *,
        fast: bool = True,
    ) -> None:
        self._splits, self._depth, self._labels, self._fast = splits, depth, labels, fast
        self._rows: AnyRows
        if isinstance(sample, CodedLabels):
            self._rows = TabledRows.of(splits, sample, depth)
        else:
            self._rows = WeightedRows.of_answers(splits, sample.points, sample.answer_costs)

    @property
    def size(self) -> int:
        """Number of representations."""
        return count(len(self._splits), self._depth, len(self._labels))

    def draw(self, rate: Fraction, source: Source) -> TreeHypothesis:
        """Return a tree; each representation weighs e**(-rate * cost)."""
        return TreeHypothesis.of(self._drawn(rate, source), self._labels)

    def draw_apart(self, rate: Fraction, source: Source) -> LeafTree:
        """Return the same draw with all leaves of the representation."""
        return LeafTree.of(self._drawn(rate, source), self._labels)

    def _drawn(self, rate: Fraction, source: Source) -> Tree:
        return draw_answers(self._rows, self._depth, Fraction(rate), source, fast=self._fast)
