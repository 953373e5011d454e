"""Public hash functions of points, with a collision probability that is known exactly.

A point is encoded injectively as 64-bit words (`values.words`), these as one field element (a
polynomial hash), and this as a bucket (multiply, add, scale)::

    F(x) = w_1 * s**(L-1) + ... + w_L        s uniform in GF(2**64)
    h(x) = floor(buckets * (a * F(x) + b) / 2**64)      a, b uniform

*Collisions.* If F(x) != F(y), then (a F(x) + b, a F(y) + b) is uniform on all pairs (it is the
unique solution of two linear equations), so Pr[h(x) = h(y)] is the sum of the squared bucket
shares, at least 1/buckets and less than 1/buckets + buckets/2**128. For different x and y, F(x) -
F(y) is a nonzero polynomial in s of degree less than the number L of words, so Pr[F(x) = F(y)] <
L/2**64; for integers within 64 bits it is 0 (L = 2, and the leading words agree).

The coins are public and drawn without the data; privacy holds for all of their values.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.classes.field64 import WIDTH, Multiplier, Words
from littlestone.classes.fields import Fields, json_integer
from littlestone.classes.hypotheses import readable
from littlestone.classes.integers import number
from littlestone.classes.values import words
from littlestone.data.points import canonical
from littlestone.types import Json, Labels, Points

__all__ = ["MAX_BUCKETS", "HashFunction", "HashHypothesis", "collision", "point_collision"]

MAX_BUCKETS = 2**32 - 1
#: Points are shorter than this many words (32 GiB), so Pr[F(x) = F(y)] < 2**-32.
MAX_WORDS = 2**32
_LONG = 64  # words, from which on few points are joined by halves


def collision(buckets: int, width: int = WIDTH) -> Fraction:
    """Return the sum of the squared bucket shares: Pr[h(x) = h(y)] given F(x) != F(y).

    Examples
    --------
    >>> collision(4), collision(3) > Fraction(1, 3), float(collision(3))
    (Fraction(1, 4), True, 0.3333333333333333)
    """
    share, larger = divmod(2**width, buckets)  # ``larger`` buckets hold one element more
    return Fraction(larger * (share + 1) ** 2 + (buckets - larger) * share**2, 4**width)


def point_collision(buckets: int) -> Fraction:
    """Return a bound on Pr[h(x) = h(y)] for two different points of any length.

    Examples
    --------
    >>> point_collision(4) == Fraction(1, 4) + Fraction(1, 2**32)
    True
    """
    return collision(buckets) + Fraction(MAX_WORDS, 2**64)


@dataclass(frozen=True)
class HashFunction:
    """A function from points to buckets, described by its public coins.

    Parameters
    ----------
    key, multiplier, addend : int in [0, 2**64)
        The coins s, a, b.
    buckets : int in [1, 2**32)

    Examples
    --------
    >>> h = HashFunction(3, 5, 7, buckets=10)
    >>> h(np.array([1, 2, 1])).tolist() == h(np.array([1, 2, 1], dtype=object)).tolist()
    True
    """

    key: int
    multiplier: int
    addend: int
    buckets: int

    @classmethod
    def drawn(cls, rng: np.random.Generator, buckets: int) -> HashFunction:
        """Draw the coins; ``rng`` is public."""
        s, a, b = (int(c) for c in rng.integers(0, 2**64, size=3, dtype=np.uint64))
        return cls(s, a, b, buckets)

    def __call__(self, points: Points) -> npt.NDArray[np.int64]:
        """Return the bucket of each point, in [0, buckets)."""
        element = self._times(fingerprints(points, self._step)) ^ np.uint64(self.addend)
        # floor(buckets * element / 2**64), exactly, in two halves
        count, half = np.uint64(self.buckets), np.uint64(32)
        low = ((element & np.uint64(2**32 - 1)) * count) >> half
        return (((element >> half) * count + low) >> half).astype(np.int64)

    @property
    def _step(self) -> Multiplier:
        return _tables(self.key)

    @property
    def _times(self) -> Multiplier:
        return _tables(self.multiplier)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        coins = {k: json_integer(getattr(self, k)) for k in ("key", "multiplier", "addend")}
        return {"type": "multiply-add", **coins, "buckets": self.buckets}

    @classmethod
    def from_dict(cls, data: Any) -> HashFunction:
        """Read it back."""
        coins = ("key", "multiplier", "addend")
        fields = Fields(data, (*coins, "buckets"))
        if fields.type != "multiply-add":
            raise fields.refuse("type", "'multiply-add'")
        s, a, b = (fields.integer(c, low=0, high=2**64 - 1) for c in coins)
        return cls(s, a, b, fields.integer("buckets", low=1, high=MAX_BUCKETS))


@lru_cache(maxsize=256)
def _tables(constant: int) -> Multiplier:
    """Keep the tables here, not on the function: what an object carries is released with it."""
    return Multiplier(constant)


def fingerprints(points: Points, step: Multiplier) -> Words:
    """Return F(x) of each point, vectorised over points with equally many words."""
    if points.ndim == 1 and points.dtype != object:
        values = points.astype(np.int64, copy=False).view(np.uint64)
        head = np.full(1, words(0)[0], dtype=np.uint64)
        return _polynomial([head, values], step)
    rows = map(tuple, points.tolist()) if points.ndim == 2 else iter(points)
    encoded = [words(canonical(p)) for p in rows]
    out = np.zeros(len(encoded), dtype=np.uint64)
    lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
    for length in np.unique(lengths):
        where = np.flatnonzero(lengths == length)
        table = np.array([encoded[i] for i in where], dtype=np.uint64)
        long = length > _LONG and len(where) < length
        out[where] = _by_halves(table, step) if long else _polynomial(list(table.T), step)
    return out


def _polynomial(columns: list[Words], step: Multiplier) -> Words:
    """Horner's rule."""
    total = columns[0]
    for column in columns[1:]:
        total = step(total) ^ column
    return total


def _by_halves(table: Words, step: Multiplier) -> Words:
    """Return the same polynomials, for few long points: neighbours join, with s, s**2, s**4, ..."""
    rows, length = table.shape
    padded = np.zeros((rows, 1 << (length - 1).bit_length()), dtype=np.uint64)
    padded[:, padded.shape[1] - length :] = table  # leading zeros change no polynomial
    while padded.shape[1] > 1:
        padded = step(padded[:, 0::2]) ^ padded[:, 1::2]
        step = _tables(int(step(step(1))))
    return padded[:, 0]


@readable
@dataclass(frozen=True)
class HashHypothesis:
    """1 on all points whose public hash falls into one bucket.

    Parameters
    ----------
    function : HashFunction
    bucket : int in [0, function.buckets)
    bounds : (int, int) or None
        A bounded integer domain, outside of which the hypothesis is 0.

    Examples
    --------
    >>> h = HashHypothesis(HashFunction(3, 5, 7, buckets=2), 1)
    >>> h.describe()
    '1 if the public hash of x falls into bucket 1 of 0..1, otherwise 0'
    """

    function: HashFunction
    bucket: int
    bounds: tuple[int, int] | None = None

    TYPE = "hash"

    @property
    def key(self) -> Hashable:
        """Canonical identity (different coins may give equal functions on a finite domain)."""
        f = self.function
        coins = (f.key, f.multiplier, f.addend, f.buckets)
        return (self.TYPE, *coins, self.bucket, self.bounds)

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        one: npt.NDArray[np.bool_] = self.function(points) == self.bucket
        if self.bounds is not None:
            low, high = self.bounds
            one &= np.asarray((points >= low) & (points <= high), dtype=bool)
        return one.astype(np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        domain = "" if self.bounds is None else " (x from {} to {})".format(
            *map(number, self.bounds)
        )  # fmt: skip
        last = self.function.buckets - 1
        return (
            f"1 if the public hash of x falls into bucket {self.bucket} of 0..{last}, "
            f"otherwise 0{domain}"
        )

    def to_dict(self) -> Json:
        """Return plain JSON; the coins are in it, so everyone can compute the hypothesis."""
        out: Json = {"type": self.TYPE, "hash": self.function.to_dict(), "bucket": self.bucket}
        if self.bounds is not None:
            out |= dict(zip(("low", "high"), map(json_integer, self.bounds), strict=True))
        return out

    @classmethod
    def from_dict(cls, data: Any) -> HashHypothesis:
        """Read it back."""
        bounds = None
        fields = Fields(data, ("hash", "bucket"), ("low", "high"))
        if "low" in fields or "high" in fields:
            fields = Fields(data, ("hash", "bucket", "low", "high"))
            low = fields.integer("low")
            bounds = (low, fields.integer("high", low=low))
        function = HashFunction.from_dict(fields.any("hash"))
        bucket = fields.integer("bucket", low=0, high=function.buckets - 1)
        return cls(function, bucket, bounds)
