"""Published attacks on floating-point noise: they break a float control and find nothing in ours.

Precision (Mironov 2012; Haney et al. 2022): the last bits of a noisy double show what the noise was
added to. Reordering (Casacuberta et al. 2022): a sum of doubles depends on their order, so one
record can move it by more than the sensitivity that exact arithmetic has. Our release path draws
integers with exact weights; no float is drawn, and sums are sums of integers.
"""

from __future__ import annotations

import json
import math
import random
from itertools import permutations

import pytest

from littlestone.audit import lower_bound
from littlestone.classes import Thresholds
from littlestone.data import Sample
from littlestone.learners import registry
from littlestone.learners.running import run
from littlestone.mechanisms import private_count
from littlestone.source import ReplaySource, SecureSource

SOURCE = SecureSource()


def float_count(bits):
    """The textbook mechanism: count + Laplace(1), in doubles."""
    noise = -math.log(1 - random.random()) * random.choice((-1, 1))
    return float(sum(bits)) + noise


def our_count(bits):
    estimate = private_count(sum(bits), len(bits), epsilon=1, source=SOURCE, beta=0.05)
    return estimate.value


def fine(value):
    """Whether a released number has digits finer than 2**-53."""
    return not (float(value) * 2**53).is_integer()


def test_precision_attack_breaks_the_float_control():
    bound = lower_bound(float_count, [0], [1], delta=0, trials=20_000, key=fine)
    assert bound > 4  # claimed: 1


@pytest.mark.more
def test_precision_attack_finds_nothing_in_our_count():
    assert lower_bound(our_count, [0], [1], delta=0, trials=4_000, key=fine) == 0
    assert lower_bound(our_count, [0], [1], delta=0, trials=4_000) <= 1
    assert {type(our_count([0, 1])) for _ in range(50)} == {int}


@pytest.mark.more
@pytest.mark.parametrize("name", ["generic", "agnostic"])
def test_precision_attack_finds_nothing_in_a_release(name):
    # All bits of all numbers of the released model, the estimate of its error included.
    learner = registry.make(name, Thresholds(1, 2**60), epsilon=1)
    points = [2**59] * 4

    def released(labels):
        sample = Sample.of(points, labels)
        return run(learner, sample, SOURCE, evaluate="1/2").to_json()

    bound = lower_bound(
        released,
        [0, 0, 1, 1],
        [0, 1, 1, 1],
        delta=0,
        trials=1_000,
        key=lambda text: sum(fine(x) for x in _numbers(text)),
    )
    assert bound <= 2


def _numbers(text):
    def walk(value):
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            return [x for part in value for x in walk(part)]
        return [value] if isinstance(value, float) else []

    return walk(json.loads(text))


#: One large value makes the running sum coarse; what is added after it is rounded away.
ROWS = [2.0**53, *[1.0] * 6]


def test_reordering_moves_a_float_sum_but_no_count_of_ours():
    float_sums = {sum(order) for order in {*permutations(ROWS)}}
    assert max(float_sums) - min(float_sums) > 1  # a single record of size 1 could move it by 1
    points, labels = [5, 3, 5, 9, 1, 3, 7], [1, 0, 1, 1, 0, 0, 1]
    rows = list(zip(points, labels, strict=True))
    learner = registry.make("agnostic", Thresholds(1, 9), epsilon=1)
    shown = set()
    for order in list(permutations(rows))[:: 5040 // 24]:
        sample = Sample.of(*map(list, zip(*order, strict=True)))
        source = ReplaySource([0] * 10)
        learner.draw(sample, source)
        shown.add(repr(source.presented))
    assert len(shown) == 1  # all that the source was shown, whatever the order of the records
