"""Shuffling records to parts: positions, multiplicities, and a uniform permutation."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from littlestone.data import OUTSIDE, Sample
from littlestone.data.sample import OrderedSample, part, shuffle, sizes
from littlestone.errors import ParameterError
from littlestone.source import ExactSource, ReplaySource, SeededSource


def records(sample):
    """The multiset of records of a sample."""
    found = Counter()
    for point, zeros, ones in zip(
        sample.points.tolist(), sample.zeros.tolist(), sample.ones.tolist(), strict=True
    ):
        found[point, 0], found[point, 1] = zeros, ones
    found[OUTSIDE, 0], found[OUTSIDE, 1] = sample.outside
    return +found


def listed(rng, n):
    pool = [3, 5, 2**70, -1, OUTSIDE]
    return [
        (pool[i], int(y)) for i, y in zip(rng.integers(0, 5, n), rng.integers(0, 2, n), strict=True)
    ]


def test_an_ordered_sample_counts_like_any_other():
    rng = np.random.default_rng(0)
    for n in (0, 1, 7, 40):
        data = listed(rng, n)
        sample = OrderedSample.listed([x for x, _ in data], [y for _, y in data])
        assert sample.n == n
        assert records(sample) == Counter(data)


def test_parts_are_disjoint_and_complete():
    rng = np.random.default_rng(1)
    data = listed(rng, 50)
    ordered = OrderedSample.listed([x for x, _ in data], [y for _, y in data])
    plain = Sample.binary(ordered.points, ordered.zeros, ordered.ones, ordered.outside)
    for sample in (ordered, plain):
        shuffled = shuffle(sample, SeededSource(3))
        cuts = np.cumsum([0, *sizes(50, 7)])
        parts = [part(sample, shuffled[a:b]) for a, b in pairwise(cuts)]
        assert [p.n for p in parts] == sizes(50, 7)
        assert sum((records(p) for p in parts), Counter()) == Counter(data)


def test_positions_are_kept_under_the_identity():
    data = [(5, 1), (3, 0), (OUTSIDE, 1), (5, 0)]
    sample = OrderedSample.listed([x for x, _ in data], [y for _, y in data])
    shuffled = shuffle(sample, ReplaySource([]))
    for i, record in enumerate(data):
        assert records(part(sample, shuffled[i : i + 1])) == Counter([record])
    law = ExactSource().law(lambda source: tuple(shuffle(sample, source).tolist()))
    assert list(law.outcomes) == [tuple(sample.kinds.tolist())]


def test_one_record_changes_one_position():
    rng = np.random.default_rng(2)
    for _ in range(50):
        data = listed(rng, 9)
        i, new = int(rng.integers(9)), listed(rng, 1)[0]
        other = [*data[:i], new, *data[i + 1 :]]
        mine, theirs = (
            OrderedSample.listed([x for x, _ in d], [y for _, y in d]) for d in (data, other)
        )
        for k in range(9):
            same = records(part(mine, mine.kinds[k : k + 1])) == records(
                part(theirs, theirs.kinds[k : k + 1])
            )
            assert same or k == i


def test_a_secret_permutation_is_uniform():
    """Which of four records comes first, 4000 times: a chi-squared test with fixed seeds."""
    sample = Sample.of([1, 2, 3, 4], [0, 0, 0, 0])
    first = Counter(int(shuffle(sample, SeededSource(seed))[0]) for seed in range(4000))
    assert sum((c - 1000) ** 2 / 1000 for c in first.values()) < 16.3  # 99.9 percent


def test_refusals_and_sizes():
    with pytest.raises(ParameterError, match="same length"):
        OrderedSample.listed([1, 2], [0])
    assert sizes(2, 5) == [1, 1, 0, 0, 0]
    assert part(Sample.of([], []), np.zeros(0, dtype=np.int64)).n == 0
