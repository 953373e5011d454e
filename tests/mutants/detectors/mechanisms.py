"""Checks of mechanisms that the table does not make: special inputs, order, hashes."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from functools import partial
from typing import Any

from littlestone.audit.mechanism import replace_one
from littlestone.mechanisms import (
    private_count,
    sparse_select,
    sparse_select_lists,
    stable_histogram,
    stable_items,
)
from littlestone.source import ExactSource, Source

from .base import Detector, verified

__all__ = ["OF_MECHANISMS"]

ONE, SMALL = Fraction(1), Fraction(1, 10**6)


def repeated_votes() -> str | None:
    """Try lists that name one candidate twice, at an epsilon at which that shows."""
    pool = [(), ("a",), ("a", "a"), ("a", "a", "b", "b"), ("b", "b")]

    def run(lists: Any, source: Source) -> Hashable:
        return sparse_select_lists(
            lists, cap=4, epsilon=2, delta=SMALL, source=source, default=None
        )

    return verified(run, replace_one(pool, 2), epsilon=2, delta=SMALL)


def popular_candidates() -> str | None:
    """Try candidates so popular that bottom plays no part: only the rate counts."""

    def run(scores: tuple[int, ...], source: Source) -> Hashable:
        held = dict(enumerate(scores))
        return sparse_select(held, k=1, epsilon=ONE, delta=SMALL, source=source, default=None)

    def of_lists(lists: tuple[tuple[int, ...], ...], source: Source) -> Hashable:
        return sparse_select_lists(
            lists, cap=1, epsilon=ONE, delta=SMALL, source=source, default=None
        )

    votes = [tuple((0,) if i < zeros else (1,) for i in range(120)) for zeros in (60, 61)]
    return verified(run, [((60, 60), (61, 59))], delta=SMALL) or verified(
        of_lists, [(votes[0], votes[1])], delta=SMALL
    )


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


OF_MECHANISMS: dict[str, Detector] = {
    "repeated votes": repeated_votes,
    "popular candidates": popular_candidates,
    "a count with its interval": whole_estimate,
    "order of records": order_of_records,
}
