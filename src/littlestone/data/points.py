"""Layouts of points and names: how a batch is stored, ordered and counted (by value, no hash)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.errors import DataError
from littlestone.types import Point, Points

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
        found, where = _distinct_integers(long)
        return widened(found), where
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
        _, first, where = np.unique(key, return_index=True, return_inverse=True)
        return rows[first], where.reshape(-1).astype(np.int64)
    order = np.lexsort(rows.T[::-1]) if width else np.arange(n)
    ordered = rows[order]
    new = np.ones(n, dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    where = np.empty(n, dtype=np.int64)
    where[order] = np.cumsum(new) - 1
    return ordered[new], where


def check_same(found: Sequence[int]) -> None:
    """Refuse readings of one table that found different numbers of records (public).

    Examples
    --------
    >>> check_same([7, 7, 8])
    Traceback (most recent call last):
    littlestone.errors.DataError: The table has changed between two readings of it. Nothing is ...
    """
    if len(set(found)) > 1:
        raise DataError(
            "The table has changed between two readings of it. Nothing is released; learn "
            "from a copy, or from one state of it."
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
