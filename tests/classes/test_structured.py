"""Sparse sets, conjunctions and affine subspaces: exact laws, JSON, layouts of points."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from littlestone.bounds import best_hashing
from littlestone.classes import (
    AffineHypothesis,
    AffineSubspaces,
    AlwaysZero,
    ConjunctionHypothesis,
    Conjunctions,
    HashSetHypothesis,
    SetHypothesis,
    SparseSets,
    affine_span,
    on_points,
    parse_class,
)
from littlestone.classes.base import VectorDomain
from littlestone.classes.sparse_sets import HashedSets, unrank
from littlestone.data import OUTSIDE, Sample
from littlestone.errors import DataError, ParameterError, UnsupportedError
from littlestone.source import SeededSource

RATE = Fraction(3, 7)
BITS = np.array(list(product((0, 1), repeat=3)))


@pytest.mark.parametrize("k", [0, 1, 2, 3, 9])
@pytest.mark.parametrize(
    ("points", "labels"),
    [([], []), ([2], [1]), ([0, 1, 1, 3, 5], [1, 1, 1, 0, 1]), ([-5, 2, 2, 99], [1, 1, 0, 1])],
)
def test_law_of_sparse_sets(oracle, k, points, labels):
    concepts, data = SparseSets(k, 0, 5), Sample.of(points, labels)
    sets = [s for r in range(min(k, 6) + 1) for s in combinations(range(6), r)]
    assert concepts.size == len(sets)
    errors = [(on_points(s).key, oracle.count_errors(lambda x, s=s: x in s, data)) for s in sets]
    oracle.assert_same_law(concepts.candidates(data), errors, RATE)


def test_law_of_sparse_sets_with_records_outside(oracle):
    data = Sample.binary(np.array([3]), np.array([0]), np.array([2]), outside=(4, 5))
    sets = [(), (1,), (2,), (3,)]
    errors = [(on_points(s).key, 5 + 2 * (3 not in s)) for s in sets]
    oracle.assert_same_law(SparseSets(1, 1, 3).candidates(data), errors, RATE)


@pytest.mark.parametrize("k", [1, 2, pytest.param(3, marks=pytest.mark.more)])
def test_law_of_hashed_sets(oracle, k):
    drawn = SparseSets(k).hashed(2, 5 * k).drawn(SeededSource(3))
    names = [f"p{i}" for i in range(6)]
    data = Sample.of(names * 2, [1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0])
    errors = [(AlwaysZero().key, int(data.positives))]
    for function in drawn.functions:
        for r in range(1, k + 1):
            for buckets in combinations(range(function.buckets), r):
                h = HashSetHypothesis(function, buckets)
                wrong = int((h.predict(data.points) == 1) @ data.zeros)
                wrong += int((h.predict(data.points) == 0) @ data.ones)
                errors.append((h.key, wrong))
    assert drawn.size == len(errors)
    oracle.assert_same_law(drawn.candidates(data), errors, RATE)


def test_hashed_sets_reach_alpha_and_beta():
    representation = SparseSets(3).representation(alpha=0.05, beta=0.01)
    collision = SparseSets(3).hashing.collision(representation.buckets)
    assert (collision / Fraction(1, 20)) ** representation.copies <= Fraction(1, 100)
    with pytest.raises(ParameterError, match="'buckets'"):
        HashedSets(SparseSets(3), Fraction(1, 20), Fraction(1, 100), representation.copies, 2)
    found = best_hashing(SparseSets(3).hashing, epsilon=1, alpha=0.1, beta=0.05)
    assert 300 < found.required_samples() < 3000
    with pytest.raises(ParameterError, match="alpha"):
        SparseSets(3).representation()
    assert SparseSets(3, 1, 5).representation().size == SparseSets(3, 1, 5).size


def test_a_set_is_found_among_enormously_many():
    data = Sample.of([5, 9, 2**100] * 30 + list(range(20, 90)), [1] * 90 + [0] * 70)
    found = SparseSets(3, 0, 2**128).candidates(data).draw(Fraction(20), SeededSource(0))
    assert found == on_points([5, 9, 2**100])


@pytest.mark.parametrize("monotone", [False, True])
def test_law_of_conjunctions(oracle, monotone):
    concepts = Conjunctions(3, monotone=monotone)
    rng = np.random.default_rng(0)
    data = Sample.of(BITS[rng.integers(0, 8, 12)], rng.integers(0, 2, 12))
    options = [(0, 1)] if monotone else [(0, 1, 2)]
    errors = [] if monotone else [(AlwaysZero().key, int(data.positives))]
    for asked in product(*options * 3):
        ones, zeros = ([i for i in range(3) if asked[i] == v] for v in (1, 2))

        def accepts(x, ones=ones, zeros=zeros):
            return all(x[i] == 1 for i in ones) and all(x[i] == 0 for i in zeros)

        masks = (sum(1 << i for i in ones), sum(1 << i for i in zeros))
        errors.append((ConjunctionHypothesis(3, *masks).key, oracle.count_errors(accepts, data)))
    oracle.assert_same_law(concepts.candidates(data), errors, RATE)


@pytest.mark.parametrize("concepts", [AffineSubspaces(2, 3, 2), AffineSubspaces(3, 2, 1)])
def test_law_of_affine_subspaces(oracle, concepts):
    rng = np.random.default_rng(1)
    points = list(product(range(concepts.q), repeat=concepts.n))
    data = Sample.of(np.array(points)[rng.integers(0, len(points), 12)], rng.integers(0, 2, 12))
    flats = set()
    for r in range(1, concepts.dim + 2):  # every flat is spanned by dim + 1 of its points
        flats |= {affine_span(concepts.q, chosen) for chosen in combinations(points, r)}
    errors = [(f.key, oracle.count_errors(set(f.points()).__contains__, data)) for f in flats]
    assert len(flats) == concepts.size
    oracle.assert_same_law(concepts.candidates(data), errors, RATE)


def test_flats_are_canonical():
    rng = np.random.default_rng(2)
    for q in (2, 3, 5):
        everything = np.array(list(product(range(q), repeat=3)))
        by_points = {}
        for _ in range(150):
            chosen = [tuple(x) for x in rng.integers(0, q, (rng.integers(1, 5), 3)).tolist()]
            flat = affine_span(q, chosen)
            held = frozenset(flat.points())
            assert set(chosen) <= held
            assert len(held) == q**flat.dim
            assert by_points.setdefault(held, flat) == flat
            labels = flat.predict(everything)
            assert {tuple(x) for x in everything[labels == 1].tolist()} == held
            assert all((tuple(x) in flat) == y for x, y in zip(everything.tolist(), labels))  # noqa: B905


def test_points_as_rows_and_as_tuples():
    rows = np.array([[0, 1, 1], [1, 1, 1], [0, 0, 5]])
    listed = np.empty(4, dtype=object)
    listed[:] = [(0, 1, 1), (1, 1, 1), (0, 0, 5), "x"]
    for h in (ConjunctionHypothesis(3, 2, 1), AffineHypothesis(2, 3, (), (0, 1, 1))):
        assert h.predict(rows).tolist() == [1, 0, 0]
        assert h.predict(listed).tolist() == [1, 0, 0, 0]
    assert SetHypothesis(((0, 1, 1), (1, 1, 1))).predict(rows).tolist() == [1, 1, 0]


def test_the_domain_of_vectors():
    domain = VectorDomain(3, 2)
    cells = ["12", "1 2", "1,2", "1; 2", (1, 2), [1, 2], "3 1", "1", "1 2 0", "x", None, 12.0, ""]
    inside = [(1, 2)] * 6 + [OUTSIDE] * 5 + [(1, 2), OUTSIDE]
    assert [domain.cell(raw) for raw in cells] == inside
    assert domain.array([[0, 1], [2, 2]]).tolist() == [[0, 1], [2, 2]]
    assert domain.array(["01", "22"]).tolist() == [[0, 1], [2, 2]]
    assert VectorDomain(101, 2).array([[100, 0.0]]).tolist() == [[100, 0]]
    for bad in ([[0, 3]], [[0, 0.5]], [["a", "b"]], ["03"]):
        with pytest.raises(DataError, match="a vector of 2 integers"):
            domain.array(bad)
    with pytest.raises(ParameterError, match=r"of shape \(m, 2\)"):
        domain.array([[0, 1, 2]])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SparseSets(-1), "'k'"),
        (lambda: SparseSets(2, 1), "given together"),
        (lambda: SparseSets(2, 0.0, 1.0), "infinite Littlestone dimension"),
        (lambda: Conjunctions(0), "'n'"),
        (lambda: Conjunctions(3, monotone=2), "'monotone'"),
        (lambda: AffineSubspaces(4, 2, 1), "a prime"),
        (lambda: AffineSubspaces(3, 2, 3), "at most n"),
        (lambda: ConjunctionHypothesis(2, 1, 1), "disjoint"),
        (lambda: affine_span(3, []), "at least one point"),
        (lambda: SetHypothesis((2, 1)), "on_points"),
        (lambda: parse_class("conjunctions(3, upside_down=True)"), "'monotone'"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(ParameterError, match=words):
        make()


def test_what_cannot_be_listed_says_what_to_do():
    data = Sample.of(np.array([[0] * 40]), [1])
    with pytest.raises(UnsupportedError, match="representation"):
        SparseSets(2).candidates(data)
    with pytest.raises(UnsupportedError, match="at most 14"):
        Conjunctions(40).candidates(data)
    with pytest.raises(UnsupportedError, match="Littlestone classes"):
        AffineSubspaces(3, 40, 2).candidates(data)


@pytest.mark.parametrize("n", range(7))
def test_unrank(n):
    for r in range(n + 1):
        sets = [tuple(unrank(n, r, rank)) for rank in range(len(list(combinations(range(n), r))))]
        assert sorted(sets) == list(combinations(range(n), r))


@pytest.mark.parametrize("name", ["real_thresholds", "real_intervals", "halfspaces", "Halfspaces"])
def test_infinite_littlestone_dimension_is_refused_with_the_reason(name):
    with pytest.raises(UnsupportedError, match=r"infinite.* Use ") as refusal:
        parse_class(f"{name}(3)")
    assert "Alon et al." in str(refusal.value)
