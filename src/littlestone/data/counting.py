"""Counting a table: its cells, converted batch by batch by public rules.

An engine that holds a table may hand out groups of equal rows with their numbers instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from littlestone.data.cells import (
    WHITE,
    CsvFormat,
    Match,
    float_users,
    text,
    user_name,
)
from littlestone.data.codes import codes_of, converted, distinct_cells, label_places, valid
from littlestone.data.containers import Stream, repaired, run_engine
from littlestone.data.domains import (
    OUTSIDE,
    Domain,
    IntegerDomain,
    Line,
    distinct,
    object_points,
    refusal,
    totals,
    user_index,
    widened,
)
from littlestone.data.schema import Column, Schema
from littlestone.data.tables import Table, read_table
from littlestone.data.targets import TargetSample
from littlestone.errors import check_rows, parameter_error
from littlestone.types import Points

if TYPE_CHECKING:
    from littlestone.data.targets import Target


# -- From Arrow columns to points: at once for plain numbers, by the rule for any other cell.


Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_PLAIN = r"\A-?[0-9]{1,17}\z"  # whole numbers that surely fit into 64 bits


def points_of(column: pa.ChunkedArray, domain: Domain) -> tuple[Points, Ints]:
    """Return the distinct points of a column in canonical order, and the index of each cell's.

    The index of a cell outside the domain is -1.
    """
    if domain.bounds is not None and (domain.small or pa.types.is_integer(column.type)):
        numbers = _integers(column, cast(IntegerDomain, domain))
        if numbers is not None:
            values, inside = numbers
            points, where = distinct(values[inside])
            index = np.full(len(values), -1, dtype=np.int64)
            index[inside] = where
            return widened(points), index
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
            return numbers[0].astype(np.int64, copy=False), numbers[1]
    points, point = points_of(column, domain)
    inside = point >= 0
    keys = np.zeros(len(point), dtype=np.int64)
    keys[inside] = line.keys(points.astype(np.int64))[point[inside]]
    return keys, inside


def whole_numbers(column: pa.ChunkedArray, domain: IntegerDomain) -> tuple[npt.NDArray[Any], Mask]:
    """Return whole numbers in their own type, and which are in a domain of any size."""
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    values = column.fill_null(0).to_numpy() if column.null_count else column.to_numpy()
    kind = np.iinfo(values.dtype)
    inside = valid(column)
    if domain.low > kind.min:
        inside = inside & (domain.low <= kind.max) & (values >= min(domain.low, kind.max))
    if domain.high < kind.max:
        inside = inside & (domain.high >= kind.min) & (values <= max(domain.high, kind.min))
    return values, inside


def _integers(
    column: pa.ChunkedArray, domain: IntegerDomain
) -> tuple[npt.NDArray[Any], Mask] | None:
    """Convert a column of a simple type, to 64 bits; None when the type is not simple."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        values, inside = whole_numbers(column, domain)
        unsigned = kind == pa.uint64()  # perhaps beyond int64
        return values if unsigned else values.astype(np.int64, copy=False), inside
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
    values, inside = _inside(numbers.fill_null(0).to_numpy(), domain, valid(numbers))
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


STOPPED = (
    "The engine stopped while reading the table given to {}. Its own message is not shown, "
    "because such messages quote rows; run the engine on the table directly to see it."
)

_MOST_CELLS = 2**22  # of several columns that are counted in one reading
_ROWS = 2**22  # that are converted at a time
_MOST_GROUPS = 2**24  # that are kept apart though some may be equal


@dataclass(eq=False, repr=False, kw_only=True)
class Rules:
    """The public rules by which cells become records; see `Sample.read` and `TargetSample.read`."""

    domain: Domain
    x: str | Sequence[str] | None = None
    y: str
    user: str | None = None
    positive: Any = 1
    negative: Any = None
    labels: Sequence[Any] | None = None
    target: Target | None = None
    event: str | None = None
    caller: str

    def __post_init__(self) -> None:
        names, self.schema = point_columns(self.caller, self.x, self.domain)
        self._first = len(names)  # of the columns after those of points
        if self.labels is None:
            self._label = match(self.caller, "positive", self.positive)
        else:
            self._label = match(self.caller, "labels", *self.labels)
        self._either = self._label
        if self.negative is not None:
            self._either = match(self.caller, "negative", self.positive, self.negative)
        numeric = self.target is not None or self._label.numeric
        self.numbers = number_columns(names, self.schema, self.domain) + [self.y] * numeric
        self.columns = [*names, self.y, *(n for n in (self.event, self.user) if n is not None)]

    def converted(self, cells: pa.Table, *, strict: bool = False) -> TargetSample:
        """Convert the cells of rows, or of groups of equal ones, by the public rules; no users."""
        if self.schema is not None:
            codes = group_codes(cells, self.schema, self.caller, strict=strict)
            points, point = distinct(np.stack(codes, axis=1).astype(np.int16))
        else:
            points, point = points_of(cells["c0"], self.domain)
            if strict and (point < 0).any():
                raise refusal(self.caller, self.columns[0], self.domain.rule)
        label = self.codes(cells, strict=strict)
        return TargetSample(points, None, point, label, group_sizes(cells), None)

    def codes(self, cells: pa.Table, *, strict: bool = False) -> npt.NDArray[Any]:
        """Return label 1 where a cell equals the positive value, else 0; or codes."""
        raw = cells[f"c{self._first}"]
        codes: npt.NDArray[Any]
        if self.target is not None:
            last = len(self.columns) - (self.user is not None)
            codes = self.target.of_cells([cells[f"c{j}"] for j in range(self._first, last)])
            odd, rule = codes < 0, "a number"
        elif self.labels is not None:
            codes = label_places(raw, self._label)
            odd, rule = codes == self._label.size, "one of the public labels"
        else:
            codes = (label_places(raw, self._label) == 0).astype(np.int8)
            odd, rule = np.zeros(0, dtype=bool), "not missing"
            if strict and self.negative is not None:
                rule = "the positive or the negative label"
                odd = label_places(raw, self._either) == self._either.size
            elif strict:
                odd = converted(raw, lambda cell: user_name(cell) is None) == 1
        if strict and odd.any():
            raise refusal(self.caller, self.columns[self._first], rule)
        return codes

    def keys(self, cells: pa.Table) -> tuple[Ints, npt.NDArray[np.bool_]]:
        """Return the numbers of points on the line of the domain, and which cells are points."""
        return keys_of(cells["c0"], self.domain, cast(Line, self.domain.line))


@dataclass(eq=False, repr=False, kw_only=True)
class Reading(Rules):
    """A table that is opened, and the rules for its cells."""

    table: Any
    csv: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        declared = None if self.schema is None else self.schema.csv
        self.opened = read_table(self.table, csv=self.csv, declared=declared, caller=self.caller)
        self.stream = self.opened.stream(self.columns, self.caller, numbers=self.numbers)
        self.opened.once(self.y, self.caller)
        kind = self.stream.schema.types[len(self.columns) - 1]
        if self.user is not None and pa.types.is_floating(kind):
            raise float_users(f"The users in the column {self.user!r}", self.caller)

    def groups(self, *, strict: bool = False) -> TargetSample:
        """Return what all cells are converted to."""
        known = None if strict else self.opened.groups(self)
        return self.counted(strict=strict) if known is None else cast(TargetSample, known)

    def counted(self, *, strict: bool = False) -> TargetSample:
        """Convert the cells of the stream, batch by batch."""
        parts: list[TargetSample] = []
        users: list[pa.ChunkedArray] = []
        most, tables = _MOST_GROUPS, self.stream.tables(_ROWS)
        if strict:
            tables = iter(list(tables))
            self.opened.check()
        for cells in tables:
            parts.append(self.converted(cells, strict=strict))
            if self.user is not None:
                users.append(cells[f"c{len(self.columns) - 1}"])
            elif sum(len(part.count) for part in parts) > most:
                parts = [TargetSample.joined(parts).merged()]
                most = max(most, 2 * len(parts[0].count))
        groups = TargetSample.joined(parts) if len(parts) > 1 else parts[0]
        if self.user is None:
            return groups
        chunks = [chunk for column in users for chunk in column.chunks]
        user, keys = _users(pa.chunked_array(chunks), self.user, self.caller, strict=strict)
        return replace(groups, user=user, keys=keys)


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
            codes = group_codes(rows, schema, caller)
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
    [('17', 1), ('44', 2)]
    """
    return next(count_columns(read_table(table, caller=caller), [name], caller=caller))


def count_columns(
    table: Table, names: Sequence[str], *, caller: str
) -> Iterator[tuple[pa.ChunkedArray, Ints]]:
    """Yield what `count_cells` returns of each column; a small table is read once for several.

    Examples
    --------
    >>> table = read_table({"age": [44, 44], "city": ["Bonn", None]})
    >>> [counts.tolist() for _, counts in count_columns(table, ["age", "city"], caller="doctest")]
    [[2], [1, 1]]
    """
    some, left = list(names[:1]), list(names[1:])
    while some:
        stream = table.stream(some, caller)

        def run(stream: Stream = stream) -> list[pa.Table]:
            parts: list[list[pa.Table]] = [[] for _ in stream.schema.names]
            for cells in stream.tables():
                n = group_sizes(cells)
                for column, part in zip(cells.columns, parts, strict=True):
                    part.append(_summed(pa.table([column, n], ["cell", "n"])))
            return [_summed(pa.concat_tables(part)) for part in parts]

        counted = run_engine(run, STOPPED.format(caller))[: len(some)]
        rows = int(pc.sum(counted[0]["n"]).as_py() or 0)
        check_rows(rows, caller)
        yield from ((found["cell"], found["n"].to_numpy()) for found in counted)
        together = max(_MOST_CELLS // rows, 1)
        some, left = left[:together], left[together:]


def _summed(counts: pa.Table) -> pa.Table:
    """Add up the numbers of equal cells."""
    return counts.group_by("cell").aggregate([("n", "sum")]).rename_columns(["cell", "n"])


def count_codes(table: Any, column: Column, *, caller: str) -> Ints:
    """Return how many rows of a table have each code of a public column; every row has one.

    Examples
    --------
    >>> from littlestone.data import Column
    >>> count_codes({"age": [44, None, "x", 17]}, Column.bins("age", [18]), caller="doctest")
    array([1, 1, 1, 1])
    """
    numbers = [column.name] if column.of_numbers else []
    stream = read_table(table, caller=caller).stream([column.name], caller, numbers=numbers)
    return _totals(stream, lambda cells: codes_of(cells, column), column.n_codes, caller)


def _totals(
    stream: Stream, code: Callable[[pa.ChunkedArray], Ints], size: int, caller: str
) -> Ints:
    """Return how many rows have each code, of their first cell."""

    def run() -> Ints:
        parts = (totals(code(cells["c0"]), group_sizes(cells), size) for cells in stream.tables())
        return sum(parts, np.zeros(size, dtype=np.int64))

    counts = run_engine(run, STOPPED.format(caller))
    check_rows(int(counts.sum()), caller)
    return counts


def count_labels(table: Any, y: str, labels: Sequence[Any], *, caller: str) -> Ints:
    """Return how many rows of a table are missing a label, have another one, have each label.

    Examples
    --------
    >>> count_labels({"ill": ["1", 1.0, "ill", None, 0]}, "ill", [0, 1], caller="doctest")
    array([1, 1, 1, 2])
    """
    known = match(caller, "labels", *labels)
    numbers = [y] if known.numeric else []
    stream = read_table(table, caller=caller).stream([y], caller, numbers=numbers)

    def code(raw: object) -> int:
        written, place = text(raw), known.place(raw)
        if written is None or written.lower() == "nan":
            return Column.MISSING
        return Column.FIRST + place if place < known.size else Column.OTHER

    size = Column.FIRST + known.size
    return _totals(stream, lambda cells: converted(cells, code), size, caller)


def match(caller: str, name: str, *values: Any) -> Match:
    """Return the rule for public labels, or refuse them."""
    try:
        return Match(*values)
    except ValueError as odd:
        raise parameter_error(caller, name, *odd.args) from None


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


def group_sizes(cells: pa.Table) -> Ints:
    """Return how many records each group has; of raw cells each is a record."""
    if "count" not in cells.column_names:
        return np.ones(cells.num_rows, dtype=np.int64)
    return cast(Ints, cells["count"].cast(pa.int64()).to_numpy())  # Decimal in some engines


def group_codes(
    cells: pa.Table, schema: Schema, caller: str, *, strict: bool = False
) -> list[npt.NDArray[Any]]:
    """Return the codes of rows, column by column."""
    codes = []
    for j, column in enumerate(schema):
        codes.append(codes_of(cells[f"c{j}"], column))
        if strict and (codes[j] == column.OTHER).any():
            raise refusal(caller, column.name, column.rule)
    return codes


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
