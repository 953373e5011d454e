"""What the pages certify: the rows of needed.csv, computed again."""

from __future__ import annotations

from fractions import Fraction

import pytest

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.classes import AffineSubspaces
from littlestone.papers import names, needed, page, within_goal

#: What the pages must certify at most.
AIMS = {
    "lwy.algorithm1": 6_200, "lyu.theorem3": 26_500, "lyu.theorem3, d = 2": 250_000,
    "alon.theorem30": 20_000, "yan.algorithm4": 60_000,
}  # fmt: skip


def test_every_learner_has_a_row():
    learners = {page(name).NAME for name in names() if page(name).KIND == "learner"}
    assert learners - {row.name for row in needed()} == {"lyu.algorithm3"}  # of streams
    for row in needed():
        assert row.failures <= 12  # of 200: within beta = 0.1 by Clopper-Pearson
        assert row.simulated < row.certified <= AIMS.get(row.row, row.certified)


@pytest.mark.more
@pytest.mark.parametrize("row", needed(), ids=lambda row: row.row)
def test_certified(row):
    learner = within_goal(row, row.certified_with)
    assert learner.required_samples() == row.certified
    certificate = learner.certificate(row.certified)
    assert certificate.holds
    assert not recheck(certificate.to_dict())


@pytest.mark.more
def test_what_is_inside_corollary_4_pays_no_more_than_delta():
    goal = {"epsilon": 1, "delta": "1e-6", "beta": Fraction(1, 10)}
    learner = ls.papers.Corollary4(AffineSubspaces(3, 2, 1), **goal).to_learner()
    required = learner.required_samples()
    for n in (1, 100, required):
        algorithm = learner.at(n)
        pool, size = algorithm.sizes(n)
        assert size <= algorithm.rate * pool
        assert algorithm.rate * algorithm.inner.guarantee().delta <= Fraction(1, 10**6)
        assert algorithm.guarantee() == learner.guarantee()
    assert (pool, size) == (algorithm.first, algorithm.sizes(2 * n)[1])
    assert pool < required
