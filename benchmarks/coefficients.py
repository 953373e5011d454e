"""Coverage of the coefficients of ``inference``: a line of ``coefficients.csv`` for each design.

    python benchmarks/coefficients.py [--fits 100]

The file is in ``docs/appendix``. Nominal 95 %, delta 1e-6, half of rho for the regression, as `fit`
gives it. Truth is the maximum of the likelihood in the population, of the binned columns: for
generated designs by 10**6 rows (so the misspecified one has a truth, too), for tables of
scikit-learn the table itself, of which rows are drawn with replacement. ``printed`` is the share of
fits with intervals, ``covered`` how many of all ``intervals`` of slopes hold the truth.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits

from littlestone.classes import LinearClass
from littlestone.data import Sample, Schema
from littlestone.learners.linear import Linear
from littlestone.source import SeededSource

KEPT = Path(__file__).parents[1] / "docs" / "appendix" / "coefficients.csv"
COLUMNS = ("design", "n", "columns", "epsilon", "fits", "printed", "intervals", "covered", "width")
EDGES = [-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0]
_POPULATION = 10**6
Rows = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Design:
    """Where rows come from: ``draw(rng, n)`` gives codes and labels."""

    name: str
    n: int
    epsilon: str
    schema: Schema
    draw: Callable[[np.random.Generator, int], Rows]
    whole: Rows | None = None  # the population, where it is a table


def chance(score: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return labels of log-odds."""
    return (rng.random(len(score)) < 1 / (1 + np.exp(-score))).astype(np.int8)


def numbers(columns: int, alike: float, bent: float = 0.0) -> tuple[Schema, Any]:
    """Return normal columns of one correlation; ``bent`` adds squares and a product."""
    schema = Schema.from_dict({f"x{j}": {"bins": EDGES} for j in range(columns)})
    root = np.linalg.cholesky((1 - alike) * np.eye(columns) + alike)

    def draw(rng: np.random.Generator, n: int) -> Rows:
        x = rng.normal(size=(n, columns)) @ root.T
        slopes = np.array([(-1) ** j * (0.3 + 0.3 * (j % 3)) for j in range(columns)])
        score = x @ slopes - 1 + bent * (x[:, 0] ** 2 + x[:, 0] * x[:, 1])
        return schema.encode(list(x.T)), chance(score, rng)

    return schema, draw


def mixed() -> tuple[Schema, Any]:
    """Return a number and a text of which one category is rare."""
    schema = Schema.from_dict({"x": {"bins": EDGES}, "ward": {"categories": ["a", "b", "c"]}})

    def draw(rng: np.random.Generator, n: int) -> Rows:
        x, ward = rng.normal(size=n), rng.choice(3, n, p=[0.5, 0.42, 0.08])
        score = 0.6 * x + np.array([0, 0.4, -0.8])[ward] - 0.5
        return schema.encode([x, np.array(["a", "b", "c"])[ward]]), chance(score, rng)

    return schema, draw


def skewed() -> tuple[Schema, Any]:
    """Return waiting times, and a label that is rare."""
    schema = Schema.from_dict({f"t{j}": {"bins": [0.25, 0.5, 1, 1.5, 2, 3, 4]} for j in range(3)})

    def draw(rng: np.random.Generator, n: int) -> Rows:
        x = rng.exponential(size=(n, 3))
        return schema.encode(list(x.T)), chance(x @ [0.5, -0.4, 0.2] - 2.2, rng)

    return schema, draw


def table(data: Any, places: list[int], labels: np.ndarray) -> tuple[Schema, Any, Rows]:
    """Return rows of a table, drawn with replacement; bins are parts of the range of a column."""
    x = data.data[:, places]
    ends = zip(x.min(axis=0), x.max(axis=0), strict=True)
    edges = [np.linspace(low, high, 10)[1:-1].round(4) for low, high in ends]
    schema = Schema.from_dict({f"x{j}": {"bins": own.tolist()} for j, own in enumerate(edges)})
    codes, labels = schema.encode(list(x.T)), labels.astype(np.int8)

    def draw(rng: np.random.Generator, n: int) -> Rows:
        drawn = rng.integers(len(codes), size=n)
        return codes[drawn], labels[drawn]

    return schema, draw, (codes, labels)


def designs() -> Iterator[Design]:
    """Yield all designs; the last two generated ones are not those that the rule was made on."""
    for columns, alike, n, epsilon in (
        (2, 0.3, 20_000, "1"), (4, 0.3, 20_000, "1"), (4, 0.7, 20_000, "1"), (4, 0.5, 5_000, "4"),
    ):  # fmt: skip
        yield Design(f"normal, correlation {alike}", n, epsilon, *numbers(columns, alike))
    yield Design("normal, misspecified", 20_000, "1", *numbers(2, 0.3, bent=0.25))
    yield Design("number and rare ward", 20_000, "1", *mixed())
    yield Design("waiting times, rare label", 10_000, "2", *skewed())
    cancer, digits = load_breast_cancer(), load_digits()
    two = table(cancer, [1, 4], cancer.target == 0)
    yield Design("cancer, texture and smoothness", 20_000, "1", *two)
    four = table(digits, [20, 30, 42, 60], digits.target >= 5)
    yield Design("digits, four dots", 20_000, "1", *four)


def truth(design: Design) -> np.ndarray:
    """Return the slopes of the maximum of the likelihood, by Newton steps in doubles."""
    codes, labels = design.whole or design.draw(np.random.default_rng(10**6), _POPULATION)
    made = learner(design)
    both = zip(made.named.tables, codes.T, strict=True)
    x = np.concatenate([t[np.clip(own.astype(int) - 1, 0, None)] for t, own in both], axis=1) / 1024
    x = np.concatenate([np.ones((len(x), 1)), x], axis=1)
    found = np.zeros(x.shape[1])
    for _ in range(12):
        p = 1 / (1 + np.exp(-x @ found))
        found -= np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x, x.T @ (p - labels))
    return found[1:]


def learner(design: Design) -> Linear:
    """Return the learner."""
    names = list(design.schema.names)
    return Linear(LinearClass(design.schema), epsilon=design.epsilon, delta="1e-6", inference=names)


def main() -> None:
    """Write the log."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--fits", type=int, default=100)
    asked = parser.parse_args()
    lines = []
    for design in designs():
        slopes, made = truth(design), learner(design)
        printed, covered, widths = 0, 0, []
        for seed in range(asked.fits):
            codes, labels = design.draw(np.random.default_rng(seed), design.n)
            found = made.regressed(Sample.of(codes, labels), SeededSource(seed))
            if found.printed:
                low, high = found.intervals(0.95)[1:].T
                printed += 1
                covered += int(((low <= slopes) & (slopes <= high)).sum())
                widths.append(high - low)
        width = f"{np.median(widths):.3f}" if widths else ""
        lines.append(
            (
                design.name, design.n, len(design.schema), design.epsilon, asked.fits,
                f"{printed / asked.fits:.2f}", printed * len(slopes), covered, width,
            )
        )  # fmt: skip
        print(*lines[-1], flush=True)
        with KEPT.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *lines])


if __name__ == "__main__":
    main()
