"""The exact searches behind the closed forms, against enumeration."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from littlestone.classes.geometry import (
    certified,
    directions,
    is_prime,
    normal,
    quotient,
    reduce,
    rref,
    subspaces,
    widen,
)
from littlestone.classes.sparse_sets import low_error_atoms
from littlestone.combinatorics.matrix import NodeLimit

FREE = NodeLimit(None)


def span(basis, q, n):
    points = set()
    for factors in product(range(q), repeat=len(basis)):
        vector = [0] * n
        for factor, row in zip(factors, basis, strict=True):
            vector = [(a + factor * b) % q for a, b in zip(vector, row, strict=True)]
        points.add(tuple(vector))
    return points


@pytest.mark.parametrize(("q", "m"), [(2, 3), (2, 4), (3, 2), (3, 3), (5, 2)])
def test_the_certificate_of_avoiding_subspaces(q, m):
    """What is certified exists, in each direction that is allowed; in a plane, all that exists."""
    rng = np.random.default_rng(q * m)
    every = list(directions(m, q))
    assert len(every) == len(set(every)) == (q**m - 1) // (q - 1)
    spaces = {k: [span(b, q, m) for b in subspaces(m, k, q)] for k in range(m + 1)}
    answers = set()
    for _ in range(60):
        size = int(rng.integers(0, len(every) + 1))
        forbidden = frozenset(every[i] for i in rng.permutation(len(every))[:size])
        for k in range(m + 1):
            left = [space for space in spaces[k] if not forbidden & space]
            if certified(len(forbidden), k, m, q):
                assert left
                assert not k or set(every) - forbidden == set(every) & set().union(*left)
            answers.add((bool(left), certified(len(forbidden), k, m, q)))
    assert answers - {(True, False)} == {(True, True), (False, False)}
    assert ((True, False) in answers) == (m > 2)


@pytest.mark.parametrize(("q", "m", "k"), [(2, 4, 2), (3, 3, 1), (3, 3, 2), (7, 2, 1)])
def test_the_counting_bound_is_an_average(q, m, k):
    """A fixed direction lies in exactly the share (q^k - 1)/(q^m - 1) of all subspaces."""
    spaces = [span(basis, q, m) for basis in subspaces(m, k, q)]
    for v in directions(m, q):
        holding = sum(v in space for space in spaces)
        assert holding * (q**m - 1) == len(spaces) * (q**k - 1)


def test_linear_algebra():
    rng = np.random.default_rng(1)
    for q in (2, 3, 7):
        for _ in range(40):
            first = rref(
                [tuple(v) for v in rng.integers(0, q, (rng.integers(0, 4), 4)).tolist()], q
            )
            v = tuple(rng.integers(0, q, 4).tolist())
            assert (v in span(first, q, 4)) == (not any(reduce(v, first, q)))
            assert span(widen(first, v, q), q, 4) >= span(first, q, 4) | {v}
            assert rref(widen(first, v, q), q) == widen(first, v, q)
            seen = quotient([v], first, q)
            assert seen == quotient([normal(v, q)], first, q)
    assert [n for n in range(30) if is_prime(n)] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]


def test_sets_of_low_error():
    rng = np.random.default_rng(4)
    for _ in range(200):
        gains = sorted(rng.integers(-3, 4, int(rng.integers(0, 7))).tolist(), reverse=True)
        room, errors = int(rng.integers(0, 5)), int(rng.integers(0, 8))
        tolerance = int(rng.integers(0, 8))
        expected = {
            chosen
            for size in range(room + 1)
            for chosen in combinations(range(len(gains)), size)
            if errors - sum(gains[i] for i in chosen) <= tolerance
        }
        found = low_error_atoms(gains, room, errors, tolerance, FREE)
        assert set(found) == expected
        assert len(found) == len(expected)
