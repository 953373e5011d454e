"""Witness checkers accept what the definition accepts, and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from littlestone.combinatorics import (
    DecompositionNode,
    DecompositionTree,
    Kernel,
    MistakeTree,
    ShatteredSet,
    ThresholdSequence,
)
from littlestone.combinatorics.decomposition import TextbookClass

from .classes import cube, points, random_class, sparse_sets, thresholds
from .questions import decomposition_tree


def shatters(matrix, tree):
    """The definition, path by path, written apart from the library."""
    for leaf, labels in enumerate(product((0, 1), repeat=tree.depth)):
        node = 0
        for label in labels:
            if matrix[tree.leaves[leaf]][tree.points[node]] != label:
                return False
            node = 2 * node + 1 + label
    return True


@pytest.mark.parametrize("seed", range(20))
def test_checker_of_trees_agrees_with_the_definition_on_random_changes(seed):
    rng = np.random.default_rng(seed)
    matrix = random_class(rng, 12, 6)
    tree = Kernel(matrix).mistake_tree()
    assert tree.holds(matrix)
    assert shatters(matrix, tree)
    held = 0
    for _ in range(40):
        chosen = list(tree.points)
        leaves = list(tree.leaves)
        if chosen and rng.integers(2):
            chosen[rng.integers(len(chosen))] = int(rng.integers(6))
        else:
            leaves[rng.integers(len(leaves))] = int(rng.integers(len(matrix)))
        changed = MistakeTree(tree.depth, tuple(chosen), tuple(leaves))
        assert changed.holds(matrix) == shatters(matrix, changed)
        held += changed.holds(matrix)
    assert held < 40


@pytest.mark.parametrize(
    "tree",
    [
        MistakeTree(2, (0, 1), (0, 1, 2, 3)),
        MistakeTree(2, (0, 1, 1), (0, 1, 2)),
        MistakeTree(1, (2,), (0, 1)),
        MistakeTree(1, (0,), (0, 4)),
        MistakeTree(1, (-2,), (0, 2)),
        MistakeTree(1, (0,), (-4, 2)),
        MistakeTree(-1, (), ()),
    ],
)
def test_malformed_trees_do_not_hold(tree):
    assert not tree.holds(cube(2))


def test_shattered_sets():
    assert ShatteredSet((0, 1), (0, 2, 1, 3)).holds(cube(2))
    assert ShatteredSet((), (3,)).holds(cube(2))
    for wrong in [
        ShatteredSet((0, 1), (0, 1, 2, 3)),
        ShatteredSet((0, 0), (0, 2, 0, 2)),
        ShatteredSet((0, 1), (0, 2, 1)),
        ShatteredSet((0, 2), (0, 2, 1, 3)),
        ShatteredSet((0,), (0, 9)),
    ]:
        assert not wrong.holds(cube(2))


def test_threshold_sequences():
    matrix = thresholds(4)
    assert ThresholdSequence((0, 1, 2), (0, 1, 2)).holds(matrix)
    assert ThresholdSequence((0, 1, 2, 3), (0, 1, 2)).holds(matrix)  # one point fewer
    assert ThresholdSequence((1,), ()).holds(matrix)
    for wrong in [
        ThresholdSequence((1, 0, 2), (0, 1, 2)),
        ThresholdSequence((0, 1, 2, 3), (0, 1)),
        ThresholdSequence((0, 1), (0, 1, 2)),
        ThresholdSequence((0, 1), (0, 5)),
        ThresholdSequence((0, 0), (0, 1)),
        ThresholdSequence((), ()),
    ]:
        assert not wrong.holds(matrix)


def test_decomposition_checker_refuses_every_broken_condition():
    matrix = points(3)
    tree = decomposition_tree(matrix, p=3, d=1)
    assert tree.holds(matrix)
    assert tree.degree == 0
    assert not replace(tree, degree=1).holds(matrix)
    assert not replace(tree, p=2).holds(matrix)  # too deep
    assert not replace(tree, p=1).holds(matrix)
    root = tree.nodes[0]
    assert not replace(tree, nodes=(replace(root, point=None, children=None),)).holds(matrix)
    other = replace(root, point=(root.point + 1) % 3)
    assert not replace(tree, nodes=(other, *tree.nodes[1:])).holds(matrix)
    late = tuple(replace(node, depth=node.depth + 1) for node in tree.nodes[1:])
    assert not replace(tree, nodes=(root, *late)).holds(matrix)
    stump = DecompositionTree(1, 1, 1, (DecompositionNode(0, 0b1111),))
    assert stump.holds(matrix)  # four point functions and p = d = 1: the class is 1-irreducible
    reducible = DecompositionTree(3, 1, 1, (DecompositionNode(0, 0b1111),))
    assert not reducible.holds(matrix)


def test_textbook_irreducibility_takes_sequences_of_any_length():
    book = TextbookClass(points(3))
    assert [book.is_irreducible(book.all, k) for k in (0, 1, 2, 3, 4, 100)] == [True] * 3 + [
        False
    ] * 3
    assert book.is_irreducible(frozenset([2]), 100)


def test_expanded_empty_nodes_are_refused():
    """With them Lemma 4.1 would fail: {h}, p = d = 1 would get 3 leaves instead of at most 2."""
    one = 1
    nodes = (
        DecompositionNode(0, one, 0, (1, 2)),
        DecompositionNode(1, one),
        DecompositionNode(1, 0, 0, (3, 4)),
        DecompositionNode(2, 0),
        DecompositionNode(2, 0),
    )
    assert not DecompositionTree(1, 1, 0, nodes).holds([[0, 0]])


def test_every_witness_is_plain_json():
    kernel = Kernel(sparse_sets(4, 2))
    for witness in (
        kernel.mistake_tree(),
        kernel.shattered_set(),
        kernel.threshold_sequence(),
        kernel.decomposition(None, 1, 2),
    ):
        plain = witness.to_dict()
        assert json.loads(json.dumps(plain)) == plain
        assert plain["type"] in {
            "mistake_tree",
            "shattered_set",
            "threshold_sequence",
            "decomposition_tree",
        }
