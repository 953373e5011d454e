"""Arrow columns and Parquet files, read totally: types decide what is read, values never do.

A column's type is public, but Arrow does not check values against it: a text may hold bytes that
are not UTF-8, a timestamp may be beyond what an engine can convert or write. One such value would
stop the engine, and so tell everyone that it is there. `portable` looks at each value alone:

* texts: bytes that are not UTF-8 become the replacement character;
* dates and times: outside the years 1 to 9999 (times: outside one day) they are null;
* durations are no cells, so they are null (see `littlestone.data.cells`).

What it returns has a type that depends on the given type only.

DuckDB's own reader of Parquet stops at such values, and casts the later parts of a table to the
types of the first one. `ParquetParts` asks for parts with equal columns (their schemas are public),
and `ParquetColumns` hands out each value made safe alone, before DuckDB counts. Only whole numbers
and booleans have no such values: DuckDB reads them itself (`littlestone.data.tables`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

# -- progress: the share of rows, where their number is public -----------------------------------
# Only rows that a reader hands out one batch after the other are counted. What an engine does
# inside (grouping, sorting) depends on the records, so nothing is said about it. Nor does what is
# said reveal where batches end: a writer may cut its file by bytes, which are the records'.


_watching: list[Callable[[float], None]] = []


@contextmanager
def watched(tell: Callable[[float], None]) -> Iterator[None]:
    """Call ``tell(share)`` while tables are read in this process; engines' threads call it, too.

    Examples
    --------
    >>> with watched(print):
    ...     progress = Progress(3)
    ...     progress(2), progress(1)  # doctest: +ELLIPSIS
    0.01
    0.02
    ...
    0.99
    1.0
    (None, None)
    """
    _watching.append(tell)
    try:
        yield
    finally:
        _watching.remove(tell)


class Progress:
    """Counts the rows of one reading; says each percent once, one after the other."""

    def __init__(self, total: int | None) -> None:
        self._total, self._done, self._said = total, 0, 0

    def __call__(self, rows: int) -> None:
        """Count further rows."""
        self._done += rows
        if not self._total or not _watching:
            return
        percent = min(100 * self._done // self._total, 100)
        while self._said < percent:
            self._said += 1
            for tell in tuple(_watching):
                tell(self._said / 100)


_DAY = 86_400
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31, in days from 1970
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def portable(column: pa.Array | pa.ChunkedArray) -> pa.Array:  # noqa: PLR0911 - a line a type
    """Return the column as one array of a type, and with values, that every engine takes.

    Examples
    --------
    >>> times = pa.array([0, 2**62]).view(pa.timestamp("ms"))
    >>> portable(times).is_valid().to_pylist()
    [True, False]
    """
    if isinstance(column, pa.ChunkedArray):
        chunks = [portable(chunk) for chunk in column.chunks]
        return pa.concat_arrays(chunks or [portable(pa.nulls(0, column.type))])
    column = _plain(column)
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return repaired(column)
    if pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return column.cast(pa.large_binary())
    if pa.types.is_temporal(kind):
        return _temporal(column)
    if pa.types.is_float16(kind):
        return column.cast(pa.float32())
    if pa.types.is_decimal256(kind):
        return column.cast(pa.large_string())
    return column


def portable_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of what `portable` makes of a type."""
    return portable(pa.nulls(0, kind)).type


def _plain(column: pa.Array) -> pa.Array:  # noqa: PLR0911 - one line for each type
    """Undo the encodings that are another form of a simple type."""
    if isinstance(column, pa.ExtensionArray):
        return _plain(column.storage)
    kind = column.type
    if pa.types.is_dictionary(kind):
        values = _plain(column.dictionary)
        return portable(values).take(column.indices)  # repaired before it is copied
    if pa.types.is_run_end_encoded(kind):
        return _plain(pc.run_end_decode(column))
    if pa.types.is_string_view(kind):
        return column.cast(pa.binary_view()).cast(pa.large_binary()).view(pa.large_string())
    if pa.types.is_binary_view(kind):
        return column.cast(pa.large_binary())
    if pa.types.is_map(kind) or pa.types.is_union(kind):
        return pa.nulls(len(column), pa.list_(pa.null()))  # refused by its type: it has no cells
    return column


def repaired(column: pa.Array) -> pa.Array:
    r"""Return texts, or bytes that are texts, as UTF-8; with 64-bit offsets, for beyond 2 GB.

    Examples
    --------
    >>> repaired(pa.array([b"a", b"\xff"])).to_pylist()
    ['a', '\ufffd']
    """
    if pa.types.is_string(column.type):
        column = column.view(pa.binary())
    elif pa.types.is_large_string(column.type):
        column = column.view(pa.large_binary())
    raw = column.cast(pa.large_binary())
    try:
        return raw.cast(pa.large_string())  # checks every value
    except pa.ArrowInvalid:
        cells = (None if c is None else c.decode("utf-8", "replace") for c in raw.to_pylist())
        return pa.array(cells, pa.large_string())


def _temporal(column: pa.Array) -> pa.Array:
    """Let values be null that lie outside the years 1 to 9999, or outside one day."""
    kind = column.type
    if pa.types.is_date32(kind):
        return _within(column, pa.int32(), _FIRST_DAY, _LAST_DAY).cast(pa.int32()).view(kind)
    if pa.types.is_date64(kind):
        days = np.floor_divide(_integers(column), 1000 * _DAY)
        inside = (days >= _FIRST_DAY) & (days <= _LAST_DAY) & _valid(column)
        return pa.array(np.where(inside, days, 0).astype(np.int32), mask=~inside).view(pa.date32())
    if pa.types.is_timestamp(kind):
        unit = _PER_SECOND[kind.unit]
        first, after = _FIRST_DAY * _DAY * unit, (_LAST_DAY + 1) * _DAY * unit
        return _within(column, pa.int64(), first, after - 1).view(kind)
    if pa.types.is_time(kind):
        width = pa.int32() if pa.types.is_time32(kind) else pa.int64()
        last = _DAY * _PER_SECOND[kind.unit] - 1
        return _within(column, width, 0, last).cast(width).view(kind)
    return pa.nulls(len(column), pa.large_string())


def _within(column: pa.Array, width: pa.DataType, low: int, high: int) -> pa.Array:
    """Return the physical integers of a temporal column, null outside [low, high]."""
    numbers = column.view(width).cast(pa.int64())
    low, high = max(low, -(2**63) + 1), min(high, 2**63 - 2)  # the last ones are infinities
    inside = pc.and_(pc.greater_equal(numbers, low), pc.less_equal(numbers, high))
    return pc.if_else(inside, numbers, pa.scalar(None, pa.int64()))


def _integers(column: pa.Array) -> npt.NDArray[np.int64]:
    values: npt.NDArray[np.int64] = column.view(pa.int64()).fill_null(0).to_numpy()
    return values


def _valid(column: pa.Array) -> npt.NDArray[Any]:
    mask: npt.NDArray[Any] = column.is_valid().to_numpy(zero_copy_only=False)
    return mask


#: How far a file is read ahead: little, so that memory is that of a few batches.
_AHEAD: dict[str, Any] = {
    "batch_size": 1 << 16,
    "batch_readahead": 1,
    "fragment_readahead": 1,
    "fragment_scan_options": ds.ParquetFragmentScanOptions(
        pre_buffer=False, use_buffered_stream=True
    ),
}


class ParquetParts:
    """The files of one table, in order."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = [str(path) for path in paths]
        footers = [pq.read_metadata(part) for part in self.paths]
        schemas = [footer.schema.to_arrow_schema() for footer in footers]
        self.rows = sum(footer.num_rows for footer in footers)
        columns = [[(field.name, field.type) for field in schema] for schema in schemas]
        self.fields = columns[0]
        self.alike = all(other == self.fields for other in columns)


class ParquetColumns:
    """Some columns of Parquet files, as an Arrow stream that can be read again and again."""

    def __init__(self, parts: ParquetParts, columns: Sequence[int]) -> None:
        self._parts = parts
        asked = [parts.fields[position] for position in columns]
        self._names = [name for name, _ in asked]
        self.schema = pa.schema(
            [(f"c{j}", portable_type(kind)) for j, (_, kind) in enumerate(asked)]
        )

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows of all parts, in order."""
        files = ds.dataset(
            self._parts.paths, schema=pa.schema(self._parts.fields), format="parquet"
        )
        asked = {f"c{j}": ds.field(name) for j, name in enumerate(self._names)}
        progress = Progress(self._parts.rows)
        for batch in files.to_batches(columns=asked, **_AHEAD):
            progress(len(batch))
            yield pa.record_batch([portable(column) for column in batch], schema=self.schema)

    def __arrow_c_schema__(self) -> object:
        """Return the schema (Arrow's interface between libraries)."""
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return a new stream from the first row (Arrow's interface between libraries)."""
        reader = pa.RecordBatchReader.from_batches(self.schema, self.batches())
        return reader.__arrow_c_stream__(requested_schema)
