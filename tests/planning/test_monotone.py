"""n never grows with what is allowed: every learner in every form, on classes of every kind.

An example is a chain: one number grows from step to step, the others stay as they were drawn. What
is certified stays certified, and needs no more records (or users) than before.
"""

from dataclasses import replace
from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.learners import registry
from littlestone.learners.base import Goal
from littlestone.learners.online.algorithm import mistake_bound
from littlestone.learners.online.plan import plan_online

from .forms import CLASSES, FORMS, called, planned

#: Least and largest value.
RANGES = {
    "epsilon": (F(1, 50), F(8)),
    "delta": (F(1, 10**15), F(1, 20)),
    "alpha": (F(1, 50), F(9, 10)),
    "beta": (F(1, 10**4), F(9, 10)),
}
PLACES = st.integers(0, 100)
CHAINS = st.tuples(
    st.sampled_from(CLASSES),
    st.sampled_from(sorted(RANGES)),
    st.fixed_dictionaries(dict.fromkeys(RANGES, PLACES)),
    st.sampled_from([1, 2, 16]),
    st.lists(PLACES, min_size=2, max_size=3, unique=True).map(sorted),
)


def at(what, place):
    """Return a value of a range, on a logarithmic scale."""
    low, high = RANGES[what]
    return F(f"{float(low * F(float(high / low) ** (place / 100))):.4g}")


def check(form, chain):
    concepts, what, places, m, steps = chain
    budget = Goal(*(at(name, places[name]) for name in RANGES), samples_per_user=m)
    before = None
    for step in steps:
        n = planned(form, concepts, replace(budget, **{what: at(what, step)})).n
        if before is not None:
            assert n is not None, (form, concepts.spec, what, step)
            assert n <= before, (form, concepts.spec, what, step, before, n)
        before = before if n is None else n


@pytest.mark.first(3)
@pytest.mark.parametrize("form", FORMS, ids=called)
@settings(max_examples=settings.default.max_examples // 20)
@given(CHAINS)
def test_no_learner_needs_more_for_less(form, chain):
    check(form, chain)


@pytest.mark.full
@settings(max_examples=600)
@given(st.sampled_from(FORMS), CHAINS)
def test_no_learner_needs_more_for_less_often(form, chain):
    check(form, chain)


@pytest.mark.more
def test_each_form_suits_some_of_these_classes():
    """So the tests above are about all of them."""
    easy = Goal(F(4), F(1, 100), F(9, 20), F(9, 20), samples_per_user=4)
    for form in FORMS:
        assert any(planned(form, concepts, easy).n is not None for concepts in CLASSES), form
    certified = {name for name, entry in registry.LEARNERS.items() if entry.certified}
    assert {form[0] for form in FORMS} == certified
    assert set(registry.names()) - certified == {"boosting", "values", "linear"}


STREAMS = st.tuples(
    st.sampled_from(
        [ls.Thresholds(1, 99), ls.Points(), ls.theory.FiniteClass([[0, 0], [0, 1], [1, 1]])]
    ),
    st.sampled_from(["epsilon", "delta", "beta"]),
    st.fixed_dictionaries(dict.fromkeys(["epsilon", "delta", "beta"], PLACES)),
    st.integers(4, 9),
    st.lists(PLACES, min_size=2, max_size=3, unique=True).map(sorted),
)


@settings(max_examples=settings.default.max_examples // 20)
@given(STREAMS)
def test_streams_are_promised_no_more_mistakes_for_more_budget(stream):
    concepts, what, places, digits, steps = stream
    before = None
    for step in steps:
        budget = {name: at(name, place) for name, place in {**places, what: step}.items()}
        plan = plan_online(concepts, **budget, horizon=10**digits, constants="theory")
        mistakes = mistake_bound(plan, concepts).mistakes
        assert before is None or mistakes <= before, (concepts.spec, what, step, before, mistakes)
        before = mistakes
