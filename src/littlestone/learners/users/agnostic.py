"""Agnostic learning when each user holds many records: paper 002, Theorem 4.6."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

from littlestone.classes import check_class
from littlestone.errors import check_integer, parameter_error
from littlestone.learners.goal import check_pure_budget
from littlestone.learners.users.claims import PRIVACY
from littlestone.learners.users.plan import METHODS, Mechanism, plan
from littlestone.privacy import Guarantee, Neighbours
from littlestone.source import public_salt

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Unit
    from littlestone.classes import ConceptClass
    from littlestone.data import UserSample
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = ["UserAgnostic", "cut", "user_budget"]

#: Records of one user that are looked at: with more, the certificates take too long to compute.
MOST_OF_EACH = 100_000


def user_budget(
    owner: str, *, epsilon: Any, alpha: Any, beta: Any, samples_per_user: Any
) -> dict[str, Any]:
    """Check what all user-level learners share.

    Parameters
    ----------
    owner : str
        Who is named in errors.
    epsilon : number in (0, inf)
    alpha, beta : number in (0, 1)
    samples_per_user : int
        In [1, 100000].

    Returns
    -------
    dict
        The four numbers by name, exact.

    Raises
    ------
    ParameterError
    """
    hint = "How many records of each user are looked at; 16 is a common choice."
    each = check_integer(owner, "samples_per_user", samples_per_user, low=1, hint=hint)
    if each > MOST_OF_EACH:
        raise parameter_error(
            owner, "samples_per_user", f"an integer in [1, {MOST_OF_EACH}]", each, hint
        )
    numbers = check_pure_budget(owner, epsilon=epsilon, alpha=alpha, beta=beta)
    exact = dict(zip(("epsilon", "alpha", "beta"), numbers, strict=True))
    return {"samples_per_user": each, **exact}


def cut(users: UserSample, most: int, source: Source) -> UserSample:
    """Return at most ``most`` records of each user, by a public random choice inside each user.

    What is kept of a user depends on that user and on public coins only, so replacing a user
    changes nothing else.

    Parameters
    ----------
    users : UserSample
    most : int >= 1
        The paper's m.
    source : Source
        Only its public coins are used.
    """
    return users.capped(most, salt=public_salt(source))


@dataclass(frozen=True)
class UserAgnostic:
    """The algorithm behind `UserAgnosticLearner`; make it with `of`.

    Attributes
    ----------
    concept_class : ConceptClass
    samples_per_user : int
        m: more records of one user are cut, fewer are taken as they are.
    epsilon, alpha, beta : Fraction
    method : str
        One of `littlestone.learners.users.plan.METHODS`.
    name : str
        ``"users"``.
    unit : str
        ``"users"``.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> learner = UserAgnostic.of(
    ...     Thresholds(1, 2**20), epsilon=1, alpha=0.1, beta=0.05, samples_per_user=256)
    >>> learner.plan.name, learner.required_users()
    ('user-level', 230)
    """

    concept_class: ConceptClass
    samples_per_user: int
    epsilon: Fraction
    alpha: Fraction
    beta: Fraction
    method: str = "auto"
    name: str = "users"
    unit: Unit = "users"
    pure: ClassVar[bool] = True
    agnostic: ClassVar[bool] = True
    summary: ClassVar[str] = "protects users with many records; certificate for any labels"

    @classmethod
    def of(
        cls,
        concept_class: ConceptClass,
        *,
        epsilon: Any,
        alpha: Any,
        beta: Any,
        samples_per_user: Any,
        method: Any = "auto",
        owner: str = "UserAgnosticLearner",
    ) -> Self:
        """Check the public parameters and return the algorithm.

        Parameters
        ----------
        concept_class : ConceptClass
        epsilon : number in (0, inf)
        alpha, beta : number in (0, 1)
        samples_per_user : int >= 1
        method : str
        owner : str
            Who is named in errors.

        Raises
        ------
        ParameterError
        """
        check_class(owner, concept_class)
        budget = user_budget(
            owner, epsilon=epsilon, alpha=alpha, beta=beta, samples_per_user=samples_per_user
        )
        if method not in METHODS:
            raise parameter_error(owner, "method", f"one of {', '.join(METHODS)}", method)
        return cls(concept_class, method=method, **budget)

    @property
    def plan(self) -> Mechanism:
        """How this class is gone about, chosen from public parameters only."""
        budget = (self.epsilon, self.alpha, self.beta)
        return plan(self.concept_class, self.samples_per_user, budget, self.method)

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

    def learn(self, sample: UserSample, source: Source) -> Hypothesis:
        """Draw the hypothesis; a pure function of the users' records and the draws.

        Parameters
        ----------
        sample : UserSample
            Any: privacy assumes nothing about how many records a user has, or which.
        source : Source

        Returns
        -------
        Hypothesis
        """
        # The search and the choice of Theorem 4.6 are `UserLevelMechanism.choose`.
        return self.plan.choose(cut(sample, self.samples_per_user, source), source)
