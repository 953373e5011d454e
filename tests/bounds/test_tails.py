"""Floats that searches rely on, against exact sums, the certificates' own lines, and SciPy."""

from fractions import Fraction as F
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from littlestone.bounds.bound import least_point
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


def test_the_simplex_method_is_scipys():
    def height(x):
        return (x[0] - 2) ** 2 + abs(x[1] + x[0]) + 3 * (x[1] - x[2] / 2) ** 2

    start = [0.0, 1.0, 0.5]
    simplex = [start, *([x + 0.7 * (i == k) for i, x in enumerate(start)] for k in range(3))]
    options = {"maxfev": 180, "initial_simplex": simplex, "xatol": 1e-3}
    theirs = minimize(height, start, method="Nelder-Mead", options=options)
    assert least_point(height, start) == pytest.approx(list(theirs.x), abs=1e-12)
