"""A stream whose state is on disk: begun once, paid for once, taken up again after any kill."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.errors import ParameterError
from littlestone.learners.online.algorithm import always, numbered
from littlestone.learners.online.journal import Journal
from littlestone.learners.online.public_record import digest
from littlestone.privacy import Ledger
from littlestone.privacy.rounding import exact_text
from littlestone.source import SecureSource

if TYPE_CHECKING:
    import numpy.typing as npt

    from littlestone.learners.online.algorithm import OnlineAlgorithm, Sources
    from littlestone.learners.online.state import OnlineState
    from littlestone.store import Durability
    from littlestone.types import Json, Labels, Points

__all__ = ["DurableStream", "described", "open_stream", "terms_of"]

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def described(algorithm: OnlineAlgorithm) -> Json:
    """Return the public parameters of a stream: what is asked for, as exact texts."""
    goal = algorithm.plan.goal
    return {
        "class": algorithm.concept_class.to_dict(),
        "epsilon": exact_text(goal.epsilon),
        "delta": exact_text(goal.delta),
        "horizon": goal.horizon,
        "beta": exact_text(goal.beta),
    }


def terms_of(algorithm: OnlineAlgorithm, seed: int | None) -> str:
    """Return a digest of everything that a stream was begun with, and cannot change."""
    return digest(json.dumps([described(algorithm), repr(algorithm.plan), seed]))


@dataclass
class DurableStream:
    """An online algorithm and its journal: nothing is handed out that is not on the disk.

    Attributes
    ----------
    algorithm : OnlineAlgorithm
    journal : Journal
    state : OnlineState
    sources : callable

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
        self, points: Points, inside: npt.NDArray[np.bool_], labels: npt.NDArray[np.int8]
    ) -> Labels:
        """Predict each record by the hypothesis published before it, and learn it.

        Parameters
        ----------
        points, inside, labels
            As for `OnlineAlgorithm.step_many`: one group.

        Returns
        -------
        Labels
            The predictions. When they are returned, they and the new state are durable; a process
            killed later finds them in ``journal.answers``.
        """
        state, n, done = self.state, len(labels), 0
        first, answers = state.time, np.zeros(n, dtype=np.int8)
        while done < n:
            hypothesis, rest = state.hypothesis, slice(done, n)
            learned = self.algorithm.step_many(
                state, points[rest], inside[rest], labels[rest], self.sources, until_published=True
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

    Parameters
    ----------
    folder : path
        It is made if it does not exist.
    algorithm : OnlineAlgorithm
        The parameters of a stream cannot change: those of the state must be the same.
    seed : int, optional
        Reproducible draws: NOT PRIVATE. The same for the whole life of the stream.
    ledger : Ledger, optional
        Pays for the whole life of the stream, once, before its first draw.
    durability : {"kill", "power"}
        What an answer survives: a kill; or a power cut too.
    about : mapping of JSON
        More public settings that cannot change (which columns are read).

    Returns
    -------
    DurableStream

    Raises
    ------
    ParameterError
        The state belongs to a stream with other parameters.
    BudgetError
        The ledger does not pay. No state was made.
    StoreError

    Examples
    --------
    >>> import tempfile, os
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.learners.online.choose import plan_online
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
        "stream": json.dumps(described(algorithm)),
        "about": json.dumps(dict(about)),
        # A version of the program that plans other numbers must not spend the rest of a budget.
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
        Journal.create(folder, {**settings, "name": name, "ledger": paid_by}, shown)
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
        "seed": "another seed, or with none",
    }
    for name, what in words.items():
        if kept.get(name) != settings[name]:
            raise ParameterError(
                f"The stream in {journal.folder} was begun with {what}. What a stream was begun "
                "with cannot change: give the same, or begin another stream in another folder."
            )
    paid_by = "" if ledger is None else str(ledger.path.absolute())
    if ledger is not None and kept.get("ledger") != paid_by:
        raise ParameterError(
            f"The stream in {journal.folder} was not begun with this ledger. A stream is paid for "
            "when it begins: leave the ledger out, or begin another stream."
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
    what = f"stream on {algorithm.concept_class.spec}"
    budget.charge(algorithm.guarantee(), what=what[:200], token=kept["name"])
