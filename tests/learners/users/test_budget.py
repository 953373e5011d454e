"""What the parts of a user-level learner cost adds up to its epsilon, whatever the plan is.

No small data set hurts both parts at once, so each is verified at its own epsilon
(`test_exact_privacy`), and their sum is checked here.
"""

from __future__ import annotations

from fractions import Fraction as F

import pytest

import littlestone as ls
from littlestone.learners import registry
from littlestone.learners.base import feasible
from littlestone.learners.users import UserAgnostic
from littlestone.source import ReplaySource

from .small import users_of

BUDGETS = [(F(1), "0.3", "0.2"), (F(1, 10), "0.1", "0.05"), (F(7), "0.9", "0.5")]


@pytest.mark.first(4)
@pytest.mark.parametrize(("epsilon", "alpha", "beta"), BUDGETS)
@pytest.mark.parametrize("m", [2, 4, 64])
def test_a_window_and_a_choice(m, epsilon, alpha, beta):
    learner = UserAgnostic(
        ls.Thresholds(1, 99), epsilon=epsilon, alpha=alpha, beta=beta, samples_per_user=m,
        method="user-level",
    )  # fmt: skip
    clipped = learner.plan.chosen
    assert clipped.epsilon_search + clipped.epsilon_choice == epsilon
    assert (clipped.epsilon_search == 0) == (len(clipped.starts) == 1)
    # a window and a hypothesis (unless there is one only): a level and a place each
    source = ReplaySource([0] * 100)
    users = users_of([((1, 0), (2, 1)), ((2, 0),)])
    clipped.choose(users, source)
    assert len(source.presented) <= 4


@pytest.mark.first(1)
@pytest.mark.parametrize("m", [1, 4])
def test_group_privacy_over_a_hashed_class_is_certified_at_epsilon_over_m(m):
    """Claim `users.group-privacy.records`: n users with m records are n m single records."""
    asked = {"epsilon": F(1), "alpha": "0.2", "beta": "0.1"}
    learner = UserAgnostic(ls.Points(), method="group-privacy", samples_per_user=m, **asked)
    records = registry.make("agnostic", ls.Points(), **(asked | {"epsilon": F(1, m)}))
    assert learner.required_samples() == -(-records.required_samples() // m)
    assert learner.certificate(learner.required_samples()).holds
    assert not learner.certificate(learner.required_samples() - 1).holds


def test_a_tiny_epsilon_leaves_the_methods_that_can_be_planned():
    learner = ls.UserAgnosticLearner(ls.Thresholds(1, 99), epsilon="1e-300", samples_per_user=3)
    assert feasible(learner).ok
    learner.set_params(method="user-level")
    assert not feasible(learner).ok
