"""Means of predictions beside the true ones: simulations, and the tables of benchmarks/targets.

    python benchmarks/means.py --cache FOLDER          # all lines that means.csv lacks
    python benchmarks/means.py --cache FOLDER --only lognormal

Each line of ``means.csv`` is a cell: over all draws the mean, least and largest ratio of the
predicted and the true mean of the training rows, and the mean R2 (quantities), share of deviance
(counts) or largest gap between mean survival and Kaplan-Meier over all periods (times) there.
Seeds change the split of a table, the simulated rows, and the draws.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from littlestone.classes import BoostedTreeClass
from littlestone.data import Schema
from littlestone.data.targets import Count, Periods, Quantity, TargetSample
from littlestone.learners.boosting import Values
from littlestone.source import SeededSource

HERE = Path(__file__).parent
SCHEMA = Schema.from_dict({name: {"bins": [1, 2, 3, 4]} for name in "abcd"})
Draw = Callable[[int], tuple[float, float]]
COLUMNS = ("cell", "n", "epsilon", "range", "draws", "ratio", "least", "largest", "score")
DELTA = "1e-6"


def simulated(kind: str, size: float, n: int, seed: int) -> tuple[Any, Any]:
    """Return rows of codes, and lognormal amounts of a spread or counts of a mean."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 5, (n, 4))
    effect = (rows[:, 0] - 2) * 0.25 + (rows[:, 1] > 2) * 0.3
    if kind == "lognormal":
        return rows + 2, np.exp(rng.normal(0.6, size, n) + effect / 2)
    rate = np.exp(effect)
    return rows + 2, rng.poisson(size * rate / rate.mean())


def fitted(schema: Schema, target: Any, rows: Any, codes: Any, epsilon: str, seed: int) -> Any:
    """Return the released sum of trees."""
    learner = Values(BoostedTreeClass(schema, 2, target=target), epsilon=epsilon, delta=DELTA)
    return learner.draw(TargetSample.of(rows, codes), SeededSource(seed))


def kaplan_meier(target: Periods, codes: Any) -> Any:
    """Return the survival at the end of each period, by the rule of who is at risk."""
    at_risk, event = target.at_risk(codes)
    periods = range(len(target.ends))
    hazards = [(event == k).sum() / max((at_risk > k).sum(), 1) for k in periods]
    return np.cumprod(1 - np.array(hazards))


def measured(model: Any, rows: Any, y: Any, target: Any) -> tuple[float, float]:
    """Return the ratio of means, and R2, the share of deviance or the gap of survival."""
    if isinstance(target, Periods):
        mean, truth = model.survival(rows).mean(axis=0), kaplan_meier(target, y)
        return float((mean / truth)[-1]), float(np.abs(mean - truth).max())
    found = model.predict(rows)
    if isinstance(target, Count):

        def deviance(rate: Any) -> float:
            return float((2 * (y * np.log(np.maximum(y, 1) / rate) - y + rate)).sum())

        return found.mean() / y.mean(), 1 - deviance(found) / deviance(np.full(len(y), y.mean()))
    return found.mean() / y.mean(), 1 - ((found - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()


def cells(
    cache: Path,
) -> Iterator[tuple[tuple[str, ...], int, Callable[[int], tuple[float, float]]]]:
    """Yield the key of each cell, how many draws it has, and what one is."""

    def lognormal(spread: float, n: int, epsilon: str, high: int) -> Any:
        def draw(seed: int) -> tuple[float, float]:
            rows, y = simulated("lognormal", spread, n, seed)
            target = Quantity(0, high)
            y = np.minimum(y, high)
            return measured(
                fitted(SCHEMA, target, rows, target.codes(y), epsilon, seed), rows, y, target
            )

        return draw

    spreads = ((1.0, 100), (1.5, 1000), (2.0, 5000))
    for n, epsilon in ((2000, "1"), (4000, "0.5"), (1000, "2"), (20000, "1")):
        for (spread, high), times in product(spreads, (1, 10)):
            key = (f"lognormal {spread:g}", str(n), epsilon, f"x{times}")
            yield key, 20, lognormal(spread, n, epsilon, high * times)

    def poisson(mean: float, n: int, epsilon: str) -> Any:
        def draw(seed: int) -> tuple[float, float]:
            rows, y = simulated("poisson", mean, n, seed)
            target = Count(30)
            return measured(fitted(SCHEMA, target, rows, y, epsilon, seed), rows, y, target)

        return draw

    for mean, n, epsilon in (
        (0.02, 5_000, "4"), (0.02, 50_000, "0.25"), (0.02, 50_000, "1"), (0.02, 50_000, "4"),
        (0.1, 1_000, "4"), (0.1, 5_000, "1"), (0.1, 5_000, "4"), (0.1, 50_000, "0.25"),
        (0.1, 50_000, "1"), (0.5, 1_000, "1"), (0.5, 1_000, "4"), (0.5, 5_000, "1"),
        (0.5, 50_000, "1"), (2, 1_000, "1"), (2, 5_000, "1"), (2, 50_000, "1"), (5, 1_000, "1"),
        (5, 5_000, "1"),
    ):  # fmt: skip
        yield (
            (f"poisson {mean:g}", str(n), epsilon, "x1"),
            20 if n < 50_000 else 6,
            poisson(mean, n, epsilon),
        )
    yield from _of_tables(cache)


def _of_tables(cache: Path) -> Iterator[Any]:
    sys.path[:0] = [str(HERE / "targets"), str(HERE / "comparison")]
    from measures import arrays_of
    from run import prepare
    from tables import TABLES

    def table(name: str, epsilon: str, times: int) -> Any:
        data, arrays = TABLES[name], arrays_of(prepare(TABLES[name], cache))

        def draw(seed: int) -> tuple[float, float]:
            keep = ~arrays.test(seed)
            target, y = data.target, arrays.y[keep]
            if isinstance(target, Quantity):
                target = Quantity(target.low, target.low + times * (target.high - target.low))
                y = np.clip(y, float(target.low), float(target.high))
            codes = target.codes(y)
            if isinstance(target, Periods):
                codes = y = 2 * codes + arrays.event[keep]
            made = fitted(data.schema, target, arrays.codes[keep], codes, epsilon, seed)
            return measured(made, arrays.codes[keep], y, target)

        return len(arrays.y) * 4 // 5, draw

    for name, data in TABLES.items():
        if data.kind == "user":
            continue
        for epsilon in ("0.5", "1", "2"):
            for times in (1, 10) if isinstance(data.target, Quantity) else (1,):
                n, draw = table(name, epsilon, times)
                if n * float(epsilon) >= 1_000:
                    yield (
                        (name, str(n), epsilon, f"x{times}"),
                        6 if data.kind != "time" else 8,
                        draw,
                    )


def main() -> None:
    """Add the cells that the file lacks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True, help="of prepared tables")
    parser.add_argument("--out", type=Path, default=HERE / "means.csv")
    parser.add_argument("--only", default="", help="cells whose name begins so")
    arguments = parser.parse_args()
    out: Path = arguments.out
    if not out.exists():
        out.write_text(",".join(COLUMNS) + "\n")
    with out.open() as file:
        known = {tuple(row[name] for name in COLUMNS[:4]) for row in csv.DictReader(file)}
    for key, draws, draw in cells(arguments.cache):
        if key in known or not key[0].startswith(arguments.only):
            continue
        ratios, scores = np.array([draw(seed) for seed in range(draws)]).T
        numbers = (ratios.mean(), ratios.min(), ratios.max(), scores.mean())
        line = ",".join([*key, str(draws), *(f"{number:.4f}" for number in numbers)])
        with out.open("a") as file:
            file.write(line + "\n")
        print(line, flush=True)


if __name__ == "__main__":
    main()
