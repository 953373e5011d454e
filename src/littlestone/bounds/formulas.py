"""Formulas as text that can be re-computed: a tiny, safe and rigorous evaluator.

A certificate carries its formulas as text. This evaluator reads them without running Python code:
only the operators and functions listed here exist. Rationals stay exact as long as they are short;
everything else is a ball that contains the true value, and whatever must be decided (a ceiling, a
comparison) is evaluated again with more bits until the ball decides it.
"""

from __future__ import annotations

import ast
import functools
import math
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from fractions import Fraction
from typing import Any, NoReturn, TypeAlias, TypeVar

from flint import arb, ctx

from littlestone.bounds import tails as walks
from littlestone.errors import LittlestoneError
from littlestone.privacy.guarantee import upper
from littlestone.source import ball

#: An exact rational, a ball, or a decided comparison.
Value: TypeAlias = "Fraction | arb | bool"
#: What a name in a formula stands for: an exact number, or a value at any precision.
Meaning: TypeAlias = "Fraction | Callable[[int], Value]"
Number: TypeAlias = "Fraction | arb"
_Any = TypeVar("_Any", bound="Value")

PRECISIONS = (128, 512, 2048, 8192)
LARGEST_POWER = 2**24  # bits of what is rounded to an integer
EXACT_INTEGER_BITS = 2**21  # powers of integers stay exact up to this size
EXACT_RATIONAL_BITS = 4096
LONGEST_LAZY_WALK, LONGEST_WALK, LARGEST_WORST = 10**6, 10**9, 10**6
MOST_TERMS = 10**5  # of a sum


#: Units of work (microseconds) that an untrusted certificate may take.
WORK = 2_000_000
_left: ContextVar[list[float] | None] = ContextVar("_left", default=None)


class FormulaError(LittlestoneError, ValueError):
    """A formula is not in the language of certificates, or has no value."""


class UndecidedError(Exception):
    """The balls are too wide: use more bits."""


@contextmanager
def limited(work: float = WORK) -> Iterator[None]:
    """Refuse, in this block, formulas that would take longer than any honest certificate."""
    token = _left.set([work])
    try:
        yield
    finally:
        _left.reset(token)


def spend(work: float) -> None:
    """Count work that a formula is about to do; refuse it when a limit is passed."""
    left = _left.get()
    if left is not None:
        left[0] -= work
        if left[0] < 0:
            raise FormulaError("A formula takes too long to compute.")


class Evaluation:
    """One evaluation of a formula at one precision."""

    def __init__(self, names: Mapping[str, Meaning], bits: int) -> None:
        self.names, self.bits, self.last = names, bits, bits >= PRECISIONS[-1]
        self.limited = _left.get() is not None
        self._tables: set[Any] = set()

    def spend_once(self, table: Any, work: float) -> None:
        """Count the work of a table, which this evaluation computes once, and of a look at it."""
        if self.limited:
            spend(1 if table in self._tables else 1 + work)
            self._tables.add(table)

    def defined(self, value: _Any) -> _Any:
        """Refuse what lies outside a function's domain; a wide ball may only seem to."""
        if not isinstance(value, arb) or not value.is_nan():
            return value
        if self.last:
            raise FormulaError("A formula has no value: a function is outside its domain.")
        raise UndecidedError

    def ceil(self, x: Number) -> Fraction:
        """Round up to an integer, exactly; undecided only at the last precision, then upwards."""
        if isinstance(x, Fraction):
            return Fraction(math.ceil(x))
        if not x.is_finite() or abs(x).log() > LARGEST_POWER:
            raise FormulaError("A formula has no value: an enormous number is rounded.")
        spend(1)
        rounded = x.ceil().unique_fmpz()
        if rounded is not None:
            return Fraction(int(rounded))
        if self.last:
            return Fraction(math.ceil(upper(x)))
        raise UndecidedError


def size_in_bits(x: Number) -> int:
    """Return the bits of an exact number; those of a ball are few."""
    exact = x if isinstance(x, Fraction) else Fraction(0)
    return exact.numerator.bit_length() + exact.denominator.bit_length()


def enclosed(x: Number) -> arb:
    """Return a number as a ball."""
    return ball(x) if isinstance(x, Fraction) else x


def power(a: Number, b: Number) -> Number:
    """Return a**b; exact while it is short."""
    if isinstance(a, Fraction) and isinstance(b, Fraction) and b.denominator == 1:
        bits = abs(b) * max(a.numerator.bit_length(), a.denominator.bit_length())
        limit = EXACT_INTEGER_BITS if a.denominator == 1 and b >= 0 else EXACT_RATIONAL_BITS
        if bits <= limit:
            spend(1 + int(bits) / 100)
            return a ** int(b)
    if isinstance(b, Fraction) and b.denominator == 1 and abs(b) < 2**62:
        return enclosed(a) ** int(b)
    return (enclosed(a).log() * enclosed(b)).exp()


Function = Callable[..., Number]


def _smooth(name: str) -> Function:
    """Return a function of one number; exact at the one rational where it is rational."""
    at, there = _EXACT[name]

    def function(_: Evaluation, x: Number) -> Number:
        return there if isinstance(x, Fraction) and x == at else getattr(enclosed(x), name)()

    return function


_EXACT = {
    "log": (Fraction(1), Fraction(0)),
    "exp": (Fraction(0), Fraction(1)),
    "sqrt": (Fraction(0), Fraction(0)),
    "cosh": (Fraction(0), Fraction(1)),
    "sinh": (Fraction(0), Fraction(0)),
    "tanh": (Fraction(0), Fraction(0)),
    "atanh": (Fraction(0), Fraction(0)),
}


def _extreme(pick: Callable[..., Fraction], method: str) -> Function:
    def function(_: Evaluation, first: Number, *rest: Number) -> Number:
        for x in rest:
            if isinstance(first, Fraction) and isinstance(x, Fraction):
                first = pick(first, x)
            else:
                first = getattr(enclosed(first), method)(enclosed(x))
        return first

    return function


def _count(x: Number, largest: int) -> int:
    if not isinstance(x, Fraction) or x.denominator != 1 or not 0 <= x <= largest:
        raise FormulaError(f"A formula needs a whole number from 0 to {largest}.")
    return int(x)


def _comb(_: Evaluation, n: Number, k: Number) -> Fraction:
    chosen, whole = _count(k, 10_000), _count(n, 2**256)
    spend(1 + chosen**2 / 50)
    return Fraction(math.comb(whole, chosen))


def _growth(_: Evaluation, d: Number, n: Number) -> arb:
    """Sauer-Shelah: the number of labelings of n points by a class of VC dimension d."""
    dimension, whole = _count(d, 10**6), _count(n, 2**256)
    term, total = arb(1), arb(1)
    spend(min(dimension, whole) * (1 + ctx.prec / 2048))
    for i in range(min(dimension, whole)):
        term = term * (whole - i) / (i + 1)
        total += term
    return total


def _binomial_above(_: Evaluation, t: Number, p: Number, b: Number) -> Number:
    trials, bias = _count(t, 10**6), enclosed(p)
    start = _count(b, 10**6) + 1
    if start > trials:
        return Fraction(0)
    if p == 1:
        return Fraction(1)
    odds = bias / (1 - bias)
    if start > 512 and not odds * (trials - start) < 0.9 * (start + 1):
        # the terms fall slowly: the regularized incomplete beta function, in bounded time
        spend(2_000)
        tail = bias.beta_lower(start, trials - start + 1, regularized=True)
        if tail.is_finite():
            return tail
    term = arb.bin_uiui(trials, start) * bias**start * (1 - bias) ** (trials - start)
    total = term
    for i in range(start, trials):
        ratio = odds * (trials - i) / (i + 1)
        term = term * ratio
        total += term
        if (i - start) % 64 == 0:
            spend(64 * (1 + ctx.prec / 2048))
            # ratios fall: from here on, all terms together are at most the last one
            if ratio < 0.5 and term < total * arb(2) ** (-ctx.prec - 8):
                return total + term * arb(0.5, 0.5)
    return total


def _exact(x: Number) -> Fraction:
    if not isinstance(x, Fraction) or size_in_bits(x) > EXACT_RATIONAL_BITS:
        raise FormulaError("A formula needs an exact number.")
    return x


def _integer(x: Number) -> int:
    if not isinstance(x, Fraction) or x.denominator != 1 or abs(x) > 10**9:
        raise FormulaError("A formula needs a whole number.")
    return int(x)


def _walk(run: Evaluation, n: Number, p: Number, a: Number, k: Number) -> arb:
    moves, mean = _exact(p), _exact(a)
    steps = _count(n, LONGEST_WALK if moves == 1 else LONGEST_LAZY_WALK)
    if not 0 < mean < moves <= 1:
        raise FormulaError("A walk needs 0 < a < p <= 1.")
    run.spend_once(("walk", steps, moves, mean), walks.walk_work(steps, moves, run.bits))
    return walks.at_most(steps, moves, mean, _integer(k), run.bits)


def _worst(run: Evaluation, n: Number, x: Number, w: Number) -> arb:
    trials, below, width = _count(n, LARGEST_WORST), _exact(x), max(_count(w, LARGEST_WORST), 1)
    run.spend_once(("worst", trials, below % 1, width), walks.worst_work(trials, width))
    return walks.worst(trials, below, width)


FUNCTIONS: dict[str, Function] = {
    **{name: _smooth(name) for name in _EXACT},
    "min": _extreme(min, "min"),
    "max": _extreme(max, "max"),
    "ceil": Evaluation.ceil,
    "floor": lambda run, x: -run.ceil(-x),
    "comb": _comb,
    "growth": _growth,
    "binomial_above": _binomial_above,
    "walk": _walk,
    "worst": _worst,
}


LONGEST = 20_000  # characters of a formula (hexadecimal integers may be long)
OPERATIONS = 8  # of an exact number


def evaluate(formula: str, names: Mapping[str, Meaning]) -> Value:
    """Return the value of a formula: exact, a ball, or a truth value.

    ``formula``: integers, decimals, names, ``+ - * / **``, comparisons, ``and``, and the functions
    log, exp, sqrt, cosh, sinh, tanh, atanh, min, max, ceil, floor, comb(n, k), growth(d, n) (the
    sum of comb(n, i) for i <= d), binomial_above(t, p, b) (the probability that more than b of t
    coins of bias p fall on one), walk(n, p, a, k) (the probability that n independent steps in
    {-1, 0, 1}, each nonzero with probability p and of mean a, sum to at most k), worst(n, x, w)
    (the largest probability that a binomial of n and (j + x)/n is at most j, over whole j; 1 for
    x <= 0; for w > 1 an upper bound: `littlestone.bounds.tails.worst`), and sum(i, a, b, term),
    the terms for the whole i from a to b; ``names``: what each name stands for.

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
    >>> evaluate("sum(i, 1, 4, i**2)", {})
    Fraction(30, 1)
    """
    return decided(formula, names)[0]


def decided(formula: str, names: Mapping[str, Meaning]) -> tuple[Value, int]:
    """Return the value of a formula, and the bits that it took."""
    for bits in PRECISIONS:
        try:
            return evaluate_at(formula, names, bits), bits
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
    bound = {_summed(node)[0] for node in walked if _is_sum(node)}
    names = [
        node
        for node in walked
        if isinstance(node, ast.Name) and id(node) not in functions and node.id not in bound
    ]
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
    # a decimal means what is written: 0.1 is one tenth.
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


def _is_sum(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sum"


def _summed(node: Any) -> tuple[str, list[ast.expr]]:
    """Return the index of a sum, and its ends and term."""
    if len(node.args) != 4 or node.keywords or not isinstance(node.args[0], ast.Name):
        raise FormulaError("A sum is written sum(i, a, b, term).")
    return node.args[0].id, node.args[1:]


def _sum(node: Any) -> Code:
    index, parts = _summed(node)
    fixed: dict[str, Numeric] = {}
    first, last, term = map(_numeric, [*parts[:2], _with_names(parts[2], index, fixed)])

    def code(run: Evaluation) -> Number:
        if index in run.names:
            raise FormulaError("The index of a sum needs a name of its own.")
        start, end = _integer(first(run)), _integer(last(run))
        if end - start >= MOST_TERMS:
            raise FormulaError(f"A sum may have at most {MOST_TERMS} terms.")
        inner, names = copy(run), dict(run.names)
        inner.names, total = names, Fraction(0)
        for name, part in fixed.items() if start <= end else ():
            value = part(run)
            names[name] = (
                value if isinstance(value, Fraction) else functools.partial(_of_bits, value)
            )
        for i in range(start, end + 1):
            spend(10)
            names[index] = Fraction(i)
            total = _add(total, term(inner))
        return total

    return code


def _of_bits(value: arb, _: int) -> arb:
    return value


def _with_names(node: Any, index: str, fixed: dict[str, Numeric]) -> Any:
    """Name the parts of a sum's term that do not depend on its index: they are computed once."""
    if _is_sum(node) or type(node) not in (ast.BinOp, ast.UnaryOp, ast.Call):
        return node
    if not any(isinstance(part, ast.Name) and part.id == index for part in ast.walk(node)):
        name = f"part {len(fixed)}"  # of no formula, which cannot have a space in a name
        fixed[name] = _numeric(node)
        return ast.Name(name)
    for field, part in ast.iter_fields(node):
        if field == "args":
            node.args = [_with_names(argument, index, fixed) for argument in part]
        elif field in ("left", "right", "operand"):
            setattr(node, field, _with_names(part, index, fixed))
    return node


def _add(a: Number, b: Number) -> Number:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a + b
    return enclosed(a) + enclosed(b)


def _call(node: Any) -> Code:
    if _is_sum(node):
        return _sum(node)
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
