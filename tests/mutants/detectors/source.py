"""Checks of the door: bits become outcomes exactly, secret ones stay secret, none serves twice."""

from __future__ import annotations

import math
import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import accumulate, combinations_with_replacement, product
from typing import Any

import numpy as np

from littlestone.classes import Intervals, Points, Prefixes, Thresholds
from littlestone.data import Sample
from littlestone.data.sample import Batch, Counted
from littlestone.learners.exponential.estimators import GenericLearner
from littlestone.source import (
    ExactSource,
    ExplicitWeights,
    LeveledChoice,
    LevelWeights,
    ReplaySource,
    ScoreRuns,
    SecureSource,
    SeededSource,
    Source,
    SweptRuns,
    exp,
)
from littlestone.source.sampler import BitSource

from .base import Detector

__all__ = ["OF_SOURCE"]


class _Ended(Exception):
    pass


class _Given(BitSource):
    """A source of given bits; whoever asks for more ends the run."""

    seeded = True

    def __init__(self, bits: tuple[int, ...]) -> None:
        self.bits, self.at = bits, 0

    def _bits(self, k: int) -> int:
        if self.at + k > len(self.bits):
            raise _Ended
        taken = self.bits[self.at : self.at + k]
        self.at += k
        return sum(bit << i for i, bit in enumerate(taken))

    def _bytes(self, k: int) -> bytes:
        return self._bits(8 * k).to_bytes(k, "little")

    def public_rng(self) -> np.random.Generator:
        raise AssertionError("a private choice asked for public coins")


class _Counting(SeededSource):
    """Counts the secret bits that are drawn."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.drawn = 0

    def _bits(self, k: int) -> int:
        self.drawn += k
        return super()._bits(k)

    def _bytes(self, k: int) -> bytes:
        self.drawn += 8 * k
        return super()._bytes(k)


def uniform_integers() -> str | None:
    """Run below(m) on all bit patterns: all outcomes that are reached are equally likely."""
    for m in (2, 3, 5, 6, 7):
        counts: Counter[int] = Counter()
        for bits in product((0, 1), repeat=9):
            source = _Given(bits)
            try:
                counts[source.below(m)] += 1
            except _Ended:
                continue
        # each accepted prefix of each length: the counts must agree
        if len(counts) != m or len(set(counts.values())) != 1:
            return f"below({m}) is not uniform"
    return None


def _toss(coin: ExplicitWeights, source: Source) -> int:
    return source.choose(coin)


def exact_thresholds() -> str | None:
    """Compare the first 64 bits' decisions with the exact weights."""
    coins = [
        ExplicitWeights(1, exp(1)),
        ExplicitWeights(1, 2),
        ExplicitWeights(exp(-3), 1, exp(2)),
        ExplicitWeights(1, exp(-40)),
    ]
    for coin in coins:
        law = ExactSource().law(partial(_toss, coin))
        edge = 0.0
        for outcome, (low, high) in enumerate(coin.thresholds()):
            edge += float(law.outcomes[outcome])
            if not low <= edge * 2**64 * (1 + 1e-12) or not edge * 2**64 * (1 - 1e-12) <= high:
                return "a threshold lies elsewhere than its weight"
            if low == high and math.ldexp(edge, 64) != low:
                return "weights are rounded to 64 bits"
    return None


def hopeless_levels() -> str | None:
    """Ask for the weight of an outcome that nobody will ever see: it is not zero."""
    for gap in (800, 10_000, 10**7):
        weights = LevelWeights([1, 1], [0, gap], Fraction(1))
        if any(bool(ball == 0) for ball in weights.enclose(64)):
            return f"an outcome {gap} below the best is impossible"
    return None


def counts_beyond_64_bits() -> str | None:
    """Draw the first and the last candidate of groups that together pass 64 bits."""
    counts = [2**62 + 1, 2**62, 2**62 - 1, 7]
    ends = list(accumulate(counts))
    runs = ScoreRuns(np.array([0, *ends[:-1]], dtype=object), ends[-1], np.array([3, 3, 3, 0]))
    for choice, given in (
        (LeveledChoice(runs.scores, counts, lambda i, place: sum(counts[:i]) + place), "memory"),
        (SweptRuns(lambda: iter([runs]), ends[-1]), "pieces"),
    ):
        for i, end in enumerate(ends):
            for number in (end - counts[i], end - 1):
                place = number if i < 3 else number - ends[2]
                source = ReplaySource([int(i < 3), place])
                try:
                    drawn = choice.draw(Fraction(1), source)
                except (IndexError, ValueError, RuntimeError):
                    return f"in {given}, a draw fails"
                if drawn != number:
                    return f"in {given}, another candidate is drawn"
                if source.presented[1] != ("below", ends[2] if i < 3 else counts[3]):
                    return f"in {given}, candidates are lost"
    return None


def secret_bits() -> str | None:
    """Check that what must be secret is made of secret bits, enough of them."""
    for n in (2, 20, 200):
        source = _Counting(1)
        source.permutation(n)
        if source.drawn < math.log2(math.factorial(n)):
            return f"a permutation of {n} used {source.drawn} secret bits"
    seen = {tuple(SeededSource(seed).permutation(6).tolist()) for seed in range(400)}
    first = Counter(order[0] for order in seen)
    return None if len(seen) > 150 and len(first) == 6 else "permutations repeat themselves"


def orders_are_uniform() -> str | None:
    """Compare the frequencies of all orders of three with one sixth each."""
    source = SeededSource(11)
    counts = Counter(tuple(source.permutation(3).tolist()) for _ in range(6000))
    if len(counts) < 6 or max(abs(c - 1000) for c in counts.values()) > 6 * math.sqrt(1000):
        return f"orders of three come up {sorted(counts.values())} times"
    return None


def entropy_serves_once() -> str | None:
    """Draw often from the system's entropy, in a parent and in its children: nothing repeats."""
    source = SecureSource()
    seen = [source.below(2**64) for _ in range(2000)]
    if len(set(seen)) < len(seen):
        return "a secure source repeats itself"
    return _forked(lambda: source.below(2**64))


def _forked(draw: Callable[[], int]) -> str | None:
    draw()  # fills the buffer that a child could share
    context = multiprocessing.get_context("fork")
    queue: Any = context.SimpleQueue()
    children = [context.Process(target=lambda: queue.put(draw())) for _ in range(2)]
    for child in children:
        child.start()
    found = [queue.get() for _ in children]
    for child in children:
        child.join()
    return "a forked child repeats its parent" if len({*found, draw()}) < 3 else None


def seeds_are_named() -> str | None:
    """Check that reproducible releases say so, and others draw from the system."""
    for seed, seeded in ((None, False), (3, True)):
        made = GenericLearner(Thresholds(1, 3), epsilon=1, random_state=seed).fit([1, 3], [0, 1])
        said = str(made.guarantee_)
        if made.guarantee_.seeded is not seeded or ("NOT PRIVATE" in said) is not seeded:
            return f"random_state={seed}: {said}"
    fits = [GenericLearner(Thresholds(1, 10**6), epsilon=1).fit([1, 3], [0, 1]) for _ in range(4)]
    if len({str(made.hypothesis_) for made in fits}) == 1:
        return "fits without a seed repeat one another"
    return None


class _InBatches(Counted):
    """A sample that comes in some batches, of points or of their numbers on a line."""

    in_memory = False

    def __init__(self, *batches: tuple[Any, Any, Any]) -> None:
        points, zeros, ones = (np.concatenate(columns) for columns in zip(*batches, strict=True))
        super().__init__(points, np.stack([zeros, ones]))
        self.__dict__["_batches"] = [Batch(p, np.stack([z, o])) for p, z, o in batches]

    def batches(self, line: Any = None) -> Iterator[Batch]:
        return iter(self.__dict__["_batches"])


def _of_records(records: list[tuple[int, int]], *batches: list[int]) -> Sample:
    counts = ([np.array([records.count((x, y)) for x in b]) for y in (0, 1)] for b in batches)
    pairs = zip(batches, counts, strict=True)
    return _InBatches(*((np.array(b), zeros, ones) for b, (zeros, ones) in pairs))


def swept_thresholds() -> str | None:
    """Draw swept thresholds with given bits, at and beside the boundaries between the levels."""
    high, rate = 40, Fraction(1, 2)
    records = [(3, 0), (3, 0), (9, 1), (10, 0), (17, 1), (30, 1), (30, 1), (38, 0)]
    cls, sample = Thresholds(1, high), _of_records(records, [3], [9, 10, 17], [30, 38])
    by_errors: dict[int, list[int]] = {}
    for u in range(high + 1):
        by_errors.setdefault(sum(int(x > u) != y for x, y in records), []).append(u)
    worst_first = sorted(by_errors.items(), reverse=True)
    sums = list(accumulate(len(us) * math.exp(-rate * wrong) for wrong, us in worst_first))
    for gap in (0, 1, 2, None):
        runs = SweptRuns(lambda: cls._swept(sample), cls.size, gap)
        for level, (_, us) in enumerate(worst_first):
            before = sums[level - 1] if level else 0.0
            for share in (0.001, 0.5, 0.999):
                at = int((before + share * (sums[level] - before)) / sums[-1] * 2**64)
                for place in (0, len(us) - 1):
                    source = _Steps([at, place])
                    if runs.draw(rate, source) != us[place]:
                        return f"with {gap} levels another threshold is drawn"
                    if source.asked[-1] != (len(us) - 1).bit_length():
                        return f"with {gap} levels {source.asked[-1]} bits of a place are drawn"
    return None


def swept_intervals() -> str | None:
    """Draw swept intervals with given bits, beside the boundaries between the right ends."""
    high, rate = 40, Fraction(1, 2)
    records = [(3, 0), (3, 0), (9, 1), (10, 1), (17, 1), (30, 0), (31, 1), (38, 0)]
    cls, sample = Intervals(1, high), _of_records(records, [3], [9, 10, 17], [30, 31, 38])
    points = sorted({x for x, _ in records})
    ending = [0.0] * (len(points) + 1)  # 0: the empty interval, and those without points
    ending[0] = math.exp(-rate * sum(y for _, y in records))
    for a, b in combinations_with_replacement(range(1, high + 1), 2):
        wrong = sum(int(a <= x <= b) != y for x, y in records)
        inside = [j for j, x in enumerate(points, 1) if a <= x <= b]
        ending[inside[-1] if inside else 0] += math.exp(-rate * wrong)
    sums = list(accumulate(ending))
    for j in range(1, len(points) + 1):
        for share in (0.001, 0.5, 0.999):
            at = int((sums[j - 1] + share * (sums[j] - sums[j - 1])) / sums[-1] * 2**64)
            found: Any = cls.candidates(sample).draw(rate, _Steps([at, 0, 0, 0]))
            if getattr(found, "last", None) != points[j - 1]:
                return f"another right end than the one at point {j} is drawn"
    return None


def swept_points() -> str | None:
    """Compare the scores of swept points, and of swept prefixes, with a count by hand."""
    for cls in (Points(1, 12), Prefixes("ab", 3)):
        line: Any = cls.domain.line
        first = 1 if isinstance(cls, Points) else 0
        keys = np.array([0, 1, 4, 5, 9]) + first
        ones, zeros = np.array([2, 0, 5, 1, 0]), np.array([0, 3, 1, 0, 7])
        parts = ([0, 1], [2], [3, 4])
        sample = _InBatches(*((keys[part], zeros[part], ones[part]) for part in parts))
        points, labels = line.points(keys), zip(zeros.tolist(), ones.tolist(), strict=True)
        counted = list(zip(points.tolist(), labels, strict=True))
        found = np.concatenate([np.repeat(p.scores, p.lengths) for p in cls._swept(sample)])
        errors = []
        for concept in cls.concepts():
            said = [int(concept.predict(np.array([x]))[0]) for x, _ in counted]
            errors.append(sum(c[1 - y] for y, (_, c) in zip(said, counted, strict=True)))
        # the empty concept is listed first, and stands first among points, last among paths
        if not isinstance(cls, Points):
            errors = errors[1:] + errors[:1]
        if (-found).tolist() != errors:
            return f"{cls}: a swept score is not minus the errors"
    return None


class _Steps(BitSource):
    """Hands out integers, one for each request; zeros after them."""

    seeded = True

    def __init__(self, values: list[int]) -> None:
        self.values, self.asked = iter(values), [0]

    def _bits(self, k: int) -> int:
        self.asked.append(k)
        return next(self.values, 0)

    def _bytes(self, k: int) -> bytes:
        raise AssertionError("a choice asked for bytes")

    def public_rng(self) -> np.random.Generator:
        raise AssertionError("a private choice asked for public coins")


OF_SOURCE: dict[str, Detector] = {
    "counts beyond 64 bits": counts_beyond_64_bits,
    "uniform integers": uniform_integers,
    "thresholds of coins": exact_thresholds,
    "hopeless outcomes": hopeless_levels,
    "secret bits": secret_bits,
    "uniform orders": orders_are_uniform,
    "entropy serves once": entropy_serves_once,
    "seeds are named": seeds_are_named,
    "swept intervals": swept_intervals,
    "swept points": swept_points,
    "swept thresholds": swept_thresholds,
}
