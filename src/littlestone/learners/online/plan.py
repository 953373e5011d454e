"""Plans of online learners: `plan_online` chooses among the `samplers`, by what is proved of them.

What cannot work is refused before the first record. The mathematics is docs/learners/online.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from littlestone.bounds.search import least_n, log_of
from littlestone.bounds.tails import at_most
from littlestone.classes import ConceptClass, check_class
from littlestone.errors import (
    LittlestoneError,
    ParameterError,
    UnsupportedError,
    check_fraction,
    check_integer,
    check_probability,
    exact_value,
    parameter_error,
)
from littlestone.learners.online.budget import (
    Adversary,
    Constants,
    OnlinePlan,
    Phase,
    StreamGoal,
    draw_epsilons,
    early_by,
    log_over,
)
from littlestone.learners.online.samplers import growth, vote_events
from littlestone.learners.release import LEARNING, parts_of, proposal_of
from littlestone.privacy import Guarantee, Part

_OWNER = "OnlineLearner"


def plan_online(
    concept_class: ConceptClass,
    *,
    epsilon: Any,
    delta: Any,
    horizon: int,
    beta: Any = Fraction(1, 20),
    constants: Constants = "practical",
    adversary: Adversary | None = None,
    records_per_user: int | None = None,
    agnostic: bool = False,
) -> OnlinePlan:
    """Return the numbers of an online learner, or say why none works.

    Examples
    --------
    >>> from littlestone.classes import AffineSubspaces, Points, Thresholds
    >>> budget = {"epsilon": 1, "delta": 1e-6, "horizon": 10**5}
    >>> [plan_online(c, **budget).method for c in (Thresholds(1, 2**32), Points())]
    ['exponential', 'closure']
    >>> plan_online(AffineSubspaces(7, 20, 2), **budget).batches
    3
    """
    check_class(_OWNER, concept_class)
    exact = check_fraction(_OWNER, "epsilon", epsilon)
    leak = exact_value(0 if delta is None else delta)
    if leak is None or not 0 <= leak < 1:
        raise parameter_error(_OWNER, "delta", "a float in [0, 1)", delta)
    horizon = check_integer(_OWNER, "horizon", horizon, low=1)
    if records_per_user is not None:
        check_integer(_OWNER, "records_per_user", records_per_user, low=1)
    beta = check_probability(_OWNER, "beta", beta)
    goal = StreamGoal(exact, leak, horizon, beta, records_per_user)
    own = Guarantee(goal.epsilon, goal.delta, goal.neighbours)
    parts_of(
        (Part(LEARNING, own),), proposal_of(concept_class)
    )  # refuses users over learned columns
    if constants not in ("practical", "theory"):
        raise parameter_error(_OWNER, "constants", '"practical" or "theory"', constants)
    if adversary not in (None, "oblivious", "adaptive"):
        raise parameter_error(_OWNER, "adversary", '"oblivious" or "adaptive"', adversary)
    if agnostic:
        if adversary is not None:
            raise ParameterError(
                f"The 'adversary' parameter of {_OWNER} must be left out of agnostic streams: "
                "their bound is for records that are fixed batch by batch."
            )
        return plan_hedge(concept_class, goal)
    return _best(concept_class, goal, constants, adversary or "adaptive")


def plan_hedge(concept_class: ConceptClass, goal: StreamGoal) -> OnlinePlan:
    """Return the size of the batches, and the rate, that are proved to be best.

    Examples
    --------
    >>> from littlestone.classes import FiniteClass
    >>> goal = StreamGoal(Fraction(1), Fraction(0), 10**6, Fraction(1, 20))
    >>> plan = plan_hedge(FiniteClass([[0, 1], [1, 0]]), goal)
    >>> plan.phases[0].limit, plan.batches
    (222, 4504)
    """
    if not isinstance(concept_class.size, int):
        raise UnsupportedError(
            f"Agnostic streams need a finite class; {concept_class.spec} is infinite. Give it a "
            "public domain."
        )
    _scorable(concept_class)
    horizon, log_size = goal.horizon, math.log(concept_class.size)
    epsilon, delta = (float(x) for x in goal.per_record)
    log = math.log(1 / delta) if delta else math.inf

    def proved(batch: int) -> float:
        draws = math.ceil(horizon / batch) - 1
        rate = best = math.sqrt(8 * log_size / (batch * horizon))
        if draws:
            root = math.sqrt(log + epsilon) - math.sqrt(log) if delta else 0.0
            rate = min(best, max(epsilon / (2 * draws), root * math.sqrt(2 / draws)))
        return log_size / rate + rate * batch * horizon / 8 if rate else 0.0

    sizes = sorted({math.floor(1.01**i) for i in range(math.ceil(math.log(horizon, 1.01)) + 1)})
    batch = min((*sizes, horizon), key=proved)
    draws = math.ceil(horizon / batch) - 1
    (one,) = draw_epsilons(goal, Fraction(0), Fraction(0), ((Fraction(1), draws),))
    best = 2 * Fraction(math.sqrt(8 * log_size / (batch * horizon))).limit_denominator(2**40)
    phase = Phase(draws, 1, batch, min(one, best) if log_size else one)
    return OnlinePlan(goal, Fraction(0), (phase,), adversary="adaptive", method="batches")


@lru_cache(maxsize=256)
def _best(
    concept_class: ConceptClass, goal: StreamGoal, constants: Constants, adversary: Adversary
) -> OnlinePlan:
    """Return the plan of the fewest proved mistakes among the samplers that can run."""
    found = [*_closure_plans(concept_class, goal)]
    why = ""
    if concept_class.size < math.inf:
        try:
            runs = _scorable(concept_class)
        except UnsupportedError as reason:
            runs, why = False, f" {reason}"
        if runs:
            found.append(_exponential_plan(concept_class, goal, constants, adversary))
    if found:
        return replace(min(found, key=_proved), adversary=adversary)
    if growth(concept_class) is not None and not goal.delta:
        raise parameter_error(
            _OWNER, "delta", f"positive for {concept_class.spec}", 0,
            "With delta = 0, hypotheses can be drawn only from a list that is fixed in advance.",
        )  # fmt: skip
    raise UnsupportedError(
        f"No online learner with a bound on its mistakes runs on {concept_class.spec}: its "
        "concepts can be neither listed nor built up from "
        f"points.{why}{_as_printed(concept_class, goal)}"
    )


def _as_printed(concept_class: ConceptClass, goal: StreamGoal) -> str:
    """Point to the learner of paper 003, where it runs."""
    if not goal.delta or growth(concept_class) is not None:  # it would need too many teachers
        return ""
    try:
        concept_class.version_space().littlestone_dim()
    except LittlestoneError:
        return ""
    return " Without a bound: littlestone stream --learner lyu.algorithm3."


@lru_cache(maxsize=256)
def _scorable(concept_class: ConceptClass) -> bool:
    """Return True if all concepts can be scored."""
    from littlestone.learners.online.state import sample_of  # noqa: PLC0415 - it needs samples only

    concept_class.candidates(sample_of([], concept_class))
    return True


def _proved(plan: OnlinePlan) -> float:
    """Return about how many mistakes are proved for a plan: enough to choose by."""
    late = log_over(4 * (plan.batches + 1) / plan.goal.beta, plan.test_epsilon)
    total = sum(phase.batches * (phase.limit + late) for phase in plan.phases)
    return total if plan.method == "closure" else total + 2 * (plan.phases[-1].limit + late)


# -- classes whose candidates can be scored ---------------------------------------------------

_SHARES = tuple(Fraction(i, 40) for i in range(8, 18))
_RATIOS = tuple(Fraction(i, 10) for i in (3, 4, 5, 6, 8, 10, 12, 14, 17, 22, 30))
_PARTS = (*(Fraction(1, i) for i in (16, 10, 8, 6, 5, 4, 3, 2)), Fraction(2, 5), Fraction(3, 5))
#: practical: what the quick phase may cost, how many draws it votes by, the weight ratio of its
#: epochs, its updates for each halving of the class; and how much more may be proved
_QUICK, _QUICK_DRAWS, _QUICK_RATIO, _QUICK_UPDATES = Fraction(1, 4), 3, 2, 0.6
_WORSE = 1.2


@dataclass(frozen=True)
class _Votes:
    """One point of the search, with an estimate (in floats) of what it proves."""

    share: Fraction
    ratio: Fraction
    part: Fraction
    updates: int
    draws: int
    limit: float
    mistakes: float


def _exponential_plan(
    concept_class: ConceptClass, goal: StreamGoal, constants: Constants, adversary: Adversary
) -> OnlinePlan:
    """Return the share, weight ratio and part of the tests with which little enough is proved.

    "theory" proves the fewest mistakes. "practical" takes the shortest epochs that prove at most a
    fifth more, behind a quick phase of few draws and short epochs: nothing is proved about that,
    but what it costs; the budget of the other phase is reserved.
    """
    quick = constants == "practical" and concept_class.size > 1
    cost = _QUICK if quick else Fraction(0)
    found = list(_votes(concept_class, goal, adversary, float(1 - cost)))
    best = min(plan.mistakes for plan in found)
    most = _WORSE * best if quick else best
    chosen = min((p for p in found if p.mistakes <= most), key=lambda p: (p.limit, p.mistakes))
    test = goal.per_record[0] * chosen.part
    batches = chosen.updates + quick  # the quick phase publishes one vote more than it ends epochs
    shares = [(1 - cost, batches * chosen.draws)]
    if quick:
        first = math.ceil(_QUICK_UPDATES * concept_class.ln_size / math.log(2))
        shares = [(cost, first * _QUICK_DRAWS), *shares]
    *fast, one = draw_epsilons(goal, test, Fraction(0), tuple(shares))
    limit = math.ceil(2 * chosen.ratio / one) - 1 + early_by(goal, test)
    phases = [Phase(batches, chosen.draws, limit, one)]
    if quick:
        limit = math.ceil(2 * _QUICK_RATIO / fast[0]) + log_over(goal.horizon, test)
        phases = [Phase(first, _QUICK_DRAWS, limit, fast[0]), *phases]
    return OnlinePlan(goal, test, tuple(phases), chosen.share, adversary)


def _votes(
    concept_class: ConceptClass, goal: StreamGoal, adversary: Adversary, budget: float
) -> Iterator[_Votes]:
    beta, ln_size = float(goal.beta), concept_class.ln_size
    epsilon, delta = goal.per_record
    size = float(min(max(epsilon, Fraction(1, 10**9)), Fraction(10**6)))
    log = math.log(1 / max(float(delta), 1e-300)) if delta else math.inf
    for share in _SHARES:
        events = vote_events(concept_class, share)
        if adversary == "oblivious":
            events = min(events, Fraction(goal.horizon))
        log_each = math.log(beta / 2) - log_of(events)
        draws: dict[int, int] = {}
        for ratio in _RATIOS:
            updates = max(int(ln_size / -math.log1p(float(share) * math.expm1(-float(ratio)))), 0)
            if updates not in draws:
                draws[updates] = _odd_draws(float(share), log_each - math.log(updates + 2))
            total = max(updates * draws[updates], 1)
            for part in _PARTS:
                e, rest = size * float(part), size * (1 - float(part))
                rho = (math.sqrt(log + rest) - math.sqrt(log)) ** 2 if delta else 0.0
                one = max(budget * rest / total, math.sqrt(8 * rho * budget / total))
                early = math.log(4 * goal.horizon / beta / (1 + math.exp(-e))) / e
                late = math.log(4 * (updates + 2) / beta) / e
                limit = 2 * float(ratio) / one + early
                yield _Votes(
                    share, ratio, part, updates, draws[updates], limit,
                    (updates + 1) * (limit + late),
                )  # fmt: skip


#: Rarer events, by ln of their probability, are counted by a closed form.
_RAREST = -600.0


@lru_cache(maxsize=4096)
def _odd_draws(share: float, log_failure: float) -> int:
    """Return the least odd number of draws of which the majority is wrong at most so often.

    Where that is beyond floats: by the bound (2 sqrt(share (1 - share)))**draws.
    """
    if log_failure < _RAREST:
        return 2 * math.ceil(log_failure / math.log(4 * share * (1 - share))) + 1
    failure = math.exp(log_failure)
    # numbers of pairs beside one draw: the first may be enough
    return 2 * least_n(lambda pairs: _failure(pairs, share) <= failure, low=0) + 1


def _failure(pairs: int, share: float) -> float:
    """Return Pr[Bin(2 pairs + 1, share) > pairs]."""
    n = 2 * pairs + 1
    return at_most(n - pairs - 1, n, 1 - share)


# -- classes whose concepts grow from points ------------------------------------------------------

_MOST_GROWN, _SUMMED = 1024, 8


def _closure_plans(concept_class: ConceptClass, goal: StreamGoal) -> Iterator[OnlinePlan]:
    """Yield the plans of a `ClosureSampler`: one draw for each step of growth."""
    grown = growth(concept_class)
    if grown is None or not goal.delta or len(grown.widths) > _MOST_GROWN:
        return
    steps = max(len(grown.widths), 1)
    found = []
    epsilon, delta = goal.per_record
    # a plain sum leaves all of delta to bottom; many draws are cheaper with half of it
    for part, leaked in product(_PARTS, (1, 2) if steps > _SUMMED else (1,)):
        test, leak = epsilon * part, delta / (leaked * steps)
        (one,) = draw_epsilons(goal, test, leak, ((Fraction(1), len(grown.widths)),), grid=False)
        score = _score_needed(one / 2, leak, goal.beta / (2 * steps))
        early = early_by(goal, test)
        limits = [width * (score - 1) + early for width in grown.widths]
        phases = tuple(Phase(1, 1, limit, one) for limit in limits) or (Phase(0, 1, 1, one),)
        found.append(
            OnlinePlan(goal, test, phases, adversary="adaptive", method="closure", leak=leak)
        )
    yield min(found, key=_proved)


def _score_needed(rate: Fraction, leak: Fraction, beta: Fraction) -> int:
    """Return the least s with rate (s - 1) >= ln((1 - beta) / (beta leak)), and not a float less.

    With such a score something beats bottom, but for beta: see `littlestone.mechanisms`.
    """
    return 1 + log_over((1 - beta) / (beta * leak) * Fraction(2**40 + 1, 2**40), rate)
