"""Thresholds when each user holds many records: paper 002, Algorithm 1 (PrivateThreshold)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

from littlestone.classes import ThresholdHypothesis, Thresholds, check_class
from littlestone.errors import UnsupportedError
from littlestone.learners.users.agnostic import cut, user_budget
from littlestone.learners.users.claims import PRIVACY
from littlestone.learners.users.sweeps import errors_by_user
from littlestone.learners.users.threshold_plan import ThresholdPlan, plan_threshold
from littlestone.privacy import Guarantee, Neighbours
from littlestone.source import Explicit

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Unit
    from littlestone.data import UserSample
    from littlestone.source import ScoreRuns, Source

__all__ = ["UserThreshold"]


@dataclass(frozen=True)
class UserThreshold:
    """The algorithm behind `UserThresholdLearner`; make it with `of`.

    Attributes
    ----------
    concept_class : Thresholds
    samples_per_user : int
    epsilon, alpha, beta : Fraction
    name : str
        ``"user-threshold"``.
    unit : str
        ``"users"``.

    Notes
    -----
    *Guarantee.* Pure epsilon-DP, replacing one user: the search, and in each of the public number
    of steps a median and a choice, each pure; their epsilons add. The ends of the interval are
    outputs of earlier steps.

    *Deviations from the paper.* The search and its exact separation are those of `UserAgnostic`; a
    step chooses among the middle and the two sides by one exponential mechanism instead of
    comparing three noisy scores, of which three epsilons would be spent; thresholds go from
    ``low - 1`` on, for a domain that begins at ``low``.

    Examples
    --------
    >>> learner = UserThreshold.of(
    ...     Thresholds(1, 2**20), epsilon=1, alpha=0.1, beta=0.05, samples_per_user=16)
    >>> learner.plan.steps, learner.guarantee().epsilon
    (8, Fraction(1, 1))
    """

    concept_class: Thresholds
    samples_per_user: int
    epsilon: Fraction
    alpha: Fraction
    beta: Fraction
    name: str = "user-threshold"
    unit: Unit = "users"
    pure: ClassVar[bool] = True
    agnostic: ClassVar[bool] = True
    summary: ClassVar[str] = "protects users with many records; binary search among thresholds"

    @classmethod
    def of(
        cls,
        concept_class: Any,
        *,
        epsilon: Any,
        alpha: Any,
        beta: Any,
        samples_per_user: Any,
        owner: str = "UserThresholdLearner",
    ) -> Self:
        """Check the public parameters and return the algorithm; see `UserAgnostic.of`.

        Raises
        ------
        ParameterError
        UnsupportedError
            If the class is not one of thresholds.
        """
        check_class(owner, concept_class)
        if not isinstance(concept_class, Thresholds):
            raise UnsupportedError(
                f"{owner} learns thresholds only, not {concept_class.spec}. "
                "UserAgnosticLearner takes every class that can be listed or hashed."
            )
        budget = user_budget(
            owner, epsilon=epsilon, alpha=alpha, beta=beta, samples_per_user=samples_per_user
        )
        return cls(concept_class, **budget)

    @property
    def plan(self) -> ThresholdPlan:
        """How epsilon is split, and how many steps are taken: public parameters only."""
        budget = (self.epsilon, self.alpha, self.beta)
        return plan_threshold(self.concept_class.size, self.samples_per_user, budget)

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return the promise: pure epsilon, replacing one user, the number of users public."""
        neighbours = Neighbours.USER_REPLACE
        return Guarantee(self.epsilon, neighbours=neighbours, claim=PRIVACY, seeded=seeded)

    def certificate(self, n: int) -> Certificate:
        """Return the accuracy certificate for n users with ``samples_per_user`` records each."""
        return self.plan.certificate(n)

    def required_users(self) -> int:
        """Return the least number of users from which on the certificate always holds."""
        return self.plan.required

    def required_samples(self) -> int:
        """Return the same: what is counted are users (`unit`)."""
        return self.required_users()

    def learn(self, sample: UserSample, source: Source) -> ThresholdHypothesis:
        """Draw the threshold; a pure function of the users' records and the draws.

        Parameters
        ----------
        sample : UserSample
            Any: privacy assumes nothing about how many records a user has, or which.
        source : Source

        Returns
        -------
        ThresholdHypothesis
        """
        plan, users = self.plan, cut(sample, self.samples_per_user, source)
        errors = errors_by_user(self.concept_class, users, self.samples_per_user)
        # Theorem 5.2: the best error by Lemma 4.5, from it t, then Algorithm 1.
        found = plan.search.locate(errors, users.n_users, source)
        scores: ScoreRuns = errors.scores(plan.t(*found))  # type: ignore[attr-defined]
        low, high = self.concept_class.low - 1, self.concept_class.high
        for median in plan.medians:
            if low == high:
                break
            # mid: PrivateMedian, for an interval that holds (2/3)**(k-1) of the mass
            middle = median.draw(users, low, high, source)
            # v_mid, v_l, v_r without noise: the choice among them is one draw
            sides = {
                (middle, middle): scores.at(middle),
                (low, middle - 1): scores.least(low, middle - 1),
                (middle + 1, high): scores.least(middle + 1, high),
            }
            there = [(side, least) for side, least in sides.items() if least is not None]
            part = Explicit([-least for _, least in there]).draw(plan.rate, source)
            low, high = there[part][0]
        return ThresholdHypothesis(low, self.concept_class.low, self.concept_class.high)
