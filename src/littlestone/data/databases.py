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
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import narwhals.stable.v2 as nw

from littlestone.data.dialects import Frame
from littlestone.data.engine import open_file, run_engine
from littlestone.errors import ParameterError, UnsupportedError, parameter_error

_FORM = "a URL such as duckdb:///db.duckdb?table=t or "
_FORM += "postgresql://host/db?table=t (it is not repeated here: it may hold a password)"
_CLOSED = (
    "The database given to {} cannot be opened, or has no such table. Its own message is not "
    "shown, because it may repeat what the URL holds."
)


def open_url(url: str, owner: str) -> Frame:
    """Return the table that a URL names, lazy in its engine."""
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
        return run_engine(lambda: _postgres(rest, table, schema), _CLOSED.format(owner))
    if parts.netloc or asked or parts.scheme != "duckdb":
        raise _refused(owner)
    path = Path(unquote(parts.path)[1:])
    if not os.path.isfile(path):
        hint = "A path after three slashes is relative, after four absolute."
        raise parameter_error(owner, "table", "the URL of a file that exists", str(path), hint)
    return run_engine(lambda: _duckdb(path, _quoted(table, schema)), _CLOSED.format(owner))


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
