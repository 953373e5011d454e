"""Arrow cells to codes of columns and labels: at once for plain numbers, else by the rule.

Both counting and targets convert cells here, so that a cell has one code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from littlestone.data.cells import DAY, DAYS_TO_1970, SECONDS, Calendar, Match, date_text
from littlestone.data.containers import PER_SECOND, portable
from littlestone.data.schema import Column

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Texts that every engine's cast to double reads alike, and as `cells.number` does.
PLAIN = r"\A-?[0-9]{1,15}(\.[0-9]{1,25})?\z"
_FEW = 2**7  # whole numbers that are looked up: their differences are of their type


def distinct_cells(column: pa.ChunkedArray) -> tuple[list[Any], Ints]:
    """Return the distinct cells as Python values, and which of them each cell is.

    Times are texts, those with a zone in UTC.
    """
    cells = portable(column)
    temporal, east = pa.types.is_temporal(cells.type), ""
    if pa.types.is_timestamp(cells.type) and cells.type.tz is not None:
        cells, east = cells.view(pa.timestamp(cells.type.unit)), "+00:00"
    if temporal:
        cells = cells.cast(pa.large_string())
    encoded = cells.dictionary_encode(null_encoding="encode")
    raw = encoded.dictionary.to_pylist()
    if temporal:
        raw = [None if cell is None else date_text(cell + east) for cell in raw]
    return raw, encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)


def converted(cells: pa.ChunkedArray, rule: Callable[[object], int]) -> Ints:
    """Apply a rule to each distinct cell; return the results cell by cell."""
    raw, where = distinct_cells(cells)
    return np.fromiter((rule(cell) for cell in raw), np.int64, len(raw))[where]


def codes_of(cells: pa.ChunkedArray, column: Column) -> npt.NDArray[np.int64]:
    """Return the code of each cell: plain numbers all at once, the others by `Column.code`.

    Examples
    --------
    >>> cells = pa.chunked_array([["7", " 7", "1e1", None, "x", "40.5"]])
    >>> codes_of(cells, Column.bins("dose", [10, 40])).tolist()
    [2, 2, 3, 0, 1, 4]
    """
    kind = cells.type
    if column.calendar is not None and (pa.types.is_timestamp(kind) or pa.types.is_date(kind)):
        return column.of_moments(_moments(portable(cells), column.calendar)).astype(np.int64)
    if column.of_numbers and column.pure:
        if pa.types.is_large_string(kind) or pa.types.is_string(kind):
            plain = pc.fill_null(pc.match_substring_regex(cells, PLAIN), False)
            values = pc.cast(pc.if_else(plain, cells, "0"), pa.float64()).to_numpy()
            codes = column.codes(values).astype(np.int64)
            odd = np.flatnonzero(~plain.to_numpy())
            codes[odd] = _one_by_one(cells.take(odd), column)
            return codes
        whole = pa.types.is_integer(kind) and kind != pa.uint64()
        if whole or pa.types.is_float64(kind):
            known = column.codes(cells.fill_null(0).to_numpy())
            return np.where(valid(cells), known, column.MISSING).astype(np.int64)
    return _one_by_one(cells, column)


def label_places(cells: pa.ChunkedArray, labels: Match) -> npt.NDArray[np.int8]:
    """Return the place of the label that each cell equals; the number of labels for none."""
    if pa.types.is_integer(cells.type) and len(cells) and not cells.null_count:
        values = cells.to_numpy()
        low, high = int(values.min()), int(values.max())
        if high - low < _FEW:
            places = np.array([labels.place(value) for value in range(low, high + 1)], np.int8)
            return cast("npt.NDArray[np.int8]", places[values - values.dtype.type(low)])
    return converted(cells, labels.place).astype(np.int8)


def _one_by_one(cells: pa.ChunkedArray, column: Column) -> npt.NDArray[np.int64]:
    raw, where = distinct_cells(cells)
    return column.codes(raw).astype(np.int64)[where]


def _moments(cells: pa.Array, calendar: Calendar) -> Ints:
    """Return dates and times as `Column.of_moments` takes them."""
    kind = cells.type
    width = pa.int32() if pa.types.is_date32(kind) else pa.int64()
    numbers = cells.view(width).fill_null(0).to_numpy().astype(np.int64)
    timed = pa.types.is_timestamp(kind)
    seconds: Ints = numbers // PER_SECOND[kind.unit] if timed else numbers * DAY
    seconds += DAYS_TO_1970 * DAY
    if timed and kind.tz is not None:
        moments, where = np.unique(seconds, return_inverse=True)
        local = np.fromiter(map(calendar.local, moments.tolist()), np.int64, len(moments))
        seconds = np.where((local >= 0) & (local < SECONDS), local, -1)[where]
    if calendar.by == "hour" and not timed:
        seconds[:] = -1
    seconds[~cells.is_valid().to_numpy(zero_copy_only=False)] = -2
    return seconds


def valid(column: pa.ChunkedArray) -> Mask:
    """Return which cells are not null."""
    if not column.null_count:
        return np.ones(len(column), dtype=bool)
    mask: Mask = column.is_valid().to_numpy(zero_copy_only=False)
    return mask
