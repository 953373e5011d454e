"""What limits linear models where records are few: the share of noise, and what was tried.

    python benchmarks/linear_limits.py --packages LIB    # linear_limits.csv; two minutes

On the tables of ``auto_rule.py`` (its packages), at n epsilon from 200 to 2,000, the rule of linear
models in doubles with Gaussian noise. A line for each setting and range: the mean AUROC, how far
it is ahead of the rule ("now"), the standard error of that over tables, and the table with the
largest loss. Means of two splits, the same noise for all settings of a split; "together" was put
together on other splits.

"no noise", "half the noise" (twice epsilon, about) and "exact accounting" (noise times .92, what
Gaussian differential privacy would save) change the noise alone. "true ..." use what no private
rule knows, so that they bound what could be won: the share of label 1; which columns matter, from
a fit without noise, as scales of features (`sqrt` of their effects) or to shrink the released
weights. All others could be released: scales from the weights so far with the noise that is known
to be in them, shrinking by it, other clips, times, averages, rounds and features; but for "one
sum", label less true share times x for all of rho, as it is or solved with public or true second
moments.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections import defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from auto_rule import DELTA, EPSILONS, Doubles, Setting, features, problems
from sklearn.metrics import roc_auc_score

from littlestone.classes.boosted_trees.coefficients import CodePoints
from littlestone.learners.boosting.rounds import largest_rho

KEPT = Path(__file__).with_suffix(".csv")
SPLITS, RANGES = (11, 12), ((200, 500), (500, 1_000), (1_000, 2_000), (200, 2_000))
COLUMNS = ("setting", "range", "cells", "auroc", "ahead", "error", "worst", "loss")


@dataclass(frozen=True)
class Tried:
    """The numbers of the rule of linear models, and what stands instead of parts of it."""

    noise: float = 1.0
    clip: float = 0.5  # of the largest row, at least
    time: float = 1.0
    rounds: int | None = None
    momentum: float = 0.8
    averaged: float = 0.5  # of the rounds, the last ones
    bins: float = 0.25  # the feature of a bin
    intercept: float = 1.0
    start: float = 0.0  # of the log-odds of the true share of label 1, where weights begin
    scales: str = ""  # of columns: "true", or "learned" from the weights so far
    shrunk: str = ""  # columns: by "true" effects, "pooled" released ones, or in each "round"
    once: str = ""  # one noisy sum: "times 1", or solved with "public" or "true" second moments


NOW = Tried()
OTHER = replace(NOW, averaged=0.3, bins=0.125, intercept=0.5, clip=0.4)
TOGETHER = replace(OTHER, scales="learned", shrunk="round", momentum=0.0)
SETTINGS = {
    "now": NOW,
    "no noise": replace(NOW, noise=0.02, rounds=512),
    "half the noise": replace(NOW, noise=0.5),
    "exact accounting": replace(NOW, noise=0.92),
    "true scales": replace(NOW, scales="true"),
    "true shrinking": replace(NOW, shrunk="true"),
    "true share as start": replace(NOW, start=1.0),
    "half the true share": replace(NOW, start=0.5),
    "true share, smaller clip, half the time": replace(NOW, start=1.0, clip=0.35, time=0.5),
    "learned scales": replace(NOW, scales="learned"),
    "pooled shrinking": replace(NOW, shrunk="pooled"),
    "shrinking in each round": replace(NOW, shrunk="round"),
    "one sum": replace(NOW, once="times 1"),
    "one sum, public moments": replace(NOW, once="public"),
    "one sum, true moments": replace(NOW, once="true"),
    "clip .4": replace(NOW, clip=0.4),
    "time times .7": replace(NOW, time=0.7),
    "time times 1.5": replace(NOW, time=1.5),
    "32 rounds": replace(NOW, rounds=32),
    "128 rounds": replace(NOW, rounds=128),
    "no momentum": replace(NOW, momentum=0.0),
    "last .3 averaged": replace(NOW, averaged=0.3),
    "all averaged": replace(NOW, averaged=1.0),
    "no bins": replace(NOW, bins=0.0),
    "bins an eighth": replace(NOW, bins=0.125),
    "half the intercept": replace(NOW, intercept=0.5),
    "last .3, bins an eighth, half the intercept, clip .4": OTHER,
    "and shrinking in each round": replace(OTHER, shrunk="round"),
    "together": TOGETHER,
    "together, exact accounting": replace(TOGETHER, noise=0.92),
}


@dataclass(frozen=True)
class Split:
    """A table at some features, in records that are learned from and others."""

    tables: list[Doubles]
    intercept: float
    train: tuple[np.ndarray, np.ndarray]
    test: np.ndarray

    def rows(self, codes: np.ndarray) -> Doubles:
        """Return the features of rows, the intercept first."""
        parts = [
            table[CodePoints.answers(codes[:, j], len(table))]
            for j, table in enumerate(self.tables)
        ]
        return np.concatenate([np.full((len(codes), 1), self.intercept), *parts], axis=1)

    @cached_property
    def learned(self) -> Doubles:
        """The features of the rows that are learned from."""
        return self.rows(self.train[0]).astype(np.float32)

    @cached_property
    def tested(self) -> Doubles:
        """The features of the others."""
        return self.rows(self.test)

    @cached_property
    def squares(self) -> Doubles:
        """The squared norms of the features of each column of the rows that are learned from."""
        return np.add.reduceat(
            self.learned**2, np.cumsum(self.sizes) - self.sizes, axis=1, dtype=np.float32
        )

    @cached_property
    def sizes(self) -> Doubles:
        """How many features each column has, the intercept first."""
        return np.array([1, *(table.shape[1] for table in self.tables)])

    @cached_property
    def column(self) -> Doubles:
        """The column of each feature."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def largest(self) -> Doubles:
        """The largest squared norm of the features of each column."""
        norms = [float((table**2).sum(axis=1).max()) for table in self.tables]
        return np.array([self.intercept**2, *norms])

    @cached_property
    def truth(self) -> Doubles:
        """The weights of a fit with hardly any noise."""
        return fitted(self, "4", replace(NOW, noise=0.05, rounds=256), 0)

    @cached_property
    def effects(self) -> Doubles:
        """The variance over rows of what each column adds there."""
        weights = self.truth
        own = [
            np.var(self.learned[:, self.column == j] @ weights[self.column == j])
            for j in range(len(self.sizes))
        ]
        return np.array([0.0, *own[1:]])

    def of_columns(self, values: Doubles) -> Doubles:
        """Return sums over the features of each column."""
        return np.bincount(self.column, values, len(self.sizes))


def fitted(split: Split, epsilon: str, tried: Tried, seed: int) -> Doubles:
    """Return weights of features as a rule would release them."""
    rows, y = split.learned, split.train[1].astype(np.float32)
    n, rho = len(rows), float(largest_rho(Fraction(epsilon), DELTA))
    rng = np.random.default_rng([seed, int(float(epsilon) * 100)])
    if tried.once:
        return once(split, rho, tried, rng)
    signal = n * math.sqrt(2 * rho) / tried.noise
    clip = min(1.0, max(tried.clip, 0.5 * (signal / 400) ** 0.2))
    furthest = signal / (2 * clip)
    rounds = tried.rounds or min(512, max(64, math.ceil(tried.time * furthest / 64)))
    pace = min(tried.time * furthest, 64.0 * rounds) / rounds
    deviation = math.sqrt(rounds) / furthest
    weights, speed, total = (np.zeros(rows.shape[1]) for _ in range(3))
    if tried.start:
        weights[0] = tried.start * math.log(y.mean() / (1 - y.mean())) / split.intercept
    scales, noise = np.ones(len(split.sizes)), np.zeros(len(split.sizes))
    if tried.scales == "true":
        scales = np.maximum(np.sqrt(split.effects / split.effects.max()), 0.1)
        scales[0] = 1
    kept = range(rounds - math.ceil(tried.averaged * rounds), rounds)
    for turn in range(rounds):
        if turn == 0 or tried.scales == "learned":
            norm = math.sqrt(scales**2 @ split.largest)
            each = scales[split.column] / norm
            most = (clip * norm / np.sqrt(split.squares @ (scales**2).astype(np.float32))).astype(
                np.float32
            )
        chance = 1 / (1 + np.exp(-np.clip(rows @ weights.astype(np.float32), -30, 30)))
        found = np.clip(chance - y, -most, most) @ rows / n * each
        found = found + deviation * rng.normal(size=len(weights))
        speed = tried.momentum * speed + (1 - tried.momentum) * found * each
        weights = weights - pace * speed
        noise += (pace * deviation * scales / norm) ** 2
        signal_share = np.ones(len(scales))
        if tried.scales == "learned" or tried.shrunk == "round":
            strength = split.of_columns(weights**2)
            signal_share[1:] = (strength / (strength + split.sizes * noise / 2))[1:]
        if tried.scales == "learned" and turn > rounds / 4:
            scales = np.maximum(np.sqrt(signal_share), 0.2)
        if turn in kept:
            share = signal_share[split.column] if tried.shrunk == "round" else 1.0
            total += weights * share / len(kept)
    if tried.shrunk in ("", "round"):
        return total
    strength = split.of_columns(total**2)
    if tried.shrunk == "true":
        strength = split.of_columns(split.truth**2) / split.sizes
    else:  # half of the columns' own excess over noise, and half of that of all together
        noise = 0.4 * noise
        excess = strength - split.sizes * noise
        pooled = max(0.0, excess[1:].sum() / split.sizes[1:].sum())
        strength = (np.maximum(excess, 0) / split.sizes + pooled) / 2
    share = strength / (strength + noise)
    share[0] = 1
    return total * share[split.column]


def once(split: Split, rho: float, tried: Tried, rng: np.random.Generator) -> Doubles:
    """Return weights from one noisy sum of (label - share) x, the share known for nothing."""
    rows, y = split.learned[:, 1:], split.train[1].astype(np.float64)
    norm, share = math.sqrt(split.largest[1:].sum()), y.mean()
    most = norm / 2 / np.maximum(np.linalg.norm(rows, axis=1), 1e-9)
    deviation = tried.noise * norm / math.sqrt(2 * rho)
    found = np.clip(y - share, -most, most) @ rows + deviation * rng.normal(size=rows.shape[1])
    curve = np.zeros((rows.shape[1], rows.shape[1]))
    if tried.once == "true":
        curve = np.cov(rows.T, bias=True)
    elif tried.once == "public":  # columns independent, and all answers alike
        first = 0
        for table in split.tables:
            own = slice(first, first + table.shape[1])
            curve[own, own] = np.atleast_2d(np.cov(table.T, bias=True))
            first += table.shape[1]
    ridge = 2 * deviation * np.eye(len(curve))
    weights = np.linalg.solve(len(y) * share * (1 - share) * curve + ridge, found)
    return np.concatenate([[0.0], weights])


def main() -> None:
    """Write linear_limits.csv."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--packages", type=Path, required=True)
    asked = parser.parse_args()
    found: dict[Any, float] = {}
    for name, schema, codes, labels in problems(asked.packages):
        for seed in SPLITS:
            order = np.random.default_rng(seed).permutation(len(labels))
            test, train = order[: 3 * len(order) // 10], order[3 * len(order) // 10 :]
            splits: dict[Any, Split] = {}
            for epsilon in EPSILONS:
                size = len(train) * float(epsilon)
                for setting, tried in SETTINGS.items():
                    if not RANGES[-1][0] <= size < RANGES[-1][1]:
                        continue
                    at = tried.bins, tried.intercept
                    if at not in splits:
                        tables = features(schema, Setting(two=2 / 3))
                        for table, column in zip(tables, schema.columns, strict=True):
                            if column.edges is not None:
                                table[:, 3:] *= 4 * tried.bins
                        splits[at] = Split(
                            tables, tried.intercept, (codes[train], labels[train]), codes[test]
                        )
                    weights = fitted(splits[at], epsilon, tried, seed)
                    scores = splits[at].tested @ weights
                    found[setting, name, size, seed] = float(roc_auc_score(labels[test], scores))
        print(name, flush=True)
    with KEPT.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for setting in SETTINGS:
            for low, high in RANGES:
                out.writerow([setting, f"{low} to {high}", *summary(found, setting, low, high)])


def summary(found: dict[Any, float], setting: str, low: float, high: float) -> tuple[str, ...]:
    """Return the columns of a setting in a range."""
    ahead, level = defaultdict(list), []
    for (own, name, size, seed), value in found.items():
        if own == setting and low <= size < high:
            level.append(value)
            ahead[name].append(value - found["now", name, size, seed])
    tables = {name: float(np.mean(own)) for name, own in ahead.items()}
    worst = min(tables, key=lambda name: tables[name])
    error = np.std(list(tables.values()), ddof=1) / math.sqrt(len(tables))
    mean = np.mean([one for own in ahead.values() for one in own])
    return (
        str(len(level)), f"{np.mean(level):.4f}", f"{mean:+.4f}", f"{error:.4f}", worst,
        f"{tables[worst]:+.4f}",
    )  # fmt: skip


if __name__ == "__main__":
    main()
