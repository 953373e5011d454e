"""The learner is private on *every* small data set: exact laws, all neighbours, shuffled lists."""

from fractions import Fraction as F
from itertools import product

import pytest

import littlestone as ls
from littlestone.data import OUTSIDE
from littlestone.data.sample import OrderedSample
from littlestone.source import ExactSource

from .small import check, learner

PLANE = list(product((0, 1), repeat=2))
#: The first one lets delta be seen, the second one epsilon: three votes come out behind bottom.
BUDGETS = [{}, {"epsilon": 10, "delta": "1/100"}]
#: Class, points, records, settings.
CASES = {
    "points": (ls.Points(), "ab", 3, {"method": "closures", "chunk": 1, "tolerances": (0,)}),
    "sets": (ls.SparseSets(2), "ab", 3, {"method": "closures", "chunk": 1, "tolerances": (1,)}),
    "flats": (
        ls.theory.AffineSubspaces(2, 2, 1),
        PLANE,
        2,
        {"method": "closures", "chunk": 1, "tolerances": (1,)},
    ),
    "cubes": (
        ls.theory.Conjunctions(1),
        [(0,), (1,)],
        3,
        {"method": "closures", "chunk": 1, "tolerances": (1,)},
    ),
}
#: Two records for each teacher: every ordered list has its own law.
DEALT = {
    "points": (ls.Points(), {"method": "closures", "tolerances": (1,)}),
    "sets": (ls.SparseSets(2), {"method": "closures", "tolerances": (0,)}),
    "cubes": (ls.theory.Conjunctions(1), {"method": "closures", "tolerances": (0,)}),
}


@pytest.mark.first(1)
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_every_data_set(name, budget):
    cls, points, n, options = CASES[name]
    result = check(learner(cls, **budget, **options), list(points), n)
    assert result.holds, result
    assert (result.refusals, result.slack) == (0, 0)
    assert result.datasets == (2 * len(points)) ** n
    if budget:
        assert result.tightest_epsilon > 0.4 * budget["epsilon"]
    else:
        assert result.worst_delta > 0.2 * result.delta


@pytest.mark.first(1)
@pytest.mark.parametrize("name", DEALT)
def test_every_list_that_is_shuffled(name):
    cls, options = DEALT[name]
    points = [(0,), (1,)] if isinstance(cls, ls.theory.Conjunctions) else ["a", "b"]
    result = check(learner(cls, epsilon=2, delta="1/4", chunk=2, **options), points, 3)
    assert result.holds, result
    assert (result.ordered, result.laws, result.refusals) == (True, 64, 0)
    assert result.worst_delta > 0.08 * result.delta


@pytest.mark.full
@pytest.mark.parametrize("name", DEALT)
def test_two_teachers_of_two_records(name):
    cls, options = DEALT[name]
    points = [(0,), (1,)] if isinstance(cls, ls.theory.Conjunctions) else ["a", "b"]
    for budget in BUDGETS:
        result = check(learner(cls, chunk=2, **options, **budget), points, 4)
        assert result.holds, result
        assert (result.ordered, result.laws) == (True, 256)
        assert not budget or result.tightest_epsilon > 0.4 * budget["epsilon"]


def test_the_claim_is_nearly_reached():
    """Listed by one record and not by another; lists may have two: half of delta / (1 + delta)."""
    result = check(learner(ls.Points(), chunk=1, tolerances=(0,), delta="1/100"), ["a", "b"], 1)
    assert result.holds
    assert result.worst_delta > 0.49 * 0.01


def test_records_outside_the_domain():
    for cls in (ls.Points(1, 3), ls.SparseSets(2, 1, 3)):
        result = check(learner(cls, chunk=1, tolerances=(0,)), [1, 3], 2, outside=True)
        assert result.holds, result
        assert result.worst_delta > 0.01 * result.delta


def test_proper_output_is_private_too():
    """A flat in place of the empty set is drawn."""
    flats = learner(
        ls.theory.AffineSubspaces(3, 2, 1), alpha="0.9", beta="0.9", proper=True,
        method="closures", chunk=1, tolerances=(1,),
    )  # fmt: skip
    result = check(flats, [(0, 0), (1, 1)], 2)
    assert result.holds, result
    assert result.refusals == 0
    assert result.worst_delta > 0.1 * result.delta


def test_utility_parameters_do_not_enter_the_guarantee():
    plain = learner(ls.SparseSets(2)).guarantee()
    for options in ({"chunk": 7}, {"tolerances": (5,)}, {"max_nodes": 0}, {"alpha": "0.01"}):
        assert learner(ls.SparseSets(2), **options).guarantee() == plain
    assert (plain.epsilon, plain.delta) == (1, F(1, 20))


def test_a_point_outside_of_everything_is_a_record():
    algorithm = learner(ls.Points(), chunk=1, tolerances=(0,))
    sample = OrderedSample.listed([OUTSIDE, "a"], [1, 0])
    law = ExactSource().law(lambda s: algorithm.draw(sample, s))
    assert len(law.outcomes) == 1  # the constant 0 errs; nothing else is listed: the default
