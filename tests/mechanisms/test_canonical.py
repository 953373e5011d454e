"""The public order: total, injective up to equality, a function of the candidate alone."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.errors import ParameterError, UnsupportedError
from littlestone.mechanisms import canonical_key
from littlestone.mechanisms.select import ordered

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


class Concept:
    def __init__(self, key):
        self.key = key


def test_hypotheses_are_ordered_by_their_keys():
    concepts = [Concept((1, "b")), Concept((1, "a")), Concept((0, "z"))]
    keys = [c.key for c in ordered(concepts, canonical_key)]
    assert keys == [(0, "z"), (1, "a"), (1, "b")]


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
