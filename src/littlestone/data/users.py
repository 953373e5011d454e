"""Labelled records of users who contribute many each: what a user-level learner may see.

Names of users become numbers: their order is canonical, a user's key is made of that name alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

import numpy as np
import numpy.typing as npt

from littlestone.data.cells import user_name
from littlestone.data.labels import label_values
from littlestone.data.points import Keys, distinct, mixed, user_index
from littlestone.data.sample import (
    Counted,
    Sample,
    check_lengths,
    given_points,
    grouped,
    strict_labels,
)
from littlestone.data.targets import TargetSample
from littlestone.errors import DataError, check_integer
from littlestone.source import public_generator
from littlestone.types import Points

if TYPE_CHECKING:
    from littlestone.bounds import Unit
    from littlestone.data.counting import Groups
    from littlestone.data.domains import Domain
    from littlestone.data.formats import CsvFormat


Ints = npt.NDArray[np.int64]


_BLOCK = 1 << 22  # records that are laid out one by one at a time
_NUMPY_LIMIT = 10**9  # numpy refuses to draw from more; a refusal would tell of the user's records


@dataclass(frozen=True, eq=False, repr=False)
class UserSample:
    """The records of ``n_users`` users, as one table of groups (user, point, label, count).

    The groups are sorted by user, then point, then label, and each is there once. The neighbouring
    relation is replacing all records of one user; ``n_users`` is public, everything else is
    private: how many records a user has, too.

    Parameters
    ----------
    points : ndarray
        Distinct points in canonical order, as in `Sample`.
    user : int64 ndarray
        User of each group, from 0 to n_users - 1, in increasing order. **Not for splitting**: these
        numbers are ranks of the users' names, so replacing one user renumbers others. A learner
        shuffles users by a secret ``source.permutation``, or by ``keys`` (then a replaced user may
        leave one chunk and enter another).
    point : int64 ndarray
        Index into ``points`` of each group; -1 stands for all points outside the domain.
    label : int8 ndarray
        0 or 1.
    count : int64 ndarray
        Number of records of each group, at least 1.
    keys : uint64 ndarray of shape (n_users,)
        One for each user: a fixed public function of that user's name alone, the same in every
        table. Replacing one user changes no other user's key, so what is decided publicly for each
        user (what `bound_contributions` keeps) depends on keys, never on the numbers in ``user``.

    Examples
    --------
    >>> users = UserSample.of(["ann", "bob", "ann"], [3, 5, 3], [0, 1, 0])
    >>> users, users.starts.tolist(), users.count.tolist()
    (UserSample(n_users=2), [0, 1, 2], [2, 1])
    """

    points: Points
    user: Ints
    point: Ints
    label: npt.NDArray[np.int8]
    count: Ints
    keys: Keys

    unit: ClassVar[Unit] = "users"
    labels = 2
    unlisted = False
    in_memory = True
    stored = False

    @property
    def n_users(self) -> int:
        """Number of users: public under replacing one user."""
        return len(self.keys)

    @property
    def n(self) -> int:
        """The public number of units: users."""
        return len(self.keys)

    @cached_property
    def starts(self) -> Ints:
        """Where each user's groups start; entry n_users is the number of groups (private)."""
        return np.searchsorted(self.user, np.arange(self.n_users + 1)).astype(np.int64)

    @cached_property
    def records(self) -> Ints:
        """Number of records of each user (private)."""
        upto = np.concatenate([[0], np.cumsum(self.count)])
        return np.diff(upto[self.starts])  # a user may have none

    @classmethod
    def of(cls, users: Sequence[Any], points: object, labels: object) -> UserSample:
        """Count records whose points are known to lie in the domain; users are any hashables."""
        caller = "UserSample.of"
        keys, where = distinct(given_points(points, caller))
        index, user_keys = user_index(given_points(users, caller, "users").tolist())
        label = (label_values(labels, caller) == 1).astype(np.int8)
        check_lengths(caller, len(where), users=len(index), labels=len(label))
        return cls(keys, *merge(index, where, label, np.ones(len(where), np.int64)), user_keys)

    @classmethod
    def from_arrays(
        cls,
        X: Any,
        y: Any,
        groups: Any,
        domain: Domain,
        *,
        classes: Sequence[Any] = (0, 1),
        caller: str = "UserSample.from_arrays",
    ) -> UserSample:
        """Count Python arrays, strictly; ``groups`` names the user of each record.

        See `Sample.from_arrays`. A missing user (None, NaN, empty) is refused.
        """
        points = domain.array(X, caller=caller)
        label = strict_labels(y, classes, caller).astype(np.int8)
        names = groups if isinstance(groups, list | tuple) else np.asarray(groups).reshape(-1)
        check_lengths(caller, len(points), y=len(label), groups=len(names))
        named = [user_name(name) for name in names]
        if any(name is None for name in named):
            raise DataError(f"Every user in the groups given to {caller} must be named.")
        keys, where = distinct(points)
        index, user_keys = user_index(named)
        return cls(keys, *merge(index, where, label, np.ones(len(where), np.int64)), user_keys)

    @classmethod
    def read(
        cls,
        table: Any,
        *,
        user: str,
        x: str | Sequence[str] | None = None,
        y: str,
        domain: Domain,
        positive: Any = 1,
        strict: bool = False,
        negative: Any = None,
        csv: CsvFormat | str | Mapping[str, Any] | None = None,
        caller: str = "UserSample.read",
    ) -> UserSample:
        """Count a table by user; see `Sample.read` for everything but ``user``.

        Parameters
        ----------
        user : str
            Column that names the user of each row, by its text. Rows without a user belong to one
            user together; with ``strict`` they are refused. A column of floats is refused by type.

        Examples
        --------
        >>> import pyarrow as pa
        >>> from littlestone.data import IntegerDomain
        >>> table = pa.table({"who": ["a", "b", "a"], "x": [3, 5, 3], "y": [0, 1, 0]})
        >>> UserSample.read(table, user="who", x="x", y="y", domain=IntegerDomain(1, 9))
        UserSample(n_users=2)
        """
        from littlestone.data.counting import group_table  # noqa: PLC0415 - engines are loaded late

        groups = group_table(
            caller,
            table,
            x=x,
            y=y,
            user=user,
            domain=domain,
            positive=positive,
            negative=negative,
            strict=strict,
            csv=csv,
        )
        return cls.grouped(groups)

    @classmethod
    def grouped(cls, groups: Groups) -> UserSample:
        """Return the users of groups."""
        merged = merge(groups.user, groups.point, groups.label, groups.n)
        return cls(groups.points, *merged, groups.keys)

    def complete(self) -> None:
        """Read what has not been read yet."""

    def blocks(self) -> Iterator[UserSample]:
        """Yield samples of some users each, in their order: itself, if in memory."""
        yield self

    def of_user(self, user: int) -> Counted:
        """Return the records of one user."""
        part = slice(int(self.starts[user]), int(self.starts[user + 1]))
        own = np.unique(self.point[part][self.point[part] >= 0])
        point = np.searchsorted(own, self.point[part])
        point[self.point[part] < 0] = -1
        return grouped(self.points[own], point, self.label[part], self.count[part])

    def pooled(self) -> Counted:
        """Return all records together."""
        return grouped(self.points, self.point, self.label, self.count)

    def bound_contributions(self, most: int, *, salt: int) -> UserSample:
        """Keep at most ``most`` records of each user, chosen uniformly.

        Which records of a user are kept depends on that user's identity, that user's records and
        the public salt, and on nothing else: replacing one user changes no other user's cut (one
        stream of random numbers for all users would change all later cuts). Records are chosen by
        a salted key and not by value, so no value is favoured and rows of nulls count like others.

        Parameters
        ----------
        most : int
            At least 1.
        salt : int
            Public: `littlestone.source.public_salt`.

        Examples
        --------
        >>> users = UserSample.of(["a"] * 5 + ["b"], [1, 2, 3, 4, 4, 9], [0, 0, 1, 1, 1, 0])
        >>> users.bound_contributions(2, salt=7).records.tolist()
        [2, 1]
        """
        return self.keeping(self.kept(most, salt=salt))

    def kept(self, most: int, *, salt: int) -> Ints:
        """Return how many records of each group `bound_contributions` keeps."""
        most = check_integer("UserSample.bound_contributions", "most", most, low=1)
        salt = check_integer("UserSample.bound_contributions", "salt", salt)
        kept = self.count.copy()
        for user in np.flatnonzero((self.records > most) & (self.records > _BLOCK)):
            self._cut_one(int(user), most, salt, kept)
        over = np.flatnonzero((self.records > most) & (self.records <= _BLOCK))
        block = np.cumsum(self.records[over]) // _BLOCK
        for users in np.split(over, np.flatnonzero(np.diff(block)) + 1):
            self._cut(users, most, salt, kept)
        return kept

    def keeping(self, kept: Ints) -> UserSample:
        """Return the users with so many records of each group."""
        some = kept > 0
        return UserSample(
            self.points,
            self.user[some],
            self.point[some],
            self.label[some],
            kept[some],
            self.keys,
        )

    def _cut(self, users: Ints, most: int, salt: int, kept: Ints) -> None:
        """Lay out the records of these users, and keep those with the least salted keys."""
        starts, sizes = self.starts[users], self.starts[users + 1] - self.starts[users]
        rows = _ranges(starts, sizes)
        record_row = np.repeat(rows, self.count[rows])
        per_user = self.records[users]
        ordinal = _ranges(np.zeros(len(users), np.int64), per_user)
        caller = np.repeat(np.arange(len(users)), per_user)
        seeds = mixed(self.keys[users] ^ mixed(np.array([salt % 2**64], dtype=np.uint64)))
        key = mixed(seeds[caller] + mixed(ordinal.astype(np.uint64)))
        order = np.lexsort((key, caller))
        chosen = record_row[order[ordinal < most]]  # ordinals are also ranks inside each user
        kept[rows] = 0
        np.add.at(kept, chosen, 1)

    def _cut_one(self, user: int, most: int, salt: int, kept: Ints) -> None:
        """Cut one enormous user by the law of the counts, instead of record by record."""
        part = slice(int(self.starts[user]), int(self.starts[user + 1]))
        rng = public_generator(salt % 2**64, int(self.keys[user]))
        kept[part] = _some_of(self.count[part], most, rng)

    def __repr__(self) -> str:
        return f"UserSample(n_users={self.n_users})"  # nothing else is public


def is_sample(value: object) -> TypeGuard[Sample | UserSample | TargetSample]:
    """Return whether something is a sample of records, or of users."""
    return isinstance(value, Sample | UserSample | TargetSample)


def merge(
    user: Ints, point: Ints, label: npt.NDArray[np.int8], counts: Ints
) -> tuple[Ints, Ints, npt.NDArray[np.int8], Ints]:
    """Sort groups by user, point and label, and add up groups that are there more than once."""
    if len(user) == 0:
        return user, point, label, counts
    width = int(point.max()) + 2
    if (int(user.max()) + 1) * width * 2 >= 2**62:
        order = np.lexsort((label, point, user))
        user, point, label, counts = user[order], point[order], label[order], counts[order]
        new = np.ones(len(user), dtype=bool)
        new[1:] = (user[1:] != user[:-1]) | (point[1:] != point[:-1]) | (label[1:] != label[:-1])
        at = np.flatnonzero(new)
        return user[at], point[at], label[at], np.add.reduceat(counts, at)
    key = (user * width + (point + 1)) * 2 + label  # says it all: sorted, and taken apart again
    if int(counts.max()) == 1:
        key.sort()
    else:
        order = np.argsort(key)
        key, counts = key[order], counts[order]
    at = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
    key, counts = key[at], np.add.reduceat(counts, at)
    label = (key & 1).astype(np.int8)
    key >>= 1
    user = key // width
    key -= user * width
    key -= 1
    return user, key, label, counts


def _some_of(counts: Ints, most: int, rng: np.random.Generator) -> Ints:
    """Return how many records of each group are among ``most`` records, chosen uniformly."""
    total = int(counts.sum())
    if total < _NUMPY_LIMIT:
        return rng.multivariate_hypergeometric(counts, most, method="marginals")
    few = min(most, total - most)  # the records that are kept, or those that are not
    chosen = np.zeros(0, dtype=np.int64)
    while len(chosen) < few:
        chosen = np.union1d(chosen, rng.integers(total, size=few - len(chosen)))
    group = np.searchsorted(np.cumsum(counts), chosen, side="right")
    drawn = np.bincount(group, minlength=len(counts)).astype(np.int64)
    return drawn if few == most else counts - drawn


def _ranges(starts: Ints, sizes: Ints) -> Ints:
    """Return the concatenation of range(start, start + size)."""
    offsets = np.cumsum(sizes) - sizes
    return np.repeat(starts - offsets, sizes) + np.arange(int(sizes.sum()), dtype=np.int64)
