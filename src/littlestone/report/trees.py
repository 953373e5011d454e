"""Trees as pictures: mistake trees, trees of classes, decompositions, decision trees.

A tree is laid out level by level; what does not fit is counted, not shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import inf
from typing import Any

from littlestone.classes import AlwaysZero, ConceptClass, Prefixes, ShatteredTree, TreeEnsemble
from littlestone.classes.decision_trees import Node, Tree, TreeHypothesis
from littlestone.classes.prefixes import PrefixForest
from littlestone.classes.rule_lists import ListHypothesis
from littlestone.classes.trees import ROOT, PathsTree, VC1Tree
from littlestone.combinatorics import DecompositionTree, MistakeTree
from littlestone.data import RowDomain
from littlestone.data.cells import BINARY
from littlestone.errors import UnsupportedError
from littlestone.report.html import integer
from littlestone.report.pictures import MARGIN, WIDTH, Case, Setting, card, plotter
from littlestone.svg import Element, clip, picture, text_width, wrap
from littlestone.types import Hypothesis, Label

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
    """A node of a drawn tree."""

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


_LEVELS = 4  # of questions

_CHILDREN = 6  # of one node

_NODES = 45  # in all


@plotter(MistakeTree)
def _mistakes(tree: MistakeTree, setting: Setting) -> str:
    return _binary(
        tree.depth,
        lambda i: _column(tree.points[i], setting),
        lambda i: f"concept {tree.leaves[i]}",
    )


@plotter(ShatteredTree)
def _shattered(tree: ShatteredTree, setting: Setting) -> str:
    names = point_names(tree.concept_class, tree.points)
    return _binary(tree.depth, lambda i: names[i], lambda i: _short(tree.leaves[i]))


def _binary(depth: int, point: Callable[[int], str], leaf: Callable[[int], str]) -> str:
    """Draw a complete binary tree whose nodes are questions and whose edges are answers."""
    shown = min(depth, _LEVELS)
    inner = 2**depth - 1

    def branch(node: int, level: int, label: int | None) -> Branch:
        if node >= inner:
            return Branch(leaf(node - inner), "leaf", label)
        if level == shown:
            more = _more(depth - level)
            more.label = label
            return more
        out = Branch(point(node), "inner", label)
        out.children = [branch(2 * node + 1 + y, level + 1, y) for y in (0, 1)]
        return out

    note = "every path of answers fits a concept" if depth else ""
    if shown < depth:
        note = f"the first {shown} of {depth} levels"
    words = (
        f"A complete binary tree of depth {depth}. Each inner node is a point, each edge the label "
        "0 or 1 of the point above it, and each leaf a concept with all labels of its path."
    )
    return layers(branch(0, 0, None), title="A shattered mistake tree", desc=words, note=note)


@plotter(VC1Tree)
def _vc1(tree: VC1Tree, setting: Setting) -> str:
    name = _node_names(tree)
    deepest = _fitting(lambda node: _shown(tree, node), ROOT)
    root = f"f: {_short(tree.hypothesis(ROOT))}"
    long = text_width(root, 12) > WIDEST

    def branch(node: Any, level: int) -> Branch:
        if node is ROOT:
            out = Branch("f" if long else root, "leaf")
        else:
            out = Branch(name(node) + ("" if tree.is_proper(node) else " (improper)"))
        count = tree.child_count(node)
        if count and level == deepest:
            out.children = [_more(tree.height - level, "≤ ")]
        elif count:
            shown = _shown(tree, node)
            out.children = [branch(child, level + 1) for child in shown]
            if not shown:  # points of any type have no first one
                out.children.append(Branch("… any point", "more"))
            elif count > len(shown):
                rest = "infinitely many" if count == inf else integer(int(count) - len(shown))
                out.children.append(Branch(f"… {rest} more", "more"))
        return out

    size = "infinitely many" if tree.size == inf else integer(int(tree.size))
    words = (
        f"A tree of height {integer(tree.height)} with {size} nodes, each one a point (or several "
        "that no concept distinguishes). The root is the concept f, and every concept differs from "
        "it on one path."
    )
    return layers(
        branch(ROOT, 0),
        title="The tree of a class of VC dimension 1",
        desc=words,
        note=f"height {integer(tree.height)}, {size} nodes" + (f"; {root}" if long else ""),
    )


def _shown(tree: VC1Tree, node: Any) -> list[Any]:
    """Return the children that are drawn."""
    few = tree.child_count(node) <= _CHILDREN + 1
    try:
        return list(islice(tree.children(node), _CHILDREN + few))
    except UnsupportedError:
        return []


def _fitting(children: Callable[[Any], list[Any]], root: Any) -> int:
    """Return how many levels below the root are drawn: all, or as many as there is space for."""
    level, total = [root], 1
    for depth in range(_LEVELS):
        level = [child for node in level for child in children(node)]
        total += len(level)
        if total > _NODES:
            return max(depth, 1)
    return _LEVELS


def _more(levels: int, most: str = "") -> Branch:
    return Branch(f"… {most}{integer(levels)} more level{'s' * (levels > 1)}", "more")


def _node_names(tree: VC1Tree) -> Callable[[Any], str]:
    forest = tree.forest if isinstance(tree, PathsTree) else None
    if isinstance(forest, PrefixForest):
        write = forest.notation.write
        return lambda node: write(node) or "(empty)"
    return _point


@plotter(DecompositionTree)
def _decomposition(tree: DecompositionTree, setting: Setting) -> str:
    deepest = _fitting(lambda position: list(tree.nodes[position].children or ()), 0)

    def branch(position: int, level: int, label: int | None) -> Branch:
        node = tree.nodes[position]
        if node.children is None:
            n = node.hypotheses.bit_count()
            return Branch("1 concept" if n == 1 else f"{integer(n)} concepts", "leaf", label)
        if level == deepest:
            n = node.hypotheses.bit_count()
            return Branch(f"… {integer(n)} concepts", "more", label)
        out = Branch(_column(node.point, setting), "inner", label)
        out.children = [branch(child, level + 1, y) for y, child in enumerate(node.children)]
        return out

    leaves = len(tree.leaves)
    words = (
        f"A decomposition with p = {tree.p} and d = {tree.d} into {leaves} classes, of Littlestone "
        f"dimension at most {tree.degree}. Inner nodes are points, edges their labels, leaves "
        "irreducible classes."
    )
    note = f"p = {tree.p}, d = {tree.d}: degree {tree.degree}, {integer(leaves)} leaves"
    if any(tree.nodes[i].children for i in _at_level(tree, deepest)):
        note += "; …: split further"
    return layers(branch(0, 0, None), title="A decomposition", desc=words, note=note)


def _at_level(tree: DecompositionTree, level: int) -> list[int]:
    """Return the positions of the nodes so far below the root."""
    found = [0]
    for _ in range(level):
        found = [child for i in found for child in tree.nodes[i].children or ()]
    return found


def point_names(concept_class: ConceptClass, points: Sequence[Any]) -> tuple[str, ...]:
    """Return points of a class as pictures show them: prefixes as networks or codes.

    Examples
    --------
    >>> point_names(Prefixes("ipv4"), [1, 2, 3])
    ('0.0.0.0/0', '0.0.0.0/1', '128.0.0.0/1')
    """
    if isinstance(concept_class, Prefixes):
        write = concept_class.notation.write
        return tuple(write(point) or "(empty)" for point in points)
    return tuple(map(_point, points))


def _column(column: int | None, setting: Setting) -> str:
    return setting.columns[column or 0] if setting.columns else f"point {column}"


def _point(point: Any) -> str:
    if isinstance(point, int):
        return integer(point)
    if isinstance(point, tuple) and all(isinstance(v, int) for v in point):
        if len(point) <= 12:
            return ("" if all(0 <= v <= 9 for v in point) else " ").join(map(str, point)) or "()"
        others = [f"x{i} = {v}" for i, v in enumerate(point, 1) if v]
        return f"0 but {', '.join(others)}" if others else "all 0"
    return str(point)


def _short(hypothesis: Hypothesis) -> str:
    """Return the beginning of the words: "1 if x > 3"."""
    if isinstance(hypothesis, AlwaysZero):
        return "always 0"
    return hypothesis.describe().split(", otherwise")[0].split(" (x from")[0].split(" (points")[0]


_INDENT = 42.0

_NODE_PAD = 9.0

_LINE = 18.0

_NODE_GAP = 9.0

_STEM = 12.0  # where the line to the answers leaves a chip, from its left

_MOST_LINES = 4

_NOTE = "A cell that is missing or other answers no."


@plotter(ListHypothesis)
def listed(hypothesis: ListHypothesis, setting: Setting) -> str:
    """Draw a rule list: its rules from the top, one card for each."""
    names: tuple[str, ...] = (setting.negative, setting.positive)
    if hypothesis.label_names != BINARY:
        names = tuple(map(str, hypothesis.label_names))
    cases = [
        Case((when,) if when else (), names[label], min(label, 1))
        for when, label in hypothesis.rules
    ]
    title = "A rule list" if len(cases) > 1 else f"The constant {names[cases[0].label or 0]}"
    return card(cases, title=title, desc=hypothesis.describe())


@plotter(TreeHypothesis)
def outline(hypothesis: TreeHypothesis, setting: Setting) -> str:
    """Draw a tree from its root down, one line for each node: readable at any depth, on a phone."""
    words = hypothesis.describe()
    names: tuple[str, ...] = (setting.negative, setting.positive)
    tree = hypothesis.tree
    if hypothesis.label_names != BINARY:
        names = tuple(map(str, hypothesis.label_names))
    if not isinstance(tree, Node):
        constant = hypothesis.label_names[tree]
        case = Case((), names[tree], min(tree, 1))
        return card([case], title=f"The constant {constant}", desc=words)
    drawing = TreeDrawing(names, lines=Element("g"), chips=Element("g"))
    y, _ = drawing.add(tree, MARGIN, 10.0)
    for line in wrap(_NOTE, WIDTH - 2 * MARGIN, 12):
        y += 15
        drawing.chips.add("text", line, x=MARGIN, y=y + 4, class_="ls-dim ls-small")
    body = Element("g", drawing.lines, drawing.chips)  # lines first: chips lie over them
    return picture(body, width=WIDTH, height=y + 14, title="A decision tree", desc=words)


@dataclass(frozen=True)
class TreeDrawing:
    """A drawing that grows node by node."""

    names: tuple[str, ...]
    lines: Element
    chips: Element

    def add(self, tree: Tree, x: float, y: float) -> tuple[float, float]:
        """Draw a node and all below it; return the y below, and that of the middle of its chip."""
        if not isinstance(tree, Node):
            kind = "ls-one" if tree else "ls-zero"
            below = _chip(self.chips, (x, y), self.names[tree], kind, bold=True)
            return below + _NODE_GAP, (y + below) / 2
        bottom = _chip(self.chips, (x, y), f"{tree.split.text}?", "ls-chip")
        below, stem = bottom + _NODE_GAP, x + _STEM
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
    space = WIDTH - MARGIN - x - 2 * _NODE_PAD
    size = 14 * 1.12 if bold else 14.0
    rows = wrap(text, space, size) or ["(empty)"]
    if len(rows) > _MOST_LINES:
        rows = [*rows[: _MOST_LINES - 1], clip(rows[_MOST_LINES - 1] + " …", space, size)]
    width = min(max(text_width(row, size) for row in rows), space) + 2 * _NODE_PAD
    height = _LINE * len(rows) + 10
    body.add("rect", x=x, y=y, width=width, height=height, rx=8, class_=kind)
    ink = {"class_": "ls-strong" + (" ls-on-one" if kind == "ls-one" else "")} if bold else {}
    for i, row in enumerate(rows):
        body.add("text", row, x=x + _NODE_PAD, y=y + 19 + _LINE * i, **ink)
    return y + height


# -- Sums of trees: the effect of each column as bars, and the trees as small multiples.
#
# With several labels the bars of each cell are side by side, a small column for each label.


_TREES = 8  # distinct trees that are drawn, the most frequent ones
_BAR = 15.0
_LABEL = 170.0  # space for the words of a cell
_POINTS_NOTE = (
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
    for line in wrap(
        _POINTS_NOTE.format(what="each label", scale=scale) + more, WIDTH - 2 * MARGIN, 12
    ):
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
        said = clip(_short_cell(name, cell), _CELL, 12, end=_END)
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
                clip(_short_cell(name, cell), _LABEL, 12, end=_END),
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
        for line in wrap(_POINTS_NOTE.format(what="label 1", scale=""), WIDTH - 2 * MARGIN, 12):
            y += 15
            body.add("text", line, x=MARGIN, y=y, class_="ls-dim ls-small")
    return y


def _short_cell(name: str, cell: str) -> str:
    """Say a cell without the name of its column.

    Examples
    --------
    >>> [_short_cell("age", cell) for cell in ("age < 30", "30 <= age < 60", "age is missing")]
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
