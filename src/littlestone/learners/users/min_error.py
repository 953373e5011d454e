"""PrivateMinError: where the best error of a class lies, by a binary search of private bits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from littlestone.learners.users.compare import PrivateCompare

if TYPE_CHECKING:
    from littlestone.learners.users.sweeps import UserErrors
    from littlestone.source import Source

__all__ = ["PrivateMinError"]


@dataclass(frozen=True)
class PrivateMinError:
    """Paper 002, Algorithm 2 (for its Lemma 4.5), with its branch the right way round.

    Parameters
    ----------
    samples_per_user : int
    steps : int >= 0
        Comparisons, T in the paper. With none, the answer is "in [0, 1]", for free.
    gap : Fraction in (0, 1)
        The tolerance of each comparison, alpha/2 in Lemma C.1.
    epsilon : Fraction
        Of all comparisons together: each one gets ``epsilon / steps``.
    share : Fraction in (0, 1)
        Of `PrivateCompare`.

    Notes
    -----
    *Guarantee.* Pure epsilon-DP by composition.

    *Accuracy.* If no comparison errs, the best error lies in [l, r + gap], where r = l + 2**-steps
    (after a 1, eta > midpoint = l; after a 0, eta < midpoint + gap = r + gap). While none errs,
    [l, r] is one of the dyadic intervals with l < eta < r + gap, of which there are at most
    ``ceil(1 + gap / (r - l))``: `weight` counts their midpoints. This union is needed because
    the midpoints depend on the data; the paper applies its bound as if they were fixed.

    *Deviation from the paper.* As printed, the search goes to the wrong half; see `branch`.

    Examples
    --------
    >>> search = PrivateMinError(16, 3, Fraction(1, 20), Fraction(1), Fraction(1, 2))
    >>> search.weight, search.answers
    (5, 2)
    """

    samples_per_user: int
    steps: int
    gap: Fraction
    epsilon: Fraction
    share: Fraction

    name = "binary"

    def compare(self, midpoint: Fraction) -> PrivateCompare:
        """Return the comparison with a midpoint."""
        return PrivateCompare(
            self.samples_per_user, midpoint, self.gap, self.epsilon / self.steps, self.share
        )

    @staticmethod
    def branch(bit: int, low: Fraction, middle: Fraction, high: Fraction) -> tuple[Fraction, ...]:
        """Return the half to go on with: the lower one after "below" (0).

        Algorithm 2 as printed does the opposite: an exact comparator with eta = 0.05 then ends at
        0.97.
        """
        return (middle, high) if bit else (low, middle)

    def locate(self, errors: UserErrors, n: int, source: Source) -> tuple[Fraction, Fraction]:
        """Return the interval [l, min(1, r + gap)] for the best error of the class.

        Parameters
        ----------
        errors : UserErrors
        n : int
            Number of users (public).
        source : Source
        """
        # Algorithm 2: l and r; its loop; epsilon' = epsilon/T is shared out in `compare`.
        low, high = Fraction(0), Fraction(1)
        for _ in range(self.steps):
            middle = (low + high) / 2
            bit = self._known[middle].decide(errors, n, source)
            low, high = self.branch(bit, low, middle, high)
        return low, min(Fraction(1), high + self.gap)

    @cached_property
    def comparisons(self) -> tuple[PrivateCompare, ...]:
        """All comparisons that may take place and are not trivial."""
        return tuple(one for one in self._known.values() if not one.trivial)

    @cached_property
    def _known(self) -> dict[Fraction, PrivateCompare]:
        size = 2**self.steps
        return {Fraction(j, size): self.compare(Fraction(j, size)) for j in range(1, size)}

    @cached_property
    def intervals(self) -> list[tuple[Fraction, Fraction]]:
        """All intervals that may be the answer."""
        width = Fraction(1, 2**self.steps)
        lows = [j * width for j in range(2**self.steps)]
        return [(low, min(Fraction(1), low + width + self.gap)) for low in lows]

    @property
    def weight(self) -> int:
        """How many midpoints can be met as long as no comparison errs: their failures add up."""
        return sum(self._near(k) for k in range(self.steps))

    @property
    def answers(self) -> int:
        """How many intervals can be the answer if no comparison errs."""
        return self._near(self.steps)

    def _near(self, level: int) -> int:
        return min(1 << level, math.ceil(1 + self.gap * (1 << level)))
