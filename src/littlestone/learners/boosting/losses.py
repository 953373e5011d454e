"""Losses with a bounded gradient: what an answer of a leaf costs a record, as an integer.

A record is at a *position*: what the released start and trees say of its row, in integers.
`Loss.costs` says what each answer of the next tree would cost it: 0 for the best one, at most W for
any. The proof (`littlestone.learners.boosting.rounds`) needs only that a cost is a function of the
record itself, of what was released and of public numbers, and at most `Loss.largest`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from littlestone.classes.boosted_trees.parts import PARTS, REACH

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

    def largest(self, start: Any, place: int) -> int:
        """Return W_t; ``start`` has the votes of each label, or the least and the most of them.

        An answer costs more the more votes it has, and the fewer the true label has. Votes of a
        third label make the difference of the two smaller. So the largest cost is where all trees,
        and the start, are for one label, and the start is against all others.
        """
        labels = len(start)
        ends = np.array(start, dtype=np.int64).reshape(labels, -1)
        least, most = ends.min(axis=1), ends.max(axis=1)
        votes = np.tile(least[:, None], (1, labels))
        np.fill_diagonal(votes, most + sum(map(self.moves, range(place))))
        return max(int(self.of_label(votes, y, self.resolution).max()) for y in range(labels))


@lru_cache(maxsize=16)
def _powers(step: Fraction, last: int) -> npt.NDArray[np.float64]:
    """Return e**(-step u) for u = 0 .. last."""
    return np.array([math.exp(-float(step) * u) for u in range(last + 1)])


#: Parts of a rate of one, and of a probability.
_FINE = 1 << 16


@dataclass(frozen=True)
class Scored(ABC):
    """A loss of one number: a position is a start, plus or minus the steps of the trees.

    An answer of 1 raises it by a step, 0 lowers it. With g the gradient (minus the derivative of
    the loss, or its central difference at the step) and c a bound of it, the wrong answer costs
    ``min(W, floor(W |g| / c))``: integers throughout. What is not known (y < 0) costs nothing.
    """

    steps: tuple[int, ...]  # of the trees, in public parts
    size: int  # codes of targets are 0, ..., size - 1
    resolution: int  # W

    def moves(self, place: int) -> int:
        """Return the step of the tree at this place."""
        return self.steps[place]

    def moved(self, position: Ints, answers: Ints, place: int) -> Ints:
        """Return the positions after the tree at this place has answered."""
        moved: Ints = position + self.steps[place] * (2 * answers - 1)
        return moved

    def costs(self, position: Ints, y: Ints, place: int, most: int) -> Ints:
        """Return what each answer costs records of target y, in 0 .. most: (2, records)."""
        up = self.gradient(position, y, place)
        weight = np.minimum(self.resolution * np.abs(up) // self.bound(place), most)
        weight[y < 0] = 0
        return np.stack([np.where(up > 0, weight, 0), np.where(up > 0, 0, weight)])

    def largest(self, start: int, place: int) -> int:
        """Return W_t: gradients are monotone, so it is at an end of both, of scores and targets."""
        reach = sum(self.steps[:place])
        ends = np.array([start - reach, start + reach]).repeat(2)
        targets = np.array([0, self.size - 1] * 2)
        return int(self.costs(ends, targets, place, self.resolution).max())

    @abstractmethod
    def gradient(self, score: Ints, y: Ints, place: int) -> Ints:
        """Return the gradients in parts: rising in y, falling in the score."""

    @abstractmethod
    def bound(self, place: int) -> int:
        """Return c in the same parts: larger gradients weigh as much as it."""


@dataclass(frozen=True)
class Huber(Scored):
    """The squared loss with gradients capped: y - F.

    Examples
    --------
    >>> loss = Huber((PARTS,), 11, 100, cap=4 * PARTS)
    >>> loss.costs(np.array([5 * PARTS] * 4), np.array([0, 5, 6, -1]), 0, 100).tolist()
    [[0, 0, 25, 0], [100, 0, 0, 0]]
    """

    cap: int

    def gradient(self, score: Ints, y: Ints, place: int) -> Ints:
        """Return y - F, F within the range."""
        return y * PARTS - np.clip(score, 0, (self.size - 1) * PARTS)

    def bound(self, place: int) -> int:
        """Return the cap."""
        return self.cap


@dataclass(frozen=True)
class Quantile(Scored):
    """The loss whose least expectation is at a quantile; of one half the absolute error.

    Its central difference at the step s is ``q - 1/2 + clip((y - F) / s, -1, 1) / 2``; here it is
    in parts of one over 2 s times the denominator of q.

    Examples
    --------
    >>> loss = Quantile((PARTS,), 11, 90, quantile=Fraction(9, 10))
    >>> loss.costs(np.array([5 * PARTS] * 3), np.array([0, 5, 6]), 0, 90).tolist()
    [[0, 40, 90], [10, 0, 0]]
    """

    quantile: Fraction

    def gradient(self, score: Ints, y: Ints, place: int) -> Ints:
        """Return the central difference, F within the range."""
        top, bottom, step = *self.quantile.as_integer_ratio(), self.steps[place]
        error = y * PARTS - np.clip(score, 0, (self.size - 1) * PARTS)
        return (2 * top - bottom) * step + bottom * np.clip(error, -step, step)

    def bound(self, place: int) -> int:
        """Return the larger of q and 1 - q."""
        top, bottom = self.quantile.as_integer_ratio()
        return 2 * self.steps[place] * max(top, bottom - top)


@dataclass(frozen=True)
class Poisson(Scored):
    """The deviance of counts, of a log rate F: y - e**F.

    Rates are from e**-10 to the largest count, are one table of public numbers.

    Examples
    --------
    >>> loss = Poisson((PARTS,), 11, 100, cap=2 << 16, most=9)
    >>> loss.costs(np.array([0, 0, 0, -99 * PARTS]), np.array([0, 1, 9, 0]), 0, 100).tolist()
    [[0, 0, 100, 0], [50, 0, 0, 0]]
    """

    cap: int  # in parts of `_FINE`
    most: int  # counts above it are as much in sums

    def gradient(self, score: Ints, y: Ints, place: int) -> Ints:
        """Return y less the rate."""
        return y * _FINE - self.rate(score)

    def rate(self, score: Ints) -> Ints:
        """Return the rates of scores, in parts of `_FINE`."""
        table = _rates(self.size - 1)
        rates: Ints = table[np.clip(score + REACH * PARTS, 0, len(table) - 1)]
        return rates

    def bound(self, place: int) -> int:
        """Return the cap."""
        return self.cap


@lru_cache(maxsize=8)
def _rates(high: int) -> Ints:
    """Return the rates e**(k / PARTS) from e**-10 to the largest count, in parts of `_FINE`."""
    last = math.ceil(math.log(high) * PARTS)
    scores = range(-REACH * PARTS, last + 1)
    return np.array([min(round(_FINE * math.exp(k / PARTS)), _FINE * high) for k in scores])


@dataclass(frozen=True)
class Hazards(Scored):
    """The logistic loss of whether the event is in a period, with the cap 1/2: y - sigma(F).

    A position is the log-odds of the event in a period; the start is one for each.

    Examples
    --------
    >>> loss = Hazards((PARTS,), 2, 100)
    >>> loss.costs(np.array([0, 0, -2 * PARTS]), np.array([0, 1, 0]), 0, 100).tolist()
    [[0, 100, 0], [100, 0, 23]]
    """

    def gradient(self, score: Ints, y: Ints, place: int) -> Ints:
        """Return y less the probability."""
        return y * _FINE - _chances()[np.clip(score + REACH * PARTS, 0, 2 * REACH * PARTS)]

    def bound(self, place: int) -> int:
        """Return one half."""
        return _FINE // 2


@lru_cache(maxsize=1)
def _chances() -> Ints:
    """Return sigma(k / PARTS) for log-odds from -10 to 10, in parts of `_FINE`."""
    scores = range(-REACH * PARTS, REACH * PARTS + 1)
    return np.array([round(_FINE / (1 + math.exp(-k / PARTS))) for k in scores])
