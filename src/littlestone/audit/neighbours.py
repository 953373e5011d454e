"""Neighbours of a real table: one record (or all records of one user) replaced by others.

They are sampled, extreme, or like those with the largest loss so far.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from littlestone.data import OUTSIDE, Sample
from littlestone.data.domains import distinct
from littlestone.data.sample import OrderedSample, written_out
from littlestone.data.targets import UNKNOWN, TargetSample
from littlestone.privacy import Guarantee, Neighbours

if TYPE_CHECKING:
    from littlestone.source import Source


Record = tuple[Any, int]
Pair = tuple[Record, Record]
Units = TypeVar("Units", bound=TargetSample)
#: Number of a user, and the records that it has instead.
Bundle = tuple[int, tuple[Record, ...]]


def listed(sample: Sample) -> OrderedSample:
    """Return the records in a fixed order, so that neighbours are split alike."""
    kinds = written_out(sample).astype(np.int64)
    return OrderedSample(sample.points, sample.counts, sample.outside, sample.costs, kinds)


def promised(learner: Any) -> Guarantee:
    """Return what a learner of records promises when one record is replaced."""
    guarantee: Guarantee = learner.guarantee()
    removed = guarantee.neighbours is Neighbours.ADD_REMOVE
    return guarantee.under(Neighbours.REPLACE_ONE) if removed else guarantee


def codes_of(concepts: Any) -> int:
    """Return how many codes labels or targets have: one is of all that are unlisted."""
    target = getattr(concepts, "target", None)
    codes = len(concepts.labels) + concepts.lists_labels
    size: int = codes if target is None else target.size
    return size


def replaced(sample: Sample, old: Record, new: Record) -> Sample:
    """Return the sample with one record replaced; a list keeps its place.

    Examples
    --------
    >>> other = replaced(Sample.of([3, 5], [0, 1]), (5, 1), (4, 0))
    >>> other.points, other.zeros, other.ones
    (array([3, 4]), array([1, 1]), array([0, 0]))
    """
    points, counts, outside = sample.points, sample.counts.copy(), np.array(sample.outside)
    rows = len(outside)
    kinds = np.zeros(0, dtype=np.int64)
    if sample.ordered:
        kinds = written_out(sample).astype(np.int64)
    place = np.flatnonzero(kinds == rows * _find(points, old[0])[0] + old[1])[:1]
    at, there = _find(points, new[0])
    if new[0] is OUTSIDE:
        outside[new[1]] += 1
    else:
        if not there:
            points, counts = np.insert(points, at, new[0], axis=0), np.insert(counts, at, 0, axis=1)
            kinds += rows * (kinds >= rows * at)
        counts[new[1], at] += 1
    kinds[place] = rows * at + new[1]
    if old[0] is OUTSIDE:
        outside[old[1]] -= 1
    else:
        i, _ = _find(points, old[0])
        counts[old[1], i] -= 1
        if not counts[:, i].any():
            points, counts = np.delete(points, i, axis=0), np.delete(counts, i, axis=1)
            kinds -= rows * (kinds >= rows * (i + 1))
    beyond = tuple(outside.tolist())
    if sample.ordered:
        return OrderedSample(points, counts, beyond, sample.costs, kinds)
    return Sample(points, counts, beyond, sample.costs)


def _find(points: Any, point: Any) -> tuple[int, bool]:
    """Return where a point is, or belongs, and whether it is there."""
    if point is OUTSIDE:
        return len(points), False
    rows = np.ndim(points) == 2
    at = bisect_left(points, tuple(point) if rows else point, key=tuple if rows else None)
    if at == len(points):
        return at, False
    return at, bool(tuple(points[at]) == tuple(point) if rows else points[at] == point)


class _Largest:
    """What gave the largest losses so far, and where a domain ends."""

    _KEPT = 5

    def __init__(self, domain: Any, source: Source) -> None:
        self._domain, self._source = domain, source
        self._largest: list[tuple[Fraction, Any]] = []
        self._ends = [*domain.outermost, *([OUTSIDE] if domain.schema is None else [])]

    def heard(self, change: Any, loss: Fraction) -> None:
        """Remember what was replaced by what, if its loss is large."""
        losses = sorted([*self._largest, (loss, change)], key=lambda one: -one[0])
        self._largest = losses[: self._KEPT]

    def _remembered(self) -> Any:
        return self._largest[self._source.below(len(self._largest))][1]


class Search(_Largest):
    """Neighbours: sampled, extreme, and variations of those with the largest loss."""

    def __init__(self, domain: Any, sample: Sample, source: Source) -> None:
        super().__init__(domain, source)
        self._sample = sample
        self._labels = len(sample.counts)  # the last may be of labels that are not listed
        counts = sample.counts.T.ravel()
        self._upto = np.cumsum(np.concatenate([counts, np.array(sample.outside)]))
        self._extremes = self._extreme()
        self._turn = 0

    def next(self) -> Pair:
        """Return what is replaced by what."""
        self._turn += 1
        if self._turn % 3 == 1:
            pair = next(self._extremes, None)
            if pair is not None:
                return pair
        if self._turn % 3 == 2 and self._largest:
            old, new = self._remembered()
            return (old, self._any()) if self._source.below(2) else (self._kept(), new)
        return self._kept(), self._any()

    def _kind(self, kind: int) -> Record:
        i, label = divmod(kind, self._labels)
        if i == len(self._sample.points):
            return OUTSIDE, label
        return _named(self._sample.points[i]), label

    def _kept(self) -> Record:
        record = self._source.below(int(self._upto[-1]))
        return self._kind(int(np.searchsorted(self._upto, record, side="right")))

    def _any(self) -> Record:
        label = self._source.below(self._labels)
        if self._domain.outermost and self._source.below(2):
            return self._domain.drawn(self._source), label
        return self._kept()[0], label

    def _extreme(self) -> Iterator[Pair]:
        sizes = np.diff(self._upto, prepend=0)
        there = np.flatnonzero(sizes)
        olds = [self._kind(int(k)) for k in (*there[:4], *there[-4:], int(np.argmax(sizes)))]
        for old in dict.fromkeys(olds):
            flipped = (old[0], 1 - old[1])
            for new in (flipped, *((x, label) for x in self._ends for label in (0, 1))):
                if new != old:
                    yield old, new
        yield from pairwise(olds)


class UnitSearch(_Largest):
    """Neighbours by the number of a unit: sampled, extreme, varied where the loss was the largest.

    Units are records with codes of targets, or users with several records; codes are those at the
    ends and in the middle, and that of what is not known.
    """

    def __init__(self, concepts: Any, units: TargetSample, each: int, source: Source) -> None:
        super().__init__(concepts.domain, source)
        self._units, self._each = units, each
        self._several = units.user is not None
        size = codes_of(concepts)
        self._codes: list[int] = [0, size - 1, size // 2]
        self._codes += [UNKNOWN] * (getattr(concepts, "target", None) is not None)

    def next(self) -> Bundle:
        """Return whose records are replaced, and by which."""
        who, records = self._source.below(self._units.n), self._bundle()
        if self._largest and self._source.below(2):
            changed, bundle = self._remembered()
            return (changed, records) if self._source.below(2) else (who, bundle)
        return who, records

    def _bundle(self) -> tuple[Record, ...]:
        kind, points = self._source.below(4), self._units.points
        if kind == 0 and self._several:  # nothing, or one record at an end, many times
            return (self._of(self._one_of(self._ends)),) * (self._each * self._source.below(2))
        if kind < 2 or not len(points):
            return tuple(self._of(self._one_of(self._ends)) for _ in range(self._each))
        records = [self._of(self._one_of(points)) for _ in range(self._each)]
        return tuple(records[:1] * self._each if kind == 2 else records)

    def _one_of(self, points: Any) -> Any:
        return points[self._source.below(len(points))]

    def _of(self, point: Any) -> Record:
        return _named(point), self._one_of(self._codes)


def _named(point: Any) -> Any:
    """Return a point of an array as records have it."""
    if np.ndim(point):
        return tuple(np.asarray(point).tolist())
    return point.item() if isinstance(point, np.generic) else point


def replaced_unit(sample: Units, who: int, records: Sequence[Record]) -> Units:
    """Return the sample with one record, or all records of one user, replaced; its name stays.

    Examples
    --------
    >>> other = replaced_unit(TargetSample.of([[3], [5], [3]], [7, 1, 7]), 0, [((4,), 9)])
    >>> other.points.ravel().tolist(), other.code.tolist(), other.count.tolist(), other.n
    ([3, 4, 5], [7, 9, 1], [1, 1, 1], 3)
    >>> from littlestone.data import UserSample
    >>> users = UserSample.of(["ann", "bob", "ann"], [3, 5, 3], [0, 1, 0])
    >>> other = replaced_unit(users, 0, [(4, 1), (5, 0)])
    >>> other.points, other.user, other.point
    (array([4, 5]), array([0, 0, 1]), array([0, 1, 1]))
    """
    inside = [x for x, _ in records if x is not OUTSIDE]
    new = np.array(inside, dtype=sample.points.dtype).reshape(len(inside), *sample.points.shape[1:])
    places = count(len(sample.points))
    point = [-1 if x is OUTSIDE else next(places) for x, _ in records]
    codes = np.array([y for _, y in records], dtype=np.int64)
    ones = np.ones(len(records), dtype=np.int64)
    both = replace(
        sample,
        points=np.concatenate([sample.points, new]),
        user=None if sample.user is None else np.append(sample.user, who * ones),
        point=np.append(sample.point, point).astype(np.int64),
        code=np.append(sample.code, codes),
        count=np.append(sample.count - _own(sample, who), ones),
    )
    return _used(both)


def units_of(sample: Any, pair: Any) -> tuple[Any, Any]:
    """Return what is replaced, and by what, each as a sample of one unit."""
    if not isinstance(sample, TargetSample):
        (x, y), (z, w) = pair
        return Sample.of(np.array([x]), [y]), Sample.of(np.array([z]), [w])
    who, records = pair
    user, keys = sample.user, sample.keys
    if user is not None and keys is not None:
        user, keys = np.zeros_like(user), keys[who : who + 1]
    old = _used(replace(sample, count=_own(sample, who), user=user, keys=keys))
    return old, replaced_unit(old, 0, records)


def _used(sample: Units) -> Units:
    """Return a sample without groups of no records, and without points of no group."""
    some = sample.groups_at(np.flatnonzero(sample.count))
    inside = some.point >= 0
    points, where = distinct(some.points[some.point[inside]])
    point = np.full(len(some.point), -1, dtype=np.int64)
    point[inside] = where
    return replace(some, points=points, point=point).merged()


def _own(sample: TargetSample, who: int) -> Any:
    """Return how many records of each group are those of a unit."""
    if sample.user is not None:
        return np.where(sample.user == who, sample.count, 0)
    ends = np.cumsum(sample.count)
    return (np.arange(len(ends)) == np.searchsorted(ends, who, side="right")).astype(np.int64)
