"""Thresholds and intervals at public points: over the cells between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from littlestone.bounds.public import PublicPoints
from littlestone.classes.base import Mapped
from littlestone.classes.hypotheses import AlwaysZero
from littlestone.classes.integers import IntegerClass
from littlestone.classes.intervals import IntervalHypothesis, Intervals
from littlestone.classes.public_points import ClassAtPoints, at_public_points
from littlestone.classes.thresholds import ThresholdHypothesis, Thresholds
from littlestone.data import Sample
from littlestone.data.sample import Counted
from littlestone.source import Choice
from littlestone.types import Hypothesis


class CellClass(ClassAtPoints):
    """Thresholds or intervals whose ends are public points.

    A comparison ``x >= t`` becomes ``x >= q``, q the least public point that is at least t, or is
    never true. So a concept is one over *cells*: the number of public points up to x; no concept
    is 1 below all of them.

    Examples
    --------
    >>> at_public_points(Intervals(1, 99), [20, 60]).size
    4
    """

    def __init__(self, concept_class: IntegerClass, points: Any) -> None:
        super().__init__(concept_class, points)
        self.cells: Any = type(concept_class)(1, len(self.points))

    @staticmethod
    def some(concept_class: IntegerClass, number: int) -> tuple[IntegerClass, list[int]]:
        """Return the first points of the class."""
        low, high = concept_class.low, concept_class.high
        return concept_class, list(range(low, min(low + number - 1, high) + 1))

    @property
    def public(self) -> PublicPoints:
        """One comparison of a threshold, two of an interval."""
        return PublicPoints(self.number, 2 if isinstance(self.cells, Intervals) else 1)

    @property
    def size(self) -> int:
        """Number of concepts."""
        return int(self.cells.size)

    @property
    def vc_dim(self) -> int:
        """The VC dimension."""
        return int(self.cells.vc_dim)

    def littlestone_bounds(self) -> tuple[int, float]:
        """Return that over the cells."""
        found: tuple[int, float] = self.cells.littlestone_bounds()
        return found

    def threshold_bounds(self) -> tuple[int, float]:
        """Return that over the cells."""
        found: tuple[int, float] = self.cells.threshold_bounds()
        return found

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all concepts, scored by minus their errors; see `ConceptClass.candidates`."""
        return Mapped(self.cells.candidates(self._in_cells(sample)), self._at)

    def _in_cells(self, sample: Sample) -> Sample:
        """Return the records as numbers of cells; cell 0 is outside."""
        inside = sample.within(self.concept_class.low, self.concept_class.high).counted
        cells = np.searchsorted(self.points, inside.points, side="right")
        counts = np.zeros((len(self.points) + 1, len(inside.outside)), dtype=np.int64)
        np.add.at(counts, cells, inside.counts.T)
        outside = tuple((counts[0] + np.array(inside.outside)).tolist())
        kept = 1 + np.flatnonzero(counts[1:].any(axis=1))
        return Counted(kept, counts[kept].T, outside, inside.costs)

    def _at(self, concept: Hypothesis) -> Hypothesis:
        """Return a concept over cells as one over the domain."""
        edges, high = self.points.tolist(), self.concept_class.high
        if isinstance(concept, ThresholdHypothesis):
            above = [*(edge - 1 for edge in edges), high][concept.above]
            return ThresholdHypothesis(above, self.concept_class.low, high)
        if isinstance(concept, IntervalHypothesis):
            last = [*(edge - 1 for edge in edges), high][concept.last]
            return IntervalHypothesis(edges[concept.first - 1], last)
        return AlwaysZero()

    def _concepts(self) -> Iterator[Hypothesis]:
        return map(self._at, self.cells.concepts())


at_public_points.register(Thresholds, CellClass)
at_public_points.register(Intervals, CellClass)
