"""The tables of docs/experiments.md, made from the results: run it to write them anew."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from series import CERTIFIED, FOLDER, Row, read

__all__ = ["PAGE", "filled", "refresh"]

PAGE = FOLDER.parent / "experiments.md"
BLOCK = re.compile(r"(<!-- table ([a-z0-9_-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
LAWS = {"log-log": "power", "linear": "per unit", "log-x": "per unit of ln x"}


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table whose columns after the first are numbers, to the right."""
    rows = [head, ["---", *["---:"] * (len(head) - 1)], *lines]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in rows)


def slopes(name: str, folder: Path) -> str:
    """Return all fitted slopes of an experiment."""
    lines = []
    with (folder / f"{name}-fits.csv").open(newline="", encoding="utf-8") as file:
        for r in csv.DictReader(file):
            series = f"{r['figure']}: {r['series']} ({r['kind']})".replace("|", "\\|")
            shown = [f"{float(r[c]):.3g}".replace("nan", "exact") for c in ("slope", "low", "high")]
            between = "exact" if shown[1] == "exact" else f"{shown[1]} … {shown[2]}"
            theory = f"{'' if r['relation'] == 'about' else '≤ '}{float(r['theory']):.3g}"
            says = r["says"].replace("|", "\\|")
            lines.append([series, LAWS[r["law"]], r["points"], shown[0], between, theory, says])
    head = ["figure: series", "slope is a", "points", "slope", "95 %", "theory", "says"]
    return table(head, lines)


def counts(figure: str, rows: Sequence[Row], x_name: str) -> str:
    """Return y of a figure: one line for each x, one column for each series and kind."""
    mine = [r for r in rows if r.figure == figure and r.kind != "bound"]
    columns = list(dict.fromkeys((r.series, r.kind) for r in mine))
    known = {(r.series, r.kind, r.x): r.y for r in mine}
    head = [x_name, *(f"{s}, {'**' if k == CERTIFIED else ''}{k}"
                      f"{'**' if k == CERTIFIED else ''}" for s, k in columns)]  # fmt: skip
    lines = []
    for x in sorted({r.x for r in mine}):
        cells = [known.get((s, k, x)) for s, k in columns]
        lines.append([f"{x:.4g}", *("" if y is None else f"{y:,.0f}" if y > 10 else f"{y:.3g}"
                                    for y in cells)])  # fmt: skip
    return table(head, lines)


def block(name: str, folder: Path) -> str:
    """Return what stands between the marks of a table."""
    if name.endswith("-slopes"):
        return slopes(name.removesuffix("-slopes"), folder)
    for path in sorted(folder.glob("*.csv")):
        if not path.stem.endswith("-fits"):
            rows = read(path)
            if any(r.figure == name for r in rows):
                return counts(name, rows, "x")
    raise LookupError(name)


def filled(text: str, folder: Path = FOLDER) -> str:
    """Return the page with all tables made anew."""
    return BLOCK.sub(lambda m: f"{m[1]}\n{block(m[2], folder)}\n{m[3]}", text)


def refresh() -> None:
    """Write the tables of the page."""
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    refresh()
