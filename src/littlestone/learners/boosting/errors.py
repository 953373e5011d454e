"""The evaluation of sums of trees for quantities and counts: what each unit adds to the sums."""

from __future__ import annotations

from fractions import Fraction
from typing import cast

import numpy as np
import numpy.typing as npt

from littlestone.classes import TreeSum
from littlestone.classes.boosted_trees.parts import PARTS
from littlestone.data.targets import Quantity, TargetSample
from littlestone.evaluation.quantities import ErrorSums, noisy_sums
from littlestone.learners.boosting.starts import weights, whole
from littlestone.source import Source

Ints = npt.NDArray[np.int64]

_FINE = 4096  # q: steps of what a record adds


def error_sums(
    model: TreeSum, sample: TargetSample, *, epsilon: Fraction, held_out: bool, source: Source
) -> ErrorSums:
    """Release the sums of a model on a sample; what is not known adds nothing.

    Centre and reach are public: of a quantity the start, and 3/2 of the sum of all steps; of a
    count the start, and eight times it, at least 8. A user adds the mean of the records.

    Guarantee
    ---------
    Pure epsilon-DP, replacing one unit of the sample (claim ``error-sums``).
    """
    center, reach = scale_of(model)
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
    weight = weights(sample)
    most = _FINE * whole(sample)
    noisy = noisy_sums(
        [int(own @ weight) for own in added],
        sample.n, epsilon=epsilon, resolution=most, source=source,
    )  # fmt: skip
    low, unit = Fraction(0), Fraction(1, PARTS)
    if isinstance(model.target, Quantity):
        low, unit = model.target.low, model.target.width / PARTS
    return ErrorSums(
        noisy, sample.n, epsilon, most, low + center * unit, reach * unit, held_out, model.kind
    )


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


def scale_of(model: TreeSum) -> tuple[int, int]:
    """Return the centre, and the reach of errors, in parts, from what was released."""
    largest = (model.target.size - 1) * PARTS
    if isinstance(model.target, Quantity):
        center, reach = model.start[0], 3 * sum(model.steps) // 2
    else:
        center = int(np.rint(PARTS * model.worth(np.array(model.start)))[0])
        reach = 8 * max(center, PARTS)
    return min(max(center, 0), largest), max(PARTS, min(reach, largest))
