"""Truth from elsewhere: the standard library's decimals, and a source with prescribed bits."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

import pytest

from ..prescribed import PrescribedBits

DIGITS = 700


class Truth:
    """High-precision arithmetic that shares nothing with the library."""

    context = Context(prec=DIGITS, Emin=-(10**9), Emax=10**9)
    #: relative error of everything below is far smaller than this
    tolerance = Decimal(10) ** (20 - DIGITS)

    def decimal(self, value: Fraction | int) -> Decimal:
        with localcontext(self.context):
            value = Fraction(value)
            return Decimal(value.numerator) / Decimal(value.denominator)

    def exp(self, q: Fraction | int, times: Fraction | int = 1) -> Decimal:
        with localcontext(self.context):
            q = Fraction(q)
            if abs(q.numerator) < 10**6:  # a power of a root that many of a test's numbers share
                return self.decimal(times) * self._root(q.denominator) ** q.numerator
            return self.decimal(times) * self.decimal(q).exp()

    @lru_cache(maxsize=4096)  # noqa: B019 - there is one for the session
    def _root(self, d: int) -> Decimal:
        with localcontext(self.context):
            return self.decimal(Fraction(1, d)).exp()

    def cumulative(self, weights: list[Decimal]) -> list[Decimal]:
        with localcontext(self.context):
            total, partial, out = sum(weights), Decimal(0), []
            for weight in weights:
                partial += weight
                out.append(partial / total)
            return out

    def inverse(self, u: Fraction, cumulative: list[Decimal]) -> int:
        """Return the least outcome i with U < C_i."""
        with localcontext(self.context):
            return next(i for i, c in enumerate(cumulative) if self.decimal(u) < c)

    def cells(self, c: Decimal, bits: int) -> tuple[Fraction, Fraction]:
        """Return the neighbours of c on the grid of the given fineness, below and above."""
        with localcontext(self.context):
            below = int(c * 2**bits)
        return Fraction(below, 2**bits), Fraction(below + 1, 2**bits)

    def contains(self, ball, value: Decimal, size: Decimal | None = None) -> bool:
        """Whether a ball contains a value, computed from parts of about the given size."""
        mid, rad = (
            Fraction(int(m)) * Fraction(2) ** int(e)
            for m, e in (ball.mid().man_exp(), ball.rad().man_exp())
        )
        exact = Fraction(value)
        return abs(exact - mid) <= rad + Fraction(size or abs(value)) * Fraction(self.tolerance)


@pytest.fixture(scope="session")
def truth() -> Truth:
    return Truth()


@pytest.fixture(scope="session")
def prescribed():
    return PrescribedBits
