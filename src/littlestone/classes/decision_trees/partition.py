"""Partition functions of trees, as balls: the weight of each root, with all trees below it.

With rate r, a leaf over a zeros and b ones can be labelled 0 (b errors) or 1 (a errors), so its
two trees of depth 0 weigh ``f = e**(-r b) + e**(-r a)`` together. The errors of a deeper tree are
the sum of those of its two sides, so all trees of depth d with the root s weigh
``Z(yes side, d - 1) * Z(no side, d - 1)``, and ``Z(region, d)`` is the sum of that over all splits.

All terms are sums and products of positive balls: the relative error grows by about one unit of
rounding for each operation, and nothing ever cancels.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from flint import arb

from littlestone.classes.decision_trees.counts import Pairs, crossings, singles, within_sides
from littlestone.classes.decision_trees.splits import Counts, Region
from littlestone.classes.decision_trees.tabled import AnyRegion
from littlestone.source import ball

__all__ = ["Powers", "root_weights"]


class Powers:
    """e**(-rate * k) for counts k, each computed once, at the precision of the context.

    Examples
    --------
    >>> powers = Powers(Fraction(1, 2))
    >>> float(powers(0)), round(float(powers.leaf(2, 0)), 4)
    (1.0, 1.3679)
    """

    def __init__(self, rate: Fraction) -> None:
        self.rate = Fraction(rate)
        self._known: dict[int, arb] = {0: arb(1)}

    def __call__(self, k: int) -> arb:
        """Return e**(-rate * k)."""
        power = self._known.get(k)
        if power is None:
            power = self._known[k] = ball(-self.rate * k).exp()
        return power

    def leaf(self, zeros: int, ones: int) -> arb:
        """Return the weight of both labels of a leaf."""
        return self(zeros) + self(ones)

    def leaves(self, zeros: Counts, ones: Counts) -> npt.NDArray[np.object_]:
        """Return the weights of many leaves; equal ones are computed once."""
        # pairs, not one code for both: zeros * width + ones may not fit 64 bits
        pairs = np.stack([zeros.ravel(), ones.ravel()], axis=1)
        distinct, where = np.unique(pairs, axis=0, return_inverse=True)
        known = np.array([self.leaf(zero, one) for zero, one in distinct.tolist()], dtype=object)
        weights: npt.NDArray[np.object_] = known[where.reshape(zeros.shape)]
        return weights


def root_weights(region: AnyRegion, depth: int, powers: Powers) -> list[arb]:
    """Return for each pattern the weight of all trees of a depth whose root is one of its splits.

    Parameters
    ----------
    region : Region or TabledRegion
    depth : int >= 1
    powers : Powers
        Fresh for each precision.

    Returns
    -------
    list of arb
        At the precision of the context.

    Notes
    -----
    *Cost.* With p patterns: 2 p leaves at depth 1, 4 p**2 at depth 2, 8 p**3 at depth 3, and so on.
    """
    multiplicity = region.patterns.multiplicity.tolist()
    sides: list[tuple[arb, ...]]
    match depth:
        case 1:
            zeros, ones = singles(region)
            yes = powers.leaves(zeros, ones)
            no = powers.leaves(region.totals[0] - zeros, region.totals[1] - ones)
            sides = list(zip(yes, no, strict=True))
        case 2:
            return _of_pairs(crossings(region), multiplicity, powers)
        case 3:
            sides = [
                tuple(_sum(_of_pairs(side, multiplicity, powers)) for side in both)
                for both in within_sides(region)
            ]
        case _:
            assert isinstance(region, Region)
            sides = [
                tuple(_sum(root_weights(side, depth - 1, powers)) for side in both)
                for both in region.sides()
            ]
    return [ball(times) * yes * no for times, (yes, no) in zip(multiplicity, sides, strict=True)]


def _of_pairs(pairs: Pairs, multiplicity: Sequence[int], powers: Powers) -> list[arb]:
    """Return the weights of the roots of depth 2: rows are roots, columns what a side asks."""
    both, first, second, neither = (powers.leaves(zeros, ones) for zeros, ones in pairs.leaves())
    times = np.array([ball(m) for m in multiplicity], dtype=object)
    yes, no = (both * first) @ times, (second * neither) @ times
    return list(times * yes * no)


def _sum(balls: Sequence[arb]) -> arb:
    return sum(balls, arb(0))
