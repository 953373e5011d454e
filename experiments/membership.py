"""Attacks of SACRO-ML 2.0.0 on a model of ours, beside what the theorem allows.

Run, with Python in an environment that has littlestone and ``sacroml``::

    python experiments/membership.py

(The committed run had a stand-in for PyTorch, which attacks on scikit-learn models import and do
not use. A run before it, on a model of its own, gave .540 and .530 as AUROC of ours.)

Of the first 2,000 made-up admissions of examples/hospital half are learned from, the others not: an
attack scores all, and the more often members score higher, the more the model tells who was in its
table. LiRA (Carlini and others 2022) with 16 shadow models, in SACRO-ML's default mode, knows every
record but its membership; the worst-case attack learns from the predictions for members and others.
A forest without privacy is the control: it shows that they work.

Under (epsilon, delta)-differential privacy, with one record replaced, a test with the false
positive rate f has a true positive rate of at most e^epsilon f + delta and of at most
1 - e^-epsilon (1 - delta - f), so at most (e^epsilon - 1 + 2 delta) / (e^epsilon + 1) more than f.
The measured rates are of one fit, over all records, so they have the errors of a sample: with 1,000
members and 1,000 others an attack that guesses reaches .03 on average (.05 one time in twenty); the
worst-case attack has a fifth of them to be measured on.
"""

from __future__ import annotations

import csv
import math
import tempfile
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier

from littlestone.classes import BoostedTreeClass
from littlestone.data import Sample, Schema
from littlestone.learners.boosting import Boosting
from littlestone.source import SecureSource

ROOT = Path(__file__).parents[1]
HOSPITAL = ROOT / "examples" / "hospital"
KEPT = ROOT / "docs" / "membership.csv"
DELTA, SHADOWS, ROWS = Fraction(1, 10**6), 16, 2_000
RATES = (0.01, 0.1)  # false positive rates
HEAD = ("model", "attack", "AUROC", "largest TPR - FPR", *(f"TPR at FPR {rate}" for rate in RATES))


class Boosted(ClassifierMixin, BaseEstimator):
    """Boosted trees on codes of the schema, as scikit-learn and SACRO-ML call them."""

    def __init__(self, epsilon: str = "1", random_state: int | None = None) -> None:
        self.epsilon = epsilon
        self.random_state = random_state  # SACRO-ML sets it; nothing reads it

    def fit(self, X: Any, y: Any) -> Boosted:
        """Draw a model, with the system's entropy."""
        classes = BoostedTreeClass(Schema.from_toml(HOSPITAL / "schema.toml"), 2)
        learner = Boosting(classes, epsilon=self.epsilon, delta=DELTA)
        sample = Sample.of(np.asarray(X, dtype=np.int16), np.asarray(y, dtype=np.int8))
        self.model_ = learner.draw(sample, SecureSource())
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of both labels."""
        ones = np.asarray(self.model_.probability(np.asarray(X, dtype=np.int16)), dtype=float)
        return np.column_stack([1 - ones, ones])

    def predict(self, X: Any) -> np.ndarray:
        """Return the likelier label."""
        return (self.predict_proba(X)[:, 1] > 0.5).astype(int)


def table() -> tuple[np.ndarray, np.ndarray]:
    """Return codes and labels of the admissions."""
    schema = Schema.from_toml(HOSPITAL / "schema.toml")
    with (HOSPITAL / "admissions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(islice(csv.DictReader(file), ROWS))
    codes = [[column.code(row[column.name]) for column in schema] for row in rows]
    return np.array(codes, dtype=float), np.array([int(row["readmitted"]) for row in rows])


def limits(epsilon: float) -> list[float]:
    """Return the largest advantage, and the largest true positive rates at `RATES`."""
    e, delta = math.exp(epsilon), float(DELTA)
    rates = [min(e * f + delta, 1 - (1 - delta - f) / e) for f in RATES]
    return [(e - 1 + 2 * delta) / (e + 1), *rates]


def measured(name: str, model: Any, folder: str) -> list[tuple[str, ...]]:
    """Attack a model; return a line for each attack."""
    from sacroml.attacks.likelihood_attack import LIRAAttack
    from sacroml.attacks.target import Target
    from sacroml.attacks.worst_case_attack import WorstCaseAttack

    X, y = table()
    member = np.random.default_rng(0).permutation(len(y)) < len(y) // 2
    model.fit(X[member], y[member])
    target = Target(
        model=model, dataset_name="admissions",
        X_train=X[member], y_train=y[member], X_test=X[~member], y_test=y[~member],
    )  # fmt: skip
    for j in range(X.shape[1]):
        target.add_feature(str(j), [j], "float")
    lines = []
    how: dict[str, Any] = {"output_dir": folder, "write_report": False}
    lira = LIRAAttack(n_shadow_models=SHADOWS, **how)
    lira.attack(target)
    lines.append((name, f"LiRA, {SHADOWS} shadow models", *rates_of(lira.attack_metrics)))
    worst = WorstCaseAttack(n_reps=10, **how)
    worst.attack(target)
    lines.append((name, "worst case, mean of 10", *rates_of(worst.attack_metrics)))
    return lines


def rates_of(metrics: list[dict[str, Any]]) -> list[str]:
    """Return AUROC, the largest advantage and rates, each a mean over the repetitions."""
    found = []
    for one in metrics:
        fpr, tpr = np.asarray(one["fpr"]), np.asarray(one["tpr"])
        at = [float(tpr[fpr <= rate].max(initial=0.0)) for rate in RATES]
        found.append([one["AUC"], float((tpr - fpr).max()), *at])
    return [f"{value:.3f}" for value in np.mean(found, axis=0)]


def main() -> None:
    """Attack, and write docs/membership.csv."""
    lines: list[tuple[str, ...]] = [
        ("theorem", "any, at epsilon 1", "", *(f"{limit:.3f}" for limit in limits(1))),
    ]
    models: dict[str, Any] = {
        "ours, epsilon 1": Boosted("1"),
        "forest without privacy (control)": RandomForestClassifier(random_state=0),
    }
    for name, model in models.items():
        with tempfile.TemporaryDirectory() as folder:
            for line in measured(name, model, folder):
                print(*line, sep=", ", flush=True)
                lines.append(line)
    with KEPT.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD, *lines])


if __name__ == "__main__":
    main()
