"""Chunks of records: how they are split, and the path that each one forces (Algorithm 2, step 3).

For thresholds only the largest point labelled 0 and the smallest one labelled 1 of each chunk
matter, so all chunks are done at once; other trees go chunk by chunk.

*Splitting the records of a threshold learner.* Walk through the records with label 0 from the
largest point down and give each one its place in a secret uniform permutation: once every chunk has
a record, those that follow cannot matter, and their places need not be drawn. What comes out has
exactly the law of a full permutation (docs/learners/vc1.md), and the cost depends on the number of
chunks, not on the number of records.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.classes.trees import ROOT, Chain, Node, PathsTree, VC1Tree
from littlestone.data import Sample
from littlestone.data.sample import Kinds, part, sizes

if TYPE_CHECKING:
    from littlestone.source import Source


@dataclass(frozen=True, eq=False, repr=False)
class Extremes:
    """For each chunk of records over an integer domain: all that a threshold learner needs."""

    n: int  # number of records in all chunks together (public)
    zeros: Sequence[int | None]  # the largest point labelled 0
    ones: Sequence[int | None]  # the smallest point labelled 1
    outside: Sequence[bool]  # whether some record outside the domain has label 1

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


def chunk_ends(tree: VC1Tree, sample: Sample, shuffled: Kinds, chunks: int) -> list[Node]:
    """Return y_1, ..., y_t: for each chunk the deepest node that its records force, or `ROOT`.

    ``sample``: the records; ``shuffled``: these in shuffled order (`data.sample.shuffle`);
    consecutive ones share a chunk; ``chunks``: number of chunks, of nearly equal size; some are
    empty if there are fewer records.

    Notes
    -----
    Each end is a function of its own chunk, for any records: realizable or not, empty, outside the
    domain. So replacing one record replaces at most one end.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.classes.trees import make_tree
    >>> from littlestone.data.sample import OrderedSample
    >>> data = OrderedSample.listed([2, 9, 7, 8, 3, 1], [0, 1, 0, 1, 1, 0])
    >>> chunk_ends(make_tree(Thresholds(1, 10)), data, data.kinds, 3)
    [ROOT, 7, 3]
    """
    # B_i, the points that S_i makes deterministic, is the path up from what is returned for i
    pieces = sizes(len(shuffled), chunks)
    if isinstance(tree, PathsTree) and is_chain(tree):
        return extreme_ends(_extremes(sample, shuffled, pieces), tree)
    if len(shuffled) <= chunks:  # a record each: equal records have equal ends
        kinds: Any
        kinds, where = np.unique(shuffled, return_inverse=True)
        alone = [tree.deterministic(part(sample, kinds[i : i + 1])) for i in range(len(kinds))]
        return [alone[i] for i in where.tolist()] + [ROOT] * (chunks - len(shuffled))
    ends, start = [], 0
    for size in pieces:
        ends.append(tree.deterministic(part(sample, shuffled[start : start + size])))
        start += size
    return ends


def _extremes(sample: Sample, shuffled: Kinds, pieces: list[int]) -> Extremes:
    """Return the extreme points of all chunks at once (points are sorted, so by their index)."""
    points = len(sample.points)
    filled = [size for size in pieces if size]  # empty chunks come last
    nothing: list[int | None] = [None] * (len(pieces) - len(filled))
    if not filled:
        return Extremes(0, nothing, nothing, [False] * len(pieces))
    starts = np.concatenate([[0], np.cumsum(filled)[:-1]])
    index, label = shuffled >> 1, (shuffled & 1).astype(bool)
    inside = index < points
    zeros = np.maximum.reduceat(np.where(inside & ~label, index, -1), starts)
    ones = np.minimum.reduceat(np.where(inside & label, index, points), starts)
    outside = np.logical_or.reduceat(~inside & label, starts)
    listed = sample.points
    return Extremes(
        len(shuffled),
        [int(listed[i]) if i >= 0 else None for i in zeros.tolist()] + nothing,
        [int(listed[i]) if i < points else None for i in ones.tolist()] + nothing,
        outside.tolist() + [False] * len(nothing),
    )


Places = npt.NDArray[np.int64]


def first_look(chunks: int) -> int:
    """Return how many outermost records reach all chunks, but for about once in 150 times.

    Coupon collecting: after t (ln t + c) records a chunk is still without one with probability at
    most e**-c.

    Examples
    --------
    >>> first_look(8192)
    114778
    """
    return math.ceil(chunks * (math.log(chunks) + 5))


def shuffled_extremes(sample: Sample, chunks: int, source: Source) -> Extremes:
    """Shuffle all records of a sample of integers to chunks; return the extreme points of each.

    ``sample``: of an integer domain; of a table that is not read yet nothing is counted.
    ``source``: gives the places, of those records only that are looked at.

    Examples
    --------
    >>> from littlestone.source import ReplaySource
    >>> data = Sample.of([2, 9, 7, 8, 3, 1], [0, 1, 0, 1, 1, 0])
    >>> found = shuffled_extremes(data, 2, ReplaySource([]))  # places 0, 1, 2 for 7, 2, 1; then 3,
    ...
    >>> found.zeros, found.ones
    ([7, None], [None, 3])
    """
    n, look = sample.n, first_look(chunks)
    extremes = sample.extremes(look)
    counts = [*extremes.inside, extremes.outside[1]]
    draw = _places(n, source)
    firsts = [min(look, count) for count in counts]
    shuffled = np.split(_chunk_of(draw(sum(firsts)), n, chunks), np.cumsum(firsts)[:2])
    found = []
    for chunk, count in zip(shuffled, counts, strict=True):
        outermost, seen = _first_of_each(chunk, chunks), len(chunk)
        while seen < count and (outermost < 0).any():
            more = _chunk_of(draw(min(seen, count - seen)), n, chunks)
            later = _first_of_each(more, chunks)
            new = (outermost < 0) & (later >= 0)
            outermost[new] = later[new] + seen
            seen += len(more)
        found.append(outermost)
    zeros, ones, outside = found
    ends = sample.extremes(int(max(zeros.max(), ones.max())) + 1)
    return Extremes(
        n,
        _points(ends.zeros, zeros),
        _points(ends.ones, ones),
        (outside >= 0).tolist(),
    )


def _places(n: int, source: Source) -> Callable[[int], Places]:
    """Return what reveals the next few entries of one uniform permutation of range(n)."""
    free: Any = None

    def draw(few: int) -> Places:
        nonlocal free
        if free is None:
            drawn = source.permutation(n, few)
            free = np.ones(n, dtype=bool)
        else:
            left = np.flatnonzero(free)  # in the rest, the next entries are uniform again
            drawn = left[source.permutation(len(left), few)]
        free[drawn] = False
        return drawn

    return draw


def _chunk_of(places: Places, n: int, chunks: int) -> Places:
    """Return the chunk of each place: as `littlestone.data.sample.sizes` cuts them."""
    size, larger = divmod(n, chunks)
    border = larger * (size + 1)
    return np.where(
        places < border, places // (size + 1), larger + (places - border) // max(size, 1)
    )


def _first_of_each(chunk: Places, chunks: int) -> Places:
    """Return where each chunk is met first, -1 if it is not."""
    first = np.full(chunks, -1, dtype=np.int64)
    first[chunk[::-1]] = np.arange(len(chunk))[::-1]  # of equal indices the last one wins
    return first


def _points(tail: npt.NDArray[Any], first: Places) -> list[int | None]:
    points: list[Any] = tail[first[first >= 0]].tolist()
    found = iter(points)
    return [None if i < 0 else int(next(found)) for i in first.tolist()]
