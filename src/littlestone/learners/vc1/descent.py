"""Algorithm 4: from an improper node down to a proper one, child by child.

Repairs (docs/learners/vc1.md): weights and values are those of the second part only; a node with
too many children is not tested, because some child is light for sure; the way ends at a leaf; what
the rounds cost together is calibrated, instead of Theorem 13's substitution, which overspends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from littlestone.bounds.search import log_of
from littlestone.classes.trees import Node, VC1Tree
from littlestone.data import Sample
from littlestone.errors import InfeasibleError
from littlestone.learners.vc1.claims import DESCENT
from littlestone.learners.vc1.counts import Below, first_children, node_counts
from littlestone.mechanisms import exponential_mechanism
from littlestone.privacy import BoundedRange, Loss, Pure, compose
from littlestone.source import Explicit, ExplicitWeights, exp

if TYPE_CHECKING:
    from littlestone.bounds import CertificateBuilder, Step
    from littlestone.source import Source

__all__ = ["Descent", "light_coin", "round_budget"]

#: A test costs a quarter of what a choice costs: choices are what needs records.
TEST_SHARE = Fraction(1, 4)
#: Beyond these the sum of all losses is about what they cost together.
_LARGE, _TINY = 50, Fraction(1, 10**60)
_GRAIN = Fraction(1, 10**6)
#: More rounds are not planned: they would need more records than anybody has.
_MOST_ROUNDS = 10**4
#: How the failure probability is shared: tests, choices, what the sample hides.
_SHARES = (Fraction(1, 10), Fraction(6, 10), Fraction(3, 10))


@dataclass(frozen=True)
class Descent:
    """Going down in rounds: a noisy test "is some child light?", then a choice among the children.

    Parameters
    ----------
    choice : Fraction
        Epsilon of each exponential mechanism; each test costs a quarter of it.
    rounds : int
        Most rounds, T. Also the most children that are tested: a node with more of them has one
        whose weight is below 1/T of all.
    gap, beta : Fraction
        Error allowed beyond that of the node from which it starts, and failure probability.
    noise : int
        The test noise that the certificate allows for; it shifts the test's threshold.
    slip : int
        Mistakes that the certificate allows each choice to add.
    enough, extra : int
        Records from which on the certificate holds: as floats found it, and some more.

    Notes
    -----
    *Guarantee.* (epsilon, delta)-DP in the second part, for every node to start from, when
    ``choice`` is at most `round_budget`: weights and values move by at most 1.

    *Accuracy.* Claim ``vc1.proper.descent``.
    """

    choice: Fraction
    rounds: int
    gap: Fraction
    beta: Fraction
    noise: int
    slip: int
    enough: int
    extra: int = 0

    name = "descent"

    @classmethod
    def plan(
        cls,
        epsilon: Fraction,
        delta: Fraction,
        gap: Fraction,
        beta: Fraction,
        *,
        rough: bool = False,
    ) -> Descent:
        """Return the number of rounds that needs the fewest records; rough: not calibrated."""
        few = math.ceil(1 / gap)
        if few > _MOST_ROUNDS:
            raise InfeasibleError(
                f"Algorithm 4 needs more than {_MOST_ROUNDS:,} rounds for so small an alpha, and "
                "more than 10**12 records. Allow a larger alpha, or use an improper learner.",
                n_needed=10**12,
            )
        grid = sorted({max(2, math.ceil(few * factor)) for factor in (1.1, 1.3, 1.6, 2, 2.5, 3)})
        roughly = [cls._made(_about(epsilon, delta, T), T, gap, beta) for T in grid]
        best = min(roughly, key=lambda plan: plan.required)
        if rough:
            return best
        rounds = best.rounds
        return cls._made(round_budget(epsilon, delta, rounds), rounds, gap, beta)

    @classmethod
    def _made(cls, choice: Fraction, rounds: int, gap: Fraction, beta: Fraction) -> Descent:
        test, slips = float(choice * TEST_SHARE), float(choice) / 2
        tests, choices, _ = (float(beta * share) for share in _SHARES)
        noise = math.ceil(math.log(2 * rounds / (tests * (1 + math.exp(-test)))) / test)
        slip = math.ceil(math.log(rounds**2 / choices) / slips)
        made = cls(choice, rounds, gap, beta, noise, slip, 0)
        low, high = 1, 2
        while made.excess(high) > float(gap):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if made.excess(middle) <= float(gap) else (middle, high)
        return cls(choice, rounds, gap, beta, noise, slip, high)

    @property
    def required(self) -> int:
        """Records from which on the certificate holds."""
        return self.enough + self.extra

    def threshold(self, n: int) -> int:
        """Return the test's threshold for n records in the second part."""
        return -(-(n + 1) // (self.rounds + 1)) - 1 + self.noise

    def excess(self, n: int) -> float:
        """Return the certified error beyond the start's, in floats."""
        light = max(self.threshold(n) + self.noise, n // (self.rounds + 1))
        observed = (self.rounds * self.slip + light) / n
        hidden = (math.log(2 * n + 1) + math.log(4 / float(self.beta * _SHARES[2]))) / n
        return observed + 2 * math.sqrt(observed * hidden) + 4 * hidden

    def go_down(self, node: Node, tree: VC1Tree, sample: Sample, source: Source) -> Node:
        """Return a proper node below an improper one (steps 4 to 8 of Algorithm 4)."""
        below = Below(tree, node, node_counts(tree, sample)[0])
        threshold, flag = self.threshold(sample.n), node
        for _ in range(self.rounds):
            children = first_children(tree, flag, self.rounds + 1)
            weights = [below.weight(child) for child in children]
            light = len(children) > self.rounds  # public; then step (c) for sure
            if not light:
                coin = light_coin(min(weights) - threshold, self.choice * TEST_SHARE)
                light = bool(source.choose(coin))  # step (b)
            costs = weights if light else [below.least(child) for child in children]
            candidates = Explicit(-np.array(costs, dtype=np.int64))
            drawn = exponential_mechanism(candidates, epsilon=self.choice, source=source)
            flag = children[drawn]  # steps (c) and (d)
            if light or tree.is_proper(flag):
                break
        while not tree.is_proper(flag):  # step 8: any leaf, by public order
            flag = next(tree.children(flag))
        return flag

    def failure(self, cert: CertificateBuilder, records: Step) -> Step:
        """Write the chance of adding more than ``gap`` to the error into a certificate."""
        rounds = self.rounds
        tests = cert.step(
            "tests",
            "2*rounds*exp(-test*(noise + 1))/(1 + exp(-test))",
            DESCENT,
            rounds=rounds,
            test=self.choice * TEST_SHARE,
            noise=self.noise,
        )
        choices = cert.step(
            "choices",
            "rounds**2*exp(-rate*(slip + 1))",
            DESCENT,
            rounds=rounds,
            rate=self.choice / 2,
            slip=self.slip,
        )
        threshold = cert.step(
            "threshold",
            "ceil((records + 1)/(rounds + 1)) - 1 + noise",
            DESCENT,
            records=records,
            rounds=rounds,
            noise=self.noise,
        )
        observed = cert.step(
            "observed",
            "(rounds*slip + max(threshold + noise, floor(records/(rounds + 1))))/max(records, 1)",
            DESCENT,
            rounds=rounds,
            slip=self.slip,
            threshold=threshold,
            noise=self.noise,
            records=records,
        )
        hides = self.beta * _SHARES[2]
        hidden = cert.step(
            "hidden",
            "(log(growth(1, 2*records)) + log(4/hides))/max(records, 1)",
            "vc.relative",
            records=records,
            hides=hides,
        )
        cert.step(
            "small_enough",
            "observed + 2*sqrt(observed*hidden) + 4*hidden <= gap",
            "vc.relative",
            observed=observed,
            hidden=hidden,
            gap=self.gap,
        )
        return cert.step(
            "second_failure",
            "tests + choices + hides",
            DESCENT,
            tests=tests,
            choices=choices,
            hides=hides,
        )


def light_coin(above: int, epsilon: Fraction) -> ExplicitWeights:
    """Return the coin "count + noise <= threshold", with two-sided geometric noise.

    Parameters
    ----------
    above : int
        Count minus threshold; the count is private, of sensitivity 1.
    epsilon : Fraction

    Returns
    -------
    ExplicitWeights
        Outcome 1 is "yes". epsilon-DP.

    Examples
    --------
    >>> light_coin(0, Fraction(1)).weights
    (1*e**(-1), 1)
    """
    one = exp(0)
    if above <= 0:  # Pr[Z > k] = a**(k + 1) / (1 + a)
        tail = exp(epsilon * (above - 1))
        return ExplicitWeights(tail, one + exp(-epsilon) - tail)
    tail = exp(-epsilon * above)
    return ExplicitWeights(one + exp(-epsilon) - tail, tail)


@lru_cache(maxsize=256)
def round_budget(epsilon: Fraction, delta: Fraction, rounds: int) -> Fraction:
    """Return the epsilon that each of T choices may cost, beside T tests at a quarter of it.

    By the best route of `littlestone.privacy.compose`; within half a percent of the largest one.

    Examples
    --------
    >>> float(round_budget(Fraction(1), Fraction(1, 10**6), 20))
    0.0885...
    """
    test = TEST_SHARE

    def fits(choice: Fraction) -> bool:
        losses: dict[Loss, int] = {BoundedRange(choice): rounds, Pure(choice * test): rounds}
        return compose(losses, delta=delta)[0] <= epsilon

    basic = epsilon / (rounds * (1 + test))  # always fits
    about = _about(epsilon, delta, rounds)
    if epsilon > _LARGE or (delta < _TINY and about <= basic * (1 + _GRAIN)):
        return _rounded(basic, down=True)
    # go up from the zCDP estimate in ever smaller steps
    low = max(basic, about * Fraction(4, 5))
    if not fits(low):
        low = basic
    high = 2 * low
    while high - low > low / 200:
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return _rounded(low, down=True)


def _about(epsilon: Fraction, delta: Fraction, rounds: int) -> Fraction:
    """Return about what `round_budget` will, by zCDP."""
    spare = -log_of(delta)
    rho = (math.sqrt(spare + float(epsilon)) - math.sqrt(spare)) ** 2
    by_zcdp = math.sqrt(rho / (rounds * (1 / 8 + float(TEST_SHARE) ** 2 / 2)))
    by_sum = float(epsilon) / (rounds * (1 + float(TEST_SHARE)))
    return _rounded(Fraction(max(by_zcdp, by_sum)))


def _rounded(x: Fraction, *, down: bool = False) -> Fraction:
    """Return a number near x of few digits: nine decimals, and at least nine figures."""
    scale = 10 ** max(9, 9 + math.ceil(-log_of(x) / math.log(10)))
    return Fraction(math.floor(x * scale) if down else round(x * scale), scale)
