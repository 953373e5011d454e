"""What one mechanism promises, in the forms that compose: the items of `compose`.

Every loss splits into a *leak*, the probability with which everything may be given away, and a
rest that is described in up to three ways, each of which composes by its own rule:

====================  =============================================  =========================
description           what it bounds                                 composes by
====================  =============================================  =========================
``reach``             the largest privacy loss (pure DP)             sum
``renyi(order)``      the Rényi divergence of each order             sum at equal order
``profile(t)``        the hockey-stick divergence at each t = e**x   product of dominating pairs
====================  =============================================  =========================

The three hold for both orders of the two data sets, and for adaptive composition.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from littlestone.errors import check_integer, parameter_error
from littlestone.privacy.rounding import check_nonnegative
from littlestone.source import ball


class Loss:
    """Base of all losses. A description that a loss does not have is None (leak: zero).

    A new mechanism may bring its own: a frozen dataclass with the descriptions it can prove.
    """

    @property
    def leak(self) -> Fraction:
        """Probability with which everything may be given away."""
        return Fraction(0)

    @property
    def reach(self) -> Fraction | None:
        """Epsilon with which the rest is pure."""
        return None

    def renyi(self, order: Fraction | arb) -> arb | None:
        """Enclose a bound on the Rényi divergence of ``order`` > 1 (infinite where none holds)."""
        return None

    def profile(self, t: arb) -> arb | None:
        """Enclose a bound on the hockey-stick divergence at ``t`` > 0.

        Must be a convex function of t, equal to 1 - t up to e**-reach and 0 from e**reach on, so
        that it is the profile of a pair of laws (a dominating pair).
        """
        return None


def _order(order: Fraction | arb) -> arb:
    return order if isinstance(order, arb) else ball(order)


@dataclass(frozen=True)
class Pure(Loss):
    """Pure epsilon-differential privacy; dominated by randomized response.

    Examples
    --------
    >>> Pure(0.1).reach
    Fraction(1, 10)
    """

    epsilon: Fraction

    def __post_init__(self) -> None:
        _store(self, "epsilon")

    @property
    def reach(self) -> Fraction:
        """The epsilon itself."""
        return self.epsilon

    def renyi(self, order: Fraction | arb) -> arb:
        """Enclose the divergence of randomized response (Mironov 2017, Proposition 5)."""
        a, e = _order(order), ball(self.epsilon)
        up, down = (e * a).exp(), (e * (1 - a)).exp()
        return ((up + down) / (1 + e.exp())).log() / (a - 1)

    def profile(self, t: arb) -> arb:
        """Enclose the profile of randomized response: linear between its two losses."""
        e = ball(self.epsilon).exp()
        return _between(t, e, (e - t) / (1 + e))


@dataclass(frozen=True)
class Approximate(Pure):
    """(epsilon, delta)-DP: with probability delta all is given away, the rest is pure [KOV15].

    ``Approximate(0, delta)`` beside another loss says "that loss, except with probability delta";
    so `BoundedRange(2 * e)` and ``Approximate(0, d)`` together describe a sparse selection.
    """

    delta: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        _store(self, "delta")
        if self.delta > 1:
            raise parameter_error("Approximate", "delta", "in [0, 1]", self.delta)

    @property
    def leak(self) -> Fraction:
        """The delta."""
        return self.delta


@dataclass(frozen=True)
class BoundedRange(Loss):
    """The log-likelihood ratio lies in some interval of length eta: the exponential mechanism.

    Weights e**(rate * score): under replace-one a score moves up or down by 1 and eta = 2 * rate;
    when all scores move one way by at most 1, eta = rate. Implies eta-DP and eta**2/8-zCDP.

    References
    ----------
    Durfee and Rogers 2019 (bounded range); Dong, Durfee and Rogers 2020 (profile); Cesar and
    Rogers 2021 (zCDP).
    """

    eta: Fraction

    def __post_init__(self) -> None:
        _store(self, "eta")

    @property
    def reach(self) -> Fraction:
        """Eta: an interval of length eta that contains 0 reaches at most to eta."""
        return self.eta

    def renyi(self, order: Fraction | arb) -> arb:
        """Enclose order * eta**2 / 8."""
        return _order(order) * ball(self.eta**2 / 8)

    def profile(self, t: arb) -> arb:
        """Enclose the largest profile of any pair with that range."""
        e = ball(self.eta)
        inside = (1 - (-e / 2).exp() * t.sqrt()) ** 2 / (1 - (-e).exp()) if self.eta else arb(0)
        return _between(t, e.exp(), inside)


@dataclass(frozen=True)
class Concentrated(Loss):
    """rho-zCDP: the Rényi divergence of every order is at most order * rho [BS16]."""

    rho: Fraction

    def __post_init__(self) -> None:
        _store(self, "rho")

    def renyi(self, order: Fraction | arb) -> arb:
        """Enclose order * rho."""
        return _order(order) * ball(self.rho)


@dataclass(frozen=True)
class ChargedTests(Loss):
    """Any number of adaptive epsilon-DP binary tests, stopped after some *charged* outcomes.

    One fixed label (say "above") is charged; the other is free. With e = e**epsilon, at each order
    1 < a < ln(1+e)/epsilon the transcript has Rényi divergence at most
    charges * max(ln(A/(1-B)), ln(B/(1-A))) / (a-1), A = e**a / (1+e), B = e**(1-a) / (1+e).
    Claim ``charged-tests.renyi``; the constant is exactly tight.
    """

    epsilon: Fraction
    charges: int

    def __post_init__(self) -> None:
        _store(self, "epsilon")
        check_integer("ChargedTests", "charges", self.charges, low=0)

    def renyi(self, order: Fraction | arb) -> arb:
        """Enclose the divergence; infinite from order ln(1+e**epsilon)/epsilon on."""
        q, e = _order(order), ball(self.epsilon)
        one = 1 + e.exp()
        a, b = (e * q).exp() / one, (e * (1 - q)).exp() / one
        if not (a < 1 and b < 1):
            return arb("inf")
        cost = (a / (1 - b)).log().max((b / (1 - a)).log())
        return self.charges * cost / (q - 1)


def _between(t: arb, e: arb, inside: arb) -> arb:
    """Return the profile that is 1-t up to 1/e, ``inside`` up to e, then 0 (all three convex)."""
    if t >= e:
        return arb(0)
    if t * e <= 1:
        return 1 - t
    # Undecided at a kink: the pieces agree there, and the larger of all is a safe bound.
    return inside if 1 / e < t < e else inside.max(1 - t).max(arb(0))


def _store(loss: Loss, name: str) -> None:
    value = check_nonnegative(type(loss).__name__, name, getattr(loss, name))
    object.__setattr__(loss, name, value)
