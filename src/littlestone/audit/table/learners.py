"""Every learner, on all data sets of a small domain: realizable or not, empty, duplicated.

The public settings (chunks, votes, parts) are so small that something happens with two or three
records: with the planned ones the default would always be released, and any claim would hold.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from littlestone.audit.all_n import AllN, all_n, by_lemmas
from littlestone.audit.mechanism import MechanismVerification, replace_one, verify_mechanism
from littlestone.audit.observe import Observer
from littlestone.audit.table.case import Case, Part
from littlestone.audit.verify import Verification, verify
from littlestone.bounds.lemmas import LEMMAS
from littlestone.classes import (
    AffineSubspaces,
    BoostedTreeClass,
    ConceptClass,
    Conjunctions,
    DecisionTrees,
    FiniteClass,
    Intervals,
    Points,
    RuleLists,
    Rules,
    SparseSets,
    Thresholds,
    TreePaths,
)
from littlestone.data import Schema
from littlestone.data.targets import Count, Periods, Quantity, Target
from littlestone.learners import registry
from littlestone.learners.agnostic import Subsample
from littlestone.learners.online.algorithm import OnlineAlgorithm, always
from littlestone.learners.online.budget import OnlinePlan, Phase, StreamGoal
from littlestone.learners.online.samplers import Stage
from littlestone.source import Source

F = Fraction
_DELTA = F(1, 20)
#: Three concepts on two points, not closed under anything.
_CORNERS = FiniteClass([[0, 0], [0, 1], [1, 1]])
_SINGLES = FiniteClass([[0, 0], [0, 1], [1, 0]])
#: Improper nodes: "point 0 alone" is the path of a node, and not a concept.
_FORK = FiniteClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]])
_TREE = TreePaths({"a": None, "b": "a", "c": "a"})
#: Dimension 1 on one point.
_SWITCH = FiniteClass([[0], [1]])
_CITY = Schema.from_dict({"city": {"categories": ["Bonn"]}})
_ABC = ("a", "b", "c")
_BITS = [(0, 0), (0, 1), (1, 1)]
_SCHEMA = Schema.from_dict({"x": {"categories": ["a", "b"]}})


def _with(**settings: Any) -> Callable[[Any], Any]:
    """Return a change of public settings that the registry does not take."""
    return lambda learner: replace(learner, **settings)


def _part(rate: Fraction) -> Callable[[Any], Any]:
    return lambda learner: Subsample(learner, rate=rate)


def _case(
    name: str,
    concepts: ConceptClass,
    points: Sequence[Any],
    n: int,
    *,
    full: bool = False,
    sharp: tuple[Part, ...] = (),
    epsilon: Any = 1,
    delta: Any = _DELTA,
    outside: bool = False,
    wrap: Callable[[Any], Any] = lambda learner: learner,
    note: str = "",
    evaluate: Any = None,
    records_per_user: int | None = None,
    **options: Any,
) -> Case:
    entry = registry.LEARNERS[name]

    def made() -> Any:
        return wrap(
            registry.make(
                name,
                concepts,
                epsilon=epsilon,
                delta=None if entry.pure else delta,
                alpha=F(1, 3),
                beta=F(1, 3),
                **options,
            )
        )

    def check(observers: Sequence[Observer]) -> Verification:
        return verify(
            made(),
            points=points,
            n_samples=n,
            outside=outside,
            observers=observers,
            evaluate=evaluate,
            records_per_user=records_per_user,
        )

    notes = [str(options[key]) for key in ("method",) if key in options]
    notes += ["proper"] * ("proper" in options) + [note] * bool(note)
    domain = f"{n} {entry.unit}, {len(points)} points" + (" and points outside" if outside else "")
    title = f"{name} on {concepts.spec}" + "".join(f", {what}" for what in notes)

    def chain() -> AllN:
        found = all_n(made(), points=points)
        if evaluate is None:
            return found
        both = {"dp.sum": LEMMAS["dp.sum"], "score-histogram": LEMMAS["score-histogram"]}
        return replace(found, steps=found.steps + by_lemmas("", "", both).steps)

    return Case(title, "learner", domain, check, full, sharp, chain)


#: With so large an epsilon a few records outweigh bottom: then it can be seen, not only delta.
HIGH_EPSILON: dict[str, Any] = {"epsilon": 10, "delta": F(1, 100), "note": "high epsilon"}
_EPSILON: tuple[Part, ...] = ("epsilon",)
_DELTAS: tuple[Part, ...] = ("delta",)
_ONE_RECORD = _with(chunk=1, tolerances=(0,))
_POOL = _with(pool=2)


def _copies(*counts: int) -> dict[str, Any]:
    return {"auxiliary": 1, "copies": list(counts)}


_COPIES = _copies(2)


# --- streams: whole transcripts, for all short streams --------------------------------------------

Stream = tuple[tuple[Any, int], ...]


def _verify_streams(
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


def _stream_case(
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
        lambda observers: _verify_streams(concept_class, kinds, length, **numbers),
        full,
        sharp,
        lambda: by_lemmas(
            "online", concept_class.spec, {"online.privacy": LEMMAS["online.privacy"]}
        ),
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
_HALF, _QUARTER = F(1, 2), F(1, 4)

# What several lines share: the learner, its class and the points, how it is made.
_generic, _agnostic = partial(_case, "generic"), partial(_case, "agnostic")
_vc1 = partial(_case, "vc1", Thresholds(1, 2), [1, 2])
_proper = partial(_case, "vc1", _FORK, [0, 1], 3, proper=True, delta=_HALF)
_closures = partial(_case, "littlestone", Points(), ["a", "b"], method="closures")
_conjunctions = partial(
    _case, "littlestone", Conjunctions(1), [(0,), (1,)], method="closures", proper=True
)
_stable = partial(_case, "stable", _SINGLES, [0, 1])
_users = partial(_case, "users", Thresholds(1, 2), [1, 2])


def _values(target: Target, points: Sequence[Any], n: int, *, rounds: int = 1, **more: Any) -> Case:
    concepts = BoostedTreeClass(_CITY, 1, rounds, target=target)
    more = {"delta": None, "resolution": 4, **more}
    return _case("values", concepts, points, n, **more)


_boosting = partial(_case, "boosting", BoostedTreeClass(_CITY, 1, 2), [(1,), (2,)], delta=None)

LEARNERS: tuple[Case, ...] = (
    _generic(Thresholds(1, 3), [1, 2, 3], 3, sharp=_EPSILON),
    _generic(Points(1, 2), [1, 2], 2, outside=True, sharp=_EPSILON),
    _generic(_CORNERS, [0, 1], 1, evaluate=_HALF, note="with an evaluation", full=True),
    _generic(Intervals(1, 3), [1, 2, 3], 2, sharp=_EPSILON),
    _agnostic(_CORNERS, [0, 1], 2, outside=True, costs={0: 1, 1: 3}, note="with costs"),
    _generic(Thresholds(1, 2), [1, 2], 3, wrap=_part(_HALF), note="on a secret half"),
    _generic(Thresholds(1, 2), [1, 2], 4, wrap=_part(F(3, 4)), note="on three of four", full=True),
    _agnostic(Thresholds(1, 3), [1, 2, 3], 3, sharp=_EPSILON),
    _agnostic(Thresholds(1, 4), [1, 2, 3, 4], 4, full=True),
    _agnostic(
        Thresholds(1, 4), [1, 2, 3, 4], 2, public=(1, 4), shift=None, note="public points",
        sharp=_EPSILON,
    ),
    _agnostic(Rules(_SCHEMA, max_literals=1), [(0,), (1,)], 2, outside=True, sharp=_EPSILON),
    _agnostic(_TREE, ["a", "b", "c"], 2, sharp=_EPSILON),
    _generic(AffineSubspaces(2, 2, 1), _BITS, 2, sharp=_EPSILON),
    _generic(Conjunctions(2), _BITS, 2, sharp=_EPSILON),
    _generic(DecisionTrees(_CITY, depth=2), [(1,), (2,)], 2, sharp=_EPSILON),
    _generic(DecisionTrees(_CITY, depth=3), [(1,), (2,)], 2, sharp=_EPSILON, full=True),
    _agnostic(DecisionTrees(_CITY, 1, _ABC), [(1,), (2,)], 1, note="three labels"),
    _generic(RuleLists(_CITY, 2), [(1,), (2,)], 2, sharp=_EPSILON),
    _generic(Points(), ["a", "b"], 2, note="hashed", sharp=_EPSILON, full=True),
    _case("vc1", Thresholds(1, 3), [1, 2, 3], 2, method="one-shot", outside=True, sharp=_DELTAS),
    _vc1(2, method="median-exponential"),
    _vc1(2, method="median-tree", sharp=_DELTAS),
    *(
        _vc1(4, method=method, **HIGH_EPSILON, sharp=_EPSILON)
        for method in ("one-shot", "median-exponential", "median-tree")
    ),
    _vc1(
        3, method="one-shot", delta=_HALF, wrap=_with(chunks=2), note="two chunks", sharp=_DELTAS
    ),
    _case("vc1", _TREE, ["a", "b", "c"], 2, sharp=_DELTAS),
    _case("vc1", _TREE, ["a", "b", "c"], 4, **HIGH_EPSILON, sharp=("epsilon", "delta")),
    _proper(sharp=_DELTAS),
    _proper(wrap=_with(down="descent"), note="descent", full=True),
    _closures(2, epsilon=4, delta=F(9, 10), wrap=_ONE_RECORD, note="large delta"),
    _closures(
        3, epsilon=2, delta=_QUARTER, wrap=_with(chunk=2, tolerances=(0,)), note="teachers of two"
    ),
    # One record brings the empty set and the point 1: as many as a list can hold, and neither is
    # what bottom releases (with `Points`, the empty set is: half of the delta would do).
    _case(
        "littlestone", AffineSubspaces(2, 1, 0), [(0,), (1,)], 3, method="closures",
        wrap=_with(chunk=3, tolerances=(1,)), note="one teacher", sharp=_DELTAS,
    ),
    _closures(4, wrap=_ONE_RECORD, **HIGH_EPSILON, sharp=_EPSILON),
    _closures(3, epsilon=4, delta=_QUARTER, wrap=_ONE_RECORD),
    _case(
        "littlestone", SparseSets(2), ["a", "b"], 3, epsilon=4, delta=_QUARTER,
        wrap=_with(chunk=1, tolerances=(1,)), method="closures", full=True,
    ),
    _conjunctions(2, wrap=_ONE_RECORD),
    _conjunctions(3, wrap=_ONE_RECORD, **HIGH_EPSILON),
    _stable(3, constants=_COPIES, delta=F(1, 5), sharp=_DELTAS),
    _case(
        "stable", _SWITCH, [0], 6, constants=_copies(3), **HIGH_EPSILON, sharp=("epsilon", "delta")
    ),
    _stable(
        2, outside=True, constants=_copies(1), delta=_HALF, note="one copy", sharp=_DELTAS
    ),
    _case(
        "stable", Points(), ["a", "b"], 3, constants=_copies(3), delta=_HALF,
        note="nobody chooses", full=True,
    ),
    _stable(
        4, constants=_copies(0, 1) | {"batches": [0, 2]}, delta=F(1, 5),
        note="one tournament", full=True,
    ),
    _users(2, samples_per_user=1, sharp=_EPSILON),
    _users(2, samples_per_user=2, records_per_user=2, note="two records each", sharp=_EPSILON),
    _users(3, samples_per_user=2, records_per_user=2, note="three users", full=True),
    _case(
        "users", Thresholds(1, 2), [1], 1, samples_per_user=2, records_per_user=2, evaluate=_HALF,
        note="with an evaluation", full=True,
    ),
    _users(2, samples_per_user=1, records_per_user=2, method="one-record"),
    _users(2, samples_per_user=1, records_per_user=1, method="threshold"),
    _users(2, samples_per_user=2, records_per_user=1, method="binary-search"),
    *(
        _case(
            "users", concepts, points, 2, samples_per_user=2, records_per_user=1, method=method,
            full=not isinstance(concepts.size, int),
        )
        for concepts, points in (
            (Thresholds(1, 2), [1, 2]),
            (Points(1, 2), [1, 2]),
            (Points(), [5, 9]),
            (_CORNERS, [0, 1]),
            (Intervals(1, 2), [1, 2]),
            (Rules(_SCHEMA, max_literals=1), [(0,), (1,)]),
            (SparseSets(1, 0, 1), [0, 1]),
            (_TREE, ["b", "c"]),
        )
        for method in ("user-level", "group-privacy")
    ),
    _case("agnostic:vc1", Thresholds(1, 2), [1, 2], 3, epsilon=3, wrap=_POOL),
    _case("agnostic:vc1", Thresholds(1, 2), [1, 2], 3, wrap=_POOL, **HIGH_EPSILON, sharp=_EPSILON),
    _case(
        "agnostic:littlestone", Points(1, 2), [1, 2], 3, epsilon=6, delta=F(1, 10),
        wrap=lambda learner: _POOL(replace(learner, learner=_ONE_RECORD(learner.learner))),
        method="closures",
    ),
    _case(
        "agnostic:stable", _SINGLES, [0, 1], 3, epsilon=6, delta=F(1, 10), wrap=_POOL,
        constants=_COPIES,
    ),
    _boosting(2, step=2),
    _case(
        "boosting", BoostedTreeClass(_CITY, 1, 2), [(2,)], 2, delta=None, epsilon=20,
        note="high epsilon", sharp=_EPSILON,
    ),
    _boosting(2, delta=F(1, 100), note="delta"),
    _boosting(2, step=_HALF, first_votes=2, note="first tree"),
    _case("boosting", BoostedTreeClass(_CITY, 2, 2), [(1,), (2,)], 2, delta=None, full=True),
    _case(
        "boosting", BoostedTreeClass(_CITY, 1, 2, _ABC), [(1,), (2,)], 1, delta=None, step=2,
        note="three labels",
    ),
    _values(Quantity(F(0), F(1), 1), [(1,)], 1, note="means"),
    _values(
        Quantity(F(0), F(1), 2), [(2,)], 2, loss="absolute", epsilon=20, note="high epsilon",
        sharp=_EPSILON,
    ),
    _values(
        Quantity(F(0), F(1), 1), [(1,)], 1, rounds=2, loss="absolute", delta=F(1, 100),
        note="delta",
    ),
    _values(
        Quantity(F(0), F(1), 1), [(1,)], 2, loss="quantile", quantile=F(9, 10), note="quantile 0.9"
    ),
    _values(
        Quantity(F(0), F(1), 1), [(1,), (2,)], 1, loss="absolute", wrap=_with(unit="users"),
        note="users of two records",
    ),
    _values(Count(1), [(1,)], 1, note="counts", full=True),
    _values(Periods((F(1),)), [(1,)], 1, note="times", full=True),
    _stream_case("scored", Thresholds(1, 2), _BOTH, 2, sharp=_EPSILON),
    _stream_case("closures", Points(), _NAMES, 2, sharp=_EPSILON, method="closure", leak=_QUARTER),
    _stream_case("teachers", Points(), _NAMES, 2, sharp=_EPSILON, **_TEACHERS),
    _stream_case("teachers, two batches", Points(), _NAMES, 3, full=True, batches=2, **_TEACHERS),
)  # fmt: skip
