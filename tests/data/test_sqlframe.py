"""SQLFrame on DuckDB keeps the rules of DuckDB; on other engines it is refused by name."""

from __future__ import annotations

import random
from collections import Counter

import duckdb
import pyarrow as pa
import pytest

import littlestone as ls
from littlestone.classes import parse_class
from littlestone.data import OUTSIDE, IntegerDomain, RowDomain, Sample, Schema, TextDomain
from littlestone.data.coding import read_coded
from littlestone.errors import DataError, ParameterError
from littlestone.learners import registry
from littlestone.learners.running import run
from littlestone.source import SeededSource

pytestmark = [
    pytest.mark.sqlframe,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # SQLFrame's, of DuckDB
]

DOMAIN = IntegerDomain(1, 99)
SCHEMA = Schema.from_dict({"x.cell": {"bins": [5, 10.5, 40]}, "num": {"bins": [-1, 0.1, 7]}})
ODD = ["text", "2.5", None, "", "9" * 400, '5"', "1e2", " 7 ", "7\n", "7\u2028", "007", "NaN", "é"]
ODD += ["Bonn", "bonn", "b\\x41", "\\", "5 ", "a" * 70_000, "';--", "{x}"]


def base_table(odd=()):
    rng = random.Random(1)
    x = [*odd, *(str(rng.randrange(1, 50)) for _ in range(40 - len(odd)))]
    return pa.table(
        {
            "x.cell": pa.array(x, pa.string()),
            "num": pa.array([None, float("nan"), 0.1, -1.0, -0.0, 7.5, float("inf"), 3] * 5),
            "label": pa.array([rng.choice(["0", "1", "true", None]) for _ in range(40)]),
        }
    )


@pytest.fixture
def session():
    """Return SQLFrame's session; there is one in a process. Its columns have no case."""
    from sqlframe.duckdb import DuckDBSession

    made = DuckDBSession(conn=duckdb.connect())
    made._conn.execute("SET default_collation = 'nocase'")
    return made


def through(session, table, name="t"):
    session._conn.register("given", table)
    session._conn.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM given")
    return session.table(name)


def multiset(sample):
    points = [tuple(p) if isinstance(p, list) else p for p in sample.points.tolist()]
    ones, zeros = [*sample.ones, sample.outside[1]], [*sample.zeros, sample.outside[0]]
    found = Counter()
    for point, zero, one in zip([*points, OUTSIDE], zeros, ones, strict=True):
        found[point, 0] += int(zero)
        found[point, 1] += int(one)
    return +found


@pytest.mark.parametrize("domain", [DOMAIN, TextDomain(), RowDomain(SCHEMA)], ids=repr)
def test_sqlframe_counts_what_arrow_counts(session, domain):
    """Odd cells, texts that differ in case only, NaN, -0.0, NULL, white space."""
    names = {"y": "label", "domain": domain}
    if not isinstance(domain, RowDomain):
        names["x"] = "x.cell"
    for number, odd in enumerate(((), ODD)):
        table = base_table(odd)
        given = through(session, table, f"t{number}")
        assert multiset(Sample.read(given, **names)) == multiset(Sample.read(table, **names))
        few = given.where("num < 7")  # its own steps are part of the table
        kept = table.filter(pa.compute.less(table["num"], 7))
        assert multiset(Sample.read(few, **names)) == multiset(Sample.read(kept, **names))


def test_equal_seeds_release_equal_models(session):
    table = base_table(ODD)
    given = through(session, table, "models")
    rows = RowDomain(SCHEMA)
    for name, cls in (
        ("agnostic", ls.Thresholds(1, 99)),
        ("agnostic", ls.DecisionTrees(SCHEMA, depth=2)),
        ("boosting", parse_class("boosted_trees(depth=2, rounds=3)", SCHEMA)),
    ):
        learner = registry.make(name, cls, epsilon=1)
        names = {"y": "label", "domain": cls.domain}
        if cls.domain != rows:
            names["x"] = "x.cell"
        read = [Sample.read(t, **names) for t in (given, table)]
        if cls.domain == rows:
            read.append(read_coded(given, large=1, **names))
        found = {run(learner, sample, SeededSource(3)).to_json() for sample in read}
        assert len(found) == 1
    model = ls.AgnosticLearner(ls.Thresholds(1, 99), epsilon=1, random_state=1)
    assert model.fit(given, x="x.cell", y="label").release_.n == 40


def test_what_is_not_read(session):
    """Other engines, and tables that are gone; no message quotes a cell."""
    from sqlframe.standalone import StandaloneSession

    other = StandaloneSession().createDataFrame([(1, "Jane Roe")], ["x", "y"])
    with pytest.raises(ParameterError, match="SQLFrame on standalone"):
        Sample.read(other, x="x", y="y", domain=DOMAIN)
    given = through(session, base_table(), "gone")
    session._conn.execute("DROP TABLE gone")
    with pytest.raises(DataError) as refused:
        Sample.read(given, x="x.cell", y="label", domain=DOMAIN)
    assert refused.value.__context__ is None
