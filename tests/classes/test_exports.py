"""All models of tables as SQL: equal to predictions on typed columns, in SQLite and PostgreSQL."""

from __future__ import annotations

import sqlite3
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from littlestone.classes import DecisionTrees, Rules, TreeEnsemble, TreeHypothesis
from littlestone.classes.boosted_trees.points import CodePoints
from littlestone.classes.decision_trees import Node
from littlestone.data import RowDomain, Schema, read_points

SCHEMA = Schema.from_dict(
    {
        "age": {"bins": [20, 30.5, 60], "missing": ["99", "inf"]},
        "the city": {"categories": ["Bonn", "O'Fallon", "Rome"], "missing": ["?"]},
        "x": {"bins": [-1, 0]},
    }
)


def rows(n=400):
    """Return typed cells: numbers with NaN and infinities, texts, nulls."""
    rng = np.random.default_rng(4)
    ages = [None, float("nan"), float("inf"), -float("inf"), 99.0, 20.0, 30.5, 31.0, 75.0, -3.0]
    return pa.table(
        {
            "place": list(range(n)),
            "age": pa.array(rng.choice(np.array(ages, object), n).tolist(), pa.float64()),
            "the city": rng.choice(np.array(["Bonn", "Rome", "O'Fallon", "?", "Ulm", None]), n),
            "x": pa.array(rng.choice(np.array([None, -2, -1, 0, 1], object), n).tolist()),
        }
    )


def stump(split, label):
    return TreeHypothesis.of(Node(split, label, 1 - label))


def models():
    """Return models with their values at rows of codes: every rule, trees, scorecards, sums."""
    rules = {rule.key: rule for rule in Rules(SCHEMA, 2).concepts()}
    for rule in list(rules.values())[::7]:
        if hasattr(rule, "tree"):
            yield rule.tree(SCHEMA), rule.predict
    splits = DecisionTrees(SCHEMA, 1)._splits.literals
    rng = np.random.default_rng(1)
    for limit, unit, depth in ((None, 1, 1), (900, 256, 1), (900, 256, 2)):
        drawn = [splits[i] for i in rng.integers(0, len(splits), 9)]
        trees = [
            stump(split, int(label))
            for split, label in zip(drawn, rng.integers(0, 2, 9), strict=True)
        ]
        if depth == 2:
            trees[0] = TreeHypothesis.of(Node(drawn[1], Node(drawn[2], 1, 0), Node(drawn[3], 0, 1)))
        points = CodePoints(
            (0, 2 * unit), ((2, ((0, 0), (0, 2 * unit), (0, -4 * unit), (0, 3 * 2 * unit))),), unit,
            limit, 2,
        )  # fmt: skip
        sums = TreeEnsemble(tuple(trees), Fraction(1, 4), (0, 1), code_points=points)
        yield sums, sums.probability


def same(asked, dialect):
    """Assert that an engine says what each model does."""
    table = rows()
    points, _ = read_points(table.drop_columns("place"), domain=RowDomain(SCHEMA))
    for model, values in models():
        told = [float(value) for value in asked(model.to_sql(SCHEMA, dialect=dialect))]
        assert told == values(points).tolist(), model.describe()


def test_sqlite_says_what_models_do():
    with sqlite3.connect(":memory:") as connection:
        connection.execute('CREATE TABLE t (place INTEGER, age REAL, "the city" TEXT, x INTEGER)')
        cells = [tuple(row.values()) for row in rows().to_pylist()]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", cells)
        order = "FROM t ORDER BY place"
        same(lambda sql: [v for (v,) in connection.execute(f"SELECT {sql} {order}")], "sqlite")
    connection.close()


@pytest.mark.parametrize("dialect", ["standard", "duckdb"])
def test_duckdb_says_what_models_do(dialect, evaluated):
    same(lambda sql: evaluated(sql, rows()), dialect)


def test_votes_that_cancel_are_not_asked_for():
    """Nor are equal neighbours: only what changes the sum is in the text."""
    at20, _, at30, *_ = SCHEMA.literals()
    trees = (stump(at20, 1), stump(at20, 0), stump(at30, 1), stump(SCHEMA.literals()[-1], 0))
    sql = TreeEnsemble(trees, Fraction(1)).to_sql(SCHEMA, what="margin")
    assert "20" not in sql
    assert sql.count("WHEN littlestone_0") == 1
    assert "the city" not in sql
