"""Functions of an ordered or numbered domain: an axis with the runs of equal label, or cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2

from littlestone.report.words import integer
from littlestone.svg import Element, clip, picture, text_width, wrap

__all__ = ["MARGIN", "WIDTH", "Run", "cells", "strip"]

#: Pictures are this many units wide, with text of 14 units: readable when it is a phone's width.
WIDTH = 330.0
MARGIN = 12.0
_INNER = WIDTH - 2 * MARGIN
_BAR = 34.0
_THIN = 4.0  # the least width of a run that can be seen
_CELLS = 20  # domains up to this size are drawn cell by cell


@dataclass(frozen=True)
class Run:
    """The integers from ``first`` to ``last``, all with one label."""

    first: int
    last: int
    label: int


def strip(runs: Sequence[Run], *, caption: str, title: str, desc: str, clipped: bool = True) -> str:
    """Draw a function on consecutive integers, of any size.

    Parameters
    ----------
    runs : sequence of Run
        In order, without gaps; together they are the domain.
    caption : str
        One line above the axis.
    title, desc : str
        Alternative text.
    clipped : bool, default True
        Whether the axis ends with the domain; otherwise it goes on in both directions.
    """
    low, high = runs[0].first, runs[-1].last
    if high - low < _CELLS and clipped:
        labels = "".join(str(run.label) * (run.last - run.first + 1) for run in runs)
        return cells(labels, first=low, caption=caption, title=title, desc=desc)
    scale, name = _scale(low, high, [run.first for run in runs[1:]])
    body = Element("g")
    y = _heading(body, caption)
    edges = _edges([scale(run.first) for run in runs] + [1.0])
    for run, left, right in zip(runs, edges[:-1], edges[1:], strict=True):
        kind = "ls-one" if run.label else "ls-zero"
        body.add("rect", x=left, y=y, width=right - left, height=_BAR, class_=kind)
        if right - left >= 22:
            _label(body, (left + right) / 2, y, run.label)
    body.add("rect", x=MARGIN, y=y, width=_INNER, height=_BAR, class_="ls-axis")
    if not clipped:
        body.add("text", "…", x=0, y=y + 22, class_="ls-dim")
        body.add("text", "…", x=WIDTH, y=y + 22, text_anchor="end", class_="ls-dim")
    y = _ticks(body, y + _BAR, _marks(runs, edges))
    if clipped:
        y = _ends(body, y, integer(low), integer(high))
    if name:
        body.add("text", name, x=MARGIN, y=y + 16, class_="ls-dim ls-small")
        y += 20
    return picture(body, width=WIDTH, height=y + 8, title=title, desc=desc)


def cells(labels: str, *, caption: str, title: str, desc: str, first: int = 0) -> str:
    """Draw one cell for each point of a small domain; at most 256 are drawn, the rest counted."""
    body = Element("g")
    y = _heading(body, caption)
    across, shown = min(16, max(len(labels), 1)), labels[:256]
    if len(labels) <= _CELLS:
        across = max(1, -(-len(labels) // -(-len(labels) // 10)))  # one row of ten, or two
    side = min(_INNER / across, 34.0)
    for i, label in enumerate(shown):
        row, column = divmod(i, across)
        x, top = MARGIN + column * side, y + row * (side + 14)
        kind = "ls-one" if label == "1" else "ls-zero"
        body.add("rect", x=x + 1, y=top, width=side - 2, height=side - 2, rx=3, class_=kind)
        ink = "ls-on-one" if label == "1" else "ls-dim"
        body.add(
            "text", label, x=x + side / 2, y=top + side / 2 + 4, text_anchor="middle", class_=ink
        )
        name = integer(first + i)
        if column == 0 or (text_width(name, 10) < side - 2 and across <= 10):
            body.add(
                "text",
                name,
                x=x + (side / 2 if across <= 10 else 1),
                y=top + side + 9,
                text_anchor="middle" if across <= 10 else "start",
                class_="ls-dim",
                font_size=10,
            )
    y += -(-len(shown) // across) * (side + 14)
    rest = labels[256:]
    if rest:
        more = (
            f"and {integer(len(rest))} more points, {integer(rest.count('1'))} of them labelled 1"
        )
        for line in wrap(more, _INNER):
            body.add("text", line, x=MARGIN, y=y + 14, class_="ls-dim")
            y += 18
    return picture(body, width=WIDTH, height=y + 8, title=title, desc=desc)


def _heading(body: Element, caption: str) -> float:
    y = 8.0
    for line in wrap(caption, _INNER, 14 * 1.12)[:4]:  # it is bold
        y += 18
        body.add("text", line, x=MARGIN, y=y, class_="ls-strong")
    return y + 12


def _label(body: Element, x: float, y: float, label: int) -> None:
    ink = "ls-strong ls-on-one" if label else "ls-strong ls-dim"
    body.add("text", str(label), x=x, y=y + 22, text_anchor="middle", class_=ink)


def _marks(runs: Sequence[Run], edges: Sequence[float]) -> list[tuple[float, str]]:
    """Return where runs meet, named by the first or the last point that is labelled 1."""
    marks: list[tuple[float, str]] = []
    for i in range(1, len(runs)):
        named = integer(runs[i].first if runs[i].label else runs[i - 1].last)
        if marks and marks[-1][1] == named:  # a run of one point
            marks[-1] = ((edges[i - 1] + edges[i]) / 2, named)
        else:
            marks.append((edges[i], named))
    return marks


def _ticks(body: Element, y: float, marks: Sequence[tuple[float, str]]) -> float:
    """Draw the boundaries, each with its number, on as many lines as they need."""
    free = [-1e9]  # where each line of text is free again
    for x, name in marks:
        width = text_width(name)
        left = min(max(x - width / 2, 2), WIDTH - width - 2)
        line = next((i for i, end in enumerate(free) if left > end + 6), len(free))
        free += [-1e9] * (line + 1 - len(free))
        free[line] = left + width
        body.add("line", x1=x, y1=y, x2=x, y2=y + 5 + 17 * line, class_="ls-axis")
        body.add("text", name, x=left + width / 2, y=y + 18 + 17 * line, text_anchor="middle")
    return y + (17 * len(free) + 6 if marks else 2)


def _ends(body: Element, y: float, low: str, high: str) -> float:
    """Write the ends of the domain below the axis."""
    low, high = clip(low, _INNER), clip(high, _INNER)
    body.add("text", low, x=MARGIN, y=y + 14, class_="ls-dim")
    if text_width(low) + text_width(high) + 12 > _INNER:
        y += 17
    body.add("text", high, x=WIDTH - MARGIN, y=y + 14, text_anchor="end", class_="ls-dim")
    return y + 20


def _edges(positions: Sequence[float]) -> list[float]:
    """Return where runs begin and end on the paper, none thinner than can be seen."""
    edges = [MARGIN + _INNER * p for p in positions]
    for i in range(1, len(edges)):
        edges[i] = max(edges[i], edges[i - 1] + _THIN)
    edges[-1] = MARGIN + _INNER
    for i in range(len(edges) - 2, 0, -1):
        edges[i] = min(edges[i], edges[i + 1] - _THIN)
    return edges


def _scale(low: int, high: int, inner: Sequence[int]) -> tuple[Callable[[int], float], str]:
    """Return a map of the domain to [0, 1] on which the inner boundaries can be told apart."""
    size = high - low + 1

    def linear(p: int) -> float:
        return (p - low) * 10**9 // size / 10**9

    near_low = any(linear(p) < 0.02 for p in inner)
    near_high = any(linear(p) > 0.98 for p in inner)
    if size <= 100 or near_low == near_high:
        return linear, ""
    if near_low:
        return lambda p: log2(p - low + 1) / log2(size + 1), "logarithmic scale"
    return (
        lambda p: 1 - log2(high + 1 - p + 1) / log2(size + 1),
        "logarithmic scale, from the upper end",
    )
