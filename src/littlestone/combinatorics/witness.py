"""Witnesses: objects that prove a dimension, each with a checker that uses the definition only.

A checker reads the raw matrix entry by entry and shares no code with the searches, so a witness
that holds is a proof of the lower bound whatever produced it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from littlestone.types import Json


@dataclass(frozen=True)
class MistakeTree:
    """A complete binary tree whose inner nodes are points and whose leaves are hypotheses.

    It is *shattered*, and proves ``LDim >= depth``, when each leaf's hypothesis labels the points
    on its path with the labels of the path (`holds`).

    Examples
    --------
    >>> tree = MistakeTree(1, (0,), (1, 0))
    >>> tree.holds([[1, 0], [0, 0]])
    True
    >>> list(tree.path(1))
    [(0, 1)]

    References
    ----------
    Alon et al. 2022, section 3.2; Lyu 2025, section 4.
    """

    depth: int
    points: tuple[int, ...]
    leaves: tuple[int, ...]

    def path(self, leaf: int) -> Iterator[tuple[int, int]]:
        """Yield the (point, label) pairs from the root to leaf number ``leaf``."""
        node = 0
        for level in reversed(range(self.depth)):
            label = leaf >> level & 1
            yield self.points[node], label
            node = 2 * node + 1 + label

    def holds(self, matrix: npt.ArrayLike) -> bool:
        """Say whether the matrix shatters this tree."""
        labels = np.asarray(matrix)
        return (
            self.depth >= 0
            and len(self.points) == 2**self.depth - 1
            and len(self.leaves) == 2**self.depth
            and _within(self.leaves, labels.shape[0])
            and _within(self.points, labels.shape[1])
            and all(
                labels[hypothesis, point] == label
                for leaf, hypothesis in enumerate(self.leaves)
                for point, label in self.path(leaf)
            )
        )

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            "type": "mistake_tree",
            "depth": self.depth,
            "points": list(self.points),
            "leaves": list(self.leaves),
        }


@dataclass(frozen=True)
class ShatteredSet:
    """Points on which the class realises every labelling: proves ``VC >= len(points)``.

    Examples
    --------
    >>> ShatteredSet((0, 1), (0, 1, 2, 3)).holds([[0, 0], [1, 0], [0, 1], [1, 1]])
    True
    """

    points: tuple[int, ...]
    hypotheses: tuple[int, ...]

    def holds(self, matrix: npt.ArrayLike) -> bool:
        """Say whether the matrix shatters these points."""
        labels = np.asarray(matrix)
        return (
            len(set(self.points)) == len(self.points)
            and len(self.hypotheses) == 2 ** len(self.points)
            and _within(self.hypotheses, labels.shape[0])
            and _within(self.points, labels.shape[1])
            and all(
                labels[hypothesis, point] == pattern >> j & 1
                for pattern, hypothesis in enumerate(self.hypotheses)
                for j, point in enumerate(self.points)
            )
        )

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            "type": "shattered_set",
            "points": list(self.points),
            "hypotheses": list(self.hypotheses),
        }


@dataclass(frozen=True)
class ThresholdSequence:
    """Hypotheses and points in order with ``h_i(x_j) = 1`` exactly when ``i <= j``.

    The paper uses two conventions for "k thresholds". Its definition (section 3.2) has k
    hypotheses and k points, the last point labelled 1 by all; its Theorem 10 is proved
    (appendix A) for k hypotheses distinguished by k - 1 points. Both are accepted: there
    are as many points as hypotheses, or one fewer. The threshold dimension counts *points and
    hypotheses* in the sense of the definition.

    Examples
    --------
    >>> ThresholdSequence((0, 1), (0, 1)).holds([[1, 1], [0, 1]])
    True

    References
    ----------
    Alon et al. 2022, section 3.2 and appendix A.
    """

    hypotheses: tuple[int, ...]
    points: tuple[int, ...]

    def holds(self, matrix: npt.ArrayLike) -> bool:
        """Say whether the matrix contains these thresholds."""
        labels = np.asarray(matrix)
        return (
            len(self.hypotheses) > 0
            and len(self.hypotheses) - len(self.points) in (0, 1)
            and _within(self.hypotheses, labels.shape[0])
            and _within(self.points, labels.shape[1])
            and all(
                labels[hypothesis, point] == (i <= j)
                for i, hypothesis in enumerate(self.hypotheses)
                for j, point in enumerate(self.points)
            )
        )

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            "type": "threshold_sequence",
            "hypotheses": list(self.hypotheses),
            "points": list(self.points),
        }


def _within(indices: tuple[int, ...], n: int) -> bool:
    return all(0 <= index < n for index in indices)
