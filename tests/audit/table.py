"""One table of exact verifications: every mechanism and every learner of the library."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain, combinations, product
from typing import Any, Literal

import numpy as np

from littlestone import papers
from littlestone.audit.all_n import AllN, all_n, by_lemmas
from littlestone.audit.mechanism import (
    MechanismVerification,
    Observer,
    replace_one,
    verify_mechanism,
)
from littlestone.audit.verify import Verification, verify
from littlestone.bounds.claims import LEMMAS, Checked
from littlestone.classes import (
    AffineSubspaces,
    BoostedTreeClass,
    ConceptClass,
    Conjunctions,
    DecisionTrees,
    FiniteClass,
    Intervals,
    LinearClass,
    Points,
    Rules,
    SparseSets,
    Thresholds,
    TreePaths,
)
from littlestone.data import Schema, UserSample
from littlestone.data.sample import OrderedSample
from littlestone.data.targets import Count, Periods, Quantity, Target
from littlestone.errors import StateError
from littlestone.learners import registry
from littlestone.learners.online.algorithm import OnlineAlgorithm, always
from littlestone.learners.online.plan import OnlinePlan, Phase, StreamGoal
from littlestone.mechanisms import (
    AboveThreshold,
    exponential_mechanism,
    private_count,
    sparse_select,
    sparse_select_lists,
    stable_histogram,
    stable_items,
)
from littlestone.mechanisms.estimate import Noise, noisy_counts
from littlestone.mechanisms.median import (
    Ordered,
    RankExponential,
    RankWindow,
    TreeEM,
    one_shot_path,
    private_median,
)
from littlestone.papers import alon, li_wang_ye, lyu, yan
from littlestone.source import Explicit, LeveledChoice, Source

__all__ = ["CASES", "LEARNERS", "MECHANISMS", "PAPERS", "Case", "Row"]


# -- What one line of the table of exact verifications is.


Kind = Literal["mechanism", "learner"]
Result = MechanismVerification | Verification
#: A number of a claim that a verification could refute.
Part = Literal["epsilon", "delta"]
_NOTHING = 1e-9


@dataclass(frozen=True)
class Case:
    """One exact verification of the table."""

    name: str
    kind: Kind
    domain: str
    check: Callable[[Sequence[Observer]], Result]
    full: bool = False
    sharp: tuple[Part, ...] = ()
    all_n: Callable[[], AllN] = lambda: by_lemmas("", "", {})

    def row(self, observers: Sequence[Observer] = ()) -> Row:
        """Verify, and return the line."""
        start = time.perf_counter()
        result = self.check(observers)
        return Row(self.name, self.kind, self.domain, result, time.perf_counter() - start)


@dataclass(frozen=True)
class Row:
    """One finished line."""

    name: str
    kind: Kind
    domain: str
    result: Result
    seconds: float

    @property
    def says_something(self) -> bool:
        """Whether anything depends on the data: if not, every claim would hold."""
        return self.result.worst_delta > _NOTHING or self.result.tightest_epsilon > _NOTHING

    @property
    def sharp(self) -> tuple[Part, ...]:
        """Which numbers of the claim are nearly attained: half of them would be refuted."""
        found: list[Part] = []
        if 2 * self.result.tightest_epsilon > self.result.epsilon:
            found.append("epsilon")
        if 2 * self.result.worst_delta > self.result.delta > 0:
            found.append("delta")
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {
            "name": self.name,
            "kind": self.kind,
            "domain": self.domain,
            "seconds": round(self.seconds, 3),
            "sharp": list(self.sharp),
            **self.result.to_dict(),
        }


# -- Every learner, on all data sets of a small domain: realizable or not, empty, duplicated.
#
# The public settings (chunks, votes, parts) are so small that something happens with two or three
# records: with the planned ones the default would always be released, and any claim would hold.


F = Fraction
_DELTA = F(1, 20)
#: Three concepts on two points, not closed under anything.
_CORNERS = FiniteClass([[0, 0], [0, 1], [1, 1]])
#: Improper nodes: "point 0 alone" is the path of a node, and not a concept.
_FORK = FiniteClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]])
_TREE = TreePaths({"a": None, "b": "a", "c": "a"})
_CITY = Schema.from_dict({"city": {"categories": ["Bonn"]}})
_ABC = ("a", "b", "c")
_BITS = [(0, 0), (0, 1), (1, 1)]
_SCHEMA = Schema.from_dict({"x": {"categories": ["a", "b"]}})


def _with(**settings: Any) -> Callable[[Any], Any]:
    """Return a change of public settings that the registry does not take."""
    return lambda learner: replace(learner, **settings)


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
    notes += [note] * bool(note)
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
_ONE_RECORD = _with(chunk=1, tolerance=0)
_POOL = _with(pool=2)


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


_BOTH = [(x, y) for x in (1, 2) for y in (0, 1)]
_NAMES = [("a", 0), ("a", 1), ("b", 1)]
_HALF, _QUARTER = F(1, 2), F(1, 4)

# What several lines share: the learner, its class and the points, how it is made.
_generic, _agnostic = partial(_case, "generic"), partial(_case, "agnostic")
_vc1 = partial(_case, "vc1", Thresholds(1, 2), [1, 2])
_closures = partial(_case, "littlestone", Points(), ["a", "b"])
_conjunctions = partial(_case, "littlestone", Conjunctions(1), [(0,), (1,)])
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
    _generic(Points(), ["a", "b"], 2, note="hashed", sharp=_EPSILON, full=True),
    _case("vc1", Thresholds(1, 3), [1, 2, 3], 2, outside=True, sharp=_DELTAS),
    _vc1(2, sharp=_DELTAS),
    _vc1(4, **HIGH_EPSILON, sharp=_EPSILON),
    _vc1(3, delta=_HALF, wrap=_with(chunks=2), note="two chunks", sharp=_DELTAS),
    _case("vc1", _TREE, ["a", "b", "c"], 2, sharp=_DELTAS),
    _case("vc1", _TREE, ["a", "b", "c"], 4, **HIGH_EPSILON, sharp=("epsilon", "delta")),
    _case("vc1", _FORK, [0, 1], 3, delta=_HALF, sharp=_DELTAS),
    _closures(2, epsilon=4, delta=F(9, 10), wrap=_ONE_RECORD, note="large delta"),
    _closures(
        3, epsilon=2, delta=_QUARTER, wrap=_with(chunk=2, tolerance=0), note="teachers of two"
    ),
    # One record brings the empty set and the point 1: as many as a list can hold, and neither is
    # what bottom releases (with `Points`, the empty set is: half of the delta would do).
    _case(
        "littlestone", AffineSubspaces(2, 1, 0), [(0,), (1,)], 3,
        wrap=_with(chunk=3, tolerance=1), note="one teacher", sharp=_DELTAS,
    ),
    _closures(4, wrap=_ONE_RECORD, **HIGH_EPSILON, sharp=_EPSILON),
    _closures(3, epsilon=4, delta=_QUARTER, wrap=_ONE_RECORD),
    _case(
        "littlestone", SparseSets(2), ["a", "b"], 3, epsilon=4, delta=_QUARTER,
        wrap=_with(chunk=1, tolerance=1), full=True,
    ),
    _conjunctions(2, wrap=_ONE_RECORD),
    _conjunctions(3, wrap=_ONE_RECORD, **HIGH_EPSILON),
    _users(2, samples_per_user=1, sharp=_EPSILON),
    _users(2, samples_per_user=2, records_per_user=2, note="two records each", sharp=_EPSILON),
    _users(3, samples_per_user=2, records_per_user=2, note="three users", full=True),
    _case(
        "users", Thresholds(1, 2), [1], 1, samples_per_user=2, records_per_user=2, evaluate=_HALF,
        note="with an evaluation", full=True,
    ),
    _users(2, samples_per_user=1, records_per_user=2, method="one-record"),
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
    # Four records, two of them in each part: what two choose costs nearly the whole epsilon.
    _case("agnostic:vc1", Thresholds(1, 2), [1, 2], 4, wrap=_POOL, **HIGH_EPSILON, sharp=_EPSILON),
    _case(
        "agnostic:littlestone", Points(1, 2), [1, 2], 3, epsilon=6, delta=F(1, 10),
        wrap=lambda learner: _POOL(replace(learner, learner=_ONE_RECORD(learner.learner))),

    ),
    _boosting(2, step=2),
    _case(
        "boosting", BoostedTreeClass(_CITY, 1, 2), [(2,)], 2, delta=None, epsilon=20,
        note="high epsilon", sharp=_EPSILON,
    ),
    _boosting(2, delta=F(1, 100), note="delta"),
    _case("boosting", BoostedTreeClass(_CITY, 2, 2), [(1,), (2,)], 2, delta=None, full=True),
    _case(
        "boosting", BoostedTreeClass(_CITY, 1, 2, _ABC), [(1,), (2,)], 1, delta=None, step=2,
        note="three labels",
    ),
    _values(Quantity(F(0), F(1), 1), [(1,)], 1, note="means", full=True),  # hours: many sums
    _values(
        Quantity(F(0), F(1), 2), [(2,)], 2, loss="absolute", epsilon=20, note="high epsilon",
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
    _case(
        "linear", LinearClass(_CITY), [(2,)], 1, epsilon=40, rounds=1, resolution=1,
        note="one coarse round", sharp=_EPSILON,
    ),
    _stream_case("scored", Thresholds(1, 2), _BOTH, 2, sharp=_EPSILON),
    _stream_case("closures", Points(), _NAMES, 2, sharp=_EPSILON, method="closure", leak=_QUARTER),
)  # fmt: skip


# -- Every mechanism, on all data sets of a small domain.


ONE, SMALL, MEDIUM = F(1), F(1, 10**6), F(1, 20)
#: With so large an epsilon three or four records outweigh bottom or a threshold: then it can be
#: seen, and not only delta.
_HIGH: dict[str, Any] = {"epsilon": F(10), "delta": F(1, 100)}
Vector = tuple[int, ...]

# --- scores --------------------------------------------------------------------------------------


def moves(
    n: int, values: range, steps: tuple[int, ...], *, most: int | None = None
) -> Iterator[tuple[Vector, Vector]]:
    """Yield vectors of scores and all that one record can make of them."""
    for scores in product(values, repeat=n):
        for change in product(steps, repeat=n):
            if any(change) and (most is None or sum(map(abs, change)) <= most):
                yield scores, tuple(s + d for s, d in zip(scores, change, strict=True))


def select(scores: Vector, source: Source, *, epsilon: F = ONE, monotone: bool = False) -> Hashable:
    return exponential_mechanism(
        Explicit(np.array(scores)), epsilon=epsilon, monotone=monotone, source=source
    )


def _runs(scores: Vector, source: Source) -> Hashable:
    # Runs of an ordered domain, one of them long and one of them empty.
    lengths = [3, 40, 0][: len(scores)]
    runs = LeveledChoice(scores, lengths, lambda run, _: run)
    segment = exponential_mechanism(runs, epsilon=ONE, source=source)
    return segment


def _bounded(scores: Vector, source: Source, *, epsilon: F = ONE, delta: F = SMALL) -> Hashable:
    nonzero = {place: score for place, score in enumerate(scores) if score}
    return sparse_select(nonzero, k=2, epsilon=epsilon, delta=delta, source=source, default=None)


def _k_bounded() -> Iterator[tuple[Vector, Vector]]:
    """Yield k-bounded neighbours, k = 2: a record leaves two scores and another joins two."""
    pool = range(3)
    for common in product(range(3), repeat=3):
        raised = [
            tuple(s + (i in chosen) for i, s in enumerate(common))
            for size in range(3)
            for chosen in combinations(pool, size)
        ]
        yield from combinations(raised, 2)


# --- lists, items, values ------------------------------------------------------------------------

_LISTS = tuple(chain.from_iterable(combinations("abc", size) for size in range(4)))


def lists(
    lists: tuple[tuple[str, ...], ...], source: Source, *, epsilon: F = ONE, delta: F = SMALL
) -> Hashable:
    return sparse_select_lists(
        lists, cap=2, epsilon=epsilon, delta=delta, source=source, default=None
    )


def histogram(
    items: tuple[str | None, ...], source: Source, *, epsilon: F = ONE, delta: F = MEDIUM
) -> Hashable:
    kept = [item for item in items if item is not None]
    out = stable_histogram(kept, n=len(items), epsilon=epsilon, delta=delta, source=source)
    return tuple(out.items())


def items(
    items: tuple[str | None, ...], source: Source, *, epsilon: F = ONE, delta: F = SMALL
) -> Hashable:
    kept = [item for item in items if item is not None]
    return tuple(stable_items(kept, n=len(items), epsilon=epsilon, delta=delta, source=source))


def count(bits: Vector, source: Source, *, epsilon: F = ONE) -> Hashable:
    return private_count(sum(bits), len(bits), epsilon=epsilon, source=source, beta=MEDIUM).value


def _cells(values: tuple[int | None, ...], source: Source) -> Hashable:
    counts = [values.count(cell) for cell in (0, 1)]
    noisy = noisy_counts(counts, Noise(rate=F(20)), source)
    return tuple(min(max(count, -1), len(values) + 1) for count in noisy)


def _median(mechanism: Any, size: int) -> Callable[[Vector, Source], Hashable]:
    return lambda values, source: mechanism.draw(Ordered.of(values, size), source)


def _release(values: Vector, source: Source) -> Hashable:
    return private_median(values, 1, 4, epsilon=ONE, random_state=source).value


def _tree() -> tuple[tuple[int, ...], ...]:
    """Return the nodes of a tree with a fork below a chain, as paths from the root."""
    return ((), (1,), (1, 1), (1, 2), (1, 2, 1), (2,))


class TuplePaths:
    """The tree of all tuples: the parent of ``(a, b, c)`` is ``(a, b)``."""

    def depth(self, node: tuple[Any, ...]) -> int:
        return len(node)

    def meet(self, a: tuple[Any, ...], b: tuple[Any, ...]) -> int:
        same = (x == y for x, y in zip(a, b, strict=False))
        return next((i for i, equal in enumerate(same) if not equal), min(len(a), len(b)))

    def ancestor(self, node: tuple[Any, ...], depth: int) -> tuple[Any, ...]:
        return node[:depth]

    def order(self, node: tuple[Any, ...]) -> tuple[Any, ...]:
        return node


def _path(
    ends: tuple[tuple[int, ...], ...],
    source: Source,
    *,
    max_depth: int = 3,
    epsilon: F = ONE,
    delta: F = SMALL,
) -> Hashable:
    return one_shot_path(
        ends, TuplePaths(), max_depth=max_depth, epsilon=epsilon, delta=delta, source=source
    )


# --- tests above a threshold ---------------------------------------------------------------------


def transcript(test: AboveThreshold, pace: int, values: Vector, source: Source) -> Hashable:
    """Ask adaptively: each answer moves the next question by ``pace``, on both sides alike.

    Anyone who asks does not look whether the test has halted: it is asked until it refuses.
    """
    running, answers, shift = test.start(1, source), [], 0
    for value in values:
        try:
            answers.append(running.ask(value + shift))
        except StateError:
            break
        shift += pace if answers[-1] else 0
    return tuple(answers), running.halted


def _questions(changes: str, length: int) -> Iterator[tuple[Vector, Vector]]:
    """Yield sequences of values as the promise ``changes`` lets two neighbours have them."""
    steps = list(product((-1, 0, 1), repeat=length))
    if changes == "monotone":
        steps = [s for s in steps if min(s) >= 0 or max(s) <= 0]
    elif changes == "shift":
        steps = [
            tuple(0 if i < start else sign for i in range(length))
            for start in range(length)
            for sign in (-1, 1)
        ]
    for values in product((0, 1, 2), repeat=length):
        for step in steps:
            if any(step):
                yield values, tuple(v + d for v, d in zip(values, step, strict=True))


def _above(changes: Any, *, limit: int, charged: Any, length: int = 2) -> MechanismVerification:
    test = AboveThreshold(epsilon=ONE, limit=limit, charged=charged, changes=changes)
    return verify_mechanism(
        partial(transcript, test, 1),
        _questions(changes, length),
        epsilon=ONE,
        cut=F(1, 2**26),
        follow=0,
    )


# --- mechanisms of the papers --------------------------------------------------------------------


def _algorithm_1(
    lists: tuple[tuple[str, ...], ...], source: Source, *, epsilon: F = ONE, delta: F = SMALL
) -> Hashable:
    return lyu.PrivateSparseSample(2, epsilon / 2, delta).draw(lists, source)


def _choosing(scores: Vector, source: Source, *, epsilon: F = ONE, delta: F = SMALL) -> Hashable:
    qualities = {place: score for place, score in enumerate(scores) if score}
    return yan.ChoosingMechanism(epsilon, delta, k=2).draw(qualities, source)


def _hist(
    items: tuple[str | None, ...], source: Source, *, epsilon: F = ONE, delta: F = SMALL
) -> Hashable:
    return tuple(alon.Hist(epsilon, delta).items(items, source))


def _algorithm_2(limit: int) -> MechanismVerification:
    test, delta = lyu.AboveThreshold(limit, F(1, 2), "below"), F(1, 10)
    return verify_mechanism(
        partial(transcript, test, 1), _questions("any", limit + 1),
        epsilon=test.guarantee(delta).epsilon, delta=delta, cut=F(1, 2**26), follow=0,
    )  # fmt: skip


def _compare(records: tuple[tuple[int, int], ...], source: Source) -> Hashable:
    """Compare the least error of users with one record each."""
    users = UserSample.of(range(len(records)), *zip(*records, strict=True))
    compare = li_wang_ye.PrivateCompare(Thresholds(1, 2), 1, F(1, 4), F(1, 8), epsilon=ONE)
    return compare.draw(users, source)


# --- the table -----------------------------------------------------------------------------------


def _mechanism(
    name: str,
    domain: str,
    check: Callable[[], Any],
    *sharp: Part,
    full: bool = False,
) -> Case:
    words = [word.strip() for word in name.split(",")]
    both = ", ".join(words[:2])
    checked = _LEMMAS[both if both in _LEMMAS else words[0]]

    def chain() -> AllN:
        known = {checked: None} if isinstance(checked, str) else {words[0]: checked}
        return by_lemmas(words[0], "any data", known)

    return Case(name, "mechanism", domain, lambda observers: check(), full, sharp, chain)


_SELECTION, _SPARSE = LEMMAS["exp-mech.privacy"], Checked(("sparse.sparse_dp_tight",))
#: The lemmas behind each mechanism, or its claim, which has none.
_LEMMAS: dict[str, Checked | str] = {
    "exponential_mechanism": _SELECTION,
    "exponential_mechanism, monotone": Checked(("range.exp_mech_monotone", "leveled.leveledE")),
    "exponential_mechanism over runs": _SELECTION,
    "sparse_select": _SPARSE,
    "sparse_select_lists": Checked(("sparse.sparse_lists_dp",)),
    "stable_histogram": LEMMAS["histogram.privacy"],
    "stable_items": LEMMAS["histogram.privacy"],
    "private_count": LEMMAS["score-histogram"],
    "noisy_counts": LEMMAS["counts.privacy"],
    "median A (rank exponential)": LEMMAS["median.exponential"],
    "median B (TreeEM)": LEMMAS["median.tree"],
    "private_median": LEMMAS["median.exponential"],
    "one_shot_path": LEMMAS["median.paths"],
    "AboveThreshold, classic": LEMMAS["above-threshold.classic"],
    "lyu.algorithm1": lyu.SAMPLE,
    "lyu.algorithm2": "charged-tests.renyi",
    "yan.lemma1": LEMMAS["yan.choosing"],
    "alon.hist": LEMMAS["histogram.privacy"],
    "lwy.lemmaC.1": LEMMAS["lwy.privacy"],
}


def _of(
    run: Callable[[Any, Source], Hashable], pairs: Callable[[], Any], delta: Any = 0
) -> Callable[[], MechanismVerification]:
    return lambda: verify_mechanism(run, pairs(), epsilon=ONE, delta=delta)


def _high(
    run: Callable[..., Hashable], pairs: Callable[[], Any], **settings: Any
) -> Callable[[], MechanismVerification]:
    run = partial(run, **_HIGH, **settings)
    return lambda: verify_mechanism(run, pairs(), **_HIGH)


_THIRDS = RankWindow.of((F(1, 3), F(2, 3)))

MECHANISMS: tuple[Case, ...] = (
    _mechanism(
        "exponential_mechanism", "3 candidates, scores 0 to 2, every score moves by at most 1",
        _of(select, lambda: moves(3, range(3), (-1, 0, 1))), "epsilon",
    ),
    _mechanism(
        "exponential_mechanism, monotone", "3 candidates, scores 0 to 2, scores move one way",
        _of(partial(select, monotone=True), lambda: moves(3, range(3), (0, 1))), "epsilon",
    ),
    _mechanism(
        "exponential_mechanism over runs", "runs of 3, 40 and 0 candidates, scores -2 to 0",
        _of(_runs, lambda: moves(3, range(-2, 1), (-1, 0, 1))), "epsilon",
    ),
    _mechanism(
        "sparse_select", "3 candidates, scores 0 to 3, k = 2",
        _of(_bounded, _k_bounded, SMALL), "delta",
    ),
    _mechanism(
        "sparse_select, high epsilon", "3 candidates, scores 0 to 3, k = 2",
        _high(_bounded, _k_bounded), "epsilon", "delta",
    ),
    _mechanism(
        "sparse_select_lists", "2 teachers with any lists over 3 items, cap 2",
        _of(lists, lambda: replace_one(_LISTS, 2), SMALL), "delta",
    ),
    _mechanism(
        "sparse_select_lists, high epsilon", "4 teachers with one of 4 lists over 2 items, cap 2",
        _high(lists, lambda: replace_one(((), ("a",), ("b",), ("a", "b")), 4)), "epsilon", "delta",
    ),
    _mechanism(
        "stable_histogram", "3 records with one of 2 items or none",
        _of(histogram, lambda: replace_one((None, "a", "b"), 3), MEDIUM), "delta",
    ),
    _mechanism(
        "stable_histogram, high epsilon", "3 records with one of 2 items or none",
        _high(histogram, lambda: replace_one((None, "a", "b"), 3)), "epsilon", "delta",
    ),
    _mechanism(
        "stable_items", "3 records with one of 3 items or none",
        _of(items, lambda: replace_one((None, "a", "b", "c"), 3), SMALL), "delta",
    ),
    _mechanism(
        "stable_items, high epsilon", "4 records with one of 2 items or none",
        _high(items, lambda: replace_one((None, "a", "b"), 4)), "epsilon", "delta",
    ),
    _mechanism("private_count", "4 bits", _of(count, lambda: replace_one((0, 1), 4)), "epsilon"),
    _mechanism(
        "median A (rank exponential)", "3 values of a domain of 5",
        _of(_median(RankExponential(5, _THIRDS, ONE), 5), lambda: replace_one(range(5), 3)),
        "epsilon",
    ),
    _mechanism(
        "median B (TreeEM)", "3 values of a domain of 5",
        _of(_median(TreeEM(3, _THIRDS, ONE, SMALL), 5), lambda: replace_one(range(5), 3), SMALL),
        "delta",
    ),
    _mechanism(
        "median B (TreeEM), high epsilon", "3 values of a domain of 4",
        lambda: verify_mechanism(
            _median(TreeEM(2, _THIRDS, **_HIGH), 4), replace_one(range(4), 3), **_HIGH
        ),
        "epsilon", "delta",
    ),
    _mechanism(
        "private_median", "3 values in [1, 4]",
        _of(_release, lambda: replace_one((1, 2, 4), 3)), "epsilon",
    ),
    _mechanism(
        "noisy_counts", "a value in 2 cells or none",
        lambda: verify_mechanism(
            _cells, replace_one((None, 0, 1), 1), epsilon=F(40), follow=10
        ),
        "epsilon",
    ),
    _mechanism(
        "one_shot_path", "3 ends in a tree of 6 nodes",
        _of(_path, lambda: replace_one(_tree(), 3), SMALL), "delta",
    ),
    _mechanism(
        "one_shot_path, high epsilon", "4 ends in a tree of 4 nodes",
        _high(_path, lambda: replace_one(((), (1,), (2,), (1, 1)), 4), max_depth=2),
        "epsilon", "delta",
    ),
    *(
        _mechanism(
            f"AboveThreshold, classic, {changes}, limit {limit}, charged {charged}, {length} asked",
            f"{length} adaptive questions with values 0 to 2",
            partial(_above, changes, limit=limit, charged=charged, length=length),
            *(_EPSILON if (changes, limit) == ("shift", 1) else ()),
            full=changes != "shift" or length > 2,
        )
        for changes, limit, charged, length in (
            ("any", 1, "above", 2), ("any", 2, "above", 3), ("any", 1, "below", 2),
            ("monotone", 1, "above", 2), ("monotone", 2, "below", 3),
            ("shift", 1, "above", 2), ("shift", 1, "above", 3),
        )
    ),
    _mechanism(
        "lyu.algorithm1", "2 teachers with any lists over 3 items, L = 2",
        _of(_algorithm_1, lambda: replace_one(_LISTS, 2), SMALL), "delta",
    ),
    _mechanism(
        "lyu.algorithm1, high epsilon", "4 teachers with one of 4 lists over 2 items, L = 2",
        _high(_algorithm_1, lambda: replace_one(((), ("a",), ("b",), ("a", "b")), 4)),
        "epsilon", "delta",
    ),
    *(
        _mechanism(
            f"lyu.algorithm2, K = {limit}",
            f"{limit + 1} adaptive questions with values 0 to 2, below charged",
            partial(_algorithm_2, limit),
            full=limit > 1,
        )
        for limit in (1, 2)
    ),
    _mechanism(
        "yan.lemma1", "3 solutions of quality 0 to 3, k = 2",
        _of(_choosing, _k_bounded, SMALL), "delta",
    ),
    _mechanism(
        "yan.lemma1, high epsilon", "3 solutions of quality 0 to 3, k = 2",
        _high(_choosing, _k_bounded), "epsilon", "delta",
    ),
    _mechanism(
        "alon.hist", "3 records with one of 2 items or none",
        _of(_hist, lambda: replace_one((None, "a", "b"), 3), SMALL), "delta",
    ),
    _mechanism(
        "alon.hist, high epsilon", "3 records with one of 2 items or none",
        _high(_hist, lambda: replace_one((None, "a", "b"), 3)), "epsilon", "delta",
    ),
    _mechanism(
        "lwy.lemmaC.1", "3 users with one record each, on 2 points",
        _of(_compare, lambda: replace_one(tuple(product((1, 2), (0, 1))), 3)), "epsilon",
    ),
)  # fmt: skip


# --- learners of the papers: as printed, but with so few chunks and teachers that something happens


def _paper(
    name: str,
    concepts: ConceptClass,
    points: Sequence[Any],
    n: int,
    *settings: str,
    sharp: tuple[Part, ...] = (),
    full: bool = False,
    **budget: Any,
) -> Case:
    budget = {"epsilon": 1, "alpha": F(1, 3), "beta": F(1, 3)} | budget
    if not papers.page(name).PURE:
        budget.setdefault("delta", _DELTA)
    users = budget.get("samples_per_user")

    def made() -> Any:
        return papers.make(name, concepts, settings=settings, **budget)

    def check(observers: Sequence[Observer]) -> Verification:
        return verify(
            made(), points=points, n_samples=n, observers=observers, records_per_user=users
        )

    domain = f"{n} {papers.page(name).UNIT}, {len(points)} points"
    return Case(
        f"{name} on {concepts.spec}", "learner", domain, check, full, sharp,
        lambda: all_n(made(), points=points),
    )  # fmt: skip


def _with_noise(name: str, concepts: ConceptClass, n: int, algorithm: Any) -> Case:
    """Return a case of what asks noisy questions: the law is cut where it hardly matters."""
    made, run, kinds = algorithm(concepts)
    guarantee = made.guarantee()

    def check(observers: Sequence[Observer]) -> MechanismVerification:
        return verify_mechanism(
            partial(run, made), replace_one(kinds, n), epsilon=guarantee.epsilon,
            delta=guarantee.delta, cut=F(1, 2**24), follow=0,
        )  # fmt: skip

    domain = f"{n} records of {len(kinds)} kinds"
    chain = partial(by_lemmas, name, concepts.spec, {guarantee.claim: LEMMAS.get(guarantee.claim)})
    return Case(f"{name} on {concepts.spec}", "learner", domain, check, all_n=chain)


def _theorem_3(concepts: ConceptClass) -> tuple[Any, Any, Any]:
    made = lyu.Theorem3(concepts, F(6), F(1, 5), k=2, chunk=1, tolerances=(0, 0), agreeing=ONE)

    def run(algorithm: Any, records: Stream, source: Source) -> Hashable:
        xs, ys = zip(*records, strict=True)
        return algorithm.draw(OrderedSample.listed(xs, ys), source).key

    return made, run, list(product((0, 1), repeat=2))


def _algorithm_3(concepts: ConceptClass) -> tuple[Any, Any, Any]:
    made = lyu.DPOL(concepts, ONE, ONE, ONE, F(1, 20), F(1, 100), k=2, U=1, K_budget=2, draws=1,
                    cap=2)  # fmt: skip

    def run(algorithm: Any, stream: Stream, source: Source) -> Hashable:
        state = algorithm.start(source)
        published = [algorithm.step(state, x, y, source).key for x, y in stream]
        return tuple(published), state.published.key, state.halted

    return made, run, _NAMES


_SINGLES = FiniteClass([[0, 0], [0, 1], [1, 0]])
PAPERS: tuple[Case, ...] = (
    _paper("yan.algorithm2", Thresholds(1, 2), [1, 2], 2, "chunks=2", "median=exponential",
           epsilon=4, delta=_QUARTER, sharp=_DELTAS),
    _paper("yan.algorithm4", _FORK, [0, 1], 3, "chunks=1", "median=exponential", epsilon=20,
           delta=F(1, 100)),
    _paper("lwy.theorem3.4", _CORNERS, [0, 1], 3),
    _paper("lwy.theorem4.6", Thresholds(1, 2), [1, 2], 2, samples_per_user=1),
    _paper("lwy.algorithm1", Thresholds(1, 2), [1, 2], 2, "steps=1", samples_per_user=1),
    _with_noise("lyu.theorem3", _SINGLES, 2, _theorem_3),
    _with_noise("lyu.algorithm3", Points(), 2, _algorithm_3),
    _paper("alon.generic", Thresholds(1, 3), [1, 2, 3], 3, sharp=_EPSILON),
    _paper("alon.theorem30", _SINGLES, [0, 1], 3, "auxiliary=1", "batches=0,2", "assigned=2,0",
           "n_prime=1", "eta=0", epsilon=4, delta=_QUARTER),
    _paper("alon.lemma15", FiniteClass([[0], [1]]), [0], 9),
    _paper("alon.corollary4", _CORNERS, [0, 1], 3, "first=2", epsilon=3,
           inner=alon.GenericLearner(_CORNERS, F(8, 5))),
)  # fmt: skip

CASES: tuple[Case, ...] = (*MECHANISMS, *LEARNERS, *PAPERS)
