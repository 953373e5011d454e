"""What public parameters decide: constants, certificates, parts."""

from __future__ import annotations

import math
from fractions import Fraction as F

import numpy as np
import pytest
from scipy import stats

from littlestone.bounds import recheck
from littlestone.errors import InfeasibleError, ParameterError
from littlestone.learners.base import Goal
from littlestone.learners.stable.plan import (
    Constants,
    assumed_plan,
    expected,
    least_copies,
    stability,
    theorem_plan,
    threshold,
)

BUDGET = Goal(F(1), F(1, 10**6), F(1, 10), F(1, 20))


def rho(theta, d):
    value = F(1)
    for _ in range(d):
        value = (value**2 - theta) / (2 * (1 - theta))
    return value


def test_theta_is_where_the_recursion_meets_it():
    for d in range(1, 6):
        theta = stability(d)
        assert rho(theta, d) >= theta
        assert rho(theta * F(101, 100), d) < theta * F(101, 100) or d == 1
    assert stability(1) == F(1, 2)
    assert all(stability(d) > F(1, 2**2 ** (d + 2)) for d in range(1, 6)), "the paper's"


def test_expected_batches():
    """E_k = (2 E_(k-1) + 2)/(1 - theta): geometric repetitions of two halves."""
    theta = float(stability(2))
    zero, one, two = expected(2)
    assert (zero, one) == (0, pytest.approx(2 / (1 - theta)))
    assert two == pytest.approx((2 * one + 2) / (1 - theta))


def not_listed(copies, rate, budget):
    """Return Pr[Bin(copies, rate) + Z < tau], by summing both laws."""
    p, tau = math.exp(-float(budget.epsilon) / 2), threshold(budget)
    z = np.arange(-2000, 2000)
    noise = (1 - p) / (1 + p) * p ** np.abs(z)
    return float((noise * stats.binom.cdf(tau - 1 - z, copies, rate)).sum())


def test_copies_are_enough_and_not_many_more():
    for rate, beta in ((0.5, F(1, 20)), (0.05, F(1, 20)), (0.25, F(1, 1000))):
        tilt, copies = least_copies(BUDGET, rate, beta)
        assert 0 < tilt < BUDGET.epsilon / 2
        assert not_listed(copies, rate, BUDGET) <= beta
        assert not_listed(int(0.75 * copies), rate, BUDGET) > beta


@pytest.mark.parametrize("d", [1, 2, 3, 5, 7])
def test_the_theorem_s_plan(d):
    plan = theorem_plan(d, BUDGET)
    certificate = plan.certificate(plan.required)
    assert certificate.holds
    assert certificate.status == "explicit"
    assert recheck(certificate.to_dict()) == ()
    assert not plan.certificate(plan.required - 1).holds
    assert plan.certificate(7 * plan.required).holds
    assert plan.constants.stability is None
    paper = 2.0 ** (2 ** (d + 2) + 1) * 4 ** (d + 1) * math.ceil(2 ** (d + 2) / 0.05)
    assert plan.required < paper, "of a single copy of the paper's G"


def test_published_numbers():
    assert [theorem_plan(d, BUDGET).required for d in (1, 2)] == [36237, 8360463]
    assert assumed_plan(1, BUDGET).required == 7709


def test_parts_use_all_records_once():
    for plan in (theorem_plan(2, BUDGET), assumed_plan(3, BUDGET)):
        sizes = [1, 2, 3, 50, 999, plan.required - 1, plan.required, plan.required + 5, 10**9]
        for n in sizes:
            copies, choice = plan.parts(n)
            own = plan.constants
            used = sum(
                c * (b + 1) * own.auxiliary for c, b in zip(copies, own.batches, strict=True)
            )
            assert used + choice == n
            assert choice >= 0
            assert all(c <= most for c, most in zip(copies, own.copies, strict=True))
            plan.certificate(n)


def test_an_assumption_is_said_and_never_more_than_that():
    plan = assumed_plan(2, BUDGET)
    certificate = plan.certificate(plan.required)
    assert certificate.holds
    assert certificate.status == "conditional"
    assert any("assumed, not proved" in text for text in certificate.assumptions)
    assert not any("assumed" in text for text in theorem_plan(1, BUDGET).certificate(1).assumptions)
    own = Constants(3, (40,), (0,), F(1, 4))  # batches of 3 records prove nothing
    weak = assumed_plan(1, BUDGET, own)
    assert not any(weak.certificate(n).holds for n in (1, 10**3, 10**9))


def test_parameters_of_one_s_own_without_an_assumption():
    found = theorem_plan(1, BUDGET).constants
    own = Constants.read(found.to_dict(), "Test")
    assert own == found
    plan = assumed_plan(1, BUDGET, own)
    assert plan.certificate(plan.required).holds
    assert not any("assumed" in text for text in plan.certificate(1).assumptions)


@pytest.mark.parametrize(
    "given",
    [
        "best", 3, {}, {"auxiliary": 3}, {"auxiliary": 0, "copies": [3]},
        {"auxiliary": 3, "copies": [3, 3, 3]}, {"auxiliary": 3, "copies": "3"},
        {"auxiliary": 3, "copies": [0]}, {"auxiliary": 3, "copies": [3], "batches": [1, 2]},
        {"auxiliary": 3, "copies": [3], "stability": 2}, {"auxiliary": 3, "copies": [3], "more": 1},
    ],
)  # fmt: skip
def test_parameters_are_checked(given):
    with pytest.raises(ParameterError, match="constants"):
        Constants.read(given, "StableLearner").check(1, "StableLearner")


def test_extreme_public_parameters():
    for numbers in (
        ("1e-9", "1e-300", "0.1", "0.05"), (10**6, "0.999", "0.1", "0.05"),
        (1, "1e-390", "1e-6", "1e-90"), ("1/3", "1/3", "0.999", "0.999"),
    ):  # fmt: skip
        budget = Goal(*map(F, numbers))
        for plan in (theorem_plan(2, budget), assumed_plan(1, budget)):
            assert plan.certificate(plan.required).holds
            assert recheck(plan.certificate(plan.required).to_dict()) == ()


def test_dimension_8_is_refused():
    with pytest.raises(InfeasibleError, match="practical") as caught:
        theorem_plan(8, BUDGET)
    assert caught.value.n_needed == 10**40
