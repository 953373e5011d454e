"""Theorem 30 at its number of records: dimensions 1 and 2, several classes, masses near alpha."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import littlestone as ls
from littlestone.data import Sample
from littlestone.learners.stable import Stable
from littlestone.source import SeededSource, public_generator

PAIRS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]]
#: What a user would ask for, and what 220,000 records of dimension 2 are enough for.
USUAL = {"epsilon": 1, "delta": 1e-6, "alpha": 0.1, "beta": 0.05}
LOUD = {"epsilon": 8, "delta": 0.1, "alpha": 0.3, "beta": 0.3}

#: Class, dimension, budget, first point, masses of the points, their labels. The default is wrong
#: by more than alpha, and so is every concept that misses one of the heavy points.
CASES = {
    "points": (ls.Points(), 1, USUAL, 0, (0.11, 0.49, 0.4), (1, 0, 0)),
    "points of larger mass": (ls.Points(), 1, LOUD, 0, (0.31, 0.2, 0.49), (1, 0, 0)),
    "two of three": (ls.theory.FiniteClass(PAIRS), 2, LOUD, 0, (0.31, 0.31, 0.38), (1, 1, 0)),
    "sets": (ls.SparseSets(2), 2, LOUD, 0, (0.32, 0.33, 0.35), (1, 1, 0)),
    "thresholds": (ls.Thresholds(1, 3), 2, LOUD, 1, (0.31, 0.31, 0.38), (0, 1, 1)),
}


def failures(name, runs, share=1.0, seed=0):
    """Count how often the error is above alpha, with a share of the required records."""
    concepts, d, budget, first, masses, labels = CASES[name]
    made = Stable(concepts, **budget)
    assert made.d == d
    n = int(share * made.required_samples())
    assert made.certificate(n).holds == (share >= 1)
    rng, points, wrong = public_generator(seed), np.arange(len(masses)), 0
    for run in range(runs):
        x = rng.choice(len(masses), size=n, p=masses)
        sample = Sample.from_arrays(x + first, np.array(labels)[x], domain=concepts.domain)
        found = made.draw(sample, SeededSource(run)).predict(points + first)
        wrong += float(np.dot(masses, found != labels)) > budget["alpha"]
    return wrong


@pytest.mark.first(1)
@pytest.mark.parametrize("name", [name for name in CASES if name != "two of three"])
def test_it_holds_at_its_number_of_records(name):
    runs, beta = 6, CASES[name][2]["beta"]
    found = failures(name, runs)
    assert stats.binomtest(found, runs, beta, alternative="greater").pvalue > 1e-3


@pytest.mark.parametrize("name", CASES)
def test_a_hundredth_of_the_records_is_not_enough(name):
    """So the samples above could have failed: then nothing is listed, and the default is wrong."""
    assert failures(name, 6, share=0.01) == 6


@pytest.mark.full
@pytest.mark.parametrize("name", CASES)
def test_it_holds_in_many_runs(name):
    runs, beta = 100, CASES[name][2]["beta"]
    found = failures(name, runs, seed=1)
    assert stats.binomtest(found, runs, beta, alternative="greater").pvalue > 1e-3


@pytest.mark.full
def test_dimension_2_with_a_smaller_budget():
    """685,462 records: epsilon 2, delta 0.01, the budget of the test for dimension 1."""
    budget = {"epsilon": 2, "delta": 0.01, "alpha": 0.3, "beta": 0.2}
    made = Stable(ls.SparseSets(2), **budget)
    assert made.required_samples() == 685_462
    rng, wrong = public_generator(2), 0
    for run in range(20):
        x = rng.choice(3, size=made.required_samples(), p=(0.31, 0.31, 0.38))
        sample = Sample.from_arrays(x, (x < 2).astype(int), domain=made.concept_class.domain)
        found = made.draw(sample, SeededSource(run)).predict(np.arange(3))
        wrong += found.tolist() != [1, 1, 0]
    assert stats.binomtest(wrong, 20, 0.2, alternative="greater").pvalue > 1e-3
