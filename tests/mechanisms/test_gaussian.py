"""The discrete Gaussian: the law of an attempt, exactly, and of a draw, by its moments."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from flint import arb

from littlestone.mechanisms.estimate import attempt, discrete_gaussian
from littlestone.source import ExactSource, SeededSource, ball


@pytest.mark.parametrize("variance", [F(1, 3), pytest.param(F(29, 4), marks=pytest.mark.more)])
def test_what_is_kept_is_gaussian(variance):
    law = ExactSource(F(1, 2**20), follow=0).law(lambda source: attempt(variance, source))
    assert law.outcomes[None] < arb(1) / 2
    for z in range(-2, 3):
        expected = law.outcomes[0] * ball(F(-(z**2)) / (2 * variance)).exp()
        assert abs(law.outcomes[z] - expected) < expected * arb(2) ** -40


def test_moments_of_many_draws():
    source, variance = SeededSource(1), F(10**7, 3)
    drawn = (
        np.array([discrete_gaussian(variance, source) for _ in range(4000)])
        / float(variance) ** 0.5
    )
    assert abs(drawn.mean()) < 5 / 4000**0.5
    assert abs((drawn**2).mean() - 1) < 5 * (2 / 4000) ** 0.5
    assert abs((drawn**4).mean() - 3) < 5 * (96 / 4000) ** 0.5
