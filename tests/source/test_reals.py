"""Exact reals: sign, ring, enclosure, against convergents of e and decimals."""

from __future__ import annotations

from decimal import localcontext
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.source import Exp, as_exp, ball, exp

rationals = st.fractions(min_value=-20, max_value=20, max_denominator=60)
reals = st.dictionaries(rationals, rationals, max_size=4).map(Exp)


def convergents_of_e(count: int):
    """Euler: e = [2; 1, 2, 1, 1, 4, 1, 1, 6, 1, ...]; the even ones lie below e."""
    p, q, p0, q0 = 2, 1, 1, 0
    for i in range(count):
        yield F(p, q)
        a = 2 * (i // 3 + 1) if i % 3 == 1 else 1
        p, q, p0, q0 = a * p + p0, a * q + q0, p, q


def test_signs_at_the_convergents_of_e():
    for i, c in enumerate(convergents_of_e(400)):  # the last has 600 digits
        side = 1 if i % 2 == 0 else -1
        assert (exp(1) - c).sign() == side
        assert (
            c.denominator * exp(5, times=F(1, 3)) - exp(4, times=F(c.numerator, 3))
        ).sign() == side
        assert (exp(-1) - 1 / c).sign() == -side


def test_zero_is_found_algebraically():
    assert (exp(F(1, 2)) * exp(F(1, 2)) - exp(1)).sign() == 0
    assert ((exp(1) + 1) * (exp(1) - 1) - exp(2) + 1) == 0
    assert not ((exp(3) - exp(3)).terms)
    assert repr(exp(1) - exp(1)) == "0"


@pytest.mark.more
@given(reals, reals, reals)
def test_ring(a, b, c):
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) * c == a * c + b * c
    assert (a * b) * c == a * (b * c)
    assert a - b == -(b - a)
    assert (a - a).sign() == 0
    assert (a - b).sign() == -(b - a).sign()
    if a.sign() and b.sign():
        assert (a * b).sign() == a.sign() * b.sign()
    assert hash(a + b) == hash(b + a)


@settings(max_examples=settings.default.max_examples // 2)
@given(reals, st.sampled_from([16, 53, 64, 200, 1000]))
def test_enclosure_holds_the_truth(truth, a, bits):
    with localcontext(truth.context):
        value = sum((truth.exp(q, c) for q, c in a.terms), truth.decimal(0))
        # cancellation: the absolute error is relative to the largest term
        spread = sum((abs(truth.exp(q, c)) for q, c in a.terms), truth.decimal(0))
    assert truth.contains(a.enclose(bits), value, spread)
    certain = abs(value) > spread * truth.tolerance
    assert a.sign() == ((value > 0) - (value < 0) if certain else 0)


def test_an_exact_real_equals_and_hashes_like_the_rational_that_it_is():
    for value in (0, 2, F(3, 7), -5):
        assert as_exp(value) == value
        assert hash(as_exp(value)) == hash(value)
    assert len({as_exp(2), 2, F(2), exp(0, times=2)}) == 1
    assert exp(1) != 2
    assert exp(1) != "e"


def test_numpy_integers_do_not_overflow():
    assert as_exp(np.int64(2**62)) * 4 == 2**64
    assert exp(np.int64(1), times=np.int64(2**62)) * 4 == exp(1, times=2**64)
    assert (exp(np.int32(1)) - 3).sign() == -1


def test_floats_are_refused_with_advice():
    with pytest.raises(TypeError, match=r"Fraction\('0.1'\)"):
        as_exp(0.1)
    with pytest.raises(TypeError):
        exp(1) + 0.5


@pytest.mark.parametrize("value", [0, 1, -7, 2**2000 + 1, F(1, 3), F(-(2**300), 3**200)])
def test_balls_of_rationals(value, truth):
    assert truth.contains(ball(value), truth.decimal(value))
