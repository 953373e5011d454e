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
_PLAIN = r"\A-?[0-9]{1,15}(\.[0-9]{1,15})?\z"

#: One comparison for each edge; beyond this many, grouping by raw cells is the cheaper way.
_MOST_EDGES = 300


class Binned(NamedTuple):
    """A column in the engine: its code, and the raw cells whose code is still null.

    A cell whose code and rest are both null is missing.
    """

    code: nw.Expr
    rest: nw.Expr | None


def bin_in_engine(cell: nw.Expr, dtype: Any, column: Column) -> Binned | None:
    """Return the expressions for a numeric column; None where cells must be read one by one.

    Comparisons are exact: integers are compared with integers (the edges rounded up), floats as
    doubles with doubles, and a text only when it is a short plain decimal, whose nearest double
    all engines agree on. Casts are guarded, so no text can make an engine fail.
    """
    if column.edges is None or not column.pure or len(column.edges) > _MOST_EDGES:
        return None
    if isinstance(dtype, _INTEGERS):
        return Binned(_code(cell.cast(nw.Int64), column.integer_edges), None)
    edges = [float(edge) for edge in column.edges]
    if isinstance(dtype, _FLOATS):
        value = cell.cast(nw.Float64)
        return Binned(_code(nw.when(~value.is_nan()).then(value), edges), None)
    if isinstance(dtype, nw.String):
        plain = cell.str.contains(_PLAIN)
        value = nw.when(plain).then(cell).cast(nw.Float64)
        return Binned(_code(value, edges), nw.when(~plain).then(cell))
    return None


def _code(value: nw.Expr, edges: Sequence[float]) -> nw.Expr:
    """Return FIRST + the number of edges <= value, as a balanced sum; null stays null."""
    terms = [(value >= nw.lit(edge)).cast(nw.Int64) for edge in edges]
    while len(terms) > 1:
        pairs = zip(terms[::2], terms[1::2], strict=False)
        terms = [a + b for a, b in pairs] + ([terms[-1]] if len(terms) % 2 else [])
    if not terms:  # edges beyond 64 bits, which no integer of the column reaches
        return nw.when(~value.is_null()).then(nw.lit(Column.FIRST))
    return terms[0] + nw.lit(Column.FIRST)
