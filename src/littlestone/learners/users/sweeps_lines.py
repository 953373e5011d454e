"""Classes whose candidates lie in a line, on which each point is labelled 1 on one span.

============== ============================== ================================
class          candidates, in order           a point x is labelled 1 by
============== ============================== ================================
thresholds     u = low - 1, ..., high         low - 1 .. x - 1
points         each point, then "never"       x alone
hashed points  "never", then each bucket of   x's bucket of each hash
               each hash
paths          nodes in preorder, then "none" the nodes below x, and x
============== ============================== ================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from littlestone.classes.hypotheses import AlwaysZero, PointHypothesis
from littlestone.classes.thresholds import ThresholdHypothesis
from littlestone.classes.trees import ROOT
from littlestone.data.points import SMALL, object_points
from littlestone.learners.users.lines import Events, LineErrors, sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from littlestone.classes.hashing import HashedPointSet
    from littlestone.classes.prefixes.concept_class import Prefixes
    from littlestone.classes.tree_paths import TreePaths
    from littlestone.data import UserSample
    from littlestone.source import Integers
    from littlestone.types import Hypothesis

__all__ = ["ThresholdErrors", "bucket_errors", "path_errors", "point_errors"]

Ints = npt.NDArray[np.int64]


class ThresholdErrors(LineErrors):
    """The user-level error counts of all thresholds over low .. high.

    Parameters
    ----------
    low, high : int of any size
    users : UserSample
        Points beyond the domain are outside: labelled 0 by every concept.

    Notes
    -----
    *Cost.* O(N) to prepare N groups: they come sorted by user and point.

    Examples
    --------
    >>> from littlestone.data import UserSample
    >>> users = UserSample.of(["a", "a", "b"], [2, 7, 3], [0, 1, 1])
    >>> runs = ThresholdErrors(1, 9, users).scores(0)
    >>> runs.starts.tolist(), runs.scores.tolist()
    ([0, 2, 3, 7], [1, 0, 1, 2])
    """

    def __init__(self, low: int, high: int, users: UserSample) -> None:
        begin = int(np.searchsorted(users.points, low, side="left"))
        stop = int(np.searchsorted(users.points, high, side="right"))
        points = _integers(users.points[begin:stop], low - 1, high + 1)
        inside = (users.point >= begin) & (users.point < stop)
        ones = users.label == 1
        # "always 1" errs on the zeros inside and, as outside points are labelled 0, the ones there
        wrong = np.where(inside != ones, users.count, 0)
        # passing x turns its label to 0
        change = np.where(ones, users.count, -users.count)
        starts, where = users.starts, users.point
        if not inside.all():
            starts = np.concatenate([[0], np.cumsum(inside)])[starts]
            where, change = where[inside], change[inside]
        super().__init__(
            low - 1,
            high + 1,
            sums(wrong, users.starts),
            Events(points, starts, where - begin if begin else where, change),
            make=lambda u: ThresholdHypothesis(u, low, high),
        )


def point_errors(bounds: tuple[int, int], users: UserSample) -> LineErrors:
    """Return the sweep of single points of low .. high, and the constant 0 (the last candidate)."""
    low, high = bounds
    never = high + 1

    def make(u: int) -> Hypothesis:
        return AlwaysZero() if u == never else PointHypothesis(u)

    begins = users.points
    held = np.asarray((begins >= low) & (begins <= high), dtype=bool)
    inside = _integers(begins[held], low, high + 2)
    return _spans((low, never + 1), users, held, (inside, inside + 1), make)


def path_errors(concept_class: TreePaths | Prefixes, users: UserSample) -> LineErrors:
    """Return the sweep of all paths of a tree, and the empty path (the last candidate)."""
    ranks, ends, inside = concept_class.spans(users.points)
    nodes = int(concept_class.size) - 1

    def make(rank: int) -> Hypothesis:
        node = ROOT if rank == nodes else concept_class.at_rank(rank)
        return concept_class.concept(node)

    begins = _integers(object_points(ranks), 0, nodes + 1)
    stops = _integers(object_points(ends), 0, nodes + 1)
    held = np.asarray(inside, dtype=bool)
    return _spans((0, nodes + 1), users, held, (begins, stops), make)


def bucket_errors(hypotheses: HashedPointSet, users: UserSample) -> LineErrors:
    """Return the sweep of a drawn set of hashed points: "never", then the buckets of each hash."""
    points = users.points
    held = np.ones(len(points), dtype=bool)
    if hypotheses.bounds is not None and len(points):
        low, high = hypotheses.bounds
        held = np.asarray((points >= low) & (points <= high), dtype=bool)
    copies, buckets = len(hypotheses.functions), hypotheses.functions[0].buckets
    here = points[held]
    found = [f(here) if len(here) else np.zeros(0, np.int64) for f in hypotheses.functions]
    begins = np.stack([1 + i * buckets + bucket for i, bucket in enumerate(found)], axis=1)
    end = copies * buckets + 1
    return _spans((0, end), users, held, (begins, begins + 1), hypotheses.hypothesis)


def _spans(
    line: tuple[int, int],
    users: UserSample,
    held: npt.NDArray[np.bool_],
    spans: tuple[Integers, Integers],
    make: Callable[[int], Hypothesis],
) -> LineErrors:
    """Return the sweep of a line on which the points ``held`` are 1 on spans, all others nowhere.

    ``spans`` are the first candidate that is 1 and the one after the last, one row for each such
    point (and maybe several columns).
    """
    (first, end), (begins, stops) = line, spans
    width = begins.size // max(len(begins), 1)
    places, index = np.unique(np.concatenate([begins, stops], axis=None), return_inverse=True)
    index = index.reshape(2, len(begins), width)
    inside = np.flatnonzero(users.point >= 0)
    inside = inside[held[users.point[inside]]]
    which = (np.cumsum(held) - 1)[users.point[inside]]
    gain = np.where(users.label == 1, -users.count, users.count)[inside]
    user = np.tile(np.repeat(users.user[inside], width), 2)
    where = index[:, which].reshape(-1)
    change = np.repeat(np.concatenate([gain, -gain]), width)
    order = np.lexsort((where, user))
    user, where, change = user[order], where[order], change[order]
    mistakes = sums(np.where(users.label == 1, users.count, 0), users.starts)
    if len(places) and int(places[0]) == first:  # what changes at the first candidate comes before
        begin = where == 0
        np.add.at(mistakes, user[begin], change[begin])
        user, where, change = user[~begin], where[~begin], change[~begin]
    starts = np.searchsorted(user, np.arange(users.n_users + 1)).astype(np.int64)
    return LineErrors(first, end, mistakes, Events(places, starts, where, change), make=make)


def _integers(values: Integers | Sequence[int], low: int, high: int) -> Integers:
    """Return integers as int64 if differences of low .. high fit, else as Python's."""
    small = low > -SMALL and high < SMALL
    return np.asarray(values).astype(np.int64 if small else object)
