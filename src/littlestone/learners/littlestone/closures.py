"""Intersection-closed classes: the smallest concept around some points, and lists of such sets.

Sparse sets, points, flats and conjunctions have this in common: of the concepts that are 1 on given
points there is a smallest one, their *closure* (the union, the span, the common literals), and
chains of closures are short. So a teacher can list the closures of subsets of its positive records
that err rarely, without ever listing the class.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.classes import (
    AffineSubspaces,
    AlwaysZero,
    ConceptClass,
    ConjunctionHypothesis,
    Conjunctions,
    FlatHypothesis,
    PointHypothesis,
    Points,
    SetHypothesis,
    SparseSets,
    on_points,
)
from littlestone.classes.conjunctions import subcube
from littlestone.classes.point_sets import in_bounds
from littlestone.data.points import canonical, canonical_order
from littlestone.errors import UnsupportedError

if TYPE_CHECKING:
    from littlestone.data import Sample
    from littlestone.types import Hypothesis, Point

__all__ = ["MOST_CLOSED", "Closures", "closed_within", "closures"]

#: A concept may hold at most so many closed sets: a teacher may have to look at all of them.
MOST_CLOSED = 1 << 14


@dataclass(frozen=True)
class Closures:
    """The closed sets of a class.

    Attributes
    ----------
    bottom : Hypothesis
        The closure of no point.
    join : callable
        ``join(closed, point)``: the smallest closed set around both, or None if no concept is.
    rank : int
        Longest chain: so many points in turn, each outside the closure of those before.
    closed : int
        Most closed sets inside one concept, itself included.
    """

    bottom: Hypothesis
    join: Callable[[Any, Point], Hypothesis | None]
    rank: int
    closed: int


@singledispatch
def closures(concept_class: ConceptClass) -> Closures:
    """Return the closed sets of a class.

    Raises
    ------
    UnsupportedError
        If the class is not known to be closed under intersections with short chains.

    Examples
    --------
    >>> closures(SparseSets(3)).rank, closures(AffineSubspaces(7, 20, 2)).closed
    (3, 107)
    """
    raise UnsupportedError(
        f"The class {concept_class.spec} has no closures with short chains. The method 'closures' "
        "is for SparseSets, Points, AffineSubspaces and Conjunctions; try method='auto'."
    )


@closures.register
def _(concept_class: Points) -> Closures:
    return _sets(1, concept_class.bounds)


@closures.register
def _(concept_class: SparseSets) -> Closures:
    return _sets(concept_class.vc_dim, concept_class.bounds)


def _sets(k: int, bounds: tuple[int, int] | None) -> Closures:
    def join(closed: Any, point: Point) -> Hypothesis | None:
        if not in_bounds(point, bounds):
            return None
        match closed:
            case SetHypothesis():
                points = (*closed.points, point)
            case PointHypothesis():
                points = (closed.point, point)
            case _:
                points = (point,)
        return on_points(points) if len(points) <= k else None

    return Closures(AlwaysZero(), join, k, 1 << k)


@closures.register
def _(concept_class: AffineSubspaces) -> Closures:
    q, n, dim = concept_class.q, concept_class.n, concept_class.dim

    def join(closed: Any, point: Any) -> Hypothesis | None:
        inside = isinstance(point, tuple) and len(point) == n
        if not inside or not all(isinstance(v, int) and 0 <= v < q for v in point):
            return None
        if isinstance(closed, AlwaysZero):
            return FlatHypothesis(q, n, (), point)
        wider = closed.through(point)
        return wider if wider.dim <= dim else None

    flats = AffineSubspaces(q, dim, dim).size if dim else 1
    return Closures(
        AlwaysZero(), join, dim + 1, flats + 1
    )  # the empty set is closed, but no concept


@closures.register
def _(concept_class: Conjunctions) -> Closures:
    n, monotone = concept_class.n, concept_class.monotone
    positive = (1 << n) - 1

    def join(closed: Any, point: Any) -> Hypothesis | None:
        inside = isinstance(point, tuple) and len(point) == n
        if not inside or not all(isinstance(v, int) and v in (0, 1) for v in point):
            return None
        literals = sum(1 << (i if bit else n + i) for i, bit in enumerate(point))
        if isinstance(closed, ConjunctionHypothesis):
            literals &= closed.ones | closed.zeros << n
        return subcube(n, literals & positive if monotone else literals)

    if monotone:
        return Closures(subcube(n, positive), join, n, 2**n)
    return Closures(AlwaysZero(), join, n + 1, 3**n + 1)


def closed_within(
    system: Closures, sample: Sample, tolerance: int, max_nodes: int
) -> list[Hypothesis]:
    """Return the closures of positive records that err rarely on a sample.

    Parameters
    ----------
    system : Closures
    sample : Sample
        The records of one teacher.
    tolerance : int >= 0
        Most errors, as a count of records.
    max_nodes : int
        Most closed sets that are looked at.

    Returns
    -------
    list of Hypothesis
        All of them; none if there are too many to be looked at.

    Notes
    -----
    A set G of at most ``tolerance`` errors that holds a smaller closed set F must hold one of the
    first positive records outside of F that are together more than ``tolerance``: only those are
    joined to F. So the search meets few closed sets if the sample is labelled by a concept.

    Examples
    --------
    >>> from littlestone.data import Sample
    >>> data = Sample.of(["a", "a", "a", "b", "c"], [1, 1, 1, 1, 0])
    >>> found = closed_within(closures(SparseSets(2)), data, tolerance=1, max_nodes=100)
    >>> sorted(h.describe() for h in found)
    ["1 if x = 'a', otherwise 0", "1 on the points 'a', 'b', otherwise 0"]
    """
    rows = sample.points.tolist()
    points = [canonical(tuple(x) if isinstance(x, list) else x) for x in rows]
    ones, zeros = sample.ones, sample.zeros
    order = sorted(
        np.flatnonzero(ones).tolist(), key=lambda i: (-int(ones[i]), canonical_order(points[i]))
    )
    missed_anyway = int(sample.outside[1])
    total = int(ones.sum()) + missed_anyway
    waiting, met = [system.bottom], {system.bottom}
    found: list[Hypothesis] = []
    while waiting:
        if len(met) > max_nodes:
            return []  # a fixed answer: never a part of the list
        closed = waiting.pop()
        holds = closed.predict(sample.points) == 1 if points else np.zeros(0, dtype=bool)
        wrong = int(zeros[holds].sum())
        if wrong > tolerance:
            continue  # so are all larger sets
        if wrong + total - int(ones[holds].sum()) <= tolerance:
            found.append(closed)
        passed = missed_anyway
        for i in order:
            if passed > tolerance:
                break
            if not holds[i]:
                passed += int(ones[i])
                wider = system.join(closed, points[i])
                if wider is not None and wider not in met:
                    met.add(wider)
                    waiting.append(wider)
    return found
