"""Intervals of the integers low .. high, of any size: f(x) = 1 if and only if a <= x <= b."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from littlestone.classes.base import Mapped, weights_inside
from littlestone.classes.dichotomies import (
    Labelling,
    RunDichotomies,
    best_dichotomies,
    best_gap,
    extremes,
    points_inside,
)
from littlestone.classes.encoding import Fields, from_json, json_integer, number
from littlestone.classes.hypotheses import AlwaysZero, as_labels, readable
from littlestone.classes.integers import IntegerClass
from littlestone.classes.intervals.levels import ldim_of_gaps
from littlestone.classes.intervals.swept import SweptIntervals, pair_of, pairs_of
from littlestone.classes.spec import written
from littlestone.data import Sample
from littlestone.errors import UnsupportedError, parameter_error
from littlestone.source import Choice
from littlestone.types import Hypothesis, Json, Labels, Point, Points
from littlestone.types import Points as Batch

_MOST_ENDS = 2_000_000


@readable
@dataclass(frozen=True)
class IntervalHypothesis:
    """1 exactly on the integers from ``first`` to ``last``; the empty interval is `AlwaysZero`.

    Examples
    --------
    >>> import numpy as np
    >>> IntervalHypothesis(18, 65).predict(np.array([17, 18, 65, 66])).tolist()
    [0, 1, 1, 0]
    """

    first: int
    last: int

    TYPE = "interval"

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, self.first, self.last)

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        return as_labels((points >= self.first) & (points <= self.last), len(points))

    def describe(self) -> str:
        """Say the hypothesis in words."""
        if self.first == self.last:
            return f"1 if x = {number(self.first)}, otherwise 0"
        return f"1 if {number(self.first)} <= x <= {number(self.last)}, otherwise 0"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        first, last = json_integer(self.first), json_integer(self.last)
        return {"type": self.TYPE, "first": first, "last": last}

    @classmethod
    def from_dict(cls, data: Any) -> IntervalHypothesis:
        """Read it back."""
        fields = Fields(data, ("first", "last"))
        first = fields.integer("first")
        return cls(first, fields.integer("last", low=first))


@readable
@dataclass(frozen=True)
class UnionHypothesis:
    """1 exactly on a union of runs of integers, at least two; make one by `on_runs`.

    Examples
    --------
    >>> import numpy as np
    >>> union = on_runs([(1, 3), (8, 9)])
    >>> union.predict(np.array([3, 4, 9])).tolist(), union.describe()
    ([1, 0, 1], '1 if 1 <= x <= 3 or 8 <= x <= 9, otherwise 0')
    """

    runs: tuple[tuple[int, int], ...]

    TYPE = "union of intervals"

    def __post_init__(self) -> None:
        if not _canonical(self.runs):
            raise parameter_error(
                "UnionHypothesis", "runs", "increasing, not adjacent, at least two",
                f"{len(self.runs)} runs", "Use on_runs(runs).",
            )  # fmt: skip

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, self.runs)

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        held = [(points >= first) & (points <= last) for first, last in self.runs]
        return as_labels(np.logical_or.reduce(held), len(points))

    def describe(self) -> str:
        """Say the hypothesis in words."""
        parts = [
            f"x = {number(a)}" if a == b else f"{number(a)} <= x <= {number(b)}"
            for a, b in self.runs[:20]
        ]
        more = f" or in {len(self.runs) - 20} more runs" if len(self.runs) > 20 else ""
        return f"1 if {' or '.join(parts)}{more}, otherwise 0"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.TYPE, "ends": [json_integer(x) for run in self.runs for x in run]}

    @classmethod
    def from_dict(cls, data: Any) -> UnionHypothesis:
        """Read it back; only the canonical form is accepted."""
        fields = Fields(data, ("ends",))
        ends = [from_json(x) for x in fields.items("ends", _MOST_ENDS)]
        whole = [x for x in ends if isinstance(x, int)]
        runs = tuple(zip(whole[::2], whole[1::2], strict=False))
        if len(whole) < len(ends) or len(ends) % 2 or not _canonical(runs):
            raise fields.refuse("ends", "first and last points of runs, increasing, not adjacent")
        return cls(runs)


def on_runs(
    runs: Iterable[tuple[int, int]],
) -> UnionHypothesis | IntervalHypothesis | AlwaysZero:
    """Return the canonical hypothesis that is 1 exactly on some runs of integers.

    Examples
    --------
    >>> on_runs([(4, 6), (1, 3)]), on_runs([])
    (IntervalHypothesis(first=1, last=6), AlwaysZero())
    """
    joined = _joined(sorted(runs))
    if len(joined) > 1:
        return UnionHypothesis(joined)
    return IntervalHypothesis(*joined[0]) if joined else AlwaysZero()


def runs_of(hypothesis: Hypothesis) -> tuple[tuple[int, int], ...]:
    """Return the runs on which a hypothesis of `on_runs` is 1."""
    match hypothesis:
        case AlwaysZero():
            return ()
        case IntervalHypothesis(first=first, last=last):
            return ((first, last),)
        case UnionHypothesis(runs=runs):
            return runs
    raise UnsupportedError("Only unions of intervals are told apart as intervals.")


def _canonical(runs: tuple[tuple[int, int], ...]) -> bool:
    """Say whether there are several runs, nonempty, increasing and not adjacent."""
    ordered = all(first <= last for first, last in runs)
    return len(runs) > 1 and ordered and _joined(runs) == runs


def _joined(runs: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Join sorted runs that meet."""
    out: list[tuple[int, int]] = []
    for first, last in runs:
        if out and first <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(last, out[-1][1]))
        else:
            out.append((first, last))
    return tuple(out)


@written("intervals(1, 99)", "low", "high", required=2)
class Intervals(IntegerClass):
    """Intervals [a, b] with low <= a <= b <= high, and the empty one.

    Parameters
    ----------
    low, high : int of any size, low <= high
        The public domain. Never take it from the data.

    Guarantee
    ---------
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law over all
    N(N + 1)/2 + 1 intervals of a domain of N points.

    Notes
    -----
    VC dimension 2 (1 if there is one point only). Cost of a draw: O(k) for k distinct points of
    the sample, although there are about k**2/2 different behaviours on it: the weight of [a, b]
    is a product of a factor of a and a factor of b, so b is drawn from its exact marginal weight
    (a partition function, enclosed by balls), then a given b.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> from fractions import Fraction
    >>> ages = Intervals(1, 99)
    >>> ages.size, ages.vc_dim
    (4951, 2)
    >>> data = Sample.of([17, 18, 65, 66], [0, 1, 1, 0])
    >>> ages.candidates(data).draw(Fraction(50), SeededSource(0)).describe()
    '1 if 18 <= x <= 65, otherwise 0'
    """

    name = "intervals"

    @property
    def size(self) -> int:
        """Number of concepts."""
        return pairs_of(self.high - self.low + 1) + 1

    @property
    def vc_dim(self) -> int:
        """2, or 1 on a single point."""
        return 2 if self.high > self.low else 1

    sweeps = True

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all intervals, scored by minus their errors; see `ConceptClass.candidates`."""
        swept = SweptIntervals(sample.within(self.low, self.high), self.low, self.high)
        return Mapped(swept, _interval)

    def _concepts(self) -> Iterator[Hypothesis]:
        yield AlwaysZero()
        for first in range(self.low, self.high + 1):
            for last in range(first, self.high + 1):
                yield IntervalHypothesis(first, last)

    def improper(self, ones: tuple[Point, ...]) -> Hypothesis:
        """Return a union of intervals."""
        return on_runs((int(x), int(x)) for x in ones)  # type: ignore[call-overload]

    def littlestone_bounds(self) -> tuple[int, int]:
        """Return the Littlestone dimension, twice: about ``2 log2 N`` (docs/oracles.md)."""
        ldim = ldim_of_gaps(self.high - self.low + 1, 0)
        return ldim, ldim

    def threshold_bounds(self) -> tuple[int, int]:
        """Return the number of points, twice: intervals hold the thresholds."""
        return self.high - self.low + 1, self.high - self.low + 1


def interval_from(start: int, index: int) -> IntervalHypothesis:
    """Return an interval by its number among those from ``start`` on, ordered by the right end.

    Examples
    --------
    >>> [(h.first, h.last) for h in (interval_from(5, i) for i in range(4))]
    [(5, 5), (5, 6), (6, 6), (5, 7)]
    """
    return IntervalHypothesis(*pair_of(start, index))


def _interval(ends: tuple[int, int] | None) -> Hypothesis:
    return AlwaysZero() if ends is None else IntervalHypothesis(*ends)


@best_dichotomies.register
def _(concept_class: Intervals, points: Batch, sample: Sample) -> Choice[Labelling]:
    low, high = concept_class.low, concept_class.high
    order, edges = points_inside(points, low, high)
    second, weights, _ = weights_inside(sample, low, high)
    most, least = extremes(edges, second, weights)
    return RunDichotomies(most, least, best_gap(edges, second, weights), order, len(points))
