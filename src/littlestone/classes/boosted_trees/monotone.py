"""Scorecards whose points only rise, or only fall, along the bins of a column.

The released points of a column are replaced by those nearest to them in order (isotonic regression
by pooling neighbours, all bins alike): a function of what was released, which costs nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from littlestone.classes.boosted_trees.ensemble import CodePoints
from littlestone.data import Column

if TYPE_CHECKING:
    from littlestone.classes.boosted_trees.ensemble import TreeEnsemble
    from littlestone.data import Schema

Ints = npt.NDArray[np.int64]


def in_order(ensemble: TreeEnsemble, schema: Schema) -> TreeEnsemble:
    """Return a scorecard of the labels 0 and 1 whose columns are in the order of the schema.

    What is missing or other keeps its points. Without such columns it is as it was.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.classes import TreeEnsemble
    >>> from littlestone.data import Schema
    >>> age = {"bins": [20, 30, 40, 50], "monotone": "increasing"}
    >>> points = ((0, 4), (0, 0), (0, 2), (0, 0), (0, 8), (0, 6))
    >>> points = CodePoints((0, 0), ((0, points),), 1, None, 2)
    >>> card = TreeEnsemble((), Fraction(1, 10), code_points=points)
    >>> found = in_order(card, Schema.from_dict({"age": age}))
    >>> [own[1] for own in found.code_points.columns[0][1]]
    [4, 0, 2, 2, 8, 8]
    """
    if not schema.ordered:
        return ensemble
    base, own = ensemble.summed(schema)
    columns = []
    for column, points in own.items():
        answers = points[Column.OTHER :, 0]  # missing and other are one answer
        monotone = schema.columns[column].monotone
        if monotone is not None:
            answers[1:] = _even(_isotonic(answers[1:], 1 if monotone == "increasing" else -1))
        columns.append((column, tuple((0, int(p)) for p in answers)))
    made = CodePoints((0, 0), tuple(columns), 1, None, 2)
    return replace(ensemble, trees=(), start=(0, int(base[0])), code_points=made)


def _isotonic(values: Ints, sign: int) -> npt.NDArray[np.float64]:
    """Return the nearest numbers, by squares, that rise (or fall): pool adjacent violators."""
    blocks: list[tuple[int, int]] = []  # sums, and how many
    for value in (sign * values).tolist():
        block = (value, 1)
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            total, size = blocks.pop()
            block = total + block[0], size + block[1]
        blocks.append(block)
    return sign * np.concatenate([np.full(size, total / size) for total, size in blocks])


def _even(values: npt.NDArray[np.float64]) -> Ints:
    """Return the nearest even numbers: in the order of the values."""
    return 2 * np.floor(values / 2 + 0.5).astype(np.int64)
