"""Enclosures of ExplicitWeights and LevelWeights hold the truth, at every precision and size."""

from __future__ import annotations

from decimal import localcontext
from fractions import Fraction as F

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from littlestone.source import (
    ExactSource,
    ExplicitWeights,
    LevelWeights,
    SeededSource,
    Weights,
    exp,
    probabilities,
)


def true_levels(truth, multiplicity, score, rate):
    """Relative to the best score, as `LevelWeights.enclose` scales them."""
    best = (max if rate >= 0 else min)(s for m, s in zip(multiplicity, score, strict=True) if m)
    return [truth.exp(rate * (s - best), m) for m, s in zip(multiplicity, score, strict=True)]


@given(
    st.lists(
        st.tuples(st.integers(0, 2**70), st.integers(-500, 500)), min_size=1, max_size=8
    ).filter(lambda rows: any(m for m, _ in rows)),
    st.fractions(min_value=-3, max_value=3, max_denominator=40),
    st.sampled_from([16, 53, 96, 160, 700]),
)
def test_levels_hold_the_truth(truth, rows, rate, bits):
    multiplicity, score = zip(*rows, strict=True)
    balls = LevelWeights(multiplicity, score, rate).enclose(bits)
    expected = true_levels(truth, multiplicity, score, rate)
    assert len(balls) == len(expected)
    for found, value, times in zip(balls, expected, multiplicity, strict=True):
        assert truth.contains(found, value)
        assert found.is_zero() == (times == 0)


@pytest.mark.parametrize("bits", [96, 200, 4000])
def test_multiplicities_of_a_thousand_bits(truth, bits):
    # the worst score has so many candidates that it is the likeliest level
    multiplicity, score, rate = [1, 2**1024, 3**100], [0, -700, -200], F(1)
    balls = LevelWeights(multiplicity, score, rate).enclose(bits)
    for found, value in zip(balls, true_levels(truth, multiplicity, score, rate), strict=True):
        assert truth.contains(found, value)
    chances = probabilities(LevelWeights(multiplicity, score, rate), bits)
    assert float(chances[1]) > 0.999
    assert sum(chances, arb(0)).contains(1)


@pytest.mark.parametrize("size", [30, 60, 300])
def test_weights_that_cancel_far_below_the_first_precision(size):
    w = exp(F(1, 10**size)) - 1
    fair, sure = ExplicitWeights(w, w), ExplicitWeights(w, w * 0)
    assert all(low <= 2**63 <= high for low, high in fair.thresholds())
    drawn = SeededSource(0)
    assert {drawn.choose(fair) for _ in range(50)} == {0, 1}
    assert {drawn.choose(sure) for _ in range(5)} == {0}
    for chance in probabilities(fair):
        assert chance.contains(arb(1) / 2)
        assert float(chance) == pytest.approx(0.5)
    law = ExactSource().law(lambda source: source.choose(fair))
    assert all(float(p) == pytest.approx(0.5) for p in law.outcomes.values())


def test_scores_beyond_machine_integers():
    high = 2**200
    chances = probabilities(LevelWeights([1, 1, 1], [high, high + 1, -high], F(1)))
    assert float(chances[1] / chances[0]) == pytest.approx(2.718281828459045, rel=1e-15)
    assert chances[2] < F(1, 2**100).numerator / 2**100
    assert not chances[2].is_zero(), "hopeless is not impossible"


def test_rates_of_zero_and_below(truth):
    flat = probabilities(LevelWeights([1, 2, 5], [10**6, -(10**6), 0], F(0)))
    assert [round(float(p), 12) for p in flat] == [0.125, 0.25, 0.625]
    down = LevelWeights([1, 1], [0, 3], F(-1)).enclose(200)
    up = LevelWeights([1, 1], [0, -3], F(1)).enclose(200)
    assert [str(b) for b in down] == [str(b) for b in up]
    assert truth.contains(down[1], truth.exp(-3))


def test_a_million_levels(truth):
    m = 10**6
    levels = LevelWeights([1] * m, range(m), F(1, 1000))
    balls = levels.enclose(96)
    assert len(balls) == m
    assert truth.contains(balls[-1], truth.decimal(1))
    assert truth.contains(balls[-5001], truth.exp(F(-5)))
    with ctx.workprec(96):
        total = sum(balls, arb(0))
    with localcontext(truth.context):  # a geometric sum
        expected = (1 - truth.exp(F(-m, 1000))) / (1 - truth.exp(F(-1, 1000)))
    assert truth.contains(total, expected)
    assert float(total.rad()) < 2.0**-60, "still decides a draw of 64 bits"


def test_few_holds_the_truth_and_caches_its_thresholds(truth):
    coin = ExplicitWeights(exp(F(1, 3)), exp(-70), 5)
    for bits in (16, 64, 1000):
        for found, weight in zip(coin.enclose(bits), coin.weights, strict=True):
            ((q, c),) = weight.terms
            assert truth.contains(found, truth.exp(q, c))
    assert coin.thresholds() is coin.thresholds()
    cumulative = truth.cumulative([truth.exp(F(1, 3)), truth.exp(-70), truth.decimal(5)])
    with localcontext(truth.context):
        for (low, high), c in zip(coin.thresholds(), cumulative, strict=False):
            assert low <= c * 2**64 <= high
            assert high - low <= 1


def test_nearly_cancelled_weights(truth):
    # e - 2.718281828459045 is 2.4e-16: most digits cancel, none of the exactness
    rest = exp(1) - F(2718281828459045, 10**15)
    with localcontext(truth.context):
        value = truth.exp(1) - truth.decimal(F(2718281828459045, 10**15))
        expected = value / (value + truth.decimal(F(1, 10**15)))
    assert truth.contains(probabilities(ExplicitWeights(rest, F(1, 10**15)), 300)[0], expected)


@pytest.mark.parametrize("weights", [(), (0, 0), (1, -1), (exp(1) - 3, 1)])
def test_few_refuses(weights):
    with pytest.raises(ValueError, match="nonnegative"):
        ExplicitWeights(*weights)


@pytest.mark.parametrize(
    ("multiplicity", "score"), [([], []), ([0, 0], [1, 2]), ([1, -1], [1, 2]), ([1], [1, 2])]
)
def test_levels_refuses(multiplicity, score):
    with pytest.raises(ValueError, match=r"nonnegative|one score"):
        LevelWeights(multiplicity, score, F(1))


def test_both_are_weights():
    assert isinstance(ExplicitWeights(1), Weights)
    assert isinstance(LevelWeights([1], [0], F(1)), Weights)
