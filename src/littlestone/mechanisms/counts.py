"""Noisy counts of cells: of public ones, and of items that cannot be listed beforehand.

Each record is in one cell or none. So a replaced record moves at most two counts, by 1 each. Noise
is independent, `Noise`: discrete Gaussian of variance v, or two-sided geometric of rate r.

*Proof of the claim.* (replace-one). Public cells: ``2 / (2 v)`` of rho-zCDP (Canonne, Kamath and
Steinke 2020, Theorem 14), or 2 r. Of items only those with at least *least* records are looked at,
and kept if the noisy count reaches tau; q = Pr[least + z >= tau]. An item with fewer records is as
one that is never kept. A replaced record moves one item down and one up. If both are looked at
before and after, or neither, that is as above. An item that is looked at on one side only has
*least* records there: except with probability q it is not kept, and the other items and cells are
then independent of that, with counts that move as above. Both of the two may be such items; the
record that leaves one is on one side, the other on the other, so on each side at most one of
them is kept, with probability q. So the two laws are ``P = (1 - p) R + p S`` with p <= q, and
likewise P', p', where R and R' are (epsilon, d)-close as those of public cells are. With
m = max(p, p'), ``P - e**epsilon P' <= (1 - m)(R - e**epsilon R') + m`` on every event, so P and P'
are (epsilon, d + q)-close; of several columns the chances q add.
*Tail.* ``Pr[z >= t] <= Pr[N(0, v) >= t - 1]`` for t >= 1: the sum over x >= t of the decreasing
``e**(-x**2 / 2v)`` is at most its integral from t - 1, and the sum over all integers is at least
``sqrt(2 pi v)`` (Poisson). []
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb

from littlestone.bounds import register_claim
from littlestone.bounds.search import least_n
from littlestone.mechanisms.estimate import two_sided
from littlestone.mechanisms.gaussian import discrete_gaussian
from littlestone.privacy import Concentrated, Loss, Pure
from littlestone.source import Source, ball

PRIVACY = register_claim(
    "counts.privacy",
    "littlestone; noise: Canonne, Kamath and Steinke 2020, Theorem 14",
    "2020; docs/mechanisms.md",
    "Counts of disjoint cells with discrete Gaussian noise of variance v are 1/v-zCDP under "
    "replace-one, with two-sided geometric noise of rate r 2r-DP. So are they with items that "
    "cannot be listed, where only those of at least m records are kept, and if their noisy counts "
    "reach tau, except with probability Pr[m + z >= tau].",
)


@dataclass(frozen=True)
class Noise:
    """Noise of counts: Gaussian with a variance, or geometric with a rate."""

    variance: Fraction | None = None
    rate: Fraction | None = None

    def draw(self, source: Source) -> int:
        """Draw one, exactly."""
        if self.variance is not None:
            return discrete_gaussian(self.variance, source)
        assert self.rate is not None
        return two_sided(self.rate, source)

    @property
    def loss(self) -> Loss:
        """What the counts of one set of disjoint cells cost, without items."""
        if self.variance is not None:
            return Concentrated(1 / self.variance)
        assert self.rate is not None
        return Pure(2 * self.rate)

    def beyond(self, chance: Fraction) -> int:
        """Return a t >= 1 with ``Pr[z >= t] <= chance``, about the least.

        Examples
        --------
        >>> Noise(variance=Fraction(100**2)).beyond(Fraction(1, 1000))
        311
        >>> Noise(rate=Fraction(1, 100)).beyond(Fraction(1, 1000))
        622
        """
        return _beyond(self, chance)

    @property
    def least(self) -> int:
        """Of how many records an item must be: so few that it matters little, and saves draws."""
        return 2 + math.isqrt(math.floor(self.variance or 0)) // 16

    def kept_from(self, chance: Fraction) -> int:
        """Return the tau of items with which only ``chance`` is lost besides."""
        return self.least + self.beyond(chance)


@lru_cache(maxsize=256)
def _beyond(noise: Noise, chance: Fraction) -> int:
    if noise.variance is not None:
        deviation = ball(noise.variance).sqrt() * arb(2).sqrt()
        allowed = ball(2 * chance)
        return least_n(lambda t: bool((ball(Fraction(t - 1)) / deviation).erfc() <= allowed), low=1)
    rate = ball(noise.rate or Fraction(1))
    return least_n(
        lambda t: bool((-rate * (t - 1)).exp() / (1 + rate.exp()) <= ball(chance)), low=1
    )


def noisy_counts(counts: Iterable[int], noise: Noise, source: Source) -> list[int]:
    """Return the counts of public cells, each with noise.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> noisy_counts([0, 7, 90], Noise(rate=Fraction(3)), SeededSource(0))
    [0, 7, 90]
    """
    return [count + noise.draw(source) for count in counts]


def noisy_items(
    counts: Mapping[str, int], noise: Noise, tau: int, source: Source
) -> dict[str, int]:
    """Return the texts whose noisy count reaches tau, with it, by their bytes.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> noisy_items({"tea": 90, "a name": 1}, Noise(rate=Fraction(3)), 7, SeededSource(0))
    {'tea': 90}
    """
    known = sorted((item for item, n in counts.items() if n >= noise.least), key=str.encode)
    noisy = {item: counts[item] + noise.draw(source) for item in known}
    return {item: count for item, count in noisy.items() if count >= tau}
