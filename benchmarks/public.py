"""Public points: what is certified with and without them, failures there and at an eighth; streams.

Run (about ten minutes; ``--trials 30`` for less)::

    python benchmarks/public.py

*Laws.* Labels are coins, but for strips of mass 0.105 on both sides of each end of the best
concept, where they are certain: so whatever is off by a strip is bad by more than alpha = 0.1. In
realizable runs all labels are certain. A failure is an excess error above 0.1, on 50,000 fresh
points; the certificate allows 5 %. Public points are drawn anew in each trial.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import littlestone as ls
from littlestone.bounds.tails import clopper_pearson
from littlestone.data import Sample
from littlestone.errors import UnsupportedError
from littlestone.learners.exponential import Agnostic, Generic
from littlestone.learners.online.algorithm import algorithm_of, simulate
from littlestone.learners.online.plan import plan_online
from littlestone.source import SeededSource

SIDE, STRIP = 2**20, 0.105


@dataclass(frozen=True)
class Case:
    """A class, the number of public points, and a law with its best concept."""

    name: str
    public: int
    columns: int
    #: Coordinates in [0, 1) of shape (n, columns) to the label and to whether it is certain.
    concept: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    #: Public coordinates to the learned class and to the points that it takes, if any.
    learned: Callable[[np.ndarray], tuple[object, object]]
    without: object = None


def whole(u: np.ndarray) -> np.ndarray:
    """Return coordinates as integers."""
    return np.floor(SIDE * u).astype(np.int64)


def near(x: np.ndarray, *ends: float) -> np.ndarray:
    """Return where x is in a strip beside one of the ends."""
    return np.any([abs(x - end) < STRIP for end in ends], axis=0)


def interval(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return [0.25, 0.75)."""
    return (u[:, 0] >= 0.25) & (u[:, 0] < 0.75), near(u[:, 0], 0.25, 0.75)


def box(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return x >= 0.4 and z >= 0.4: a strip beside each side has the mass of a strip."""
    wide = STRIP / 0.6
    x, z = u[:, 0] - 0.4, u[:, 1] - 0.4
    certain = ((abs(x) < wide) & (z >= 0)) | ((abs(z) < wide) & (x >= 0))
    return (x >= 0) & (z >= 0), certain


def board(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the exclusive or of x >= 0.5 and z >= 0.5, which takes three comparisons."""
    x, z = u[:, 0] - 0.5, u[:, 1] - 0.5
    return (x >= 0) != (z >= 0), (abs(x) < STRIP) | (abs(z) < 2 * STRIP)


def schema(u: np.ndarray) -> ls.Schema:
    """Return bins at all public values."""
    return ls.Schema.from_public(dict(zip("xz", u.T, strict=False)), bins=len(u) + 1)


LINE = ls.Thresholds(0, SIDE - 1)
CASES = [
    Case("thresholds", 100, 1, lambda u: (u[:, 0] >= 0.5, near(u[:, 0], 0.5)),
         lambda u: (LINE, whole(u[:, 0])), ls.Thresholds(1, 2**65536)),
    Case("intervals", 200, 1, interval,
         lambda u: (ls.Intervals(0, SIDE - 1), whole(u[:, 0])), ls.Intervals(1, 2**65536)),
    Case("rules of two literals", 200, 2, box, lambda u: (ls.Rules(schema(u), 2), None)),
    Case("trees of depth 2", 200, 2, board, lambda u: (ls.DecisionTrees(schema(u), 2), None)),
]  # fmt: skip


def records(case: Case, rng: np.random.Generator, n: int, *, certain: bool) -> tuple:
    """Return coordinates and labels."""
    u = rng.random((n, case.columns))
    label, sure = case.concept(u)
    coins = rng.random(n) < 0.5
    return u, np.where(sure | certain, label, coins).astype(np.int64)


def points(concept_class: object, u: np.ndarray) -> np.ndarray:
    """Return coordinates as points of a class."""
    if isinstance(concept_class, ls.Rules | ls.DecisionTrees):
        return concept_class.domain.array(u, caller="benchmark")
    return whole(u[:, 0])


def failures(case: Case, n: int, trials: int, epsilon: str, *, agnostic: bool) -> int:
    """Return in how many trials the release is bad."""
    rng, bad = np.random.default_rng(5), 0
    fresh = rng.random((50_000, case.columns))
    truth, sure = case.concept(fresh)
    counted = sure if agnostic else np.ones(len(fresh), dtype=bool)
    kind = Agnostic if agnostic else Generic
    for trial in range(trials):
        concepts, public = case.learned(rng.random((case.public, case.columns)))
        u, y = records(case, rng, n, certain=not agnostic)
        learner = kind(concepts, epsilon=epsilon, public=public)
        drawn = learner.draw(Sample.of(points(concepts, u), y), SeededSource(trial))
        bad += ((drawn.predict(points(concepts, fresh)) != truth) & counted).mean() > 0.1
    return bad


def certified(case: Case, epsilon: str, *, agnostic: bool) -> int:
    """Return how many records are certified, for public points without repetition."""
    concepts, public = case.learned(np.random.default_rng(1).random((case.public, case.columns)))
    kind = Agnostic if agnostic else Generic
    return kind(concepts, epsilon=epsilon, public=public).required_samples()


def measure(trials: int) -> None:
    """Print certified numbers and measured failures."""
    print("class, epsilon, labels: public points, certified n (without public points); failures "
          "at n, at n/8, with 95 % intervals")  # fmt: skip
    for case in CASES:
        for epsilon in ("1", "1/10"):
            for agnostic in (True, False):
                n = certified(case, epsilon, agnostic=agnostic)
                cells = []
                few = trials if case.columns == 1 else max(trials // 3, 10)
                for size in (n, n // 8):
                    bad = failures(case, size, few, epsilon, agnostic=agnostic)
                    low, high = clopper_pearson(bad, few)
                    cells.append(f"{bad}/{few} ({low:.3f} to {high:.3f})")
                labels = "any" if agnostic else "realizable"
                print(f"{case.name:>22} {epsilon:>5} {labels:>10}: {case.public}, {n:,} "
                      f"({alone(case, epsilon, agnostic=agnostic)}); {cells[0]}; {cells[1]}",
                      flush=True)  # fmt: skip


def alone(case: Case, epsilon: str, *, agnostic: bool) -> str:
    """Return what is certified without public points."""
    kind = Agnostic if agnostic else Generic
    try:
        return f"{kind(case.without, epsilon=epsilon).required_samples():,}"
    except (UnsupportedError, ValueError):
        return "none"


# -- streams ---------------------------------------------------------------------------------------


def streams(rng: np.random.Generator, matrix: np.ndarray, n: int) -> Iterator[tuple]:
    """Yield public streams that no concept explains."""
    size, width = matrix.shape
    x = rng.integers(0, width, n)
    yield "labels turned", x, matrix[17 % size][x] ^ (rng.random(n) < 0.3)
    half = np.where(np.arange(n) < n // 2, 0, 1)
    yield "best concept changes", x, matrix[half, x]
    yield "coins", x, rng.integers(0, 2, n)


def hedge(n: int) -> None:
    """Print regret on three streams of a class of 1,000 concepts, and the time."""
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 2, (1000, 50))
    concepts = ls.theory.FiniteClass(matrix)
    plan = plan_online(concepts, epsilon=1, delta=1e-7, horizon=n, agnostic=True)
    for name, x, y in streams(rng, matrix, n):
        began = time.perf_counter()
        run = simulate(algorithm_of(concepts, plan), x, y.astype(np.int8), seed=1)
        seconds = time.perf_counter() - began
        best = min(int((row[x] != y).sum()) for row in matrix)
        print(f"{name}: regret {len(run.mistakes) - best:,} of {n:,}, at most "
              f"{run.bound.expected:,} expected; {seconds:.0f} s", flush=True)  # fmt: skip


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--records", type=int, default=10**6)
    arguments = parser.parse_args()
    measure(arguments.trials)
    hedge(arguments.records)


if __name__ == "__main__":
    main()
