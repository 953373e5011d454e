"""Theorem 10 and Lemma 31 of Alon et al., as constructions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from littlestone.combinatorics import (
    Kernel,
    MistakeTree,
    ThresholdSequence,
    monochromatic_subtree,
    thresholds_from_tree,
    tree_from_thresholds,
)
from littlestone.errors import ParameterError

from .classes import affine_subspaces, conjunctions, cube, random_class, sparse_sets, thresholds


def complete_tree(depth):
    """The tree of the cube: level i asks point i."""
    asked = [level for level in range(depth) for _ in range(2**level)]
    return MistakeTree(depth, tuple(asked), tuple(range(2**depth)))


def numbered_tree(depth):
    """Every inner node is its own point, so that a subtree shows where it lies."""
    return MistakeTree(depth, tuple(range(2**depth - 1)), tuple(range(2**depth)))


def below(node, other):
    """Say on which side of a node (1 left, 2 right) another node lies; 0 for neither."""
    while other > node:
        parent = (other - 1) // 2
        if parent == node:
            return other - 2 * node
        other = parent
    return 0


def highest(colours, colour, node=0):
    """Lemma 31's subtree by its recursive definition."""
    if node >= len(colours):
        return 0
    left, right = highest(colours, colour, 2 * node + 1), highest(colours, colour, 2 * node + 2)
    rooted = 1 + min(left, right) if colours[node] == colour else 0
    return max(left, right, rooted)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_lemma_31_on_every_colouring(depth):
    tree = numbered_tree(depth)
    for colours in product((False, True), repeat=2**depth - 1):
        is_red, subtree = monochromatic_subtree(tree, colours)
        assert all(colours[node] == is_red for node in subtree.points)
        heights = {colour: highest(colours, colour) for colour in (False, True)}
        assert subtree.depth == max(heights.values())
        # Lemma 31: depth p + q - 1 gives a red one of height p or a blue one of height q
        for p in range(1, depth + 1):
            assert heights[True] >= p or heights[False] >= depth + 1 - p
        for i, node in enumerate(subtree.points):
            for label in (1, 2):
                child = 2 * i + label
                if child < len(subtree.points):
                    assert below(node, subtree.points[child]) == label
        n = len(tree.points)
        for i, leaf in enumerate(subtree.leaves):
            at = i + len(subtree.points)
            while at:
                parent, side = (at - 1) // 2, at - 2 * ((at - 1) // 2)
                assert below(subtree.points[parent], leaf + n) == side
                at = parent


def check(tree, matrix):
    assert tree.holds(matrix)
    found = thresholds_from_tree(tree, matrix)
    assert found.holds(matrix)
    assert len(found.hypotheses) == len(found.points) + 1
    t = (tree.depth + 1).bit_length() - 2  # 2**(t + 1) - 1 <= depth
    assert len(found.hypotheses) >= t + 2
    back = tree_from_thresholds(found)
    assert back.depth == len(found.hypotheses).bit_length() - 1
    assert back.holds(matrix)
    return found


@pytest.mark.parametrize("depth", [0, 1, 2, 3, 4, 5, 7, 8])
def test_thresholds_from_cubes(depth):
    check(complete_tree(depth), cube(depth) if depth else np.zeros((1, 1)))


def test_thresholds_from_a_tree_of_depth_15():
    assert len(check(complete_tree(15), cube(15)).hypotheses) >= 5


@pytest.mark.parametrize("seed", range(25))
def test_thresholds_from_witness_trees_of_random_classes(seed):
    rng = np.random.default_rng(seed)
    matrix = random_class(rng, int(rng.integers(8, 400)), int(rng.integers(4, 30)))
    check(Kernel(matrix).mistake_tree(), matrix)


@pytest.mark.parametrize(
    "matrix", [sparse_sets(9, 4), conjunctions(4), affine_subspaces(4, 3), thresholds(300)]
)
def test_thresholds_from_witness_trees_of_families(matrix):
    found = check(Kernel(matrix).mistake_tree(), matrix)
    assert len(found.points) <= Kernel(matrix).threshold_dim()


@pytest.mark.parametrize("k", [1, 2, 3, 4, 7, 8, 15, 16, 17, 100])
def test_trees_from_thresholds(k):
    """Part 2: k thresholds give depth floor(log2 k), with k points or with k - 1."""
    matrix = thresholds(k + 1)
    for m in (k - 1, k):
        sequence = ThresholdSequence(tuple(range(k)), tuple(range(m)))
        assert sequence.holds(matrix)
        tree = tree_from_thresholds(sequence)
        assert tree.depth == k.bit_length() - 1
        assert tree.holds(matrix)


def test_two_thresholds_of_the_appendix_are_not_two_of_the_definition():
    """Both constants on one point: depth 1 = 2**1 - 1, two hypotheses, but only one point."""
    kernel = Kernel([[0], [1]])
    found = thresholds_from_tree(kernel.mistake_tree(), [[0], [1]])
    assert len(found.hypotheses) == 2
    assert kernel.threshold_dim() == 1


def test_refusals():
    with pytest.raises(ParameterError, match="shatters"):
        thresholds_from_tree(complete_tree(2), thresholds(4))
    with pytest.raises(ParameterError, match="of length 3"):
        monochromatic_subtree(complete_tree(2), [True])
    with pytest.raises(ParameterError, match="threshold sequence"):
        tree_from_thresholds(ThresholdSequence((), ()))
    with pytest.raises(ParameterError, match="threshold sequence"):
        tree_from_thresholds(ThresholdSequence((0, 1, 2), (0,)))
