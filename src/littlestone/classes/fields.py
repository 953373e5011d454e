"""Reading JSON that somebody else may have written: strict, limited, and nothing is executed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from littlestone.classes.integers import number, parse_integer
from littlestone.errors import ParameterError
from littlestone.types import Json

__all__ = ["Fields", "json_integer"]

_EXACT = 2**53  # beyond it, many JSON readers round


def json_integer(n: int) -> int | str:
    """Return an integer for JSON: a number if every reader keeps it exact, else text."""
    return n if abs(n) <= _EXACT else number(n)


class Fields:
    """The fields of one JSON object, each read with its type; unknown or missing ones refused.

    Parameters
    ----------
    data : Any
        The parsed JSON.
    required, optional : iterable of str
        Names of the fields, besides ``type``.

    Raises
    ------
    ParameterError
        If the object is not one with exactly these fields.
    """

    def __init__(self, data: Any, required: Iterable[str], optional: Iterable[str] = ()) -> None:
        if not isinstance(data, dict) or not isinstance(data.get("type"), str):
            raise ParameterError("A JSON object with a 'type' entry is needed here.")
        self.type: str = data["type"]
        names, needed = set(data) - {"type"}, set(required)
        if not needed <= names or not names <= needed | set(optional):
            listed = ", ".join(sorted(needed)) or "none"
            raise self.refuse("fields", f"exactly those of its type ({listed})")
        self._data: Json = data

    def refuse(self, name: str, rule: str) -> ParameterError:
        """Return the error for a field; the value itself is not repeated."""
        return ParameterError(f"The {name!r} entry of a JSON {self.type!r} must be {rule}.")

    def __contains__(self, name: str) -> bool:
        return name in self._data

    def any(self, name: str) -> Any:
        """Return a field as it is."""
        return self._data[name]

    def integer(self, name: str, low: int | None = None, high: int | None = None) -> int:
        """Return an integer (a JSON number, or text such as ``"2**64"``) within bounds."""
        value = self._data[name]
        if isinstance(value, str):
            value = parse_integer(value, f"The {name!r} entry of a JSON {self.type!r}")
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.refuse(name, "an integer")
        if (low is not None and value < low) or (high is not None and value > high):
            bounds = [f">= {number(low)}"] if low is not None else []
            bounds += [f"<= {number(high)}"] if high is not None else []
            raise self.refuse(name, "an integer " + " and ".join(bounds))
        return value

    def text(self, name: str, limit: int = 10_000) -> str:
        """Return a text of at most ``limit`` characters."""
        value = self._data[name]
        if not isinstance(value, str) or len(value) > limit:
            raise self.refuse(name, f"a text of at most {limit} characters")
        return value

    def items(self, name: str, limit: int) -> list[Any]:
        """Return a list of at most ``limit`` entries."""
        value = self._data[name]
        if not isinstance(value, list) or len(value) > limit:
            raise self.refuse(name, f"a list of at most {limit} entries")
        return value
