"""One fit, released: the hypothesis and, if paid for, a private count of its own mistakes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.bounds import Claim, register
from littlestone.errors import check_fraction, check_integer
from littlestone.learners.algorithm import known_loss
from littlestone.learners.release import Release
from littlestone.mechanisms import count_loss, private_count
from littlestone.privacy import Guarantee, compose
from littlestone.source import public_salt

if TYPE_CHECKING:
    from littlestone.data import Sample, UserSample
    from littlestone.learners.algorithm import Algorithm
    from littlestone.mechanisms import Estimate
    from littlestone.privacy import Ledger
    from littlestone.source import Source
    from littlestone.types import Hypothesis, Json

__all__ = ["promise", "publish"]

COUNT = register(
    Claim(
        "geometric-count",
        "Ghosh, Roughgarden, Sundararajan: Universally Utility-Maximizing Privacy Mechanisms",
        "2009",
        "A count that one record changes by at most 1, plus two-sided geometric noise of rate "
        "epsilon, clamped to [0, n], is epsilon-DP.",
    )
)
_BETA = Fraction(1, 20)  # the interval around a released count is a 95 % interval


def publish(
    algorithm: Algorithm,
    sample: Sample | UserSample,
    source: Source,
    *,
    estimate_error: Any = None,
    columns: Json | None = None,
    ledger: Ledger | None = None,
) -> Release:
    """Learn one hypothesis, and return everything that is published about it.

    Parameters
    ----------
    algorithm : Algorithm
    sample : Sample, or UserSample for a learner that protects users
        At least one record (user).
    source : Source
        A seeded source makes a release that says NOT PRIVATE (seeded).
    estimate_error : number > 0, optional
        Epsilon to spend, on top of the algorithm's, on a count of the records that the released
        hypothesis gets wrong.
    columns : dict, optional
        Public names of what was read.
    ledger : Ledger, optional
        The budget of these records: the whole release is recorded in it before anything is drawn.

    Returns
    -------
    Release
        ``error`` holds the released count of mistakes among the n records, an interval that holds
        the true count with probability at least 95 %, and both as rates.

    Raises
    ------
    ParameterError
        If ``estimate_error`` is not a positive number or the sample is empty (n is public).
        Everything is checked before anything is drawn.
    BudgetError, StoreError
        The ledger does not pay; nothing was drawn.

    Notes
    -----
    *Guarantee.* The pair (hypothesis, count) composes: for each value of the hypothesis the count
    is ``estimate_error``-DP on the same records, so the epsilons add and delta is the algorithm's
    (claim ``dp.sum``). The release states the sum.

    Examples
    --------
    >>> from littlestone.classes import parse_class
    >>> from littlestone.data import Sample
    >>> from littlestone.learners import registry
    >>> from littlestone.source import SeededSource
    >>> learner = registry.make(
    ...     "agnostic", parse_class("thresholds(1, 9)"), epsilon=1, alpha=0.1, beta=0.05)
    >>> sample = Sample.of([2, 3, 7, 8] * 50, [0, 0, 1, 1] * 50)
    >>> release = publish(learner, sample, SeededSource(0), estimate_error="1/2")
    >>> release.guarantee.epsilon, release.guarantee.seeded
    (Fraction(3, 2), True)
    """
    n = check_integer("publish", "sample", sample.n, low=1, hint="The table has no records.")
    guarantee = promise(algorithm, estimate_error=estimate_error, seeded=source.seeded)
    certificate, required = algorithm.certificate(n), algorithm.required_samples()
    # All public arguments are checked: pay, and from here on the source is drawn from.
    if ledger is not None:
        loss = known_loss(algorithm, estimate_error=estimate_error)
        what = f"{algorithm.name} on {algorithm.concept_class.spec}"
        ledger.charge(guarantee, loss=loss, what=what)
    hypothesis = algorithm.learn(sample, source)
    error = None
    if estimate_error is not None:
        error = _mistakes(algorithm, hypothesis, sample, source, estimate_error)
    return Release(
        learner=algorithm.name,
        concept_class=algorithm.concept_class,
        hypothesis=hypothesis,
        guarantee=guarantee,
        certificate=certificate,
        n=n,
        required=required,
        error=error,
        columns=columns,
    )


def promise(algorithm: Algorithm, *, estimate_error: Any = None, seeded: bool = False) -> Guarantee:
    """Return the guarantee of what `publish` would release; draws nothing.

    Raises
    ------
    ParameterError
        If ``estimate_error`` is not a positive number.
    """
    guarantee = algorithm.guarantee(seeded=seeded)
    if estimate_error is None:
        return guarantee
    extra = count_loss(check_fraction("fit", "estimate_error", estimate_error))
    epsilon, delta = compose([guarantee.loss, extra], delta=guarantee.delta)
    claim = f"dp.sum({guarantee.claim}, {COUNT.id})"
    return replace(guarantee, epsilon=epsilon, delta=delta, claim=claim)


def _mistakes(
    algorithm: Algorithm, hypothesis: Hypothesis, sample: Any, source: Source, epsilon: Any
) -> Json:
    """Release how many records the hypothesis gets wrong.

    With users, at most m records of each are looked at, chosen publicly: one user moves the count
    by at most m, so it is released with epsilon/m.
    """
    each, n = 1, sample.n
    if algorithm.unit == "users":
        each = algorithm.samples_per_user  # type: ignore[attr-defined]
        sample = sample.capped(each, salt=public_salt(source)).pooled()
    count = algorithm.concept_class.errors(hypothesis, sample)
    exact = check_fraction("fit", "estimate_error", epsilon)
    estimate = private_count(count, n * each, epsilon=exact / each, source=source, beta=_BETA)
    described = _describe(estimate, n * each)
    if algorithm.unit == "users":
        on = f"{each} records of each user of this fit; one that a user lacks counts as right"
        described |= {"epsilon": str(exact), "on": on}
    return described


def _describe(estimate: Estimate, n: int) -> Json:
    described = estimate.to_dict()
    rates = {
        "rate": estimate.value / n,
        "rate_low": estimate.low / n,
        "rate_high": estimate.high / n,
    }
    return {**described, **rates, "on": "the records of this fit"}
