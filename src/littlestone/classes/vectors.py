"""Vectors over {0, ..., q - 1}: the points of conjunctions and of affine subspaces.

A single point is a tuple of n integers. A batch is a 2-D integer array, or (from one column of a
table) a 1-D array of tuples; hypotheses read both.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.data import OUTSIDE, Outside, TextDomain
from littlestone.data.cells import text
from littlestone.data.domains import refusal
from littlestone.errors import parameter_error
from littlestone.types import Point, Points

Vector = tuple[int, ...]
Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class VectorDomain(TextDomain):
    """All vectors of n entries in 0 .. q - 1.

    Python arrays have shape (m, n). In a table a vector is one cell: entries separated by spaces,
    commas or semicolons, or (up to q = 10) digits one after another.

    Examples
    --------
    >>> domain = VectorDomain(3, 4)
    >>> [domain.cell(raw) for raw in ("0120", "0, 1, 2, 0", "0123", None)]
    [(0, 1, 2, 0), (0, 1, 2, 0), OUTSIDE, OUTSIDE]
    """

    def __init__(self, q: int, n: int) -> None:
        self.q, self.n = q, n
        self.rule = f"a vector of {n} integers in [0, {q - 1}]"

    def cell(self, raw: object) -> Point | Outside:
        """Convert one cell (a text, or a sequence of integers); total and deterministic."""
        if isinstance(raw, tuple | list):
            return _vector(raw, self.q, self.n) or OUTSIDE
        written = text(raw)
        if written is None or len(written) > 24 * self.n:
            return OUTSIDE
        parts = written.replace(",", " ").replace(";", " ").split()
        if len(parts) == 1 < self.n and self.q <= 10:
            parts = list(parts[0])
        if not all(part.isascii() and part.isdigit() for part in parts):
            return OUTSIDE
        return _vector([int(part) for part in parts], self.q, self.n) or OUTSIDE

    def array(self, X: Any, caller: str = "VectorDomain") -> Points:
        """Convert an array of shape (m, n), or a column of such cells, strictly."""
        if np.ndim(X) == 2 and np.shape(X)[1] == self.n:
            try:
                table = np.asarray(X, dtype=np.float64)
            except (TypeError, ValueError):
                raise refusal(caller, "X", self.rule) from None
            if not (np.isin(table, range(self.q)) if self.q <= 64 else _whole(table, self.q)).all():
                raise refusal(caller, "X", self.rule)
            return table.astype(np.int64)
        if np.ndim(X) == 2 and np.shape(X)[1] != 1:
            shape = f"shape (m, {np.shape(X)[1]})"
            raise parameter_error(caller, "X", f"of shape (m, {self.n})", shape)
        cells = [self.cell(raw) for raw in np.asarray(X, dtype=object).reshape(-1).tolist()]
        if any(point is OUTSIDE for point in cells):
            raise refusal(caller, "X", self.rule)
        return self.store(cells)

    def store(self, points: Sequence[Any]) -> Points:
        """Return points in this domain's layout: one row for each."""
        return np.array(points, dtype=np.int64).reshape(len(points), self.n)

    def _identity(self) -> Hashable:
        return (self.q, self.n)

    def __repr__(self) -> str:
        return f"VectorDomain({self.q}, {self.n})"


def vector_rows(points: Points, q: int, n: int) -> tuple[Rows, Mask]:
    """Return a batch as rows, and which points are vectors of the domain (the others: zeros).

    Examples
    --------
    >>> rows, inside = vector_rows(np.array([[0, 1], [0, 5]]), 2, 2)
    >>> rows.tolist(), inside.tolist()
    ([[0, 1], [0, 0]], [True, False])
    """
    if points.ndim == 2 and points.shape[1] == n:
        inside = np.asarray(((points >= 0) & (points < q)).all(axis=1), dtype=bool)
        return np.where(inside[:, None], points, 0).astype(np.int64), inside
    out, inside = np.zeros((len(points), n), dtype=np.int64), np.zeros(len(points), dtype=bool)
    for i, point in enumerate(points.tolist()):
        vector = _vector(point, q, n) if isinstance(point, tuple | list) else None
        if vector is not None:
            out[i], inside[i] = vector, True
    return out, inside


def _vector(values: Sequence[Any], q: int, n: int) -> Vector | None:
    """Return the vector with these entries, or None."""
    if len(values) != n or not all(isinstance(v, int | np.integer) and 0 <= v < q for v in values):
        return None
    return tuple(int(v) for v in values)


def _whole(table: npt.NDArray[np.float64], q: int) -> Mask:
    return np.asarray((table >= 0) & (table < q) & (np.floor(table) == table), dtype=bool)
