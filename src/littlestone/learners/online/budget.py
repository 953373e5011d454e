"""What a stream may spend and must achieve, and its plan: public numbers, exact.

`StreamGoal` is to a stream what `littlestone.learners.base.Goal` is to a release: it has a horizon
in the place of alpha, since the learner makes as few mistakes as it can.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Literal

from littlestone.learners.online.samplers import ClosureSampler, ExponentialSampler
from littlestone.privacy import Approximate, BoundedRange, Concentrated, Loss, Pure, compose

if TYPE_CHECKING:
    from littlestone.bounds import Unit
    from littlestone.classes import ConceptClass
    from littlestone.learners.online.samplers import HypothesisSampler


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
