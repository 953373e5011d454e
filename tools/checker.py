"""An independent checker of certificates: its own parser, its own arithmetic, no other module.

Certificates are made, and re-computed by `littlestone.bounds.recheck`, with enclosures by balls.
This file shares nothing with that: it reads the JSON text, parses each formula by recursive
descent, and computes in exact fractions and 80-digit decimals of the standard library. It can be
copied elsewhere and run alone::

    python checker.py plan.json

What it does not do is say that the *claims* are true: they have proofs, not numbers.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, Overflow, localcontext
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial
from typing import Any, NoReturn

__all__ = ["CheckError", "check", "check_all", "main"]

Number = Fraction | Decimal
Value = Number | bool

_DIGITS = 80
#: Shown floats have about 16 digits; a comparison this close is not decided here.
_CLOSE = Decimal("1e-60")
_EXACT_BITS = 2**21
_MOST_TERMS = 10**5
#: What a tail leaves out, as a share of it.
_REST = Decimal("1e-40")
_PI = Decimal("3.1415926535897932384626433832795028841971693993751058209749445923078164062862")
#: Bernoulli numbers B_2, B_4, ...: enough for 1e-40 from 256! on.
_BERNOULLI = tuple(
    Fraction(b)
    for b in ("1/6", "-1/30", "1/42", "-1/30", "5/66", "-691/2730", "7/6", "-3617/510",
              "43867/798", "-174611/330")
)  # fmt: skip
_TOKEN = re.compile(
    r"\s*(?:(0x[0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(\*\*|>=|<=|[-+*/(),]))"
)


class CheckError(ValueError):
    """A document is no certificate, or one of its formulas cannot be read."""


def check_all(document: Any) -> dict[str, list[str]]:
    """Check every certificate and every step inside a JSON document.

    Parameters
    ----------
    document : Any
        Parsed JSON: a certificate, a plan, a release, or anything that holds some.

    Returns
    -------
    dict of str to list of str
        For the place of each certificate or single step what disagrees; empty lists are good.

    Examples
    --------
    >>> step = {"name": "a", "formula": "ceil(log(x))", "inputs": {"x": "2**1024"}, "value": 710}
    >>> check_all({"plans": [{"certificate": {"steps": [step]}}]})
    {'plans[0].certificate': []}
    """
    return {place: check(found) for place, found in _certificates(document, "")}


def check(certificate: Mapping[str, Any]) -> list[str]:
    """Compute every step of a certificate again; return what disagrees.

    Parameters
    ----------
    certificate : mapping
        As written by ``Certificate.to_dict``.

    Returns
    -------
    list of str
        Empty when all steps, their inputs and the verdict agree.

    Raises
    ------
    CheckError
        If a formula or an input is not in the language of certificates.
    """
    wrong: list[str] = []
    known: dict[str, Value] = {}
    head = {
        name: _exact(certificate[key])
        for name, key in (("alpha", "alpha_exact"), ("beta", "beta_exact"), ("n", "n"))
        if key in certificate
    }
    conditions: list[bool] = []
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = _DIGITS, 10**12, -(10**12)
        for step in certificate["steps"]:
            name, names = step["name"], {}
            for key, given in step["inputs"].items():
                if isinstance(given, str) and given.startswith("@"):
                    if given[1:] not in known:
                        raise CheckError(f"The step {name!r} refers to no earlier step.")
                    names[key] = known[given[1:]]
                else:
                    names[key] = _exact(given)
                    if key in head and names[key] != head[key]:
                        wrong.append(f"{name}: its {key} is not the certificate's")
            try:
                known[name] = value = _Parser(step["formula"], names).value()
            except Overflow:
                raise CheckError(f"The step {name!r} has numbers too large to compute.") from None
            if not _agrees(value, step["value"]):
                wrong.append(f"{name}: the formula gives {_short(value)}, not {step['value']}")
            if isinstance(value, bool):
                conditions.append(value)
    holds = bool(conditions) and all(conditions)
    if "holds" in certificate and certificate["holds"] != holds:
        # An undecided comparison is False for the maker: then it claims less, never more.
        wrong.append(f"the verdict: the steps give {holds}")
    return wrong


def main(arguments: list[str]) -> int:
    """Check the files that are named; print a line for each certificate; return 1 if one fails."""
    failed = False
    for path in arguments:
        with open(path, encoding="utf-8") as file:
            found = check_all(json.load(file))
        for place, wrong in found.items():
            failed |= bool(wrong)
            sys.stdout.write(f"{path} {place or '.'}: {'; '.join(wrong) or 'all steps agree'}\n")
    return int(failed)


def _certificates(document: Any, place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(document, Mapping):
        if isinstance(document.get("steps"), list):
            yield place, document
        elif isinstance(document.get("step"), Mapping) and "formula" in document["step"]:
            yield place, {"steps": [document["step"]]}
        else:
            for key, inner in document.items():
                yield from _certificates(inner, f"{place}.{key}" if place else str(key))
    elif isinstance(document, list):
        for i, inner in enumerate(document):
            yield from _certificates(inner, f"{place}[{i}]")


def _exact(given: Any) -> Fraction:
    """Read an exact number: an integer, or text such as ``1/10`` or ``2**1024 + 1``."""
    if isinstance(given, int) and not isinstance(given, bool):
        return Fraction(given)
    value = _Parser(given, {}).value() if isinstance(given, str) else None
    if not isinstance(value, Fraction):
        raise CheckError("An input is no exact number.")
    return value


class _Parser:
    """Recursive descent over one formula, which is computed while it is read.

    condition: comparison ("and" comparison)* ; comparison: sum ((">=" | "<=") sum)? ;
    sum: product (("+" | "-") product)* ; product: sign (("*" | "/") sign)* ;
    sign: "-" sign | power ; power: atom ("**" sign)? ;
    atom: number | name | name "(" sums ")" | "(" condition ")"
    """

    def __init__(self, formula: str, names: Mapping[str, Value]) -> None:
        self.tokens, self.names, self.at = list(_tokens(formula)), names, 0

    def value(self) -> Value:
        found = self.condition()
        if self.at != len(self.tokens):
            raise CheckError("A formula goes on where it should end.")
        return found

    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        found = self.next()
        if found in wanted and found:
            self.at += 1
            return found
        return ""

    def condition(self) -> Value:
        found = self.comparison()
        while self.take("and"):
            other = self.comparison()
            if not (isinstance(found, bool) and isinstance(other, bool)):
                raise CheckError("A formula uses a number as a comparison.")
            found = found and other
        return found

    def comparison(self) -> Value:
        left = self.sum()
        sign = self.take(">=", "<=")
        if not sign:
            return left
        a, b = _number(left), _number(self.sum())
        if sign == "<=":
            a, b = b, a
        if isinstance(a, Fraction) and isinstance(b, Fraction):
            return a >= b
        x, y = _decimal(a), _decimal(b)
        return x >= y and (x - y > _CLOSE * max(abs(x), abs(y)))

    def sum(self) -> Value:
        found = self.product()
        while sign := self.take("+", "-"):
            other = _number(self.product())
            found = _apply(sign, _number(found), other)
        return found

    def product(self) -> Value:
        found = self.sign()
        while sign := self.take("*", "/"):
            found = _apply(sign, _number(found), _number(self.sign()))
        return found

    def sign(self) -> Value:
        if self.take("-"):
            return -_number(self.sign())
        return self.power()

    def power(self) -> Value:
        base = self.atom()
        if self.take("**"):
            return _power(_number(base), _number(self.sign()))
        return base

    def atom(self) -> Value:
        if self.take("("):
            found = self.condition()
            return found if self.take(")") else self.lacking()
        token = self.next()
        self.at += 1
        if token[:1].isdigit():
            return Fraction(int(token, 16) if token.startswith("0x") else token)
        if token == "sum" and self.take("("):
            return self.total()
        if self.take("("):
            arguments = [_number(self.sum())]
            while self.take(","):
                arguments.append(_number(self.sum()))
            if token not in _FUNCTIONS:
                raise CheckError("A formula uses an unknown function.")
            made = _FUNCTIONS[token](*arguments)
            return made if self.take(")") else self.lacking()
        if token not in self.names:
            raise CheckError("A formula uses an unknown name.")
        return self.names[token]

    def total(self) -> Number:
        """Read the rest of ``sum(index, first, last, term)``: the term once for each index."""
        index = self.next()
        self.at += 1
        if not index.isidentifier() or index in self.names or not self.take(","):
            raise CheckError("The index of a sum needs a name of its own.")
        first = _integer(self.sum())
        if not self.take(","):
            self.lacking()
        last = _integer(self.sum())
        if not self.take(","):
            self.lacking()
        outer, term, added = self.names, self.at, Fraction(0)
        if last - first >= _MOST_TERMS:
            raise CheckError("A sum has too many terms.")
        for i in range(first, max(last, first) + 1):  # an empty sum is read, too
            self.at, self.names = term, {**outer, index: Fraction(i)}
            value = _number(self.sum())
            added = _apply("+", added, value) if i <= last else added
        self.names = outer
        return added if self.take(")") else self.lacking()

    @staticmethod
    def lacking() -> NoReturn:
        raise CheckError("A formula lacks a bracket.")


def _tokens(formula: str) -> Iterator[str]:
    at = 0
    while at < len(formula.rstrip()):
        found = _TOKEN.match(formula, at)
        if found is None:
            raise CheckError("A formula has a character outside the language.")
        yield found[1] or found[2] or found[3]
        at = found.end()


def _number(value: Value) -> Number:
    if isinstance(value, bool):
        raise CheckError("A formula uses a comparison as a number.")
    return value


def _decimal(x: Number) -> Decimal:
    if isinstance(x, Decimal):
        return x
    return Decimal(x.numerator) / Decimal(x.denominator)


def _apply(sign: str, a: Number, b: Number) -> Number:
    if not (isinstance(a, Fraction) and isinstance(b, Fraction)):
        a, b = _decimal(a), _decimal(b)
        return {"+": a + b, "-": a - b, "*": a * b}[sign] if sign != "/" else a / b
    return {"+": a + b, "-": a - b, "*": a * b}[sign] if sign != "/" else a / b


def _power(a: Number, b: Number) -> Number:
    if isinstance(b, Fraction) and b.denominator == 1:
        if isinstance(a, Fraction):
            bits = abs(b) * max(a.numerator.bit_length(), a.denominator.bit_length())
            if bits <= _EXACT_BITS:
                return Fraction(a ** int(b))
        return _decimal(a) ** int(b)
    return (_decimal(a).ln() * _decimal(b)).exp()


def _whole(x: Number) -> int:
    if not isinstance(x, Fraction) or x.denominator != 1 or x < 0:
        raise CheckError("A formula needs a whole number.")
    return int(x)


def _growth(d: Number, n: Number) -> Number:
    whole, term, total = _whole(n), Decimal(1), Decimal(1)
    for i in range(min(_whole(d), whole)):
        term = term * (whole - i) / (i + 1)
        total += term
    return total


def _binomial_above(t: Number, p: Number, b: Number) -> Number:
    trials, start, bias = _whole(t), _whole(b) + 1, _decimal(p)
    if start > trials:
        return Fraction(0)
    term = total = Decimal(comb(trials, start)) * bias**start * (1 - bias) ** (trials - start)
    odds = bias / (1 - bias)
    for i in range(start, trials):
        term = term * odds * (trials - i) / (i + 1)
        total += term
        if term < total * Decimal("1e-90") and odds * (trials - i) < i + 1:
            break  # the terms fall from here on: what is left has no digit in the sum
    return total


def _integer(x: Value) -> int:
    if not isinstance(x, Fraction) or x.denominator != 1:
        raise CheckError("A formula needs a whole number.")
    return int(x)


@lru_cache(maxsize=100_000)
def _log_factorial(n: int) -> Decimal:
    if n < 256:
        return Decimal(factorial(n)).ln()
    x = Decimal(n)  # Stirling's series, to 1e-40
    series = sum(
        Decimal(b.numerator) / (b.denominator * 2 * k * (2 * k - 1) * x ** (2 * k - 1))
        for k, b in enumerate(_BERNOULLI, 1)
    )
    return x * x.ln() - x + (2 * _PI * x).ln() / 2 + series


def _chance(n: int, p: Decimal, k: int) -> Decimal:
    """Return Pr[Bin(n, p) = k], 0 < p < 1."""
    ways = _log_factorial(n) - _log_factorial(k) - _log_factorial(n - k)
    return (ways + k * p.ln() + (n - k) * (1 - p).ln()).exp()


@lru_cache(maxsize=10_000)
def _at_most(n: int, p: Decimal, k: int) -> Decimal:
    """Return Pr[Bin(n, p) <= k]: the sum from k down, or the complement of that from k + 1 up."""
    if not 0 <= k < n or p in (0, 1):
        return Decimal(int(k >= n or (k >= 0 and p == 0)))
    if k > n * p:
        return 1 - _at_most(n, 1 - p, n - k - 1)
    odds, term, total = (1 - p) / p, Decimal(1), Decimal(1)
    for i in range(k, 0, -1):
        term = term * i * odds / (n - i + 1)
        total += term
        if term < total * _REST:
            break
    return total * _chance(n, p, k)


@lru_cache(maxsize=16)
def _steps(n: int, down: Fraction, up: Fraction) -> list[Decimal]:
    """Return Pr[a walk <= i - n], i = 0 .. n, by the recurrence of the powers of a trinomial."""
    stay, rise = _decimal((1 - down - up) / down), _decimal(up / down)
    before, term = Decimal(0), _decimal(down) ** n
    sums = [term]
    for i in range(n):
        after = (stay * (n - i) * term + rise * (2 * n - i + 1) * before) / (i + 1)
        before, term = term, after
        sums.append(sums[-1] + term)
    return sums


def _walk(n: Number, p: Number, a: Number, k: Number) -> Number:
    """Return Pr[S <= k], S a sum of n steps, nonzero with probability p, of mean a."""
    steps, at = _whole(n), _integer(k)
    if not (isinstance(p, Fraction) and isinstance(a, Fraction) and 0 < a < p <= 1):
        raise CheckError("A walk needs 0 < a < p <= 1.")
    if at < -steps or at >= steps:
        return Fraction(int(at >= steps))
    if p == 1:
        return _at_most(steps, _decimal((1 + a) / 2), (steps + at) // 2)
    down, up = (p - a) / 2, (p + a) / 2
    if at <= 0:
        return _steps(steps, down, up)[steps + at]
    return 1 - _steps(steps, up, down)[steps - at - 1]


_last_worst: dict[tuple[int, int], int] = {}


def _worst(n: Number, x: Number, w: Number) -> Number:
    """Return the largest Pr[Bin(n, (j + x)/n) <= j]; w > 1: of j to j + w - 1 taken together.

    The largest is looked for by climbing: the chances rise and then fall in j. What is found can
    only be too small, and then disagrees with what a certificate shows.
    """
    trials, width = _whole(n), max(_whole(w), 1)
    if not isinstance(x, Fraction):
        raise CheckError("A formula needs an exact number.")
    whole = x.numerator // x.denominator
    down, part = whole - width + 1, x - whole
    if x <= 0 or down < 0:
        return Fraction(1)
    if x > trials:
        return Fraction(0)

    def height(i: int) -> Decimal:
        if not 0 <= i * width + part <= trials:
            return Decimal(-1)
        return _at_most(trials, _decimal((i * width + part) / trials), i * width - down)

    known = _last_worst.get((trials, width))
    at, stride = (trials // (2 * width), trials // (4 * width) + 1) if known is None else (known, 4)
    best = height(at)
    while stride:
        move = max((height(at + s), at + s) for s in (-stride, stride))
        if move[0] > best:
            best, at = move
        else:
            stride //= 2
    _last_worst[trials, width] = at
    return max(best, Decimal(0))


def _ceil(x: Number) -> Number:
    if isinstance(x, Fraction):
        return Fraction(-(-x.numerator // x.denominator))
    return Fraction(int(x.to_integral_value(rounding="ROUND_CEILING")))


_FUNCTIONS: dict[str, Callable[..., Number]] = {
    "log": lambda x: Fraction(0) if x == 1 else _decimal(x).ln(),
    "exp": lambda x: Fraction(1) if x == 0 else _decimal(x).exp(),
    "sqrt": lambda x: _decimal(x).sqrt(),
    "cosh": lambda x: (_decimal(x).exp() + (-_decimal(x)).exp()) / 2,
    "sinh": lambda x: (_decimal(x).exp() - (-_decimal(x)).exp()) / 2,
    "tanh": lambda x: 1 - 2 / ((2 * _decimal(x)).exp() + 1),
    "atanh": lambda x: ((1 + _decimal(x)) / (1 - _decimal(x))).ln() / 2,
    "min": lambda *xs: min(xs, key=_decimal),
    "max": lambda *xs: max(xs, key=_decimal),
    "ceil": _ceil,
    "floor": lambda x: -_ceil(-x),
    "comb": lambda n, k: Fraction(comb(_whole(n), _whole(k))),
    "growth": _growth,
    "binomial_above": _binomial_above,
    "walk": _walk,
    "worst": _worst,
}


def _agrees(value: Value, shown: Any) -> bool:
    if isinstance(value, bool) or isinstance(shown, bool):
        return value is shown
    if isinstance(shown, str):
        shown = Decimal(shown[1:]) if shown.startswith("~") else _exact(shown)
    if isinstance(shown, int):
        return value == shown
    if isinstance(shown, float) and shown in (float("inf"), 0.0):
        return abs(_decimal(value)) < Decimal("1e-300") or shown > 0
    mine, theirs = (
        _decimal(value),
        _decimal(shown) if isinstance(shown, Fraction) else Decimal(shown),
    )
    return abs(mine - theirs) <= Decimal("1e-12") * max(abs(mine), abs(theirs))


def _short(value: Value) -> str:
    return str(value) if isinstance(value, bool) else f"{_decimal(value):.15g}"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
