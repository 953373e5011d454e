"""Intervals: closed forms against definitions spelled out here, and at 2**64."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pytest

import littlestone as ls
from littlestone.classes import UnionHypothesis, load
from littlestone.classes.intervals import ldim_of_spans, on_runs
from littlestone.errors import ParameterError, UnsupportedError


class Textbook:
    """All intervals of 0, ..., n - 1 as bit sets of points, and a class as a set of them."""

    def __init__(self, n):
        self.n = n
        every = {0} | {(1 << b) - (1 << a) for a in range(n) for b in range(a + 1, n + 1)}
        self.every = frozenset(every)
        self.ldim = cache(self._ldim)

    def side(self, concepts, x, y):
        return frozenset(c for c in concepts if c >> x & 1 == y)

    def _ldim(self, concepts):
        if len(concepts) < 2:
            return len(concepts) - 1
        best = 0
        for x in range(self.n):
            zero, one = (self.side(concepts, x, y) for y in (0, 1))
            if zero and one:
                best = max(best, 1 + min(self.ldim(zero), self.ldim(one)))
        return best

    def soa(self, concepts):
        d = self.ldim(concepts)
        return [int(self.ldim(self.side(concepts, x, 0)) < d) for x in range(self.n)]

    def reducibility(self, concepts):
        d, soa = self.ldim(concepts), self.soa(concepts)
        for size in range(1, self.n + 1):
            for chosen in combinations(range(self.n), size):
                rest = concepts
                for x in chosen:
                    rest = self.side(rest, x, soa[x])
                if self.ldim(rest) < d:
                    return size
        return float("inf")


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7])
def test_every_version_space_by_the_definitions(n):
    """All sets of examples: negatives anywhere; or positives and what can be around them."""
    book, whole = Textbook(n), ls.Intervals(0, n - 1).version_space()
    spaces = {book.every: whole}
    waiting = [book.every]
    while waiting:
        concepts = waiting.pop()
        for x in range(n):
            for y in (0, 1):
                rest = book.side(concepts, x, y)
                space = spaces[concepts].restrict(x, y)
                if rest not in spaces:
                    spaces[rest] = space
                    waiting.append(rest)
                assert spaces[rest] == space  # one normal form for one set of intervals
    points = np.arange(n)
    for concepts, space in spaces.items():
        assert space.is_empty == (not concepts)
        assert space.littlestone_dim() == book.ldim(concepts)
        if concepts:
            assert space.soa().predict(points).tolist() == book.soa(concepts)
            assert space.reducibility() == book.reducibility(concepts)


@cache
def levels(gaps):
    """The dimension of the intervals in some gaps, by all ways to ask a first point."""
    best = 0
    for i, g in enumerate(gaps):
        for p in range(1, g + 1):
            inside = p.bit_length() + (g - p + 1).bit_length() - 2
            rest = tuple(sorted(x for x in (*gaps[:i], *gaps[i + 1 :], p - 1, g - p) if x))
            best = max(best, 1 + min(inside, levels(rest)))
    return best


def partitions(n, most):
    if n == 0:
        yield ()
    for k in range(1, min(n, most) + 1):
        for rest in partitions(n - k, k):
            yield (*rest, k)


@pytest.mark.parametrize("total", range(19))
def test_levels_of_all_gaps(total):
    for gaps in partitions(total, total):
        longest, second = (*gaps[::-1], 0, 0)[:2]
        assert ldim_of_spans(longest, second) == levels(gaps)


@pytest.mark.more
def test_long_gaps_by_all_ways_to_ask():
    for gaps in [(30,), (13, 17), (11, 19), (9, 9, 12), (35,)]:
        longest, second = (*gaps[::-1], 0)[:2]
        assert ldim_of_spans(longest, second) == levels(gaps)


def test_predictions_of_several_runs():
    union = ls.Intervals(1, 9).version_space().soa()
    several = on_runs([(1, 2), (5, 7), (9, 9)])
    assert isinstance(several, UnionHypothesis)
    assert len(several.runs) == 3
    assert load(several.to_dict()) == several
    assert several == on_runs(reversed(several.runs))
    assert union != several
    assert str(several.runs[0][0]) in several.describe()
    for ends in ([1, 2], [1, 2, 3, 4], [4, 5, 1, 2], [1, 2, 5, 4], [1, 2, "x", 7], [1, 2, 5]):
        with pytest.raises(ParameterError):
            load({"type": UnionHypothesis.TYPE, "ends": ends})
    with pytest.raises(ParameterError, match="on_runs"):
        UnionHypothesis(((1, 2),))


def test_what_cannot_be_listed_has_a_dimension_and_no_version_space():
    huge = ls.Intervals(1, 2**64)
    assert ls.theory.littlestone_dimension(huge) == 126
    assert ls.theory.shattered_tree(ls.Intervals(1, 2**6), depth=5).holds()
    with pytest.raises(UnsupportedError, match="too large to be listed"):
        huge.version_space()
