"""Numbers in words, against exact arithmetic."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.report.html import amount, beliefs, integer, odds_factor, percent


@given(st.integers(-(2**70), 2**70) | st.integers(-(2**3000), 2**3000))
def test_an_integer_is_exact_or_says_that_it_is_not(value):
    shown = integer(value)
    assert len(shown) < 24
    if shown.startswith("≈ "):
        mantissa, exponent = shown[2:].split("e")
        digits = str(abs(value))
        assert int(exponent) == len(digits) - 1
        assert abs(float(mantissa)) == pytest.approx(int(digits[:6]) / 10**5, abs=0.01)
        assert (value < 0) == mantissa.startswith("-")
    else:
        assert eval(shown.replace(",", "")) == value


@pytest.mark.parametrize("power", [64, 1024, 2**16])
@pytest.mark.parametrize("rest", [-999, -1, 0, 1, 7])
def test_neighbours_of_powers_are_exact(power, rest):
    shown = integer(2**power + rest)
    assert eval(shown) == 2**power + rest


def test_an_integer_beyond_pythons_digit_limit():
    assert integer(3**20_000) == "≈ 2.66e9542"


@given(st.fractions(Fraction(1, 100), 12))
def test_odds_factor_is_rounded_up(epsilon):
    assert float(odds_factor(epsilon)) >= math.exp(epsilon) * (1 - 1e-12)
    assert float(odds_factor(epsilon)) <= math.exp(epsilon) * 1.1


@given(st.fractions(Fraction(1, 1000), 40))
def test_beliefs_are_rounded_outward(epsilon):
    factor = math.exp(epsilon)
    for belief, before in zip(beliefs(epsilon), (0.01, 0.1, 0.5, 0.9), strict=True):
        odds = before / (1 - before)
        least, most = odds / factor / (1 + odds / factor), odds * factor / (1 + odds * factor)
        if "than" not in belief.least:
            assert float(belief.least[:-1]) / 100 <= least + 1e-12
        if "than" not in belief.most:
            assert float(belief.most[:-1]) / 100 >= most - 1e-12


def test_beliefs_at_extreme_epsilons():
    assert beliefs(Fraction(10**6))[0].most == "more than 99.99%"
    assert beliefs(Fraction(10**6))[3].least == "less than 0.01%"
    assert beliefs(Fraction(1, 10**300))[2].most == "50%"


def test_percent_is_never_rounded_to_certainty():
    assert percent(0) == "0%"
    assert percent(1) == "100%"
    assert percent(0.999999) == "more than 99.99%"
    assert percent(0.0051) == "0.51%"


def test_amounts():
    assert amount(Fraction(1, 3)) == "0.333333"
    assert amount(Fraction(6, 3)) == "2"
    assert amount(float("inf")) == "∞"
    assert amount("1.5e400") == "1.5e400"
    assert amount([True, 2]) == "yes, 2"
