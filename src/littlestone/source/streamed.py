"""The exponential mechanism over streamed runs: only the best levels are kept in memory.

Where nearly every point has a score of its own, there are as many levels as points. A draw needs
hardly any of them: what lies far below the best score weighs next to nothing. So a pass over the
runs keeps the levels near the best one, and bounds the weight of all others together, the *tail*;
a draw that the bound does not decide fetches the tail. The law is that of `LeveledChoice`. Proof:
``docs/leveled-choice.md``, Theorem 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil

import numpy as np
from flint import arb

from littlestone.source.leveled import (
    LN2,
    Integers,
    LeveledChoice,
    LevelWeights,
    ScoreRuns,
    exact_integers,
    levels_of,
)
from littlestone.source.sampler import Source
from littlestone.source.weights import Exp, TabulatedWeights, exp

#: The tail weighs at most 2**-96 of the best candidate, so that 64 bits of a draw decide.
_TAIL_BITS = 96
#: At most this many scores are near the best one: 32 MB. At a tiny rate the tail is heavier.
_WIDEST = 1 << 22
#: Levels of pieces are merged when so many have come together.
_PENDING = 1 << 20


@dataclass(frozen=True, eq=False, repr=False)
class StreamedRuns:
    """An integer score for every integer of a range, as runs that come in pieces.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> pieces = [ScoreRuns(np.array([0, 5]), 9, np.array([3, 1])),
    ...           ScoreRuns(np.array([9]), 2**40, np.array([-200]))]
    >>> StreamedRuns(lambda: iter(pieces), 2**40).draw(Fraction(1), SeededSource(0))
    3
    """

    pieces: Callable[[], Iterator[ScoreRuns]]
    size: int
    gap: int | None = None

    def draw(self, rate: Fraction, source: Source) -> int:
        """Return an integer with probability exactly proportional to ``e**(rate * score)``."""
        weights = self.weights(rate)
        score, total = weights.level(source.choose(weights))
        return self._member(score, source.below(total))

    def weights(self, rate: Fraction) -> StreamedWeights:
        """Return what is presented to the source: the levels, ascending."""
        return StreamedWeights(self, Fraction(rate))

    def together(self) -> LeveledChoice[int]:
        """Return the same choice with all runs in memory."""
        pieces = list(self.pieces())
        starts = [start for piece in pieces for start in piece.starts.tolist()]
        scores = np.concatenate([piece.scores for piece in pieces])
        lengths = np.concatenate([piece.lengths for piece in pieces])
        return LeveledChoice(scores, lengths, lambda run, place: int(starts[run]) + place)

    def levels(self, gap: int | None = None) -> tuple[Integers, Integers]:
        """Return the distinct scores, ascending, and how many integers have each; one pass."""
        kept: list[tuple[Integers, Integers]] = []
        pending, merged = 0, 0
        for runs in self.pieces():
            found = levels_of(runs.scores, runs.lengths)
            kept.append(found)
            pending += len(found[0])
            if pending > merged + _PENDING or gap is not None:
                kept = [_near(kept, gap)]
                pending = merged = len(kept[0][0])
        return _near(kept, gap)

    def _member(self, score: int, place: int) -> int:
        """Return the integer at a place among those of a score, in order."""
        for runs in self.pieces():
            groups = np.flatnonzero(runs.scores == score)
            ends = np.cumsum(runs.lengths[groups])
            inside = int(ends[-1]) if len(ends) else 0
            if place < inside:
                at = int(np.searchsorted(ends, place, side="right"))
                return int(runs.starts[groups[at]]) + place - (int(ends[at - 1]) if at else 0)
            place -= inside
        raise AssertionError("the pieces have changed between two passes")


class StreamedWeights(TabulatedWeights):
    """The weights of all levels, of which those near the best are known, and the tail is bounded.

    What is presented (`enclose`) are the weights of all levels; asking for them fetches the tail.
    """

    def __init__(self, runs: StreamedRuns, rate: Fraction) -> None:
        super().__init__()
        self._runs, self._rate = runs, rate
        gap = runs.gap
        if rate <= 0:
            gap = None  # the best score is not the heaviest one
        elif gap is None:
            needed = (_TAIL_BITS + runs.size.bit_length()) * LN2 / rate
            gap = min(ceil(needed), _WIDEST)
        scores, counts = runs.levels(gap)
        self.near = LevelWeights(counts, scores, rate)
        self.rest = runs.size - sum(counts.tolist())
        if not self.rest:
            self.all = self.near
        else:
            assert gap is not None
            tail = heaviest_tail(rate, int(scores[-1]) - gap - 1, self.rest)
            self._heaviest = LevelWeights(counts, scores, rate, tail)

    @cached_property
    def all(self) -> LevelWeights:
        """All levels; a pass, unless there is no tail."""
        scores, counts = self._runs.levels()
        return LevelWeights(counts, scores, self._rate)

    def together(self) -> LevelWeights:
        """Return the same weights with all runs in memory."""
        return self._runs.together().weights(self._rate)

    def __len__(self) -> int:
        return len(self.all)

    def enclose(self, bits: int) -> Sequence[arb]:
        """Return the enclosures of all levels."""
        return self.all.enclose(bits)

    def thresholds(self) -> tuple[tuple[int, int], ...]:
        """Return those of all levels."""
        return self.all.thresholds()

    def decide(self, u: int) -> int | None:
        """Return the outcome of every uniform in ``[u, u + 1) / 2**64``; None if there are two.

        While the tail is not known, outcomes count from the best level: it is -1.
        """
        if "all" in self.__dict__:
            return self.all.decide(u)
        # The true tail weighs between nothing and the heaviest one (Theorem 3).
        least, most = self.near.decide(u), self._heaviest.decide(u)
        if least is None or most is None or most != least + 1:
            return None
        return least - len(self.near)

    def level(self, outcome: int) -> tuple[int, int]:
        """Return the score of an outcome, and how many candidates have it."""
        levels = self.near if outcome < 0 else self.all
        return int(levels.scores[outcome]), int(levels.counts[outcome])


def heaviest_tail(rate: Fraction, score: int, candidates: int) -> Exp:
    """Return the most that candidates with at most this score weigh together, at a rate > 0."""
    return exp(rate * score, times=candidates)


def _near(kept: list[tuple[Integers, Integers]], gap: int | None) -> tuple[Integers, Integers]:
    """Merge levels, and leave out those that are too far below the best one."""
    scores = np.concatenate([scores for scores, _ in kept])
    counts = np.concatenate([counts for _, counts in kept])
    if gap is not None and len(scores):
        close = scores >= int(scores.max()) - gap
        scores, counts = scores[close], counts[close]
    return levels_of(scores, exact_integers(counts))
