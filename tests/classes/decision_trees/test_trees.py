"""Normal forms, words and JSON of released trees; the class's own numbers."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.classes import (
    DecisionTrees,
    Rules,
    TreeHypothesis,
    load,
    parse_class,
)
from littlestone.classes.decision_trees import Node
from littlestone.classes.decision_trees.hypothesis import Known, after, normal, walk
from littlestone.data import Schema
from littlestone.errors import ParameterError

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
    for tree in DecisionTrees(MIXED, 2).representations(2):
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


def test_what_is_known():
    at30, below30, *_, x, y = SPLITS
    yes, no = after(Known(), x)
    assert after(yes, x) == (yes, None)
    assert after(yes, y) == (None, yes)
    assert after(no, x) == (None, no)
    yes, no = after(Known(), at30)
    assert after(yes, below30) == (None, yes)
    assert after(no, below30)[1].odd


def evaluate_text(text: str, words: dict[str, list[str]], row) -> int:
    """Label a row by an exported text: take the first side whose words hold, line by line."""
    lines = [(line.count("|   "), line.split("|--- ", 1)[1]) for line in text.splitlines()]
    depth, i = 0, 0
    while True:
        level, line = lines[i]
        if level == depth and line.startswith("class: "):
            return int(line.removeprefix("class: "))
        name = next((n for n in words if line.removeprefix("not: ").startswith(n + " ")), None)
        if level == depth and _holds(line, name, words[name], row):
            depth += 1
        i += 1


def _holds(line, name, cells, row) -> bool:
    if line.startswith("not: "):
        return not _holds(line.removeprefix("not: "), name, cells, row)
    cell = cells[row[list(SCHEMA.names).index(name)]]
    test = line.removeprefix(name + " ")
    odd = cell.endswith((" is missing", " is other"))
    if test == "is missing or other":
        return odd
    if test.startswith("is not "):
        return cell != f"{name} is {test[7:]}"
    if test.startswith("is "):
        return cell == f"{name} is {test[3:]}"
    if odd:
        return test.endswith(", missing or other")
    parts = cell.split(" ")
    low = float(parts[0]) if len(parts) == 5 else float(parts[2]) - (parts[1] == "<")
    op, edge = test.removesuffix(", missing or other").split(" ")
    return low >= float(edge) if op == ">=" else low < float(edge)


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
