"""What does not fit into memory: tables of one reading, in a DuckDB file that has no name.

The file loses its name as soon as it is open, so the system frees it with the process, however
that ends. Grouping and sorting are DuckDB's, which spills beyond its memory (`engine.py`).
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from littlestone.data.engine import connect, run_engine
from littlestone.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection

NO_SPACE = (
    "The private copy of the records could not be written: is there space left in the folder of "
    "temporary files? Nothing is released."
)
DAMAGED = "The private copy of the records is damaged. Nothing is released; read them again."

_ROWS = 1 << 18  # of a batch
_NUMBERS = count()


class _Table(NamedTuple):
    keys: tuple[str, ...]
    rows: int


class Store:
    """Sorted tables, each written once and read again and again.

    Examples
    --------
    >>> import pyarrow as pa
    >>> store = Store()
    >>> given = pa.table({"key": [5, 3, 5], "n": [1, 2, 3]})
    >>> store.keep("points", given.schema, given.to_batches(), "key", add="n")
    >>> [batch.to_pydict() for batch in store.batches("points")]
    [{'key': [3, 5], 'n': [2, 4]}]
    """

    def __init__(self) -> None:
        self._connection = connect()
        self._name = f"store{next(_NUMBERS)}"
        self._tables: dict[str, _Table] = {}
        run_engine(self._open, NO_SPACE)
        weakref.finalize(self, _close, self._connection, self._name)

    def _open(self) -> None:
        folder = tempfile.mkdtemp(prefix="littlestone-")
        path = str(Path(folder) / "s.db").replace("'", "''")
        try:
            self._connection.execute(
                f"ATTACH '{path}' AS {self._name} (RECOVERY_MODE no_wal_writes)"
            )
        finally:
            if os.name == "nt":  # an open file keeps its name there
                atexit.register(shutil.rmtree, folder, ignore_errors=True)
            else:
                shutil.rmtree(folder)

    def keep(
        self,
        table: str,
        schema: pa.Schema,
        given: Iterable[pa.RecordBatch],
        keys: str = "",
        *,
        add: str = "",
    ) -> None:
        """Write batches, grouped and sorted by their keys; without keys as they come.

        ``add`` is the column that is added up over equal keys; where batches lack it, rows count.
        """
        import pyarrow as pa  # noqa: PLC0415 - loaded when something is read

        failed: list[BaseException] = []

        def watched() -> Iterator[pa.RecordBatch]:
            try:
                yield from given
            except BaseException as error:  # which DuckDB would hide
                failed.append(error)
                raise

        def write() -> int:
            reader = pa.RecordBatchReader.from_batches(schema, watched())
            self._connection.register("given", reader)
            sql = f"CREATE TABLE {self._name}.{table} AS SELECT "
            times = f"CAST(sum({add}) AS BIGINT)" if add in schema.names else "count(*)"
            sql += f"{keys}, {times} AS {add}" if add else "*"
            sql += " FROM given"
            sql += f" GROUP BY {keys}" if add else ""
            sql += f" ORDER BY {keys}" if keys else ""
            try:
                ((rows,),) = self._connection.execute(sql).fetchall()
            finally:
                self._connection.unregister("given")
            return int(rows)

        rows, stopped = 0, None
        try:
            rows = run_engine(write, NO_SPACE)
        except DataError as error:
            stopped = error
        if failed or stopped:
            raise failed[0] if failed else stopped  # type: ignore[misc]
        self._tables[table] = _Table(tuple(keys.split(", ")) if keys else (), rows)

    def batches(self, table: str, size: int = _ROWS) -> Iterator[pa.RecordBatch]:
        """Yield a table in order of its keys, the same each time."""
        keys, rows = self._tables[table]
        cursor = self._connection.cursor()
        reader = run_engine(
            lambda: cursor.sql(f"FROM {self._name}.{table}").to_arrow_reader(size), DAMAGED
        )
        last: pa.RecordBatch | None = None
        while (batch := run_engine(lambda: next(reader, None), DAMAGED)) is not None:
            columns = [batch.column(name).to_numpy() for name in keys]
            before = [] if last is None else [last.column(name)[-1].as_py() for name in keys]
            if columns and batch.num_rows and not _rises(columns, before):
                raise DataError(DAMAGED)
            rows -= batch.num_rows
            last = batch if batch.num_rows else last
            yield batch
        if rows:
            raise DataError(DAMAGED)


def _rises(columns: Sequence[npt.NDArray[Any]], before: Sequence[int]) -> bool:
    """Return whether rows are in strictly increasing order, and behind the row before."""
    rising = np.zeros(len(columns[0]) - 1, dtype=bool)
    for column in reversed(columns):
        rising = (column[1:] > column[:-1]) | ((column[1:] == column[:-1]) & rising)
    first = [int(column[0]) for column in columns]
    return bool(rising.all()) and (not before or first > list(before))


def _close(connection: DuckDBPyConnection, name: str) -> None:
    connection.execute(f"DETACH {name}")
