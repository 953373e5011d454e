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

from littlestone import append_log
from littlestone.errors import BudgetError, LittlestoneError
from littlestone.privacy import (
    Approximate,
    ChargedTests,
    Guarantee,
    Ledger,
    Loss,
    Pure,
)
from littlestone.source import ExplicitWeights, Source, exp

from .base import Detector, verified

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


OF_LEDGERS: dict[str, Detector] = {
    "sums in a ledger": sums_in_a_ledger,
    "two at one ledger": two_at_one_ledger,
    "charged tests": charged_tests,
}
