"""Finite distributions up to a factor: the weights that a mechanism presents to the source."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from numbers import Rational
from typing import Protocol, TypeAlias, runtime_checkable

from flint import arb, ctx, fmpq, fmpz

from littlestone.errors import exact_value, parameter_error


def ball(value: Fraction | int) -> arb:
    """Return an enclosure of a rational at the current precision.

    Examples
    --------
    >>> float(ball(Fraction(1, 4)))
    0.25
    """
    if isinstance(value, int):
        return arb(fmpz(value)) if value.bit_length() <= ctx.prec else arb(fmpz(value)) + 0
    return arb(fmpq(value.numerator, value.denominator))


class Exp:
    """An exact real: a finite sum of c * e**q with rational c and q.

    Supports ``+``, ``-`` and ``*`` (also with integers and fractions), hashing and equality;
    equality is exact, because powers of e with distinct rational exponents are linearly
    independent over the rationals (Lindemann-Weierstrass).

    Examples
    --------
    >>> (exp(1) - 2).sign(), (exp(1) * exp(-1) - 1).sign()
    (1, 0)
    """

    __slots__ = ("terms",)

    def __init__(self, terms: dict[Fraction, Fraction]) -> None:
        #: ``((q, c), ...)``, sorted by q, no c zero.
        self.terms = tuple(sorted((q, c) for q, c in terms.items() if c))

    def enclose(self, bits: int) -> arb:
        """Return a ball that contains the number, computed with ``bits`` bits."""
        with ctx.workprec(max(bits, 16)):
            total = arb(0)
            for q, c in self.terms:
                total += ball(c) * ball(q).exp() if q else ball(c)
            return total

    def sign(self) -> int:
        """Return -1, 0 or 1, exactly."""
        if not self.terms:
            return 0
        if len({c > 0 for _, c in self.terms}) == 1:
            return 1 if self.terms[0][1] > 0 else -1
        bits = 64
        while True:  # ends: a sum with a nonzero term is not zero (Lindemann-Weierstrass)
            enclosure = self.enclose(bits)
            if enclosure > 0:
                return 1
            if enclosure < 0:
                return -1
            bits *= 2

    def __add__(self, other: Exp | Fraction | int) -> Exp:
        terms = dict(self.terms)
        for q, c in as_exp(other).terms:
            terms[q] = terms.get(q, Fraction(0)) + c
        return Exp(terms)

    __radd__ = __add__

    def __neg__(self) -> Exp:
        return Exp({q: -c for q, c in self.terms})

    def __sub__(self, other: Exp | Fraction | int) -> Exp:
        return self + -as_exp(other)

    def __rsub__(self, other: Exp | Fraction | int) -> Exp:
        return as_exp(other) - self

    def __mul__(self, other: Exp | Fraction | int) -> Exp:
        terms: dict[Fraction, Fraction] = {}
        for q, c in self.terms:
            for p, b in as_exp(other).terms:
                terms[p + q] = terms.get(p + q, Fraction(0)) + b * c
        return Exp(terms)

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Exp | Rational):
            return self.terms == as_exp(other).terms
        return NotImplemented

    def __hash__(self) -> int:
        rational = all(not q for q, _ in self.terms)  # equals, so must hash like, a Fraction
        return hash(sum(c for _, c in self.terms)) if rational else hash(self.terms)

    def __repr__(self) -> str:
        return " + ".join(f"{c}*e**({q})" if q else str(c) for q, c in self.terms) or "0"


def exp(q: Fraction | int, times: Fraction | int = 1) -> Exp:
    """Return the exact real ``times * e**q``.

    Examples
    --------
    >>> exp(Fraction(1, 2), times=3)
    3*e**(1/2)
    """
    return Exp({_rational(q): _rational(times)})


def as_exp(value: Exp | Rational | int) -> Exp:
    """Return an integer, a fraction or an exact real as an exact real; floats are refused."""
    if isinstance(value, Exp):
        return value
    if isinstance(value, Rational):
        return Exp({Fraction(0): _rational(value)})
    raise TypeError(
        f"An exact real must be an int, a Fraction or an Exp. Got {type(value).__name__}. "
        "Write Fraction('0.1') instead of 0.1."
    )


def _rational(value: Rational | int) -> Fraction:
    """Return a fraction of Python integers: NumPy's integers would overflow in arithmetic."""
    if type(value) is Fraction and type(value.numerator) is type(value.denominator) is int:
        return value
    return Fraction(int(value.numerator), int(value.denominator))


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
