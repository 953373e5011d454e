"""The Littlestone learner: records that are certified, and records that were enough.

    python benchmarks/littlestone_learner.py [runs]

Measured is the least number of records, with teachers of the planned size, for which at least 95 %
of the runs had error at most alpha, on the hardest of a few distributions each. Times are processor
time of one ``learn`` at the certified number of records.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import littlestone as ls
from littlestone.classes import ConceptClass, affine_span
from littlestone.data import Sample
from littlestone.learners.littlestone import Littlestone
from littlestone.source import SeededSource

BUDGET = {"epsilon": 1, "delta": "1e-6", "alpha": "0.1", "beta": "0.05"}

#: (rng, n) -> (sample, error of a hypothesis)
Draw = Callable[[np.random.Generator, int], tuple[Sample, Callable[[Any], float]]]


@dataclass(frozen=True)
class Case:
    """One class, and distributions on it."""

    concept_class: ConceptClass
    draws: tuple[Draw, ...]


def sets(weights: list[float]) -> Draw:
    """Return records on a few points of the target, and elsewhere."""
    points = [f"p{i}" for i in range(len(weights))]

    def draw(rng: np.random.Generator, n: int) -> tuple[Sample, Callable[[Any], float]]:
        counts = rng.multinomial(n, [*weights, 1 - sum(weights)])
        names = [p for p, c in zip([*points, "else"], counts, strict=True) for _ in range(c)]
        listed = np.array(points, dtype=object)

        def error(found: Any) -> float:
            return float(np.array(weights)[found.predict(listed) == 0].sum())

        return Sample.of(names, [int(p != "else") for p in names]), error

    return draw


def plane(line: float, off: float) -> Draw:
    """Return records on a plane of F_7^20: on one line of it, off it, and outside of the plane."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Sample, Callable[[Any], float]]:
        base, a, b = rng.integers(0, 7, (3, 20))
        corners = np.stack([base, (base + a) % 7, (base + b) % 7])
        flat = affine_span(7, [tuple(row) for row in corners.tolist()])

        def points(m: int) -> Any:
            kind = rng.choice(3, m, p=[line, off, 1 - line - off])
            i = rng.integers(0, 7, (m, 1))
            j = np.where(kind == 1, rng.integers(1, 7, m), 0)[:, None]
            X = (base + i * a + j * b) % 7
            X[kind == 2] = rng.integers(0, 7, (int((kind == 2).sum()), 20))
            return X

        X, fresh = points(n), points(4000)
        domain = ls.theory.AffineSubspaces(7, 20, 2).domain

        def error(found: Any) -> float:
            return float(np.mean(found.predict(fresh) != flat.predict(fresh)))

        return Sample.from_arrays(X, flat.predict(X), domain=domain), error

    return draw


def uniform(cls: Any, make: Callable[[np.random.Generator, int], Any], target: Any) -> Draw:
    """Return uniform points with the labels of a target."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Sample, Callable[[Any], float]]:
        X, fresh = make(rng, n), make(rng, 4000)

        def error(found: Any) -> float:
            return float(np.mean(found.predict(fresh) != target(fresh)))

        return Sample.from_arrays(X, target(X), domain=cls.domain), error

    return draw


CUBE, CHAIN = ls.theory.Conjunctions(8), ls.Thresholds(0, 2**20 - 1)
CASES = [
    Case(ls.Points(), tuple(sets([w]) for w in (0.09, 0.11, 0.3))),
    Case(ls.SparseSets(3), tuple(sets([w, 1.2 * w, 0.8 * w]) for w in (0.03, 0.06, 0.1, 0.2))),
    Case(ls.theory.AffineSubspaces(7, 20, 2),
         (plane(0.4, 0.09), plane(0.4, 0.12), plane(0.3, 0.3))),
    Case(CUBE, (uniform(CUBE, lambda r, n: r.integers(0, 2, (n, 8)),
                        lambda X: (X[:, 0] & X[:, 3]).astype(int)),)),
    Case(CHAIN, (uniform(CHAIN, lambda r, n: r.integers(0, 2**20, n),
                         lambda X: (X > 700_001).astype(int)),)),
]  # fmt: skip


def enough(made: Littlestone, draw: Draw, n: int, runs: int) -> bool:
    """Say whether at most one run in twenty fails."""
    rng, failures = np.random.default_rng(n), 0
    for seed in range(runs):
        sample, error = draw(rng, n)
        failures += error(made.draw(sample, SeededSource(seed))) > 0.1
        if failures > runs / 20:
            return False
    return True


def measured(made: Littlestone, draw: Draw, runs: int) -> int:
    """Return about the least number of records that is enough, in whole teachers."""
    chunk = made.plan.chunk
    low, high = 1, made.required_samples() // chunk
    while high - low > max(1, high // 40):
        middle = (low + high) // 2
        if enough(made, draw, middle * chunk, runs):
            high = middle
        else:
            low = middle
    return high * chunk


def main(runs: int = 60) -> None:
    """Print a table."""
    print(f"{runs} runs for each number of records; epsilon 1, delta 1e-6, alpha 0.1, beta 0.05")
    for case in CASES:
        made = Littlestone(case.concept_class, **BUDGET)
        most = max(measured(made, draw, runs) for draw in case.draws)
        sample, _ = case.draws[-1](np.random.default_rng(0), made.required_samples())
        started = time.process_time()
        made.draw(sample, SeededSource(0))
        spent = time.process_time() - started
        print(
            f"{case.concept_class.spec:28} {made.plan.method:9} "
            f"certified {made.required_samples():6,}  measured {most:6,}  {1000 * spent:5.0f} ms",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
