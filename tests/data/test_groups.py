"""The short ways of sorting points and groups give what the long ways give."""

from collections import Counter

import numpy as np
import pytest

from littlestone.data import UserSample
from littlestone.data.domains import distinct
from littlestone.data.targets import merge
from littlestone.source import public_generator


@pytest.mark.parametrize("bits", [1, 20, 40, 55, 58, 61])
@pytest.mark.parametrize("low", [0, -5, 2**40, -(2**61)])
def test_distinct_integers(bits, low):
    rng = public_generator(bits)
    for size in (1, 2, 50, 2000):
        values = low + rng.integers(0, 2**bits, size)
        values = np.concatenate([values, values[: size // 2]])
        keys, where = distinct(values)
        expected, at = np.unique(values, return_inverse=True)
        assert keys.tolist() == expected.tolist()
        assert where.tolist() == at.tolist()


@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("width", [4, 2**61])
def test_merge(most, width):
    rng = public_generator(most)
    for size in (1, 5, 300):
        user, label = rng.integers(0, 9, size), rng.integers(0, 2, size).astype(np.int8)
        point, count = rng.integers(-1, width, size), rng.integers(1, most + 1, size)
        expected = Counter()
        for one in zip(user.tolist(), point.tolist(), label.tolist(), count.tolist(), strict=True):
            expected[one[:3]] += one[3]
        *keys, counts = merge(user, point, label, count)
        found = list(zip(*(key.tolist() for key in keys), strict=True))
        assert found == sorted(expected)
        assert counts.tolist() == [expected[key] for key in found]
        assert keys[2].dtype == np.int8


def test_a_user_may_have_no_records():
    one = UserSample.of(["a", "c"], [3, 4], [1, 1])
    keys = np.concatenate([one.keys, one.keys[:1] + np.uint64(1)])
    three = UserSample(one.points, np.array([0, 2]), one.point, one.label, one.count, keys)
    assert three.records.tolist() == [1, 0, 1]
    assert three.bound_contributions(1, salt=3).records.tolist() == [1, 0, 1]
