"""One reading: a table becomes a sample, in memory or stored.

A small table is counted in memory. Of a large one what was converted, batch by batch, is grouped
and sorted in a `Store`; or it is read when something is asked. Which way is taken follows from
types, parameters and the number of rows, which are public.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from littlestone.costs import Costs
from littlestone.data.cells import CsvFormat, user_name
from littlestone.data.codes import distinct_cells
from littlestone.data.containers import run_engine
from littlestone.data.counting import (
    STOPPED,
    Reading,
    Rules,
    group_codes,
    group_sizes,
    whole_numbers,
)
from littlestone.data.domains import IntegerDomain, Line, check_same, refusal, totals, user_index
from littlestone.data.lines import columns_in, names_in, numbered, to_utf8
from littlestone.data.sample import Extremes, Sample
from littlestone.data.schema import Schema
from littlestone.data.stored import Encoded, OnLine, Store, Stored, StoredUsers, Unread
from littlestone.data.targets import UserSample
from littlestone.errors import DataError, ParameterError, parameter_error
from littlestone.types import Points

Ints = npt.NDArray[np.int64]

#: Public: tables of at least so many rows, over domains of at least so many points, are stored.
LARGE = 1 << 20

#: What a learner asks of its sample: all points at once; batches of them; the outermost ones.
Need: TypeAlias = Literal["all", "batches", "extremes"]


def read(
    table: Any,
    *,
    kind: Any = None,
    strict: bool = False,
    caller: str = "read",
    need: Need = "all",
    most: int = 0,
    large: int = LARGE,
    **arguments: Any,
) -> Any:
    """Return the sample of a table; see `Rules`.

    ``kind``: `Sample`, `UserSample` or `TargetSample` (in memory), if the user does not say.

    Examples
    --------
    >>> table = pa.table({"dose": [3, 9, None, 5, 3], "ill": [0, 1, 1, 1, 1]})
    >>> sample = read(
    ...     table, x="dose", y="ill", domain=IntegerDomain(1, 9), need="batches", large=1)
    >>> [batch.points.tolist() for batch in sample.batches()], sample.outside
    ([[3, 5, 9]], (0, 1))
    """

    def run() -> Any:
        reading = _Sampled(table=table, caller=caller, **arguments)
        if strict or need == "all":
            return reading.in_memory(kind, strict=strict)
        return reading.cheapest(need, most, large)

    return run_engine(run, STOPPED.format(caller))


class _Sampled(Reading):
    """What becomes of an opened table."""

    def in_memory(self, kind: Any = None, *, strict: bool = False) -> Any:
        """Count what all cells are converted to."""
        groups = self.groups(strict=strict)
        if kind in (None, Sample):  # who names users has them protected
            kind = Sample if self.user is None else UserSample
        elif kind is UserSample and self.user is None:
            raise parameter_error(self.caller, "user", "the name of a column", None)
        if kind is Sample:
            return groups.pooled(None if self.labels is None else len(self.labels))
        return kind.grouped(groups)

    def cheapest(self, need: Need, most: int, large: int) -> Any:
        """Read what is needed; a large table is stored, or looked at when something is asked."""
        line: Line | None = getattr(self.domain, "line", None)
        if need == "extremes" and self._outermost:
            sample = self._extremes(most)
            whole = partial(self.cheapest, "batches", 0, large)
            return Unread(sample.n, whole, extremes=self._extremes, known=(most, sample))
        if self.user is not None:
            # how many records the users have is private: in the store, however few there are
            stores = self.domain.bounds is not None and line is not None
            return self._stored_users() if stores else self.in_memory()
        fits = self.schema is not None or (line is not None and line.size > large)
        rows = self.opened.rows() if fits else 0
        if rows is not None and rows < large:
            return self.in_memory()
        stored = self._stored()
        check_same([stored.n if rows is None else rows, stored.n])
        return stored if stored.n >= large else stored.counted

    @property
    def _outermost(self) -> bool:
        """Whether extremes are kept as batches come: of whole numbers in a domain of any size."""
        kind = self.stream.schema.types[0]
        numbers = pa.types.is_integer(kind) or (pa.types.is_floating(kind) and self.domain.small)
        return self.domain.bounds is not None and numbers and not self._counted

    @property
    def _counted(self) -> bool:
        """Whether the engine hands out groups."""
        return "count" in self.stream.schema.names

    def _stored(self) -> Stored:
        """Convert batch by batch; let the store group and sort."""
        rows = 2 if self.labels is None else len(self.labels) + 1
        outside = np.zeros(rows, dtype=np.int64)
        layout: OnLine | Encoded
        if self.schema is None:
            layout = OnLine(cast(Any, self.domain).line)
        else:
            layout = Encoded(self.schema.n_codes)
        fields = [(name, pa.int64()) for name in layout.names]
        schema = _schema([*fields, ("label", pa.int8())], counts=self._counted)

        def given() -> Iterator[pa.RecordBatch]:
            for cells in self.stream.tables():
                label, n = self.codes(cells), group_sizes(cells)
                if isinstance(layout, Encoded):
                    codes = group_codes(cells, cast(Schema, self.schema), self.caller)
                    words = layout.words(np.stack(codes).T)
                else:
                    keys, inside = self.keys(cells)
                    if not inside.all():
                        beyond = label[~inside].astype(np.int64)
                        outside[:] += totals(beyond, n[~inside], rows)
                        keys, label, n = keys[inside], label[inside], n[inside]
                    words = [keys]
                columns = [*words, label, n]
                yield pa.record_batch(columns[: len(schema)], schema=schema)

        costs = Costs.equal(2 if self.labels is None else len(self.labels))
        return Stored.keep(layout, schema, given(), costs, outside)

    def _stored_users(self) -> StoredUsers:
        """Let the store group and sort by user; names that are no numbers are numbered first."""
        kind = self.stream.schema.types[len(self.columns) - 1]
        whole_names = pa.types.is_integer(kind) and kind != pa.uint64()
        names: dict[Any, int] | None = None if whole_names else {}
        low = cast(Any, self.domain).low
        small, whole = pa.int8(), pa.int64()
        fields = [("nobody", small), ("user", whole), ("key", whole), ("label", small)]
        schema = _schema(fields, counts=self._counted)

        def given() -> Iterator[pa.RecordBatch]:
            for cells in self.stream.tables():
                user, nobody = _numbered(cells[f"c{len(self.columns) - 1}"], names)
                keys, inside = self.keys(cells)
                key = np.where(inside, keys, low - 1)
                columns = [nobody, user, key, self.codes(cells), group_sizes(cells)]
                yield pa.record_batch(columns[: len(schema)], schema=schema)

        store, sorted_by, ranked = Store(), "nobody, user, key, label", None
        if names is None:
            store.keep("users", schema, given(), sorted_by, add="n")
        else:
            store.keep("numbered", schema, given())
            rank, ranked = user_index(list(names))
            again = (
                batch.set_column(1, "user", pa.array(rank[batch.column("user").to_numpy()]))
                for batch in store.batches("numbered")
            )
            store.keep("users", schema, again, sorted_by, add="n")
        return StoredUsers.sorted(store, "users", low, ranked)

    def _extremes(self, most: int) -> Extremes:
        """Keep the outermost records of all batches, in one pass and little memory."""
        zeros, ones = np.zeros((2, 0), dtype=np.int64)
        inside, outside = np.zeros((2, 2), dtype=np.int64)

        def run() -> None:
            nonlocal zeros, ones
            for cells in self.stream.tables():
                column, domain = cells["c0"], cast(IntegerDomain, self.domain)
                floats = pa.types.is_floating(column.type)
                keys, known = self.keys(cells) if floats else whole_numbers(column, domain)
                one = self.codes(cells) == 1
                zeros = _outer(zeros, keys[known & ~one], most, largest=True)
                ones = _outer(ones, keys[known & one], most, largest=False)
                for label, here in enumerate((~one, one)):
                    within = int(np.count_nonzero(known & here))
                    inside[label] += within
                    outside[label] += int(np.count_nonzero(here)) - within

        run_engine(run, STOPPED.format(self.caller))
        (zero, one), (zero_out, one_out) = inside.tolist(), outside.tolist()
        return Extremes(np.sort(zeros)[::-1], np.sort(ones), (zero, one), (zero_out, one_out))


def _outer(kept: Ints, values: Ints, most: int, *, largest: bool) -> Ints:
    """Return so many of the largest, or smallest, of both, in no order."""
    both = np.concatenate([kept, values]) if len(kept) else values
    if len(both) <= most or not most:
        return both[: len(both) if most else 0]
    return np.partition(both, -most)[-most:] if largest else np.partition(both, most - 1)[:most]


def _schema(fields: list[tuple[str, pa.DataType]], *, counts: bool) -> pa.Schema:
    """Return the schema of records, with how many there are if not each is one."""
    return pa.schema([*fields, *([("n", pa.int64())] if counts else [])])


def _numbered(
    cells: pa.ChunkedArray, names: dict[Any, int] | None
) -> tuple[Ints, npt.NDArray[np.int8]]:
    """Return the users of cells as whole numbers, and which cells name nobody.

    Names that are no whole numbers are numbered as they come; nobody is then one of them.
    """
    if names is None:
        nobody = cells.is_null().to_numpy().astype(np.int8)
        return cells.cast(pa.int64()).fill_null(0).to_numpy(), nobody
    raw, where = distinct_cells(cells)
    named = map(user_name, raw)
    ids = np.array([names.setdefault(name, len(names)) for name in named], dtype=np.int64)
    return ids[where], np.zeros(len(where), dtype=np.int8)


# -- Rows that arrive one after the other: CSV from a pipe or a growing file, in groups.
#
# The rules are those of whole files (`littlestone.data.lines`, `littlestone.data.cells`): one
# line is one record, each cell is converted alone. Where a group ends depends on when rows arrive
# and on a public maximum of rows; on how many bytes they have only if these are 2**25 and more.


_CHUNK = 1 << 20  # bytes that are asked for at a time
_LONGEST = 1 << 25  # bytes of a group, from which it is not filled up


class Group(NamedTuple):
    """Some rows: points (anything where they lie outside the domain), labels, whose they are."""

    points: Points
    inside: npt.NDArray[np.bool_]
    labels: npt.NDArray[np.int8]
    users: list[str] | None = None


class Begun(NamedTuple):
    """A stream whose line of names has been read, and nothing else."""

    width: int
    columns: list[int]
    lines: Iterator[bytes]


def line_groups(
    read: Callable[[int], bytes], most: int, more: Callable[[], bool], encoding: str = "utf-8"
) -> Iterator[bytes]:
    r"""Yield whole lines as they arrive.

    Examples
    --------
    >>> import io
    >>> list(line_groups(io.BytesIO(b"a\nb\nc\nd").read, 2, lambda: False))
    [b'a\nb\n', b'c\n', b'd\n']
    """
    kept: list[bytes] = []
    write = to_utf8(encoding)
    while True:
        got = read(_CHUNK)
        if not got and more():
            continue
        chunk = write(got, not got)
        if not got:
            if chunk:
                kept.append(chunk)
            if any(kept):
                yield b"".join(kept) + b"\n"
            return
        cut = chunk.rfind(b"\n") + 1
        if cut:
            *full, last = _pieces(b"".join([*kept, chunk[:cut]]), most)
            kept = []
            yield from full
            if len(got) == _CHUNK and len(last) < _LONGEST and last.count(b"\n") < most:
                kept.append(last)  # more is there already: groups end where rows say, not bytes
            else:
                yield last
        kept.append(chunk[cut:])


def _pieces(block: bytes, most: int) -> Iterator[bytes]:
    ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n")) + 1
    cuts = [0, *ends[most - 1 :: most].tolist()]
    if cuts[-1] < len(block):
        cuts.append(len(block))
    for start, end in pairwise(cuts):
        yield block[start:end]


@dataclass(eq=False, repr=False, kw_only=True)
class RowReader(Rules):
    """The public rules by which rows of CSV become records."""

    strict: bool = False
    what: str = "The standard input"
    form: CsvFormat = field(default_factory=CsvFormat)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.form.quoted_line_breaks:
            raise ParameterError(
                f"Rows of {self.caller} are single lines: quoted-line-breaks is for whole files, "
                "because one unclosed quote would swallow all later rows."
            )

    def begin(self, lines: Iterator[bytes]) -> Begun:
        """Read the line of names, which is public: what is wrong there is wrong before any row."""
        first = next(lines, b"")
        cut = first.find(b"\n") + 1
        names = numbered(names_in(first[:cut], self.form, self.what))
        return Begun(len(names), self._columns(names), _chain(first[cut:], lines))

    def groups(self, begun: Begun, skip: int = 0) -> Iterator[Group]:
        """Yield the rows that come after ``skip`` rows."""
        numbers = {begun.columns[self.columns.index(name)] for name in self.numbers}
        for block in self._after(begun.lines, skip):
            cells, ragged = columns_in(block, self.form, begun.width, begun.columns, numbers)
            if self.strict and ragged:
                raise DataError(
                    f"Every line given to {self.caller} must have as many cells as the first line "
                    "has names, and an even number of quotes. Some line does not, and strict "
                    "reading refuses it."
                )
            users = None if self.user is None else self._users(cells.pop())
            table = pa.Table.from_arrays(cells, [f"c{j}" for j in range(len(cells))])
            rows = self.converted(table, strict=self.strict)
            points = rows.points if len(rows.points) else np.zeros(1, dtype=np.int64)
            at = np.maximum(rows.point, 0)
            yield Group(points[at], rows.point >= 0, rows.code, users)

    def _after(self, lines: Iterator[bytes], skip: int) -> Iterator[bytes]:
        for block in lines:
            n = block.count(b"\n") if skip else 0
            if skip and n <= skip:
                skip -= n
            elif skip:
                ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n")) + 1
                cut, skip = int(ends[skip - 1]), 0
                yield block[cut:]
            else:
                yield block
        if skip:
            raise DataError(
                f"{self.what} has fewer rows than the stream has learned, so it is not the same "
                "stream from its start. Nothing was learned."
            )

    def _columns(self, names: Sequence[str]) -> list[int]:
        for name in self.columns:
            if name not in names:
                shown = f" It is: {', '.join(map(repr, names))}."
                raise ParameterError(
                    f"{self.what} given to {self.caller} has no column {name!r}. Its first line "
                    f"must hold the column names.{shown if self.form.header_is_public else ''}"
                )
        return [names.index(name) for name in self.columns]

    def _users(self, cells: pa.Array) -> list[str]:
        """Return names, as JSON: a number, a text, or null where there is none."""
        raw, where = distinct_cells(pa.chunked_array([cells]))
        users = [user_name(cell) for cell in raw]
        if self.strict and None in users:
            raise refusal(self.caller, str(self.user), "not missing")
        names = [json.dumps(name) for name in users]
        return [names[i] for i in where.tolist()]


def _chain(rest: bytes, lines: Iterator[bytes]) -> Iterator[bytes]:
    if rest:
        yield rest
    yield from lines
