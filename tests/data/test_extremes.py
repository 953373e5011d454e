"""Extreme points by the engine against a reading by hand; which tables are read at all."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import littlestone as ls
from littlestone.data import IntegerDomain, Sample
from littlestone.data.extremes import read_extremes, row_count
from littlestone.errors import ParameterError
from littlestone.learners.vc1 import VC1
from littlestone.source import ReplaySource, SeededSource

KINDS = [
    (pa.uint64(), 0, 2**64 - 1),
    (pa.int64(), -(2**63), 2**63 - 1),
    (pa.int8(), -128, 127),
    (pa.int32(), -(2**31), 2**31 - 1),
]


def write(path, points, labels, kind, label_kind=None):
    table = pa.table({"the point": pa.array(points, kind), "y": pa.array(labels, label_kind)})
    pq.write_table(table, path, row_group_size=37)
    return path


def random_table(rng, n, low, high):
    span = high - low
    points = [low + int(rng.integers(0, 2**62)) * span // 2**62 for _ in range(n)]
    points[0], points[1] = low, high
    for i in rng.integers(0, n, n // 20):
        points[i] = None
    labels = [int(x is not None and x > low + span // 3) ^ int(rng.random() < 0.02) for x in points]
    labels[5] = None
    return points, labels


@pytest.mark.parametrize(("kind", "low", "high"), KINDS, ids=str)
def test_extremes_are_those_of_the_rows(tmp_path, kind, low, high):
    rng, n, chunks = np.random.default_rng(0), 500, 23
    points, labels = random_table(rng, n, low, high)
    path = write(tmp_path / "t.parquet", points, labels, kind)
    for domain in (IntegerDomain(low, high), IntegerDomain(low + 5, high - 7), IntegerDomain(0, 9)):
        found = read_extremes(
            path,
            x="the point",
            y="y",
            domain=domain,
            positive=1,
            chunks=chunks,
            source=SeededSource(3),
        )
        # the public key, as the code draws it
        assert found.n == n
        zeros, ones, outside = by_hand(points, labels, domain, chunks, n, SeededSource(3))
        assert list(found.zeros) == zeros
        assert list(found.ones) == ones
        assert list(found.outside) == outside


def by_hand(points, labels, domain, chunks, n, source):
    from littlestone.data.extremes import _key

    a, b = _key(n, source)
    assert sorted((a * row + b) % n for row in range(n)) == list(range(n))
    parts = [[] for _ in range(chunks)]
    for row, (x, y) in enumerate(zip(points, labels, strict=True)):
        inside = x is not None and domain.low <= x <= domain.high
        parts[(a * row + b) % n * chunks // n].append((x if inside else None, int(y == 1)))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    zeros = [max((x for x, y in p if x is not None and not y), default=None) for p in parts]
    ones = [min((x for x, y in p if x is not None and y), default=None) for p in parts]
    return zeros, ones, [any(x is None and y for x, y in p) for p in parts]


@pytest.mark.parametrize(
    ("labels", "kind", "positive", "expected"),
    [
        ([True, False, None], pa.bool_(), 1, [1, 0, 0]),
        ([True, False, None], pa.bool_(), "false", [0, 1, 0]),
        ([1, 0, 2], pa.int8(), "2", [0, 0, 1]),
        ([1, 0, 2], pa.int64(), 1.0, [1, 0, 0]),
        ([1, 0, 2], pa.int64(), "yes", [0, 0, 0]),
        ([1, 0, 2], pa.uint8(), -1, [0, 0, 0]),
        ([1, 0, 2], pa.int8(), 2**70, [0, 0, 0]),
    ],
)
def test_labels_are_those_of_the_ordinary_reader(tmp_path, labels, kind, positive, expected):
    path = write(tmp_path / "t.parquet", [10, 20, 30], labels, pa.int64(), kind)
    found = read_extremes(
        path, x="the point", y="y", domain=IntegerDomain(1, 99), positive=positive, chunks=1,
        source=SeededSource(0),
    )  # fmt: skip
    points = np.array([10, 20, 30])
    ones = points[np.array(expected) == 1]
    zeros = points[np.array(expected) == 0]
    assert found.ones[0] == (ones.min() if len(ones) else None)
    assert found.zeros[0] == (zeros.max() if len(zeros) else None)
    sample = Sample.read(path, x="the point", y="y", domain=IntegerDomain(1, 99), positive=positive)
    assert sample.ones.tolist() == expected


def test_other_tables_are_left_to_the_ordinary_reader(tmp_path):
    good = write(tmp_path / "good.parquet", [1, 2], [0, 1], pa.int64())
    assert row_count(good, "the point", "y") == 2
    text = write(tmp_path / "text.parquet", ["1", "2"], [0, 1], pa.string())
    words = write(tmp_path / "words.parquet", [1, 2], ["no", "yes"], pa.int64())
    floats = write(tmp_path / "floats.parquet", [1.0, 2.0], [0, 1], pa.float64())
    empty = write(tmp_path / "empty.parquet", [], [], pa.int64(), pa.int64())
    twins = tmp_path / "twins.parquet"
    pq.write_table(pa.table({"the point": [1], "y": [1], "Y": [2]}), twins)
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 Jane Roe")
    for path in (text, words, floats, empty, twins, broken, tmp_path / "none.parquet"):
        assert row_count(path, "the point", "y") is None
    assert row_count(good, "another", "y") is None
    assert row_count(pa.table({"x": [1]}), "x", "y") is None
    numbers = {"domain": IntegerDomain(1, 9), "chunks": 1, "source": SeededSource(0)}
    with pytest.raises(ParameterError, match="Parquet"):
        read_extremes(text, x="the point", y="y", positive=1, **numbers)
    with pytest.raises(ParameterError, match="positive"):
        read_extremes(good, x="the point", y="y", positive=None, **numbers)


def test_the_weights_at_the_door_are_those_of_the_sample(tmp_path):
    """As many chunks as records: then the sample says the same, however it is dealt."""
    rng, n = np.random.default_rng(1), 300
    domain = ls.Thresholds(0, 2**64 - 1)
    points = [int(rng.integers(0, 2**63)) * 2 + 1 for _ in range(n)]
    labels = [int(x > 2**62) for x in points]
    path = write(tmp_path / "t.parquet", points, labels, pa.uint64())
    for method in ("one-shot", "median-exponential", "median-tree"):
        algorithm = VC1.of(
            domain, epsilon=1, delta=1e-6, alpha=0.1, beta=0.05, method=method, chunks=n
        )
        extremes = read_extremes(
            path, x="the point", y="y", domain=domain.domain, positive=1, chunks=n,
            source=SeededSource(0),
        )  # fmt: skip
        sample = Sample.read(path, x="the point", y="y", domain=domain.domain, positive=1)
        shown = []
        for read in (extremes, sample):
            source = ReplaySource([1, 0, 0, 0])
            algorithm.learn(read, source)
            shown.append([view for view in source.shown if view[0] != "permutation"])
        assert shown[0] == shown[1]


def test_read_takes_large_tables_of_thresholds_only(tmp_path):
    path = write(tmp_path / "t.parquet", list(range(1, 9001)), [0] * 9000, pa.int64())
    numbers = {"epsilon": 1, "delta": 1e-6, "alpha": 0.1, "beta": 0.05}
    where = {"x": "the point", "y": "y", "positive": 1, "source": SeededSource(0)}
    found = VC1.of(ls.Thresholds(1, 9000), **numbers).read(path, **where)
    assert (found.n, len(found.zeros), repr(found)) == (9000, 8192, "Extremes(n=9000, chunks=8192)")
    assert VC1.of(ls.Points(1, 9000), **numbers).read(path, **where) is None
    assert VC1.of(ls.Thresholds(1, 1), **numbers).read(path, **where) is not None
    few = write(tmp_path / "few.parquet", [1, 2], [0, 1], pa.int64())
    assert VC1.of(ls.Thresholds(1, 9000), **numbers).read(few, **where) is None
