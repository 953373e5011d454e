"""Means over seeds, and on how many tables ours is first or level."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from fits import MEASURES

__all__ = ["OURS", "RELATIONS", "Cell", "Standing", "counts", "means"]

#: Methods of this library, the default first.
OURS = (
    "boosted trees", "boosted trees, pure", "scorecard", "scorecard, pure", "rules", "tree depth 2",
    "linear", "auto",
)  # fmt: skip
RELATIONS = ("replace-one", "own")
#: Where less is better.
LOSSES = ("log_loss", "calibration")


@dataclass(frozen=True)
class Cell:
    """One method, at one setting, on one table at one epsilon.

    Attributes
    ----------
    method, setting, relation : str
    mean, error : dict
        Of each measure, over the seeds: mean and standard error (nan where there are too few).
    seconds : float
    seeds, failed : int
    why : str
        Of the first failure.
    """

    method: str
    setting: str
    relation: str
    mean: dict[str, float]
    error: dict[str, float]
    seconds: float
    seeds: int
    failed: int
    why: str

    def goodness(self, measure: str) -> float:
        """Return the mean, so that more is better; what failed is worst."""
        value = self.mean[measure]
        return -math.inf if math.isnan(value) else -value if measure in LOSSES else value

    def level(self, other: Cell, measure: str) -> bool:
        """Return whether this mean is better, or worse by at most two standard errors."""
        error = math.hypot(self.error[measure], other.error[measure])
        return self.goodness(measure) >= other.goodness(measure) - 2 * error


class Standing:
    """All cells, by table and epsilon.

    Parameters
    ----------
    runs : iterable of dict
        Lines of the caches.
    measures : sequence of str
    """

    def __init__(self, runs: Iterable[dict[str, Any]], measures: Sequence[str] = MEASURES) -> None:
        groups: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
        for one in runs:
            groups[tuple(one["key"][:5])].append(one)
        self._cells: dict[tuple[str, str], list[Cell]] = defaultdict(list)
        for (table, epsilon, method, setting, relation), found in groups.items():
            self._cells[table, epsilon].append(_cell(method, setting, relation, found, measures))

    def best(
        self, table: str, epsilon: str, method: str, relation: str, measure: str
    ) -> Cell | None:
        """Return the setting of a method that is best by the test rows.

        A method without a relation of its own counts at the one it has.
        """
        cells = [cell for cell in self._cells[table, epsilon] if cell.method == method]
        there = [cell for cell in cells if cell.relation == relation] or cells
        return max(there, key=lambda cell: cell.goodness(measure), default=None)

    def cells(self, table: str, epsilon: str) -> list[Cell]:
        """Return all methods and settings of one table at one epsilon ("": without privacy)."""
        return sorted(self._cells[table, epsilon], key=lambda c: (c.method, c.relation, c.setting))

    def rivals(self, table: str, epsilon: str, relation: str) -> list[Cell]:
        """Return the private methods that are not ours, at all settings, with standard errors."""
        return [
            cell
            for cell in self._cells[table, epsilon]
            if cell.method not in OURS
            and cell.seeds > 1
            and (relation == "own" or cell.relation == relation)
        ]


def counts(
    standing: Standing,
    tables: Sequence[str],
    epsilon: str,
    relation: str,
    method: str = OURS[0],
    measures: Sequence[str] = ("auroc", "accuracy", "log_loss"),
) -> tuple[dict[str, int], list[str]]:
    """Return on how many tables a method of ours is level with every rival, and where it is not.

    A rival counts at each of its settings. A table that one of both has not run is not level.
    """
    level, behind = dict.fromkeys(measures, 0), []
    for table in tables:
        ours = standing.best(table, epsilon, method, "replace-one", measures[0])
        rivals = standing.rivals(table, epsilon, relation)
        if ours is None or ours.seeds < 2 or not rivals:
            behind.append(f"{table}: not run")
            continue
        for measure in measures:
            ahead = [cell for cell in rivals if not ours.level(cell, measure)]
            if ahead:
                best = max(ahead, key=lambda cell: cell.goodness(measure))
                values = f"{ours.mean[measure]:.3f}, {best.method} {best.mean[measure]:.3f}"
                behind.append(f"{table}, {measure.replace('_', ' ')}: {values}")
            else:
                level[measure] += 1
    return level, behind


def means(
    standing: Standing,
    tables: Sequence[str],
    epsilon: str,
    columns: dict[str, tuple[str, str]],
    measure: str,
) -> list[list[str]]:
    """Return the mean of each method (name, relation) on each table, in brackets its error."""
    rows = []
    for table in tables:
        row = [table]
        for method, relation in columns.values():
            private = epsilon if relation in RELATIONS else ""
            row.append(_said(standing.best(table, private, method, relation, measure), measure))
        rows.append(row)
    return rows


def _said(cell: Cell | None, measure: str) -> str:
    """Return a mean with its standard error in thousandths; "-" where nothing was run."""
    if cell is None or math.isnan(cell.mean[measure]):
        return "failed" if cell is not None and not cell.seeds else "-"
    error = f" ({1000 * cell.error[measure]:.0f})" if cell.seeds > 1 else ""
    return f"{cell.mean[measure]:.3f}".removeprefix("0") + error


def _cell(
    method: str,
    setting: str,
    relation: str,
    found: Sequence[dict[str, Any]],
    measures: Sequence[str],
) -> Cell:
    good = [one for one in found if "failed" not in one]
    bad = [one["failed"] for one in found if "failed" in one]
    values = {m: [one[m] for one in good if m in one] for m in measures}
    return Cell(
        method, setting, relation,
        mean={m: float(np.mean(v)) if v else math.nan for m, v in values.items()},
        error={m: _error(v) for m, v in values.items()},
        seconds=float(np.mean([one["seconds"] for one in good])) if good else math.nan,
        seeds=len(good), failed=len(bad), why=bad[0] if bad else "",
    )  # fmt: skip


def _error(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.nan
