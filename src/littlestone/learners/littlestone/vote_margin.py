"""From independent teachers to a certified draw: how many of them are enough.

X teachers list some good hypothesis; each does with probability at least 1 - miss. Each of at most
B bad hypotheses is listed by a teacher with probability at most ``wrong``. For every number
``votes`` and every power 0 < l <= 1, the draw fails with probability at most

    Pr[X < votes]  +  bottom / (1 + bottom)  +  B g**t,

where ``bottom`` is the odds of bottom against ``votes`` votes, and g bounds the expectation of
e**(l rate (b - a)) for one teacher's votes b for a bad and a for the good hypothesis: for given
marginals it is largest if both happen apart as often as they can. All three terms fall with t.
Proof: docs/learners/littlestone.md.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from littlestone.bounds.search import log_of
from littlestone.bounds.tails import at_most_all
from littlestone.learners.littlestone.claims import VOTES

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, CertificateBuilder, Step
    from littlestone.learners.goal import Goal

__all__ = [
    "FAR",
    "LARGEST",
    "POWERS",
    "TeacherVotePlan",
    "VoteMargin",
    "fewest_teachers",
    "least_teachers",
    "rounded_up",
]

#: More teachers than this are not needed to certify anything: the certificate counts so many.
FAR = 10**5
#: Teachers of more records than this are not certified (formulas count to 10**6).
LARGEST = 5 * 10**5
#: Powers that are tried.
POWERS = [Fraction(k, 20) for k in range(1, 21)]

Number = Any


@dataclass(frozen=True)
class VoteMargin:
    """The numbers of one draw: how many teachers, and two numbers of the analysis only.

    Attributes
    ----------
    teachers : int
        The least number for which the failure is small enough.
    votes : int
    power : Fraction
    """

    teachers: int
    votes: int
    power: Fraction

    @classmethod
    def least(
        cls,
        budget: Goal,
        *,
        miss: float,
        wrong: float,
        log_bad: float,
        log_cap: float,
        most: float = FAR,
    ) -> VoteMargin | None:
        """Return the vote_margin with the fewest teachers, or None if ``most`` are not enough."""
        rate, beta = float(budget.rate), float(budget.beta) * (1 - 1e-9)
        hidden, fewest = _hidden(budget, log_cap)
        if fewest > min(most, FAR):
            return None
        powers = POWERS + [Fraction(k, 10) / budget.rate for k in range(1, 40) if k < 10 * rate]
        factors = [_factor(rate * float(power), miss, wrong) for power in powers]
        power = powers[int(np.argmin(factors))]
        if min(factors) >= 1 - 1e-12:
            return None
        decay = math.log(min(factors))

        def failure(teachers: int) -> tuple[float, int]:
            first, too_few = _too_few(teachers, miss, beta)
            votes = np.arange(first, first + len(too_few))
            bottom = 1 / (1 + np.exp(np.clip(rate * votes - hidden, -700, 700)))
            at = int(np.argmin(too_few + bottom))
            wrongly = math.exp(min(0.0, log_bad + decay * teachers))
            return float((too_few + bottom)[at]) + wrongly, int(votes[at])

        surely = max(fewest, (log_bad - math.log(beta)) / -decay)
        if surely > min(most, FAR):
            return None
        low, high = 0, math.ceil(surely)
        while failure(high)[0] > beta:
            if high >= min(most, FAR):
                return None
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if failure(middle)[0] <= beta else (middle, high)
        return cls(high, failure(high)[1], power)

    def failure(
        self,
        cert: CertificateBuilder,
        budget: Goal,
        *,
        records: Step,
        chunk: int,
        cap: int,
        miss: Step,
        wrong: Step,
        bad: int | Fraction | Step,
    ) -> Step:
        """Write the probability that the draw fails into a certificate."""
        known: dict[str, Any] = {"votes": self.votes}
        teachers = cert.step(
            "teachers", "min(floor(records/chunk), most)", VOTES,
            records=records, chunk=chunk, most=FAR,
        )  # fmt: skip
        cert.step("enough_teachers", "t >= votes", VOTES, t=teachers, **known)
        too_few = cert.step(
            "too_few", "binomial_above(t, miss, max(t - votes, 0))", VOTES,
            t=teachers, miss=miss, **known,
        )  # fmt: skip
        rate: dict[str, Any] = {"rate": budget.rate}
        bottom = cert.step(
            "bottom", "cap/delta*exp(rate*(1 - votes))", VOTES,
            cap=cap, delta=budget.delta, **known, **rate,
        )  # fmt: skip
        apart = cert.step("apart", "min(miss, wrong)", VOTES, miss=miss, wrong=wrong)
        factor = cert.step(
            "factor",
            "apart*exp(rate*power) + (wrong - apart) + (miss - apart)"
            " + (1 - wrong - miss + apart)*exp(-rate*power)",
            VOTES, apart=apart, miss=miss, wrong=wrong, power=self.power, **rate,
        )  # fmt: skip
        wrongly = cert.step(
            "wrongly", "min(1, bad*factor**t)", VOTES, bad=bad, factor=factor, t=teachers
        )
        return cert.step(
            "failure", "too_few + bottom/(1 + bottom) + wrongly", VOTES,
            too_few=too_few, bottom=bottom, wrongly=wrongly,
        )  # fmt: skip


def least_teachers(plan: TeacherVotePlan, guess: int) -> int | None:
    """Return the least number of teachers whose exact certificate holds; floats found ``guess``.

    The search walks away from the guess in growing steps: mostly two certificates decide.
    """

    def holds(teachers: int) -> bool:
        return plan.certificate(teachers * plan.chunk).holds

    most = guess + guess // 16 + 8  # floats and exact numbers do not disagree so much
    low, high, step = guess - 1, guess, 1
    if holds(high):
        while low > 0 and holds(low):
            low, high, step = max(low - step, 0), low, 2 * step
    else:
        while not holds(high):
            if high >= most:
                return None
            low, high, step = high, min(high + step, most), 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


@dataclass(frozen=True, kw_only=True)
class TeacherVotePlan(ABC):
    """A plan whose teachers' votes pass one vote_margin: how many records that asks for.

    Attributes
    ----------
    budget : Goal
    chunk : int
        Records of one teacher.
    tolerances : tuple of int
        Most errors of what a teacher lists, stage by stage.
    vote_margin : VoteMargin or None
        None if these settings cannot be certified.
    """

    budget: Goal
    chunk: int
    tolerances: tuple[int, ...]
    vote_margin: VoteMargin | None = None

    @abstractmethod
    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records."""

    @property
    def guess(self) -> float:
        """Number of records by floats."""
        return self.vote_margin.teachers * self.chunk if self.vote_margin else math.inf

    @property
    def required(self) -> int | None:
        """The least n from which on the certificate always holds, if any."""
        return self.vote_margin.teachers * self.chunk if self.vote_margin else None

    def settled(self) -> Self:
        """Return the plan with the number of teachers that its exact certificate needs."""
        if self.vote_margin is None:
            return self
        teachers = least_teachers(self, self.vote_margin.teachers)
        vote_margin = None if teachers is None else replace(self.vote_margin, teachers=teachers)
        return replace(self, vote_margin=vote_margin)


def _factor(rate: float, miss: float, wrong: float) -> float:
    apart = min(miss, wrong)
    rest = 1 - wrong - miss + apart
    together = (wrong - apart) + (miss - apart)
    return apart * math.exp(min(rate, 700)) + together + rest * math.exp(-rate)


def fewest_teachers(budget: Goal, log_cap: float) -> float:
    """Return a number of teachers needed at least: with fewer, bottom outweighs all votes."""
    return _hidden(budget, log_cap)[1]


def _hidden(budget: Goal, log_cap: float) -> tuple[float, float]:
    """Return ln of bottom's weight, and how many votes outweigh it surely enough."""
    rate, beta = float(budget.rate), float(budget.beta) * (1 - 1e-9)
    hidden = rate + log_cap - log_of(budget.delta)
    return hidden, max((hidden + math.log1p(-beta) - math.log(beta)) / rate, 1.0)


def _too_few(teachers: int, miss: float, beta: float) -> tuple[int, npt.NDArray[np.float64]]:
    """Return Pr[Bin(teachers, 1 - miss) < votes] for consecutive votes, and the first of these.

    The votes cover all that matter: below them that chance is nothing beside beta, beyond them it
    is nearly one. (Floats, for the search.)
    """
    if miss < 1e-15:  # none is bad
        return teachers, np.zeros(1)
    first, chances = at_most_all(teachers, 1 - miss, beta)
    return first + 1, chances[: teachers - first]


def rounded_up(x: float) -> Fraction:
    """Return a number of few digits that is not smaller, for a certificate.

    Examples
    --------
    >>> float(rounded_up(1 / 3))
    0.33333333334
    """
    digits = 11 - math.ceil(math.log10(x))
    return Fraction(math.ceil(Fraction(x) * 10**digits), 10**digits)
