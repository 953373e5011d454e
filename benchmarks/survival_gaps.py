"""Mean survival beside Kaplan and Meier, with and without moved periods: five tables.

    python benchmarks/survival_gaps.py --cache FOLDER    # what survival_gaps.csv lacks

Delta 1e-6; a line for each table and epsilon, with periods moved (from n epsilon of 0 on, whatever
the rule says) and not: over the draws, the mean of the largest gap between mean predicted survival
and Kaplan and Meier's, over all periods, of the persons that were learned from, and its standard
error; and the concordance of the others. Seeds change split and draws, and are the same for both.
Lines without a concordance learn nothing: "counts" is Kaplan and Meier's rule on the counts by
period alone, with the noise of all of epsilon; "life table" their hazards, smoothed as a fit begins
with them, and "half life table" with half of rho: no share of it brings a fit nearer.
"""

from __future__ import annotations

import argparse
import csv
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from means import DELTA, HERE, fitted, kaplan_meier, measured

from littlestone.classes.boosted_trees.coefficients import LifeTable
from littlestone.data.targets import TargetSample
from littlestone.learners.boosting import values
from littlestone.learners.boosting.losses import counts_at_risk, reach_of_cells
from littlestone.privacy import Concentrated, largest_rho
from littlestone.source import SeededSource

KEPT = Path(__file__).with_suffix(".csv")
CELLS = (("colon", "2"), ("recid", "2"), ("unemployed", "2"), ("nwtco", "2"), ("flchain", "2"))
WITHOUT = ("counts", "life table", "half life table")
COLUMNS = ("table", "n", "epsilon", "moved", "draws", "gap", "error", "concordance")


def of_counts(target: Any, y: Any, epsilon: str, seed: int, kind: str) -> float:
    """Return the largest gap of a life table from counts with the noise of epsilon."""
    rho = largest_rho(Fraction(epsilon), Fraction(DELTA)) / (2 if kind.startswith("half") else 1)
    sample, n = TargetSample.of(np.full((len(y), 1), 2), y), len(y)
    counts = counts_at_risk(sample, target, loss=Concentrated(rho), source=SeededSource(seed))
    life = LifeTable.of(counts, n, reach_of_cells(Concentrated(rho)), target.ends)
    hazards = life.hazards[0]
    if kind == "counts":
        hazards = np.minimum(np.array(life.events) / np.maximum(life.risks, 1), 1)
    return float(np.abs(np.cumprod(1 - hazards) - kaplan_meier(target, y)).max())


def main() -> None:
    """Add the cells that the file lacks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cache", type=Path, required=True, help="of prepared tables")
    parser.add_argument("--draws", type=int, default=30)
    asked = parser.parse_args()
    sys.path[:0] = [str(HERE / "targets"), str(HERE / "comparison")]
    from measures import arrays_of, scores, truth
    from run import prepare
    from tables import TABLES

    if not KEPT.exists():
        KEPT.write_text(",".join(COLUMNS) + "\n")
    with KEPT.open() as file:
        known = {(row["table"], row["epsilon"], row["moved"]) for row in csv.DictReader(file)}
    rule = values._MOVED_FROM
    for name, epsilon in CELLS:
        data, path = TABLES[name], prepare(TABLES[name], asked.cache)
        arrays = arrays_of(path)
        for moved in ("yes", "no", *WITHOUT):
            if (name, epsilon, moved) in known:
                continue
            values._MOVED_FROM = 0 if moved == "yes" else 10**9
            values._settings.cache_clear()
            gaps, orders, n = [], [], 0
            for seed in range(asked.draws):
                learns = ~arrays.test(seed)
                x = arrays.codes[learns]
                y = 2 * data.target.codes(arrays.y[learns]) + arrays.event[learns]
                n = len(y)
                if moved in WITHOUT:
                    gaps.append(of_counts(data.target, y, epsilon, seed, moved))
                    continue
                model = fitted(data.schema, data.target, x, y, epsilon, seed)
                gaps.append(measured(model, x, y, data.target)[1])
                risks = 1 - model.survival(arrays.codes[~learns])[:, -1]
                orders.append(scores(truth(path, seed), risks)["score"])
            error = np.std(gaps, ddof=1) / np.sqrt(len(gaps))
            order = f"{np.mean(orders):.4f}" if orders else ""
            numbers = f"{len(gaps)},{np.mean(gaps):.4f},{error:.4f},{order}"
            line = f"{name},{n},{epsilon},{moved},{numbers}"
            with KEPT.open("a") as file:
                file.write(line + "\n")
            print(line, flush=True)
    values._MOVED_FROM = rule


if __name__ == "__main__":
    main()
