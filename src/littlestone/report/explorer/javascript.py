"""Formulas of certificates as JavaScript: generated from the text that `recheck` evaluates.

The browser computes in doubles, so a ceiling may come out one lower or higher where the exact value
is within rounding of an integer; the certificate itself is decided in balls, by Python.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction

from flint import arb

from littlestone.errors import LittlestoneError

#: Functions of the language that explorer.js has, by the same names. What sums over binomials is
#: not among them: such certificates become grids.
_FUNCTIONS = {
    "log", "exp", "sqrt", "cosh", "sinh", "tanh", "atanh", "min", "max", "ceil", "floor"
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {ast.GtE: "ge", ast.LtE: "le"}
_LARGEST = Fraction(10) ** 300  # beyond it a number is kept as its logarithm
_EXACT = 2**53


class UntranslatableError(LittlestoneError, ValueError):
    """A formula uses what the page cannot compute in doubles."""


def translate(formula: str, names: Mapping[str, str]) -> str:
    """Return a JavaScript expression for a formula of a certificate.

    ``formula``: in the language of `littlestone.bounds.formulas`; ``names``: the JavaScript that
    stands for each name.

    Examples
    --------
    >>> translate("ceil(log(max(size - 1, beta)/beta)/decay)",
    ...           {"size": "1024", "beta": "p.beta", "decay": "s[0]"})
    'ceil(div(log(div(max(sub(1024, 1), p.beta), p.beta)), s[0]))'
    >>> translate("n >= needed", {"n": "n", "needed": "s[2]"})
    'ge(n, s[2])'
    """
    return _visit(ast.parse(formula, mode="eval").body, names)


def literal(value: Fraction) -> str:
    """Return an exact number as JavaScript: a double, or its logarithm if it is beyond doubles.

    Examples
    --------
    >>> literal(Fraction(1, 20)), literal(Fraction(2**1024)), literal(Fraction(7))
    ('0.05', 'big(709.782712893384)', '7')
    """
    if value.denominator == 1 and abs(value) < _EXACT:
        return str(value.numerator)
    if value > _LARGEST:
        return f"big({float((arb(value.numerator) / value.denominator).log().mid())!r})"
    if value < -_LARGEST or 0 < abs(value) < 1 / _LARGEST:
        raise UntranslatableError("A constant of a formula is beyond doubles.")
    return repr(float(value))


def _visit(node: ast.expr, names: Mapping[str, str]) -> str:  # noqa: PLR0911 - one for each node
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return literal(Fraction(repr(value) if isinstance(value, float) else value))
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"sub(0, {_visit(operand, names)})"
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            parts = f"{_visit(left, names)}, {_visit(right, names)}"
            return f"{_OPERATORS[type(operator)]}({parts})"
        case ast.Call(
            func=ast.Name(id="log"),
            args=[ast.BinOp(left=ast.Constant(value=1), op=ast.Sub(), right=right)],
        ):
            return f"log1p(sub(0, {_visit(right, names)}))"  # exact where 1 - x is near 1
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in _FUNCTIONS:
            return f"{name}({', '.join(_visit(argument, names) for argument in arguments)})"
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if (
            type(operator) in _COMPARISONS
        ):
            parts = f"{_visit(left, names)}, {_visit(right, names)}"
            return f"{_COMPARISONS[type(operator)]}({parts})"
        case ast.BoolOp(op=ast.And(), values=values):
            return f"({' && '.join(_visit(value, names) for value in values)})"
        case _:
            raise UntranslatableError("A formula uses what a page cannot compute.")
