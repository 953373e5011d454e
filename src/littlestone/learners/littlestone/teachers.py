"""Teachers: disjoint parts of the records, and the list that each of them submits.

A list is a function of its own teacher's records and of public numbers, nothing else: every search
starts fresh, a search that exceeds its node budget submits the empty list, and a list that is too
long is cut in one public order. So replacing one record replaces one list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from littlestone.classes.base import Closures
from littlestone.data.domains import canonical, canonical_order
from littlestone.data.sample import part, shuffle, written_out
from littlestone.mechanisms.select import canonical_key, ordered, removal_bottom
from littlestone.source import LeveledChoice

if TYPE_CHECKING:
    from littlestone.data import Sample
    from littlestone.source import Source
    from littlestone.types import Hypothesis


#: Most closed sets inside one concept: a teacher may have to look at all of them.
MOST_CLOSED = 1 << 14
#: The records of one teacher, and how many teachers have exactly these.
Part = tuple["Sample", int]


def parts(sample: Sample, source: Source, chunk: int) -> list[Part]:
    """Return the records of each teacher: a secret shuffle of ``chunk`` records to each.

    The records that are left over, fewer than ``chunk``, go to no teacher; with fewer than
    ``chunk`` in all there is one teacher. Teachers of one record each are counted, not split.
    """
    if chunk == 1:
        kinds: Any
        kinds, counts = np.unique(written_out(sample), return_counts=True)
        pairs = zip(kinds, counts.tolist(), strict=True)
        return [(part(sample, np.array([kind])), times) for kind, times in pairs]
    shuffled = shuffle(sample, source)
    teachers = max(1, sample.n // chunk)
    return [(part(sample, shuffled[i * chunk : (i + 1) * chunk]), 1) for i in range(teachers)]


def closed_within(
    system: Closures, sample: Sample, tolerance: int, max_nodes: int
) -> list[Hypothesis]:
    """Return the closures of positive records with at most ``tolerance`` errors on a sample.

    Notes
    -----
    A set G of at most ``tolerance`` errors that contains a smaller closed set F contains one of the
    first ``tolerance + 1`` positive records outside F (with multiplicity): only those are joined to
    F. So the search visits few closed sets if the sample is labelled by a concept.

    Examples
    --------
    >>> from littlestone.classes import SparseSets, closures
    >>> from littlestone.data import Sample
    >>> data = Sample.of(["a", "a", "a", "b", "c"], [1, 1, 1, 1, 0])
    >>> found = closed_within(closures(SparseSets(2)), data, tolerance=1, max_nodes=100)
    >>> sorted(h.describe() for h in found)
    ["1 if x = 'a', otherwise 0", "1 on the points 'a', 'b', otherwise 0"]
    """
    rows = sample.points.tolist()
    points = [canonical(tuple(x) if isinstance(x, list) else x) for x in rows]
    ones, zeros = sample.ones, sample.zeros
    order = sorted(
        np.flatnonzero(ones).tolist(), key=lambda i: (-int(ones[i]), canonical_order(points[i]))
    )
    missed_anyway = int(sample.outside[1])
    total = int(ones.sum()) + missed_anyway
    waiting, met = [system.bottom], {system.bottom}
    found: list[Hypothesis] = []
    while waiting:
        if len(met) > max_nodes:
            return []  # a fixed answer: never a part of the list
        closed = waiting.pop()
        holds = closed.predict(sample.points) == 1 if points else np.zeros(0, dtype=bool)
        wrong = int(zeros[holds].sum())
        if wrong > tolerance:
            continue  # so are all larger sets
        if wrong + total - int(ones[holds].sum()) <= tolerance:
            found.append(closed)
        passed = missed_anyway
        for i in order:
            if passed > tolerance:
                break
            if not holds[i]:
                passed += int(ones[i])
                wider = system.join(closed, points[i])
                if wider is not None and wider not in met:
                    met.add(wider)
                    waiting.append(wider)
    return found


@dataclass(frozen=True)
class ClosedLists:
    """Closed sets of low error."""

    system: Closures
    tolerance: int
    cap: int
    max_nodes: int

    def votes(self, teachers: Sequence[Part]) -> Votes:
        """Return the votes of all teachers."""
        return Votes((self.submit(records), weight) for records, weight in teachers)

    def submit(self, records: Sample) -> list[Hypothesis]:
        """Return the list of one teacher."""
        return _cut(closed_within(self.system, records, self.tolerance, self.max_nodes), self.cap)


def _cut(hypotheses: list[Hypothesis], cap: int) -> list[Hypothesis]:
    """Return the first ones in the public order, if there are too many."""
    if len(hypotheses) <= cap:
        return hypotheses
    return ordered(set(hypotheses), canonical_key)[:cap]


# -- how many teachers list each hypothesis; the draw ---------------------------------------------

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
