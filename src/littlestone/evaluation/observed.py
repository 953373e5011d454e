"""What was observed where which number was predicted: a noisy two-way histogram.

Units are counted by the bin of their prediction F and by that of their error y - F. A replaced unit
moves counts by two altogether, so noise of rate ``epsilon / 2`` in each is epsilon-DP (claim
``score-histogram``). All edges are functions of the released model and of public numbers. Errors,
not targets: then what is observed is as exact as errors are, however wide a bin of predictions is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from littlestone.evaluation.histogram import histogram_rate
from littlestone.evaluation.measures import Band, deviations, variance
from littlestone.types import Json

Doubles = npt.NDArray[np.float64]

#: The quantiles of what is observed.
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
_SHARE, _LEAST = Fraction(1, 4), 2_000
_DEVIATIONS = 6.0  # of the noise of a bin: with fewer units it is joined to the next one
_MOST = 10**30


def cells_epsilon(epsilon: Fraction, n: int) -> Fraction:
    """Return the part of epsilon for these counts: a quarter, from n epsilon 2,000 on.

    With less the noise would leave fewer than four bins.

    Examples
    --------
    >>> cells_epsilon(Fraction(1), 2000), cells_epsilon(Fraction(1), 1999)
    (Fraction(1, 4), Fraction(0, 1))
    """
    return _SHARE * epsilon if n * epsilon >= _LEAST else Fraction(0)


def least_units(epsilon: Fraction) -> int:
    """Return from how many units on there are such counts."""
    return math.ceil(_LEAST / epsilon)


@dataclass(frozen=True)
class PredictedBin:
    """Units whose predictions are in one bin, and what was observed of them, by noisy counts."""

    #: The ends of the bin. The first and the last one are open, and end where they are drawn to.
    low: float
    high: float
    predicted: float  # the middle, by the noisy counts of finer bins
    observed: Band  # the mean of the target, estimated as ``predicted`` plus the mean error
    quantiles: tuple[float, ...]  # of the target: those of `QUANTILES`
    below: Band  # share of targets that are at most their prediction
    units: float  # noisy number

    def to_dict(self) -> Json:
        """Return plain JSON."""
        bands = {"observed": self.observed.to_dict(), "below": self.below.to_dict()}
        return {**vars(self), **bands, "quantiles": list(self.quantiles)}


@dataclass(frozen=True)
class ErrorCells:
    """Released counts of units by bin of prediction (rows) and of error (columns)."""

    counts: tuple[tuple[int, ...], ...]  # noisy, perhaps negative; in parts of a unit
    edges: tuple[float, ...]  # of predictions: a bin begins with its edge
    errors: tuple[float, ...]  # edges of errors: a bin ends with its edge
    limits: tuple[float, float]  # the public range of the target
    parts: int = 1  # of a unit

    def to_dict(self) -> Json:
        """Return plain JSON."""
        rows = [list(row) for row in self.counts]
        others = {name: list(getattr(self, name)) for name in ("edges", "errors", "limits")}
        return {"counts": rows, **others, "parts": self.parts}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; it may be untrusted: ValueError, or what missing entries raise."""
        edges, errors, limits = (
            tuple(map(_number, data[name])) for name in ("edges", "errors", "limits")
        )
        counts = tuple(tuple(row) for row in data["counts"])
        increasing = all(a <= b for own in (edges, errors, limits) for a, b in pairwise(own))
        fits = {len(row) for row in counts} == {len(errors) + 1} and len(errors) > 1
        fits &= len(counts) == len(edges) + 1 > 1 and len(limits) == 2 and len(data) == 5
        whole = type(data["parts"]) is int and data["parts"] > 0
        whole &= all(type(count) is int and abs(count) <= _MOST for row in counts for count in row)
        if not (increasing and fits and whole):
            raise ValueError
        return cls(counts, edges, errors, (limits[0], limits[1]), data["parts"])

    @cached_property
    def _ends(self) -> Doubles:
        """The ends of the bins of predictions: open ones are as wide as the next one."""
        ends = self.edges
        wide = (ends[1] - ends[0], ends[-1] - ends[-2]) if len(ends) > 1 else (math.inf, math.inf)
        low, high = self.limits
        return np.array([max(low, ends[0] - wide[0]), *ends, min(high, ends[-1] + wide[1])])

    def bins(
        self, epsilon: Fraction, *, beta: float, new: bool = False, whole: bool = False
    ) -> tuple[PredictedBin, ...]:
        """Return bins of predictions, joined until they have six deviations of their noise.

        ``epsilon``: what the counts cost. Bands are those of a normal or Laplace law (as of AUROC),
        for noise and, with ``new``, for sampling. ``whole``: targets are whole numbers.
        """
        counts = np.array(self.counts, dtype=np.float64) / self.parts
        rate = histogram_rate(epsilon, records=self.parts)
        noise = variance(float(rate)) / self.parts**2  # of a count
        return tuple(
            self._bin(first, counts[first:last], noise, beta, new=new, whole=whole)
            for first, last in _joined(counts, noise)
        )

    def _bin(
        self,
        first: int,
        counts: Doubles,
        noise: float,
        beta: float,
        *,
        new: bool,
        whole: bool,
    ) -> PredictedBin:
        ends = self._ends[first : first + len(counts) + 1]
        row, (low, high) = counts.sum(axis=0), self.limits
        units = max(float(row.sum()), 1.0)
        likely = np.maximum(counts.sum(axis=1), 0) + 1e-9
        predicted = float(likely @ (ends[:-1] + ends[1:]) / 2 / likely.sum())
        # open bins of errors end at twice their edge; no target is outside the public range
        far = np.array([2 * self.errors[0], *self.errors, 2 * self.errors[-1]])
        far = far.clip(low - predicted, high - predicted)
        wide, covers = deviations(beta), "new records" if new else "noise"

        def mean(values: Doubles) -> tuple[float, float]:
            """Return the mean of what is counted, and how far it may be off."""
            found = float(row @ values) / units
            off = len(counts) * noise * float(((values - found) ** 2).sum()) / units**2
            if new:
                off += float(np.maximum(row, 0) @ (values - found) ** 2) / units**2
            return found, wide * math.sqrt(off)

        error, off = mean((far[:-1] + far[1:]) / 2)
        observed = Band(predicted + error, predicted + error - off, predicted + error + off,
                        covers, beta)  # fmt: skip
        share, off = mean(np.array([*(edge <= 0 for edge in self.errors), False], dtype=np.float64))
        share = min(1.0, max(0.0, share))
        below = Band(share, max(0.0, share - off), min(1.0, share + off), covers, beta)
        upto = np.maximum.accumulate(np.concatenate([[0.0], np.cumsum(row)]))
        at = np.interp(np.array(QUANTILES) * units, upto, far)
        at = (predicted + at).clip(low, high)
        quantiles = (np.rint(at) if whole else at).tolist()
        return PredictedBin(
            float(ends[0]), float(ends[-1]), predicted, observed, tuple(quantiles), below, units
        )


def _joined(counts: Doubles, noise: float) -> list[tuple[int, int]]:
    """Return neighbouring rows in ranges whose counts are well above their noise."""
    found: list[tuple[int, int]] = []
    start = 0
    for stop in range(1, len(counts) + 1):
        part = counts[start:stop]
        if part.sum() >= max(_DEVIATIONS * math.sqrt(noise * part.size), 1.0):
            found.append((start, stop))
            start = stop
    # what is left over joins the last one
    return [*found[:-1], (found[-1][0] if found else 0, len(counts))]


def _number(value: Any) -> float:
    if not isinstance(value, float | int) or isinstance(value, bool) or not math.isfinite(value):
        raise TypeError
    return float(value)
