"""Line charts on logarithmic or linear axes, as SVG made with `tools/svg.py`: light and dark.

Series differ by colour, by marker and by dashes, so no reader depends on colour alone.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tools"))

from svg import Element, picture, text_width, wrap

__all__ = ["Axis", "Line", "chart"]

WIDTH, PLOT = 720.0, 300.0
LEFT, RIGHT, TOP = 78.0, 24.0, 44.0
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

LIGHT = ("#0b6e99", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#be185d")
DARK = ("#5bb8dc", "#fb923c", "#4ade80", "#c084fc", "#facc15", "#f472b6")
STYLE = "".join(f".xp-{i}{{color:{c}}}" for i, c in enumerate(LIGHT))
STYLE += "@media (prefers-color-scheme:dark){"
STYLE += "".join(f".xp-{i}{{color:{c}}}" for i, c in enumerate(DARK))
STYLE += "}@media print{" + "".join(f".xp-{i}{{color:{c}}}" for i, c in enumerate(LIGHT)) + "}"


@dataclass(frozen=True)
class Axis:
    """One axis.

    Attributes
    ----------
    label : str
        With the unit.
    log : bool
    ticks : tuple of (value, text)
        Chosen automatically, if empty.
    """

    label: str
    log: bool = True
    ticks: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True)
class Line:
    """One series of a chart.

    Attributes
    ----------
    name : str
        For the legend.
    points : sequence of (x, y)
    colour, marker : int
    hollow : bool
        Hollow markers and a dashed line: what was measured. Else filled: what is certified.
    bars : sequence of (x, low, high)
        Intervals.
    flat : bool
        A bound without markers.
    """

    name: str
    points: Sequence[tuple[float, float]]
    colour: int = 0
    marker: int = 0
    hollow: bool = False
    bars: Sequence[tuple[float, float, float]] = ()
    flat: bool = False


class _Scale:
    """Places values of an axis between two coordinates."""

    def __init__(self, axis: Axis, values: Sequence[float], ends: tuple[float, float]) -> None:
        self.log, (self.start, self.end) = axis.log, ends
        moved = [self._move(v) for v in values if v > 0 or not axis.log]
        low, high = min(moved), max(moved)
        if not axis.log:
            low = min(low, 0.0)
        room = (high - low or 1.0) * 0.05
        self.low, self.high = (low - room if axis.log else low), high + room
        self.ticks = list(axis.ticks) or [(v, number(v)) for v in self._ticks()]

    def _move(self, value: float) -> float:
        return math.log10(value) if self.log else value

    def __call__(self, value: float) -> float:
        if self.log and value <= 0:
            return self.start  # no place on this axis: at its end
        share = (self._move(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def _ticks(self) -> list[float]:
        if not self.log:
            step = 10 ** math.floor(math.log10((self.high - self.low) / 3))
            step *= next(k for k in (1, 2, 5, 10) if (self.high - self.low) / (step * k) <= 7)
            count = math.floor(self.high / step + 1e-9)
            return [k * step for k in range(math.ceil(self.low / step - 1e-9), count + 1)]
        decades = range(math.floor(self.low), math.ceil(self.high) + 1)
        fine = (1, 2, 5) if self.high - self.low < 2.6 else (1,)
        found = [k * 10.0**p for p in decades for k in fine]
        return [v for v in found if self.low <= math.log10(v) <= self.high]


def number(value: float) -> str:
    """Return a tick's text.

    Examples
    --------
    >>> [number(v) for v in (0.05, 1.0, 2000.0, 1e6)]
    ['0.05', '1', '2,000', '10⁶']
    """
    if value >= 1e5:
        digits, power = f"{value:.0e}".split("e")
        head = "" if digits == "1" else f"{digits}·"
        return f"{head}10{str(int(power)).translate(SUPERSCRIPT)}"
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.4g}"


def chart(lines: Sequence[Line], x: Axis, y: Axis, *, title: str, desc: str) -> str:
    """Return the chart as SVG.

    Parameters
    ----------
    lines : sequence of Line
        With at least one point in all.
    x, y : Axis
    title, desc : str
        The title is shown; both are read to readers who do not see the picture.
    """
    body = Element("g")
    body.add("style", STYLE)
    body.add("text", title, x=12, y=20, class_="ls-strong")
    xs = [p[0] for line in lines for p in line.points]
    ys = [p[1] for line in lines for p in line.points]
    ys += [v for line in lines for bar in line.bars for v in bar[1:] if v > 0]
    across = _Scale(x, xs, (LEFT, WIDTH - RIGHT))
    up = _Scale(y, ys, (TOP + PLOT, TOP + 16))
    body.add("text", y.label, x=12, y=TOP + 4, class_="ls-small ls-dim")
    base = TOP + PLOT
    ends = -math.inf
    for value, text in across.ticks:
        at, half = across(value), text_width(text, 12) / 2
        body.add("line", x1=at, x2=at, y1=TOP + 14, y2=base, class_="ls-axis", opacity=0.2)
        if at - half < ends + 6:
            continue  # a label that would touch its neighbour is left out, its line is not
        ends = at + half
        body.add("text", text, x=at, y=base + 18, text_anchor="middle", class_="ls-small ls-dim")
    for value, text in up.ticks:
        at = up(value)
        body.add("line", x1=LEFT, x2=WIDTH - RIGHT, y1=at, y2=at, class_="ls-axis", opacity=0.2)
        body.add("text", text, x=LEFT - 8, y=at + 4, text_anchor="end", class_="ls-small ls-dim")
    body.add("line", x1=LEFT, x2=WIDTH - RIGHT, y1=base, y2=base, class_="ls-axis")
    body.add("line", x1=LEFT, x2=LEFT, y1=TOP + 14, y2=base, class_="ls-axis")
    body.add(
        "text", x.label, x=WIDTH - RIGHT, y=base + 38, text_anchor="end", class_="ls-small ls-dim"
    )
    for line in lines:
        _series(body, line, across, up)
    height = _legend(body, lines, base + 62)
    return picture(body, width=WIDTH, height=height, title=title, desc=desc)


def _series(body: Element, line: Line, across: _Scale, up: _Scale) -> None:
    group = body.add("g", class_=f"xp-{line.colour % len(LIGHT)}")
    places = [(across(x), up(y)) for x, y in line.points]
    for x, low, high in line.bars:
        at = across(x)
        bottom = up(low) if low > 0 or not up.log else up.start
        group.add("line", x1=at, x2=at, y1=bottom, y2=up(high), stroke="currentColor", opacity=0.6)
    if len(places) > 1:
        dashes = {"stroke_dasharray": "6 4"} if line.hollow else {}
        dashes = {"stroke_dasharray": "2 4"} if line.flat else dashes
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
        group.add(
            "polyline", points=path, fill="none", stroke="currentColor", stroke_width=2, **dashes
        )
    if not line.flat:
        for place in places:
            _marker(group, place, line)


def _marker(group: Element, place: tuple[float, float], line: Line) -> None:
    a, b = place
    look: dict[str, str | float] = {"stroke": "currentColor", "stroke_width": 1.5}
    look["fill"] = "none" if line.hollow else "currentColor"
    shape = line.marker % 4
    if shape == 0:
        group.add("circle", cx=a, cy=b, r=4, **look)
        return
    shapes: list[list[tuple[float, float]]] = [
        [(-3.5, -3.5), (3.5, -3.5), (3.5, 3.5), (-3.5, 3.5)],
        [(0, -5), (4.6, 3.6), (-4.6, 3.6)],
        [(0, -5), (4.6, 0), (0, 5), (-4.6, 0)],
    ]
    corners = shapes[shape - 1]
    group.add("polygon", points=" ".join(f"{a + i:.1f},{b + j:.1f}" for i, j in corners), **look)


def _legend(body: Element, lines: Sequence[Line], top: float) -> float:
    at = top
    for line in lines:
        group = body.add("g", class_=f"xp-{line.colour % len(LIGHT)}")
        dash = "2 4" if line.flat else "6 4" if line.hollow else "none"
        group.add(
            "line", x1=16, x2=52, y1=at - 4, y2=at - 4,
            stroke="currentColor", stroke_width=2, stroke_dasharray=dash,
        )  # fmt: skip
        if not line.flat:
            _marker(group, (34, at - 4), line)
        for row in wrap(line.name, WIDTH - 80, 12):
            body.add("text", row, x=62, y=at, class_="ls-small")
            at += 17
        at += 2
    return at + 2
