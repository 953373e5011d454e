"""Families of classes whose dimensions are known, as matrices."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np


def thresholds(n):
    """n hypotheses [x >= a] on n - 1 points that tell them apart."""
    return (np.arange(1, n)[None, :] > np.arange(n)[:, None]).astype(np.uint8)


def points(n):
    """The n point functions and the constant 0."""
    return np.vstack([np.zeros(n), np.eye(n)]).astype(np.uint8)


def sparse_sets(n, k):
    """All sets of at most k of n points."""
    chosen = [c for size in range(k + 1) for c in combinations(range(n), size)]
    matrix = np.zeros((len(chosen), n), dtype=np.uint8)
    for row, c in enumerate(chosen):
        matrix[row, list(c)] = 1
    return matrix


def cube(n):
    """All functions on n points."""
    return np.array(list(product((0, 1), repeat=n)), dtype=np.uint8).reshape(2**n, n)


def monotone_conjunctions(n):
    """Conjunctions of variables, over {0,1}^n."""
    return (cube(n)[:, None, :] <= cube(n)[None, :, :]).all(axis=2).astype(np.uint8)


def conjunctions(n):
    """Conjunctions of literals, and the constant 0, over {0,1}^n."""
    rows = [np.zeros(2**n, dtype=bool)]
    for literals in product((0, 1, None), repeat=n):
        row = np.ones(2**n, dtype=bool)
        for variable, value in enumerate(literals):
            if value is not None:
                row &= cube(n)[:, variable] == value
        rows.append(row)
    return np.array(rows, dtype=np.uint8)


def affine_subspaces(n, d):
    """All affine subspaces of F_2^n of dimension at most d, over F_2^n."""
    spaces = {frozenset([0])}
    level = spaces
    for _ in range(d):
        level = {s | {x ^ v for x in s} for s in level for v in range(1, 2**n) if v not in s}
        spaces = spaces | level
    flats = {frozenset(x ^ shift for x in s) for s in spaces for shift in range(2**n)}
    matrix = np.zeros((len(flats), 2**n), dtype=np.uint8)
    for row, flat in enumerate(sorted(flats, key=sorted)):
        matrix[row, list(flat)] = 1
    return matrix


def random_class(rng, m, x, density=0.5):
    """At most m distinct random rows, some columns repeated, complemented or constant."""
    matrix = (rng.random((m, x)) < density).astype(np.uint8)
    if x >= 4:
        matrix[:, x - 1] = matrix[:, 0] ^ rng.integers(2)
        matrix[:, x - 2] = rng.integers(2)
    return np.unique(matrix, axis=0)
