"""Checks of mechanisms that the table does not make: special inputs, order, hashes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

from littlestone.audit.mechanism import replace_one
from littlestone.mechanisms import (
    private_count,
    sparse_select_lists,
    stable_histogram,
    stable_items,
)
from littlestone.mechanisms.median import private_median
from littlestone.source import ExactSource, Source

from .base import Detector, verified

__all__ = ["OF_MECHANISMS"]

F = Fraction
ONE, SMALL = F(1), F(1, 10**6)


def repeated_votes() -> str | None:
    """Try lists that name one candidate twice, at an epsilon at which that shows."""
    pool = [(), ("a",), ("a", "a"), ("a", "a", "b", "b"), ("b", "b")]

    def run(lists: Any, source: Source) -> Hashable:
        return sparse_select_lists(
            lists, cap=4, epsilon=2, delta=SMALL, source=source, default=None
        )

    return verified(run, replace_one(pool, 2), epsilon=2, delta=SMALL)


def whole_estimate() -> str | None:
    """Compare all that a private count shows, its interval too."""

    def run(count: int, source: Source) -> Hashable:
        return repr(private_count(count, 12, epsilon=ONE, source=source).to_dict())

    return verified(run, [(5, 6), (0, 1)])


def order_of_records() -> str | None:
    """Check that what is published does not depend on the order in which equal data came."""

    def names(items: tuple[str, ...], source: Source) -> Hashable:
        return tuple(stable_items(items, n=9, epsilon=4, delta=Fraction(1, 4), source=source))

    def counts(items: tuple[str, ...], source: Source) -> Hashable:
        kept = stable_histogram(items, n=9, epsilon=4, delta=Fraction(1, 4), source=source)
        return tuple(kept.items())

    for run in (names, counts):
        laws = set()
        for places in [(0, 1, 2, 3), (5, 6, 7, 8), (0, 2, 4, 6), (1, 3, 5, 7)]:
            items = tuple("a" if i in places else "b" for i in range(9))
            outcomes = ExactSource().law(partial(run, items)).outcomes
            laws.add(repr(sorted((repr(k), str(v)) for k, v in outcomes.items())))
        if len(laws) > 1:
            return "the law depends on the order of the records"
    return None


def _values(n: int, high: int) -> Iterator[list[int]]:
    """Yield n values of [0, high], as different as data can be: none, few or many are equal."""
    step = high // n
    for distinct in (1, 2, n // 3, 2 * n // 3, n - 1, n):
        yield [step * (i % distinct) for i in range(n)]
    yield [high + 1 + i for i in range(n)]
    yield [(-1) ** i * i * high for i in range(n)]


def beside_a_median() -> str | None:
    """Compare all that a private median says but its value, over data sets of n values.

    Mechanism, guarantee, certificate and everything else are chosen by domain, n and request: they
    are equal for equal values and for different ones, and for values outside of [low, high], which
    count as the nearer end. The domains are such that fewer values would change the mechanism.
    """
    for n, bits, rank, mechanism in (
        (400, 64, (0, 1), "auto"),
        (90, 30, (0, 1), "auto"),
        (300, 20, (F(1, 3), F(2, 3)), "tree"),
    ):
        high, said = 2**bits - 1, set()
        for values in _values(n, high):
            released = private_median(
                values, 0, high, epsilon=1, delta=F(1, 10**6), rank=rank, mechanism=mechanism,
                random_state=0,
            )  # fmt: skip
            said.add(repr({**released.to_dict(), "value": None}))
        if len(said) > 1:
            return f"what is said of {n} values depends on the values"
    return None


OF_MECHANISMS: dict[str, Detector] = {
    "repeated votes": repeated_votes,
    "a count with its interval": whole_estimate,
    "order of records": order_of_records,
    "beside a median": beside_a_median,
}
