"""What Theorem 3 of 003 and M of 004 need in simulation (docs/papers.md): single points.

Run (about half an hour)::

    python experiments/papers_needed_003_004.py

The least n of a grid whose failures (error above alpha = 0.1) are within beta = 0.1 by
Clopper-Pearson (95 %, one-sided, 200 runs: at most 12) on the worst of five distributions: the
target's mass is far above, slightly above, at, or below alpha, or all other points are atoms.
"""

from __future__ import annotations

import csv
from fractions import Fraction
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
LAWS = {
    "half": [0.5, *[0.5 / 999] * 999],
    "above alpha": [0.12, *[0.88 / 999] * 999],
    "at alpha": [0.101, *[0.899 / 999] * 999],
    "below alpha": [0.09, *[0.91 / 999] * 999],
    "atoms": [0.11, 0.3, 0.25, 0.2, 0.14],
}
LYU = lyu.Theorem3(
    ls.Points(), Fraction(1), Fraction(1, 10**6), k=10**6, chunk=40, tolerances=(2, 0),
    agreeing=Fraction(7, 10), share=Fraction(9, 20),
)  # fmt: skip
ALON = alon.M(
    ls.Points(), Fraction(1), Fraction(1, 10**6), 0, 8, (0, 2), 2084, Fraction(1, 1024),
    (65, 208), "lyu",
)  # fmt: skip
GRIDS = {
    "lyu.theorem3": (LYU, (3200, 4000, 4800, 5600, 6400)),
    "alon.theorem30": (ALON, (2500, 3500, 4500, 5500, 6500)),
}


def failures(algorithm, masses, n, seed):
    """Return how often the error is above alpha."""
    rng, bad = np.random.default_rng(seed), 0
    for run in range(RUNS):
        x = rng.choice(len(masses), size=n, p=masses)
        sample = Sample.of(x, (x == 0).astype(int))
        h = algorithm.draw(sample, SeededSource(1000 * seed + run))
        said = h.predict(np.arange(len(masses)))
        wrong = said != (np.arange(len(masses)) == 0)
        bad += float(np.asarray(masses) @ wrong) > ALPHA
    return bad


def main() -> None:
    """Write one line for each algorithm and n, as far as they are needed."""
    with OUT.open("w", newline="") as file:
        write = csv.writer(file, lineterminator="\n").writerow
        write(["algorithm", "n", "worst", "failures of 200", "within beta"])
        for name, (algorithm, grid) in GRIDS.items():
            for n in grid:
                found = {
                    law: failures(algorithm, p, n, i) for i, (law, p) in enumerate(LAWS.items())
                }
                worst = max(found, key=found.__getitem__)
                within = float(upper_limit(found[worst], RUNS, 0.05)) <= BETA
                write([name, n, worst, found[worst], "yes" if within else "no"])
                file.flush()
                print(name, n, found, flush=True)
                if within:
                    break


if __name__ == "__main__":
    main()
