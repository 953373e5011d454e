"""The same weights in double precision, each with a proved bound of its relative error.

What it is for: at depth 3 there are millions of leaves, at depth 4 a billion. Balls take seconds,
and many minutes, for them; doubles a tenth of that and less. The first enclosures that are
presented come from here; they decide all but about one draw in 2**30, and the rest is refined with
balls (`partition`).

*Representation.* A weight is a pair (k, x), worth ``x * e**(-r k)``: k is the exact integer number
of errors of the best tree it sums up, and x >= 1, so nothing can overflow or underflow.

*Error.* Let u = 2**-53. All numbers are positive, and sums, products and conversions are rounded
to nearest, each by a factor (1 + d), |d| <= u, whatever the order of a sum and with or without
fused multiply-add. A number "has c factors" if it is the exact one times at most c such factors or
their inverses; then its relative error is at most c u/(1 - c u) <= 2 c u.

* The table E[k] of ``e**(-r k)``: each entry is compared with its ball when it is made, and is
  within 2 u: 3 factors.
* 1 + E: 4 factors. A term E * (1 + E) * (1 + E) of a leaf pair: 3 + 4 + 4 + 2 = 13 factors. Times
  a multiplicity, summed over p patterns: 13 + 1 + p <= 14 + p =: c_1.
* With c for a side of depth d - 1, a root (multiplicity * yes * no) has 2 c + 2; shifted to the
  common k and summed up: (2 c + 2) + 1 + 3 + p = 2 c + p + 6 =: c_d.

*What is dropped.* Beyond the end K of the table, e**(-r k) is replaced by 0. One such term stands
for at most N trees (N = number of trees of the full depth), each weighing at most e**(-r K) of the
best one, which is counted. This happens in at most 2**(depth + 1) sums, and K is so large that
altogether less than 2**-100 is lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from littlestone.classes.decision_trees.counts import (
    Pairs,
    crossings,
    within_crossings,
    within_sides,
)
from littlestone.classes.decision_trees.splits import Counts, Region
from littlestone.source import ball

__all__ = ["Enclosed", "Table", "enclose_roots", "error_bound", "powers_needed"]

Doubles = npt.NDArray[np.float64]

_LN2 = Fraction(694, 1001)  # rounded up
_DROPPED = 2.0**-100


class Table:
    """e**(-rate * k) for k = 0, 1, ..., as doubles within a relative error of 2**-52; then zeros.

    Parameters
    ----------
    rate : Fraction > 0
    largest : int
        No larger k is asked for.
    bits : int
        e**(-rate * k) may be replaced by 0 once it is below 2**-bits.
    """

    def __init__(self, rate: Fraction, largest: int, bits: int) -> None:
        last = min(largest, math.floor(bits * _LN2 / rate))
        with ctx.workprec(128):
            balls = [ball(-rate * k).exp() for k in range(last + 1)]
            doubles = [float(b.mid()) for b in balls]
            # Checked, not believed: how an exponential is converted is up to the library.
            near = (abs(b - x) <= b * arb(2) ** -52 for b, x in zip(balls, doubles, strict=True))
            if not all(map(bool, near)):
                raise ArithmeticError("A power was not converted to the nearest double.")
        self._powers: Doubles = np.array([*doubles, 0.0])

    def __call__(self, k: Counts) -> Doubles:
        """Return the powers of an array of k >= 0."""
        return self._powers.take(k, mode="clip")


def error_bound(depth: int, patterns: int) -> float:
    """Return the bound of the relative error of `enclose_roots`.

    Examples
    --------
    >>> error_bound(3, 150) < 2**-41
    True
    """
    factors = 14 + patterns
    for _ in range(depth - 2):
        factors = 2 * factors + patterns + 6
    return 2 * (2 * factors + 2) * 2.0**-53 + _DROPPED


@dataclass(frozen=True, eq=False)
class Enclosed:
    """Weights ``doubles[i] * e**(-rate * errors[i])``, within a relative error of ``bound``."""

    errors: Counts
    doubles: Doubles
    bound: float
    rate: Fraction

    def balls(self) -> list[arb]:
        """Return one ball for each weight, scaled so that the fewest errors count e**0."""
        least = int(self.errors.min())
        return [
            arb(x, 2 * x * self.bound) * ball(-self.rate * (k - least)).exp()
            for k, x in zip(self.errors.tolist(), self.doubles.tolist(), strict=True)
        ]


def enclose_roots(region: Region, depth: int, rate: Fraction) -> Enclosed:
    """Return the weights that `partition.root_weights` returns, up to one common factor.

    Parameters
    ----------
    region : Region
    depth : int >= 2
    rate : Fraction > 0

    Raises
    ------
    ArithmeticError
        If the doubles of this machine cannot be trusted.
    """
    patterns = len(region.patterns)
    table = Table(rate, sum(region.totals), _bits(region, depth))
    errors, doubles = _roots(region, depth, table)
    return Enclosed(errors, doubles, error_bound(depth, patterns), rate)


def powers_needed(region: Region, depth: int, rate: Fraction) -> int:
    """Return how many powers `enclose_roots` would tabulate: many, where the rate is small."""
    return min(sum(region.totals), math.floor(_bits(region, depth) * _LN2 / rate)) + 1


def _bits(region: Region, depth: int) -> int:
    trees: int = 2 ** (2**depth) * len(region.answers) ** (2**depth - 1)
    return 102 + depth + trees.bit_length()


def _roots(region: Region, depth: int, table: Table) -> tuple[Counts, Doubles]:
    times = region.patterns.multiplicity.astype(np.float64)
    if depth == 2:
        return _of_pairs(crossings(region), times, table)
    sides: list[tuple[tuple[int, float], ...]]
    if depth == 3:
        sides = [
            tuple(_total(*_of_pairs(side, times, table), table) for side in both)
            for both in within_sides(region)
        ]
    elif depth == 4:
        sides = _sides_of_depth_4(region, times, table)
    else:
        sides = [
            tuple(_total(*_roots(side, depth - 1, table), table) for side in both)
            for both in region.sides()
        ]
    errors = np.array([yes[0] + no[0] for yes, no in sides], dtype=np.int64)
    return errors, times * np.array([yes[1] * no[1] for yes, no in sides])


def _sides_of_depth_4(
    region: Region, times: Doubles, table: Table
) -> list[tuple[tuple[int, float], ...]]:
    """Weigh the two sides of each root; a region below two splits serves them in both orders."""
    p = len(times)
    errors, weights = np.zeros((2, p, 2, p), dtype=np.int64), np.zeros((2, p, 2, p))
    for s, t, regions in within_crossings(region):
        for (a, b), pairs in zip(product((0, 1), repeat=2), regions, strict=True):
            below = _total(*_of_pairs(pairs, times, table), table)
            errors[a, s, b, t], weights[a, s, b, t] = below
            errors[b, t, a, s], weights[b, t, a, s] = below
    return [
        tuple(
            _total(errors[a, s].sum(axis=0), times * weights[a, s].prod(axis=0), table)
            for a in (0, 1)
        )
        for s in range(p)
    ]


def _of_pairs(pairs: Pairs, times: Doubles, table: Table) -> tuple[Counts, Doubles]:
    """Return the roots of depth 2: rows are roots, columns what a side asks."""
    best, both = zip(*(_leaf(zeros, ones, table) for zeros, ones in pairs.leaves()), strict=True)
    errors, weights = 0, times
    for first, second in ((0, 1), (2, 3)):  # the yes side, the no side
        wrong = best[first] + best[second]
        least = wrong.min(axis=1)
        terms = table(wrong - least[:, None]) * both[first] * both[second]
        errors, weights = errors + least, weights * (terms @ times)
    return np.asarray(errors), weights


def _leaf(zeros: Counts, ones: Counts, table: Table) -> tuple[Counts, Doubles]:
    """Return the errors of the better label, and the weight of both relative to its."""
    return np.minimum(zeros, ones), 1.0 + table(np.abs(zeros - ones))


def _total(errors: Counts, doubles: Doubles, table: Table) -> tuple[int, float]:
    least = int(errors.min())
    return least, float(table(errors - least) @ doubles)
