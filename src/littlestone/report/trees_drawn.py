"""Pictures of trees: mistake trees, trees of classes of VC dimension 1, decompositions.

Large trees are cut: what is left out is said in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from math import inf
from typing import Any

from littlestone.classes import AlwaysZero, ConceptClass, Prefixes, ShatteredTree
from littlestone.classes.prefixes import PrefixForest
from littlestone.classes.trees import ROOT, PathsTree, VC1Tree
from littlestone.combinatorics import DecompositionTree, MistakeTree
from littlestone.errors import UnsupportedError
from littlestone.report.layers import WIDEST, Branch, layers
from littlestone.report.pictures import Setting, drawer
from littlestone.report.words import integer
from littlestone.svg import text_width
from littlestone.types import Hypothesis

__all__ = ["point_names"]

_LEVELS = 4  # of questions
_CHILDREN = 6  # of one node
_NODES = 45  # in all


@drawer(MistakeTree)
def _mistakes(tree: MistakeTree, setting: Setting) -> str:
    return _binary(
        tree.depth,
        lambda i: _column(tree.points[i], setting),
        lambda i: f"concept {tree.leaves[i]}",
    )


@drawer(ShatteredTree)
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


@drawer(VC1Tree)
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
        "that no concept tells apart). The root is the concept f, and every concept differs from "
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
    """Return how many levels below the root are drawn: all, or as many as there is room for."""
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


@drawer(DecompositionTree)
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
