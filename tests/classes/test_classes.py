"""Classes and released functions: what they say, as text and JSON, and what is refused."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.classes import (
    AffineSubspaces,
    AlwaysZero,
    ConjunctionHypothesis,
    FiniteClass,
    HashFunction,
    HashSetHypothesis,
    IntervalHypothesis,
    Intervals,
    PointHypothesis,
    Points,
    RuleHypothesis,
    Rules,
    SparseSets,
    TableHypothesis,
    ThresholdHypothesis,
    Thresholds,
    affine_span,
    class_from_dict,
    conjunction,
    errors,
    load,
    number,
    on_points,
    parse_class,
    parse_integer,
)
from littlestone.classes.rules import Enumeration
from littlestone.data import AnyDomain, IntegerDomain, RowDomain, Sample, Schema
from littlestone.data.domains import object_points
from littlestone.errors import LittlestoneError, ParameterError, UnsupportedError
from littlestone.source import SeededSource, exp, pair_balls
from littlestone.types import Hypothesis

# -- What classes say of themselves, refusals, big domains, speed ----------------------------------

HUGE = 2**1024
RATE = Fraction(1, 2)
SCHEMA = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})


def test_sizes_dimensions_domains_and_texts():
    assert (Thresholds(1, HUGE).size, Thresholds(5, 5).size) == (HUGE + 1, 2)
    assert (Intervals(1, HUGE).size, Intervals(5, 5).size) == (HUGE * (HUGE + 1) // 2 + 1, 2)
    assert (Intervals(1, 2).vc_dim, Intervals(1, 1).vc_dim) == (2, 1)
    assert (Points(1, HUGE).size, Points().size) == (HUGE + 1, math.inf)
    assert Thresholds(1, 2).domain == IntegerDomain(1, 2)
    assert Points().domain == AnyDomain()
    assert Rules(SCHEMA).domain == RowDomain(SCHEMA)
    assert FiniteClass([[0, 1]]).domain == IntegerDomain(0, 1)
    assert repr(Thresholds(1, HUGE)) == "Thresholds(1, 2**1024)"
    assert repr(Points()) == "Points()"
    assert repr(Rules(SCHEMA)) == "Rules(Schema(age, city), max_literals=2)"
    assert FiniteClass([[0, 1]]).spec == "finite(1 concepts on 2 points)"
    assert Thresholds(1, 3).ln_size == pytest.approx(math.log(4))


def vc_by_definition(labels: np.ndarray) -> int:
    best = 0
    for chosen in range(2 ** labels.shape[1]):
        points = [x for x in range(labels.shape[1]) if chosen >> x & 1]
        if len({tuple(row) for row in labels[:, points].tolist()}) == 2 ** len(points):
            best = max(best, len(points))
    return best


def test_vc_dimensions_by_definition():
    domain = np.arange(1, 6)
    for c in (Thresholds(1, 5), Intervals(1, 5), Points(1, 5), Points(1, 1), Intervals(3, 3)):
        labels = np.array([h.predict(domain) for h in c.concepts()])
        assert c.vc_dim == vc_by_definition(labels)
    rows = np.array(list(np.ndindex(*SCHEMA.n_codes)))
    rules = Rules(SCHEMA)
    labels = np.array([h.predict(rows) for h in rules.concepts()])
    assert not rules.vc_exact
    assert rules.vc_dim >= vc_by_definition(labels[:, ::2])
    rng = np.random.default_rng(3)
    for _ in range(30):
        matrix = np.unique(rng.integers(0, 2, (rng.integers(1, 20), 6)), axis=0)
        assert FiniteClass(matrix).vc_dim == vc_by_definition(matrix)


def test_finite_classes_do_not_follow_changes_of_their_matrix():
    matrix = np.array([[0, 1], [1, 1]], dtype=np.uint8)
    c = FiniteClass(matrix)
    matrix[0, 0] = 1
    assert c == FiniteClass([[0, 1], [1, 1]])
    assert c != FiniteClass([[1, 1], [0, 1]])


@pytest.mark.parametrize(
    "matrix",
    [
        [],
        [[], []],
        [0, 1],
        [[0, 1], [0]],
        [[0, 2]],
        [["a"]],
        [["0", "1"]],
        ["01"],
        [[0.5]],
        [[math.nan, 0]],
        [[0, 1], [1, 1], [0, 1]],
        None,
        3,
    ],
)
def test_malformed_matrices_are_refused(matrix):
    with pytest.raises(ParameterError, match="'matrix' parameter of FiniteClass"):
        FiniteClass(matrix)


def test_matrices_from_csv(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("0,1, 1\n1,0,0\n\n", encoding="utf-8")
    c = FiniteClass.from_csv(path)
    assert c == FiniteClass([[0, 1, 1], [1, 0, 0]])
    assert c.spec == f"finite({path})"
    for bad in ("", "0,1\n1\n", "0;1\n1;0\n", "0,2\n", "x,y\n0,1\n", "0,1\n0,1\n", "é,1\n"):
        path.write_text(bad, encoding="utf-8")
        with pytest.raises(ParameterError):
            FiniteClass.from_csv(path)
    path.write_bytes(b"\xff\xfe0")
    with pytest.raises(ParameterError, match="not UTF-8"):
        FiniteClass.from_csv(path)
    with pytest.raises(ParameterError, match="could not be read"):
        FiniteClass.from_csv(tmp_path / "absent.csv")
    with pytest.raises(ParameterError, match="could not be read"):
        FiniteClass.from_csv(tmp_path)


def test_refusals():
    with pytest.raises(ParameterError, match="'high' parameter of Thresholds"):
        Thresholds(2, 1)
    with pytest.raises(ParameterError, match="'low' parameter of Intervals must be an integer"):
        Intervals(1.0, 2)
    with pytest.raises(ParameterError, match="given together"):
        Points(1)
    with pytest.raises(UnsupportedError, match="too large to be listed"):
        Thresholds(1, HUGE).concepts()
    with pytest.raises(UnsupportedError):
        Points().concepts()
    with pytest.raises(ParameterError, match="'schema' parameter of Rules"):
        Rules({"age": [1]})
    with pytest.raises(ParameterError, match="'max_literals' parameter of Rules"):
        Rules(SCHEMA, 0)
    many = Schema.from_dict({"x": {"integers": [1, 6000]}})
    with pytest.raises(ParameterError, match="at most 50000000 candidates"):
        Rules(many)
    assert Rules(many, 1).size == 12_000


def test_rules_of_arrays_are_bound_to_a_number_of_columns():
    rules = Rules(Schema.every_column([0, 1]), max_literals=1)
    with pytest.raises(ParameterError, match="bind"):
        rules.size  # noqa: B018
    assert rules.bind(3).size == 2 + 12
    assert rules.bind(3).bind(3) == rules.bind(3)
    assert Rules(SCHEMA).bind(2).schema is SCHEMA
    with pytest.raises(ParameterError):
        Rules(SCHEMA).bind(3)


# -- Classes as text: safe integers, helpful refusals ----------------------------------------------

SPEC_SCHEMA = Schema.from_dict({"age": {"bins": [30, 60]}})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("thresholds(1, 99)", Thresholds(1, 99)),
        (" Thresholds ( -3,2**64-1 ) ", Thresholds(-3, 2**64 - 1)),
        ("thresholds(high=9, low=1)", Thresholds(1, 9)),
        ("intervals(1, 1_000)", Intervals(1, 1000)),
        ("intervals(-2**8, (1+2)*3)", Intervals(-256, 9)),
        ("points()", Points()),
        ("points(0, 0xff)", Points(0, 255)),
        ("sparse_sets(2, -3, 2**70)", SparseSets(2, -3, 2**70)),
        ("affine_subspaces(7, 20, 3)", AffineSubspaces(7, 20, 3)),
    ],
)
def test_texts(text, expected):
    assert parse_class(text) == expected
    assert parse_class(expected.spec) == expected


def test_rules_need_a_schema():
    assert parse_class("rules(max_literals=1)", SPEC_SCHEMA) == Rules(SPEC_SCHEMA, 1)
    assert parse_class("rules()", SPEC_SCHEMA) == Rules(SPEC_SCHEMA)
    assert parse_class(Rules(SPEC_SCHEMA).spec, SPEC_SCHEMA) == Rules(SPEC_SCHEMA)
    with pytest.raises(ParameterError, match="needs a public schema"):
        parse_class("rules(max_literals=2)")


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_files(tmp_path, quote):
    path = tmp_path / "my matrix-1.csv"
    path.write_text("0,1\n1,0\n", encoding="utf-8")
    c = parse_class(f"finite({quote}{path}{quote})")
    assert c == FiniteClass([[0, 1], [1, 0]])
    assert parse_class(c.spec) == c


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("threshold(1, 9)", "Did you mean thresholds"),
        ("interval(1, 9)", "Did you mean intervals"),
        ("forest(3)", "Write one of: affine_subspaces"),
        ("thresholds", "takes low and high"),
        ("thresholds 1", "name with arguments"),
        ("", "name with arguments"),
        ("thresholds(1)", "takes low and high"),
        ("thresholds(1, 2, 3)", "takes low and high"),
        ("thresholds(1, low=2)", "given twice"),
        ("thresholds(1, hi=2)", "'hi' of thresholds"),
        ("thresholds(1, **{})", "unknown"),
        ("thresholds(1, *[2])", "cannot read"),
        ("thresholds(1, 2**(10**9))", "at most 1048576 bits"),
        ("thresholds(1, 10**9**9**9)", "at most"),
        ("thresholds(1, 2**-1)", "cannot read"),
        ("thresholds(1, 2.5)", "cannot read"),
        ("thresholds(1, True)", "must be an integer"),
        ("thresholds(1, 'a')", "cannot read"),
        ("thresholds(1, 7/2)", "cannot read"),
        ("thresholds(1, __import__('os'))", "cannot read"),
        ("thresholds(1, (lambda: 2)())", "cannot read"),
        ("thresholds(1, 2) + f(3)", "cannot be read"),
        ("thresholds(1, 2)(3)", "cannot be read"),
        ("thresholds(1, ", "name with arguments"),
        ("thresholds(1,, 2)", "cannot read"),
        (f"thresholds(1, {'(' * 500}2{')' * 500})", "cannot read"),
        (f"thresholds(1, {'-' * 19000}2)", "cannot read"),
        (f"thresholds(1, {'9' * 5000})", "cannot read"),
        (f"thresholds(1, {'1+' * 20000}1)", "cannot read"),
        ("thresholds(9, 1)", "'high' parameter of Thresholds"),
        ("points(1)", "given together"),
        ("finite()", "path of a file"),
        ("finite(absent.csv)", "could not be read"),
        ("rules(0)", "'max_literals' parameter of Rules"),
    ],
    ids=lambda t: t[:40],
)
def test_refusals_teach(text, words):
    with pytest.raises(ParameterError, match=words):
        parse_class(text, SPEC_SCHEMA)


def test_not_even_a_text():
    with pytest.raises(ParameterError, match="name with arguments"):
        parse_class(None)


@given(text=st.text(max_size=40))
def test_any_text_is_read_or_refused(text):
    for inside in (text, f"thresholds({text})"):
        try:
            parse_class(inside)
        except ParameterError:
            continue


@given(
    st.one_of(
        st.integers(),
        st.integers(0, 20_000).flatmap(
            lambda k: st.sampled_from([2**k, 2**k - 1, 2**k + 1, -(2**k), -(2**k) - 1, 3**k])
        ),
    )
)
def test_integers_round_trip(n):
    assert parse_integer(number(n)) == n


def test_short_texts_of_integers():
    assert [number(n) for n in (0, -1, 2**48 - 1, 2**48, -(2**64), -(2**64) + 1, 1 - 2**64)] == [
        "0", "-1", "281474976710655", "2**48", "-2**64", "-2**64 + 1", "-2**64 + 1",
    ]  # fmt: skip


# -- Released functions: definitions, words, canonical keys, JSON from strangers -------------------

TOLD_SCHEMA = Schema.from_dict(
    {"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Rome"]}}
)
BIG = 2**1024
HASH = HashFunction(2**63, 5, 7, 9)

SMALL_CLASSES = [
    Thresholds(-2, 3),
    Intervals(-2, 3),
    Points(-2, 3),
    FiniteClass([[0, 1], [1, 1], [0, 0]]),
    Rules(TOLD_SCHEMA, 2),
]
HYPOTHESES = [
    *(h for c in SMALL_CLASSES for h in c.concepts()),
    ThresholdHypothesis(BIG - 1, -BIG, BIG),
    IntervalHypothesis(-BIG, 2**70 + 12345),
    *map(PointHypothesis, (BIG, "o'neill", 0.5, float("inf"), None, b"\x00", ("a", (1, None)))),
    HashSetHypothesis(HASH, (1, 4)),
    HashSetHypothesis(HASH, (0,), (1, 2**80)),
    on_points(["rome", 3, (1, 2)]),
    ConjunctionHypothesis(70, 1 << 69, 1),
    affine_span(5, [(0, 1, 2), (1, 1, 1), (2, 0, 0)]),
    affine_span(2, [(1, 0)]),
]


def test_json_round_trip():
    for hypothesis in HYPOTHESES:
        text = json.dumps(hypothesis.to_dict(), allow_nan=False)
        back = load(json.loads(text))
        assert (back, back.key, hash(back)) == (hypothesis, hypothesis.key, hash(hypothesis))
        assert back.describe() == hypothesis.describe()
        assert json.dumps(back.to_dict()) == text
        assert isinstance(back, Hypothesis)


def test_predictions_on_big_integers_and_objects():
    points = object_points([-BIG - 1, -BIG, 0, BIG, BIG + 1])
    assert ThresholdHypothesis(0, -BIG, BIG).predict(points).tolist() == [0, 0, 0, 1, 0]
    assert ThresholdHypothesis(-BIG - 1, -BIG, BIG).predict(points).tolist() == [0, 1, 1, 1, 0]
    assert IntervalHypothesis(-BIG, 0).predict(points).tolist() == [0, 1, 1, 0, 0]
    assert PointHypothesis(BIG).predict(points).tolist() == [0, 0, 0, 1, 0]
    assert TableHypothesis("11").predict(points).tolist() == [0, 0, 1, 0, 0]
    assert PointHypothesis(BIG).predict(np.array([1, 2])).tolist() == [0, 0]
    assert PointHypothesis("1").predict(np.array([1, 2])).tolist() == [0, 0]
    mixed = object_points([1, "1", (1,), 1.5, None, b"1"])
    for i, point in enumerate(mixed):
        assert PointHypothesis(point).predict(mixed).tolist() == [int(i == j) for j in range(6)]
    rows = np.array([[1, 2], [2, 1]])
    assert PointHypothesis((1, 2)).predict(rows).tolist() == [1, 0]
    assert PointHypothesis((1, 2, 3)).predict(rows).tolist() == [0, 0]
    nothing = np.array([], dtype=np.int64)
    for h in HYPOTHESES:
        assert h.predict(nothing).shape == (0,)
        assert h.predict(nothing).dtype == np.int8


def test_words():
    assert ThresholdHypothesis(0, 1, 9).describe() == "always 1 (x from 1 to 9)"
    assert ThresholdHypothesis(9, 1, 9).describe() == "always 0 (x from 1 to 9)"
    assert IntervalHypothesis(3, 3).describe() == "1 if x = 3, otherwise 0"
    assert PointHypothesis(2**64 - 1).describe() == "1 if x = 2**64 - 1, otherwise 0"
    assert PointHypothesis("a b").describe() == "1 if x = 'a b', otherwise 0"
    assert TableHypothesis("11").describe() == "always 1 (points 0 to 1)"
    assert (
        TableHypothesis("1" * 30 + "0")
        .describe()
        .endswith("19 and 10 more, otherwise 0 (points 0 to 30)")
    )
    assert HashSetHypothesis(HASH, (0,), (1, 2**64)).describe().endswith("0 (x from 1 to 2**64)")
    assert RuleHypothesis(()).describe() == "always 1"


def test_conjunctions_are_canonical_for_every_order_and_repetition():
    literals = TOLD_SCHEMA.literals()
    domain = np.array(list(np.ndindex(*TOLD_SCHEMA.n_codes)))
    for chosen in product(literals, repeat=3):
        accepted = np.ones(len(domain), dtype=bool)
        for lit in chosen:
            accepted &= lit.accepts(TOLD_SCHEMA.n_codes[lit.column])[domain[:, lit.column]]
        rules = {conjunction(order) for order in permutations(chosen)}
        assert len(rules) == 1
        rule = rules.pop()
        assert rule.predict(domain).tolist() == accepted.astype(int).tolist()
        assert isinstance(rule, AlwaysZero) == (not accepted.any())


GOOD = [h.to_dict() for h in HYPOTHESES] + [c.to_dict() for c in SMALL_CLASSES]
LITERAL = conjunction(TOLD_SCHEMA.literals()[:1]).to_dict()["literals"][0]
BAD = [
    None,
    [],
    {},
    {"type": "neural network"},
    {"type": ["never"]},
    {"type": "never", "extra": 1},
    {"type": "threshold", "above": 1, "low": 1},
    {"type": "threshold", "above": 1.0, "low": 1, "high": 9},
    {"type": "threshold", "above": True, "low": 1, "high": 9},
    {"type": "threshold", "above": "__import__('os')", "low": 1, "high": 9},
    {"type": "threshold", "above": "2**2**2**99", "low": 1, "high": 9},
    {"type": "threshold", "above": 10, "low": 1, "high": 9},
    {"type": "threshold", "above": -1, "low": 1, "high": 9},
    {"type": "threshold", "above": 5, "low": 9, "high": 1},
    {"type": "interval", "first": 2, "last": 1},
    {"type": "point", "point": {"python": "os.system"}},
    {"type": "point", "point": {"bytes": "zz"}},
    {"type": "point", "point": {"int": "1", "more": 2}},
    {"type": "point", "point": True},
    {"type": "point", "point": [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]},
    {"type": "table", "labels": ""},
    {"type": "table", "labels": "012"},
    {"type": "table", "labels": [0, 1]},
    {"type": "hash_set", "hash": {}, "buckets": [0]},
    {"type": "hash_set", "hash": {**HASH.to_dict(), "type": "md5"}, "buckets": [0]},
    {"type": "hash_set", "hash": {**HASH.to_dict(), "key": 2**64}, "buckets": [0]},
    {"type": "hash_set", "hash": {**HASH.to_dict(), "buckets": 0}, "buckets": [0]},
    {"type": "hash_set", "hash": HASH.to_dict(), "buckets": [1], "low": 1},
    {"type": "rule", "literals": {}},
    {"type": "rule", "literals": [LITERAL, LITERAL]},
    {"type": "rule", "literals": [{**LITERAL, "op": "is"}, {**LITERAL, "op": ">="}]},
    {"type": "rule", "literals": [{**LITERAL, "op": "exec"}]},
    {"type": "rule", "literals": [{**LITERAL, "code": 2}]},
    {"type": "rule", "literals": [{**LITERAL, "column": -1}]},
    {"type": "rule", "literals": [{**LITERAL, "text": 5}]},
    {"type": "rule", "literals": [{**LITERAL, "type": "x"}]},
    {"type": "set", "points": [1]},
    {"type": "set", "points": [2, 1]},
    {"type": "set", "points": [1, 1]},
    {"type": "set", "points": [1, {}]},
    {"type": "conjunction", "n": 2, "ones": 1, "zeros": 1},
    {"type": "conjunction", "n": 2, "ones": 4, "zeros": 0},
    {"type": "affine_subspace", "q": 4, "basis": [], "offset": [0]},
    {"type": "affine_subspace", "q": 3, "basis": [[2, 0]], "offset": [0, 0]},
    {"type": "affine_subspace", "q": 3, "basis": [[0, 0]], "offset": [0, 0]},
    {"type": "affine_subspace", "q": 3, "basis": [[1, 0]], "offset": [1, 0]},
    {"type": "affine_subspace", "q": 3, "basis": [[1]], "offset": [0, 0]},
    {"type": "affine_subspace", "q": 3, "basis": [], "offset": []},
    {"type": "affine_subspace", "q": 3, "basis": [], "offset": [0.5]},
    {"type": "hash_set", "hash": HASH.to_dict(), "buckets": [2, 1]},
    {"type": "hash_set", "hash": HASH.to_dict(), "buckets": [9]},
    {"type": "hash_set", "hash": HASH.to_dict(), "buckets": []},
]


def test_malformed_hypotheses_are_refused():
    for document in BAD:
        with pytest.raises(ParameterError):
            pytest.fail(f"{load(document)} was read")


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda j: st.one_of(
        st.lists(j, max_size=3), st.dictionaries(st.text(max_size=4), j, max_size=3)
    ),
    max_leaves=6,
)


@pytest.mark.more
@settings(max_examples=settings.default.max_examples // 4)
@given(data=st.data(), good=st.sampled_from(GOOD), junk=JSON)
def test_changed_json_is_read_or_refused_but_never_fails_otherwise(data, good, junk):
    broken = json.loads(json.dumps(good))
    where = broken
    while isinstance(where, (dict, list)) and where:
        key = data.draw(st.sampled_from(sorted(where) if isinstance(where, dict) else [0]))
        if data.draw(st.booleans()) or not isinstance(where[key], (dict, list)):
            where[key] = junk
            break
        where = where[key]
    for read in (load, class_from_dict):
        try:
            read(broken)
        except LittlestoneError:
            continue


def test_a_table_needs_labels():
    with pytest.raises(ParameterError, match="'labels' parameter"):
        TableHypothesis("01x")


def test_all_right_ends_of_intervals_have_the_weight_of_their_definition():
    """The recursion against exact sums, beyond what an exact law can list."""
    rng = random.Random(5)
    for _ in range(20):
        k = rng.randrange(1, 8)
        left = [rng.randrange(1, 2**70) for _ in range(k)]
        right = [rng.randrange(1, 2**70) for _ in range(k)]
        weights = [rng.randrange(-5, 6) for _ in range(k)]
        prefix = [sum(weights[:i]) for i in range(k + 1)]
        found = pair_balls(7, left, right, weights, rate=RATE, bits=100)
        assert found[0] == 7
        for j in range(1, k + 1):
            terms = (exp(RATE * (prefix[i] - prefix[j]), left[i]) for i in range(j))
            expected = right[j - 1] * sum(terms, start=exp(0, 0))
            assert found[j].overlaps(expected.enclose(200))
            assert found[j].rel_accuracy_bits() >= 90


@pytest.mark.more
def test_the_best_rule_of_two_literals_on_the_census_table():
    """About 82 % of the census records: a depth that users see in the README."""
    adult = Path(__file__).parents[2] / "examples" / "adult"
    rules = Rules(Schema.from_toml(adult / "schema.toml"), max_literals=2)
    sample = Sample.read(adult / "adult.parquet", y="over_50k", domain=rules.domain)
    candidates = rules.candidates(sample)
    best = max(candidates._choice.scores)
    assert 0.815 < 1 + best / sample.n < 0.825
    drawn = candidates.draw(Fraction(50), SeededSource(0))
    assert -rules.errors(drawn, sample) == best


def test_rules_at_scale_against_a_matrix_product(monkeypatch):
    """Ten columns, thousands of rows: both ways to count, against an integer matrix product."""
    rng = np.random.default_rng(6)
    schema = Schema.from_dict(
        {f"n{i}": {"bins": [1, 2, 5]} for i in range(5)}
        | {f"c{i}": {"categories": ["u", "v", "w"]} for i in range(5)}
    )
    rows = np.column_stack([rng.integers(0, n, 3000) for n in schema.n_codes]).astype(np.int16)
    sample = Sample.of(rows, rng.integers(0, 2, 3000))
    rules = Rules(schema, max_literals=2)
    monkeypatch.setattr(Enumeration, "_narrow", lambda self, n_rows: False)
    scores = rules.candidates(sample)._choice.scores
    monkeypatch.setattr(Enumeration, "_narrow", lambda self, n_rows: True)
    assert np.array_equal(rules.candidates(sample)._choice.scores, scores)
    literals = schema.literals()
    accepts = np.array(
        [lit.accepts(schema.n_codes[lit.column])[sample.points[:, lit.column]] for lit in literals]
    ).astype(np.int64)
    gram = (accepts * (sample.zeros - sample.ones)) @ accepts.T
    positives = int(sample.ones.sum())
    expected = {(): positives + int((sample.zeros - sample.ones).sum())}
    for i in range(len(literals)):
        for j in range(i, len(literals)):
            expected[tuple(sorted({i, j}))] = positives + int(gram[i, j])
    assert -scores[0] == positives
    number = {lit: i for i, lit in enumerate(literals)}
    for index in range(1, rules.size):
        chosen = tuple(sorted(number[lit] for lit in rules._enumeration.literals(index - 1)))
        assert -scores[index] == expected.pop(chosen)
    assert not expected
    best = int(np.argmax(scores))
    hypothesis = rules.hypothesis(best)
    assert errors(hypothesis, sample) == -scores[best]
