"""The discrete Gaussian: the law of an attempt, exactly, and of a draw, by its moments."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from flint import arb, ctx

from littlestone.mechanisms import estimate as gaussian
from littlestone.mechanisms.estimate import (
    _tailed,
    attempt,
    discrete_gaussian,
    discrete_gaussians,
    noisy,
)
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


@pytest.mark.parametrize("variance", [F(1, 3), pytest.param(F(29, 4), marks=pytest.mark.more)])
def test_what_is_kept_is_gaussian(variance):
    law = ExactSource(F(1, 2**20), follow=0).law(lambda source: attempt(variance, source))
    assert law.outcomes[None] < arb(1) / 2
    for z in range(-2, 3):
        expected = law.outcomes[0] * ball(F(-(z**2)) / (2 * variance)).exp()
        assert abs(law.outcomes[z] - expected) < expected * arb(2) ** -40


@pytest.mark.more
def test_moments_of_many_draws():
    source, variance = SeededSource(1), F(10**7, 3)
    drawn = (
        np.array([discrete_gaussian(variance, source) for _ in range(4000)])
        / float(variance) ** 0.5
    )
    assert abs(drawn.mean()) < 5 / 4000**0.5
    assert abs((drawn**2).mean() - 1) < 5 * (2 / 4000) ** 0.5
    assert abs((drawn**4).mean() - 3) < 5 * (96 / 4000) ** 0.5


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
