"""Columns of dates, against Python's own datetime; every engine reads them alike."""

from __future__ import annotations

import datetime as dt

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.data import Column, RowDomain, Sample, Schema, read_points
from littlestone.errors import ParameterError

MOMENTS = st.datetimes(dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59))
CUTS = [dt.datetime(1970, 1, 1), dt.datetime(2020, 2, 29, 12), dt.datetime(2021, 1, 1)]
#: What each part of a moment is, by the standard library.
PART = {
    "year": lambda m: m.year,
    "quarter": lambda m: -(-m.month // 3),
    "month": lambda m: m.month,
    "weekday": lambda m: m.isocalendar().weekday,
    "hour": lambda m: m.hour,
}
BINS = {"year": [1970, 2020], "month": [4, 11]}


def columns():
    for by in PART:
        yield by, Column.dates("d", BINS.get(by), by=by)
    yield "date", Column.dates("d", [str(cut) for cut in CUTS])


def expected(by, column, moment):
    if by == "date":
        return 2 + sum(moment >= cut for cut in CUTS)
    edges = (
        BINS.get(by) or {"quarter": range(2, 5), "weekday": range(2, 8), "hour": range(1, 24)}[by]
    )
    return 2 + sum(PART[by](moment) >= edge for edge in edges)


@given(MOMENTS)
def test_codes_are_those_of_the_standard_library(moment):
    moment = moment.replace(microsecond=0)
    for by, column in columns():
        code = expected(by, column, moment)
        for written in (moment, moment.isoformat(), f" {moment} ", f"{moment}.25", f"{moment}Z"):
            assert column.code(written) == code
        form = "%H h %M:%S, %d/%m/%Y"
        bins = None if by in ("quarter", "weekday", "hour") else column.to_dict()["bins"]
        told = Column.dates("d", bins, by=by, form=form)
        assert told.code(f"{moment:%H h %M:%S, %d/%m/}{moment.year:04}") == code


@given(st.text("0123456789-: TZ.+", max_size=20))
def test_what_is_no_date_is_other(cell):
    column = Column.dates("d", ["2020-01-01"])
    try:
        moment = dt.datetime.fromisoformat(cell.strip())
    except ValueError:
        moment = None
    if column.code(cell) > 1:
        assert moment is not None
    elif not cell.strip():
        assert column.code(cell) == 0
    elif moment is not None:  # the standard library reads more forms: weeks, 20200101
        assert not column.calendar._pattern.fullmatch(cell.strip()) or moment.year == 0


@pytest.mark.parametrize("cell", ["2021-02-29", "2020-13-01", "0000-01-01", "20200101", 5, "x"])
def test_odd_cells(cell):
    assert Column.dates("d", ["2020-01-01"]).code(cell) == Column.OTHER
    assert Column.dates("d", by="hour").code("2020-01-01") == Column.OTHER


def test_cuts_out_of_order_are_named_as_dates():
    for cuts in (["2021-01-01", "2020-01-01"], ["2020-01-01", "2020-01-01"]):
        with pytest.raises(ParameterError, match="each later than the one before") as caught:
            Column.dates("admitted", cuts)
        assert "2020-01-01" in str(caught.value)
        assert "637" not in str(caught.value)  # seconds since the year 1


@pytest.mark.more
def test_every_engine_reads_them_alike(tmp_path):
    start = dt.datetime(2019, 12, 30, 22, 15)
    moments = [start + dt.timedelta(hours=7 * i, seconds=i) for i in range(200)]
    labels = [int(m.isoweekday() > 5) for m in moments]
    table = pa.table({"d": pa.array(moments, pa.timestamp("us")), "y": labels})
    texts = pa.table({"d": [str(m) for m in moments], "y": labels})
    pq.write_table(table, tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text(
        "d,y\n" + "".join(f"{m},{y}\n" for m, y in zip(moments, labels, strict=True))
    )
    relation = duckdb.connect().from_arrow(table)
    tables = [table, texts, tmp_path / "t.parquet", tmp_path / "t.csv", relation]
    tables += [pl.from_arrow(table), pl.from_arrow(table).lazy(), pl.from_arrow(texts).lazy()]
    for by, column in columns():
        domain = RowDomain(Schema((column,)))
        codes = [expected(by, column, moment) for moment in moments]
        for read in tables:
            sample = Sample.read(read, y="y", domain=domain)
            found = dict(zip(sample.points[:, 0].tolist(), sample.zeros + sample.ones, strict=True))
            assert found == {code: codes.count(code) for code in set(codes)}
            assert sample.ones.sum() == sum(labels)
        assert read_points(texts, domain=domain)[0][:, 0].tolist() == codes


def test_a_schema_describes_them_and_is_written_back(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(
        '[d]\ntype = "date"\nbins = [2020-01-01, "2020-06-01 12:30"]\nformat = "%d.%m.%Y"\n'
        'missing = ["?"]\n[e]\ntype = "date"\nby = "month"\n'
        '[f]\ntype = "date"\nby = "year"\nintegers = [1990, 1993]\n'
    )
    schema = Schema.from_toml(path)
    assert [lit.text for lit in schema["d"].literals(0)] == [
        *("d >= 2020-01-01", "d < 2020-01-01", "d >= 2020-06-01 12:30", "d < 2020-06-01 12:30")
    ]
    assert schema["d"].code("?") == 0
    assert schema["e"].describe(schema["e"].code("2020-05-17")) == "May <= month of e < June"
    assert schema["f"].to_dict()["bins"] == [1991, 1992, 1993]
    path.write_text(schema.to_toml())
    assert Schema.from_toml(path) == schema == Schema.from_list(schema.to_list())


@pytest.mark.parametrize(
    "entry",
    [
        *(
            {"type": "day", "bins": ["2020-01-01"]},
            {"type": "date"},
            {"type": "date", "by": "year"},
        ),
        *({"type": "date", "bins": ["31.1.2020"]}, {"type": "date", "by": "week"}),
        *({"type": "date", "by": "month", "bins": [13]}, {"type": "date", "by": ["month"]}),
        *({"type": "date", "by": "month", "format": "%B %Y"}, {"by": "month"}),
        *({"type": "date", "bins": ["2020-01-01"], "format": "%d.%m"}, {"type": "date", "bins": 3}),
        *({"type": "date", "bins": ["2021-01-01", "2020-01-01"]},),
        *({"type": "date", "categories": ["2020-01-01"]},),
    ],
)
def test_what_describes_no_dates(entry):
    with pytest.raises(ParameterError):
        Schema.from_dict({"d": entry})
