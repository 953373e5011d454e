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
        array = _integers(values, owner)
        small = low >= -_SMALL and high <= _SMALL and high - low < _SMALL
        if array.dtype != object and small:
            if array.dtype == np.uint64:
                array = np.minimum(array, np.uint64(max(high, 0)))  # now it fits into int64
            array = np.clip(array.astype(np.int64, copy=False), low, high)
            return cls.count(array - low, high - low + 1)
        clamped = [min(max(int(v), low), high) - low for v in array.tolist()]
        if small:
            return cls.count(np.array(clamped, dtype=np.int64), high - low + 1)
        return cls.count(_objects(clamped), high - low + 1)

    @classmethod
    def count(cls, offsets: npt.NDArray[Any], size: int) -> Ordered:
        """Sort and count offsets in [0, size)."""
        # np.sort, not np.unique: unique would hash the big integers of an object array
        ordered = np.sort(offsets, kind="stable")
        last = np.ones(len(ordered), dtype=bool)
        last[:-1] = ordered[1:] != ordered[:-1]
        ends = np.flatnonzero(last).astype(np.int64) + 1
        return cls(ordered[last], ends, size)

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


def _integers(values: Any, owner: str) -> npt.NDArray[Any]:
    array = values if isinstance(values, np.ndarray) else np.asarray(values)
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
