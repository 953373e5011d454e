"""Spark, classic and Connect, and DuckDB: equal counts, equal weights, equal draws.

One test with many checks, so that one worker of pytest-xdist starts one Java process.
"""

from __future__ import annotations

import random
import socket

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from local_spark import local_spark

import littlestone as ls
from littlestone.classes import parse_class
from littlestone.data import IntegerDomain, RowDomain, Sample, Schema
from littlestone.data.read import read
from littlestone.data.stored import Stored
from littlestone.learners import registry
from littlestone.learners.running import run
from littlestone.source import ReplaySource, SeededSource

SCHEMA = Schema.from_dict(
    {
        "x.cell": {"bins": [5, 10.5, 40], "missing": ["?"]},
        "num": {"bins": [-1, 0.1, 7]},
        "City": {"categories": ["Bonn", "bonn", "é"]},
        "whole": {"bins": [0, 3, 2**40]},
    }
)
ODD = ["text", "2.5", None, "", "9" * 400, '5"', "1e2", " 7 ", "7\n", "7\u2028", "007", "NaN", "?"]
ODD += ["-0", "0.0", "Bonn", "x" * 10_000]
DOMAIN = IntegerDomain(1, 99)


def table(n=600):
    rng = random.Random(4)
    numbers = [None, float("nan"), 0.1, -1.0, -0.0, 0.0, 7.5, float("inf"), float("-inf"), 3]
    cities = ["Bonn", "bonn", " Bonn", "BONN", "é", "e\u0301", "", None]
    x = [*ODD, *(str(rng.randrange(1, 99)) for _ in range(n - len(ODD)))]
    return pa.table(
        {
            "x.cell": pa.array(x, pa.string()),
            "num": pa.array([rng.choice(numbers) for _ in range(n)]),
            "City": pa.array([rng.choice(cities) for _ in range(n)]),
            "whole": pa.array([rng.choice([None, 0, 2**62, -(2**62), 3]) for _ in range(n)]),
            "label": pa.array([rng.choice(["0", "1", "true", None, " 1.0"]) for _ in range(n)]),
        }
    )


def contents(sample):
    counts = [getattr(sample, name).tolist() for name in ("points", "zeros", "ones")]
    return [*counts, sample.outside, sample.n]


def learners():
    """Thresholds by level, trees, and boosted rounds."""
    yield registry.make("agnostic", ls.Thresholds(1, 99), epsilon=1), DOMAIN, 1
    rows = RowDomain(SCHEMA)
    yield registry.make("agnostic", ls.Rules(SCHEMA), epsilon=1), rows, 1
    yield registry.make("agnostic", ls.DecisionTrees(SCHEMA, depth=2), epsilon=1), rows, 8
    yield registry.make("generic", ls.DecisionTrees(SCHEMA, depth=3), epsilon=3), rows, 24
    for spec, draws in (("boosted_trees(depth=2, rounds=3)", 30), ("scorecard(rounds=4)", 16)):
        yield registry.make("boosting", parse_class(spec, SCHEMA), epsilon=1), rows, draws


def check_equal(there, here, learner, draws):
    """Equal counts, what is presented to the source, and what is drawn from it."""
    assert contents(there) == contents(here)
    views = []
    for sample in (there, here):
        source = ReplaySource([0] * 10 * draws)
        released = learner.draw(sample, source)
        views.append((source.presented, released))
    assert views[0] == views[1]
    for seed in range(3):
        assert (
            run(learner, there, SeededSource(seed)).to_json()
            == run(learner, here, SeededSource(seed)).to_json()
        )


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.spark
def test_spark_and_duckdb_give_equal_weights(tmp_path):
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
    pq.write_table(table(), tmp_path / "t.parquet")
    try:
        for spark in (classic, connect):
            frame = spark.createDataFrame(table())
            for learner, domain, draws in learners():
                names = {"y": "label", "domain": domain}
                if domain is DOMAIN:
                    names["x"] = "x.cell"
                here = Sample.read(tmp_path / "t.parquet", **names)
                check_equal(Sample.read(frame, **names), here, learner, draws)
                if domain is not DOMAIN:
                    passed = read(frame, need="batches", large=600, **names)
                    own = read(tmp_path / "t.parquet", need="batches", large=600, **names)
                    assert isinstance(passed, Stored)
                    assert isinstance(own, Stored)
                    check_equal(passed, own, learner, draws)
                    assert (
                        run(learner, passed, SeededSource(9)).to_json()
                        == run(learner, here, SeededSource(9)).to_json()
                    )
    finally:
        connect.stop()
        classic.stop()
