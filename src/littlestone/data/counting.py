"""Grouping where the data lie, and converting each distinct cell once.

The engine groups equal raw cells and counts them; only groups come to Python, where each distinct
cell is converted by the public rules and equal results are added up. For rows of a schema the
numeric columns are binned inside the engine (`bin_in_engine`), by comparisons that agree exactly
with `Column.code`, so that ten million different incomes do not become ten million groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from littlestone.data.calendar import ISO_TIME
from littlestone.data.cells import Match, float_users, text, user_name
from littlestone.data.columns import Column
from littlestone.data.convert import PLAIN, codes_of, distinct_cells, points_of
from littlestone.data.dialects import Frame, bytewise
from littlestone.data.domains import Domain, IntegerDomain, RowDomain, refusal
from littlestone.data.engine import quietly
from littlestone.data.formats import CsvFormat
from littlestone.data.points import distinct, totals, user_index
from littlestone.data.schema import Schema
from littlestone.data.tables import read_table
from littlestone.errors import DataError, parameter_error
from littlestone.types import Points

__all__ = [
    "INTEGERS",
    "STOPPED",
    "Binned",
    "Groups",
    "bin_in_engine",
    "check_rows",
    "check_users",
    "count_cells",
    "count_codes",
    "count_labels",
    "group_codes",
    "group_sizes",
    "group_table",
    "in_groups",
    "label_codes",
    "listed_codes",
    "match",
    "number_columns",
    "numbered_users",
    "point_columns",
    "point_pieces",
    "read_points",
]

INTEGERS = (nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32)
_FLOATS = (nw.Float32, nw.Float64)

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
    if isinstance(dtype, _FLOATS):
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


Ints = npt.NDArray[np.int64]

STOPPED = (
    "The engine stopped while it read the table given to {}. Its own message is not shown, because "
    "such messages quote rows; run the engine on the table directly to see it."
)


@dataclass(frozen=True, eq=False, repr=False)
class Groups:
    """Groups (user, point, label) with counts; different raw cells may give equal groups."""

    points: Points
    point: Ints  # index into points; -1 is outside
    label: npt.NDArray[np.int8]
    count: Ints
    user: Ints
    user_keys: npt.NDArray[np.uint64]


def group_table(
    owner: str,
    table: Any,
    domain: Domain,
    *,
    x: str | Sequence[str] | None,
    y: str,
    user: str | None = None,
    positive: Any = None,
    negative: Any = None,
    labels: Sequence[Any] | None = None,
    strict: bool,
    csv: Any = None,
) -> Groups:
    """Read and count a table; see `Sample.read`, `MulticlassSample.read` and `UserSample.read`."""
    # Arrow and NumPy quote cells in their errors, as engines do: the whole reading is hushed.
    arguments = {"x": x, "y": y, "user": user, "positive": positive, "negative": negative}
    arguments["csv"] = csv
    arguments["labels"] = labels
    return quietly(
        lambda: _group(owner, table, domain, **arguments, strict=strict), STOPPED.format(owner)
    )


def _group(
    owner: str,
    table: Any,
    domain: Domain,
    *,
    x: Any,
    y: Any,
    user: Any,
    positive: Any,
    negative: Any,
    csv: Any,
    labels: Any,
    strict: bool,
) -> Groups:
    listed = [match(owner, "labels", label) for label in labels or ()]
    is_positive = None if listed else match(owner, "positive", positive)
    is_negative = None if negative is None else match(owner, "negative", negative)
    names, schema = point_columns(owner, x, domain)
    opened = read_table(table, csv=csv, declared=_declared(schema), owner=owner)
    numeric = is_positive.numeric if is_positive else all(rule.numeric for rule in listed)
    numbers = number_columns(names, schema, domain) + ([y] if numeric else [])
    columns = [*names, y, *([] if user is None else [user])]
    frame = opened.frame(columns, owner, numbers=numbers)
    if user is not None:
        check_users(frame, user, owner)
    counted = _count(frame, len(names), schema, owner)
    if strict:
        opened.check()

    if schema is None:
        points, point = points_of(counted["k0"], domain)
        if strict and (point < 0).any():
            raise refusal(owner, names[0], domain.rule)
    else:
        points, point = distinct(group_codes(counted, schema, owner, strict=strict))
    cells = counted[f"k{len(names)}"]
    if is_positive is None:
        label = _listed(cells, y, listed, owner, strict=strict)
    else:
        label = _labels(cells, y, is_positive, is_negative, owner, strict=strict)
    users, keys = np.zeros(0, np.int64), np.zeros(0, np.uint64)
    if user is not None:
        users, keys = _users(counted[f"k{len(names) + 1}"], user, owner, strict=strict)
    return Groups(points, point, label, group_sizes(counted), users, keys)


def read_points(
    table: Any,
    *,
    x: str | Sequence[str] | None = None,
    domain: Domain,
    csv: Any = None,
    declared: CsvFormat | None = None,
    owner: str = "read_points",
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
    points, inside = zip(*point_pieces(table, owner=owner, **where), strict=True)
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
    owner: str = "read_points",
) -> Iterator[tuple[Points, npt.NDArray[np.bool_]]]:
    """Yield what `read_points` returns, a piece of the table after the other; at least one.

    Examples
    --------
    >>> from littlestone.data import IntegerDomain
    >>> list(point_pieces({"dose": ["3", "x"]}, x="dose", domain=IntegerDomain(1, 9)))
    [(array([3]), array([ True, False]))]
    """
    names, schema = point_columns(owner, x, domain)
    opened = read_table(table, csv=csv, declared=declared or _declared(schema), owner=owner)
    numbers = number_columns(names, schema, domain)

    def convert(rows: pa.Table) -> tuple[Points, npt.NDArray[np.bool_]]:
        if schema is not None:
            codes = [codes_of(rows[f"c{j}"], column) for j, column in enumerate(schema)]
            return np.stack(codes, axis=1).astype(np.int16), np.ones(rows.num_rows, dtype=bool)
        points, point = points_of(rows["c0"], domain)
        inside = point >= 0
        return points[point[inside]], inside

    empty = True
    for piece in opened.pieces(names, owner, numbers=numbers):
        empty = False
        yield quietly(lambda piece=piece: convert(piece), STOPPED.format(owner))  # type: ignore[misc]
    if empty:
        yield domain.store([]), np.zeros(0, dtype=bool)


def count_cells(
    table: Any, name: str, *, owner: str, numbers: bool = False
) -> tuple[pa.ChunkedArray, Ints]:
    """Return the distinct cells of a column, and how many rows have each; they are secret.

    As ``numbers`` they are read with the decimal sign that a CSV file declares.

    Examples
    --------
    >>> cells, counts = count_cells({"age": [44, 17, 44]}, "age", owner="doctest")
    >>> sorted(zip(cells.to_pylist(), counts.tolist()))
    [(b'17', 1), (b'44', 2)]
    """
    read = [name] if numbers else []
    frame = read_table(table, owner=owner).frame([name], owner, numbers=read)
    counted = _count(frame, 0, None, owner)
    check_rows(counted.num_rows, owner)
    return counted["k0"], group_sizes(counted)


def count_codes(table: Any, column: Column, *, owner: str) -> Ints:
    """Return how many rows of a table have each code of a public column; every row has one.

    Examples
    --------
    >>> from littlestone.data import Column
    >>> count_codes({"age": [44, None, "x", 17]}, Column.bins("age", [18]), owner="doctest")
    array([1, 1, 1, 1])
    """
    numbers = [column.name] if column.of_numbers else []
    frame = read_table(table, owner=owner).frame([column.name], owner, numbers=numbers)
    schema = Schema((column,))

    def run() -> Ints:
        counted = _count(frame, 1, schema, owner)
        check_rows(counted.num_rows, owner)
        codes = group_codes(counted, schema, owner, strict=False)[:, 0]
        return totals(codes.astype(np.int64), group_sizes(counted), column.n_codes)

    return quietly(run, STOPPED.format(owner))


def count_labels(table: Any, y: str, labels: Sequence[Any], *, owner: str) -> Ints:
    """Return how many rows of a table are missing a label, have another one, have each label.

    Examples
    --------
    >>> count_labels({"ill": ["1", 1.0, "yes", None, 0]}, "ill", [0, 1], owner="doctest")
    array([1, 1, 1, 2])
    """
    rules = [match(owner, "labels", label) for label in labels]
    numbers = [y] if any(rule.numeric for rule in rules) else []
    frame = read_table(table, owner=owner).frame([y], owner, numbers=numbers)

    def code(raw: object) -> int:
        written = text(raw)
        if written is None or written.lower() == "nan":
            return Column.MISSING
        found = [i for i, rule in enumerate(rules) if rule(raw)]
        return Column.FIRST + found[0] if found else Column.OTHER

    def run() -> Ints:
        counted = _count(frame, 0, None, owner)
        check_rows(counted.num_rows, owner)
        return totals(
            _convert(counted["k0"], code), group_sizes(counted), Column.FIRST + len(rules)
        )

    return quietly(run, STOPPED.format(owner))


def match(owner: str, name: str, value: Any) -> Match:
    """Return the rule for a public label, or refuse it."""
    try:
        return Match(value)
    except ValueError:
        raise parameter_error(owner, name, "a number or a text, not missing", value) from None


def point_columns(
    owner: str, x: str | Sequence[str] | None, domain: Domain
) -> tuple[list[str], Schema | None]:
    """Return the columns of the points, and the schema when points are rows."""
    if not isinstance(domain, RowDomain):
        if not isinstance(x, str):
            hint = "Only rows of a schema have several columns."
            raise parameter_error(owner, "x", "the name of one column", x, hint)
        return [x], None
    schema = domain.schema
    if schema.bound:
        if x is not None and [x] != list(schema.names) and list(x) != list(schema.names):
            hint = "Its columns are read by their names."
            raise parameter_error(owner, "x", "left out for rows of a schema", x, hint)
        return list(schema.names), schema
    if isinstance(x, str) or not x:
        hint = "This schema describes every column, so say which ones."
        raise parameter_error(owner, "x", "a list of column names", x, hint)
    return list(x), schema.bind(len(x))


def _declared(schema: Schema | None) -> CsvFormat | None:
    return None if schema is None else schema.csv


def number_columns(names: list[str], schema: Schema | None, domain: Domain) -> list[str]:
    """Return the columns of points that are read as numbers."""
    if schema is None:
        return names if isinstance(domain, IntegerDomain) else []
    return [name for name, column in zip(names, schema, strict=True) if column.of_numbers]


def _count(frame: Frame, n_points: int, schema: Schema | None, owner: str) -> pa.Table:
    """Let the engine group by raw cells (k), or by codes (b) and the cells that have none yet."""

    def run() -> pa.Table:
        return cast(Any, in_groups(frame, n_points, schema).collect("pyarrow").to_native())

    return quietly(run, STOPPED.format(owner))


def in_groups(frame: Frame, n_points: int = 0, schema: Schema | None = None) -> Frame:
    """Return the groups (k0, k1, ...; of binned columns b0, ...) and their counts, not yet read."""
    first: dict[str, nw.Expr] = {}
    then: dict[str, nw.Expr] = {}
    for j, (name, dtype) in enumerate(frame.collect_schema().items()):
        column = schema.columns[j] if schema is not None and j < n_points else None
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


def check_rows(n: int, owner: str) -> None:
    """Refuse a table without rows, where their number is public."""
    if not n:
        raise DataError(f"The table given to {owner} has no rows, so nothing was drawn.")


def group_sizes(counted: pa.Table) -> Ints:
    """Return how many records each group has."""
    return cast(Ints, counted["count"].cast(pa.int64()).to_numpy())  # Decimal in some engines


def group_codes(counted: pa.Table, schema: Schema, owner: str, *, strict: bool = False) -> Points:
    """Return the codes of the groups' rows, as far as the engine has not found them already."""
    codes = np.empty((counted.num_rows, len(schema)), dtype=np.int16)
    for j, column in enumerate(schema):
        binned, rest = f"b{j}" in counted.column_names, f"k{j}" in counted.column_names
        raw = _convert(counted[f"k{j}"], column.code) if rest else None
        if strict and raw is not None and (raw == column.OTHER).any():
            raise refusal(owner, column.name, column.rule)
        if not binned:
            codes[:, j] = raw
            continue
        code = counted[f"b{j}"]
        known = code.is_valid().to_numpy(zero_copy_only=False)
        value = code.fill_null(column.MISSING).to_numpy()
        codes[:, j] = value if raw is None else np.where(known, value, raw)
    return codes


def _labels(
    cells: pa.ChunkedArray,
    name: str,
    positive: Match,
    negative: Match | None,
    owner: str,
    *,
    strict: bool,
) -> npt.NDArray[np.int8]:
    """Return label 1 where the cell equals the positive value, else 0."""
    if strict:
        rule = "not missing" if negative is None else "the positive or the negative label"

        def allowed(raw: object) -> bool:
            known = positive(raw) or negative is None or negative(raw)
            return known and user_name(raw) is not None

        if not _convert(cells, allowed).all():
            raise refusal(owner, name, rule)
    return label_codes(cells, positive)


def label_codes(cells: pa.ChunkedArray, positive: Match) -> npt.NDArray[np.int8]:
    """Return 1 where the cell equals the positive label, else 0."""
    return _convert(cells, positive).astype(np.int8)


def _listed(
    cells: pa.ChunkedArray, name: str, labels: Sequence[Match], owner: str, *, strict: bool
) -> npt.NDArray[np.int8]:
    """Return the codes of labels, or refuse cells that equal none."""
    codes = listed_codes(cells, labels)
    if strict and (codes == len(labels)).any():
        raise refusal(owner, name, "one of the public labels")
    return codes


def listed_codes(cells: pa.ChunkedArray, labels: Sequence[Match]) -> npt.NDArray[np.int8]:
    """Return the code of the label that each cell equals; their number where it equals none."""

    def code(raw: object) -> int:
        return next((i for i, rule in enumerate(labels) if rule(raw)), len(labels))

    return _convert(cells, code).astype(np.int8)


def _users(
    cells: pa.ChunkedArray, name: str, owner: str, *, strict: bool
) -> tuple[Ints, npt.NDArray[np.uint64]]:
    """Return the number of each group's user, and the users' keys."""
    if strict and cells.null_count:
        raise refusal(owner, name, "the name of a user")
    if pa.types.is_integer(cells.type) and cells.type != pa.uint64():
        return numbered_users(cells)
    raw, where = distinct_cells(cells)
    names = [user_name(cell) for cell in raw]
    if strict and None in names:
        raise refusal(owner, name, "the name of a user")
    index, keys = user_index(names)
    return index[where], keys


def check_users(frame: Frame, user: str, owner: str) -> None:
    """Refuse a column of users, the last of a frame, whose type is floats."""
    if isinstance(list(frame.collect_schema().values())[-1], _FLOATS):
        raise float_users(f"The users in the column {user!r}", owner)


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
