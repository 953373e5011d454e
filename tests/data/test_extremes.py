"""Extremes of samples: the same from counts and from one pass over columns, in any order."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from littlestone.data import IntegerDomain, Sample, read_table
from littlestone.data.domains import Itself
from littlestone.data.read import LARGE, read
from littlestone.data.stored import OnLine, Stored, Unread
from littlestone.errors import DataError, ParameterError

TYPES = [pa.int8(), pa.uint8(), pa.int16(), pa.int32(), pa.int64(), pa.uint64()]
DOMAINS = [IntegerDomain(0, 2**64 - 1), IntegerDomain(-5, 7), IntegerDomain(3, 2**70)]
DOMAINS += [IntegerDomain(2**66, 2**67), IntegerDomain(-(2**70), -(2**65))]


def read_extremes(table, **where):
    return read(table, need="extremes", **where)


def cells(rng, kind, n):
    """Columns with nulls, repeated values, and the bounds of their type."""
    signed = pa.types.is_signed_integer(kind)
    low, high = ((-1 << kind.bit_width - 1) if signed else 0), (1 << kind.bit_width - signed) - 1
    pool = [low, high, 0, 3, 5, 7, 8, None] + ([-1, -5, -6] if signed else [])
    return pa.array([pool[i] for i in rng.integers(0, len(pool), n)], kind)


def same(a, b, most):
    """Whether two extremes agree, as far as they are promised."""
    assert (a.n, a.inside, a.outside) == (b.n, b.inside, b.outside)
    for one, other, n in ((a.zeros, b.zeros, a.inside[0]), (a.ones, b.ones, a.inside[1])):
        assert min(len(one), len(other)) >= min(most, n)
        assert one[:most].tolist() == other[:most].tolist()


@pytest.mark.first(1)
@pytest.mark.parametrize("kind", TYPES, ids=str)
@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_one_pass_says_what_counting_says(kind, domain):
    rng = np.random.default_rng(kind.bit_width)
    for n, labels in ((1, pa.int8()), (60, pa.bool_()), (200, pa.uint64())):
        y = [[0, 1, None][i] for i in rng.integers(0, 3, n)]
        table = pa.table({"x": cells(rng, kind, n), "y": pa.array(y, pa.int8()).cast(labels)})
        for most in (1, 7, 500):
            fast = read_extremes(table, x="x", y="y", domain=domain, most=most)
            plain = Sample.read(table, x="x", y="y", domain=domain)
            assert isinstance(fast, Unread)
            same(fast.extremes(most), plain.extremes(most), most)
            same(fast.extremes(3 * most), plain.extremes(3 * most), 3 * most)
            assert fast.points.tolist() == plain.points.tolist()
            assert (fast.zeros.tolist(), fast.ones.tolist()) == (
                plain.zeros.tolist(),
                plain.ones.tolist(),
            )


@pytest.mark.parametrize("order", ["up", "down", "mixed", "equal"])
def test_any_order_of_rows(order, monkeypatch):
    rng = np.random.default_rng(5)
    x = rng.integers(0, 10**6, 30_000)
    x = {"up": np.sort(x), "down": np.sort(x)[::-1], "mixed": x, "equal": x * 0 + 7}[order]
    y = rng.random(len(x)) < 0.4
    for most in (1, 50, 3000, 40_000):
        monkeypatch.setattr("littlestone.data.tables._ROWS", 999)
        table = {"x": x, "y": y.astype(np.int8)}
        sample = read_extremes(table, x="x", y="y", domain=IntegerDomain(0, 10**6), most=most)
        found = sample.extremes(most)
        assert found.zeros[:most].tolist() == np.sort(x[~y])[::-1][:most].tolist()
        assert found.ones[:most].tolist() == np.sort(x[y])[:most].tolist()
        assert (found.inside, found.n) == (((~y).sum(), y.sum()), len(x))


@pytest.mark.parametrize("piece", [1, 7, 1000])
def test_points_that_are_stored(piece, monkeypatch):
    """From batches of any size, also with points that many records share."""
    rng = np.random.default_rng(piece)
    points = np.sort(rng.choice(10**6, 400, replace=False))
    zeros, ones = (rng.integers(0, high, 400) * (rng.random(400) < 0.3) for high in (4, 10**9))
    kept, line = zeros + ones > 0, OnLine(Itself(10**6))
    monkeypatch.setattr("littlestone.data.stored._COUNTS", 2 * piece)
    plain = Sample.binary(points[kept], zeros[kept], ones[kept], (3, 5))
    stored = Stored.kept(plain, line)
    for most in (1, 9, 10_000):
        same(stored.extremes(most), plain.extremes(most), most)
    assert "counted" not in vars(stored)
    empty = np.zeros(0, dtype=np.int64)
    none = Stored.kept(Sample.binary(empty, empty, empty, (2, 1)), line)
    assert (none.extremes(3).n, none.extremes(3).zeros.tolist()) == (3, [])


@pytest.mark.more
def test_what_can_be_streamed(tmp_path):
    table = pa.table({"x": [3, 9, None, 5], "y": [0, 1, 1, 1]})
    pq.write_table(table, tmp_path / "t.parquet")
    domain, connection = IntegerDomain(1, 9), duckdb.connect()
    connection.register("t", table)
    plain = Sample.read(table, x="x", y="y", domain=domain)
    forms = [tmp_path / "t.parquet", table, table.to_pandas(), pl.from_arrow(table)]
    streamed = [True, True, True, True]  # pandas makes floats of whole numbers with a null
    for form, streams in zip(
        [*forms, connection.table("t"), read_table(table)], [*streamed, True, True], strict=True
    ):
        found = read_extremes(form, x="x", y="y", domain=domain, most=2)
        assert isinstance(found, Unread) == streams
        same(found.extremes(2), plain.extremes(2), 2)
    lazy = read_extremes(pl.from_arrow(table).lazy(), x="x", y="y", domain=domain, most=2)
    assert not isinstance(lazy, Unread)
    same(lazy.extremes(2), plain.extremes(2), 2)
    texts = pd.DataFrame({"x": ["3", "9", "", "5"], "y": [0, 1, 1, 1]})
    found = read_extremes(texts, x="x", y="y", domain=domain, most=2)
    assert not isinstance(found, Unread)
    same(found.extremes(2), plain.extremes(2), 2)
    many = {"x": (np.arange(LARGE) % 900).astype(str), "y": np.arange(LARGE) % 900 > 440}
    found = read_extremes(many, x="x", y="y", domain=IntegerDomain(0, 2**40), most=2)
    assert isinstance(found, Stored)
    plain = Sample.read(many, x="x", y="y", domain=IntegerDomain(0, 2**40))
    same(found.extremes(2000), plain.extremes(2000), 2000)


@pytest.mark.parametrize("positive", [0, 1, True, "1.0", "true", 2, "x", 2.5, "1e400", 300])
def test_labels(positive):
    table = pa.table({"x": [1, 2, 3], "y": pa.array([0, 1, 2], pa.int8())})
    domain = IntegerDomain(1, 9)
    fast = read_extremes(table, x="x", y="y", domain=domain, most=3, positive=positive)
    plain = Sample.read(table, x="x", y="y", domain=domain, positive=positive)
    assert isinstance(fast, Unread)
    same(fast.extremes(3), plain.extremes(3), 3)


def test_refusals_are_those_of_reading():
    domain = IntegerDomain(1, 9)
    empty = pa.table({"x": pa.array([], pa.int64()), "y": pa.array([], pa.int64())})
    assert read_extremes(empty, x="x", y="y", domain=domain, most=3).n == 0
    table = pa.table({"x": [1, 10], "y": [0, 1]})
    with pytest.raises(ParameterError, match="no column 'z'"):
        read_extremes(table, x="z", y="y", domain=domain, most=3)
    with pytest.raises(DataError, match="in \\[1, 9\\]"):
        read_extremes(table, x="x", y="y", domain=domain, most=3, strict=True)
    with pytest.raises(ParameterError, match="positive"):
        read_extremes(table, x="x", y="y", domain=domain, most=3, positive=None)


def test_none_is_asked_for():
    table = pa.table({"x": [5, 3, None, 8], "y": [0, 1, 1, 0]})
    for need in ("all", "extremes"):
        found = read(table, x="x", y="y", domain=IntegerDomain(1, 9), need=need, most=0)
        extremes = found.extremes(0)
        assert not len(extremes.zeros)
        assert not len(extremes.ones)
        assert (extremes.inside, extremes.outside) == ((2, 1), (0, 1))
