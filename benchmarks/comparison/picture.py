"""The picture: AUROC on test rows at one epsilon, one line for each table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from standing import Cell, Standing

from littlestone.svg import Element, picture

__all__ = ["draw"]

#: Name in the legend, method, relation, colour (readable on light and on dark).
SERIES = (
    ("boosted trees", "boosted trees", "replace-one", "#0b84b8"),
    ("DP-EBM, replace-one", "DP-EBM", "replace-one", "#d1495b"),
    ("DP-EBM, own relation", "DP-EBM", "own", "#c07a10"),
    ("gradient boosting, not private", "gradient boosting", "not private", "#777777"),
)
LEFT, RIGHT, HEAD, ROW, WIDTH = 190, 20, 60, 30, 760
LOW, HIGH = 0.45, 1.0


def draw(standing: Standing, tables: Sequence[str], titles: Mapping[str, str], epsilon: str) -> str:
    """Return the SVG; a bar is one standard error up and down, a missing mark was not run."""
    body = Element("g")
    x = LEFT - 60
    for name, _, _, colour in SERIES:
        body.add("circle", cx=x, cy=16, r=4.5, fill=colour)
        body.add("text", name, x=x + 9, y=20, class_="ls-small")
        x += 30 + 6.5 * len(name)
    bottom = HEAD + ROW * len(tables)
    for value in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        body.add(
            "line",
            x1=_x(value),
            x2=_x(value),
            y1=HEAD - 12,
            y2=bottom,
            class_="ls-axis",
            stroke_opacity=0.3,
        )
        body.add(
            "text", f"{value:g}", x=_x(value), y=HEAD - 16, class_="ls-small ls-dim",
            text_anchor="middle",
        )  # fmt: skip
    for i, table in enumerate(tables):
        middle = HEAD + ROW * i + ROW / 2
        body.add("text", titles[table], x=LEFT - 12, y=middle + 4, text_anchor="end")
        for j, (_, method, relation, colour) in enumerate(SERIES):
            private = "" if relation == "not private" else epsilon
            for cell in standing.methods(table, private, relation):
                if cell.method == method and cell.seeds:
                    _mark(body, cell, middle + 5 * (j - 1.5), colour)
    return picture(
        body,
        width=WIDTH,
        height=bottom + 10,
        title=f"AUROC on test rows at epsilon {epsilon}, delta 1e-6",
        desc="One line for each table: boosted trees, DP-EBM at two neighbour relations, gradient "
        "boosting without privacy; bars of one standard error over the seeds.",
    )


def _mark(body: Element, cell: Cell, y: float, colour: str) -> None:
    mean, error = cell.mean["auroc"], cell.error["auroc"]
    if cell.seeds > 1:
        low, high = _x(max(mean - error, LOW)), _x(min(mean + error, HIGH))
        body.add("line", x1=low, x2=high, y1=y, y2=y, stroke=colour, stroke_width=2)
    body.add("circle", cx=_x(max(mean, LOW)), cy=y, r=3.5, fill=colour)


def _x(value: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (value - LOW) / (HIGH - LOW)
