"""What the papers' algorithms need, certified and in simulation (docs/papers.md).

Run (some hours; ``--only ROW`` for one of them, ``--certified`` without simulation)::

    python experiments/papers_needed.py

Rows and their parameters are those of src/littlestone/papers/needed.csv, where the results go. In
simulation: the least n of a grid whose failures are within beta = 0.1 by Clopper-Pearson (95 %,
one-sided, 200 runs: at most 12) on the worst of five distributions, a few atoms among them. alpha =
0.1, epsilon = 1, delta = 1e-6.
"""

from __future__ import annotations

import argparse
import csv
import sys
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from littlestone.bounds.tails import upper_limit
from littlestone.classes import AffineSubspaces, Thresholds
from littlestone.classes.affine_subspaces import AffineHypothesis
from littlestone.data import Sample, UserSample
from littlestone.papers import NEEDED, Needed, needed, within_goal
from littlestone.source import SeededSource

RUNS, BETA, ALPHA, HIGH = 200, 0.1, 0.1, 2**20
#: Where the search for the least n begins; it goes up or down from there.
START = {
    "yan.algorithm2": 11000, "yan.algorithm2, tree": 1400, "yan.algorithm4": 16100,
    "yan.algorithm4, tree": 4000, "lwy.theorem3.4": 290, "lwy.theorem4.6": 150,
    "lwy.algorithm1": 700, "lyu.theorem3": 4000, "lyu.theorem3, d = 2": 5600,
    "alon.generic": 150, "alon.theorem30": 3900, "alon.lemma15": 1400, "alon.corollary4": 26000,
}  # fmt: skip


class Law(NamedTuple):
    """A distribution with finitely many points, and the chance of label 1 at each."""

    points: np.ndarray
    masses: np.ndarray
    ones: np.ndarray

    def error(self, hypothesis: Any) -> float:
        """Return the error of a hypothesis."""
        return self.wrong(hypothesis.predict(self.points))

    def wrong(self, labels: np.ndarray) -> float:
        """Return the error of labels."""
        return float(self.masses @ np.where(labels == 1, 1 - self.ones, self.ones))

    def drawn(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw n records."""
        at = rng.choice(len(self.points), size=n, p=self.masses)
        return self.points[at], (rng.random(n) < self.ones[at]).astype(int)


def law(points: Any, masses: Any, ones: Any) -> Law:
    """Return the law with masses in proportion."""
    weights = np.asarray(masses, dtype=float)
    return Law(np.asarray(points), weights / weights.sum(), np.asarray(ones, dtype=float))


def thresholds(noise: bool) -> dict[str, Law]:
    """Return five laws over 2**20 points; labels of a threshold, with errors if ``noise``."""
    spread = np.linspace(1, HIGH, 4001).astype(int)
    near = np.arange(300_000, 300_101)
    halving = np.array([2**19 + 2**k for k in range(18)])
    atoms = np.array([10, 2**12, 2**17, 2**18, 2**19, 700_000, HIGH])

    def labels(points: np.ndarray, u: int, flips: float) -> np.ndarray:
        wrong = flips if noise else 0.0
        return np.where(points > u, 1 - wrong, wrong)

    return {
        "uniform": law(spread, np.ones(4001), labels(spread, 400_000, 0.0)),
        "uniform, errors": law(spread, np.ones(4001), labels(spread, 400_000, 0.3)),
        "neighbours": law(near, np.ones(101), labels(near, 300_050, 0.45)),
        "halving": law(halving, 0.5 ** np.arange(18)[::-1], labels(halving, 2**19 + 2**15, 0.1)),
        "atoms": law(atoms, np.ones(7), labels(atoms, 2**18, 0.2)),
    }


def leaves() -> dict[str, Law]:
    """Return five laws over the nodes of a tree of height 8, labelled by one leaf."""
    leaf = 0b1_0110_1001
    path = np.array([leaf >> k for k in range(8, -1, -1)])
    beside = path[1:] ^ 1
    every, last = np.arange(1, 512), np.arange(256, 512)

    def labels(points: np.ndarray) -> np.ndarray:
        return np.isin(points, path)

    both = np.concatenate([path, beside])
    atoms = np.array([leaf, leaf ^ 1, path[1], beside[0], path[4]])
    return {
        "uniform": law(every, np.ones(511), labels(every)),
        "leaves": law(last, np.ones(256), labels(last)),
        "path and beside it": law(both, np.ones(17), labels(both)),
        "halving": law(both, np.r_[0.5 ** np.arange(9), 0.5 ** np.arange(8)], labels(both)),
        "atoms": law(atoms, [0.11, 0.11, 0.26, 0.26, 0.26], labels(atoms)),
    }


def noisy_points() -> dict[str, Law]:
    """Return five laws for one point among many, and labels with errors."""
    many = np.arange(1000)
    few = np.arange(9)
    return {
        "one point": law(many, np.r_[300, np.ones(999)], many == 0),
        "none": law(many, np.ones(1000), np.full(1000, 0.2)),
        "two points": law(many, np.r_[120, 120, np.ones(998)], np.where(many < 2, 0.9, 0.1)),
        "atoms": law(few, np.ones(9), np.where(few == 4, 1.0, 0.0)),
        "noisy atoms": law(few, np.ones(9), np.where(few == 4, 0.99, 0.44)),
    }


def among(size: int, target: list[float], others: list[float] | None = None) -> Law:
    """Return a law whose first points, of given masses, are 1; other masses are equal if None."""
    rest = size - len(target)
    masses = [*target, *(others or [(1 - sum(target)) / rest] * rest)]
    return law(np.arange(len(masses)), masses, np.arange(len(masses)) < len(target))


def points() -> dict[str, Law]:
    """Return five laws for one point, of mass far above alpha, about alpha, or beside atoms."""
    return {
        "half": among(1000, [0.5]),
        "above alpha": among(1000, [0.12]),
        "at alpha": among(1000, [0.101]),
        "below alpha": among(1000, [0.09]),
        "atoms": among(5, [0.11], [0.3, 0.25, 0.2, 0.14]),
    }


def pairs() -> dict[str, Law]:
    """Return five laws for sets of two points."""
    return {
        "both above alpha": among(1000, [0.11, 0.11]),
        "one above alpha": among(1000, [0.101, 0.4]),
        "both together": among(1000, [0.06, 0.06]),
        "heavy negatives": among(1000, [0.101, 0.101], [0.4, 0.3, *[0.098 / 996] * 996]),
        "atoms": among(6, [1 / 6] * 2),
    }


def lines() -> dict[str, Law]:
    """Return five laws over lines in GF(7)^20, with errors in the labels of three."""

    def axis(i: int, steps: range) -> list[np.ndarray]:
        return [np.eye(20, dtype=int)[i] * k for k in steps]

    line, across = axis(0, range(7)), axis(1, range(1, 7))
    others = [axis(i, range(1, 2))[0] for i in range(2, 20)]
    return {
        "a line, errors": law([*line, *others], [0.6 / 7] * 7 + [0.4 / 18] * 18,
                              [0.9] * 7 + [0.1] * 18),
        "above alpha": law([*line, *others], [0.11 / 7] * 7 + [0.89 / 18] * 18,
                           [1] * 7 + [0] * 18),
        "two lines": law([*line, *across, *others[:4]], [0.06] * 7 + [0.05] * 6 + [0.07] * 4,
                         [1] * 13 + [0] * 4),
        "a point": law(others, [0.12] + [0.88 / 17] * 17, [1] + [0] * 17),
        "atoms, errors": law([*line[:3], *others[:2]], [0.2] * 5, [0.8] * 3 + [0.2] * 2),
    }  # fmt: skip


def laws_of(row: Needed) -> dict[str, Law]:
    """Return the distributions of a row."""
    return {
        "yan.algorithm2": lambda: thresholds(False), "yan.algorithm4": leaves,
        "lwy.theorem3.4": noisy_points, "lwy.theorem4.6": lambda: thresholds(True),
        "lwy.algorithm1": lambda: thresholds(True), "lyu.theorem3": points,
        "lyu.theorem3, d = 2": pairs, "alon.generic": lambda: thresholds(False),
        "alon.theorem30": points, "alon.lemma15": lambda: thresholds(False),
        "alon.corollary4": lines,
    }[row.row.removesuffix(", tree")]()  # fmt: skip


def least_error(concept_class: Any, law: Law) -> float:
    """Return the error of the best concept: of thresholds, points, or affine subspaces."""
    if isinstance(concept_class, Thresholds):
        order = np.argsort(law.points)
        wrong_0 = (law.masses * law.ones)[order]
        wrong_1 = (law.masses * (1 - law.ones))[order]
        return float(
            (np.r_[0, np.cumsum(wrong_0)] + wrong_1.sum() - np.r_[0, np.cumsum(wrong_1)]).min()
        )
    sets = np.eye(len(law.points), dtype=int)
    if isinstance(concept_class, AffineSubspaces):  # of dimension at most 1
        each = [tuple(map(int, x)) for x in law.points]
        spans = [AffineHypothesis(concept_class.q, concept_class.n, (), x) for x in each]
        sets = np.array([h.through(x).predict(law.points) for h in spans for x in each])
    return min(law.wrong(labels) for labels in (np.zeros(len(law.points)), *sets))


@cache
def most_allowed() -> int:
    """Return how many failures of 200 are within beta by Clopper-Pearson."""
    limits = upper_limit(np.arange(RUNS), RUNS, 0.05)
    return int(np.flatnonzero(limits <= BETA).max())


def failures(learner: Any, law: Law, n: int) -> int:
    """Return how many of 200 runs have too large an error; counted up to one more than allowed."""
    best = least_error(learner.concept_class, law) if learner.agnostic else 0.0
    users = getattr(learner, "samples_per_user", 1)
    bad = 0
    for seed in range(RUNS):
        x, y = law.drawn(np.random.default_rng((seed, n)), n * users)
        sample: Any = Sample.of(x, y)
        if learner.unit == "users":
            sample = UserSample.of(np.repeat(np.arange(n), users), x, y)
        released = learner.draw(sample, SeededSource(seed))
        empirical = learner.algorithm.NAME == "alon.lemma15"  # its error is that on the records
        error = float((released.predict(x) != y).mean()) if empirical else law.error(released)
        bad += error > best + ALPHA + 1e-12
        if bad > most_allowed():
            break
    return bad


def simulated(row: Needed) -> tuple[int, str, int]:
    """Return the least n of the grid that is enough, the worst family, and its failures."""
    learner, laws = within_goal(row, row.simulated_with), laws_of(row)
    sizes = [round(1000 * 2 ** (k / 4)) for k in range(-16, 34)]

    def enough(n: int) -> tuple[int, str, int] | None:
        found: dict[str, int] = {}
        for family, one in laws.items():
            found[family] = failures(learner, one, n)
            if found[family] > most_allowed():
                break
        worst = max(found, key=found.__getitem__)
        sys.stderr.write(f"{row.row} n={n} {found}\n")
        sys.stderr.flush()
        return None if found[worst] > most_allowed() else (n, worst, found[worst])

    at = next(i for i, n in enumerate(sizes) if n >= START[row.row])
    figures = enough(sizes[at])
    if figures:
        while at and (less := enough(sizes[at - 1])):
            at, figures = at - 1, less
    while not figures:
        at += 1
        figures = enough(sizes[at])
    return figures


def main() -> None:
    """Measure, and write one row after the other."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only")
    parser.add_argument("--certified", action="store_true")
    options = parser.parse_args()
    for row in needed():
        if options.only not in (None, row.row):
            continue
        certified = within_goal(row, row.certified_with).required_samples()
        new = row._replace(certified=certified)
        if not options.certified:
            n, worst, bad = simulated(row)
            new = new._replace(simulated=n, worst=worst, failures=bad)
        with NEEDED.open() as file:
            head, *lines = list(csv.reader(file))
        cells = ["" if cell is None else str(cell) for cell in new]
        with NEEDED.open("w") as file:
            csv.writer(file, lineterminator="\n").writerows(
                [head, *(cells if line[0] == row.row else line for line in lines)]
            )


if __name__ == "__main__":
    main()
