"""Stable histograms and the public order of candidates."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.classes.hypotheses import PointHypothesis
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.mechanisms import (
    canonical_key,
    count_listed,
    histogram_threshold,
    stable_histogram,
    stable_items,
)
from littlestone.mechanisms.select import ordered
from littlestone.privacy.guarantee import upper
from littlestone.source import ExactSource, ReplaySource, SeededSource

# -- Stable histogram: all lists of small pools, replace-one; off by one is caught -----------------

DELTAS = [F(1, 3), F(1, 20), F(1, 10**6)]


def law(release, items, epsilon, delta):
    items = [item for item in items if item is not None]

    def run(source):
        out = release(items, n=3, epsilon=epsilon, delta=delta, source=source)
        return tuple(out.items()) if isinstance(out, dict) else tuple(out)

    return ExactSource().law(run).outcomes


def used(epsilon, delta, brute, tau=None):
    tau = histogram_threshold(epsilon=epsilon, delta=delta) if tau is None else tau
    p = F(brute.exp(-epsilon / 2))
    return p ** (tau - 1) / (1 + p)


@pytest.mark.parametrize("delta", DELTAS)
def test_the_threshold_is_the_least(delta, epsilon, brute):
    tau = histogram_threshold(epsilon=epsilon, delta=delta)
    assert used(epsilon, delta, brute) <= delta
    assert tau == 1 or used(epsilon, delta, brute, tau - 1) > delta
    assert histogram_threshold(epsilon=2, delta=1e-6) == 15


def test_the_list_is_that_of_the_histogram(epsilon):
    for items in ("aab", "abb", "aaa"):
        both = law(stable_items, items, epsilon, F(1, 3))
        full = law(stable_histogram, items, epsilon, F(1, 3))
        merged: dict = {}
        for outcome, chance in full.items():
            key = tuple(item for item, _ in outcome)
            merged[key] = merged.get(key, 0) + chance
        assert set(merged) == set(both)
        assert all(both[key].overlaps(merged[key]) for key in both)


def test_noisy_counts_are_truncated_geometric(brute):
    """One item, count 2 of n = 3: above the threshold each count has its own probability."""
    epsilon, delta = F(1), F(2, 5)
    tau = histogram_threshold(epsilon=epsilon, delta=delta)
    assert tau == 2
    p = F(brute.exp(-epsilon / 2))
    exact = law(stable_histogram, ["a", "a"], epsilon, delta)
    expected = {2: (1 - p) / (1 + p), 3: p / (1 + p)}
    for count, chance in expected.items():
        assert abs(upper(exact[(("a", count),)]) - chance) < F(1, 2**90)
    assert abs(upper(exact[()]) - p / (1 + p)) < F(1, 2**90)


def test_numbers_of_the_certificate():
    for epsilon, delta, beta in product((F(1, 2), 3), (F(1, 10), F(1, 10**6)), (F(1, 4), F(1, 99))):
        for least in (0, 40):
            count = count_listed(epsilon=epsilon, delta=delta, beta=beta, at_least=least)
            missed = [
                ExactSource()
                .law(
                    lambda s, c=c, e=epsilon, d=delta, m=least: tuple(
                        stable_items(["x"] * c, n=c, epsilon=e, delta=d, source=s, at_least=m)
                    )
                )
                .outcomes.get((), 0)
                for c in (count, count - 1)
            ]
            assert missed[0] <= float(beta)
            assert count == 1 or missed[1] > float(beta)


def test_hypotheses_are_items():
    items = [PointHypothesis("b")] * 50 + [PointHypothesis("a")] * 60
    kept = stable_items(items, n=110, epsilon=1, delta=1e-6, source=SeededSource(0))
    assert kept == [PointHypothesis("a"), PointHypothesis("b")]


def test_nothing_gives_nothing():
    source = ReplaySource([])
    assert stable_histogram([], n=0, epsilon=1, delta=0.1, source=source) == {}
    assert source.presented == []


@pytest.mark.parametrize(
    ("name", "value"), [("epsilon", 0), ("delta", 0), ("delta", 1), ("n", -1), ("at_least", 0.5)]
)
def test_parameters_are_checked(name, value):
    parameters = {"n": 1, "epsilon": 1, "delta": 0.1, "at_least": 0, name: value}
    for release in (stable_items, stable_histogram):
        with pytest.raises(ParameterError, match=name):
            release(["secret"], source=ReplaySource([]), **parameters)
    with pytest.raises(ParameterError, match="'n'") as caught:
        stable_items(["secret"] * 2, n=1, epsilon=1, delta=0.1, source=ReplaySource([]))
    assert "secret" not in str(caught.value)


def test_extreme_budgets():
    for epsilon, delta in product(("1e-9", 10**6), ("1e-300", 0.999)):
        tau = histogram_threshold(epsilon=epsilon, delta=delta)
        assert tau >= 1
        out = stable_items([1], n=1, epsilon=epsilon, delta=delta, source=SeededSource(0))
        assert out in ([], [1])


# -- The public order: total, injective up to equality, a function of the candidate alone ----------

items = st.recursive(
    st.one_of(
        st.integers(),
        st.text(max_size=4),
        st.booleans(),
        st.none(),
        st.binary(max_size=3),
        st.fractions(),
        st.floats(allow_nan=False),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple), st.frozensets(inner, max_size=3)
    ),
    max_leaves=5,
)


@given(items, items)
def test_equal_keys_exactly_for_equal_items(a, b):
    assert (canonical_key(a) == canonical_key(b)) == (a == b)
    assert (canonical_key(a) < canonical_key(b)) != (canonical_key(b) <= canonical_key(a))


def test_the_order_does_not_depend_on_how_a_set_was_built():
    for members in permutations(["x", 3, (1,), b"y"]):
        assert canonical_key(frozenset(members)) == canonical_key(frozenset({"x", 3, (1,), b"y"}))
        assert ordered(dict.fromkeys(members), canonical_key) == [3, "x", b"y", (1,)]


def test_numbers_of_all_types_are_one():
    assert len({canonical_key(one) for one in (1, True, 1.0, F(1), np.int64(1))}) == 1


@pytest.mark.parametrize("item", [object(), float("nan"), 1j, {"a"}])
def test_no_order_is_refused_with_advice(item):
    with pytest.raises(UnsupportedError, match="order="):
        canonical_key(item)


@pytest.mark.parametrize("inner", [lambda x: x, lambda x: (x, "a")])
def test_infinities_have_their_place(inner):
    # a point of `Points()` may be infinite: to refuse it while drawing would tell that it is there
    items = [inner(x) for x in (float("inf"), 10**400, F(1, 3), -(10**400), float("-inf"))]
    assert ordered(items, canonical_key) == items[::-1]


def test_an_order_that_does_not_tell_apart_is_refused():
    with pytest.raises(ParameterError, match="'order' parameter"):
        ordered(["a", "b"], len)
