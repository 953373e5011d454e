"""B. TreeEM: one draw over the tree nodes that hold a record; needs n ~ ln ln |X| + ln(1/delta).

Score of a node v: by how much it splits the records with room to spare on both sides, but at most
how many records it holds. Few nodes can appear when one record is replaced: those on one path, and
each holds one record; a bottom outcome hides them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Certificate, CertificateBuilder
from littlestone.bounds.least import least
from littlestone.mechanisms.bottom import entering_bottom
from littlestone.mechanisms.median.claims import TREE
from littlestone.mechanisms.median.trie import Groups
from littlestone.mechanisms.median.values import Ordered
from littlestone.mechanisms.median.window import RankWindow
from littlestone.source import Exp, LeveledChoice, Source, exp

__all__ = ["TreeEM"]


@dataclass(frozen=True)
class TreeEM:
    """The exponential mechanism over the nodes that hold a record, with bottom.

    Parameters
    ----------
    height : int >= 0
        Height of the dyadic tree: ``ceil(log2 |X|)``.
    window : RankWindow
    epsilon : Fraction > 0
    delta : Fraction in (0, 1)

    Notes
    -----
    *Guarantee.* (epsilon, delta)-DP, replace-one, for every input. Scores of common nodes move by
    at most 1; at most ``height`` nodes enter (those below the root on the new record's path that
    hold nothing else), with a score of at most 1. Claim ``median.tree``; docs/median.md.

    *Accuracy.* A released z(v) of a node of score >= 1 is in the window. The lowest node that
    holds the records of two well-chosen ranks has score at least
    ``top = floor((n + 4 - left - right) / 3)``; at most ``1 + n * height`` nodes have a score
    <= 0. So it fails with odds at most ``(bottom + 1 + n * height) * e**(-rate * top)``.

    *Cost.* One sort; at most 6 groups for each distinct value; one weight for each distinct score.

    *Source.* This library: a choosing mechanism (Beimel, Nissim and Stemmer 2013) over tree nodes,
    with a tight bottom. It replaces the median of Yan's Theorem 6 on every domain that fits into a
    computer.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> B = TreeEM(1024, RankWindow.of((1/3, 2/3)), Fraction(1), Fraction(1, 10**6))
    >>> values = Ordered.of([2**900 - 1] * 150 + [2**900 + 2**300] * 150, 2**1024)
    >>> z = B.draw(values, SeededSource(0))
    >>> 2**900 - 1 <= z <= 2**900 + 2**300
    True
    """

    height: int
    window: RankWindow
    epsilon: Fraction
    delta: Fraction

    name = "tree"
    claim = TREE

    @property
    def rate(self) -> Fraction:
        """Half of epsilon: one record can raise one score and lower another."""
        return self.epsilon / 2

    @property
    def bottom(self) -> Exp:
        """Weight of bottom: at most ``height`` nodes enter, none with a score above 1."""
        return entering_bottom(entering=self.height, score=1, rate=self.rate, delta=self.delta)

    def draw(self, values: Ordered, source: Source) -> int | None:
        """Return z(v), clamped to the domain, of a node drawn by weight; None for bottom."""
        if values.size == 1:
            return 0  # the tree is one leaf: nothing depends on the data
        groups = Groups.of(values, self.height)
        scores = self.scores(groups, values.n)
        choice = LeveledChoice(scores, groups.sizes, groups.release, self.bottom)
        z = choice.draw(self.rate, source)
        return None if z is None else min(z, values.size - 1)

    def scores(self, groups: Groups, n: int) -> npt.NDArray[np.int64]:
        """Return the score of each group of nodes that hold a record."""
        left, right = self.window.needs(n)
        margin = np.minimum(groups.at_most - (left - 1), groups.beyond - (right - 1))
        return np.minimum(margin, groups.weight)

    def odds(self, n: int) -> Exp | None:
        """Return an upper bound of Pr[fail] / Pr[success] with n records; None without one."""
        top = (self.window.slack(n) + 4) // 3
        if n < 1 or top < 1:
            return None
        if self.height == 0:
            return exp(0, times=0)
        return (self.bottom + 1 + n * self.height) * exp(-self.rate * top)

    def least_n(self, beta: Fraction) -> int:
        """Return the least n from which on the odds are always at most beta : 1 - beta."""
        allowed = beta / (1 - beta)

        def holds(n: int) -> bool:
            odds = self.odds(n)
            return odds is not None and (allowed - odds).sign() >= 0

        # slack(n) > n * width - 2, so top >= g(n) = n * width / 3; the bound with g is
        # decreasing in n as soon as rate * width * n / 3 >= 1, because the number of nodes grows
        # at most like n. From such an n on, holding once is holding forever.
        width = self.window.high - self.window.low
        weight = self.bottom

        def surely(n: int) -> bool:
            bad = (weight + 1 + n * self.height) * exp(-self.rate * n * width / 3)
            return n * width >= 3 and (allowed - bad).sign() >= 0

        start = max(1, -int(-3 // (self.rate * width)))
        n = least(surely, low=start)
        while n > 1 and holds(n - 1):
            n -= 1
        return n

    def certificate(self, n: int, beta: Fraction) -> Certificate:
        """Return the statement that z is in the window except with probability beta."""
        cert = CertificateBuilder()
        needs = self.window.steps(cert, n, self.claim)
        top = cert.step("top", "floor((n + 4 - left - right)/3)", self.claim, n=n, **needs)
        h, rate = self.height, self.rate
        if h:
            weight = "height*exp(rate)*(1 - delta)/delta"
            bottom = cert.step("bottom", weight, self.claim, height=h, rate=rate, delta=self.delta)
            bad = "(bottom + 1 + n*height)*exp(-rate*top)"
            odds = cert.step(
                "odds", bad, self.claim, bottom=bottom, n=n, height=h, rate=rate, top=top
            )
        else:
            odds = cert.step("odds", "height", self.claim, height=h)  # one point: no failure
        cert.step("failure", "odds/(1 + odds)", self.claim, odds=odds)
        formula = "n >= 1 and top >= 1 and beta >= (1 - beta)*odds"
        cert.step("enough", formula, self.claim, n=n, top=top, odds=odds, beta=beta)
        return cert.certificate(alpha=self.window.alpha, beta=beta, n=n)
