"""The public rules for one cell: what it says as a text, and as a number.

A cell is converted *alone*: never by looking at its neighbours (a column that is retyped because
of one odd cell would tell everyone that the odd cell exists). And it is converted *totally*:
nothing in a table can make a rule fail. Two functions are the whole grammar:

`text`
    How any value is written. White space around it is not part of a cell; an empty text, a null
    and a NaN are *missing*; a whole number is its digits (3, 3.0 and Decimal("3.00") are all
    ``"3"``), another number its shortest form, a boolean ``"true"`` or ``"false"``, bytes are
    UTF-8 (what is not becomes the replacement character), dates ISO, of the years 1 to 9999. A
    value of any other type (a list, a duration, an object) is missing, and so is a text of more
    than 65,536 characters.
`number`
    What a text is worth. ``"12"``, ``" +12.0"``, ``"1.2e1"`` are the integer 12, *exactly* and at
    any size; ``"2.5"`` is the nearest float; ``"true"`` is 1, ``"false"`` is 0 (any case), so that
    a boolean column and its copy in a CSV file agree; ``"inf"`` and ``"nan"`` are themselves;
    everything else (``"1,000"``, ``"0x10"``, ``"1_000"``) is no number.
"""

from __future__ import annotations

import math
import numbers
import re
from datetime import date, time
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.errors import DataError

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
    if isinstance(raw, np.datetime64):
        return _numpy_date(raw)
    if isinstance(raw, np.timedelta64):
        return None
    if isinstance(raw, np.generic):
        raw = raw.item()
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
        return date_text(str(raw))
    return None


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
        "users or hide missing ones. pandas makes floats of integers where one is missing: read "
        'them as "Int64" (pd.read_csv(path, dtype={"user": "Int64"})) or as texts (dtype=str); '
        "floats that were made already cannot be undone."
    )


class Match:
    """The label rule: a record is positive when its label cell equals one public value.

    Equal means the same number (``"1"``, 1, 1.0 and True all equal 1; so does ``"yes"``, and
    ``"no"`` equals 0) or the same text. A missing cell equals nothing, so its record has label 0.

    Examples
    --------
    >>> positive = Match(1)
    >>> [positive(v) for v in ("1", 1, 1.0, True, " 1.0 ", "true", "Yes", None, 0)]
    [True, True, True, True, True, True, True, False, False]
    """

    def __init__(self, value: object) -> None:
        written = text(value)
        if written is None or written.lower() == "nan":
            raise ValueError("nothing equals a missing value")
        self._text = written
        #: What the public value is worth, if it is a number.
        self.value = number(written)

    @property
    def numeric(self) -> bool:
        """Whether the public value is a number."""
        return self.value is not None

    def __call__(self, raw: object) -> bool:
        """Return whether a raw cell equals the public value."""
        written = text(raw)
        if written is None:
            return False
        if written == self._text:
            return True
        return self.value is not None and self.value in (number(written), _worth(written))

    def integers(self, values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Return which whole numbers (or booleans, as 0 and 1) equal the public value."""
        kind = np.iinfo(values.dtype)
        if isinstance(self.value, int) and kind.min <= self.value <= kind.max:
            return np.asarray(values == self.value)
        return np.zeros(len(values), dtype=bool)


def _worth(written: str) -> int | None:
    """Return the label that an answer is worth."""
    return {"yes": 1, "no": 0}.get(written.lower())


def digits(value: int) -> str:
    """Return an integer in decimal; one beyond `MAX_DIGITS` digits is written ``inf``.

    Examples
    --------
    >>> digits(-12), len(digits(10**9999)), digits(10**500_000)
    ('-12', 10000, 'inf')
    """
    if value.bit_length() < 3 * _SAFE:
        return str(value)
    if value < 0:
        return "-" + digits(-value)
    if value.bit_length() > 3.32193 * MAX_DIGITS:  # log2(10), rounded up
        return "inf"
    half = int(value.bit_length() * 0.30103) // 2
    high, low = divmod(value, 10**half)
    return digits(high) + digits(low).rjust(half, "0")


def _integer(figures: str) -> int:
    """Return the integer with these digits, also beyond Python's guard on their number."""
    if len(figures) <= _SAFE:
        return int(figures)
    half = len(figures) // 2
    shift: int = 10**half
    return _integer(figures[:-half]) * shift + _integer(figures[-half:])


def _infinity(sign: str) -> float:
    return -math.inf if sign == "-" else math.inf


def _unicode(written: str) -> str:
    """Return a text as UTF-8 can hold it: half of a surrogate pair is no character."""
    if written.isascii():
        return str(written)
    return written.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


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
