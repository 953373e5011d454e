"""Composition on a grid of privacy losses, with rigorous enclosures.

Each loss is replaced by the pair of laws whose profile joins the dots of its own profile at the
grid t_j = e**(j*h). The joined profile lies above the (convex) one, so that pair dominates, and
pairs compose by convolution (Zhu, Dong and Wang 2022, Theorem 10; adaptive composition included).
Convolution is a product of polynomials with ball coefficients, so every number is an enclosure.

When every epsilon is a multiple of h, joining the dots changes nothing for pure mechanisms: the
result is then the *optimal* composition of Kairouz, Oh and Viswanath 2015.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from flint import arb, arb_poly, ctx

from littlestone.privacy.losses import Loss, Pure
from littlestone.privacy.rounding import upper
from littlestone.source import ball

__all__ = ["Composed", "compose_on_grid"]

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
    """Compose losses that have a profile; None when that would exceed the work allowed.

    Parameters
    ----------
    losses : iterable of (Loss, times)
        Leaks are ignored here: `compose` takes them out first.
    bits : int, default=256
        Working precision; absolute errors are about 2**-bits.
    fine : int, default=4096
        Grid points up to the sum of the reaches (unless the epsilons ask for more, or less).
    """
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
