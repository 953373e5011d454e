"""The embedded engine (DuckDB) in a private room, and silence around every engine.

Engines quote rows in their errors ("Could not convert string 'Jane Roe' to INT64 in line 17"), so
their messages never reach the user: `quietly` runs them, and what it raises instead has no chain
to the original (``raise ... from None`` would still carry it in ``__context__``).
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from littlestone.errors import DataError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["connect", "quietly"]

T = TypeVar("T")

#: What DuckDB may use before it spills (encrypted, into a private folder that is removed at exit).
MEMORY_LIMIT = "2GB"

# Spark's Python side logs the JVM's message, with rows, before it raises.
_LOUD = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")


def connect(*, ordered: bool = False) -> DuckDBPyConnection:
    """Return a new in-memory DuckDB: never the process-wide one, and it fetches no extensions.

    Parameters
    ----------
    ordered : bool
        Keep the order of rows (costs memory; counting does not need it).
    """
    connection = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": MEMORY_LIMIT,
            "preserve_insertion_order": ordered,
            "temp_directory": _spill_folder(),
            "temp_file_encryption": True,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
        },
    )
    connection.execute("SET enable_progress_bar = false")
    return connection


def quietly(action: Callable[[], T], message: str) -> T:
    """Run an engine; whatever it raises becomes a `DataError` with this public message.

    Examples
    --------
    >>> quietly(lambda: int("secret"), "The table cannot be read.")
    Traceback (most recent call last):
    littlestone.errors.DataError: The table cannot be read.
    """
    with contextlib.suppress(Exception), _hushed():
        return action()
    raise DataError(message)  # outside of any handler: nothing is chained to it


@contextlib.contextmanager
def _hushed() -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in _LOUD if name in logging.root.manager.loggerDict]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


_folder: str | None = None


def _spill_folder() -> str:
    global _folder  # noqa: PLW0603 - one private folder for the process, made when it is needed
    if _folder is None:
        _folder = tempfile.mkdtemp(prefix="littlestone-")
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    return _folder


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


atexit.register(_release_cached_types)
