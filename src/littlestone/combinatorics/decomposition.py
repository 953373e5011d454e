"""(p, d)-decompositions: trees of restrictions that end in irreducible classes.

Write ``D(s) = p (2**(d - s) - 1)``. In a valid tree a node with Littlestone dimension s has depth
at most ``D(s - 1)``; a leaf has depth at most ``D(s)`` and is ``(p 2**(d - s))``-irreducible. A
side without hypotheses is dropped, never expanded: otherwise Lemma 4.1 would be false.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy.typing as npt

from littlestone.combinatorics.definition import TextbookClass
from littlestone.combinatorics.matrix import members_of
from littlestone.types import Json

__all__ = ["DecompositionNode", "DecompositionTree", "depth_limit"]


@dataclass(frozen=True)
class DecompositionNode:
    """One node of a decomposition tree.

    Attributes
    ----------
    depth : int
        Distance from the root.
    hypotheses : int
        The restricted class, as a set.
    point : int or None
        The column asked here; None for a leaf.
    children : (int, int) or None
        Positions, in `DecompositionTree.nodes`, of the children for labels 0 and 1.
    """

    depth: int
    hypotheses: int
    point: int | None = None
    children: tuple[int, int] | None = None


@dataclass(frozen=True)
class DecompositionTree:
    """A valid (p, d)-decomposition: a witness that ``DDim_{p,d} <= degree``.

    Attributes
    ----------
    p, d : int
        Its parameters, p >= 1 and d >= LDim of the class.
    degree : int
        The largest Littlestone dimension of a leaf.
    nodes : tuple of DecompositionNode
        The root first.

    References
    ----------
    Lyu 2025, Definition 4.2 (with non-empty nodes only).
    """

    p: int
    d: int
    degree: int
    nodes: tuple[DecompositionNode, ...]

    @property
    def leaves(self) -> tuple[DecompositionNode, ...]:
        """The leaves: the classes of the decomposition."""
        return tuple(node for node in self.nodes if node.point is None)

    def holds(self, matrix: npt.ArrayLike) -> bool:
        """Check every condition of the definition, by textbook recursion: for small classes.

        Parameters
        ----------
        matrix : array-like of shape (n_hypotheses, n_points)
            Zeros and ones.

        Returns
        -------
        bool
        """
        book = TextbookClass(matrix)
        degree = -1
        for node in self.nodes:
            v = frozenset(members_of(node.hypotheses).tolist())
            s = book.littlestone_dim(v)
            if not v or node.depth > depth_limit(self.p, self.d, s - 1):
                return False
            if node.point is None or node.children is None:
                degree = max(degree, s)
                if node.depth > depth_limit(self.p, self.d, s):
                    return False
                if not book.is_irreducible(v, self.p * 2 ** (self.d - s)):
                    return False
                continue
            for label, child in enumerate(node.children):
                below = self.nodes[child]
                part = book.restrict(v, node.point, label)
                if frozenset(members_of(below.hypotheses).tolist()) != part:
                    return False
                if below.depth != node.depth + 1:
                    return False
        return degree == self.degree

    def to_dict(self) -> Json:
        """Return plain JSON; leaves list their hypotheses."""
        return {
            "type": "decomposition_tree",
            "p": self.p,
            "d": self.d,
            "degree": self.degree,
            "nodes": [
                {"depth": node.depth, "hypotheses": members_of(node.hypotheses).tolist()}
                if node.children is None
                else {"depth": node.depth, "point": node.point, "children": list(node.children)}
                for node in self.nodes
            ],
        }


def depth_limit(p: int, d: int, s: int) -> int:
    """Return ``D(s) = p (2**(d - s) - 1)``: how deep a leaf of Littlestone dimension s may be.

    Parameters
    ----------
    p, d : int
        Parameters of the decomposition.
    s : int
        From -1 (an inner node with one hypothesis) to d.

    Returns
    -------
    int

    Examples
    --------
    >>> [depth_limit(3, 2, s) for s in (2, 1, 0, -1)]
    [0, 3, 9, 21]
    """
    return int(p * (2 ** (d - s) - 1))
