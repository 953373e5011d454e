"""Domains beyond 64 bits: what failed, or returned another candidate, and its neighbours."""

from fractions import Fraction

import numpy as np
import pytest

import littlestone as ls
from littlestone.data import UserSample
from littlestone.learners.users.scores import ThresholdErrors
from littlestone.mechanisms import private_median
from littlestone.source import SeededSource

HIGH = 2**64


def test_medians_of_64_bits():
    values = [0, 2**63 - 1, HIGH - 1]
    for seed in range(10):
        found = private_median(
            values, 0, HIGH - 1, epsilon=1, mechanism="exponential", random_state=seed
        )
        assert 0 <= found.value < HIGH


def test_a_median_of_a_column_of_long_integers():
    """NumPy makes floats of integers of several sizes."""
    found = private_median(
        [[2**63], [-5]] * 40, -9, HIGH, epsilon=9, mechanism="exponential", random_state=0
    )
    assert -9 <= found.value <= HIGH


def test_a_user_at_the_end_of_64_bits_is_outside_of_what_lies_behind():
    users = UserSample.of(["a"], np.array([2**63 - 1]), [1])
    assert ThresholdErrors(2**63, HIGH, users).scores(0).scores.tolist() == [1]


@pytest.mark.parametrize("points", [[2**63 - 9, 2**63 + 9], [5, 2**63 + 9]])
def test_thresholds_of_65_bits(points):
    for seed in range(10):
        model = ls.GenericLearner(ls.Thresholds(1, HIGH), epsilon=1, random_state=seed)
        model.fit([[x] for x in points], [1, 0])
        assert 0 <= model.hypothesis_.above <= HIGH


def test_paths_of_66_bits():
    X, y = [[2**64 - 9], [2**64 + 9], [2**65 - 1]] * 9, [0, 1, 1] * 9
    for seed in range(5):
        model = ls.VC1Learner(ls.Thresholds(1, 2**65), epsilon=1, delta=1e-6, random_state=seed)
        assert 0 <= model.fit(X, y).hypothesis_.above <= 2**65


def test_users_of_65_bits():
    users = UserSample.of(["a", "b"], [2**63 - 9, 2**63 + 9], [1, 0])
    errors = ThresholdErrors(1, HIGH, users)
    for seed in range(10):
        drawn = errors.draw(0, Fraction(1), SeededSource(seed))
        assert 0 <= drawn.above <= HIGH
