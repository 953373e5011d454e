"""From Arrow columns to points: at once for plain numbers, by the rule for any other cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from littlestone.data.arrow import portable, repaired
from littlestone.data.cells import WHITE, date_text
from littlestone.data.columns import Column
from littlestone.data.domains import OUTSIDE, Domain, IntegerDomain, Line
from littlestone.data.points import distinct, object_points, widened
from littlestone.types import Points

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Texts that every engine's cast to double reads alike, and as `cells.number` does.
PLAIN = r"\A-?[0-9]{1,15}(\.[0-9]{1,25})?\z"
_PLAIN = r"\A-?[0-9]{1,17}\z"  # whole numbers that surely fit into 64 bits


def distinct_cells(column: pa.ChunkedArray) -> tuple[list[Any], Ints]:
    """Return the distinct cells as Python values, and which of them each cell is."""
    cells = portable(column)
    temporal = pa.types.is_temporal(cells.type)
    if temporal:
        cells = cells.cast(pa.large_string())
    encoded = cells.dictionary_encode(null_encoding="encode")
    raw = encoded.dictionary.to_pylist()
    if temporal:
        raw = [None if cell is None else date_text(cell) for cell in raw]
    return raw, encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)


def points_of(column: pa.ChunkedArray, domain: Domain) -> tuple[Points, Ints]:
    """Return the distinct points of a column in canonical order, and the index of each cell's.

    The index of a cell outside the domain is -1.
    """
    if isinstance(domain, IntegerDomain) and domain.small:
        numbers = _integers(column, domain)
        if numbers is not None:
            values, inside = numbers
            points, where = distinct(values[inside])
            index = np.full(len(values), -1, dtype=np.int64)
            index[inside] = where
            return points, index
    if isinstance(domain, IntegerDomain) and pa.types.is_integer(column.type):
        return _long_integers(column, domain)
    raw, cell = distinct_cells(column)
    converted = [domain.cell(value) for value in raw]
    points_inside = [point for point in converted if point is not OUTSIDE]
    points, where = distinct(object_points(points_inside))
    index = np.full(len(raw), -1, dtype=np.int64)
    index[[i for i, point in enumerate(converted) if point is not OUTSIDE]] = where
    return points, index[cell]


def keys_of(column: pa.ChunkedArray, domain: Domain, line: Line) -> tuple[Ints, Mask]:
    """Return the number of each cell's point on a line, and which cells are points."""
    if isinstance(domain, IntegerDomain) and (numbers := _integers(column, domain)) is not None:
        return numbers
    points, point = points_of(column, domain)
    inside = point >= 0
    keys = np.zeros(len(point), dtype=np.int64)
    keys[inside] = line.keys(points.astype(np.int64))[point[inside]]
    return keys, inside


def codes_of(cells: pa.ChunkedArray, column: Column) -> npt.NDArray[np.int64]:
    """Return the code of each cell: plain numbers all at once, the others by `Column.code`.

    Examples
    --------
    >>> cells = pa.chunked_array([["7", " 7", "1e1", None, "x", "40.5"]])
    >>> codes_of(cells, Column.bins("dose", [10, 40])).tolist()
    [2, 2, 3, 0, 1, 4]
    """
    kind = cells.type
    if column.of_numbers and column.pure:
        if pa.types.is_large_string(kind) or pa.types.is_string(kind):
            plain = pc.fill_null(pc.match_substring_regex(cells, PLAIN), False)
            values = pc.cast(pc.if_else(plain, cells, "0"), pa.float64()).to_numpy()
            codes = column.codes(values).astype(np.int64)
            odd = np.flatnonzero(~plain.to_numpy())
            codes[odd] = _one_by_one(cells.take(odd), column)
            return codes
        whole = pa.types.is_integer(kind) and kind != pa.uint64()
        if whole or pa.types.is_float32(kind) or pa.types.is_float64(kind):
            known = column.codes(cells.fill_null(0).to_numpy())
            return np.where(_valid(cells), known, column.MISSING).astype(np.int64)
    return _one_by_one(cells, column)


def _one_by_one(cells: pa.ChunkedArray, column: Column) -> npt.NDArray[np.int64]:
    raw, where = distinct_cells(cells)
    return np.fromiter((column.code(cell) for cell in raw), np.int64, len(raw))[where]


def whole_numbers(column: pa.ChunkedArray, domain: IntegerDomain) -> tuple[npt.NDArray[Any], Mask]:
    """Return whole numbers in their own type, and which are in a domain of any size."""
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    values = column.fill_null(0).to_numpy() if column.null_count else column.to_numpy()
    kind = np.iinfo(values.dtype)
    inside = _valid(column)
    if domain.low > kind.min:
        inside = inside & (domain.low <= kind.max) & (values >= min(domain.low, kind.max))
    if domain.high < kind.max:
        inside = inside & (domain.high >= kind.min) & (values <= max(domain.high, kind.min))
    return values, inside


def _long_integers(column: pa.ChunkedArray, domain: IntegerDomain) -> tuple[Points, Ints]:
    """Convert whole numbers for a domain that is longer than 64 bits, or nearly so."""
    values, inside = whole_numbers(column, domain)
    points, where = distinct(values[inside])
    index = np.full(len(values), -1, dtype=np.int64)
    index[inside] = where
    return widened(points), index


def _integers(column: pa.ChunkedArray, domain: IntegerDomain) -> tuple[Ints, Mask] | None:
    """Convert a column of a simple type; None when the type is not simple."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        values, inside = whole_numbers(column, domain)
        return values.astype(np.int64, copy=False), inside
    if pa.types.is_floating(kind):
        values = column.cast(pa.float64()).fill_null(np.nan).to_numpy()
        whole = (np.abs(values) < 2.0**63) & (np.floor(values) == values)  # NaN is not whole
        return _inside(np.where(whole, values, 0).astype(np.int64), domain, whole)
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_large_binary)
    if pa.types.is_binary(kind) or any(form(kind) for form in texts):
        return _written(column, domain)
    return None


def _written(column: pa.ChunkedArray, domain: IntegerDomain) -> tuple[Ints, Mask]:
    """Convert texts: plain digits all at once, the others one by one."""
    column = pa.chunked_array([repaired(column.combine_chunks())])
    cells = pc.utf8_trim(column, characters=WHITE)
    plain = pc.fill_null(pc.match_substring_regex(cells, _PLAIN), False)
    numbers = pc.cast(pc.if_else(plain, cells, None), pa.int64())
    values, inside = _inside(numbers.fill_null(0).to_numpy(), domain, _valid(numbers))
    odd = np.flatnonzero(~plain.to_numpy())
    if len(odd):
        values, inside = values.copy(), inside.copy()
        raw, where = distinct_cells(column.take(odd))
        converted = [domain.cell(cell) for cell in raw]
        known = np.array([point is not OUTSIDE for point in converted])
        points = np.array([0 if point is OUTSIDE else point for point in converted], np.int64)
        inside[odd], values[odd] = known[where], points[where]
    return values, inside


def _inside(values: npt.NDArray[Any], domain: IntegerDomain, valid: Mask) -> tuple[Ints, Mask]:
    inside = valid & (values >= domain.low) & (values <= domain.high)
    return values.astype(np.int64), inside


def _valid(column: pa.ChunkedArray) -> Mask:
    if not column.null_count:
        return np.ones(len(column), dtype=bool)
    mask: Mask = column.is_valid().to_numpy(zero_copy_only=False)
    return mask
