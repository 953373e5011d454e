"""Choosing by level has exactly the law of the softmax over all candidates."""

from __future__ import annotations

from decimal import localcontext
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.source import ExactSource, Explicit, ReplaySource, SeededSource, Segments


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


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=9), small_rates)
def test_explicit(truth, scores, rate):
    law = ExactSource(cut=F(1, 2**150)).law(lambda s: Explicit(scores).draw(rate, s))
    assert_softmax(truth, law, range(len(scores)), scores, rate)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(-9, 9)), min_size=1, max_size=6).filter(
        lambda runs: any(length for length, _ in runs)
    ),
    small_rates,
)
def test_segments(truth, runs, rate):
    lengths, scores = zip(*runs, strict=True)
    segments = Segments(lengths, scores)
    outcomes = [(i, j) for i, length in enumerate(lengths) for j in range(length)]
    assert segments.size == len(outcomes)
    law = ExactSource().law(lambda s: segments.draw(rate, s))
    assert_softmax(truth, law, outcomes, [scores[i] for i, _ in outcomes], rate)


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
    """Bincount and sort, any integer type: identical weights at the door."""
    views = []
    for scores in (
        [5, 7, 5, 9],
        np.array([5, 7, 5, 9], np.uint8),
        np.array([5, 7, 5, 9], np.int16),
    ):
        source = ReplaySource([0, 1])
        assert Explicit(scores).draw(F(1, 2), source) == 2
        views.append(source.shown)
    assert views[0] == views[1] == views[2]
    wide = ReplaySource([0, 1])  # a spread that is sorted, not binned
    assert Explicit([0, 10**7, 0]).draw(F(1, 10**7), wide) == 2
    assert wide.shown[1] == ("below", 2)


@pytest.mark.parametrize("scores", [[], [[1, 2]], [0.5, 1.0], ["a"]])
def test_explicit_refuses(scores):
    with pytest.raises(ValueError, match="one-dimensional array of integers"):
        Explicit(scores)


def test_segments_of_a_domain_of_a_thousand_bits():
    segment, offset = Segments([2**1024, 5], [0, 0]).draw(F(1), SeededSource(3))
    assert segment == 0
    assert 2**1000 < offset < 2**1024
    # 700 points of score beat 2**1000 candidates: e**700 > 2**1009
    assert Segments([2**1000, 1], [0, 720]).draw(F(1), SeededSource(3)) == (1, 0)
