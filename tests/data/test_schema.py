"""Schemas: what they say, which codes cells get, and how wrong ones are refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.data import Column, Schema
from littlestone.errors import ParameterError

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.decimals(),
    st.text(),
    st.from_regex(r"\A ?[+-]?[0-9]{0,25}\.?[0-9]{0,25}\Z"),
    st.binary(),
    st.datetimes(),
    st.lists(st.integers()),
)

AGE = Column.bins("age", [18, 30.5, 60], ["?", "unknown"])
CITY = Column.of("city", ["Bonn", "Rome", 5], ["?"])

TOML = """
[age]
bins = [18, 30.5, 60]
missing = ["?", "unknown"]

[city]
categories = ["Bonn", "Rome", "5"]
missing = ["?"]

[level]
integers = [1, 3]
"""


def test_toml_and_back(tmp_path):
    path = tmp_path / "schema.toml"
    path.write_text(TOML)
    schema = Schema.from_toml(path)
    assert schema.names == ("age", "city", "level")
    assert schema.columns[:2] == (AGE, CITY)
    assert schema["level"].edges == (2, 3)  # a bin for each of 1, 2, 3
    assert Schema.from_dict(schema.to_dict()) == schema
    assert hash(Schema.from_dict(schema.to_dict())) == hash(schema)
    assert schema.n_codes == (6, 5, 5)
    assert len(schema) == 3
    assert [column.name for column in schema] == ["age", "city", "level"]


def test_every_column_and_back():
    schema = Schema.every_column([0, 1])
    assert Schema.from_dict(schema.to_dict()) == schema
    assert not schema.bound
    bound = schema.bind(3)
    assert bound.names == ("x0", "x1", "x2")
    assert bound.bind(3) is bound
    assert repr(schema) == "Schema.every_column([0, 1])"
    with pytest.raises(ParameterError, match="of 3 columns"):
        bound.bind(2, caller="fit")


def test_lists_keep_the_order():
    schema = Schema((CITY, AGE))
    assert Schema.from_list(schema.to_list()) == schema
    assert Schema.from_list(schema.to_list()).names == ("city", "age")
    for bad in (None, [], [3], [{"bins": [1]}], {"age": {"bins": [1]}}):
        with pytest.raises(ParameterError, match="a list of named columns"):
            Schema.from_list(bad)
    with pytest.raises(ParameterError, match="different names"):
        Schema.from_list([AGE.to_dict() | {"name": "age"}] * 2)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (17, 2),
        ("17.99", 2),
        (18, 3),
        ("30.5", 4),
        (30.499999, 3),
        (60, 5),
        ("1e9", 5),
        (float("inf"), 5),
        ("-inf", 2),
        ("9" * 60_000, 5),
        ("9" * 10**6, 0),  # too long for a cell: missing
        (True, 2),
        (None, 0),
        ("", 0),
        (" ? ", 0),
        ("unknown", 0),
        (float("nan"), 0),
        ("NaN", 0),
        ("x", 1),
        ("1,5", 1),
    ],
)
def test_numeric_cells(raw, code):
    assert AGE.code(raw) == code


@pytest.mark.parametrize(
    ("raw", "code"),
    [("Bonn", 2), (" Rome\t", 3), (5, 4), (5.0, 4), ("5.0", 4), ("bonn", 1), ("?", 0), (None, 0)],
)
def test_categorical_cells(raw, code):
    assert CITY.code(raw) == code


def test_descriptions():
    assert [AGE.describe(code) for code in range(AGE.n_codes)] == [
        "age is missing",
        "age is other",
        "age < 18",
        "18 <= age < 30.5",
        "30.5 <= age < 60",
        "age >= 60",
    ]
    assert [CITY.describe(code) for code in range(CITY.n_codes)] == [
        "city is missing",
        "city is other",
        "city is Bonn",
        "city is Rome",
        "city is 5",
    ]
    assert AGE.numeric
    assert not CITY.numeric


OPS = {
    ">=": lambda x, edge: x >= edge,
    "<": lambda x, edge: x < edge,
}


def test_literals_say_what_they_mean():
    """Each literal, on each kind of cell, against its own words."""
    schema = Schema((AGE, CITY))
    literals = schema.literals()
    assert len(literals) == 2 * 3 + 2 * 3
    assert len({literal.text for literal in literals}) == len(literals)
    for literal in literals:
        column = schema.columns[literal.column]
        accepted = literal.accepts(column.n_codes)
        name, op, value = literal.text.split(" ", 1)[0], literal.op, literal.text.split()[-1]
        assert literal.text == f"{name} {op} {value}"
        for raw in (17, 18, 29, 31, 60, 61, "Bonn", "Rome", "5", None, "odd"):
            if op in OPS:
                holds = isinstance(raw, int) and OPS[op](raw, float(value))
            else:
                holds = (str(raw) == value) == (op == "is")
            if column.numeric == (isinstance(raw, int) or raw in (None, "odd")):
                assert accepted[column.code(raw)] == holds


def test_other_and_missing_satisfy_only_is_not():
    for literal in Schema((AGE, CITY)).literals():
        missing, other = literal.accepts(10)[:2]
        assert missing == other == (literal.op == "is not")


@given(SCALARS)
def test_codes_are_total(raw):
    for column in (AGE, CITY):
        assert 0 <= column.code(raw) < column.n_codes
        assert column.code(raw) == column.code(raw)


EDGES = st.lists(
    st.one_of(st.integers(-(2**53), 2**53), st.floats(-1e20, 1e20)), min_size=1, max_size=6
).map(lambda edges: sorted({float(edge) for edge in edges}))


@given(EDGES, st.lists(st.floats(), max_size=8), st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_arrays_get_the_codes_of_their_cells(edges, floats, integers):
    """The vectorised path against the rule for one cell, near the edges too."""
    column = Column.bins("x", edges)
    near = [*edges, *(math.nextafter(e, math.inf) for e in edges)]
    whole = [int(e) + d for e in edges for d in (-1, 0, 1) if abs(e) < 2**62]
    for values in (
        np.array(floats + near),
        np.array(integers + whole, dtype=np.int64),
        np.array(floats).clip(-1e30, 1e30).astype(np.float32),
    ):
        expected = [column.code(value) for value in values.tolist()]
        assert column.codes(values).tolist() == expected


def test_numbers_that_mean_missing():
    column = Column.bins("x", [0], missing=["99", "-1.5"])
    assert column.codes(np.array([99, 98])).tolist() == [0, 3]
    assert column.codes(np.array([99.0, -1.5, -2])).tolist() == [0, 0, 2]


@pytest.mark.parametrize(
    ("described", "message"),
    [
        ({}, "at least one column"),
        ([], "at least one column"),
        ({"": {"bins": [1]}}, "a column name, not empty"),
        ({"age": [1, 2]}, "a table"),
        ({"age": {"bin": [1]}}, "unknown key 'bin'. Did you mean 'bins'?"),
        ({"age": {}}, "exactly one of"),
        ({"age": {"bins": [1], "categories": ["a"]}}, "bins and categories"),
        ({"age": {"bins": []}}, "strictly increasing"),
        ({"age": {"bins": 3}}, "strictly increasing"),
        ({"age": {"bins": [2, 1]}}, "Sort the edges"),
        ({"age": {"bins": [1, 1.0]}}, "strictly increasing"),
        ({"age": {"bins": ["1"]}}, "finite numbers"),
        ({"age": {"bins": [True]}}, "finite numbers"),
        ({"age": {"bins": [math.inf]}}, "finite numbers"),
        ({"age": {"bins": [2**53 + 1]}}, "a double holds exactly"),
        ({"age": {"bins": [10**400]}}, "a double holds exactly"),
        ({"age": {"bins": list(range(40_000))}}, "at most"),
        ({"age": {"integers": [1]}}, "two integers"),
        ({"age": {"integers": [3, 1]}}, "low < high"),
        ({"age": {"integers": [0, 10**6]}}, "low < high"),
        ({"city": {"categories": []}}, "at least one text"),
        ({"city": {"categories": "Bonn"}}, "a list of different texts"),
        ({"city": {"categories": ["a", "a "]}}, "a list of different texts"),
        ({"city": {"categories": ["a", ""]}}, "a list of different texts"),
        ({"city": {"categories": ["a", "?"], "missing": ["?"]}}, "different from the categories"),
        ({"city": {"categories": [str(i) for i in range(40_000)]}}, "at most"),
    ],
)
def test_bad_schemas_are_refused(described, message):
    with pytest.raises(ParameterError) as refused:
        Schema.from_dict(described)
    assert message in str(refused.value)


def test_bad_files_are_refused(tmp_path):
    with pytest.raises(ParameterError, match="could not be read"):
        Schema.from_toml(tmp_path / "none.toml")
    path = tmp_path / "schema.toml"
    path.write_text("[age\n")
    with pytest.raises(ParameterError, match=r"is not TOML.*line 1"):
        Schema.from_toml(path)
    with pytest.raises(ParameterError, match="different names"):
        Schema((AGE, AGE))
    with pytest.raises(ParameterError, match="at least one column"):
        Schema()
    with pytest.raises(ParameterError, match="Did you mean 'age'"):
        Schema((AGE, CITY))["agee"]
