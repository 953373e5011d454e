"""The exact comparison of two laws, against plain fractions."""

import itertools
import math
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.errors import ParameterError
from littlestone.privacy import Pure, compose, hockey_stick, tightest_epsilon
from littlestone.privacy.guarantee import lower, upper
from littlestone.source import ExactSource, ExplicitWeights, ball, exp

counts = st.lists(st.integers(0, 20), min_size=4, max_size=4).filter(any)


def law(weights):
    with ctx.workprec(256):
        return {i: ball(Fraction(w, sum(weights))) for i, w in enumerate(weights) if w}


def brute_force(p, q, factor):
    """Largest p(E) - factor * q(E) over all events, in fractions."""
    size = len(p)
    a, b = [Fraction(w, sum(p)) for w in p], [Fraction(w, sum(q)) for w in q]
    return max(
        sum(a[i] for i in event) - factor * sum(b[i] for i in event)
        for r in range(size + 1)
        for event in itertools.combinations(range(size), r)
    )


@given(counts, counts)
def test_at_zero_it_is_total_variation_exactly(p, q):
    truth = brute_force(p, q, 1)
    found = hockey_stick(law(p), law(q), 0)
    assert lower(found) <= truth <= upper(found)
    assert upper(found) - lower(found) < Fraction(1, 2**200)


@given(counts, counts, st.fractions(0, 3, max_denominator=100))
def test_encloses_all_events(p, q, epsilon):
    found = hockey_stick(law(p), law(q), epsilon)
    assert float(found) == pytest.approx(float(brute_force(p, q, math.exp(epsilon))), abs=1e-12)


@settings(deadline=None)
@given(counts, counts, st.sampled_from([0, Fraction(1, 1000), Fraction(1, 10), Fraction(1, 2)]))
def test_tightest_epsilon_is_tight(p, q, delta):
    found = tightest_epsilon(law(p), law(q), delta)
    outside = sum(Fraction(w, sum(p)) for w, v in zip(p, q, strict=True) if not v)
    if outside >= delta and outside:  # a tie cannot be decided by balls: refused, which is safe
        assert not found.is_finite()
        return
    high, low = upper(found), lower(found)
    assert 0 <= high - low < Fraction(1, 10**12) * (1 + high)
    assert float(hockey_stick(law(p), law(q), high)) <= delta + 1e-15
    if low > 1e-9:
        assert float(hockey_stick(law(p), law(q), low * Fraction(999, 1000))) > delta


def test_randomized_response_from_the_door():
    """The law that ExactSource computes of a real program; epsilon found is epsilon promised."""
    coin = ExplicitWeights(exp(Fraction(1, 3)), 1)

    def answer(bit, flips):
        return lambda source: tuple(bit ^ source.choose(coin) for _ in range(flips))

    for flips in (1, 3):
        p, q = (ExactSource().law(answer(bit, flips)).outcomes for bit in (0, 1))
        assert float(tightest_epsilon(p, q)) == pytest.approx(flips / 3, abs=1e-12)
        delta = 0.05
        claimed, _ = compose([Pure("1/3")] * flips, delta=delta)
        assert upper(hockey_stick(p, q, claimed)) <= Fraction(1, 20)
        assert float(tightest_epsilon(p, q, delta)) == pytest.approx(float(claimed), abs=1e-9)


def test_wide_balls_stay_safe():
    wide = arb(0.5, 0.01)
    p, q = {0: wide, 1: wide}, {0: wide, 1: wide}
    assert upper(hockey_stick(p, q, 0)) >= Fraction(4, 100)
    assert float(tightest_epsilon(p, q).upper()) >= math.log(0.51 / 0.49)
    assert upper(tightest_epsilon(p, q, 0.001)) > 0


def test_outcomes_that_may_be_impossible():
    maybe = arb(0, 0.001)
    assert not tightest_epsilon({0: arb(1)}, {0: maybe}).is_finite()
    assert float(tightest_epsilon({0: arb(1), 1: maybe}, {0: arb(1), 1: arb(0.5)})) < 1e-8
    assert not tightest_epsilon({0: arb(1)}, {0: maybe}, 0.01).is_finite()
    assert float(tightest_epsilon({0: arb(1)}, {1: arb(1)}, 1)) == 0


def test_refusals():
    with pytest.raises(ParameterError, match="hockey_stick"):
        hockey_stick({}, {}, -1)
    with pytest.raises(ParameterError, match="tightest_epsilon"):
        tightest_epsilon({}, {}, -1)
