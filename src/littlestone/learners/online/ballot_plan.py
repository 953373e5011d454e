"""Numbers for a class whose candidates can be scored: every mistake is a teacher of its own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from littlestone.learners.online.budget import draw_epsilon, log_over
from littlestone.learners.online.plan import Goal, OnlinePlan

__all__ = ["practical_ballot", "theory_ballot"]


def practical_ballot(goal: Goal, ln_size: float) -> OnlinePlan:
    """Return rules of thumb: halve the class with each batch, at a weight ratio of 20."""
    alarm = goal.epsilon / 4
    batches, draws = math.ceil(1.2 * ln_size / math.log(2)) + 1, 5
    one = draw_epsilon(goal.epsilon, goal.delta, alarm, Fraction(0), batches * draws)
    limit = math.ceil(6 / one) + log_over(goal.horizon, alarm)
    return OnlinePlan(goal, alarm, limit, one, batches, draws, Fraction(1, 3))


def theory_ballot(goal: Goal, ln_size: float) -> OnlinePlan:
    """Return the share, weight ratio and alarm's part with which the fewest mistakes are proved."""
    found = min(
        (
            _Ballot.of(goal, ln_size, share, (ratio, part))
            for share in _SHARES
            for ratio in _RATIOS
            for part in _PARTS
        ),
        key=lambda plan: plan.mistakes,
    )
    alarm = goal.epsilon * found.part
    draws = found.batches * found.draws
    one = draw_epsilon(goal.epsilon, goal.delta, alarm, Fraction(0), draws)
    limit = math.ceil(2 * found.ratio / one) - 1 + log_over(4 * goal.horizon / goal.beta, alarm)
    return OnlinePlan(goal, alarm, limit, one, found.batches, found.draws, found.share)


_SHARES = tuple(Fraction(i, 20) for i in (5, 6, 7, 8))
_RATIOS = tuple(Fraction(i, 10) for i in (6, 8, 10, 13, 17, 22, 30))
_PARTS = tuple(Fraction(1, i) for i in (16, 8, 5, 3))


@dataclass(frozen=True)
class _Ballot:
    """One point of the search, with an estimate (in floats) of what it proves."""

    share: Fraction
    ratio: Fraction
    part: Fraction
    batches: int
    draws: int
    mistakes: float

    @classmethod
    def of(
        cls, goal: Goal, ln_size: float, share: Fraction, split: tuple[Fraction, Fraction]
    ) -> _Ballot:
        ratio, part = split
        s, c = float(share), float(ratio)
        decay = -math.log1p(s * math.expm1(-c))
        batches = max(math.floor(ln_size / decay), 0)
        bad = -0.5 * math.log(4 * s * (1 - s))  # KL(1/2, s)
        draws = math.ceil(math.log(2 * goal.horizon * (batches + 1) / goal.beta) / bad)
        total = max(batches * draws, 1)
        size = float(min(max(goal.epsilon, Fraction(1, 10**9)), Fraction(10**6)))
        rest = size * (1 - float(part))
        one = rest / total
        if goal.delta:
            log = math.log(1 / max(float(goal.delta), 1e-300))
            rho = (math.sqrt(log + rest) - math.sqrt(log)) ** 2
            one = max(one, math.sqrt(8 * rho / total))
        margin = math.log(4 * goal.horizon / goal.beta) + math.log(4 * (batches + 1) / goal.beta)
        longest = 2 * c / one + margin / (size * float(part))
        return cls(share, ratio, part, batches, draws, (batches + 1) * longest)
