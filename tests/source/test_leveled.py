"""Choosing by level has exactly the law of the softmax over all candidates."""

from __future__ import annotations

import dataclasses
import random
from bisect import bisect_right
from decimal import Context, Decimal, localcontext
from fractions import Fraction as F
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.source import (
    ExactSource,
    Exp,
    Explicit,
    LeveledChoice,
    LevelWeights,
    ReplaySource,
    ScoreRuns,
    SeededSource,
    exp,
    probabilities,
)
from littlestone.source.leveled import decays


def softmax(truth, scores, rate):
    with localcontext(truth.context):
        weights = [truth.exp(rate * int(s)) for s in scores]
        total = sum(weights)
        return [w / total for w in weights]


def assert_softmax(truth, law, outcomes, scores, rate):
    chances = softmax(truth, scores, rate)
    assert set(law.outcomes) <= set(outcomes)
    for outcome, chance in zip(outcomes, chances, strict=True):
        assert truth.contains(law.outcomes[outcome], chance)
    assert law.slack.is_zero()


small_rates = st.sampled_from([F(1, 3), F(1), F(-1, 2), F(0), F(1, 10**6)])


@settings(max_examples=settings.default.max_examples // 2)
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=9), small_rates)
def test_explicit(truth, scores, rate):
    law = ExactSource(cut=F(1, 2**150)).law(lambda s: Explicit(scores).draw(rate, s))
    assert_softmax(truth, law, range(len(scores)), scores, rate)


def place(group, at):
    return (group, at)


groups = st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 4)), max_size=6)
bottoms = st.sampled_from([None, exp(0), exp(3, times=F(1, 7)), exp(-900), exp(900), Exp({})])


@given(groups, small_rates, bottoms, st.sampled_from([1, 10**7, 2**70]))
def test_leveled_choice(truth, listed, rate, bottom, spread):
    """Brute force: one weight for each candidate; scores side by side, far apart, beyond int64."""
    scores, counts = [spread * s for s, _ in listed], [c for _, c in listed]
    outcomes = [(i, j) for i, count in enumerate(counts) for j in range(count)]
    if bottom is None and not outcomes:
        with pytest.raises(ValueError, match="must be a candidate"):
            LeveledChoice(scores, counts, place).draw(rate, SeededSource(0))
        return
    choice = LeveledChoice(scores, counts, place, bottom)
    assert choice.size == len(outcomes)
    law = ExactSource(cut=F(1, 2**150), follow=64).law(lambda s: choice.draw(rate / spread, s))
    with localcontext(truth.context):
        weights = {(i, j): truth.exp(rate / spread * scores[i]) for i, j in outcomes}
        if bottom is not None and not (outcomes and bottom == 0):
            weights[None] = sum(truth.exp(q, c) for q, c in bottom.terms) if bottom != 0 else 1
        total = sum(weights.values())
    assert set(law.outcomes) == set(weights)
    for outcome, weight in weights.items():
        with localcontext(truth.context):
            assert truth.contains(law.outcomes[outcome], weight / total)
    assert law.slack.is_zero()


@settings(max_examples=settings.default.max_examples // 4)
@given(
    st.lists(
        st.tuples(st.integers(-9999, 9999), st.sampled_from([0, 1, 2**53 + 1, 2**64, 3**700])),
        min_size=1,
        max_size=8,
    ).filter(lambda listed: any(c for _, c in listed)),
    st.sampled_from([F(1, 3), F(-1, 10**5), F(0)]),
    bottoms,
)
def test_counts_of_any_size(truth, listed, rate, bottom):
    """What is presented is, for each level, the sum of its candidates' weights; below does rest."""
    scores, counts = zip(*listed, strict=True)
    choice = LeveledChoice(scores, counts, place, bottom)
    assert choice.size == sum(counts)
    levels = sorted({s for s, c in listed if c})
    totals = [sum(c for s, c in listed if s == level) for level in levels]
    with localcontext(truth.context):
        weights = [truth.exp(rate * s, c) for s, c in zip(levels, totals, strict=True)]
        if bottom is not None:
            weights.insert(0, sum((truth.exp(q, c) for q, c in bottom.terms), truth.decimal(0)))
        total = sum(weights)
        expected = [w / total for w in weights]
    found = probabilities(choice.weights(rate))
    for ball, chance in zip(found, expected, strict=True):
        assert truth.contains(ball, chance, size=1)
    for level, (score, many) in enumerate(zip(levels, totals, strict=True)):
        members = [(i, c) for i, (s, c) in enumerate(listed) if s == score and c]
        rank = 0
        for group, count in members:
            for at in {0, count // 2, count - 1}:
                source = ReplaySource([level + (bottom is not None), rank + at])
                assert choice.draw(rate, source) == (group, at)
                assert source.presented[1] == ("below", many)
            rank += count


def test_weights_are_kept_for_the_next_draw_at_the_same_rate():
    choice = Explicit([1, 2, 3])
    first = choice.weights(F(1))
    assert choice.weights(F(1)) is first
    assert choice.weights(F(2)) is not first
    assert [float(p) for p in probabilities(choice.weights(F(0)))] == [1 / 3] * 3


@pytest.mark.parametrize(
    ("scores", "counts", "bottom"),
    [
        ([1], [-1], None),
        ([1, 2], [1], None),
        ([1], [0], None),
        ([], [], None),
        ([1], [1], exp(0) - 2),
    ],
)
def test_impossible_groups_are_refused(scores, counts, bottom):
    with pytest.raises(ValueError, match=r"must be|needs one"):
        LeveledChoice(scores, counts, place, bottom).draw(F(1), SeededSource(0))


def test_an_empty_run_has_no_score():
    runs = ScoreRuns(np.array([5, 6, 6]), 7, np.array([0, -1, 0]))
    assert (runs.least(5, 6), runs.least(6, 6)) == (0, 0)


@settings(max_examples=settings.default.max_examples // 2)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(-9, 9)), min_size=1, max_size=6).filter(
        lambda runs: any(length for length, _ in runs)
    ),
    small_rates,
    st.sampled_from([np.int64, object]),
)
def test_score_runs(truth, runs, rate, dtype):
    lengths, scores = zip(*runs, strict=True)
    starts = np.cumsum([5, *lengths[:-1]]).astype(dtype)
    found = ScoreRuns(starts, 5 + sum(lengths), np.array(scores))
    by_value = [score for length, score in runs for _ in range(length)]
    values = range(5, 5 + len(by_value))
    assert found.size == len(by_value)
    assert [found.at(v) for v in values] == by_value
    for first in values:
        for last in range(first - 1, 5 + len(by_value)):
            assert found.least(first, last) == min(by_value[first - 5 : last - 4], default=None)
    law = ExactSource().law(lambda s: found.draw(rate, s))
    assert_softmax(truth, law, values, by_value, rate)


# -------------------------------------------------------------- many levels, in doubles


def many(kind, n=700):
    """Return (counts, scores, rate, bottom) with so many levels that doubles decide."""
    rng = np.random.default_rng(5)
    levels = np.arange(n)
    return {
        "flat": ([1] * n, levels, F(1, n), None),
        "steep": (rng.integers(0, 9, n), levels, F(1), None),
        "falling": (rng.integers(0, 9, n), levels, F(-1, 50), exp(2)),
        "gaps": (
            rng.integers(1, 2**40, n),
            np.sort(rng.integers(-(2**62), 2**62, n)),
            F(1, 2**61),
            None,
        ),
        "tiny rate": ([1] * n, levels * 10**9, F(1, 10**12), exp(-1)),
        "huge counts": ([3**700 + i for i in range(n)], levels, F(1, 100), exp(700)),
        "counts of all sizes": ([2 ** (i * 3) for i in range(n)], -levels, F(2), None),
        "zero rate": (rng.integers(0, 2, n), levels, F(0), exp(0)),
        "bottom only": (rng.integers(0, 2, n), levels, F(1, 7), exp(10**6)),
        "light bottom": (rng.integers(0, 2, n), levels, F(1, 7), exp(-(10**6))),
    }[kind]


MANY = [
    "flat", "steep", "falling", "gaps", "tiny rate", "huge counts", "counts of all sizes",
    "zero rate", "bottom only", "light bottom",
]  # fmt: skip


@pytest.mark.first(3)
@pytest.mark.parametrize("kind", MANY)
def test_doubles_decide_like_exact_sums(kind, truth, prescribed):
    """At every boundary and beside it: the outcome is that of exact inversion, or undecided."""
    counts, scores, rate, bottom = many(kind)
    weights = LevelWeights(counts, scores, rate, bottom)
    with localcontext(Context(prec=120, Emin=-(10**9), Emax=10**9)):
        exact = [
            (Decimal(rate.numerator) * int(s) / rate.denominator).exp() * int(c)
            for s, c in zip(scores, counts, strict=True)
        ]
        if bottom is not None:
            exact.insert(0, sum(Decimal(int(q)).exp() * int(c) for q, c in bottom.terms))
        sums = list(accumulate(exact))
        cells = [s / sums[-1] * 2**64 for s in sums]
        decided = 0
        probes = {0, 1, 2**64 - 1, *(random.Random(3).getrandbits(64) for _ in range(100))}
        for cell in cells:
            near = int(cell)
            for step in (0, 1, -1, 2**10, -(2**10), 2**20, -(2**20), 2**30, -(2**30)):
                probes.add(min(max(near + step, 0), 2**64 - 1))
        for u in sorted(probes):
            i = bisect_right(cells, Decimal(u))
            found = weights.decide(u)
            assert found is None or (found == i and u + 1 <= cells[i]), (u, i)
            decided += found is not None
        # far from all boundaries nothing is left to the balls
        for i, (low, high) in enumerate(zip([Decimal(0), *cells], cells, strict=False)):
            if high - low > 2**40 and kind != "counts of all sizes":
                assert weights.decide(int((low + high) / 2)) == i
    assert decided or kind == "counts of all sizes"


@pytest.mark.first(5)
@pytest.mark.parametrize("kind", MANY)
def test_draws_of_many_levels_equal_the_plain_path(kind):
    """The same bits give the same outcome, whether doubles decide or balls do."""

    class Plain:  # the same weights, without a table
        def __init__(self, weights):
            self.weights = weights

        def __len__(self):
            return len(self.weights)

        def enclose(self, bits):
            return self.weights.enclose(bits)

    weights = LevelWeights(*many(kind))
    fast, plain = SeededSource(9), SeededSource(9)
    drawn = [fast.choose(weights) for _ in range(20)]
    assert drawn == [plain.choose(Plain(weights)) for _ in range(20)]
    views = ReplaySource([0, 0])
    views.choose(weights)
    views.choose(Plain(weights))
    assert views.presented[0] == views.presented[1]


@pytest.mark.more
def test_a_bound_on_the_error_that_is_too_small_is_noticed():
    """With no allowance for rounding, doubles decide some cells wrongly: the test above sees it."""
    counts, scores, rate, _ = many("flat", 5000)
    weights = LevelWeights(counts, scores, rate)
    assert weights.decide(2**63) is not None  # builds the sums
    sums = weights._sums
    blind = dataclasses.replace(sums, error=0.0, slack=0.0)
    with localcontext(Context(prec=60)):
        exact = [(Decimal(int(s)) / len(scores)).exp() for s in scores]
        cumulative = list(accumulate(exact))
        cells = [s / cumulative[-1] * 2**64 for s in cumulative[:-1]]
    wrong = [
        u
        for cell in cells
        for u in (int(cell), int(cell) + 1)
        if blind.decide(u) not in (None, bisect_right(cells, Decimal(u)))
    ]
    assert wrong
    assert all(weights.decide(u) is None for u in wrong)


@pytest.mark.parametrize("rate", [F(1, 3), F(1, 10**12), F(17, 10**4), F(40)])
def test_products_of_table_entries_are_exponentials(rate):
    """The premise of the error bound: each entry within 2**-52, by other arithmetic."""
    far = min(10**6, int(140 / rate))
    with localcontext(Context(prec=60, Emin=-(10**9), Emax=10**9)):
        for place, table in decays(rate, far):
            for j in {0, 1, 2, len(table) // 3, len(table) - 1}:
                if j << place <= far:
                    exact = (-Decimal(rate.numerator) * (j << place) / rate.denominator).exp()
                    assert abs(Decimal(float(table[j])) - exact) <= exact / 2**52


@pytest.mark.parametrize(
    "scores",
    [
        np.array([100, -100, 99], dtype=np.int8),
        np.array([-128, 127, 0], dtype=np.int8),
        np.array([-30_000, 30_000], dtype=np.int16),
        np.array([2**63 + 5, 2**63 + 7, 2**63], dtype=np.uint64),
        np.array([-(2**63), 2**63 - 1, -(2**63)]),
        np.array([0, 2**64 - 1], dtype=np.uint64),
        np.array([250, 255, 0], dtype=np.uint8),
    ],
    ids=str,
)
def test_explicit_at_the_ends_of_integer_types(truth, scores):
    rate = F(1, 2**62) if max(map(int, scores)) > 2**40 else F(1, 1000)
    law = ExactSource(cut=F(1, 2**150)).law(lambda s: Explicit(scores).draw(rate, s))
    assert_softmax(truth, law, range(len(scores)), scores, rate)


def test_explicit_is_independent_of_layout():
    """Bincount and sort, any integer type: identical weights presented."""
    views = []
    for scores in (
        [5, 7, 5, 9],
        np.array([5, 7, 5, 9], np.uint8),
        np.array([5, 7, 5, 9], np.int16),
    ):
        source = ReplaySource([0, 1])
        assert Explicit(scores).draw(F(1, 2), source) == 2
        views.append(source.presented)
    assert views[0] == views[1] == views[2]
    wide = ReplaySource([0, 1])  # a spread that is sorted, not binned
    assert Explicit([0, 10**7, 0]).draw(F(1, 10**7), wide) == 2
    assert wide.presented[1] == ("below", 2)


@pytest.mark.parametrize("scores", [[[1, 2]], [0.5, 1.0], ["a"], [True]])
def test_explicit_refuses(scores):
    with pytest.raises(ValueError, match="one-dimensional arrays of integers"):
        Explicit(scores)


def test_a_domain_of_a_thousand_bits():
    group, at = LeveledChoice([0, 0], [2**1024, 5], place).draw(F(1), SeededSource(3))
    assert group == 0
    assert 2**1000 < at < 2**1024
    # 700 points of score beat 2**1000 candidates: e**700 > 2**1009
    assert LeveledChoice([0, 720], [2**1000, 1], place).draw(F(1), SeededSource(3)) == (1, 0)


def test_draws_at_tiny_rates_answer_in_time():
    """Rates down to 1e-12, scores that far apart, 10**5 levels: no loop over scores."""
    scores = np.arange(10**5) * 10**9
    for rate in (F(1, 10**12), F(1, 10**15), F(-1, 10**12)):
        assert 0 <= Explicit(scores).draw(rate, SeededSource(1)) < 10**5
