"""Linear models of labels: gradient descent with momentum, whose every gradient is noisy integers.

A record's *features* x are public integers: one for the intercept, and for each column a row of a
public table, which the code of the cell picks (`Features`). Its *residual* r is an integer made of
its row, its label and what was released: predicted less observed, in parts. A round

1. cuts r, so that r x has a norm of at most A;
2. adds up r x over all records, and adds discrete Gaussian noise to each coordinate: released;
3. moves the weights by what was released.

The model is the mean of the weights of the second half of all rounds, as points for each code.

*Proof of the claim* ``linear.round``. (1) Given the weights, x and r are functions of a record
alone: scores are sums of integers of a table, so that no order, neighbour or thread decides a last
bit. (2) ``|r| <= isqrt(A2 // |x|**2)``, so ``|r x|**2 <= A2`` in integers; of several labels r is
a vector, scaled to a norm of at most that. Of a user, g is the sum of r x over the records (their
numbers cut by public numbers), and k the smaller of 2**20 and ``isqrt(2**40 A2 // |g|**2)``; g
becomes ``trunc(k g / 2**20)``, whose norm is at most ``k |g| / 2**20``. (3) G is the sum of these.
(4) So replacing a unit moves G by at most ``2 sqrt(A2)``. (5) Independent discrete Gaussians of
variance V on integers that move by a_j cost ``sum a_j**2 / (2 V)`` of zCDP (Canonne, Kamath and
Steinke 2020, Theorem 14): at most ``4 A2 / (2 V) = rho / T``. (6) V, T and A2 depend on n, rho and
the schema. (7) The rest is post-processing; T rounds compose adaptively to rho. []

Source: noisy gradients: Bassily, Smith and Thakurta 2014; clipping by the norm: Abadi et al. 2016.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.classes import LinearClass
from littlestone.classes.boosted_trees import TreeEnsemble
from littlestone.classes.boosted_trees.coefficients import (
    FURTHEST,
    CodePoints,
    Coefficients,
    in_order,
)
from littlestone.data import Sample
from littlestone.data.targets import TargetSample
from littlestone.errors import (
    UnsupportedError,
    check_integer,
    check_probability,
    counted,
    parameter_error,
)
from littlestone.learners.base import Kind, declared, whole
from littlestone.learners.boosting.rounds import (
    Uncertified,
    class_to_learn,
    largest_rho,
    or_auto,
)
from littlestone.mechanisms.estimate import noisy
from littlestone.privacy import Concentrated, Guarantee, Loss, zcdp_to_dp

if TYPE_CHECKING:
    from littlestone.data import Column, Schema
    from littlestone.source import Source
    from littlestone.types import Hypothesis, Points


# -- Intervals for a regression of at most six columns that an analyst names.
#
# It is another, smaller model beside the one that predicts, with a part of rho of its own: an
# intercept; for a number one slope, of z in [-1, 1], where its bin lies in the public range
# (missing is the middle); for a text an indicator of each category but the first, as which
# missing and other cells count. Rounds as those of the model, without a clip; then one gradient
# at their weights, and noisy second moments.
#
# *Second moments* (claim ``linear.moments``). A record adds ``q x x'`` with an integer q of at most
# m, so a matrix that is positive semidefinite, of Frobenius norm at most ``M = m |x|**2``. Two such
# matrices differ by at most ``sqrt(2) M``, as ``|A - B|**2 = |A|**2 + |B|**2 - 2 tr(A B)`` and
# ``tr(A B) >= 0``. Its square is the sum of squared moves on the diagonal and twice those above, so
# noise of variance ``M**2 / rho`` there and half of it above costs ``2 M**2 / (2 M**2 / rho) =
# rho``. Single entries are not rounded: a rounded matrix need not be positive. []
#
# *Estimate.* With w the weights, G the gradient of the mean loss and H the second moments there,
# one Newton step gives ``b = w - G / H``, with the covariance ``(H/n + noise of G) / H**2`` and
# what the noise of H does to the step. Intervals are given only where the least eigenvalue of H is
# above half the norm that its noise has: elsewhere they would not cover.


Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


#: Of rho: for the regression; and of that for its gradient and its second moments.
SHARE = Fraction(1, 2)
_GRADIENT, _MOMENTS = Fraction(2, 5), Fraction(1, 5)
MOST_COLUMNS = 6
_USUAL = 0.01  # noise of H, of features in units of one, below which intervals are usually given


@dataclass(frozen=True)
class Budget:
    """The parts of rho of a regression."""

    rounds: Fraction
    gradient: Fraction
    moments: Fraction

    @classmethod
    def of(cls, rho: Fraction) -> Budget:
        """Return the parts of what the regression has."""
        rest = 1 - _GRADIENT - _MOMENTS
        return cls(rho * rest, rho * _GRADIENT, rho * _MOMENTS)


def design(
    schema: Schema, names: tuple[str, ...], grain: int
) -> tuple[Features, list[tuple[str, str, str]]]:
    """Return the features of the answers of named columns; of each the term, unit, reference."""
    tables, about = [], [("intercept", "", "")]
    for name in names:
        column = schema[name]
        answers, first = column.n_codes - column.OTHER, column.describe(column.FIRST)
        if column.edges is None:
            tables.append(np.eye(answers, dtype=np.int64)[:, 2:] * grain)
            codes = range(column.FIRST + 1, column.n_codes)
            about += [(column.describe(code), "1", first) for code in codes]
            continue
        middles, centre, half = _places(column)
        tables.append(np.zeros((answers, 1), dtype=np.int64))
        tables[-1][1:, 0] = np.rint(grain * (middles - centre) / half).astype(np.int64)
        if len(column.edges) == 1:
            about.append((column.describe(column.FIRST + 1), "1", first))
        elif column.calendar is None:
            about.append((name, f"{half:g}", f"{centre:g}"))
        else:
            about.append((name, "half of the range of its bins", "its middle"))
    return Features(tuple(tables), tuple(map(schema.names.index, names)), grain), about


def _places(column: Column) -> tuple[Doubles, float, float]:
    """Return the middles of the bins, the centre of them all, and half of their range.

    A bin without an end is as wide as its neighbour; of two bins, one lies at 0 and one at 1.
    """
    edges = np.array(column.edges, dtype=np.float64)
    if len(edges) == 1:
        return np.array([0.0, 1.0]), 0.0, 1.0
    wide = np.concatenate([[2 * edges[0] - edges[1]], edges, [2 * edges[-1] - edges[-2]]])
    middles = (wide[1:] + wide[:-1]) / 2
    return middles, float(middles[0] + middles[-1]) / 2, float(middles[-1] - middles[0]) / 2


def second_moments(records: Records, weights: Doubles) -> Ints:
    """Return the sum of integer weights p (1 - p) times x x' over all records: exact."""
    rows, features = records.rows, records.rows.features
    total = np.zeros((features.size, features.size), dtype=np.int64)
    each = records.counts[:2].sum(axis=0)
    for at, chances in rows.chances(weights):
        curve = chances[0] * (rows.fine - chances[0]) // rows.fine
        x = np.concatenate(
            [np.full((1, curve.size), features.grain)]
            + [t[own].T for t, own in zip(features.tables, rows.answers[:, at], strict=True)]
        )
        total += (x * (each[at] * curve)) @ x.T
    return total


def largest_moment(features: Features, fine: int) -> int:
    """Return M: the largest norm of what a record adds."""
    return fine // 4 * features.square


def noisy_moments(
    records: Records, weights: Doubles, rho: Fraction, n: int, source: Source
) -> Doubles:
    """Return the second moments with noise, symmetric: released."""
    exact, most = (
        second_moments(records, weights),
        largest_moment(records.rows.features, records.rows.fine),
    )
    size, variance = len(exact), Fraction(most**2) / rho
    above = np.triu_indices(size, 1)
    found = np.zeros((size, size))
    found[above] = noisy(exact[above], n * most, variance / 2, source)
    found += found.T
    found[np.diag_indices(size)] = noisy(np.diag(exact), n * most, variance, source)
    return found


def estimate(
    weights: Doubles, gradient: Doubles, moments: Doubles, n: int, noises: tuple[float, float]
) -> tuple[Doubles, Doubles, bool]:
    """Return coefficients, their standard errors, and whether these are given.

    All are of features divided by the largest norm; ``noises``: the standard deviations of the
    noise of a coordinate of the mean gradient, and of a diagonal entry of the mean second moments.
    """
    of_gradient, of_moments = noises
    size = len(weights)
    norm = of_moments * math.sqrt(2 * size)  # about that of the noise
    values, vectors = np.linalg.eigh(moments)
    kept = np.maximum(values, norm)
    inverse = (vectors / kept) @ vectors.T
    step = inverse @ gradient
    meat = (vectors * kept) @ vectors.T / n + of_gradient**2 * np.eye(size)
    covariance = inverse @ meat @ inverse
    covariance += of_moments**2 * float(step @ step) * (inverse @ inverse)
    return weights - step, np.sqrt(np.diag(covariance)), bool(values[0] > norm / 2)


def usually(features: Any, n: int, rho: Fraction) -> bool:
    """Return whether intervals are usually given: by the public size of the noise of H."""
    deviation = math.sqrt(2 / float(2 * rho * _MOMENTS)) / 4 / n
    noise = deviation * math.sqrt(2 * features.size) * features.square / features.grain**2
    return bool(noise < _USUAL)


NO_DELTA = (
    "A linear model needs a delta, for example 1e-6 (its noise is Gaussian). Without one, learn a "
    "scorecard (Scorecard, --model scorecard), which is also a table of points."
)
#: Numbers of `auto`: columns; and n * epsilon, at least and for each column, up to which it takes
#: a linear model (benchmarks/auto_rule.py: set on tables of which none is in a comparison).
AUTO_COLUMNS, AUTO_BELOW, AUTO_EACH = 8, 1_000, 100
_PER_RESIDUAL = 4  # parts of a residual of one, for each part of a feature of one
_TEXT = Fraction(7, 5)  # the feature of a category
_LEAST, _MOST, _MANY, _FROM = 64, 512, 128, 20_000  # rounds; at most so many from n * epsilon on
_MOMENTUM = 0.8
_SCORE, _GRID = 24, 10  # bits of a score behind the point, and of those that the link looks at
_FAR = 16  # log-odds beyond which a probability is as there
_HUGE = float(1 << 44)  # of what a column adds to a score
_CUT, _SHRINK = 14, 20  # bits of the multiples of long residuals, and of long gradients of users
_RECORDS, _TOGETHER = 1 << 20, 1 << 36  # equal records of a user that count, and all together
_SMALL = 1 << 24  # numbers of which sums of squares are exact in 64 bits
_CHUNK, _NUMBERS = 1 << 16, 1 << 20  # rows at once; numbers of the gradients of users at once
#: Log-odds of a point, up to so much n * epsilon: coarse where noise is larger anyway, so that an
#: evaluation has fewer cells.
_POINTS = ((2_000, Fraction(1, 10)), (20_000, Fraction(1, 20)), (math.inf, Fraction(1, 50)))
#: What is released of the weights of the labels 0 and 1, up to so much n * epsilon: their noise
#: makes probabilities too sure (benchmarks/auto_rule.py).
_RELEASED = ((4_000, Fraction(4, 5)), (20_000, Fraction(9, 10)), (math.inf, Fraction(1)))
_LIMIT = 10  # log-odds of a cell, at most


def auto_takes(columns: int, n: int | None, epsilon: Fraction, delta: Fraction | None) -> bool:
    """Return whether ``auto`` takes a linear model for a label, by public numbers.

    ``columns`` are left to learn from, n units learn with ``epsilon``; n is None where it is not
    known before the table is read.

    Examples
    --------
    >>> [auto_takes(12, n, Fraction(1), Fraction(1, 10**6)) for n in (1_199, 1_200, None)]
    [True, False, False]
    """
    small = n is not None and n * epsilon < max(AUTO_BELOW, AUTO_EACH * columns)
    return bool(delta) and columns >= AUTO_COLUMNS and small


# -- features --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Features:
    """The public tables: for each column a row of features for each answer, in parts.

    An *answer* is the place of a code: missing and other are the first, bins and categories follow.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> schema = Schema.from_dict({"age": {"bins": [30]}, "city": {"categories": ["Bonn"]}})
    >>> [table.tolist() for table in Features.of(schema, 1024).tables]
    [[[0, 682], [-682, 0], [682, 0]], [[682], [-682]]]
    """

    tables: tuple[Ints, ...]
    columns: tuple[int, ...]  # where these are in the schema
    grain: int  # parts of one

    @classmethod
    def of(cls, schema: Schema, grain: int) -> Features:
        """Return those of a schema."""
        tables = tuple(_table(column, grain) for column in schema.columns)
        return cls(tables, tuple(range(len(tables))), grain)

    @property
    def size(self) -> int:
        """How many features there are, the intercept included."""
        return 1 + sum(int(table.shape[1]) for table in self.tables)

    @property
    def square(self) -> int:
        """The largest squared norm that a row can have."""
        largest = [int((table**2).sum(axis=1).max()) for table in self.tables]
        square: int = self.grain**2 + sum(largest)
        return square

    def parts(self, weights: Doubles) -> Iterator[Doubles]:
        """Yield the weights of each column; the intercept has the first one."""
        first = 1
        for table in self.tables:
            yield weights[..., first : first + table.shape[1]]
            first += table.shape[1]


def _table(column: Column, grain: int) -> Ints:
    """Return the features of the answers of a column.

    Of a number: its place v in [-1, 1] among the bins as ``sin(pi v / 2)``, missing, and from
    three bins on ``cos(pi v / 2)`` and a quarter for each bin; of a text 7/5 for each answer,
    centred. Two bins, or two answers of a text, are 2/3 or -2/3: they say less than a number, and
    shorter rows have less noise (benchmarks/auto_rule.py).
    """
    answers, two = column.n_codes - column.OTHER, 2 * grain // 3
    if column.edges is None and answers == 2:
        return np.array([[two], [-two]])
    if column.edges is None:
        weight = int(_TEXT * grain)
        return np.eye(answers, dtype=np.int64) * weight - weight // answers
    bins = answers - 1
    if bins == 2:
        return np.array([[0, two], [-two, 0], [two, 0]])
    angle = np.pi / 2 * np.linspace(-1, 1, bins) if bins > 1 else np.zeros(bins)
    table = np.zeros((answers, 2 + (1 + bins) * (bins > 2)), dtype=np.int64)
    table[1:, 0] = np.rint(grain * np.sin(angle))
    table[0, 1] = grain
    if bins > 2:
        table[1:, 2] = np.rint(grain * np.cos(angle))
        table[1:, 3:] = np.eye(bins, dtype=np.int64) * (grain // 4)
    return table


# -- the rule --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settings:
    """The numbers of one fit: functions of n, rho and the schema, which are public."""

    rounds: int  # T
    rho: Fraction  # of all rounds together
    square: int  # A2: the largest squared norm of the gradient of a unit
    most: int  # the largest coordinate of a sum of gradients
    time: float  # how far all rounds together move, tau
    unit: float  # of a released gradient: parts of a residual times parts of the largest row
    step: Fraction  # log-odds of a point
    kept: Fraction = Fraction(1)  # of the weights, in the model

    @property
    def variance(self) -> Fraction:
        """The variance of the noise of each coordinate."""
        return 2 * self.square * self.rounds / self.rho


@lru_cache(maxsize=512)
def _settings(learner: Linear, n: int) -> Settings:
    n = check_integer(learner.estimator, "n", n, low=1)
    rho, features = learner.rho, learner.features
    rho *= 1 - SHARE if learner.inference else 1
    signal, size = n * math.sqrt(2 * rho), n * float(learner.epsilon)
    wanted = min(1.0, max(0.5, (signal / 400) ** 0.2 / 2))
    clip = Fraction(wanted).limit_denominator(64)
    time = signal / (2 * float(clip))
    limit = _MANY if size > _FROM else _MOST
    rounds = learner.rounds or min(limit, max(_LEAST, math.ceil(time / 64)))
    fine, norm = _PER_RESIDUAL * learner.resolution, math.sqrt(features.square)
    square = math.floor(clip**2 * fine**2 * features.square)
    step = next(step for most, step in _POINTS if size <= most)
    kept = next(kept for most, kept in _RELEASED if size <= most)
    if learner.concept_class.lists_labels:
        kept = Fraction(1)
    else:
        step /= 2  # a margin moves by two votes
    most, unit = n * (math.isqrt(square) + 1), fine * norm
    settings = Settings(rounds, rho, square, most, min(time, 64.0 * rounds), unit, step, kept)
    check_size(learner, n, settings)
    if learner.inference:
        learner.of_regression(n)  # refuses, before anything is paid, what `draw` would refuse
    return settings


def check_size(learner: Linear, n: int, settings: Settings) -> None:
    """Refuse, by public numbers, sums that 64 bits do not hold."""
    reach = settings.most + 64 * math.isqrt(math.ceil(settings.variance))
    # residuals add up to at most `most` over the grain, in doubles
    large = settings.most >= 2**52 * learner.resolution or settings.variance >= 2**100
    if reach >= 2**62 or large:
        raise UnsupportedError(
            f"A linear model of {counted(n, learner.unit)} at this epsilon cannot be learned: sums "
            "of gradients with their noise must stay below 2**62. Use a smaller resolution, a "
            f"larger epsilon or fewer {learner.unit}."
        )


def _delta(caller: str, name: str, value: Any) -> Fraction:
    if value is None or (isinstance(value, int | float) and value == 0):
        raise UnsupportedError(NO_DELTA)
    found: Fraction = check_probability(caller, name, value, hint="1e-6 is a common choice.")
    return found


def _names(caller: str, name: str, value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    names = tuple(value) if isinstance(value, list | tuple) else ()
    distinct = len(set(map(str, names))) == len(names)
    if not names or not distinct or not all(isinstance(each, str) for each in names):
        wanted = "a list of different names of columns"
        raise parameter_error(caller, name, wanted, value, 'For example ["age", "sex"].')
    if len(names) > MOST_COLUMNS:
        raise parameter_error(caller, name, f"at most {MOST_COLUMNS} columns", len(names))
    return names


@dataclass(frozen=True)
class Linear(Uncertified):
    """The learner behind `LinearClassifier`.

    (epsilon, delta)-DP, replace-one, n public, for every input and all settings.
    """

    name = "linear"
    estimator = "LinearClassifier"
    summary = (
        "a linear model of labels: points for each bin and category; no error bound in advance"
    )
    claim = "linear.round"
    multiclass = True

    concept_class: LinearClass = declared(
        class_to_learn(
            LinearClass, "linear models of labels, over a schema", targets=False,
            instead=" Boosted trees and scorecards predict quantities, counts and times.",
        ),
        "Public.",
        kw_only=False,
    )  # fmt: skip
    delta: Fraction = declared(
        Kind("float in (0, 1)", _delta, "Number"),
        "Probability with which epsilon may be exceeded; 1e-6 is common. No default.",
    )
    rounds: int | None = declared(
        or_auto(whole(1), "int"),
        'Number of gradients; ``"auto"`` takes it from n and epsilon.',
        default="auto",
    )
    resolution: int = declared(whole(1), "Parts of a feature of one.", default=1024)
    inference: tuple[str, ...] | None = declared(
        Kind("sequence of str", _names, "Sequence[str] | None"),
        "At most six columns of a logistic regression beside the model, with confidence "
        "intervals, for half of rho: `conf_int`. For the labels 0 and 1; not where users "
        "are protected.",
        default=None,
    )

    def check(self) -> None:
        """Refuse what would not fit into 64 bits."""
        if self.resolution > 2**12:
            raise parameter_error(self.estimator, "resolution", "at most 2**12", self.resolution)
        if self.inference is None:
            return
        schema = self.concept_class.schema
        for name in self.inference if schema.bound else ():
            _ = schema[name]
        if self.concept_class.lists_labels or self.unit == "users":
            raise UnsupportedError(
                "Coefficients with confidence intervals (inference) need the labels 0 and 1 and "
                "the protection of single records: leave inference out."
            )

    @cached_property
    def features(self) -> Features:
        """The public tables of features."""
        return Features.of(self.concept_class.bound, self.resolution)

    @cached_property
    def rho(self) -> Fraction:
        """What the rounds may cost together: a float proposes it, the exact conversion decides.

        What columns cost of it is gone.
        """
        rho = Fraction(f"{largest_rho(self.epsilon, self.delta):.8e}")
        while zcdp_to_dp(rho, self.delta) > self.epsilon:
            rho *= Fraction(9999, 10_000)
        return rho - self.columns

    @property
    def zcdp(self) -> Loss:
        """What is promised in zCDP."""
        return Concentrated(self.rho)

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return what is promised about privacy."""
        return Guarantee(self.epsilon, self.delta, self.neighbours, claim=self.claim, seeded=seeded)

    def spending(self, n: int) -> dict[str, str]:
        """Say what is spent on what."""
        settings = self.plan.settings(n)
        each = f"zCDP {settings.rho / settings.rounds} each"
        spent = {counted(settings.rounds, "noisy gradients"): each}
        if self.inference is not None:
            spent["coefficients"] = f"zCDP {self.rho * SHARE}"
        return spent

    def settings(self, n: int) -> Settings:
        """Return the numbers of a fit of n units."""
        return _settings(self, n)

    def records(self, sample: Any, n: int | None = None) -> Records | Users:
        """Return the records of a sample, ready for the rounds of n units."""
        square = self.plan.settings(sample.n if n is None else n).square
        if isinstance(sample, TargetSample):
            return Users(sample, self.features, square, self.shape[0])
        return Records(sample, self.features, square, self.shape[0])

    @property
    def shape(self) -> tuple[int, int]:
        """How many sums are learned, one or one for each listed label, of how many features."""
        concepts = self.concept_class
        return len(concepts.labels) if concepts.lists_labels else 1, self.features.size

    def draw(self, sample: Any, source: Source) -> Hypothesis:
        """Draw the model; a pure function of the sample and the draws."""
        settings, records = self.plan.settings(sample.n), self.records(sample)
        weights = descend(
            self.features, self.shape[0], settings, sample.n,
            lambda weights: noisy_gradient(records, weights, settings, source),
        )  # fmt: skip
        found = self.released(weights * float(settings.kept), settings.step)
        if self.inference is None:
            return found
        return replace(found, coefficients=self.regressed(sample, source))

    @cached_property
    def named(self) -> Features:
        """The features of the columns of `inference`."""
        return design(self.concept_class.bound, self.inference or (), self.resolution)[0]

    def of_regression(self, n: int) -> Settings:
        """Return the numbers of the rounds of the regression: without a clip, and twice as far."""
        rho, features = Budget.of(self.rho * SHARE).rounds, self.named
        fine, norm = _PER_RESIDUAL * self.resolution, math.sqrt(features.square)
        square = fine**2 * features.square
        time = min(2 * n * math.sqrt(2 * rho), 64.0 * _MANY)
        rounds, most = max(_LEAST, math.ceil(time / 64)), n * (math.isqrt(square) + 1)
        settings = Settings(rounds, rho, square, most, time, fine * norm, _POINTS[0][1])
        check_size(self, n, replace(settings, most=n * fine * features.square))  # second moments
        return settings

    def regressed(self, sample: Sample, source: Source) -> Coefficients:
        """Return the coefficients of the columns of `inference`: `littlestone...inference`."""
        n, features, budget = sample.n, self.named, Budget.of(self.rho * SHARE)
        settings, norm = self.of_regression(n), math.sqrt(self.named.square)
        records = Records(sample, features, settings.square, 1)
        weights = descend(
            features, 1, settings, n, lambda own: noisy_gradient(records, own, settings, source)
        )
        once = replace(settings, rounds=1, rho=budget.gradient)
        gradient = noisy_gradient(records, weights, once, source)[0] / (settings.unit * n)
        moments = noisy_moments(records, weights, budget.moments, n, source)
        fine = _PER_RESIDUAL * self.resolution
        scale = fine * features.square * n
        noises = (
            math.sqrt(once.variance) / (settings.unit * n),
            largest_moment(features, fine) / math.sqrt(budget.moments) / scale,
        )
        values, errors, printed = estimate(weights[0] * norm, gradient, moments / scale, n, noises)
        one = self.resolution / norm
        log_odds, deviations = (  # rounded far below the noise
            tuple(float(f"{value:.6g}") for value in numbers * one) for numbers in (values, errors)
        )
        about = design(self.concept_class.schema, self.inference or (), self.resolution)[1]
        terms, units, references = zip(*about, strict=True)
        own = deviations if printed else ()
        return Coefficients(terms, units, references, log_odds, own, printed)

    def released(self, weights: Doubles, step: Fraction) -> TreeEnsemble:
        """Return released weights, of features in parts, as points of the answers: no draw."""
        concepts, labels = self.concept_class, self.concept_class.labels
        grain = 1 if concepts.lists_labels else 2
        furthest = FURTHEST // (2 * (len(self.features.tables) + 1))
        most = min(math.floor(_LIMIT / step), furthest) // grain

        def points(odds: Doubles) -> Ints:
            """Return whole votes for each label (columns), multiples of the grain."""
            whole = grain * np.clip(np.rint(odds / float(step * grain)), -most, most)
            own: Ints = whole.astype(np.int64)
            return own if concepts.lists_labels else np.stack([0 * own[:, 0], own[:, 0]], axis=1)

        columns = []
        both = zip(self.features.tables, self.features.parts(weights), strict=True)
        for column, (table, own) in enumerate(both):
            votes = points(table @ own.T)
            if votes.any():
                columns.append((column, tuple(map(tuple, votes.tolist()))))
        base = points(self.features.grain * weights[:, :1].T)
        made = CodePoints(tuple(base[0].tolist()), tuple(columns), 1, None, grain)
        found = TreeEnsemble((), step, (0,) * len(labels), labels, False, made)
        return in_order(found, concepts.schema)


def descend(
    features: Features, sums: int, settings: Settings, n: int,
    gradient: Callable[[Doubles], Doubles],
) -> Doubles:  # fmt: skip
    """Return the released weights; ``gradient`` is the released sum at the weights of a round.

    Weights are of features in parts; inside they are of features in units of the largest row.
    """
    norm = math.sqrt(features.square)
    weights, speed, total = (np.zeros((sums, features.size)) for _ in range(3))
    kept = range(settings.rounds // 2, settings.rounds)
    for turn in range(settings.rounds):
        found = gradient(weights / norm) / (settings.unit * n)
        speed = _MOMENTUM * speed + (1 - _MOMENTUM) * found
        weights -= settings.time / settings.rounds * speed
        if turn in kept:
            total += weights
    mean: Doubles = total / len(kept) / norm
    return mean


# -- one round -------------------------------------------------------------------------------------


def noisy_gradient(
    records: Records | Users, weights: Doubles, settings: Settings, source: Source
) -> Doubles:
    """Return the sum of the clipped gradients of all units with noise: released."""
    exact = records.gradient(weights)
    return noisy(exact, settings.most, settings.variance, source).astype(np.float64)


class Rows:
    """Distinct rows as answers of columns, and what of them does not change between rounds."""

    def __init__(self, points: list[Points], features: Features, square: int, sums: int) -> None:
        self.features, self.sums = features, sums
        self.fine = _PER_RESIDUAL * features.grain
        points = [part for part in points if len(part)]
        size = sum(map(len, points))
        self.answers = np.empty((len(features.tables), size), dtype=np.uint16)
        squares = np.full(size, features.grain**2, dtype=np.int64)
        both = zip(features.columns, features.tables, strict=True)
        for place, (column, table) in enumerate(both):
            cells = [CodePoints.answers(part[:, column], len(table)) for part in points]
            own = np.concatenate(cells) if cells else np.zeros(0, dtype=np.int64)
            self.answers[place] = own
            squares += (table * table).sum(axis=1)[own]
        self.norm = root(squares) + 1  # at least the norm
        #: The largest squared norm of the residual of each row, and the largest residual.
        self.most2 = square // squares
        self.most = root(self.most2)

    def chances(self, weights: Doubles) -> Iterator[tuple[slice, Ints]]:
        """Yield, for some rows at once, the predicted probabilities in parts: (sums, rows)."""
        parts = zip(self.features.tables, self.features.parts(weights), strict=True)
        with np.errstate(all="ignore"):
            tables = [_score(table @ own.T).T for table, own in parts]
            base = _score(self.features.grain * weights[:, :1])
        for first in range(0, self.answers.shape[1], _CHUNK):
            at = slice(first, min(first + _CHUNK, self.answers.shape[1]))
            scores = np.repeat(base, at.stop - at.start, axis=1)
            for own, table in zip(self.answers, tables, strict=True):
                scores += table[:, own[at]]
            yield at, _link(scores, self.fine)

    def residuals(self, at: Any, chances: Ints, label: int) -> Ints:
        """Return predicted less observed for records of a label, cut: (sums, rows)."""
        found = chances.copy()
        if self.sums == 1:
            cut: Ints = np.clip(found - self.fine * label, -self.most[at], self.most[at])
            return cut
        found[label] -= self.fine
        squares, most2 = (found * found).sum(axis=0), self.most2[at]
        long = np.flatnonzero(squares > most2)  # below 2**30
        multiple = root((most2[long] << 2 * _CUT) // squares[long])
        found[:, long] = np.sign(found[:, long]) * (np.abs(found[:, long]) * multiple >> _CUT)
        return found


class Records:
    """Distinct rows with the number of records of each label: units are records."""

    def __init__(self, sample: Sample, features: Features, square: int, sums: int) -> None:
        batches = list(sample.batches())
        none = np.zeros((len(sample.outside), 0), dtype=np.int64)
        self.counts = np.concatenate([none, *(batch.counts for batch in batches)], axis=1)
        self.rows = Rows([batch.points for batch in batches], features, square, sums)

    def gradient(self, weights: Doubles) -> Ints:
        """Return the sum over all records: exact integers, in any order."""
        rows, total = self.rows, Sums(self.rows)
        for at, chances in rows.chances(weights):
            own = np.zeros_like(chances)
            for label in range(max(rows.sums, 2)):  # a cell outside the list has no residual
                own += self.counts[label, at] * rows.residuals(at, chances, label)
            total.add(at, own)
        found: Ints = total.gradients()[0]
        return found


class Users:
    """Groups of equal records, each of a user: units are users."""

    def __init__(self, sample: TargetSample, features: Features, square: int, sums: int) -> None:
        assert sample.user is not None
        self.rows = Rows([sample.points], features, square, sums)
        self.square, self.point, self.code = square, sample.point, sample.code
        self.first = np.flatnonzero(np.diff(sample.user, prepend=-1))  # sorted by user
        sizes = np.diff(self.first, append=len(sample.user))
        self.user = np.repeat(np.arange(len(self.first)), sizes)
        self.count = np.minimum(sample.count, _RECORDS)
        if len(self.first):
            together = np.add.reduceat(self.count, self.first)[self.user]
            fewer = self.count * _TOGETHER // np.maximum(together, 1)
            self.count = np.where(together > _TOGETHER, fewer, self.count)

    def gradient(self, weights: Doubles) -> Ints:
        """Return the sum over all users, each of a norm of at most A."""
        rows, total = self.rows, Sums(self.rows)
        found: Ints = total.gradients()[0]
        if not len(self.user):
            return found
        chances = np.concatenate([own for _, own in rows.chances(weights)], axis=1)
        own = np.zeros((len(chances), len(self.user)), dtype=np.int64)
        for label in range(max(rows.sums, 2)):
            here, point = self.code == label, self.point[self.code == label]
            own[:, here] = self.count[here] * rows.residuals(point, chances[:, point], label)
        # the norms of a user's records, from above: where they add up to A, nothing is cut
        norms = np.abs(own).sum(axis=0).astype(np.float64) * rows.norm[self.point]
        long = np.add.reduceat(norms, self.first) * (1 + 1e-9) > math.isqrt(self.square)
        short = ~long[self.user]
        total.add(self.point[short], own[:, short])
        found = total.gradients()[0]
        users, chunk = np.flatnonzero(long), max(1, _NUMBERS // found.size)
        for first in range(0, len(users), chunk):
            number = np.full(len(self.first), -1)
            some = users[first : first + chunk]
            number[some] = np.arange(len(some))
            at = np.flatnonzero(number[self.user] >= 0)
            each = Sums(rows, len(some))
            each.add(self.point[at], own[:, at], number[self.user[at]])
            cut = shrunk(each.gradients().reshape(len(some), -1), self.square)
            found = found + cut.sum(axis=0).reshape(found.shape)
        return found


class Sums:
    """Residuals added up by the answers of each column, for each of some units.

    All are integers below 2**53, so that sums of doubles are exact, in any order.
    """

    def __init__(self, rows: Rows, units: int = 1) -> None:
        self.rows, self.units = rows, units
        sizes = [1, *(len(table) for table in rows.features.tables)]
        self.by_answer = [np.zeros((rows.sums, units * size)) for size in sizes]

    def add(self, at: Any, residuals: Ints, unit: Ints | int = 0) -> None:
        """Add the residuals (sums, records) of records at some rows."""
        weights = residuals.astype(np.float64)
        answers = [np.zeros(weights.shape[1], dtype=np.int64), *self.rows.answers[:, at]]
        for total, own in zip(self.by_answer, answers, strict=True):
            size = total.shape[1] // self.units
            place = own.astype(np.int64) + size * unit
            for label, weight in enumerate(weights):
                total[label] += np.bincount(place, weight, total.shape[1])

    def gradients(self) -> Ints:
        """Return the gradients of the units: (units, sums, features)."""
        grain = np.array([[self.rows.features.grain]])
        parts = []
        tables = [grain, *self.rows.features.tables]
        for total, table in zip(self.by_answer, tables, strict=True):
            own = total.astype(np.int64).reshape(self.rows.sums, self.units, -1)
            parts.append(own @ table)
        return np.concatenate(parts, axis=2).transpose(1, 0, 2)


def shrunk(gradients: Ints, square: int) -> Ints:
    """Return rows of a squared norm of at most ``square``: shorter ones as they are.

    Examples
    --------
    >>> shrunk(np.array([[30, -40], [3, 4], [0, 0]]), 25).tolist()
    [[2, -3], [3, 4], [0, 0]]
    """
    found = gradients.copy()
    small = (np.abs(gradients) < _SMALL).all(axis=1) & (gradients.shape[1] < 1 << 14)
    for rows, kind in ((np.flatnonzero(small), np.int64), (np.flatnonzero(~small), object)):
        own = gradients[rows].astype(kind)  # large numbers as Python's integers
        squares = (own * own).sum(axis=1)
        long = squares > square
        multiple = [math.isqrt((square << 2 * _SHRINK) // int(q)) for q in squares[long]]
        cut = np.abs(own[long]) * np.array(multiple, dtype=kind)[:, None] >> _SHRINK
        found[rows[long]] = np.where(own[long] < 0, -cut, cut)
    return found


def root(values: Ints) -> Ints:
    """Return the integer square roots of integers below 2**62, exactly.

    Examples
    --------
    >>> root(np.array([0, 3, 4, 10**16 - 1, 10**16])).tolist()
    [0, 1, 2, 99999999, 100000000]
    """
    found = np.sqrt(values.astype(np.float64)).astype(np.int64)
    found -= found * found > values
    found += (found + 1) * (found + 1) <= values
    return found


def _score(values: Doubles) -> Ints:
    """Return scores as integers; what is no number is 0."""
    whole = np.nan_to_num(
        np.rint(values * float(1 << _SCORE)), nan=0.0, posinf=_HUGE, neginf=-_HUGE
    )
    score: Ints = np.clip(whole, -_HUGE, _HUGE).astype(np.int64)
    return score


def _link(scores: Ints, fine: int) -> Ints:
    """Return probabilities in parts: of label 1, or of each label, by tables of a public grid."""
    coarse = _SCORE - _GRID
    if len(scores) == 1:
        place = (scores + (1 << coarse - 1)) >> coarse
        far = _FAR << _GRID
        chances: Ints = _logistic(fine)[np.clip(place, -far, far) + far]
        return chances
    below = (scores.max(axis=0) - scores + (1 << coarse - 1)) >> coarse
    odds = _odds()[np.minimum(below, _FAR << _GRID)]
    total = odds.sum(axis=0)
    shares: Ints = (2 * fine * odds + total) // (2 * total)
    return shares


@lru_cache(maxsize=8)
def _logistic(fine: int) -> Ints:
    far = _FAR << _GRID
    scores = range(-far, far + 1)
    return np.array([round(fine / (1 + math.exp(-k / (1 << _GRID)))) for k in scores])


@lru_cache(maxsize=1)
def _odds() -> Ints:
    far = _FAR << _GRID
    return np.array([round((1 << _SHRINK) * math.exp(-k / (1 << _GRID))) for k in range(far + 1)])
