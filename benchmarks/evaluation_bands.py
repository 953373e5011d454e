"""Coverage of each printed band of an evaluation: `python benchmarks/evaluation_bands.py [RUNS]`.

Predictions are fixed, and the evaluation is released again and again: on the same units (noise), or
on units drawn anew from a population (noise and sampling). Errors are normal or heavy, and up to
60 % of the units have no target. ``evaluation_bands.csv`` says what 1,000 releases of each cell
gave.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from littlestone.bounds.tails import clopper_pearson
from littlestone.classes import TreeSum
from littlestone.classes.boosted_trees.export import PARTS
from littlestone.classes.decision_trees import TreeHypothesis
from littlestone.classes.decision_trees.hypothesis import Node
from littlestone.data import Schema
from littlestone.data.targets import Quantity, TargetSample
from littlestone.evaluation import QuantityEvaluation
from littlestone.evaluation.measures import Band
from littlestone.learners.boosting.errors import error_sums
from littlestone.source import SeededSource

LOG = Path(__file__).with_suffix(".csv")
_POPULATION = 200_000
_SCHEMA = Schema.from_dict({"age": {"bins": [20, 30, 40, 50, 60, 70, 80]}})
_TREES = tuple(TreeHypothesis.of(Node(_SCHEMA.literals()[i], 1, 0)) for i in range(0, 14, 2))
#: Errors, in scales; the public range is 30 scales wide, and the steps are 4 scales together.
ERRORS = {
    "normal": lambda rng, n: rng.normal(0, 1, n),
    "skewed": lambda rng, n: rng.lognormal(0, 0.8, n) - 1,
    "heavy": lambda rng, n: rng.lognormal(-1, 1.5, n),
    "rare": lambda rng, n: np.where(rng.random(n) < 0.002, 15, rng.normal(0, 1, n)),
}
_CELLS = 600


@dataclass(frozen=True)
class Cell:
    """One setting: errors, units, epsilon, the share without a target, and what is drawn."""

    errors: str
    n: int
    epsilon: str
    missing: float
    sampling: bool

    @property
    def name(self) -> str:
        """What the log calls it."""
        drawn = "noise and sampling" if self.sampling else "noise"
        return f"{self.errors}, {self.n} x {self.epsilon}, {self.missing:.0%} missing, {drawn}"


def cells() -> list[Cell]:
    """Return all settings of quantities."""
    sizes = [(1000, "1/2"), (1000, "1"), (5000, "1"), (20_000, "1")]
    found = [
        Cell(errors, n, epsilon, missing, sampling=sampling)
        for errors in ERRORS
        for n, epsilon in sizes
        for missing, sampling in ((0.0, True), (0.1, False), (0.3, True), (0.6, True))
    ]
    return [*found, Cell("normal", 1000, "1/5", 0.6, sampling=True)]


def model() -> TreeSum:
    """Return predictions of 12 scales, more or less up to 4 / 7 of a scale for each edge of age."""
    scale = _CELLS * PARTS // 30
    steps = (4 * scale // len(_TREES),) * len(_TREES)
    return TreeSum(_TREES, steps, (12 * scale,), Quantity(0, _CELLS, _CELLS))


class Population:
    """Units with rows and codes of targets; some have none."""

    def __init__(self, cell: Cell, rng: np.random.Generator) -> None:
        self.model, scale = model(), _CELLS / 30
        self.rows = rng.binomial(7, 0.5, _POPULATION) + 2
        self.predicted = self.model.predict(self.rows[:, None])
        y = self.predicted + scale * ERRORS[cell.errors](rng, _POPULATION)
        self.codes = np.clip(np.rint(y), 0, _CELLS).astype(np.int64)
        self.codes[rng.random(_POPULATION) < cell.missing] = -1

    def truths(self, units: Any, sums: Any) -> dict[str, float]:
        """Return what is true of some units, or of all."""
        codes, predicted = self.codes[units], self.predicted[units]
        known = codes >= 0
        y, error = codes[known], np.abs(codes - predicted)[known]
        reach, far, center = float(sums.reach), float(sums.far), float(sums.center)
        short, beside = np.minimum(error, reach), np.clip(y - center, -far, far)
        return {
            "with_target": sums.n * known.mean(),
            "median": float(np.median(error)),
            "ninth_decile": float(np.quantile(error, 0.9)),
            "beyond": float((error > reach).mean()),
            "mae": float(error.mean()),
            "rmse": float(np.sqrt((error**2).mean())),
            "r2": 1 - float((short**2).mean() / beside.var()),
        }


def released(cell: Cell, runs: int, seed: int = 0) -> Iterator[tuple[str, Any, float]]:
    """Yield the name, the band and the truth of each figure that each release prints."""
    rng, source = np.random.default_rng(seed), SeededSource(seed)
    population, everyone = Population(cell, rng), np.arange(_POPULATION)
    units = rng.choice(_POPULATION, cell.n)
    for _ in range(runs):
        if cell.sampling:
            units = rng.choice(_POPULATION, cell.n)
        sample = TargetSample.of(population.rows[units, None], population.codes[units])
        sums = error_sums(
            population.model, sample,
            epsilon=Fraction(cell.epsilon), held_out=True, source=source,
        )  # fmt: skip
        truths = population.truths(everyone if cell.sampling else units, sums)
        own = population.truths(units, sums)  # how many of these have a target
        truths["with_target"] = own["with_target"]
        for name, band in QuantityEvaluation(sums).bands.items():
            if band is not None:
                yield name, band, truths[name]


def coverage(cell: Cell, runs: int, seed: int = 0) -> list[dict[str, Any]]:
    """Return how often the bands of a cell hold the truth, and how wide they are."""
    inside: dict[str, list[bool]] = {}
    widths: dict[str, list[float]] = {}
    valued: dict[str, int] = {}
    for name, band, truth in released(cell, runs, seed):
        slack = 1e-9 * max(1.0, abs(truth))
        inside.setdefault(name, []).append(band.low - slack <= truth <= band.high + slack)
        widths.setdefault(name, []).append(band.high - band.low)
        valued[name] = valued.get(name, 0) + isinstance(band, Band)
    return [
        {
            "cell": cell.name,
            "figure": name,
            "printed": len(own),
            "with a value": valued[name],
            "covered": int(sum(own)),
            "upper limit": round(clopper_pearson(sum(own), len(own), 0.999)[1], 4),
            "median width": f"{np.median(widths[name]):.4g}",
        }
        for name, own in inside.items()
    ]


def main() -> None:
    """Write the log."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rows = [row for cell in cells() for row in coverage(cell, runs)]
    with LOG.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    shares = [row["covered"] / row["printed"] for row in rows]
    least = min(rows, key=lambda row: row["upper limit"])
    print(f"{len(rows)} bands, mean coverage {np.mean(shares):.4f}; least: {least}")


if __name__ == "__main__":
    main()
