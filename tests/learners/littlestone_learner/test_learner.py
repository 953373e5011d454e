"""The estimator: classes that the issue names, worst cases, errors, the theorem by simulation."""

import time

import numpy as np
import pytest
from scipy import stats

import littlestone as ls
from littlestone.classes import affine_span
from littlestone.data import Sample
from littlestone.source import SeededSource

from .small import learner

BUDGET = {"epsilon": 1, "delta": "1e-6", "alpha": "0.1", "beta": "0.05"}
WORDS = np.array(["ant", "bee", "cow", "dog", "eel", "fox", "gnu"], dtype=object)


def words(rng, n, ones):
    X = rng.choice(WORDS, n)
    return X, np.isin(X, WORDS[:ones]).astype(int)


def planes(rng, n):
    base, a, b = rng.integers(0, 7, (3, 20))
    X = (base + rng.integers(0, 7, (n, 1)) * a + rng.integers(0, 7, (n, 1)) * b) % 7
    y = rng.integers(0, 2, n)
    X[y == 0] = rng.integers(0, 7, (int((y == 0).sum()), 20))
    return X, y


def cubes(rng, n):
    X = rng.integers(0, 2, (n, 8))
    return X, X[:, 1] & (1 - X[:, 5])


NAMED = {
    "sparse sets": (ls.SparseSets(3), lambda rng, n: words(rng, n, 3)),
    "points": (ls.Points(), lambda rng, n: words(rng, n, 1)),
    "planes": (ls.theory.AffineSubspaces(7, 20, 2), planes),
    "conjunctions": (ls.theory.Conjunctions(8), cubes),
}


@pytest.mark.first(1)
@pytest.mark.parametrize("name", NAMED)
def test_learned_with_the_certified_number_of_records_in_seconds(name):
    cls, draw = NAMED[name]
    rng = np.random.default_rng(4)
    estimator = ls.theory.LittlestoneLearner(cls, epsilon=1.0, delta=1e-6, random_state=1)
    X, y = draw(rng, estimator.required_samples())
    started = time.process_time()
    estimator.fit(X, y)
    assert time.process_time() - started < 10
    assert estimator.certificate_.holds
    assert estimator.guarantee_.epsilon == 1
    fresh, truth = draw(rng, 0) if name == "planes" else draw(rng, 5000)
    assert np.mean(estimator.predict(X) != y) <= 0.1
    if len(fresh):
        assert np.mean(estimator.predict(fresh) != truth) <= 0.1


# --- the theorem: worst cases, Clopper-Pearson ------------------------------------------------


@pytest.mark.more
@pytest.mark.parametrize("scale", [0.7, 2.0])
def test_points_of_middling_weight(scale):
    made = learner(ls.Points(), **BUDGET)
    n, rng = made.required_samples(), np.random.default_rng(int(10 * scale))
    weight = scale * 0.1
    failures = 0
    for seed in range(150):
        ones = rng.binomial(n, weight)
        sample = Sample.of(["x"] * ones + ["y"] * (n - ones), [1] * ones + [0] * (n - ones))
        released = made.draw(sample, SeededSource(seed))
        error = 0.0 if released.predict(np.array(["x"], dtype=object))[0] else weight
        failures += error > 0.1
    assert stats.beta.ppf(0.95, failures + 1, 150 - failures) <= 0.05


@pytest.mark.full
@pytest.mark.parametrize("scale", [0.3, 1.0, 3.0])
def test_sets_of_middling_weights(scale):
    made = learner(ls.SparseSets(3), **BUDGET)
    n, rng = made.required_samples(), np.random.default_rng(int(10 * scale))
    weights = np.array([1.0, 1.2, 0.9]) * scale * 0.1
    failures, runs = 0, 120
    for seed in range(runs):
        counts = rng.multinomial(n, [*weights, 1 - weights.sum()])
        names = [p for p, c in zip("abcd", counts, strict=True) for _ in range(c)]
        sample = Sample.of(names, [int(p != "d") for p in names])
        found = made.draw(sample, SeededSource(seed)).predict(np.array(list("abc"), dtype=object))
        failures += float(weights[found == 0].sum()) > 0.1
    assert stats.beta.ppf(0.95, failures + 1, runs - failures) <= 0.05


def test_a_plane_that_may_look_like_a_line():
    """Few records leave the line of most: whatever is learned errs on few points."""
    rng = np.random.default_rng(3)
    made = learner(ls.theory.AffineSubspaces(7, 20, 2), **BUDGET)
    n = made.required_samples()
    base, a, b = (tuple(row) for row in rng.integers(0, 7, (3, 20)).tolist())
    target = affine_span(
        7, [base, *(tuple((p + q) % 7 for p, q in zip(base, v, strict=True)) for v in (a, b))]
    )
    assert target.dim == 2
    for seed, off in enumerate((0.02, 0.05, 0.3)):
        i = rng.integers(0, 7, n)
        j = np.where(rng.random(n) < off, rng.integers(1, 7, n), 0)
        X = (np.array(base) + i[:, None] * np.array(a) + j[:, None] * np.array(b)) % 7
        sample = Sample.from_arrays(
            X, np.ones(n, dtype=int), domain=ls.theory.AffineSubspaces(7, 20, 2).domain
        )
        released = made.draw(sample, SeededSource(seed))
        assert np.mean(released.predict(X) == 0) <= 0.1
        if off == 0.3:
            assert released == target


def test_noisy_labels_and_nonsense_are_learned_without_an_error():
    """Privacy holds for every input, so nothing may be refused because of the records."""
    rng = np.random.default_rng(0)
    made = learner(ls.SparseSets(2), max_nodes=10, chunk=40, tolerances=(9,))
    for n in (0, 1, 39, 500):
        names = [f"w{i}" for i in rng.integers(0, 30, n)]
        sample = Sample.of(names, rng.integers(0, 2, n).tolist())
        assert made.draw(sample, SeededSource(n)).predict(WORDS).shape == (7,)


# --- errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"delta": 0}, "'delta' parameter of LittlestoneLearner must be a float in (0, 1). Got 0"),
        ({"tolerances": (0, 1)}, "decreasing whole numbers"),
    ],
)
def test_public_parameters_are_checked(change, message):
    options = {"epsilon": 1, "delta": 1e-6, **change}
    with pytest.raises(ls.errors.ParameterError) as caught:
        ls.theory.LittlestoneLearner(ls.SparseSets(2), **options).required_samples()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("cls", "options", "message"),
    [
        (ls.Thresholds(1, 9), {"method": "closures"}, "no closures with short chains"),
        (ls.SparseSets(20), {"method": "closures"}, "more than 2\\*\\*14 closed sets"),
        (ls.DecisionTrees(ls.Schema.every_column([0.0]).bind(9), depth=3), {}, "'generic'"),
        (
            ls.theory.AffineSubspaces(2, 2, 1),
            {"method": "closures", "proper": True},
            "random point",
        ),
    ],
)
def test_a_class_that_lacks_an_oracle_is_refused(cls, options, message):
    with pytest.raises(ls.errors.UnsupportedError, match=message):
        learner(cls, **options).required_samples()
