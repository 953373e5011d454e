"""One reading of some columns, for samples that are not held in memory.

For a secret part (`littlestone.data.placed`) the drawn rows are picked from the batches. For the
tails of a sample (`littlestone.data.tails`) one pass over batches of whole numbers is enough; for
all its points in order (`littlestone.data.swept`) DuckDB groups and sorts, and may spill. Whole
numbers need no conversion; the groups of other cells are converted in batches. Which way is taken
depends on the types of the columns, which are public; the values, the labels and what is outside
the domain are what `Sample.read` says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from littlestone.data.batches import in_batches, streamed
from littlestone.data.cells import Match
from littlestone.data.convert import points_of
from littlestone.data.counting import (
    INTEGERS,
    STOPPED,
    check_rows,
    in_groups,
    label_codes,
    match,
    number_columns,
    point_columns,
)
from littlestone.data.dialects import Frame
from littlestone.data.domains import Domain, IntegerDomain, Line, RowDomain
from littlestone.data.engine import connect, quietly
from littlestone.data.placed import PlacedSample
from littlestone.data.points import SMALL
from littlestone.data.sample import Sample
from littlestone.data.swept import Held, Part, SweptSample
from littlestone.data.tables import Table, read_table
from littlestone.data.tails import Column, Tails, TailSample, gather

__all__ = ["LARGE", "read_placed", "read_swept", "read_tails"]

#: Public: tables of at least so many rows, over domains of at least so many points, are swept.
LARGE = 1 << 20
_ROWS = 1 << 20  # of a batch


def read_tails(
    table: Any,
    *,
    x: Any,
    y: str,
    domain: Domain,
    most: int,
    positive: Any = 1,
    strict: bool = False,
    negative: Any = None,
    csv: Any = None,
    owner: str = "read_tails",
) -> Sample:
    """Return the sample of a table, read for its tails only if that is possible.

    Parameters
    ----------
    most : int >= 1
        Public: how many of the largest points labelled 0, and of the smallest ones labelled 1, are
        going to be asked for, probably. More are a second pass.
    table, x, y, domain, positive, strict, negative, csv, owner
        As for `Sample.read`.

    Returns
    -------
    Sample
        A `TailSample` if both columns hold whole numbers and can be streamed (Parquet, tables in
        memory, DuckDB relations), and reading is not strict; else what `read_swept` returns, or
        `Sample.read` for domains that are not integers.

    Notes
    -----
    *Cost.* 10 million rows of a Parquet file: 0.1 s, whatever their order and however many of them
    are different.

    Examples
    --------
    >>> table = pa.table({"dose": [3, 9, None, 5], "ill": [0, 1, 1, 1]})
    >>> read_tails(table, x="dose", y="ill", domain=IntegerDomain(1, 9), most=10).outside
    (0, 1)
    """
    arguments = {"x": x, "y": y, "domain": domain, "positive": positive, "owner": owner}
    opened = _opened(table, csv, domain, owner)

    def count() -> Sample:
        return Sample.read(opened, strict=strict, negative=negative, **arguments)

    if strict or not isinstance(domain, IntegerDomain) or not isinstance(x, str):
        return count()
    is_positive = match(owner, "positive", positive)
    stream = opened.stream([x, y], owner)
    if stream is None or not all(_whole(kind) for kind in stream.kinds):
        return read_swept(opened, negative=negative, **arguments)

    def read(most: int) -> Tails:
        columns = (_column(batch, domain, is_positive) for batch in stream.batches())
        return quietly(lambda: gather(columns, most), STOPPED.format(owner))

    sample = TailSample(read, count, most)
    check_rows(sample.n, owner)
    return sample


def read_swept(
    table: Any,
    *,
    x: Any,
    y: str,
    domain: Domain,
    positive: Any = 1,
    strict: bool = False,
    negative: Any = None,
    csv: Any = None,
    owner: str = "read_swept",
    large: int = LARGE,
) -> Sample:
    """Return the sample of a table whose points are swept in order, where that is worth it.

    Parameters
    ----------
    table, x, y, domain, positive, strict, negative, csv, owner
        As for `Sample.read`.
    large : int
        Public: how many rows, and points of the domain, there must be.

    Returns
    -------
    Sample
        A `SweptSample` if DuckDB groups the table (files, databases in files, tables in memory,
        DuckDB relations) or Spark hands out its groups in batches, the domain's
        points have numbers of 64 bits, table and domain are large, and reading is not strict; else
        what `Sample.read` returns.

    Notes
    -----
    *Cost.* One grouping and one sort in the engine, within its memory; it spills to the disk. Where
    cells have to be converted (texts, floats), groups come to Python in batches and go back to be
    sorted. Figures: ``docs/scale.md``.

    Examples
    --------
    >>> table = pa.table({"dose": [3, 9, None, 5, 3], "ill": [0, 1, 1, 1, 1]})
    >>> sample = read_swept(table, x="dose", y="ill", domain=IntegerDomain(1, 9), large=1)
    >>> [part.points.tolist() for part in sample.sweep()], sample.outside
    ([[3, 5, 9]], (0, 1))
    """
    opened = _opened(table, csv, domain, owner)
    arguments = {"x": x, "y": y, "domain": domain, "positive": positive, "owner": owner}
    rule, line = match(owner, "positive", positive), getattr(domain, "line", None)
    sample: Sample | None = None
    if not strict and line is not None and isinstance(x, str) and line.size > large:
        numbers = number_columns([x], None, domain) + ([y] if rule.numeric else [])
        frame = opened.frame((x, y), owner, numbers=numbers)
        rows = quietly(opened.rows, STOPPED.format(owner))
        if (rows is None or rows >= large) and streamed(frame):
            whole = _in_engine(frame, domain, rule, rows)
            read = whole or _through_python(frame, domain, line, rule, rows)
            swept = quietly(read, STOPPED.format(owner))
            check_rows(swept.n, owner)
            # of some tables the number of rows is known only now
            sample = swept if swept.n >= large else swept.count()
    if sample is None:
        return Sample.read(opened, strict=strict, negative=negative, **arguments)
    return sample


def read_placed(
    table: Any,
    *,
    x: Any,
    y: str,
    domain: Domain,
    positive: Any = 1,
    strict: bool = False,
    negative: Any = None,
    csv: Any = None,
    owner: str = "read_placed",
) -> Sample:
    """Return the sample of a table whose records are read when their places are known.

    Parameters
    ----------
    table, x, y, domain, positive, strict, negative, csv, owner
        As for `Sample.read`.

    Returns
    -------
    Sample
        A `PlacedSample` if the number of rows is known and rows come in batches (Parquet, tables in
        memory, DuckDB relations), and reading is not strict; else what `Sample.read` returns.

    Examples
    --------
    >>> table = pa.table({"dose": [3, 9, None, 5], "ill": [0, 1, 1, 1]})
    >>> sample = read_placed(table, x="dose", y="ill", domain=IntegerDomain(1, 9))
    >>> sample.n, sample.take(np.array([3, 0])).points
    (4, array([3, 5]))
    """
    opened = _opened(table, csv, domain, owner)
    arguments: dict[str, Any] = {"x": x, "y": y, "domain": domain, "positive": positive}
    arguments |= {"strict": strict, "negative": negative, "owner": owner}

    def count() -> Sample:
        return Sample.read(opened, **arguments)

    names, _ = point_columns(owner, x, domain)
    columns = list(dict.fromkeys([*names, y]))
    opened.frame(columns, owner)  # refuses what `count` would refuse because of names and types
    if strict or opened.stream(columns, owner) is None:
        return count()
    rows = quietly(opened.rows, STOPPED.format(owner))
    if rows is None:
        return count()
    check_rows(rows, owner)

    def read(places: npt.NDArray[np.int64]) -> Sample:
        chosen = quietly(lambda: _rows_at(opened, columns, places, owner), STOPPED.format(owner))
        sample.check_same(chosen[0])
        return Sample.read(chosen[1], **arguments)

    sample = PlacedSample(rows, read, count)
    return sample


def _rows_at(
    table: Table, columns: list[str], places: npt.NDArray[np.int64], owner: str
) -> tuple[int, pa.Table]:
    """Return how many rows there are, and those at increasing places."""
    stream: Any = table.stream(columns, owner)
    kept, start = [], 0
    schema = pa.schema(zip(columns, stream.kinds, strict=True))
    for batch in stream.batches():
        first, last = np.searchsorted(places, [start, start + len(batch)])
        if first < last:
            arrays = [column.take(pa.array(places[first:last] - start)) for column in batch.columns]
            kept.append(pa.record_batch(arrays, schema=schema))
        start += len(batch)
    return start, pa.Table.from_batches(kept, schema=schema)


def _opened(table: Any, csv: Any, domain: Domain, owner: str) -> Table:
    declared = domain.schema.csv if isinstance(domain, RowDomain) else None
    return read_table(table, csv=csv, declared=declared, owner=owner)


def _in_engine(
    frame: Frame, domain: Domain, positive: Match, rows: int | None
) -> Callable[[], SweptSample] | None:
    """Read whole numbers and labels that the engine compares itself; None for other columns.

    Where public numbers allow it, it sorts numbers of 32 bits.
    """
    kinds = list(frame.collect_schema().values())
    label = positive.value
    engine: Any = frame.implementation
    if engine is not nw.Implementation.DUCKDB:
        return None
    if not isinstance(domain, IntegerDomain) or not isinstance(label, int) or abs(label) >= SMALL:
        return None
    if not all(isinstance(kind, (*INTEGERS, nw.UInt64, nw.Boolean)) for kind in kinds):
        return None
    cell, kept = nw.col("c0"), nw.col("c1")
    if isinstance(kinds[0], nw.Boolean):
        cell = cell.cast(nw.Int8)
    if isinstance(kinds[1], nw.Boolean):
        kept = kept.cast(nw.Int8)
    inside = (cell >= domain.low) & (cell <= domain.high)
    one = nw.when(kept == label).then(nw.lit(1))
    groups = frame.select(point=nw.when(inside).then(cell), one=one).group_by("point")
    counted = groups.agg(n=nw.len(), ones=nw.col("one").count())
    # Of each group, not of each row: over few points that is a quarter of the time.
    counts: Any = nw.UInt32 if rows is not None and rows < 2**32 else nw.Int64
    point, first = nw.col("point").cast(nw.Int64), 0
    if domain.high - domain.low < 2**32:
        point, first = (point - domain.low).cast(nw.UInt32), domain.low
    small = counted.with_columns(nw.col("n", "ones").cast(counts), point=point)
    return lambda: _held(small, None, first)


def _through_python(
    frame: Frame, domain: Domain, line: Line, positive: Match, rows: int | None
) -> Callable[[], SweptSample]:
    """Read any cells: groups are converted in batches, and go back to be added up and sorted."""

    def run() -> SweptSample:
        room = connect()
        room.execute("CREATE TEMP TABLE groups (point BIGINT, n BIGINT, ones BIGINT)")
        try:
            for batch in in_batches(in_groups(frame), rows=rows, size=_ROWS):
                converted = _converted(batch, domain, line, positive)
                room.register("batch", converted)
                room.execute("INSERT INTO groups SELECT * FROM batch")
                room.unregister("batch")
            again = nw.from_native(room.table("groups")).group_by("point")
            added = again.agg(nw.col("n", "ones").sum())
            return _held(added.with_columns(nw.col("n", "ones").cast(nw.Int64)), line)
        finally:
            room.close()

    return run


def _converted(batch: pa.RecordBatch, domain: Domain, line: Line, positive: Match) -> pa.Table:
    cells, labels, count = (pa.chunked_array([column]) for column in batch.columns)
    points, point = points_of(cells, domain)
    keys = line.keys(points.astype(np.int64))
    inside = point >= 0
    key = np.zeros(len(point), dtype=np.int64)
    key[inside] = keys[point[inside]]
    n = count.cast(pa.int64()).to_numpy()
    ones = np.where(label_codes(labels, positive) == 1, n, 0)
    return pa.table({"point": pa.array(key, mask=~inside), "n": n, "ones": ones})


def _held(groups: Frame, line: Line | None, first: int = 0) -> SweptSample:
    """Let DuckDB sort groups by their points, null for outside; write them to a private file."""
    ordered: Any = groups.sort("point", nulls_last=True).to_native()
    held, outside = Held(), (0, 0)
    for batch in ordered.to_arrow_reader(_ROWS):
        points, n, ones = (batch.column(name) for name in ("point", "n", "ones"))
        both, one = (counts.to_numpy().astype(np.int64) for counts in (n, ones))
        if points.null_count:  # the last row, if there is one
            outside = (int(both[-1] - one[-1]), int(one[-1]))
            points, both, one = points[:-1], both[:-1], one[:-1]
        held.add(Part(points.to_numpy().astype(np.int64) + first, both - one, one))
    return SweptSample(held, outside, line=line)


def _column(batch: pa.RecordBatch, domain: IntegerDomain, positive: Match) -> Column:
    values, inside = _numbers(batch.column(0))
    kind = np.iinfo(values.dtype)
    rules = []
    if domain.low > kind.min:
        rules.append((values >= min(domain.low, kind.max)) & (domain.low <= kind.max))
    if domain.high < kind.max:
        rules.append((values <= max(domain.high, kind.min)) & (domain.high >= kind.min))
    for rule in rules:
        inside = rule if inside is None else inside & rule
    labels, known = _numbers(batch.column(1))
    label = positive.integers(labels)
    return values, inside, label if known is None else label & known


def _whole(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_boolean(kind))


def _numbers(cells: pa.Array) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_] | None]:
    """Return numbers, and which of them are not missing (None: all)."""
    if pa.types.is_boolean(cells.type):
        cells = cells.cast(pa.int8())
    if not cells.null_count:
        return cells.to_numpy(zero_copy_only=False), None
    known = cells.is_valid().to_numpy(zero_copy_only=False)
    return cells.fill_null(0).to_numpy(zero_copy_only=False), known
