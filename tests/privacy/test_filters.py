"""Filters: prices, limits, and the adaptivity that a plain formula would get wrong."""

import itertools
from fractions import Fraction as F

import pytest

from littlestone.errors import BudgetError, ParameterError
from littlestone.privacy import (
    Approximate,
    BoundedRange,
    ChargedTests,
    Concentrated,
    Pure,
    compose,
    zcdp_to_dp,
)
from littlestone.privacy.compose import ACCOUNTING, Filter, Price, exactly


def test_prices():
    pure, basic = Filter("pure", F(1), F(0)), Filter("approximate", F(1), F("1e-6"))
    zcdp = Filter("zcdp", F(1), F("1e-6"))
    assert pure.price(Pure("0.1")) == (F(1, 10), 0)
    assert pure.price(BoundedRange("0.1")) == (F(1, 10), 0)
    assert basic.price(Approximate("0.1", "1e-9")) == (F(1, 10), F(1, 10**9))
    assert zcdp.price(Pure("0.1")) == (F(1, 200), 0)
    assert zcdp.price(BoundedRange("0.1")) == (F(1, 800), 0)
    assert zcdp.price(Concentrated("0.1")) == (F(1, 10), 0)
    assert zcdp.price(Approximate("0.1", "1e-9")) == (F(1, 200), F(1, 10**9))
    # A divergence is never more than the pure epsilon.
    assert zcdp.price(Pure(10)) == (10, 0)
    for accounting, loss in [
        (pure, Approximate(1, "1e-9")),
        (pure, Concentrated(1)),
        (basic, Concentrated(1)),
        (basic, ChargedTests(1, 2)),
        (zcdp, ChargedTests(1, 2)),
    ]:
        with pytest.raises(BudgetError, match="Nothing was spent"):
            accounting.price(loss)


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [("1", "1e-6"), ("0.01", "1e-3"), ("50", "1e-12"), ("1e6", "1e-6"), ("1e-5", "0.999")],
)
def test_the_limit_in_zcdp_is_valid_and_nearly_the_best(epsilon, delta):
    rule = Filter("zcdp", F(epsilon), F(delta))
    rho = rule.limit.cost
    assert zcdp_to_dp(rho, rule.delta / 2) <= rule.epsilon
    assert zcdp_to_dp(rho * (1 + F(1, 10**6)), rule.delta / 2) > rule.epsilon
    again = Filter("zcdp", F(epsilon), F(delta), rho)
    assert again.limit == rule.limit
    with pytest.raises(ParameterError):
        Filter("zcdp", F(epsilon), F(delta), rho * 2)
    with pytest.raises(ParameterError):
        Filter("zcdp", F(epsilon), F(delta), F(10) ** 1500)


def test_what_a_filter_lets_through_satisfies_the_budget():
    """All adaptive trees of two coins: a worst-case path is what the filter allows, and no more.

    The mechanism: randomized response of epsilon 1/3 or 1, chosen after the first answer. For each
    policy that the filter allows, the exact divergence of the transcripts is within the budget.
    """
    rule = Filter("pure", F(4, 3), F(0))
    costs = [F(1, 3), F(1)]
    for first, after0, after1 in itertools.product(costs, repeat=3):
        if not all(
            rule.allows(rule.price(Pure(first)), rule.price(Pure(second)))
            for second in (after0, after1)
        ):
            continue
        worst = 0.0
        for a, b in itertools.product((0, 1), repeat=2):
            second = (after0, after1)[a]
            loss = (1 if a else -1) * float(first) + (1 if b else -1) * float(second)
            worst = max(worst, abs(loss))
        assert worst <= float(rule.epsilon) + 1e-12
    assert not rule.allows(Price(F(1), F(0)), Price(F(1), F(0)))


def test_zcdp_prices_are_upper_bounds_of_the_exact_composition():
    """k releases of the budget's last drop stay within it by the library's best accountant."""
    rule = Filter("zcdp", F(1), F("1e-6"))
    for loss in (BoundedRange("0.1"), Pure("0.05"), Approximate("0.05", "1e-9")):
        price = rule.price(loss)
        k = int(rule.limit.cost // price.cost)
        epsilon, _ = compose({loss: k}, delta=rule.delta)
        assert epsilon <= rule.epsilon


def test_largest_pure_can_be_charged_and_no_more():
    for accounting, delta in (("pure", 0), ("approximate", "1e-6"), ("zcdp", "1e-6")):
        for epsilon in ("0.3", "7", "100"):
            rule = Filter(accounting, F(epsilon), F(delta))
            for spent in (F(0), rule.limit.cost / 3, rule.limit.cost):
                most = rule.largest_pure(Price(spent, F(0)))
                assert rule.allows(Price(spent, F(0)), rule.price(Pure(most)))
                more = most * F(1000001, 1000000) + F(1, 10**9)
                assert not rule.allows(Price(spent, F(0)), rule.price(Pure(more)))


def test_numbers_stay_short_and_never_shrink():
    assert exactly(F(1, 7)) == F(1, 7)
    assert exactly(F("0.123456789012345678901234567890")) == F("0.123456789012345678901234567890")
    for x in (F(1, 1009), F(10**40 + 1, 3**90), F(1, 3**9000), F(1, 2**7000)):
        up = exactly(x)
        assert x <= up <= x * (1 + F(1, 10**14))
        assert 10**9000 % up.denominator == 0  # a decimal


@pytest.mark.parametrize(
    ("accounting", "epsilon", "delta"),
    [
        ("pure", F(1), F(1, 10)),
        ("approximate", F(1), F(0)),
        ("zcdp", F(1), F(0)),
        ("zcdp", F(1, 10**30), F(1, 10**30)),
        ("gaussian", F(1), F(0)),
        ("", F(1), F(0)),
    ],
)
def test_budgets_that_make_no_sense(accounting, epsilon, delta):
    with pytest.raises(ParameterError) as caught:
        Filter(accounting, epsilon, delta)
    if accounting not in ACCOUNTING:
        assert "one of" in str(caught.value)
