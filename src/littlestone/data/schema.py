"""A public schema: which columns a row has, and which bins and categories each column has.

A schema is written down by hand from public knowledge (a codebook, common sense), or learned from
the records for a price (`littlestone.data.propose`), which it then states. In TOML it is one table
for each column::

    [age]
    bins = [20, 30, 40, 50, 60]      # edges: below 20, 20 to below 30, ..., 60 and above

    [workclass]
    categories = ["Private", "State-gov", "Self-emp-inc"]
    missing = ["?"]                  # what means: not known (besides empty cells)

    [education_num]
    integers = [1, 16]               # short for bins = [2, 3, ..., 16]

    [income]
    bins = [1000, 2000, 5000]
    monotone = "increasing"          # or "decreasing": of linear models and scorecards

    [admitted]
    type = "date"
    bins = ["2020-01-01", "2021-07-01"]    # cut dates; or by = "weekday", month, quarter, hour
    format = "%d.%m.%Y"                    # of texts that are not ISO 8601
    zone = "America/New_York"              # of times that have a zone, if it is not UTC

    [weight]
    bins = [50, 70, 90]
    strip = "kg"                     # "70 kg" is 70; below, merge: `littlestone.data.cleaning`

    [csv]                            # if the table is a CSV file that is written another way
    sep = ";"
    decimal = "comma"

Every column has two more codes: *missing* (an empty cell, a null, a text of its ``missing`` list)
and *other* (anything else that is odd). So every cell of every table has a code, and the same in
every container: `Column.code` is the one rule, `littlestone.data.counting.codes_of` applies it to
what Arrow holds, and engines only group equal cells.
"""

from __future__ import annotations

import math
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from littlestone.bounds.representations import PublicPoints
from littlestone.data.cells import (
    PARTS,
    Calendar,
    CsvFormat,
    Texts,
    doubles,
    durations,
    number,
    text,
)
from littlestone.data.cleaning import KEYS, Cleaning, toml_key, toml_table, toml_text
from littlestone.errors import (
    DataError,
    ParameterError,
    UnsupportedError,
    check_integer,
    check_probability,
    parameter_error,
    suggest,
)
from littlestone.privacy.compose import zcdp_to_dp
from littlestone.privacy.guarantee import NOT_PRIVATE, Guarantee
from littlestone.safe_io import read_exact, read_text
from littlestone.types import Json

if TYPE_CHECKING:
    from littlestone.bounds import Certificate


# -- One public column: its bins or categories, their codes, and how a cell gets its code.


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
    monotone : {"increasing", "decreasing"}, optional
        Along its bins a linear model or scorecard only rises, or only falls.
    cleaning : Cleaning, optional
        How cells with a unit, a limit or another spelling are read.
    """

    MISSING: ClassVar[int] = 0
    OTHER: ClassVar[int] = 1
    FIRST: ClassVar[int] = 2

    name: str
    edges: tuple[int | float, ...] | None = None
    categories: tuple[str, ...] | None = None
    missing: tuple[str, ...] = ()
    calendar: Calendar | None = None
    monotone: str | None = None
    cleaning: Cleaning | None = None

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
        """Return a textual column; a cell has a category when it is that text, or its value.

        Examples
        --------
        >>> column = Column.of("dose", ["1.5", "none"])
        >>> [column.describe(column.code(cell)) for cell in ("1.50", 1.5, "none", "2")]
        ['dose is 1.5', 'dose is 1.5', 'dose is none', 'dose is other']
        """
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
        zone: object = None,
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
            How texts are written that are not ISO 8601, for example ``"%d.%m.%Y"``.
        zone : str, optional
            Where a time that has a zone (``2020-09-03 08:00+02:00``, a timestamp with time zone) is
            looked at, for example ``"Europe/Berlin"``; by default in UTC. A time without a zone is
            what it says.

        Examples
        --------
        >>> column = Column.dates("admitted", ["2020-01-01", "2021-07-01"], form="%d.%m.%Y")
        >>> [column.describe(column.code(cell)) for cell in ("3.9.2020", "2021-09-03", "31.2.2020")]
        ['2020-01-01 <= admitted < 2021-07-01', 'admitted >= 2021-07-01', 'admitted is other']
        >>> Column.dates("admitted", by="weekday").literals(0)[-2].text
        'weekday of admitted >= Sunday'
        """
        caller = f"column {name!r}"
        calendar = Calendar.of(caller, by, form, zone)
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

    def in_order(self, monotone: object) -> Column:
        """Return the column with the order that models are to keep along its bins.

        Examples
        --------
        >>> Column.bins("age", [30, 60]).in_order("increasing").monotone
        'increasing'
        """
        caller = f"column {self.name!r}"
        if monotone not in ("increasing", "decreasing"):
            raise parameter_error(caller, "monotone", "increasing or decreasing", monotone)
        if self.edges is None:
            hint = "Categories have no order."
            raise parameter_error(caller, "monotone", "of numbers or dates", "a text", hint)
        return replace(self, monotone=str(monotone))

    def cleaned(self, cleaning: Cleaning) -> Column:
        """Return the column whose cells are read as the cleaning says."""
        return replace(self, cleaning=cleaning)

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
        if span := self._span(position, position):
            return f"{name} is {span}"
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
        >>> month = Column.dates("admitted", by="month")
        >>> month.title, month.within([3]), month.within([2, 3, 4]), month.describe(13)
        ('admitted (month)', 'Feb', 'Jan to Mar', 'month of admitted is Dec')
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
        if span := self._span(low, high):
            return span
        if low == 0:
            return "any number" if high == len(shown) else f"< {shown[high]}"
        start = shown[low - 1]
        return f">= {start}" if high == len(shown) else f"{start} to < {shown[high]}"

    @property
    def title(self) -> str:
        """The name, with the part of dates that the bins are about: ``admitted (month)``."""
        by = "date" if self.calendar is None else self.calendar.by
        return self.name if by == "date" else f"{self.name} ({by})"

    def _span(self, low: int, high: int) -> str:
        """Return bins of parts of dates by these parts; nothing of others, and of open ends."""
        if self.calendar is None or self.edges is None or self.calendar.by == "date":
            return ""
        first, last = PARTS[self.calendar.by] or (None, None)
        start = self.edges[low - 1] if low else first
        end = self.edges[high] - 1 if high < len(self.edges) else last
        return "" if start is None or end is None else self.calendar.span(int(start), int(end))

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
        return self._code(text(raw)) if self.calendar is None else int(self.codes([raw])[0])

    def codes(self, values: npt.NDArray[Any] | Sequence[object]) -> Codes:
        """Return the code of each cell: of numbers at once, of a text as often as it differs."""
        numbers = values if isinstance(values, np.ndarray) else np.zeros(0, dtype=object)
        types = set(map(type, values)) if numbers.dtype == object else set()
        if types in ({float}, {int}):  # of each type alone: a column of both keeps both
            with suppress(OverflowError):  # beyond 64 bits: each by its text, none is rounded
                numbers = np.array(list(values), dtype=np.int64 if types == {int} else np.float64)
        kind = numbers.dtype.kind
        if kind == "m":
            raise DataError(durations(self.name, "a schema"))
        if self.of_numbers and self.pure and kind in "iuf" and numbers.dtype != np.uint64:
            if kind == "f":
                edges = np.array(self.edges, dtype=np.float64)
                codes = self.FIRST + np.searchsorted(edges, doubles(numbers), "right")
                return np.where(np.isnan(numbers), self.MISSING, codes).astype(np.int16)
            limits = np.array(self.integer_edges, dtype=np.int64)
            codes = self.FIRST + np.searchsorted(limits, numbers.astype(np.int64), "right")
            return codes.astype(np.int16)
        one = self._code if self.calendar is None else self._moment
        found: Iterator[int] = (one(text(cell)) for cell in values)
        if types and types <= {str, float, type(None)}:  # equal ones are written alike
            found = map({cell: one(text(cell)) for cell in set(values)}.__getitem__, values)
        codes = np.fromiter(found, np.int64, len(values))
        return codes.astype(np.int16) if self.calendar is None else self.of_moments(codes)

    def _code(self, written: str | None) -> int:
        """Return the code of a text that is no date."""
        if written is None or self._missing.place(written) is not None:
            return self.MISSING
        if self.cleaning is not None:
            cleaned = self.cleaning.clean(written)
            if cleaned is None or self._missing.place(cleaned) is not None:
                return self.MISSING
            written = cleaned
        if self.edges is None:
            place = self._categories.place(written)
            return self.OTHER if place is None else self.FIRST + place
        value = number(written)
        if value is None:
            return self.OTHER
        if isinstance(value, float) and math.isnan(value):
            return self.MISSING
        return self.FIRST + bisect_right(self.edges, value)

    def _moment(self, written: str | None) -> int:
        """Return the seconds of a date since the year 1; -1 where it is none, -2 where missing."""
        assert self.calendar is not None
        if written is None or written in self.missing:
            return -2
        moment = self.calendar.moment(written)
        return -1 if moment is None else moment

    def of_moments(self, moments: npt.NDArray[np.int64]) -> Codes:
        """Return the codes of dates, given as seconds since the year 1 in the schema's zone.

        -1 is what is no date, -2 what is missing.
        """
        assert self.calendar is not None
        edges = np.array(self.edges, dtype=np.int64)
        codes = self.FIRST + np.searchsorted(edges, self.calendar.part(moments), "right")
        codes[moments == -1] = self.OTHER
        codes[np.isin(moments, self._missing_moments)] = self.MISSING
        return codes.astype(np.int16)

    @cached_property
    def pure(self) -> bool:
        """Whether every number is itself, and none *missing* (as 99 may be): binned directly."""
        merged = self.cleaning is not None and self.cleaning.numeric
        return not self._missing.numeric and not merged

    @property
    def beyond_doubles(self) -> bool:
        """Whether a bin or category is a whole number that doubles merge with another one."""
        named = (number(name) for name in self.categories or ())
        values = self.edges or [value for value in named if isinstance(value, int)]
        return any(abs(value) >= 2**53 for value in values)

    @cached_property
    def integer_edges(self) -> tuple[int, ...]:
        """The edges for 64-bit integers, rounded up: x >= edge iff x >= ceil(edge)."""
        ceilings = (math.ceil(edge) for edge in self.edges or ())
        return tuple(max(edge, -(2**63)) for edge in ceilings if edge < 2**63)

    @property
    def _label(self) -> str:
        return self.name if self.calendar is None else self.calendar.label(self.name)

    @cached_property
    def shown(self) -> list[str]:
        """The edges, as they are written."""
        shown = str if self.calendar is None else self.calendar.shown
        return [shown(edge) for edge in self.edges or ()]

    @cached_property
    def _missing(self) -> Texts:
        # a file with decimal commas is read with points, where a limit or unit is beside a number
        pointed = [each.replace(",", ".") for each in self.missing if self.of_numbers]
        more = [each for each in pointed if each not in self.missing and number(each) is None]
        return Texts([*self.missing, *more])

    @cached_property
    def _missing_moments(self) -> list[int]:
        assert self.calendar is not None
        moments = map(self.calendar.moment, self.missing)
        return [-2, *(moment for moment in moments if moment is not None)]

    @cached_property
    def _categories(self) -> Texts:
        return Texts(self.categories or ())

    def to_dict(self) -> Json:
        """Return plain JSON, as it is in a schema."""
        kind: Json = {"categories": list(self.categories or ())}
        if self.edges:
            kind = {"bins": list(self.edges)}
        if self.calendar is not None:
            by, form, zone = self.calendar.by, self.calendar.form, self.calendar.zone
            bins: list[Any] = self.shown if by == "date" else list(self.edges or ())
            kind = {"type": "date", **({} if by == "date" else {"by": by}), "bins": bins}
            kind |= {"format": form} if form else {}
            kind |= {"zone": zone} if zone != "UTC" else {}
        kind |= {"missing": list(self.missing)} if self.missing else {}
        kind |= {} if self.cleaning is None else self.cleaning.to_dict()
        return kind | ({} if self.monotone is None else {"monotone": self.monotone})


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


_LARGEST = 4 * 2**20  # bytes of a file
_EVERY = "*"  # the name, in files, of the column description that stands for all columns
_KINDS = ("bins", "categories", "integers")
_KEYS = (*_KINDS, "missing", "type", "by", "format", "zone", "monotone", *KEYS)
_CSV = "csv"  # the name of the table about files, if it describes no column
_PROPOSAL = "*proposal"  # the name, in files, of what a proposal of the columns cost
_PUBLIC = "*public"  # the name, in files, of what is known of public points
#: Names that no column of a schema can have.
RESERVED = frozenset({_EVERY, _PROPOSAL, _PUBLIC})


class PublicBins(NamedTuple):
    """Bins that begin at every ``rank``-th value of ``points`` public rows."""

    points: int
    rank: int

    def of(self, comparisons: int) -> PublicPoints:
        """Return how near a rule of some comparisons is to one over the bins."""
        return PublicPoints(self.points, comparisons * self.rank)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"points": self.points, "rank": self.rank}

    @classmethod
    def from_dict(cls, data: Any) -> PublicBins:
        """Read plain JSON."""
        if not isinstance(data, Mapping) or set(data) != set(cls._fields):
            raise ParameterError(f"The table [{_PUBLIC!r}] of a schema has points and rank.")
        caller = f"the table {_PUBLIC!r} of a schema"
        points = check_integer(caller, "points", data["points"], low=1)
        return cls(points, check_integer(caller, "rank", data["rank"], low=1))


@dataclass(frozen=True)
class Proposal:
    """What the columns of a schema cost that was learned from records."""

    guarantee: Guarantee
    n: int
    left_out: tuple[str, ...] = ()
    declared: tuple[str, ...] = ()
    #: rho, and the probability with which it may be exceeded: what composes with other things that
    #: are learned from the same records.
    zcdp: tuple[Fraction, Fraction] | None = None
    entry: Json | None = field(default=None, compare=False)  # what a ledger recorded of it

    @property
    def spent(self) -> str:
        """What it cost in zCDP, as a part of what a release spent."""
        assert self.zcdp is not None
        rho, leak = map(str, self.zcdp)
        return f"zCDP {rho}, delta {leak}"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        out: Json = {"n": self.n, "left_out": list(self.left_out), "declared": list(self.declared)}
        if self.zcdp is not None:
            out["zcdp"] = list(map(str, self.zcdp))
        return out | {"guarantee": self.guarantee.to_dict()}

    @classmethod
    def from_dict(cls, data: Any) -> Proposal:
        """Read what `to_dict` wrote; it may be untrusted."""
        try:
            n, left_out = data["n"], data["left_out"]
            if isinstance(n, bool) or not isinstance(n, int) or n < 0:
                raise TypeError
            declared = data["declared"]
            if not all(isinstance(name, str) for name in [*left_out, *declared]):
                raise TypeError
            guarantee = Guarantee.from_dict(data["guarantee"])
            zcdp = None
            if "zcdp" in data:
                rho, leak = map(read_exact, data["zcdp"])
                if rho <= 0 or not 0 <= leak < guarantee.delta:
                    raise TypeError
                if zcdp_to_dp(rho, guarantee.delta - leak) > guarantee.epsilon:
                    raise TypeError
                zcdp = rho, leak
            return cls(guarantee, n, tuple(left_out), tuple(declared), zcdp)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ParameterError(
                f"The table [{toml_text(_PROPOSAL)}] of a schema must have the entries that "
                "`littlestone schema propose` writes."
            ) from None


@dataclass(frozen=True, repr=False)
class Schema:
    """The public columns of a row.

    Parameters
    ----------
    columns : tuple of Column
        In the order of the codes of a row; names are distinct.
    every : Column, optional
        Instead of columns: one description for each column of an array of any width (see
        `every_column`).
    csv : CsvFormat, optional
        How CSV files with these columns are written. It says nothing about points, so schemas that
        differ in it are equal.
    proposal : Proposal, optional
        What the columns cost, where they were learned from records (`propose`).
    public : PublicBins, optional
        How many public rows the bins are of (`from_public`).

    Examples
    --------
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
    >>> schema.names
    ('age', 'city')
    >>> schema["age"].describe(3), schema["city"].describe(2), schema["city"].describe(0)
    ('30 <= age < 60', 'city is Bonn', 'city is missing')
    >>> [literal.text for literal in schema.literals()]
    ['age >= 30', 'age < 30', 'age >= 60', 'age < 60', 'city is Bonn', 'city is not Bonn']
    """

    columns: tuple[Column, ...] = ()
    every: Column | None = None
    csv: CsvFormat | None = field(default=None, compare=False)
    proposal: Proposal | None = None
    public: PublicBins | None = None

    def __post_init__(self) -> None:
        columns: Any = self.columns
        if not isinstance(columns, tuple | list):
            hint = 'Schema.from_dict({"age": {"bins": [30, 60]}}) makes one.'
            kind = type(columns).__name__
            raise parameter_error("Schema", "columns", "a tuple of columns", kind, hint)
        if bool(self.columns) == (self.every is not None):
            raise ParameterError(
                "A schema needs at least one column: columns=(...) or Schema.every_column(edges)."
            )
        if len(set(self.names)) < len(self.columns):
            raise ParameterError("The columns of a schema must have different names.")
        for name in RESERVED.intersection(self.names):
            raise ParameterError(
                f"A column of a schema cannot have the name {name!r}, which is reserved: rename "
                "the column."
            )

    @classmethod
    def from_toml(cls, path: str | Path) -> Schema:
        """Read a schema from a TOML file.

        Raises
        ------
        ParameterError
            If there is no such file, or it is not a schema; names all mistakes at once: which key
            of which column.
        """
        return cls.from_dict(_read_toml(path))

    @classmethod
    def from_dict(cls, described: Mapping[str, Any]) -> Schema:
        """Read a schema from plain JSON: ``{name: {"bins": [...]} or {"categories": [...]}}``."""
        if not isinstance(described, Mapping) or not described:
            raise ParameterError(
                "A schema must have at least one column. Write a table such as [age] with "
                "bins = [30, 60], or [city] with categories = ['Bonn']."
            )
        mistakes: list[str] = []
        described, csv = _without_csv(described, mistakes)
        bins = described.get(_PUBLIC)
        public = None if bins is None else PublicBins.from_dict(bins)
        written = {
            name: entry for name, entry in described.items() if name not in (_PROPOSAL, _PUBLIC)
        }
        proposal = described.get(_PROPOSAL)
        proposed = None if proposal is None else Proposal.from_dict(proposal)
        columns = [_read_column(name, entry, mistakes) for name, entry in written.items()]
        read = tuple(column for column in columns if column is not None)
        if len(mistakes) == 1:
            raise ParameterError(mistakes[0])
        if mistakes:
            lines = "".join(f"\n- {mistake}" for mistake in mistakes)
            raise ParameterError(f"The schema has {len(mistakes)} mistakes:{lines}")
        if [column.name for column in read] == [_EVERY]:
            return cls(every=read[0], csv=csv, proposal=proposed)
        return cls(read, csv=csv, proposal=proposed, public=public)

    @classmethod
    def from_public(
        cls, table: Any, bins: int = 20, columns: Sequence[str] | None = None
    ) -> Schema:
        """Return a schema whose bins are quantiles of a public table, and certified as such.

        Nothing of the table is protected, and no record that is learned from may be in it. Numbers
        get an edge at every r-th of their sorted values, texts a category for each that occurs r
        times, r the least number for which there are at most ``bins`` of both. Columns without
        either are left out; missing cells are in no bin.

        Parameters
        ----------
        table : path, data frame, or relation
            Unlabelled public rows, independent of each other.
        bins : int >= 2, default 20
            More bins cost less (`binning_error`), and make more candidates.
        columns : sequence of str, optional
            By default all.

        Raises
        ------
        ParameterError
            A column that the table does not have, or no column with a bin.

        Notes
        -----
        Learners over such a schema certify the best rule with comparisons of *any* numbers, for
        records of the population that ``shift`` says: docs/public.md.

        Examples
        --------
        >>> schema = Schema.from_public({"age": range(400), "city": ["Bonn", "Rome"] * 200}, bins=5)
        >>> schema["age"].edges, schema["city"].categories
        ((80, 161, 242, 323), ('Bonn', 'Rome'))
        >>> print(schema.binning_error(1))
        error <= 0.236 except with probability 0.05, from 400 records: holds [public.slabs]
        """
        schema: Schema = import_module("littlestone.data.draft").from_public(
            table, bins=bins, columns=columns
        )
        return schema

    def binning_error(
        self, s: int, *, beta: Any = Fraction(1, 20), shift: tuple[Any, Any] = (1, 0)
    ) -> Certificate:
        """Return a certificate of what bins of public rows cost a rule of s comparisons.

        On more than its alpha of the records' points some rule over the bins differs from that of
        s comparisons of any numbers with probability at most beta, over the public rows.
        """
        caller = "Schema.binning_error"
        if self.public is None:
            raise UnsupportedError(
                "Only bins of public rows have a certified error: use Schema.from_public(table)."
            )
        points = self.public.of(check_integer(caller, "s", s, low=1))
        rho, tau = map(Fraction, shift)
        return points.certificate(beta=check_probability(caller, "beta", beta), shift=(rho, tau))

    @property
    def guarantee(self) -> Guarantee | None:
        """What the columns cost; None where they were not learned from records."""
        return None if self.proposal is None else self.proposal.guarantee

    @classmethod
    def every_column(cls, edges: Sequence[float]) -> Schema:
        """Return the schema of arrays of any width: the same public bins for every column.

        Its columns get the names x0, x1, ... when `bind` fixes their number.

        Examples
        --------
        >>> Schema.every_column([0]).bind(2).names
        ('x0', 'x1')
        """
        return cls(every=Column.bins(_EVERY, edges))

    def to_dict(self) -> Json:
        """Return plain JSON in the layout of the TOML file; `from_dict` reads it back."""
        columns = self.columns if self.every is None else (self.every,)
        extra = {} if self.proposal is None else {_PROPOSAL: self.proposal.to_dict()}
        extra |= {} if self.public is None else {_PUBLIC: self.public.to_dict()}
        return {column.name: column.to_dict() for column in columns} | extra

    def to_toml(self) -> str:
        """Return the text of the TOML file that `from_toml` reads back.

        Examples
        --------
        >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "my city": {"categories": ["B"]}})
        >>> print(schema.to_toml(), end="")
        [age]
        bins = [30, 60]
        <BLANKLINE>
        ["my city"]
        categories = ["B"]
        """
        columns = self.columns if self.every is None else (self.every,)
        parts = [] if self.proposal is None else [_proposal_toml(self.proposal)]
        if self.public is not None:
            counts = toml_table(toml_text(_PUBLIC), self.public.to_dict())
            parts.append(f"# Bins of public rows.\n{counts}")
        parts += [] if self.csv is None else [csv_toml(self.csv)]
        return "\n".join([*parts, *map(column_toml, columns)])

    def to_list(self) -> list[Json]:
        """Return plain JSON that keeps the order of the columns whatever sorts its keys.

        Codes and literals speak of columns by position, so files that are read back use this.
        """
        return [{"name": name, **column} for name, column in self.to_dict().items()]

    @classmethod
    def from_list(cls, described: Any) -> Schema:
        """Read what `to_list` wrote.

        Raises
        ------
        ParameterError
        """
        columns: list[Mapping[str, Any]] = described if isinstance(described, list) else []
        named = [isinstance(c, Mapping) and isinstance(c.get("name"), str) for c in columns]
        if not (named and all(named)):
            raise ParameterError("The schema of a model must be a list of named columns.")
        if len({c["name"] for c in columns}) < len(columns):
            raise ParameterError("The columns of a schema must have different names.")
        return cls.from_dict(
            {c["name"]: {k: v for k, v in c.items() if k != "name"} for c in columns}
        )

    @property
    def left_out(self) -> tuple[str, ...]:
        """Columns of the table that were not learned: identifiers, free text, nothing found."""
        return () if self.proposal is None else self.proposal.left_out

    @property
    def bound(self) -> bool:
        """Whether the number of columns is fixed."""
        return self.every is None

    def bind(self, n_columns: int, *, caller: str = "Schema") -> Schema:
        """Return the schema for arrays of this width (itself, when its width is fixed).

        Raises
        ------
        ParameterError
            If the schema has another number of columns.
        """
        if self.every is not None:
            columns = tuple(replace(self.every, name=f"x{j}") for j in range(n_columns))
            return Schema(columns, csv=self.csv, proposal=self.proposal)
        if n_columns != len(self.columns):
            named = f": {', '.join(self.names)}" if self.bound else ""
            constraint = f"of {len(self.columns)} columns, as the schema{named}"
            raise parameter_error(caller, "X", constraint, f"{n_columns} columns")
        return self

    @property
    def ordered(self) -> tuple[str, ...]:
        """Names of the columns along which models are to rise or fall."""
        return tuple(column.name for column in self.columns if column.monotone is not None)

    def monotone(self, signs: Mapping[str, int] | None, caller: str = "Schema") -> Schema:
        """Return the schema with columns along which models rise (1) or fall (-1).

        Examples
        --------
        >>> schema = Schema.from_dict({"age": {"bins": [30]}, "bmi": {"bins": [25]}})
        >>> print(schema.monotone({"age": 1}).to_toml(), end="")
        [age]
        bins = [30]
        monotone = "increasing"
        <BLANKLINE>
        [bmi]
        bins = [25]
        """
        if signs is None:
            return self
        words = {1: "increasing", -1: "decreasing"}
        if not isinstance(signs, Mapping) or not all(
            type(sign) is int and sign in words for sign in signs.values()
        ):
            hint = 'For example {"age": 1, "bmi": -1}: rising with age, falling with bmi.'
            allowed = "a mapping from names of columns to 1 or -1"
            raise parameter_error(caller, "monotonic_cst", allowed, signs, hint)
        for name in signs:
            _ = self[name]
        return replace(
            self,
            columns=tuple(
                column.in_order(words[signs[column.name]]) if column.name in signs else column
                for column in self.columns
            ),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def n_codes(self) -> tuple[int, ...]:
        """Number of codes of each column."""
        return tuple(column.n_codes for column in self.columns)

    def literals(self) -> tuple[Literal, ...]:
        """Return all literals: ``>=`` and ``<`` for edges, ``is`` and ``is not`` for categories.

        A cell that is missing or other satisfies only ``is not``.
        """
        return tuple(lit for j, column in enumerate(self.columns) for lit in column.literals(j))

    def encode(self, cells: Sequence[npt.NDArray[Any]]) -> Codes:
        """Code the columns of a Python array by public rules, as those of a table.

        Parameters
        ----------
        cells : sequence of ndarray of shape (n,)
            One for each column.

        Returns
        -------
        int16 ndarray of shape (n, columns)
        """
        rows = len(cells[0])
        codes = np.empty((rows, len(cells)), dtype=np.int16)
        for j, (column, values) in enumerate(zip(self.columns, cells, strict=True)):
            codes[:, j] = column.codes(values)
        return codes

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise ParameterError(f"The schema has no column {name!r}.{suggest(name, self.names)}")

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        if self.every is not None:
            return f"Schema.every_column({list(self.every.edges or ())})"
        seeded = self.proposal is not None and self.proposal.guarantee.seeded
        return f"Schema({', '.join(self.names)})" + f"  # {NOT_PRIVATE}" * seeded


def column_toml(column: Column) -> str:
    """Return the TOML table of one column."""
    described, edges = column.to_dict(), column.edges or ()
    whole = all(isinstance(b, int) and b - a == 1 for a, b in pairwise(edges))
    if column.calendar is None and len(edges) > 1 and whole:
        described = {"integers": [edges[0] - 1, edges[-1]]} | described
        del described["bins"]
    return toml_table(toml_key(column.name), described)


def csv_toml(form: CsvFormat) -> str:
    """Return the TOML table of a format.

    Examples
    --------
    >>> print(csv_toml(CsvFormat.parse("sep=;, quoted-line-breaks=yes")), end="")
    [csv]
    sep = ";"
    quoted-line-breaks = "yes"
    """
    return toml_table(_CSV, form.to_dict())


def _proposal_toml(proposal: Proposal) -> str:
    """Return the TOML tables of a proposal."""
    key, facts = toml_text(_PROPOSAL), proposal.to_dict()
    guarantee = facts.pop("guarantee")
    return (
        "# Learned from records by `littlestone schema propose`. A model that is learned from the\n"
        "# same records has no certificate of accuracy, and its privacy loss adds to this one.\n"
        f"{toml_table(key, facts)}\n{toml_table(f'{key}.guarantee', guarantee)}"
    )


def _read_toml(path: str | Path) -> dict[str, Any]:
    written = read_text(path, "schema", largest=_LARGEST)
    try:
        return tomllib.loads(written)
    except tomllib.TOMLDecodeError as error:
        raise ParameterError(f"The schema {str(path)!r} is not TOML: {error}.") from None
    except (ValueError, RecursionError):  # an enormous integer, endless brackets
        raise ParameterError(
            f"The schema {str(path)!r} is not TOML that this program can read."
        ) from None


def _without_csv(
    described: Mapping[str, Any], mistakes: list[str]
) -> tuple[Mapping[str, Any], CsvFormat | None]:
    """Return the columns, and the format if there is one: a column has bins or categories."""
    entry = described.get(_CSV)
    if not isinstance(entry, Mapping) or any(key in _KEYS for key in entry):
        return described, None
    try:
        form = CsvFormat.parse(entry, "the schema")
    except ParameterError as mistake:
        mistakes.append(str(mistake))
        form = None
    rest = {name: column for name, column in described.items() if name != _CSV}
    if not rest and not mistakes:
        mistakes.append("A schema must have at least one column besides the table [csv].")
    return rest, form


def _read_dates(name: str, entry: Mapping[str, Any], missing: object) -> Column:
    caller = f"column {name!r}"
    if entry.get("type") != "date":
        hint = "Numbers have bins or integers, texts have categories, and neither needs a type."
        rule = "date where by, format or zone is given"
        raise parameter_error(caller, "type", rule, entry.get("type"), hint)
    if "categories" in entry or ("integers" in entry and "bins" in entry):
        raise parameter_error(caller, "bins", "the only description of dates", "several kinds")
    bins = entry.get("bins")
    if "integers" in entry:
        bins = list(Column.integers(name, entry["integers"]).edges or ())
    by, form, zone = entry.get("by", "date"), entry.get("format"), entry.get("zone")
    return Column.dates(name, bins, missing, by=by, form=form, zone=zone)


def _completed(column: Column, entry: Mapping[str, Any]) -> Column:
    """Return a column with its order, and how its cells are cleaned."""
    if "monotone" in entry:
        column = column.in_order(entry["monotone"])
    keys = [key for key in KEYS if key in entry]
    if not keys:
        return column
    if column.calendar is not None:
        hint = "Dates have a format: what is not written in it is other."
        rule = "of a column of numbers or categories"
        raise parameter_error(f"column {column.name!r}", keys[0], rule, "dates", hint)
    return column.cleaned(Cleaning.parse(column.name, entry, column.categories, column.missing))


def _read_column(name: object, entry: object, mistakes: list[str]) -> Column | None:
    """Return a column, or None; every mistake in its description is noted."""
    caller = f"column {name!r} of the schema"
    if not isinstance(name, str) or not name.strip():
        mistakes.append(str(parameter_error("Schema", "name", "a column name, not empty", name)))
        return None
    if not isinstance(entry, Mapping):
        hint = f"Write a table: [{name}] with bins = [...] or categories = [...]."
        mistakes.append(str(parameter_error("Schema", name, "a table", entry, hint)))
        return None
    mistakes.extend(
        f"The {caller} has an unknown key {key!r}.{suggest(key, _KEYS)}"
        for key in entry
        if key not in _KEYS
    )
    missing, before = entry.get("missing", ()), len(mistakes)
    kinds = [kind for kind in _KINDS if kind in entry]
    if not {"type", "by", "format", "zone"}.isdisjoint(entry):
        try:
            return _completed(_read_dates(name, entry, missing), entry)
        except ParameterError as mistake:
            mistakes.append(str(mistake))
            return None
    if len(kinds) == 1:
        make = {"bins": Column.bins, "integers": Column.integers, "categories": Column.of}[kinds[0]]
        try:
            return _completed(make(name, entry[kinds[0]], missing), entry)
        except ParameterError as mistake:
            mistakes.append(str(mistake))
    elif all(key in _KEYS for key in entry):  # else a kind is misspelt
        listed = " and ".join(kinds) or "none"
        mistakes.append(
            f"The {caller} must have exactly one of bins, integers, categories. Got {listed}. "
            "Numbers have bins or integers, texts have categories."
        )
    try:
        Column.bins(name, [0], missing)
    except ParameterError as mistake:
        if str(mistake) not in mistakes[before:]:
            mistakes.append(str(mistake))
    return None
