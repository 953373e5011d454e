"""Records of an ordered public domain: distinct offsets and how many records lie up to each."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.errors import DataError, parameter_error

__all__ = ["Ordered"]

_SMALL = 2**62  # domains up to this size are stored in 64 bits, and sums of two offsets still fit


@dataclass(frozen=True, eq=False)
class Ordered:
    """A multiset of n records in {0, ..., size - 1}, sorted and counted.

    Attributes
    ----------
    points : ndarray of int64, or of object (big integers), shape (k,)
        Distinct offsets, ascending.
    ends : ndarray of int64, shape (k,)
        ``ends[i]`` records are at most ``points[i]``.
    size : int >= 1
        Size of the public domain.
    """

    points: npt.NDArray[Any]
    ends: npt.NDArray[np.int64]
    size: int

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.ends[-1]) if len(self.ends) else 0

    @property
    def before(self) -> npt.NDArray[np.int64]:
        """How many records are smaller than each distinct offset."""
        return np.concatenate([np.zeros(min(1, len(self.ends)), np.int64), self.ends[:-1]])

    @property
    def height(self) -> int:
        """Height of the least binary tree whose leaves hold the domain."""
        return (self.size - 1).bit_length()

    @classmethod
    def read(cls, values: Any, low: int, high: int, owner: str = "private_median") -> Ordered:
        """Sort and count integers, each one clamped to [low, high].

        Clamping is a public rule for single records, so no integer can make a release fail.

        Raises
        ------
        ParameterError
            If ``values`` is not one-dimensional.
        DataError
            If a value is not a whole number (outside the guarantee; names the rule only).
        """
        # np.sort, not np.unique: unique would hash the big integers of an object array
        ordered = np.sort(_integers(values, owner), kind="stable")
        last = _last_of_equals(ordered)
        distinct, ends = ordered[last], np.flatnonzero(last).astype(np.int64) + 1
        small = low >= -_SMALL and high <= _SMALL and high - low < _SMALL
        if small and distinct.dtype != object:
            if distinct.dtype == np.uint64:
                distinct = np.minimum(distinct, np.uint64(max(high, 0)))  # now it fits into int64
            offsets = np.clip(distinct.astype(np.int64, copy=False), low, high) - low
        else:
            offsets = _objects([min(max(int(v), low), high) - low for v in distinct.tolist()])
            offsets = offsets.astype(np.int64) if small else offsets
        last = _last_of_equals(offsets)  # clamping has merged values, and kept the order
        return cls(offsets[last], ends[last], high - low + 1)

    @classmethod
    def of(cls, offsets: Any, size: int) -> Ordered:
        """Count a short list of offsets.

        Examples
        --------
        >>> Ordered.of([3, 1, 3], 8).ends
        array([1, 3])
        """
        return cls.read(list(offsets), 0, size - 1)

    def trimmed(self, left: int, right: int) -> Ordered:
        """Return what remains without the ``left`` smallest and the ``right`` largest records."""
        n = max(self.n - left - right, 0)
        ends = np.clip(self.ends - left, 0, n)
        keep = np.diff(ends, prepend=0) > 0
        return Ordered(self.points[keep], ends[keep], self.size)


def _last_of_equals(ordered: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    last = np.ones(len(ordered), dtype=bool)
    last[:-1] = ordered[1:] != ordered[:-1]
    return last


def _integers(values: Any, owner: str) -> npt.NDArray[Any]:
    try:
        array = values if isinstance(values, np.ndarray) else np.asarray(values)
    except ValueError:  # rows of different lengths
        raise _refusal(owner) from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        shape = f"{array.ndim} dimensions"
        raise parameter_error(owner, "values", "a sequence of integers, one per record", shape)
    if array.dtype.kind in "iu":
        return array
    if array.dtype.kind == "f" and not isinstance(values, np.ndarray):
        # NumPy turns integers that fit neither signed nor unsigned 64 bits together into floats
        array = _objects(list(values))
    if array.dtype.kind == "f":
        return _objects([_whole(float(v), owner) for v in array])
    if array.dtype == object:
        return _objects([_whole(v, owner) for v in array])
    if not len(array):
        return np.zeros(0, dtype=np.int64)
    raise _refusal(owner)


def _whole(value: Any, owner: str) -> int:
    if isinstance(value, bool):
        raise _refusal(owner)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return int(value)
    raise _refusal(owner)


def _refusal(owner: str) -> DataError:
    return DataError(
        f"Every value given to {owner} must be a whole number. Some value is not. A refusal is "
        "outside the privacy guarantee; convert the values by a public rule first."
    )


def _objects(items: list[Any]) -> npt.NDArray[Any]:
    out = np.empty(len(items), dtype=object)
    out[:] = items
    return out
