"""Agnostic learning from realizable learners, by secret parts and relabelling.

The proofs: ``docs/learners/agnostic.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from flint import ctx

from littlestone import bounds
from littlestone.bounds import CertificateBuilder
from littlestone.bounds.certificate import log_of
from littlestone.classes.finite import check_dichotomies, dichotomies
from littlestone.data.sample import OrderedSample, part, shuffle
from littlestone.errors import (
    ParameterError,
    UnsupportedError,
    check_probability,
    parameter_error,
)
from littlestone.learners.base import (
    Goal,
    Kind,
    Learner,
    Plan,
    declared,
    maybe,
    nest,
    number,
    share,
    whole,
)
from littlestone.mechanisms import selection_rate
from littlestone.privacy import Guarantee, Neighbours
from littlestone.privacy.guarantee import lower
from littlestone.source import ball

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.classes import ConceptClass
    from littlestone.data import Sample
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = ["TwoSample"]


# -- Secret parts of the records.


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


LEARNER = Kind("estimator or Learner", learner_of_records)

# -- AgnosticFromRealizable: learn from any labels with a learner for realizable ones.
#
# Paper 004, Corollary 4, by relabelling (Alon, Beimel, Moran, Stemmer 2020), in a two-sample
# form:
#
# 1. shuffle the records to a pool and a second part; of the pool draw the first part, secretly;
# 2. draw a dichotomy of the first part's points (whose labels are ignored), by the exponential
#    mechanism on the errors of its best concept on the second part;
# 3. label the first part by it, and run the learner on that.
#
# Step 2 needs alpha**-2 records, but not 1/epsilon times as many; step 3 needs as many as the
# learner. Statements and proofs: ``docs/learners/agnostic.md``.


PRIVACY = "agnostic.two-sample.privacy"
ACCURACY = "agnostic.two-sample.accuracy"


#: Shares of beta: the second part; the learner, on all dichotomies; the ghosts.
_SECOND, _LEARNER, _GHOSTS = Fraction(74, 100), Fraction(25, 100), Fraction(1, 100)
#: What the learner's error on the ghosts may use of the share of alpha that is its own.
_ON_GHOSTS = Fraction(97, 100)
_SHARES = tuple(Fraction(k, 20) for k in (4, 6, 8, 10, 12, 14))
#: Where (4 e**x - 1)/x is about least, and slightly more than ln 4.
_EPSILON, _LN_4 = Fraction(7, 10), Fraction(1387, 1000)
_TOO_MANY = 2**62


def with_goal(learner: Learner[Any], goal: Goal) -> Learner[Any]:
    """Return the same learner for another epsilon, delta, alpha and beta."""
    names = {each.name for each in fields(learner)}  # type: ignore[arg-type]
    if not {"epsilon", "alpha", "beta"} <= names:
        raise UnsupportedError(
            f"The {learner.name!r} learner cannot be given another epsilon, alpha and beta, so it "
            "cannot be made agnostic."
        )
    numbers = {name: getattr(goal, name) for name in ("epsilon", "delta", "alpha", "beta")}
    kept = {name: value for name, value in numbers.items() if name in names}
    return replace(learner, **kept)  # type: ignore[type-var]


@dataclass(frozen=True)
class TwoSamplePlan(Plan):
    """One way to reach a goal: numbers of records, and the learner that runs on the first part."""

    goal: Goal
    learner: Learner[Any]  # runs on the first part, with its own epsilon, delta, alpha and beta
    rate: Fraction  # first part's largest share of the pool
    first: int  # numbers of records that the certificate asks for
    pool: int
    second: int
    ghosts: int  # the proof imagines ``ghosts * first**2`` points
    share: Fraction  # share of alpha for the learner; the rest is for the dichotomy

    @property
    def alpha1(self) -> Fraction:
        """The learner's part of alpha."""
        return self.goal.alpha * self.share

    @property
    def required(self) -> int:
        """Records in all."""
        return self.pool + self.second

    def parts(self, n: int) -> tuple[int, int]:
        """Return (pool, first) for n records: as certified if n suffices, else in proportion."""
        if n >= self.required:
            return self.pool, self.first
        pool = -(-n * self.pool // self.required)
        return pool, min(math.floor(self.rate * pool), self.first)

    @cached_property
    def _steps(self) -> CertificateBuilder:
        concepts, goal = self.learner.concept_class, self.goal
        source, inner, ghosts = ACCURACY, self.learner, Fraction(self.ghosts)
        cert = CertificateBuilder(
            alpha=goal.alpha, beta=goal.beta, vc_dim=concepts.vc_dim, first=self.first,
            ghosts=ghosts, alpha1=self.alpha1, beta1=goal.beta * _LEARNER,
            beta2=goal.beta * _GHOSTS,
        )  # fmt: skip
        nest(cert, inner.certificate(self.first), "learner")
        nest(cert, _second(concepts, self.first, self._rest, self.second), "dichotomy")
        cert = cert.where(points=cert.step("ghosts", "ghosts*first**2", source))
        cert.step(
            "labellings",
            "min(size, growth(vc_dim, points))" if _finite(concepts) else "growth(vc_dim, points)",
            source,
            **({"size": concepts.size} if _finite(concepts) else {}),  # type: ignore[arg-type]
        )
        cert.step(
            "union",
            "beta_learner*labellings <= beta1*(1 - 1/(2*ghosts))",
            source,
            beta_learner=inner.beta,
        )
        cert.step("fresh", "points - first", source)
        cert.step(
            "carry",
            "alpha_learner*points <= alpha1*fresh - sqrt(2*alpha1*fresh*log(1/beta2))",
            source,
            alpha_learner=inner.alpha,
        )
        cert.step(
            "errors", "alpha1 + alpha_dichotomy <= alpha", source, alpha_dichotomy=self._rest.alpha
        )
        cert.step(
            "failures",
            "beta1 + beta2 + beta_dichotomy <= beta",
            source,
            beta_dichotomy=self._rest.beta,
        )
        cert.step("needed", "pool + second", source, pool=Fraction(self.pool), second=self.second)
        return cert

    @property
    def _rest(self) -> Goal:
        return _rest(self.goal, self.alpha1)

    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records."""
        cert = CertificateBuilder()
        cert.steps.update(self._steps.steps)
        cert.step("enough", "n >= needed", ACCURACY, n=n)
        return cert.certificate(alpha=self.goal.alpha, beta=self.goal.beta, n=n)


def fewest_records(
    learner: Learner[Any], goal: Goal, fixed: Fraction | None = None
) -> TwoSamplePlan:
    """Return the plan that needs the fewest records, of some shares of alpha.

    ``fixed``: epsilon of the learner; by default about the best one for a learner whose records
    grow like 1/epsilon, or all that is left beyond ln 4.
    """
    epsilon = fixed or max(goal.epsilon - _LN_4, _EPSILON)
    plans = [_plan(learner, goal, epsilon, share) for share in _SHARES]
    return min(plans, key=lambda plan: plan.required)


def _plan(learner: Learner[Any], goal: Goal, epsilon: Fraction, share: Fraction) -> TwoSamplePlan:
    alpha1 = goal.alpha * share
    rate = rate_for(goal.epsilon, epsilon, 4)
    concepts = learner.concept_class
    own = Goal(
        epsilon,
        min(goal.delta / rate, Fraction(1, 2)) if goal.delta else Fraction(0),
        alpha1 * _ON_GHOSTS,
        goal.beta,
    )
    first, guess, ghosts = 0, 1 << 14, 1
    while True:  # the failures that the learner may have depend, little, on its number of records
        made = with_goal(learner, replace(own, beta=_per_labelling(concepts, goal, guess, ghosts)))
        needed = made.required_samples()
        if needed > _TOO_MANY:
            raise ParameterError(
                f"The agnostic form of the {learner.name!r} learner would need more than 2**62 "
                "records. Raise epsilon or alpha."
            )
        if needed > guess:
            guess = 2 * needed
            continue
        first = max(needed, 2)
        if _carries(own.alpha, alpha1, goal.beta * _GHOSTS, first, ghosts):
            break
        ghosts *= 4
    promised = made.guarantee()
    rate = rate_for(goal.epsilon, promised.epsilon, 4)
    if promised.delta > 0:
        rate = min(rate, goal.delta / promised.delta)
    pool = math.ceil(first / rate)
    second = _second(concepts, first, _rest(goal, alpha1)).n
    return TwoSamplePlan(goal, made, rate, first, pool, max(second, 1), ghosts, share)


def _rest(goal: Goal, alpha1: Fraction) -> Goal:
    """Return what is left for the dichotomy."""
    return Goal(goal.epsilon, Fraction(0), goal.alpha - alpha1, goal.beta * _SECOND)


def _second(concepts: ConceptClass, first: int, goal: Goal, n: int | None = None) -> Certificate:
    """Certify the dichotomy's best concept on the second part: by the class, or by its dimension.

    By the class: a bad concept is released only through its dichotomy, and then has that one's
    cost; so the union bound over the concepts is as for the exponential mechanism over all.
    """
    asked: dict[str, Any] = {
        "epsilon": goal.epsilon,
        "alpha": goal.alpha,
        "beta": goal.beta,
        "n": n,
    }
    size = _growth(concepts.vc_dim, first)
    ways: list[Callable[[], Certificate]] = []
    if _finite(concepts):
        size = min(size, int(concepts.size))
        ways.append(lambda: bounds.losses(int(concepts.size), **asked))
    ways.append(lambda: bounds.agnostic_vc(size, concepts.vc_dim, **asked))
    if n is None:
        return min((way() for way in ways), key=lambda certificate: certificate.n)
    made = [way() for way in ways]
    return next((certificate for certificate in made if certificate.holds), made[0])


def _per_labelling(concepts: ConceptClass, goal: Goal, first: int, ghosts: int) -> Fraction:
    """Return the failure probability that the learner may have for each dichotomy of the ghosts."""
    labellings = _growth(concepts.vc_dim, ghosts * first**2)
    if _finite(concepts):
        labellings = min(labellings, int(concepts.size))
    exact = goal.beta * _LEARNER * (1 - Fraction(1, 2 * ghosts)) / labellings
    return Fraction(1, 1 << (exact.denominator // exact.numerator).bit_length())


def _carries(own: Fraction, alpha1: Fraction, beta: Fraction, first: int, ghosts: int) -> bool:
    points = ghosts * first**2
    fresh = float(alpha1) * (points - first)
    spread = math.sqrt(2 * fresh * -log_of(beta))
    return float(own) * points <= (fresh - spread) * (1 - 1e-9)


def _growth(vc_dim: int, n: int) -> int:
    return sum(math.comb(n, i) for i in range(vc_dim + 1))


def _finite(concepts: ConceptClass) -> bool:
    return isinstance(concepts.size, int)


def _delta(caller: str, name: str, value: Any) -> Fraction | None:
    """Check a delta; 0 is that of a pure learner."""
    return value if value in (None, 0) else check_probability(caller, name, value)


@dataclass(frozen=True)
class TwoSample(Learner[TwoSamplePlan]):
    """The learner behind `AgnosticFromRealizable`."""

    estimator = "AgnosticFromRealizable"
    summary = "a learner on records that are relabelled privately; for any labels"
    claim = PRIVACY
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
        maybe(share()), "Probability of a larger error. Default: that of the learner.", default=None
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

    @property
    def name(self) -> str:  # type: ignore[override]
        """The inner learner's name, with a prefix."""
        return f"agnostic:{self.learner.name}"

    @property
    def pure(self) -> bool:  # type: ignore[override]
        """Whether the inner learner is pure."""
        return self.learner.pure

    @property
    def concept_class(self) -> ConceptClass:
        """The class of the inner learner."""
        return self.learner.concept_class

    def shuffles(self, n: int) -> bool:
        """Return True: records are split into parts."""
        return True

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
        shuffled = shuffle(sample, source)  # step 1
        first = ordered_part(sample, shuffled[:pool][places(pool, size, source)])
        second = part(sample, shuffled[pool:])
        found = dichotomies(self.concept_class, first.points, second)
        labels = found.draw(selection_rate(self.epsilon), source)  # step 2
        return self.plan.learner.draw(relabelled(first, labels), source)  # step 3
