"""Sparse sets: at most k points of the domain are 1. The domain may be infinite."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations
from typing import TYPE_CHECKING

from flint import arb

from littlestone.classes.base import (
    weights_inside,
)
from littlestone.classes.dichotomies import Computed, Labelling, SubsetLaw, best_dichotomies
from littlestone.classes.hypotheses import on_points
from littlestone.classes.integers import SetsOfPoints
from littlestone.classes.oracles import Closures, closures
from littlestone.classes.points import closed_sets, set_dichotomies
from littlestone.classes.sparse_sets.hashed import HashedSets, hashed_sets
from littlestone.classes.spec import written
from littlestone.data import Sample
from littlestone.errors import check_integer, parameter_error
from littlestone.source import Choice, Source, ball
from littlestone.types import Hypothesis
from littlestone.types import Points as Batch

if TYPE_CHECKING:
    from littlestone.bounds import HashFamily


MAX_POINTS = 1 << 16


@written("sparse_sets(5) or sparse_sets(5, 1, 99)")
class SparseSets(SetsOfPoints):
    """Sets of at most k points.

    Parameters
    ----------
    k : int >= 0
    low, high : int of any size, or both None
        None: every integer, text, tuple, ... may be a point; the class is infinite, and is learned
        through a `representation` (hashing). Otherwise the domain is low .. high.

    Guarantee
    ---------
    On a bounded domain, ``candidates(sample).draw(rate, source)`` has exactly the exponential
    mechanism's law over all sets.

    Notes
    -----
    VC dimension, Littlestone dimension and threshold dimension are all k (the number of points,
    if that is smaller). Cost of a draw: O(m k) for m distinct points of the sample, whatever the
    domain: the weights of all sets are elementary symmetric polynomials (`SubsetLaw`).

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> SparseSets(3).size, SparseSets(2, 1, 4).size
    (inf, 11)
    >>> data = Sample.of([7, 7, 3, 9], [1, 1, 0, 1])
    >>> SparseSets(2, 1, 99).candidates(data).draw(Fraction(50), SeededSource(0)).describe()
    '1 on the points 7, 9, otherwise 0'
    """

    name = "sparse_sets"
    _by_hashing = HashedSets

    def __init__(self, k: int, low: int | None = None, high: int | None = None) -> None:
        self.k = check_integer("SparseSets", "k", k, low=0)
        if self.k > MAX_POINTS:
            raise parameter_error("SparseSets", "k", f"at most {MAX_POINTS}", k)
        super().__init__(low, high)

    @property
    def n_points(self) -> int | float:
        """Number of points of the domain."""
        return math.inf if self.bounds is None else self.bounds[1] - self.bounds[0] + 1

    @property
    def size(self) -> int | float:
        """Number of concepts."""
        if self.bounds is None:
            return math.inf if self.k else 1
        points = int(self.n_points)
        return sum(math.comb(points, i) for i in range(min(self.k, points) + 1))

    @property
    def vc_dim(self) -> int:
        """The smaller one of k and the number of points."""
        return int(min(self.k, self.n_points))

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all sets, scored by minus their errors; see `ConceptClass.candidates`."""
        low, high = self._finite()
        points, weights, _ = weights_inside(sample, low, high)
        return _Candidates(self.k, low, high, points, weights)

    @property
    def hashing(self) -> HashFamily:
        """How hashing represents the class: what `littlestone.bounds.best_hashing` searches."""
        return hashed_sets(self.k)

    def _concepts(self) -> Iterator[Hypothesis]:
        low, high = self._finite()
        sizes = (combinations(range(low, high + 1), r) for r in range(self.vc_dim + 1))
        return map(on_points, chain.from_iterable(sizes))

    def littlestone_bounds(self) -> tuple[int, int]:
        """Return the VC dimension, twice: each mistake names a point."""
        return self.vc_dim, self.vc_dim

    def threshold_bounds(self) -> tuple[int, int]:
        """Return the VC dimension, twice."""
        return self.vc_dim, self.vc_dim


class _Candidates:
    """All sets of a bounded domain: sampled points by their gains, the others alike."""

    def __init__(
        self, k: int, low: int, high: int, points: Sequence[int], weights: Sequence[int]
    ) -> None:
        self._k, self._low, self._points = k, low, points
        self._gains = [-weight for weight in weights]
        self._free = high - low + 1 - len(points)
        items = high - low + 1
        self.size = sum(math.comb(items, r) for r in range(min(k, items) + 1))

    def draw(self, rate: Fraction, source: Source) -> Hypothesis:
        """Return a set, with probability exactly proportional to e**(-rate * errors)."""
        law = SubsetLaw(self._gains, self._k, rate)
        cells = [
            (r, others)  # how many sampled points, and others
            for r in range(law.top + 1)
            for others in range(min(self._k - r, self._free) + 1)
        ]

        def weights() -> list[arb]:
            sums = law.sums()
            return [sums[r] * ball(math.comb(self._free, others)) for r, others in cells]

        r, others = cells[source.choose(Computed(len(cells), weights, len(self._gains)))]
        rank = source.below(math.comb(self._free, others))
        drawn = [self._points[i] for i in law.draw(r, source)]
        return on_points([*drawn, *map(self._absent, unrank(self._free, others, rank))])

    def _absent(self, index: int) -> int:
        """Return the index-th point of the domain that is not in the sample."""
        below = 0  # number of sampled points below it
        high = len(self._points)
        while below < high:
            middle = (below + high) // 2
            if self._points[middle] - self._low - middle <= index:
                below = middle + 1
            else:
                high = middle
        return self._low + index + below


def unrank(n: int, r: int, rank: int) -> list[int]:
    """Return the r-subset of range(n) with a rank in the combinatorial number system.

    Examples
    --------
    >>> [unrank(4, 2, rank) for rank in range(6)]
    [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]]
    """
    out = []
    while r:  # the largest element c with comb(c, r) <= rank
        low, high = r - 1, n - 1
        while low < high:
            middle = (low + high + 1) // 2
            if math.comb(middle, r) <= rank:
                low = middle
            else:
                high = middle - 1
        out.append(low)
        rank -= math.comb(low, r)
        n, r = low, r - 1
    return out[::-1]


@closures.register
def _(concept_class: SparseSets) -> Closures:
    return closed_sets(concept_class.k, concept_class.bounds)


@best_dichotomies.register
def _(concept_class: SparseSets, points: Batch, sample: Sample) -> Choice[Labelling]:
    return set_dichotomies(concept_class.k, concept_class.bounds, points, sample)
