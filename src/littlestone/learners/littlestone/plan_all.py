"""Plans for classes that can be listed: each teacher lists all concepts of low error.

This is the list of 003, Corollary 4.1(4): where the decomposition dimension is 0, every concept of
the low-error class is essential. (It is, for every class with at most p points or concepts.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from littlestone.bounds import CertificateBuilder
from littlestone.bounds.tails import at_most
from littlestone.learners.goal import Goal
from littlestone.learners.littlestone.claims import ALL
from littlestone.learners.littlestone.vote_margin import (
    LARGEST,
    TeacherVotePlan,
    VoteMargin,
    fewest_teachers,
)

if TYPE_CHECKING:
    from littlestone.bounds import Certificate

__all__ = ["AllPlan"]


@dataclass(frozen=True)
class AllPlan(TeacherVotePlan):
    """How a class of known size is learned.

    Attributes
    ----------
    size : int
        Number of concepts; also the length of the longest list.
    budget, chunk, tolerances, vote_margin
        See `TeacherVotePlan`; there is one tolerance.
    """

    size: int

    method = "all"

    @classmethod
    def of(
        cls, budget: Goal, size: int, chunk: int | None, tolerances: tuple[int, ...] | None
    ) -> Self:
        """Return the plan that needs the fewest records, with what is given kept.

        Teachers of more than one record only pay where few votes are hard to tell from bottom.
        """
        tolerance = (tolerances or (0,))[0]
        best: Self | None = None
        most = max(2, math.ceil(4 / float(budget.alpha)) + tolerance)
        log_size = math.log(size)
        fewest = fewest_teachers(budget, log_size)
        for size_of in [chunk] if chunk else range(1, min(most, 400)):
            known = math.inf if best is None else best.guess
            if size_of * fewest >= known:
                break  # larger ones, too
            wrong = at_most(tolerance, size_of, float(budget.alpha))
            vote_margin = None
            if size_of <= LARGEST and tolerance <= LARGEST:
                vote_margin = VoteMargin.least(
                    budget, miss=0.0, wrong=wrong, log_bad=log_size, log_cap=log_size,
                    most=known / size_of,
                )  # fmt: skip
            found = cls(
                size, budget=budget, chunk=size_of, tolerances=(tolerance,), vote_margin=vote_margin
            )
            if best is None or found.guess < best.guess:
                best = found
        assert best is not None
        return best.settled()

    @property
    def cap(self) -> int:
        """Length of the longest list."""
        return self.size

    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records."""
        cert, budget = CertificateBuilder(), self.budget
        records = cert.step("records", "n", ALL, n=n)
        if self.vote_margin is None:
            cert.step("certified", "beta <= 0", ALL, beta=budget.beta)
            return cert.certificate(alpha=budget.alpha, beta=budget.beta, n=n)
        known: dict[str, Any] = {"m": self.chunk, "alpha": budget.alpha, "c": self.tolerances[0]}
        wrong = cert.step("wrong", "1 - binomial_above(m, alpha, c)", ALL, **known)
        miss = cert.step("miss", "0", ALL)
        failure = self.vote_margin.failure(
            cert, budget, records=records, chunk=self.chunk, cap=self.cap,
            miss=miss, wrong=wrong, bad=self.size,
        )  # fmt: skip
        cert.step("enough", "failure <= beta", ALL, failure=failure, beta=budget.beta)
        return cert.certificate(alpha=budget.alpha, beta=budget.beta, n=n)
