"""Grouping where the data lie: one expression for all engines, and its groups in batches.

The engine groups equal raw cells and counts them; only groups come to Python, where each distinct
cell is converted by the public rules. For rows of a schema the numeric columns are binned inside
the engine (`bin_in_engine`), by comparisons that agree exactly with `Column.code`, so that ten
million different incomes do not become ten million groups.

DuckDB streams its groups itself. Spark would collect them: `toArrow` holds all of them in the
memory of this process. Here its Python workers pack each Arrow batch of groups into one binary
cell, and `toLocalIterator` fetches a partition of such cells after the other (both are public calls
of PySpark, classic and Connect). The function that packs is sent by value and needs PyArrow only:
this library is not imported by the workers. Whether workers can run it is tried with a row
that is no record; if not, groups are collected.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, cast

import narwhals.stable.v2 as nw
import pyarrow as pa
import pyarrow.compute as pc

from littlestone.data.calendar import ISO_TIME
from littlestone.data.columns import Column
from littlestone.data.convert import PLAIN
from littlestone.data.databases import SPARK, Frame, bytewise
from littlestone.data.engine import run_engine
from littlestone.data.points import check_same
from littlestone.data.schema import Schema
from littlestone.errors import DataError

INTEGERS = (nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32)
FLOATS = (nw.Float32, nw.Float64)

#: Beyond this many the expression is unwieldy, and grouping by raw cells is the cheaper way.
_MOST_EDGES = 300


class Binned(NamedTuple):
    """A column in the engine: what is to be computed first, and from that its code.

    A cell whose code is null and whose rest is null is missing; a cell whose code is null and
    whose rest is not is still to be converted.
    """

    value: nw.Expr  # a number, or null
    rest: nw.Expr | None  # cells that are no plain number, as they are
    edges: tuple[int | float, ...]

    def code(self, value: nw.Expr) -> nw.Expr:
        """Return the code of the value, which the engine has computed in a step before."""
        return nw.when(~value.is_null()).then(_code(value, self.edges, 0, len(self.edges)))


def bin_in_engine(cell: nw.Expr, dtype: Any, column: Column) -> Binned | None:
    """Return the expressions for a numeric column; None where cells must be read one by one.

    Comparisons are exact: integers are compared with integers (the edges rounded up), floats as
    doubles with doubles, and a text only when it is a short plain decimal, whose nearest double
    all engines agree on. Casts are guarded, so no text can make an engine fail.
    """
    if column.calendar is not None:
        return None
    if column.edges is None or not column.pure or len(column.edges) > _MOST_EDGES:
        return None
    if isinstance(dtype, INTEGERS):
        return Binned(cell.cast(nw.Int64), None, column.integer_edges)
    if isinstance(dtype, FLOATS):
        value = cell.cast(nw.Float64)
        return Binned(nw.when(~value.is_nan()).then(value), None, _doubles(column))
    if isinstance(dtype, nw.String):
        plain = cell.str.contains(PLAIN)
        value = nw.when(plain).then(cell).cast(nw.Float64)
        return Binned(value, nw.when(~plain).then(cell), _doubles(column))
    return None


def _days(cell: nw.Expr, dtype: Any, column: Column | None) -> nw.Expr:
    """Return cells as they are; times as their days, where the day decides: fewer groups."""
    if column is None or column.calendar is None or not column.of_days:
        return cell
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is None:
        return cell.cast(nw.Date)
    if isinstance(dtype, nw.String) and not column.calendar.form:
        timed = cell.str.contains(ISO_TIME)
        return nw.when(timed).then(cell.str.slice(0, 10)).otherwise(cell)
    return cell


def _doubles(column: Column) -> tuple[float, ...]:
    return tuple(float(edge) for edge in column.edges or ())


def _code(value: nw.Expr, edges: Sequence[float], low: int, high: int) -> nw.Expr:
    """Search the bin by halves: FIRST + the number of edges <= value, between low and high."""
    if low == high:
        return nw.lit(Column.FIRST + low)
    middle = (low + high) // 2
    below = value < nw.lit(edges[middle])
    return (
        nw.when(below)
        .then(_code(value, edges, low, middle))
        .otherwise(_code(value, edges, middle + 1, high))
    )


def in_groups(frame: Frame, schema: Schema | None = None) -> Frame:
    """Return the groups (k0, k1, ...; of binned columns b0, ...) and their counts, not yet read.

    The first columns are those of the schema, if there is one.
    """
    first: dict[str, nw.Expr] = {}
    then: dict[str, nw.Expr] = {}
    for j, (name, dtype) in enumerate(frame.collect_schema().items()):
        column = schema.columns[j] if schema is not None and j < len(schema) else None
        binned = None if column is None else bin_in_engine(nw.col(name), dtype, column)
        rest = _days(nw.col(name), dtype, column) if binned is None else binned.rest
        if binned is not None:
            first[f"v{j}"] = binned.value
            then[f"b{j}"] = binned.code(nw.col(f"v{j}"))
        if rest is not None:
            first[f"k{j}"] = rest
            then[f"k{j}"] = nw.col(f"k{j}")
    keys = bytewise(frame.select(**first).select(**then))
    return keys.group_by(*then).agg(count=nw.len())


#: Groups of a partition of Spark, at most about: what its driver and a worker hold at once.
_PARTITION = 1 << 21
_ROWS = 1 << 18  # of a batch


def streamed(frame: Frame) -> bool:
    """Return whether the engine hands out groups in batches; nothing of the table is read.

    Examples
    --------
    >>> from littlestone.data.tables import read_table
    >>> streamed(read_table({"dose": [3, 9]}).frame(["dose"], "doctest"))
    True
    """
    engine: Any = frame.implementation
    return engine is nw.Implementation.DUCKDB or (engine in SPARK and _packs(frame.to_native()))


def in_batches(
    grouped: Frame, *, rows: int | None = None, size: int = _ROWS
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a lazy frame, read once, in no order.

    Notes
    -----
    *Cost.* Memory of a few batches, where `streamed`; else that of all groups. Spark packs and
    fetches partitions one after the other, two at a time. Figures: ``docs/scale.md``.

    Examples
    --------
    >>> from littlestone.data.tables import read_table
    >>> frame = read_table({"dose": ["3", "9", "3"]}).frame(["dose"], "doctest")
    >>> sum(batch.num_rows for batch in in_batches(in_groups(frame)))
    2
    """
    engine, native = cast(Any, grouped.implementation), cast(Any, grouped.to_native())
    if engine is nw.Implementation.DUCKDB:
        yield from native.to_arrow_reader(size)
    elif engine in SPARK and _packs(native):
        found = 0
        for batch in _joined(_unpacked(_cut(native, rows)), size):
            found += pc.sum(batch.column(batch.num_columns - 1)).as_py()
            yield batch
        check_same([found] if rows is None else [rows, found])  # each partition is a job
    else:
        yield from cast(Any, grouped.collect("pyarrow")).to_native().to_batches(size)


def _cut(native: Any, rows: int | None) -> Any:
    """Ask Spark for more partitions, if so many rows may be too many groups for those it makes."""
    known = native.sparkSession.conf.get("spark.sql.shuffle.partitions")
    needed = math.ceil((rows or 0) / _PARTITION)
    if not known.isdigit() or needed <= int(known):  # some clusters say: auto
        return native
    return native.repartition(needed, *native.columns[:-1])


def _unpacked(native: Any) -> Iterator[pa.RecordBatch]:
    """Fetch the batches that Spark's workers packed."""
    with warnings.catch_warnings():
        # pyspark says that it does not fully support pandas 3; nothing here goes through pandas.
        warnings.simplefilter("ignore", FutureWarning)
        packed = native.mapInArrow(_packer(), "packed binary")
    kinds = native.limit(0).toArrow().schema  # workers name time zones in another way
    for (cell,) in packed.toLocalIterator(prefetchPartitions=True):
        for batch in pa.ipc.open_stream(pa.py_buffer(cell)):
            yield batch.cast(kinds)


def _joined(batches: Iterator[pa.RecordBatch], size: int) -> Iterator[pa.RecordBatch]:
    """Join small batches: each costs about a millisecond for each column."""
    kept: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        kept.append(batch)
        rows += batch.num_rows
        if rows >= size:
            yield pa.concat_batches(kept)
            kept, rows = [], 0
    if kept:
        yield pa.concat_batches(kept)


def _packs(native: Any) -> bool:
    """Return whether Spark's workers can pack batches: a public thing, of the cluster only."""

    def run() -> bool:
        one = native.sparkSession.range(1)
        return [batch.num_rows for batch in _unpacked(one)] == [1]

    try:
        return run_engine(run, "Spark's workers cannot run Python with Arrow.")
    except DataError:
        return False


def _packer() -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function for the workers. It is nested, so that it is pickled by value."""

    def pack(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow  # noqa: PLC0415 - of the worker

        compression = "zstd" if pyarrow.Codec.is_available("zstd") else None
        options = pyarrow.ipc.IpcWriteOptions(compression=compression)
        left: list[Any] = []
        for batch in batches:
            left.append(batch)
            while left:
                piece = left.pop()
                half = piece.num_rows // 2
                if piece.nbytes > 1 << 24 and half:  # what Spark sends at once is limited
                    left += [piece.slice(half), piece.slice(0, half)]
                    continue
                sink = pyarrow.BufferOutputStream()
                with pyarrow.ipc.new_stream(sink, piece.schema, options=options) as out:
                    out.write_batch(piece)
                cell = pyarrow.array([sink.getvalue().to_pybytes()], pyarrow.binary())
                yield pyarrow.record_batch([cell], names=["packed"])

    return pack
