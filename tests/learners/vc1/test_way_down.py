"""The way down to a proper node: weights, values, exact laws, and what it costs."""

from collections import Counter
from fractions import Fraction as F
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from littlestone.classes.trees import ROOT, MatrixTree
from littlestone.data import Sample
from littlestone.learners.vc1.proper import (
    TEST_SHARE,
    Below,
    Descent,
    Leaves,
    leaves_below,
    light_coin,
    most_leaves,
    round_budget,
)
from littlestone.privacy import BoundedRange, Pure, compose, hockey_stick
from littlestone.privacy.guarantee import upper
from littlestone.source import ExactSource, exp, probabilities

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


def brute(tree, top, negatives):
    """Weights and values of all nodes of T_good, by Definitions 18 to 20 word by word."""
    nodes = [n for n in range(15) if tree.quotient(n) == n and tree.precedes(n, top) and n != top]
    good = [
        x
        for x in nodes
        if not any(tree.is_proper(y) for y in nodes if y != x and tree.precedes(x, y))
    ]
    weight = {x: sum(negatives[y] for y in good if tree.precedes(y, x)) for x in good}
    ends = [x for x in good if tree.is_proper(x)]

    def value(leaf, start):
        return sum(negatives[y] for y in good if tree.precedes(leaf, y) and tree.precedes(y, start))

    least = {x: min(value(leaf, x) for leaf in ends if tree.precedes(leaf, x)) for x in good}
    return weight, least


def test_weights_and_values_are_the_definitions():
    rows = binary(3)
    rows.append(rows[1][:7] + [0] * 8)  # the path of one inner node is a concept, too
    tree = MatrixTree(rows, f=0)
    rng = np.random.default_rng(1)
    for _ in range(60):
        negatives = Counter({int(x): int(c) for x, c in enumerate(rng.integers(0, 3, 15))})
        for top in (0, 1, 2):
            if tree.is_proper(top):
                continue
            below = Below(tree, top, negatives)
            weight, least = brute(tree, top, negatives)
            assert {x: below.weight(x) for x in weight} == weight
            assert {x: below.least(x) for x in least} == least


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


def small_descent(rounds, noise=0):
    return Descent(F(4, 5), rounds, F(1, 10), F(1, 20), noise, 1, 1)


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


@pytest.mark.first(4)
@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize(("matrix", "top"), FORKS, ids=["fork", "binary", "trident"])
def test_rounds_cost_what_is_composed(matrix, top, rounds):
    """Each round: a test at a quarter of a choice; pure losses add up."""
    tree = MatrixTree(matrix, f=0)
    kinds = list(product(sorted({tree.quotient(x) for x in range(len(matrix[0]))}), (0, 1)))
    way = small_descent(rounds)
    total = rounds * way.choice * (1 + TEST_SHARE)
    found = laws(way, tree, top, kinds, 2)
    assert worst(found, kinds, total) <= F(1, 2**100)
    assert all(tree.is_proper(leaf) for law in found.values() for leaf in law)


def test_rounds_cost_more_than_one_choice():
    """The control: a record that weighs on two rounds is not paid for by one."""
    tree = MatrixTree(binary(2), f=0)
    way = small_descent(2, noise=-3)
    one, two = (
        ExactSource().law(lambda s, d=data: way.go_down(0, tree, d, s)).outcomes
        for data in (
            Sample.of([3] * 5 + [4] * 6, [0] * 11),
            Sample.of([3] * 4 + [4] * 6 + [2], [0] * 11),
        )
    )
    assert upper(hockey_stick(two, one, way.choice)) > 0
    assert upper(hockey_stick(two, one, 2 * way.choice * (1 + TEST_SHARE))) == 0


def test_the_coin_is_a_count_with_geometric_noise():
    a = exp(F(-1, 3))
    for above in range(-4, 5):
        coin = light_coin(above, F(1, 3))
        yes = float(probabilities(coin)[1])
        tail = sum(float(exp(F(-abs(z), 3)).enclose(64)) for z in range(-200, -above + 1))
        scale = (1 - float(a.enclose(64))) / (1 + float(a.enclose(64)))
        assert yes == pytest.approx(tail * scale, rel=1e-9)


@pytest.mark.more
def test_the_rounds_are_calibrated():
    epsilon, delta = F(1), F(1, 10**6)
    for rounds in (2, 20):
        choice = round_budget(epsilon, delta, rounds)
        losses = {BoundedRange(choice): rounds, Pure(choice * TEST_SHARE): rounds}
        assert compose(losses, delta=delta)[0] <= epsilon
        more = choice * F(102, 100)
        losses = {BoundedRange(more): rounds, Pure(more * TEST_SHARE): rounds}
        assert compose(losses, delta=delta)[0] > epsilon


def test_the_substitution_of_theorem_13_overspends():
    """alpha = 0.1: twenty rounds of two mechanisms at epsilon / sqrt(2 ln(2/delta)/alpha) each."""
    delta = F(1, 10**6)
    each = F(str(round(1 / (2 * np.log(2 / float(delta)) / 0.1) ** 0.5, 9)))
    losses = {BoundedRange(each): 20, Pure(each): 20}
    assert compose(losses, delta=delta)[0] > F(12, 10)


def test_an_improper_node_of_the_best_tree_is_left():
    tree = MatrixTree(binary(2), f=0)
    negatives = Sample.of([3, 3, 4, 4, 5], [0, 0, 0, 0, 0])
    way = Leaves(F(30), F(1, 10), F(1, 20), 4)
    law = ExactSource().law(lambda source: way.go_down(0, tree, negatives, source)).outcomes
    best = max(law, key=lambda leaf: float(law[leaf]))
    assert best == 6  # the only leaf that nothing contradicts
    assert best is not ROOT
