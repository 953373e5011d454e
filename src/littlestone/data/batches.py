"""Groups that an engine hands out one batch after the other, so that they are never held together.

DuckDB streams its groups itself. Spark would collect them: `toArrow` holds all of them in the
memory of this process. Here its Python workers pack each Arrow batch of groups into one binary
cell, and `toLocalIterator` fetches a partition of such cells after the other (both are public calls
of PySpark, classic and Connect). The function that packs is sent by value and needs PyArrow only:
this library is not imported by the workers. Whether workers can run it is tried with a row
that is no record; if not, groups are collected as before.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any, cast

import narwhals.stable.v2 as nw
import pyarrow as pa
import pyarrow.compute as pc

from littlestone.data.dialects import SPARK, Frame
from littlestone.data.engine import quietly
from littlestone.data.sample import check_same
from littlestone.errors import DataError

__all__ = ["in_batches", "streamed"]

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

    Parameters
    ----------
    grouped : LazyFrame
        What `in_groups` returns: the last column counts.
    rows : int, optional
        Public: the number of rows of the table, if it is known. Spark's groups are then cut into
        partitions that fit into memory.
    size : int
        Rows of a batch, about.

    Yields
    ------
    RecordBatch

    Raises
    ------
    DataError
        If Spark has found another number of rows than it has counted before.
    Exception
        Whatever the engine raises, with rows in its message: to be run by `quietly`.

    Notes
    -----
    *Cost.* Memory of a few batches, where `streamed`; else that of all groups. Spark packs and
    fetches partitions one after the other, two at a time. Figures: ``docs/scale.md``.

    Examples
    --------
    >>> from littlestone.data.counting import in_groups
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
    held = 0
    for batch in batches:
        kept.append(batch)
        held += batch.num_rows
        if held >= size:
            yield pa.concat_batches(kept)
            kept, held = [], 0
    if kept:
        yield pa.concat_batches(kept)


def _packs(native: Any) -> bool:
    """Return whether Spark's workers can pack batches: a public thing, of the cluster only."""

    def run() -> bool:
        one = native.sparkSession.range(1)
        return [batch.num_rows for batch in _unpacked(one)] == [1]

    try:
        return quietly(run, "Spark's workers cannot run Python with Arrow.")
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
