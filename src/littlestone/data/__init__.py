"""What is read: counts of labelled records, public domains and schemas, readers for any table.

===================================  ============================================================
`tables`, `formats`                  any table as one thing; declared formats of files
`lines`, `arrow`, `spark`            CSV, Parquet and Arrow, Spark: every cell is accepted
`databases`, `engine`, `groups`      tables by URL; grouping where the data are, in batches
`counting`, `read`                   cells and groups to records; from a table to a sample
`cells`, `calendar`                  what one cell says: a text, a number, a date
`domains`, `columns`, `schema`       what is public: points, columns, schemas
`draft`, `proposal`, `public_bins`   a schema: a first draft, learned privately, of public rows
`convert`, `points`                  cells to points; how points are stored and ordered
`sample`, `users`                    what a learner sees: counts of labelled records, of users
`labels`, `targets`                  public lists of labels; quantities, counts and times
`store`, `stored`, `code_tables`     what does not fit into memory; counts by sets of columns
`rows`                               rows that arrive one after the other
===================================  ============================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.data.columns import Column, Literal
from littlestone.data.domains import (
    OUTSIDE,
    AnyDomain,
    Domain,
    IntegerDomain,
    Outside,
    RowDomain,
    TextDomain,
)
from littlestone.data.sample import Sample
from littlestone.data.schema import Schema
from littlestone.data.users import UserSample

if TYPE_CHECKING:
    from littlestone.data.counting import read_points
    from littlestone.data.spark import local_spark
    from littlestone.data.tables import Table, read_table

__all__ = [
    "OUTSIDE",
    "AnyDomain",
    "Column",
    "Domain",
    "IntegerDomain",
    "Literal",
    "Outside",
    "RowDomain",
    "Sample",
    "Schema",
    "Table",
    "TextDomain",
    "UserSample",
    "local_spark",
    "read_points",
    "read_table",
]

# The engines (duckdb, pyarrow, narwhals) take half a second to load: only what reads needs them.
_LATE = {
    "Table": "littlestone.data.tables",
    "read_table": "littlestone.data.tables",
    "read_points": "littlestone.data.counting",
    "local_spark": "littlestone.data.spark",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        from importlib import import_module  # noqa: PLC0415

        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
