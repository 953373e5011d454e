"""Checks of the accounts: no guarantee flatters, and no ledger overspends."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Hashable
from fractions import Fraction
from pathlib import Path
from typing import Any

from littlestone.classes import Thresholds
from littlestone.data import Sample, UserSample
from littlestone.evaluation import release_histogram
from littlestone.learners import registry
from littlestone.learners.running import _histogram, promise, shares_of
from littlestone.learners.running import run as publish
from littlestone.privacy import Ledger, Pure
from littlestone.privacy.compose import Filter
from littlestone.source import ExactSource, SecureSource, SeededSource, Source

from .base import Detector

__all__ = ["OF_PRIVACY"]

F = Fraction


def prices() -> str | None:
    """Compare the price of a coin in zCDP with its exact divergences."""
    rule = Filter("zcdp", F(4), F(1, 10**6))
    for epsilon in (0.1, 1.0, 3.0):
        rho = float(rule.price(Pure(F(str(epsilon)))).cost)
        p = math.exp(epsilon) / (1 + math.exp(epsilon))
        divergence = (2 * p - 1) * epsilon  # of order 1: that of Kullback and Leibler
        if divergence > rho * (1 + 1e-12):
            return f"a coin of epsilon {epsilon:g} is sold for rho {rho:.3g}, is {divergence:.3g}"
    return None


def paid_in_full() -> str | None:
    """Check that a ledger is charged for the evaluation, too."""
    learner = registry.make("generic", Thresholds(1, 9), epsilon=1)
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder, "budget.db"), epsilon=9)
        made = publish(
            learner, Sample.of([1, 9], [0, 1]), SecureSource(), evaluate="1/2", ledger=ledger
        )
        if made.guarantee.epsilon != 1 or ledger.spent().epsilon != 1:
            return "the evaluation is free"
    return None


def evaluations() -> str | None:
    """Compare one record's releases with another's: a hypothesis, and the cells that change."""
    learner, part = registry.make("generic", Thresholds(1, 2), epsilon=1), F(9, 10)
    own = shares_of(learner, evaluate=part).learner(learner)

    def cell(count: int, source: Source) -> Hashable:
        cells = [[count], [0]]
        return release_histogram([0], cells, n=1, epsilon=part, source=source).counts[0][0]

    def law(run: Any) -> dict[Any, float]:
        return {value: float(p.mid()) for value, p in ExactSource().law(run).outcomes.items()}

    empty, full = (law(lambda s, count=count: cell(count, s)) for count in (0, 1))
    up = max(math.log(full[v] / empty[v]) for v in full)
    down = max(math.log(empty[v] / full[v]) for v in full)
    zero, one = (
        law(lambda s, y=y: own.draw(Sample.of([1], [y]), s).key)  # type: ignore[misc]
        for y in (0, 1)
    )
    worst = up + down + max(abs(math.log(zero[h] / one[h])) for h in zero)
    if worst > promise(learner, evaluate=part).epsilon + F(1, 10**9):
        return f"a release and its evaluation lose {worst:.3g}"
    users = UserSample.of([0, 0, 1, 1, 1], [1, 2, 1, 1, 2], [0, 1, 1, 1, 1])
    rule = learner.draw(Sample.of([1], [1]), SeededSource(0))
    told = _histogram(rule, users, SeededSource(0), 1000, held_out=False)
    if told.n != 2 or sum(map(sum, told.counts)) != 2:
        return "an evaluation counts more than one record of a user"
    return None


OF_PRIVACY: dict[str, Detector] = {
    "prices of coins": prices,
    "paid in full": paid_in_full,
    "a rule and its evaluation": evaluations,
}
