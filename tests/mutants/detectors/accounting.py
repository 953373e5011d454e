"""Checks of what is said about mechanisms, so that they can be added up: for real mechanisms.

Composition is told a description of each part: how far its losses reach, its Rényi divergences, its
profile. A description is right if no mechanism of the kind exceeds it; the worst ones are known in
closed form, so each is compared with its exact law.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any

from flint import arb

from littlestone.classes import FiniteClass
from littlestone.data import Sample
from littlestone.learners import registry
from littlestone.learners.running import known_loss
from littlestone.learners.running import run as publish
from littlestone.privacy import (
    Approximate,
    BoundedRange,
    ChargedTests,
    Concentrated,
    Loss,
    Pure,
    compose,
    hockey_stick,
)
from littlestone.source import ExactSource, ExplicitWeights, Source, exp

from .base import Detector, verified

__all__ = ["OF_ACCOUNTING"]

F = Fraction
_ORDERS = (F(11, 10), F(2), F(5))
_RATES = (F(1, 10), F(1), F(3))


def _choices(eta: Fraction) -> list[tuple[ExplicitWeights, ExplicitWeights]]:
    """Return choices between two whose losses, up and up - eta, have exactly that range."""
    pairs = []
    for tenths in range(1, 10):
        up = eta * tenths / 10
        # q : 1 - q = 1 - e**(up-eta) : e**up - 1, and the losses give p
        second = [1 - exp(up - eta), exp(up) - 1]
        first = [exp(up) * second[0], exp(up - eta) * second[1]]
        pairs.append((ExplicitWeights(*first), ExplicitWeights(*second)))
    return pairs


def _law(coin: ExplicitWeights) -> Mapping[Any, arb]:
    return ExactSource().law(lambda source: source.choose(coin)).outcomes


def _renyi(p: Mapping[Any, arb], q: Mapping[Any, arb], order: Fraction) -> arb:
    """Enclose the Rényi divergence of two laws with the same outcomes."""
    power = arb(order.numerator) / order.denominator
    moment = sum((mass**power * q[key] ** (1 - power) for key, mass in p.items()), arb(0))
    return moment.log() / (power - 1)


def _exceeds(loss: Loss, p: Mapping[Any, arb], q: Mapping[Any, arb]) -> bool:
    """Say whether a pair of laws is louder than a description; only if that is certain."""
    for order in _ORDERS:
        stated = loss.renyi(order)
        if stated is not None and _renyi(p, q, order) > stated + arb(2) ** -60:
            return True
    reach = loss.reach or F(0)
    for level in (F(0), reach / 4, reach / 2, reach * 3 / 4):
        at = (arb(level.numerator) / level.denominator).exp()
        stated = loss.profile(at)
        if stated is not None and hockey_stick(p, q, level) > stated + arb(2) ** -60:
            return True
    return False


def descriptions() -> str | None:
    """Compare the descriptions of coins and choices with coins and choices."""
    for rate in _RATES:
        coin = ExplicitWeights(exp(rate), 1), ExplicitWeights(1, exp(rate))
        for loss, pairs in ((Pure(rate), [coin]), (BoundedRange(rate), _choices(rate))):
            for first, second in pairs:
                p, q = _law(first), _law(second)
                if _exceeds(loss, p, q) or _exceeds(loss, q, p):
                    return f"{loss} is less than what such a mechanism tells"
    return None


def charged_tests() -> str | None:
    """Compare the description of charged tests with the transcripts of a hundred coins."""
    for rate, charges in ((0.1, 3), (0.5, 1), (1.0, 2)):
        loss = ChargedTests(F(str(rate)), charges)
        often, rarely = math.exp(rate) / (1 + math.exp(rate)), 1 / (1 + math.exp(rate))
        limit = math.log1p(math.exp(rate)) / rate
        for order in (1 + (limit - 1) / 4, 1 + (limit - 1) * 3 / 4):
            stated = loss.renyi(F(order))
            assert stated is not None
            for p, q in ((often, rarely), (rarely, often)):  # of the charged answer
                charged = p**order * q ** (1 - order)
                free = (1 - p) ** order * (1 - q) ** (1 - order)
                moments = [1.0] * (charges + 1)  # by the charges that are left
                for _ in range(100):
                    for left in range(charges, 0, -1):
                        moments[left] = free * moments[left] + charged * moments[left - 1]
                if math.log(moments[charges]) / (order - 1) > float(stated) * (1 + 1e-9):
                    return f"{charges} charged tests tell more than their description says"
    return None


def parts_together() -> str | None:
    """Verify leaking coins, and choices, at what composition says of several of them."""
    rate, delta = F(1, 2), F(1, 10)

    def coins(bit: int, source: Source) -> Hashable:
        if source.choose(ExplicitWeights(99**4, 100**4 - 99**4)):  # one of four told all
            return "told", bit
        return tuple(bit ^ source.choose(ExplicitWeights(exp(rate), 1)) for _ in range(4))

    epsilon, total = compose([Approximate(rate, F(1, 100))] * 4, delta=delta)
    found = verified(coins, [(0, 1)], epsilon=epsilon, delta=total)
    if found:
        return f"leaking coins: {found}"
    epsilon, total = compose([BoundedRange(F(2))] * 3, delta=delta)
    for pair in _choices(F(2))[::2]:

        def choices(bit: int, source: Source) -> Hashable:
            return tuple(source.choose(pair[bit]) for _ in range(3))  # noqa: B023

        found = verified(choices, [(0, 1)], epsilon=epsilon, delta=total)
        if found:
            return f"choices: {found}"
    return None


def learners_in_zcdp() -> str | None:
    """Compare what learners say of themselves in zCDP with their releases of one record."""
    for name in ("generic", "agnostic"):
        for epsilon, part in ((1, None), (F(1, 4), None), (2, 1)):
            budget: dict[str, Any] = {"epsilon": epsilon, "alpha": F(1, 3), "beta": F(1, 3)}
            learner = registry.make(name, FiniteClass([[0], [1]]), **budget)
            loss = known_loss(learner, evaluate=part)
            if not isinstance(loss, Concentrated):
                continue

            def run(label: int, source: Source) -> Hashable:
                made = publish(
                    learner,  # noqa: B023
                    Sample.of([0], [label]),
                    source,
                    evaluate=part,  # noqa: B023
                )
                return made.hypothesis.key, made.evaluation

            p, q = (ExactSource().law(lambda s, y=y: run(y, s)).outcomes for y in (0, 1))  # type: ignore[misc]
            if any(_renyi(p, q, order) > float(order * loss.rho) for order in _ORDERS):
                return f"{name} tells more than its {loss}"
    return None


OF_ACCOUNTING: dict[str, Detector] = {
    "descriptions of losses": descriptions,
    "charged tests": charged_tests,
    "parts together": parts_together,
    "learners in zCDP": learners_in_zcdp,
}
