"""Reading matrices, sets of hypotheses, errors on records: small facts and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from littlestone.combinatorics import BitMatrix, Kernel, members_of, set_of
from littlestone.errors import ParameterError

from .classes import cube, random_class
from .questions import littlestone_dim


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
@pytest.mark.parametrize("reader", [BitMatrix.from_array, Kernel, littlestone_dim])
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


def test_restrict_members_size_empty():
    kernel = Kernel([[0, 0], [0, 1], [1, 1]])
    ones = kernel.restrict(kernel.full, 1, 1)
    assert kernel.members(ones).tolist() == [1, 2]
    assert kernel.size(ones) == 2
    assert not kernel.is_empty(ones)
    assert kernel.is_empty(kernel.restrict(kernel.restrict(ones, 0, 1), 1, 0))
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


def test_within_error_of_nothing_is_everything():
    kernel = Kernel(cube(3))
    assert kernel.within_error([0, 0, 0], [0, 0, 0], 0) == kernel.full


def test_counts_are_never_shown():
    kernel = Kernel(cube(3))
    for zeros in ([7, 7], [7.5, 7, 7], "777"):
        with pytest.raises(ParameterError, match="one integer count") as refused:
            kernel.within_error(zeros, [0, 0, 0], 0)
        assert "7" not in str(refused.value)


@pytest.mark.parametrize("bad", [-1, 1 << 8, 2.0, True, None])
def test_what_is_not_a_set_of_hypotheses_is_refused_and_not_shown(bad):
    kernel = Kernel(cube(3))
    for ask in (kernel.size, kernel.members, kernel.is_empty):
        with pytest.raises(ParameterError, match="set of hypotheses") as refused:
            ask(bad)
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
        (lambda k: k.is_irreducible(k.full, -1), "'k'"),
        (lambda k: k.decomposition(0, 1, 3), "non-empty"),
        (lambda k: Kernel(cube(2), max_nodes=-1), "'max_nodes'"),
        (lambda k: Kernel(cube(2), max_nodes=1.5), "'max_nodes'"),
    ],
)
def test_bad_arguments_are_refused_by_name(ask, says):
    with pytest.raises(ParameterError, match=says):
        ask(Kernel(cube(3)))
