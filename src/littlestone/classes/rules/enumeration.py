"""All sets of at most k literals of a schema: their order, and a total over the rows of each.

The sets are grouped in *blocks*: which columns occur, and how many literals of each. The total
of a set over the rows it accepts is read off a contingency table: the weights of the rows are
first summed up by the codes of the block's columns (one pass over the rows), and then the table
is contracted, column by column, with the 0/1 matrix that says which codes each choice of literals
accepts. So a million rows are visited once for each set of at most k *columns* (91 pairs of 14),
not for each of 10**5 sets of literals; a database could count the tables as well.

Where columns are many and have few literals each, all pairs of columns are counted by one product
of literal-by-row matrices instead.

Codes that all literals of a column treat alike are one *atom*; tables are then not much larger
than the blocks themselves. All sums are of integers below 2**53 in size (there are fewer records
than that), so float64 matrix products are exact.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np
import numpy.typing as npt

from littlestone.data import Column, Literal, Schema
from littlestone.data.code_tables import CodeTables
from littlestone.types import Points

Floats = npt.NDArray[np.float64]

_CHUNK = 1 << 22  # entries of an acceptance matrix that are built at once: 32 MB


class _ColumnLiterals:
    """The literals of one column, its atoms, and which atoms each literal accepts."""

    def __init__(self, column: Column, position: int) -> None:
        self.literals = column.literals(position)
        accepts = np.array([lit.accepts(column.n_codes) for lit in self.literals])
        patterns, atom = np.unique(accepts, axis=1, return_inverse=True)
        self.atom = atom.reshape(-1).astype(np.uint16)  # of each code
        self.accepts: npt.NDArray[np.bool_] = patterns  # literals by atoms
        self.n_atoms = patterns.shape[1]

    def of_atoms(self, table: Floats, axis: int) -> Floats:
        """Replace an axis of codes by one of atoms, summing up."""
        same = np.arange(self.n_atoms)[:, None] == self.atom
        return np.moveaxis(np.tensordot(same.astype(np.float64), table, axes=(1, axis)), 0, axis)

    def contract(self, table: Floats, axis: int, taken: int) -> Floats:
        """Replace an axis of atoms by one of all sets of ``taken`` literals, summing up."""
        members = _combinations(len(self.literals), taken)
        rest = np.moveaxis(table, axis, 0)
        matrix = rest.reshape(self.n_atoms, -1)
        out = np.empty((len(members), matrix.shape[1]))
        step = max(1, _CHUNK // self.n_atoms)
        for start in range(0, len(members), step):
            chosen = members[start : start + step]
            accepted = self.accepts[chosen].all(axis=1)
            out[start : start + step] = accepted.astype(np.float64) @ matrix
        return np.moveaxis(out.reshape(len(members), *rest.shape[1:]), 0, axis)


@dataclass(frozen=True)
class _Block:
    """All sets with ``taken[i]`` literals of the column ``columns[i]``."""

    columns: tuple[int, ...]
    taken: tuple[int, ...]
    start: int
    shape: tuple[int, ...]


class Enumeration:
    """The sets of at most ``most`` literals: by size, then by columns, then by literals.

    Examples
    --------
    >>> schema = Schema.from_dict({"age": {"bins": [30]}, "city": {"categories": ["Bonn"]}})
    >>> sets = Enumeration(schema, 2)
    >>> [[lit.text for lit in sets.literals(i)] for i in (0, 1, 5, 6)]
    [[], ['age >= 30'], ['age >= 30', 'age < 30'], ['city is Bonn', 'city is not Bonn']]
    """

    def __init__(self, schema: Schema, most: int) -> None:
        self._schema = schema
        self._n_literals = [len(c.literals(j)) for j, c in enumerate(schema)]
        self._most = most = min(most, sum(self._n_literals))  # there are no larger sets
        self.size = sum(comb(sum(self._n_literals), i) for i in range(most + 1))
        self._columns: list[_ColumnLiterals] | None = None
        self._blocks: list[_Block] | None = None

    @property
    def columns(self) -> list[_ColumnLiterals]:
        """The columns with their literals, computed once."""
        if self._columns is None:
            self._columns = [_ColumnLiterals(c, j) for j, c in enumerate(self._schema)]
        return self._columns

    @property
    def blocks(self) -> list[_Block]:
        """The blocks in their public order, computed once."""
        if self._blocks is None:
            self._blocks = list(self._make_blocks())
        return self._blocks

    def _make_blocks(self) -> Iterator[_Block]:
        start = 0
        for size in range(self._most + 1):
            for n_columns in range(min(size, 1), min(size, len(self._schema)) + 1):
                for columns in combinations(range(len(self._schema)), n_columns):
                    for taken in _compositions(size, n_columns):
                        counts = zip(columns, taken, strict=True)
                        shape = tuple(comb(self._n_literals[c], t) for c, t in counts)
                        if prod(shape):
                            yield _Block(columns, taken, start, shape)
                            start += prod(shape)

    def literals(self, index: int) -> list[Literal]:
        """Return the literals of the set with this number."""
        at = bisect_right(self.blocks, index, key=lambda block: block.start) - 1
        block = self.blocks[at]
        if not block.columns:
            return []
        ranks = np.unravel_index(index - block.start, block.shape)
        out: list[Literal] = []
        for column, taken, rank in zip(block.columns, block.taken, ranks, strict=True):
            literals = self.columns[column].literals
            out += [literals[i] for i in _unrank(len(literals), taken, int(rank))]
        return out

    def accepted(self, start: int, stop: int, rows: Points) -> npt.NDArray[np.bool_]:
        """Return which rows satisfy the sets start .. stop - 1, of shape (stop - start, rows)."""
        out = np.ones((stop - start, len(rows)), dtype=bool)
        for block in self.blocks:
            first, last = max(start, block.start), min(stop, block.start + prod(block.shape))
            if first >= last or not block.columns:
                continue
            ranks = np.unravel_index(np.arange(first, last) - block.start, block.shape)
            for c, taken, rank in zip(block.columns, block.taken, ranks, strict=True):
                column = self.columns[c]
                satisfied = column.accepts[:, column.atom[rows[:, c]]]
                members = _combinations(len(column.literals), taken)[rank]
                for i in range(taken):
                    out[first - start : last - start] &= satisfied[members[:, i]]
        return out

    def totals(
        self, rows: Points, weights: npt.NDArray[np.int64], spare: int = 0
    ) -> npt.NDArray[np.int64]:
        """Return the total weight of the rows that satisfy each set, after ``spare`` zeros."""
        out = np.zeros(spare + self.size, dtype=np.int64)
        if not len(rows):
            return out
        atoms = [c.atom[rows[:, j]] for j, c in enumerate(self.columns)]
        exact = weights.astype(np.float64)
        products = self._products(atoms, exact) if self._narrow(len(rows)) else None
        self._contract(out, spare, lambda columns: self._table(columns, atoms, exact), products)
        return out

    def from_tables(self, tables: CodeTables, spare: int = 0) -> npt.NDArray[np.int64]:
        """Return what `totals` says of what answer 0 costs minus what answer 1 costs."""
        out = np.zeros(spare + self.size, dtype=np.int64)

        def table(columns: tuple[int, ...]) -> Floats:
            ones, zeros = tables.sums[columns]  # what the answers 0 and 1 cost
            found = ones - zeros
            for axis, j in enumerate(columns):
                found = self.columns[j].of_atoms(found, axis)
            return np.asarray(found)

        self._contract(out, spare, table)
        return out

    def _contract(
        self,
        out: npt.NDArray[np.int64],
        spare: int,
        table_of: Callable[[tuple[int, ...]], Floats],
        products: Floats | None = None,
    ) -> None:
        """Fill in the totals of all blocks, from the sums by the atoms of their columns."""
        first = np.concatenate([[0], np.cumsum(self._n_literals)])  # literal of each column
        known: tuple[tuple[int, ...], Floats] | None = None
        for block in self.blocks:
            if products is not None and block.taken == (1, 1):
                a, b = block.columns
                pairs = products[first[a] : first[a + 1], first[b] : first[b + 1]]
                out[spare + block.start : spare + block.start + pairs.size] = pairs.reshape(-1)
                continue
            # blocks of one set of columns follow each other: count their table once
            if known is None or known[0] != block.columns:
                known = block.columns, table_of(block.columns)
            table = known[1]
            for axis, (column, taken) in enumerate(zip(block.columns, block.taken, strict=True)):
                table = self.columns[column].contract(table, axis, taken)
            start = spare + block.start
            out[start : start + table.size] = table.reshape(-1)  # integers, exactly

    def _narrow(self, n_rows: int) -> bool:
        """Say whether one matrix product is cheaper than a table for each pair of columns."""
        n_literals, n_columns = sum(self._n_literals), len(self._n_literals)
        tables = comb(n_columns, 2) * (8e-9 * n_rows + 1e-4)  # seconds, roughly
        return self._most > 1 and 1e-10 * n_literals**2 * n_rows < tables

    def _products(self, atoms: list[npt.NDArray[np.uint16]], weights: Floats) -> Floats:
        """Return the total weight of the rows that satisfy each pair of literals."""
        n_literals = sum(self._n_literals)
        out = np.zeros((n_literals, n_literals))
        step = max(64, _CHUNK // 8 // n_literals)
        for start in range(0, len(weights), step):
            part = slice(start, start + step)
            satisfied = np.concatenate(
                [c.accepts[:, atom[part]] for c, atom in zip(self.columns, atoms, strict=True)]
            ).astype(np.float64)
            out += (satisfied * weights[part]) @ satisfied.T
        return out

    def _table(
        self, columns: tuple[int, ...], atoms: list[npt.NDArray[np.uint16]], weights: Floats
    ) -> Floats:
        """Sum up the weights by the atoms of some columns."""
        shape = tuple(self.columns[c].n_atoms for c in columns)
        cell = np.zeros(len(weights), dtype=np.intp)
        for column, atoms_here in zip(columns, shape, strict=True):
            cell = cell * atoms_here + atoms[column]
        return np.bincount(cell, weights=weights, minlength=prod(shape)).reshape(shape)


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to write ``total`` as an ordered sum of ``parts`` positive integers."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(1, total - parts + 2):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


def _combinations(n: int, taken: int) -> npt.NDArray[np.uint16]:
    """Return all ``taken``-subsets of range(n), one in each row, in lexicographic order."""
    if taken == 1:
        return np.arange(n, dtype=np.uint16)[:, None]
    parts = []
    for first in range(n - taken + 1):
        rest = _combinations(n - first - 1, taken - 1) + np.uint16(first + 1)
        parts.append(np.column_stack([np.full(len(rest), first, dtype=np.uint16), rest]))
    return np.concatenate(parts)


def _unrank(n: int, taken: int, rank: int) -> list[int]:
    """Return row ``rank`` of `_combinations` without building it."""
    out, first = [], 0
    while taken:
        below = comb(n - first - 1, taken - 1)  # subsets that begin with ``first``
        if rank < below:
            out.append(first)
            taken -= 1
        else:
            rank -= below
        first += 1
    return out
