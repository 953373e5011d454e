"""Independent arithmetic for the laws: decimals of the standard library, 120 digits."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest

from littlestone.source import exp

#: "Verified" means: at most the claim, up to far less than anything observable.
TOLERANCE = Fraction(1, 2**100)
#: The largest float below ln 3 (checked below): no Fraction is ln 3.
LN3 = Fraction(math.nextafter(math.log(3), 0))
EPSILONS = [Fraction(1, 2), pytest.param(Fraction(1), marks=pytest.mark.full), LN3]

CONTEXT = Context(prec=120, Emin=-(10**9), Emax=10**9)


class Brute:
    """Softmax, losses and divergences without the library."""

    def exp(self, q: Fraction | int, times: Fraction | int = 1) -> Decimal:
        with localcontext(CONTEXT):
            q, times = Fraction(q), Fraction(times)
            return (
                (Decimal(q.numerator) / Decimal(q.denominator)).exp()
                * Decimal(times.numerator)
                / Decimal(times.denominator)
            )

    def normalise(self, weights: Mapping[Hashable, Decimal]) -> dict[Hashable, Decimal]:
        with localcontext(CONTEXT):
            total = sum(weights.values())
            return {outcome: w / total for outcome, w in weights.items()}

    def logarithms(self, p: Mapping) -> dict[Hashable, Fraction]:
        with localcontext(CONTEXT):
            return {outcome: Fraction(mass.ln()) for outcome, mass in p.items()}

    def hockey_stick(self, p: Mapping, q: Mapping, epsilon: Fraction) -> Fraction:
        with localcontext(CONTEXT):
            factor, zero = self.exp(epsilon), Decimal(0)
            return Fraction(
                sum((max(zero, m - factor * q.get(o, zero)) for o, m in p.items()), zero)
            )

    def agrees(self, law, expected: Mapping[Hashable, Decimal]) -> bool:
        """Whether an exact law is the expected one, to 2**-100."""
        return set(law.outcomes) == set(expected) and all(
            abs(fraction(law.outcomes[outcome]) - Fraction(chance)) < TOLERANCE
            for outcome, chance in expected.items()
        )


def fraction(ball) -> Fraction:
    man, power = ball.mid().man_exp()
    return Fraction(int(man)) * Fraction(2) ** int(power)


@pytest.fixture(scope="session")
def brute() -> Brute:
    assert (exp(LN3) - 3).sign() == -1, "rounded down"
    return Brute()


@pytest.fixture(scope="session")
def tolerance() -> Fraction:
    return TOLERANCE


@pytest.fixture(params=EPSILONS, ids=["1/2", "1", "ln3"], scope="session")
def epsilon(request) -> Fraction:
    return request.param
