"""Intervals of integers: the class, unions of intervals, and version spaces."""

from littlestone.classes.intervals.concept_class import (
    IntervalHypothesis,
    Intervals,
    UnionHypothesis,
    on_runs,
)
from littlestone.classes.intervals.version_space import IntervalList, IntervalSpace

__all__ = [
    "IntervalHypothesis",
    "IntervalList",
    "IntervalSpace",
    "Intervals",
    "UnionHypothesis",
    "on_runs",
]
