"""Scorecards whose points only rise, or only fall, along the bins of a column.

The released points of a column are replaced by those nearest to them in order (isotonic regression
by pooling neighbours, all bins alike): a function of what was released, which costs nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from littlestone.classes.boosted_trees.ensemble import CodePoints, hazard_score
from littlestone.classes.boosted_trees.export import PARTS
from littlestone.data import Column

if TYPE_CHECKING:
    from littlestone.classes.boosted_trees.ensemble import TreeEnsemble
    from littlestone.data import Schema


Ints = npt.NDArray[np.int64]


def in_order(ensemble: TreeEnsemble, schema: Schema) -> TreeEnsemble:
    """Return a scorecard of the labels 0 and 1 whose columns are in the order of the schema.

    What is missing or other keeps its points. Without such columns it is as it was.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.classes import TreeEnsemble
    >>> from littlestone.data import Schema
    >>> age = {"bins": [20, 30, 40, 50], "monotone": "increasing"}
    >>> points = ((0, 4), (0, 0), (0, 2), (0, 0), (0, 8), (0, 6))
    >>> points = CodePoints((0, 0), ((0, points),), 1, None, 2)
    >>> card = TreeEnsemble((), Fraction(1, 10), code_points=points)
    >>> found = in_order(card, Schema.from_dict({"age": age}))
    >>> [own[1] for own in found.code_points.columns[0][1]]
    [4, 0, 2, 2, 8, 8]
    """
    if not schema.ordered:
        return ensemble
    base, own = ensemble.summed(schema)
    columns = []
    for column, points in own.items():
        answers = points[Column.OTHER :, 0]  # missing and other are one answer
        monotone = schema.columns[column].monotone
        if monotone is not None:
            answers[1:] = _even(_isotonic(answers[1:], 1 if monotone == "increasing" else -1))
        columns.append((column, tuple((0, int(p)) for p in answers)))
    made = CodePoints((0, 0), tuple(columns), 1, None, 2)
    return replace(ensemble, trees=(), start=(0, int(base[0])), code_points=made)


def _isotonic(values: Ints, sign: int) -> npt.NDArray[np.float64]:
    """Return the nearest numbers, by squares, that rise (or fall): pool adjacent violators."""
    blocks: list[tuple[int, int]] = []  # sums, and how many
    for value in (sign * values).tolist():
        block = (value, 1)
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            total, size = blocks.pop()
            block = total + block[0], size + block[1]
        blocks.append(block)
    return sign * np.concatenate([np.full(size, total / size) for total, size in blocks])


def _even(values: npt.NDArray[np.float64]) -> Ints:
    """Return the nearest even numbers: in the order of the values."""
    return 2 * np.floor(values / 2 + 0.5).astype(np.int64)


# -- A life table from noisy counts: scores of periods to begin with, and how far they move.


_FURTHEST = 7 * PARTS  # of log-odds to begin with
_SUREST = 0.98  # the largest hazard of a period after a move
_FIRST_STEP, _STEP = 0.3, 0.1  # deviations of the random walk


@dataclass(frozen=True)
class LifeTable:
    """What noisy counts say about each period: events, how many are at risk, and in all."""

    events: tuple[float, ...]
    risks: tuple[float, ...]
    known: float
    deviation: float  # of the noise of each count

    @classmethod
    def of(cls, counts: list[Fraction], n: int, deviation: float) -> LifeTable:
        """Return it from counts by twice the periods at risk, plus 1 with an event.

        At risk are those that leave later, and all less those that left before: both sums are
        noisy, and weigh by their variances.
        """
        cells = np.array([float(count) for count in counts]).reshape(-1, 2)
        known = float(cells.sum())
        if abs(known - n) <= 3 * deviation * math.sqrt(cells.size):
            known = float(n)  # public, if no time is unknown
        left = cells[1:].sum(axis=1)
        place = np.arange(len(left))
        later, before = np.cumsum(left[::-1])[::-1], np.cumsum(left) - left
        earlier = known - cells[0].sum() - before
        of_later, of_earlier = 2.0 * (len(left) - place), 2.0 * (place + 1)
        risks = (later * of_earlier + earlier * of_later) / (of_later + of_earlier)
        events = cells[1:, 1]
        return cls(
            tuple(events.tolist()), tuple(np.maximum(risks, events).tolist()), known, deviation
        )

    @property
    def start(self) -> tuple[int, ...]:
        """The score of the event in each period, in parts.

        Where the noise is larger than what is counted, from the share of all periods.
        """
        doubt = math.sqrt(2) * self.deviation
        share = (sum(self.events) + 1) / (sum(self.risks) + 2)
        odds = []
        for happened, risk in zip(self.events, self.risks, strict=True):
            hazard = min((happened + doubt * share) / (risk + doubt), 1 - 1e-9)
            score = round(PARTS * hazard_score(hazard / (1 - hazard)))
            odds.append(max(-_FURTHEST, min(_FURTHEST, score)))
        return tuple(odds)

    def moves(self, falls: list[float], deviation: float) -> list[int]:
        """Return how far the scores of each period move so that mean hazards are those counted.

        ``falls`` is by how much the mean survival falls in each period, times the number of
        persons, with noise of a deviation. The logarithms of what the hazards lack are smoothed: a
        random walk with known variances. Where noise hides a number, neighbours say it.
        """
        events, risks, down = map(np.array, (self.events, self.risks, falls))
        known = max(self.known, 1.0)
        still = np.clip(1 - (np.cumsum(down) - down) / known, 0.02, 1)
        hazard = np.clip(down / known / still, 1e-6, _SUREST)
        seen = (events > 2 * self.deviation) & (down > 2 * deviation)
        seen &= risks > 4 * self.deviation
        factor = np.where(seen, np.minimum(events / np.maximum(risks, 1), _SUREST) / hazard, 1)
        doubt = (self.deviation / np.maximum(events, 1)) ** 2
        doubt += (deviation / np.maximum(down, 1)) ** 2
        factors = np.exp(_smoothed(np.log(np.clip(factor, 0.05, 20)), doubt, seen))
        wanted = np.minimum(hazard * np.clip(factors, 0.3, 3), _SUREST)
        scores = (
            [hazard_score(own / (1 - own)) for own in each] for each in (hazard.tolist(), wanted)
        )
        return [round(PARTS * (new - old)) for old, new in zip(*scores, strict=True)]


def _smoothed(
    logs: npt.NDArray[np.float64], variance: npt.NDArray[np.float64], seen: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """Return the mean of a random walk from 0, given noisy observations of it.

    Examples
    --------
    >>> all_seen = np.array([True, True])
    >>> _smoothed(np.array([0.1, 0.1]), np.array([1e-9, 1e-9]), all_seen).round(6).tolist()
    [0.1, 0.1]
    >>> _smoothed(np.array([0.1, 9]), np.array([1e-9, 1]), ~all_seen | [True, False]).round(6)
    array([0.1, 0.1])
    """
    size = len(logs)
    steps = np.eye(size) - np.eye(size, k=-1)
    scale = np.full(size, _STEP)
    scale[0] = _FIRST_STEP
    precision = steps.T @ np.diag(scale**-2.0) @ steps
    known = np.where(seen, 1 / np.maximum(variance, 1e-12), 0.0)
    found: npt.NDArray[np.float64] = np.linalg.solve(precision + np.diag(known), known * logs)
    return found
