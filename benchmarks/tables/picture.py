"""The picture: accuracy against epsilon, one panel for each table, with error bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from definitions import TABLES
from summary import RIVALS, Cell, Cells

from littlestone.svg import Element, picture

__all__ = ["draw"]

WIDTH, HEIGHT = 380, 250  # of a panel
LEFT, TOP, RIGHT, BOTTOM = 46, 34, 12, 34
HEAD = 84  # the legend
DIFFPRIVLIB = tuple(name for name in RIVALS if name.startswith("diffprivlib"))
EBM = tuple(name for name in RIVALS if name.startswith("DP-EBM"))
DEPTH = 0.13  # how far below the majority a panel reaches

#: Name in the legend, colour (readable on light and on dark), marker.
SERIES = (
    ("ours", "#0b84b8", "circle"),
    ("DP-EBM, better of two", "#d1495b", "square"),
    ("diffprivlib, best of four", "#c07a10", "square"),
    ("OpenDP, best literal", "#8a63b8", "square"),
)


def draw(cells: Cells, chosen: Mapping[tuple[str, float], str]) -> str:
    """Return the SVG.

    Parameters
    ----------
    cells : Cells
    chosen : mapping
        Which of our classes ``--class auto`` takes, by table and epsilon.
    """
    tables, epsilons = cells.tables, cells.epsilons
    body = Element("g")
    _legend(body)
    for i, table in enumerate(tables):
        panel = body.add("g", transform=f"translate({i % 2 * WIDTH},{HEAD + i // 2 * HEIGHT})")
        series: list[list[Cell | None]] = [
            [cells.get(table, chosen[table, e], e) for e in epsilons],
            [cells.best(table, EBM, e) for e in epsilons],
            [cells.best(table, DIFFPRIVLIB, e) for e in epsilons],
            [cells.get(table, "OpenDP stump", e) for e in epsilons],
        ]
        _panel(panel, table, epsilons, series, cells)
    rows = (len(tables) + 1) // 2
    return picture(
        body,
        width=WIDTH * min(2, len(tables)),
        height=HEAD + rows * HEIGHT,
        title="Test accuracy of private classifiers on real tables",
        desc="One panel for each table; accuracy against epsilon with bars of one standard "
        "deviation over the seeds; the numbers are in comparison.csv.",
    )


def _legend(body: Element) -> None:
    x = LEFT
    for name, colour, marker in SERIES:
        _mark(body, x, 20, colour, marker)
        body.add("text", name, x=x + 10, y=24, class_="ls-small")
        x += 34 + 7 * len(name)
    lines = (("majority", "5 4"), ("scikit-learn tree of depth 3, not private", "1.5 3"))
    x = LEFT
    for name, dash in lines:
        body.add("line", x1=x - 6, x2=x + 16, y1=44, y2=44, class_="ls-axis", stroke_dasharray=dash)
        body.add("text", name, x=x + 22, y=48, class_="ls-small")
        x += 52 + 7 * len(name)
    text = "test accuracy; bars: one standard deviation over the seeds"
    body.add("text", text, x=LEFT - 6, y=68, class_="ls-small ls-dim")


def _panel(
    panel: Element,
    table: str,
    epsilons: Sequence[float],
    series: Sequence[Sequence[Cell | None]],
    cells: Cells,
) -> None:
    majority = cells.get(table, "majority", None)
    tree = cells.get(table, "scikit-learn tree depth 3", None)
    drawn = [cell for line in series for cell in line if cell is not None]
    references = [cell for cell in (majority, tree) if cell is not None]
    floor = (majority.mean if majority else 0.0) - DEPTH
    low = max(floor, min(c.mean - c.sd for c in [*drawn, *references]) - 0.005)
    high = max(c.mean + c.sd for c in [*drawn, *references]) + 0.008
    bottom, top = HEIGHT - BOTTOM, TOP

    def y(value: float) -> float:
        return bottom - (min(max(value, low), high) - low) / (high - low) * (bottom - top)

    step = (WIDTH - LEFT - RIGHT) / len(epsilons)
    panel.add("text", TABLES[table].title, x=LEFT, y=TOP - 12, class_="ls-strong")
    panel.add("path", d=f"M{LEFT} {top}V{bottom}H{WIDTH - RIGHT}", class_="ls-axis")
    for value in _ticks(low, high):
        panel.add("line", x1=LEFT - 4, x2=LEFT, y1=y(value), y2=y(value), class_="ls-axis")
        panel.add(
            "text", f"{value:.2f}", x=LEFT - 7, y=y(value) + 4, class_="ls-small ls-dim",
            text_anchor="end",
        )  # fmt: skip
    for cell, dash in ((majority, "5 4"), (tree, "1.5 3")):
        if cell is not None:
            height = y(cell.mean)
            panel.add(
                "line", x1=LEFT, x2=WIDTH - RIGHT, y1=height, y2=height, class_="ls-axis",
                stroke_dasharray=dash,
            )  # fmt: skip
    for k, epsilon in enumerate(epsilons):
        panel.add(
            "text", f"ε = {epsilon:g}", x=LEFT + (k + 0.5) * step, y=bottom + 18,
            class_="ls-small ls-dim", text_anchor="middle",
        )  # fmt: skip
    for i, (line, (_, colour, marker)) in enumerate(zip(series, SERIES, strict=True)):
        shift = (i - 1.5) * 11
        points = [(LEFT + (k + 0.5) * step + shift, c) for k, c in enumerate(line) if c is not None]
        _line(panel, points, y, low, colour, marker)


def _line(
    panel: Element,
    points: Sequence[tuple[float, Cell]],
    y: Callable[[float], float],
    low: float,
    colour: str,
    marker: str,
) -> None:
    for x, cell in points:
        if cell.mean < low:  # below the panel: a mark at its edge, with the number
            panel.add("path", d=f"M{x - 4} {y(low) - 6}h8l-4 5z", fill=colour)
            panel.add(
                "text", f"{cell.mean:.2f}", x=x, y=y(low) - 9, class_="ls-small",
                text_anchor="middle", font_size=10, style="font-size:10px",
            )  # fmt: skip
            continue
        top, bottom = y(cell.mean + cell.sd), y(cell.mean - cell.sd)
        panel.add("line", x1=x, x2=x, y1=top, y2=bottom, stroke=colour, stroke_width=1.5)
        for end in (top, bottom):
            panel.add("line", x1=x - 3, x2=x + 3, y1=end, y2=end, stroke=colour, stroke_width=1.5)
        _mark(panel, x, y(cell.mean), colour, marker)


def _mark(parent: Element, x: float, y: float, colour: str, marker: str) -> None:
    if marker == "circle":
        parent.add("circle", cx=x, cy=y, r=4.5, fill=colour)
    else:
        parent.add("rect", x=x - 3.5, y=y - 3.5, width=7, height=7, fill=colour)


def _ticks(low: float, high: float) -> list[float]:
    """Return three to six round values in the range."""
    step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.2) if (high - low) / s <= 6)
    first = int(low / step) + 1
    return [k * step for k in range(first, int(high / step) + 1)]
