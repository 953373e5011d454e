"""All numbers of an online learner, from public parameters: what is drawn when, and what it costs.

`plan_online` chooses among three ways of turning mistakes into hypotheses (`samplers`) by what
`bound` proves about them, and refuses before the first record what cannot work. The mathematics is
docs/learners/online.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from littlestone.bounds.tails import at_most
from littlestone.classes import ConceptClass, Thresholds, check_class
from littlestone.errors import (
    InfeasibleError,
    ParameterError,
    UnsupportedError,
    check_fraction,
    check_integer,
    check_probability,
    exact_value,
    parameter_error,
)
from littlestone.learners.online.samplers import (
    ClosureSampler,
    ExponentialSampler,
    Stage,
    TeacherEnsemble,
    growth,
    vote_events,
)
from littlestone.mechanisms import bottom_score
from littlestone.privacy import Approximate, BoundedRange, Concentrated, Loss, Pure, compose

if TYPE_CHECKING:
    from littlestone.learners.online.samplers import HypothesisSampler

__all__ = [
    "BOTTOMS", "EXPOSED", "SHARE", "SURE",
    "Adversary", "Constants", "OnlinePlan", "Phase", "StreamGoal",
    "concentration", "error_levels", "plan_online",
]  # fmt: skip

_OWNER = "OnlineLearner"
Adversary = Literal["oblivious", "adaptive"]
Constants = Literal["practical", "theory"]


@dataclass(frozen=True)
class StreamGoal:
    """What is asked for: the budget of the whole stream, its length, what may fail.

    Attributes
    ----------
    epsilon, delta : Fraction
        Of everything that is ever published.
    horizon : int
        For how many records utility is planned; privacy holds beyond.
    beta : Fraction
        Failure probability of the mistake bound.
    records_per_user : int or None
        With a number k, users are protected, each with at most k records: see `per_record`.
    """

    epsilon: Fraction
    delta: Fraction
    horizon: int
    beta: Fraction
    records_per_user: int | None = None

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
    """Updates that are made in one way.

    Attributes
    ----------
    batches : int
        How many of them, at most; then the next phase begins.
    draws : int
        Hypotheses drawn for one update.
    limit : int >= 1
        Number of mistakes, about, at which the above-threshold test fires.
    draw_epsilon : Fraction
        Privacy loss of one drawn hypothesis.
    """

    batches: int
    draws: int
    limit: int
    draw_epsilon: Fraction

    @property
    def rate(self) -> Fraction:
        """A hypothesis is drawn with weight e**(rate * score)."""
        return self.draw_epsilon / 2


@dataclass(frozen=True)
class OnlinePlan:
    """The public numbers of an `OnlineAlgorithm`.

    Attributes
    ----------
    goal : StreamGoal
    test_epsilon : Fraction
        Of all above-threshold tests together.
    phases : tuple of Phase
        One after the other; the last one is the one that the mistake bound is about.
    share : Fraction
        A vote is trusted where at least 1 - share of the weight is right.
    adversary : {"oblivious", "adaptive"}
        Against whom the mistake bound holds.
    method : {"exponential", "closure", "teachers"}
        Which of the `samplers` draws.
    leak : Fraction
        Delta of one drawn hypothesis.
    bottoms : int
        With more draws of bottom than that, the sampler passes to its next stage.
    n_teachers, stages, dimension, cap, most
        See `TeacherEnsemble`.
    """

    goal: StreamGoal
    test_epsilon: Fraction
    phases: tuple[Phase, ...]
    share: Fraction = Fraction(1, 3)
    adversary: Adversary = "oblivious"
    method: Literal["exponential", "closure", "teachers"] = "exponential"
    leak: Fraction = Fraction(0)
    bottoms: int = 0
    n_teachers: int | None = None
    stages: tuple[Stage, ...] = ()
    dimension: int = 0
    cap: int = 0
    most: int = 0

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
        if self.method == "exponential":
            return ExponentialSampler(concept_class, rate)
        if self.method == "closure":
            return ClosureSampler(concept_class, rate, self.leak)
        assert self.n_teachers is not None
        return TeacherEnsemble(
            concept_class, self.n_teachers, self.stages, self.dimension, self.cap, self.most,
            rate, self.leak,
        )  # fmt: skip


def plan_online(
    concept_class: ConceptClass,
    *,
    epsilon: Any,
    delta: Any,
    horizon: int,
    beta: Any = Fraction(1, 20),
    constants: Constants = "practical",
    adversary: Adversary | None = None,
    teachers: int | None = None,
    records_per_user: int | None = None,
) -> OnlinePlan:
    """Return the numbers of an online learner, or say why none works.

    Parameters
    ----------
    concept_class : ConceptClass
    epsilon : number > 0
    delta : number in [0, 1)
        For the whole stream; 0 (pure) is possible for finite classes.
    horizon : int >= 1
        Expected number of records (public). Privacy does not depend on it.
    beta : number in (0, 1), default 1/20
    constants : {"practical", "theory"}
        "theory": the least proved number of mistakes. "practical": fewer mistakes on ordinary
        streams; the proved number is somewhat larger.
    adversary : {"oblivious", "adaptive"}, optional
        Whether records may be chosen by a reader of what is published. By default "adaptive"
        wherever it is proved: for everything but teachers.
    teachers : int >= 1, optional
        Use this many teachers (paper 003): for classes that nothing else can learn.
    records_per_user : int >= 1, optional
        Protect users, each with at most this many records.

    Returns
    -------
    OnlinePlan

    Raises
    ------
    ParameterError, UnsupportedError, InfeasibleError

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
    leak = exact_value(delta)
    if leak is None or not 0 <= leak < 1:
        raise parameter_error(_OWNER, "delta", "a float in [0, 1)", delta)
    horizon = check_integer(_OWNER, "horizon", horizon, low=1)
    if records_per_user is not None:
        check_integer(_OWNER, "records_per_user", records_per_user, low=1)
    beta = check_probability(_OWNER, "beta", beta)
    goal = StreamGoal(exact, leak, horizon, beta, records_per_user)
    if constants not in ("practical", "theory"):
        raise parameter_error(_OWNER, "constants", '"practical" or "theory"', constants)
    if adversary not in (None, "oblivious", "adaptive"):
        raise parameter_error(_OWNER, "adversary", '"oblivious" or "adaptive"', adversary)
    if teachers is not None:
        check_integer(_OWNER, "teachers", teachers, low=1)
        if adversary == "adaptive":
            raise ParameterError(
                "adversary='adaptive' is refused with teachers: public coins deal the time steps "
                "to them, so a reader could choose whom each record goes to. Leave out teachers."
            )
        return _with_teachers(concept_class, goal, constants, teachers)
    return _best(concept_class, goal, constants, adversary or "adaptive")


@lru_cache(maxsize=256)
def _best(
    concept_class: ConceptClass, goal: StreamGoal, constants: Constants, adversary: Adversary
) -> OnlinePlan:
    """Return the plan of the fewest proved mistakes among the samplers that can run."""
    found = [*_closure_plans(concept_class, goal)]
    why = ""
    if concept_class.size < math.inf:
        try:
            runs = scorable(concept_class)
        except UnsupportedError as reason:
            runs, why = False, f" {reason}"
        if runs:
            found.append(_exponential_plan(concept_class, goal, constants, adversary))
    if found:
        return replace(min(found, key=_proved), adversary=adversary)
    if growth(concept_class) is not None and not goal.delta:
        raise parameter_error(
            _OWNER, "delta", f"positive for {concept_class.spec}", 0,
            "Drawing among hypotheses that nobody listed beforehand is impossible with delta = 0.",
        )  # fmt: skip
    raise UnsupportedError(
        f"No online learner with a bound on its mistakes runs on {concept_class.spec}: its "
        f"concepts can be neither scored nor grown from points.{why} Teachers (teachers=1000, for "
        "example) try, without a bound."
    )


@lru_cache(maxsize=256)
def scorable(concept_class: ConceptClass) -> bool:
    """Return True if all concepts can be scored.

    Raises
    ------
    UnsupportedError
        They cannot; the message says why.
    """
    from littlestone.learners.online.state import sample_of  # noqa: PLC0415 - it needs samples only

    concept_class.candidates(sample_of([], concept_class))
    return True


def _proved(plan: OnlinePlan) -> float:
    """Return about how many mistakes are proved for a plan: enough to choose by."""
    late = _log_over(4 * (plan.batches + 1) / plan.goal.beta, plan.test_epsilon)
    total = sum(phase.batches * (phase.limit + late) for phase in plan.phases)
    return total if plan.method == "closure" else total + 2 * (plan.phases[-1].limit + late)


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

    Parameters
    ----------
    goal : StreamGoal
    test : Fraction
        Epsilon of all above-threshold tests.
    leak : Fraction
        Delta of one draw.
    shares : tuple of (Fraction, int)
        How large a part of the budget each phase has, and its number of draws.
    grid : bool
        Whether to compose dominating pairs: slow.
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


def _log_over(x: Fraction | int, epsilon: Fraction) -> int:
    """Return ln(x) / epsilon, rounded up, for an epsilon of any size."""
    return math.ceil(Fraction(math.log(x)) / epsilon)


def _early(goal: StreamGoal, test: Fraction) -> int:
    """Return by how many mistakes some test may fire early: never by more, but for beta / 4."""
    half = 1 + math.exp(-float(min(test, Fraction(700))))
    return max(_log_over(4 * goal.horizon / goal.beta / Fraction(half), test), 1)


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
    limit = math.ceil(2 * chosen.ratio / one) - 1 + _early(goal, test)
    phases = [Phase(batches, chosen.draws, limit, one)]
    if quick:
        limit = math.ceil(2 * _QUICK_RATIO / fast[0]) + _log_over(goal.horizon, test)
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
        events = float(vote_events(concept_class, share))
        if adversary == "oblivious":
            events = min(events, goal.horizon)
        draws: dict[int, int] = {}
        for ratio in _RATIOS:
            updates = max(int(ln_size / -math.log1p(float(share) * math.expm1(-float(ratio)))), 0)
            if updates not in draws:
                draws[updates] = _odd_draws(float(share), beta / 2 / (events * (updates + 2)))
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


@lru_cache(maxsize=4096)
def _odd_draws(share: float, failure: float) -> int:
    """Return the least odd number of draws of which the majority errs at most so often."""
    low, high = 0, 1  # numbers of pairs beside one draw: the first may be enough
    while _errs(high, share) > failure:
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _errs(middle, share) <= failure else (middle + 1, high)
    return 2 * low + 1


def _errs(pairs: int, share: float) -> float:
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
        early = _early(goal, test)
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
    return 1 + _log_over((1 - beta) / (beta * leak) * Fraction(2**40 + 1, 2**40), rate)


# -- teachers ---------------------------------------------------------------------------------

#: The vote is trusted where at most this share of the weight is wrong.
SHARE = Fraction(1, 3)
#: A hypothesis that errs on so large a part of an epoch's mistakes must leave all lists.
EXPOSED = Fraction(1, 6)
#: With a larger part of bottoms the sampler passes on.
BOTTOMS = Fraction(1, 24)
#: Bottom is at most so likely while all teachers agree on something.
SURE = Fraction(1, 1000)

_MOST = 16  # practical: teachers rarely have more to say when they agree
_HEARD = 19  # refused: teachers of one mind against whom bottom has more than one chance in 20


def _with_teachers(
    concept_class: ConceptClass, goal: StreamGoal, constants: Constants, teachers: int
) -> OnlinePlan:
    if not goal.delta:
        raise parameter_error(
            _OWNER, "delta", "positive for teachers", 0,
            "Drawing among hypotheses that nobody listed beforehand is impossible with delta = 0.",
        )  # fmt: skip
    if constants == "theory":
        plan = theory_teachers(concept_class, goal)
        if plan.n_teachers == teachers:
            return plan
        raise parameter_error(
            _OWNER, "teachers", f"{plan.n_teachers} with constants='theory'", teachers,
            "The theorem's other numbers are computed for that many.",
        )  # fmt: skip
    plan = practical_teachers(concept_class, goal, teachers)
    (phase,) = plan.phases
    score = Fraction(bottom_score(k=plan.most, epsilon=phase.draw_epsilon, delta=plan.leak))
    least = math.ceil(score + _log_over(_HEARD, phase.rate))
    if teachers < least:
        raise parameter_error(
            _OWNER, "teachers", f"at least {least} for this budget", teachers,
            "Even teachers of one mind would hardly ever outweigh bottom, and nothing would be "
            f"published: teachers={math.ceil(least * 5 / 4)} works. Without 'teachers' the learner "
            "chooses by itself.",
        )  # fmt: skip
    return plan


def practical_teachers(
    concept_class: ConceptClass, goal: StreamGoal, n_teachers: int
) -> OnlinePlan:
    """Return rules of thumb: one stage, no tolerance; nothing is proved about the mistakes."""
    space = concept_class.version_space()
    dimension, cap = space.littlestone_dim(), 64
    finite = concept_class.size < math.inf
    more = math.ceil(concept_class.ln_size / math.log(2)) if finite else 0
    batches, draws = min(2 * (dimension + 1) + more, 4 * (dimension + 1)), 3
    epsilon, delta = goal.per_record
    test, leak = epsilon / 8, delta / (2 * batches * draws)
    (one,) = draw_epsilons(goal, test, leak, ((Fraction(1), batches * draws),))
    # lists of thresholds are long, and counted as runs; others are short where teachers agree
    runs = isinstance(concept_class, Thresholds)
    most = int(concept_class.size if runs else min(concept_class.size, _MOST))
    limit = 4 * n_teachers + _log_over(goal.horizon, test)
    return OnlinePlan(
        goal, test, (Phase(batches, draws, limit, one),), SHARE, "oblivious", "teachers", leak, 1,
        n_teachers, (Stage(None, cap, Fraction(0)),), dimension, cap, most,
    )  # fmt: skip


def error_levels(top: int) -> tuple[Fraction, ...]:
    """Return levels from `EXPOSED` down to 0: between two tolerances lies a level to compare.

    Examples
    --------
    >>> [str(level) for level in error_levels(1)]
    ['1/6', '1/9', '1/18', '0']
    """
    steps = 2 * top + 1
    return tuple(EXPOSED * (steps - i) / steps for i in range(steps + 1))


def concentration(top: int) -> float:
    """Return the least 1 - e**(-KL) between neighbouring levels: how fast a teacher tells them.

    Examples
    --------
    >>> round(concentration(0), 4), round(concentration(1), 4)
    (0.1667, 0.0122)
    """
    levels = [float(level) for level in error_levels(top)]
    # a teacher sees the lower level where the higher is true at even steps, the converse at odd
    pairs = [
        (levels[i + 1], levels[i]) if i % 2 == 0 else (levels[i], levels[i + 1])
        for i in range(len(levels) - 1)
    ]
    return min(-math.expm1(-_kl(seen, true)) for seen, true in pairs)


def _kl(a: float, b: float) -> float:
    """Return the Kullback-Leibler divergence of two coins, in nats."""
    first = a * math.log(a / b) if a else 0.0
    return first + (1 - a) * math.log((1 - a) / (1 - b))


@dataclass(frozen=True)
class _Guess:
    """What depends on itself: found by iteration, from small to large."""

    batches: int = 1
    n_teachers: int = 1
    cap: int = 1


@lru_cache(maxsize=64)
def theory_teachers(concept_class: ConceptClass, goal: StreamGoal) -> OnlinePlan:
    """Return numbers for which `bound` proves how many mistakes are made (paper 003).

    Raises
    ------
    InfeasibleError
        If the numbers grow beyond all measure (the dimension is too large).
    """
    guess = _Guess()
    for _ in range(200):
        plan, found = _improved(guess, concept_class, goal)
        if found == guess:
            return plan
        guess = found
    raise InfeasibleError(
        "No numbers of teachers and mistakes satisfy the theorem for this class. Use "
        "constants='practical', which has the same guarantee of privacy.",
        n_needed=goal.horizon,
    )


def _improved(
    guess: _Guess, concept_class: ConceptClass, goal: StreamGoal
) -> tuple[OnlinePlan, _Guess]:
    """Return a plan that fits a guess, and the guess that the plan asks for."""
    space = concept_class.version_space()
    d = space.littlestone_dim()
    cap = max(guess.cap, d + 1)
    top = space.decomposition_dim(cap, d)
    epsilon, delta = goal.per_record
    test = epsilon / 8
    draws = math.ceil(
        math.log(4 * (goal.horizon + 2) * (guess.batches + 1) / goal.beta)
        / min(_kl(float((1 - BOTTOMS) / 2), float(SHARE)), _kl(float(BOTTOMS), float(SURE)))
    )
    leak = delta / (2 * guess.batches * draws)
    (one,) = draw_epsilons(goal, test, leak, ((Fraction(1), guess.batches * draws),))
    # a valid decomposition has at most so many leaves (003, Lemma 4.1), so many are essential
    most = (cap << top) ** d * 2 ** (d * d)
    score = Fraction(bottom_score(k=most, epsilon=one, delta=leak))
    n_teachers = _up(math.ceil(score + 2 * Fraction(math.log(1 / SURE)) / one), guess.n_teachers)
    # ln of all weight at the start of a stage over bottom's, in steps of 5/4
    weight = math.log(n_teachers * most) + float(one / 2 * (n_teachers - score))
    passes = 2 + math.floor(weight / math.log(1.25))
    batches = _up((top + 1) * passes + top, guess.batches)
    least = guess.n_teachers
    for _ in range(20):  # mistakes of an epoch appear in the logarithm of what they must be
        events = 2 * n_teachers * batches * (2 * top + 2) * (2 * least + 1) ** d
        needed = math.ceil(n_teachers * math.log(4 * events / goal.beta) / concentration(top))
        if needed <= least:
            break
        least = needed
    limit = least - 1 + _early(goal, test)
    longest = limit - 1 + _log_over(4 * (batches + 1) / goal.beta, test)
    ask = _Guess(batches, n_teachers, _up(math.ceil(2 * longest / n_teachers), guess.cap))
    levels = error_levels(top)
    stages = tuple(Stage(top - j, cap << j, levels[2 * j + 1]) for j in range(top + 1))
    plan = OnlinePlan(
        goal, test, (Phase(guess.batches, draws, limit, one),), SHARE, "oblivious", "teachers",
        leak, math.floor(BOTTOMS * draws), n_teachers, stages, d, cap, most,
    )  # fmt: skip
    return plan, ask


def _up(needed: int, known: int) -> int:
    """Return what is known if it suffices, else what is needed and an eighth more."""
    return known if needed <= known else needed + needed // 8
