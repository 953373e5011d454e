"""The exponential mechanism over all flats of a small space: exact counts of every score.

The gain of a flat is the sum of the gains of its points. Flats with one direction space are its
translates, so their gains are one table; adding a direction adds up the table along lines.
Direction spaces are walked through by their reduced rows, the row of the largest pivot first, and
nothing but the number of flats of each score is kept. A draw chooses a score by these numbers, and
walks once more to the flat of that score that it has drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.classes.affine_subspaces.linear_algebra import Basis, pivot
from littlestone.classes.vectors import Vector
from littlestone.source import LeveledChoice, Source
from littlestone.types import Hypothesis

__all__ = ["MOST_FLATS", "FlatChoice", "FlatTable", "cells"]

Ints = npt.NDArray[np.int32] | npt.NDArray[np.int64]

#: Most flats that are scored one by one: a few seconds.
MOST_FLATS = 2**26

#: Gains that are added up, or counted, at once.
_CHUNK = 2**21
#: Scores in a range of this length are counted in one array.
_RANGE = 2**22


@dataclass(frozen=True, eq=False)
class FlatTable:
    """The gains of the points of F_q^n, by their numbers to base q.

    Attributes
    ----------
    q, n : int
    dim : int
        Largest dimension of a flat.
    gains : int64 ndarray of shape (q**n,)

    Examples
    --------
    >>> table = FlatTable(2, 2, 1, np.array([3, 0, 0, -1]))  # at (0, 0) and (1, 1)
    >>> sorted(table.levels().items())  # four points and six lines
    [(-1, 3), (0, 3), (2, 1), (3, 3)]
    >>> table.flat(2, 0)
    (((1, 1),), (0, 0))
    """

    q: int
    n: int
    dim: int
    gains: Ints

    def levels(self) -> Counter[int]:
        """Return the number of flats of each gain."""
        found: Counter[int] = Counter()
        waiting: list[Ints] = []
        held = 0
        for block in self._blocks():
            waiting.append(block.gains.ravel())
            held += block.gains.size
            if held >= _CHUNK:
                found.update(_counted(waiting))
                waiting, held = [], 0
        if waiting:
            found.update(_counted(waiting))
        return found

    def flat(self, gain: int, place: int) -> tuple[Basis, Vector]:
        """Return one of the flats of a gain by its number: reduced rows, and an offset."""
        for block in self._blocks():
            here = block.gains.ravel() == gain
            count = int(np.count_nonzero(here))
            if place < count:
                return block.flat(self, int(np.flatnonzero(here)[place]))
            place -= count
        raise IndexError(place)

    def _blocks(self) -> Iterator[_Block]:
        table = self.gains
        yield _Block((), tuple(range(self.n)), None, 0, table.reshape(1, 1, -1))
        if self.dim:
            yield from self._walk(table, (), tuple(range(self.n)), self.n, self.dim)

    def _walk(
        self, table: Ints, rows: Basis, free: tuple[int, ...], below: int, more: int
    ) -> Iterator[_Block]:
        """Yield all flats whose direction has these rows and others, of pivots below."""
        q = self.q
        for p in range(below):
            r = len(free) - p - 1  # a row of pivot p has this many free entries
            cube = table.reshape(q**p, q, q**r)
            step = max(1, _CHUNK // len(table))
            for start in range(0, q**r, step):
                moved = _moved(q, r, start, min(start + step, q**r))
                gains: Any = np.take(cube[:, 0], moved[:, 0], axis=1)
                for t in range(1, q):
                    gains += np.take(cube[:, t], moved[:, t], axis=1)
                block = _Block(rows, free, p, start, gains)
                yield block
                if more > 1 and p:
                    rest = free[:p] + free[p + 1 :]
                    for i in range(gains.shape[1]):
                        wider = (block.row(self, i), *rows)
                        along = np.ascontiguousarray(gains[:, i, :]).reshape(-1)
                        yield from self._walk(along, wider, rest, p, more - 1)


@dataclass(frozen=True, eq=False)
class _Block:
    """Flats along some rows and one more, whose pivot is the place p among the free entries.

    ``gains[a, i, b]`` is that of the row number ``start + i``, through the offset with the digits
    (a, b). Without p: the flats along the rows themselves.
    """

    rows: Basis
    free: tuple[int, ...]
    p: int | None
    start: int
    gains: Any

    def row(self, table: FlatTable, i: int) -> Vector:
        """Return the row of a number."""
        assert self.p is not None
        out = [0] * table.n
        out[self.free[self.p]] = 1
        _write(out, self.free[self.p + 1 :], self.start + i, table.q)
        return tuple(out)

    def flat(self, table: FlatTable, at: int) -> tuple[Basis, Vector]:
        """Return the flat at a place of the gains."""
        a, i, b = (int(k) for k in np.unravel_index(at, self.gains.shape))
        offset = [0] * table.n
        if self.p is None:
            _write(offset, self.free, b, table.q)
            return self.rows, tuple(offset)
        _write(offset, self.free[: self.p], a, table.q)
        _write(offset, self.free[self.p + 1 :], b, table.q)
        rows = tuple(sorted((self.row(table, i), *self.rows), key=pivot))
        return rows, tuple(offset)


def _write(out: list[int], where: tuple[int, ...], number: int, q: int) -> None:
    """Write the digits of a number to base q, the first one first."""
    for place in reversed(where):
        number, out[place] = divmod(number, q)


def _moved(q: int, r: int, start: int, end: int) -> npt.NDArray[np.int64]:
    """Return the number of b + t w for vectors w from start to end, all t of F_q and all b."""
    if q ** (2 * r + 1) <= _RANGE:
        return _all_moved(q, r)[start:end]
    return _made(q, r, start, end)


@lru_cache(maxsize=16)
def _all_moved(q: int, r: int) -> npt.NDArray[np.int64]:
    return _made(q, r, 0, q**r)


def _made(q: int, r: int, start: int, end: int) -> npt.NDArray[np.int64]:
    out = np.zeros((end - start, q, q**r), dtype=np.int64)
    t, b, w = np.arange(q), np.arange(q**r), np.arange(start, end)
    for i in range(r):
        power = q**i
        digit = (b // power)[None, None, :] + t[None, :, None] * (w // power % q)[:, None, None]
        out += digit % q * power
    return out


def _counted(parts: list[Ints]) -> dict[int, int]:
    """Return how often each number occurs."""
    together = np.concatenate(parts)
    low, high = int(together.min()), int(together.max())
    if high - low < _RANGE:
        counts = np.bincount(together - low)
        values = np.flatnonzero(counts)
        return dict(zip((values + low).tolist(), counts[values].tolist(), strict=True))
    numbers, counts = np.unique(together, return_counts=True)
    return dict(zip(numbers.tolist(), counts.tolist(), strict=True))


def cells(rows: npt.NDArray[np.int64], gains: npt.NDArray[np.int64], q: int, n: int) -> Ints:
    """Return the total gain of each vector of F_q^n, by its number to base q."""
    place = np.zeros(len(rows), dtype=np.int64)
    for i in range(n):
        place = place * q + rows[:, i]
    small = int(np.abs(gains).sum()) < 2**31  # no sum leaves 32 bits
    out = np.zeros(q**n, dtype=np.int32 if small else np.int64)
    np.add.at(out, place, gains)
    return out


@dataclass(frozen=True, eq=False)
class FlatChoice:
    """All flats of some tables, scored by their gains less a constant.

    Parameters
    ----------
    tables : sequence of FlatTable
    constant : int
    size : int
        Number of flats, in all tables.
    make : callable
        ``make(table, basis, offset)`` returns the hypothesis.
    """

    tables: list[FlatTable]
    constant: int
    size: int
    make: Callable[[int, Basis, Vector], Hypothesis]

    def draw(self, rate: Fraction, source: Source) -> Hypothesis:
        """Return a flat with probability proportional to ``e**(rate * score)``."""
        return self._choice.draw(rate, source)

    @cached_property
    def _choice(self) -> LeveledChoice[Hypothesis]:
        groups = [(i, *level) for i, t in enumerate(self.tables) for level in t.levels().items()]

        def member(group: int, place: int) -> Hypothesis:
            table, gain, _ = groups[group]
            return self.make(table, *self.tables[table].flat(gain, place))

        scores = [gain - self.constant for _, gain, _ in groups]
        return LeveledChoice(scores, [count for *_, count in groups], member)
