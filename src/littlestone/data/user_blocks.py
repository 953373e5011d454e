"""Records of many users that are not brought together: some users at a time, from a private file.

A table is read once: its engine groups and sorts by user, point and label, and what it hands out
goes into a private file that has no name (`HeldUsers`), in blocks of whole users. Every later pass
is over that file. What is decided for each user alone (its mistakes, which of its records are kept)
is decided block by block; what adds up over users is added up.
"""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.data.points import distinct, totals
from littlestone.data.sample import Sample
from littlestone.data.users import UserSample
from littlestone.errors import DataError
from littlestone.types import Points

if TYPE_CHECKING:
    from littlestone.data.points import Keys

__all__ = ["HeldUsers", "StreamedUsers"]

Ints = npt.NDArray[np.int64]


class HeldUsers:
    """Blocks of users in a private file, all groups of a user in one block.

    Examples
    --------
    >>> held = HeldUsers()
    >>> held.add(UserSample.of(["ann", "bob", "ann"], [3, 5, 3], [0, 1, 0]))
    >>> [(block.points.tolist(), block.count.tolist()) for block in held.blocks()]
    [([3, 5], [2, 1])]
    """

    def __init__(self) -> None:
        # without a buffer: what a full disk does not take is an error at once
        self._file = tempfile.TemporaryFile(prefix="littlestone-", buffering=0)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._blocks: list[tuple[int, list[tuple[int, np.dtype[Any]]]]] = []
        self._keys: list[Keys] = []

    def add(self, block: UserSample) -> None:
        """Append users; their points are integers of 64 bits."""
        sizes, outside = np.diff(block.starts), block.point + 1
        columns = [block.points, _short(sizes), _short(outside), block.label, _short(block.count)]
        start = self._file.seek(0, 2)
        self._blocks.append((start, [(len(column), column.dtype) for column in columns]))
        self._keys.append(block.keys)
        for column in columns:
            left = memoryview(column.tobytes())
            while left:
                left = left[self._file.write(left) :]

    def keys(self) -> Keys:
        """Return the keys of all users."""
        return np.concatenate([np.zeros(0, dtype=np.uint64), *self._keys])

    def blocks(self) -> Iterator[UserSample]:
        """Yield the users, in their order."""
        for (start, kinds), keys in zip(self._blocks, self._keys, strict=True):
            self._file.seek(start)
            columns: list[npt.NDArray[Any]] = []
            for length, kind in kinds:
                raw = self._file.read(length * kind.itemsize)
                if len(raw) < length * kind.itemsize:
                    raise DataError("The private copy of the records is damaged. Read them again.")
                columns.append(np.frombuffer(raw, dtype=kind))
            points, sizes, outside, label, count = columns
            user = np.repeat(np.arange(len(keys)), sizes)
            point = outside.astype(np.int64) - 1
            yield UserSample(points, user, point, label, count.astype(np.int64), keys)


def _short(numbers: Ints) -> npt.NDArray[Any]:
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


class StreamedUsers(UserSample):
    """Users that are looked at block by block; they are held in memory only if needed.

    Parameters
    ----------
    keys : uint64 array
        Of all users.
    blocks : callable
        Returns an iterator over the blocks, as often as it is asked.

    Examples
    --------
    >>> held = HeldUsers()
    >>> for name in ("ann", "bob"):
    ...     held.add(UserSample.of([name] * 3, [3, 5, 3], [0, 1, 0]))
    >>> users = StreamedUsers(held.keys(), held.blocks)
    >>> users, users.point.tolist(), users.bound_contributions(1, salt=0).records.tolist()
    (UserSample(n_users=2), [0, 1, 0, 1], [1, 1])
    """

    def __init__(self, keys: Keys, blocks: Callable[[], Iterator[UserSample]]) -> None:
        self.__dict__.update(keys=keys, _blocks=blocks)  # a sample is frozen

    def blocks(self) -> Iterator[UserSample]:
        """Yield samples of some users each, in their order."""
        made: Callable[[], Iterator[UserSample]] = self.__dict__["_blocks"]
        return made()

    @property
    def n_groups(self) -> int:
        """Number of groups (private)."""
        return sum(len(block.count) for block in self.blocks())

    def together(self) -> UserSample:
        """Return the users with all their groups, in memory."""
        return UserSample(*self._together, self.keys)

    def bound_contributions(self, most: int, *, salt: int) -> UserSample:
        """Keep at most ``most`` records of each user; see `UserSample.bound_contributions`.

        Of a block in which some user has more it is remembered how many records of each group are
        kept: a byte for each group where these are less than 256.
        """
        kept: list[npt.NDArray[Any] | None] = []
        for block in self.blocks():
            some = block.kept(most, salt=salt)
            kept.append(None if np.array_equal(some, block.count) else _short(some))

        def cut() -> Iterator[UserSample]:
            for block, some in zip(self.blocks(), kept, strict=True):
                yield block if some is None else block.keeping(some.astype(np.int64))

        return StreamedUsers(self.keys, cut)

    def pooled(self) -> Sample:
        """Return all records together: their points are brought together, users are not."""
        parts = [block.pooled() for block in self.blocks()]
        points, where = distinct(np.concatenate([_none(), *(part.points for part in parts)]))
        zeros, ones = (
            totals(
                where, np.concatenate([_none(), *(getattr(p, name) for p in parts)]), len(points)
            )
            for name in ("zeros", "ones")
        )
        outside = [sum(part.outside[label] for part in parts) for label in (0, 1)]
        return Sample(points, zeros, ones, (outside[0], outside[1]))

    @cached_property
    def _together(self) -> tuple[Points, Ints, Ints, npt.NDArray[np.int8], Ints]:
        users, points, labels, counts, indices, seen, known = [], [], [], [], [], 0, 0
        for block in self.blocks():
            users.append(block.user + seen)
            indices.append(np.where(block.point < 0, -1, block.point + known))
            points.append(block.points)
            labels.append(block.label)
            counts.append(block.count)
            seen, known = seen + block.n_users, known + len(block.points)
        every, where = distinct(np.concatenate([_none(), *points]))
        index = np.concatenate([_none(), *indices])
        point = np.append(where, -1)[index]  # -1, outside the domain, is the last one
        label = np.concatenate([np.zeros(0, dtype=np.int8), *labels])
        user, count = np.concatenate([_none(), *users]), np.concatenate([_none(), *counts])
        return every, user, point, label, count

    @property
    def points(self) -> Points:
        """Distinct points; brings the groups together, as do the following."""
        return self._together[0]

    @property
    def user(self) -> Ints:
        """User of each group."""
        return self._together[1]

    @property
    def point(self) -> Ints:
        """Index of the point of each group."""
        return self._together[2]

    @property
    def label(self) -> npt.NDArray[np.int8]:
        """Label of each group."""
        return self._together[3]

    @property
    def count(self) -> Ints:
        """Number of records of each group."""
        return self._together[4]


def _none() -> Ints:
    return np.zeros(0, dtype=np.int64)
