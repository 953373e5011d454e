"""Boosted trees on the published split of Adult: ranking, probabilities, seconds, mean of seeds.

    python benchmarks/boosting/adult.py --schema examples/adult/finer.toml --epsilons 1 2
    python benchmarks/boosting/adult.py --epsilons 0.5 --delta 0 --depth 1

The tables of docs/boosting.md. The calibration error is that of `calibration.py`.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from sklearn.metrics import log_loss, roc_auc_score

sys.path.insert(0, str(Path(__file__).parents[1] / "comparison"))

from fits import calibration_error

from littlestone.classes import BoostedTreeClass
from littlestone.data import RowDomain, Sample, Schema
from littlestone.learners.boosting import Boosting
from littlestone.source import SeededSource

ADULT = Path(__file__).parents[2] / "examples" / "adult"


def main() -> None:
    """Fit and print one line for each epsilon."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--schema", default=str(ADULT / "schema.toml"))
    parser.add_argument("--epsilons", nargs="+", default=["0.1", "0.5", "1", "2"])
    parser.add_argument("--delta", default="1e-6", help="0: pure")
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--rounds", type=int, help="by default the rule of the library")
    parser.add_argument("--step", help="by default the rule of the library")
    parser.add_argument("--seeds", type=int, default=5)
    args = parser.parse_args()
    schema = Schema.from_toml(args.schema)
    table = pq.read_table(ADULT / "adult.parquet")
    published = np.array(table["split"].to_pylist())
    train = Sample.read(table.filter(published == "train"), y="over_50k", domain=RowDomain(schema))
    test = table.filter(published == "test")
    codes = schema.encode([_cells(test[name]) for name in schema.names])
    labels = np.array(test["over_50k"].to_pylist(), dtype=np.int64)
    concepts = BoostedTreeClass(schema, args.depth, args.rounds)
    delta = None if args.delta == "0" else args.delta
    for epsilon in args.epsilons:
        learner = Boosting(concepts, epsilon=epsilon, delta=delta, step=args.step)
        results = []
        for seed in range(args.seeds):
            start = time.perf_counter()
            model = learner.draw(train, SeededSource(seed))
            seconds = time.perf_counter() - start
            shares = model.probability(codes)
            right = float(((shares > 0.5) == labels).mean())
            measured = roc_auc_score(labels, shares), log_loss(labels, shares)
            results.append((right, *measured, calibration_error(shares, labels), seconds))
        accuracy, auroc, loss, off, seconds = np.mean(results, axis=0)
        error = np.std(results, axis=0, ddof=1)[0] / len(results) ** 0.5 if args.seeds > 1 else 0.0
        print(
            f"epsilon {epsilon}: accuracy {accuracy:.4f} (standard error {error:.4f}), "
            f"AUROC {auroc:.4f}, log loss {loss:.4f}, calibration error {off:.4f}, "
            f"{seconds:.1f} s, {len(model.trees)} trees",
            flush=True,
        )


def _cells(column: object) -> np.ndarray:
    values = column.to_pylist()  # type: ignore[attr-defined]
    text = any(isinstance(value, str) for value in values)
    return np.array(values, dtype=object) if text else np.array(values, dtype=np.float64)


if __name__ == "__main__":
    main()
