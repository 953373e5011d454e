"""Littlestone dimension and thresholds: both directions of Theorem 10, as constructions.

From thresholds to a tree: binary search. From a tree to thresholds: colour the inner nodes by a
hypothesis, find a large single-colour subtree (Lemma 31), keep the hypothesis and the root,
continue in one half. A tree of depth ``2**(t + 1) - 1`` gives t + 2 hypotheses distinguished by t +
1 points.

The paper's main text states "k thresholds" with k points (section 3.2) and proves them with
k - 1 (appendix A): a class of both constants on one point has depth 1 = 2**1 - 1, and two
hypotheses distinguished by one point, but no second point. `ThresholdSequence` accepts both.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from littlestone.combinatorics.witness import MistakeTree, ThresholdSequence
from littlestone.errors import parameter_error


def monochromatic_subtree(tree: MistakeTree, red: npt.ArrayLike) -> tuple[bool, MistakeTree]:
    """Return a highest single-colour subtree.

    A subtree takes a node as its root and, below each of its nodes, one subtree on either side;
    paths may skip nodes, so a shattered tree's subtrees are shattered.

    Notes
    -----
    Cost: linear in the size of the tree.

    References
    ----------
    Alon et al. 2022, Lemma 31.

    Examples
    --------
    >>> tree = MistakeTree(2, (0, 1, 2), (0, 1, 2, 3))
    >>> monochromatic_subtree(tree, [True, False, True])[1].points
    (0,)
    """
    colours = np.asarray(red, dtype=bool)
    if colours.shape != (len(tree.points),):
        raise parameter_error(
            "monochromatic_subtree", "red", f"of length {len(tree.points)}", colours.shape
        )
    heights = {colour: _heights(tree, colours == colour) for colour in (True, False)}
    is_red = bool(heights[True][0] >= heights[False][0])
    height = heights[is_red]
    in_colour = colours == is_red
    depth = int(height[0])
    points: list[int] = []
    level = [0]  # where to look for the next nodes, from left to right
    for need in reversed(range(1, depth + 1)):
        roots = [_root(height, in_colour, node, need) for node in level]
        points += [tree.points[node] for node in roots]
        level = [child for node in roots for child in (2 * node + 1, 2 * node + 2)]
    leaves = [_first_leaf(tree, node) for node in level]
    return is_red, MistakeTree(depth, tuple(points), tuple(leaves))


def thresholds_from_tree(tree: MistakeTree, matrix: npt.ArrayLike) -> ThresholdSequence:
    """Extract thresholds from a shattered tree.

    References
    ----------
    Alon et al. 2022, Theorem 10(1) and appendix A.

    Examples
    --------
    >>> matrix = [[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]]
    >>> thresholds_from_tree(MistakeTree(2, (1, 2, 0), (3, 2, 1, 0)), matrix)
    ThresholdSequence(hypotheses=(0, 1, 3), points=(0, 1))
    """
    labels = np.asarray(matrix)
    if not tree.holds(labels):
        raise parameter_error(
            "thresholds_from_tree", "tree", "a tree that the matrix shatters", tree.depth
        )
    front: list[tuple[int, int]] = []  # (h_0, x_0), (h_1, x_1), ...
    back: list[tuple[int, int]] = []  # (h_last, x_last), the one before, ...
    while tree.depth:
        # Any hypothesis of the present class may give the colours; a leaf's path lies within it.
        h = tree.leaves[0]
        is_red, subtree = monochromatic_subtree(tree, labels[h, list(tree.points)] == 1)
        (front if is_red else back).append((h, subtree.points[0]))
        # Red points have h = 1: h comes first, the rest must label the root 0. Blue: dually.
        tree = _half(subtree, label=0 if is_red else 1)
    back.reverse()
    hypotheses = (*(h for h, _ in front), tree.leaves[0], *(h for h, _ in back))
    return ThresholdSequence(hypotheses, tuple(x for _, x in front + back))


def tree_from_thresholds(thresholds: ThresholdSequence) -> MistakeTree:
    """Turn k thresholds into a shattered tree of depth ``floor(log2(k))``: binary search.

    References
    ----------
    Alon et al. 2022, Theorem 10(2) and appendix A.

    Examples
    --------
    >>> tree_from_thresholds(ThresholdSequence((0, 1, 2, 3), (0, 1, 2)))
    MistakeTree(depth=2, points=(1, 2, 0), leaves=(3, 2, 1, 0))
    """
    depth = len(thresholds.hypotheses).bit_length() - 1
    if depth < 0 or len(thresholds.points) < len(thresholds.hypotheses) - 1:
        raise parameter_error(
            "tree_from_thresholds", "thresholds", "a threshold sequence", thresholds
        )
    points: list[int] = []
    level = [(0, 1 << depth)]  # runs of hypotheses, those reached by more zeros first
    while level[0][1] - level[0][0] > 1:
        # h_i(x_j) = 1 iff i <= j: asking x_(middle-1), label 1 keeps i < middle.
        points += [thresholds.points[(low + high) // 2 - 1] for low, high in level]
        level = [
            run
            for low, high in level
            for run in (((low + high) // 2, high), (low, (low + high) // 2))
        ]
    return MistakeTree(depth, tuple(points), tuple(thresholds.hypotheses[low] for low, _ in level))


def _heights(tree: MistakeTree, coloured: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return for each node (leaves too) the height of the highest coloured subtree below it."""
    n = len(tree.points)
    height = np.zeros(2 * n + 1, dtype=np.int64)
    for level in reversed(range(tree.depth)):
        nodes = np.arange(2**level - 1, 2 ** (level + 1) - 1)
        left, right = height[2 * nodes + 1], height[2 * nodes + 2]
        rooted = np.where(coloured[nodes], np.minimum(left, right) + 1, 0)
        height[nodes] = np.maximum(rooted, np.maximum(left, right))
    return height


def _root(
    height: npt.NDArray[np.int64], coloured: npt.NDArray[np.bool_], node: int, need: int
) -> int:
    """Return the root, at or below a node, of a coloured subtree of height ``need``."""
    while not (coloured[node] and min(height[2 * node + 1], height[2 * node + 2]) >= need - 1):
        node = 2 * node + 1 if height[2 * node + 1] >= need else 2 * node + 2
    return node


def _first_leaf(tree: MistakeTree, node: int) -> int:
    """Return the hypothesis of the leftmost leaf below a node."""
    while node < len(tree.points):
        node = 2 * node + 1
    return tree.leaves[node - len(tree.points)]


def _half(tree: MistakeTree, label: int) -> MistakeTree:
    """Return the subtree of the root's child for a label."""
    points: list[int] = []
    for level in range(1, tree.depth):
        start, width = 2**level - 1, 2 ** (level - 1)
        points += tree.points[start + label * width : start + (label + 1) * width]
    width = 2 ** (tree.depth - 1)
    leaves = tree.leaves[label * width : (label + 1) * width]
    return MistakeTree(tree.depth - 1, tuple(points), leaves)
