"""What is there to learn in the ten tables of unseen.py: AUROC without privacy.

    python benchmarks/unseen_limits.py --cache FOLDER    # unseen_limits.csv

Logistic regression on the features of a linear model, and scikit-learn's histogram gradient
boosting with trees of depth 2 on the codes: means over two of the splits of ``linear.py``. Beside
them the private ones of ``unseen.csv`` at epsilon 0.25 and 1.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

import numpy as np
from linear import HERE, UNSEEN, unseen
from rare_labels import features
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

KEPT = Path(__file__).with_suffix(".csv")
SEEDS = 2


def main() -> None:
    """Write unseen_limits.csv."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cache", type=Path, required=True)
    asked = parser.parse_args()
    sys.path[:0] = [str(HERE / part) for part in ("targets", "comparison")]
    with UNSEEN.open(encoding="utf-8", newline="") as file:
        private = {
            (row["table"], row["epsilon"], row["family"]): row["auroc"]
            for row in csv.DictReader(file)
        }
    lines = []
    for problem in unseen(asked.cache):
        rows, _ = features(problem)
        found = []
        for seed in range(SEEDS):
            order = np.random.default_rng(seed).permutation(len(rows))
            test, train = order[: 3 * len(rows) // 10], order[3 * len(rows) // 10 :]
            labels, truth = problem.labels[train], problem.labels[test]
            plain = LogisticRegression(C=0.3, max_iter=200).fit(rows[train], labels)
            trees = HistGradientBoostingClassifier(max_depth=2, max_iter=60)
            trees.fit(problem.codes[train], labels)
            found.append(
                [
                    roc_auc_score(truth, plain.decision_function(rows[test])),
                    roc_auc_score(truth, trees.decision_function(problem.codes[test])),
                ]
            )
        mean = np.mean(found, axis=0)
        line = {"table": problem.name, "logistic": f"{mean[0]:.3f}", "trees": f"{mean[1]:.3f}"}
        for epsilon in ("0.25", "1"):
            for family in ("linear", "boosted"):
                line[f"{family} {epsilon}"] = (
                    f"{float(private[line['table'], epsilon, family]):.3f}"
                )
        lines.append(line)
        print(line, flush=True)
    with KEPT.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, lines[0], lineterminator="\n")
        out.writeheader()
        out.writerows(lines)


if __name__ == "__main__":
    main()
