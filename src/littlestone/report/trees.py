"""Decision trees: questions as chips, their answers indented below them, leaves in colour."""

from __future__ import annotations

from dataclasses import dataclass

from littlestone.classes.decision_trees import Node, Tree, TreeHypothesis
from littlestone.report.cards import Case, card
from littlestone.report.pictures import Setting, drawer
from littlestone.report.strips import MARGIN, WIDTH
from littlestone.svg import Element, clip, picture, text_width, wrap

__all__ = ["outline"]

_INDENT = 42.0
_PAD = 9.0
_LINE = 18.0
_GAP = 9.0
_STEM = 12.0  # where the line to the answers leaves a chip, from its left
_MOST_LINES = 4
_NOTE = "A cell that is missing or other answers no."


@drawer(TreeHypothesis)
def outline(hypothesis: TreeHypothesis, setting: Setting) -> str:
    """Draw a tree from its root down, one line for each node: readable at any depth, on a phone.

    Parameters
    ----------
    hypothesis : TreeHypothesis
    setting : Setting

    Returns
    -------
    str
        SVG.
    """
    words = hypothesis.describe()
    names = (setting.negative, setting.positive)
    tree = hypothesis.tree
    if not isinstance(tree, Node):
        return card([Case((), names[tree], tree)], title=f"The constant {tree}", desc=words)
    drawing = _Drawing(names, lines=Element("g"), chips=Element("g"))
    y, _ = drawing.add(tree, MARGIN, 10.0)
    for line in wrap(_NOTE, WIDTH - 2 * MARGIN, 12):
        y += 15
        drawing.chips.add("text", line, x=MARGIN, y=y + 4, class_="ls-dim ls-small")
    body = Element("g", drawing.lines, drawing.chips)  # lines first: chips lie over them
    return picture(body, width=WIDTH, height=y + 14, title="A decision tree", desc=words)


@dataclass(frozen=True)
class _Drawing:
    """A drawing that grows node by node."""

    names: tuple[str, str]
    lines: Element
    chips: Element

    def add(self, tree: Tree, x: float, y: float) -> tuple[float, float]:
        """Draw a node and all below it; return the y below, and that of the middle of its chip."""
        if not isinstance(tree, Node):
            kind = "ls-one" if tree else "ls-zero"
            below = _chip(self.chips, (x, y), self.names[tree], kind, bold=True)
            return below + _GAP, (y + below) / 2
        bottom = _chip(self.chips, (x, y), f"{tree.split.text}?", "ls-chip")
        below, stem = bottom + _GAP, x + _STEM
        for answer, side in (("yes", tree.yes), ("no", tree.no)):
            below, at = self.add(side, x + _INDENT, below)
            self.lines.add(
                "path", d=f"M{stem:g} {bottom:g}V{at:g}H{x + _INDENT:g}", class_="ls-axis"
            )
            self.chips.add("text", answer, x=stem + 5, y=at - 4, class_="ls-dim ls-small")
        return below, (y + bottom) / 2


def _chip(
    body: Element, corner: tuple[float, float], text: str, kind: str, *, bold: bool = False
) -> float:
    """Draw a rounded box as wide as its text; return the y below it."""
    x, y = corner
    room = WIDTH - MARGIN - x - 2 * _PAD
    size = 14 * 1.12 if bold else 14.0
    rows = wrap(text, room, size) or ["(empty)"]
    if len(rows) > _MOST_LINES:
        rows = [*rows[: _MOST_LINES - 1], clip(rows[_MOST_LINES - 1] + " …", room, size)]
    width = min(max(text_width(row, size) for row in rows), room) + 2 * _PAD
    height = _LINE * len(rows) + 10
    body.add("rect", x=x, y=y, width=width, height=height, rx=8, class_=kind)
    ink = {"class_": "ls-strong" + (" ls-on-one" if kind == "ls-one" else "")} if bold else {}
    for i, row in enumerate(rows):
        body.add("text", row, x=x + _PAD, y=y + 19 + _LINE * i, **ink)
    return y + height
