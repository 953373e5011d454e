"""The VC dimension of a matrix, by exact search."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from littlestone.errors import BudgetExceeded

__all__ = ["vc_dimension"]


def vc_dimension(matrix: npt.NDArray[np.uint8], max_work: int = 5_000_000_000) -> int:
    """Return the largest number of columns on which the rows show all patterns.

    Parameters
    ----------
    matrix : uint8 array of 0 and 1, shape (concepts, points), without equal rows
    max_work : int
        Limit of (column sets tried) * (rows).

    Raises
    ------
    BudgetExceeded
        If the limit is reached first.

    Notes
    -----
    Depth-first: a set is shattered only if its subsets are, so a column that fails below a set
    fails below all its extensions; stops at log2(rows), which no class exceeds.

    Examples
    --------
    >>> vc_dimension(np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8))
    2
    """
    rows, columns = matrix.shape
    most = min(rows.bit_length() - 1, columns)
    best = work = 0
    # (patterns of the rows on the set, its size, columns that may still extend it)
    stack = [(np.zeros(rows, dtype=np.int64), 0, list(range(columns)))]
    while stack and best < most:
        pattern, size, later = stack.pop()
        best = max(best, size)
        if size + len(later) <= best:
            continue
        extensions = []
        for column in later:
            work += rows
            if work > max_work:
                raise BudgetExceeded(best, most, work // rows, "The VC dimension")
            extended = 2 * pattern + matrix[:, column]
            if np.all(np.bincount(extended, minlength=2 ** (size + 1))):
                extensions.append((extended, column))
        kept = [column for _, column in extensions]
        # the last pushed is tried first: it has the most columns left to go deep
        for i in range(len(extensions) - 1, -1, -1):
            stack.append((extensions[i][0], size + 1, kept[i + 1 :]))
    return best
