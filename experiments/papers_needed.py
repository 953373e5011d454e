"""What the algorithms of 000, 001 and 002 need, certified and in simulation (docs/papers.md).

Run (a quarter of an hour; ``--only NAME`` for one of them)::

    python experiments/papers_needed.py

In simulation: the least n of a grid whose failures are within beta = 0.1 by Clopper-Pearson (95 %,
one-sided, 200 runs: at most 12) on the worst of five distributions, a few atoms among them. alpha =
0.1, epsilon = 1, delta = 1e-6; 2**20 points, 16 records of each user, leaves of 8-bit prefixes.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import littlestone as ls
from littlestone.bounds.tails import upper_limit
from littlestone.data import Sample, UserSample
from littlestone.papers import li_wang_ye, yan
from littlestone.source import SeededSource

RUNS, BETA, HIGH = 200, 0.1, 2**20
#: Where the search for the least n begins; it goes up or down from there.
START = {
    "lwy.algorithm1": 700, "lwy.theorem4.6": 150, "lwy.theorem3.4": 290, "yan.algorithm2": 11000,
    "yan.algorithm2, tree": 1400, "yan.algorithm4": 6700, "yan.algorithm4, tree": 4000,
}  # fmt: skip
OUT = Path(__file__).parents[1] / "docs" / "experiments" / "papers_needed.csv"
GOAL: dict[str, Any] = {"epsilon": Fraction(1), "alpha": Fraction(1, 10), "beta": Fraction(1, 10)}


class Law(NamedTuple):
    """A distribution with finitely many points, and the chance of label 1 at each."""

    points: np.ndarray
    masses: np.ndarray
    ones: np.ndarray

    def error(self, hypothesis: Any) -> float:
        """Return the error of a hypothesis."""
        said = hypothesis.predict(self.points)
        return float(self.masses @ np.where(said == 1, 1 - self.ones, self.ones))

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


def points() -> dict[str, Law]:
    """Return five laws for one point among many."""
    many = np.arange(1000)
    few = np.arange(9)
    return {
        "one point": law(many, np.r_[300, np.ones(999)], many == 0),
        "none": law(many, np.ones(1000), np.full(1000, 0.2)),
        "two points": law(many, np.r_[120, 120, np.ones(998)], np.where(many < 2, 0.9, 0.1)),
        "atoms": law(few, np.ones(9), np.where(few == 4, 1.0, 0.0)),
        "noisy atoms": law(few, np.ones(9), np.where(few == 4, 0.99, 0.44)),
    }


class Case(NamedTuple):
    """An algorithm, its distributions, and the sizes that are tried."""

    algorithm: Any
    laws: dict[str, Law]
    sizes: list[int]
    users: int = 0  # records of each user


def cases() -> dict[str, Callable[[], Case]]:
    """Return what is measured."""
    grid = [round(1000 * 2 ** (k / 4)) for k in range(-16, 26)]
    line, delta = ls.Thresholds(1, HIGH), Fraction(1, 10**6)
    tree = ls.theory.LeafPaths(ls.Prefixes("01", 8))
    user = {**GOAL, "delta": Fraction(0), "n": 1, "samples_per_user": 16}
    record = {**GOAL, "delta": delta, "n": 1}

    def case(algorithm: Any, laws: dict[str, Law], users: int = 0) -> Case:
        return Case(algorithm, laws, grid, users)

    return {
        "lwy.algorithm1": lambda: case(
            li_wang_ye.PrivateThreshold.printed(line, **user), thresholds(True), 16
        ),
        "lwy.theorem4.6": lambda: case(
            li_wang_ye.Theorem46.printed(line, **user), thresholds(True), 16
        ),
        "lwy.theorem3.4": lambda: case(
            li_wang_ye.Theorem34.printed(ls.Points(), **record), points()
        ),
        "yan.algorithm2": lambda: case(
            yan.OPTPrivateLearner.printed(line, **record), thresholds(False)
        ),
        "yan.algorithm2, tree": lambda: case(
            replace(yan.OPTPrivateLearner.printed(line, **record), median="tree"),
            thresholds(False),
        ),
        "yan.algorithm4": lambda: case(yan.ProperLearner.printed(tree, **record), leaves()),
        "yan.algorithm4, tree": lambda: case(
            replace(yan.ProperLearner.printed(tree, **record), median="tree"), leaves()
        ),
    }  # fmt: skip


def failures(case: Case, law: Law, n: int) -> int:
    """Return how many of 200 runs have too large an error; counted up to one more than allowed."""
    best = 0.0
    if case.algorithm.AGNOSTIC:
        best = least_error(case, law)
    bad = 0
    for seed in range(RUNS):
        rng = np.random.default_rng((seed, n))
        x, y = law.drawn(rng, n * max(case.users, 1))
        sample: Any = Sample.of(x, y)
        if case.users:
            sample = UserSample.of(np.repeat(np.arange(n), case.users), x, y)
        released = case.algorithm.draw(sample, SeededSource(seed))
        bad += law.error(released) > best + float(GOAL["alpha"]) + 1e-12
        if bad > most_allowed():
            break
    return bad


def least_error(case: Case, law: Law) -> float:
    """Return the error of the best concept."""
    if isinstance(case.algorithm.concept_class, ls.Thresholds):
        order = np.argsort(law.points)
        wrong_0 = (law.masses * law.ones)[order]
        wrong_1 = (law.masses * (1 - law.ones))[order]
        return float(
            (np.r_[0, np.cumsum(wrong_0)] + wrong_1.sum() - np.r_[0, np.cumsum(wrong_1)]).min()
        )
    none = float(law.masses @ law.ones)
    return min(none, float((none - law.masses * (2 * law.ones - 1)).min()))


def most_allowed() -> int:
    """Return how many failures of 200 are within beta by Clopper-Pearson."""
    limits = upper_limit(np.arange(RUNS), RUNS, 0.05)
    return int(np.flatnonzero(limits <= BETA).max())


def main() -> None:
    """Measure, and write one row for each algorithm."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only")
    only = parser.parse_args().only
    head = ["algorithm", "certified", "simulated", "worst", "failures of 200"]
    rows: dict[str, list[Any]] = {}
    if only and OUT.exists():
        with OUT.open(newline="") as file:
            rows = {row[0]: row for row in list(csv.reader(file))[1:]}
    for name, make in cases().items():
        if only not in (None, name):
            continue
        case = make()
        certified = case.algorithm.required_samples()

        def within(n: int, case: Case = case, name: str = name) -> list[Any] | None:
            """Return the row's figures if the failures of all families are few enough."""
            found: dict[str, int] = {}
            for family, one in case.laws.items():
                found[family] = failures(case, one, n)
                if found[family] > most_allowed():
                    break
            worst = max(found, key=found.__getitem__)
            sys.stderr.write(f"{name} n={n} {found}\n")
            sys.stderr.flush()
            return None if found[worst] > most_allowed() else [n, worst, found[worst]]

        at = next(i for i, n in enumerate(case.sizes) if n >= START[name])
        figures = within(case.sizes[at])
        if figures:
            while at and (less := within(case.sizes[at - 1])):
                at, figures = at - 1, less
        while not figures:
            at += 1
            figures = within(case.sizes[at])
        row: list[Any] = [name, certified, *figures]
        rows[name] = row
        with OUT.open("w", newline="") as file:
            csv.writer(file).writerows([head, *(rows[key] for key in cases() if key in rows)])


if __name__ == "__main__":
    main()
