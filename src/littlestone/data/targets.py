"""What is predicted where it is no label: a quantity, a count, or a time until an event.

A *target* is a public rule from cells to codes. A cell is converted alone and totally: what lies
outside the public range is the nearest end, and what is no number is not known (code -1). So codes
are small integers, and nothing later computes with a float that a record wrote.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeGuard

import numpy as np
import numpy.typing as npt

from littlestone.data.cells import Match, label_values, text, user_name
from littlestone.data.domains import Keys, distinct, mixed, totals, user_index
from littlestone.data.sample import Sample, check_lengths, given_points, grouped
from littlestone.data.schema import Column
from littlestone.errors import (
    DataError,
    ParameterError,
    check_integer,
    exact_value,
    parameter_error,
)
from littlestone.safe_io import read_exact
from littlestone.source import public_generator
from littlestone.types import Json, Label, Points

if TYPE_CHECKING:
    import pyarrow as pa

    from littlestone.bounds import Unit
    from littlestone.source import Source


Ints = npt.NDArray[np.int64]

_CELLS = 10_000
_MOST_CELLS = 30_000
UNKNOWN = -1


class Target(ABC):
    """A public rule for what is predicted: a number, if nothing else is said."""

    kind: ClassVar[str]
    #: Whether it is a label.
    of_labels: ClassVar[bool] = False
    #: Whether values lie between those of codes, and models add them up, and not their logarithms.
    continuous: ClassVar[bool] = False
    #: The loss that an estimator has to be given.
    loss: ClassVar[str | None] = None
    #: The ends of periods, of a time until an event.
    ends: tuple[Fraction, ...] = ()
    #: The value of code 0.
    low: Fraction = Fraction(0)

    @property
    def width(self) -> Fraction:
        """What the values of two codes differ by."""
        return Fraction(1)

    def value(self, code: int) -> Fraction:
        """Return the number of a code."""
        return self.low + code * self.width

    def rule(self, event: str | None) -> Json:
        """Return how readers are to read its column; ``event``: that of events."""
        return {} if event is None else {"event": event}

    @property
    @abstractmethod
    def edges(self) -> tuple[float, ...]:
        """Increasing numbers: the code of a number is how many of them are at most it."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many codes there are, 0, ..., size - 1."""

    @cached_property
    def column(self) -> Column:
        """The rule for cells of numbers."""
        return Column("target", edges=self.edges)

    def codes(self, numbers: npt.NDArray[np.float64]) -> Ints:
        """Return the codes of numbers; of NaN `UNKNOWN`."""
        return self.column.codes(numbers).astype(np.int64).clip(1) - Column.FIRST

    def of_cells(self, cells: list[pa.ChunkedArray]) -> Ints:
        """Return the codes of the cells of columns."""
        from littlestone.data.codes import codes_of  # noqa: PLC0415 - Arrow is loaded late

        return codes_of(cells[0], self.column).clip(1) - Column.FIRST

    def of_array(self, y: Any, caller: str) -> Ints:
        """Return the codes of an array; what is no finite number is refused."""
        return self.codes(_numbers(y, caller))

    @abstractmethod
    def to_dict(self) -> Json:
        """Return plain JSON; `target_from_dict` reads it back."""


def _numbers(y: Any, caller: str) -> npt.NDArray[np.float64]:
    try:
        cells = np.asarray(y)
        numbers = cells.astype(np.float64) if cells.dtype.kind not in "mM" else np.array([np.nan])
    except (TypeError, ValueError, OverflowError):
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        raise DataError(
            f"The target given to {caller} must be finite numbers. Some cell is not: it is NaN, "
            "infinite, a date or a text. Leave such records out, or read a table by its columns, "
            'fit(table, y="price"), where they are ignored.'
        )
    if numbers.ndim != 1:
        raise parameter_error(caller, "y", "of shape (n,)", f"{numbers.ndim} dimensions")
    return numbers


@dataclass(frozen=True)
class Quantity(Target):
    """A number in a public range, rounded to the nearest of ``cells + 1`` equally spaced values.

    Examples
    --------
    >>> price = Quantity("0", "20000")
    >>> price.codes(np.array([-5.0, 0.9, 1.1, 30_000.0, np.nan])).tolist()
    [0, 0, 1, 10000, -1]
    >>> price.value(1)
    Fraction(2, 1)
    """

    low: Fraction = field()
    high: Fraction = field()
    cells: int = _CELLS

    kind = "quantity"
    continuous = True

    def __post_init__(self) -> None:
        caller = "a quantity"
        for name in ("low", "high"):
            exact = exact_value(getattr(self, name))
            if exact is None or abs(exact) > 10**300:  # sums of such numbers are doubles
                hint = (
                    "The range is public: state it from general knowledge, not from these records."
                )
                allowed = "a finite number" + (", at most 1e300 in size" if exact else "")
                raise parameter_error(caller, name, allowed, getattr(self, name), hint)
            object.__setattr__(self, name, exact)
        if self.low >= self.high:
            raise parameter_error(caller, "low", f"below high = {self.high}", self.low)
        if type(self.cells) is not int or not 1 <= self.cells <= _MOST_CELLS:
            raise parameter_error(caller, "cells", f"in [1, {_MOST_CELLS}]", self.cells)
        if any(a >= b for a, b in pairwise(self.edges)):
            raise ParameterError(
                f"The range of the target is too narrow for numbers of this size: {self.cells:,} "
                "cells cannot be distinguished. Subtract a public number from the target."
            )

    @property
    def size(self) -> int:
        """How many codes there are."""
        return self.cells + 1

    @property
    def width(self) -> Fraction:
        """What a cell is wide."""
        return (self.high - self.low) / self.cells

    @cached_property
    def edges(self) -> tuple[float, ...]:
        """The middles between the values."""
        scale = math.lcm(self.low.denominator, (self.width / 2).denominator)
        low, half = int(self.low * scale), int(self.width / 2 * scale)
        # the quotient of integers is rounded as the exact fraction is
        return tuple((low + (2 * code + 1) * half) / scale for code in range(self.cells))

    def to_dict(self) -> Json:
        """Return plain JSON."""
        out: Json = {"type": self.kind, "low": str(self.low), "high": str(self.high)}
        return out | ({} if self.cells == _CELLS else {"cells": self.cells})


@dataclass(frozen=True)
class Count(Target):
    """A whole number from 0 to a public largest one; larger ones count as that.

    Examples
    --------
    >>> Count(20).codes(np.array([-3.0, 0.0, 2.2, 99.0])).tolist()
    [0, 0, 2, 20]
    """

    high: int

    kind = "count"
    loss = "poisson"

    def __post_init__(self) -> None:
        exact = exact_value(self.high)
        if exact is None or exact.denominator > 1 or not 1 <= exact <= _MOST_CELLS:
            hint = "It is public: take it from general knowledge, not from these records."
            allowed = f"an integer in [1, {_MOST_CELLS}]"
            raise parameter_error("a count", "high", allowed, self.high, hint)
        object.__setattr__(self, "high", int(exact))

    @property
    def size(self) -> int:
        """How many codes there are."""
        return self.high + 1

    @cached_property
    def edges(self) -> tuple[float, ...]:
        """The middles between whole numbers."""
        return tuple(code + 0.5 for code in range(self.high))

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.kind, "high": self.high}


@dataclass(frozen=True)
class Periods(Target):
    """A time until an event, in public periods that end at ``ends``; from the last on, nothing.

    A record says how long it was observed, and whether the event ended that. It is at risk in the
    periods before; in the one that its time lies in, if the event is there, or if it was observed
    beyond the middle. The code is ``2 h + event``, for a time in half period h.

    Examples
    --------
    >>> periods = Periods((12, 24))
    >>> periods.codes(np.array([3.0, 12.0, 40.0])).tolist()
    [0, 2, 4]
    >>> codes = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    >>> [row.tolist() for row in periods.at_risk(codes)]
    [[0, 1, 1, 1, 1, 2, 2, 2, 2, 2], [-1, 0, -1, 0, -1, 1, -1, 1, -1, -1]]
    """

    ends: tuple[Fraction, ...] = field()
    event_is: Label = 1  # the cell that says so

    kind = "time"

    def __post_init__(self) -> None:
        ends_typed = self.ends
        several = isinstance(ends_typed, list | tuple | range | np.ndarray)
        exact = [exact_value(end) for end in ends_typed] if several else []
        ends = [end for end in exact if end is not None]
        if (
            not ends
            or len(ends) < len(exact)
            or any(a >= b for a, b in pairwise([Fraction(0), *ends]))
        ):
            hint = (
                "They are public: state them from general knowledge, for example [12, 24, 36]; "
                "with high=36 their number is enough."
            )
            allowed = "increasing positive numbers, the ends of the periods"
            raise parameter_error("a time", "periods", allowed, ends_typed, hint)
        if len(ends) > 100:
            raise parameter_error("a time", "periods", "at most 100 numbers", len(ends))
        object.__setattr__(self, "ends", tuple(ends))
        code = self.event_is
        if not isinstance(code, int | str) or text(code) is None or str(code).lower() == "nan":
            hint = "In R's survival, for example, 2 is an event and 1 is none."
            raise parameter_error("a time", "event_is", "a number or a text", code, hint)

    @property
    def size(self) -> int:
        """How many codes there are."""
        return 4 * len(self.ends) + 2

    @cached_property
    def edges(self) -> tuple[float, ...]:
        """The middle and the end of each period."""
        starts = (Fraction(0), *self.ends)
        return tuple(float(x) for a, b in pairwise(starts) for x in ((a + b) / 2, b))

    def at_risk(self, codes: Ints) -> tuple[Ints, Ints]:
        """Return in how many periods records are at risk, and in which one the event is, or -1."""
        half, event = codes >> 1, codes & 1
        inside = half < 2 * len(self.ends)
        period = half >> 1
        happened = (event == 1) & inside
        periods = np.where(happened, period + 1, (half + 1) >> 1)
        return np.minimum(periods, len(self.ends)), np.where(happened, period, -1)

    def of_cells(self, cells: list[pa.ChunkedArray]) -> Ints:
        """Return the codes of the cells of two columns, time and event."""
        from littlestone.data.codes import codes_of, label_places  # noqa: PLC0415

        half = super().of_cells(cells[:1])
        negative = codes_of(cells[0], _NEGATIVE) == Column.FIRST
        event = label_places(cells[1], Match(self.event_is)) == 0
        return np.where((half == UNKNOWN) | negative, UNKNOWN, 2 * half + event)

    def of_array(self, y: Any, caller: str) -> Ints:
        """Return the codes of a structured array (event, time), as scikit-survival writes it."""
        event, time = event_and_time(y, caller)
        if (time < 0).any():
            raise DataError(
                f"The times given to {caller} must not be negative. Some time is: leave such "
                'records out, or read a table, fit(table, time="months", event="died"), where '
                "they are ignored."
            )
        return 2 * self.codes(time) + event

    def to_dict(self) -> Json:
        """Return plain JSON."""
        out: Json = {"type": self.kind, "periods": [str(end) for end in self.ends]}
        return out | ({} if self.event_is == 1 else {"event_is": self.event_is})


_OF_PERIODS = {"type", "periods", "event_is"}
_NEGATIVE = Column("time", edges=(0,))


def event_and_time(y: Any, caller: str) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
    """Return the fields of a structured array (event, time), as scikit-survival writes it."""
    values = np.asarray(y)
    names = values.dtype.names or ()
    flags = [name for name in names if values.dtype[name].kind == "b"]
    if len(names) != 2 or len(flags) != 1 or values.ndim != 1:
        raise DataError(
            f"The target given to {caller} must be a structured array of two fields, a boolean "
            "(the event was observed) and a number (the time), as sksurv.util.Surv makes it; or "
            'give a table, fit(table, time="months", event="died").'
        )
    (time,) = (name for name in names if name not in flags)
    return values[flags[0]], _numbers(values[time], caller)


def target_from_dict(data: Any) -> Target:
    """Read a target back.

    Examples
    --------
    >>> target_from_dict(Quantity(0, "1/2").to_dict())
    Quantity(low=Fraction(0, 1), high=Fraction(1, 2), cells=10000)
    """
    try:
        kind = data["type"]
        if kind == Quantity.kind and set(data) <= {"type", "low", "high", "cells"}:
            low, high = read_exact(data["low"]), read_exact(data["high"])
            cells = data.get("cells", _CELLS)
            if type(cells) is int:
                return Quantity(low, high, cells)
        elif kind == Count.kind and set(data) == {"type", "high"} and type(data["high"]) is int:
            return Count(data["high"])
        elif kind == Periods.kind and {"type", "periods"} <= set(data) <= _OF_PERIODS:
            ends = tuple(read_exact(end) for end in data["periods"])
            return Periods(ends, data.get("event_is", 1))
    except (KeyError, TypeError, ValueError):
        pass
    raise ParameterError(
        "The 'target' entry of a class must be a quantity, a count or a time, as written by `fit`."
    )


@dataclass(frozen=True, eq=False, repr=False)
class TargetSample:
    """Records with codes of targets or labels, by the unit that is protected, in groups.

    Groups are sorted by user, then row, then code, and each is there once (`merged`). What is
    public of them is the number of units, ``n``. With users all else is secret, also how many
    records there are.

    Attributes
    ----------
    points : ndarray
        Distinct points in canonical order, as in `Sample`.
    user : int64 ndarray, optional
        User of each group, 0, ..., n - 1. Without, each record is a unit. **Not for splitting**:
        these numbers are ranks of the users' names, so replacing one user renumbers others. A
        learner shuffles users by a secret ``source.permutation``, or by ``keys`` (then a replaced
        user may leave one chunk and enter another).
    point : int64 ndarray
        Index into ``points`` of each group; -1 stands for all points outside the domain.
    code : integer ndarray
        Code of the target or label of each group; -1 where it is not known.
    count : int64 ndarray
        Number of records of each group, at least 1.
    keys : uint64 ndarray of shape (n,), optional
        One for each user: a fixed public function of that user's name alone, the same in every
        table. Replacing one user changes no other user's key, so what is decided publicly for each
        user (what `UserSample.bound_contributions` keeps) depends on keys, never on the numbers in
        ``user``.

    Examples
    --------
    >>> sample = TargetSample.of([[2], [3], [2]], Count(9).codes(np.array([1.0, 4.0, 1.0])))
    >>> sample, sample.count.tolist()
    (TargetSample(n=3), [2, 1])
    """

    points: Points
    user: Ints | None
    point: Ints
    code: npt.NDArray[Any]
    count: Ints
    keys: Keys | None

    in_memory: ClassVar[bool] = True

    @property
    def unit(self) -> Unit:
        """What is protected."""
        return "records" if self.keys is None else "users"

    @property
    def n(self) -> int:
        """Number of units (public)."""
        return int(self.count.sum()) if self.keys is None else len(self.keys)

    @classmethod
    def of(cls, points: Any, codes: Any, users: Any = None) -> Self:
        """Return the records of rows of codes, codes of targets, and names of users."""
        rows, code = np.asarray(points, dtype=np.int16), np.asarray(codes, dtype=np.int64)
        return cls.from_arrays(rows, code, users, caller="TargetSample.of")

    @classmethod
    def listed(
        cls, points: Points, codes: Ints, user: Ints | None = None, keys: Keys | None = None
    ) -> Self:
        """Return the records of a list: the point of each, its code and the number of its user."""
        distinct_points, where = distinct(points)
        ones = np.ones(len(where), dtype=np.int64)
        return cls(distinct_points, user, where, codes, ones, keys).merged()

    @classmethod
    def from_arrays(cls, points: Points, codes: Ints, groups: Any = None, *, caller: str) -> Self:
        """Return the records of points and codes; ``groups`` names the user of each, strictly."""
        check_lengths(caller, len(points), y=len(codes))
        if groups is None:
            return cls.listed(points, codes)
        names = groups if isinstance(groups, list | tuple) else np.asarray(groups).reshape(-1)
        check_lengths(caller, len(points), groups=len(names))
        named = [user_name(name) for name in names]
        if None in named:
            raise DataError(f"Every user in the groups given to {caller} must be named.")
        return cls.listed(points, codes, *user_index(named))

    @classmethod
    def read(cls, table: Any, *, caller: str = "", **arguments: Any) -> Self:
        """Count a table where it lies; see `Sample.read` for everything but these arguments.

        Parameters
        ----------
        table : path, data frame or relation
        user : str, optional
            Column that names the user of each row, by its text. Rows without a user belong to one
            user together; with ``strict`` they are refused. A column of floats is refused by type.
        target : Target, optional
            What is predicted, where it is no label.
        event : str, optional
            Of times: the column that says whether an event ended them.

        Examples
        --------
        >>> import pyarrow as pa
        >>> from littlestone.data import IntegerDomain, RowDomain, Schema
        >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}})
        >>> table = pa.table({"age": [20, 40, 40], "visits": [1, None, 3], "who": ["a", "b", "a"]})
        >>> sample = TargetSample.read(
        ...     table, y="visits", user="who", domain=RowDomain(schema), target=Count(9))
        >>> sample.n, sample.code.tolist()
        (2, [1, 3, -1])
        >>> UserSample.read(table, user="who", x="age", y="visits", domain=IntegerDomain(1, 99))
        UserSample(n=2)
        """
        read = import_module("littlestone.data.read").read  # it makes samples; loads engines

        sample: Self = read(table, kind=cls, caller=caller or f"{cls.__name__}.read", **arguments)
        return sample

    @classmethod
    def grouped(cls, groups: TargetSample) -> Self:
        """Return the records of groups, some of which may be equal."""
        return cls(**{each.name: getattr(groups, each.name) for each in fields(groups)}).merged()

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return the groups of some parts, the users of one behind those of the other."""
        points, where = distinct(np.concatenate([part.points for part in parts]))
        where = np.append(where, -1)  # outside the domain is the last one
        starts = np.cumsum([0, *(len(part.points) for part in parts)])
        point = np.concatenate([
            where[np.where(part.point < 0, -1, part.point + start)]
            for part, start in zip(parts, starts, strict=False)
        ])  # fmt: skip
        code, count = (np.concatenate([getattr(p, name) for p in parts]) for name in _OF_GROUPS)
        user, keys = None, None
        if parts[0].keys is not None:
            keys = np.concatenate([part.keys for part in parts])
            firsts = np.cumsum([0, *(part.n for part in parts)])
            numbers = zip(parts, firsts, strict=False)
            user = np.concatenate([part.user + first for part, first in numbers])
        return cls(points, user, point, code, count, keys)

    def merged(self) -> Self:
        """Sort groups by user, point and code, and add up those that are there more than once."""
        by_user = () if self.user is None else (self.user,)
        columns = np.stack([*by_user, self.point, self.code], axis=1).astype(np.int64)
        rows, where = distinct(columns)
        *user, point, code = (column.copy() for column in rows.T)
        count = totals(where, self.count, len(rows))
        return replace(self, user=user[0] if user else None, point=point, code=code, count=count)

    def split(self, source: Source, first: int) -> tuple[Self, Self]:
        """Draw so many units (public), and return these, and the others."""
        drawn = source.permutation(self.n)
        if self.user is None:
            drawn = np.repeat(np.arange(len(self.count)), self.count)[drawn]
            return self._part(drawn[:first]), self._part(drawn[first:])
        return self._of_users(drawn[:first]), self._of_users(drawn[first:])

    def _of_users(self, users: Ints) -> Self:
        assert self.user is not None
        assert self.keys is not None
        name = np.full(self.n, -1)
        name[users] = np.arange(len(users))
        at = np.flatnonzero(name[self.user] >= 0)
        return replace(self.groups_at(at), user=name[self.user[at]], keys=self.keys[users]).merged()

    def _part(self, group: Ints) -> Self:
        count = np.bincount(group, minlength=len(self.count)).astype(np.int64)
        at = np.flatnonzero(count)
        return replace(self.groups_at(at), count=count[at])

    def groups_at(self, at: Any) -> Self:
        """Return some groups."""
        user = None if self.user is None else self.user[at]
        own = {name: getattr(self, name)[at] for name in ("point", *_OF_GROUPS)}
        return replace(self, user=user, **own)

    def one_of_each(self, source: Source) -> Self:
        """Draw one record of each user, all equally likely."""
        if self.user is None:
            return self
        last = np.cumsum(self.count)
        starts = np.flatnonzero(np.diff(self.user, prepend=-1))
        first = (last - self.count)[starts]
        many = np.diff(first, append=self.count.sum()).tolist()
        place = first + [source.below(k) if k > 1 else 0 for k in many]
        at = np.searchsorted(last, place, side="right")
        ones = np.ones(len(at), dtype=np.int64)
        return replace(self.groups_at(at), count=ones, user=None, keys=None)

    def pooled(self, labels: int | None = None) -> Sample:
        """Return all records together, with 0 and 1 or the codes of a list of labels."""
        return grouped(self.points, self.point, self.code, self.count, labels)

    def complete(self) -> None:
        """Read what has not been read yet: nothing."""

    def __repr__(self) -> str:
        return f"TargetSample(n={self.n})"  # nothing else is public


_OF_GROUPS = ("code", "count")


# -- Labelled records of users who contribute many each: what a user-level learner may see.
#
# Names of users become numbers: their order is canonical, a user's key is made of that name
# alone.


_BLOCK = 1 << 22  # records that are laid out one by one at a time
_NUMPY_LIMIT = 10**9  # numpy refuses to draw from more; a refusal would tell of the user's records


@dataclass(frozen=True, eq=False, repr=False)
class UserSample(TargetSample):
    """The records of n users with labels 0 and 1, in groups.

    The neighbouring relation is replacing all records of one user; ``n`` is public, everything
    else is private: how many records a user has, too.

    Examples
    --------
    >>> users = UserSample.of(["ann", "bob", "ann"], [3, 5, 3], [0, 1, 0])
    >>> users, users.starts.tolist(), users.count.tolist()
    (UserSample(n=2), [0, 1, 2], [2, 1])
    """

    user: Ints
    keys: Keys

    @property
    def n_users(self) -> int:
        """Number of users: public under replacing one user."""
        return len(self.keys)

    @cached_property
    def starts(self) -> Ints:
        """Where each user's groups start; entry n is the number of groups (private)."""
        return np.searchsorted(self.user, np.arange(self.n + 1)).astype(np.int64)

    @cached_property
    def records(self) -> Ints:
        """Number of records of each user (private)."""
        upto = np.concatenate([[0], np.cumsum(self.count)])
        return np.diff(upto[self.starts])  # a user may have none

    @classmethod
    def of(  # type: ignore[override]
        cls, users: Sequence[Any], points: object, labels: object
    ) -> Self:
        """Count records whose points are known to lie in the domain; users are any hashables."""
        caller = "UserSample.of"
        stored = given_points(points, caller)
        index, keys = user_index(given_points(users, caller, "users").tolist())
        label = (label_values(labels, caller) == 1).astype(np.int64)
        check_lengths(caller, len(stored), users=len(index), labels=len(label))
        return cls.listed(stored, label, index, keys)

    def blocks(self) -> Iterator[UserSample]:
        """Yield samples of some users each, in their order: itself, if in memory."""
        yield self

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

    def keeping(self, kept: Ints) -> Self:
        """Return the users with so many records of each group."""
        return replace(self, count=kept).groups_at(kept > 0)

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
        return f"UserSample(n={self.n})"  # nothing else is public


def is_sample(value: object) -> TypeGuard[Sample | TargetSample]:
    """Return whether something is a sample of records, or of users."""
    return isinstance(value, Sample | TargetSample)


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
