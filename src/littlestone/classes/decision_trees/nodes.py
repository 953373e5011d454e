"""A binary tree of splits, and its normal form.

A cell is known only as far as the splits above a node say: a range of bins (perhaps also
*missing* and *other*, which answer no to every split), or a category, or not some categories. In
the normal form of a tree, top-down,

1. a split whose answer is known there is replaced by that side;
2. a split is written in one way among all that part what is possible there in the same way, with
   the sides swapped where needed: ``>=`` rather than ``<`` where the cell is known to be a
   number, and the nearest edge where a split only says whether the cell is a number;
3. a node with two equal sides is replaced by the side.

Every rule keeps the function, so trees with equal normal forms are equal functions. (The converse
does not hold: "a, then b" may be the same function as "b, then a".)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from littlestone.data import Column, Literal


@dataclass(frozen=True)
class Node:
    """An inner node: what is asked, and what follows each answer."""

    split: Literal
    yes: Tree
    no: Tree


#: A node, or the label of a leaf.
Tree: TypeAlias = Node | int

_END = 1 << 20  # above every code


@dataclass(frozen=True)
class Known:
    """What is known of the code of one cell."""

    low: int = Column.FIRST  # a number lies in the bins low .. high - 1
    high: int = _END
    odd: bool = True  # whether it may be missing or other
    category: int | None = None
    excluded: frozenset[int] = frozenset()  # categories that it is not

    @property
    def possible(self) -> bool:
        """Whether any cell is like this (of texts, some always is)."""
        return self.odd or self.low < self.high


def after(known: Known, split: Literal) -> tuple[Known | None, Known | None]:
    """Return what is known after the answers yes and no; None where no cell answers so.

    Examples
    --------
    >>> yes, no = after(Known(), Literal(0, ">=", 3, "age >= 30"))
    >>> yes.low, yes.odd, no.high, no.odd
    (3, False, 3, True)
    """
    code = split.code
    if split.op == "is":
        if known.category is not None:
            return (known, None) if known.category == code else (None, known)
        if code in known.excluded:
            return None, known
        # As a number range, an excluded or chosen category says nothing; texts do not use it.
        is_code = replace(known, category=code, odd=False)
        return is_code, replace(known, excluded=known.excluded | {code})
    below = replace(known, high=max(known.low, min(known.high, code)))
    above = replace(known, low=min(known.high, max(known.low, code)))
    yes, no = (above, below) if split.op == ">=" else (below, above)
    yes = replace(yes, odd=False)
    return (yes if yes.possible else None), (no if no.possible else None)


def normal(tree: Tree) -> Tree:
    """Return the normal form.

    Examples
    --------
    >>> at30, below30 = (Literal(0, op, 3, f"age {op} 30") for op in (">=", "<"))
    >>> normal(Node(at30, Node(below30, 0, 1), 0)) == Node(at30, 1, 0)
    True
    >>> normal(Node(at30, 1, 1))
    1
    """
    while True:
        # Again only after rule 3 has removed a node: what was below it is then less well known.
        edges = {(s.column, s.code): s for s, _ in walk(tree)}
        shorter = _normal(tree, {}, edges)
        if shorter == tree:
            return tree
        tree = shorter


def _normal(
    tree: Tree, known: Mapping[int, Known], edges: Mapping[tuple[int, int], Literal]
) -> Tree:
    if not isinstance(tree, Node):
        return tree
    split, (first, second) = tree.split, (tree.yes, tree.no)
    cell = known.get(split.column, Known())
    yes, no = after(cell, split)
    if yes is None or no is None:
        return _normal(second if yes is None else first, known, edges)
    if split.op != "is" and not cell.odd:
        if split.op == "<":
            split, first, second, yes, no = _written(split, ">="), second, first, no, yes
    elif split.op != "is" and no.low >= no.high:
        # All numbers answer yes. Some edge bounds the range, or no split could do this.
        nearest = (cell.low, ">=") if cell.low > Column.FIRST else (cell.high, "<")
        split = _written(edges[split.column, nearest[0]], nearest[1])
    first = _normal(first, {**known, split.column: yes}, edges)
    second = _normal(second, {**known, split.column: no}, edges)
    return first if first == second else Node(split, first, second)


def _written(split: Literal, op: str) -> Literal:
    """Return the split at the same edge with this operator; an edge is a number, without spaces."""
    if split.op == op:
        return split
    name, edge = split.text.rsplit(f" {split.op} ", 1)
    return replace(split, op=op, text=f"{name} {op} {edge}")


def walk(tree: Tree, depth: int = 0) -> Iterator[tuple[Literal, int]]:
    """Yield each split with its depth, the node before its sides."""
    if isinstance(tree, Node):
        yield tree.split, depth
        yield from walk(tree.yes, depth + 1)
        yield from walk(tree.no, depth + 1)


def key(tree: Tree) -> Hashable:
    """Return the identity: columns, tests, codes and labels (not the wording)."""
    if not isinstance(tree, Node):
        return tree
    split = tree.split
    return (split.column, split.op, split.code, key(tree.yes), key(tree.no))
