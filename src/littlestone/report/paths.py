"""Paths of a taxonomy or of prefixes: the released path from the top down; all else is 0."""

from __future__ import annotations

from collections.abc import Sequence

from littlestone.classes.prefixes import PrefixHypothesis
from littlestone.classes.tree_paths import PathHypothesis
from littlestone.report.pictures import Setting, drawer
from littlestone.report.strips import MARGIN, WIDTH
from littlestone.report.words import integer
from littlestone.svg import Element, clip, picture, text_width, wrap

__all__ = ["path_picture"]

_SHOWN = 6  # nodes of a long path: the first three and the last three
_INDENT = 16.0
_TAG = 20.0  # the label, before each node
_PAD = 8.0
_LINE = 18.0
_GAP = 8.0
_MOST_LINES = 3


@drawer(PathHypothesis)
def _path(hypothesis: PathHypothesis, setting: Setting) -> str:
    return path_picture(hypothesis.path, setting, hypothesis.describe())


@drawer(PrefixHypothesis)
def _prefix(hypothesis: PrefixHypothesis, setting: Setting) -> str:
    write, bits = hypothesis.notation.write, hypothesis.notation.bits
    digits = (hypothesis.prefix.bit_length() - 1) // bits
    names = [write(hypothesis.prefix >> bits * k) or "(empty)" for k in range(digits, -1, -1)]
    return path_picture(names, setting, hypothesis.describe())


def path_picture(names: Sequence[str], setting: Setting, words: str) -> str:
    """Draw a path of a tree, each node below the one above it; last what has label 0.

    Parameters
    ----------
    names : sequence of str
        From the top down.
    setting : Setting
    words : str
        The alternative text.

    Returns
    -------
    str
        SVG, as wide as a phone.

    Examples
    --------
    >>> svg = path_picture(["animal", "dog"], Setting(), "1 on dog and animal")
    >>> "animal" in svg, svg.count("everything else")
    (True, 1)
    """
    rows = list(names)
    if len(rows) > _SHOWN + 1:
        half = _SHOWN // 2
        rows = [*rows[:half], f"… {integer(len(rows) - _SHOWN)} more", *rows[-half:]]
    lines, chips = Element("g"), Element("g")
    y, stem = 8.0, 0.0  # where the next row begins, and where the line to it does
    for depth, name in enumerate(rows):
        x = MARGIN + _INDENT * depth
        bottom, middle = _row(chips, (x, y), name, 1)
        if depth:
            lines.add("path", d=f"M{x - _INDENT / 2:g} {stem:g}V{middle:g}H{x:g}", class_="ls-axis")
        y, stem = bottom + _GAP, bottom
    y, _ = _row(chips, (MARGIN, y + 6), "everything else, and everything below", 0)
    for line in wrap(f"1: {setting.positive}; 0: {setting.negative}", WIDTH - 2 * MARGIN, 12):
        y += 18
        chips.add("text", line, x=MARGIN, y=y, class_="ls-dim ls-small")
    body = Element("g", lines, chips)
    return picture(body, width=WIDTH, height=y + 10, title="A path of a tree", desc=words)


def _row(body: Element, corner: tuple[float, float], text: str, label: int) -> tuple[float, float]:
    """Draw a label and a node's name; return the y below them, and that of the first line."""
    x, y = corner
    left = x + _TAG + 2
    room = WIDTH - MARGIN - left - 2 * _PAD
    found = wrap(text, room, 13) or ["(empty)"]
    if len(found) > _MOST_LINES:
        found = [*found[: _MOST_LINES - 1], clip(found[_MOST_LINES - 1] + " …", room, 13)]
    height = _LINE * len(found) + 8
    kind, ink = ("ls-one", "ls-on-one ls-strong") if label else ("ls-zero", "ls-strong")
    body.add("rect", x=x, y=y, width=_TAG, height=height, rx=4, class_=kind)
    body.add("text", str(label), x=x + _TAG / 2, y=y + 18, text_anchor="middle", class_=ink)
    width = min(max(text_width(line, 13) for line in found), room) + 2 * _PAD
    frame = "ls-chip" if label else "ls-zero"
    body.add("rect", x=left, y=y, width=width, height=height, rx=6, class_=frame)
    for i, line in enumerate(found):
        body.add("text", line, x=left + _PAD, y=y + 18 + _LINE * i, font_size=13)
    return y + height, y + 13
