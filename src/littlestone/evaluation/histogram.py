"""What is held out for an evaluation, and the histogram of scores by label that is released."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from littlestone.data.histogram import Groups
from littlestone.errors import check_fraction, check_integer
from littlestone.mechanisms.estimate import truncated
from littlestone.privacy import Neighbours
from littlestone.safe_io import OMITTED, Wire, plain, typed
from littlestone.source import Source
from littlestone.types import Json

# -- The histogram of scores by label, released with two-sided geometric noise in every cell.
#
# The cells are public: every label with every score that any record could have, also where no
# record has it. Replacing one record takes 1 from one cell and adds 1 to another (L1 distance 2);
# adding or removing one moves one cell by 1.
#
# *Proof.* With L1 sensitivity D and independent noises of law ``Pr[z] ~ e**(-r |z|)``,
# ``r = epsilon / D``, the probability of any histogram changes by at most ``e**(r D)``, by the
# triangle inequality in the exponent. Limiting each noisy count to [-n, 2n] is post-processing.
#   []
#
# The true counts are secret; the released ones, and everything in `measures`, are public.
#
# Margins of sums of trees are merged into few cells before they are counted: the noise of what
# follows grows with their number, and what a cell hides of an order the released probabilities
# mend.


Counts = npt.NDArray[np.int64]

HISTOGRAM = "score-histogram"
_CELLS, _CELLS_OF_RARE, _RARE, _MOST_CELLS = 8, 12, 0.08, 32
_PER_RECORD = 0.075  # cells for each record of the rarer label, at epsilon 1
_MOST = 10**18
_FINEST = 1e-9  # smaller tails than this are bounded, not computed
_LONGEST = 2.0**22


@dataclass(frozen=True)
class ScoreHistogram(Wire):
    """A released histogram of scores by label."""

    scores: tuple[int, ...]  # public, increasing
    counts: tuple[tuple[int, ...], ...]  # a row for each label: noisy, perhaps negative
    n: int  # of records that were counted: public under replace-one, else a public bound
    epsilon: Fraction  # what it cost
    rate: Fraction  # of its noise: Pr[z] ~ e**(-rate |z|) in each cell
    held_out: bool = False  # whether the hypothesis was learned from other records
    #: Whether the last row counts cells outside a list of labels.
    unlisted: bool = field(default=False, metadata=OMITTED)
    #: The counts that were released, whose sums ``counts`` are.
    groups: Grouped | None = field(default=None, metadata=OMITTED)

    @property
    def labels(self) -> int:
        """Number of labels that can be answered."""
        return len(self.counts) - self.unlisted

    @property
    def size(self) -> float:
        """What rules of thumb go by: n epsilon."""
        return float(self.epsilon) * self.n

    @property
    def noises(self) -> int:
        """How many independent noises each count has: one, or that of each group."""
        return 1 if self.groups is None else len(self.groups.counts)

    @property
    def noise(self) -> float:
        """The variance of the noise of a count."""
        return self.noises * variance(float(self.rate))

    def reach(self, cells: int, beta: float) -> float:
        """Return what the noise of so many cells together exceeds with probability at most beta."""
        return noise_reach(self.rate, cells * self.noises, beta)

    @property
    def of_groups(self) -> tuple[ScoreHistogram, ...]:
        """The histogram of each group; ``n`` stays that of all records, as a group's is secret."""
        each = () if self.groups is None else self.groups.counts
        return tuple(replace(self, counts=counts, groups=None) for counts in each)

    @property
    def array(self) -> npt.NDArray[np.float64]:
        """The counts, of shape (labels, scores); one row more where some are unlisted."""
        return np.array(self.counts, dtype=np.float64)

    _UNREADABLE = "An evaluation must have the entries that `ScoreHistogram.to_dict` writes."

    def _fits(self) -> bool:
        increasing = all(a < b for a, b in pairwise(self.scores))
        wide = {len(row) for row in self.counts} == {len(self.scores)}
        fits = wide and increasing and len(self.counts) >= 2 + self.unlisted and bool(self.scores)
        numbers = (self.n, *self.scores, *(count for row in self.counts for count in row))
        fits &= self.n >= 0 and max(map(abs, numbers)) <= _MOST
        fits &= self.groups is None or self.groups.total == self.counts
        return fits and self.epsilon > 0 and self.rate > 0


@dataclass(frozen=True)
class Grouped:
    """Released counts of public groups: of each a row for each label, as in a `ScoreHistogram`."""

    groups: Groups
    counts: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def total(self) -> tuple[tuple[int, ...], ...]:
        """The counts of all groups together."""
        return tuple(
            tuple(map(sum, zip(*rows, strict=True))) for rows in zip(*self.counts, strict=True)
        )

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"columns": self.groups.to_list(), "counts": plain(self.counts)}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; it may be untrusted."""
        groups = Groups.from_list(data["columns"])
        counts = typed(tuple[tuple[tuple[int, ...], ...], ...], data["counts"])
        if len(data) != 2 or len(counts) != groups.size + 1:
            raise ValueError
        return cls(groups, counts)


def histogram_rate(
    epsilon: Any, *, neighbours: Neighbours = Neighbours.REPLACE_ONE, records: int = 1
) -> Fraction:
    """Return the rate of the noise that costs ``epsilon``; a neighbour changes ``records`` counts.

    Examples
    --------
    >>> histogram_rate(1), histogram_rate(1, neighbours=Neighbours.ADD_REMOVE)
    (Fraction(1, 2), Fraction(1, 1))
    """
    exact: Fraction = check_fraction("evaluate", "epsilon", epsilon)
    cells = 1 if neighbours is Neighbours.ADD_REMOVE else 2
    return exact / (cells * check_integer("evaluate", "records", records, low=1))


def merged_scores(scores: range, share: float, n: int, epsilon: Any) -> tuple[int, ...]:
    """Return the last score of each cell: few cells of equal width, one ends with 0.

    At most 8, or 12 where the released share of label 1, or of label 0, is below .08; and up to 32
    where so many records are expected of the rarer label that the noise of these cells is a quarter
    of what the sampling has in the variance of AUROC. Cells at the ends may be narrower.

    Examples
    --------
    >>> merged_scores(range(-19, 14, 2), 0.3, 300, 1), merged_scores(range(-3, 4, 2), 0.3, 300, 1)
    ((-19, -13, -7, -1, 5, 11, 13), (-3, -1, 1, 3))
    >>> len(merged_scores(range(-59, 60, 2), 0.3, 1500, 1))
    30
    """
    rarer = min(share, 1 - share)
    most = _CELLS if rarer >= _RARE else _CELLS_OF_RARE
    most = max(most, min(_MOST_CELLS, int(_PER_RECORD * n * rarer * float(epsilon) ** 2)))
    below, above = sum(score <= 0 for score in scores), sum(score > 0 for score in scores)
    wide = max(1, -(-len(scores) // most))
    while -(-below // wide) - (-above // wide) > most:
        wide += 1
    ends = {*range(below - 1, -1, -wide), *range(below + wide - 1, len(scores), wide)}
    return tuple(scores[end] for end in sorted({*ends, len(scores) - 1}))


def release_histogram(
    scores: Sequence[int],
    counts: npt.ArrayLike,
    *,
    n: int,
    epsilon: Any,
    source: Source,
    neighbours: Neighbours = Neighbours.REPLACE_ONE,
    records: int = 1,
    held_out: bool = False,
    unlisted: bool = False,
    groups: Groups | None = None,
) -> ScoreHistogram:
    """Release how many records have each score and label.

    ``scores`` are all that a record could have, increasing (public); ``counts`` has the shape
    (labels, scores), and is private; n is public, or a public bound. With public ``groups``, of
    which each record is in one, the shape is (groups, labels, scores): one histogram of more
    cells, for the same epsilon.

    Guarantee
    ---------
    Pure epsilon-DP for every input (claim ``score-histogram``; proof at the top of the module).

    Notes
    -----
    Cost: at most ``3 + log2(n)`` coins for each cell.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> released = release_histogram(
    ...     [-1, 1], [[40, 9], [7, 44]], n=100, epsilon=2, source=SeededSource(1))
    >>> len(released.counts), released.rate
    (2, Fraction(1, 1))
    """
    array = np.asarray(counts)
    n = check_integer("evaluate", "n", n, low=0)
    fits = array.ndim == 2 if groups is None else array.shape[:-2] == (groups.size + 1,)
    if not fits or array.shape[-1] != len(scores) or array.dtype.kind not in "iu":
        raise ValueError("counts must be integers of shape (labels, scores), for each group.")
    rate = histogram_rate(epsilon, neighbours=neighbours, records=records)
    reach = max(2 * n, 1)  # beyond it, only the limits matter
    noisy = tuple(
        tuple(min(max(count + truncated(rate, reach, source), -n), 2 * n) for count in row)
        for row in array.reshape(-1, len(scores)).tolist()
    )
    exact, grouped = check_fraction("evaluate", "epsilon", epsilon), None
    if groups is not None:
        rows = array.shape[1]
        each = tuple(noisy[i : i + rows] for i in range(0, len(noisy), rows))
        grouped = Grouped(groups, each)
        noisy = grouped.total
    return ScoreHistogram(
        tuple(map(int, scores)), noisy, n, exact, rate, held_out, unlisted, grouped
    )


@lru_cache(maxsize=1024)
def noise_reach(rate: Fraction, cells: int, beta: float) -> float:
    """Return a with ``Pr[|sum of the noises of all cells| > a] <= beta``.

    Notes
    -----
    The law of the sum is the inverse Fourier transform of ``((1 - p)**2 / |1 - p e**(i t)|**2)**m``
    for m cells, p = e**-rate; on a circle four times as long as the tail bound of Chernoff, with
    1e-12 for rounding. Where that would be too fine or too long, the tail bound itself is taken:
    ``2 M(s)**m e**(-s a)`` for the best s < rate of a grid,
    ``M(s) = (1 - p)**2 / ((1 - p e**s) (1 - p e**-s))``.

    Examples
    --------
    >>> noise_reach(Fraction(1, 2), 1, 0.05), noise_reach(Fraction(1, 2), 100, 0.05)
    (6.0, 55.0)
    """
    r = float(rate)
    s = r * np.linspace(0.002, 0.998, 499)
    # ln M, written so that nothing cancels: 1 - p e**s = -expm1(s - r)
    log_m = 2 * np.log(-np.expm1(-r)) - np.log(-np.expm1(s - r)) - np.log(-np.expm1(-s - r))
    far = float(np.min((cells * log_m + np.log(2 / beta)) / s) * (1 + 1e-9))
    if beta < _FINEST or far > _LONGEST:
        return far
    size = 1 << (8 + 4 * int(far)).bit_length()
    angle = 2 * np.pi * np.arange(size // 2 + 1) / size
    # |1 - p e**(it)|**2 = (1 - p)**2 + 4 p sin(t/2)**2
    ratio = 4 * np.exp(-r) * np.sin(angle / 2) ** 2 / np.expm1(-r) ** 2
    law = np.fft.irfft((1 + ratio) ** -float(cells), size)
    inside = law[0] + 2 * np.cumsum(law[1 : size // 2])  # Pr[|sum| <= 1], <= 2, ...
    return float(np.argmax(np.append(inside, 2.0) >= 1 - beta + 1e-12) + 1)


def variance(rate: float) -> float:
    """Return the variance of one noise: 2 p / (1 - p)**2."""
    p = math.exp(-rate)
    return 2 * p / math.expm1(-rate) ** 2


# -- What is held out for an evaluation: how many by a public rule, which by a secret permutation.
#
# The split comes before everything that is learned: columns, the count of neither label and the fit
# read the learning part only. What that count leaves of epsilon is the evaluation's, on the rest:
# then no unit pays twice.
#
# *Proof.* Let a mechanism release A of the learning part, and B of the rest, given A, each
# (epsilon, delta)-DP under replace-one. For every fixed permutation of the n units a replaced unit
# stays in its place, so it is in one of the parts only, and the pair is (epsilon, delta)-DP (claim
# ``dp.parallel``). The permutation is drawn independently of what units are, so the mixture over
# permutations is, too. Units are records, or users with all their records, or persons.  []
#
# It must not be a rule on what a record holds, nor on its place among sorted ones: a replaced
# record then moves others from one part to the other, and both releases see it.


#: Below it nothing is held out unless asked; the size (n epsilon) of the rest; its bounds.
_LEAST, _SIZE, _MOST_HELD_OUT = 500, 1_000, 20_000
_FEWEST_SHARE, _LARGEST_SHARE = Fraction(1, 10), Fraction(3, 10)


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
            return f"not evaluated: {self.enough:,} {unit} would be enough at this epsilon"
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
    'not evaluated: 500 records would be enough at this epsilon'
    """
    number = check_integer("fit", "n", n, low=1)
    exact: Fraction = check_fraction("fit", "epsilon", epsilon)
    size = number * exact
    share = min(max(_SIZE / size, _FEWEST_SHARE), _LARGEST_SHARE)
    units = min(int(share * number), _MOST_HELD_OUT)
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
