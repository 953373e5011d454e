"""What 003's and 004's pages certify: the sizes of docs/papers.md, computed again."""

from __future__ import annotations

from fractions import Fraction

import pytest

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.classes import AffineSubspaces

GOAL = {"epsilon": 1, "delta": "1e-6", "beta": Fraction(1, 10)}
TWO = {"k": 259, "chunk": 950, "tolerances": (85, 26, 0), "agreeing": ".65", "share": ".4"}
LEARNERS = {
    "Theorem 3, points": (
        ls.papers.Theorem3(ls.Points(), **GOAL, k=187, chunk=140, tolerances=(11, 0),
                           agreeing=".7", share=".45"),
        26_180,
    ),
    "Theorem 3, d = vc = 2": (ls.papers.Theorem3(ls.SparseSets(2), **GOAL, **TWO), 246_050),
    "M, points": (
        ls.papers.M(ls.Points(), **GOAL, auxiliary=8, assigned=(65, 208), batches=(0, 2),
                    n_prime=2084),
        7_596,
    ),
    "Corollary 4, lines": (ls.papers.Corollary4(AffineSubspaces(7, 20, 1), **GOAL), 235_941),
}  # fmt: skip


@pytest.mark.more
@pytest.mark.parametrize("name", LEARNERS)
def test_certified(name):
    estimator, n = LEARNERS[name]
    certificate = estimator.to_learner().certificate(n)
    assert certificate.holds
    assert not recheck(certificate.to_dict())


@pytest.mark.more
def test_what_is_inside_corollary_4_pays_no_more_than_delta():
    learner = ls.papers.Corollary4(AffineSubspaces(3, 2, 1), **GOAL).to_learner()
    required = learner.required_samples()
    for n in (1, 100, required):
        algorithm = learner.at(n)
        pool, size = algorithm.sizes(n)
        assert size <= algorithm.rate * pool
        assert algorithm.rate * algorithm.inner.guarantee().delta <= Fraction(1, 10**6)
        assert algorithm.guarantee() == learner.guarantee()
    assert (pool, size) == (algorithm.first, algorithm.sizes(2 * n)[1])
    assert pool < required
