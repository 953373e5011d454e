"""A private median, quantile or interior point of an ordered public domain of any size.

==========  ======================================================================================
`values`    the records, and the target; A: the exponential mechanism on the rank, pure,
            n ~ ln |X|; B: one draw over tree nodes, n ~ ln ln |X| + ln(1/delta)
`release`   choosing between A and B by public numbers; B's draw on the paths of any tree
==========  ======================================================================================

The median of order log* is `littlestone.papers.yan.PrivateMedian`. Statements, proofs and
the table of certified n: ``docs/median.md``.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Certificate, CertificateBuilder, Step
from littlestone.bounds.certificate import CERTIFICATES, least_n
from littlestone.bounds.formulas import encode
from littlestone.errors import (
    DataError,
    check_fraction,
    check_integer,
    check_probability,
    parameter_error,
)
from littlestone.mechanisms.select import entering_bottom
from littlestone.privacy import Guarantee
from littlestone.privacy.guarantee import check_nonnegative
from littlestone.source import (
    Exp,
    LeveledChoice,
    ScoreRuns,
    Source,
    StreamedRuns,
    exact_integers,
    exp,
    source_of,
)
from littlestone.types import Json

__all__ = [
    "Chain",
    "MedianPlan",
    "MedianRelease",
    "Ordered",
    "PathTree",
    "RankExponential",
    "RankWindow",
    "TreeEM",
    "choose",
    "one_shot_path",
    "plan_median",
    "private_median",
]


# -- Records of an ordered public domain, and the target of a private quantile.
#
# `Ordered` holds distinct offsets and how many records lie up to each; `RankWindow` says which
# values count as a success, for n records.


@dataclass(frozen=True)
class RankWindow:
    """The values with a rank in [low * n, high * n].

    A value z is in the window when at least ``low * n`` records are <= z and at least
    ``(1 - high) * n`` records are >= z, and at least one in both cases. So (0, 1) asks for an
    *interior point*, (1/4, 3/4) for a value between the quartiles, (0.89, 0.91) for a 90%
    quantile.

    A float end is taken as the simple fraction that it stands for: 1/3 means one third.

    Examples
    --------
    >>> window = RankWindow.of((1/3, 2/3))
    >>> window.needs(10)
    (4, 4)
    """

    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, rank: Any, caller: str = "private_median") -> RankWindow:
        """Return the window after checking it."""
        if isinstance(rank, RankWindow):
            return rank
        hint = "Use (1/3, 2/3) for a value in the middle third, (0, 1) for an interior point."
        try:
            low, high = (_simple(caller, part) for part in rank)
        except (TypeError, ValueError):
            raise parameter_error(caller, "rank", "a pair of numbers", rank, hint) from None
        if not 0 <= low < high <= 1:
            raise parameter_error(
                caller, "rank", "(low, high) with 0 <= low < high <= 1", rank, hint
            )
        return cls(low, high)

    def needs(self, n: int) -> tuple[int, int]:
        """Return (left, right): how many records must be <= z, and how many >= z."""
        return max(1, math.ceil(self.low * n)), max(1, math.ceil((1 - self.high) * n))

    def slack(self, n: int) -> int:
        """Return ``n - left - right``; one value in the middle exceeds both needs by about half."""
        left, right = self.needs(n)
        return n - left - right

    def least_n(self, slack: int) -> int:
        """Return the least n >= 1 from which on the slack is always at least that.

        The slack has a sawtooth: with one record more it may fall by 1. It is larger than
        ``n * (high - low) - 2``.
        """
        n = max(1, math.ceil((slack + 2) / (self.high - self.low)))
        while n > 1 and self.slack(n - 1) >= slack:
            n -= 1
        return n

    @property
    def alpha(self) -> Fraction:
        """Half of the window's width: how far the rank may be from its centre."""
        return (self.high - self.low) / 2

    @property
    def key(self) -> tuple[str, str]:
        """The window as exact texts, for JSON."""
        return str(self.low), str(self.high)

    def __str__(self) -> str:
        return f"({self.low}, {self.high})"


def _simple(caller: str, value: Any) -> Fraction:
    """Return an end of the window; a float stands for the simplest fraction that prints like it."""
    if not isinstance(value, str) and not isinstance(value, bool) and value == 0:
        return Fraction(0)
    exact: Fraction = check_fraction(caller, "rank", value)
    if isinstance(value, float):
        simple = exact.limit_denominator(10**6)
        return simple if float(simple) == float(value) else exact
    return exact


_SMALL = 2**62  # offsets in domains up to this size, with such bounds, are computed in 64 bits


@dataclass(frozen=True, eq=False)
class Ordered:
    """A multiset of n records in {0, ..., size - 1}, sorted and counted.

    ``points`` are the distinct offsets, ascending (int64, or big integers as objects); ``ends[i]``
    records are at most ``points[i]``.
    """

    points: npt.NDArray[Any]
    ends: npt.NDArray[np.int64]
    size: int

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.ends[-1]) if len(self.ends) else 0

    @property
    def before(self) -> npt.NDArray[np.int64]:
        """How many records are smaller than each distinct offset."""
        return np.concatenate([np.zeros(min(1, len(self.ends)), np.int64), self.ends[:-1]])

    @property
    def height(self) -> int:
        """Height of the least binary tree whose leaves hold the domain."""
        return (self.size - 1).bit_length()

    @classmethod
    def read(cls, values: Any, low: int, high: int, caller: str = "private_median") -> Ordered:
        """Sort and count integers, each one clamped to [low, high].

        Clamping is a public rule for single records, so no integer can make a release fail.
        """
        # np.sort, not np.unique: unique would hash the big integers of an object array
        ordered = np.sort(_integers(values, caller), kind="stable")
        last = _last_of_equals(ordered)
        distinct, ends = ordered[last], np.flatnonzero(last).astype(np.int64) + 1
        small = low >= -_SMALL and high <= _SMALL and high - low < _SMALL
        if small and distinct.dtype != object:
            if distinct.dtype == np.uint64:
                distinct = np.minimum(distinct, np.uint64(max(high, 0)))  # now it fits into int64
            clamped: Any = np.clip(distinct.astype(np.int64, copy=False), low, high) - low
        else:
            clamped = [min(max(int(v), low), high) - low for v in distinct.tolist()]
        offsets = exact_integers(clamped, reach=2 * (high - low))
        last = _last_of_equals(offsets)  # clamping has merged values, and kept the order
        return cls(offsets[last], ends[last], high - low + 1)

    @classmethod
    def of(cls, offsets: Any, size: int) -> Ordered:
        """Count a short list of offsets.

        Examples
        --------
        >>> Ordered.of([3, 1, 3], 8).ends
        array([1, 3])
        """
        return cls.read(list(offsets), 0, size - 1)

    def trimmed(self, left: int, right: int) -> Ordered:
        """Return what remains without the ``left`` smallest and the ``right`` largest records."""
        n = max(self.n - left - right, 0)
        ends = np.clip(self.ends - left, 0, n)
        keep = np.diff(ends, prepend=0) > 0
        return Ordered(self.points[keep], ends[keep], self.size)


def _last_of_equals(ordered: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    last = np.ones(len(ordered), dtype=bool)
    last[:-1] = ordered[1:] != ordered[:-1]
    return last


def _integers(values: Any, caller: str) -> npt.NDArray[Any]:
    try:
        array = values if isinstance(values, np.ndarray) else np.asarray(values)
    except ValueError:  # rows of different lengths
        raise _refusal(caller) from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
        values = values if isinstance(values, np.ndarray) else [row[0] for row in values]
    if array.ndim != 1:
        shape = f"{array.ndim} dimensions"
        raise parameter_error(caller, "values", "a sequence of integers, one per record", shape)
    if array.dtype.kind in "iu":
        return array
    if array.dtype.kind == "f" and not isinstance(values, np.ndarray):
        # NumPy turns integers that fit neither signed nor unsigned 64 bits together into floats
        array = _objects(list(values))
    if array.dtype.kind == "f":
        return _objects([_whole(float(v), caller) for v in array])
    if array.dtype == object:
        return _objects([_whole(v, caller) for v in array])
    if not len(array):
        return np.zeros(0, dtype=np.int64)
    raise _refusal(caller)


def _whole(value: Any, caller: str) -> int:
    if isinstance(value, bool):
        raise _refusal(caller)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return int(value)
    raise _refusal(caller)


def _refusal(caller: str) -> DataError:
    return DataError(
        f"Every value given to {caller} must be a whole number. Some value is not. A refusal is "
        "outside the privacy guarantee: convert the values by a public rule first."
    )


def _objects(items: list[Any]) -> npt.NDArray[Any]:
    out = np.empty(len(items), dtype=object)
    out[:] = items
    return out


# -- A. The exponential mechanism on the rank: pure, exact on every domain, needs n ~ ln |X|.
#
# Score of a domain point z: by how many records it exceeds what the window needs on its worse
# side. The score is constant between neighbouring data values, so the whole domain, however
# large, is at most 2k + 1 runs for k distinct values.


EXPONENTIAL, TREE = "median.exponential", "median.tree"


class ByRank:
    """A draw at half of epsilon: one record can raise one score and lower another."""

    if TYPE_CHECKING:
        window: RankWindow
        epsilon: Fraction
        delta: Fraction

    name: ClassVar[str]
    claim: ClassVar[str]

    @property
    def rate(self) -> Fraction:
        """Half of epsilon."""
        return self.epsilon / 2

    def write(self, cert: CertificateBuilder, values: int | Step) -> Step:
        """Write the odds of a draw outside the window of so many values."""
        known: Any = {name: x for name, x in vars(self).items() if name in ("size", "height")}
        return CERTIFICATES[self.claim].write(
            cert, values=values, low=self.window.low, high=self.window.high, rate=self.rate,
            gone=self.delta, **known,
        )  # fmt: skip

    def certificate(self, n: int, beta: Fraction) -> Certificate:
        """Return the statement that z is in the window except with probability beta."""
        cert = CertificateBuilder()
        self.write(cert, cert.step("values", "n", self.claim, n=n))
        cert.step("failure", "odds/(1 + odds)", self.claim)
        cert.step("enough", "n >= 1 and beta >= (1 - beta)*odds", self.claim, n=n, beta=beta)
        return cert.certificate(alpha=self.window.alpha, beta=beta, n=n)


#: From so many distinct values on, runs are streamed in pieces.
LARGE = 1 << 20


@dataclass(frozen=True)
class RankExponential(ByRank):
    """The exponential mechanism over all points of an ordered domain.

    Notes
    -----
    *Guarantee.* Pure epsilon-DP, replace-one: ``L(z) = #{x <= z}`` and ``R(z) = #{x >= z}`` move by
    at most 1, so does the score ``min(L - left, R - right)``; rate epsilon/2. Claim
    ``median.exponential``.

    *Accuracy.* A point in the window has score >= 0. Some data value has score at least
    ``top = floor((n + 1 - left - right) / 2)``; each of the at most size - 1 points outside the
    window has score <= -1. So it fails with odds at most
    ``(size - 1) * e**(-rate * (top + 1))``.

    *Cost.* One sort; one weight for each distinct score. Of more than a million distinct values
    only the scores near the best one are kept (``docs/leveled-choice.md``, Theorem 3).

    *Source.* McSherry and Talwar, FOCS 2007; the score is folklore (Smith, STOC 2011).

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> A = RankExponential(1000, RankWindow.of((1/3, 2/3)), Fraction(1))
    >>> A.draw(Ordered.of([480] * 60 + [520] * 60, 1000), SeededSource(0))
    506
    """

    size: int
    window: RankWindow
    epsilon: Fraction

    name = "exponential"
    claim = EXPONENTIAL
    delta = Fraction(0)

    def draw(self, values: Ordered, source: Source) -> int:
        """Return a domain point with probability proportional to ``e**(rate * score)``."""
        if len(values.points) < LARGE:
            return self.runs(values).draw(self.rate, source)
        streamed = StreamedRuns(lambda: self.pieces(values), self.size)
        return streamed.draw(self.rate, source)

    def runs(self, values: Ordered) -> ScoreRuns:
        """Return the runs of equal score: gap, value, gap, ..., value, gap."""
        left, right = self.window.needs(values.n)
        k, points = len(values.points), values.points
        at_most = np.zeros(2 * k + 1, dtype=np.int64)
        at_most[1::2] = at_most[2::2] = values.ends
        at_least = np.zeros(2 * k + 1, dtype=np.int64)
        at_least[0:-1:2] = at_least[1::2] = values.n - values.before
        starts = np.zeros(2 * k + 1, dtype=points.dtype)
        starts[1::2], starts[2::2] = points, points + 1
        return ScoreRuns(starts, self.size, np.minimum(at_most - left, at_least - right))

    def pieces(self, values: Ordered, most: int = LARGE // 4) -> Iterator[ScoreRuns]:
        """Yield the same runs in parts of at most so many values: they are never all in memory."""
        left, right = self.window.needs(values.n)
        at, upto = 0, 0  # where the gap before the piece starts, and how many values are below it
        for first in range(0, len(values.points), most):
            chosen = slice(first, first + most)
            points, ends = values.points[chosen], values.ends[chosen]
            below = np.append(upto, ends[:-1])
            starts = np.empty(2 * len(points), dtype=points.dtype)
            starts[0::2], starts[1::2] = np.append(at, points[:-1] + 1), points
            scores = np.empty(2 * len(points), dtype=np.int64)
            scores[0::2] = np.minimum(below - left, values.n - below - right)
            scores[1::2] = np.minimum(ends - left, values.n - below - right)
            at, upto = int(points[-1]) + 1, int(ends[-1])
            yield ScoreRuns(starts, at, scores)
        score = min(upto - left, values.n - upto - right)
        start = np.array([at], dtype=values.points.dtype)
        yield ScoreRuns(start, self.size, np.array([score]))

    def odds(self, n: int) -> Exp:
        """Return an upper bound of Pr[fail] / Pr[success] with n >= 1 records."""
        return exp(-self.rate * ((self.window.slack(n) + 1) // 2 + 1), times=self.size - 1)

    def least_n(self, beta: Fraction) -> int:
        """Return the least n from which on the odds are always at most beta : 1 - beta."""
        if self.size == 1:
            return 1
        bad = (self.size - 1) * (1 - beta) / beta
        # the least top + 1 that suffices; top >= 0 besides
        need = least_n(lambda g: (exp(self.rate * g) - bad).sign() >= 0)
        return self.window.least_n(2 * (need - 1) - 1)


# -- B. TreeEM: one draw over the tree nodes that hold a record; needs n ~ ln ln |X| +
# ln(1/delta).
#
# Node v releases z(v), the last leaf of its left child. Score of v: the least margin by which
# z(v) meets the two sides of the rank window, but at most the number of records under v. Few
# nodes can appear when one record is replaced: those on one path, and each holds one record;
# bottom hides them.
#
# *Nodes as few groups.* The leaves of the tree of height h are the domain points; a node at height
# t is an interval of 2**t of them. The nodes that hold k distinct points form a compressed trie: k
# leaves, k - 1 branchings, and edges. On an edge all nodes hold the same records; those whose left
# child holds them share one score, those whose right child does share another. So there are at most
# 6k groups, whatever the height.


Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Trie:
    """The branchings of the compressed trie, one for each gap between neighbouring points.

    ``heights[i]``: of the lowest node that holds points i and i + 1, and with them the points
    ``first[i]`` to ``last[i]``; ``parents[i]``: of the next branching above it, or h + 1.
    """

    heights: Integers
    first: Integers
    last: Integers
    parents: Integers


def branchings(points: npt.NDArray[Any], height: int) -> Trie:
    """Return the branchings of the compressed trie of distinct, ascending points.

    Examples
    --------
    >>> branchings(np.array([1, 4, 6]), 3).heights
    array([3, 2])
    """
    k = len(points)
    heights = bit_length(points[1:] ^ points[:-1])
    lower = np.full(max(k - 1, 0), -1, dtype=np.int64)  # nearest higher gap on the left
    upper = np.full(max(k - 1, 0), k - 1, dtype=np.int64)  # and on the right
    # Two branchings of equal height have a higher one between them, so once all lower gaps are
    # removed, the neighbours of a gap are its nearest higher ones.
    remaining = np.arange(max(k - 1, 0), dtype=np.int64)
    for level in np.unique(heights).tolist():
        at = np.flatnonzero(heights[remaining] == level)
        padded = np.concatenate([[-1], remaining, [k - 1]])
        lower[remaining[at]] = padded[at]
        upper[remaining[at]] = padded[at + 2]
        remaining = np.delete(remaining, at)
    bounded = np.concatenate([heights, [height + 1]])  # index -1 and k - 1: beyond the root
    parents = np.minimum(bounded[lower], bounded[upper])
    return Trie(heights, lower + 1, upper, parents)


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of nodes with equal counts: what a score may depend on, and how to find a node.

    The groups are, in this order, the k leaves; the k - 1 branchings; the edges above leaves and
    then above branchings, nodes whose left child holds the records; the same, right child.

    With z(v), the last leaf of v's left child (for a leaf: the leaf): ``at_most`` counts records <=
    z(v), ``beyond`` those > z(v) (for a leaf: >= z(v)), ``weight`` those under v, and ``sizes`` the
    nodes of each group.
    """

    points: npt.NDArray[Any]
    trie: Trie
    at_most: Integers
    beyond: Integers
    weight: Integers
    sizes: Integers

    @classmethod
    def of(cls, values: Ordered, height: int) -> Groups:
        """Group the nodes that hold a record, in the tree of this height over the domain."""
        points, ends, before, n = values.points, values.ends, values.before, values.n
        k = len(points)
        trie = branchings(points, height)
        bounded = np.concatenate([[height + 1], trie.heights, [height + 1]])
        above_leaves = np.minimum(bounded[:k], bounded[1 : k + 1])
        start = np.concatenate([before, before[trie.first]])
        stop = np.concatenate([ends, ends[trie.last]])
        weight = stop - start
        low = np.concatenate([np.zeros(k, np.int64), trie.heights])
        width = np.concatenate([above_leaves, trie.parents]) - 1 - low
        chosen = np.concatenate([np.arange(k), np.arange(max(k - 1, 0))])
        ones = _ones(points, chosen, low, width)
        upto = np.concatenate([ends, ends[: max(k - 1, 0)]])  # leaf; branching i: up to point i
        rest = np.concatenate([n - before, n - ends[: max(k - 1, 0)]])
        return cls(
            points,
            trie,
            at_most=np.concatenate([upto, stop, start]),
            beyond=np.concatenate([rest, n - stop, n - start]),
            weight=np.concatenate([weight, weight, weight]),
            sizes=np.concatenate([np.ones(len(upto), np.int64), width - ones, ones]),
        )

    def release(self, group: int, place: int) -> int:
        """Return z(v) of a node: the ``place``-th of the group, from the lowest."""
        k = len(self.points)
        m = 2 * k - 1
        node = group % m  # a leaf, or a branching
        if group < k:
            return int(self.points[group])
        point = int(self.points[node if node < k else node - k])
        height = 0 if node < k else int(self.trie.heights[node - k])
        if group >= m:
            bit = 0 if group < 2 * m else 1
            height += 1 + _position(point >> height, bit, place)
        # the last leaf of the left child: same path above, then 0, then only ones
        return (point >> height << height) | ((1 << (height - 1)) - 1)


def bit_length(values: npt.NDArray[Any]) -> Integers:
    """Return the bit lengths of nonnegative integers, exactly."""
    if values.dtype == object:
        return np.array([v.bit_length() for v in values], dtype=np.int64)
    smeared = values.astype(np.int64)
    for shift in (1, 2, 4, 8, 16, 32):
        smeared |= smeared >> shift
    return np.bitwise_count(smeared).astype(np.int64)


def _ones(points: npt.NDArray[Any], at: Integers, low: Integers, width: Integers) -> Integers:
    """Return how many of the bits [low, low + width) of the chosen points are 1."""
    if points.dtype == object:
        rows = zip(at.tolist(), low.tolist(), width.tolist(), strict=True)
        counts = [((points[i] >> a) & ((1 << w) - 1)).bit_count() for i, a, w in rows]
        return np.array(counts, dtype=np.int64)
    mask = (np.int64(1) << width) - 1
    counted: Integers = np.bitwise_count((points[at] >> low) & mask).astype(np.int64)
    return counted


def _position(bits: int, bit: int, place: int) -> int:
    """Return the position of the ``place``-th bit with that value, from the lowest."""
    high = 1
    while _count(bits, bit, high) <= place:
        high *= 2
    low = 0  # fewer than place + 1 such bits below low; more below high
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _count(bits, bit, middle) > place else (middle, high)
    return low


def _count(bits: int, bit: int, below: int) -> int:
    ones = (bits & ((1 << below) - 1)).bit_count()
    return ones if bit else below - ones


@dataclass(frozen=True)
class TreeEM(ByRank):
    """The exponential mechanism over the nodes that hold a record, with bottom.

    ``height`` is that of the dyadic tree, ``ceil(log2 |X|)``; delta is in (0, 1).

    Notes
    -----
    *Guarantee.* (epsilon, delta)-DP, replace-one, for every input. Scores of common nodes move by
    at most 1; at most ``height`` nodes enter (those below the root on the new record's path that
    hold nothing else), with a score of at most 1. Claim ``median.tree``; docs/median.md.

    *Accuracy.* A released z(v) of a node of score >= 1 is in the window. The lowest node that
    holds the records of two well-chosen ranks has score at least
    ``top = floor((n + 4 - left - right) / 3)``; at most ``1 + n * height`` nodes have a score
    <= 0. So it fails with odds at most ``(bottom + 1 + n * height) * e**(-rate * top)``.

    *Cost.* One sort; at most 6 groups for each distinct value; one weight for each distinct score.

    *Source.* This library: a choosing mechanism (Beimel, Nissim and Stemmer 2013) over tree nodes,
    with a tight bottom. It replaces Yan's PrivateMedian (paper 000, Theorem 6; 001, Theorem 9) on
    every domain that fits into a computer.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> B = TreeEM(1024, RankWindow.of((1/3, 2/3)), Fraction(1), Fraction(1, 10**6))
    >>> values = Ordered.of([2**900 - 1] * 150 + [2**900 + 2**300] * 150, 2**1024)
    >>> z = B.draw(values, SeededSource(0))
    >>> 2**900 - 1 <= z <= 2**900 + 2**300
    True
    """

    height: int
    window: RankWindow
    epsilon: Fraction
    delta: Fraction

    name = "tree"
    claim = TREE

    @property
    def bottom(self) -> Exp:
        """Weight of bottom: at most ``height`` nodes enter, none with a score above 1."""
        return entering_bottom(entering=self.height, score=1, rate=self.rate, delta=self.delta)

    def draw(self, values: Ordered, source: Source) -> int | None:
        """Return z(v), clamped to the domain, of a node drawn by weight; None for bottom."""
        if values.size == 1:
            return 0  # the tree is one leaf: nothing depends on the data
        groups = Groups.of(values, self.height)
        scores = self.scores(groups, values.n)
        choice = LeveledChoice(scores, groups.sizes, groups.release, self.bottom)
        z = choice.draw(self.rate, source)
        return None if z is None else min(z, values.size - 1)

    def scores(self, groups: Groups, n: int) -> npt.NDArray[np.int64]:
        """Return the score of each group of nodes that hold a record."""
        left, right = self.window.needs(n)
        margin = np.minimum(groups.at_most - (left - 1), groups.beyond - (right - 1))
        return np.minimum(margin, groups.weight)

    def odds(self, n: int) -> Exp:
        """Return an upper bound of Pr[fail] / Pr[success] with n >= 1 records."""
        nodes = self.bottom + 1 + n * self.height if self.height else exp(0, times=0)
        return nodes * exp(-self.rate * ((self.window.slack(n) + 4) // 3))

    def least_n(self, beta: Fraction) -> int:
        """Return the least n from which on the odds are always at most beta : 1 - beta."""
        allowed = beta / (1 - beta)

        # slack(n) > n * width - 2, so top >= g(n) = n * width / 3; the bound with g is
        # decreasing in n as soon as rate * width * n / 3 >= 1, because the number of nodes grows
        # at most like n. From such an n on, holding once is holding forever.
        width = self.window.high - self.window.low
        weight = self.bottom

        def surely(n: int) -> bool:
            bad = (weight + 1 + n * self.height) * exp(-self.rate * n * width / 3)
            return n * width >= 3 and (allowed - bad).sign() >= 0

        start = max(1, -int(-3 // (self.rate * width)))
        n = least_n(surely, low=start)
        while n > 1 and (allowed - self.odds(n - 1)).sign() >= 0:
            n -= 1
        return n


# -- The private median: a mechanism chosen by public numbers, and one draw.
#
# The choice sees the domain, the number of records, the window and the privacy parameters only.


Mechanism = RankExponential | TreeEM
NAMES = ("auto", "exponential", "tree")


@dataclass(frozen=True)
class MedianPlan:
    """How many records each mechanism needs, before any data is looked at.

    Least n from which on A, the exponential mechanism, and B, `TreeEM`, are certified; None where
    delta is 0.
    """

    exponential: int
    tree: int | None

    @property
    def best(self) -> str:
        """The mechanism that needs the fewest records."""
        return "exponential" if self.tree is None or self.exponential <= self.tree else "tree"

    @property
    def n(self) -> int:
        """What the best one needs."""
        return self.exponential if self.tree is None else min(self.exponential, self.tree)


def plan_median(
    low: int,
    high: int,
    *,
    epsilon: Any,
    delta: Any = 0,
    rank: Any = (Fraction(1, 3), Fraction(2, 3)),
    beta: Any = Fraction(1, 20),
) -> MedianPlan:
    """Return how many records a private median needs, without any data.

    Arguments are those of `private_median`.

    Examples
    --------
    >>> plan_median(0, 2**64 - 1, epsilon=1, delta=1e-6)
    MedianPlan(exponential=563, tree=377)
    """
    size, window, epsilon, delta = check(
        "plan_median", low, high, epsilon=epsilon, delta=delta, rank=rank
    )
    beta = check_probability("plan_median", "beta", beta)
    pure = RankExponential(size, window, epsilon).least_n(beta)
    if not delta:
        return MedianPlan(pure, None)
    height = (size - 1).bit_length()
    tree = TreeEM(height, window, epsilon, delta)
    return MedianPlan(pure, tree.least_n(beta))


def choose(
    size: int,
    n: int,
    window: RankWindow,
    epsilon: Fraction,
    delta: Fraction,
    *,
    name: str = "auto",
) -> Mechanism:
    """Return the mechanism for n records: the one whose certified failure odds are smaller.

    It sees the size of the domain, the *number* of records, and the request; never a value.

    Examples
    --------
    >>> window = RankWindow.of((0, 1))
    >>> [choose(2**k, 125, window, Fraction(1), Fraction(1, 10**6)).name for k in (41, 42)]
    ['exponential', 'tree']
    """
    if name not in NAMES:
        constraint = f"one of {', '.join(NAMES)}"
        raise parameter_error("private_median", "mechanism", constraint, name)
    pure = RankExponential(size, window, epsilon)
    if name == "exponential" or (name == "auto" and not delta):
        return pure
    if not delta:
        hint = "Without delta there is only the exponential mechanism."
        raise parameter_error("private_median", "delta", f"positive for {name!r}", 0, hint)
    tree = TreeEM((size - 1).bit_length(), window, epsilon, delta)
    if name == "tree":
        return tree
    return pure if n < 1 or (tree.odds(n) - pure.odds(n)).sign() >= 0 else tree


def check(
    caller: str, low: Any, high: Any, *, epsilon: Any, delta: Any, rank: Any
) -> tuple[int, RankWindow, Fraction, Fraction]:
    """Return (size, window, epsilon, delta) after checking the public parameters."""
    low = check_integer(caller, "low", low)
    high = check_integer(caller, "high", high)
    if high < low:
        raise parameter_error(caller, "high", "at least low", encode(high))
    epsilon = check_fraction(caller, "epsilon", epsilon)
    delta = check_nonnegative(caller, "delta", delta)
    if delta >= 1:
        raise parameter_error(caller, "delta", "in [0, 1)", delta, "Use 0 for pure privacy.")
    return high - low + 1, RankWindow.of(rank, caller), epsilon, delta


@dataclass(frozen=True)
class MedianRelease:
    """What a private median publishes.

    ``value`` is None (bottom) where the mechanism declined, with probability at most beta where the
    certificate holds. The certificate: ``value`` is in the rank window, except with probability
    beta; ``alpha`` is half of the window's width. Whether it holds depends on n and the request,
    never on the data.
    """

    value: int | None
    guarantee: Guarantee
    certificate: Certificate
    mechanism: str

    def to_dict(self) -> Json:
        """Return plain JSON; integers from 2**53 on as text."""
        return {
            "value": None if self.value is None else encode(self.value),
            "guarantee": self.guarantee.to_dict(),
            "certificate": self.certificate.to_dict(),
            "mechanism": self.mechanism,
        }

    def __str__(self) -> str:
        return f"{self.to_dict()['value']} ({self.guarantee}; {self.certificate})"


def private_median(
    values: Any,
    low: int,
    high: int,
    *,
    epsilon: Any,
    delta: Any = 0,
    rank: Any = (Fraction(1, 3), Fraction(2, 3)),
    beta: Any = Fraction(1, 20),
    mechanism: str = "auto",
    random_state: int | Source | None = None,
) -> MedianRelease:
    """Return a point of an ordered public domain whose rank is near the middle, privately.

    Values are integers of any size, one per record; those outside the public domain [low, high], of
    any size too, count as the nearer end. With delta = 0, pure privacy, n must grow with ln(high -
    low), else with its logarithm. ``rank`` is the target: at least ``low * n`` records <= value, at
    least ``(1 - high) * n`` >= value; so (0.85, 0.95) asks for a 90% quantile and (0, 1) for an
    interior point. beta is the failure probability of the certificate alone. ``mechanism="auto"``
    takes the smaller certified failure probability of "exponential" and "tree", by domain, n, rank,
    epsilon and delta only. ``random_state`` None uses the operating system's randomness; an int is
    reproducible and NOT private. `DataError` if a value
    is not a whole number: it names the rule only, and is outside the guarantee.

    Guarantee
    ---------
    Privacy : epsilon-DP ("exponential") or (epsilon, delta)-DP, for every input; neighbours replace
        one record, n public. Claims ``median.exponential``, ``median.tree``.
    Accuracy : for *every* data set, not only for random ones: the certificate.

    Notes
    -----
    Cost: one sort, then a few passes over the distinct values; no dependence on the domain.

    References
    ----------
    .. [1] Yan 2025, PrivateMedian (first version: Theorem 6, second: Theorem 9), which this
       replaces; docs/median.md.

    Examples
    --------
    >>> import littlestone as ls
    >>> ages = [34, 45, 29, 61, 50] * 20
    >>> private_median(ages, 0, 120, epsilon=1, random_state=0).value
    45
    """
    caller = "private_median"
    size, window, epsilon, delta = check(caller, low, high, epsilon=epsilon, delta=delta, rank=rank)
    beta = check_probability(caller, "beta", beta)
    source = source_of(caller, random_state)
    ordered = Ordered.read(values, int(low), int(high))
    chosen = choose(size, ordered.n, window, epsilon, delta, name=mechanism)
    guarantee = Guarantee(epsilon, chosen.delta, claim=chosen.claim, seeded=source.seeded)
    certificate = chosen.certificate(ordered.n, beta)
    # All public arguments are checked; from here on the source is drawn from.
    offset = chosen.draw(ordered, source)
    value = None if offset is None else int(low) + offset
    return MedianRelease(value, guarantee, certificate, chosen.name)


# -- One draw over the nodes of paths in a public tree: where most paths agree.
#
# Each record owns a path from the root to its end. A good node lies on some paths, and some paths
# end at it or before it. The draw is that of `TreeEM` with depth in the place of height; a VC-1
# learner uses it where the paper first releases a median depth and then chooses among nodes.


PATHS = "median.paths"


Node = TypeVar("Node")


class PathTree(Protocol[Node]):
    """A public rooted tree; it may be far too large to list."""

    def depth(self, node: Node) -> int:
        """Return the depth; the root has 0."""

    def meet(self, a: Node, b: Node) -> int:
        """Return the depth of the deepest common ancestor (a node is its own ancestor)."""

    def ancestor(self, node: Node, depth: int) -> Node:
        """Return the ancestor at that depth; equal nodes must be equal objects."""

    def order(self, node: Node) -> Any:
        """Return a sort key of a depth-first order: a node, then all that lies below it."""


class Chain:
    """The tree that is one path: nodes 0, 1, 2, ... (thresholds)."""

    def depth(self, node: int) -> int:
        """Return the node."""
        return node

    def meet(self, a: int, b: int) -> int:
        """Return the smaller one."""
        return min(a, b)

    def ancestor(self, node: int, depth: int) -> int:
        """Return the depth."""
        return depth

    def order(self, node: int) -> int:
        """Return the node."""
        return node


def one_shot_path(
    ends: Sequence[Node],
    tree: PathTree[Node],
    *,
    max_depth: int,
    epsilon: Any,
    delta: Any,
    source: Source,
    reserve: int = 0,
) -> Node | None:
    """Return a node that lies on many paths and at or behind the end of many; None for bottom.

    Notes
    -----
    *Guarantee.* (epsilon, delta)-DP when one end is replaced by any other. The score of x is
    ``min(#{i : x on path i}, #{i : end i is not strictly below x} - reserve)``; it moves by at
    most 1; at most ``max_depth`` nodes enter (the root is always there), with a score of at most
    1. Claim ``median.paths``; docs/median.md.

    *Cost.* One sort and t calls of ``meet``; at most two runs for each end and each branching.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> one_shot_path([2] * 60 + [3] * 60, Chain(), max_depth=3, epsilon=1, delta=1e-6,
    ...               source=SeededSource(0))
    2
    """
    rate = check_fraction("one_shot_path", "epsilon", epsilon) / 2
    delta = check_probability("one_shot_path", "delta", delta)
    max_depth = check_integer("one_shot_path", "max_depth", max_depth, low=0)
    reserve = check_integer("one_shot_path", "reserve", reserve, low=0)
    cut = [end if tree.depth(end) <= max_depth else tree.ancestor(end, max_depth) for end in ends]
    edges = _edges(sorted(cut, key=tree.order), tree)
    bottom = entering_bottom(entering=max_depth, score=1, rate=rate, delta=delta)

    def node(run: int, place: int) -> Node:
        edge = edges[run // 2]
        return tree.ancestor(edge.below, edge.depth if run % 2 else edge.above + 1 + place)

    scores, lengths = _runs(edges, len(cut), reserve)
    return LeveledChoice(scores, lengths, node, bottom).draw(rate, source)


@dataclass
class _Edge:
    """Nodes of depth above + 1, ..., depth over ``below``, with the same paths through them."""

    above: int
    depth: int
    through: int
    ending: int  # paths that end at the last of these nodes; none ends at the others
    below: Any


def _edges(ends: list[Any], tree: PathTree[Any]) -> list[_Edge]:
    """Compress the union of the paths: at most 2t edges, the root first or last among them."""
    if not ends:
        return []
    done: list[_Edge] = []
    # open nodes on the path to the last end, from the root down
    path = [_Edge(-1, 0, 0, 0, ends[0])]

    def close(down_to: int) -> None:
        while path[-1].depth > down_to:
            edge = path.pop()
            if path[-1].depth < down_to:  # the paths part inside the edge
                path.append(_Edge(-1, down_to, 0, 0, edge.below))
            edge.above = path[-1].depth
            path[-1].through += edge.through
            done.append(edge)

    for i, end in enumerate(ends):
        depth = tree.depth(end)
        close(min(tree.meet(ends[i - 1], end), depth) if i else 0)
        if path[-1].depth < depth:
            path.append(_Edge(-1, depth, 0, 0, end))
        path[-1].through += 1
        path[-1].ending += 1
    close(0)
    return [*done, path[0]]


def _runs(edges: list[_Edge], t: int, reserve: int = 0) -> tuple[list[int], list[int]]:
    """Return scores and lengths of two runs for each edge: its inner nodes, and its last one."""
    scores: list[int] = []
    lengths: list[int] = []
    for edge in edges:
        beside = t - edge.through - reserve
        scores += [min(edge.through, beside), min(edge.through, beside + edge.ending)]
        lengths += [edge.depth - edge.above - 1, 1]
    return scores, lengths
