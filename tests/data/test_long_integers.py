"""Domains of more than 62 bits: numbers that are converted at once, and one by one, agree."""

import numpy as np
import pyarrow as pa
import pytest

from littlestone.data import OUTSIDE, IntegerDomain, Sample
from littlestone.data.domains import distinct
from littlestone.errors import DataError

DOMAINS = [IntegerDomain(0, 2**64 - 1), IntegerDomain(-(2**63), 9), IntegerDomain(2**62, 2**80)]
POOL = [0, 1, 9, 10, 2**62, 2**63 - 1, None]


@pytest.mark.parametrize("domain", DOMAINS, ids=str)
@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64()], ids=str)
def test_tables(domain, kind):
    rng = np.random.default_rng(0)
    extra = [-1, -(2**63)] if kind == pa.int64() else [2**64 - 1, 2**63]
    x = [(POOL + extra)[i] for i in rng.integers(0, len(POOL) + 2, 300)]
    y = rng.integers(0, 2, 300).tolist()
    fast = Sample.read(pa.table({"x": pa.array(x, kind), "y": y}), x="x", y="y", domain=domain)
    texts = [None if v is None else str(v) for v in x]
    slow = Sample.read(pa.table({"x": texts, "y": y}), x="x", y="y", domain=domain)
    assert fast.points.dtype == slow.points.dtype
    for name in ("points", "zeros", "ones"):
        assert getattr(fast, name).tolist() == getattr(slow, name).tolist()
    assert fast.outside == slow.outside
    assert fast.points.tolist() == sorted(
        {v for v in x if v is not None and domain.cell(v) is not OUTSIDE}
    )


def test_arrays():
    domain = DOMAINS[0]
    x = np.array([2**64 - 1, 5, 2**64 - 1, 0], dtype=np.uint64)
    sample = Sample.from_arrays(x, [1, 0, 1, 0], domain)
    assert sample.points.tolist() == [0, 5, 2**64 - 1]
    assert [type(point) for point in sample.points.tolist()] == [int] * 3
    assert sample.ones.tolist() == [0, 0, 2]
    with pytest.raises(DataError, match="integer in"):
        Sample.from_arrays(np.array([-1]), [0], domain)
    with pytest.raises(DataError, match="integer in"):
        Sample.from_arrays(x, [0] * 4, IntegerDomain(0, 2**63))


@pytest.mark.parametrize(
    "points",
    [[2**63, 3, 2**63], [2**64, 3, 3], [-1, 2**63], [True, 2**63, 1], ["a", 2**63], [5, 5]],
)
def test_distinct_objects(points):
    held = np.empty(len(points), dtype=object)
    held[:] = points
    keys, where = distinct(held)
    assert keys[where].tolist() == points
    assert len(set(keys.tolist())) == len(keys) == len(set(points))
