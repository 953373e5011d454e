"""Schemas from codebooks: of every form, with every container, and what is refused."""

from __future__ import annotations

import json
import tomllib
from fractions import Fraction
from itertools import product
from typing import Any

import duckdb
import pandas as pd
import pytest

import littlestone as ls
from littlestone.classes import TreeEnsemble, TreeHypothesis
from littlestone.classes.decision_trees.hypothesis import Node
from littlestone.data import RowDomain, Schema, read_points
from littlestone.data.draft import draft, read_codebook
from littlestone.errors import ParameterError, UnsupportedError

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
    assert (
        "# The table has no column of these lines of the codebook:\n#   weight\n#   crp\n"
        in written
    )
    assert "# The codebook has no line of these columns:\n#   city\n" in written
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
    with pytest.raises(ParameterError, match=r"describes no column of the table, but weight\."):
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
    ({"categories": ["a", "b"], "merge": {"a": ["b"]}}, "A category is itself"),
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


def test_a_schema_with_cleaning_is_written_and_read_back():
    entry = {"bins": [1], "merge": {"0": ["none", 'a "b"']}, "strip": "%", "below": "limit"}
    schema = Schema.from_dict({"a b": entry, "c": {"categories": ["x y"], "merge": {"x y": ["z"]}}})
    assert Schema.from_dict(tomllib.loads(schema.to_toml())) == schema
    assert Schema.from_list(schema.to_list()) == schema


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
    exec(ensemble.to_python(schema), program)
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
