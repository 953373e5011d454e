"""Trees with any labels at the leaves: the law by enumeration, doubles by high precision, texts."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.classes import load
from littlestone.classes.decision_trees.concept_class import (
    Candidates,
    Splits,
    WeightedRoots,
    WeightedRows,
    error_bound,
)
from littlestone.costs import Costs
from littlestone.data import Sample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.source import SeededSource

ONE = ls.Schema.from_dict({"city": {"categories": ["Bonn"]}})  # 1 split
EDGE = ls.Schema.from_dict({"age": {"bins": [30]}})  # 2 splits
WIDE = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Rome"]}})
LARGE = ls.Schema.from_dict(
    {"a": {"bins": [1, 2, 3, 4]}, "b": {"categories": ["x", "y", "z"]}, "c": {"bins": [0]}}
)
ABC = ("a", "b", "c")
PRICES = Costs.of({(0, 1): 2, (0, 2): 5, (1, 0): 1, (1, 2): 3, (2, 0): 4, (2, 1): 1}, labels=3)


def labelled_trees(brute, schema, depth, k):
    """Return all representations as functions (a label for each row), and how often each is one."""
    rows = range(len(brute.domain(schema)))
    if depth == 0:
        return Counter({(label,) * len(rows): 1 for label in range(k)})
    below, out = labelled_trees(brute, schema, depth - 1, k), Counter()
    for mask in brute.splits(schema):
        for yes, m in below.items():
            for no, n in below.items():
                out[tuple(yes[i] if mask >> i & 1 else no[i] for i in rows)] += m * n
    return out


def cost(function, records, schema, brute, price):
    """Cost of a function, record by record; an unlisted label costs most."""
    place = {tuple(row): i for i, row in enumerate(brute.domain(schema).tolist())}
    worst = max(map(max, price))
    return sum(price[y][function[place[row]]] if y < len(price) else worst for row, y in records)


def records(schema, k):
    row = st.tuples(*[st.integers(0, n - 1) for n in schema.n_codes])
    return st.lists(st.tuples(row, st.integers(0, k)), max_size=6)


class ByFunction:
    """Draws, compared as functions on all rows."""

    def __init__(self, candidates, rows):
        self.candidates, self.rows, self.size = candidates, rows, candidates.size

    def draw(self, rate, source):
        tree = self.candidates.draw(rate, source)
        return SimpleNamespace(key=tuple(tree.predict(self.rows).tolist()))


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("schema", "depth", "examples", "costs"),
    [
        (WIDE, 1, 3, PRICES),
        (ONE, 2, 2, Costs.equal(3)),
        (EDGE, 2, 2, PRICES),
        (EDGE, 2, 2, Costs.equal(3)),
        pytest.param(ONE, 3, 1, PRICES, marks=pytest.mark.full),
    ],
    ids=["wide-1", "one-2", "edge-2-costs", "edge-2", "one-3"],
)
def test_law_against_enumeration(oracle, brute, schema, depth, examples, costs):
    trees = labelled_trees(brute, schema, depth, 3)

    @settings(max_examples=examples)
    @given(records(schema, 3), st.sampled_from((Fraction(1, 40), Fraction(2, 7))), st.booleans())
    def check(listed, rate, fast):
        points = np.array([row for row, _ in listed], dtype=np.int16).reshape(-1, len(schema))
        sample = Sample.of(points, np.array([y for _, y in listed], int), labels=3)
        weighted = sample.cost_weighted(costs)
        candidates = Candidates(Splits(schema), depth, weighted, ABC, fast=fast)
        expected = [
            (f, cost(f, listed, schema, brute, costs.matrix))
            for f, times in trees.items()
            for _ in range(times)
        ]
        oracle.assert_same_law(ByFunction(candidates, brute.domain(schema)), expected, rate)

    check()


def test_two_labels_of_a_list_have_the_law_of_0_and_1(oracle):
    """The sampler of errors and the one of labels are different programs."""
    rows, y = np.array([[2], [3], [3], [0]], dtype=np.int16), [0, 1, 1, 0]
    plain = ls.DecisionTrees(EDGE, 2).candidates(ls.data.Sample.of(rows, y))
    several = ls.DecisionTrees(EDGE, 2, ["no", "yes"]).candidates(Sample.of(rows, y, labels=2))
    assert plain.size == several.size
    domain = np.arange(4).reshape(-1, 1)
    laws = [oracle.exact_law(ByFunction(c, domain), Fraction(1, 3)) for c in (plain, several)]
    assert set(laws[0]) == set(laws[1])
    assert all(p.overlaps(laws[1][key]) for key, p in laws[0].items())


@pytest.mark.first(2)
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("rate", [Fraction(2, 7), Fraction(1, 5000)])
def test_error_bound_against_high_precision(depth, rate):
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.integers(0, n, 20_000) for n in LARGE.n_codes])
    codes = (points[:, 0] + (points[:, 1] == 2) + (rng.random(20_000) < 0.2)) % 6
    sample = Sample.of(points, codes, labels=5)
    rows = WeightedRows.of(Splits(LARGE), sample.points, sample.answer_costs)
    with ctx.workprec(200):
        fast = WeightedRoots(rows, depth, rate, fast=True).enclose(96)
        truth = WeightedRoots(rows, depth, rate, fast=False).enclose(192)
        worst = max(
            float(abs(arb(f.mid()) / t - 1).upper()) for f, t in zip(fast, truth, strict=True)
        )
    assert worst < error_bound(depth, len(truth), 5) / 2
    assert error_bound(1, 10, 5) > error_bound(1, 10, 2)


def drawn(seed=0):
    rng = np.random.default_rng(seed)
    points = np.column_stack([rng.integers(0, n, 500) for n in WIDE.n_codes])
    sample = Sample.of(points, points[:, 0] % 3, labels=3)
    found = ls.DecisionTrees(WIDE, 2, ABC).candidates(sample)
    return found.draw(Fraction(1), SeededSource(seed))


def test_trees_with_labels_are_written_and_read():
    tree = drawn()
    again = load(tree.to_dict())
    assert again == tree
    assert again.key == tree.key
    assert again.label_names == ABC
    assert any(f" {label}" in tree.describe() for label in ABC)
    for broken in (["a", "b"], [0, 1], ["a", "a", "b"], "abc", ["a", 1, "b"]):
        with pytest.raises(ParameterError):
            load(tree.to_dict() | {"label_names": broken})


def test_the_class():
    trees = ls.DecisionTrees(WIDE, 2, [3, 1, 2])
    assert trees != ls.DecisionTrees(WIDE, 2)
    assert trees != ls.DecisionTrees(WIDE, 2, [1, 2, 3])
    assert trees.size == 3**4 * 6**3
    every = ls.DecisionTrees(ls.Schema.every_column([0.0]), 1, ABC).bind(2)
    assert every.labels == ABC
    small = ls.DecisionTrees(ONE, 1, ABC)
    assert len(list(small.concepts())) == 9  # a city is Bonn, or not


def test_sql_says_the_labels(evaluated):
    tree = drawn()
    cells = {"age": [10, 45, 70, None], "city": ["Bonn", "Rome", "Ulm", "Bonn"]}
    written = tree.to_sql(WIDE, dialect="duckdb")
    rows = (
        "SELECT unnest([10, 45, 70, NULL]) AS age, unnest(['Bonn', 'Rome', 'Ulm', 'Bonn']) AS city"
    )
    answers = evaluated(written, f"({rows})")
    points, _ = ls.data.read_points(cells, domain=ls.DecisionTrees(WIDE).domain)
    assert answers == [ABC[code] for code in tree.predict(points)]


@pytest.mark.parametrize(
    "labels",
    ["abc", ["a"], ["a", "a"], ["1", "1.0"], ["a", 1], [0.5, 1.5], ["a", "nan"], 3,
     [["a"], ["b"]], [f"l{i}" for i in range(101)]],
    ids=str,
)  # fmt: skip
def test_other_lists_of_labels_are_refused(labels):
    with pytest.raises(ParameterError, match="'labels' parameter of DecisionTrees"):
        ls.DecisionTrees(WIDE, labels=labels)


def test_what_is_for_0_and_1_is_refused_with_what_works():
    trees = ls.DecisionTrees(ONE, 1, ABC)
    for asked in (
        lambda: trees.vc_dim,
        trees.version_space,
        lambda: ls.theory.dimensions(trees),
        lambda: ls.theory.soa(trees),
        lambda: trees.candidates(ls.data.Sample.of(np.zeros((1, 1), int), [0])),
    ):
        with pytest.raises(UnsupportedError, match="multiclass_littlestone_dimension"):
            asked()
    assert ls.DecisionTrees(WIDE, 4, ABC).size == 3**16 * 6**15
    assert ls.DecisionTrees(WIDE, 4).labels == ls.DecisionTrees(WIDE, 4, [0, 1]).labels == (0, 1)
