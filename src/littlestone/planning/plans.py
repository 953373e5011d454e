"""The plan: every learner of the registry for one class, side by side, before any data exist."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from littlestone import bounds
from littlestone.classes import check_class
from littlestone.data.targets import Target
from littlestone.errors import (
    InfeasibleError,
    LittlestoneError,
    UnsupportedError,
    check_fraction,
    check_integer,
    check_probability,
    counted,
    parameter_error,
)
from littlestone.learners.base import Goal, feasible
from littlestone.learners.boosting.values import HOLDOUT, bounds_of, planned
from littlestone.learners.online.bound import LowerBound as StreamLowerBound
from littlestone.learners.online.bound import MistakeBound
from littlestone.learners.online.bound import lower_bounds as stream_lower_bounds
from littlestone.learners.online.estimator import OnlineLearner
from littlestone.learners.online.plan import StreamGoal
from littlestone.learners.running import held_out_of
from littlestone.learners.select import (
    ALL_RECORDS,
    Candidate,
    check_planned,
    compare,
    fewest,
    goal_of,
    replan,
)
from littlestone.mechanisms import Conformal
from littlestone.notebooks import Card, Table
from littlestone.planning.lower_bounds import LowerBound, PaperRow, lower_bounds, paper_rows
from littlestone.privacy.guarantee import exact_text

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Unit
    from littlestone.classes import ConceptClass
    from littlestone.learners.select import Candidate
    from littlestone.types import Json


@dataclass(frozen=True)
class StreamPlan:
    """How many mistakes a stream costs."""

    horizon: int
    bound: MistakeBound | None  # of `OnlineLearner` with its defaults; None if it does not run
    problem: str  # why it does not run
    #: Expected mistakes of every private learner on some stream.
    lower_bounds: tuple[StreamLowerBound, ...]

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            "horizon": self.horizon,
            "bound": None if self.bound is None else self.bound.to_dict(),
            **({"problem": self.problem} if self.bound is None else {}),
            "lower_bounds": [each.to_dict() for each in self.lower_bounds],
        }


def plan_stream(concept_class: ConceptClass, budget: Goal, horizon: int) -> StreamPlan:
    """Return what is proved about the mistakes in a stream of this length.

    ``budget``: its alpha is not read: a stream has no target but few mistakes.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.classes import Points
    >>> from littlestone.learners.base import Goal
    >>> budget = Goal(Fraction(1), Fraction(1, 10**6), Fraction(1, 10), Fraction(1, 20))
    >>> found = plan_stream(Points(), budget, 10**6)
    >>> print(found.bound)
    at most 116 mistakes among 1,000,000 adaptive records except with probability 0.05: holds
    >>> print(found.lower_bounds[0])
    Omega(d): at least 0.5 [littlestone.soa]
    """
    learner = OnlineLearner(
        concept_class,
        epsilon=budget.epsilon,
        delta=budget.delta,
        horizon=horizon,
        beta=budget.beta,
        records_per_user=budget.samples_per_user,
    )
    ok, why, next_step = feasible(learner)
    goal = StreamGoal(budget.epsilon, budget.delta, horizon, budget.beta, budget.samples_per_user)
    return StreamPlan(
        horizon,
        learner.mistake_bound() if ok else None,
        f"{why} {next_step}".strip(),
        stream_lower_bounds(goal, concept_class),
    )


_HEAD = ("learner", "needs", "certifies", "status")


@dataclass(frozen=True)
class Change:
    """What one learner needs if one public number is changed."""

    what: str  # name of the number: ``"epsilon"``, ``"alpha"`` or ``"samples_per_user"``
    value: Fraction  # its new value
    n: int | None  # what is needed then; None if the learner refuses

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"what": self.what, "value": float(self.value), "n": self.n}


@dataclass(frozen=True, repr=False)
class Plans:
    """What all learners need for one class and one budget; printed as a table."""

    concept_class: ConceptClass
    budget: Goal
    agnostic: bool  # whether only certificates for any labels count
    #: All learners, also those that cannot learn the class, with the reason.
    candidates: tuple[Candidate, ...]
    horizon: int | None = None  # of a stream, if one is planned for too: see `stream`

    def __iter__(self) -> Iterator[Candidate]:
        """Iterate over the learners that count, in the order of the registry."""
        return (c for c in self.candidates if c.n is not None and (c.agnostic or not self.agnostic))

    @property
    def chosen(self) -> Candidate | None:
        """What ``fit`` takes by itself: the fewest records, certified for any labels."""
        return fewest([c for c in self if c.agnostic and c.reads is None])

    @property
    def cheaper(self) -> Candidate | None:
        """The candidate that needs least of all, if that is another one."""
        least = fewest(list(self))
        chosen = self.chosen
        if least is None or (chosen is not None and least.n == chosen.n):
            return None
        return least

    @property
    def why(self) -> str:
        """Say why that one is chosen."""
        chosen = self.chosen
        if chosen is None:
            return (
                "fit selects none of them by itself: no learner here is certified for any labels."
            )
        mine = getattr(chosen.algorithm, "plan", None)
        method = getattr(mine, "method", None)
        rivals = [
            c
            for c in self
            if c.agnostic
            and c.reads is None
            and c is not chosen
            and (method is None or c.options.get("method") != method)
        ]
        what = f"Of the learners that are certified for any labels, {chosen.learner!r}"
        if not rivals:
            return f"{what} is the only one for this class."
        second = fewest(rivals)
        assert second is not None
        if second.learner == chosen.learner:  # users: its methods are compared
            what += f" (method {method!r})"
        named = second.options.get("method", second.learner)
        return f"{what} needs the fewest {chosen.unit}; next is {named!r} ({second.n:,})."

    @cached_property
    def lower_bounds(self) -> list[LowerBound]:
        """What no learner can beat; see `littlestone.planning.lower_bounds`."""
        return lower_bounds(self.concept_class, self.budget, agnostic=True)

    @cached_property
    def papers(self) -> list[PaperRow]:
        """The papers' own numbers for this class; see `paper_rows`."""
        return paper_rows(self.concept_class, self.budget, self.candidates)

    @cached_property
    def stream(self) -> StreamPlan | None:
        """The mistakes in a stream of ``horizon`` records, with the same budget."""
        if self.horizon is None:
            return None
        return plan_stream(self.concept_class, self.budget, self.horizon)

    @cached_property
    def non_private(self) -> dict[str, Certificate]:
        """What suffices without privacy, ``"realizable"`` and ``"agnostic"``, in records."""
        found: dict[str, Certificate] = {}
        size = self.concept_class.size
        numbers: dict[str, Any] = {"alpha": self.budget.alpha, "beta": self.budget.beta}
        try:
            dim: int | None = self.concept_class.vc_dim
        except LittlestoneError:
            dim = None
        for setting, finite, by_dim in (
            ("realizable", bounds.consistent, bounds.consistent_vc),
            ("agnostic", bounds.erm, bounds.erm_vc),
        ):
            more: dict[str, Any] = {}
            if setting == "agnostic":
                more["structure"] = self.concept_class.structure
            ways = [finite(size, **numbers, **more)] if isinstance(size, int) else []
            ways += [by_dim(dim, **numbers)] if dim is not None else []
            # a private learner is one without privacy, too
            mine = fewest(
                [c for c in self if c.unit == "records" and setting in ("realizable", _setting(c))]
            )
            if mine is not None and mine.certificate is not None:
                ways.append(mine.certificate)
            if ways:
                found[setting] = min(ways, key=lambda certificate: certificate.n)
        return found

    def what_if(self, candidate: Candidate | None = None) -> list[Change]:
        """Return what changes if epsilon, alpha or the records per user are halved or doubled.

        ``candidate``: default: the chosen one, or the cheapest if none is.
        """
        mine = candidate or self.chosen or self.cheaper
        if mine is None:
            return []
        out: list[Change] = []
        m = self.budget.samples_per_user
        values: list[tuple[str, Any]] = [
            ("epsilon", self.budget.epsilon / 2),
            ("epsilon", self.budget.epsilon * 2),
            ("alpha", self.budget.alpha / 2),
            ("alpha", self.budget.alpha * 2),
            *([] if m is None else [("samples_per_user", k) for k in (m // 2, 2 * m) if k]),
        ]
        for what, value in values:
            if what == "alpha" and value >= 1:
                continue
            changed = replan(mine, self.concept_class, replace(self.budget, **{what: value}))
            out.append(Change(what, Fraction(value), changed.n))
        return out

    def to_dict(self, *, what_if: bool = False, papers: bool = False) -> Json:
        """Return plain JSON, every number with its certificate; `what_if` takes time."""
        chosen, cheaper = self.chosen, self.cheaper
        return {
            "class": self.concept_class.spec,
            "asked": asked(self.budget),
            "plans": [_row(c, self.budget) for c in self.candidates],
            "chosen": None if chosen is None else chosen.learner,
            "why": self.why,
            "cheaper": None if cheaper is None else cheaper.learner,
            "non_private": {k: c.to_dict() for k, c in self.non_private.items()},
            "lower_bounds": [bound.to_dict() for bound in self.lower_bounds],
            **({} if self.stream is None else {"stream": self.stream.to_dict()}),
            **({"papers": [row.to_dict() for row in self.papers]} if papers else {}),
            **({"what_if": [change.to_dict() for change in self.what_if()]} if what_if else {}),
        }

    def __repr__(self) -> str:
        rows = [_HEAD, *self._rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join([f"Needed to learn {self.concept_class.spec}", *lines, self.why])

    def _repr_html_(self) -> str:
        title = f"Needed to learn {self.concept_class.spec}"
        asked_for = ", ".join(f"{name} {value}" for name, value in asked(self.budget).items())
        lines = [("Asked", asked_for), ("Choice", self.why)]
        return Card(title, lines, Table(_HEAD, tuple(self._rows()))).html()

    def _rows(self) -> list[tuple[str, str, str, str]]:
        """Return a row of texts for each learner."""
        rows: list[tuple[str, str, str, str]] = []
        for c in self.candidates:
            mark = " (chosen)" if c is self.chosen else ""
            name = f"{c.shown}{mark}"
            if c.n is None:
                status = "not planned" if c.dominated else "not feasible"
                rows.append((name, "-", "-", "needs delta" if c.needs_delta else status))
            else:
                certificate = c.certificate
                status = "" if certificate is None else certificate.status
                rows.append((name, counted(c.n, c.unit), _setting(c), status))
        return rows


def plan(
    concept_class: Any,
    *,
    epsilon: Any,
    delta: Any = None,
    alpha: Any = "0.1",
    beta: Any = "0.05",
    samples_per_user: Any = None,
    agnostic: bool = False,
    horizon: Any = None,
    evaluate: Any = None,
) -> Plans:
    """Compare all learners for a class: how many records or users each one needs.

    Parameters
    ----------
    concept_class : ConceptClass
    epsilon : number in (0, inf)
        Privacy loss that is allowed.
    delta : number in (0, 1), optional
        What is allowed besides epsilon; without it only pure learners count.
    alpha, beta : number in (0, 1)
        (Excess) error, and the probability of exceeding it.
    samples_per_user : int >= 1, optional
        Protect users, each with at most this number of records.
    agnostic : bool, default False
        Leave out learners that promise nothing for data that no concept explains.
    horizon : int >= 1, optional
        Also say how many mistakes a stream of so many records costs (`Plans.stream`).
    evaluate : number in (0, epsilon), optional
        The part of epsilon that a private evaluation takes; the learners get what it leaves.

    Returns
    -------
    Plans
        Its repr is a table; `Plans.to_dict` holds every certificate.

    Raises
    ------
    ParameterError
    UnsupportedError
        If no learner can promise this, with all reasons.

    Notes
    -----
    Reads no data, and depends on public parameters only. Cost: a second or two for any class; the
    learners' own planning is all there is.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> plans = plan(Thresholds(1, 2**20), epsilon=1, delta=1e-6)
    >>> plans.chosen.learner, plans.chosen.n, plans.cheaper.learner, plans.cheaper.n
    ('agnostic', 852, 'generic', 420)
    >>> [bound.n for bound in plans.lower_bounds if bound.claim == "lower.two-concepts"]
    [36]
    """
    budget = goal_of(
        "plan",
        epsilon=epsilon,
        delta=delta,
        alpha=alpha,
        beta=beta,
        samples_per_user=samples_per_user,
        evaluate=evaluate,
    )
    concepts = check_class("plan", concept_class)
    if horizon is not None:
        check_integer("plan", "horizon", horizon, low=1)
    check_planned(concepts, budget)
    plans = Plans(concepts, budget, agnostic, tuple(compare(concepts, budget)), horizon)
    if fewest(list(plans)) is None:
        reasons = "; ".join(
            f"{c.learner}: {c.problem or 'realizable only'}" for c in plans.candidates
        )
        raise UnsupportedError(
            f"No learner can promise this for {concepts.spec}. {reasons}{_streamed(plans.stream)}"
        )
    return plans


def _streamed(found: StreamPlan | None) -> str:
    """Say what is known of streams, where no learner promises anything."""
    if found is None:
        return ""
    mistakes = found.bound or found.problem.rstrip(".")
    least = ", ".join(map(str, found.lower_bounds))
    return (
        f" In a stream of {found.horizon:,} records: {mistakes}. Every private learner makes, in "
        f"expectation on some stream: {least}."
    )


def asked(budget: Goal) -> Json:
    """Return a budget as plain JSON, exactly."""
    names = ("epsilon", "delta", "alpha", "beta", "samples_per_user")
    numbers = {name: getattr(budget, name) for name in names if getattr(budget, name)}
    if budget.evaluation:
        numbers["evaluate"] = budget.evaluation * budget.epsilon
    return {k: v if isinstance(v, int) else exact_text(v) for k, v in numbers.items()}


def _setting(candidate: Candidate) -> str:
    return "agnostic" if candidate.agnostic else "realizable"


def _row(candidate: Candidate, budget: Goal) -> Json:
    """Return one learner's plan, or why there is none."""
    out: Json = {"learner": candidate.learner}
    if candidate.options:
        out["options"] = candidate.options
    if candidate.n is None or candidate.guarantee is None:
        status = "not planned" if candidate.dominated else "not feasible"
        out |= {"status": status, "reason": str(candidate.problem)}
        return out | {"needs": "--delta"} if candidate.needs_delta else out
    certificate = candidate.certificate
    assert certificate is not None
    out |= {
        "n": candidate.n,
        "unit": candidate.unit,
        "setting": _setting(candidate),
        "status": certificate.status,
        "guarantee": candidate.guarantee.to_dict(),
        "certificate": certificate.to_dict(),
    }
    if candidate.reads is not None:
        out["reads"] = candidate.reads
        if candidate.reads == ALL_RECORDS:
            m = budget.samples_per_user
            out |= {
                "reads": f"{counted(m or 1, 'records')} of each user",
                "epsilon_of_a_record": f"epsilon/{m}",
            }
    return out


#: Number of digits of the decimals among which values are searched.
_DIGITS = 3
_SMALLEST = {"epsilon": -6, "alpha": -6}  # powers of ten
_LARGEST = {"epsilon": 3, "alpha": -1}


@dataclass(frozen=True)
class Solution:
    """The least epsilon, or alpha, that n records or users allow."""

    candidate: Candidate  # the learner that attains it, with its certificate
    what: str  # ``"epsilon"`` or ``"alpha"``
    value: Fraction  # a decimal of three digits; the next smaller one does not do
    n: int  # what was given

    def to_dict(self) -> Json:
        """Return plain JSON."""
        certificate = self.candidate.certificate
        return {
            "learner": self.candidate.learner,
            "setting": "agnostic" if self.candidate.agnostic else "realizable",
            "solve": self.what,
            "value": float(self.value),
            "n": self.n,
            "unit": self.candidate.unit,
            "required": self.candidate.n,
            "certificate": None if certificate is None else certificate.to_dict(),
        }


def solve(
    concept_class: Any,
    what: Literal["epsilon", "alpha"],
    n: int,
    *,
    epsilon: Any = None,
    delta: Any = None,
    alpha: Any = None,
    beta: Any = "0.05",
    samples_per_user: Any = None,
    agnostic: bool = False,
    evaluate: Any = None,
) -> list[Solution]:
    """Return, for each learner, the least epsilon or alpha that n records or users certify.

    ``what``: what is searched for; the other one must be given; ``n``: number of records, or of
    users with ``samples_per_user``; ``evaluate``: the *share* of epsilon that a private evaluation
    takes.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> best, *_ = solve(Thresholds(1, 2**20), "epsilon", 1000, alpha="0.1")
    >>> best.candidate.learner, float(best.value)
    ('generic', 0.36...)
    """
    if what not in ("epsilon", "alpha"):
        raise parameter_error("solve", "what", "'epsilon' or 'alpha'", what)
    n = check_integer("solve", "n", n, low=1)
    given = {"epsilon": epsilon, "alpha": alpha}
    if given[what] is not None:
        hint = f"It is the unknown for {n} records: leave it out."
        raise parameter_error("solve", what, "left out", given[what], hint)
    easiest = Fraction(10) ** (_LARGEST[what] + 1) * Fraction(999, 1000)
    # First with the largest value: who cannot learn with that cannot learn at all.
    asked = {**given, what: easiest}
    if evaluate is not None:
        share = check_probability("solve", "evaluate", evaluate)
        asked["evaluate"] = share * check_fraction("solve", "epsilon", asked["epsilon"])
    plans = plan(
        concept_class,
        delta=delta,
        beta=beta,
        samples_per_user=samples_per_user,
        agnostic=agnostic,
        **asked,
    )
    found: list[Solution] = []
    for candidate in plans:
        made = _least(candidate, concept_class, plans.budget, what, n)
        if made is not None:
            found.append(Solution(made[0], what, made[1], n))
    if not found:
        least = min(c.n or 0 for c in plans)
        unit = next(iter(plans)).unit
        raise InfeasibleError(
            f"{n:,} {unit} are too few for every learner of {concept_class.spec}, however large "
            f"{what} is; {least:,} are needed at {what} = {float(easiest)}.",
            n_needed=least,
        )
    return sorted(found, key=lambda solution: (solution.value, solution.candidate.n or 0))


def _least(
    candidate: Candidate, concept_class: Any, budget: Goal, what: str, n: int
) -> tuple[Candidate, Fraction] | None:
    """Bisect on the decimals of three digits, in their order."""

    def at(value: Fraction) -> Candidate | None:
        found = replan(candidate, concept_class, replace(budget, **{what: value}))  # type: ignore[arg-type]
        return found if found.n is not None and found.n <= n else None

    def decimal(i: int) -> Fraction:
        power, digits = divmod(i, 9 * 10 ** (_DIGITS - 1))
        mantissa = Fraction(digits + 10 ** (_DIGITS - 1), 10 ** (_DIGITS - 1))
        return mantissa * Fraction(f"1e{power + _SMALLEST[what]}")

    low, high = -1, (_LARGEST[what] - _SMALLEST[what] + 1) * 9 * 10 ** (_DIGITS - 1) - 1
    best = at(decimal(high))
    if best is None:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        found = at(decimal(middle))
        if found is None:
            low = middle
        else:
            high, best = middle, found
    return best, decimal(high)


# -- What intervals and sets of labels need and cover, before any data.


@dataclass(frozen=True)
class IntervalPlan:
    """What `fit` would draw intervals or sets from, with ``interval=``."""

    n: int  # records or users, of which ``conformal.m`` are held out
    required: int  # the least n that is not refused, with this holdout
    holdout: Fraction
    conformal: Conformal  # its rank, certificate, and the share of all new ones

    def to_dict(self) -> Json:
        """Return plain JSON."""
        own = {"n": self.n, "required": self.required, "holdout": str(self.holdout)}
        return own | {"interval": self.conformal.to_dict(), "share": self.conformal.share()}


def plan_interval(
    interval: Any,
    *,
    epsilon: Any,
    n: Any = None,
    holdout: Any = HOLDOUT,
    evaluate: Any = None,
    target: Target | None = None,
    unit: Unit = "records",
) -> IntervalPlan:
    """Say how many records intervals or sets of labels need, and what they cover.

    Parameters
    ----------
    interval : number in (0, 1)
        The share of new records, or users, that is to be covered.
    epsilon : number > 0
        Of a fit with a schema.
    n : int, optional
        Records, or users; by default as few as are enough.
    holdout : number in (0, 1)
        The share that is held out.
    evaluate : number in (0, epsilon), optional
        The part of epsilon of an evaluation on them.
    target : Quantity or Count, optional
        Without one it is about labels.
    unit : {"records", "users"}

    Raises
    ------
    InfeasibleError
        If n is too small: the refusal of ``fit``, with how many must be held out.

    Examples
    --------
    >>> plan = plan_interval(0.9, epsilon=1)
    >>> plan.required, plan.conformal.m
    (565, 113)
    >>> plan = plan_interval(0.9, epsilon=1, n=5000)
    >>> plan.conformal.m, round(plan.conformal.share(), 3)
    (1000, 0.874)
    """
    caller = "plan"
    total = check_fraction(caller, "epsilon", epsilon, hint="1 is a common choice.")
    part = Fraction(0) if evaluate is None else check_fraction(caller, "evaluate", evaluate)
    if part >= total:
        wanted = "smaller than epsilon, since intervals need a part of it"
        raise parameter_error(caller, "evaluate", wanted, evaluate)
    level = check_probability(caller, "interval", interval, hint="0.9 is a common choice.")
    share = check_probability(caller, "holdout", holdout)
    cells = len(bounds_of(target))
    least = Conformal.least(cells=cells, alpha=1 - level, epsilon=total - part)
    required = math.ceil(least / share)
    number = required if n is None else check_integer(caller, "n", n, low=1)
    m = held_out_of(number, share, interval=True)
    conformal = planned(target, level, m=m, epsilon=total - part, unit=unit)
    return IntervalPlan(number, required, share, conformal)
