"""The exponential mechanism over candidates that are grouped by integer score.

A choice holds candidates with integer scores (higher is better) and draws candidate i with
probability proportional to ``e**(rate * score_i)``, exactly: first a *level*, that is one of the
distinct scores, by the weight of all its candidates; then a candidate of that level, uniformly.
So the cost depends on the number of distinct scores, not on the number of candidates. Where the
set of candidates depends on the data, one public outcome *bottom* competes with them.

Level weights are made here, and in `littlestone.source.leveled`, where not all are fetched.
Proofs: ``docs/leveled-choice.md``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, islice, pairwise
from math import ceil, floor, inf
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, overload

import numpy as np
import numpy.typing as npt
from flint import arb, ctx, fmpq

from littlestone.source.sources import Exp, Source, TabulatedWeights, ball, exp

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

#: One-dimensional array of int64, or of Python integers of any size.
Integers = npt.NDArray[Any]

#: ln 2 rounded up: bits * LN2 >= ln(2**bits).
LN2 = Fraction(694, 1001)
#: From this many levels on, the first 64 bits of a draw are compared with sums of doubles.
_MANY = 512


class Choice(Protocol[T_co]):
    """Candidates with integer scores, that can be drawn by the exponential weights."""

    @property
    def size(self) -> int:
        """Number of candidates (public)."""

    def draw(self, rate: Fraction, source: Source) -> T_co:
        """Return candidate i with probability proportional to ``e**(rate * score_i)``."""


class LeveledChoice(Generic[T]):
    """The exponential mechanism over groups of candidates that share an integer score.

    Notes
    -----
    *Law.* Candidate c of score s is drawn with probability ``e**(rate * s) / total`` and bottom
    with ``bottom / total``, exactly; total is the sum of all weights. Groups of one score are
    presented to the source as one weight, in ascending order of scores, bottom first.

    *Cost.* A pass over the groups (a sort where the scores are far apart), and one weight for
    each level. Weights are kept for the next draw at the same rate.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> choice = LeveledChoice([0, 200, 0], [2**1024, 1, 5], lambda group, place: (group, place))
    >>> choice.draw(Fraction(10), SeededSource(0))
    (1, 0)
    """

    @overload
    def __init__(
        self, scores: npt.ArrayLike, counts: npt.ArrayLike | None, member: Callable[[int, int], T]
    ) -> None: ...

    @overload
    def __init__(
        self: LeveledChoice[T | None],
        scores: npt.ArrayLike,
        counts: npt.ArrayLike | None,
        member: Callable[[int, int], T],
        bottom: Exp | None,
    ) -> None: ...

    def __init__(
        self,
        scores: npt.ArrayLike,
        counts: npt.ArrayLike | None,
        member: Callable[[int, int], Any],
        bottom: Exp | None = None,
    ) -> None:
        self.scores = _integers(scores)
        self.counts = None if counts is None else exact_integers(counts)
        self.bottom = bottom
        self._member = member
        self._levels, self._totals = levels_of(self.scores, self.counts)
        if bottom is None and not len(self._levels):
            raise ValueError("There must be a candidate, or bottom.")
        self._weights: LevelWeights | None = None

    @property
    def size(self) -> int:
        """Number of candidates."""
        return len(self.scores) if self.counts is None else int(self.counts.sum())

    def weights(self, rate: Fraction) -> LevelWeights:
        """Return what is presented to the source: bottom, if there is one, then the levels."""
        if self._weights is None or self._weights.rate != rate:
            bottom = self.bottom
            if bottom is not None and not len(self._levels):
                bottom = exp(0)  # certain
            self._weights = LevelWeights(self._totals, self._levels, rate, bottom)
            self._weights.choice = self
        return self._weights

    def candidate(self, group: int, place: int) -> T:
        """Return the candidate at a place of a group."""
        return self._member(group, place)  # type: ignore[no-any-return]

    def answers(self, group: int, place: int) -> tuple[int, int]:
        """Return what `draw` asks the source for, to return a candidate: outcome and place.

        Examples
        --------
        >>> choice = LeveledChoice([5, 3, 5], [2, 9, 4], lambda group, place: (group, place))
        >>> choice.answers(2, 1)
        (1, 3)
        """
        score = self.scores[group]
        level = int(np.searchsorted(self._levels, score))
        before = np.flatnonzero(self.scores[:group] == score)
        inside = len(before) if self.counts is None else int(self.counts[before].sum())
        return level + (self.bottom is not None), inside + place

    def named(self, outcome: int, place: int) -> tuple[int, int] | None:
        """Return group and place of the candidate that these answers draw; None for bottom.

        Examples
        --------
        >>> choice = LeveledChoice([5, 3, 5], [2, 9, 4], lambda group, place: (group, place))
        >>> choice.named(1, 3)
        (2, 1)
        """
        level = outcome - (self.bottom is not None)
        if level < 0:
            return None
        groups = np.flatnonzero(self.scores == self._levels[level])
        if self.counts is None:
            return int(groups[place]), 0
        ends = np.cumsum(self.counts[groups])
        at = int(np.searchsorted(ends, place, side="right"))
        return int(groups[at]), place - (int(ends[at - 1]) if at else 0)

    def draw(self, rate: Fraction, source: Source) -> T:
        """Return a candidate with probability proportional to ``e**(rate * score)``."""
        outcome = source.choose(self.weights(rate))  # a score, by the weight of its candidates
        level = outcome - (self.bottom is not None)
        if level < 0:
            return None  # type: ignore[return-value]
        place = source.below(int(self._totals[level]))  # a candidate of this score, uniformly
        drawn = self.named(outcome, place)
        assert drawn is not None
        return self.candidate(*drawn)


class Explicit(LeveledChoice[int]):
    """The exponential mechanism over candidates 0 .. m-1 with explicit integer scores.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> Explicit([0, 1000, 0]).draw(Fraction(1), SeededSource(0))
    1
    """

    def __init__(self, scores: npt.ArrayLike) -> None:
        super().__init__(scores, None, lambda candidate, _: candidate)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreRuns:
    """An integer score for every integer of a range, however long, as runs of equal scores.

    Examples
    --------
    >>> runs = ScoreRuns(np.array([0, 5]), 9, np.array([3, 1]))
    >>> runs.lengths.tolist(), runs.at(4), runs.least(2, 4), runs.least(4, 3)
    ([5, 4], 3, 3, None)
    """

    starts: Integers
    end: int
    scores: npt.NDArray[np.int64]

    @property
    def lengths(self) -> Integers:
        """Number of integers of each run."""
        reach = 2 * max(abs(int(self.starts[0])), abs(self.end))  # of a difference
        starts = exact_integers(self.starts, reach)
        ends = np.append(starts[1:], np.array([self.end], dtype=starts.dtype))
        return exact_integers(ends - starts)

    @property
    def size(self) -> int:
        """Number of integers."""
        return self.end - int(self.starts[0])

    def at(self, value: int) -> int:
        """Return the score of one integer."""
        return int(self.scores[self._run(value)])

    def least(self, first: int, last: int) -> int | None:
        """Return the least score from first to last; None if there is no integer between them."""
        first, last = max(first, int(self.starts[0])), min(last, self.end - 1)
        if first > last:
            return None
        runs = slice(self._run(first), self._run(last) + 1)
        return int(self.scores[runs][self.lengths[runs] > 0].min())  # an empty run has no integer

    def draw(self, rate: Fraction, source: Source) -> int:
        """Return an integer with probability exactly proportional to ``e**(rate * score)``."""

        def member(run: int, place: int) -> int:
            return int(self.starts[run]) + place

        return LeveledChoice(self.scores, self.lengths, member).draw(rate, source)

    def _run(self, value: int) -> int:
        return int(np.searchsorted(self.starts, value, side="right")) - 1


class LevelWeights(TabulatedWeights):
    """Weights ``count[i] * e**(rate * score[i])``, and that of bottom before them.

    Made for many outcomes. An outcome that is hopeless at the asked precision costs no
    exponential: one shared tiny ball encloses it, and it is refined like any other if the draw
    comes near it. Nearly every draw among many outcomes is decided by doubles, with a proved
    bound on their error; `decide` says None where they do not decide.
    """

    __slots__ = ("_sums", "bottom", "choice", "counts", "rate", "scores")

    def __init__(
        self,
        counts: Sequence[int] | Integers,
        scores: Sequence[int] | Integers,
        rate: Fraction,
        bottom: Exp | None = None,
    ) -> None:
        super().__init__()
        self.counts, self.scores = _integers(counts), _integers(scores)
        self.rate = Fraction(rate)
        self.bottom = bottom
        self._sums: _Sums | None = None
        #: Whose weights these are; only an audit asks.
        self.choice: LeveledChoice[Any] | None = None
        if len(self.counts) != len(self.scores):
            raise ValueError("Each level needs one count and one score.")
        if len(self.counts) and self.counts.min() < 0:
            raise ValueError("Counts must be nonnegative.")
        heavy = bottom is not None and bottom.sign()
        if heavy < 0 or not (heavy or (len(self.counts) and self.counts.max() > 0)):
            raise ValueError("Bottom must be nonnegative, and at least one weight positive.")

    def __len__(self) -> int:
        return len(self.scores) + (self.bottom is not None)

    @property
    def scale(self) -> int:
        """The score whose candidates count ``e**0`` in `enclose`: the heaviest one."""
        there = self.scores if self.counts.all() else self.scores[self.counts > 0]
        if not len(there):
            return 0
        return int(there.max() if self.rate >= 0 else there.min())

    def enclose(self, bits: int) -> list[arb]:
        """Return the enclosures, scaled so that the best score counts e**0."""
        best, count_bits = self.scale, int(self.counts.max(initial=0)).bit_length()
        with ctx.workprec(bits):
            # |ball| <= 2**-(bits + 64): its weight relative to the best is provably below that
            tiny = arb(0, 1) / (arb(2) ** (bits + 64))
            # hopeless iff |rate| * gap >= ln(2**(bits + 64 + bits of the counts))
            up, down = int(self.rate.numerator), int(self.rate.denominator)
            widest = (bits + 64 + count_bits) * LN2.numerator * down
            far = None if not up else -(-widest // (LN2.denominator * abs(up)))
            zero, one = arb(0), arb(1)
            out: list[arb] = []
            if self.bottom is not None:
                bottom = self.bottom * exp(-self.rate * best) if best else self.bottom
                out.append(bottom.enclose(bits))
            known: dict[int, arb] = {}
            for times, score in zip(self.counts.tolist(), self.scores.tolist(), strict=True):
                if not times:
                    out.append(zero)
                    continue
                gap = score - best
                if far is not None and abs(gap) > far:
                    out.append(tiny)
                    continue
                weight = known.get(gap)
                if weight is None:
                    weight = known[gap] = arb(fmpq(up * gap, down)).exp() if gap else one
                out.append(weight * ball(times) if times != 1 else weight)
            return out

    def decide(self, u: int) -> int | None:
        """Return the outcome of every uniform in ``[u, u + 1) / 2**64``; None if there are two."""
        if len(self) < _MANY or self.scores.dtype == object:
            return super().decide(u)
        if self._sums is None:
            self._sums = _Sums.of(self)
        return self._sums.decide(u)


# *Proof of Theorem 2.* Let eps = 2**-53. Scale all weights by e**(-r best), best the level with
# the largest e**(r l), and by 2**-t, where t >= 0 is least with all counts at most 2**(100 + t).
# w_i <= 2**100 are the scaled weights (of bottom too, if it is at most 2**900), S_i = w_0 + ... +
# w_i, S the last one.
#
# *Weights.* The computed weight f_i satisfies |f_i - w_i| <= 29 eps w_i + 2**-99. With g = |l_i -
# best|, an integer that is computed exactly in 64 bits: if |r| g >= 200 ln 2, the code takes f_i
# = 0, and w_i <= 2**100 2**-200. Else e**(-|r| g) is the product of D <= 6 entries of tables, one
# for each 12-bit digit of g. Each entry is within a relative 2 eps of e**(-|r| a 2**p), which is
# at least 2**-201, hence normal: a ball of 160 bits, whose middle is converted to a double. The
# count is rounded once, and each of D products once: no more than (1 + 2 eps)**D (1 + eps)**(D +
# 1) - 1 <= (3D + 2) eps relatively, and an underflow adds less than 2**-1000. D <= 6 gives 20
# eps; the code allows for 9 digits. Bottom's ball has a relative accuracy of 100 bits (else
# nothing is decided), and is converted once.
#
# *Sums.* |F_i - S_i| <= 0.52 eta S_i + sigma/3. All terms are nonnegative, and each passes
# through at most L + B + 1 additions, whatever their order inside a block: F_i = sum of f_j (1 +
# theta_j) with |theta_j| <= 1.01 (L + B + 1) eps as long as (L + B) eps < 0.01. With the weights
# the relative part is at most 1.02 (L + B + 30) eps <= 0.52 eta; the absolute parts add up to at
# most 1.01 n 2**-99.
#
# *Decision.* Evaluating either side costs at most six roundings, each at most eps of a value that
# is at most twice F_i, F_(i-1) or F; half of each 2 eta (eta >= 128 eps) covers them. What
# remains is F_(i-1) (1 + eta) + sigma <= F u 2**-64 (1 - eta) - sigma. S <= (F + sigma/3) / (1 -
# 0.52 eta) <= F (1 + eta) + sigma and S >= (F - sigma/3) / (1 + 0.52 eta) >= F (1 - eta) - sigma
# for each sum, so the left side is at least S_(i-1) and the right side at most S u 2**-64 <= S U.
# The second line likewise. If bottom weighs more than 2**900, the code puts 2**900: all other
# outcomes together have a share below n 2**-800, less than one cell, so that bottom is decided
# for every u but the last, and no other outcome is decided at all.


@dataclass(frozen=True)
class _Sums:
    """Cumulative weights in doubles, in blocks, with a bound on their error.

    Each cumulative sum S and its double F satisfy ``|F - S| <= error * S + slack``: eta and sigma
    of Theorem 2 of ``docs/leveled-choice.md``; the comment above the class proves it.
    """

    blocks: npt.NDArray[np.float64]  # (number of blocks, _BLOCK): weights, padded with zeros
    ends: npt.NDArray[np.float64]  # cumulative sum at the end of each block
    error: float
    slack: float

    @classmethod
    def of(cls, weights: LevelWeights) -> _Sums:
        """Return the sums of the given weights."""
        best, rate = weights.scale, abs(weights.rate)
        counts = weights.counts
        # 1. counts as doubles below 2**_COUNT_BITS: c = count / 2**shift, rounded to nearest
        shift = max(0, int(counts.max(initial=0)).bit_length() - _COUNT_BITS)
        if counts.dtype == object:
            unit = 1 << shift
            values = np.array([int(c) / unit for c in counts.tolist()], dtype=np.float64)
        else:
            values = counts.astype(np.float64)
        # 2. gaps to the best score, as integers; beyond `far`, e**(-rate * gap) <= 2**-_FAR_BITS
        gaps = _distance(weights.scores, best, above=weights.rate < 0)
        widest = int(gaps[values > 0].max(initial=0))
        far = widest if not rate else min(widest, ceil(_FAR_BITS * LN2 / rate))
        values[gaps > far] = 0.0
        gaps[gaps > far] = 0
        # 3. times e**(-rate * gap), as a product of table entries, one for each digit of the gap
        for digit, table in decays(rate, far):
            values *= table[(gaps >> np.uint64(digit)) & np.uint64(len(table) - 1)]
        # 4. bottom on the same scale; beside 2**900, one cell of U holds all the other outcomes
        error = 0.0
        if weights.bottom is not None:
            with ctx.workprec(160):
                first = weights.bottom * exp(-weights.rate * best, times=Fraction(1, 1 << shift))
                enclosed = first.enclose(160)
                if not enclosed.is_zero() and enclosed.rel_accuracy_bits() < 100:
                    error = inf  # nothing is decided
                value = float(enclosed.mid()) if enclosed < arb(2) ** 900 else 2.0**900
            values = np.concatenate([[value], values])
        # 5. sums inside blocks of fixed length, and over blocks
        n = len(values)
        blocks = np.zeros((-(-n // _BLOCK), _BLOCK))
        blocks.reshape(-1)[:n] = values
        ends = np.cumsum(blocks.sum(axis=1))
        return cls(blocks, ends, error + (_BLOCK + len(blocks) + 64) * 2.0**-52, n * 2.0**-97)

    def decide(self, u: int) -> int | None:
        """Return the outcome of every uniform in ``[u, u + 1) / 2**64``, if it is surely one."""
        total = float(self.ends[-1])
        low, high = total * (u * 2.0**-64), total * ((u + 1) * 2.0**-64)
        block = int(np.searchsorted(self.ends, low, side="right"))
        if block == len(self.ends) or self.error == inf:
            return None
        before = float(self.ends[block - 1]) if block else 0.0
        inside = before + np.cumsum(self.blocks[block])
        i = int(np.searchsorted(inside, low, side="right"))
        if i == _BLOCK:
            return None
        start = float(inside[i - 1]) if i else before
        up, down = 1 + 2 * self.error, 1 - 2 * self.error
        if (
            start * up + self.slack < low * down - self.slack
            and high * up + self.slack < float(inside[i]) * down - self.slack
        ):
            return block * _BLOCK + i
        return None


_BLOCK = 1024
_COUNT_BITS = 100
_FAR_BITS = 200
_DIGIT_BITS = 12


def decays(rate: Fraction, far: int) -> list[tuple[int, npt.NDArray[np.float64]]]:
    """Return (place of a digit, its factors) with which ``e**(-rate * g)`` is a product, g <= far.

    Each factor is the double nearest to its exact value, up to a relative 2**-52.
    """
    length = far.bit_length() if rate else 0
    digits = -(-length // _DIGIT_BITS)
    width = -(-length // digits) if digits else 0
    tables = []
    with ctx.workprec(160):
        for place in range(0, width * digits, width or 1):
            step = ball(-rate * 2**place).exp()
            power, factors = arb(1), []
            for j in range(2**width):
                # what lies beyond `far` is never looked up
                factors.append(float(power.mid()) if j << place <= far else 0.0)
                power = power * step
            tables.append((place, np.array(factors)))
    return tables


def _distance(scores: Integers, best: int, *, above: bool) -> npt.NDArray[np.uint64]:
    """Return ``|scores - best|`` for int64 scores on one side of the best, above it or not."""
    wrapped = scores.astype(np.uint64) - np.uint64(best % 2**64)  # arithmetic modulo 2**64
    return wrapped if above else np.uint64(0) - wrapped


def _integers(values: Any) -> Integers:
    """Return integers as an array of int64, or of Python integers where they do not fit."""
    array = np.asarray(values)
    if array.ndim == 1 and not array.size:
        return np.zeros(0, dtype=np.int64)
    if array.dtype in (object, np.uint64) or array.dtype.kind == "f":
        # of several sizes: NumPy makes floats of integers beyond 64 bits
        listed = list(values)
        if array.ndim == 1 and all(isinstance(v, int | np.integer) for v in listed):
            exact = [int(v) for v in listed]
            fits = min(exact) >= -(2**63) and max(exact) < 2**63
            return np.array(exact, dtype=np.int64 if fits else object)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError("Scores and counts must be one-dimensional arrays of integers.")
    return array.astype(np.int64, copy=False)


def exact_integers(values: Any, reach: float | None = None) -> Integers:
    """Return integers as int64 if nothing that they are used for leaves 64 bits, else as Python's.

    What counts candidates, places or gaps passes through here where it is made.

    Examples
    --------
    >>> exact_integers([2**61, 7]).dtype, exact_integers([2**62] * 2).sum()
    (dtype('int64'), 9223372036854775808)
    """
    array = _integers(values)
    if reach is None:  # a sum of doubles may be too small, but not by half
        reach = 2 * float(np.abs(array.astype(np.float64)).sum()) if array.dtype != object else inf
    return array if reach < 2**63 else array.astype(object)


def levels_of(scores: Integers, counts: Integers | None) -> tuple[Integers, Integers]:
    """Return the distinct scores that have a candidate, ascending, and how many have each.

    Counts are `exact_integers`.
    """
    if counts is not None:
        if len(counts) != len(scores):
            raise ValueError("Each group needs one score and one count.")
        if len(counts) and counts.min() < 0:
            raise ValueError("Counts must be nonnegative.")
        if not counts.all():
            scores, counts = scores[counts > 0], counts[counts > 0]
    if not len(scores):
        return scores, np.zeros(0, dtype=np.int64)
    low, high = int(scores.min()), int(scores.max())
    if scores.dtype != object and high - low <= 4 * len(scores) + 1024:
        if counts is None:
            totals = np.bincount(scores - low)
        else:
            totals = np.zeros(high - low + 1, dtype=counts.dtype)
            np.add.at(totals, scores - low, counts)
        there = np.flatnonzero(totals)
        return there + low, totals[there]
    if counts is None:
        return np.unique(scores, return_counts=True)
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    return ordered[first], np.add.reduceat(counts[order], first)


# -- The exponential mechanism over streamed runs: only the best levels are kept in memory.
#
# Where nearly every point has a score of its own, there are as many levels as points. A draw
# needs hardly any of them: what lies far below the best score weighs next to nothing. So a pass
# over the runs keeps the levels near the best one, and bounds the weight of all others together,
# the *tail*; a draw that the bound does not decide fetches the tail. The law is that of
# `LeveledChoice`. Proof: ``docs/leveled-choice.md``, Theorem 3.


#: The tail weighs at most 2**-96 of the best candidate, so that 64 bits of a draw decide.
_TAIL_BITS = 96
#: At most this many scores are near the best one: 32 MB. At a tiny rate the tail is heavier.
_WIDEST = 1 << 22
#: Levels of pieces are merged when so many have come together.
_PENDING = 1 << 20


@dataclass(frozen=True, eq=False, repr=False)
class StreamedRuns:
    """An integer score for every integer of a range, as runs that come in pieces.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> pieces = [ScoreRuns(np.array([0, 5]), 9, np.array([3, 1])),
    ...           ScoreRuns(np.array([9]), 2**40, np.array([-200]))]
    >>> StreamedRuns(lambda: iter(pieces), 2**40).draw(Fraction(1), SeededSource(0))
    3
    """

    pieces: Callable[[], Iterator[ScoreRuns]]
    size: int
    gap: int | None = None

    def draw(self, rate: Fraction, source: Source) -> int:
        """Return an integer with probability exactly proportional to ``e**(rate * score)``."""
        weights = self.weights(rate)
        score, total = weights.level(source.choose(weights))
        return self._member(score, source.below(total))

    def weights(self, rate: Fraction) -> StreamedWeights:
        """Return what is presented to the source: the levels, ascending."""
        return StreamedWeights(self, Fraction(rate))

    def together(self) -> LeveledChoice[int]:
        """Return the same choice with all runs in memory."""
        pieces = list(self.pieces())
        starts = [start for piece in pieces for start in piece.starts.tolist()]
        scores = np.concatenate([piece.scores for piece in pieces])
        lengths = np.concatenate([piece.lengths for piece in pieces])
        return LeveledChoice(scores, lengths, lambda run, place: int(starts[run]) + place)

    def levels(self, gap: int | None = None) -> tuple[Integers, Integers]:
        """Return the distinct scores, ascending, and how many integers have each; one pass."""
        kept: list[tuple[Integers, Integers]] = []
        pending, merged = 0, 0
        for runs in self.pieces():
            levels = levels_of(runs.scores, runs.lengths)
            kept.append(levels)
            pending += len(levels[0])
            if pending > merged + _PENDING or gap is not None:
                kept = [_near(kept, gap)]
                pending = merged = len(kept[0][0])
        return _near(kept, gap)

    def _member(self, score: int, place: int) -> int:
        """Return the integer at a place among those of a score, in order."""
        for runs in self.pieces():
            groups = np.flatnonzero(runs.scores == score)
            ends = np.cumsum(runs.lengths[groups])
            inside = int(ends[-1]) if len(ends) else 0
            if place < inside:
                at = int(np.searchsorted(ends, place, side="right"))
                return int(runs.starts[groups[at]]) + place - (int(ends[at - 1]) if at else 0)
            place -= inside
        raise AssertionError("the pieces have changed between two passes")


class StreamedWeights(TabulatedWeights):
    """The weights of all levels, of which those near the best are known, and the tail is bounded.

    What is presented (`enclose`) are the weights of all levels; asking for them fetches the tail.
    """

    def __init__(self, runs: StreamedRuns, rate: Fraction) -> None:
        super().__init__()
        self._runs, self._rate = runs, rate
        gap = runs.gap
        if rate <= 0:
            gap = None  # the best score is not the heaviest one
        elif gap is None:
            needed = (_TAIL_BITS + runs.size.bit_length()) * LN2 / rate
            gap = min(ceil(needed), _WIDEST)
        scores, counts = runs.levels(gap)
        self.near = LevelWeights(counts, scores, rate)
        self.rest = runs.size - sum(counts.tolist())
        if not self.rest:
            self.all = self.near
        else:
            assert gap is not None
            tail = heaviest_tail(rate, int(scores[-1]) - gap - 1, self.rest)
            self._heaviest = LevelWeights(counts, scores, rate, tail)

    @cached_property
    def all(self) -> LevelWeights:
        """All levels; a pass, unless there is no tail."""
        scores, counts = self._runs.levels()
        return LevelWeights(counts, scores, self._rate)

    def together(self) -> LevelWeights:
        """Return the same weights with all runs in memory."""
        return self._runs.together().weights(self._rate)

    def __len__(self) -> int:
        return len(self.all)

    def enclose(self, bits: int) -> Sequence[arb]:
        """Return the enclosures of all levels."""
        return self.all.enclose(bits)

    def thresholds(self) -> tuple[tuple[int, int], ...]:
        """Return those of all levels."""
        return self.all.thresholds()

    def decide(self, u: int) -> int | None:
        """Return the outcome of every uniform in ``[u, u + 1) / 2**64``; None if there are two.

        While the tail is not known, outcomes count from the best level: it is -1.
        """
        if "all" in self.__dict__:
            return self.all.decide(u)
        # The true tail weighs between nothing and the heaviest one (Theorem 3).
        least, most = self.near.decide(u), self._heaviest.decide(u)
        if least is None or most is None or most != least + 1:
            return None
        return least - len(self.near)

    def level(self, outcome: int) -> tuple[int, int]:
        """Return the score of an outcome, and how many candidates have it."""
        levels = self.near if outcome < 0 else self.all
        return int(levels.scores[outcome]), int(levels.counts[outcome])


def heaviest_tail(rate: Fraction, score: int, candidates: int) -> Exp:
    """Return the most that candidates with at most this score weigh together, at a rate > 0."""
    return exp(rate * score, times=candidates)


def _near(kept: list[tuple[Integers, Integers]], gap: int | None) -> tuple[Integers, Integers]:
    """Merge levels, and leave out those that are too far below the best one."""
    scores = np.concatenate([scores for scores, _ in kept])
    counts = np.concatenate([counts for _, counts in kept])
    if gap is not None and len(scores):
        close = scores >= int(scores.max()) - gap
        scores, counts = scores[close], counts[close]
    return levels_of(scores, exact_integers(counts))


# -- The exponential mechanism over streamed pairs of ends: of a left and a right end.
#
# The score of a pair (i, j), i < j, is a difference ``W_i - W_j`` of running sums, so the pairs
# with right end j weigh ``right_j * sum of left_i * e**(rate * (W_i - W_j))``, i < j: a running
# sum again. A sweep computes these weights in doubles, with a bound on their error, and keeps the
# sums of whole parts only; one more sweep finds the right end. Where doubles do not decide, balls
# do, in the same memory.
#
# *Proof of Theorem 4 of docs/leveled-choice.md.* In balls S_j = (S_(j-1) + b_j) e**(-r w_j), of
# which the sums at the ends of parts are kept; the outcome lies in one part, which is read again.
# In doubles, for r > 0, everything is divided by the weight e**(r B) of one best pair, B = max(0,
# max (W_i - W_j)), an integer that a first pass finds. Let M_j = max W_i, i < j. Points come in
# segments in which M moves by at most h = 100/r (or by nothing); inside one, left ends are summed
# as b e**(-r (M' - W_i)), M' the segment's last M, and multiplied by e**(r (M' - W_j - B)), which
# is e**(r (M' - M0)) <= e**100 times e**(-r (W_j + B - M0)), M0 its first M. What weighs less
# than 2**-480 of the best pair counts as 0.
#
# Scaled, the total is at least 1: the best pair is there, or B = 0 and the pairs without points
# weigh at least 1. *What is left out*: there are at most 2**126 pairs. A pair of a point whose
# best score is more than 480 ln 2 / r below B weighs less than 2**-480: together at most 2**-354.
# A left end that is dropped lies further than that below M' <= M_j + h, so its pair weighs less
# than e**100 2**-480 < 2**-335: together at most 2**-209. Underflow adds less than 2**-700. All
# is below sigma/3. *What is rounded*: every number is nonnegative. A left end's term has one
# conversion and one factor of a table (29 eps, as above). Inside its segment it passes through at
# most 1024 + V + 2 additions, in blocks; each later segment multiplies the sum by one such factor
# and adds once: at most 32 roundings. A weight has four more products, the scale (2 eps) and one
# more factor. The sum over points passes through 1024 + V + T + 2 additions. In all at most 2
# (1024 + V) + T + 32 G + 150 roundings by eps each; as long as their sum is below 0.01, the
# relative error is at most 1.01 times that, less than 0.52 eta.


Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: What weighs less than 2**-480 of the best pair counts as nothing: all of it below 2**-200.
_PAIRS_FAR_BITS = 480
#: Exponents inside one segment differ by at most this: nothing overflows, nothing relevant is lost.
_SPAN = 100
_SLACK = 2.0**-200
_BALL_BITS = 192
_KNOWN = 1 << 16


class PairPart(NamedTuple):
    """Some points in increasing order."""

    before: Ints
    after: Ints
    weights: Ints


class PairWeights(TabulatedWeights):
    """Outcome 0: pairs without points; outcome j >= 1: those whose right end is at point j.

    Examples
    --------
    >>> part = PairPart(np.array([4, 2]), np.array([2, 5]), np.array([-3, 1]))
    >>> weights = PairWeights(lambda: iter([part]), 9, 2, Fraction(1))
    >>> len(weights), [weights.decide(u) for u in (0, 2**63, 2**64 - 2**20)]
    (3, [0, 1, 2])
    """

    def __init__(
        self, parts: Callable[[], Iterator[PairPart]], pointless: int, size: int, rate: Fraction
    ) -> None:
        super().__init__()
        self._parts, self._pointless, self._size, self._rate = parts, pointless, size, rate

    def __len__(self) -> int:
        return self._size + 1

    def enclose(self, bits: int) -> list[arb]:
        """Return the enclosures: all of them, in memory."""
        lists: list[Any] = [[], [], []]
        for part in self._parts():
            for kept, column in zip(lists, part, strict=True):
                kept.extend(column.tolist())
        before, after, weights = lists
        return pair_balls(self._pointless, before, after, weights, rate=self._rate, bits=bits)

    def decide(self, u: int) -> int | None:
        """Return the outcome of every uniform in ``[u, u + 1) / 2**64``; None if there are two."""
        outcome = None if self._rate <= 0 or self._wide else self._doubles.decide(u)
        return self._by_balls(u) if outcome is None else outcome

    @cached_property
    def _wide(self) -> bool:
        """Whether numbers of ends are Python's integers, perhaps beyond doubles."""
        return any(part.before.dtype == object for part in islice(self._parts(), 1))

    @cached_property
    def _doubles(self) -> _Doubles:
        return _Doubles.of(self._parts, self._pointless, self._rate)

    def _by_balls(self, u: int) -> int | None:
        """Decide by balls, of which only those of one part are kept."""
        with ctx.workprec(_BALL_BITS + 2 * len(self).bit_length()):
            first = ball(self._pointless)
            state, states, ends = arb(0), [arb(0)], [first]
            for part in self._parts():
                total = ends[-1]
                for reached, weight in _ball_sums(states[-1], part, self._rate):
                    state, total = reached, total + weight
                states.append(state)
                ends.append(total)
            t = ends[-1] * arb(2 * u + 1, 1) / (arb(2) ** 65)  # holds total * U, U in the cell
            if bool(first > t):
                return 0
            at = bisect_right(ends, False, key=lambda c: bool(c > t)) - 1
            if not 0 <= at < len(states) - 1:
                return None
            ahead = islice(self._parts(), at)
            skipped = sum(len(part.weights) for part in ahead)
            part = next(islice(self._parts(), at, None))
            steps = (weight for _, weight in _ball_sums(states[at], part, self._rate))
            inside = list(accumulate(steps, initial=ends[at]))
            i = bisect_right(inside, False, key=lambda c: bool(c > t))
            if 0 < i < len(inside) and bool(inside[i - 1] <= t):
                return skipped + i
            return None


def pair_balls(
    pointless: int,
    before: list[int],
    after: list[int],
    weights: list[int],
    *,
    rate: Fraction,
    bits: int,
) -> list[arb]:
    """Return enclosures of the weights of outcomes 0, 1, ..., of points that are kept in memory.

    The sums obey ``S_j = (S_{j-1} + before_j) * e**(-rate * w_j)``: sums and products of positive
    balls, so the relative error grows by about one unit of rounding a step, and never cancels.
    """
    with ctx.workprec(bits + 2 * (len(weights) + 1).bit_length() + 8):
        part: Any = (before, after, weights)
        return [ball(pointless), *(weight for _, weight in _ball_sums(arb(0), part, rate))]


def _ball_sums(state: arb, part: Any, rate: Fraction) -> Iterator[tuple[arb, arb]]:
    """Yield for each point S_j, and the weight of the pairs that end there."""
    factors: dict[int, arb] = {}
    columns = (c if isinstance(c, list) else c.tolist() for c in part)
    for before, after, weight in zip(*columns, strict=True):
        factor = factors.get(weight)
        if factor is None:
            if len(factors) == _KNOWN:
                factors.clear()
            factor = factors[weight] = ball(-rate * weight).exp()
        state = (state + ball(before)) * factor
        yield state, state * ball(after)


class _State(NamedTuple):
    """What a sweep knows before a part: W, the largest W of a left end, their sum beside it."""

    reached: int
    top: int
    total: float


@dataclass
class _Doubles:
    """Cumulative weights in doubles at the ends of parts, and how to continue from each.

    Each cumulative sum S and its double F satisfy ``|F - S| <= error * S / 2 + slack / 3``, after
    all weights were divided by that of one best pair (Theorem 4).
    """

    parts: Callable[[], Iterator[PairPart]]
    rate: Fraction
    best: int
    states: list[_State]
    ends: list[float]
    sizes: list[int]
    segments: int

    @classmethod
    def of(
        cls, parts: Callable[[], Iterator[PairPart]], pointless: int, rate: Fraction
    ) -> _Doubles:
        """Sweep twice: for the best score, and for the sums."""
        best = 0
        reached, top = 0, 0
        for part in parts():
            now, tops = _running(part, reached, top)
            best = max(best, int((tops - now).max()))
            reached, top = int(now[-1]), max(int(tops[-1]), int(now[-1]))
        with ctx.workprec(160):
            first = float(exp(-rate * best, times=pointless).enclose(160).mid())
        doubles = cls(parts, rate, best, [_State(0, 0, 0.0)], [first], [], 0)
        for part in parts():
            values, state = doubles._values(part, doubles.states[-1])
            doubles.states.append(state)
            doubles.ends.append(doubles.ends[-1] + float(_sums(values)[-1]))
            doubles.sizes.append(len(values))
        return doubles

    @property
    def error(self) -> float:
        """The relative error (eta of Theorem 4)."""
        return (4 * _BLOCK + 4 * self._widest + 32 * self.segments + len(self.ends) + 200) * 2**-52

    @property
    def _widest(self) -> int:
        return -(-max(self.sizes, default=0) // _BLOCK)

    @cached_property
    def _span(self) -> int:
        return max(1, min(floor(_SPAN / self.rate), 2**62))  # an integer of 64 bits

    @cached_property
    def _far(self) -> int:
        return ceil(_PAIRS_FAR_BITS * LN2 / self.rate)

    @cached_property
    def _tables(self) -> list[tuple[int, Floats]]:
        return decays(self.rate, self._far + self._span)

    def _decay(self, gaps: Ints) -> Floats:
        """Return ``e**(-rate * gap)`` for gaps >= 0, and 0 for those that are far."""
        far = gaps > self._far + self._span
        digits = np.where(far, 0, gaps).astype(np.uint64)
        out = np.ones(len(gaps))
        for digit, table in self._tables:
            out *= table[(digits >> np.uint64(digit)) & np.uint64(len(table) - 1)]
        out[far] = 0.0
        return out

    def _values(self, part: PairPart, state: _State) -> tuple[Floats, _State]:
        """Return the weights of the pairs that end in a part, and continue."""
        now, _ = _running(part, state.reached, state.top)
        was = now - part.weights
        tops = np.maximum(np.maximum.accumulate(was), state.top)
        near = self.best - (tops - now) <= self._far
        values = np.zeros(len(now))
        total, top = state.total, state.top
        for a, b in self._cuts(tops, near):
            here, low = int(tops[b - 1]), int(tops[a])
            lefts = part.before[a:b] * self._decay(here - was[a:b])
            total *= float(self._decay(np.array([here - top]))[0])
            top = here
            self.segments += 1
            if not near[a:b].any():
                total += float(_sums(lefts)[-1])
                continue
            running = total + _sums(lefts)
            total = float(running[-1])
            with ctx.workprec(160):
                scale = float((ball(self.rate) * (here - low)).exp().mid())
            rest = self._decay(now[a:b] + self.best - low) * scale
            values[a:b] = np.where(near[a:b], part.after[a:b] * running * rest, 0.0)
        return values, _State(int(now[-1]), max(top, state.top), total)

    def _cuts(self, tops: Ints, near: npt.NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
        """Yield segments in which the largest W moves by at most a span, or no point is near."""
        window = (tops - tops[0]) // self._span
        edges = [0, *(np.flatnonzero(np.diff(window)) + 1).tolist(), len(tops)]
        counts = np.concatenate([[0], np.cumsum(near)])
        start: int | None = None
        for a, b in pairwise(edges):
            if counts[a] == counts[b]:
                start = a if start is None else start
                continue
            if start is not None:
                yield start, a
                start = None
            yield a, b
        if start is not None:
            yield start, len(tops)

    def decide(self, u: int) -> int | None:
        """Return the outcome of every uniform in ``[u, u + 1) / 2**64``, if it is surely one."""
        total = self.ends[-1]
        low, high = total * (u * 2.0**-64), total * ((u + 1) * 2.0**-64)
        at = bisect_right(self.ends, low) - 1
        if at == len(self.sizes):
            return None
        if at < 0:
            return 0 if self._surely(None, low, high, self.ends[0]) else None
        part = next(islice(self.parts(), at, None))
        kept = self.segments
        values, _ = self._values(part, self.states[at])
        self.segments = kept
        inside = self.ends[at] + _sums(values)
        i = int(np.searchsorted(inside, low, side="right"))
        if i == len(inside):
            return None
        start = float(inside[i - 1]) if i else self.ends[at]
        if not self._surely(start, low, high, float(inside[i])):
            return None
        return 1 + sum(self.sizes[:at]) + i

    def _surely(self, start: float | None, low: float, high: float, end: float) -> bool:
        up, down = 1 + 2 * self.error, 1 - 2 * self.error
        after = start is None or start * up + _SLACK < low * down - _SLACK
        return after and high * up + _SLACK < end * down - _SLACK


def _running(part: PairPart, reached: int, top: int) -> tuple[Ints, Ints]:
    """Return W after each point, and the largest W of a left end in front of it."""
    now = reached + np.cumsum(part.weights)
    tops = np.maximum(np.maximum.accumulate(now - part.weights), top)
    return now, tops


def _sums(values: Floats) -> Floats:
    """Return cumulative sums, in blocks, so that none passes through many additions."""
    rows = -(-len(values) // _BLOCK)
    blocks = np.zeros((rows, _BLOCK))
    blocks.reshape(-1)[: len(values)] = values
    np.cumsum(blocks, axis=1, out=blocks)
    blocks[1:] += np.cumsum(blocks[:-1, -1])[:, None]
    return blocks.reshape(-1)[: len(values)]
