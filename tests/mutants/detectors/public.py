"""Checks of what looks public: numbers beside a released value, and cases that look clear.

What a release says beside its value is a function of n and of the request. And a pure claim means
that neighbours have the same possible outcomes, however clear a case is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

from littlestone.classes import Thresholds
from littlestone.mechanisms.median import private_median
from littlestone.papers.li_wang_ye import PrivateCompare
from littlestone.source import Source

from .base import Detector, verified

__all__ = ["OF_PUBLIC"]

F = Fraction


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


class _Least:
    """The least number of users, over the class, who make too many mistakes."""

    def __init__(self, count: int) -> None:
        self._count = count

    def least(self, t: int) -> int:
        return self._count


def clear_comparisons() -> str | None:
    """Verify the comparison of an error with a cut, for every count of users, however clear it is.

    One user moves the least count by at most 1. The claim is pure: so both answers are possible for
    every count, and become e**epsilon times less likely at most.
    """
    for epsilon, n in ((F(1), 12), (F(1), 60), (F(8), 40)):
        compare = PrivateCompare(Thresholds(1, 9), 16, F(1, 4), F(1, 8), epsilon)

        def run(
            count: int, source: Source, compare: PrivateCompare = compare, n: int = n
        ) -> Hashable:
            errors: Any = _Least(count)
            return compare.decide(errors, n, source)

        found = verified(run, pairwise(range(n + 1)), epsilon=epsilon)
        if found:
            return f"{n} users: {found}"
    return None


OF_PUBLIC: dict[str, Detector] = {
    "beside a median": beside_a_median,
    "clear comparisons": clear_comparisons,
}
