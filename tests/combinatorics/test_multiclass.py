"""Several labels: Littlestone dimension and SOA against the game that they are about."""

from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

import littlestone as ls
from littlestone.errors import ParameterError, SearchLimitError
from littlestone.theory import multiclass_littlestone_dimension, multiclass_soa


def least_mistakes(rows):
    """Return what the best deterministic learner must err on in the worst case: the game itself.

    A position is the set of hypotheses that are left; nature names a point, the learner a label,
    nature an answer that some hypothesis has. Answers that change nothing are not played.
    """

    @cache
    def value(left):
        worst = 0
        for x in range(len(rows[0])):
            answers = {row[x] for row in left}
            if len(answers) < 2:
                continue
            after = {y: value(frozenset(row for row in left if row[x] == y)) for y in answers}
            best = min(max((y != p) + after[y] for y in answers) for p in answers)
            worst = max(worst, best)
        return worst

    return value(frozenset(rows))


def classes(labels, points, size):
    functions = list(product(range(labels), repeat=points))
    return combinations(functions, size)


@pytest.mark.first(1)
@pytest.mark.parametrize(("labels", "points", "sizes"), [(3, 2, (1, 2, 3, 4, 5)), (4, 2, (3, 4))])
def test_all_small_classes(labels, points, sizes):
    for size in sizes:
        for rows in classes(labels, points, size):
            assert multiclass_littlestone_dimension(rows) == least_mistakes(rows)


@pytest.mark.parametrize("seed", range(20))
def test_classes_by_chance(seed):
    rng = np.random.default_rng(seed)
    table = np.unique(rng.integers(0, 4, (12, 4)), axis=0)
    rows = tuple(map(tuple, table.tolist()))
    assert multiclass_littlestone_dimension(table) == least_mistakes(rows)


def test_two_labels_are_the_binary_dimension():
    for seed in range(10):
        table = np.unique(np.random.default_rng(seed).integers(0, 2, (9, 5)), axis=0)
        binary = ls.theory.littlestone_dimension(ls.theory.FiniteClass(table))
        assert multiclass_littlestone_dimension(table) == binary


@pytest.mark.first(1)
@pytest.mark.parametrize("seed", range(5))
def test_the_soa_errs_at_most_as_often_as_the_dimension(seed):
    """On every sequence of four points, for every target."""
    table = np.unique(np.random.default_rng(seed).integers(0, 3, (6, 3)), axis=0)
    dimension = multiclass_littlestone_dimension(table)
    for target in table.tolist():
        for stream in product(range(3), repeat=4):
            seen, mistakes = [], 0
            for x in stream:
                mistakes += multiclass_soa(table, seen)[x] != target[x]
                seen.append((x, target[x]))
            assert mistakes <= dimension


def test_of_many_sides_only_the_two_largest_count():
    rows = ((0, 0), (1, 0), (2, 0), (2, 1))
    assert multiclass_littlestone_dimension(rows) == least_mistakes(rows) == 1
    rows = ((0, 0), (0, 1), (1, 0), (1, 1), (2, 0))
    assert multiclass_littlestone_dimension(rows) == least_mistakes(rows) == 2


@pytest.mark.parametrize("labels", [[], [[]], [0, 1], [[0.5]], [["a"]]])
def test_other_tables_are_refused(labels):
    with pytest.raises(ParameterError, match="labels"):
        multiclass_littlestone_dimension(labels)


def test_refusals():
    with pytest.raises(ParameterError, match="No hypothesis"):
        multiclass_soa([[0, 1]], [(0, 1)])
    with pytest.raises(ParameterError, match="below 2"):
        multiclass_soa([[0, 1]], [(2, 1)])
    table = np.random.default_rng(0).integers(0, 3, (30, 6))
    with pytest.raises(SearchLimitError, match="max_nodes"):
        multiclass_littlestone_dimension(table, max_nodes=2)
