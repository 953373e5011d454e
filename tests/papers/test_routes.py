"""The pages have the laws of the routes that they can replace (one-way street: these may go)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from littlestone.learners.agnostic import TwoSample
from littlestone.learners.exponential import Generic
from littlestone.papers import alon_reductions as reductions
from littlestone.papers import lyu
from littlestone.source import public_generator

from .agree import assert_equal, exact_law, finite, small_class, table
from .reference_lyu import ldim
from .test_lyu import ordered, records


@pytest.mark.first(0, 12)
@pytest.mark.parametrize("seed", range(40))
def test_agnostic_from_realizable(seed):
    rows, rng = small_class(f"agnostic {seed}", ldim=ldim)
    n = len(rows[0])
    today = TwoSample(Generic(finite(rows), epsilon=1), epsilon=3, pool=2)
    inner = today.plan.learner
    here = reductions.Corollary4(finite(rows), Fraction(3), Fraction(0), inner, first=2)
    data = records(rng, n, 4)
    assert here.sizes(4) == today.parts(4)
    law, slack = exact_law(lambda source: table(here.draw(ordered(data), source), n))
    there, _ = exact_law(lambda source: table(today.draw(ordered(data), source), n))
    assert_equal(law, there, slack)


def test_public_coins_are_those_of_the_time_step():
    algorithm = lyu.DPOL(finite([(0, 1), (1, 0)]), *[Fraction(1)] * 5, 3, 1, 1, 1, 1)
    state = type("S", (), {"salt": 7})
    expected = [int(public_generator(7, t).integers(3)) for t in range(20)]
    assert [algorithm.teacher(state, t) for t in range(20)] == expected
