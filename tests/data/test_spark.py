"""Tables in Spark."""

from __future__ import annotations

import datetime
import logging
import os
import socket
import traceback

import pytest
from local_spark import local_spark

import littlestone as ls
from littlestone.data import (
    RowDomain,
    Sample,
    Schema,
    TextDomain,
    UserSample,
    read_points,
)
from littlestone.data import read as reading
from littlestone.data.read import read
from littlestone.data.stored import StoredUsers
from littlestone.errors import DataError, ParameterError

from .counted import DOMAIN, ODD, SCHEMA, base_table, multiset

# -- The same counts from a real Spark, classic and Connect, started here from pip packages alone --
# One test with many checks, so that one worker of pytest-xdist starts one Java process.


def check_every_domain(spark, domain):
    x = None if isinstance(domain, RowDomain) else "x.cell"
    for odd in ((), ODD):
        table = base_table(odd)
        here = Sample.read(table, x=x, y="label", domain=domain)
        there = Sample.read(spark.createDataFrame(table), x=x, y="label", domain=domain)
        assert there.n == 40
        assert multiset(there) == multiset(here)


def check_one_odd_cell_changes_one_record_and_nothing_else(spark):
    def read(odd):
        frame = spark.createDataFrame(base_table(odd))
        return multiset(Sample.read(frame, x="x.cell", y="label", domain=DOMAIN))

    before = read(["44"])
    for odd in ("text", "7\u2028", None):
        after = read([odd])
        assert after.total() == before.total()
        assert (before - after).total() == (after - before).total() == 1


def check_users_and_points(spark):
    table = base_table(ODD)
    frame = spark.createDataFrame(table)
    names = {"user": "The User", "x": "x.cell", "y": "label", "domain": DOMAIN}
    here, there = UserSample.read(table, **names), UserSample.read(frame, **names)
    assert there.n_users == here.n_users == 3
    for i in range(3):
        assert multiset(there.groups_at(there.user == i).pooled()) == multiset(
            here.groups_at(here.user == i).pooled()
        )
    assert (there.keys == here.keys).all()
    streamed = read(frame, **names, need="batches", large=1)
    assert isinstance(streamed, StoredUsers)
    for name in ("points", "user", "point", "code", "count", "keys"):
        assert getattr(streamed, name).tolist() == getattr(there, name).tolist()
    points, inside = read_points(frame, domain=RowDomain(SCHEMA))
    assert inside.all()
    assert (points == read_points(table, domain=RowDomain(SCHEMA))[0]).all()


def check_refusals_name_column_and_rule_only(spark, capfd, caplog):
    frame = spark.createDataFrame(base_table(["Jane Roe"]))
    with pytest.raises(DataError, match=r"'x.cell'.*an integer in") as refused:
        Sample.read(frame, x="x.cell", y="label", domain=DOMAIN, strict=True)
    failing = frame.selectExpr("CAST(`x.cell` AS INT) AS x", "label")
    with caplog.at_level(logging.INFO), pytest.raises(DataError, match="engine stopped") as failed:
        Sample.read(failing, x="x", y="label", domain=DOMAIN)
    for error in (refused.value, failed.value):
        assert error.__cause__ is None
        assert error.__context__ is None
        assert "Jane" not in "".join(traceback.format_exception(error))
    shown = capfd.readouterr()
    assert "Jane" not in shown.out + shown.err
    assert "Jane" not in caplog.text


def check_columns_and_empty_tables(spark):
    frame = spark.createDataFrame(base_table())
    with pytest.raises(ParameterError, match=r"no column 'x_cell'. Did you mean 'x.cell'"):
        Sample.read(frame, x="x_cell", y="label", domain=DOMAIN)
    assert Sample.read(frame.limit(0), x="x.cell", y="label", domain=DOMAIN).n == 0


def check_a_collation_does_not_merge_records(spark):
    frame = spark.createDataFrame([("bonn", "1"), ("Bonn", "1"), ("Bonn", "1")], ["city", "label"])
    frame = frame.selectExpr("collate(city, 'UTF8_LCASE') AS city", "label")
    city = RowDomain(Schema.from_dict({"city": {"categories": ["Bonn"]}}))
    names = {"x": "city", "y": "label", "domain": TextDomain()}
    assert multiset(Sample.read(frame, **names)) == {("bonn", 1): 1, ("Bonn", 1): 2}
    assert multiset(Sample.read(frame, y="label", domain=city)) == {((1,), 1): 1, ((2,), 1): 2}
    assert UserSample.read(frame, user="city", **names).n_users == 2


def check_what_fails(frame, folder, monkeypatch, capfd):
    """A worker fails, or the table changes after its rows were counted: nothing is paid."""
    flag, schema = folder / "flag", Schema(SCHEMA.columns[1:])
    frame = frame.toDF("x", "num", "label", "who")
    stored = reading._Sampled._stored
    monkeypatch.setattr(reading._Sampled, "_stored", lambda self: flag.touch() or stored(self))
    monkeypatch.setitem(read.__kwdefaults__, "large", 6)

    def raises(parts):
        for part in parts:
            if os.path.exists(flag):
                raise ValueError(str(part["label"][0]))
            yield part

    def doubles(parts):
        for part in parts:
            yield from [part] * (1 + os.path.exists(flag))

    wanted = [(raises, "engine stopped"), (doubles, "changed between two readings")]
    for broken, message in wanted:
        ledger = ls.Ledger(folder / f"{broken.__name__}.db", epsilon=1)
        model = ls.AgnosticLearner(ls.DecisionTrees(schema, depth=1), epsilon=1)
        with pytest.raises(DataError, match=message) as refused:
            model.fit(frame.mapInArrow(broken, frame.schema), y="label", ledger=ledger)
        flag.unlink()
        assert refused.value.__cause__ is None
        assert refused.value.__context__ is None
        assert not hasattr(model, "release_")
        assert ledger.remaining().epsilon == 1
        ledger.path.unlink()
    monkeypatch.undo()
    shown = capfd.readouterr()
    assert "true" not in shown.out + shown.err


def check_times(spark):
    """Dates and times, with a zone and without, are those of the same cells in Arrow."""
    day = datetime.date(2024, 2, 29)
    rows = [(day, datetime.datetime(2024, 2, 29, 1, 2, 3, 456), "1"), (None, None, "0")]
    spark.conf.set("spark.sql.session.timeZone", "Asia/Kathmandu")
    frame = spark.createDataFrame(rows, "d date, t timestamp, label string")
    frame = frame.selectExpr("d", "t", "CAST(t AS timestamp_ntz) n", "label")
    odd = frame.selectExpr("date '-0044-03-15' d", "t", "n", "label")
    both = frame.unionAll(odd)
    for name in ("d", "t", "n"):
        names = {"x": name, "y": "label", "domain": TextDomain()}
        sample = Sample.read(both, **names)
        assert sample.n == 4
        assert multiset(sample) == multiset(Sample.read(both.toArrow(), **names))
    spark.conf.set("spark.sql.session.timeZone", "UTC")


# pyspark says so of pandas 3; nothing here goes through pandas.
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.spark
def test_spark_agrees_with_the_embedded_engine(tmp_path, monkeypatch, capfd, caplog):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    connect_server = {
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    classic = local_spark(1, memory="1g", config=connect_server)
    assert " WARN " not in capfd.readouterr().err
    from pyspark.sql.connect.session import SparkSession

    connect = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
    try:
        check_every_domain(classic, TextDomain())
        check_one_odd_cell_changes_one_record_and_nothing_else(classic)
        check_columns_and_empty_tables(classic)
        assert "Stage" not in capfd.readouterr().err  # no bar of progress
        for spark in (classic, connect):
            check_a_collation_does_not_merge_records(spark)
            check_every_domain(spark, DOMAIN)
            check_every_domain(spark, RowDomain(SCHEMA))
            check_users_and_points(spark)
            check_refusals_name_column_and_rule_only(spark, capfd, caplog)
            check_what_fails(spark.createDataFrame(base_table()), tmp_path, monkeypatch, capfd)
            check_times(spark)
    finally:
        connect.stop()
        classic.stop()
