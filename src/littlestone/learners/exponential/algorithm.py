"""The exponential mechanism over a class: generic (realizable) and agnostic learning.

Paper 004, Lemma 29 (GenericLearner) and paper 002, Theorem 3.4 (agnostic learning with a
surrogate score) are one mechanism with two certificates:

1. draw a finite hypothesis set H from a probabilistic representation of the class, with public
   coins (Theorem 3.4, step 1; a class that can be enumerated represents itself);
2. release h in H with probability proportional to ``exp(-epsilon * score(h) / (2 D))`` (step 2),
   where the score is an integer count that one record changes by at most D.

Deviation from Theorem 3.4, whose score is q(z, h) = min over c of err(c) + dis(c, h): when H is a
subset of the class, q equals the empirical error, whose D is 1 instead of 2; otherwise the direct
error over H is used too, unless the surrogate's certificate needs fewer records.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

from littlestone.classes import check_class
from littlestone.learners.budget import check_pure_budget
from littlestone.learners.exponential.plan import Plan, plan
from littlestone.mechanisms import selection_rate
from littlestone.privacy import Concentrated, Guarantee

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Unit
    from littlestone.classes import ConceptClass
    from littlestone.data import Sample
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = ["ExponentialLearner"]


@dataclass(frozen=True)
class ExponentialLearner:
    """The algorithm behind `GenericLearner` and `AgnosticLearner`; make it with `of`.

    Attributes
    ----------
    concept_class : ConceptClass
    epsilon, alpha, beta : Fraction
    agnostic : bool
        Which certificate: realizable or agnostic. The mechanism is the same.
    name : str
        ``"generic"`` or ``"agnostic"``.
    unit : str
        ``"records"``.
    """

    concept_class: ConceptClass
    epsilon: Fraction
    alpha: Fraction
    beta: Fraction
    agnostic: bool
    name: str
    unit: Unit = "records"

    @classmethod
    def of(
        cls,
        concept_class: ConceptClass,
        *,
        epsilon: Any,
        alpha: Any,
        beta: Any,
        agnostic: bool,
        owner: str = "ExponentialLearner",
    ) -> Self:
        """Check the public parameters and return the algorithm.

        Parameters
        ----------
        concept_class : ConceptClass
        epsilon : number in (0, inf)
        alpha, beta : number in (0, 1)
        agnostic : bool
        owner : str
            Who is named in errors.

        Raises
        ------
        ParameterError
        """
        check_class(owner, concept_class)
        return cls(
            concept_class,
            *check_pure_budget(owner, epsilon=epsilon, alpha=alpha, beta=beta),
            agnostic,
            "agnostic" if agnostic else "generic",
        )

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return the promise: pure epsilon, replace-one, n public."""
        return Guarantee(self.epsilon, claim="exp-mech.privacy", seeded=seeded)

    @property
    def loss(self) -> Concentrated:
        """The promise in zCDP: epsilon**2/8 for every value of the public coins."""
        return Concentrated(self.epsilon**2 / 8)

    def certificate(self, n: int) -> Certificate:
        """Return the accuracy certificate for n records."""
        return self.plan.certify(n)

    def required_samples(self) -> int:
        """Return the least n from which on the certificate always holds."""
        return self.plan.required

    @property
    def plan(self) -> Plan:
        """The hypothesis set and the score, chosen from public parameters only."""
        return plan(self.concept_class, self.epsilon, self.alpha, self.beta, agnostic=self.agnostic)

    def rate(self, sensitivity: int) -> Fraction:
        """Return the rate of the exponential weights for a score of this sensitivity."""
        return selection_rate(self.epsilon, sensitivity=sensitivity)

    def learn(self, sample: Sample, source: Source) -> Hypothesis:
        """Draw the hypothesis; a pure function of the sample and the draws.

        Parameters
        ----------
        sample : Sample
            Any sample: privacy does not assume anything.
        source : Source

        Returns
        -------
        Hypothesis
        """
        way = self.plan
        hypotheses = way.representation.drawn(source)  # step 1: public coins
        if way.surrogate:
            candidates = hypotheses.surrogate_candidates(sample)
            return candidates.draw(self.rate(hypotheses.surrogate_sensitivity), source)
        return hypotheses.candidates(sample).draw(self.rate(1), source)  # step 2
