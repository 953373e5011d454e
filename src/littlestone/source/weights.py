"""Finite distributions up to a factor: the weights that a mechanism presents to the source."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Protocol, TypeAlias, runtime_checkable

from flint import arb, ctx

from littlestone.errors import exact_value, parameter_error
from littlestone.source.reals import Exp, as_exp


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


class TabulatedWeights(ABC):
    """Weights that keep a table of their cumulative sums, for the first 64 bits of a draw.

    Keep and reuse weights that are drawn from often: all but about one draw in 2**60 then cost a
    search in the table.
    """

    __slots__ = ("_thresholds",)

    def __init__(self) -> None:
        self._thresholds: tuple[tuple[int, int], ...] | None = None

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of outcomes."""

    @abstractmethod
    def enclose(self, bits: int) -> Sequence[arb]:
        """Return one rigorous enclosure for each outcome, in order."""

    def thresholds(self) -> tuple[tuple[int, int], ...]:
        """Return integer bounds (low, high) of 2**64 * (cumulative probability), computed once."""
        if self._thresholds is None:
            bits = 128
            with ctx.workprec(bits):
                sums = list(accumulate(self.enclose(bits)))
                scale = arb(2) ** 64 / sums[-1]
                bounds = [_whole_bounds(c * scale) for c in sums[:-1]]
            # the sums do not decrease, so neither need their bounds
            lows = accumulate((low for low, _ in bounds), max)
            highs = accumulate((high for _, high in bounds), max)
            self._thresholds = tuple(zip(lows, highs, strict=True))
        return self._thresholds

    def decide(self, u: int) -> int | None:
        """Return the outcome of every uniform in ``[u, u + 1) / 2**64``; None if there are two.

        Nor is there an answer where the precision of the table does not tell.
        """
        thresholds = self.thresholds()
        # the first outcome whose cumulative sum may lie above u
        i = bisect_right(thresholds, u, key=lambda bounds: bounds[1])
        return i if i == len(thresholds) or u < thresholds[i][0] else None


class ExplicitWeights(TabulatedWeights):
    """Exact weights, one by one: a coin, a choice of three.

    Examples
    --------
    >>> from littlestone.source import SeededSource, exp
    >>> coin = ExplicitWeights(1, exp(1))
    >>> SeededSource(1).choose(coin) in (0, 1)
    True
    """

    __slots__ = ("weights",)

    def __init__(self, *weights: Exp | Fraction | int) -> None:
        super().__init__()
        self.weights = tuple(as_exp(w) for w in weights)
        signs = [w.sign() for w in self.weights]
        if min(signs, default=0) < 0 or max(signs, default=0) <= 0:
            raise ValueError("Weights must be nonnegative, and at least one must be positive.")

    def __len__(self) -> int:
        return len(self.weights)

    def enclose(self, bits: int) -> list[arb]:
        """Return the enclosures of the weights; a weight of zero is the exact 0."""
        return [w.enclose(bits) for w in self.weights]


#: What `Source.choose` takes: weights, or a list or tuple of plain numbers.
Presented: TypeAlias = Weights | Sequence[Exp | Fraction | int | float]


def as_weights(weights: Presented) -> Weights:
    """Return weights as they are, and a list or tuple of numbers as `ExplicitWeights`.

    A float means the decimal number that it is written as: ``0.1`` is one tenth, exactly.

    Examples
    --------
    >>> as_weights([0.75, "1/4"]).weights
    (3/4, 1/4)
    """
    if not isinstance(weights, list | tuple):
        return weights  # type: ignore[return-value]
    exact = [w if isinstance(w, Exp) else exact_value(w) for w in weights]
    try:
        return ExplicitWeights(*exact)  # type: ignore[arg-type]
    except (TypeError, ValueError):  # None is what is no finite number
        hint = "For example [3, 1], or [exp(1), 1] with littlestone.source.exp."
        what = [type(w).__name__ for w in weights]
        raise parameter_error(
            "choose", "weights", "numbers in [0, inf), not all zero", what, hint
        ) from None


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
