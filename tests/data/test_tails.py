"""Tails of samples: the same from counts and from one pass over columns, in any order of rows."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from littlestone.data import IntegerDomain, Sample, read_table
from littlestone.data.streams import LARGE, read_tails
from littlestone.data.swept import Held, Part, SweptSample
from littlestone.data.tails import TailSample, gather, tails_of
from littlestone.errors import DataError, ParameterError

TYPES = [pa.int8(), pa.uint8(), pa.int16(), pa.int32(), pa.int64(), pa.uint64()]
DOMAINS = [IntegerDomain(0, 2**64 - 1), IntegerDomain(-5, 7), IntegerDomain(3, 2**70)]
DOMAINS += [IntegerDomain(2**66, 2**67), IntegerDomain(-(2**70), -(2**65))]


def cells(rng, kind, n):
    """Columns with nulls, repeated values, and the bounds of their type."""
    signed = pa.types.is_signed_integer(kind)
    low, high = ((-1 << kind.bit_width - 1) if signed else 0), (1 << kind.bit_width - signed) - 1
    pool = [low, high, 0, 3, 5, 7, 8, None] + ([-1, -5, -6] if signed else [])
    return pa.array([pool[i] for i in rng.integers(0, len(pool), n)], kind)


def same(a, b, most):
    """Whether two tails agree, as far as they are promised."""
    assert (a.n, a.outside) == (b.n, b.outside)
    for one, other in ((a.zeros, b.zeros), (a.ones, b.ones)):
        assert one.count == other.count
        assert min(len(one.points), len(other.points)) >= min(most, one.count)
        assert one.points[:most].tolist() == other.points[:most].tolist()


@pytest.mark.first(4)
@pytest.mark.parametrize("kind", TYPES, ids=str)
@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_one_pass_says_what_counting_says(kind, domain):
    rng = np.random.default_rng(kind.bit_width)
    for n, labels in ((1, pa.int8()), (60, pa.bool_()), (200, pa.uint64())):
        y = [[0, 1, None][i] for i in rng.integers(0, 3, n)]
        table = pa.table({"x": cells(rng, kind, n), "y": pa.array(y, pa.int8()).cast(labels)})
        for most in (1, 7, 500):
            fast = read_tails(table, x="x", y="y", domain=domain, most=most)
            plain = Sample.read(table, x="x", y="y", domain=domain)
            assert isinstance(fast, TailSample)
            same(fast.tails(most), tails_of(plain, most), most)
            same(tails_of(fast, 3 * most), tails_of(plain, 3 * most), 3 * most)
            assert fast.points.tolist() == plain.points.tolist()
            assert (fast.zeros.tolist(), fast.ones.tolist()) == (
                plain.zeros.tolist(),
                plain.ones.tolist(),
            )


@pytest.mark.parametrize("order", ["up", "down", "mixed", "equal"])
def test_any_order_of_rows(order):
    rng = np.random.default_rng(5)
    x = rng.integers(0, 10**6, 30_000)
    x = {"up": np.sort(x), "down": np.sort(x)[::-1], "mixed": x, "equal": x * 0 + 7}[order]
    y = rng.random(len(x)) < 0.4
    for most in (1, 50, 3000, 40_000):
        pieces = [slice(i, i + 999) for i in range(0, len(x), 999)]
        found = gather(iter([(x[p], None, y[p]) for p in pieces]), most)
        assert found.zeros.points.tolist() == np.sort(x[~y])[::-1][:most].tolist()
        assert found.ones.points.tolist() == np.sort(x[y])[:most].tolist()
        assert (found.zeros.count, found.ones.count, found.n) == ((~y).sum(), y.sum(), len(x))


@pytest.mark.parametrize("piece", [1, 7, 1000])
def test_points_that_are_swept(piece):
    """From parts of any size, also with points that many records share."""
    rng = np.random.default_rng(piece)
    points = np.sort(rng.choice(10**6, 400, replace=False))
    zeros, ones = (rng.integers(0, high, 400) * (rng.random(400) < 0.3) for high in (4, 10**9))
    held, kept = Held(), zeros + ones > 0
    for start in range(0, 400, piece):
        there = np.flatnonzero(kept[start : start + piece]) + start
        held.add(Part(points[there], zeros[there], ones[there]))
    swept, plain = SweptSample(held, (3, 5)), Sample(points[kept], zeros[kept], ones[kept], (3, 5))
    for most in (1, 9, 10_000):
        same(tails_of(swept, most), tails_of(plain, most), most)
    assert "_counted" not in vars(swept)
    none = SweptSample(Held(), (2, 1))
    assert (tails_of(none, 3).n, tails_of(none, 3).zeros.points.tolist()) == (3, [])


def test_what_can_be_streamed(tmp_path):
    table = pa.table({"x": [3, 9, None, 5], "y": [0, 1, 1, 1]})
    pq.write_table(table, tmp_path / "t.parquet")
    domain, connection = IntegerDomain(1, 9), duckdb.connect()
    connection.register("t", table)
    plain = Sample.read(table, x="x", y="y", domain=domain)
    forms = [tmp_path / "t.parquet", table, table.to_pandas(), pl.from_arrow(table)]
    streamed = [True, True, False, True]  # pandas makes floats of whole numbers with a null
    for form, streams in zip(
        [*forms, connection.table("t"), read_table(table)], [*streamed, True, True], strict=True
    ):
        found = read_tails(form, x="x", y="y", domain=domain, most=2)
        assert isinstance(found, TailSample) == streams
        same(tails_of(found, 2), tails_of(plain, 2), 2)
    lazy = read_tails(pl.from_arrow(table).lazy(), x="x", y="y", domain=domain, most=2)
    assert not isinstance(lazy, TailSample)
    same(tails_of(lazy, 2), tails_of(plain, 2), 2)
    texts = pd.DataFrame({"x": ["3", "9", "", "5"], "y": [0, 1, 1, 1]})
    same(tails_of(read_tails(texts, x="x", y="y", domain=domain, most=2), 2), tails_of(plain, 2), 2)
    many = {"x": np.arange(LARGE) % 900 / 1.0, "y": np.arange(LARGE) % 900 > 440}
    found = read_tails(many, x="x", y="y", domain=IntegerDomain(0, 2**40), most=2)
    assert isinstance(found, SweptSample)
    plain = Sample.read(many, x="x", y="y", domain=IntegerDomain(0, 2**40))
    same(tails_of(found, 2000), tails_of(plain, 2000), 2000)


@pytest.mark.parametrize("positive", [0, 1, True, "1.0", "true", 2, "x", 2.5, "1e400", 300])
def test_labels(positive):
    table = pa.table({"x": [1, 2, 3], "y": pa.array([0, 1, 2], pa.int8())})
    domain = IntegerDomain(1, 9)
    fast = read_tails(table, x="x", y="y", domain=domain, most=3, positive=positive)
    plain = Sample.read(table, x="x", y="y", domain=domain, positive=positive)
    assert isinstance(fast, TailSample)
    same(fast.tails(3), tails_of(plain, 3), 3)


def test_refusals_are_those_of_reading():
    domain = IntegerDomain(1, 9)
    empty = pa.table({"x": pa.array([], pa.int64()), "y": pa.array([], pa.int64())})
    with pytest.raises(DataError, match="no rows"):
        read_tails(empty, x="x", y="y", domain=domain, most=3)
    table = pa.table({"x": [1, 10], "y": [0, 1]})
    with pytest.raises(ParameterError, match="no column 'z'"):
        read_tails(table, x="z", y="y", domain=domain, most=3)
    with pytest.raises(DataError, match="in \\[1, 9\\]"):
        read_tails(table, x="x", y="y", domain=domain, most=3, strict=True)
    with pytest.raises(ParameterError, match="positive"):
        read_tails(table, x="x", y="y", domain=domain, most=3, positive=None)
