"""Shattered trees of points and concepts: proofs of a Littlestone dimension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.classes.base import ConceptClass
from littlestone.classes.encoding import to_json
from littlestone.classes.listed import ListedSpace
from littlestone.classes.oracles import VersionSpace
from littlestone.errors import (
    UnsupportedError,
    check_integer,
    parameter_error,
)
from littlestone.types import Hypothesis, Json, Point

#: A tree of depth t has 2**t leaves, which are written out.
DEEPEST = 16


@dataclass(frozen=True)
class ShatteredTree:
    """A complete binary tree of points whose every path is the behaviour of a concept.

    Examples
    --------
    >>> from littlestone.classes import Thresholds, littlestone_dimension, shattered_tree
    >>> tree = shattered_tree(Thresholds(1, 7))
    >>> tree.depth == littlestone_dimension(Thresholds(1, 7)), tree.points, tree.holds()
    (True, (4, 6, 2, 7, 5, 3, 1), True)
    >>> [(x, y) for x, y in tree.path(5)], tree.leaves[5].above
    ([(4, 1), (2, 0), (3, 1)], 2)
    """

    concept_class: ConceptClass
    depth: int
    points: tuple[Point, ...]
    leaves: tuple[Hypothesis, ...]

    def path(self, leaf: int) -> list[tuple[Point, int]]:
        """Return the (point, label) pairs from the root to leaf number ``leaf``."""
        node, out = 0, []
        for level in reversed(range(self.depth)):
            label = leaf >> level & 1
            out.append((self.points[node], label))
            node = 2 * node + 1 + label
        return out

    def holds(self, matrix: npt.ArrayLike | None = None) -> bool:
        """Check the definition: each leaf labels the points of its path as the path says."""
        if len(self.points) != 2**self.depth - 1 or len(self.leaves) != 2**self.depth:
            return False
        for number, leaf in enumerate(self.leaves):
            path = self.path(number)
            labels = [label for _, label in path]
            points = self.concept_class.domain.store([point for point, _ in path])
            if path and leaf.predict(points).tolist() != labels:
                return False
        if matrix is None:
            return True
        rows = {tuple(row) for row in np.asarray(matrix).astype(int).tolist()}
        columns = np.arange(np.asarray(matrix).shape[1])
        return all(tuple(leaf.predict(columns).tolist()) in rows for leaf in self.leaves)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            "type": "shattered_tree",
            "class": self.concept_class.spec,
            "depth": self.depth,
            "points": [to_json(point) for point in self.points],
            "leaves": [leaf.to_dict() for leaf in self.leaves],
        }


def grow(space: VersionSpace, depth: int | None = None) -> ShatteredTree:
    """Return a tree that a nonempty version space shatters."""
    dimension = space.littlestone_dim()
    if dimension < 0:
        raise parameter_error("shattered_tree", "space", "a nonempty version space", "an empty one")
    if depth is None:
        depth = dimension
    elif check_integer("shattered_tree", "depth", depth, low=0) > dimension:
        hint = f"It is {dimension}."
        raise parameter_error(
            "shattered_tree", "depth", "at most the Littlestone dimension", depth, hint
        )
    if depth > DEEPEST:
        raise UnsupportedError(
            f"A shattered tree of depth {depth} has 2**{depth} leaves, too many to write out. Ask "
            f"for a smaller one: depth=4 (at most {DEEPEST})."
        )
    points: list[Any] = [None] * (2**depth - 1)
    leaves: list[Hypothesis] = []
    if isinstance(space, ListedSpace):
        _copy(space, depth, points, leaves)
    else:
        _grow(space, depth, 0, points, leaves)
    return ShatteredTree(space.concept_class, depth, tuple(points), tuple(leaves))


def _grow(
    space: VersionSpace, depth: int, node: int, points: list[Any], leaves: list[Hypothesis]
) -> None:
    """Fill in one subtree, from left to right."""
    if not depth:
        leaves.append(space.member())
        return
    points[node] = space.splitting_point()
    for label in (0, 1):
        _grow(space.restrict(points[node], label), depth - 1, 2 * node + 1 + label, points, leaves)


def _copy(space: ListedSpace, depth: int, points: list[Any], leaves: list[Hypothesis]) -> None:
    """Take the top of the kernel's tree, which is built in one search."""
    listed = space.listed
    tree = listed.kernel.mistake_tree(space.rows)
    points[:] = [listed.points[column] for column in tree.points[: 2**depth - 1]]
    rows = tree.leaves[:: 2 ** (tree.depth - depth)]
    leaves += [listed.hypothesis(listed.kernel.matrix.rows[row]) for row in rows]
