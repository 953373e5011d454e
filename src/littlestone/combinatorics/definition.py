"""The definitions, word for word: slow, short, and independent of the searches.

Checkers of decomposition trees use them, and so does the benchmark as its textbook baseline.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

Class = frozenset[int]


class TextbookClass:
    """A class given by its rows, with the textbook recursions on sets of row numbers.

    Examples
    --------
    >>> cube = TextbookClass([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> cube.littlestone_dim(cube.all)
    2

    References
    ----------
    Alon et al. 2022, section 3.2; Lyu 2025, section 4.
    """

    def __init__(self, matrix: npt.ArrayLike) -> None:
        self._labels: list[list[int]] = np.asarray(matrix).astype(int).tolist()
        self._points = range(len(self._labels[0]))
        self._known: dict[Class, int] = {}
        self.all: Class = frozenset(range(len(self._labels)))

    def restrict(self, v: Class, point: int, label: int) -> Class:
        """Return the hypotheses of v that give the point this label."""
        return frozenset(h for h in v if self._labels[h][point] == label)

    def littlestone_dim(self, v: Class) -> int:
        """Return LDim(v) by the memoised textbook recursion; -1 for the empty class."""
        if not v:
            return -1
        known = self._known.get(v)
        if known is None:
            known = 0
            for x in self._points:
                zero = self.restrict(v, x, 0)
                if zero and zero != v:
                    one = v - zero
                    sides = min(self.littlestone_dim(zero), self.littlestone_dim(one))
                    known = max(known, 1 + sides)
            self._known[v] = known
        return known

    def soa(self, v: Class) -> tuple[int, ...]:
        """Return the labels of the standard optimal algorithm; both answers drop: 1."""
        dimension = self.littlestone_dim(v)
        return tuple(
            int(self.littlestone_dim(self.restrict(v, x, 0)) != dimension) for x in self._points
        )

    def is_irreducible(self, v: Class, k: int) -> bool:
        """Say whether no k points answered by the SOA of v lower its dimension.

        A sequence with repetitions restricts as its set of points does, and more points restrict
        more: so exactly the sets of ``min(k, n_points)`` points are tried.
        """
        dimension, labels = self.littlestone_dim(v), self.soa(v)
        for points in combinations(self._points, min(k, len(self._points))):
            rest = v
            for x in points:
                rest = self.restrict(rest, x, labels[x])
            if self.littlestone_dim(rest) < dimension:
                return False
        return True
