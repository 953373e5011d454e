"""Schemas that are proposed from Adult, and the trees learned over them, beside the one by hand.

    python benchmarks/proposals.py
    python benchmarks/proposals.py --epsilon 0.1 --csv

The figures of docs/proposals.md. Accuracy is on the records themselves, by the exact count.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pyarrow.parquet

from littlestone.classes import DecisionTrees
from littlestone.data import RowDomain, Sample, Schema
from littlestone.errors import DataError
from littlestone.learners import registry
from littlestone.source import SeededSource

ADULT = Path(__file__).parents[1] / "examples" / "adult"
Y = "over_50k"


def main() -> None:
    """Print one line for each depth."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--epsilon", default="0.2", help="of the proposal")
    parser.add_argument("--delta", default="1e-6", help="of the proposal")
    parser.add_argument("--fit", default="1", help="epsilon of the tree")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--csv", action="store_true", help="without declared types")
    args = parser.parse_args()
    by_hand = Schema.from_toml(ADULT / "schema.toml")
    best = {depth: np.mean([_accuracy(by_hand, depth, args.fit, s) for s in range(5)])
            for depth in (2, 3)}  # fmt: skip
    behind: dict[int, list[float]] = {2: [], 3: []}
    with tempfile.TemporaryDirectory() as folder:
        table: Any = ADULT / "adult.parquet"
        if args.csv:
            read = pyarrow.parquet.read_table(table)
            table = Path(folder) / "adult.csv"
            pyarrow.csv.write_csv(read, table)
        for seed in range(args.seeds):
            try:
                schema = Schema.propose(
                    table, y=Y, epsilon=args.epsilon, delta=args.delta, random_state=seed,
                    header_is_public=True,
                )  # fmt: skip
            except DataError:
                print(f"seed {seed}: nothing was found")
                continue
            for depth, found in behind.items():
                found.append(best[depth] - _accuracy(schema, depth, args.fit, seed))
            print(f"seed {seed}: " + ", ".join(f"{found[-1]:+.4f}" for found in behind.values()))
    for depth, found in behind.items():
        print(
            f"depth {depth}: by hand {best[depth]:.4f}; behind it {np.mean(found):.4f} on average, "
            f"{max(found):.4f} at most, over {len(found)} proposals at epsilon {args.epsilon}"
        )


def _accuracy(schema: Schema, depth: int, epsilon: str, seed: int) -> float:
    sample = Sample.read(ADULT / "adult.parquet", y=Y, domain=RowDomain(schema))
    learner = registry.make("agnostic", DecisionTrees(schema, depth=depth), epsilon=epsilon)
    labels = learner.draw(sample, SeededSource(seed)).predict(sample.points)
    return float(np.where(labels == 1, sample.ones, sample.zeros).sum() / sample.n)


if __name__ == "__main__":
    main()
