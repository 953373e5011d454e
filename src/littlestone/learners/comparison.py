"""All learners that can learn a class, and what each one needs: public parameters only.

`registry.auto`, ``littlestone plan`` and `littlestone.plan` are views of this one comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from flint import ctx

from littlestone.errors import LittlestoneError, UnsupportedError
from littlestone.learners import registry
from littlestone.learners.agnostic.subsample import rate_for
from littlestone.privacy import Guarantee, Neighbours
from littlestone.privacy.rounding import lower
from littlestone.source import ball

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Unit
    from littlestone.classes import ConceptClass
    from littlestone.learners.algorithm import Algorithm
    from littlestone.types import Json

__all__ = [
    "ALL_RECORDS",
    "ONE_RECORD",
    "Budget",
    "Candidate",
    "again",
    "compare",
    "fewest",
    "shared",
]

#: How a learner that protects records can protect users.
ONE_RECORD = "one record of each user"
ALL_RECORDS = "all records, with epsilon / m (group privacy)"
#: An agnostic form needs more than so many times what its learner needs at the same epsilon, since
#: it has less than half of alpha; where the pool is thinned, so many times more.
_FORM = Fraction(5, 2)


@dataclass(frozen=True)
class Budget:
    """What is asked of a learner, by somebody who compares them.

    Not `littlestone.learners.budget.Budget`, which one learner is given: here delta may be absent,
    and it is open who is protected.

    Attributes
    ----------
    epsilon, alpha, beta : Fraction
    delta : Fraction or None
        What is allowed besides epsilon; None allows nothing.
    samples_per_user : int or None
        With a number, users are protected, each with so many records.
    """

    epsilon: Fraction
    delta: Fraction | None
    alpha: Fraction
    beta: Fraction
    samples_per_user: int | None = None


@dataclass(frozen=True)
class Candidate:
    """One learner for one class, or the reason why it is none.

    Attributes
    ----------
    learner : str
        Its name in the registry: ``fit --learner`` takes it.
    agnostic : bool
        Whether its certificate is for any labels.
    options : dict
        Public options, such as ``proper``.
    algorithm : Algorithm or None
    n : int or None
        The least number of records or users from which on its certificate holds.
    unit : str
        What n counts.
    reads : str or None
        How a learner that protects records is made to protect users; None: it need not be.
    guarantee : Guarantee or None
        Of the whole, in the unit that is protected.
    problem : LittlestoneError or None
        Why there is no number.
    needs_delta : bool
        Whether a delta would help.
    dominated : bool
        Whether it was not planned, because another one needs fewer records.
    """

    learner: str
    agnostic: bool
    options: Json = field(default_factory=dict)
    algorithm: Algorithm | None = None
    n: int | None = None
    unit: Unit = "records"
    reads: str | None = None
    guarantee: Guarantee | None = None
    problem: LittlestoneError | None = None
    needs_delta: bool = False
    dominated: bool = False

    @property
    def certificate(self) -> Certificate | None:
        """The certificate at n (for all records of users: at that many records)."""
        if self.algorithm is None:
            return None
        return self.algorithm.certificate(self.algorithm.required_samples())


def compare(
    concept_class: ConceptClass, budget: Budget, *, adapt: bool = True, every: bool = True
) -> list[Candidate]:
    """Return all learners of the registry for a class, those that cannot learn it with a reason.

    Learners that protect users are compared when ``samples_per_user`` is given.

    Parameters
    ----------
    concept_class : ConceptClass
    budget : Budget
    adapt : bool, default True
        With ``samples_per_user``: also learners that protect records, by reading one record of
        each user, or all of them with a smaller epsilon.
    every : bool, default True
        Also agnostic forms that cannot be the best (by name only: they take time to plan), and
        proper output where it costs more, of learners that are not far from the best.

    Returns
    -------
    list of Candidate
        In the order of the registry.

    Notes
    -----
    Agnostic forms (``agnostic:...``) take time to plan. They are planned only if several times the
    records of their learner are fewer than the best other learner for any labels needs.
    """
    found: list[Candidate] = []
    for name, entry in registry.LEARNERS.items():
        form = name.startswith(registry.AGNOSTIC)
        if form and _hopeless(name.removeprefix(registry.AGNOSTIC), found, budget):
            if every:
                found.append(Candidate(name, True, problem=_dominated(found), dominated=True))
            continue
        found += _ways(name, entry, concept_class, budget, adapt=adapt)
        if every and "proper" in entry.options and not form and _near(found):
            found += _proper(name, entry, concept_class, budget, found[-1])
    return found


def again(candidate: Candidate, concept_class: ConceptClass, budget: Budget) -> Candidate:
    """Return the same learner, read in the same way, for another budget."""
    entry = registry.LEARNERS[candidate.learner]
    if entry.unit == "users" or candidate.reads is None:
        extra = {"samples_per_user": budget.samples_per_user} if entry.unit == "users" else {}
        options = {**candidate.options, **extra}
        return _sized(candidate.learner, entry, concept_class, budget, options)
    own = shared(budget) if candidate.reads == ALL_RECORDS else budget
    made = _sized(candidate.learner, entry, concept_class, own, candidate.options)
    return _as_users(made, budget, candidate.reads)


def fewest(candidates: Sequence[Candidate]) -> Candidate | None:
    """Return the candidate that needs the fewest records or users; the first one of equals."""
    able = [c for c in candidates if c.n is not None]
    return min(able, key=lambda c: c.n or 0, default=None)


def _ways(
    name: str,
    entry: registry.Entry,
    concept_class: ConceptClass,
    budget: Budget,
    *,
    adapt: bool,
) -> Iterator[Candidate]:
    """Yield a learner as it is, or the two ways in which it can protect users."""
    m = budget.samples_per_user
    if entry.unit == "users":
        if m is None:
            return
        yield _sized(name, entry, concept_class, budget, {"samples_per_user": m})
        return
    if m is None:
        yield _sized(name, entry, concept_class, budget, {})
        return
    if not adapt:
        return
    yield _as_users(_sized(name, entry, concept_class, budget, {}), budget, ONE_RECORD)
    if m > 1:
        own = shared(budget)
        yield _as_users(_sized(name, entry, concept_class, own, {}), budget, ALL_RECORDS)


def _proper(
    name: str,
    entry: registry.Entry,
    concept_class: ConceptClass,
    budget: Budget,
    improper: Candidate,
) -> list[Candidate]:
    """Return the learner with proper output, if it can give that and it costs more."""
    if improper.n is None or budget.samples_per_user is not None:
        return []
    found = _sized(name, entry, concept_class, budget, {"proper": True})
    return [found] if found.n is not None and found.n > improper.n else []


def _near(found: Sequence[Candidate]) -> bool:
    """Return whether the last learner needs at most ten times the fewest records."""
    best, last = fewest(found), found[-1] if found else None
    if best is None or last is None or best.n is None or last.n is None:
        return False
    return last.n <= 10 * best.n


def _hopeless(inner: str, found: Sequence[Candidate], budget: Budget) -> bool:
    """Return whether the agnostic form of a learner can hardly need the fewest records."""
    mine = fewest([c for c in found if c.learner == inner])
    rival = fewest([c for c in found if c.agnostic])
    if mine is None or rival is None or mine.n is None or rival.n is None:
        return False
    thinned = rate_for(budget.epsilon, max(budget.epsilon - 2, Fraction(7, 10)), 4)
    return mine.n * _FORM >= rival.n * thinned


def _dominated(found: Sequence[Candidate]) -> UnsupportedError:
    rival = fewest([c for c in found if c.agnostic])
    name = rival.learner if rival is not None else ""
    return UnsupportedError(f"It needs more than {name!r}, so its own number was not computed.")


def _sized(
    name: str,
    entry: registry.Entry,
    concept_class: ConceptClass,
    budget: Budget,
    options: Json,
) -> Candidate:
    """Make a learner and ask what it needs. A pure one uses no delta: it promises more."""
    delta = None if entry.pure else budget.delta
    shown = {k: v for k, v in options.items() if k != "samples_per_user"}
    blank = Candidate(name, entry.agnostic, shown, unit=entry.unit)
    try:
        algorithm = registry.make(
            name,
            concept_class,
            epsilon=budget.epsilon,
            delta=delta,
            alpha=budget.alpha,
            beta=budget.beta,
            **options,
        )
        n = algorithm.required_samples()
    except LittlestoneError as problem:
        lacking = delta is None and not entry.pure
        return _with(blank, problem=problem, needs_delta=lacking)
    return _with(blank, algorithm=algorithm, n=n, guarantee=algorithm.guarantee())


def _as_users(candidate: Candidate, budget: Budget, reads: str) -> Candidate:
    """Return what protects users with the budget, made of a learner that protects records."""
    if candidate.n is None or candidate.guarantee is None:
        return _with(candidate, unit="users", reads=reads)
    m = budget.samples_per_user or 1
    together = reads == ALL_RECORDS
    guarantee = Guarantee(
        budget.epsilon,
        candidate.guarantee.delta
        if not together
        else (budget.delta or Fraction(0))
        if candidate.guarantee.delta
        else Fraction(0),
        Neighbours.USER_REPLACE,
        claim=f"dp.group({candidate.guarantee.claim})" if together else candidate.guarantee.claim,
    )
    n = ceil(Fraction(candidate.n, m)) if together else candidate.n
    return _with(candidate, unit="users", reads=reads, n=n, guarantee=guarantee)


def shared(budget: Budget) -> Budget:
    """Return the budget of one record, when the m records of a user must stay within it.

    (e, d)-DP for records is (m e, d (e**(m e) - 1)/(e**e - 1))-DP for m of them.
    """
    m = budget.samples_per_user or 1
    epsilon, delta = budget.epsilon / m, budget.delta
    if delta is not None:
        with ctx.workprec(128):
            delta = lower(ball(delta) * ball(epsilon).expm1() / ball(budget.epsilon).expm1())
        scale = 1 << (60 + delta.denominator.bit_length() - delta.numerator.bit_length())
        delta = Fraction(floor(delta * scale), scale)
    return Budget(epsilon, delta, budget.alpha, budget.beta)


def _with(candidate: Candidate, **changes: Any) -> Candidate:
    return Candidate(**{**vars(candidate), **changes})
