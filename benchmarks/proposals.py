"""Learned columns beside those by hand, on the tables of the comparison: AUROC of boosted trees.

    python benchmarks/proposals.py [--tables adult,affairs] [--epsilon 1] [--delta 1e-6] [--seeds 3]

The figures of docs/proposals.md. Each table is a raw CSV file with the columns of the schema by
hand; a fifth of epsilon and delta learns the columns, as `littlestone.fit` does, nothing is
evaluated. Packages are downloaded, as in ``comparison/fetch.py``.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(Path(__file__).parent / "comparison"))

from definitions import TABLES
from fetch import _files, read

import littlestone as ls


def write(path: Path, names: list[str], rows: list[dict[str, str]], labels: Any) -> None:
    """Write the columns, and the labels in one named y."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "y*"])
        writer.writerows([*(row[n] for n in names), y] for row, y in zip(rows, labels, strict=True))


def main() -> None:
    """Print one line for each table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--delta", default="1e-6")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "packages")
    asked = parser.parse_args()
    print("| table | records | columns | found | by hand | learned | behind |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    behind = []
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.tables.split(","):
            table = TABLES[name]
            by_hand = ls.Schema.from_toml(table.schema)
            rows, labels, test = read(table, _files(table, asked.cache))
            paths = [Path(folder) / f"{part}.csv" for part in ("train", "test")]
            for path, part in zip(paths, (~test, test), strict=True):
                chosen = np.flatnonzero(part)
                write(path, list(by_hand.names), [rows[i] for i in chosen], labels[chosen])
            found: dict[bool, list[float]] = {True: [], False: []}
            columns = []
            for seed in range(asked.seeds):
                for learned, areas in found.items():
                    made = ls.fit(
                        paths[0], y="y*", epsilon=asked.epsilon, delta=asked.delta or None,
                        schema=None if learned else by_hand, evaluate=None, random_state=seed,
                    )  # fmt: skip
                    areas.append(roc_auc_score(labels[test], made.predict_proba(paths[1])[:, 1]))
                    if learned:
                        proposal = made.release_.proposal
                        kept = made.concept_class.domain.schema.names
                        columns.append(f"{len(kept)}" if proposal else "standard")
            means = [float(np.mean(found[learned])) for learned in (False, True)]
            behind.append(means[0] - means[1])
            cells = [name, f"{(~test).sum():,}", str(len(by_hand)), columns[0]]
            cells += [f"{mean:.3f}" for mean in means] + [f"{behind[-1]:+.3f}"]
            print(f"| {' | '.join(cells)} |", flush=True)
    print(f"mean: {np.mean(behind):+.4f}")


if __name__ == "__main__":
    main()
