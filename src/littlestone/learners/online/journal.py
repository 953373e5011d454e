"""The state of a stream on disk: what is private in one file, what was published in another.

A state is a folder, for its owner only, with two databases (`littlestone.store`):

``private.db``
    Everything the next draws depend on: the mistakes, the alarm, the counters; and a copy of what
    was published. It is locked as long as a process uses it. Whoever reads it reads raw records.
``public.db``
    The public parameters and what was published. It follows from the other file, may be read while
    the stream runs, and may be handed on alone (`public_record`).

Each `save` is one transaction in the private file, then one in the public file; only when it
returns may anything be shown. So a draw that somebody may have seen is never drawn again. After a
kill the public file may be one step behind, and is brought up to date when the state is opened. If
it is *ahead*, then the private file is an old copy, or a power cut took its end: continuing would
publish twice, and is refused.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from littlestone.errors import LittlestoneError, StoreError
from littlestone.learners.online.public_record import (
    PublicRecord,
    brief,
    compact,
    digest,
    publication,
)
from littlestone.learners.online.records import write_records
from littlestone.learners.online.state import OnlineState
from littlestone.safe_io import private_folder
from littlestone.store import Durability, Kind, Store

__all__ = ["PRIVATE", "Journal"]

PRIVATE = Kind(
    name="state of a stream",
    application_id=0x4C534301,
    version=1,
    tables=(
        "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
        "CREATE TABLE now (one INTEGER PRIMARY KEY CHECK (one = 1), document TEXT NOT NULL, "
        "digest TEXT NOT NULL) STRICT",
        "CREATE TABLE records (time INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, x TEXT NOT NULL, "
        "y INTEGER NOT NULL) STRICT",
        "CREATE TABLE published (version INTEGER PRIMARY KEY, time INTEGER NOT NULL, "
        "hypothesis TEXT NOT NULL) STRICT",
        "CREATE TABLE pending (ticket INTEGER PRIMARY KEY, x TEXT NOT NULL) STRICT",
    ),
    largest=2**34,
    longest=2**26,
)
_MODULUS = 2**256
_NOTHING: Mapping[str, str] = MappingProxyType({})


class Journal:
    """The open state of one stream. Make one by `create` or `open`; close it.

    Attributes
    ----------
    settings : dict from str to str
        Fixed when the state was made.
    state : OnlineState or None
        As it was saved last; None before the first `save`.
    answers : (int, str)
        The labels ("0110") of the last saved group of rows, and the time of its first: whoever was
        killed while handing them out hands out the same ones again.

    Examples
    --------
    >>> import tempfile, os
    >>> folder = tempfile.TemporaryDirectory()
    >>> where = os.path.join(folder.name, "state")
    >>> Journal.create(where, {"about": "an example"}, {})
    >>> with Journal.open(where) as journal:
    ...     print(journal.settings, journal.state)
    {'about': 'an example'} None
    >>> folder.cleanup()
    """

    def __init__(self, folder: Path, private: Store) -> None:
        self.folder, self._private = folder, private
        rows = dict(private.read("SELECT name, value FROM settings"))
        self.settings: dict[str, str] = {k[1:]: v for k, v in rows.items() if k[0] == "-"}
        shown = {k[1:]: v for k, v in rows.items() if k[0] == "+"}
        self._fixed = compact(sorted(rows.items()))
        self._epoch, self._within, self._tickets = 0, 0, 0
        self._sums = {"records": 0, "published": 0, "pending": 0}
        self._pending: dict[int, str] = {}
        self._versions = 0
        self.state: OnlineState | None = None
        self.answers = (0, "")
        self._read()
        self._public = PublicRecord(folder, shown)
        if not self._public.catch_up(self.state):
            self._public.close()
            raise self._old()

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike[str],
        settings: Mapping[str, str],
        public: Mapping[str, str] = _NOTHING,
    ) -> None:
        """Make a state, whole or not at all.

        Parameters
        ----------
        folder : path
            A folder that does not exist, or an empty one of ours.
        settings : mapping from str to str
            For the private file.
        public : mapping from str to str
            For the public file.

        Raises
        ------
        StoreError
        """
        where = private_folder(folder)
        rows = [(f"-{k}", v) for k, v in settings.items()]
        rows += [(f"+{k}", v) for k, v in public.items()]
        insert = "INSERT INTO settings VALUES (?, ?)"
        Store.create(where / "private.db", PRIVATE, [(insert, row) for row in rows])

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, durability: Durability = "kill") -> Self:
        """Open a state for this process alone, after checking every row of it.

        Raises
        ------
        StoreError
            Another process uses it (``"locked"``); it was changed or truncated (``"damaged"``); it
            is older than what was published (``"old"``); see also `Store.open`.
        """
        where = Path(folder)
        if os.path.isdir(where):  # the method of a path raises for names that are too long
            private_folder(where)  # checked, not made
        private = Store.open(
            where / "private.db", PRIVATE, durability=durability, exclusive=True, patience=0
        )
        try:
            return cls(where, private)
        except BaseException:
            private.close()
            raise

    def save(self, state: OnlineState, *, first: int = 0, answers: str = "") -> None:
        """Make a state durable; only when this returns may what it publishes be shown.

        Parameters
        ----------
        state : OnlineState
            The one that was saved last, changed by any number of records.
        first : int
        answers : str
            See `answers`.

        Raises
        ------
        StoreError
            Nothing may be shown then. What is on the disk counts: close this, and open it again.
        """
        records = []
        for epoch, group in enumerate([*state.epochs[self._epoch :], state.buffer], self._epoch):
            new = group[self._within :] if epoch == self._epoch else group
            records += [(t, epoch, compact(x), y) for t, x, y in write_records(new)]
        forget = state.stopped and (self._sums["records"] or records)
        if state.stopped:  # no draw will ever be made from the records
            records, self._sums["records"] = [], 0
        published = [
            publication(state, version) for version in range(self._versions, state.version + 1)
        ]
        added, removed = self._changed_pending(state)
        for name, rows in (("records", records), ("published", published), ("pending", added)):
            self._sums[name] = (self._sums[name] + _sum(rows)) % _MODULUS
        self._sums["pending"] = (self._sums["pending"] - _sum(removed)) % _MODULUS
        document = compact(
            {
                "public": brief(state),
                "private": replace(state, buffer=[], epochs=[], pending={}).private(),
                "epochs": len(state.epochs),
                "versions": len(state.published),
                "sums": {name: f"{value:x}" for name, value in self._sums.items()},
                "answers": [first, answers],
            }
        )
        with self._private.transaction() as sql:
            if forget:
                sql.execute("DELETE FROM records")
            sql.executemany("INSERT INTO records VALUES (?, ?, ?, ?)", records)
            sql.executemany("INSERT INTO published VALUES (?, ?, ?)", published)
            sql.executemany("INSERT INTO pending VALUES (?, ?)", added)
            sql.executemany("DELETE FROM pending WHERE ticket = ?", [row[:1] for row in removed])
            row = (document, self._digest(document))
            sql.execute("INSERT OR REPLACE INTO now VALUES (1, ?, ?)", row)
        self._epoch, self._within = len(state.epochs), len(state.buffer)
        self.state, self.answers, self._versions = state, (first, answers), len(state.published)
        self._public.add(published, state)

    def close(self) -> None:
        """Close both files; closing twice is allowed."""
        self._private.close()
        self._public.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        # SQLite's connections are cycles: a forgotten journal would keep its lock for a while.
        with contextlib.suppress(Exception):
            self.close()

    # ------------------------------------------------------------------ the private file

    def _read(self) -> None:
        read = self._private.read
        read("PRAGMA secure_delete = ON")  # records that are forgotten are overwritten
        now = read("SELECT document, digest FROM now")
        records = read("SELECT time, epoch, x, y FROM records ORDER BY time")
        published = read("SELECT version, time, hypothesis FROM published ORDER BY version")
        pending = read("SELECT ticket, x FROM pending ORDER BY ticket")
        if not now:
            if records or published or pending:
                raise self._damaged()
            return
        [(document, written)] = now
        if written != self._digest(document):
            raise self._damaged()
        sums = {"records": _sum(records), "published": _sum(published), "pending": _sum(pending)}
        try:
            said = json.loads(document)
            if said["sums"] != {name: f"{value:x}" for name, value in sums.items()}:
                raise ValueError
            epochs: list[list[list[Any]]] = [[] for _ in range(said["epochs"] + 1)]
            for time, epoch, x, y in records:
                epochs[epoch].append([time, json.loads(x), y])
            transcript = [[time, json.loads(h)] for _, time, h in published]
            held = [[ticket, json.loads(x), 0] for ticket, x in pending]
            state = OnlineState.from_json(
                {**said["public"], "published": transcript},
                {**said["private"], "rounds": epochs[:-1], "buffer": epochs[-1], "pending": held},
            )
            first, answers = said["answers"]
        except (KeyError, TypeError, ValueError, IndexError, RecursionError, LittlestoneError):
            raise self._damaged() from None
        self.state, self.answers, self._sums = state, (first, answers), sums
        self._epoch, self._within = len(state.epochs), len(state.buffer)
        self._versions, self._tickets = len(published), state.tickets
        self._pending = dict(pending)

    def _changed_pending(
        self, state: OnlineState
    ) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
        """Return which waiting points are new, and which are not waiting any more."""
        new = [t for t in range(self._tickets, state.tickets) if t in state.pending]
        added = [
            (t, compact(x)) for t, x, _ in write_records((t, state.pending[t], 0) for t in new)
        ]
        removed = []
        if len(self._pending) + len(added) > len(state.pending):
            removed = [row for row in self._pending.items() if row[0] not in state.pending]
        for ticket, _ in removed:
            del self._pending[ticket]
        self._pending.update(added)
        self._tickets = state.tickets
        return added, removed

    def _digest(self, document: str) -> str:
        return digest(f"{self._fixed} {document}")

    def _damaged(self) -> StoreError:
        return StoreError(
            f"The state {self.folder} has been changed: its entries are not those that this "
            "program wrote. It was not used. Nothing can be continued from it; a new stream needs "
            "a budget of its own.",
            reason="damaged",
        )

    def _old(self) -> StoreError:
        return StoreError(
            f"The state {self.folder} is older than what it has published: it is an old copy, or "
            "a power cut took its end (--durability power prevents that). Continuing would release "
            "twice. It was not used; what was published is in its public.db.",
            reason="old",
        )


def _sum(rows: Iterable[Sequence[Any]]) -> int:
    """Return a sum of hashes: it follows a table that grows and shrinks, row by row."""
    return sum(int(digest(compact(row)), 16) for row in rows) % _MODULUS
