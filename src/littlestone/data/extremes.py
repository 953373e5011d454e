"""Extreme points of chunks of records, found by the engine: one MIN/MAX GROUP BY, and no counts.

A learner of thresholds needs of each chunk of records only the largest point labelled 0 and the
smallest one labelled 1. A row's chunk is a function of its *position* in the file (and of a public
key), so replacing one record changes one chunk.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.data.cells import Match, number, text
from littlestone.errors import parameter_error

if TYPE_CHECKING:
    from littlestone.data.domains import IntegerDomain
    from littlestone.source import Source

__all__ = ["Extremes", "read_extremes", "row_count"]

#: Positions are mixed in 64 bits: row * multiplier must fit.
_MOST_ROWS = 3_000_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Extremes:
    """For each chunk of records over an integer domain: all that a threshold learner needs.

    Attributes
    ----------
    n : int
        Number of records in all chunks together (public).
    zeros : sequence of int or None
        The largest point labelled 0.
    ones : sequence of int or None
        The smallest point labelled 1.
    outside : sequence of bool
        Whether some record outside the domain has label 1.
    """

    n: int
    zeros: Sequence[int | None]
    ones: Sequence[int | None]
    outside: Sequence[bool]

    def __repr__(self) -> str:
        return f"Extremes(n={self.n}, chunks={len(self.zeros)})"  # nothing else is public


def row_count(table: Any, x: str, y: str) -> int | None:
    """Return the number of rows if `read_extremes` can read this table, else None.

    It can read one Parquet file whose column of points holds integers, and whose column of labels
    holds integers or truth values: its schema decides, never a value.
    """
    if not isinstance(table, str | Path) or Path(table).suffix.lower() not in (".parquet", ".pq"):
        return None
    path = Path(table)
    if not path.is_file():
        return None
    import pyarrow as pa  # noqa: PLC0415 - engines are loaded late
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        metadata = pq.read_metadata(path)
        schema = metadata.schema.to_arrow_schema()
    except (OSError, ValueError, pa.ArrowException):
        return None  # the ordinary reader says what is wrong
    names = [name.lower() for name in schema.names]  # as the engine compares them
    if len(set(names)) < len(names) or "file_row_number" in names or not {x, y} <= {*schema.names}:
        return None
    integer = pa.types.is_integer(schema.field(x).type)
    label = schema.field(y).type
    if not integer or not (pa.types.is_integer(label) or pa.types.is_boolean(label)):
        return None
    n = int(metadata.num_rows)
    return n if 1 <= n <= _MOST_ROWS else None


def read_extremes(
    path: str | Path,
    *,
    x: str,
    y: str,
    domain: IntegerDomain,
    positive: Any,
    chunks: int,
    source: Source,
) -> Extremes:
    """Return the extreme points of chunks of rows; see `row_count` for what can be read.

    Parameters
    ----------
    path : path of a Parquet file
    x, y : str
        Columns of points and of labels.
    domain : IntegerDomain
        A point outside it, or missing, counts as outside.
    positive : int, float, bool or str
        As in `Sample.read`: a label is 1 when its cell is the same number; a missing one is 0.
    chunks : int >= 1
        The rows are dealt to so many chunks of nearly equal size, by position.
    source : Source
        Gives the public key of the dealing (its ``public_rng``): for utility only.

    Returns
    -------
    Extremes

    Raises
    ------
    ParameterError, DataError

    Notes
    -----
    Cost: one pass of the engine. 10 million rows: about half a second on two cores
    (``benchmarks/vc1.py --rows``).
    """
    from littlestone.data.engine import connect, quietly  # noqa: PLC0415 - engines load late

    n = row_count(path, x, y)
    if n is None:
        raise parameter_error("read_extremes", "path", "a Parquet file of integers", str(path))
    try:
        Match(positive)
    except ValueError:
        constraint = "a number or a text, not missing"
        raise parameter_error("read_extremes", "positive", constraint, positive) from None
    place = "(file_row_number * {} + {}) % {n} * {chunks} // {n}"
    query = _QUERY.format(
        chunk=place.format(*_key(n, source), n=n, chunks=chunks),
        label=_label(_name(y), positive, _range(path, y)),
        point=_point(_name(x), domain, _range(path, x)),
    )
    connection = connect()

    def run() -> Any:
        return connection.execute(query, [str(path)]).fetchall()

    rows = quietly(run, "The engine stopped while it read the Parquet file.")
    zeros: list[int | None] = [None] * chunks
    ones: list[int | None] = [None] * chunks
    outside = [False] * chunks
    for chunk, label, least, largest, beyond in rows:
        if label:
            ones[chunk], outside[chunk] = least, bool(beyond)
        else:
            zeros[chunk] = largest
    return Extremes(n, zeros, ones, outside)


#: One GROUP BY: a line for each chunk and label.
_QUERY = """
    SELECT chunk, label, min(point), max(point), count(*) > count(point)
    FROM (
        SELECT CAST({chunk} AS INTEGER) AS chunk, {label} AS label, {point} AS point
        FROM read_parquet(?, file_row_number = true, hive_partitioning = false)
    )
    GROUP BY chunk, label
"""


def _range(path: str | Path, column: str) -> tuple[int, int]:
    """Return the least and the largest value of a column's type; (0, 1) for truth values."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    kind = pq.read_schema(path).field(column).type
    bits = kind.bit_width
    if pa.types.is_boolean(kind) or pa.types.is_unsigned_integer(kind):
        return 0, 2**bits - 1
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


def _point(x: str, domain: IntegerDomain, kind: tuple[int, int]) -> str:
    """Return the point as SQL; null for what lies outside the domain."""
    low, high = max(domain.low, kind[0]), min(domain.high, kind[1])
    if (low, high) == kind:
        return x
    if low > high:
        return "CAST(NULL AS BIGINT)"
    return f"CASE WHEN {x} BETWEEN {low} AND {high} THEN {x} END"


def _label(y: str, positive: Any, kind: tuple[int, int]) -> str:
    """Return the label as SQL: of integers and truth values `Match` accepts at most one."""
    worth = number(text(positive) or "")
    if not isinstance(worth, int) or not kind[0] <= worth <= kind[1]:
        return "false"
    return f"coalesce({y} = {bool(worth) if kind == (0, 1) else worth}, false)"


def _key(n: int, source: Source) -> tuple[int, int]:
    """Return a public key of the bijection ``row -> (a row + b) mod n`` of positions."""
    rng: np.random.Generator = source.public_rng()
    a = int(rng.integers(1, n + 1))
    while math.gcd(a, n) > 1:
        a += 1
    return a % n or 1, int(rng.integers(n))


def _name(column: str) -> str:
    """Return a column's name as SQL."""
    return '"' + column.replace('"', '""') + '"'
