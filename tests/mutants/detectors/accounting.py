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
from littlestone.learners.running import run as publish
from littlestone.learners.running import shares_of
from littlestone.privacy import (
    ChargedTests,
    Concentrated,
)
from littlestone.source import ExactSource, Source

from .base import Detector

__all__ = ["OF_ACCOUNTING"]

F = Fraction
_ORDERS = (F(11, 10), F(2), F(5))
_RATES = (F(1, 10), F(1), F(3))


def _renyi(p: Mapping[Any, arb], q: Mapping[Any, arb], order: Fraction) -> arb:
    """Enclose the Rényi divergence of two laws with the same outcomes."""
    power = arb(order.numerator) / order.denominator
    moment = sum((mass**power * q[key] ** (1 - power) for key, mass in p.items()), arb(0))
    return moment.log() / (power - 1)


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


def learners_in_zcdp() -> str | None:
    """Compare what learners say of themselves in zCDP with their releases of one record."""
    for name in ("generic", "agnostic"):
        for epsilon, part in ((1, None), (F(1, 4), None), (2, 1)):
            budget: dict[str, Any] = {"epsilon": epsilon, "alpha": F(1, 3), "beta": F(1, 3)}
            learner = registry.make(name, FiniteClass([[0], [1]]), **budget)
            loss = shares_of(learner, evaluate=part).loss(learner)
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
    "charged tests": charged_tests,
    "learners in zCDP": learners_in_zcdp,
}
