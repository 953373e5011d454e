"""What cells mean, whatever the file: codes, inferred types, total conversions."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import littlestone as ls
from littlestone.cli.main import main
from littlestone.data import (
    OUTSIDE,
    Column,
    IntegerDomain,
    RowDomain,
    Sample,
    Schema,
    TextDomain,
    UserSample,
    read_points,
)
from littlestone.data import containers as databases
from littlestone.data import containers as engine
from littlestone.data import tables as total_tables
from littlestone.data.containers import InternalError, portable, portable_type, run_engine
from littlestone.data.draft import draft
from littlestone.data.tables import read_table
from littlestone.data.targets import Periods, target_from_dict
from littlestone.errors import DataError, ParameterError

from . import meanings
from .counted import multiset

# -- A cell has one meaning: equal codes in every container, type and time zone of the process -----


@pytest.mark.first(2)
@pytest.mark.parametrize("kind", ["float32", "texts of moments", "zoned ns America/New_York"])
def test_codes_are_those_of_the_words_of_the_schema(kind):
    containers = [meanings.parquet, meanings.pandas, meanings.duckdb_file]
    wrong, right = meanings.differences([kind], containers[: 1 if kind.startswith("t") else 3])
    assert not wrong
    assert right >= 30


@pytest.mark.parametrize("kind", list(meanings.CLEANED))
def test_units_limits_and_spellings_are_read_alike(kind):
    containers = [meanings.csv_file, meanings.pandas_objects]
    wrong, right = meanings.differences([kind], containers)
    assert not wrong
    assert right >= 5 * len(meanings.CLEANED[kind])


ZONES = ["UTC", "America/New_York", "Asia/Kolkata", "America/St_Johns"]


@pytest.mark.parametrize(
    "every", [pytest.param(14, marks=pytest.mark.more), pytest.param(1, marks=pytest.mark.full)]
)
@pytest.mark.parametrize("zone", ZONES)
def test_no_zone_of_a_process_changes_a_code(zone, every):
    """Every container, type and rule; elsewhere than in UTC those that have to do with times.

    Each type of times is read from four of the containers, in one zone each, and from all in all
    four zones in group full. In Kolkata numbers have a decimal comma, too, where the system has
    such a locale.
    """
    locale = {"LC_ALL": "de_DE.UTF-8"} if zone == "Asia/Kolkata" else {}
    run = subprocess.run(
        [sys.executable, meanings.__file__, str(ZONES.index(zone)), str(every)],
        env=os.environ | {"TZ": zone, "PYTHONPATH": os.pathsep.join(sys.path)} | locale,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    *wrong, last = run.stdout.splitlines()
    assert not wrong
    assert last.startswith("0 wrong, ")
    assert int(last.split()[2]) > 20_000 / every


STAY = [dt.timedelta(days=3), None]
Y = {"y": [0, 1]}
_ARROW = pa.table({"stay": pa.array(STAY, pa.duration("us")), "y": [0, 1]})
#: What is refused by its type, in every container that has the type.
DURATIONS = {
    "Arrow": lambda folder: _ARROW,
    "Parquet": lambda folder: pq.write_table(_ARROW, folder / "t.parquet") or folder / "t.parquet",
    "pandas": lambda folder: _ARROW.to_pandas(),
    "polars": lambda folder: pl.from_arrow(_ARROW),
    "polars, lazy": lambda folder: pl.from_arrow(_ARROW).lazy(),
    "NumPy": lambda folder: {"stay": np.array([3, 4], "timedelta64[D]"), "y": [0, 1]},
    "DuckDB": lambda folder: duckdb.sql("SELECT INTERVAL 3 DAY AS stay, 1 AS y"),
}


@pytest.mark.parametrize("container", DURATIONS)
def test_durations_are_refused_with_the_division_that_makes_numbers(container, tmp_path):
    table, schema = DURATIONS[container](tmp_path), Schema((Column.bins("stay", [2]),))
    for read in (
        lambda: Sample.read(table, y="y", domain=RowDomain(schema)),
        lambda: Sample.read(table, y="stay", domain=RowDomain(Schema((Column.bins("y", [1]),)))),
        lambda: read_points(table, domain=RowDomain(schema)),
    ):
        with pytest.raises(DataError, match=r"'stay' .* holds durations.*pd.Timedelta"):
            read()
    if container in ("pandas", "polars", "Arrow"):
        with pytest.raises(DataError, match="holds durations"):
            RowDomain(schema).array(table)


@pytest.mark.parametrize("labels", [("no", "yes"), (False, True), (b"no", b"yes"), (1, 2)])
def test_names_of_labels_survive_saving(labels, tmp_path, capsys):
    cells = [labels[i % 2] for i in range(400)]
    table = {"age": [(25, 70)[i % 2] for i in range(400)], "ill": cells}
    schema = Schema.from_dict({"age": {"bins": [30, 60]}})
    made = ls.fit(
        table, y="ill", epsilon=8, schema=schema, model="tree", labels=labels, random_state=0
    )
    made.save(tmp_path / "m.json")
    named = [label.decode() if isinstance(label, bytes) else label for label in labels] * 200
    assert ls.load(tmp_path / "m.json").predict(table).tolist() == named
    assert made.predict(table).tolist() == named
    (tmp_path / "t.csv").write_text("age\n25\n70\n")
    assert main(["predict", str(tmp_path / "m.json"), str(tmp_path / "t.csv")]) == 0
    assert capsys.readouterr().out.split() == ["prediction", *map(str, named[:2])]


def test_events_have_the_code_that_is_said():
    """R's survival has 2 for an event and 1 for none; negative times say nothing."""
    cells = [pa.chunked_array([[3.0, 3.0, 40.0, -1.0]]), pa.chunked_array([[1, 2, 2, 2]])]
    assert Periods((12, 24), 2).of_cells(cells).tolist() == [0, 1, 9, -1]
    assert Periods((12, 24)).of_cells(cells).tolist() == [1, 0, 8, -1]
    assert target_from_dict(Periods((12, 24), 2).to_dict()) == Periods((12, 24), 2)
    for code in (None, float("nan"), "", [2]):
        with pytest.raises(ParameterError, match="'event_is'"):
            Periods((12, 24), code)


#: Where a model is learned, and where it answers; with the type of the column.
PAIRS = [
    ("csv_file", "parquet", "zoned us America/New_York"),
    ("parquet", "csv_of_pandas", "zoned ns UTC"),
    ("pandas", "duckdb_file", "zoned ms UTC"),
    ("duckdb_file", "polars", "zoned us America/New_York"),
    ("relation", "csv_of_duckdb", "zoned us UTC"),
    ("polars", "parquet_of_duckdb", "naive us"),
    ("polars_lazy", "lists", "naive ms"),
    ("lists", "arrow", "date"),
    ("arrow", "csv_of_pandas", "integer"),
    ("csv_of_pandas", "parquet", "float32"),
    ("pandas_of_arrow", "csv_file", "decimal"),
    ("csv_of_duckdb", "pandas_objects", "boolean"),
]


@pytest.mark.more
@pytest.mark.parametrize(("first", "second", "kind"), PAIRS)
def test_what_is_learned_anywhere_answers_everywhere(first, second, kind, tmp_path, capsys):
    """Whole fits: no error on a copy of the table in another container, by both interfaces."""
    rule = (
        {"type": "date", "by": "hour", "zone": "America/New_York"}
        if kind.startswith(("naive", "zoned"))
        else {"categories": ["2020-01-01", "4", "1.5", "0.1", "true"]}
    )
    schema = Schema.from_dict({"c": rule})
    codes = {
        cell: meanings.reference(cell, rule) for cell in meanings.CELLS[kind] if cell is not None
    }
    least = min(codes.values())
    sides = [[c for c in codes if (codes[c] > least) == side] for side in (False, True)]
    repeated = [side[i % len(side)] for i in range(600) for side in sides]  # labels 0, 1, 0, 1, ...
    one, other = (
        getattr(meanings, name)(kind, repeated, ["c"], tmp_path) for name in (first, second)
    )
    made = ls.fit(one, y="y", epsilon=20, schema=schema, model="scorecard", random_state=0)
    made.save(tmp_path / "m.json")
    answer = made.predict(other)
    assert answer.tolist() == made.predict(one).tolist()
    assert (answer == meanings.labels(repeated)).mean() > 0.9
    if isinstance(other, Path | str):
        assert main(["predict", str(tmp_path / "m.json"), str(other)]) == 0
        assert capsys.readouterr().out.split()[1:] == [str(label) for label in answer]


def test_a_zone_is_a_public_name():
    assert Column.dates("d", by="hour", zone="Europe/Berlin").calendar.zone == "Europe/Berlin"
    for zone in ("Europe/Bonn", 5, "../../etc/passwd", ""):
        with pytest.raises(ParameterError, match="a time zone such as"):
            Column.dates("d", by="hour", zone=zone)


def test_a_format_that_reads_iso_dates_otherwise_is_refused():
    with pytest.raises(ParameterError, match="always read as ISO 8601"):
        Column.dates("d", by="month", form="%Y-%d-%m")
    assert Column.dates("d", by="month", form="%Y-%m-%d").code("2020-12-01") == 13


def test_texts_of_one_value_are_told_apart_where_both_are_listed():
    """A code with and without zeros: numbers find the plain one, in every container."""
    column = Column.of("code", ["01", "1", "true"])
    assert [column.code(cell) for cell in ("01", "1", 1, 1.0, "1.0", "true", True, "TRUE")] == [
        *(2, 3, 3, 3, 3),
        *(4, 4, 4),
    ]
    assert Column.of("code", ["01"]).code(1) == 2


def test_moments_at_the_ends_of_the_calendar():
    """A zone may move them out of the years 1 to 9999: they are other, and nothing stops."""
    moments = [dt.datetime(1, 1, 1, 1), dt.datetime(9999, 12, 31, 23), dt.datetime(2020, 1, 1)]
    cells = pa.array([each.replace(tzinfo=dt.UTC) for each in moments], pa.timestamp("us", "UTC"))
    for zone, other in (("America/New_York", [0]), ("Asia/Kolkata", [1])):
        column = Column.dates("d", by="hour", zone=zone)
        domain = RowDomain(Schema((column,)))
        read = read_points(pa.table({"d": cells}), domain=domain)[0][:, 0].tolist()
        assert read == [column.code(f"{moment.isoformat()}Z") for moment in moments]
        assert [at for at, code in enumerate(read) if code == Column.OTHER] == other


#: Containers of Python objects: no value gives such a column its type.
OBJECTS = {
    "pandas": lambda cells: pd.DataFrame({"stay": pd.Series(cells, dtype=object)} | Y),
    "polars": lambda cells: pl.DataFrame({"stay": pl.Series(cells, dtype=pl.Object)} | Y),
    "lists": lambda cells: {"stay": cells} | Y,
    "NumPy": lambda cells: {"stay": np.array(cells, dtype=object)} | Y,
}


@pytest.mark.parametrize("container", OBJECTS)
def test_durations_among_objects_are_missing_and_stop_nothing(container):
    """Neighbours, of which one has nothing but durations, are read alike."""
    domain = RowDomain(Schema((Column.bins("stay", [2]),)))
    for other, code in ((STAY[0], 0), (3, 3), ("x", 1), (None, 0)):
        table = OBJECTS[container]([STAY[0], other])
        assert read_points(table, domain=domain)[0].tolist() == [[0], [code]]
        if container == "pandas":
            assert domain.array(table[["stay"]]).tolist() == [[0], [code]]


# -- One record makes a program infer another type of a column: nothing but what is paid for diffe
# The programs that infer are real ones: pandas, polars, Arrow and DuckDB read two CSV files that
# differ in one cell, and give the column two types.

N = 900
READERS = {
    "pandas": pd.read_csv,
    "pandas, nullable": lambda path: pd.read_csv(path).convert_dtypes(),
    "pandas, Arrow": lambda path: pd.read_csv(path, dtype_backend="pyarrow"),
    "polars": lambda path: pl.read_csv(path, infer_schema_length=None),
    "polars, lazy": lambda path: pl.scan_csv(path, infer_schema_length=None),
    "Arrow": pyarrow.csv.read_csv,
    "DuckDB": lambda path: duckdb.read_csv(str(path), sample_size=-1),
}
#: What stands in the last record in the place of 41.
ODD = {"text": "x", "fraction": "41.5", "missing": "", "long": str(2**70), "truth": "true"}


#: Where a missing cell leaves the type as it is.
SAME = {(reader, "missing") for reader in READERS if reader != "pandas"}


@pytest.fixture
def tables(tmp_path):
    """Return the paths of two CSV files: 41 in the last record, or something odd."""

    def write(name, cell):
        ages = [17 + i % 60 for i in range(N - 1)]
        rows = "".join(f"{age},{int(age > 40)}\n" for age in ages)
        (tmp_path / name).write_text(f"age,ill\n{rows}{cell},1\n")
        return tmp_path / name

    return lambda odd: (write("a.csv", "41"), write("b.csv", odd))


def types(table):
    """Return how a program calls the types of its columns."""
    if isinstance(table, pa.Table):
        return [str(kind) for kind in table.schema.types]
    if isinstance(table, pl.LazyFrame):
        return [str(kind) for kind in table.collect_schema().values()]
    return [str(kind) for kind in table.dtypes]


def outcome(run):
    """Return what a call shows: its result, or its refusal."""
    try:
        return run()
    except Exception as refused:
        return type(refused).__name__, str(refused)


def proposed(table, tmp_path, delta):
    """Return what a proposal shows besides the columns, which are paid for."""
    path = tmp_path / "b.db"
    path.unlink(missing_ok=True)
    ledger = ls.Ledger(path, epsilon=100, delta=1e-3)
    found = ls.data.propose(table, y="ill", epsilon=90, delta=delta, ledger=ledger)
    told = found.proposal
    (event,) = ledger.history()
    paid = event.what, event.cost, event.leak, str(ledger.spent())
    return str(found.guarantee), told.n, told.declared, paid


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("reader", "odd"),
    [case for case in product(READERS, ODD) if case != ("pandas, Arrow", "long")],  # reads it not
)
def test_nothing_shows_an_inferred_type(reader, odd, tables, tmp_path):
    one, other = map(READERS[reader], tables(ODD[odd]))
    if (reader, odd) not in SAME:
        assert types(one) != types(other)  # else nothing is tested
    assert draft(one, label="ill") == draft(other, label="ill")
    schema = ls.Schema.from_dict({"age": {"bins": [40]}})
    for show in (
        lambda table: proposed(table, tmp_path, 1e-6),
        lambda table: outcome(lambda: ls.data.propose(table, columns=["age"], epsilon="1/900")),
        lambda table: released(ls.Rules(schema, 1), table),
        lambda table: released(ls.Thresholds(17, 76), table, x="age"),
        lambda table: released(ls.Points(), table, x="age"),
    ):
        assert show(one) == show(other)


def released(concepts, table, **x):
    """Return what a fit shows besides the hypothesis and the evaluation, which are paid for."""
    made = ls.AgnosticLearner(concepts, epsilon=9) if concepts.size else None
    if made is None:
        made = ls.theory.StableLearner(concepts, epsilon=9, delta=1e-3)

    def run():
        found = made.fit(table, "ill", evaluate=1, **x).release_.to_dict()
        for paid in ("hypothesis", "evaluation", "quality"):
            found.pop(paid)
        return json.dumps(found), made.n_features_in_, made.feature_names_in_.tolist()

    return outcome(run)


@pytest.mark.more
def test_a_proposal_of_a_frame_reads_each_cell_as_of_a_csv_file(tables):
    """Whatever type was inferred, an open column is described from the same cells."""
    for path in tables("x"):
        options = {"y": "ill", "epsilon": 9, "delta": 1e-6, "random_state": 0}
        by_path = ls.data.propose(path, header_is_public=True, **options)
        for reader, read in READERS.items():
            assert ls.data.propose(read(path), **options) == by_path, reader


@pytest.mark.more
def test_what_declares_types(tmp_path):
    """Parquet files and databases declare; frames, relations and CSV files do only by kinds."""
    frame = pd.DataFrame({"age": np.arange(900) % 60, "city": ["Bonn", "Rome"] * 450})
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv", index=False)
    with duckdb.connect(str(tmp_path / "d.duckdb")) as base:
        base.register("frame", frame)
        base.execute("create table t as select * from frame")
    files = [tmp_path / "t.parquet", f"duckdb:///{tmp_path}/d.duckdb?table=t"]
    memory = [frame, pl.from_pandas(frame), pa.Table.from_pandas(frame), dict(frame)]
    memory += [pl.from_pandas(frame).lazy(), duckdb.from_arrow(pa.Table.from_pandas(frame))]
    options = {"epsilon": 9, "delta": 1e-6, "header_is_public": True, "random_state": 0}
    for table in files:
        assert read_table(table).declared
        found = ls.data.propose(table, **options)
        assert found.proposal.declared == ("age",)
        assert ls.data.propose(table, kinds={"age": "open"}, **options).proposal.declared == ()
        learner = ls.AgnosticLearner(ls.Rules(found, 1), epsilon=9, random_state=0)
        page = ls.page(learner.fit(frame.assign(ill=1), "ill"))
        assert "treated as public" in page
        assert "that inference is not private" in page
    for table in [*memory, tmp_path / "t.csv"]:
        assert not read_table(table).declared
        assert ls.data.propose(table, **options).proposal.declared == ()
        said = ls.data.propose(table, kinds={"age": "whole"}, **options)
        assert said == found  # as the file declares it
        assert said.proposal == found.proposal


def test_what_is_said_to_be_numbers_costs_what_numbers_cost():
    table = {"age": ["44", "x", None, "17"] * 500, "city": ["Bonn", "Rome"] * 1000}
    options = {"epsilon": 9, "kinds": {"age": "whole", "city": "text"}, "random_state": 0}
    found = ls.data.propose(table, delta=1e-6, **options)
    assert found.proposal.declared == ("age", "city")
    assert found["age"].numeric
    assert found["city"].categories == ("Bonn", "Rome")
    pure = ls.data.propose(table, **options)  # texts without a delta cost nothing
    assert pure.proposal.left_out == ("city",)
    assert pure.guarantee.epsilon == Fraction(9)


# -- No value of one record changes what is read of the others, or stops the reading ---------------

TOTAL_N = 200
CITIES = RowDomain(Schema.from_dict({"x": {"categories": ["Bonn", "Rome"]}}))
DOMAINS = [IntegerDomain(0, 99), TextDomain(), CITIES]


def read(table, domain):
    return Sample.read(table, x=None if domain is CITIES else "x", y="y", domain=domain)


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


def test_texts_of_engines_with_collations_are_grouped_by_their_bytes():
    """Of a stand-in for Spark, which polars runs; databases themselves are in their own groups."""
    rows = pl.LazyFrame({"city": ["Bonn", "bonn"], "n": [1, 2]})
    city = SimpleNamespace(cast=lambda kind: pl.col("city").cast({"binary": pl.Binary}[kind]))
    native = MagicMock()
    native.__getitem__ = lambda _, name: {"city": city}[name]
    native.withColumns = lambda columns: rows.with_columns(**columns)
    schema = nw.from_native(rows).collect_schema
    frame = MagicMock(implementation=databases.SPARK[0], collect_schema=schema)
    frame.to_native.return_value = native
    assert databases.bytewise(frame).collect_schema() == {"city": nw.Binary(), "n": nw.Int64()}


def test_lazy_tables_of_unknown_engines_are_refused(monkeypatch):
    """How another engine groups is not known here."""
    monkeypatch.setattr(databases, "_ENGINE_NAMES", ())
    with pytest.raises(ParameterError, match="is not a supported table engine"):
        total_tables.read_table(pl.LazyFrame({"x": [1]}))


@pytest.mark.first(1)
@pytest.mark.parametrize(
    "odd",
    [5, True, 2.5, dt.date(2020, 1, 1), [1], None, object()],
    ids=lambda odd: type(odd).__name__,
)
@pytest.mark.parametrize("at", [0, 50, 150])
def test_one_object_among_texts_changes_one_record(odd, at):
    for column in (["Bonn"] * TOTAL_N, [3] * TOTAL_N):
        plain = pd.DataFrame({"x": pd.Series(column, dtype=object), "y": 1})
        table = plain.copy()
        table.at[at, "x"] = odd
        for domain in DOMAINS:
            before, after = multiset(read(plain, domain)), multiset(read(table, domain))
            assert after.total() == TOTAL_N
            assert (before - after).total() <= 1


def texts(cells, kind=None):
    """Return a column whose values Arrow does not check."""
    kind = kind or pa.string()
    binary = pa.large_binary() if kind == pa.large_string() else pa.binary()
    return pa.array(cells, binary).view(kind)


def physical(kind, odd, width="int64"):
    values = np.arange(TOTAL_N, dtype=width)
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
COLUMNS["decimal"] = pa.array([10**70] + [1] * (TOTAL_N - 1), pa.decimal256(76, 0))


def _rare(name):
    """Whether a column differs from one that is always tried in its zone or its limit alone."""
    return "Tokyo" in name or ("timestamp" in name and name.endswith(str(2**62)) and "UTC" in name)


@pytest.mark.first(2)
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.full if _rare(name) else ()) for name in COLUMNS],
)
def test_values_beyond_their_type_stop_nothing(name, tmp_path):
    table = pa.table({"x": COLUMNS[name], "y": [1] * TOTAL_N})
    # Arrow arrays in memory, a Parquet file, and columns of the label and of the users.
    natives = [table]
    try:
        pq.write_table(table, tmp_path / "t.parquet")
        natives.append(tmp_path / "t.parquet")
    except pa.ArrowInvalid:
        assert "timestamp s" in name  # Parquet has no seconds
    for native in natives:
        for domain in DOMAINS:
            assert read(native, domain).n == TOTAL_N
        assert Sample.read(native, x="y", y="x", domain=DOMAINS[0]).n == TOTAL_N
        assert UserSample.read(native, user="x", x="y", y="y", domain=DOMAINS[0]).n_users > 0
        assert len(read_points(native, x="x", domain=TextDomain())[1]) == TOTAL_N
    assert portable(COLUMNS[name]).type == portable_type(COLUMNS[name].type)


@pytest.mark.parametrize("kind", [pl.Datetime("us"), pl.Datetime("ms", "Europe/Berlin"), pl.Time])
@pytest.mark.parametrize("limit", [-5, 2**50, 2**62])
def test_times_of_polars_stop_nothing(kind, limit):
    values = pl.Series("x", [*range(TOTAL_N - 1), limit])
    if kind is pl.Time:
        values = values.clip(0, 86_399_999_999_999)  # polars itself checks these
    frame = pl.DataFrame({"x": values.cast(kind), "y": [1] * TOTAL_N})
    for native in (frame, frame.lazy()):
        assert read(native, TextDomain()).n == TOTAL_N


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
    expected = {("5", 1): 1, ("a\ufffdb", 1): 1, ("\ufffd" * 3, 1): 1, (OUTSIDE, 1): 1}
    for native in (table, tmp_path / "t.parquet", tmp_path / "t.csv", frame):
        assert multiset(read(native, TextDomain())) == expected


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
        assert "test_meanings.py" in str(refused.value)
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


@pytest.mark.parametrize("kind", [list, tuple, lambda cells: np.array(cells, dtype=object)])
def test_no_cell_changes_the_code_of_another_one(kind):
    """Lists of one type and of several, at the edges of machine integers and doubles."""
    places = [0, 2**53, 2**53 + 4, 2**62, 2**63 - 1024]
    forms = {"bins": places}, {"bins": [0.5, 2.0**53]}, {"categories": ["0"]}
    columns = [next(iter(Schema.from_dict({"t": form}))) for form in forms]
    near = [place + step for place in (*places, 2**63, 2**64, 10**30) for step in (-1, 0, 1)]
    odd = [-(2**63), -(2**63) - 1, 0.5, 2.0**63, float("nan"), True, None, "x", "9" * 400]
    for column in columns:
        for last in (*near, *odd):
            cells = [*near[:12], last]
            assert column.codes(kind(cells)).tolist() == [column.code(cell) for cell in cells]


def test_one_record_of_a_list_recodes_no_other_record():
    """An integer of 64 bits once made doubles of its column: the loss was 17.6 in place of 1."""
    domain = RowDomain(Schema.from_dict({"t": {"bins": [2**53 + 4]}, "b": {"bins": [0]}}))
    others = [[2**53 + 3, 1]] * 20 + [[0, 1]] * 20
    codes = [domain.array([*others, [last, 1]], "fit")[:-1] for last in (0, 2**63, 2**64, "x")]
    assert all((code == codes[0]).all() for code in codes)
