"""Exact reals of the form sum of c_j * e**q_j, and rigorous enclosures of them.

Every weight that a mechanism of this library presents is such a number, so it can be enclosed to
any precision (by FLINT balls) and its sign can be decided exactly.
"""

from __future__ import annotations

from fractions import Fraction
from numbers import Rational

from flint import arb, ctx, fmpq, fmpz


def ball(value: Fraction | int) -> arb:
    """Return an enclosure of a rational at the current precision.

    Examples
    --------
    >>> float(ball(Fraction(1, 4)))
    0.25
    """
    if isinstance(value, int):
        return arb(fmpz(value)) if value.bit_length() <= ctx.prec else arb(fmpz(value)) + 0
    return arb(fmpq(value.numerator, value.denominator))


class Exp:
    """An exact real: a finite sum of c * e**q with rational c and q.

    Supports ``+``, ``-`` and ``*`` (also with integers and fractions), hashing and equality;
    equality is exact, because powers of e with distinct rational exponents are linearly
    independent over the rationals (Lindemann-Weierstrass).

    Examples
    --------
    >>> (exp(1) - 2).sign(), (exp(1) * exp(-1) - 1).sign()
    (1, 0)
    """

    __slots__ = ("terms",)

    def __init__(self, terms: dict[Fraction, Fraction]) -> None:
        #: ``((q, c), ...)``, sorted by q, no c zero.
        self.terms = tuple(sorted((q, c) for q, c in terms.items() if c))

    def enclose(self, bits: int) -> arb:
        """Return a ball that contains the number, computed with ``bits`` bits."""
        with ctx.workprec(max(bits, 16)):
            total = arb(0)
            for q, c in self.terms:
                total += ball(c) * ball(q).exp() if q else ball(c)
            return total

    def sign(self) -> int:
        """Return -1, 0 or 1, exactly."""
        if not self.terms:
            return 0
        if len({c > 0 for _, c in self.terms}) == 1:
            return 1 if self.terms[0][1] > 0 else -1
        bits = 64
        while True:  # ends: a sum with a nonzero term is not zero (Lindemann-Weierstrass)
            enclosure = self.enclose(bits)
            if enclosure > 0:
                return 1
            if enclosure < 0:
                return -1
            bits *= 2

    def __add__(self, other: Exp | Fraction | int) -> Exp:
        terms = dict(self.terms)
        for q, c in as_exp(other).terms:
            terms[q] = terms.get(q, Fraction(0)) + c
        return Exp(terms)

    __radd__ = __add__

    def __neg__(self) -> Exp:
        return Exp({q: -c for q, c in self.terms})

    def __sub__(self, other: Exp | Fraction | int) -> Exp:
        return self + -as_exp(other)

    def __rsub__(self, other: Exp | Fraction | int) -> Exp:
        return as_exp(other) - self

    def __mul__(self, other: Exp | Fraction | int) -> Exp:
        terms: dict[Fraction, Fraction] = {}
        for q, c in self.terms:
            for p, b in as_exp(other).terms:
                terms[p + q] = terms.get(p + q, Fraction(0)) + b * c
        return Exp(terms)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Exp | Rational):
            return self.terms == as_exp(other).terms
        return NotImplemented

    def __hash__(self) -> int:
        rational = all(not q for q, _ in self.terms)  # equals, so must hash like, a Fraction
        return hash(sum(c for _, c in self.terms)) if rational else hash(self.terms)

    def __repr__(self) -> str:
        return " + ".join(f"{c}*e**({q})" if q else str(c) for q, c in self.terms) or "0"


def exp(q: Fraction | int, times: Fraction | int = 1) -> Exp:
    """Return the exact real ``times * e**q``.

    Examples
    --------
    >>> exp(Fraction(1, 2), times=3)
    3*e**(1/2)
    """
    return Exp({_rational(q): _rational(times)})


def as_exp(value: Exp | Rational | int) -> Exp:
    """Return an integer, a fraction or an exact real as an exact real; floats are refused."""
    if isinstance(value, Exp):
        return value
    if isinstance(value, Rational):
        return Exp({Fraction(0): _rational(value)})
    raise TypeError(
        f"An exact real must be an int, a Fraction or an Exp. Got {type(value).__name__}. "
        "Write Fraction('0.1') instead of 0.1."
    )


def _rational(value: Rational | int) -> Fraction:
    """Return a fraction of Python integers: NumPy's integers would overflow in arithmetic."""
    if type(value) is Fraction and type(value.numerator) is type(value.denominator) is int:
        return value
    return Fraction(int(value.numerator), int(value.denominator))
