"""Votes, and the draw: the law of the sparse exponential mechanism."""

from fractions import Fraction as F
from itertools import combinations

import pytest

from littlestone.classes import PointHypothesis, ThresholdHypothesis
from littlestone.learners.littlestone import Votes, draw
from littlestone.mechanisms import sparse_select_lists
from littlestone.source import ExactSource


@pytest.mark.parametrize("epsilon", [F(1), F(3)])
def test_the_draw_is_the_mechanisms(epsilon):
    delta, cap = F(1, 10), 6
    name = lambda u: ThresholdHypothesis(u, 0, 9)  # noqa: E731
    lists = [[(0, 3)], [(1, 2), (4, 4)], [(2, 7)], []]
    written = [[name(u) for a, b in runs for u in range(a, b + 1)] for runs in lists]
    votes = Votes([(w, 1) for w in written])
    budget = {"cap": cap, "epsilon": epsilon, "delta": delta, "default": None}
    plain = ExactSource().law(lambda s: sparse_select_lists(written, source=s, **budget))
    law = ExactSource().law(lambda s: draw(votes, source=s, **budget))
    assert law.outcomes.keys() == plain.outcomes.keys()
    assert all(abs(p - plain.outcomes[h]) < 2**-80 for h, p in law.outcomes.items())
    assert votes.best == 3


def test_a_repeated_hypothesis_counts_once_and_weights_count_teachers():
    a, b = PointHypothesis("a"), PointHypothesis("b")
    votes = Votes([([a, a, b], 2), ([b], 5)])
    assert votes.counts == {a: 2, b: 7}


def test_one_list_moves_the_best_by_one_at_most():
    items = [PointHypothesis(i) for i in range(3)]
    lists = [list(c) for r in range(4) for c in combinations(items, r)]
    for others in combinations(lists, 2):
        best = {Votes([(x, 1) for x in (*others, mine)]).best for mine in lists}
        assert max(best) - min(best) <= 1


def test_a_list_counts_each_hypothesis_once():
    """However often a teacher lists it."""
    a, b = PointHypothesis("a"), PointHypothesis("b")
    assert Votes([((a, b, a), 2), ((b, b), 1)]).counts == {a: 2, b: 3}
