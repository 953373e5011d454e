"""Checks of votes: one record changes one list, and a list counts a hypothesis once.

Paper 003's draw is private when one *list* is replaced. So a teacher's list (a copy's submission)
must be a function of that teacher's records: of no other record, of nothing that another search
remembers; and a search that is given up is an empty list, not an error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.classes import FiniteClass, Points
from littlestone.data.sample import OrderedSample
from littlestone.errors import SearchLimitError
from littlestone.learners.littlestone import Littlestone
from littlestone.learners.littlestone.learner import teachers_lists
from littlestone.learners.littlestone.teachers import parts
from littlestone.source import SeededSource

from .base import Detector, Records, learned

if TYPE_CHECKING:
    from littlestone.classes import VersionSpace

__all__ = ["OF_VOTES"]

F = Fraction
_SINGLES = FiniteClass([[0, 0], [1, 0], [0, 1]])
_BUDGET: dict[str, Any] = {"epsilon": 1, "delta": F(1, 100), "alpha": F(1, 3), "beta": F(1, 3)}


def stages() -> str | None:
    """Try votes around the threshold of a stage: whether it passes is tested with noise.

    Eight teachers; at six votes a stage passes, and six votes are far above what bottom hides. A
    test without noise makes the default impossible for one data set, and sure for its neighbour.
    """
    budget = _BUDGET | {"epsilon": 6, "delta": F(1, 4)}
    learner = Littlestone(Points(), **budget, method="stages", chunk=1, tolerances=(0, 0))
    settings: Any = learner.plan.settings
    enough = settings.threshold(8)
    pairs = []
    for votes in (enough - 1, enough):
        rest = [("a", 1)] * votes + [("b", 1)] * (7 - votes)
        pairs.append(([*rest, ("a", 1)], [*rest, ("b", 1)]))
    return learned(learner, pairs, cut=F(1, 2**20))


# --- searches ------------------------------------------------------------------------------------


def _class(columns: int, rows: list[int]) -> FiniteClass:
    return FiniteClass([[row >> (columns - 1 - x) & 1 for x in range(columns)] for row in rows])


#: For lists of essential hypotheses: 6 nodes after (0, 0); after (7, 0) 7 nodes, or remembering 6.
_LISTS = _class(
    8,
    [4, 8, 39, 44, 47, 72, 75, 81, 85, 86, 99, 100, 108, 110, 113, 115, 124, 130, 141, 142,
     149, 152, 160, 200, 210, 220, 221, 222, 226],
)  # fmt: skip


@dataclass(frozen=True)
class _Search:
    """A learner whose search is easy after one record, and given up after another.

    Attributes
    ----------
    learner : Algorithm
    easy, hard : record
    other : record
        What is found after it does not help after ``hard``; it may be the same.
    rest : tuple of records
        Among which ``easy`` and ``other`` are told apart, if the hard searches share a memory.
    ask : callable
        The search in a version space.
    compare : callable
        Says what is wrong with the learner on pairs of neighbours.
    """

    learner: Any
    easy: tuple[int, int]
    hard: tuple[int, int]
    other: tuple[int, int]
    rest: tuple[tuple[int, int], ...]
    ask: Callable[[VersionSpace], object]
    compare: Callable[[Any, Any], str | None] = learned

    def given_up(self, space: VersionSpace, record: tuple[int, int]) -> bool:
        """Return whether the search in what a record leaves of a space exceeds its budget."""
        try:
            self.ask(space.restrict(*record))
        except SearchLimitError:
            return True
        return False

    @property
    def is_as_described(self) -> bool:
        """Whether the hard search is given up, unless the easy one is remembered."""
        space = self.learner.concept_class.version_space(self.learner.max_nodes)
        alone = self.given_up(space.fresh(), self.hard)
        return alone and not (self.given_up(space, self.easy) or self.given_up(space, self.hard))


def _counted(learner: Any, pairs: list[tuple[Records, Records]]) -> str | None:
    """Check that one record moves every count of votes by one at most."""
    for pair in pairs:
        counts = []
        for data in pair:
            sample = OrderedSample.listed([x for x, _ in data], [y for _, y in data])
            lists = teachers_lists(learner.concept_class, learner.plan, learner.max_nodes)
            try:
                votes: Any = lists.votes(parts(sample, SeededSource(0), 1), 1)
            except Exception as refusal:
                return f"refused: {type(refusal).__name__}"
            counts.append(votes.counts)
        one, other = counts
        if any(abs(one[h] - other[h]) > 1 for h in one | other):
            return "one record moves several votes"
    return None


def _searches() -> list[_Search]:
    lists = Littlestone(_LISTS, **_BUDGET, method="stages", chunk=1, tolerances=(0,), max_nodes=6)
    plan: Any = lists.plan.settings
    return [
        _Search(
            lists, (0, 0), (7, 0), (7, 0), ((7, 0),) * 45,
            lambda space: space.essential(plan.p(1), plan.oracles.d), _counted,
        ),
    ]  # fmt: skip


def searches_given_up() -> str | None:
    """Try one record whose search is given up among many easy ones: nobody may notice.

    Neither by an error, nor by more than the one list that is empty.
    """
    for search in _searches():
        if not search.is_as_described:
            return "no search is given up any more, so this check says nothing"
        many = [search.easy] * 45
        found = search.compare(search.learner, [([search.easy, *many], [search.hard, *many])])
        if found:
            return f"{search.learner.name}: {found}"
    return None


def searches_that_remember() -> str | None:
    """Try one easy record before hard ones, which are given up unless it is remembered.

    If teachers or copies shared what their searches found, one record would decide several lists.
    """
    for search in _searches():
        if not search.is_as_described:
            return "nothing is worth remembering any more, so this check says nothing"
        pair = ([search.easy, *search.rest], [search.other, *search.rest])
        found = search.compare(search.learner, [pair])
        if found:
            return f"{search.learner.name}: {found}"
    return None


OF_VOTES: dict[str, Detector] = {
    "stages": stages,
    "searches that are given up": searches_given_up,
    "searches that remember": searches_that_remember,
}
