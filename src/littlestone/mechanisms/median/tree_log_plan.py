"""The public numbers of TreeLog: thresholds decided exactly, and the certificate made of them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from littlestone.bounds import Certificate, CertificateBuilder, Step
from littlestone.bounds.least import least
from littlestone.mechanisms.bottom import entering_bottom
from littlestone.mechanisms.median.claims import TREE_LOG
from littlestone.mechanisms.median.exponential import RankExponential
from littlestone.mechanisms.median.tree_em import TreeEM
from littlestone.source import Exp, exp

if TYPE_CHECKING:
    from littlestone.mechanisms.median.tree_log import TreeLog

__all__ = ["Budget", "Constants", "certify"]


@dataclass(frozen=True)
class Budget:
    """How one level splits what it may spend; functions of epsilon, delta, beta only.

    Attributes
    ----------
    test, stay, last, deeper : Fraction
        Epsilon of: the test for a balanced node, the stable release, the last choice, the next
        level. The heavy branch may spend what the path branch does: ``stay + last + deeper``.
    half : Fraction
        Half of delta: for each of the test, the heavy branch, the stable release, the next level.
    beta : Fraction
        Failure probability that the thresholds are designed for.
    """

    test: Fraction
    stay: Fraction
    last: Fraction
    deeper: Fraction
    half: Fraction
    beta: Fraction

    @classmethod
    def of(cls, epsilon: Fraction, delta: Fraction, beta: Fraction) -> Budget:
        """Split 1 : 1 : 1 : 2; the next level, a whole mechanism, pays the most."""
        fifth = epsilon / 5
        return cls(fifth, fifth, fifth, 2 * fifth, delta / 2, beta)

    @property
    def heavy(self) -> Fraction:
        """Epsilon of the choice in the heavy branch."""
        return self.stay + self.last + self.deeper

    @property
    def spare(self) -> int:
        """Rank margin beyond the window with which step 6 fails with chance <= beta/4."""
        bad = 2 * (4 - self.beta) / self.beta
        return least(lambda k: (exp(self.last / 2 * (k + 1)) - bad).sign() >= 0)


@dataclass(frozen=True)
class Constants:
    """The numbers of one level.

    Attributes
    ----------
    trim_left, trim_right : int
        Records cut off at both ends (step 1).
    floor : int
        Least balance of a node that the heavy branch may choose.
    bottom : Exp
        Weight of bottom in the heavy branch.
    theta : int
        Threshold of the test for a balanced node (step 2).
    calm : int
        Above this balance the path branch has probability at most delta/2.
    drop : int
        How many of the deepest records are dropped (step 3); privacy needs calm + 1.
    stable : int
        Threshold of the stable release of a node (step 5).
    rest : int
        Records that are handed to the next level.
    """

    trim_left: int
    trim_right: int
    floor: int
    bottom: Exp
    theta: int
    calm: int
    drop: int
    stable: int
    rest: int

    @classmethod
    def of(cls, budget: Budget, height: int, needs: tuple[int, int], n: int) -> Constants:
        """Return the constants for n records of a tree of this height."""
        left, right = (need - 1 + budget.spare for need in needs)
        middle = max(n - left - right, 0)
        floor, entering = balanced(budget, height, middle)
        return cls.at(budget, floor=floor, entering=entering, trim=(left, right), middle=middle)

    @classmethod
    def at(
        cls,
        budget: Budget,
        *,
        floor: int,
        entering: int,
        trim: tuple[int, int] = (0, 0),
        middle: int = 0,
    ) -> Constants:
        """Return the constants when at most ``entering`` balanced nodes can appear."""
        heavy, beta = budget.heavy, budget.beta
        bottom = entering_bottom(entering=entering, score=floor, rate=heavy / 2, delta=budget.half)
        odds = bottom * ((1 - beta) / beta)
        sure = least(lambda g: (exp(heavy / 2 * g) - odds).sign() >= 0, low=floor)
        theta = sure - 1 + least_tail(budget.test, beta / 8)
        calm = theta - 1 + least_tail(budget.test, budget.half)
        hidden = least_tail(budget.stay, budget.half)
        drop = max(calm + 1, calm + hidden + least_tail(budget.stay, beta / 8) - 1)
        rest = max(middle - drop, 0)
        return cls(*trim, floor, bottom, theta, calm, drop, calm + 1 + hidden, rest)


def balanced(budget: Budget, height: int, middle: int) -> tuple[int, int]:
    """Return (floor, entering): least balance of a candidate, and how many one record can bring.

    The nodes that enter lie on one path and have two children of at least ``floor`` records. Their
    off-path children are disjoint, and so is the lowest one's other child: floor * (entering + 1)
    is at most the number of records.
    """
    floor = -int(-2 // budget.heavy)
    if middle // floor - 1 >= height:
        floor = 1  # the height is the tighter bound
    return floor, max(0, min(height, middle // floor - 1))


def certify(mechanism: TreeLog, n: int) -> Certificate:
    """Return the certificate of all levels and of the base, at the design beta."""
    cert = CertificateBuilder()
    records = _level(cert, mechanism, n, "")
    level, base, suffix = mechanism, mechanism.base, ""
    while not isinstance(base, RankExponential | TreeEM):
        suffix += "_next"
        records = _level(cert, base, records, suffix)
        level, base = base, base.base
    share, rate = level.budget.beta / 2, base.rate
    if isinstance(base, TreeEM):
        odds = cert.step(
            "odds",
            "(height*exp(rate)*(1 - delta)/delta + 1 + m*height)*exp(-rate*floor((m + 2)/3))",
            TREE_LOG, m=records, height=base.height, rate=rate, delta=base.delta,
        )  # fmt: skip
    else:
        formula = "(depths - 1)*exp(-rate*floor((m + 1)/2))"
        odds = cert.step("odds", formula, TREE_LOG, m=records, depths=base.size, rate=rate)
    enough = "n >= 1 and m >= 1 and share >= (1 - share)*odds"
    cert.step("enough", enough, TREE_LOG, n=n, m=records, share=share, odds=odds)
    return cert.certificate(alpha=mechanism.window.alpha, beta=mechanism.beta, n=n)


def _level(cert: CertificateBuilder, level: TreeLog, records: int | Step, suffix: str) -> Step:
    """Write one level: from the number of its records to what the next level gets."""

    def step(name: str, formula: str, **inputs: int | Fraction | Step) -> Step:
        return cert.step(name + suffix, formula, TREE_LOG, **inputs)

    def tail(name: str, epsilon: Fraction, chance: Fraction) -> Step:
        formula = "max(1, ceil(-log(chance*(1 + exp(-loss)))/loss))"
        return step(name, formula, loss=epsilon, chance=chance)

    budget = level.budget
    share, heavy, height = budget.beta, budget.heavy, level.height
    if not suffix:
        low, high = level.window.low, level.window.high
        left = step("left", "max(1, ceil(low*n))", low=low, n=records)
        right = step("right", "max(1, ceil((1 - high)*n))", high=high, n=records)
    else:
        left, right = step("left", "1"), step("right", "1")
    spare = step(
        "spare", "max(0, ceil(2*log(2*(4 - share)/share)/loss) - 1)", share=share, loss=budget.last
    )
    middle = step(
        "middle", "max(0, m - left - right + 2 - 2*spare)",
        m=records, left=left, right=right, spare=spare,
    )  # fmt: skip
    floor, _ = balanced(budget, height, int(middle.value))
    entering = step(
        "entering", "max(0, min(height, floor(middle/least) - 1))",
        height=height, middle=middle, least=floor,
    )  # fmt: skip
    if entering.value:
        sure = step(
            "sure", "max(least, ceil(least + 2*log(k*(1-half)/half*(1-share)/share)/heavy))",
            least=floor, k=entering, half=budget.half, share=share, heavy=heavy,
        )  # fmt: skip
    else:
        sure = step("sure", "least", least=floor)
    noise = tail("noise", budget.test, share / 8)
    calm = step(
        "calm", "sure - 2 + noise + leak",
        sure=sure, noise=noise, leak=tail("leak", budget.test, budget.half),
    )  # fmt: skip
    drop = step(
        "drop", "max(calm + 1, calm + hidden + unstable - 1)", calm=calm,
        hidden=tail("hidden", budget.stay, budget.half),
        unstable=tail("unstable", budget.stay, share / 8),
    )  # fmt: skip
    return step("rest", "max(0, middle - drop)", middle=middle, drop=drop)


def least_tail(epsilon: Fraction, chance: Fraction) -> int:
    """Return the least k >= 1 with ``Pr[Z >= k] <= chance``; Z two-sided geometric.

    ``Pr[Z >= k] = e**(-epsilon * k) / (1 + e**-epsilon)`` for k >= 1; decided exactly.

    Examples
    --------
    >>> least_tail(Fraction(1), Fraction(1, 10**6))
    14
    """
    allowed = chance * (1 + exp(-epsilon))
    return least(lambda k: (allowed - exp(-epsilon * k)).sign() >= 0, low=1)
