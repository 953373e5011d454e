"""What the parts of a user-level learner cost adds up to its epsilon, whatever the plan is.

A walk has about ten mechanisms, and no small data set hurts all of them at once: its exact
verification would hold for several times the budget. So each part is verified at its own epsilon
(`test_exact_privacy`), and their sum is checked here.
"""

from __future__ import annotations

from fractions import Fraction as F

import pytest

import littlestone as ls
from littlestone.learners import registry
from littlestone.learners.users import UserAgnostic, UserThreshold
from littlestone.learners.users.grid_error import GridMinError
from littlestone.learners.users.min_error import PrivateMinError
from littlestone.learners.users.sweeps import errors_by_user
from littlestone.source import ReplaySource

from .small import bundles, users_of, worst_excess

BUDGETS = [(F(1), "0.3", "0.2"), (F(1, 10), "0.1", "0.05"), (F(7), "0.9", "0.5")]


def cost_of(search):
    """What one search may cost: all comparisons of its way down, or one draw among cells."""
    if isinstance(search, PrivateMinError):
        each = {one.epsilon for one in search.comparisons}
        assert len(each) <= 1
        return search.steps * max(each, default=F(0))
    return search.epsilon


@pytest.mark.parametrize(("epsilon", "alpha", "beta"), BUDGETS)
@pytest.mark.parametrize(("high", "m"), [(2, 1), (99, 16), (2**64, 5)])
def test_a_walk(high, m, epsilon, alpha, beta):
    learner = UserThreshold.of(
        ls.Thresholds(1, high), epsilon=epsilon, alpha=alpha, beta=beta, samples_per_user=m
    )
    walk = learner.plan
    assert len(walk.medians) == walk.steps
    medians = sum(median.epsilon for median in walk.medians)
    choices = walk.steps * 2 * walk.rate  # weights e**(rate * score), a score moves by at most 1
    assert cost_of(walk.search) + medians + choices <= epsilon
    assert cost_of(walk.search) + medians + choices > F(99, 100) * epsilon  # nothing is wasted
    # and no more draws are made than are paid for: one of the search or `steps` comparisons, then
    # a median (a level, a place) and a choice in each step
    source = ReplaySource([0] * 1000)
    learner.learn(users_of([((1, 0), (2, 1)), ((2, 0),)]), source)
    located = walk.search.steps if isinstance(walk.search, PrivateMinError) else 1
    assert len(source.presented) <= located + 3 * walk.steps


@pytest.mark.parametrize(("epsilon", "alpha", "beta"), BUDGETS)
@pytest.mark.parametrize("method", ["user-level", "binary-search"])
@pytest.mark.parametrize("m", [1, 4, 64])
def test_a_search_and_a_choice(m, method, epsilon, alpha, beta):
    learner = UserAgnostic.of(
        ls.Thresholds(1, 99), epsilon=epsilon, alpha=alpha, beta=beta, samples_per_user=m,
        method=method,
    )  # fmt: skip
    way = learner.plan
    assert cost_of(way.search) + way.epsilon <= epsilon
    assert way.epsilon > 0


@pytest.mark.parametrize(("cells", "gap"), [(2, F(1, 4)), (3, F(1, 6)), (4, F(1, 8))])
def test_a_search_on_a_grid_costs_its_epsilon_and_nearly_all_of_it(cells, gap):
    search = GridMinError(2, cells, gap, F(4), F(1, 2))
    concepts = ls.Thresholds(1, 2)

    def run(users, source):
        return search.locate(errors_by_user(concepts, users, 2), users.n_users, source)

    assert worst_excess(run, bundles((1, 2), 2), 2, F(4))[0] <= F(1, 2**100)
    assert worst_excess(run, bundles((1, 2), 2), 2, F(2))[0] > F(1, 10)


@pytest.mark.parametrize("m", [1, 4])
def test_group_privacy_over_a_hashed_class_is_certified_at_epsilon_over_m(m):
    """Claim `users.sum.hashed`: n users with m records are n m single records."""
    asked = {"epsilon": F(1), "alpha": "0.2", "beta": "0.1"}
    learner = UserAgnostic.of(ls.Points(), method="group-privacy", samples_per_user=m, **asked)
    records = registry.make("agnostic", ls.Points(), **(asked | {"epsilon": F(1, m)}))
    assert learner.required_users() == -(-records.required_samples() // m)
    assert learner.certificate(learner.required_users()).holds
    assert not learner.certificate(learner.required_users() - 1).holds
