"""Version spaces by definition: rows of a matrix, filtered one by one, and a fresh kernel."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from littlestone.classes import (
    AffineSubspaces,
    Conjunctions,
    Intervals,
    Points,
    Prefixes,
    SparseSets,
    Thresholds,
)
from littlestone.combinatorics import Kernel
from littlestone.data import Sample


class Rows:
    """All concepts of a class on all points of a small domain; a version space is a bit set."""

    def __init__(self, concept_class):
        self.concept_class = concept_class
        domain = concept_class.domain
        if isinstance(concept_class, Prefixes):
            forest = concept_class.forest
            self.points = [forest.at_rank(i) for i in range(forest.size)]
            self.batch = np.array(self.points)
        elif hasattr(domain, "low"):
            self.points = list(range(domain.low, domain.high + 1))
            self.batch = np.array(self.points)
        else:
            self.points = list(product(range(domain.q), repeat=domain.n))
            self.batch = np.array(self.points)
        self.concepts = list(concept_class.concepts())
        self.matrix = np.array([concept.predict(self.batch) for concept in self.concepts])
        self.kernel = Kernel(self.matrix)

    def labels(self, hypothesis):
        return tuple(hypothesis.predict(self.batch).tolist())

    def rows_where(self, keep):
        return sum(1 << i for i, row in enumerate(self.matrix) if keep(row))

    def restrict(self, rows, x, y):
        return rows & self.rows_where(lambda row: row[x] == y)

    def within_error(self, rows, xs, ys, tolerance):
        return rows & self.rows_where(lambda row: int((row[xs] != ys).sum()) <= tolerance)

    def labelling(self, bits):
        return tuple(self.kernel.labels(bits).tolist())


def states(rows, rng, steps, *, errors=False):
    """Yield pairs (space, bit set): random examples, mostly such that something is left."""
    space, left = rows.concept_class.version_space(), rows.kernel.full
    yield space, left
    if errors:
        n = int(rng.integers(1, 7))
        xs = rng.integers(0, len(rows.points), n)
        ys = rng.integers(0, 2, n)
        if rng.random() < 0.7:  # nearly realizable
            ys = rows.matrix[rng.integers(len(rows.matrix))][xs].astype(int)
            ys[0] ^= int(rng.integers(2))
        tolerance = int(rng.integers(0, 3))
        sample = Sample.of(rows.batch[xs], ys)
        space = space.within_error(sample, tolerance)
        left = rows.within_error(left, xs, ys, tolerance)
        yield space, left
    target = rows.matrix[rng.integers(len(rows.matrix))]
    for _ in range(steps):
        x = int(rng.integers(0, len(rows.points)))
        y = int(target[x]) if rng.random() < 0.85 else int(rng.integers(0, 2))
        space, left = space.restrict(rows.points[x], y), rows.restrict(left, x, y)
        yield space, left


@pytest.fixture(scope="session")
def rows_of():
    known = {}

    def get(concept_class):
        if concept_class not in known:
            known[concept_class] = Rows(concept_class)
        return known[concept_class]

    return get


@pytest.fixture(scope="session")
def random_states():
    return states


#: Those with closed forms at many sizes; of those that are listed one or two.
SMALL = [
    *(Thresholds(low, high) for low, high in ((1, 1), (-2, 3), (0, 13))),
    *(Points(low, high) for low, high in ((1, 1), (1, 2), (0, 6))),
    *(SparseSets(k, 1, n) for k, n in ((0, 3), (1, 4), (2, 2), (2, 6), (3, 5))),
    *(AffineSubspaces(2, n, d) for n in (1, 2, 3) for d in range(n + 1)),
    *(AffineSubspaces(3, n, d) for n, d in ((1, 1), (2, 0), (2, 1), (2, 2))),
    AffineSubspaces(5, 1, 1),
    Intervals(1, 2),
    Intervals(1, 9),
    Conjunctions(3),
    Conjunctions(4, monotone=True),
    Prefixes("01", 4),
    Prefixes("abc", 2),
]


@pytest.fixture(params=SMALL, ids=lambda c: c.spec)
def small(request):
    """A structured class on a domain that is small enough for its matrix."""
    return request.param
