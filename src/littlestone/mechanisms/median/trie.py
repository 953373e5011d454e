"""Nodes of the dyadic tree over a domain that hold a record, grouped into runs of equal score.

The leaves of the tree of height h are the domain points; a node at height t is an interval of
2**t of them. The nodes that hold k distinct points form a compressed trie: k leaves, k - 1
branchings, and edges. On an edge all nodes hold the same records; those whose left child holds
them share one score, those whose right child does share another. So there are at most 6k groups,
whatever the height.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.mechanisms.median.values import Ordered

__all__ = ["Groups", "Trie", "bit_length", "branchings"]

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Trie:
    """The branchings of the compressed trie, one for each gap between neighbouring points.

    Attributes
    ----------
    heights : ndarray of int64, shape (k - 1,)
        Height of the lowest node that holds points i and i + 1.
    first, last : ndarray of int64, shape (k - 1,)
        It holds the points with these indices and those between.
    parents : ndarray of int64, shape (k - 1,)
        Height of the next branching above it, or h + 1.
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

    Attributes
    ----------
    at_most, beyond : ndarray of int64, shape (m,)
        Records <= z(v), and records > z(v) (for a leaf: >= z(v)), where z(v) is the last leaf of
        v's left child (for a leaf: the leaf).
    weight : ndarray of int64, shape (m,)
        Records under v.
    sizes : ndarray of int64, shape (m,)
        Number of nodes in the group.
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
