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
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from littlestone.classes import DecisionTrees
from littlestone.classes.decision_trees.concept_class import Splits
from littlestone.classes.trees import ROOT
from littlestone.data import Sample
from littlestone.data.sample import Entries
from littlestone.errors import UnsupportedError
from littlestone.learners.boosting import Boosting, Values
from littlestone.learners.exponential import Exponential
from littlestone.learners.linear import Linear
from littlestone.learners.linear.learner import descend, noisy_gradient
from littlestone.source import LeveledChoice, SeededSource
from littlestone.source.leveled import StreamedWeights
from littlestone.source.sources import as_weights, probabilities

if TYPE_CHECKING:
    from littlestone.data import Schema
    from littlestone.learners.base import Learner
    from littlestone.source.sources import Presented

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
        return [settings.epsilon_of(place) for place in range(settings.rounds)]


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
