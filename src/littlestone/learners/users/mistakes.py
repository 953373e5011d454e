"""Exact separation of two binomial laws: how many mistakes of a user are many.

A user with m records is wrong more than t times with probability ``tail(m, p, t)`` when each record
is wrong with probability p. Which t tells error p from error q best? The likelihood ratio of two
binomial laws is monotone, so the best event at all is of this form, and its advantage is the total
variation distance (paper 002, Lemma 4.1, bounds it from below by 1/700 of its order of magnitude;
the exact value is about 500 times larger). All of this is in floats: certificates compute their
probabilities again rigorously.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
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

Floats = npt.NDArray[np.float64]
_SHORT = 64  # sums of fewer terms are faster than the import of SciPy


def tail(m: int, p: npt.ArrayLike, t: npt.ArrayLike) -> Floats:
    """Return Pr[Bin(m, p) > t] in floats; certificates compute it again rigorously.

    Examples
    --------
    >>> round(float(tail(2, 0.5, 0)), 12)
    0.75
    """
    if m > _SHORT:
        from scipy.special import bdtrc  # noqa: PLC0415 - slow to import

        return np.asarray(bdtrc(np.asarray(t, dtype=float), m, np.asarray(p, dtype=float)))
    bias, least = np.broadcast_arrays(np.asarray(p, dtype=float), np.asarray(t))
    inner = np.clip(bias, 1e-300, 1 - 1e-16)[..., None]
    k, ways = _log_ways(m)
    chances = np.exp(ways + k * np.log(inner) + (m - k) * np.log1p(-inner))
    inside = np.minimum(np.sum(chances, axis=-1, where=k > least[..., None]), 1.0)
    return np.asarray(np.where(bias <= 0, least < 0, np.where(bias >= 1, least < m, inside)) * 1.0)


def all_tails(m: int, errors: Floats) -> Floats:
    """Return Pr[Bin(m, error) > t] for all errors, and t = 0, ..., m: one row for each error.

    Examples
    --------
    >>> all_tails(2, np.array([0.5, 1.0])).round(12).tolist()
    [[0.75, 0.25, 0.0], [1.0, 1.0, 0.0]]
    """
    inner = np.clip(errors, 1e-300, 1 - 1e-16)[:, None]
    k, ways = _log_ways(m)
    chances = np.exp(ways + k * np.log(inner) + (m - k) * np.log1p(-inner))
    above = np.minimum(np.cumsum(chances[:, :0:-1], axis=1)[:, ::-1], 1.0)
    above[errors <= 0], above[errors >= 1] = 0.0, 1.0
    return np.concatenate([above, np.zeros((len(errors), 1))], axis=1)


@lru_cache(maxsize=16)
def _log_ways(m: int) -> tuple[Floats, Floats]:
    """Return 0, ..., m, and the logarithms of the binomial coefficients C(m, i)."""
    k = np.arange(m + 1, dtype=float)
    return k, np.array([math.log(math.comb(m, i)) for i in range(m + 1)])


def gap(m: int, p: npt.ArrayLike, q: npt.ArrayLike, t: npt.ArrayLike) -> Floats:
    """Return Pr[Bin(m, q) > t] - Pr[Bin(m, p) > t]."""
    return tail(m, q, t) - tail(m, p, t)


def log_moment(tails: Floats, tilts: npt.ArrayLike) -> Floats:
    """Return ln E e**(tilt * clipped mistakes), in floats.

    ``tails``: Pr[B > t], Pr[B > t + 1], ...: the clipped mistakes min(max(B - t, 0), width) are the
    sum of these events.

    Examples
    --------
    >>> bool(np.isclose(log_moment(np.array([0.25]), [1.0])[0], math.log(0.75 + 0.25 * math.e)))
    True
    """
    tilt, i = np.asarray(tilts, dtype=float), np.arange(tails.shape[-1])
    steps = np.exp(tilt[None] * i[:, None]) * np.expm1(tilt)[None]
    return np.asarray(np.log1p(np.maximum(tails @ steps, -1 + 2**-53)))


def crossing(m: int, p: npt.ArrayLike, q: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return the t in [0, m) that separates Bin(m, p) from Bin(m, q) best, for p < q.

    It is where the two probability functions cross: all k above are likelier under q.

    Examples
    --------
    >>> int(crossing(16, 0.25, 0.35)), int(crossing(16, 0.0, 0.1))
    (4, 0)
    """
    low, high = np.clip(p, 1e-300, 1 - 1e-16), np.clip(q, 1e-300, 1 - 1e-16)
    # k ln(q/p) + (m - k) ln((1-q)/(1-p)) > 0
    fall = np.log1p(-low) - np.log1p(-high)
    where = m * fall / (np.log(high) - np.log(low) + fall)
    t = np.clip(np.floor(where), 0, m - 1)
    return np.asarray(t, dtype=np.int64)


def separate(m: int, p: Fraction, q: Fraction) -> tuple[int, float]:
    """Return the best t for telling error p from error q > p, and its advantage.

    Examples
    --------
    >>> t, advantage = separate(16, Fraction(9, 20), Fraction(1, 2))
    >>> t, round(advantage, 3)
    (7, 0.161)
    """
    t = crossing(m, float(p), float(q))
    return int(t), float(gap(m, float(p), float(q), t))


def separate_within(
    m: int, low: npt.ArrayLike, high: npt.ArrayLike, excess: float
) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return the t that tells p from p + excess best for the worst p in [low, high].

    For each t the gap, as a function of p, rises and then falls: its derivative compares two
    values of a beta density. So the worst p is an end of the interval. As a function of t the gap
    at the lower end peaks first, and the best t is where the two gaps cross.

    ``low``, ``high``: intervals; a p above 1 - excess has no p + excess, and does not count.

    Examples
    --------
    >>> t, least = separate_within(64, [0.25], [0.375], 0.1)
    >>> t.tolist(), least.round(3).tolist()
    ([23], [0.364])
    """
    start = np.atleast_1d(np.asarray(low, dtype=float))
    most = 1 - excess
    end = np.minimum(np.atleast_1d(np.asarray(high, dtype=float)), most)
    idle = start >= most
    start = np.minimum(start, most)
    first, last = crossing(m, start, start + excess), crossing(m, end, end + excess)
    for _ in range(math.ceil(math.log2(m + 1)) + 1):  # the gap at the lower end is the larger one
        middle = (first + last) // 2
        more = gap(m, start, start + excess, middle) > gap(m, end, end + excess, middle)
        first, last = (
            np.where(more, np.minimum(middle + 1, last), first),
            np.where(more, last, middle),
        )
    best = np.maximum(first - 1, 0)
    value = _least(m, start, end, excess, best)
    other = _least(m, start, end, excess, first)
    best, value = np.where(other >= value, first, best), np.maximum(value, other)
    return best.astype(np.int64), np.where(idle, 1.0, value)


def _least(m: int, low: Floats, high: Floats, excess: float, t: npt.NDArray[np.int64]) -> Floats:
    return np.minimum(gap(m, low, low + excess, t), gap(m, high, high + excess, t))


# -- Any listed hypotheses at once: 64 of them in each machine word --------------------------------
#
# For each point the labels of all hypotheses are one row of bits, so a record's mistakes are one
# row of bits, too. Rows are added up by full adders, as hardware does it: three rows of one weight
# become their parity (same weight) and their majority (twice the weight), five operations on whole
# rows. After a user's last record the number of mistakes of every hypothesis is there in binary;
# "more than t" is a comparison with a constant, bit by bit; and the users who have more than t are
# added up in the same way. Everything is an exact integer.


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
