"""The evaluation of sums of trees for quantities and counts: what each unit adds to the sums."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from littlestone.classes import TreeSum
from littlestone.classes.boosted_trees.parts import PARTS
from littlestone.data.targets import Quantity, TargetSample
from littlestone.evaluation.quantities import ErrorSums, noisy_sums
from littlestone.learners.boosting.starts import weights, whole
from littlestone.source import Source

_FINE = 4096  # q: steps of what a record adds


def error_sums(
    model: TreeSum, sample: TargetSample, *, epsilon: Fraction, held_out: bool, source: Source
) -> ErrorSums:
    """Release the four sums of a model on a sample; what is not known adds nothing.

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
    weight = weights(sample)
    most = _FINE * whole(sample)
    noisy = noisy_sums(
        [int(own @ weight) for own in added],
        sample.n, epsilon=epsilon, resolution=most, source=source,
    )  # fmt: skip
    low, unit = Fraction(0), Fraction(1, PARTS)
    if isinstance(model.target, Quantity):
        low, unit = model.target.low, model.target.width / PARTS
    return ErrorSums(noisy, sample.n, epsilon, most, low + center * unit, reach * unit, held_out)


def scale_of(model: TreeSum) -> tuple[int, int]:
    """Return the centre, and the reach of errors, in parts, from what was released."""
    largest = (model.target.size - 1) * PARTS
    if isinstance(model.target, Quantity):
        center, reach = model.start[0], 3 * sum(model.steps) // 2
    else:
        center = int(np.rint(PARTS * model.worth(np.array(model.start)))[0])
        reach = 8 * max(center, PARTS)
    return min(max(center, 0), largest), max(PARTS, min(reach, largest))
