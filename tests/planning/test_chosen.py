"""What is planned is what is fitted: the same learner, and its error is as small as promised."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import islice

import pytest
from scenarios import scenarios

import littlestone as ls
from littlestone.bounds.tails import lower_limit
from littlestone.learners import registry, select
from littlestone.learners.base import Goal
from littlestone.learners.select import ALL_RECORDS, ONE_RECORD
from littlestone.planning import plan
from littlestone.source import SeededSource, public_generator

from .forms import CLASSES, FORMS, called, planned

ASKED = {"epsilon": 1, "delta": "1e-6", "alpha": "0.2", "beta": "0.1"}
AUTO = [
    ls.Thresholds(1, 2**20),
    ls.Thresholds(1, 2**4096),
    ls.theory.FiniteClass([[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 0]]),
    ls.Points(),
    ls.theory.Conjunctions(5),
]


@pytest.mark.parametrize("concepts", AUTO, ids=str)
@pytest.mark.parametrize("delta", [None, "1e-6"])
def test_auto_takes_exactly_what_is_chosen(concepts, delta):
    asked = {**ASKED, "delta": delta}
    chosen = plan(concepts, **asked).chosen
    taken = select.make("auto", concepts, **asked)
    assert taken == chosen.algorithm
    assert taken.required_samples() == chosen.n
    assert taken.guarantee() == chosen.guarantee


@pytest.mark.more
def test_auto_takes_exactly_what_is_chosen_for_users():
    for m in (1, 4, 16):
        chosen = plan(ls.Thresholds(1, 999), **ASKED, samples_per_user=m).chosen
        taken = select.make("auto", ls.Thresholds(1, 999), **ASKED, samples_per_user=m)
        assert taken == chosen.algorithm
        assert taken.required_samples() == chosen.n


# --- the theorem: at the planned n, an error above alpha has probability at most beta -----------

M = 4
#: Generous, so that what the slowest learners need can be drawn many times.
BUDGET = Goal(F(2), F(1, 10**4), F(3, 10), F(1, 5), samples_per_user=M)
#: One record of each user: the same algorithm on the same records as without users.
ENTIRE = [form for form in FORMS if form[2] != ONE_RECORD]


def records(form, found):
    """Return how many records are drawn for one run."""
    of_users = registry.LEARNERS[form[0]].unit == "users" or form[2] == ALL_RECORDS
    return found.n * (M if of_users else 1)


def able(form, most, start=0):
    """Yield the classes that a form can learn from so many records, beginning with one of them."""
    for concepts in CLASSES[start:] + CLASSES[:start]:
        found = planned(form, concepts, BUDGET)
        if found.n is not None and records(form, found) <= most:
            yield concepts, found


def failures(form, found, scenario, place, runs):
    """Count the runs whose error exceeds alpha at the planned size."""
    failed = 0
    for run in range(runs):
        generator = public_generator(place, run)
        if registry.LEARNERS[form[0]].unit == "users":
            sample = scenario.draw_users(found.n, M, generator)
        else:
            sample = scenario.draw(records(form, found), generator)
        hypothesis = found.algorithm.draw(sample, SeededSource(run))
        failed += scenario.excess(hypothesis) > BUDGET.alpha
    return failed


def refuted(failed, runs, risk=1e-4):
    """Whether a failure probability of at most beta is excluded (Clopper-Pearson)."""
    return lower_limit(failed, runs, risk) > BUDGET.beta


def check(form, classes, work, most_runs):
    """Fit again and again on every distribution of every class: the worst cases, whose one
    decision weighs slightly more than alpha, and the typical ones.
    """
    all_failed = all_runs = 0
    for concepts, found in classes:
        runs = min(most_runs, max(work // records(form, found), 5))
        noise = 0.1 if found.agnostic else 0.0
        for place, scenario in enumerate(scenarios(concepts, BUDGET.alpha, noise=noise)):
            failed = failures(form, found, scenario, place, runs)
            assert not refuted(failed, runs), (form, concepts.spec, scenario.name, failed, runs)
            all_failed, all_runs = all_failed + failed, all_runs + runs
    # if each fails with probability beta at most, then so do all together
    assert all_runs
    assert not refuted(all_failed, all_runs), (form, all_failed, all_runs)


@pytest.mark.first(1)
@pytest.mark.parametrize("form", ENTIRE, ids=called)
def test_fits_at_the_planned_size_meet_alpha(form):
    start = 5 * ENTIRE.index(form) % len(CLASSES)  # other classes for other forms
    check(form, islice(able(form, 40_000, start), 2), 20_000, 25)


@pytest.mark.full
@pytest.mark.parametrize("form", ENTIRE, ids=called)
def test_fits_at_the_planned_size_meet_alpha_often(form):
    check(form, able(form, 250_000), 300_000, 100)


@pytest.mark.more
def test_one_record_of_each_user_is_the_same_algorithm():
    for name, options, reads in FORMS:
        if reads == ONE_RECORD:
            for concepts in CLASSES[:3]:
                users = planned((name, options, reads), concepts, BUDGET)
                plain = planned((name, options, None), concepts, BUDGET)
                assert (users.algorithm, users.n) == (plain.algorithm, plain.n)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("name", "concepts"),
    [
        ("generic", ls.Thresholds(1, 99)),
        ("vc1", ls.Thresholds(1, 99)),
        ("littlestone", ls.SparseSets(2)),
    ],
)
def test_a_third_of_the_planned_records_is_noticed(name, concepts):
    """The power of this test."""
    form = (name, {}, None)
    found = planned(form, concepts, BUDGET)
    fewer = replace(found, n=found.n // 3)
    worst = scenarios(concepts, BUDGET.alpha)[0]
    assert refuted(failures(form, fewer, worst, 0, 100), 100)
    assert not refuted(failures(form, found, worst, 0, 100), 100)
