"""Littlestone dimension, SOA and trees: published values, the filter, both backends, budgets."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from littlestone.combinatorics import Kernel
from littlestone.combinatorics.dimensions import IntegerSpace, LittlestoneSearch
from littlestone.combinatorics.matrix import BitMatrix, NodeLimit, set_of
from littlestone.errors import ParameterError, SearchLimitError

from .brute import Universe, universe
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
from .questions import littlestone_dim, mistake_tree, soa_labels


@pytest.mark.parametrize("n", [*range(2, 40), 63, 64, 127, 128, 255, 256, 511, 512, 1023, 1024])
def test_thresholds_have_the_logarithm(n):
    """n hypotheses, n - 1 points; 2**k and 2**k - 1 of either in particular (see the filter)."""
    assert littlestone_dim(thresholds(n)) == n.bit_length() - 1


@pytest.mark.parametrize("n", [2, 3, 10, 300])
def test_points_have_dimension_1_and_soa_0(n):
    assert littlestone_dim(points(n)) == 1
    assert not soa_labels(points(n)).any() or n == 2


@pytest.mark.parametrize(("n", "k"), [(5, 0), (5, 1), (5, 2), (9, 3), (14, 3), (8, 5), (4, 4)])
def test_sparse_sets_have_dimension_k(n, k):
    assert littlestone_dim(sparse_sets(n, k)) == k


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_conjunctions_have_dimension_n_and_n_plus_1(n):
    assert littlestone_dim(monotone_conjunctions(n)) == n
    assert littlestone_dim(conjunctions(n)) == n + 1


@pytest.mark.parametrize(
    ("n", "d", "size", "ldim"),
    [(3, 1, 36, 2), (3, 2, 50, 3), (4, 0, 16, 1), (4, 1, 136, 2), (4, 2, 276, 3), (4, 3, 306, 4)],
)
def test_affine_subspaces_below_the_whole_space_have_dimension_d_plus_1(n, d, size, ldim):
    matrix = affine_subspaces(n, d)
    assert len(matrix) == size
    assert littlestone_dim(matrix) == ldim == d + 1


@pytest.mark.full
@pytest.mark.parametrize(("d", "size"), [(3, 23656), (4, 26260)])
def test_affine_subspaces_of_six_dimensions(d, size):
    matrix = affine_subspaces(6, d)
    assert len(matrix) == size
    assert littlestone_dim(matrix) == d + 1


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_cubes_have_dimension_n_and_soa_1(n):
    """On a cube both answers lower the dimension everywhere: the tie rule says 1."""
    assert littlestone_dim(cube(n)) == n
    assert soa_labels(cube(n)).all()


def test_tie_rule_is_one():
    """{1_a, 1_b}: both answers drop at a and at b, so the SOA is 1 at both."""
    assert soa_labels([[1, 0, 0], [0, 1, 0]]).tolist() == [1, 1, 0]


@pytest.mark.first(15)
@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("backend", ["python", "numba"])
def test_random_classes_against_the_textbook_recursion(seed, backend):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 7))
    u = Universe(n)
    matrix = random_class(rng, int(rng.integers(2, 26)), n, rng.choice([0.2, 0.5]))
    v = sum(1 << int(f) for f in matrix.astype(int) @ (1 << np.arange(n)))
    kernel = Kernel(matrix, backend=backend)
    assert kernel.ldim() == u.ldim(v)
    assert kernel.soa() == u.soa(v)
    assert kernel.vc_dim() == u.vc(v)
    tree = kernel.mistake_tree()
    assert tree.depth == u.ldim(v)
    assert tree.holds(matrix)


@pytest.mark.more
@pytest.mark.parametrize("seed", range(12))
def test_backends_agree_node_for_node(seed):
    rng = np.random.default_rng(seed)
    m, x = int(rng.integers(50, 1500)), int(rng.integers(5, 200))
    matrix = random_class(rng, m, x, rng.choice([0.05, 0.2, 0.5, 0.9]))
    python, numba = (Kernel(matrix, backend=b, max_nodes=None) for b in ("python", "numba"))
    versions = [python.full, python.restrict(python.full, 0, 1), python.restrict(python.full, 1, 0)]
    for v in versions:
        assert python.ldim(v) == numba.ldim(v)
        assert python.nodes == numba.nodes
        assert python.soa(v) == numba.soa(v)
        assert python.nodes == numba.nodes
    assert python.mistake_tree() == numba.mistake_tree()
    assert numba.mistake_tree().holds(matrix)


@pytest.mark.more
def test_backends_agree_on_families_with_many_equal_and_complementary_columns():
    for matrix in (conjunctions(4), sparse_sets(9, 3), thresholds(255), affine_subspaces(4, 2)):
        python, numba = (Kernel(matrix, backend=b) for b in ("python", "numba"))
        assert python.ldim() == numba.ldim()
        assert python.nodes == numba.nodes
        assert python.mistake_tree() == numba.mistake_tree()


@pytest.mark.more
@pytest.mark.parametrize("seed", range(8))
def test_spaces_list_the_same_splits_in_the_same_order(seed):
    """Ties included: with few rows half of the splits are even."""
    from littlestone.combinatorics.fast import RowSpace

    rng = np.random.default_rng(seed)
    matrix = BitMatrix.from_array(random_class(rng, 130, 90))
    assert matrix.n_hypotheses == 130
    python, numba = IntegerSpace(matrix), RowSpace(matrix)
    for size in (*range(4, 20), 63, 64, 65, 127, 128):
        rows = rng.choice(matrix.n_hypotheses, size=size, replace=False)
        a, b = python.of(set_of(rows)), numba.of(set_of(rows))
        assert python.first_two(a) == numba.first_two(b)
        for half in (2, 3, size // 2):
            ints, arrays = python.columns, numba.columns
            for _ in range(2):  # then with the columns that were handed down
                ints, mine = python.splits(a, size, ints, half)
                arrays, theirs = numba.splits(b, size, arrays, half)
                assert [(n, small, large, x) for n, small, large, x in mine] == [
                    (n, set_of(small), set_of(large), x) for n, small, large, x in theirs
                ]
                assert list(ints.values()) == [list(matrix.live.values())[c] for c in arrays]
                assert python.any_balanced(a, size, ints) == numba.any_balanced(b, size, arrays)
                assert python.any_balanced_twice(a, size, ints) == numba.any_balanced_twice(
                    b, size, arrays
                )


class OverStrongFilter(IntegerSpace):
    """Broken on purpose: hands down only columns balanced enough to be a child's root."""

    def splits(self, v, n, columns, half):
        below, splits = super().splits(v, n, columns, half)
        return {side: x for side, x in below.items() if side.bit_count() >= half // 2}, splits


def test_an_over_strong_filter_is_caught_by_thresholds():
    """Positive control: the bug passes thousands of random classes, but not 16 thresholds."""
    matrix = BitMatrix.from_array(thresholds(16))
    for space, answer in ((IntegerSpace, 4), (OverStrongFilter, 3)):
        assert LittlestoneSearch(matrix, NodeLimit(None), space(matrix)).ldim(matrix.full) == answer


def test_at_least_decides_without_the_exact_dimension():
    matrix = random_class(np.random.default_rng(4), 300, 30)
    exact = littlestone_dim(matrix)
    for k in range(-2, 12):
        kernel = Kernel(matrix)
        assert kernel.at_least(kernel.full, k) == (exact >= k)
        kernel.at_least(kernel.full, k)
        assert kernel.nodes == 0  # what is found is remembered, refusals too


def test_single_hypotheses_and_the_empty_set():
    kernel = Kernel([[0, 1, 1], [1, 0, 1]])
    assert kernel.ldim(0) == -1
    assert kernel.soa(0) == 0
    assert kernel.ldim(0b10) == 0
    assert kernel.labels(kernel.soa(0b10)).tolist() == [1, 0, 1]
    assert kernel.mistake_tree(0b10).leaves == (1,)
    with pytest.raises(ParameterError, match="non-empty"):
        kernel.mistake_tree(0)


def test_soa_makes_at_most_ldim_mistakes():
    """Littlestone's theorem, along every path of the SOA's own mistakes."""
    u = universe(4)
    kernel = Kernel(u.matrix((1 << 16) - 1))

    def most_mistakes(v):
        labels = kernel.soa(v)
        return max(
            (
                1 + most_mistakes(wrong)
                for x in range(4)
                if (wrong := kernel.restrict(v, x, 1 - (labels >> x & 1)))
            ),
            default=0,
        )

    for v in range(1, 1 << 16, 997):
        assert most_mistakes(v) == kernel.ldim(v)


# -- budgets ----------------------------------------------------------------------------------


def test_budget_stops_with_bounds_and_leaves_the_kernel_usable():
    rng = np.random.default_rng(0)
    matrix = random_class(rng, 200, 40)
    whole = Kernel(matrix, max_nodes=None)
    kernel = Kernel(matrix, max_nodes=50)
    with pytest.raises(SearchLimitError, match="max_nodes") as stopped:
        kernel.ldim()
    assert stopped.value.nodes == 50
    assert stopped.value.lower <= whole.ldim() <= stopped.value.upper
    lower = stopped.value.lower
    answer = None
    while answer is None:  # what was found is kept: asking again goes on from there
        try:
            answer = kernel.ldim()
        except SearchLimitError as again:
            lower = max(lower, again.lower)
    assert lower <= answer == whole.ldim()


@pytest.mark.first(1)
@pytest.mark.parametrize("backend", ["python", "numba"])
def test_budget_is_exact_and_the_same_on_both_backends(backend):
    matrix = random_class(np.random.default_rng(1), 300, 30)
    kernel = Kernel(matrix, max_nodes=None, backend=backend)
    kernel.ldim()
    needed = kernel.nodes
    assert needed > 0
    assert Kernel(matrix, max_nodes=needed, backend=backend).ldim() == kernel.ldim()
    with pytest.raises(SearchLimitError):
        Kernel(matrix, max_nodes=needed - 1, backend=backend).ldim()


def test_fresh_kernels_do_not_inherit_what_was_found():
    matrix = random_class(np.random.default_rng(2), 200, 30)
    kernel = Kernel(matrix, max_nodes=None)
    kernel.ldim()
    first = kernel.nodes
    kernel.ldim()
    assert kernel.nodes == 0
    fresh = kernel.fresh()
    assert fresh.ldim() == kernel.ldim()
    assert fresh.nodes == first


def test_full_memory_changes_no_answer(monkeypatch):
    matrix = random_class(np.random.default_rng(3), 200, 20)
    expected = littlestone_dim(matrix)
    monkeypatch.setattr("littlestone.combinatorics.dimensions.MEMO_BYTES", 0)
    assert littlestone_dim(matrix, max_nodes=None) == expected


# -- backends ---------------------------------------------------------------------------------


@pytest.mark.more
def test_auto_takes_numba_for_large_classes_only():
    assert Kernel(thresholds(100)).backend == "python"
    assert Kernel(cube(13)).backend == "numba"


def test_without_numba_auto_falls_back_and_an_explicit_wish_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "littlestone.combinatorics.fast", None)
    assert Kernel(cube(13)).backend == "python"
    with pytest.raises(ParameterError, match=r"littlestone\[fast\]"):
        Kernel(cube(3), backend="numba")


def test_unknown_backend_is_refused():
    with pytest.raises(ParameterError, match="'auto', 'python' or 'numba'"):
        littlestone_dim(cube(2), backend="fortran")


def test_facade_returns_the_tree():
    assert mistake_tree(cube(3)).holds(cube(3))
