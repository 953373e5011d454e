"""Intervals around quantities and counts: one private split-conformal width of held-out units."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Unit
from littlestone.classes import TreeSum
from littlestone.classes.boosted_trees.parts import PARTS
from littlestone.data.targets import Quantity, Target, TargetSample
from littlestone.errors import check_probability, parameter_error
from littlestone.mechanisms.conformal import LEAST, Conformal
from littlestone.source import Source

Ints = npt.NDArray[np.int64]

#: Where nothing else is said: the share of units, and the part of epsilon for an evaluation.
HOLDOUT, INTERVAL_EVALUATION = Fraction(1, 5), Fraction(1, 4)
_FIRST, _DOUBLING = PARTS // 8, 16  # the lowest bound, and how many there are until twice as much


def bounds_of(target: Target) -> Ints:
    """Return the public bounds on errors, in parts, that a width is drawn from.

    They grow by a factor of 2**(1/16), so a range that is ten times too wide adds few. The last one
    is the largest possible error: every error is at most one of them.

    Examples
    --------
    >>> found = bounds_of(Quantity(0, 20_000))
    >>> len(found), found[:3].tolist(), int(found[-1]) == 10_000 * PARTS
    (262, [128, 134, 140], True)
    """
    most = (target.size - 1) * PARTS
    steps = int(np.ceil(_DOUBLING * np.log2(most / _FIRST))) + 1
    growing = np.rint(_FIRST * 2 ** (np.arange(steps) / _DOUBLING)).astype(np.int64)
    return np.append(growing[growing < most], most)


def planned(target: Target, level: Any, *, m: int, epsilon: Fraction, unit: Unit) -> Conformal:
    """Return how a width is drawn; `InfeasibleError` if m held-out units are too few."""
    hint = "0.9 is a common choice."
    alpha = 1 - check_probability("fit", "interval", level, hint=hint)
    if alpha < LEAST:
        raise parameter_error("fit", "interval", f"at most {float(1 - LEAST)}", level, hint)
    cells = len(bounds_of(target))
    return Conformal.of(m=m, cells=cells, alpha=alpha, epsilon=epsilon, caller="fit", unit=unit)


def scores(model: TreeSum, sample: TargetSample) -> Ints:
    """Return the place among the bounds of the error of each group of records."""
    bounds = bounds_of(model.target)
    error = np.abs(sample.code * PARTS - model.in_parts(sample.points)[sample.point])
    places: Ints = np.searchsorted(bounds, np.where(sample.code < 0, bounds[-1], error))
    return places


def with_width(model: TreeSum, sample: TargetSample, plan: Conformal, source: Source) -> TreeSum:
    """Return the model with the width of its intervals, drawn from units it was not learned from.

    A unit has one score, the place of its error |y - F| among the bounds: of a user with several
    records that of one of them, drawn. A record whose target is not known counts as the largest.
    A quantity lies within half a cell of its code, so that much is added to the width.

    Guarantee
    ---------
    Pure ``plan.epsilon``-DP, replacing one unit of the sample (claim ``exp-mech.privacy``).
    """
    sample, bounds = sample.one_of_each(source), bounds_of(model.target)
    counts = np.bincount(scores(model, sample), sample.count, len(bounds)).astype(np.int64)
    width = int(bounds[plan.draw(counts, source)])
    rounded = PARTS // 2 if isinstance(model.target, Quantity) else 0
    return replace(model, width=width + rounded)
