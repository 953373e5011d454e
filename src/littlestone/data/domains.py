"""What may be a point: public domains, and the rules that turn cells into their points.

A domain converts in two ways. `cell` converts one cell of a table, *totally*: whatever is not a
point of the domain is `OUTSIDE` (every concept labels it 0). `array` converts Python arrays as
scikit-learn users expect it, *strictly*: it refuses what lies outside, naming column and rule,
never a value, a row or a count. A refusal because of a value is outside the privacy guarantee.
"""

from __future__ import annotations

import enum
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import product
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from littlestone.data.cells import (
    MAX_DIGITS,
    MAX_LENGTH,
    WHITE,
    digits,
    doubles,
    durations,
    number,
    text,
)
from littlestone.data.schema import Schema
from littlestone.errors import DataError, ParameterError, parameter_error, suggest
from littlestone.types import Point, Points

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

    from littlestone.source import Source


# -- Layouts of points and names: how a batch is stored, ordered and counted (by value, no hash).


Counts = npt.NDArray[np.int64]
Index = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]

#: Integers in [-2**62, 2**62) are stored in 64 bits; differences of two of them still fit.
SMALL = 2**62
_MAX_DEPTH = 16


def object_points(items: Sequence[Any]) -> Points:
    """Return a 1-D object array of these items (also when they are tuples)."""
    out = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        out[i] = item
    return out


def as_points(points: object) -> Points:
    """Return points as one of the three layouts of `Sample.points`."""
    if isinstance(points, np.ndarray) and points.ndim == 2:
        return points
    if isinstance(points, np.ndarray) and points.dtype.kind in "iu" and points.dtype != np.uint64:
        return points.astype(np.int64)
    items = [p.item() if isinstance(p, np.generic) else p for p in points]  # type: ignore[attr-defined]
    if all(isinstance(p, int) and -SMALL < p < SMALL for p in items):
        return np.array(items, dtype=np.int64)
    return object_points(items)


def canonical(point: Any, depth: int = 0) -> Point:
    """Return the one form of equal points: int, float, text, bytes, None, or a tuple of these.

    Python says ``1 == 1.0 == True``; if equal points kept their different forms, the form that a
    sample shows would depend on which record came first.

    Examples
    --------
    >>> canonical((True, 2.0, "a"))
    (1, 2, 'a')
    """
    if isinstance(point, np.generic):
        point = point.item()
    if isinstance(point, int):
        return int(point)
    if isinstance(point, float) and not math.isnan(point):
        return int(point) if point.is_integer() else float(point)
    if isinstance(point, str):
        return str(point)
    if point is None or isinstance(point, bytes):
        return point
    if isinstance(point, tuple) and depth < _MAX_DEPTH:
        return tuple(canonical(part, depth + 1) for part in point)
    raise DataError(
        "A point must be an integer, a text, bytes, a float (not NaN), None, or a tuple of such "
        "points. Convert other objects to one of these first."
    )


def canonical_order(point: object) -> tuple[str, object]:
    """Sort integers by value, and other points by a fixed text form (never by hash)."""
    if isinstance(point, int | np.integer) and not isinstance(point, bool):
        return ("0", int(point))
    if isinstance(point, str):
        return ("1", point)
    return ("2", f"{type(point).__name__}:{_written(point)}")


def _written(point: object) -> str:
    try:
        return repr(point)
    except ValueError:  # Python writes no integer of more than 4300 digits, but hexadecimally
        parts = point if isinstance(point, tuple) else ()
        texts = (hex(part) if isinstance(part, int) else _written(part) for part in parts)
        return f"({', '.join(texts)},)"


def distinct(points: Points) -> tuple[Points, Index]:
    """Return the distinct points in canonical order, and where each given point is among them.

    Examples
    --------
    >>> distinct(np.array([5, 3, 5]))
    (array([3, 5]), array([1, 0, 1]))
    """
    if points.ndim == 2:
        return _distinct_rows(points)
    if points.dtype != object:
        return _distinct_integers(points)
    long = long_integers(points)
    if long is not None:
        integers, where = _distinct_integers(long)
        return widened(integers), where
    table: dict[object, int] = {}
    first = np.fromiter((table.setdefault(p, len(table)) for p in points), np.int64, len(points))
    keys = sorted(table, key=canonical_order)
    rank = np.empty(len(keys), dtype=np.int64)
    rank[[table[key] for key in keys]] = np.arange(len(keys))
    return as_points(keys), rank[first]


def long_integers(points: Points) -> npt.NDArray[np.uint64] | None:
    """Return points that are all Python integers in [0, 2**64) as an array of these."""
    if not len(points) or not all(type(point) is int for point in points):
        return None
    try:
        return np.array(points, dtype=np.uint64)
    except OverflowError:
        return None


def widened(values: npt.NDArray[Any]) -> Points:
    """Return sorted integers of any type in the layout of points: int64, or Python's if longer.

    Examples
    --------
    >>> widened(np.array([3, 2**63], dtype=np.uint64))
    array([3, 9223372036854775808], dtype=object)
    """
    small = not len(values) or (int(values[0]) > -SMALL and int(values[-1]) < SMALL)
    return values.astype(np.int64 if small else object)


def _distinct_integers(values: Points) -> tuple[Points, Index]:
    """Mark which integers are there, where their range is short; else sort them."""
    if values.dtype == np.int64 and len(values):
        low, high = int(values.min()), int(values.max())
        if high - low < 4 * len(values) + 1024:
            offsets = values - low
            there = np.zeros(high - low + 1, dtype=bool)
            there[offsets] = True
            rank = np.cumsum(there) - 1
            return np.flatnonzero(there) + low, rank[offsets]
        index_bits = len(values).bit_length()
        if (
            high - low
        ).bit_length() + index_bits < 63:  # value and position in one word: sort these
            packed = (values - low) << index_bits
            packed |= np.arange(len(values))
            packed.sort()
            order = packed & ((1 << index_bits) - 1)
            packed >>= index_bits
            new = np.ones(len(values), dtype=bool)
            new[1:] = packed[1:] != packed[:-1]
            where = np.empty(len(values), dtype=np.int64)
            where[order] = np.cumsum(new) - 1
            return packed[new] + low, where
    keys, where = np.unique(values, return_inverse=True)
    return keys, where.reshape(-1).astype(np.int64)


def _distinct_rows(rows: Points) -> tuple[Points, Index]:
    """Sort rows of small codes by one packed integer where that fits, else column by column."""
    n, width = rows.shape
    if n == 0:
        return rows, np.zeros(0, dtype=np.int64)
    low = rows.min(axis=0, initial=0)
    spans = [int(high) - int(at) + 1 for high, at in zip(rows.max(axis=0), low, strict=True)]
    if math.prod(spans) < SMALL:
        key = np.zeros(n, dtype=np.int64)
        for column, span in enumerate(spans):
            key *= span
            key += rows[:, column].astype(np.int64) - int(low[column])
        keys, where = _distinct_integers(key)
        place = np.empty(len(keys), dtype=np.int64)
        place[where] = np.arange(n)
        return rows[place], where
    order = np.lexsort(rows.T[::-1]) if width else np.arange(n)
    ordered = rows[order]
    new = np.ones(n, dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    where = np.empty(n, dtype=np.int64)
    where[order] = np.cumsum(new) - 1
    return ordered[new], where


def check_same(types: Sequence[int]) -> None:
    """Refuse readings of one table that found different numbers of records (public).

    Examples
    --------
    >>> check_same([7, 7, 8])
    Traceback (most recent call last):
    littlestone.errors.DataError: The table changed between two readings. Nothing is released; ...
    """
    if len(set(types)) > 1:
        raise DataError(
            "The table changed between two readings. Nothing is released; learn from a copy or a "
            "snapshot of it."
        )


def totals(where: Index, counts: Counts, size: int) -> Counts:
    """Add up counts by index: exact integers, as a float sum would not be."""
    out = np.zeros(size, dtype=np.int64)
    np.add.at(out, where, counts)
    return out


def user_index(names: Sequence[Any] | Index) -> tuple[Index, Keys]:
    """Return the number of each record's user (by canonical order of names), and users' keys.

    Examples
    --------
    >>> index, keys = user_index(["eve", "bob", "eve"])
    >>> index.tolist(), bool(keys[0] == user_index(["bob"])[1][0])
    ([1, 0, 1], True)
    """
    if isinstance(names, np.ndarray) and names.dtype == np.int64:
        values, where = distinct(names)
        return where, mixed(values.astype(np.uint64))
    table: dict[Any, int] = {}
    first = np.fromiter((table.setdefault(n, len(table)) for n in names), np.int64, len(names))
    ordered = sorted(table, key=canonical_order)
    rank = np.empty(len(ordered), dtype=np.int64)
    rank[[table[name] for name in ordered]] = np.arange(len(ordered))
    words = np.array([_word(name) for name in ordered], dtype=np.uint64)
    return rank[first], mixed(words)


def _word(name: Any) -> int:
    if isinstance(name, int) and -(2**63) <= name < 2**63:
        return name % 2**64
    named = f"{type(name).__name__}:{name!r}".encode()
    return int.from_bytes(blake2b(named, digest_size=8).digest())


def mixed(words: Keys) -> Keys:
    """Return scrambled 64-bit words (splitmix64's finalizer, with its increment)."""
    z = words + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


class Outside(enum.Enum):
    """The type of `OUTSIDE`."""

    OUTSIDE = "outside"

    def __repr__(self) -> str:
        return "OUTSIDE"


TWICE = "The columns of a table must have different names."
#: What a cell becomes that is not a point of the public domain.
OUTSIDE = Outside.OUTSIDE


class Line(Protocol):
    """Whole numbers of points, in [-2**62, 2**62): the order in which large tables are streamed."""

    size: int

    def keys(self, points: Points) -> npt.NDArray[np.int64]:
        """Return the numbers of points."""

    def points(self, keys: npt.NDArray[np.int64]) -> Points:
        """Return the points of numbers."""


class Itself:
    """Points that are their own numbers."""

    def __init__(self, size: int) -> None:
        self.size = size

    def keys(self, points: Points) -> npt.NDArray[np.int64]:
        """Return the integers."""
        return points

    def points(self, keys: npt.NDArray[np.int64]) -> Points:
        """Return them again."""
        return keys


class Domain(ABC):
    """A public set of points: equal to one of the same type that says the same of itself.

    What a kind of domain has, and others have not, is None or empty by default.
    """

    #: What a cell must be ("an integer in [1, 99]"), for refusals and for the docs.
    rule: str

    #: The public columns whose rows are the points.
    schema: Schema | None = None
    #: The least and the largest integer, where points are integers.
    bounds: tuple[int, int] | None = None

    @property
    def small(self) -> bool:
        """Whether points are integers of 64 bits (public)."""
        return False

    @property
    def line(self) -> Line | None:
        """The order in which points are streamed; None where they have no numbers of 64 bits."""
        return None

    @property
    def size(self) -> int | None:
        """How many points there are; None where they are not counted."""
        return None

    @property
    def outermost(self) -> list[Point]:
        """Points at the ends, where points have an order."""
        return []

    @property
    def examples(self) -> Points | None:
        """Public points that every hypothesis over the domain answers."""
        return None

    def listed(self) -> Iterable[Point] | None:
        """Return all points in a public order; None if there is no list."""
        return None

    def drawn(self, source: Source) -> Point:
        """Draw one of all points, or of those at the ends, where points have ends."""
        return self.outermost[source.below(len(self.outermost))]

    @abstractmethod
    def cell(self, raw: object) -> Point | Outside:
        """Convert one cell; total and deterministic."""

    @abstractmethod
    def array(self, X: Any, caller: str) -> Points:
        """Convert a Python array strictly; ``caller`` is who asks (for the message)."""

    @abstractmethod
    def store(self, points: Sequence[Any]) -> Points:
        """Return points in this domain's layout."""

    def point(self, x: Any) -> Point | Outside:
        """Convert one Python value: as a cell."""
        return self.cell(x)

    def laid_out(self, points: Points) -> bool:
        """Return whether points are stored as in this domain: nothing later could read others."""
        layout = self.store([])
        if layout.ndim == 2:  # vectors: rows of an array, or tuples
            width = layout.shape[1]
            return all(isinstance(x, list | tuple) and len(x) == width for x in points.tolist())
        return layout.dtype.kind not in "iu" or _whole_numbers(points)  # else any hashable

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._identity()))

    def _identity(self) -> Hashable:
        return ()


class IntegerDomain(Domain):
    """The integers from ``low`` to ``high``, of any size.

    A cell is a point when it is exactly a whole number in the range: ``12``, ``12.0``,
    ``" 12 "``, ``"1.2e1"``, ``Decimal("12.00")``; 2.5 is outside, and so is every text that is no
    number (see `littlestone.data.cells`). A boolean is 0 or 1.

    Parameters
    ----------
    low, high : int
        Public bounds, low <= high, of at most 400,000 digits.

    Examples
    --------
    >>> domain = IntegerDomain(1, 99)
    >>> [domain.cell(raw) for raw in (7, " 7.0", "7.5", None, "seven", 100)]
    [7, 7, OUTSIDE, OUTSIDE, OUTSIDE, OUTSIDE]
    """

    def __init__(self, low: int, high: int) -> None:
        for name, bound in (("low", low), ("high", high)):
            if isinstance(bound, bool) or not isinstance(bound, int | np.integer):
                raise parameter_error("IntegerDomain", name, "an integer", bound)
            if digits(int(bound)).endswith("inf"):
                constraint = f"of at most {MAX_DIGITS} digits"
                raise parameter_error("IntegerDomain", name, constraint, "more")
        self.low, self.high = self.bounds = int(low), int(high)
        if self.low > self.high:
            raise parameter_error("IntegerDomain", "low", f"at most high = {high}", low)
        self.rule = f"an integer in [{_short(self.low)}, {_short(self.high)}]"
        self._max_digits = max(len(digits(abs(self.low))), len(digits(abs(self.high))))

    @property
    def small(self) -> bool:
        """Whether points are stored in 64 bits (public: it follows from the bounds)."""
        return self.low > -SMALL and self.high < SMALL

    @property
    def line(self) -> Line | None:
        """The integers themselves, where they are stored in 64 bits."""
        return Itself(self.size) if self.small else None

    @property
    def size(self) -> int:
        """How many integers there are."""
        return self.high - self.low + 1

    @property
    def outermost(self) -> list[Point]:
        """The least and the largest integer."""
        return [self.low, self.high]

    @property
    def examples(self) -> Points:
        """The least and the largest integer."""
        return self.store([self.low, self.high])

    def listed(self) -> Iterable[Point]:
        """Return all integers, in their order."""
        return range(self.low, self.high + 1)

    def drawn(self, source: Source) -> Point:
        """Draw one of all integers."""
        return self.low + source.below(self.size)

    def point(self, x: Any) -> Point | Outside:
        """Convert one Python value as a cell, an integer at once."""
        if type(x) is int:
            return x if self.low <= x <= self.high else OUTSIDE
        return self.cell(x)

    def laid_out(self, points: Points) -> bool:
        """Return whether points are integers."""
        return _whole_numbers(points)

    def cell(self, raw: object) -> Point | Outside:
        """Convert one cell; total and deterministic."""
        value: int | float | None
        if type(raw) is int:
            value = raw
        else:
            written = text(raw, longest=max(MAX_LENGTH, self._max_digits + 64))
            if written is None:
                return OUTSIDE
            value = number(written, max_digits=self._max_digits)
        if isinstance(value, int) and self.low <= value <= self.high:
            return value
        return OUTSIDE

    def array(self, X: Any, caller: str = "IntegerDomain") -> Points:
        """Convert an array of shape (n,) or (n, 1) strictly; int64, or object for big bounds."""
        column = _one_column(X, caller)
        values = np.asarray(column)
        if values.dtype.kind in "iu":
            if len(values) and not (
                self.low <= int(values.min()) and int(values.max()) <= self.high
            ):
                raise refusal(caller, "X", self.rule)
            return values.astype(np.int64 if self.small else object)
        return self.store(_strict(column, self.cell, caller, self.rule))

    def store(self, points: Sequence[Any]) -> Points:
        """Return points in this domain's layout."""
        return np.array(points, dtype=np.int64) if self.small else object_points(points)

    def _identity(self) -> Hashable:
        return (self.low, self.high)

    def __repr__(self) -> str:
        return f"IntegerDomain({_short(self.low)}, {_short(self.high)})"


class OneColumn(Domain):
    """Points of one column, stored as Python values; cells are texts, if nothing else is said."""

    rule = "a text, not empty"

    def cell(self, raw: object) -> Point | Outside:
        """Convert one cell; total and deterministic."""
        written = text(raw)
        return OUTSIDE if written is None else written

    def array(self, X: Any, caller: str = "TextDomain") -> Points:
        """Convert an array of shape (n,) or (n, 1) strictly, by the same rule as cells."""
        return self.store(_strict(_one_column(X, caller), self.cell, caller, self.rule))

    def store(self, points: Sequence[Any]) -> Points:
        """Return points in this domain's layout."""
        return object_points(points)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class TextDomain(OneColumn):
    """All texts: a cell is its text (`littlestone.data.cells.text`); a missing one is outside.

    Examples
    --------
    >>> [TextDomain().cell(raw) for raw in (" ab ", 3.0, None)]
    ['ab', '3', OUTSIDE]
    """

    @property
    def examples(self) -> Points:
        """Two texts."""
        return self.store(["a", "b"])

    def laid_out(self, points: Points) -> bool:
        """Return whether points are texts."""
        return points.ndim == 1 and all(isinstance(x, str) for x in points.tolist())


class AnyDomain(OneColumn):
    """All hashable values in Python arrays; all texts in tables.

    A table has no other types than those of its engine, and a CSV file has texts only; so that a
    hypothesis means the same for every engine, a cell is its text, as in `TextDomain`. A Python
    array keeps its values, in their one canonical form (``1 == 1.0 == True`` is the point 1).

    Examples
    --------
    >>> AnyDomain().array([("a", 1), ("a", True)], caller="fit").tolist()
    [('a', 1), ('a', 1)]
    >>> AnyDomain().cell(3)
    '3'
    """

    def array(self, X: Any, caller: str = "AnyDomain") -> Points:
        """Convert an array of shape (n,) or (n, 1), or a list (of tuples too), strictly."""
        if isinstance(X, np.ndarray) or not isinstance(X, Sequence):
            X = _one_column(X, caller)
        if isinstance(X, np.ndarray) and X.dtype.kind in "iu" and X.dtype != np.uint64:
            return X.astype(np.int64)
        single = len(X) > 0 and all(isinstance(x, list) and len(x) == 1 for x in X)
        return as_points([canonical(x[0] if single else x) for x in X])

    def point(self, x: Any) -> Point | Outside:
        """Return the value in its canonical form: it keeps its type, as in `array`."""
        try:
            return canonical(x)
        except DataError:
            return OUTSIDE

    @property
    def examples(self) -> Points:
        """Two texts."""
        return self.store(["a", "b"])


class RowDomain(Domain):
    """The rows of a public schema, stored as 2-D arrays of small codes.

    No row is outside: every column has codes for *missing* and for *other*.

    Parameters
    ----------
    schema : Schema

    Examples
    --------
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
    >>> RowDomain(schema).cell({"age": "44", "city": None})
    (3, 0)
    """

    rule = "a row of the schema"
    schema: Schema

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    @property
    def size(self) -> int:
        """How many rows of codes there are."""
        return math.prod(self.schema.n_codes)

    @property
    def outermost(self) -> list[Point]:
        """The rows of the first codes, and of the last ones."""
        codes = self.schema.n_codes
        return [tuple(0 for _ in codes), tuple(m - 1 for m in codes)]

    @property
    def examples(self) -> Points:
        """Two rows of missing cells."""
        return np.zeros((2, len(self.schema)), dtype=np.int16)

    def listed(self) -> Iterable[Point] | None:
        """Return all rows of codes; None without a fixed number of columns."""
        return product(*map(range, self.schema.n_codes)) if self.schema.bound else None

    def drawn(self, source: Source) -> Point:
        """Draw one of all rows of codes."""
        return tuple(source.below(m) for m in self.schema.n_codes)

    def laid_out(self, points: Points) -> bool:
        """Return whether points are rows of the codes of these columns."""
        counts = np.array(self.schema.n_codes)
        fits = points.dtype.kind in "iu" and points.shape[1:] == (len(counts),)
        return fits and bool(((points >= 0) & (points < counts)).all())

    def cell(self, raw: object) -> Point | Outside:
        """Convert one row, given as a mapping from names to cells or as a sequence of cells."""
        columns = self.schema.columns
        if isinstance(raw, Mapping):
            return tuple(column.code(raw.get(column.name)) for column in columns)
        if isinstance(raw, np.ndarray):
            raw = raw.tolist()  # one number, if it has no dimension
        if isinstance(raw, Sequence) and not isinstance(raw, str | bytes):
            cells = list(raw) + [None] * max(0, len(columns) - len(raw))
            return tuple(c.code(cell) for c, cell in zip(columns, cells, strict=False))
        return OUTSIDE

    def array(self, X: Any, caller: str = "RowDomain") -> Points:
        """Convert an array or data frame of shape (n, columns); no cell is refused.

        A data frame is read by column names (others are left out), an array by position. Every
        column has public codes for *missing* and *other*.
        """
        if self.schema.bound:
            X = by_name(X, self.schema.names, caller)
        table = own_cells(X)
        if table.ndim != 2:
            constraint = "a 2-D array of shape (n, columns)"
            raise parameter_error(caller, "X", constraint, f"{table.ndim} dimension(s)")
        schema = self.schema.bind(table.shape[1], caller=caller)
        return schema.encode([table[:, j] for j in range(table.shape[1])])

    def store(self, points: Sequence[Any]) -> Points:
        """Return points in this domain's layout: one row of codes for each."""
        return np.array(points, dtype=np.int64).reshape(len(points), len(self.schema.columns))

    def _identity(self) -> Hashable:
        return self.schema

    def __repr__(self) -> str:
        return f"RowDomain({self.schema!r})"


def _whole_numbers(points: Points) -> bool:
    whole = points.dtype.kind in "iu"
    return points.ndim == 1 and (whole or all(type(x) is int for x in points.tolist()))


def refusal(caller: str, column: str, rule: str) -> DataError:
    """Return the error of strict reading: column and rule, never a value, a row or a count."""
    return DataError(
        f"Every cell of column {column!r} given to {caller} must be {rule}. Some cell is not. "
        "Strict reading refuses it (a refusal is outside the privacy guarantee); without "
        "strict=True such cells are converted by public rules instead."
    )


def _strict(
    column: Any, cell: Callable[[object], Point | Outside], caller: str, rule: str
) -> list[Point]:
    points = [cell(raw) for raw in column]
    if any(point is OUTSIDE for point in points):
        raise refusal(caller, "X", rule)
    return points


def _one_column(X: Any, caller: str) -> Any:
    """Return an array of shape (n,) or (n, 1), or a list, as n values."""
    if isinstance(X, list | tuple) and not any(np.ndim(_peek(x)) for x in X):
        return list(X)  # as it is: NumPy would turn integers beyond 64 bits into floats
    if not hasattr(X, "__array__") and not isinstance(X, list | tuple | range):
        kind = type(X).__name__
        hint = "Collect a lazy frame or a relation first; a sparse matrix has X.toarray()."
        raise parameter_error(caller, "X", "a list, or an array of one column", kind, hint)
    values = np.asarray(X, dtype=object if isinstance(X, list | tuple) else None)
    if values.ndim == 2 and values.shape[1] == 1:
        return values[:, 0]
    if values.ndim != 1:
        shape = f"shape (n, {values.shape[1]})" if values.ndim == 2 else f"{values.ndim} dimensions"
        raise parameter_error(caller, "X", "of shape (n,) or (n, 1): one column", shape)
    return values


def _peek(x: Any) -> Any:
    return x if isinstance(x, list | tuple | np.ndarray) else 0


def named_frame(X: Any) -> nw.DataFrame[Any] | None:
    """Return a data frame in memory whose columns have names; None for what goes by position.

    Names are texts: a frame whose columns have only numbers is an array.
    """
    if isinstance(X, np.ndarray | list | tuple) or not hasattr(X, "columns"):
        return None
    frame = _frame(X)
    named = frame is not None and all(isinstance(name, str) for name in frame.columns)
    return frame if named else None


def _frame(X: Any) -> nw.DataFrame[Any] | None:
    """Return what narwhals knows as a data frame in memory."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415 - loaded when a frame is read
    from narwhals.exceptions import DuplicateError  # noqa: PLC0415

    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
    except DuplicateError:
        raise ParameterError(TWICE) from None
    return frame if isinstance(frame, nw.DataFrame) else None


def by_name(X: Any, names: Sequence[str], caller: str) -> Any:
    """Return the columns of these names, of a data frame that has names; arrays as they are.

    Examples
    --------
    >>> import pyarrow as pa
    >>> by_name(pa.table({"b": [1], "c": [2], "a": [3]}), ["a", "b"], "doctest").column_names
    ['a', 'b']
    """
    frame = named_frame(X)
    if frame is None:
        return X
    require_columns(names, frame.columns, caller)
    found = {name: called(name, frame.columns) for name in names}
    return frame.rename({own: name for name, own in found.items()}).select(names).to_native()


def called(name: str, names: Sequence[str]) -> str:
    """Return what a table calls a column: blanks around names do not count, if they need not.

    Examples
    --------
    >>> called("age", ["age ", "sex"]), called("age ", ["age", "age "]), called("a", ["b"])
    ('age ', 'age ', 'a')
    """
    if name in names or not isinstance(name, str):
        return name
    return next((own for own in names if own.strip(WHITE) == name.strip(WHITE)), name)


def require_columns(
    asked: Sequence[str],
    found: Sequence[str],
    caller: str,
    hint: Callable[[Sequence[str], Sequence[str]], str] | None = None,
) -> None:
    """Refuse a table that lacks columns; their names are public, unless a ``hint`` says less.

    Examples
    --------
    >>> require_columns(["age", "city"], ["City", "aged"], "fit")
    Traceback (most recent call last):
    littlestone.errors.ParameterError: The table given to fit has no columns 'age', 'city'. Did ...
    """
    for name in asked:
        if not isinstance(name, str):
            raise ParameterError(
                f"The columns that {caller} reads are given by their names, such as "
                f'user="person". Got {type(name).__name__}.'
            )
    lacking = [name for name in dict.fromkeys(asked) if called(name, found) not in found]
    if lacking:
        some = f"column{'s' if len(lacking) > 1 else ''} {', '.join(map(repr, lacking))}"
        near = suggest(lacking[0], found) if hint is None else hint(lacking, asked)
        raise ParameterError(f"The table given to {caller} has no {some}.{near}")


def own_cells(X: Any) -> npt.NDArray[Any]:
    """Return a table in Python as an array in which every cell keeps its own type.

    NumPy would give all cells one common type: one odd cell would retype the cells of all other
    records. The type of an array, and of a data frame's column, is the caller's.
    """
    if isinstance(X, np.ndarray):
        return X
    frame = _frame(X) if hasattr(X, "columns") else None
    if frame is None:
        return np.asarray(X, dtype=object)
    table = np.empty(frame.shape, dtype=object)
    for j, column in enumerate(frame.iter_columns()):
        if column.dtype.is_temporal() and "Duration" in str(column.dtype):
            raise DataError(durations(column.name, "fit or predict"))
        narrow = str(column.dtype) == "Float32"
        table[:, j] = doubles(column.to_numpy()) if narrow else column.to_list()
    return table


def check_points(domain: Any, points: Points, *, caller: str) -> None:
    """Refuse points that are not laid out as a domain stores them: nothing later could read them.

    Examples
    --------
    >>> check_points(IntegerDomain(1, 9), np.array(["a"], dtype=object), caller="GenericLearner")
    Traceback (most recent call last):
    ...
    littlestone.errors.DataError: Every cell of column 'X' given to GenericLearner must be an ...
    """
    if not domain.laid_out(points):
        raise refusal(caller, "X", domain.rule)


def _short(value: int) -> str:
    """Return a bound in a message: powers of two and long integers are abbreviated."""
    sign, step = ("-", " + 1") if value < 0 else ("", " - 1")
    for shift, tail in ((0, ""), (1, step)):
        size = abs(value) + shift
        if size > 2**32 and size & (size - 1) == 0:
            return f"{sign}2**{size.bit_length() - 1}{tail}"
    written = digits(value)
    return written if len(written) <= 24 else f"{written[:8]}...({len(written)} digits)"
