"""Points of codes: votes that a row has before any tree, added up column by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from littlestone.classes.encoding import Fields
from littlestone.data import Column
from littlestone.errors import parameter_error
from littlestone.types import Json, Points

if TYPE_CHECKING:
    from littlestone.data import Literal, Schema

Ints = npt.NDArray[np.int64]

_MOST = 10**9  # points of a code, in files
_MOST_CODES, _LARGEST = 32_000, 1_024
#: Most votes to begin with.
FURTHEST = 10**6


@dataclass(frozen=True)
class CodePoints:
    """Votes of each label to begin with: a base, and points for the answers of columns.

    A cell that is missing and one that is *other* have the same points, which are the first; those
    of bins or categories follow. The points of a row are added up, limited to ``-limit .. limit``,
    added to the base, and rounded to ``grain`` votes: all in integers.

    Examples
    --------
    >>> points = CodePoints((0, 300), ((0, ((0, 0), (0, -700), (0, 1500))),), 256, 1024, 2)
    >>> points.votes(np.array([[0], [1], [2], [3]])).tolist()
    [[0, 0, 0, 0], [2, 2, -2, 6]]
    >>> points.least, points.most
    ((0, -2), (0, 6))
    """

    base: tuple[int, ...]  # of each label
    #: Of each column that matters: its number, and the points of its answers by label.
    columns: tuple[tuple[int, tuple[tuple[int, ...], ...]], ...]
    unit: int  # points of one vote
    limit: int | None  # of the sum; None: there is none
    grain: int = 1  # votes are multiples of it

    TYPE = "code_points"

    def votes(self, points: Points) -> Ints:
        """Return the votes of each label (rows) at each row of codes (columns)."""
        total = np.zeros((len(self.base), len(points)), dtype=np.int64)
        for column, own in self.columns:
            total += np.array(own, dtype=np.int64).T[:, self.answers(points[:, column], len(own))]
        return self._rounded(total)

    @staticmethod
    def answers(codes: Points, most: int) -> Ints:
        """Return the places of the points of codes."""
        return np.clip(codes.astype(np.int64) - Column.OTHER, 0, most - 1)

    def _rounded(self, total: Ints) -> Ints:
        if self.limit is not None:
            total = np.clip(total, -self.limit, self.limit)
        each = self.grain * self.unit
        base = np.array(self.base, dtype=np.int64)[:, None]
        votes: Ints = self.grain * ((2 * (base + total) + each) // (2 * each))
        return votes

    @property
    def least(self) -> tuple[int, ...]:
        """The least votes that any row could have of each label."""
        return self._extreme(np.min)

    @property
    def most(self) -> tuple[int, ...]:
        """The most votes that any row could have of each label."""
        return self._extreme(np.max)

    def _extreme(self, end: Any) -> tuple[int, ...]:
        total = np.zeros((len(self.base), 1), dtype=np.int64)
        for _, own in self.columns:
            total[:, 0] += end(np.array(own, dtype=np.int64), axis=0)
        return tuple(self._rounded(total)[:, 0].tolist())

    @property
    def additive(self) -> bool:
        """Whether votes are the base and the points of a row, neither limited nor rounded."""
        every = [self.base, *(own for _, rows in self.columns for own in rows)]
        whole = all(votes % self.grain == 0 for own in every for votes in own)
        return self.unit == 1 and self.limit is None and whole

    def by_code(self, at: int) -> Ints:
        """Return the points of each code (rows) of the column at this place, by label."""
        own = np.array(self.columns[at][1], dtype=np.int64)
        return np.concatenate([own[:1], own])

    def tests(self, column: int, schema: Schema) -> list[Literal]:
        """Return the tests of the answers of a column: the first that holds says which.

        That of place p is the last but p - 1; place 0 is where none holds.
        """
        tests = schema.columns[column].literals(column)
        asked = [split for split in tests if split.op in (">=", "is")]
        below = [split for split in tests if split.op == "<"][:1]
        return [*reversed(asked), *below]

    def asked(self, schema: Schema) -> list[Literal]:
        """Return the tests of all columns with points."""
        return [test for column, _ in self.columns for test in self.tests(column, schema)]

    def check(self, schema: Schema) -> None:
        """Refuse a schema that is not that of the points."""
        for column, own in self.columns:
            if column >= len(schema) or len(own) != schema.n_codes[column] - Column.OTHER:
                raise parameter_error(
                    "export", "schema", "the schema of the model", schema,
                    f"It has other answers in column {column}.",
                )  # fmt: skip

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            "type": self.TYPE,
            "base": list(self.base),
            "columns": [[column, [list(own) for own in rows]] for column, rows in self.columns],
            "unit": self.unit,
            "limit": self.limit,
            "grain": self.grain,
        }

    @classmethod
    def read(cls, data: Any, labels: int) -> Self:
        """Read it back; it may be untrusted."""
        fields = Fields(data, ("base", "columns", "unit", "limit", "grain"))
        columns: dict[int, tuple[tuple[int, ...], ...]] = {}
        for entry in fields.items("columns", _MOST_CODES):
            if not isinstance(entry, list) or len(entry) != 2 or not _whole(entry[:1], 1):
                raise fields.refuse("columns", "pairs of a column and points")
            rows = entry[1] if isinstance(entry[1], list) else []
            proper = 0 < len(rows) <= _MOST_CODES and all(_whole(row, labels) for row in rows)
            if not proper or not 0 <= entry[0] < _MOST_CODES or entry[0] in columns:
                raise fields.refuse("columns", "columns with an integer for each answer and label")
            columns[entry[0]] = tuple(map(tuple, rows))
        base, limit = fields.items("base", labels), fields.any("limit")
        if not _whole(base, labels):
            raise fields.refuse("base", "an integer for each label")
        if limit is not None:
            limit = fields.integer("limit", low=0, high=_MOST)
        unit, grain = (fields.integer(name, low=1, high=_LARGEST) for name in ("unit", "grain"))
        found = cls(tuple(base), tuple(columns.items()), unit, limit, grain)
        if max(map(abs, found.least + found.most)) > FURTHEST:
            raise fields.refuse("columns", f"points of at most {FURTHEST} votes together")
        return found


def _whole(values: Any, size: int) -> bool:
    """Return whether this is a list of so many integers that are not too large."""
    own = values if isinstance(values, list) else []
    return len(own) == size and all(type(v) is int and abs(v) <= _MOST for v in own)
