"""The evaluation of sums of trees for quantities and counts: what each unit adds to it.

How far predictions are off is counted first, in public cells, with one cell for units without a
target. Where the counts show no more errors, the sums that follow cut them
(`littlestone.evaluation.quantities`).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import cast

import numpy as np
import numpy.typing as npt

from littlestone.classes.boosted_trees import TreeSum
from littlestone.classes.boosted_trees.export import PARTS
from littlestone.data.groups import Grouping, Groups
from littlestone.data.targets import Quantity, TargetSample
from littlestone.evaluation.histogram import ScoreHistogram, release_histogram
from littlestone.evaluation.quantities import (
    ErrorCells,
    ErrorSums,
    last_seen,
    noisy_sums,
    parts_of_epsilon,
)
from littlestone.learners.boosting.losses import unit_weight, weights
from littlestone.source import Source

Ints = npt.NDArray[np.int64]

_LOSS_PARTS = 4096  # q: steps of what a record adds
#: Edges: of predictions, in shares of the last one's distance from the start; of errors, of reach.
_PREDICTIONS = tuple(Fraction(share, 8) for share in (1, 3, 5, 8))
_ERRORS = tuple(Fraction(1, 2**k) for k in (6, 5, 4, 3, 2))
_FINEST_SIZE = 64  # the first cell of sizes of errors ends at the scale over it


def error_sums(
    model: TreeSum, sample: TargetSample, *, epsilon: Fraction, held_out: bool, source: Source,
    groups: Grouping | None = None,
) -> ErrorSums:  # fmt: skip
    """Release how large the errors of a model are on a sample, and their sums.

    With ``groups``, of rows that have their columns, too, sizes are counted in each group.

    Guarantee
    ---------
    Pure epsilon-DP, replacing one unit of the sample (claim ``error-sums``): sizes, then sums that
    are cut where the released sizes say, then counts by prediction; their epsilons add up.
    """
    of_sizes, of_sums, of_cells = parts_of_epsilon(epsilon, sample.n)
    parts, edges = unit_weight(sample), size_edges(model)
    split = None
    if groups is not None:
        points, group = groups.split(sample.points)
        split, sample = (groups.groups, group[sample.point]), replace(sample, points=points)
    counted = error_sizes(model, sample, of_sizes, source, split)
    (sizes,) = counted.counts
    reach = int(edges[last_seen(sizes, of_sizes, parts, counted.noises)])
    center, far = center_of(model), value_reach(model, reach)
    sums = sums_within(model, sample, reach, of_sums, source)
    cells = (
        error_cells(model, sample, cell_reach(model, epsilon * sample.n), of_cells, source)
        if of_cells
        else None
    )
    low, unit = Fraction(0), Fraction(1, PARTS)
    if isinstance(model.target, Quantity):
        low, unit = model.target.low, model.target.width / PARTS
    return ErrorSums(
        sums=sums,
        sizes=sizes,
        edges=tuple(int(edge) * unit for edge in edges),
        n=sample.n,
        epsilon=epsilon,
        resolution=_LOSS_PARTS,
        parts=parts,
        center=low + center * unit,
        reach=reach * unit,
        far=far * unit,
        held_out=held_out,
        kind=model.kind,
        cells=cells,
        groups=counted.groups,
    )


def error_sizes(
    model: TreeSum, sample: TargetSample, epsilon: Fraction, source: Source,
    split: tuple[Groups, Ints] | None = None,
) -> ScoreHistogram:  # fmt: skip
    """Release how many units have an error of which size, and how many no target; in parts.

    With ``split``, public groups and those of the records, in each group.

    Guarantee
    ---------
    Pure epsilon-DP, replacing one unit of the sample (claim ``score-histogram``): each unit weighs
    one in all, over its groups, sizes and *no target*.
    """
    edges, parts = size_edges(model), unit_weight(sample)
    error = np.abs(sample.code * PARTS - model.in_parts(sample.points)[sample.point])
    size = np.where(sample.code >= 0, np.searchsorted(edges, error), len(edges)).astype(np.int64)
    by, own = (None, np.zeros_like(size)) if split is None else split
    exact = np.zeros((1 if by is None else by.size + 1, 1, len(edges) + 1), dtype=np.int64)
    np.add.at(exact[:, 0], (own, size), weights(sample))
    exact[-1, 0, -1] += parts * sample.n - int(exact.sum())
    return release_histogram(
        range(len(edges) + 1), exact[0] if by is None else exact, groups=by,
        n=sample.n * parts, epsilon=epsilon, source=source, records=parts,
    )  # fmt: skip


def sums_within(
    model: TreeSum, sample: TargetSample, reach: int, epsilon: Fraction, source: Source
) -> tuple[int, ...]:
    """Release the sums of errors up to a public or released reach; what is not known adds nothing.

    A user adds the mean of the records.

    Guarantee
    ---------
    Pure epsilon-DP, replacing one unit of the sample, for each reach.
    """
    predicted = model.in_parts(sample.points)[sample.point]
    y, far = sample.code * PARTS, value_reach(model, reach)
    if model.kind == "quantile":
        start = np.full(1, model.start[0]).clip(*model.limits)
        losses = [pinball(cast(Fraction, model.quantile), y - own) for own in (predicted, start)]
        added = [_rounded(np.minimum(own, reach), reach) for own in losses]
        added.append(_LOSS_PARTS * (y <= predicted))
    else:
        error = np.minimum(np.abs(y - predicted), reach)
        beside = np.clip(y - center_of(model), -far, far)
        added = [
            _rounded(error, reach),
            _rounded(error * error, reach * reach),
            _rounded(beside + far, 2 * far),
            _rounded(beside * beside, far * far),
        ]
    if model.kind == "count":
        log_rates = model.scores(sample.points)[sample.point], np.array(model.start)
        deviances = [deviance(model, sample.code.clip(0), own) for own in log_rates]
        added += [_rounded(np.minimum(own, far), far) for own in deviances]
    weight = weights(sample).astype(object)  # Python's integers: sums may pass 64 bits
    most = _LOSS_PARTS * unit_weight(sample)
    return noisy_sums(
        [int(own @ weight) for own in added],
        sample.n, epsilon=epsilon, resolution=most, source=source,
    )  # fmt: skip


def _rounded(values: Ints, most: int) -> Ints:
    """Return values from 0 to ``most`` in steps, the nearest one."""
    steps: Ints = (_LOSS_PARTS * values + most // 2) // most
    return steps


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
    shape, parts = (len(edges) + 1, len(errors) + 1), unit_weight(sample)
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


def center_of(model: TreeSum) -> int:
    """Return what a target is compared with, in parts: the released start, within the range."""
    return min(_in_parts(model, model.start[0]), (model.target.size - 1) * PARTS)


def _in_parts(model: TreeSum, score: int) -> int:
    """Return what a score predicts, in parts."""
    clipped = np.clip(np.array([score]), *model.limits)
    return int(clipped[0]) if model.linear else round(PARTS * float(np.exp(clipped[0] / PARTS)))


def scale_of(model: TreeSum) -> int:
    """Return a scale of errors, in parts, from what was released.

    Of a quantity the sum of all steps; of a count, and of a quantity whose logarithm was learned,
    16/3 of its start.
    """
    if model.linear:
        full = sum(model.steps)
    else:
        full = 16 * max(_in_parts(model, model.start[0]), PARTS) // 3
    return max(PARTS, min(full, (model.target.size - 1) * PARTS))


def size_edges(model: TreeSum) -> Ints:
    """Return the upper ends of the cells of sizes of errors, in parts: each twice the one before.

    The first is the scale over 64; the last is the largest error that a prediction can have.

    Examples
    --------
    >>> price = TreeSum((), (50 * PARTS,), (20 * PARTS,), Quantity(0, 1000, 100))
    >>> (size_edges(price) / PARTS).round(2).tolist()
    [0.78, 1.56, 3.12, 6.25, 12.5, 25.0, 50.0, 100.0]
    """
    start, most = model.start[0], sum(model.steps)
    lowest, highest = _in_parts(model, start - most), _in_parts(model, start + most)
    width = max(highest, (model.target.size - 1) * PARTS - lowest)
    edge = max(1, scale_of(model) // _FINEST_SIZE)
    found = []
    while edge < width:
        found.append(edge)
        edge *= 2
    return np.array([*found, width], dtype=np.int64)


def value_reach(model: TreeSum, reach: int) -> int:
    """Return how far from the centre targets count, at least to the reach of errors.

    To three quarters of the scale of a quantity; where a logarithm was learned half of that, twice
    the start.

    Clipping a target towards the centre makes its variance smaller, so an R2 is never too large
    by that.
    """
    return max(reach, 3 * scale_of(model) // (4 if model.linear else 8))


def cell_reach(model: TreeSum, size: Fraction) -> int:
    """Return the reach of errors of counts by prediction, in parts, for ``size`` units by epsilon.

    A share of the scale, ``(size / 4,000)**0.3``, from 1/3 to 3/2: with less noise, further.
    """
    share = min(1.5, max(1 / 3, (float(size) / 4_000) ** 0.3))
    reach = min(round(scale_of(model) * share), (model.target.size - 1) * PARTS)
    return max(PARTS, int(reach))
