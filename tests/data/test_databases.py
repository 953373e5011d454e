"""Databases by URL, and what is refused; PostgreSQL and the bridges are in the group postgres."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pytest

import littlestone as ls
from littlestone.cli.main import main
from littlestone.data import IntegerDomain, Sample, TextDomain, counting, read_points, read_table
from littlestone.data.engine import connect
from littlestone.data.formats import CsvFormat
from littlestone.data.streams import read_swept, read_tails
from littlestone.errors import DataError, LittlestoneError, ParameterError
from littlestone.evaluation.data_report import check

ODD = ["3", " 5", "5.0", "1e1", "x", "", None, b"\xff", b"7", 3, 3.5, -0.0, 4.0, 2**62, "9" * 400]
#: As a dictionary of columns is read: each cell alone.
COLUMNS = {"x": ODD, 'the "y"': [1, 0, "1", None, "true", 1.0] * 2 + [0, 1, 2]}


def sqlite_file(path, columns=COLUMNS):
    """A file whose columns hold what is put into them, and compare texts without case."""
    names = ['"' + name.replace('"', '""') + '"' for name in columns]
    with closing(sqlite3.connect(path)) as connection, connection:
        typed = ", ".join(f"{name} COLLATE NOCASE" for name in names)
        connection.execute(f"CREATE TABLE t ({typed})")
        rows = list(zip(*columns.values(), strict=True))
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(names))})", rows)
    return f"sqlite:///{path}?table=t"


def duckdb_file(path):
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT range x, (range > 5)::INT y FROM range(10)")
        connection.execute('CREATE SCHEMA "s s"; CREATE TABLE "s s"."t""" AS FROM t WHERE x > 1')
    return f"duckdb:///{path}?table=t"


def contents(sample):
    return [getattr(sample, name).tolist() for name in ("points", "zeros", "ones")] + [
        sample.outside
    ]


@pytest.mark.parametrize("domain", [IntegerDomain(1, 9), TextDomain(), IntegerDomain(0, 2**70)])
def test_sqlite_is_read_cell_by_cell(domain, tmp_path):
    """One text in a column of whole numbers changes one record; NOCASE merges nothing."""
    url = sqlite_file(tmp_path / "t.sqlite")
    names = {"x": "x", "y": 'the "y"', "domain": domain}
    assert contents(Sample.read(url, **names)) == contents(Sample.read(COLUMNS, **names))


def test_collations_of_sqlite_merge_nothing(tmp_path):
    table = {"x": ["Bonn", "bonn", "BONN", "Bonn"], "y": ["yes", "YES", "yes", "no"]}
    url = sqlite_file(tmp_path / "a #1?.sqlite", table).replace("?", "%3F", 1)
    url = url.replace("#", "%23")
    sample = Sample.read(url, x="x", y="y", domain=TextDomain(), positive="yes")
    assert sample.points.tolist() == ["BONN", "Bonn", "bonn"]
    assert sample.ones.tolist() == [1, 1, 0]


def test_sqlite_answers_in_order_of_its_rows(tmp_path):
    url = sqlite_file(tmp_path / "t.sqlite")
    points, inside = read_points(url, x="x", domain=IntegerDomain(1, 9))
    again, also = read_points(COLUMNS, x="x", domain=IntegerDomain(1, 9))
    assert (points.tolist(), inside.tolist()) == (again.tolist(), also.tolist())


def test_duckdb_files(tmp_path):
    url = duckdb_file(tmp_path / "t.duckdb")
    domain, where = IntegerDomain(1, 20), {"x": "x", "y": "y"}
    assert Sample.read(url, domain=domain, **where).n == 10
    assert read_table(url).names == ("x", "y")
    other = url.replace("table=t", "table=t%22&schema=s+s")
    assert Sample.read(other, domain=domain, **where).n == 8
    assert read_swept(url, domain=domain, large=1, **where).points.tolist() == [*range(1, 10)]
    assert read_tails(url, domain=domain, most=2, **where).outside == (1, 0)
    model = ls.GenericLearner(ls.Thresholds(1, 20), epsilon=50, random_state=1)
    assert model.fit(url, x="x", y="y").hypothesis_.above == 5
    assert model.predict(url).tolist() == [0] * 6 + [1] * 4


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:s3cret@localhost/db",  # no table
        "postgresql://ann:s3cret@localhost:x/db?table",
        "mysql://ann:s3cret@localhost/db?table=t",
        "duckdb://ann:s3cret@localhost/db?table=t",
        "sqlite:///t.sqlite?table=t&password=s3cret",
        "://s3cret?table=t",
        "postgresql://[s3cret/db?table=t",
    ],
)
def test_urls_that_are_none_are_not_repeated(url):
    for read in (
        read_table,
        lambda u: ls.GenericLearner(ls.Thresholds(1, 9), epsilon=1).fit(u, x="x", y="y"),
    ):
        with pytest.raises(ParameterError, match="must be a URL such as") as refused:
            read(url)
        assert "s3cret" not in str(refused.value)
        assert refused.value.__cause__ is None


def test_a_declared_csv_format_is_refused_for_a_database(tmp_path):
    url = sqlite_file(tmp_path / "t.sqlite")
    for csv in ("sep=;", {"decimal": "comma"}):
        with pytest.raises(ParameterError, match=r"given with a CSV file\. Got 'a database'"):
            read_table(url, csv=csv)
    assert read_table(url, declared=CsvFormat(separator=";")).names  # as for Parquet files


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(ParameterError, match="relative, after four absolute"):
        read_table(f"sqlite:///{tmp_path}/none?table=t")
    url = sqlite_file(tmp_path / "t.sqlite")
    (tmp_path / "broken").write_text("no database")
    for scheme in ("sqlite", "duckdb"):
        with pytest.raises(DataError, match="cannot be opened, or has no such table") as refused:
            read_table(f"{scheme}:///{tmp_path}/broken?table=t")
        assert refused.value.__context__ is None
    with pytest.raises(DataError, match="no such table"):
        read_table(url.replace("table=t", "table=u"))
    with closing(sqlite3.connect(tmp_path / "twice.sqlite")) as connection, connection:
        connection.execute("CREATE VIEW t AS SELECT 1 AS x, 2 AS X")
    assert len(set(read_table(f"sqlite:///{tmp_path}/twice.sqlite?table=t").names)) == 2


def test_nothing_is_written(tmp_path):
    for url in (sqlite_file(tmp_path / "t.sqlite"), duckdb_file(tmp_path / "t.duckdb")):
        path = tmp_path / url.split("/")[-1].split("?")[0]
        before = (path.read_bytes(), sorted(p.name for p in tmp_path.iterdir()))
        read_table(url).frame(["x"], "test").collect("pyarrow")
        assert (path.read_bytes(), sorted(p.name for p in tmp_path.iterdir())) == before


def test_an_engine_whose_disk_is_full_charges_nothing(tmp_path):
    """The place for what is spilled is too small: an error, and nothing is released."""
    ledger = ls.Ledger(tmp_path / "budget.db", epsilon=1)
    rng = np.random.default_rng(0)
    table = {"x": rng.integers(1, 2**40, 3 * 10**6), "y": rng.integers(0, 2, 3 * 10**6)}
    model, engine = ls.AgnosticLearner(ls.Thresholds(1, 2**40), epsilon=1), connect()
    engine.execute("SET memory_limit = '40MB'; SET max_temp_directory_size = '1MB'")
    try:
        with pytest.raises(DataError, match="engine stopped") as refused:
            model.fit(table, x="x", y="y", ledger=ledger)
    finally:
        engine.execute("SET memory_limit = '2GB'; RESET max_temp_directory_size")
    assert refused.value.__context__ is None
    assert ledger.remaining().epsilon == 1
    assert not hasattr(model, "release_")


def test_a_table_that_changes_between_two_readings_is_refused():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT range x, (range > 50)::INT y FROM range(100)")
    names = {"x": "x", "y": "y", "domain": IntegerDomain(0, 99)}
    for again in (lambda s: s.points, lambda s: s.tails(1000)):
        sample = read_tails(connection.table("t"), most=2, **names)
        connection.execute("INSERT INTO t VALUES (7, 0)")
        with pytest.raises(DataError, match="changed between two readings"):
            again(sample)


@pytest.mark.parametrize("counts", ["count_cells", "count_codes"])
def test_a_table_that_changes_between_its_columns_charges_nothing(counts, tmp_path, monkeypatch):
    """A proposal and a check ask for one column after the other."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT range x, range % 7 AS z, 1 AS y FROM range(9000)")
    ledger, read = ls.Ledger(tmp_path / "budget.db", epsilon=20), getattr(counting, counts)

    def changing(*given, **more):
        connection.execute("INSERT INTO t VALUES (7, 0, 1)")
        return read(*given, **more)

    monkeypatch.setattr(counting, counts, changing)
    table = connection.table("t")
    schema = ls.Schema.from_dict({"x": {"bins": [5]}, "z": {"bins": [3]}})
    ask = {
        "count_cells": lambda: ls.Schema.propose(table, epsilon=8, ledger=ledger),
        "count_codes": lambda: check(table, schema, y="y", epsilon=8, ledger=ledger),
    }
    with pytest.raises(DataError, match="changed between two readings"):
        ask[counts]()
    assert ledger.spent().epsilon == 0


def test_extras_that_are_not_installed_are_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(LittlestoneError, match="littlestone\\[databases\\]"):
        read_table("postgresql://ann:s3cret@localhost/db?table=t")


def test_a_database_that_is_read_is_not_overwritten(tmp_path, capsys):
    url = duckdb_file(tmp_path / "t.duckdb")
    before = (tmp_path / "t.duckdb").read_bytes()
    ask = ["--x", "x", "--y", "y", "--class", "thresholds(1, 20)", "--epsilon", "1"]
    assert main(["fit", url, *ask, "--out", str(tmp_path / "t.duckdb")]) == 2
    assert "would be overwritten" in capsys.readouterr().err
    assert (tmp_path / "t.duckdb").read_bytes() == before
    assert main(["fit", url, *ask, "--out", str(tmp_path / "model.json")]) == 0
