"""The median depth of a chain: private for every list of ends, and nearly attained."""

from fractions import Fraction as F

import pytest

import littlestone as ls
from littlestone.audit.mechanism import replace_one, verify_mechanism
from littlestone.classes.trees import ROOT
from littlestone.learners.vc1.choosers import ChainMedian, TreeGoal
from littlestone.learners.vc1.learner import public_tree

DELTA = F(1, 50)
MEDIANS = ["exponential", "tree"]


def verified(median, values, n, epsilon, good=2):
    """All lists of n ends, and another one in the place of each; the exponential one is pure."""
    path = public_tree(ls.Thresholds(1, values), straight=True)
    budget = TreeGoal(epsilon, DELTA, F(1, 10), F(1, 20), depth=path.height)
    chooser = ChainMedian(budget, median, good, required=3)

    def run(ends, source):
        return chooser.choose(ends, path, source)

    pairs = replace_one([ROOT, *range(1, values + 1)], n)
    return verify_mechanism(run, pairs, epsilon=epsilon, delta=DELTA if median == "tree" else F(0))


@pytest.mark.first(6)
@pytest.mark.parametrize("good", [1, 2, 3])
@pytest.mark.parametrize("values", [1, 2, 3])
@pytest.mark.parametrize("median", MEDIANS)
def test_every_list_of_ends(median, values, good):
    for n in (1, 2, 3)[: 5 - values]:
        assert verified(median, values, n, F(1), good).holds


@pytest.mark.parametrize("median", MEDIANS)
def test_the_median_costs_all_of_epsilon(median):
    result = verified(median, 1, 4, F(10))
    assert result.holds
    assert result.tightest_epsilon > 0.8 * 10


def test_no_delta_is_left_over():
    """At a small epsilon nothing but bottom pays for the nodes that one end can bring."""
    result = verified("tree", 1, 2, F(1, 100))
    assert result.holds
    assert result.worst_delta > 0.9 * float(DELTA)
