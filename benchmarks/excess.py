"""How often the exponential mechanism fails at the certified n, n/2 and n/4, on bad laws.

    python benchmarks/excess.py --runs 4000 > benchmarks/excess.csv

alpha = 0.1, beta = 0.05, epsilon = 1: thresholds over 2**20 points, 300 points, intervals over
1,024. A law has atoms (mass, probability of label 1); candidates without an atom between them make
the same errors and are counted together. Given the records the probability of a bad release is
exact; a coin of that bias is a trial. The limits are those of Clopper and Pearson, 99 % each.
"""

from __future__ import annotations

import argparse
import csv
import sys
from fractions import Fraction

import numpy as np

from littlestone.bounds import Atoms, Line, Ranges, agnostic
from littlestone.bounds.tails import lower_limit, upper_limit

ALPHA, EPSILON = 0.1, 1.0
_BAD = ALPHA * (1 + 1e-9)
_FIELDS = ["class", "law", "n", "trials", "failures", "lower", "upper"]


def atoms(*parts):
    """Join (mass, bias) or (mass, bias, how many) to atoms; what is left of the mass is noise."""
    whole = [part if len(part) > 2 else (*part, 1) for part in parts]
    law = np.array([(mass / k, (1 + bias) / 2) for mass, bias, k in whole for _ in range(k)])
    return law if law[:, 0].sum() >= 1 - 1e-12 else np.vstack([law, [1 - law[:, 0].sum(), 0.5]])


def line_laws():
    """Return twelve laws; a good threshold is where the bias turns positive."""
    a = ALPHA * 1.0001
    return {
        "one biased point": atoms((1, a)),
        "one biased point, below": atoms((1, -a)),
        "both sides": atoms((0.5, -2 * a), (0.5, 2 * a)),
        "clean step, then noise in 50": atoms((a, 1), (1 - a, 0, 50)),
        "half a step, then noise in 50": atoms((0.5, 2 * a), (0.5, 0, 50)),
        "step of .9, then noise in 7": atoms((0.9, a / 0.9), (0.1, 0, 7)),
        "step of .9, then noise in 400": atoms((0.9, a / 0.9), (0.1, 0, 400)),
        "steps and noise on both sides": atoms(
            (0.25, 0, 50), (0.25, -4 * a), (0.25, 4 * a), (0.25, 0, 50)
        ),
        "drift": atoms((1, 1.5 * a, 20)),
        "two far optima": atoms((0.45, a / 0.45), (0.45, -0.99 * a / 0.45), (0.1, 0, 20)),
        "near ties": atoms((0.5, 0.9 * a, 10), (0.5, 1.2 * a, 10)),
        "10 % noise": atoms((0.5, -0.8, 50), (0.5, 0.8, 50)),
    }  # fmt: skip


def point_laws():
    """Return six laws."""
    a = ALPHA * 1.0001
    return {
        "one biased point": atoms((1, a)),
        "half a point, noise in 50": atoms((0.5, 2 * a), (0.5, 0, 50)),
        "half a point, noise in 250": atoms((0.5, 2 * a), (0.5, 0, 250)),
        "clean point, noise in 8": atoms((a, 1), (1 - a, 0, 8)),
        "none is best": atoms((0.999, -a * 9, 9), (0.001, 0)),
        "two near ties": atoms((0.5, 2 * a), (0.5, 1.9 * a)),
    }


def interval_laws():
    """Return six laws."""
    a = ALPHA * 1.0001
    return {
        "one biased point": atoms((1, a)),
        "both ends": atoms((0.25, -a * 4), (0.5, 2 * a), (0.25, -a * 4)),
        "noise in 20 on both sides": atoms((0.2, 0, 20), (0.6, a / 0.6), (0.2, 0, 20)),
        "noise in 38": atoms((0.5, 2 * a), (0.5, 0, 38)),
        "two far optima": atoms((0.4, a / 0.4), (0.2, -a / 0.2), (0.4, 0.99 * a / 0.4)),
        "clean interval, then noise in 38": atoms((a, 1), (1 - a, 0, 38)),
    }


def thresholds(law):
    """Return candidates (rows) on atoms (columns), and how many of each of 2**20 + 1 there are."""
    cells = len(law) + 1
    labels = np.array([[at >= u for at in range(len(law))] for u in range(cells)])
    share = (2**20 + 1) // cells
    counts = np.full(cells, float(share))
    good = int(np.argmin(errors_of(labels, law)))
    counts[good], counts[(good + 1) % cells] = 1, counts[(good + 1) % cells] + share - 1
    return labels, counts


def points(law):
    """Return candidates: each atom is a point; all others have no mass."""
    labels = np.vstack([np.eye(len(law), dtype=bool), np.zeros((1, len(law)), dtype=bool)])
    return labels, np.append(np.ones(len(law)), 301 - len(law))


def intervals(law):
    """Return candidates: ends in the gaps between atoms, 1,024 of them in all."""
    gaps = len(law) + 1
    wide = np.full(gaps, 1024 / gaps)
    ends = [(i, j) for i in range(gaps) for j in range(i + 1, gaps)]
    labels = np.array(
        [[i <= at < j for at in range(len(law))] for i, j in ends] + [[False] * len(law)]
    )
    counts = [wide[i] * wide[j] for i, j in ends] + [float((wide * (wide + 1) / 2).sum())]
    return labels, np.array(counts)


def errors_of(labels, law):
    """Return the error of each candidate."""
    mass, one = law.T
    return labels @ (mass * (1 - one)) + (~labels) @ (mass * one)


def trials(make, law, n, runs, rng):
    """Return how many of some runs release a bad candidate."""
    labels, counts = make(law)
    errors = errors_of(labels, law)
    bad = errors - errors.min() > _BAD
    mass, one = law.T
    kinds = np.concatenate([mass * (1 - one), mass * one])
    hits = 0
    for _ in range(0, runs, 500):
        records = rng.multinomial(n, kinds / kinds.sum(), size=500)
        zeros, ones = records[:, : len(law)], records[:, len(law) :]
        wrong = zeros @ labels.T + ones @ (~labels).T
        weights = counts * np.exp(-EPSILON / 2 * (wrong - wrong.min(axis=1, keepdims=True)))
        hits += int((rng.random(500) < weights[:, bad].sum(axis=1) / weights.sum(axis=1)).sum())
    return hits


def table(runs, seed=44):
    """Yield the rows."""
    rng = np.random.default_rng(seed)
    goal = {"epsilon": Fraction(1), "alpha": Fraction(1, 10), "beta": Fraction(1, 20)}
    for name, size, structure, laws, make in (
        ("thresholds(1, 2**20)", 2**20 + 1, Line(), line_laws(), thresholds),
        ("points(1, 300)", 301, Atoms(), point_laws(), points),
        ("intervals(1, 1024)", 1024 * 1025 // 2 + 1, Ranges(1024), interval_laws(), intervals),
    ):
        n = agnostic(size, structure=structure, **goal).n
        for law, parts in laws.items():
            for records in (n, n // 2, n // 4):
                hits = trials(make, parts, records, runs, rng)
                low, high = lower_limit(hits, runs, 0.01), upper_limit(hits, runs, 0.01)
                yield [name, law, records, runs, hits, f"{float(low):.4f}", f"{float(high):.4f}"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=4000, help="trials of each cell, in 500s")
    write = csv.writer(sys.stdout, lineterminator="\n")
    write.writerow(_FIELDS)
    write.writerows(table(parser.parse_args().runs))


if __name__ == "__main__":
    main()
