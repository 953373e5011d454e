"""Algorithm 2's two steps share one budget: each at its own part, nearly attained, and the sum.

The whole is verified in `test_exact_privacy`; but a median and a choice seldom hurt on the same
data, so a choice that spends everything once more would not show there.
"""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from littlestone.audit.mechanism import replace_one, verify_mechanism
from littlestone.classes.trees import MatrixTree
from littlestone.learners.vc1.choosers import TreeGoal, TwoStep

#: Three concepts beside the root, all of depth 1.
STAR = MatrixTree([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], f=0)


class AtDepthOne(TwoStep):
    """The median is given: what is left is the choice."""

    def _median(self, depths, source):
        return 1


def two_step(median, share, *, make=TwoStep, straight=False, epsilon=F(20), delta=F(1, 50)):
    budget = TreeGoal(epsilon, delta, F(1, 10), F(1, 20), depth=STAR.height)
    return make(budget, median, 2, 1, share, 3, straight)


@pytest.mark.parametrize("straight", [False, True])
@pytest.mark.parametrize("share", [F(1, 4), F(1, 2), F(9, 10)])
@pytest.mark.parametrize("median", ["exponential", "tree"])
def test_the_parts_add_up(median, share, straight):
    one = two_step(median, share, straight=straight)
    assert all(part > 0 for part in one.epsilons)
    assert sum(one.epsilons) == one.budget.epsilon
    assert all(part >= 0 for part in one.deltas)
    assert sum(one.deltas) == (0 if straight and median == "exponential" else one.budget.delta)


@pytest.mark.first(1)
@pytest.mark.parametrize("median", ["exponential", "tree"])
def test_the_choice_costs_its_part(median):
    chooser = two_step(median, F(1, 2), make=AtDepthOne)
    epsilon, delta = F(10), F(1, 50) if median == "exponential" else F(1, 100)

    def run(ends, source):
        return chooser.choose(ends, STAR, source)

    ends = [0, 1, 2]
    result = verify_mechanism(run, replace_one(ends, 4), epsilon=epsilon, delta=delta)
    assert result.holds
    assert result.tightest_epsilon > 0.8 * epsilon


@pytest.mark.parametrize("median", ["exponential", "tree"])
def test_the_median_costs_its_part(median):
    chooser = two_step(median, F(1, 2))
    epsilon, delta = F(10), F(0) if median == "exponential" else F(1, 100)

    def run(depths, source):
        return chooser._median(depths, source)

    result = verify_mechanism(run, replace_one([0, 1], 4), epsilon=epsilon, delta=delta)
    assert result.holds
    assert result.tightest_epsilon > 0.5 * epsilon
