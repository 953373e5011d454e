"""Plans of streams: the mistakes that are proved of the online learner, and of any learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from littlestone.learners.base import runnable
from littlestone.learners.online.bound import LowerBound, MistakeBound, lower_bounds
from littlestone.learners.online.budget import StreamGoal
from littlestone.learners.online.estimator import OnlineLearner

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.learners.goal import Goal
    from littlestone.types import Json


@dataclass(frozen=True)
class StreamPlan:
    """How many mistakes a stream costs."""

    horizon: int
    bound: MistakeBound | None  # of `OnlineLearner` with its defaults; None if it does not run
    problem: str  # why it does not run
    #: Expected mistakes of every private learner on some stream.
    lower_bounds: tuple[LowerBound, ...]

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            "horizon": self.horizon,
            "bound": None if self.bound is None else self.bound.to_dict(),
            **({"problem": self.problem} if self.bound is None else {}),
            "lower_bounds": [each.to_dict() for each in self.lower_bounds],
        }


def plan_stream(concept_class: ConceptClass, budget: Goal, horizon: int) -> StreamPlan:
    """Return what is proved about the mistakes in a stream of this length.

    ``budget``: its alpha is not read: a stream has no target but few mistakes.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.classes import Points
    >>> from littlestone.learners.goal import Goal
    >>> budget = Goal(Fraction(1), Fraction(1, 10**6), Fraction(1, 10), Fraction(1, 20))
    >>> found = plan_stream(Points(), budget, 10**6)
    >>> print(found.bound)
    at most 116 mistakes among 1,000,000 adaptive records except with probability 0.05: holds
    >>> print(found.lower_bounds[0])
    Omega(d): at least 0.5 [littlestone.soa]
    """
    learner = OnlineLearner(
        concept_class,
        epsilon=budget.epsilon,
        delta=budget.delta,
        horizon=horizon,
        beta=budget.beta,
        records_per_user=budget.samples_per_user,
    )
    ok, why, next_step = runnable(learner)
    goal = StreamGoal(budget.epsilon, budget.delta, horizon, budget.beta, budget.samples_per_user)
    return StreamPlan(
        horizon,
        learner.mistake_bound() if ok else None,
        f"{why} {next_step}".strip(),
        lower_bounds(goal, concept_class),
    )
