"""Privacy of whole transcripts, exactly, with the draws that they are made of, and users."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction as F
from itertools import combinations, product
from math import ceil, comb, exp, prod

import numpy as np
import pytest
from flint import arb

import littlestone as ls
from littlestone.audit.mechanism import replace_one, verify_mechanism
from littlestone.classes import (
    AffineSubspaces,
    AlwaysZero,
    Conjunctions,
    FiniteClass,
    Intervals,
    PointHypothesis,
    Points,
    Prefixes,
    SparseSets,
    Thresholds,
    TreePaths,
)
from littlestone.data import OUTSIDE
from littlestone.errors import ParameterError
from littlestone.learners.online.algorithm import (
    Digit,
    NoEventCoin,
    OnlineAlgorithm,
    always,
    draw_noise,
    draw_silence,
)
from littlestone.learners.online.plan import OnlinePlan, Phase, StreamGoal, plan_online
from littlestone.learners.online.state import ClosureSampler, closure_steps, majority, vote_events
from littlestone.privacy import Neighbours, compose
from littlestone.source import ExactSource, SecureSource, SeededSource, probabilities

from .transcripts import Enumerator, Streams, freeze, most_adaptive

# -- Privacy of whole transcripts, exactly: all streams, all replacements, all that is published ---

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


# -- The above-threshold test: exact laws of its draws, and the same law as one coin for each step


@pytest.mark.parametrize("epsilon", [F(1, 3), F(2)])
@pytest.mark.parametrize("gap", [1, 2, 7])
def test_silence_is_geometric(epsilon, gap):
    law = ExactSource().law(lambda source: draw_silence(epsilon, gap, 3, source))
    q = 1 - math.exp(-epsilon * gap)
    assert len(law.outcomes) == 9
    for (steps, fires), p in law.outcomes.items():
        expected = q**steps * (1 - q) if fires else q**8
        assert float(p) == pytest.approx(expected, rel=1e-12)
        assert fires or steps == 8


@pytest.mark.parametrize("epsilon", [F(1, 5), F(1), F(7, 2)])
def test_noise_is_geometric(epsilon):
    law = ExactSource(cut=F(1, 2**40), follow=0).law(lambda source: draw_noise(epsilon, source))
    for r in range(6):
        expected = -math.expm1(-epsilon) * math.exp(-epsilon * r)
        assert float(law.outcomes[r]) == pytest.approx(expected, rel=1e-12)
    assert float(law.slack) < 1e-9


@pytest.mark.parametrize("gap", [1, 10**3, 10**9])
@pytest.mark.parametrize("epsilon", [F(1, 10**9), F(10**6)])
def test_extreme_weights_keep_their_relative_precision(epsilon, gap):
    for weights in (NoEventCoin(epsilon, gap, 1 << 20), Digit(epsilon, gap, 5)):
        for p in probabilities(weights, 192):
            assert p > 0
            assert p.rel_accuracy_bits() > 100
    assert draw_silence(epsilon, 0, 5, SecureSource()) == (0, True)
    assert draw_noise(epsilon, SeededSource(1)) >= 0


def test_one_draw_for_many_steps_has_the_law_of_one_coin_for_each_step():
    """Gaps 3, 3, 2, 2, 2, ... as mistakes come: when does it fire?"""
    epsilon, gaps = F(1, 2), [3, 3, 2, 2, 2, 1]

    def by_waiting(source):
        at, fires = 0, False
        until, fires = draw_silence(epsilon, gaps[0], 1, source)
        for t, gap in enumerate(gaps):
            if t and gap != gaps[t - 1]:
                silent, fires = draw_silence(epsilon, gap, 1, source)
                until = t + silent
            while until == t:
                if fires:
                    return t
                silent, fires = draw_silence(epsilon, gap, 1, source)
                until = t + silent
        return at - 1

    law = ExactSource().law(by_waiting)
    silent = 1.0
    for t, gap in enumerate(gaps):
        ring = math.exp(-0.5 * gap)
        assert float(law.outcomes[t]) == pytest.approx(silent * ring, rel=1e-12)
        silent *= 1 - ring
    assert float(law.outcomes[-1]) == pytest.approx(silent, rel=1e-12)


@pytest.mark.parametrize("epsilon", [F(1, 3), F(2)])
@pytest.mark.parametrize(("steps", "limit", "b"), [(1, 30, 0.1), (50, 30, 0.05), (1000, 60, 0.01)])
def test_epochs_are_neither_short_nor_long(epsilon, steps, limit, b):
    """The claim `online.epochs`, from the laws of the two draws; mistakes as they hurt most."""
    e = float(epsilon)
    noise = ExactSource(cut=F(1, 2**50), follow=0).law(lambda s: draw_noise(epsilon, s))
    law = {r: float(p) for r, p in noise.outcomes.items()}

    def early(count):
        """Some step fires with at most so many mistakes: all of them come at once."""
        total = 0.0
        for r, p in law.items():
            gap = limit + r - count
            silent = ExactSource().law(lambda s, g=gap: draw_silence(epsilon, g, 0, s))
            ring = float(silent.outcomes.get((0, True), 0))
            total += p * (1 - (1 - ring) ** steps)
        return total

    least = limit + 1 - max(math.ceil(math.log(steps / b / (1 + math.exp(-e))) / e), 1)
    assert early(least - 1) <= b
    assert early(least + math.ceil(4 / e)) > b  # and the number is not far from the best
    late = math.ceil(math.log(steps / b) / e)  # steps tests, each fires at limit + r at the latest
    assert all(draw_silence(epsilon, gap, 3, SecureSource()) == (0, True) for gap in (0, -1))
    long = sum(p for r, p in law.items() if r >= late)
    assert 1 - (1 - long) ** steps <= b
    longer = sum(p for r, p in law.items() if r >= late - math.ceil(1 / e))
    assert 1 - (1 - longer) ** steps > b


# -- One draw of a sampler: what the budget of a stream is made of, exactly, and nearly attained ---

#: A record that was no mistake is in nobody's hands: None. So records are added and removed too.
MISTAKES = [None, *SHORT]


NOTHING = AlwaysZero()


def verified(sampler, epsilon, delta=0, kinds=MISTAKES, now=NOTHING):
    def run(records, source):
        epoch = [(time, *record) for time, record in enumerate(records) if record is not None]
        drawn = sampler.draw([epoch[:2], epoch[2:]], 1, source, now=now)[0]
        return None if drawn is None else drawn.key

    return verify_mechanism(run, replace_one(kinds, 4), epsilon=epsilon, delta=delta)


@pytest.mark.more
@pytest.mark.parametrize("epsilon", [F(1), F(6)])
def test_a_draw_from_scored_candidates(epsilon):
    kinds = [None, (1, 0), (1, 1), (2, 0)]
    result = verified(plan(draw_epsilon=epsilon).sampler(Thresholds(1, 2)), epsilon, kinds=kinds)
    assert result.holds
    assert (result.datasets, result.pairs) == (4**4, 4**4 * 4 * 3)
    assert result.tightest_epsilon > 0.6 * epsilon


# -- closures -----------------------------------------------------------------------------------


FLATS = AffineSubspaces(2, 2, 1)
A, B, C = (0, 0), (0, 1), (1, 0)


@pytest.mark.more
@pytest.mark.parametrize(
    ("concept_class", "now", "kinds"),
    [
        (Points(), AlwaysZero(), [(1, 0), (1, 1), (2, 1)]),
        (SparseSets(2), AlwaysZero(), [(1, 1), (2, 1), (2, 0)]),
        (SparseSets(2), PointHypothesis(1), [(1, 1), (2, 1), (3, 1)]),
        (FLATS, AlwaysZero(), [(A, 1), (B, 1), (C, 0)]),
        (FLATS, closure_steps(FLATS).join(AlwaysZero(), A), [(A, 1), (B, 1), (C, 1)]),
    ],
    ids=str,
)
@pytest.mark.parametrize(("epsilon", "leak"), [(F(1), F(1, 20)), (F(6), F(1, 100))])
def test_a_draw_of_closures(concept_class, now, kinds, epsilon, leak):
    """All lists of four mistakes, replaced, added and removed."""
    sampler = ClosureSampler(concept_class, epsilon / 2, leak)
    result = verified(sampler, epsilon, leak, kinds=[None, *kinds], now=now)
    assert result.holds
    assert result.worst_delta > leak / 4
    assert epsilon == 1 or result.tightest_epsilon > 0.4 * epsilon


@dataclass(frozen=True)
class Pairs(ClosureSampler):
    """Wrong: mistakes vote two by two, so that one record votes more than once."""

    def votes(self, epochs, now):
        xs = [x for epoch in epochs for _, x, y in epoch if y == 1]
        grown = closure_steps(self.concept_class)
        return Counter(grown.join(grown.join(now, a), b) for a, b in combinations(xs, 2) if a != b)


@dataclass(frozen=True)
class Loud(ClosureSampler):
    """Wrong: bottom is as light as a candidate without votes."""

    def draw(self, epochs, draws, source, *, now):
        return ClosureSampler(self.concept_class, self.rate, F(999, 1000)).draw(
            epochs, draws, source, now=now
        )


@pytest.mark.more
@pytest.mark.parametrize("kind", [Pairs, Loud])
def test_broken_closures_are_caught(kind):
    sampler = kind(SparseSets(2), F(1, 2), F(1, 100))
    assert not verified(sampler, F(1), F(1, 100), kinds=[None, (1, 1), (2, 1), (3, 1)]).holds


@pytest.mark.parametrize(
    "concept_class",
    [
        Points(1, 4), SparseSets(2, 1, 5), SparseSets(3, 1, 4), AffineSubspaces(2, 3, 1),
        AffineSubspaces(2, 3, 2), AffineSubspaces(3, 2, 1), AffineSubspaces(3, 2, 2),
    ],
    ids=str,
)  # fmt: skip
def test_growth_is_the_least_concept_by_brute_force(concept_class):
    """The least concept that holds some points; and never more next steps than `widths` says."""
    concepts = list(concept_class.concepts())
    domain = sorted(points_of(concept_class))
    sets = {h.key: frozenset(x for x in domain if label(h, x)) for h in concepts}
    by_set = {ones: h for h in concepts for ones in [sets[h.key]]}
    grown = closure_steps(concept_class)
    level = {AlwaysZero()}
    for step, width in enumerate(grown.widths):
        following = set()
        for h in level:
            inside = frozenset(x for x in domain if label(h, x))
            nexts = {}
            for x in set(domain) - inside:
                larger = [ones for ones in sets.values() if inside | {x} <= ones]
                found = grown.join(h, x)
                if not larger:
                    assert found is None
                    continue
                least = frozenset.intersection(*larger)
                assert found == by_set[least]
                nexts[least] = found
            for target in sets.values():
                if inside <= target:
                    assert sum(ones <= target for ones in nexts) <= width, (step, h)
            following |= set(nexts.values())
        level = following
    assert all(grown.join(h, x) is None for h in level for x in domain if not label(h, x))


def points_of(concept_class):
    if isinstance(concept_class, AffineSubspaces):
        return list(product(range(concept_class.q), repeat=concept_class.n))
    low, high = concept_class.bounds
    return list(range(low, high + 1))


def label(hypothesis, x):
    points = np.array([x]) if isinstance(x, tuple) else np.array([x], dtype=object)
    return int(hypothesis.predict(points)[0])


# -- votes -----------------------------------------------------------------------------------------


TREE = TreePaths({"a": None, "b": "a", "c": "a", "d": "b", "e": "b"})


@pytest.mark.first(12)
@pytest.mark.parametrize(
    ("concept_class", "points"),
    [
        (Thresholds(1, 3), range(0, 5)),
        (Points(1, 3), range(1, 4)),
        (SparseSets(2, 1, 3), range(1, 4)),
        (AffineSubspaces(2, 2, 1), [A, B, C, (1, 1)]),
        (TREE, "abcde"),
        (Intervals(1, 3), range(1, 4)),
        (FiniteClass([[0, 1, 1], [1, 0, 1], [1, 1, 0]]), range(3)),
        (Conjunctions(1), [(0,), (1,)]),
    ],
    ids=str,
)
@pytest.mark.parametrize(("draws", "share"), [(1, F(1, 4)), (3, F(1, 3)), (5, F(9, 20))])
def test_votes_are_wrong_as_rarely_as_counted(concept_class, points, draws, share):
    """Exactly, by all outcomes of R draws, for many laws of concepts; also the worst ones."""
    concepts, points = list(concept_class.concepts()), list(points)
    labels = np.array([[label(h, x) for x in points] for h in concepts])
    wrong = sum(
        comb(draws, i) * share**i * (1 - share) ** (draws - i)
        for i in range(draws // 2 + 1, draws + 1)
    )
    allowed = vote_events(concept_class, share) * wrong
    votes = []
    for chosen in product(range(len(concepts)), repeat=draws):
        if list(chosen) == sorted(chosen):
            counts = Counter(chosen)
            ways = prod(range(1, draws + 1))
            for n in counts.values():
                ways //= prod(range(1, n + 1))
            ones = 2 * labels[list(chosen)].sum(axis=0) > draws
            vote = majority([concepts[i] for i in chosen])
            assert [label(vote, x) for x in points] == ones.astype(int).tolist()
            votes.append((ways, counts, ones))
    rng = np.random.default_rng(draws)
    laws = [rng.dirichlet(np.full(len(concepts), 0.3)) for _ in range(20)]
    for a, b in combinations(range(len(concepts)), 2):  # just the share on one concept
        law = np.zeros(len(concepts))
        law[a], law[b] = float(share) * (1 - 1e-12), 1 - float(share) * (1 - 1e-12)
        laws.append(law)
    worst = 0.0
    for law in laws:
        ones = law @ labels
        right = np.where(ones <= float(share), 0, np.where(1 - ones <= float(share), 1, -1))
        failing = sum(
            ways * prod(law[i] ** n for i, n in counts.items())
            for ways, counts, vote in votes
            if ((right >= 0) & (vote != right)).any()
        )
        worst = max(worst, failing)
    assert worst <= float(allowed) * (1 + 1e-9)
    assert worst > 0.3 * float(wrong)  # some law comes near


def test_the_number_of_events_does_not_grow_with_the_domain():
    share = F(1, 3)
    assert vote_events(Prefixes("ipv6"), share) == 4
    assert vote_events(SparseSets(3, 1, 10**30), share) == 9 + 4
    assert vote_events(Conjunctions(5), share) == 32


# -- Streams of users: the contributions that count, exact privacy of a user, what it costs --------

USERS_KINDS = [(1, 0), (1, 1), (2, 1)]
USERS = ("a", "b", "a")


def algorithm(k):
    """Return an algorithm whose records cost 3 / k each: 2 / k for the tests, 1 / k for a draw."""
    goal = StreamGoal(F(3), F(0), 3, F(1, 20), k)
    plan = OnlinePlan(goal, F(2, k), (Phase(1, 1, 1, F(1, k)),))
    return OnlineAlgorithm(ls.Thresholds(1, 2), plan)


def transcripts(machine, most):
    def run(stream, source):
        state = machine.start(always(source))
        for user, record in zip(USERS, stream, strict=True):
            x, y = record if state.admit(user, most) else (OUTSIDE, 0)
            machine.step(state, x, y, always(source))
        return tuple((time, h.key) for time, h in state.published)

    return run


def pairs():
    """Yield streams that differ in all records of one user, of whom "a" has two."""
    for middle in USERS_KINDS:
        ends = [(x, z) for x in USERS_KINDS for z in USERS_KINDS]
        yield from (((a, middle, c), (b, middle, d)) for (a, c), (b, d) in combinations(ends, 2))
    for a, c in [(x, z) for x in USERS_KINDS for z in USERS_KINDS]:
        yield from (((a, x, c), (a, z, c)) for x, z in combinations(USERS_KINDS, 2))


def users_verified(k, most):
    return verify_mechanism(
        transcripts(algorithm(k), most),
        list(pairs()),
        epsilon=3,
        delta=0,
        cut=F(1, 2**18),
        follow=0,
    )


@pytest.mark.more
@pytest.mark.parametrize("k", [1, 2])
def test_a_user_is_protected_by_bounded_contributions(k):
    result = users_verified(k, k)
    assert result.holds
    assert result.tightest_epsilon > 1


@pytest.mark.more
def test_contributions_that_are_not_bounded_are_caught():
    """Each record at full price, and two of one user count."""
    assert not users_verified(1, 2).holds


def test_what_a_record_may_cost():
    goal = StreamGoal(F(1), F(1, 10**6), 1000, F(1, 20), 5)
    e, d = goal.per_record
    assert e == F(1, 5)
    # group privacy, by adding up: d + e**e d + ... for five records
    assert sum(float(d) * np.exp(0.2 * i) for i in range(5)) == pytest.approx(1e-6, rel=1e-6)
    assert sum(float(d) * np.exp(0.2 * i) for i in range(5)) <= 1e-6
    huge = StreamGoal(F(10**6), F(1, 10**6), 1000, F(1, 20), 5).per_record
    assert huge[0] == 2 * 10**5
    assert huge[1] >= 0


def test_streams_of_users_from_records_to_the_guarantee():
    options = {"epsilon": 8, "delta": 1e-6, "horizon": 20_000, "random_state": 3}
    x = np.random.default_rng(0).integers(1, 100, 20_000)
    y = (x > 30).astype(np.int8)
    users = [f"u{i % 6_000}" for i in range(20_000)]
    many = ls.OnlineLearner(ls.Thresholds(1, 99), **options, records_per_user=2)
    many.learn_many(x, y, users=users)
    one = ls.OnlineLearner(ls.Thresholds(1, 99), **options, records_per_user=2)
    for record in zip(x.tolist(), y.tolist(), users, strict=True):
        one.learn_one(*record)
    assert many.state_ == one.state_
    assert sum(many.state_.contributions.values()) == 12_000
    assert many.guarantee_.neighbours is Neighbours.USER_REPLACE
    assert (many.guarantee_.epsilon, many.plan.test_epsilon < 4) == (8, True)
    with pytest.raises(ParameterError, match="exactly if it protects users"):
        many.learn_one(5, 1)
    with pytest.raises(ParameterError, match="exactly if it protects users"):
        many.observe(5)
    with pytest.raises(ParameterError, match="exactly if it protects users"):
        ls.OnlineLearner(ls.Thresholds(1, 99), **options).learn_one(5, 1, user="u")
    with pytest.raises(ParameterError, match="one text for each record"):
        many.learn_many([5], [1], users=[7])


def test_a_durable_stream_remembers_what_users_contributed(tmp_path):
    def learner():
        return ls.OnlineLearner(
            ls.Thresholds(1, 9), epsilon=1, delta=0, horizon=100, records_per_user=1,
            random_state=1, state=tmp_path / "s",
        )  # fmt: skip

    first = learner()
    first.learn_one(5, 1, user="canary")
    first.close()
    again = learner()
    before = again.state_.buffer
    again.learn_one(5, 1 - again.predict_one(5), user="canary")
    assert again.state_.buffer == before
    assert again.state_.time == 2
    again.close()
    assert b"canary" not in (tmp_path / "s" / "public.db").read_bytes()
    assert plan_online(
        ls.Thresholds(1, 9), epsilon=1, delta=0, horizon=100, records_per_user=1
    ).goal.per_record == (1, 0)


def test_no_name_of_a_user_is_refused(tmp_path):
    """A name that SQLite cannot keep as a text is a user like others, in memory and on the disk."""
    names = ["a", "\ud800", "b\0c", "b", "\ud800", "\\ud800", "null", "\ud800"]
    asked = {"epsilon": 1, "delta": 1e-6, "horizon": 1000, "records_per_user": 2}
    durable = ls.OnlineLearner(ls.Thresholds(1, 99), **asked, state=tmp_path / "s")
    memory = ls.OnlineLearner(ls.Thresholds(1, 99), **asked)
    for name in names:
        durable.learn_one(5, 0, user=name)
        memory.learn_one(5, 0, user=name)
    durable.close()
    assert durable.state_.contributions == memory.state_.contributions
    assert durable.state_.contributions["\ud800"] == 2
    durable.close()


@pytest.mark.full
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_scored_longer(limit):
    streams = scored(5, limit=limit)
    check(streams, *claim(streams.algorithm.plan))
