"""Dealing records to parts: by position, or by a secret permutation of the counts.

A learner that works on disjoint parts of its records is private only if replacing one record
changes one part. A `Sample` has no positions, so its records are written out in a fixed order and
shuffled by a *secret, exactly uniform* permutation: then the order does not matter, and for every
value of the permutation two neighbours (written out alike but for one record) differ in one part.
(Learners of thresholds reveal only a part of the permutation: `littlestone.learners.vc1.chunks`.)
An `OrderedSample` keeps positions; verification uses it, because `ExactSource` deals by position.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.costs import Costs
from littlestone.data.domains import OUTSIDE
from littlestone.data.points import as_points, distinct
from littlestone.data.sample import Counted, Sample
from littlestone.errors import ParameterError
from littlestone.types import Points

if TYPE_CHECKING:
    from littlestone.source import Source

#: Record kinds: r i + label for the i-th distinct point, with r rows of counts, and last of all
#: those of points outside the domain.
Kinds = npt.NDArray[np.int64] | npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False, repr=False)
class OrderedSample(Counted):
    """A sample that remembers the order of its records: ``kinds``, one for each position.

    Examples
    --------
    >>> OrderedSample.listed([5, 3, OUTSIDE, 5], [1, 0, 1, 1]).kinds
    array([3, 0, 5, 3])
    """

    ordered = True

    kinds: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @classmethod
    def listed(
        cls,
        points: Sequence[Any],
        y: Sequence[int],
        layout: Callable[[list[Any]], Points] = as_points,
        labels: int | None = None,
    ) -> OrderedSample:
        """Return the sample of a list of records; see `Sample.of`.

        Examples
        --------
        >>> sample = OrderedSample.listed([5, 3, OUTSIDE], [2, 0, 1], labels=2)
        >>> sample.kinds.tolist(), sample.outside
        ([5, 0, 7], (0, 1, 0))
        """
        if len(points) != len(y):
            raise ParameterError("Points and labels must have the same length.")
        code = np.asarray(y, dtype=np.int64)
        inside = np.array([point is not OUTSIDE for point in points], dtype=bool)
        keys, where = distinct(layout([points[i] for i in np.flatnonzero(inside).tolist()]))
        rows = 2 if labels is None else labels + 1
        kinds = rows * len(keys) + code
        kinds[inside] = rows * where + code[inside]
        table = np.bincount(kinds, minlength=rows * (len(keys) + 1)).reshape(-1, rows).T
        costs = Costs.equal(labels or 2)
        return cls(keys, table[:, :-1].astype(np.int64), tuple(table[:, -1].tolist()), costs, kinds)


def deal(sample: Sample, source: Source) -> Kinds:
    """Return the kinds of all records in the order in which they are dealt.

    Notes
    -----
    Cost: n random keys and their sorting; 10 million records take about 1.6 s and 300 MB.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> sorted(deal(Sample.of([5, 3, 5], [1, 0, 1]), SeededSource(0)).tolist())
    [0, 3, 3]
    """
    order = source.permutation(sample.n)
    return written_out(sample)[order]


def written_out(sample: Sample) -> Kinds:
    """Return the kind of each record, in the order of the sample (or in a canonical one)."""
    if isinstance(sample, OrderedSample):
        return sample.kinds
    counts = np.concatenate([sample.counts.T.ravel(), np.array(sample.outside, dtype=np.int64)])
    small = np.int32 if len(counts) < 2**31 else np.int64
    numbers: Any = np.arange(len(counts), dtype=small)
    return np.repeat(numbers, counts)


def part(sample: Sample, kinds: Kinds) -> Counted:
    """Return the records of one part (a piece of what `deal` returned) as a sample.

    Examples
    --------
    >>> part(Sample.of([5, 3, 5], [1, 0, 1]), np.array([3, 3])).ones
    array([2])
    """
    found: Any
    found, counts = np.unique(kinds, return_counts=True)
    rows = len(sample.outside)
    index, where = np.unique(found // rows, return_inverse=True)
    table = np.zeros((rows, len(index)), dtype=np.int64)
    table[found % rows, where] = counts
    inside = index < len(sample.points)
    outside = tuple(table[:, ~inside].sum(axis=1).tolist())
    return Counted(sample.points[index[inside]], table[:, inside], outside, sample.costs)


def split(sample: Sample, source: Source, first: int) -> tuple[Sample, Sample]:
    """Draw so many records (public), and return these, and the others; what is stored alike.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> split(Sample.of([5, 3, 5], [1, 0, 1]), SeededSource(0), 1)
    (Sample(n=1), Sample(n=2))
    """
    if not sample.in_memory:
        return sample.parts(source, first)
    order = deal(sample, source)
    return part(sample, order[:first]), part(sample, order[first:])


def sizes(n: int, parts: int) -> list[int]:
    """Return the sizes of ``parts`` nearly equal parts of n records, the larger ones first.

    Examples
    --------
    >>> sizes(11, 4)
    [3, 3, 3, 2]
    """
    whole, rest = divmod(n, parts)
    return [whole + 1] * rest + [whole] * (parts - rest)
