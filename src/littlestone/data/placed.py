"""Samples whose records are read by their places: a part of a large table, and nothing else.

The places are drawn without looking at the table, so the part is uniformly random in whatever order
the rows come. Rows that were not drawn are passed over while the table is read; they are neither
grouped nor kept.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from littlestone.data.sample import LazySample, Sample

__all__ = ["PlacedSample"]

Ints = npt.NDArray[np.int64]


class PlacedSample(LazySample):
    """n records, of which some are read by their places; all are counted if more is asked.

    Parameters
    ----------
    n : int
        Number of records (public).
    read : callable
        Returns the sample of the rows at increasing places in 0 .. n - 1.
    count : callable
        Returns the sample of all rows.

    Examples
    --------
    >>> whole = Sample.of([3, 5, 5], [0, 1, 1])
    >>> sample = PlacedSample(3, lambda places: Sample.of(5 + places, 0 * places), lambda: whole)
    >>> sample.n, sample.take(np.array([2, 0])).points, sample.points
    (3, array([5, 7]), array([3, 5]))
    """

    _read: Callable[[Ints], Sample]
    _count: Callable[[], Sample]

    def __init__(self, n: int, read: Callable[[Ints], Sample], count: Callable[[], Sample]) -> None:
        super().__init__(_n=n, _read=read, _count=count)

    def take(self, places: Ints) -> Sample:
        """Return the records at different places, in any order."""
        return self._read(np.sort(places))

    def count(self) -> Sample:
        """Return the sample with all its points: a reading of the whole table."""
        sample = self._count()
        self.check_same(sample.n)
        return sample

    @property
    def n(self) -> int:
        """Number of records: public under replace-one."""
        return int(self.__dict__["_n"])

    @property
    def outside(self) -> tuple[int, int]:
        """Records outside the domain with label 0, with label 1; counts the table."""
        return self._counted.outside
