"""Every class on 3 and on 4 points against the definitions."""

from __future__ import annotations

from collections import Counter

import pytest

from littlestone.combinatorics import Kernel

from .brute import universe


@pytest.fixture(scope="module", params=[3, 4])
def world(request):
    """All functions on n points in one matrix, so that a class is a version space."""
    u = universe(request.param)
    return u, Kernel(u.matrix((1 << 2**u.n) - 1), max_nodes=None)


def test_the_brute_force_recursion_is_the_definition_by_trees():
    u = universe(3)
    trees = {depth: u.complete_trees(depth) for depth in range(4)}
    for v in u.classes():
        depths = [d for d in trees if any(all(v & leaf for leaf in tree) for tree in trees[d])]
        assert u.ldim(v) == max(depths)


@pytest.mark.first(1)
def test_dimensions_soa_and_reducibility_of_every_class(world):
    u, kernel = world
    for v in (0, *u.classes()):
        assert kernel.ldim(v) == u.ldim(v)
        assert kernel.soa(v) == u.soa(v)
        assert kernel.vc_dim(v) == u.vc(v)
        assert kernel.threshold_dim(v) == u.thresholds(v)
        assert kernel.reducibility(v) == u.reducibility(v)


@pytest.mark.first(1)
def test_theorem_10_as_inequalities_on_every_class(world):
    u, kernel = world
    for v in u.classes():
        ldim, thresholds = kernel.ldim(v), kernel.threshold_dim(v)
        assert ldim >= thresholds.bit_length() - 1  # part 2: floor(log2 T)
        assert thresholds >= ldim.bit_length() - 1  # part 1, as stated in the main text
        assert kernel.vc_dim(v) <= ldim


def check_own_matrix(u, v):
    """Everything, witnesses included, when the class is read as a matrix of its own."""
    matrix = u.matrix(v)
    kernel = Kernel(matrix)
    tree = kernel.mistake_tree()
    shattered = kernel.shattered_set()
    thresholds = kernel.threshold_sequence()
    assert kernel.ldim() == u.ldim(v) == tree.depth
    assert kernel.vc_dim() == u.vc(v) == len(shattered.points)
    assert kernel.threshold_dim() == u.thresholds(v) == len(thresholds.points)
    assert tree.holds(matrix)
    assert shattered.holds(matrix)
    assert thresholds.holds(matrix)
    assert kernel.soa() == u.soa(v)


@pytest.mark.more
def test_witnesses_of_every_class_on_3_points_and_some_on_4():
    for v in universe(3).classes():
        check_own_matrix(universe(3), v)
    for v in range(1, 1 << 16, 61):
        check_own_matrix(universe(4), v)


@pytest.mark.full
def test_witnesses_of_every_class_on_4_points():
    for v in universe(4).classes():
        check_own_matrix(universe(4), v)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("d", [0, 1, 2, 3, 4])
def test_decompositions_of_every_class_on_3_points(p, d):
    """Idle questions (that split nothing) included: they change nothing."""
    u = universe(3)
    kernel = Kernel(u.matrix(255))
    for v in u.classes():
        if u.ldim(v) <= d:
            t, essential = u.essential(v, p, d, idle=True)
            assert kernel.ddim(v, p, d) == t
            assert kernel.essential(v, p, d) == tuple(sorted(essential))
            tree = kernel.decomposition(v, p, d)
            assert tree.degree == t
            assert len(tree.leaves) <= u.most_leaves(v, 0, p, d)


@pytest.mark.more
@pytest.mark.parametrize(
    ("p", "d", "expected"),
    [
        (1, 1, {(False, True): 136, (True, True): 752}),
        (2, 1, {(False, True): 696, (True, True): 192}),
        # of the classes with DDim > 0, 384 have no essential hypothesis: lists may be empty
        (1, 2, {(False, True): 25100, (True, True): 6544, (True, False): 384}),
    ],
)
def test_essential_hypotheses_of_every_class_on_4_points(p, d, expected):
    u = universe(4)
    kernel = Kernel(u.matrix((1 << 16) - 1), max_nodes=None)
    seen = Counter()
    for v in u.classes():
        if u.ldim(v) <= d:
            t, essential = u.essential(v, p, d)
            assert kernel.ddim(v, p, d) == t
            assert kernel.essential(v, p, d) == tuple(sorted(essential))
            seen[t > 0, len(essential) > 0] += 1
    assert seen == expected


@pytest.mark.full
@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("d", [0, 1, 2, 3, 4])
def test_every_class_on_4_points_for_all_parameters(p, d):
    u = universe(4)
    kernel = Kernel(u.matrix((1 << 16) - 1), max_nodes=None)
    for v in u.classes():
        if u.ldim(v) <= d:
            t, essential = u.essential(v, p, d)
            assert kernel.ddim(v, p, d) == t
            assert kernel.essential(v, p, d) == tuple(sorted(essential))
