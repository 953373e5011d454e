"""Expected calibration error of boosted trees at epsilon 1, on the tables of over 20,000 rows.

    python benchmarks/boosting/calibration.py --seeds 3

The probabilities of the votes, and recalibrated ones: an evaluation on the records of the fit, and
one on held-out records. Epsilon is the total, delta 1e-6. The error is the mean distance, weighed
by test rows, between predicted and found shares in 20 bins of equal width. Its ``floor`` is what
labels drawn by exactly these probabilities show: the sampling of the test rows alone.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "comparison"))

from definitions import TABLES
from fetch import prepare
from fits import DELTA, calibration_error

from littlestone.classes import BoostedTreeClass
from littlestone.data import Sample, Schema
from littlestone.learners.boosting import Boosting
from littlestone.learners.running import run
from littlestone.source import SeededSource

WAYS = {
    "no evaluation": {},
    "evaluate=0.1": {"evaluate": "0.1"},
    "evaluate=1, holdout=0.2": {"evaluate": "1", "holdout": "0.2"},
    "evaluate=1, holdout=0.5": {"evaluate": "1", "holdout": "0.5"},
}


def main() -> None:
    """Print one row for each table and way."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", nargs="+", default=["insurance", "adult", "census"])
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--seeds", type=int, default=3)
    default = Path(tempfile.gettempdir()) / "littlestone-tables"
    parser.add_argument("--cache", type=Path, default=default)
    arguments = parser.parse_args()
    print("| table | probabilities | calibration error | floor | accuracy |")
    print("|---|---|--:|--:|--:|")
    for name in arguments.tables:
        with np.load(prepare(TABLES[name], arguments.cache)) as arrays:
            codes, labels, test = arrays["codes"], arrays["labels"], arrays["test"]
        sample = Sample.of(codes[~test], labels[~test])
        concepts = BoostedTreeClass(Schema.from_toml(TABLES[name].schema), 2)
        for way, options in WAYS.items():
            found = []
            for seed in range(arguments.seeds):
                learner = Boosting(concepts, epsilon=arguments.epsilon, delta=DELTA)
                release = run(learner, sample, SeededSource(seed), **options)
                shares = release.hypothesis.probability(codes[test])
                right = float(((shares > 0.5) == labels[test]).mean())
                drawn = np.random.default_rng(seed).random((20, len(shares))) < shares
                floor = np.mean([calibration_error(shares, own) for own in drawn])
                found.append((calibration_error(shares, labels[test]), floor, right))
            cells = " | ".join(f"{mean:.4f}" for mean in np.mean(found, axis=0))
            print(f"| {name} | {way} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
