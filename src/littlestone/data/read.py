"""One reading: a table becomes a sample, in memory or stored.

A small table is counted in memory. Of a large one what was converted, batch by batch, is grouped
and sorted in a `Store`; or it is read when something is asked. Which way is taken follows from
types, parameters and the number of rows, which are public.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from littlestone.costs import Costs
from littlestone.data.cells import user_name
from littlestone.data.convert import distinct_cells, whole_numbers
from littlestone.data.counting import STOPPED, Reading, group_codes, group_sizes
from littlestone.data.domains import IntegerDomain, Line
from littlestone.data.engine import run_engine
from littlestone.data.groups import INTEGERS
from littlestone.data.points import check_same, totals, user_index
from littlestone.data.sample import Extremes, Sample, grouped
from littlestone.data.schema import Schema
from littlestone.data.store import Store
from littlestone.data.stored import (
    Encoded,
    OnLine,
    Records,
    Stored,
    StoredUsers,
    Unread,
)
from littlestone.data.tables import Stream, read_table
from littlestone.data.users import UserSample

Ints = npt.NDArray[np.int64]

#: Public: tables of at least so many rows, over domains of at least so many points, are stored.
LARGE = 1 << 20

#: What a learner asks of its sample: all points at once; batches of them; the outermost ones; or
#: the records at some places.
Need: TypeAlias = Literal["all", "batches", "extremes", "places"]


def read(
    table: Any,
    *,
    strict: bool = False,
    caller: str = "read",
    need: Need = "all",
    most: int = 0,
    large: int = LARGE,
    **arguments: Any,
) -> Any:
    """Return the sample of a table: a `Sample` or `UserSample`; see `Reading.of`.

    Examples
    --------
    >>> table = pa.table({"dose": [3, 9, None, 5, 3], "ill": [0, 1, 1, 1, 1]})
    >>> sample = read(
    ...     table, x="dose", y="ill", domain=IntegerDomain(1, 9), need="batches", large=1)
    >>> [batch.points.tolist() for batch in sample.batches()], sample.outside
    ([[3, 5, 9]], (0, 1))
    """

    def run() -> Any:
        reading = _Sampled.of(table, caller=caller, **arguments)
        if strict or need == "all":
            return reading.in_memory(strict=strict)
        return reading.cheapest(need, most, large)

    return run_engine(run, STOPPED.format(caller))


class _Sampled(Reading):
    """What becomes of an opened table."""

    def in_memory(self, *, strict: bool = False) -> Any:
        """Count what all cells are converted to."""
        groups = self.groups(strict=strict)
        if self.user is not None:
            return UserSample.grouped(groups)
        return grouped(*groups[:4], len(self.rules) if self.listed else None)

    def cheapest(self, need: Need, most: int, large: int) -> Any:
        """Read what is needed; a large table is stored, or looked at when something is asked."""
        line: Line | None = getattr(self.domain, "line", None)
        if need == "places":
            rows = self.opened.rows() if self._stream else None
            if not rows:
                return self.in_memory()
            labels = len(self.rules) if self.listed else None
            take = partial(self._taken, rows)
            return Unread(rows, self.in_memory, take=take, labels=labels)
        if need == "extremes" and self._direct and self._outermost:
            found = self._extremes(most)
            whole = partial(self.cheapest, "batches", 0, large)
            return Unread(found.n, whole, extremes=self._extremes, known=(most, found))
        if self.user is not None:
            # how many records the users have is private: in the store, however few there are
            stores = isinstance(self.domain, IntegerDomain) and line is not None
            return self._stored_users(self.opened.rows()) if stores else self.in_memory()
        fits = self.schema is not None or (line is not None and line.size > large)
        rows = self.opened.rows() if fits else 0
        if rows is not None and rows < large:
            return self.in_memory()
        stored = self._stored(rows)
        return stored if stored.n >= large else stored.counted

    @property
    def _outermost(self) -> bool:
        """Whether there are extremes of raw batches: of whole numbers in a domain of any size."""
        if not isinstance(self.domain, IntegerDomain):
            return False
        return self.domain.small or not pa.types.is_floating(cast(Stream, self._stream).kinds[0])

    def _stored(self, rows: int | None) -> Stored:
        """Convert batch by batch; let the store group and sort."""
        labels = len(self.rules) + 1
        outside = np.zeros(labels, dtype=np.int64)
        layout: OnLine | Encoded
        if self.schema is None:
            layout = OnLine(cast(Any, self.domain).line)
        else:
            layout = Encoded(self.schema.n_codes)
        fields = [(name, pa.int64()) for name in layout.names]
        schema = _schema([*fields, ("label", pa.int8())], counts=not self._direct)

        def given() -> Iterator[pa.RecordBatch]:
            for cells in self._tables(rows):
                label, n = self._labels(cells), group_sizes(cells)
                if isinstance(layout, Encoded):
                    codes = group_codes(cells, cast(Schema, self.schema), self.caller)
                    words = layout.words(np.stack(codes).T)
                else:
                    keys, inside = self._keys(cells)
                    if not inside.all():
                        beyond = label[~inside].astype(np.int64)
                        outside[:] += totals(beyond, n[~inside], labels)
                        keys, label, n = keys[inside], label[inside], n[inside]
                    words = [keys]
                columns = [*words, label, n]
                yield pa.record_batch(columns[: len(schema)], schema=schema)

        records = Records.keep(layout, schema, given(), labels, outside)
        return Stored(records, Costs.equal(len(self.rules) if self.listed else 2))

    def _stored_users(self, rows: int | None) -> StoredUsers:
        """Let the store group and sort by user; names that are no numbers are numbered first."""
        kind = list(self.frame.collect_schema().values())[-1]
        names: dict[Any, int] | None = None if isinstance(kind, INTEGERS) else {}
        low = cast(Any, self.domain).low
        small, whole = pa.int8(), pa.int64()
        fields = [("nobody", small), ("user", whole), ("key", whole), ("label", small)]
        schema = _schema(fields, counts=not self._direct)

        def given() -> Iterator[pa.RecordBatch]:
            for cells in self._tables(rows):
                user, nobody = _numbered(cells[f"k{len(self.columns) - 1}"], names)
                keys, inside = self._keys(cells)
                key = np.where(inside, keys, low - 1)
                columns = [nobody, user, key, self._labels(cells), group_sizes(cells)]
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
        zeros, ones = _Outer(most, largest=True), _Outer(most, largest=False)
        inside, outside = np.zeros((2, 2), dtype=np.int64)

        def run() -> None:
            for cells in self._tables(None):
                column, domain = cells["k0"], cast(IntegerDomain, self.domain)
                floats = pa.types.is_floating(column.type)
                keys, known = self._keys(cells) if floats else whole_numbers(column, domain)
                one = self._labels(cells) == 1
                zeros.add(keys[known & ~one])
                ones.add(keys[known & one])
                for label, here in enumerate((~one, one)):
                    within = int(np.count_nonzero(known & here))
                    inside[label] += within
                    outside[label] += int(np.count_nonzero(here)) - within

        run_engine(run, STOPPED.format(self.caller))
        (zero, one), (zero_out, one_out) = inside.tolist(), outside.tolist()
        return Extremes(zeros.sorted()[::-1], ones.sorted(), (zero, one), (zero_out, one_out))

    def _taken(self, rows: int, places: Ints) -> Sample:
        """Return the sample of the rows at increasing places; other rows are passed over."""
        stream = cast(Stream, self._stream)
        schema = pa.schema([(f"c{j}", kind) for j, kind in enumerate(stream.kinds)])

        def run() -> tuple[int, pa.Table]:
            kept, start = [], 0
            for batch in stream.batches():
                first, last = np.searchsorted(places, [start, start + len(batch)])
                if first < last:
                    here = pa.array(places[first:last] - start)
                    columns = [column.take(here) for column in batch.columns]
                    kept.append(pa.record_batch(columns, schema=schema))
                start += len(batch)
            return start, pa.Table.from_batches(kept, schema=schema)

        found, chosen = run_engine(run, STOPPED.format(self.caller))
        check_same([rows, found])
        part = read_table(chosen, caller=self.caller)
        frame = part.frame(schema.names, self.caller)
        return cast(Sample, replace(self, opened=part, frame=frame).in_memory())


class _Outer:
    """The outermost values of a stream: a buffer that is cut down when it has grown fourfold."""

    def __init__(self, most: int, *, largest: bool) -> None:
        self._most, self._largest = most, largest
        self._kept: list[Ints] = []
        self._size = 0
        self._bound: Any = None  # no value inside this bound can be among the outermost

    def add(self, values: Ints) -> None:
        if not self._most:
            return
        if self._bound is not None:
            far = values > self._bound if self._largest else values < self._bound
            values = values[far]
        self._kept.append(values)
        self._size += len(values)
        if self._size > 4 * self._most:
            kept = self.sorted()
            kept = kept[-self._most :] if self._largest else kept[: self._most]
            self._bound = kept[0] if self._largest else kept[-1]
            self._kept, self._size = [kept], len(kept)

    def sorted(self) -> Ints:
        return np.sort(np.concatenate(self._kept)) if self._kept else np.zeros(0, dtype=np.int64)


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
