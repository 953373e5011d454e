"""Checks of the accounts: no guarantee flatters, and no ledger overspends."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Hashable
from fractions import Fraction
from pathlib import Path
from typing import Any

from littlestone.audit.mechanism import verify_mechanism
from littlestone.classes import Thresholds
from littlestone.data import Sample, UserSample
from littlestone.errors import BudgetError, ParameterError
from littlestone.evaluation import release_histogram
from littlestone.learners import registry
from littlestone.learners.running import _histogram, promise, shares_of
from littlestone.learners.running import run as publish
from littlestone.privacy import Approximate, Guarantee, Ledger, Neighbours, Pure, compose
from littlestone.privacy.compose import Filter
from littlestone.privacy.guarantee import float_up, round_up, short_text
from littlestone.source import ExactSource, ExplicitWeights, SecureSource, SeededSource, Source, exp

from .base import Detector

__all__ = ["OF_PRIVACY"]

F = Fraction


def sums() -> str | None:
    """Verify two coins on one bit at what composition says of them."""
    rates = (F(1), F(1, 2))

    def run(bit: int, source: Source) -> Hashable:
        return tuple(bit ^ source.choose(ExplicitWeights(exp(rate), 1)) for rate in rates)

    for delta in (F(0), F(1, 100)):
        epsilon, leak = compose([Pure(rate) for rate in rates], delta=delta)
        result = verify_mechanism(run, [(0, 1)], epsilon=epsilon, delta=leak)
        if not result.holds:
            return f"two coins leak {result.worst_delta:.3g} at the composed epsilon"
    epsilon, _ = compose([Approximate(F(1), F(1, 100))] * 3, delta="1/20")
    if epsilon < 2:  # three coins that tell all with 1/100 each, and are pure otherwise
        return "leaks are added up to a small epsilon"
    try:
        compose([Approximate(F(1), F(1, 100))] * 3, delta="2/100")
    except ParameterError:
        return None
    return "leaks are not added up"


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


def rounding() -> str | None:
    """Check that all that is shown is at least as large as what is promised."""
    values = [F(1, 3), F(2, 3), F(1, 7), F(10**17 + 1, 10**17), F(1, 10), F(22, 7), F(1, 3 * 10**9)]
    for value in values:
        shown = {
            "a float": F(float_up(value)),
            "a decimal": round_up(value),
            "a text": F(short_text(value)),
            "a page": F(Guarantee(value).to_dict()["epsilon"]),
        }
        for what, number in shown.items():
            if number < value:
                return f"{what} shows less than {value}"
    return None


def ledgers() -> str | None:
    """Spend a ledger to the end, exactly, in small pieces and in one too large."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "budget.db")
        Ledger(path, epsilon=1)
        for _ in range(10):
            Ledger(path).charge(Guarantee(F("0.1")))
        for more in ("1e-30", "0.1", "1"):
            try:
                Ledger(path).charge(Guarantee(F(more)))
            except BudgetError:
                continue
            return f"a ledger of 1 paid 1 and {more}"
        spent = Ledger(path).spent().epsilon
        if spent != 1:
            return f"a ledger says {spent} where 1 was spent"
        return _other_neighbours(Path(folder, "users.db"))


def _other_neighbours(path: Path) -> str | None:
    ledger = Ledger(path, epsilon=9, delta="1/1000", neighbours=Neighbours.USER_REPLACE)
    try:
        ledger.charge(Guarantee(F(1)))
    except ParameterError:
        pass
    else:
        return "a ledger of users paid for records"
    ledger.charge(Guarantee(F(1), F(1, 1000), Neighbours.USER_REPLACE))
    try:
        ledger.charge(Guarantee(F(1), F(1, 1000), Neighbours.USER_REPLACE))
    except BudgetError:
        return None
    return "delta is not added up"


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
