"""Mistakes against the best of all adversaries, exactly: who reads, and chooses the target last."""

from dataclasses import dataclass
from fractions import Fraction as F
from math import ceil, comb, exp, log

import numpy as np
import pytest
from flint import arb, ctx

from littlestone.classes import AffineSubspaces, FiniteClass, Points, SparseSets, Thresholds
from littlestone.learners.online.algorithm import OnlineAlgorithm, mistake_bound
from littlestone.learners.online.plan import OnlinePlan, Phase, StreamGoal, plan_online
from littlestone.learners.online.state import ExponentialSampler

from .transcripts import Streams

TWO = FiniteClass([[0], [1]])
TWO_KINDS = [(0, 0), (0, 1)]


def worst_chance(algorithm, concepts, kinds, length, most):
    """Return the largest probability, over all adversaries, of more than ``most`` mistakes.

    The adversary chooses each record after reading what was published, such that some concept
    explains all records so far. Its choices after different transcripts do not meet, so the best of
    all strategies is found backwards, one transcript at a time; what is cut counts against us.
    """
    streams, concepts = Streams(algorithm, kinds, length, only=()), list(concepts.concepts())
    labels = {record: [label(c, record[0]) == record[1] for c in concepts] for record in kinds}

    def best(public, law, time, left, mistakes):
        if mistakes > most:
            return sum(law.values(), arb(0))
        if mistakes + length - time <= most:
            return arb(0)
        worst = arb(0)
        for record in kinds:
            rest = [a and b for a, b in zip(left, labels[record], strict=True)]
            if not any(rest):
                continue
            found = {}
            for private, p in law.items():
                for (new, hidden), chance in streams._step(public, private, time, record)[0]:
                    there = found.setdefault(new, {})
                    there[hidden] = there.get(hidden, arb(0)) + p * chance
            wrong = label(public[0][-1][1], record[0]) != record[1]
            value = sum(
                (best(new, part, time + 1, rest, mistakes + wrong) for new, part in found.items()),
                arb(0),
            )
            worst = value if float(value) > float(worst) else worst
        return worst

    with ctx.workprec(192):
        begun = {}
        for (public, private), chance in streams.first.items():
            begun.setdefault(public, {})[private] = chance
        value = sum(best(p, law, 0, [True] * len(concepts), 0) for p, law in begun.items())
        cuts = [streams.cut_at_first, *(cut for _, cut in streams.memory.values())]
    return float(value) + length * float(max(cuts))


def label(hypothesis, x):
    point = np.array([x], dtype=None if isinstance(x, tuple | int) else object)
    return int(hypothesis.predict(point)[0])


def failure(plan, events):
    """What the certificate counts, with the numbers themselves in the place of beta."""
    (phase,) = plan.phases
    e, n, draws = float(plan.test_epsilon), plan.goal.horizon, phase.draws
    share, half = float(plan.share), phase.draws // 2
    wrong = sum(
        comb(draws, i) * share**i * (1 - share) ** (draws - i) for i in range(half + 1, draws + 1)
    )
    tests = n * exp(-e) / (1 + exp(-e)) + (plan.batches + 1) * exp(-e)  # early and late by one
    return tests + events * (plan.batches + 1) * wrong


def scored(*, draws=3, batches=1, rate=2, share=F(9, 20)):
    phase = Phase(batches, draws, 1, F(2 * rate))
    goal = StreamGoal(F(10**3), F(0), 5, F(91, 100))
    return OnlinePlan(goal, F(16), (phase,), share, "adaptive")


def test_the_certificate_of_a_vote_holds_against_every_adversary():
    """Two concepts, one update: more than two mistakes only where a vote errs against the odds."""
    plan = scored(rate=5, share=F(3, 10))
    bound = mistake_bound(plan, TWO)
    assert (bound.holds, bound.adaptive, bound.mistakes) == (True, True, 2)
    algorithm = OnlineAlgorithm(TWO, plan)
    assert 0 < worst_chance(algorithm, TWO, TWO_KINDS, 5, 2) <= failure(plan, 1) <= plan.goal.beta
    # the adversary does choose the target last: a mistake is certain
    assert worst_chance(algorithm, TWO, TWO_KINDS, 5, 0) > 0.99


@pytest.mark.parametrize("draws", [1, 3])
def test_more_mistakes_are_as_rare_as_votes_that_err(draws):
    """One update, whose weights tell less: the game comes nearer to what is counted."""
    plan = scored(draws=draws)
    value = worst_chance(OnlineAlgorithm(TWO, plan), TWO, TWO_KINDS, 5, 2)
    assert failure(plan, 1) / 25 < value <= failure(plan, 1)


CLOSURES = [
    (Points(), Points(1, 2), [(1, 1), (2, 1), (1, 0)]),
    pytest.param(SparseSets(2), SparseSets(2, 1, 3), [(1, 1), (2, 1)], marks=pytest.mark.full),
    pytest.param(
        AffineSubspaces(2, 2, 1),
        AffineSubspaces(2, 2, 1),
        [((0, 0), 1), ((0, 1), 1)],
        marks=pytest.mark.full,
    ),
]


@pytest.mark.more
@pytest.mark.parametrize(("concept_class", "concepts", "kinds"), CLOSURES, ids=str)
def test_closures_against_every_adversary(concept_class, concepts, kinds):
    plan = plan_online(concept_class, epsilon=60, delta=F(1, 5), horizon=7, beta=F(1, 4))
    assert plan.method == "closure"
    bound = mistake_bound(plan, concept_class)
    assert bound.holds
    assert bound.adaptive
    algorithm = OnlineAlgorithm(concept_class, plan)
    value = worst_chance(algorithm, concepts, kinds, 7, bound.mistakes)
    assert value <= plan.goal.beta
    fewer = sum(phase.limit for phase in plan.phases) - 1  # what the tests wait for
    assert worst_chance(algorithm, concepts, kinds, 7, fewer - 1) > 0.5


# -- broken learners, which the game must catch ----------------------------------------------------


@dataclass(frozen=True)
class Sampled(OnlineAlgorithm):
    """The algorithm with another sampler."""

    kind: type = ExponentialSampler

    def sampler(self, batches):
        return self.kind(self.concept_class, self.plan.phase(batches).rate)


@dataclass(frozen=True)
class Praise(ExponentialSampler):
    """Wrong: the concepts that err weigh more."""

    def draw(self, epochs, *rest, **names):
        turned = [[(t, x, 1 - y) for t, x, y in epoch] for epoch in epochs]
        return super().draw(turned, *rest, **names)


def test_a_learner_that_breaks_the_certificate_is_caught():
    plan = scored()
    assert worst_chance(Sampled(TWO, plan), TWO, TWO_KINDS, 5, 2) <= failure(plan, 1)
    assert worst_chance(Sampled(TWO, plan, Praise), TWO, TWO_KINDS, 5, 2) > failure(plan, 1)


@pytest.mark.more
def test_a_budget_that_is_not_reserved_is_caught():
    """Weights that fall slowly need a second update: without it nothing more is learned."""
    enough, short = scored(batches=2, rate=1), scored(batches=1, rate=1)
    assert mistake_bound(enough, TWO).certificate["updates"] == 2
    assert not mistake_bound(short, TWO).holds
    chances = [
        worst_chance(OnlineAlgorithm(TWO, plan), TWO, TWO_KINDS, 5, 3) for plan in (enough, short)
    ]
    assert chances[0] < 0.01 < 0.1 < chances[1]


def test_how_early_a_test_may_fire():
    """The constant of the certificate is that of the law: see test_above_threshold."""
    plan = plan_online(Thresholds(1, 9), epsilon=1, delta=0, horizon=10**4)
    steps = mistake_bound(plan, Thresholds(1, 9)).certificate
    e = float(plan.test_epsilon)
    assert steps["early"] == ceil(log(4 * 10**4 / 0.05 / (1 + exp(-e))) / e)
