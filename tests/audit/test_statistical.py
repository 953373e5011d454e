"""The statistical audit: right on mechanisms whose epsilon is known."""

from __future__ import annotations

import math
import pickle
import random

import numpy as np
import pytest

from littlestone.audit import lower_bound
from littlestone.classes import FiniteClass, Thresholds
from littlestone.data import Sample
from littlestone.errors import ParameterError
from littlestone.learners import registry
from littlestone.mechanisms import exponential_mechanism
from littlestone.source import Explicit, SecureSource

SOURCE = SecureSource()


def selection(epsilon):
    return lambda scores: exponential_mechanism(
        Explicit(np.array(scores)), epsilon=epsilon, source=SOURCE
    )


#: One candidate gains what nine others lose: near the worst that a record can do.
UP, DOWN = [1] + [0] * 9, [0] + [1] * 9


def true_epsilon(epsilon):
    gain = math.exp(epsilon / 2)
    return math.log((gain / (gain + 9)) / (1 / (1 + 9 * gain)))


@pytest.mark.more
def test_finds_four_fifths_of_the_exponential_mechanism():
    bound = lower_bound(selection(2), UP, DOWN, delta=0, trials=24_000)
    assert 0.8 * true_epsilon(2) <= bound <= true_epsilon(2)


@pytest.mark.full
@pytest.mark.parametrize(("epsilon", "trials"), [(0.5, 600_000), (1, 150_000), (4, 40_000)])
def test_finds_four_fifths_at_every_epsilon(epsilon, trials):
    bound = lower_bound(selection(epsilon), UP, DOWN, delta=0, trials=trials, workers=2)
    assert 0.8 * true_epsilon(epsilon) <= bound <= true_epsilon(epsilon)


@pytest.mark.more
def test_never_exceeds_the_claim_in_fifty_audits():
    mechanism = selection(3)
    bounds = [lower_bound(mechanism, UP, DOWN, delta=0, trials=600) for _ in range(50)]
    assert max(bounds) <= true_epsilon(3)
    assert sum(bounds) / 50 > 0.5  # and they are not trivial


@pytest.mark.more
@pytest.mark.parametrize(
    ("name", "concepts", "pair"),
    [
        ("generic", Thresholds(1, 2**40), ([2**39] * 8, [[1] * 8, [1] * 7 + [0]])),
        ("agnostic", Thresholds(1, 2**40), ([2**39] * 8, [[1] * 4 + [0] * 4, [1] * 3 + [0] * 5])),
        ("generic", FiniteClass([[0, 0], [0, 1], [1, 1]]), ([0, 1, 1], [[0, 0, 1], [0, 1, 1]])),
    ],
)
def test_learners_stay_under_their_claim(name, concepts, pair):
    learner = registry.make(name, concepts, epsilon=1)
    points, labels = pair
    data, neighbour = (Sample.of(points, y) for y in labels)
    bound = lower_bound(
        lambda sample: learner.draw(sample, SOURCE).key, data, neighbour, delta=0, trials=2_000
    )
    assert bound <= 1


@pytest.mark.more
def test_exposes_half_the_noise():
    bound = lower_bound(selection(2), UP, DOWN, delta=0, trials=8_000)
    assert bound > 1  # claimed: 1


def test_delta_is_taken_off():
    def leaky(bit):  # shows the bit one time in ten, else nothing
        return bit if random.random() < 0.1 else None

    assert lower_bound(leaky, 0, 1, delta=0.11, trials=8_000) == 0
    assert lower_bound(leaky, 0, 1, delta=0, trials=8_000) > 3


def test_real_outputs_are_cut_at_quantiles():
    def laplace(value):  # on a grid: the last bits of floats say more
        return round(value + random.expovariate(1) - random.expovariate(1), 3)

    bound = lower_bound(laplace, 0, 1, delta=0, trials=40_000)
    assert 0.8 <= bound <= 1
    assert bound.event.startswith("output in [")


def test_a_refusal_is_an_output():
    def picky(value):
        if value:
            raise ValueError("odd")
        return 0

    bound = lower_bound(picky, 0, 1, delta=0, trials=400)
    assert bound > 2


def test_direction_and_evidence():
    bound = lower_bound(lambda x: bool(x) and random.random() < 0.5, 0, 1, delta=0, trials=800)
    assert bound.swapped  # only the second side ever says True
    assert bound.hits[1] == 0
    assert bound.measured == 600
    assert pickle.loads(pickle.dumps(bound)).to_dict() == bound.to_dict()


def test_workers_do_not_repeat_one_another():
    # If two processes repeated each other, outputs would come in equal numbers.
    seen = []
    bound = lower_bound(
        lambda _: (np.random.random(), random.random()),  # noqa: NPY002
        0,
        1,
        delta=0,
        trials=4_000,
        key=lambda pair: pair[0] < 0.5 and pair[1] < 0.5,
        workers=2,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert bound < 0.3
    assert seen[-1] == (8_000, 8_000)


@pytest.mark.parametrize(
    "wrong",
    [
        {"delta": 1.5},
        {"delta": 0, "trials": 3},
        {"delta": 0, "confidence": 1},
        {"delta": 0, "workers": 0},
        {"delta": 0, "key": 3},
    ],
)
def test_bad_parameters_are_refused_before_anything_runs(wrong):
    def never(_):
        raise AssertionError

    with pytest.raises(ParameterError):
        lower_bound(never, 0, 1, **{"trials": 100, **wrong})
