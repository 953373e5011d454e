"""Checks of learners on special data: shuffled parts, secret parts, draws that are paid."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from littlestone.audit.verify import verify
from littlestone.classes import (
    BoostedTreeClass,
    FiniteClass,
    SparseSets,
    Thresholds,
)
from littlestone.data import Sample, Schema
from littlestone.data.sample import OrderedSample
from littlestone.learners import registry
from littlestone.learners.boosting import Boosting
from littlestone.learners.exponential import Agnostic
from littlestone.learners.littlestone import Littlestone
from littlestone.learners.online.algorithm import OnlineAlgorithm, always
from littlestone.learners.online.plan import OnlinePlan, Phase, StreamGoal
from littlestone.learners.vc1 import VC1
from littlestone.papers.li_wang_ye import PrivateMinError
from littlestone.source import SeededSource, Source

from .base import Detector, verified

__all__ = ["OF_LEARNERS"]

F = Fraction
Record = tuple[Any, int]
_THREE = FiniteClass([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
_SINGLES = FiniteClass([[0, 0], [1, 0], [0, 1]])
_FORK = FiniteClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]])
_BUDGET: dict[str, Any] = {"epsilon": 1, "alpha": F(1, 3), "beta": F(1, 3)}


def _all(algorithm: Any, points: Sequence[Any], n: int, **options: Any) -> str | None:
    result = verify(algorithm, points=points, n_samples=n, **options)
    return None if result.holds else f"worst delta {result.worst_delta:.3g}"


def thresholds_at_public_points() -> str | None:
    """Verify thresholds that begin at two public points, on all data of three records."""
    return _all(Agnostic(Thresholds(1, 4), epsilon=1, public=[2, 4], shift=None), [1, 2, 3, 4], 3)


def _pair(algorithm: Any, one: Sequence[Record], other: Sequence[Record]) -> str | None:
    """Verify a learner on two neighbouring lists, which may be long."""
    assert sum(a != b for a, b in zip(one, other, strict=True)) == 1

    def run(data: tuple[Record, ...], source: Source) -> Hashable:
        sample = OrderedSample.listed([x for x, _ in data], [y for _, y in data])
        key: Hashable = algorithm.draw(sample, source).key
        return key

    promised = algorithm.guarantee()
    return verified(
        run, [(tuple(one), tuple(other))], epsilon=promised.epsilon, delta=promised.delta
    )


def contradicting_chunk() -> str | None:
    """Try one chunk of two records that contradict each other: it must not vote for all points."""
    learner = VC1(_THREE, **_BUDGET, delta=F(1, 20), chunks=1)
    return _all(learner, [0, 1, 2], 2)


def shuffled_by_value() -> str | None:
    """Try chunks of two records: a smaller record must not shift all others."""
    learner = VC1(_SINGLES, **_BUDGET, delta=F(1, 10**6), chunks=2)
    return _all(learner, [0, 1], 4)


def longest_list() -> str | None:
    """Try many teachers of one mind, and another who lists three sets, or four."""
    settings: dict[str, Any] = {"epsilon": F(1, 10), "delta": F(1, 100), "chunk": 4}
    settings |= {"alpha": F(1, 3), "beta": F(1, 3), "tolerance": 2}
    most = [(9, 1)] * 440
    return _pair(
        Littlestone(SparseSets(2), **settings),
        [*most, (1, 1), (1, 1), (2, 1), (2, 1)],
        [*most, (1, 1), (1, 1), (2, 1), (3, 1)],
    )


def stream_budget() -> str | None:
    """Count the draws of a long stream: no more than are paid for, and none after the end."""
    goal = StreamGoal(F(9), F(0), 64, F(1, 20))
    plan = OnlinePlan(goal, F(50), (Phase(2, 1, 1, F(50)),))
    algorithm = OnlineAlgorithm(Thresholds(1, 9), plan)
    source = SeededSource(3)
    state = algorithm.start(always(source))
    for time in range(200):
        label = 1 - int(state.hypothesis.predict(np.array([5]))[0])
        algorithm.step(state, 5, label, always(source))  # the published label is always wrong
        if len(state.published) - 1 > plan.batches:
            return f"published {len(state.published) - 1} times by record {time}, paid for 2"
    return None


def min_error_search() -> str | None:
    """Try the search for the least error: its comparisons share one epsilon."""
    search = PrivateMinError(Thresholds(1, 9), 1, F(3), F(1, 4), F(1), 3)

    class Known:
        def __init__(self, least: int) -> None:
            self._least = least

        def least(self, t: int) -> int:
            return self._least

    def run(least: int, source: Source) -> Hashable:
        return search.locate(Known(least), 4, source)  # type: ignore[arg-type]

    return verified(run, [(a, a + 1) for a in range(4)], epsilon=3)


def replayed() -> str | None:
    """Check that equal draws give equal answers, on other data than those seen before."""
    learner = registry.make("generic", Thresholds(1, 9), epsilon=50, alpha=F(1, 3), beta=F(1, 3))
    for x in (2, 7):
        low = OrderedSample.listed([x, x + 1] * 40, [0, 1] * 40)
        found: Any = learner.draw(low, SeededSource(0))
        if found.above != x:
            return "learned from the records of an earlier call"
    return None


def votes_for_labels() -> str | None:
    """Try one of six records of label a that gets label b: two trees nearly spend epsilon."""
    schema = Schema.from_dict({"city": {"categories": ["Bonn"]}})
    learner = Boosting(BoostedTreeClass(schema, 1, 2, ["a", "b", "c"]), epsilon=6, step=4)

    def run(codes: list[int], source: Source) -> Hashable:
        sample = Sample.of(np.full((len(codes), 1), 2), codes, labels=3)
        key: Hashable = learner.draw(sample, source).key
        return key

    return verified(run, [([0] * 6, [0] * 5 + [1])], epsilon=6)


OF_LEARNERS: dict[str, Detector] = {
    "thresholds at public points": thresholds_at_public_points,
    "votes for labels": votes_for_labels,
    "a chunk that contradicts itself": contradicting_chunk,
    "chunks shuffled by value": shuffled_by_value,
    "the longest list": longest_list,
    "draws of a stream": stream_budget,
    "search for the least error": min_error_search,
    "fresh data": replayed,
}
