"""Means over seeds, and on how many tables ours is first or level."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from fits import MEASURES

__all__ = ["Cell", "Standing", "summary"]

#: Methods of this library, the one that stands for it first.
OURS = (
    "boosted trees", "boosted trees, pure", "scorecard", "scorecard, pure", "rules",
    "tree depth 2",
)  # fmt: skip
RELATIONS = ("replace-one", "own")
#: Of the tables of AUROC: method and relation.
COLUMNS = {
    "boosted trees": ("boosted trees", "replace-one"),
    "pure": ("boosted trees, pure", "replace-one"),
    "scorecard": ("scorecard", "replace-one"),
    "DP-EBM": ("DP-EBM", "replace-one"),
    "diffprivlib forest": ("diffprivlib RandomForestClassifier", "replace-one"),
    "logistic": ("diffprivlib LogisticRegression", "replace-one"),
    "MST": ("MST, gradient boosting", "replace-one"),
    "DP-EBM, own": ("DP-EBM", "own"),
    "not private": ("gradient boosting", "not private"),
}


@dataclass(frozen=True)
class Cell:
    """One method, at one setting, on one table at one epsilon.

    Attributes
    ----------
    method, setting, relation : str
    mean, error : dict
        Of each measure, over the seeds: mean and standard error (nan for a single seed).
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

    def level(self, other: Cell, measure: str) -> bool:
        """Return whether this mean is above, or at most two standard errors below, the other."""
        error = math.hypot(self.error[measure], other.error[measure])
        return self.mean[measure] >= other.mean[measure] - 2 * error


class Standing:
    """All cells, by table and epsilon.

    Parameters
    ----------
    runs : iterable of dict
        Lines of the caches.
    """

    def __init__(self, runs: Iterable[dict[str, Any]]) -> None:
        groups: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
        for one in runs:
            groups[tuple(one["key"][:5])].append(one)
        self._cells: dict[tuple[str, str], list[Cell]] = defaultdict(list)
        for (table, epsilon, method, setting, relation), found in groups.items():
            self._cells[table, epsilon].append(_cell(method, setting, relation, found))

    def methods(self, table: str, epsilon: str, relation: str) -> list[Cell]:
        """Return the best setting of each method, by AUROC on the test rows.

        ``own`` holds every method at its own relation: where that is ``replace-one``, these.
        """
        cells = self._cells[table, epsilon]
        both = {cell.method for cell in cells if cell.relation == "own"}
        best: dict[str, Cell] = {}
        for cell in cells:
            if cell.relation == relation or (relation == "own" and cell.method not in both):
                known = best.get(cell.method)
                if known is None or _auroc(cell) > _auroc(known):
                    best[cell.method] = cell
        return list(best.values())

    def field(self, table: str, epsilon: str, relation: str) -> list[Cell]:
        """Return the private methods that are not ours, at all settings, with errors."""
        return [
            cell
            for cell in self._cells[table, epsilon]
            if cell.method not in OURS
            and cell.seeds > 1
            and (relation == "own" or cell.relation == relation)
        ]

    def ours(self, table: str, epsilon: str, method: str = OURS[0]) -> Cell | None:
        """Return a method of ours, when it has more than one seed."""
        cells = [c for c in self._cells[table, epsilon] if c.method == method and c.seeds > 1]
        return cells[0] if cells else None


def summary(runs: Iterable[dict[str, Any]], tables: Sequence[str], epsilons: Sequence[str]) -> str:
    """Return the counts, and the means of all methods, in Markdown."""
    standing = Standing(runs)
    text: list[str] = []
    for who, methods in ((OURS[0], OURS[:1]), ("the best of ours for each measure", OURS)):
        text += [
            f"## {who}: first, or level within two standard errors, against all of the field",
            "",
            "| epsilon | neighbours | AUROC | accuracy | both | behind: ours, best |",
            "|--:|---|--:|--:|--:|---|",
        ]
        text += [_count(standing, tables, e, r, methods) for e in epsilons for r in RELATIONS]
        text.append("")
    for epsilon in epsilons:
        text += ["", f"## AUROC at epsilon {epsilon}", "", f"| table | {' | '.join(COLUMNS)} |"]
        text += [f"|---|{'--:|' * len(COLUMNS)}"]
        for table in tables:
            cells = (_auroc_of(standing, table, epsilon, *column) for column in COLUMNS.values())
            text.append(f"| {table} | {' | '.join(cells)} |")
    for table in tables:
        text += ["", f"## {table}", "", *_HEAD]
        for epsilon in (*epsilons, ""):
            for relation in RELATIONS if epsilon else ("not private",):
                cells = standing.methods(table, epsilon, relation)
                cells.sort(key=_auroc, reverse=True)
                text += [_row(epsilon, cell) for cell in cells if cell.relation == relation]
    return "\n".join(text)


_HEAD = [
    "| epsilon | method | neighbours | accuracy | AUROC | balanced | log loss | s | seeds |",
    "|--:|---|---|--:|--:|--:|--:|--:|--:|",
]


def _auroc_of(standing: Standing, table: str, epsilon: str, method: str, relation: str) -> str:
    """Return the mean of the best setting and its standard error in thousandths."""
    private = epsilon if relation in RELATIONS else ""
    cells = [c for c in standing.methods(table, private, relation) if c.method == method]
    if not cells:
        return "-"
    (cell,) = cells
    if not cell.seeds:
        return "failed"
    error = f" ({1000 * cell.error['auroc']:.0f})" if cell.seeds > 1 else ""
    return f"{cell.mean['auroc']:.3f}".lstrip("0") + error


def _count(
    standing: Standing,
    tables: Sequence[str],
    epsilon: str,
    relation: str,
    methods: Sequence[str],
) -> str:
    """Return one row: level means with every method; a table not run counts as not level.

    Of several methods of ours the one that is best by the test rows stands for each measure.
    """
    level = {"auroc": 0, "accuracy": 0, "both": 0}
    behind = []
    for table in tables:
        all_ours = [c for c in (standing.ours(table, epsilon, m) for m in methods) if c]
        if not all_ours:
            behind.append(f"{table}: not run")
            continue
        fine = {}
        for measure in ("auroc", "accuracy"):
            ours = max(all_ours, key=lambda cell: cell.mean[measure])
            rivals = standing.field(table, epsilon, relation)
            ahead = [cell for cell in rivals if not ours.level(cell, measure)]
            fine[measure] = bool(rivals) and not ahead
            if not fine[measure]:
                best = max(ahead, key=lambda cell: cell.mean[measure], default=None)
                other = f"{best.method} {best.mean[measure]:.3f}" if best else "field not run"
                behind.append(f"{table}, {measure}: {ours.mean[measure]:.3f}, {other}")
        level["auroc"] += fine["auroc"]
        level["accuracy"] += fine["accuracy"]
        level["both"] += all(fine.values())
    counts = " | ".join(f"{count} of {len(tables)}" for count in level.values())
    return f"| {epsilon} | {relation} | {counts} | {'; '.join(behind)} |"


def _row(epsilon: str, cell: Cell) -> str:
    name = f"**{cell.method}**" if cell.method in OURS else cell.method
    start = f"| {epsilon} | {name} | {cell.relation} |"
    if not cell.seeds:
        return f"{start} failed: {cell.why} | | | | | 0 |"
    means = " | ".join(
        f"{cell.mean[m]:.4f} ({cell.error[m]:.4f})" if cell.seeds > 1 else f"{cell.mean[m]:.4f}"
        for m in MEASURES
    )
    seeds = f"{cell.seeds} ({cell.failed} failed: {cell.why})" if cell.failed else f"{cell.seeds}"
    return f"{start} {means} | {cell.seconds:.1f} | {seeds} |"


def _cell(method: str, setting: str, relation: str, found: Sequence[dict[str, Any]]) -> Cell:
    good = [one for one in found if "failed" not in one]
    bad = [one["failed"] for one in found if "failed" in one]
    values = {m: [one[m] for one in good] for m in MEASURES}
    root = math.sqrt(len(good)) if good else 1.0
    many = len(good) > 1
    return Cell(
        method, setting, relation,
        mean={m: float(np.mean(v)) if v else math.nan for m, v in values.items()},
        error={m: float(np.std(v, ddof=1)) / root if many else math.nan for m, v in values.items()},
        seconds=float(np.mean([one["seconds"] for one in good])) if good else math.nan,
        seeds=len(good), failed=len(bad), why=bad[0] if bad else "",
    )  # fmt: skip


def _auroc(cell: Cell) -> float:
    return cell.mean["auroc"] if cell.seeds else -1.0
