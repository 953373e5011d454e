"""Counting how many teachers list each hypothesis, and drawing one of them privately.

Three forms of lists need three forms of counts: hypotheses one by one, runs of thresholds (of any
length), and rows of a matrix. All of them are drawn from in the same way, score by score.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from littlestone.mechanisms.bottom import removal_bottom
from littlestone.mechanisms.canonical import canonical_key, ordered
from littlestone.source import LeveledChoice

if TYPE_CHECKING:
    from littlestone.source import Source
    from littlestone.types import Hypothesis


D = TypeVar("D")

#: First and last threshold of a run.
Run = tuple[int, int]


class Votes(ABC):
    """How many teachers list each hypothesis; hypotheses without a vote are left out."""

    @property
    @abstractmethod
    def sizes(self) -> Mapping[int, int]:
        """Number of hypotheses for each number of votes, from 1 on."""

    @abstractmethod
    def member(self, votes: int, index: int) -> Hypothesis:
        """Return one of the hypotheses with that many votes, by its place in a public order."""

    @property
    def best(self) -> int:
        """The largest number of votes; one list moves it by at most 1."""
        return max(self.sizes, default=0)


class ListVotes(Votes):
    """Votes of lists of hypotheses.

    ``lists``: ``weight`` teachers have this list; a repeated hypothesis counts once.

    Examples
    --------
    >>> from littlestone.classes import AlwaysZero, PointHypothesis
    >>> votes = ListVotes([((AlwaysZero(),), 2), ((AlwaysZero(), PointHypothesis(5)), 1)])
    >>> votes.best, dict(votes.sizes), votes.member(1, 0)
    (3, {3: 1, 1: 1}, PointHypothesis(point=5))
    """

    def __init__(self, lists: Iterable[tuple[Iterable[Hypothesis], int]]) -> None:
        self.counts: Counter[Hypothesis] = Counter()
        for hypotheses, weight in lists:
            for hypothesis in set(hypotheses):
                self.counts[hypothesis] += weight

    @property
    def sizes(self) -> Mapping[int, int]:
        """Number of hypotheses for each number of votes."""
        return Counter(self.counts.values())

    def member(self, votes: int, index: int) -> Hypothesis:
        """Return a hypothesis by its place in the canonical order."""
        found = [h for h, count in self.counts.items() if count == votes]
        return ordered(found, canonical_key)[index]  # type: ignore[no-any-return]


class RunVotes(Votes):
    """Votes of lists of runs of thresholds.

    ``lists``: the runs of one list are disjoint; ``name``: turns a threshold into a hypothesis.

    Examples
    --------
    >>> votes = RunVotes([(((0, 9),), 1), (((4, 2**100),), 1)], name=str)
    >>> dict(votes.sizes) == {1: 4 + 2**100 - 9, 2: 6}, votes.member(2, 0), votes.member(1, 4)
    (True, '4', '10')
    """

    def __init__(
        self, lists: Iterable[tuple[Iterable[Run], int]], name: Callable[[int], Any]
    ) -> None:
        self._name = name
        steps: Counter[int] = Counter()
        for runs, weight in lists:
            for first, last in runs:
                steps[first] += weight
                steps[last + 1] -= weight
        self.segments: list[tuple[int, int, int]] = []  # first, length, votes; increasing
        votes, start = 0, 0
        for at in sorted(steps):
            if votes:
                self.segments.append((start, at - start, votes))
            votes, start = votes + steps[at], at

    @property
    def sizes(self) -> Mapping[int, int]:
        """Number of thresholds for each number of votes."""
        out: Counter[int] = Counter()
        for _, length, votes in self.segments:
            out[votes] += length
        return out

    def member(self, votes: int, index: int) -> Hypothesis:
        """Return a threshold by its place in increasing order."""
        for first, length, here in self.segments:
            if here == votes:
                if index < length:
                    return self._name(first + index)  # type: ignore[no-any-return]
                index -= length
        raise IndexError(index)


class RowVotes(Votes):
    """Votes of lists of rows of a matrix.

    ``name``: turns the number of a row into a hypothesis.
    """

    def __init__(self, counts: npt.NDArray[np.int64], name: Callable[[int], Hypothesis]) -> None:
        self.counts, self._name = counts, name

    @property
    def sizes(self) -> Mapping[int, int]:
        """Number of rows for each number of votes."""
        found, times = np.unique(self.counts[self.counts > 0], return_counts=True)
        return dict(zip(found.tolist(), times.tolist(), strict=True))

    def member(self, votes: int, index: int) -> Hypothesis:
        """Return a row by its place."""
        return self._name(int(np.flatnonzero(self.counts == votes)[index]))


def draw(
    votes: Votes, *, cap: int, epsilon: Fraction, delta: Fraction, source: Source, default: D
) -> Hypothesis | D:
    """Return a hypothesis with weight ``e**(epsilon/2 * votes)``, or the default.

    Notes
    -----
    *Guarantee.* (epsilon, delta)-DP when one list is replaced: the law of
    `littlestone.mechanisms.sparse_select_lists`, for lists too long to be written out (paper 003,
    Algorithm 1, PrivateSample).
    """
    sizes = votes.sizes
    levels = sorted(sizes)
    bottom = removal_bottom(k=cap, epsilon=epsilon, delta=delta)
    choice = LeveledChoice(
        levels,
        [sizes[level] for level in levels],
        lambda level, place: votes.member(levels[level], place),
        bottom,
    )
    drawn = choice.draw(epsilon / 2, source)  # a replaced list is one removed and one added
    return default if drawn is None else drawn


def shortened(runs: Iterable[Run], cap: int) -> tuple[Run, ...]:
    """Return the first ``cap`` thresholds of a list of runs, which may overlap.

    Examples
    --------
    >>> shortened([(5, 9), (0, 1), (7, 30)], cap=10)
    ((0, 1), (5, 12))
    """
    out: list[Run] = []
    for first, last in sorted(runs):
        if out and first <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(out[-1][1], last))
        else:
            out.append((first, last))
    kept: list[Run] = []
    for first, last in out:
        if cap <= 0:
            break
        kept.append((first, min(last, first + cap - 1)))
        cap -= last - first + 1
    return tuple(kept)
