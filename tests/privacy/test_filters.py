"""Filters: prices, and the best of all adversaries that they let through."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction as F
from functools import cache

import pytest

from littlestone.errors import BudgetError, ParameterError
from littlestone.privacy import (
    Approximate,
    BoundedRange,
    ChargedTests,
    Concentrated,
    Loss,
    Pure,
    compose,
    zcdp_to_dp,
)
from littlestone.privacy.compose import ACCOUNTING, Filter, Price, exactly

# -- Filters: prices, limits, and the adaptivity that a plain formula would get wrong --------------


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


# -- Filters against brute force: the best of *all* adaptive adversaries that a filter lets throug
# An adversary chooses each mechanism, its parameters included, after all answers so far, as long
# as the filter allows it. Mechanisms are the worst of their kind (two answers, and perhaps a
# leak), so the best adversary is found backwards, over the budget spent and the likelihood ratio
# so far.

#: All log ratios are multiples of it.
UNIT = F(1, 20)
ROUNDING = 1e-12

#: What happens: chance under the second law, and by how many units the log ratio grows.
Answers = list[tuple[float, int]]


def worst_pairs(loss: Loss) -> Iterator[tuple[Answers, float]]:
    """Yield worst pairs of laws for a promise: their answers, and the chance to tell everything."""
    if isinstance(loss, Pure):  # randomized response [KOV15]; also for Approximate
        steps, e = int(loss.epsilon / UNIT), math.exp(loss.epsilon)
        assert steps * UNIT == loss.epsilon
        stay = 1 - float(loss.leak)
        yield [(stay / (1 + e), steps), (stay * e / (1 + e), -steps)], float(loss.leak)
    elif isinstance(loss, BoundedRange):  # ratios a and a - eta
        steps = int(loss.eta / UNIT)
        assert steps * UNIT == loss.eta
        for up in range(1, steps):
            high, low = math.exp(up * UNIT), math.exp((up - steps) * UNIT)
            yield [((1 - low) / (high - low), up), ((high - 1) / (high - low), up - steps)], 0.0
    else:
        raise TypeError(loss)


def best_attack(rule: Filter, menu: list[Loss], epsilon: F, *, price=None) -> float:
    """Return the largest hockey-stick divergence at epsilon that the filter cannot prevent."""
    price = price or rule.price
    choices = [(price(loss), list(worst_pairs(loss))) for loss in menu]
    factor = math.exp(epsilon)

    @cache
    def best(spent: Price, units: int) -> float:
        # the past has chance 1 under the second law, and e**(units * UNIT) under the first
        found = max(math.exp(units * UNIT) - factor, 0.0)
        for cost, pairs in choices:
            if rule.allows(spent, cost):
                after = Price(spent.cost + cost.cost, spent.leak + cost.leak)
                for answers, told in pairs:
                    value = told * math.exp(units * UNIT)
                    value += sum(q * best(after, units + more) for q, more in answers)
                    found = max(found, value)
        return found

    return best(Price(F(0), F(0)), 0)


MENU = [Pure("0.1"), Pure("0.25"), Pure("0.4"), BoundedRange("0.3")]
LEAKING = [*MENU, Approximate("0.2", "1/50"), Approximate("0.05", "1/20")]


@pytest.mark.parametrize("budget", [F(1), F("0.75"), F("1.3")])
def test_pure(budget):
    """Nothing beyond the budget, and all of it: 0.95 of it would not be enough."""
    rule = Filter("pure", budget, F(0))
    assert best_attack(rule, MENU, budget) <= ROUNDING
    assert best_attack(rule, MENU, budget * F(95, 100)) > 1e-3


@pytest.mark.parametrize(("epsilon", "delta"), [(F(1), F(1, 10)), (F("0.55"), F("0.07"))])
def test_approximate(epsilon, delta):
    rule = Filter("approximate", epsilon, delta)
    worst = best_attack(rule, LEAKING, epsilon)
    assert 0.9 * delta < worst <= delta + ROUNDING


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("epsilon", "delta", "menu"),
    [
        (F(1), F(1, 10), [Pure("0.1"), Pure("0.25"), Pure("0.4")]),
        (F(1), F(1, 10), [BoundedRange("0.3"), BoundedRange("0.4"), Pure("0.2")]),
        (F(1), F(1, 1000), [Pure("0.05"), Pure("0.15"), BoundedRange("0.2")]),
        (F(2), F(1, 10), [Pure("0.5"), BoundedRange("0.7"), Approximate("0.5", "1/50")]),
        (F("0.5"), F("0.04"), [Pure("0.1"), Approximate("0.05", "1/100")]),
    ],
)
def test_zcdp(epsilon, delta, menu):
    """The conversion is not tight, but its divergence is within a few times of what is reached."""
    rule = Filter("zcdp", epsilon, delta)
    worst = best_attack(rule, menu, epsilon)
    assert delta / 40 < worst <= delta + ROUNDING


@pytest.mark.parametrize(
    ("rule", "loss", "times"),
    [
        (Filter("pure", F(1), F(0)), Pure("0.1"), 10),
        (Filter("pure", F(1), F(0)), BoundedRange("1/3"), 3),
        (Filter("approximate", F(1), F("1e-6")), Approximate("0.1", "1e-7"), 10),
        (Filter("approximate", F(9), F("1e-6")), Approximate("0.1", "1e-7"), 10),
        (Filter("approximate", F(1), F("1e-6")), Approximate("0.5", "1e-9"), 2),
        (Filter("zcdp", F(1), F("1e-6")), Approximate("0.001", "1e-7"), 5),
    ],
    ids=lambda value: getattr(value, "accounting", None) or str(value),
)
def test_what_plainly_fits_is_not_refused(rule, loss, times):
    """To the last drop of either sum, and not one more."""
    spent, cost = Price(F(0), F(0)), rule.price(loss)
    for _ in range(times):
        assert rule.allows(spent, cost)
        spent = Price(spent.cost + cost.cost, spent.leak + cost.leak)
    assert not rule.allows(spent, cost)


def test_all_of_rho_may_be_spent():
    rule = Filter("zcdp", F(1), F("1e-6"))
    whole = rule.limit.cost
    nothing = Price(F(0), F(0))
    assert rule.allows(nothing, rule.price(Concentrated(whole)))
    half = rule.price(Concentrated(whole / 2))
    assert rule.allows(half, half)
    assert not rule.allows(Price(half.cost + whole / 10**9, F(0)), half)


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


def test_an_adversary_who_adapts_gains_over_all_fixed_sequences():
    """So it is adaptivity that the search tries: in zCDP it helps to wait for a lucky answer."""
    rule = Filter("zcdp", F(1), F(1, 10))
    menu: list[Loss] = [Pure("0.2"), Pure("0.35")]
    goal = F("0.9")

    def divergence(sequence: tuple[Loss, ...]) -> float:
        law = {0: 1.0}
        for loss in sequence:
            answers, _ = next(worst_pairs(loss))
            after: dict[int, float] = {}
            for units, q in law.items():
                for chance, more in answers:
                    after[units + more] = after.get(units + more, 0.0) + q * chance
            law = after
        factor = math.exp(goal)
        return sum(max(q * (math.exp(units * UNIT) - factor), 0.0) for units, q in law.items())

    def fixed(spent: Price, sequence: tuple[Loss, ...]) -> Iterator[tuple[Loss, ...]]:
        yield sequence
        for loss in menu:
            cost = rule.price(loss)
            if rule.allows(spent, cost):
                yield from fixed(Price(spent.cost + cost.cost, F(0)), (*sequence, loss))

    blind = max(divergence(sequence) for sequence in fixed(Price(F(0), F(0)), ()))
    assert 0 < blind * 1.05 < best_attack(rule, menu, goal)
