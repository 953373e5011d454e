"""The data sets that an exact verification tries: lists of records, or of users with records."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.data import OUTSIDE, RowDomain, Sample, UserSample
from littlestone.data.dealing import OrderedSample
from littlestone.data.points import as_points
from littlestone.errors import check_integer, parameter_error

if TYPE_CHECKING:
    from flint import arb

    from littlestone.data import Domain
    from littlestone.source import Law
    from littlestone.types import Points

__all__ = [
    "Case",
    "Kind",
    "Record",
    "RecordCases",
    "UserCases",
    "record_kinds",
    "shown",
    "signature",
]

Record = tuple[Any, int]
#: What one neighbour replaces: a record (point, label), or a user (name, records).
Kind = Hashable
#: A data set.
Case = tuple[Kind, ...]


def record_kinds(points: Sequence[Any], *, outside: bool) -> list[Record]:
    """Return all records over these points."""
    places: list[Any] = list(dict.fromkeys(points))
    if outside:
        places.append(OUTSIDE)
    if not places:
        raise parameter_error("verify", "points", "at least one point", points)
    return [(x, label) for x in places for label in (0, 1)]


@dataclass(frozen=True)
class RecordCases:
    """Data sets of n records; ordered lists for a learner that deals them to parts."""

    kinds: list[Kind]
    domain: Domain
    ordered: bool

    def lists(self, n: int) -> Iterator[Case]:
        """Yield the data sets of size n: lists, or multisets."""
        return product(self.kinds, repeat=n) if self.ordered else _multisets(self.kinds, n)

    def sample(self, data: Sequence[Any]) -> Sample:
        """Return the data set as the learner sees it."""
        points, labels = [x for x, _ in data], [label for _, label in data]
        listed = OrderedSample.listed(points, labels, self._layout)
        if self.ordered:
            return listed
        return Sample(listed.points, listed.zeros, listed.ones, listed.outside)

    def _layout(self, inside: Any) -> Points:
        if isinstance(self.domain, RowDomain):  # rows of codes are stored in two dimensions
            return np.array(inside, dtype=np.int16).reshape(len(inside), len(self.domain.schema))
        return as_points(inside)


@dataclass(frozen=True)
class UserCases:
    """Data sets of n users, each with any records, also none.

    A user is a pair (name, records). Names matter to a learner that cuts what a user has too much
    of by a public rule: users with more than ``samples_per_user`` records are tried with several.
    """

    kinds: list[Kind]
    domain: Domain
    ordered: bool = False

    @classmethod
    def of(
        cls,
        records: list[Record],
        domain: Domain,
        *,
        most: Any,
        names: int,
        samples_per_user: int,
    ) -> UserCases:
        """Return all users with at most ``most`` of these records."""
        most = check_integer("verify", "records_per_user", most, low=0)
        sizes = range(most + 1)
        held = [bundle for size in sizes for bundle in _multisets(records, size)]
        return cls(
            [
                (name, bundle)
                for bundle in held
                for name in range(names if len(bundle) > samples_per_user else 1)
            ],
            domain,
        )

    def lists(self, n: int) -> Iterator[Case]:
        """Yield the data sets of n users."""
        return _multisets(self.kinds, n)

    def sample(self, data: Sequence[Any]) -> UserSample:
        """Return the data set as the learner sees it."""
        layout = RecordCases([], self.domain, ordered=False)
        rows = [(i, x, label) for i, (_, bundle) in enumerate(data) for x, label in bundle]
        everything = layout.sample([(x, label) for _, x, label in rows])
        place = {_plain(x): i for i, x in enumerate(everything.points.tolist())}
        counted: dict[tuple[int, int, int], int] = {}
        for user, x, label in rows:
            key = (user, place.get(_plain(x), -1) if x is not OUTSIDE else -1, label)
            counted[key] = counted.get(key, 0) + 1
        groups = np.array(sorted(counted), dtype=np.int64).reshape(-1, 3)
        count = np.array([counted[key] for key in sorted(counted)], dtype=np.int64)
        keys = np.array([name for name, _ in data], dtype=np.uint64)
        labels = groups[:, 2].astype(np.int8)
        return UserSample(everything.points, groups[:, 0], groups[:, 1], labels, count, keys)


def _multisets(kinds: Sequence[Any], size: int) -> Iterator[tuple[Any, ...]]:
    return combinations_with_replacement(kinds, size)


def _plain(x: Any) -> Hashable:
    """Return a point as a key; rows of codes come as lists."""
    return tuple(x) if isinstance(x, list | tuple) else x


def signature(law: Law) -> Hashable:
    """Return what a comparison of laws depends on: every enclosure, exactly."""
    outcomes = frozenset((outcome, _exactly(p)) for outcome, p in law.outcomes.items())
    return outcomes, _exactly(law.slack)


def _exactly(p: arb) -> Hashable:
    return tuple(int(x) for part in (p.mid(), p.rad()) for x in part.man_exp())


def shown(kind: Any) -> list[Any]:
    """Return a record as [point, label], a user as [name, records]."""
    first, second = kind
    if isinstance(second, tuple):
        return [first, [shown(record) for record in second]]
    return [str(first), second]
