"""Databases by URL, and what is refused; PostgreSQL and the bridges are in the group postgres."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

import littlestone as ls
from littlestone.cli.main import main
from littlestone.data import IntegerDomain, Sample, counting, read, read_table
from littlestone.data.cells import CsvFormat
from littlestone.data.containers import connect
from littlestone.errors import DataError, LittlestoneError, ParameterError
from littlestone.evaluation.measures import check


def duckdb_file(path):
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT range x, (range > 5)::INT y FROM range(10)")
        connection.execute('CREATE SCHEMA "s s"; CREATE TABLE "s s"."t""" AS FROM t WHERE x > 1')
    return f"duckdb:///{path}?table=t"


def test_duckdb_files(tmp_path):
    url = duckdb_file(tmp_path / "t.duckdb")
    domain, where = IntegerDomain(1, 20), {"x": "x", "y": "y"}
    assert Sample.read(url, domain=domain, **where).n == 10
    assert read_table(url).names == ("x", "y")
    other = url.replace("table=t", "table=t%22&schema=s+s")
    assert Sample.read(other, domain=domain, **where).n == 8
    found = read.read(url, domain=domain, large=1, need="batches", **where)
    assert found.points.tolist() == [*range(1, 10)]
    found = read.read(url, domain=domain, most=2, need="extremes", **where)
    assert found.extremes(2).outside == (1, 0)
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
        "duckdb:///t.duckdb?table=t&password=s3cret",
        "sqlite:///s3cret.sqlite?table=t",
        "://s3cret?table=t",
        "postgresql://[s3cret/db?table=t",
    ],
)
def test_urls_that_are_none_are_not_repeated(url):
    for ask in (
        read_table,
        lambda u: ls.GenericLearner(ls.Thresholds(1, 9), epsilon=1).fit(u, x="x", y="y"),
    ):
        with pytest.raises(ParameterError, match="must be a URL such as") as refused:
            ask(url)
        assert "s3cret" not in str(refused.value)
        assert refused.value.__cause__ is None


def test_a_declared_csv_format_is_refused_for_a_database(tmp_path):
    url = duckdb_file(tmp_path / "t.duckdb")
    for form in ("sep=;", {"decimal": "comma"}):
        with pytest.raises(ParameterError, match=r"given with a CSV file\. Got 'a database'"):
            read_table(url, csv=form)
    assert read_table(url, declared=CsvFormat(separator=";")).names  # as for Parquet files


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(ParameterError, match="relative, after four absolute"):
        read_table(f"duckdb:///{tmp_path}/none?table=t")
    url = duckdb_file(tmp_path / "t.duckdb")
    (tmp_path / "broken").write_text("no database")
    with pytest.raises(DataError, match="cannot be opened, or has no such table") as refused:
        read_table(f"duckdb:///{tmp_path}/broken?table=t")
    assert refused.value.__context__ is None
    with pytest.raises(DataError, match="no such table"):
        read_table(url.replace("table=t", "table=u"))


def test_nothing_is_written(tmp_path):
    url = duckdb_file(tmp_path / "t.duckdb")
    before = ((tmp_path / "t.duckdb").read_bytes(), sorted(p.name for p in tmp_path.iterdir()))
    read_table(url).frame(["x"], "test").collect("pyarrow")
    after = ((tmp_path / "t.duckdb").read_bytes(), sorted(p.name for p in tmp_path.iterdir()))
    assert after == before


def test_an_engine_whose_disk_is_full_charges_nothing(tmp_path):
    """The place for what is spilled is too small: an error, and nothing is released."""
    ledger = ls.Ledger(tmp_path / "budget.db", epsilon=1)
    rng = np.random.default_rng(0)
    table = {"x": rng.integers(1, 2**40, 3 * 10**6), "y": rng.integers(0, 2, 3 * 10**6)}
    model, engine = ls.AgnosticLearner(ls.Thresholds(1, 2**40), epsilon=1), connect()
    engine.execute("SET memory_limit = '40MB'; SET max_temp_directory_size = '1MB'")
    try:
        with pytest.raises(DataError, match="free space") as refused:
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
    for again in (lambda s: s.points, lambda s: s.extremes(1000)):
        sample = read.read(connection.table("t"), most=2, need="extremes", **names)
        connection.execute("INSERT INTO t VALUES (7, 0)")
        with pytest.raises(DataError, match="changed between two readings"):
            again(sample)


@pytest.mark.parametrize("counts", ["count_cells", "count_codes"])
def test_a_table_that_changes_between_its_columns_charges_nothing(counts, tmp_path, monkeypatch):
    """A proposal and a check ask for one column after the other."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT range x, range % 7 AS z, 1 AS y FROM range(9000)")
    ledger, count = ls.Ledger(tmp_path / "budget.db", epsilon=20), getattr(counting, counts)

    def changing(*given, **more):
        found = count(*given, **more)
        connection.execute("INSERT INTO t VALUES (7, 0, 1)")
        return found

    monkeypatch.setattr(counting, counts, changing)
    table = connection.table("t")
    schema = ls.Schema.from_dict({"x": {"bins": [5]}, "z": {"bins": [3]}})
    ask = {
        "count_cells": lambda: ls.data.propose(table, epsilon=8, ledger=ledger),
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
