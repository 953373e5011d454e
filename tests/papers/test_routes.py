"""The pages have the laws of the routes that they can replace (one-way street: these may go)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from littlestone.learners.agnostic import TwoSample
from littlestone.learners.exponential import Generic
from littlestone.learners.online.samplers import Stage, TeacherEnsemble
from littlestone.papers import alon_reductions as reductions
from littlestone.papers import lyu
from littlestone.source import public_generator

from .agree import assert_equal, exact_law, finite, small_class, table
from .reference_lyu import ldim
from .test_lyu import ordered, records

pytestmark = pytest.mark.more


@pytest.mark.parametrize("seed", range(60))
def test_teachers_of_online_learning(seed):
    """One draw of JointTrain, by stage, with and without records."""
    rows, rng = small_class(f"teachers {seed}", ldim=ldim)
    n, d = len(rows[0]), ldim(frozenset(rows))
    train = lyu.JointTrain(finite(rows), d, rng.randint(1, 3), rng.randint(1, 3), 1,
                           Fraction(rng.randint(2, 6), 2), Fraction(1, 10))  # fmt: skip
    stages = tuple(
        Stage(d + 1 - j, train.p(j), Fraction(1, 10) * (1 - Fraction(1, 2 * d)) ** j)
        for j in range(1, d + 2)
    )
    today = TeacherEnsemble(
        finite(rows), train.k, stages, d, train.cap, train.sampling.L, train.epsilon, train.delta
    )
    epochs = [[(t, *record) for t, record in enumerate(records(rng, n, 4))] for _ in range(2)]
    for j in range(1, d + 2):
        S = [
            [[r for r in epoch if today.teacher(5, r[0]) == i] for epoch in epochs]
            for i in range(train.k)
        ]

        def here(source, j=j, S=S):
            scores = lyu.Scores([train.listed(S_i, j) for S_i in S], train.sampling.L)
            drawn = train.sampling.drawn(scores, source)
            return None if drawn is None else table(drawn, n)

        def there(source, j=j):
            (drawn,) = today.draw(epochs, 1, source, stage=j - 1, shuffle=5, now=None)
            return None if drawn is None else table(drawn, n)

        law, slack = exact_law(here)
        assert_equal(law, exact_law(there)[0], slack)


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
