"""AgnosticFromRealizable: learn from any labels with a learner for realizable ones.

Paper 004, Corollary 4, by relabelling (Alon, Beimel, Moran, Stemmer 2020), in a two-sample form:

1. deal the records to a pool and a second part; of the pool draw the first part, secretly;
2. draw a dichotomy of the first part's points (whose labels are ignored), by the exponential
   mechanism on the errors of its best concept on the second part;
3. label the first part by it, and run the learner on that.

Step 2 needs alpha**-2 records, but not 1/epsilon times as many; step 3 needs as many as the
learner. Statements and proofs: ``docs/learners/agnostic.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, Any, Self

from littlestone.classes.dichotomies import check_dichotomies, dichotomies
from littlestone.data.dealing import deal, part
from littlestone.errors import (
    ParameterError,
    check_fraction,
    check_integer,
    check_probability,
)
from littlestone.learners.agnostic.claims import PRIVACY
from littlestone.learners.agnostic.design import Design, design
from littlestone.learners.agnostic.records import ordered_part, places, relabelled
from littlestone.learners.agnostic.subsample import as_algorithm
from littlestone.learners.goal import Goal
from littlestone.mechanisms import selection_rate
from littlestone.privacy import Guarantee

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Unit
    from littlestone.classes import ConceptClass
    from littlestone.data import Sample
    from littlestone.learners.algorithm import Algorithm
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = ["TwoSample"]


@dataclass(frozen=True)
class TwoSample:
    """The algorithm behind `AgnosticFromRealizable`; make it with `of`.

    Attributes
    ----------
    learner : Algorithm
        A learner with a certificate for realizable labels. Its own epsilon, delta, alpha and beta
        are replaced by those that the design finds.
    epsilon, delta, alpha, beta : Fraction
        Of the whole; alpha is excess error. delta is 0 if the learner is pure.
    learner_epsilon : Fraction or None
        Epsilon of the learner on the part that it sees; None takes the best.
    pool : int or None
        Number of records that the first part is drawn from; None takes the best.
    """

    learner: Algorithm
    epsilon: Fraction
    delta: Fraction
    alpha: Fraction
    beta: Fraction
    learner_epsilon: Fraction | None = None
    pool: int | None = None
    unit: Unit = "records"

    @classmethod
    def of(
        cls,
        learner: Any,
        *,
        epsilon: Any,
        delta: Any = None,
        alpha: Any = None,
        beta: Any = None,
        learner_epsilon: Any = None,
        pool: Any = None,
        owner: str = "AgnosticFromRealizable",
    ) -> Self:
        """Check the public parameters and return the algorithm.

        Parameters
        ----------
        learner : estimator or Algorithm
        epsilon : number in (0, inf)
        delta : number in (0, 1), optional
            Default: that of the learner. Must not be given if the learner is pure.
        alpha, beta : number in (0, 1), optional
            Default: those of the learner.
        learner_epsilon, pool
            See the attributes.
        owner : str
            Who is named in errors.

        Raises
        ------
        ParameterError
        UnsupportedError
            If the learner protects no single records, or the class's dichotomies cannot be drawn.
        """
        inner = as_algorithm(owner, learner)
        check_dichotomies(inner.concept_class)
        own = inner.guarantee().delta
        if own == 0 and delta is not None:
            raise ParameterError(
                f"The 'delta' parameter of {owner} must not be given with the {inner.name!r} "
                f"learner. Got {delta!r}. It is purely epsilon-private, and so is its agnostic "
                "form: leave delta out."
            )
        made = cls(
            inner,
            check_fraction(owner, "epsilon", epsilon, hint="1 is a common choice."),
            own if delta is None else check_probability(owner, "delta", delta),
            inner.alpha if alpha is None else check_probability(owner, "alpha", alpha),
            inner.beta if beta is None else check_probability(owner, "beta", beta),
            None
            if learner_epsilon is None
            else check_fraction(owner, "learner_epsilon", learner_epsilon),
            None if pool is None else check_integer(owner, "pool", pool, low=0),
        )
        _ = made.design  # refuses what cannot be planned
        return made

    @property
    def name(self) -> str:
        """The learner's name, with a prefix."""
        return f"agnostic:{self.learner.name}"

    @property
    def concept_class(self) -> ConceptClass:
        """The class of the learner."""
        return self.learner.concept_class

    @property
    def design(self) -> Design:
        """How many records go where: chosen from public parameters only."""
        budget = Goal(self.epsilon, self.delta, self.alpha, self.beta)
        return design(self.learner, budget, self.learner_epsilon)  # type: ignore[arg-type]

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return the promise: (epsilon, delta), replace-one, n public."""
        way = self.design
        inner = way.learner.guarantee()
        claim = f"{PRIVACY}({inner.claim})" if inner.claim else PRIVACY
        return Guarantee(self.epsilon, way.rate * inner.delta, claim=claim, seeded=seeded)

    def certificate(self, n: int) -> Certificate:
        """Return the accuracy certificate for n records."""
        return self.design.certificate(n)

    def required_samples(self) -> int:
        """Return the least n from which on the certificate always holds."""
        return self.design.needed

    def deals(self, n: int) -> bool:
        """Return True: records are dealt to two parts."""
        return True

    def parts(self, n: int) -> tuple[int, int]:
        """Return how many of n records are in the pool, and how many of those are drawn."""
        if self.pool is None:
            return self.design.parts(n)
        pool = min(self.pool, n)
        return pool, floor(self.design.rate * pool)

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
        pool, size = self.parts(sample.n)
        dealt = deal(sample, source)  # step 1
        first = ordered_part(sample, dealt[:pool][places(pool, size, source)])
        second = part(sample, dealt[pool:])
        found = dichotomies(self.concept_class, first.points, second)
        labels = found.draw(selection_rate(self.epsilon), source)  # step 2
        return self.design.learner.learn(relabelled(first, labels), source)  # step 3
