"""Public groups of records, by the cells of a few public columns: what an evaluation is split by.

Groups are a function of one record's own cells and of a schema that was written down: nothing of
them is learned from records. Each record is in exactly one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from littlestone.data.domains import RowDomain
from littlestone.data.schema import Column, Schema
from littlestone.errors import ParameterError, parameter_error
from littlestone.types import Json, Points

#: Groups, beside the one of records of which some cell is missing or other.
MOST_GROUPS = 8


@dataclass(frozen=True)
class Groups:
    """The groups of the categories or bins of columns; last, records with an odd or missing cell.

    Examples
    --------
    >>> schema = Schema.from_dict({"age": {"bins": [30]}, "sex": {"categories": ["f", "m"]}})
    >>> groups = Groups.parse("fit", ["sex"], schema)
    >>> groups.names
    ('sex is f', 'sex is m', 'missing or other')
    >>> rows = np.array([[2, 3], [3, 2], [3, 1]])
    >>> groups.over(schema, "fit").split(rows)[1].tolist()
    [1, 0, 2]
    """

    columns: tuple[Column, ...]

    @classmethod
    def parse(cls, caller: str, by: Any, schema: Schema | None) -> Self:
        """Return the groups by columns of a schema, or by the columns of ``by``, a schema itself.

        `ParameterError` where their categories were learned from records, or groups are too many.
        """
        asked = (by,) if isinstance(by, str) else by
        if isinstance(asked, Schema):
            schema, asked = asked, asked.names
        rule = f"different columns of at most {MOST_GROUPS} groups, such as sex or sex,site"
        several = isinstance(asked, list | tuple) and all(isinstance(name, str) for name in asked)
        if not several or not asked or len(set(asked)) < len(asked):
            raise parameter_error(caller, "by", rule, asked)
        if schema is None or not schema.bound:
            raise ParameterError(
                f"The 'by' parameter of {caller} needs a schema that names the categories or bins "
                "of the groups, since the list of groups must be public. Give schema= (--schema), "
                "or by= a schema of these columns alone."
            )
        if schema.proposal is not None:
            raise ParameterError(
                f"The groups of {caller} must be public, but the columns of this schema were "
                "learned from records. Give by= a schema of these columns, written from public "
                "knowledge."
            )
        columns = tuple(replace(schema[name], monotone=None) for name in asked)
        found = cls(columns)
        if found.size > MOST_GROUPS:
            each = " x ".join(f"{column.n_codes - Column.FIRST}" for column in columns)
            hint = f"{', '.join(asked)} have {each}. Take fewer columns, or give by= wider bins."
            raise parameter_error(caller, "by", f"of at most {MOST_GROUPS} groups", asked, hint)
        return found

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many categories or bins each column has."""
        return tuple(column.n_codes - Column.FIRST for column in self.columns)

    @property
    def size(self) -> int:
        """How many groups there are, beside the last one."""
        return prod(self.sizes)

    @property
    def names(self) -> tuple[str, ...]:
        """The groups in words, the last column changing first."""
        each = [
            [column.describe(Column.FIRST + i) for i in range(size)]
            for column, size in zip(self.columns, self.sizes, strict=True)
        ]
        return (*map(", ".join, product(*each)), "missing or other")

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    def refusing(self, names: Sequence[str | None], caller: str) -> Self:
        """Return the groups, by none of these columns: what is predicted, who is protected."""
        for name in names:
            if name in self.column_names:
                allowed = "other columns than the label and the user"
                raise parameter_error(caller, "by", allowed, name)
        return self

    def over(self, schema: Schema, caller: str) -> Grouping:
        """Return how rows of a schema are read with their groups."""
        known = {column.name: replace(column, monotone=None) for column in schema}
        for column in self.columns:
            if known.get(column.name, column) != column:
                raise ParameterError(
                    f"The column {column.name!r} of the groups of {caller} has other categories or "
                    "bins in the schema of the model: pass only its name in by= (--by)."
                )
        return Grouping(self, schema, tuple(c for c in self.columns if c.name not in known))

    def to_list(self) -> list[Json]:
        """Return plain JSON: the columns, in order."""
        return Schema(self.columns).to_list()

    @classmethod
    def from_list(cls, described: Any) -> Self:
        """Read what `to_list` wrote; it may be untrusted."""
        return cls.parse("an evaluation", Schema.from_list(described), None)


@dataclass(frozen=True)
class Grouping:
    """Groups of rows of a schema, and the columns that must be read beside those of the schema."""

    groups: Groups
    schema: Schema
    beside: tuple[Column, ...]

    @cached_property
    def domain(self) -> RowDomain:
        """The rows of the schema, with the further columns as their last ones."""
        return RowDomain(replace(self.schema, columns=(*self.schema.columns, *self.beside)))

    def split(self, points: Points) -> tuple[Points, npt.NDArray[np.int64]]:
        """Return rows of codes of this domain without the further columns, and their groups."""
        groups, names = self.groups, self.domain.schema.names
        places = [names.index(name) for name in groups.column_names]
        codes = points[:, places].astype(np.int64) - Column.FIRST
        place = np.ravel_multi_index(codes.T.clip(0), groups.sizes)
        group = np.where((codes < 0).any(axis=1), groups.size, place)
        return points[:, : len(self.schema)], group
