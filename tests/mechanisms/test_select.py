"""Selection, of all and of few candidates: exact laws, broken variants caught."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction as F
from functools import cache
from itertools import chain, combinations, product

import pytest

from littlestone.errors import DataError, ParameterError
from littlestone.mechanisms import (
    count_lists,
    exponential_mechanism,
    removal_bottom,
    score_gap,
    score_needed,
    selection_rate,
    sparse_select,
    sparse_select_lists,
)
from littlestone.papers import PrivateSparseSample
from littlestone.privacy.guarantee import hockey_stick, tightest_epsilon, upper
from littlestone.source import (
    ExactSource,
    Explicit,
    ExplicitWeights,
    ReplaySource,
    exp,
)

# -- The exponential mechanism: exact laws, all small score vectors ------------------------------

CANDIDATES, VALUES = 3, range(4)
VECTORS = list(product(VALUES, repeat=CANDIDATES))


@cache
def law(scores, **parameters):
    return ExactSource().law(
        lambda source: exponential_mechanism(Explicit(scores), source=source, **parameters)
    )


def moved(scores, by, *, one_way=False):
    """All vectors whose scores differ by at most ``by``; one way: none is lower."""
    steps = range(0 if one_way else -by, by + 1)
    for shift in product(steps, repeat=len(scores)):
        yield tuple(s + d for s, d in zip(scores, shift, strict=True))


@pytest.mark.first(2)
@pytest.mark.parametrize("monotone", [False, True])
def test_bounded_range_computed_independently(epsilon, monotone, brute):
    """Laws and losses from decimals alone: the range of the log-ratio is at most epsilon."""
    rate = epsilon if monotone else epsilon / 2
    laws = {
        s: brute.normalise({i: brute.exp(rate * v) for i, v in enumerate(s)})
        for s in {t for s in VECTORS for t in moved(s, 1)}
    }
    for s in VECTORS[::7]:
        assert brute.agrees(law(s, epsilon=epsilon, monotone=monotone), laws[s])
    logarithms = {s: brute.logarithms(chances) for s, chances in laws.items()}
    widest = F(0)
    for s in VECTORS:
        for t in moved(s, 1, one_way=monotone):
            ratios = [p - logarithms[t][i] for i, p in logarithms[s].items()]
            widest = max(widest, max(ratios) - min(ratios))
    assert epsilon * F(999, 1000) < widest <= epsilon + F(1, 10**100)


# Candidate sets of other shapes.


class Cube:
    """All of {0, 1}**n; the score is the number of bits that agree with a majority's votes.

    A structured set of candidates: the weights factor, so a draw is n coins.
    """

    def __init__(self, votes):
        self.votes, self.size = votes, 2 ** len(votes)

    def draw(self, rate, source):
        return tuple(source.choose(ExplicitWeights(1, exp(rate * v))) for v in self.votes)


def test_structured_candidates(epsilon, brute, tolerance):
    def run(votes):
        return ExactSource().law(
            lambda s: exponential_mechanism(Cube(votes), epsilon=epsilon, source=s, sensitivity=3)
        )

    exact = run((2, -1, 0))
    assert brute.agrees(
        exact,
        brute.normalise(
            {
                bits: brute.exp(
                    epsilon / 6 * sum(b * v for b, v in zip(bits, (2, -1, 0), strict=True))
                )
                for bits in product((0, 1), repeat=3)
            }
        ),
    )
    neighbour = run((1, 0, -1))  # each score moves by at most 3
    assert upper(tightest_epsilon(exact.outcomes, neighbour.outcomes)) <= epsilon + tolerance


# The accuracy statement.


def test_score_gap_is_the_least_that_is_certain(brute):
    for size, beta in ((1, F(1, 2)), (2, F(1, 20)), (10**6, F(1, 20)), (2**1024, F(1, 10**9))):
        for monotone in (False, True):
            rate = selection_rate("0.3", sensitivity=2, monotone=monotone)
            gap = score_gap(size, epsilon="0.3", beta=beta, sensitivity=2, monotone=monotone)
            assert F(brute.exp(-rate * gap, size - 1)) <= beta
            assert gap == 0 or F(brute.exp(-rate * (gap - 1), size - 1)) > beta


def test_score_gap_holds_for_the_law():
    gap = score_gap(3, epsilon=1, beta=F(1, 10))
    for scores in product(range(0, 2 * gap, 3), repeat=3):
        exact = law(scores, epsilon=1)
        bad = sum(
            (float(p) for i, p in exact.outcomes.items() if scores[i] <= max(scores) - gap), 0.0
        )
        assert bad <= 0.1 + 1e-12


@pytest.mark.parametrize(
    ("name", "value"), [("epsilon", 0), ("epsilon", float("nan")), ("sensitivity", -1)]
)
def test_parameters_are_checked_before_anything_is_drawn(name, value):
    source = ReplaySource([])
    with pytest.raises(ParameterError, match=name):
        exponential_mechanism(Explicit([1, 2]), **{"epsilon": 1, "source": source, name: value})
    assert source.presented == []


# -- Sparse selection: all list profiles of small pools, replace-one -------------------------------

DELTAS = [F(1, 10), F(1, 10**6)]


def subsets(pool, at_most):
    return list(chain.from_iterable(combinations(pool, r) for r in range(at_most + 1)))


def sparse_worst_delta(laws, lists, epsilon):
    """Return the largest exact divergence over all profiles and replacements of one list."""
    worst, pairs = F(0), 0
    for profile, law in laws.items():
        for i, other in product(range(len(profile)), lists):
            if other == profile[i]:
                continue
            neighbour = laws[(*profile[:i], other, *profile[i + 1 :])]
            worst = max(worst, upper(hockey_stick(law.outcomes, neighbour.outcomes, epsilon)))
            pairs += 1
    return worst, pairs


def all_laws(run, lists, teachers):
    """Return the law of run(profile, source) for each profile of lists."""
    return {
        profile: ExactSource().law(lambda source, profile=profile: run(profile, source))
        for profile in product(lists, repeat=teachers)
    }


def lists_mechanism(epsilon, delta, cap):
    return lambda profile, source: sparse_select_lists(
        profile, cap=cap, epsilon=epsilon, delta=delta, source=source, default=None
    )


def printed(epsilon, delta, L):
    return PrivateSparseSample(L, epsilon / 2, delta, B="printed").draw


@pytest.mark.first(2)
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize(
    ("pool", "cap", "longest", "teachers"),
    [("abc", 1, 1, 3), ("abc", 2, 2, 2), ("abc", 2, 3, 2), ("ab", 2, 2, 3), ("abcd", 2, 2, 2)],
)
def test_private_on_all_profiles(pool, cap, longest, teachers, delta, epsilon, tolerance):
    lists = subsets(pool, longest)
    laws = all_laws(lists_mechanism(epsilon, delta, cap), lists, teachers)
    worst, pairs = sparse_worst_delta(laws, lists, epsilon)
    assert pairs == len(lists) ** teachers * teachers * (len(lists) - 1)
    # nobody supports anything, against one list of cap new items: exactly delta / (1 + delta)
    assert abs(worst - delta / (1 + delta)) <= tolerance


def test_the_paper_s_bottom_is_private_where_it_would_be_too_light():
    """(k/delta)**10 forgets e**(epsilon/2): for a large epsilon the tight weight is taken."""
    epsilon, delta, lists = F(100), F(1, 2), subsets("ab", 1)
    laws = all_laws(printed(epsilon, delta, 1), lists, 2)
    assert sparse_worst_delta(laws, lists, epsilon)[0] <= delta
    too_light = exp(0, times=2**10)
    assert (too_light - removal_bottom(k=1, epsilon=epsilon, delta=delta)).sign() < 0


def test_the_paper_s_bottom_is_private_and_wastes(epsilon):
    delta, lists = F(1, 10), subsets("ab", 2)
    laws = all_laws(printed(epsilon, delta, 2), lists, 2)
    worst, _ = sparse_worst_delta(laws, lists, epsilon)
    assert 0 < worst < delta / 10**6


def test_law_and_divergence_computed_independently(epsilon, brute):
    """Decimals only: weights e**(eps/2 * count), bottom e**(eps/2) * cap/delta."""
    delta, cap, lists = F(1, 10), 2, subsets("abc", 2)
    laws = {}
    for profile in product(lists, repeat=2):
        counts = Counter(chain.from_iterable(profile))
        weights = {item: brute.exp(epsilon / 2 * times) for item, times in counts.items()}
        laws[profile] = brute.normalise({None: brute.exp(epsilon / 2, cap / delta), **weights})
    run = lists_mechanism(epsilon, delta, cap)
    for profile, expected in list(laws.items())[::5]:
        assert brute.agrees(ExactSource().law(lambda s, p=profile: run(p, s)), expected)
    worst = max(
        brute.hockey_stick(laws[(a, b)], laws[(c, b)], epsilon)
        for a, b, c in product(lists, repeat=3)
    )
    assert abs(worst - delta / (1 + delta)) < F(1, 10**90)


# What is observable.


@pytest.mark.more
def test_hash_order_does_not_reach_the_release():
    program = (
        "from littlestone.mechanisms import *; from littlestone.source import SeededSource\n"
        "words = ['oak', 'elm', 'ash', 'yew', 'fir', 'bay', 'box']\n"
        "lists = [set(words[i:] + words[:i]) for i in range(7)] * 9\n"
        "print([sparse_select_lists(lists, cap=4, epsilon=1, delta=.01, default='-',"
        " source=SeededSource(s)) for s in range(20)], count_lists(lists, cap=4))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split("{")[0]
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1
    assert len(set(next(iter(outputs)).split("'"))) > 4, "several different words"


def test_lists_are_sets_truncated_by_a_public_order():
    assert count_lists([[3, 3, 1, 2], [3], []], cap=2) == {1: 1, 2: 1, 3: 1}
    assert count_lists([[3, 1, 2]], cap=1, order=lambda item: -item) == {3: 1}
    assert count_lists([], cap=1) == {}
    with pytest.raises(ParameterError, match="different sort keys"):
        count_lists([["a", "b"]], cap=1, order=len)


def test_nothing_scored_gives_the_default_surely():
    law = ExactSource().law(
        lambda s: sparse_select(
            {"a": 0, "b": -3}, k=1, epsilon=1, delta=0.1, source=s, default="default"
        )
    )
    assert set(law.outcomes) == {"default"}


@pytest.mark.parametrize("score", [1.5, True, "3", None])
def test_scores_must_be_integers_and_are_not_printed(score):
    source = ReplaySource([])
    with pytest.raises(DataError, match="must be integers") as caught:
        sparse_select({"a": score}, k=1, epsilon=1, delta=0.1, source=source, default=None)
    assert repr(score) not in str(caught.value)
    assert source.presented == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("epsilon", 0), ("delta", 0), ("delta", 1), ("k", 0), ("k", 1.5)],
)
def test_parameters_are_checked_first(name, value):
    parameters = {"k": 1, "epsilon": 1, "delta": 0.1, name: value}
    with pytest.raises(ParameterError, match=name):
        sparse_select({"a": "bad"}, source=ReplaySource([]), default=None, **parameters)
    if name == "k":
        with pytest.raises(ParameterError, match="cap"):
            sparse_select_lists(
                [], cap=value, epsilon=1, delta=0.1, source=ReplaySource([]), default=None
            )


# The certificate's numbers.


def test_score_needed_is_exactly_the_least():
    """The law of one candidate: bottom has at most beta at the score, more one below."""
    for k, epsilon, delta, beta in product((1, 50), ("1/2", 2), ("1/100", 1e-6), ("1/20", "2/3")):
        least = score_needed(k=k, epsilon=epsilon, delta=delta, beta=beta)
        chances = {}
        for score in (least, least - 1):
            law = ExactSource().law(
                lambda s, score=score, k=k, e=epsilon, d=delta: sparse_select(
                    {"x": score}, k=k, epsilon=e, delta=d, source=s, default=None
                )
            )
            chances[score] = law.outcomes[None]
        assert upper(chances[least]) <= F(beta)
        assert chances[least - 1] > float(F(beta)) or least == 1


def test_published_sizes():
    """Blocks of Yan's Lemma 1, with the tight bottom."""
    assert score_needed(k=1, epsilon=1, delta=1e-6, beta=0.01) == 38  # 37.8; the paper: 443
