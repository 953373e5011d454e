"""Losses with a bounded gradient: what an answer of a leaf costs a record, as an integer.

A record is at a *position*: what the released start and trees say of its row, in integers.
`Loss.costs` says what each answer of the next tree would cost it: 0 for the best one, at most W for
any. The proof (`littlestone.learners.boosting.rounds`) needs only that a cost is a function of the
record itself, of what was released and of public numbers, and at most `Loss.largest`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


class Loss(Protocol):
    """What answers cost records; positions are arrays whose last axis is the records."""

    def moves(self, place: int) -> int:
        """Return how far the tree at this place, from 0, moves a row."""

    def moved(self, position: Ints, answers: Ints, place: int) -> Ints:
        """Return positions after the tree at this place has answered."""

    def costs(self, position: Ints, y: Ints, place: int, most: int) -> Ints:
        """Return what each answer costs records of target y, in 0 .. most: (answers, records)."""

    def largest(self, start: Any, place: int) -> int:
        """Return W_t: the largest cost at any position to which the trees before can lead a row.

        It is made from public and released numbers; records are not looked at.
        """


@dataclass(frozen=True)
class Logistic:
    """The logistic loss of votes for labels: a position is the votes of each label.

    With p = softmax(step votes), the loss of a record of label y moves by ``p_j - [j = y]`` when
    label j gains a little, so that answering j instead of y costs ``p_j + 1 - p_y``, in [0, 2].
    Half of it is the gradient; of two labels it is ``sigma(-step m)``, where the *margin* m is the
    votes of y less those of the other. An answer costs ``round(W min(1, gradient / cap))``. For a
    cell outside the list of labels all answers cost the most.

    Examples
    --------
    >>> loss = Logistic(Fraction(1), Fraction(1, 2), 100)
    >>> votes, y = np.array([[0, 0, 0], [0, 3, 0], [0, 0, 0]]), np.array([1, 1, 3])
    >>> loss.costs(votes, y, 0, 100).tolist()
    [[100, 14, 100], [0, 0, 100], [100, 14, 100]]
    """

    step: Fraction  # log-odds of one vote
    cap: Fraction  # gradients above it weigh as much as it
    resolution: int  # W: what an answer of a capped gradient costs
    first_votes: int = 1  # of the first tree

    def moves(self, place: int) -> int:
        """Return the votes of the tree at this place, from 0."""
        return self.first_votes if place == 0 else 1

    def moved(self, position: Ints, answers: Ints, place: int) -> Ints:
        """Return the votes after the tree at this place has answered."""
        position[answers, np.arange(len(answers))] += self.moves(place)
        return position

    def costs(self, position: Ints, y: Ints, place: int, most: int) -> Ints:
        """Return what each answer costs records of label y, in 0 .. most: (labels, records)."""
        costs = np.full(position.shape, most, dtype=np.int64)
        for label in range(len(position)):
            here = np.flatnonzero(y == label)
            costs[:, here] = self.of_label(position[:, here], label, most)
        return costs

    def of_label(self, votes: Ints, y: int, most: int) -> Ints:
        """Return what each answer costs records of one label."""
        below = votes.max(axis=0) - votes
        odds = _powers(self.step, int(below.max(initial=0)))[below]
        # label by label: sums over an axis may round by their number of records
        others = reduce(np.add, (row for label, row in enumerate(odds) if label != y))
        gradient = (odds + others) / (2 * reduce(np.add, odds))
        shares = np.minimum(1.0, gradient / float(self.cap))
        costs: Ints = np.minimum(np.rint(self.resolution * shares).astype(np.int64), most)
        costs[y] = 0
        return costs

    def largest(self, start: tuple[int, ...], place: int) -> int:
        """Return W_t: the largest cost is where all trees vote for one label."""
        given = sum(map(self.moves, range(place)))
        votes = np.array(start)[:, None] + given * np.eye(len(start), dtype=np.int64)
        labels = range(len(start))
        return max(int(self.of_label(votes, y, self.resolution).max()) for y in labels)


@lru_cache(maxsize=16)
def _powers(step: Fraction, last: int) -> npt.NDArray[np.float64]:
    """Return e**(-step u) for u = 0 .. last."""
    return np.array([math.exp(-float(step) * u) for u in range(last + 1)])
