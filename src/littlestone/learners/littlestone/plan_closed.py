"""Plans for intersection-closed classes: teachers list closed sets of low error.

Let the target be a closed set T, and R the rank. Public levels 0 = a_0 < a_1 < ... < a_R are for
the analysis only. Start from the smallest closed set F inside T of error 0; as long as F holds a
smaller closed set of error at most a_(s+1), take that one, and raise s. After at most R steps every
smaller closed set is worse by a_(s+1) - a_s at least. So a teacher's records span F unless fewer
than R - s of them each succeed with that probability; and it lists F unless more than c of its
records lie in T but not in F, which happens with probability a_s each. Proof: docs page.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

from littlestone.bounds import CertificateBuilder
from littlestone.bounds.tails import at_most, bias_for
from littlestone.errors import UnsupportedError
from littlestone.learners.goal import Goal
from littlestone.learners.littlestone.claims import CLOSED
from littlestone.learners.littlestone.vote_margin import (
    LARGEST,
    TeacherVotePlan,
    VoteMargin,
    fewest_teachers,
    rounded_up,
)

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Step
    from littlestone.learners.littlestone.closures import Closures

__all__ = ["ClosedPlan"]

_HALF = Fraction(1, 2)
_MISSES = (0.6, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02)


@dataclass(frozen=True)
class ClosedPlan(TeacherVotePlan):
    """How an intersection-closed class is learned.

    Attributes
    ----------
    rank, closed : int
        See `Closures`.
    levels : tuple of Fraction
        a_1, ..., a_R: for the analysis only.
    spread : Fraction
        Where output must be proper and the empty set is no concept: the chance that one fixed
        point is hit by a uniform one. Else 0.
    budget, chunk, tolerances, vote_margin
        See `TeacherVotePlan`; there is one tolerance.
    """

    rank: int
    closed: int
    levels: tuple[Fraction, ...] = ()
    spread: Fraction = Fraction(0)

    method = "closures"

    @classmethod
    def of(
        cls,
        budget: Goal,
        system: Closures,
        chunk: int | None,
        tolerances: tuple[int, ...] | None,
        spread: Fraction = Fraction(0),
    ) -> Self:
        """Return the plan that needs the fewest records, with what is given kept."""
        fixed = None if tolerances is None else tolerances[0]
        own = _own(budget, spread)
        best = cls(
            system.rank, system.closed, spread=spread,
            budget=budget, chunk=chunk or 1, tolerances=(fixed or 0,),
        )  # fmt: skip
        start = dict.fromkeys(_MISSES, 0)  # the tolerance hardly depends on the size
        fewest = fewest_teachers(own, math.log(system.closed))
        for size in _sizes(own, system.rank, chunk):
            if size * fewest >= best.guess:
                break  # larger ones, too
            for miss in _MISSES:
                # half of the time at most a share 1 - miss of the teachers vote for the good one
                if own.beta < _HALF and size * (fewest - 1) >= best.guess * (1 - miss):
                    continue
                most = int(size * float(own.alpha))
                tried = range(start[miss], most + 1) if fixed is None else range(fixed, fixed + 1)
                found = _levels(own, system.rank, size, miss, tried)
                if found is None:
                    continue
                tolerance, levels = found
                start[miss] = max(0, tolerance - 2)
                wrong = at_most(tolerance, size, float(own.alpha))
                vote_margin = VoteMargin.least(
                    own, miss=miss, wrong=wrong,
                    log_bad=math.log(max(system.closed - 1, 1)), log_cap=math.log(system.closed),
                    most=best.guess / size,
                )  # fmt: skip
                plan = replace(
                    best,
                    chunk=size,
                    tolerances=(tolerance,),
                    levels=levels,
                    vote_margin=vote_margin,
                )
                if plan.guess < best.guess:
                    best = plan
        return best.settled()

    @property
    def cap(self) -> int:
        """Length of the longest list: every listed set lies in the target."""
        return self.closed

    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records."""
        cert, budget = CertificateBuilder(), self.budget
        records = cert.step("records", "n", CLOSED, n=n)
        if self.vote_margin is None:
            cert.step("certified", "beta <= 0", CLOSED, beta=budget.beta)
            return cert.certificate(alpha=budget.alpha, beta=budget.beta, n=n)
        own = _own(budget, self.spread)
        if self.spread:
            cert.step(
                "proper_point", "spread <= (alpha - own)*(beta - own_beta)", CLOSED,
                spread=self.spread, alpha=budget.alpha, own=own.alpha, beta=budget.beta,
                own_beta=own.beta,
            )  # fmt: skip
        known: dict[str, Any] = {"m": self.chunk, "c": self.tolerances[0]}
        wrong = cert.step(
            "wrong", "1 - binomial_above(m, error, c)", CLOSED, error=own.alpha, **known
        )
        miss = self._miss(cert, known)
        cert.step("low", "level <= error", CLOSED, level=self.levels[-1], error=own.alpha)
        failure = self.vote_margin.failure(
            cert, own, records=records, chunk=self.chunk, cap=self.cap,
            miss=miss, wrong=wrong, bad=max(self.closed - 1, 1),
        )  # fmt: skip
        cert.step("enough", "failure <= own_beta", CLOSED, failure=failure, own_beta=own.beta)
        return cert.certificate(alpha=budget.alpha, beta=budget.beta, n=n)

    def _miss(self, cert: CertificateBuilder, known: dict[str, Any]) -> Step:
        """Write down with which probability a teacher does not list the good closed set."""
        misses: dict[str, Step] = {}
        levels = (Fraction(0), *self.levels)
        for s in range(self.rank + 1):
            passed = cert.step(
                f"passed_{s}", "binomial_above(m, level, c)", CLOSED, level=levels[s], **known
            )
            if s < self.rank:  # not spanned by the records of this teacher
                passed = cert.step(
                    f"miss_{s}", "passed + 1 - binomial_above(m, gap, needed)", CLOSED,
                    passed=passed, m=self.chunk, gap=levels[s + 1] - levels[s],
                    needed=self.rank - s - 1,
                )  # fmt: skip
            misses[f"x{s}"] = passed
        return cert.step("miss", f"max({', '.join(misses)})", CLOSED, **misses)


def _own(budget: Goal, spread: Fraction) -> Goal:
    """Return the budget without what a random point in place of the empty set may cost."""
    if not spread:
        return budget
    share = Fraction(1, 1024)
    while share * share * budget.alpha * budget.beta < spread:
        share *= 2
    if share > Fraction(1, 2):
        raise UnsupportedError(
            "Proper output replaces the empty set by a random point, and in so small a space that "
            "point may matter. Use method='all' (or 'auto'), which lists the class."
        )
    return replace(budget, alpha=budget.alpha * (1 - share), beta=budget.beta * (1 - share))


def _sizes(budget: Goal, rank: int, chunk: int | None) -> list[int]:
    """Return chunk sizes to be tried: denser where they are small."""
    if chunk is not None:
        return [chunk] if chunk <= LARGEST else []
    top = (40 + 30 * rank) / float(budget.alpha)
    sizes, at = [], 1.0
    while at < min(top, LARGEST):
        sizes.append(round(at))
        at = max(at + 1, at * 1.05)
    return sizes


def _levels(
    budget: Goal, rank: int, size: int, miss: float, tolerances: range
) -> tuple[int, tuple[Fraction, ...]] | None:
    """Return the least tolerance, and levels, with which good sets are missed so rarely."""
    if not tolerances:
        return None
    # what a tolerance allows, a larger one allows, too
    found = _fits(budget, rank, size, miss, tolerances[0])
    if found is None and _fits(budget, rank, size, miss, tolerances[-1]) is None:
        return None
    for tolerance in tolerances:
        found = found or _fits(budget, rank, size, miss, tolerance)
        if found is not None:
            exact = tuple(rounded_up(level) for level in found)
            at = float(exact[-1])
            if at < budget.alpha and 1 - at_most(tolerance, size, at) <= miss:
                return tolerance, exact
            found = None
    return None


def _fits(budget: Goal, rank: int, size: int, miss: float, tolerance: int) -> list[float] | None:
    """Return the least levels of a tolerance, if they are low enough."""
    levels, at = [0.0] * (rank == 0), 0.0
    for s in range(rank):
        left = miss - (1 - at_most(tolerance, size, at))
        if left <= 0 or size < rank - s:
            return None
        at += bias_for(rank - s - 1, size, left)
        if not at < budget.alpha:
            return None
        levels.append(at)
    return levels if 1 - at_most(tolerance, size, at) <= miss * (1 + 1e-6) else None
