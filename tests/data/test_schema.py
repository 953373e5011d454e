"""Schemas: written, read, drafted, and made from codebooks."""

from __future__ import annotations

import json
import math
import tomllib
from fractions import Fraction
from itertools import product
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import littlestone as ls
from littlestone.classes import TreeEnsemble, TreeHypothesis
from littlestone.classes.boosted_trees.export import as_python
from littlestone.classes.decision_trees.hypothesis import Node
from littlestone.data import Column, RowDomain, Schema, read_points
from littlestone.data.draft import compare, draft, read_codebook
from littlestone.data.proposal import propose
from littlestone.errors import ParameterError, UnsupportedError

from .counted import SCALARS

# -- Schemas: what they say, which codes cells get, and how wrong ones are refused -----------------

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
    assert not schema.bound
    bound = schema.bind(3)
    assert bound.names == ("x0", "x1", "x2")
    assert bound.bind(3) is bound
    assert repr(schema) == "Schema.every_column([0, 1])"
    with pytest.raises(ParameterError, match="of 3 columns"):
        bound.bind(2, caller="fit")


def test_lists_keep_the_order():
    schema = Schema((CITY, AGE))
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


# -- Schemas from codebooks: of every form, with every container, and what is refused --------------

REDCAP = """\
"Variable / Field Name","Form Name","Section Header","Field Type","Field Label","Choices, Calculations, OR Slider Labels","Field Note","Text Validation Type OR Show Slider Number","Text Validation Min","Text Validation Max",Identifier?
record,demo,,text,Record,,,,,,y
sex,demo,,radio,"<b>Sex</b> at birth","1, male | 2, female",,,,,
age,demo,,text,"Age, years",,,integer,0,120,
crp,lab,,text,CRP,,<i>mg/l</i>,number_1dp,0,12,
smoker,demo,,yesno,Smoker,,,,,,
ill,demo,,checkbox,Illnesses,"1, heart | -8, other",,,,,
seen,lab,,text,First visit,,,date_dmy,2020-01-01,2023-12-31,
info,demo,,descriptive,Please fill in,,,,,,
story,lab,,notes,What happened,,,,,,
"""  # noqa: E501 - as REDCap writes it
LISTED = """\
name,type,low,high,levels,missing,unit,label
record,identifier,,,,,,Record
sex,,,,1=male|2=female,,,Sex at birth
age,integer,0,120,,,,"Age, years"
crp,number,0,12,,,,CRP (mg/l)
smoker,,,,0=no|1=yes,,,Smoker
ill___1,,,,0=no|1=yes,,,Illnesses: heart
ill____8,,,,0=no|1=yes,,,Illnesses: other
seen,date,2020-01-01,2023-12-31,,,,First visit
story,text,,,,,,What happened
"""
_YES = [{"value": "0", "label": "no"}, {"value": "1", "label": "yes"}]
FIELDS = [
    {"name": "record", "type": "string", "title": "Record"},
    {
        "name": "sex",
        "type": "integer",
        "title": "Sex at birth",
        "categories": [{"value": 1, "label": "male"}, {"value": 2, "label": "female"}],
    },
    {
        "name": "age",
        "type": "integer",
        "title": "Age, years",
        "constraints": {"minimum": 0, "maximum": 120},
    },
    {
        "name": "crp",
        "type": "number",
        "title": "CRP (mg/l)",
        "constraints": {"minimum": 0, "maximum": 12},
    },
    {"name": "smoker", "type": "string", "title": "Smoker", "categories": _YES},
    {"name": "ill___1", "type": "string", "title": "Illnesses: heart", "categories": _YES},
    {"name": "ill____8", "type": "string", "title": "Illnesses: other", "categories": _YES},
    {
        "name": "seen",
        "type": "date",
        "title": "First visit",
        "constraints": {"minimum": "2020-01-01", "maximum": "2023-12-31"},
    },
    {"name": "story", "type": "string", "description": "What happened"},
]
SCHEMA = {"fields": FIELDS, "primaryKey": "record"}
FORMS = {
    "redcap": REDCAP,
    "listed": LISTED,
    "frictionless": json.dumps(SCHEMA),
    "package": json.dumps({"resources": [{"name": "t", "schema": SCHEMA}]}),
}
#: What the three say, by hand.
WANTED = {
    "sex": {"categories": ["male", "female"], "merge": {"male": ["1"], "female": ["2"]}},
    "age": {"bins": list(range(10, 120, 10))},
    "crp": {"bins": list(range(1, 12))},
    **{
        name: {"categories": ["no", "yes"], "merge": {"no": ["0"], "yes": ["1"]}}
        for name in ("smoker", "ill___1", "ill____8")
    },
    "seen": {"type": "date", "bins": ["2021-01-01", "2022-01-01", "2023-01-01"]},
}
TABLE = {
    "record": ["r1", "r2", "r3"],
    "sex": ["1", "female", "x"],
    "age": ["9", "10", "200"],
    "crp": ["0.5", "", "11"],
    "smoker": ["no", "1", "0"],
    "ill___1": ["0", "1", "1"],
    "ill____8": ["1", "0", "0"],
    "seen": ["2020-05-01", "2023-01-01", "bad"],
    "story": ["fell", "ran", "sat"],
}
CODES = [
    [2, 2, 2, 2, 2, 3, 2],
    [3, 3, 0, 3, 3, 2, 5],
    [1, 13, 13, 2, 3, 2, 1],
]


def csv_file(folder):
    pd.DataFrame(TABLE).to_csv(folder / "t.csv", index=False)
    return folder / "t.csv"


def parquet(folder):
    pd.DataFrame(TABLE).to_parquet(folder / "t.parquet")
    return folder / "t.parquet"


CONTAINERS = {
    "csv": csv_file,
    "parquet": parquet,
    "pandas": lambda folder: pd.DataFrame(TABLE),
    "lists": lambda folder: TABLE,
    "duckdb": lambda folder: duckdb.connect().from_df(pd.DataFrame(TABLE)),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_codebook_makes_the_schema_and_every_container_its_codes(form, tmp_path):
    (tmp_path / "book").write_text(FORMS[form])
    alone = draft(codebook=tmp_path / "book")
    schema = Schema.from_dict(tomllib.loads(alone))
    assert schema == Schema.from_dict(WANTED)
    assert "# Age, years\n[age]" in alone
    assert "# [record] is left out: by the codebook it is an identifier" in alone
    assert "# What happened\n# [story] is left out: by the codebook it is free text" in alone
    for make in CONTAINERS.values():
        table = make(tmp_path)
        beside = draft(table, codebook=tmp_path / "book", header_is_public=True)
        assert tomllib.loads(beside) == tomllib.loads(alone)
        assert read_points(table, domain=RowDomain(schema))[0].tolist() == CODES


def test_lines_without_a_column_and_columns_without_a_line_are_listed(tmp_path):
    (tmp_path / "book.csv").write_text("name,low,high\nage,0,4\nweight,30,150\ncrp,,\n")
    table = pd.DataFrame({"age": [3], "city": ["Bonn"], "y": [1]})
    written = draft(table, codebook=tmp_path / "book.csv", label="y")
    assert "# In the codebook, but not in the table:\n#   weight\n#   crp\n" in written
    assert "# In the table, but not in the codebook:\n#   city\n" in written
    assert tomllib.loads(written) == {"age": {"bins": [0.5, 1, 1.5, 2, 2.5, 3, 3.5]}, "city": {}}


def test_what_a_codebook_leaves_open_is_to_be_completed(tmp_path):
    (tmp_path / "book.csv").write_text(
        "name,type,low,high,levels,missing,unit\nweight,number,,,,-9|999,kg\nward,category,,,,,\n"
        "born,date,,,,,\nlevel,integer,1,5,,9,\nflag,boolean,,,,,\ncode,,,,1=2|2=1,,\n"
    )
    written = tomllib.loads(draft(codebook=tmp_path / "book.csv"))
    assert written == {
        "weight": {"missing": ["-9", "999"], "strip": "kg"},
        "ward": {},
        "born": {"type": "date"},
        "level": {"integers": [1, 5], "missing": ["9"]},
        "flag": {"categories": ["false", "true"]},
        "code": {"categories": ["1", "2"]},  # a code that is another's word: codes it is
    }
    weight = Schema.from_dict({"weight": {**written["weight"], "bins": [60, 80]}})["weight"]
    assert [weight.code(cell) for cell in (70, "70 kg", -9, "999kg", "999.0", "kg")] == [
        3,
        3,
        0,
        0,
        0,
        1,
    ]


def test_numbers_may_mean_missing_in_a_schema_written_by_hand():
    column = Schema.from_dict({"age": {"bins": [18, 65], "missing": [-9, 999]}})["age"]
    assert [column.code(cell) for cell in (-9, "999", 999.0, 18)] == [0, 0, 0, 3]


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("", "describes no column|has no known format"),
        ("a,b\n1,2\n", "Its first line has other names; perhaps it is the table"),
        ("name,typ\nage,number\n", "Its first line has other names"),
        ("name,type\nage,numbr\n", "must be number, integer, category.*Got 'numbr'"),
        ("name,type\n,number\n", "line 2 of the codebook .* has no name"),
        ("name\nage\nage\n", "'age' twice"),
        ("name,low,type\nage,ten,number\n", "low of line 2 .* must be a number. Got 'ten'"),
        ("name,low,type\nage,1.1.2020,date\n", "must be a date such as"),
        ("name,type\nage,number,3\n", "more cells than the first line"),
        ("{", "is not JSON"),
        ("{}", "Frictionless Table Schema"),
        ('{"fields": [{}]}', "Frictionless Table Schema"),
        ('{"resources": [{}, {}]}', "2 resources"),
        ("Variable / Field Name,Field Type\nage,txt\n", "one of REDCap's"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_codebook_is_refused_in_words(written, words, tmp_path):
    (tmp_path / "book").write_text(written)
    with pytest.raises(ParameterError, match=words):
        read_codebook(tmp_path / "book")


def test_the_codebook_of_another_table_is_refused(tmp_path):
    (tmp_path / "book.csv").write_text("name,low,high\nweight,0,4\n")
    with pytest.raises(
        ParameterError, match=r"describes no column of the table. It describes 1 other column\."
    ):
        draft({"age": [1], "y": [0]}, codebook=tmp_path / "book.csv", label="y")


#: Mistakes in the keys that clean cells, and what the refusal says.
MISTAKES = [
    ({"bins": [1], "strip": 5}, "text of one unit"),
    ({"bins": [1], "strip": " "}, "text of one unit"),
    ({"bins": [1], "below": "zero"}, 'one of "half", "limit", "missing"'),
    ({"categories": ["a"], "strip": "kg"}, "of numbers, which have bins.*Texts are merged"),
    ({"categories": ["a"], "below": "half"}, "of numbers, which have bins"),
    ({"categories": ["a"], "merge": {"b": ["c"]}}, "named by a category. Got 'b'"),
    ({"categories": ["a"], "merge": ["a"]}, "a table of lists"),
    ({"categories": ["a"], "merge": {"a": []}}, "a table of lists"),
    ({"categories": ["a", "b"], "merge": {"a": ["b"]}}, "A category stands for itself"),
    ({"categories": ["a", "b"], "merge": {"a": ["1"], "b": [1.0]}}, "in 'a' and in 'b'"),
    ({"categories": ["a"], "missing": ["?"], "merge": {"a": ["?"]}}, "either missing or in"),
    ({"bins": [1], "merge": {"x": ["a"]}}, "groups named by a number"),
    ({"type": "date", "bins": ["2020-01-01"], "strip": "d"}, "Dates have a format"),
]


@pytest.mark.parametrize(("entry", "words"), MISTAKES)
def test_mistakes_of_cleaning_are_explained(entry, words):
    with pytest.raises(ParameterError, match=words):
        Schema.from_dict({"c": entry})


def test_cells_of_a_file_with_decimal_commas_are_cleaned_alike(tmp_path):
    entry = {"bins": [0.15, 0.3, 1, 5], "strip": "mg/l", "below": "half", "missing": ["<0,4"]}
    (tmp_path / "t.csv").write_text(
        "crp;y\n<0,3;1\n7,2 mg/l;1\n0.3;1\n0,3;1\n<0,4;0\n1,5e1mg/l;0\n"
    )
    found, _ = read_points(
        tmp_path / "t.csv",
        domain=RowDomain(Schema.from_dict({"crp": entry})),
        csv="sep=;, decimal=comma",
    )
    assert found[:, 0].tolist() == [3, 6, 1, 4, 0, 6]


def test_exported_python_cleans_as_the_model_does():
    """Every pair of cells; SQL and R, which cannot, refuse."""
    crp = ["<0.3", "7.2 mg/l", "0.3", "x", "<0.4", "15mg/l", ">200", "<= 1e0 mg/l", "<-2", "nan"]
    crp += ["mg/l", "12 g/l", "", "none", "1e4mg/l", "<1e5", "< 5mg/l", 7.2, 200, None, True]
    sex = ["M", "1", "male", "F", "2.0", "female", "z", "", 1, 2, None]
    schema = Schema.from_dict(
        {
            "crp": {"bins": [-1, 0.15, 0.3, 1, 5, 100], "strip": "mg/l", "below": "half"}
            | {"missing": ["<0.4"], "merge": {"0": ["none"]}},
            "sex": WANTED["sex"] | {"merge": {"male": ["M", 1], "female": ["F", 2]}},
        }
    )
    grid = [{"crp": c, "sex": s} for c, s in product(crp, sex)]
    asked = [split for split in schema.literals() if split.op in (">=", "is")]
    trees = [TreeHypothesis.of(Node(split, 1, 0)) for split in asked]
    ensemble = TreeEnsemble(tuple(trees), Fraction(1, 2))
    program: dict[str, Any] = {}
    exec(as_python(ensemble, schema), program)
    points = RowDomain(schema).array(pd.DataFrame(grid, dtype=object))
    chances = [program["probability"](row) for row in grid]
    assert chances == ensemble.probability(points).tolist()
    assert len(set(chances)) > 6


def test_sql_and_r_which_do_not_clean_are_refused():
    table = {"weight": ["70 kg", "90 kg", "61"] * 20, "y": [0, 1, 0] * 20}
    schema = Schema.from_dict({"weight": {"bins": [60, 80], "strip": "kg"}})
    how: Any = {"model": "rule", "evaluate": None, "random_state": 0}
    release = ls.fit(table, y="y", epsilon=30, schema=schema, **how).release_
    for to in ("sql", "r"):
        with pytest.raises(UnsupportedError, match=r"merge, strip or below \(weight\)"):
            release.export(to)
    assert '"strip": "kg"' in release.export("json")


# -- First schemas: from names and types only, or from a public table; schemas written and read ----

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
TEXTS = st.lists(NAMES.map(str.strip).filter(bool), min_size=1, max_size=4, unique=True)
DRAFT_EDGES = st.lists(
    st.integers(-(2**53), 2**53) | st.floats(-1e300, 1e300), min_size=1, max_size=6
).map(lambda edges: sorted({float(edge) for edge in edges}))
COLUMNS = st.one_of(
    DRAFT_EDGES.map(lambda edges: {"bins": edges}),
    TEXTS.map(lambda texts: {"categories": texts}),
    st.integers(-50, 50).map(lambda low: {"integers": [low, low + 7]}),
)


def readable(described):
    """Return the schema, or None where the description is none (equal after stripping)."""
    try:
        return Schema.from_dict(described)
    except ParameterError:
        return None


@settings(max_examples=50)
@given(st.dictionaries(NAMES, COLUMNS, min_size=1, max_size=4))
def test_what_is_written_is_read_back(described):
    schema = readable(described)
    if schema is not None:
        kept(schema)


def kept(schema):
    """Write a schema in every form, and read it back."""
    assert Schema.from_dict(tomllib.loads(schema.to_toml())) == schema
    assert Schema.from_dict(json.loads(json.dumps(schema.to_dict()))) == schema
    if schema.bound:
        assert Schema.from_list(json.loads(json.dumps(schema.to_list()))) == schema


@pytest.mark.parametrize(
    "schema",
    [
        Schema.every_column([0, 2]),
        Schema((CITY, AGE)),
        Schema.from_dict({'a "b"\x7f\n': {"bins": [0.5, 2**60], "missing": ["?", "\\"]}}),
        Schema.from_dict({"d": {"type": "date", "by": "hour", "zone": "Asia/Kolkata"}}),
        Schema.from_dict(
            {
                "a b": {"bins": [1], "merge": {"0": ["none", 'a "b"']}, "strip": "%"}
                | {"below": "limit"},
                "c": {"categories": ["x y"], "merge": {"x y": ["z"]}},
            }
        ),
        Schema.from_public({"x": range(100), "kind": ["a"] * 40 + ["b"] * 60}, bins=8),
    ],
    ids=repr,
)
def test_every_kind_of_schema_is_written_and_read_back(schema):
    kept(schema)


DRAFT_TABLE = pa.table(
    {
        "age": pa.array([44, 17], pa.int16()),
        "city": ["Bonn", "Rome"],
        "smoker": [True, None],
        "born": pa.array([0, 1], pa.date32()),
        "visits": [[1], [2]],
        "ill": [0, 1],
    }
)


def test_a_draft_depends_on_names_and_types_only(tmp_path):
    """Files with other cells, other row counts and other dictionaries give the same text."""
    others = [
        DRAFT_TABLE,
        DRAFT_TABLE.slice(0, 0),
        DRAFT_TABLE.slice(1),
        pa.concat_tables([DRAFT_TABLE] * 3),
    ]
    drafts = set()
    for i, table in enumerate(others):
        pq.write_table(table, tmp_path / f"{i}.parquet")
        drafts.add(draft(tmp_path / f"{i}.parquet", label="ill"))
    assert len(drafts) == 1
    (text,) = drafts
    assert "# [ill] is the label." in text
    assert "# [visits] is left out, because it holds lists" in text
    assert '# date32[day]\n[born]\ntype = "date"' in text
    described = tomllib.loads(text)
    assert described == {
        "age": {},
        "city": {},
        "smoker": {"categories": ["false", "true"]},
        "born": {"type": "date"},
    }
    assert not any(cell in text for cell in ("44", "17", "Bonn", "Rome", "1970"))


def test_the_commented_lines_are_a_schema(tmp_path):
    """Without their marks, the lines at the top of a draft are keys that a schema takes."""
    pq.write_table(DRAFT_TABLE.select(["age", "city", "ill"]), tmp_path / "t.parquet")
    text = draft(tmp_path / "t.parquet", label="ill")
    assert text.endswith(
        "[age]\n# bins = [] or integers = []\n\n# texts\n[city]\n# categories = []\n"
    )
    head = [line.removeprefix("# ") for line in text.partition("\n\n")[0].splitlines()]

    def column(name, *starts):
        return "\n".join([f"[{name}]", *(line for line in head if line.startswith(starts))])

    written = [
        column("age", "bins = [20", "missing", "strip", "below"), column("n", "integers"),
        column("city", "categories"), column("born", "bins = [\"2020", "missing", "format") +
        '\ntype = "date"', column("month", 'by = "month"') + '\ntype = "date"',
        column("year", 'by = "year"') + '\ntype = "date"\nbins = [2020, 2025]',
    ]  # fmt: skip
    schema = Schema.from_dict(tomllib.loads("\n".join(written)))
    assert schema.names == ("age", "n", "city", "born", "month", "year")


def test_the_first_line_of_a_csv_is_read_only_when_it_is_public(tmp_path):
    for name in ("t.csv", "t.TSV", "t.csv.gz"):
        path = tmp_path / name
        path.write_bytes(b"")  # a reading would fail in another way
        with pytest.raises(ParameterError, match="--header-is-public") as refused:
            draft(path)
        assert "Parquet" in str(refused.value)
    path = tmp_path / "t.csv"
    path.write_text("age,city\n44,Bonn\n")
    text = draft(path, header_is_public=True)
    assert tomllib.loads(text) == {"age": {}, "city": {}}
    assert "Bonn" not in text


def test_a_label_is_one_of_several_columns():
    with pytest.raises(ParameterError, match="no column besides"):
        draft({"ill": [1]}, label="ill")
    with pytest.raises(ParameterError, match=r"no column 'il'. Did you mean 'ill'"):
        draft(DRAFT_TABLE, label="il")


def test_compare_names_columns_of_the_schema_only():
    schema = Schema.from_dict({"age": {"bins": [1]}, "visits": {"bins": [2]}, "no": {"bins": [1]}})
    assert compare(schema, DRAFT_TABLE) == [
        "The table has no column 'no'.",
        "The column 'visits' of the table holds lists or structures, not cells. Unnest it first.",
    ]
    assert compare(Schema.from_dict({"q": {"bins": [1]}}), {"secret": [1]}) == [
        "The table has no column 'q'."
    ]


@pytest.mark.parametrize("name", ["*", "*proposal"])
def test_names_that_schemas_keep_for_something_else(name):
    """A column that has one is left out of drafts and proposals; asked for, it is refused."""
    table = pa.table({name: [1, 2] * 900, "z": range(1800)})
    assert "reserve this name: rename the column" in draft(table)
    assert set(tomllib.loads(draft(table))) == {"z"}
    proposed = propose(table, epsilon=9, random_state=0)
    assert proposed.names == ("z",)
    assert Schema.from_dict(tomllib.loads(proposed.to_toml())) == proposed
    with pytest.raises(ParameterError, match="is reserved"):
        propose(table, columns=[name], epsilon=9, random_state=0)
    with pytest.raises(ParameterError, match="is reserved"):
        Schema((Column.bins(name, [1]), Column.bins("z", [1])))
