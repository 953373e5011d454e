"""Means over seeds, and who is first."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from results import Run

__all__ = ["LABELS", "OURS", "RIVALS", "TUNED", "Cell", "Cells", "verdict"]

OURS = ("rules", "tree depth 2", "tree depth 3")
RIVALS = (
    "DP-EBM",
    "DP-EBM, rate 0.1",
    "diffprivlib logistic",
    "diffprivlib tree",
    "diffprivlib forest",
    "diffprivlib NB",
    "OpenDP stump",
)
#: Those that are not run with their library's default settings.
TUNED = ("DP-EBM, rate 0.1",)
#: Names in the pages, in their order; those that are missing are not private.
LABELS = {
    "tree depth 3": "**ours: tree, depth 3**",
    "tree depth 2": "**ours: tree, depth 2**",
    "rules": "**ours: rule of two literals**",
    "DP-EBM": "DP-EBM (interpret), delta 1e-6",
    "DP-EBM, rate 0.1": "DP-EBM, learning rate 0.1",
    "diffprivlib logistic": "diffprivlib LogisticRegression",
    "diffprivlib tree": "diffprivlib DecisionTreeClassifier",
    "diffprivlib forest": "diffprivlib RandomForestClassifier",
    "diffprivlib NB": "diffprivlib GaussianNB",
    "OpenDP stump": "OpenDP noisy max: best single literal",
    "majority": "majority, private (ours)",
}


@dataclass(frozen=True)
class Cell:
    """One method on one table at one epsilon: the better of its two encodings.

    Attributes
    ----------
    table, method, encoding : str
    epsilon : float or None
    mean, sd : float
        Of the test accuracy over the runs; sd is 0 for a single run.
    balanced : float
        Mean balanced accuracy.
    runs : int
    seconds : float
        Mean time of a run.
    """

    table: str
    method: str
    encoding: str
    epsilon: float | None
    mean: float
    sd: float
    balanced: float
    runs: int
    seconds: float


class Cells:
    """All means, by table, method and epsilon."""

    def __init__(self, runs: Iterable[Run]) -> None:
        groups: dict[tuple[str, str, str, float | None], list[Run]] = defaultdict(list)
        for run in runs:
            groups[run.table, run.method, run.encoding, run.epsilon].append(run)
        self.all = [_cell(key, members) for key, members in groups.items()]
        self._best: dict[tuple[str, str, float | None], Cell] = {}
        for cell in self.all:
            key = (cell.table, cell.method, cell.epsilon)
            if key not in self._best or cell.mean > self._best[key].mean:
                self._best[key] = cell

    def get(self, table: str, method: str, epsilon: float | None) -> Cell | None:
        """Return the mean, of the encoding that does better on the test rows."""
        return self._best.get((table, method, epsilon))

    def best(self, table: str, methods: Sequence[str], epsilon: float | None) -> Cell | None:
        """Return the best of some methods, chosen on the test rows."""
        cells = [cell for method in methods if (cell := self.get(table, method, epsilon))]
        return max(cells, key=lambda cell: cell.mean, default=None)

    @property
    def tables(self) -> list[str]:
        """Tables, in the order of the runs."""
        return list(dict.fromkeys(cell.table for cell in self.all))

    @property
    def epsilons(self) -> list[float]:
        """Privacy losses, increasing."""
        return sorted({cell.epsilon for cell in self.all if cell.epsilon is not None})


def verdict(ours: Cell, other: Cell) -> str:
    """Return ``first``, ``level`` or ``behind``.

    Level means that the means differ by at most two standard errors (over the seeds), or by less
    than one test row in a thousand.
    """
    error = math.sqrt(ours.sd**2 / ours.runs + other.sd**2 / other.runs)
    difference = ours.mean - other.mean
    if abs(difference) <= max(2 * error, 0.001):
        return "level"
    return "first" if difference > 0 else "behind"


def _cell(key: tuple[str, str, str, float | None], runs: Sequence[Run]) -> Cell:
    accuracy = [run.accuracy for run in runs]
    return Cell(
        *key,
        mean=fmean(accuracy),
        sd=stdev(accuracy) if len(runs) > 1 else 0.0,
        balanced=fmean(run.balanced for run in runs),
        runs=len(runs),
        seconds=fmean(run.seconds for run in runs),
    )
