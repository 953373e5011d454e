"""What is read: counts of labelled records, public domains and schemas, readers for any table.

=====================  ===========================================================================
`tables`               any table as one thing
`lines`, `containers`  CSV; Arrow, databases, Spark, and the engine: every cell is accepted
`codes`, `counting`    cells to codes and points; groups to records
`read`                 from a table to a sample; rows
`cells`                what one cell says: a text, a number, a date, a label; declared formats
`cleaning`             what it says with a unit, a limit or another spelling
`domains`, `schema`    what is public: points and domains; columns and schemas
`draft`, `proposal`    a schema: a first draft, of public rows or a codebook; learned privately
`histogram`            what noisy counts of its cells say of a column; groups of records, by cells
                       of public columns
`sample`               what a learner sees: counts of labelled records; counts by sets of columns
`targets`              quantities, counts and times; users with their records
`stored`               what does not fit into memory
=====================  ===========================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.data.domains import OUTSIDE as OUTSIDE
from littlestone.data.domains import AnyDomain as AnyDomain
from littlestone.data.domains import Domain as Domain
from littlestone.data.domains import IntegerDomain as IntegerDomain
from littlestone.data.domains import Outside as Outside
from littlestone.data.domains import RowDomain as RowDomain
from littlestone.data.domains import TextDomain as TextDomain
from littlestone.data.sample import Sample as Sample
from littlestone.data.schema import Column as Column
from littlestone.data.schema import Literal as Literal
from littlestone.data.schema import Schema as Schema
from littlestone.data.targets import UserSample as UserSample

if TYPE_CHECKING:
    from littlestone.data.counting import read_points as read_points
    from littlestone.data.proposal import propose as propose
    from littlestone.data.tables import Table as Table
    from littlestone.data.tables import read_table as read_table

# The engines (duckdb, pyarrow, narwhals) take half a second to load: only what reads needs them.
_LATE = {
    "Table": "littlestone.data.tables",
    "read_table": "littlestone.data.tables",
    "read_points": "littlestone.data.counting",
    "propose": "littlestone.data.proposal",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        from importlib import import_module  # noqa: PLC0415

        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
