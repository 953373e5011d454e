"""Records of units, at their positions: a unit's records together cost at most W_t.

Step 1 of a round where a unit may bring several records, the periods of a person or all that a user
has: if their costs sum to S > W_t, each cost c becomes ``floor(W_t c / S)``. This looks at the unit
alone. What all its records can cost together is the sum of the largest cost of each, so S is that.
How many records there are is secret: no overflow, no refusal and no rule of thumb asks for it.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Claim, register
from littlestone.classes.decision_trees import TreeHypothesis
from littlestone.classes.decision_trees.rows import Splits, WeightedRows
from littlestone.data.code_tables import Entries
from littlestone.data.targets import TargetSample
from littlestone.learners.boosting.losses import Loss

Ints = npt.NDArray[np.int64]

register(
    Claim(
        "boosting.units",
        "littlestone (own proof)",
        "docs/boosting.md",
        "What answers cost the records of a unit, each scaled by floor(W_t c / S) where they sum "
        "to S > W_t, sums to at most W_t for every tree, and is a function of that unit alone: so "
        "a round is epsilon_t-bounded range when a unit with any number of records is replaced.",
    )
)

_MANY = 1 << 21  # equal records of a unit, more than W: 2**22 such groups sum to less than 2**63


class UnitRecords:
    """The records of a sample, in memory, at the positions of their rows."""

    def __init__(self, sample: TargetSample, start: Any, loss: Loss, position: Ints) -> None:
        self.sample, self.start, self.loss, self.position = sample, start, loss, position

    def add(self, tree: TreeHypothesis, place: int) -> None:
        """Move them by the tree at this place."""
        answers = tree.predict(self.sample.points).astype(np.int64)
        self.position = self.loss.moved(self.position, answers, place)

    def rows(self, splits: Splits, depth: int, place: int, most: int) -> WeightedRows:
        """Return what each answer costs the records, those of a unit together at most ``most``."""
        sample = self.sample
        found = self.loss.costs(self.position[..., sample.point], sample.code, place, most)
        costs = found * sample.count
        if sample.user is not None:
            count = np.minimum(sample.count, _MANY)
            costs = clipped(found, count, sample.user, most) * count
        rows = len(sample.points)
        sums = np.array([np.bincount(sample.point, answer, rows) for answer in costs]).astype(
            np.int64
        )
        if len(sums) > 2:
            return WeightedRows.of(splits, sample.points, sums)
        # of two answers the difference is enough: what both cost is the same for every tree
        more = sums[1] - sums[0]
        return WeightedRows(splits, Entries(self._codes, (more > 0).astype(np.int64), np.abs(more)))

    @cached_property
    def _codes(self) -> Ints:
        return np.ascontiguousarray(self.sample.points.T, dtype=np.int64)


def clipped(costs: Ints, count: Ints, user: Ints, most: int) -> Ints:
    """Return costs (answers, groups) of which those of a user together are at most ``most``.

    Groups are sorted by user, and have ``count`` records each.

    Examples
    --------
    >>> costs, count = np.array([[4, 0, 0, 1], [0, 4, 0, 0]]), np.array([1, 1, 1, 2])
    >>> clipped(costs, count, np.array([0, 0, 1, 1]), 4).tolist()
    [[2, 0, 0, 1], [0, 2, 0, 0]]
    """
    if not len(user):
        return costs
    starts = np.flatnonzero(np.diff(user, prepend=user[0] - 1))
    together = np.add.reduceat(costs.max(axis=0) * count, starts)
    together = np.repeat(together, np.diff(starts, append=len(user)))
    scaled: Ints = np.where(together > most, most * costs // np.maximum(together, 1), costs)
    return scaled
