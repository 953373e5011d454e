"""Sparse sets over any domain: sets of buckets of a random public hash.

A set of at most k points falls into at most k buckets. In one copy take the set of those buckets:
it holds all points of the target, and is wrong only on points that share a bucket with one of them,
an expected disagreement of at most k times the collision probability. The exponential mechanism
over all sets of at most k buckets needs no list (`littlestone.classes.sparse_sets.hashed`).
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from flint import arb

from littlestone.bounds import HashFamily
from littlestone.bounds import sparse_sets as ideal
from littlestone.classes.base import HypothesisSet
from littlestone.classes.dichotomies import Computed, SubsetLaw
from littlestone.classes.encoding import Fields, bounds_to_dict
from littlestone.classes.hashing import (
    Hashed,
    HashFunction,
    domain_of,
    inside_bounds,
    point_collision,
)
from littlestone.classes.hypotheses import AlwaysZero, readable
from littlestone.errors import UnsupportedError
from littlestone.source import Choice, Source
from littlestone.types import Hypothesis, Json, Labels, Points

if TYPE_CHECKING:
    from littlestone.data import Sample


_MOST_BUCKETS = Hashed.most


@functools.cache
def hashed_sets(k: int) -> HashFamily:
    """Return the family of sets of at most k buckets, with our hash's exact collisions.

    Examples
    --------
    >>> hashed_sets(2).candidates(10)
    55
    """
    return HashFamily(ideal(k).candidates, lambda buckets: k * point_collision(buckets))


@readable
@dataclass(frozen=True)
class HashSetHypothesis:
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
        return (
            self.TYPE, f.key, f.multiplier, f.addend, f.buckets, self.buckets, self.bounds,
        )  # fmt: skip

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        one = np.isin(self.function(points), self.buckets)
        one &= inside_bounds(points, self.bounds)
        return one.astype(np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        shown = ", ".join(map(str, self.buckets[:20]))
        more = f" and {len(self.buckets) - 20} more" if len(self.buckets) > 20 else ""
        return (
            f"1 if the public hash of x falls into one of the buckets {shown}{more} of "
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
        buckets = fields.items("buckets", _MOST_BUCKETS)
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


class HashedSets(Hashed):
    r"""Sparse sets over any domain: the sets of at most k buckets of ``copies`` public hashes.

    The size is copies * (C(R, 1) + ... + C(R, k)) + 1: the empty set is counted once. In one copy
    ``collision`` is k times that of two points.

    Notes
    -----
    Parameters, attributes and errors: see `Hashed`. Source: Li, Wang, Ye 2024, Definition 2.3;
    construction and proof: module docstring.

    Examples
    --------
    >>> from littlestone.classes import SparseSets
    >>> hashed = SparseSets(2).representation(alpha=0.1, beta=0.05)
    >>> hashed.copies, hashed.buckets, hashed.size
    (6, 33, 3367)
    """

    def drawn(self, source: Source) -> HypothesisSet:
        """Draw the hash functions with public coins."""
        concepts = self.concept_class
        return _HashedSets(self.functions(source), concepts.k, concepts.bounds, self.size)


@dataclass(frozen=True)
class _HashedSets(HypothesisSet):
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
        totals = []
        for function in self.functions:
            total: npt.NDArray[np.int64] = np.zeros(function.buckets, dtype=np.int64)
            if len(points):
                np.add.at(total, function(points), gains)
            totals.append(total.tolist())
        return _Candidates(self, totals)

    def hypotheses(self) -> Iterator[Hypothesis]:
        """Yield the empty set, then the sets of buckets of each hash function by size."""
        yield AlwaysZero()
        for function in self.functions:
            for ones in range(1, self.k + 1):
                for buckets in combinations(range(function.buckets), ones):
                    yield HashSetHypothesis(function, buckets, self.bounds)

    def surrogate_candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Refuse: q is not a sum over buckets; `candidates` scores by the direct error."""
        raise UnsupportedError(
            "Hashed sparse sets are scored by their direct error (sensitivity 1), which needs "
            "fewer records than the surrogate: use candidates(sample)."
        )

    def to_dict(self) -> Json:
        """Return plain JSON."""
        out: Json = {"type": "hashed sets", "hashes": [f.to_dict() for f in self.functions]}
        return out | bounds_to_dict(self.bounds) | {"k": self.k, "size": self.size}


class _Candidates:
    """First the empty set or a copy, by the total weights; then a set of that copy."""

    def __init__(self, drawn: _HashedSets, totals: list[list[int]]) -> None:
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
