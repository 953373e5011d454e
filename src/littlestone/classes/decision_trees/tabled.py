"""Rows that are known by their counts alone: what a draw of a tree asks of a `CodedSample`.

Of a `CodedLabels` the labels are answers, and the weights are what these cost.

A tree of depth d needs the counts by label of sets of d columns (`CodeTables`). They are taken in
one pass over the rows; the counts of the sides of the root, of sets of one column less, are sums of
these, so that a boosted tree is drawn after one pass. The counts are those of the rows themselves,
and so are the weights, and the draws.

Where splits of different columns that part the rows alike are one pattern (`TabledRegion`, as in
`splits.Region`), pairs are needed even at depth 1: the four nodes above the leaves of a tree of
depth 3 take a pass each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from littlestone.classes.decision_trees.splits import Bits, Counts, Patterns, Region, Splits
from littlestone.data.code_tables import CodeTables, Entries
from littlestone.data.coded import AnyCoded, Weigh

__all__ = ["AnyRegion", "TabledRegion", "TabledRows"]

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TabledRows:
    """Rows below some answers, as their tables.

    Attributes
    ----------
    splits : Splits
    sample : CodedSample or CodedLabels
    weigh : callable or None
        What the entries weigh; None: what they count, or what mistakes on them cost.
    path : tuple of (int, bool)
        The splits above, and their answers.
    known : CodeTables
        Of sets of some order, perhaps less than is needed.
    """

    splits: Splits
    sample: AnyCoded
    weigh: Weigh | None
    path: tuple[tuple[int, bool], ...]
    known: CodeTables

    @classmethod
    def of(
        cls, splits: Splits, sample: AnyCoded, order: int, weigh: Weigh | None = None
    ) -> TabledRows:
        """Return all rows: one pass, for sets of at most ``order`` columns."""
        return cls(splits, sample, weigh, (), sample.tables(order, weigh))

    def side(self, split: int, *, yes: bool) -> TabledRows:
        """Return the rows that answer a split in one way."""
        column, accepts = self._accepts(split, yes=yes)
        path = (*self.path, (split, yes))
        return TabledRows(
            self.splits, self.sample, self.weigh, path, self.known.side(column, accepts)
        )

    def row_counts(self, order: int) -> CodeTables:
        """Return the sums by sets of at most ``order`` columns: a pass, if they are not known."""
        if self.known.order >= order:
            return self.known
        return self.sample.tables(order, self._below)

    @property
    def n_labels(self) -> int:
        """Number of labels, or of answers."""
        return len(self.known.sums[()])

    @property
    def totals(self) -> Counts:
        """Weight by label."""
        return self.known.totals

    def _below(self, number: int, part: Entries) -> npt.NDArray[Any]:
        """Weigh the rows that answer so; the others weigh nothing."""
        weights = self.sample.weighed(part) if self.weigh is None else self.weigh(number, part)
        for split, yes in self.path:
            column, accepts = self._accepts(split, yes=yes)
            weights = weights * accepts[part.codes[column]]
        return weights

    def _accepts(self, split: int, *, yes: bool) -> tuple[int, Bits]:
        return self.splits.literals[split].column, self.splits.accepts[split] == yes


class TabledRegion:
    """The rows that reach a node, with what `splits.Region` says of them, from their tables.

    Parameters
    ----------
    rows : TabledRows
    depth : int
        Of the trees below the node.
    """

    def __init__(self, rows: TabledRows, depth: int) -> None:
        self._rows, self._depth = rows, depth

    @cached_property
    def _tables(self) -> CodeTables:
        return self._rows.row_counts(max(self._depth, 2))

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return len(self._rows.splits)

    @property
    def totals(self) -> tuple[int, int]:
        """Number of records with label 0, with label 1."""
        zeros, ones = self._rows.totals.tolist()
        return zeros, ones

    def side(self, split: int, *, yes: bool) -> TabledRegion:
        """Return the rows that answer a split in one way."""
        rows = TabledRows(
            self._rows.splits, self._rows.sample, self._rows.weigh, self._rows.path, self._tables
        )
        return TabledRegion(rows.side(split, yes=yes), self._depth - 1)

    @cached_property
    def _yes(self) -> Doubles:
        """One row for each split: which codes of all columns answer yes."""
        splits, tables = self._rows.splits, self._tables
        out = np.zeros((len(splits), int(tables.offsets[-1])))
        for row, literal, accepts in zip(out, splits.literals, splits.accepts, strict=True):
            row[tables.block(literal.column)] = accepts
        return out

    @cached_property
    def patterns(self) -> Patterns:
        """The splits, grouped by how they part these rows."""
        n, yes = sum(self.totals), self._yes
        both = yes @ self._tables.pairs().sum(axis=0) @ yes.T
        one = both.diagonal()
        apart = one[:, None] + one - 2 * both  # records whose answers differ
        first = ((apart == 0) | (apart == n)).argmax(axis=1)  # of the splits that part alike
        members = [np.flatnonzero(first == split) for split in np.unique(first).tolist()]
        return Patterns(yes[[m[0] for m in members]].astype(bool), members)

    @cached_property
    def _sides(self) -> Doubles:
        return self._yes[[m[0] for m in self.patterns.members]]

    def singles(self) -> tuple[Counts, Counts]:
        """Return the (zeros, ones) of the yes side of each pattern."""
        zeros, ones = (self._tables.singles @ self._sides.T).astype(np.int64)
        return zeros, ones

    def pairs(self) -> tuple[Doubles, Doubles]:
        """Return the (zeros, ones) that answer yes to both of two patterns."""
        zeros, ones = self._sides @ self._tables.pairs() @ self._sides.T
        return zeros, ones

    def within(self) -> Iterator[tuple[Doubles, Doubles]]:
        """Yield `pairs` of the yes side of each pattern."""
        sides, tables, known = self._sides, self._tables, -1
        for root, members in enumerate(self.patterns.members):
            column = self._rows.splits.literals[int(members[0])].column
            if column != known:
                triples, known = sides @ tables.triples(column) @ sides.T, column
            zeros, ones = np.tensordot(sides[root, tables.block(column)], triples, axes=1)
            yield zeros, ones


AnyRegion: TypeAlias = Region | TabledRegion
