"""Labelled records as counts: what a learner is allowed to see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from littlestone.types import Points

__all__ = ["Sample"]

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sample:
    """n labelled records, as distinct points with a count for each label.

    Records whose point lies outside the public domain are counted in ``outside``; every concept
    labels such a point 0. No record is ever dropped, so ``n`` (public) counts all of them.

    Parameters
    ----------
    points : ndarray
        Distinct points in canonical (sorted) order: 1-D int64; 1-D object (integers of any size,
        texts, tuples); or 2-D integer codes, one row for each distinct row of a schema.
    zeros, ones : int64 ndarray
        How many records at each point carry label 0, label 1.
    outside : (int, int)
        Records outside the domain with label 0, with label 1.

    Examples
    --------
    >>> Sample.of([5, 3, 5], [1, 0, 1]).n
    3
    """

    points: Points
    zeros: Counts
    ones: Counts
    outside: tuple[int, int] = (0, 0)

    @property
    def n(self) -> int:
        """Number of records: public under replace-one."""
        return int(self.zeros.sum()) + int(self.ones.sum()) + sum(self.outside)

    @property
    def positives(self) -> int:
        """Number of records with label 1 (private)."""
        return int(self.ones.sum()) + self.outside[1]

    @classmethod
    def of(cls, points: object, labels: object) -> Sample:
        """Count points (a 1-D or 2-D array or a list) that are known to lie in the domain."""
        return count(as_points(points), np.asarray(labels, dtype=np.int64))


def as_points(points: object) -> Points:
    """Return points as one of the three layouts of `Sample.points`."""
    if isinstance(points, np.ndarray) and points.ndim == 2:
        return points
    if isinstance(points, np.ndarray) and points.dtype.kind in "iu" and points.dtype != np.uint64:
        return points.astype(np.int64)
    items = list(points)  # type: ignore[call-overload]
    if all(isinstance(p, int | np.integer) and -(2**62) < p < 2**62 for p in items):
        return np.array([int(p) for p in items], dtype=np.int64)
    out = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        out[i] = item
    return out


def count(points: Points, labels: npt.NDArray[np.int64]) -> Sample:
    """Count labelled points into a `Sample`."""
    ones = labels == 1
    if points.ndim == 1 and points.dtype == object:
        table: dict[object, list[int]] = {}
        for point, label in zip(points, ones, strict=True):
            table.setdefault(point, [0, 0])[int(label)] += 1
        keys = sorted(table, key=canonical_order)
        counts = np.array([table[k] for k in keys], dtype=np.int64).reshape(-1, 2)
        return Sample(as_points(keys), counts[:, 0], counts[:, 1])
    distinct, where = np.unique(points, axis=0, return_inverse=True)
    where = where.reshape(-1)
    total = np.bincount(where, minlength=len(distinct)).astype(np.int64)
    positive = np.bincount(where[ones], minlength=len(distinct)).astype(np.int64)
    return Sample(distinct, total - positive, positive)


def canonical_order(point: object) -> tuple[str, object]:
    """Sort integers by value, and other points by a fixed text form (never by hash)."""
    if isinstance(point, int | np.integer) and not isinstance(point, bool):
        return ("0", int(point))
    if isinstance(point, str):
        return ("1", point)
    return ("2", f"{type(point).__name__}:{point!r}")
