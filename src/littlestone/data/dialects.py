"""Lazy engines: which ones group by value, and how each is made to compare texts by their bytes.

Polars compares texts by their bytes. The others may have a collation (of a column, of a session),
so texts become bytes inside the engine, by what each calls that. An engine that is not listed here
is refused by its name: nobody has looked whether it keeps the rules.

For Ibis the types are as few as the rules need: whole numbers, floats, booleans, texts
and bytes. Others are refused by type, since what a driver does with odd values of theirs (a date
``infinity``, a number of a thousand digits) would be a refusal because of a value.
"""

from __future__ import annotations

from typing import Any

import duckdb
import narwhals.stable.v2 as nw

from littlestone.errors import DataError, ParameterError

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


def only_plain(frame: Frame, names: list[str], owner: str) -> None:
    """Refuse columns whose type is not read from a database; ``names`` are the table's."""
    for name, dtype in zip(names, frame.collect_schema().values(), strict=True):
        if not isinstance(dtype, _PLAIN):
            raise DataError(
                f"The column {name!r} given to {owner} must hold whole numbers, floats, booleans, "
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
