"""Intervals of integers."""

from littlestone.classes.intervals.concept_class import IntervalHypothesis, Intervals

__all__ = ["IntervalHypothesis", "Intervals"]
