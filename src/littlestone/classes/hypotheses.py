"""Released functions: canonical, hashable, in words, and plain JSON (never code).

Each hypothesis is a frozen value. Equal ``key`` means equal function, and within one class also
the converse. Points that lie outside the public domain are labelled 0.
"""

from __future__ import annotations

import ast
import math
import re
import struct
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt

from littlestone.data.cells import BINARY, check_labels
from littlestone.data.domains import as_points, canonical, canonical_order
from littlestone.errors import ParameterError, parameter_error
from littlestone.types import Hypothesis, Json, Label, Labels, Point, Points

# -- Public values as text and as JSON: integers of any size, fields, points that may be anything.
#
# Domains go up to 2**1024 and beyond, where a decimal is no longer for people; Python itself
# refuses to convert more than 4300 digits. So integers may be *expressions*: ``2**64 - 1``.
# Everything that is read is checked, and nothing is executed.
#
# Points have one form in JSON and one as 64-bit words. Both are of *canonical* points
# (`littlestone.data.domains.canonical`): equal points have one form, different points different
# ones. They depend on the value only, never on Python's hashes.


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


H = TypeVar("H", bound=type)

_READERS: dict[str, Callable[[Any], Hypothesis]] = {}

_MAX_COLUMNS = 10_000_000
_CONSTANT = re.compile(r"always (\d+)(?: \([^()]*\))?")


def readable(cls: H) -> H:
    """Make `load` know a hypothesis: a class with ``TYPE`` and a ``from_dict``."""
    _READERS[cls.TYPE] = cls.from_dict  # type: ignore[attr-defined]
    return cls


@dataclass(frozen=True)
class Frozen(Hypothesis):
    """A hypothesis whose fields, integers or tuples of names, are its identity and its JSON."""

    TYPE: ClassVar[str]

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, *(getattr(self, field.name) for field in fields(self)))

    def to_dict(self) -> Json:
        """Return plain JSON."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        written = {k: json_integer(x) if isinstance(x, int) else list(x) for k, x in values.items()}
        return {"type": self.TYPE, **written}


def load(data: Any) -> Hypothesis:
    """Read a hypothesis from the JSON that its ``to_dict`` wrote.

    Examples
    --------
    >>> load({"type": "threshold", "above": 17, "low": 1, "high": 99}).describe()
    '1 if x > 17, otherwise 0 (x from 1 to 99)'
    """
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in _READERS:
        readers = ", ".join(sorted(_READERS))
        raise ParameterError(f"The 'type' entry of a hypothesis must be one of: {readers}.")
    return _READERS[kind](data)


def constant_label(hypothesis: Hypothesis) -> int | None:
    """Return the (code of the) label that a hypothesis always answers, if it says so of itself.

    Examples
    --------
    >>> constant_label(AlwaysZero()), constant_label(PointHypothesis(3))
    (0, None)
    """
    if hasattr(hypothesis, "label_names"):
        constant: int | None = hypothesis.constant  # type: ignore[attr-defined]
        return constant
    match = _CONSTANT.fullmatch(hypothesis.describe())
    return None if match is None else int(match[1])


def names_to_dict(names: tuple[Label, ...]) -> Json:
    """Return the entry of the public labels; nothing for 0 and 1."""
    return {} if names == BINARY else {"label_names": list(names)}


def names_of(fields: Fields) -> tuple[Label, ...]:
    """Return the public labels of a hypothesis that is read."""
    if "label_names" not in fields:
        return BINARY
    names = check_labels("load", fields.items("label_names", 1000))
    if names == BINARY:
        raise fields.refuse("label_names", "left out for the labels 0 and 1")
    return names


def as_labels(truth: Any, n: int) -> Labels:
    """Return labels of n points from a comparison (which is of dtype object for objects)."""
    return np.asarray(truth, dtype=bool).reshape(n).astype(np.int8)


@readable
@dataclass(frozen=True)
class AlwaysZero(Frozen):
    """The concept that is 0 everywhere: no point, the empty interval, an impossible rule.

    Examples
    --------
    >>> AlwaysZero().predict(np.array([1, 2])).tolist(), AlwaysZero().describe()
    ([0, 0], 'always 0')
    """

    TYPE = "never"
    support = ()

    def label(self, point: Point) -> int:
        """Return 0."""
        return 0

    def exported(self, schema: Any) -> Hypothesis:
        """Return the tree without a test."""
        return load({"type": "tree", "tree": 0})

    def predict(self, points: Points) -> Labels:
        """Label each point 0."""
        return np.zeros(len(points), dtype=np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        return "always 0"

    @classmethod
    def from_dict(cls, data: Any) -> AlwaysZero:
        """Read it back."""
        Fields(data, ())
        return cls()


@readable
@dataclass(frozen=True)
class PointHypothesis(Frozen):
    """1 on one point only; no point at all is `AlwaysZero`.

    Examples
    --------
    >>> PointHypothesis("paris").predict(np.array(["rome", "paris"], dtype=object)).tolist()
    [0, 1]
    """

    point: Point

    TYPE = "point"

    @property
    def support(self) -> tuple[Point, ...]:
        """The point."""
        return (self.point,)

    def label(self, point: Point) -> int:
        """Return the label of a point."""
        return int(self.point == point)

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", canonical(self.point))

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        if points.ndim == 2:  # rows of codes: a point is a tuple
            if not isinstance(self.point, tuple) or len(self.point) != points.shape[1]:
                return np.zeros(len(points), dtype=np.int8)
            return as_labels([tuple(row) == self.point for row in points.tolist()], len(points))
        if points.dtype == object:
            return as_labels([p == self.point for p in points], len(points))
        if not isinstance(self.point, int):
            return np.zeros(len(points), dtype=np.int8)
        return as_labels(points == self.point, len(points))

    def describe(self) -> str:
        """Say the hypothesis in words."""
        point = number(self.point) if isinstance(self.point, int) else repr(self.point)
        return f"1 if x = {point}, otherwise 0"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.TYPE, "point": to_json(self.point)}

    @classmethod
    def from_dict(cls, data: Any) -> PointHypothesis:
        """Read it back."""
        return cls(from_json(Fields(data, ("point",)).any("point")))


_MAX_POINTS = 10_000_000

_SHARED = 64  # points with one hash


@readable
@dataclass(frozen=True)
class SetHypothesis(Frozen):
    """1 exactly on some points, at least two. Make one by `on_points`.

    Examples
    --------
    >>> on_points(["rome", "oslo"]).predict(np.array(["oslo", "bonn"], dtype=object)).tolist()
    [1, 0]
    """

    points: tuple[Point, ...]

    TYPE = "set"

    @property
    def support(self) -> tuple[Point, ...]:
        """The points."""
        return self.points

    def __post_init__(self) -> None:
        if len(self.points) < 2 or not _rises(self.points):
            raise parameter_error(
                "SetHypothesis", "points", "at least two distinct points in canonical order",
                f"{len(self.points)} points", "Use on_points(points).",
            )  # fmt: skip

    @cached_property
    def _members(self) -> frozenset[Point]:
        return frozenset(self.points)

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        listed = points.tolist()
        if points.ndim == 2:  # rows: a point is a tuple
            listed = [tuple(row) for row in listed]
        return np.array([point in self._members for point in listed], dtype=np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        shown = [number(p) if isinstance(p, int) else repr(p) for p in self.points[:20]]
        more = f" and {len(self.points) - 20} more" if len(self.points) > 20 else ""
        return f"1 on the points {', '.join(shown)}{more}, otherwise 0"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.TYPE, "points": [to_json(point) for point in self.points]}

    @classmethod
    def from_dict(cls, data: Any) -> SetHypothesis:
        """Read it back; only the canonical form is accepted."""
        fields = Fields(data, ("points",))
        points = tuple(from_json(point) for point in fields.items("points", _MAX_POINTS))
        if len(points) < 2 or not _rises(points):
            raise fields.refuse("points", "at least two distinct points in canonical order")
        if np.unique([hash(point) for point in points], return_counts=True)[1].max() > _SHARED:
            # Hashes of integers are known to everybody: such a set would take for ever to search.
            raise fields.refuse("points", "points with different hashes")
        return cls(points)


def in_bounds(point: Point, bounds: tuple[int, int] | None) -> bool:
    """Say whether a point is in the domain: any point, or the integers between two bounds.

    Examples
    --------
    >>> in_bounds("oslo", None), in_bounds(9, (1, 9)), in_bounds("oslo", (1, 9))
    (True, True, False)
    """
    return bounds is None or (isinstance(point, int) and bounds[0] <= point <= bounds[1])


def on_points(points: Iterable[Any]) -> SetHypothesis | PointHypothesis | AlwaysZero:
    """Return the canonical hypothesis that is 1 exactly on these points.

    Examples
    --------
    >>> on_points([3, 1, 3]).describe(), on_points([7]), on_points([])
    ('1 on the points 1, 3, otherwise 0', PointHypothesis(point=7), AlwaysZero())
    """
    ordered = tuple(sorted(set(map(canonical, points)), key=canonical_order))
    if len(ordered) > 1:
        return SetHypothesis(ordered)
    return PointHypothesis(ordered[0]) if ordered else AlwaysZero()


def _rises(points: tuple[Point, ...]) -> bool:
    """Return whether points are distinct and in canonical order (without hashing any)."""
    if all(type(point) is int for point in points):
        return all(a < b for a, b in pairwise(points))  # type: ignore[operator]
    keys = [canonical_order(point) for point in points]
    return all(a < b for a, b in pairwise(keys))


@readable
@dataclass(frozen=True)
class TableHypothesis(Hypothesis):
    """A row of a finite class: one label for each of the points 0, 1, 2, ...

    Examples
    --------
    >>> TableHypothesis("011").predict(np.array([0, 2, 3, -1])).tolist()
    [0, 1, 0, 0]
    >>> TableHypothesis("0121", ("a", "b", "c")).describe()
    'b on the points 1, 3, c on the points 2, otherwise a (points 0 to 3)'
    """

    labels: str = field()
    label_names: tuple[Label, ...] = BINARY

    TYPE = "table"

    def __post_init__(self) -> None:
        if not self.labels or set(self.labels) - set("0123456789"[: len(self.label_names)]):
            raise parameter_error(
                "TableHypothesis", "labels", "a nonempty text of 0 and 1 (codes)", self.labels[:20]
            )

    @property
    def _table(self) -> npt.NDArray[np.int8]:
        return np.frombuffer(self.labels.encode("ascii"), dtype=np.int8) - np.int8(ord("0"))

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        names = () if self.label_names == BINARY else (self.label_names,)
        return (self.TYPE, self.labels, *names)

    @property
    def constant(self) -> int | None:
        """The code that is always answered, if it is one."""
        return int(self.labels[0]) if len(set(self.labels)) == 1 else None

    def predict(self, points: Points) -> Labels:
        """Label each point; one that is not a column is outside, and 0."""
        inside = np.asarray((points >= 0) & (points < len(self.labels)), dtype=bool)
        out = np.zeros(len(points), dtype=np.int8)
        out[inside] = self._table[points[inside].astype(np.int64)]
        return out

    def describe(self) -> str:
        """Say the hypothesis in words."""
        over = f"(points 0 to {len(self.labels) - 1})"
        if self.constant is not None:
            return f"always {self.label_names[self.constant]} {over}"
        said = [self._where(code) for code in range(1, len(self.label_names))]
        return f"{', '.join(filter(None, said))}, otherwise {self.label_names[0]} {over}"

    def _where(self, code: int) -> str:
        """Say where a code is answered."""
        here = np.flatnonzero(self._table == code)
        listed = ", ".join(str(i) for i in here[:20])
        more = f" and {here.size - 20} more" if here.size > 20 else ""
        return f"{self.label_names[code]} on the points {listed}{more}" if here.size else ""

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.TYPE, "labels": self.labels} | names_to_dict(self.label_names)

    @classmethod
    def from_dict(cls, data: Any) -> TableHypothesis:
        """Read it back."""
        fields = Fields(data, ("labels",), ("label_names",))
        labels, names = fields.text("labels", limit=_MAX_COLUMNS), names_of(fields)
        if not labels or set(labels) - set("0123456789"[: len(names)]):
            raise fields.refuse("labels", "a nonempty text of 0 and 1 (codes)")
        return cls(labels, names)


_MOST_FLIPPED = 1_000_000


@readable
@dataclass(frozen=True)
class PatchedHypothesis(Hypothesis):
    """A hypothesis, but with the other label on some points; make it with `patched`.

    Examples
    --------
    >>> from littlestone.classes import AlwaysZero
    >>> import numpy as np
    >>> h = patched(AlwaysZero(), {3: 1, 4: 0})
    >>> h.describe(), h.predict(np.array([3, 4])).tolist()
    ('always 0; but 1 on 3', [1, 0])
    """

    base: Hypothesis
    flipped: tuple[tuple[Point, int], ...]

    TYPE = "patched"

    @property
    def inner(self) -> tuple[Hypothesis, ...]:
        """What it corrects."""
        return (self.base,)

    @property
    def key(self) -> Hashable:
        """Canonical identity: of the base, and of the points."""
        return (self.TYPE, self.base.key, self.flipped)

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        labels = self.base.predict(points).copy()
        for point, label in self.flipped:
            labels[PointHypothesis(point).predict(points) == 1] = label
        return labels

    def describe(self) -> str:
        """Say the hypothesis in words."""
        parts = [self.base.describe()]
        for label in (0, 1):
            listed = [repr(point) for point, y in self.flipped if y == label]
            if listed:
                more = f" and {len(listed) - 20} more" if len(listed) > 20 else ""
                parts.append(f"but {label} on {', '.join(listed[:20])}{more}")
        return "; ".join(parts)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        flipped = [[to_json(point), label] for point, label in self.flipped]
        return {"type": self.TYPE, "base": self.base.to_dict(), "flipped": flipped}

    @classmethod
    def from_dict(cls, data: Any) -> PatchedHypothesis:
        """Read it back."""
        fields = Fields(data, ("base", "flipped"))
        base, listed = fields.any("base"), fields.items("flipped", _MOST_FLIPPED)
        if isinstance(base, dict) and base.get("type") == cls.TYPE:
            raise fields.refuse("base", "a hypothesis that is not patched itself")
        pairs = [(p[0], p[1]) for p in listed if isinstance(p, list) and len(p) == 2]
        if not pairs or len(pairs) < len(listed) or any(y not in (0, 1) for _, y in pairs):
            raise fields.refuse("flipped", "a list of [point, label], at least one")
        return cls(load(base), tuple((from_json(x), int(y)) for x, y in pairs))


def patched(
    base: Hypothesis,
    labels: Mapping[Point, int],
    store: Callable[[list[Point]], Points] = as_points,
) -> Hypothesis:
    """Return the base with these labels on these points; the base itself if it has them.

    Examples
    --------
    >>> from littlestone.classes import AlwaysZero
    >>> patched(AlwaysZero(), {3: 0})
    AlwaysZero()
    """
    points = sorted(labels, key=canonical_order)
    if not points:
        return base
    given = zip(points, base.predict(store(points)).tolist(), strict=True)
    flipped = tuple((x, labels[x]) for x, label in given if labels[x] != label)
    return PatchedHypothesis(base, flipped) if flipped else base


_MOST_PARTS = 1001


@readable
@dataclass(frozen=True)
class MajorityHypothesis(Hypothesis):
    """1 where more than half of an odd number of hypotheses say 1.

    Examples
    --------
    >>> from littlestone.classes import PointHypothesis, on_points
    >>> h = MajorityHypothesis((PointHypothesis(1), on_points([1, 2]), on_points([2, 3])))
    >>> h.predict(np.array([1, 2, 3])).tolist()
    [1, 1, 0]
    """

    parts: tuple[Hypothesis, ...]

    TYPE = "majority"

    @property
    def inner(self) -> tuple[Hypothesis, ...]:
        """The hypotheses that vote."""
        return self.parts

    @property
    def key(self) -> Hashable:
        """Canonical identity: the order of the parts does not matter."""
        return (self.TYPE, *sorted((part.key for part in self.parts), key=repr))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        votes = sum((part.predict(points).astype(np.int64) for part in self.parts), start=0)
        majority: npt.NDArray[np.bool_] = np.asarray(2 * votes > len(self.parts))
        return majority.astype(np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        said = sorted(part.describe() for part in self.parts)
        return "the majority of: " + "; ".join(f"({text})" for text in said)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        parts = sorted((part.to_dict() for part in self.parts), key=repr)
        return {"type": self.TYPE, "parts": parts}

    @classmethod
    def from_dict(cls, data: Any) -> MajorityHypothesis:
        """Read it back."""
        fields = Fields(data, ("parts",))
        parts = fields.items("parts", _MOST_PARTS)
        if len(parts) % 2 == 0 or any(
            isinstance(part, dict) and part.get("type") == cls.TYPE for part in parts
        ):
            raise fields.refuse("parts", "an odd number of hypotheses that are no majorities")
        return cls(tuple(load(part) for part in parts))
