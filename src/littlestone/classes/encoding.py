"""Public values as text and as JSON: integers of any size, fields, points that may be anything.

Domains go up to 2**1024 and beyond, where a decimal is no longer for people; Python itself refuses
to convert more than 4300 digits. So integers may be *expressions*: ``2**64 - 1``. Everything that
is read is checked, and nothing is executed.

Points have one form in JSON and one as 64-bit words. Both are of *canonical* points
(`littlestone.data.points.canonical`): equal points have one form, different points different ones.
They depend on the value only, never on Python's hashes.
"""

from __future__ import annotations

import ast
import math
import struct
import warnings
from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from littlestone.data.points import canonical
from littlestone.errors import ParameterError
from littlestone.types import Json, Point

#: No public integer of this library has more bits: chains of 2**(2**16) points fit easily.
MAX_BITS = 1 << 20

_MAX_TEXT = 20_000

_DECIMAL_BITS = 12_000  # below Python's limit of 4300 digits

_SHORT_BITS = 48  # up to here a decimal is easier to read than a power


def number(n: int) -> str:
    """Write an integer: a decimal, or a short expression when it is next to a power of two.

    Examples
    --------
    >>> number(99), number(2**1024), number(2**64 - 1), number(-(2**70) - 1)
    ('99', '2**1024', '2**64 - 1', '-2**70 - 1')
    """
    if abs(n).bit_length() > _SHORT_BITS:
        for delta, tail in ((0, ""), (-1, " - 1"), (1, " + 1")):
            power = abs(n - delta)
            if power.bit_count() == 1:
                return f"{'-' if n < 0 else ''}2**{power.bit_length() - 1}{tail}"
    return str(n) if n.bit_length() <= _DECIMAL_BITS else hex(n)


def parse_integer(text: str, caller: str = "parse_integer") -> int:
    """Read an integer expression: integers, ``+ - * **``, parentheses. Nothing else is run.

    Examples
    --------
    >>> parse_integer("2**64 - 1") == 2**64 - 1
    True
    """
    return evaluate(parse(text, caller), text, caller)


def parse(text: str, caller: str) -> ast.expr:
    """Parse one expression, with every way in which a parser can give up turned into an error."""
    if len(text) <= _MAX_TEXT:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # such as "invalid decimal literal"
                return ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    raise _unreadable(text, caller)


def evaluate(node: ast.expr, text: str, caller: str) -> int:
    """Compute an integer expression; refuse before any large intermediate result is made."""
    try:
        return _value(node)
    except (_NotAnInteger, RecursionError):
        raise _unreadable(text, caller) from None


def _unreadable(text: str, caller: str) -> ParameterError:
    shown = text if len(text) <= 60 else text[:57] + "..."
    return ParameterError(
        f"{caller} cannot read {shown!r} as an integer of at most {MAX_BITS} bits. Write digits, "
        "or an expression with + - * **, for example 2**64 - 1."
    )


class _NotAnInteger(Exception):  # noqa: N818 - never leaves this module
    """The expression is not an integer expression, or is too large."""


def _value(node: ast.expr) -> int:
    result: int
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            result = value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            result = -_value(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            result = _value(operand)
        case ast.BinOp(left=left, op=op, right=right):
            result = _apply(op, _value(left), _value(right))
        case _:
            raise _NotAnInteger
    if result.bit_length() > MAX_BITS:
        raise _NotAnInteger
    return result


def _apply(op: Any, a: int, b: int) -> int:
    match op:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult() if a.bit_length() + b.bit_length() <= MAX_BITS + 1:
            return a * b
        case ast.Pow() if b >= 0 and a.bit_length() * b <= MAX_BITS + b:
            return int(a**b)
        case _:
            raise _NotAnInteger


_EXACT = 2**53  # beyond it, many JSON readers round


def json_integer(n: int) -> int | str:
    """Return an integer for JSON: a number if every reader keeps it exact, else text."""
    return n if abs(n) <= _EXACT else number(n)


def bounds_to_dict(bounds: tuple[int, int] | None) -> Json:
    """Return the fields of the bounds of an integer domain; none without bounds.

    Examples
    --------
    >>> bounds_to_dict((1, 2**64)), bounds_to_dict(None)
    ({'low': 1, 'high': '2**64'}, {})
    """
    if bounds is None:
        return {}
    return dict(zip(("low", "high"), map(json_integer, bounds), strict=True))


class Fields:
    """The fields of one JSON object, each read with its type; unknown or missing ones refused."""

    def __init__(self, data: Any, required: Iterable[str], optional: Iterable[str] = ()) -> None:
        if not isinstance(data, dict) or not isinstance(data.get("type"), str):
            raise ParameterError("A JSON object with a 'type' entry is needed here.")
        self.type: str = data["type"]
        names, needed = set(data) - {"type"}, set(required)
        if not needed <= names or not names <= needed | set(optional):
            listed = ", ".join(sorted(needed)) or "none"
            raise self.refuse("fields", f"exactly those of its type ({listed})")
        self._data: Json = data

    @classmethod
    def bounded(cls, data: Any, *required: str) -> tuple[Self, tuple[int, int] | None]:
        """Return the fields, and the bounds ``low`` and ``high`` of a domain if it has any."""
        ends = ("low", "high")
        fields = cls(data, required, ends)
        if not any(end in fields for end in ends):
            return fields, None
        fields = cls(data, (*required, *ends))
        low = fields.integer("low")
        return fields, (low, fields.integer("high", low=low))

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

    def flag(self, name: str) -> bool:
        """Return true or false."""
        value = self._data[name]
        if not isinstance(value, bool):
            raise self.refuse(name, "true or false")
        return value

    def items(self, name: str, limit: int) -> list[Any]:
        """Return a list of at most ``limit`` entries."""
        value = self._data[name]
        if not isinstance(value, list) or len(value) > limit:
            raise self.refuse(name, f"a list of at most {limit} entries")
        return value


_MAX_DEPTH = 16

_MASK = 2**64 - 1

_INT, _BIG, _TEXT, _BYTES, _FLOAT, _NONE, _TUPLE = range(1, 8)


def to_json(point: Point) -> Any:
    """Return a canonical point as JSON."""
    match point:
        case int():
            value = json_integer(point)
            return {"int": value} if isinstance(value, str) else value
        case float() if not math.isfinite(point):
            return {"float": str(point)}
        case bytes():
            return {"bytes": point.hex()}
        case tuple():
            return [to_json(p) for p in point]
        case _:
            return point


def from_json(data: Any, depth: int = 0) -> Point:
    """Read a point back; anything that `to_json` does not write is refused.

    Examples
    --------
    >>> from_json(to_json(("a", 2**80, b"z", None)))
    ('a', 1208925819614629174706176, b'z', None)
    """
    match data:
        case bool():
            pass
        case None | int() | str():
            return data
        case float() if not math.isnan(data):
            return canonical(data)
        case list() if depth < _MAX_DEPTH:
            return tuple(from_json(d, depth + 1) for d in data)
        case {"int": str(text), **rest} if not rest:
            return parse_integer(text, "A point")
        case {"float": ("inf" | "-inf") as text, **rest} if not rest:
            return float(text)
        case {"bytes": str(text), **rest} if not rest:
            try:
                return bytes.fromhex(text)
            except ValueError:
                pass
    raise ParameterError(
        "A point in JSON must be a number, a text, null, a list of points, or one of "
        '{"int": "2**64"}, {"bytes": "00ff"}, {"float": "inf"}.'
    )


def words(point: Point) -> list[int]:
    """Return an injective, self-delimiting encoding of a canonical point as 64-bit words.

    The first word is never 0, and different points have different lists of words.
    """
    encoded: list[int]
    match point:
        case int() if -(2**63) <= point < 2**63:
            encoded = [_INT, point & _MASK]
        case int():
            size = (abs(point).bit_length() + 63) // 64
            magnitude = abs(point).to_bytes(8 * size, "little")
            encoded = [_BIG, 2 * size + (point < 0), *_split(magnitude)]
        case str():
            data = point.encode("utf-8", "surrogatepass")
            encoded = [_TEXT, len(data), *_split(data)]
        case bytes():
            encoded = [_BYTES, len(point), *_split(point)]
        case float():  # not integral: those are integers
            encoded = [_FLOAT, *_split(struct.pack("<d", point))]
        case tuple():
            encoded = [_TUPLE, len(point), *(w for p in point for w in words(p))]
        case _:
            encoded = [_NONE]
    return encoded


def _split(data: bytes) -> list[int]:
    padded = data + bytes(-len(data) % 8)
    split: list[int] = np.frombuffer(padded, dtype="<u8").tolist()
    return split
