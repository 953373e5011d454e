"""The SQL of a tree, run in DuckDB, labels every row as the tree does, whatever the cells hold."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.classes import DecisionTrees, TreeEnsemble, TreeHypothesis
from littlestone.classes.decision_trees import Node
from littlestone.data import RowDomain, Sample, Schema, read_points
from littlestone.errors import ParameterError
from littlestone.source import SeededSource

ADULT = Path(__file__).parents[3] / "examples" / "adult"

SCHEMA = Schema.from_dict(
    {
        'the "age"': {"bins": [-1.5, 0, 30, 1e20], "missing": ["99", "n/a"]},
        "it's": {
            "categories": ["O'Neil", "3", "-1", "2.5", "true", "nan", "3.0", "inf"],
            "missing": ["?"],
        },
        "plain": {"bins": [1, 2]},
    }
)
AGE, NAME, PLAIN = SCHEMA.names
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
    splits = DecisionTrees(SCHEMA, 1)._splits.literals
    yield from (TreeHypothesis.of(Node(split, 1, 0)) for split in splits)
    yield from (TreeHypothesis.of(Node(split, 0, 1)) for split in splits)
    rng = np.random.default_rng(3)
    for _ in range(25):
        a, b, c = (splits[i] for i in rng.integers(0, len(splits), 3))
        yield TreeHypothesis.of(Node(a, Node(b, *rng.integers(0, 2, 2).tolist()), Node(c, 1, 0)))


def same(table: pa.Table, trees, **options) -> None:
    """Assert that a query with each tree labels a table as the tree does."""
    points, inside = read_points(table, x=None, domain=RowDomain(SCHEMA), caller="test")
    assert inside.all()
    with duckdb.connect() as connection:
        connection.register("people", table)
        connection.execute(
            "CREATE TABLE rows AS SELECT *, row_number() OVER () AS place FROM people"
        )
        for tree in trees:
            query = f"SELECT {tree.to_sql(SCHEMA, **options)} AS label FROM rows ORDER BY place"
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


@pytest.mark.first(1)
@pytest.mark.parametrize("dialect", ["standard", "duckdb"])
def test_adult(dialect, evaluated):
    """Trees that were learned from the census table, as SQL on its file, both splits."""
    schema = Schema.from_toml(ADULT / "schema.toml")
    file, domain = ADULT / "adult.parquet", RowDomain(schema)
    sample = Sample.read(str(file), y="over_50k", domain=domain)
    points, _ = read_points(str(file), x=None, domain=domain, caller="test")
    candidates = DecisionTrees(schema, 2).candidates(sample)
    for seed in range(2):
        tree = candidates.draw(Fraction(1, 500), SeededSource(seed))
        sql = tree.to_sql(schema, dialect=dialect)
        rows = np.array(evaluated(sql, f"'{file}'"))
        assert (rows == tree.predict(points)).all()
        assert 0 < rows.sum() < len(rows)


def test_refusals():
    tree = next(every_tree())
    with pytest.raises(ParameterError, match="one of standard, duckdb, sqlite"):
        tree.to_sql(SCHEMA, dialect="mysql")
    with pytest.raises(ParameterError, match="the schema of the tree"):
        tree.to_sql(Schema.from_dict({"age": {"bins": [30]}}))
    assert TreeHypothesis(1).to_sql(SCHEMA) == "1"


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
