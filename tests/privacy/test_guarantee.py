"""Guarantees: exact numbers, words, JSON, parallel parts, split budgets."""

import json
import random
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.errors import ParameterError
from littlestone.privacy import Approximate, Guarantee, Neighbours, Pure, parallel, split
from littlestone.privacy.guarantee import check_nonnegative, float_up, round_up

positive = st.fractions(min_value=Fraction(1, 10**9), max_value=10**6, max_denominator=10**12)


def test_what_was_typed_is_kept_exactly():
    assert Guarantee(0.1, 1e-6) == Guarantee("1/10", "1e-6")
    assert Guarantee(0.1).epsilon == Fraction(1, 10)


def test_words():
    assert str(Guarantee(1)) == "pure 1-differential privacy, replace-one"
    assert repr(Guarantee(1)) == "<Guarantee: pure 1-differential privacy, replace-one>"
    third = str(Guarantee("1/3", 1e-6, Neighbours.USER_REPLACE, "a.b"))
    assert third == "(0.333334, 1e-06)-differential privacy, user-replace [a.b]"
    for neighbours in Neighbours:
        assert neighbours.unit in ("record", "user")
        assert neighbours.unit in neighbours.words


@pytest.mark.parametrize("show", [str, repr])
def test_seeded_says_so(show):
    assert "NOT PRIVATE (seeded)" in show(Guarantee(1, seeded=True))
    assert "NOT PRIVATE" not in show(Guarantee(1))


def test_pure_is_delta_zero():
    assert Guarantee(1).pure
    assert Guarantee(1).loss == Pure(1)
    assert not Guarantee(1, 1e-9).pure
    assert Guarantee(1, 1e-9).loss == Approximate(1, 1e-9)


@given(positive, st.fractions(min_value=0, max_value=Fraction(999, 1000)), st.booleans())
def test_json_round_trip(epsilon, delta, seeded):
    before = Guarantee(epsilon, delta, Neighbours.ADD_REMOVE, "x", seeded)
    data = json.loads(json.dumps(before.to_dict()))
    assert Guarantee.from_dict(data) == before
    assert Fraction(data["epsilon"]) >= epsilon
    assert Fraction(data["delta"]) >= delta


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"epsilon": -1}, "The 'epsilon' parameter of Guarantee must be a number in [0, inf)"),
        ({"epsilon": float("inf")}, "'epsilon'"),
        ({"epsilon": float("nan")}, "'epsilon'"),
        ({"epsilon": True}, "'epsilon'"),
        ({"epsilon": "1/0"}, "'epsilon'"),
        ({"epsilon": "0/0"}, "'epsilon'"),
        ({"epsilon": "1e999999999"}, "'epsilon'"),
        ({"epsilon": "0" * 10**6}, "'epsilon'"),
        ({"epsilon": 1, "delta": "0/0"}, "'delta'"),
        ({"epsilon": "one"}, "'epsilon'"),
        ({"epsilon": False}, "'epsilon'"),
        ({"epsilon": 1, "delta": 1}, "delta = 1 guarantees nothing"),
    ],
)
def test_refusals(arguments, words):
    with pytest.raises(ParameterError, match="Guarantee") as caught:
        Guarantee(**arguments)
    assert words in str(caught.value)


def test_parallel_is_the_maximum():
    both = parallel(Guarantee(1, claim="a"), Guarantee(2, 1e-9, claim="b", seeded=True))
    assert (both.epsilon, both.delta, both.seeded) == (2, Fraction(1, 10**9), True)
    assert both.claim == "dp.parallel(a, b)"


def test_parallel_refuses_mixed_or_no_relations():
    with pytest.raises(ParameterError, match="one neighbouring relation"):
        parallel(Guarantee(1), Guarantee(1, neighbours=Neighbours.USER_REPLACE))
    with pytest.raises(ParameterError, match="one or more"):
        parallel()


@given(positive, st.lists(positive, min_size=1, max_size=6))
def test_split_is_exact(total, weights):
    shares = split(total, weights)
    assert sum(shares) == total
    assert all(s / shares[0] == w / weights[0] for s, w in zip(shares, weights, strict=True))
    rounded = split(total, weights, denominator=2**20)
    assert all(0 <= r <= s for r, s in zip(rounded, shares, strict=True))
    assert sum(rounded) <= total


@pytest.mark.parametrize("weights", [0, -1, [], [1, 0], [-1, 2]])
def test_split_refuses(weights):
    with pytest.raises(ParameterError, match="split"):
        split(1, weights)


@given(positive, st.integers(1, 20))
def test_rounding_never_flatters(x, digits):
    rounded = round_up(x, digits)
    assert x <= rounded <= x * (1 + Fraction(1, 10 ** (digits - 1)))
    up = float_up(x)
    assert Fraction(up) >= x
    assert up <= float(x) * (1 + 2**-51)


def test_rounding_at_the_ends():
    assert round_up(Fraction(0)) == 0
    assert round_up(Fraction(10) ** 500 + 1, 3) == Fraction(101, 100) * Fraction(10) ** 500
    assert float_up(10**400) == float("inf")
    assert float_up(-(10**400)) == float("-inf")
    assert check_nonnegative("f", "x", "0") == 0


# ---------------------------------------------------------------------- other neighbours


def stick(p, q, factor):
    return sum(max(a - factor * b, 0) for a, b in zip(p, q, strict=True))


def test_add_remove_holds_under_replace_one_by_brute_force():
    """Laws with one record, without it, with another one: all that the two steps allow."""
    rng = random.Random(7)
    tightest = 0
    for _ in range(3000):
        epsilon = Fraction(rng.choice([0, 1, 2, 5]), 4)
        laws = []
        for _ in range(3):
            weights = [rng.choice([0, 0, 1, 2, 3, 8, 20]) for _ in range(3)] + [1]
            laws.append([Fraction(w, sum(weights)) for w in weights])
        p, middle, q = laws
        factor = Decimal(float(epsilon)).exp()
        factor = Fraction(factor)  # to 28 digits
        steps = [(p, middle), (middle, p), (middle, q), (q, middle)]
        delta = max(stick(a, b, factor) for a, b in steps)
        if delta >= Fraction(1, 100) * 99 or (1 + factor) * delta >= 1:
            continue
        stated = Guarantee(epsilon, delta, Neighbours.ADD_REMOVE).under(Neighbours.REPLACE_ONE)
        assert stated.epsilon == 2 * epsilon
        assert 0 <= stated.delta - (1 + factor) * delta <= stated.delta / 10**12
        leak = max(stick(p, q, factor**2), stick(q, p, factor**2))
        assert leak <= stated.delta
        tightest = max(tightest, leak / stated.delta if delta else 0)
    assert tightest > Fraction(1, 2)


def test_the_leak_under_replace_one_is_attained():
    delta, factor = Fraction(1, 1000), Fraction(Decimal(1).exp())
    p, middle, q = ([x, 1 - x] for x in ((1 + factor) * delta, delta, Fraction(0)))
    for a, b in ((p, middle), (middle, p), (middle, q), (q, middle)):
        assert stick(a, b, factor) <= delta
    stated = Guarantee(1, delta, Neighbours.ADD_REMOVE).under(Neighbours.REPLACE_ONE)
    assert stick(p, q, factor**2) > stated.delta * (1 - Fraction(1, 10**12))


def test_what_follows_from_nothing_is_refused():
    relations = list(Neighbours)
    for have in relations:
        for want in relations:
            one = Guarantee(1, neighbours=have, claim="c", seeded=True)
            if have is want:
                assert one.under(want) is one
            elif (have, want) == (Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE):
                assert str(one.under(want)).endswith("[dp.replace(c)]: NOT PRIVATE (seeded)")
            else:
                with pytest.raises(ParameterError, match="implies nothing"):
                    one.under(want)
    huge = Guarantee(Fraction(10**30), neighbours="add-remove").under(Neighbours.REPLACE_ONE)
    assert huge == Guarantee(2 * Fraction(10**30), claim="dp.replace")
    with pytest.raises(ParameterError, match="delta"):
        Guarantee(3, "0.1", Neighbours.ADD_REMOVE).under(Neighbours.REPLACE_ONE)
