"""What all learners share: parameters are checked wherever they come from; promises are kept."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.data import Sample
from littlestone.errors import LittlestoneError
from littlestone.learners import registry, select
from littlestone.learners.base import Feasible, feasible
from littlestone.learners.running import run
from littlestone.source import SeededSource

LINE = ls.Thresholds(1, 9)
# --- promises ------------------------------------------------------------------------------------

CLASSES = {
    "thresholds": (ls.Thresholds(1, 2**64), [1, 5, 2**60]),
    "intervals": (ls.Intervals(1, 9), [1, 5, 9]),
    "flats": (ls.theory.AffineSubspaces(3, 30, 1), np.eye(30, dtype=int)[:3].tolist()),
    "conjunctions": (ls.theory.Conjunctions(40), np.eye(40, dtype=int)[:3].tolist()),
    "prefixes": (ls.Prefixes("ab", 40), ["a" * 40, "ab" * 20, "b" * 40]),
}
RECORDS = [name for name, entry in registry.LEARNERS.items() if entry.unit == "records"]
GOAL = {"epsilon": 1, "alpha": "0.2", "beta": "0.1"}


def made(name, concepts):
    entry = registry.LEARNERS[name]
    goal = GOAL if entry.pure else {**GOAL, "delta": "1e-6"}
    return registry.make(name, concepts, **goal)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("name", RECORDS)
def test_what_has_a_plan_is_released_and_what_has_none_is_refused_first(name, kind):
    concepts, points = CLASSES[kind]
    X = concepts.domain.array(points, caller="test")
    sample = Sample.from_arrays(points, [0, 1, 1], domain=concepts.domain)

    class Untouched:
        seeded = False

        def __getattr__(self, name):
            raise AssertionError("drew, or charged")

    try:
        learner = made(name, concepts)
        found = feasible(learner)
    except LittlestoneError:
        return  # refused even earlier
    if found.ok:
        assert learner.required_samples() >= 1
        release = run(learner, sample, SeededSource(1))
        assert release.hypothesis.predict(X).shape == (3,)
        return
    assert found.why.endswith(".")
    for call in (
        lambda: learner.plan,
        learner.required_samples,
        lambda: learner.certificate(9),
        lambda: run(learner, sample, Untouched(), ledger=Untouched()),
    ):
        with pytest.raises(LittlestoneError) as refused:
            call()
        assert f"{found.why} {found.next_step}".strip() == str(refused.value)


def test_large_conjunctions_are_not_promised():
    """`plan` chose the agnostic learner, and `fit` refused it."""
    with pytest.raises(ls.errors.UnsupportedError, match="No learner can promise this"):
        ls.plan(ls.theory.Conjunctions(40), **GOAL, delta=1e-6)
    with pytest.raises(ls.errors.UnsupportedError, match="n may be at most 14"):
        select.auto(ls.theory.Conjunctions(40), **GOAL)


def test_a_table_without_records_is_refused():
    learner = made("generic", LINE)
    assert feasible(learner, 1) == Feasible(ok=True)
    assert feasible(learner, 0).why == "There are no records."
