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
from littlestone.classes.hypotheses import readable
from littlestone.data import Literal
from littlestone.types import Json, Labels, Points

__all__ = ["LeafTree"]

_MOST = 2**12


@readable
@dataclass(frozen=True)
class LeafTree:
    """A decision tree whose leaves have numbers; make one by `LeafTree.of`.

    Parameters
    ----------
    tree : Node or int
        Its leaves are ``2 * number + label``, numbered from 0 in the order of the answers yes, no.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> at30, below30 = Schema.from_dict({"age": {"bins": [30]}}).literals()[:2]
    >>> tree = LeafTree.of(Node(at30, 0, 0))
    >>> tree.labels, tree.describe(), tree.cells(np.array([[3], [2]])).tolist()
    ((0, 0), 'always 0', [0, 1])
    """

    tree: Tree

    TYPE = "leaf_tree"

    @classmethod
    def of(cls, tree: Tree) -> Self:
        """Return the tree with all its leaves, of any tree with labels at the leaves."""
        return cls(_numbered(normal(_numbered(tree, iter(range(_MOST)))), iter(range(_MOST))))

    @cached_property
    def labels(self) -> tuple[int, ...]:
        """The label of each leaf."""
        return tuple(leaf % 2 for leaf in _leaves(self.tree))

    @cached_property
    def merged(self) -> TreeHypothesis:
        """The same function as a tree in normal form."""
        return TreeHypothesis.of(_labelled(self.tree))

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The literals at its inner nodes."""
        return tuple(split for split, _ in walk(self.tree))

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, key(self.tree))

    def cells(self, points: Points) -> npt.NDArray[np.int64]:
        """Return the number of the leaf of each row of codes."""
        out = np.empty(len(points), dtype=np.int64)
        label(self.tree, points, np.arange(len(points)), out)
        return out // 2

    def predict(self, points: Points) -> Labels:
        """Label each row of codes."""
        return self.merged.predict(points)

    def describe(self) -> str:
        """Say the tree in words."""
        return self.merged.describe()

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.TYPE, "tree": write_tree(self.tree)}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; only what `of` returns is accepted."""
        fields = Fields(data, ("tree",))
        tree = read_tree(fields, most=2 * _MOST)
        if cls.of(_labelled(tree)).tree != tree:
            raise fields.refuse("tree", "with numbered leaves, without needless splits")
        return cls(tree)


def _leaves(tree: Tree) -> Iterator[int]:
    if isinstance(tree, Node):
        yield from _leaves(tree.yes)
        yield from _leaves(tree.no)
    else:
        yield tree


def _numbered(tree: Tree, numbers: Iterator[int]) -> Tree:
    """Return the tree with its leaves numbered anew; their labels are kept."""
    if not isinstance(tree, Node):
        return 2 * next(numbers) + tree % 2
    yes = _numbered(tree.yes, numbers)
    return Node(tree.split, yes, _numbered(tree.no, numbers))


def _labelled(tree: Tree) -> Tree:
    """Return the tree with labels only."""
    if not isinstance(tree, Node):
        return tree % 2
    return Node(tree.split, _labelled(tree.yes), _labelled(tree.no))
