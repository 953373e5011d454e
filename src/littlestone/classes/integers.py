"""Public integers of any size as text: read safely, written shortly.

Domains go up to 2**1024 and beyond, where a decimal is no longer for people; Python itself
refuses to convert more than 4300 digits. So integers may be *expressions*: ``2**64 - 1``.
"""

from __future__ import annotations

import ast
import warnings
from typing import Any

from littlestone.errors import ParameterError

__all__ = ["evaluate", "number", "parse_integer"]

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


def parse_integer(text: str, owner: str = "parse_integer") -> int:
    """Read an integer expression: integers, ``+ - * **``, parentheses. Nothing else is run.

    Raises
    ------
    ParameterError
        If the text is anything else, or the result would be enormous.

    Examples
    --------
    >>> parse_integer("2**64 - 1") == 2**64 - 1
    True
    """
    return evaluate(parse(text, owner), text, owner)


def parse(text: str, owner: str) -> ast.expr:
    """Parse one expression, with every way in which a parser can give up turned into an error."""
    if len(text) <= _MAX_TEXT:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # such as "invalid decimal literal"
                return ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    raise _unreadable(text, owner)


def evaluate(node: ast.expr, text: str, owner: str) -> int:
    """Compute an integer expression; refuse before any large intermediate result is made."""
    try:
        return _value(node)
    except (_NotAnInteger, RecursionError):
        raise _unreadable(text, owner) from None


def _unreadable(text: str, owner: str) -> ParameterError:
    shown = text if len(text) <= 60 else text[:57] + "..."
    return ParameterError(
        f"{owner} cannot read {shown!r} as an integer of at most {MAX_BITS} bits. Write digits, or "
        "an expression with + - * **, for example 2**64 - 1."
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
