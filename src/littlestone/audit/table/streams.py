"""Online learning: whole transcripts, for all short streams."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import Any

from littlestone.audit.mechanism import MechanismVerification, replace_one, verify_mechanism
from littlestone.audit.table.case import Case, Part
from littlestone.classes import ConceptClass, Points, Thresholds
from littlestone.learners.online.algorithm import OnlineAlgorithm, always
from littlestone.learners.online.plan import OnlinePlan, Phase, StreamGoal
from littlestone.learners.online.samplers import Stage
from littlestone.source import Source

__all__ = ["STREAMS"]

F = Fraction
Stream = tuple[tuple[Any, int], ...]


def verify_streams(
    concept_class: ConceptClass,
    kinds: list[tuple[Any, int]],
    length: int,
    *,
    batches: int = 1,
    **numbers: Any,
) -> MechanismVerification:
    """Verify the transcripts of all streams of a length: what was published, and when.

    The claim is the sum: of the tests, and of all draws that are planned.
    """
    phase = Phase(batches, draws=1, limit=1, draw_epsilon=F(1))
    goal = StreamGoal(F(9), F(0), 4, F(1, 20))  # no number of it is used by a stream this short
    plan = OnlinePlan(goal, F(4), (phase,), **numbers)
    algorithm = OnlineAlgorithm(concept_class, plan)

    def run(stream: Stream, source: Source) -> Hashable:
        state = algorithm.start(always(source))
        for x, y in stream:
            algorithm.step(state, x, y, always(source))
        return tuple((time, h.key) for time, h in state.published), state.stopped

    return verify_mechanism(
        run,
        replace_one(kinds, length),
        epsilon=plan.test_epsilon + batches * phase.draw_epsilon,
        delta=batches * plan.leak,
        cut=F(1, 2**24),
        follow=0,
    )


def _case(
    name: str,
    concept_class: ConceptClass,
    kinds: list[tuple[Any, int]],
    length: int,
    *,
    full: bool = False,
    sharp: tuple[Part, ...] = (),
    **numbers: Any,
) -> Case:
    return Case(
        f"online on {concept_class.spec}, {name}",
        "learner",
        f"streams of {length} records of {len(kinds)} kinds",
        lambda observers: verify_streams(concept_class, kinds, length, **numbers),
        full,
        sharp,
    )


_TEACHERS: dict[str, Any] = {
    "method": "teachers",
    "n_teachers": 2,
    "stages": (Stage(1, 1, F(0)), Stage(0, 2, F(0))),
    "dimension": 1,
    "cap": 2,
    "most": 4,
    "leak": F(1, 4),
}
_BOTH = [(x, y) for x in (1, 2) for y in (0, 1)]
_NAMES = [("a", 0), ("a", 1), ("b", 1)]

STREAMS: tuple[Case, ...] = (
    _case("scored", Thresholds(1, 2), _BOTH, 2, sharp=("epsilon",)),
    _case("closures", Points(), _NAMES, 2, sharp=("epsilon",), method="closure", leak=F(1, 4)),
    _case("teachers", Points(), _NAMES, 2, sharp=("epsilon",), **_TEACHERS),
    _case("teachers, two batches", Points(), _NAMES, 3, full=True, batches=2, **_TEACHERS),
)
