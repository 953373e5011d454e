"""Clopper-Pearson limits: those of scipy, of closed forms, of the definition."""

import math
import subprocess
import sys
from fractions import Fraction as F
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize

from littlestone.bounds.certificate import least_point
from littlestone.bounds.tails import (
    at_most_all,
    bias_for,
    clopper_pearson,
    lower_limit,
    upper_limit,
)
from littlestone.bounds.tails import at_most_floats as at_most


@pytest.mark.parametrize("trials", [1, 2, 10, 30, 400, 10_000])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_intervals_are_those_of_scipy(trials, confidence):
    for hits in sorted({0, 1, trials // 3, trials // 2, trials - 1, trials}):
        theirs = stats.binomtest(hits, trials).proportion_ci(confidence, "exact")
        assert clopper_pearson(hits, trials, confidence) == pytest.approx(
            (theirs.low, theirs.high), abs=1e-11
        )


def test_published_intervals():
    """Newcombe, Statistics in Medicine 1998, Table I: the exact method, four places."""
    published = {
        (81, 263): (0.2527, 0.3676),
        (15, 148): (0.0578, 0.1617),
        (0, 20): (0.0000, 0.1684),
        (1, 29): (0.0009, 0.1776),
    }
    for (hits, trials), interval in published.items():
        assert tuple(round(end, 4) for end in clopper_pearson(hits, trials)) == interval


@pytest.mark.parametrize("risk", [0.5, 0.05, 1e-6, 1e-30])
def test_ends_have_closed_forms(risk):
    """No hits: (1 - p)**n = risk. Only hits: p**n = risk. For small risks too."""
    n = 12
    assert upper_limit(0, n, risk) == pytest.approx(-math.expm1(math.log(risk) / n), rel=1e-12)
    assert lower_limit(n, n, risk) == pytest.approx(risk ** (1 / n), rel=1e-12)
    assert lower_limit(0, n, risk) == 0
    assert upper_limit(n, n, risk) == 1


def test_limits_solve_their_definition():
    """The binomial tail at the limit is the risk."""
    trials, risk = 50, 0.01
    hits = np.arange(1, trials)
    low, high = lower_limit(hits, trials, risk), upper_limit(hits, trials, risk)
    assert np.allclose(stats.binom.sf(hits - 1, trials, low), risk, rtol=1e-9)
    assert np.allclose(stats.binom.cdf(hits, trials, high), risk, rtol=1e-9)
    assert (np.diff(low) > 0).all()
    assert (np.diff(high) > 0).all()


def test_counts_of_any_size():
    """With many trials the interval is that of the normal law; 3 misses stay 3 misses."""
    n = 2**80
    low, high = clopper_pearson(n // 2, n)
    half = stats.norm.ppf(0.975) / 2**41
    assert low - 0.5 == pytest.approx(-half, rel=1e-3)
    assert high - 0.5 == pytest.approx(half, rel=1e-3)
    missed = upper_limit(3, n, 0.05) * n
    assert missed == pytest.approx(stats.chi2.isf(0.05, 8) / 2, rel=1e-9)  # Poisson limit


def test_importing_it_loads_no_scipy():
    code = "import sys, littlestone.bounds.tails; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# -- floats that searches rely on, against exact sums, the certificates' own lines, and SciPy ------


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
