"""No plan promises what a lower bound excludes: random numbers, every class, every learner."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import binom

import littlestone as ls
from littlestone.errors import UnsupportedError
from littlestone.learners.base import Goal
from littlestone.planning import plan
from littlestone.planning.plans import lower_bounds

from .forms import CLASSES

PLACES = st.integers(0, 100)
ASKED = st.fixed_dictionaries(
    {
        "epsilon": st.builds(lambda i: F(f"{0.02 * 500 ** (i / 100):.3g}"), PLACES),
        "delta": st.none() | st.builds(lambda i: F(f"{1e-15 * 10 ** (i * 0.14):.3g}"), PLACES),
        "alpha": st.builds(lambda i: F(f"{0.01 * 90 ** (i / 100):.3g}"), PLACES),
        "beta": st.builds(lambda i: F(f"{1e-5 * 9e4 ** (i / 100):.3g}"), PLACES),
        "samples_per_user": st.none() | st.sampled_from([1, 2, 5, 16]),
    }
)
EVERY = [
    *CLASSES,
    ls.Thresholds(1, 2**65536),
    ls.SparseSets(5),
    ls.theory.AffineSubspaces(7, 20, 2),
]


def check(concepts, asked):
    """Compare every bound with every learner of its kind and setting; return how many pairs."""
    try:
        plans = plan(concepts, **asked)
    except UnsupportedError:
        return 0
    compared = 0
    for bound in plans.lower_bounds:
        for found in plans:
            if bound.n is None or (bound.setting == "agnostic" and not found.agnostic):
                continue
            if "pure" in bound.holds_for and found.guarantee.delta:
                continue
            if "proper" in bound.holds_for and found.learner not in ("generic", "agnostic"):
                continue
            assert bound.unit == found.unit
            assert bound.n <= found.n, (concepts.spec, asked, bound.claim, found.learner)
            compared += 1
    for setting, free in plans.non_private.items():
        # bounds that hold without privacy
        for bound in plans.lower_bounds:
            if bound.claim.startswith("lower.vc") and bound.setting == setting:
                assert plans.budget.samples_per_user or bound.n <= free.n, (bound.claim, asked)
    return compared


@pytest.mark.more
@pytest.mark.parametrize("concepts", EVERY, ids=lambda concepts: concepts.spec)
@settings(max_examples=settings.default.max_examples // 20)
@given(ASKED)
def test_no_plan_is_below_a_lower_bound(concepts, asked):
    check(concepts, asked)


@pytest.mark.full
@settings(max_examples=600)
@given(st.sampled_from(EVERY), ASKED)
def test_no_plan_is_below_a_lower_bound_often(concepts, asked):
    check(concepts, asked)


@pytest.mark.more
def test_the_bounds_are_about_something():
    """With usual numbers most learners of a class meet a bound of their kind and setting."""
    asked = {"epsilon": 1, "delta": "1e-6", "alpha": "0.1", "beta": "0.05"}
    *others, subspaces = EVERY
    assert min(check(concepts, asked) for concepts in others) >= 4
    assert check(subspaces, asked) == 2  # too many to list: one learner, and it is realizable


def failure_of_the_best_test(n, alpha, epsilon, delta):
    """The least failure of a private test of the sign of a bias, by a linear program over u_k."""
    law = binom.pmf(np.arange(n + 1), n, (1 + alpha) / 2)
    rows, limits = [], []
    for k in range(n):
        for one, other in ((k, k + 1), (k + 1, k)):
            for sign in (1, -1):  # of the answer 0, and of the answer 1 = 1 - u
                row, limit = np.zeros(n + 1), delta
                row[one], row[other] = sign, -sign * np.exp(epsilon)
                rows.append(row)
                limits.append(limit if sign == 1 else limit + np.exp(epsilon) - 1)
    # the mean of both signs: u_k and 1 - u_{n-k}
    weights = (law - law[::-1]) / 2
    found = linprog(weights, rows, limits, bounds=[(0, 1)] * (n + 1), method="highs")
    return float(found.fun) + 0.5


@pytest.mark.parametrize("delta", [0, 1e-3])
@pytest.mark.parametrize(("alpha", "epsilon"), [(0.1, 1.0), (0.3, 0.5), (0.5, 2.0)])
def test_two_labels_by_a_linear_program(alpha, epsilon, delta):
    for beta in (0.2, 0.35, 0.45):
        goal = Goal(F(str(epsilon)), F(str(delta)), F(str(alpha)), F(str(beta)))
        bound, = (b for b in lower_bounds(ls.Points(), goal, agnostic=True)
                  if b.claim == "lower.two-labels")  # fmt: skip
        if bound.n > 60:
            continue
        assert failure_of_the_best_test(bound.n, alpha, epsilon, delta) <= beta + 1e-7
        if bound.n > 1:
            assert failure_of_the_best_test(bound.n - 1, alpha, epsilon, delta) > beta - 1e-7


@pytest.mark.parametrize(
    ("concepts", "mass", "epsilon", "n"),
    [(ls.Thresholds(1, 10**6), 0.2, "1", 97), (ls.Points(1, 300), 0.1, "1/10", 642)],
)
def test_packing_by_its_definition(concepts, mass, epsilon, n):
    goal = Goal(F(epsilon), F(0), F(1, 10), F(1, 20))
    bound, = (b for b in lower_bounds(concepts, goal, agnostic=True)
              if b.claim == "lower.packing")  # fmt: skip
    assert bound.n == n

    def success(n):
        m = np.arange(n + 1)
        gain = np.minimum(1, np.exp(np.minimum(float(F(epsilon)) * m, 50)) / (concepts.size - 2))
        return float(binom.pmf(m, n, mass) @ gain)

    assert success(n - 1) < 0.95 <= success(n)


def test_plan_says_what_two_labels_need():
    plans = plan(ls.Thresholds(1, 10**6), epsilon=1, alpha="0.1", beta="0.05")
    assert plans.chosen.n <= 860
    assert max(b.n for b in plans.lower_bounds if b.n and b.setting == "agnostic") == 277


@pytest.mark.parametrize("alpha", ["1e-12", "1e-9"])
def test_where_a_walk_is_too_long_a_closed_bound_is_said(alpha):
    """Nothing refuses a plan half-way: the walks of 10**18 records are not summed."""
    plans = ls.plan(ls.Thresholds(1, 99), epsilon=1, alpha=alpha, beta="1e-12")
    known = {bound.claim: bound for bound in plans.lower_bounds if bound.n is not None}
    assert "lower.two-labels" not in known
    assert known["lower.vc.agnostic"].n > 10**15
    assert plans.chosen.n > known["lower.vc.agnostic"].n
