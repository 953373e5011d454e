"""How far predictions of quantities and counts are off: four noisy sums, and what follows.

With e = y - F, a public (or released) centre c and reach C, each unit adds four integers in 0 .. q:
``min(|e|, C)/C``, its square, ``(clip(y - c, -C, C) + C) / (2 C)``, and the square of
``clip(y - c, -C, C) / C``, each times q and rounded. Replacing a unit moves each sum by at most q,
so two-sided geometric noise of rate ``epsilon / (4 q)`` in each is epsilon-DP. What C cuts off is
named by `ErrorSums.reach`, not corrected.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from littlestone.bounds import Claim, register
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.evaluation.measures import Band
from littlestone.mechanisms.estimate import truncated
from littlestone.safe_io import read_exact
from littlestone.source import Source
from littlestone.types import Json

ERROR_SUMS = register(
    Claim(
        "error-sums",
        "Dwork, McSherry, Nissim, Smith: Calibrating Noise to Sensitivity",
        "2006",
        "Four integer sums, each of which one unit changes by at most q, each with independent "
        "two-sided geometric noise of rate epsilon/(4 q), are epsilon-DP.",
    )
)
_SUMS = 4
_MOST = 10**30


@dataclass(frozen=True)
class ErrorSums:
    """Four released sums: of errors, their squares, targets, and squares of targets."""

    sums: tuple[int, ...]
    n: int  # of units that were looked at
    epsilon: Fraction
    resolution: int  # q: the most that a unit adds
    center: Fraction
    reach: Fraction  # errors and distances from the centre beyond it count as it
    held_out: bool = False

    @property
    def rate(self) -> Fraction:
        """The rate of the noise."""
        return sums_rate(self.epsilon, self.resolution)

    @property
    def quality(self) -> Json:
        """The estimates, as they are filed."""
        found = QuantityEvaluation(self)
        bands = {"mae": found.mae, "rmse": found.rmse, "r2": found.r2}
        return {name: None if band is None else _filed(band) for name, band in bands.items()}

    def to_dict(self) -> Json:
        """Return plain JSON."""
        exact = {name: str(getattr(self, name)) for name in ("epsilon", "center", "reach")}
        whole = {"n": self.n, "resolution": self.resolution, "held_out": self.held_out}
        return {"sums": list(self.sums), **whole, **exact}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; it may be untrusted."""
        try:
            epsilon, center, reach = (
                read_exact(data[name]) for name in ("epsilon", "center", "reach")
            )
            sums, n, resolution = data["sums"], data["n"], data["resolution"]
            whole = all(type(x) is int and 0 <= x <= _MOST for x in (*sums, n, resolution))
            fits = len(sums) == _SUMS and len(data) == 7 and isinstance(data["held_out"], bool)
            if not (whole and fits and min(epsilon, reach) > 0 and min(n, resolution) > 0):
                raise ValueError
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ParameterError(
                "An evaluation of quantities must have the entries of `ErrorSums.to_dict`."
            ) from None
        return cls(tuple(sums), n, epsilon, resolution, center, reach, data["held_out"])


def _filed(band: Band) -> Json:
    """Return a band as JSON, which has no infinite numbers."""
    return {**band.to_dict(), "low": band.low if math.isfinite(band.low) else None}


def sums_rate(epsilon: Fraction, resolution: int) -> Fraction:
    """Return the rate of the noise of each sum."""
    return epsilon / (_SUMS * resolution)


def noisy_sums(
    sums: list[int], n: int, *, epsilon: Fraction, resolution: int, source: Source
) -> tuple[int, ...]:
    """Return the sums of n units with noise, within what is possible: epsilon-DP."""
    rate, most = sums_rate(epsilon, resolution), resolution * n
    return tuple(min(max(own + truncated(rate, most, source), 0), most) for own in sums)


class QuantityEvaluation:
    """What four released sums say: mean errors and R2, with bands.

    ``new=True``: the bands are about new units, from held-out ones (Hoeffding); otherwise about the
    units that were looked at, by the law of the noise. All three hold at once, but for beta.

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
                "(--holdout 0.2)."
            )
        self.sums, self.beta, self.new = sums, beta, new

    @property
    def new_records(self) -> QuantityEvaluation:
        """The same, with bands for new records."""
        return QuantityEvaluation(self.sums, beta=self.beta, new=True)

    @property
    def mae(self) -> Band:
        """The mean absolute error."""
        share, slack = self._shares[0], self._slack
        return self._band(share, max(0.0, share - slack), share + slack, float(self.sums.reach))

    @property
    def rmse(self) -> Band:
        """The root of the mean squared error."""
        share, slack = self._shares[1], self._slack
        value, low, high = (math.sqrt(max(0.0, x)) for x in (share, share - slack, share + slack))
        return self._band(value, low, high, float(self.sums.reach))

    @property
    def r2(self) -> Band | None:
        """The share of the variance that is explained; None where noise hides the variance."""
        _, missed, mean, square = self._shares
        slack = self._slack
        off = abs(2 * mean - 1)
        least = square - slack - (off + 2 * slack) ** 2
        most = square + slack - max(0.0, off - 2 * slack) ** 2
        if square <= off**2:
            return None
        value = 1 - missed / (square - off**2)
        low = 1 - (missed + slack) / least if least > 0 else -math.inf
        high = 1 - max(0.0, missed - slack) / most
        return self._band(value, low, high, 1.0)

    @property
    def _shares(self) -> list[float]:
        most = self.sums.n * self.sums.resolution
        return [own / most for own in self.sums.sums]

    @property
    def _slack(self) -> float:
        """How far each share may be off: noise, and for new units sampling."""
        sums, beta = self.sums, self.beta / (2 if self.new else 1)
        noise = math.log(2 * _SUMS / beta) / float(sums.rate) / sums.n / sums.resolution
        return noise + (math.sqrt(math.log(2 * _SUMS / beta) / (2 * sums.n)) if self.new else 0.0)

    def _band(self, value: float, low: float, high: float, unit: float) -> Band:
        covers = "new records" if self.new else "noise"
        return Band(value * unit, low * unit, high * unit, covers, self.beta)
