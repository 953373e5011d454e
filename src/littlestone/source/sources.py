"""Sources: the operating system's entropy for releases, a seed for experiments, recorded answers.

`SecureSource` is the source of releases. Nothing drawn from a `SeededSource` is private.
`ReplaySource` gives prescribed answers and keeps the weights that it was presented with.
"""

from __future__ import annotations

import os
import random
import weakref
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from numbers import Rational
from threading import Lock
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt
from flint import arb, ctx, fmpq, fmpz

from littlestone.errors import LittlestoneError, check_integer, exact_value, parameter_error

# -- Finite distributions up to a factor: the weights that a mechanism presents to the source.


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


# -- Inversion sampling from exact weights: how a finite distribution becomes a draw.


_FIRST = 64  # bits of the uniform that are drawn at first; more only when they do not decide
#: How far the doubles of `flip_several` may be from the exact chances, in parts of 2**64: 2**-31.
_DOUBT = 2.0**33

Ints = npt.NDArray[np.int64]


@runtime_checkable
class Source(Protocol):
    """The only place from which randomness enters the library.

    ``choose``, ``below`` and ``permutation`` are secret: privacy may rest on them. ``public_rng``
    is not: privacy must hold for every value of its seed.
    """

    @property
    def seeded(self) -> bool:
        """Whether the draws can be predicted, so that nothing drawn is private."""

    def choose(self, weights: Presented) -> int:
        """Return outcome i with probability exactly weight_i / total.

        A list or tuple of plain numbers will do: ``choose([3, 1])``.
        """

    def below(self, m: int) -> int:
        """Return an exactly uniform integer in [0, m), of any size."""

    def permutation(self, n: int, first: int | None = None) -> npt.NDArray[np.int64]:
        """Return an exactly uniform permutation of range(n), or only its ``first`` entries."""

    def public_rng(self) -> np.random.Generator:
        """Return a generator whose seed may be published, for utility only."""


class BitSource(ABC):
    """A source that is made from fair bits.

    The draw is inversion of an infinitely precise uniform U in [0, 1), of which only as many bits
    are drawn as are needed to tell, against rigorous enclosures of the cumulative weights, in
    which outcome's interval U lies. So every probability is exact: no float is ever rounded.
    """

    seeded: bool

    @abstractmethod
    def _bits(self, k: int) -> int:
        """Return k fair bits as an integer in [0, 2**k)."""

    @abstractmethod
    def _bytes(self, k: int) -> bytes:
        """Return k fair bytes."""

    @abstractmethod
    def public_rng(self) -> np.random.Generator:
        """Return a generator whose seed may be published, for utility only."""

    def random_bytes(self, k: int) -> bytes:
        """Return k fair bytes: pieces of whole words are those of one draw."""
        return self._bytes(k)

    def choose(self, weights: Presented) -> int:
        """Return outcome i with probability exactly weight_i / total."""
        u = self._bits(_FIRST)  # U lies in [u, u + 1) / 2**64
        if isinstance(weights, TabulatedWeights):
            outcome = weights.decide(u)
            if outcome is not None:
                return outcome
        return self._refine(as_weights(weights), u, _FIRST)

    def _refine(self, weights: Weights, u: int, drawn: int) -> int:
        while True:
            bits = drawn + 32  # so that rounding is far finer than the cell of U
            with ctx.workprec(bits):
                cumulative = list(accumulate(weights.enclose(bits)))
                # t contains total * U, for every U in the cell
                t = cumulative[-1] * arb(2 * u + 1, 1) / (arb(2) ** (drawn + 1))
                i = bisect_right(cumulative, False, key=lambda c: bool(c > t))
                if i < len(cumulative) and (i == 0 or bool(cumulative[i - 1] <= t)):
                    return i
            u = (u << drawn) | self._bits(drawn)
            drawn *= 2

    def choose_several(self, weights: TabulatedWeights, size: int) -> Ints:
        """Return independent outcomes of one table: each has the law of `choose`."""
        u = np.frombuffer(self._bytes(8 * size), dtype="<u8")
        answers, open_ = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=bool)
        for low, high in weights.thresholds():
            answers += u >= high
            open_ |= (u >= low) & (u < high)
        for i in np.flatnonzero(open_).tolist():
            answers[i] = self._refine(weights, int(u[i]), _FIRST)
        return answers

    def flip_several(
        self, chances: npt.NDArray[np.float64], exact: Callable[[int], Weights]
    ) -> npt.NDArray[np.bool_]:
        """Return whether coins, each with a chance of its own, show the second of two outcomes.

        Coin i has the exact weights ``exact(i)``; its double is within 2**-31 of the chance, and
        decides only where that is enough.
        """
        u = np.frombuffer(self._bytes(8 * len(chances)), dtype="<u8")
        above = u.astype(np.float64) - (1 - chances) * 2.0**_FIRST
        shown = above > 0
        for i in np.flatnonzero(~(np.abs(above) > _DOUBT)).tolist():  # also what is no number
            shown[i] = bool(self._refine(exact(i), int(u[i]), _FIRST))
        return shown

    def below(self, m: int) -> int:
        """Return an exactly uniform integer in [0, m), of any size."""
        if m < 1:
            raise ValueError("below(m) needs m >= 1.")
        k = (m - 1).bit_length()
        while k:
            value = self._bits(k)
            if value < m:
                return value
        return 0

    def permutation(self, n: int, first: int | None = None) -> npt.NDArray[np.int64]:
        """Return an exactly uniform permutation of range(n), or only its ``first`` entries.

        The permutation is the order of n distinct keys. A few entries of it are the first few
        *different* ones of a sequence of independent uniform places; that costs ``first``, not n.
        """
        if first is not None and not 0 <= first <= n:
            raise ValueError("permutation(n, first) needs 0 <= first <= n.")
        if first is not None and 4 * first < n:
            return self._places(n, first)
        return self._order(n)[:first]

    def _places(self, n: int, first: int) -> npt.NDArray[np.int64]:
        bits = (n - 1).bit_length()
        width = 32 if bits <= 32 else 64  # a longer range is no range of records
        chosen = np.zeros(0, dtype=np.int64)
        while len(chosen) < first:
            keys = self._bytes((2 * (first - len(chosen)) + 16) * width // 8)
            places = np.frombuffer(keys, dtype=f"<u{width // 8}") >> (width - bits)
            chosen = np.concatenate([chosen, places[places < n].astype(np.int64)])[:first]
            chosen = chosen[np.sort(np.unique(chosen, return_index=True)[1])]  # in order of arrival
        return chosen

    def _order(self, n: int) -> npt.NDArray[np.int64]:
        while True:
            keys = np.frombuffer(self._bytes(8 * n), dtype=np.uint64)
            order = np.argsort(keys, kind="stable")
            ranked = keys[order]
            if not np.any(ranked[1:] == ranked[:-1]):  # a tie would not be uniform: draw anew
                return order.astype(np.int64, copy=False)


def choose_several(source: Source, weights: TabulatedWeights, size: int) -> Ints:
    """Return independent outcomes of one table; sources that are not made from bits draw each."""
    if isinstance(source, BitSource):
        return source.choose_several(weights, size)
    return np.array([source.choose(weights) for _ in range(size)], dtype=np.int64)


def flip_several(
    source: Source, chances: npt.NDArray[np.float64], exact: Callable[[int], Weights]
) -> npt.NDArray[np.bool_]:
    """Return whether coins show the second outcome: `BitSource.flip_several`, or each drawn."""
    if isinstance(source, BitSource):
        return source.flip_several(chances, exact)
    return np.array([source.choose(exact(i)) for i in range(len(chances))], dtype=bool)


def presented(weights: Weights, bits: int = 96) -> tuple[object, ...]:
    """Return what an observer of the source can compare: the enclosures at a fixed precision."""
    with ctx.workprec(bits):
        balls = list(weights.enclose(bits))
        return tuple((*_pair(b.mid()), *_pair(b.rad())) for b in balls)


def _pair(exact: Any) -> tuple[int, int]:
    man, power = exact.man_exp()
    return int(man), int(power)


_BUFFER = 4096
_alive: weakref.WeakSet[SecureSource] = weakref.WeakSet()


class SecureSource(BitSource):
    """Exact draws from operating-system entropy; the only source whose releases are private.

    It cannot be copied or pickled, and neither a forked child nor another thread reuses its
    entropy: the same bits must not make two releases.

    Examples
    --------
    >>> SecureSource().below(1)
    0
    """

    seeded = False

    def __init__(self) -> None:
        self._forget()
        _alive.add(self)

    def _forget(self) -> None:
        self._buffer, self._position = b"", 0
        self._lock = Lock()  # a new one: a thread that holds the old one is not in the child

    def _bits(self, k: int) -> int:
        size = (k + 7) // 8
        return int.from_bytes(self._bytes(size), "little") >> (8 * size - k)

    def _bytes(self, k: int) -> bytes:
        if k > _BUFFER:
            return os.urandom(k)
        with self._lock:  # two threads must not take the same bytes
            end = self._position + k
            if end > len(self._buffer):
                self._buffer, self._position, end = os.urandom(_BUFFER), 0, k
            piece = self._buffer[self._position : end]
            self._position = end
            return piece

    def public_rng(self) -> np.random.Generator:
        """Return a generator with a fresh seed, which may be published."""
        return np.random.default_rng(int.from_bytes(os.urandom(16), "little"))

    def __reduce__(self) -> Any:
        raise TypeError("A SecureSource cannot be copied or pickled; make a new one.")


def _forget_all() -> None:
    for source in list(_alive):
        source._forget()


if hasattr(os, "register_at_fork"):  # absent on Windows, which does not fork
    os.register_at_fork(after_in_child=_forget_all)


_PIECE = 1 << 27  # bytes


class SeededSource(BitSource):
    """The same code as a release, with reproducible bits. NOT PRIVATE.

    Parameters
    ----------
    seed : int >= 0

    Examples
    --------
    >>> SeededSource(7).below(1000) == SeededSource(7).below(1000)
    True
    """

    seeded = True

    def __init__(self, seed: int) -> None:
        self._seed = check_integer("SeededSource", "seed", seed, low=0)
        self._random = random.Random(self._seed)  # noqa: S311 - not for releases, and says so
        self._streams = np.random.SeedSequence(self._seed)

    def _bits(self, k: int) -> int:
        return self._random.getrandbits(k)

    def _bytes(self, k: int) -> bytes:
        # Python's generator makes fewer than 2**31 bits at once; pieces of whole words are the same
        pieces = (min(_PIECE, k - done) for done in range(0, k, _PIECE))
        return b"".join(map(self._random.randbytes, pieces))

    def public_rng(self) -> np.random.Generator:
        """Return the next generator of a reproducible family."""
        return np.random.default_rng(self._streams.spawn(1)[0])


class ReplaySource:
    """Answer draws from a list, and record the weights of each draw.

    Fast paths (an engine, a float filter) must present *identical weights* as the plain
    path: run both on a ReplaySource and compare ``presented``.

    Parameters
    ----------
    choices : iterable of int
        The answers, in order, of ``choose`` and ``below``.

    Attributes
    ----------
    presented : list
        For each draw, the enclosures that were presented (at 96 bits), or ``("below", m)``, or
        ``("permutation", n)``, or ``("permutation", n, first)``.

    Examples
    --------
    >>> from littlestone.source import ExplicitWeights
    >>> source = ReplaySource([1, 4])
    >>> source.choose(ExplicitWeights(1, 1)), source.below(10), source.presented[1]
    (1, 4, ('below', 10))
    """

    seeded = True

    def __init__(self, choices: Iterable[int]) -> None:
        self._choices = iter(choices)
        self.presented: list[tuple[object, ...]] = []

    def _next(self, m: int) -> int:
        try:
            answer = next(self._choices)
        except StopIteration:
            raise RuntimeError("ReplaySource has no answers left; give it more choices.") from None
        if not 0 <= answer < m:
            raise RuntimeError(f"ReplaySource was asked for one of {m} outcomes, not {answer}.")
        return answer

    def choose(self, weights: Presented) -> int:
        """Record the weights; return the next answer."""
        weights = as_weights(weights)
        self.presented.append(presented(weights))
        return self._next(len(weights))

    def below(self, m: int) -> int:
        """Record m; return the next answer."""
        self.presented.append(("below", m))
        return self._next(m)

    def permutation(self, n: int, first: int | None = None) -> npt.NDArray[np.int64]:
        """Record n, and how many entries were requested; return the identity."""
        self.presented.append(("permutation", n) if first is None else ("permutation", n, first))
        return np.arange(n, dtype=np.int64)[:first]

    def public_rng(self) -> np.random.Generator:
        """Return a generator with a fixed seed."""
        return np.random.default_rng(0)


def source_of(caller: str, random_state: int | Source | None) -> Source:
    """Return the source that a ``random_state`` asks for.

    Examples
    --------
    >>> source_of("doctest", 0).seeded, source_of("doctest", None).seeded
    (True, False)
    """
    if random_state is None:
        return SecureSource()
    if isinstance(random_state, Source):
        return random_state
    hint = "None uses the operating system's randomness; an int is reproducible and NOT private."
    return SeededSource(check_integer(caller, "random_state", random_state, low=0, hint=hint))


def public_generator(*numbers: int) -> np.random.Generator:
    """Return the generator that belongs to public (or one user's own) numbers.

    For choices on whose randomness no privacy rests: which of one user's surplus records to leave
    out, the hash functions of a representation. The same numbers always give the same generator.

    Examples
    --------
    >>> int(public_generator(1, 2).integers(10)) == int(public_generator(1, 2).integers(10))
    True
    """
    return np.random.default_rng(numbers)


def public_salt(source: Source) -> int:
    """Return a fresh public number below 2**63, the first of the numbers of many generators.

    With it, each user's (or copy's) own `public_generator` is keyed by salt and name: what belongs
    to one of them depends on no other.

    Examples
    --------
    >>> from littlestone.source import SecureSource
    >>> public_salt(SecureSource()).bit_length() <= 63
    True
    """
    return int(source.public_rng().integers(2**63))


# -- The source of verification: every path of draws, and so the exact output law.


_ENUMERABLE = 1 << 20
_RELEASE_BITS = 96  # bits at which a release first looks at weights (`BitSource`)


class HiddenStateError(LittlestoneError):
    """The same draws led to different weights: the run depends on something it does not draw."""


@dataclass(frozen=True)
class Law:
    """The exact output distribution of a randomized run."""

    outcomes: dict[Hashable, arb]
    slack: arb
    paths: int
    public_coins: bool = False


class _Cut(BaseException):
    """The path is less likely than the cut. Not an Exception, so that no run can catch it."""


@dataclass
class _Draw:
    """One draw on the current path: what was presented, and which outcome is being tried."""

    presented: tuple[object, ...]
    options: list[tuple[int, arb]]
    reached: arb  # probability of reaching this draw
    tried: int = 0

    @property
    def answer(self) -> int:
        return self.options[self.tried][0]

    @property
    def after(self) -> arb:
        return self.reached * self.options[self.tried][1]


def _agreed(weights: Weights, bits: int) -> list[arb]:
    """Return the probabilities, if a release would see the same ones.

    A `BitSource` decides most draws by enclosures of few bits or by cached thresholds, and the law
    is computed with many: what is verified must be what is released.
    """
    fine = probabilities(weights, bits)
    with ctx.workprec(bits):
        agree = all(
            a.overlaps(b) for a, b in zip(fine, probabilities(weights, _RELEASE_BITS), strict=True)
        )
        if isinstance(weights, TabulatedWeights):
            sums = (total * 2**64 for total in accumulate(fine[:-1]))
            agree &= all(
                not (s < low or s > high)
                for s, (low, high) in zip(sums, weights.thresholds(), strict=True)
            )
    if not agree:
        raise HiddenStateError(
            "Enclosures of one draw's weights at two precisions exclude each other: the weights "
            "that would be released are not the ones that are verified."
        )
    return fine


@dataclass
class _Path:
    """A `Source` that replays the draws of one path, and extends it by first outcomes."""

    draws: list[_Draw]
    cut: arb
    public_seed: int
    bits: int
    follow: int
    seeded: bool = True
    public_coins: bool = False
    _position: int = 0

    @cached_property
    def _streams(self) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.public_seed)

    def choose(self, weights: Presented) -> int:
        known = as_weights(weights)
        return self._draw(presented(known), lambda: list(enumerate(_agreed(known, self.bits))))

    def below(self, m: int) -> int:
        if m > _ENUMERABLE:
            raise ValueError(
                f"ExactSource cannot enumerate a uniform choice of more than {_ENUMERABLE} "
                "outcomes; verify on a smaller domain."
            )
        return self._draw(("below", m), lambda: [(i, ball(Fraction(1, m))) for i in range(m)])

    def permutation(self, n: int, first: int | None = None) -> npt.NDArray[np.int64]:
        # A data set under ExactSource is an ordered list: privacy must hold for each shuffling.
        return np.arange(n, dtype=np.int64)[:first]

    def public_rng(self) -> np.random.Generator:
        # Privacy must hold for every public seed: verification repeats for several.
        self.public_coins = True
        return np.random.default_rng(self._streams.spawn(1)[0])

    def _draw(self, view: tuple[object, ...], options: Callable[[], list[tuple[int, arb]]]) -> int:
        if self._position == len(self.draws):
            reached = self.draws[-1].after if self.draws else arb(1)
            possible = [(i, p) for i, p in options() if not p.is_zero()]
            self.draws.append(_Draw(view, possible, reached))
        draw = self.draws[self._position]
        if draw.presented != view:
            raise HiddenStateError(
                "Equal draws met different weights. The run depends on hidden state: the order of "
                "a hash table, a clock, an ordinary random generator, or an earlier run."
            )
        self._position += 1
        if self._position > self.follow and draw.after < self.cut:
            raise _Cut
        return draw.answer


class ExactSource:
    """Run a learner once for every path of draws; return its exact output law.

    Parameters
    ----------
    cut : Fraction, default 2**-80
        Long paths that are less likely than this are not followed; their probability is the
        law's ``slack``. Needed only for loops that have no bound.
    public_seed : int, default 0
        Seed of the public coins, on which privacy must not rest.
    bits : int, default 192
        Precision of the probabilities.
    follow : int, default 32
        Number of draws that are followed however unlikely they are. To cut a single unlikely draw
        would make a law look unlike its neighbour at a large epsilon.

    Examples
    --------
    >>> from littlestone.source import ExplicitWeights, exp
    >>> law = ExactSource().law(lambda source: source.choose(ExplicitWeights(1, exp(0), 2)))
    >>> [round(float(p), 3) for p in law.outcomes.values()], law.paths
    ([0.25, 0.25, 0.5], 3)
    """

    def __init__(
        self,
        cut: Fraction = Fraction(1, 2**80),
        public_seed: int = 0,
        *,
        bits: int = 192,
        follow: int = 32,
    ) -> None:
        self._cut = Fraction(cut)
        self._public_seed = public_seed
        self._bits = bits
        self._follow = follow

    def law(self, run: Callable[[Source], Hashable]) -> Law:
        """Return the law of ``run(source)``, which must be a function of its draws only.

        Raises
        ------
        HiddenStateError
            If equal draws meet different weights.
        """
        outcomes: dict[Hashable, arb] = {}
        draws: list[_Draw] = []
        slack, paths, public_coins = arb(0), 0, False
        first: list[Hashable] = []
        with ctx.workprec(self._bits):
            cut = ball(self._cut)
            while True:
                path = _Path(draws, cut, self._public_seed, self._bits, self._follow)
                paths += 1
                try:
                    output = run(path)
                except _Cut:
                    del draws[path._position :]
                    slack += draws[-1].after
                else:
                    if path._position != len(draws):
                        raise HiddenStateError(
                            "Equal draws led to a run that ended early: the run depends on "
                            "hidden state."
                        )
                    chance = draws[-1].after if draws else arb(1)
                    outcomes[output] = outcomes.get(output, arb(0)) + chance
                    if paths == 1:
                        first.append(output)
                public_coins |= path.public_coins
                while draws and draws[-1].tried + 1 == len(draws[-1].options):
                    draws.pop()
                if not draws:
                    break
                draws[-1].tried += 1
            self._repeat(run, first, cut)
            return Law(outcomes, slack, paths, public_coins)

    def _repeat(self, run: Callable[[Source], Hashable], first: list[Hashable], cut: arb) -> None:
        """Run the first path once more: it must give the same output."""
        try:
            again = run(_Path([], cut, self._public_seed, self._bits, self._follow))
        except _Cut:
            return
        if [again] != first:
            raise HiddenStateError(
                "Equal draws led to different outputs. The run depends on hidden state: the order "
                "of a hash table, a clock, an ordinary random generator, or an earlier run."
            )
