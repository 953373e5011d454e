"""Records of an ordered public domain, and the target of a private quantile.

`Ordered` holds distinct offsets and how many records lie up to each; `RankWindow` says which values
count as a success, for n records.
"""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.bounds import CertificateBuilder, Step
from littlestone.errors import DataError, check_fraction, parameter_error
from littlestone.source import exact_integers


@dataclass(frozen=True)
class RankWindow:
    """The values with a rank in [low * n, high * n].

    A value z is in the window when at least ``low * n`` records are <= z and at least
    ``(1 - high) * n`` records are >= z, and at least one in both cases. So (0, 1) asks for an
    *interior point*, (1/4, 3/4) for a value between the quartiles, (0.89, 0.91) for a 90%
    quantile.

    A float end is taken as the simple fraction that it stands for: 1/3 means one third.

    Examples
    --------
    >>> window = RankWindow.of((1/3, 2/3))
    >>> window.needs(10)
    (4, 4)
    """

    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, rank: Any, caller: str = "private_median") -> RankWindow:
        """Return the window after checking it."""
        if isinstance(rank, RankWindow):
            return rank
        hint = "Use (1/3, 2/3) for a value in the middle third, (0, 1) for an interior point."
        try:
            low, high = (_simple(caller, part) for part in rank)
        except (TypeError, ValueError):
            raise parameter_error(caller, "rank", "a pair of numbers", rank, hint) from None
        if not 0 <= low < high <= 1:
            raise parameter_error(
                caller, "rank", "(low, high) with 0 <= low < high <= 1", rank, hint
            )
        return cls(low, high)

    def needs(self, n: int) -> tuple[int, int]:
        """Return (left, right): how many records must be <= z, and how many >= z."""
        return max(1, math.ceil(self.low * n)), max(1, math.ceil((1 - self.high) * n))

    def slack(self, n: int) -> int:
        """Return ``n - left - right``; one value in the middle exceeds both needs by about half."""
        left, right = self.needs(n)
        return n - left - right

    def least_n(self, slack: int) -> int:
        """Return the least n >= 1 from which on the slack is always at least that.

        The slack has a sawtooth: with one record more it may fall by 1. It is larger than
        ``n * (high - low) - 2``.
        """
        n = max(1, math.ceil((slack + 2) / (self.high - self.low)))
        while n > 1 and self.slack(n - 1) >= slack:
            n -= 1
        return n

    @property
    def alpha(self) -> Fraction:
        """Half of the window's width: how far the rank may be from its centre."""
        return (self.high - self.low) / 2

    def steps(self, cert: CertificateBuilder, n: int, source: str) -> dict[str, Step]:
        """Write the numbers of records needed on both sides as steps of a certificate."""
        low, high = self.low, self.high
        return {
            "left": cert.step("left", "max(1, ceil(low*n))", source, low=low, n=n),
            "right": cert.step("right", "max(1, ceil((1 - high)*n))", source, high=high, n=n),
        }

    @property
    def key(self) -> tuple[str, str]:
        """The window as exact texts, for JSON."""
        return str(self.low), str(self.high)

    def __str__(self) -> str:
        return f"({self.low}, {self.high})"


def _simple(caller: str, value: Any) -> Fraction:
    """Return an end of the window; a float stands for the simplest fraction that prints like it."""
    if not isinstance(value, str) and not isinstance(value, bool) and value == 0:
        return Fraction(0)
    exact: Fraction = check_fraction(caller, "rank", value)
    if isinstance(value, float):
        simple = exact.limit_denominator(10**6)
        return simple if float(simple) == float(value) else exact
    return exact


_SMALL = 2**62  # offsets in domains up to this size, with such bounds, are computed in 64 bits


@dataclass(frozen=True, eq=False)
class Ordered:
    """A multiset of n records in {0, ..., size - 1}, sorted and counted.

    ``points`` are the distinct offsets, ascending (int64, or big integers as objects); ``ends[i]``
    records are at most ``points[i]``.
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
    def read(cls, values: Any, low: int, high: int, caller: str = "private_median") -> Ordered:
        """Sort and count integers, each one clamped to [low, high].

        Clamping is a public rule for single records, so no integer can make a release fail.
        """
        # np.sort, not np.unique: unique would hash the big integers of an object array
        ordered = np.sort(_integers(values, caller), kind="stable")
        last = _last_of_equals(ordered)
        distinct, ends = ordered[last], np.flatnonzero(last).astype(np.int64) + 1
        small = low >= -_SMALL and high <= _SMALL and high - low < _SMALL
        if small and distinct.dtype != object:
            if distinct.dtype == np.uint64:
                distinct = np.minimum(distinct, np.uint64(max(high, 0)))  # now it fits into int64
            clamped: Any = np.clip(distinct.astype(np.int64, copy=False), low, high) - low
        else:
            clamped = [min(max(int(v), low), high) - low for v in distinct.tolist()]
        offsets = exact_integers(clamped, reach=2 * (high - low))
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


def _integers(values: Any, caller: str) -> npt.NDArray[Any]:
    try:
        array = values if isinstance(values, np.ndarray) else np.asarray(values)
    except ValueError:  # rows of different lengths
        raise _refusal(caller) from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
        values = values if isinstance(values, np.ndarray) else [row[0] for row in values]
    if array.ndim != 1:
        shape = f"{array.ndim} dimensions"
        raise parameter_error(caller, "values", "a sequence of integers, one per record", shape)
    if array.dtype.kind in "iu":
        return array
    if array.dtype.kind == "f" and not isinstance(values, np.ndarray):
        # NumPy turns integers that fit neither signed nor unsigned 64 bits together into floats
        array = _objects(list(values))
    if array.dtype.kind == "f":
        return _objects([_whole(float(v), caller) for v in array])
    if array.dtype == object:
        return _objects([_whole(v, caller) for v in array])
    if not len(array):
        return np.zeros(0, dtype=np.int64)
    raise _refusal(caller)


def _whole(value: Any, caller: str) -> int:
    if isinstance(value, bool):
        raise _refusal(caller)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return int(value)
    raise _refusal(caller)


def _refusal(caller: str) -> DataError:
    return DataError(
        f"Every value given to {caller} must be a whole number. Some value is not. A refusal is "
        "outside the privacy guarantee; convert the values by a public rule first."
    )


def _objects(items: list[Any]) -> npt.NDArray[Any]:
    out = np.empty(len(items), dtype=object)
    out[:] = items
    return out
