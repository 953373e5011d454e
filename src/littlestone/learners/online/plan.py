"""All numbers of an online learner, from public parameters; privacy is composed from them exactly.

Parameters called "theory" are those for which `bound` proves a number of mistakes. "practical" ones
are rules of thumb with the same guarantee of privacy.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from littlestone.learners.online.budget import all_losses
from littlestone.learners.online.council import ExponentialSampler, Stage, TeacherEnsemble

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.learners.online.council import HypothesisSampler
    from littlestone.privacy import Loss

__all__ = ["Goal", "OnlinePlan"]


@dataclass(frozen=True)
class Goal:
    """What the user asks for: the budget of the whole stream, its length, what may fail."""

    epsilon: Fraction
    delta: Fraction
    horizon: int
    beta: Fraction


@dataclass(frozen=True)
class OnlinePlan:
    """The public numbers of an `OnlineAlgorithm`.

    Attributes
    ----------
    goal : Goal
        The epsilon and delta of the whole stream: `losses` compose to at most that. The horizon is
        for how many records utility is planned (privacy holds beyond), beta the failure
        probability of the mistake bound.
    alarm_epsilon : Fraction
        Of all alarms together.
    limit : int >= 1
        Number of mistakes at which the alarm rings, about.
    draw_epsilon : Fraction
        Of one drawn hypothesis.
    batches, draws : int
        Most often that hypotheses are drawn from the records, and how many each time.
    share : Fraction
        A vote is trusted where at least 1 - share of the weight is right (of the mistake bound).
    bottoms : int
        With more draws of bottom than that, the council passes to its next stage.
    leak : Fraction
        Delta of one drawn hypothesis.
    n_teachers, stages, dimension, cap, most
        See `TeacherEnsemble`; ``n_teachers`` is None for a `ExponentialSampler`.
    """

    goal: Goal
    alarm_epsilon: Fraction
    limit: int
    draw_epsilon: Fraction
    batches: int
    draws: int
    share: Fraction
    bottoms: int = 0
    leak: Fraction = Fraction(0)
    n_teachers: int | None = None
    stages: tuple[Stage, ...] = ()
    dimension: int = 0
    cap: int = 0
    most: int = 0

    @property
    def digits(self) -> int:
        """The alarm looks ahead 2**digits steps."""
        return (self.goal.horizon - 1).bit_length()

    @property
    def rate(self) -> Fraction:
        """A hypothesis is drawn with weight e**(rate * score)."""
        return self.draw_epsilon / 2

    def losses(self) -> dict[Loss, int]:
        """Return what the mechanisms on the stream promise, as items of `compose`."""
        return all_losses(
            self.alarm_epsilon, self.draw_epsilon, self.leak, self.batches * self.draws
        )

    def council(self, concept_class: ConceptClass) -> HypothesisSampler:
        """Return who turns mistakes into hypotheses."""
        if self.n_teachers is None:
            return ExponentialSampler(concept_class, self.rate)
        return TeacherEnsemble(
            concept_class, self.n_teachers, self.stages, self.dimension, self.cap, self.most,
            self.rate, self.leak,
        )  # fmt: skip
