"""A. The exponential mechanism on the rank: pure, exact on every domain, needs n ~ ln |X|.

Score of a domain point z: by how many records it exceeds what the window needs on its worse side.
The score is constant between neighbouring data values, so the whole domain, however large, is at
most 2k + 1 runs for k distinct values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from littlestone.bounds import Certificate, CertificateBuilder, register_claim
from littlestone.bounds.search import least_n
from littlestone.mechanisms.median.values import Ordered, RankWindow
from littlestone.source import Exp, ScoreRuns, Source, StreamedRuns, exp

EXPONENTIAL = register_claim(
    "median.exponential",
    "McSherry, Talwar: Mechanism Design via DP; Smith",
    "2007, 2011",
    "Weights e**(epsilon/2 * rank margin) over a domain of M points are epsilon-DP under "
    "replace-one, and miss the window with odds at most (M-1) e**(-epsilon/2 (top+1)), "
    "top = floor((n+1-left-right)/2).",
    ("domain and window were chosen without looking at the records",),
)


#: From so many distinct values on, runs are streamed in pieces.
LARGE = 1 << 20


@dataclass(frozen=True)
class RankExponential:
    """The exponential mechanism over all points of an ordered domain.

    Notes
    -----
    *Guarantee.* Pure epsilon-DP, replace-one: ``L(z) = #{x <= z}`` and ``R(z) = #{x >= z}`` move by
    at most 1, so does the score ``min(L - left, R - right)``; rate epsilon/2. Claim
    ``median.exponential``.

    *Accuracy.* A point in the window has score >= 0. Some data value has score at least
    ``top = floor((n + 1 - left - right) / 2)``; each of the at most size - 1 points outside the
    window has score <= -1. So it fails with odds at most
    ``(size - 1) * e**(-rate * (top + 1))``.

    *Cost.* One sort; one weight for each distinct score. Of more than a million distinct values
    only the scores near the best one are kept (``docs/leveled-choice.md``, Theorem 3).

    *Source.* McSherry and Talwar, FOCS 2007; the score is folklore (Smith, STOC 2011).

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> A = RankExponential(1000, RankWindow.of((1/3, 2/3)), Fraction(1))
    >>> A.draw(Ordered.of([480] * 60 + [520] * 60, 1000), SeededSource(0))
    506
    """

    size: int
    window: RankWindow
    epsilon: Fraction

    name = "exponential"
    claim = EXPONENTIAL
    delta = Fraction(0)

    @property
    def rate(self) -> Fraction:
        """Half of epsilon: one record can raise one score and lower another."""
        return self.epsilon / 2

    def draw(self, values: Ordered, source: Source) -> int:
        """Return a domain point with probability proportional to ``e**(rate * score)``."""
        if len(values.points) < LARGE:
            return self.runs(values).draw(self.rate, source)
        streamed = StreamedRuns(lambda: self.pieces(values), self.size)
        return streamed.draw(self.rate, source)

    def runs(self, values: Ordered) -> ScoreRuns:
        """Return the runs of equal score: gap, value, gap, ..., value, gap."""
        left, right = self.window.needs(values.n)
        k, points = len(values.points), values.points
        at_most = np.zeros(2 * k + 1, dtype=np.int64)
        at_most[1::2] = at_most[2::2] = values.ends
        at_least = np.zeros(2 * k + 1, dtype=np.int64)
        at_least[0:-1:2] = at_least[1::2] = values.n - values.before
        starts = np.zeros(2 * k + 1, dtype=points.dtype)
        starts[1::2], starts[2::2] = points, points + 1
        return ScoreRuns(starts, self.size, np.minimum(at_most - left, at_least - right))

    def pieces(self, values: Ordered, most: int = LARGE // 4) -> Iterator[ScoreRuns]:
        """Yield the same runs in parts of at most so many values: they are never all in memory."""
        left, right = self.window.needs(values.n)
        at, upto = 0, 0  # where the gap before the piece starts, and how many values are below it
        for first in range(0, len(values.points), most):
            chosen = slice(first, first + most)
            points, ends = values.points[chosen], values.ends[chosen]
            below = np.append(upto, ends[:-1])
            starts = np.empty(2 * len(points), dtype=points.dtype)
            starts[0::2], starts[1::2] = np.append(at, points[:-1] + 1), points
            scores = np.empty(2 * len(points), dtype=np.int64)
            scores[0::2] = np.minimum(below - left, values.n - below - right)
            scores[1::2] = np.minimum(ends - left, values.n - below - right)
            at, upto = int(points[-1]) + 1, int(ends[-1])
            yield ScoreRuns(starts, at, scores)
        score = min(upto - left, values.n - upto - right)
        start = np.array([at], dtype=values.points.dtype)
        yield ScoreRuns(start, self.size, np.array([score]))

    def odds(self, n: int) -> Exp | None:
        """Return an upper bound of Pr[fail] / Pr[success] with n records; None without one."""
        top = (self.window.slack(n) + 1) // 2
        if n < 1 or top < 0:
            return None
        return exp(-self.rate * (top + 1), times=self.size - 1)

    def least_n(self, beta: Fraction) -> int:
        """Return the least n from which on the odds are always at most beta : 1 - beta."""
        if self.size == 1:
            return 1
        bad = (self.size - 1) * (1 - beta) / beta
        # the least top + 1 that suffices; top >= 0 besides
        need = least_n(lambda g: (exp(self.rate * g) - bad).sign() >= 0)
        return self.window.least_n(2 * (need - 1) - 1)

    def certificate(self, n: int, beta: Fraction) -> Certificate:
        """Return the statement that z is in the window except with probability beta."""
        cert = CertificateBuilder()
        needs = self.window.steps(cert, n, self.claim)
        top = cert.step("top", "floor((n + 1 - left - right)/2)", self.claim, n=n, **needs)
        bad = "(size - 1)*exp(-rate*(top + 1))"
        odds = cert.step("odds", bad, self.claim, rate=self.rate, size=self.size, top=top)
        cert.step("failure", "odds/(1 + odds)", self.claim)
        formula = "n >= 1 and top >= 0 and beta >= (1 - beta)*odds"
        cert.step("enough", formula, self.claim, n=n, top=top, odds=odds, beta=beta)
        return cert.certificate(alpha=self.window.alpha, beta=beta, n=n)
