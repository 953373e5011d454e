"""Broken linear models."""

from __future__ import annotations

import math

import numpy as np

from .mutant import mutant, patched

_LINEAR = "learners.linear.learner"
_MOVE = "test_a_replaced_record_moves_a_round_by_at_most_its_bound"
_USER = "test_all_records_of_a_user_move_a_round_by_at_most_its_bound"
_ALONE = "test_a_residual_is_that_of_the_row_alone"
_SHRUNK = "test_long_gradients_are_shrunk_and_others_are_not"


@mutant("wrong sensitivity", f"{_LINEAR}:Rows.residuals", _MOVE)
def features_clipped_and_not_gradients(original, self, at, chances, label):
    """Features are bounded, so a residual of one is thought to be, too: twice the clip of few."""
    found = chances.copy()
    found[label if self.sums > 1 else 0] -= self.fine * (label if self.sums == 1 else 1)
    return found


@mutant("rounding", f"{_LINEAR}:Rows.__init__", _MOVE)
def norms_of_rows_rounded_down(original, self, points, features, square, sums):
    """The largest residual is a quotient by a norm that is rounded down."""
    original(self, points, features, square, sums)
    self.most = math.isqrt(square) // (self.norm - 1)


@mutant("rounding", f"{_LINEAR}:Rows.__init__", _MOVE)
def largest_residuals_rounded_up(original, self, points, features, square, sums):
    """The largest residual is the next integer."""
    original(self, points, features, square, sums)
    self.most += 1


@mutant("rounding", f"{_LINEAR}:shrunk", _SHRUNK, _USER)
def multiples_of_users_rounded_up(original, gradients, square):
    """A user's gradient is scaled by a multiple just above what its norm allows."""
    with patched(f"{_LINEAR}:math", _Up, kind="value"):
        return original(gradients, square)


class _Up:
    def __init__(self, real):
        self.real = real

    def __getattr__(self, name):
        return getattr(self.real, name)

    def isqrt(self, value):
        return self.real.isqrt(value) + 2


@mutant(
    "wrong neighbours",
    f"{_LINEAR}:Settings.variance",
    _MOVE,
    "test_all_rounds_together_are_epsilon",
)
def noise_of_added_and_removed_records(original, self):
    """A replaced record moves the sum twice as far as an added one."""
    return original(self) / 4


@mutant("float rounding", f"{_LINEAR}:Rows.chances", _ALONE)
def scores_by_a_product_over_records(original, self, weights):
    """Doubles added up by a matrix product: the last bit depends on the place in the table."""
    x = np.concatenate(
        [np.full((self.answers.shape[1], 1), self.features.grain)]
        + [table[own] for own, table in zip(self.answers, self.features.tables, strict=True)],
        axis=1,
    ).astype(np.float32)
    with np.errstate(all="ignore"):
        scores = np.nan_to_num(weights.astype(np.float32) @ x.T).astype(float)
        chances = np.rint(self.fine / (1 + np.exp(-scores)) * 2**20) / 2**20
    yield slice(0, x.shape[0]), np.rint(chances * 2**12).astype(np.int64)


@mutant("overflow", f"{_LINEAR}:shrunk", _SHRUNK)
def norms_of_users_that_wrap(original, gradients, square):
    """Squares of 64 bits wrap from 2**32 on, and a huge gradient looks short."""
    squares = (gradients * gradients).sum(axis=1)
    with np.errstate(all="ignore"):
        multiple = np.minimum(1.0, math.sqrt(square) / np.sqrt(np.maximum(squares, 1)))
    return np.trunc(gradients * multiple[:, None]).astype(np.int64)


@mutant("contribution not bounded", f"{_LINEAR}:Users.gradient", _USER)
def records_of_a_user_clipped_one_by_one(original, self, weights):
    """Each record of a user is clipped, their sum is not."""
    with patched(f"{_LINEAR}:shrunk", lambda original, gradients, square: gradients):
        return original(self, weights)


_INFERENCE = "learners.linear.learner"


@mutant(
    "wrong sensitivity",
    f"{_INFERENCE}:largest_moment",
    "test_a_replaced_record_moves_second_moments_by_at_most_their_bound",
)
def moments_as_if_chances_were_known(original, features, fine):
    """p (1 - p) is at most a quarter; here an eighth is taken, as of a rare label."""
    return original(features, fine) // 2


@mutant("budget not counted", f"{_INFERENCE}:Budget.of", "test_all_parts_together_are_epsilon")
def moments_that_are_not_paid_for(original, cls, rho):
    """The second moments come on top of the rounds and the gradient."""
    return original(cls, rho * 5 / 4)
