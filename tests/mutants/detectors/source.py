"""Checks of the source: bits become outcomes exactly, stay secret, serve once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np

from littlestone.classes import Thresholds
from littlestone.data import Sample
from littlestone.data.sample import Batch
from littlestone.learners.estimators import GenericLearner
from littlestone.source import (
    LeveledChoice,
    ReplaySource,
    ScoreRuns,
    StreamedRuns,
)
from littlestone.source.sources import BitSource

from .base import Detector

__all__ = ["OF_SOURCE"]


def counts_beyond_64_bits() -> str | None:
    """Draw the first and the last candidate of groups that together pass 64 bits."""
    counts = [2**62 + 1, 2**62, 2**62 - 1, 7]
    ends = list(accumulate(counts))
    runs = ScoreRuns(np.array([0, *ends[:-1]], dtype=object), ends[-1], np.array([3, 3, 3, 0]))
    for choice, given in (
        (LeveledChoice(runs.scores, counts, lambda i, place: sum(counts[:i]) + place), "memory"),
        (StreamedRuns(lambda: iter([runs]), ends[-1]), "pieces"),
    ):
        for i, end in enumerate(ends):
            for number in (end - counts[i], end - 1):
                place = number if i < 3 else number - ends[2]
                source = ReplaySource([int(i < 3), place])
                try:
                    drawn = choice.draw(Fraction(1), source)
                except (IndexError, ValueError, RuntimeError):
                    return f"in {given}, a draw fails"
                if drawn != number:
                    return f"in {given}, another candidate is drawn"
                if source.presented[1] != ("below", ends[2] if i < 3 else counts[3]):
                    return f"in {given}, candidates are lost"
    return None


def seeds_are_named() -> str | None:
    """Check that reproducible releases say so, and others draw from the system."""
    for seed, seeded in ((None, False), (3, True)):
        made = GenericLearner(Thresholds(1, 3), epsilon=1, random_state=seed).fit([1, 3], [0, 1])
        said = str(made.guarantee_)
        if made.guarantee_.seeded is not seeded or ("NOT PRIVATE" in said) is not seeded:
            return f"random_state={seed}: {said}"
    fits = [GenericLearner(Thresholds(1, 10**6), epsilon=1).fit([1, 3], [0, 1]) for _ in range(4)]
    if len({str(made.hypothesis_) for made in fits}) == 1:
        return "fits without a seed repeat one another"
    return None


class _InBatches(Sample):
    """A sample that comes in some batches, of points or of their numbers on a line."""

    in_memory = False

    def __init__(self, *batches: tuple[Any, Any, Any]) -> None:
        points, zeros, ones = (np.concatenate(columns) for columns in zip(*batches, strict=True))
        super().__init__(points, np.stack([zeros, ones]))
        self.__dict__["_batches"] = [Batch(p, np.stack([z, o])) for p, z, o in batches]

    def batches(self, line: Any = None) -> Iterator[Batch]:
        return iter(self.__dict__["_batches"])


def _of_records(records: list[tuple[int, int]], *batches: list[int]) -> Sample:
    counts = ([np.array([records.count((x, y)) for x in b]) for y in (0, 1)] for b in batches)
    pairs = zip(batches, counts, strict=True)
    return _InBatches(*((np.array(b), zeros, ones) for b, (zeros, ones) in pairs))


def streamed_thresholds() -> str | None:
    """Draw streamed thresholds with given bits, at and beside the boundaries between the levels."""
    high, rate = 40, Fraction(1, 2)
    records = [(3, 0), (3, 0), (9, 1), (10, 0), (17, 1), (30, 1), (30, 1), (38, 0)]
    cls, sample = Thresholds(1, high), _of_records(records, [3], [9, 10, 17], [30, 38])
    by_errors: dict[int, list[int]] = {}
    for u in range(high + 1):
        by_errors.setdefault(sum(int(x > u) != y for x, y in records), []).append(u)
    worst_first = sorted(by_errors.items(), reverse=True)
    sums = list(accumulate(len(us) * math.exp(-rate * wrong) for wrong, us in worst_first))
    for gap in (0, 1, 2, None):
        runs = StreamedRuns(lambda: cls._streamed(sample), cls.size, gap)
        for level, (_, us) in enumerate(worst_first):
            before = sums[level - 1] if level else 0.0
            for share in (0.001, 0.5, 0.999):
                at = int((before + share * (sums[level] - before)) / sums[-1] * 2**64)
                for place in (0, len(us) - 1):
                    source = _Steps([at, place])
                    if runs.draw(rate, source) != us[place]:
                        return f"with {gap} levels another threshold is drawn"
                    if source.asked[-1] != (len(us) - 1).bit_length():
                        return f"with {gap} levels {source.asked[-1]} bits of a place are drawn"
    return None


class _Steps(BitSource):
    """Hands out integers, one for each request; zeros after them."""

    seeded = True

    def __init__(self, values: list[int]) -> None:
        self.values, self.asked = iter(values), [0]

    def _bits(self, k: int) -> int:
        self.asked.append(k)
        return next(self.values, 0)

    def _bytes(self, k: int) -> bytes:
        raise AssertionError("a choice asked for bytes")

    def public_rng(self) -> np.random.Generator:
        raise AssertionError("a private choice asked for public coins")


OF_SOURCE: dict[str, Detector] = {
    "counts beyond 64 bits": counts_beyond_64_bits,
    "seeds are named": seeds_are_named,
    "streamed thresholds": streamed_thresholds,
}
