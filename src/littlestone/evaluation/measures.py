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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.bounds.tails import lower_limit, upper_limit
from littlestone.costs import Costs
from littlestone.data.domains import check_same
from littlestone.data.schema import Column, Schema
from littlestone.errors import (
    InfeasibleError,
    ParameterError,
    UnsupportedError,
    check_fraction,
    check_probability,
    counted,
    parameter_error,
)
from littlestone.evaluation.histogram import (
    ScoreHistogram,
    histogram_rate,
    release_histogram,
)
from littlestone.notebooks import Card
from littlestone.privacy import Guarantee, Pure, check_ledger, largest_scale
from littlestone.privacy.guarantee import NOT_PRIVATE
from littlestone.safe_io import OMITTED, Plain
from littlestone.source import Source, source_of
from littlestone.types import Json

if TYPE_CHECKING:
    from littlestone.privacy import Ledger


Floats = npt.NDArray[np.float64]
_BETA = 0.05
#: Recalibration: one over the variance of what is believed before, and its steps.
_PRIOR, _NEWTON, _BENDS = 100.0, 30, (-3.0, -1.5, 0.0, 1.5, 3.0)


@dataclass(frozen=True)
class Band(Plain):
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

    @property
    def hidden(self) -> bool:
        """Whether a proportion may be anything from 0 to 1."""
        return (self.low, self.high) == (0, 1)


def four(value: float) -> str:
    """Return a number with four digits, or all before the point.

    Examples
    --------
    >>> four(0.12345), four(12345.6)
    ('0.1235', '12,346')
    """
    text = f"{value:,.0f}" if 1000 <= abs(value) < 10**12 else f"{value:.4g}"
    return text.replace("inf", "∞")


def in_words(figure: Any, form: Callable[[float], str] = four) -> str:
    """Return a figure as text: a `Band`, a `Between` without a value, a number, or None."""
    if figure is None or getattr(figure, "hidden", False):
        return HIDDEN
    if not hasattr(figure, "low"):
        return form(figure)
    low, high = form(figure.low), form(figure.high)
    if not hasattr(figure, "value"):
        return f"between {low} and {high} (95% CI)"
    return f"{form(figure.value)} (95% CI {low} to {high})"


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
    >>> round(evaluation.accuracy().value, 3), round(evaluation.auroc().value, 3)
    (0.85, 0.836)
    >>> evaluation.confusion()
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
        reach = self.histogram.reach(self._counts.size, beta) / 2 / self._n
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
            cost * self.histogram.reach(int((price == cost).sum()), beta / len(levels))
            for cost in levels
        )
        unit, value = float(costs.unit) / self._n, max(0.0, value)
        square = max(float((price**2 * self._counts).sum()), value * max(levels, default=0))
        spread = max(square - value**2 / self._n, 0.0)
        wide = math.hypot(reach, deviations(beta) * math.sqrt(spread))
        low, high = max(0.0, value - wide), value + wide
        return Band(value * unit, low * unit, high * unit, self.covers, beta)

    def confusion_matrix(self, answers: Sequence[int]) -> tuple[tuple[float, ...], ...]:
        """Return the noisy number of records by label (rows) and answer (columns).

        The last row is one of cells outside the list of labels, where there is one.
        """
        labels, given = self.histogram.labels, np.asarray(answers)
        counts = [self._counts[:, given == one].sum(axis=1) for one in range(labels)]
        return tuple(tuple(map(float, row)) for row in zip(*counts, strict=True))

    def printed_confusion(self, answers: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        """Return the confusion matrix that is printed: whole numbers, none below 0.

        What the noisy counts lack of n is spread, half of it over the right cells, half over the
        wrong, so that the share of the right ones is the estimate of `share_right`.
        """
        counts = np.array(self.confusion_matrix(answers))
        right, lacking = np.eye(*counts.shape), self._n - counts.sum()
        wrong = 1 - right
        counts = counts + (right / right.sum() + wrong / wrong.sum()) * lacking / 2
        return tuple(tuple(max(0, round(count)) for count in row) for row in counts.tolist())

    def error_certificate(self, answers: Sequence[int], beta: Any) -> float:
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
        risk = float(check_probability("evaluate", "beta", beta)) / 2
        value = max(0.0, 1 - self._raw_share(answers))
        reach = self.histogram.reach(self._counts.size, risk) / 2
        mistakes = min(self._n, math.ceil(value * self._n + reach))
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
        total, reach = float(counts.sum()), self.histogram.reach(counts.size, beta) / n
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

    def answers(self) -> list[int]:
        """Return the answer for each score: 1 above 0."""
        self._binary()
        return [int(score > 0) for score in self.histogram.scores]

    def accuracy(self, *, beta: float = _BETA) -> Band:
        """Return the accuracy of answering 1 where the score is above 0."""
        return self.share_right(self.answers(), beta=beta)

    def confusion(self) -> tuple[tuple[float, ...], ...]:
        """Return noisy counts: label 0 answered 0 and 1, then label 1 answered 0 and 1."""
        return self.confusion_matrix(self.answers())

    def balanced_accuracy(self) -> float:
        """Return the mean of specificity and sensitivity, by the printed confusion matrix."""
        return balanced_accuracy(self.printed_confusion(self.answers()))

    def certificate(self, beta: Any) -> float:
        """Return e: the error on new records is at most e, except with probability beta."""
        return self.error_certificate(self.answers(), beta)

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

    def auroc(self, *, beta: float = _BETA, unsure: float | None = None) -> Band | None:
        """Return the area under the ROC curve; None where noise hides a label, or all of it.

        ``unsure``: the share of what probabilities say of scores in one cell that may be wrong; a
        third where noise and sampling are far wider than all of that, all where they are narrower.

        Notes
        -----
        Ties in a cell of merged scores count as the released probabilities say of these scores,
        others one half. The number of concordant pairs is bilinear in the counts of label 0 and of
        label 1. Its noise has the variance ``v (|a|**2 + |b|**2) + v**2 |k|**2`` (v: of one cell;
        a, b: the other label's share below and above each score, centred; k: one half, 1 or 0 for
        each pair of scores), estimated with noisy shares. Added is that of the sampling (DeLong,
        DeLong, Clarke-Pearson 1988). The band is wide enough at 95 % for a normal and for a Laplace
        law (2.12 standard deviations), between which weighted sums of two-sided geometric noises
        lie: approximate, and its coverage is tested (``experiments/evaluations.py``). What
        probabilities add to ties is left open in part. On generated tables (``bands_chosen.py``)
        bands hold without that, too; with 8 cells, at 20,000 records and more, they did not.
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
        drawn = wide * math.sqrt(noise)
        if unsure is None:
            unsure = min(1.0, max(1 / 3, (mended / drawn) ** 2))
        width = math.hypot(drawn, unsure * mended)
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
        for low, high in joined(self._counts.sum(axis=0), 2 * self.histogram.noise, 12.0):
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

    def _binary(self) -> None:
        if self.histogram.labels != 2:
            raise UnsupportedError("Cuts, ROC and calibration are for two labels.")


def joined(counts: Floats, noise: float, deviations: float) -> list[tuple[int, int]]:
    """Return ranges of cells with records above so many deviations of the noise of their cells."""
    ranges, start = list[tuple[int, int]](), 0
    for stop in range(1, len(counts) + 1):
        if counts[start:stop].sum() >= max(deviations * math.sqrt(noise * (stop - start)), 1.0):
            ranges.append((start, stop))
            start = stop
    # what is left over joins the last one
    return [*ranges[:-1], (ranges[-1][0] if ranges else 0, len(counts))]


#: A figure of a group whose band is as wide is not said.
WIDEST = 0.2


@dataclass(frozen=True)
class GroupFigures(Plain):
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


def _narrow(band: Band | None) -> Band | None:
    return None if band is None or band.high - band.low >= WIDEST else band


def balanced_accuracy(confusion: Sequence[Sequence[float]]) -> float:
    """Return the mean over labels of the share that is answered rightly, of noisy counts."""
    shares = [row[y] / sum(row) if sum(row) >= 1 else 0.5 for y, row in enumerate(confusion)]
    return min(1.0, max(0.0, sum(shares) / len(shares)))


def deviations(beta: float) -> float:
    """Return how many standard deviations a normal or Laplace law exceeds with chance beta."""
    return max(-NormalDist().inv_cdf(beta / 2), math.log(1 / beta) / math.sqrt(2))


def _sigma(odds: Floats) -> Floats:
    """Return the probabilities of log-odds."""
    return np.asarray(1 / (1 + np.exp(-odds)))


# -- The error of a rule beside that of the constant with the fewest errors, or the least cost.


@dataclass(frozen=True)
class Quality(Plain):
    """The error of a rule, and of the constant with the fewest errors."""

    error: Band  # share of the counted records that the rule gets wrong
    baseline: Band  # that the constant `majority` gets wrong
    majority: int  # the most frequent label, by the noisy counts
    constant: int | None  # the label that the rule always answers
    #: By the noisy counts; None of a constant, or if the noise hides whether a label occurs.
    balanced_accuracy: float | None
    cost: Band | None = field(default=None, metadata=OMITTED)  # of a record, where there are costs
    baseline_cost: Band | None = field(default=None, metadata=OMITTED)  # of the constant `cheapest`
    cheapest: int | None = field(default=None, metadata=OMITTED)

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
    if min(map(sum, evaluation.confusion_matrix(answers)[: histogram.labels])) <= reach:
        return None
    return balanced_accuracy(evaluation.printed_confusion(answers)[: histogram.labels])


def _wrong(right: Band) -> Band:
    """Return the share of errors, from that of right answers."""
    return Band(1 - right.value, 1 - right.high, 1 - right.low, right.covers, right.beta)


# -- A private report of a table: how many cells are missing or odd, how the labels are balanced.
#
# Each column of the schema is one histogram with two public cells (*missing*, *other*), the
# labels are one more (missing, other, each declared label). A record has a cell in every column,
# so replacing it may change all histograms, each by at most 2 (L1): the releases compose. With c
# columns and no delta each costs epsilon/(c + 1), and its noise has rate epsilon/(2 (c + 1));
# with a delta `littlestone.privacy.compose` lets each cost more.
#
# Everything but the counts is public: the noise is known before a record is read.


@dataclass(frozen=True)
class Noise:
    """The noise of a data report; public."""

    each: Fraction  # what one column (or the labels) costs
    rate: Fraction  # in each cell: Pr[z] ~ e**(-rate |z|)
    reach: float  # all counts are wrong by at most this many records, with probability 95 %
    claim: str  # what proves the composition
    delta: Fraction = Fraction(0)  # of the composition: 0 where pure noise is the smaller one


@dataclass(frozen=True)
class ColumnReport(Plain):
    """How the cells of one column are read."""

    name: str
    missing: Band
    other: Band


@dataclass(frozen=True)
class DataReport(Plain):
    """A released report of a table."""

    n: int
    columns: tuple[ColumnReport, ...]
    label: ColumnReport
    balance: Mapping[str, Band]
    guarantee: Guarantee
    noise: Noise

    def to_dict(self) -> Json:
        """Return plain JSON."""
        noise = {"rate": str(self.noise.rate), "reach": self.noise.reach}
        return super().to_dict() | {"noise": noise}


def check(
    table: Any,
    schema: Schema,
    *,
    y: str,
    epsilon: Any,
    delta: Any = 0,
    labels: Sequence[Any] = (0, 1),
    csv: Any = None,
    ledger: Ledger | None = None,
    random_state: int | Source | None = None,
) -> DataReport:
    """Return a private report of a table: cells that are missing or other, balance of the labels.

    Look at it before `fit`: what a schema or the labels do not fit is *other*, and a learner that
    reads nothing learns a constant.

    Parameters
    ----------
    table : path, data frame, or relation
        As for `Sample.read`.
    schema : Schema
    y : str
        Column of labels.
    epsilon : number > 0
        Of the whole report.
    delta : number in [0, 1), default 0
        Makes the noise of many columns smaller. Where it does not, the pure noise is used, and the
        delta that is promised, and charged, is 0.
    labels : sequence, default (0, 1)
        The public labels; a cell has one when it is the same number or text.
    csv : CsvFormat, str or mapping, optional
        How a CSV file is written; by default what the schema declares.
    ledger : Ledger, optional
        The budget of these records.
    random_state : int or Source, optional
        An int is reproducible, and NOT private.

    Returns
    -------
    DataReport
        Its intervals hold together: with probability 95% over the noise, every one of them contains
        the records' own share.

    Raises
    ------
    ParameterError, DataError
        A column that the table does not have, an empty table.
    InfeasibleError
        The noise would reach half of the records (their number is public): nothing was drawn.
    BudgetError
        The ledger does not pay; nothing was drawn.

    Guarantee
    ---------
    (epsilon, delta)-DP under replace-one, or epsilon-DP with the pure noise (`Noise.delta` says
    which): each histogram by claim ``score-histogram``, all together by composition.

    Notes
    -----
    Cost: one reading of the table for each column.

    Examples
    --------
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
    >>> table = {"age": [25, None] * 500, "city": ["bonn"] * 1000, "ill": [0, 1, 1, 2] * 250}
    >>> report = check(table, schema, y="ill", epsilon=1, random_state=0)
    >>> [(c.name, round(c.missing.value, 1), round(c.other.value, 1)) for c in report.columns]
    [('age', 0.5, 0.0), ('city', 0.0, 1.0)]
    >>> round(report.label.other.value, 1), round(report.balance["1"].value, 1)
    (0.3, 0.5)
    """
    from littlestone.data.counting import count_codes, count_labels  # noqa: PLC0415 - engines
    from littlestone.data.tables import read_table  # noqa: PLC0415

    names = _distinct_labels(labels)
    noise = check_noise(schema, epsilon=epsilon, delta=delta, labels=len(names))
    source = source_of("check", random_state)
    guarantee = Guarantee(
        check_fraction("check", "epsilon", epsilon),
        noise.delta,
        claim=f"{noise.claim}(score-histogram)",
        seeded=source.seeded,
    )
    opened = read_table(table, csv=csv, declared=schema.csv, caller="check")
    opened.stream([*schema.names, y], "check")  # names and types are looked at
    check_ledger(ledger, "check", guarantee, data=table)
    counts = [count_codes(opened, column, caller="check") for column in schema.columns]
    counts.append(count_labels(opened, y, labels, caller="check"))
    n = int(counts[-1].sum())
    check_same([int(found.sum()) for found in counts])
    if 2 * noise.reach >= n:
        raise InfeasibleError(
            f"There are {n:,} records, and the noise in a count would be up to {noise.reach:g}, so "
            "the report would be uninformative. Nothing was drawn. Use a larger epsilon, a delta, "
            "or fewer columns.",
            n_needed=math.floor(2 * noise.reach) + 1,
        )
    cells = [part[: Column.FIRST].tolist() for part in counts[:-1]] + [counts[-1].tolist()]
    # All public arguments are checked: pay, and from here on the source is drawn from.
    if ledger is not None:
        ledger.charge(guarantee, what=f"check of {counted(len(schema), 'columns')}")
    *columns, label = release_shares(cells, n, noise, source)
    return DataReport(
        n,
        tuple(
            ColumnReport(name, *bands) for name, bands in zip(schema.names, columns, strict=True)
        ),
        ColumnReport(y, *label[: Column.FIRST]),
        dict(zip(names, label[Column.FIRST :], strict=True)),
        guarantee,
        noise,
    )


def check_noise(schema: Schema, *, epsilon: Any, delta: Any = 0, labels: int = 2) -> Noise:
    """Return the noise of `check`; reads no data.

    Notes
    -----
    A report of c columns and k labels has m = 2 (c + 1) + k counts with independent noises, each of
    them beyond a with probability ``2 p**(a + 1) / (1 + p)``, p = e**-rate. The reach is the
    smallest a for which that is at most ``1 - 0.95**(1/m)``: then no noise is beyond it with
    probability 95%.

    Examples
    --------
    >>> schema = Schema.every_column([0]).bind(100)
    >>> check_noise(schema, epsilon="0.1").reach, check_noise(schema, epsilon=1, delta=1e-6).reach
    (16743.0, 705.0)
    """
    if not isinstance(schema, Schema) or not schema.bound:
        hint = "Read one with Schema.from_toml(path); `littlestone schema new` writes a draft."
        constraint = "a Schema with named columns"
        raise parameter_error("check", "schema", constraint, type(schema).__name__, hint)
    exact = check_fraction("check", "epsilon", epsilon)
    small = Fraction(0) if not delta else check_probability("check", "delta", delta)
    each, claim = _each(exact, small, len(schema) + 1)
    rate = histogram_rate(each)
    one = -math.expm1(math.log1p(-_BETA) / (2 * len(schema) + 2 + labels))
    reach = math.ceil(math.log(2 / one / (1 + math.exp(-rate))) / float(rate)) - 1
    pure = each == exact / (len(schema) + 1)  # which sum to epsilon
    return Noise(each, rate, float(reach), claim, Fraction(0) if pure else small)


def release_shares(
    cells: Sequence[Sequence[int]], n: int, noise: Noise, source: Source
) -> list[list[Band]]:
    """Draw the shares of some cells of each column; one record has one cell of each.

    Guarantee
    ---------
    For each column ``noise.each``-DP; the columns compose (see `check_noise`).
    """
    return [
        [
            _share_of_cells(count, n, noise.reach)
            for count in release_histogram(
                range(len(column)), [column], n=n, epsilon=noise.each, source=source
            ).counts[0]
        ]
        for column in cells
    ]


def _share_of_cells(count: int, n: int, reach: float) -> Band:
    value, width = min(max(count / n, 0.0), 1.0), reach / n
    return Band(value, max(0.0, value - width), min(1.0, value + width), "noise", _BETA)


def _each(epsilon: Fraction, delta: Fraction, parts: int) -> tuple[Fraction, str]:
    """Return what each of some pure releases may cost: the most that composes."""
    return largest_scale(
        lambda each: {Pure(each): parts}, epsilon=epsilon, delta=delta, low=epsilon / parts
    )


def _distinct_labels(labels: Sequence[Any]) -> list[str]:
    from littlestone.data.cells import spelled, spellings, text  # noqa: PLC0415 - beside engines
    from littlestone.data.counting import match  # noqa: PLC0415

    if isinstance(labels, str) or not labels:
        raise parameter_error("check", "labels", "a sequence of public labels", labels)
    match("check", "labels", *labels)
    names = [spelled([text(part) for part in spellings(label)]) for label in labels]
    if len(set(names)) < len(names):
        raise parameter_error("check", "labels", "labels whose names differ", labels)
    return names
