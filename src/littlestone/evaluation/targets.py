"""How far predictions of quantities and counts are off: a few noisy sums, and what follows.

With e = y - F, a public (or released) centre c and reach C, each unit adds four integers in 0 .. q:
``min(|e|, C)/C``, its square, ``(clip(y - c, -C, C) + C) / (2 C)``, and the square of
``clip(y - c, -C, C) / C``, each times q and rounded. Of counts there are two more, of Poisson's
deviance of F and of the start, up to C. Of a quantile there are three instead: the pinball loss of
F and of the start, up to C, and whether y <= F. Replacing a unit moves each of k sums by at most q,
so two-sided geometric noise of rate ``epsilon / (k q)`` in each is epsilon-DP. What C cuts off is
named by `ErrorSums.reach`, not corrected. From 2,000 units times epsilon on, a quarter of epsilon
is for the counts of `ErrorCells`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Claim, register
from littlestone.classes import TreeSum
from littlestone.classes.boosted_trees.ensemble import public_rows
from littlestone.data.targets import Periods, TargetSample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.evaluation.measures import (
    Band,
    ErrorCells,
    PredictedBin,
    ScoreHistogram,
    cells_epsilon,
    deviations,
    noise_reach,
    release_histogram,
    variance,
)
from littlestone.mechanisms.estimate import truncated
from littlestone.safe_io import read_exact
from littlestone.source import Source
from littlestone.types import Json

if TYPE_CHECKING:
    from littlestone.data import Schema


ERROR_SUMS = register(
    Claim(
        "error-sums",
        "Dwork, McSherry, Nissim, Smith: Calibrating Noise to Sensitivity",
        "2006",
        "k integer sums, each of which one unit changes by at most q, each with independent "
        "two-sided geometric noise of rate epsilon/(k q), are epsilon-DP, and with counts "
        "of cells (score-histogram) at epsilon' (epsilon + epsilon')-DP.",
    )
)
_QUANTITY = ("error", "square", "value", "value squared")
#: The sums of each kind.
KINDS = {
    "quantity": _QUANTITY,
    "count": (*_QUANTITY, "deviance", "deviance of the start"),
    "quantile": ("pinball", "pinball of the start", "covered"),
}
#: What follows from them.
_MEASURES = {
    "quantity": ("mae", "rmse", "r2"),
    "count": ("mae", "rmse", "r2", "deviance", "deviance_explained"),
    "quantile": ("pinball", "pinball_explained", "coverage"),
}
_MOST = 10**30


@dataclass(frozen=True)
class ErrorSums:
    """Released sums, named by `KINDS`."""

    sums: tuple[int, ...]
    n: int  # of units that were looked at
    epsilon: Fraction
    resolution: int  # q: the most that a unit adds
    center: Fraction
    reach: Fraction  # errors and distances from the centre beyond it count as it
    held_out: bool = False
    kind: str = "quantity"
    cells: ErrorCells | None = None  # where `cells_epsilon` is not 0

    @property
    def rate(self) -> Fraction:
        """The rate of the noise of each sum."""
        epsilon = self.epsilon - cells_epsilon(self.epsilon, self.n)
        return sums_rate(epsilon, self.resolution, len(self.sums))

    def to_dict(self) -> Json:
        """Return plain JSON."""
        exact = {name: str(getattr(self, name)) for name in ("epsilon", "center", "reach")}
        whole = {"n": self.n, "resolution": self.resolution, "held_out": self.held_out}
        cells = None if self.cells is None else self.cells.to_dict()
        return {"kind": self.kind, "sums": list(self.sums), **whole, **exact, "cells": cells}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; it may be untrusted."""
        try:
            epsilon, center, reach = (
                read_exact(data[name]) for name in ("epsilon", "center", "reach")
            )
            sums, n, resolution = data["sums"], data["n"], data["resolution"]
            kind = data["kind"]
            whole = all(type(x) is int and 0 <= x <= _MOST for x in (*sums, n, resolution))
            cells = None if data["cells"] is None else ErrorCells.from_dict(data["cells"])
            fits = len(sums) == len(KINDS[kind]) and len(data) == 9
            fits &= isinstance(data["held_out"], bool)
            if not (whole and fits and min(epsilon, reach) > 0 and min(n, resolution) > 0):
                raise ValueError
            if (cells is None) != (cells_epsilon(epsilon, n) == 0):
                raise ValueError
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ParameterError(
                "An evaluation of quantities must have the entries of `ErrorSums.to_dict`."
            ) from None
        held_out = data["held_out"]
        return cls(tuple(sums), n, epsilon, resolution, center, reach, held_out, kind, cells)


def _filed(band: Band) -> Json:
    """Return a band as JSON, which has no infinite numbers."""
    return {**band.to_dict(), "low": band.low if math.isfinite(band.low) else None}


def sums_rate(epsilon: Fraction, resolution: int, sums: int) -> Fraction:
    """Return the rate of the noise of each of so many sums."""
    return epsilon / (sums * resolution)


def noisy_sums(
    sums: list[int], n: int, *, epsilon: Fraction, resolution: int, source: Source
) -> tuple[int, ...]:
    """Return the sums of n units with noise, within what is possible: epsilon-DP."""
    rate, most = sums_rate(epsilon, resolution, len(sums)), resolution * n
    return tuple(min(max(own + truncated(rate, most, source), 0), most) for own in sums)


class QuantityEvaluation:
    """What released sums say, with bands: mean errors, R2, deviance, pinball loss, coverage.

    Of a mean or a median ``mae``, ``rmse`` and ``r2``; of a count also ``deviance``; of another
    quantile ``pinball`` (loss) and ``coverage``. ``_explained`` is one less the ratio to that of
    the start, a constant; None where noise hides that.

    ``predicted_observed`` says what was observed where which value was predicted.

    ``new=True``: the bands are about new units, from held-out ones (Hoeffding); otherwise about the
    units that were looked at, by the law of the noise. All hold at once, but for beta.

    Examples
    --------
    >>> sums = ErrorSums((100, 20, 500, 250), 10, Fraction(400), 100, Fraction(5), Fraction(4))
    >>> found = QuantityEvaluation(sums)
    >>> found.mae.value, round(found.rmse.value, 3), round(found.r2.value, 3)
    (0.4, 0.566, 0.92)
    """

    def __init__(self, sums: ErrorSums, *, beta: float = 0.05, new: bool = False) -> None:
        if new and not sums.held_out:
            raise UnsupportedError(
                "Bands for new records follow from held-out ones only: evaluate with holdout=0.2 "
                "(--holdout 0.2), and with columns that were not learned."
            )
        self.sums, self.beta, self.new = sums, beta, new

    @property
    def new_records(self) -> QuantityEvaluation:
        """The same, with bands for new records."""
        return QuantityEvaluation(self.sums, beta=self.beta, new=True)

    @property
    def quality(self) -> Json:
        """The estimates, as they are filed."""
        bins = [own.to_dict() for own in self.predicted_observed]
        bands = self.bands.items()
        filed = {name: None if band is None else _filed(band) for name, band in bands}
        return {**filed, "predicted_observed": bins}

    @property
    def bands(self) -> dict[str, Band | None]:
        """All that follows from these sums, by name."""
        return {name: getattr(self, name) for name in _MEASURES[self.sums.kind]}

    @property
    def predicted_observed(self) -> tuple[PredictedBin, ...]:
        """Bins of the prediction, and what was observed there; none from too few units.

        Of each bin the mean of the target, its quantiles .1, .25, .5, .75 and .9, and how many
        targets are at most their prediction. There are some from 2,000 units times epsilon on.
        Bands are estimated, from standard deviations.
        """
        sums = self.sums
        if sums.cells is None:
            return ()
        epsilon, whole = cells_epsilon(sums.epsilon, sums.n), sums.kind == "count"
        return sums.cells.bins(epsilon, beta=self.beta, new=self.new, whole=whole)

    @property
    def mae(self) -> Band:
        """The mean absolute error."""
        return self._mean("error", float(self.sums.reach))

    @property
    def deviance(self) -> Band:
        """The mean of Poisson's deviance."""
        return self._mean("deviance", float(self.sums.reach))

    @property
    def deviance_explained(self) -> Band | None:
        """How much of the deviance of the start is gone."""
        return self._explained("deviance")

    @property
    def pinball(self) -> Band:
        """The mean pinball loss."""
        return self._mean("pinball", float(self.sums.reach))

    @property
    def pinball_explained(self) -> Band | None:
        """How much of the pinball loss of the start is gone."""
        return self._explained("pinball")

    @property
    def coverage(self) -> Band:
        """The share of values that are at most the predicted quantile."""
        return self._mean("covered", 1.0)

    def _mean(self, name: str, unit: float) -> Band:
        share, slack = self._share(name), self._slack
        return self._band(share, max(0.0, share - slack), share + slack, unit)

    def _explained(self, name: str) -> Band | None:
        own, start, slack = self._share(name), self._share(f"{name} of the start"), self._slack
        if start <= 0:
            return None
        low = 1 - (own + slack) / (start - slack) if start > slack else -math.inf
        high = 1 - max(0.0, own - slack) / (start + slack)
        return self._band(1 - own / start, low, high, 1.0)

    @property
    def rmse(self) -> Band:
        """The root of the mean squared error."""
        low, value, high = map(math.sqrt, self._missed)
        return self._band(value, low, high, float(self.sums.reach))

    @property
    def r2(self) -> Band | None:
        """The share of the variance that is explained; None where noise hides the variance."""
        mean, square = (self._share(name) for name in _QUANTITY[2:])
        fewest, missed, largest = self._missed
        slack = self._slack
        off = abs(2 * mean - 1)
        least = square - slack - (off + 2 * slack) ** 2
        most = square + slack - max(0.0, off - 2 * slack) ** 2
        if square <= off**2:
            return None
        value = 1 - missed / (square - off**2)
        low = 1 - largest / least if least > 0 else -math.inf
        high = 1 - fewest / most
        return self._band(value, low, high, 1.0)

    @property
    def _missed(self) -> tuple[float, float, float]:
        """The mean square between its ends; none is below the square of the mean error."""
        square, error, slack = self._share("square"), self._share("error"), self._slack
        low = max(0.0, square - slack, max(0.0, error - slack) ** 2)
        value = max(low, square, error**2 if error > 0 else 0.0)
        return low, value, max(value, square + slack)

    def _share(self, name: str) -> float:
        names = KINDS[self.sums.kind]
        if name not in names:
            raise UnsupportedError(
                f"An evaluation of a {self.sums.kind} says {', '.join(_MEASURES[self.sums.kind])}."
            )
        return self.sums.sums[names.index(name)] / (self.sums.n * self.sums.resolution)

    @property
    def _slack(self) -> float:
        """How far each share may be off: noise, and for new units sampling."""
        sums, beta = self.sums, self.beta / (2 if self.new else 1)
        either = math.log(2 * len(sums.sums) / beta)
        noise = either / float(sums.rate) / sums.n / sums.resolution
        return noise + (math.sqrt(either / (2 * sums.n)) if self.new else 0.0)

    def _band(self, value: float, low: float, high: float, unit: float) -> Band:
        covers = "new records" if self.new else "noise"
        return Band(value * unit, low * unit, high * unit, covers, self.beta)


# -- What predicted survival is worth: one released histogram of risk, periods at risk, and event.
#
# Each person is in one cell: a *risk bin* of the model, in how many periods the person was at
# risk, and whether the event was in the last of them. So it is a `ScoreHistogram` (claim ``score-
# histogram``), whose scores are the lower edges of the bins. These are public, as they come from
# the released model and public rows alone; no quantile of records is one of them.
#
# From the noisy counts follow the concordance of the bins, events in each period beside the
# predicted ones, and the survival of risk groups. Of a user one person is counted, drawn.


Floats = npt.NDArray[np.float64]

_ROWS = 1024  # public rows
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


class SurvivalEvaluation:
    """What a released histogram says of predicted survival: concordance, calibration, curves.

    ``new_records``: the concordance of new records, from held-out ones; otherwise that of the
    records which were counted.

    Examples
    --------
    >>> from fractions import Fraction
    >>> counts = ((0, 0), (20, 60), (400, 300), (10, 60), (20, 130))
    >>> histogram = ScoreHistogram((0, 99), counts, 1000, Fraction(2), Fraction(1))
    >>> found = SurvivalEvaluation(histogram, np.array([[0.02, 0.04], [0.1, 0.3]]), (12.0, 24.0))
    >>> round(found.concordance.value, 2), round(found.concordance.low, 2)
    (0.7, 0.69)
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
        new: bool = False,
    ) -> None:
        if new and not histogram.held_out:
            raise UnsupportedError(
                "Bands for new records follow from held-out ones only: evaluate with holdout=0.2 "
                "(--holdout 0.2), and with columns that were not learned."
            )
        self.histogram, self.ends, self.beta, self.new = histogram, tuple(ends), beta, new
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

    @property
    def new_records(self) -> SurvivalEvaluation:
        """The same, with a concordance for new records."""
        return SurvivalEvaluation(self.histogram, self.hazards, self.ends, beta=self.beta, new=True)

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
        contains the squares of noises twice; as the other bands of this kind wide enough for a
        normal and a Laplace law (no theorem; coverage is tested). For new records the
        variance of sampling is added.
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
        if self.new:
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
        covers = "new records" if self.new else "noise"
        return Band(value, min(low, value), max(high, value), covers, self.beta)

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
