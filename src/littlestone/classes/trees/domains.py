"""Domains of tree paths: names of nodes, and prefixes written as texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from littlestone.classes.trees.listed import ListedForest
from littlestone.classes.trees.prefixes import Notation
from littlestone.data import OUTSIDE, Outside, TextDomain
from littlestone.data.cells import text
from littlestone.types import Point, Points

__all__ = ["NodeDomain", "PrefixDomain"]


class NodeDomain(TextDomain):
    """The names of the nodes of a tree; every other text is outside.

    Examples
    --------
    >>> from littlestone.classes import TreePaths
    >>> domain = TreePaths({"a": None, "b": "a"}).domain
    >>> domain.cell(" b "), domain.cell("c")
    ('b', OUTSIDE)
    """

    def __init__(self, forest: ListedForest) -> None:
        self._forest = forest
        self.rule = f"one of the {forest.size} names of the tree"

    def cell(self, raw: object) -> Point | Outside:
        """Convert one cell; total and deterministic."""
        written = text(raw)
        return written if written is not None and written in self._forest else OUTSIDE

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NodeDomain) and self._forest.nodes == other._forest.nodes

    def __hash__(self) -> int:
        return hash(("NodeDomain", self._forest.size))

    def __repr__(self) -> str:
        return f"NodeDomain({self._forest.size} names)"


class PrefixDomain(TextDomain):
    """Networks or beginnings of codes, written as texts; anything else is outside.

    Examples
    --------
    >>> from littlestone.classes.trees.prefixes import IPV4
    >>> domain = PrefixDomain(IPV4)
    >>> [domain.cell(raw) for raw in ("128.0.0.0/1", "0.0.0.0/0", "localhost")]
    [3, 1, OUTSIDE]
    """

    def __init__(self, notation: Notation) -> None:
        self.notation = notation
        self.rule = notation.rule

    def cell(self, raw: object) -> Point | Outside:
        """Convert one cell; total and deterministic. An empty cell is missing, and outside."""
        written = text(raw)
        prefix = None if written is None else self.notation.parse(written)
        return OUTSIDE if prefix is None else prefix

    def store(self, points: Sequence[Any]) -> Points:
        """Return points in this domain's layout: int64 where all prefixes fit."""
        if self.notation.bits * self.notation.length < 62:
            return np.array(points, dtype=np.int64)
        return super().store(points)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PrefixDomain) and self.notation == other.notation

    def __hash__(self) -> int:
        return hash(self.notation)

    def __repr__(self) -> str:
        return f"PrefixDomain({self.notation.spec})"
