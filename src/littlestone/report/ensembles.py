"""Sums of trees: the effect of each column as bars, and the trees as small multiples."""

from __future__ import annotations

from collections import Counter

from littlestone.classes import TreeEnsemble
from littlestone.classes.decision_trees import Node
from littlestone.data import RowDomain
from littlestone.report.pictures import MARGIN, WIDTH, Setting, plotter
from littlestone.report.trees import TreeDrawing
from littlestone.svg import Element, clip, picture, wrap

__all__ = ["ensemble_picture"]

_TREES = 8  # distinct trees that are drawn, the most frequent ones
_BAR = 15.0
_LABEL = 170.0  # room for the words of a cell
_NOTE = (
    "Bars: the mean change of the log-odds of label 1, where all other columns are equally likely "
    "to be in each bin. Computed from the trees only."
)


@plotter(TreeEnsemble)
def ensemble_picture(ensemble: TreeEnsemble, setting: Setting) -> str:
    """Draw a sum of trees: effects of columns (with a schema), then its most frequent trees.

    Parameters
    ----------
    ensemble : TreeEnsemble
    setting : Setting

    Returns
    -------
    str
        SVG.
    """
    body, y = Element("g"), 8.0
    for line in wrap(ensemble.describe(), WIDTH - 2 * MARGIN, 14):
        y += 17
        body.add("text", line, x=MARGIN, y=y, class_="ls-strong")
    if isinstance(setting.domain, RowDomain):
        y = _effects(body, ensemble.effects(setting.domain.schema), y)
    y = _multiples(body, ensemble, setting, y)
    return picture(
        body, width=WIDTH, height=y + 14, title="A sum of trees", desc=ensemble.describe()
    )


def _effects(body: Element, effects: dict[str, dict[str, float]], y: float) -> float:
    """Draw the columns, the one with the largest range first; return the y below."""
    spread = {name: max(own.values()) - min(own.values()) for name, own in effects.items()}
    reach = max((abs(v) for own in effects.values() for v in own.values()), default=0.0) or 1.0
    middle = MARGIN + _LABEL + (WIDTH - 2 * MARGIN - _LABEL) / 2
    scale = (WIDTH - MARGIN - middle - 34) / reach
    for name in sorted(effects, key=lambda name: (-spread[name], name)):
        y += 26
        body.add("text", clip(name, _LABEL, 14), x=MARGIN, y=y, class_="ls-strong")
        top = y + 4
        for cell, value in effects[name].items():
            y += _BAR
            body.add(
                "text",
                clip(_short(name, cell), _LABEL, 12),
                x=MARGIN,
                y=y,
                class_="ls-dim ls-small",
            )
            width = abs(value) * scale
            body.add(
                "rect", x=middle if value > 0 else middle - width, y=y - 9, width=width, height=9,
                class_="ls-one" if value > 0 else "ls-zero",
            )  # fmt: skip
            place = middle + width + 3 if value >= 0 else middle - width - 3
            anchor = "start" if value >= 0 else "end"
            body.add(
                "text", f"{value:+.2f}", x=place, y=y, text_anchor=anchor, class_="ls-dim ls-small"
            )
        body.add("path", d=f"M{middle:g} {top:g}V{y + 2:g}", class_="ls-axis")
    if effects:
        y += 8
        for line in wrap(_NOTE, WIDTH - 2 * MARGIN, 12):
            y += 15
            body.add("text", line, x=MARGIN, y=y, class_="ls-dim ls-small")
    return y


def _short(name: str, cell: str) -> str:
    """Say a cell without the name of its column.

    Examples
    --------
    >>> [_short("age", cell) for cell in ("age < 30", "30 <= age < 60", "age is missing")]
    ['< 30', '30 to < 60', 'missing']
    """
    if cell.startswith(f"{name} is "):
        return cell.removeprefix(f"{name} is ")
    return cell.removeprefix(f"{name} ").replace(f" <= {name} < ", " to < ")


def _multiples(body: Element, ensemble: TreeEnsemble, setting: Setting, y: float) -> float:
    """Draw the most frequent trees below each other; return the y below."""
    counted = Counter(ensemble.trees).most_common()
    names = (f"-1: {setting.negative}", f"+1: {setting.positive}")
    lines, chips = body.add("g"), body.add("g")
    for tree, times in counted[:_TREES]:
        y += 26
        often = f"drawn {times} times" if times > 1 else "drawn once"
        chips.add("text", often, x=MARGIN, y=y, class_="ls-dim ls-small")
        if isinstance(tree.tree, Node):
            y, _ = TreeDrawing(names, lines, chips).add(tree.tree, MARGIN, y + 6)
        else:
            y += 17
            chips.add("text", f"always {names[tree.tree]}", x=MARGIN, y=y)
    if len(counted) > _TREES:
        y += 20
        left = f"and {len(counted) - _TREES} other trees (export the model to see all)"
        chips.add("text", left, x=MARGIN, y=y, class_="ls-dim ls-small")
    return y
