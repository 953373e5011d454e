"""Every error of the library, and the checks of public parameters.

An error is a small lesson: what was asked, what was given, what to do next. Messages may show
*public parameters* only. They never show a cell, a row, a label or a count of the data, because
a message is a release (DESIGN: threat model).

::

    LittlestoneError
    ├── ParameterError     a public argument is wrong (also a ValueError)
    ├── DataError          data refused: names column and rule, never a value (a ValueError)
    ├── UnsupportedError   this class lacks what this learner needs (also a TypeError)
    ├── InfeasibleError    n is too small for the asked certificate; carries ``n_needed``
    ├── StoppedError       a call ended after its first part, whose cost stays spent
    ├── BudgetError        a privacy budget does not allow this; nothing was spent
    ├── StoreError         a durable file cannot be used; carries a ``reason``
    ├── StateError         a call out of order: the mechanism has halted (also a RuntimeError)
    └── SearchLimitError     an exact search used up its nodes; carries bounds
"""

from __future__ import annotations

import difflib
import math
import numbers
import os
import re
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

_LONGEST = 400  # characters of a number that was typed
_DIGITS = 3  # of its exponent
_LARGEST = Fraction(sys.float_info.max)
LEAST = Fraction(1, 10**300)  # what doubles are proposed from must not vanish
_KEYS = re.compile(r"(?:password|passwd|pwd)=", re.IGNORECASE)
_BETWEEN_WORDS = re.compile(r"([\s'\"]+)")
_HIDDEN = "(it may hold a password)"
_WIDEST = 4096  # bits of an integer that is still written out


class LittlestoneError(Exception):
    """Base of all errors raised on purpose by this library."""


class NotPrivateWarning(UserWarning):
    """What was asked for is less private than it may look, or not private at all."""


class ParameterError(LittlestoneError, ValueError):
    """A public parameter is outside its range."""


class DataError(LittlestoneError, ValueError):
    """Data that strict reading refuses; names the column and the rule, never a value."""


class UnsupportedError(LittlestoneError, TypeError):
    """A concept class does not offer what an algorithm needs."""


class InfeasibleError(LittlestoneError):
    """The public number of records is too small for the certificate that was required."""

    def __init__(self, message: str, *, n_needed: int) -> None:
        super().__init__(message)
        self.n_needed = n_needed


class StoppedError(LittlestoneError):
    """A call ended after its first part: what was paid stays spent, and nothing else was drawn."""


class BudgetError(LittlestoneError):
    """A privacy budget does not allow what was asked: nothing was drawn, nothing was spent."""


class StoreError(LittlestoneError):
    """A durable file (a ledger, the state of a stream) cannot be created, opened or written.

    ``reason`` is a word or two for programs: ``"locked"``, ``"full"``, ``"readonly"``,
    ``"damaged"``, ...
    """

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class StateError(LittlestoneError, RuntimeError):
    """A call out of order, for example a question after a mechanism has halted (publicly)."""


class SearchLimitError(LittlestoneError):
    """An exact search stopped at its limit; the answer lies in [lower, upper]."""

    def __init__(
        self,
        lower: float,
        upper: float,
        nodes: int,
        what: str = "The answer",
    ) -> None:
        super().__init__(
            f"{what} lies between {lower} and {upper}; the search stopped after {nodes} nodes. "
            "Raise max_nodes to decide it."
        )
        self.lower, self.upper, self.nodes = lower, upper, nodes


def parameter_error(
    caller: str, name: str, constraint: str, value: object, hint: str = ""
) -> ParameterError:
    """Return the error in the library's one grammar (``value`` must be public).

    Examples
    --------
    >>> print(parameter_error("plan", "alpha", "in (0, 1)", 2, "Try 0.1."))
    The 'alpha' parameter of plan must be in (0, 1). Got 2. Try 0.1.
    """
    message = f"The {name!r} parameter of {caller} must be {constraint}. Got {_shown(value)}."
    return ParameterError(f"{message} {hint}".rstrip())


def without_passwords(text: str) -> str:
    """Return a text without what looks like a URL with a password, well written or not.

    Examples
    --------
    >>> print(without_passwords("No such file: 'postgresql:/me:secret@host/db'."))
    No such file: '(it may hold a password)'.
    """
    words = _BETWEEN_WORDS.split(text)
    return "".join(_HIDDEN if _holds_password(word) else word for word in words)


def _holds_password(text: str) -> bool:
    """Return whether a text could be a URL with a password: scheme:/user:password@host."""
    return "@" in text.partition(":")[2] or _KEYS.search(text) is not None


def _shown(value: object) -> str:
    """Return the repr of a public value; Python refuses to print enormous integers."""
    if isinstance(value, str | os.PathLike) and _holds_password(str(value)):
        return _HIDDEN
    if isinstance(value, int) and value.bit_length() > _WIDEST:
        return f"an integer of {value.bit_length()} bits"
    return str(value) if isinstance(value, Fraction) else repr(value)


def check_fraction(caller: str, name: str, value: Any, *, hint: str = "") -> Fraction:
    """Return a positive finite number as the exact fraction of what was typed.

    A float is read by its shortest decimal form: ``0.1`` means one tenth.

    Examples
    --------
    >>> check_fraction("fit", "epsilon", 0.1)
    Fraction(1, 10)
    """
    exact = exact_value(value)
    if exact is None or not LEAST <= exact <= _LARGEST:
        hint = _with_a_point(value) or hint
        constraint = "a number in (0, inf)"
        if exact is not None and exact > 0:
            tiny = exact < LEAST
            constraint = f"at least {float(LEAST):g}" if tiny else f"at most {float(_LARGEST):g}"
        raise parameter_error(caller, name, constraint, value, hint)
    return exact


def _with_a_point(value: Any) -> str:
    """Return how to write a number that has a decimal comma; else nothing.

    Examples
    --------
    >>> _with_a_point("0,5")
    'Write it with a decimal point: 0.5.'
    """
    comma = isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,12},[0-9]{1,12}\s*", value)
    return f"Write it with a decimal point: {value.strip().replace(',', '.')}." if comma else ""


def check_probability(
    caller: str, name: str, value: Any, *, hint: str = "", least: Fraction = Fraction(0)
) -> Fraction:
    """Return a number in (0, 1) as the exact fraction of what was typed.

    Examples
    --------
    >>> check_probability("fit", "delta", "1e-6")
    Fraction(1, 1000000)
    """
    exact = exact_value(value)
    hint = _with_a_point(value) or hint
    if isinstance(value, str) and value.endswith("%"):
        hint = "Write it without %: 5% is 0.05."
    if exact is None or not 0 < exact < 1 or exact < least:
        tiny = exact is not None and 0 < exact < least
        constraint = f"at least {float(least):g}" if tiny else "a number in (0, 1)"
        raise parameter_error(caller, name, constraint, value, hint)
    return exact


def check_integer(
    caller: str, name: str, value: Any, *, low: int | None = None, hint: str = ""
) -> int:
    """Return an integer of any size, at least ``low``; booleans and floats are refused."""
    constraint = "an integer" if low is None else f"an integer >= {low}"
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise parameter_error(caller, name, constraint, value, hint)
    if low is not None and value < low:
        raise parameter_error(caller, name, constraint, value, hint)
    return int(value)


def check_rows(n: int, caller: str) -> None:
    """Refuse a table without rows, where their number is public."""
    if not n:
        raise DataError(f"The table given to {caller} has no rows, so nothing was drawn.")


def exact_value(value: Any) -> Fraction | None:
    """Return the exact value of a public number, or None when it is not a finite number.

    A text that would be an enormous number is None as well, before anything is computed.

    Examples
    --------
    >>> exact_value("1/3"), exact_value("1/0"), exact_value("1e300000")
    (Fraction(1, 3), None, None)
    """
    if isinstance(value, bool):
        return None
    if type(value) is Fraction and type(value.numerator) is type(value.denominator) is int:
        return value
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))  # NumPy's would overflow
    if isinstance(value, numbers.Real):
        return Fraction(repr(float(value))) if math.isfinite(value) else None
    if isinstance(value, str):
        return _exact_text(value)
    return None


def _exact_text(text: str) -> Fraction | None:
    """Read a decimal or a fraction; a text that would be an enormous number is no number."""
    exponent = re.search(r"[eE][+-]?(\d+)$", text.strip())
    if len(text) > _LONGEST or (exponent and len(exponent[1].lstrip("0")) > _DIGITS):
        return None
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def counted(n: int, unit: str) -> str:
    """Return a number of records, users or rows in words.

    Examples
    --------
    >>> counted(1, "records"), counted(30162, "users")
    ('1 record', '30,162 users')
    """
    return f"{n:,} {unit.removesuffix('s') if n == 1 else unit}"


def suggest(name: str, names: Sequence[str]) -> str:
    """Return " Did you mean 'age'?" for a name close to one of the public names, else their list.

    Examples
    --------
    >>> suggest("agee", ["age", "sex"]), suggest("q", ["age", "sex"])
    (" Did you mean 'age'?", ' The known names are: age, sex.')
    """
    close = difflib.get_close_matches(str(name), names, n=1)
    if close:
        return f" Did you mean {close[0]!r}?"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f" The known names are: {shown}." if names else ""
