"""A stream whose state is on disk: begun once, paid for once, taken up again after any kill.

A state is a folder, for its owner only, with two logs (`littlestone.append_log`):

``private.db``
    Everything the next draws depend on: the mistakes, the above-threshold test, the counters; and
    a copy of what was published. It is locked as long as a process uses it. Anyone who reads it
    reads raw records.
``public.db``
    The public parameters and what was published: a function of the transcript. It follows from the
    other file, may be read while the stream runs, and may be handed on alone (`PublicRecord`).

Each `Journal.save` is one line in the private file, which holds what has changed, then one in the
public file; only when it returns may anything be shown. So a draw that may have been seen is never
drawn again. A file that has grown is written anew, as one line that holds all; so it is when the
budget is spent, and the records are forgotten. After a kill the public file may be one step behind,
and is brought up to date when the state is opened. If it is *ahead*, then the private file is an
old copy, or lost its end: continuing would publish twice, and is refused.
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
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from littlestone.append_log import NEW, AppendLog, LogKind
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
from littlestone.safe_io import check_folder, private_folder
from littlestone.source import SecureSource
from littlestone.types import Json

if TYPE_CHECKING:
    import numpy.typing as npt

    from littlestone.learners.online.algorithm import Sources
    from littlestone.types import Labels, Points

Durability = Literal["power", "kill"]
#: A file is written anew when it is longer than this, and than twice what it was then.
_GROWN = 2**20

# -- the public part, in a file of its own --------------------------------------------------------

PUBLIC = LogKind(
    name="public record of a stream",
    magic="littlestone stream record 3",
    largest=2**32,
    repair="If private.db is not a restored copy, delete it: it is recreated from that.",
)
_DOCUMENTS = ("stream", "about", "guarantee")
_COUNTERS = ("time", "tickets", "batches")
#: Time, hypothesis as JSON.
Publication = list[Any]


class PublicRecord:
    """The open public file of a state; only the process that holds the private one writes it.

    ``settings``: the file is made from these if it does not exist.
    """

    def __init__(self, folder: Path, settings: Json) -> None:
        path = folder / "public.db"
        if not os.path.lexists(path):
            AppendLog.create(path, PUBLIC, compact(settings))
        self._open = contextlib.ExitStack()
        # After a power cut it may be behind the private file, as after a kill: it catches up.
        log = AppendLog.opened(path, PUBLIC, write=True, timeout=0, synced=False)
        self._log = self._open.enter_context(log)
        self._shown: list[Publication] = []

    def catch_up(self, state: OnlineState | None) -> bool:
        """Add what the private file knows; return False if this file knows more."""
        now, self._shown = _read(self._log)
        wanted = [] if state is None else publications(state)
        if compact(self._shown) != compact(wanted[: len(self._shown)]):
            return False
        if state is None:
            return now is None
        if now is not None and any(now[name] > getattr(state, name) for name in _COUNTERS):
            return False
        if len(self._shown) < len(wanted) or now != brief(state):
            self.add(wanted[len(self._shown) :], state)
        return True

    def add(self, published: Sequence[Publication], state: OnlineState) -> None:
        """Put a file with more hypotheses, and with the counters of now, into the place of this.

        It keeps no history of the counters: groups of rows end where bytes do, so that would say
        how long records are.
        """
        self._shown += published
        self._log.rewrite(compact({"now": brief(state), "published": self._shown}))

    def close(self) -> None:
        """Close the file."""
        self._open.close()


def read_public(folder: str | os.PathLike[str]) -> Json:
    """Return all that a stream has published, as JSON; the private file is not opened."""
    path = Path(folder) / "public.db"
    try:
        with AppendLog.opened(path, PUBLIC, write=None) as log:
            now, published = _read(log)
            try:
                fixed = _settings(json.loads(log.header))
                concepts = class_from_dict(fixed["stream"]["class"])
            except (KeyError, TypeError, ValueError, RecursionError):  # also our ParameterError
                raise log.damaged() from None
    except StoreError as problem:
        if problem.reason == "missing" and path.exists():  # replaced since it was opened
            return read_public(folder)
        raise
    now = now or {"time": 0, "batches": 0, "stopped": False}
    return {
        "format": "littlestone-stream-1",
        **fixed,
        **stated(parts_in(fixed, concepts)),  # kept is what was paid, of the stream alone
        "rows": now["time"],
        "batches": now["batches"],
        "stopped": bool(now.get("stopped")),
        "published": [{"rows": at, "hypothesis": rule} for at, rule in published],
    }


def brief(state: OnlineState) -> Json:
    """Return the public document of a state without the transcript, which has its own table."""
    return {k: v for k, v in replace(state, published=[]).public().items() if k != "published"}


def publications(state: OnlineState, first: int = 0) -> list[Publication]:
    """Return the transcript from a version on."""
    return [[time, rule.to_dict()] for time, rule in state.published[first:]]


def compact(value: Any) -> str:
    """Return JSON without spaces, the same for lists and tuples."""
    return json.dumps(value, separators=(",", ":"))


def digest(text: str) -> str:
    """Return a hash: it finds changes by accident or by hand; it is no signature."""
    return hashlib.sha256(text.encode()).hexdigest()


def _read(log: AppendLog) -> tuple[Json | None, list[Publication]]:
    """Return the counters and what was published; before the first step None, and nothing."""
    now, published = None, []
    try:
        for step in map(json.loads, log.lines):  # at most one
            now, published = step["now"], [[at, rule] for at, rule in step["published"]]
            if not all(type(now[name]) is int for name in _COUNTERS):
                raise TypeError
    except (KeyError, TypeError, ValueError, RecursionError):
        raise log.damaged() from None
    return now, published


def _settings(fixed: Json) -> Json:
    """Return the settings of the public file, after checking that all are there."""
    if set(fixed) != {"stream", "about", "guarantee", "planned_batches"}:
        raise ValueError
    planned = fixed["planned_batches"]
    if type(planned) is not int or not all(type(fixed[name]) is dict for name in _DOCUMENTS):
        raise ValueError
    Guarantee.from_dict(fixed["guarantee"])
    return fixed


PRIVATE = LogKind(
    name="state of a stream",
    magic="littlestone stream state 3",
    largest=2**34,
    repair="It cannot be continued; a new stream needs its own budget.",
    create="Begin a stream in this folder first: littlestone stream.",
)
_NOTHING: Mapping[str, Any] = MappingProxyType({})


def parameters_of(algorithm: OnlineAlgorithm) -> Json:
    """Return the public parameters of a stream: what is asked for, as exact texts."""
    goal = algorithm.plan.goal
    return {
        "class": algorithm.concept_class.to_dict(),
        "epsilon": str(goal.epsilon),
        "delta": str(goal.delta),
        "horizon": goal.horizon,
        "beta": str(goal.beta),
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
            "stream": parameters_of(algorithm),
            "about": dict(about),
            "guarantee": guarantee.to_dict(),
            "planned_batches": algorithm.plan.batches,
        }
        check_folder(private_folder(folder) / "private.db", PRIVATE.name)  # before it is drawn
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

    def __init__(self, folder: Path, private: AppendLog) -> None:
        self.folder, self._log, self._process = folder, private, os.getpid()
        self._open = contextlib.ExitStack()
        self.state: OnlineState | None = None
        self.answers = (0, "")
        self._most = _GROWN
        self._waiting = set[int]()
        try:
            fixed = json.loads(private.header)
            self.settings: dict[str, str] = fixed["settings"]
            self._read()
        except (KeyError, TypeError, ValueError, IndexError, RecursionError, LittlestoneError):
            raise private.damaged() from None
        self._saved(OnlineState(0, []) if self.state is None else self.state)
        self._public = PublicRecord(folder, fixed["public"])
        self._open.callback(self._public.close)
        if not self._public.catch_up(self.state):
            self.close()
            raise self._old()

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike[str],
        settings: Mapping[str, str],
        public: Mapping[str, Any] = _NOTHING,
    ) -> None:
        """Make a state, whole or not at all."""
        where = private_folder(folder)
        fixed = {"settings": dict(settings), "public": dict(public)}
        AppendLog.create(where / "private.db", PRIVATE, compact(fixed))

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, durability: Durability = "kill") -> Self:
        """Open a state for this process alone, after checking every line of it."""
        if durability not in ("power", "kill"):
            raise StoreError(
                f"The durability must be 'power' or 'kill'. Got {durability!r}.",
                reason="durability",
            )
        where = Path(folder)
        if os.path.isdir(where):  # the method of a path raises for names that are too long
            private_folder(where)  # checked, not made
        path, power = where / "private.db", durability == "power"
        with contextlib.ExitStack() as opened:
            log = AppendLog.opened(path, PRIVATE, write=True, timeout=0, synced=power)
            private = opened.enter_context(log)
            check_folder(path, PRIVATE.name)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"{path}{NEW}")  # it may hold records
            journal = cls(where, private)
            journal._open.push(opened.pop_all())
        return journal

    def save(self, state: OnlineState, *, first: int = 0, answers: str = "") -> None:
        """Make a state durable; only when this returns may what it publishes be shown."""
        if os.getpid() != self._process:
            raise StoreError(
                f"The {PRIVATE.name} {self.folder} was opened by the parent of this process. Open "
                "it again here.",
                reason="forked",
            )
        forgets = state.stopped and not self._stopped  # no draw will ever be made from the records
        line = self._step(state, (first, answers), whole=forgets)
        if forgets:
            self._log.rewrite(line, erase=True)
        else:
            self._log.append(line)
        published = publications(state, self._versions)
        self.state, self.answers = state, (first, answers)
        self._saved(state)
        if self._log.size > self._most:
            self._log.rewrite(self._step(state, self.answers, whole=True), erase=True)
            self._most = _GROWN + 2 * self._log.size
        self._public.add(published, state)

    def _saved(self, state: OnlineState) -> None:
        """Remember what the file holds."""
        self._epoch, self._within = len(state.epochs), len(state.buffer)
        self._versions, self._stopped = len(state.published), state.stopped
        self._tickets = state.tickets
        state.contributed_before = {}

    def _step(self, state: OnlineState, answers: tuple[int, str], *, whole: bool) -> str:
        """Return what has changed since the last line, or all of a state, as a line."""
        epoch, within, versions, tickets = self._epoch, self._within, self._versions, self._tickets
        users: Iterable[str] = () if state.stopped else state.contributed_before
        if whole:
            epoch, within, versions, tickets, users = 0, 0, 0, 0, state.contributions
            self._waiting.clear()
        groups = [*state.epochs[epoch:], state.buffer]
        records = [
            (at, write_records(group[within if at == epoch else 0 :]))
            for at, group in enumerate(groups, epoch)
        ]
        new = [ticket for ticket in range(tickets, state.tickets) if ticket in state.pending]
        self._waiting.update(new)
        revealed = []
        if len(self._waiting) > len(state.pending):
            revealed = sorted(self._waiting - state.pending.keys())
            self._waiting.difference_update(revealed)
        rest = replace(state, buffer=[], epochs=[], pending={}, contributions={}).private()
        return compact({
            "public": brief(state), "private": rest, "epochs": len(state.epochs),
            "records": [group for group in records if group[1]],
            "published": publications(state, versions),
            "waiting": write_records((ticket, state.pending[ticket], 0) for ticket in new),
            "revealed": revealed,
            "contributions": {user: state.contributions[user] for user in users},
            "answers": answers,
        })  # fmt: skip

    def _read(self) -> None:
        """Follow the lines of the file."""
        records: dict[int, list[Any]] = {}
        published: list[Publication] = []
        waiting: dict[int, Any] = {}
        contributions: dict[str, int] = {}
        step: Json = {}
        for step in map(json.loads, self._log.lines):
            for epoch, group in step["records"]:
                records.setdefault(epoch, []).extend(group)
            published += step["published"]
            for ticket in step["revealed"]:
                del waiting[ticket]
            waiting.update((record[0], record) for record in step["waiting"])
            contributions |= step["contributions"]
        if not step:
            return
        epochs = [records.get(epoch, []) for epoch in range(step["epochs"] + 1)]
        private = step["private"] | {
            "epochs": epochs[:-1], "buffer": epochs[-1], "pending": list(waiting.values()),
            "contributions": contributions,
        }  # fmt: skip
        self.state = OnlineState.from_json(step["public"] | {"published": published}, private)
        self._waiting.update(waiting)
        first, answers = step["answers"]
        self.answers = first, answers

    def close(self) -> None:
        """Close both files; closing twice is allowed."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _old(self) -> StoreError:
        return StoreError(
            f"The state {self.folder} is older than what it has published: it is an old copy, or a "
            "power failure cut off its end (--durability power prevents that). It was not used, "
            "because continuing would release twice; what was published is in its public.db.",
            reason="old",
        )


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
