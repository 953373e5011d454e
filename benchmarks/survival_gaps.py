"""Mean survival beside Kaplan and Meier, with and without moved periods: five tables.

    python benchmarks/survival_gaps.py --cache FOLDER    # what survival_gaps.csv lacks

Delta 1e-6; a line for each table and epsilon, with periods moved (from n epsilon of 0 on, whatever
the rule says) and not: over the draws, the mean of the largest gap between mean predicted survival
and Kaplan and Meier's, over all periods, of the persons that were learned from, and its standard
error. Seeds change split and draws, and are the same for both.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

import numpy as np
from means import HERE, fitted, measured

from littlestone.learners.boosting import values

KEPT = Path(__file__).with_suffix(".csv")
CELLS = (
    ("colon", "2"), ("recid", "1"), ("recid", "2"), ("unemployed", "0.5"), ("unemployed", "1"),
    ("nwtco", "0.5"), ("flchain", "0.25"), ("colon", "4"), ("unemployed", "2"), ("nwtco", "2"),
    ("flchain", "2"),
)  # fmt: skip
COLUMNS = ("table", "n", "epsilon", "moved", "draws", "gap", "error")


def main() -> None:
    """Add the cells that the file lacks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cache", type=Path, required=True, help="of prepared tables")
    parser.add_argument("--draws", type=int, default=6)
    asked = parser.parse_args()
    sys.path[:0] = [str(HERE / "targets"), str(HERE / "comparison")]
    from measures import arrays_of
    from run import prepare
    from tables import TABLES

    if not KEPT.exists():
        KEPT.write_text(",".join(COLUMNS) + "\n")
    with KEPT.open() as file:
        known = {(row["table"], row["epsilon"], row["moved"]) for row in csv.DictReader(file)}
    rule = values._MOVED_FROM
    for name, epsilon in CELLS:
        data, arrays = TABLES[name], arrays_of(prepare(TABLES[name], asked.cache))
        for moved in ("yes", "no"):
            if (name, epsilon, moved) in known:
                continue
            values._MOVED_FROM = 0 if moved == "yes" else 10**9
            values._settings.cache_clear()
            gaps, n = [], 0
            for seed in range(asked.draws):
                learns = ~arrays.test(seed)
                x = arrays.codes[learns]
                y = 2 * data.target.codes(arrays.y[learns]) + arrays.event[learns]
                n = len(y)
                model = fitted(data.schema, data.target, x, y, epsilon, seed)
                gaps.append(measured(model, x, y, data.target)[1])
            error = np.std(gaps, ddof=1) / np.sqrt(len(gaps))
            line = f"{name},{n},{epsilon},{moved},{len(gaps)},{np.mean(gaps):.4f},{error:.4f}"
            with KEPT.open("a") as file:
                file.write(line + "\n")
            print(line, flush=True)
    values._MOVED_FROM = rule


if __name__ == "__main__":
    main()
