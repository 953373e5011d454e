"""Every engine gives the counts that a record-by-record reading in plain Python gives."""

from __future__ import annotations

import csv
import datetime as dt
import gc
import os
import random
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from decimal import Decimal
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.data import (
    OUTSIDE,
    AnyDomain,
    Column,
    IntegerDomain,
    RowDomain,
    Sample,
    Schema,
    TextDomain,
    UserSample,
    read_points,
    read_table,
)
from littlestone.data import containers as engine
from littlestone.data.codes import codes_of
from littlestone.data.read import read as stored
from littlestone.errors import DataError, ParameterError

from . import counted
from .counted import multiset, users_by_hand, users_of

DOMAIN = IntegerDomain(1, 99)
BIG = IntegerDomain(-(2**80), 2**80)
SCHEMA = Schema.from_dict(
    {"x": {"bins": [5, 10.5, 40]}, "city": {"categories": ["Bonn", "Rome"], "missing": ["?"]}}
)
ODD = [
    "text",
    "2.5",
    None,
    "",
    "9" * 400,
    '5"',
    '"',
    '""',
    "1e2",
    " 7 ",
    "007",
    "-3",
    "NaN",
    "a,b",
    "é",
]


def base_table(n: int = 60) -> dict[str, list]:
    """Texts only, as a CSV file has them; names with a dot and a space."""
    rng = random.Random(1)
    return {
        "x": [str(rng.randrange(1, 50)) for _ in range(n)],
        "ill.label": [rng.choice(["0", "1"]) for _ in range(n)],
        "the user": [rng.choice(["ann", "bob", "7"]) for _ in range(n)],
        "city": [rng.choice(["Bonn", "Rome", "?", "Oslo"]) for _ in range(n)],
    }


def write_csv(table, path):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([list(table), *zip(*table.values(), strict=True)])
    return path


def write_parquet(table, path):
    pq.write_table(pa.table(table), path)
    return path


CONNECTION = duckdb.connect()

ENGINES = {
    "csv": lambda t, tmp: write_csv(t, tmp / "t.csv"),
    "parquet": lambda t, tmp: str(write_parquet(t, tmp / "t.parquet")),
    "pandas": lambda t, tmp: pd.DataFrame(t),
    "pandas objects": lambda t, tmp: pd.DataFrame(t, dtype=object),
    "polars": lambda t, tmp: pl.DataFrame(t),
    "polars lazy": lambda t, tmp: pl.LazyFrame(t),
    "pyarrow": lambda t, tmp: pa.table(t),
    "dictionary": lambda t, tmp: t,
    "duckdb": lambda t, tmp: CONNECTION.read_parquet(str(write_parquet(t, tmp / "d.parquet"))),
    "numpy": lambda t, tmp: np.array(
        list(zip(*t.values(), strict=True)), dtype=[(name, object) for name in t]
    ),
}


by_hand = partial(counted.by_hand, y="ill.label")


def read(table, domain, **more):
    x = None if isinstance(domain, RowDomain) else "x"
    return Sample.read(table, x=x, y="ill.label", domain=domain, **more)


def plant(table, name, cells, at=20):
    """Replace some cells of one column, from row ``at`` on."""
    column = [*table[name][:at], *cells, *table[name][at + len(cells) :]]
    return {**table, name: column}


@pytest.mark.first(2 * len(ENGINES))
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "domain", [DOMAIN, RowDomain(SCHEMA), BIG, TextDomain(), AnyDomain()], ids=repr
)
def test_every_engine_reads_what_is_read_by_hand(engine, domain, tmp_path):
    for table in (base_table(), plant(base_table(), "x", ODD)):
        sample = read(ENGINES[engine](table, tmp_path), domain)
        assert sample.n == len(table["x"])
        assert multiset(sample) == Counter(by_hand(table, domain))


@pytest.mark.first(2)
@pytest.mark.parametrize("engine", ["csv", "parquet", "pandas objects", "polars lazy", "duckdb"])
@pytest.mark.parametrize("domain", [DOMAIN, RowDomain(SCHEMA)], ids=repr)
def test_one_odd_cell_changes_one_record_and_nothing_else(engine, domain, tmp_path):
    before = multiset(read(ENGINES[engine](base_table(), tmp_path), domain))
    for odd in ODD if engine == "csv" else ODD[:7]:
        after = read(ENGINES[engine](plant(base_table(), "x", [odd]), tmp_path), domain)
        assert after.n == before.total()
        assert (before - multiset(after)).total() <= 1
        assert (multiset(after) - before).total() <= 1


def test_one_odd_cell_in_a_column_of_integers(tmp_path):
    """A writer that stores the odd cell retypes the whole column: still one record changes."""
    base = base_table()
    numbers = {**base, "x": [int(x) for x in base["x"]]}
    before = multiset(read(write_parquet(numbers, tmp_path / "t.parquet"), DOMAIN))
    assert before == Counter(by_hand(base, DOMAIN))
    for odd in ("2.5", "x", None, "9" * 30):
        path = write_parquet(plant(base, "x", [odd]), tmp_path / "t.parquet")
        expected = Counter(by_hand(plant(numbers, "x", [odd]), DOMAIN))
        assert multiset(read(path, DOMAIN)) == expected
        assert (before - expected).total() == 1
    with_null = pd.DataFrame(plant(numbers, "x", [None]))  # pandas makes floats of it
    assert with_null["x"].dtype == float
    assert multiset(read(with_null, DOMAIN)) == Counter(
        by_hand(plant(numbers, "x", [None]), DOMAIN)
    )


@pytest.mark.first(5)
@pytest.mark.parametrize("engine", ENGINES)
def test_one_odd_label_or_user_changes_one_record_and_nothing_else(engine, tmp_path):
    base = base_table()
    for odds in ([None], ["yes", "1.0", "9" * 400]):
        table = plant(plant(base, "ill.label", odds), "the user", odds)
        native = ENGINES[engine](table, tmp_path)
        sample = UserSample.read(native, user="the user", x="x", y="ill.label", domain=DOMAIN)
        records = by_hand(table, DOMAIN)
        assert multiset(sample.pooled()) == Counter(records)
        assert users_of(sample) == users_by_hand(table["the user"], records)


TYPED = {
    "int64": pa.array([3, None, 7, 100], pa.int64()),
    "uint8": pa.array([3, None, 7, 100], pa.uint8()),
    "uint64": pa.array([3, None, 7, 2**64 - 1], pa.uint64()),
    "float": pa.array([3.0, float("nan"), 7.5, float("inf")]),
    "float32": pa.array([3.0, None, 10.5, -0.0], pa.float32()),
    "bool": pa.array([True, None, False, True]),
    "decimal": pa.array([Decimal("3.00"), None, Decimal("7.50"), Decimal(2**70)]),
    "date": pa.array([dt.date(2020, 1, 1), None, dt.date(2021, 1, 1), dt.date(2020, 1, 1)]),
    "timestamp": pa.array([dt.datetime(2020, 1, 1, 1, 2, 3, 500_000), None, None, None]),
    "binary": pa.array([b"3", None, b"\xff", b" 7 "]),
    "dictionary": pa.array(["3", None, "7", "3"]).dictionary_encode(),
    "null": pa.nulls(4),
    "time": pa.array([dt.time(1), None, dt.time(2), dt.time(3)]),
}


@pytest.mark.parametrize("kind", TYPED)
@pytest.mark.parametrize(
    "domain",
    [
        DOMAIN,
        RowDomain(SCHEMA),
        pytest.param(BIG, marks=pytest.mark.more),
        pytest.param(TextDomain(), marks=pytest.mark.more),
    ],
    ids=repr,
)
def test_declared_types_are_read_alike(kind, domain, tmp_path):
    cells = TYPED[kind]
    table = pa.table({"x": cells, "city": ["Bonn"] * 4, "ill.label": pa.array([1.0, 0, None, 1])})
    path = tmp_path / "t.parquet"
    pq.write_table(table, path)
    plain = cells.dictionary_decode() if kind == "dictionary" else cells
    hand = {"x": plain.to_pylist(), "city": ["Bonn"] * 4, "ill.label": [1, 0, None, 1]}
    if kind == "time":  # as the engine writes it
        hand["x"] = [None if t is None else t.isoformat() for t in hand["x"]]
    expected = Counter(by_hand(hand, domain))
    natives = [table, path, pl.from_arrow(table).lazy()]
    if kind != "uint64":  # with a null pandas makes floats of it, before anybody reads it
        natives.append(table.to_pandas())
    for native in natives:
        assert multiset(read(native, domain)) == expected


def test_objects_do_not_hide_each_other():
    """1, True and 1.0 are equal in a hash table: each cell must still be read alone."""
    for first in (1, True, 1.0, "1", Decimal("1.0")):
        frame = pd.DataFrame(
            {"x": [first, True, 1, "true"], "ill.label": [1, 0, "1", None]}, dtype=object
        )
        found = multiset(read(frame, TextDomain()))
        expected = Counter(by_hand(frame.to_dict("list"), TextDomain()))
        assert found == expected
    odd = pd.DataFrame({"x": [[1], {2: 3}, object(), 5], "ill.label": [1, 1, 1, 1]}, dtype=object)
    assert multiset(read(odd, DOMAIN)) == {(OUTSIDE, 1): 3, (5, 1): 1}


def test_pandas_types_without_arrow_equivalent():
    frame = pd.DataFrame(
        {
            "x": pd.Categorical([5, 7, None, 5]),
            "sparse": pd.arrays.SparseArray([5, 7, 0, 5]),
            "period": pd.period_range("2020", periods=4),
            "ill.label": pd.array([True, False, None, True], dtype="boolean"),
        }
    )
    assert multiset(read(frame, DOMAIN)) == {(5, 1): 2, (7, 0): 1, (OUTSIDE, 0): 1}
    assert multiset(read(frame.assign(x=frame["sparse"]), DOMAIN)) == {
        (5, 1): 2,
        (7, 0): 1,
        (OUTSIDE, 0): 1,
    }
    assert read(frame.assign(x=frame["period"]), DOMAIN).outside == (2, 2)


def test_big_integers_of_engines():
    relation = CONNECTION.sql(f'SELECT {2**100}::HUGEINT AS x, 1 AS "ill.label"')
    assert read(relation, BIG).outside == (0, 1)
    assert read(relation, IntegerDomain(0, 2**101)).points.tolist() == [2**100]
    frame = pl.DataFrame({"x": pl.Series([2**100, 3], dtype=pl.Int128), "ill.label": [1, 1]})
    for native in (frame, frame.lazy()):
        assert multiset(read(native, DOMAIN)) == {(3, 1): 1, (OUTSIDE, 1): 1}


def test_rows_of_any_width_are_read_from_named_columns():
    table = pa.table({"a": [-1, 2, None], "b": ["3", "?", "-1"], "ill.label": [1, 1, 0]})
    domain = RowDomain(Schema.every_column([0]))
    sample = Sample.read(table, x=["a", "b"], y="ill.label", domain=domain)
    assert multiset(sample) == {((2, 3), 1): 1, ((3, 1), 1): 1, ((0, 2), 0): 1}
    with pytest.raises(ParameterError, match="a list of column names"):
        Sample.read(table, y="ill.label", domain=domain)


def test_points_in_order():
    n = 200_000  # more than one batch of every engine
    rng = np.random.default_rng(0)
    x = rng.integers(0, 200, n)
    points, inside = read_points(pa.table({"x": x}), x="x", domain=DOMAIN)
    assert (inside == ((x >= 1) & (x <= 99))).all()
    assert (points == x[inside]).all()
    rows, within = read_points({"x": x, "city": ["Rome"] * n}, domain=RowDomain(SCHEMA))
    assert within.all()
    points, inside = read_points(
        pl.DataFrame({"x": pl.Series([], dtype=pl.String)}), x="x", domain=DOMAIN
    )
    assert len(points) == len(inside) == 0
    assert (rows[:, 0] == [SCHEMA["x"].code(v) for v in x.tolist()]).all()


NUMBERS = Column.bins("x", [-1.5, 0, 2**53, 1e300], missing=["unknown"])
ODD_NUMBERS = st.one_of(
    st.floats(width=64).map(repr),
    st.integers(-(2**70), 2**70).map(str),
    st.sampled_from(["", " 7 ", "unknown", "x", "1e400", "-inf", "nan", "TRUE", "0.1" + 30 * "0"]),
)


@given(st.lists(ODD_NUMBERS, min_size=1), st.lists(st.one_of(st.none(), st.floats()), min_size=1))
def test_codes_of_a_piece_are_those_of_its_cells(texts, floats):
    assert codes_of(pa.chunked_array([texts]), NUMBERS).tolist() == [*map(NUMBERS.code, texts)]
    for kind in (pa.float64(), pa.float32()):
        cells = pa.array(floats, pa.float64()).cast(kind, safe=False)
        expected = [NUMBERS.code(cell) for cell in cells.to_pylist()]
        assert codes_of(pa.chunked_array([cells]), NUMBERS).tolist() == expected
    whole = pa.array([2**63 - 1, None, -2, -(2**63)])
    assert codes_of(pa.chunked_array([whole]), NUMBERS).tolist() == [5, 0, 2, 2]


def test_tsv_gz_separator_and_wildcards(tmp_path):
    base = base_table()
    frame = pd.DataFrame(base)
    expected = Counter(by_hand(base, DOMAIN))
    frame.to_csv(tmp_path / "t.tsv", sep="\t", index=False)
    frame.to_csv(tmp_path / "t.csv.gz", index=False)
    frame.to_csv(tmp_path / "semicolons.csv", sep=";", index=False)
    for part in (0, 1):
        pq.write_table(pa.table(base).slice(30 * part, 30), tmp_path / f"part-{part}.parquet")
    for native in (
        tmp_path / "t.tsv",
        tmp_path / "t.csv.gz",
        read_table(tmp_path / "semicolons.csv", csv="sep=;"),
        tmp_path / "part-*.parquet",
    ):
        assert multiset(read(native, DOMAIN)) == expected


@pytest.mark.parametrize(
    "line",
    [b"", b"5", b"5,1,2,3,4,5", b'"5,1', b'5","1', b"\xff\xfe,1", b"\x005,1", b'5,"1"x', b"\r"],
)
def test_a_broken_line_is_one_record(line, tmp_path):
    lines = [b"x,ill.label", *(b"%d,%d" % (i % 9 + 1, i % 2) for i in range(50))]
    lines[20] = line
    path = tmp_path / "t.csv"
    path.write_bytes(b"\n".join(lines))
    sample = read(path, DOMAIN)
    assert sample.n == 50
    rest = Counter((i % 9 + 1, i % 2) for i in range(50) if i != 19)
    assert (multiset(sample) - rest).total() == 1
    assert not rest - multiset(sample)


def no_trace_of(secret: str, error: BaseException) -> None:
    """The value is in no message, and no engine's exception hangs on the error."""
    assert secret not in "".join(traceback.format_exception(error))
    assert secret not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None


SECRET = "Jane Roe 31337"


@pytest.mark.first(5)
@pytest.mark.parametrize("engine", ENGINES)
def test_strict_refuses_and_names_column_and_rule_only(engine, tmp_path):
    base = base_table()
    for column, rule, more in [
        ("x", r"an integer in \[1, 99\]", {}),
        ("ill.label", "the positive or the negative label", {"negative": 0}),
    ]:
        assert read(ENGINES[engine](base, tmp_path), DOMAIN, strict=True, **more).n == 60
        changed = {**base, column: [*base[column][:20], SECRET, *base[column][21:]]}
        with pytest.raises(DataError, match=f"'{column}'.*{rule}") as refused:
            read(ENGINES[engine](changed, tmp_path), DOMAIN, strict=True, **more)
        no_trace_of(SECRET, refused.value)


def test_strict_rows_labels_and_users():
    table = base_table()
    with pytest.raises(DataError, match=r"'city'.*public categories"):
        read(table, RowDomain(SCHEMA), strict=True)
    table["city"] = ["Rome", None] * 30
    assert read(table, RowDomain(SCHEMA), strict=True).n == 60
    with pytest.raises(DataError, match=r"'x'.*a number"):
        read({**table, "x": [SECRET] * 60}, RowDomain(SCHEMA), strict=True)
    with pytest.raises(DataError, match=r"'ill.label'.*not missing"):
        read({**table, "ill.label": [None] * 60}, DOMAIN, strict=True)
    for users in (["a", None] * 30, ["a", " "] * 30, [1, float("nan")] * 30):
        with pytest.raises(DataError, match=r"'the user'.*the name of a user"):
            UserSample.read(
                {**table, "the user": users},
                user="the user",
                x="x",
                y="ill.label",
                domain=DOMAIN,
                strict=True,
            )


@pytest.mark.parametrize("line", [b"5", b"5,1,2", b'5",1', b""])
def test_strict_refuses_broken_lines(line, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"x,ill.label\n5,1\n" + line + b"\n5,0\n")
    with pytest.raises(DataError, match="as many cells"):
        read(path, DOMAIN, strict=True)


def test_columns_that_are_not_there():
    table = base_table()
    with pytest.raises(ParameterError, match=r"no column 'cities'. Did you mean 'city'"):
        Sample.read(table, x="cities", y="ill.label", domain=DOMAIN)
    with pytest.raises(ParameterError, match=r"no column 'q'. The known names are: x, ill.label"):
        Sample.read(table, x="x", y="q", domain=DOMAIN)
    with pytest.raises(ParameterError, match="the name of one column"):
        Sample.read(table, x=["x", "city"], y="ill.label", domain=DOMAIN)
    with pytest.raises(ParameterError, match="read by their names"):
        Sample.read(table, x=["x"], y="ill.label", domain=RowDomain(SCHEMA))
    with pytest.raises(ParameterError, match=r"'positive'"):
        read(table, DOMAIN, positive=None)
    with pytest.raises(ParameterError, match=r"'negative'"):
        read(table, DOMAIN, negative=float("nan"))
    with pytest.raises(DataError, match="lists or structures"):
        read(pl.DataFrame({"x": [[1]], "ill.label": [1]}), DOMAIN)


def test_a_csv_without_names_shows_nobody(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Jane Roe,440917,1,1\nJohn Doe,51,0,0\n")
    for name in ("age", "Jane Ro", "45"):
        with pytest.raises(ParameterError, match="must hold the column names") as refused:
            Sample.read(path, x=name, y="1", domain=DOMAIN)
        for secret in ("Jane Roe", "440917"):
            no_trace_of(secret, refused.value)


@pytest.mark.parametrize("engine", [e for e in ENGINES if e != "pandas objects"])
def test_an_empty_table_has_no_records(engine, tmp_path):
    """No refusal: whether there is a record is secret under add-remove."""
    empty = {name: pa.array([], pa.string()) for name in base_table()}
    if engine not in ("parquet", "pyarrow", "polars", "polars lazy", "duckdb"):
        empty = {name: [] for name in empty}
    for domain in (DOMAIN, IntegerDomain(0, 2**80)):
        sample = read(ENGINES[engine](empty, tmp_path), domain)
        assert sample.n == sample.positives == len(sample.points) == 0


@pytest.mark.parametrize("name", ["none.csv", "none.parquet", "part-*.csv", "n" * 300 + ".csv"])
def test_files_that_are_not_there(name, tmp_path):
    with pytest.raises(ParameterError, match="a file that exists"):
        read_table(tmp_path / name)


def test_rows_that_an_engine_cannot_count(tmp_path):
    """The file is spoilt after its columns were read: its engine's own error is not shown."""
    file = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": [1, 2]}), file)
    table = read_table(duckdb.read_parquet(str(file)))
    file.write_bytes(SECRET.encode() * 9)
    with pytest.raises(DataError, match="cannot be read") as refused:
        table.rows()
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.parquet", SECRET.encode() * 9),
        ("t.parquet", b""),
        ("t.csv", b""),
        ("t.csv.gz", b"x,ill.label\n5,1"),
    ],
)
def test_files_that_are_not_what_they_say(name, content, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"cannot be read as|no first line") as refused:
        read_table(path)
    no_trace_of(SECRET, refused.value)


def test_a_file_that_breaks_in_the_middle(tmp_path):
    path = tmp_path / "t.parquet"
    table = pa.table({"x": [SECRET] * 5000 + ["5"], "ill.label": [1] * 5001})
    pq.write_table(table, path, compression="zstd", use_dictionary=False)
    data = bytearray(path.read_bytes())
    data[40:80] = b"\xff" * 40  # inside of a compressed page
    path.write_bytes(bytes(data))
    with pytest.raises(DataError, match="engine stopped") as refused:
        read(path, DOMAIN)
    no_trace_of(SECRET, refused.value)
    relation = CONNECTION.sql(f"SELECT CAST('{SECRET}' AS INT) AS x, 1 AS \"ill.label\"")
    with pytest.raises(DataError, match="engine stopped") as refused:
        read(relation, DOMAIN)
    no_trace_of(SECRET, refused.value)


def test_columns_with_the_same_name_or_a_number_for_a_name():
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    for table in (twice, pa.table([[1], [2]], names=["a", "a"])):
        with pytest.raises(ParameterError, match="different names"):
            read_table(table)
    numbered = pd.DataFrame({0: [5], 1: [1]})
    assert Sample.read(numbered, x="0", y="1", domain=DOMAIN).points.tolist() == [5]
    assert Sample.read(numbered, x="1", y="1", domain=DOMAIN).ones.tolist() == [1]


@pytest.mark.parametrize("table", [3, None, np.zeros((2, 2)), object()])
def test_what_is_no_table(table):
    with pytest.raises(ParameterError, match="read_table must be a path"):
        read_table(table)


def test_a_read_table_can_be_read_again(tmp_path):
    table = read_table(write_csv(base_table(), tmp_path / "t.csv"))
    first = read(table, DOMAIN)
    gc.collect()
    assert multiset(read(table, DOMAIN)) == multiset(first)


@pytest.mark.more
def test_more_groups_than_memory(monkeypatch):
    """The engine spills into a folder that only this user can read, and still counts all."""
    n = 600_000
    monkeypatch.setattr(engine, "MEMORY_LIMIT", "30MB")
    folders = []
    made = tempfile.mkdtemp
    monkeypatch.setattr(tempfile, "mkdtemp", lambda **kw: folders.append(made(**kw)) or folders[-1])
    table = pa.table({"x": np.arange(n), "y": np.arange(n) % 2})
    where = {"x": "x", "y": "y", "domain": IntegerDomain(0, n), "need": "batches", "large": 1}
    try:
        engine._database.cache_clear()
        engine._spill_folder.cache_clear()
        sample = stored(table, **where)
        assert (sample.n, len(sample.points), sample.positives) == (n, n, n // 2)
        (folder,) = (each for each in folders if "spill" in each)
        assert Path(folder).stat().st_mode & 0o077 == 0
        engine._database.cache_clear()
        engine.connect().execute("SET temp_directory = ''")  # a control: it did need to spill
        with pytest.raises(DataError, match="free space"):
            stored(table, **where)
    finally:
        engine._database.cache_clear()


@pytest.mark.more
def test_the_interpreter_leaves_in_silence():
    """DuckDB's binding reports objects that narwhals' caches keep alive: here none is left."""
    code = (
        "from littlestone.data import *\n"
        "table = {'x': ['1', 'x'], 'y': [1, 0]}\n"
        "print(Sample.read(table, x='x', y='y', domain=IntegerDomain(1, 9)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "Sample(n=2)\n"
    assert done.stderr == ""


@pytest.mark.more
def test_engines_load_only_when_a_table_is_read():
    code = (
        "import sys, littlestone.data as d\n"
        "d.Sample.of([1, 2], [0, 1])\n"
        "print([m for m in ('duckdb', 'pyarrow', 'narwhals', 'pandas') if m in sys.modules])\n"
        "d.read_table, d.read_points, d.Table\n"
        "try:\n    d.nothing\nexcept AttributeError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "[]",
        "module 'littlestone.data' has no attribute 'nothing'",
    ]


SPILLING = """
import os, signal, sys
from pathlib import Path
from littlestone.data import containers as engine
if sys.argv[1] == "other":
    engine.connect()
    print(*[path.name for path in Path(os.environ["TMPDIR"]).glob("littlestone-spill-*")])
    sys.exit()
engine.connect()
folder = Path(engine._spill_folder(":memory:", os.getpid()))
(folder / "duckdb_temp").write_text("Jane Roe")
print(folder.name, flush=True)
sys.stdin.read() if sys.argv[1] == "waits" else os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.more
def test_what_a_killed_run_spilled_is_removed_by_the_next(tmp_path):
    """Of this account, and of no process that lives; a folder without a lock is left alone."""
    pytest.importorskip("fcntl", reason="Windows has no such locks")
    (tmp_path / "littlestone-spill-empty").mkdir()
    environment = os.environ | {"TMPDIR": str(tmp_path)}

    def start(how):
        ask = [sys.executable, "-c", SPILLING, how]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        return subprocess.Popen(ask, env=environment, **pipes)

    with start("waits") as living:
        kept = living.stdout.readline().strip()
        with start("dies") as killed:
            left = killed.stdout.readline().strip()
        assert (tmp_path / left / "duckdb_temp").read_text() == "Jane Roe"
        with start("other") as other:
            found = set(other.stdout.read().split())
        assert {kept, "littlestone-spill-empty"} < found
        assert left not in found
        assert len(found) == 3  # and its own
        assert (tmp_path / kept / "duckdb_temp").exists()
        living.stdin.close()
    assert not (tmp_path / kept).exists()


@pytest.mark.more
def test_a_forked_process_leaves_what_its_parent_spills(tmp_path):
    if not hasattr(os, "fork"):
        pytest.skip("Windows does not fork")
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from littlestone.data import containers as engine\n"
        "folder = Path(engine._spill_folder(':memory:', os.getpid()))\n"
        "child = os.fork()\n"
        "if not child:\n    sys.exit()\n"
        "os.waitpid(child, 0)\n"
        "print(folder.exists())"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout == "True\n"
    assert not list(tmp_path.iterdir())
