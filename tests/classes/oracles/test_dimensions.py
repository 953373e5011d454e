"""Dimensions of whole classes: golden values, the exact kernel, searches by enumeration."""

from __future__ import annotations

import math
import zlib
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

from littlestone.classes import (
    AffineSubspaces,
    Conjunctions,
    FiniteClass,
    IntervalHypothesis,
    Intervals,
    Points,
    Prefixes,
    Rules,
    SparseSets,
    TableHypothesis,
    Thresholds,
    TreePaths,
    decomposition_dimension,
    dimensions,
    essential_hypotheses,
    littlestone_dimension,
    load,
    make_tree,
    parse_class,
    shattered_tree,
    soa,
    threshold_dimension,
    vc_dimension,
)
from littlestone.classes.dimensions import Bounds, Dimensions
from littlestone.classes.finite import listing
from littlestone.classes.sparse_sets import low_error_atoms
from littlestone.combinatorics import Kernel
from littlestone.combinatorics.matrix import NodeLimit
from littlestone.data import Sample, Schema
from littlestone.errors import ParameterError, SearchLimitError, UnsupportedError

# -- Dimensions of whole classes: golden values, agreement with the kernel, witnesses, bad input ---

SCHEMA = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})

SMALL = [
    *(Thresholds(1, n) for n in (1, 2, 3, 6, 7, 8)),
    *(Points(1, n) for n in (1, 2, 5)),
    *(SparseSets(k, 1, n) for k, n in ((0, 2), (1, 3), (2, 2), (2, 5), (3, 4), (4, 3))),
    *(Conjunctions(n) for n in (1, 2, 3)),
    *(Conjunctions(n, monotone=True) for n in (1, 2, 4)),
    *(AffineSubspaces(2, n, d) for n in (1, 2, 3) for d in range(n + 1)),
    *(AffineSubspaces(3, n, d) for n in (1, 2) for d in range(n + 1)),
    AffineSubspaces(5, 1, 1),
    *(Intervals(1, n) for n in (1, 2, 6)),
    *(Prefixes("01", n) for n in (1, 2, 3)),
    Prefixes("abc", 2),
    Prefixes("0123", 1),
    TreePaths({"a": None, "b": "a", "c": "b", "d": "b", "e": "a", "f": None}),
    Rules(SCHEMA, 1),
]


@pytest.mark.parametrize("concepts", SMALL, ids=lambda c: f"{c.spec}-{c.size}")
def test_closed_forms_agree_with_the_kernel(concepts):
    kernel = listing(concepts, None).kernel
    expected = (kernel.vc_dim(), kernel.ldim(), kernel.threshold_dim())
    assert vc_dimension(concepts) == expected[0]
    assert littlestone_dimension(concepts) == expected[1]
    assert threshold_dimension(concepts) == expected[2]
    assert tuple(vars(dimensions(concepts)).values()) == expected


def test_published_values():
    assert littlestone_dimension(Points()) == littlestone_dimension(Points(1, 10**9)) == 1
    for n in (1, 2, 3, 7, 8, 1000, 2**64 - 2, 2**64 - 1, 2**1024):
        assert littlestone_dimension(Thresholds(1, n)) == (n + 1).bit_length() - 1
    assert [littlestone_dimension(SparseSets(k)) for k in (0, 1, 5, 2**16)] == [0, 1, 5, 2**16]
    for n in (1, 8, 100, 1000):
        assert littlestone_dimension(Conjunctions(n, monotone=True)) == n
        assert littlestone_dimension(Conjunctions(n)) == n + 1
    for q, n, d in ((2, 4, 1), (2, 4, 2), (2, 4, 3), (7, 20, 2), (101, 50, 49)):
        assert littlestone_dimension(AffineSubspaces(q, n, d)) == d + 1
        assert threshold_dimension(AffineSubspaces(q, n, d)) == d + 1
    assert littlestone_dimension(Prefixes("ipv4")) == 32


def test_a_matrix_is_a_class():
    matrix = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    assert dimensions(matrix).to_dict() == {"vc": 1, "littlestone": 2, "threshold": 3}
    assert dimensions(np.array(matrix)) == dimensions(FiniteClass(matrix))
    assert soa(matrix) == TableHypothesis("111")
    assert decomposition_dimension(matrix, 2, 2) == 0
    assert {h.labels for h in essential_hypotheses(matrix, 2, 2)} == {"000", "001", "011", "111"}
    space = FiniteClass(matrix).version_space()
    assert space.within_error(Sample.of([0, 1, 9], [1, 0, 1]), 1).is_empty
    assert space.within_error(Sample.of([0, 1, 9], [1, 0, 1]), 2).littlestone_dim() == 1


def test_an_soa_that_is_a_concept_is_that_concept():
    ages = Intervals(1, 9).version_space().restrict(4, 1).restrict(3, 0).restrict(6, 0)
    assert ages.soa().describe() == "1 if 4 <= x <= 5, otherwise 0"
    assert soa(Intervals(1, 3)) == IntervalHypothesis(2, 2)


def test_essential_hypotheses_of_infinite_classes():
    assert decomposition_dimension(SparseSets(4), 10**6, 4) == 4
    assert essential_hypotheses(Points(), 10**6, 1) == (soa(Points()),)
    assert essential_hypotheses(Thresholds(1, 2**64), 2, 64).size == 2**64 + 1


@pytest.mark.parametrize(
    "concepts",
    [
        *SMALL[:8],
        SparseSets(3),
        SparseSets(2, 1, 5),
        Conjunctions(4),
        Conjunctions(6, monotone=True),
        AffineSubspaces(2, 3, 2),
        AffineSubspaces(2, 2, 2),
        Thresholds(1, 1000),
        Prefixes("abc", 2),
        Rules(SCHEMA, 1),
    ],
    ids=lambda c: f"{c.spec}-{c.size}",
)
def test_shattered_trees(concepts):
    tree = shattered_tree(concepts)
    assert tree.depth == littlestone_dimension(concepts)
    assert tree.holds()
    if tree.depth > 1:
        top = shattered_tree(concepts, 1)
        assert (top.depth, top.points, top.holds()) == (1, tree.points[:1], True)


def test_shattered_trees_of_matrices():
    matrix = np.array(list(product((0, 1), repeat=4)))
    tree = shattered_tree(matrix)
    assert (tree.depth, tree.holds(matrix), tree.holds(matrix[1:])) == (4, True, False)
    data = tree.to_dict()
    assert len(data["points"]) == 15
    wrong = type(tree)(tree.concept_class, 4, tree.points, tree.leaves[::-1])
    assert not wrong.holds()
    with pytest.raises(UnsupportedError, match="depth=4"):
        shattered_tree(Thresholds(1, 2**40))
    with pytest.raises(ParameterError, match="at most the Littlestone dimension"):
        shattered_tree(Points(), 2)


def test_what_a_budget_does_not_decide_has_bounds():
    rng = np.random.default_rng(0)
    matrix = np.unique(rng.integers(0, 2, (300, 40)), axis=0)
    with pytest.raises(SearchLimitError) as end:
        littlestone_dimension(matrix, max_nodes=3)
    assert 0 <= end.value.lower < end.value.upper <= 8
    found = dimensions(matrix, max_nodes=3).to_dict()
    assert set(found["littlestone"]) == set(found["threshold"]) == {"lower", "upper", "reason"}
    assert found["littlestone"]["lower"] <= littlestone_dimension(matrix)
    assert found["littlestone"]["upper"] >= littlestone_dimension(matrix)


def truth(matrix):
    """The three dimensions by their definitions."""
    width = matrix.shape[1]

    def shatters(points):
        return len({tuple(row) for row in matrix[:, points].tolist()}) == 2 ** len(points)

    @cache
    def ldim(rows):
        sides = [(rows & frozenset(np.flatnonzero(matrix[:, x])), x) for x in range(width)]
        split = [(one, rows - one) for one, _ in sides if one and one != rows]
        return max((1 + min(map(ldim, pair)) for pair in split), default=0)

    @cache
    def steps(rows, points):
        return max(
            (
                1 + steps(frozenset(g for g in rows if not matrix[g, x]),
                          frozenset(y for y in points if matrix[h, y] and y != x))
                for x in points
                for h in rows
                if matrix[h, x]
            ),
            default=0,
        )  # fmt: skip

    vc = max(
        k for k in range(width + 1) if any(map(shatters, map(list, combinations(range(width), k))))
    )
    everything = frozenset(range(len(matrix)))
    return vc, ldim(everything), steps(everything, frozenset(range(width)))


def proves(name, witness, matrix):
    """Check a witness by the definition; return the dimension that it proves."""
    table = {tuple(row) for row in matrix.tolist()}
    concepts = witness["leaves" if name == "littlestone" else "concepts"]
    rows = [load(h).predict(np.arange(matrix.shape[1])).tolist() for h in concepts]
    assert {tuple(row) for row in rows} <= table
    points = witness["points"]
    if name == "vc":
        assert {tuple(row[x] for x in points) for row in rows} == set(
            product((0, 1), repeat=len(points))
        )
    elif name == "threshold":
        assert all(rows[i][x] == (i <= j) for i in range(len(points)) for j, x in enumerate(points))
    else:
        for row, path in zip(rows, product((0, 1), repeat=witness["depth"]), strict=True):
            node = 0
            for label in path:
                assert row[points[node]] == label
                node = 2 * node + 1 + label
        return witness["depth"]
    return len(points)


@pytest.mark.first(2)
@pytest.mark.parametrize("nodes", [0, 1, 3, 9, 30, 10**6])
def test_a_budget_stops_the_search_with_bounds_witnesses_and_reasons(nodes):
    rng = np.random.default_rng(5)
    matrix = np.unique(rng.integers(0, 2, (34, 8)), axis=0)
    found = dimensions(matrix, max_nodes=nodes)
    for (name, value), answer in zip(vars(found).items(), truth(matrix), strict=True):
        if isinstance(value, Bounds):
            assert value.lower <= answer <= value.upper
            assert proves(name, value.witness(), matrix) <= value.lower
            assert value.reason
            assert name != "vc" or proves(name, value.witness(), matrix) == value.lower
        else:
            assert value == answer
    assert consistent(found)
    undecided = [value for value in vars(found).values() if isinstance(value, Bounds)]
    assert len(undecided) == (3 if nodes == 0 else 0 if nodes == 10**6 else len(undecided))


def consistent(found):
    """Whether no interval promises what those of other dimensions exclude (Theorem 10)."""
    (v, v_top), (low, top), (t, t_top) = (
        (value.lower, value.upper) if isinstance(value, Bounds) else (value, value)
        for value in vars(found).values()
    )
    below = v <= low and v <= t and t < 2 ** (low + 1) and low < 2 ** (t + 1) - 1
    above = v_top <= min(top, t_top) and t_top < 2 ** (top + 1) and top < 2 ** (t_top + 1) - 1
    return below and above


def test_bounds_of_the_three_dimensions_agree():
    """On small classes the search ends anywhere, and on all of them the relations are true."""
    rng = np.random.default_rng(6)
    for width in (1, 2, 3, 5):
        for rows in (1, 2, 4, 9, 20):
            matrix = np.unique(rng.integers(0, 2, (rows, width)), axis=0)
            answers = truth(matrix)
            assert consistent(Dimensions(*answers))
            for nodes in (0, 1, 2, 4, 8):
                found = dimensions(matrix, max_nodes=nodes)
                assert consistent(found)
                for value, answer in zip(vars(found).values(), answers, strict=True):
                    known = value if isinstance(value, Bounds) else Bounds(value, value)
                    assert known.lower <= answer <= known.upper
    rules = Rules(Schema.from_dict({"age": {"bins": [20, 40, 60, 80]}, "bmi": {"bins": [20, 30]},
                                    "city": {"categories": ["Bonn", "Rome"]}}), 2)  # fmt: skip
    for nodes in (0, 10, 100, 1000):
        assert consistent(dimensions(rules, max_nodes=nodes))


def test_large_classes_without_a_closed_form():
    many = Rules(Schema.from_dict({f"c{i}": {"bins": list(range(20))} for i in range(9)}), 2)
    with pytest.raises(UnsupportedError, match="too large to be listed"):
        littlestone_dimension(many)
    found = dimensions(many).to_dict()
    reason = "log2 of the number of concepts"
    assert found["vc"] == {"lower": 0, "upper": found["littlestone"]["upper"], "reason": reason}
    assert found["littlestone"]["upper"] == many.size.bit_length() - 1


@pytest.mark.parametrize("question", [dimensions, soa, shattered_tree], ids=lambda f: f.__name__)
def test_bad_matrices(question):
    with pytest.raises(ParameterError, match="0 and 1"):
        question([[0, 2]])


def test_bad_parameters():
    with pytest.raises(ParameterError, match="'max_nodes'"):
        dimensions(Points(), max_nodes=-1)
    with pytest.raises(ParameterError, match="'max_nodes'"):
        Points().version_space(max_nodes="many")
    for concepts in (Thresholds(1, 9), Points(), SparseSets(2), Intervals(1, 4)):
        with pytest.raises(ParameterError, match="'p'"):
            decomposition_dimension(concepts, 0, 9)
        with pytest.raises(ParameterError, match="at least the Littlestone"):
            essential_hypotheses(concepts, 1, 0)
        space = concepts.version_space()
        with pytest.raises(ParameterError, match="'label'"):
            space.restrict(1, 2)
        with pytest.raises(ParameterError, match="'tolerance'"):
            space.within_error(Sample.of([1], [1]), -1)
        with pytest.raises(ParameterError, match="a point"):
            space.restrict({1}, 1)
        nothing = space.restrict(2, 1).restrict(2, 0)
        with pytest.raises(ParameterError, match="nonempty"):
            nothing.member()
    with pytest.raises(ParameterError, match="infinite Littlestone dimension"):
        Thresholds(0.0, 1.0)
    with pytest.raises(UnsupportedError, match="infinite"):
        parse_class("real_thresholds(0, 1)")
    with pytest.raises(UnsupportedError, match="points 0 and 1 are shattered"):
        make_tree(FiniteClass(list(product((0, 1), repeat=2))))


def test_what_cannot_be_listed_has_dimensions_only():
    huge = AffineSubspaces(7, 20, 3)
    assert littlestone_dimension(huge) == threshold_dimension(huge) == vc_dimension(huge) == 4
    with pytest.raises(UnsupportedError, match="too large to be listed"):
        shattered_tree(huge, 1)


@pytest.mark.parametrize(
    "concepts",
    [AffineSubspaces(2, 4, 2), Conjunctions(2), SparseSets(2), Points()],
    ids=lambda c: c.spec,
)
def test_every_concept_errs_on_positives_outside_the_domain(concepts):
    rows = np.array([[1] * 40]) if hasattr(concepts, "n") else np.array([7])
    rows = rows[:, : concepts.n] if hasattr(concepts, "n") else rows
    for outside, left in ((0, True), (1, True), (2, False)):
        data = Sample.binary(rows, np.array([0]), np.array([5]), outside=(3, outside))
        space = concepts.version_space().within_error(data, 1)
        assert space.is_empty != left
        assert left == (not space.restrict(rows[0], 1).is_empty)


def test_budgets_of_structured_searches():
    sets = SparseSets(5).version_space(max_nodes=3)
    with pytest.raises(SearchLimitError, match="number of atoms"):
        sets.within_error(Sample.of(list(range(30)), [1] * 30), 28)


def test_answers_do_not_depend_on_what_was_asked_before():
    rng = np.random.default_rng(4)
    matrix = np.unique(rng.integers(0, 2, (60, 12)), axis=0)
    asked = FiniteClass(matrix).version_space()
    asked.littlestone_dim(), asked.reducibility()
    part = asked.restrict(3, 1)
    assert part.fresh() == part
    assert (
        part.fresh().soa() == part.soa() == FiniteClass(matrix).version_space().restrict(3, 1).soa()
    )
    assert part.soa() == FiniteClass(matrix[matrix[:, 3] == 1]).version_space().soa()
    kernel = Kernel(matrix[matrix[:, 3] == 1])
    assert part.littlestone_dim() == kernel.ldim()


# -- Closed forms against the exact kernel, on random version spaces of every structured class -----


def generator(concept_class, salt=0):
    return np.random.default_rng([zlib.crc32(concept_class.spec.encode()), salt])


@pytest.mark.first(10)
@pytest.mark.parametrize("errors", [False, True], ids=["examples", "low error"])
def test_all_answers(small, rows_of, random_states, errors):
    rows, rng, seen = rows_of(small), generator(small, errors), {}
    for _ in range(12):
        for space, left in random_states(rows, rng, steps=4, errors=errors):
            dimension, soa = space.littlestone_dim(), space.soa()
            assert space.is_empty == (left == 0)
            assert dimension == rows.kernel.ldim(left)
            assert rows.labels(soa) == rows.labelling(rows.kernel.soa(left))
            assert space.reducibility() == rows.kernel.reducibility(left)
            assert space.reducibility(cap=1) == rows.kernel.reducibility(left, cap=1)
            if not left:
                continue
            assert seen.setdefault(rows.labels(soa), soa.key) == soa.key  # one name for a function
            member, point = rows.labels(space.member()), space.splitting_point()
            assert left & rows.rows_where(lambda row, m=member: tuple(row) == m)
            assert (point is None) == (dimension == 0)
            for label in (0, 1) if point is not None else ():
                assert space.restrict(point, label).littlestone_dim() >= dimension - 1


@pytest.mark.first(10)
def test_decompositions(small, rows_of, random_states):
    rows, rng = rows_of(small), generator(small, 2)
    top = rows.kernel.ldim()
    for _ in range(4):
        for space, left in random_states(rows, rng, steps=2, errors=True):
            for p, d in ((1, top), (2, top), (1, top + 1)):
                assert space.decomposition_dim(p, d) == rows.kernel.ddim(left, p, d)
                found = {rows.labels(h) for h in space.essential(p, d)}
                assert found == {rows.labelling(f) for f in rows.kernel.essential(left, p, d)}
                assert len(found) == len(space.essential(p, d))


def test_distinguish(small, rows_of):
    """Of listed classes it is not asked: their points are compared one by one."""
    rows, rng = rows_of(small), generator(small, 5)
    space = small.version_space()
    for _ in range(40 if isinstance(small, Thresholds | Points | SparseSets) else 0):
        h, g = (rows.concepts[i] for i in rng.integers(0, len(rows.concepts), 2))
        point = space.distinguish(h, g)
        if rows.labels(h) == rows.labels(g):
            assert point is None
        else:
            at = rows.points.index(point)
            assert rows.labels(h)[at] != rows.labels(g)[at]


def test_spaces_are_values(small, rows_of, random_states):
    rows, rng = rows_of(small), generator(small, 6)
    for space, _ in random_states(rows, rng, steps=4):
        assert space == space.fresh()
        assert hash(space) == hash(space.fresh())
        again = space.restrict(rows.points[0], 1).restrict(rows.points[0], 1)
        assert again == space.restrict(rows.points[0], 1)


def test_points_outside_the_domain_are_labelled_0(small):
    space = small.version_space()
    for point in ("elsewhere", 10**30, (9, 9, 9, 9, 9), None):
        assert space.restrict(point, 0).littlestone_dim() == space.littlestone_dim()
        assert space.restrict(point, 1).is_empty
        assert space.restrict(point, 1).littlestone_dim() == -1


def test_the_empty_space(small, rows_of):
    rows = rows_of(small)
    space = small.version_space()
    for point in rows.points:
        space = space.restrict(point, 0).restrict(point, 1)
    assert space.is_empty
    assert not any(rows.labels(space.soa()))
    assert space.reducibility() == math.inf
    assert space.decomposition_dim(1, 3) == -1
    assert list(space.essential(1, 3)) == []


def test_sets_of_low_error():
    rng = np.random.default_rng(4)
    for _ in range(200):
        gains = sorted(rng.integers(-3, 4, int(rng.integers(0, 7))).tolist(), reverse=True)
        room, errors = int(rng.integers(0, 5)), int(rng.integers(0, 8))
        tolerance = int(rng.integers(0, 8))
        expected = {
            chosen
            for size in range(room + 1)
            for chosen in combinations(range(len(gains)), size)
            if errors - sum(gains[i] for i in chosen) <= tolerance
        }
        found = low_error_atoms(gains, room, errors, tolerance, NodeLimit(None))
        assert set(found) == expected
        assert len(found) == len(expected)
