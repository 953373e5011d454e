"""A tree in words, and as indented text in the style of scikit-learn's ``export_text``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from littlestone.classes.decision_trees.nodes import Known, Node, Tree, after
from littlestone.data import Literal
from littlestone.data.multiclass import BINARY
from littlestone.types import Label

__all__ = ["as_text", "in_words", "sides"]

_INDENT = "|   "
_OPPOSITE = {">=": "<", "<": ">=", "is": "is not"}


def in_words(tree: Tree, labels: Sequence[Label] = BINARY) -> str:
    """Say a tree in one sentence.

    Examples
    --------
    >>> in_words(Node(Literal(0, "is", 2, "city is Bonn"), 1, 0)), in_words(1)
    ('if city is Bonn, then 1, otherwise 0', 'always 1')
    """
    said = _sentence(tree, labels)
    return said if isinstance(tree, Node) else f"always {said}"


def _sentence(tree: Tree, labels: Sequence[Label]) -> str:
    if not isinstance(tree, Node):
        return str(labels[tree])
    sides = ((side, _sentence(side, labels)) for side in (tree.yes, tree.no))
    yes, no = (f"({said})" if isinstance(side, Node) else said for side, said in sides)
    return f"if {tree.split.text}, then {yes}, otherwise {no}"


def as_text(tree: Tree, labels: Sequence[Label] = BINARY) -> str:
    """Return a tree as indented lines.

    Examples
    --------
    >>> print(as_text(Node(Literal(0, "<", 3, "age < 30"), 1, 0)))
    |--- age < 30
    |   |--- class: 1
    |--- age >= 30, missing or other
    |   |--- class: 0
    """
    return "\n".join(_lines(tree, {}, 0, labels))


def _lines(
    tree: Tree, known: Mapping[int, Known], depth: int, labels: Sequence[Label]
) -> Iterator[str]:
    start = _INDENT * depth + "|--- "
    if not isinstance(tree, Node):
        yield f"{start}class: {labels[tree]}"
        return
    for text, side, then in sides(tree, known):
        yield start + text
        yield from _lines(side, then, depth + 1, labels)


def sides(
    node: Node, known: Mapping[int, Known]
) -> Iterator[tuple[str, Tree, Mapping[int, Known]]]:
    """Yield, for yes and then no: when this side is taken, the side, and what is known there.

    Parameters
    ----------
    node : Node
    known : mapping of column to Known
        What the splits above have told.
    """
    split = node.split
    cell = known.get(split.column, Known())
    yes, no = after(cell, split)
    # In normal form both sides are possible.
    yield split.text, node.yes, {**known, split.column: yes or cell}
    yield _otherwise(split, cell, no or cell), node.no, {**known, split.column: no or cell}


def _otherwise(split: Literal, cell: Known, no: Known) -> str:
    """Say when a split is answered no."""
    if split.op == "is":
        parts = split.text.split(" is ")
        # A name or a category may hold " is " itself.
        return " is not ".join(parts) if len(parts) == 2 else f"not: {split.text}"
    name, value = split.text.rsplit(f" {split.op} ", 1)
    if no.low >= no.high:  # all numbers answer yes
        return f"{name} is missing or other"
    numbers = f"{name} {_OPPOSITE[split.op]} {value}"
    return f"{numbers}, missing or other" if cell.odd else numbers
