"""Composition: what several mechanisms on the *same* records cost together.

Each route is a theorem that yields a valid epsilon; `compose` reports the least. All results are
upper bounds computed with outward rounding and returned as exact decimals, rounded up.

One route composes on a grid of privacy losses. Each loss is replaced by the pair of laws whose
profile joins the dots of its own profile at the grid t_j = e**(j*h). The joined profile lies above
the (convex) one, so that pair dominates, and pairs compose by convolution (Zhu, Dong and Wang 2022,
Theorem 10; adaptive composition included). Convolution is a product of polynomials with ball
coefficients, so every number is an enclosure. When every epsilon is a multiple of h, joining the
dots changes nothing for pure mechanisms: the result is then the *optimal* composition of Kairouz,
Oh and Viswanath 2015.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb, arb_poly, ctx

from littlestone.errors import BudgetError, check_integer, parameter_error
from littlestone.privacy.guarantee import (
    Approximate,
    BoundedRange,
    Concentrated,
    Loss,
    Pure,
    check_nonnegative,
    float_up,
    round_up,
    upper,
)
from littlestone.source import ball

Losses = Iterable[Loss] | Mapping[Loss, int]

_BISECTIONS = 8


@dataclass(frozen=True)
class Route:
    """One valid answer of composition: (epsilon, delta) and the theorem that gives it."""

    name: str
    epsilon: Fraction
    delta: Fraction
    claim: str


def compose(losses: Losses, *, delta: Any = 0) -> tuple[Fraction, Fraction]:
    """Return (epsilon, delta) that adaptive composition of the losses satisfies: the best route.

    All losses are under one neighbouring relation; a mapping says how often each occurs. ``delta``
    in [0, 1) must pay for the leaks of the parts (else `ParameterError`); what is left over buys a
    smaller epsilon, and zero asks for pure privacy: the sum. Returns an upper bound of epsilon, and
    delta as given; pure sums are exact, other values decimals of 15 digits, rounded up.

    Notes
    -----
    The routes are those of `routes`. Cost: under 0.5 s; the grid's work is bounded.

    Examples
    --------
    >>> from littlestone.privacy import BoundedRange, Pure, compose
    >>> compose([Pure("1/3"), Pure("1/6")])
    (Fraction(1, 2), Fraction(0, 1))
    >>> epsilon, delta = compose({BoundedRange(0.1): 100}, delta=1e-6)
    >>> round(float(epsilon), 3)
    2.419
    """
    best = min(routes(losses, delta=delta), key=lambda route: route.epsilon)
    return best.epsilon, best.delta


def routes(losses: Losses, *, delta: Any = 0) -> tuple[Route, ...]:
    """Return every route that applies, in a fixed order.

    ==============  =====================================================  =========================
    name            needs                                                  claim
    ==============  =====================================================  =========================
    sum             all parts pure (bounded range eta is eta-DP)           ``dp.sum``
    grid            all parts have a profile, some delta left over         ``kov15.thm3.3``
    renyi           all parts have Rényi bounds, some delta left over      ``cks20.prop12``
    sum + renyi     pure parts added to the rest's Rényi conversion        ``cks20.prop12``
    ==============  =====================================================  =========================

    Examples
    --------
    >>> from littlestone.privacy import BoundedRange, routes
    >>> for route in routes({BoundedRange(0.1): 100}, delta=1e-6):
    ...     print(f"{route.name:6} {float(route.epsilon):.3f}")
    sum    10.000
    grid   2.612
    renyi  2.419
    """
    counts = _counts(losses)
    total = check_nonnegative("compose", "delta", delta)
    if total >= 1:
        raise parameter_error("compose", "delta", "in [0, 1)", delta)
    # Leaks: the union bound. What is left over is conditional on no leak.
    leak = sum((loss.leak * times for loss, times in counts.items()), Fraction(0))
    if leak > total:
        raise parameter_error(
            "compose",
            "delta",
            f"at least {float_up(leak):.6g}, the sum of the parts' deltas",
            delta,
            "Give the parts smaller deltas, or allow a larger total.",
        )
    spare = (total - leak) / (1 - leak)
    pure = {loss: times for loss, times in counts.items() if loss.reach is not None}
    rest = {loss: times for loss, times in counts.items() if loss.reach is None}
    if rest and not spare:
        raise parameter_error(
            "compose",
            "delta",
            f"larger than {float_up(leak):.6g}: {_names(rest)} cannot be composed without delta",
            delta,
            "Allow a delta, or use pure mechanisms.",
        )
    added = sum(((loss.reach or Fraction(0)) * times for loss, times in pure.items()), Fraction(0))

    found: list[Route] = []

    def take(name: str, epsilon: Fraction | None, claim: str) -> None:
        if epsilon is not None:
            found.append(Route(name, epsilon, total, claim))

    if not rest:
        take("sum", added, "dp.sum")
    if spare and counts:
        if not rest:
            take("grid", _by_grid(counts, spare), "kov15.thm3.3")
        take("renyi", _by_renyi(counts, spare), "cks20.prop12")
        if rest and pure:
            apart = _by_renyi(rest, spare)
            take("sum + renyi", None if apart is None else added + apart, "cks20.prop12")
    if not found:
        raise parameter_error(
            "compose",
            "losses",
            "parts that share one description (reach, Rényi divergence or profile)",
            _names(counts),
            "Give the parts a common description.",
        )
    return tuple(found)


def largest_scale(
    losses: Callable[[Fraction], Losses], *, epsilon: Fraction, delta: Fraction, low: Fraction
) -> tuple[Fraction, str]:
    """Return about the largest scale whose losses compose to (epsilon, delta), and the claim.

    ``losses`` leads from a scale to losses that grow with it; every candidate is composed, so no
    float decides. Those of the scale ``low`` are known to sum to at most the total (claim
    ``dp.sum``).

    Examples
    --------
    >>> from littlestone.privacy import BoundedRange
    >>> scale, claim = largest_scale(lambda x: {BoundedRange(x): 100}, epsilon=Fraction(1),
    ...                              delta=Fraction(1, 10**6), low=Fraction(1, 100))
    >>> round(float(scale), 3), claim
    (0.044, 'cks20.prop12')
    """
    best, high, claim = low, epsilon, "dp.sum"
    for _ in range(_BISECTIONS if delta else 0):
        # few digits: geometric means, since the gain is a factor up to sqrt(parts)
        middle = Fraction(f"{math.sqrt(float(best) * float(high)):.4e}")
        if not best < middle < high:
            break
        route = min(routes(losses(middle), delta=delta), key=lambda route: route.epsilon)
        if route.epsilon <= epsilon:
            best, claim = middle, route.claim
        else:
            high = middle
    return best, claim


def zcdp_to_dp(rho: Any, delta: Any) -> Fraction:
    """Return epsilon such that rho-zCDP implies (epsilon, delta)-DP, rounded up.

    At the best order of Canonne, Kamath and Steinke 2020, Proposition 12.

    Examples
    --------
    >>> round(float(zcdp_to_dp(0.125, 1e-6)), 3)
    2.419
    """
    counts: dict[Loss, int] = {Concentrated(rho): 1}
    spare = check_nonnegative("zcdp_to_dp", "delta", delta)
    if not 0 < spare < 1:
        raise parameter_error("zcdp_to_dp", "delta", "in (0, 1)", delta)
    epsilon = _by_renyi(counts, spare)
    assert epsilon is not None
    return epsilon


def _counts(losses: Losses) -> dict[Loss, int]:
    counted = losses if isinstance(losses, Mapping) else Counter(losses)
    for times in counted.values():
        check_integer("compose", "losses", times, low=0, hint="A loss occurs a number of times.")
    return {loss: times for loss, times in counted.items() if times}


def _names(losses: Iterable[Loss]) -> str:
    return ", ".join(sorted({type(loss).__name__ for loss in losses}))


def _by_grid(counts: Mapping[Loss, int], delta: Fraction) -> Fraction | None:
    bits = 192 + 2 * (delta.denominator // delta.numerator).bit_length()
    composed = compose_on_grid(counts.items(), bits=bits)
    return None if composed is None else round_up(composed.epsilon(delta))


def _tight(divergence: arb, order: arb, delta: arb) -> arb:
    """Return the conversion of Canonne, Kamath and Steinke 2020, Proposition 12, at one order."""
    return divergence - (order * delta).log() / (order - 1) + (1 - 1 / order).log()


def _by_renyi(counts: Mapping[Loss, int], delta: Fraction) -> Fraction | None:
    """Convert the summed Rényi divergence at the best order found; valid at *every* order."""

    def bound(order: arb) -> arb:
        total = arb(0)
        for loss, times in counts.items():
            divergence = loss.renyi(order)
            assert divergence is not None
            total += times * divergence
        return _tight(total, order, ball(delta))

    if any(loss.renyi(Fraction(3, 2)) is None for loss in counts):
        return None

    def height(x: float) -> float:
        value = float(bound(1 + arb(math.exp(x))).mid())
        return value if math.isfinite(value) else math.inf

    with ctx.workprec(80):
        best = _least(height, math.log(1e-4), math.log(1e7))
    # The order only has to be good, not optimal.
    order = 1 + Fraction(round(math.exp(best) * 2**40), 2**40)
    with ctx.workprec(128):
        result = bound(ball(order))
    return round_up(max(upper(result), Fraction(0))) if result.is_finite() else None


def _least(height: Callable[[float], float], low: float, high: float) -> float:
    """Return where ``height`` is about least: a scan, then golden sections around its best."""
    scan = [low + (high - low) * i / 80 for i in range(81)]
    best = min(range(81), key=lambda i: height(scan[i]))
    a, b = scan[max(best - 1, 0)], scan[min(best + 1, 80)]
    golden = (math.sqrt(5) - 1) / 2
    left, right = b - golden * (b - a), a + golden * (b - a)
    at_left, at_right = height(left), height(right)
    for _ in range(60):  # until rounding hides which side is lower
        if at_left <= at_right:
            b, right, at_right = right, left, at_left
            left = b - golden * (b - a)
            at_left = height(left)
        else:
            a, left, at_left = left, right, at_right
            right = a + golden * (b - a)
            at_right = height(right)
    return (a + b) / 2


#: Largest degree of a product: bounds the work; a sum of many losses is left to Rényi's route.
LARGEST = 2**15
#: Grid points from 0 to the sum of the reaches, when the step may be chosen freely.
FINE = 2**12


class Composed:
    """A composed pair: polynomial coefficients are the masses of losses ``(j - shift) * step``."""

    def __init__(self, masses: arb_poly, shift: int, step: Fraction, bits: int) -> None:
        self.masses, self.shift, self.step, self.bits = masses, shift, step, bits

    def epsilon(self, delta: Fraction) -> Fraction:
        """Return an upper bound on the least epsilon >= 0 with divergence at most ``delta``."""
        with ctx.workprec(self.bits):
            target, shrink = ball(delta), (-ball(self.step)).exp()
            over, under = arb(0), arb(0)  # mass of the losses >= j*h under the first, second law
            top = len(self.masses) - 1 - self.shift
            ratio = (-ball(self.step * top)).exp()  # e**(-j*h): second law by first law
            for j in range(top, 0, -1):
                mass = self.masses[j + self.shift]
                over, under = over + mass, under + mass * ratio
                ratio /= shrink  # now e**(-(j-1)*h)
                if not over - under / ratio <= target:
                    # On [(j-1)h, jh] the divergence is over - e**epsilon * under: solve it.
                    root = upper(((over - target) / under).log())
                    return max(root, (j - 1) * self.step)
            return Fraction(0)

    def delta(self, epsilon: Fraction) -> arb:
        """Enclose the hockey-stick divergence at ``epsilon``."""
        with ctx.workprec(self.bits):
            total = arb(0)
            for j in range(math.floor(epsilon / self.step) + 1, len(self.masses) - self.shift):
                total += self.masses[j + self.shift] * (1 - ball(epsilon - j * self.step).exp())
            return total


def compose_on_grid(
    losses: Iterable[tuple[Loss, int]], *, bits: int = 256, fine: int = FINE
) -> Composed | None:
    """Compose losses that have a profile; None when that would exceed the work allowed."""
    parts = [(loss, times) for loss, times in losses if loss.reach]
    step = _step(parts, fine)
    sides = [-(-(loss.reach or Fraction(0)) // step) for loss, _ in parts]
    if sum(side * times for side, (_, times) in zip(sides, parts, strict=True)) > LARGEST:
        return None
    masses, shift = arb_poly([1]), 0
    with ctx.workprec(bits):
        for side, (loss, times) in zip(sides, parts, strict=True):
            masses *= arb_poly(_joined(loss, side, step)) ** times
            shift += side * times
    return Composed(masses, shift, step, bits)


def _joined(loss: Loss, side: int, step: Fraction) -> list[arb]:
    """Return the masses at -side*h..side*h of the pair whose profile joins the dots of ``loss``."""
    ratios = [ball(j * step).exp() for j in range(-side, side + 1)]
    heights: list[arb] = []
    for t in ratios:
        height = loss.profile(t)
        assert height is not None
        heights.append(height)
    slopes = [arb(-1)]  # left of the grid the profile is 1 - t
    for i in range(2 * side):
        slopes.append((heights[i + 1] - heights[i]) / (ratios[i + 1] - ratios[i]))
    slopes.append(arb(0))
    # A profile is sum_j q_j * max(t_j - t, 0): the second law's masses are the changes of slope.
    return [(slopes[i + 1] - slopes[i]) * t for i, t in enumerate(ratios)]


def _step(parts: list[tuple[Loss, int]], fine: int) -> Fraction:
    """Return a grid step: a divisor of all epsilons if that is affordable, else a fine one."""
    total = sum(((loss.reach or Fraction(0)) * times for loss, times in parts), Fraction(0))
    if not total:
        return Fraction(1)
    common = Fraction(0)
    for loss, _ in parts:
        reach = loss.reach or Fraction(0)
        common = Fraction(
            math.gcd(common.numerator * reach.denominator, reach.numerator * common.denominator),
            common.denominator * reach.denominator,
        )
    if total / common > fine:
        return total / fine
    if all(isinstance(loss, Pure) for loss, _ in parts):
        return common  # their profiles are linear between the dots: nothing is lost
    return common / (fine * common // total)


# -- Privacy filters: they say when adaptively chosen mechanisms must stop, to keep a budget.
#
# A *filter* is fixed at the beginning. Before each mechanism, chosen in any way from all that was
# released before, it says whether the mechanism may run. If it is obeyed, everything released
# together satisfies the budget. Each filter here adds two exact numbers, a *cost* and a *leak*,
# and holds each of the two sums under its own limit:
#
# ==============  =====================  ===========  =======================================
# accounting        cost of a mechanism    leak         limits
# ==============  =====================  ===========  =======================================
# pure            epsilon                must be 0    epsilon, 0
# approximate     epsilon                delta        epsilon, delta
# zcdp            rho                    delta        rho*, delta/2
# ==============  =====================  ===========  =======================================
#
# rho* is the largest rho whose conversion at the other half of delta gives at most epsilon.
# Proofs of validity: ``docs/ledger.md``.
#
# References
# ----------
# Rogers, Roth, Ullman, Vadhan 2016, Privacy Odometers and Filters (basic sums); Feldman, Zrnic
# 2021, Individual Privacy Accounting via a Rényi Filter; Whitehouse, Ramdas, Rogers, Wu 2023,
# Fully-Adaptive Composition in Differential Privacy (approximate zCDP).


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
            raise parameter_error(
                "Ledger", "accounting", f"one of {', '.join(ACCOUNTING)}", accounting
            )
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
        hint = "Use approximate accounting." if caller == "Ledger" else "Leave out delta."
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
