"""What the formulas of certificates compute with: exact rationals, and balls where they end.

Rationals stay exact as long as they are short; everything else is a ball that contains the true
value. What no ball decides at one precision asks for a higher one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from typing import TypeAlias, TypeVar

from flint import arb, ctx

from littlestone.errors import LittlestoneError
from littlestone.privacy.rounding import upper
from littlestone.source import ball

__all__ = [
    "FUNCTIONS",
    "PRECISIONS",
    "WORK",
    "Evaluation",
    "FormulaError",
    "Meaning",
    "Number",
    "UndecidedError",
    "Value",
    "enclosed",
    "limited",
    "power",
    "size_in_bits",
    "spend",
]

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


FUNCTIONS: dict[str, Function] = {
    **{name: _smooth(name) for name in _EXACT},
    "min": _extreme(min, "min"),
    "max": _extreme(max, "max"),
    "ceil": Evaluation.ceil,
    "floor": lambda run, x: -run.ceil(-x),
    "comb": _comb,
    "growth": _growth,
    "binomial_above": _binomial_above,
}
