"""A cell has one meaning: equal codes in every container, type and time zone of the process."""

from __future__ import annotations

import datetime as dt
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import littlestone as ls
from littlestone.cli.main import main
from littlestone.data import Column, RowDomain, Sample, Schema, read_points
from littlestone.data.targets import Periods, target_from_dict
from littlestone.errors import DataError, ParameterError

_PATH = Path(__file__).with_name("meanings.py")
_SPEC = importlib.util.spec_from_file_location("meanings", _PATH)
meanings = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(meanings)


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
        [sys.executable, str(_PATH), str(ZONES.index(zone)), str(every)],
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


def test_a_zone_of_a_schema_is_written_back(tmp_path):
    schema = Schema.from_dict({"d": {"type": "date", "by": "hour", "zone": "Asia/Kolkata"}})
    (tmp_path / "s.toml").write_text(schema.to_toml())
    assert Schema.from_toml(tmp_path / "s.toml") == schema == Schema.from_list(schema.to_list())


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
