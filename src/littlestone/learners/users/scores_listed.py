"""Any listed hypotheses at once: 64 of them in each machine word.

For each point the labels of all hypotheses are one row of bits, so a record's mistakes are one row
of bits, too. Rows are added up by full adders, as hardware does it: three rows of one weight become
their parity (same weight) and their majority (twice the weight), five operations on whole rows.
After a user's last record the number of mistakes of every hypothesis is there in binary; "more
than t" is a comparison with a constant, bit by bit; and the users who have more than t are added up
in the same way. Everything is an exact integer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.classes import FiniteClass, Rules
from littlestone.classes.base import LISTABLE, ConceptClass
from littlestone.classes.sparse_sets import predict_all
from littlestone.errors import UnsupportedError
from littlestone.source import Explicit

if TYPE_CHECKING:
    from littlestone.classes.base import HypothesisSet
    from littlestone.data import UserSample
    from littlestone.source import Source
    from littlestone.types import Hypothesis, Points


Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Bits = npt.NDArray[np.bool_]

_TABLE = 1 << 22  # words of the table of labels: 32 MB
_ROWS = 1 << 14  # words of one row of users: 128 kB, within the cache
_ALL = np.uint64(2**64 - 1)


@dataclass(frozen=True)
class Listing:
    """Hypotheses 0, ..., size - 1, and how they label points."""

    size: int
    #: ``labels(start, stop, points)``: bool array, one row for each of these hypotheses.
    labels: Callable[[int, int, Points], Bits]
    hypothesis: Callable[[int], Hypothesis]  # the hypothesis of a number


def listing(hypotheses: ConceptClass | HypothesisSet) -> Listing:
    """Return the list of a class with at most 2**20 candidates, or of a drawn hypothesis set."""
    if isinstance(hypotheses, FiniteClass):
        return _matrix(hypotheses)
    if hypotheses.size > LISTABLE:
        name = hypotheses.spec if isinstance(hypotheses, ConceptClass) else "hypothesis set"
        raise UnsupportedError(
            f"The {name} has more than 2**20 candidates, and no sweep over users. Thresholds, "
            "points and tree paths may be of any size; other classes need a smaller domain, fewer "
            "bins or fewer literals."
        )
    if isinstance(hypotheses, Rules):
        return Listing(hypotheses.size, hypotheses.accepted, hypotheses.hypothesis)
    if isinstance(hypotheses, ConceptClass):
        concepts = list(hypotheses.concepts())
    else:
        concepts = list(hypotheses.hypotheses())

    def labels(start: int, stop: int, points: Points) -> Bits:
        return predict_all(concepts[start:stop], points)

    return Listing(len(concepts), labels, concepts.__getitem__)


def _matrix(finite: FiniteClass) -> Listing:
    def labels(start: int, stop: int, points: Points) -> Bits:
        columns = finite.matrix.shape[1]
        inside = np.asarray((points >= 0) & (points < columns), dtype=bool)
        out = np.zeros((stop - start, len(points)), dtype=bool)
        out[:, inside] = finite.matrix[start:stop, points[inside].astype(np.int64)] == 1
        return out

    return Listing(finite.size, labels, finite.hypothesis)


class ListedErrors:
    """How many users have more than t mistakes, for each of the listed hypotheses, and every t.

    ``m``: public: most records of a user.

    Notes
    -----
    *Cost.* One pass for all t < m at the first question: about N size / 10 operations on words
    of 64 for N groups, and 32 MB; then m * size counts of 4 bytes are kept.

    Examples
    --------
    >>> from littlestone.data import UserSample
    >>> users = UserSample.of(["a", "a", "b"], [0, 1, 1], [0, 1, 1])
    >>> sweep = ListedErrors(listing(FiniteClass([[0, 0], [0, 1], [1, 0]])), users, m=2)
    >>> sweep.scores(0).tolist(), sweep.scores(1).tolist()
    ([2, 0, 2], [0, 0, 1])
    """

    def __init__(self, listed: Listing, users: UserSample, m: int) -> None:
        self._listed, self._users, self._m = listed, users, m
        self._table: npt.NDArray[np.int32] | None = None

    @property
    def size(self) -> int:
        """Number of candidates."""
        return self._listed.size

    def scores(self, t: int, *, width: int = 1) -> Ints:
        """Return for each hypothesis the sum of all users' min(max(mistakes - t, 0), width)."""
        if t >= self._m:
            return np.zeros(self.size, dtype=np.int64)
        if self._table is None:
            self._table = self._count()
        scores: Ints = self._table[t : t + width].sum(axis=0, dtype=np.int64)
        return scores

    def least(self, t: int, *, width: int = 1) -> int:
        """Return the least score, over all candidates."""
        return int(self.scores(t, width=width).min())

    def draw(self, t: int, rate: Fraction, source: Source, *, width: int = 1) -> Hypothesis:
        """Return a hypothesis with probability proportional to ``e**(-rate * score)``, exactly."""
        return self._listed.hypothesis(Explicit(-self.scores(t, width=width)).draw(rate, source))

    def _count(self) -> npt.NDArray[np.int32]:
        points = self._users.points
        blocks = list(_user_blocks(self._users))
        out = np.zeros((self._m, self.size), dtype=np.int32)
        step = 64 * max(1, min(64, _TABLE // (2 * (len(points) + 1))))
        for start in range(0, self.size, step):
            stop = min(start + step, self.size)
            table = _mistakes(self._listed.labels(start, stop, points))
            width = table.shape[1]
            for block in blocks:
                rows = max(1, _ROWS // width)
                for first in range(0, block.n_users, rows):
                    planes = _total(_rows(table, block, slice(first, first + rows)))
                    for t in range(self._m):
                        out[t, start:stop] += _column_sums(_above(planes, t))[: stop - start]
        return out


@dataclass(frozen=True)
class _UserBlock:
    """Users with equally many entries; an entry is a row of the table of mistakes, and a weight.

    ``entries[level]`` has one column for each record of weight ``2**level``, filled up by the row
    of zeros.
    """

    n_users: int
    entries: dict[int, Ints]


def _user_blocks(users: UserSample) -> Iterator[_UserBlock]:
    """Group users by their number of groups, so that rows of zeros are few."""
    n_rows = 2 * len(users.points) + 2
    row = np.where(users.point >= 0, 2 * users.point, n_rows - 2) + users.label
    groups = np.diff(users.starts)
    order = np.argsort(groups, kind="stable")
    for chunk in np.split(order, np.flatnonzero(np.diff(_shape(groups[order]))) + 1):
        most = int(groups[chunk].max(initial=0))
        if not most:
            continue
        column = np.arange(most)
        at = users.starts[chunk][:, None] + column
        there = column < groups[chunk][:, None]
        at = np.where(there, at, 0)
        rows, counts = row[at], np.where(there, users.count[at], 0)
        entries = {
            level: np.where((counts >> level) & 1 == 1, rows, n_rows - 2)
            for level in range(int(counts.max()).bit_length())
        }
        yield _UserBlock(len(chunk), entries)


def _shape(groups: Ints) -> Ints:
    """Return equal numbers for numbers of groups that differ by less than an eighth."""
    exponent = np.maximum(np.frexp(groups.astype(np.float64))[1].astype(np.int64) - 4, 0)
    return (groups >> exponent) + (exponent << 32)


def _mistakes(labels: Bits) -> Words:
    """Return rows of bits: for point i mistakes on label 0 (row 2i) and 1; last for outside."""
    size, points = labels.shape
    words = np.zeros((-(-size // 64), points + 1), dtype=np.uint64)
    for bit in range(min(64, size)):
        some = labels[bit::64]
        words[: len(some), :points] |= some.astype(np.uint64) << np.uint64(bit)
    ones = np.ascontiguousarray(words.T)
    return np.stack([ones, ones ^ _ALL], axis=1).reshape(2 * (points + 1), -1)


def _rows(table: Words, block: _UserBlock, some: slice) -> Iterator[tuple[int, Words]]:
    """Yield the mistakes of these users, record by record, with the weight's exponent."""
    for level, entries in block.entries.items():
        for column in entries[some].T:
            yield level, table[column]


def _total(rows: Iterator[tuple[int, Words]]) -> list[Words | None]:
    """Add up rows of bits by full adders; return the binary digits of the sums, lowest first."""
    waiting: list[list[Words]] = []

    def put(level: int, row: Words) -> None:
        while len(waiting) <= level:
            waiting.append([])
        waiting[level].append(row)
        if len(waiting[level]) == 3:
            a, b, c = waiting[level]
            either = a ^ b
            waiting[level] = [either ^ c]
            put(level + 1, (a & b) | (either & c))

    for level, row in rows:
        put(level, row)
    level = 0
    while level < len(waiting):
        if len(waiting[level]) == 2:
            a, b = waiting[level]
            waiting[level] = [a ^ b]
            put(level + 1, a & b)
        level += 1
    return [digit[0] if digit else None for digit in waiting]


def _above(planes: list[Words | None], t: int) -> Words:
    """Return where the numbers with these binary digits exceed t."""
    some = next(plane for plane in planes if plane is not None)
    above = np.zeros_like(some)
    if t >> len(planes):
        return above
    for i, plane in enumerate(planes):
        digit: Any = np.uint64(0) if plane is None else plane
        above = above & digit if (t >> i) & 1 else above | digit
    return above


def _column_sums(bits: Words) -> Ints:
    """Return for each column of bits how many rows have it set."""
    total = np.zeros(bits.shape[1] * 64, dtype=np.int64)
    weight, here = 1, bits
    while len(here):
        carried: list[Words] = []
        while len(here) > 2:
            third = len(here) // 3
            a, b, c, rest = here[:third], here[third : 2 * third], here[2 * third : 3 * third], None
            rest = here[3 * third :]
            either = a ^ b
            carried.append((a & b) | (either & c))
            here = np.concatenate([either ^ c, rest]) if len(rest) else either ^ c
        for row in np.ascontiguousarray(here).view(np.uint8):
            total += weight * np.unpackbits(row, bitorder="little").astype(np.int64)
        here = np.concatenate(carried) if carried else bits[:0]
        weight *= 2
    return total
