"""Cells as people write them: ``70 kg``, ``<0.3``, ``M`` beside ``male``.

A column of a schema may say how such cells are read, in TOML::

    [crp]
    bins = [1, 5, 10]
    strip = "mg/l"                       # exactly this unit at the end: "7.2 mg/l" is 7.2
    below = "half"                       # "<0.3" is 0.15; or "limit": 0.3; or "missing"

    [sex]
    categories = ["male", "female"]
    merge = {male = ["M", "m", "1"], female = ["F", "f", "2"]}

As every rule of a schema they are public, and read each cell alone.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from littlestone.data.cells import WHITE, Texts, number, text
from littlestone.errors import parameter_error
from littlestone.types import Json

#: The keys of a column, in the order in which they are applied.
KEYS = ("merge", "strip", "below")
_BELOW = ("half", "limit", "missing")
_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_LIMIT = re.compile(rf"([<>]=?|[≤≥])[{WHITE}]*({_NUMBER})")


@dataclass(frozen=True)
class Cleaning:
    """How the cells of one column are read that are neither a plain number nor a category.

    Attributes
    ----------
    merge : tuple of (str, tuple of str)
        Groups of texts, each with the category or number that a cell of them is.
    strip : str
        The unit at the end of a number; empty for none.
    below : {"", "half", "limit", "missing"}
        What ``<0.3`` is: half of its limit, the limit, or missing. ``>90`` is its limit, or
        missing; so is a limit below 0.

    Examples
    --------
    >>> crp = Cleaning(strip="mg/l", below="half")
    >>> [crp.clean(cell) for cell in ("7.2 mg/l", "<0.3mg/l", ">= 200", "7.2 g/l")]
    ['7.2', '0.15', '200', '7.2 g/l']
    >>> Cleaning(merge=(("male", ("M", "1")),)).clean("1.0")
    'male'
    """

    merge: tuple[tuple[str, tuple[str, ...]], ...] = ()
    strip: str = ""
    below: str = ""

    @classmethod
    def parse(
        cls, name: str, entry: Mapping[str, Any], categories: Sequence[str] | None,
        missing: Sequence[str],
    ) -> Self:  # fmt: skip
        """Check what a schema says of a column with these categories, or of numbers.

        Raises
        ------
        ParameterError
            A text in two groups, a group that is no category, a unit of categories.
        """
        caller = f"column {name!r}"
        merge = _groups(caller, entry.get("merge", {}), categories, missing)
        for key in ("strip", "below"):
            if key in entry and categories is not None:
                hint = "Texts are merged: merge = {kg = ['kgs', 'kilo']}."
                raise parameter_error(
                    caller, key, "of numbers, which have bins", "categories", hint
                )
        unit = entry.get("strip", "")
        if "strip" in entry and (
            not isinstance(unit, str) or not unit.strip(WHITE) or number(unit) is not None
        ):
            hint = 'For example "kg": a cell "70 kg" or "70kg" is then 70.'
            raise parameter_error(caller, "strip", "the text of one unit", unit, hint)
        below = entry.get("below", "")
        if "below" in entry and below not in _BELOW:
            rule = 'one of "half", "limit", "missing"'
            raise parameter_error(caller, "below", rule, below, 'It says what "<0.3" is.')
        return cls(merge, unit.strip(WHITE), below)

    def clean(self, written: str) -> str | None:
        """Return the text that a cell's text is read as; None if it is missing."""
        place = self._merged.place(written)
        if place is not None:
            return self._names[place]
        if number(written) is not None:
            return written
        if self.strip and written.endswith(self.strip):
            written = written.removesuffix(self.strip).rstrip(WHITE)
        limit = _LIMIT.fullmatch(written) if self.below else None
        return written if limit is None else self._at_limit(*limit.groups())

    def _at_limit(self, sign: str, limit: str) -> str | None:
        if self.below == "missing":
            return None
        value = number(limit)
        if self.below == "limit" or sign[0] in ">≥" or value is None or not 0 < value < math.inf:
            return limit
        return text(Fraction(value) / 2)

    @property
    def numeric(self) -> bool:
        """Whether a plain number is in a group."""
        return self._merged.numeric

    @cached_property
    def _merged(self) -> Texts:
        return Texts([written for _, texts in self.merge for written in texts])

    @cached_property
    def _names(self) -> list[str]:
        return [name for name, texts in self.merge for _ in texts]

    def to_dict(self) -> Json:
        """Return plain JSON, as it is in a schema."""
        merge = {name: list(texts) for name, texts in self.merge}
        said = zip(KEYS, (merge, self.strip, self.below), strict=True)
        return {key: value for key, value in said if value}


def _groups(
    caller: str, given: Any, categories: Sequence[str] | None, missing: Sequence[str]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Check ``merge``: each text is in one group, and no category is in any."""
    rule = 'a table of lists of texts, such as {male = ["M", "m"]}'
    if not isinstance(given, Mapping):
        raise parameter_error(caller, "merge", rule, given)
    known, values = Texts(categories or ()), dict[object, str]()
    groups = []
    for key, texts in given.items():
        name = text(key) or ""
        if categories is None and number(name) is None:
            hint = f"A column of bins holds numbers: {{0 = {json.dumps(texts)}}}."
            raise parameter_error(caller, "merge", "groups named by a number", name, hint)
        if categories is not None and name not in categories:
            hint = f"Its categories: {', '.join(categories[:12])}."
            raise parameter_error(caller, "merge", "groups named by a category", name, hint)
        if not isinstance(texts, list | tuple) or not texts or None in map(text, texts):
            raise parameter_error(caller, "merge", rule, {name: texts})
        group = tuple(map(str, map(text, texts)))
        for written in group:
            if known.place(written) is not None:
                hint = "A category stands for itself: delete it from the categories or the group."
                raise parameter_error(caller, "merge", "texts other than categories", written, hint)
            if Texts(missing).place(written) is not None:
                hint = "A text is either missing or in a group."
                raise parameter_error(caller, "merge", "texts that are not missing", written, hint)
            worth = number(written)
            value: object = written if worth is None else worth
            if value in values:
                hint = f"It is in {values[value]!r} and in {name!r}; 1 and 1.0 are the same."
                raise parameter_error(caller, "merge", "a text in one group", written, hint)
            values[value] = name
        groups.append((name, group))
    return tuple(groups)


def toml_text(text: str) -> str:
    """Return a text as TOML writes it; JSON escapes the same characters, save for one."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_key(name: str) -> str:
    """Return a column name as it is between brackets."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_text(name)


def toml_table(key: str, entries: Mapping[str, Any]) -> str:
    """Return a table of TOML, under a key as it is between brackets.

    Examples
    --------
    >>> print(toml_table("sex", {"merge": {"male": ["M", "1"]}, "n": 3}), end="")
    [sex]
    merge = {male = ["M", "1"]}
    n = 3
    """
    lines = (f"{toml_key(name)} = {_toml_value(value)}\n" for name, value in entries.items())
    return f"[{key}]\n{''.join(lines)}"


def _toml_value(value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{toml_key(name)} = {_toml_value(each)}" for name, each in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_value, value))}]"
    return toml_text(value) if isinstance(value, str) else json.dumps(value)
