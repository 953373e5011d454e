"""The public file of a stream: the public parameters, and what was published.

It is a function of the transcript, follows from the private file
(`littlestone.learners.online.journal`), may be read while the stream runs, and may be handed on
alone.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from littlestone.errors import StoreError
from littlestone.learners.online.state import OnlineState
from littlestone.privacy import Guarantee
from littlestone.store import Kind, Store

if TYPE_CHECKING:
    from littlestone.types import Json


PUBLIC = Kind(
    name="public record of a stream",
    application_id=0x4C534302,
    version=1,
    tables=(
        "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
        "CREATE TABLE now (one INTEGER PRIMARY KEY CHECK (one = 1), document TEXT NOT NULL, "
        "digest TEXT NOT NULL) STRICT",
        "CREATE TABLE published (version INTEGER PRIMARY KEY, time INTEGER NOT NULL, "
        "hypothesis TEXT NOT NULL) STRICT",
    ),
    largest=2**32,
    longest=2**26,
)
_DOCUMENTS = ("stream", "about", "guarantee")
#: Version, time, hypothesis as JSON.
Publication = tuple[int, int, str]


class PublicRecord:
    """The open public file of a state; only the process that holds the private one writes it.

    ``settings``: the file is made from these (JSON texts) if it does not exist.
    """

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        path = folder / "public.db"
        if not os.path.lexists(path):
            rows = [("INSERT INTO settings VALUES (?, ?)", row) for row in settings.items()]
            Store.create(path, PUBLIC, rows)
        # After a power cut it may be behind the private file, as after a kill: it catches up.
        self._store = Store.open(path, PUBLIC, durability="kill")

    def catch_up(self, state: OnlineState | None) -> bool:
        """Add what the private file knows; return False if this file knows more."""
        now, shown = _read(self._store)
        wanted: list[Publication] = []
        if state is not None:
            wanted = [publication(state, v) for v in range(len(state.published))]
        if shown != wanted[: len(shown)]:
            return False
        if state is None:
            return now is None
        if now is not None and now["time"] > state.time:
            return False
        if len(shown) < len(wanted) or now != brief(state):
            self.add(wanted[len(shown) :], state)
        return True

    def add(self, published: Iterable[Publication], state: OnlineState) -> None:
        """Add hypotheses, in one step."""
        document = compact(brief(state))
        with self._store.transaction() as sql:
            sql.executemany("INSERT INTO published VALUES (?, ?, ?)", published)
            sql.execute("INSERT OR REPLACE INTO now VALUES (1, ?, ?)", (document, digest(document)))

    def close(self) -> None:
        """Close the file."""
        self._store.close()


def read_public(folder: str | os.PathLike[str]) -> Json:
    """Return all that a stream has published, as JSON; the private file is not opened."""
    path = Path(folder) / "public.db"
    with Store.open(path, PUBLIC, durability="kill") as store:
        settings = dict(store.read("SELECT name, value FROM settings"))
        now, published = _read(store)
        try:
            fixed = _settings(settings)
            transcript = [{"rows": t, "hypothesis": json.loads(h)} for _, t, h in published]
        except (ValueError, RecursionError):  # also our ParameterError
            raise _changed(path) from None
    now = now or {"time": 0, "stage": 0, "batches": 0, "stopped": False}
    return {
        "format": "littlestone-stream-1",
        **fixed,
        "rows": now["time"],
        **{name: now[name] for name in ("stage", "batches", "stopped")},
        "published": transcript,
    }


def brief(state: OnlineState) -> Json:
    """Return the public document of a state without the transcript, which has its own table."""
    return {k: v for k, v in replace(state, published=[]).public().items() if k != "published"}


def publication(state: OnlineState, version: int) -> Publication:
    """Return a row of the transcript."""
    time, hypothesis = state.published[version]
    return version, time, compact(hypothesis.to_dict())


def compact(value: Any) -> str:
    """Return JSON without spaces, the same for lists and tuples."""
    return json.dumps(value, separators=(",", ":"))


def digest(text: str) -> str:
    """Return a hash: it finds changes by accident or by hand; it is no signature."""
    return hashlib.sha256(text.encode()).hexdigest()


def _read(store: Store) -> tuple[Json | None, list[Publication]]:
    with store.transaction() as sql:  # both at one instant
        rows = sql.execute("SELECT document, digest FROM now").fetchall()
        published = sql.execute("SELECT * FROM published ORDER BY version").fetchall()
    if not rows:
        return None, published
    if digest(rows[0][0]) != rows[0][1]:
        raise _changed(store.path)
    document: Json = json.loads(rows[0][0])
    return document, published


def _settings(rows: Mapping[str, str]) -> Json:
    """Read the settings of the public file, checking that all are there and what they say."""
    fixed: Json = {name: json.loads(value) for name, value in rows.items()}
    if set(fixed) != {"stream", "about", "guarantee", "planned_batches"}:
        raise ValueError
    planned = fixed["planned_batches"]
    if type(planned) is not int or not all(type(fixed[name]) is dict for name in _DOCUMENTS):
        raise ValueError
    Guarantee.from_dict(fixed["guarantee"])
    return fixed


def _changed(path: Path) -> StoreError:
    return StoreError(
        f"The public record {path} has been changed. Delete it: it is made again from the private "
        "state when the stream goes on.",
        reason="damaged",
    )
