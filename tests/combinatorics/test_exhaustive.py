"""Every small class against the definitions: decompositions, colourings, witnesses."""

from __future__ import annotations

import inspect
import math
import sys
from collections import Counter
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
    monochromatic_subtree,
    thresholds_from_tree,
    tree_from_thresholds,
)
from littlestone.combinatorics.decomposition import _minimal, depth_limit
from littlestone.errors import ParameterError, SearchLimitError

from .brute import universe
from .classes import (
    affine_subspaces,
    conjunctions,
    cube,
    monotone_conjunctions,
    points,
    random_class,
    sparse_sets,
    thresholds,
)

# -- Every class on 3 and on 4 points against the definitions --------------------------------------


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


def as_defined(u, kernel, v, p, d, **how):
    """Compare with the definition; return the dimension and the essential hypotheses."""
    t, essential = u.essential(v, p, d, **how)
    assert kernel.ddim(v, p, d) == t
    assert kernel.essential(v, p, d) == tuple(sorted(essential))
    return t, essential


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("d", [0, 1, 2, 3, 4])
def test_decompositions_of_every_class_on_3_points(p, d):
    """Idle questions (that split nothing) included: they change nothing."""
    u = universe(3)
    kernel = Kernel(u.matrix(255))
    for v in u.classes():
        if u.ldim(v) <= d:
            t, _ = as_defined(u, kernel, v, p, d, idle=True)
            tree = kernel.decomposition(v, p, d)
            assert tree.degree == t
            assert u.holds(tree, v)
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
            t, essential = as_defined(u, kernel, v, p, d)
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
            as_defined(u, kernel, v, p, d)


# -- Irreducibility, decompositions and essential hypotheses on larger classes ---------------------


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
            t, _ = as_defined(u, kernel, v, p, d)
            assert kernel.reducibility(v) == u.reducibility(v)
            tree = kernel.decomposition(v, p, d)
            assert tree.degree == t
            assert u.holds(tree, v)
            interesting += t > 0
    assert interesting > 0 or d > 2 or p == 2


@pytest.mark.parametrize("seed", range(10))
def test_reductions_reduce_and_nothing_shorter_does(seed):
    rng = np.random.default_rng(seed)
    matrix, u = random_class(rng, 14, 7, 0.4), universe(7)
    kernel = Kernel(matrix)
    path = kernel.reduction()
    labels = kernel.soa()
    rest = kernel.full
    for x in path:
        after = kernel.restrict(rest, x, labels >> x & 1)
        assert after != rest  # every point of a shortest reduction splits what is left
        rest = after
    assert kernel.ldim(rest) < kernel.ldim()
    assert len(path) == u.reducibility(
        sum(1 << int(f) for f in matrix.astype(int) @ (1 << np.arange(7)))
    )
    for k in range(len(path) + 2):
        assert kernel.reducibility(cap=k) == (len(path) if k >= len(path) else math.inf)


@pytest.mark.parametrize(("free", "w"), [(3, 1), (4, 1), (11, 1), (6, 2), (7, 3), (6, 4)])
def test_reducibility_of_sparse_sets(free, w):
    """At most w of ``free`` points, free > w >= 1: SOA 0 and red = free - w + 1."""
    assert not Kernel(sparse_sets(free, w)).soa()
    assert Kernel(sparse_sets(free, w)).reducibility() == free - w + 1


@pytest.mark.parametrize("m", range(2, 34))
def test_reducibility_and_soa_of_thresholds(m):
    """s = floor(log2 m): the SOA is the threshold number m - 2**s; red is 2 at m = 2**(s+1) - 1.

    Hypotheses ascend as sets here, so number i from below is row m - 1 - i.
    """
    s = m.bit_length() - 1
    matrix = thresholds(m)
    assert Kernel(matrix).soa() == Kernel(matrix).matrix.rows[m - 2**s]
    assert Kernel(matrix).reducibility() == (2 if m == 2 ** (s + 1) - 1 else 1)


def test_one_hypothesis_is_irreducible_for_ever():
    assert Kernel([[0, 1]]).reducibility() == math.inf
    assert Kernel(cube(2)).reducibility(0) == math.inf


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("m", [3, 4, 5, 7, 8, 10, 11])
def test_points_degenerate_exactly_when_they_are_few(p, d, m):
    """DDim = 0 iff m - 1 <= p (2**d - 1); otherwise it is 1 with the one essential {0}."""
    few = m - 1 <= p * (2**d - 1)
    assert Kernel(points(m - 1)).ddim(None, p, d) == (0 if few else 1)
    kernel = Kernel(points(m - 1))
    assert kernel.essential(None, p, d) == (tuple(sorted(kernel.matrix.rows)) if few else (0,))


@pytest.mark.parametrize(
    ("matrix", "p", "d"),
    [
        *((thresholds(m), p, m.bit_length() - 1) for m in (2, 3, 5, 8, 13, 31) for p in (2, 3)),
        *((monotone_conjunctions(n), n, n) for n in (1, 2, 3)),
    ],
)
def test_thresholds_degenerate_from_p_2_on_and_monotone_conjunctions_from_p_n(matrix, p, d):
    assert Kernel(matrix).ddim(None, p, d) == 0


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
    assert Kernel(points(5)[1:]).essential(None, p=2, d=1) == (0,)


def test_empty_class_has_no_essential_hypothesis():
    kernel = Kernel(points(3))
    assert kernel.essential(0, 1, 1) == ()
    assert kernel.ddim(0, 1, 1) == -1


def test_depth_limit_of_a_leaf_of_full_dimension_is_zero():
    assert depth_limit(7, 3, 3) == 0
    assert Kernel(points(9)).decomposition(None, p=1, d=1).nodes[0].point is None


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


# -- Theorem 10 and Lemma 31 of Alon et al., as constructions --------------------------------------


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


@pytest.mark.parametrize("depth", [0, 1, 2, 3, 4, 5, 7, 8, 15])
def test_thresholds_from_cubes(depth):
    check(complete_tree(depth), cube(depth) if depth else np.zeros((1, 1)))


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


# -- Witness checkers accept what the definition accepts, and nothing else -------------------------


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


def test_the_checker_of_decompositions_refuses_every_broken_condition():
    u = universe(3)
    v = sum(1 << f for f in (0, 1, 2, 4))  # the point functions, and 0
    kernel = Kernel(u.matrix(255))
    tree = kernel.decomposition(v, 3, 1)
    root, late = tree.nodes[0], [replace(node, depth=node.depth + 1) for node in tree.nodes[1:]]
    other = replace(root, point=(root.point + 1) % 3)
    broken = [
        {"degree": 1}, {"p": 2}, {"p": 1}, {"nodes": (root, *late)},  # p: too deep
        {"nodes": (replace(root, point=None, children=None),)}, {"nodes": (other, *tree.nodes[1:])},
    ]  # fmt: skip
    assert u.holds(tree, v)
    assert not any(u.holds(replace(tree, **change), v) for change in broken)
    stump = DecompositionTree(1, 1, 1, (DecompositionNode(0, v),))
    assert u.holds(stump, v)  # four point functions and p = d = 1: the class is 1-irreducible
    assert not u.holds(replace(stump, p=3), v)
