"""Sums of trees: the effect of each column as bars, and the trees as small multiples.

With several labels the bars of each cell are side by side, a small column for each label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from littlestone.classes import TreeEnsemble
from littlestone.classes.decision_trees import Node
from littlestone.data import RowDomain
from littlestone.report.pictures import MARGIN, WIDTH, Setting, plotter
from littlestone.report.trees import TreeDrawing
from littlestone.svg import Element, clip, picture, wrap
from littlestone.types import Label

_TREES = 8  # distinct trees that are drawn, the most frequent ones
_BAR = 15.0
_LABEL = 170.0  # space for the words of a cell
_NOTE = (
    "Bars: the mean change of the log-odds of {what}, where all other columns are equally likely "
    "to be in each bin{scale}. Computed from the trees only."
)
_BESIDE = 3  # labels whose bars are side by side
_END = 3  # characters of a name's end, by which numbered names differ
_CELL = 120.0  # space for the words of a cell, beside them
_COLUMNS = 12  # that are drawn for several labels, those of the largest effects


@plotter(TreeEnsemble)
def ensemble_picture(ensemble: TreeEnsemble, setting: Setting) -> str:
    """Draw a sum of trees: effects of columns (with a schema), then its most frequent trees."""
    return _drawn(ensemble, setting, effects=True, trees=True)


def effects_picture(ensemble: TreeEnsemble, setting: Setting) -> str:
    """Draw what each column does."""
    return _drawn(ensemble, setting, effects=True, trees=False)


def trees_picture(ensemble: TreeEnsemble, setting: Setting) -> str:
    """Draw the most frequent trees."""
    return _drawn(ensemble, setting, effects=False, trees=True)


def _drawn(ensemble: TreeEnsemble, setting: Setting, *, effects: bool, trees: bool) -> str:
    body, y = Element("g"), 8.0
    for line in wrap(ensemble.describe(), WIDTH - 2 * MARGIN, 14):
        y += 17
        body.add("text", line, x=MARGIN, y=y, class_="ls-strong")
    if effects and isinstance(setting.domain, RowDomain):
        found = ensemble.effects(setting.domain.schema)
        y = _effects(body, found[1], y) if ensemble.binary else _by_label(body, found, y)
    names = tuple(map(str, ensemble.label_names))
    if ensemble.binary:
        names = (f"-1: {setting.negative}", f"+1: {setting.positive}")
    if trees:
        y = _multiples(body, ensemble, names, y)
    return picture(
        body, width=WIDTH, height=y + 14, title="A sum of trees", desc=ensemble.describe()
    )


def _by_label(
    body: Element, effects: Mapping[Label, Mapping[str, Mapping[str, float]]], y: float
) -> float:
    """Draw the columns for a few labels beside each other, and so on; return the y below."""
    spread = {
        name: max(abs(value) for own in effects.values() for value in own[name].values())
        for name in next(iter(effects.values()))
    }
    if not spread:
        return y
    shown = sorted(spread, key=lambda name: (-spread[name], name))[:_COLUMNS]
    reach = max(spread.values()) or 1.0
    labels = list(effects)
    width = (WIDTH - 2 * MARGIN - _CELL) / _BESIDE
    for first in range(0, len(labels), _BESIDE):
        panel = labels[first : first + _BESIDE]
        middles = [MARGIN + _CELL + (i + 0.5) * width for i in range(len(panel))]
        y += 28
        for label, middle in zip(panel, middles, strict=True):
            said = clip(str(label), width - 6, 13)
            body.add("text", said, x=middle, y=y, text_anchor="middle", class_="ls-strong")
        for name in shown:
            own = {label: effects[label][name] for label in panel}
            y = _cells(body, name, own, middles, (width / 2 - 3) / reach, y)
    scale = f"; the longest is {reach:.2f}"
    left = len(spread) - len(shown)
    more = f" {left} columns of smaller effect are left out." if left else ""
    for line in wrap(_NOTE.format(what="each label", scale=scale) + more, WIDTH - 2 * MARGIN, 12):
        y += 15
        body.add("text", line, x=MARGIN, y=y, class_="ls-dim ls-small")
    return y


def _cells(  # noqa: PLR0917 - where, what, how large
    body: Element,
    name: str,
    own: Mapping[Label, Mapping[str, float]],
    middles: Sequence[float],
    scale: float,
    y: float,
) -> float:
    """Draw the cells of one column; return the y below."""
    y += 22
    body.add(
        "text", clip(name, WIDTH - 2 * MARGIN, 14, end=_END), x=MARGIN, y=y, class_="ls-strong"
    )
    top = y + 4
    for cell in next(iter(own.values())):
        y += _BAR
        said = clip(_short(name, cell), _CELL, 12, end=_END)
        body.add("text", said, x=MARGIN, y=y, class_="ls-dim ls-small")
        for values, middle in zip(own.values(), middles, strict=True):
            _bar(body, values[cell] * scale, middle, y)
    for middle in middles:
        body.add("path", d=f"M{middle:g} {top:g}V{y + 2:g}", class_="ls-axis")
    return y + 6


def _bar(body: Element, length: float, middle: float, y: float) -> None:
    body.add(
        "rect", x=middle + min(length, 0), y=y - 9, width=abs(length), height=9,
        class_="ls-one" if length > 0 else "ls-zero",
    )  # fmt: skip


def _effects(body: Element, effects: dict[str, dict[str, float]], y: float) -> float:
    """Draw the columns, the one with the largest range first; return the y below."""
    spread = {name: max(own.values()) - min(own.values()) for name, own in effects.items()}
    reach = max((abs(v) for own in effects.values() for v in own.values()), default=0.0) or 1.0
    middle = MARGIN + _LABEL + (WIDTH - 2 * MARGIN - _LABEL) / 2
    scale = (WIDTH - MARGIN - middle - 34) / reach
    for name in sorted(effects, key=lambda name: (-spread[name], name)):
        y += 26
        body.add("text", clip(name, _LABEL, 14, end=_END), x=MARGIN, y=y, class_="ls-strong")
        top = y + 4
        for cell, value in effects[name].items():
            y += _BAR
            body.add(
                "text",
                clip(_short(name, cell), _LABEL, 12, end=_END),
                x=MARGIN,
                y=y,
                class_="ls-dim ls-small",
            )
            width = abs(value) * scale
            _bar(body, value * scale, middle, y)
            place = middle + width + 3 if value >= 0 else middle - width - 3
            anchor = "start" if value >= 0 else "end"
            body.add(
                "text", f"{value:+.2f}", x=place, y=y, text_anchor=anchor, class_="ls-dim ls-small"
            )
        body.add("path", d=f"M{middle:g} {top:g}V{y + 2:g}", class_="ls-axis")
    if effects:
        y += 8
        for line in wrap(_NOTE.format(what="label 1", scale=""), WIDTH - 2 * MARGIN, 12):
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


def _multiples(body: Element, ensemble: TreeEnsemble, names: tuple[str, ...], y: float) -> float:
    """Draw the most frequent trees below each other; return the y below."""
    counted = sorted(ensemble.counted.items(), key=lambda item: -item[1])
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
