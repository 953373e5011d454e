"""Released trees: laws by enumeration, normal forms, words, JSON, SQL."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.classes import (
    DecisionTrees,
    Rules,
    TreeEnsemble,
    TreeHypothesis,
    load,
    parse_class,
)
from littlestone.classes.decision_trees import Node
from littlestone.classes.decision_trees.concept_class import (
    Candidates,
    Splits,
)
from littlestone.classes.decision_trees.hypothesis import normal, walk
from littlestone.costs import Costs
from littlestone.data import RowDomain, Sample, Schema, read_points
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.source import SeededSource

from ..rows import holds

# -- Normal forms, words and JSON of released trees; the class's own numbers -----------------------

SCHEMA = Schema.from_dict(
    {"age": {"bins": [30, 60, 90]}, "a is b": {"categories": ["is x", "y >= 3"]}}
)
SPLITS = DecisionTrees(SCHEMA, 1)._splits.literals
AGES = Schema.from_dict({"age": {"bins": [30, 60, 90]}})
MIXED = Schema.from_dict({"age": {"bins": [30]}, "city": {"categories": ["Bonn"]}})


def trees(depth=4):
    return st.recursive(
        st.integers(0, 1),
        lambda below: st.builds(Node, st.sampled_from(SPLITS), below, below),
        max_leaves=2**depth,
    )


def label(tree, row):
    """Follow a tree from its definition: the answer of each split, by its words."""
    while isinstance(tree, Node):
        split = tree.split
        codes = list(split.accepts(SCHEMA.n_codes[split.column]))
        tree = tree.yes if codes[row[split.column]] else tree.no
    return tree


@given(trees())
def test_the_normal_form_is_the_same_function(brute, tree):
    rows = brute.domain(SCHEMA)
    hypothesis = TreeHypothesis.of(tree)
    assert hypothesis.predict(rows).tolist() == [label(tree, row) for row in rows]
    assert normal(hypothesis.tree) == hypothesis.tree
    assert hypothesis.depth <= max((d + 1 for _, d in walk(tree)), default=0)
    again = load(json.loads(json.dumps(hypothesis.to_dict())))
    assert again == hypothesis
    assert hash(again) == hash(hypothesis)
    assert again.key == hypothesis.key


def test_equal_keys_are_equal_functions_and_little_is_left_twice(brute):
    """All 432 representations of depth 2 over three splits; then none is needlessly large."""
    found = {}
    for tree in DecisionTrees(MIXED, 2)._trees(2):
        hypothesis = TreeHypothesis.of(tree)
        found.setdefault(hypothesis.key, set()).add(brute.function(hypothesis, MIXED))
    assert all(len(functions) == 1 for functions in found.values())
    functions = {f for (f,) in found.values()}
    assert functions == set(brute.trees(MIXED, 2))
    listed = {brute.function(h, MIXED) for h in DecisionTrees(MIXED, 2).concepts()}
    assert listed == functions
    assert len(found) <= 2 * len(functions)  # what is left: the same, asked in another order


def test_rules_of_the_normal_form():
    at30, below30, at60, below60, _, below90, x, y = SPLITS
    for tree, expected in [
        (Node(x, 1, 1), 1),  # equal sides
        (Node(at30, Node(at30, 1, 0), 0), Node(at30, 1, 0)),  # asked again
        (Node(at30, Node(below60, 1, 0), 0), Node(at30, Node(at60, 0, 1), 0)),  # swapped
        (Node(x, Node(y, 1, 0), 1), Node(x, 0, 1)),  # one category excludes the other
        (Node(x, 0, Node(x, 1, 0)), 0),
        (Node(below30, Node(at60, 1, 0), 0), 0),  # implied
        # after "no" to both ">= 60" and "< 30": a number from 30 on, or not a number
        (
            Node(at60, 1, Node(below30, 1, Node(below90, 1, 0))),
            Node(at60, 1, Node(below30, 1, Node(at30, 1, 0))),
        ),
        # where only the upper end is known, too
        (Node(at60, 0, Node(below90, 1, 0)), Node(at60, 0, Node(below60, 1, 0))),
        # a missing age answers no: these are two different functions
        (Node(below30, 1, 0), Node(below30, 1, 0)),
        (Node(at30, 0, 1), Node(at30, 0, 1)),
    ]:
        assert normal(tree) == expected


def evaluate_text(text: str, words: dict[str, list[str]], row) -> int:
    """Label a row by an exported text: take the first side whose words hold, line by line."""
    lines = [(line.count("|   "), line.split("|--- ", 1)[1]) for line in text.splitlines()]
    depth, i = 0, 0
    while True:
        level, line = lines[i]
        if level == depth and line.startswith("class: "):
            return int(line.removeprefix("class: "))
        said = line.removeprefix("not: ")
        name = next((n for n in words if said.startswith(n + " ")), None)
        if level == depth:
            cell = words[name][row[list(SCHEMA.names).index(name)]]
            depth += holds(said.removeprefix(name + " "), cell, name) != line.startswith("not: ")
        i += 1


@given(trees())
def test_the_exported_text_says_the_function(brute, tree):
    hypothesis = TreeHypothesis.of(tree)
    words = {c.name: [c.describe(code) for code in range(c.n_codes)] for c in SCHEMA}
    text = hypothesis.export_text()
    rows = brute.domain(SCHEMA)
    assert hypothesis.predict(rows).tolist() == [evaluate_text(text, words, row) for row in rows]


def test_words():
    at30, _, _, _, _, _, x, _ = SPLITS
    tree = TreeHypothesis.of(Node(x, Node(at30, 1, 0), 0))
    assert tree.describe() == (
        "if a is b is is x, then (if age >= 30, then 1, otherwise 0), otherwise 0"
    )
    assert TreeHypothesis(1).describe() == "always 1"
    assert TreeHypothesis(0).export_text() == "|--- class: 0"
    assert tree.depth == 2
    assert TreeHypothesis(0).predict(np.zeros((3, 2))).tolist() == [0, 0, 0]
    assert TreeHypothesis.of(tree.tree).predict(np.zeros((0, 2), np.int16)).tolist() == []


def node(**changes):
    base = {"type": "node", "column": 0, "op": ">=", "code": 3, "text": "age >= 30"}
    return base | {"yes": 1, "no": 0} | changes


@pytest.mark.parametrize(
    ("tree", "match"),
    [
        (2, "type"),
        (True, "type"),
        ("1", "type"),
        (node(op="is not"), "op"),
        (node(type="leaf"), "op"),
        (node(code=2), "code"),
        (node(column=-1), "column"),
        (node(text=5), "text"),
        (node(text="age"), "splits that read"),
        (node(yes=0), "normal form"),
        (node(yes=node()), "normal form"),
        (node(yes=node(op="<", code=4, text="age < 60")), "normal form"),
        (node(yes=node(op="is", code=4, text="age is x")), "one kind"),
        ({**node(), "more": 1}, "fields"),
    ],
)
def test_json_of_a_stranger(tree, match):
    with pytest.raises(ParameterError, match=match):
        load({"type": "tree", "tree": tree})


def test_json_that_is_too_deep():
    tree = 0
    for code in range(3, 40):
        tree = node(code=code, text=f"age >= {code}", yes=tree, no=code % 2)
    with pytest.raises(ParameterError, match="depth"):
        load({"type": "tree", "tree": tree})


def test_the_class():
    trees = DecisionTrees(MIXED, depth=2)
    assert trees == DecisionTrees(MIXED) == parse_class("decision_trees()", schema=MIXED)
    assert trees != DecisionTrees(MIXED, depth=3)
    assert repr(trees) == "DecisionTrees(Schema(age, city), depth=2)"
    every = DecisionTrees(Schema.every_column([0, 1]), 3)
    assert every.bind(2).size == 256 * 8**7
    with pytest.raises(ParameterError, match="bind"):
        _ = every.size


def test_rules_are_trees(brute):
    """Every rule of at most k literals is a tree of depth k; some tree is no rule."""
    for k in (1, 2):
        rules = {brute.function(h, SCHEMA) for h in Rules(SCHEMA, k).concepts()}
        functions = set(brute.trees(SCHEMA, k))
        assert rules < functions


@pytest.mark.parametrize(("schema", "depth"), [(MIXED, 1), (MIXED, 2), (AGES, 1)])
def test_vc_dimension_is_bounded(brute, schema, depth):
    functions = set(brute.trees(schema, depth))
    n = len(brute.domain(schema))
    truth = 0
    for m in range(1, n + 1):
        if not any(
            len({tuple(f >> i & 1 for i in chosen) for f in functions}) == 2**m
            for chosen in combinations(range(n), m)
        ):
            break
        truth = m
    bound = DecisionTrees(schema, depth).vc_dim
    assert truth <= bound <= DecisionTrees(schema, depth).size.bit_length()


def test_many_edges_do_not_raise_the_vc_bound_for_ever():
    fine = DecisionTrees(Schema.from_dict({"x": {"integers": [1, 1000]}}), 2)
    assert fine.vc_dim == 19 < fine.size.bit_length() - 1


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (({"age": {"bins": [1]}},), "Schema.from_toml"),
        ((MIXED, 0), "integer >= 1"),
        ((MIXED, 5), "1, 2, 3 or 4"),
        ((MIXED, 2.0), "integer"),
        ((Schema.from_dict({"x": {"integers": [1, 1200]}}), 3), "at most 2000 splits"),
    ],
)
def test_refusals(arguments, match):
    with pytest.raises(ParameterError, match=match):
        DecisionTrees(*arguments)


# -- Trees with any labels at the leaves: the law by enumeration, doubles by high precision, texts

ONE = ls.Schema.from_dict({"city": {"categories": ["Bonn"]}})  # 1 split
EDGE = ls.Schema.from_dict({"age": {"bins": [30]}})  # 2 splits
WIDE = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Rome"]}})
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


def test_labelled_the_class():
    trees = ls.DecisionTrees(WIDE, 2, [3, 1, 2])
    assert trees != ls.DecisionTrees(WIDE, 2)
    assert trees != ls.DecisionTrees(WIDE, 2, [1, 2, 3])
    assert trees.size == 3**4 * 6**3
    every = ls.DecisionTrees(ls.Schema.every_column([0.0]), 1, ABC).bind(2)
    assert every.labels == ABC
    small = ls.DecisionTrees(ONE, 1, ABC)
    assert len(list(small.concepts())) == 9  # a city is Bonn, or not


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
        with pytest.raises(UnsupportedError, match="is for the labels 0 and 1"):
            asked()
    assert ls.DecisionTrees(WIDE, 4, ABC).size == 3**16 * 6**15
    assert ls.DecisionTrees(WIDE, 4).labels == ls.DecisionTrees(WIDE, 4, [0, 1]).labels == (0, 1)


# -- How many representations there are; no records ------------------------------------------------

TWO = Schema.from_dict({"a": {"categories": ["x"]}, "b": {"categories": ["y"]}})  # 2 splits


def test_size_counts_representations(brute):
    cases = [(ONE, 3), (EDGE, 2), (MIXED, 2), (WIDE, 1), (WIDE, 2), (TWO, 3)]
    for schema, depth in cases:
        assert DecisionTrees(schema, depth).size == brute.trees(schema, depth).total()


def test_no_records_at_all(oracle, brute):
    empty = brute.rows_sample(MIXED, [], (2, 1))
    trees = Candidates(Splits(MIXED), 1, empty)
    every = labelled_trees(brute, MIXED, 1, 2)
    listed = [(f, 1) for f, times in every.items() for _ in range(times)]
    oracle.assert_same_law(ByFunction(trees, brute.domain(MIXED)), listed, Fraction(1))
    tree = DecisionTrees(WIDE, 3).candidates(brute.rows_sample(WIDE, []))
    assert tree.size == 256 * 6**7


# -- The SQL of a tree, run in DuckDB, labels every row as the tree does, whatever the cells hold --


SQL_SCHEMA = Schema.from_dict(
    {
        'the "age"': {"bins": [-1.5, 0, 30, 1e20], "missing": ["99", "n/a"]},
        "it's": {
            "categories": ["O'Neil", "3", "-1", "2.5", "true", "nan", "3.0", "inf"],
            "missing": ["?"],
        },
        "plain": {"bins": [1, 2]},
    }
)
AGE, NAME, PLAIN = SQL_SCHEMA.names
ODD_NUMBERS = [
    "31", " 31 ", "31.0", "+31", "3.1e1", "99", "99.0", " 99", "n/a", "-2", "-1.5", ".5", "5.",
    "x", "", " ", "\t\n7\r\v\f", "0x10", "1_000", "1,000", "true", "FALSE", "True ", "nan", "NaN",
    "-nan", "inf", "-inf", "+Infinity", "infinit", "1e999", "-1e999", "1e-999", "1e20",
    "100000000000000000001", "--1", "1e", "e1", ".", "٣", "31\u00a0", "1e5.0", "0", "-0", "30",
    "29.99", None,
]  # fmt: skip
ODD_TEXTS = [
    "O'Neil", " O'Neil\t", "o'neil", "3", "3.0", " 3", "-1", "2.5", "2.50", "true", "True", "nan",
    "NaN", "?", "", None, "31",
]  # fmt: skip


def every_tree():
    """Return one tree for each split, and some deeper ones."""
    splits = DecisionTrees(SQL_SCHEMA, 1)._splits.literals
    yield from (TreeHypothesis.of(Node(split, 1, 0)) for split in splits)
    yield from (TreeHypothesis.of(Node(split, 0, 1)) for split in splits)
    rng = np.random.default_rng(3)
    for _ in range(25):
        a, b, c = (splits[i] for i in rng.integers(0, len(splits), 3))
        yield TreeHypothesis.of(Node(a, Node(b, *rng.integers(0, 2, 2).tolist()), Node(c, 1, 0)))


def same(table: pa.Table, trees, **options) -> None:
    """Assert that a query with each tree labels a table as the tree does."""
    points, inside = read_points(table, x=None, domain=RowDomain(SQL_SCHEMA), caller="test")
    assert inside.all()
    with duckdb.connect() as connection:
        connection.register("people", table)
        connection.execute(
            "CREATE TABLE rows AS SELECT *, row_number() OVER () AS place FROM people"
        )
        for tree in trees:
            query = f"SELECT {tree.to_sql(SQL_SCHEMA, **options)} AS label FROM rows ORDER BY place"
            found = connection.execute(query).fetchnumpy()["label"]
            assert found.tolist() == tree.predict(points).tolist(), tree.describe()


def test_every_odd_text():
    n = max(len(ODD_NUMBERS), len(ODD_TEXTS))
    column = [ODD_NUMBERS[i % len(ODD_NUMBERS)] for i in range(n)]
    texts = [ODD_TEXTS[i % len(ODD_TEXTS)] for i in range(n)]
    table = pa.table({AGE: column, NAME: texts, PLAIN: list(reversed(column))})
    same(table, every_tree(), dialect="duckdb")


VALUES = [None, 0, 1, -1, 3, 2.5, 31, 99, -2, 1e20, 1e21, float("nan"), float("inf"), -float("inf")]


@pytest.mark.first(1)
@pytest.mark.parametrize(
    "kind", [pa.float64(), pa.float32(), pa.int64(), pa.int8(), pa.bool_(), pa.decimal128(12, 2)],
    ids=str,
)  # fmt: skip
def test_every_type_of_column(kind):
    if pa.types.is_floating(kind):
        values = VALUES
    elif pa.types.is_boolean(kind):
        values = [None, True, False]
    else:
        values = [v for v in VALUES if v is None or (v == v and abs(v) < 100)]
        values = [v if v is None or pa.types.is_decimal(kind) else int(v) for v in values]
    if pa.types.is_decimal(kind):
        values = [None if v is None else Decimal(str(v)) for v in values]
    column = pa.array(values, kind)
    table = pa.table({AGE: column, NAME: column, PLAIN: column})
    same(table, every_tree(), dialect="duckdb")


@pytest.mark.more
@given(st.lists(st.text(alphabet=" 0123456789.eE+-infatruNn\t_", max_size=9), min_size=1))
@settings(max_examples=settings.default.max_examples // 4)
def test_any_text(cells):
    table = pa.table({AGE: cells, NAME: cells, PLAIN: cells})
    same(table, list(every_tree())[:8], dialect="duckdb")


def test_plain_sql_on_proper_types():
    """Numbers that mean missing are left out; NULL goes to "no" at every node."""
    ages = [None, -2, 0, 29, 30, 99, 100]
    names = [None, "O'Neil", "3", "-1", "x", "true", "?"]
    table = pa.table({AGE: ages, NAME: names, PLAIN: list(reversed(ages))})
    same(table, every_tree())


def test_sql_refusals():
    tree = next(every_tree())
    with pytest.raises(ParameterError, match="one of standard, duckdb, sqlite"):
        tree.to_sql(SQL_SCHEMA, dialect="mysql")
    with pytest.raises(ParameterError, match="the schema of the tree"):
        tree.to_sql(Schema.from_dict({"age": {"bins": [30]}}))
    assert TreeHypothesis(1).to_sql(SQL_SCHEMA) == "1"


@pytest.mark.parametrize("dialect", ["duckdb", "standard"])
def test_numbers_that_mean_missing_and_are_no_numbers_of_sql(dialect, evaluated):
    """A bare ``inf`` would be the column of that name, ``nan`` likewise; 1e400 is no double."""
    nulls = ["inf", "-inf", "nan", "1e400", "9" * 400, "-7"]
    schema = Schema.from_dict({"a": {"bins": [0], "missing": nulls}})
    tree = TreeHypothesis.of(Node(schema.literals()[0], 1, 0))
    cells = [float("inf"), float("-inf"), -7.0, 5.0, -5.0, None]
    source = pa.table({"a": cells, "inf": [5.0] * 6, "Infinity": [5.0] * 6})
    found = evaluated(tree.to_sql(schema, dialect=dialect), source)
    points, _ = read_points({"a": cells}, domain=RowDomain(schema))
    assert found == tree.predict(points).tolist() == [0, 0, 0, 1, 0, 0]


@pytest.mark.parametrize("what", ["category", "label"])
def test_backslashes_are_no_standard(what):
    r"""Engines that take \' for a quote would read the next text as SQL."""
    odd = "x\\"
    schema = Schema.from_dict({"a": {"categories": [odd if what == "category" else "x"]}})
    names = (odd if what == "label" else "x", " OR 1 = 1 --")
    tree = TreeHypothesis.of(Node(schema.literals()[0], 1, 0), names)
    with pytest.raises(ParameterError, match="'duckdb' for a category or label with a backslash"):
        tree.to_sql(schema)
    found = duckdb.sql(f"SELECT {tree.to_sql(schema, dialect='duckdb')} FROM (SELECT 'y' AS a)")
    assert found.fetchall() == [(tree.label_names[0],)]
    sums = TreeEnsemble((tree,), Fraction(1), (0, 0), names)
    with pytest.raises(ParameterError, match="backslash"):
        sums.to_sql(schema)


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
