"""Columns that are learned, beside those by hand, on the ten tables of unseen.py: AUROC.

    python benchmarks/columns.py [--seeds 5] [--cache DIR]   # what is missing, and columns.csv
    python benchmarks/columns.py --kept                      # only the file and the means

Each pair is `littlestone.fit` of the same rows with the same epsilon (delta 1e-6, nothing is
evaluated), once over the schema of unseen.py and once without a schema; all cells are texts, as in
a CSV file, so that no type is declared. Other rows, at most 8,000, are the test rows. Rows and
epsilon make n epsilon 1,000, 2,000, 4,000 and 10,000, as far as seven tenths of a table reach.
The numbers of the rule were set on other tables: affairs, alcohol, compas, default, happiness and
insurance of the comparison, benefits, pension and personality of outside.py.

Every pair is one line of a file in ``--cache``, so that a stopped command goes on where it was. A
line of ``columns.csv`` is one table and size: means over the seeds, and the standard error of what
the learned columns are behind.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import sys
import tempfile
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.metrics import roc_auc_score

HERE = Path(__file__).parent
for part in ("targets", "comparison", "."):
    sys.path.insert(0, str(HERE / part))

from fetch import files  # noqa: E402
from outside import Labelled  # noqa: E402
from unseen import UNSEEN  # noqa: E402

import littlestone as ls  # noqa: E402

KEPT = HERE / "columns.csv"
COLUMNS = ("table", "n_epsilon", "n", "epsilon", "seeds", "schema", "learned", "behind", "error")
#: n epsilon, and how many records; epsilon is larger where a table has fewer.
SIZES = ((1_000, 1_000), (2_000, 2_000), (4_000, 2_000), (10_000, 2_500))
TEST, SHARE = 8_000, 0.7

Cells = dict[str, pa.Array]


def read(data: Labelled, cache: Path) -> tuple[Cells, np.ndarray]:
    """Return the columns of a table as texts, and the labels."""
    (content,) = files(data, cache)
    rows = list(csv.DictReader(io.StringIO(content)))
    labels = np.array([data.positive(row[data.y]) for row in rows], dtype=int)
    return {name: pa.array([row[name] for row in rows]) for name in data.schema.names}, labels


def pair(data: Labelled, cells: Cells, labels: np.ndarray, size: tuple[int, int], seed: int) -> Any:
    """Return n, epsilon, and the AUROC over the schema and over learned columns."""
    n = min(size[1], int(SHARE * len(labels)))
    epsilon = f"{size[0] / n:.3f}"
    order = np.random.default_rng(seed).permutation(len(labels))
    train, test = (pa.table(cells).take(rows) for rows in (order[:n], order[n : n + TEST]))
    train, truth = train.append_column("y*", pa.array(labels[order[:n]])), labels[order[n:]][:TEST]
    areas = []
    for schema in (data.schema, None):
        made = ls.fit(
            train, y="y*", epsilon=epsilon, delta="1e-6", schema=schema, evaluate=None,
            random_state=seed,
        )  # fmt: skip
        areas.append(float(roc_auc_score(truth, made.predict_proba(test)[:, 1])))
    return n, epsilon, *areas


def cells_of(found: dict[Any, Any]) -> list[dict[str, Any]]:
    """Return a line for each table and size."""
    groups = defaultdict(list)
    for (table, size, _), (n, epsilon, *areas) in found.items():
        groups[table, size, n, epsilon].append(areas)
    lines = []
    for key, areas in groups.items():
        schema, learned = np.array(areas).T
        behind, seeds = schema - learned, len(areas)
        error = float(behind.std(ddof=1)) / math.sqrt(seeds) if seeds > 1 else math.nan
        means = (f"{x:.4f}" for x in (schema.mean(), learned.mean(), behind.mean(), error))
        lines.append(dict(zip(COLUMNS, (*key, seeds, *means), strict=True)))
    return sorted(lines, key=lambda line: (line["table"], line["n_epsilon"]))


def main() -> None:
    """Run what is missing, write columns.csv, and print the means."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--kept", action="store_true", help="run nothing")
    default = Path(tempfile.gettempdir()) / "littlestone-tables"
    parser.add_argument("--cache", type=Path, default=default)
    asked = parser.parse_args()
    asked.cache.mkdir(exist_ok=True)
    log = asked.cache / "columns.jsonl"
    log.touch()
    found: dict[Any, Any] = {}
    for line in log.read_text("utf-8").splitlines():
        table, size, seed, *values = json.loads(line)
        found[table, size, seed] = values
    warnings.simplefilter("ignore")  # what is seeded is not private
    tables = {} if asked.kept else {d.name: (d, *read(d, asked.cache / "packages")) for d in UNSEEN}
    for seed in range(asked.seeds):
        for name, table in tables.items():
            for size in SIZES:
                if (name, size[0], seed) not in found:
                    values = pair(*table, size, seed)
                    found[name, size[0], seed] = values
                    with log.open("a", encoding="utf-8") as file:
                        file.write(json.dumps([name, size[0], seed, *values]) + "\n")
    lines = cells_of(found)
    with KEPT.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(lines)
    for size, _ in SIZES:
        behind = [float(line["behind"]) for line in lines if line["n_epsilon"] == size]
        error = np.std(behind, ddof=1) / math.sqrt(len(behind))  # of tables and seeds
        print(
            f"n epsilon {size:,}: {np.mean(behind):+.4f} behind (standard error {error:.4f}) on "
            f"{len(behind)} tables"
        )


if __name__ == "__main__":
    main()
