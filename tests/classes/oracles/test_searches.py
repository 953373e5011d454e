"""The exact searches behind the closed forms, against enumeration."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from littlestone.classes.affine_subspaces.linear_algebra import (
    affine_avoiding,
    avoiding,
    certified,
    directions,
    intersection,
    is_prime,
    normal,
    quotient,
    reduce,
    rref,
    subspaces,
    widen,
)
from littlestone.classes.conjunctions.version_space import HittingSets, minimal
from littlestone.classes.sparse_sets.version_space import low_error_atoms
from littlestone.combinatorics.limits import NodeLimit

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
def test_avoiding_subspaces_and_their_certificate(q, m):
    rng = np.random.default_rng(q * m)
    every = list(directions(m, q))
    assert len(every) == (q**m - 1) // (q - 1)
    spaces = {k: [span(b, q, m) for b in subspaces(m, k, q)] for k in range(m + 1)}
    answers = set()
    for _ in range(60):
        size = int(rng.integers(0, len(every) + 1))
        forbidden = frozenset(every[i] for i in rng.permutation(len(every))[:size])
        for k in range(m + 1):
            exists = any(not forbidden & space for space in spaces[k])
            found = avoiding(forbidden, k, m, q, FREE)
            assert (found is not None) == exists
            if found is not None:
                assert len(found) == k == len(rref(found, q))
                assert not span(found, q, m) & forbidden
            if certified(len(forbidden), k, m, q):
                assert exists
                assert avoiding(forbidden, k, m, q, NodeLimit(0)) == found  # no search at all
            answers.add((exists, certified(len(forbidden), k, m, q)))
    # In a plane the certificate is exact; beyond, the search finds more.
    assert answers - {(True, False)} == {(True, True), (False, False)}
    assert ((True, False) in answers) == (m > 2)


@pytest.mark.parametrize(("q", "m", "k"), [(2, 4, 2), (3, 3, 1), (3, 3, 2), (7, 2, 1)])
def test_the_counting_bound_is_an_average(q, m, k):
    """A fixed direction lies in exactly the share (q^k - 1)/(q^m - 1) of all subspaces."""
    spaces = [span(basis, q, m) for basis in subspaces(m, k, q)]
    for v in directions(m, q):
        holding = sum(v in space for space in spaces)
        assert holding * (q**m - 1) == len(spaces) * (q**k - 1)


@pytest.mark.parametrize(("q", "n"), [(2, 3), (3, 2)])
def test_avoiding_flats(q, n):
    rng = np.random.default_rng(0)
    points = list(product(range(q), repeat=n))
    flats = {
        k: {
            frozenset(tuple((a + b) % q for a, b in zip(x, y, strict=True)) for y in span(b, q, n))
            for b in subspaces(n, k, q)
            for x in points
        }
        for k in range(n + 1)
    }
    for _ in range(60):
        size = int(rng.integers(0, len(points) + 1))
        forbidden = frozenset(points[i] for i in rng.permutation(len(points))[:size])
        for k in range(n + 1):
            found = affine_avoiding(forbidden, k, n, q, FREE)
            assert (found is not None) == any(not forbidden & flat for flat in flats[k])
            if found is not None:
                at, basis = found
                assert len(basis) == k
                for y in span(basis, q, n):
                    assert tuple((a + b) % q for a, b in zip(at, y, strict=True)) not in forbidden


def test_linear_algebra():
    rng = np.random.default_rng(1)
    for q in (2, 3, 7):
        for _ in range(40):
            first, second = (
                rref([tuple(v) for v in rng.integers(0, q, (rng.integers(0, 4), 4)).tolist()], q)
                for _ in range(2)
            )
            assert span(intersection(first, second, q), q, 4) == span(first, q, 4) & span(
                second, q, 4
            )
            v = tuple(rng.integers(0, q, 4).tolist())
            assert (v in span(first, q, 4)) == (not any(reduce(v, first, q)))
            assert span(widen(first, v, q), q, 4) >= span(first, q, 4) | {v}
            assert rref(widen(first, v, q), q) == widen(first, v, q)
            seen = quotient([v], first, q)
            assert seen == quotient([normal(v, q)], first, q)
    assert [n for n in range(30) if is_prime(n)] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]


@pytest.mark.parametrize("half", [0, 3])
def test_hitting_sets(half):
    rng = np.random.default_rng(2)
    low = (1 << half) - 1
    for _ in range(120):
        sets = [int(s) for s in rng.integers(1, 64, int(rng.integers(0, 7)))]
        legal = [
            h for h in range(64) if all(h & s for s in sets) and not (half and h >> half & h & low)
        ]
        search = HittingSets(sets, half, FREE)
        if not legal:
            assert search.least() is None
            assert search.union() == 0
            continue
        least = min(map(int.bit_count, legal))
        smallest = [h for h in legal if h.bit_count() == least]
        assert search.least() == least
        assert search.smallest() in smallest
        union = 0
        for h in smallest:
            union |= h
        assert search.union() == union
        if not half:
            unheld = [
                len(chosen)
                for size in range(1, 7)
                for chosen in combinations(range(6), size)
                if not any(all(h >> i & 1 for i in chosen) for h in smallest)
            ]
            assert search.unheld(63, 6) == min(unheld, default=None)


def test_minimal_sets():
    rng = np.random.default_rng(3)
    for _ in range(50):
        sets = {int(s) for s in rng.integers(0, 64, 12)}
        assert minimal(sets) == {s for s in sets if not any(t != s and not t & ~s for t in sets)}


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
