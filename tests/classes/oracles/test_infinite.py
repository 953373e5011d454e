"""Infinite and enormous domains, and intervals, against the kernel and definitions."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations

import numpy as np
import pytest

import littlestone as ls
from littlestone.classes import (
    AlwaysZero,
    Points,
    SparseSets,
    Thresholds,
    on_points,
)
from littlestone.classes.intervals import ldim_of_span
from littlestone.combinatorics import Kernel
from littlestone.data import Sample
from littlestone.errors import UnsupportedError

# -- Infinite and enormous domains: against the kernel on cuts with enough unseen points -----------

SEEN, UNSEEN = 5, 9
NAMES = [f"p{i}" for i in range(SEEN)] + [f"q{i}" for i in range(UNSEEN)]


def cut(k):
    """All sets of at most k of the named points."""
    sets = [s for r in range(k + 1) for s in combinations(range(len(NAMES)), r)]
    matrix = np.zeros((len(sets), len(NAMES)), dtype=int)
    for row, chosen in zip(matrix, sets, strict=True):
        row[list(chosen)] = 1
    return matrix


CUTS = {k: cut(k) for k in (1, 2, 3)}
KERNELS = {k: Kernel(matrix) for k, matrix in CUTS.items()}


def low_error(k, xs, ys, tolerance):
    wrong = (CUTS[k][:, xs] != ys).sum(axis=1)
    return sum(1 << i for i in np.flatnonzero(wrong <= tolerance).tolist())


def labels(hypothesis):
    return tuple(hypothesis.predict(np.array(NAMES, dtype=object)).tolist())


def labelling(k, bits):
    return tuple(KERNELS[k].labels(bits).tolist())


def low_error_space(rng, k):
    n = int(rng.integers(2, 8))
    xs, ys = rng.integers(0, SEEN, n), (rng.random(n) < 0.7).astype(int)
    tolerance = int(rng.integers(0, max(2, n - 1)))
    sample = Sample.of([NAMES[x] for x in xs], ys)
    concepts = Points() if k == 1 and rng.random() < 0.5 else SparseSets(k)
    space = concepts.version_space().within_error(sample, tolerance)
    return space, low_error(k, xs, ys, tolerance)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_low_error_of_sparse_sets(k):
    rng, sizes = np.random.default_rng(k), set()
    for _ in range(40):
        space, left = low_error_space(rng, k)
        sizes.add(len(getattr(space, "atoms", ())))
        assert space.littlestone_dim() == KERNELS[k].ldim(left)
        assert labels(space.soa()) == labelling(k, KERNELS[k].soa(left))
        reduced = KERNELS[k].reducibility(
            left, cap=3
        )  # the cut has 9 unseen points: no effect up to here
        assert space.reducibility(cap=3) == reduced
        if space.littlestone_dim() > 0:
            at = space.splitting_point()
            for label in (0, 1):
                part = space.restrict(at, label)
                assert part.littlestone_dim() >= space.littlestone_dim() - 1
    assert max(sizes) > 3  # several atoms, not one


@pytest.mark.parametrize(("k", "p", "d"), [(1, 1, 1), (1, 1, 2), (1, 2, 1), (2, 1, 2)])
def test_decompositions_of_sparse_sets(k, p, d):
    rng, degrees = np.random.default_rng(10 * k + p), set()
    for _ in range(25):
        space, left = low_error_space(rng, k)
        dimension = space.littlestone_dim()
        if dimension > d:
            continue
        degrees.add(space.decomposition_dim(p, d))
        assert space.decomposition_dim(p, d) == KERNELS[k].ddim(left, p, d)
        found = {labels(h) for h in space.essential(p, d)}
        assert found == {labelling(k, f) for f in KERNELS[k].essential(left, p, d)}
    assert len(degrees) > 1


def test_one_atom_is_never_reduced():
    """Lyu's theory in its own setting: the class never degenerates, whatever p."""
    space = SparseSets(5).version_space().restrict("a", 1).restrict("b", 0)
    assert space.reducibility() == math.inf
    assert space.decomposition_dim(10**9, 5) == 4
    assert space.essential(10**9, 5) == (on_points(["a"]),)
    points = Points().version_space()
    assert points.essential(10**30, 1) == (AlwaysZero(),)


def test_thresholds_over_an_enormous_domain():
    high = 2**1024
    rng = np.random.default_rng(0)
    target = high // 3
    points = [int.from_bytes(rng.bytes(128), "big") for _ in range(1000)]
    data = Sample.of(points, [int(x > target) for x in points])

    space = Thresholds(1, high).version_space()
    assert space.littlestone_dim() == 1024
    assert space.soa().above == 1  # 2**1024 + 1 thresholds: the second one
    space = space.within_error(data, 0)
    below = max(x for x in points if x <= target)
    above = min(x for x in points if x > target)
    assert space.runs == ((below, above - 1),)
    assert space.littlestone_dim() == (above - below).bit_length() - 1
    everything = space.essential(2, 1024)
    assert everything.size == above - below
    assert everything[0].above == below
    assert space.soa().above == above - 2 ** space.littlestone_dim()
    assert Thresholds(1, high).version_space().within_error(data, 10).littlestone_dim() > 1000


def test_sparse_sets_over_texts():
    space = SparseSets(20).version_space()
    assert space.littlestone_dim() == 20
    for i in range(1000):
        space = space.restrict(f"name-{i}", int(i % 100 == 0))
    assert space.littlestone_dim() == 10
    assert space.soa() == on_points(f"name-{i}" for i in range(0, 1000, 100))
    names = [f"name-{i}" for i in range(500)]
    data = Sample.of(names * 4, [int(i % 50 == 0) for i in range(500)] * 4)
    near = SparseSets(12).version_space().within_error(data, 3)
    assert len(near.atoms) == 1  # every sampled point was seen four times: nobody may be wrong
    assert near.soa() == on_points(names[::50])


def test_a_teacher_of_sparse_sets_lists_in_few_nodes():
    """Of 40 records 34 points leave {1}, every {1, x}, and {0, 1}: their subsets are not tried."""
    x = np.r_[np.ones(4), np.zeros(2), 2 + np.arange(34)].astype(int)
    sample = Sample.of(x, (x < 2).astype(int))
    for tolerance, ones, dimension in ((3, (1,), 1), (2, (1,), 1), (1, (0, 1), 0)):
        space = SparseSets(2).version_space(max_nodes=300).within_error(sample, tolerance)
        assert space.decomposition_dim(80, 2) == dimension
        assert list(space.essential(80, 2)) == [on_points(ones)]


# -- Intervals: closed forms against definitions spelled out here, and at 2**64 --------------------


@cache
def levels(gaps):
    """The dimension of the intervals in some gaps, by all ways to ask a first point."""
    best = 0
    for i, g in enumerate(gaps):
        for p in range(1, g + 1):
            inside = p.bit_length() + (g - p + 1).bit_length() - 2
            rest = tuple(sorted(x for x in (*gaps[:i], *gaps[i + 1 :], p - 1, g - p) if x))
            best = max(best, 1 + min(inside, levels(rest)))
    return best


@pytest.mark.parametrize("length", [*range(19), 30, 35])
def test_levels_of_a_gap(length):
    assert ldim_of_span(length) == levels((length,))


def test_what_cannot_be_listed_has_a_dimension_and_no_version_space():
    huge = ls.Intervals(1, 2**64)
    assert ls.theory.littlestone_dimension(huge) == 126
    assert ls.theory.shattered_tree(ls.Intervals(1, 2**6), depth=5).holds()
    with pytest.raises(UnsupportedError, match="too large to be listed"):
        huge.version_space()
