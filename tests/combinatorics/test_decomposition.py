"""Irreducibility, decompositions and essential hypotheses on larger classes."""

from __future__ import annotations

import inspect
import math
import sys

import numpy as np
import pytest

from littlestone.combinatorics import Kernel
from littlestone.combinatorics.decomposition import TextbookClass, _minimal, depth_limit
from littlestone.errors import SearchLimitError

from .brute import universe
from .classes import cube, monotone_conjunctions, points, random_class, sparse_sets, thresholds
from .questions import (
    decomposition_dim,
    decomposition_tree,
    essential_hypotheses,
    reducibility,
    soa_labels,
)


def ball(rng, n, radius, m):
    """At most m functions within a Hamming ball: small Littlestone dimension, DDim often > 0."""
    centre = int(rng.integers(2**n))
    inside = [f for f in range(2**n) if (f ^ centre).bit_count() <= radius]
    chosen = rng.choice(len(inside), size=min(m, len(inside)), replace=False)
    return sum(1 << inside[i] for i in chosen)


@pytest.mark.first(4)
@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [4, 5, 6])
def test_random_classes_against_the_definition(n, p, d):
    u = universe(n)
    rng = np.random.default_rng([n, p, d])
    kernel = Kernel(u.matrix((1 << 2**n) - 1), max_nodes=None)
    interesting = 0
    for _ in range(40):
        v = ball(rng, n, min(d, 2), int(rng.integers(3, 20)))
        if u.ldim(v) <= d:
            t, essential = u.essential(v, p, d)
            assert kernel.ddim(v, p, d) == t
            assert kernel.essential(v, p, d) == tuple(sorted(essential))
            assert kernel.reducibility(v) == u.reducibility(v)
            tree = kernel.decomposition(v, p, d)
            assert tree.degree == t
            assert tree.holds(u.matrix((1 << 2**n) - 1))
            interesting += t > 0
    assert interesting > 0 or d > 2 or p == 2


@pytest.mark.parametrize("seed", range(10))
def test_reductions_reduce_and_nothing_shorter_does(seed):
    rng = np.random.default_rng(seed)
    matrix = random_class(rng, 14, 7, 0.4)
    kernel, book = Kernel(matrix), TextbookClass(matrix)
    path = kernel.reduction()
    labels = kernel.soa()
    rest = kernel.full
    for x in path:
        after = kernel.restrict(rest, x, labels >> x & 1)
        assert after != rest  # every point of a shortest reduction splits what is left
        rest = after
    assert kernel.ldim(rest) < kernel.ldim()
    assert not book.is_irreducible(book.all, len(path))
    assert book.is_irreducible(book.all, len(path) - 1)
    for k in range(len(path) + 2):
        assert kernel.is_irreducible(kernel.full, k) == (k < len(path))
        assert kernel.reducibility(cap=k) == (len(path) if k >= len(path) else math.inf)


@pytest.mark.parametrize("m", [4, 5, 9, 12])
def test_reducibility_of_points(m):
    """m hypotheses, the constant 0 among them: all answers 0, until one is left."""
    assert reducibility(points(m - 1)) == m - 1


@pytest.mark.parametrize(("free", "w"), [(4, 1), (6, 2), (7, 3), (6, 4)])
def test_reducibility_of_sparse_sets(free, w):
    """At most w of ``free`` points, free > w >= 1: SOA 0 and red = free - w + 1."""
    assert not soa_labels(sparse_sets(free, w)).any()
    assert reducibility(sparse_sets(free, w)) == free - w + 1


@pytest.mark.parametrize("m", range(2, 34))
def test_reducibility_and_soa_of_thresholds(m):
    """s = floor(log2 m): the SOA is the threshold number m - 2**s; red is 2 at m = 2**(s+1) - 1.

    Hypotheses ascend as sets here, so number i from below is row m - 1 - i.
    """
    s = m.bit_length() - 1
    matrix = thresholds(m)
    assert soa_labels(matrix).tolist() == matrix[m - 2**s].tolist()
    assert reducibility(matrix) == (2 if m == 2 ** (s + 1) - 1 else 1)


def test_one_hypothesis_is_irreducible_for_ever():
    assert reducibility([[0, 1]]) == math.inf
    assert Kernel(cube(2)).reducibility(0) == math.inf


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("m", [3, 4, 5, 7, 8, 10, 11])
def test_points_degenerate_exactly_when_they_are_few(p, d, m):
    """DDim = 0 iff m - 1 <= p (2**d - 1); otherwise it is 1 with the one essential {0}."""
    few = m - 1 <= p * (2**d - 1)
    assert decomposition_dim(points(m - 1), p, d) == (0 if few else 1)
    essential = essential_hypotheses(points(m - 1), p, d)
    if few:
        assert sorted(map(tuple, essential)) == sorted(map(tuple, points(m - 1)))
    else:
        assert essential.tolist() == [[0] * (m - 1)]


@pytest.mark.parametrize("m", [2, 3, 5, 8, 13, 16, 31])
@pytest.mark.parametrize("p", [2, 3])
def test_thresholds_degenerate_from_p_2_on(m, p):
    assert decomposition_dim(thresholds(m), p, m.bit_length() - 1) == 0


@pytest.mark.parametrize("n", [1, 2, 3])
def test_monotone_conjunctions_degenerate_from_p_n_on(n):
    assert decomposition_dim(monotone_conjunctions(n), n, n) == 0


def test_thousands_of_hypotheses_with_few_columns_are_listed_at_once():
    matrix = random_class(np.random.default_rng(0), 5000, 20)
    kernel = Kernel(matrix)
    kernel.ldim()
    assert len(kernel.essential(None, 20, 12)) == len(matrix)
    assert kernel.nodes == 1


def test_many_points_and_a_small_p_are_decided_by_certificates():
    kernel = Kernel(points(600))
    assert kernel.ddim(None, 200, 1) == 1
    assert kernel.ddim(None, 200, 2) == 0
    assert kernel.essential(None, 200, 1) == (0,)
    assert kernel.nodes < 2000
    assert len(kernel.essential(None, 200, 2)) == 601


def test_inclusion_minimal_sets():
    assert sorted(_minimal([0b111, 0b011, 0b100, 0b101, 0b010])) == [0b010, 0b100]
    many = [0b1, *range(3, 3 + 600)]
    assert _minimal(many) == many  # too many to compare: pruning is left out


@pytest.mark.more
def test_packing_certificates_are_proofs():
    u = universe(4)
    kernel = Kernel(u.matrix((1 << 16) - 1))
    proved = 0
    for v in range(1, 1 << 16, 3):
        for k in (1, 2, 3):
            if kernel.ldim(v) > 0 and kernel._reductions.is_packed(v, k):
                assert u.reducibility(v) > k
                assert kernel._reductions.is_packed(v, k)  # remembered
                proved += 1
    assert proved > 100


@pytest.mark.more
def test_deep_trees_need_no_recursion():
    """A chain of 200 questions under a recursion limit of about 60 more calls."""
    kernel = Kernel(points(200))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 60)
    try:
        tree = kernel.decomposition(None, 200, 1)
    finally:
        sys.setrecursionlimit(limit)
    assert tree.degree == 0
    assert max(node.depth for node in tree.nodes) == 200
    assert len(tree.leaves) == 201


def test_essential_hypotheses_may_be_improper():
    """Five point functions without 0: the only essential hypothesis is the constant 0."""
    assert essential_hypotheses(points(5)[1:], p=2, d=1).tolist() == [[0, 0, 0, 0, 0]]


def test_empty_class_has_no_essential_hypothesis():
    kernel = Kernel(points(3))
    assert kernel.essential(0, 1, 1) == ()
    assert kernel.ddim(0, 1, 1) == -1


def test_depth_limit_of_a_leaf_of_full_dimension_is_zero():
    assert depth_limit(7, 3, 3) == 0
    assert decomposition_tree(points(9), p=1, d=1).nodes[0].point is None


@pytest.mark.parametrize("ask", ["ddim", "essential", "decomposition"])
def test_budget_never_returns_a_part(ask):
    matrix = sparse_sets(7, 2)
    exact = Kernel(matrix, max_nodes=None)
    answer = getattr(exact, ask)(None, 1, 2)
    used = exact.nodes
    assert getattr(Kernel(matrix, max_nodes=used), ask)(None, 1, 2) == answer
    for budget in range(0, used, max(1, used // 25)):
        with pytest.raises(SearchLimitError) as stopped:
            getattr(Kernel(matrix, max_nodes=budget), ask)(None, 1, 2)
        assert stopped.value.lower <= exact.ddim(None, 1, 2) <= stopped.value.upper


def test_budget_of_reducibility():
    kernel = Kernel(points(30), max_nodes=50)
    with pytest.raises(SearchLimitError) as stopped:
        kernel.reducibility()
    assert 1 <= stopped.value.lower <= 30 == stopped.value.upper
