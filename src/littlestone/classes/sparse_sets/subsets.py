"""The exponential mechanism over all sets of at most k items, without listing them.

The items: some with a gain each (an integer, what it adds to the score), and ``free`` more that
change nothing. A set's weight is ``e**(rate * sum of gains)``; the weights of all r-subsets add up
to an elementary symmetric polynomial, which a sum of positive numbers gives row by row. So a set
is drawn size first, then item by item, each time from exact (enclosed) weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb

from flint import arb, ctx

from littlestone.source import Source, ball

Table = list[list[arb]]

Enclose = Callable[[int], list[arb]]


class SubsetLaw:
    """All sets of at most ``most`` items, of which at least ``least`` (0 or 1).

    Notes
    -----
    Cost: O(len(gains) * most) enclosures for each precision that a draw asks for, and at most
    ``most + 2`` choices.
    """

    def __init__(
        self, gains: Sequence[int], free: int, most: int, rate: Fraction, *, least: int = 0
    ) -> None:
        self._gains, self._free, self._least = list(gains), free, least
        self._most = min(most, len(self._gains) + free)
        self._rate = Fraction(rate)
        self._tables: dict[int, tuple[Table, list[arb]]] = {}

    @property
    def size(self) -> int:
        """Number of sets."""
        items = len(self._gains) + self._free
        return sum(comb(items, r) for r in range(self._least, self._most + 1))

    def draw(self, source: Source) -> tuple[list[int], int, int]:
        """Draw a set: the indices of its items that matter, and how many free ones, and which."""
        cells = self._cells()
        r, others = cells[source.choose(_Computed(len(cells), self._cell_weights))]
        rank = source.below(comb(self._free, others))
        chosen: list[int] = []
        end = len(self._gains)
        while r:  # the last item of the set, then the one before it, ...
            row = _Computed(end, self._last_weights(end, r))
            end = source.choose(row)
            chosen.append(end)
            r -= 1
        return chosen[::-1], others, rank

    def total(self, bits: int) -> arb:
        """Return an enclosure of the sum of all weights."""
        with ctx.workprec(self._precision(bits)):
            return sum(self._cell_weights(bits), arb(0))

    def _cells(self) -> list[tuple[int, int]]:
        """Return the possible (number of items that matter, number of free items)."""
        sizes = range(min(self._most, len(self._gains)) + 1)
        return [
            (r, others)
            for r in sizes
            for others in range(min(self._most - r, self._free) + 1)
            if r + others >= self._least
        ]

    def _cell_weights(self, bits: int) -> list[arb]:
        sums, _ = self._table(bits)
        with ctx.workprec(self._precision(bits)):
            return [sums[-1][r] * ball(comb(self._free, others)) for r, others in self._cells()]

    def _last_weights(self, end: int, r: int) -> Enclose:
        def weights(bits: int) -> list[arb]:
            sums, factors = self._table(bits)
            with ctx.workprec(self._precision(bits)):
                return [sums[i][r - 1] * factors[i] for i in range(end)]

        return weights

    def _table(self, bits: int) -> tuple[Table, list[arb]]:
        """Return S[i][r], the total weight of the r-subsets of the first i items; and factors."""
        if bits not in self._tables:
            with ctx.workprec(self._precision(bits)):
                powers = {gain: ball(self._rate * gain).exp() for gain in set(self._gains)}
                factors = [powers[gain] for gain in self._gains]
                top = min(self._most, len(factors))
                row = [arb(1)] + [arb(0)] * top
                sums = [row]
                for factor in factors:
                    shifted = zip(row[1:], row, strict=False)
                    row = [arb(1)] + [same + less * factor for same, less in shifted]
                    sums.append(row)
            self._tables = {bits: (sums, factors)}  # the last precision is asked for again
        return self._tables[bits]

    def _precision(self, bits: int) -> int:
        """Return a working precision: every step loses less than one unit of rounding."""
        return bits + 2 * (len(self._gains) + 2).bit_length() + 8


class _Computed:
    """Weights that are computed at any precision."""

    def __init__(self, length: int, weights: Enclose) -> None:
        self._length, self._weights = length, weights

    def __len__(self) -> int:
        return self._length

    def enclose(self, bits: int) -> list[arb]:
        """Return the enclosures."""
        return self._weights(bits)


def unrank(n: int, r: int, rank: int) -> list[int]:
    """Return the r-subset of range(n) with a rank in the combinatorial number system.

    Examples
    --------
    >>> [unrank(4, 2, rank) for rank in range(6)]
    [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]]
    """
    out = []
    while r:  # the largest element c with comb(c, r) <= rank
        low, high = r - 1, n - 1
        while low < high:
            middle = (low + high + 1) // 2
            if comb(middle, r) <= rank:
                low = middle
            else:
                high = middle - 1
        out.append(low)
        rank -= comb(low, r)
        n, r = low, r - 1
    return out[::-1]
