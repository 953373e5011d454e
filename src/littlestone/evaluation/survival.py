"""What predicted survival is worth: one released histogram of risk, periods at risk, and event.

Each person is in one cell: a *risk bin* of the model, in how many periods the person was at
risk, and whether the event was in the last of them. So it is a `ScoreHistogram` (claim ``score-
histogram``), whose scores are the lower edges of the bins. These are public, as they come from
the released model and public rows alone; no quantile of records is one of them.

From the noisy counts follow the concordance of the bins, events in each period beside the
predicted ones, and the survival of risk groups. Of a user one person is counted, drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from littlestone.classes import TreeSum
from littlestone.classes.boosted_trees.ensemble import public_rows
from littlestone.data.targets import Periods, TargetSample
from littlestone.evaluation.histogram import (
    ScoreHistogram,
    noise_reach,
    release_histogram,
    variance,
)
from littlestone.evaluation.measures import Band, Figures, deviations
from littlestone.source import Source
from littlestone.types import Json

if TYPE_CHECKING:
    from littlestone.data import Schema


Floats = npt.NDArray[np.float64]

_ROWS = 1024  # public rows
_NEARLY = 0.95
_GROUPS = 3  # of low, middle and high risk


def risk_bins(model: TreeSum, schema: Schema, size: float) -> tuple[int, ...]:
    """Return the lower edges of the risk bins: quantiles of the risk of public rows.

    ``size`` is n epsilon, public. There are three bins for each half of its fourth root, from 6 to
    30: the noise of a concordance grows with the root of their number, and what they hide falls
    with its square (docs/boosting.md has the measurement).
    """
    bins = _GROUPS * min(10, max(2, int(size**0.25 / 2)))
    risk = np.sort(model.risk_in_parts(public_rows(schema, _ROWS)))
    edges = np.unique(risk[np.arange(1, bins) * _ROWS // bins])
    return (0, *edges[edges > risk[0]].tolist())


def survival_histogram(
    model: TreeSum,
    schema: Schema,
    sample: TargetSample,
    *,
    epsilon: Fraction,
    held_out: bool,
    source: Source,
) -> ScoreHistogram:
    """Release how many persons are in each risk bin, by periods at risk and event.

    Rows: 0, 1, ..., P periods at risk and no event, then the event in period 1, ..., P.

    Guarantee
    ---------
    Pure epsilon-DP, replacing one unit of the sample (claim ``score-histogram``).
    """
    bins = risk_bins(model, schema, float(epsilon) * sample.n)
    counts = counted(model, sample.one_of_each(source), bins)
    return release_histogram(
        bins, counts, n=sample.n, epsilon=epsilon, source=source, held_out=held_out
    )


def counted(model: TreeSum, sample: TargetSample, bins: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return how many persons are in each cell; of whom nothing is known, at risk in no period."""
    periods = cast(Periods, model.target)
    at_risk, event = periods.at_risk(sample.code.clip(0))
    row = np.where(event < 0, at_risk, len(periods.ends) + at_risk)
    risk = model.risk_in_parts(sample.points)[sample.point]
    counts = np.zeros((2 * len(periods.ends) + 1, len(bins)), dtype=np.int64)
    np.add.at(counts, (row, np.searchsorted(bins, risk, side="right") - 1), sample.count)
    return counts


@dataclass(frozen=True)
class PeriodEvents:
    """Events in a period among those at risk in it."""

    end: float
    predicted: Band
    observed: Band


@dataclass(frozen=True)
class RiskGroup:
    """The survival of neighbouring risk bins at the end of each period."""

    predicted: tuple[float, ...]  # the mean of the bins, by the noisy number of persons in each
    observed: tuple[Band, ...]  # Kaplan and Meier, as far as the noise lets it be seen


class SurvivalEvaluation(Figures):
    """What a released histogram says of predicted survival: concordance, calibration, curves.

    The band of the concordance is for noise and sampling; others are numbers of these persons.

    Examples
    --------
    >>> from fractions import Fraction
    >>> counts = ((0, 0), (20, 60), (400, 300), (10, 60), (20, 130))
    >>> histogram = ScoreHistogram((0, 99), counts, 1000, Fraction(2), Fraction(1))
    >>> found = SurvivalEvaluation(histogram, np.array([[0.02, 0.04], [0.1, 0.3]]), (12.0, 24.0))
    >>> round(found.concordance.value, 2), round(found.concordance.low, 2)
    (0.7, 0.67)
    >>> [(period.end, round(period.predicted.value), period.observed.value)
    ...  for period in found.calibration]
    [(12.0, 64, 70.0), (24.0, 146, 150.0)]
    """

    def __init__(
        self,
        histogram: ScoreHistogram,
        hazards: npt.ArrayLike,
        ends: Sequence[float],
        *,
        beta: float = 0.05,
    ) -> None:
        self.histogram, self.ends, self.beta = histogram, tuple(ends), beta
        self.hazards = np.asarray(hazards, dtype=np.float64)  # of bins (rows), in each period
        last = len(self.ends)
        self._none, self._event = histogram.array[: last + 1], histogram.array[last + 1 :]
        self._variance = variance(float(histogram.rate))

    @classmethod
    def of(cls, histogram: ScoreHistogram, model: TreeSum, schema: Schema) -> SurvivalEvaluation:
        """Return that of a model; a bin predicts the mean hazard of its public rows."""
        rows = public_rows(schema, _ROWS)
        place = np.searchsorted(histogram.scores, model.risk_in_parts(rows), side="right") - 1
        hazards = model.worth(model.scores(rows))
        means = [hazards[place == i].mean(axis=0) for i in range(len(histogram.scores))]
        ends = [float(end) for end in cast(Periods, model.target).ends]
        return cls(histogram, means, ends)

    @cached_property
    def _later(self) -> Floats:
        """Persons without the event in a period (rows) that they were at risk in, by bin."""
        seen = self._none[1:].copy()
        seen[:-1] += self._event[1:]
        return np.cumsum(seen[::-1], axis=0)[::-1]

    @property
    def concordance(self) -> Band:
        """Harrell's C of the risk bins, ties at half, of the pairs that the periods distinguish.

        A pair counts where one person had the event in a period in which the other was at risk and
        had none.

        Notes
        -----
        Where C is the concordance, the pairs in order less C times all pairs are 0. This is
        bilinear in the counts, so the band is all c for which the noisy one is within 2.12
        (at 95 %) standard deviations of the noise, estimated with the noisy counts, of which it
        contains the squares of noises twice, and of sampling; as the other bands of this kind wide
        enough for a normal and a Laplace law (no theorem; coverage is tested).
        """
        bins = len(self.histogram.scores)
        order = np.tril(np.ones((bins, bins)), -1) + np.eye(bins) / 2
        every = np.ones((bins, bins))
        # what one person more in each cell adds to the pairs in order, and to all pairs
        added = [np.vstack(self._added(kernel)) for kernel in (order, every)]
        right, pairs = (
            float((self._event * (self._later @ kernel.T)).sum()) for kernel in (order, every)
        )
        spread = np.full_like(added[0], self._variance)
        spread += np.maximum(self.histogram.array, 0)
        k = deviations(self.beta) ** 2
        square = [k * float((spread * a * b).sum()) for a, b in (
            (added[1], added[1]), (added[0], added[1]), (added[0], added[0])
        )]  # fmt: skip
        # (right - c pairs)**2 <= square[0] c**2 - 2 square[1] c + square[2]
        first, middle, last = pairs**2 - square[0], right * pairs - square[1], right**2 - square[2]
        value, low, high = 0.5, 0.0, 1.0
        if pairs > 0:
            value = min(1.0, max(0.0, right / pairs))
        if pairs > 0 and first > 0:
            width = math.sqrt(max(middle**2 - first * last, 0.0))
            low, high = max(0.0, (middle - width) / first), min(1.0, (middle + width) / first)
        covers = "new records" if self.histogram.held_out else "own records"
        return Band(value, min(low, value), max(high, value), covers, self.beta)

    @property
    def hidden(self) -> bool:
        """Whether the noise hides the concordance."""
        return (self.concordance.low, self.concordance.high) == (0, 1)

    @property
    def figures(self) -> dict[str, Any]:
        """The concordance, and the events of each period, observed and predicted."""
        found: dict[str, Any] = {"concordance": None if self.hidden else self.concordance}
        for start, each in zip((0.0, *self.ends), self.calibration, strict=False):
            period = f"{start:.10g} to {each.end:.10g}"
            found |= {f"events, {period}": each.observed, f"predicted, {period}": each.predicted}
        return found

    @property
    def doubt(self) -> str:
        """Say so, if perhaps another code means an event: risks that do not rank, or too many.

        Where noise hides whether any time is censored, nothing is: then no code is the other one.
        """
        others = self.histogram.n - float(self._event.sum())
        reach = noise_reach(self.histogram.rate, self._event.size, self.beta)
        if reach < others < (1 - _NEARLY) * self.histogram.n:
            what = "nearly all records have the event"
        elif not self.hidden and self.concordance.value < 0.5:
            what = "the concordance is below 0.5, worse than chance"
        else:
            return ""
        return f"{what}. Check the code of an event (--event-is, event_is=; in R it is often 2)"

    def _added(self, kernel: Floats) -> tuple[Floats, Floats]:
        """Return what a person more adds to sums of pairs, in cells without and with the event."""
        earlier = np.zeros_like(self._none)  # pairs with those whose event was in a period before
        earlier[1:] = np.cumsum(self._event @ kernel, axis=0)
        return earlier, earlier[:-1] + self._later @ kernel.T

    @property
    def calibration(self) -> tuple[PeriodEvents, ...]:
        """Events in each period, predicted and observed, of all persons at risk in it.

        Each person counts with the mean hazard of the public rows of the risk bin. Each band holds
        with probability 1 - beta over the noise; of what is observed by its exact law.
        """
        bins, last, at_risk = len(self.histogram.scores), len(self.ends), self._later + self._event
        reach = noise_reach(self.histogram.rate, bins, self.beta)
        k, found = deviations(self.beta), []
        for period, end in enumerate(self.ends):
            hazards, cells = self.hazards[:, period], 2 * (last - period)
            predicted = float(at_risk[period] @ hazards)
            wide = k * math.sqrt(self._variance * cells * float(hazards @ hazards))
            observed = float(self._event[period].sum())
            found.append(
                PeriodEvents(end, self._count(predicted, wide), self._count(observed, reach))
            )
        return tuple(found)

    def _count(self, value: float, reach: float) -> Band:
        value = max(0.0, value)
        return Band(value, max(0.0, value - reach), value + reach, "noise", self.beta)

    @property
    def groups(self) -> tuple[RiskGroup, ...]:
        """The survival of low, middle and high risk: thirds of the risk bins.

        What is observed ends where the noise hides how many are left; the bands are those of the
        logarithm, to first order in the noise.
        """
        bins = np.array_split(np.arange(len(self.histogram.scores)), _GROUPS)
        return tuple(self._group(own) for own in bins if len(own))

    def _group(self, bins: npt.NDArray[np.intp]) -> RiskGroup:
        last = len(self.ends)
        event, left = (part[:, bins].sum(axis=1).tolist() for part in (self._event, self._later))
        persons = np.maximum(self.histogram.array[:, bins].sum(axis=0), 1.0)
        predicted = persons @ np.cumprod(1 - self.hazards[bins], axis=1) / persons.sum()
        k, cell, observed, survival = deviations(self.beta), self._variance * len(bins), [], 1.0
        none, with_event = np.zeros(last + 1), np.zeros(last)  # derivatives, by cell
        for period in range(last):
            at_risk = left[period] + max(event[period], 0.0)
            if left[period] <= k * math.sqrt(2 * (last - period) * cell):
                break
            survival *= left[period] / at_risk
            # of ln(left / at_risk), where what is left counts in both
            more = 1 / left[period] - 1 / at_risk
            none[period + 1 :] += more
            with_event[period + 1 :] += more
            with_event[period] -= 1 / at_risk
            wide = math.exp(k * math.sqrt(cell * float(none @ none + with_event @ with_event)))
            observed.append(
                Band(survival, survival / wide, min(1.0, survival * wide), "noise", self.beta)
            )
        return RiskGroup(tuple(predicted.tolist()), tuple(observed))

    @property
    def quality(self) -> Json:
        """The estimates, as they are filed."""
        periods = [
            {
                "end": period.end,
                "predicted": period.predicted.to_dict(),
                "observed": period.observed.to_dict(),
            }
            for period in self.calibration
        ]
        return {"concordance": self.concordance.to_dict(), "calibration": periods}
