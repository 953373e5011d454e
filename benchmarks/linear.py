"""Linear models beside boosted trees, and `auto` beside what it was: AUROC and log loss.

    python benchmarks/linear.py --offline   # tables of scikit-learn, and generated ones
    python benchmarks/linear.py             # those of outside.py, of at least 8 columns
    python benchmarks/linear.py --unseen    # those of unseen.py, to unseen.csv

A line of ``linear.csv`` for each table, epsilon and family: means over the seeds, on the same split
(three tenths of the rows are the test rows; delta 1e-6, replace-one). ``auto`` is the family that
`littlestone.learners.linear.auto_takes` chooses; ``auto before`` is boosted trees.
Every cell is kept. Generated tables: numbers from a normal law of which neighbours correlate, and
log-odds that are sums of columns (``sums``), bent (``bent``), or half of them products of two
columns (``products``), the case that linear models cannot learn. Bins were fixed before the first
run; nothing was chosen on these tables.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.metrics import log_loss, roc_auc_score

from littlestone.classes import BoostedTreeClass, LinearClass
from littlestone.data import Sample, Schema
from littlestone.learners.boosting import Boosting
from littlestone.learners.linear import Linear, auto_takes
from littlestone.source import SeededSource

HERE = Path(__file__).parent
KEPT, UNSEEN = HERE / "linear.csv", HERE / "unseen.csv"
EPSILONS = ("0.1", "0.25", "0.5", "1", "2", "4")
DELTA = Fraction(1, 10**6)
SEEDS = 5
COLUMNS = ("table", "n", "columns", "epsilon", "family", "seeds", "auroc", "log_loss")
#: Ranges of n epsilon of the summary.
RANGES = (0, 200, 500, 1_000, 2_000, 4_000, 8_000, 10**9)


@dataclass(frozen=True)
class Problem:
    """A table that was read."""

    name: str
    schema: Schema
    codes: np.ndarray
    labels: np.ndarray


def coded(name: str, numbers: np.ndarray, edges: list[list[float]], labels: Any) -> Problem:
    """Return a table of numbers with public bins."""
    schema = Schema.from_dict({f"x{j}": {"bins": own} for j, own in enumerate(edges)})
    return Problem(name, schema, schema.encode(list(numbers.T)), np.asarray(labels, dtype=np.int8))


def offline() -> Iterator[Problem]:
    """Yield the tables that need no download."""
    digits = load_digits()
    dots = [[4.0, 8.0, 12.0]] * 64
    yield coded("digits, 5 to 9", digits.data, dots, digits.target >= 5)
    yield coded("digits, 8", digits.data, dots, digits.target == 8)
    cancer = load_breast_cancer()
    # places of the published ranges
    ends = zip(cancer.data.min(axis=0), cancer.data.max(axis=0), strict=True)
    edges = [np.round(np.linspace(low, high, 12)[1:-1], 4).tolist() for low, high in ends]
    yield coded("cancer", cancer.data, edges, cancer.target == 0)
    for i, (n, columns, share, kind) in enumerate(
        (
            (1_000, 8, 0.3, "sums"), (2_000, 12, 0.1, "bent"), (4_000, 20, 0.2, "products"),
            (6_000, 16, 0.05, "sums"), (10_000, 30, 0.4, "bent"), (20_000, 10, 0.5, "products"),
            (20_000, 25, 0.045, "bent"),
        )
    ):  # fmt: skip
        rng = np.random.default_rng(100 + i)
        numbers = rng.normal(size=(n, columns))
        numbers[:, 1:] = 0.6 * numbers[:, :-1] + 0.8 * numbers[:, 1:]
        score = numbers @ (rng.normal(size=columns) * (rng.random(columns) < 0.5))
        if kind == "bent":
            score += (np.abs(numbers) @ rng.normal(size=columns)) / 2
        if kind == "products":
            score += (numbers[:, :-1] * numbers[:, 1:]) @ rng.normal(size=columns - 1)
        score *= 1.5 / score.std()
        base = np.quantile(score + rng.logistic(size=n), 1 - share)
        labels = score + rng.logistic(size=n) > base
        edges = [[-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0]] * columns
        yield coded(f"{kind}, {n} x {columns}", numbers, edges, labels)


def of_packages(folder: Path) -> Iterator[Problem]:
    """Yield the tables of outside.py with at least 8 columns."""
    from outside import problems

    for problem in problems(folder):
        if problem.users is None and len(problem.schema) >= 8:
            yield Problem(problem.name, problem.schema, problem.codes, problem.labels)


def unseen(folder: Path) -> Iterator[Problem]:
    """Yield the tables of unseen.py."""
    from outside import labelled
    from unseen import UNSEEN

    for data in UNSEEN:
        problem = labelled(data, folder)
        yield Problem(problem.name, problem.schema, problem.codes, problem.labels)


def run(problem: Problem, log: Path, found: dict[Any, Any]) -> None:
    """Run what is missing of a table."""
    size = len(problem.labels)
    for seed in range(SEEDS):
        order = np.random.default_rng(seed).permutation(size)
        test, train = order[: 3 * size // 10], order[3 * size // 10 :]
        sample = Sample.of(problem.codes[train], problem.labels[train])
        for epsilon in EPSILONS:
            learners: dict[str, Any] = {
                "boosted": Boosting(BoostedTreeClass(problem.schema), epsilon=epsilon, delta=DELTA),
                "linear": Linear(LinearClass(problem.schema), epsilon=epsilon, delta=DELTA),
            }
            for family, learner in learners.items():
                key = (problem.name, sample.n, len(problem.schema), epsilon, family, seed)
                if key in found:
                    continue
                model = learner.draw(sample, SeededSource(seed))
                chances = np.clip(model.probability(problem.codes[test]), 1e-6, 1 - 1e-6)
                truth = problem.labels[test]
                found[key] = roc_auc_score(truth, chances), log_loss(truth, chances)
                with log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([*key, *map(float, found[key])]) + "\n")


def means(found: dict[Any, Any]) -> list[dict[str, str]]:
    """Return a line for each table, epsilon and family; `auto` before and now among them."""
    groups: dict[Any, list[Any]] = defaultdict(list)
    for (name, n, columns, epsilon, family, _), scores in found.items():
        takes = auto_takes(columns, n, Fraction(epsilon), DELTA)
        names = [family] + ["auto before"] * (family == "boosted")
        names += ["auto"] * (family == ("linear" if takes else "boosted"))
        for each in names:
            groups[name, n, columns, epsilon, each].append(scores)
    return [
        dict(
            zip(COLUMNS, (*map(str, key), str(len(own)), *(f"{x:.4f}" for x in mean)), strict=True)
        )
        for key, own in groups.items()
        for mean in [np.mean(own, axis=0)]
    ]


def summary(lines: list[dict[str, str]]) -> Iterator[str]:
    """Say, for ranges of n epsilon, how far `auto` and `linear` are ahead of `auto` before."""
    cells = {(line["table"], line["epsilon"], line["family"]): line for line in lines}
    for low, high in pairwise(RANGES):
        ahead = defaultdict(list)
        for (table, epsilon, family), line in cells.items():
            if low <= int(line["n"]) * float(epsilon) < high and family in ("linear", "auto"):
                before = cells[table, epsilon, "auto before"]
                for name in ("auroc", "log_loss"):
                    ahead[family, name].append(float(line[name]) - float(before[name]))
        if ahead:
            said = ", ".join(
                f"{family} {name} {np.mean(own):+.4f}" for (family, name), own in ahead.items()
            )
            yield f"n epsilon {low:,} to {high:,}, {len(ahead['auto', 'auroc'])} cells: {said}"


def main() -> None:
    """Run what is missing, write linear.csv, and print the summary."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--offline", action="store_true", help="only tables without a download")
    which.add_argument("--unseen", action="store_true", help="the tables of unseen.py")
    parser.add_argument("--kept", action="store_true", help="run nothing")
    default = Path(tempfile.gettempdir()) / "littlestone-tables"
    parser.add_argument("--cache", type=Path, default=default)
    asked = parser.parse_args()
    asked.cache.mkdir(exist_ok=True)
    target = UNSEEN if asked.unseen else KEPT
    log = asked.cache / f"{target.stem}.jsonl"
    log.touch()
    found: dict[Any, Any] = {}
    for line in log.read_text("utf-8").splitlines():
        *key, auroc, loss = json.loads(line)
        found[tuple(key)] = auroc, loss
    packages = unseen if asked.unseen else of_packages
    for part in ("targets", "comparison", "."):
        sys.path.insert(0, str(HERE / part))
    wanted = offline() if asked.offline else packages(asked.cache)
    for problem in () if asked.kept else wanted:
        run(problem, log, found)
    lines = means(found)
    with target.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(lines)
    print(*summary(lines), sep="\n")


if __name__ == "__main__":
    main()
