"""The attack of paper 004, Section 4: too accurate learners are found out, private ones are not."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from littlestone.classes import ThresholdHypothesis, Thresholds
from littlestone.errors import ParameterError
from littlestone.learners import registry
from littlestone.source import SecureSource

SCRIPT = Path(__file__).parents[2] / "examples" / "attack" / "attack.py"
spec = importlib.util.spec_from_file_location("attack", SCRIPT)
attack = sys.modules["attack"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(attack)

DOMAIN = 2**30
CLASS = Thresholds(1, DOMAIN)
SOURCE = SecureSource()


def below_smallest_positive(sample):
    """Not private: a consistent threshold, right at a record."""
    return threshold(int(sample.points[sample.ones > 0].min()) - 1)


def threshold(u):
    return ThresholdHypothesis(u, 1, DOMAIN)


def private(epsilon):
    learner = registry.make("generic", CLASS, epsilon=epsilon)
    return lambda sample: learner.draw(sample, SOURCE)


EVEN = range(1, DOMAIN, DOMAIN // 1024)


@pytest.fixture(scope="module")
def exposed():
    return attack.homogeneous_set(below_smallest_positive, EVEN, n_samples=6, runs=1, subsets=16)


def test_a_deterministic_learner_is_homogeneous_everywhere(exposed):
    assert exposed.points == tuple(EVEN)
    assert exposed.p == (0, 0, 0, 0, 1, 1, 1)
    assert exposed.deviation == 0
    assert exposed.gap >= 1 / (4 * 6)  # Claim 22
    assert exposed.jump == 4


def test_the_family_moves_one_record(exposed):
    samples = exposed.family()
    assert len(samples) == len(EVEN) - 5  # every place between the others
    assert len(set(samples[0]) & set(samples[-1])) == 5
    for sample in samples:
        assert [y for _, y in sample] == [0, 0, 0, 1, 1, 1]


def test_the_record_is_found_and_epsilon_grows_with_the_domain(exposed):
    result = attack.identify(below_smallest_positive, exposed, delta=0, trials=200)
    assert result.found == 200
    assert result.places == len(exposed.family()) // 2 + len(exposed.family()) % 2
    assert result.epsilon > 0.9 * math.log(result.places)
    smaller = attack.homogeneous_set(
        below_smallest_positive, EVEN[::16], n_samples=6, runs=1, subsets=16
    )
    less = attack.identify(below_smallest_positive, smaller, delta=0, trials=200)
    assert less.epsilon < result.epsilon - 2


def test_a_loud_learner_is_found_out_on_points_of_many_scales():
    # Among points whose gaps grow, a threshold drawn from a gap is near its upper end: the
    # exponential mechanism is homogeneous there, and with a large epsilon it shows a record.
    learner = registry.make("generic", Thresholds(1, 2**256), epsilon=300)  # say that it claims 1
    points = [2 ** (4 * k) for k in range(1, 41)]
    loud = lambda sample: learner.draw(sample, SOURCE)  # noqa: E731
    found = attack.homogeneous_set(loud, points, n_samples=6, runs=10, subsets=8, tolerance=0.3)
    assert len(found.points) >= 32  # sampling may cost a point or two
    result = attack.identify(loud, found, delta=0, trials=200)
    assert 2 < result.epsilon <= 300


@pytest.mark.parametrize("copies", [1, pytest.param(5, marks=pytest.mark.more)])
def test_a_private_learner_is_never_over_its_claim(copies):
    quiet = private(1)
    found = attack.homogeneous_set(
        quiet, EVEN[::64], n_samples=6, runs=20, subsets=4, tolerance=1.0
    )
    result = attack.identify(quiet, found, delta=0, trials=150, copies=copies)
    assert result.epsilon <= 1


@pytest.mark.parametrize("as_record", [True, False])
def test_points_that_break_homogeneity_are_dropped(as_record):
    class Odd:
        def __init__(self, honest):
            self.honest = honest

        def predict(self, points):
            return np.where(
                points == 251, 1 - self.honest.predict(points), self.honest.predict(points)
            )

    def moody(sample):  # treats one point, or one record, differently
        honest = below_smallest_positive(sample)
        if not as_record:
            return Odd(honest)
        return threshold(100) if 251 in sample.points.tolist() else honest

    found = attack.homogeneous_set(
        moody, range(101, 401, 10), n_samples=4, runs=1, subsets=60, tolerance=0.01
    )
    assert found.deviation == 0
    assert len(found.points) >= 25
    assert 251 not in found.points


def test_delta_is_taken_off(exposed):
    certain = attack.identify(below_smallest_positive, exposed, delta=0, trials=40)
    with_delta = attack.identify(below_smallest_positive, exposed, delta=0.5, trials=40)
    assert 0 < with_delta.epsilon < certain.epsilon
    assert attack.identify(below_smallest_positive, exposed, delta=0.99, trials=40).epsilon == 0


@pytest.mark.parametrize(
    "wrong",
    [{"n_samples": 3}, {"n_samples": 0}, {"runs": 0}, {"subsets": 0}, {"n_samples": 2000}],
)
def test_bad_parameters_are_refused(wrong):
    with pytest.raises(ParameterError):
        attack.homogeneous_set(
            below_smallest_positive, EVEN, **{"n_samples": 4, "runs": 1, **wrong}
        )
