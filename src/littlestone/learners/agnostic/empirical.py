"""EmpiricalFromPAC: a learner on records drawn with replacement, whose error is on the records.

Paper 004, Lemma 15 (Bun, Nissim, Stemmer, Vadhan 2015, Lemma 5.9): a PAC learner with m records,
run on m of n given records that are drawn independently with replacement, is an empirical learner.
One record may be drawn several times; with n = 9 m that costs no privacy. Here the cost of the
copies is a closed form in m/n. Statements and proofs: ``docs/learners/agnostic.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import TYPE_CHECKING

import numpy as np
from flint import ctx

from littlestone.bounds import register_claim
from littlestone.data.sample import written_out
from littlestone.errors import parameter_error
from littlestone.learners.agnostic.subsample import (
    RATE,
    Drawn,
    SubsamplePlan,
    ordered_part,
    refuse_costs,
)
from littlestone.learners.base import declared
from littlestone.privacy.guarantee import round_up, upper
from littlestone.source import ball

if TYPE_CHECKING:
    from littlestone.data import Sample
    from littlestone.source import Source
    from littlestone.types import Hypothesis


EMPIRICAL_PRIVACY = register_claim(
    "empirical.privacy",
    "Bun, Nissim, Stemmer, Vadhan: Differentially Private Release and Learning of Threshold "
    "Functions, Lemma 5.9; constants: littlestone",
    "2015 (004, Lemma 15); proof in docs/learners/agnostic.md",
    "An (epsilon, delta)-DP mechanism on m records drawn with replacement from n is "
    "(e, delta (exp(e) - 1)/(exp(epsilon) - 1))-DP under replace-one, "
    "e = (m/n) (exp(epsilon) - 1), if e <= epsilon.",
)
EMPIRICAL = register_claim(
    "empirical.accuracy",
    "Alon, Bun, Livni, Malliaris, Moran: Private and Online Learnability Are Equivalent",
    "2022 (004), Lemma 15",
    "A learner with error at most alpha except with probability beta on m independent records "
    "of any distribution has, on m records drawn with replacement from the n ones that are "
    "given, error at most alpha on these n records except with probability beta.",
    makes_true=("independent draws", "drawn independently"),
)


#: m/n in Lemma 15.
NINTH = Fraction(1, 9)


@dataclass(frozen=True)
class Empirical(Drawn):
    """The learner behind `EmpiricalFromPAC`: ``learner`` sees records drawn with replacement.

    The guarantee is (e, delta (exp(e) - 1)/(exp(epsilon) - 1)), e = rate (exp(epsilon) - 1).
    """

    rate: Fraction = declared(
        RATE,
        "floor(rate * n) of n records are drawn. At most epsilon/(exp(epsilon) - 1), where the "
        "guarantee is the learner's own.",
        default=NINTH,
        kw_only=False,
    )

    estimator = "EmpiricalFromPAC"
    summary = "a learner on records drawn with replacement; its error is on the given records"
    claim = EMPIRICAL_PRIVACY
    prefix = "empirical"

    def check(self) -> None:
        """Refuse a rate at which the copies of one record would cost more than the learner."""
        refuse_costs(self.learner, self.estimator)
        inner = self.learner.guarantee().epsilon
        if inner > 100 or self.epsilon > inner:
            raise parameter_error(
                self.estimator,
                "rate",
                f"at most epsilon/(exp(epsilon) - 1), for a learner of epsilon {float(inner):g}",
                self.rate,
                "Give the learner a smaller epsilon, or take a smaller rate.",
            )

    @cached_property
    def epsilon(self) -> Fraction:
        """The cost of the copies: rate (exp(epsilon) - 1), at 15 digits."""
        with ctx.workprec(256):
            return round_up(upper(ball(self.rate) * ball(self.learner.guarantee().epsilon).expm1()))

    @cached_property
    def delta(self) -> Fraction:
        """The learner's delta times (exp(e) - 1)/(exp(epsilon) - 1), at 15 digits."""
        inner = self.learner.guarantee()
        if not inner.delta:
            return Fraction(0)
        with ctx.workprec(256):
            share = ball(self.epsilon).expm1() / ball(inner.epsilon).expm1()
            return round_up(upper(share * ball(inner.delta)))

    def make_plan(self) -> SubsamplePlan:
        """Return the inner learner's plan, stretched."""
        return SubsamplePlan(self.learner.plan, self.rate, self.goal, EMPIRICAL)

    def shuffles(self, n: int) -> bool:
        """Return False: a draw with replacement asks for no order."""
        return False

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Draw floor(rate * n) records with replacement, secretly, and learn from them."""
        n = sample.n
        drawn = np.array([source.below(n) for _ in range(floor(self.rate * n))], dtype=np.int64)
        return self.learner.draw(ordered_part(sample, written_out(sample)[drawn]), source)
