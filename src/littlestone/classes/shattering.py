"""The VC dimension of a matrix with very many rows.

`littlestone.combinatorics` answers more (witnesses, version spaces) on sets of hypotheses as
integers, which need rows**2 bits when a class is nearly a full cube. Here a million rows are one
array of patterns.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from littlestone.errors import SearchLimitError

__all__ = ["vc_dimension"]

Patterns = npt.NDArray[np.int64]


def vc_dimension(matrix: npt.NDArray[np.uint8], max_work: int = 5_000_000_000) -> int:
    """Return the largest number of columns on which the rows show all patterns.

    Parameters
    ----------
    matrix : uint8 array of 0 and 1, shape (concepts, points), without equal rows
    max_work : int
        Limit of (column sets tried) * (rows); a public number, so the answer never depends on
        the speed of the machine.

    Raises
    ------
    SearchLimitError
        If the limit is reached first.

    Notes
    -----
    Depth-first: a set is shattered only if its subsets are, so a column that fails below a set
    fails below all its extensions; stops at log2(rows), which no class exceeds. Memory: 8 bytes
    for each row and level.

    Examples
    --------
    >>> vc_dimension(np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8))
    2
    """
    search = _Search(matrix, max_work)
    search.extend(np.zeros(len(matrix), dtype=np.int64), 0, list(range(matrix.shape[1])))
    return search.best


class _Search:
    """The largest shattered set found so far, and the work done."""

    def __init__(self, matrix: npt.NDArray[np.uint8], max_work: int) -> None:
        self.matrix, self.max_work, self.work = matrix, max_work, 0
        self.best, self.most = 0, min(len(matrix).bit_length() - 1, matrix.shape[1])

    def extend(self, pattern: Patterns, size: int, later: list[int]) -> None:
        """Search all shattered extensions, by later columns, of a shattered set of this size."""
        self.best = max(self.best, size)
        fit = [c for c in later if self._shattered(self._with(pattern, c), size + 1)]
        for i, column in enumerate(fit):
            if self.best >= self.most or size + len(fit) - i <= self.best:
                return
            self.extend(self._with(pattern, column), size + 1, fit[i + 1 :])

    def _with(self, pattern: Patterns, column: int) -> Patterns:
        extended: Patterns = 2 * pattern + self.matrix[:, column]
        return extended

    def _shattered(self, pattern: Patterns, size: int) -> bool:
        self.work += len(pattern)
        if self.work > self.max_work:
            raise SearchLimitError(
                self.best, self.most, self.work // len(pattern), "The VC dimension"
            )
        return bool(np.all(np.bincount(pattern, minlength=2**size)))
