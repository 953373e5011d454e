"""The Littlestone dimension of a version space, exactly, with a shattered tree as witness; its SOA.

``LDim(V) >= k`` is decided by the recursion "some column leaves ``LDim >= k - 1`` on both sides",
with four exact short cuts: ``|V| < 2**k`` says no; ``k <= 1`` is a count, because hypotheses are
distinct; ``k = 2`` asks for two hypotheses on each side; bounds found for V are kept, keyed by
the whole of V. See docs/combinatorics.md for why nothing is lost.

The standard optimal algorithm gives one label for every point, from one tie rule.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from operator import itemgetter
from typing import Generic, Protocol, TypeVar

import numpy as np

from littlestone.combinatorics.limits import NodeLimit
from littlestone.combinatorics.matrix import BitMatrix
from littlestone.combinatorics.witness import MistakeTree

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


#: Memory for cached bounds, about; when it is full the search continues without new ones.
MEMO_BYTES = 2**30


class LittlestoneSearch(Generic[V, C]):
    """Decide Littlestone dimensions of version spaces of one matrix; remembers bounds."""

    def __init__(self, matrix: BitMatrix, budget: NodeLimit, space: Space[V, C]) -> None:
        self._matrix = matrix
        self._budget = budget
        self._space = space
        self._memo: dict[Hashable, tuple[int, int]] = {}
        self._capacity = MEMO_BYTES // (matrix.n_hypotheses // 8 + 200)

    def bounds(self, v: int) -> tuple[int, int]:
        """Return what is known about LDim(v) without any search: (lower, upper)."""
        n = v.bit_count()
        return self._memo.get(self._space.key(self._space.of(v)), _bounds(n))

    def ldim(self, v: int) -> int:
        """Return LDim(v); -1 for the empty set."""
        lower, upper = self.bounds(v)
        while lower < upper and self.at_least(v, lower + 1):
            lower += 1
        self._remember(self._space.key(self._space.of(v)), lower, lower)
        return lower

    def at_least(self, v: int, k: int) -> bool:
        """Decide LDim(v) >= k."""
        n = v.bit_count()
        lower, upper = _bounds(n)
        if k <= lower or k > upper:
            return k <= lower
        return self._at_least(self._space.of(v), n, k, self._space.columns)

    def _at_least(self, v: V, n: int, k: int, columns: C) -> bool:
        """Decide LDim(v) >= k for n = |v| >= 2**k (fewer hypotheses shatter no tree of depth k)."""
        if k <= 1:
            return True
        if k == 2:
            return self._space.any_balanced(v, n, columns)
        key = self._space.key(v)
        lower, upper = self._memo.get(key) or (1, n.bit_length() - 1)
        if k <= lower or k > upper:
            return k <= lower
        self._budget.spend()
        if k == 3:
            found = self._space.any_balanced_twice(v, n, columns)
        else:
            # Only a column with 2**(k-1) on each side can be the root, but its descendants may
            # use any column with 2 on each side. Handing down fewer is a bug that shows on
            # thresholds (2**j - 1 points, 2**j hypotheses) and almost nowhere else.
            below, splits = self._space.splits(v, n, columns, 1 << (k - 1))
            found = any(
                self._at_least(small, size, k - 1, below)
                and self._at_least(large, n - size, k - 1, below)
                for size, small, large, _ in splits
            )
        if found:
            self._remember(key, k, upper)
        else:
            self._remember(key, lower, k - 1)
        return found

    def _remember(self, key: Hashable, lower: int, upper: int) -> None:
        if len(self._memo) < self._capacity or key in self._memo:
            self._memo[key] = (lower, upper)

    def tree(self, v: int, k: int) -> MistakeTree:
        """Return a shattered tree of depth k; that ``LDim(v) >= k >= 0`` is the caller's promise.

        The same splits are walked again; bounds are cached, so this is cheap after `ldim`.
        """
        points = np.empty(2**k - 1, dtype=np.int64)
        leaves = np.empty(2**k, dtype=np.int64)
        array, space = self._matrix.array, self._space
        todo = [(0, space.of(v), v.bit_count(), k, space.columns)]
        while todo:
            node, part, n, depth, columns = todo.pop()
            first, second = space.first_two(part)
            if depth == 0:
                leaves[node - (2**k - 1)] = first
            elif depth == 1:  # any two hypotheses differ somewhere
                point = int(np.argmax(array[first] != array[second]))
                zero, one = (first, second) if array[second, point] else (second, first)
                points[node] = point
                leaves[2 * node + 1 - (2**k - 1)] = zero
                leaves[2 * node + 2 - (2**k - 1)] = one
            else:
                below, splits = space.splits(part, n, columns, 1 << (depth - 1))
                size, small, large, point = next(
                    split
                    for split in splits
                    if self._at_least(split[1], split[0], depth - 1, below)
                    and self._at_least(split[2], n - split[0], depth - 1, below)
                )
                points[node] = point
                label = int(array[space.first_two(small)[0], point])
                todo.append((2 * node + 1 + label, small, size, depth - 1, below))
                todo.append((2 * node + 2 - label, large, n - size, depth - 1, below))
        return MistakeTree(k, tuple(points.tolist()), tuple(leaves.tolist()))


def _bounds(n: int) -> tuple[int, int]:
    """Bound the Littlestone dimension by the number of (distinct) hypotheses alone."""
    return min(n, 2) - 1, n.bit_length() - 1


def soa(matrix: BitMatrix, search: LittlestoneSearch[V, C], v: int) -> int:
    """Return the labelling of the standard optimal algorithm on a version space.

    The label of x is 0 when restricting to ``h(x) = 0`` keeps the Littlestone dimension, and 1
    otherwise. So when *both* answers lower the dimension the label is 1: the one tie rule of this
    library, and of Lyu's definition. (Alon et al. leave ties open.)

    References
    ----------
    Lyu 2025, section 4, "Notation"; Alon et al. 2022, section 3.2.
    """
    dimension = search.ldim(v)
    known: dict[int, bool] = {}  # equal columns ask once
    labels = 0
    for point, column in enumerate(matrix.columns):
        zeros = v & ~column
        label = known.get(zeros)
        if label is None:
            label = known[zeros] = zeros != v and not search.at_least(zeros, dimension)
        if label:
            labels |= 1 << point
    return labels
