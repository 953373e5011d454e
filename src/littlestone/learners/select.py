"""Which learner: all candidates side by side, from public parameters only.

``littlestone plan``, `littlestone.plan` and ``--learner auto`` are views of this one comparison.
The data play no part, so a choice costs no privacy. Nothing is compared that ``fit`` would refuse:
a learner that is not `feasible` has a reason instead of a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from flint import ctx

from littlestone.errors import (
    LittlestoneError,
    UnsupportedError,
    check_fraction,
    check_integer,
    check_probability,
    parameter_error,
)
from littlestone.evaluation.histogram import HISTOGRAM
from littlestone.learners import registry
from littlestone.learners.agnostic import rate_for
from littlestone.learners.base import Goal
from littlestone.learners.running import certificate_of
from littlestone.privacy import Guarantee, Neighbours
from littlestone.privacy.guarantee import lower
from littlestone.source import ball

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Unit
    from littlestone.classes import ConceptClass
    from littlestone.learners.base import Learner
    from littlestone.types import Json


#: How a learner that protects records can protect users.
ONE_RECORD = "one record of each user"
ALL_RECORDS = "all records, with epsilon / m (group privacy)"
#: An agnostic form needs more than this multiple of what its learner needs at the same epsilon,
#: since it has less than half of alpha; the second multiple is for a pool that is thinned.
_FORM = Fraction(5, 2)


@dataclass(frozen=True)
class Candidate:
    """One learner for one class, or the reason why it is none."""

    learner: str
    agnostic: bool
    options: Json = field(default_factory=dict)
    algorithm: Learner[Any] | None = None
    n: int | None = None
    unit: Unit = "records"
    reads: str | None = None
    guarantee: Guarantee | None = None
    problem: LittlestoneError | None = None
    needs_delta: bool = False
    dominated: bool = False

    @property
    def shown(self) -> str:
        """Its name in tables and on pages."""
        return shown_name(self.learner, self.options, self.reads)

    @property
    def certificate(self) -> Certificate | None:
        """The certificate at n (for all records of users: at that many records)."""
        if self.algorithm is None:
            return None
        return certificate_of(self.algorithm, self.algorithm.required_samples())


def shown_name(learner: str, options: Json, reads: str | None = None) -> str:
    """Return a learner's name in tables and on pages, with what distinguishes it from others.

    Examples
    --------
    >>> shown_name("users", {"method": "user-level"}), shown_name("generic", {}, ALL_RECORDS)
    ('users, user-level', 'generic, group privacy')
    """
    if "method" in options:
        return f"{learner}, {options['method']}"
    if reads is None:
        return learner
    return f"{learner}, {'group privacy' if reads == ALL_RECORDS else 'one record each'}"


def compare(concept_class: ConceptClass, goal: Goal) -> list[Candidate]:
    """Return all learners of the registry for a class, those that cannot learn it with a reason.

    Learners that protect users are compared when ``samples_per_user`` is given.

    Notes
    -----
    Agnostic forms (``agnostic:...``) take time to plan. They are planned only if several times the
    records of their learner are fewer than the best other learner for any labels needs.
    """
    found: list[Candidate] = []
    for name, entry in registry.LEARNERS.items():
        if not entry.certified:
            if name == concept_class.learned_by:
                problem = UnsupportedError(entry.learner.uncertified)
                found.append(Candidate(name, entry.agnostic, problem=problem))
            continue
        form = name.startswith(registry.AGNOSTIC)
        if form and _hopeless(name.removeprefix(registry.AGNOSTIC), found, goal):
            found.append(Candidate(name, True, problem=_dominated(found), dominated=True))
            continue
        found += _ways(name, entry, concept_class, goal)
    return found


def replan(candidate: Candidate, concept_class: ConceptClass, goal: Goal) -> Candidate:
    """Return the same learner, read in the same way, for another goal."""
    entry = registry.LEARNERS[candidate.learner]
    if entry.unit == "users" or candidate.reads is None:
        extra = {"samples_per_user": goal.samples_per_user} if entry.unit == "users" else {}
        options = {**candidate.options, **extra}
        return _sized(candidate.learner, entry, concept_class, goal, options)
    own = per_record(goal) if candidate.reads == ALL_RECORDS else goal
    made = _sized(candidate.learner, entry, concept_class, own, candidate.options)
    return _as_users(made, goal, candidate.reads)


def check_planned(concept_class: ConceptClass, goal: Goal | None = None) -> None:
    """Refuse a plan for a class whose own learner promises nothing before data."""
    if concept_class.learned_by:
        learner = registry.LEARNERS[concept_class.learned_by].learner
        by_holdout = getattr(learner, "held_out", None)
        said = "" if goal is None or by_holdout is None else by_holdout(concept_class, goal)
        raise UnsupportedError(learner.uncertified + said)


def fewest(candidates: Sequence[Candidate]) -> Candidate | None:
    """Return the candidate that needs the fewest records or users; the first one of equals."""
    able = [c for c in candidates if c.n is not None]
    return min(able, key=lambda c: c.n or 0, default=None)


def _ways(
    name: str, entry: registry.Entry, concept_class: ConceptClass, goal: Goal
) -> Iterator[Candidate]:
    """Yield a learner as it is, or the ways in which it can protect users."""
    m = goal.samples_per_user
    if entry.unit == "users":
        if m is None:
            return
        mine = _sized(name, entry, concept_class, goal, {"samples_per_user": m})
        yield mine
        if mine.algorithm is not None:
            routes = mine.algorithm.plan.routes
            for method in routes if len(routes) > 1 else ():
                options = {"samples_per_user": m, "method": method}
                yield _sized(name, entry, concept_class, goal, options)
        return
    if m is None:
        yield _sized(name, entry, concept_class, goal, {})
        return
    yield _as_users(_sized(name, entry, concept_class, goal, {}), goal, ONE_RECORD)
    if m > 1:
        own = per_record(goal)
        yield _as_users(_sized(name, entry, concept_class, own, {}), goal, ALL_RECORDS)


def _hopeless(inner: str, found: Sequence[Candidate], goal: Goal) -> bool:
    """Return whether the agnostic form of a learner can hardly need the fewest records."""
    mine = fewest([c for c in found if c.learner == inner])
    rival = fewest([c for c in found if c.agnostic])
    if mine is None or rival is None or mine.n is None or rival.n is None:
        return False
    thinned = rate_for(goal.epsilon, max(goal.epsilon - 2, Fraction(7, 10)), 4)
    return mine.n * _FORM >= rival.n * thinned


def _dominated(found: Sequence[Candidate]) -> UnsupportedError:
    rival = fewest([c for c in found if c.agnostic])
    name = rival.learner if rival is not None else ""
    return UnsupportedError(
        f"More records are needed than for {name!r}; how many was not computed."
    )


def _sized(
    name: str,
    entry: registry.Entry,
    concept_class: ConceptClass,
    goal: Goal,
    options: Json,
) -> Candidate:
    """Make a learner and ask what it needs. A pure one uses no delta: it promises more."""
    delta = None if entry.pure else goal.delta or None
    shown = {k: v for k, v in options.items() if k != "samples_per_user"}
    blank = Candidate(name, entry.agnostic, shown, unit=entry.unit)
    try:
        algorithm = registry.make(
            name,
            concept_class,
            epsilon=goal.left,
            delta=delta,
            alpha=goal.alpha,
            beta=goal.beta,
            **options,
        )
        n = algorithm.required_samples()
    except LittlestoneError as problem:
        lacking = delta is None and not entry.pure
        return replace(blank, problem=problem, needs_delta=lacking)
    guarantee = algorithm.guarantee()
    if goal.evaluation:
        claim = f"dp.sum({guarantee.claim}, {HISTOGRAM})"
        guarantee = replace(guarantee, epsilon=goal.epsilon, claim=claim)
    return replace(blank, algorithm=algorithm, n=n, guarantee=guarantee)


def _as_users(candidate: Candidate, goal: Goal, reads: str) -> Candidate:
    """Return what protects users with the goal, made of a learner that protects records."""
    if candidate.n is None or candidate.guarantee is None:
        return replace(candidate, unit="users", reads=reads)
    m = goal.samples_per_user or 1
    together = reads == ALL_RECORDS
    guarantee = Guarantee(
        goal.epsilon,
        goal.delta if together and candidate.guarantee.delta else candidate.guarantee.delta,
        Neighbours.USER_REPLACE,
        claim=f"dp.group({candidate.guarantee.claim})" if together else candidate.guarantee.claim,
    )
    n = ceil(Fraction(candidate.n, m)) if together else candidate.n
    return replace(candidate, unit="users", reads=reads, n=n, guarantee=guarantee)


def per_record(goal: Goal) -> Goal:
    """Return the goal of one record, when the m records of a user must stay within it.

    (e, d)-DP for records is (m e, d (e**(m e) - 1)/(e**e - 1))-DP for m of them.
    """
    m = goal.samples_per_user or 1
    epsilon, delta = goal.epsilon / m, goal.delta
    if delta:
        with ctx.workprec(128):
            delta = lower(ball(delta) * ball(epsilon).expm1() / ball(goal.epsilon).expm1())
        scale = 1 << (60 + delta.denominator.bit_length() - delta.numerator.bit_length())
        delta = Fraction(floor(delta * scale), scale)
    return Goal(epsilon, delta, goal.alpha, goal.beta, evaluation=goal.evaluation)


def goal_of(
    caller: str,
    *,
    epsilon: Any,
    delta: Any = None,
    alpha: Any = "0.1",
    beta: Any = "0.05",
    samples_per_user: Any = None,
    evaluate: Any = None,
) -> Goal:
    """Check what is asked of learners that are compared; return it exact."""
    each = samples_per_user
    if each is not None:
        each = check_integer(caller, "samples_per_user", each, low=1)
    epsilon = check_fraction(caller, "epsilon", epsilon, hint="1 is a common choice.")
    share = Fraction(0)
    if evaluate is not None:
        share = check_fraction(caller, "evaluate", evaluate) / epsilon
    if share >= 1:
        raise parameter_error(
            caller, "evaluate", "smaller than epsilon, of which it is a part", evaluate,
            "A tenth of epsilon is a common choice.",
        )  # fmt: skip
    return Goal(
        epsilon,
        Fraction(0) if delta is None else check_probability(caller, "delta", delta),
        check_probability(caller, "alpha", alpha),
        check_probability(caller, "beta", beta),
        neighbours=Neighbours.REPLACE_ONE if each is None else Neighbours.USER_REPLACE,
        samples_per_user=each,
        evaluation=share,
    )


def make(name: str, concept_class: ConceptClass, **parameters: Any) -> Learner[Any]:
    """Return a learner by name, or the one that needs the fewest records for ``"auto"``."""
    if name == "auto" and concept_class.learned_by:
        name = concept_class.learned_by
    if name != "auto":
        own = {option: value for option, value in parameters.items() if option != "evaluate"}
        return registry.make(name, concept_class, **own)
    known = ("epsilon", "delta", "alpha", "beta", "samples_per_user")
    evaluate = parameters.pop("evaluate", None)
    registry.check_options(name, known, parameters)
    return auto(concept_class, evaluate=evaluate, **parameters)


def auto(concept_class: ConceptClass, *, agnostic: bool = True, **asked: Any) -> Learner[Any]:
    """Return the learner that needs the fewest records for this class; data plays no part.

    Compared are the learners with one kind of certificate, by default for any labels: assuming that
    some concept explains the labels is left to those who name such a learner. ``asked``: see
    `goal_of`.
    """
    goal = goal_of("fit", **asked)
    found = [
        candidate
        for candidate in compare(concept_class, goal)
        if candidate.agnostic == agnostic and not candidate.reads and not candidate.needs_delta
    ]
    best = fewest(found)
    if best is None or best.algorithm is None:
        problems = [candidate.problem for candidate in found if candidate.problem is not None]
        raise (
            problems[0]
            if problems
            else UnsupportedError("No learner has this kind of certificate.")
        )
    whole = replan(best, concept_class, replace(goal, evaluation=Fraction(0))).algorithm
    assert whole is not None  # more epsilon never hinders
    return whole
