"""Dichotomies with the costs of their best concepts, against brute force over the whole class."""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from flint import arb

import littlestone as ls
from littlestone.classes.finite import check_dichotomies, dichotomies
from littlestone.data import Sample
from littlestone.errors import UnsupportedError
from littlestone.source import ExactSource, SeededSource, public_generator

RATE = F(1, 2)
MATRIX = [[0, 0, 1, 1], [0, 1, 0, 1], [1, 0, 0, 0], [1, 1, 0, 1], [0, 0, 0, 0]]
TREE = {"a": None, "b": "a", "c": "b", "d": "a", "e": None, "f": "e", "g": "c"}
CLASSES = [
    ls.Thresholds(2, 7),
    ls.Points(2, 7),
    ls.SparseSets(0, 2, 7),
    ls.SparseSets(2, 2, 7),
    ls.SparseSets(3, 2, 7),
    ls.Intervals(2, 7),
    ls.theory.TreePaths(TREE),
    ls.Prefixes("ab", 2),
    ls.theory.FiniteClass(MATRIX),
    ls.theory.Conjunctions(2),
    ls.theory.AffineSubspaces(2, 2, 1),
]


def everything(concepts):
    """Return all points of the domain, and one outside it."""
    if isinstance(concepts, ls.theory.TreePaths):
        return [*TREE, "other"]
    if isinstance(concepts, ls.Prefixes):
        return ["", "a", "b", "aa", "ab", "ba", "bb", "c"]
    if isinstance(concepts, ls.theory.Conjunctions | ls.theory.AffineSubspaces):
        return list(product((0, 1), repeat=2))
    if isinstance(concepts, ls.theory.FiniteClass):
        return [0, 1, 2, 3, 9]
    return list(range(1, 9))


def array(points):
    out = np.empty(len(points), dtype=object)
    out[:] = points
    return out if points and not isinstance(points[0], int) else np.array(points, dtype=np.int64)


def brute_dichotomies(concepts, points, second):
    """Return the probability of each labelling, from the list of all concepts."""
    cost = {}
    for concept in concepts.concepts():
        seen = tuple(concept.predict(points).tolist()) if len(points) else ()
        errors = concepts.errors(concept, second)
        cost[seen] = min(errors, cost.get(seen, errors))
    weights = {seen: (arb(-1) / 2 * c).exp() for seen, c in cost.items()}
    total = sum(weights.values(), arb(0))
    return {seen: weight / total for seen, weight in weights.items()}


@pytest.mark.parametrize("concepts", CLASSES, ids=lambda c: c.spec)
def test_laws_are_those_of_brute_force(concepts):
    generator = public_generator(7)
    domain = everything(concepts)
    for trial in range(25):
        k = int(generator.integers(0, min(5, len(domain)) + 1))
        points = array([domain[i] for i in generator.permutation(len(domain))[:k].tolist()])
        n = int(generator.integers(0, 7))
        drawn = [domain[i] for i in generator.integers(0, len(domain), n).tolist()]
        second = Sample.of(array(drawn), generator.integers(0, 2, n))
        found = dichotomies(concepts, points, second)
        expected = brute_dichotomies(concepts, points, second)
        law = ExactSource().law(lambda s: tuple(found.draw(RATE, s).tolist()))  # noqa: B023
        assert found.size == len(expected)
        assert law.outcomes.keys() == expected.keys(), trial
        assert all(law.outcomes[seen].overlaps(expected[seen]) for seen in expected)


def test_infinite_domains():
    """The best point may lie outside the first part: then the dichotomy is "none of them"."""
    second = Sample.of(["x", "x", "y", "z"], [1, 1, 1, 0])
    points = array(["y", "w"])
    law = ExactSource().law(
        lambda s: tuple(dichotomies(ls.Points(), points, second).draw(RATE, s).tolist())
    )
    # none: best is x, one error; y: two errors; w: three
    weights = {(0, 0): -1, (1, 0): -2, (0, 1): -3}
    total = sum((arb(w) / 2).exp() for w in weights.values())
    for seen, w in weights.items():
        assert law.outcomes[seen].overlaps((arb(w) / 2).exp() / total)
    pairs = dichotomies(ls.SparseSets(2), points, second)
    assert pairs.size == 4
    assert pairs.draw(F(100), SeededSource(0)).tolist() in ([1, 0], [0, 0])


def test_big_integers_and_many_points():
    far = ls.Thresholds(0, 2**4096)
    points = np.array([k << 4000 for k in range(1, 3000)], dtype=object)
    second = Sample.of(points, (np.arange(1, 3000) > 1500).astype(int))
    found = dichotomies(far, points, second)
    assert found.size == 3000
    assert found.draw(F(50), SeededSource(0)).sum() == 1499
    sets = dichotomies(ls.SparseSets(3), np.arange(1000), Sample.of([5, 7, 9], [1, 1, 1]))
    assert np.flatnonzero(sets.draw(F(50), SeededSource(0))).tolist() == [5, 7, 9]


def test_classes_too_large_to_list_are_refused():
    with pytest.raises(UnsupportedError, match=r"2\*\*16"):
        check_dichotomies(ls.theory.AffineSubspaces(7, 20, 2))
