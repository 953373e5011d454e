"""The Vapnik-Chervonenkis dimension of a version space, exactly, with a shattered set."""

from __future__ import annotations

from littlestone.combinatorics.limits import NodeLimit
from littlestone.combinatorics.matrix import BitMatrix
from littlestone.combinatorics.witness import ShatteredSet

Cells = list[tuple[int, int]]  # (hypotheses with one labelling of the chosen points, how many)


class VCSearch:
    """Decide VC dimensions of version spaces of one matrix; remembers the largest sets found.

    Notes
    -----
    Depth first over sets of points in column order. When ``need`` points are still to be chosen,
    every later choice must leave ``2**(need - 1)`` hypotheses on both sides of *every* present
    cell, because all labellings of the other points must still appear there. In contrast to
    Littlestone trees the order of points is irrelevant, so this filter may be handed down.
    Worst-case cost ``n_points ** log2(n_hypotheses)``; nothing much better is known.
    """

    def __init__(self, matrix: BitMatrix, budget: NodeLimit) -> None:
        self._matrix = matrix
        self._budget = budget
        self._found: dict[int, tuple[int, ...]] = {}
        self._decided: set[int] = set()

    def bounds(self, v: int) -> tuple[int, int]:
        """Return what is known about VC(v) without any search: (lower, upper)."""
        lower = len(self._found.get(v, ())) if v else -1
        return lower, lower if v in self._decided else v.bit_count().bit_length() - 1

    def dimension(self, v: int) -> int:
        """Return VC(v); -1 for the empty set."""
        lower, upper = self.bounds(v)
        while lower < upper:
            points = self._shattered(v, lower + 1)
            if points is None:
                break
            self._found[v] = points
            lower += 1
        self._decided.add(v)
        return lower

    def witness(self, v: int) -> ShatteredSet:
        """Return a largest shattered set of a non-empty version space."""
        self.dimension(v)
        return self.best_known(v)

    def best_known(self, v: int) -> ShatteredSet:
        """Return the largest shattered set found so far."""
        points = self._found.get(v, ())
        cells = [v]
        for point in points:  # bit j of a cell's index is the label of the j-th point
            column = self._matrix.columns[point]
            cells = [cell & ~column for cell in cells] + [cell & column for cell in cells]
        return ShatteredSet(points, tuple((cell & -cell).bit_length() - 1 for cell in cells))

    def _shattered(self, v: int, size: int) -> tuple[int, ...] | None:
        """Return ``size`` shattered points, or None."""
        return self._extend([(v, v.bit_count())], list(self._matrix.live.items()), size)

    def _extend(
        self, cells: Cells, columns: list[tuple[int, int]], need: int
    ) -> tuple[int, ...] | None:
        """Return ``need`` of the columns that split all cells in all ways, or None."""
        self._budget.spend()
        half = 1 << (need - 1)
        fit: list[tuple[int, int]] = []
        for column, point in columns:
            for cell, n in cells:
                ones = (cell & column).bit_count()
                if ones < half or n - ones < half:
                    break
            else:
                if need == 1:
                    return (point,)
                fit.append((column, point))
        for i in range(len(fit) - need + 1):
            column, point = fit[i]
            finer: Cells = []
            for cell, n in cells:
                side = cell & column
                ones = side.bit_count()
                finer += [(side, ones), (cell ^ side, n - ones)]
            finer.sort(key=_count)  # small cells refuse most columns: look at them first
            rest = self._extend(finer, fit[i + 1 :], need - 1)
            if rest is not None:
                return (point, *rest)
        return None


def _count(cell: tuple[int, int]) -> int:
    return cell[1]
