"""Arrow columns and Parquet files, read totally: types decide what is read, values never do.

A column's type is public, but Arrow does not check values against it: a text may hold bytes that
are not UTF-8, a timestamp may be beyond what an engine can convert or write. One such value would
stop the engine, and so tell everyone that it is there. `portable` looks at each value alone:

* texts: bytes that are not UTF-8 become the replacement character;
* dates and times: outside the years 1 to 9999 (times: outside one day) they are null;
* durations are refused by their type (`littlestone.data.tables`), so here they are null;
* floats of 16 and 32 bits are the doubles of their shortest texts, as in a copy as CSV.

What it returns has a type that depends on the given type only.

DuckDB's own reader of Parquet stops at such values, and casts the later parts of a table to the
types of the first one. `littlestone.data.tables` asks for parts with equal columns (their schemas
are public), and hands out each value made safe alone.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from littlestone.data.cells import DAY, DAYS_TO_1970, doubles
from littlestone.errors import (
    DataError,
    LittlestoneError,
    ParameterError,
    UnsupportedError,
    parameter_error,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


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


_FIRST_DAY, _LAST_DAY = -DAYS_TO_1970, 2_932_896  # 0001-01-01 and 9999-12-31, in days from 1970
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


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
    if pa.types.is_float16(kind) or pa.types.is_float32(kind):
        return _shortest(column)
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
        days = np.floor_divide(_integers(column), 1000 * DAY)
        inside = (days >= _FIRST_DAY) & (days <= _LAST_DAY) & _valid(column)
        return pa.array(np.where(inside, days, 0).astype(np.int32), mask=~inside).view(pa.date32())
    if pa.types.is_timestamp(kind):
        unit = PER_SECOND[kind.unit]
        first, after = _FIRST_DAY * DAY * unit, (_LAST_DAY + 1) * DAY * unit
        return _within(column, pa.int64(), first, after - 1).view(kind)
    if pa.types.is_time(kind):
        width = pa.int32() if pa.types.is_time32(kind) else pa.int64()
        last = DAY * PER_SECOND[kind.unit] - 1
        return _within(column, width, 0, last).cast(width).view(kind)
    return pa.nulls(len(column), pa.duration("s"))


def _shortest(column: pa.Array) -> pa.Array:
    """Return floats as doubles, see `littlestone.data.cells.doubles`."""
    if pa.types.is_float16(column.type):  # Arrow's own texts are those of wider floats
        values = doubles(column.fill_null(np.float16(0)).to_numpy(zero_copy_only=False))
        return pa.array(values, mask=~_valid(column))
    return column.cast(pa.large_string()).cast(pa.float64())


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


@dataclass(frozen=True)
class Stream:
    """Columns c0, c1, ... of a table, of public types; each call reads from the first row.

    With a last column "count" each row stands for so many equal ones.
    """

    schema: pa.Schema
    batches: Callable[[], Iterator[pa.RecordBatch]]

    def tables(self, rows: int = 1) -> Iterator[pa.Table]:
        """Yield the batches as tables of so many rows at least, save the last one; never none."""
        kept: list[pa.Table] = []
        empty = True
        for batch in self.batches():
            kept.append(pa.Table.from_arrays(batch.columns, self.schema.names))
            if sum(map(len, kept)) >= rows:
                yield pa.concat_tables(kept)
                kept, empty = [], False
        if kept or empty:
            yield pa.concat_tables(kept or [self.schema.empty_table()])


# -- The embedded engine (DuckDB), private to this process; no engine's messages are shown.
#
# Engines quote rows in their errors ("Could not convert string 'Jane Roe' to INT64 in line 17"),
# so their messages never reach the user: `run_engine` replaces them, and what it raises instead
# has no chain to the original (``raise ... from None`` would still carry it in ``__context__``).


T = TypeVar("T")

fcntl: Any
try:
    import fcntl
except ImportError:  # on Windows; there what a killed process leaves is not removed
    fcntl = None

#: What DuckDB may use before it spills into a folder that only this user can read.
MEMORY_LIMIT = "2GB"

#: With this environment variable set, errors carry their cause, which may quote rows.
DEBUG = "LITTLESTONE_DEBUG"

#: Not used: what a Parquet file says of the range of its values. Where that is wrong, one value
#: beyond it would stop the engine, or be counted as another one.
_BY_STATISTICS = "statistics_propagation,compressed_materialization"

#: The packages whose exceptions are an engine's own. Operating system and memory count as such.
_ENGINES = frozenset(
    (
        *("duckdb", "_duckdb", "pyarrow", "narwhals", "polars", "pyo3_runtime", "pandas", "zlib"),
        *("pyspark", "py4j", "grpc", "ibis", "sqlglot", "psycopg"),
    )
)
_SYSTEM = (OSError, EOFError, MemoryError)

# Spark's Python side logs Java's message, with rows, before it raises.
_NOISY_LOGGERS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")

_PREFIX = "littlestone-spill-"
_LOCK = "lock"


class InternalError(RuntimeError):
    """A fault of this library, not of the data: the message says where, and quotes nothing."""


def run_engine(action: Callable[[], T], message: str) -> T:
    """Run an engine; an exception of its own becomes a `DataError` with this public message.

    The library's own errors pass: their messages are public. Any other exception is a fault of this
    library, and is called so.

    Examples
    --------
    >>> run_engine(lambda: duckdb.sql("SELECT 'secret'::INT").fetchall(), "It cannot be read.")
    Traceback (most recent call last):
    littlestone.errors.DataError: It cannot be read.
    """
    cause: BaseException
    try:
        with _without_logs():
            return action()
    except (LittlestoneError, InternalError) as error:
        cause = raised = error
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # a panic of polars is no Exception
        cause = error
        raised = DataError(message) if _of_engine(error) else _fault(error)
    # Outside of any handler: nothing is chained to it.
    if raised is cause or not os.environ.get(DEBUG):
        raise raised
    raise raised from cause


def _of_engine(error: BaseException) -> bool:
    kinds = type(error).__mro__
    return isinstance(error, _SYSTEM) or any(k.__module__.split(".")[0] in _ENGINES for k in kinds)


def _fault(error: BaseException) -> InternalError:
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    where = ""
    if last is not None:
        name = Path(last.tb_frame.f_code.co_filename).name
        where = f" in {name}, line {last.tb_lineno}"
    return InternalError(
        f"This is a defect of littlestone, not of the table: {type(error).__name__}{where}. Its "
        f"message is not shown, because it may quote rows; set {DEBUG}=1 in the environment to see "
        "it. Please report it, without rows."
    )


@contextlib.contextmanager
def _without_logs() -> Iterator[None]:
    spark = sys.modules.get("pyspark.logger")
    loggers = (
        [] if spark is None else [spark.PySparkLogger.getLogger(name) for name in _NOISY_LOGGERS]
    )
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


def spool(pipe: Path) -> Path:
    """Keep what comes through a pipe in a file that only this user can read; return its path.

    It ends as its first bytes say: Parquet, else CSV, packed or not.
    """
    folder = Path(_spill_folder(":memory:", os.getpid()))
    with pipe.open("rb") as source:
        first = source.read(4)
        packed = ".csv.gz" if first.startswith(b"\x1f\x8b") else ".csv"
        handle, name = tempfile.mkstemp(".parquet" if first == b"PAR1" else packed, "pipe-", folder)
        with open(handle, "wb") as target:
            target.write(first)
            shutil.copyfileobj(source, target)
    return Path(name)


def connect() -> DuckDBPyConnection:
    """Return a connection to this process's own in-memory DuckDB, which fetches no extensions."""
    connection = _database(os.getpid()).cursor()
    connection.execute("SET enable_progress_bar = false")
    return connection


@cache
def _database(process: int) -> DuckDBPyConnection:
    """Start the engine; a forked process must not share its parent's, so it is asked by its id."""
    database = _start(":memory:", preserve_insertion_order=True)
    database.execute("PRAGMA disable_checkpoint_on_shutdown")  # files of `Store` have no name
    return database


def _start(database: str, *, read_only: bool = False, **more: bool) -> DuckDBPyConnection:
    config = {
        "memory_limit": MEMORY_LIMIT,
        "temp_directory": _spill_folder(database, os.getpid()),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "disabled_optimizers": _BY_STATISTICS,
    }
    return duckdb.connect(database, read_only=read_only, config=config | more)


@cache
def _spill_folder(database: str, process: int) -> str:
    """Return the folder where an engine spills; remove those that killed processes have left.

    Engines do not share it, but one that opens a file again must name the same. Each folder holds a
    lock that its process keeps, and the system gives back when it ends.
    """
    _remove_abandoned()
    while True:
        try:
            folder = tempfile.mkdtemp(prefix=_PREFIX)
            lock = os.open(Path(folder) / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError:
            raise DataError(
                "No folder for temporary files could be created. Check free space and "
                "permissions, or set TMPDIR (on Windows: TEMP) to another folder."
            ) from None
        atexit.register(_remove_own, folder, process)
        if _locked(lock) and os.fstat(lock).st_nlink:  # else another run took it for abandoned
            return folder
        os.close(lock)


def _remove_own(folder: str, process: int) -> None:
    if os.getpid() == process:  # a forked one, when it ends, leaves it to its parent
        shutil.rmtree(folder, ignore_errors=True)


def _remove_abandoned() -> None:
    if fcntl is None:
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # of another account, or gone by now
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                if os.fstat(lock).st_uid == os.getuid() and _locked(lock):
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def _locked(lock: int) -> bool:
    """Lock an open file, if nobody else has."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _release_cached_types() -> None:
    """Empty narwhals' caches of DuckDB types before the interpreter goes.

    They outlive the extension module, which then prints some thirty lines "nanobind: leaked" to
    standard error at exit. Only functions that have ``cache_clear`` are touched.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith("narwhals._duckdb"):
            for member in list(vars(module).values()):
                clear: Any = getattr(member, "cache_clear", None)
                if callable(clear):
                    clear()
    _database.cache_clear()


atexit.register(_release_cached_types)


# -- Tables in databases, by URL: DuckDB files and PostgreSQL.
#
# ======================================  =======================================================
# ``duckdb:///db.duckdb?table=t``         grouped by the engine that is bundled
# ``postgresql://user@host/db?table=t``   grouped in the server, through Ibis and psycopg
# ======================================  =======================================================
#
# A path after three slashes is relative, after four absolute. ``schema=s`` names a schema. Both
# are opened for reading only. A URL may hold a password: no message repeats it, and nothing
# stores it.


# Lazy engines: which ones hand out rows, or group by value
#
# DuckDB and Polars hand out rows. The others group equal ones first. They may have a collation (of
# a column, of a session), so texts become bytes inside the engine, by what each calls that. An
# engine that is not listed here is refused by its name: nobody has looked whether it keeps the
# rules.
#
# For Ibis the types are as few as the rules need: whole numbers, floats, booleans, texts
# and bytes. Others are refused by type, since what a driver does with odd values of theirs (a date
# ``infinity``, a number of a thousand digits) would be a refusal because of a value.


Frame = nw.LazyFrame[Any]

SPARK = (nw.Implementation.PYSPARK, nw.Implementation.PYSPARK_CONNECT)
_ENGINE_NAMES = (
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
    "{} is not a supported table engine: it is not known whether it compares texts by their "
    "bytes. {}"
)


def check_engine(frame: Frame) -> None:
    """Refuse a lazy table of an engine that is not known to group by value."""
    engine: Any = frame.implementation
    native: Any = frame.to_native()
    if engine not in _ENGINE_NAMES:
        raise ParameterError(_UNKNOWN.format(str(engine), "Collect the table first."))
    if engine is nw.Implementation.IBIS:
        name = str(native.get_backend().name)
        if name == "sqlite":  # a column of whole numbers may hold a text, and Ibis stops there
            hint = "Write the table to a CSV or Parquet file first."
            raise ParameterError(_UNKNOWN.format("Ibis on sqlite", hint))
        if name not in IBIS:
            hint = f"The supported ones of Ibis are {', '.join(IBIS)}. Collect the table first."
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
    """Return a frame of Spark or Ibis with its texts as bytes: they group equal texts only then.

    Under a collation (of a column or of a session) an engine takes ``Bonn`` and ``bonn`` for one
    text, and shows whichever came first: one record would rewrite the cells of all others.
    """
    columns = frame.collect_schema()
    texts = [name for name, dtype in columns.items() if isinstance(dtype, nw.String)]
    if not texts:
        return frame
    native: Any = frame.to_native()
    engine: Any = frame.implementation
    if engine in SPARK:
        native = native.withColumns({name: native[name].cast("binary") for name in texts})
    else:  # Ibis
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
    names = [table] if schema is None else [schema, table]
    quoted = ".".join('"' + name.replace('"', '""') + '"' for name in names)

    def opened() -> Frame:
        connection = _start(str(path), read_only=True)
        connection.execute("SET enable_progress_bar = false")
        frame: Frame = nw.from_native(connection.sql(f"FROM {quoted}"))
        return frame

    return run_engine(opened, _CLOSED.format(caller))


def _refused(caller: str) -> ParameterError:
    return ParameterError(f"The 'table' parameter of {caller} must be {_FORM}.")


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
            f"PostgreSQL databases of encoding {encoding} are not read: one text that is not UTF-8 "
            "would stop the engine. Use a database of encoding UTF8."
        )
    backend = ibis.postgres.from_connection(connection)
    weakref.finalize(backend, connection.close)  # it lives as long as what is asked of it
    frame: Frame = nw.from_native(backend.table(table, database=schema))
    return frame
