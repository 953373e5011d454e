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

*What is not weighed.* Of a root of depth 2 in a sum, and of a root of depth 3, whose errors are
more than K above the fewest, the weight is not computed: in a sum it is dropped, and at the top the
root is enclosed by 0 and N e**(-r (k - least)) < 2**-100.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from littlestone.classes.decision_trees.counts import (
    Floats,
    Pairs,
    Sides,
    crossings,
    within_crossings,
    within_sides,
)
from littlestone.classes.decision_trees.splits import Counts, Region
from littlestone.classes.decision_trees.tabled import AnyRegion
from littlestone.source import ball

__all__ = ["Enclosed", "Table", "enclose_roots", "error_bound", "powers_needed"]

Doubles = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

_LN2 = Fraction(694, 1001)  # rounded up
_DROPPED = 2.0**-100
_CACHED = 1 << 15  # entries of a table that are weighed together


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

    @property
    def last(self) -> int:
        """The last k whose power is not 0."""
        return len(self._powers) - 2

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
    """Weights ``doubles[i] * e**(-rate * errors[i])``, within a relative error of ``bound``.

    Where ``doubles[i]`` is 0 the errors are far from the fewest, and no more is known than that
    there are at most ``most`` trees.
    """

    errors: Counts
    doubles: Doubles
    bound: float
    rate: Fraction
    most: int

    def balls(self) -> list[arb]:
        """Return one ball for each weight, scaled so that the fewest errors count e**0."""
        least = int(self.errors.min())
        half = arb(self.most) / 2
        far = arb(half, half)
        return [
            (arb(x, 2 * x * self.bound) if x else far) * ball(-self.rate * (k - least)).exp()
            for k, x in zip(self.errors.tolist(), self.doubles.tolist(), strict=True)
        ]


def enclose_roots(region: AnyRegion, depth: int, rate: Fraction) -> Enclosed:
    """Return the weights that `partition.root_weights` returns, up to one common factor.

    Parameters
    ----------
    region : Region or TabledRegion
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
    return Enclosed(errors, doubles, error_bound(depth, patterns), rate, _trees(region, depth))


def powers_needed(region: AnyRegion, depth: int, rate: Fraction) -> int:
    """Return how many powers `enclose_roots` would tabulate: many, where the rate is small."""
    return min(sum(region.totals), math.floor(_bits(region, depth) * _LN2 / rate)) + 1


def _bits(region: AnyRegion, depth: int) -> int:
    return 102 + depth + _trees(region, depth).bit_length()


def _trees(region: AnyRegion, depth: int) -> int:
    return int(2 ** (2**depth) * region.n_splits ** (2**depth - 1))


def _roots(region: AnyRegion, depth: int, table: Table) -> tuple[Counts, Doubles]:
    times = region.patterns.multiplicity.astype(np.float64)
    if depth == 2:
        pairs = crossings(region)
        return _errors(pairs), times * _weights(pairs, np.arange(len(times)), times, table)
    if depth == 3:
        return _roots_of_depth_3(region, times, table)
    sides: list[tuple[tuple[int, float], ...]]
    if depth == 4:
        assert isinstance(region, Region)
        sides = _sides_of_depth_4(region, times, table)
    else:
        assert isinstance(region, Region)
        sides = [
            tuple(_total(*_roots(side, depth - 1, table), table) for side in both)
            for both in region.sides()
        ]
    errors = np.array([yes[0] + no[0] for yes, no in sides], dtype=np.int64)
    return errors, times * np.array([yes[1] * no[1] for yes, no in sides])


def _roots_of_depth_3(region: AnyRegion, times: Doubles, table: Table) -> tuple[Counts, Doubles]:
    """Weigh the roots whose errors are near the fewest; of others the errors are enough."""
    errors, doubles = np.zeros(len(times), dtype=np.int64), np.zeros(len(times))
    for root, both in enumerate(within_sides(region)):
        wrong = [_errors(side) for side in both]
        errors[root] = sum(int(w.min()) for w in wrong)
        if errors[root] - errors[: root + 1].min() <= table.last:
            below = [_of_pairs(s, w, times, table)[1] for s, w in zip(both, wrong, strict=True)]
            doubles[root] = times[root] * below[0] * below[1]
    return errors, doubles


def _sides_of_depth_4(
    region: Region, times: Doubles, table: Table
) -> list[tuple[tuple[int, float], ...]]:
    """Weigh the two sides of each root; a region below two splits serves them in both orders."""
    p = len(times)
    errors, weights = np.zeros((2, p, 2, p), dtype=np.int64), np.zeros((2, p, 2, p))
    for s, t, regions in within_crossings(region):
        for (a, b), pairs in zip(product((0, 1), repeat=2), regions, strict=True):
            below = _of_pairs(pairs, _errors(pairs), times, table)
            errors[a, s, b, t], weights[a, s, b, t] = below
            errors[b, t, a, s], weights[b, t, a, s] = below
    return [
        tuple(
            _total(errors[a, s].sum(axis=0), times * weights[a, s].prod(axis=0), table)
            for a in (0, 1)
        )
        for s in range(p)
    ]


def _errors(pairs: Pairs) -> Counts:
    """Return the fewest errors of trees of depth 2 with each root.

    In the type of the counts, and a few roots at a time: their tables stay in the cache.
    """
    out = np.zeros(len(pairs.zeros), dtype=np.int64)
    for rows in _rows(np.arange(len(out)), len(out)):
        for leaves in pairs.sides(rows):
            out[rows] += _wrong(leaves).min(axis=1).astype(np.int64)
    return out


def _of_pairs(pairs: Pairs, errors: Counts, times: Doubles, table: Table) -> tuple[int, float]:
    """Return the sum over all trees of depth 2; roots far from the fewest errors add 0."""
    near = np.flatnonzero(errors - errors.min() <= table.last)
    return _total(errors[near], times[near] * _weights(pairs, near, times, table), table)


def _weights(pairs: Pairs, roots: Indices, times: Doubles, table: Table) -> Doubles:
    """Return the weight of the trees of depth 2 with each of some roots, beside its best one."""
    out = np.ones(len(roots))
    for place in _rows(np.arange(len(roots)), len(times)):
        for leaves in pairs.sides(roots[place]):
            wrong = _wrong(leaves)
            terms = table((wrong - wrong.min(axis=1)[:, None]).astype(np.int64))
            for zeros, ones in leaves:
                terms *= 1.0 + table(np.abs(zeros - ones).astype(np.int64))
            out[place] *= terms @ times
    return out


def _rows(chosen: Indices, width: int) -> Iterator[Indices]:
    """Yield a few of the chosen rows of a table at a time."""
    step = max(1, _CACHED // max(1, width))
    for start in range(0, len(chosen), step):
        yield chosen[start : start + step]


def _wrong(leaves: Sides) -> Floats:
    """Return the errors of the stumps on one side of some roots: rows are roots."""
    (zeros, ones), (other_zeros, other_ones) = leaves
    wrong: Floats = np.minimum(zeros, ones) + np.minimum(other_zeros, other_ones)
    return wrong


def _total(errors: Counts, doubles: Doubles, table: Table) -> tuple[int, float]:
    least = int(errors.min())
    return least, float(table(errors - least) @ doubles)
