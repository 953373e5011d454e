"""Groups in batches: what Spark's workers pack, and that a reading of several jobs is one reading.

Of Spark one test with many checks, so that one worker of pytest-xdist starts one Java process.
"""

from __future__ import annotations

import datetime
import os
import runpy
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from local_spark import local_spark

import littlestone as ls
from littlestone.classes import parse_class
from littlestone.data import IntegerDomain, RowDomain, Sample, Schema
from littlestone.data import counting as groups
from littlestone.data.read import read
from littlestone.data.stored import Stored
from littlestone.data.tables import read_table
from littlestone.errors import DataError
from littlestone.learners import registry
from littlestone.learners.running import run
from littlestone.privacy import Ledger
from littlestone.source import ReplaySource, SeededSource

HIGH = 2**40
SCHEMA = Schema.from_dict({"x": {"bins": [5, 10.5, 40]}, "city": {"categories": ["Bonn", "bonn"]}})
ODD = ["text", "2.5", None, "", "9" * 400, '5"', "1e2", " 7 ", "7\u2028", "007", "NaN", "-0", "0.0"]


def table(n=700):
    rng = np.random.default_rng(2)
    x = [*ODD, *map(str, rng.integers(0, 90, n - len(ODD)).tolist())]
    number = rng.choice([float("nan"), -0.0, 0.0, 2.0**53, 7.0, 7.5, float("inf"), 3.0], n)
    return pa.table(
        {
            "x": pa.array(x, pa.string()),
            "city": pa.array(rng.choice(["Bonn", "bonn ", "BONN", ""], n), pa.string()),
            "number": pa.array(number, mask=rng.random(n) < 0.1),
            "whole": pa.array(rng.integers(-3, HIGH, n), mask=rng.random(n) < 0.1),
            "label": pa.array(rng.choice(["0", "1", " 1.0", "true"], n), pa.string()),
        }
    )


def grouped_by(frame, columns=("x", "label")):
    return groups.in_groups(read_table(frame).frame(list(columns), "test"))


def stored(table, **where):
    return read(table, need="batches", **where)


def contents(sample):
    counts = [getattr(sample, name).tolist() for name in ("points", "zeros", "ones")]
    return [*counts, sample.outside, sample.n]


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_batches_are_joined(size):
    rows = pa.record_batch({"k": list(range(10))})
    joined = list(groups._joined(iter([rows.slice(i, 2) for i in range(0, 10, 2)]), size))
    assert pa.Table.from_batches(joined)["k"].to_pylist() == list(range(10))
    assert [len(batch) for batch in joined] == {1: [2] * 5, 4: [4, 4, 2], 1000: [10]}[size]


def test_engines_that_collect_hand_out_the_same_groups():
    import polars

    lazy, here = grouped_by(polars.from_arrow(table()).lazy()), grouped_by(table())
    assert not groups.streamed(read_table(polars.LazyFrame({"x": [1]})).frame(["x"], "test"))
    found = []
    for grouped in (lazy, here):
        counted = pa.Table.from_batches(list(groups.in_batches(grouped, size=100)))
        cells = [column.cast(pa.large_binary()).to_pylist() for column in counted.columns[:2]]
        found.append(sorted(zip(*cells, counted["count"].to_pylist(), strict=True), key=str))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("conf", "rows", "wanted"),
    [("2", 1 << 22, None), ("2", (1 << 22) + 1, 3), ("auto", 1 << 40, None), ("2", None, None)],
)
def test_partitions_hold_few_groups(conf, rows, wanted):
    native = SimpleNamespace(
        sparkSession=SimpleNamespace(conf={"spark.sql.shuffle.partitions": conf}),
        columns=["b0", "k1", "count"],
        repartition=lambda *asked: asked,
    )
    found = groups._cut(native, rows)
    assert found is native if wanted is None else found == (wanted, "b0", "k1")


@pytest.mark.more
def test_what_is_packed_is_cut_into_pieces():
    """Also cells that are large together; one large cell is a piece."""
    long = "x" * (1 << 23)
    rows = pa.record_batch({"k": ["a", long, None, long, "b", "y" * (1 << 25), ""]})
    packed = [cell[0].as_py() for (cell,) in groups._packer()(iter([rows, rows]))]
    pieces = [piece for cell in packed for piece in pa.ipc.open_stream(cell)]
    assert pa.Table.from_batches(pieces)["k"].to_pylist() == rows["k"].to_pylist() * 2
    assert max(piece.nbytes for piece in pieces if len(piece) > 1) <= 1 << 24


@pytest.mark.spark
def test_what_packs_needs_arrow_only(tmp_path):
    from pyspark import cloudpickle

    (tmp_path / "packer").write_bytes(cloudpickle.dumps(groups._packer()))
    code = (
        "import pickle, sys; sys.modules['littlestone'] = None; import pyarrow as pa;"
        "pack = pickle.load(open(sys.argv[1], 'rb'));"
        "(one,) = pack(iter([pa.record_batch({'k': [1, 2]})]));"
        "(read,) = pa.ipc.open_stream(one[0][0].as_py()); print(read['k'].to_pylist())"
    )
    ran = [sys.executable, "-c", code, str(tmp_path / "packer")]
    done = subprocess.run(ran, capture_output=True, text=True, check=True)
    assert done.stdout == "[1, 2]\n"


def check_equal(learner, there, here, draws):
    """Equal counts, what is presented to the source, and what is drawn from it."""
    views = []
    for sample in (there, here):
        source = ReplaySource([0] * draws)
        views.append((learner.draw(sample, source), source.presented))
    assert views[0] == views[1]
    released = [run(learner, s, SeededSource(3)).to_json() for s in (there, here)]
    assert released[0] == released[1]
    assert contents(there) == contents(here)


def check_ordered_classes(frame, path):
    """Texts, floats and whole numbers; prefixes; the same table read by DuckDB and in memory."""
    for name in ("x", "number", "whole"):
        cls = ls.Thresholds(1, HIGH)
        learner = registry.make("agnostic", cls, epsilon=1)
        names = {"x": name, "y": "label", "domain": cls.domain}
        there = stored(frame, large=1, **names)
        own = stored(path, large=1, **names)
        assert isinstance(there, Stored)
        assert isinstance(own, Stored)
        check_equal(learner, there, own, 200)
        check_equal(learner, there, Sample.read(frame, **names), 200)
    prefixes = parse_class("prefixes(ipv4)")
    learner = registry.make("agnostic", prefixes, epsilon=1)
    names = {"x": "x", "y": "label", "domain": prefixes.domain}
    there = stored(frame, large=1, **names)
    assert isinstance(there, Stored)
    check_equal(learner, there, Sample.read(path, **names), 200)
    assert not isinstance(stored(frame, large=701, **names), Stored)


def check_rows(frame, path):
    """Trees over two labels and over a list of labels; numbers are binned in the engine."""
    rows = RowDomain(SCHEMA)
    pair = [stored(t, y="label", domain=rows, large=1) for t in (frame, path)]
    trees = registry.make("agnostic", ls.DecisionTrees(SCHEMA, depth=2), epsilon=1)
    check_equal(trees, *pair, 80)
    names = {"y": "label", "domain": rows, "labels": (1, "true", "x")}
    several = [stored(t, large=1, **names) for t in (frame, path)]
    assert all(isinstance(sample, Stored) for sample in several)
    for name in ("by_label", "points", "counts"):
        assert len({str(getattr(sample, name).tolist()) for sample in several}) == 1


def check_tails(frame, path, monkeypatch):
    """The learner that takes medians of extreme points asks for them only."""
    cls = ls.Thresholds(1, HIGH)
    learner = registry.make("vc1", cls, epsilon=1, delta="1e-6", alpha="0.1", beta="0.05")
    monkeypatch.setitem(read.__kwdefaults__, "large", 600)
    names = {"x": "whole", "y": "label", "domain": cls.domain}
    there, here = (read(t, need="extremes", most=learner.extremes, **names) for t in (frame, path))
    assert isinstance(there, Stored)
    check_equal(learner, there, Sample.read(path, **names), 9)
    check_equal(learner, there, here, 9)
    monkeypatch.undo()


def check_times(spark):
    """Packed batches have the types and the values of those that are collected."""
    day = datetime.date(2024, 2, 29)
    rows = [(day, datetime.datetime(2024, 2, 29, 1, 2, 3, 456), "1"), (None, None, "0")]
    spark.conf.set("spark.sql.session.timeZone", "Asia/Kathmandu")
    frame = spark.createDataFrame(rows, "d date, t timestamp, label string")
    frame = frame.selectExpr("d", "t", "CAST(t AS timestamp_ntz) n", "t - t AS none", "label")
    odd = frame.selectExpr("date '-0044-03-15' d", "t", "n", "none", "label")
    grouped = grouped_by(frame.unionAll(odd), ["d", "t", "n", "none", "label"])
    collected = grouped.collect("pyarrow").to_native()
    packed = pa.Table.from_batches(list(groups.in_batches(grouped)))
    found = []
    for counted in (collected, packed):
        assert counted.schema.types == collected.schema.types
        cells = [column.cast(pa.string()).to_pylist() for column in counted.columns[:3]]
        found.append(sorted(zip(*cells, counted["count"].to_pylist(), strict=True), key=str))
    assert found[0] == found[1]
    assert len(found[0]) == 4
    spark.conf.set("spark.sql.session.timeZone", "UTC")


def check_partitions(frame, monkeypatch):
    """More partitions are asked for where there may be too many groups; the counts are the same."""
    names = {"y": "label", "domain": RowDomain(SCHEMA)}
    before = stored(frame, large=1, **names)
    asked = []
    cut = groups._cut
    monkeypatch.setattr(groups, "_PARTITION", 100)
    monkeypatch.setattr(groups, "_cut", lambda *a: asked.append(cut(*a)) or asked[-1])
    after = stored(frame, large=1, **names)
    plan = asked[0].select(asked[0].columns[-1])
    assert len({row[0] for row in plan.selectExpr("spark_partition_id()").collect()}) > 3
    assert contents(before) == contents(after)
    monkeypatch.undo()


def check_workers_without_python(classic, frame, monkeypatch):
    """Groups are then collected, as they were before: the same sample."""
    names = {"y": "label", "domain": RowDomain(SCHEMA)}
    before = stored(frame, large=1, **names)
    streamed = {"x": "whole", "y": "label", "domain": IntegerDomain(1, HIGH)}
    monkeypatch.setattr(classic.sparkContext, "pythonExec", "/bin/false")
    lazy = read_table(frame).frame(["x", "label"], "test")
    assert not groups.streamed(lazy)
    after = stored(frame, large=1, **names)
    assert isinstance(after, Stored)
    assert contents(before) == contents(after)
    assert isinstance(stored(frame, large=1, **streamed), Stored)
    monkeypatch.undo()
    assert groups.streamed(lazy)
    assert isinstance(stored(frame, large=1, **streamed), Stored)


def check_what_fails(spark, frame, path, monkeypatch, capfd):
    """After the rows were counted, a worker dies or the table changes: nothing is paid."""
    flag = str(path / "flag")
    cut = groups._cut

    def later(native, rows):
        """Only now, after the rows were counted, the table begins to fail."""
        with open(flag, "w"):
            return cut(native, rows)

    def dies(parts):
        for part in parts:
            if os.path.exists(flag):
                os._exit(7)
            yield part

    def doubles(parts):
        for part in parts:
            yield from [part] * (1 + os.path.exists(flag))

    def raises(parts):
        for part in parts:
            if os.path.exists(flag):
                raise ValueError(str(part["city"][0]))
            yield part

    trees, line = ls.DecisionTrees(SCHEMA, depth=1), ls.Thresholds(1, HIGH)
    monkeypatch.setattr(groups, "_cut", later)
    monkeypatch.setitem(read.__kwdefaults__, "large", 600)
    wanted = [
        (dies, "engine stopped"),
        (raises, "engine stopped"),
        (doubles, "changed between two readings"),
    ]
    for number, (broken, message) in enumerate(wanted):
        ledger = Ledger(path / f"budget{number}.db", epsilon=1)
        table = frame.mapInArrow(broken, frame.schema)
        for cls, names in ((trees, {"y": "label"}), (line, {"x": "whole", "y": "label"})):
            model = ls.AgnosticLearner(cls, epsilon=1)
            with pytest.raises(DataError, match=message) as refused:
                model.fit(table, ledger=ledger, **names)
            os.remove(flag)
            assert refused.value.__cause__ is None
            assert refused.value.__context__ is None
            assert not hasattr(model, "release_")
        assert ledger.remaining().epsilon == 1
    monkeypatch.undo()
    shown = capfd.readouterr()
    assert "bonn" not in (shown.out + shown.err).lower()


# pyspark says so of pandas 3; nothing here goes through pandas.
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.spark
def test_spark_hands_out_its_groups_in_batches(tmp_path, monkeypatch, capfd):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    connect_server = {
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    classic = local_spark(1, memory="1g", config=connect_server)
    from pyspark.sql.connect.session import SparkSession

    connect = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
    path = tmp_path / "t.parquet"
    pq.write_table(table(), path)
    try:
        for spark in (classic, connect):
            frame = spark.read.parquet(str(path))
            check_ordered_classes(frame, path)
            check_rows(frame, path)
            check_tails(frame, path, monkeypatch)
            check_times(spark)
            check_partitions(frame, monkeypatch)
            check_what_fails(spark, frame, tmp_path, monkeypatch, capfd)
            for file in tmp_path.glob("budget*"):
                file.unlink()
        check_workers_without_python(classic, classic.read.parquet(str(path)), monkeypatch)
    finally:
        connect.stop()
        classic.stop()


# -- the benchmark of counts runs, at a small size, and its ways agree -----------------------------


BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "counts.py"


def test_all_ways_of_the_benchmark_agree(tmp_path):
    counts = runpy.run_path(str(BENCHMARK))
    for csv in (False, True):
        counts["make"](tmp_path, 5000, csv=csv)
    parquet, csv_path = str(tmp_path / "table.parquet"), str(tmp_path / "table.csv")
    found = {counts[way](parquet) for way in ("sql", "sql_users", "read", "read_users")}
    found |= {counts["read"](csv_path), counts["read_users"](csv_path)}
    assert len(found) == 1
    assert found.pop()[0] == 5000


@pytest.mark.more
def test_the_benchmark_of_large_tables_runs(tmp_path):
    """At a size that is streamed, with as many points as rows, and few points; its ways agree."""
    scale = runpy.run_path(str(BENCHMARK.with_name("scale.py")))
    for random, distinct in ((False, 1 << 20), (True, 10)):
        scale["make"](tmp_path, 1 << 20, distinct, random=random)
        parts = f"{tmp_path}/part-*.parquet"
        assert scale["group_by"](parts) == scale["release"](parts) == 1 << 20
