"""What a learner is that is not yet a `littlestone.learners.base.Learner`: a bridge."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Unit
    from littlestone.classes import ConceptClass
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

    @property
    def name(self) -> str:
        """The learner's name in the registry."""

    @property
    def unit(self) -> Unit:
        """What is counted: ``"records"`` or ``"users"``."""

    @property
    def concept_class(self) -> ConceptClass:
        """The public class."""

    @property
    def epsilon(self) -> Fraction:
        """Privacy loss of one call of ``learn``."""

    @property
    def alpha(self) -> Fraction:
        """Error that the certificate is about."""

    @property
    def beta(self) -> Fraction:
        """Failure probability that the certificate is about."""

    def learn(self, sample: Any, source: Source) -> Hypothesis:
        """Return one hypothesis of a `Sample` (or `UserSample`); private for every input."""

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return what is promised about privacy."""

    def certificate(self, n: int) -> Certificate:
        """Return what is promised about accuracy with n records (or users)."""

    def required_samples(self) -> int:
        """Return the least n from which on the certificate always holds."""
