"""Thresholds on the integers low .. high, of any size: the hypothesis, the class, version spaces.

A threshold f_u is named by u, and labels x with 1 if and only if x > u. Examples keep u < x or
u >= x; low error keeps a union of runs. With m thresholds left, in increasing order, and
s = floor(log2 m):

* the Littlestone dimension is s (halving);
* ``SOA(x) = 0`` iff at least 2**s thresholds label x with 0, which is the threshold number
  m - 2**s (counted from 0);
* ``reducibility`` is infinite for s = 0, 2 if m = 2**(s + 1) - 1 (both ends must be cut), else 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import inf
from typing import Any, cast

import numpy as np

from littlestone.bounds import HashFamily, Line
from littlestone.classes.base import (
    ConceptClass,
    IdentityRepresentation,
    Mapped,
    Representation,
    VersionSpace,
    as_point,
    check_label,
    gains_of,
    version_space,
    weights_inside,
)
from littlestone.classes.finite import (
    Labelling,
    ListedDichotomies,
    best_dichotomies,
    extremes,
    points_inside,
    scattered,
)
from littlestone.classes.hashing import Hashed, hashed_sets
from littlestone.classes.hypotheses import Fields, Frozen, as_labels, number, readable
from littlestone.classes.spec import written
from littlestone.classes.trees import ROOT, Chain, Node, PathsTree, no_concept
from littlestone.data import AnyDomain, IntegerDomain, Sample
from littlestone.errors import UnsupportedError, check_integer, check_probability, parameter_error
from littlestone.source import Choice, ScoreRuns, StreamedRuns
from littlestone.types import Hypothesis, Labels, Point, Points
from littlestone.types import Points as Batch

# -- What classes over integers share: their bounds, the integers from low to high, lazy lists.


_GRID = (
    "On real numbers, thresholds and intervals have infinite Littlestone dimension, so nobody can "
    "learn them privately (Alon et al. 2022, Theorem 1). Use a public grid: count in cents, "
    "seconds or 2**64 steps."
)


def integer_bounds(caller: str, low: Any, high: Any) -> tuple[int, int]:
    """Check the bounds of an integer domain."""
    low = check_integer(caller, "low", low, hint=_GRID if isinstance(low, float) else "")
    high = check_integer(caller, "high", high, hint=_GRID if isinstance(high, float) else "")
    if low > high:
        raise parameter_error(caller, "high", "at least 'low'", high, "Swap the two bounds.")
    return low, high


class IntegerClass(ConceptClass):
    """A class over the integers from low to high."""

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = integer_bounds(type(self).__name__, low, high)

    @property
    def domain(self) -> IntegerDomain:
        """The integers from low to high."""
        return IntegerDomain(self.low, self.high)


class SetsOfPoints(ConceptClass):
    """A class of sets of points: of any hashable ones, or of the integers from low to high."""

    bounds: tuple[int, int] | None = None
    low: int | None = None
    high: int | None = None
    #: The most points of a set.
    k: int = 1

    def __init__(self, low: int | None = None, high: int | None = None) -> None:
        caller = type(self).__name__
        if (low is None) != (high is None):
            raise parameter_error(
                caller, "high" if high is None else "low", "given together with the other bound",
                None, f"Leave both out for any hashable points: {self.spec}.",
            )  # fmt: skip
        if low is not None:
            self.bounds = self.low, self.high = integer_bounds(caller, low, high)

    @property
    def domain(self) -> AnyDomain | IntegerDomain:
        """Everything hashable, or the integers from low to high."""
        return AnyDomain() if self.bounds is None else IntegerDomain(*self.bounds)

    def representation(self, alpha: Any = None, beta: Any = None) -> Representation:
        """Return a finite representation: by hashing, or the class itself where that is smaller."""
        if self.bounds is not None and alpha is None and beta is None:
            return IdentityRepresentation(self)
        hint = "An infinite class needs both; try alpha=0.05, beta=0.025."
        caller = f"{type(self).__name__}.representation"
        hashed = Hashed.smallest(
            self,
            check_probability(caller, "alpha", alpha, hint=hint),
            check_probability(caller, "beta", beta, hint=hint),
        )
        return hashed if self.size > hashed.size else IdentityRepresentation(self)

    @property
    def hashing(self) -> HashFamily:
        """How hashing represents the class: what `littlestone.bounds.best_hashing` searches."""
        return hashed_sets(self.k)

    def hashed(self, copies: int, buckets: int) -> Representation:
        """Return the representation with this many hash functions and buckets of each."""
        collision = self.hashing.collision(buckets)
        alpha = min(Fraction(1, 2), 2 * collision)
        return Hashed(self, alpha, (collision / alpha) ** copies, copies, buckets)

    def _finite(self) -> tuple[int, int]:
        """Return the bounds, or refuse an infinite domain."""
        if self.bounds is None:
            raise UnsupportedError(
                f"{self.spec} is infinite, so its concepts cannot be scored one by one. Use "
                "representation(alpha, beta), or bound the domain by low and high."
            )
        return self.bounds


@readable
@dataclass(frozen=True)
class ThresholdHypothesis(Frozen):
    """1 exactly on the points above ``above``, in the integers from ``low`` to ``high``.

    Examples
    --------
    >>> import numpy as np
    >>> ThresholdHypothesis(17, 1, 99).predict(np.array([17, 18, 99, 100])).tolist()
    [0, 1, 1, 0]
    """

    above: int
    low: int
    high: int

    TYPE = "threshold"

    def label(self, point: Point) -> int:
        """Return the label of a point."""
        return 1 if self.above < cast(int, point) <= self.high else 0

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        return as_labels((points > self.above) & (points <= self.high), len(points))

    def describe(self) -> str:
        """Say the hypothesis in words."""
        domain = f"(x from {number(self.low)} to {number(self.high)})"
        if self.above == self.low - 1:
            return f"always 1 {domain}"
        if self.above == self.high:
            return f"always 0 {domain}"
        return f"1 if x > {number(self.above)}, otherwise 0 {domain}"

    @classmethod
    def from_dict(cls, data: Any) -> ThresholdHypothesis:
        """Read it back."""
        fields = Fields(data, ("above", "low", "high"))
        low = fields.integer("low")
        high = fields.integer("high", low=low)
        return cls(fields.integer("above", low=low - 1, high=high), low, high)


@written("thresholds(1, 99)")
class Thresholds(IntegerClass):
    """Thresholds: "1 if x > u", for u from low - 1 (always) to high (never).

    There is one more concept than points. The domain may be huge: a draw costs as much as the
    number of *distinct points of the sample*, whatever the domain.

    Parameters
    ----------
    low, high : int of any size, low <= high
        The public domain. Never take it from the data.

    Guarantee
    ---------
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law.

    Notes
    -----
    VC dimension 1. Cost of a draw: O(k) for k distinct points (k = 10,000 points of a domain of
    2**1024: about 0.05 s). Source: folklore; used in all five papers.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.source import SeededSource
    >>> ages = Thresholds(1, 99)
    >>> ages.size, ages.vc_dim
    (100, 1)
    >>> data = Sample.of([12, 17, 18, 40], [0, 0, 1, 1])
    >>> ages.candidates(data).draw(Fraction(50), SeededSource(0)).describe()
    '1 if x > 17, otherwise 0 (x from 1 to 99)'
    """

    name = "thresholds"

    @property
    def size(self) -> int:
        """Number of concepts: one more than points."""
        return self.high - self.low + 2

    vc_dim = 1
    structure = Line()  # cuts of a line
    streams = True

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all thresholds, scored by minus their errors; see `ConceptClass.candidates`."""
        sample = sample.within(self.low, self.high)
        runs = StreamedRuns(lambda: self._streamed(sample), self.size)
        return Mapped(runs, lambda above: ThresholdHypothesis(above, self.low, self.high))

    def _streamed(self, sample: Sample) -> Iterator[ScoreRuns]:
        """Yield runs of u with as many points <= u: these are labelled 0, the rest 1."""
        start, score = self.low - 1, -(sample.negatives + sample.outside_cost)  # of the constant 1
        for points, gains in gains_of(sample, self.domain.line):
            passed = score - np.cumsum(gains)
            starts = np.append(start, points[:-1])
            end = int(points[-1])
            yield ScoreRuns(starts, end, np.append(score, passed[:-1]))
            start, score = end, int(passed[-1])
        yield ScoreRuns(np.array([start]), self.high + 1, np.array([score]))

    def _concepts(self) -> Iterator[Hypothesis]:
        for above in range(self.low - 1, self.high + 1):
            yield ThresholdHypothesis(above, self.low, self.high)

    def tree(self, f: Hypothesis | None = None) -> PathsTree:
        """Return the tree of the class: a chain, with high on top. f_u is 1 on u + 1, ..., high."""
        low, high = self.low, self.high
        chain = Chain(high, low)

        def concept(node: Any) -> ThresholdHypothesis:
            return ThresholdHypothesis(high if node is ROOT else node - 1, low, high)

        at: Node = chain.ancestor(low, chain.height // 2)
        if f is not None:
            if not isinstance(f, ThresholdHypothesis) or (f.low, f.high) != (low, high):
                raise no_concept(self.spec)
            at = chain.ancestor(low, high - f.above)
        return PathsTree(chain, at, concept)

    def littlestone_bounds(self) -> tuple[int, int]:
        """Return floor(log2 of the number of thresholds), twice: halving is optimal."""
        return self.size.bit_length() - 1, self.size.bit_length() - 1

    def threshold_bounds(self) -> tuple[int, int]:
        """Return the number of points, twice."""
        return self.size - 1, self.size - 1


Run = tuple[int, int]  # first and last u


@dataclass(frozen=True)
class ThresholdSpace(VersionSpace):
    """The thresholds of some runs.

    Examples
    --------
    >>> space = Thresholds(1, 99).version_space().within_error(Sample.of([9, 40], [0, 1]), 1)
    >>> space.runs, space.littlestone_dim()
    (((0, 99),), 6)
    """

    concept_class: Thresholds
    runs: tuple[Run, ...]  # disjoint, not adjacent, increasing

    @property
    def size(self) -> int:
        """Number of thresholds."""
        return sum(last - first + 1 for first, last in self.runs)

    @property
    def is_empty(self) -> bool:
        """Whether no threshold is left."""
        return not self.runs

    def restrict(self, point: Any, label: int) -> ThresholdSpace:
        """Return the thresholds below a point (label 1), or the others."""
        point, label = as_point(point), check_label(label)
        low, high = self.concept_class.low, self.concept_class.high
        if not isinstance(point, int) or not low <= point <= high:
            return ThresholdSpace(self.concept_class, () if label else self.runs)
        keep = (low - 1, point - 1) if label else (point, high)
        return ThresholdSpace(self.concept_class, _common(self.runs, [keep]))

    def within_error(self, sample: Sample, tolerance: int) -> ThresholdSpace:
        """Return the thresholds of low error, by one sweep over the sample."""
        check_integer("VersionSpace.within_error", "tolerance", tolerance, low=0)
        low, high = self.concept_class.low, self.concept_class.high
        points, weights, constant = weights_inside(sample, low, high)
        errors = accumulate((-w for w in weights), initial=constant + sum(weights))
        kept: list[Run] = []
        ends = [*points, high + 1]
        for first, end, wrong in zip([low - 1, *points], ends, errors, strict=True):
            if wrong > tolerance:
                continue
            if kept and kept[-1][1] == first - 1:
                kept[-1] = (kept[-1][0], end - 1)
            else:
                kept.append((first, end - 1))
        return ThresholdSpace(self.concept_class, _common(self.runs, kept))

    def littlestone_dim(self) -> int:
        """Return floor(log2 of the number of thresholds); -1 if empty."""
        return self.size.bit_length() - 1

    def soa(self) -> ThresholdHypothesis:
        """Return the threshold number m - 2**s; the constant 0 if empty."""
        if self.is_empty:
            return self.named(self.concept_class.high)
        return self.threshold(self.size - (1 << self.littlestone_dim()))

    def threshold(self, index: int) -> ThresholdHypothesis:
        """Return one threshold by its number, counted from 0 in increasing order."""
        for first, last in self.runs:
            if index <= last - first:
                return self.named(first + index)
            index -= last - first + 1
        raise IndexError(index)

    def distinguish(self, h: Any, g: Any) -> int | None:
        """Return the smallest point between two thresholds."""
        return None if h.above == g.above else min(h.above, g.above) + 1

    def reducibility(self, cap: int | None = None) -> float:
        """Return 1, 2 or infinity (module docstring)."""
        size, dimension = self.size, self.littlestone_dim()
        if dimension <= 0:
            return inf
        least = 2 if size == (2 << dimension) - 1 else 1
        return least if cap is None or least <= cap else inf

    def decomposition_dim(self, p: int, d: int) -> int:
        """Return 0: halving isolates every threshold soon enough, but for p = d = 1 and three.

        Halving m < 2**(d + 1) thresholds takes at most d + 1 questions, and a leaf of one
        threshold may lie at depth p (2**d - 1): enough unless p = d = 1.
        """
        if self._checked_dim("decomposition_dim", p, d) < 0:
            return -1
        return int((p, d, self.size) == (1, 1, 3))

    def essential(self, p: int, d: int) -> Sequence[Hypothesis]:
        """Return all thresholds of the space (lazily), or the middle one where p = d = 1."""
        if self.decomposition_dim(p, d) == 1:
            return (self.soa(),)
        return ThresholdList(self)

    def splitting_point(self) -> int | None:
        """Return a point that halves the space."""
        if self.littlestone_dim() <= 0:
            return None
        return self.threshold(self.size // 2 - 1).above + 1

    def _first(self) -> ThresholdHypothesis:
        """Return the first threshold."""
        return self.threshold(0)

    def named(self, above: int) -> ThresholdHypothesis:
        """Return the threshold that accepts what is above a point."""
        return ThresholdHypothesis(above, self.concept_class.low, self.concept_class.high)


@dataclass(frozen=True)
class ThresholdList(Sequence[ThresholdHypothesis]):
    """All thresholds of a space, in increasing order; nothing is listed.

    Examples
    --------
    >>> found = Thresholds(1, 2**100).version_space().essential(p=2, d=100)
    >>> found.size == 2**100 + 1, found[2**99].above == 2**99
    (True, True)
    """

    space: ThresholdSpace

    @property
    def size(self) -> int:
        """Number of thresholds."""
        return self.space.size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: Any) -> Any:
        return self.space.threshold(index)

    def __iter__(self) -> Iterator[ThresholdHypothesis]:
        return (self.space.named(u) for a, b in self.space.runs for u in range(a, b + 1))


def _common(runs: Sequence[Run], others: Sequence[Run]) -> tuple[Run, ...]:
    """Return the common part of two increasing lists of disjoint runs."""
    out: list[Run] = []
    i = j = 0
    while i < len(runs) and j < len(others):
        first, last = max(runs[i][0], others[j][0]), min(runs[i][1], others[j][1])
        if first <= last:
            out.append((first, last))
        if runs[i][1] < others[j][1]:
            i += 1
        else:
            j += 1
    return tuple(out)


@version_space.register
def _(concept_class: Thresholds, max_nodes: int | None) -> VersionSpace:
    return ThresholdSpace(concept_class, ((concept_class.low - 1, concept_class.high),))


@best_dichotomies.register
def _(concept_class: Thresholds, points: Batch, sample: Sample) -> Choice[Labelling]:
    low, high = concept_class.low, concept_class.high
    order, edges = points_inside(points, low, high)
    second, weights, constant = weights_inside(sample, low, high)
    most, _ = extremes(edges, second, weights)
    all_ones = constant + sum(weights)

    def labels(j: int) -> Labelling:
        return scattered(len(points), order[j:], 1)  # the j smallest points are labelled 0

    return ListedDichotomies([all_ones - gained for gained in most], labels)
