"""Checks of streams: above-threshold tests, drawn hypotheses, and what lies on the disk."""

from __future__ import annotations

import tempfile
from collections.abc import Hashable
from fractions import Fraction
from pathlib import Path

import numpy as np

from littlestone.audit.mechanism import replace_one
from littlestone.classes import FiniteClass, Thresholds
from littlestone.errors import BudgetError
from littlestone.learners.online.algorithm import OnlineAlgorithm, always
from littlestone.learners.online.journal import open_stream
from littlestone.learners.online.plan import OnlinePlan, Phase, StreamGoal
from littlestone.privacy import Ledger
from littlestone.source import Source

from .base import Detector, verified

__all__ = ["OF_STREAMS"]

F = Fraction


def two_tests() -> str | None:
    """Verify when two tests fire, record by record and in blocks of two, at their one epsilon.

    There is one concept, and drawing it tells nothing. Points lie outside the domain, so a record
    is a mistake if and only if its label is 1.
    """
    plan = OnlinePlan(StreamGoal(F(9), F(0), 1, F(1, 20)), F(4), (Phase(2, 1, 1, F(1)),))
    algorithm = OnlineAlgorithm(FiniteClass([[0]]), plan)
    for size in (1, 2):

        def run(labels: tuple[int, ...], source: Source, size: int = size) -> Hashable:
            state = algorithm.start(always(source))
            for i in range(0, len(labels), size):
                part = np.array(labels[i : i + size], dtype=np.int8)
                points, known = np.ones(len(part), dtype=np.int64), np.zeros(len(part), dtype=bool)
                algorithm.step_many(state, points, known, part, always(source))
            return tuple(time for time, _ in state.published)

        found = verified(run, replace_one([0, 1], 3), epsilon=4, cut=F(1, 2**16))
        if found:
            return found
    return None


def each_stream_is_paid() -> str | None:
    """Begin streams of epsilon 1 at a ledger of 5/2, again and again: two of them live."""
    goal, phases = StreamGoal(F(1), F(0), 4, F(1, 20)), (Phase(3, 1, 1, F(1, 9)),)
    algorithm = OnlineAlgorithm(Thresholds(1, 9), OnlinePlan(goal, F(40), phases))
    with tempfile.TemporaryDirectory() as name_of_folder:
        folder = Path(name_of_folder)
        ledger, begun = Ledger(folder / "budget.db", epsilon="5/2"), 0
        for name in "aabbccdd":  # the second time it is taken up again: nothing to pay
            begun += not (folder / name).exists()
            try:
                open_stream(folder / name, algorithm, ledger=ledger).close()
            except BudgetError:
                begun -= 1
            if ledger.spent().epsilon != begun:
                return f"{begun} streams are there, and {ledger.spent().epsilon} are paid"
    return None if begun == 2 else f"{begun} streams from a budget of 5/2"


OF_STREAMS: dict[str, Detector] = {
    "two tests": two_tests,
    "each stream is paid": each_stream_is_paid,
}
