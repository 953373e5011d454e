"""No value of one record changes what is read of the others, or stops the reading."""

from __future__ import annotations

import datetime as dt
from collections import Counter

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from littlestone.data import (
    IntegerDomain,
    RowDomain,
    Sample,
    Schema,
    TextDomain,
    UserSample,
    read_points,
    tables,
)
from littlestone.data import containers as databases
from littlestone.data import containers as engine
from littlestone.data.containers import InternalError, portable, portable_type, run_engine
from littlestone.errors import DataError, ParameterError

N = 200
CITIES = RowDomain(Schema.from_dict({"x": {"categories": ["Bonn", "Rome"]}}))
DOMAINS = [IntegerDomain(0, 99), TextDomain(), CITIES]


def read(table, domain):
    return Sample.read(table, x=None if domain is CITIES else "x", y="y", domain=domain)


def counts(sample: Sample) -> Counter:
    points = [tuple(p) if isinstance(p, list) else p for p in sample.points.tolist()]
    found = Counter({("outside", label): k for label, k in enumerate(sample.outside)})
    for point, zeros, ones in zip(points, sample.zeros, sample.ones, strict=True):
        found[point, 0], found[point, 1] = int(zeros), int(ones)
    return +found


@pytest.mark.parametrize("scope", ["column", "session"])
@pytest.mark.parametrize("domain", [TextDomain(), CITIES], ids=repr)
def test_a_collation_does_not_merge_records(scope, domain):
    with duckdb.connect() as con:
        if scope == "session":
            con.execute("SET default_collation = 'nocase'")
        kind = "VARCHAR COLLATE NOCASE" if scope == "column" else "VARCHAR"
        con.execute(f"CREATE TABLE t (x {kind}, y {kind}, who {kind})")
        con.execute("INSERT INTO t VALUES ('bonn', 'YES', 'ANN')")
        con.executemany("INSERT INTO t VALUES ('Bonn', 'yes', ?)", [["ann"], ["bob"], ["bob"]])
        names = {"x": None if domain is CITIES else "x", "y": "y", "domain": domain}
        sample = Sample.read(con.table("t"), positive="yes", **names)
        assert sample.positives == 3
        assert sorted((sample.zeros + sample.ones).tolist()) == [1, 3]
        users = UserSample.read(con.table("t"), user="who", positive="yes", **names)
        assert users.n_users == 3


def test_lazy_tables_of_unknown_engines_are_refused(monkeypatch):
    """How another engine groups is not known here."""
    monkeypatch.setattr(databases, "_ENGINE_NAMES", ())
    with pytest.raises(ParameterError, match="is not a supported table engine"):
        tables.read_table(pl.LazyFrame({"x": [1]}))


@pytest.mark.first(1)
@pytest.mark.parametrize(
    "odd",
    [5, True, 2.5, dt.date(2020, 1, 1), [1], None, object()],
    ids=lambda odd: type(odd).__name__,
)
@pytest.mark.parametrize("at", [0, 50, 150])
def test_one_object_among_texts_changes_one_record(odd, at):
    for column in (["Bonn"] * N, [3] * N):
        plain = pd.DataFrame({"x": pd.Series(column, dtype=object), "y": 1})
        table = plain.copy()
        table.at[at, "x"] = odd
        for domain in DOMAINS:
            before, after = counts(read(plain, domain)), counts(read(table, domain))
            assert after.total() == N
            assert (before - after).total() <= 1


def texts(cells, kind=None):
    """Return a column whose values Arrow does not check."""
    kind = kind or pa.string()
    binary = pa.large_binary() if kind == pa.large_string() else pa.binary()
    return pa.array(cells, binary).view(kind)


def physical(kind, odd, width="int64"):
    values = np.arange(N, dtype=width)
    values[150] = odd
    return pa.array(values).view(kind)


BAD = [b"\xff\xfe", b"\xed\xa0\x80", b"Jane Roe \xe2\x82", b"\x00"]
COLUMNS = {f"text {bad!r}": texts([b"5"] * 150 + [bad] + [b"5"] * 49) for bad in BAD}
COLUMNS["dictionary"] = COLUMNS[f"text {BAD[0]!r}"].dictionary_encode()
COLUMNS["large text"] = texts([b"5"] * 150 + [b"\xff"] + [b"5"] * 49, pa.large_string())
for limit in (2**62, -(2**62), 2**63 - 1, -(2**63), -5):
    for unit in ("s", "ms", "us", "ns"):
        for zone in (None, "UTC", "Asia/Tokyo"):
            COLUMNS[f"timestamp {unit} {zone} {limit}"] = physical(pa.timestamp(unit, zone), limit)
    COLUMNS[f"time {limit}"] = physical(pa.time64("us"), limit)
    COLUMNS[f"time ns {limit}"] = physical(pa.time64("ns"), limit)
    COLUMNS[f"date64 {limit}"] = physical(pa.date64(), limit)
for limit in (2**31 - 1, -(2**31), -800_000, 3_000_000):
    COLUMNS[f"date32 {limit}"] = physical(pa.date32(), limit, "int32")
    COLUMNS[f"time32 {limit}"] = physical(pa.time32("s"), limit, "int32")
COLUMNS["decimal"] = pa.array([10**70] + [1] * (N - 1), pa.decimal256(76, 0))


def _rare(name):
    """Whether a column differs from one that is always tried in its zone or its limit alone."""
    return "Tokyo" in name or ("timestamp" in name and name.endswith(str(2**62)) and "UTC" in name)


@pytest.mark.first(2)
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.full if _rare(name) else ()) for name in COLUMNS],
)
def test_values_beyond_their_type_stop_nothing(name, tmp_path):
    table = pa.table({"x": COLUMNS[name], "y": [1] * N})
    # Arrow arrays in memory, a Parquet file, and columns of the label and of the users.
    natives = [table]
    try:
        pq.write_table(table, tmp_path / "t.parquet")
        natives.append(tmp_path / "t.parquet")
    except pa.ArrowInvalid:
        assert "timestamp s" in name  # Parquet has no seconds
    for native in natives:
        for domain in DOMAINS:
            assert read(native, domain).n == N
        assert Sample.read(native, x="y", y="x", domain=DOMAINS[0]).n == N
        assert UserSample.read(native, user="x", x="y", y="y", domain=DOMAINS[0]).n_users > 0
        assert len(read_points(native, x="x", domain=TextDomain())[1]) == N
    assert portable(COLUMNS[name]).type == portable_type(COLUMNS[name].type)


@pytest.mark.parametrize("kind", [pl.Datetime("us"), pl.Datetime("ms", "Europe/Berlin"), pl.Time])
@pytest.mark.parametrize("limit", [-5, 2**50, 2**62])
def test_times_of_polars_stop_nothing(kind, limit):
    values = pl.Series("x", [*range(N - 1), limit])
    if kind is pl.Time:
        values = values.clip(0, 86_399_999_999_999)  # polars itself checks these
    frame = pl.DataFrame({"x": values.cast(kind), "y": [1] * N})
    for native in (frame, frame.lazy()):
        assert read(native, TextDomain()).n == N


@pytest.mark.parametrize(
    "cell",
    [
        "'infinity'::TIMESTAMP",
        "'-infinity'::TIMESTAMPTZ",
        "'infinity'::DATE",
        "'290000-01-01'::TIMESTAMP",
        "'290000-01-01'::TIMESTAMP_S",
        "'5000000-01-01'::DATE",
        "'24:00:00'::TIME",
        "'nan'::DOUBLE",
    ],
)
def test_extreme_values_of_duckdb_stop_nothing(cell):
    relation = duckdb.sql(f"SELECT {cell} AS x, 1 AS y")
    for domain in DOMAINS:
        assert read(relation, domain).n == 1


def test_what_is_not_utf8_is_the_same_point_everywhere(tmp_path):
    cells = [b"5", b"a\xffb", b"\xed\xa0\x80", None]
    table = pa.table({"x": texts(cells), "y": [1, 1, 1, 1]})
    pq.write_table(table, tmp_path / "t.parquet")
    rows = [b"x,y", *(b"%s,1" % (cell or b"") for cell in cells)]
    (tmp_path / "t.csv").write_bytes(b"\n".join(rows))
    frame = {"x": ["5", "a\ufffdb", "\ud800", None], "y": [1] * 4}
    expected = {("5", 1): 1, ("a\ufffdb", 1): 1, ("\ufffd" * 3, 1): 1, ("outside", 1): 1}
    for native in (table, tmp_path / "t.parquet", tmp_path / "t.csv", frame):
        assert counts(read(native, TextDomain())) == expected


def test_parts_must_have_equal_columns(tmp_path):
    first = pa.table({"x": [1, 2], "y": [0, 1]})
    others = [
        pa.table({"x": ["1", "Jane Roe"], "y": [0, 1]}),
        pa.table({"x": pa.array([1, 2], pa.int8()), "y": [0, 1]}),
        pa.table({"y": [0, 1], "x": [1, 2]}),
        pa.table({"x": [1, 2]}),
    ]
    pq.write_table(first, tmp_path / "part-0.parquet")
    for other in others:
        pq.write_table(other, tmp_path / "part-1.parquet")
        with pytest.raises(DataError, match="must have equal columns"):
            read(tmp_path / "part-*.parquet", DOMAINS[0])
    pq.write_table(first, tmp_path / "part-1.parquet")
    assert read(tmp_path / "part-*.parquet", DOMAINS[0]).ones.tolist() == [0, 2]
    points, _ = read_points(tmp_path / "part-*.parquet", x="x", domain=DOMAINS[0])
    assert points.tolist() == [1, 2, 1, 2]
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), tmp_path / "twice.parquet")
    with pytest.raises(ParameterError, match="different names"):
        read(tmp_path / "twice.parquet", DOMAINS[0])


def raising(error):
    def action():
        raise error

    return action


class Panic(BaseException):
    """As the panics of polars: no Exception."""

    __module__ = "pyo3_runtime"


def test_errors_of_engines_are_not_shown(monkeypatch):
    engines = [
        duckdb.ConversionException,
        pa.ArrowInvalid,
        pl.exceptions.ComputeError,
        Panic,
        OSError,
    ]
    for kind in (*engines, Panic, OSError):
        with pytest.raises(DataError, match=r"^public$") as refused:
            run_engine(raising(kind("Jane Roe")), "public")
        assert refused.value.__context__ is None
        assert refused.value.__cause__ is None
        with monkeypatch.context() as debugged:
            debugged.setenv("LITTLESTONE_DEBUG", "1")
            with pytest.raises(DataError, match=r"^public$") as shown:
                run_engine(raising(kind("Jane Roe")), "public")
        assert "Jane Roe" in str(shown.value.__cause__)
    with pytest.raises(ParameterError, match="our own") as refused:
        run_engine(raising(ParameterError("our own")), "public")
    assert refused.value.__context__ is None
    with pytest.raises(KeyboardInterrupt):
        run_engine(raising(KeyboardInterrupt()), "public")


def test_our_own_faults_are_called_so(monkeypatch):
    """Never a fault of the data; and what they say may quote rows, too."""
    errors = [ValueError("Jane Roe"), KeyError("Jane Roe"), UnicodeDecodeError("x", b"J", 0, 1, "")]
    for error in errors:
        with pytest.raises(InternalError, match="a defect of littlestone") as refused:
            run_engine(lambda e=error: run_engine(raising(e), "public"), "public")
        assert "Jane" not in str(refused.value)
        assert "test_total.py" in str(refused.value)
        assert refused.value.__context__ is None
        assert refused.value.__cause__ is None
    monkeypatch.setenv("LITTLESTONE_DEBUG", "1")
    with pytest.raises(InternalError) as refused:
        run_engine(raising(ValueError("Jane Roe")), "public")
    assert str(refused.value.__cause__) == "Jane Roe"


def test_a_rule_that_fails_shows_no_cell():
    class Broken(TextDomain):
        def cell(self, raw):
            raise ValueError(f"cannot read {raw}")

    for call in (
        lambda: read({"x": ["Jane Roe"], "y": [1]}, Broken()),
        lambda: read_points({"x": ["Jane Roe"]}, x="x", domain=Broken()),
    ):
        with pytest.raises(InternalError, match="a defect of littlestone") as refused:
            call()
        assert "Jane" not in str(refused.value)
        assert refused.value.__context__ is None


def test_the_keys_of_users_do_not_depend_on_the_others():
    """Their numbers do: they are ranks."""

    def keys(*names):
        table = {"x": [1] * len(names), "y": [1] * len(names), "who": list(names)}
        return UserSample.read(table, user="who", x="x", y="y", domain=DOMAINS[0]).keys

    before, after = keys("bob", "eve", "zoe"), keys("ann", "eve", "zoe")
    assert after[0] not in before
    assert before[1:].tolist() == after[1:].tolist()
    assert keys("zz", "eve", "zoe")[0] == before[1]  # another rank, the same key


def test_a_folder_that_cannot_be_written_is_no_fault_of_the_table(monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "JANE ROE")

    engine._spill_folder.cache_clear()
    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with pytest.raises(DataError, match="set TMPDIR") as refused:
        run_engine(lambda: engine._spill_folder("test", 1), "The table cannot be read.")
    assert "JANE" not in str(refused.value)
