"""Version spaces as arrays of rows, with compiled loops: the ``[fast]`` extra (numba).

A version space is the ascending array of its rows. Each node gathers those rows only and turns
64 x 64 blocks of bits by a transposition network, so that columns shrink with the version space.
The memo stays in Python and is keyed by the *whole* array of rows. This module is imported only
when the backend is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

from littlestone.combinatorics.matrix import BitMatrix, members_of

Rows = npt.NDArray[np.uint32]
Words = npt.NDArray[np.uint64]
Columns = npt.NDArray[np.int64]
F = TypeVar("F", bound=Callable[..., object])

_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


def _compiled(function: F) -> F:
    """Compile a loop at its first call; later processes load it from numba's cache."""
    return cast(F, numba.njit(cache=True)(function))


class RowSpace:
    """Version spaces as ascending row numbers; columns as indices of `BitMatrix.live`."""

    def __init__(self, matrix: BitMatrix) -> None:
        points = list(matrix.live.values())
        packed = np.packbits(matrix.array[:, points], axis=1, bitorder="little")
        wide = np.zeros((matrix.n_hypotheses, -(-len(points) // 64) * 8), dtype=np.uint8)
        wide[:, : packed.shape[1]] = packed
        self._words: Words = wide.view("<u8").astype(np.uint64)
        self._points = points
        self.columns: Columns = np.arange(len(points), dtype=np.int64)

    def of(self, hypotheses: int) -> Rows:
        """Represent a set of hypotheses."""
        return members_of(hypotheses).astype(np.uint32)

    def first_two(self, v: Rows) -> tuple[int, int]:
        """Return the two lowest hypotheses of v (twice the same when there is only one)."""
        return int(v[0]), int(v[min(1, len(v) - 1)])

    def key(self, v: Rows) -> Hashable:
        """Return the whole version space."""
        return v.tobytes()

    def any_balanced(self, v: Rows, n: int, columns: Columns) -> bool:
        """Say whether some column has at least two hypotheses on each side."""
        return bool(_any_balanced(self._words, v, columns))

    def any_balanced_twice(self, v: Rows, n: int, columns: Columns) -> bool:
        """Say whether some column leaves LDim >= 2 on each side."""
        return bool(_any_balanced_twice(self._words, v, columns))

    def splits(
        self, v: Rows, n: int, columns: Columns, half: int
    ) -> tuple[Columns, Iterable[tuple[int, Rows, Rows, int]]]:
        """Return the columns that still matter below v, and the splits worth trying."""
        below, eligible = _scan(self._words, v, columns, half)
        return below, self._sides(v, eligible)

    def _sides(self, v: Rows, eligible: Columns) -> Iterator[tuple[int, Rows, Rows, int]]:
        for column in eligible.tolist():
            small, large = _sides(self._words, v, column)
            yield len(small), small, large, self._points[column]


@_compiled
def _popcount(word: np.uint64) -> np.int64:
    """Count ones (the compiler recognises this pattern as one instruction)."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@_compiled
def _transpose(block: Words) -> None:
    """Transpose a 64 x 64 block of bits in place (Hacker's Delight, section 7-3)."""
    width = 32
    mask = np.uint64(0x00000000FFFFFFFF)
    while width:
        shift = np.uint64(width)
        k = 0
        while k < 64:
            swap = ((block[k] >> shift) ^ block[k + width]) & mask
            block[k] ^= swap << shift
            block[k + width] ^= swap
            k = (k + width + 1) & ~width
        width >>= 1
        mask ^= mask << np.uint64(width)


@_compiled
def _gather(words: Words, rows: Rows, columns: Columns) -> Words:
    """Return the columns restricted to some rows: bit i of a result is row ``rows[i]``."""
    n = len(rows)
    width = (n + 63) // 64
    out = np.zeros((len(columns), width), dtype=np.uint64)
    block = np.empty(64, dtype=np.uint64)
    begin = 0
    while begin < len(columns):  # columns ascend: handle together those of one 64-bit word
        group = columns[begin] >> 6
        end = begin
        while end < len(columns) and columns[end] >> 6 == group:
            end += 1
        for w in range(width):
            base = 64 * w
            filled = min(64, n - base)
            for i in range(filled):
                block[i] = words[rows[base + i], group]
            block[filled:] = 0
            _transpose(block)
            for c in range(begin, end):
                out[c, w] = block[columns[c] & 63]
        begin = end
    return out


@_compiled
def _keep(words: Words, rows: Rows, columns: Columns) -> tuple[Words, Columns, Columns]:
    """Return the smaller sides of distinct columns with two rows on each side, their sizes, ids.

    The tie rule is that of `IntegerSpace`: the side without the lowest row counts as smaller.
    """
    n = len(rows)
    sides = _gather(words, rows, columns)
    width = sides.shape[1]
    tail = _ALL >> np.uint64(64 * width - n)
    sizes = np.empty(len(columns), dtype=np.int64)
    kept = np.empty(len(columns), dtype=np.int64)
    slots = 16
    while slots < 2 * len(columns):
        slots *= 2
    table = np.full(slots, -1, dtype=np.int64)
    count = 0
    for c in range(len(columns)):
        size = np.int64(0)
        for w in range(width):
            size += _popcount(sides[c, w])
        if 2 * size > n or (2 * size == n and sides[c, 0] & _ONE):
            for w in range(width):
                sides[c, w] = ~sides[c, w]
            sides[c, width - 1] &= tail
            size = n - size
        if size < 2:
            continue
        code = np.uint64(0)
        for w in range(width):
            code = (code ^ sides[c, w]) * np.uint64(0x9E3779B97F4A7C15)
            code ^= code >> np.uint64(29)
        slot = np.int64(code & np.uint64(slots - 1))
        new = True
        while table[slot] >= 0:  # a hash only says where to look: whole columns are compared
            other = table[slot]
            if np.array_equal(sides[other], sides[c]):
                new = False
                break
            slot = (slot + 1) & (slots - 1)
        if new:
            sides[count] = sides[c]
            sizes[count] = size
            kept[count] = columns[c]
            table[slot] = count
            count += 1
    return sides[:count], sizes[:count], kept[:count]


@_compiled
def _scan(words: Words, rows: Rows, columns: Columns, half: int) -> tuple[Columns, Columns]:
    """Return the ids of columns that matter below, and of eligible ones, most balanced first."""
    _, sizes, kept = _keep(words, rows, columns)
    order = np.argsort(-sizes, kind="mergesort")  # stable
    last = 0
    while last < len(order) and sizes[order[last]] >= half:
        last += 1
    return kept, kept[order[:last]]


@_compiled
def _sides(words: Words, rows: Rows, column: int) -> tuple[Rows, Rows]:
    """Split rows by a column: smaller side first."""
    n = len(rows)
    group, shift = column >> 6, np.uint64(column & 63)
    one = np.empty(n, dtype=np.uint32)
    zero = np.empty(n, dtype=np.uint32)
    ones = np.int64(0)
    for i in range(n):
        bit = np.int64((words[rows[i], group] >> shift) & _ONE)
        one[ones] = rows[i]
        zero[i - ones] = rows[i]
        ones += bit
    first = (words[rows[0], group] >> shift) & _ONE
    if 2 * ones < n or (2 * ones == n and not first):
        return one[:ones].copy(), zero[: n - ones].copy()
    return zero[: n - ones].copy(), one[:ones].copy()


@_compiled
def _any_balanced(words: Words, rows: Rows, columns: Columns) -> bool:
    """Say whether some column has at least two rows on each side."""
    n = len(rows)
    for c in columns:
        group, shift = c >> 6, np.uint64(c & 63)
        ones = np.int64(0)
        for i in range(n):
            ones += np.int64((words[rows[i], group] >> shift) & _ONE)
            if ones >= 2 and i + 1 - ones >= 2:
                return True
    return False


@_compiled
def _any_balanced_twice(words: Words, rows: Rows, columns: Columns) -> bool:
    """Say whether some column leaves, on each side, a column with two rows on each side."""
    n = len(rows)
    sides, sizes, _ = _keep(words, rows, columns)
    width = sides.shape[1]
    for c in range(len(sizes)):
        inner = sizes[c]
        if inner < 4:
            continue
        outer = n - inner
        inside = outside = False
        for e in range(len(sizes)):
            both = np.int64(0)
            for w in range(width):
                both += _popcount(sides[c, w] & sides[e, w])
            inside |= 2 <= both <= inner - 2
            outside |= 2 <= sizes[e] - both <= outer - 2
            if inside and outside:
                return True
    return False
