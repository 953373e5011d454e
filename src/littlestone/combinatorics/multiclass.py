"""The Littlestone dimension of a finite class with several labels, exactly, and its SOA.

A *shattered tree* of depth d is a full binary tree with a point at each inner node and two
different labels at its two edges, such that every path is followed by some hypothesis. The largest
depth is the least number of mistakes that a deterministic learner can guarantee on realizable
streams (Daniely, Sabato, Ben-David, Shalev-Shwartz 2011); the standard optimal algorithm attains
it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from littlestone.combinatorics.limits import NodeLimit


class LabelMatrix:
    """A finite class as the matrix of its labels; version spaces are sets of rows, as integers.

    Parameters
    ----------
    labels : integer array of shape (hypotheses, points)
        Distinct rows.
    budget : NodeLimit
        A node is one version space whose dimension was not known.
    """

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
