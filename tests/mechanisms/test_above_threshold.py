"""Above-threshold tests: all transcripts, adaptive questions; wrong variants of the literature."""

from __future__ import annotations

import math
from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from scipy import stats

from littlestone.errors import DataError, ParameterError, StateError, UnsupportedError
from littlestone.mechanisms import AboveThreshold
from littlestone.mechanisms.above_threshold import classic_rates
from littlestone.mechanisms.estimate import coin_of, two_sided
from littlestone.papers.lyu import AboveThreshold as FreshTest
from littlestone.privacy import ChargedTests, Pure, compose, hockey_stick
from littlestone.source import ExactSource, ExplicitWeights, ReplaySource, SeededSource, exp

RHO = np.arange(-400, 401)
STEPS = [(v, w) for v in range(3) for w in range(3) if abs(v - w) <= 1]
DIRECTIONS = {
    "any": [STEPS],
    "monotone": [[p for p in STEPS if p[1] - p[0] in (0, sign)] for sign in (1, -1)],
}


def exact(run):
    return ExactSource(cut=F(1, 2**90), follow=0).law(run)


# Independent arithmetic: floats, rho on a window that holds all but e**-100 of its law.


def offsets(s):
    return np.exp(-s * np.abs(RHO)) if s else (RHO == 0).astype(float)


def above(value, r):
    """Pr[value + nu >= rho] for each rho."""
    p, gap = math.exp(-r), value - RHO
    return np.where(gap >= 0, 1 - p ** np.abs(gap + 1) / (1 + p), p ** np.abs(gap) / (1 + p))


def worst_loss(s, r, limit, steps, horizon, charged=True):
    """Return the largest |log ratio| of a transcript; pairs may be chosen adaptively."""
    sides = {v: above(v, r) for v in range(-2, 5)}
    start = offsets(s)
    worst = 0.0

    def go(p, q, state, spent, t):
        nonlocal worst
        if spent == limit or t == horizon:
            worst = max(worst, abs(math.log(p.sum() / q.sum())))
            return
        for pair, following in steps(state, t):
            for answer in (True, False):
                a, b = (sides[v] if answer else 1 - sides[v] for v in pair)
                go(p * a, q * b, following(answer), spent + (answer == charged), t + 1)

    go(start, start, 0, 0, 0)
    return worst


def free(pairs):
    return lambda state, t: [(pair, lambda answer: 0) for pair in pairs]


def shifts(state, t):
    """State 0: not yet shifted; 1 or -1: shifted."""
    for v in (0, 1, 2):
        for kappa in (state,) if state else (0, 1, -1):
            yield (v, v + kappa), lambda a, k=kappa: k


@pytest.mark.parametrize("limit", [1, 2, pytest.param(3, marks=pytest.mark.more)])
@pytest.mark.parametrize("changes", ["any", "monotone"])
def test_classic_is_private_on_all_transcripts(changes, limit):
    s, r = map(float, classic_rates(F(1), limit, changes))
    worst = max(
        worst_loss(s, r, limit, free(pairs), 4, charged)
        for pairs in DIRECTIONS[changes]
        for charged in (True, False)
    )
    assert 0.3 < worst <= 1 + 1e-9


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_shift_costs_the_larger_rate_not_the_sum(limit):
    s, r = map(float, classic_rates(F(1), limit, "shift"))
    assert max(s + (limit - 1) * r, limit * r) == pytest.approx(1)
    assert worst_loss(s, r, limit, shifts, 4) <= 1 + 1e-9
    assert limit > 1 or (s, r) == (1, 1)


def loss_of_a_run(s, r, *parts):
    """Return the log ratio of one transcript: (value, other value), the answer, how often."""

    def log_chance(value, answer):
        gap = value - RHO if answer else RHO - value - 1  # "below" is "above" seen from behind
        p, size = math.exp(-r), np.abs(gap + (gap >= 0))
        return np.where(gap >= 0, np.log1p(-(p**size) / (1 + p)), -r * size - math.log1p(p))

    def log_sum(x):
        return x.max() + math.log(np.exp(x - x.max()).sum())

    sides = []
    for side in (0, 1):
        law = -s * np.abs(RHO)
        for values, answer, times in parts:
            law = law + times * log_chance(values[side], answer)
        sides.append(log_sum(law))
    return sides[0] - sides[1]


#: Values of free answers, then of charged ones (far below): what the worst neighbours do.
WORST = {"any": ((0, 1), (-30, -31)), "monotone": ((0, 1), (-30, -30))}


@pytest.mark.parametrize("limit", [1, 2, 3, 5])
@pytest.mark.parametrize("changes", WORST)
def test_the_claim_is_attained(changes, limit):
    """99 free answers that differ move the offset; each charged one then costs its full rate."""
    s, r = map(float, classic_rates(F(1), limit, changes))
    free_ones, charged = WORST[changes]
    found = loss_of_a_run(s, r, (free_ones, False, 99), (charged, True, limit))
    assert found == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_claim_of_a_shift_is_attained(limit):
    s, r = map(float, classic_rates(F(1), limit, "shift"))
    before, after = ((-30, -30), True, limit - 1), ((0, 1), False, 99)
    found = loss_of_a_run(s, r, before, after, ((-30, -29), True, 1))
    assert found == pytest.approx(1, abs=1e-9)


# The code that releases has these laws.


@pytest.mark.more
def test_the_offset_is_two_sided_geometric(brute):
    for rate in (F(1), F(1, 3), F(7)):
        law = exact(lambda s, rate=rate: two_sided(rate, s))
        p = F(brute.exp(-rate))
        assert len(law.outcomes) > 20 / rate
        for z, chance in law.outcomes.items():
            assert abs(F(float(chance)) - (1 - p) / (1 + p) * p ** abs(z)) < F(1, 10**15)
        assert float(law.slack) < 1e-20


def test_the_coins(brute):
    for rate, gap in product((F(1), F(1, 3)), range(-4, 5)):
        law = ExactSource().law(lambda s, r=rate, g=gap: s.choose(coin_of(r, g)))
        p = F(brute.exp(-rate))
        more = 1 - p ** (gap + 1) / (1 + p) if gap >= 0 else p**-gap / (1 + p)
        assert brute.agrees(law, {1: more, 0: 1 - more})


def transcript(plan, source, values, between=lambda answers: 0):
    """Ask values that move with earlier answers; another mechanism runs in between."""
    test, answers = plan.start(1, source), []
    for value in values:
        if test.halted:
            break
        noise = source.choose(ExplicitWeights(1, exp(F(1, 2)))) if between(answers) else 0
        answers.append((noise, test.ask(value + sum(a for _, a in answers) % 2 - noise)))
    return tuple(answers)


@pytest.mark.first(1)
@pytest.mark.parametrize("charged", ["above", "below"])
def test_the_released_transcripts_are_the_formula(charged):
    plan = AboveThreshold(epsilon=4, limit=2, charged=charged)
    s, r = float(plan.offset_rate), float(plan.rate)
    law = exact(lambda source: transcript(plan, source, (1, 0, 2)))
    mass = 0.0
    for path, chance in law.outcomes.items():
        p = offsets(s) / offsets(s).sum()
        before = 0
        for (_, answer), value in zip(path, (1, 0, 2), strict=False):
            q = above(value + before % 2 - 1, r)
            p, before = p * (q if answer else 1 - q), before + answer
        assert float(chance) == pytest.approx(p.sum(), abs=1e-12)
        assert sum(a == (charged == "above") for _, a in path) <= 2
        mass += float(chance)
    assert mass == pytest.approx(1)
    if charged == "above":
        assert all(len(path) == 3 or [a for _, a in path] == [True, True] for path in law.outcomes)


@pytest.mark.more
def test_interleaved_with_another_mechanism():
    """The pair is charged the sum, whatever the questions are made of."""
    plan = AboveThreshold(epsilon=5, limit=1)
    laws = [
        exact(lambda s, v=v: transcript(plan, s, v, between=lambda answers: len(answers) < 2))
        for v in ((1, 1, 0), (0, 2, 1))
    ]
    for p, q in (laws, laws[::-1]):
        assert float(hockey_stick(p.outcomes, q.outcomes, F(5)).upper()) < 1e-20


# Fresh noise.


def worst_delta(rate, epsilon, limit, horizon):
    """Return the exact worst divergence of adaptive randomized-response adversaries."""
    a = math.exp(rate) / (1 + math.exp(rate))
    counted = limit is not None
    cache = {}

    def best(spent, loss, t):
        """Largest sum of (1 - e**(epsilon - loss))_+ over the first law, loss in steps of rate."""
        if spent == limit or t == horizon:
            return max(0.0, 1 - math.exp(epsilon - loss * rate))
        key = (spent, loss, t)
        if key not in cache:
            up, down = best(spent + counted, loss + 1, t + 1), best(spent, loss - 1, t + 1)
            one = a * up + (1 - a) * down
            up, down = best(spent + counted, loss - 1, t + 1), best(spent, loss + 1, t + 1)
            two = (1 - a) * up + a * down
            stay = max(0.0, 1 - math.exp(epsilon - loss * rate))
            cache[key] = max(one, two, stay)
        return cache[key]

    return best(0, 0, 0)


@pytest.mark.first(1)
@pytest.mark.parametrize("limit", [1, 2, 5])
@pytest.mark.parametrize("delta", [F(1, 20), F(1, 10**6)])
def test_fresh_noise_is_private_against_adaptive_adversaries(limit, delta):
    test = FreshTest.within(limit, F(1), delta)
    assert worst_delta(float(test.epsilon), 1.0, limit, 100) <= delta
    assert worst_delta(float(test.epsilon), 1.0, None, 400) > delta, "no limit: caught"
    assert compose([test.loss], delta=delta)[0] <= 1
    assert compose([ChargedTests(test.epsilon * F(101, 100), limit)], delta=delta)[0] > 1, (
        "no waste"
    )


def test_the_noise_of_many_charged_answers():
    scales = [float(1 / FreshTest.within(k, F(1), F(1, 10**6)).epsilon) for k in (1, 16, 256)]
    assert scales == pytest.approx([19.4, 37.2, 113.5], abs=0.1)  # 4% over exact accounting
    with pytest.raises(UnsupportedError, match="too small"):
        FreshTest.within(1, F(1, 10**12), F(1, 10**300))


# Plans, margins, errors.


@pytest.mark.more
@pytest.mark.parametrize("limit", [1, 3])
def test_error_bounds_hold_and_are_not_wasteful(limit):
    beta, queries, runs = 0.2, 20, 1500
    plan = AboveThreshold(epsilon=1, limit=limit, charged="below")
    margin, source = plan.error_bound(queries=queries, beta=beta), SeededSource(3)

    def fails(a):
        wrong = 0
        for _ in range(runs):
            test = plan.start(100, source)
            wrong += not all(test.ask(100 + a) for _ in range(queries) if not test.halted)
        return wrong

    wrong = fails(margin)
    assert stats.binomtest(wrong, runs, beta, alternative="greater").pvalue > 1e-3
    assert fails(margin // 2) > beta * runs


def test_error_bound_of_one_question_exactly():
    for beta in (0.3, 0.05, 1e-3):
        plan = AboveThreshold(epsilon=1, limit=1)
        a = plan.error_bound(queries=1, beta=beta)
        s, r = float(plan.offset_rate), float(plan.rate)
        p = offsets(s) / offsets(s).sum()
        assert (p * (1 - above(a, r))).sum() <= beta
        assert (p * above(-a - 1, r)).sum() <= beta


def test_halting_is_public_and_exact():
    test = AboveThreshold(epsilon=50, limit=2).start(0, SeededSource(0))
    assert [test.ask(v) for v in (-99, 99, -99, 99)] == [False, True, False, True]
    assert test.halted
    with pytest.raises(StateError, match="2 charged answers"):
        test.ask(5)


def test_values_are_integers_of_any_size():
    test = AboveThreshold(epsilon="1e-9", limit=3).start(10**30, SeededSource(0))
    assert test.ask(10**40)
    assert not test.ask(-(10**40))
    assert test.ask(np.int64(3)) is False
    for value in (1.0, True, "3", None, [1]):
        with pytest.raises(DataError, match="integers"):
            test.ask(value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epsilon", 0), ("limit", 0), ("charged", "both"), ("changes", "none"),
    ],
)  # fmt: skip
def test_parameters_are_checked_first(name, value):
    with pytest.raises(ParameterError, match=name):
        AboveThreshold(**{"epsilon": 1, name: value})


@pytest.mark.more
def test_extreme_budgets():
    for epsilon in ("1e-9", 10**6):
        plan = AboveThreshold(epsilon=epsilon, limit=2)
        assert plan.error_bound(queries=10, beta=0.1) >= 0
        plan.start(0, SeededSource(1)).ask(0)


def test_promises():
    plan = AboveThreshold(epsilon=1, limit=2)
    assert plan.loss == Pure(1)
    assert (plan.guarantee().epsilon, plan.guarantee().delta) == (1, 0)


def test_only_finite_weights_are_shown():
    source = ReplaySource([0, 1])
    test = AboveThreshold(epsilon=1, limit=1).start(0, source)
    assert test.ask(5)
    assert [len(weights) for weights in source.presented] == [3, 2]
