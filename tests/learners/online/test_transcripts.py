"""Privacy of whole transcripts, exactly: all streams, all replacements, all that is published."""

from dataclasses import dataclass, replace
from fractions import Fraction as F
from math import ceil, exp

import pytest
from flint import arb

from littlestone.classes import FiniteClass, Points, SparseSets, Thresholds
from littlestone.learners.online.algorithm import OnlineAlgorithm, always
from littlestone.learners.online.plan import OnlinePlan, Phase, StreamGoal
from littlestone.privacy import compose
from littlestone.source import ExactSource, ReplaySource

from .transcripts import Enumerator, Streams, freeze, most_adaptive

KINDS = [(x, y) for x in (1, 2) for y in (0, 1)]
SHORT = [(1, 0), (1, 1), (2, 1)]


def plan(*, limit=1, draw_epsilon=F(1), batches=2, draws=1, **changes):
    numbers = {
        "goal": StreamGoal(F(9), F(0), 4, F(1, 20)),
        "test_epsilon": F(4),
        "phases": (Phase(batches, draws, limit, draw_epsilon),),
    }
    return OnlinePlan(**(numbers | changes))


def claim(p):
    counts = [(phase.batches * phase.draws, phase.draw_epsilon) for phase in p.phases]
    draws = sum(n for n, _ in counts)
    return p.test_epsilon + sum(n * e for n, e in counts), draws * p.leak


def check(streams, epsilon, delta):
    worst = streams.worst(epsilon)
    # what was cut may be missing on the other side, where it counts e**epsilon times
    cut = streams.slack * (1 + ceil(exp(epsilon)))
    assert worst <= delta + cut, float(worst)
    assert cut < F(1, 100)


def scored(length, **changes):
    return Streams(OnlineAlgorithm(Thresholds(1, 2), plan(**changes)), KINDS, length)


@pytest.mark.more
@pytest.mark.parametrize("length", [3, pytest.param(4, marks=pytest.mark.full)])
def test_scored_pure_claim_and_composed_claim(length):
    streams = scored(length)
    p = streams.algorithm.plan
    check(streams, *claim(p))
    for delta in (F(1, 10), F(1, 100)):
        check(streams, compose(p.losses(), delta=delta)[0], delta)
    # far from void: some pair of streams does lose more than the test alone could
    assert streams.worst(p.phases[0].draw_epsilon) > F(1, 100)


@pytest.mark.more
def test_votes_and_a_test_that_hurries():
    streams = scored(3, draws=3, batches=1, draw_epsilon=F(1, 2), test_epsilon=F(4), limit=2)
    check(streams, *claim(streams.algorithm.plan))


@pytest.mark.full
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_scored_longer(limit):
    streams = scored(5, limit=limit)
    check(streams, *claim(streams.algorithm.plan))


def test_records_outside_the_domain_and_a_class_without_a_target():
    matrix = FiniteClass([[0, 1], [1, 0]])
    kinds = [(0, 0), (0, 1), (1, 1), (7, 1)]
    streams = Streams(OnlineAlgorithm(matrix, plan(batches=1, draw_epsilon=F(2))), kinds, 3)
    check(streams, *claim(streams.algorithm.plan))


# -- phases, and closures -----------------------------------------------------------------------


@pytest.mark.more
def test_two_phases_cost_what_both_cost():
    phases = (Phase(1, 1, 1, F(2)), Phase(1, 1, 2, F(1, 2)))
    p = replace(plan(), phases=phases)
    assert [p.phase(i) for i in range(3)] == [*phases, phases[1]]
    streams = Streams(OnlineAlgorithm(Thresholds(1, 2), p), SHORT, 3)
    check(streams, *claim(p))
    assert streams.worst(F(4)) > F(1, 100)


def closures(concept_class, kinds, leak=F(1, 20), **changes):
    p = replace(plan(test_epsilon=F(2), **changes), method="closure", leak=leak)
    return Streams(OnlineAlgorithm(concept_class, p), kinds, 3)


@pytest.mark.more
@pytest.mark.parametrize(
    ("concept_class", "kinds"),
    [(Points(), SHORT), (SparseSets(2), [(1, 1), (2, 1), (2, 0)])],
    ids=str,
)
def test_closures_and_any_adversary(concept_class, kinds):
    streams = closures(concept_class, kinds)
    p = streams.algorithm.plan
    check(streams, *claim(p))
    assert check_adaptive(streams, *claim(p)) > p.leak / 2


@pytest.mark.more
def test_closures_whose_bottom_is_too_light_are_caught():
    @dataclass(frozen=True)
    class Light(OnlineAlgorithm):
        def sampler(self, batches):
            return replace(super().sampler(batches), leak=F(9, 10))

    streams = closures(Points(), SHORT)
    p = streams.algorithm.plan
    light = Streams(Light(Points(), p), SHORT, 3)
    assert light.worst(claim(p)[0]) > claim(p)[1]


# -- records chosen by somebody who reads what is published -------------------------------------


def check_adaptive(streams, epsilon, delta):
    worst = streams.most_adaptive(epsilon)
    cut = streams.lost * (1 + ceil(exp(epsilon)))
    assert worst <= delta + cut, float(worst)
    assert cut < F(1, 100)
    return worst


@pytest.mark.more
def test_scored_candidates_and_any_adversary():
    streams = Streams(OnlineAlgorithm(Thresholds(1, 2), plan()), SHORT, 3)
    p = streams.algorithm.plan
    check_adaptive(streams, compose(p.losses(), delta=F(1, 10))[0], F(1, 10))
    # an adversary who reads does gain something over all who do not
    blind = streams.worst(p.test_epsilon)
    assert streams.most_adaptive(p.test_epsilon) > blind * F(10_001, 10_000) > F(1, 10)


def test_what_only_a_reader_finds_out_is_caught():
    """A password is published; who repeats it is told the next record. Blind: one in five."""
    words = 5

    def step(public, private, time, record):
        told = (*public, record if private else None)
        return [((told, time == 1 and record == public[0]), arb(1))]

    start = {((word,), False): arb(1) / words for word in range(words)}
    assert most_adaptive(start, step, range(words), 3, F(1)) > 0.999
    for guess in range(words):  # all who do not read: the second record is fixed
        law = [((word, guess == word), F(1, words)) for word in range(words)]
        assert sum(chance for (_, told), chance in law if told) == F(1, words)


# -- controls -----------------------------------------------------------------------------------


def test_a_test_without_noise_is_caught():
    @dataclass(frozen=True)
    class Noiseless(OnlineAlgorithm):
        def _begin_test(self, state, time, sources):
            state.limit = self.plan.phase(state.batches).limit
            self._draw_event(state, time, sources)

    p = plan(test_epsilon=F(1, 2), batches=1, limit=2, draw_epsilon=F(1, 10))
    streams = Streams(Noiseless(Thresholds(1, 2), p), KINDS, 3)
    assert streams.worst(claim(p)[0]) > F(1, 50)


def test_the_test_alone_is_tight():
    """One concept: the transcript is when the test fired. The claim is attained."""
    p = plan(test_epsilon=F(2), batches=1, limit=2, draw_epsilon=F(1, 10**6))
    algorithm = OnlineAlgorithm(FiniteClass([[0, 0]]), p)
    streams = Streams(algorithm, [(0, 0), (0, 1)], 4)
    check(streams, F(2), 0)
    assert streams.worst(F(19, 10)) > F(1, 200)


def test_the_enumeration_agrees_with_the_exact_source():
    algorithm = OnlineAlgorithm(Thresholds(1, 2), plan(test_epsilon=F(9), batches=1))

    def run(source):
        state = algorithm.start(always(source))
        for record in ((1, 1), (2, 0)):
            algorithm.step(state, *record, always(source))
        return freeze(state, True)[0]

    fast, lost = Enumerator().law(run)
    exact = ExactSource(cut=F(1, 2**22), follow=0).law(run)
    assert fast.keys() == exact.outcomes.keys()
    for outcome, p in exact.outcomes.items():
        assert abs(float(p) - float(fast[outcome])) < 1e-12
    assert lost < F(1, 10_000)


def test_the_state_survives_json_at_every_step():
    from littlestone.learners.online.state import OnlineState

    algorithm = OnlineAlgorithm(Thresholds(1, 9), plan(batches=4))
    state = algorithm.start(always(ReplaySource([0] * 50)))
    assert OnlineState.from_json(state.public(), state.private()) == state
