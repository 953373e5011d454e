"""Checks of the verifier itself: it says what is known of laws in closed form, and complains.

Every other detector that compares laws trusts it, and one that forgives would let them all be
content.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from littlestone.audit.mechanism import verify_mechanism
from littlestone.audit.verify import verify
from littlestone.classes import Points
from littlestone.learners import registry
from littlestone.learners.exponential import Generic
from littlestone.privacy import Guarantee
from littlestone.source import ExplicitWeights, Source, exp

from .base import Detector

__all__ = ["OF_VERIFIER"]

F = Fraction


def _coin(rate: Fraction) -> Callable[[int, Source], Hashable]:
    return lambda bit, source: bit ^ source.choose(ExplicitWeights(exp(rate), 1))


def _told(leak: Fraction) -> Callable[[int, Source], Hashable]:
    """Return a run that tells a 1 with a small probability; of a 0 it tells nothing."""
    return lambda bit, source: (
        "told" if source.choose(ExplicitWeights(1 - leak, leak)) and bit else "nothing"
    )


def known_failures() -> str | None:
    """Verify claims that are false by little, in either order, in the first pair or the last."""
    mixed: Any = lambda data, source: _coin(data[1])(data[0], source)  # noqa: E731
    fine, loud = [((0, F(1)), (1, F(1))), ((0, F(11, 10)), (1, F(11, 10)))]
    claims: list[tuple[Any, list[Any], Fraction]] = [
        (mixed, [loud], F(0)),
        (mixed, [fine, loud], F(0)),
        (mixed, [loud, fine], F(0)),
        (_told(F(1, 8)), [(0, 1)], F(1, 9)),
        (_told(F(1, 8)), [(1, 0)], F(1, 9)),
    ]
    shown: Any = lambda data, source: np.arange(3000) == data + source.below(2)  # noqa: E731
    claims.append((shown, [(1500, 1700)], F(0)))
    for run, pairs, delta in claims:
        if verify_mechanism(run, pairs, epsilon=1, delta=delta).holds:
            return "a claim that is false holds"
    if not verify_mechanism(mixed, [fine], epsilon=1, delta=0).holds:
        return "a claim that is true does not hold"
    return None


@dataclass(frozen=True)
class HigherEpsilon(Generic):
    """A learner that claims half of what it spends."""

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        return Guarantee(self.epsilon / 2, seeded=seeded)


def known_failures_of_learners() -> str | None:
    """Verify a learner at its epsilon, and at half of it."""
    honest = registry.make("generic", Points(1, 2), epsilon=4, alpha=F(1, 3), beta=F(1, 3))
    if verify(HigherEpsilon(**vars(honest)), points=[1, 2], n_samples=2).holds:
        return "a learner is verified at half of its epsilon"
    if not verify(honest, points=[1, 2], n_samples=2).holds:
        return "a learner is not verified at its epsilon"
    return None


OF_VERIFIER: dict[str, Detector] = {
    "known failures": known_failures,
    "known failures of learners": known_failures_of_learners,
}
