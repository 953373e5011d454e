"""Functions that are said rather than plotted: conditions as chips, then what follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from littlestone.report.strips import MARGIN, WIDTH
from littlestone.svg import Element, clip, picture, text_width, wrap

__all__ = ["Case", "card"]

_INNER = WIDTH - 2 * MARGIN
_PAD = 10.0
_LINE = 19.0
_MOST_LINES = 6
_KINDS = {
    1: ("ls-one", "ls-on-one ls-strong"),
    0: ("ls-zero", "ls-strong"),
    None: ("ls-chip", ""),
}


@dataclass(frozen=True)
class Case:
    """When all conditions hold: the outcome. No condition at all means "otherwise" or "always".

    Parameters
    ----------
    conditions : tuple of str
    outcome : str
    label : int or None
        0 or 1, which chooses the colour; None: the outcome is a function, said in words.
    joined : {"AND", "OR"}
        What stands between the conditions.
    """

    conditions: tuple[str, ...]
    outcome: str
    label: int | None
    joined: str = "AND"


def card(cases: Sequence[Case], *, title: str, desc: str) -> str:
    """Draw a list of cases, tried from the top.

    Examples
    --------
    >>> svg = card([Case(("age > 40",), "yes", 1), Case((), "no", 0)], title="Rule", desc="A rule")
    >>> "age &gt; 40" in svg and "Otherwise" in svg
    True
    """
    body = Element("g")
    y = 6.0
    for i, case in enumerate(cases):
        alone = "In words" if case.label is None else "Always"
        word = "If" if case.conditions else "Otherwise" if i else alone
        y += 18
        body.add("text", word, x=MARGIN, y=y, class_="ls-strong ls-dim")
        y += 8
        for j, condition in enumerate(case.conditions):
            if j:
                y += 14
                body.add("text", case.joined, x=MARGIN + 4, y=y, class_="ls-strong ls-dim ls-small")
                y += 7
            y = _chip(body, y, condition, "ls-chip", "")
        if case.conditions:
            y += 18
            body.add("text", "then", x=MARGIN, y=y, class_="ls-strong ls-dim")
            y += 8
        kind, ink = _KINDS[case.label]
        y = _chip(body, y, case.outcome, kind, ink) + 6
    return picture(body, width=WIDTH, height=y + 6, title=title, desc=desc)


def _chip(body: Element, y: float, text: str, kind: str, ink: str) -> float:
    """Draw one rounded box as wide as its text; return the y below it."""
    room = _INNER - 2 * _PAD
    bold = "ls-strong" in ink
    size = 14 * 1.12 if bold else 14.0
    lines = wrap(text, room, size) or ["(empty)"]
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], clip(lines[_MOST_LINES - 1] + " …", room, size)]
    width = min(max(text_width(line, size) for line in lines), room) + 2 * _PAD
    height = _LINE * len(lines) + 11
    body.add("rect", x=MARGIN, y=y, width=width, height=height, rx=8, class_=kind)
    for i, line in enumerate(lines):
        style = {"class_": ink} if ink else {}
        body.add("text", line, x=MARGIN + _PAD, y=y + 19 + _LINE * i, **style)
    return y + height
