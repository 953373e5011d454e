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

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING, Any

from littlestone.classes.dichotomies import check_dichotomies, dichotomies
from littlestone.data.dealing import deal, part
from littlestone.errors import ParameterError, check_probability
from littlestone.learners.agnostic.claims import PRIVACY
from littlestone.learners.agnostic.records import ordered_part, places, relabelled
from littlestone.learners.agnostic.subsample import LEARNER, Wrapper
from littlestone.learners.agnostic.two_sample_plan import TwoSamplePlan, fewest_records
from littlestone.learners.base import Learner
from littlestone.learners.declare import declared, maybe, number, share, whole
from littlestone.mechanisms import selection_rate
from littlestone.privacy import Guarantee

if TYPE_CHECKING:
    from littlestone.data import Sample
    from littlestone.source import Source
    from littlestone.types import Hypothesis


def _delta(owner: str, name: str, value: Any) -> Fraction | None:
    """Check a delta; 0 is that of a pure learner."""
    return value if value in (None, 0) else check_probability(owner, name, value)


@dataclass(frozen=True)
class TwoSample(Wrapper[TwoSamplePlan]):
    """The learner behind `AgnosticFromRealizable`."""

    estimator = "AgnosticFromRealizable"
    summary = "a learner on records that are relabelled privately; for any labels"
    claim = PRIVACY
    prefix = "agnostic"
    agnostic = True

    learner: Learner[Any] = declared(
        LEARNER,
        "A learner whose certificate is for realizable labels, such as `VC1Learner`. Its class and "
        "its options are kept; its epsilon, delta, alpha and beta are chosen anew.",
        kw_only=False,
    )
    epsilon: Fraction = declared(
        number("1 is a common choice."), "Privacy loss of one ``fit``. No default."
    )
    delta: Fraction = declared(
        replace(maybe(share()), check=_delta),
        "Default: that of the learner. A pure learner stays pure.",
        default=None,
    )
    alpha: Fraction = declared(
        maybe(share()),
        "Error above the best concept of the class. Default: that of the learner.",
        default=None,
    )
    beta: Fraction = declared(
        maybe(share()), "Probability of more. Default: that of the learner.", default=None
    )
    learner_epsilon: Fraction | None = declared(
        maybe(number()),
        "Epsilon of the learner on the part that it sees; None takes the best.",
        default=None,
    )
    pool: int | None = declared(
        maybe(whole(0)),
        "Number of records that the first part is drawn from; None takes the best.",
        default=None,
    )

    def check(self) -> None:
        """Take what was not given from the learner; refuse a delta for a pure one."""
        if self.learner.pure and self.delta:
            raise ParameterError(
                f"The 'delta' parameter of {self.estimator} must not be given with the "
                f"{self.learner.name!r} learner. Got {self.delta}. It is purely "
                "epsilon-private, and so is its agnostic form: leave delta out."
            )
        own = {"delta": self.learner.goal.delta, "alpha": self.learner.alpha}
        for name, value in (own | {"beta": self.learner.beta}).items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)

    def make_plan(self) -> TwoSamplePlan:
        """Return how many records go where."""
        check_dichotomies(self.concept_class)
        return fewest_records(self.learner, self.goal, self.learner_epsilon)

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return the promise: (epsilon, delta), replace-one, n public."""
        inner = self.plan.learner.guarantee()
        claim = f"{PRIVACY}({inner.claim})" if inner.claim else PRIVACY
        return Guarantee(self.epsilon, self.plan.rate * inner.delta, claim=claim, seeded=seeded)

    def parts(self, n: int) -> tuple[int, int]:
        """Return how many of n records are in the pool, and how many of those are drawn."""
        if self.pool is None:
            return self.plan.parts(n)
        pool = min(self.pool, n)
        return pool, floor(self.plan.rate * pool)

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Draw the hypothesis; a pure function of the sample and the draws."""
        pool, size = self.parts(sample.n)
        dealt = deal(sample, source)  # step 1
        first = ordered_part(sample, dealt[:pool][places(pool, size, source)])
        second = part(sample, dealt[pool:])
        found = dichotomies(self.concept_class, first.points, second)
        labels = found.draw(selection_rate(self.epsilon), source)  # step 2
        return self.plan.learner.draw(relabelled(first, labels), source)  # step 3
