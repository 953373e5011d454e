"""Counting a table: its cells, or groups of equal ones, converted by public rules.

Cells come as raw batches where the types of their columns are plain, else as groups of equal cells
from the engine (`groups.py`). Which way is taken follows from types, which are public.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self, cast

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from littlestone.data.cells import (
    DAY,
    DAYS_TO_1970,
    ISO_TIME,
    SECONDS,
    WHITE,
    Calendar,
    CsvFormat,
    Match,
    date_text,
    float_users,
    text,
    user_name,
)
from littlestone.data.containers import (
    PER_SECOND,
    SPARK,
    Frame,
    bytewise,
    portable,
    repaired,
    run_engine,
)
from littlestone.data.domains import (
    OUTSIDE,
    Domain,
    IntegerDomain,
    Keys,
    Line,
    check_same,
    distinct,
    object_points,
    refusal,
    totals,
    user_index,
    widened,
)
from littlestone.data.schema import Column, Schema
from littlestone.data.tables import Stream, Table, read_table
from littlestone.errors import DataError, check_rows, parameter_error
from littlestone.types import Points

if TYPE_CHECKING:
    from littlestone.data.targets import Target


# -- From Arrow columns to points: at once for plain numbers, by the rule for any other cell.


Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Texts that every engine's cast to double reads alike, and as `cells.number` does.
PLAIN = r"\A-?[0-9]{1,15}(\.[0-9]{1,25})?\z"
_PLAIN = r"\A-?[0-9]{1,17}\z"  # whole numbers that surely fit into 64 bits


def distinct_cells(column: pa.ChunkedArray) -> tuple[list[Any], Ints]:
    """Return the distinct cells as Python values, and which of them each cell is.

    Times are texts, those with a zone in UTC.
    """
    cells = portable(column)
    temporal, east = pa.types.is_temporal(cells.type), ""
    if pa.types.is_timestamp(cells.type) and cells.type.tz is not None:
        cells, east = cells.view(pa.timestamp(cells.type.unit)), "+00:00"
    if temporal:
        cells = cells.cast(pa.large_string())
    encoded = cells.dictionary_encode(null_encoding="encode")
    raw = encoded.dictionary.to_pylist()
    if temporal:
        raw = [None if cell is None else date_text(cell + east) for cell in raw]
    return raw, encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)


def points_of(column: pa.ChunkedArray, domain: Domain) -> tuple[Points, Ints]:
    """Return the distinct points of a column in canonical order, and the index of each cell's.

    The index of a cell outside the domain is -1.
    """
    if domain.bounds is not None and domain.small:
        numbers = _integers(column, cast(IntegerDomain, domain))
        if numbers is not None:
            values, inside = numbers
            points, where = distinct(values[inside])
            index = np.full(len(values), -1, dtype=np.int64)
            index[inside] = where
            return points, index
    if domain.bounds is not None and pa.types.is_integer(column.type):
        return _long_integers(column, cast(IntegerDomain, domain))
    raw, cell = distinct_cells(column)
    converted = [domain.cell(value) for value in raw]
    points_inside = [point for point in converted if point is not OUTSIDE]
    points, where = distinct(object_points(points_inside))
    index = np.full(len(raw), -1, dtype=np.int64)
    index[[i for i, point in enumerate(converted) if point is not OUTSIDE]] = where
    return points, index[cell]


def keys_of(column: pa.ChunkedArray, domain: Domain, line: Line) -> tuple[Ints, Mask]:
    """Return the number of each cell's point on a line, and which cells are points."""
    if domain.bounds is not None:
        numbers = _integers(column, cast(IntegerDomain, domain))
        if numbers is not None:
            return numbers
    points, point = points_of(column, domain)
    inside = point >= 0
    keys = np.zeros(len(point), dtype=np.int64)
    keys[inside] = line.keys(points.astype(np.int64))[point[inside]]
    return keys, inside


def codes_of(cells: pa.ChunkedArray, column: Column) -> npt.NDArray[np.int64]:
    """Return the code of each cell: plain numbers all at once, the others by `Column.code`.

    Examples
    --------
    >>> cells = pa.chunked_array([["7", " 7", "1e1", None, "x", "40.5"]])
    >>> codes_of(cells, Column.bins("dose", [10, 40])).tolist()
    [2, 2, 3, 0, 1, 4]
    """
    kind = cells.type
    if column.calendar is not None and (pa.types.is_timestamp(kind) or pa.types.is_date(kind)):
        return column.of_moments(_moments(portable(cells), column.calendar)).astype(np.int64)
    if column.of_numbers and column.pure:
        if pa.types.is_large_string(kind) or pa.types.is_string(kind):
            plain = pc.fill_null(pc.match_substring_regex(cells, PLAIN), False)
            values = pc.cast(pc.if_else(plain, cells, "0"), pa.float64()).to_numpy()
            codes = column.codes(values).astype(np.int64)
            odd = np.flatnonzero(~plain.to_numpy())
            codes[odd] = _one_by_one(cells.take(odd), column)
            return codes
        whole = pa.types.is_integer(kind) and kind != pa.uint64()
        if whole or pa.types.is_float64(kind):
            known = column.codes(cells.fill_null(0).to_numpy())
            return np.where(_valid(cells), known, column.MISSING).astype(np.int64)
    return _one_by_one(cells, column)


def _one_by_one(cells: pa.ChunkedArray, column: Column) -> npt.NDArray[np.int64]:
    raw, where = distinct_cells(cells)
    return column.codes(raw).astype(np.int64)[where]


def _moments(cells: pa.Array, calendar: Calendar) -> Ints:
    """Return dates and times as `Column.of_moments` takes them."""
    kind = cells.type
    width = pa.int32() if pa.types.is_date32(kind) else pa.int64()
    numbers = cells.view(width).fill_null(0).to_numpy().astype(np.int64)
    timed = pa.types.is_timestamp(kind)
    seconds: Ints = numbers // PER_SECOND[kind.unit] if timed else numbers * DAY
    seconds += DAYS_TO_1970 * DAY
    if timed and kind.tz is not None:
        moments, where = np.unique(seconds, return_inverse=True)
        local = np.fromiter(map(calendar.local, moments.tolist()), np.int64, len(moments))
        seconds = np.where((local >= 0) & (local < SECONDS), local, -1)[where]
    if calendar.by == "hour" and not timed:
        seconds[:] = -1
    seconds[~cells.is_valid().to_numpy(zero_copy_only=False)] = -2
    return seconds


def whole_numbers(column: pa.ChunkedArray, domain: IntegerDomain) -> tuple[npt.NDArray[Any], Mask]:
    """Return whole numbers in their own type, and which are in a domain of any size."""
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    values = column.fill_null(0).to_numpy() if column.null_count else column.to_numpy()
    kind = np.iinfo(values.dtype)
    inside = _valid(column)
    if domain.low > kind.min:
        inside = inside & (domain.low <= kind.max) & (values >= min(domain.low, kind.max))
    if domain.high < kind.max:
        inside = inside & (domain.high >= kind.min) & (values <= max(domain.high, kind.min))
    return values, inside


def _long_integers(column: pa.ChunkedArray, domain: IntegerDomain) -> tuple[Points, Ints]:
    """Convert whole numbers for a domain that is longer than 64 bits, or nearly so."""
    values, inside = whole_numbers(column, domain)
    points, where = distinct(values[inside])
    index = np.full(len(values), -1, dtype=np.int64)
    index[inside] = where
    return widened(points), index


def _integers(column: pa.ChunkedArray, domain: IntegerDomain) -> tuple[Ints, Mask] | None:
    """Convert a column of a simple type; None when the type is not simple."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        values, inside = whole_numbers(column, domain)
        return values.astype(np.int64, copy=False), inside
    if pa.types.is_floating(kind):
        values = column.cast(pa.float64()).fill_null(np.nan).to_numpy()
        whole = (np.abs(values) < 2.0**63) & (np.floor(values) == values)  # NaN is not whole
        return _inside(np.where(whole, values, 0).astype(np.int64), domain, whole)
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_large_binary)
    if pa.types.is_binary(kind) or any(form(kind) for form in texts):
        return _written(column, domain)
    return None


def _written(column: pa.ChunkedArray, domain: IntegerDomain) -> tuple[Ints, Mask]:
    """Convert texts: plain digits all at once, the others one by one."""
    column = pa.chunked_array([repaired(column.combine_chunks())])
    cells = pc.utf8_trim(column, characters=WHITE)
    plain = pc.fill_null(pc.match_substring_regex(cells, _PLAIN), False)
    numbers = pc.cast(pc.if_else(plain, cells, None), pa.int64())
    values, inside = _inside(numbers.fill_null(0).to_numpy(), domain, _valid(numbers))
    odd = np.flatnonzero(~plain.to_numpy())
    if len(odd):
        values, inside = values.copy(), inside.copy()
        raw, where = distinct_cells(column.take(odd))
        converted = [domain.cell(cell) for cell in raw]
        known = np.array([point is not OUTSIDE for point in converted])
        points = np.array([0 if point is OUTSIDE else point for point in converted], np.int64)
        inside[odd], values[odd] = known[where], points[where]
    return values, inside


def _inside(values: npt.NDArray[Any], domain: IntegerDomain, valid: Mask) -> tuple[Ints, Mask]:
    inside = valid & (values >= domain.low) & (values <= domain.high)
    return values.astype(np.int64), inside


def _valid(column: pa.ChunkedArray) -> Mask:
    if not column.null_count:
        return np.ones(len(column), dtype=bool)
    mask: Mask = column.is_valid().to_numpy(zero_copy_only=False)
    return mask


# -- Grouping where the data lie: one expression for all engines, and its groups in batches.
#
# The engine groups equal raw cells and counts them; only groups come to Python, where each
# distinct cell is converted by the public rules. For rows of a schema the numeric columns are
# binned inside the engine (`bin_in_engine`), by comparisons that agree exactly with
# `Column.code`, so that ten million different incomes do not become ten million groups.
#
# DuckDB streams its groups itself. Spark would collect them: `toArrow` holds all of them in the
# memory of this process. Here its Python workers pack each Arrow batch of groups into one binary
# cell, and `toLocalIterator` fetches a partition of such cells after the other (both are public
# calls of PySpark, classic and Connect). The function that packs is sent by value and needs
# PyArrow only: this library is not imported by the workers. Whether workers can run it is tried
# with a row that is no record; if not, groups are collected.


INTEGERS = (nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32)
FLOATS = (nw.Float32, nw.Float64)

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
    if column.calendar is not None:
        return None
    if column.edges is None or not column.pure or len(column.edges) > _MOST_EDGES:
        return None
    if isinstance(dtype, INTEGERS):
        return Binned(cell.cast(nw.Int64), None, column.integer_edges)
    if isinstance(dtype, FLOATS):
        value = cell.cast(nw.Float64)
        return Binned(nw.when(~value.is_nan()).then(value), None, _doubles(column))
    if isinstance(dtype, nw.String):
        plain = cell.str.contains(PLAIN)
        value = nw.when(plain).then(cell).cast(nw.Float64)
        return Binned(value, nw.when(~plain).then(cell), _doubles(column))
    return None


def _days(cell: nw.Expr, dtype: Any, column: Column | None) -> nw.Expr:
    """Return cells as they are; times as their days, where the day decides: fewer groups."""
    if column is None or column.calendar is None or not column.of_days:
        return cell
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is None:
        return cell.cast(nw.Date)
    if isinstance(dtype, nw.String) and not column.calendar.form:
        timed = cell.str.contains(ISO_TIME)
        return nw.when(timed).then(cell.str.slice(0, 10)).otherwise(cell)
    return cell


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


def in_groups(frame: Frame, schema: Schema | None = None) -> Frame:
    """Return the groups (k0, k1, ...; of binned columns b0, ...) and their counts, not yet read.

    The first columns are those of the schema, if there is one.
    """
    first: dict[str, nw.Expr] = {}
    then: dict[str, nw.Expr] = {}
    for j, (name, dtype) in enumerate(frame.collect_schema().items()):
        column = schema.columns[j] if schema is not None and j < len(schema) else None
        binned = None if column is None else bin_in_engine(nw.col(name), dtype, column)
        rest = _days(nw.col(name), dtype, column) if binned is None else binned.rest
        if binned is not None:
            first[f"v{j}"] = binned.value
            then[f"b{j}"] = binned.code(nw.col(f"v{j}"))
        if rest is not None:
            first[f"k{j}"] = rest
            then[f"k{j}"] = nw.col(f"k{j}")
    keys = bytewise(frame.select(**first).select(**then))
    return keys.group_by(*then).agg(count=nw.len())


#: Groups of a partition of Spark, at most about: what its driver and a worker hold at once.
_PARTITION = 1 << 21
_ROWS = 1 << 18  # of a batch


def streamed(frame: Frame) -> bool:
    """Return whether the engine hands out groups in batches; nothing of the table is read.

    Examples
    --------
    >>> from littlestone.data.tables import read_table
    >>> streamed(read_table({"dose": [3, 9]}).frame(["dose"], "doctest"))
    True
    """
    engine: Any = frame.implementation
    return engine is nw.Implementation.DUCKDB or (engine in SPARK and _packs(frame.to_native()))


def in_batches(
    grouped: Frame, *, rows: int | None = None, size: int = _ROWS
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a lazy frame, read once, in no order.

    Notes
    -----
    *Cost.* Memory of a few batches, where `streamed`; else that of all groups. Spark packs and
    fetches partitions one after the other, two at a time. Figures: ``docs/scale.md``.

    Examples
    --------
    >>> from littlestone.data.tables import read_table
    >>> frame = read_table({"dose": ["3", "9", "3"]}).frame(["dose"], "doctest")
    >>> sum(batch.num_rows for batch in in_batches(in_groups(frame)))
    2
    """
    engine, native = cast(Any, grouped.implementation), cast(Any, grouped.to_native())
    if engine is nw.Implementation.DUCKDB:
        yield from native.to_arrow_reader(size)
    elif engine in SPARK and _packs(native):
        found = 0
        for batch in _joined(_unpacked(_cut(native, rows)), size):
            found += pc.sum(batch.column(batch.num_columns - 1)).as_py()
            yield batch
        check_same([found] if rows is None else [rows, found])  # each partition is a job
    else:
        yield from cast(Any, grouped.collect("pyarrow")).to_native().to_batches(size)


def _cut(native: Any, rows: int | None) -> Any:
    """Ask Spark for more partitions, if so many rows may be too many groups for those it makes."""
    known = native.sparkSession.conf.get("spark.sql.shuffle.partitions")
    needed = math.ceil((rows or 0) / _PARTITION)
    if not known.isdigit() or needed <= int(known):  # some clusters say: auto
        return native
    return native.repartition(needed, *native.columns[:-1])


def _unpacked(native: Any) -> Iterator[pa.RecordBatch]:
    """Fetch the batches that Spark's workers packed."""
    with warnings.catch_warnings():
        # pyspark says that it does not fully support pandas 3; nothing here goes through pandas.
        warnings.simplefilter("ignore", FutureWarning)
        packed = native.mapInArrow(_packer(), "packed binary")
    kinds = native.limit(0).toArrow().schema  # workers name time zones in another way
    for (cell,) in packed.toLocalIterator(prefetchPartitions=True):
        for batch in pa.ipc.open_stream(pa.py_buffer(cell)):
            yield batch.cast(kinds)


def _joined(batches: Iterator[pa.RecordBatch], size: int) -> Iterator[pa.RecordBatch]:
    """Join small batches: each costs about a millisecond for each column."""
    kept: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        kept.append(batch)
        rows += batch.num_rows
        if rows >= size:
            yield pa.concat_batches(kept)
            kept, rows = [], 0
    if kept:
        yield pa.concat_batches(kept)


def _packs(native: Any) -> bool:
    """Return whether Spark's workers can pack batches: a public thing, of the cluster only."""

    def run() -> bool:
        one = native.sparkSession.range(1)
        return [batch.num_rows for batch in _unpacked(one)] == [1]

    try:
        return run_engine(run, "Spark's workers cannot run Python with Arrow.")
    except DataError:
        return False


def _packer() -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function for the workers. It is nested, so that it is pickled by value."""

    def pack(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow  # noqa: PLC0415 - of the worker

        compression = "zstd" if pyarrow.Codec.is_available("zstd") else None
        options = pyarrow.ipc.IpcWriteOptions(compression=compression)
        left: list[Any] = []
        for batch in batches:
            left.append(batch)
            while left:
                piece = left.pop()
                half = piece.num_rows // 2
                if piece.nbytes > 1 << 24 and half:  # what Spark sends at once is limited
                    left += [piece.slice(half), piece.slice(0, half)]
                    continue
                sink = pyarrow.BufferOutputStream()
                with pyarrow.ipc.new_stream(sink, piece.schema, options=options) as out:
                    out.write_batch(piece)
                cell = pyarrow.array([sink.getvalue().to_pybytes()], pyarrow.binary())
                yield pyarrow.record_batch([cell], names=["packed"])

    return pack


STOPPED = (
    "The engine stopped while reading the table given to {}. Its own message is not shown, "
    "because such messages quote rows; run the engine on the table directly to see it."
)

_MOST_CELLS = 2**22  # that are read at once
_PLAIN_counting = (
    *(pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean),
    *(pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view),
    *(pa.types.is_binary, pa.types.is_large_binary),
)


class Groups(NamedTuple):
    """Groups (user, point, label) with counts; different cells may give equal groups."""

    points: Points
    point: Ints  # index into points; -1 is outside
    label: npt.NDArray[Any]  # codes of labels, or of a target
    n: Ints  # of records
    user: Ints
    keys: Keys  # of users


@dataclass(frozen=True, eq=False, repr=False)
class Reading:
    """An opened table, and the public rules by which its cells become records."""

    caller: str
    opened: Table
    frame: Frame
    columns: list[str]  # of points, then of labels, then of users
    numbers: list[str]
    domain: Domain
    schema: Schema | None  # of rows
    rules: list[Match]
    listed: bool  # one rule for each label; else one says which cells have label 1
    user: str | None
    negative: Match | None
    target: Target | None = None

    @classmethod
    def of(
        cls,
        table: Any,
        *,
        x: str | Sequence[str] | None = None,
        y: str,
        domain: Domain,
        user: str | None = None,
        positive: Any = 1,
        negative: Any = None,
        labels: Sequence[Any] | None = None,
        target: Target | None = None,
        event: str | None = None,
        csv: Any = None,
        caller: str,
    ) -> Self:
        """Open a table; see `Sample.read` and `UserSample.read`."""
        names, schema = point_columns(caller, x, domain)
        if labels is None:
            rules = [match(caller, "positive", positive)]
        else:
            rules = [match(caller, "labels", label) for label in labels]
        other = None if negative is None else match(caller, "negative", negative)
        declared = None if schema is None else schema.csv
        opened = read_table(table, csv=csv, declared=declared, caller=caller)
        numeric = target is not None or all(rule.numeric for rule in rules)
        numbers = number_columns(names, schema, domain) + ([y] if numeric else [])
        columns = [*names, y, *(name for name in (event, user) if name is not None)]
        frame = opened.frame(columns, caller, numbers=numbers)
        opened.once(y, caller)
        if user is not None and isinstance(list(frame.collect_schema().values())[-1], FLOATS):
            raise float_users(f"The users in the column {user!r}", caller)
        return cls(
            caller=caller,
            opened=opened,
            frame=frame,
            columns=columns,
            numbers=numbers,
            domain=domain,
            schema=schema,
            rules=rules,
            listed=labels is not None,
            user=user,
            negative=other,
            target=target,
        )

    def groups(self, *, strict: bool = False) -> Groups:
        """Let the engine group all cells, and convert them."""
        if not strict and (known := self.opened.groups(self)) is not None:
            return cast(Groups, known)
        counted = _collected(self.frame, self.schema)
        if strict:
            self.opened.check()
        return self.converted(counted, strict=strict)

    def converted(self, counted: pa.Table, *, strict: bool = False) -> Groups:
        """Convert groups of cells, or the cells of rows, by the public rules."""
        points, point = self._points(counted, strict=strict)
        label, n = self._labels(counted, strict=strict), group_sizes(counted)
        users, keys = np.zeros(0, np.int64), np.zeros(0, np.uint64)
        if self.user is not None:
            cells = counted[f"k{len(self.columns) - 1}"]
            users, keys = _users(cells, self.user, self.caller, strict=strict)
        return Groups(points, point, label, n, users, keys)

    @cached_property
    def _stream(self) -> Stream | None:
        return self.opened.batches(self.columns, self.caller, numbers=self.numbers)

    @cached_property
    def _direct(self) -> bool:
        """Whether raw batches are converted: what these types hold is converted at once."""
        if self._stream is None or not all(
            any(t(k) for t in _PLAIN_counting) for k in self._stream.kinds
        ):
            return False
        kinds, texts = self._stream.kinds, (*_PLAIN_counting[3:],)
        if self.schema is None and any(test(kinds[0]) for test in texts):
            return False
        return self.user is None or (pa.types.is_integer(kinds[-1]) and kinds[-1] != pa.uint64())

    def _tables(self, rows: int | None) -> Iterator[pa.Table]:
        """Yield raw cells k0, k1, ..., or groups of equal ones with their numbers, in batches."""
        if self._direct:
            names = [f"k{j}" for j in range(len(self.columns))]
            for batch in cast(Stream, self._stream).batches():
                yield pa.Table.from_arrays(batch.columns, names)
        else:
            for batch in in_batches(in_groups(self.frame, self.schema), rows=rows):
                yield pa.Table.from_batches([batch])

    def _points(self, cells: pa.Table, *, strict: bool) -> tuple[Points, Ints]:
        if self.schema is not None:
            codes = group_codes(cells, self.schema, self.caller, strict=strict)
            return distinct(np.stack(codes, axis=1).astype(np.int16))
        points, point = points_of(cells["k0"], self.domain)
        if strict and (point < 0).any():
            raise refusal(self.caller, self.columns[0], self.domain.rule)
        return points, point

    def _labels(self, cells: pa.Table, *, strict: bool = False) -> npt.NDArray[Any]:
        """Return label 1 where a cell equals the positive value, else 0; or codes."""
        if self.target is not None:
            first = 1 if self.schema is None else len(self.schema)
            last = len(self.columns) - (self.user is not None)
            found = self.target.of_cells([cells[f"k{j}"] for j in range(first, last)])
            if strict and (found < 0).any():
                raise refusal(self.caller, self.columns[first], "a number")
            return found
        place = len(self.columns) - 1 - (self.user is not None)
        raw, name = cells[f"k{place}"], self.columns[place]
        if not self.listed:
            if strict:
                self._check_labels(raw, name)
            return label_codes(raw, self.rules[0])
        codes = listed_codes(raw, self.rules)
        if strict and (codes == len(self.rules)).any():
            raise refusal(self.caller, name, "one of the public labels")
        return codes

    def _check_labels(self, raw: pa.ChunkedArray, name: str) -> None:
        positive, negative = self.rules[0], self.negative
        rule = "not missing" if negative is None else "the positive or the negative label"

        def allowed(cell: object) -> bool:
            known = positive(cell) or negative is None or negative(cell)
            return known and user_name(cell) is not None

        if not _convert(raw, allowed).all():
            raise refusal(self.caller, name, rule)

    def _keys(self, cells: pa.Table) -> tuple[Ints, npt.NDArray[np.bool_]]:
        line = cast(Any, self.domain).line
        return keys_of(cells["k0"], self.domain, line)


def group_table(caller: str, table: Any, *, strict: bool = False, **arguments: Any) -> Groups:
    """Read and count a table; see `Reading.of`."""

    def run() -> Groups:
        return Reading.of(table, caller=caller, **arguments).groups(strict=strict)

    return run_engine(run, STOPPED.format(caller))


def read_points(
    table: Any,
    *,
    x: str | Sequence[str] | None = None,
    domain: Domain,
    csv: Any = None,
    declared: CsvFormat | None = None,
    caller: str = "read_points",
) -> tuple[Points, npt.NDArray[np.bool_]]:
    """Return the points of a table's rows in their order, for predictions; no labels are read.

    Returns
    -------
    points : Points
        Of the rows that lie inside the domain.
    inside : bool ndarray of shape (rows,)
        Which rows these are; every concept labels the others 0.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from littlestone.data import IntegerDomain
    >>> read_points(pa.table({"dose": ["3", "x", "1"]}), x="dose", domain=IntegerDomain(1, 9))
    (array([3, 1]), array([ True, False,  True]))
    """
    where: dict[str, Any] = {"x": x, "domain": domain, "csv": csv, "declared": declared}
    points, inside, _ = zip(*point_pieces(table, caller=caller, **where), strict=True)
    if len(points) == 1:
        return points[0], inside[0]
    return np.concatenate(points), np.concatenate(inside)


def point_pieces(
    table: Any,
    *,
    x: str | Sequence[str] | None = None,
    domain: Domain,
    csv: Any = None,
    declared: CsvFormat | None = None,
    key: str | None = None,
    caller: str = "read_points",
) -> Iterator[tuple[Points, npt.NDArray[np.bool_], list[str | None]]]:
    """Yield what `read_points` returns, a piece of the table after the other; at least one.

    With it the cells of the column ``key``, as texts; without one, none.

    Examples
    --------
    >>> from littlestone.data import IntegerDomain
    >>> list(point_pieces({"dose": ["3", "x"]}, x="dose", domain=IntegerDomain(1, 9), key="dose"))
    [(array([3]), array([ True, False]), ['3', 'x'])]
    """
    names, schema = point_columns(caller, x, domain)
    numbers = number_columns(names, schema, domain)
    if key is not None and key not in names:
        names = [*names, key]
    opened = read_table(
        table, csv=csv, declared=declared or (None if schema is None else schema.csv), caller=caller
    )

    def convert(rows: pa.Table) -> tuple[Points, npt.NDArray[np.bool_], list[str | None]]:
        kept = [] if key is None else rows[f"c{names.index(key)}"].to_pylist()
        keys = list(map(text, kept))
        if schema is not None:
            codes = [codes_of(rows[f"c{j}"], column) for j, column in enumerate(schema)]
            inside = np.ones(rows.num_rows, dtype=bool)
            return np.stack(codes, axis=1).astype(np.int16), inside, keys
        points, point = points_of(rows["c0"], domain)
        inside = point >= 0
        return points[point[inside]], inside, keys

    empty = True
    for piece in opened.pieces(names, caller, numbers=numbers):
        empty = False
        yield run_engine(lambda piece=piece: convert(piece), STOPPED.format(caller))  # type: ignore[misc]
    if empty:
        yield domain.store([]), np.zeros(0, dtype=bool), []


def count_cells(table: Any, name: str, *, caller: str) -> tuple[pa.ChunkedArray, Ints]:
    """Return the distinct cells of a column, and how many rows have each; they are secret.

    Examples
    --------
    >>> cells, counts = count_cells({"age": [44, 17, 44]}, "age", caller="doctest")
    >>> sorted(zip(cells.to_pylist(), counts.tolist()))
    [(b'17', 1), (b'44', 2)]
    """
    frame = read_table(table, caller=caller).frame([name], caller)
    counted = run_engine(lambda: _collected(frame, None), STOPPED.format(caller))
    check_rows(counted.num_rows, caller)
    return counted["k0"], group_sizes(counted)


def count_columns(
    table: Table, names: Sequence[str], *, caller: str
) -> Iterator[tuple[pa.ChunkedArray, Ints]]:
    """Yield what `count_cells` returns of each column; the file of a small table is read once.

    Examples
    --------
    >>> table = read_table({"age": [44, 44], "city": ["Bonn", None]})
    >>> [counts.tolist() for _, counts in count_columns(table, ["age", "city"], caller="doctest")]
    [[2], [1, 1]]
    """
    first = count_cells(table, names[0], caller=caller)
    yield first
    together = _MOST_CELLS // int(first[1].sum())
    left = list(names[1:])
    while left:
        some, left = left[: together or 1], left[together or 1 :]
        stream = table.batches(some, caller) if len(some) > 1 else None
        if stream is None or not all(
            any(t(kind) for t in _PLAIN_counting) for kind in stream.kinds
        ):
            yield from (count_cells(table, name, caller=caller) for name in some)
            continue
        batches = run_engine(lambda stream=stream: list(stream.batches()), STOPPED.format(caller))  # type: ignore[misc]
        for j in range(len(some)):
            found = pa.chunked_array([b.column(j) for b in batches], stream.kinds[j]).value_counts()
            cells, counts = found.flatten()
            yield pa.chunked_array([cells]), counts.to_numpy()


def count_codes(table: Any, column: Column, *, caller: str) -> Ints:
    """Return how many rows of a table have each code of a public column; every row has one.

    Examples
    --------
    >>> from littlestone.data import Column
    >>> count_codes({"age": [44, None, "x", 17]}, Column.bins("age", [18]), caller="doctest")
    array([1, 1, 1, 1])
    """
    numbers = [column.name] if column.of_numbers else []
    frame = read_table(table, caller=caller).frame([column.name], caller, numbers=numbers)
    schema = Schema((column,))

    def run() -> Ints:
        counted = _collected(frame, schema)
        check_rows(counted.num_rows, caller)
        (codes,) = group_codes(counted, schema, caller)
        return totals(codes.astype(np.int64), group_sizes(counted), column.n_codes)

    return run_engine(run, STOPPED.format(caller))


def count_labels(table: Any, y: str, labels: Sequence[Any], *, caller: str) -> Ints:
    """Return how many rows of a table are missing a label, have another one, have each label.

    Examples
    --------
    >>> count_labels({"ill": ["1", 1.0, "ill", None, 0]}, "ill", [0, 1], caller="doctest")
    array([1, 1, 1, 2])
    """
    rules = [match(caller, "labels", label) for label in labels]
    numbers = [y] if any(rule.numeric for rule in rules) else []
    frame = read_table(table, caller=caller).frame([y], caller, numbers=numbers)

    def code(raw: object) -> int:
        written = text(raw)
        if written is None or written.lower() == "nan":
            return Column.MISSING
        found = [i for i, rule in enumerate(rules) if rule(raw)]
        return Column.FIRST + found[0] if found else Column.OTHER

    def run() -> Ints:
        counted = _collected(frame, None)
        check_rows(counted.num_rows, caller)
        return totals(
            _convert(counted["k0"], code), group_sizes(counted), Column.FIRST + len(rules)
        )

    return run_engine(run, STOPPED.format(caller))


def match(caller: str, name: str, value: Any) -> Match:
    """Return the rule for a public label, or refuse it."""
    try:
        return Match(value)
    except ValueError:
        raise parameter_error(caller, name, "a number or a text, not missing", value) from None


def point_columns(
    caller: str, x: str | Sequence[str] | None, domain: Domain
) -> tuple[list[str], Schema | None]:
    """Return the columns of the points, and the schema when points are rows."""
    schema = domain.schema
    if schema is None:
        if not isinstance(x, str):
            hint = "Only rows of a schema have several columns."
            raise parameter_error(caller, "x", "the name of one column", x, hint)
        return [x], None
    if schema.bound:
        if x is not None and [x] != list(schema.names) and list(x) != list(schema.names):
            hint = "Its columns are read by their names."
            raise parameter_error(caller, "x", "left out for rows of a schema", x, hint)
        return list(schema.names), schema
    if isinstance(x, str) or not x:
        hint = "This schema describes any column: name the columns."
        raise parameter_error(caller, "x", "a list of column names", x, hint)
    return list(x), schema.bind(len(x))


def number_columns(names: list[str], schema: Schema | None, domain: Domain) -> list[str]:
    """Return the columns of points that are read as numbers."""
    if schema is None:
        return [] if domain.bounds is None else names
    return [name for name, column in zip(names, schema, strict=True) if column.of_numbers]


def _collected(frame: Frame, schema: Schema | None) -> pa.Table:
    """Let the engine group by raw cells (k), or by codes (b) and the cells that have none yet."""
    counted: pa.Table = cast(Any, in_groups(frame, schema).collect("pyarrow")).to_native()
    return counted


def group_sizes(cells: pa.Table) -> Ints:
    """Return how many records each group has; of raw cells each is a record."""
    if "count" not in cells.column_names:
        return np.ones(cells.num_rows, dtype=np.int64)
    return cast(Ints, cells["count"].cast(pa.int64()).to_numpy())  # Decimal in some engines


def group_codes(
    cells: pa.Table, schema: Schema, caller: str, *, strict: bool = False
) -> list[npt.NDArray[Any]]:
    """Return the codes of rows, column by column; the engine has found some already."""
    codes = []
    for j, column in enumerate(schema):
        raw = codes_of(cells[f"k{j}"], column) if f"k{j}" in cells.column_names else None
        if strict and raw is not None and (raw == column.OTHER).any():
            raise refusal(caller, column.name, column.rule)
        if f"b{j}" in cells.column_names:
            code = cells[f"b{j}"]
            known = code.is_valid().to_numpy()
            value = code.fill_null(column.MISSING).to_numpy()
            raw = value if raw is None else np.where(known, value, raw)
        codes.append(cast(npt.NDArray[Any], raw))
    return codes


def label_codes(cells: pa.ChunkedArray, positive: Match) -> npt.NDArray[np.int8]:
    """Return 1 where the cell equals the positive label, else 0."""
    if pa.types.is_integer(cells.type) and not cells.null_count:
        return positive.integers(cells.to_numpy()).astype(np.int8)
    return _convert(cells, positive).astype(np.int8)


def listed_codes(cells: pa.ChunkedArray, labels: Sequence[Match]) -> npt.NDArray[np.int8]:
    """Return the code of the label that each cell equals; their number where it equals none."""

    def code(raw: object) -> int:
        return next((i for i, rule in enumerate(labels) if rule(raw)), len(labels))

    return _convert(cells, code).astype(np.int8)


def _users(
    cells: pa.ChunkedArray, name: str, caller: str, *, strict: bool
) -> tuple[Ints, npt.NDArray[np.uint64]]:
    """Return the number of each group's user, and the users' keys."""
    if strict and cells.null_count:
        raise refusal(caller, name, "the name of a user")
    if pa.types.is_integer(cells.type) and cells.type != pa.uint64():
        return numbered_users(cells)
    raw, where = distinct_cells(cells)
    names = [user_name(cell) for cell in raw]
    if strict and None in names:
        raise refusal(caller, name, "the name of a user")
    index, keys = user_index(names)
    return index[where], keys


def numbered_users(cells: pa.ChunkedArray) -> tuple[Ints, npt.NDArray[np.uint64]]:
    """Return the number of each cell's user, and the users' keys, where whole numbers name them.

    Cells without a user belong to one user together, the last one; whether there are such cells
    changes nobody else's key.

    Examples
    --------
    >>> numbered_users(pa.chunked_array([[7, None, 4]]))[0].tolist()
    [1, 2, 0]
    """
    known = cells.is_valid().to_numpy()
    names = cells.cast(pa.int64()).fill_null(0).to_numpy()
    index = np.empty(len(names), dtype=np.int64)
    index[known], keys = user_index(names[known])
    if not known.all():
        index[~known] = len(keys)
        keys = np.concatenate([keys, user_index([None])[1]])
    return index, keys


def _convert(cells: pa.ChunkedArray, rule: Callable[[object], int]) -> Ints:
    """Apply a rule to each distinct cell; return the results cell by cell."""
    raw, where = distinct_cells(cells)
    return np.fromiter((rule(cell) for cell in raw), np.int64, len(raw))[where]
