"""What a released histogram of scores says: accuracy, ROC, calibration, with bands.

Everything here is computed from public numbers, so it costs nothing. Every estimate is linear in
the noisy counts, or bilinear in those of two labels, whose noises are independent: so it is
unbiased for the records' own value (a ratio, up to the noise of its denominator).

Bands are for the noise and for the sampling of the records. Each `Band` says what it covers. *new
records*: the value on the distribution that the records come from; only a held-out part can say
that. *own records*: the same width, but around what is true of records of the fit, which a
hypothesis fits better than others. *noise*: a number of these records, from the noise alone.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from importlib import import_module
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from littlestone.bounds.tails import lower_limit, upper_limit
from littlestone.costs import Costs
from littlestone.data.groups import Groups
from littlestone.errors import (
    ParameterError,
    UnsupportedError,
    check_fraction,
    check_integer,
    check_probability,
)
from littlestone.mechanisms.estimate import truncated
from littlestone.notebooks import Card
from littlestone.privacy import Neighbours, Pure
from littlestone.privacy.guarantee import NOT_PRIVATE
from littlestone.safe_io import read_exact
from littlestone.source import Source
from littlestone.types import Json

# -- The histogram of scores by label, released with two-sided geometric noise in every cell.
#
# The cells are public: every label with every score that any record could have, also where no
# record has it. Replacing one record takes 1 from one cell and adds 1 to another (L1 distance 2);
# adding or removing one moves one cell by 1.
#
# *Proof.* With L1 sensitivity D and independent noises of law ``Pr[z] ~ e**(-r |z|)``,
# ``r = epsilon / D``, the probability of any histogram changes by at most ``e**(r D)``, by the
# triangle inequality in the exponent. Limiting each noisy count to [-n, 2n] is post-processing.
#   []
#
# The true counts are secret; the released ones, and everything in `measures`, are public.
#
# Margins of sums of trees are merged into few cells before they are counted: the noise of what
# follows grows with their number, and what a cell hides of an order the released probabilities
# mend.


Counts = npt.NDArray[np.int64]

HISTOGRAM = "score-histogram"
_CELLS, _CELLS_OF_RARE, _RARE = 8, 12, 0.08
_MOST_CELLS = 1_000_000
_MOST = 10**18
_FINEST = 1e-9  # smaller tails than this are bounded, not computed
_LONGEST = 2.0**22


@dataclass(frozen=True)
class ScoreHistogram:
    """A released histogram of scores by label."""

    scores: tuple[int, ...]  # public, increasing
    counts: tuple[tuple[int, ...], ...]  # a row for each label: noisy, perhaps negative
    n: int  # of records that were counted: public under replace-one, else a public bound
    epsilon: Fraction  # what it cost
    rate: Fraction  # of its noise: Pr[z] ~ e**(-rate |z|) in each cell
    held_out: bool = False  # whether the hypothesis was learned from other records
    unlisted: bool = False  # whether the last row counts cells outside a list of labels
    groups: Grouped | None = None  # the counts that were released, whose sums ``counts`` are

    @property
    def labels(self) -> int:
        """Number of labels that can be answered."""
        return len(self.counts) - self.unlisted

    @property
    def size(self) -> float:
        """What rules of thumb go by: n epsilon."""
        return float(self.epsilon) * self.n

    @property
    def noises(self) -> int:
        """How many independent noises each count has: one, or that of each group."""
        return 1 if self.groups is None else len(self.groups.counts)

    @property
    def noise(self) -> float:
        """The variance of the noise of a count."""
        return self.noises * variance(float(self.rate))

    def reach(self, cells: int, beta: float) -> float:
        """Return what the noise of so many cells together exceeds with probability at most beta."""
        return noise_reach(self.rate, cells * self.noises, beta)

    @property
    def of_groups(self) -> tuple[ScoreHistogram, ...]:
        """The histogram of each group; ``n`` stays that of all records, as a group's is secret."""
        each = () if self.groups is None else self.groups.counts
        return tuple(replace(self, counts=counts, groups=None) for counts in each)

    @property
    def array(self) -> npt.NDArray[np.float64]:
        """The counts, of shape (labels, scores); one row more where some are unlisted."""
        return np.array(self.counts, dtype=np.float64)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        more: Json = {"unlisted": True} if self.unlisted else {}
        if self.groups is not None:
            more["groups"] = self.groups.to_dict()
        return more | {
            "scores": list(self.scores),
            "counts": [list(row) for row in self.counts],
            "n": self.n,
            "epsilon": str(self.epsilon),
            "rate": str(self.rate),
            "held_out": self.held_out,
        }

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; it may be untrusted."""
        try:
            scores = tuple(_integer(score) for score in _list(data["scores"]))
            counts = tuple(
                tuple(_integer(count) for count in _list(row)) for row in _list(data["counts"])
            )
            epsilon, rate = (read_exact(data[name]) for name in ("epsilon", "rate"))
            n, held_out = _integer(data["n"]), data["held_out"]
            unlisted = data.get("unlisted", False)
            increasing = all(a < b for a, b in pairwise(scores))
            fits = len(counts) >= 2 + bool(unlisted) and all(
                len(row) == len(scores) for row in counts
            )
            positive = epsilon > 0 and rate > 0 and n >= 0 and isinstance(held_out, bool)
            positive = positive and isinstance(unlisted, bool)
            groups = Grouped.from_dict(data["groups"]) if "groups" in data else None
            fits = fits and (groups is None or groups.total == counts)
            if not (scores and increasing and fits and positive):
                raise ValueError
        except (KeyError, TypeError, ValueError, AttributeError, ParameterError):
            raise ParameterError(
                "An evaluation must have the entries that `ScoreHistogram.to_dict` writes."
            ) from None
        return cls(scores, counts, n, epsilon, rate, held_out, unlisted, groups)


@dataclass(frozen=True)
class Grouped:
    """Released counts of public groups: of each a row for each label, as in a `ScoreHistogram`."""

    groups: Groups
    counts: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def total(self) -> tuple[tuple[int, ...], ...]:
        """The counts of all groups together."""
        return tuple(
            tuple(map(sum, zip(*rows, strict=True))) for rows in zip(*self.counts, strict=True)
        )

    def to_dict(self) -> Json:
        """Return plain JSON."""
        counts = [[list(row) for row in own] for own in self.counts]
        return {"columns": self.groups.to_list(), "counts": counts}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; it may be untrusted."""
        groups = Groups.from_list(data["columns"])
        counts = tuple(
            tuple(tuple(map(_integer, _list(row))) for row in _list(own))
            for own in _list(data["counts"])
        )
        if len(data) != 2 or len(counts) != groups.size + 1:
            raise ValueError
        return cls(groups, counts)


def histogram_rate(
    epsilon: Any, *, neighbours: Neighbours = Neighbours.REPLACE_ONE, records: int = 1
) -> Fraction:
    """Return the rate of the noise that costs ``epsilon``; a neighbour changes ``records`` counts.

    Examples
    --------
    >>> histogram_rate(1), histogram_rate(1, neighbours=Neighbours.ADD_REMOVE)
    (Fraction(1, 2), Fraction(1, 1))
    """
    exact: Fraction = check_fraction("evaluate", "epsilon", epsilon)
    cells = 1 if neighbours is Neighbours.ADD_REMOVE else 2
    return exact / (cells * check_integer("evaluate", "records", records, low=1))


def merged_scores(scores: range, share: float) -> tuple[int, ...]:
    """Return the last score of each cell: at most 8 cells of equal width, one ends with 0.

    12 where the released share of label 1, or of label 0, is below .08. Cells at the ends may be
    narrower.

    Examples
    --------
    >>> merged_scores(range(-19, 14, 2), 0.3), merged_scores(range(-3, 4, 2), 0.3)
    ((-19, -13, -7, -1, 5, 11, 13), (-3, -1, 1, 3))
    """
    most = _CELLS if min(share, 1 - share) >= _RARE else _CELLS_OF_RARE
    below, above = sum(score <= 0 for score in scores), sum(score > 0 for score in scores)
    wide = max(1, -(-len(scores) // most))
    while -(-below // wide) - (-above // wide) > most:
        wide += 1
    ends = {*range(below - 1, -1, -wide), *range(below + wide - 1, len(scores), wide)}
    return tuple(scores[end] for end in sorted({*ends, len(scores) - 1}))


def histogram_loss(epsilon: Any) -> Pure:
    """Return what `release_histogram` promises: the item for `littlestone.privacy.compose`."""
    return Pure(check_fraction("evaluate", "epsilon", epsilon))


def release_histogram(
    scores: Sequence[int],
    counts: npt.ArrayLike,
    *,
    n: int,
    epsilon: Any,
    source: Source,
    neighbours: Neighbours = Neighbours.REPLACE_ONE,
    records: int = 1,
    held_out: bool = False,
    unlisted: bool = False,
    groups: Groups | None = None,
) -> ScoreHistogram:
    """Release how many records have each score and label.

    ``scores`` are all that a record could have, increasing (public); ``counts`` has the shape
    (labels, scores), and is private; n is public, or a public bound. With public ``groups``, of
    which each record is in one, the shape is (groups, labels, scores): one histogram of more
    cells, for the same epsilon.

    Guarantee
    ---------
    Pure epsilon-DP for every input (claim ``score-histogram``; proof at the top of the module).

    Notes
    -----
    Cost: at most ``3 + log2(n)`` coins for each cell.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> released = release_histogram(
    ...     [-1, 1], [[40, 9], [7, 44]], n=100, epsilon=2, source=SeededSource(1))
    >>> len(released.counts), released.rate
    (2, Fraction(1, 1))
    """
    array = np.asarray(counts)
    n = check_integer("evaluate", "n", n, low=0)
    fits = array.ndim == 2 if groups is None else array.shape[:-2] == (groups.size + 1,)
    if not fits or array.shape[-1] != len(scores) or array.dtype.kind not in "iu":
        raise ValueError("counts must be integers of shape (labels, scores), for each group.")
    rate = histogram_rate(epsilon, neighbours=neighbours, records=records)
    reach = max(2 * n, 1)  # beyond it, only the limits matter
    noisy = tuple(
        tuple(min(max(count + truncated(rate, reach, source), -n), 2 * n) for count in row)
        for row in array.reshape(-1, len(scores)).tolist()
    )
    exact, grouped = check_fraction("evaluate", "epsilon", epsilon), None
    if groups is not None:
        rows = array.shape[1]
        each = tuple(noisy[i : i + rows] for i in range(0, len(noisy), rows))
        grouped = Grouped(groups, each)
        noisy = grouped.total
    return ScoreHistogram(
        tuple(map(int, scores)), noisy, n, exact, rate, held_out, unlisted, grouped
    )


@lru_cache(maxsize=1024)
def noise_reach(rate: Fraction, cells: int, beta: float) -> float:
    """Return a with ``Pr[|sum of the noises of all cells| > a] <= beta``.

    Notes
    -----
    The law of the sum is the inverse Fourier transform of ``((1 - p)**2 / |1 - p e**(i t)|**2)**m``
    for m cells, p = e**-rate; on a circle four times as long as the tail bound of Chernoff, with
    1e-12 for rounding. Where that would be too fine or too long, the tail bound itself is taken:
    ``2 M(s)**m e**(-s a)`` for the best s < rate of a grid,
    ``M(s) = (1 - p)**2 / ((1 - p e**s) (1 - p e**-s))``.

    Examples
    --------
    >>> noise_reach(Fraction(1, 2), 1, 0.05), noise_reach(Fraction(1, 2), 100, 0.05)
    (6.0, 55.0)
    """
    r = float(rate)
    s = r * np.linspace(0.002, 0.998, 499)
    # ln M, written so that nothing cancels: 1 - p e**s = -expm1(s - r)
    log_m = 2 * np.log(-np.expm1(-r)) - np.log(-np.expm1(s - r)) - np.log(-np.expm1(-s - r))
    far = float(np.min((cells * log_m + np.log(2 / beta)) / s) * (1 + 1e-9))
    if beta < _FINEST or far > _LONGEST:
        return far
    size = 1 << (8 + 4 * int(far)).bit_length()
    angle = 2 * np.pi * np.arange(size // 2 + 1) / size
    # |1 - p e**(it)|**2 = (1 - p)**2 + 4 p sin(t/2)**2
    ratio = 4 * np.exp(-r) * np.sin(angle / 2) ** 2 / np.expm1(-r) ** 2
    law = np.fft.irfft((1 + ratio) ** -float(cells), size)
    inside = law[0] + 2 * np.cumsum(law[1 : size // 2])  # Pr[|sum| <= 1], <= 2, ...
    return float(np.argmax(np.append(inside, 2.0) >= 1 - beta + 1e-12) + 1)


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _MOST:
        raise TypeError
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > _MOST_CELLS:
        raise TypeError
    return value


Floats = npt.NDArray[np.float64]
_BETA = 0.05
#: Recalibration: one over the variance of what is believed before, and its steps.
_PRIOR, _NEWTON, _BENDS = 100.0, 30, (-3.0, -1.5, 0.0, 1.5, 3.0)


@dataclass(frozen=True)
class Band:
    """An estimate with an interval."""

    value: float
    low: float
    high: float
    covers: str  # "new records", "own records" or "noise" (see the module)
    beta: float

    @property
    def half_width(self) -> float:
        """The larger distance from the value to an end of the interval."""
        return max(self.high - self.value, self.value - self.low)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return dict(vars(self))


def four(value: float) -> str:
    """Return a number with four digits, or all before the point.

    Examples
    --------
    >>> four(0.12345), four(12345.6)
    ('0.1235', '12,346')
    """
    text = f"{value:,.0f}" if 1000 <= abs(value) < 10**12 else f"{value:.4g}"
    return text.replace("inf", "∞")


def in_words(figure: Any) -> str:
    """Return a figure as text: a `Band`, a `Between` without a value, a number, or None."""
    if figure is None:
        return HIDDEN
    if not hasattr(figure, "low"):
        return four(figure)
    if not hasattr(figure, "value"):
        return f"at least {four(figure.low)}; at most {four(figure.high)} (at 95%)"
    return f"{four(figure.value)} ({four(figure.low)} to {four(figure.high)} at 95%)"


HIDDEN = "hidden by noise"
_SHOWN = 12  # figures that are printed


class Figures(ABC):
    """An evaluation as it is shown: a short table, which says so if it was drawn with a seed."""

    seeded = False

    @property
    @abstractmethod
    def figures(self) -> dict[str, Any]:
        """Each figure by its name: a band, or a number; None where hidden by noise."""

    def summary(self) -> str:
        """Return the figures as a few lines of text."""
        title = type(self).__name__ + f": {NOT_PRIVATE}" * self.seeded
        lines = [(name, in_words(figure)) for name, figure in self.figures.items()]
        further = [("", "more in to_frame()")] * (len(lines) > _SHOWN)
        return Card(title, lines[:_SHOWN] + further).text()

    def __repr__(self) -> str:
        return self.summary()

    def to_frame(self) -> Any:
        """Return the figures as a pandas data frame: value, and its band."""
        rows = [
            (name, getattr(figure, "value", None), figure.low, figure.high)
            if hasattr(figure, "low") else (name, figure, None, None)
            for name, figure in self.figures.items()
        ]  # fmt: skip
        return import_module("pandas").DataFrame(rows, columns=["figure", "value", "low", "high"])


@dataclass(frozen=True)
class CalibrationBin:
    """Neighbouring scores: what was predicted, and how often label 1 was found."""

    low: int  # score
    high: int
    predicted: float  # mean probability, by the noisy counts
    found: Band  # share of label 1
    records: float  # noisy number
    variance: float  # of the share, over noise and sampling


class Evaluation(Figures):
    """What one released histogram says.

    Examples
    --------
    >>> from fractions import Fraction
    >>> counts = ((400, 300, 50), (20, 80, 150))
    >>> evaluation = Evaluation(
    ...     ScoreHistogram((-1, 0, 1), counts, 1000, Fraction(1), Fraction(1, 2)))
    >>> round(evaluation.accuracy(0).value, 3), round(evaluation.auroc().value, 3)
    (0.85, 0.836)
    >>> evaluation.confusion(0)
    ((700.0, 50.0), (100.0, 150.0))
    """

    def __init__(
        self,
        histogram: ScoreHistogram,
        scores: Sequence[int] | None = None,
        probabilities: Sequence[float] | Floats | None = None,
    ) -> None:
        self.histogram = histogram
        self._counts = histogram.array
        self._n = max(histogram.n, 1)
        # a cell ends with its score in the histogram; these are all scores that it was merged from
        self._scores = np.array(histogram.scores if scores is None else scores)
        self._cell = np.searchsorted(histogram.scores, self._scores)
        self._chances = None if probabilities is None else np.asarray(probabilities)

    @property
    def figures(self) -> dict[str, Any]:
        """The accuracy; of two labels what depends on their scores."""
        if self.histogram.labels != 2:
            return {"accuracy": self.share_right(self.histogram.scores)}
        found = {"accuracy": self.accuracy(), "balanced accuracy": self.balanced_accuracy()}
        return found | {"AUROC": self.auroc()}

    # -- any number of labels ----------------------------------------------------------------------

    @property
    def covers(self) -> str:
        """What bands are about."""
        return "new records" if self.histogram.held_out else "own records"

    def share_right(self, answers: Sequence[int], *, beta: float = _BETA) -> Band:
        """Return the accuracy of answering one label for each score.

        Notes
        -----
        Right and wrong ones sum to the public n, so half of the difference of the noisy sums is
        an estimate with less noise than either; its noise is half that of all cells together. The
        reach of the noise and that of the sampling (by the largest variance that the noise leaves)
        are added in squares.
        """
        beta = float(check_probability("evaluate", "beta", beta))
        value = min(1.0, max(0.0, self._raw_share(answers)))
        reach = self._reach(self._counts.size, beta) / 2 / self._n
        middle = min(max(0.5, value - reach), value + reach)
        wide = math.hypot(reach, deviations(beta) * math.sqrt(middle * (1 - middle) / self._n))
        return Band(value, max(0.0, value - wide), min(1.0, value + wide), self.covers, beta)

    def mean_cost(self, answers: Sequence[int], costs: Costs, *, beta: float = _BETA) -> Band:
        """Return the mean cost of a record when one label is answered for each score.

        Notes
        -----
        Cells of one cost are summed before their noise is bounded; the sums of different costs
        share beta, and their bounds add up.
        """
        beta = float(check_probability("evaluate", "beta", beta))
        table = costs.table if self.histogram.unlisted else costs.array
        price = table[:, np.asarray(answers)]  # of each cell
        levels = [int(cost) for cost in np.unique(price) if cost]
        value = float((price * self._counts).sum())
        reach = sum(
            cost * self._reach(int((price == cost).sum()), beta / len(levels)) for cost in levels
        )
        unit, value = float(costs.unit) / self._n, max(0.0, value)
        square = max(float((price**2 * self._counts).sum()), value * max(levels, default=0))
        spread = max(square - value**2 / self._n, 0.0)
        wide = math.hypot(reach, deviations(beta) * math.sqrt(spread))
        low, high = max(0.0, value - wide), value + wide
        return Band(value * unit, low * unit, high * unit, self.covers, beta)

    def confusion_matrix(
        self, answers: Sequence[int], *, adding_up: bool = False
    ) -> tuple[tuple[float, ...], ...]:
        """Return the noisy number of records by label (rows) and answer (columns).

        The last row is one of cells outside the list of labels, where there is one. ``adding_up``:
        what the cells lack of n is spread, half of it over the right ones, half over the wrong, so
        that the share of the right ones is the estimate of `share_right`.
        """
        labels, given = self.histogram.labels, np.asarray(answers)
        counts = np.array([self._counts[:, given == one].sum(axis=1) for one in range(labels)]).T
        if adding_up:
            right, lacking = np.eye(*counts.shape), self._n - counts.sum()
            wrong = 1 - right
            counts = counts + (right / right.sum() + wrong / wrong.sum()) * lacking / 2
        return tuple(tuple(map(float, row)) for row in counts)

    def error_certificate(self, answers: Sequence[int], beta: Any, *, cuts: int = 1) -> float:
        """Return e such that the error on new records is at most e with probability 1 - beta.

        Notes
        -----
        With probability 1 - beta/2 the number of mistakes among the n held-out records is at most
        the noisy one plus the noise's reach; with probability 1 - beta/2 the upper limit of
        Clopper and Pearson of that number holds the error. Both limits are monotone.
        """
        if not self.histogram.held_out:
            raise UnsupportedError(
                "The error on new records can be certified only from held-out records: evaluate "
                "with holdout=0.2 (--holdout 0.2), and with columns that were not learned from "
                "them."
            )
        risk = float(check_probability("evaluate", "beta", beta)) / 2 / cuts
        value = 1 - self._raw_share(answers)
        reach = self._reach(self._counts.size, risk) / 2
        mistakes = min(self._n, max(0, math.ceil(value * self._n + reach)))
        return min(1.0, float(upper_limit(mistakes, self._n, risk)) + 1e-12)

    def shares(self) -> Floats:
        """Return the share of each label (rows) at each score, smoothed: never 0 or 1.

        Noisy counts below 0 count as 0; each label of each score gets one record more. Cells
        outside the list of labels count for none.
        """
        counts = np.maximum(self._counts[: self.histogram.labels], 0) + 1
        return np.asarray(counts / counts.sum(axis=0))

    def _raw_share(self, answers: Sequence[int]) -> float:
        right = self._right(answers)
        return float(self._n + 2 * right - self._counts.sum()) / 2 / self._n

    def _right(self, answers: Sequence[int]) -> float:
        if len(answers) != len(self.histogram.scores):
            raise ParameterError("There must be one label for each score of the histogram.")
        return float(self._counts[np.asarray(answers), np.arange(len(answers))].sum())

    def _reach(self, cells: int, beta: float) -> float:
        return self.histogram.reach(cells, beta)

    def groups(self, answers: Sequence[int], *, beta: float = _BETA) -> tuple[GroupFigures, ...]:
        """Return what is said of each public group, where one label is answered for each score.

        Notes
        -----
        How many records a group has is secret, so its shares are ratios of noisy sums: their bands
        are those of `calibration`. That of AUROC is wider by all that probabilities say of scores
        in one cell, which a group may share in another way. That of the difference of the
        observed and the predicted share is 2.12 standard deviations (at 95 %) of noise and
        sampling, and a quarter of what scores of one cell differ in their probability, as it is
        not known how the records of a group share them. No theorem: coverage is tested.
        """
        beta = float(check_probability("evaluate", "beta", beta))
        released = self.histogram.groups
        names = () if released is None else released.groups.names
        return tuple(
            Evaluation(own, self._scores.tolist(), self._chances)._of_group(name, answers, beta)
            for name, own in zip(names, self.histogram.of_groups, strict=True)
        )

    def _of_group(self, name: str, answers: Sequence[int], beta: float) -> GroupFigures:
        counts, n, width = self._counts, self._n, len(answers)
        total, reach = float(counts.sum()), self._reach(counts.size, beta) / n
        value = min(max(total / n, 0.0), 1.0)
        middle = min(max(0.5, value - reach), value + reach)
        off = math.hypot(reach, deviations(beta) * math.sqrt(middle * (1 - middle) / n))
        share = Band(value, max(0.0, value - off), min(1.0, value + off), self.covers, beta)
        if total <= max(deviations(beta) * math.sqrt(counts.size * self.histogram.noise), 1.0):
            return GroupFigures(name, share)
        wrong, others = total - self._right(answers), counts.size - width
        error, _ = self._share_among(wrong, total, others, width, beta)
        if self.histogram.labels != 2:
            return GroupFigures(name, share, _narrow(error))
        above = np.asarray(answers) == 1
        cells = 2 * int(above.sum())
        ones = float(counts[:, above].sum())
        positive, _ = self._share_among(ones, total, cells, counts.size - cells, beta)
        found = GroupFigures(name, share, _narrow(error), positive=_narrow(positive))
        if self._chances is None:
            return found
        away = self._observed_less_predicted(total, beta)
        return replace(
            found, auroc=_narrow(self.auroc(beta=beta, unsure=1.0)), calibration=_narrow(away)
        )

    def _observed_less_predicted(self, total: float, beta: float) -> Band:
        """Return the share of label 1 less the mean predicted one, of a noisy number of records."""
        assert self._chances is not None
        chances, counts = self._chances, self._counts
        mean = np.bincount(self._cell, chances * self._within(None)[0])
        starts = np.flatnonzero(np.diff(self._cell, prepend=-1))
        wide = np.maximum.reduceat(chances, starts) - np.minimum.reduceat(chances, starts)
        away = float((counts * [-mean, 1 - mean]).sum()) / total
        # ones less predicted ones, less so much of each record, is linear in the cells
        square = np.array([-mean - away, 1 - mean - away]) ** 2
        spread = float(((self.histogram.noise + np.maximum(counts, 0)) * square).sum()) / total**2
        hidden = float(np.maximum(counts.sum(axis=0), 0) @ wide) / total / 4
        off = math.hypot(deviations(beta) * math.sqrt(spread), hidden)
        low, high = max(-1.0, away - off), min(1.0, away + off)
        return Band(min(max(away, -1.0), 1.0), low, high, self.covers, beta)

    # -- two labels ------------------------------------------------------------------------------

    @property
    def cuts(self) -> tuple[int, ...]:
        """The cuts at scores: label 1 is answered above the cut (from none to all records)."""
        scores = self.histogram.scores
        return (scores[0] - 1, *scores)

    def answers(self, cut: int = 0) -> list[int]:
        """Return the answer for each score: 1 above the cut."""
        self._binary()
        return [int(score > cut) for score in self.histogram.scores]

    def accuracy(self, cut: int = 0, *, beta: float = _BETA) -> Band:
        """Return the accuracy of answering 1 where the score is above the cut."""
        return self.share_right(self.answers(cut), beta=beta)

    def confusion(self, cut: int = 0) -> tuple[tuple[float, ...], ...]:
        """Return noisy counts: label 0 answered 0 and 1, then label 1 answered 0 and 1."""
        return self.confusion_matrix(self.answers(cut))

    def balanced_accuracy(self, cut: int = 0) -> float:
        """Return the mean of the shares of label 0 and of label 1 that are answered rightly."""
        return balanced_accuracy(self.confusion(cut))

    def certificate(self, beta: Any, cut: int | None = None) -> float:
        """Return e: the error on new records is at most e, except with probability beta."""
        return self.error_certificate(self.answers(0 if cut is None else cut), beta)

    def best_cut(self) -> int:
        """Return a cut of the highest accuracy, by the noisy counts."""
        return max(self.cuts, key=lambda cut: self._raw_share(self.answers(cut)))

    @cached_property
    def _seen(self) -> tuple[Floats, slice]:
        """The counts of two labels, 0 outside the first and last cell that the noise leaves seen.

        A cell is seen with more than two deviations of the noise of its two counts.
        """
        self._binary()
        noise = math.sqrt(2 * self.histogram.noise)
        seen = np.flatnonzero(self._counts.sum(axis=0) > 2 * noise)
        cells = slice(seen[0], seen[-1] + 1) if len(seen) else slice(0, self._counts.shape[1])
        counts = np.zeros_like(self._counts)
        counts[:, cells] = self._counts[:, cells]
        return counts, cells

    def _within(self, chances: Floats | None) -> tuple[Floats, Floats, Floats]:
        """Return how records of each cell, its zeros and its ones share the scores in it.

        Records are taken to be equally many at each score, and labels as the probabilities say.
        """
        even = 1 / np.bincount(self._cell)[self._cell]
        if chances is None:
            return even, even, even
        zeros, ones = ((1 - chances) + 1e-12, chances + 1e-12)
        zeros, ones = (own / np.bincount(self._cell, own)[self._cell] for own in (zeros, ones))
        return even, zeros, ones

    def roc(self) -> tuple[tuple[float, float], ...]:
        """Return the ROC curve: (share of label 0, share of label 1) above each cut, rising."""
        (counts, _), (_, *shared) = self._seen, self._within(self._chances)
        shares = []
        for row, own in zip(counts, shared, strict=True):
            above = np.concatenate([[0.0], np.cumsum((row[self._cell] * own)[::-1])])
            rising = np.maximum.accumulate(np.clip(above / max(above[-1], 1.0), 0.0, 1.0))
            shares.append(np.append(rising[:-1], 1.0).tolist())
        return tuple(zip(*shares, strict=True))

    def roc_band(
        self, *, beta: float = _BETA
    ) -> tuple[tuple[tuple[float, float], ...], tuple[tuple[float, float], ...]]:
        """Return the ends of the band of `roc`, above and below it: at each cut both shares.

        Each share is within its end except with probability ``beta / 2``, over noise and sampling,
        whose variances add up (of the sampling with two records more on each side): approximate.
        """
        wide = deviations(float(check_probability("evaluate", "beta", beta)) / 2)
        counts, cells = self._seen
        number, sides = cells.stop - cells.start, []
        above = np.append(0, np.clip(cells.stop - self._cell[::-1], 0, number))  # cells of noise
        for total, share in zip(counts.sum(axis=1), np.array(self.roc()).T, strict=True):
            n = max(float(total), 1.0)
            noise = above * (1 - share) ** 2 + (number - above) * share**2
            noise = noise * self.histogram.noise
            near = (n * share + 2) / (n + 4)
            far = wide * np.sqrt(noise / n**2 + near * (1 - near) / (n + 4))
            sides.append((np.clip(share - far, 0, 1), np.clip(share + far, 0, 1)))
        (left, right), (low, high) = sides
        upper = zip(left.tolist(), high.tolist(), strict=True)
        return tuple(upper), tuple(zip(right.tolist(), low.tolist(), strict=True))

    def auroc(self, *, beta: float = _BETA, unsure: float = 1 / 3) -> Band | None:
        """Return the area under the ROC curve; None where noise hides a label, or all of it.

        ``unsure``: the share of what probabilities say of scores in one cell that may be wrong.

        Notes
        -----
        Ties in a cell of merged scores count as the released probabilities say of these scores,
        others one half. The number of concordant pairs is bilinear in the counts of label 0 and of
        label 1. Its noise has the variance ``v (|a|**2 + |b|**2) + v**2 |k|**2`` (v: of one cell;
        a, b: the other label's share below and above each score, centred; k: one half, 1 or 0 for
        each pair of scores), estimated with noisy shares. Added is that of the sampling (DeLong,
        DeLong, Clarke-Pearson 1988). The band is wide enough at 95 % for a normal and for a Laplace
        law (2.12 standard deviations), between which weighted sums of two-sided geometric noises
        lie: approximate, and its coverage is tested (``experiments/evaluations.py``, by which a
        third of what probabilities add to ties is left open).
        """
        beta = float(check_probability("evaluate", "beta", beta))
        (counts, cells), (_, q0, q1) = self._seen, self._within(self._chances)
        number, v = cells.stop - cells.start, self.histogram.noise
        wide = deviations(beta)
        totals = counts.sum(axis=1)
        if totals.min() <= max(wide * math.sqrt(number * v), 1.0):
            return None
        # the share of the zeros of a cell that are below its ones
        ties = np.bincount(self._cell, q1 * (np.cumsum(q0) - self._cell - q0 / 2))
        zeros, ones = np.maximum(counts, 0)
        below = (np.cumsum(zeros) - (1 - ties) * zeros) / max(zeros.sum(), 1)
        above = 1 - (np.cumsum(ones) - ties * ones) / max(ones.sum(), 1)
        value = float(counts[1] @ (np.cumsum(counts[0]) - (1 - ties) * counts[0])) / totals.prod()
        value = min(1.0, max(0.0, float(value)))
        noise = v * float(((below - value)[cells] ** 2).sum()) / totals[1] ** 2
        noise += v * float(((above - value)[cells] ** 2).sum()) / totals[0] ** 2
        # at most: pairs of scores, squares of 1, 1/2, 0
        noise += v * v * number**2 / 2 / float(totals.prod()) ** 2
        # so much do the places of records of a cell differ, whose scores are equally far apart
        apart = (1 - 1 / np.bincount(self._cell) ** 2) / 12
        for row, other, side, total in (
            (ones, zeros, below, totals[1]), (zeros, ones, above, totals[0]),
        ):  # fmt: skip
            spread = (side - value) ** 2 + apart * (other / max(other.sum(), 1)) ** 2
            noise += float(row @ spread) / max(row.sum(), 1) / total
        # what probabilities add to ties of merged scores is known to a share of it
        mended = float((ones * zeros) @ np.abs(ties - 0.5)) / float(totals.prod())
        width = math.hypot(wide * math.sqrt(noise), unsure * mended)
        low, high = max(0.0, value - width), min(1.0, value + width)
        return None if (low, high) == (0, 1) else Band(value, low, high, self.covers, beta)

    def recalibrated(self, probabilities: Sequence[float] | None = None) -> tuple[float, ...]:
        """Return a probability of label 1 for each score, rising with the score.

        Parameters
        ----------
        probabilities : sequence of float, optional
            What was predicted at each score, rising; by default what was given with the scores.

        Notes
        -----
        The predicted log-odds become those of a polygon with bends at `_BENDS`. Of all polygons the
        most likely by the noisy counts is taken, where the unchanged log-odds are believed before,
        each coefficient with a standard deviation of 0.1 (`_PRIOR`): the less the counts say beside
        their noise, the less is changed. Newton steps on ``sum x (ones - records chance)``, which
        is linear in the counts, so that its expectation is that of the counts without noise; in a
        cell of several scores x has the means of its ones and of its records. The probability of
        the rarer label is rounded to four digits, far below the noise.
        """
        self._binary()
        given = np.clip(self._given(probabilities), 1e-12, 1 - 1e-12)
        straight = np.log(given / (1 - given))
        bends = [np.abs(straight - at) - abs(at) for at in _BENDS]
        odds = np.stack([straight, np.ones_like(given), *bends], axis=1)
        records, _, q1 = self._within(given)

        def of_cells(weights: Floats) -> Floats:
            """Return the means of the columns of ``odds`` in each cell (rows)."""
            return np.stack(
                [np.bincount(self._cell, weights * column) for column in odds.T], axis=1
            )

        of_ones, counts = of_cells(q1), self._counts
        cell, prior = self.histogram.noise, _PRIOR * np.eye(odds.shape[1])
        unchanged = np.eye(odds.shape[1])[0]
        line = unchanged
        for _ in range(_NEWTON):
            chance = _sigma(odds @ line)
            expected = of_cells(records * chance)
            slope = counts[1] @ of_ones - counts.sum(axis=0) @ expected
            weight = np.maximum(counts.sum(axis=0), 0)[self._cell] * records
            bent = (odds.T * (weight * chance * (1 - chance))) @ odds
            moved = of_ones - expected
            noise = cell * (moved.T @ moved + expected.T @ expected)
            weighed = bent @ np.linalg.pinv(bent + noise)
            pull = weighed @ slope - prior @ (line - unchanged)
            line = line + np.clip(np.linalg.solve(weighed @ bent + prior, pull), -0.3, 0.3)
        rising = np.maximum.accumulate(_sigma(odds @ line))
        rarer = np.minimum(rising, 1 - rising)
        digits = 4 - np.ceil(np.log10(np.maximum(rarer, 1e-12))).astype(int)
        return tuple(round(p, d) for p, d in zip(rising.tolist(), digits.tolist(), strict=True))

    def calibration(
        self, probabilities: Sequence[float] | None = None, *, beta: float = _BETA
    ) -> tuple[CalibrationBin, ...]:
        """Return, for bins of cells, what was predicted and how often label 1 was found.

        Noise and sampling may each fail with half of beta; the sampling's part is exact (Clopper
        and Pearson).
        """
        beta = float(check_probability("evaluate", "beta", beta))
        self._binary()
        given = self._given(probabilities)
        predicted = np.bincount(self._cell, given * self._within(given)[0])
        bins = []
        for low, high in self._blocks(12.0):
            part = self._counts[:, low:high]
            total = max(float(part.sum()), 1.0)
            weights = np.maximum(part.sum(axis=0), 0) + 1e-9
            ones, cells = float(part[1].sum()), high - low
            found, spread = self._share_among(ones, total, cells, cells, beta)
            first = int(np.flatnonzero(self._cell == low)[0])
            bins.append(
                CalibrationBin(
                    int(self._scores[first]),
                    self.histogram.scores[high - 1],
                    float(weights @ predicted[low:high] / weights.sum()),
                    found,
                    float(part.sum()),
                    spread,
                )
            )
        return tuple(bins)

    def _share_among(
        self, part: float, total: float, inside: int, others: int, beta: float
    ) -> tuple[Band, float]:
        """Return a share of a noisy number of records, and its variance over noise and sampling.

        ``inside``: how many cells the part is the sum of; ``others``: how many the rest is.
        """
        share = min(max(part / total, 0.0), 1.0)
        # the noise of part - share * total, which is linear in the cells
        noise = (inside * (1 - share) ** 2 + others * share**2) * self.histogram.noise / total**2
        width, size = deviations(beta / 2) * math.sqrt(noise), max(1, round(total))
        low, high = (
            float(limit(min(max(x, 0.0), 1.0) * size, size, beta / 4))
            for limit, x in ((lower_limit, share - width), (upper_limit, share + width))
        )
        return Band(share, low, high, self.covers, beta), noise + share * (1 - share) / total

    def calibration_error(self, probabilities: Sequence[float] | None = None) -> float | None:
        """Return the mean distance of predicted and found shares in `calibration`, by records.

        Of each squared distance the variance of noise and sampling is taken off; None where nothing
        is left of any.
        """
        bins = self.calibration(probabilities)
        total = sum(max(b.records, 0.0) for b in bins) or 1.0
        squares = [(b.predicted - b.found.value) ** 2 - b.variance for b in bins]
        distance = sum(
            max(b.records, 0.0) * math.sqrt(max(square, 0.0))
            for b, square in zip(bins, squares, strict=True)
        )
        return distance / total or None

    def _given(self, probabilities: Sequence[float] | None) -> Floats:
        given = self._chances if probabilities is None else np.asarray(probabilities, np.float64)
        if given is None or len(given) != len(self._scores):
            raise ParameterError("There must be one probability for each score.")
        return given

    def _blocks(self, deviations: float) -> list[tuple[int, int]]:
        """Return ranges of scores with records above ``deviations`` deviations of the noise."""
        v = 2 * self.histogram.noise
        sums = self._counts.sum(axis=0)
        blocks, start = [], 0
        for stop in range(1, len(sums) + 1):
            total = float(sums[start:stop].sum())
            if total >= max(deviations * math.sqrt(v * (stop - start)), 1.0):
                blocks.append((start, stop))
                start = stop
        if start < len(sums):  # what is left over joins the last block
            first = blocks.pop()[0] if blocks else 0
            blocks.append((first, len(sums)))
        return blocks

    def _binary(self) -> None:
        if self.histogram.labels != 2:
            raise UnsupportedError("Cuts, ROC and calibration are for two labels.")


#: A figure of a group whose band is as wide is not said.
WIDEST = 0.2


@dataclass(frozen=True)
class GroupFigures:
    """What is said of one public group of records.

    A figure is None where its band would not be narrower than .2, or where there is none of the
    kind: of several labels there is the error, and without probabilities neither AUROC nor
    calibration. Each band holds by itself.
    """

    name: str
    share: Band  # of all records that were evaluated
    error: Band | None = None
    auroc: Band | None = None
    calibration: Band | None = None  # the share of label 1, less the mean predicted one
    positive: Band | None = None  # share for which label 1 is answered

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            name: value.to_dict() if isinstance(value, Band) else value
            for name, value in vars(self).items()
        }


def _narrow(band: Band | None) -> Band | None:
    return None if band is None or band.high - band.low >= WIDEST else band


def balanced_accuracy(confusion: Sequence[Sequence[float]]) -> float:
    """Return the mean over labels of the share that is answered rightly, of noisy counts."""
    shares = [_share(row[label], sum(row)) for label, row in enumerate(confusion)]
    return min(1.0, max(0.0, sum(shares) / len(shares)))


def _share(part: float, total: float) -> float:
    return part / total if total >= 1 else 0.5


def variance(rate: float) -> float:
    """Return the variance of one noise: 2 p / (1 - p)**2."""
    p = math.exp(-rate)
    return 2 * p / math.expm1(-rate) ** 2


def deviations(beta: float) -> float:
    """Return how many standard deviations a normal or Laplace law exceeds with chance beta."""
    from scipy.special import ndtri  # noqa: PLC0415 - slow to import

    return max(-float(ndtri(beta / 2)), math.log(1 / beta) / math.sqrt(2))


def _sigma(odds: Floats) -> Floats:
    """Return the probabilities of log-odds."""
    return np.asarray(1 / (1 + np.exp(-odds)))


@dataclass(frozen=True)
class Quality:
    """The error of a rule, and of the constant with the fewest errors."""

    error: Band  # share of the counted records that the rule gets wrong
    baseline: Band  # that the constant `majority` gets wrong
    majority: int  # the most frequent label, by the noisy counts
    constant: int | None  # the label that the rule always answers
    #: By the noisy counts; None of a constant, or if the noise hides whether a label occurs.
    balanced_accuracy: float | None
    cost: Band | None = None  # mean cost of a record, where mistakes have costs
    baseline_cost: Band | None = None  # of the constant `cheapest`
    cheapest: int | None = None

    @property
    def rival(self) -> int:
        """The constant that the rule is compared with."""
        return self.majority if self.cheapest is None else self.cheapest

    @property
    def compared(self) -> tuple[Band, Band]:
        """What is compared: costs where there are some, or else errors."""
        if self.cost is None or self.baseline_cost is None:
            return self.error, self.baseline
        return self.cost, self.baseline_cost

    @property
    def better(self) -> bool | None:
        """Whether the rule has a lower error rate, or costs, than the constant; None: unknown."""
        mine, baseline = self.compared
        if self.constant is not None or mine.low >= baseline.high:
            return False
        return True if mine.high < baseline.low else None

    def met_by_a_constant(self, alpha: float) -> bool:
        """Return whether a constant seems to meet a certificate for alpha, too.

        An error of at most alpha (above that of the best concept) is what a constant attains whose
        error is at most alpha, or at most that of a rule that attains it. With costs alpha is a
        mean cost.
        """
        mine, baseline = self.compared
        return self.constant is not None or baseline.value <= max(alpha, mine.value)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        found: Json = {
            "error": self.error.to_dict(),
            "baseline": self.baseline.to_dict(),
            "majority": self.majority,
            "constant": self.constant,
            "balanced_accuracy": self.balanced_accuracy,
        }
        if self.cost is not None and self.baseline_cost is not None:
            found["cost"] = self.cost.to_dict()
            found["baseline_cost"] = self.baseline_cost.to_dict()
            found["cheapest"] = self.cheapest
        return found


def quality(
    histogram: ScoreHistogram,
    answers: Sequence[int],
    *,
    constant: int | None = None,
    costs: Costs | None = None,
    beta: float = 0.05,
) -> Quality:
    """Return what a histogram says of answering these labels.

    Notes
    -----
    Both intervals are `Evaluation.share_right`'s, from the law of the noise. That of the baseline
    holds for all labels at once (union bound), since the label was chosen by the same counts.
    A balanced accuracy is said only if the noisy count of every label is larger than the noise
    alone would make it, except with probability beta for all labels together.

    Examples
    --------
    >>> from fractions import Fraction
    >>> counts = ((870, 30), (60, 40))
    >>> found = quality(ScoreHistogram((0, 1), counts, 1000, Fraction(1), Fraction(1, 2)), [0, 1])
    >>> f"{found.error.value:.2f} {found.baseline.value:.2f}"
    '0.09 0.10'
    >>> found.better, found.met_by_a_constant(0.1)
    (None, True)
    """
    evaluation = Evaluation(histogram)
    labels, scores = histogram.labels, len(histogram.scores)
    each = [evaluation.share_right([label] * scores, beta=beta / labels) for label in range(labels)]
    majority = max(range(labels), key=lambda label: each[label].value)
    best = each[majority]
    found = Quality(
        _wrong(evaluation.share_right(answers, beta=beta)),
        _wrong(Band(best.value, best.low, best.high, best.covers, beta)),
        majority,
        constant,
        None if constant is not None else _balanced(evaluation, answers, beta),
    )
    if costs is None:
        return found
    prices = [
        evaluation.mean_cost([label] * scores, costs, beta=beta / labels) for label in range(labels)
    ]
    cheapest = min(range(labels), key=lambda label: prices[label].value)
    own = evaluation.mean_cost(answers, costs, beta=beta)
    return replace(
        found, cost=own, baseline_cost=replace(prices[cheapest], beta=beta), cheapest=cheapest
    )


def _balanced(evaluation: Evaluation, answers: Sequence[int], beta: float) -> float | None:
    """Return the balanced accuracy, if every label's noisy count is beyond the noise's reach."""
    histogram = evaluation.histogram
    reach = histogram.reach(len(histogram.scores), beta / histogram.labels)
    confusion = evaluation.confusion_matrix(answers)[: histogram.labels]
    return balanced_accuracy(confusion) if min(map(sum, confusion)) > reach else None


def _wrong(right: Band) -> Band:
    """Return the share of errors, from that of right answers."""
    return Band(1 - right.value, 1 - right.high, 1 - right.low, right.covers, right.beta)


# -- What was observed where which number was predicted: a noisy two-way histogram.
#
# Units are counted by the bin of their prediction F and by that of their error y - F. A replaced
# unit moves counts by two altogether, so noise of rate ``epsilon / 2`` in each is epsilon-DP
# (claim ``score-histogram``). All edges are functions of the released model and of public
# numbers. Errors, not targets: then what is observed is as exact as errors are, however wide a
# bin of predictions is.


Doubles = npt.NDArray[np.float64]

#: The quantiles of what is observed.
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
_SHARE, _LEAST = Fraction(1, 4), 2_000
_DEVIATIONS = 6.0  # of the noise of a bin: with fewer units it is joined to the next one
_LARGEST_COUNT = 10**30


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
        whole &= all(
            type(count) is int and abs(count) <= _LARGEST_COUNT for row in counts for count in row
        )
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
