"""The embedded engine (DuckDB) in a private room, and silence around every engine.

Engines quote rows in their errors ("Could not convert string 'Jane Roe' to INT64 in line 17"), so
their messages never reach the user: `quietly` runs them, and what it raises instead has no chain
to the original (``raise ... from None`` would still carry it in ``__context__``).
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

__all__ = ["connect", "open_file", "quietly"]

T = TypeVar("T")

#: What DuckDB may use before it spills into a folder that only this user can read, and that is
#: removed at exit. (Its own encryption of these files needs an extension that is not bundled.)
MEMORY_LIMIT = "2GB"

#: Not used: what a Parquet file says of the range of its values. Where that is wrong, one value
#: beyond it would stop the engine, or be counted as another one.
_BY_STATISTICS = "statistics_propagation,compressed_materialization"

# Spark's Python side logs Java's message, with rows, before it raises.
_NOISY_LOGGERS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")


def connect(*, ordered: bool = False) -> DuckDBPyConnection:
    """Return a connection to this process's own in-memory DuckDB.

    It is never the engine that ``duckdb.sql`` uses, and it fetches no extensions.

    Parameters
    ----------
    ordered : bool
        Keep the order of rows (costs memory; counting does not need it).
    """
    connection = _database(os.getpid(), ordered).cursor()
    connection.execute("SET enable_progress_bar = false")
    return connection


@cache
def _database(process: int, ordered: bool) -> DuckDBPyConnection:
    """Start the engine; a forked process must not share its parent's, so it is asked by its id."""
    return _start(":memory:", _spill_folder(), preserve_insertion_order=ordered)


def open_file(path: Path) -> DuckDBPyConnection:
    """Return a connection to a DuckDB file, for reading only, with the same limits."""
    connection = _start(str(path), _spill_folder_of(str(path), os.getpid()), read_only=True)
    connection.execute("SET enable_progress_bar = false")
    return connection


def _start(
    database: str, spill: str, *, read_only: bool = False, **more: bool
) -> DuckDBPyConnection:
    config = {
        "memory_limit": MEMORY_LIMIT,
        "temp_directory": spill,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "disabled_optimizers": _BY_STATISTICS,
    }
    return duckdb.connect(database, read_only=read_only, config=config | more)


def quietly(action: Callable[[], T], message: str) -> T:
    """Run an engine; whatever it raises becomes a `DataError` with this public message.

    The library's own errors pass: their messages are public.

    Examples
    --------
    >>> quietly(lambda: int("secret"), "The table cannot be read.")
    Traceback (most recent call last):
    littlestone.errors.DataError: The table cannot be read.
    """
    refused: LittlestoneError | None = None
    try:
        with _hushed():
            return action()
    except LittlestoneError as error:
        refused = error  # our own messages are public
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException:  # noqa: S110 - a panic of polars is no Exception
        pass
    # Outside of any handler: nothing is chained to it.
    raise DataError(message) if refused is None else refused


@contextlib.contextmanager
def _hushed() -> Iterator[None]:
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


@cache
def _spill_folder_of(file: str, process: int) -> str:
    """Return the folder of a file: whoever opens it again in this process must name the same."""
    return _spill_folder()


def _spill_folder() -> str:
    folder = tempfile.mkdtemp(prefix="littlestone-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


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
