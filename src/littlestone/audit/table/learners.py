"""Every learner, on all data sets of a small domain: realizable or not, empty, duplicated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from littlestone.audit.observe import Observer
from littlestone.audit.table.case import Case
from littlestone.audit.verify import Verification, verify
from littlestone.classes import (
    ConceptClass,
    FiniteClass,
    Intervals,
    Points,
    Rules,
    SparseSets,
    Thresholds,
    TreePaths,
)
from littlestone.data import Schema
from littlestone.learners import registry
from littlestone.learners.agnostic import Subsample

__all__ = ["LEARNERS"]

EPSILON, DELTA = Fraction(1), Fraction(1, 10**6)

#: Three concepts on two points, not closed under anything.
_CORNERS = FiniteClass([[0, 0], [0, 1], [1, 1]])
_TREE = TreePaths({"a": None, "b": "a", "c": "a"})
_SCHEMA = Schema.from_dict({"x": {"categories": ["a", "b"]}})


def _case(
    name: str,
    concepts: ConceptClass,
    points: Sequence[Any],
    n: int,
    *,
    full: bool = False,
    outside: bool = False,
    wrap: Callable[[Any], Any] = lambda learner: learner,
    note: str = "",
    estimate_error: Any = None,
    records_per_user: int | None = None,
    **options: Any,
) -> Case:
    entry = registry.LEARNERS[name]

    def check(observers: Sequence[Observer]) -> Verification:
        delta = None if entry.pure else DELTA
        learner = registry.make(name, concepts, epsilon=EPSILON, delta=delta, **options)
        return verify(
            wrap(learner),
            points=points,
            n_samples=n,
            outside=outside,
            observers=observers,
            estimate_error=estimate_error,
            records_per_user=records_per_user,
        )

    chosen = "".join(f", {key} {value}" for key, value in options.items())
    domain = f"{n} {entry.unit}, {len(points)} points" + (" and records outside" if outside else "")
    return Case(f"{name}{chosen}{note} on {concepts.spec}", "learner", domain, check, full)


LEARNERS: tuple[Case, ...] = (
    _case("generic", Thresholds(1, 3), [1, 2, 3], 3),
    _case("generic", Points(1, 2), [1, 2], 2, outside=True),
    _case("generic", Points(), ["a", "b"], 1, full=True),
    _case("generic", _CORNERS, [0, 1], 3, estimate_error=1, note=" with its error"),
    _case("generic", Intervals(1, 3), [1, 2, 3], 2),
    _case("generic", SparseSets(2), ["a", "b"], 1, full=True),
    _case("agnostic", Thresholds(1, 3), [1, 2, 3], 3),
    _case("agnostic", Rules(_SCHEMA, max_literals=1), [(0,), (1,)], 2, outside=True),
    _case("agnostic", _TREE, ["a", "b", "c"], 2),
    _case("vc1", Thresholds(1, 3), [1, 2, 3], 2, method="one-shot"),
    _case("vc1", Thresholds(1, 2), [1, 2], 2, method="median-exponential"),
    _case("vc1", Thresholds(1, 2), [1, 2], 2, method="median-tree"),
    _case("vc1", _TREE, ["a", "b", "c"], 2),
    _case("vc1", _TREE, ["a", "b", "c"], 2, proper=True),
    _case("vc1", _CORNERS, [0, 1], 3, proper=True, full=True),
    _case("littlestone", Thresholds(1, 2), [1, 2], 2),
    _case("littlestone", _CORNERS, [0, 1], 2, proper=True),
    _case("littlestone", SparseSets(1), ["a", "b"], 2),
    _case("stable", Points(1, 2), [1, 2], 2),
    _case("stable", _CORNERS, [0, 1], 2),
    _case("users", Thresholds(1, 2), [1, 2], 2, samples_per_user=1),
    _case("users", Thresholds(1, 2), [1, 2], 3, samples_per_user=2, records_per_user=2, full=True),
    _case("user-threshold", Thresholds(1, 2), [1, 2], 2, samples_per_user=1),
    _case("agnostic:vc1", Thresholds(1, 2), [1, 2], 2),
    _case("agnostic:littlestone", Thresholds(1, 2), [1, 2], 2),
    _case(
        "generic",
        Thresholds(1, 2),
        [1, 2],
        3,
        wrap=lambda learner: Subsample.of(learner, rate=Fraction(1, 2)),
        note=" on a secret half",
    ),
)
