"""Subsampled: a learner on a secret part of the records, with the exact amplified guarantee."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Self

from flint import ctx

from littlestone.bounds import CertificateBuilder
from littlestone.data.dealing import deal
from littlestone.errors import UnsupportedError, exact_value, parameter_error
from littlestone.learners.agnostic.claims import SUBSAMPLING
from littlestone.learners.agnostic.nested import nest
from littlestone.learners.agnostic.records import ordered_part, places
from littlestone.privacy import Guarantee, Neighbours
from littlestone.privacy.rounding import lower, round_up, upper
from littlestone.source import ball

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Unit
    from littlestone.classes import ConceptClass
    from littlestone.data import Sample
    from littlestone.learners.algorithm import Algorithm
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = ["Subsample", "amplified", "as_algorithm", "rate_for"]


def amplified(epsilon: Fraction, rate: Fraction) -> Fraction:
    """Return an upper bound of ln(1 + rate (e**epsilon - 1)), at 15 digits.

    Examples
    --------
    >>> float(amplified(Fraction(1), Fraction(1, 10)))
    0.158565...
    """
    if rate >= 1:
        return epsilon
    with ctx.workprec(256):
        grown = ball(rate) * ball(epsilon).expm1()
        return min(round_up(upper(grown.log1p())), epsilon)


def rate_for(epsilon: Fraction, inner: Fraction, factor: int = 1) -> Fraction:
    """Return a rate, at most 1, by which (ln factor + inner)-DP becomes epsilon-DP.

    Examples
    --------
    >>> float(rate_for(Fraction(1), Fraction(9, 10), 4))
    0.194...
    >>> rate_for(Fraction(1), Fraction(1))
    Fraction(1, 1)
    """
    with ctx.workprec(256):
        have = factor * ball(inner).exp() - 1
        rate = ball(epsilon).expm1() / have
        if rate >= 1 or (factor == 1 and epsilon >= inner):
            return Fraction(1)
        exact = lower(rate)
    scale = 1 << (60 + exact.denominator.bit_length() - exact.numerator.bit_length())
    return Fraction(floor(exact * scale), scale)


def as_algorithm(owner: str, learner: Any) -> Algorithm:
    """Return the algorithm of an estimator, or the algorithm itself; it must protect records.

    Raises
    ------
    ParameterError
        If it is no learner.
    UnsupportedError
        If it protects something else than single records.
    """
    if hasattr(learner, "algorithm"):
        learner = learner.algorithm()
    if not (hasattr(learner, "learn") and hasattr(learner, "guarantee")):
        hint = "For example VC1Learner(Thresholds(1, 99), epsilon=1, delta=1e-6)."
        constraint = "a learner of this library"
        raise parameter_error(owner, "learner", constraint, type(learner).__name__, hint)
    if learner.unit != "records" or learner.guarantee().neighbours is not Neighbours.REPLACE_ONE:
        raise UnsupportedError(
            f"The {learner.name!r} learner does not protect single records, so {owner} cannot "
            "draw among them."
        )
    return learner  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Subsample:
    """The algorithm behind `Subsampled`; make it with `of`.

    Attributes
    ----------
    learner : Algorithm
        What runs on the part.
    rate : Fraction
        Largest share of the records that it sees.
    """

    learner: Algorithm
    rate: Fraction
    unit: Unit = "records"

    @classmethod
    def of(cls, learner: Any, *, rate: Any, owner: str = "Subsampled") -> Self:
        """Check the public parameters and return the algorithm.

        Raises
        ------
        ParameterError, UnsupportedError
        """
        share = exact_value(rate)
        if share is None or not 0 < share <= 1:
            hint = "0.1 is every tenth record."
            raise parameter_error(owner, "rate", "a number in (0, 1]", rate, hint)
        return cls(as_algorithm(owner, learner), share)

    @property
    def name(self) -> str:
        """The inner learner's name, with a prefix."""
        return f"subsampled:{self.learner.name}"

    @property
    def concept_class(self) -> ConceptClass:
        """The class of the inner learner."""
        return self.learner.concept_class

    @cached_property
    def epsilon(self) -> Fraction:
        """The amplified epsilon."""
        return amplified(self.learner.guarantee().epsilon, self.rate)

    @property
    def alpha(self) -> Fraction:
        """The error of the inner certificate."""
        return self.learner.alpha

    @property
    def beta(self) -> Fraction:
        """The failure probability of the inner certificate."""
        return self.learner.beta

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return the promise: (ln(1 + rate (e**epsilon - 1)), rate * delta), replace-one."""
        inner = self.learner.guarantee()
        claim = f"{SUBSAMPLING}({inner.claim})" if inner.claim else SUBSAMPLING
        return Guarantee(self.epsilon, self.rate * inner.delta, claim=claim, seeded=seeded)

    def certificate(self, n: int) -> Certificate:
        """Return the accuracy certificate for n records: that of the part."""
        cert = CertificateBuilder()
        nest(cert, self.learner.certificate(max(floor(self.rate * n), 1)), "part")
        needed = cert.step(
            "needed",
            "ceil(required/rate)",
            SUBSAMPLING,
            required=self.learner.required_samples(),
            rate=self.rate,
        )
        cert.step("enough", "n >= needed", SUBSAMPLING, n=n, needed=needed)
        return cert.certificate(alpha=self.alpha, beta=self.beta, n=n)

    def required_samples(self) -> int:
        """Return the least n from which on the certificate always holds."""
        return ceil(self.learner.required_samples() / self.rate)

    def deals(self, n: int) -> bool:
        """Return True: single records are drawn."""
        return True

    def learn(self, sample: Sample, source: Source) -> Hypothesis:
        """Draw a part of floor(rate * n) records, secretly, and learn from it.

        Parameters
        ----------
        sample : Sample
            Any sample: privacy does not assume anything.
        source : Source

        Returns
        -------
        Hypothesis
        """
        n = sample.n
        drawn = places(n, floor(self.rate * n), source)
        return self.learner.learn(ordered_part(sample, deal(sample, source)[drawn]), source)
