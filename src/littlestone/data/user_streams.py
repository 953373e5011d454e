"""One reading of users' records: DuckDB groups and sorts them by user, and may spill.

Whole numbers (users, points and labels) are compared by the engine itself; the groups of other
cells are converted in batches, and go back to be added up and sorted. Values, and the keys of the
users, are what `UserSample.read` says.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from littlestone.data.batches import in_batches, streamed
from littlestone.data.cells import Match, user_name
from littlestone.data.convert import distinct_cells, points_of
from littlestone.data.counting import (
    INTEGERS,
    STOPPED,
    check_rows,
    check_users,
    in_groups,
    label_codes,
    match,
    number_columns,
    numbered_users,
)
from littlestone.data.dialects import Frame
from littlestone.data.domains import Domain, IntegerDomain, RowDomain
from littlestone.data.engine import connect, quietly
from littlestone.data.points import SMALL, Keys, distinct, user_index
from littlestone.data.tables import read_table
from littlestone.data.user_blocks import HeldUsers, Ints, StreamedUsers
from littlestone.data.users import UserSample
from littlestone.errors import DataError

__all__ = ["LARGE", "read_users"]

#: Tables of at least so many rows are streamed. (Neither way changes anything that is released.)
LARGE = 1 << 20
_ROWS = 1 << 19  # of a batch, and at least of a block


def read_users(
    table: Any,
    *,
    user: str,
    x: Any = None,
    y: str,
    domain: Domain,
    positive: Any = 1,
    strict: bool = False,
    negative: Any = None,
    csv: Any = None,
    owner: str = "read_users",
    large: int = LARGE,
) -> UserSample:
    """Return the users of a table, some at a time from a private file, where the table is large.

    Parameters
    ----------
    table, user, x, y, domain, positive, strict, negative, csv, owner
        As for `UserSample.read`.
    large : int
        How many rows there must be.

    Returns
    -------
    UserSample
        A `StreamedUsers` if the domain is one of integers of 64 bits, DuckDB groups the table
        (files, databases in files, tables in memory, DuckDB relations) or Spark hands out its
        groups in batches, the table is large, and reading is not strict; else what
        `UserSample.read` returns.

    Notes
    -----
    *Cost.* One grouping and one sort in the engine, within its memory. Memory for a batch, and for
    all groups of the user who has the most; 8 bytes for each user, and where users are not named by
    whole numbers, their names. Figures: ``docs/scale.md``.

    Examples
    --------
    >>> table = pa.table({"who": [7, 4, 7], "x": [3, 5, 3], "y": [0, 1, 0]})
    >>> users = read_users(
    ...     table, user="who", x="x", y="y", domain=IntegerDomain(1, 9), large=1)
    >>> type(users).__name__, users.n_users, users.count.tolist()
    ('StreamedUsers', 2, [1, 2])
    """
    declared = domain.schema.csv if isinstance(domain, RowDomain) else None
    opened = read_table(table, csv=csv, declared=declared, owner=owner)
    rule = match(owner, "positive", positive)
    if not strict and isinstance(domain, IntegerDomain) and domain.small and isinstance(x, str):
        numbers = number_columns([x], None, domain) + ([y] if rule.numeric else [])
        frame = opened.frame((x, y, user), owner, numbers=numbers)
        check_users(frame, user, owner)
        rows = quietly(opened.rows, STOPPED.format(owner))
        engine: Any = frame.implementation
        if (rows is None or rows >= large) and streamed(frame):
            groups = _groups(frame, domain, rule.value)
            read = partial(_through_python, frame, domain, rule, rows)
            if groups is not None and engine is nw.Implementation.DUCKDB:
                read = partial(_in_engine, groups, domain)
            found = quietly(read, STOPPED.format(owner))
            check_rows(found.n_users, owner)
            # of some tables the number of rows is known only now
            return found if rows is not None or found.n_groups >= large else found.together()
    columns: dict[str, Any] = {"user": user, "x": x, "y": y, "domain": domain, "owner": owner}
    return UserSample.read(opened, positive=positive, strict=strict, negative=negative, **columns)


def _groups(frame: Frame, domain: IntegerDomain, label: Any) -> Frame | None:
    """Return the sorted groups (user, point, label), not yet read; None for other columns.

    A point outside the domain is the number before its first one.
    """
    if not isinstance(label, int) or abs(label) >= SMALL:
        return None
    kinds = list(frame.collect_schema().values())
    if not isinstance(kinds[2], INTEGERS):
        return None
    if not all(isinstance(kind, (*INTEGERS, nw.UInt64, nw.Boolean)) for kind in kinds[:2]):
        return None
    cell, kept = nw.col("c0"), nw.col("c1")
    if isinstance(kinds[0], nw.Boolean):
        cell = cell.cast(nw.Int8)
    if isinstance(kinds[1], nw.Boolean):
        kept = kept.cast(nw.Int8)
    inside = (cell >= domain.low) & (cell <= domain.high)
    chosen = frame.select(
        user=nw.col("c2").cast(nw.Int64),
        point=nw.when(inside).then(cell).cast(nw.Int64),
        label=nw.when(kept == label).then(nw.lit(1)).otherwise(nw.lit(0)).cast(nw.Int8),
    )
    total = chosen.with_columns(point=nw.col("point").fill_null(domain.low - 1))
    counted = total.group_by("user", "point", "label").agg(n=nw.len())
    return counted.sort("user", "point", "label", nulls_last=True)


def _in_engine(groups: Frame, domain: IntegerDomain) -> StreamedUsers:
    """Read sorted groups."""
    ordered: Any = groups.to_native()
    return _held(ordered.to_arrow_reader(_ROWS), domain)


def _through_python(
    frame: Frame, domain: IntegerDomain, positive: Match, rows: int | None
) -> StreamedUsers:
    """Read any cells: groups are converted in batches, and go back to be added up and sorted."""
    names: dict[Any, int] = {}  # of users, in the order in which they come
    room = connect()
    room.execute("CREATE TEMP TABLE groups (id BIGINT, point BIGINT, label TINYINT, n BIGINT)")
    try:
        for batch in in_batches(in_groups(frame), rows=rows, size=_ROWS):
            room.register("batch", _converted(batch, domain, positive, names))
            room.execute("INSERT INTO groups SELECT * FROM batch")
            room.unregister("batch")
        rank, keys = user_index(list(names))
        room.register("ranks", pa.table({"id": np.arange(len(rank)), "rank": rank}))
        ordered = room.sql(
            "SELECT rank AS user, point, label, CAST(sum(n) AS BIGINT) AS n "
            "FROM groups JOIN ranks USING (id) GROUP BY ALL ORDER BY rank, point, label"
        )
        return _held(ordered.to_arrow_reader(_ROWS), domain, keys)
    finally:
        room.close()


def _converted(
    batch: pa.RecordBatch, domain: IntegerDomain, positive: Match, names: dict[Any, int]
) -> pa.Table:
    cells, labels, users, count = (pa.chunked_array([column]) for column in batch.columns)
    raw, where = distinct_cells(users)
    numbers = pa.types.is_integer(users.type) and users.type != pa.uint64()
    named = [cell if numbers else user_name(cell) for cell in raw]
    ids = np.array([names.setdefault(name, len(names)) for name in named], dtype=np.int64)
    points, index = points_of(cells, domain)
    values = np.append(points, domain.low - 1)[index].astype(np.int64)
    label = label_codes(labels, positive)
    return pa.table({"id": ids[where], "point": values, "label": label, "n": count})


def _held(
    batches: Iterator[pa.RecordBatch], domain: IntegerDomain, keys: Keys | None = None
) -> StreamedUsers:
    """Write sorted groups to a private file, in blocks of whole users.

    The numbers of users are names of theirs, or, with keys, their numbers.
    """
    held = HeldUsers()
    for block in _whole_users(batches):
        held.add(_block(block, domain, keys))
    return StreamedUsers(held.keys(), held.blocks)


def _whole_users(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield the groups again, so that no user is in two tables."""
    left: list[pa.Table] = []
    for batch in batches:
        if not batch.num_rows:
            continue
        table = pa.Table.from_batches([batch])
        user = table["user"]
        last = user[-1].as_py()
        if left and left[-1]["user"][-1].as_py() != last:
            # the users of what is left end somewhere in this batch
            end = _first_of(user, left[-1]["user"][-1].as_py(), after=True)
            yield pa.concat_tables([*left, table.slice(0, end)])
            table, left = table.slice(end), []
        if not left:
            start = _first_of(table["user"], last)
            if start:
                yield table.slice(0, start)
            table = table.slice(start)
        left.append(table)
    if left:
        yield pa.concat_tables(left)


def _first_of(user: pa.ChunkedArray, name: int | None, *, after: bool = False) -> int:
    """Return where a user's groups begin, or end, among sorted ones; those of nobody are last."""
    known = len(user) - user.null_count
    if name is None:
        return len(user) if after else known
    values = user.slice(0, known).to_numpy()
    return int(np.searchsorted(values, name, side="right" if after else "left"))


def _block(groups: pa.Table, domain: IntegerDomain, keys: Keys | None) -> UserSample:
    index, own = numbered_users(groups["user"])
    if keys is not None:
        own = keys[np.unique(groups["user"].to_numpy())]
    values = groups["point"].to_numpy()
    inside = values >= domain.low
    points, where = distinct(values[inside])
    point = np.full(len(values), -1, dtype=np.int64)
    point[inside] = where
    label, count = groups["label"].to_numpy(), groups["n"].cast(pa.int64()).to_numpy()
    _sorted(index, values)
    return UserSample(points, index, point, label, count, own)


def _sorted(user: Ints, point: Ints) -> None:
    rising = (user[1:] > user[:-1]) | ((user[1:] == user[:-1]) & (point[1:] >= point[:-1]))
    if not rising.all():
        raise DataError("The engine did not sort the users: nothing can be learned from them.")
