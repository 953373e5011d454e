"""Dealing the records of a threshold learner: only those that can be extreme in their chunk.

A chunk's path needs its largest point labelled 0 and its smallest one labelled 1. Walk through the
records with label 0 from the largest point down and give each one its place in a secret uniform
permutation: once every chunk has a record, those that follow cannot matter, and their places need
not be drawn. What comes out has exactly the law of a full permutation (docs/learners/vc1.md), and
the cost depends on the number of chunks, not on the number of records.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.data import Sample
from littlestone.data.tails import tails_of
from littlestone.learners.vc1.parts import Extremes

if TYPE_CHECKING:
    from littlestone.source import Source

__all__ = ["dealt_extremes", "first_look"]

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


def dealt_extremes(sample: Sample, chunks: int, source: Source) -> Extremes:
    """Deal all records of a sample of integers to chunks; return the extreme points of each.

    Parameters
    ----------
    sample : Sample
        Of an integer domain; for a `TailSample` nothing is counted.
    chunks : int >= 1
    source : Source
        Gives the places, of those records only that are looked at.

    Returns
    -------
    Extremes
        With the law of `chunk_ends` on chunks that are cut from a uniform permutation.

    Examples
    --------
    >>> from littlestone.source import ReplaySource
    >>> data = Sample.of([2, 9, 7, 8, 3, 1], [0, 1, 0, 1, 1, 0])
    >>> found = dealt_extremes(data, 2, ReplaySource([]))  # places 0, 1, 2 for 7, 2, 1; then 3, ...
    >>> found.zeros, found.ones
    ([7, None], [None, 3])
    """
    n, look = sample.n, first_look(chunks)
    tails = tails_of(sample, look)
    counts = [tails.zeros.count, tails.ones.count, tails.outside[1]]
    draw = _places(n, source)
    firsts = [min(look, count) for count in counts]
    dealt = np.split(_chunk_of(draw(sum(firsts)), n, chunks), np.cumsum(firsts)[:2])
    found = []
    for chunk, count in zip(dealt, counts, strict=True):
        outermost, seen = _first_of_each(chunk, chunks), len(chunk)
        while seen < count and (outermost < 0).any():
            more = _chunk_of(draw(min(seen, count - seen)), n, chunks)
            later = _first_of_each(more, chunks)
            new = (outermost < 0) & (later >= 0)
            outermost[new] = later[new] + seen
            seen += len(more)
        found.append(outermost)
    zeros, ones, outside = found
    tails = tails_of(sample, int(max(zeros.max(), ones.max())) + 1)
    return Extremes(
        n,
        _points(tails.zeros.points, zeros),
        _points(tails.ones.points, ones),
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
    """Return the chunk of each place: as `littlestone.data.dealing.sizes` cuts them."""
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
