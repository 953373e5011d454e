"""Write docs/comparison.md, .csv and .svg from the runs."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import ours
import picture
from definitions import TABLES
from results import Run
from summary import LABELS, OURS, RIVALS, TUNED, Cell, Cells, verdict

__all__ = ["write"]

NON_PRIVATE = {
    "scikit-learn tree depth 2": "scikit-learn tree, depth 2",
    "scikit-learn tree depth 3": "scikit-learn tree, depth 3",
    "scikit-learn logistic": "scikit-learn logistic regression",
    "rules": "best rule of two literals",
    "tree depth 2": "best tree of depth 2",
    "tree depth 3": "best tree of depth 3",
    "majority": "majority",
}
HERE = Path(__file__).parent
FIELDS = ("table", "method", "encoding", "epsilon", "mean", "sd", "balanced", "runs", "seconds")


def write(runs: Iterable[Run], data: Mapping[str, Path], docs: Path) -> list[Path]:
    """Write the three files and return their paths.

    Parameters
    ----------
    runs : iterable of Run
    data : mapping of table names to prepared files
        For the sizes, and for which class the certificates choose.
    docs : Path
    """
    wanted = [run for run in runs if run.table in data]
    wanted.sort(key=lambda run: list(TABLES).index(run.table))
    cells = Cells(wanted)
    docs.mkdir(parents=True, exist_ok=True)
    sizes = {name: _sizes(path) for name, path in data.items()}
    chosen = {
        (name, e): ours.chosen(TABLES[name], sizes[name][0], e)
        for name in cells.tables
        for e in cells.epsilons
    }
    names = {key: name for key, (name, _) in chosen.items()}
    paths = [docs / f"comparison.{ending}" for ending in ("csv", "svg", "md")]
    with paths[0].open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for cell in sorted(cells.all, key=_order):
            numbers = [f"{v:.4f}" for v in (cell.mean, cell.sd, cell.balanced)]
            epsilon = "" if cell.epsilon is None else f"{cell.epsilon:g}"
            head = (cell.table, cell.method, cell.encoding, epsilon)
            writer.writerow([*head, *numbers, cell.runs, f"{cell.seconds:.2f}"])
    paths[1].write_text(picture.draw(cells, names) + "\n", encoding="utf-8")
    text = (HERE / "comparison.template.md").read_text(encoding="utf-8")
    parts = {
        "SUMMARY": _summary(cells, sizes, chosen),
        "REASONS": _reasons(cells, names),
        "TABLES": "\n\n".join(_table(cells, name, sizes[name], chosen) for name in cells.tables),
    }
    for name, part in parts.items():
        text = text.replace(f"<!-- {name} -->", part)
    paths[2].write_text(text, encoding="utf-8")
    return paths


def _sizes(path: Path) -> tuple[int, int]:
    with np.load(path) as arrays:
        test = int(arrays["test"].sum())
        return len(arrays["test"]) - test, test


def _order(cell: Cell) -> tuple[int, str, str, float]:
    return list(TABLES).index(cell.table), cell.method, cell.encoding, cell.epsilon or 0.0


def _score(cell: Cell | None) -> str:
    return "" if cell is None else f"{cell.mean:.3f}"


def _summary(
    cells: Cells,
    sizes: Mapping[str, tuple[int, int]],
    chosen: Mapping[tuple[str, float], tuple[str, bool]],
) -> str:
    """Return one line for each table and epsilon: ours as ``auto`` chooses, the best other."""
    lines = [
        "| table | training rows | majority | ε | ours | which | best other | which | we are |",
        "|---|--:|--:|--:|--:|---|--:|---|---|",
    ]
    for table in cells.tables:
        head = f"{TABLES[table].title} | {sizes[table][0]:,} | "
        head += _score(cells.get(table, "majority", None))
        for epsilon in cells.epsilons:
            name, certified = chosen[table, epsilon]
            mine, other = cells.get(table, name, epsilon), cells.best(table, RIVALS, epsilon)
            if mine is None or other is None:
                continue
            place = verdict(mine, other)
            lines.append(
                f"| {head} | {epsilon:g} | **{mine.mean:.3f}** | "
                f"{name}{'' if certified else ' (no certificate)'} | {other.mean:.3f} | "
                f"{other.method} | {place} |"
            )
            head = " | | "
    defaults = [method for method in RIVALS if method not in TUNED]
    for text, rivals in (("All methods", RIVALS), ("Default settings only", defaults)):
        lines += ["", f"{text}:", ""]
        for epsilon in cells.epsilons:
            places = _places(cells, chosen, epsilon, rivals)
            count = ", ".join(f"{w} on {places.count(w)}" for w in ("first", "level", "behind"))
            lines.append(f"* ε = {epsilon:g}: {count} of {len(places)} tables.")
    return "\n".join(lines)


def _places(
    cells: Cells,
    chosen: Mapping[tuple[str, float], tuple[str, bool]],
    epsilon: float,
    rivals: Sequence[str],
) -> list[str]:
    """Return the verdict of each table."""
    places = []
    for table in cells.tables:
        mine = cells.get(table, chosen[table, epsilon][0], epsilon)
        other = cells.best(table, rivals, epsilon)
        if mine is not None and other is not None:
            places.append(verdict(mine, other))
    return places


def _reasons(cells: Cells, names: Mapping[tuple[str, float], str]) -> str:
    """Return, for each place where ours is not first, what was measured."""
    lines = []
    for table in cells.tables:
        for epsilon in cells.epsilons:
            name = names[table, epsilon]
            mine, other = cells.get(table, name, epsilon), cells.best(table, RIVALS, epsilon)
            limit, majority = cells.get(table, name, None), cells.get(table, "majority", None)
            if mine is None or other is None or limit is None or majority is None:
                continue
            place = verdict(mine, other)
            if place == "first":
                continue
            text = (
                f"* {TABLES[table].title}, ε = {epsilon:g}: {place} ({name}: {mine.mean:.3f}; "
                f"{other.method}: {other.mean:.3f}). {_reason(mine, other, limit, majority)}"
            )
            best = cells.best(table, OURS, epsilon)
            if best is not None and best.mean > mine.mean + 0.001:
                text += f" In hindsight, our {best.method} has {best.mean:.3f}."
            lines.append(text)
    return "\n".join(lines)


def _reason(mine: Cell, other: Cell, limit: Cell, majority: Cell) -> str:
    """Return what the measurements say: ``limit`` is our class without privacy."""
    if max(mine.mean, other.mean, limit.mean) < majority.mean + 0.005:
        return f"Nothing here is better than the majority ({majority.mean:.3f}) by 0.005."
    cost = round(limit.mean - mine.mean, 3) + 0.0  # no -0.000
    head = f"Without privacy the class reaches {limit.mean:.3f} here: "
    if limit.mean <= other.mean + 0.001:
        return head + f"the class is the limit, privacy costs {cost:.3f}."
    if cost > 0.001:
        return head + f"records are missing, privacy costs {cost:.3f}."
    return head + "the lead is within the spread of the other's runs."


def _table(
    cells: Cells,
    table: str,
    size: tuple[int, int],
    chosen: Mapping[tuple[str, float], tuple[str, bool]],
) -> str:
    """Return the section of one table: all methods, all epsilons."""
    about = TABLES[table]
    epsilons = cells.epsilons
    majority = cells.get(table, "majority", None)
    skewed = majority is not None and majority.mean > 0.9
    lines = [
        f"### {about.title}",
        "",
        f"Label: {about.label}. {size[0]:,} training and {size[1]:,} test rows; split: "
        f"{about.split}. Data: `{about.package}`."
        + (f" {about.remark[0].upper()}{about.remark[1:]}." if about.remark else ""),
        "",
        f"| private | {' | '.join(f'ε = {e:g}' for e in epsilons)} |",
        "|---|" + "--:|" * len(epsilons),
    ]
    for method, label in LABELS.items():
        row = [cells.get(table, method, e) for e in epsilons]
        if any(row):
            lines.append(f"| {label} | {' | '.join(map(_with_sd, row))} |")
    lines += ["", "| not private | accuracy |", "|---|--:|"]
    for method, label in NON_PRIVATE.items():
        if (cell := cells.get(table, method, None)) is not None:
            lines.append(f"| {label} | {cell.mean:.3f} |")
    if skewed:
        lines += ["", _balanced(cells, table)]
    took = ", ".join(f"{chosen[table, e][0]} at {e:g}" for e in epsilons)
    runs = [
        f"{name} {_span(cells, table, methods)}"
        for name, methods in (("ours", OURS), ("others", RIVALS))
    ]
    return "\n".join([*lines, "", f"Seeds: {', '.join(runs)}. `--class auto` takes: {took}."])


def _span(cells: Cells, table: str, methods: Sequence[str]) -> str:
    """Return how many runs stand behind each mean: "10", or "3 to 10" while a run goes on."""
    found = [cells.get(table, m, e) for m in methods for e in cells.epsilons]
    runs = {cell.runs for cell in found if cell is not None}
    if not runs:
        return "none"
    return f"{min(runs)}" if len(runs) == 1 else f"{min(runs)} to {max(runs)}"


def _with_sd(cell: Cell | None) -> str:
    return "" if cell is None else f"{cell.mean:.3f} ± {cell.sd:.3f}"


def _balanced(cells: Cells, table: str) -> str:
    """Return a remark where accuracy says little because one label is rare."""
    methods = (*OURS, *RIVALS)
    last = cells.epsilons[-1]
    found = [cell for m in methods if (cell := cells.get(table, m, last)) is not None]
    shown = "; ".join(f"{cell.method}: {cell.balanced:.3f}" for cell in found)
    return (
        "One label is rare, so accuracy says little: a constant answer has nearly the accuracy of "
        f"the best method, and a balanced accuracy of 0.5. Balanced accuracy at ε = {last:g} "
        f"(nothing here was made to maximise it): {shown}."
    )
