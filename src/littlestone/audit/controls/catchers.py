"""Who notices a bug: exact verifications of the table, and checks of what no law shows.

A catcher takes nothing and returns None if all is well, or what it saw.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from littlestone.audit.mechanism import replace_one, verify_mechanism
from littlestone.audit.table import CASES
from littlestone.mechanisms import exponential_mechanism, sparse_select_lists, stable_items
from littlestone.source import ExactSource, Explicit, HiddenStateError, Source

__all__ = ["CATCHERS", "NOTICED", "Catcher"]

Catcher = Callable[[], str | None]

#: Raised by a catcher that noticed something; every other error is a broken control.
NOTICED = (HiddenStateError,)

ONE, SMALL = Fraction(1), Fraction(1, 10**6)


def _of_table() -> dict[str, Catcher]:
    def catcher(check: Callable[[Any], Any]) -> Catcher:
        def run() -> str | None:
            result = check(())
            if result.holds:
                return None
            return f"worst delta {result.worst_delta:.3g}, claimed {float(result.delta):.3g}"

        return run

    return {case.name: catcher(case.check) for case in CASES}


def _verified(run: Callable[[Any, Source], Hashable], pairs: Any, delta: Any = 0) -> str | None:
    result = verify_mechanism(run, pairs, epsilon=ONE, delta=delta)
    return None if result.holds else f"worst delta {result.worst_delta:.3g}"


def wide_scores() -> str | None:
    """Scores that one record moves by up to 3."""

    def run(scores: tuple[int, ...], source: Source) -> Hashable:
        return exponential_mechanism(
            Explicit(np.array(scores)), epsilon=ONE, sensitivity=3, source=source
        )

    pairs = [((a, b), (a + i, b + j)) for a in range(3) for b in range(3)
             for i in range(-3, 4) for j in range(-3, 4)]  # fmt: skip
    return _verified(run, pairs)


def huge_epsilon() -> str | None:
    """Scores so far apart that their weights leave the range of a double."""

    def run(scores: tuple[int, ...], source: Source) -> Hashable:
        return exponential_mechanism(Explicit(np.array(scores)), epsilon=1500, source=source)

    result = verify_mechanism(run, [((0, 2), (1, 1)), ((0, 2), (0, 1))], epsilon=1500, delta=0)
    return None if result.holds else f"worst delta {result.worst_delta:.3g}"


def repeated_votes() -> str | None:
    """Lists that name one candidate twice."""
    pool = [(), ("a",), ("a", "a"), ("a", "b"), ("b", "b")]

    def run(lists: Any, source: Source) -> Hashable:
        return sparse_select_lists(
            lists, cap=2, epsilon=ONE, delta=SMALL, source=source, default=None
        )

    return _verified(run, replace_one(pool, 2), SMALL)


class _Salted(str):
    """A text whose hash, and so its place in a set, depends on a salt."""

    salt = 0

    def __hash__(self) -> int:
        return hash((_Salted.salt, str(self)))

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other)


def hash_order() -> str | None:
    """Laws must not depend on the order in which a set is walked."""
    words = [_Salted(word) for word in ("ash", "birch", "cedar", "elm", "fir", "larch")]
    lists = [words, words[:4], words[2:]]

    def chosen(source: Source) -> Hashable:
        return sparse_select_lists(
            lists, cap=2, epsilon=ONE, delta=SMALL, source=source, default=None
        )

    def kept(source: Source) -> Hashable:
        items = words * 3
        return tuple(stable_items(items, n=18, epsilon=ONE, delta=SMALL, source=source))

    seen = set()
    for salt in range(8):
        _Salted.salt = salt
        for run in (chosen, kept):
            outcomes = ExactSource().law(run).outcomes
            seen.add((run.__name__, repr(sorted((repr(k), str(v)) for k, v in outcomes.items()))))
    return None if len(seen) == 2 else "the law depends on the hash of the items"


def order_of_records() -> str | None:
    """What is published must not depend on the order in which equal data came."""

    def run(items: tuple[str, ...], source: Source) -> Hashable:
        return tuple(stable_items(items, n=9, epsilon=4, delta=Fraction(1, 4), source=source))

    laws = set()
    for places in combinations(range(9), 4):
        items = tuple("a" if i in places else "b" for i in range(9))
        outcomes = ExactSource().law(partial(run, items)).outcomes
        laws.add(repr(sorted((repr(k), str(v)) for k, v in outcomes.items())))
    return None if len(laws) == 1 else "the law depends on the order of the records"


CATCHERS: dict[str, Catcher] = {
    **_of_table(),
    "scores that move by 3": wide_scores,
    "weights beyond a double": huge_epsilon,
    "repeated votes": repeated_votes,
    "hash order": hash_order,
    "order of records": order_of_records,
}
