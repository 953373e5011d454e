"""The draw of a proper node over leaves: exact laws, and what it costs."""

from fractions import Fraction as F
from itertools import combinations_with_replacement, product

import pytest

from littlestone.classes.trees import ROOT, MatrixTree
from littlestone.data import Sample
from littlestone.learners.vc1 import Leaves, leaves_below, most_leaves
from littlestone.privacy import hockey_stick
from littlestone.privacy.guarantee import upper
from littlestone.source import ExactSource

from .small import EXAMPLE, FORK


def binary(depth):
    """All paths of a binary tree that end at a leaf, and nothing: every inner node is improper."""
    nodes = [w for d in range(depth + 1) for w in product("ab", repeat=d)]
    rows = [[0] * len(nodes)]
    for leaf in product("ab", repeat=depth):
        rows.append([int(leaf[: len(node)] == node) for node in nodes])
    return rows


def test_leaves_are_the_first_proper_nodes():
    tree = MatrixTree(binary(3), f=0)
    top = tree.ancestor(14, 1)
    assert len(list(leaves_below(tree, top))) == 8
    assert most_leaves(tree) == 8
    inner = next(tree.children(top))
    assert len(list(leaves_below(tree, inner))) == 4
    assert most_leaves(MatrixTree(EXAMPLE)) == 0  # the paper's example: all nodes are proper
    assert most_leaves(MatrixTree(FORK, f=0)) == 2


def laws(way, tree, top, kinds, n):
    """The exact law of the way down for all multisets of n records."""
    found = {}
    for data in combinations_with_replacement(kinds, n):
        sample = Sample.of([x for x, _ in data], [y for _, y in data])
        law = ExactSource().law(lambda source, s=sample: way.go_down(top, tree, s, source))
        found[data] = law.outcomes
    return found


def worst(found, kinds, epsilon):
    """The largest divergence of neighbours at epsilon."""
    largest = F(0)
    for data, law in found.items():
        for i, new in product(range(len(data)), kinds):
            other = tuple(sorted((*data[:i], new, *data[i + 1 :])))
            if other != data:
                largest = max(largest, upper(hockey_stick(law, found[other], epsilon)))
    return largest


FORKS = [(FORK, 0), (binary(2), 0), ([[0] * 4, [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]], 0)]


@pytest.mark.parametrize(("matrix", "top"), FORKS, ids=["fork", "binary", "trident"])
def test_leaves_cost_epsilon(matrix, top):
    tree = MatrixTree(matrix, f=0)
    kinds = list(product(sorted({tree.quotient(x) for x in range(len(matrix[0]))}), (0, 1)))
    way = Leaves(F(1), F(1, 10), F(1, 20), 4)
    for n in (1, 2):
        found = laws(way, tree, top, kinds, n)
        assert worst(found, kinds, F(1)) <= F(1, 2**100)
        assert worst(found, kinds, F(9, 20)) > 0
    assert all(tree.is_proper(leaf) for law in found.values() for leaf in law)


def test_an_improper_node_of_the_best_tree_is_left():
    tree = MatrixTree(binary(2), f=0)
    negatives = Sample.of([3, 3, 4, 4, 5], [0, 0, 0, 0, 0])
    way = Leaves(F(30), F(1, 10), F(1, 20), 4)
    law = ExactSource().law(lambda source: way.go_down(0, tree, negatives, source)).outcomes
    best = max(law, key=lambda leaf: float(law[leaf]))
    assert best == 6  # the only leaf that nothing contradicts
    assert best is not ROOT
