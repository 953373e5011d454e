"""Domains beyond 64 bits: what failed, or returned another candidate, and its neighbours."""

import numpy as np

from littlestone.data import UserSample
from littlestone.learners.users.scores import ThresholdErrors
from littlestone.mechanisms import private_median

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
