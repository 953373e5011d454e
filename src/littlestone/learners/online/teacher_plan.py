"""Numbers of teachers: those of the theorem, and rules of thumb (`TeacherEnsemble`)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from littlestone.classes import ConceptClass, Thresholds
from littlestone.errors import InfeasibleError, parameter_error
from littlestone.learners.online.budget import (
    Constants,
    OnlinePlan,
    Phase,
    StreamGoal,
    draw_epsilons,
    early_by,
    log_over,
)
from littlestone.learners.online.samplers import Stage
from littlestone.mechanisms import bottom_score

_OWNER = "OnlineLearner"

#: The vote is trusted where at most this share of the weight is wrong.
SHARE = Fraction(1, 3)
#: A hypothesis that errs on so large a part of an epoch's mistakes must leave all lists.
EXPOSED = Fraction(1, 6)
#: With a larger part of bottoms the sampler passes on.
BOTTOMS = Fraction(1, 24)
#: Bottom is at most so likely while all teachers agree on something.
SURE = Fraction(1, 1000)

_MOST = 16  # practical: teachers rarely have more to say when they agree
_OUTWEIGHED = 19  # refused: teachers of one mind against whom bottom has more than one chance in 20


def plan_teachers(
    concept_class: ConceptClass, goal: StreamGoal, constants: Constants, teachers: int
) -> OnlinePlan:
    """Return the plan of this many teachers, or say how many would work."""
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
    plan = _practical_teachers(concept_class, goal, teachers)
    least = _least_teachers(plan)
    if teachers < least:
        raise parameter_error(
            _OWNER, "teachers", f"at least {least} for this budget", teachers,
            "Even teachers of one mind would hardly ever outweigh bottom, and nothing would be "
            f"published: teachers={_enough(least)} works. Without 'teachers' the learner "
            "chooses by itself.",
        )  # fmt: skip
    return plan


def enough_teachers(concept_class: ConceptClass, goal: StreamGoal) -> int:
    """Return a number of teachers that `plan_teachers` accepts, with practical constants."""
    return _enough(_least_teachers(_practical_teachers(concept_class, goal, 1)))


def _enough(least: int) -> int:
    return math.ceil(least * 5 / 4)


def _least_teachers(plan: OnlinePlan) -> int:
    """Return how many unanimous teachers outweigh bottom."""
    (phase,) = plan.phases
    score = Fraction(bottom_score(k=plan.most, epsilon=phase.draw_epsilon, delta=plan.leak))
    return math.ceil(score + log_over(_OUTWEIGHED, phase.rate))


def _practical_teachers(
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
    limit = 4 * n_teachers + log_over(goal.horizon, test)
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
    """Return numbers for which `bound` proves how many mistakes are made (paper 003)."""
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
    # as many as a valid decomposition has leaves at most (003, Lemma 4.1)
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
    limit = least - 1 + early_by(goal, test)
    longest = limit - 1 + log_over(4 * (batches + 1) / goal.beta, test)
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
