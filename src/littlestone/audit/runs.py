"""One run of a learner on a table, and the same choices on another one. What it says is secret.

`Steered` is a source that makes named choices, and adds up how likely they are; `Released` and
`Boosted` run a learner with it. Of linear models all that is released before a round fixes its
gradient: with V the variance, a released y has the loss ``(|y - G'|**2 - |y - G|**2) / (2 V)``, and
the round costs ``|G - G'|**2 / (2 V)`` of zCDP.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import count as counter
from math import ceil, inf, nextafter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from littlestone.audit.neighbours import (
    Search,
    UnitSearch,
    listed,
    promised,
    replaced,
    replaced_unit,
    units_of,
)
from littlestone.audit.verify import algorithm_of
from littlestone.classes import DecisionTrees
from littlestone.classes.decision_trees.concept_class import Splits
from littlestone.classes.trees import ROOT
from littlestone.data import Sample
from littlestone.data.sample import Entries
from littlestone.data.targets import TargetSample
from littlestone.errors import UnsupportedError, check_integer, parameter_error
from littlestone.learners.boosting import Boosting, Values
from littlestone.learners.exponential import Exponential
from littlestone.learners.linear import Linear
from littlestone.learners.linear.learner import descend, noisy_gradient
from littlestone.learners.users.learner import UserAgnostic
from littlestone.privacy.guarantee import upper
from littlestone.source import LeveledChoice, SeededSource, ball
from littlestone.source.leveled import StreamedWeights
from littlestone.source.sources import as_weights, probabilities

if TYPE_CHECKING:
    from littlestone.data import Schema
    from littlestone.learners.base import Learner
    from littlestone.source.sources import Presented

    pass


BITS = 192
_FILTERED = 96  # at which the weights of trees come from doubles with a proved error


# --- the same choices -----------------------------------------------------------------------------


class Steered:
    """A source that makes named choices, and adds up how likely they are.

    Without names it draws, and remembers the names of what it drew.
    """

    seeded = True

    def __init__(self, seed: int, names: list[Hashable] | None = None) -> None:
        self._source = SeededSource(seed)
        self._wanted: Any = None if names is None else iter(names)
        self.names: list[Hashable] = []
        self.logs: list[arb] = []
        self.choices: list[tuple[LeveledChoice[Any], Fraction]] = []
        self.lost = False
        self._then: Callable[[int], int] | None = None

    def choose(self, weights: Presented) -> int:
        """Choose what was named, or draw."""
        if isinstance(weights, StreamedWeights):
            weights = weights.together()
        members = getattr(weights, "members", None)
        choice = getattr(weights, "choice", None)
        if choice is not None:
            self.choices.append((choice, weights.rate))  # type: ignore[union-attr]
            answer = self._candidate(weights, choice)
        elif members is not None:
            answer = self._member(weights, members)
        else:
            raise UnsupportedError(
                "A draw of this learner has no names that tables share: replay cannot follow it."
            )
        known = as_weights(weights)
        bits = BITS if members is None else _FILTERED
        with ctx.workprec(BITS):
            chance = probabilities(known, bits)[answer]
            while not chance > 0 and bits < 1 << 14:
                bits *= 4
                chance = probabilities(known, bits)[answer]
            self.logs.append(chance.log())
        return answer

    def below(self, m: int) -> int:
        """Return the place of what was chosen."""
        assert self._then is not None
        then, self._then = self._then, None
        with ctx.workprec(BITS):
            self.logs[-1] -= arb(m).log()
        return then(m)

    def permutation(self, n: int, first: int | None = None) -> npt.NDArray[np.int64]:
        """Permute as every run does."""
        return self._source.permutation(n, first)

    def public_rng(self) -> np.random.Generator:
        """Return the public coins of every run."""
        return self._source.public_rng()

    def _candidate(self, weights: Any, choice: LeveledChoice[Any]) -> int:
        if self._wanted is None:
            answer = self._source.choose(weights)
            if choice.bottom is not None and answer == 0:
                self.names.append(None)
                return 0

            def then(m: int) -> int:
                place = self._source.below(m)
                named = choice.named(answer, place)
                assert named is not None
                self.names.append(_number(choice, *named))
                return place

            self._then = then
            return answer
        name = next(self._wanted)
        self.names.append(name)
        found = None if name is None else Line.of(choice).find(name)
        if found is None:
            self.lost = name is not None
            if choice.bottom is None:
                raise UnsupportedError("A neighbour lacks a candidate of a set that is public.")
            return 0
        answer, place = choice.answers(*found)
        self._then = lambda _: place
        return answer

    def _member(self, weights: Any, members: Any) -> int:
        if self._wanted is None:
            answer = self._source.choose(weights)

            def then(m: int) -> int:
                place = self._source.below(m)
                self.names.append(int(members[answer][place]))
                return place

            self._then = then
            return answer
        split = next(self._wanted)
        self.names.append(split)
        for i, inside in enumerate(members):
            at = bisect_left(inside, split)
            if at < len(inside) and inside[at] == split:
                self._then = lambda _, at=at: at
                return i
        raise UnsupportedError("A neighbour lacks a split of a set that is public.")


#: The number of the root of a tree, and the least of other candidates that are no integers.
_ROOT, _NAMED = 2**62, 2**61
_MOST_NAMED = 4096  # of one score


def _number(choice: LeveledChoice[Any], group: int, place: int) -> int:
    """Return the public number of a candidate: its place in a list, or the integer that it is."""
    if choice.counts is None:
        return group
    candidate = choice.candidate(group, place)
    if candidate is ROOT:
        return _ROOT
    number = getattr(candidate, "above", candidate)
    return int(number) if isinstance(number, int | np.integer) else _interned(candidate)


@cache
def _interned(candidate: Hashable) -> int:
    """Return a number for a candidate that is no integer: the same for equal ones."""
    return _NAMED + next(_NUMBERS)


_NUMBERS = counter()


@dataclass(frozen=True)
class Line:
    """The candidates of a choice as runs of integers, in order; some fall with the place.

    Each run is part of a group, from the place ``firsts`` on.
    """

    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    scores: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]
    falls: npt.NDArray[np.bool_]
    firsts: npt.NDArray[np.int64]

    @classmethod
    @lru_cache(maxsize=4)
    def of(cls, choice: LeveledChoice[Any]) -> Line:
        """Return the runs of a choice."""
        scores = np.asarray(choice.scores, dtype=np.int64)
        if choice.counts is None:
            each = np.arange(len(scores), dtype=np.int64)
            falls = np.zeros(len(each), dtype=bool)
            return cls(each, each + 1, scores, each, falls, np.zeros_like(each))
        runs: list[tuple[int, int, int, bool, int]] = []
        for group in np.flatnonzero(choice.counts).tolist():
            length = int(choice.counts[group])
            edges = [_number(choice, group, place) for place in (0, length - 1)]
            if max(edges) - min(edges) + 1 == length and max(edges) < _NAMED:
                runs.append((min(edges), max(edges) + 1, group, edges[0] > edges[1], 0))
                continue
            if length > _MOST_NAMED:
                raise UnsupportedError(
                    "Replay needs runs of consecutive candidates, or few with one score."
                )
            for place in range(length):
                number = _number(choice, group, place)
                runs.append((number, number + 1, group, False, place))
        starts, ends, groups, falling, firsts = (
            np.array(sorted(runs), dtype=np.int64).reshape(-1, 5).T
        )
        return cls(starts, ends, scores[groups], groups, falling.astype(bool), firsts)

    def at(self, numbers: npt.NDArray[np.int64]) -> tuple[Any, Any]:
        """Return the scores at some numbers, and whether there is a candidate."""
        if not len(self.starts):
            return np.zeros(len(numbers), dtype=np.int64), np.zeros(len(numbers), dtype=bool)
        at = np.searchsorted(self.starts, numbers, side="right") - 1
        return self.scores[at], (at >= 0) & (numbers < self.ends[at])

    def find(self, number: int) -> tuple[int, int] | None:
        """Return group and place of a number."""
        at = int(np.searchsorted(self.starts, number, side="right")) - 1
        if at < 0 or number >= self.ends[at]:
            return None
        place = int(self.ends[at]) - 1 - number if self.falls[at] else number - int(self.starts[at])
        return int(self.groups[at]), int(self.firsts[at]) + place


# --- one run --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DrawnTree:
    """A tree that was drawn with weights ``e**(-rate * cost)``.

    ``costs_of`` says what the answers of trees cost the records of one unit.
    """

    tree: Any
    rate: Fraction
    costs_of: Callable[[Any], Entries]

    def steps(self, splits: Splits, depth: int, sides: tuple[Any, Any]) -> list[Fraction]:
        """Return rate times what a replacement adds: to the cost of this tree; at most, at least.

        The last two are over all trees of the depth: which cells a split tells from each other is
        all that matters, and each leaf has the best answer.
        """
        old, new = (self.costs_of(side) for side in sides)
        rows = np.concatenate([old.codes, new.codes], axis=1).T
        answers = np.concatenate([old.labels, new.labels])
        added = np.concatenate([-old.weights, new.weights])
        mine = int(added[self.tree.predict(rows) == answers].sum())
        patterns = {
            tuple(accepts[rows[:, literal.column]].tolist())
            for literal, accepts in zip(splits.literals, splits.accepts, strict=True)
        }

        @cache
        def largest(inside: tuple[bool, ...], depth: int, sign: int) -> int:
            here = np.array(inside, dtype=bool)
            if depth == 0:
                totals = [added[here & (answers == answer)].sum() for answer in (0, 1)]
                return max(sign * int(total) for total in totals)
            return max(
                sum(largest(tuple((here & side).tolist()), depth - 1, sign) for side in (of, ~of))
                for of in map(np.array, patterns)
            )

        every = (True,) * len(rows)
        ends = largest(every, depth, 1), -largest(every, depth, -1)
        return [self.rate * end for end in (mine, *ends)]


@lru_cache(maxsize=8)
def splits_of(schema: Schema) -> Splits:
    """Return the splits of a schema."""
    return Splits(schema)


@dataclass(frozen=True)
class Ran:
    """What a run chose, and how likely each draw was.

    Where all outcomes can be compared: the candidates of the only choice, or each tree.
    """

    outcome: Hashable
    names: list[Hashable]
    logs: list[arb]
    choice: tuple[LeveledChoice[Any], Fraction] | None
    trees: list[DrawnTree]


@dataclass(frozen=True)
class Released:
    """A run of a learner that makes one release."""

    learner: Learner[Any]

    def __call__(self, sample: Sample, source: Steered) -> Ran:
        """Run it on a sample."""
        released = self.learner.draw(sample, source)
        with ctx.workprec(BITS):
            logs = [sum(source.logs, arb(0))]
        one = source.choices[0] if len(source.logs) == len(source.choices) == 1 else None
        trees = []
        if one is None and isinstance(self.learner, Exponential):
            trees = [_lone(self.learner, released)]
        return Ran(released.key, source.names, logs, one, trees)

    def budgets(self, n: int) -> list[Fraction]:
        """Return what each draw may lose: nothing is known beside the whole."""
        return []


class Boosted:
    """A run of boosting from a released start, tree by tree; the start is not replayed."""

    def __init__(self, learner: Boosting | Values, seed: int) -> None:
        self.learner, self._seed = learner, seed
        self._start: Any = None

    def __call__(self, sample: Any, source: Steered) -> Ran:
        """Run it on a sample."""
        learner, settings = self.learner, self.learner.plan.settings(sample.n)
        if self._start is None:
            self._start = self._begun(sample)
        start, loss = self._start
        keys, logs, trees = list[Hashable](), list[arb](), list[DrawnTree]()

        def moved(sample: Any, before: Sequence[DrawnTree]) -> Any:
            records: Any = learner.at(sample, start, loss)
            for i, one in enumerate(before):
                records.add(one.tree, i)
            return records

        records = moved(sample, ())
        for place in range(settings.rounds):
            rows, rate = learner.round(records, place)
            first = len(source.logs)
            tree = learner.tree(rows, rate, source)
            with ctx.workprec(BITS):
                logs.append(sum(source.logs[first:], arb(0)))
            keys.append(tree.key)

            def costs_of(unit: Any, before: Sequence[DrawnTree] = tuple(trees)) -> Entries:
                rows: Any = learner.round(moved(unit, before), len(before))[0]
                return rows.entries  # type: ignore[no-any-return]

            trees.append(DrawnTree(tree, rate, costs_of))
            records.add(tree, place)
        return Ran(tuple(keys), source.names, logs, None, trees)

    def _begun(self, sample: Any) -> tuple[Any, Any]:
        """Return a released start: of labels always the same."""
        if isinstance(self.learner, Values):
            return self.learner.start(sample, SeededSource(self._seed))
        votes = (0,) * len(self.learner.concept_class.labels)
        return votes, self.learner.plan.settings(sample.n).loss

    def budgets(self, n: int) -> list[Fraction]:
        """Return the bounded range of each round."""
        settings: Any = self.learner.plan.settings(n)
        return [settings.round_epsilon] * int(settings.rounds)


def _lone(learner: Exponential, tree: Any) -> DrawnTree:
    """Return the only tree of a learner, with what a wrong answer costs."""
    if not isinstance(learner.concept_class, DecisionTrees):
        raise UnsupportedError("Replay compares all outcomes of leveled choices and trees only.")
    costs = learner.mistake_costs
    rate = learner.rate(1 if costs is None else costs.largest)

    def costs_of(unit: Sample) -> Entries:
        rows, y = unit.points.T, unit.counts[1]
        wrong = 1 if costs is None else costs.matrix[1][0] if y[0] else costs.matrix[0][1]
        return Entries(rows, 1 - y, np.array([wrong]))

    return DrawnTree(tree, rate, costs_of)


# --- linear models --------------------------------------------------------------------------------


class Gradients:
    """A run of a linear model on a table, and what neighbours of it would have released."""

    def __init__(self, learner: Linear, table: Any, seed: int) -> None:
        self.learner, self.settings = learner, learner.plan.settings(table.n)
        self.moments: list[tuple[Any, Any, Any]] = []  # weights, exact sum, what was released
        records, source = learner.records(table), SeededSource(seed)

        def gradient(weights: Any) -> Any:
            exact = records.gradient(weights)
            released = noisy_gradient(records, weights, self.settings, source)
            whole = [int(value) for value in released.ravel()]
            self.moments.append((weights, exact.ravel().tolist(), whole))
            return released

        descend(learner.features, learner.shape[0], self.settings, table.n, gradient)

    def losses(self, neighbour: Any) -> tuple[Fraction, list[Fraction]]:
        """Return the loss of all that was released, and what each round costs of zCDP."""
        records, loss, costs = self.learner.records(neighbour), 0, []
        for weights, exact, released in self.moments:
            other = records.gradient(weights).ravel().tolist()
            for here, there, y in zip(exact, other, released, strict=True):
                loss += (y - there) ** 2 - (y - here) ** 2
            costs.append(sum((a - b) ** 2 for a, b in zip(exact, other, strict=True)))
        twice = 2 * self.settings.variance
        return abs(loss) / twice, [cost / twice for cost in costs]


# -- The exact privacy loss on neighbours of a real table. What it says is secret.
#
# A learner is run once; then the same choices are made on neighbours of the table, and their
# probabilities are compared, as the source was presented with them: exact numbers, no sampling.
# Where a learner makes one draw among candidates, *all* outcomes are compared, by the two vectors
# of scores; beside bottom this is the hockey-stick divergence.
#
# Neighbours are sampled, extreme (points at both ends, outside, each label), and sought:
# variations of those with the largest loss so far. A replay proves nothing about other tables
# (`littlestone.audit.all_n` does); it refutes a claim that fails on this one.
#
# The numbers depend on the records: they are for the owner of the table, and not for release.


SECRET = "SECRET: computed from the records. Do not publish."  # noqa: S105 - no password
_FAR = 160  # candidates that weigh together less than 2**-160 of the best are bounded, not summed


@dataclass(frozen=True, repr=False)
class Replay:
    """What was found on one table; secret.

    Attributes
    ----------
    learner, concept_class : str
    n, pairs : int
        Records (or users) of the table, and neighbours that were compared.
    unit : {"records", "users"}
        What is protected.
    epsilon, delta : Fraction
        The claim.
    transcript : float
        Largest privacy loss of the choices that were made (of either sign).
    outcomes : float or None
        Largest loss of any outcome that both tables have; None where a learner draws several times.
    draws : tuple of (float, float)
        For boosting: largest loss of any tree of each round, given the trees before, and what the
        round may lose; for linear models the zCDP of each.
    worst_delta : float or None
        Largest divergence at epsilon over all outcomes, for a claim with a delta.
    holds : bool
        Whether nothing exceeds the claim.
    """

    learner: str
    concept_class: str
    n: int
    pairs: int
    unit: str
    epsilon: Fraction
    delta: Fraction
    transcript: float
    outcomes: float | None
    draws: tuple[tuple[float, float], ...]
    worst_delta: float | None
    holds: bool

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON, marked as secret."""
        exact = {"epsilon": float(self.epsilon), "delta": float(self.delta)}
        return vars(self) | exact | {"secret": SECRET}

    def __repr__(self) -> str:
        return f"<Replay {self}>"

    def __str__(self) -> str:
        parts = [f"{self.transcript:.6g} for the draws of this run"]
        if self.outcomes is not None:
            parts.append(f"{self.outcomes:.6g} over all outcomes")
        if self.draws:
            what = "zCDP" if self.learner == "linear" else "any tree"
            parts.append(f"{max(loss for loss, _ in self.draws):.6g} for {what} of a round")
        if self.worst_delta is not None:
            parts.append(f"divergence at epsilon {self.worst_delta:.3g}")
        return (
            f"{'HOLDS' if self.holds else 'EXCEEDED'}: {self.learner} on {self.concept_class}, "
            f"{self.n:,} {self.unit}, {self.pairs:,} neighbours; claim: epsilon "
            f"{float(self.epsilon):g}, delta {float(self.delta):g}; largest loss: "
            f"{', '.join(parts)}. {SECRET}"
        )


def replay(learner: Any, table: Any, *, pairs: int = 1000, seed: int = 0) -> Replay:
    """Compare a learner's exact laws on a table and on neighbours of it.

    Parameters
    ----------
    learner : estimator or Learner
        Whose draws are leveled choices (rules, thresholds, finite classes, ...; one-shot VC-1;
        teachers' lists), trees, or sums of trees.
    table : Sample
        The records. Where users are protected, a UserSample: a neighbour replaces all records of
        one user. Of boosting with a target, or of users, a TargetSample.
    pairs : int >= 1
        Number of neighbours.
    seed : int
        Of the run and of the choice of neighbours.

    Returns
    -------
    Replay
        Secret.

    Raises
    ------
    UnsupportedError
        If the outcomes of a draw have no names that both tables share, or nothing is drawn.

    Examples
    --------
    >>> import littlestone as ls
    >>> from littlestone.data import Sample
    >>> table = Sample.of([2, 3, 5, 7, 8], [0, 0, 1, 1, 1])
    >>> found = replay(ls.GenericLearner(ls.Thresholds(1, 9), epsilon=1.0), table, pairs=60)
    >>> found.holds, round(found.outcomes, 4), found.outcomes > found.transcript > 0
    (True, 0.9062, True)
    """
    algorithm = algorithm_of("replay", learner)
    if not isinstance(table, algorithm.reads) or table.unit != algorithm.unit or not table.n:
        kind = algorithm.reads.__name__
        wanted = f"a {kind} with records"
        raise parameter_error("replay", "table", wanted, type(table).__name__)
    check_integer("replay", "pairs", pairs, low=1)
    records: Any = table
    if algorithm.unit == "records" and algorithm.shuffles(table.n):
        records = listed(records)
    rng = SeededSource(seed)
    search: Any
    if isinstance(algorithm, UserAgnostic):
        search = UnitSearch(algorithm.concept_class, records, algorithm.samples_per_user, rng)
    elif isinstance(records, TargetSample):
        each = 1 + (records.user is not None)
        search = UnitSearch(algorithm.concept_class, records, each, rng)
    else:
        search = Search(algorithm.concept_class.domain, records, rng)
    replace: Any = replaced_unit if isinstance(records, TargetSample) else replaced
    guarantee = promised(algorithm)
    if isinstance(algorithm, Linear):
        return _of_gradients(algorithm, records, search, replace, pairs, seed)
    run: Any = Released(algorithm)
    if isinstance(algorithm, Boosting | Values):
        run = Boosted(algorithm, seed)
    base = run(records, Steered(seed))
    if not base.names:
        raise UnsupportedError(
            f"{algorithm.name!r} makes no draw on this table that replay can follow."
        )
    found = _Found(run.budgets(records.n))
    for _ in range(pairs):
        pair = search.next()
        source = Steered(seed, base.names)
        other = run(replace(records, *pair), source)
        if other.outcome != base.outcome and not source.lost:
            raise UnsupportedError(
                f"The choices of {algorithm.name!r} do not mean the same on neighbours: replay "
                "cannot follow this learner. audit.verify looks at small tables."
            )
        loss = found.compare(base, other, guarantee.epsilon)
        if base.trees:
            loss = found.all_trees(base, other, units_of(records, pair), algorithm)
        search.heard(pair, loss)
    return found.report(algorithm, records.n, pairs, guarantee)


def _of_gradients(  # noqa: PLR0917
    learner: Linear, records: Any, search: Any, replace: Any, pairs: int, seed: int
) -> Replay:
    """Replay the rounds of a linear model: each may cost its part of rho."""
    run = Gradients(learner, records, seed)
    largest, costs = Fraction(0), [Fraction(0)] * len(run.moments)
    for _ in range(pairs):
        pair = search.next()
        loss, rounds = run.losses(replace(records, *pair))
        largest, costs = max(largest, loss), list(map(max, costs, rounds))
        search.heard(pair, sum(rounds))
    each = run.settings.rho / len(costs)
    return Replay(
        learner.name, learner.concept_class.spec, records.n, pairs, learner.unit, learner.epsilon,
        learner.delta, _up(largest), None, tuple((_up(cost), float(each)) for cost in costs), None,
        all(cost <= each for cost in costs),
    )  # fmt: skip


# --- comparing ------------------------------------------------------------------------------------


class _Most:
    """The largest of some numbers that are known up to balls: where it may be, and surely is."""

    def __init__(self) -> None:
        self.high: Fraction | None = None
        self.sure = Fraction(0)

    def add(self, value: arb) -> None:
        self.high = max(self.high or Fraction(0), upper(value))
        self.sure = max(self.sure, -upper(-value))

    def within(self, claim: Fraction) -> bool:
        return self.sure <= claim

    @property
    def shown(self) -> float | None:
        return None if self.high is None else _up(self.high)


class _Found:
    """The largest losses so far."""

    def __init__(self, budgets: list[Fraction]) -> None:
        self.budgets = budgets
        self.transcript, self.outcomes, self.delta = _Most(), _Most(), _Most()
        self.draws = [_Most() for _ in budgets]

    def compare(self, one: Ran, other: Ran, epsilon: Fraction) -> Fraction:
        """Compare two runs of the same choices; return a loss, to look for larger ones."""
        with ctx.workprec(BITS):
            moved = [a - b for a, b in zip(one.logs, other.logs, strict=True)]
            whole = abs(sum(moved, arb(0)))
            if one.outcome == other.outcome:
                self.transcript.add(whole)
            for most, loss in zip(self.draws, moved, strict=bool(self.budgets)):
                most.add(abs(loss))
            if one.choice is None or other.choice is None:
                return max(upper(whole), *(upper(abs(loss)) for loss in moved))
            largest, divergence = _all_outcomes(one.choice, other.choice, epsilon)
            self.outcomes.add(largest)
            if divergence is None:
                return upper(largest)
            self.delta.add(divergence)
            return upper(largest) + upper(divergence) * 2**40

    def all_trees(self, one: Ran, other: Ran, sides: tuple[Any, Any], learner: Any) -> Fraction:
        """Compare all trees: the sums of all weights follow from one probability and its cost."""
        largest, concepts = Fraction(0), learner.concept_class
        splits = learner.splits if self.draws else splits_of(concepts.schema)
        for i, drawn in enumerate(one.trees):
            mine, *ends = drawn.steps(splits, concepts.depth, sides)
            with ctx.workprec(BITS):
                totals = ball(mine) - (one.logs[i] - other.logs[i])
                losses = [abs(ball(step) - totals) for step in ends]
            for loss in losses:
                (self.draws[i] if self.draws else self.outcomes).add(loss)
                largest = max(largest, upper(loss))
        return largest

    def report(self, learner: Any, n: int, pairs: int, guarantee: Any) -> Replay:
        """Judge: nothing may surely exceed the claim."""
        epsilon, delta = guarantee.epsilon, guarantee.delta
        holds = all(most.within(b) for most, b in zip(self.draws, self.budgets, strict=True))
        if delta:  # without divergences no loss that was compared exceeds epsilon
            holds &= self.delta.within(delta)
        else:
            holds &= self.transcript.within(epsilon) and self.outcomes.within(epsilon)
        drawn = zip(self.draws, self.budgets, strict=True)
        return Replay(
            learner.name,
            learner.concept_class.spec,
            n,
            pairs,
            learner.unit,
            epsilon,
            delta,
            self.transcript.shown or 0.0,
            self.outcomes.shown,
            tuple((most.shown or 0.0, float(budget)) for most, budget in drawn),
            (self.delta.shown or 0.0) if delta and self.outcomes.high is not None else None,
            holds,
        )


def _up(value: Fraction) -> float:
    return nextafter(float(value), inf) if value else 0.0


def _all_outcomes(
    one: tuple[LeveledChoice[Any], Fraction],
    other: tuple[LeveledChoice[Any], Fraction],
    epsilon: Fraction,
) -> tuple[arb, arb | None]:
    """Return the largest loss over all shared outcomes, and the larger divergence if it matters."""
    lines = [Line.of(choice) for choice, _ in (one, other)]
    cuts = np.unique(np.concatenate([edge for line in lines for edge in (line.starts, line.ends)]))
    left, right = cuts[:-1], cuts[1:]
    (s, here), (t, there) = (line.at(left) for line in lines)
    sizes = right - left
    logs = [_log_total(*each) for each in (one, other)]
    rates = one[1], other[1]
    both = here & there
    moved = logs[1] - logs[0]
    if rates[0] == rates[1]:
        steps = np.unique((s - t)[both]).tolist()
        losses = [ball(rates[0] * step) + moved for step in steps]
    else:
        pairs = set(zip(s[both].tolist(), t[both].tolist(), strict=True))
        losses = [ball(rates[0] * a - rates[1] * b) + moved for a, b in pairs]
    bottoms = [choice.bottom for choice, _ in (one, other)]
    factor, chances = ball(epsilon).exp(), list[tuple[arb, arb]]()
    if bottoms[0] is not None and bottoms[1] is not None:
        below, beneath = bottoms[0].enclose(BITS), bottoms[1].enclose(BITS)
        losses.append(below.log() - beneath.log() + moved)
        chances.append((below / logs[0].exp(), beneath / logs[1].exp()))
    elif (here == there).all() and not _largest(losses) > ball(epsilon):
        return _largest(losses), None  # 0: no outcome is more likely than the factor allows
    present = (here | there).nonzero()[0].tolist()
    for i in present:
        p = (ball(rates[0] * int(s[i])) - logs[0]).exp() if here[i] else arb(0)
        q = (ball(rates[1] * int(t[i])) - logs[1]).exp() if there[i] else arb(0)
        chances.append((p * int(sizes[i]), q * int(sizes[i])))
    divergences = []
    for first, second in ((0, 1), (1, 0)):
        above = arb(0)
        for chance in chances:
            more = chance[first] - factor * chance[second]
            if not more <= 0:  # where the sign is not known, it may be 0 as well
                above += more if more > 0 else arb(0).union(abs(more))
        divergences.append(above)
    return _largest(losses), _largest(divergences)


def _largest(losses: list[arb]) -> arb:
    return max((abs(loss) for loss in losses), key=upper)


@lru_cache(maxsize=4)
def _log_total(choice: LeveledChoice[Any], rate: Fraction) -> arb:
    """Enclose the logarithm of the sum of all weights."""
    weights = choice.weights(rate)
    counts, scores = weights.counts, weights.scores
    total = arb(0) if choice.bottom is None else weights.bottom.enclose(BITS)  # type: ignore[union-attr]
    if not len(scores):
        return total.log()
    best, size = weights.scale, int(counts.sum())
    far = ceil(Fraction(_FAR + size.bit_length()) / abs(rate)) if rate else 0
    near = abs(scores - best) <= far if rate else np.ones(len(scores), dtype=bool)
    inside = arb(0)
    for count, score in zip(counts[near].tolist(), scores[near].tolist(), strict=True):
        inside += ball(rate * (score - best)).exp() * ball(count)
    if not near.all():
        inside += arb(0, 1) / (arb(2) ** _FAR)  # size * e**(-rate * far) < 2**-160
    return (total * ball(-rate * best).exp() + inside).log() + ball(rate * best)
