"""Records in order: a secret part of them, and new labels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.data.dealing import OrderedSample, part

if TYPE_CHECKING:
    from littlestone.data import Sample
    from littlestone.source import Source


def places(n: int, m: int, source: Source) -> npt.NDArray[np.int64]:
    """Draw m of the places 0 .. n - 1, all different, in exactly uniform order.

    ``n``, ``m``: 0 <= m <= n; ``source``: the draw is secret: privacy rests on it.

    Notes
    -----
    The first m steps of Fisher and Yates; about one microsecond each. The *order* is uniform too:
    replacing a drawn place by one that was not drawn changes one entry, also for a learner that
    deals its records by position.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> sorted(places(3, 3, SeededSource(0)).tolist()), len(set(places(9, 4, SeededSource(0))))
    ([0, 1, 2], 4)
    """
    if m == n:
        return np.arange(n, dtype=np.int64)
    moved: dict[int, int] = {}
    out = np.empty(m, dtype=np.int64)
    for i in range(m):
        j = i + source.below(n - i)
        out[i] = moved.get(j, j)
        moved[j] = moved.get(i, i)
    return out


def ordered_part(sample: Sample, kinds: Any) -> OrderedSample:
    """Return the records of a part, in its order (see `littlestone.data.dealing`).

    Examples
    --------
    >>> from littlestone.data import Sample
    >>> ordered_part(Sample.of([5, 3, 5], [1, 0, 1]), np.array([3, 3])).kinds
    array([1, 1])
    """
    own, rows = part(sample, kinds), len(sample.outside)
    point, code = np.divmod(np.asarray(kinds, dtype=np.int64), rows)
    found = np.unique(point[point < len(sample.points)])
    new = rows * np.searchsorted(found, point) + code  # what is outside comes last
    return OrderedSample(own.points, own.counts, own.outside, own.costs, new)


def relabelled(sample: OrderedSample, labels: npt.NDArray[np.uint8]) -> OrderedSample:
    """Return the same points with new labels: one for each distinct point, 0 for those outside.

    Examples
    --------
    >>> sample = OrderedSample.listed([5, 3, 5], [1, 0, 0])
    >>> relabelled(sample, np.array([1, 0], dtype=np.uint8)).kinds
    array([2, 1, 2])
    """
    total = sample.counts.sum(axis=0)
    ones = total * labels
    by_point = np.append(labels, 0).astype(np.int64)
    point = sample.kinds >> 1
    return replace(
        sample,
        counts=np.stack([total - ones, ones]),
        outside=(sum(sample.outside), 0),
        kinds=2 * point + by_point[point],
    )
