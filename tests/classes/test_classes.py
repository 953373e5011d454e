"""What classes say of themselves, refusals, big domains, speed."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from littlestone.classes import (
    AlwaysZero,
    FiniteClass,
    IntervalHypothesis,
    Intervals,
    Points,
    Rules,
    Thresholds,
    errors,
)
from littlestone.classes.rules import Enumeration
from littlestone.data import AnyDomain, IntegerDomain, RowDomain, Sample, Schema
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.source import ReplaySource, SeededSource, exp, pair_balls

HUGE = 2**1024
SCHEMA = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
RATE = Fraction(1, 2)


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


@pytest.mark.parametrize("make", [Thresholds, Intervals, Points])
def test_ten_thousand_records_on_a_huge_domain_draw_fast(make):
    rng = random.Random(4)
    points = sorted(rng.randrange(1, HUGE + 1) for _ in range(10_000))
    labels = [int(x > HUGE // 3) for x in points]
    sample = Sample.of(points, labels)
    c = make(1, HUGE)
    hypothesis = c.candidates(sample).draw(RATE, SeededSource(0))
    wrong = c.errors(hypothesis, sample)
    assert (
        wrong < 100
        if make is not Points
        else wrong == sum(labels) - hypothesis.predict(sample.points).sum()
    )


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


def test_members_of_gaps_are_all_intervals_without_points():
    candidates = Intervals(1, 12).candidates(Sample.of([4, 9], [1, 1]))
    answers = ([0, i] for i in range(1 + 6 + 10 + 6))  # no right end, and a member
    inside = [candidates.draw(RATE, ReplaySource(answer)) for answer in answers]
    expected = {
        IntervalHypothesis(a, b)
        for low, high in ((1, 3), (5, 8), (10, 12))
        for a in range(low, high + 1)
        for b in range(a, high + 1)
    }
    assert len(inside) == len(set(inside))
    assert set(inside) == {AlwaysZero()} | expected


def test_errors_count_every_record():
    sample = Sample.of([1, 1, 2, 3], [0, 1, 1, 0])
    sample = Sample.binary(sample.points, sample.zeros, sample.ones, (5, 7))
    assert errors(IntervalHypothesis(1, 2), sample) == 1 + 7
    assert errors(AlwaysZero(), Sample.of([], [])) == 0


@pytest.mark.more
def test_a_million_concepts_at_once():
    matrix = np.arange(2**20)[:, None] >> np.arange(20) & 1
    c = FiniteClass(matrix)
    sample = Sample.of(np.arange(20).repeat(60), np.arange(20).repeat(60) % 2)
    drawn = c.candidates(sample).draw(RATE, SeededSource(0))
    assert drawn.labels == "01" * 10


def test_finite_classes_do_not_follow_changes_of_their_matrix():
    matrix = np.array([[0, 1], [1, 1]], dtype=np.uint8)
    c = FiniteClass(matrix)
    matrix[0, 0] = 1
    assert c == FiniteClass([[0, 1], [1, 1]])
    assert c != FiniteClass([[1, 1], [0, 1]])


@pytest.mark.parametrize(
    "matrix",
    [[], [[]], [0, 1], [[0, 1], [0]], [[0, 2]], [["a"]], [[0.5]], [[0, 1], [1, 1], [0, 1]], None],
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
