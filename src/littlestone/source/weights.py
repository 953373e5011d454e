"""Finite distributions up to a factor: what a mechanism shows at the door."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from math import ceil
from typing import Protocol, runtime_checkable

from flint import arb, ctx

from littlestone.source.reals import Exp, as_exp, ball

__all__ = ["ExplicitWeights", "LevelWeights", "Weights", "probabilities"]

#: ln 2 rounded up: bits * LN2 >= ln(2**bits).
_LN2 = Fraction(694, 1001)


@runtime_checkable
class Weights(Protocol):
    """A finite distribution, up to a positive factor.

    ``enclose`` may scale all weights by one common positive factor that depends on ``bits``; the
    enclosures must shrink to the true ratios as ``bits`` grows. An outcome of probability zero
    must be the exact ball 0.
    """

    def __len__(self) -> int:
        """Return the number of outcomes."""

    def enclose(self, bits: int) -> Sequence[arb]:
        """Return one rigorous enclosure for each outcome, in order."""


class ExplicitWeights:
    """A handful of exact weights: a coin, a choice of three.

    Keep and reuse one that is drawn from often: it caches its 64-bit thresholds, so that all but
    about one draw in 2**60 costs one comparison.

    Parameters
    ----------
    *weights : Exp, int or Fraction, >= 0, not all zero

    Examples
    --------
    >>> from littlestone.source import SeededSource, exp
    >>> coin = ExplicitWeights(1, exp(1))
    >>> SeededSource(1).choose(coin) in (0, 1)
    True
    """

    __slots__ = ("_thresholds", "weights")

    def __init__(self, *weights: Exp | Fraction | int) -> None:
        self.weights = tuple(as_exp(w) for w in weights)
        signs = [w.sign() for w in self.weights]
        if min(signs, default=0) < 0 or max(signs, default=0) <= 0:
            raise ValueError("Weights must be nonnegative, and at least one must be positive.")
        self._thresholds: tuple[tuple[int, int], ...] | None = None

    def __len__(self) -> int:
        return len(self.weights)

    def enclose(self, bits: int) -> list[arb]:
        """Return the enclosures of the weights; a weight of zero is the exact 0."""
        return [w.enclose(bits) for w in self.weights]

    def thresholds(self) -> tuple[tuple[int, int], ...]:
        """Return integer bounds (low, high) of 2**64 * (cumulative probability), computed once."""
        if self._thresholds is None:
            bits = 128
            with ctx.workprec(bits):
                balls = self.enclose(bits)
                total = sum(balls, arb(0))
                scaled = [c / total * 2**64 for c in accumulate(balls)]
                self._thresholds = tuple(map(_whole_bounds, scaled[:-1]))
        return self._thresholds


class LevelWeights:
    """Outcome i has weight ``multiplicity[i] * e**(rate * score[i])``.

    Made for many outcomes: an outcome that is hopeless at the asked precision costs no
    exponential; it is enclosed by one shared tiny ball, and is refined like any other if the draw
    comes near it.

    Parameters
    ----------
    multiplicity : sequence of int >= 0, of any size
    score : sequence of int, of any size
    rate : Fraction
    """

    __slots__ = ("multiplicity", "rate", "score")

    def __init__(self, multiplicity: Sequence[int], score: Sequence[int], rate: Fraction) -> None:
        self.multiplicity = multiplicity
        self.score = score
        self.rate = Fraction(rate)
        if len(multiplicity) != len(score):
            raise ValueError("Each level needs one multiplicity and one score.")
        if len(multiplicity) == 0 or min(multiplicity) < 0 or max(multiplicity) <= 0:
            raise ValueError("Multiplicities must be nonnegative, and at least one positive.")

    def __len__(self) -> int:
        return len(self.score)

    def enclose(self, bits: int) -> list[arb]:
        """Return the enclosures, scaled so that the best score counts e**0."""
        best, worth = self._frame()
        with ctx.workprec(bits):
            # |ball| <= 2**-(bits + 64): its weight relative to the best is provably below that
            tiny = arb(0, 1) / (arb(2) ** (bits + 64))
            # hopeless iff |rate| * gap >= ln(2**(bits + 64 + bits of multiplicity))
            least = None if not self.rate else ceil((bits + 64 + worth) * _LN2 / abs(self.rate))
            zero = arb(0)
            out: list[arb] = []
            known: dict[int, arb] = {}
            for times, score in zip(self.multiplicity, self.score, strict=True):
                if not times:
                    out.append(zero)
                    continue
                gap = int(score) - best
                if least is not None and abs(gap) > least:
                    out.append(tiny)
                    continue
                weight = known.get(gap)
                if weight is None:
                    weight = known[gap] = ball(self.rate * gap).exp() if gap else arb(1)
                out.append(weight * ball(int(times)) if times != 1 else weight)
            return out

    def _frame(self) -> tuple[int, int]:
        """Return the score of highest weight per candidate, and the largest multiplicity's bits."""
        choose: Callable[..., int] = max if self.rate >= 0 else min
        best = choose(int(s) for m, s in zip(self.multiplicity, self.score, strict=True) if m)
        return best, int(max(self.multiplicity)).bit_length()


def probabilities(weights: Weights, bits: int = 192) -> list[arb]:
    """Return one enclosure of each outcome's probability; an impossible outcome is exactly 0.

    ``bits`` is doubled until the total is provably positive.
    """
    while True:
        with ctx.workprec(bits):
            balls = list(weights.enclose(bits))
            total = sum(balls, arb(0))
            if total > 0:  # proved; weights such as e**q - 1 may cancel at first
                return [b / total if not b.is_zero() else arb(0) for b in balls]
        bits *= 2


def _whole_bounds(x: arb) -> tuple[int, int]:
    """Return integers around a ball; where cancellation left nothing, around all of 2**64."""
    low, high = x.lower().floor().unique_fmpz(), x.upper().ceil().unique_fmpz()
    return (0, 2**64) if low is None or high is None else (int(low), int(high))
