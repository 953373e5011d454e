"""A stream whose state is on disk: begun once, paid for once, taken up again after any kill.

A state is a folder, for its owner only, with two databases (`littlestone.store`):

``private.db``
    Everything the next draws depend on: the mistakes, the above-threshold test, the counters; and
    a copy of what was published. It is locked as long as a process uses it. Anyone who reads it
    reads raw records.
``public.db``
    The public parameters and what was published: a function of the transcript. It follows from the
    other file, may be read while the stream runs, and may be handed on alone (`PublicRecord`).

Each `Journal.save` is one transaction in the private file, then one in the public file; only when
it returns may anything be shown. So a draw that may have been seen is never drawn again. What was
saved is in the files themselves, whatever they are called later; what was being saved is in their
journals too (``-journal``), so that a file that is taken from its journal after a kill is refused.
After a kill the public file may be one step behind, and is brought up to date when the state is
opened. If it is *ahead*, then the private file is an old copy, or a power cut took its end:
continuing would publish twice, and is refused.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from littlestone.classes import class_from_dict, load
from littlestone.errors import LittlestoneError, ParameterError, StoreError
from littlestone.learners.online.algorithm import (
    OnlineAlgorithm,
    algorithm_of,
    always,
    mistake_bound,
    numbered,
)
from littlestone.learners.online.plan import plan_online
from littlestone.learners.online.state import OnlineState, write_records
from littlestone.learners.record import Finding, derived, described, differences, filed
from littlestone.learners.release import parts_in, proposal_of, stated
from littlestone.privacy import Guarantee, Ledger, total
from littlestone.privacy.guarantee import exact_text
from littlestone.safe_io import private_folder
from littlestone.source import SecureSource
from littlestone.store import Durability, Kind, Store
from littlestone.types import Json

if TYPE_CHECKING:
    import numpy.typing as npt

    from littlestone.learners.online.algorithm import Sources
    from littlestone.types import Labels, Points

# -- the public part, in a file of its own --------------------------------------------------------

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
            concepts = class_from_dict(fixed["stream"]["class"])
        except (KeyError, ValueError, RecursionError):  # also our ParameterError
            raise _changed(path) from None
    now = now or {"time": 0, "batches": 0, "stopped": False}
    return {
        "format": "littlestone-stream-1",
        **fixed,
        **stated(parts_in(fixed, concepts)),  # kept is what was paid, of the stream alone
        "rows": now["time"],
        **{name: now[name] for name in ("batches", "stopped")},
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
        f"The public record {path} has been changed. Delete it: it is recreated from the private "
        "state when the stream continues.",
        reason="damaged",
    )


PRIVATE = Kind(
    name="state of a stream",
    application_id=0x4C534301,
    version=2,
    tables=(
        "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
        "CREATE TABLE now (one INTEGER PRIMARY KEY CHECK (one = 1), document TEXT NOT NULL, "
        "digest TEXT NOT NULL) STRICT",
        "CREATE TABLE records (time INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, x TEXT NOT NULL, "
        "y INTEGER NOT NULL) STRICT",
        "CREATE TABLE published (version INTEGER PRIMARY KEY, time INTEGER NOT NULL, "
        "hypothesis TEXT NOT NULL) STRICT",
        "CREATE TABLE contributions (user TEXT PRIMARY KEY, records INTEGER NOT NULL) STRICT, "
        "WITHOUT ROWID",
        "CREATE TABLE pending (ticket INTEGER PRIMARY KEY, x TEXT NOT NULL) STRICT",
    ),
    largest=2**34,
    longest=2**26,
)
_MODULUS = 2**256
_NOTHING: Mapping[str, Any] = MappingProxyType({})


def parameters_of(algorithm: OnlineAlgorithm) -> Json:
    """Return the public parameters of a stream: what is asked for, as exact texts."""
    goal = algorithm.plan.goal
    return {
        "class": algorithm.concept_class.to_dict(),
        "epsilon": exact_text(goal.epsilon),
        "delta": exact_text(goal.delta),
        "horizon": goal.horizon,
        "beta": exact_text(goal.beta),
        "records_per_user": goal.records_per_user,
    }


def terms_of(algorithm: OnlineAlgorithm, seed: int | None) -> str:
    """Return a digest of everything that a stream was begun with, and cannot change."""
    return digest(json.dumps([parameters_of(algorithm), repr(algorithm.plan), seed]))


@dataclass
class DurableStream:
    """An online algorithm and its journal: nothing is handed out that is not on the disk.

    Notes
    -----
    *When a call raises* (a full disk, an interruption), this object must be thrown away: open the
    stream again, and it continues from what is on the disk.
    """

    algorithm: OnlineAlgorithm
    journal: Journal
    state: OnlineState
    sources: Sources = field(repr=False)

    def answer(
        self,
        points: Points,
        inside: npt.NDArray[np.bool_],
        labels: npt.NDArray[np.int8],
        users: Sequence[str] | None = None,
    ) -> Labels:
        """Predict each record by the hypothesis published before it, and learn it."""
        state, n, done = self.state, len(labels), 0
        first, answers = state.time, np.zeros(n, dtype=np.int8)
        known = inside
        if users is not None:
            kept = self.algorithm.admitted(state, users)
            known, labels = inside & kept, np.where(kept, labels, 0).astype(np.int8)
        while done < n:
            hypothesis, rest = state.hypothesis, slice(done, n)
            learned = self.algorithm.step_many(
                state, points[rest], known[rest], labels[rest], self.sources, until_published=True
            )
            part = slice(done, done + learned)
            answers[part] = hypothesis.predict(points[part]) & inside[part]
            done += learned
        text = (answers + ord("0")).astype(np.uint8).tobytes().decode("ascii")
        self.journal.save(state, first=first, answers=text)
        return answers

    def acknowledge(self) -> None:
        """Say that all answers have been handed out: they are not kept any longer."""
        if self.journal.answers[1]:
            self.journal.save(self.state)

    def close(self) -> None:
        """Close the state; it can be opened again."""
        self.journal.close()


def open_stream(
    folder: str | os.PathLike[str],
    algorithm: OnlineAlgorithm,
    *,
    seed: int | None = None,
    ledger: Ledger | None = None,
    durability: Durability = "kill",
    about: Mapping[str, Any] = _NOTHING,
) -> DurableStream:
    """Begin a stream in a folder, or take up the one that is there.

    Examples
    --------
    >>> import tempfile, os
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.learners.online.plan import plan_online
    >>> from littlestone.learners.online.algorithm import OnlineAlgorithm
    >>> ages = Thresholds(1, 99)
    >>> plan = plan_online(ages, epsilon=1, delta=0, horizon=1000)
    >>> folder = tempfile.TemporaryDirectory()
    >>> where = os.path.join(folder.name, "state")
    >>> stream = open_stream(where, OnlineAlgorithm(ages, plan))
    >>> x = np.arange(1, 100)
    >>> _ = stream.answer(x, x > 0, (x > 17).astype(np.int8))
    >>> stream.close()
    >>> open_stream(where, OnlineAlgorithm(ages, plan)).state.time
    99
    >>> folder.cleanup()
    """
    settings = {
        "stream": json.dumps(parameters_of(algorithm)),
        "about": json.dumps(dict(about)),
        # a version of the program that plans other numbers must not spend the rest of a budget.
        "plan": repr(algorithm.plan),
        "seed": "" if seed is None else str(seed),
    }
    guarantee = algorithm.guarantee(seeded=seed is not None)
    if not os.path.lexists(Path(folder) / "private.db"):
        if ledger is not None:
            ledger.check(guarantee)
        shown = {
            "stream": settings["stream"],
            "about": settings["about"],
            "guarantee": json.dumps(guarantee.to_dict()),
            "planned_batches": str(algorithm.plan.batches),
        }
        name = f"{SecureSource().below(2**128):032x}"
        paid_by = "" if ledger is None else str(ledger.path.absolute())
        paid = {"ledger": paid_by, "purpose": "" if ledger is None else ledger.purpose}
        Journal.create(folder, {**settings, "name": name, **paid}, shown)
    journal = Journal.open(folder, durability=durability)
    try:
        return _taken_up(journal, algorithm, settings, seed, ledger)
    except BaseException:
        journal.close()
        raise


def _taken_up(
    journal: Journal,
    algorithm: OnlineAlgorithm,
    settings: Mapping[str, str],
    seed: int | None,
    ledger: Ledger | None,
) -> DurableStream:
    kept = journal.settings
    words = {
        "stream": "another class, epsilon, delta, horizon or beta",
        "about": "other columns or labels",
        "plan": "other parameters, or with a version of this program that plans other numbers",
        "seed": "another seed, or without one",
    }
    for name, what in words.items():
        if kept.get(name) != settings[name]:
            raise ParameterError(
                f"The stream in {journal.folder} was begun with {what}. The parameters of a stream "
                "cannot change: give the same ones, or begin another stream in another folder."
            )
    paid_by = "" if ledger is None else str(ledger.path.absolute())
    if ledger is not None and kept.get("ledger") != paid_by:
        raise ParameterError(
            f"The stream in {journal.folder} was not begun with this ledger. A stream is charged "
            "when it begins: leave the ledger out, or begin another stream."
        )
    if ledger is not None and ledger.purpose not in ("", kept.get("purpose", "")):
        raise ParameterError(
            f"The stream in {journal.folder} was begun for another purpose, which its ledger "
            "keeps: leave the purpose out, or begin another stream."
        )
    sources = always(SecureSource()) if seed is None else numbered(seed)
    state = journal.state
    if state is None:
        # Killed between these two lines, it is charged again with the same name: once.
        if kept.get("ledger"):
            _charge(kept, ledger, algorithm)
        state = algorithm.start(sources)
        state.terms = terms_of(algorithm, seed)
        journal.save(state)
    return DurableStream(algorithm, journal, state, sources)


def _charge(kept: Mapping[str, str], ledger: Ledger | None, algorithm: OnlineAlgorithm) -> None:
    budget = Ledger(kept["ledger"]) if ledger is None else ledger
    purpose = kept.get("purpose", "")  # as it was when the stream began
    what = f"stream on {algorithm.concept_class.spec}"
    budget.charge(algorithm.guarantee(), what=what[:200], token=kept["name"], purpose=purpose)


# -- the private file -----------------------------------------------------------------------------


class Journal:
    """The open state of one stream. Make one by `create` or `open`; close it.

    ``settings``: fixed when the state was made; ``state``: as it was saved last; None before the
    first `save`; ``answers``: the labels ("0110") of the last saved group of rows, and the time of
    its first: anyone who was killed while handing them out hands out the same ones again.

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
        self._sums = {"records": 0, "published": 0, "pending": 0, "contributions": 0}
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
        """Make a state, whole or not at all."""
        where = private_folder(folder)
        rows = [(f"-{k}", v) for k, v in settings.items()]
        rows += [(f"+{k}", v) for k, v in public.items()]
        insert = "INSERT INTO settings VALUES (?, ?)"
        Store.create(where / "private.db", PRIVATE, [(insert, row) for row in rows])

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, durability: Durability = "kill") -> Self:
        """Open a state for this process alone, after checking every row of it."""
        where = Path(folder)
        if os.path.isdir(where):  # the method of a path raises for names that are too long
            private_folder(where)  # checked, not made
        private = Store.open(
            where / "private.db", PRIVATE, durability=durability, exclusive=True, timeout=0
        )
        try:
            return cls(where, private)
        except BaseException:
            private.close()
            raise

    def save(self, state: OnlineState, *, first: int = 0, answers: str = "") -> None:
        """Make a state durable; only when this returns may what it publishes be shown."""
        records = []
        for epoch, group in enumerate([*state.epochs[self._epoch :], state.buffer], self._epoch):
            new = group[self._within :] if epoch == self._epoch else group
            records += [(t, epoch, compact(x), y) for t, x, y in write_records(new)]
        forget = state.stopped and (self._sums["records"] or records)
        if state.stopped:
            self._private.read("PRAGMA journal_size_limit = 0")  # nor does its journal keep them
        if state.stopped:  # no draw will ever be made from the records
            records, self._sums["records"] = [], 0
        published = [
            publication(state, version) for version in range(self._versions, state.version + 1)
        ]
        added, removed = self._changed_pending(state)
        changed = {} if state.stopped else state.contributed_before  # nor will users contribute
        # as JSON: SQLite keeps no text with lone surrogates, and a name must not be refused
        before = [(json.dumps(user), n) for user, n in changed.items() if n]
        given = [(json.dumps(user), state.contributions[user]) for user in changed]
        if state.stopped:
            self._sums["contributions"] = 0
        for name, rows, old in (
            ("records", records, []), ("published", published, []), ("pending", added, removed),
            ("contributions", given, before),
        ):  # fmt: skip
            self._sums[name] = (self._sums[name] + _sum(rows) - _sum(old)) % _MODULUS
        document = compact(
            {
                "public": brief(state),
                "private": replace(
                    state, buffer=[], epochs=[], pending={}, contributions={}
                ).private(),
                "epochs": len(state.epochs),
                "versions": len(state.published),
                "sums": {name: f"{value:x}" for name, value in self._sums.items()},
                "answers": [first, answers],
            }
        )
        with self._private.transaction() as sql:
            if forget:
                sql.execute("DELETE FROM records")
            if state.stopped:
                sql.execute("DELETE FROM contributions")
            sql.executemany("INSERT INTO records VALUES (?, ?, ?, ?)", records)
            sql.executemany("INSERT INTO published VALUES (?, ?, ?)", published)
            sql.executemany("INSERT INTO pending VALUES (?, ?)", added)
            sql.executemany("DELETE FROM pending WHERE ticket = ?", [row[:1] for row in removed])
            sql.executemany("INSERT OR REPLACE INTO contributions VALUES (?, ?)", given)
            row = (document, self._digest(document))
            sql.execute("INSERT OR REPLACE INTO now VALUES (1, ?, ?)", row)
        self._epoch, self._within = len(state.epochs), len(state.buffer)
        self.state, self.answers, self._versions = state, (first, answers), len(state.published)
        state.contributed_before = {}
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

    def _read(self) -> None:
        read = self._private.read
        read("PRAGMA secure_delete = ON")  # records that are forgotten are overwritten
        now = read("SELECT document, digest FROM now")
        records = read("SELECT time, epoch, x, y FROM records ORDER BY time")
        published = read("SELECT version, time, hypothesis FROM published ORDER BY version")
        pending = read("SELECT ticket, x FROM pending ORDER BY ticket")
        given = read("SELECT user, records FROM contributions ORDER BY user")
        if not now:
            if records or published or pending or given:
                raise self._damaged()
            return
        [(document, written)] = now
        if written != self._digest(document):
            raise self._damaged()
        sums = {
            "records": _sum(records), "published": _sum(published), "pending": _sum(pending),
            "contributions": _sum(given),
        }  # fmt: skip
        try:
            said = json.loads(document)
            if said["sums"] != {name: f"{value:x}" for name, value in sums.items()}:
                raise ValueError
            epochs: list[list[list[Any]]] = [[] for _ in range(said["epochs"] + 1)]
            for time, epoch, x, y in records:
                epochs[epoch].append([time, json.loads(x), y])
            transcript = [[time, json.loads(h)] for _, time, h in published]
            waiting = [[ticket, json.loads(x), 0] for ticket, x in pending]
            state = OnlineState.from_json(
                {**said["public"], "published": transcript},
                {
                    **said["private"],
                    "epochs": epochs[:-1],
                    "buffer": epochs[-1],
                    "pending": waiting,
                    "contributions": {json.loads(user): n for user, n in given},
                },
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
            "program wrote. It was not used and cannot be continued; a new stream needs its own "
            "budget.",
            reason="damaged",
        )

    def _old(self) -> StoreError:
        return StoreError(
            f"The state {self.folder} is older than what it has published: it is an old copy, or a "
            "power cut took its end (--durability power prevents that). Continuing would release "
            "twice, so it was not used; what was published is in its public.db.",
            reason="old",
        )


def _sum(rows: Iterable[Sequence[Any]]) -> int:
    """Return a sum of hashes: it follows a table that grows and shrinks, row by row."""
    return sum(int(digest(compact(row)), 16) for row in rows) % _MODULUS


# -- The record of a stream: all that it published, and what follows from its public parameters ----


_ASKED = ("epsilon", "delta", "horizon", "beta")
_ABOUT = {"constants": "practical", "adversary": None, "agnostic": False}


def algorithm_in(public: Any) -> OnlineAlgorithm:
    """Return the algorithm of an exported stream, planned again from its public parameters."""
    asked, about = public["stream"], public["about"]
    concepts = class_from_dict(asked["class"])
    how = {name: about.get(name, usual) for name, usual in _ABOUT.items()}
    how["records_per_user"] = asked.get("records_per_user")
    plan = plan_online(concepts, **{name: asked[name] for name in _ASKED}, **how)
    return algorithm_of(concepts, plan)


def stream_record(public: Json) -> Json:
    """Return the record of what a stream has published so far, as `read_public` returns it."""
    if not public["published"]:
        raise ParameterError("This stream has published nothing yet, so it has no record.")
    algorithm = algorithm_in(public)
    parts = algorithm.parts(seeded=public["guarantee"]["seeded"])
    guarantee = total(parts)
    concepts = algorithm.concept_class
    bound = mistake_bound(algorithm.plan, concepts)
    document = {**public, "certificate": bound.certificate.to_dict()}
    deployment = described(
        guarantee,
        name=f"online learner on {concepts.spec}",
        description=load(public["published"][-1]["hypothesis"]).describe(),
        spec=concepts.spec,
        unprotected="the number of rows",
        proposal=proposal_of(concepts),
        learner="online",
        justification=str(bound),
        release_type="Many releases",
        data_source_type="Dynamic",
    )
    return filed("stream", document, guarantee, {"deployment": deployment})


def stream_findings(record: Json) -> Iterator[Finding]:
    """Yield what does not follow from the rest of the record of a stream."""
    stream = record["stream"]
    public = {name: part for name, part in stream.items() if name != "certificate"}
    try:
        again = stream_record(public)
        algorithm = algorithm_in(public)
        times = [each["rows"] for each in public["published"]]
        rules = [load(each["hypothesis"]).to_dict() for each in public["published"]]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as problem:
        yield Finding("stream", f"it cannot be read back ({type(problem).__name__})")
        return
    published = [{"rows": t, "hypothesis": rule} for t, rule in zip(times, rules, strict=True)]
    right = {
        "parts": None,
        **stated(algorithm.parts()),
        "planned_batches": algorithm.plan.batches,
        "published": published,
        "certificate": again["stream"]["certificate"],
    }
    yield from differences("stream", {name: stream.get(name) for name in right}, right)
    if times != sorted(times) or not 0 <= times[0] <= times[-1] <= stream["rows"]:
        yield Finding("stream.published", "its numbers of rows are not increasing")
    if not len(times) - 1 <= stream["batches"] <= stream["planned_batches"]:
        yield Finding("stream.batches", "more was published than was planned")
    yield from derived(record, again)
