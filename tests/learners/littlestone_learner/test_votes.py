"""Votes in three forms, and the draw: the law of the sparse exponential mechanism."""

from collections import Counter
from fractions import Fraction as F
from itertools import combinations

import numpy as np
import pytest

from littlestone.classes import PointHypothesis, ThresholdHypothesis
from littlestone.learners.littlestone.votes import ListVotes, RowVotes, RunVotes, draw, shortened
from littlestone.mechanisms import sparse_select_lists
from littlestone.source import ExactSource

RNG = np.random.default_rng(0)


def random_runs():
    ends = np.sort(RNG.choice(30, size=2 * int(RNG.integers(0, 4)), replace=False)).tolist()
    return [(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True)]


def test_runs_are_what_they_list():
    for _ in range(200):
        lists = [(random_runs(), int(RNG.integers(1, 4))) for _ in range(int(RNG.integers(0, 6)))]
        votes = RunVotes(lists, name=PointHypothesis)
        expected = Counter()
        for runs, weight in lists:
            for a, b in runs:
                expected.update({u: weight for u in range(a, b + 1)})
        assert dict(votes.sizes) == Counter(expected.values())
        for count, size in votes.sizes.items():
            members = [votes.member(count, i).point for i in range(size)]
            assert members == sorted(u for u, c in expected.items() if c == count)
            with pytest.raises(IndexError):
                votes.member(count, size)


def test_shortened_runs():
    for _ in range(200):
        runs = random_runs() + random_runs()
        every = sorted({u for a, b in runs for u in range(a, b + 1)})
        for cap in (1, 5, 100):
            kept = shortened(runs, cap)
            assert [u for a, b in kept for u in range(a, b + 1)] == every[:cap]


@pytest.mark.parametrize("epsilon", [F(1), F(3)])
def test_the_draw_is_the_mechanisms(epsilon):
    """Lists, runs and rows have the law of `sparse_select_lists`."""
    delta, cap = F(1, 10), 6
    name = lambda u: ThresholdHypothesis(u, 0, 9)  # noqa: E731
    lists = [[(0, 3)], [(1, 2), (4, 4)], [(2, 7)], []]
    written = [[name(u) for a, b in runs for u in range(a, b + 1)] for runs in lists]
    counts = np.array([sum(name(u) in w for w in written) for u in range(9)])
    forms = [
        RunVotes([(runs, 1) for runs in lists], name),
        ListVotes([(w, 1) for w in written]),
        RowVotes(counts, name),
    ]
    budget = {"cap": cap, "epsilon": epsilon, "delta": delta, "default": None}
    plain = ExactSource().law(lambda s: sparse_select_lists(written, source=s, **budget))
    for votes in forms:
        law = ExactSource().law(lambda s, v=votes: draw(v, source=s, **budget))
        assert law.outcomes.keys() == plain.outcomes.keys()
        assert all(abs(p - plain.outcomes[h]) < 2**-80 for h, p in law.outcomes.items())
        assert votes.best == 3


def test_a_repeated_hypothesis_counts_once_and_weights_count_teachers():
    a, b = PointHypothesis("a"), PointHypothesis("b")
    votes = ListVotes([([a, a, b], 2), ([b], 5)])
    assert votes.counts == {a: 2, b: 7}


def test_one_list_moves_the_best_by_one_at_most():
    items = [PointHypothesis(i) for i in range(3)]
    lists = [list(c) for r in range(4) for c in combinations(items, r)]
    for others in combinations(lists, 2):
        best = {ListVotes([(x, 1) for x in (*others, mine)]).best for mine in lists}
        assert max(best) - min(best) <= 1
