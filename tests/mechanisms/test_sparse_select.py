"""Sparse selection: all list profiles of small pools, replace-one; broken variants caught."""

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
    canonical_key,
    count_lists,
    removal_bottom,
    score_needed,
    sparse_select,
    sparse_select_lists,
)
from littlestone.mechanisms.select import _draw
from littlestone.privacy.guarantee import hockey_stick
from littlestone.source import ExactSource, ReplaySource, SeededSource, exp

DELTAS = [F(1, 10), F(1, 10**6)]


def subsets(pool, at_most):
    return list(chain.from_iterable(combinations(pool, r) for r in range(at_most + 1)))


def upper_end(ball):
    parts = (map(int, end.man_exp()) for end in (ball.mid(), ball.rad()))
    return sum(F(man << max(power, 0), 1 << max(-power, 0)) for man, power in parts)


def worst_delta(laws, lists, epsilon):
    """Return the largest exact divergence over all profiles and replacements of one list."""
    worst, pairs = F(0), 0
    for profile, law in laws.items():
        for i, other in product(range(len(profile)), lists):
            if other == profile[i]:
                continue
            neighbour = laws[(*profile[:i], other, *profile[i + 1 :])]
            worst = max(worst, upper_end(hockey_stick(law.outcomes, neighbour.outcomes, epsilon)))
            pairs += 1
    return worst, pairs


def all_laws(run, lists, teachers):
    """Return the law of run(profile, source) for each profile of lists."""
    return {
        profile: ExactSource().law(lambda source, profile=profile: run(profile, source))
        for profile in product(lists, repeat=teachers)
    }


def lists_mechanism(epsilon, delta, cap, bottom="tight"):
    return lambda profile, source: sparse_select_lists(
        profile, cap=cap, epsilon=epsilon, delta=delta, source=source, default=None, bottom=bottom
    )


@pytest.mark.first(2)
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize(
    ("pool", "cap", "longest", "teachers"),
    [("abc", 1, 1, 3), ("abc", 2, 2, 2), ("abc", 2, 3, 2), ("ab", 2, 2, 3), ("abcd", 2, 2, 2)],
)
def test_private_on_all_profiles(pool, cap, longest, teachers, delta, epsilon, tolerance):
    lists = subsets(pool, longest)
    laws = all_laws(lists_mechanism(epsilon, delta, cap), lists, teachers)
    worst, pairs = worst_delta(laws, lists, epsilon)
    assert pairs == len(lists) ** teachers * teachers * (len(lists) - 1)
    # nobody supports anything, against one list of cap new items: exactly delta / (1 + delta)
    assert abs(worst - delta / (1 + delta)) <= tolerance


@pytest.mark.more
@pytest.mark.parametrize("delta", DELTAS)
def test_private_on_all_profiles_of_three_teachers(delta, epsilon, tolerance):
    lists = subsets("abc", 3)
    laws = all_laws(lists_mechanism(epsilon, delta, 2), lists, 3)
    worst, pairs = worst_delta(laws, lists, epsilon)
    assert pairs == 512 * 21
    assert abs(worst - delta / (1 + delta)) <= tolerance


@pytest.mark.first(1)
@pytest.mark.parametrize("k", [1, 2])
def test_private_on_all_k_bounded_scores(k, epsilon, tolerance):
    """Which scores rise may depend on the data: common part, k up on one side, k on the other."""
    delta, pool = F(1, 20), range(3)

    @cache
    def law(scores):
        return ExactSource().law(
            lambda source: sparse_select(
                dict(enumerate(scores)),
                k=k,
                epsilon=epsilon,
                delta=delta,
                source=source,
                default=None,
            )
        )

    def raised(scores, which):
        return tuple(s + (i in which) for i, s in enumerate(scores))

    worst = F(0)
    for common in product(range(-1, 3), repeat=3):
        for mine, yours in product(subsets(pool, k), repeat=2):
            p, q = law(raised(common, mine)), law(raised(common, yours))
            worst = max(worst, upper_end(hockey_stick(p.outcomes, q.outcomes, epsilon)))
    assert abs(worst - delta / (1 + delta)) <= tolerance


def test_the_paper_s_bottom_is_private_where_it_would_be_too_light():
    """(k/delta)**10 forgets e**(epsilon/2): for a large epsilon the tight weight is taken."""
    epsilon, delta, lists = F(100), F(1, 2), subsets("ab", 1)
    laws = all_laws(lists_mechanism(epsilon, delta, 1, "paper"), lists, 2)
    assert worst_delta(laws, lists, epsilon)[0] <= delta
    too_light = exp(0, times=2**10)
    assert (too_light - removal_bottom(k=1, epsilon=epsilon, delta=delta)).sign() < 0


def test_the_paper_s_bottom_is_private_and_wastes(epsilon):
    delta, lists = F(1, 10), subsets("ab", 2)
    laws = all_laws(lists_mechanism(epsilon, delta, 2, "paper"), lists, 2)
    worst, _ = worst_delta(laws, lists, epsilon)
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


# Broken variants: each must be caught.


def broken(counts_of, epsilon, delta, cap, factor=F(1)):
    """The mechanism with other counts, or with a bottom that is too light."""
    weight = removal_bottom(k=cap, epsilon=epsilon, delta=delta) * factor
    return lambda profile, source: _draw(
        counts_of(profile),
        rate=epsilon / 2,
        bottom=weight,
        source=source,
        default=None,
        order=canonical_key,
    )


def test_a_bottom_that_is_too_light_is_caught(epsilon):
    """The bound is tight: (1 - delta) of the weight is just enough, 1% less is not."""
    delta, lists = F(1, 10), subsets("ab", 2)
    for factor, private in ((1 - delta, True), ((1 - delta) * F(99, 100), False), (F(1, 2), False)):
        run = broken(lambda p: count_lists(p, cap=2), epsilon, delta, 2, factor)
        worst, _ = worst_delta(all_laws(run, lists, 2), lists, epsilon)
        assert (worst <= delta + F(1, 2**100)) == private


def test_lists_as_multisets_are_caught(epsilon):
    """One list that names an item twice moves its score by 2."""
    delta, others = F(1, 100), [("a",)] * 52 + [("b",)] * 60
    for counts_of, private in (
        (lambda p: count_lists(p, cap=2), True),
        (lambda p: Counter(chain.from_iterable(p)), False),
    ):
        run = broken(counts_of, epsilon, delta, 2)
        p, q = (
            ExactSource().law(lambda s, run=run, one=one: run([*others, one], s)).outcomes
            for one in (("a", "a"), ("b", "b"))
        )
        assert (upper_end(hockey_stick(p, q, epsilon)) <= delta) == private


def by_global_rank(profile):
    """Truncate each list to the item that is most popular over all lists."""
    popular = Counter(chain.from_iterable(profile))
    return Counter(max(one, key=lambda item: (popular[item], item)) for one in profile if one)


def by_first_seen(profile):
    """Truncate in the order of a dictionary that all lists share, as hash tables do."""
    seen = {item: i for i, item in enumerate(dict.fromkeys(chain.from_iterable(profile)))}
    return Counter(min(one, key=seen.__getitem__) for one in profile if one)


@pytest.mark.more
@pytest.mark.parametrize("truncate", [by_global_rank, by_first_seen])
def test_truncation_that_looks_at_other_lists_is_caught(truncate, epsilon):
    delta = F(1, 10**6)
    lists = [("a", "b"), ("b", "c"), ("c",), ("a", "c")]
    run = broken(truncate, epsilon, delta, 1)
    worst, _ = worst_delta(all_laws(run, lists, 4), lists, epsilon)
    assert worst > delta


def test_half_the_noise_is_caught(epsilon):
    """Beside a light-weight bottom: one list moves from b, which leads, to a."""
    delta, others = F(1, 100), [("a",)] * 56 + [("b",)] * 60
    for spent, private in ((epsilon, True), (2 * epsilon, False)):
        run = lists_mechanism(spent, delta, 1)
        p, q = (
            ExactSource().law(lambda s, run=run, one=one: run([*others, one], s)).outcomes
            for one in (("a",), ("b",))
        )
        assert (upper_end(hockey_stick(p, q, epsilon)) <= delta) == private


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
    [("epsilon", 0), ("delta", 0), ("delta", 1), ("k", 0), ("k", 1.5), ("bottom", "loose")],
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


@pytest.mark.more
def test_a_million_candidates_of_big_integers():
    scores = {2**100 + i: 1 for i in range(10**6)} | {7: 90}
    chosen = sparse_select(scores, k=1, epsilon=1, delta=1e-6, source=SeededSource(1), default=None)
    assert chosen == 7


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
        assert upper_end(chances[least]) <= F(beta)
        assert chances[least - 1] > float(F(beta)) or least == 1


def test_published_sizes():
    """Blocks of Yan's Lemma 1, with the tight bottom."""
    assert score_needed(k=1, epsilon=1, delta=1e-6, beta=0.01) == 38  # 37.8; the paper: 443
