"""How often a copy of G submits its most frequent hypothesis, and how many copies that asks for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.bounds.search import log_of
from littlestone.learners.goal import Goal
from littlestone.mechanisms import histogram_threshold

__all__ = ["expected", "least_copies", "stability", "threshold"]


@lru_cache(maxsize=256)
def threshold(budget: Goal) -> int:
    """Return the histogram's threshold."""
    return histogram_threshold(epsilon=budget.epsilon, delta=budget.delta)


@lru_cache(maxsize=16)
def stability(d: int) -> Fraction:
    """Return (nearly) the largest theta with rho_d(theta) >= theta: rounded down.

    Parameters
    ----------
    d : int >= 0
        Littlestone dimension.

    Notes
    -----
    *Source.* Paper 004, Lemma 25, whose recursion is solved instead of bounded
    (docs/learners/stable.md, "Accuracy").

    Examples
    --------
    >>> [f"{float(stability(d)):.3g}" for d in (0, 1, 2, 3, 4)]
    ['1', '0.5', '0.0885', '0.00506', '2.03e-05']
    """
    if d == 0:
        return Fraction(1)
    low, high = 0.0, 0.5

    def reached(theta: float) -> bool:
        rho = 1.0
        for _ in range(d):
            rho = (rho * rho - theta) / (2 * (1 - theta))
            if rho < theta:
                return False
        return True

    if reached(high):
        return Fraction(1, 2)
    for _ in range(600):
        middle = (low + high) / 2
        low, high = (middle, high) if reached(middle) else (low, middle)
    digits, power = f"{low:.3e}".split("e")
    return Fraction(digits) * Fraction(10) ** int(power) * Fraction(999, 1000)


def expected(d: int) -> Iterator[float]:
    """Yield the expected number of batches of 0, 1, ..., d rounds (Lemma 27)."""
    theta, drawn = float(stability(d)), 0.0
    yield drawn
    for _ in range(d):
        drawn = (2 * drawn + 2) / (1 - theta)
        yield drawn


def least_copies(budget: Goal, rate: float, beta: Fraction) -> tuple[Fraction, int]:
    """Return a good tilt l and the least number of copies with chance at most beta to be missed.

    Parameters
    ----------
    budget : Goal
    rate : float in [0, 1]
        With which probability one copy submits the hypothesis.
    beta : Fraction in (0, 1)

    Notes
    -----
    The bound is that of docs/learners/stable.md, "It is listed": one Chernoff bound for the copies
    and the histogram's noise together. Floats: the certificate decides whether it holds.
    """
    tilts, tops, falls = _tilts(budget)
    if not rate:
        return tilts[0], 1
    needed = (tops - log_of(beta)) / -np.log1p(rate * falls)
    best = int(np.argmin(needed))
    return tilts[best], math.ceil(needed[best])


@lru_cache(maxsize=64)
def _tilts(budget: Goal) -> tuple[list[Fraction], npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the tilts that are tried, and what does not depend on the rate and beta.

    That is: the logarithm of the bound without copies, and e**-tilt - 1.
    """
    half, tau = float(budget.epsilon / 2), threshold(budget)
    tilts = [budget.epsilon * i / 128 for i in range(1, 64)]
    tilts += [t for i in range(1, 129) if (t := Fraction(i, 16)) < tilts[-1]]

    def top(tilt: float) -> float:
        noise = 2 * math.log1p(-math.exp(-half))
        noise -= math.log1p(-math.exp(tilt - half)) + math.log1p(-math.exp(-tilt - half))
        return tilt * (tau - 1) + noise

    floats = [float(tilt) for tilt in tilts]
    return tilts, np.array([top(t) for t in floats]), np.array([math.expm1(-t) for t in floats])
