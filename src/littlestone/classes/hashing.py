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

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from littlestone.bounds import HashFamily
from littlestone.bounds.certificate import least_n, log_of
from littlestone.classes.base import HypothesisSet, Mapped, Representation
from littlestone.classes.hypotheses import (
    AlwaysZero,
    Fields,
    bounds_to_dict,
    json_integer,
    number,
    readable,
    words,
)
from littlestone.data.domains import canonical
from littlestone.errors import check_integer, parameter_error
from littlestone.source import Choice, Explicit, Source
from littlestone.types import Hypothesis, Json, Labels, Points

if TYPE_CHECKING:
    from littlestone.data import Sample


WIDTH = 64

_TAIL = 0b11011  # x**4 + x**3 + x + 1

Words = npt.NDArray[np.uint64]


class Multiplier:
    """Multiplication by a constant, by eight table look-ups for each element.

    Examples
    --------
    >>> Multiplier(2)(np.array([1, 3, 2**63], dtype=np.uint64)).tolist()
    [2, 6, 27]
    """

    def __init__(self, constant: int, width: int = WIDTH) -> None:
        powers = [constant]  # constant * x**i, for the bit i of the other factor
        for _ in range(width - 1):
            power = powers[-1] << 1
            powers.append(power ^ ((1 << width) | _TAIL) if power >> width else power)
        of_bytes = np.array(powers, dtype=np.uint64).reshape(-1, 8)
        self._tables: Words = np.zeros((width // 8, 256), dtype=np.uint64)
        for i in range(8):
            step = 1 << i
            self._tables[:, step : 2 * step] = self._tables[:, :step] ^ of_bytes[:, i, None]

    def __call__(self, elements: Any) -> Words:
        """Return the products."""
        values = np.asarray(elements, dtype=np.uint64)
        out = np.zeros_like(values)
        for i, table in enumerate(self._tables):
            byte = (values >> np.uint64(8 * i)).astype(np.uint8)
            out ^= table[byte]
        return out


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


def inside_bounds(points: Points, bounds: tuple[int, int] | None) -> npt.NDArray[np.bool_]:
    """Return which points lie between public bounds: all where there are none."""
    if bounds is None:
        return np.ones(len(points), dtype=bool)
    return np.asarray((points >= bounds[0]) & (points <= bounds[1]), dtype=bool)


def domain_of(bounds: tuple[int, int] | None) -> str:
    """Say the bounds behind a description."""
    return "" if bounds is None else f" (x from {number(bounds[0])} to {number(bounds[1])})"


@readable
@dataclass(frozen=True)
class HashHypothesis(Hypothesis):
    """1 on all points whose public hash falls into one bucket.

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
        one &= inside_bounds(points, self.bounds)
        return one.astype(np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        last = self.function.buckets - 1
        return (
            f"1 if the public hash of x falls into bucket {self.bucket} of 0..{last}, "
            f"otherwise 0{domain_of(self.bounds)}"
        )

    def to_dict(self) -> Json:
        """Return plain JSON; the coins are in it, so everyone can compute the hypothesis."""
        out: Json = {"type": self.TYPE, "hash": self.function.to_dict(), "bucket": self.bucket}
        return out | bounds_to_dict(self.bounds)

    @classmethod
    def from_dict(cls, data: Any) -> HashHypothesis:
        """Read it back."""
        fields, bounds = Fields.bounded(data, "hash", "bucket")
        function = HashFunction.from_dict(fields.any("hash"))
        bucket = fields.integer("bucket", low=0, high=function.buckets - 1)
        return cls(function, bucket, bounds)


_MOST_COPIES = 64


class Hashed(Representation):
    """A representation by ``copies`` independent public hash functions of the domain.

    One copy has an expected disagreement of at most ``collision``, so it misses alpha with
    probability at most collision/alpha (Markov), and all of them with probability at most
    (collision/alpha)**copies <= beta.
    """

    concept_class: Any
    proper = False

    #: The most buckets of all copies together: scores are stored one by one.
    most: ClassVar[int] = 10_000_000

    def __init__(
        self,
        concept_class: Any,
        alpha: Fraction,
        beta: Fraction,
        copies: int,
        buckets: int,
    ) -> None:
        caller = type(self).__name__
        self.concept_class = concept_class
        self.alpha, self.beta = alpha, beta
        self.copies = check_integer(caller, "copies", copies, low=1)
        self.buckets = check_integer(caller, "buckets", buckets, low=1)
        family = concept_class.hashing
        self.size = self.copies * family.candidates(self.buckets) + family.shared
        self.collision = family.collision(self.buckets)
        if self.copies * self.buckets > self.most:
            rule = f"at most {self.most} in all copies"
            raise parameter_error(caller, "buckets", rule, self.buckets, "Raise alpha or beta.")
        if (self.collision / alpha) ** self.copies > beta:
            raise parameter_error(
                caller, "buckets", "large enough to reach beta", self.buckets,
                f"{caller}.smallest(concept_class, alpha, beta) finds copies and buckets.",
            )  # fmt: skip

    @classmethod
    def smallest(cls, concept_class: Any, alpha: Fraction, beta: Fraction) -> Self:
        """Return the representation of the smallest size that reaches alpha and beta."""
        copies, buckets = cls.fewest(concept_class.hashing, alpha, beta)
        return cls(concept_class, alpha, beta, copies, buckets)

    @classmethod
    def fewest(cls, family: HashFamily, alpha: Fraction, beta: Fraction) -> tuple[int, int]:
        """Return the copies and buckets with the fewest candidates that reach alpha and beta."""
        options: list[tuple[int, int, int]] = []
        least = fewest_buckets(family, alpha, Fraction(1), 1, cls.most) or 1  # of any copies
        for t in range(1, _MOST_COPIES + 1):
            if options and t * family.candidates(least) > min(options)[0]:
                break
            found = fewest_buckets(family, alpha, beta, t, cls.most // t)
            if found is not None:
                options.append((t * family.candidates(found), t, found))
        if not options:
            raise parameter_error(
                cls.__name__, "alpha", "larger for this class and beta", float(alpha),
                f"More than {cls.most} buckets would be needed.",
            )  # fmt: skip
        return min(options)[1:]

    def functions(self, source: Source) -> tuple[HashFunction, ...]:
        """Draw the hash functions with public coins."""
        rng = source.public_rng()
        return tuple(HashFunction.drawn(rng, self.buckets) for _ in range(self.copies))


def fewest_buckets(
    family: HashFamily, alpha: Fraction, beta: Fraction, copies: int, most: int
) -> int | None:
    """Return the least number of buckets with (collision / alpha)**copies <= beta, if any."""
    if not family.collision(1):  # nothing collides
        return 1
    log_beta = log_of(beta)

    def reached(buckets: int) -> bool:
        ratio = family.collision(buckets) / alpha
        # exact powers are long numbers; where logarithms are not close, they decide
        difference = copies * log_of(ratio) - log_beta
        if abs(difference) > 1e-9 * (1 - log_beta):
            return difference < 0
        return bool(ratio**copies <= beta)

    # a collision is about one part that falls as 1 / buckets, and one that stays
    falls, stays = _parts(family, most)
    slack = float(alpha) * exp(log_beta / copies) - stays
    near = int(min(falls / slack, most)) if slack > 0 else most
    if not reached(most):
        return None
    return least_n(lambda buckets: reached(min(buckets, most)), max(near, 1))


@lru_cache(maxsize=64)
def _parts(family: HashFamily, most: int) -> tuple[float, float]:
    first, last = float(family.collision(1)), float(family.collision(most))
    falls = (first - last) / (1 - 1 / most)
    return falls, first - falls


class HashedPoints(Hashed):
    r"""Points over any domain: all points that share a bucket of a random public hash.

    H is the constant 0 and, for each of ``copies`` independent hash functions, one hypothesis for
    each bucket: ``size = copies * buckets + 1``. For the concept of a point x, the hypothesis of
    x's bucket is wrong on the other points of that bucket: an expected disagreement of at most
    ``collision``, the bound on Pr[h(x) = h(y)] for different points shorter than 2**32 words.

    Notes
    -----
    Parameters, attributes and errors: see `Hashed`. Source: Li, Wang, Ye 2024, Definition 2.3; the
    construction is the point functions' (Beimel, Nissim, Stemmer 2013) with exact constants. The
    size does not depend on the domain.

    Examples
    --------
    >>> from littlestone.classes import Points
    >>> hashed = Points().representation(alpha=0.1, beta=0.05)
    >>> hashed.copies, hashed.buckets, hashed.size
    (3, 28, 85)
    """

    most = 50_000_000

    def drawn(self, source: Source) -> HypothesisSet:
        """Draw the hash functions with public coins."""
        return HashedPointSet(self.functions(source), self.concept_class.bounds)


#: Buckets are the candidates of one copy; all copies share the constant 0.
HASHED_POINTS = HashFamily(candidates=lambda buckets: buckets, collision=point_collision)


@dataclass(frozen=True)
class HashedPointSet(HypothesisSet):
    """What `HashedPoints` draws: the constant 0, then the buckets of each hash function."""

    functions: tuple[HashFunction, ...]
    bounds: tuple[int, int] | None

    proper = False

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of hypotheses."""
        return len(self.functions) * self.functions[0].buckets + 1

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Errors of a bucket B: all positives, less those in B, plus the negatives in B."""
        points, zeros, ones, positives = self._inside(sample)
        weights = zeros - ones
        scores = [np.zeros(1, dtype=np.int64)]
        for function in self.functions:
            total = np.zeros(function.buckets, dtype=np.int64)
            if len(points):
                np.add.at(total, function(points), weights)
            scores.append(-total)
        return self._choice(np.concatenate(scores) - positives)

    def _choice(self, scores: npt.NDArray[np.int64]) -> Choice[Hypothesis]:
        return Mapped(Explicit(scores), self.hypothesis)

    def hypothesis(self, index: int) -> Hypothesis:
        """Return hypothesis number 0, ..., size - 1."""
        if index == 0:
            return AlwaysZero()
        copy, bucket = divmod(index - 1, self.functions[0].buckets)
        return HashHypothesis(self.functions[copy], bucket, self.bounds)

    def hypotheses(self) -> Iterator[Hypothesis]:
        """Yield them by number."""
        return map(self.hypothesis, range(self.size))

    def _inside(
        self, sample: Sample
    ) -> tuple[npt.NDArray[np.generic], npt.NDArray[np.int64], npt.NDArray[np.int64], int]:
        """Return the points in the domain with their counts, and the number of positives."""
        kept = sample if self.bounds is None else sample.within(*self.bounds)
        return kept.points, kept.zeros, kept.ones, sample.positives

    def to_dict(self) -> Json:
        """Return plain JSON."""
        out: Json = {"type": "hashed points", "hashes": [f.to_dict() for f in self.functions]}
        return out | bounds_to_dict(self.bounds) | {"size": self.size}
