"""Littlestone, VC and threshold dimensions: published values, games, budgets."""

from __future__ import annotations

import inspect
import sys

import numpy as np
import pytest

from littlestone.combinatorics import Kernel, members_of
from littlestone.combinatorics.dimensions import LittlestoneSearch, ThresholdSearch
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

# -- Littlestone dimension, SOA and trees: published values, the filter, budgets ----


@pytest.mark.parametrize("n", [*range(2, 40), 63, 64, 127, 128, 255, 256, 511, 512, 1023, 1024])
def test_thresholds_have_the_logarithm(n):
    """n hypotheses, n - 1 points; 2**k and 2**k - 1 of either in particular (see the filter)."""
    assert Kernel(thresholds(n)).ldim() == n.bit_length() - 1


FAMILIES = {
    **{f"{n} points": (points(n), 1) for n in (2, 3, 10, 300)},
    **{
        f"{k} of {n}": (sparse_sets(n, k), min(n, k))
        for n, k in [(5, 0), (5, 1), (5, 2), (9, 3), (14, 3), (8, 5), (4, 4)]
    },
    **{f"{n} positive bits": (monotone_conjunctions(n), n) for n in range(1, 7)},
    **{f"{n} bits": (conjunctions(n), n + 1) for n in range(1, 7)},
    **{
        f"dimension {d} in {n}": (affine_subspaces(n, d), d + 1)
        for n, d in [(3, 1), (3, 2), (4, 0), (4, 1), (4, 2), (4, 3)]
    },
    **{f"cube {n}": (cube(n), n) for n in (1, 2, 5, 8)},
}


@pytest.mark.parametrize("name", FAMILIES)
def test_families_with_a_closed_form(name):
    matrix, ldim = FAMILIES[name]
    assert Kernel(matrix).ldim() == ldim


@pytest.mark.full
@pytest.mark.parametrize(("d", "size"), [(3, 23656), (4, 26260)])
def test_affine_subspaces_of_six_dimensions(d, size):
    matrix = affine_subspaces(6, d)
    assert len(matrix) == size
    assert Kernel(matrix).ldim() == d + 1


def test_the_soa_and_its_tie_rule():
    """On a cube, and at a and b of {1_a, 1_b}, both answers lower the dimension: 1."""
    assert all(Kernel(cube(n)).soa() == 2**n - 1 for n in (1, 2, 5, 8))
    assert Kernel([[1, 0, 0], [0, 1, 0]]).soa() == 0b011
    assert not any(Kernel(points(n)).soa() for n in (3, 10, 300))


@pytest.mark.first(15)
@pytest.mark.parametrize("seed", range(30))
def test_random_classes_against_the_textbook_recursion(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 7))
    u = Universe(n)
    matrix = random_class(rng, int(rng.integers(2, 26)), n, rng.choice([0.2, 0.5]))
    v = sum(1 << int(f) for f in matrix.astype(int) @ (1 << np.arange(n)))
    kernel = Kernel(matrix)
    assert kernel.ldim() == u.ldim(v)
    assert kernel.soa() == u.soa(v)
    assert kernel.vc_dim() == u.vc(v) == len(kernel.shattered_set().points)
    assert kernel.threshold_dim() == u.thresholds(v)
    assert kernel.shattered_set().holds(matrix)
    assert kernel.threshold_sequence().holds(matrix)
    tree = kernel.mistake_tree()
    assert tree.depth == u.ldim(v)
    assert tree.holds(matrix)


class OverStrongFilter(LittlestoneSearch):
    """Broken on purpose: hands down only columns balanced enough to be a child's root."""

    def splits(self, v, n, columns, half):
        below, splits = super().splits(v, n, columns, half)
        return {side: x for side, x in below.items() if side.bit_count() >= half // 2}, splits


def test_an_over_strong_filter_is_caught_by_thresholds():
    """Positive control: the bug passes thousands of random classes, but not 16 thresholds."""
    matrix = BitMatrix.from_array(thresholds(16))
    for search, answer in ((LittlestoneSearch, 4), (OverStrongFilter, 3)):
        assert search(matrix, NodeLimit(None)).ldim(matrix.full) == answer


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


def test_budget_is_exact():
    matrix = random_class(np.random.default_rng(1), 300, 30)
    kernel = Kernel(matrix, max_nodes=None)
    kernel.ldim()
    needed = kernel.nodes
    assert needed > 0
    assert Kernel(matrix, max_nodes=needed).ldim() == kernel.ldim()
    with pytest.raises(SearchLimitError):
        Kernel(matrix, max_nodes=needed - 1).ldim()


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
    expected = Kernel(matrix).ldim()
    monkeypatch.setattr("littlestone.combinatorics.dimensions.MEMO_BYTES", 0)
    assert Kernel(matrix, max_nodes=None).ldim() == expected


# -- Reading matrices, sets of hypotheses, errors on records: small facts and refusals -------------


@pytest.mark.parametrize(
    ("matrix", "says"),
    [
        ([[0, 2]], "something else in row 0, column 1"),
        ([[0.5, 1]], "something else in row 0, column 0"),
        ([[0, np.nan]], "something else in row 0, column 1"),
        ([[-1, 0]], "something else"),
        ([["a", "b"]], "entries of type <U1"),
        ([[0, None]], "entries of type object"),
        ([[0, 1j]], "entries of type complex128"),
        ([[0, 1], [0]], "rows of different lengths"),
        ([], r"1 dimension\(s\)"),
        (0, r"0 dimension\(s\)"),
        ([[[0]]], r"3 dimension\(s\)"),
        (np.zeros((0, 3)), "no rows"),
        ([[]], "no columns"),
        (np.zeros((2, 0)), "no columns"),
        ([[0, 1], [1, 1], [0, 1]], "row 2 equal to row 0"),
        ([[0], [1], [0]], "row 2 equal to row 0"),
    ],
)
@pytest.mark.parametrize("reader", [BitMatrix.from_array, Kernel])
def test_bad_matrices_are_refused_with_the_place_and_a_next_step(matrix, says, reader):
    with pytest.raises(ParameterError, match=says) as refused:
        reader(matrix)
    assert str(refused.value).count(".") >= 3  # what, got, next step


@pytest.mark.parametrize("kind", [bool, int, np.uint8, float, list])
def test_all_binary_types_read_alike(kind):
    matrix = cube(3).tolist() if kind is list else cube(3).astype(kind)
    assert BitMatrix.from_array(matrix).columns == BitMatrix.from_array(cube(3)).columns


def test_matrix_is_a_private_copy():
    mine = cube(2)
    matrix = BitMatrix.from_array(mine)
    mine[0, 0] = 1
    assert matrix.array[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        matrix.array[0, 0] = 1
    assert BitMatrix.from_array(matrix) is matrix


def test_columns_rows_and_live_columns_agree_with_the_array():
    matrix = BitMatrix.from_array(random_class(np.random.default_rng(0), 70, 12))
    for x, column in enumerate(matrix.columns):
        assert members_of(column).tolist() == np.flatnonzero(matrix.array[:, x]).tolist()
    for h, row in enumerate(matrix.rows):
        assert members_of(row).tolist() == np.flatnonzero(matrix.array[h]).tolist()
    live = matrix.array[:, list(matrix.live.values())]
    normal = live ^ live[0]
    assert len(np.unique(normal, axis=1).T) == live.shape[1]  # distinct up to complement
    everything = matrix.array ^ matrix.array[0]
    assert live.shape[1] == len([c for c in np.unique(everything, axis=1).T if c.any()])


def test_sets_round_trip():
    for elements in ([], [0], [63, 64, 65], [0, 5, 1000]):
        assert members_of(set_of(elements)).tolist() == elements
    assert set_of([3, 3, 1]) == 0b1010


def test_restrict_and_members():
    kernel = Kernel([[0, 0], [0, 1], [1, 1]])
    ones = kernel.restrict(kernel.full, 1, 1)
    assert kernel.members(ones).tolist() == [1, 2]
    assert not kernel.restrict(kernel.restrict(ones, 0, 1), 1, 0)
    assert kernel.restrict(ones, 0, 0) | kernel.restrict(ones, 0, 1) == ones


@pytest.mark.parametrize("seed", range(5))
def test_within_error_counts_every_record(seed):
    rng = np.random.default_rng(seed)
    matrix = random_class(rng, 60, 9)
    kernel = Kernel(matrix)
    zeros, ones = rng.integers(0, 4, (2, 9))
    errors = [
        sum(int(z if label else o) for label, z, o in zip(row, zeros, ones, strict=True))
        for row in matrix
    ]
    assert kernel.errors(zeros, ones).tolist() == errors
    for tolerance in (-1, 0, 3, int(np.median(errors)), 10**6):
        expected = set_of(h for h, e in enumerate(errors) if e <= tolerance)
        assert kernel.within_error(zeros, ones, tolerance) == expected


def test_counts_are_never_shown():
    kernel = Kernel(cube(3))
    for zeros in ([7, 7], [7.5, 7, 7], "777"):
        with pytest.raises(ParameterError, match="one integer count") as refused:
            kernel.within_error(zeros, [0, 0, 0], 0)
        assert "7" not in str(refused.value)


def test_counts_whose_sums_leave_64_bits_are_exact():
    """Refusing them would depend on how private records lie: their number alone is public."""
    kernel = Kernel(cube(2))
    most = 2**61
    assert kernel.errors([most, most - 1], [most, most - 1]).tolist() == [2**62 - 1] * 4
    for many in ([most, most], [2**63 - 1, 1], np.array([2**64 - 1, 0], dtype=np.uint64)):
        first, second = map(int, many)
        for ones in ([0, 0], [3, 5], many):
            p, q = map(int, ones)
            expected = [
                (first if a else p) + (second if b else q) for a, b in kernel.matrix.array.tolist()
            ]
            assert kernel.errors(many, ones).tolist() == expected
        within = kernel.within_error(many, [0, 0], first)
        assert kernel.members(within).tolist() == [
            h for h, (a, b) in enumerate(kernel.matrix.array.tolist())
            if first * a + second * b <= first
        ]  # fmt: skip


@pytest.mark.parametrize("bad", [-1, 1 << 8, 2.0, True, None])
def test_what_is_not_a_set_of_hypotheses_is_refused_and_not_shown(bad):
    kernel = Kernel(cube(3))
    with pytest.raises(ParameterError, match="set of hypotheses") as refused:
        kernel.members(bad)
    assert "256" not in str(refused.value)
    if bad is not None:
        for ask in (
            kernel.ldim,
            kernel.soa,
            kernel.vc_dim,
            kernel.threshold_dim,
            kernel.reducibility,
        ):
            with pytest.raises(ParameterError, match="set of hypotheses"):
                ask(bad)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda k: k.restrict(k.full, 3, 0), "'point'"),
        (lambda k: k.restrict(k.full, -1, 0), "'point'"),
        (lambda k: k.restrict(k.full, 0.0, 0), "'point'"),
        (lambda k: k.restrict(k.full, 0, 2), "'label'"),
        (lambda k: k.within_error([0] * 3, [0] * 3, 0.5), "'tolerance'"),
        (lambda k: k.ddim(k.full, 0, 3), "'p'"),
        (lambda k: k.ddim(k.full, 1, -1), "'d'"),
        (lambda k: k.essential(k.full, 1, 2), "at least the Littlestone dimension"),
        (lambda k: k.reducibility(k.full, -1), "'cap'"),
        (lambda k: k.decomposition(0, 1, 3), "non-empty"),
        (lambda k: Kernel(cube(2), max_nodes=-1), "'max_nodes'"),
        (lambda k: Kernel(cube(2), max_nodes=1.5), "'max_nodes'"),
    ],
)
def test_bad_arguments_are_refused_by_name(ask, says):
    with pytest.raises(ParameterError, match=says):
        ask(Kernel(cube(3)))


# -- VC and threshold dimension beyond four points: brute force, published values, budgets ---------


@pytest.mark.first(9)
@pytest.mark.parametrize(
    ("matrix", "vc", "threshold"),
    [
        (thresholds(2), 1, 1),
        (thresholds(200), 1, 199),
        (points(50), 1, 1),
        (sparse_sets(7, 3), 3, 3),
        (cube(5), 5, 5),
        (monotone_conjunctions(4), 4, 5),
        (conjunctions(3), 3, 4),
        (affine_subspaces(4, 1), 2, 2),
        (affine_subspaces(4, 2), 3, 3),
        (affine_subspaces(4, 3), 4, 4),
    ],
)
def test_families(matrix, vc, threshold):
    """A chain of flats is the longest threshold sequence of an intersection-closed class."""
    assert Kernel(matrix).vc_dim() == vc == len(Kernel(matrix).shattered_set().points)
    assert Kernel(matrix).threshold_dim() == threshold
    sequence = Kernel(matrix).threshold_sequence()
    assert sequence.holds(matrix)
    assert len(sequence.points) == len(sequence.hypotheses) == threshold


def test_long_sequences_need_no_recursion(monkeypatch):
    """The search (not the greedy start, cut short here) goes deeper than Python may recurse."""
    greedy = ThresholdSearch._greedy
    monkeypatch.setattr(ThresholdSearch, "_greedy", lambda *args: greedy(*args)[:-1])
    kernel = Kernel(thresholds(121))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 60)
    try:
        assert kernel.threshold_dim() == 120
    finally:
        sys.setrecursionlimit(limit)
    assert kernel.nodes >= 120
    assert kernel.threshold_sequence().holds(thresholds(121))


def test_the_constant_zero_has_a_sequence_without_points():
    assert Kernel([[0, 0]]).threshold_dim() == 0
    assert Kernel([[0, 0]]).threshold_sequence().holds([[0, 0]])


def test_empty_sets():
    kernel = Kernel(cube(2))
    assert kernel.vc_dim(0) == -1
    assert kernel.threshold_dim(0) == 0


@pytest.mark.parametrize("question", ["vc_dim", "threshold_dim"])
def test_budgets_stop_with_bounds(question):
    matrix = random_class(np.random.default_rng(5), 60, 14)
    exact = getattr(Kernel(matrix, max_nodes=None), question)()
    kernel = Kernel(matrix, max_nodes=20)
    with pytest.raises(SearchLimitError) as stopped:
        getattr(kernel, question)()
    assert stopped.value.lower <= exact <= stopped.value.upper
    assert stopped.value.nodes == 20


def test_threshold_bound_of_theorem_10_is_used():
    """A Littlestone dimension of 1 leaves room for 3 thresholds at most, not for 20."""
    kernel = Kernel(points(20), max_nodes=0)
    assert kernel.ldim() == 1
    with pytest.raises(SearchLimitError) as stopped:
        kernel.threshold_dim()
    assert (stopped.value.lower, stopped.value.upper) == (1, 3)


@pytest.mark.full
def test_threshold_dimension_of_a_random_class_of_64_hypotheses_on_32_points():
    matrix = random_class(np.random.default_rng(0), 64, 32)
    sequence = Kernel(matrix, max_nodes=None).threshold_sequence()
    assert sequence.holds(matrix)
    assert len(sequence.points) <= 2 ** (Kernel(matrix).ldim() + 1) - 1


def test_affine_subspaces_are_counted():
    sizes = {(3, 1): 36, (3, 2): 50, (4, 0): 16, (4, 1): 136, (4, 2): 276, (4, 3): 306}
    assert all(len(affine_subspaces(n, d)) == size for (n, d), size in sizes.items())


def test_within_error_of_nothing_is_everything():
    kernel = Kernel(cube(3))
    assert kernel.within_error([0, 0, 0], [0, 0, 0], 0) == kernel.full
