"""Where a sum is clipped: a draw by rank over public edges, and an estimate of what lies beyond.

*Proof of the claim.* Let N(c) be how many units' numbers are above c, in parts of a unit: a user's
records weigh at most `part` together. Replacing a unit moves N(c) by at most ``part`` for every
edge, so ``|N(c) - k|`` moves within ``[-part, part]``. At the rate ``eta / (2 part)`` the
logarithms of the ratios of all weights lie in an interval of length eta: the factors ``(c_0 /
c)**power`` and the rank k are public and the same on both sides, and the normalising constant moves
all alike. So the draw has eta-bounded range. Given C, a number clipped to ``-A .. C`` moves their
sum by at most ``A + C`` when a unit is replaced; A and C are public or released. []

At ``k = s``, the deviation of the noise of a sum for numbers up to 1, clipping one cell further
would take away as much bias as it adds noise. Without the power the draw runs off where the range
is far too wide: all edges above the data miss the rank by k only.
"""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from littlestone.source import ExplicitWeights, Source, exp

Ints = npt.NDArray[np.int64]


_NORMAL = NormalDist()
_QUARTILE = _NORMAL.inv_cdf(0.75)


class RankWeights(ExplicitWeights):
    """Weights of edges: `scores` are minus how far each misses the rank, at a `rate`."""

    __slots__ = ("rate", "scores")

    def __init__(self, edges: Ints, scores: Ints, rate: Fraction, power: int) -> None:
        self.scores, self.rate = scores, rate
        pairs = zip(edges.tolist(), scores.tolist(), strict=True)
        first = int(edges[0])
        super().__init__(*(exp(rate * own, Fraction(first, c) ** power) for c, own in pairs))


def clip_edges(first: int, most: int) -> Ints:
    """Return edges that grow by a factor of about sqrt(2), from ``first`` to the last, ``most``.

    Examples
    --------
    >>> clip_edges(1, 20).tolist(), clip_edges(30, 20).tolist()
    ([1, 2, 3, 4, 6, 8, 11, 16, 20], [20])
    """
    steps = 2 * max(math.ceil(math.log2(most / first)), 0)
    growing = np.unique(np.rint(first * 2 ** (np.arange(steps) / 2)).astype(np.int64))
    return np.append(growing[growing < most], most)


def rank_of(n: int, eta: Fraction, deviation: float) -> float:
    """Return k in units: the deviation of a sum of ones, what the draw resolves, at most n/8."""
    return min(n / 8, max(deviation, 3 / float(eta)))


def draw_edge(
    edges: Ints, above: Ints, rank: float, *, eta: Fraction, part: int, power: int, source: Source
) -> int:
    """Draw an edge that about ``rank`` units lie above; ``above`` says how many do, in parts.

    Guarantee
    ---------
    eta-bounded range, replacing a unit (claim ``clip.rank``).

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> edges = clip_edges(1, 64)
    >>> above = np.array([900, 700, 500, 300, 100, 40, 9, 0, 0, 0, 0, 0, 0])[: len(edges)]
    >>> draw_edge(edges, above, 30, eta=Fraction(2), part=1, power=2, source=SeededSource(0))
    8
    """
    scores = -abs(above - math.floor(rank * part))
    return int(edges[source.choose(RankWeights(edges, scores, eta / (2 * part), power))])


def beyond(anchor: float, share: float, clip: float, most: float) -> float:
    """Return what a mean loses above ``clip``: of a lognormal tail, as far as ``most``.

    A quarter of all lies above ``anchor``, and a share above the clip: both are released, so this
    is free.

    Examples
    --------
    >>> round(beyond(2.0, 0.01, 12.0, 1000.0), 3), beyond(2.0, 0.01, 1000.0, 1000.0)
    (0.066, 0.0)
    """
    z = _NORMAL.inv_cdf(1 - min(max(share, 1e-9), 0.5))
    if clip >= most or clip <= anchor or z <= _QUARTILE + 0.1:
        return 0.0
    spread = min(math.log(clip / anchor) / (z - _QUARTILE), 4.0)
    middle = math.log(clip) - z * spread

    def up_to(a: float) -> float:
        at = (math.log(a) - middle) / spread
        mean = math.exp(middle + spread**2 / 2)
        return mean * _NORMAL.cdf(at - spread) + a * _NORMAL.cdf(-at)

    return max(0.0, up_to(most) - up_to(clip))
