"""Intervals around quantities and counts, and sets of labels: one private split-conformal width.

A record's *score* is how wide an interval, or a set, would have to be to hold what it brings: of a
quantity or a count the error, in parts; of a label how many votes fewer it has than the label with
the most, which is 0 for the label that is predicted. So no set is empty. The width is the bound
that `Conformal` draws from the scores of held-out units.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Unit
from littlestone.classes import TreeEnsemble, TreeSum
from littlestone.classes.boosted_trees.parts import PARTS
from littlestone.classes.boosted_trees.points import FURTHEST
from littlestone.data import Sample
from littlestone.data.targets import Quantity, Target, TargetSample
from littlestone.errors import check_probability, parameter_error
from littlestone.mechanisms.conformal import LEAST, Conformal
from littlestone.source import Source
from littlestone.types import Points

Ints = npt.NDArray[np.int64]

#: Where nothing else is said: the share of units, and the part of epsilon for an evaluation.
HOLDOUT, INTERVAL_EVALUATION = Fraction(1, 5), Fraction(1, 4)
_FIRST, _DOUBLING = PARTS // 8, 16  # the lowest bound, and how many there are until twice as much
_FAR_VOTES = 1 << 14  # even the shortest step makes log-odds of 16 of them


def bounds_of(target: Target | None) -> Ints:
    """Return the public bounds on scores that a width is drawn from; without a target of labels.

    They grow by a factor of 2**(1/16), so a range that is ten times too wide adds few. The last one
    is the largest possible score: every score is at most one of them.

    Examples
    --------
    >>> found = bounds_of(Quantity(0, 20_000))
    >>> len(found), found[:3].tolist(), int(found[-1]) == 10_000 * PARTS
    (262, [128, 134, 140], True)
    >>> found = bounds_of(None)
    >>> len(found), found[:5].tolist(), int(found[-1])
    (176, [0, 1, 2, 3, 4], 4000000)
    """
    least, first, far, most = [0], 1, _FAR_VOTES, 4 * FURTHEST
    if target is not None:
        least, first, far = [], _FIRST, (target.size - 1) * PARTS
        most = far
    steps = int(np.ceil(_DOUBLING * np.log2(far / first))) + 1
    growing = np.unique(np.rint(first * 2 ** (np.arange(steps) / _DOUBLING)).astype(np.int64))
    return np.array([*least, *growing[growing < far], most], dtype=np.int64)


def planned(
    target: Target | None, level: Any, *, m: int, epsilon: Fraction, unit: Unit
) -> Conformal:
    """Return how a width is drawn; `InfeasibleError` if m held-out units are too few."""
    hint = "0.9 is a common choice."
    alpha = 1 - check_probability("fit", "interval", level, hint=hint)
    if alpha < LEAST:
        raise parameter_error("fit", "interval", f"at most {float(1 - LEAST)}", level, hint)
    cells = len(bounds_of(target))
    return Conformal.of(m=m, cells=cells, alpha=alpha, epsilon=epsilon, caller="fit", unit=unit)


def scores(model: TreeSum | TreeEnsemble, points: Points, point: Ints, code: Ints) -> Ints:
    """Return the place among the bounds of the score of records: their rows, and their codes.

    What is not known, or no listed label, has the largest score.
    """
    bounds = bounds_of(getattr(model, "target", None))
    if isinstance(model, TreeSum):
        known = code >= 0
        score = np.abs(code * PARTS - model.in_parts(points)[point])
    else:
        votes = model.votes(points)
        known = (code >= 0) & (code < votes.shape[1])
        score = (votes.max(axis=1)[:, None] - votes)[point, np.where(known, code, 0)]
    places: Ints = np.searchsorted(bounds, np.where(known, score, bounds[-1]).clip(max=bounds[-1]))
    return places


def with_width(
    model: TreeSum | TreeEnsemble, sample: TargetSample | Sample, plan: Conformal, source: Source
) -> TreeSum | TreeEnsemble:
    """Return the model with the width of its intervals or sets, drawn from held-out units.

    A unit has one score: of a user with several records that of one of them, drawn. A quantity lies
    within half a cell of its code, so that much is added to the width.

    Guarantee
    ---------
    Pure ``plan.epsilon``-DP, replacing one unit of the sample (claim ``exp-mech.privacy``).
    """
    target = getattr(model, "target", None)
    bounds = bounds_of(target)
    counts = np.zeros(len(bounds), dtype=np.int64)
    for points, point, code, count in _groups(sample, source):
        np.add.at(counts, scores(model, points, point, code), count)
    counts[-1] += sample.n - int(counts.sum())  # of users without records nothing is known
    width = int(bounds[plan.draw(counts, source)])
    rounded = PARTS // 2 if isinstance(target, Quantity) else 0
    return replace(model, width=width + rounded)


def _groups(
    sample: TargetSample | Sample, source: Source
) -> Iterator[tuple[Points, Ints, Ints, Ints]]:
    """Yield rows, and for each group of equal records its row, its code and their number."""
    if isinstance(sample, TargetSample):
        one = sample.one_of_each(source)
        yield one.points, one.point, one.code, one.count
        return
    for batch in sample.batches():
        code, point = np.nonzero(batch.counts)
        yield batch.points, point, code, batch.counts[code, point]
