"""What the algorithms need, certified and in simulation: the rows of needed.csv.

``experiments/papers_needed.py`` writes it, a test certifies each row again; docs/papers.md and
``littlestone papers`` show it.
"""

from __future__ import annotations

import csv
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from littlestone.classes import parse_class
from littlestone.papers import make, page

if TYPE_CHECKING:
    from littlestone.papers.adaptor import PaperLearner

NEEDED = Path(__file__).with_name("needed.csv")


class Needed(NamedTuple):
    """One algorithm with parameters; epsilon = 1, delta = 1e-6, alpha = beta = 1/10."""

    row: str  # a name of the list, and what tells it from others of that name
    concept_class: str
    samples_per_user: int | None
    certified_with: str  # as --set has it, separated by blanks; "" is as printed
    certified: int | None  # records or users
    simulated_with: str
    simulated: int | None  # the least n of a grid whose failures are within beta
    worst: str  # distribution
    failures: int | None  # of 200 runs at this n, on the worst distribution

    @property
    def name(self) -> str:
        """The algorithm's name on the list."""
        return self.row.partition(",")[0]


@lru_cache(maxsize=1)
def needed() -> tuple[Needed, ...]:
    """Return all rows, in the order of the papers.

    Examples
    --------
    >>> print(*sorted({row.name for row in needed()} & {"lyu.theorem3", "alon.corollary4"}))
    alon.corollary4 lyu.theorem3
    """
    counts = {2, 4, 6, 8}
    with NEEDED.open(encoding="utf-8") as file:
        _, *lines = csv.reader(file)
    return tuple(
        Needed(*((int(cell) if cell else None) if i in counts else cell
                 for i, cell in enumerate(line)))  # type: ignore[arg-type]
        for line in lines
    )  # fmt: skip


def within_goal(row: Needed, settings: str) -> PaperLearner:
    """Return the learner of a row, with its ``certified_with`` or its ``simulated_with``."""
    goal: dict[str, Any] = {"epsilon": 1, "alpha": "1/10", "beta": "1/10"}
    if not page(row.name).PURE:
        goal["delta"] = "1e-6"
    if row.samples_per_user is not None:
        goal["samples_per_user"] = row.samples_per_user
    return make(row.name, parse_class(row.concept_class), settings=settings.split(), **goal)
