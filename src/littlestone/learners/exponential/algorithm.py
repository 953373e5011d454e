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

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Self

from littlestone import bounds
from littlestone.classes import check_class
from littlestone.errors import check_fraction, check_probability
from littlestone.mechanisms import selection_rate
from littlestone.privacy import Guarantee

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Unit
    from littlestone.classes import ConceptClass, Representation
    from littlestone.data import Sample
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = ["ExponentialLearner"]

#: Shares of alpha and beta that a representation may spend; the best pair is searched for.
_ALPHA_SHARES = [Fraction(1, d) for d in (3, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 64)]
_BETA_SHARES = [Fraction(1, d) for d in (2, 3, 4, 6, 8, 12, 16)]


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
            check_fraction(owner, "epsilon", epsilon, hint="1 is a common choice."),
            check_probability(owner, "alpha", alpha, hint="0.1 is one error in ten."),
            check_probability(owner, "beta", beta, hint="0.05 is one failure in twenty."),
            agnostic,
            "agnostic" if agnostic else "generic",
        )

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return the promise: pure epsilon, replace-one, n public."""
        return Guarantee(self.epsilon, claim="exp-mech.privacy", seeded=seeded)

    def certificate(self, n: int) -> Certificate:
        """Return the accuracy certificate for n records."""
        return self._certify(self.representation, n)

    def required_samples(self) -> int:
        """Return the least n from which on the certificate always holds."""
        return max(self._certify(self.representation, None).n, 1)

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
        hypotheses = self.representation.drawn(source)  # step 1: public coins
        return hypotheses.candidates(sample).draw(self.rate(1), source)  # step 2

    @cached_property
    def representation(self) -> Representation:
        """The distribution over hypothesis sets, chosen from public parameters only."""
        if isinstance(self.concept_class.size, int):
            return self.concept_class.representation()
        return min(self._affordable(), key=lambda r: self._certify(r, None).n)

    def _affordable(self) -> Iterator[Representation]:
        for share in _ALPHA_SHARES:
            for part in _BETA_SHARES:
                yield self.concept_class.representation(self.alpha * share, self.beta * part)

    def _certify(self, representation: Representation, n: int | None) -> Certificate:
        return _certificate(
            self.agnostic,
            representation.size,
            (representation.alpha, representation.beta),
            (self.epsilon, self.alpha, self.beta),
            n,
        )


@lru_cache(maxsize=1024)  # a function of public numbers; verification asks for it on every path
def _certificate(
    agnostic: bool,
    size: int,
    missed: tuple[Fraction, Fraction],
    budget: tuple[Fraction, Fraction, Fraction],
    n: int | None,
) -> Certificate:
    """Return the certificate of size candidates; ``missed`` is the representation's own loss."""
    epsilon, alpha, beta = budget
    if not missed[0]:
        certify = bounds.agnostic if agnostic else bounds.realizable
        return certify(size, epsilon=epsilon, alpha=alpha, beta=beta, n=n)
    certify_from = bounds.agnostic_from if agnostic else bounds.realizable_from
    return certify_from(
        size, epsilon=epsilon, alpha=alpha, beta=beta, alpha1=missed[0], beta1=missed[1], n=n
    )
