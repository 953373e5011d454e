"""Which method of a learner needs the fewest records: each method over a grid of settings.

    python benchmarks/methods.py [littlestone | vc1] [--csv FILE]

A setting is a class, epsilon, delta, alpha and beta. For each method: in how many settings it has a
certificate, in how many it needs the fewest records (also fewer than the exponential mechanism,
where the class can be listed), and how many times as many as the best it needs, at the median.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import statistics
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

from littlestone.classes import ConceptClass, parse_class
from littlestone.errors import LittlestoneError
from littlestone.learners import registry
from littlestone.learners.littlestone import METHODS as LITTLESTONE
from littlestone.learners.vc1 import METHODS as VC1

EPSILONS, DELTAS = ("1/10", "1", "4"), ("1/10000", "1/1000000000")
ALPHAS, BETAS = ("1/20", "1/4"), ("1/1000", "1/20")
CLASSES = {
    "littlestone": [
        *("thresholds(1, 9)", "thresholds(1, 999)", "thresholds(1, 2**64)", "intervals(1, 9)"),
        *("intervals(1, 99)", "intervals(1, 2**32)", "points(1, 99)", "points(1, 2**32)"),
        *("points()", "sparse_sets(2)", "sparse_sets(4)", "conjunctions(2)", "conjunctions(6)"),
        *("conjunctions(12, monotone=true)", "affine_subspaces(2, 6, 1)"),
        *("affine_subspaces(5, 20, 2)",),
    ],
    "vc1": [
        *(f"thresholds(1, {size})" for size in ("9", "99", "9999", "2**20", "2**64", "2**256")),
        *("thresholds(1, 2**1024)", "points(1, 99)", "points(1, 2**32)", "prefixes(ipv4)"),
        "prefixes(ipv6)",
    ],
}
METHODS = {"littlestone": LITTLESTONE, "vc1": VC1}
LEARNERS = {"littlestone": ("littlestone", "generic"), "vc1": ("vc1", "generic")}
Needed = dict[str, int]


def settings(learner: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return every class with every goal."""
    goals = itertools.product(EPSILONS, DELTAS, ALPHAS, BETAS)
    return itertools.product(CLASSES[learner], goals)


def needed(learner: str, concept_class: ConceptClass, goal: tuple[str, ...]) -> Needed:
    """Return the records that each method needs; methods without a certificate are left out."""
    epsilon, delta, alpha, beta = map(Fraction, goal)
    own, rival = LEARNERS[learner]
    numbers = {"epsilon": epsilon, "alpha": alpha, "beta": beta}
    made: dict[str, Callable[[], int]] = {
        method: lambda method=method: registry.make(
            own, concept_class, **numbers, delta=delta, method=method
        ).required_samples()
        for method in METHODS[own]
    }
    made[rival] = lambda: registry.make(rival, concept_class, **numbers).required_samples()
    found: Needed = {}
    for name, ask in made.items():
        try:
            found[name] = ask()
        except LittlestoneError:
            continue
    return found


def main() -> None:
    """Print a table for each learner."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("learners", nargs="*", choices=list(CLASSES), default=list(CLASSES))
    parser.add_argument("--csv", type=Path, help="write all numbers here")
    options = parser.parse_args()
    rows = []
    for learner in options.learners:
        found: dict[str, list[float]] = {}
        count = 0
        for spec, goal in settings(learner):
            counts = needed(learner, parse_class(spec), goal)
            count += 1
            rows += [(learner, spec, *goal, name, n) for name, n in counts.items()]
            for name, n in counts.items():
                found.setdefault(name, []).append(n / min(counts.values()))
        print(f"{learner}: {count} settings")
        print(f"{'method':<20}{'certified':>10}{'best':>6}{'median of n / least n':>24}")
        for name, ratios in found.items():
            best = sum(ratio == 1 for ratio in ratios)
            print(f"{name:<20}{len(ratios):>10}{best:>6}{statistics.median(ratios):>24.2f}")
    if options.csv:
        with options.csv.open("w", newline="") as file:
            table = csv.writer(file)
            head = ("learner", "class", "epsilon", "delta", "alpha", "beta", "method", "records")
            table.writerows([head, *rows])


if __name__ == "__main__":
    main()
    sys.exit(0)
