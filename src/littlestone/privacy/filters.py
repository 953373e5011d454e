"""Privacy filters: they say when adaptively chosen mechanisms must stop, to keep a budget.

A *filter* is fixed at the beginning. Before each mechanism, chosen in any way from all that was
released before, it says whether the mechanism may run. If it is obeyed, everything released
together satisfies the budget. Each filter here adds two exact numbers, a *cost* and a *leak*, and
holds each of the two sums under its own limit:

==============  =====================  ===========  =======================================
accounting        cost of a mechanism    leak         limits
==============  =====================  ===========  =======================================
pure            epsilon                must be 0    epsilon, 0
approximate     epsilon                delta        epsilon, delta
zcdp            rho                    delta        rho*, delta/2
==============  =====================  ===========  =======================================

rho* is the largest rho whose conversion at the other half of delta gives at most epsilon. Proofs
of validity: ``docs/ledger.md``.

References
----------
Rogers, Roth, Ullman, Vadhan 2016, Privacy Odometers and Filters (basic sums); Feldman, Zrnic 2021,
Individual Privacy Accounting via a Rényi Filter; Whitehouse, Ramdas, Rogers, Wu 2023,
Fully-Adaptive Composition in Differential Privacy (approximate zCDP).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from littlestone.errors import BudgetError, parameter_error
from littlestone.privacy.compose import zcdp_to_dp
from littlestone.privacy.losses import Approximate, BoundedRange, Concentrated, Loss, Pure
from littlestone.privacy.rounding import round_up

_LONG = 6000  # bits of a denominator
_KEPT = 1000  # fractions with a denominator up to this are kept as they are


class Price(NamedTuple):
    """What a mechanism takes from a budget."""

    cost: Fraction
    leak: Fraction


class Filter:
    """A budget (epsilon, delta) with its rule.

    ``delta`` is 0 with pure accounting, and only there; ``rho`` is rho*, if it was computed before:
    it is checked.

    Examples
    --------
    >>> from littlestone.privacy import BoundedRange, Pure
    >>> Filter("pure", Fraction(1), Fraction(0)).price(Pure("1/10"))
    Price(cost=Fraction(1, 10), leak=Fraction(0, 1))
    >>> concentrated = Filter("zcdp", Fraction(1), Fraction(1, 10**6))
    >>> concentrated.limit.cost // concentrated.price(BoundedRange("1/10")).cost
    18
    """

    def __init__(
        self, accounting: str, epsilon: Fraction, delta: Fraction, rho: Fraction | None = None
    ) -> None:
        if accounting not in ACCOUNTING:
            raise parameter_error("Ledger", "accounting", f"one of {ACCOUNTING}", accounting)
        if epsilon <= 0:
            raise parameter_error("Ledger", "epsilon", "a number in (0, inf)", epsilon)
        if accounting == "pure" and delta:
            raise parameter_error(
                "Ledger", "delta", "left out with pure accounting", delta, "Pure means delta = 0."
            )
        if accounting != "pure" and not 0 < delta < 1:
            raise parameter_error(
                "Ledger",
                "delta",
                f"in (0, 1) with {accounting} accounting",
                delta or None,
                "For example 1e-6.",
            )
        self.accounting, self.epsilon, self.delta = accounting, epsilon, delta
        self.limit = Price(epsilon, delta)
        if accounting == "zcdp":
            if rho is None:
                rho = largest_rho(epsilon, delta / 2)
            elif not 0 < rho <= _beyond(epsilon) or zcdp_to_dp(rho, delta / 2) > epsilon:
                raise parameter_error("Ledger", "rho", "no more than the budget allows", rho)
            self.limit = Price(rho, delta / 2)

    def price(self, loss: Loss) -> Price:
        """Return what a mechanism costs; never less than it should."""
        return Price(*(exactly(part) for part in _PRICES[self.accounting](loss)))

    def allows(self, spent: Price, price: Price) -> bool:
        """Return whether a mechanism of this price may run after what was spent."""
        return all(s + p <= most for s, p, most in zip(spent, price, self.limit, strict=True))

    def largest_pure(self, spent: Price) -> Fraction:
        """Return the largest epsilon of a pure mechanism that may still run (rounded down)."""
        left = max(self.limit.cost - spent.cost, Fraction(0))
        if self.accounting != "zcdp" or left >= 2:
            # Also for zCDP: an epsilon above 2 costs itself.
            return left if exactly(left) == left else _down(left)
        scale = 10**15
        return Fraction(math.isqrt(int(2 * left * scale**2)), scale)

    def implied(self, spent: Price) -> tuple[Fraction, Fraction]:
        """Return (epsilon, delta) of what was spent, rounded up, for readers."""
        if self.accounting != "zcdp":
            return spent
        epsilon = zcdp_to_dp(spent.cost, self.delta / 2) if spent.cost else Fraction(0)
        return epsilon, spent.leak + (self.delta / 2 if spent.cost else 0)


def exactly(x: Fraction) -> Fraction:
    """Return the number if it is a decimal or a small fraction, else 15 digits, rounded up.

    Sums of such numbers stay short, whatever a guarantee says.

    Examples
    --------
    >>> exactly(Fraction(1, 3)), exactly(Fraction(1, 8192)), float(exactly(Fraction(1, 3001)))
    (Fraction(1, 3), Fraction(1, 8192), 0.000333222259246918)
    """
    rest = x.denominator
    if rest <= _KEPT:
        return x
    if rest.bit_length() > _LONG:
        return round_up(x)
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return x if rest == 1 else round_up(x)


def _down(x: Fraction) -> Fraction:
    """Return the largest decimal of 14 digits that is at most x > 0."""
    scale = Fraction(10) ** (13 - math.floor(math.log10(x.numerator) - math.log10(x.denominator)))
    return Fraction(math.floor(x * scale)) / scale


def _in_sums(loss: Loss, *, pure: bool) -> tuple[Fraction, Fraction]:
    if loss.reach is None or (pure and loss.leak):
        accounting = "pure" if pure else "approximate"
        what = "(epsilon, delta)" if loss.reach is not None else type(loss).__name__
        raise BudgetError(
            f"A {accounting} ledger cannot pay for a guarantee of the form {what}. Nothing was "
            "spent. Use a pure learner, or make a ledger with a delta: littlestone ledger create "
            "PATH --epsilon E --delta 1e-6, in Python Ledger(path, epsilon=E, delta=1e-6)."
        )
    return loss.reach, loss.leak


def _in_zcdp(loss: Loss) -> tuple[Fraction, Fraction]:
    if isinstance(loss, Concentrated):
        return loss.rho, Fraction(0)
    if isinstance(loss, BoundedRange):  # Cesar and Rogers 2021
        return min(loss.eta**2 / 8, loss.eta), Fraction(0)
    if isinstance(loss, Approximate):
        return _pure_rho(loss.epsilon), loss.delta
    if isinstance(loss, Pure):
        return _pure_rho(loss.epsilon), Fraction(0)
    raise BudgetError(
        f"A zcdp ledger cannot pay for a {type(loss).__name__}. Nothing was spent. State the "
        "guarantee as Pure, Approximate, BoundedRange or Concentrated."
    )


def _pure_rho(epsilon: Fraction) -> Fraction:
    """Return rho of an epsilon-DP mechanism (Bun and Steinke 2016); no divergence is larger."""
    return min(epsilon**2 / 2, epsilon)


def _beyond(epsilon: Fraction) -> Fraction:
    """Return what rho* cannot exceed: at delta < 1/2 the Gaussian pair of rho shows it."""
    return 2 * epsilon + 10


def largest_rho(epsilon: Fraction, delta: Fraction, *, caller: str = "Ledger") -> Fraction:
    """Return the largest rho, to some digits, whose conversion at delta is at most epsilon.

    A billionth of epsilon is left, so that a machine with other floats agrees when it checks.
    """
    goal = epsilon * (1 - Fraction(1, 10**9))
    low, high = min(epsilon, epsilon**2) / 10**12, _beyond(epsilon)
    if zcdp_to_dp(low, delta) > goal:
        hint = "Use approximate accounting." if caller == "Ledger" else "Leave out the delta."
        allowed = "large enough to be converted from zCDP at this delta"
        raise parameter_error(caller, "epsilon", allowed, float(epsilon), hint)
    while high - low > low / 10**9:
        middle = (low + high) / 2
        low, high = (middle, high) if zcdp_to_dp(middle, delta) <= goal else (low, middle)
    digits = 12 - math.floor(math.log10(low))
    rho = Fraction(math.floor(low * Fraction(10) ** digits)) / Fraction(10) ** digits
    while zcdp_to_dp(rho, delta) > goal:  # the order that is found may wobble
        rho *= 1 - Fraction(1, 10**9)
    return rho


_PRICES: dict[str, Callable[[Any], tuple[Fraction, Fraction]]] = {
    "pure": lambda loss: _in_sums(loss, pure=True),
    "approximate": lambda loss: _in_sums(loss, pure=False),
    "zcdp": _in_zcdp,
}
#: How the releases of a budget may add up.
ACCOUNTING = tuple(_PRICES)
