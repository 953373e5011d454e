"""What every learner is underneath: an algorithm that turns counts into one private hypothesis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from fractions import Fraction

    from littlestone.bounds import Certificate
    from littlestone.classes import ConceptClass
    from littlestone.data import Sample
    from littlestone.privacy import Guarantee
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = ["Algorithm"]


@runtime_checkable
class Algorithm(Protocol):
    """A learner, without any shell: public parameters in, ``learn`` out.

    ``learn`` is a pure function of the sample and of the draws that it makes at the source, so
    `littlestone.audit.verify` can compute its exact output law. The command line, the planner and
    the scikit-learn estimators all wrap this one object.
    """

    name: str
    unit: str  # "records" or "users"
    concept_class: ConceptClass
    epsilon: Fraction
    alpha: Fraction
    beta: Fraction

    def learn(self, sample: Sample, source: Source) -> Hypothesis:
        """Return one hypothesis; private for every input."""

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return what is promised about privacy."""

    def certificate(self, n: int) -> Certificate:
        """Return what is promised about accuracy with n records (or users)."""

    def required_samples(self) -> int:
        """Return the least n from which on the certificate always holds."""
