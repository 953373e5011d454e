"""The embedded engine (DuckDB), private to this process; no engine's messages are shown.

Engines quote rows in their errors ("Could not convert string 'Jane Roe' to INT64 in line 17"), so
their messages never reach the user: `run_engine` replaces them, and what it raises instead has no
chain to the original (``raise ... from None`` would still carry it in ``__context__``).
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from littlestone.errors import DataError, LittlestoneError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

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
        f"This is a fault of littlestone, not of the table: {type(error).__name__}{where}. Its "
        f"message is not shown, because it may quote rows; with {DEBUG}=1 in the environment it "
        "is. Please report it, without rows."
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


def open_file(path: Path) -> DuckDBPyConnection:
    """Return a connection to a DuckDB file, for reading only, with the same limits."""
    connection = _start(str(path), read_only=True)
    connection.execute("SET enable_progress_bar = false")
    return connection


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
                "No folder for temporary files can be made, which reading needs: is there space "
                "left, and may it be written to? Set TMPDIR (on Windows: TEMP) to another folder."
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
