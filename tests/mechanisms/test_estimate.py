"""The private count and the discrete Gaussian: exact laws."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import pairwise, product

import numpy as np
import pytest
from flint import arb, ctx

from littlestone.errors import DataError, ParameterError
from littlestone.mechanisms import estimate as gaussian
from littlestone.mechanisms import noise_radius, private_count
from littlestone.mechanisms.estimate import (
    _tailed,
    attempt,
    discrete_gaussian,
    discrete_gaussians,
    noisy,
    truncated,
)
from littlestone.privacy.guarantee import tightest_epsilon, upper
from littlestone.source import (
    ExactSource,
    ExplicitWeights,
    ReplaySource,
    SecureSource,
    SeededSource,
    ball,
    choose_several,
    exp,
    flip_several,
)

# -- The private count: exact law, all counts of small n, intervals that hold, broken variants -----

SIZES = [0, 1, 2, 3, 4, 5, 8, 9]


def law(count, n, epsilon, **parameters):
    return ExactSource().law(
        lambda s: private_count(count, n, epsilon=epsilon, source=s, **parameters)
    )


def value_law(count, n, epsilon):
    return ExactSource().law(lambda s: private_count(count, n, epsilon=epsilon, source=s).value)


def truncated_geometric(brute, count, n, epsilon):
    """Ghosh, Roughgarden, Sundararajan: the ends hold the whole tails."""
    p = F(brute.exp(-epsilon))
    chance = {v: (1 - p) / (1 + p) * p ** abs(v - count) for v in range(n + 1)}
    for end in {0, n}:
        chance[end] = p ** abs(end - count) / (1 + p)
    return chance if n else {0: F(1)}


@pytest.mark.parametrize("n", SIZES)
def test_the_law_is_the_truncated_geometric(n, epsilon, brute):
    for count in range(n + 1):
        exact = value_law(count, n, epsilon)
        assert brute.agrees(exact, truncated_geometric(brute, count, n, epsilon))
        assert exact.slack.is_zero()


@pytest.mark.parametrize("n", SIZES)
def test_private_on_all_neighbouring_counts(n, epsilon, tolerance):
    """The whole Estimate is compared: value, interval, everything."""
    laws = [law(count, n, epsilon).outcomes for count in range(n + 1)]
    for p, q in pairwise(laws):
        for a, b in ((p, q), (q, p)):
            loss = upper(tightest_epsilon(a, b))
            assert abs(loss - epsilon) <= tolerance, "private, and no noise is wasted"


@pytest.mark.parametrize("n", [1, 4, 9])
@pytest.mark.parametrize("beta", [F(1, 2), F(1, 20)])
def test_the_interval_holds_for_every_count(n, beta, epsilon):
    for count in range(n + 1):
        held = sum(
            float(chance)
            for estimate, chance in law(count, n, epsilon, beta=beta).outcomes.items()
            if estimate.low <= count <= estimate.high
        )
        assert held >= 1 - float(beta) - 1e-12


def test_noise_radius_is_exactly_the_least(brute):
    for epsilon, beta in product((F(1, 100), F(1), F(3)), (F(1, 2), F(1, 20), F(1, 10**12))):
        radius = noise_radius(epsilon=epsilon, beta=beta)
        p = F(brute.exp(-epsilon))
        assert 2 * p ** (radius + 1) / (1 + p) <= beta
        assert radius == 0 or 2 * p**radius / (1 + p) > beta


@pytest.mark.parametrize("n", [10**9, 2**64, 2**1024])
def test_huge_populations_cost_a_coin_for_each_digit(n):
    count = n // 3
    estimate = private_count(count, n, epsilon="0.001", source=SecureSource(), beta="1/10000000000")
    assert estimate.low <= count <= estimate.high
    assert estimate.high - estimate.low == 2 * noise_radius(epsilon="0.001", beta="1/10000000000")
    source = ReplaySource([1, 0] + [0] * 2000)
    assert private_count(count, n, epsilon=1, source=source).value == count + 1
    assert len(source.presented) == 2 + (n - 1).bit_length()


def test_each_digit_of_the_noise_counts():
    for z, choices in {
        0: [0],
        1: [1, 0, 0, 0, 0, 0],
        -1: [2, 0, 0, 0, 0, 0],
        6: [1, 0, 1, 0, 1, 0],
        -16: [2, 0, 1, 1, 1, 1],
        17: [1, 1],  # beyond 2**4: any such number
        -17: [2, 1],
    }.items():
        assert truncated(F(1), 16, ReplaySource(choices)) == z


def test_estimates_are_plain_json():
    estimate = private_count(3, 9, epsilon=0.1, source=SeededSource(0))
    assert estimate.to_dict() == {
        "value": estimate.value,
        "low": 0,
        "high": 9,
        "beta": "1/20",
        "epsilon": "1/10",
    }


@pytest.mark.parametrize("count", [-1, 10, 2.5, True])
def test_impossible_counts_are_refused_without_being_printed(count):
    source = ReplaySource([])
    with pytest.raises(DataError, match="between 0 and n") as caught:
        private_count(count, 9, epsilon=1, source=source)
    assert str(count) not in str(caught.value)
    assert source.presented == []


@pytest.mark.parametrize(("name", "value"), [("n", -1), ("epsilon", 0), ("beta", 1)])
def test_parameters_are_checked_first(name, value):
    parameters = {"n": 3, "epsilon": 1, "beta": 0.1, name: value}
    with pytest.raises(ParameterError, match=name):
        private_count(-5, source=ReplaySource([]), **parameters)


# -- The discrete Gaussian: the law of an attempt, exactly, and of a draw, by its moments ----------


@pytest.mark.parametrize("variance", [F(1, 3), pytest.param(F(29, 4), marks=pytest.mark.more)])
def test_what_is_kept_is_gaussian(variance):
    law = ExactSource(F(1, 2**20), follow=0).law(lambda source: attempt(variance, source))
    assert law.outcomes[None] < arb(1) / 2
    for z in range(-2, 3):
        expected = law.outcomes[0] * ball(F(-(z**2)) / (2 * variance)).exp()
        assert abs(law.outcomes[z] - expected) < expected * arb(2) ** -40


@pytest.mark.parametrize("variance", [F(1, 3), F(29, 4)])
def test_several_numbers_are_drawn_by_the_coins_of_one(variance):
    """The same weights at the door, in the same order, where one number is drawn."""
    for answers in ([1, 0, *[0] * 9, 1], [2, 0, *[1, 0] * 4, 0, 1], [0, 0, 1, 1, *[0] * 10, 1]):
        one, several = ReplaySource([*answers, *[0, 1] * 9]), ReplaySource([*answers, *[0, 1] * 9])
        assert discrete_gaussians(variance, 1, several).tolist() == [
            discrete_gaussian(variance, one)
        ]
        assert several.presented == one.presented


@pytest.mark.parametrize("source", [SeededSource(2), SecureSource()])
@pytest.mark.parametrize("variance", [F(7, 3), F(10**20, 7)])
def test_moments_of_many_draws_at_once(source, variance):
    drawn = discrete_gaussians(variance, 20_000, source) / float(variance) ** 0.5
    assert abs(drawn.mean()) < 5 / 20_000**0.5
    assert abs((drawn**2).mean() - 1) < 5 * (2 / 20_000) ** 0.5
    assert abs((drawn**4).mean() - 3) < 5 * (96 / 20_000) ** 0.5


def test_coins_are_decided_exactly_where_doubles_do_not(monkeypatch):
    """With no trust in doubles all coins go the exact way, and fall alike."""
    chances = np.array([1e-9, 0.25, float(np.exp(-1)), 1 - 1e-9, np.nan])
    exact = [F(1, 10**9), F(1, 4), exp(-1), 1 - F(1, 10**9), F(1, 2)]

    def flips(seed):
        return flip_several(
            SeededSource(seed), chances, lambda i: ExplicitWeights(1 - exact[i], exact[i])
        )

    plain = [flips(seed).tolist() for seed in range(60)]
    assert 0 < sum(row[1] for row in plain) < 40
    monkeypatch.setattr("littlestone.source.sources._DOUBT", 2.0**65)
    assert [flips(seed).tolist() for seed in range(60)] == plain


def test_outcomes_of_a_table_are_those_of_single_draws():
    weights = ExplicitWeights(1, exp(1), 3)
    single, several = SeededSource(5), SeededSource(5)
    assert choose_several(several, weights, 50).tolist() == [
        single.choose(weights) for _ in range(50)
    ]


@pytest.mark.parametrize("variance", [F(1, 9), F(3, 2), F(20)])
def test_small_noise_is_one_draw_with_the_weights_of_the_definition(variance):
    """The two ends stand for all beyond them; against sums of many terms."""
    reach = 3
    law = ExactSource().law(lambda source: source.choose(_tailed(variance, reach)) - reach)
    with ctx.workprec(192):
        sizes = {z: ball(F(-(z**2)) / (2 * variance)).exp() for z in range(-90, 91)}
        total = sum(sizes.values(), arb(0))
        for z in range(-reach, reach + 1):
            own = (size for x, size in sizes.items() if max(-reach, min(x, reach)) == z)
            assert abs(law.outcomes[z] - sum(own, arb(0)) / total) < arb(2) ** -60


def test_small_noise_is_moved_into_a_range_and_large_noise_is_not(monkeypatch):
    law = ExactSource().law(lambda source: int(noisy(np.array([1]), 1, F(1, 100), source)[0]))
    assert law.outcomes.keys() == set(range(-3, 4))
    assert law.outcomes[1] > arb(0.999)
    monkeypatch.setattr(gaussian, "_tailed", None)
    assert abs(noisy(np.array([[5, -5]]), 100, F(4), SeededSource(0))).max() < 30
