"""Closed forms against the exact kernel, on random version spaces of every structured class."""

from __future__ import annotations

import math
import zlib

import numpy as np
import pytest


def generator(concept_class, salt=0):
    return np.random.default_rng([zlib.crc32(concept_class.spec.encode()), salt])


@pytest.mark.first(10)
def test_dimension_soa_and_reducibility(small, rows_of, random_states):
    rows, rng = rows_of(small), generator(small)
    for _ in range(12):
        for space, left in random_states(rows, rng, steps=5):
            assert space.is_empty == (left == 0)
            assert space.littlestone_dim() == rows.kernel.ldim(left)
            soa = space.soa()
            assert rows.labels(soa) == rows.labelling(rows.kernel.soa(left))
            assert space.reducibility() == rows.kernel.reducibility(left)
            assert space.reducibility(cap=1) == rows.kernel.reducibility(left, cap=1)


@pytest.mark.first(10)
def test_low_error(small, rows_of, random_states):
    rows, rng = rows_of(small), generator(small, 1)
    for _ in range(25):
        for space, left in random_states(rows, rng, steps=2, errors=True):
            assert space.is_empty == (left == 0)
            assert space.littlestone_dim() == rows.kernel.ldim(left)
            assert rows.labels(space.soa()) == rows.labelling(rows.kernel.soa(left))
            assert space.reducibility() == rows.kernel.reducibility(left)


@pytest.mark.first(10)
def test_decompositions(small, rows_of, random_states):
    rows, rng = rows_of(small), generator(small, 2)
    top = rows.kernel.ldim()
    for _ in range(4):
        for space, left in random_states(rows, rng, steps=2, errors=True):
            for p, d in ((1, top), (2, top), (1, top + 1)):
                assert space.decomposition_dim(p, d) == rows.kernel.ddim(left, p, d)
                found = {rows.labels(h) for h in space.essential(p, d)}
                assert found == {rows.labelling(f) for f in rows.kernel.essential(left, p, d)}
                assert len(found) == len(space.essential(p, d))


@pytest.mark.first(10)
def test_equal_predictions_are_equal_hypotheses(small, rows_of, random_states):
    rows, rng = rows_of(small), generator(small, 3)
    seen = {}
    for _ in range(20):
        for space, left in random_states(rows, rng, steps=4, errors=True):
            if left:
                soa = space.soa()
                assert seen.setdefault(rows.labels(soa), soa.key) == soa.key
                assert hash(soa) == hash(space.soa())


@pytest.mark.first(10)
def test_members_and_splitting_points(small, rows_of, random_states):
    rows, rng = rows_of(small), generator(small, 4)
    for _ in range(10):
        for space, left in random_states(rows, rng, steps=4, errors=True):
            if not left:
                continue
            member = rows.labels(space.member())
            assert left & rows.rows_where(lambda row, m=member: tuple(row) == m)
            dimension, point = space.littlestone_dim(), space.splitting_point()
            assert (point is None) == (dimension == 0)
            if point is not None:
                for label in (0, 1):
                    assert space.restrict(point, label).littlestone_dim() >= dimension - 1


def test_distinguish(small, rows_of):
    rows, rng = rows_of(small), generator(small, 5)
    space = small.version_space()
    for _ in range(40):
        h, g = (rows.concepts[i] for i in rng.integers(0, len(rows.concepts), 2))
        point = space.distinguish(h, g)
        if rows.labels(h) == rows.labels(g):
            assert point is None
        else:
            at = rows.points.index(point)
            assert rows.labels(h)[at] != rows.labels(g)[at]


def test_spaces_are_values(small, rows_of, random_states):
    rows, rng = rows_of(small), generator(small, 6)
    for space, _ in random_states(rows, rng, steps=4):
        assert space == space.fresh()
        assert hash(space) == hash(space.fresh())
        again = space.restrict(rows.points[0], 1).restrict(rows.points[0], 1)
        assert again == space.restrict(rows.points[0], 1)


def test_points_outside_the_domain_are_labelled_0(small):
    space = small.version_space()
    for point in ("elsewhere", 10**30, (9, 9, 9, 9, 9), None):
        assert space.restrict(point, 0).littlestone_dim() == space.littlestone_dim()
        assert space.restrict(point, 1).is_empty
        assert space.restrict(point, 1).littlestone_dim() == -1


def test_the_empty_space(small, rows_of):
    rows = rows_of(small)
    space = small.version_space()
    for point in rows.points:
        space = space.restrict(point, 0).restrict(point, 1)
    assert space.is_empty
    assert not any(rows.labels(space.soa()))
    assert space.reducibility() == math.inf
    assert space.decomposition_dim(1, 3) == -1
    assert list(space.essential(1, 3)) == []
