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
from littlestone.evaluation import Evaluation, QuantityEvaluation, release_histogram
from littlestone.evaluation.histogram import merged_scores
from littlestone.evaluation.measures import Band
from littlestone.learners.boosting.losses import error_sums
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
    "outliers": lambda rng, n: np.where(rng.random(n) < 0.002, 15, rng.normal(0, 1, n)),
}
_CELLS = 600
#: Log-odds of label 1 at the margins of a sum of trees, by how rare label 1 is.
SHARES = {"half": 0.0, "a tenth": -2.6, "a twentieth": -3.9}
_MARGINS = range(-80, 41, 2)
_SIZES = [(1000, "1/2"), (1000, "1"), (5000, "1")]


@dataclass(frozen=True)
class Cell:
    """One setting: a law of errors or of labels, units, epsilon, and what is drawn anew."""

    law: str
    n: int
    epsilon: str
    missing: float  # the share without a target
    sampling: bool

    @property
    def name(self) -> str:
        """What the log calls it."""
        drawn = "noise and sampling" if self.sampling else "noise"
        missing = f", {self.missing:.0%} missing" if self.law in ERRORS else ""
        return f"{self.law}, {self.n} x {self.epsilon}{missing}, {drawn}"


def cells() -> list[Cell]:
    """Return all settings."""
    how = ((0.0, True), (0.1, False), (0.3, True), (0.6, True))
    found = [
        Cell(law, n, epsilon, missing, sampling=sampling)
        for law in ERRORS
        for n, epsilon in _SIZES
        for missing, sampling in how
    ]
    found.append(Cell("normal", 1000, "1/5", 0.6, sampling=True))
    return found + [
        Cell(law, n, epsilon, 0.0, sampling=sampling)
        for law in SHARES
        for n, epsilon in _SIZES
        for sampling in (False, True)
    ]


class Quantities:
    """Units with rows and codes of targets; some have none."""

    def __init__(self, cell: Cell, rng: np.random.Generator) -> None:
        self.cell, scale = cell, _CELLS * PARTS // 30
        # 12 scales, more or less up to 4
        steps = (4 * scale // len(_TREES),) * len(_TREES)
        self.model = TreeSum(_TREES, steps, (12 * scale,), Quantity(0, _CELLS, _CELLS))
        self.rows = rng.binomial(7, 0.5, _POPULATION) + 2
        self.predicted = self.model.predict(self.rows[:, None])
        y = self.predicted + _CELLS / 30 * ERRORS[cell.law](rng, _POPULATION)
        self.codes = np.clip(np.rint(y), 0, _CELLS).astype(np.int64)
        self.codes[rng.random(_POPULATION) < cell.missing] = -1
        self._known: dict[Any, dict[str, float]] = {}

    def release(self, units: Any, source: SeededSource) -> Any:
        """Return what an evaluation of some units releases."""
        sample = TargetSample.of(self.rows[units, None], self.codes[units])
        how: Any = {"epsilon": Fraction(self.cell.epsilon), "held_out": True, "source": source}
        return QuantityEvaluation(error_sums(self.model, sample, **how))

    def figures(self, found: Any, units: Any) -> Iterator[tuple[str, Any, float]]:
        """Yield names, bands and truths."""
        truths = self._truths(self._everyone if self.cell.sampling else units, found.sums)
        truths["with_target"] = float((self.codes[units] >= 0).sum())
        for name, band in found.bands.items():
            if band is not None:
                yield name, band, truths[name]

    _everyone = slice(None)

    def _truths(self, units: Any, sums: Any) -> dict[str, float]:
        key = (sums.reach, sums.far)
        if units is self._everyone and key in self._known:
            return self._known[key]
        codes, predicted = self.codes[units], self.predicted[units]
        known = codes >= 0
        y, error = codes[known], np.abs(codes - predicted)[known]
        reach, far, center = float(sums.reach), float(sums.far), float(sums.center)
        short, beside = np.minimum(error, reach), np.clip(y - center, -far, far)
        found = {
            "median": float(np.median(error)),
            "ninth_decile": float(np.quantile(error, 0.9)),
            "beyond": float((error > reach).mean()),
            "mae": float(error.mean()),
            "rmse": float(np.sqrt((error**2).mean())),
            "r2": 1 - float((short**2).mean() / beside.var()),
        }
        if units is self._everyone:
            self._known[key] = found
        return found


class Labels:
    """Units with a margin and a label; probabilities are honest, but for a factor of .8."""

    def __init__(self, cell: Cell, rng: np.random.Generator) -> None:
        self.cell, odds = cell, np.array(_MARGINS) / 10 + SHARES[cell.law] + 2
        self.chances = 1 / (1 + np.exp(-0.8 * odds))
        self.place = np.clip(np.rint(rng.normal(30, 8, _POPULATION)), 0, 60).astype(np.int64)
        self.label = (rng.random(_POPULATION) < 1 / (1 + np.exp(-odds[self.place]))).astype(int)
        self.cells = merged_scores(_MARGINS, float(self.label.mean()), 0, 1)  # the fewest
        self._everyone = self._truths(slice(None))

    def _truths(self, units: Any) -> tuple[float, float]:
        place, label = self.place[units], self.label[units]
        counts = np.stack([np.bincount(place[label == one], minlength=61) for one in (0, 1)])
        zeros, ones = counts.astype(float)
        area = float(ones @ (np.cumsum(zeros) - zeros / 2)) / zeros.sum() / ones.sum()
        return area, float(((np.array(_MARGINS)[place] > 0) == label).mean())

    def release(self, units: Any, source: SeededSource) -> Any:
        """Return what an evaluation of some units releases."""
        counts = np.zeros((2, len(self.cells)), dtype=np.int64)
        cell = np.searchsorted(self.cells, np.array(_MARGINS)[self.place[units]])
        np.add.at(counts, (self.label[units], cell), 1)
        how: Any = {"epsilon": self.cell.epsilon, "n": self.cell.n, "held_out": True}
        histogram = release_histogram(self.cells, counts, source=source, **how)
        return Evaluation(histogram, _MARGINS, self.chances)

    def figures(self, found: Any, units: Any) -> Iterator[tuple[str, Any, float]]:
        """Yield names, bands and truths."""
        area, right = self._everyone if self.cell.sampling else self._truths(units)
        yield "accuracy", found.accuracy(), right
        if (band := found.auroc()) is not None:
            yield "auroc", band, area
        chosen = slice(None) if self.cell.sampling else units
        margin, label = np.array(_MARGINS)[self.place[chosen]], self.label[chosen]
        for own in found.calibration():
            inside = (own.low <= margin) & (margin <= own.high)
            if inside.any():
                yield "calibration", own.found, float(label[inside].mean())


def coverage(cell: Cell, runs: int, seed: int = 0) -> list[dict[str, Any]]:
    """Return how often the bands of a cell hold the truth, and how wide they are."""
    rng, source = np.random.default_rng(seed), SeededSource(seed)
    population = (Quantities if cell.law in ERRORS else Labels)(cell, rng)
    units = rng.choice(_POPULATION, cell.n)
    inside: dict[str, list[bool]] = {}
    widths: dict[str, list[float]] = {}
    valued: dict[str, int] = {}
    for _ in range(runs):
        if cell.sampling:
            units = rng.choice(_POPULATION, cell.n)
        found = population.release(units, source)
        for name, band, truth in population.figures(found, units):
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
            "upper limit": round(clopper_pearson(int(sum(own)), len(own), 0.999)[1], 4),
            "median width": f"{np.median(widths[name]):.4g}",
        }
        for name, own in inside.items()
    ]


def main() -> None:
    """Write the log."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rows: list[dict[str, Any]] = []
    with LOG.open("w", newline="", encoding="utf-8") as file:
        for cell in cells():
            own = coverage(cell, runs)
            if not rows:
                writer = csv.DictWriter(file, list(own[0]))
                writer.writeheader()
            writer.writerows(own)
            file.flush()
            rows += own
    shares = [row["covered"] / row["printed"] for row in rows]
    least = min(rows, key=lambda row: row["upper limit"])
    print(f"{len(rows)} bands, mean coverage {np.mean(shares):.4f}; least: {least}")


if __name__ == "__main__":
    main()
