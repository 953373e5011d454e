"""The exponential mechanism over all trees of one depth: a root by its weight, then its sides.

A *representation* is a full binary tree: a split at each of 2**depth - 1 inner nodes, a label at
each of 2**depth leaves (a way to write a tree down; not the probabilistic representation of paper
002, which is a random set of hypotheses). The draw is top-down: the pattern of the root, that is
the splits that part the records alike (`splits`), proportional to the weight of all trees with such
a root (`partition`); a member of the pattern, uniformly; and then the two sides, which given the
root are independent, in the same way. The product of these probabilities is
e**(-rate * errors) / total for each representation: the exponential mechanism over all of them.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from littlestone.classes.decision_trees.counts import one_thread
from littlestone.classes.decision_trees.filter import enclose_roots, powers_needed
from littlestone.classes.decision_trees.hypothesis import TreeHypothesis
from littlestone.classes.decision_trees.leaves import LeafTree
from littlestone.classes.decision_trees.nodes import Node, Tree
from littlestone.classes.decision_trees.partition import Powers, root_weights
from littlestone.classes.decision_trees.splits import Splits
from littlestone.classes.decision_trees.tabled import AnyRegion, TabledRegion, TabledRows
from littlestone.data import Sample
from littlestone.data.coded import CodedSample
from littlestone.source import Explicit, Source

__all__ = ["Candidates", "Roots", "count"]

_TABLED = 3  # the depth up to which records are counted in passes
_FILTER_BITS = 96  # what a draw asks for first
_FEW = 2_000_000  # leaves that balls enclose in about a second
_MOST_POWERS = 2_000_000  # that the filter tabulates: with large costs they would fill the memory


def count(splits: int, depth: int, labels: int = 2) -> int:
    """Return the number of representations: N(0) = labels, N(d) = splits * N(d - 1)**2.

    Examples
    --------
    >>> [count(3, depth) for depth in range(4)] == [2, 3 * 4, 3 * 12**2, 3 * 432**2]
    True
    """
    total = labels
    for _ in range(depth):
        total = splits * total**2
    return total


class Roots:
    """The patterns of a region, weighted as roots of trees of a depth.

    Parameters
    ----------
    region : Region or TabledRegion
    depth : int >= 1
    rate : Fraction
    fast : bool, optional
        Whether the first enclosures come from the filter in double precision. By default where
        balls would take more than about a second.
    """

    def __init__(
        self, region: AnyRegion, depth: int, rate: Fraction, *, fast: bool | None = None
    ) -> None:
        self._region, self._depth, self._rate = region, depth, Fraction(rate)
        if fast is None:
            fast = (2 * len(region.patterns)) ** depth > _FEW
        self._fast = (
            fast
            and depth >= 2
            and self._rate > 0
            and powers_needed(region, depth, self._rate) <= _MOST_POWERS
        )
        self._known: dict[int, list[arb]] = {}

    def __len__(self) -> int:
        return len(self._region.patterns)

    @property
    def members(self) -> list[npt.NDArray[np.intp]]:
        """The numbers of the splits of each pattern."""
        return self._region.patterns.members

    def enclose(self, bits: int) -> list[arb]:
        """Return the enclosures, computed once for each precision."""
        if bits not in self._known:
            self._known[bits] = self._enclose(bits)
        return self._known[bits]

    def _enclose(self, bits: int) -> list[arb]:
        if self._fast and bits <= _FILTER_BITS:
            with ctx.workprec(bits), one_thread():
                return enclose_roots(self._region, self._depth, self._rate).balls()
        # At most 2**depth * (patterns + 8) factors, each of one unit of rounding.
        spare = self._depth + (len(self) + 8).bit_length() + 4
        with ctx.workprec(bits + spare), one_thread():
            return root_weights(self._region, self._depth, Powers(self._rate))


class Candidates:
    """All representations of trees of one depth, weighted by their errors on a sample.

    Parameters
    ----------
    splits : Splits
    depth : int >= 1
    sample : Sample
    fast : bool, optional
        As for `Roots`.
    """

    def __init__(
        self, splits: Splits, depth: int, sample: Sample, *, fast: bool | None = None
    ) -> None:
        self._splits, self._depth, self._fast = splits, depth, fast
        self._records: AnyRegion = _region(splits, depth, sample)
        self._known: dict[tuple[Fraction, tuple[int, ...]], tuple[AnyRegion, Roots | None]] = {}

    @property
    def size(self) -> int:
        """Number of representations."""
        return count(len(self._splits), self._depth)

    def draw(self, rate: Fraction, source: Source) -> TreeHypothesis:
        """Return a tree; each representation weighs e**(-rate * errors)."""
        return TreeHypothesis.of(self._grow(Fraction(rate), (), source))

    def draw_apart(self, rate: Fraction, source: Source) -> LeafTree:
        """Return the same draw with all leaves of the representation."""
        return LeafTree.of(self._grow(Fraction(rate), (), source))

    def _grow(self, rate: Fraction, path: tuple[int, ...], source: Source) -> Tree:
        """Draw the tree below the answers of a path (2 * split + answer, from the root on)."""
        region, roots = self._node(rate, path)
        if roots is None:
            zeros, ones = region.totals  # a leaf: label 0 errs on the ones, label 1 on the zeros
            return Explicit((-ones, -zeros)).draw(rate, source)
        members = region.patterns.members[source.choose(roots)]  # the pattern of the root
        split = int(members[source.below(len(members))])  # the root
        yes = self._grow(rate, (*path, 2 * split + 1), source)
        no = self._grow(rate, (*path, 2 * split), source)
        return Node(self._splits.literals[split], yes, no)

    def _node(self, rate: Fraction, path: tuple[int, ...]) -> tuple[AnyRegion, Roots | None]:
        """Return the records that a path of answers leads to, and the roots of trees over them."""
        known = self._known.get((rate, path))
        if known is None:
            region = self._records
            if path:
                split, yes = divmod(path[-1], 2)
                region = self._node(rate, path[:-1])[0].side(split, yes=bool(yes))
            depth = self._depth - len(path)
            roots = Roots(region, depth, rate, fast=self._fast) if depth else None
            known = self._known[rate, path] = region, roots
        return known


def _region(splits: Splits, depth: int, sample: Sample) -> AnyRegion:
    """Return all records: as counts by codes, if they are not in memory."""
    if isinstance(sample, CodedSample) and depth <= _TABLED:
        return TabledRegion(TabledRows.of(splits, sample, max(depth, 2)), depth)
    return splits.region(sample)
