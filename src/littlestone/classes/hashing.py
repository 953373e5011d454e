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

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations
from math import exp
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from flint import arb

from littlestone.bounds import HashFamily
from littlestone.bounds import sparse_sets as ideal
from littlestone.bounds.certificate import least_n, log_of
from littlestone.classes.base import HypothesisSet, Mapped, Representation
from littlestone.classes.finite import Computed, SubsetLaw
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


#: The most buckets of all copies together: scores are stored one by one.
MOST_BUCKETS = 10_000_000


@readable
@dataclass(frozen=True)
class HashSetHypothesis(Hypothesis):
    """1 on all points whose public hash falls into one of some buckets.

    Examples
    --------
    >>> HashSetHypothesis(HashFunction(3, 5, 7, buckets=9), (1, 4)).describe()
    '1 if the public hash of x falls into one of the buckets 1, 4 of 0..8, otherwise 0'
    """

    function: HashFunction
    buckets: tuple[int, ...]
    bounds: tuple[int, int] | None = None

    TYPE = "hash_set"

    @property
    def key(self) -> Hashable:
        """Canonical identity (different coins may give equal functions on a finite domain)."""
        f = self.function
        coins = (f.key, f.multiplier, f.addend, f.buckets)
        return (self.TYPE, *coins, self.buckets, self.bounds)

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        one = np.isin(self.function(points), self.buckets)
        one &= inside_bounds(points, self.bounds)
        return one.astype(np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        shown = ", ".join(map(str, self.buckets[:20]))
        more = f" and {len(self.buckets) - 20} more" if len(self.buckets) > 20 else ""
        where = "bucket" if len(self.buckets) == 1 else "one of the buckets"
        return (
            f"1 if the public hash of x falls into {where} {shown}{more} of "
            f"0..{self.function.buckets - 1}, otherwise 0{domain_of(self.bounds)}"
        )

    def to_dict(self) -> Json:
        """Return plain JSON; the coins are in it, so everyone can compute the hypothesis."""
        out: Json = {"type": self.TYPE, "hash": self.function.to_dict()}
        out["buckets"] = list(self.buckets)
        return out | bounds_to_dict(self.bounds)

    @classmethod
    def from_dict(cls, data: Any) -> HashSetHypothesis:
        """Read it back."""
        fields, bounds = Fields.bounded(data, "hash", "buckets")
        function = HashFunction.from_dict(fields.any("hash"))
        buckets = fields.items("buckets", MOST_BUCKETS)
        inside = all(type(b) is int and 0 <= b < function.buckets for b in buckets)
        if not inside or not buckets or sorted(set(buckets)) != buckets:
            raise fields.refuse("buckets", "ascending numbers of buckets, at least one")
        return cls(function, tuple(buckets), bounds)


def predict_all(hypotheses: Sequence[Hypothesis], points: Points) -> npt.NDArray[np.bool_]:
    """Return which points each hypothesis labels 1; neighbours share a public hash.

    Examples
    --------
    >>> function = HashFunction(3, 5, 7, buckets=9)
    >>> sets = [HashSetHypothesis(function, (1, 4)), HashSetHypothesis(function, (4,))]
    >>> both = predict_all(sets, np.arange(20))
    >>> bool((both[0] >= both[1]).all()), both.shape
    (True, (2, 20))
    """
    out = np.zeros((len(hypotheses), len(points)), dtype=bool)
    function, places, ones = None, np.zeros(0, dtype=np.int64), dict[int, Any]()
    for place, hypothesis in enumerate(hypotheses):
        row = out[place]
        if not isinstance(hypothesis, HashSetHypothesis):
            row[:] = hypothesis.predict(points) == 1
            continue
        if hypothesis.function is not function:
            function, ones = hypothesis.function, {}
            places = function(points)
        for bucket in hypothesis.buckets:
            if bucket not in ones:
                ones[bucket] = places == bucket
            row |= ones[bucket]
        row &= inside_bounds(points, hypothesis.bounds)
    return out


_MOST_COPIES = 64


@cache
def hashed_sets(k: int) -> HashFamily:
    """Return the family of sets of at most k buckets, with our hash's exact collisions.

    Examples
    --------
    >>> hashed_sets(2).candidates(10)
    55
    """
    return HashFamily(ideal(k).candidates, lambda buckets: k * point_collision(buckets))


class Hashed(Representation):
    """Sets of at most k points by ``copies`` public hashes of any domain, for any k.

    A set of at most k points falls into at most k buckets. In one copy take the set of those
    buckets: it holds all points of the target, and is wrong only on points that share a bucket with
    one of them, an expected disagreement of at most k times the collision probability of points
    shorter than 2**32 words. The size is copies * (C(R, 1) + ... + C(R, k)) + 1, whatever the
    domain: the empty set is counted once.

    One copy has an expected disagreement of at most ``collision``, so it misses alpha with
    probability at most collision/alpha (Markov), and all of them with probability at most
    (collision/alpha)**copies <= beta.

    Notes
    -----
    Source: Li, Wang, Ye 2024, Definition 2.3; for points the construction of Beimel, Nissim and
    Stemmer 2013, with exact constants.

    Examples
    --------
    >>> from littlestone.classes import Points, SparseSets
    >>> hashed = Points().representation(alpha=0.1, beta=0.05)
    >>> hashed.copies, hashed.buckets, hashed.size
    (3, 28, 85)
    >>> SparseSets(2).representation(alpha=0.1, beta=0.05).size
    3367
    """

    concept_class: Any
    proper = False

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
        if self.copies * self.buckets > MOST_BUCKETS:
            rule = f"at most {MOST_BUCKETS} in all copies"
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
        least = fewest_buckets(family, alpha, Fraction(1), 1, MOST_BUCKETS) or 1  # of any copies
        for t in range(1, _MOST_COPIES + 1):
            if options and t * family.candidates(least) > min(options)[0]:
                break
            found = fewest_buckets(family, alpha, beta, t, MOST_BUCKETS // t)
            if found is not None:
                options.append((t * family.candidates(found), t, found))
        if not options:
            raise parameter_error(
                cls.__name__, "alpha", "larger for this class and beta", float(alpha),
                f"More than {MOST_BUCKETS} buckets would be needed.",
            )  # fmt: skip
        return min(options)[1:]

    def drawn(self, source: Source) -> HashedSets:
        """Draw the hash functions with public coins."""
        rng = source.public_rng()
        functions = tuple(HashFunction.drawn(rng, self.buckets) for _ in range(self.copies))
        return HashedSets(functions, self.concept_class.k, self.concept_class.bounds, self.size)


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


@dataclass(frozen=True)
class HashedSets(HypothesisSet):
    """The empty set, then the nonempty sets of at most k buckets of each hash function."""

    functions: tuple[HashFunction, ...]
    k: int
    bounds: tuple[int, int] | None
    size: int

    proper = False

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Errors of a set: all positives, less those in its buckets, plus the negatives there."""
        kept = sample if self.bounds is None else sample.within(*self.bounds)
        points, gains = kept.points, kept.ones - kept.zeros
        totals = np.zeros((len(self.functions), self.functions[0].buckets), dtype=np.int64)
        for total, function in zip(totals, self.functions, strict=True):
            if len(points):
                np.add.at(total, function(points), gains)
        if self.k > 1:
            return _Candidates(self, totals.tolist())
        return Mapped(Explicit(np.append(0, totals) - sample.positives), self.single)

    def single(self, index: int) -> Hypothesis:
        """Return the empty set, or the set of one bucket: of the first function, the second ..."""
        if index == 0:
            return AlwaysZero()
        copy, bucket = divmod(index - 1, self.functions[0].buckets)
        return HashSetHypothesis(self.functions[copy], (bucket,), self.bounds)

    def hypotheses(self) -> Iterator[Hypothesis]:
        """Yield the empty set, then the sets of buckets of each hash function by size."""
        yield AlwaysZero()
        for function in self.functions:
            for ones in range(1, self.k + 1):
                for buckets in combinations(range(function.buckets), ones):
                    yield HashSetHypothesis(function, buckets, self.bounds)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        out: Json = {"type": "hashed sets", "hashes": [f.to_dict() for f in self.functions]}
        return out | bounds_to_dict(self.bounds) | {"k": self.k, "size": self.size}


class _Candidates:
    """First the empty set or a copy, by the total weights; then a set of that copy."""

    def __init__(self, drawn: HashedSets, totals: list[list[int]]) -> None:
        self._drawn, self._totals = drawn, totals
        self.size = drawn.size

    def draw(self, rate: Fraction, source: Source) -> Hypothesis:
        """Return a hypothesis, with probability exactly proportional to e**(-rate * errors)."""
        laws = [SubsetLaw(gains, self._drawn.k, rate) for gains in self._totals]

        def copies() -> list[arb]:
            return [arb(1), *(sum(law.sums()[1:], arb(0)) for law in laws)]

        buckets = self._drawn.functions[0].buckets
        copy = source.choose(Computed(1 + len(laws), copies, buckets))
        if not copy:
            return AlwaysZero()
        law, function = laws[copy - 1], self._drawn.functions[copy - 1]
        size = 1 + source.choose(Computed(law.top, lambda: law.sums()[1:], buckets))
        return HashSetHypothesis(function, tuple(law.draw(size, source)), self._drawn.bounds)
