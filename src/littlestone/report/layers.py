"""Trees in layers: the root on the left, one column for each level, one row for each leaf.

Reading goes from left to right, so texts stay horizontal, and a tree of few levels fits on a phone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from littlestone.report.strips import MARGIN
from littlestone.svg import Element, clip, picture, text_width

__all__ = ["WIDEST", "Branch", "layers", "levels"]

WIDEST = 150.0  #: Of a box, before its text is cut.
_ROW = 28.0
_BOX = 22.0
_TAG = 18.0
_GAP = 26.0  # between two columns
_SIZE = 12.0
_PAD = 7.0
_NARROWEST = 330.0


@dataclass
class Branch:
    """A node of a drawn tree.

    Parameters
    ----------
    text : str
    kind : {"inner", "leaf", "more"}
        "more" says what is left out.
    label : int or None
        The answer, 0 or 1, that leads here.
    children : list of Branch
    """

    text: str
    kind: str = "inner"
    label: int | None = None
    children: list[Branch] = field(default_factory=list)


def layers(root: Branch, *, title: str, desc: str, note: str = "") -> str:
    """Draw a tree.

    Examples
    --------
    >>> svg = layers(Branch("x", children=[Branch("a", "leaf", 0), Branch("b", "leaf", 1)]),
    ...              title="A tree", desc="Two leaves")
    >>> svg.count("<rect"), svg.count("<path")
    (5, 2)
    """
    columns: list[float] = []
    _measure(root, 0, columns)
    lefts = [MARGIN]
    for width in columns[:-1]:
        lefts.append(lefts[-1] + width + _GAP)
    drawing = _Drawing(lefts)
    top = 8.0
    if note:
        drawing.boxes.add("text", note, x=MARGIN, y=top + 12, class_="ls-dim", font_size=_SIZE)
        top += 26
    rows = drawing.place(root, 0, 0, top)[1]
    body = Element("g", drawing.edges, drawing.boxes)
    wanted = max(lefts[-1] + columns[-1], MARGIN + text_width(note, _SIZE), _NARROWEST - MARGIN)
    height = top + rows * _ROW + 4
    return picture(body, width=wanted + MARGIN, height=height, title=title, desc=desc)


def levels(node: Branch) -> int:
    """Return the number of columns that a tree needs.

    Examples
    --------
    >>> levels(Branch("x", children=[Branch("a")]))
    2
    """
    return 1 + max(map(levels, node.children), default=0)


def _measure(node: Branch, level: int, columns: list[float]) -> None:
    """Make each column as wide as its widest box."""
    if level == len(columns):
        columns.append(0.0)
    columns[level] = max(columns[level], _width(node) + (_TAG if node.label is not None else 0))
    for child in node.children:
        _measure(child, level + 1, columns)


def _width(node: Branch) -> float:
    return min(text_width(node.text, _SIZE), WIDEST) + 2 * _PAD


class _Drawing:
    """Edges and boxes, in two layers; columns begin at ``lefts``."""

    def __init__(self, lefts: list[float]) -> None:
        self._lefts = lefts
        self.edges, self.boxes = Element("g"), Element("g")

    def place(self, node: Branch, level: int, row: float, top: float) -> tuple[float, float]:
        """Draw a node and what is below it, from a row on; return its middle and the next row."""
        middles = []
        following = row
        for child in node.children:
            middle, following = self.place(child, level + 1, following, top)
            middles.append(middle)
        if not middles:
            following = row + 1
        own = (middles[0] + middles[-1]) / 2 if middles else top + (row + 0.5) * _ROW
        tag = _TAG if node.label is not None else 0.0
        right = self._lefts[level] + tag + _width(node)
        for middle in middles:
            left = self._lefts[level + 1]
            line = f"M{right:.1f} {own:.1f}H{left - _GAP / 2:.1f}V{middle:.1f}H{left:.1f}"
            self.edges.add("path", d=line, class_="ls-axis")
        _box(node, self._lefts[level], own, tag, self.boxes)
        return own, following


def _box(node: Branch, left: float, middle: float, tag: float, boxes: Element) -> None:
    y, baseline = middle - _BOX / 2, middle + 4
    if node.label is not None:
        kind, ink = ("ls-one", "ls-on-one") if node.label else ("ls-zero", "ls-dim")
        boxes.add("rect", x=left, y=y, width=tag - 2, height=_BOX, rx=4, class_=kind)
        boxes.add(
            "text", str(node.label), x=left + (tag - 2) / 2, y=baseline,
            class_=f"{ink} ls-small", font_size=_SIZE, text_anchor="middle",
        )  # fmt: skip
    frame = {"inner": "ls-chip", "leaf": "ls-zero", "more": ""}[node.kind]
    if frame:
        width = _width(node)
        radius = _BOX / 2 if node.kind == "inner" else 4
        boxes.add("rect", x=left + tag, y=y, width=width, height=_BOX, rx=radius, class_=frame)
    boxes.add(
        "text", clip(node.text, WIDEST + 1, _SIZE), x=left + tag + _PAD, y=baseline,
        class_="ls-small" if frame else "ls-dim ls-small", font_size=_SIZE,
    )  # fmt: skip
