"""The learner: accuracy at its numbers of records, errors, and the shells."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import littlestone as ls
from littlestone.classes import errors
from littlestone.data import Sample
from littlestone.data.domains import OUTSIDE
from littlestone.errors import InfeasibleError, ParameterError
from littlestone.learners import registry
from littlestone.learners.stable import Stable
from littlestone.learners.stable.learner import _Examples
from littlestone.source import SeededSource, public_generator

BUDGET = {"epsilon": 1, "delta": 1e-6, "alpha": 0.1, "beta": 0.05}


def special(domain, masses, rng, n):
    """Draw texts: the first few points have the given masses and label 1."""
    others = [f"w{i}" for i in range(200)]
    bad = np.array([f"bad{i}" for i in range(len(masses))], dtype=object)
    words = np.array(others, dtype=object)[rng.integers(0, 200, n)]
    u, edges = rng.random(n), np.cumsum(masses)
    which = np.searchsorted(edges, u)
    hit = which < len(masses)
    words[hit] = bad[which[hit]]
    return Sample.from_arrays(words, hit.astype(int), domain=domain)


def failures(learner, draw, runs, rng):
    wrong = 0
    for seed in range(runs):
        h = learner.draw(draw(learner.required_samples()), SeededSource(seed))
        test = draw(20_000)
        wrong += errors(h, test) > float(learner.alpha) * test.n
    return wrong


@pytest.mark.more
def test_theorem_30_holds_at_its_number_of_records():
    """Dimension 1, worst masses: seen by half of the batches, or just about alpha."""
    points = ls.Points()
    made = Stable(points, epsilon=2, delta=0.01, alpha=0.3, beta=0.2)
    assert made.required_samples() < 4000
    rng = public_generator(7)
    batch = made.plan.constants.auxiliary
    for mass in (1 - 0.5 ** (1 / batch), 0.3, 0.31):
        wrong = failures(made, lambda n, m=mass: special(points.domain, [m], rng, n), 40, rng)
        assert stats.binomtest(wrong, 40, 0.2, alternative="greater").pvalue > 1e-3


CASES = {
    "points": (ls.Points(), [0.3]),
    "sets": (ls.SparseSets(3), [0.12, 0.12, 0.12]),
}


@pytest.mark.parametrize("name", CASES)
def test_practical_parameters_learn_sets_of_texts(name):
    concepts, masses = CASES[name]
    made = Stable(concepts, **BUDGET, constants="practical")
    rng = public_generator(3)
    assert made.required_samples() == 7709
    assert failures(made, lambda n: special(concepts.domain, masses, rng, n), 5, rng) == 0


def test_practical_parameters_learn_structured_classes():
    rng = public_generator(4)
    basis, offset = rng.integers(0, 7, (2, 20)), rng.integers(0, 7, 20)
    flats, conjunctions = ls.theory.AffineSubspaces(7, 20, 2), ls.theory.Conjunctions(8)

    def on_a_flat(n):
        X = rng.integers(0, 7, (n, 20))
        on = rng.random(n) < 0.4
        X[on] = (rng.integers(0, 7, (int(on.sum()), 2)) @ basis + offset) % 7
        return X, on.astype(int)

    def satisfying(n):
        X = rng.integers(0, 2, (n, 8))
        X[rng.random(n) < 0.3] |= np.array([1, 0, 1, 0, 0, 0, 0, 0])
        return X, X[:, 0] * X[:, 2]

    for concepts, draw in ((flats, on_a_flat), (conjunctions, satisfying)):
        made = Stable(concepts, **BUDGET, constants="practical")
        sample = Sample.from_arrays(*draw(made.required_samples()), domain=concepts.domain)
        h = made.draw(sample, SeededSource(0))
        assert errors(h, Sample.from_arrays(*draw(2000), domain=concepts.domain)) <= 200


def test_too_few_records_and_no_records():
    made = Stable(ls.Points(), **BUDGET, constants="practical")
    for n in (0, 1, 5, 40):
        sample = Sample.from_arrays(["a"] * n, [1] * n, domain=ls.Points().domain)
        assert made.draw(sample, SeededSource(0)) == made.default
        if n:
            assert not made.certificate(n).holds


def test_records_without_a_concept_are_no_error():
    made = Stable(ls.Points(), **BUDGET, constants="practical")
    rng = public_generator(1)
    X, y = rng.integers(0, 5, 8000), rng.integers(0, 2, 8000)
    made.draw(Sample.from_arrays(X, y, domain=ls.Points().domain), SeededSource(0))


def test_a_class_of_one_concept():
    made = Stable(ls.theory.FiniteClass([[0, 1]]), **BUDGET)
    assert made.required_samples() == 1
    assert made.certificate(1).holds
    assert not made.shuffles(5)
    sample = Sample.from_arrays([0, 1], [1, 1], domain=made.concept_class.domain)
    assert made.draw(sample, SeededSource(0)) == made.default


def test_copies_that_give_up_leave_the_default():
    concepts = ls.theory.Conjunctions(6)
    rng = public_generator(2)
    X = rng.integers(0, 2, (8000, 6))
    sample = Sample.from_arrays(X, X[:, 0], domain=concepts.domain)
    hard = Stable(concepts, **BUDGET, constants="practical", max_nodes=0)
    copies, choice = hard.plan.parts(sample.n)
    kinds = np.repeat(np.arange(2 * len(sample.points) + 2), 200)[: sample.n - choice]
    submitted = list(hard.submitted(sample, kinds, copies, 0))
    assert len(submitted) == sum(copies)
    assert None in submitted


def test_examples_are_points_in_canonical_form():
    known = Sample.of([5, 3], [0, 1])
    sample = Sample.binary(known.points, known.zeros, known.ones, (1, 1))
    examples = _Examples(sample).of(np.array([0, 3, 0, 4, 5]))
    assert examples == [(3, 0), (5, 1), (OUTSIDE, 0), (OUTSIDE, 1)]


def test_refusals():
    with pytest.raises(ParameterError, match="delta"):
        Stable(ls.Points(), epsilon=1, delta=0, alpha=0.1, beta=0.1)
    with pytest.raises(ParameterError, match="epsilon"):
        Stable(ls.Points(), epsilon="1e-200", delta=0.1, alpha=0.1, beta=0.1)
    with pytest.raises(ParameterError, match="constants"):
        Stable(ls.Points(), **BUDGET, constants="fast")
    with pytest.raises(InfeasibleError, match="dimension 20"):
        Stable(ls.Thresholds(1, 2**20), **BUDGET, constants="theory").required_samples()
    with pytest.raises(InfeasibleError, match="dimension 126"):
        Stable(ls.Intervals(1, 2**64), **BUDGET).required_samples()
    with pytest.raises(ParameterError, match="'delta'"):
        registry.make("stable", ls.Points(), epsilon=1)


def test_registry_and_shell():
    made = registry.make("stable", ls.Points(), epsilon=1, delta=1e-6)
    assert (made.name, made.constants, made.required_samples()) == ("stable", "theory", 36237)
    guarantee = made.guarantee(seeded=True)
    assert (guarantee.epsilon, guarantee.claim) == (1, "stable.privacy")
    learner = ls.theory.StableLearner(
        ls.SparseSets(2), epsilon=1.0, delta=1e-6, constants={"auxiliary": 30, "copies": [150]},
        random_state=0,
    )  # fmt: skip
    X = np.array(["rain", "sun", "snow", "fog"] * 1500, dtype=object)
    y = np.isin(X, ("rain", "snow")).astype(int)
    assert (learner.fit(X, y).predict(X) == y).all()
    assert learner.guarantee_.seeded
