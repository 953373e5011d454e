"""Counts by label of the codes of rows: of single columns, of sets of two columns and of three.

Rules, trees and boosted trees need no more of their records. The counts are sums over rows, so they
are added up part after part, wherever the parts are, and the rows never have to be together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from littlestone.data.sample import Batch
    from littlestone.data.schema import Schema

Doubles = npt.NDArray[np.float64]
Bits = npt.NDArray[np.bool_]

#: Public: the sums of sets of so many columns at most are taken, and these many bytes of them.
_MOST_ORDER = 3
_CACHE_BYTES = 1 << 29
_CELLS = 1 << 12  # of a table that stays in the nearest cache
_MOST_COLUMNS = 64  # for which sets of three are searched that hold all pairs
_CHUNK = 1 << 16  # entries that are counted at once: their numbers stay in the processor's cache


class Entries(NamedTuple):
    """Encoded rows with a label and a weight; a row may have several entries."""

    codes: npt.NDArray[Any]
    labels: npt.NDArray[Any]
    weights: npt.NDArray[Any]

    @classmethod
    def of(cls, batch: Batch) -> Entries:
        """Return what weighs something in a batch, with weights in the place of counts."""
        label, at = np.nonzero(batch.counts)
        return cls(batch.points.T[:, at], label, batch.counts[label, at])


def table_bytes(n_codes: Sequence[int], order: int, labels: int = 2) -> int:
    """Return the memory of the tables of all sets of ``order`` columns.

    Examples
    --------
    >>> table_bytes([4, 5, 3], 2)  # 8 bytes for each of two labels and 4 * 5 + 4 * 3 + 5 * 3 pairs
    752
    """
    order = min(order, len(n_codes))
    return 8 * labels * sum(math.prod(chosen) for chosen in combinations(n_codes, order))


def fit_memory(schema: Schema, order: int, labels: int = 2) -> bool:
    """Return whether the sums of sets of columns of a schema are taken (public).

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}})
    >>> fit_memory(schema, 3), fit_memory(schema, 4)
    (True, False)
    """
    if not schema.bound or order > _MOST_ORDER:
        return False
    return table_bytes(schema.n_codes, order, labels) <= _CACHE_BYTES


class CodeTables:
    """Sums of weights by label and by the codes of each set of at most ``order`` columns.

    Examples
    --------
    >>> rows = Entries(np.array([[2, 3, 3]]), np.array([0, 1, 1]), np.array([1, 1, 5]))
    >>> CodeTables.of([rows], (4,), 1).sums[0,].tolist()
    [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 6.0]]
    """

    def __init__(
        self, n_codes: Sequence[int], order: int, sums: Mapping[tuple[int, ...], Doubles]
    ) -> None:
        self.n_codes, self.order, self.sums = tuple(n_codes), order, dict(sums)

    @classmethod
    def of(
        cls, parts: Iterable[Entries], n_codes: Sequence[int], order: int, labels: int = 2
    ) -> CodeTables:
        """Return the sums over all entries, which together weigh less than 2**53."""
        columns, largest = range(len(n_codes)), min(order, len(n_codes))
        sets = _counted(tuple(n_codes), largest, labels)
        sums = {chosen: np.zeros(labels * math.prod(n_codes[j] for j in chosen)) for chosen in sets}
        for part in parts:
            for start in range(0, len(part.labels), _CHUNK):
                piece = slice(start, start + _CHUNK)
                wide = Entries(
                    part.codes[:, piece].astype(np.int64),
                    part.labels[piece].astype(np.int64),
                    part.weights[piece].astype(np.float64),
                )
                _add(sums, wide, n_codes)
        known = {
            chosen: table.reshape(labels, *(n_codes[j] for j in chosen))
            for chosen, table in sums.items()
        }
        # each row has one code of every column: sums of smaller sets are sums over a column
        for size in range(largest, -1, -1):
            wider = {  # of each set, one with a column more
                (*chosen[:at], *chosen[at + 1 :]): (chosen, at)
                for chosen in known
                if len(chosen) == size + 1
                for at in range(size + 1)
            }
            for chosen in combinations(columns, size):
                if chosen not in known:
                    larger, at = wider[chosen]
                    known[chosen] = known[larger].sum(axis=1 + at)
        return cls(n_codes, order, {c: table for c, table in known.items() if len(c) <= largest})

    def sides(self, column: int, accepts: Bits) -> CodeTables:
        """Return the tables of rows by their codes of a column, of one order less."""
        weights, sums = accepts.astype(np.float64), {}
        for chosen in self.sums:
            if len(chosen) >= self.order:
                continue
            if column in chosen:
                shape = [1] * len(chosen)
                shape[chosen.index(column)] = -1
                found = self.sums[chosen] * weights.reshape(len(accepts), 1, *shape)
            else:
                wider = tuple(sorted((*chosen, column)))
                found = np.tensordot(weights, self.sums[wider], axes=(1, 1 + wider.index(column)))
            sums[chosen] = found.reshape(-1, *found.shape[2:])
        return CodeTables(self.n_codes, self.order - 1, sums)

    def differences(self) -> CodeTables:
        """Return the sums of all labels but the last, less those of the last."""
        sums = {chosen: table[:-1] - table[-1] for chosen, table in self.sums.items()}
        return CodeTables(self.n_codes, self.order, sums)

    @property
    def totals(self) -> npt.NDArray[np.int64]:
        """Weight by label."""
        return self.sums[()].astype(np.int64)


def _add(sums: dict[tuple[int, ...], Doubles], part: Entries, n_codes: Sequence[int]) -> None:
    """Add entries to all sums; those of columns that begin alike follow each other."""
    known: tuple[int, ...] = ()
    keys = [part.labels]
    for chosen, table in sums.items():
        shared = next((i for i, (a, b) in enumerate(zip(chosen, known, strict=False)) if a != b), 0)
        del keys[1 + shared :]
        for j in chosen[shared:]:
            keys.append(keys[-1] * n_codes[j] + part.codes[j])
        np.add(table, np.bincount(keys[-1], part.weights, len(table)), out=table)
        known = chosen


@lru_cache(maxsize=64)
def _counted(n_codes: tuple[int, ...], order: int, labels: int) -> tuple[tuple[int, ...], ...]:
    """Return the sets of columns that are counted: for pairs, small sets of three that hold them.

    Examples
    --------
    >>> _counted((4, 4, 4, 4, 4000), 2, 2)
    ((0, 1, 2), (0, 1, 3), (0, 4), (1, 4), (2, 3), (2, 4), (3, 4))
    """
    columns, sets = range(len(n_codes)), tuple(combinations(range(len(n_codes)), order))
    if order != 2 or len(n_codes) > _MOST_COLUMNS:
        return sets
    left, found = dict.fromkeys(sets), []
    while left:
        pair = next(iter(left))

        def new(k: int, pair: tuple[int, ...] = pair) -> int:
            """Return how many pairs a third column brings; 0 where the table is large."""
            small = labels * math.prod(n_codes[j] for j in (*pair, k)) <= _CELLS
            return small * sum(tuple(sorted((j, k))) in left for j in pair)

        third = max((k for k in columns if k not in pair), key=new, default=None)
        chosen = pair if third is None or not new(third) else tuple(sorted((*pair, third)))
        found.append(chosen)
        for covered in combinations(chosen, 2):
            left.pop(covered, None)
    return tuple(sorted(found))
