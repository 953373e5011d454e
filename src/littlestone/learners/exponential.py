"""The exponential mechanism over a class: generic (realizable) and agnostic learning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import bounds
from littlestone.bounds import Reference
from littlestone.bounds.representations import PublicBound
from littlestone.classes.base import IdentityRepresentation
from littlestone.classes.spec import at_public_points
from littlestone.costs import Costs
from littlestone.data import Sample
from littlestone.errors import (
    LittlestoneError,
    ParameterError,
    UnsupportedError,
    exact_value,
    parameter_error,
)
from littlestone.learners.base import CLASS, ClassLearner, Kind, Plan, declared, nest, one_of
from littlestone.mechanisms import selection_rate
from littlestone.privacy import Concentrated, Neighbours

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, CertificateBuilder
    from littlestone.classes import ConceptClass, Representation
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = ["Agnostic", "Exponential", "ExponentialPlan", "Generic"]


# -- The exponential mechanism over a class: generic (realizable) and agnostic learning.
#
# Paper 004, Lemma 29 (GenericLearner) and paper 002, Theorem 3.4 (agnostic learning with a
# surrogate score; the algorithm is in its proof, Appendix B) are one mechanism with two
# certificates:
#
# 1. draw a finite hypothesis set H from a probabilistic representation P of the class, with public
#    coins (a class that can be enumerated represents itself);
# 2. release h in H with probability proportional to ``exp(-epsilon * score(h) / (2 D))``, where the
#    score is an integer count that one record changes by at most D (the papers' sensitivity,
#    Delta).
#
# The draw is that of `littlestone.source.leveled`; scores there are minus the counts of here.
#
# Deviation from Theorem 3.4, whose score is q(z, h) = min over c of err(c) + dis(c, h): when H is
# a subset of the class, q equals the empirical error, whose D is 1 instead of 2; otherwise the
# direct error over H is used too, which needs fewer records (q is in
# `littlestone.papers.li_wang_ye`).
#
# The plan chooses H from public parameters, the one whose certificate needs the fewest records
# of:
#
# 1. a class that can be enumerated or segmented represents itself; the score is the error;
# 2. an infinite class, or a large one where it pays, is hashed, and the score is the direct error
#    over the hashed hypotheses.


COST = "exp-mech.cost"
LABELS = "exp-mech.labels"

#: Up to this size only the tight certificate is computed: the VC dimension of an explicit class is
#: costly, and pays only when ln(size) is far larger than it.
_EXPLICIT = 2**32

#: Below it sums in doubles are exact, by which rules and trees are counted.
_EXACT = 2**53

#: Up to this size a class is itself the representation, so that its own concepts are released.
_LISTED = 2**16


@dataclass(frozen=True)
class ExponentialPlan(Plan):
    """A hypothesis set, and what it certifies."""

    representation: Representation
    certify: Callable[[int], Certificate]
    required: int

    def certificate(self, n: int) -> Certificate:
        """Return the accuracy certificate for n records."""
        return self.certify(n)


_RELATIONS = (Neighbours.REPLACE_ONE, Neighbours.ADD_REMOVE)


def _relation(caller: str, name: str, value: Any) -> Neighbours:
    for relation in _RELATIONS:
        if value in (relation, relation.value):
            return relation
    words = " or ".join(relation.value for relation in _RELATIONS)
    raise parameter_error(caller, name, words, value)


def _shift(caller: str, name: str, value: Any) -> tuple[Fraction, Fraction] | None:
    if value is None:
        return None
    try:
        rho, tau = map(exact_value, value)
    except (TypeError, ValueError):
        rho = tau = None
    if rho is None or tau is None or rho < 1 or not 0 <= tau < 1:
        raise parameter_error(
            caller, name, "None or a pair (rho, tau), rho >= 1 and 0 <= tau < 1", value,
            "(1, 0) means that the public points are from the population of the records.",
        )  # fmt: skip
    return rho, tau


@dataclass(frozen=True)
class Exponential(ClassLearner[ExponentialPlan]):
    """The exponential mechanism over a class; `Generic` and `Agnostic` certify what it draws.

    Pure epsilon under ``neighbours``, for every value of the public coins; costs are keyed by
    codes. Under add-remove all scores that one record moves fall: the rate is twice as large.
    """

    claim = "exp-mech.privacy"
    pure = True
    multiclass = True

    concept_class: ConceptClass = declared(
        CLASS,
        "Public. Any class that can be enumerated (`FiniteClass`, `Rules`), segmented "
        "(`Thresholds`, `Intervals`) or represented by hashing (`Points`).",
        kw_only=False,
    )
    costs: Costs | None = declared(
        Kind("dict"),
        "Public misclassification costs, ``{label: cost}`` or ``{(label, prediction): cost}``: "
        "the mean cost is minimized, and alpha is a proportion of the largest cost. For finite "
        "classes.",
        default=None,
    )
    public: Any = declared(
        Kind("array"),
        "Public unlabelled points, for `Thresholds` and `Intervals`: only concepts "
        "that begin and end at them are candidates. They are not protected, and must not be points "
        "of the records. Trees and rules take them by `Schema.from_public`.",
        default=None,
    )
    shift: tuple[Fraction, Fraction] | None = declared(
        Kind("(rho, tau) or None", _shift),
        "How the population of the public points may differ from that of the records: the "
        "probability of a set among the records is at most rho times its probability among public "
        "points, plus tau. The certificate is then about the best concept of the whole class; "
        "nothing checks the assumption. None: about the best candidate only.",
        default=(1, 0),
    )
    neighbours: Neighbours = declared(
        replace(one_of(*(each.value for each in _RELATIONS)), check=_relation),
        'The neighbouring relation. Under "add-remove" the number of records is secret: ``fit`` '
        "takes a `Sample`, and the release says neither n nor whether the certificate holds. The "
        "rate is twice as large for the same epsilon. Not with ``evaluate`` or costs.",
        default="replace-one",
    )

    def check(self) -> None:
        """Check the costs, one for each label of the class."""
        if self.public is not None:
            rule = f"points of the class, each {self.concept_class.domain.rule}"
            try:
                found = at_public_points(self.concept_class, self.public)
            except LittlestoneError as problem:
                kind = type(self.public).__name__
                raise parameter_error(self.estimator, "public", rule, kind, str(problem)) from None
            object.__setattr__(self, "concept_class", found)
            object.__setattr__(self, "public", None)
        labels = len(self.concept_class.labels)
        if self.costs is not None:
            checked = Costs.of(self.costs, labels=labels, caller=self.estimator, name="costs")
            object.__setattr__(self, "costs", checked)
            if self.neighbours is Neighbours.ADD_REMOVE:
                raise ParameterError(
                    f"{self.estimator} takes no costs under add-remove: their sums are exact up to "
                    "a number of records only, and that number is secret. Leave out one of them."
                )

    @property
    def mistake_costs(self) -> Costs | None:
        """The costs of mistakes, if they are not all alike."""
        return self.costs

    @property
    def streams(self) -> bool:
        """Whether its draw reads a sample in order: the class itself, by its errors."""
        itself = isinstance(self.plan.representation, IdentityRepresentation)
        return self.concept_class.streams and itself

    @property
    def uses_marginals(self) -> bool:
        """Whether its draw asks for the counts of sets of columns only."""
        return self.concept_class.uses_marginals

    @property
    def zcdp(self) -> Concentrated:
        """The promise in zCDP: epsilon**2/8 for every value of the public coins."""
        return Concentrated(self.epsilon**2 / 8)

    def make_plan(self) -> ExponentialPlan:
        """Return the hypothesis set that needs the fewest records."""
        concept_class, agnostic = self.concept_class, self.agnostic
        # certificates know the rate as epsilon/2, of what the release costs under replace-one
        replaced = self.epsilon * (2 if self.neighbours is Neighbours.ADD_REMOVE else 1)
        numbers: dict[str, Any] = {"epsilon": replaced, "alpha": self.alpha, "beta": self.beta}
        if self.mistake_costs is not None:
            return _for_costs(concept_class, numbers, agnostic, self.shift, self.mistake_costs)
        if isinstance(concept_class.size, int):
            return _finite(concept_class, numbers, agnostic, self.shift)
        return _hashed(concept_class, numbers, agnostic)

    def rate(self, sensitivity: int) -> Fraction:
        """Return the rate of the weights for a score of sensitivity D: epsilon / (2 D).

        Under add-remove epsilon / D: every score is a count (or a least count) of errors, which a
        record that is added never lowers.
        """
        monotone = self.neighbours is Neighbours.ADD_REMOVE
        return selection_rate(self.epsilon, sensitivity=sensitivity, monotone=monotone)

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Draw the hypothesis; a pure function of the sample and the draws."""
        hypotheses = self.plan.representation.drawn(source)  # step 1: H ~ P, by public coins
        rate = self.rate(1)  # epsilon / (2 D)
        if self.mistake_costs is not None:  # an error counts as many as it costs
            costs = self.mistake_costs
            sample, rate = sample.cost_weighted(costs), self.rate(costs.largest)
        return hypotheses.candidates(sample).draw(rate, source)  # step 2, with the error


class Generic(Exponential):
    """The learner behind `GenericLearner` (004, Lemma 29): certified for realizable labels."""

    name = "generic"
    estimator = "GenericLearner"
    summary = "exponential mechanism; certificate for realizable labels"
    agnostic = False


class Agnostic(Exponential):
    """The learner behind `AgnosticLearner` (002, Theorem 3.4): certified for any labels."""

    name = "agnostic"
    estimator = "AgnosticLearner"
    summary = "exponential mechanism; certificate for any labels"
    agnostic = True


def _can_be_hashed(concept_class: ConceptClass) -> bool:
    try:
        return concept_class.hashing is not None
    except UnsupportedError:
        return False


@lru_cache(maxsize=256)
def check_scored(concept_class: ConceptClass) -> None:
    """Refuse a class whose concepts cannot be scored, before any record is read.

    Its candidates are asked for on a public sample, without a record in the domain.
    """
    schema = concept_class.row_schema
    width = () if schema is None else (len(schema.names),)
    nothing, points = np.zeros(0, dtype=np.int64), np.zeros((0, *width), dtype=np.int64)
    labels = len(concept_class.labels) if concept_class.lists_labels else None
    concept_class.candidates(Sample.of(points, nothing, labels=labels))


#: From n, or None for the least that is needed, to a certificate.
Certify = Callable[["int | None"], "Certificate"]


def _best(
    concept_class: ConceptClass,
    numbers: dict[str, Any],
    agnostic: bool,
    shift: Any,
    *,
    errors: bool = True,
) -> Certify:
    """Return what is certified of a draw, by errors or other losses, from all of a finite class."""
    size: Any = concept_class.size
    structure = concept_class.structure if errors and not concept_class.lists_labels else None
    if concept_class.public is not None and shift is not None:
        ways = [
            PublicBound(
                size, concept_class.public, shift, agnostic=agnostic, structure=known, **numbers
            )
            for known in dict.fromkeys((structure, None))
        ]
        bound = min(ways, key=PublicBound.required_samples)
        return lambda n: bound.certificate(bound.required_samples() if n is None else n)
    # the VC dimension is one of two labels
    large = errors and size > _EXPLICIT and not concept_class.lists_labels
    vc_dim = concept_class.vc_dim if large else None
    if agnostic and not errors:
        return lambda n: bounds.losses(size, n=n, **numbers)
    return lambda n: bounds.best_finite(
        size, vc_dim=vc_dim, agnostic=agnostic, structure=structure, n=n, **numbers
    )


def _stated(inner: Certificate, source: str) -> CertificateBuilder:
    """Begin a certificate that follows from one about losses."""
    cert = bounds.CertificateBuilder(n=inner.n)
    nest(cert, inner, "losses")
    if "losses.needed" in cert.steps:
        cert.step("enough", "n >= required", source, required=Reference("losses.needed"))
    else:
        cert.step("records", "n", source)
    return cert


def _finite(
    concept_class: ConceptClass, numbers: dict[str, Any], agnostic: bool, shift: Any
) -> ExponentialPlan:
    """Return the class itself, or its hashing, if that needs fewer records or is all that runs."""
    best = _best(concept_class, numbers, agnostic, shift)
    if concept_class.size <= _LISTED or not _can_be_hashed(concept_class):
        return _itself(concept_class, best)
    try:
        itself = _itself(concept_class, best)
    except UnsupportedError:  # too many concepts to score
        return _hashed(concept_class, numbers, agnostic)
    try:
        hashed = _hashed(concept_class, numbers, agnostic)
    except UnsupportedError:  # too few buckets for this alpha and beta
        return itself
    return min(itself, hashed, key=lambda plan: plan.required)


def _itself(concept_class: ConceptClass, best: Certify) -> ExponentialPlan:
    check_scored(concept_class)

    def certify(n: int | None) -> Certificate:
        inner = best(n)
        if not concept_class.lists_labels:
            return inner
        cert = _stated(inner, LABELS)
        return cert.certificate(alpha=inner.alpha, beta=inner.beta, n=inner.n)

    required = max(certify(None).n, 1)
    return ExponentialPlan(concept_class.representation(), lru_cache(certify), required)


def _for_costs(
    concept_class: ConceptClass, numbers: dict[str, Any], agnostic: bool, shift: Any, costs: Costs
) -> ExponentialPlan:
    """Certify the cost of a class that is itself the hypothesis set.

    The proof of the certificates of errors is one about losses in [0, 1] (claim ``exp-mech.cost``).
    """
    if not isinstance(concept_class.size, int):
        raise UnsupportedError(
            f"Costs are for finite classes: {concept_class.spec} is infinite. Give it a public "
            "domain, or learn rules, trees or a finite class."
        )
    check_scored(concept_class)
    best = _best(concept_class, numbers, agnostic, shift, errors=False)

    def certify(n: int | None) -> Certificate:
        # of each record, every answer of a list of labels has a cost
        answers = len(concept_class.labels) if concept_class.lists_labels else 1
        if n is not None and n * costs.largest * answers >= _EXACT:
            raise UnsupportedError(
                f"Costs up to {costs.largest:,} times their common unit, of {n:,} records, are not "
                "summed exactly: sums must stay below 2**53. Use rounder costs."
            )
        inner = best(n)
        cert = _stated(inner, COST)
        largest = costs.largest * costs.unit
        cert.step("cost", "alpha*largest", COST, alpha=numbers["alpha"], largest=largest)
        return cert.certificate(alpha=inner.alpha, beta=inner.beta, n=inner.n)

    required = max(certify(None).n, 1)
    return ExponentialPlan(concept_class.representation(), lru_cache(certify), required)


def _hashed(
    concept_class: ConceptClass, numbers: dict[str, Any], agnostic: bool
) -> ExponentialPlan:
    """Return a representation by hashing, with the direct error as its score."""
    found = bounds.best_hashing(concept_class.hashing, agnostic=agnostic, **numbers)
    hashed, required = concept_class.hashed(found.copies, found.buckets), found.required_samples()
    return ExponentialPlan(hashed, lru_cache(found.certificate), required)
