"""No plan promises what a lower bound excludes: random numbers, every class, every learner."""

from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.errors import UnsupportedError
from littlestone.planning import plan

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
            assert bound.unit == found.unit
            assert bound.n <= found.n, (concepts.spec, asked, bound.claim, found.learner)
            compared += 1
    for setting, free in plans.non_private.items():
        # bounds that hold without privacy
        for bound in plans.lower_bounds:
            if bound.claim.startswith("lower.vc") and bound.setting == setting:
                assert plans.budget.samples_per_user or bound.n <= free.n, (bound.claim, asked)
    return compared


@pytest.mark.first(2)
@pytest.mark.parametrize("concepts", EVERY, ids=lambda concepts: concepts.spec)
@settings(max_examples=settings.default.max_examples // 30)
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
    for concepts in EVERY:
        assert check(concepts, {"epsilon": 1, "delta": "1e-6", "alpha": "0.1", "beta": "0.05"}) >= 4
