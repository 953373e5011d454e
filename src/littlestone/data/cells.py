"""The public rules for one cell: what it says as a text, and as a number.

A cell is converted *alone*: never by looking at its neighbours (a column that is retyped because
of one odd cell would tell everyone that the odd cell exists). And it is converted *totally*:
nothing in a table can make a rule fail. Two functions are the whole grammar:

`text`
    How any value is written. White space around it is not part of a cell; an empty text, a null
    and a NaN are *missing*; a whole number is its digits (3, 3.0 and Decimal("3.00") are all
    ``"3"``), another number its shortest form (of a float of 32 bits: ``"0.1"``, as a copy in a
    text file has it), a boolean ``"true"`` or ``"false"``, bytes are UTF-8 (what is not becomes
    the replacement character), dates ISO, of the years 1 to 9999, those with a time zone in UTC. A
    value of any other type (a list, an object) is missing, and so is a text of more than 65,536
    characters.
`number`
    What a text is worth. ``"12"``, ``" +12.0"``, ``"1.2e1"`` are the integer 12, *exactly* and at
    any size; ``"2.5"`` is the nearest float; ``"true"`` is 1, ``"false"`` is 0 (any case), so that
    a boolean column and its copy in a CSV file agree; ``"inf"`` and ``"nan"`` are themselves;
    everything else (``"1,000"``, ``"0x10"``, ``"1_000"``) is no number.

Public texts (categories, those that mean *missing*) are compared by `Texts`: the same text, or the
same number or time, so that ``1.50`` and 1.5 are one category in every container.
"""

from __future__ import annotations

import codecs
import math
import numbers
import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import numpy.typing as npt
from flint import fmpz

from littlestone.errors import DataError, parameter_error
from littlestone.types import Label

#: White space that is not part of a cell: ASCII only, so that every engine could strip the same.
WHITE = " \t\n\r\v\f"

#: Integers with more digits than this are beyond every domain: read as an infinity, at once.
MAX_DIGITS = 400_000

#: Longer texts are missing: one long cell cannot hold up a release. Integer domains with longer
#: bounds read as many digits as these have.
MAX_LENGTH = 65_536

_SAFE = 4_000  # Python refuses to convert more than 4,300 digits at once (a guard we work within)
_NUMBER = re.compile(r"([+-]?)(?:([0-9]+)\.?([0-9]*)|\.([0-9]+))(?:[eE]([+-]?)([0-9]+))?")
_PLAIN_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_WORDS: dict[str, int | float] = {
    "true": 1,
    "false": 0,
    "nan": math.nan,
    **{sign + word: float(sign + word) for sign in ("", "+", "-") for word in ("inf", "infinity")},
}
_TRUTHS = frozenset({"true", "false"})
_NULLS = frozenset({"NAType", "NaTType"})  # pandas' nulls, known by name: pandas stays optional


def text(raw: object, *, longest: int = MAX_LENGTH) -> str | None:
    """Return how a value is written in a cell, or None when it is missing.

    Equal numbers are written equally, so it does not matter which of them an engine shows. Total:
    whatever the value is, also an object whose own methods raise.

    Examples
    --------
    >>> [text(v) for v in (" a ", "", 3, 3.0, 2.50, float("nan"), True, None, b"x")]
    ['a', None, '3', '3', '2.5', None, 'true', None, 'x']
    """
    try:
        written = _text(raw)
    except Exception:  # converted alone, so this says nothing of other cells
        return None
    return written if written and len(written) <= longest else None


def _text(raw: object) -> str | None:  # noqa: PLR0911 - one line for each type
    if isinstance(raw, str):
        return _unicode(str.strip(raw, WHITE))
    if isinstance(raw, np.generic):
        return _text(_of_numpy(raw))
    if isinstance(raw, bool):
        return "true" if raw else "false"
    if isinstance(raw, numbers.Integral):
        return digits(int(raw))
    if isinstance(raw, float):
        return _float_text(float(raw))
    if isinstance(raw, Decimal):
        return _decimal_text(raw)
    if isinstance(raw, Fraction):
        return digits(raw.numerator) if raw.denominator == 1 else _float_text(_as_float(raw))
    if isinstance(raw, bytes | bytearray | memoryview):
        return bytes(raw).decode("utf-8", "replace").strip(WHITE)
    if type(raw).__name__ in _NULLS:
        return None
    if isinstance(raw, date | time):  # datetimes are dates too
        zoned = isinstance(raw, datetime) and raw.utcoffset() is not None
        return date_text(str(cast(datetime, raw).astimezone(UTC) if zoned else raw))
    return None


def durations(name: str, caller: str) -> str:
    """Return the refusal of a column of durations, which are numbers of no unit."""
    return (
        f"The column {name!r} given to {caller} holds durations. Turn them into numbers by "
        'dividing by a unit: table["stay"] / pd.Timedelta("1D") in pandas, pl.col("stay") / '
        "pl.duration(days=1) in polars, epoch(stay) / 86400 in DuckDB."
    )


def number(  # noqa: PLR0911 - one line for each form
    cell: str, *, max_digits: int = MAX_DIGITS
) -> int | float | None:
    """Return what a text is worth: an int when it is exactly whole, a float, or None.

    The time is linear in the length of the text, and an integer of more than ``max_digits``
    digits is returned as an infinity: a cell of a million nines cannot hold up the reading.

    Examples
    --------
    >>> [number(c) for c in ("12", " +12.0", "1.2e1", "2.5", "TRUE", "1e999999999", "x", "1_0")]
    [12, 12, 12, 2.5, 1, inf, None, None]
    """
    cell = cell.strip(WHITE)
    if len(cell) < 19 and cell.isascii() and cell.isdigit():
        return int(cell)
    match = _NUMBER.fullmatch(cell)
    if match is None:
        return _WORDS.get(cell.lower()) if len(cell) <= 9 else None
    sign, whole, part, only_part, exponent_sign, exponent_text = match.groups(default="")
    figures = whole + part + only_part
    significant = figures.lstrip("0")
    if not significant:
        return 0
    exponent_text = exponent_text.lstrip("0")
    if len(exponent_text) > 9:  # far beyond every size that fits into memory
        return 0.0 if exponent_sign == "-" else _infinity(sign)
    exponent = int(exponent_text or "0")
    point = len(whole) + (-exponent if exponent_sign == "-" else exponent)
    size = point - (len(figures) - len(significant))  # digits before the decimal point
    if size > max_digits:
        return _infinity(sign)
    if significant[max(size, 0) :].strip("0") or size <= 0:
        return float(cell)
    value = _integer(significant[:size].ljust(size, "0"))
    return -value if sign == "-" else value


def user_name(raw: object) -> int | str | None:
    """Return who a cell names: its text, as an integer when that is written the one plain way.

    Examples
    --------
    >>> [user_name(raw) for raw in (7, " 7", 7.0, "007", "ann", None)]
    [7, 7, 7, '007', 'ann', None]
    """
    written = text(raw)
    if written is not None and _PLAIN_INTEGER.fullmatch(written):
        return int(written)
    return written


def float_users(what: str, caller: str) -> DataError:
    """Return the refusal of users whose type is floats, in arrays and tables alike."""
    return DataError(
        f"{what} given to {caller} must be integers or texts. They are floats, which may merge "
        "users or hide missing ones. pandas turns integers into floats where one is missing: read "
        'them as "Int64" (pd.read_csv(path, dtype={"user": "Int64"})) or as texts '
        "(dtype=str); floats cannot be turned back."
    )


def doubles(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return floats of any width as doubles: those of their shortest texts.

    Examples
    --------
    >>> doubles(np.array([0.1, 2], dtype=np.float32)).tolist()
    [0.1, 2.0]
    """
    if values.dtype.itemsize >= np.dtype(np.float64).itemsize:
        return values.astype(np.float64, copy=False)
    return values.astype(np.str_).astype(np.float64)


class Texts:
    """Public texts, each with its place: a cell is one of them by its text, or by its value.

    Values are numbers, and dates with or without a time and a zone. Where two of the texts have the
    same value, it is that of the one that is written as `text` writes it, else of the first.

    Examples
    --------
    >>> texts = Texts(["1.50", "01", "false", "2020-01-01"])
    >>> [texts.place(cell) for cell in ("1.5", "1", "False", "2020-01-01 00:00:00", "02")]
    [0, 1, 2, 3, None]
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._places = {written: place for place, written in enumerate(texts)}
        self._values: dict[object, int] = {}
        for written, place in self._places.items():
            value = _value(written)
            if value is not None and (value not in self._values or text(value) == written):
                self._values[value] = place

    def place(self, written: str) -> int | None:
        """Return the place of the text that a cell is, or None."""
        found = self._places.get(written)
        if found is None and self._values:
            found = self._places.get(written.lower()) if written.lower() in _TRUTHS else None
            return self._values.get(_value(written)) if found is None else found
        return found

    @property
    def numbers(self) -> list[tuple[str, int]]:
        """Numbers that cells may be, written out, each with the place of its text."""
        return [
            (repr(float(value)), place)
            for value, place in self._values.items()
            if isinstance(value, float) or (isinstance(value, int) and abs(value) < 2**1023)
        ]

    @property
    def numeric(self) -> bool:
        """Whether one of the texts is a number."""
        return any(isinstance(value, int | float) for value in self._values)


def _value(written: str) -> int | float | tuple[int, str, bool] | None:
    """Return the number of a text, or its moment: seconds, the rest of one, whether of a zone."""
    value = number(written)
    if value is not None:
        return None if isinstance(value, float) and math.isnan(value) else value
    return _iso_moment(written)


def canonical(written: str) -> str:
    """Return the one text of all that have its value, of truth values, dates and moments.

    Examples
    --------
    >>> [canonical(cell) for cell in ("TRUE", "2020-01-01T00:00", "2020-01-01 02:00+02", "Bonn")]
    ['true', '2020-01-01', '2020-01-01 00:00:00+00:00', 'Bonn']
    """
    if written.lower() in _TRUTHS:
        return written.lower()
    iso = _iso_moment(written)
    if iso is None or not 0 <= iso[0] < SECONDS:
        return written
    seconds, rest, zoned = iso
    moment = _FIRST + timedelta(seconds=seconds)
    clock = f" {moment.time()}{'.' * bool(rest)}{rest}" if seconds % DAY or rest or zoned else ""
    return f"{moment.date()}{clock}{'+00:00' * zoned}"


def spellings(label: Any) -> list[Any]:
    """Return how a label may be written: a list or tuple says so, other labels are themselves."""
    return list(label) if isinstance(label, list | tuple) else [label]


def spelled(label: Any, form: str = "{}") -> str:
    """Return a label in words.

    Examples
    --------
    >>> spelled("no"), spelled(["yes", "Yes"])
    ('no', 'yes or Yes')
    """
    return " or ".join(map(form.format, spellings(label)))


class Match:
    """The label rule: which of some public labels a cell equals.

    Equal means the same number (``"1"``, 1, 1.0 and True all equal 1; so does ``"yes"``, and
    ``"no"`` equals 0) or the same text. A list or tuple is one label of several spellings, and a
    cell equals it if it equals one of them. A missing cell equals nothing. No cell may equal two
    labels: such labels, and missing ones, are a ValueError (what is allowed, the label).

    Examples
    --------
    >>> positive = Match(1)
    >>> [positive(v) for v in ("1", 1, 1.0, True, " 1.0 ", "true", "Yes", None, 0)]
    [True, True, True, True, True, True, True, False, False]
    >>> [Match("a", "b", "c").place(cell) for cell in ("b", "c ", "?", None)]
    [1, 2, 3, 3]
    >>> [Match("no", ["yes", "Yes"]).place(cell) for cell in ("Yes", "yes", "YES")]
    [1, 1, 2]
    """

    def __init__(self, *labels: object) -> None:
        self._places: dict[object, int] = {}
        self.size = len(labels)
        #: Whether all labels are numbers.
        self.numeric = True
        equal = set[object]()  # what cells that are written like earlier labels would equal
        for place, label in enumerate(labels):
            keys_of_label, answers = set[object](), set[object]()
            for spelling in spellings(label) or [None]:
                written = text(spelling)
                if written is None or written.lower() == "nan":
                    raise ValueError("a number or a text, not missing", label)
                value = number(written)
                keys = {written, value} - {None}
                if self(spelling) or equal & keys:
                    raise ValueError("unlike the other labels, also as a number", label)
                keys_of_label |= keys
                answers.add(_ANSWERS.get(written.lower()))
                self.numeric &= value is not None
            equal |= keys_of_label | answers
            self._places |= dict.fromkeys(keys_of_label, place)

    def __call__(self, raw: object) -> bool:
        """Return whether a raw cell equals one of the labels."""
        return self.place(raw) < self.size

    def place(self, raw: object) -> int:
        """Return the place of the label that a raw cell equals; the number of labels for none."""
        written = text(raw)
        if written is not None:
            for key in (written, number(written), _ANSWERS.get(written.lower())):
                if key in self._places:
                    return self._places[key]
        return self.size


_ANSWERS = {"yes": 1, "no": 0}


def digits(value: int) -> str:
    """Return an integer in decimal; one beyond `MAX_DIGITS` digits is written ``inf``.

    Examples
    --------
    >>> digits(-12), len(digits(10**9999)), digits(10**500_000)
    ('-12', 10000, 'inf')
    """
    if value.bit_length() < 3 * _SAFE:
        return str(value)
    if value.bit_length() > 3.32193 * MAX_DIGITS:  # log2(10), rounded up
        return "-inf" if value < 0 else "inf"
    return str(fmpz(value))


def _integer(figures: str) -> int:
    """Return the integer with these digits, also beyond Python's guard on their number."""
    return int(figures) if len(figures) <= _SAFE else int(fmpz(figures))


def _infinity(sign: str) -> float:
    return -math.inf if sign == "-" else math.inf


def _unicode(written: str) -> str:
    """Return a text as UTF-8 can hold it: half of a surrogate pair is no character."""
    if written.isascii():
        return str(written)
    return written.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _of_numpy(raw: np.generic) -> object:
    """Return a scalar as Python's own."""
    if isinstance(raw, np.datetime64):
        return _numpy_date(raw)
    if isinstance(raw, np.timedelta64):  # whose item is an integer
        return None
    value = raw.item()
    return float(str(raw)) if isinstance(value, float) and raw.dtype.itemsize < 8 else value


def _numpy_date(raw: np.datetime64) -> str | None:
    """Return a date of the years 1 to 9999, as Arrow and Python know them."""
    written = str(raw)
    known = re.match(r"(?!0000)[0-9]{4}(-|$)", written)
    return date_text(written) if known else None


def _float_text(value: float) -> str | None:
    if math.isnan(value):
        return None
    return digits(int(value)) if value.is_integer() else repr(value)


def _decimal_text(value: Decimal) -> str | None:
    if value.is_nan():
        return None
    if value.is_infinite() or float(value) == value:  # the same text as the equal float
        return _float_text(float(value))
    precision = max(1, len(value.as_tuple().digits))  # exact: every digit is kept
    least = str(Context(prec=precision, Emin=-(10**17), Emax=10**17, traps=[]).normalize(value))
    worth = number(least)
    if isinstance(worth, int):
        return digits(worth)
    return _float_text(worth) if worth is not None and math.isinf(worth) else least


def _as_float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def date_text(written: str) -> str | None:
    """Return an ISO date and time with a space between, and no idle zeros in the fraction.

    Engines keep milli-, micro- or nanoseconds: equal times are written equally.
    """
    if written == "NaT":
        return None
    head, dot, tail = written.replace("T", " ", 1).partition(".")
    fraction = re.match(r"[0-9]*", tail).group()  # type: ignore[union-attr]
    kept = fraction.rstrip("0")
    return head + (dot if kept else "") + kept + tail[len(fraction) :]


# -- Public calendars: what a cell says as a date or a time, and which part of it is looked at.
#
# A cell is read alone. A text is read as ISO 8601, or by the one declared format; dates and times
# of a table's own types are ISO texts. What has a time zone is one moment, whichever zone it is
# written in: it is looked at in the zone of the schema, UTC unless it names another one, and never
# in that of a machine, a session or a file. What has no zone is what it says.


_MONTHS = "January February March April May June July August September October November December"
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
#: The parts of a date that bins may be about, with their first and last value; None: write bins.
PARTS: dict[str, tuple[int, int] | None] = {
    "date": None,
    "year": None,
    "quarter": (1, 4),
    "month": (1, 12),
    "weekday": (1, 7),  # Monday is 1, as in ISO 8601
    "hour": (0, 23),
}
_NAMES = {"month": _MONTHS.split(), "weekday": _DAYS.split()}
_DIRECTIVES = {
    "%Y": r"(?P<year>[0-9]{4})",
    "%m": r"(?P<month>[0-9]{1,2})",
    "%d": r"(?P<day>[0-9]{1,2})",
    "%H": r"(?P<hour>[0-9]{1,2})",
    "%M": r"(?P<minute>[0-9]{1,2})",
    "%S": r"(?P<second>[0-9]{1,2})(?:\.[0-9]+)?",
}
_ISO = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"(?:[ T](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:\.(?P<rest>[0-9]+))?)?(?P<zone> ?(?:Z|UTC)"
    r"| ?(?P<sign>[+-])(?P<east>[01][0-9]|2[0-3])(?::?(?P<east_minute>[0-5][0-9])"
    r"(?::?(?P<east_second>[0-5][0-9]))?)?)?)?"
)
_FIRST = datetime(1, 1, 1)
DAY = 86_400  # seconds
DAYS_TO_1970 = 719_162  # from the year 1
SECONDS = 3_652_059 * DAY  # of the years 1 to 9999
#: Texts that a declared format must not read otherwise than ISO 8601 does.
_EXAMPLES = ("2003-02-01", "2003-02-01 04:05", "2003-02-01T04:05:06")


def _iso_moment(written: str) -> tuple[int, str, bool] | None:
    """Return the seconds of an ISO text since the year 1, the rest of one, whether it has a zone.

    The seconds of a text with a zone are those of UTC.
    """
    match = _ISO.fullmatch(written)
    if match is None:
        return None
    seconds = _seconds_of(match.groupdict())
    if seconds is None:
        return None
    if match["sign"]:
        east = [int(match[part] or 0) for part in ("east", "east_minute", "east_second")]
        shift = 3600 * east[0] + 60 * east[1] + east[2]
        seconds -= shift if match["sign"] == "+" else -shift
    return seconds, (match["rest"] or "").rstrip("0"), bool(match["zone"])


def _seconds_of(parts: Mapping[str, str | None]) -> int | None:
    """Return the seconds since the year 1, or None where the parts are no date."""
    names = ("year", "month", "day", "hour", "minute", "second")
    given = {name: int(parts.get(name) or 0) for name in names if parts.get(name) is not None}
    try:
        since = datetime(**{"month": 1, "day": 1, **given}) - _FIRST  # type: ignore[arg-type]
    except ValueError:  # the 31st of February
        return None
    return since.days * DAY + since.seconds


@dataclass(frozen=True)
class Calendar:
    """How the cells of a column of dates are read.

    Examples
    --------
    >>> month = Calendar("month", "%d.%m.%Y")
    >>> [month.value(cell) for cell in ("24.12.2025", "2025-11-24", "24/12/2025")]
    [12, 11, None]
    >>> Calendar().shown(Calendar().value("2025-12-24T18:30"))
    '2025-12-24 18:30'
    >>> hours = [Calendar("hour", zone=zone) for zone in ("UTC", "Asia/Kolkata")]
    >>> [hour.value("2025-12-24 18:30+01:00") for hour in hours]
    [17, 23]
    """

    by: str = "date"
    form: str = ""
    zone: str = "UTC"

    def moment(self, written: str) -> int | None:
        """Return the seconds of a text since the year 1 in the schema's zone, or None."""
        match = self._pattern.fullmatch(written) if self.form else None
        if match is not None:
            parts = match.groupdict()
            return None if self.by == "hour" and "hour" not in parts else _seconds_of(parts)
        iso = _iso_moment(written)
        if iso is None or (self.by == "hour" and len(written) == len("2020-01-31")):
            return None
        local = self.local(iso[0]) if iso[2] else iso[0]
        return local if 0 <= local < SECONDS else None

    def local(self, seconds: int) -> int:
        """Return the seconds in the schema's zone of those in UTC; -1 beyond the calendar."""
        if self._zone is None:
            return seconds
        try:
            there = (_FIRST + timedelta(seconds=seconds)).replace(tzinfo=UTC)
            since = there.astimezone(self._zone).replace(tzinfo=None) - _FIRST
        except OverflowError:
            return -1
        return since.days * DAY + since.seconds

    def value(self, written: str) -> int | None:
        """Return what a text is worth as a date, or None where it is none."""
        moment = self.moment(written)
        return None if moment is None else int(self.part(np.array([moment]))[0])

    def part(self, moments: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the parts of moments that bins are about."""
        if self.by == "date":
            return moments
        if self.by == "hour":
            return moments % DAY // 3600
        days = moments // DAY
        if self.by == "weekday":  # the year 1 began with a Monday
            return days % 7 + 1
        months = (days - DAYS_TO_1970).astype("datetime64[D]").astype("datetime64[M]")
        since = months.astype(np.int64)
        if self.by == "year":
            return since // 12 + 1970
        return since % 12 // 3 + 1 if self.by == "quarter" else since % 12 + 1

    def shown(self, value: float) -> str:
        """Return a value in words: ``2025-12-24``, ``December``, ``Sunday``, ``18``."""
        whole = int(value)
        if self.by == "date":
            moment = (_FIRST + timedelta(seconds=whole)).isoformat(" ")
            return moment.removesuffix(" 00:00:00").removesuffix(":00")
        if self.by in _NAMES:
            return _NAMES[self.by][whole - 1]
        return f"{whole:04}" if self.by == "year" else str(whole)

    def label(self, name: str) -> str:
        """Return what a column is called in rules: ``admitted``, ``month of admitted``."""
        return name if self.by == "date" else f"{self.by} of {name}"

    def span(self, first: int, last: int) -> str:
        """Return parts of dates from the first to the last: ``Jan to Mar``, ``Sun``, ``2``."""
        ends = (self.shown(value) for value in (first, last))
        return " to ".join(dict.fromkeys(end[:3] if self.by in _NAMES else end for end in ends))

    def edges(self, caller: str, bins: object) -> list[int]:
        """Return public edges: of cut dates their seconds, else whole numbers of the part."""
        limits = PARTS[self.by]
        if bins is None:
            assert limits is not None
            return list(range(limits[0] + 1, limits[1] + 1))
        hint = 'Example: ["2020-01-01", "2021-07-01"].' if self.by == "date" else ""
        if not isinstance(bins, Sequence) or isinstance(bins, str):
            raise parameter_error(caller, "bins", "a list", bins, hint)
        return [self._edge(caller, edge, hint) for edge in bins]

    def _edge(self, caller: str, edge: object, hint: str) -> int:
        if self.by == "date":
            if isinstance(edge, date):  # as TOML has them
                edge = edge.isoformat()
            found = Calendar().value(edge) if isinstance(edge, str) else None
            if found is None:
                raise parameter_error(caller, "bins", "dates such as 2020-01-31", edge, hint)
            return found
        low, high = PARTS[self.by] or (1, 9999)
        if isinstance(edge, bool) or not isinstance(edge, int) or not low < edge <= high:
            constraint = f"whole numbers from {low + 1} to {high}"
            raise parameter_error(caller, "bins", constraint, edge)
        return edge

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        parts = re.split(r"(%.)", self.form)
        return re.compile("".join(_DIRECTIVES.get(part) or re.escape(part) for part in parts))

    @cached_property
    def _zone(self) -> ZoneInfo | None:
        return None if self.zone == "UTC" else ZoneInfo(self.zone)

    @classmethod
    def of(cls, caller: str, by: object, form: object, zone: object = None) -> Calendar:
        """Check what a schema declares."""
        if not isinstance(by, str) or by not in PARTS:
            raise parameter_error(caller, "by", f"one of {', '.join(PARTS)}", by)
        named = "UTC" if zone is None else zone
        try:
            known = isinstance(named, str) and (named == "UTC" or bool(ZoneInfo(named)))
        except (ValueError, OSError, ZoneInfoNotFoundError):
            known = False
        if not known:
            raise parameter_error(
                caller, "zone", "UTC, or a time zone such as Europe/Berlin", zone,
                "Where the system has no time zones: pip install tzdata.",
            )  # fmt: skip
        if form is None:
            return cls(by, zone=str(named))
        asked = re.findall(r"%.?", form) if isinstance(form, str) else []
        needed = {"date": {"%Y"}, "weekday": {"%Y", "%m", "%d"}, "quarter": {"%m"}}.get(
            by, {{"year": "%Y", "month": "%m", "hour": "%H"}.get(by, "%Y")}
        )
        if (
            not isinstance(form, str)
            or not set(asked) <= set(_DIRECTIVES)
            or len(set(asked)) < len(asked)
            or not needed | {"%Y"} <= set(asked)
        ):
            constraint = (
                f"a text with {', '.join(sorted(needed | {'%Y'}))}, and no more than "
                f"{', '.join(_DIRECTIVES)}, each once"
            )
            raise parameter_error(caller, "format", constraint, form, 'Example: "%d.%m.%Y".')
        made = cls(by, form, str(named))
        for iso in _EXAMPLES:
            match = made._pattern.fullmatch(iso)
            if match and _seconds_of(match.groupdict()) != cast(Any, _iso_moment(iso))[0]:
                hint = "Texts such as 2020-01-02 are always read as ISO 8601."
                raise parameter_error(caller, "format", "not in conflict with ISO 8601", form, hint)
        return made


# -- How tables are written in files: declared in public, never guessed from the records.
#
# A separator, a decimal sign or an encoding that is guessed from the cells would let one record
# change how all others are read. So a CSV file is read with commas, decimal points and UTF-8,
# unless another format is declared: ``--csv "sep=;, decimal=comma, encoding=latin-1"``, a
# ``[csv]`` table of the schema, or ``csv=...`` in Python. Files of other programs are refused,
# with a command that converts them cell by cell.


CSV, PARQUET = (".csv", ".tsv"), (".parquet", ".pq")

_SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
#: In these a line feed is one unit that no other character contains, so that lines stay apart
#: whatever a line holds; and every unit has at most two bytes.
_SINGLE = ("iso8859-1", "iso8859-2", "iso8859-9", "iso8859-15", "ascii", "koi8-r")
_ENCODINGS = ("utf-8", "utf-16", "utf-16-le", "utf-16-be", *_SINGLE)
_EXAMPLE = 'Example: "sep=;, decimal=comma, encoding=latin-1".'


@dataclass(frozen=True)
class CsvFormat:
    r"""The declared format of a CSV file.

    Examples
    --------
    >>> form = CsvFormat.parse("sep=tab, decimal=comma, encoding=cp1252")
    >>> form.separator, form.decimal, form.encoding
    ('\t', 'comma', 'cp1252')
    >>> str(form), str(CsvFormat())
    ('sep=tab, decimal=comma, encoding=cp1252', '')
    """

    separator: str | None = None
    decimal: str = "point"
    encoding: str = "utf-8"
    quote: str | None = '"'
    quoted_line_breaks: bool = False
    header_is_public: bool = False

    @classmethod
    def parse(cls, declared: CsvFormat | str | Mapping[str, Any], caller: str = "csv") -> CsvFormat:
        """Read a format as it is typed, or as it is in a schema."""
        if isinstance(declared, CsvFormat):
            return declared
        if isinstance(declared, str):
            given = _typed(declared, caller)
        elif isinstance(declared, Mapping):
            given = dict(declared)
        else:
            raise parameter_error(caller, "csv", "a text or a table of keys", declared, _EXAMPLE)
        found: dict[str, Any] = {}
        for key, value in given.items():
            if key not in _KEYS:
                constraint = f"keys among {', '.join(_KEYS)}"
                raise parameter_error(caller, "csv", constraint, key, _EXAMPLE)
            field, read = _KEYS[key]
            found[field] = read(caller, key, value)
        form = cls(**found)
        if form.quote is None and form.quoted_line_breaks:
            raise parameter_error(
                caller, "csv", "a format with a quote, for quoted-line-breaks", "quote=none"
            )
        if form.separator == '"' or (form.separator and form.separator == form.quote):
            raise parameter_error(
                caller, "csv", "a format whose sep and quote differ", form.separator
            )
        return form

    def to_dict(self) -> dict[str, str]:
        """Return what differs from the usual format, with the keys that `parse` reads."""
        words = {character: word for word, character in _SEPARATORS.items() if word != "semicolon"}
        separator = self.separator or ""
        shown = {
            "sep": words.get(separator, separator), "decimal": self.decimal,
            "encoding": self.encoding, "quote": self.quote or "none",
            "quoted-line-breaks": "yes", "header": "public",
        }  # fmt: skip
        usual = CsvFormat()
        differs = {key: getattr(self, f) != getattr(usual, f) for key, (f, _) in _KEYS.items()}
        return {key: written for key, written in shown.items() if differs[key]}

    def __str__(self) -> str:
        return ", ".join(f"{key}={value}" for key, value in self.to_dict().items())


def format_of(path: Path) -> str:
    """Return the format that the name of a file says: ``.csv`` also for ``people.csv.gz``."""
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    kind = suffixes[-1] if suffixes else ""
    return suffixes[0] if kind == ".gz" and len(suffixes) == 2 else kind


def conversion(path: Path) -> str | None:
    """Return a command that converts a file of another program, or None if none is known.

    Cells become texts, one by one: a converter that guesses a type for a whole column would let one
    record change the cells of all others.

    Examples
    --------
    >>> print(conversion(Path("t.ods")))
    python -c "import pandas; pandas.read_excel('t.ods', dtype=str).to_parquet('t.parquet')"
    """
    kind = path.suffix.lower()
    source, target = str(path), str(path.with_suffix(".parquet"))
    for kinds, read in _PANDAS:
        if kind in kinds:
            call = read.format(repr(source))
            return f'python -c "import pandas; pandas.{call}.to_parquet({target!r})"'
    for others, command in _COMMANDS:
        if kind in others:
            return command.format(source=source, bare=str(path.with_suffix("")))
    return None


_PANDAS = (
    ((".xlsx", ".xls", ".xlsm", ".xlsb", ".ods"), "read_excel({}, dtype=str)"),
    ((".sas7bdat", ".xpt"), "read_sas({}, encoding='latin-1')"),
    ((".dta",), "read_stata({}, convert_categoricals=False)"),
    ((".sav", ".por"), "read_spss({}, convert_categoricals=False)"),
    ((".feather", ".arrow"), "read_feather({})"),
    ((".orc",), "read_orc({})"),
    ((".jsonl", ".ndjson"), "read_json({}, lines=True, dtype=False)"),
    ((".json",), "read_json({}, dtype=False)"),
)
_COMMANDS = (
    ((".zip",), "unzip {source}"),
    ((".bz2",), "bunzip2 {source}"),
    ((".xz",), "unxz {source}"),
    ((".zst",), "unzstd {source}"),
    (
        (".db", ".sqlite", ".sqlite3"),
        "sqlite3 -header -csv {source} 'SELECT * FROM t' > {bare}.csv",
    ),
    ((".rds",), "Rscript -e \"write.csv(readRDS('{source}'), '{bare}.csv', row.names=FALSE)\""),
)


def _typed(declared: str, caller: str) -> dict[str, str]:
    """Take "sep=;, decimal=comma" apart; a comma may itself be a value."""
    given: dict[str, str] = {}
    for part in re.split(r",\s*(?=[a-z-]+\s*=)", declared.strip()) if declared.strip() else ():
        key, equals, value = part.partition("=")
        if not equals or key.strip() in given:
            constraint = "different keys with their values, separated by commas"
            raise parameter_error(caller, "csv", constraint, declared, _EXAMPLE)
        given[key.strip()] = value.strip() or value[:1]
    return given


def _character(caller: str, key: str, value: object) -> str | None:
    if key == "quote" and value == "none":
        return None
    found = _SEPARATORS.get(value, value) if isinstance(value, str) else value
    if not isinstance(found, str) or len(found) != 1 or not found.isascii() or found in "\r\n\0":
        constraint = (
            f"a format whose {key} is one ASCII character, or one of {', '.join(_SEPARATORS)}"
        )
        raise parameter_error(caller, "csv", constraint, value, _EXAMPLE)
    return found


def _encoding(caller: str, key: str, value: object) -> str:
    """Return Python's name of an encoding in which lines stay apart."""
    try:
        name = codecs.lookup(value if isinstance(value, str) else "").name
    except (LookupError, ValueError):
        name = ""
    if name not in _ENCODINGS and not re.fullmatch(r"cp125[0-8]", name):
        hint = "Convert the file first: iconv -f OLD -t UTF-8 OLD.csv > NEW.csv"
        constraint = (
            f"a format whose {key} is one of utf-8, utf-16, latin-1, iso8859-2, iso8859-9, "
            "iso8859-15, koi8-r, windows-1250 to windows-1258"
        )
        raise parameter_error(caller, "csv", constraint, value, hint)
    return "utf-8" if name == "ascii" else name


def _word(**values: Any) -> Callable[[str, str, object], Any]:
    """Return the rule for a key that is one of these words, or already a value."""

    def read(caller: str, key: str, value: object) -> Any:
        if isinstance(value, bool) and value in values.values():
            return value
        if not isinstance(value, str) or value not in values:
            constraint = f"a format whose {key} is one of {', '.join(values)}"
            raise parameter_error(caller, "csv", constraint, value, _EXAMPLE)
        return values[value]

    return read


_Reader = Callable[[str, str, object], Any]
#: What each key is called in `CsvFormat`, and how its value is read.
_KEYS: dict[str, tuple[str, _Reader]] = {
    "sep": ("separator", _character),
    "decimal": ("decimal", _word(point="point", comma="comma")),
    "encoding": ("encoding", _encoding),
    "quote": ("quote", _character),
    "quoted-line-breaks": ("quoted_line_breaks", _word(yes=True, no=False)),
    "header": ("header_is_public", _word(public=True, private=False)),
}


# -- Public lists of labels: their order gives the codes 0, ..., k - 1; k is what equals none.


Counts = npt.NDArray[np.int64]

#: The labels of a class that lists none: 0 and 1.
BINARY: tuple[Label, ...] = (0, 1)

_MOST = 100


def check_labels(caller: str, labels: Any) -> tuple[Label, ...]:
    """Return a public list of labels, or refuse it.

    Examples
    --------
    >>> check_labels("doctest", ["setosa", "virginica"])
    ('setosa', 'virginica')
    >>> check_labels("doctest", [False, True]), check_labels("doctest", [b"no", b"yes"])
    ((False, True), ('no', 'yes'))
    """
    rule = f"a list of 2 to {_MOST} different labels: texts, integers or booleans"
    hint = 'For example ["a", "b", "c"]: the order gives the codes. It is public.'
    ordered = hasattr(labels, "__iter__") and not isinstance(labels, str | bytes | Set)
    listed = labels if ordered else []
    found = [label.item() if isinstance(label, np.generic) else label for label in listed]
    if {type(label) for label in found} == {bytes}:  # as cells, they are texts
        found = [text(label) for label in found]
    kinds = {type(label) for label in found}
    if kinds not in ({str}, {int}, {bool}) or not 2 <= len(found) <= _MOST:
        raise parameter_error(caller, "labels", rule, labels, hint)
    try:
        Match(*found)
    except ValueError:
        raise parameter_error(caller, "labels", f"{rule}, none missing", labels, hint) from None
    return tuple(found)


def label_values(y: Any, caller: str) -> npt.NDArray[Any]:
    """Return the labels of an array in one dimension, whatever they are.

    Examples
    --------
    >>> label_values([["a"], ["b"]], "doctest").tolist()
    ['a', 'b']
    """
    try:
        values = np.asarray(y)
    except ValueError:
        raise DataError(f"The labels given to {caller} must be values, not lists.") from None
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        hint = "Give a list or an array with one label for each record."
        raise parameter_error(caller, "y", "of shape (n,)", f"{values.ndim} dimensions", hint)
    return values


def codes_of(y: Any, labels: Sequence[Label], caller: str) -> Counts:
    """Return the codes of an array whose values are all among the public labels.

    Examples
    --------
    >>> codes_of(["b", "a"], ("a", "b", "c"), "doctest").tolist()
    [1, 0]
    """
    values = label_values(y, caller)
    codes = np.full(len(values), len(labels), dtype=np.int64)
    for code, label in enumerate(labels):
        codes[equal(values, label)] = code
    if (codes == len(labels)).any():
        raise DataError(
            f"Every label given to {caller} must be one of the public labels {list(labels)}. Some "
            "label is not. The list (classes=, or labels= of a class) is not learned from the data."
        )
    return codes


def equal(values: npt.NDArray[Any], label: Any) -> npt.NDArray[np.bool_]:
    """Return which values equal a public label; what cannot be compared (pandas.NA) does not.

    Examples
    --------
    >>> equal(np.array([1, None, "1"], dtype=object), 1).tolist()
    [True, False, False]
    """
    try:
        found = np.asarray(values == label)
        if found.dtype == bool and found.shape == values.shape:
            return found
    except Exception:  # noqa: S110 - some object's own comparison: its words may quote it
        pass
    return np.fromiter((_equals(value, label) for value in values), np.bool_, len(values))


def _equals(value: Any, label: Any) -> bool:
    try:
        return bool(value == label)
    except Exception:
        return False
