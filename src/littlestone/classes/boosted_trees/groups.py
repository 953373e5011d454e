"""A sum of trees of depth 1 as points: for each column, groups of cells with equal points."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from littlestone.data import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

Ints = npt.NDArray[np.int64]


class Group(NamedTuple):
    """Codes of one column with equal points: neighbouring bins, or any categories."""

    codes: tuple[int, ...]
    points: tuple[int, ...]  # by label; of the labels 0 and 1 one number

    @property
    def odd(self) -> bool:
        """Whether it has the cells that are missing or other."""
        return Column.MISSING in self.codes


def groups(column: Column, points: Ints) -> list[Group]:
    """Return the groups of a column, of points by code; what is missing or other comes last.

    Examples
    --------
    >>> points = np.array([[0], [0], [2], [2], [1]])
    >>> groups(Column.bins("age", [30, 60]), points)
    [Group(codes=(2, 3), points=(2,)), Group(codes=(4,), points=(1,)),
     Group(codes=(0, 1), points=(0,))]
    >>> groups(Column.of("city", ["Bonn", "Rome", "Ulm"]), np.array([[0], [0], [2], [0], [2]]))
    [Group(codes=(2, 4), points=(2,)), Group(codes=(0, 1, 3), points=(0,))]
    """
    rows: list[tuple[int, ...]] = [tuple(row) for row in points.tolist()]
    odd = rows[Column.MISSING]  # no split tells missing from other
    codes: Sequence[int] = range(Column.FIRST, len(rows))
    if column.numeric:
        runs = [Group(tuple(run), own) for own, run in groupby(codes, rows.__getitem__)]
        return [*runs, Group((Column.MISSING, Column.OTHER), odd)]
    same: dict[tuple[int, ...], list[int]] = {}
    for code in codes:
        same.setdefault(rows[code], []).append(code)
    last = (Column.MISSING, Column.OTHER, *same.pop(odd, ()))
    return [*(Group(tuple(own), value) for value, own in same.items()), Group(last, odd)]
