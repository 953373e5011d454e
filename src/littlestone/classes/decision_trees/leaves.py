"""Trees whose leaves are kept apart: for shares of labels in the leaves.

The normal form of a `TreeHypothesis` merges leaves with equal labels, and with them what they say
about probabilities. A `LeafTree` merges nothing; only leaves that no row reaches are left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from littlestone.classes.decision_trees.hypothesis import (
    TreeHypothesis,
    label,
    read_tree,
    write_tree,
)
from littlestone.classes.decision_trees.nodes import Node, Tree, key, normal, walk
from littlestone.classes.encoding import Fields
from littlestone.classes.hypotheses import names_of, names_to_dict, readable
from littlestone.data import Literal
from littlestone.data.labels import BINARY
from littlestone.types import Json, Label, Labels, Points

_MOST = 2**12


@readable
@dataclass(frozen=True)
class LeafTree:
    """A decision tree whose leaves have numbers; make one by `LeafTree.of`.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> at30, below30 = Schema.from_dict({"age": {"bins": [30]}}).literals()[:2]
    >>> tree = LeafTree.of(Node(at30, 0, 0))
    >>> tree.labels, tree.describe(), tree.cells(np.array([[3], [2]])).tolist()
    ((0, 0), 'always 0', [0, 1])
    """

    #: Its leaves are k * number + code, numbered from 0 in the order of the answers yes, no.
    tree: Tree
    label_names: tuple[Label, ...] = BINARY

    TYPE = "leaf_tree"

    @classmethod
    def of(cls, tree: Tree, label_names: tuple[Label, ...] = BINARY) -> Self:
        """Return the tree with all its leaves, of any tree with labels at the leaves."""
        k = len(label_names)
        apart = normal(_numbered(tree, iter(range(_MOST)), k))  # no two leaves are alike
        return cls(_numbered(apart, iter(range(_MOST)), k), label_names)

    @property
    def constant(self) -> int | None:
        """The code that is always answered, if it is one."""
        return self.merged.constant

    @cached_property
    def labels(self) -> tuple[int, ...]:
        """The (code of the) label of each leaf."""
        return tuple(leaf % len(self.label_names) for leaf in _leaves(self.tree))

    @cached_property
    def merged(self) -> TreeHypothesis:
        """The same function as a tree in normal form."""
        return TreeHypothesis.of(self.plain, self.label_names)

    @property
    def plain(self) -> Tree:
        """The tree with labels at its leaves, and no numbers."""
        return _labelled(self.tree, len(self.label_names))

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The literals at its inner nodes."""
        return tuple(split for split, _ in walk(self.tree))

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, key(self.tree), self.label_names)

    def cells(self, points: Points) -> npt.NDArray[np.int64]:
        """Return the number of the leaf of each row of codes."""
        out = np.empty(len(points), dtype=np.int64)
        label(self.tree, points, np.arange(len(points)), out)
        return out // len(self.label_names)

    def predict(self, points: Points) -> Labels:
        """Label each row of codes."""
        return self.merged.predict(points)

    def describe(self) -> str:
        """Say the tree in words."""
        return self.merged.describe()

    def to_dict(self) -> Json:
        """Return plain JSON."""
        out: Json = {"type": self.TYPE, "tree": write_tree(self.tree)}
        return out | names_to_dict(self.label_names)

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; only what `of` returns is accepted."""
        fields = Fields(data, ("tree",), ("label_names",))
        names = names_of(fields)
        tree = read_tree(fields, most=len(names) * _MOST)
        if cls.of(_labelled(tree, len(names)), names).tree != tree:
            raise fields.refuse("tree", "with numbered leaves, without needless splits")
        return cls(tree, names)


def _leaves(tree: Tree) -> Iterator[int]:
    if isinstance(tree, Node):
        yield from _leaves(tree.yes)
        yield from _leaves(tree.no)
    else:
        yield tree


def _numbered(tree: Tree, numbers: Iterator[int], k: int) -> Tree:
    """Return the tree with its leaves numbered anew; their labels are kept."""
    if not isinstance(tree, Node):
        return k * next(numbers) + tree % k
    yes = _numbered(tree.yes, numbers, k)
    return Node(tree.split, yes, _numbered(tree.no, numbers, k))


def _labelled(tree: Tree, k: int) -> Tree:
    """Return the tree with labels only."""
    if not isinstance(tree, Node):
        return tree % k
    return Node(tree.split, _labelled(tree.yes, k), _labelled(tree.no, k))
