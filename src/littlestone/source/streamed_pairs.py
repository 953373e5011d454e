"""The exponential mechanism over streamed pairs of ends: of a left and a right end.

The score of a pair (i, j), i < j, is a difference ``W_i - W_j`` of running sums, so the pairs with
right end j weigh ``right_j * sum of left_i * e**(rate * (W_i - W_j))``, i < j: a running sum again.
A sweep computes these weights in doubles, with a bound on their error, and keeps the sums of whole
parts only; one more sweep finds the right end. Where doubles do not decide, balls do, in the same
memory. Proof: ``docs/leveled-choice.md``, Theorem 4.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, islice, pairwise
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from littlestone.source.leveled import LN2, decays
from littlestone.source.weights import TabulatedWeights, ball, exp

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: What weighs less than 2**-480 of the best pair counts as nothing: all of it below 2**-200.
_FAR_BITS = 480
#: Exponents inside one segment differ by at most this: nothing overflows, nothing relevant is lost.
_SPAN = 100
_SLACK = 2.0**-200
_BLOCK = 1024
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
        made = cls(parts, rate, best, [_State(0, 0, 0.0)], [first], [], 0)
        for part in parts():
            values, state = made._values(part, made.states[-1])
            made.states.append(state)
            made.ends.append(made.ends[-1] + float(_sums(values)[-1]))
            made.sizes.append(len(values))
        return made

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
        return ceil(_FAR_BITS * LN2 / self.rate)

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
