"""What is held out for an evaluation: how many by a public rule, which by a secret permutation.

The split comes before everything that is learned: columns, the count of neither label and the fit
read the learning part only. What that count leaves of epsilon is the evaluation's, on the rest:
then no unit pays twice.

*Proof.* Let a mechanism release A of the learning part, and B of the rest, given A, each
(epsilon, delta)-DP under replace-one. For every fixed permutation of the n units a replaced unit
stays in its place, so it is in one of the parts only, and the pair is (epsilon, delta)-DP (claim
``dp.parallel``). The permutation is drawn independently of what units are, so the mixture over
permutations is, too. Units are records, or users with all their records, or persons.  []

It must not be a rule on what a record holds, nor on its place among sorted ones: a replaced record
then moves others from one part to the other, and both releases see it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from littlestone.data import Sample
from littlestone.data.sample import split as split_records
from littlestone.data.targets import TargetSample
from littlestone.errors import check_fraction, check_integer
from littlestone.source import Source

#: Below it nothing is held out unless asked; the size (n epsilon) of the rest; its bounds.
_LEAST, _SIZE, _MOST = 500, 1_000, 20_000
_FEWEST_SHARE, _LARGEST_SHARE = Fraction(1, 10), Fraction(3, 10)

Part = TypeVar("Part", Sample, TargetSample)


@dataclass(frozen=True)
class HeldOut:
    """How many of n units are held out by the public rule."""

    n: int
    epsilon: Fraction
    units: int  # 0: not evaluated

    @property
    def enough(self) -> int:
        """From how many units on an evaluation is made unasked."""
        return math.ceil(_LEAST / self.epsilon)

    def words(self, unit: str = "records") -> str:
        """Say it in a line."""
        if not self.units:
            return f"not evaluated: {self.enough:,} {unit} would be enough"
        return f"evaluated on {self.units:,} held-out {unit}"


def held_out_by_rule(n: Any, epsilon: Any) -> HeldOut:
    """Return how many of n units to hold out: a public number.

    A share of ``1000 / (n epsilon)`` between .1 and .3, at most 20,000; none below ``n epsilon``
    500.

    Examples
    --------
    >>> [held_out_by_rule(n, 1).units for n in (400, 500, 2_000, 5_000, 10**6)]
    [0, 150, 600, 1000, 20000]
    >>> held_out_by_rule(400, 1).words()
    'not evaluated: 500 records would be enough'
    """
    number = check_integer("fit", "n", n, low=1)
    exact: Fraction = check_fraction("fit", "epsilon", epsilon)
    size = number * exact
    share = min(max(_SIZE / size, _FEWEST_SHARE), _LARGEST_SHARE)
    units = min(int(share * number), _MOST)
    if number < 2 or size < _LEAST:
        return HeldOut(number, exact, 0)
    return HeldOut(number, exact, max(units, 1))


def held_out_rows(n: int, first: int, source: Source) -> npt.NDArray[np.bool_]:
    """Draw which of n units are held out: rows of a table in their order, or users.

    A secret permutation forgets the order, whatever it is.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> held_out_rows(5, 2, SeededSource(0)).sum()
    np.int64(2)
    """
    mask = np.zeros(n, dtype=np.bool_)
    mask[source.permutation(n, first)] = True
    return mask


def split_units(sample: Part, first: int, source: Source) -> tuple[Part, Part]:
    """Draw so many units (public), and return these, and the others; users with all their records.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> split_units(Sample.of([5, 3, 5], [1, 0, 1]), 1, SeededSource(0))
    (Sample(n=1), Sample(n=2))
    """
    if isinstance(sample, TargetSample):
        return sample.split(source, first)
    return split_records(sample, source, first)
