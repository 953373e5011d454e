"""What each chunk of records says: the deepest node that it forces onto the path (Algorithm 2, 3).

For thresholds only the largest point labelled 0 and the smallest one labelled 1 of each chunk
matter, so all chunks are done at once; other trees go chunk by chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from littlestone.classes.trees import ROOT, Chain, Node, PathsTree, VC1Tree
from littlestone.data import Sample
from littlestone.data.dealing import Kinds, part, sizes

__all__ = ["Extremes", "chunk_ends", "extreme_ends", "is_chain"]


@dataclass(frozen=True, eq=False, repr=False)
class Extremes:
    """For each chunk of records over an integer domain: all that a threshold learner needs.

    Attributes
    ----------
    n : int
        Number of records in all chunks together (public).
    zeros : sequence of int or None
        The largest point labelled 0.
    ones : sequence of int or None
        The smallest point labelled 1.
    outside : sequence of bool
        Whether some record outside the domain has label 1.
    """

    n: int
    zeros: Sequence[int | None]
    ones: Sequence[int | None]
    outside: Sequence[bool]

    def __repr__(self) -> str:
        return f"Extremes(n={self.n}, chunks={len(self.zeros)})"  # nothing else is public


def extreme_ends(extremes: Extremes, tree: PathsTree) -> list[Node]:
    """Return the deepest forced node of each chunk: what ``tree.deterministic`` says.

    The tree of thresholds has two branches. From its root f = "x >= at", a record (x, 0) with
    x >= at forces all of [at, x], and a record (x, 1) with x < at all of [x, at). A chunk whose
    largest 0 is not below its smallest 1 fits no threshold, and forces nothing.
    """
    at: Any = tree.at
    ends: list[Node] = []
    chunks = zip(extremes.zeros, extremes.ones, extremes.outside, strict=True)
    for zero, one, outside in chunks:
        end: Node = ROOT
        consistent = zero is None or one is None or zero < one
        if consistent and not outside:
            if zero is not None and at is not ROOT and zero >= at:
                end = zero
            elif one is not None and (at is ROOT or one < at):
                end = one
        ends.append(end)
    return ends


def is_chain(tree: VC1Tree) -> bool:
    """Return whether this is the tree of thresholds: integers, the largest one on top."""
    return (
        isinstance(tree, PathsTree)
        and isinstance(tree.forest, Chain)
        and tree.forest.top >= tree.forest.bottom
    )


def chunk_ends(tree: VC1Tree, sample: Sample, dealt: Kinds, chunks: int) -> list[Node]:
    """Return for each chunk the deepest node that its records force, or `ROOT`.

    Parameters
    ----------
    tree : VC1Tree
    sample : Sample
        What was dealt.
    dealt : int ndarray of shape (n,)
        Records in dealt order (`littlestone.data.dealing.deal`); consecutive ones share a chunk.
    chunks : int >= 1
        Number of chunks, of nearly equal size; some are empty if there are fewer records.

    Returns
    -------
    list of nodes, of length ``chunks``

    Notes
    -----
    Each end is a function of its own chunk, for any records: realizable or not, empty, outside the
    domain. So replacing one record replaces at most one end.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.classes.trees import make_tree
    >>> from littlestone.data.dealing import OrderedSample
    >>> data = OrderedSample.listed([2, 9, 7, 8, 3, 1], [0, 1, 0, 1, 1, 0])
    >>> chunk_ends(make_tree(Thresholds(1, 10)), data, data.kinds, 3)
    [ROOT, 7, 3]
    """
    pieces = sizes(len(dealt), chunks)
    if isinstance(tree, PathsTree) and is_chain(tree):
        return extreme_ends(_extremes(sample, dealt, pieces), tree)
    if len(dealt) <= chunks:  # a record each: equal records have equal ends
        kinds: Any
        kinds, where = np.unique(dealt, return_inverse=True)
        alone = [tree.deterministic(part(sample, kinds[i : i + 1])) for i in range(len(kinds))]
        return [alone[i] for i in where.tolist()] + [ROOT] * (chunks - len(dealt))
    ends, start = [], 0
    for size in pieces:
        ends.append(tree.deterministic(part(sample, dealt[start : start + size])))
        start += size
    return ends


def _extremes(sample: Sample, dealt: Kinds, pieces: list[int]) -> Extremes:
    """Return the extreme points of all chunks at once (points are sorted, so by their index)."""
    points = len(sample.points)
    filled = [size for size in pieces if size]  # empty chunks come last
    nothing: list[int | None] = [None] * (len(pieces) - len(filled))
    if not filled:
        return Extremes(0, nothing, nothing, [False] * len(pieces))
    starts = np.concatenate([[0], np.cumsum(filled)[:-1]])
    index, label = dealt >> 1, (dealt & 1).astype(bool)
    inside = index < points
    zeros = np.maximum.reduceat(np.where(inside & ~label, index, -1), starts)
    ones = np.minimum.reduceat(np.where(inside & label, index, points), starts)
    outside = np.logical_or.reduceat(~inside & label, starts)
    listed = sample.points
    return Extremes(
        len(dealt),
        [int(listed[i]) if i >= 0 else None for i in zeros.tolist()] + nothing,
        [int(listed[i]) if i < points else None for i in ones.tolist()] + nothing,
        outside.tolist() + [False] * len(nothing),
    )
