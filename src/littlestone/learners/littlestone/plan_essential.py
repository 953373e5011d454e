"""Plans for any class with oracles: lists of essential hypotheses (003, Theorem 3).

*one draw*: a teacher's list is the union of its lists of all stages. Everything that a good teacher
lists at any stage is good, and at some stage all good teachers list one common hypothesis: so no
test between the stages is needed, and the whole budget is spent on one draw.

*stages* (the paper): stage by stage, above-threshold asks whether some hypothesis has many votes;
if so, a sparse draw among that stage's lists ends the run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Self

from littlestone.bounds import CertificateBuilder
from littlestone.bounds.search import least_integer, log_of
from littlestone.learners.goal import Goal
from littlestone.learners.littlestone.claims import ESSENTIAL, PROPER, STAGES
from littlestone.learners.littlestone.levels import Levels
from littlestone.learners.littlestone.vote_margin import TeacherVotePlan, VoteMargin, least_teachers
from littlestone.mechanisms.above_threshold import AboveThreshold

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Step

__all__ = ["EssentialPlan", "Oracles", "StagesPlan"]

_BAD = (0.3, 0.2, 0.1, 0.05, 0.02, 0.01)


@dataclass(frozen=True)
class Oracles:
    """What a plan knows of a class.

    Attributes
    ----------
    d, vc : int
        Littlestone and VC dimension.
    size : int or float
        Number of concepts.
    p : int
        Least p that is wanted: with p at least the number of points, every list is of concepts.
    """

    d: int
    vc: int
    size: int | float
    p: int = 1


@dataclass(frozen=True)
class EssentialPlan(TeacherVotePlan):
    """One draw from the union of the lists of all stages.

    Attributes
    ----------
    oracles : Oracles
    levels : Levels or None
        None if these settings cannot be certified.
    budget, chunk, tolerances, vote_margin
        See `TeacherVotePlan`; there is one tolerance for each stage, and they fall.
    """

    oracles: Oracles
    levels: Levels | None

    method = "essential"

    @classmethod
    def of(
        cls,
        budget: Goal,
        oracles: Oracles,
        chunk: int | None,
        tolerances: tuple[int, ...] | None,
    ) -> Self:
        """Return the plan that needs the fewest records; given settings are kept, uncertified."""
        if chunk is not None or tolerances is not None:
            free = tolerances or tuple(range(oracles.d, -1, -1))
            return cls(oracles, None, budget=budget, chunk=chunk or 1, tolerances=free)
        plans = [cls._with(budget, oracles, bad) for bad in _BAD]
        return min(plans, key=lambda plan: plan.guess).settled()

    @classmethod
    def _with(cls, budget: Goal, oracles: Oracles, bad: float) -> Self:
        levels = Levels.least(oracles.d, oracles.vc, budget.alpha, bad)
        bare = cls(oracles, levels, budget=budget, chunk=levels.chunk, tolerances=levels.tolerances)
        log_cap, rate = log_of(bare.cap), float(budget.rate)
        log_bad = log_cap + max(0.0, rate - 1 - math.log(rate))
        vote_margin = VoteMargin.least(
            budget, miss=bad, wrong=bad, log_bad=log_bad, log_cap=log_cap
        )
        return replace(bare, vote_margin=vote_margin)

    def p(self, stage: int) -> int:
        """Return p_j of stage j = 1, 2, ...: 2**j times a public cap of a teacher's records."""
        return int(max(self.chunk, self.oracles.d + 1, self.oracles.p) << stage)

    def longest(self, stage: int) -> int:
        """Return the length of the longest list of a stage (Lemma 4.1)."""
        d, size = self.oracles.d, self.oracles.size
        leaves = int(self.p(stage) ** d << d * d)
        return leaves if size == math.inf else min(leaves, int(size))

    @cached_property
    def cap(self) -> int:
        """Length of the longest list that is drawn from."""
        return sum(self.longest(j) for j in range(1, len(self.tolerances) + 1))

    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records."""
        cert, budget = CertificateBuilder(), self.budget
        records = cert.step("records", "n", ESSENTIAL, n=n)
        if self.levels is None or self.vote_margin is None:
            return _uncertified(cert, budget, n)
        miss = _teacher(cert, self, self.levels)
        bad = _scattered(cert, budget, self.cap)
        failure = self.vote_margin.failure(
            cert, budget, records=records, chunk=self.chunk, cap=self.cap,
            miss=miss, wrong=miss, bad=bad,
        )  # fmt: skip
        cert.step("enough", "failure <= beta", ESSENTIAL, failure=failure, beta=budget.beta)
        return cert.certificate(alpha=budget.alpha, beta=budget.beta, n=n)


@dataclass(frozen=True)
class StagesPlan(EssentialPlan):
    """Above-threshold over the stages, then one draw: the paper's Theorem 3.

    Attributes
    ----------
    share : Fraction
        Part of epsilon that the test spends.
    slack : Fraction
        Part of the teachers that may be bad.
    margin, offset : int
        The noise of a test stays below ``margin``, of which ``offset`` is the threshold's.
    teachers : int or None
    """

    share: Fraction = Fraction(2, 5)
    slack: Fraction = Fraction(1, 4)
    margin: int = 0
    offset: int = 0
    teachers: int | None = None

    method = "stages"

    @property
    def test(self) -> AboveThreshold:
        """The test between the stages."""
        return AboveThreshold(epsilon=self.budget.epsilon * self.share, limit=1)

    @property
    def draw_epsilon(self) -> Fraction:
        """What is left for the draw."""
        return self.budget.epsilon * (1 - self.share)

    @cached_property
    def cap(self) -> int:
        """Length of the longest list of any stage."""
        return self.longest(len(self.tolerances))

    @property
    def guess(self) -> float:
        """Number of records by floats."""
        return self.teachers * self.chunk if self.teachers else math.inf

    @property
    def required(self) -> int | None:
        """The least n from which on the certificate always holds, if any."""
        return self.teachers * self.chunk if self.teachers else None

    def threshold(self, teachers: int) -> int:
        """Return the public number of votes that the test asks for."""
        return max(1, math.floor(teachers * (1 - self.slack)) - self.margin)

    @classmethod
    def _with(cls, budget: Goal, oracles: Oracles, bad: float) -> Self:
        levels = Levels.least(oracles.d, oracles.vc, budget.alpha, bad)
        best = cls(oracles, levels, budget=budget, chunk=levels.chunk, tolerances=levels.tolerances)
        really = float(levels.bad(CertificateBuilder(), budget.alpha).value)
        for share in (Fraction(k, 10) for k in range(3, 6)):
            for slack in (Fraction(k, 20) for k in range(1, 10)):
                if slack <= 1.2 * bad:
                    continue
                found = replace(best, share=share, slack=slack)._sized(really)
                if found.guess < best.guess:
                    best = found
        return best

    def _sized(self, bad: float) -> Self:
        """Return the margin with which the fewest teachers suffice, by the certificate's sum."""
        margin = _margin(
            self.budget.epsilon * self.share, len(self.tolerances), self.budget.beta / 4
        )
        best = self._least(bad, margin)  # it errs with beta/4: not far from the best one
        steps, at = (-32, 32, -8, 8, -3, 3, -2, 2, -1, 1), 0
        while at < len(steps):
            found = self._least(bad, best.margin + steps[at])
            best, at = (found, 0) if found.guess < best.guess else (best, at + 1)
        return best

    def _least(self, bad: float, margin: int) -> Self:
        """Return the least number of teachers with a margin, by floats."""
        slack, rate = float(self.slack), float(self.draw_epsilon) / 2
        offset, errs = self._best_offset(max(margin, 0))
        left = float(self.budget.beta) * (1 - 1e-9) - errs
        log_cap = log_of(self.cap)
        hidden = rate + log_cap - log_of(self.budget.delta)
        many = log_cap + max(0.0, rate - 1 - math.log(rate))
        decay = slack * math.log(slack / bad) + (1 - slack) * math.log((1 - slack) / (1 - bad))
        if margin < 0 or left <= 0:
            return self

        def enough(t: int) -> bool:
            votes = t * (1 - slack) - 1 - 2 * margin
            bottom = 1 / (1 + math.exp(min(rate * votes - hidden, 700.0)))
            wrongly = math.exp(min(many + rate * (slack * t - votes), 0.0))
            return votes >= 1 and math.exp(-t * decay) + bottom + wrongly <= left

        fewest = math.ceil((2 + 2 * margin) / (1 - slack))
        if fewest * self.chunk > 1e15 or not enough(10**15 // self.chunk):
            return self
        teachers = least_integer(enough, fewest)
        return replace(self, teachers=teachers, margin=margin, offset=offset)

    def _best_offset(self, margin: int) -> tuple[int, float]:
        """Return how much of a margin is best left to the threshold's noise, and what then errs."""
        test = self.test
        assert test.offset_rate is not None
        own, each, stages = float(test.offset_rate), float(test.rate), len(self.tolerances)

        def chance(b: int) -> float:
            far = 2 * math.exp(-own * (b + 1)) / (1 + math.exp(-own))
            return far + stages * math.exp(-each * (margin - b + 1)) / (1 + math.exp(-each))

        # where the derivatives of the two terms are equal
        ratio = 2 * own * (1 + math.exp(-each)) / (stages * each * (1 + math.exp(-own)))
        even = (math.log(ratio) - own + each * (margin + 1)) / (own + each)
        near = {min(max(math.floor(even) + step, 0), margin) for step in (0, 1)}
        best = min(sorted(near), key=chance)
        return best, chance(best)

    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records."""
        cert, budget = CertificateBuilder(), self.budget
        records = cert.step("records", "n", ESSENTIAL, n=n)
        if self.levels is None or self.teachers is None:
            return _uncertified(cert, budget, n)
        bad = _teacher(cert, self, self.levels)
        t = cert.step("teachers", "floor(records/m)", STAGES, records=records, m=self.chunk)
        slack: dict[str, Any] = {"slack": self.slack, "t": t}
        cert.step("few_bad", "bad <= slack", STAGES, bad=bad, slack=self.slack)
        too_few = cert.step(
            "too_few",
            "exp(-t*(slack*log(slack/bad) + (1 - slack)*log((1 - slack)/(1 - bad))))",
            STAGES, bad=bad, **slack,
        )  # fmt: skip
        test = self.test
        assert test.offset_rate is not None
        noise: dict[str, Any] = {"margin": self.margin, "offset": self.offset}
        errs = cert.step(
            "test_errs",
            "2*exp(-own*(offset + 1))/(1 + exp(-own))"
            " + stages*exp(-each*(margin - offset + 1))/(1 + exp(-each))",
            STAGES, own=test.offset_rate, each=test.rate, stages=len(self.tolerances), **noise,
        )  # fmt: skip
        votes = cert.step("votes", "t*(1 - slack) - 1 - 2*margin", STAGES,
                           margin=self.margin, **slack)  # fmt: skip
        cert.step("some_votes", "votes >= 1", STAGES, votes=votes)
        rate = self.draw_epsilon / 2
        bottom = cert.step(
            "bottom", "cap/delta*exp(rate*(1 - votes))", STAGES,
            cap=self.cap, delta=budget.delta, rate=rate, votes=votes,
        )  # fmt: skip
        scattered = _scattered(cert, replace(budget, epsilon=self.draw_epsilon), self.cap)
        wrongly = cert.step(
            "wrongly", "min(1, scattered*exp(rate*(slack*t - votes)))", STAGES,
            scattered=scattered, rate=rate, votes=votes, **slack,
        )  # fmt: skip
        cert.step(
            "enough", "too_few + test_errs + bottom/(1 + bottom) + wrongly <= beta", STAGES,
            too_few=too_few, test_errs=errs, bottom=bottom, wrongly=wrongly, beta=budget.beta,
        )  # fmt: skip
        return cert.certificate(alpha=budget.alpha, beta=budget.beta, n=n)

    def settled(self) -> Self:
        """Return the plan with the number of teachers that its exact certificate needs."""
        if self.teachers is None:
            return self
        return replace(self, teachers=least_teachers(self, self.teachers))


@lru_cache(maxsize=256)
def _margin(test_epsilon: Fraction, stages: int, beta: Fraction) -> int:
    return AboveThreshold(epsilon=test_epsilon, limit=1).error_bound(queries=stages, beta=beta)


def _teacher(cert: CertificateBuilder, plan: EssentialPlan, levels: Levels) -> Step:
    """Write down what a good teacher is, and how rarely one is bad."""
    cert.step(
        "listed_fit", "p >= max(m, d + 1)", ESSENTIAL,
        p=plan.p(1) // 2, m=plan.chunk, d=plan.oracles.d,
    )  # fmt: skip
    if plan.oracles.p > 1:
        cert.step("proper", "p >= points", PROPER, p=plan.p(1) // 2, points=plan.oracles.p)
    return levels.bad(cert, plan.budget.alpha)


def _scattered(cert: CertificateBuilder, budget: Goal, cap: int) -> Step:
    """Write down the factor for what bad teachers may list, all of them together."""
    return cert.step(
        "scattered", "cap*max(1, exp(rate - 1)/rate)", ESSENTIAL, cap=cap, rate=budget.rate
    )


def _uncertified(cert: CertificateBuilder, budget: Goal, n: int) -> Certificate:
    cert.step("certified", "beta <= 0", ESSENTIAL, beta=budget.beta)
    return cert.certificate(alpha=budget.alpha, beta=budget.beta, n=n)
