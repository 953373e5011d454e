"""B. TreeEM: one draw over the tree nodes that hold a record; needs n ~ ln ln |X| + ln(1/delta).

Node v releases z(v), the last leaf of its left child. Score of v: the least margin by which z(v)
meets the two sides of the rank window, but at most the number of records under v. Few
nodes can appear when one record is replaced: those on one path, and each holds one record; bottom
hides them.

*Nodes as few groups.* The leaves of the tree of height h are the domain points; a node at height t
is an interval of 2**t of them. The nodes that hold k distinct points form a compressed trie: k
leaves, k - 1 branchings, and edges. On an edge all nodes hold the same records; those whose left
child holds them share one score, those whose right child does share another. So there are at most
6k groups, whatever the height.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Certificate, CertificateBuilder, register_claim
from littlestone.bounds.search import least_n
from littlestone.mechanisms.median.values import Ordered, RankWindow
from littlestone.mechanisms.select import entering_bottom
from littlestone.source import Exp, LeveledChoice, Source, exp

TREE = register_claim(
    "median.tree",
    "littlestone",
    "docs/median.md, after Beimel, Nissim and Stemmer 2013 (choosing mechanism)",
    "Weights over the tree nodes that hold a record, with a bottom of weight "
    "h e**(epsilon/2) (1-delta)/delta, are (epsilon, delta)-DP under replace-one, and miss the "
    "window with odds at most (bottom + 1 + n h) e**(-epsilon/2 top), "
    "top = floor((n+4-left-right)/3).",
    ("domain and window were chosen without looking at the records",),
)


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
        own = np.concatenate([ends, ends[: max(k - 1, 0)]])  # leaf; branching i: up to point i
        rest = np.concatenate([n - before, n - ends[: max(k - 1, 0)]])
        return cls(
            points,
            trie,
            at_most=np.concatenate([own, stop, start]),
            beyond=np.concatenate([rest, n - stop, n - start]),
            weight=np.concatenate([weight, weight, weight]),
            sizes=np.concatenate([np.ones(len(own), np.int64), width - ones, ones]),
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
class TreeEM:
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
    def rate(self) -> Fraction:
        """Half of epsilon: one record can raise one score and lower another."""
        return self.epsilon / 2

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

    def odds(self, n: int) -> Exp | None:
        """Return an upper bound of Pr[fail] / Pr[success] with n records; None without one."""
        top = (self.window.slack(n) + 4) // 3
        if n < 1 or top < 1:
            return None
        if self.height == 0:
            return exp(0, times=0)
        return (self.bottom + 1 + n * self.height) * exp(-self.rate * top)

    def least_n(self, beta: Fraction) -> int:
        """Return the least n from which on the odds are always at most beta : 1 - beta."""
        allowed = beta / (1 - beta)

        def holds(n: int) -> bool:
            odds = self.odds(n)
            return odds is not None and (allowed - odds).sign() >= 0

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
        while n > 1 and holds(n - 1):
            n -= 1
        return n

    def certificate(self, n: int, beta: Fraction) -> Certificate:
        """Return the statement that z is in the window except with probability beta."""
        cert = CertificateBuilder()
        needs = self.window.steps(cert, n, self.claim)
        top = cert.step("top", "floor((n + 4 - left - right)/3)", self.claim, n=n, **needs)
        h, rate = self.height, self.rate
        if h:
            weight = "height*exp(rate)*(1 - delta)/delta"
            bottom = cert.step("bottom", weight, self.claim, height=h, rate=rate, delta=self.delta)
            bad = "(bottom + 1 + n*height)*exp(-rate*top)"
            odds = cert.step(
                "odds", bad, self.claim, bottom=bottom, n=n, height=h, rate=rate, top=top
            )
        else:
            odds = cert.step("odds", "height", self.claim, height=h)  # one point: no failure
        cert.step("failure", "odds/(1 + odds)", self.claim)
        formula = "n >= 1 and top >= 1 and beta >= (1 - beta)*odds"
        cert.step("enough", formula, self.claim, n=n, top=top, odds=odds, beta=beta)
        return cert.certificate(alpha=self.window.alpha, beta=beta, n=n)
