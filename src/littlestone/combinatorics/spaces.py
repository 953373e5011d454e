"""Version spaces as the Littlestone search sees them, in plain Python.

The search (`littlestone.combinatorics.ldim`) is written once, against `Space`. Two
implementations present it the same columns in the same order, hence the same answers *and* the
same node counts: `IntegerSpace` here, and `RowSpace` in `littlestone.combinatorics.fast`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from operator import itemgetter
from typing import Protocol, TypeVar

from littlestone.combinatorics.matrix import BitMatrix

V = TypeVar("V")  # a version space
C = TypeVar("C")  # the columns that still split it


class Space(Protocol[V, C]):
    """What the search asks of a representation of version spaces."""

    columns: C

    def of(self, hypotheses: int) -> V:
        """Represent a set of hypotheses."""

    def first_two(self, v: V) -> tuple[int, int]:
        """Return the two lowest hypotheses of v (twice the same when there is only one)."""

    def key(self, v: V) -> Hashable:
        """Return the *whole* version space as a dictionary key: no fingerprint, no collision."""

    def any_balanced(self, v: V, n: int, columns: C) -> bool:
        """Say whether some column has at least two hypotheses on each side (LDim >= 2)."""

    def any_balanced_twice(self, v: V, n: int, columns: C) -> bool:
        """Say whether some column leaves LDim >= 2 on each side (LDim >= 3)."""

    def splits(
        self, v: V, n: int, columns: C, half: int
    ) -> tuple[C, Iterable[tuple[int, V, V, int]]]:
        """Return the columns that still matter below v, and the splits worth trying.

        A column matters below when each side has at least two hypotheses; equal columns (up to
        complement) count once. A split is (size of the smaller side, smaller side, larger side,
        point) with at least ``half`` >= 2 on the smaller side; most balanced first, then in
        column order.
        """


class IntegerSpace:
    """Version spaces as Python integers; columns as a table from one side to its point."""

    def __init__(self, matrix: BitMatrix) -> None:
        self.columns: dict[int, int] = matrix.live

    def of(self, hypotheses: int) -> int:
        """Represent a set of hypotheses."""
        return hypotheses

    def first_two(self, v: int) -> tuple[int, int]:
        """Return the two lowest hypotheses of v (twice the same when there is only one)."""
        rest = v & (v - 1)
        first = (v & -v).bit_length() - 1
        return first, (rest & -rest).bit_length() - 1 if rest else first

    def key(self, v: int) -> Hashable:
        """Return the whole version space."""
        return v

    def any_balanced(self, v: int, n: int, columns: dict[int, int]) -> bool:
        """Say whether some column has at least two hypotheses on each side."""
        most = n - 2
        for column in columns:  # noqa: SIM110 - the innermost loop; any() would double its time
            if 2 <= (v & column).bit_count() <= most:
                return True
        return False

    def any_balanced_twice(self, v: int, n: int, columns: dict[int, int]) -> bool:
        """Say whether some column leaves LDim >= 2 on each side."""
        below, splits = self.splits(v, n, columns, 4)
        return any(
            self.any_balanced(small, size, below) and self.any_balanced(large, n - size, below)
            for size, small, large, _ in splits
        )

    def splits(
        self, v: int, n: int, columns: dict[int, int], half: int
    ) -> tuple[dict[int, int], Iterable[tuple[int, int, int, int]]]:
        """Return the columns that still matter below v, and the splits worth trying."""
        lowest = v & -v
        below: dict[int, int] = {}
        eligible: list[tuple[int, int, int]] = []
        for column, point in columns.items():
            side = v & column
            size = side.bit_count()
            if 2 * size > n:
                side, size = v ^ side, n - size
            elif 2 * size == n and side & lowest:
                side = v ^ side  # a tie: the side without the lowest hypothesis is "smaller"
            if size >= 2 and side not in below:
                below[side] = point
                if size >= half:
                    eligible.append((size, side, point))
        eligible.sort(key=itemgetter(0), reverse=True)  # stable: ties stay in column order
        return below, ((size, side, v ^ side, point) for size, side, point in eligible)
