"""Formulas as text that can be re-computed: a tiny, safe and rigorous evaluator.

A certificate carries its formulas as text. This evaluator reads them without running Python code:
only the operators and functions listed here exist. Rationals stay exact; everything else is a
ball that contains the true value, and whatever must be decided (a ceiling, a comparison) is
evaluated again with more bits until the ball decides it.
"""

from __future__ import annotations

import ast
import functools
import operator
import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NoReturn, TypeAlias

from flint import ctx

from littlestone.bounds.arithmetic import (
    FUNCTIONS,
    PRECISIONS,
    WORK,
    Evaluation,
    FormulaError,
    Meaning,
    Number,
    UndecidedError,
    Value,
    enclosed,
    limited,
    power,
    size_in_bits,
    spend,
)

__all__ = [
    "LONGEST",
    "FormulaError",
    "Meaning",
    "Value",
    "decode",
    "encode",
    "evaluate",
    "evaluate_at",
    "limited",
    "names_in",
]

LONGEST = 20_000  # characters of a formula (hexadecimal integers may be long)
OPERATIONS = 8  # of an exact number


def evaluate(formula: str, names: Mapping[str, Meaning]) -> Value:
    """Return the value of a formula: exact, a ball, or a truth value.

    Parameters
    ----------
    formula : str
        Integers, decimals, names, ``+ - * / **``, comparisons, ``and``, and the functions log,
        exp, sqrt, cosh, sinh, tanh, atanh, min, max, ceil, floor, comb(n, k), growth(d, n) (the
        sum of comb(n, i) for i <= d) and binomial_above(t, p, b) (the probability that more than
        b of t coins of bias p fall on one).
    names : mapping
        What each name stands for.

    Raises
    ------
    FormulaError
        Unknown names, functions or syntax; values outside a function's domain.

    Notes
    -----
    A ceiling that no precision decides is rounded up, a comparison that none decides is False:
    both err on the side of asking for more records.

    Examples
    --------
    >>> from fractions import Fraction
    >>> evaluate("ceil(log(size / beta) / 0.5)", {"size": Fraction(1000), "beta": Fraction(1, 20)})
    Fraction(20, 1)
    >>> evaluate("1/3 + 1/6", {})
    Fraction(1, 2)
    """
    for bits in PRECISIONS:
        try:
            return evaluate_at(formula, names, bits)
        except UndecidedError:
            continue
    raise AssertionError("the last precision always decides")


def evaluate_at(formula: str, names: Mapping[str, Meaning], bits: int) -> Value:
    """Return the value at one precision: the building block of `evaluate`."""
    with ctx.workprec(bits):
        try:
            return _compiled(formula)(Evaluation(names, bits))
        except (ZeroDivisionError, OverflowError, ValueError) as error:
            if isinstance(error, FormulaError):
                raise
            raise FormulaError(f"A formula has no value: {error}.") from None
        except RecursionError:
            raise FormulaError("A formula is nested too deeply.") from None


@functools.lru_cache(maxsize=4096)
def encode(x: Fraction | int) -> int | str:
    """Write an exact number for JSON: a small integer, or text in the language of formulas.

    Examples
    --------
    >>> encode(420), encode(Fraction(1, 10)), encode(2**1024 + 1)
    (420, '1/10', '2**1024 + 1')
    """
    exact = Fraction(x)
    if exact.denominator != 1:
        return f"{_integer_text(exact.numerator)}/{_integer_text(exact.denominator)}"
    whole = exact.numerator
    return whole if abs(whole) < 2**53 else _integer_text(whole)


def decode(x: Any) -> Fraction:
    """Read what `encode` wrote; refuses anything that is not an exact number."""
    if isinstance(x, int) and not isinstance(x, bool):
        return Fraction(x)
    # One operation or two, on integers that may be long: never a long formula.
    simple = isinstance(x, str) and sum(map(x.count, "+-*/(,<>")) <= OPERATIONS
    with limited(WORK / 10):
        value = evaluate(x, {}) if simple else None
    if not isinstance(value, Fraction):
        raise FormulaError("An input of a certificate must be an exact number.")
    return value


def _integer_text(x: int) -> str:
    if abs(x).bit_length() <= 128:
        return str(x)
    power = x.bit_length() - 1
    for exponent in (power, power + 1):
        rest = x - (1 << exponent)
        if x > 0 and abs(rest) < 2**32:
            return f"2**{exponent}" + (f" {'+-'[rest < 0]} {abs(rest)}" if rest else "")
    return hex(x)  # decimal text of huge integers is quadratic, and limited by Python


#: A formula that is ready to be evaluated, again and again.
Code: TypeAlias = "Callable[[Evaluation], Value]"
Numeric: TypeAlias = "Callable[[Evaluation], Number]"


@functools.lru_cache(maxsize=1024)
def _compiled(formula: str) -> Code:
    """Read a formula once: searches for good constants evaluate the same few texts."""
    return _code(_parse(formula))


@functools.lru_cache(maxsize=1024)
def names_in(formula: str) -> tuple[str, ...]:
    """Return the names of numbers in a formula, each once.

    Examples
    --------
    >>> names_in("ceil(log(size / beta) / decay) + 0 * size")
    ('size', 'beta', 'decay')
    """
    walked = list(ast.walk(_parse(formula)))
    functions = {id(node.func) for node in walked if isinstance(node, ast.Call)}
    names = [node for node in walked if isinstance(node, ast.Name) and id(node) not in functions]
    ordered = sorted(names, key=lambda node: (node.lineno, node.col_offset))
    return tuple(dict.fromkeys(node.id for node in ordered))


def _parse(formula: str) -> ast.expr:
    if len(formula) > LONGEST * 64:
        raise FormulaError("A formula is too long.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as "invalid decimal literal"
            return ast.parse(formula, mode="eval").body
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        raise FormulaError("A formula is not a single expression.") from None


def _code(node: ast.expr) -> Code:
    compiler = _COMPILERS.get(type(node))
    return _refuse(node) if compiler is None else compiler(node)


def _refuse(node: ast.AST) -> NoReturn:
    raise FormulaError(f"A formula may not use {type(node).__name__}.")


def _numeric(node: ast.expr) -> Numeric:
    """Return the code of a part that must be a number."""
    if isinstance(node, ast.Compare | ast.BoolOp):
        _code(node)  # which may have something worse to refuse
        raise FormulaError("A formula uses a comparison as a number.")
    code = _code(node)
    if not isinstance(node, ast.Name):  # only a name may stand for a comparison
        return code

    def number(run: Evaluation) -> Number:
        value = code(run)
        if isinstance(value, bool):
            raise FormulaError("A formula uses a comparison as a number.")
        return value

    return number


def _constant(node: Any) -> Code:
    if isinstance(node.value, bool) or not isinstance(node.value, int | float):
        return _refuse(node)
    # A decimal means what is written: 0.1 is one tenth.
    value = Fraction(repr(node.value) if isinstance(node.value, float) else node.value)
    return lambda _: value


def _name(node: Any) -> Code:
    name = node.id

    def code(run: Evaluation) -> Value:
        if name not in run.names:
            raise FormulaError(f"A formula uses the unknown name {name!r}.")
        meaning = run.names[name]
        if callable(meaning):
            return run.defined(meaning(run.bits))
        return meaning if type(meaning) is Fraction else Fraction(meaning)

    return code


def _negative(node: Any) -> Code:
    if not isinstance(node.op, ast.USub):
        _refuse(node.op)
    operand = _numeric(node.operand)
    return lambda run: -operand(run)


def _call(node: Any) -> Code:
    function = FUNCTIONS.get(node.func.id) if isinstance(node.func, ast.Name) else None
    if function is None or node.keywords:
        raise FormulaError("A formula uses a function outside the language of certificates.")
    parts = tuple(_numeric(argument) for argument in node.args)

    def code(run: Evaluation) -> Value:
        numbers = [part(run) for part in parts]
        try:
            return run.defined(function(run, *numbers))
        except TypeError:
            raise FormulaError("A function of a formula has too many or too few numbers.") from None

    return code


def _both(node: Any) -> Code:
    if not isinstance(node.op, ast.And):
        _refuse(node.op)
    parts = tuple(_code(part) for part in node.values)

    def code(run: Evaluation) -> bool:
        # Every part is evaluated: what is not a comparison is refused even behind a False.
        values = [part(run) for part in parts]
        if not all(isinstance(value, bool) for value in values):
            raise FormulaError("A formula uses a number as a comparison.")
        return all(values)

    return code


def _operation(node: Any) -> Code:
    left, right = _numeric(node.left), _numeric(node.right)
    if isinstance(node.op, ast.Pow):
        return lambda run: run.defined(power(left(run), right(run)))
    apply = _OPERATORS.get(type(node.op))
    if apply is None:
        _refuse(node.op)

    def code(run: Evaluation) -> Number:
        a, b = left(run), right(run)
        if run.limited:  # of two rationals: a quadratic gcd
            spend(1 + (size_in_bits(a) + size_in_bits(b)) ** 2 / 10**7)
        if type(a) is not type(b):
            a, b = enclosed(a), enclosed(b)
        return run.defined(apply(a, b))

    return code


def _comparison(node: Any) -> Code:
    if len(node.ops) != 1:
        raise FormulaError("A formula may not chain comparisons.")
    left, right = _numeric(node.left), _numeric(node.comparators[0])
    if isinstance(node.ops[0], ast.LtE):
        left, right = right, left
    elif not isinstance(node.ops[0], ast.GtE):
        raise FormulaError("A formula may compare only by >= and <=.")

    def code(run: Evaluation) -> bool:
        a, b = left(run), right(run)
        if isinstance(a, Fraction) and isinstance(b, Fraction):
            return a >= b
        difference = enclosed(a) - enclosed(b)
        if difference >= 0:
            return True
        if difference < 0 or run.last:
            return False
        raise UndecidedError

    return code


_COMPILERS: dict[type[ast.expr], Callable[[Any], Code]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.UnaryOp: _negative,
    ast.Call: _call,
    ast.BoolOp: _both,
    ast.BinOp: _operation,
    ast.Compare: _comparison,
}
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
