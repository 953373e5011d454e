"""n never grows with what is allowed: every learner of the registry, on a few small classes."""

from dataclasses import replace
from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.learners import registry
from littlestone.learners.comparison import Budget, Candidate, again

CLASSES = [
    ls.Thresholds(1, 2**20),
    ls.FiniteClass([[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 0]]),
    ls.Points(),
    ls.SparseSets(2),
]
MIDDLE = Budget(F(1), F(1, 10**6), F(1, 10), F(1, 20), samples_per_user=4)
#: Least value of the pair, and the largest.
RANGES = {
    "epsilon": (F(1, 10), F(4)),
    "delta": (F(1, 10**12), F(1, 100)),
    "alpha": (F(1, 30), F(9, 20)),
    "beta": (F(1, 1000), F(9, 20)),
}


def needed(name, concepts, budget):
    """What one learner asks for, or None if it refuses."""
    entry = registry.LEARNERS[name]
    return again(Candidate(name, entry.agnostic), concepts, budget).n


def check(name, concepts, what, place, factor):
    """What is certified for less stays certified for more, and needs no more records."""
    low, high = RANGES[what]
    less = low * F(float(high / low) ** (place / 100)).limit_denominator(10**6)
    more = min(less * factor, 2 * high)
    first = needed(name, concepts, replace(MIDDLE, **{what: less}))
    second = needed(name, concepts, replace(MIDDLE, **{what: more}))
    if first is not None:
        assert second is not None, (name, concepts.spec, what, less, more)
        assert second <= first, (name, concepts.spec, what, less, more, first, second)


CASES = (
    st.sampled_from(registry.names()),
    st.sampled_from(CLASSES),
    st.sampled_from(sorted(RANGES)),
    st.integers(0, 99),
    st.fractions(F(101, 100), F(3), max_denominator=100),
)


@settings(max_examples=10, deadline=None)
@given(*CASES)
def test_no_learner_needs_more_for_less(name, concepts, what, place, factor):
    check(name, concepts, what, place, factor)


@pytest.mark.full
@settings(max_examples=600, deadline=None)
@given(*CASES)
def test_no_learner_needs_more_for_less_often(name, concepts, what, place, factor):
    check(name, concepts, what, place, factor)


def test_each_learner_suits_one_of_these_classes():
    """So the tests above are about all of them."""
    easy = Budget(F(4), F(1, 100), F(9, 20), F(9, 20), samples_per_user=4)
    for name in registry.names():
        assert any(needed(name, concepts, easy) for concepts in CLASSES), name
