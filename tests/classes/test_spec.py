"""Classes as text: safe integers, helpful refusals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.classes import (
    AffineSubspaces,
    FiniteClass,
    Intervals,
    Points,
    Rules,
    SparseSets,
    Thresholds,
    number,
    parse_class,
    parse_integer,
)
from littlestone.data import Schema
from littlestone.errors import ParameterError

SCHEMA = Schema.from_dict({"age": {"bins": [30, 60]}})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("thresholds(1, 99)", Thresholds(1, 99)),
        (" Thresholds ( -3,2**64-1 ) ", Thresholds(-3, 2**64 - 1)),
        ("thresholds(high=9, low=1)", Thresholds(1, 9)),
        ("intervals(1, 1_000)", Intervals(1, 1000)),
        ("intervals(-2**8, (1+2)*3)", Intervals(-256, 9)),
        ("points()", Points()),
        ("points(0, 0xff)", Points(0, 255)),
        ("sparse_sets(2, -3, 2**70)", SparseSets(2, -3, 2**70)),
        ("affine_subspaces(7, 20, 3)", AffineSubspaces(7, 20, 3)),
    ],
)
def test_texts(text, expected):
    assert parse_class(text) == expected
    assert parse_class(expected.spec) == expected


def test_rules_need_a_schema():
    assert parse_class("rules(max_literals=1)", SCHEMA) == Rules(SCHEMA, 1)
    assert parse_class("rules()", SCHEMA) == Rules(SCHEMA)
    assert parse_class(Rules(SCHEMA).spec, SCHEMA) == Rules(SCHEMA)
    with pytest.raises(ParameterError, match="needs a public schema"):
        parse_class("rules(max_literals=2)")


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_files(tmp_path, quote):
    path = tmp_path / "my matrix-1.csv"
    path.write_text("0,1\n1,0\n", encoding="utf-8")
    c = parse_class(f"finite({quote}{path}{quote})")
    assert c == FiniteClass([[0, 1], [1, 0]])
    assert parse_class(c.spec) == c


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("threshold(1, 9)", "Did you mean thresholds"),
        ("interval(1, 9)", "Did you mean intervals"),
        ("forest(3)", "Write one of: affine_subspaces"),
        ("thresholds", "takes low and high"),
        ("thresholds 1", "name with arguments"),
        ("", "name with arguments"),
        ("thresholds(1)", "takes low and high"),
        ("thresholds(1, 2, 3)", "takes low and high"),
        ("thresholds(1, low=2)", "given twice"),
        ("thresholds(1, hi=2)", "'hi' of thresholds"),
        ("thresholds(1, **{})", "unknown"),
        ("thresholds(1, *[2])", "cannot read"),
        ("thresholds(1, 2**(10**9))", "at most 1048576 bits"),
        ("thresholds(1, 10**9**9**9)", "at most"),
        ("thresholds(1, 2**-1)", "cannot read"),
        ("thresholds(1, 2.5)", "cannot read"),
        ("thresholds(1, True)", "cannot read"),
        ("thresholds(1, 'a')", "cannot read"),
        ("thresholds(1, 7/2)", "cannot read"),
        ("thresholds(1, __import__('os'))", "cannot read"),
        ("thresholds(1, (lambda: 2)())", "cannot read"),
        ("thresholds(1, 2) + f(3)", "cannot be read"),
        ("thresholds(1, 2)(3)", "cannot be read"),
        ("thresholds(1, ", "name with arguments"),
        ("thresholds(1,, 2)", "cannot read"),
        (f"thresholds(1, {'(' * 500}2{')' * 500})", "cannot read"),
        (f"thresholds(1, {'-' * 19000}2)", "cannot read"),
        (f"thresholds(1, {'9' * 5000})", "cannot read"),
        (f"thresholds(1, {'1+' * 20000}1)", "cannot read"),
        ("thresholds(9, 1)", "'high' parameter of Thresholds"),
        ("points(1)", "given together"),
        ("finite()", "path of a file"),
        ("finite(absent.csv)", "could not be read"),
        ("rules(0)", "'max_literals' parameter of Rules"),
    ],
    ids=lambda t: t[:40],
)
def test_refusals_teach(text, words):
    with pytest.raises(ParameterError, match=words):
        parse_class(text, SCHEMA)


def test_not_even_a_text():
    with pytest.raises(ParameterError, match="name with arguments"):
        parse_class(None)


@given(text=st.text(max_size=40))
def test_any_text_is_read_or_refused(text):
    for inside in (text, f"thresholds({text})"):
        try:
            parse_class(inside)
        except ParameterError:
            continue


@given(
    st.one_of(
        st.integers(),
        st.integers(0, 20_000).flatmap(
            lambda k: st.sampled_from([2**k, 2**k - 1, 2**k + 1, -(2**k), -(2**k) - 1, 3**k])
        ),
    )
)
def test_integers_round_trip(n):
    assert parse_integer(number(n)) == n


def test_short_texts_of_integers():
    assert [number(n) for n in (0, -1, 2**48 - 1, 2**48, -(2**64), -(2**64) + 1, 1 - 2**64)] == [
        "0", "-1", "281474976710655", "2**48", "-2**64", "-2**64 + 1", "-2**64 + 1",
    ]  # fmt: skip
