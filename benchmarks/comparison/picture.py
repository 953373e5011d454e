"""The picture: AUROC on test rows against epsilon, one panel for each table."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from standing import Cell, Standing

sys.path.append(str(Path(__file__).parents[2] / "tools"))

from svg import Element, picture

__all__ = ["draw"]

#: Name in the legend, method, colour for light and dark; later ones are drawn over earlier ones.
SERIES = (
    ("auto", "auto", "#6a4fb3"),
    ("boosted trees", "boosted trees", "#0b84b8"),
    ("S-BDT", "S-BDT", "#2f8f4e"),
    ("DP-EBM", "DP-EBM", "#d1495b"),
    ("diffprivlib forest", "diffprivlib RandomForestClassifier", "#c07a10"),
)
RELATION = "replace-one"
REFERENCE = "gradient boosting"
ACROSS, WIDTH, PANEL, HEIGHT, HEAD = 3, 780, 260, 170, 40
LEFT, RIGHT, TOP, BOTTOM = 38, 12, 30, 24


def draw(
    standing: Standing, tables: Sequence[str], titles: Mapping[str, str], epsilons: Sequence[str]
) -> str:
    """Return the SVG: means, a bar of one standard error up and down, a dashed reference."""
    body = Element("g")
    x = 12.0
    for name, _, colour in SERIES:
        body.add("circle", cx=x, cy=16, r=4.5, fill=colour)
        body.add("text", name, x=x + 9, y=20, class_="ls-small")
        x += 34 + 6.4 * len(name)
    body.add("line", x1=x, x2=x + 18, y1=16, y2=16, class_="ls-axis", stroke_dasharray="4 3")
    body.add("text", "no privacy", x=x + 23, y=20, class_="ls-small")
    for i, table in enumerate(tables):
        left, top = PANEL * (i % ACROSS), HEAD + HEIGHT * (i // ACROSS)
        panel = body.add("g", transform=f"translate({left},{top})")
        _panel(panel, standing, table, titles[table], epsilons)
    return picture(
        body,
        width=WIDTH,
        height=HEAD + HEIGHT * -(-len(tables) // ACROSS),
        title="AUROC on test rows against epsilon",
        desc="One panel for each table: boosted trees, auto, S-BDT, DP-EBM, diffprivlib's forest, "
        "one record replaced between neighbours; dashed: gradient boosting without privacy.",
    )


def _panel(
    panel: Element, standing: Standing, table: str, title: str, epsilons: Sequence[str]
) -> None:
    lines = [
        (colour, [(e, c) for e in epsilons if (c := _cell(standing, table, e, method))])
        for _, method, colour in SERIES
    ]
    reference = standing.best(table, "", REFERENCE, "not private", "auroc")
    seen = [c.mean["auroc"] for _, points in lines for _, c in points]
    seen += [reference.mean["auroc"]] if reference is not None else []
    low = math.floor(10 * min([*seen, 0.5])) / 10
    high = math.ceil(20 * max([*seen, 0.6])) / 20

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / (high - low)

    def x(epsilon: str) -> float:
        """Log scale over the epsilons of the comparison."""
        first, last = (math.log(float(epsilons[end])) for end in (0, -1))
        share = (math.log(float(epsilon)) - first) / (last - first) if last > first else 0.5
        return LEFT + 10 + (PANEL - LEFT - RIGHT - 20) * share

    panel.add("text", title, x=LEFT, y=20, class_="ls-strong ls-small")
    for value in (low, high):
        panel.add("text", f"{value:g}", x=LEFT - 5, y=y(value) + 4, class_="ls-small ls-dim",
                  text_anchor="end")  # fmt: skip
    edge = f"M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{PANEL - RIGHT}"
    panel.add("path", d=edge, class_="ls-axis")
    for epsilon in epsilons:
        panel.add("text", epsilon, x=x(epsilon), y=HEIGHT - 9, class_="ls-small ls-dim",
                  text_anchor="middle")  # fmt: skip
    if reference is not None:
        at = y(reference.mean["auroc"])
        panel.add("line", x1=LEFT, x2=PANEL - RIGHT, y1=at, y2=at, class_="ls-axis",
                  stroke_dasharray="4 3")  # fmt: skip
    for colour, points in lines:
        path = " ".join(f"{x(e):.1f},{y(c.mean['auroc']):.1f}" for e, c in points)
        panel.add("polyline", points=path, fill="none", stroke=colour, stroke_width=1.5)
        for epsilon, cell in points:
            mean, error = cell.mean["auroc"], cell.error["auroc"]
            if cell.seeds > 1:
                low_end, high_end = y(max(mean - error, low)), y(min(mean + error, high))
                panel.add("line", x1=x(epsilon), x2=x(epsilon), y1=low_end, y2=high_end,
                          stroke=colour, stroke_width=1.5)  # fmt: skip
            panel.add("circle", cx=x(epsilon), cy=y(mean), r=3.5, fill=colour)


def _cell(standing: Standing, table: str, epsilon: str, method: str) -> Cell | None:
    cell = standing.best(table, epsilon, method, RELATION, "auroc")
    return cell if cell is not None and cell.seeds else None
