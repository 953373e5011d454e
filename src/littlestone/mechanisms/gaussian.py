"""The discrete Gaussian, drawn exactly by finitely many coins, and what it costs.

``Pr[z] ~ e**(-z**2 / (2 v))`` on the integers. Independent noises of variances v_i on integers that
a neighbour moves by at most a_i cost ``sum of a_i**2 / (2 v_i)`` of rho-zCDP (Canonne, Kamath and
Steinke 2020, Theorem 14), also if the integers depend on each other.
"""

from __future__ import annotations

import math
from fractions import Fraction

from littlestone.mechanisms.estimate import two_sided
from littlestone.source import ExplicitWeights, Source, exp


def discrete_gaussian(variance: Fraction, source: Source) -> int:
    """Draw z exactly.

    Notes
    -----
    Canonne, Kamath and Steinke 2020, Algorithm 3: a two-sided geometric number is kept or drawn
    anew; it takes less than two attempts on average.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> abs(discrete_gaussian(Fraction(10**8), SeededSource(0))) < 60_000
    True
    """
    while True:
        z = attempt(variance, source)
        if z is not None:
            return z


def attempt(variance: Fraction, source: Source) -> int | None:
    """Return a number that is kept, or None; z is kept with chance ``c e**(-z**2 / (2 v))``."""
    scale = math.isqrt(math.floor(variance)) + 1
    z = two_sided(Fraction(1, scale), source)
    # e**(-|z| / scale) * e**(-(|z| - v / scale)**2 / (2 v)) = c * e**(-z**2 / (2 v))
    kept = exp(-((abs(z) - variance / scale) ** 2) / (2 * variance))
    return z if source.choose(ExplicitWeights(1 - kept, kept)) else None
