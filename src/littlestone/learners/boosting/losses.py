"""Losses with a bounded gradient: what an answer of a leaf costs a record, as an integer.

A record is at a *position*: what the released start and trees say of its row, in integers.
The `costs` of a loss say what each answer of the next tree would cost it: 0 for the best one, at
most W for any. The proof (`littlestone.learners.boosting.rounds`) needs only that a cost is a
function of the record itself, of what was released and of public numbers.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from operator import mul
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from littlestone.classes.boosted_trees import TreeSum
from littlestone.classes.boosted_trees.coefficients import CodePoints, LifeTable
from littlestone.classes.boosted_trees.ensemble import SURE
from littlestone.classes.boosted_trees.export import PARTS, REACH
from littlestone.classes.decision_trees import TreeHypothesis
from littlestone.classes.decision_trees.concept_class import Rows, Splits, WeightedRows, rows_of
from littlestone.data import Sample
from littlestone.data.histogram import Grouping, Groups
from littlestone.data.sample import Batch, Entries, Places
from littlestone.data.targets import Periods, TargetSample
from littlestone.evaluation.histogram import ScoreHistogram, release_histogram
from littlestone.evaluation.quantities import (
    RESOLUTION,
    ErrorCells,
    ErrorSums,
    below_zero,
    error_terms,
    last_seen,
    noisy_sums,
    parts_of_epsilon,
    value_terms,
)
from littlestone.mechanisms.estimate import discrete_gaussian, truncated
from littlestone.privacy import Concentrated, Pure
from littlestone.privacy import Loss as Spent
from littlestone.source import Explicit, Source

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Logistic:
    """The logistic loss of votes for labels: a position is the votes of each label.

    With p = softmax(step votes), the loss of a record of label y moves by ``p_j - [j = y]`` when
    label j gains a little, so that answering j instead of y costs ``p_j + 1 - p_y``, in [0, 2].
    Half of it is the gradient; of two labels it is ``sigma(-step m)``, where the *margin* m is the
    votes of y less those of the other. It is capped at 1/2: an answer costs ``round(W min(1,
    p_j + 1 - p_y))``. For a cell outside the list of labels all answers cost the most.

    Examples
    --------
    >>> loss = Logistic(Fraction(1), 100)
    >>> votes, y = np.array([[0, 0, 0], [0, 3, 0], [0, 0, 0]]), np.array([1, 1, 3])
    >>> loss.costs(votes, y, 0).tolist()
    [[100, 14, 100], [0, 0, 100], [100, 14, 100]]
    """

    step: Fraction  # log-odds of one vote
    resolution: int  # W: what an answer of a capped gradient costs

    def moved(self, position: Ints, answers: Ints, place: int) -> Ints:
        """Return the votes after the tree at this place has answered."""
        position[answers, np.arange(len(answers))] += 1
        return position

    def costs(self, position: Ints, y: Ints, place: int) -> Ints:
        """Return what each answer costs records of label y, in 0 .. W: (labels, records)."""
        costs = np.full(position.shape, self.resolution, dtype=np.int64)
        for label in range(len(position)):
            here = np.flatnonzero(y == label)
            costs[:, here] = self.of_label(position[:, here], label)
        return costs

    def of_label(self, votes: Ints, y: int) -> Ints:
        """Return what each answer costs records of one label."""
        below = votes.max(axis=0) - votes
        odds = _powers(self.step, int(below.max(initial=0)))[below]
        # label by label: sums over an axis may round by their number of records
        others = reduce(np.add, (row for label, row in enumerate(odds) if label != y))
        shares = np.minimum(1.0, (odds + others) / reduce(np.add, odds))
        costs: Ints = np.rint(self.resolution * shares).astype(np.int64)
        costs[y] = 0
        return costs


@lru_cache(maxsize=16)
def _powers(step: Fraction, last: int) -> npt.NDArray[np.float64]:
    """Return e**(-step u) for u = 0 .. last."""
    return np.array([math.exp(-float(step) * u) for u in range(last + 1)])


#: Parts of a rate of one, and of a probability.
_FINE = 1 << 16
#: Parts of a cell, or of a count, in sums of them.
FINE = 1 << 16


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
    constant: bool = field(default=False, kw_only=True)  # no tree is drawn: the start is all

    def moved(self, position: Ints, answers: Ints, place: int) -> Ints:
        """Return the positions after the tree at this place has answered."""
        moved: Ints = position + self.steps[place] * (2 * answers - 1)
        return moved

    def costs(self, position: Ints, y: Ints, place: int) -> Ints:
        """Return what each answer costs records of target y, in 0 .. W: (2, records)."""
        up = self.gradient(position, y, place)
        weight = np.minimum(self.resolution * np.abs(up) // self.bound(place), self.resolution)
        weight[y < 0] = 0
        return np.stack([np.where(up > 0, weight, 0), np.where(up > 0, 0, weight)])

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
    >>> loss.costs(np.array([5 * PARTS] * 4), np.array([0, 5, 6, -1]), 0).tolist()
    [[0, 0, 25, 0], [100, 0, 0, 0]]
    """

    cap: int
    middle: int = 0  # the released median, and the upper quartile
    upper: int = 0

    def gradient(self, score: Ints, y: Ints, place: int) -> Ints:
        """Return y - F, F within the range."""
        return y * PARTS - np.clip(score, 0, (self.size - 1) * PARTS)

    def bound(self, place: int) -> int:
        """Return the cap."""
        return self.cap

    def predicted(self, score: Ints) -> Ints:
        """Return the predictions of scores, in parts of `FINE`."""
        cells: Ints = np.clip(score, 0, (self.size - 1) * PARTS) * FINE // PARTS
        return cells


@dataclass(frozen=True)
class Rated(Scored):
    """A loss of a log rate: rates are from e**-10 to the largest, one table of public numbers."""

    def rate(self, score: Ints) -> Ints:
        """Return the rates of scores, in parts of `_FINE`."""
        table = _rates(self.size - 1)
        rates: Ints = table[np.clip(score + REACH * PARTS, 0, len(table) - 1)]
        return rates

    def predicted(self, score: Ints) -> Ints:
        """Return the predictions of scores, in parts of `FINE`."""
        return self.rate(score) * FINE // _FINE


@dataclass(frozen=True)
class Gamma(Rated):
    """Poisson's deviance relative to the rate, of amounts with a log rate F: y / e**F - 1, up to 2.

    Examples
    --------
    >>> loss = Gamma((PARTS,), 11, 100)
    >>> loss.costs(np.array([0] * 4), np.array([0, 1, 2, 9]), 0).tolist()
    [[0, 0, 50, 100], [50, 0, 0, 0]]
    """

    middle: int = 0  # the released median, and the upper quartile
    upper: int = 0

    def gradient(self, score: Ints, y: Ints, place: int) -> Ints:
        """Return y over the rate, less one."""
        times: Ints = (y * _FINE * _FINE) // self.rate(score)
        return np.minimum(times - _FINE, 2 * _FINE)

    def bound(self, place: int) -> int:
        """Return two."""
        return 2 * _FINE


@dataclass(frozen=True)
class Quantile(Scored):
    """The loss whose least expectation is at a quantile; of one half the absolute error.

    Its central difference at the step s is ``q - 1/2 + clip((y - F) / s, -1, 1) / 2``; here it is
    in parts of one over 2 s times the denominator of q.

    Examples
    --------
    >>> loss = Quantile((PARTS,), 11, 90, quantile=Fraction(9, 10))
    >>> loss.costs(np.array([5 * PARTS] * 3), np.array([0, 5, 6]), 0).tolist()
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
class Poisson(Rated):
    """The deviance of counts, of a log rate F: y - e**F.

    Examples
    --------
    >>> loss = Poisson((PARTS,), 11, 100, cap=2 << 16, most=9)
    >>> loss.costs(np.array([0, 0, 0, -99 * PARTS]), np.array([0, 1, 9, 0]), 0).tolist()
    [[0, 0, 100, 0], [50, 0, 0, 0]]
    """

    cap: int  # in parts of `_FINE`
    most: int  # counts above it are as much in sums
    total: float = 0.0  # the released sum of counts, and the deviation of its noise
    deviation: float = 0.0

    def gradient(self, score: Ints, y: Ints, place: int) -> Ints:
        """Return y less the rate."""
        return y * _FINE - self.rate(score)

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
    >>> loss.costs(np.array([0, 0, -2 * PARTS]), np.array([0, 1, 0]), 0).tolist()
    [[0, 100, 0], [100, 0, 23]]
    """

    life: LifeTable | None = None  # what was released of it

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


Loss: TypeAlias = Logistic | Scored


# -- Records of units, at their positions: a unit's records together cost at most W.
#
# Step 1 of a round where a unit may bring several records, the periods of a person or all that a
# user has: if their costs sum to S > W, each cost c becomes ``floor(W c / S)``. This looks at
# the unit alone. What all its records can cost together is the sum of the largest cost of each,
# so S is that. How many records there are is secret: no overflow, no refusal and no rule of thumb
# asks for it.


_MANY = 1 << 21  # equal records of a unit, more than W: 2**22 such groups sum to less than 2**63


class UnitRecords:
    """The records of a sample, in memory, at the positions of their rows."""

    def __init__(
        self,
        sample: TargetSample,
        start: Any,
        loss: Loss,
        position: Ints,
        given: TargetSample | None = None,
    ) -> None:
        self.sample, self.start, self.loss, self.position = sample, start, loss, position
        self.given = given or sample  # of times the persons, without a row for each period

    def add(self, tree: TreeHypothesis, place: int) -> None:
        """Move them by the tree at this place."""
        answers = tree.predict(self.sample.points).astype(np.int64)
        self.position = self.loss.moved(self.position, answers, place)

    def rows(self, splits: Splits, depth: int, place: int) -> WeightedRows:
        """Return what each answer costs the records, those of a unit together at most W."""
        sample = self.sample
        found = self.loss.costs(self.position[..., sample.point], sample.code, place)
        costs = found * sample.count
        if sample.user is not None:
            count = np.minimum(sample.count, _MANY)
            costs = clipped(found, count, sample.user, self.loss.resolution) * count
        rows = len(sample.points)
        sums = np.array([np.bincount(sample.point, answer, rows) for answer in costs]).astype(
            np.int64
        )
        if len(sums) > 2:
            return WeightedRows.of(splits, sample.points, sums)
        # of two answers the difference is enough: what both cost is the same for every tree
        more = sums[1] - sums[0]
        answers = (more > 0).astype(np.int64)
        return WeightedRows(splits, Entries(self._codes, answers, np.abs(more), self._places))

    @cached_property
    def _codes(self) -> Ints:
        return np.ascontiguousarray(self.sample.points.T, dtype=np.int64)

    @cached_property
    def _places(self) -> Places:
        return {}


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


# -- The votes of the labels at the records while trees are drawn, and what answers cost them.
#
# A row for each label, with a number for each distinct point.


_CHUNK = 1 << 14  # rows at once: what is made of them stays in the processor's cache


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
        self._votes: list[npt.NDArray[np.int32]] = []  # of the batches that have been seen
        self._total = 0  # trees

    def add(self, tree: TreeHypothesis, place: int) -> None:
        """Add the votes of another tree: one pass."""
        self._total += 1
        batches = [batch for batch, _ in self._labelled] or self.sample.batches()
        for number, batch in enumerate(batches):
            votes = self._of(number, batch)
            for start in range(0, len(batch.points), _CHUNK):
                at = slice(start, start + _CHUNK)
                answers = tree.predict(batch.points[at])
                for label in range(len(votes)):
                    votes[label, at] += answers == label

    def rows(self, splits: Splits, depth: int, place: int) -> Rows:
        """Return what each answer costs the records, at most W each."""
        if self._labelled:
            parts = [self._of_label(y) for y in range(2)]
            return WeightedRows(splits, lambda: Entries.joined(parts), parts=parts)
        return rows_of(splits, self.sample, depth, self.costs)

    @cached_property
    def _labelled(self) -> list[tuple[Batch, Places]]:
        """The rows with records of each of two labels, in memory, with their places in tables."""
        sample = self.sample
        if not (sample.in_memory and len(self.start) == len(sample.counts) == 2):
            return []
        both = [(np.flatnonzero(counts), counts) for counts in sample.counts]
        columns = sample.counted.columns
        return [(Batch(columns[:, at].T, counts[None, at]), {}) for at, counts in both]

    def _of_label(self, y: int) -> Entries:
        """Return what the wrong answer costs the records of one of two labels."""
        (points, (counts,)), places = self._labelled[y]
        zeros, ones = self._of(y, self._labelled[y][0])
        first, table = self._table(y)
        costs = np.empty(len(counts), dtype=np.int64)
        for start in range(0, len(counts), _CHUNK):
            at = slice(start, start + _CHUNK)
            costs[at] = table[ones[at] - zeros[at] - first] * counts[at]
        return Entries(points.T, 1 - y, costs, places)

    def _table(self, y: int) -> tuple[int, Ints]:
        """Return the least margin of label 1 there can be, and what is wrong costs from it on."""
        zero, one = self.ends
        first, last = one[0] - zero[1] - self._total, one[1] - zero[0] + self._total
        reached = np.arange(first, last + 1)
        return first, self.loss.of_label(np.stack([0 * reached, reached]), y)[1 - y]

    def costs(self, number: int, batch: Batch) -> Ints:
        """Return what each answer costs the records of a batch, of shape (labels, rows)."""
        votes = self._of(number, batch)
        costs = np.zeros(votes.shape, dtype=np.int64)
        for y, counts in enumerate(batch.counts):
            if y == len(votes):  # outside the list: no answer is right
                costs += self.loss.resolution * counts
            elif len(votes) == 2:  # a margin says all
                first, table = self._table(y)
                costs[1 - y] += table[votes[1] - votes[0] - first] * counts
            else:
                here = np.flatnonzero(counts)
                own = votes[:, here].astype(np.int64)
                costs[:, here] += counts[here] * self.loss.of_label(own, y)
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

    def _of(self, number: int, batch: Batch) -> npt.NDArray[np.int32]:
        """Return the votes at the rows of a batch: at first those to begin with."""
        if number == len(self._votes):
            begin = np.array(self.start, dtype=np.int32)[:, None]
            votes = np.tile(begin, (1, len(batch.points)))
            if self.points is not None:
                votes += self.points.votes(batch.points).astype(np.int32)
            self._votes.append(votes)
        return self._votes[number]


# -- What boosting of quantities, counts and times begins with: quantiles, means, a life table.
#
# Each is drawn at a budget of its own and composed with the rounds. A unit has a weight of one:
# of a user with k records each weighs ``floor(2**20 / k) / 2**20``. What is not known weighs
# nothing.


WHOLE = 1 << 20  # parts of a user


def unit_weight(sample: TargetSample) -> int:
    """Return in how many parts a unit is weighed: the weights of its records sum to at most it."""
    return 1 if sample.user is None else WHOLE


def weights(sample: TargetSample) -> Ints:
    """Return what all records of each group weigh together; nothing, where the target is unknown.

    Examples
    --------
    >>> weights(TargetSample.of([[2]] * 4, [0, 1, -1, 5], ["a", "a", "a", "b"])).tolist()
    [0, 349525, 349525, 1048576]
    """
    count, user = sample.count, sample.user
    if user is None:
        weight = count
    else:
        records = np.zeros(sample.n, dtype=np.int64)
        np.add.at(records, user, count)
        weight = WHOLE // records[user] * count
    known: Ints = np.where(sample.code < 0, 0, weight)
    return known


def private_quantile(
    sample: TargetSample, size: int, quantile: Fraction, *, epsilon: Fraction, source: Source
) -> int:
    """Draw a code of a target near a quantile, by the exponential mechanism over all codes.

    A code misses the quantile by the larger of two sums over units (`quantile_sums`), or by
    nothing. Replacing a unit moves each by at most ``b unit_weight``, so also what it is missed by,
    and the draw has epsilon-bounded range.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> sample = TargetSample.of([[2]] * 1000, [7] * 300 + [20] * 700)
    >>> [private_quantile(sample, 100, q, epsilon=Fraction(1), source=SeededSource(0))
    ...  for q in (Fraction(1, 4), Fraction(1, 2))]
    [7, 20]
    """
    missed = quantile_sums(sample, size, quantile).max(axis=0)
    rate = epsilon / (2 * quantile.denominator * unit_weight(sample))
    return Explicit(-np.maximum(missed, 0)).draw(rate, source)


def quantile_sums(sample: TargetSample, size: int, quantile: Fraction) -> Ints:
    """Return how far codes are above a quantile q = a/b, and below it: two sums over units.

    ``b below - a all`` and ``a all - b upto``, the weights of what is below a code and not above
    it. A unit adds between ``-a unit_weight`` and ``(b - a) unit_weight`` to the first, and the
    reverse of such a number to the second.
    """
    top, bottom = quantile.as_integer_ratio()
    mass = np.bincount(sample.code.clip(0), weights(sample), size).astype(np.int64)
    upto = np.cumsum(mass)
    return np.stack([bottom * (upto - mass) - top * upto[-1], top * upto[-1] - bottom * upto])


def part_of(loss: Spent, share: Fraction) -> Spent:
    """Return a share of what noise may lose."""
    if isinstance(loss, Concentrated):
        return Concentrated(loss.rho * share)
    assert isinstance(loss, Pure)
    return Pure(loss.epsilon * share)


def deviation(loss: Spent) -> float:
    """Return the deviation of the noise of a sum that a unit moves by at most 1, at this loss."""
    if isinstance(loss, Concentrated):
        return 1 / math.sqrt(2 * loss.rho)
    assert isinstance(loss, Pure)
    return math.sqrt(2) / float(loss.epsilon)


def reach_of_cells(loss: Spent) -> float:
    """Return the deviation of the noise of each of some cells, at this loss of all together."""
    return deviation(loss) * (math.sqrt(2) if isinstance(loss, Concentrated) else 2)


def private_sum(
    sample: TargetSample, values: Ints, most: int, *, least: int = 0, loss: Spent, source: Source
) -> Fraction:
    """Return the sum over units of the mean of a number of their records, with noise.

    Numbers in least .. most, with 0 among them. Replacing a unit moves the sum by at most ``(most -
    least) unit_weight`` parts. The noise is the discrete Gaussian, or two-sided geometric, that
    this costs; what is not possible is clamped.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> sample = TargetSample.of([[2]] * 1000, [7] * 1000)
    >>> private_sum(sample, sample.code, 9, loss=Pure(Fraction(9)), source=SeededSource(0))
    Fraction(7000, 1)
    """
    # of Python's integers: with many users the sum does not fit into 64 bits
    total = sum(map(mul, weights(sample).tolist(), np.clip(values, least, most).tolist()))
    part = unit_weight(sample)
    width, lowest = (most - least) * part, least * part * sample.n
    noisy = _noisy(total - lowest, loss, width, width * sample.n, source)
    return Fraction(noisy + lowest, part)


def private_counts(
    sample: TargetSample, cells: Ints, size: int, *, loss: Spent, source: Source
) -> list[Fraction]:
    """Return how many units are in each of ``size`` cells, with noise; a user may be in several.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> sample = TargetSample.of([[2]] * 90, [0] * 60 + [1] * 30)
    >>> private_counts(sample, sample.code, 3, loss=Pure(Fraction(40)), source=SeededSource(0))
    [Fraction(60, 1), Fraction(30, 1), Fraction(0, 1)]
    """
    exact = np.bincount(cells, weights(sample), size).astype(np.int64)
    return _noisy_shares(sample, exact.tolist(), 1, loss, source)


def private_falls(
    sample: TargetSample, falls: Ints, *, loss: Spent, source: Source
) -> list[Fraction]:
    """Return the sums over units of what each row of integers (rows, cells) gives to cells.

    The integers of a row are at least 0 and sum to at most `SURE`; returned in shares of that.
    """
    rows = np.bincount(sample.point, weights(sample), len(falls)).astype(np.int64)
    exact = rows.astype(object) @ falls.astype(object)
    return _noisy_shares(sample, exact.tolist(), SURE, loss, source)


def _noisy_shares(
    sample: TargetSample, exact: list[int], whole: int, loss: Spent, source: Source
) -> list[Fraction]:
    """Return cells, in units, with noise in each, empty ones too.

    A unit gives all cells numbers of at least 0, together at most ``most = whole unit_weight``. So
    replacing it moves them by at most ``2 most`` in l1, and by ``sqrt(2) most`` in l2, since
    ``|a - b|**2 <= |a|**2 + |b|**2`` for such a and b.
    """
    most = whole * unit_weight(sample)
    if isinstance(loss, Concentrated):  # as a sum that moves by sqrt(2) most
        loss, reach = Concentrated(loss.rho / 2), most
    else:
        reach = 2 * most
    return [Fraction(_noisy(own, loss, reach, most * sample.n, source), most) for own in exact]


def above(sample: TargetSample, values: Ints, edges: Ints) -> Ints:
    """Return how many units have numbers above each edge, in parts of a unit."""
    at = np.searchsorted(edges, values, side="left")  # how many edges are below
    mass = np.bincount(at, weights(sample), len(edges) + 1).astype(np.int64)
    found: Ints = mass.sum() - np.cumsum(mass)[:-1]
    return found


def counts_at_risk(
    sample: TargetSample, periods: Periods, *, loss: Spent, source: Source
) -> list[Fraction]:
    """Return how many records there are, with noise, by periods at risk and event in the last."""
    at_risk, event = periods.at_risk(sample.code.clip(0))
    cells, size = 2 * at_risk + (event >= 0), 2 * len(periods.ends) + 2
    return private_counts(sample, cells, size, loss=loss, source=source)


def _noisy(count: int, loss: Spent, reach: int, high: int, source: Source) -> int:
    """Return a count in 0 .. high, that a unit moves by at most ``reach``, with noise."""
    if isinstance(loss, Concentrated):
        noise = discrete_gaussian(Fraction(reach**2) / (2 * loss.rho), source)
    else:
        assert isinstance(loss, Pure)
        noise = truncated(loss.epsilon / reach, high, source)
    return min(max(count + noise, 0), high)


# -- The evaluation of sums of trees for quantities and counts: what each unit adds to it.
#
# How far predictions are off is counted first, in public cells, with one cell for units without a
# target. Where the counts show no more errors, the sums that follow cut them
# (`littlestone.evaluation.quantities`).


_LOSS_PARTS = RESOLUTION
#: Edges: of predictions, in shares of the last one's distance from the start; of errors, of reach.
_PREDICTIONS = tuple(Fraction(share, 8) for share in (1, 3, 5, 8))
_ERRORS = tuple(Fraction(1, 2**k) for k in (6, 5, 4, 3, 2))
#: The first cell of sizes of errors ends at the scale over it, the second at so much more; others
#: at twice the end of the second before.
_FINEST_SIZE, _BETWEEN = 64, Fraction(7, 5)


def error_sums(
    model: TreeSum, sample: TargetSample, *, epsilon: Fraction, held_out: bool, source: Source,
    groups: Grouping | None = None,
) -> ErrorSums:  # fmt: skip
    """Release how large the errors of a model are on a sample, and their sums.

    With ``groups``, of rows that have their columns, too, sizes are counted in each group.

    Guarantee
    ---------
    Pure epsilon-DP, replacing one unit of the sample (claim ``error-sums``): sizes, then sums that
    are cut where the released sizes say, then counts by prediction; their epsilons add up.
    """
    of_sizes, of_sums, of_cells = parts_of_epsilon(epsilon, sample.n)
    parts, edges = unit_weight(sample), size_edges(model)
    split = None
    if groups is not None:
        points, group = groups.split(sample.points)
        split, sample = (groups.groups, group[sample.point]), replace(sample, points=points)
    counted = error_sizes(model, sample, of_sizes, source, split)
    (sizes,) = counted.counts
    reach = int(edges[last_seen(sizes, of_sizes, parts, counted.noises)])
    center, far = center_of(model), value_reach(model, reach)
    sums = sums_within(model, sample, reach, of_sums, source)
    cells = (
        error_cells(model, sample, cell_reach(model, epsilon * sample.n), of_cells, source)
        if of_cells
        else None
    )
    low, unit = model.target.low, model.target.width / PARTS
    return ErrorSums(
        sums=sums,
        sizes=sizes,
        edges=tuple(int(edge) * unit for edge in edges),
        n=sample.n,
        epsilon=epsilon,
        resolution=_LOSS_PARTS,
        parts=parts,
        center=low + center * unit,
        reach=reach * unit,
        far=far * unit,
        held_out=held_out,
        kind=model.kind,
        cells=cells,
        groups=counted.groups,
    )


def error_sizes(
    model: TreeSum, sample: TargetSample, epsilon: Fraction, source: Source,
    split: tuple[Groups, Ints] | None = None,
) -> ScoreHistogram:  # fmt: skip
    """Release how many units have an error of which size, and how many no target; in parts.

    With ``split``, public groups and those of the records, in each group.

    Guarantee
    ---------
    Pure epsilon-DP, replacing one unit of the sample (claim ``score-histogram``): each unit weighs
    one in all, over its groups, sizes and *no target*.
    """
    edges, parts = size_edges(model), unit_weight(sample)
    error = np.abs(sample.code * PARTS - model.in_parts(sample.points)[sample.point])
    size = np.where(sample.code >= 0, np.searchsorted(edges, error), len(edges)).astype(np.int64)
    by, own = (None, np.zeros_like(size)) if split is None else split
    exact = np.zeros((1 if by is None else by.size + 1, 1, len(edges) + 1), dtype=np.int64)
    np.add.at(exact[:, 0], (own, size), weights(sample))
    exact[-1, 0, -1] += parts * sample.n - int(exact.sum())
    return release_histogram(
        range(len(edges) + 1), exact[0] if by is None else exact, groups=by,
        n=sample.n * parts, epsilon=epsilon, source=source, records=parts,
    )  # fmt: skip


def sums_within(
    model: TreeSum, sample: TargetSample, reach: int, epsilon: Fraction, source: Source
) -> tuple[int, ...]:
    """Release the sums of errors up to a public or released reach; what is not known adds nothing.

    A user adds the mean of the records.

    Guarantee
    ---------
    Pure epsilon-DP, replacing one unit of the sample, for each reach.
    """
    predicted = model.in_parts(sample.points)[sample.point]
    y, far = sample.code * PARTS, value_reach(model, reach)
    if model.kind == "quantile":
        start = np.full(1, model.start[0]).clip(*model.limits)
        losses = [pinball(cast(Fraction, model.quantile), y - own) for own in (predicted, start)]
        added = [_rounded(np.minimum(own, reach), reach) for own in losses]
        added.append(_LOSS_PARTS * (y <= predicted))
    else:
        error = np.minimum(np.abs(y - predicted), reach)
        beside = np.clip(y - center_of(model), -far, far)
        added = [
            *error_terms(_rounded(error, reach), _LOSS_PARTS),
            *value_terms(_rounded(beside + far, far) - _LOSS_PARTS, _LOSS_PARTS),
        ]
    if model.kind == "count":
        log_rates = model.scores(sample.points)[sample.point], np.array(model.start)
        deviances = [deviance(model, sample.code.clip(0), own) for own in log_rates]
        added += [_rounded(np.minimum(own, far), far) for own in deviances]
    weight = weights(sample).astype(object)  # Python's integers: sums may pass 64 bits
    parts, exact = unit_weight(sample), [int(own @ weight) for own in added]
    if model.kind != "quantile":
        exact[2] += below_zero(_LOSS_PARTS) * parts * sample.n
    return noisy_sums(
        exact, sample.n, epsilon=epsilon, kind=model.kind, q=_LOSS_PARTS, parts=parts,
        source=source,
    )  # fmt: skip


def _rounded(values: Ints, most: int) -> Ints:
    """Return values from 0 to ``most`` in steps, the nearest one."""
    steps: Ints = (_LOSS_PARTS * values + most // 2) // most
    return steps


def error_cells(
    model: TreeSum, sample: TargetSample, reach: int, epsilon: Fraction, source: Source
) -> ErrorCells:
    """Release how many units have which prediction and which error; a user counts 1 in all.

    Guarantee
    ---------
    Pure epsilon-DP, replacing one unit of the sample (claim ``score-histogram``).
    """
    far = [round(reach * share) for share in _ERRORS]
    edges, errors = prediction_edges(model), np.array([*(-own for own in reversed(far)), 0, *far])
    scores = np.clip(model.scores(sample.points), *model.limits)
    row = np.searchsorted(edges, scores, side="right")[sample.point]
    error = sample.code * PARTS - model.in_parts(sample.points)[sample.point]
    column = np.searchsorted(errors, error, side="left")
    shape, parts = (len(edges) + 1, len(errors) + 1), unit_weight(sample)
    exact = np.bincount(row * shape[1] + column, weights(sample), shape[0] * shape[1])
    released = release_histogram(
        range(shape[1]), exact.astype(np.int64).reshape(shape),
        n=sample.n * parts, epsilon=epsilon, source=source, records=parts,
    )  # fmt: skip
    first, unit, most = model.parts
    return ErrorCells(
        released.counts,
        tuple(model.worth(edges).tolist()),
        tuple((errors * unit).tolist()),
        (first, first + most * unit),
        parts,
    )


def prediction_edges(model: TreeSum) -> Ints:
    """Return edges of scores, closer together near the start, from what was released.

    Either side the last one is at 2/5 of the sum of all steps (of a quantile 3/5, as predictions
    lie to one side), or at 3/4 of what is left of the public range.

    Examples
    --------
    >>> from littlestone.data.targets import Quantity
    >>> price = TreeSum((), (50 * PARTS,), (20 * PARTS,), Quantity(0, 1000, 100))
    >>> (prediction_edges(price) / PARTS).round(1).tolist()
    [5.0, 10.6, 14.4, 18.1, 20.0, 22.5, 27.5, 32.5, 40.0]
    """
    low, high = model.limits
    start = min(max(model.start[0], low), high)
    most = Fraction(3 if model.kind == "quantile" else 2, 5) * sum(model.steps)
    last = (min(most, Fraction(3, 4) * rest) for rest in (start - low, high - start))
    below, above = ([round(far * share) for share in _PREDICTIONS] for far in last)
    return np.unique([start, *(start - far for far in below), *(start + far for far in above)])


def pinball(quantile: Fraction, error: Ints) -> Ints:
    """Return the pinball loss of errors y - F.

    Examples
    --------
    >>> pinball(Fraction(9, 10), np.array([20, -20])).tolist()
    [18, 2]
    """
    top, bottom = quantile.as_integer_ratio()
    losses: Ints = np.maximum(top * error, (top - bottom) * error) // bottom
    return losses


def deviance(model: TreeSum, y: Ints, log_rate: Ints) -> Ints:
    """Return Poisson's deviance ``2 (y ln(y / rate) - y + rate)`` of counts, in parts of one."""
    log_rate = log_rate.clip(*model.limits)
    rate = np.rint(PARTS * model.worth(log_rate)).astype(np.int64)
    logs = np.rint(PARTS * np.log(np.arange(model.target.size).clip(1))).astype(np.int64)
    deviances: Ints = 2 * np.maximum(y * (logs[y] - log_rate - PARTS) + rate, 0)
    return deviances


def center_of(model: TreeSum) -> int:
    """Return what a target is compared with, in parts: the released start, within the range."""
    return min(_in_parts(model, model.start[0]), (model.target.size - 1) * PARTS)


def _in_parts(model: TreeSum, score: int) -> int:
    """Return what a score predicts, in parts."""
    clipped = np.clip(np.array([score]), *model.limits)
    return int(clipped[0]) if model.linear else round(PARTS * float(np.exp(clipped[0] / PARTS)))


def scale_of(model: TreeSum) -> int:
    """Return a scale of errors, in parts, from what was released.

    Of a quantity the sum of all steps; of a count, and of a quantity whose logarithm was learned,
    16/3 of its start.
    """
    if model.linear:
        full = sum(model.steps)
    else:
        full = 16 * max(_in_parts(model, model.start[0]), PARTS) // 3
    return max(PARTS, min(full, (model.target.size - 1) * PARTS))


def size_edges(model: TreeSum) -> Ints:
    """Return the upper ends of the cells of sizes of errors, in parts.

    Each is twice the second before. The first is the scale over 64; the last is the largest error
    that a prediction can have.

    Examples
    --------
    >>> from littlestone.data.targets import Quantity
    >>> price = TreeSum((), (50 * PARTS,), (20 * PARTS,), Quantity(0, 1000, 100))
    >>> (size_edges(price) / PARTS).round(2).tolist()[-9:]
    [6.25, 8.75, 12.5, 17.5, 25.0, 35.0, 50.0, 70.0, 100.0]
    """
    start, most = model.start[0], sum(model.steps)
    lowest, highest = _in_parts(model, start - most), _in_parts(model, start + most)
    width = max(highest, (model.target.size - 1) * PARTS - lowest)
    edge = max(1, scale_of(model) // _FINEST_SIZE)
    found = []
    while edge < width:
        found += [edge, int(edge * _BETWEEN)]
        edge *= 2
    ends = [*dict.fromkeys(end for end in found if end < width), width]
    return np.array(ends, dtype=np.int64)


def value_reach(model: TreeSum, reach: int) -> int:
    """Return how far from the centre targets count, at least to the reach of errors.

    To three quarters of the scale of a quantity; where a logarithm was learned half of that, twice
    the start.

    Clipping a target towards the centre makes its variance smaller, so an R2 is never too large
    by that.
    """
    return max(reach, 3 * scale_of(model) // (4 if model.linear else 8))


def cell_reach(model: TreeSum, size: Fraction) -> int:
    """Return the reach of errors of counts by prediction, in parts, for ``size`` units by epsilon.

    A share of the scale, ``(size / 4,000)**0.3``, from 1/3 to 3/2: with less noise, further.
    """
    share = min(1.5, max(1 / 3, (float(size) / 4_000) ** 0.3))
    reach = min(round(scale_of(model) * share), (model.target.size - 1) * PARTS)
    return max(PARTS, int(reach))
