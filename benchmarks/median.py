"""The private median: certified n against domain size, where the mechanisms cross, and speed.

    python benchmarks/median.py            # the tables of docs/median.md, and ratios of times

Certified n are exact and the same on every machine; times are quoted as ratios of one run.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from littlestone.mechanisms.median import Ordered, RankExponential, RankWindow, TreeEM
from littlestone.papers.yan import PrivateMedian
from littlestone.source import SecureSource

EPSILON, DELTA, BETA = Fraction(1), Fraction(1, 10**6), Fraction(1, 20)
WINDOWS = {
    "interior point, rank (0, 1)": RankWindow.of((0, 1)),
    "middle third, rank (1/3, 2/3)": RankWindow.of((Fraction(1, 3), Fraction(2, 3))),
    "middle tenth, rank (9/20, 11/20)": RankWindow.of((Fraction(9, 20), Fraction(11, 20))),
}
HEIGHTS = (10, 20, 32, 40, 41, 64, 128, 256, 1024, 2**16)


@dataclass(frozen=True)
class Deep(PrivateMedian):
    """PrivateMedian on 2**bits points: too many for their number to be written down."""

    bits: int = 0

    @property
    def height(self) -> int:
        """Of the binary tree over the domain."""
        return self.bits


def a(height: int, window: RankWindow) -> int:
    """Return what the exponential mechanism needs."""
    return RankExponential(2**height, window, EPSILON).least_n(BETA)


def b(height: int, window: RankWindow) -> int:
    """Return what TreeEM needs."""
    return TreeEM(height, window, EPSILON, DELTA).least_n(BETA)


def c(height: int, window: RankWindow, levels: int = 1) -> int:
    """Return what PrivateMedian needs."""
    return Deep(0, EPSILON, DELTA, BETA, window.alpha, levels, height).required_samples()


def first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the least k in (low, high] where a monotone property holds."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def table(name: str, window: RankWindow) -> None:
    """Print certified n against domain size."""
    print(f"\n{name}: least certified n at epsilon 1, delta 1e-6, beta 0.05")
    print("| domain | A exponential | B tree | C PrivateMedian | C, two levels |")
    print("|---|---|---|---|---|")
    for height in HEIGHTS:
        shown = f"2^{height}" if height < 2**16 else "2^(2^16)"
        needs = [a(height, window), b(height, window), c(height, window), c(height, window, 2)]
        best = min(needs)
        cells = [f"**{n:,}**" if n == best else f"{n:,}" for n in needs]
        print(f"| {shown} | {' | '.join(cells)} |")


def crossings(name: str, window: RankWindow) -> None:
    """Print from which domain size on one mechanism needs fewer records than another."""
    tree = first(lambda k: b(k, window) < a(k, window), 2, 128)
    log = first(lambda k: c(k, window) < a(k, window), 2, 1024)
    deep = first(lambda j: c(2**j, window) < b(2**j, window), 128, 160)
    print(
        f"{name}: B needs fewer than A from |X| = 2^{tree}, C fewer than A from 2^{log}, "
        f"C fewer than B from 2^(2^{deep})"
    )


def seconds(run: Callable[[], object], repeat: int = 3) -> float:
    """Return the least time of several runs."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def speed() -> None:
    """Print times of a draw as multiples of sorting the same data."""
    window = WINDOWS["middle third, rank (1/3, 2/3)"]
    many = np.random.default_rng(0).integers(-(2**60), 2**60, 10**6)
    huge = [random.Random(1).getrandbits(1024) + i for i in range(10_000)]
    huge = [(x * (2 * i + 1)) % 2**1024 for i, x in enumerate(huge)]
    for name, data, low, high in (
        ("10^6 distinct 64-bit integers", many, -(2**60), 2**60),
        ("10^4 distinct 1024-bit integers", huge, 0, 2**1024 - 1),
    ):
        plain = seconds(lambda d=data: np.sort(d) if isinstance(d, np.ndarray) else sorted(d))
        values = Ordered.read(data, low, high)
        pure = RankExponential(values.size, window, EPSILON)
        tree = TreeEM(values.height, window, EPSILON, DELTA)
        read = seconds(lambda d=data, lo=low, hi=high: Ordered.read(d, lo, hi))
        print(f"\n{name}: sorting alone {plain * 1e3:.0f} ms")
        print(f"  read, clamp, sort, count: {read / plain:.1f} times that")
        for label, mechanism in (("A", pure), ("B", tree)):
            spent = seconds(lambda m=mechanism, v=values: m.draw(v, SecureSource()))
            print(f"  draw of {label}: {spent / plain:.1f} times ({spent * 1e3:.0f} ms)")


if __name__ == "__main__":
    for title, target in WINDOWS.items():
        table(title, target)
    print()
    for title, target in WINDOWS.items():
        crossings(title, target)
    speed()
