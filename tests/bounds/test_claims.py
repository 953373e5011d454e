"""Registered claims: what promises privacy assumes nothing about records; inequalities are true."""

from __future__ import annotations

import importlib
import pkgutil
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

import littlestone
from littlestone.bounds import claims
from littlestone.classes import FiniteClass, TableHypothesis
from littlestone.learners.online.state import ExponentialSampler
from littlestone.source import ExactSource, public_generator

#: About records, not about public choices: nothing that a privacy claim may assume.
OF_RECORDS = ("realizable", "oblivious", "independent draw", "one distribution", "common path")


def all_claims():
    for module in pkgutil.walk_packages(littlestone.__path__, "littlestone."):
        if "." in module.name and not module.name.endswith(("__main__", ".fast")):
            importlib.import_module(module.name)
    return claims()


def test_privacy_claims_assume_nothing_about_the_records():
    private = [
        claim
        for claim in all_claims()
        if claim.id.endswith("privacy") or "DP" in claim.statement.replace("DP-ERM", "")
    ]
    assert len(private) >= 20
    for one in private:
        assert not [a for a in one.assumptions if any(word in a for word in OF_RECORDS)], one.id


# --- inequalities, against exact binomial laws -------------------------------------------------

COINS = list(product((1, 2, 5, 30, 200), (0.003, 0.1, 0.4, 0.5), (0.3, 0.05, 1e-6)))


def above(n, r, excess):
    """Pr[mean of n coins of bias r >= r + excess], exactly."""
    return stats.binom.sf(np.ceil(n * (r + excess) - 1e-9) - 1, n, r)


def test_hoeffding_and_bernstein():
    for n, r, beta in COINS:
        log = np.log(1 / beta)
        assert above(n, r, np.sqrt(log / (2 * n))) <= beta
        slack = log / n
        assert above(n, r, slack / 3 + np.sqrt((slack / 3) ** 2 + 2 * r * slack)) <= beta


def test_they_are_not_far_from_the_truth():
    """Half of each deviation is exceeded too often."""
    n, r, beta = 200, 0.4, 1e-6
    log = np.log(1 / beta)
    assert above(n, r, np.sqrt(log / (2 * n)) / 2) > beta
    slack = log / n
    assert above(n, r, (slack / 3 + np.sqrt((slack / 3) ** 2 + 2 * r * slack)) / 2) > beta


def test_an_epoch_of_mistakes_removes_the_weight_that_online_exponential_says():
    """At each mistake a share s of the sampler's law errs: weights of any class, any rate."""
    rng = public_generator(4)
    seen = 0.0
    for _ in range(200):
        size, m, points = (int(rng.integers(low, high)) for low, high in ((2, 9), (1, 7), (2, 5)))
        matrix = np.unique(rng.integers(0, 2, (size, points)), axis=0)
        rate = float(rng.random() * 3)
        x, y = rng.integers(0, points, m), rng.integers(0, 2, m)
        before = rng.random(len(matrix)) ** 3
        wrong = matrix[:, x] != y
        s = float((before @ wrong / before.sum()).min())
        after = before * np.exp(-rate * wrong.sum(axis=1))
        bound = (1 - s * (1 - np.exp(-rate * m))) * before.sum()
        assert after.sum() <= bound * (1 + 1e-12)
        seen = max(seen, after.sum() / bound)
    assert seen > 0.99  # one mistake, for example: then it is an equation


def test_the_sampler_draws_by_these_weights():
    """The law of the code is e**(-rate errors), so the inequality above is about it."""
    concepts, rate = FiniteClass([[0, 0], [0, 1], [1, 1]]), Fraction(1, 2)
    records = [[(0, 0, 1), (1, 1, 1)], [(2, 1, 1)]]  # the concepts err 3, 1 and 0 times
    sampler = ExponentialSampler(concepts, rate)

    def draw(source):
        now = TableHypothesis("00")
        return sampler.draw(records, 1, source, now=now)[0].labels

    law = ExactSource().law(draw)
    weights = {"00": np.exp(-1.5), "01": np.exp(-0.5), "11": 1.0}
    total = sum(weights.values())
    for labels, weight in weights.items():
        assert float(law.outcomes[labels]) == pytest.approx(weight / total, rel=1e-12)
