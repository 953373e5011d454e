"""Agnostic forms of learners with teachers: private on every small list, exactly.

The settings are tiny, but not idle: a hypothesis other than the default is often released.
"""

from dataclasses import replace
from fractions import Fraction as F

import pytest

import littlestone as ls
from littlestone.data.sample import OrderedSample
from littlestone.learners.agnostic import TwoSample
from littlestone.learners.littlestone import Littlestone
from littlestone.source import ExactSource

ONE = ls.Points(0, 1)
LOOSE = {"delta": "0.9", "alpha": "0.6", "beta": "0.6"}
INNER = {
    "closures": (Littlestone, {"chunk": 1, "tolerances": (0,)}),
}


def agnostic(kind, *, make=TwoSample, epsilon="4", inner="2.5", pool=1, **budget):
    algorithm, options = INNER[kind]
    learner = algorithm(ONE, epsilon=inner, **{**LOOSE, **budget}, **options)
    return make(learner, epsilon=epsilon, learner_epsilon=inner, pool=pool)


@pytest.mark.more
@pytest.mark.parametrize("pool", [1, pytest.param(2, marks=pytest.mark.full)])
@pytest.mark.parametrize("kind", INNER)
def test_private_on_all_lists(kind, pool):
    result = ls.audit.verify(agnostic(kind, pool=pool), points=[0, 1], n_samples=3)
    assert result.holds, result
    assert (result.ordered, result.refusals, result.slack) == (True, 0, 0)


@pytest.mark.full
@pytest.mark.parametrize("pool", [1, 2, 3])
@pytest.mark.parametrize("kind", INNER)
def test_private_on_longer_lists(kind, pool):
    assert ls.audit.verify(agnostic(kind, pool=pool), points=[0, 1], n_samples=4).holds


@pytest.mark.parametrize("kind", INNER)
def test_something_happens(kind):
    """The most likely answer leaves ten percent to others, and follows the labels."""
    algorithm = agnostic(kind)
    released = []
    for points, labels in [([0, 0, 1, 1], [0, 1, 0, 0]), ([0, 1, 1, 1], [0, 1, 1, 1])]:
        sample = OrderedSample.listed(points, labels)
        law = ExactSource().law(lambda s, x=sample: algorithm.draw(x, s).key).outcomes
        released.append({key: float(chance.mid()) for key, chance in law.items()})
    assert min(max(law.values()) for law in released) < 0.9
    assert set(released[0]) == set(released[1])
    assert any(abs(released[0][key] - released[1][key]) > 0.01 for key in released[0])


class Boastful(TwoSample):
    """Promises less loss than it has."""

    def guarantee(self, *, seeded=False):
        return replace(super().guarantee(seeded=seeded), epsilon=F(1, 10), delta=F(1, 100))


@pytest.mark.more
@pytest.mark.first(1)
@pytest.mark.parametrize("kind", INNER)
def test_a_smaller_promise_is_caught(kind):
    boast = agnostic(kind, make=Boastful)
    assert not ls.audit.verify(boast, points=[0, 1], n_samples=3).holds
