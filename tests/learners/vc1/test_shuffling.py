"""Shuffling only the records that can be extreme: the law of a full permutation, exactly."""

from collections import Counter
from fractions import Fraction as F
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest

import littlestone as ls
from littlestone.classes.trees import make_tree
from littlestone.data import OUTSIDE, Sample
from littlestone.data.read import read
from littlestone.data.sample import OrderedSample, shuffle, written_out
from littlestone.data.stored import Unread
from littlestone.learners import vc1 as chunks_module
from littlestone.learners.running import read_sample
from littlestone.learners.vc1 import VC1, chunk_ends, extreme_ends, shuffled_extremes
from littlestone.source import ExactSource, ReplaySource, SeededSource

NUMBERS = {"epsilon": 1, "delta": 1e-6, "alpha": 0.1, "beta": 0.05}


class Drawn:
    """A source whose permutations are drawn entry by entry, so that all of them are enumerated."""

    def __init__(self, inner):
        self.inner = inner

    def permutation(self, n, first=None):
        left = list(range(n))
        few = n if first is None else first
        return np.array([left.pop(self.inner.below(len(left))) for _ in range(few)], dtype=np.int64)


LISTS = [
    ([2, 5, 8, 3], [0, 0, 1, 1]),
    ([2, 5, 5, 3], [0, 1, 0, 1]),
    ([1, 1, 7, OUTSIDE], [0, 0, 1, 1]),
    ([OUTSIDE, OUTSIDE, 4, 9], [1, 0, 1, 0]),
    ([9, 8, 7, 6], [0, 0, 0, 0]),
    ([3], [1]),
]


@pytest.mark.parametrize("look", [1, 2, 100])  # 1: several looks are needed
@pytest.mark.parametrize("chunks", [1, 2, 3, 5])
@pytest.mark.parametrize("data", LISTS, ids=str)
def test_the_law_is_that_of_a_full_permutation(data, chunks, look, monkeypatch):
    monkeypatch.setattr(chunks_module, "first_look", lambda _: look)
    points, labels = data
    tree = make_tree(ls.Thresholds(1, 9))
    ordered = OrderedSample.listed(points, labels)
    plain = Sample.binary(ordered.points, ordered.zeros, ordered.ones, ordered.outside)
    law = ExactSource().law(
        lambda source: tuple(extreme_ends(shuffled_extremes(plain, chunks, Drawn(source)), tree))
    )
    orders = list(permutations(range(len(points))))
    expected = Counter(
        tuple(chunk_ends(tree, ordered, ordered.kinds[list(order)], chunks)) for order in orders
    )
    assert set(law.outcomes) == set(expected)
    for outcome, times in expected.items():
        share = F(times, len(orders))
        assert abs(float(law.outcomes[outcome]) - float(share)) < 1e-15


def test_looks_at_few_records_of_many():
    """The places that are drawn belong to one permutation: its chunks have the ends found."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 10**4, 200_000)
    sample = Sample.of(x, (x > 4000) ^ (rng.random(len(x)) < 0.001))
    tree, chunks, drawn = make_tree(ls.Thresholds(0, 10**4)), 300, []

    class Kept(SeededSource):
        def permutation(self, n, first=None):
            places = super().permutation(n, first)
            drawn.append(places)
            return places

    found = extreme_ends(shuffled_extremes(sample, chunks, Kept(1)), tree)
    (places,) = drawn
    assert len(places) < 0.1 * sample.n
    # write the permutation out: the places that were drawn, and any others for the other records
    kinds = written_out(sample)
    zeros, ones = kinds[kinds % 2 == 0][::-1], kinds[kinds % 2 == 1]
    look = len(places) // 2
    order = np.full(sample.n, -1)
    order[places] = np.concatenate([zeros[:look], ones[:look]])
    order[order < 0] = rng.permutation(np.concatenate([zeros[look:], ones[look:]]))
    assert found == chunk_ends(tree, sample, order, chunks)


@pytest.mark.first(1)
@pytest.mark.parametrize("method", ["one-shot", "median-exponential", "median-tree"])
def test_equal_weights_at_the_door(method):
    """A table that is only read for its extremes shows the weights of a table that is counted."""
    rng = np.random.default_rng(3)
    n = 30_000
    x = rng.integers(0, 2**63, n).astype(np.uint64) * 2
    table = pa.table({"x": x, "y": (x > 2**63).astype(np.int8)})
    cls = ls.Thresholds(0, 2**64 - 1)
    algorithm = VC1(cls, **NUMBERS, method=method)
    fast = read(table, x="x", y="y", domain=cls.domain, need="extremes", most=algorithm.extremes)
    plain = Sample.read(table, x="x", y="y", domain=cls.domain)
    assert isinstance(fast, Unread)
    answers = [0] * 9
    seen = []
    for sample in (fast, plain):
        source = ReplaySource(answers)
        hypothesis = algorithm.draw(sample, source)
        seen.append((hypothesis, source.presented))
    assert seen[0] == seen[1]
    # and the weights of records that are written out one by one, in the order that was shuffled
    kinds = shuffle(plain, ReplaySource([]))
    zeros, ones = kinds[kinds % 2 == 0][::-1], kinds[kinds % 2 == 1]
    listed = np.concatenate([zeros, ones])  # the identity gives the first places to the zeros
    ordered = OrderedSample(plain.points, plain.counts, plain.outside, plain.costs, listed)
    source = ReplaySource(answers)
    assert algorithm.draw(ordered, source) == seen[0][0]
    assert source.presented[1:] == seen[0][1][1:]
    assert (source.presented[0], seen[0][1][0][:2]) == (("permutation", n), ("permutation", n))


def test_only_thresholds_ask_for_tails():
    thresholds = VC1(ls.Thresholds(0, 2**64 - 1), **NUMBERS)
    assert thresholds.extremes > 8192
    assert VC1(ls.Points(), **NUMBERS).extremes is None
    table = pa.table({"x": [1, 2, 3], "y": [0, 1, 1]})
    assert isinstance(read_sample(thresholds, table, x="x", y="y"), Unread)
    other = VC1(ls.Points(1, 9), **NUMBERS)
    assert not isinstance(read_sample(other, table, x="x", y="y"), Unread)
