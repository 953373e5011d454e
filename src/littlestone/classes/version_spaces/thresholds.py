"""Version spaces of thresholds: finite unions of runs of thresholds, of any length.

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
from itertools import accumulate
from math import inf
from typing import Any, overload

from littlestone.classes.base import weights_inside
from littlestone.classes.hypotheses import ThresholdHypothesis
from littlestone.classes.oracles import VersionSpace, as_point, check_label
from littlestone.classes.thresholds import Thresholds
from littlestone.data import Sample
from littlestone.errors import UnsupportedError, check_integer, parameter_error
from littlestone.types import Hypothesis

__all__ = ["ThresholdList", "ThresholdSpace"]

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

    @classmethod
    def of(cls, concept_class: Thresholds) -> ThresholdSpace:
        """Return the space of all thresholds."""
        return cls(concept_class, ((concept_class.low - 1, concept_class.high),))

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

    def index(self, hypothesis: Hypothesis) -> int | None:
        """Return the number of a threshold of this space, or None."""
        before = 0
        for first, last in self.runs:
            above = getattr(hypothesis, "above", None)
            if isinstance(above, int) and first <= above <= last:
                found = before + above - first
                return found if self.threshold(found) == hypothesis else None
            before += last - first + 1
        return None

    def distinguish(self, h: Hypothesis, g: Hypothesis) -> int | None:
        """Return the smallest point between two thresholds."""
        ends = []
        for hypothesis in (h, g):
            if not isinstance(hypothesis, ThresholdHypothesis):
                raise UnsupportedError(
                    f"Only thresholds are told apart in {self.concept_class.spec}."
                )
            ends.append(hypothesis.above)
        return None if ends[0] == ends[1] else min(ends) + 1

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

    def member(self) -> ThresholdHypothesis:
        """Return the first threshold."""
        if self.is_empty:
            raise parameter_error("VersionSpace.member", "self", "a nonempty space", "an empty one")
        return self.threshold(0)

    def named(self, above: int) -> ThresholdHypothesis:
        """Return the threshold that accepts what is above a point."""
        return ThresholdHypothesis(above, self.concept_class.low, self.concept_class.high)


@dataclass(frozen=True)
class ThresholdList(Sequence[Hypothesis]):
    """All thresholds of a space, in increasing order; nothing is listed.

    Attributes
    ----------
    size : int
        Also where it is too large for ``len``.

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

    def __iter__(self) -> Iterator[Hypothesis]:
        return (self.space.named(u) for a, b in self.space.runs for u in range(a, b + 1))

    def __contains__(self, item: object) -> bool:
        return isinstance(item, ThresholdHypothesis) and self.space.index(item) is not None

    @overload
    def __getitem__(self, index: int) -> Hypothesis: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Hypothesis]: ...

    def __getitem__(self, index: int | slice) -> Hypothesis | Sequence[Hypothesis]:
        if isinstance(index, slice):
            return [self.space.threshold(i) for i in range(*index.indices(self.size))]
        return self.space.threshold(index + self.size if index < 0 else index)


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
