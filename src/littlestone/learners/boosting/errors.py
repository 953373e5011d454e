"""The evaluation of sums of trees for quantities and counts: what each unit adds to it."""

from __future__ import annotations

from fractions import Fraction
from typing import cast

import numpy as np
import numpy.typing as npt

from littlestone.classes import TreeSum
from littlestone.classes.boosted_trees.parts import PARTS
from littlestone.data.targets import Quantity, TargetSample
from littlestone.evaluation.histogram import release_histogram
from littlestone.evaluation.observed import ErrorCells, cells_epsilon
from littlestone.evaluation.quantities import ErrorSums, noisy_sums
from littlestone.learners.boosting.starts import weights, whole
from littlestone.source import Source

Ints = npt.NDArray[np.int64]

_FINE = 4096  # q: steps of what a record adds
#: Edges: of predictions, in shares of the last one's distance from the start; of errors, of reach.
_PREDICTIONS = tuple(Fraction(share, 8) for share in (1, 3, 5, 8))
_ERRORS = tuple(Fraction(1, 2**k) for k in (6, 5, 4, 3, 2))


def error_sums(
    model: TreeSum, sample: TargetSample, *, epsilon: Fraction, held_out: bool, source: Source
) -> ErrorSums:
    """Release the sums of a model on a sample; what is not known adds nothing.

    Centre and reach are public (`scale_of`). A user adds the mean of the records.

    Guarantee
    ---------
    Pure epsilon-DP, replacing one unit of the sample (claim ``error-sums``).
    """
    center, reach = scale_of(model, float(epsilon) * sample.n)
    predicted = model.in_parts(sample.points)[sample.point]
    y = sample.code * PARTS
    error = np.minimum(np.abs(y - predicted), reach)
    beside = np.clip(y - center, -reach, reach)
    square = reach * reach
    added = [
        (_FINE * error + reach // 2) // reach,
        (_FINE * error * error + square // 2) // square,
        (_FINE * (beside + reach) + reach) // (2 * reach),
        (_FINE * beside * beside + square // 2) // square,
    ]
    if model.kind == "quantile":
        start = np.full(1, model.start[0]).clip(*model.limits)
        losses = [pinball(cast(Fraction, model.quantile), y - own) for own in (predicted, start)]
        added = [(_FINE * np.minimum(own, reach) + reach // 2) // reach for own in losses]
        added.append(_FINE * (y <= predicted))
    if model.kind == "count":
        log_rates = model.scores(sample.points)[sample.point], np.array(model.start)
        deviances = [deviance(model, sample.code.clip(0), own) for own in log_rates]
        added += [(_FINE * np.minimum(own, reach) + reach // 2) // reach for own in deviances]
    weight = weights(sample).astype(object)  # Python's integers: sums may pass 64 bits
    most = _FINE * whole(sample)
    of_cells = cells_epsilon(epsilon, sample.n)
    noisy = noisy_sums(
        [int(own @ weight) for own in added],
        sample.n, epsilon=epsilon - of_cells, resolution=most, source=source,
    )  # fmt: skip
    cells = error_cells(model, sample, reach, of_cells, source) if of_cells else None
    low, unit = Fraction(0), Fraction(1, PARTS)
    if isinstance(model.target, Quantity):
        low, unit = model.target.low, model.target.width / PARTS
    center_of, reach_of = low + center * unit, reach * unit
    return ErrorSums(
        noisy, sample.n, epsilon, most, center_of, reach_of, held_out, model.kind, cells
    )


def error_cells(
    model: TreeSum, sample: TargetSample, reach: int, epsilon: Fraction, source: Source
) -> ErrorCells:
    """Release how many units have which prediction and which error; a user counts 1 in all.

    Guarantee
    ---------
    Pure epsilon-DP, replacing one unit of the sample (claim ``score-histogram``).
    """
    edges, errors = prediction_edges(model), error_edges(reach)
    scores = np.clip(model.scores(sample.points), *model.limits)
    row = np.searchsorted(edges, scores, side="right")[sample.point]
    error = sample.code * PARTS - model.in_parts(sample.points)[sample.point]
    column = np.searchsorted(errors, error, side="left")
    shape, parts = (len(edges) + 1, len(errors) + 1), whole(sample)
    exact = np.bincount(row * shape[1] + column, weights(sample), shape[0] * shape[1])
    released = release_histogram(
        range(shape[1]), exact.astype(np.int64).reshape(shape),
        n=sample.n * parts, epsilon=epsilon, source=source, records=parts,
    )  # fmt: skip
    first, unit, most = model.parts
    return ErrorCells(
        released.counts,
        tuple(model.worth(edges).tolist()),
        tuple((errors * unit).tolist()),
        (first, first + most * unit),
        parts,
    )


def prediction_edges(model: TreeSum) -> Ints:
    """Return edges of scores, closer together near the start, from what was released.

    Either side the last one is at 2/5 of the sum of all steps (of a quantile 3/5, as predictions
    lie to one side), or at 3/4 of what is left of the public range.

    Examples
    --------
    >>> price = TreeSum((), (50 * PARTS,), (20 * PARTS,), Quantity(0, 1000, 100))
    >>> (prediction_edges(price) / PARTS).round(1).tolist()
    [5.0, 10.6, 14.4, 18.1, 20.0, 22.5, 27.5, 32.5, 40.0]
    """
    low, high = model.limits
    start = min(max(model.start[0], low), high)
    most = Fraction(3 if model.kind == "quantile" else 2, 5) * sum(model.steps)
    last = (min(most, Fraction(3, 4) * rest) for rest in (start - low, high - start))
    below, above = ([round(far * share) for share in _PREDICTIONS] for far in last)
    return np.unique([start, *(start - far for far in below), *(start + far for far in above)])


def error_edges(reach: int) -> Ints:
    """Return edges of errors, in parts: 0, and either side from 1/64 to 1/4 of the reach."""
    far = [round(reach * share) for share in _ERRORS]
    return np.array([*(-own for own in reversed(far)), 0, *far])


def pinball(quantile: Fraction, error: Ints) -> Ints:
    """Return the pinball loss of errors y - F.

    Examples
    --------
    >>> pinball(Fraction(9, 10), np.array([20, -20])).tolist()
    [18, 2]
    """
    top, bottom = quantile.as_integer_ratio()
    losses: Ints = np.maximum(top * error, (top - bottom) * error) // bottom
    return losses


def deviance(model: TreeSum, y: Ints, log_rate: Ints) -> Ints:
    """Return Poisson's deviance ``2 (y ln(y / rate) - y + rate)`` of counts, in parts of one."""
    log_rate = log_rate.clip(*model.limits)
    rate = np.rint(PARTS * model.worth(log_rate)).astype(np.int64)
    logs = np.rint(PARTS * np.log(np.arange(model.target.size).clip(1))).astype(np.int64)
    deviances: Ints = 2 * np.maximum(y * (logs[y] - log_rate - PARTS) + rate, 0)
    return deviances


def scale_of(model: TreeSum, size: float) -> tuple[int, int]:
    """Return the centre, and the reach of errors, in parts, from what was released.

    The centre is the start. The reach is a share of the sum of all steps of a quantity, and of a
    count of 16/3 of its start: ``(size / 4,000)**0.3`` for ``size`` units times epsilon, from 1/3
    to 3/2. The less is counted, the more noise a long reach costs, and the less it cuts off.
    """
    largest = (model.target.size - 1) * PARTS
    if isinstance(model.target, Quantity):
        center, full = model.start[0], sum(model.steps)
    else:
        center = int(np.rint(PARTS * model.worth(np.array(model.start)))[0])
        full = 16 * max(center, PARTS) // 3
    reach = round(full * min(1.5, max(1 / 3, (size / 4_000) ** 0.3)))
    return min(max(center, 0), largest), max(PARTS, min(reach, largest))
