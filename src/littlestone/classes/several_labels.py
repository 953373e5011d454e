"""Finite classes with several labels, for theorists: Littlestone dimension and SOA, exactly.

A *shattered tree* of depth d is a full binary tree with a point at each inner node and two
different labels at its two edges, such that every path is followed by some hypothesis. The largest
depth is the least number of mistakes that a deterministic learner can guarantee on realizable
streams (Daniely, Sabato, Ben-David, Shalev-Shwartz 2011); the standard optimal algorithm attains
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from littlestone.combinatorics.limits import DEFAULT_MAX_NODES, NodeLimit, OutOfNodes
from littlestone.errors import ParameterError, SearchLimitError, check_integer, parameter_error

T = TypeVar("T")


def multiclass_littlestone_dimension(
    labels: npt.ArrayLike, *, max_nodes: int | None = DEFAULT_MAX_NODES
) -> int:
    """Return the Littlestone dimension of a finite class with any number of labels.

    Parameters
    ----------
    labels : array-like of integers, shape (hypotheses, points)
        The label of each hypothesis on each point.
    max_nodes : int or None
        Most version spaces that are searched.

    Returns
    -------
    int
        The largest depth of a tree that the class shatters: points at the inner nodes, two
        different labels at the two edges of each.

    Raises
    ------
    ParameterError
        If ``labels`` is not a nonempty table of integers.
    SearchLimitError
        If ``max_nodes`` are not enough.

    References
    ----------
    .. [1] Daniely, Sabato, Ben-David, Shalev-Shwartz 2011, Multiclass learnability and the ERM
       principle, Definition 16 and Theorem 17.
    .. [2] Jung, Kim, Tewari 2020, On the equivalence between online and private learnability beyond
       binary classification, Section 2.

    Examples
    --------
    >>> multiclass_littlestone_dimension([[0, 0], [0, 1], [1, 1], [1, 2]])
    2
    """
    return _search(labels, max_nodes, lambda matrix, _: matrix.dimension(matrix.everything))


def multiclass_soa(
    labels: npt.ArrayLike,
    seen: Sequence[tuple[int, int]] = (),
    *,
    max_nodes: int | None = DEFAULT_MAX_NODES,
) -> tuple[int, ...]:
    """Return the labels that the standard optimal algorithm answers after some examples.

    Each point gets the label with which the hypotheses that are left have the largest Littlestone
    dimension; of equals, the least. On a realizable stream it makes at most as many mistakes as the
    Littlestone dimension of the class.

    Parameters
    ----------
    labels : array-like of integers, shape (hypotheses, points)
    seen : sequence of (point, label)
        Examples, points by number; some hypothesis must have them all.
    max_nodes : int or None
        Most version spaces that are searched.

    Raises
    ------
    ParameterError, SearchLimitError

    Examples
    --------
    >>> multiclass_soa([[0, 0], [0, 1], [1, 2], [2, 2]]), multiclass_soa([[0, 0], [2, 2]], [(0, 2)])
    ((0, 2), (2, 2))
    """

    def answers(matrix: LabelMatrix, points: int) -> tuple[int, ...]:
        for point, _ in seen:
            check_integer("multiclass_soa", "seen", point, low=0)
        if any(point >= points for point, _ in seen):
            raise ParameterError(f"The points of 'seen' must be below {points}.")
        v = matrix.consistent(seen)
        if not v:
            raise ParameterError("No hypothesis of the class has all examples in 'seen'.")
        return tuple(matrix.soa(v, point) for point in range(points))

    return _search(labels, max_nodes, answers)


def _search(
    labels: npt.ArrayLike, max_nodes: int | None, ask: Callable[[LabelMatrix, int], T]
) -> T:
    table = np.asarray(labels)
    if table.ndim != 2 or 0 in table.shape or table.dtype.kind not in "iub":
        raise parameter_error(
            "multiclass_littlestone_dimension",
            "labels",
            "a table of integers, of shape (hypotheses, points)",
            f"shape {table.shape}",
        )
    budget = NodeLimit(max_nodes)
    matrix = LabelMatrix(np.unique(table.astype(np.int64), axis=0), budget)
    try:
        return ask(matrix, table.shape[1])
    except OutOfNodes:
        most = len(table).bit_length() - 1
        what = "The Littlestone dimension"
        raise SearchLimitError(0, most, budget.used, what) from None


class LabelMatrix:
    """A finite class as the matrix of its labels; version spaces are sets of rows, as integers."""

    def __init__(self, labels: npt.NDArray[np.int64], budget: NodeLimit) -> None:
        self._budget = budget
        self._memo: dict[int, int] = {0: -1}
        self.everything = (1 << len(labels)) - 1
        #: For each point, the hypotheses by their label on it.
        self.cells = [
            {
                int(label): sum(1 << int(row) for row in np.flatnonzero(column == label))
                for label in np.unique(column)
            }
            for column in labels.T
        ]

    def dimension(self, v: int) -> int:
        """Return the dimension of a version space; -1 for the empty one.

        It is the largest ``1 + min(dimension of two sides)`` over points and pairs of labels: of a
        point only the two sides of largest dimension matter.
        """
        known = self._memo.get(v)
        if known is not None:
            return known
        self._budget.spend()
        best, most = 0, v.bit_count().bit_length() - 1  # 2**d paths need 2**d hypotheses
        for cell in self.cells:
            sides = [v & members for members in cell.values() if v & members]
            if len(sides) < 2 or best == most:
                continue
            second = sorted(map(self.dimension, sides))[-2]
            best = max(best, 1 + second)
        self._memo[v] = best
        return best

    def soa(self, v: int, point: int) -> int:
        """Return the label whose side has the largest dimension; of equals the least label."""
        sides = {label: self.dimension(v & members) for label, members in self.cells[point].items()}
        return max(sorted(sides), key=lambda label: sides[label])

    def consistent(self, seen: Iterable[tuple[int, int]]) -> int:
        """Return the hypotheses with these labels on these points."""
        v = self.everything
        for point, label in seen:
            v &= self.cells[point].get(label, 0)
        return v
