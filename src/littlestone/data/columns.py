"""One public column: its bins or categories, their codes, and how a cell gets its code."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from littlestone.data.calendar import PARTS, Calendar
from littlestone.data.cells import number, text
from littlestone.errors import parameter_error
from littlestone.types import Json

Codes = npt.NDArray[np.int16]

_MAX_CODES = 32_000  # codes are stored in 16 bits


@dataclass(frozen=True)
class Literal:
    """One public test of one column, the building block of rules.

    Attributes
    ----------
    column : int
        Position of the column in the schema.
    op : str
        ``">="`` or ``"<"`` (bins), ``"is"`` or ``"is not"`` (categories).
    code : int
        For bins, the first code at or above the edge; for categories, the code of the category.
    text : str
        In words: ``age >= 30``.
    """

    column: int
    op: str
    code: int
    text: str

    def accepts(self, n_codes: int) -> npt.NDArray[np.bool_]:
        """Return for each code of the column whether a cell with this code satisfies the test.

        Examples
        --------
        >>> Literal(0, "<", 3, "age < 30").accepts(5).tolist()  # missing, other, then three bins
        [False, False, True, False, False]
        """
        codes = np.arange(n_codes)
        tests: dict[str, npt.NDArray[np.bool_]] = {
            ">=": codes >= self.code,
            "<": (codes >= Column.FIRST) & (codes < self.code),
            "is": codes == self.code,
            "is not": codes != self.code,
        }
        return tests[self.op]


@dataclass(frozen=True)
class Column:
    """A public column: numeric or of dates with bins, or textual with categories.

    Codes: 0 is *missing*, 1 is *other*, then bins in increasing order (one more than edges), or
    categories in the order of the schema. Make one by `Column.bins`, `Column.integers`,
    `Column.of`, `Column.dates`.

    Attributes
    ----------
    name : str
    edges : tuple of numbers, or None
        Increasing; a number x lies in the bin that starts at the largest edge <= x.
    categories : tuple of str, or None
    missing : tuple of str
        Texts that mean *missing*, besides empty cells, nulls and NaN.
    calendar : Calendar, optional
        Of a column of dates: how they are read. Its edges are numbers that only this class and the
        calendar know.
    """

    MISSING: ClassVar[int] = 0
    OTHER: ClassVar[int] = 1
    FIRST: ClassVar[int] = 2

    name: str
    edges: tuple[int | float, ...] | None = None
    categories: tuple[str, ...] | None = None
    missing: tuple[str, ...] = ()
    calendar: Calendar | None = None

    @classmethod
    def bins(cls, name: str, edges: object, missing: object = ()) -> Column:
        """Return a numeric column; the edges are finite, strictly increasing and doubles."""
        caller = f"column {name!r}"
        constraint = "a list of at least one finite number, strictly increasing"
        if not isinstance(edges, list | tuple | np.ndarray) or len(edges) == 0:
            raise parameter_error(caller, "bins", constraint, edges)
        values = [_edge(caller, edge) for edge in edges]
        if any(a >= b for a, b in pairwise(values)):
            raise parameter_error(caller, "bins", constraint, list(edges), "Sort the edges.")
        if len(values) > _MAX_CODES:
            raise parameter_error(caller, "bins", f"at most {_MAX_CODES} edges", len(values))
        return cls(name, edges=tuple(values), missing=_texts(caller, "missing", missing))

    @classmethod
    def integers(cls, name: str, bounds: object, missing: object = ()) -> Column:
        """Return a numeric column with a bin for every integer of [low, high].

        The first bin holds all numbers below low + 1, the last one all from high on.
        """
        caller = f"column {name!r}"
        if not (
            isinstance(bounds, list | tuple)
            and len(bounds) == 2
            and all(isinstance(b, int) and not isinstance(b, bool) for b in bounds)
            and bounds[0] < bounds[1] <= bounds[0] + _MAX_CODES
        ):
            constraint = f"[low, high]: two integers, low < high <= low + {_MAX_CODES}"
            raise parameter_error(caller, "integers", constraint, bounds)
        return cls.bins(name, list(range(bounds[0] + 1, bounds[1] + 1)), missing)

    @classmethod
    def of(cls, name: str, categories: object, missing: object = ()) -> Column:
        """Return a textual column; a cell has a category when it is exactly that text."""
        caller = f"column {name!r}"
        values, nulls = _texts(caller, "categories", categories), _texts(caller, "missing", missing)
        if not values:
            raise parameter_error(caller, "categories", "a list of at least one text", categories)
        both = sorted(set(values) & set(nulls))
        if both:
            hint = "A text is either a category or missing."
            raise parameter_error(caller, "missing", "different from the categories", both, hint)
        if len(values) > _MAX_CODES:
            constraint = f"at most {_MAX_CODES} texts"
            raise parameter_error(caller, "categories", constraint, len(values))
        return cls(name, categories=values, missing=nulls)

    @classmethod
    def dates(
        cls,
        name: str,
        bins: object = None,
        missing: object = (),
        *,
        by: str = "date",
        form: object = None,
    ) -> Column:
        """Return a column of dates and times.

        Parameters
        ----------
        name : str
        bins : list, optional
            Cut dates (ISO texts, ``datetime.date``); for another ``by`` whole numbers, or nothing
            for a bin of each quarter, month, weekday or hour.
        missing : list of str
        by : {"date", "year", "quarter", "month", "weekday", "hour"}
        form : str, optional
            How texts are written, for example ``"%d.%m.%Y"``; by default ISO 8601.

        Examples
        --------
        >>> column = Column.dates("admitted", ["2020-01-01", "2021-07-01"], form="%d.%m.%Y")
        >>> [column.describe(column.code(cell)) for cell in ("3.9.2020", "2020-09-03", "31.2.2020")]
        ['2020-01-01 <= admitted < 2021-07-01', 'admitted is other', 'admitted is other']
        >>> Column.dates("admitted", by="weekday").literals(0)[-2].text
        'weekday of admitted >= Sunday'
        """
        caller = f"column {name!r}"
        calendar = Calendar.of(caller, by, form)
        if bins is None and PARTS[by] is None:
            example = '["2020-01-01"]' if by == "date" else "[1990, 2000]"
            raise parameter_error(caller, "bins", f"a list, such as {example}", "none")
        found = calendar.edges(caller, bins)
        if any(a >= b for a, b in pairwise(found)) or not found:
            hint = "Sort them, each once." if found else 'For example ["2020-01-01"].'
            asked = bins if isinstance(bins, list | tuple) else list(map(calendar.shown, found))
            constraint = "at least one cut, each later than the one before"
            raise parameter_error(caller, "bins", constraint, [str(cut) for cut in asked], hint)
        edges = cls.bins(name, found, missing)
        return replace(edges, calendar=calendar)

    @property
    def numeric(self) -> bool:
        """Whether the codes are bins, in order."""
        return self.edges is not None

    @property
    def of_numbers(self) -> bool:
        """Whether cells are read as numbers."""
        return self.edges is not None and self.calendar is None

    @property
    def n_codes(self) -> int:
        """Number of codes, with *missing* and *other*."""
        return self.FIRST + (len(self.edges) + 1 if self.edges else len(self.categories or ()))

    @property
    def rule(self) -> str:
        """Say what a cell must be in strict reading."""
        what = "a number" if self.numeric else "one of its public categories"
        if self.calendar is not None:
            what = "a date of the declared format"
        return f"{what}, or missing"

    def describe(self, code: int) -> str:
        """Return a code in words: ``30 <= age < 60``, ``city is Bonn``, ``age is missing``."""
        if code < self.FIRST:
            return f"{self.name} is {'missing' if code == self.MISSING else 'other'}"
        position = code - self.FIRST
        if self.edges is None:
            return f"{self.name} is {(self.categories or ())[position]}"
        name, shown = self._label, self.shown
        if position == 0:
            return f"{name} < {shown[0]}"
        if position == len(self.edges):
            return f"{name} >= {shown[-1]}"
        return f"{shown[position - 1]} <= {name} < {shown[position]}"

    def within(self, codes: Sequence[int]) -> str:
        """Return a set of codes in words, without the name: of bins, neighbouring ones.

        Examples
        --------
        >>> age = Column.bins("age", [30, 40, 60])
        >>> [age.within(codes) for codes in ([2], [3, 4], [5], [2, 3, 4, 5], [0, 1])]
        ['< 30', '30 to < 60', '>= 60', 'any number', 'missing or other']
        >>> city = Column.of("city", ["Bonn", "Rome"])
        >>> city.within([2, 3]), city.within([0, 1])
        ('Bonn, Rome', 'any other')
        """
        if self.categories is not None:
            if self.OTHER in codes:
                return "any other"
            return ", ".join(self.categories[code - self.FIRST] for code in codes)
        if self.OTHER in codes:
            return "missing or other"
        shown, low, high = self.shown, min(codes) - self.FIRST, max(codes) - self.FIRST
        if low == 0:
            return "any number" if high == len(shown) else f"< {shown[high]}"
        start = shown[low - 1]
        return f">= {start}" if high == len(shown) else f"{start} to < {shown[high]}"

    def literals(self, position: int) -> list[Literal]:
        """Return the literals of this column, which is at ``position`` in its schema."""
        values: Sequence[object] = self.shown if self.edges else self.categories or ()
        ops, first = ((">=", "<"), 1 + self.FIRST) if self.edges else (("is", "is not"), self.FIRST)
        return [
            Literal(position, op, first + i, f"{self._label} {op} {value}")
            for i, value in enumerate(values)
            for op in ops
        ]

    def code(self, raw: object) -> int:
        """Return the code of one cell; total and deterministic."""
        written = text(raw)
        if written is None or written in self._missing:
            return self.MISSING
        if self.edges is None:
            return self._positions.get(written, self.OTHER)
        value = number(written) if self.calendar is None else self.calendar.value(written)
        if value is None:
            return self.OTHER
        if isinstance(value, float) and math.isnan(value):
            return self.MISSING
        return self.FIRST + bisect_right(self.edges, value)

    def codes(self, values: npt.NDArray[Any]) -> Codes:
        """Return the code of each cell of an array: what `code` says, vectorised for numbers."""
        kind = values.dtype.kind
        if (
            self.edges is not None
            and self.of_numbers
            and self.pure
            and kind in "iuf"
            and values.dtype != np.uint64
        ):
            if kind == "f":
                edges = np.array(self.edges, dtype=np.float64)
                codes = self.FIRST + np.searchsorted(edges, values.astype(np.float64), "right")
                return np.where(np.isnan(values), self.MISSING, codes).astype(np.int16)
            limits = np.array(self.integer_edges, dtype=np.int64)
            codes = self.FIRST + np.searchsorted(limits, values.astype(np.int64), "right")
            return codes.astype(np.int16)
        return np.fromiter((self.code(raw) for raw in values), np.int16, len(values))

    @cached_property
    def pure(self) -> bool:
        """Whether no number means *missing* (as 99 may): then numbers are binned directly."""
        return all(number(value) is None for value in self.missing)

    @property
    def beyond_doubles(self) -> bool:
        """Whether a bin or category is a whole number that doubles merge with another one."""
        named = (number(name) for name in self.categories or ())
        asked = self.edges or [value for value in named if isinstance(value, int)]
        return any(abs(value) >= 2**53 for value in asked)

    @cached_property
    def integer_edges(self) -> tuple[int, ...]:
        """The edges for 64-bit integers, rounded up: x >= edge iff x >= ceil(edge)."""
        ceilings = (math.ceil(edge) for edge in self.edges or ())
        return tuple(max(edge, -(2**63)) for edge in ceilings if edge < 2**63)

    @cached_property
    def of_days(self) -> bool:
        """Whether a cell of a column of dates is decided by its day."""
        return (
            self.calendar is not None
            and self.calendar.of_days
            and not self.missing
            and not (self.calendar.by == "date" and any(edge % 86_400 for edge in self.edges or ()))
        )

    @property
    def _label(self) -> str:
        return self.name if self.calendar is None else self.calendar.label(self.name)

    @cached_property
    def shown(self) -> list[str]:
        """The edges, as they are written."""
        shown = str if self.calendar is None else self.calendar.shown
        return [shown(edge) for edge in self.edges or ()]

    @cached_property
    def _missing(self) -> frozenset[str]:
        return frozenset(self.missing)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {value: self.FIRST + i for i, value in enumerate(self.categories or ())}

    def to_dict(self) -> Json:
        """Return plain JSON, as it is in a schema."""
        kind: Json = {"categories": list(self.categories or ())}
        if self.edges:
            kind = {"bins": list(self.edges)}
        if self.calendar is not None:
            by, form = self.calendar.by, self.calendar.form
            bins: list[Any] = self.shown if by == "date" else list(self.edges or ())
            kind = {"type": "date", **({} if by == "date" else {"by": by}), "bins": bins}
            kind |= {"format": form} if form else {}
        return kind | ({"missing": list(self.missing)} if self.missing else {})


def _edge(caller: str, edge: object) -> int | float:
    """Return a public edge; engines compare in doubles, so it must be one exactly."""
    constraint = "finite numbers that a double holds exactly"
    if isinstance(edge, np.generic):
        edge = edge.item()
    if isinstance(edge, bool) or not isinstance(edge, int | float):
        raise parameter_error(caller, "bins", constraint, edge)
    if isinstance(edge, int) and abs(edge) >= 2**1000:
        raise parameter_error(caller, "bins", constraint, "an integer beyond 2**1000")
    if not math.isfinite(edge) or float(edge) != edge:
        raise parameter_error(caller, "bins", constraint, edge)
    # a double beyond 64 bits is written as one: digits of an integer would say more than it knows
    return int(edge) if edge == int(edge) and abs(edge) < 2**63 else float(edge)


def _texts(caller: str, name: str, values: object) -> tuple[str, ...]:
    constraint = "a list of different texts, none of them empty"
    if not isinstance(values, list | tuple):
        raise parameter_error(caller, name, constraint, values)
    written = [text(value) for value in values]
    if None in written or len(set(written)) < len(written):
        raise parameter_error(caller, name, constraint, values)
    return tuple(value for value in written if value is not None)
