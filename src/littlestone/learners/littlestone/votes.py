"""Counting how many teachers list each hypothesis, and drawing one of them privately."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from littlestone.mechanisms.bottom import removal_bottom
from littlestone.mechanisms.canonical import canonical_key, ordered
from littlestone.source import LeveledChoice

if TYPE_CHECKING:
    from littlestone.source import Source
    from littlestone.types import Hypothesis


D = TypeVar("D")


class Votes:
    """How many teachers list each hypothesis.

    Examples
    --------
    >>> from littlestone.classes import AlwaysZero, PointHypothesis
    >>> votes = Votes([((AlwaysZero(),), 2), ((AlwaysZero(), PointHypothesis(5)), 1)])
    >>> votes.best, dict(votes.sizes), votes.member(1, 0)
    (3, {3: 1, 1: 1}, PointHypothesis(point=5))
    """

    def __init__(self, lists: Iterable[tuple[Iterable[Hypothesis], int]]) -> None:
        self.counts: Counter[Hypothesis] = Counter()
        for hypotheses, weight in lists:
            for hypothesis in set(hypotheses):
                self.counts[hypothesis] += weight

    @property
    def best(self) -> int:
        """The largest number of votes; one list moves it by at most 1."""
        return max(self.sizes, default=0)

    @property
    def sizes(self) -> Mapping[int, int]:
        """Number of hypotheses for each number of votes."""
        return Counter(self.counts.values())

    def member(self, votes: int, index: int) -> Hypothesis:
        """Return a hypothesis by its place in the canonical order."""
        found = [h for h, count in self.counts.items() if count == votes]
        return ordered(found, canonical_key)[index]  # type: ignore[no-any-return]


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
