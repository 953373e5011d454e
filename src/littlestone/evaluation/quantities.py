"""How far predictions of quantities and counts are off: sizes, a few noisy sums, what follows.

With e = y - F. First each unit is counted in one cell: of |e| in ``(0, c], (c, 7/5 c], (7/5 c, 2
c], (2 c, 14/5 c], ...`` up to the width of the public range, or *no target*. Replacing a unit moves
two counts by one (claim ``score-histogram``, 2/5 of epsilon). The reach C is the end of the last
cell from which on the noisy counts show something; the sums cut errors there.

Then each unit with a target adds four integers: with ``u = min(|e|, C)/C`` and ``v = clip(y - c,
-D, D)/D``, for a released centre c and a reach D >= C, these are u, ``3/2 u (1 - u)``, v/4 and
v**2, each times q and rounded. Of counts there are two more, of Poisson's deviance of F and of the
start, up to D. Of a quantile there are three instead: the pinball loss of F and of the start, up to
C, and whether y <= F. A unit moves all of them *together* by at most a number d of steps
(`most_moved`): the first two by 25/24 q and not by twice q, as ``|a - b| + 3/2 |a (1 - a) - b (1 -
b)|`` is at most ``h (1 + 3/2 (1 - h))`` where ``h = |a - b|``; the next two by 81/64 q. A unit
without a target adds 0, as one with ``u = v = 0`` does. So two-sided geometric noise of rate
``epsilon / d`` in each is epsilon-DP, for each C; C depends on the released counts alone, so the
two add up. From 2,000 units times epsilon on, a quarter of epsilon is for the counts of
`ErrorCells`.

Every mean divides by the noisy number of units with a target.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from littlestone.classes import TreeSum
from littlestone.classes.boosted_trees.ensemble import public_rows
from littlestone.data.targets import Periods, TargetSample
from littlestone.errors import UnsupportedError
from littlestone.evaluation.histogram import (
    Grouped,
    ScoreHistogram,
    histogram_rate,
    noise_reach,
    release_histogram,
    variance,
)
from littlestone.evaluation.measures import Band, Figures, deviations, four, joined
from littlestone.mechanisms.estimate import truncated
from littlestone.safe_io import OMITTED, Plain, Wire, plain
from littlestone.source import Source
from littlestone.types import Json

if TYPE_CHECKING:
    from littlestone.data import Schema


Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ERROR_SUMS = "error-sums"
_QUANTITY = ("error", "curve", "value", "value squared")
RESOLUTION = 4096  # q: steps of one
#: The sums of each kind.
KINDS = {
    "quantity": _QUANTITY,
    "count": (*_QUANTITY, "deviance", "deviance of the start"),
    "quantile": ("pinball", "pinball of the start", "covered"),
}
#: What follows from them, beside the sizes of errors.
_SIZES = ("with_target", "median", "ninth_decile", "beyond")
_MEASURES = {
    "quantity": ("mae", "rmse", "r2"),
    "count": ("mae", "rmse", "r2", "deviance", "deviance_explained"),
    "quantile": ("pinball", "pinball_explained", "coverage"),
}
_OF_SIZES = Fraction(2, 5)
_SEEN = 2.0  # deviations of the noise of counts that say something
_FEW_CELLS = 6  # of sizes, that the band of a group may be wide: about a factor of 8
_HEAVY = 1.25  # what is not seen may make a mean so many times as large, or it has no value


def parts_of_epsilon(epsilon: Fraction, n: int) -> tuple[Fraction, Fraction, Fraction]:
    """Return what sizes of errors, sums, and counts by prediction of n units cost.

    Examples
    --------
    >>> [str(own) for own in parts_of_epsilon(Fraction(1), 5000)]
    ['3/10', '9/20', '1/4']
    """
    cells = cells_epsilon(epsilon, n)
    left = epsilon - cells
    return _OF_SIZES * left, left - _OF_SIZES * left, cells


def last_seen(sizes: Sequence[int], epsilon: Fraction, parts: int, noises: int = 1) -> int:
    """Return the last cell of sizes from which on the counts are above two deviations of noise.

    ``sizes`` are released, in parts of a unit, the last one of units without a target; ``epsilon``
    is what they cost; each is the sum of so many noisy counts.

    Examples
    --------
    >>> last_seen([50, 70, 30, 4, 0, -3, 9], Fraction(1), 1)
    2
    """
    tails = np.cumsum(sizes[-2::-1])[::-1]
    rate = histogram_rate(epsilon, records=parts)
    noise = np.sqrt(np.arange(len(tails), 0, -1) * noises * variance(float(rate)))
    seen = np.flatnonzero(tails > _SEEN * noise)
    return int(seen[-1]) if len(seen) else 0


@dataclass(frozen=True)
class Between(Plain):
    """The two ends between which a mean is, where no estimate would say what its name says."""

    low: float
    high: float
    covers: str
    beta: float


@dataclass(frozen=True)
class ErrorSums(Wire):
    """Released sizes of errors, and sums named by `KINDS`."""

    sums: tuple[int, ...]  # in steps: each unit adds at most ``resolution parts``; none is below 0
    sizes: tuple[int, ...]  # in parts: by the size of the error; last, units without a target
    edges: tuple[Fraction, ...]  # the upper ends of the sizes, public
    n: int  # of units that were looked at
    epsilon: Fraction
    resolution: int  # q: steps of one
    parts: int  # of a unit
    center: Fraction
    reach: Fraction  # errors beyond it count as it: one of the edges
    far: Fraction  # distances from the centre, and deviances, beyond it count as it
    held_out: bool = False
    kind: str = "quantity"
    cells: ErrorCells | None = None  # where `cells_epsilon` is not 0
    #: The sizes that were released, by group, whose sums ``sizes`` are.
    groups: Grouped | None = field(default=None, metadata=OMITTED)

    @property
    def noises(self) -> int:
        """How many independent noises each size has: one, or that of each group."""
        return 1 if self.groups is None else len(self.groups.counts)

    @property
    def rate(self) -> Fraction:
        """The rate of the noise of each sum."""
        _, of_sums, _ = parts_of_epsilon(self.epsilon, self.n)
        return sums_rate(of_sums, self.kind, self.resolution, self.parts)

    @property
    def size_rate(self) -> Fraction:
        """The rate of the noise of each size."""
        of_sizes, _, _ = parts_of_epsilon(self.epsilon, self.n)
        return histogram_rate(of_sizes, records=self.parts)

    _UNREADABLE = "An evaluation of quantities must have the entries of `ErrorSums.to_dict`."

    def _fits(self) -> bool:
        numbers = (self.epsilon, self.far, self.n, self.resolution, self.parts)
        of_sizes, _, of_cells = parts_of_epsilon(self.epsilon, self.n)
        return (
            all(number > 0 for number in numbers)
            and self.resolution <= RESOLUTION
            and min(self.sums) >= 0
            and len(self.sums) == len(KINDS[self.kind])
            and len(self.sizes) == len(self.edges) + 1 > 1
            and all(a < b for a, b in pairwise((Fraction(0), *self.edges)))
            and (self.cells is None) == (of_cells == 0)
            and (self.groups is None or self.groups.total == (self.sizes,))
            and self.reach == self.edges[last_seen(self.sizes, of_sizes, self.parts, self.noises)]
        )


def error_terms(error: Ints, q: int) -> tuple[Ints, Ints]:
    """Return what errors add, in steps: themselves, in 0 .. q, and a curve of which squares follow.

    Examples
    --------
    >>> [terms.tolist() for terms in error_terms(np.array([0, 50, 100]), 100)]
    [[0, 50, 100], [0, 37, 0]]
    """
    return error, 3 * error * (q - error) // (2 * q)


def value_terms(value: Ints, q: int) -> tuple[Ints, Ints]:
    """Return what distances from the centre add, in steps -q .. q: a quarter, and their squares.

    Examples
    --------
    >>> [terms.tolist() for terms in value_terms(np.array([-100, 0, 50]), 100)]
    [[-25, 0, 12], [100, 0, 25]]
    """
    return value // 4, value * value // q


def below_zero(q: int) -> int:
    """Return how far below 0 a value's quarter may be: that is added for each unit, public."""
    return -(-q // 4)


@lru_cache
def most_moved(kind: str, q: int) -> int:
    """Return by how many steps a unit moves all sums of a kind, together: computed, not bounded.

    Examples
    --------
    >>> most_moved("quantity", 4096) / 4096, most_moved("quantile", 4096) // 4096
    (2.307373046875, 3)
    """
    if kind == "quantile":
        return len(KINDS[kind]) * q
    terms = error_terms(np.arange(q + 1), q), value_terms(np.arange(-q, q + 1), q)
    # |a - a'| + |b - b'| is the larger one of |(a + b) - (a' + b')| and |(a - b) - (a' - b')|
    moved = sum(max(int(np.ptp(a + b)), int(np.ptp(a - b))) for a, b in terms)
    return moved + q * (len(KINDS[kind]) - len(_QUANTITY))


def sums_rate(epsilon: Fraction, kind: str, q: int, parts: int) -> Fraction:
    """Return the rate of the noise of each sum of a kind."""
    return epsilon / (most_moved(kind, q) * parts)


def noisy_sums(
    sums: list[int], n: int, *, epsilon: Fraction, kind: str, q: int, parts: int, source: Source
) -> tuple[int, ...]:
    """Return the sums of n units with noise, within what is possible: epsilon-DP."""
    rate, most = sums_rate(epsilon, kind, q, parts), q * parts * n
    return tuple(min(max(own + truncated(rate, most, source), 0), most) for own in sums)


@dataclass(frozen=True)
class GroupErrors(Plain):
    """How large errors are in one public group.

    A size is None where its band would be wider than six cells, of which two end at twice what the
    two before do. Each band holds by itself.
    """

    name: str
    share: Band  # of all units with a target
    median: Band | None = None  # of absolute errors
    ninth_decile: Band | None = None


class QuantityEvaluation(Figures):
    """What released sizes and sums say, with bands: quantiles of errors, means, R2, coverage.

    All means are over units with a target, of which there are ``with_target``. ``median`` and
    ``ninth_decile`` are of the absolute error, and ``beyond`` is the share of units whose error is
    beyond the reach C of the sums. Of a mean or a median ``mae``, ``rmse`` and ``r2``; of a count
    also ``deviance``; of another quantile ``pinball`` (loss) and ``coverage``. ``_explained`` is
    one less the ratio to that of the start, a constant; None where noise hides that.

    A mean error has a value only where the errors beyond C, of which at most so many can be there,
    would not make it more than 1.25 times as large; else it is `Between` two ends. R2 is that of
    errors up to C and of targets up to D from the centre.

    ``predicted_observed`` says what was observed where which value was predicted.

    Each band holds with probability 1 - beta over the noise and over the sampling of the units
    (2.12 standard deviations at 95 %, estimated: no theorem; coverage is tested). It is about new
    units if these were held out; else about such units as those of the fit, which a model fits
    better than others.

    Examples
    --------
    >>> sums = ErrorSums((100, 120, 300, 250), (7, 3, 0, 2), (2, 4, 8), 12, Fraction(400), 100, 1,
    ...                  Fraction(5), Fraction(4), Fraction(4))
    >>> found = QuantityEvaluation(sums)
    >>> found.with_target.value, found.mae.value, round(found.rmse.value, 3)
    (10.0, 0.4, 0.566)
    """

    def __init__(self, sums: ErrorSums, *, beta: float = 0.05) -> None:
        self.sums, self.beta = sums, beta
        self._wide = deviations(beta)
        self._one = variance(float(sums.size_rate)) / sums.parts**2  # noise of a count, in units
        self._cell = sums.noises * self._one  # noise of a size
        most = sums.resolution * sums.parts
        self._noise = variance(float(sums.rate)) / most**2  # of a sum, in units
        self._of_square = 13 / 9 * self._noise  # of an error less 2/3 of a curve
        self._sizes = np.array(sums.sizes[:-1], dtype=np.float64) / sums.parts
        self._edges = np.array([float(edge) for edge in sums.edges])
        self._known = min(max(sums.n - sums.sizes[-1] / sums.parts, 1.0), float(sums.n))
        self._place = sums.edges.index(sums.reach)

    @property
    def covers(self) -> str:
        """What bands are about."""
        return "new records" if self.sums.held_out else "own records"

    @property
    def quality(self) -> Json:
        """The estimates, as they are filed."""
        return cast(Json, plain({**self.bands, "predicted_observed": self.predicted_observed}))

    @property
    def bands(self) -> dict[str, Band | Between | None]:
        """All that follows from what was released, by name; None where noise may be all of it."""
        names, known = (*_SIZES[1:], *_MEASURES[self.sums.kind]), self.with_target.low > 0
        found = {name: getattr(self, name) if known else None for name in names}
        return {"with_target": self.with_target, **found}

    @property
    def figures(self) -> dict[str, Any]:
        """The bands, with names to be read."""
        bands = self.bands
        cut = any(isinstance(band, Between) for band in bands.values())
        # no other R2 is known then
        of = f", errors truncated at {four(float(self.sums.reach))}" * cut
        return {
            name.replace("_", " ") + of * (name in ("r2", "pinball_explained")): band
            for name, band in bands.items()
        }

    @property
    def doubt(self) -> str:
        """Say so, if perhaps no unit has a target; else nothing."""
        if self.with_target.low > 0:
            return ""
        return (
            "because of the noise, it is not clear that any record has a number in this column. A "
            "cell with a unit or a sign, such as $12, is not a number: convert such cells first"
        )

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
        return sums.cells.bins(epsilon, beta=self.beta, new=True, whole=whole)

    # -- sizes of errors -------------------------------------------------------------------------

    @property
    def with_target(self) -> Band:
        """How many of these units have a target, by the noise alone."""
        reach = noise_reach(self.sums.size_rate, self.sums.noises, self.beta) / self.sums.parts
        low, high = max(self._known - reach, 0.0), min(self._known + reach, float(self.sums.n))
        return Band(self._known, low, high, "noise", self.beta)

    @property
    def median(self) -> Band:
        """The median size of an error."""
        return self.error_quantile(0.5)

    @property
    def ninth_decile(self) -> Band:
        """The size that nine of ten errors do not exceed."""
        return self.error_quantile(0.9)

    def error_quantile(self, q: float) -> Band:
        """Return a quantile of the sizes of errors; its band ends at edges of cells.

        Notes
        -----
        How many errors are up to an edge, less q times all, is a sum of noisy counts; below the
        edge or above it, whichever has less noise. An edge is an end of the band where that is
        2.12 standard deviations from 0. The estimate is interpolated in the logarithm.
        """
        cells, m = len(self._sizes), self._known
        upto, number = np.cumsum(self._sizes), np.arange(1, cells + 1)
        below = upto - q * m, number + q * q
        above = (1 - q) * m - (upto[-1] - upto), cells - number + (1 - q) ** 2
        fewer = below[1] <= above[1]
        more, noises = (np.where(fewer, a, b) for a, b in zip(below, above, strict=True))
        return self._at_edges(q, m, more, noises * self._cell)

    def _at_edges(self, q: float, m: float, more: Doubles, noise: Doubles) -> Band:
        """Return a quantile of m errors, of which so many ``more`` than q are up to each edge."""
        wide = self._wide * np.sqrt(noise + q * (1 - q) * m)
        more[-1], wide[-1] = (1 - q) * m, 0.0  # no error is beyond the last edge
        edges = np.append(0.0, self._edges)
        low = edges[np.flatnonzero(np.append(True, more < -wide)).max()]
        high = edges[1:][np.flatnonzero(more > wide).min()]
        low, high = min(low, high), max(low, high)  # noisy counts may say both
        rising = np.maximum.accumulate(np.append(-q * m, more))
        at = int(np.flatnonzero(rising[1:] >= 0).min())
        part = -rising[at] / max(rising[at + 1] - rising[at], 1e-9)
        first, last = edges[at], edges[at + 1]
        value = last * part if at == 0 else first * (last / first) ** part
        value = float(min(max(value, low), high))
        return Band(value, float(low), float(high), self.covers, self.beta)

    @property
    def groups(self) -> tuple[GroupErrors, ...]:
        """How large errors are in each public group, where it was asked for (``by``).

        Notes
        -----
        How many units a group has is secret: the sum of its noisy sizes. How many errors are up to
        an edge, less q times all, then has ``(1 - q)**2`` of the noise of each size up to the edge,
        and ``q**2`` of that of each beyond it. No theorem: coverage is tested.
        """
        released, units = self.sums.groups, self.sums.parts
        names = () if released is None else released.groups.names
        counts = () if released is None else released.counts
        return tuple(
            self._of_group(name, np.array(rows[0][:-1], dtype=np.float64) / units)
            for name, rows in zip(names, counts, strict=True)
        )

    def _of_group(self, name: str, sizes: Doubles) -> GroupErrors:
        m, cells, all_units = float(sizes.sum()), len(sizes), self._known
        value = min(max(m / all_units, 0.0), 1.0)
        noise = cells * self._one + (value**2) * self._cell
        wide = self._wide * math.sqrt(noise + all_units * max(value * (1 - value), 0.0)) / all_units
        low, high = max(0.0, value - wide), min(1.0, value + wide)
        share = Band(value, low, high, self.covers, self.beta)
        if m <= max(self._wide * math.sqrt(cells * self._one), 1.0):
            return GroupErrors(name, share)
        number, quantiles = np.arange(1, cells + 1), []
        for q in (0.5, 0.9):
            noises = (1 - q) ** 2 * number + q**2 * (cells - number)
            band = self._at_edges(q, m, np.cumsum(sizes) - q * m, noises * self._one)
            cut = np.searchsorted(self._edges, (band.low, band.high))
            quantiles.append(band if cut[1] - cut[0] <= _FEW_CELLS else None)
        return GroupErrors(name, share, *quantiles)

    @property
    def beyond(self) -> Band:
        """The share of units with a target whose error is beyond the reach of the sums."""
        far, m = self._sizes[self._place + 1 :], self._known
        share = min(max(float(far.sum()) / m, 0.0), 1.0)
        if not len(far):
            return Band(0.0, 0.0, 0.0, self.covers, self.beta)
        # at the noise's reach, no fewer may be there
        most = share + self._wide * math.sqrt(len(far) * self._cell) / m
        wide = self._wide * math.sqrt(len(far) * self._cell + m * most * (1 - min(most, 1.0))) / m
        return Band(share, max(share - wide, 0.0), min(share + wide, 1.0), self.covers, self.beta)

    def _tail(self, power: int) -> float:
        """Return the most that errors beyond the reach may add to a mean of powers of errors."""
        far, reach = self._sizes[self._place + 1 :], float(self.sums.reach)
        more = self._edges[self._place + 1 :] ** power - reach**power
        spread = math.sqrt(float(more**2 @ (self._cell + np.maximum(far, 0.0))))
        fewest = max(self._known - self._wide * math.sqrt(self._cell), 1.0)
        return (max(float(more @ far), 0.0) + self._wide * spread) / fewest

    # -- means -----------------------------------------------------------------------------------

    @property
    def mae(self) -> Band | Between:
        """The mean absolute error."""
        unit = float(self.sums.reach)
        return self._with_tail(self._mean("error", self._share("square"), unit), self._tail(1))

    @property
    def pinball(self) -> Band | Between:
        """The mean pinball loss."""
        share, unit = self._share("pinball"), float(self.sums.reach)
        return self._with_tail(self._mean("pinball", share, unit), self._tail(1))

    @property
    def rmse(self) -> Band | Between:
        """The root of the mean squared error.

        Notes
        -----
        A mean square is at least the square of the mean: its estimate and the lower end of its band
        are raised to those of the mean error, of another noisy sum. The estimate is then projected
        on the band, which brings it nearer to all that is in there.
        """
        unit = float(self.sums.reach) ** 2
        square = self._mean("square", self._fourth, unit, self._of_square)
        mean = self.mae
        low = max(square.low, mean.low**2 if isinstance(mean, Band) else 0.0)
        high = max(square.high, 0.0) + self._tail(2)
        low, high = math.sqrt(min(low, high)), math.sqrt(max(low, high))  # noise may say both
        high = max(min(high, self._edges[-1]), low)
        if not isinstance(mean, Band):
            return Between(low, high, self.covers, self.beta)
        value = max(mean.value, math.sqrt(max(square.value, 0.0)))
        return Band(min(max(value, low), high), low, high, self.covers, self.beta)

    @property
    def r2(self) -> Band | None:
        """The share of the variance that is explained; None where noise or the tail hides it.

        Notes
        -----
        The band is normal: the noise of the three sums, and the sampling of ``e**2 - (1 - R2) (y -
        mean)**2`` for predictions and errors that are not correlated, with the fourth moment of
        errors by their sizes, and predictions with that of a normal law.
        """
        m, scale = self._known, (float(self.sums.far) / float(self.sums.reach)) ** 2
        missed = max(self._share("square"), self._share("error") ** 2) / scale
        off, square = self._share("value"), self._share("value squared")
        spread = square - off**2
        # derivatives: of the mean's square (a mean is four times a sum), and by the units
        of_spread = self._noise * (1 + 64 * off**2)
        if spread <= self._wide * math.sqrt(of_spread) / m:
            return None
        left = missed / spread
        noise = self._of_square / scale**2 + left**2 * of_spread
        noise += self._cell * (left * off**2) ** 2
        heavy = max(self._fourth / max(self._share("square"), 1e-9) ** 2, 3.0)
        r2 = min(abs(1 - left), 1.0)
        sampled = (r2 * left) ** 2 * (heavy + 1) + 4 * r2 * left**3 * heavy / 3
        wide = self._wide * math.sqrt(noise / (m * spread) ** 2 + sampled / m)
        value = 1 - left
        return Band(value, value - wide, min(value + wide, 1.0), self.covers, self.beta)

    @property
    def deviance(self) -> Band:
        """The mean of Poisson's deviance, each up to D."""
        return self._mean("deviance", self._share("deviance"), float(self.sums.far))

    @property
    def deviance_explained(self) -> Band | None:
        """How much of the deviance of the start is gone, each up to D."""
        return self._explained("deviance")

    @property
    def pinball_explained(self) -> Band | None:
        """How much of the pinball loss of the start is gone, each up to C."""
        return self._explained("pinball")

    @property
    def coverage(self) -> Band:
        """The share of values that are at most the predicted quantile."""
        band = self._mean("covered", self._share("covered"), 1.0)
        return Band(band.value, band.low, min(band.high, 1.0), self.covers, self.beta)

    @cached_property
    def _fourth(self) -> float:
        """The mean fourth power of errors up to the reach, in shares of it, by their sizes."""
        ends = np.append(0.0, self._edges[: self._place + 1]) / float(self.sums.reach)
        high, low = ends[1:] ** 4, ends[:-1] ** 4
        wide = np.log(high / np.where(low > 0, low, high / math.e))
        middle = np.where(low > 0, (high - low) / wide, high / 5)
        seen = np.maximum(self._sizes[: self._place + 1], 0.0)
        beyond = max(float(self._sizes[self._place + 1 :].sum()), 0.0)
        found = (float(seen @ middle) + beyond) / self._known
        return max(min(found, 1.0), self._share("square") ** 2)

    def _with_tail(self, mean: Band, tail: float) -> Band | Between:
        high = max(min(mean.high + tail, self._edges[-1]), mean.value)  # no error is larger
        if tail > (_HEAVY - 1) * mean.value:
            return Between(mean.low, high, self.covers, self.beta)
        return Band(mean.value, mean.low, high, self.covers, self.beta)

    def _mean(self, name: str, second: float, unit: float, noise: float | None = None) -> Band:
        """Return a mean of shares of ``unit``, whose squares have the mean ``second``."""
        share, m = self._share(name), self._known
        off = self._noise if noise is None else noise
        off += self._cell * share**2 + m * max(second - share**2, 0.0)
        wide = self._wide * math.sqrt(off) / m
        low = max(share - wide, 0.0)
        return Band(share * unit, low * unit, (share + wide) * unit, self.covers, self.beta)

    def _explained(self, name: str) -> Band | None:
        own, start, m = self._share(name), self._share(f"{name} of the start"), self._known
        if start <= self._wide * math.sqrt(self._noise) / m:
            return None
        ratio = own / start
        # of (own - ratio start)**2 no more is known than that both are in 0 .. 1
        sampled = m * max(own + ratio**2 * start, 0.0)
        wide = self._wide * math.sqrt(self._noise * (1 + ratio**2) + sampled) / (m * start)
        value = 1 - ratio
        return Band(value, value - wide, min(value + wide, 1.0), self.covers, self.beta)

    def _share(self, name: str) -> float:
        sums, names = self.sums, KINDS[self.sums.kind]
        if name == "square" and "curve" in names:
            return self._share("error") - self._share("curve") / 1.5  # noise may say less than 0
        if name not in names:
            raise UnsupportedError(
                f"An evaluation of a {sums.kind} reports {', '.join(_MEASURES[sums.kind])}."
            )
        total = sums.sums[names.index(name)] / (sums.resolution * sums.parts)
        if name == "value":
            total = 4 * (total - sums.n * below_zero(sums.resolution) / sums.resolution)
            return min(max(total / self._known, -1.0), 1.0)
        return min(total / self._known, 1.0)


# -- What was observed where which number was predicted: a noisy two-way histogram.
#
# Units are counted by the bin of their prediction F and by that of their error y - F. A replaced
# unit moves counts by two altogether, so noise of rate ``epsilon / 2`` in each is epsilon-DP
# (claim ``score-histogram``). All edges are functions of the released model and of public
# numbers. Errors, not targets: then what is observed is as exact as errors are, however wide a
# bin of predictions is.


#: The quantiles of what is observed.
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
_SHARE, _LEAST = Fraction(1, 4), 2_000
_DEVIATIONS = 6.0  # of the noise of a bin: with fewer units it is joined to the next one


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
class PredictedBin(Plain):
    """Units whose predictions are in one bin, and what was observed of them, by noisy counts."""

    #: The ends of the bin. The first and the last one are open, and end where they are drawn to.
    low: float
    high: float
    predicted: float  # the middle, by the noisy counts of finer bins
    observed: Band  # the mean of the target, estimated as ``predicted`` plus the mean error
    quantiles: tuple[float, ...]  # of the target: those of `QUANTILES`
    below: Band  # share of targets that are at most their prediction
    units: float  # noisy number


@dataclass(frozen=True)
class ErrorCells(Wire):
    """Released counts of units by bin of prediction (rows) and of error (columns)."""

    counts: tuple[tuple[int, ...], ...]  # noisy, perhaps negative; in parts of a unit
    edges: tuple[float, ...]  # of predictions: a bin begins with its edge
    errors: tuple[float, ...]  # edges of errors: a bin ends with its edge
    limits: tuple[float, float]  # the public range of the target
    parts: int = 1  # of a unit

    _UNREADABLE = "Counts by prediction must have the entries of `ErrorCells.to_dict`."

    def _fits(self) -> bool:
        rising = (self.edges, self.errors, self.limits)
        return (
            all(a <= b for each in rising for a, b in pairwise(each))
            and {len(row) for row in self.counts} == {len(self.errors) + 1}
            and len(self.errors) > 1
            and len(self.counts) == len(self.edges) + 1 > 1
            and all(map(math.isfinite, (*self.edges, *self.errors, *self.limits)))
            and self.parts > 0
        )

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
            for first, last in joined(counts.sum(axis=1), noise * counts.shape[1], _DEVIATIONS)
        )

    def _bin(
        self, first: int, counts: Doubles, noise: float, beta: float, *, new: bool, whole: bool
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
class PeriodEvents(Plain):
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
        return self.concordance.hidden

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
        found = {"concordance": self.concordance, "calibration": self.calibration}
        return cast(Json, plain(found))
