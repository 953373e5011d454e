"""The alarm: when did enough mistakes happen? Pure privacy, and silence costs no coins.

At each time step the alarm rings with probability ``e**(-epsilon * gap)``, or surely if
``gap <= 0``, where ``gap = limit + patience - count``; *count* is the number of mistakes since the
last alarm, *patience* is a secret number drawn once for each alarm, r with probability
``(1 - e**-epsilon) e**(-epsilon * r)``.

Proof that when it rings is epsilon-DP, if two streams differ in one record and all that was
published before is the same. Only the alarm that waits while the record comes sees two different
counts, and from that time on until it rings they differ by one constant, 0 or 1 (say the second is
larger). Let f(r), f'(r) be the probabilities of one course of silence and ringing, given patience
r. (i) f' <= e**epsilon f: in the second stream every gap is as large, or smaller by one; so silence
is at most as likely at each step, and the last step, where it rings, is at most e**epsilon times as
likely. (ii) f(r) <= f'(r + 1): with more patience the second stream has the same gaps after the
record, and gaps larger by one before it, where silence is then at least as likely (and if it rings
before the record, both streams see the same). The probability of patience r is e**epsilon times
that of r + 1. Averaging over r, each of the two probabilities is at most e**epsilon times the
other. Hence any number of alarms, one after the other, is epsilon-DP *in total*: the count starts
anew at each, so the other alarms see the same counts. (The sparse vector technique with two-sided
noise needs twice that for one alarm, and noise of scale 2/epsilon at both places.)

Between two changes of the gap the number of silent steps is geometric, so it is drawn at once: its
binary digits are independent coins. The law is that of one coin for each step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from littlestone.source import ExplicitWeights, Source, ball, exp

__all__ = ["Digit", "NoEventCoin", "draw_patience", "draw_silence"]


@dataclass(frozen=True)
class NoEventCoin:
    """The coin "no alarm within so many steps" (outcome 0), at a gap >= 1."""

    epsilon: Fraction
    gap: int
    steps: int

    def __len__(self) -> int:
        return 2

    def enclose(self, bits: int) -> Sequence[arb]:
        """Enclose q**steps and 1 - q**steps, where q = 1 - e**(-epsilon * gap)."""
        with ctx.workprec(bits + 16):
            exponent = self.steps * log_silence(self.epsilon, self.gap)
            return [exponent.exp(), -exponent.expm1()]


@dataclass(frozen=True)
class Digit:
    """One binary digit of a geometric number: 1 has weight q**(2**place) against 1."""

    epsilon: Fraction
    gap: int
    place: int

    def __len__(self) -> int:
        return 2

    def enclose(self, bits: int) -> Sequence[arb]:
        """Enclose the two weights."""
        with ctx.workprec(bits + 16):
            return [arb(1), ((1 << self.place) * log_silence(self.epsilon, self.gap)).exp()]


def log_silence(epsilon: Fraction, gap: int) -> arb:
    """Enclose ln(1 - e**(-epsilon * gap)), without cancellation at either end."""
    x = ball(epsilon * gap)
    if epsilon * gap < 1:
        return (-(-x).expm1()).log()
    return (-(-x).exp()).log1p()


def draw_silence(epsilon: Fraction, gap: int, digits: int, source: Source) -> tuple[int, bool]:
    """Return how many steps are silent, and whether the alarm rings then.

    Parameters
    ----------
    epsilon : Fraction > 0
    gap : int
        From 0 on down, the alarm rings at once.
    digits : int >= 0
        Look ahead ``2**digits`` steps at most; if all of them are silent, ask again then.
    source : Source

    Returns
    -------
    (int, bool)
        w silent steps, then the alarm (True) or a new question (False, w = 2**digits).

    Notes
    -----
    One coin if nothing happens, else one more for each digit.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> draw_silence(Fraction(1), 0, 4, SeededSource(0))
    (0, True)
    >>> draw_silence(Fraction(1), 100, 4, SeededSource(0))
    (16, False)
    """
    if gap <= 0:
        return 0, True
    if source.choose(NoEventCoin(epsilon, gap, 1 << digits)) == 0:
        return 1 << digits, False
    steps = 0
    for place in reversed(range(digits)):
        steps |= source.choose(Digit(epsilon, gap, place)) << place
    return steps, True


def draw_patience(epsilon: Fraction, source: Source) -> int:
    """Return r >= 0 with probability (1 - e**-epsilon) e**(-epsilon * r), exactly.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> draw_patience(Fraction(10**6), SeededSource(0))
    0
    """
    more, digits = _patience_coins(epsilon)
    rounds = 0
    while source.choose(more) == 1:
        rounds += 1
    patience = rounds << len(digits)
    for place, digit in reversed(list(enumerate(digits))):
        patience |= source.choose(digit) << place
    return patience


@lru_cache(maxsize=16)
def _patience_coins(epsilon: Fraction) -> tuple[ExplicitWeights, tuple[ExplicitWeights, ...]]:
    """Return the coins of the high part and of each low digit of a geometric number."""
    digits = 0
    while epsilon * (1 << digits) < 1:
        digits += 1
    far = exp(-epsilon * (1 << digits))
    return (
        ExplicitWeights(exp(0) - far, far),
        tuple(ExplicitWeights(1, exp(-epsilon * (1 << place))) for place in range(digits)),
    )
