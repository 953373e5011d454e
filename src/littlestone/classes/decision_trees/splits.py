"""The questions of a schema, the answers of counted rows, and which questions are alike on them.

A *split* is what an inner node asks. The splits are the literals of the schema except ``is not``,
which asks the same as ``is`` with the children swapped. (``age < 30`` is *not* ``age >= 30``
swapped: a cell that is missing or other answers no to both.)

On the rows of a region many splits are alike: "age < 30" is the complement of "age >= 30" where no
age is missing, and in a small region most answers are constant. Splits that part the rows in the
same way, up to swapping the sides, form one *pattern*; they have equal weights as roots, so one of
them is weighed and the pattern counts with its number of members. This changes the time, never
the law.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from littlestone.data import Literal, Sample, Schema

__all__ = ["Counts", "Patterns", "Region", "Splits"]

Bits = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]


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

    def region(self, sample: Sample) -> Region:
        """Return all records of a sample that lie in the domain, with their answers."""
        n = len(sample.points)
        answers = np.zeros((len(self), n), dtype=bool)
        for i, (literal, accepts) in enumerate(zip(self.literals, self.accepts, strict=True)):
            if n:
                answers[i] = accepts[sample.points[:, literal.column]]
        zeros, ones = sample.zeros.astype(np.int64), sample.ones.astype(np.int64)
        columns = np.array([literal.column for literal in self.literals])
        return Region(answers, columns, zeros, ones)


@dataclass(frozen=True)
class Patterns:
    """The different ways in which the splits part a region, up to swapping the sides.

    Attributes
    ----------
    yes : bool array of shape (patterns, rows)
        One side of each.
    members : list of int arrays
        The numbers of the splits of each pattern, increasing.
    """

    yes: Bits
    members: list[npt.NDArray[np.intp]]

    def __len__(self) -> int:
        return len(self.members)

    @cached_property
    def multiplicity(self) -> Counts:
        """Number of splits of each pattern."""
        return np.array([len(m) for m in self.members], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Region:
    """The rows that reach a node: their answers to all splits, and their counts.

    Attributes
    ----------
    answers : bool array of shape (splits, rows)
    columns : int array of shape (splits,)
        The column of each split, increasing.
    zeros, ones : int64 arrays of shape (rows,)
        Records of each label at each distinct row.
    """

    answers: Bits
    columns: npt.NDArray[np.intp]
    zeros: Counts
    ones: Counts

    @cached_property
    def totals(self) -> tuple[int, int]:
        """Number of records with label 0, with label 1."""
        return int(self.zeros.sum()), int(self.ones.sum())

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return len(self.answers)

    def side(self, split: int, *, yes: bool) -> Region:
        """Return the rows that answer a split in one way."""
        rows = np.flatnonzero(self.answers[split] == yes)
        return Region(self.answers[:, rows], self.columns, self.zeros[rows], self.ones[rows])

    def sides(self) -> Iterator[tuple[Region, Region]]:
        """Yield the yes and the no side of one split of each pattern."""
        for members in self.patterns.members:
            split = int(members[0])
            yield self.side(split, yes=True), self.side(split, yes=False)

    @cached_property
    def patterns(self) -> Patterns:
        """The splits, grouped by how they part these rows."""
        # Swap the sides so that the first row answers no: then alike means equal.
        part = self.answers ^ self.answers[:, :1] if self.answers.shape[1] else self.answers
        packed = np.packbits(part, axis=1) if part.shape[1] else np.zeros((len(part), 1), np.uint8)
        keys = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).reshape(-1)
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first)  # patterns in the order of their first splits
        by_group = np.argsort(group.reshape(-1), kind="stable")
        lists = np.split(by_group, np.cumsum(np.bincount(group.reshape(-1)))[:-1])
        return Patterns(part[first[order]], [lists[g] for g in order])
