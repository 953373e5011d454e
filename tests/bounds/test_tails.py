"""Floats that searches rely on, against exact sums, the certificates' own lines, and SciPy."""

from fractions import Fraction as F
from math import comb, exp

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from littlestone.bounds import agnostic_vc, realizable_vc, uniform
from littlestone.bounds.search import least_integer, least_point
from littlestone.bounds.tails import at_most, at_most_all, bias_for


@given(st.integers(1, 300), st.fractions(F(1, 100), F(99, 100), max_denominator=100), st.data())
def test_binomial_tails(n, p, data):
    k = data.draw(st.integers(0, n - 1))
    exact = sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))
    assert at_most(k, n, float(p)) == pytest.approx(float(exact), rel=1e-11)
    first, chances = at_most_all(n, float(p), 1e-300)
    assert chances[k - first] == pytest.approx(float(exact), rel=1e-10)
    if k < 6 and 1e-9 < exact < 1 - F(1, 10**6):
        assert bias_for(k, n, float(exact)) == pytest.approx(float(p), rel=1e-8)


@pytest.mark.parametrize("vc_dim", [0, 1, 7, 30])
def test_rough_growth_is_that_of_the_certificate(vc_dim):
    case = uniform._Growth(2**5000, vc_dim, F(1, 3), F(1, 10), F(1, 20))
    for n in (250_000, 10**6):
        rough, share = case.rough(n, 500)
        exact = case.certificate(n, F(share), 500)["failure"]
        assert exact == pytest.approx(exp(rough), rel=1e-6)
    assert agnostic_vc(2**5000, vc_dim, epsilon=F(1, 3), alpha=F(1, 10), beta=F(1, 20)).holds


@pytest.mark.parametrize("vc_dim", [0, 1, 7, 300])
def test_rough_sums_are_those_of_the_certificates(vc_dim):
    certify, lines = realizable_vc, uniform.REALIZABLE
    size, numbers = 2**5000, {"epsilon": F(1, 3), "alpha": F(1, 10), "beta": F(1, 20)}
    sums = uniform._Sums(lines, vc_dim, **numbers)
    names = uniform._share_names(lines)
    point = uniform._Point(size, dict.fromkeys(names, F(1, 4)), {})
    for n in (vc_dim + 2, 1000, 10**7):
        exact = sums.certificate(n, point)["excess"]
        assert sums.rough(point)(n) == pytest.approx(exact, rel=1e-9)
    found = certify(size, vc_dim, **numbers)
    assert found.holds
    assert certify(size, vc_dim, **numbers, n=found.n) == found


def test_the_simplex_method_is_scipys():
    def height(x):
        return (x[0] - 2) ** 2 + abs(x[1] + x[0]) + 3 * (x[1] - x[2] / 2) ** 2

    start = [0.0, 1.0, 0.5]
    simplex = [start, *([x + 0.7 * (i == k) for i, x in enumerate(start)] for k in range(3))]
    options = {"maxfev": 180, "initial_simplex": simplex, "xatol": 1e-3}
    theirs = minimize(height, start, method="Nelder-Mead", options=options)
    assert least_point(height, start) == pytest.approx(list(theirs.x), abs=1e-12)


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_least_integers(answer, guess):
    assert least_integer(lambda n: n >= answer, guess) == answer
