"""Tables in databases, by URL: DuckDB and SQLite files, and PostgreSQL.

======================================  =======================================================
``duckdb:///db.duckdb?table=t``         grouped by the engine that is bundled
``sqlite:///db.sqlite?table=t``         read by Python's own ``sqlite3``, cell by cell
``postgresql://user@host/db?table=t``   grouped in the server, through Ibis and psycopg
======================================  =======================================================

A path after three slashes is relative, after four absolute. ``schema=s`` names a schema. All are
opened for reading only. A URL may hold a password: no message repeats it, and nothing stores it.

Tables of SQLFrame on DuckDB, which have no URL, are read in batches, too.

SQLite stores values, not columns, of a type: a column of whole numbers may hold a text. So its
cells are read one by one, as texts, and grouped by DuckDB.
"""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import narwhals.stable.v2 as nw
import pyarrow as pa

from littlestone.data.arrow import portable, portable_type
from littlestone.data.cells import text
from littlestone.data.dialects import Frame
from littlestone.data.engine import open_file, quietly
from littlestone.errors import ParameterError, UnsupportedError, parameter_error

__all__ = ["SqlframeTable", "SqliteTable", "open_url"]

_ROWS = 1 << 16  # of a batch
_FORM = "a URL such as duckdb:///db.duckdb?table=t, sqlite:///db.sqlite?table=t or "
_FORM += "postgresql://host/db?table=t (it is not repeated here: it may hold a password)"
_CLOSED = (
    "The database given to {} cannot be opened, or has no such table. Its own message is not "
    "shown, because it may repeat what the URL holds."
)


def open_url(url: str, owner: str) -> Frame | SqliteTable:
    """Return the table that a URL names: lazy in its engine, or to be read cell by cell.

    Raises
    ------
    ParameterError
        A URL that is none of these; it is not repeated.
    DataError
        A database that cannot be opened, or a table that does not exist.
    UnsupportedError
        If the extra ``databases`` is needed and not installed.
    """
    try:
        parts = urlsplit(url)
        asked = dict(parse_qsl(parts.query, strict_parsing=True))
    except ValueError:
        raise _refused(owner) from None
    table, schema = asked.pop("table", ""), asked.pop("schema", None)
    if not table:
        raise _refused(owner)
    if parts.scheme in ("postgresql", "postgres"):
        rest = parts._replace(scheme="postgresql", query=urlencode(asked)).geturl()
        return quietly(lambda: _postgres(rest, table, schema), _CLOSED.format(owner))
    if parts.netloc or asked or parts.scheme not in ("duckdb", "sqlite"):
        raise _refused(owner)
    path = Path(unquote(parts.path)[1:])
    if not os.path.isfile(path):
        hint = "A path after three slashes is relative, after four absolute."
        raise parameter_error(owner, "table", "the URL of a file that exists", str(path), hint)
    made = _duckdb if parts.scheme == "duckdb" else SqliteTable
    return quietly(lambda: made(path, _quoted(table, schema)), _CLOSED.format(owner))


def _refused(owner: str) -> ParameterError:
    return ParameterError(f"The 'table' parameter of {owner} must be {_FORM}.")


def _quoted(table: str, schema: str | None) -> str:
    names = [table] if schema is None else [schema, table]
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)


def _duckdb(path: Path, table: str) -> Frame:
    frame: Frame = nw.from_native(open_file(path).sql(f"FROM {table}"))
    return frame


def _postgres(url: str, table: str, schema: str | None) -> Frame:
    try:
        import ibis  # noqa: PLC0415 - optional dependencies
        import psycopg  # noqa: PLC0415
    except ImportError:
        raise UnsupportedError(
            "PostgreSQL is an optional engine. Install it: pip install 'littlestone[databases]'."
        ) from None
    # no transaction stays open: it would hold a lock on the table
    connection = psycopg.connect(url, autocommit=True)
    connection.execute("SET default_transaction_read_only = on")
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        connection.close()
        raise ParameterError(
            f"PostgreSQL databases of encoding {encoding} are not read: one text that is no UTF-8 "
            "would stop the engine. Use a database of encoding UTF8."
        )
    backend = ibis.postgres.from_connection(connection)
    weakref.finalize(backend, connection.close)  # it lives as long as what is asked of it
    frame: Frame = nw.from_native(backend.table(table, database=schema))
    return frame


class SqliteTable:
    """A table of an SQLite file; each reading is one statement, which sees one state of it.

    Parameters
    ----------
    path : Path
    table : str
        Its name, in quotes.

    Attributes
    ----------
    names : list of str
        Of its columns.
    """

    def __init__(self, path: Path, table: str) -> None:
        self._path, self._table = path, table
        with closing(_reading(path)) as connection:
            told = connection.execute(f"SELECT * FROM {table} LIMIT 0").description  # noqa: S608
        self.names = [name for name, *_ in told]

    def read(self, columns: Sequence[str]) -> _SqliteColumns:
        """Return an Arrow stream of some columns."""
        asked = ", ".join(_quoted(name, None) for name in columns)
        query = f"SELECT {asked} FROM {self._table}"  # noqa: S608 - names in quotes
        return _SqliteColumns(self._path, query, len(columns))


def _reading(path: Path) -> sqlite3.Connection:
    # DuckDB asks for the batches from one thread after the other
    url = f"{path.absolute().as_uri()}?mode=ro"
    connection = sqlite3.connect(url, uri=True, check_same_thread=False)
    connection.text_factory = bytes  # a text need not be UTF-8
    return connection


class _SqliteColumns:
    """Columns as texts, as an Arrow stream that can be read again and again."""

    def __init__(self, path: Path, query: str, width: int) -> None:
        self._path, self._query = path, query
        self.schema = pa.schema([(f"c{j}", pa.large_string()) for j in range(width)])

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows; each cell is written as a text, alone."""
        with closing(_reading(self._path)) as connection:
            cursor = connection.execute(self._query)
            while rows := cursor.fetchmany(_ROWS):
                cells = [[text(cell) for cell in column] for column in zip(*rows, strict=True)]
                arrays = [pa.array(column, pa.large_string()) for column in cells]
                yield pa.record_batch(arrays, schema=self.schema)

    def __arrow_c_schema__(self) -> object:
        """Return the schema (Arrow's interface between libraries)."""
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return a new stream from the first row (Arrow's interface between libraries)."""
        reader = pa.RecordBatchReader.from_batches(self.schema, self.batches())
        return reader.__arrow_c_stream__(requested_schema)


class SqlframeTable:
    """A table of SQLFrame on DuckDB, which hands out its rows in Arrow batches.

    Through narwhals it would not keep the rules: a name with a dot is taken for a field of a
    structure, and a cast of a text to bytes stops at an accent.

    Parameters
    ----------
    frame : sqlframe.duckdb.DuckDBDataFrame

    Attributes
    ----------
    names : list of str
        Of its columns.

    Raises
    ------
    ParameterError
        SQLFrame on another engine, which it names.
    """

    def __init__(self, frame: Any) -> None:
        engine = type(frame.session).__module__.split(".")[1]
        if engine != "duckdb":
            raise ParameterError(
                f"SQLFrame on {engine} is not an engine of tables here: whether it compares texts "
                "by their bytes is not known. Of SQLFrame DuckDB is read. Collect the table first, "
                "or give the URL of its database."
            )
        self._frame, self.names = frame, list(frame.columns)

    def read(self, columns: Sequence[str]) -> _SqlframeColumns:
        """Return an Arrow stream of some columns."""
        return _SqlframeColumns(self._frame, [self.names.index(name) for name in columns])


class _SqlframeColumns:
    """Columns by position, as an Arrow stream that can be read again and again."""

    def __init__(self, frame: Any, positions: Sequence[int]) -> None:
        self._frame, self._positions = frame, positions
        kinds = frame.limit(0).toArrow().schema.types
        named = [(f"c{j}", portable_type(kinds[at])) for j, at in enumerate(positions)]
        self.schema = pa.schema(named)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows; each cell is made portable alone."""
        for batch in self._frame.toArrow(_ROWS):
            columns = [portable(batch.column(at)) for at in self._positions]
            yield pa.record_batch(columns, schema=self.schema)

    def __arrow_c_schema__(self) -> object:
        """Return the schema (Arrow's interface between libraries)."""
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return a new stream from the first row (Arrow's interface between libraries)."""
        reader = pa.RecordBatchReader.from_batches(self.schema, self.batches())
        return reader.__arrow_c_stream__(requested_schema)
