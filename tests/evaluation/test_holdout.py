"""What is held out: how many by a public rule, which by a secret permutation."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest

from littlestone.audit import verify_mechanism
from littlestone.data import Sample
from littlestone.data.targets import Count, TargetSample
from littlestone.errors import ParameterError
from littlestone.evaluation import histogram as holdout
from littlestone.evaluation.histogram import held_out_by_rule, held_out_rows
from littlestone.mechanisms.estimate import truncated
from littlestone.source import SeededSource

#: Points whose order is not that of their labels: what is near in one is not in the other.
KINDS = ((0, 0), (5, 1), (9, 0))


class Shuffling:
    """A source that draws each permutation, so that an exact law has all of them."""

    def __init__(self, source):
        self.source = source

    def __getattr__(self, name):
        return getattr(self.source, name)

    def permutation(self, n, first=None):
        every = list(permutations(range(n)))
        return np.array(every[self.source.below(len(every))])[:first]


def noisy(ones, n, source):
    """A number of n records at epsilon 1."""
    return min(max(ones + truncated(F(1), n, source), 0), n)


def both_parts(data, source):
    """Release the number of ones of the held-out record, and of the others, at epsilon 1 each."""
    points, labels = zip(*data, strict=True)
    held, rest = holdout.split_units(Sample.of(points, labels), 1, Shuffling(source))
    return noisy(held.positives, 1, source), noisy(rest.positives, rest.n, source)


def neighbours(n):
    found = []
    for data in combinations_with_replacement(KINDS, n):
        for new in KINDS:
            other = tuple(sorted((*data[1:], new)))
            found += [(data, other)] if other != data else []
    return found


@pytest.mark.parametrize("n", [2, pytest.param(3, marks=pytest.mark.more)])
def test_no_unit_pays_twice(n):
    """Both parts together cost what one of them does: the law over all permutations."""
    assert verify_mechanism(both_parts, neighbours(n), epsilon=1).holds
    assert not verify_mechanism(both_parts, neighbours(2)[:1], epsilon=F(2, 5)).holds


def test_users_are_held_out_whole():
    names, points = list("aabbbcdd"), [1, 2, 3, 4, 5, 6, 7, 8]
    persons = TargetSample.of([[2]] * 8, Count(9).codes(np.array(points)), names)
    seen = set()
    for seed in range(40):
        held, rest = holdout.split_units(persons, 1, SeededSource(seed))
        assert (held.n, rest.n) == (1, 3)
        of_held, of_rest = frozenset(held.code.tolist()), set(rest.code.tolist())
        assert of_held in ({1, 2}, {3, 4, 5}, {6}, {7, 8})
        assert of_held | of_rest == set(points)
        assert set(rest.user.tolist()) == {0, 1, 2}
        seen.add(of_held)
    assert len(seen) == 4


def test_rows_are_held_out_by_a_permutation_of_them_all():
    masks = [tuple(held_out_rows(4, 2, SeededSource(seed))) for seed in range(200)]
    assert all(sum(mask) == 2 for mask in masks)
    assert len(set(masks)) == 6


def test_how_many_is_a_rule_in_public_numbers():
    for n in (1, 2, 499, 500, 1_999, 3_333, 5_000, 9_999, 10_000, 10**5, 10**7):
        for epsilon in ("1/10", "1/2", "1", "4"):
            size, found = n * F(epsilon), held_out_by_rule(n, epsilon)
            share = min(max(1000 / size, F(1, 10)), F(3, 10))
            wanted = 0 if size < 500 or n < 2 else min(int(share * n), 20_000)
            assert found.units == wanted
            assert found.units < n
            assert (found.enough - 1) * F(epsilon) < 500 <= found.enough * F(epsilon)
    assert "5,000 users" in held_out_by_rule(100, "1/10").words("users")
    for wrong in ({"n": 0, "epsilon": 1}, {"n": 9, "epsilon": 0}):
        with pytest.raises(ParameterError):
            held_out_by_rule(**wrong)
