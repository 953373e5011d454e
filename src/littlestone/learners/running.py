"""Runs: where records are looked at, money is spent and something is drawn.

Estimators, the command line and the audit all fit by `run`, which returns a `Release`. (Scores,
proposals of schemas, checks of tables and streams are paid for where they are drawn.) The sample is
secret; everything else here is public: parameters, promises, certificates, releases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from littlestone.bounds import Certificate
from littlestone.bounds.certificate import without_fixed_class
from littlestone.classes import BoostedTreeClass, TreeEnsemble, TreeSum
from littlestone.data import Sample, UserSample
from littlestone.data.cells import BINARY
from littlestone.data.domains import check_points
from littlestone.data.histogram import Grouping
from littlestone.data.schema import Schema
from littlestone.data.targets import TargetSample
from littlestone.errors import (
    BudgetError,
    InfeasibleError,
    ParameterError,
    StoppedError,
    UnsupportedError,
    check_fraction,
    check_probability,
    check_rows,
    counted,
    parameter_error,
)
from littlestone.evaluation import ErrorSums, ScoreHistogram, release_histogram
from littlestone.evaluation.histogram import HISTOGRAM, held_out_by_rule
from littlestone.evaluation.quantities import ERROR_SUMS, survival_histogram
from littlestone.learners.boosting.values import (
    HOLDOUT,
    INTERVAL_EVALUATION,
    planned,
    with_width,
)
from littlestone.learners.release import COLUMNS as OF_COLUMNS
from littlestone.learners.release import (
    COMPOSED,
    JOINED,
    LABELS,
    LEARNING,
    Release,
    evaluation_of,
    parts_of,
    proposal_of,
    score_places,
    scores_of,
    secret_n,
)
from littlestone.mechanisms.estimate import COUNT, Conformal, private_count
from littlestone.privacy import Concentrated, Guarantee, Loss, Neighbours, Part, check_ledger, total
from littlestone.privacy.guarantee import HELD_OUT, LEARNED_FROM, NOT_PRIVATE, OTHERS, short_text
from littlestone.source import public_salt

if TYPE_CHECKING:
    from littlestone.data import Domain
    from littlestone.data.tables import Table
    from littlestone.learners.base import Learner
    from littlestone.learners.fit import Fit
    from littlestone.privacy import Ledger
    from littlestone.source import Source
    from littlestone.types import Hypothesis, Json, Label


_INTERVAL = "exp-mech.privacy"

AnySample: TypeAlias = Sample | TargetSample


#: Of epsilon, and of delta: for the columns, where they are learned and do not compose in rho.
COLUMNS = Fraction(1, 5)
_EVALUATION = Fraction(1, 10)  # of what learns and evaluates
_MOST_EVALUATION = Fraction(99, 100)  # or the columns would be paid for a fit that cannot be
_LABELS = Fraction(1, 40)  # of what learns, for the count of neither label


@dataclass(frozen=True)
class Shares:
    """How epsilon is shared out; nothing else compares its parts with it.

    Examples
    --------
    >>> shares = Shares.parse("fit", 1, evaluate="auto", columns=True)
    >>> shares.columns, shares.evaluation, shares.left
    (Fraction(1, 5), Fraction(2, 25), Fraction(4, 5))
    """

    total: Fraction
    columns: Fraction = Fraction(0)
    #: rho and delta of columns that compose with what learns; 0 until they are known.
    zcdp: tuple[Fraction, Fraction] | None = None
    labels: Fraction = Fraction(0)  # of a first count of cells that are no label
    evaluation: Fraction | None = None
    holdout: Fraction | None = None  # the share of the units that nothing is learned from
    covered: Fraction | None = None  # the share of new units that intervals or sets are to cover
    rule: bool = False  # what is held out follows from the number of units (`at`)

    @classmethod
    def parse(
        cls,
        caller: str,
        epsilon: Any,
        *,
        evaluate: Any = None,
        holdout: Any = None,
        interval: Any = None,
        columns: bool = False,
        joined: bool = False,
        labels: bool = False,
        rule: bool = False,
    ) -> Shares:
        """Return the parts; ``evaluate="auto"`` takes the usual one: with ``rule`` that of `at`.

        ``columns`` take a share of epsilon; or, where they are ``joined``, a share of rho.
        """
        total: Fraction = check_fraction(caller, "epsilon", epsilon, hint="1 is a common choice.")
        spent = total * COLUMNS if columns else Fraction(0)
        covered = share = part = None
        if interval is not None:
            hint = "0.9 is a common choice."
            covered = check_probability(caller, "interval", interval, hint=hint)
            holdout = HOLDOUT if holdout is None else holdout
        if holdout is not None:
            share = check_probability(caller, "holdout", holdout)
        if share is not None and covered is None and evaluate is None:
            raise ParameterError(
                f"The 'holdout' parameter of {caller} needs evaluate=E (--evaluate E): the epsilon "
                "that is spent on the held-out records. Leave out --no-evaluate."
            )
        auto = isinstance(evaluate, str) and evaluate == "auto"
        if evaluate is not None and not auto:
            part = check_fraction(caller, "evaluate", evaluate)
        elif auto and share is None and not rule:
            part = (total - spent) * _EVALUATION
        learns = total - spent - (part or 0 if share is None else 0)
        zcdp = (Fraction(0), Fraction(0)) if joined else None
        shares = cls(total, spent, zcdp, learns * _LABELS if labels else Fraction(0))
        if auto and share is not None:
            part = shares.apart * (1 if covered is None else INTERVAL_EVALUATION)
        elif part is not None:
            shares._check_evaluation(caller, part, evaluate, share, covered)
        by_rule = rule and auto and share is None
        return replace(shares, evaluation=part, holdout=share, covered=covered, rule=by_rule)

    def at(self, n: int) -> Shares:
        """Return the parts for n units, a public number, by `held_out_by_rule`.

        Examples
        --------
        >>> shares = Shares.parse("fit", 1, evaluate="auto", columns=True, rule=True)
        >>> shares.at(499).evaluation, shares.at(5000).evaluation, shares.at(5000).held_out(5000)
        (None, Fraction(1, 1), 1000)
        """
        if not self.rule:
            return self
        units, fixed = held_out_by_rule(n, self.total).units, replace(self, rule=False)
        if not units:
            return fixed
        return replace(fixed, holdout=Fraction(units, n), evaluation=self.apart)

    def _check_evaluation(
        self, caller: str, part: Fraction, typed: Any, share: Fraction | None,
        covered: Fraction | None,
    ) -> None:  # fmt: skip
        """Refuse an evaluation that leaves nothing of what it is a part of."""
        left, hint = self.left, "A tenth of epsilon is a common choice."
        if share is not None:
            left = self.apart
        if share is not None and covered is None:
            wrong, hint = part > left, "Without it, all of epsilon is spent."
            most = short_text(left, up=False)
            allowed = f"at most {most}, which is what the first count leaves of epsilon"
            if left == self.total:
                allowed = "at most epsilon"
        elif (self.columns or self.zcdp is not None) and covered is None:
            left = (self.total - self.columns) * _MOST_EVALUATION
            most = short_text(left, up=False)
            wrong, allowed = part > left, f"at most {most}, 99% of the epsilon for learning"
        else:
            wrong, allowed = part >= left, "smaller than epsilon, of which it is a part"
            if covered is not None:
                allowed = "smaller than epsilon, since intervals need a part of it"
                hint = "A quarter of epsilon is a common choice."
        if wrong:
            raise parameter_error(caller, "evaluate", allowed, typed, hint)

    @property
    def left(self) -> Fraction:
        """What one record pays for learning, and for an evaluation of the same records."""
        return self.total - self.columns - self.labels

    @property
    def apart(self) -> Fraction:
        """What a held-out unit pays at most: columns are learned from the others."""
        return self.total - self.labels

    @property
    def interval(self) -> Fraction | None:
        """What a held-out unit pays for intervals."""
        return None if self.covered is None else self.apart - (self.evaluation or 0)

    def learner(self, learner: Learner[Any]) -> Learner[Any]:
        """Return the learner with what an evaluation on the same records leaves it."""
        if self.evaluation is None or self.holdout is not None:
            return learner
        smaller: Learner[Any] = learner.minus_evaluation(self.evaluation)
        return smaller

    def joined(self, guarantee: Guarantee) -> Guarantee:
        """Return what a learner promises with columns of the same epsilon, composed in rho."""
        if self.zcdp is None:
            return guarantee
        claim = f"{COMPOSED}({guarantee.claim})"
        return replace(guarantee, delta=guarantee.delta + self.zcdp[1], claim=claim)

    def held_out(self, n: int) -> int:
        """Return how many of n records are held out: a public number."""
        return held_out_of(n, self.holdout, interval=self.covered is not None)

    def loss(self, learner: Learner[Any]) -> Loss | None:
        """Return what the release promises in zCDP, if more is known than its guarantee says.

        A histogram that is epsilon-DP is epsilon**2/2-zCDP, and adds to what it leaves the learner.
        """
        if self.holdout is not None or self.rule:
            return None
        if self.zcdp is not None:  # paid before the learner is known
            return None
        loss: Loss | None = getattr(self.learner(learner), "zcdp", None)
        if self.evaluation is None or not isinstance(loss, Concentrated):
            return loss if self.evaluation is None else None
        return Concentrated(loss.rho + self.evaluation**2 / 2)


NOT_HELD_OUT = (
    "The groups of {} need held-out records, and none are held out: give holdout=0.2 (--holdout "
    "0.2), or leave by= out."
)


def run(  # noqa: PLR0912, PLR0915 - one thing after the other: what is public, the records, the ledger
    learner: Learner[Any],
    sample: AnySample | Callable[[], AnySample],
    source: Source,
    *,
    shares: Shares | None = None,
    ledger: Ledger | None = None,
    columns: Json | None = None,
    data: Any = None,
    certified: bool = False,
    before: tuple[Part, ...] = (),
    apart: Callable[[], AnySample] | None = None,
    paid: Part | None = None,
    groups: Grouping | None = None,
    said: Callable[[Guarantee, int | None], None] = lambda guarantee, n: None,
    **parts: Any,
) -> Release:
    """Learn one hypothesis, and return everything that is published about it.

    ``shares``, or instead ``evaluate``, ``holdout`` and ``interval`` as of `Shares.parse`.
    ``sample`` may be what reads the table ``data``, called when the ledger would pay; ``said`` is
    given the promise and the number of units before it pays; ``before`` was paid already, and so
    was all of it that is ``paid``. What is held out is drawn here, unless ``apart`` reads it.
    ``groups``: of the records of the evaluation; those that are ``apart`` are read with the columns
    of groups that the learner's schema has not.
    ``certified``: nothing is released if there are too few records for a certificate.

    Notes
    -----
    *Guarantee.* The pair (hypothesis, histogram) composes: for each value of the hypothesis the
    histogram is ``evaluate``-DP on the same records, so the epsilons add and delta is the learner's
    (claim ``dp.sum``). The learner gets what ``evaluate`` leaves, so the sum is its epsilon.
    Held-out units are split by a secret permutation with sizes fixed by n, and the costs of
    disjoint parts do not add (claim ``dp.parallel``).

    Examples
    --------
    >>> from littlestone.classes import parse_class
    >>> from littlestone.data import Sample
    >>> from littlestone.learners import registry
    >>> from littlestone.source import SeededSource
    >>> learner = registry.make(
    ...     "agnostic", parse_class("thresholds(1, 9)"), epsilon=1, alpha=0.1, beta=0.05)
    >>> sample = Sample.of([2, 3, 7, 8] * 50, [0, 0, 1, 1] * 50)
    >>> release = run(learner, sample, SeededSource(0), evaluate="1/10")
    >>> release.guarantee.epsilon, release.guarantee.seeded, release.spent
    (Fraction(1, 1), True, {'learning': 'epsilon 9/10', 'evaluation': 'epsilon 1/10'})
    """
    shares = shares_of(learner, **parts) if shares is None else shares
    if not callable(sample):
        _check_sample(learner, sample)
    if shares.holdout is not None and learner.reads is UserSample:
        raise ParameterError(
            "The 'holdout' parameter of fit must be left out where users are protected: records "
            "are held out, not users."
        )
    _ = learner.plan  # refuses whatever `draw` would refuse (`feasible`)
    guarantee = promise(learner, shares=shares, seeded=source.seeded, before=before)
    secret = secret_n(guarantee.neighbours)
    if callable(sample):
        check_ledger(ledger, learner.caller, guarantee, data=data, loss=shares.loss(learner))
        sample = sample()
        _check_sample(learner, sample)
    looked_at: Any = None if apart is None else apart()
    if apart is not None:
        _check_sample(learner, looked_at, None if groups is None else groups.domain)
    if not secret:
        check_rows(sample.n, "fit")
    # a public number, in any case
    n = learner.required_samples() if secret else sample.n + (looked_at.n if apart else 0)
    shares = shares.at(n)
    guarantee = promise(learner, shares=shares, seeded=source.seeded, before=before)
    loss = shares.loss(learner)
    held_out, smaller = shares.held_out(n), shares.learner(learner)
    if groups is not None and not held_out:
        raise ParameterError(NOT_HELD_OUT.format(learner.caller))
    _ = smaller.plan  # and so does what the evaluation leaves
    if certified:
        _require(smaller, n - held_out)
    said(guarantee, None if secret else n)
    if shares.evaluation is not None:  # what cannot be read is not paid for
        sample.complete()
        if looked_at is not None:
            looked_at.complete()
    has_certificate = not getattr(learner, "uncertified", "")
    certificate = certificate_of(smaller, n - held_out) if has_certificate else None
    required = smaller.required_samples() if has_certificate else None
    conformal = None
    if shares.interval is not None:
        target = cast(BoostedTreeClass, learner.concept_class).target
        how: Any = {"m": held_out, "epsilon": shares.interval, "unit": learner.unit}
        conformal = planned(target, shares.covered, **how)
    spent = _spending(smaller, n - held_out, shares.evaluation, conformal)
    if shares.zcdp is not None:
        proposal = proposal_of(learner.concept_class)
        assert proposal is not None
        spent = {OF_COLUMNS: proposal.spent} | (spent or {})
    # All public arguments are checked. A secret part is read now: what stops that costs nothing.
    taken: Any = sample if held_out else smaller.taken(sample, source)
    if not held_out:
        looked_at = sample
    elif looked_at is None and not sample.in_memory:  # what stops this costs nothing, either
        looked_at, taken = taken.split(source, held_out)
    # Pay, and from here on what is drawn is learned from.
    what = f"{learner.name} on {learner.concept_class.spec}"
    paid = pay(ledger, LEARNING, guarantee, what, loss=loss) if paid is None else paid
    if looked_at is None:
        looked_at, taken = taken.split(source, held_out)
    hypothesis = smaller.draw(taken, source)
    histogram = None
    if shares.evaluation is not None:
        schema = getattr(learner.concept_class.domain, "schema", None)
        how = {"held_out": bool(held_out), "schema": schema, "groups": groups}
        histogram = _histogram(hypothesis, looked_at, source, shares.evaluation, **how)
        if hypothesis.ranks:
            measured = evaluation_of(cast(ScoreHistogram, histogram), hypothesis)
            hypothesis = cast(TreeEnsemble, hypothesis).with_curve(measured.recalibrated())
    if conformal is not None:
        model = cast(TreeSum | TreeEnsemble, hypothesis)
        hypothesis = with_width(model, looked_at, conformal, source)
    return Release(
        learner=learner.name,
        concept_class=learner.concept_class,
        hypothesis=hypothesis,
        parts=parts_of(
            _own_parts(learner, shares, seeded=source.seeded, entry=paid.entry),
            proposal_of(learner.concept_class),
            before,
            split=apart is not None,
        ),
        certificate=certificate,
        n=None if secret else n,
        required=required,
        columns=columns,
        evaluation=histogram,
        spent=spent,
        costs=getattr(learner, "mistake_costs", None),
        interval=conformal,
    )


def pay(
    ledger: Ledger | None, name: str, guarantee: Guarantee, what: str, *, loss: Loss | None = None
) -> Part:
    """Charge a ledger, if there is one, and return what is paid: the part of a document."""
    if ledger is None:
        return Part(name, guarantee)
    return Part(name, guarantee, entry=ledger.entry(ledger.charge(guarantee, loss=loss, what=what)))


def first_count(
    opened: Table, y: str, source: Source, ledger: Ledger | None, shares: Shares, *, caller: str
) -> tuple[Part, ...]:
    """Pay, and count the records whose cell is neither 0 nor 1; end where most are.

    `StoppedError`: what was paid is the count, and nothing else was drawn.
    """
    from littlestone.data.counting import count_labels  # noqa: PLC0415 - engines are late

    if not shares.labels:
        return ()
    counts = count_labels(opened, y, [0, 1], caller=caller).tolist()
    promised = Guarantee(shares.labels, claim=COUNT, seeded=source.seeded)
    part = pay(ledger, LABELS, promised, f"count of the cells of {y} that are neither 0 nor 1")
    n = sum(counts)
    if shares.holdout is not None:
        part = replace(part, about=LEARNED_FROM)
    others = private_count(counts[1], n, epsilon=shares.labels, source=source)
    if others.low > n / 2:
        seeded = f" {NOT_PRIVATE}." if source.seeded else ""
        raise StoppedError(
            f"Most cells of the column {y!r} are neither 0 nor 1 (about {others.value:,} of "
            f"{n:,}). State which cell means 1 (--positive; in Python, labels=), or "
            "that it is not a label (--target). This count cost epsilon "
            f"{shares.labels}, which is spent; nothing else was drawn.{seeded}"
        )
    return (part,)


def shares_of(
    learner: Learner[Any], *, evaluate: Any = None, holdout: Any = None, interval: Any = None
) -> Shares:
    """Return how a learner's own epsilon is shared out."""
    how = {"evaluate": evaluate, "holdout": holdout, "interval": interval}
    return Shares.parse("fit", learner.epsilon, **how)


def _require(learner: Learner[Any], n: int) -> None:
    """Refuse a public number of records that is too small, before anything is drawn."""
    needed = learner.required_samples()
    if n >= 1 and not learner.certificate(n).holds:
        raise InfeasibleError(
            f"The certificate for alpha = {float(learner.alpha):g} and beta = "
            f"{float(learner.beta):g} needs {counted(needed, learner.unit)}; there are {n:,}. "
            "Nothing was released. Collect more records, allow a larger alpha, beta or epsilon, or "
            "leave out --require-certificate.",
            n_needed=needed,
        )


def score_all(
    pairs: Sequence[tuple[Release, AnySample]],
    source: Source,
    *,
    epsilon: Any,
    ledger: Ledger | None = None,
    caller: str = "score",
    held_out: Sequence[bool] | None = None,
    groups: Sequence[Grouping | None] | None = None,
) -> list[Release]:
    """Evaluate released models on records that they were not learned from.

    ``groups``: of each model, with whose columns its records were read.

    Guarantee
    ---------
    Pure epsilon-DP for these records, replace-one, n public: a sum of histograms. Where users are
    named, for all records of one of them: of each user one record is looked at.

    Examples
    --------
    >>> import littlestone as ls
    >>> from littlestone.source import SeededSource
    >>> made = ls.GenericLearner(ls.Thresholds(1, 9), epsilon=4, random_state=0)
    >>> release = made.fit([2, 8] * 100, [0, 1] * 100).release_
    >>> (found,) = score_all([(release, Sample.of([3, 7] * 500, [0, 1] * 500))], SeededSource(0),
    ...                      epsilon=1)
    >>> found.quality.better, found.guarantee.epsilon, found.n
    (True, Fraction(1, 1), 1000)
    """
    total: Fraction = check_fraction(caller, "epsilon", epsilon, hint="1 is a common choice.")
    grouped = groups or [None] * len(pairs)
    for (release, sample), grouping in zip(pairs, grouped, strict=True):
        if sample.in_memory:  # others were read by its rules
            domain = release.concept_class.domain if grouping is None else grouping.domain
            check_points(domain, sample.points, caller=caller)
        check_rows(sample.n, caller)
    claim = HISTOGRAM if len(pairs) == 1 else f"dp.sum({HISTOGRAM})"
    users = pairs[0][1].unit == "users"  # as all
    about = Neighbours.USER_REPLACE if users else Neighbours.REPLACE_ONE
    guarantee = Guarantee(total, Fraction(0), about, claim=claim, seeded=source.seeded)
    entry = None
    if ledger is not None:
        what = f"{caller} of {counted(len(pairs), 'models')}"
        entry = ledger.entry(ledger.charge(guarantee, what=what))
    part, releases = total / len(pairs), []
    others = held_out or [True] * len(pairs)
    for (release, sample), other, grouping in zip(pairs, others, grouped, strict=True):
        how: Json = {"held_out": other, "groups": grouping}
        scored = _histogram(release.hypothesis, sample, source, part, **how)
        model = [
            replace(each, about=OTHERS)
            for each in release.parts
            if each.about == OTHERS or not release.scored
        ]
        releases.append(
            replace(
                release,
                evaluation=scored,
                parts=(Part("evaluation", guarantee, entry=entry), *model),
                n=sample.n,
                certificate=None,
                required=None,
                spent=None,
            )
        )
    return releases


def read_sample(
    learner: Learner[Any], table: Any, *, user: str | None = None, domain: Domain | None = None,
    **arguments: Any,
) -> AnySample:  # fmt: skip
    """Return the sample of a table in the cheapest way that serves a learner.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from littlestone.classes import parse_class
    >>> from littlestone.learners import registry
    >>> vc1 = registry.make("vc1", parse_class("thresholds(1, 9)"), epsilon=1, delta="1e-6",
    ...                     alpha="0.1", beta="0.05")
    >>> read_sample(vc1, pa.table({"dose": [3, 9], "ill": [0, 1]}), x="dose", y="ill")
    Sample(n=2)
    """
    from littlestone.data.read import read  # noqa: PLC0415

    domain = learner.concept_class.domain if domain is None else domain
    most: int | None = getattr(learner, "extremes", None)
    need: Any = "batches" if getattr(learner, "streams", False) else "all"
    if learner.reads is TargetSample:
        need = "all"
    elif learner.unit == "users" or getattr(learner, "uses_marginals", False):
        need = "batches"
    elif most is not None:
        need = "extremes"
    labels: tuple[Label, ...] | None = None
    if learner.concept_class.lists_labels:
        _ = learner.plan  # only what learns several labels has one
        labels = learner.concept_class.labels
    if user is not None:
        arguments["user"] = user
    roles = [arguments.get(role) for role in ("y", "event", "user")]
    named = [name for name in roles if isinstance(name, str)]
    if twice := [name for name in named if named.count(name) > 1]:
        raise ParameterError(
            f"{arguments.get('caller', 'fit')} uses the column {twice[0]!r} in two roles (y or "
            "time, event, user). Name another column for one of them."
        )
    sample: AnySample = read(
        table,
        kind=learner.reads,
        domain=domain,
        labels=labels,
        target=getattr(learner.concept_class, "target", None),
        need=need,
        most=most or 0,
        **arguments,
    )
    if not secret_n(learner.neighbours):
        check_rows(sample.n, arguments.get("caller", "fit"))
    return sample


def certificate_of(learner: Learner[Any], n: int) -> Certificate:
    """Return the certificate of a learner with n records; of a proposed class it does not hold."""
    certificate = learner.certificate(n)
    if proposal_of(learner.concept_class) is None:
        return certificate
    return without_fixed_class(certificate)


def _check_sample(learner: Any, sample: Any, domain: Domain | None = None) -> None:
    """Refuse a sample that the learner could not read, before anything is paid."""
    caller, listed = learner.estimator, learner.concept_class.lists_labels
    if not isinstance(sample, learner.reads) or sample.unit != learner.unit:
        kind = learner.reads.__name__
        raise ParameterError(
            f"The sample given to {caller} must be a {kind}, because it protects {learner.unit}."
        )
    labels = len(learner.concept_class.labels)
    if isinstance(sample, TargetSample):
        target = getattr(learner.concept_class, "target", None)
        size = labels + listed if target is None else target.size
        least = 0 if target is None else -1  # every label is one of the class or the other one
        codes: Any = sample.code if sample.in_memory else ()  # others were read by their rules
        if len(codes) and not least <= codes.min() <= codes.max() < size:
            raise ParameterError(f"The sample given to {caller} must have codes of the target.")
    elif (sample.labels, sample.unlisted) != (labels, listed):
        how = f"{labels} labels, as its class lists" if listed else "the labels 0 and 1"
        raise ParameterError(f"The sample given to {caller} must have {how}.")
    if sample.in_memory:
        check_points(domain or learner.concept_class.domain, sample.points, caller=caller)


def promise(
    learner: Learner[Any],
    *,
    shares: Shares | None = None,
    seeded: bool = False,
    before: tuple[Part, ...] = (),
    **parts: Any,
) -> Guarantee:
    """Return what `run` would pay for, to be charged at once; draws nothing.

    `ParameterError` if it promises nothing together with what the columns cost.
    """
    shares = shares_of(learner, **parts) if shares is None else shares
    parts_of_learner = _own_parts(learner, shares, seeded=seeded)
    whole = total(parts_of(parts_of_learner, proposal_of(learner.concept_class), before))
    return replace(total(parts_of_learner), seeded=whole.seeded)


def _own_parts(
    learner: Learner[Any], shares: Shares, *, seeded: bool, entry: Json | None = None
) -> tuple[Part, ...]:
    """Return what learning promises, and what is held out pays; ``entry``: of a ledger, for both.

    `ParameterError`, `UnsupportedError` where nothing is promised.
    """
    guarantee = shares.joined(learner.guarantee(seeded=seeded))
    evaluated, what = shares.evaluation is not None, LEARNING if shares.zcdp is None else JOINED
    if secret_n(guarantee.neighbours) and (evaluated or shares.holdout is not None):
        raise UnsupportedError(
            "Under add-remove the number of records is secret, but an evaluation reports "
            "proportions of it. Evaluate on other records (littlestone score), or use "
            "replace-one."
        )
    concepts = learner.concept_class
    if shares.covered is not None and (
        not isinstance(concepts, BoostedTreeClass)
        or (concepts.target is not None and concepts.target.ends)
    ):
        raise UnsupportedError(
            "Only boosted trees, scorecards and linear models for quantities, counts and labels "
            "have intervals or sets. Leave out 'interval'."
        )
    target = getattr(concepts, "target", None)
    of_values = target is not None and not target.ends  # quantities or counts
    beside = [ERROR_SUMS if of_values else HISTOGRAM] * evaluated
    beside += [_INTERVAL] * (shares.covered is not None)
    if shares.holdout is not None:
        claim = beside[0] if len(beside) == 1 else f"dp.sum({', '.join(beside)})"
        epsilon = sum((part for part in (shares.evaluation, shares.interval) if part), Fraction(0))
        other = Guarantee(epsilon, Fraction(0), guarantee.neighbours, claim, seeded)
        held_out = " and ".join(
            ["evaluation"] * evaluated + ["interval"] * (len(beside) > evaluated)
        )
        return Part(what, guarantee, LEARNED_FROM, entry), Part(held_out, other, HELD_OUT)
    if beside:
        shares.learner(learner)  # refuses an evaluation that leaves nothing
        guarantee = replace(guarantee, claim=f"dp.sum({guarantee.claim}, {beside[0]})")
    return (Part(what, guarantee, entry=entry),)


def held_out_of(n: int, holdout: Any, *, interval: bool = False) -> int:
    """Return how many of n records are held out: a public number."""
    if holdout is None:
        return 0
    share = check_probability("fit", "holdout", holdout)
    held_out = int(share * n)
    if not 0 < held_out < n:
        if interval:
            raise ParameterError(
                f"The 'interval' parameter of fit holds out {holdout} of "
                f"{counted(n, 'records')}, which is none. Use more records, or leave it out."
            )
        allowed = f"a share that holds out at least one of {counted(n, 'records')}, and not all"
        hint = "Without it the evaluation is on the records of the fit."
        raise parameter_error("fit", "holdout", allowed, holdout, hint)
    return held_out


def _spending(
    learner: Learner[Any], n: int, evaluate: Fraction | None, conformal: Conformal | None
) -> dict[str, str] | None:
    spent = learner.spending(n) if hasattr(learner, "spending") else None
    if evaluate is None and conformal is None:
        return spent
    spent_on = spent or {"learning": f"epsilon {learner.epsilon}"}
    if evaluate is not None:
        spent_on |= {"evaluation": f"epsilon {evaluate}"}
    return (
        spent_on if conformal is None else spent_on | {"interval": f"epsilon {conformal.epsilon}"}
    )


def _histogram(
    hypothesis: Hypothesis,
    sample: AnySample,
    source: Source,
    epsilon: Any,
    *,
    held_out: bool,
    schema: Any = None,  # of times
    groups: Grouping | None = None,
) -> ScoreHistogram | ErrorSums:
    """Release how many records have each score (margin, or predicted label) and label, by group.

    Of a user one record is counted: then n is public, and one user changes two cells by one.
    """
    if hypothesis.target is not None:
        from littlestone.learners.boosting.losses import error_sums  # noqa: PLC0415 - a learner's

        values = cast(TargetSample, sample)
        how: Any = {"epsilon": epsilon, "held_out": held_out, "source": source}
        if hypothesis.target.ends:
            return survival_histogram(cast(TreeSum, hypothesis), schema, values, **how)
        return error_sums(cast(TreeSum, hypothesis), values, **how, groups=groups)
    n = sample.n
    if isinstance(sample, Sample):
        listed, records = sample.labels if sample.unlisted else None, iter([sample])
    else:
        names = getattr(hypothesis, "label_names", BINARY)
        listed = None if names == BINARY else len(names)
        records = _one_of_each(sample, listed, source)
    labels, unlisted = listed or 2, listed is not None
    scores = scores_of(hypothesis, labels, n, epsilon, groups=groups is not None)
    size = 1 if groups is None else groups.groups.size + 1
    counts = np.zeros((size, labels + unlisted, len(scores)), dtype=np.int64)
    for part in records:
        counts[0, :, 0] += part.outside  # code 0 by every hypothesis; rows have no outside
        for points, by_label in part.batches():
            group = np.zeros(len(points), dtype=np.int64)
            if groups is not None:
                points, group = groups.split(points)  # noqa: PLW2901
            place = score_places(hypothesis, points, scores)
            for label, weights in enumerate(by_label):
                np.add.at(counts[:, label], (group, place), weights)
    # a user without records counts as one that is 0 there, with no cell of a group
    counts[-1, 0, 0] += n - int(counts.sum())
    by = None if groups is None else groups.groups
    return release_histogram(
        scores, counts[0] if by is None else counts, groups=by,
        n=n, epsilon=epsilon, source=source, held_out=held_out, unlisted=unlisted,
    )  # fmt: skip


def _one_of_each(sample: TargetSample, labels: int | None, source: Source) -> Iterator[Sample]:
    """Yield one record of each user; of those with labels 0 and 1, in blocks of users."""
    if isinstance(sample, UserSample):
        bounded = sample.bound_contributions(1, salt=public_salt(source))
        return (block.pooled() for block in bounded.blocks())
    return iter([sample.one_of_each(source).pooled(labels)])


# -- A fit that is decided, run.


def after_the_count(problem: BudgetError) -> BudgetError:
    """Return a refusal that does not say that nothing was spent."""
    words = "No model was drawn; the first count or the columns had already been paid for"
    return BudgetError(str(problem).replace("Nothing was drawn or spent", words))


@dataclass(frozen=True)
class Planned:
    """A fit that is decided: who learns what, from which columns of an open table."""

    fit: Fit
    learner: Learner[Any]
    shares: Shares
    schema: Schema | None
    given: Any  # the table as it was given: a ledger may know its file
    table: Table  # or the part of it that is learned from
    before: tuple[Part, ...] = ()
    apart: Table | None = None  # what is held out
    paid: Part | None = None  # for it, and for what is learned
    tell: Callable[[], None] = lambda: None  # what was decided

    def run(
        self, source: Source, *, ledger: Ledger | None = None,
        said: Callable[[Guarantee, int | None], None] = lambda guarantee, n: None,
    ) -> Release:  # fmt: skip
        """Read the table, pay, draw."""
        fit, task, schema = self.fit, self.fit.task, self.learner.concept_class.row_schema
        if schema is not None:
            x, point = list(schema.names), None
        else:
            x = list(fit.columns or [])
            if x == [task.y]:
                raise ParameterError(
                    f"The label column {task.y!r} of {fit.caller} is among the predictors. Leave "
                    "it out of --x."
                )
            if len(x) != 1:
                spec = self.learner.concept_class.spec
                rule = f"one column for {spec}"
                raise parameter_error(fit.caller, "x", rule, x or None, "Name it with --x.")
            point = x[0]
        named = {"positive": task.rule.get("positive"), "event": task.event, "user": fit.user}
        by = fit.groups
        csv = fit.csv or (None if self.schema is None else self.schema.csv)
        named |= {"csv": None if csv is None or not str(csv) else csv}
        columns: Json = {"x": x, "y": task.y}
        columns |= {
            name: list(map(str, value)) if isinstance(value, list | tuple) else str(value)
            for name, value in named.items() if value is not None
        }  # fmt: skip
        if fit.samples_per_user is not None:
            columns["samples_per_user"] = self.learner.samples_per_user  # type: ignore[attr-defined]
        read = partial(
            read_sample, self.learner, x=point, y=task.y, user=fit.user, strict=fit.strict,
            caller=fit.caller, **task.rule,
        )  # fmt: skip
        groups = None if by is None else by.over(cast(Schema, self.schema), fit.caller)
        apart = None
        if self.apart is not None:
            wide = {} if groups is None else {"domain": groups.domain}
            apart = partial(read, self.apart, **wide)

        def with_decisions(guarantee: Guarantee, n: int | None) -> None:
            self.tell()
            said(guarantee, n)

        try:
            release = run(
                self.learner, partial(read, self.table), source,
                ledger=ledger if self.paid is None else None, shares=self.shares, columns=columns,
                data=self.given, certified=fit.certified, before=self.before, apart=apart,
                paid=self.paid, groups=groups, said=with_decisions,
            )  # fmt: skip
        except BudgetError as problem:  # another program has spent meanwhile
            if not self.before and not self.shares.columns:
                raise
            raise after_the_count(problem) from None
        names = getattr(task.target, "names", None)
        texts = names is not None and all(isinstance(name, str) for name in names)
        return replace(release, names=names) if texts else release
