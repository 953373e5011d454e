"""The exact privacy loss on neighbours of a real table. What it says is secret.

A learner is run once; then the same choices are made on neighbours of the table, and their
probabilities are compared, as the source was presented with them: exact numbers, no sampling.
Where a learner makes one draw among candidates, *all* outcomes are compared, by the two vectors of
scores; beside bottom this is the hockey-stick divergence.

Neighbours are sampled, extreme (points at both ends, outside, each label), and sought: variations
of those with the largest loss so far. A replay proves nothing about other tables
(`littlestone.audit.all_n` does); it refutes a claim that fails on this one.

The numbers depend on the records: they are for the owner of the table, and not for release.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, inf, nextafter
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import arb, ctx

from littlestone.audit.neighbours import (
    Search,
    TargetSearch,
    UserSearch,
    listed,
    promised,
    replaced,
    replaced_unit,
    replaced_user,
    units_of,
)
from littlestone.audit.runs import (
    BITS,
    Boosted,
    Gradients,
    Line,
    Ran,
    Released,
    Steered,
    splits_of,
)
from littlestone.audit.verify import algorithm_of
from littlestone.data.targets import TargetSample
from littlestone.errors import UnsupportedError, check_integer, parameter_error
from littlestone.learners.boosting import Boosting, Values
from littlestone.learners.linear import Linear
from littlestone.learners.users.learner import UserAgnostic
from littlestone.privacy.guarantee import upper
from littlestone.source import LeveledChoice, SeededSource, ball

if TYPE_CHECKING:
    pass


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
        parts = [f"transcript {self.transcript:.6g}"]
        if self.outcomes is not None:
            parts.append(f"any outcome {self.outcomes:.6g}")
        if self.draws:
            what = "zCDP" if self.learner == "linear" else "any tree"
            parts.append(f"{what} of a round {max(loss for loss, _ in self.draws):.6g}")
        if self.worst_delta is not None:
            parts.append(f"divergence at epsilon {self.worst_delta:.3g}")
        return (
            f"{'HOLDS' if self.holds else 'EXCEEDED'}: {self.learner} on {self.concept_class}, "
            f"{self.n:,} {self.unit}, {self.pairs:,} neighbours; claim ({float(self.epsilon):g}, "
            f"{float(self.delta):g}); largest loss: {', '.join(parts)}. {SECRET}"
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
    domain, rng = algorithm.concept_class.domain, SeededSource(seed)
    search: Any
    if isinstance(algorithm, UserAgnostic):
        search = UserSearch(domain, records, algorithm.samples_per_user, rng)
        replace: Any = replaced_user
    elif isinstance(records, TargetSample):
        search, replace = TargetSearch(algorithm.concept_class, records, rng), replaced_unit
    else:
        search, replace = Search(domain, records, rng), replaced
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
