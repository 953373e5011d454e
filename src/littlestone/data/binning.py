"""Bins as expressions of an engine: what `Column.code` says, computed where the rows lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw

from littlestone.data.columns import Column

__all__ = ["Binned", "bin_in_engine"]

_INTEGERS = (nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32)
_FLOATS = (nw.Float32, nw.Float64)

#: Texts that every engine's cast to double reads alike, and as `cells.number` does.
_PLAIN = r"\A-?[0-9]{1,15}(\.[0-9]{1,25})?\z"

#: Beyond this many the expression is unwieldy, and grouping by raw cells is the cheaper way.
_MOST_EDGES = 300


class Binned(NamedTuple):
    """A column in the engine: what is to be computed first, and from that its code.

    A cell whose code is null and whose rest is null is missing; a cell whose code is null and
    whose rest is not is still to be converted.
    """

    value: nw.Expr  # a number, or null
    rest: nw.Expr | None  # cells that are no plain number, as they are
    edges: tuple[int | float, ...]

    def code(self, value: nw.Expr) -> nw.Expr:
        """Return the code of the value, which the engine has computed in a step before."""
        return nw.when(~value.is_null()).then(_code(value, self.edges, 0, len(self.edges)))


def bin_in_engine(cell: nw.Expr, dtype: Any, column: Column) -> Binned | None:
    """Return the expressions for a numeric column; None where cells must be read one by one.

    Comparisons are exact: integers are compared with integers (the edges rounded up), floats as
    doubles with doubles, and a text only when it is a short plain decimal, whose nearest double
    all engines agree on. Casts are guarded, so no text can make an engine fail.
    """
    if column.edges is None or not column.pure or len(column.edges) > _MOST_EDGES:
        return None
    if isinstance(dtype, _INTEGERS):
        return Binned(cell.cast(nw.Int64), None, column.integer_edges)
    if isinstance(dtype, _FLOATS):
        value = cell.cast(nw.Float64)
        return Binned(nw.when(~value.is_nan()).then(value), None, _doubles(column))
    if isinstance(dtype, nw.String):
        plain = cell.str.contains(_PLAIN)
        value = nw.when(plain).then(cell).cast(nw.Float64)
        return Binned(value, nw.when(~plain).then(cell), _doubles(column))
    return None


def _doubles(column: Column) -> tuple[float, ...]:
    return tuple(float(edge) for edge in column.edges or ())


def _code(value: nw.Expr, edges: Sequence[float], low: int, high: int) -> nw.Expr:
    """Search the bin by halves: FIRST + the number of edges <= value, between low and high."""
    if low == high:
        return nw.lit(Column.FIRST + low)
    middle = (low + high) // 2
    below = value < nw.lit(edges[middle])
    return (
        nw.when(below)
        .then(_code(value, edges, low, middle))
        .otherwise(_code(value, edges, middle + 1, high))
    )
