"""Tables in databases, by URL: DuckDB files and PostgreSQL.

======================================  =======================================================
``duckdb:///db.duckdb?table=t``         grouped by the engine that is bundled
``postgresql://user@host/db?table=t``   grouped in the server, through Ibis and psycopg
======================================  =======================================================

A path after three slashes is relative, after four absolute. ``schema=s`` names a schema. Both are
opened for reading only. A URL may hold a password: no message repeats it, and nothing stores it.
"""

from __future__ import annotations

import os
import weakref
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import duckdb
import narwhals.stable.v2 as nw

from littlestone.data.engine import open_file, run_engine
from littlestone.errors import DataError, ParameterError, UnsupportedError, parameter_error

# Lazy engines: which ones group by value, and how each is made to compare texts by their bytes
#
# Polars compares texts by their bytes. The others may have a collation (of a column, of a
# session),
# so texts become bytes inside the engine, by what each calls that. An engine that is not listed
# here
# is refused by its name: nobody has looked whether it keeps the rules.
#
# For Ibis the types are as few as the rules need: whole numbers, floats, booleans, texts
# and bytes. Others are refused by type, since what a driver does with odd values of theirs (a date
# ``infinity``, a number of a thousand digits) would be a refusal because of a value.


Frame = nw.LazyFrame[Any]

SPARK = (nw.Implementation.PYSPARK, nw.Implementation.PYSPARK_CONNECT)
_ENGINES = (
    *(nw.Implementation.POLARS, nw.Implementation.DUCKDB, nw.Implementation.IBIS),
    *SPARK,
)

#: How each database of Ibis writes a text as bytes: a function with further arguments, or a cast.
#: DuckDB and PostgreSQL are tested; of the others only the text of the SQL is.
IBIS: dict[str, tuple[str, ...]] = {
    "duckdb": ("encode",),
    "postgres": ("convert_to", "UTF8"),
    "bigquery": (),
    "databricks": (),
    "snowflake": ("to_binary", "UTF-8"),
}
_PLAIN = (
    *(nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32, nw.UInt64),
    *(nw.Float32, nw.Float64, nw.Boolean, nw.String, nw.Binary),
)
_UNKNOWN = (
    "{} is not an engine of tables here: whether it compares texts by their bytes is not known. {}"
)


def check_engine(frame: Frame) -> None:
    """Refuse a lazy table of an engine that is not known to group by value."""
    engine: Any = frame.implementation
    native: Any = frame.to_native()
    if engine not in _ENGINES:
        raise ParameterError(_UNKNOWN.format(str(engine), "Collect the table first."))
    if engine is nw.Implementation.IBIS:
        name = str(native.get_backend().name)
        if name == "sqlite":  # a column of whole numbers may hold a text, and Ibis stops there
            hint = "Write the table to a CSV or Parquet file first."
            raise ParameterError(_UNKNOWN.format("Ibis on sqlite", hint))
        if name not in IBIS:
            hint = f"Of Ibis these are: {', '.join(IBIS)}. Collect the table first."
            raise ParameterError(_UNKNOWN.format(f"Ibis on {name}", hint))


def only_plain(frame: Frame, names: list[str], caller: str) -> None:
    """Refuse columns whose type is not read from a database; ``names`` are the table's."""
    for name, dtype in zip(names, frame.collect_schema().values(), strict=True):
        if not isinstance(dtype, _PLAIN):
            raise DataError(
                f"The column {name!r} given to {caller} must hold whole numbers, floats, booleans, "
                "texts or bytes: other types are not read from a database. Cast it in a view."
            )


def bytewise(frame: Frame) -> Frame:
    """Return the frame with its texts as bytes, so that an engine groups equal texts only.

    Under a collation (of a column or of a session) an engine takes ``Bonn`` and ``bonn`` for one
    text, and shows whichever came first: one record would rewrite the cells of all others.
    """
    columns = frame.collect_schema()
    texts = [name for name, dtype in columns.items() if isinstance(dtype, nw.String)]
    if not texts:
        return frame
    native: Any = frame.to_native()
    engine: Any = frame.implementation
    if engine is nw.Implementation.DUCKDB:
        cells = {name: duckdb.ColumnExpression(name) for name in columns}
        bytes_of = {name: duckdb.FunctionExpression("encode", cells[name]) for name in texts}
        native = native.select(*(c.alias(name) for name, c in (cells | bytes_of).items()))
    elif engine in SPARK:
        native = native.withColumns({name: native[name].cast("binary") for name in texts})
    elif engine is nw.Implementation.IBIS:
        dialect = str(native.get_backend().name)
        native = native.mutate(**{name: encoded(native[name], dialect) for name in texts})
    grouped: Frame = nw.from_native(native)
    return grouped


def encoded(text: Any, dialect: str) -> Any:
    """Return a column of texts in Ibis as bytes (UTF-8), as a database writes that."""
    import ibis  # noqa: PLC0415 - an optional dependency

    if not IBIS[dialect]:
        return text.cast("binary")
    function, *more = IBIS[dialect]
    return ibis.udf.scalar.builtin(_in_charset if more else _as_bytes, name=function)(text, *more)


# What the functions of the databases do; Ibis reads the types of their arguments.


def _as_bytes(text: str) -> bytes:
    return text.encode()


def _in_charset(text: str, charset: str) -> bytes:
    return text.encode(charset)


_FORM = "a URL such as duckdb:///db.duckdb?table=t or "
_FORM += "postgresql://host/db?table=t (it is not repeated here: it may hold a password)"
_CLOSED = (
    "The database given to {} cannot be opened, or has no such table. Its own message is not "
    "shown, because it may repeat what the URL holds."
)


def open_url(url: str, caller: str) -> Frame:
    """Return the table that a URL names, lazy in its engine."""
    try:
        parts = urlsplit(url)
        asked = dict(parse_qsl(parts.query, strict_parsing=True))
    except ValueError:
        raise _refused(caller) from None
    table, schema = asked.pop("table", ""), asked.pop("schema", None)
    if not table:
        raise _refused(caller)
    if parts.scheme in ("postgresql", "postgres"):
        rest = parts._replace(scheme="postgresql", query=urlencode(asked)).geturl()
        return run_engine(lambda: _postgres(rest, table, schema), _CLOSED.format(caller))
    if parts.netloc or asked or parts.scheme != "duckdb":
        raise _refused(caller)
    path = Path(unquote(parts.path)[1:])
    if not os.path.isfile(path):
        hint = "A path after three slashes is relative, after four absolute."
        raise parameter_error(caller, "table", "the URL of a file that exists", str(path), hint)
    return run_engine(lambda: _duckdb(path, _quoted(table, schema)), _CLOSED.format(caller))


def _refused(caller: str) -> ParameterError:
    return ParameterError(f"The 'table' parameter of {caller} must be {_FORM}.")


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
