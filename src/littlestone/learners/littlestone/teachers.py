"""Teachers: disjoint parts of the records, and the list that each of them submits.

A list is a function of its own teacher's records and of public numbers, nothing else: every search
starts fresh, a search that exceeds its node budget submits the empty list, and a list that is too
long is cut in one public order. So replacing one record replaces one list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from littlestone.classes import ConceptClass, Intervals, Thresholds
from littlestone.classes.listed import ListedSpace, Listing, listing
from littlestone.classes.oracles import Closures
from littlestone.classes.thresholds import ThresholdList, ThresholdSpace
from littlestone.data.dealing import deal, part, written_out
from littlestone.errors import SearchLimitError, UnsupportedError
from littlestone.learners.littlestone.closures import closed_within
from littlestone.learners.littlestone.interval_votes import IntervalVotes
from littlestone.learners.littlestone.votes import (
    ListVotes,
    RowVotes,
    Run,
    RunVotes,
    Votes,
    shortened,
)
from littlestone.mechanisms.canonical import canonical_key, ordered

if TYPE_CHECKING:
    from littlestone.classes import VersionSpace
    from littlestone.data import Sample
    from littlestone.source import Source
    from littlestone.types import Hypothesis


#: Classes whose concepts of low error are counted without a list.
COUNTED = (Thresholds, Intervals)
#: The records of one teacher, and how many teachers have exactly these.
Part = tuple["Sample", int]


def parts(sample: Sample, source: Source, chunk: int) -> list[Part]:
    """Return the records of each teacher: a secret deal of ``chunk`` records to each.

    The records that are left over, fewer than ``chunk``, go to no teacher; with fewer than
    ``chunk`` in all there is one teacher. Teachers of one record each are counted, not dealt.
    """
    if chunk == 1:
        kinds: Any
        kinds, counts = np.unique(written_out(sample), return_counts=True)
        pairs = zip(kinds, counts.tolist(), strict=True)
        return [(part(sample, np.array([kind])), times) for kind, times in pairs]
    dealt = deal(sample, source)
    teachers = max(1, sample.n // chunk)
    return [(part(sample, dealt[i * chunk : (i + 1) * chunk]), 1) for i in range(teachers)]


class Lists(Protocol):
    """A way to turn each teacher's records into a list, and all lists into votes."""

    def votes(self, teachers: Sequence[Part], stage: int | None = None) -> Votes:
        """Return the votes for one stage (counted from 1), or for the union of all stages."""


@dataclass(frozen=True)
class ClosedLists:
    """Closed sets of low error (one stage)."""

    system: Closures
    tolerance: int
    cap: int
    max_nodes: int

    def votes(self, teachers: Sequence[Part], stage: int | None = None) -> Votes:
        """Return the votes of all teachers."""
        return ListVotes((self.submit(records), weight) for records, weight in teachers)

    def submit(self, records: Sample) -> list[Hypothesis]:
        """Return the list of one teacher."""
        nodes = max(self.max_nodes, self.system.closed)
        return _cut(closed_within(self.system, records, self.tolerance, nodes), self.cap)


class AllLists:
    """All concepts of low error (one stage): of a class that can be listed, and of some others."""

    def __init__(self, concept_class: ConceptClass, tolerance: int) -> None:
        self.concept_class, self.tolerance = concept_class, tolerance
        self.space: Any = None
        if isinstance(concept_class, COUNTED):
            self.space = concept_class.version_space()
        else:
            self.listed = listed_class(concept_class)

    @property
    def first(self) -> Hypothesis:
        """The first concept of the public order."""
        return self._name(0) if self.space is None else self.space.member()

    def votes(self, teachers: Sequence[Part], stage: int | None = None) -> Votes:
        """Return the votes of all teachers."""
        if isinstance(self.concept_class, Intervals):
            return IntervalVotes(self.concept_class, teachers, self.tolerance)
        if self.space is not None:
            space: ThresholdSpace = self.space
            runs = ((space.within_error(r, self.tolerance).runs, weight) for r, weight in teachers)
            return RunVotes(runs, space.named)
        counts = np.zeros(self.listed.kernel.matrix.n_hypotheses, dtype=np.int64)
        for records, weight in teachers:
            counts[self._rows(records)] += weight
        return RowVotes(counts, self._name)

    def _rows(self, records: Sample) -> Any:
        space = ListedSpace.of(self.listed).within_error(records, self.tolerance)
        return self.listed.kernel.members(space.rows)

    def _name(self, row: int) -> Hypothesis:
        return self.listed.hypothesis(self.listed.kernel.matrix.rows[row])


@dataclass(frozen=True)
class EssentialLists:
    """Essential hypotheses of low-error classes, stage by stage (003, Theorem 3)."""

    space: VersionSpace  # of the whole class
    d: int  # its Littlestone dimension: public, never that of a part
    tolerances: tuple[int, ...]  # for each stage: most errors, p_j, and length of the longest list
    p: tuple[int, ...]
    longest: tuple[int, ...]

    def votes(self, teachers: Sequence[Part], stage: int | None = None) -> Votes:
        """Return the votes for one stage, or for the union of all stages."""
        stages = range(1, len(self.tolerances) + 1) if stage is None else [stage]
        cap = sum(self.longest[j - 1] for j in stages)
        if isinstance(self.space, ThresholdSpace):
            runs = (
                (shortened([run for j in stages for run in self._runs(records, j)], cap), weight)
                for records, weight in teachers
            )
            return RunVotes(runs, self.space.named)
        lists = (
            ([h for j in stages for h in self.submit(records, j)], weight)
            for records, weight in teachers
        )
        return ListVotes(lists)

    def submit(self, records: Sample, stage: int) -> list[Hypothesis]:
        """Return one teacher's list of one stage; empty if it is too hard to find."""
        return _cut(list(self._essential(records, stage)), self.longest[stage - 1])

    def _runs(self, records: Sample, stage: int) -> tuple[Run, ...]:
        found = self._essential(records, stage)
        if isinstance(found, ThresholdList):
            return shortened(found.space.runs, self.longest[stage - 1])
        return tuple((h.above, h.above) for h in found)  # type: ignore[attr-defined]

    def _essential(self, records: Sample, stage: int) -> Sequence[Hypothesis]:
        """Return the (p_j, d)-essential hypotheses of H_i^j: of the concepts with few errors."""
        # Whether a search is given up may depend on what it remembers: each one starts fresh.
        space = self.space.fresh()
        try:
            low = space.within_error(records, self.tolerances[stage - 1])  # H_i^j
            return low.essential(self.p[stage - 1], self.d)  # f_v^(i, j)
        except (SearchLimitError, UnsupportedError):
            return ()  # a fixed answer: never a part of the list, never an error


@lru_cache(maxsize=16)
def listed_class(concept_class: ConceptClass) -> Listing:
    """Return a class as a matrix; only for questions without search, which remember nothing."""
    return listing(concept_class, None)


def _cut(hypotheses: list[Hypothesis], cap: int) -> list[Hypothesis]:
    """Return the first ones in the public order, if there are too many."""
    if len(hypotheses) <= cap:
        return hypotheses
    return ordered(set(hypotheses), canonical_key)[:cap]
