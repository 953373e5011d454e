"""One draw of a council: what the budget of a stream is made of, exactly, and nearly attained."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from littlestone.audit.mechanism import replace_one, verify_mechanism
from littlestone.classes import Points, Thresholds
from littlestone.learners.online.council import Stage, Tally
from littlestone.mechanisms.bottom import removal_bottom

from .test_transcripts import SHORT, Dealt, plan

#: A record that was no mistake is in nobody's hands: None. So records are added and removed too.
MISTAKES = [None, *SHORT]


def verified(council, epsilon, delta=0, kinds=MISTAKES):
    def run(records, source):
        epoch = [(time, *record) for time, record in enumerate(records) if record is not None]
        drawn = council.draw([epoch[:2], epoch[2:]], 0, 1, 7, source)[0]
        return None if drawn is None else drawn.key

    return verify_mechanism(run, replace_one(kinds, 4), epsilon=epsilon, delta=delta)


@pytest.mark.parametrize("epsilon", [F(1), F(6)])
def test_a_draw_of_a_ballot(epsilon):
    kinds = [None, (1, 0), (1, 1), (2, 0)]
    result = verified(plan(draw_epsilon=epsilon).council(Thresholds(1, 2)), epsilon, kinds=kinds)
    assert result.holds
    assert (result.datasets, result.pairs) == (4**4, 4**4 * 4 * 3)
    assert result.tightest_epsilon > 0.6 * epsilon


@pytest.mark.parametrize(("epsilon", "leak"), [(F(1), F(1, 20)), (F(10), F(1, 100))])
def test_a_draw_of_teachers(epsilon, leak):
    """Each of four teachers has one record. A loud budget shows epsilon, a quiet one the leak."""
    stage = Stage(None, 2, F(0))
    numbers = {"n_teachers": 4, "leak": leak, "stages": (stage,), "dimension": 1}
    p = plan(draw_epsilon=epsilon, cap=4, most=1, **numbers)
    council = Dealt(Points(), 4, (stage,), 1, 4, 1, p.rate, leak, dealing=(0, 1, 2, 3))
    made = p.council(Points())
    assert (made.rate, made.leak, made.most, made.n_teachers) == (p.rate, leak, 1, 4)
    result = verified(council, epsilon, leak)
    assert result.holds
    assert result.worst_delta > leak / 4
    assert epsilon == 1 or result.tightest_epsilon > 0.6 * epsilon


@pytest.mark.parametrize("runs", [False, True])
def test_a_list_counts_up_to_its_public_length_only(runs):
    """Each teacher may list one hypothesis; what it submits has none, one or three."""
    lists = [(), ("a", "b", "c"), ("b",)]
    if runs:  # thresholds as runs, which are not walked through
        space = Thresholds(1, 2).version_space()
        lists = [(), space.essential(2, 2), space.restrict(2, 1).restrict(1, 1).essential(2, 2)]
        assert [len(found) for found in lists] == [0, 3, 1]
    bottom = removal_bottom(k=1, epsilon=1, delta=F(1, 20))

    def run(chosen, source):
        return Tally([lists[i] for i in chosen], most=1, rate=F(1, 2), bottom=bottom).draw(source)

    result = verify_mechanism(run, replace_one(range(3), 2), epsilon=1, delta=F(1, 20))
    assert result.holds
    assert result.worst_delta > 0.04
