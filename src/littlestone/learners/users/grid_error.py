"""Where the best error of a class lies, in one draw instead of a binary search."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from littlestone.learners.users.compare import PrivateCompare
from littlestone.source import Explicit

if TYPE_CHECKING:
    from littlestone.learners.users.sweeps import UserErrors
    from littlestone.source import Source

__all__ = ["GridMinError"]

Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class GridMinError:
    """Our alternative to Algorithm 2: the exponential mechanism over the cells of a grid.

    Cell i of ``cells`` equal parts [c, c'] of [0, 1] is right if the best error is in
    [c - gap, c' + gap]. Its score is the smaller one of two margins, each a number of users: by how
    many the comparison at c - gap says "above", and the one at c' says "below".

    Parameters
    ----------
    samples_per_user : int
    cells : int >= 2
    gap : Fraction in (0, 1/cells]
    epsilon : Fraction
    share : Fraction in (0, 1)
        Of `PrivateCompare`.

    Notes
    -----
    *Guarantee.* Pure epsilon-DP: each margin moves by at most 1 when a user is replaced, so does
    the smaller one; rate epsilon/2.

    *Accuracy.* Let j be the cell that holds eta, i a wrong cell. One margin a of i has the wrong
    sign in expectation, both margins b of j the right one. Cell i is drawn with probability at most
    min(1, e**(epsilon/2 (a - b))) for the smaller b, which is at most e**(l a) + e**(-l' b) for all
    0 <= l, l' <= epsilon: that is clear unless a < 0 < b, and then the geometric mean of
    e**(epsilon a) and e**(-epsilon b) is at most their arithmetic mean. In expectation the sum of
    all terms is at most 2 (e**(-n up) + abs(H) e**(-n down)), with the rates of a comparison that
    has *all* of epsilon. A binary search has fewer events, but T times less epsilon for each.

    Examples
    --------
    >>> search = GridMinError(16, 8, Fraction(1, 16), Fraction(1), Fraction(1, 2))
    >>> search.weight, search.answers, [str(end) for end in search.intervals[1]]
    (14, 3, ['1/16', '5/16'])
    """

    samples_per_user: int
    cells: int
    gap: Fraction
    epsilon: Fraction
    share: Fraction

    name = "grid"

    def _compare(self, midpoint: Fraction) -> PrivateCompare | None:
        if midpoint <= 0 or midpoint + self.gap >= 1:
            return None  # nothing to compare with: no margin
        return PrivateCompare(self.samples_per_user, midpoint, self.gap, self.epsilon, self.share)

    @cached_property
    def pairs(self) -> list[tuple[PrivateCompare | None, PrivateCompare | None]]:
        """The lower and the upper comparison of each cell."""
        ends = [Fraction(i, self.cells) for i in range(self.cells + 1)]
        return [
            (self._compare(low - self.gap), self._compare(high)) for low, high in pairwise(ends)
        ]

    @cached_property
    def comparisons(self) -> tuple[PrivateCompare, ...]:
        """All comparisons that have a margin."""
        return tuple(one for pair in self.pairs for one in pair if one is not None)

    @cached_property
    def intervals(self) -> list[Interval]:
        """What each cell says about the best error."""
        width = Fraction(1, self.cells)
        return [
            (max(Fraction(0), i * width - self.gap), min(Fraction(1), (i + 1) * width + self.gap))
            for i in range(self.cells)
        ]

    @property
    def weight(self) -> int:
        """How many failures of a comparison add up."""
        return 2 * (self.cells - 1)

    @property
    def answers(self) -> int:
        """How many cells can be right at once."""
        return min(self.cells, math.floor(1 + 2 * self.gap * self.cells) + 1)

    def locate(self, errors: UserErrors, n: int, source: Source) -> Interval:
        """Return an interval for the best error of the class; see `PrivateMinError.locate`."""
        scale = math.lcm(*(one.cut.denominator for one in self.comparisons))
        least = {t: errors.least(t) for t in {one.t for one in self.comparisons}}

        def margin(compare: PrivateCompare, sign: int) -> int:
            return sign * int(scale * (least[compare.t] - n * compare.cut))

        # A cell that is compared with nothing holds every error: it is right anyway, and has the
        # best margin that there is (the proof needs more than 0), whatever the data.
        scores = [
            min(
                (margin(one, sign) for one, sign in zip(pair, (1, -1), strict=True) if one),
                default=n * scale,
            )
            for pair in self.pairs
        ]
        rate = self.epsilon / (2 * scale)
        return self.intervals[Explicit(scores).draw(rate, source)]
