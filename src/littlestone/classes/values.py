"""Points that may be anything hashable, as JSON and as 64-bit words.

Both forms are of *canonical* points (`littlestone.data.points.canonical`): equal points have one
form, different points different ones. They depend on the value only, never on Python's hashes.
"""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np

from littlestone.classes.fields import json_integer
from littlestone.classes.integers import parse_integer
from littlestone.data.points import canonical
from littlestone.errors import ParameterError
from littlestone.types import Point

__all__ = ["from_json", "to_json", "words"]

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
