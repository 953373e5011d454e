"""Measure the learner by global stability: certified, assumed and measured numbers of records.

    python benchmarks/stable.py [--runs 20]

For each class one distribution; an answer fails if its true error (on fresh records) is above 0.1.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import littlestone as ls
from littlestone.classes import ConceptClass, errors
from littlestone.data import Sample
from littlestone.errors import LittlestoneError
from littlestone.learners.stable import Stable
from littlestone.source import SeededSource, public_generator

BUDGET = {"epsilon": 1, "delta": 1e-6, "alpha": 0.1, "beta": 0.05}
WORDS = np.array([f"w{i}" for i in range(1000)], dtype=object)
RNG = public_generator(2022)
BASIS, OFFSET = RNG.integers(0, 7, (2, 20)), RNG.integers(0, 7, 20)

Draw = Callable[[int], tuple[np.ndarray, np.ndarray]]


def texts(k: int, mass: float) -> Draw:
    """Label k texts 1, each of this mass; the rest is spread over the others."""

    def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
        which = np.minimum(RNG.random(n) / mass, k).astype(int)
        X = np.where(which < k, WORDS[which], WORDS[RNG.integers(k, len(WORDS), n)])
        return X, (which < k).astype(int)

    return draw


def threshold(size: int) -> Draw:
    """Uniform points, labelled above a third."""

    def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
        X = RNG.integers(1, size + 1, n)
        return X, (size // 3 < X).astype(int)

    return draw


def flat(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Four in ten records on a plane of F_7^20."""
    X, on = RNG.integers(0, 7, (n, 20)), RNG.random(n) < 0.4
    X[on] = (RNG.integers(0, 7, (int(on.sum()), 2)) @ BASIS + OFFSET) % 7
    return X, on.astype(int)


def conjunction(n: int) -> tuple[np.ndarray, np.ndarray]:
    """x1 and x3; three in ten records are made to satisfy it."""
    X = RNG.integers(0, 2, (n, 8))
    X[RNG.random(n) < 0.3] |= np.array([1, 0, 1, 0, 0, 0, 0, 0])
    return X, X[:, 0] * X[:, 2]


CASES: list[tuple[str, ConceptClass, Draw]] = [
    ("Points()", ls.Points(), texts(1, 0.3)),
    ("SparseSets(3)", ls.SparseSets(3), texts(3, 0.12)),
    ("SparseSets(3), rare", ls.SparseSets(3), texts(3, 0.03)),
    ("Thresholds(1, 15)", ls.Thresholds(1, 15), threshold(15)),
    ("Thresholds(1, 99)", ls.Thresholds(1, 99), threshold(99)),
    ("Thresholds(1, 2**20)", ls.Thresholds(1, 2**20), threshold(2**20)),
    ("AffineSubspaces(7, 20, 2)", ls.theory.AffineSubspaces(7, 20, 2), flat),
    ("Conjunctions(8)", ls.theory.Conjunctions(8), conjunction),
]


def failures(made: Stable, draw: Draw, n: int, runs: int) -> tuple[int, float]:
    """Return in how many runs the error is above alpha, and the seconds of one."""
    domain, wrong, spent = made.concept_class.domain, 0, 0.0
    for seed in range(runs):
        sample = Sample.from_arrays(*draw(n), domain=domain)
        start = time.process_time()
        h = made.draw(sample, SeededSource(seed))
        spent += time.process_time() - start
        wrong += errors(h, Sample.from_arrays(*draw(2000), domain=domain)) > 200
    return wrong, spent / runs


def main() -> None:
    """Print one line of a Markdown table for each class."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=20)
    runs = parser.parse_args().runs
    print(
        "| class | d | theory, certified | practical, assumed | fails | seconds | least measured |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, concepts, draw in CASES:
        made = Stable(concepts, **BUDGET, constants="practical")
        n = made.required_samples()
        wrong, seconds = failures(made, draw, n, runs)
        try:
            certified = f"{Stable(concepts, **BUDGET).required_samples():.2g}"
        except LittlestoneError:
            certified = "not computed"
        least = "-"
        for part in (0.3, 0.4, 0.5, 0.6, 0.8, 1.0):
            if failures(made, draw, int(part * n), runs)[0] <= runs // 20:
                least = f"{int(part * n):,}"
                break
        cells = [name, made.d, certified, f"{n:,}", f"{wrong} of {runs}", f"{seconds:.2f}", least]
        print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main()
