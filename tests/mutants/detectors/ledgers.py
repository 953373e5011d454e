"""Checks of a ledger's arithmetic and of its file: all that it pays for keeps its promise.

What was paid for is *run*, in the worst mechanisms that there are, and their joint law is compared
with the budget: no formula of the library is taken for granted.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from flint import arb

from littlestone import append_log
from littlestone.classes import Thresholds
from littlestone.data import Sample
from littlestone.errors import BudgetError, LittlestoneError
from littlestone.learners import registry
from littlestone.learners.estimators import GenericLearner
from littlestone.learners.running import run as publish
from littlestone.privacy import (
    Approximate,
    Concentrated,
    Guarantee,
    Ledger,
    Loss,
    Pure,
)
from littlestone.source import ExplicitWeights, SecureSource, Source, exp

from .base import Detector, LateLedger, verified

__all__ = ["OF_LEDGERS"]

F = Fraction
_SMALL = F(1, 10**6)


@contextmanager
def _new(**budget: Any) -> Iterator[Ledger]:
    with tempfile.TemporaryDirectory() as folder:
        yield Ledger(Path(folder, "budget.db"), **budget)


def _paid(ledger: Ledger, offers: Sequence[Loss]) -> Counter[Loss]:
    """Offer releases one after the other, and return those that the ledger pays for."""
    paid: Counter[Loss] = Counter()
    for loss in offers:
        try:
            ledger.charge(loss)
        except BudgetError:
            continue
        paid[loss] += 1
    return paid


def _worst(paid: Counter[Loss]) -> Callable[[int, Source], Hashable]:
    """Return a run of releases that tell one bit as loudly as they may.

    One with (epsilon, delta) tells the bit with probability delta, and is else a coin that is right
    e**epsilon times as often as wrong. Of equal coins the number of ones says all.
    """
    hidden = _hidden(paid)

    def run(bit: int, source: Source) -> Hashable:
        if source.choose(ExplicitWeights(hidden, 1 - hidden)):
            return "told", bit
        ones = []
        for loss, times in paid.items():
            rate = loss.reach or F(0)
            weights = [
                exp(rate * (k if bit else times - k), times=math.comb(times, k))
                for k in range(times + 1)
            ]
            ones.append(source.choose(ExplicitWeights(*weights)))
        return tuple(ones)

    return run


def _hidden(paid: Counter[Loss]) -> Fraction:
    """Return the probability that no release tells all."""
    return math.prod(((1 - loss.leak) ** times for loss, times in paid.items()), start=F(1))


def sums_in_a_ledger() -> str | None:
    """Run all that ledgers of sums have paid for: equal releases, different ones, and many."""
    thirds: list[Loss] = [Pure(F(1, 3))] * 5
    leaks: list[Loss] = [Approximate(F(1, 100), _SMALL / 2)] * 8
    mixed: list[Loss] = [Approximate(F(1, 4), _SMALL / 4), Pure(F(1, 4))] * 4
    for delta, offers in ((None, thirds), (_SMALL, leaks), (_SMALL, mixed)):
        with _new(epsilon=1, delta=delta) as ledger:
            paid = _paid(ledger, offers)
        if not paid:
            return "a ledger pays for nothing"
        found = verified(_worst(paid), [(0, 1)], epsilon=1, delta=delta or 0)
        if found:
            return f"{paid.total()} releases at one ledger: {found}"
    return None


def zcdp_in_a_ledger() -> str | None:
    """Run all that a zCDP ledger has paid for: a Gaussian mechanism, and leaks before or after."""
    leaks: list[Loss] = [Approximate(F(0), _SMALL / 2**i) for i in range(3)]
    for first in (True, False):
        with _new(epsilon=1, delta=_SMALL, accounting="zcdp") as ledger:
            rho = ledger.remaining().rho
            assert rho is not None
            noise: list[Loss] = [Concentrated(rho), Concentrated(rho / 2)]
            paid = _paid(ledger, [*leaks, *noise] if first else [*noise, *leaks])
        told = 1 - _hidden(paid)
        rhos = [loss.rho * times for loss, times in paid.items() if isinstance(loss, Concentrated)]
        # told, or else the Gaussian mechanism of all rhos: disjoint, so the two deltas mix
        delta = _exact(told) + _exact(1 - told) * _gaussian(1, sum(rhos, F(0)))
        if delta > _exact(_SMALL):
            return f"what a zCDP ledger paid for leaks {float(delta):.3g} at its epsilon"
    return None


def _exact(x: Fraction) -> arb:
    return arb(x.numerator) / x.denominator


def _gaussian(epsilon: int, rho: Fraction) -> arb:
    """Return delta of the Gaussian mechanism (Balle and Wang 2018)."""
    shift = (2 * _exact(rho)).sqrt()
    near, far = (
        (-(sign * shift / 2 - epsilon / shift) / arb(2).sqrt()).erfc() / 2 for sign in (1, -1)
    )
    return near - arb(epsilon).exp() * far


def two_at_one_ledger() -> str | None:
    """Let somebody else pay between any two calls of a payment: together they may not overpay.

    No race: the second payment is made inside the first, before each of its calls of the system in
    turn. The one who finds the file locked is refused at once.
    """
    lock = append_log._lock
    for at in range(60):
        with _new(epsilon=1) as one:
            other, paid, calls, inside = Ledger(one.path), [], 0, False

            def pay(ledger: Ledger) -> None:
                try:
                    ledger.charge(Guarantee(F(7, 10)))
                except LittlestoneError:  # refused, or locked
                    return
                paid.append(ledger)  # noqa: B023

            class Watched:
                """The module ``os``, with somebody who pays before one of its functions."""

                def __getattr__(self, name: str) -> Any:
                    nonlocal calls, inside
                    calls += 1
                    if calls == at + 1 and not inside:  # noqa: B023
                        inside = True
                        pay(other)  # noqa: B023
                    return getattr(os, name)

            def at_once(*given: Any, **options: Any) -> None:
                lock(*given, **{**options, "timeout": 0})

            append_log.os, append_log._lock = Watched(), at_once  # type: ignore[attr-defined]
            try:
                pay(one)
            finally:
                append_log.os, append_log._lock = os, lock  # type: ignore[attr-defined]
            if len(paid) != 1 or len(one.history()) != 1:
                return f"two who pay 0.7 at once: {len(paid)} are paid by a budget of 1"
            if not inside:  # the payment has fewer calls
                return None
    return "a payment never ends"


class _Failing:
    """A learner that draws, and then fails: everybody sees that it did."""

    def __init__(self, learner: Any, failure: type[BaseException]) -> None:
        self._learner, self._failure, self.drawn = learner, failure, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._learner, name)

    def draw(self, sample: Any, source: Source) -> Any:
        self._learner.draw(sample, source)
        self.drawn += 1
        raise self._failure

    learn = draw


class _Fit(GenericLearner):
    """An estimator whose learner is given."""

    given: Any = None

    def to_learner(self) -> Any:
        return self.given


def paid_stays_paid() -> str | None:
    """Let fits fail after they drew, again and again: they draw as often as was paid for.

    A failure may depend on the draw, so whoever gets the charge back may draw until it suits.
    """
    learner = registry.make("generic", Thresholds(1, 9), epsilon=1)
    for failure in (ValueError, LittlestoneError, KeyboardInterrupt):
        for fitted in (False, True):
            failing = _Failing(learner, failure)
            with _new(epsilon=2) as ledger:
                for _ in range(4):
                    try:
                        if fitted:
                            shell = _Fit(Thresholds(1, 9), epsilon=1)
                            shell.given = failing
                            shell.fit([1, 9], [0, 1], ledger=ledger)
                        else:
                            sample = Sample.of([1, 9], [0, 1])
                            publish(failing, sample, SecureSource(), ledger=ledger)
                    except BudgetError:
                        break
                    except failure:
                        continue
                if failing.drawn > 2 or ledger.spent().epsilon != failing.drawn:
                    return f"{failing.drawn} draws of epsilon 1 from a budget of 2"
    return None


def nothing_drawn_unpaid() -> str | None:
    """Fit with a ledger that has enough when it is asked, and too little when it is to pay."""
    failing = _Failing(registry.make("generic", Thresholds(1, 9), epsilon=1), ValueError)
    shell = _Fit(Thresholds(1, 9), epsilon=1)
    shell.given = failing
    with _new(epsilon=1) as ledger:
        try:
            shell.fit([1, 9], [0, 1], ledger=LateLedger(ledger.path))
        except BudgetError:
            return "a fit draws before it is paid" if failing.drawn else None
        except ValueError:
            return "a fit draws before it is paid"
    return "a fit that is not paid for"


OF_LEDGERS: dict[str, Detector] = {
    "sums in a ledger": sums_in_a_ledger,
    "zCDP in a ledger": zcdp_in_a_ledger,
    "two at one ledger": two_at_one_ledger,
    "paid stays paid": paid_stays_paid,
    "nothing drawn unpaid": nothing_drawn_unpaid,
}
