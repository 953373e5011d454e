"""Durable files: one SQLite database that survives a crash and belongs to one person.

`Kind` says what a file holds; `Store` creates and opens it, and runs transactions. The promise:

=====================  ===========================================================================
survives a kill        after ``kill -9`` at any instant, each transaction is there wholly or not
                       at all, and all that were acknowledged (the block ended) are there
survives a power cut   the same when the machine stops (``durability="power"``, the default); with
                       ``durability="kill"`` a power cut may lose the newest transactions, or damage
                       the file (which is noticed), and commits are about twenty times faster
in the file itself     a transaction is acknowledged after the file holds it and SQLite's rollback
                       journal is void: the file may then be renamed or copied alone. A file that is
                       taken from its journal in the midst of a transaction mixes two states;
                       `littlestone.learners.online.journal` notices that by its digests
owner only             the file and its journal are for their owner alone; a file that others may
                       write or read, or that has a second name (a hard link), is refused
not trusted            a file is checked before it is used: that it is a regular file, its size,
                       its kind, its version, its exact tables (nothing that runs, such as a
                       trigger, can hide in it), its integrity
=====================  ===========================================================================

Whatever goes wrong is a `StoreError` with a ``reason``. A store is not for network file systems:
SQLite needs locks that work.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import quote

from littlestone.errors import StoreError
from littlestone.safe_io import check_folder, check_private_file, new_private_file

Durability = Literal["power", "kill"]

#: No store has a write-ahead log and its index; a file that was changed may.
_COMPANIONS = ("", "-journal", "-wal", "-shm")


@dataclass(frozen=True)
class Kind:
    """What a file holds, so that no other file is taken for it.

    ``name`` is for messages; ``application_id`` are 32 bits that SQLite writes into the file's
    header; a file of another ``version``, or with other tables than those that the statements
    ``tables`` make, is refused, and so are files above ``largest`` and cells above ``longest``
    bytes.
    """

    name: str
    application_id: int
    version: int
    tables: tuple[str, ...]
    largest: int = 2**30
    longest: int = 2**20


class Store:
    """An open durable file. Make one by `create` or `open`; close it, or use it in ``with``.

    A store belongs to the thread and to the process that opened it.

    Examples
    --------
    >>> import tempfile, os
    >>> kind = Kind("counter", 0x4C530000, 1, ("CREATE TABLE hits (n INTEGER NOT NULL) STRICT",))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "hits.db")
    ...     Store.create(path, kind)
    ...     with Store.open(path, kind) as store:
    ...         with store.transaction() as sql:
    ...             _ = sql.execute("INSERT INTO hits VALUES (?)", (7,))
    ...         print(store.read("SELECT n FROM hits"))
    [(7,)]
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, kind: Kind) -> None:
        self._sql, self.path, self.kind, self._process = connection, path, kind, os.getpid()

    @classmethod
    def create(
        cls, path: str | os.PathLike[str], kind: Kind, rows: Sequence[tuple[str, Any]] = ()
    ) -> None:
        """Make a new file, whole or not at all; a file that exists is never touched."""
        where = Path(path)
        with (
            new_private_file(where, kind.name, beside=_COMPANIONS) as name,
            _translating(where, kind),
        ):
            _build(name, kind, rows)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        kind: Kind,
        *,
        durability: Durability = "power",
        exclusive: bool = False,
        timeout: float = 30.0,
    ) -> Store:
        """Open a file that `create` made, after checking it."""
        where = Path(path)
        for companion in _COMPANIONS:
            check_private_file(where, companion, kind.name, kind.largest)
        check_folder(where, kind.name)
        with _translating(where, kind):
            sql = _connect(where, kind, timeout)
            try:
                if exclusive:  # the lock is taken with the first transaction, and then kept
                    sql.execute("PRAGMA locking_mode = EXCLUSIVE")
                    sql.execute("BEGIN EXCLUSIVE")
                    sql.execute("ROLLBACK")
                try:
                    _check_content(sql, where, kind)
                except UnicodeDecodeError:  # SQLite's own message would quote the file
                    raise sqlite3.DatabaseError from None
                _settle(sql, durability)
            except BaseException:
                sql.close()
                raise
        return cls(sql, where, kind)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run a block as one step: when it ends it is durable; when it raises, nothing happened.

        The block holds the file's only write lock from its beginning, so what it reads cannot
        change until it writes. An error *while* the block ends (a disk that fails) leaves open
        whether the step is in the file: whole or not at all.
        """
        with _translating(self.path, self.kind):
            sql = self._own()
            sql.execute("BEGIN IMMEDIATE")
            try:
                yield sql
                sql.execute("COMMIT")
            except BaseException:
                # Some errors (a full disk) have rolled back already.
                if sql.in_transaction:
                    sql.execute("ROLLBACK")
                raise

    def read(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of one query."""
        with _translating(self.path, self.kind):
            return self._own().execute(query, parameters).fetchall()

    def close(self) -> None:
        """Close the file; the locks are released. Closing twice is allowed."""
        if os.getpid() == self._process:  # a forked child must not touch its parent's locks
            self._sql.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _own(self) -> sqlite3.Connection:
        if os.getpid() != self._process:
            raise StoreError(
                f"The {self.kind.name} {self.path} was opened by the parent of this process. Open "
                "it again here.",
                reason="forked",
            )
        return self._sql


def _build(name: str, kind: Kind, rows: Sequence[tuple[str, Any]]) -> None:
    sql = _connect(Path(name), kind)
    try:
        sql.execute("PRAGMA synchronous = FULL")
        sql.execute(f"PRAGMA application_id = {int(kind.application_id)}")
        sql.execute("BEGIN IMMEDIATE")
        for statement in kind.tables:
            sql.execute(statement)
        for statement, parameters in rows:
            sql.execute(statement, parameters)
        sql.execute(f"PRAGMA user_version = {int(kind.version)}")
        sql.execute("COMMIT")
    finally:
        sql.close()


def _connect(where: Path, kind: Kind, timeout: float = 0) -> sqlite3.Connection:
    uri = f"file:{quote(os.fsencode(where.absolute()))}?mode=rw"  # never makes a file
    # Transactions are begun and ended by us alone (isolation_level=None).
    sql = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=timeout)
    sql.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, kind.longest)
    sql.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "foreign_keys = ON"):
        sql.execute(f"PRAGMA {pragma}")
    return sql


def _settle(sql: sqlite3.Connection, durability: Durability) -> None:
    if durability not in ("power", "kill"):
        raise StoreError(
            f"The durability must be 'power' or 'kill'. Got {durability!r}.", reason="durability"
        )
    if sql.execute("PRAGMA journal_mode = PERSIST").fetchone() != ("persist",):
        raise sqlite3.DatabaseError
    # FULL syncs the journal, the file and the void journal at each commit; OFF leaves that to the
    # system, which keeps what was written when a process is killed.
    sql.execute(f"PRAGMA synchronous = {'FULL' if durability == 'power' else 'OFF'}")
    if durability == "power":
        sql.execute("PRAGMA fullfsync = ON")  # where an ordinary sync stops at the disk's cache


def _check_content(sql: sqlite3.Connection, where: Path, kind: Kind) -> None:
    (found,) = sql.execute("PRAGMA application_id").fetchone()
    if found != kind.application_id:
        raise StoreError(f"The file {where} is not a {kind.name}.", reason="kind")
    (version,) = sql.execute("PRAGMA user_version").fetchone()
    if version != kind.version:
        raise StoreError(
            f"The {kind.name} {where} has format {version}; this program reads format "
            f"{kind.version}. Use the version of the program that created it.",
            reason="version",
        )
    if _shape(sql) != _shape_of(kind) or sql.execute("PRAGMA integrity_check(1)").fetchall() != [
        ("ok",)
    ]:
        raise sqlite3.DatabaseError


def _shape(sql: sqlite3.Connection) -> set[tuple[Any, ...]]:
    return set(sql.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall())


def _shape_of(kind: Kind) -> set[tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(":memory:")) as sql:
        for statement in kind.tables:
            sql.execute(statement)
        return _shape(sql)


@contextlib.contextmanager
def _translating(where: Path, kind: Kind) -> Iterator[None]:
    """Turn SQLite's errors into ours: its own texts may quote what the file holds."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise  # a defect of the caller: a closed store, a wrong number of parameters
    except sqlite3.Error as problem:
        code = getattr(problem, "sqlite_errorcode", None)
        reason = "damaged" if code is None else _REASONS.get(code & 0xFF, "damaged")
        raise StoreError(_TEXTS[reason].format(kind=kind.name, path=where), reason=reason) from None


_REASONS = {
    sqlite3.SQLITE_BUSY: "locked",
    sqlite3.SQLITE_LOCKED: "locked",
    sqlite3.SQLITE_PROTOCOL: "locked",
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_READONLY: "readonly",
    sqlite3.SQLITE_PERM: "readonly",
    sqlite3.SQLITE_AUTH: "readonly",
    sqlite3.SQLITE_CANTOPEN: "cannot open",
    sqlite3.SQLITE_IOERR: "input/output",
    sqlite3.SQLITE_NOLFS: "input/output",
    sqlite3.SQLITE_CONSTRAINT: "constraint",
    sqlite3.SQLITE_TOOBIG: "too long",
}
_TEXTS = {
    "locked": "The {kind} {path} is in use by another process. Wait until it ends, then try again.",
    "full": "The disk is full: nothing was written to the {kind} {path}. Free some space.",
    "readonly": "The {kind} {path} cannot be written. Make its file and its folder writable.",
    "cannot open": "The {kind} {path} or its journal could not be opened. Check its folder.",
    "input/output": "The disk failed to read or write the {kind} {path} (is it full?).",
    "too long": (
        "A row would be too long for the {kind} {path}: nothing was written. Write fewer rows at "
        "once."
    ),
    "constraint": "The {kind} {path} refused a row that violates its constraints.",
    "damaged": (
        "The file {path} is damaged, changed, or not a {kind}. It was not used. Restore a copy; "
        "if there is none, assume that its whole budget is spent."
    ),
}
