"""Checks of streams: above-threshold tests, drawn hypotheses, and what lies on the disk."""

from __future__ import annotations

import copy
import multiprocessing
import shutil
import tempfile
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from littlestone.audit.mechanism import replace_one
from littlestone.classes import FiniteClass, Thresholds
from littlestone.data import OUTSIDE
from littlestone.errors import BudgetError, ParameterError, StateError, StoreError
from littlestone.learners.online.algorithm import OnlineAlgorithm, always
from littlestone.learners.online.estimator import OnlineLearner
from littlestone.learners.online.journal import open_stream
from littlestone.learners.online.plan import OnlinePlan, Phase, StreamGoal
from littlestone.learners.online.state import ExponentialSampler, OnlineState, StateTransaction
from littlestone.privacy import Ledger
from littlestone.source import Source

from .base import Detector, LateLedger, verified

__all__ = ["OF_STREAMS"]

F = Fraction
Labels = tuple[int, ...]
Epoch = tuple[tuple[int, Any, int], ...]


def _tests() -> OnlinePlan:
    """Return a plan of two epochs for one concept: drawing it tells nothing, so tests are all."""
    return OnlinePlan(StreamGoal(F(9), F(0), 1, F(1, 20)), F(4), (Phase(2, 1, 1, F(1)),))


def _fires(algorithm: OnlineAlgorithm) -> str | None:
    """Verify when two tests fire, at the one epsilon that all tests together have.

    Points lie outside the domain, so a record is a mistake if and only if its label is 1.
    """

    def run(labels: Labels, source: Source) -> Hashable:
        state = algorithm.start(always(source))
        seen = []
        for y in labels:
            try:
                with StateTransaction(state):
                    algorithm.step(state, OUTSIDE, y, always(source))
            except KeyboardInterrupt:
                seen.append(-1)
            else:
                seen.append(state.version)
        return tuple(seen)

    return verified(run, replace_one([0, 1], 3), epsilon=4, cut=F(1, 2**16))


def _outside(labels: Sequence[int]) -> tuple[Any, Any, Any]:
    """Return records outside the domain, as arrays: those with label 1 are mistakes."""
    n = len(labels)
    return np.ones(n, dtype=np.int64), np.zeros(n, dtype=bool), np.array(labels, dtype=np.int8)


def two_tests() -> str | None:
    """Verify when two tests fire, record by record, and in blocks of two."""
    algorithm = OnlineAlgorithm(FiniteClass([[0]]), _tests())

    def run(labels: Labels, source: Source) -> Hashable:
        state = algorithm.start(always(source))
        for part in (labels[:2], labels[2:]):
            algorithm.step_many(state, *_outside(part), always(source))
        return tuple(time for time, _ in state.published)

    pairs = list(replace_one([0, 1], 3))
    return _fires(algorithm) or verified(run, pairs, epsilon=4, cut=F(1, 2**16))


@dataclass(frozen=True)
class _Interrupted(ExponentialSampler):
    """A sampler whose draws are interrupted by Ctrl-C."""

    def draw(self, *given: Any, **named: Any) -> Any:
        raise KeyboardInterrupt


class _Stopped(OnlineAlgorithm):
    """An algorithm whose draws are interrupted."""

    def sampler(self, batches: int) -> Any:
        return _Interrupted(self.concept_class, self.plan.phase(batches).rate)


def interrupted_tests() -> str | None:
    """Interrupt what follows a test: the stream may not go on with what the test told."""
    return _fires(_Stopped(FiniteClass([[0]]), _tests()))


# ------------------------------------------------------------------ on the disk


def _algorithm(*, limit: int = 1, **goal: Any) -> OnlineAlgorithm:
    asked = replace(StreamGoal(F(1), F(0), 4, F(1, 20)), **goal)
    phases = (Phase(3, 1, limit, F(1, 9)),)
    return OnlineAlgorithm(Thresholds(1, 9), OnlinePlan(asked, F(40), phases))


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def each_stream_is_paid() -> str | None:
    """Begin streams of epsilon 1 at a ledger of 5/2, again and again: two of them live."""
    with _folder() as folder:
        ledger, begun = Ledger(folder / "budget.db", epsilon="5/2"), 0
        for name in "aabbccdd":  # the second time it is taken up again: nothing to pay
            begun += not (folder / name).exists()
            try:
                open_stream(folder / name, _algorithm(), ledger=ledger).close()
            except BudgetError:
                begun -= 1
            if ledger.spent().epsilon != begun:
                return f"{begun} streams are there, and {ledger.spent().epsilon} are paid"
    return None if begun == 2 else f"{begun} streams from a budget of 5/2"


def unpaid_streams() -> str | None:
    """Begin a stream that its ledger checks, and then does not pay: it never goes on."""
    with _folder() as folder:
        Ledger(folder / "budget.db", epsilon=1)
        for ledger in (LateLedger(folder / "budget.db"), None):
            try:
                open_stream(folder / "stream", _algorithm(), ledger=ledger).close()
            except BudgetError:
                continue
            return "a stream goes on that was never paid for"
    return None


def old_copies() -> str | None:
    """Put an old copy of a state back, after its stream published: it must not publish again."""
    with _folder() as folder:
        where, kept = folder / "stream", folder / "kept"
        stream = open_stream(where, _algorithm())
        stream.answer(*_outside([0]))
        stream.close()
        shutil.copy(where / "private.db", kept)
        stream = open_stream(where, _algorithm())
        stream.answer(*_outside([1, 1]))
        stream.close()
        shutil.copy(kept, where / "private.db")
        try:
            open_stream(where, _algorithm()).close()
        except StoreError:
            return None
    return "an old copy of a state goes on, with a second life for one budget"


def other_terms() -> str | None:
    """Take a stream up with other parameters than it was begun with, and paid for."""
    begun = _algorithm()
    others = [
        _algorithm(epsilon=F(2)),
        _algorithm(delta=F(1, 100)),
        _algorithm(limit=2),
        replace(begun, plan=replace(begun.plan, phases=(Phase(30, 1, 1, F(1, 9)),))),
        replace(begun, concept_class=Thresholds(1, 8)),
    ]
    with _folder() as folder:
        open_stream(folder / "stream", begun).close()
        for other in others:
            try:
                open_stream(folder / "stream", other).close()
            except ParameterError:
                continue
            return "a stream goes on with other parameters"
    return None


def kept_states() -> str | None:
    """Give a state to a learner with other parameters than those that it was begun with."""
    begun: dict[str, Any] = {"epsilon": 1, "delta": 0, "horizon": 10}
    learner = OnlineLearner(Thresholds(1, 9), **begun)
    learner.learn_one(3, 1)
    state = learner.state_
    for name, value in (("epsilon", "1/10"), ("horizon", 99)):
        handed = OnlineState.from_json(state.public(), state.private())
        other = OnlineLearner(Thresholds(1, 9), **(begun | {name: value}), state=handed)
        try:
            other.learn_one(3, 1)
        except ParameterError:
            continue
        return f"a kept state goes on with another {name}"
    return None


def copied_states() -> str | None:
    """Learn from one state in this process and in a fork, or from a copy of it: used or not."""
    numbers: dict[str, Any] = {"epsilon": 1, "delta": 0, "horizon": 10}
    used = OnlineLearner(Thresholds(1, 9), **numbers)
    used.learn_one(3, 1)
    kept = OnlineState.from_json(used.state_.public(), used.state_.private())
    for what in (used, kept):
        try:
            copy.copy(what)
        except TypeError:
            continue
        return f"an {type(what).__name__} is copied"
    waiting = OnlineLearner(Thresholds(1, 9), **numbers, state=kept)
    context = multiprocessing.get_context("fork")
    queue: Any = context.SimpleQueue()

    def learn(learner: OnlineLearner) -> None:
        try:
            learner.learn_one(3, 1)
        except StateError:
            queue.put(False)
        else:
            queue.put(True)

    for learner in (used, waiting):
        child = context.Process(target=learn, args=(learner,))
        child.start()
        child.join()
        if queue.get():
            return "a fork learns from its parent's state"
    return None


def users_of_a_stream() -> str | None:
    """Verify when two tests fire for two users, who have two records each: one of them counts."""
    plan = replace(_tests(), goal=replace(_tests().goal, records_per_user=1))
    algorithm = OnlineAlgorithm(FiniteClass([[0]]), plan)

    def run(held: tuple[Labels, Labels], source: Source) -> Hashable:
        state = algorithm.start(always(source))
        for at in range(2):
            kept = algorithm.admitted(state, ["a", "b"])
            labels = [user[at] if known else 0 for user, known in zip(held, kept, strict=True)]
            algorithm.step_many(state, *_outside(labels), always(source))
        return tuple(time for time, _ in state.published)

    pairs = replace_one([(0, 0), (0, 1), (1, 0), (1, 1)], 2)
    return verified(run, pairs, epsilon=4, cut=F(1, 2**16))


OF_STREAMS: dict[str, Detector] = {
    "two tests": two_tests,
    "interrupted tests": interrupted_tests,
    "each stream is paid": each_stream_is_paid,
    "unpaid streams": unpaid_streams,
    "old copies of a stream": old_copies,
    "a stream on other terms": other_terms,
    "kept states": kept_states,
    "copied states": copied_states,
    "users of a stream": users_of_a_stream,
}
