"""What a stream may spend and must achieve, and its plan: public numbers, exact.

`StreamGoal` is to a stream what `littlestone.learners.base.Goal` is to a release: it has a horizon
in the place of alpha, since the learner makes as few mistakes as it can.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from littlestone.bounds.certificate import least_n, log_of
from littlestone.bounds.tails import at_most_floats as at_most
from littlestone.classes import ConceptClass, check_class
from littlestone.errors import (
    ParameterError,
    UnsupportedError,
    check_fraction,
    check_integer,
    check_probability,
    exact_value,
    parameter_error,
)
from littlestone.learners.online.state import (
    ClosureSampler,
    ExponentialSampler,
    closure_steps,
    vote_events,
)
from littlestone.learners.release import LEARNING, parts_of, proposal_of
from littlestone.privacy import (
    Approximate,
    BoundedRange,
    Concentrated,
    Guarantee,
    Loss,
    Neighbours,
    Part,
    Pure,
    compose,
)

if TYPE_CHECKING:
    from littlestone.bounds import Unit
    from littlestone.learners.online.state import HypothesisSampler

Adversary = Literal["oblivious", "adaptive"]
Constants = Literal["practical", "theory"]


@dataclass(frozen=True)
class StreamGoal:
    """What is asked for: the budget of the whole stream, its length, what may fail."""

    epsilon: Fraction  # of everything that is ever published
    delta: Fraction
    horizon: int  # for how many records utility is planned; privacy holds beyond
    beta: Fraction  # failure probability of the mistake bound
    #: With a number k, users are protected, each with at most k records: see `per_record`.
    records_per_user: int | None = None

    @property
    def neighbours(self) -> Neighbours:
        """Who is protected: users, where a number of their records is given."""
        replaced = Neighbours.REPLACE_ONE, Neighbours.USER_REPLACE
        return replaced[self.records_per_user is not None]

    @property
    def per_record(self) -> tuple[Fraction, Fraction]:
        """The epsilon and delta of one record that protect a user with k of them.

        Group privacy: k records cost k e and d (e**(k e) - 1) / (e**e - 1) if one costs (e, d).

        Examples
        --------
        >>> goal = StreamGoal(Fraction(1), Fraction(1, 10**6), 1000, Fraction(1, 20), 4)
        >>> e, d = goal.per_record
        >>> e, float(d) < 1e-6 * math.expm1(0.25) / math.expm1(1) < 1.0001 * float(d)
        (Fraction(1, 4), True)
        """
        k = self.records_per_user
        if k in (None, 1):
            return self.epsilon, self.delta
        one = self.epsilon / k
        if not self.delta:
            return one, self.delta
        size, e = float(min(self.epsilon, Fraction(10**6))), float(min(one, Fraction(10**6)))
        # (e**e - 1) / (e**(k e) - 1), rounded down: 2**-40 is more than floats can be off
        ratio = math.exp(e - size) * (-math.expm1(-e)) / (-math.expm1(-size))
        return one, _short(self.delta * Fraction(ratio) * (1 - Fraction(1, 2**40)))


@dataclass(frozen=True)
class Phase:
    """Updates that are made in one way."""

    batches: int  # how many of them, at most; then the next phase begins
    draws: int  # hypotheses drawn for one update
    #: Number of mistakes, about, at which the above-threshold test fires; of records of a batch.
    limit: int
    draw_epsilon: Fraction  # privacy loss of one drawn hypothesis

    @property
    def rate(self) -> Fraction:
        """A hypothesis is drawn with weight e**(rate * score)."""
        return self.draw_epsilon / 2


@dataclass(frozen=True)
class OnlinePlan:
    """The public numbers of an `OnlineAlgorithm`."""

    goal: StreamGoal
    test_epsilon: Fraction  # of all above-threshold tests together
    #: One after the other; the last one is the one that the mistake bound is about.
    phases: tuple[Phase, ...]
    #: A vote is trusted where at least 1 - share of the weight is right.
    share: Fraction = Fraction(1, 3)
    adversary: Adversary = "oblivious"  # against whom the mistake bound holds
    #: Which of the `samplers` draws.
    method: Literal["exponential", "closure", "batches"] = "exponential"
    leak: Fraction = Fraction(0)  # delta of one drawn hypothesis

    unit: ClassVar[Unit] = "records"

    @property
    def batches(self) -> int:
        """Most often that hypotheses are drawn from the records."""
        return sum(phase.batches for phase in self.phases)

    @property
    def digits(self) -> int:
        """The above-threshold test looks ahead 2**digits steps."""
        return (self.goal.horizon - 1).bit_length()

    def phase(self, batches: int) -> Phase:
        """Return the phase of the next update, after a number of updates."""
        for phase in self.phases:
            if batches < phase.batches:
                return phase
            batches -= phase.batches
        return self.phases[-1]

    def losses(self) -> dict[Loss, int]:
        """Return what the mechanisms on the stream promise, as items of `compose`."""
        counts = [(phase.draw_epsilon, phase.batches * phase.draws) for phase in self.phases]
        return _losses(self.test_epsilon, counts, self.leak)

    def sampler(self, concept_class: ConceptClass, batches: int = 0) -> HypothesisSampler:
        """Return the sampler of the next update."""
        rate = self.phase(batches).rate
        if self.method == "closure":
            return ClosureSampler(concept_class, rate, self.leak)
        return ExponentialSampler(concept_class, rate)


# -- the budget -----------------------------------------------------------------------------------

# For so few draws, and an ordinary budget, composing dominating pairs is worth its time.
_FEW, _LARGE, _TINY = 64, 16, Fraction(1, 2**60)
#: (part of the budget, number of draws) of each phase.
Shares = tuple[tuple[Fraction, int], ...]


@lru_cache(maxsize=256)
def draw_epsilons(
    goal: StreamGoal, test: Fraction, leak: Fraction, shares: Shares, *, grid: bool = True
) -> tuple[Fraction, ...]:
    """Return the largest known epsilon of one draw of each phase.

    All tests and draws together then cost what one record may: the best of the plain sum (pure),
    Rényi divergences of bounded range, and for few draws the composition of dominating pairs.
    """
    epsilon, delta = goal.per_record
    draws = sum(n for _, n in shares)
    if draws == 0:
        return tuple(epsilon - test for _ in shares)
    # parts of a sum, and parts of a sum of squares
    linear = [share / n if n else Fraction(1) for share, n in shares]
    square = [Fraction(math.sqrt(share / n)) if n else Fraction(1) for share, n in shares]

    def scaled(weights: Sequence[Fraction], unit: Fraction) -> list[Fraction]:
        return [_short(weight * unit) for weight in weights]

    def costs(one: Sequence[Fraction], *, grid: bool) -> Fraction:
        counts = [(e, n) for e, (_, n) in zip(one, shares, strict=True)]
        if grid:
            return compose(_losses(test, counts, leak), delta=delta)[0]
        rho = sum((e * e * n / 8 for e, n in counts), Fraction(0))
        parts: dict[Loss, int] = {Pure(test): 1, Concentrated(rho): 1}
        return compose({**parts, Approximate(Fraction(0), leak * draws): 1}, delta=delta)[0]

    best = scaled(linear, epsilon - test)
    if not delta or leak * draws >= delta:
        return tuple(best)  # all of delta is in the leaks: a plain sum
    unit = (epsilon - test) / sum(w * n for w, (_, n) in zip(square, shares, strict=True))
    unit = _largest(
        lambda u: costs(scaled(square, u), grid=False) <= epsilon,
        unit,
        factor=Fraction(2),
        steps=14,
    )
    best = max(best, scaled(square, unit), key=lambda one: one[-1])
    if grid and delta > _TINY and draws <= _FEW and epsilon <= _LARGE:
        unit = _largest(
            lambda u: costs(scaled(best, u), grid=True) <= epsilon,
            Fraction(1), factor=Fraction(5, 4), steps=4,
        )  # fmt: skip
        best = scaled(best, unit)
    return tuple(best)


def _losses(
    test: Fraction, counts: Sequence[tuple[Fraction, int]], leak: Fraction
) -> dict[Loss, int]:
    losses: dict[Loss, int] = {Pure(test): 1}
    for one, n in counts:
        losses[BoundedRange(one)] = losses.get(BoundedRange(one), 0) + n
    if leak:
        losses[Approximate(Fraction(0), leak)] = sum(n for _, n in counts)
    return losses


def _largest(
    good: Callable[[Fraction], bool], low: Fraction, *, factor: Fraction, steps: int
) -> Fraction:
    """Return a large number with a property that small numbers have; ``low`` has it."""
    high = low * factor
    for _ in range(200):
        if not good(high):
            break
        low, high = high, high * factor
    for _ in range(steps):
        middle = _short((low + high) / 2)
        low, high = (middle, high) if good(middle) else (low, middle)
    return low


def _short(x: Fraction) -> Fraction:
    """Round down to 40 significant bits: exact arithmetic with short numbers is fast."""
    shift = max(40 + x.denominator.bit_length() - x.numerator.bit_length(), 0)
    return Fraction((x.numerator << shift) // x.denominator, 1 << shift)


def log_over(x: Fraction | int, epsilon: Fraction) -> int:
    """Return ln(x) / epsilon, rounded up, for an epsilon of any size."""
    return math.ceil(Fraction(math.log(x)) / epsilon)


def early_by(goal: StreamGoal, test: Fraction) -> int:
    """Return by how many mistakes some test may fire early: never by more, but for beta / 4."""
    half = 1 + math.exp(-float(min(test, Fraction(700))))
    return max(log_over(4 * goal.horizon / goal.beta / Fraction(half), test), 1)


# Plans of online learners: `plan_online` chooses among the `samplers`, by what is proved of them
#
# What cannot work is refused before the first record. The mathematics is docs/learners/online.md.


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
    if closure_steps(concept_class) is not None and not goal.delta:
        raise parameter_error(
            _OWNER, "delta", f"positive for {concept_class.spec}", 0,
            "With delta = 0, hypotheses can be drawn only from a list that is fixed in advance.",
        )  # fmt: skip
    raise UnsupportedError(
        f"No online learner with a bound on its mistakes runs on {concept_class.spec}: its "
        "concepts can be neither listed nor built up from "
        f"points.{why}"
    )


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
    # a majority of 2 pairs + 1 draws is wrong if at most ``pairs`` of them are right
    return 2 * least_n(lambda k: at_most(k, 2 * k + 1, 1 - share) <= failure, low=0) + 1


# -- classes whose concepts grow from points ------------------------------------------------------

_MOST_GROWN, _SUMMED = 1024, 8


def _closure_plans(concept_class: ConceptClass, goal: StreamGoal) -> Iterator[OnlinePlan]:
    """Yield the plans of a `ClosureSampler`: one draw for each step of the closure."""
    grown = closure_steps(concept_class)
    if grown is None or not goal.delta or len(grown.widths) > _MOST_GROWN:
        return
    steps = len(grown.widths)
    found = []
    epsilon, delta = goal.per_record
    # a plain sum leaves all of delta to bottom; many draws are cheaper with half of it
    for part, leaked in product(_PARTS, (1, 2) if steps > _SUMMED else (1,)):
        test, leak = epsilon * part, delta / (leaked * steps)
        (one,) = draw_epsilons(goal, test, leak, ((Fraction(1), len(grown.widths)),), grid=False)
        # the least s with (one/2)(s - 1) >= ln((1 - b)/(b leak)), and not a float less: with such a
        # score something beats bottom, but for b (`littlestone.mechanisms`)
        b = goal.beta / (2 * steps)
        score = 1 + log_over((1 - b) / (b * leak) * Fraction(2**40 + 1, 2**40), one / 2)
        early = early_by(goal, test)
        limits = [width * (score - 1) + early for width in grown.widths]
        phases = tuple(Phase(1, 1, limit, one) for limit in limits)
        found.append(
            OnlinePlan(goal, test, phases, adversary="adaptive", method="closure", leak=leak)
        )
    yield min(found, key=_proved)
