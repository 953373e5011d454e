"""Extreme public parameters: a plan with certificates, or an error that teaches."""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

import littlestone as ls
from littlestone.errors import InfeasibleError
from littlestone.learners.base import feasible
from littlestone.learners.vc1 import VC1

SPLIT = ls.theory.FiniteClass(np.array([[0, 0, 0], [1, 1, 0], [1, 0, 1]]))
WAYS = [
    (ls.Thresholds(0, 2**64 - 1), {"method": "one-shot"}),
    (ls.Thresholds(0, 2**64 - 1), {"method": "median-exponential"}),
    (ls.Thresholds(0, 2**64 - 1), {"method": "median-tree"}),
    (ls.Points(), {}),
    (SPLIT, {"proper": True, "method": "one-shot"}),
]
EPSILONS = ["1e-9", "1e-3", "1", "1e6"]
DELTAS = ["1e-400", "1e-6", "0.9", "0.999"]
ERRORS = [("1e-9", "0.05"), ("0.1", "1e-300"), ("0.1", "1e-400"), ("1e-400", "0.5")]
ERRORS += [("0.999999", "0.999"), ("0.2", "0.999999999999999999999")]
ALL = list(product(EPSILONS, DELTAS, ERRORS))


def ask(cls, options, epsilon, delta, alpha, beta):
    """Plan, and look at certificates on both sides of what is required."""
    numbers = {"epsilon": F(epsilon), "delta": F(delta), "alpha": F(alpha), "beta": F(beta)}
    try:
        algorithm = VC1(cls, **numbers, **options)
        needed = algorithm.required_samples()
    except InfeasibleError:
        return False
    assert algorithm.certificate(needed).holds
    for n in (1, 2, max(needed // 2, 1)):
        assert algorithm.certificate(n).beta == F(beta)
    assert algorithm.guarantee().delta == F(delta)
    return True


@pytest.mark.first(3)
@pytest.mark.parametrize("way", range(len(WAYS)))
def test_every_parameter_is_planned_or_refused(way):
    rng = np.random.default_rng(way)
    cls, options = WAYS[way]
    planned = [
        ask(cls, options, e, d, *errors)
        for e, d, errors in (ALL[i] for i in rng.choice(len(ALL), 7, replace=False).tolist())
    ]
    assert ask(cls, options, "1", "1e-6", "0.1", "0.05") or planned


@pytest.mark.full
@pytest.mark.parametrize("way", range(len(WAYS)))
def test_every_combination_is_planned_or_refused(way):
    cls, options = WAYS[way]
    planned = [ask(cls, options, e, d, *errors) for e, d, errors in ALL]
    assert any(planned)


def test_an_infeasible_plan_says_how_many_records_are_too_few():
    tiny = VC1(ls.Points(), epsilon=F("1e-9"), delta=F(1, 10**6), alpha=F(1, 10), beta=F(1, 20))
    with pytest.raises(InfeasibleError, match="more than 1,000,000 records") as refused:
        tiny.required_samples()
    assert refused.value.n_needed > 10**6


@pytest.mark.parametrize("chunks", [2, 50, 10**4])
def test_more_chunks_than_records_are_not_certified(chunks):
    numbers = {"epsilon": 1, "delta": 1e-6, "alpha": 0.1, "beta": 0.05}
    for cls, options in WAYS:
        algorithm = VC1(cls, **numbers, **options, chunks=chunks)
        for n in (1, 3, chunks - 1):
            assert not algorithm.certificate(n).holds


@pytest.mark.parametrize("epsilon", ["1e-19", "1e-300"])
def test_a_tiny_epsilon_is_not_runnable(epsilon):
    learner = ls.VC1Learner(ls.Thresholds(1, 99), epsilon=epsilon, delta="1e-6")
    assert "too small" in feasible(learner).why
