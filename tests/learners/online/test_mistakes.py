"""Mistakes and regret against all adversaries, with and without privacy."""

from dataclasses import dataclass
from fractions import Fraction as F
from itertools import combinations, product
from math import comb, exp

import numpy as np
import pytest
from flint import arb, ctx

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.classes import AffineSubspaces, FiniteClass, Points, SparseSets, Thresholds
from littlestone.cli.main import main
from littlestone.combinatorics import Kernel
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners.online.algorithm import (
    Hedge,
    OnlineAlgorithm,
    SOAPredictor,
    always,
    mistake_bound,
    numbered,
)
from littlestone.learners.online.plan import OnlinePlan, Phase, StreamGoal, plan_online
from littlestone.learners.online.state import ExponentialSampler
from littlestone.source import ExactSource

from .transcripts import Streams

# -- Mistakes against the best of all adversaries, exactly: who reads, and chooses the target last

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


# -- Without privacy: mistake bounds on every realizable sequence, exhaustively --------------------


def most_mistakes(make, concept_class, matrix):
    """The largest number of mistakes on any realizable sequence, by walking all of them.

    Only mistakes change a predictor, so the worst sequence asks for one mistake after the other.
    """
    columns = range(len(matrix[0]))
    worst, stack = 0, [((), [list(row) for row in matrix])]
    while stack:
        sequence, left = stack.pop()
        predictor = make(concept_class)
        for x, y in sequence:
            assert predictor.predict_one(x) != y
            predictor.learn_one(x, y)
        worst = max(worst, len(sequence))
        assert len(sequence) < len(matrix), "a mistake that teaches nothing may come again"
        for x in columns:
            y = 1 - predictor.predict_one(x)
            rest = [row for row in left if row[x] == y]
            if rest:
                stack.append(((*sequence, (x, y)), rest))
    return worst


@pytest.mark.first(4)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_the_soa_makes_littlestone_dimension_mistakes_on_all_classes_of_three_points(size):
    for matrix in combinations(list(product((0, 1), repeat=3)), size):
        d = Kernel(list(map(list, matrix))).ldim()
        soa = most_mistakes(SOAPredictor, FiniteClass(matrix), matrix)
        assert soa == d == SOAPredictor(FiniteClass(matrix)).mistake_bound()


def test_right_predictions_do_not_matter_and_every_order_is_fine():
    """All sequences of length 4 with repetitions, right predictions included."""
    matrix = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    for concept, order in product(matrix, product(range(3), repeat=4)):
        soa, wrong = SOAPredictor(FiniteClass(matrix)), 0
        for x in order:
            wrong += soa.predict_one(x) != concept[x]
            soa.learn_one(x, concept[x])
        assert wrong <= 2


def test_structured_classes_of_any_size():
    soa = ls.theory.SOAPredictor(Thresholds(1, 2**200))
    wrong = 0
    for i in range(600):
        x = 1 + (i * 7919**40) % 2**200
        y = x > 3**100
        wrong += soa.predict_one(x) != y
        soa.learn_one(x, y)
    assert wrong <= soa.mistake_bound() == 200
    sets = SOAPredictor(SparseSets(3))
    wrong = 0
    for x in ["oslo", "rome", "oslo", "bonn", "kyiv", "rome", "bonn", "kyiv"] * 3:
        y = x in {"rome", "kyiv"}
        wrong += sets.predict_one(x) != y
        sets.learn_one(x, y)
    assert wrong == 2
    assert sets.mistake_bound() == 3


def test_what_no_concept_explains_and_what_is_no_point():
    soa = SOAPredictor(Points())
    for x, y in (("a", 1), ("b", 1), ("a", 0)):
        soa.learn_one(x, y)
    assert soa.predict_one("a") == 1
    ages = SOAPredictor(Thresholds(1, 9))
    ages.learn_one("seven", 1)
    ages.learn_one(100, 1)
    assert ages.predict_one(None) == 0
    assert ages.hypothesis_ == SOAPredictor(Thresholds(1, 9)).hypothesis_
    with pytest.raises(ValueError, match="must be 0 or 1"):
        ages.learn_one(3, 2)


# -- Agnostic streams: exact laws of transcripts, regret against three adversaries, durable state --

KINDS = [(x, y) for x in (1, 2) for y in (0, 1)]
LINE = ls.Thresholds(1, 2)


def algorithm(batch, draws, concepts=LINE, kind=Hedge):
    """An algorithm of some draws that cost epsilon 1 together."""
    goal = StreamGoal(F(1), F(0), batch * (draws + 1), F(1, 20))
    plan = OnlinePlan(goal, F(0), (Phase(draws, 1, batch, F(1, draws)),), method="batches")
    return kind(concepts, plan)


@pytest.mark.parametrize(
    ("batch", "draws"), [(1, 2), (2, 1), pytest.param(2, 2, marks=pytest.mark.more)]
)
def test_transcripts_of_all_streams(batch, draws):
    streams = Streams(algorithm(batch, draws), KINDS, batch * (draws + 1))
    assert streams.worst(F(1)) == 0
    assert streams.worst(F(1, 2)) > F(1, 1000)


def test_adversaries_who_read_what_is_published():
    streams = Streams(algorithm(1, 2), [(1, 0), (1, 1), (2, 1)], 3)
    assert streams.most_adaptive(F(1)) <= streams.lost
    assert streams.most_adaptive(F(1, 2)) > F(1, 1000)


def test_the_law_is_that_of_exponential_weights():
    """By hand: after (1, 0) and (2, 1) the thresholds 0, 1, 2 have 1, 0 and 1 errors."""
    made = algorithm(2, 1)

    def run(source):
        state = made.start(always(source))
        for x, y in [(1, 0), (2, 1)]:
            made.step(state, x, y, always(source))
        return state.hypothesis.above

    law = ExactSource().law(run).outcomes
    weights = np.exp([-0.5, 0, -0.5])
    assert [float(law[u].mid()) for u in (0, 1, 2)] == pytest.approx(weights / weights.sum())


class CountsTwice(Hedge):
    def _train(self, state, sources):
        state.buffer = [*state.buffer, *state.buffer]
        return super()._train(state, sources)


class KeepsDrawing(Hedge):
    def _train(self, state, sources):
        state.batches = 0
        return super()._train(state, sources)


@pytest.mark.parametrize(
    ("kind", "length"), [(CountsTwice, 3), pytest.param(KeepsDrawing, 4, marks=pytest.mark.more)]
)
def test_broken_variants_are_noticed(kind, length):
    streams = Streams(algorithm(1, 2, kind=kind), [(1, 0), (1, 1), (2, 1)], length)
    assert streams.worst(F(1)) > F(1, 1000)


# -- regret ----------------------------------------------------------------------------------------

HORIZON, CONCEPTS = 6_000, 100


def learner(**options):
    given = {"epsilon": 1, "delta": 1e-6, "horizon": HORIZON, "random_state": 0} | options
    return ls.OnlineLearner(ls.Thresholds(1, CONCEPTS - 1), agnostic=True, **given)


def noisy(rng, history):
    """A concept with three labels in ten turned, fixed beforehand."""
    x = rng.integers(1, CONCEPTS)
    return x, int((x > 40) != (rng.random() < 0.3))


def contradicting(rng, history):
    """What was published for the batch before is wrong; it may be right now."""
    above = history[-2][1].above if len(history) > 1 else 50
    x = int(np.clip(above + rng.integers(0, 2), 1, CONCEPTS - 1))
    return x, int(x <= above)


def turning(rng, history):
    """The best concept changes half-way."""
    x = rng.integers(1, CONCEPTS)
    return x, int(x > (20 if history[-1][0] < HORIZON / 2 else 80))


@pytest.mark.more
@pytest.mark.parametrize("adversary", [contradicting, noisy, turning])
def test_regret_is_below_the_bound(adversary):
    rng, made = np.random.default_rng(1), learner()
    bound = made.regret_bound()
    mistakes, errors = 0, np.zeros(CONCEPTS)
    thresholds = np.arange(CONCEPTS)
    for _ in range(HORIZON):
        x, y = adversary(rng, made.published_[-2:])
        mistakes += made.predict_one(x) != y
        errors += (x > thresholds) != y
        made.learn_one(x, y)
    assert mistakes - errors.min() < bound.expected < bound.mistakes


@pytest.mark.parametrize(
    ("size", "pure", "delta"),
    [(10, 20_761, 4_512), (1000, 43_184, 10_283), (10**6, 68_535, 17_296)],
)
def test_published_sizes(size, pure, delta):
    """Theirs is zCDP by the plain conversion; the library composes at least as well."""
    budget = {"agnostic": True, "epsilon": 1, "horizon": 10**6}
    line = ls.Thresholds(1, size - 1)
    found = ls.OnlineLearner(line, **budget).regret_bound()
    assert found.expected == pytest.approx(pure, rel=0.01)
    assert recheck(found.certificate.to_dict()) == ()
    assert found.holds
    best = ls.OnlineLearner(line, **budget, delta=1e-6).regret_bound()
    assert 0.9 * delta < best.expected < 1.01 * delta


def test_privacy_that_costs_nothing():
    """With a large epsilon the rate is that without privacy, in batches of one."""
    found = ls.OnlineLearner(ls.Thresholds(1, 9), agnostic=True, epsilon=10**6, horizon=10**4)
    assert found.plan.phases[0].limit == 1
    assert found.regret_bound().expected == pytest.approx(np.sqrt(10**4 * np.log(10) / 2), rel=0.01)


# -- what other streams do ------------------------------------------------------------------------


def test_command_line(tmp_path, capsys):
    rng = np.random.default_rng(3)
    rows = "".join(
        f"{x},{int(x > 9) ^ int(rng.random() < 0.2)}\n" for x in rng.integers(1, 20, 300)
    )
    for name, text in (("a.csv", rows[:600]), ("b.csv", rows[600:])):
        (tmp_path / name).write_text("x,y\n" + text[: text.rindex("\n") + 1])
    state = str(tmp_path / "state")
    begin = ["--class", "thresholds(1, 20)", "--epsilon", "1", "--horizon", "300", "--agnostic"]
    assert main(["stream", str(tmp_path / "a.csv"), "--state", state, *begin, "--seed", "1"]) == 0
    again = ["stream", str(tmp_path / "b.csv"), "--state", state, "--resume", "new-rows"]
    assert main([*again, "--seed", "1"]) == 0
    assert main(["stream", "--state", state, "--report", str(tmp_path / "p.html")]) == 0
    assert "more than the best concept makes" in (tmp_path / "p.html").read_text()
    capsys.readouterr()


def test_refusals():
    goal = {"agnostic": True, "epsilon": 1, "horizon": 100}
    with pytest.raises(UnsupportedError, match="finite class"):
        _ = ls.OnlineLearner(ls.Points(), **goal).plan
    with pytest.raises(ParameterError, match="adversary"):
        _ = ls.OnlineLearner(LINE, **goal, adversary="adaptive").plan
    with pytest.raises(UnsupportedError, match="regret_bound"):
        ls.OnlineLearner(LINE, **goal).mistake_bound()
    with pytest.raises(UnsupportedError, match="agnostic=True"):
        ls.OnlineLearner(LINE, epsilon=1, horizon=100).regret_bound()
    one = ls.OnlineLearner(LINE, **(goal | {"horizon": 1}))
    assert (one.stopped_, one.regret_bound().holds) == (True, False)


def test_records_outside_the_domain_count():
    """They are labelled 0 by every concept, so nothing follows from them."""
    made = algorithm(1, 2)
    laws = []
    for record in product([99], (0, 1)):

        def run(source, record=record):
            state = made.start(always(source))
            made.step_many(
                state, np.array([1]), np.array([False]), np.array([record[1]]), always(source)
            )
            return state.hypothesis.above

        laws.append(ExactSource().law(run).outcomes)
    assert [float(p.mid()) for p in laws[0].values()] == pytest.approx([1 / 3] * 3)
    assert numbered(1)(2).seeded
