"""First schemas: from names and types only, or from a public table; schemas written and read."""

from __future__ import annotations

import tomllib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.data import Column, Schema
from littlestone.data.draft import compare, draft
from littlestone.data.proposal import propose
from littlestone.errors import ParameterError

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
TEXTS = st.lists(NAMES.map(str.strip).filter(bool), min_size=1, max_size=4, unique=True)
EDGES = st.lists(
    st.integers(-(2**53), 2**53) | st.floats(-1e300, 1e300), min_size=1, max_size=6
).map(lambda edges: sorted({float(edge) for edge in edges}))
COLUMNS = st.one_of(
    EDGES.map(lambda edges: {"bins": edges}),
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
        assert Schema.from_dict(tomllib.loads(schema.to_toml())) == schema


def test_missing_texts_and_every_column_are_written():
    schema = Schema.from_dict({'a "b"\x7f\n': {"bins": [0.5, 2**60], "missing": ["?", "\\"]}})
    assert Schema.from_dict(tomllib.loads(schema.to_toml())) == schema
    every = Schema.every_column([0, 2])
    assert Schema.from_dict(tomllib.loads(every.to_toml())) == every


TABLE = pa.table(
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
    others = [TABLE, TABLE.slice(0, 0), TABLE.slice(1), pa.concat_tables([TABLE] * 3)]
    drafts = set()
    for i, table in enumerate(others):
        pq.write_table(table, tmp_path / f"{i}.parquet")
        drafts.add(draft(tmp_path / f"{i}.parquet", label="ill"))
    assert len(drafts) == 1
    (text,) = drafts
    assert "# [ill] is the label." in text
    assert "# [visits] holds lists" in text
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
    """Without their marks, the lines of a draft are TOML that the schema takes."""
    pq.write_table(TABLE.select(["age", "city", "ill"]), tmp_path / "t.parquet")
    text = draft(tmp_path / "t.parquet", label="ill")
    lines = [line.removeprefix("# ") for line in text.splitlines() if "integers" not in line]
    kept = [line for line in lines if line.startswith(("[age]", "[city]", "bins", "cat", "miss"))]
    schema = Schema.from_dict(tomllib.loads("\n".join(kept)))
    assert schema.names == ("age", "city")


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
        draft(TABLE, label="il")


def test_compare_names_columns_of_the_schema_only():
    schema = Schema.from_dict({"age": {"bins": [1]}, "visits": {"bins": [2]}, "no": {"bins": [1]}})
    assert compare(schema, TABLE) == [
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
    assert "left out; rename it" in draft(table)
    assert set(tomllib.loads(draft(table))) == {"z"}
    proposed = propose(table, epsilon=9, random_state=0)
    assert proposed.names == ("z",)
    assert Schema.from_dict(tomllib.loads(proposed.to_toml())) == proposed
    with pytest.raises(ParameterError, match="is reserved"):
        propose(table, columns=[name], epsilon=9, random_state=0)
    with pytest.raises(ParameterError, match="is reserved"):
        Schema((Column.bins(name, [1]), Column.bins("z", [1])))
