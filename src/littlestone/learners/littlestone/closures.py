"""Lists of closed sets that err rarely: what a teacher says of an intersection-closed class.

Chains of closures are short (`littlestone.classes.Closures`), so a teacher can list the closures of
subsets of its positive records that err rarely, without ever listing the class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from littlestone.classes.oracles import Closures
from littlestone.data.points import canonical, canonical_order

if TYPE_CHECKING:
    from littlestone.data import Sample
    from littlestone.types import Hypothesis


#: Most closed sets inside one concept: a teacher may have to look at all of them.
MOST_CLOSED = 1 << 14


def closed_within(
    system: Closures, sample: Sample, tolerance: int, max_nodes: int
) -> list[Hypothesis]:
    """Return the closures of positive records that err rarely on a sample.

    Notes
    -----
    A set G of at most ``tolerance`` errors that holds a smaller closed set F must hold one of the
    first positive records outside of F that are together more than ``tolerance``: only those are
    joined to F. So the search meets few closed sets if the sample is labelled by a concept.

    Examples
    --------
    >>> from littlestone.classes import SparseSets, closures
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
