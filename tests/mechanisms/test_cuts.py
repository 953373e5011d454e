"""Cuts: law by brute force, all data sets of small domains, broken variants, the certificate."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from fractions import Fraction as F
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from littlestone.audit import replace_one, verify_mechanism
from littlestone.errors import ParameterError
from littlestone.mechanisms import cuts as room
from littlestone.mechanisms import cuts_loss, cuts_reach, private_cuts
from littlestone.privacy import compose
from littlestone.source import ExactSource, SeededSource


def counted(values):
    counts = Counter(value for value in values if value is not None)
    return sorted(counts), [counts[point] for point in sorted(counts)]


def release(values, source, *, size=3, levels=2, epsilon=10):
    return tuple(room.private_cuts(*counted(values), size, levels=levels, epsilon=epsilon,
                                   source=source))  # fmt: skip


def by_brute_force(values, size, levels, epsilon):
    """Return the law of all cuts, from the definition, with one score for each cut."""
    laws = {(): 1.0}
    for _ in range(levels):
        following = Counter()
        for cuts, chance in laws.items():
            drawn = {cuts: chance}
            for low, high in pairwise([0, *cuts, size]):
                inside = [v for v in values if v is not None and low <= v < high]
                weights = {
                    (cut,): math.exp(
                        -epsilon / (2 * levels)
                        * max(sum(v < cut for v in inside), sum(v >= cut for v in inside))
                    )
                    for cut in range(low + 1, high)
                }  # fmt: skip
                stay = math.exp(-epsilon / (2 * levels) * len(inside) * 31 / 32)
                weights[()] = stay * len(weights)
                total = sum(weights.values())
                if total:
                    drawn = {
                        tuple(sorted(old + new)): before * weight / total
                        for old, before in drawn.items()
                        for new, weight in weights.items()
                    }
            following.update(drawn)
        laws = following
    return laws


@pytest.mark.parametrize("values", [(), (1,), (0, 0, 3, None), (1, 2, 2, 2, 4), (4, 4, 4)])
def test_the_law_is_that_of_the_definition(values):
    law = ExactSource().law(lambda source: release(values, source, size=5, epsilon=2)).outcomes
    expected = by_brute_force(values, 5, 2, 2.0)
    assert set(law) == set(expected)
    for cuts, ball in law.items():
        assert float(ball.mid()) == pytest.approx(expected[cuts], abs=1e-12)


def verification(levels=2, n=2, epsilon=10, size=3):
    def run(values, source):
        return release(values, source, levels=levels, epsilon=epsilon, size=size)

    return verify_mechanism(run, replace_one((None, *range(size)), n), epsilon=epsilon)


@pytest.mark.first(2)
@pytest.mark.parametrize(("levels", "n", "epsilon"), [(1, 2, 1), (2, 2, 10), (1, 4, 10), (2, 3, 1)])
def test_a_replaced_record_costs_epsilon(levels, n, epsilon):
    found = verification(levels, n, epsilon)
    assert found.holds
    assert found.datasets == 4**n


def levels_not_composed(monkeypatch):
    """Each level costs the whole of epsilon."""
    real = room._rate
    monkeypatch.setattr(room, "_rate", lambda *given: given[2] * real(*given))


def one_record_added(monkeypatch):
    """The rate of one record that is added, not replaced."""
    real = room._rate
    monkeypatch.setattr(room, "_rate", lambda *given: 2 * real(*given))


def shares_of_a_private_size(monkeypatch):
    """Scores are ranks in per cent: the private number of records of a part is taken as public."""

    class Shared(room.LeveledChoice):
        def __init__(self, scores, *others):
            least = max(1, abs(min(scores)))
            super().__init__([int(score) * 640 // least for score in scores], *others)

    monkeypatch.setattr(room, "LeveledChoice", Shared)


def empty_parts_are_left_alone(monkeypatch):
    """Where there is no record, nothing is drawn, for 'there is nothing to protect'."""
    real = room._halve

    def halve(values, ends, part, *others):
        there = bisect_left(values, part[1]) > bisect_left(values, part[0])
        return real(values, ends, part, *others) if there else None

    monkeypatch.setattr(room, "_halve", halve)


def cuts_at_values_only(monkeypatch):
    """Only values that occur are candidates."""

    class Occurring(room.LeveledChoice):
        def __init__(self, scores, counts, member):
            super().__init__(scores, [min(1, int(c)) for c in counts], member)

    monkeypatch.setattr(room, "LeveledChoice", Occurring)


@pytest.mark.first(2)
@pytest.mark.parametrize(
    "mutant",
    [
        levels_not_composed,
        one_record_added,
        shares_of_a_private_size,
        empty_parts_are_left_alone,
        cuts_at_values_only,
    ],
)
def test_broken_variants_are_noticed(mutant, monkeypatch):
    mutant(monkeypatch)
    found = [verification(1, 3, 10), verification(2, 1, 10, 4)]
    # on both levels the record decides: found by trying many
    pair = ((2, None, 1, None, 1, 1, 0, 0), (0, None, 1, None, 1, 1, 0, 0))
    found.append(verify_mechanism(release, [pair], epsilon=10))
    assert not all(one.holds for one in found)


@pytest.mark.parametrize("levels", [1, 3])
def test_the_loss_composes_to_epsilon(levels):
    assert compose(cuts_loss(F(1, 3), levels=levels), delta=0) == (F(1, 3), 0)


def test_the_ranks_are_certified():
    """At most 5 % of the runs miss the statement of `cuts_reach`, in any draw (Clopper-Pearson)."""
    draw, size, levels, runs = np.random.default_rng(0), 200, 3, 60
    values = np.sort(np.r_[np.full(900, 17), draw.integers(0, size, 700), np.full(200, 60)])
    points, counts = np.unique(values, return_counts=True)
    for epsilon in (F(1, 2), F(1, 20)):
        reach, misses = cuts_reach(size, levels=levels, epsilon=epsilon, beta=F(1, 20)), 0
        for seed in range(runs):
            cuts = private_cuts(points, counts, size, levels=levels, epsilon=epsilon,
                                source=SeededSource(seed))  # fmt: skip
            misses += not all(fair(values, size, cuts, cut, levels, reach) for cut in cuts)
        assert stats.binomtest(misses, runs, 0.05, alternative="greater").pvalue > 1e-4


def fair(values, size, cuts, cut, levels, reach):
    """Return whether some part whose ends are cuts is parted by this one as the reach says."""
    ends = [0, *(c for c in cuts if c != cut), size]
    for low in (end for end in ends if end < cut):
        for high in (end for end in ends if end > cut):
            part = values[(values >= low) & (values < high)]
            m, most = len(part), max(Counter(part.tolist()).values(), default=0)
            if max((part < cut).sum(), (part >= cut).sum()) < (m + most) / 2 + reach:
                return True
    return False


def test_a_value_that_most_records_share_is_cut_off():
    cuts = private_cuts([0, 50, 60, 70], [9000, 400, 300, 300], 100, levels=2, epsilon=8,
                        source=SeededSource(1))  # fmt: skip
    assert 0 < cuts[0] <= 50
    assert any(50 < cut <= 70 for cut in cuts)


def test_one_value_is_left_alone():
    alone = [private_cuts([7], [5000], 100, levels=3, epsilon=1, source=SeededSource(s))
             for s in range(40)]  # fmt: skip
    assert alone.count([]) == 40  # "no cut" outweighs the others e**(5000 / 32 / 6) times


def test_public_arguments_are_checked():
    for options in ({"levels": 0}, {"epsilon": 0}, {"size": 0}):
        asked = {"size": 4, "levels": 1, "epsilon": 1, "source": SeededSource(0)} | options
        with pytest.raises(ParameterError):
            private_cuts([1], [1], **asked)
    for points in ([2, 1], [4], [-1]):
        with pytest.raises(ParameterError):
            private_cuts(points, [1] * len(points), 4, levels=1, epsilon=1, source=SeededSource(0))
    assert private_cuts([], [], 1, levels=2, epsilon=1, source=SeededSource(0)) == []
