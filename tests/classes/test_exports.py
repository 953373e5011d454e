"""All models of tables as SQL: equal to predictions on typed columns, in SQLite and PostgreSQL."""

from __future__ import annotations

import sqlite3
import subprocess
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from littlestone.classes import DecisionTrees, Rules, TreeEnsemble, TreeHypothesis, TreeSum
from littlestone.classes.boosted_trees.coefficients import CodePoints
from littlestone.classes.boosted_trees.export import PARTS, as_python, as_r
from littlestone.classes.decision_trees import Node
from littlestone.data import Column, RowDomain, Sample, Schema, read_points
from littlestone.data.targets import Count, Periods, Quantity
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners import registry
from littlestone.learners.running import run
from littlestone.source import SeededSource

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


def sums_of_targets():
    """Return sums for quantities, counts and times, with all that SQL can be asked of them."""
    splits = DecisionTrees(SCHEMA, 1)._splits.literals
    deep = Node(splits[1], Node(splits[5], 1, 0), Node(splits[9], 0, 1))
    trees = (*(stump(split, 1) for split in splits[::4]), TreeHypothesis.of(deep))
    steps = tuple(PARTS // (2 + i % 3) for i in range(len(trees)))
    for target, unit, width in (
        (Quantity(-5, 20, 50), 30 * PARTS, None),
        (Quantity("-0.3", "0.6", 7), 2 * PARTS, 900),  # some are beyond the range
        (Count(3), 0, None),
        (Count(3), 0, 900),
    ):
        how = {} if width is None else {"width": width}
        model = TreeSum(trees, steps, (unit,), target, **how)
        asked = {(): model.predict}
        if width is not None:
            asked["low",] = lambda points, model=model: model.interval(points)[:, 0]
            asked["high",] = lambda points, model=model: model.interval(points)[:, 1]
        yield model, asked
    period = Schema((*SCHEMA.columns, Column.bins("time", [12]))).literals()[-2:]
    timed = (*trees, *(stump(split, 0) for split in period))
    model = TreeSum(timed, (*steps, PARTS, PARTS // 3), (-PARTS, PARTS), Periods((12, 24)))
    asked = {(): model.predict}
    for of in (1, 2):
        asked["survival", of] = lambda points, of=of: model.survival(points)[:, of - 1]
    yield model, asked


def same(asked, dialect, *, exact=True):
    """Assert that an engine says what each model does; PostgreSQL rounds its decimals."""
    table = rows()
    points, _ = read_points(table.drop_columns("place"), domain=RowDomain(SCHEMA))
    for model, questions in sums_of_targets():
        for question, values in questions.items():
            how = dict(zip(("what", "of"), question, strict=False))
            told = [float(value) for value in asked(model.to_sql(SCHEMA, dialect=dialect, **how))]
            assert np.allclose(told, values(points), rtol=1e-12), (model.describe(), question)
            if isinstance(model.target, Quantity) and exact:
                assert told == values(points).tolist()
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


def test_python_says_what_sums_of_targets_do():
    table = rows().drop_columns("place")
    points, _ = read_points(table, domain=RowDomain(SCHEMA))
    for model, _ in sums_of_targets():
        module: dict = {}
        exec(as_python(model, SCHEMA), module)
        records = table.to_pylist()
        name = "risk" if isinstance(model.target, Periods) else "value"
        told = [module[name](record) for record in records]
        assert np.allclose(told, model.predict(points), rtol=1e-12)
        if model.width is not None:
            ends = [module["interval"](record) for record in records]
            assert np.allclose(ends, model.interval(points), rtol=1e-12)
        if name == "risk":
            survival = [module["survival"](record) for record in records]
            assert np.allclose(survival, model.survival(points), rtol=1e-12)
        again = TreeSum.from_dict(model.to_dict())
        assert again == model
        assert (again.predict(points) == model.predict(points)).all()


@pytest.mark.postgres
def test_postgresql_says_what_models_do(server):
    import psycopg

    asked = f"host={server} user=postgres dbname=postgres"
    with psycopg.connect(asked, autocommit=True) as connection:
        connection.execute(
            'CREATE TEMP TABLE t (place bigint, age double precision, "the city" text, x bigint)'
        )
        cells = [tuple(row.values()) for row in rows().to_pylist()]
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO t VALUES (%s, %s, %s, %s)", cells)
        order = "FROM t ORDER BY place"
        same(
            lambda sql: [v for (v,) in connection.execute(f"SELECT {sql} {order}".encode())],
            "standard",
            exact=False,
        )


@pytest.mark.parametrize("dialect", ["duckdb", pytest.param("standard", marks=pytest.mark.more)])
def test_duckdb_says_what_models_do(dialect, evaluated):
    same(lambda sql: evaluated(sql, rows()), dialect)


@pytest.mark.parametrize("dialect", ["standard", "duckdb", "sqlite"])
def test_names_within_the_text_hide_no_column(dialect, evaluated):
    """A table may have columns named as what the text computes."""
    names = ["c1", "c0", "t0", "d0", "cells", "s", "raw"]
    schema = Schema.from_dict({name: {"bins": [i]} for i, name in enumerate(names)})
    splits = [split for split in schema.literals() if split.op == ">="]
    weights = [stump(split, 1) for i, split in enumerate(splits) for _ in range(2**i)]
    sums = TreeEnsemble(tuple(weights), Fraction(1, 99))
    cells = np.random.default_rng(1).integers(-1, 9, (40, len(names)))
    table = pa.table({name: cells[:, i] for i, name in enumerate(names)})
    points, _ = read_points(table, domain=RowDomain(schema))
    expected = sums.margin(points).tolist()
    sql = sums.to_sql(schema, dialect=dialect, what="margin")
    if dialect != "sqlite":
        assert evaluated(sql, table) == expected
        return
    with sqlite3.connect(":memory:") as connection:
        columns = ", ".join(f"{name} INTEGER" for name in names)
        connection.execute(f"CREATE TABLE t ({columns})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * 7)})", cells.tolist())
        found = [v for (v,) in connection.execute(f"SELECT {sql} FROM t ORDER BY rowid")]
    connection.close()
    assert found == expected


def test_whole_numbers_that_doubles_merge():
    wide = Schema.from_dict({"id": {"bins": [5, 2**53 + 4, 1e308]}})
    assert Schema.from_list(wide.to_list()) == wide
    tree = stump(next(s for s in wide.literals() if s.text == f"id >= {2**53 + 4}"), 1)
    module = {}
    exec(as_python(TreeEnsemble((tree,), Fraction(1, 2)), wide), module)
    near = 2**53 + 3  # to a double, 2**53 + 4
    cells = [
        near,
        str(near),
        f"{near}.0",
        near + 1,
        np.int64(near),
        Decimal(near + 1),
        np.float32(6),
    ]
    assert [module["label"]({"id": cell}) for cell in cells] == [0, 0, 0, 1, 0, 1, 0]
    assert tree.predict(RowDomain(wide).array([[cell] for cell in cells])).tolist() == [
        0, 0, 0, 1, 0, 1, 0,
    ]  # fmt: skip
    plan = registry.make("agnostic", DecisionTrees(wide, 1), epsilon=1, alpha="0.1", beta="0.05")
    release = run(plan, Sample.of(RowDomain(wide).array([[1]] * 9), [1] * 9), SeededSource(0))
    with pytest.raises(UnsupportedError, match="to python or json"):
        replace(release, hypothesis=tree).export("sql")


# -- R -----------------------------------------------------------------------------------------

_SCORE = """
args <- commandArgs(TRUE)
data <- if (args[2] == "text") {
  read.csv(args[1], check.names = FALSE, colClasses = "character", na.strings = character(0))
} else {
  read.csv(args[1], check.names = FALSE, stringsAsFactors = TRUE, na.strings = "NA")
}
for (file in args[-(1:2)]) {
  model <- new.env()
  sys.source(file, model)
  found <- model$score(data)
  numbers <- vapply(found, is.numeric, TRUE)
  found[numbers] <- lapply(found[numbers], sprintf, fmt = "%.17g")
  write.csv(found, paste0(file, ".csv"), row.names = FALSE)
  one <- model$score(data[1, , drop = FALSE])
  stopifnot(nrow(one) == 1, all(vapply(one, function(x) !is.na(x), TRUE)))
}
"""


def in_r(folder, frame, kind, programs):
    """Return what the functions ``score`` of programs say of a table: a data frame for each."""
    (folder / "score.R").write_text(_SCORE)
    frame.to_csv(folder / "t.csv", index=False, na_rep="NA" if kind == "typed" else "")
    files = [folder / f"m{i}.R" for i in range(len(programs))]
    for file, program in zip(files, programs, strict=True):
        file.write_text(program, encoding="ascii")
    command = ["Rscript", "--vanilla", folder / "score.R", folder / "t.csv", kind, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = [pd.read_csv(f"{file}.csv", dtype=str, keep_default_na=False) for file in files]
    return [told.astype(dict.fromkeys(told.columns.difference(["label"]), float)) for told in found]


@pytest.mark.r
@pytest.mark.parametrize("kind", ["typed", "text"])
def test_r_says_what_models_do(tmp_path, kind):
    table = rows().drop_columns("place")
    if kind == "text":
        rng = np.random.default_rng(7)
        cells = [
            "", " 31 ", "3.1e1", "+20", "0030.5", "30.5000001", "NA", "TRUE", "true", "-inf",
            "Infinity", "99.0", "1e400", "?", "Bonn", " Rome", "O'Fallon", "bonn", "0", "-1",
        ]  # fmt: skip
        table = pa.table({name: rng.choice(cells, 300) for name in SCHEMA.names})
    points, _ = read_points(table, domain=RowDomain(SCHEMA))
    sums, labels = [model for model, _ in sums_of_targets()], [model for model, _ in models()]
    trees = [model for model in labels if isinstance(model, TreeHypothesis)]
    labels = [model for model in labels if isinstance(model, TreeEnsemble)]
    votes = [TreeEnsemble((tree,), Fraction(1)) for tree in trees]
    programs = [as_r(model, SCHEMA, ["no", "yes"]) for model in (*sums, *labels)]
    programs += [as_r(vote, SCHEMA, (0, 1), chances=False) for vote in votes]
    found = iter(in_r(tmp_path, table.to_pandas(), kind, programs))
    for model in sums:
        told, ends = next(found), getattr(model.target, "ends", ())
        assert np.allclose(told["prediction"], model.predict(points), rtol=1e-12)
        if isinstance(model.target, Quantity):
            assert (told["prediction"] == model.predict(points)).all()
        if model.width is not None:
            assert np.allclose(told[["low", "high"]], model.interval(points), rtol=1e-12)
        if ends:
            survival = told[[f"survival at {float(end):g}" for end in ends]]
            assert np.allclose(survival, model.survival(points), rtol=1e-12)
    for model in labels:
        told = next(found)
        assert (told["probability"] == model.probability(points)).all()
        assert ((told["label"] == "yes") == model.predict(points)).all()
    for tree in trees:
        assert (next(found)["label"].astype(int) == tree.predict(points)).all()


COMMAS = ["31,5", "31.5", " ,5 ", "<31,5", "1,", "3,1e1", "-0,5", "7", "x,5", "", "0,5,5", "1,5.5"]


def of_commas(tmp_path):
    """Return a model over a file with decimal commas, and its margins of these cells."""
    schema = Schema.from_dict({"x": {"bins": [0, 1, 31, 32]}, "csv": CSV_OF_COMMAS})
    trees = tuple(TreeHypothesis.of(Node(split, 1, 0)) for split in schema.literals())
    lines = "".join(f'"{cell}";{at}\n' for at, cell in enumerate(COMMAS))
    (tmp_path / "t.csv").write_text(f"x;at\n{lines}", encoding="utf-8")
    points, _ = read_points(tmp_path / "t.csv", domain=RowDomain(schema))
    return schema, TreeEnsemble(trees, Fraction(1, 2)), points


CSV_OF_COMMAS = {"sep": ";", "decimal": "comma"}


def test_python_reads_decimal_commas(tmp_path):
    schema, model, points = of_commas(tmp_path)
    module = {}
    exec(as_python(model, schema), module)
    assert [module["margin"]({"x": c}) for c in COMMAS] == model.margin(points).tolist()
    assert module["margin"]({"x": 31.5}) == module["margin"]({"x": "31,5"})


@pytest.mark.r
def test_r_reads_decimal_commas(tmp_path):
    schema, model, points = of_commas(tmp_path)
    table = pd.DataFrame({"x": COMMAS, "at": range(len(COMMAS))})
    (told,) = in_r(tmp_path, table, "text", [as_r(model, schema, (0, 1))])
    assert (told["probability"] == model.probability(points)).all()


@pytest.mark.r
def test_r_knows_several_labels_and_any_name(tmp_path):
    """Names beyond ASCII, categories that are equal in value, the link of capped gradients."""
    schema = Schema.from_dict({
        "Größe “x\\y”": {"bins": [1], "missing": ["-9"]},
        "n": {"categories": ["1", "1.0", "true", "é\U0001f600", "2e3"]},
    })  # fmt: skip
    splits = [split for split in schema.literals() if split.op != "is not"]
    names = ("ä", 'b"', "c")
    trees = tuple(
        TreeHypothesis.of(Node(split, i % 3, (i + 1) % 3), names) for i, split in enumerate(splits)
    )
    table = pd.DataFrame({
        "Größe “x\\y”": ["1", "-9", "-9.0", "0.5", "", "x", "1e0", " 1"] * 3,
        "n": ["1", "1.0", "01", "TRUE", "2000", "é\U0001f600", "é", "+1.00"] * 3,
    })  # fmt: skip
    points, _ = read_points(table, domain=RowDomain(schema))
    sums = [
        TreeEnsemble(trees, Fraction(1, 3), (0, 2, 1), names, linked) for linked in (False, True)
    ]
    for model, told in zip(
        sums, in_r(tmp_path, table, "text", [as_r(m, schema, names) for m in sums]), strict=True
    ):
        assert told["label"].tolist() == [names[code] for code in model.predict(points)]
        chances = told[[f"probability of {name}" for name in names]]
        assert np.allclose(chances, model.probability(points), rtol=1e-12)


def test_what_r_cannot_say_is_refused():
    other = Schema.from_dict({"age": {"bins": [1]}})
    for model in [
        next(sums_of_targets())[0],
        TreeEnsemble((stump(SCHEMA.literals()[2], 1),), Fraction(1, 2)),
    ]:
        with pytest.raises(ParameterError, match="schema"):
            as_r(model, other, (0, 1))
    named = Schema.from_dict({"a\0b": {"bins": [1]}})
    model = TreeEnsemble((stump(named.literals()[0], 1),), Fraction(1, 2))
    with pytest.raises(UnsupportedError, match="NUL"):
        as_r(model, named, (0, 1))
