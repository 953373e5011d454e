"""C. TreeLog: recursion on depths, the log* reference. A reconstruction; not used for releases.

Each level replaces a domain of size M by the depths 0, ..., log2(M): follow the heavier child from
the root and note at which depth each record leaves the path. Every level costs a share of epsilon
and about 200 records, so on domains that fit into a computer `TreeEM` needs fewer.

Its public numbers come first: thresholds decided exactly, and the certificate made of them.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Certificate, CertificateBuilder, Step, register_claim
from littlestone.bounds.search import least_n
from littlestone.mechanisms.median.values import (
    Ordered,
    RankExponential,
    RankWindow,
    TreeEM,
    Trie,
    bit_length,
    branchings,
)
from littlestone.mechanisms.select import entering_bottom
from littlestone.source import Exp, Explicit, ExplicitWeights, LeveledChoice, Source, exp

TREE_LOG = register_claim(
    "median.tree-log",
    "Cohen, Lyu, Nelson, Sarlos, Stemmer: Optimal Differentially Private Learning of "
    "Thresholds and Quasi-Concave Optimization",
    "2023; reconstructed with basic composition, docs/median.md",
    "Recursion on the depth at which records leave the heavy path reduces a domain of size M "
    "to one of size log M.",
    ("domain and window were chosen without looking at the records",),
    status="reconstruction",
)


@dataclass(frozen=True)
class LevelBudget:
    """How one level splits what it may spend; functions of epsilon, delta, beta only.

    The heavy branch may spend what the path branch does: ``stay + last + deeper``.
    """

    test: Fraction  # epsilon of the test for a balanced node,
    stay: Fraction  # of the stable release,
    last: Fraction  # of the last choice,
    deeper: Fraction  # of the next level
    half: Fraction  # of delta: for each of test, heavy branch, stable release, next level
    beta: Fraction  # failure probability that the thresholds are designed for

    @classmethod
    def of(cls, epsilon: Fraction, delta: Fraction, beta: Fraction) -> LevelBudget:
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
        return least_n(lambda k: (exp(self.last / 2 * (k + 1)) - bad).sign() >= 0, low=0)


@dataclass(frozen=True)
class Constants:
    """The numbers of one level."""

    trim_left: int  # records cut off at both ends (step 1)
    trim_right: int
    floor: int  # least balance of a node that the heavy branch may choose
    bottom: Exp  # its weight there
    theta: int  # threshold of the test for a balanced node (step 2)
    calm: int  # above this balance the path branch has probability at most delta/2
    drop: int  # how many of the deepest records are dropped (step 3); privacy needs calm + 1
    stable: int  # threshold of the stable release of a node (step 5)
    rest: int  # records that are handed to the next level

    @classmethod
    def of(cls, budget: LevelBudget, height: int, needs: tuple[int, int], n: int) -> Constants:
        """Return the constants for n records of a tree of this height."""
        left, right = (need - 1 + budget.spare for need in needs)
        middle = max(n - left - right, 0)
        floor, entering = balanced(budget, height, middle)
        return cls.at(budget, floor=floor, entering=entering, trim=(left, right), middle=middle)

    @classmethod
    def at(
        cls,
        budget: LevelBudget,
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
        sure = least_n(lambda g: (exp(heavy / 2 * g) - odds).sign() >= 0, low=floor)
        theta = sure - 1 + least_tail(budget.test, beta / 8)
        calm = theta - 1 + least_tail(budget.test, budget.half)
        hidden = least_tail(budget.stay, budget.half)
        drop = max(calm + 1, calm + hidden + least_tail(budget.stay, beta / 8) - 1)
        rest = max(middle - drop, 0)
        return cls(*trim, floor, bottom, theta, calm, drop, calm + 1 + hidden, rest)


def balanced(budget: LevelBudget, height: int, middle: int) -> tuple[int, int]:
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
        cert.step(
            "odds",
            "(height*exp(rate)*(1 - delta)/delta + 1 + m*height)*exp(-rate*floor((m + 2)/3))",
            TREE_LOG, m=records, height=base.height, rate=rate, delta=base.delta,
        )  # fmt: skip
    else:
        formula = "(depths - 1)*exp(-rate*floor((m + 1)/2))"
        cert.step("odds", formula, TREE_LOG, m=records, depths=base.size, rate=rate)
    enough = "n >= 1 and m >= 1 and share >= (1 - share)*odds"
    cert.step("enough", enough, TREE_LOG, n=n, m=records, share=share)
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
    return least_n(lambda k: (allowed - exp(-epsilon * k)).sign() >= 0)


Integers = npt.NDArray[np.int64]

_INTERIOR = RankWindow(Fraction(0), Fraction(1))


@dataclass(frozen=True)
class TreeLog:
    """One or more levels of recursion on depths, over a base mechanism.

    ``height`` is that of the dyadic tree, ``ceil(log2 |X|)``; privacy does not depend on beta, for
    which thresholds are designed.

    Notes
    -----
    *Guarantee.* (epsilon, delta)-DP, replace-one, for every input. Claim ``median.tree-log``;
    docs/median.md, with its deviations from the paper.

    *Cost.* One sort, and one pass for each branching on the heavy path.

    Examples
    --------
    >>> C = TreeLog(1024, RankWindow.of((0, 1)), Fraction(1), Fraction(1, 10**6))
    >>> C.least_n(Fraction(1, 20))
    447
    """

    height: int
    window: RankWindow
    epsilon: Fraction
    delta: Fraction
    levels: int = 1
    beta: Fraction = Fraction(1, 20)

    name = "tree-log"
    claim = TREE_LOG

    @property
    def budget(self) -> LevelBudget:
        """How this level splits epsilon and delta."""
        return LevelBudget.of(self.epsilon, self.delta, self.beta)

    @cached_property
    def base(self) -> RankExponential | TreeEM | TreeLog:
        """The mechanism on the depths {0, ..., height}: an interior point, at its epsilon."""
        epsilon, delta, beta = self.budget.deeper, self.delta / 2, self.beta / 2
        depth_height = self.height.bit_length()  # height + 1 depths
        if self.levels > 1:
            return TreeLog(depth_height, _INTERIOR, epsilon, delta, self.levels - 1, beta)
        pure = RankExponential(self.height + 1, _INTERIOR, epsilon)
        tree = TreeEM(depth_height, _INTERIOR, epsilon, delta)
        return pure if pure.least_n(beta) <= tree.least_n(beta) else tree

    def constants(self, n: int) -> Constants:
        """Return the thresholds for n records; functions of public parameters only."""
        return Constants.of(self.budget, self.height, self.window.needs(n), n)

    def draw(self, values: Ordered, source: Source) -> int | None:
        """Return a domain point, or None where the papers return a default."""
        if values.size == 1:
            return 0
        return self.run(values, self.constants(values.n), source)

    def run(self, values: Ordered, constants: Constants, source: Source) -> int | None:
        """Run steps 1 to 6 with given constants."""
        if constants.rest < 1:
            return None  # public: n is too small for any record to reach the next level
        # 1. trim, so that any interior point of the middle has rank margins to spare
        middle = values.trimmed(constants.trim_left, constants.trim_right)
        trie = branchings(middle.points, self.height)
        # 2. is there a node that splits many records?
        heaviest = int(_balance(middle, trie).max(initial=0))
        if source.choose(_at_least(self.budget.test, constants.theta - heaviest)):
            return self.heavy_branch(middle, trie, constants, source)
        return self.path_branch(values, middle, trie, constants, source)

    def heavy_branch(
        self, middle: Ordered, trie: Trie, constants: Constants, source: Source
    ) -> int | None:
        """Choose a balanced node: any value between its children is interior."""
        balance = _balance(middle, trie)
        some = np.flatnonzero(balance >= constants.floor)
        choice = LeveledChoice(balance[some], None, lambda i, _: int(some[i]), constants.bottom)
        gap = choice.draw(self.budget.heavy / 2, source)
        if gap is None:
            return None
        first, final = _node(int(middle.points[gap]), int(trie.heights[gap]))
        return min((first + final) // 2, middle.size - 1)

    def path_branch(
        self, values: Ordered, middle: Ordered, trie: Trie, constants: Constants, source: Source
    ) -> int | None:
        """Find an interior depth, then the node there, then an interior point of its ends."""
        # 3. depth at which each record leaves the heavy path; the deepest records are dropped
        depths = _depths(middle, trie, self.height).trimmed(0, constants.drop)
        # 4. an interior depth
        q = self.base.draw(depths, source)
        if q is None:
            return None
        # 5. the fullest node at that depth (the leftmost of several), if it is stably so
        h, records = self.height, np.diff(middle.ends, prepend=0)
        nodes = middle.points >> (h - q)
        new = np.ones(len(nodes), dtype=bool)
        new[1:] = nodes[1:] != nodes[:-1]
        starts = np.flatnonzero(new)
        weights = np.add.reduceat(records, starts)
        best = int(np.argmax(weights))
        if not source.choose(_at_least(self.budget.stay, constants.stable - int(weights[best]))):
            return None
        # 6. its first leaf, the middle, its last leaf: one of them is interior
        first, final = _node(int(middle.points[starts[best]]), h - q)
        candidates = [min(z, values.size - 1) for z in (first, (first + final) // 2, final)]
        left, right = self.window.needs(values.n)
        margins = [
            min(_at_most(values, z) - left, values.n - _at_most(values, z - 1) - right)
            for z in candidates
        ]
        return candidates[Explicit(margins).draw(self.budget.last / 2, source)]

    def least_n(self, beta: Fraction | None = None) -> int:
        """Return the least n from which on success is certified, at the design beta."""
        if beta is not None and beta != self.beta:
            return replace(self, beta=beta).least_n()
        budget, need = self.budget, self.base.least_n(self.beta / 2)
        # the most that is ever dropped: when as many balanced nodes can appear as fit on a path
        floors = (1, balanced(budget, 2, 0)[0])
        drop = max(Constants.at(budget, floor=f, entering=self.height).drop for f in floors)
        n = self.window.least_n(need + drop + 2 * budget.spare - 2)
        while n > 1:
            # `drop` stays while the middle's size m does not fall below `same`; m follows
            # n * width + constant up to 2, so all these smaller n suffice too
            now = self.constants(n)
            m, width = now.rest + now.drop, self.window.high - self.window.low
            entering = balanced(budget, self.height, m)[1]
            same = floors[1] * (entering + 1) if entering else 0
            jump = int((min(now.rest - need, m - same) - 2) / width)
            if jump < 1 and self.constants(n - 1).rest < need:
                break
            n -= min(max(jump, 1), n - 1)
        return n

    def certificate(self, n: int, beta: Fraction | None = None) -> Certificate:
        """Return the statement that z is in the window, at the design beta."""
        return certify(self if beta is None else replace(self, beta=beta), n)


def _balance(middle: Ordered, trie: Trie) -> Integers:
    """Return the lighter child's weight of each branching."""
    ends, before = middle.ends, middle.before
    inside = ends[: len(trie.heights)]
    balance: Integers = np.minimum(inside - before[trie.first], ends[trie.last] - inside)
    return balance


def _heavy_leaf(middle: Ordered, trie: Trie) -> int:
    """Return the point at the end of the path to the heavier child (the left one if equal)."""
    ends, before = middle.ends, middle.before
    low, high = 0, len(ends) - 1
    while low < high:
        gap = low + int(np.argmax(trie.heights[low:high]))
        left, right = ends[gap] - before[low], ends[high] - ends[gap]
        low, high = (low, gap) if left >= right else (gap + 1, high)
    return low


def _node(point: int, height: int) -> tuple[int, int]:
    """Return the first and the last leaf of the node of this height over a point."""
    first = point >> height << height
    return first, first + (1 << height) - 1


def _depths(middle: Ordered, trie: Trie, height: int) -> Ordered:
    """Return the depth at which each record leaves the path to the heavier child."""
    star = middle.points[_heavy_leaf(middle, trie)]
    depths = height - bit_length(middle.points ^ star)
    order = np.argsort(depths, kind="stable")
    points, ends = depths[order], np.cumsum(np.diff(middle.ends, prepend=0)[order])
    last = np.ones(len(points), dtype=bool)
    last[:-1] = points[1:] != points[:-1]
    return Ordered(points[last], ends[last], height + 1)


def _at_most(values: Ordered, z: int) -> int:
    """Return how many records are <= z."""
    at = bisect_right(values.points, z)
    return int(values.ends[at - 1]) if at else 0


@lru_cache(maxsize=1024)
def _at_least(epsilon: Fraction, k: int) -> ExplicitWeights:
    """Return the coin that shows 1 with ``Pr[Z >= k]``; Z two-sided geometric."""
    if k >= 1:
        tail = exp(-epsilon * k)
        return ExplicitWeights(1 + exp(-epsilon) - tail, tail)
    rest = exp(-epsilon * (1 - k))
    return ExplicitWeights(rest, 1 + exp(-epsilon) - rest)
