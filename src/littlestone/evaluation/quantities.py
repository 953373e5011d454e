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
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from littlestone.bounds import Claim, register
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.evaluation.measures import Band
from littlestone.evaluation.observed import ErrorCells, PredictedBin, cells_epsilon
from littlestone.mechanisms.estimate import truncated
from littlestone.safe_io import read_exact
from littlestone.source import Source
from littlestone.types import Json

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
