"""What Theorem 3 of 003 and M of 004 need in simulation (docs/papers.md).

Run (about half an hour; ``--only NAME`` for one of them)::

    python experiments/papers_needed_003_004.py

The least n of a grid whose failures (error above alpha = 0.1) are within beta = 0.1 by
Clopper-Pearson (95 %, one-sided, 200 runs: at most 12) on the worst of five distributions. Single
points: the target's mass is far above, slightly above, at, or below alpha, or all other points are
atoms. Sets of at most two of six points (d = vc = 2): the target's points have the masses below.
"""

from __future__ import annotations

import argparse
import csv
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np

import littlestone as ls
from littlestone.bounds.tails import upper_limit
from littlestone.data import Sample
from littlestone.papers import alon, lyu
from littlestone.source import SeededSource

RUNS, ALPHA, BETA = 200, 0.1, 0.1
OUT = Path(__file__).parents[1] / "docs" / "experiments" / "papers_needed_003_004.csv"
#: Masses of the points 0, 1, ...; the target is the point 0.
POINTS = {
    "half": [0.5, *[0.5 / 999] * 999],
    "above alpha": [0.12, *[0.88 / 999] * 999],
    "at alpha": [0.101, *[0.899 / 999] * 999],
    "below alpha": [0.09, *[0.91 / 999] * 999],
    "atoms": [0.11, 0.3, 0.25, 0.2, 0.14],
}
#: Masses of six points; the target is the points 0 and 1.
PAIRS = {
    "uniform": [1 / 6] * 6,
    "both above alpha": [0.11, 0.11, 0.2, 0.2, 0.19, 0.19],
    "one above alpha": [0.101, 0.4, 0.2, 0.1, 0.1, 0.099],
    "both together": [0.06, 0.06, 0.3, 0.3, 0.2, 0.08],
    "heavy negatives": [0.101, 0.101, 0.7, 0.05, 0.04, 0.008],
}
SETS = ls.theory.FiniteClass(
    [[int(x in ones) for x in range(6)] for r in range(3) for ones in combinations(range(6), r)]
)
BUDGET = (Fraction(1), Fraction(1, 10**6))
LYU = lyu.Theorem3(
    ls.Points(), *BUDGET, k=10**6, chunk=40, tolerances=(2, 0), agreeing=Fraction(7, 10),
    share=Fraction(9, 20),
)  # fmt: skip
LYU_2 = lyu.Theorem3(
    SETS, *BUDGET, k=10**6, chunk=40, tolerances=(4, 1, 0), agreeing=Fraction(65, 100),
    share=Fraction(2, 5),
)  # fmt: skip
ALON = alon.M(ls.Points(), *BUDGET, 0, 8, (0, 2), 2084, Fraction(1, 1024), (65, 208), "lyu")
CASES = {
    "lyu.theorem3": (LYU, POINTS, {0}, (3200, 4000, 4800, 5600, 6400)),
    "lyu.theorem3, d = 2": (LYU_2, PAIRS, {0, 1}, (2400, 3200, 4000, 4800, 5600, 6400, 8000)),
    "alon.theorem30": (ALON, POINTS, {0}, (1500, 2500, 3500, 4500, 5500, 6500)),
}


def failures(algorithm, masses, target, n, seed):
    """Return how often the error is above alpha."""
    rng, bad, points = np.random.default_rng(seed), 0, np.arange(len(masses))
    masses = np.asarray(masses) / sum(masses)
    truth = np.isin(points, list(target)).astype(int)
    for run in range(RUNS):
        x = rng.choice(len(masses), size=n, p=masses)
        h = algorithm.draw(Sample.of(x, truth[x]), SeededSource(1000 * seed + run))
        bad += float(masses @ (h.predict(points) != truth)) > ALPHA
    return bad


def main() -> None:
    """Write one line for each algorithm and n, as far as they are needed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=list(CASES))
    only = parser.parse_args().only
    with OUT.open(newline="") as file:
        known = [row for row in csv.reader(file) if only and row[0] != only][1:]
    for name, (algorithm, laws, target, grid) in CASES.items():
        if only not in (None, name):
            continue
        for n in grid:
            found = {
                law: failures(algorithm, p, target, n, i) for i, (law, p) in enumerate(laws.items())
            }
            worst = max(found, key=found.__getitem__)
            within = float(upper_limit(found[worst], RUNS, 0.05)) <= BETA
            known.append([name, n, worst, found[worst], "yes" if within else "no"])
            print(name, n, found, flush=True)
            if within:
                break
    known.sort(key=lambda row: (list(CASES).index(row[0]), int(row[1])))
    with OUT.open("w", newline="") as file:
        write = csv.writer(file, lineterminator="\n")
        write.writerows([["algorithm", "n", "worst", "failures of 200", "within beta"], *known])


if __name__ == "__main__":
    main()
