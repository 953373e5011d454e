"""A schema by questions: about each column's name and declared type, never about a cell.

`Questions` asks for what everybody knows (bounds, categories, a unit, how dates are written),
checks each answer, and asks again with the reason where it is none. Where answers come from is the
caller's.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import pyarrow as pa

from littlestone.data.calendar import PARTS
from littlestone.data.columns import Column
from littlestone.data.schema import column_toml, suggest, toml_key
from littlestone.errors import ParameterError

__all__ = ["Questions"]

_T = TypeVar("_T")
_BINS = 8  # of a number, if nothing is said
_DIGITS = 3  # of cut points between bounds
_KINDS = {"n": "numbers", "c": "categories", "d": "dates"}


class Questions:
    """Questions about columns, one after the other.

    Parameters
    ----------
    answer : callable
        Puts a question and returns what was answered, one line.
    tell : callable
        Says why an answer was none.

    Examples
    --------
    >>> answers = iter(["", "", "18 to 90", "4", "years", "?"])
    >>> ask = Questions(lambda question: next(answers), print)
    >>> print(ask.column("age", pa.int64()), end="")
    # years
    [age]
    bins = [36, 54, 72]
    missing = ["?"]
    """

    def __init__(self, answer: Callable[[str], str], tell: Callable[[str], None]) -> None:
        self._answer, self._tell = answer, tell
        self.used = 0

    def label(self, names: Sequence[str]) -> str | None:
        """Ask which column is the label; None: no column."""

        def read(said: str) -> str | None:
            if said and said not in names:
                raise ParameterError(f"The table has no column {said!r}.{suggest(said, names)}")
            return said or None

        return self._asked("Which column is the label? (none)", read)

    def column(self, name: str, kind: Any) -> str:
        """Ask about one column, and return its part of a schema, as TOML.

        Parameters
        ----------
        name : str
        kind : DataType or None
            The declared type; a CSV file declares none.
        """
        key = toml_key(name)
        declared = "" if kind is None else f" ({'texts' if _textual(kind) else kind})"
        if not self._asked(f"{key}{declared}: is this column used? yes/no (yes)", _yes):
            return f"# [{key}] is not used.\n"
        self.used += 1
        if kind is not None and pa.types.is_boolean(kind):
            return column_toml(Column.of(name, ["false", "true"]))
        usual = _usual(kind)
        what = self._asked(
            f"  What does it hold: numbers, categories or dates?{f' ({usual})' if usual else ''}",
            lambda said: _one_of(said or usual, _KINDS),
        )
        if what == "dates":
            return column_toml(self._dates(name, _is_dates(kind)))
        if what == "numbers":
            return self._numbers(name)
        categories = self._asked(
            "  Which categories, separated by commas? Every other text is 'other'.",
            lambda said: Column.of(name, _texts(said)),
        ).categories
        return column_toml(self._with_missing(lambda texts: Column.of(name, categories, texts)))

    def _numbers(self, name: str) -> str:
        ends = self._asked(
            "  From which number to which (18 to 90), or cut points (20, 40, 60)? What everybody "
            "knows, not what the records say.",
            lambda said: _ends_or_cuts(name, said),
        )
        if isinstance(ends, tuple):
            low, high = ends
            bins = self._asked(
                f"  How many bins, or 'each' for one at each whole number? ({_BINS})",
                lambda said: _between(name, low, high, said),
            )
        else:
            bins = ends
        unit = self._asked("  In which unit? It stands beside the column. (none)", _line)
        column = self._with_missing(lambda texts: Column.bins(name, list(bins.edges or ()), texts))
        return (f"# {unit}\n" if unit else "") + column_toml(column)

    def _dates(self, name: str, of_dates: bool) -> Column:
        def written(said: str) -> str:
            Column.dates(name, by="month", form=said or None)
            return said

        form = None
        if not of_dates:
            question = "  How are dates written, for example %d.%m.%Y? (ISO 8601: 2020-12-31)"
            form = self._asked(question, written) or None
        by = self._asked(
            f"  Bins by {', '.join([*PARTS][:-1])} or {[*PARTS][-1]}? (date)",
            lambda said: _one_of(said or "date", {part: part for part in PARTS}),
        )
        bins: list[Any] | None = None
        if PARTS[by] is None:
            example = "2020-01-01, 2021-07-01" if by == "date" else "2000, 2010"
            bins = self._asked(
                f"  Cut points, for example {example}?", lambda said: _cuts(name, by, form, said)
            )
        return self._with_missing(lambda texts: Column.dates(name, bins, texts, by=by, form=form))

    def _with_missing(self, made: Callable[[list[str]], Column]) -> Column:
        question = "  Texts that mean 'not known', besides empty cells, separated by commas? (none)"
        return self._asked(question, lambda said: made(_texts(said)))

    def _asked(self, question: str, read: Callable[[str], _T]) -> _T:
        """Ask until there is an answer that can be used."""
        while True:
            try:
                return read(self._answer(question).strip())
            except ParameterError as problem:
                self._tell(str(problem))


def _textual(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_dates(kind: Any) -> bool:
    return kind is not None and bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def _usual(kind: Any) -> str:
    """Return what a column of a declared type holds mostly; of a CSV file nobody says."""
    if kind is None:
        return ""
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return "numbers" if numeric else "dates" if _is_dates(kind) else "categories"


def _yes(said: str) -> bool:
    return _one_of(said or "yes", {"y": "yes", "n": "no"}) == "yes"


def _one_of(said: str, known: dict[str, str]) -> str:
    """Return one of several words, by its beginning."""
    found = [word for word in known.values() if said and word.startswith(said.lower())]
    exact = [word for word in found if word == said.lower()]
    if len(exact or found) != 1:
        raise ParameterError(f"Answer one of: {', '.join(known.values())}.")
    return (exact or found)[0]


def _line(said: str) -> str:
    if not said.isprintable():
        raise ParameterError("Answer with characters that can be printed.")
    return said


def _texts(said: str) -> list[str]:
    """Return texts that are separated by commas; one that holds a comma stands in quotes."""
    if not said:
        return []
    try:
        (row,) = csv.reader([_line(said)], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        raise ParameterError('A quote is not closed. Write a, b, or "a, b", c.') from None
    return [text.strip() for text in row]


def _number(said: str) -> int | float:
    try:
        value = float(said)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ParameterError(f"{said!r} is no number. Write 18 to 90, or 20, 40, 60.")
    return int(value) if value == int(value) else value


def _ends_or_cuts(name: str, said: str) -> tuple[int | float, int | float] | Column:
    """Return two bounds, or the column of cut points."""
    parts = said.split(" to ")
    if len(parts) != 2:
        return Column.bins(name, [_number(part.strip()) for part in said.split(",")])
    low, high = (_number(part.strip()) for part in parts)
    if low >= high:
        raise ParameterError("The first number must be less than the second: 18 to 90.")
    return low, high


def _between(name: str, low: float, high: float, said: str) -> Column:
    """Return bins of equal width between two bounds; what lies beyond them is in the outer ones."""
    if said.lower() == "each":
        return Column.integers(name, [low, high])
    if said and not (said.isascii() and said.isdigit() and 2 <= int(said) <= 1000):
        raise ParameterError("Answer with a whole number from 2 to 1000, or 'each'.")
    bins = int(said or _BINS)
    exact = [Fraction(low) + (Fraction(high) - Fraction(low)) * k / bins for k in range(1, bins)]
    if isinstance(low, int) and isinstance(high, int) and high - low >= bins:
        edges: set[float] = {math.ceil(edge) for edge in exact}
    else:
        width = (Fraction(high) - Fraction(low)) / bins
        places = _DIGITS - 1 - math.floor(math.log10(width))
        edges = {float(round(edge, places)) for edge in exact}
    return Column.bins(name, sorted(edges))


def _cuts(name: str, by: str, form: str | None, said: str) -> list[Any]:
    parts = [part.strip() for part in said.split(",")] if said else []
    cuts: list[Any] = [*parts]
    if by != "date":
        cuts = [_number(part) for part in parts]
    Column.dates(name, cuts or None, by=by, form=form)
    return cuts
