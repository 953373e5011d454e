"""What the exponential learners state in zCDP, against exact Rényi divergences."""

from __future__ import annotations

import math
from fractions import Fraction as F
from itertools import product

import pytest

import littlestone as ls
from littlestone.data.sample import OrderedSample
from littlestone.learners import registry
from littlestone.source import ExactSource


@pytest.mark.parametrize("epsilon", [F(1, 2), F(3)])
def test_the_stated_rho_holds_at_every_order_and_is_nearly_attained(epsilon):
    learner = registry.make("agnostic", ls.Thresholds(1, 1), epsilon=epsilon)
    rho, worst, laws = float(learner.zcdp.rho), 0.0, {}
    for labels in product((0, 1), repeat=3):
        sample = OrderedSample.listed([1, 1, 1], list(labels))
        law = ExactSource().law(lambda s, x=sample: learner.draw(x, s).key).outcomes
        laws[labels] = {key: float(p) for key, p in law.items()}
    for one, other in product(laws, repeat=2):
        if sum(a != b for a, b in zip(one, other, strict=True)) == 1:
            p, q = laws[one], laws[other]
            for order in (1.01, 1.5, 2, 8, 50):
                moment = sum(p[key] ** order * q[key] ** (1 - order) for key in p)
                worst = max(worst, math.log(moment) / (order - 1) / order)
    assert 0.8 * rho < worst <= rho * (1 + 1e-9)
