"""JointTrain (paper 003, Algorithm 4): what the mistakes of all epochs say, as draws.

Two samplers draw hypotheses from the same kind of list, the records that were mistakes, epoch after
epoch:

* `ExponentialSampler`, for classes whose candidates can be scored: every mistake is a teacher of
  its own, and votes for all concepts that agree with it. A hypothesis is drawn by the exponential
  mechanism.
* `TeacherEnsemble`, for the others (points or sparse sets over an infinite domain): k teachers, to
  which time steps were dealt beforehand. Each lists its essential hypotheses, and one is drawn by
  the sparse mechanism, or bottom.

Either way a record is in the hands of one teacher. Replacing it changes what this teacher says, and
nothing else: which time step belongs to whom was decided without looking at any record, and how
many mistakes an epoch has changes no other teacher's part. (Splitting an epoch's mistakes into
parts of equal size, as Lyu's Algorithm 3 prints it, changes two or more.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Protocol

from littlestone.classes.thresholds import ThresholdList
from littlestone.errors import SearchLimitError, UnsupportedError
from littlestone.learners.online.records import Record, sample_of
from littlestone.mechanisms.bottom import removal_bottom
from littlestone.mechanisms.canonical import canonical_key, ordered
from littlestone.mechanisms.sparse_select import count_lists
from littlestone.source import Exp, LeveledChoice, Source, exp, public_generator

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.types import Hypothesis

__all__ = ["ExponentialSampler", "HypothesisSampler", "Stage", "Tally", "TeacherEnsemble"]

Epochs = Sequence[Sequence[Record]]


class HypothesisSampler(Protocol):
    """Draws hypotheses from the mistakes of all epochs."""

    @property
    def stages(self) -> int:
        """How many stages there are, one after the other."""

    def draw(
        self, epochs: Epochs, stage: int, draws: int, deal: int, source: Source
    ) -> list[Hypothesis | None]:
        """Return independent draws; None is bottom."""

    def prior(self, draws: int, source: Source) -> list[Hypothesis]:
        """Return draws that no record had a part in (the source may be public)."""


@dataclass(frozen=True)
class ExponentialSampler:
    """Every mistake is a teacher; candidates are scored by how many mistakes they explain.

    Guarantee
    ---------
    Each draw is ``2 * rate``-bounded range when one record is replaced, added or removed.
    """

    concept_class: ConceptClass
    rate: Fraction

    stages = 1

    def draw(
        self, epochs: Epochs, stage: int, draws: int, deal: int, source: Source
    ) -> list[Hypothesis | None]:
        """Return draws with probability proportional to e**(-rate * errors)."""
        records = [record for epoch in epochs for record in epoch]
        choice = self.concept_class.candidates(sample_of(records, self.concept_class))
        return [choice.draw(self.rate, source) for _ in range(draws)]

    def prior(self, draws: int, source: Source) -> list[Hypothesis]:
        """Return draws from the whole class."""
        choice = self.concept_class.candidates(sample_of([], self.concept_class))
        return [choice.draw(self.rate, source) for _ in range(draws)]


@dataclass(frozen=True)
class Stage:
    """What a teacher does at one stage.

    Attributes
    ----------
    dimension : int or None
        A teacher whose version space has another decomposition dimension submits nothing; None:
        every teacher submits (what Lyu prints; his Claim 6.4 fails then).
    depth : int
        The p of the (p, d)-decomposition.
    tolerance : Fraction in [0, 1)
        Concepts may err on so large a part of each epoch's records of the teacher.
    """

    dimension: int | None
    depth: int
    tolerance: Fraction


@dataclass(frozen=True)
class TeacherEnsemble:
    """Some teachers, each with the mistakes of the time steps that were dealt to it.

    Attributes
    ----------
    concept_class : ConceptClass
    n_teachers : int
    plan : tuple of Stage
    dimension : int
        Littlestone dimension of the class: the d of its decompositions.
    cap : int
        A teacher looks at its first so many records of an epoch.
    most : int
        A teacher submits at most so many hypotheses, the first ones in the public order.
    rate, leak : Fraction
        Of one draw.

    Guarantee
    ---------
    Each draw is (2 * rate, leak)-DP when one record is replaced, added or removed: the parts of
    `sparse_losses`.
    """

    concept_class: ConceptClass
    n_teachers: int
    plan: tuple[Stage, ...]
    dimension: int
    cap: int
    most: int
    rate: Fraction
    leak: Fraction

    @property
    def stages(self) -> int:
        """How many stages there are."""
        return len(self.plan)

    def teacher(self, deal: int, time: int) -> int:
        """Return who gets the record of a time step: public coins, not the record's."""
        return int(public_generator(deal, time).integers(self.n_teachers))

    def draw(
        self, epochs: Epochs, stage: int, draws: int, deal: int, source: Source
    ) -> list[Hypothesis | None]:
        """Return draws with weights e**(rate * number of teachers who list it), and bottom's."""
        lists = self.lists(epochs, stage, deal)
        bottom = removal_bottom(k=self.most, epsilon=2 * self.rate, delta=self.leak)
        tally = Tally(lists, most=self.most, rate=self.rate, bottom=bottom)
        return [tally.draw(source) for _ in range(draws)]

    def prior(self, draws: int, source: Source) -> list[Hypothesis]:
        """Return draws from the list that a teacher without records submits."""
        tally = Tally(
            [self.submit([], self.plan[0])], most=self.most, rate=self.rate, bottom=exp(0, times=0)
        )
        drawn = [tally.draw(source) for _ in range(draws)]
        return [h for h in drawn if h is not None]

    def lists(self, epochs: Epochs, stage: int, deal: int) -> list[Sequence[Hypothesis]]:
        """Return what each teacher submits (not private)."""
        dealt: list[list[list[Record]]] = [[] for _ in range(self.n_teachers)]
        for epoch in epochs:
            for parts in dealt:
                parts.append([])
            for record in epoch:
                dealt[self.teacher(deal, record[0])][-1].append(record)
        return [self.submit(parts, self.plan[stage]) for parts in dealt]

    def submit(self, parts: Epochs, stage: Stage) -> Sequence[Hypothesis]:
        """Return the essential hypotheses of one teacher, from its records of each epoch alone.

        A refused search is a function of this teacher's records too: it submits nothing then.
        """
        space = self.concept_class.version_space().fresh()
        try:
            for part in parts:  # Algorithm 4, DefineClass: few errors in *each* epoch
                first = part[: self.cap]
                if first:
                    tolerance = int(stage.tolerance * len(first))
                    space = space.within_error(sample_of(first, self.concept_class), tolerance)
            if stage.dimension is not None:
                found = space.decomposition_dim(stage.depth, self.dimension)
                if found != stage.dimension:
                    return ()
            return space.essential(stage.depth, self.dimension)  # Algorithm 4, line 5
        except (SearchLimitError, UnsupportedError):
            return ()


class Tally:
    """Hypotheses with the number of lists they are in, ready for many draws.

    Parameters
    ----------
    lists : sequence of sequences of Hypothesis
        Each of them a set; a lazy list of thresholds is not walked through.
    most : int
        Only the first so many of each list count.
    rate : Fraction
    bottom : Exp
        The weight of bottom.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.source import ReplaySource
    >>> space = Thresholds(1, 2**32).version_space()
    >>> tally = Tally([space.restrict(9, 1).essential(2, 33), space.essential(2, 33)],
    ...               most=2**33, rate=Fraction(1), bottom=exp(0))
    >>> tally.draw(ReplaySource([2, 8])), tally.draw(ReplaySource([1, 0])).above
    (ThresholdHypothesis(above=8, low=1, high=4294967296), 9)
    """

    def __init__(
        self,
        lists: Sequence[Sequence[Hypothesis]],
        *,
        most: int,
        rate: Fraction,
        bottom: Exp,
    ) -> None:
        runs = [found for found in lists if isinstance(found, ThresholdList)]
        others = [found for found in lists if not isinstance(found, ThresholdList)]
        counts = count_lists(others, cap=most)
        #: (score, number of hypotheses, the first one or the run)
        pieces: list[tuple[int, int, Any]] = [
            *((counts[h], 1, h) for h in ordered(counts, canonical_key)),
            *_threshold_pieces(runs, most),
        ]
        self._choice: LeveledChoice[Hypothesis | None] = LeveledChoice(
            [score for score, _, _ in pieces],
            [size for _, size, _ in pieces],
            lambda piece, place: _member(pieces[piece][2], place),
            bottom,
        )
        self.rate = rate

    def draw(self, source: Source) -> Hypothesis | None:
        """Return a hypothesis, or None for bottom: first the number of lists, then which one."""
        return self._choice.draw(self.rate, source)


def _threshold_pieces(lists: Sequence[ThresholdList], most: int) -> list[tuple[int, int, Any]]:
    """Return runs of thresholds that are in equally many lists, by one sweep over their ends."""
    changes: Counter[int] = Counter()
    for found in lists:
        room = most
        for first, last in found.space.runs:
            end = min(last + 1, first + room)
            changes[first] += 1
            changes[end] -= 1
            room -= end - first
            if not room:
                break
    ends = sorted(changes)
    scores = accumulate(changes[end] for end in ends)
    named = lists[0].space.named if lists else None
    return [
        (score, high - low, (named, low))
        for score, (low, high) in zip(scores, pairwise(ends), strict=False)
        if score
    ]


def _member(what: Any, rank: int) -> Hypothesis:
    if isinstance(what, tuple):
        named, first = what
        return named(first + rank)  # type: ignore[no-any-return]
    return what  # type: ignore[no-any-return]
