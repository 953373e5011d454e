"""Every draw has exactly the exponential mechanism's law, in memory and streamed."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenarios import keep_stored

from littlestone.bounds import best_hashing
from littlestone.classes import (
    AffineHypothesis,
    AffineSubspaces,
    AlwaysZero,
    ConjunctionHypothesis,
    Conjunctions,
    FiniteClass,
    HashSetHypothesis,
    Intervals,
    Points,
    Prefixes,
    Rules,
    SetHypothesis,
    SparseSets,
    Thresholds,
    affine_span,
    on_points,
    parse_class,
)
from littlestone.classes.base import VectorDomain, span_runs
from littlestone.classes.hashing import Hashed
from littlestone.classes.prefixes import Notation, PrefixForest
from littlestone.classes.sparse_sets import unrank
from littlestone.data import OUTSIDE, Sample, Schema
from littlestone.data.sample import Batch
from littlestone.data.stored import OnLine, Stored
from littlestone.errors import DataError, ParameterError, UnsupportedError
from littlestone.source import ReplaySource, SeededSource

from .rows import holds, rows_sample

# -- Every draw has exactly the exponential mechanism's law over the representations ---------------

RATES = (Fraction(1, 2), Fraction(3, 10), Fraction(2))
EMPTY = Sample.of([], [])


def samples(low: int, high: int):
    """Samples over low .. high and a little beyond, with outside records, possibly empty."""
    record = st.tuples(st.integers(low - 1, high + 1), st.integers(0, 1))
    counts = st.tuples(st.integers(0, 2), st.integers(0, 2))

    def build(records, outside):
        sample = Sample.of([x for x, _ in records], [y for _, y in records])
        return Sample.binary(sample.points, sample.zeros, sample.ones, outside)

    return st.builds(build, st.lists(record, max_size=6), counts)


def by_definition(low: int, high: int, name: str):
    """All concepts of an integer class, as (key, set of points labelled 1)."""
    domain = range(low, high + 1)
    if name == "thresholds":
        for u in range(low - 1, high + 1):
            yield ("threshold", u, low, high), {x for x in domain if x > u}
    if name in ("intervals", "points"):
        yield ("never",), set()
    if name == "intervals":
        for a in domain:
            for b in range(a, high + 1):
                yield ("interval", a, b), set(range(a, b + 1))
    if name == "points":
        for x in domain:
            yield ("point", x), {x}


CLASSES = {"thresholds": Thresholds, "intervals": Intervals, "points": Points}


@pytest.mark.first(1)
@pytest.mark.parametrize("name", CLASSES)
@given(low=st.integers(-3, 3), width=st.integers(0, 5), data=st.data(), rate=st.sampled_from(RATES))
def test_integer_classes(oracle, name, low, width, data, rate):
    high = low + width
    sample = data.draw(samples(low, high))
    concepts = list(by_definition(low, high, name))
    concept_class = CLASSES[name](low, high)
    errors = [(key, oracle.count_errors(lambda x, s=s: x in s, sample)) for key, s in concepts]
    oracle.assert_same_law(concept_class.candidates(sample), errors, rate)
    assert concept_class.size == len(concepts)
    listed = {h.key: concept_class.errors(h, sample) for h in concept_class.concepts()}
    assert listed == dict(errors)


@given(data=st.data(), rate=st.sampled_from(RATES), n_columns=st.integers(1, 4))
def test_finite_classes(oracle, data, rate, n_columns):
    row = st.tuples(*[st.integers(0, 1)] * n_columns)
    rows = data.draw(st.lists(row, min_size=1, max_size=6, unique=True))
    sample = data.draw(samples(0, n_columns - 1))
    errors = [
        (
            ("table", "".join(map(str, row))),
            oracle.count_errors(lambda x, row=row: 0 <= x < n_columns and row[x] == 1, sample),
        )
        for row in rows
    ]
    oracle.assert_same_law(FiniteClass(rows).candidates(sample), errors, rate)


SCHEMA = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Rome"]}})
WIDE = Schema.from_dict({"a": {"bins": [0]}, "b": {"categories": ["x"]}, "c": {"bins": [0]}})


def rule_errors(oracle, schema: Schema, k: int, sample: Sample):
    """List (key of the function, errors) for never, always and all sets of at most k literals.

    Written from the words of each literal, not from its codes.
    """
    names = schema.names
    columns = [[column.describe(code) for code in range(column.n_codes)] for column in schema]

    def satisfies(text: str, row: tuple[int, ...]) -> bool:
        name = next(n for n in names if text.startswith(n + " "))
        at = names.index(name)
        return holds(text[len(name) + 1 :], columns[at][row[at]], name)

    literals = [lit.text for lit in schema.literals()]
    everything = list(np.ndindex(*schema.n_codes))
    yield frozenset(), oracle.count_errors(lambda _: False, sample)
    for size in range(k + 1):
        for chosen in combinations(literals, size):

            def accepts(row, chosen=chosen):
                return all(satisfies(text, row) for text in chosen)

            yield frozenset(filter(accepts, everything)), oracle.count_errors(accepts, sample)


@pytest.mark.parametrize(("schema", "k"), [(SCHEMA, 1), (SCHEMA, 2), (SCHEMA, 3), (WIDE, 3)])
@given(data=st.data(), rate=st.sampled_from(RATES))
@settings(max_examples=settings.default.max_examples // 10)
def test_rules(oracle, schema, k, data, rate):
    row = st.tuples(*[st.integers(0, n - 1) for n in schema.n_codes])
    records = data.draw(st.lists(st.tuples(row, st.integers(0, 1)), min_size=1, max_size=8))
    sample = rows_sample(schema, records, data.draw(st.sampled_from([(0, 0), (1, 2)])))
    rules = Rules(schema, max_literals=k)
    # Keys are compared as functions: the set of all accepted rows.
    domain = np.array(list(np.ndindex(*schema.n_codes)))
    function = {
        h.key: frozenset(map(tuple, domain[h.predict(domain) == 1].tolist()))
        for h in rules.concepts()
    }
    errors = [(s, wrong) for s, wrong in rule_errors(oracle, schema, k, sample)]
    assert set(function.values()) == {s for s, _ in errors}
    assert len(set(function.values())) == len(function)
    keys = {accepted: key for key, accepted in function.items()}
    oracle.assert_same_law(
        rules.candidates(sample), [(keys[s], wrong) for s, wrong in errors], rate
    )


def test_rules_on_no_rows_and_on_outside_records_only(oracle):
    rules = Rules(SCHEMA, max_literals=1)
    for sample in (EMPTY, Sample.binary(EMPTY.points, EMPTY.zeros, EMPTY.ones, (1, 3))):
        errors = [(h.key, sample.outside[1]) for h in rules.concepts()]
        oracle.assert_same_law(rules.candidates(sample), errors, Fraction(1))


def test_a_repeated_function_counts_once_for_each_of_its_representations(oracle):
    edges = Schema.from_dict({"x": {"bins": [0]}})
    rules = Rules(edges, max_literals=2)  # never, always, x >= 0, x < 0, and both: never again
    assert rules.size == 5
    sample = rows_sample(edges, [((0,), 0)])  # a missing cell: only "always" errs
    law = [(("never",), 0), (("rule",), 1), (("rule", (0, ">=", 3)), 0), (("rule", (0, "<", 3)), 0)]
    oracle.assert_same_law(rules.candidates(sample), [*law, (("never",), 0)], Fraction(1))


# -- Classes over streamed samples: the law, the weights and the bits of samples in memory ---------

LINE_CLASSES = [
    Thresholds(1, 40),
    Points(1, 40),
    Intervals(1, 40),
    Prefixes("abc", 3),
    Prefixes("ipv4"),
]


def streamed(sample, cuts, cls):
    """The same sample, stored, in so many batches in the order of its class."""
    stored = keep_stored(sample, OnLine(cls.domain.line), Cut)
    stored.__dict__["cuts"] = cuts  # samples are frozen
    return stored


class Cut(Stored):
    def batches(self, line=None):
        for points, counts in super().batches(line):
            for chosen in np.array_split(np.arange(len(points)), self.cuts):
                if len(chosen):
                    yield Batch(points[chosen], counts[:, chosen])


def some(cls, rng, n, high=200):
    """Points near the beginning of the line, so that many are there again and again."""
    line = cls.domain.line
    first = getattr(cls.domain, "low", 0)
    return line.points(first + rng.integers(0, min(line.size, high), n))


@pytest.mark.first(1)
@pytest.mark.parametrize("cls", LINE_CLASSES, ids=str)
def test_what_is_presented_is_that_of_the_plain_path(cls):
    rng = np.random.default_rng(4)
    for trial in range(12):
        x = some(cls, rng, n := int(rng.integers(1, 40)), 2**40 if trial % 3 == 2 else 60)
        inside = sorted(set(x.tolist()))
        y = np.isin(x, inside[: len(inside) // 2]) if trial % 2 else rng.integers(0, 2, n)
        plain = Sample.of(x, y.astype(int))
        plain = Sample.binary(plain.points, plain.zeros, plain.ones, (trial, 2))
        pieces = streamed(plain, 1 + trial % 4, cls)
        for rate, answers in product(
            (Fraction(1, 2), Fraction(1, 90)), ([0, 0, 0, 0], [1, 0, 0, 0])
        ):
            sources = [ReplaySource(answers) for _ in range(2)]
            found = [
                cls.candidates(sample).draw(rate, source)
                for sample, source in zip((plain, pieces), sources, strict=True)
            ]
            assert found[0] == found[1]
            assert sources[0].presented == sources[1].presented


def test_a_sample_without_points_in_the_domain():
    for cls in LINE_CLASSES:
        nothing = np.zeros(0, dtype=np.int64)
        plain = Sample.binary(nothing, nothing, nothing, (3, 2))
        empty = streamed(plain, 1, cls)
        for seed in range(5):
            found = cls.candidates(empty).draw(Fraction(1), SeededSource(seed))
            assert found == cls.candidates(plain).draw(Fraction(1), SeededSource(seed))


@pytest.mark.more
def test_an_interval_is_found_among_all_without_points():
    """The empty one, and each inside a gap: by its number, across pieces."""
    cls = Intervals(1, 12)
    plain = Sample.of([3, 7, 8], [1, 1, 1])
    gaps = sum(g * (g + 1) // 2 for g in (2, 3, 0, 4)) + 1
    for cuts, member in product((1, 2, 3), range(gaps)):
        pair = [
            cls.candidates(sample).draw(Fraction(1), ReplaySource([0, member]))
            for sample in (plain, streamed(plain, cuts, cls))
        ]
        assert pair[0] == pair[1]


def test_long_gaps_are_counted_exactly():
    cls = Intervals(-(2**61), 2**61)
    plain = Sample.of([-(2**61), -5, 2**40, 2**61 - 9], [1, 0, 1, 1])
    sources = [ReplaySource([0, 2**119 + 17]) for _ in range(2)]
    pair = [
        cls.candidates(sample).draw(Fraction(1), source)
        for sample, source in zip((plain, streamed(plain, 2, cls)), sources, strict=True)
    ]
    assert pair[0] == pair[1]
    assert sources[0].presented == sources[1].presented


@pytest.mark.parametrize("written", [("ab", 3), ("abc", 3), ("abcde", 2), ("0123456789", 2)])
def test_ranks_of_many_prefixes_are_those_of_each(written):
    forest = PrefixForest(Notation(*written))
    nodes = np.array([forest.at_rank(rank) for rank in range(forest.size)])
    ranks = forest.keys(nodes)
    assert ranks.tolist() == list(range(forest.size))
    assert forest.points(ranks).tolist() == nodes.tolist()
    assert forest.ends(ranks).tolist() == [forest.span(node)[1] for node in nodes.tolist()]
    assert not PrefixForest(Notation("abcde", 25)).small  # 75 bits, though few enough ranks


# -- Sparse sets, conjunctions and affine subspaces: exact laws, JSON, layouts of points -----------

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
        (lambda: Hashed(SparseSets(3), Fraction(1, 20), Fraction(1, 100), 3, 2), "'buckets'"),
        (lambda: SparseSets(3).representation(), "alpha"),
        (lambda: parse_class("conjunctions(3, upside_down=True)"), "'upside_down'"),
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


@pytest.mark.parametrize("name", ["real_thresholds", "real_intervals", "halfspaces", "Halfspaces"])
def test_infinite_littlestone_dimension_is_refused_with_the_reason(name):
    with pytest.raises(UnsupportedError, match=r"infinite.* Use ") as refusal:
        parse_class(f"{name}(3)")
    assert "Alon et al." in str(refusal.value)


def test_open_spans_are_those_of_one_path():
    """What waits for the next piece does not grow with the number of points."""
    forest = PrefixForest(Notation("ab", 12))
    line = np.arange(forest.size)
    pieces = ((part, forest.ends(part), np.ones_like(part)) for part in np.array_split(line, 200))
    runs = list(span_runs(pieces, 0, forest.size, 0))
    assert max(len(piece.starts) for piece in runs) <= 2 * (len(line) // 200 + 2) + forest.height
    depth = [forest.depth(forest.at_rank(rank)) for rank in range(forest.size)]
    scores = np.concatenate([np.repeat(piece.scores, piece.lengths) for piece in runs])
    assert scores.tolist() == depth


def test_hashed_sets_reach_alpha_and_beta():
    representation = SparseSets(3).representation(alpha=0.05, beta=0.01)
    collision = SparseSets(3).hashing.collision(representation.buckets)
    assert (collision / Fraction(1, 20)) ** representation.copies <= Fraction(1, 100)
    with pytest.raises(ParameterError, match="'buckets'"):
        Hashed(SparseSets(3), Fraction(1, 20), Fraction(1, 100), representation.copies, 2)
    found = best_hashing(SparseSets(3).hashing, epsilon=1, alpha=0.1, beta=0.05)
    assert 300 < found.required_samples() < 3000
    with pytest.raises(ParameterError, match="alpha"):
        SparseSets(3).representation()
    assert SparseSets(3, 1, 5).representation().size == SparseSets(3, 1, 5).size


@pytest.mark.parametrize("n", range(7))
def test_unrank(n):
    for r in range(n + 1):
        sets = [tuple(unrank(n, r, rank)) for rank in range(len(list(combinations(range(n), r))))]
        assert sorted(sets) == list(combinations(range(n), r))
