"""Learners that run another one on drawn records; Subsampled: on a secret part of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from flint import ctx

from littlestone.bounds import CertificateBuilder
from littlestone.data.sample import OrderedSample, part, shuffle
from littlestone.errors import UnsupportedError, exact_value, parameter_error
from littlestone.learners.base import Kind, Learner, P, Plan, declared, nest
from littlestone.privacy import Guarantee, Neighbours
from littlestone.privacy.guarantee import lower, round_up, upper
from littlestone.source import ball

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.classes import ConceptClass
    from littlestone.data import Sample
    from littlestone.learners.base import Goal
    from littlestone.source import Source
    from littlestone.types import Hypothesis


SUBSAMPLING = "subsampling.without-replacement"


def places(n: int, m: int, source: Source) -> npt.NDArray[np.int64]:
    """Draw m of the places 0 .. n - 1, all different, in exactly uniform order.

    ``n``, ``m``: 0 <= m <= n; ``source``: the draw is secret: privacy rests on it.

    Notes
    -----
    The first m steps of Fisher and Yates; about one microsecond each. The *order* is uniform too:
    replacing a drawn place by one that was not drawn changes one entry, also for a learner that
    shuffles its records by position.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> sorted(places(3, 3, SeededSource(0)).tolist()), len(set(places(9, 4, SeededSource(0))))
    ([0, 1, 2], 4)
    """
    if m == n:
        return np.arange(n, dtype=np.int64)
    moved: dict[int, int] = {}
    out = np.empty(m, dtype=np.int64)
    for i in range(m):
        j = i + source.below(n - i)
        out[i] = moved.get(j, j)
        moved[j] = moved.get(i, i)
    return out


def ordered_part(sample: Sample, kinds: Any) -> OrderedSample:
    """Return the records of a part, in its order (see `littlestone.data.sample`).

    Examples
    --------
    >>> from littlestone.data import Sample
    >>> ordered_part(Sample.of([5, 3, 5], [1, 0, 1]), np.array([3, 3])).kinds
    array([1, 1])
    """
    own, rows = part(sample, kinds), len(sample.outside)
    point, code = np.divmod(np.asarray(kinds, dtype=np.int64), rows)
    found = np.unique(point[point < len(sample.points)])
    new = rows * np.searchsorted(found, point) + code  # what is outside comes last
    return OrderedSample(own.points, own.counts, own.outside, own.costs, new)


def relabelled(sample: OrderedSample, labels: npt.NDArray[np.uint8]) -> OrderedSample:
    """Return the same points with new labels: one for each distinct point, 0 for those outside.

    Examples
    --------
    >>> sample = OrderedSample.listed([5, 3, 5], [1, 0, 0])
    >>> relabelled(sample, np.array([1, 0], dtype=np.uint8)).kinds
    array([2, 1, 2])
    """
    total = sample.counts.sum(axis=0)
    ones = total * labels
    by_point = np.append(labels, 0).astype(np.int64)
    point = sample.kinds >> 1
    return replace(
        sample,
        counts=np.stack([total - ones, ones]),
        outside=(sum(sample.outside), 0),
        kinds=2 * point + by_point[point],
    )


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


def inner_for(epsilon: Fraction, rate: Fraction) -> Fraction:
    """Return an epsilon, nearly the largest one, whose `amplified` value is at most the given one.

    Examples
    --------
    >>> inner = inner_for(Fraction(1), Fraction(1, 10))
    >>> float(inner), amplified(inner, Fraction(1, 10))
    (2.900477..., Fraction(1, 1))
    """
    if rate >= 1:
        return epsilon
    with ctx.workprec(256):
        exact = lower((1 + ball(epsilon).expm1() / ball(rate)).log())
    scale = 1 << 60
    while True:
        inner = Fraction(floor(exact * scale), scale)
        if inner and amplified(inner, rate) <= epsilon:
            return inner
        exact = exact * (1 - Fraction(1, 1 << 48))


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


def learner_of_records(caller: str, name: str, learner: Any) -> Learner[Any]:
    """Return the learner of an estimator, or the learner itself; it must protect records."""
    if hasattr(learner, "to_learner"):
        learner = learner.to_learner()
    if not isinstance(learner, Learner):
        hint = "For example VC1Learner(Thresholds(1, 99), epsilon=1, delta=1e-6)."
        constraint = "a learner of this library"
        raise parameter_error(caller, name, constraint, type(learner).__name__, hint)
    if learner.neighbours is not Neighbours.REPLACE_ONE:
        raise UnsupportedError(
            f"The {learner.name!r} learner does not protect single records under replace-one, so "
            f"{caller} cannot subsample them."
        )
    if getattr(learner, "uncertified", ""):
        raise UnsupportedError(
            f"The {learner.name!r} learner has no certificate before data, and that of {caller} "
            "follows from its learner's. Use that learner alone, or another one, for example "
            "AgnosticLearner(DecisionTrees(schema), epsilon=1)."
        )
    return learner


def check_rate(caller: str, name: str, value: Any) -> Fraction:
    """Check a number in (0, 1]."""
    share = exact_value(value)
    if share is None or not 0 < share <= 1:
        hint = "0.1 is every tenth record."
        raise parameter_error(caller, name, "a number in (0, 1]", value, hint)
    return share


LEARNER = Kind("estimator or Learner", learner_of_records)
RATE = Kind("float in (0, 1]", check_rate, "Number")


@dataclass(frozen=True)
class SubsamplePlan(Plan):
    """The plan of the inner learner, and the share of the records that it sees."""

    inner: Plan
    rate: Fraction
    goal: Goal
    claim: str

    @property
    def required(self) -> int:
        """The least n from which on the certificate always holds."""
        return ceil(self.inner.required / self.rate)

    def certificate(self, n: int) -> Certificate:
        """Return the accuracy certificate for n records: that of the drawn ones."""
        cert = CertificateBuilder()
        nest(cert, self.inner.certificate(max(floor(self.rate * n), 1)), "part")
        cert.step(
            "needed",
            "ceil(required/rate)",
            self.claim,
            required=self.inner.required,
            rate=self.rate,
        )
        cert.step("enough", "n >= needed", self.claim, n=n)
        return cert.certificate(alpha=self.goal.alpha, beta=self.goal.beta, n=n)


class Wrapper(Learner[P]):
    """A learner made from a learner of records: the class is the inner one's, and what it lacks."""

    learner: Learner[Any]  # the inner one
    prefix: ClassVar[str]  # what its name begins with

    if TYPE_CHECKING:

        @property
        def delta(self) -> Fraction:
            """Delta of the whole."""

    @property
    def name(self) -> str:  # type: ignore[override]
        """The inner learner's name, with a prefix."""
        return f"{self.prefix}:{self.learner.name}"

    @property
    def pure(self) -> bool:  # type: ignore[override]
        """Whether the inner learner is pure."""
        return self.learner.pure

    @property
    def concept_class(self) -> ConceptClass:
        """The class of the inner learner."""
        return self.learner.concept_class

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return the promise: (epsilon, delta), replace-one, n public."""
        inner = self.learner.guarantee().claim
        claim = f"{self.claim}({inner})" if inner else self.claim
        return Guarantee(self.epsilon, self.delta, claim=claim, seeded=seeded)

    def shuffles(self, n: int) -> bool:
        """Return True: single records are drawn, or split into parts."""
        return True


@dataclass(frozen=True)
class Subsample(Wrapper[SubsamplePlan]):
    """The learner behind `Subsampled`: ``learner`` sees a secret part of the records.

    floor(rate * n) of them. The guarantee is (ln(1 + rate (e**epsilon - 1)), rate * delta).
    """

    learner: Learner[Any] = declared(LEARNER, "Any learner that protects records.", kw_only=False)
    rate: Fraction = declared(
        RATE,
        "Largest share of the records that the learner sees: a uniformly random part that stays "
        "hidden. No default.",
        kw_only=False,
    )

    estimator = "Subsampled"
    summary = "a learner on a secret random part of the records"
    claim = SUBSAMPLING
    prefix = "subsampled"

    @property
    def agnostic(self) -> bool:  # type: ignore[override]
        """Whether the inner certificate is for any labels."""
        return self.learner.agnostic

    @property
    def alpha(self) -> Fraction:
        """The error of the inner certificate."""
        return self.learner.alpha

    @property
    def beta(self) -> Fraction:
        """The failure probability of the inner certificate."""
        return self.learner.beta

    def make_plan(self) -> SubsamplePlan:
        """Return the inner learner's plan, stretched."""
        return SubsamplePlan(self.learner.plan, self.rate, self.goal, self.claim)

    @cached_property
    def epsilon(self) -> Fraction:
        """The amplified epsilon."""
        return amplified(self.learner.guarantee().epsilon, self.rate)

    @property
    def delta(self) -> Fraction:
        """The amplified delta."""
        return self.rate * self.learner.guarantee().delta

    def minus_evaluation(self, evaluation: Fraction) -> Subsample:
        """Return the learner on a part whose epsilon leaves this much, after it was amplified."""
        own = inner_for(self.epsilon - evaluation, self.rate)
        inner = self.learner.minus_evaluation(self.learner.guarantee().epsilon - own)
        # what is amplified must itself be smaller, not only beside an evaluation of the part
        assert inner.guarantee().epsilon <= own
        return replace(self, learner=inner)

    def taken(self, sample: Any, source: Source) -> Any:
        """Draw the places of a part, secretly, and read their records; anything else is kept.

        It is called once for each release, before it is paid for, so that what cannot be read
        costs nothing. Two releases from one part would have their joint loss amplified, which is
        more than the sum of their amplified losses.
        """
        n = sample.n
        most = floor(self.rate * n)
        if isinstance(sample, _Taken) or not most or not sample.by_row:
            return sample
        return _Taken(n, sample.take(places(n, most, source)))

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Draw a part of floor(rate * n) records, secretly, and learn from it."""
        sample = self.taken(sample, source)
        if isinstance(sample, _Taken):
            return self.learner.draw(sample.part, source)
        n = sample.n
        drawn = places(n, floor(self.rate * n), source)
        return self.learner.draw(ordered_part(sample, shuffle(sample, source)[drawn]), source)


@dataclass(frozen=True, eq=False, repr=False)
class _Taken:
    """The records of a part, for one release."""

    n: int  # of all records
    part: Sample
