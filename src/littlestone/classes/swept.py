"""Sweeps of classes whose concepts lie in a line: runs of equal scores, from points in order.

A point is labelled 1 by the concepts of one span of the line. The score of a concept is a base,
plus the gains of the points whose spans hold it. Spans come in the order of their starts. Those
that are still open at the last start of a piece wait for the next one: in a tree these are the
points on one path, in a list of points none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from littlestone.data import Sample
from littlestone.data.domains import Line
from littlestone.source import ScoreRuns, exact_integers

_SMALL = 2**62

Ints = npt.NDArray[np.int64]
#: First and one more than the last concept of each span, and the gain there.
Spans = tuple[Ints, Ints, Ints]


def gains_of(sample: Sample, line: Line | None) -> Iterator[tuple[Ints, Ints]]:
    """Yield numbers on a line, in order, and by how much label 1 is better there than label 0.

    Without a line, which points of more than 64 bits have not, they are Python's integers.
    """
    for batch in sample.batches(line):
        zero, one = sample.weighed(batch)
        yield batch.points if line is not None else batch.points.astype(object), zero - one


def span_runs(pieces: Iterable[Spans], first: int, end: int, base: int) -> Iterator[ScoreRuns]:
    """Yield the runs of equal scores of the concepts first .. end - 1, piece by piece.

    Examples
    --------
    A chain 0, 1, 2 under a node 3, ... with node 1 marked by +5:

    >>> runs = span_runs([(np.array([1]), np.array([3]), np.array([5]))], 0, 5, base=0)
    >>> [(piece.starts.tolist(), piece.scores.tolist(), piece.end) for piece in runs]
    [([0], [0], 1), ([1, 3], [5, 0], 5)]
    """
    at, score = first, base
    places = changes = np.zeros(0, dtype=np.int64)
    for starts, ends, gains in pieces:
        places = np.concatenate([places, starts, ends])
        changes = np.concatenate([changes, gains, -gains])
        known = places <= starts[-1]  # what comes later starts later
        here, scores = _steps(places[known], changes[known], score)
        places, changes = places[~known], changes[~known]
        yield ScoreRuns(_after(at, here[:-1]), int(here[-1]), np.append(score, scores[:-1]))
        at, score = int(here[-1]), int(scores[-1])
    here, scores = _steps(places, changes, score)
    yield ScoreRuns(_after(at, here), end, np.append(score, scores))


def in_order(starts: Sequence[int], ends: Sequence[int], gains: Ints, last: int) -> list[Spans]:
    """Return spans in memory as one piece; of concepts up to a last one, perhaps beyond 64 bits."""
    kind = np.int64 if last < _SMALL else object
    first = np.array(starts, dtype=kind)
    order = np.argsort(first, kind="stable")
    return [(first[order], np.array(ends, dtype=kind)[order], gains[order])] if len(order) else []


def _steps(places: Ints, changes: Ints, score: int) -> tuple[Ints, Ints]:
    """Return the places in order, each once, and the score from each on."""
    order = np.argsort(places, kind="stable")
    places, scores = places[order], score + np.cumsum(changes[order])
    last = np.append(places[1:] != places[:-1], True)[: len(places)]
    return places[last], scores[last]


def _after(first: int, places: Ints) -> Ints:
    """Return a place and those behind it: exactly, however large."""
    return np.concatenate([exact_integers([first]), places])
