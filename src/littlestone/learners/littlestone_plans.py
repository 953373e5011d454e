"""Plans of votes: how many teachers, with how many records, make the draw succeed.

*From independent teachers to a certified draw* (`VoteMargin`). X teachers list some good
hypothesis; each does with probability at least 1 - miss. Each of at most B bad hypotheses is listed
by a teacher with probability at most ``wrong``. For every number ``votes`` and every power 0 < l <=
1, the draw fails with probability at most

    Pr[X < votes]  +  bottom / (1 + bottom)  +  B g**t,

where ``bottom`` is the odds of bottom against ``votes`` votes, and g bounds the expectation of
e**(l rate (b - a)) for one teacher's votes b for a bad and a for the good hypothesis: for given
marginals it is largest if both happen apart as often as they can. All three terms fall with t.

*Intersection-closed classes* (`ClosedPlan`): teachers list closed sets of low error. Let the target
be a closed set T, and R the rank. Public levels 0 = a_0 < a_1 < ... < a_R are for the analysis
only. Start from the smallest closed set F inside T of error 0; as long as F holds a smaller closed
set of error at most a_(s+1), take that one, and raise s. After at most R steps every smaller closed
set is worse by a_(s+1) - a_s at least. So a teacher's records span F unless fewer than R - s of
them each succeed with that probability; and it lists F unless more than c of its records lie in T
but not in F, which happens with probability a_s each.

Proofs: docs/learners/littlestone.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Certificate, CertificateBuilder, Step
from littlestone.bounds.certificate import Bound, Log, least_n
from littlestone.bounds.tails import at_most_all, bias_for
from littlestone.bounds.tails import at_most_floats as at_most
from littlestone.errors import ParameterError
from littlestone.learners.base import Goal

if TYPE_CHECKING:
    from littlestone.classes.base import Closures

VOTES = "littlestone.votes"
CLOSED = "littlestone.closed"

#: Most teachers that a certificate counts.
FAR = 10**5
#: Teachers of more records than this are not certified (formulas count to 10**6).
LARGEST = 5 * 10**5
#: Powers that are tried.
POWERS = [Fraction(k, 20) for k in range(1, 21)]

#: A draw from t independent teachers' votes: bottom, a bad hypothesis, or too few good votes.
VOTE_FAILURE = Bound((
    ("enough_teachers", "t >= votes", VOTES),
    ("too_few", "binomial_above(t, miss, max(t - votes, 0))", VOTES),
    ("bottom", "cap/delta*exp(rate*(1 - votes))", VOTES),
    ("apart", "min(miss, wrong)", VOTES),
    ("factor", "apart*exp(rate*power) + (wrong - apart) + (miss - apart)"
     " + (1 - wrong - miss + apart)*exp(-rate*power)", VOTES),
    ("wrongly", "min(1, bad*factor**t)", VOTES),
    ("failure", "too_few + bottom/(1 + bottom) + wrongly", VOTES),
))  # fmt: skip


@dataclass(frozen=True)
class VoteMargin:
    """The numbers of one draw: how many teachers, and two numbers of the analysis only."""

    teachers: int
    votes: int
    power: Fraction

    @classmethod
    def least(
        cls,
        goal: Goal,
        *,
        miss: float,
        wrong: float,
        log_bad: float,
        log_cap: float,
        most: float = FAR,
    ) -> VoteMargin | None:
        """Return the vote_margin with the fewest teachers, or None if ``most`` are not enough."""
        rate, beta = float(goal.rate), float(goal.beta) * (1 - 1e-9)
        fewest, most = fewest_teachers(goal, log_cap), min(most, FAR)
        if fewest > most:
            return None
        powers = POWERS + [Fraction(k, 10) / goal.rate for k in range(1, 40) if k < 10 * rate]
        tried = np.array([float(power) for power in powers])
        factors = VOTE_FAILURE.log("factor", power=tried, rate=rate, miss=miss, wrong=wrong)
        power, fall = powers[int(np.argmin(factors))], float(np.min(factors))
        if fall >= -1e-12:
            return None

        def failure(teachers: int) -> tuple[float, int]:
            first, too_few = _too_few(teachers, miss, beta)
            votes = np.arange(first, first + len(too_few))
            failures = VOTE_FAILURE.floats(
                "failure", too_few=too_few, votes=votes, cap=Log(log_cap), delta=goal.delta,
                rate=rate, bad=Log(log_bad), factor=Log(fall), t=teachers,
            )  # fmt: skip
            at = int(np.argmin(failures))
            return float(failures[at]), int(votes[at])

        surely = math.ceil(max(fewest, (log_bad - math.log(beta)) / -fall))
        if surely > most:
            return None
        try:
            teachers = least_n(
                lambda t: failure(t)[0] <= beta, surely, step=surely, most=math.ceil(most)
            )
        except ParameterError:
            return None
        return cls(teachers, failure(teachers)[1], power)

    def failure(
        self,
        cert: CertificateBuilder,
        goal: Goal,
        *,
        records: Step,
        chunk: int,
        cap: int,
        miss: Step,
        wrong: Step,
        bad: int | Fraction | Step,
    ) -> Step:
        """Write the probability that the draw fails into a certificate."""
        teachers = cert.step(
            "teachers", "min(floor(records/chunk), most)", VOTES,
            records=records, chunk=chunk, most=FAR,
        )  # fmt: skip
        return VOTE_FAILURE.write(
            cert, t=teachers, votes=self.votes, miss=miss, wrong=wrong, bad=bad, cap=cap,
            delta=goal.delta, rate=goal.rate, power=self.power,
        )  # fmt: skip


def least_teachers(plan: ClosedPlan, guess: int) -> int | None:
    """Return the least number of teachers whose exact certificate holds; floats found ``guess``."""
    most = guess + guess // 16 + 8  # floats and exact numbers do not disagree so much
    try:
        return least_n(lambda t: plan.certificate(t * plan.chunk).holds, guess, most=most)
    except ParameterError:
        return None


def fewest_teachers(goal: Goal, log_cap: float) -> float:
    """Return a number of teachers needed at least: with fewer, bottom outweighs all votes."""
    rate, beta = float(goal.rate), float(goal.beta) * (1 - 1e-9)
    known = {"cap": Log(log_cap), "delta": goal.delta, "rate": rate}
    hidden: float = VOTE_FAILURE.log("bottom", votes=0, **known)
    return max((hidden + math.log1p(-beta) - math.log(beta)) / rate, 1.0)


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


_HALF = Fraction(1, 2)
_MISSES = (0.6, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02)


@dataclass(frozen=True)
class ClosedPlan:
    """How an intersection-closed class is learned."""

    goal: Goal
    rank: int
    closed: int
    chunk: int
    tolerance: int
    vote_margin: VoteMargin | None = None
    levels: tuple[Fraction, ...] = ()

    @classmethod
    def of(
        cls,
        goal: Goal,
        system: Closures,
        chunk: int | None,
        fixed: int | None,
    ) -> Self:
        """Return the plan that needs the fewest records; with this chunk or tolerance, if given."""
        best = cls(goal, system.rank, system.closed, chunk or 1, fixed or 0)
        start = dict.fromkeys(_MISSES, 0)  # the tolerance hardly depends on the size
        fewest = fewest_teachers(goal, math.log(system.closed))
        for size in _sizes(goal, system.rank, chunk):
            if size * fewest >= best.guess:
                break  # larger ones, too
            for miss in _MISSES:
                # half of the time at most a share 1 - miss of the teachers vote for the good one
                if goal.beta < _HALF and size * (fewest - 1) >= best.guess * (1 - miss):
                    continue
                most = int(size * float(goal.alpha))
                tried = range(start[miss], most + 1) if fixed is None else range(fixed, fixed + 1)
                found = _levels(goal, system.rank, size, miss, tried)
                if found is None:
                    continue
                tolerance, levels = found
                start[miss] = max(0, tolerance - 2)
                wrong = at_most(tolerance, size, float(goal.alpha))
                vote_margin = VoteMargin.least(
                    goal, miss=miss, wrong=wrong,
                    log_bad=math.log(max(system.closed - 1, 1)), log_cap=math.log(system.closed),
                    most=best.guess / size,
                )  # fmt: skip
                plan = replace(
                    best,
                    chunk=size,
                    tolerance=tolerance,
                    levels=levels,
                    vote_margin=vote_margin,
                )
                if plan.guess < best.guess:
                    best = plan
        if best.vote_margin is None:
            return best
        teachers = least_teachers(best, best.vote_margin.teachers)
        margin = None if teachers is None else replace(best.vote_margin, teachers=teachers)
        return replace(best, vote_margin=margin)

    @property
    def guess(self) -> float:
        """Number of records by floats."""
        return self.required or math.inf

    @property
    def required(self) -> int | None:
        """The least n from which on the certificate always holds, if any."""
        return self.vote_margin.teachers * self.chunk if self.vote_margin else None

    @property
    def cap(self) -> int:
        """Length of the longest list: every listed set lies in the target."""
        return self.closed

    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records."""
        goal = self.goal
        cert = CertificateBuilder(n=n, m=self.chunk, alpha=goal.alpha, beta=goal.beta)
        records = cert.step("records", "n", CLOSED)
        if self.vote_margin is None:
            cert.step("certified", "beta <= 0", CLOSED)
            return cert.certificate(alpha=goal.alpha, beta=goal.beta, n=n)
        cert = cert.where(c=self.tolerance)
        wrong = cert.step("wrong", "1 - binomial_above(m, alpha, c)", CLOSED)
        miss = self._miss(cert)
        cert.step("low", "level <= alpha", CLOSED, level=self.levels[-1])
        self.vote_margin.failure(
            cert, goal, records=records, chunk=self.chunk, cap=self.cap,
            miss=miss, wrong=wrong, bad=max(self.closed - 1, 1),
        )  # fmt: skip
        cert.step("enough", "failure <= beta", CLOSED)
        return cert.certificate(alpha=goal.alpha, beta=goal.beta, n=n)

    def _miss(self, cert: CertificateBuilder) -> Step:
        """Write down with which probability a teacher does not list the good closed set."""
        misses: dict[str, Step] = {}
        levels = (Fraction(0), *self.levels)
        for s in range(self.rank + 1):
            passed = cert.step(
                f"passed_{s}", "binomial_above(m, level, c)", CLOSED, level=levels[s]
            )
            if s < self.rank:  # not spanned by the records of this teacher
                passed = cert.step(
                    f"miss_{s}", "passed + 1 - binomial_above(m, gap, needed)", CLOSED,
                    passed=passed, gap=levels[s + 1] - levels[s],
                    needed=self.rank - s - 1,
                )  # fmt: skip
            misses[f"x{s}"] = passed
        return cert.step("miss", f"max({', '.join(misses)})", CLOSED, **misses)


def _sizes(goal: Goal, rank: int, chunk: int | None) -> list[int]:
    """Return chunk sizes to be tried: denser where they are small."""
    if chunk is not None:
        return [chunk] if chunk <= LARGEST else []
    top = (40 + 30 * rank) / float(goal.alpha)
    sizes, at = [], 1.0
    while at < min(top, LARGEST):
        sizes.append(round(at))
        at = max(at + 1, at * 1.05)
    return sizes


def _levels(
    goal: Goal, rank: int, size: int, miss: float, tolerances: range
) -> tuple[int, tuple[Fraction, ...]] | None:
    """Return the least tolerance, and levels, with which good sets are missed so rarely."""
    if not tolerances:
        return None
    # what a tolerance allows, a larger one allows, too
    found = _fits(goal, rank, size, miss, tolerances[0])
    if found is None and _fits(goal, rank, size, miss, tolerances[-1]) is None:
        return None
    for tolerance in tolerances:
        found = found or _fits(goal, rank, size, miss, tolerance)
        if found is not None:
            exact = tuple(rounded_up(level) for level in found)
            at = float(exact[-1])
            if at < goal.alpha and 1 - at_most(tolerance, size, at) <= miss:
                return tolerance, exact
            found = None
    return None


def _fits(goal: Goal, rank: int, size: int, miss: float, tolerance: int) -> list[float] | None:
    """Return the least levels of a tolerance, if they are low enough."""
    levels, at = [0.0] * (rank == 0), 0.0
    for s in range(rank):
        left = miss - (1 - at_most(tolerance, size, at))
        if left <= 0 or size < rank - s:
            return None
        at += bias_for(rank - s - 1, size, left)
        if not at < goal.alpha:
            return None
        levels.append(at)
    return levels if 1 - at_most(tolerance, size, at) <= miss * (1 + 1e-6) else None
