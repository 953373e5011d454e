"""The learner is private on *every* small data set: exact laws, all neighbours, shuffled lists."""

from fractions import Fraction as F
from itertools import combinations_with_replacement, product

import pytest

import littlestone as ls
from littlestone.data import OUTSIDE
from littlestone.data.sample import OrderedSample
from littlestone.privacy import hockey_stick
from littlestone.privacy.guarantee import upper
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


@pytest.mark.first(4)
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


@pytest.mark.first(2)
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


def stage_laws(algorithm, n, points, cut):
    """Laws of all data sets over two points; the offset of a threshold has many values."""
    laws = {}
    for data in combinations_with_replacement(list(product(points, (0, 1))), n):
        sample = OrderedSample.listed([x for x, _ in data], [y for _, y in data])
        source = ExactSource(cut=cut, follow=0)
        laws[data] = source.law(lambda s, d=sample: algorithm.draw(d, s))
    return laws


def worst_stage(algorithm, n, points=("a", "b"), cut=F(1, 2**18)):
    laws = stage_laws(algorithm, n, points, cut)
    worst = F(0)
    for one, other in product(laws, repeat=2):
        left, right = list(one), list(other)
        for record in one:
            if record in right:
                left.remove(record)
                right.remove(record)
        if len(left) <= 1:
            p, q = laws[one], laws[other]
            found = upper(hockey_stick(p.outcomes, q.outcomes, algorithm.epsilon))
            worst = max(worst, found + upper(p.slack))
    return worst


@pytest.mark.more
def test_stages():
    algorithm = learner(
        ls.Points(), epsilon=6, delta="1/4", method="stages", chunk=1, tolerances=(1, 0)
    )
    assert worst_stage(algorithm, 2) <= F(1, 4)
    assert algorithm.guarantee().claim == "littlestone.stages.privacy"


@pytest.mark.first(1)
@pytest.mark.parametrize("epsilon", ["1/10", "1", "20"])
def test_the_test_and_the_draw_of_stages_share_one_budget(epsilon):
    """No two records hurt both in a small data set: the sum would not be missed there."""
    for cls in (ls.Points(), ls.SparseSets(2)):
        plan = learner(cls, epsilon=epsilon, method="stages").plan.settings
        assert plan.test.epsilon + plan.draw_epsilon == F(epsilon)
        assert min(plan.test.epsilon, plan.draw_epsilon) > 0
        assert (plan.test.limit, plan.test.delta, plan.test.changes) == (1, 0, "any")


@pytest.mark.full
def test_stages_of_three_records_and_of_small_epsilon():
    for epsilon, delta, n in ((6, "1/20", 3), (1, "1/4", 2)):
        algorithm = learner(
            ls.Points(), epsilon=epsilon, delta=delta, method="stages", chunk=1, tolerances=(1, 0)
        )
        assert worst_stage(algorithm, n) <= F(delta)


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
