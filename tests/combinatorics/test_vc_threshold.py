"""VC and threshold dimension beyond four points: brute force, published values, budgets."""

from __future__ import annotations

import inspect
import sys

import numpy as np
import pytest

from littlestone.combinatorics import Kernel
from littlestone.combinatorics.dimensions import ThresholdSearch
from littlestone.errors import SearchLimitError

from .brute import universe
from .classes import (
    affine_subspaces,
    conjunctions,
    cube,
    monotone_conjunctions,
    points,
    random_class,
    sparse_sets,
    thresholds,
)
from .questions import littlestone_dim, shattered_set, threshold_dim, threshold_sequence, vc_dim


@pytest.mark.first(1)
@pytest.mark.parametrize("seed", range(30))
def test_random_classes_on_five_and_six_points(seed):
    rng = np.random.default_rng(seed)
    n = 5 + seed % 2
    matrix = random_class(rng, int(rng.integers(2, 40)), n, rng.choice([0.3, 0.5, 0.7]))
    u = universe(n)
    v = sum(1 << int(f) for f in matrix.astype(int) @ (1 << np.arange(n)))
    assert vc_dim(matrix) == u.vc(v)
    assert threshold_dim(matrix) == u.thresholds(v)
    assert shattered_set(matrix).holds(matrix)
    assert threshold_sequence(matrix).holds(matrix)


@pytest.mark.first(9)
@pytest.mark.parametrize(
    ("matrix", "vc", "threshold"),
    [
        (thresholds(2), 1, 1),
        (thresholds(200), 1, 199),
        (points(50), 1, 1),
        (sparse_sets(7, 3), 3, 3),
        (cube(5), 5, 5),
        (monotone_conjunctions(4), 4, 5),
        (conjunctions(3), 3, 4),
        (affine_subspaces(4, 1), 2, 2),
        (affine_subspaces(4, 2), 3, 3),
        (affine_subspaces(4, 3), 4, 4),
    ],
)
def test_families(matrix, vc, threshold):
    """A chain of flats is the longest threshold sequence of an intersection-closed class."""
    assert vc_dim(matrix) == vc == len(shattered_set(matrix).points)
    assert threshold_dim(matrix) == threshold
    sequence = threshold_sequence(matrix)
    assert sequence.holds(matrix)
    assert len(sequence.points) == len(sequence.hypotheses) == threshold


def test_long_sequences_need_no_recursion(monkeypatch):
    """The search (not the greedy start, cut short here) goes deeper than Python may recurse."""
    greedy = ThresholdSearch._greedy
    monkeypatch.setattr(ThresholdSearch, "_greedy", lambda *args: greedy(*args)[:-1])
    kernel = Kernel(thresholds(121))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 60)
    try:
        assert kernel.threshold_dim() == 120
    finally:
        sys.setrecursionlimit(limit)
    assert kernel.nodes >= 120
    assert kernel.threshold_sequence().holds(thresholds(121))


def test_the_constant_zero_has_a_sequence_without_points():
    assert threshold_dim([[0, 0]]) == 0
    assert threshold_sequence([[0, 0]]).holds([[0, 0]])


def test_empty_sets():
    kernel = Kernel(cube(2))
    assert kernel.vc_dim(0) == -1
    assert kernel.threshold_dim(0) == 0


@pytest.mark.parametrize("question", ["vc_dim", "threshold_dim"])
def test_budgets_stop_with_bounds(question):
    matrix = random_class(np.random.default_rng(5), 60, 14)
    exact = getattr(Kernel(matrix, max_nodes=None), question)()
    kernel = Kernel(matrix, max_nodes=20)
    with pytest.raises(SearchLimitError) as stopped:
        getattr(kernel, question)()
    assert stopped.value.lower <= exact <= stopped.value.upper
    assert stopped.value.nodes == 20


def test_threshold_bound_of_theorem_10_is_used():
    """A Littlestone dimension of 1 leaves room for 3 thresholds at most, not for 20."""
    kernel = Kernel(points(20), max_nodes=0)
    assert kernel.ldim() == 1
    with pytest.raises(SearchLimitError) as stopped:
        kernel.threshold_dim()
    assert (stopped.value.lower, stopped.value.upper) == (1, 3)


@pytest.mark.full
def test_threshold_dimension_of_a_random_class_of_64_hypotheses_on_32_points():
    matrix = random_class(np.random.default_rng(0), 64, 32)
    sequence = Kernel(matrix, max_nodes=None).threshold_sequence()
    assert sequence.holds(matrix)
    assert len(sequence.points) <= 2 ** (littlestone_dim(matrix) + 1) - 1
