"""What the draw of a tree asks of records: what each answer costs them, by codes and by splits.

A *split* is what an inner node asks: a literal of the schema except ``is not``, which asks the same
as ``is`` with the sides swapped. (``age < 30`` is *not* ``age >= 30`` swapped: a cell that is
missing or other answers no to both.)

Splits of one column that part the records alike, up to swapping the sides, form one *pattern*: they
have equal weights as roots, so one of them is weighed. This changes the time, never the law.

Costs are sums of integers below 2**53, so exact in doubles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from littlestone.data import Literal, Sample, Schema
from littlestone.data.code_tables import CodeTables, Entries, table_bytes
from littlestone.data.sample import Batch
from littlestone.types import Points

Bits = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]
#: What each answer costs at the points of a stored batch: of its number, and the batch.
Weigh: TypeAlias = Callable[[int, Batch], npt.NDArray[Any]]

_EXACT = 2**53
_CACHE_BYTES = 1 << 27  # bytes of the sums of triples of columns that are kept of rows in memory
_MOST = 1 << 26  # entries of the tables that are yielded together
_TRIPLES = 3  # the largest sets of columns that are counted


class Splits:
    """The splits of a schema of a fixed number of columns, in its public order.

    Examples
    --------
    >>> schema = Schema.from_dict({"age": {"bins": [30]}, "city": {"categories": ["Bonn"]}})
    >>> [split.text for split in Splits(schema).literals]
    ['age >= 30', 'age < 30', 'city is Bonn']
    """

    def __init__(self, schema: Schema) -> None:
        self.literals: tuple[Literal, ...] = tuple(
            literal for literal in schema.literals() if literal.op != "is not"
        )
        self.n_codes = schema.n_codes

    def __len__(self) -> int:
        return len(self.literals)

    @cached_property
    def accepts(self) -> list[Bits]:
        """For each split, which codes of its column answer yes."""
        return [lit.accepts(self.n_codes[lit.column]) for lit in self.literals]

    def answers(self, split: int, *, yes: bool) -> tuple[int, Bits]:
        """Return the column of a split, and which of its codes answer so."""
        return self.literals[split].column, self.accepts[split] == yes


class Rows(Protocol):
    """Records below some answers."""

    splits: Splits
    n_labels: int

    @property
    def totals(self) -> Counts:
        """What each answer costs all records."""

    def side(self, split: int, *, yes: bool) -> Rows:
        """Return the records that answer a split in one way."""

    def tables(self, order: int) -> CodeTables:
        """Return what each answer costs by the codes of sets of ``order`` columns, at least two."""

    def triples(self, column: int, sides: Bits) -> CodeTables:
        """Return the differences by pairs of columns, by sides of a column (`CodeTables.sides`)."""


class WeightedRows:
    """Rows in memory: an entry says what one answer costs at one row of codes."""

    def __init__(
        self,
        splits: Splits,
        entries: Entries | Callable[[], Entries],
        n_labels: int = 2,
        known: CodeTables | None = None,
    ) -> None:
        self.splits, self._entries, self.n_labels, self._known = splits, entries, n_labels, known

    @cached_property
    def entries(self) -> Entries:
        """The entries; below a split they are made when they are asked for."""
        return self._entries() if callable(self._entries) else self._entries

    @classmethod
    def of(
        cls, splits: Splits, points: Points, costs: Counts, columns: Points | None = None
    ) -> WeightedRows:
        """Return the rows of points at which each answer (rows of ``costs``) costs something.

        ``columns`` are the points column by column, if they are at hand.
        """
        if sum(int(row.sum()) for row in costs) >= _EXACT:
            raise ValueError("Weights must sum to less than 2**53.")
        if columns is not None and (np.count_nonzero(costs, axis=0) <= 1).all():
            entries = Entries(columns, costs.argmax(axis=0), costs.sum(axis=0))  # nothing is copied
            return cls(splits, entries, len(costs))
        answers, where = np.nonzero(costs)
        codes = np.zeros((len(splits.n_codes), len(where)), dtype=np.int64)
        if len(where):
            codes[:] = points[where].T
        return cls(splits, Entries(codes, answers, costs[answers, where]), len(costs))

    @property
    def totals(self) -> Counts:
        """What each answer costs all records."""
        if self._known is not None:
            return self._known.totals
        _, answers, costs = self.entries
        return np.bincount(answers, costs.astype(np.float64), self.n_labels).astype(np.int64)

    def side(self, split: int, *, yes: bool) -> WeightedRows:
        """Return the records that answer a split in one way."""
        column, accepts = self.splits.answers(split, yes=yes)

        def entries() -> Entries:
            codes, answers, costs = self.entries
            keep = np.flatnonzero(accepts[codes[column]])
            return Entries(codes[:, keep], answers[keep], costs[keep])

        known = None
        if self._known is not None and self._known.order:
            known = self._known.sides(column, accepts[None])
        return WeightedRows(self.splits, entries, self.n_labels, known)

    def tables(self, order: int) -> CodeTables:
        """Return what each answer costs by the codes of sets of columns, counted if not known."""
        n_codes, labels = self.splits.n_codes, self.n_labels
        if order == _TRIPLES and table_bytes(n_codes, order, labels) > _CACHE_BYTES:
            order = 2
        if self._known is None or self._known.order < order:
            self._known = CodeTables.of([self.entries], n_codes, order, labels)
        return self._known

    def triples(self, column: int, sides: Bits) -> CodeTables:
        """Return the differences by pairs of columns, by sides of a column."""
        n_codes, labels = self.splits.n_codes, self.n_labels
        codes, answers, costs = self.entries
        keys = Entries(codes, codes[column] + n_codes[column] * answers, costs)
        tables = CodeTables.of([keys], n_codes, 2, n_codes[column] * labels)
        sums = {}
        for chosen, table in tables.sums.items():
            by_code = table.reshape(labels, n_codes[column], *table.shape[1:])
            found = np.tensordot(sides, by_code[:-1] - by_code[-1], axes=(1, 1))
            sums[chosen] = found.reshape(-1, *table.shape[1:])
        return CodeTables(n_codes, 2, sums)


class StoredRows:
    """Rows that are not in memory: known by their tables, which are taken in passes."""

    def __init__(
        self,
        splits: Splits,
        sample: Sample,  # not in memory
        weigh: Weigh | None,
        known: CodeTables,
        path: tuple[tuple[int, Bits], ...] = (),
    ) -> None:
        self.splits, self._sample, self._weigh = splits, sample, weigh
        self._known, self._path, self.n_labels = known, path, len(known.sums[()])

    @property
    def totals(self) -> Counts:
        """What each answer costs all records."""
        return self._known.totals

    def side(self, split: int, *, yes: bool) -> StoredRows:
        """Return the records that answer a split in one way."""
        column, accepts = self.splits.answers(split, yes=yes)
        known = self._known.sides(column, accepts[None])
        path = (*self._path, (column, accepts))
        return StoredRows(self.splits, self._sample, self._weigh, known, path)

    def tables(self, order: int) -> CodeTables:
        """Return what each answer costs by the codes of sets of columns, counted if not known."""
        if self._known.order < order:
            self._known = self._sample.tables(self.splits.n_codes, order, self._below)
        return self._known

    def triples(self, column: int, sides: Bits) -> CodeTables:
        """Return the differences by pairs of columns, by sides of a column."""
        return self.tables(_TRIPLES).differences().sides(column, sides)

    def _below(self, number: int, batch: Batch) -> npt.NDArray[Any]:
        """Weigh the rows that answer so; the others weigh nothing."""
        weigh = self._weigh
        weights: npt.NDArray[Any]
        weights = self._sample.weighed(batch) if weigh is None else weigh(number, batch)
        for column, accepts in self._path:
            weights = weights * accepts[batch.points[:, column]]
        return weights


def rows_of(splits: Splits, sample: Sample, order: int, weigh: Weigh | None = None) -> Rows:
    """Return the records of a sample, by what each answer costs; if stored, one pass.

    ``weigh`` says what each answer costs at the points of a batch, if not what the sample says.
    """
    if not sample.in_memory:
        known = sample.tables(splits.n_codes, min(order, _TRIPLES), weigh)
        return StoredRows(splits, sample, weigh, known)
    whole = Batch(sample.points, sample.counts)
    costs = sample.weighed(whole) if weigh is None else weigh(0, whole)
    return WeightedRows.of(splits, sample.points, costs, sample.counted.columns)


class Patterns(NamedTuple):
    """The different ways in which the splits part records, up to swapping the sides."""

    #: The numbers of the splits of each pattern; by columns, the constant ones last.
    members: tuple[tuple[int, ...], ...]
    #: Which patterns ask a column, and (patterns, codes) one side of each: that without the first
    #: code that occurs.
    columns: list[tuple[int, slice, Bits]]
    kind: type  # of integers that hold all costs together

    @classmethod
    def of(cls, splits: Splits, tables: CodeTables) -> Patterns:
        """Return the patterns of records with these tables."""
        found: dict[tuple[int, bytes], list[int]] = {}
        constant: list[int] = []
        sides: list[list[Bits]] = [[] for _ in splits.n_codes]
        first = [first_code(tables, column) for column in range(len(splits.n_codes))]
        for number, literal in enumerate(splits.literals):
            column = literal.column
            occurs, place = first[column]
            yes = splits.accepts[number] ^ splits.accepts[number][place]
            answers = yes & occurs
            key = (column, answers.tobytes())
            if not answers.any():
                constant.append(number)
            elif key in found:
                found[key].append(number)
            else:
                found[key] = [number]
                sides[column].append(yes)
        columns, start = [], 0
        for column, own in enumerate(sides):
            if own:
                columns.append((column, slice(start, start + len(own)), np.array(own)))
                start += len(own)
        members = [*found.values(), *([constant] if constant else [])]
        kind = np.int32 if tables.sums[()].sum() < 2**31 else np.int64
        return cls(tuple(map(tuple, members)), columns, kind)

    @property
    def times(self) -> Counts:
        """Number of splits of each pattern."""
        return np.array([len(m) for m in self.members], dtype=np.int64)

    def singles(self, costs: CodeTables) -> Counts:
        """Return the sums on one side of each pattern, of shape (answers, patterns)."""
        out = self._zeros(costs, ())
        for column, at, yes in self.columns:
            out[:, at] = costs.sums[column,] @ yes.T
        return out

    def pairs(self, costs: CodeTables) -> Counts:
        """Return the sums where both of two patterns answer yes: (answers, patterns, patterns)."""
        out = self._zeros(costs, (len(self.members),))
        for i, (column, at, yes) in enumerate(self.columns):
            sides = yes.astype(np.float64)
            out[:, at, at] = (costs.sums[column,][:, None] * sides) @ sides.T
            for other, there, answers in self.columns[i + 1 :]:
                crossed = sides @ (costs.sums[column, other] @ answers.T.astype(np.float64))
                out[:, at, there], out[:, there, at] = crossed, crossed.swapaxes(1, 2)
        return out

    def within(self, rows: Rows, costs: CodeTables) -> Iterator[tuple[int, Counts]]:
        """Yield each pattern with the `pairs` on its yes side; ``costs`` has pairs, or triples."""
        size, answers = len(self.members), len(costs.sums[()])
        step = max(1, _MOST // (answers * size**2))
        for column, at, yes in self.columns:
            for start in range(0, len(yes), step):
                sides = yes[start : start + step]
                whole = costs.order == _TRIPLES
                tables = costs.sides(column, sides) if whole else rows.triples(column, sides)
                inside = self.pairs(tables).reshape(-1, answers, size, size)
                yield from enumerate(inside, at.start + start)
        last = self.columns[-1][1].stop if self.columns else 0
        if last < size:
            yield last, np.zeros((answers, size, size), dtype=self.kind)

    def _zeros(self, costs: CodeTables, shape: tuple[int, ...]) -> Counts:
        return np.zeros((len(costs.sums[()]), *shape, len(self.members)), dtype=self.kind)


def first_code(tables: CodeTables, column: int) -> tuple[Bits, int]:
    """Return which codes of a column occur, and the first of them."""
    occurs = tables.sums[column,].sum(axis=0) > 0
    return occurs, int(occurs.argmax())
