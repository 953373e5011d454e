"""The start of boosting: what single columns say, from noisy counts of all of them at once.

All counts are of *answers*: a bin, a category, or neither (missing and other together).

*Counts.* For each of m columns, each answer and each label, the number of records, plus discrete
Gaussian noise of variance ``m / rho``. A replaced record moves at most two counts of each column by
1: the squared L2 sensitivity is 2 m, the cost ``2 m / (2 m / rho) = rho`` of zCDP. Answers that no
record has get noise, too. What follows from the counts is post-processing: log-odds of each answer,
pulled towards 0 by what the noise leaves of them (`_scores`).

*Weights.* Columns say the same things, so that their log-odds must not simply be added. With them
fixed, a record's vector x is 1 and the log-odds of its answers, scaled towards 0 to a norm of at
most b = 2. At the weights `_WEIGHT` for all columns, q is the probability of label 1. One Newton
step takes ``g = sum of x (y - q)`` and ``H = sum of q (1 - q) x x'``, with discrete Gaussian noise:

* each term of g has a norm of at most b, so replacing a record moves g by at most 2 b;
* each term of H is positive semidefinite, of Frobenius norm at most ``b**2 / 4``; two such matrices
  differ by at most ``sqrt(2) b**2 / 4``, for ``|A - B|**2 = |A|**2 + |B|**2 - 2 tr(A B)`` and
  ``tr(A B) >= 0``. Only the upper triangle is released, which moves by no more.

With variances ``(2 b)**2 / (1.2 rho)`` and ``(b**4 / 8) / (.8 rho)`` they cost ``.6 rho + .4 rho``
(discrete Gaussian: Canonne, Kamath and Steinke 2020, Theorem 14). All sums are of integers; x and
q (1 - q) are rounded towards 0, which keeps the bounds.

For several labels, or much data, there are no weights: all are `_WEIGHT`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Claim, register
from littlestone.classes.boosted_trees.points import CodePoints
from littlestone.data import Column
from littlestone.mechanisms.gaussian import discrete_gaussian
from littlestone.privacy import Concentrated
from littlestone.privacy.rounding import exact_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from littlestone.data import Sample, Schema
    from littlestone.privacy import Loss
    from littlestone.source import Source

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

register(
    Claim(
        "boosting.start",
        "littlestone (own proof); noise: Canonne, Kamath and Steinke 2020, Theorem 14",
        "docs/boosting.md",
        "Counts by answers of m columns and by labels with discrete Gaussian noise of variance "
        "m / rho are rho-zCDP; so are a gradient and a Hessian of records of norm at most b with "
        "variances (2 b)**2 / (1.2 rho) and b**4 / (6.4 rho).",
    )
)

#: Steps of a unit of log-odds, and of a probability; the bound b of the norm of a vector.
SCALE, CURVE = 1 << 8, 1 << 12
BOUND = 2 * SCALE
_COUNTS, _WEIGHTS = Fraction(1, 10), Fraction(1, 20)  # shares of rho
_FROM, _FROM_EACH = 600, 75  # n * epsilon from which it helps: at least, and for each column
_WEIGHTS_TO = 30_000  # n * epsilon from which fixed weights are as good, and cost nothing
_CERTAIN = 6  # standard deviations of the noise of the count of label 1, at most n together
_OF_GRADIENT = Fraction(3, 5)  # of the share of the weights
_WEIGHT = 0.4  # of a column, before the Newton step
_LIMIT = 4.0  # of the log-odds of all columns together
_CHUNK = 1 << 16  # records at once


@dataclass(frozen=True)
class Marginals:
    """The budgets of a start from the counts of all columns."""

    counts: Fraction  # rho
    weights: Fraction  # rho; 0: columns have fixed weights

    def of_counts(self, columns: int) -> Fraction:
        """Return the variance of the noise of each count."""
        return columns / self.counts

    @property
    def of_gradient(self) -> Fraction:
        """The variance of the noise of the gradient, in its steps."""
        return Fraction((2 * BOUND * CURVE) ** 2) / (2 * _OF_GRADIENT * self.weights)

    @property
    def of_hessian(self) -> Fraction:
        """The variance of the noise of the Hessian, in its steps."""
        return Fraction((BOUND**2 * CURVE) ** 2, 8) / (2 * (1 - _OF_GRADIENT) * self.weights)

    @property
    def losses(self) -> dict[Loss, int]:
        """What is composed."""
        shares = [share for share in (self.counts, self.weights) if share]
        return {Concentrated(share): shares.count(share) for share in shares}

    def spending(self) -> dict[str, str]:
        """Say what is spent on what."""
        spent = {"counts of columns": f"zCDP {exact_text(self.counts)}"}
        return spent | (
            {"weights of columns": f"zCDP {exact_text(self.weights)}"} if self.weights else {}
        )


def marginals(
    schema: Schema, n: int, size: float, rho: Fraction, *, binary: bool
) -> Marginals | None:
    """Return the budgets where the start helps, from public numbers; None where it does not.

    ``size`` is n epsilon, ``rho`` what there is; ``binary`` says that the labels are 0 and 1.
    """
    counts = rho * _COUNTS
    if size < max(_FROM, _FROM_EACH * len(schema)) or counts <= 0:
        return None
    weighted = binary and size < _WEIGHTS_TO
    budget = Marginals(counts, rho * _WEIGHTS if weighted else Fraction(0))
    doubt = math.sqrt(float(budget.of_counts(len(schema))) / (2 * _precision(schema)))
    return budget if _CERTAIN * doubt <= n else None


def _answers(schema: Schema) -> list[int]:
    return [codes - Column.OTHER for codes in schema.n_codes]


def _precision(schema: Schema) -> float:
    return sum(1 / answers for answers in _answers(schema))


def release_start(
    sample: Sample,
    schema: Schema,
    budget: Marginals,
    step: Fraction,
    source: Source,
    *,
    binary: bool,
    additive: bool,
) -> CodePoints:
    """Return the votes to begin with; ``additive`` makes them whole for each answer.

    Guarantee
    ---------
    zCDP of ``budget.counts`` and ``budget.weights`` together (claim ``boosting.marginals``).
    """
    labels = 2 if binary else len(sample.by_label) - 1  # not cells outside the list
    noise = budget.of_counts(len(schema))
    found = [_noisy(own, noise, source) for own in counts_of(sample, schema, labels)]
    variance = float(noise)
    shares = _shares(found, sample.n, variance)
    scores = [
        [
            _scores(own, label, share, sample.n, variance, column)
            for own, column in zip(found, schema.columns, strict=True)
        ]
        for label, share in enumerate(shares)
    ]
    if not binary:
        return _points(np.log(shares), scores, _WEIGHT, step, grain=1, additive=additive)
    own, base = scores[1], math.log(shares[1] / shares[0])
    if not budget.weights:
        weights = [_WEIGHT] * len(own)
    else:
        base, weights = _weighted(sample, own, base, budget, source)
    none = [0 * column for column in own]
    scaled = [weight * column for weight, column in zip(weights, own, strict=True)]
    odds = np.array([0.0, base])
    return _points(odds, [none, scaled], 1.0, step, grain=2, additive=additive)


def counts_of(sample: Sample, schema: Schema, labels: int) -> list[Ints]:
    """Return the exact counts of each column: (labels, answers). Private."""
    exact = [np.zeros((labels, answers), dtype=np.int64) for answers in _answers(schema)]
    for batch in sample.batches():
        for column, own in enumerate(exact):
            places = CodePoints.answers(batch.points[:, column], own.shape[1])
            for label in range(labels):
                np.add.at(own[label], places, batch.counts[label])
    return exact


def _noisy(exact: Ints, variance: Fraction, source: Source) -> Doubles:
    noisy = [value + discrete_gaussian(variance, source) for value in exact.ravel().tolist()]
    found: Doubles = np.array(noisy, dtype=np.float64).reshape(exact.shape)  # rounded last
    return found


# -- post-processing -------------------------------------------------------------------------------


def _shares(found: list[Doubles], n: int, variance: float) -> Doubles:
    """Return the share of each label: a mean over columns, more of those with few answers."""
    weights = np.array([1 / own.shape[1] for own in found])
    doubt = math.sqrt(variance / (2 * weights.sum()))
    totals = np.array([own.sum(axis=1) for own in found]).T @ (weights / weights.sum())
    totals += (n - totals.sum()) / len(totals)
    low = min(2 * doubt + 1, n / (2 * len(totals)))
    totals = np.clip(totals, low, n - low)
    shares: Doubles = totals / totals.sum()
    return shares


def _scores(  # noqa: PLR0917 - counts, and what they are of
    own: Doubles, label: int, share: float, n: int, variance: float, column: Column
) -> Doubles:
    """Return the log-odds of a label at each answer of a column, less those of all records.

    A normal prior of covariance K, smooth along bins, meets noisy counts: first at the log-odds of
    all records, with the variance of the prior by the method of moments, then by steps of Newton.
    """
    one, labels = own[label], len(own)
    rest = own.sum(axis=0) - one
    size = np.maximum(one + rest, 0)
    size *= n / max(float(size.sum()), 1.0)

    def doubt(q: Any) -> Any:
        """Return the variance of ``(1 - q) one - q rest``: of the noise, and of sampling."""
        noise = (1 - q) ** 2 + (labels - 1) * q**2
        return variance * noise + size * q * (1 - q)

    bent: Doubles = size * share * (1 - share)
    noise: Doubles = doubt(share)
    moved = (1 - share) * one - share * rest
    weight = (bent / noise) ** 2
    spread = float((weight * (moved**2 - noise)).sum() / max((weight * bent**2).sum(), 1e-9))
    if spread <= 0:
        return np.zeros_like(one)
    smooth = _smooth(column, len(one))
    scores = np.clip(_posterior(min(spread, 4.0) * smooth, bent, noise, moved), -5, 5)
    prior = max(1.3 * float(size @ scores**2) / n, 1e-4) * smooth
    base = math.log(share / (1 - share))
    for _ in range(4):
        q = 1 / (1 + np.exp(-(base + scores)))
        bent, noise = size * q * (1 - q), doubt(q)
        moved = (1 - q) * one - q * rest + bent * scores
        found = np.clip(_posterior(prior, bent, noise, moved), -5, 5)
        scores = (scores + found) / 2
    centred: Doubles = scores - float(size @ scores) / n
    return centred


def _smooth(column: Column, answers: int) -> Doubles:
    """Return the correlations of answers: neighbouring bins are alike, "neither" is like none."""
    if column.edges is None or answers <= 3:
        return np.eye(answers)
    places = np.arange(answers)
    found: Doubles = np.exp(-np.abs(places[:, None] - places) / 2)
    found[0, 1:] = found[1:, 0] = 0
    return found


def _posterior(prior: Doubles, bent: Doubles, noise: Doubles, moved: Doubles) -> Doubles:
    """Return ``K h (h K h + diag v)**-1 u``."""
    seen = bent[:, None] * prior * bent
    solved = np.linalg.solve(seen + np.diag(noise), moved)
    return np.asarray(prior @ (bent * solved))


# -- the weights of the columns --------------------------------------------------------------------


def _weighted(
    sample: Sample, scores: list[Doubles], base: float, budget: Marginals, source: Source
) -> tuple[float, list[float]]:
    """Return the log-odds of all records, and the weight of each column: a noisy Newton step."""
    used = [column for column, own in enumerate(scores) if own.any()]
    whole = [np.rint(scores[column] * SCALE).astype(np.int64) for column in used]
    gradient, hessian = sums(sample, used, whole, base)
    width, above = len(used) + 1, np.triu_indices(len(used) + 1)
    noisy_g = _noisy(gradient, budget.of_gradient, source) / (SCALE * CURVE)
    noisy_h = np.zeros((width, width))
    noisy_h[above] = _noisy(hessian[above], budget.of_hessian, source) / (SCALE**2 * CURVE)
    noisy_h = np.triu(noisy_h) + np.triu(noisy_h, 1).T
    values, vectors = np.linalg.eigh(noisy_h)
    noisy_h = (vectors * np.maximum(values, 0)) @ vectors.T
    doubt_g = math.sqrt(float(budget.of_gradient)) / (SCALE * CURVE)
    doubt_h = math.sqrt(float(budget.of_hessian)) / (SCALE**2 * CURVE)
    ridge = 2 * doubt_h * math.sqrt(width) + doubt_g
    moved = np.clip(np.linalg.solve(noisy_h + ridge * np.eye(width), noisy_g), -0.6, 0.6)
    weights = [0.0] * len(scores)
    for column, move in zip(used, moved[1:].tolist(), strict=True):
        weights[column] = min(max(_WEIGHT + move, 0.0), 1.2)
    return base + float(moved[0]), weights


def sums(sample: Sample, used: list[int], whole: list[Ints], base: float) -> tuple[Ints, Ints]:
    """Return the exact gradient and Hessian, in steps of `SCALE` (squared) and `CURVE`."""
    width = len(used) + 1
    gradient, hessian = np.zeros(width, dtype=np.int64), np.zeros((width, width), dtype=np.int64)
    most = width * BOUND
    odds = base + _WEIGHT * np.arange(-most, most + 1) / SCALE
    chances = np.rint(CURVE / (1 + np.exp(-odds))).astype(np.int64)
    for points, counts in _pieces(sample):
        x = vectors_of(points, used, whole)
        q = chances[x[:, 1:].sum(axis=1) + most]
        records = counts.sum(axis=0)
        gradient += x.T @ (counts[1] * CURVE - records * q)
        curve = records * (q * (CURVE - q) // CURVE)
        # matrix products of doubles are fast, and exact below 2**53
        kind = np.float64 if records.sum() * BOUND**2 * CURVE < 2**53 else np.int64
        hessian += ((x * curve[:, None]).astype(kind).T @ x.astype(kind)).astype(np.int64)
    return gradient, hessian


def vectors_of(points: Any, used: list[int], whole: list[Ints]) -> Ints:
    """Return the vector of each row: of a norm of at most `BOUND`."""
    x = np.full((len(points), len(used) + 1), SCALE, dtype=np.int64)
    for place, (column, own) in enumerate(zip(used, whole, strict=True)):
        x[:, place + 1] = own[CodePoints.answers(points[:, column], len(own))]
    squares = (x * x).sum(axis=1)
    norm = np.floor(np.sqrt(squares.astype(np.float64))).astype(np.int64)
    norm += norm**2 < squares  # at least the norm
    long = squares > BOUND**2
    x[long] = np.sign(x[long]) * (np.abs(x[long]) * BOUND // norm[long, None])
    return x


def _pieces(sample: Sample) -> Iterator[tuple[Any, Ints]]:
    for batch in sample.batches():
        for first in range(0, len(batch.points), _CHUNK):
            piece = slice(first, first + _CHUNK)
            yield batch.points[piece], batch.counts[:, piece]


def _points(
    base: Doubles,
    scores: list[list[Doubles]],
    weight: float,
    step: Fraction,
    *,
    grain: int,
    additive: bool,
) -> CodePoints:
    """Return points of votes: whole multiples of the grain for each answer, or 256ths of a vote."""
    unit = 1 if additive else SCALE
    scale = weight * unit / float(step)

    def whole(values: Any) -> Any:
        return (np.rint(values / grain) * grain if additive else np.rint(values)).astype(np.int64)

    columns = []
    for column in range(len(scores[0])):
        own = whole(scale * np.array([label[column] for label in scores]).T)
        if own.any():
            columns.append((column, tuple(map(tuple, own.tolist()))))
    start = whole((base - base.max() if grain == 1 else base) * unit / float(step)).tolist()
    limit = None if additive else round(_LIMIT * unit / float(step))
    return CodePoints(tuple(start), tuple(columns), unit, limit, grain)
