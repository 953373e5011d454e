"""Bins and categories of a schema from a public table, so that their cost is certified.

With m rows and rank r every r-th sorted value of a column is an edge. So fewer than r rows lie
between a number and the next edge above it, and a text that is no category occurs in fewer than r
rows: that is all that claim ``public.slabs`` asks for. A missing cell lies in no bin.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from littlestone.data.cells import number, text
from littlestone.data.columns import Column
from littlestone.data.domains import require_columns
from littlestone.data.draft import cells_of
from littlestone.data.formats import CsvFormat
from littlestone.data.schema import PublicBins, Schema
from littlestone.data.tables import read_table
from littlestone.errors import ParameterError, check_integer, parameter_error

_OWNER = "Schema.from_public"


def from_public(table: Any, *, bins: int, columns: Sequence[str] | None) -> Schema:
    """Return the schema; see `Schema.from_public`."""
    check_integer(_OWNER, "bins", bins, low=2)
    read = read_table(table, caller=_OWNER)
    names = list(read.names if columns is None else columns)
    require_columns(names, read.names, _OWNER)
    cells = {name: cells_of(read, name, _OWNER, [name]) for name in names}
    points = max(map(len, cells.values()), default=0)
    if not points:
        raise parameter_error(_OWNER, "table", "at least one row and one column", "none")
    rank = points // bins + 1  # the least with points // rank < bins
    found = [_column(name, each, rank) for name, each in cells.items()]
    kept = tuple(column for column in found if column is not None)
    if not kept:
        raise parameter_error(
            _OWNER, "table", f"a column with {rank} cells that are alike or are numbers", "none",
            "Take more rows, or more bins.",
        )  # fmt: skip
    return Schema(kept, public=PublicBins(points, rank))


def beside(  # noqa: PLR0917
    table: Any, public: Any, leave: Sequence[str | None], columns: Sequence[str] | None,
    bins: int, csv: Any, caller: str,
) -> Schema:  # fmt: skip
    """Return the schema of a public table for another one, of the columns that both have."""
    refuse_same(table, public, caller)
    read, other = (read_table(each, csv=csv, caller=caller) for each in (public, table))
    both = [name for name in read.names if name in other.names and name not in leave]
    if not both:
        raise ParameterError(
            f"The 'public' parameter of {caller} must be a table with columns that the records "
            f"have, too. It has: {', '.join(read.names)}."
        )
    found = from_public(read, bins=bins, columns=both if columns is None else columns)
    return replace(found, csv=None if csv is None else CsvFormat.parse(csv, caller))


def refuse_same(table: Any, public: Any, caller: str) -> None:
    """Refuse to take the records themselves for public ones."""
    paths = [Path(each) for each in (table, public) if isinstance(each, str | Path)]
    same = len(paths) == 2 and all(path.exists() for path in paths) and paths[0].samefile(paths[1])
    if same or table is public:
        raise ParameterError(
            f"The 'public' parameter of {caller} must be another table than the records: points "
            "of the records themselves are not public."
        )


def _column(name: str, cells: Sequence[object], rank: int) -> Column | None:
    """Return a column with its edges or categories; None if it has none."""
    written = [cell for cell in map(text, cells) if cell is not None and cell.lower() != "nan"]
    numbers = sorted(value for value in map(number, written) if value is not None)
    if len(numbers) == len(written):
        edges = sorted({_finite(value) for value in numbers[rank - 1 :: rank]})
        return Column.bins(name, edges) if edges else None
    often = [value for value, times in Counter(written).items() if times >= rank]
    return Column.of(name, sorted(often, key=str.encode)) if often else None


def _finite(value: float) -> float:
    """Return the double in the place of a number; the largest one is that of an infinity."""
    return float(max(-sys.float_info.max, min(value, sys.float_info.max)))
