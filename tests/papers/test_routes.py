"""The pages have the laws of the routes that they can replace (one-way street: these may go)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from littlestone.learners.agnostic import Empirical, TwoSample
from littlestone.learners.exponential import Generic
from littlestone.learners.littlestone import Littlestone
from littlestone.learners.online.samplers import Stage, TeacherEnsemble
from littlestone.learners.stable import Stable
from littlestone.learners.stable.tournament import stable_copy
from littlestone.papers import alon, lyu
from littlestone.papers import alon_reductions as reductions
from littlestone.source import public_generator

from .agree import assert_equal, exact_law, finite, small_class, table
from .reference_lyu import ldim
from .test_lyu import Remembered, ordered, records

pytestmark = pytest.mark.more


@pytest.mark.parametrize("seed", range(40))
def test_stages_of_the_littlestone_learner(seed):
    rows, rng = small_class(f"stages {seed}", ldim=ldim, dims=(1, 2))
    d, n, m = ldim(frozenset(rows)), len(rows[0]), rng.randint(1, 2)
    tolerances = tuple(sorted((rng.randint(0, m) for _ in range(d + 1)), reverse=True))
    today = Littlestone(
        finite(rows), epsilon=12, delta="0.05", method="stages", chunk=m, tolerances=tolerances
    )
    settings = today.plan.settings
    data = records(rng, n, rng.randint(2, 4))
    k = max(1, len(data) // m)
    # the votes that the test asks for are a rounded share less a margin there
    here = Remembered(
        finite(rows), Fraction(12), Fraction(1, 20), k=k, chunk=m, tolerances=tolerances,
        share=settings.share, agreeing=Fraction(settings.threshold(k), k) if k else Fraction(1),
    )  # fmt: skip
    assert settings.cap == here.sampling(m).L
    law, slack = exact_law(lambda source: table(here.draw(ordered(data), source), n), 2**-28)
    there, _ = exact_law(lambda source: table(today.draw(ordered(data), source), n), 2**-28)
    assert_equal(law, there, 2 * slack)


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


@pytest.mark.parametrize("seed", range(300))
def test_copies_of_the_stable_learner(seed):
    """G by 003's rule, where no name of a function was written twice there."""
    rows, rng = small_class(f"copies {seed}", ldim=ldim)
    n, size, k = len(rows[0]), rng.randint(1, 2), rng.randint(0, 2)
    c = rng.choice(rows)  # realizable: corrected names of one function differ there
    examples = [(x, c[x]) for x in (rng.randrange(n) for _ in range(size * 9))]
    coins = [c[0]] * 40  # coins may disagree: then only the functions are compared
    space = finite(rows).version_space()
    *pieces, last = [examples[i : i + size] for i in range(0, len(examples), size)]
    today = stable_copy(space, k, iter(pieces), last, iter(coins).__next__)
    copy = alon.G(alon.SOA(space, "lyu"), k, size, len(examples))
    here = copy.run(examples, k, iter(coins).__next__)
    if k == 0:
        assert (today and table(today, n)) == (here and table(here, n))
    assert (today is None) == (here is None) or k > 1


@pytest.mark.parametrize("seed", range(60))
def test_stable_learner(seed):
    """M of no rounds, on records of one concept: the same copies, histogram and choice."""
    rows, rng = small_class(f"stable {seed}", ldim=ldim)
    n, d = len(rows[0]), ldim(frozenset(rows))
    copies = rng.randint(2, 4)
    constants = {"auxiliary": 1, "copies": [copies], "batches": [0], "stability": "1/2"}
    today = Stable(finite(rows), epsilon=3, delta="0.25", constants=constants)
    plan = today.plan
    here = alon.M(
        finite(rows), Fraction(3), Fraction(1, 4), 0, 1, (0,) * (d + 1), plan.choice, Fraction(0),
        (copies, *(0 for _ in range(d))), "lyu",
    )  # fmt: skip
    c = rng.choice(rows)
    data = [(x, c[x]) for x in (rng.randrange(n) for _ in range(rng.randint(4, 8)))]
    law, slack = exact_law(lambda source: table(here.draw(ordered(data), source), n))
    there, _ = exact_law(lambda source: table(today.draw(ordered(data), source), n))
    assert_equal(law, there, slack)


@pytest.mark.parametrize("seed", range(20))
def test_empirical_from_pac(seed):
    rows, rng = small_class(f"empirical {seed}", ldim=ldim, concepts=(3, 3))
    n, data = len(rows[0]), None
    data = records(rng, n, 9)
    inner = Generic(finite(rows), epsilon=1)
    here = reductions.Lemma15(finite(rows), inner)
    today = Empirical(inner)
    assert here.guarantee().epsilon == today.guarantee().epsilon
    law, slack = exact_law(lambda source: table(here.draw(ordered(data), source), n))
    there, _ = exact_law(lambda source: table(today.draw(ordered(data), source), n))
    assert_equal(law, there, slack)


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
