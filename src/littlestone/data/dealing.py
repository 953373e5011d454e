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
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from littlestone.data.domains import OUTSIDE
from littlestone.data.multiclass import MulticlassSample
from littlestone.data.points import as_points, distinct
from littlestone.data.sample import Sample
from littlestone.errors import ParameterError
from littlestone.types import Points

if TYPE_CHECKING:
    from littlestone.source import Source

#: Record kinds: 2 i + label for the i-th distinct point, and last of all the points outside. With
#: k labels, and what is outside their list, (k + 1) i + code.
Kinds = npt.NDArray[np.int64] | npt.NDArray[np.int32]

S = TypeVar("S", bound=Sample | MulticlassSample)


@dataclass(frozen=True, eq=False, repr=False)
class OrderedSample(Sample):
    """A sample that remembers the order of its records.

    Parameters
    ----------
    kinds : int64 ndarray of shape (n,)
        For each position the kind of its record: ``2 * i + label`` for the point ``points[i]``,
        and ``2 * len(points) + label`` for a point outside the domain.

    Examples
    --------
    >>> OrderedSample.listed([5, 3, OUTSIDE, 5], [1, 0, 1, 1]).kinds
    array([3, 0, 5, 3])
    """

    kinds: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @classmethod
    def listed(
        cls,
        points: Sequence[Any],
        labels: Sequence[int],
        layout: Callable[[list[Any]], Points] = as_points,
    ) -> OrderedSample:
        """Return the sample of a list of records.

        Parameters
        ----------
        points : sequence
            Some may be `OUTSIDE`.
        labels : sequence of 0 and 1
        layout : callable
            Stores the points that are not.

        Raises
        ------
        ParameterError
            If there are not as many points as labels.
        """
        if len(points) != len(labels):
            raise ParameterError("Points and labels must have the same length.")
        label = np.asarray(labels, dtype=np.int64)
        inside = np.array([point is not OUTSIDE for point in points], dtype=bool)
        keys, where = distinct(layout([points[i] for i in np.flatnonzero(inside).tolist()]))
        kinds = 2 * len(keys) + label
        kinds[inside] = 2 * where + label[inside]
        counts = np.bincount(kinds, minlength=2 * len(keys) + 2).astype(np.int64)
        outside = (int(counts[-2]), int(counts[-1]))
        return cls(keys, counts[:-2:2], counts[1:-2:2], outside, kinds)


def deal(sample: Sample | MulticlassSample, source: Source) -> Kinds:
    """Return the kinds of all records in the order in which they are dealt.

    Parameters
    ----------
    sample : Sample or MulticlassSample
    source : Source
        Gives the permutation. Under `ExactSource` it is the identity: use an `OrderedSample`.

    Returns
    -------
    int ndarray of shape (n,)
        Cut it at public positions: the parts are disjoint, and replacing one record replaces one
        entry (for every value of the permutation).

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


def written_out(sample: Sample | MulticlassSample) -> Kinds:
    """Return the kind of each record, in the order of the sample (or in a canonical one)."""
    kinds: Kinds | None = getattr(sample, "kinds", None)
    if kinds is not None:
        return kinds
    rows = _rows(sample)
    counts = np.concatenate([rows.T.ravel(), np.array(sample.outside, dtype=np.int64)])
    small = np.int32 if len(counts) < 2**31 else np.int64
    numbers: Any = np.arange(len(counts), dtype=small)
    return np.repeat(numbers, counts)


def split(sample: S, source: Source, first: int) -> tuple[S, S]:
    """Draw so many records (public), and return these, and the others.

    A stored sample is split alike, and is not brought together.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> split(Sample.of([5, 3, 5], [1, 0, 1]), SeededSource(0), 1)
    (Sample(n=1), Sample(n=2))
    """
    if sample.splits:
        return cast(tuple[S, S], cast(Any, sample).split(source, first))
    order = deal(sample, source)
    return part(sample, order[:first]), part(sample, order[first:])


def part(sample: S, kinds: Kinds) -> S:
    """Return the records of one part as a sample.

    Parameters
    ----------
    sample : Sample or MulticlassSample
        What was dealt.
    kinds : int ndarray
        A piece of what `deal` returned.

    Examples
    --------
    >>> part(Sample.of([5, 3, 5], [1, 0, 1]), np.array([3, 3])).ones
    array([2])
    """
    found: Any
    found, counts = np.unique(kinds, return_counts=True)
    points, labels = len(sample.points), len(sample.outside)
    outside = [int(counts[found == labels * points + label].sum()) for label in range(labels)]
    inside = found < labels * points
    found, counts = found[inside], counts[inside].astype(np.int64)
    index, where = np.unique(found // labels, return_inverse=True)
    by_label = np.zeros((labels, len(index)), dtype=np.int64)
    by_label[found % labels, where] = counts
    made: Any  # of the same type as the sample
    if isinstance(sample, MulticlassSample):
        made = replace(
            sample,
            points=sample.points[index], counts=by_label, outside=tuple(outside), kinds=None,
        )  # fmt: skip
    else:
        made = Sample(sample.points[index], by_label[0], by_label[1], (outside[0], outside[1]))
    return cast(S, made)


def _rows(sample: Sample | MulticlassSample) -> npt.NDArray[np.int64]:
    """Return the counts by label (rows) and point."""
    if isinstance(sample, MulticlassSample):
        return sample.counts
    return np.stack([sample.zeros, sample.ones])


def sizes(n: int, parts: int) -> list[int]:
    """Return the sizes of ``parts`` nearly equal parts of n records, the larger ones first.

    Examples
    --------
    >>> sizes(11, 4)
    [3, 3, 3, 2]
    """
    whole, rest = divmod(n, parts)
    return [whole + 1] * rest + [whole] * (parts - rest)
