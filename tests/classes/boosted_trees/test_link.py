"""The link, against a numerical minimiser of the capped loss, and against equal costs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from littlestone.classes.boosted_trees.ensemble import HALF, linked


def capped(odds, cap):
    """Return the loss whose slope is -min(1, sigma(-odds) / cap)."""
    edge = np.log(1 / cap - 1) if cap < 1 else -50.0  # where sigma(-odds) is the cap: then a line
    return np.log1p(np.exp(-max(odds, edge))) / cap + max(edge - odds, 0)


@pytest.mark.parametrize("cap", [HALF, Fraction(3, 4), Fraction(1)])
@pytest.mark.parametrize("share", [0.03, 0.3, 0.62, 0.95])
def test_two_labels_against_a_minimiser(cap, share):
    def loss(odds):
        return share * capped(odds, float(cap)) + (1 - share) * capped(-odds, float(cap))

    odds = minimize_scalar(loss, bounds=(-12, 12), method="bounded", options={"xatol": 1e-9}).x
    one = 1 / (1 + np.exp(-odds))
    assert linked(np.array([[1 - one, one]]), cap)[0, 1] == pytest.approx(share, abs=1e-4)


@pytest.mark.parametrize("labels", [2, 3, 5, 9])
@pytest.mark.parametrize("cap", [HALF, Fraction(1)])
def test_all_answers_cost_alike(labels, cap):
    rng = np.random.default_rng(labels)
    shares = rng.dirichlet(np.full(labels, 0.7), size=300)
    shares[:20] = np.round(shares[:20], 1)  # ties, and labels of no share
    shares /= shares.sum(axis=1, keepdims=True)
    found = linked(shares, cap)
    assert found.min() >= 0
    assert found.sum(axis=1) == pytest.approx(1)
    for q, p in zip(shares, found, strict=True):
        costs = np.minimum(1, (q[None, :] + 1 - q[:, None]) / (2 * float(cap)))  # of label, answer
        np.fill_diagonal(costs, 0)
        assert np.ptp(p @ costs) < 1e-12
        assert (np.diff(p[np.argsort(q, kind="stable")]) >= -1e-12).all()
