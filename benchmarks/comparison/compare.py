"""Boosted trees, scorecards, trees and rules against the field, on sixteen public tables.

    python benchmarks/comparison/compare.py --list       # the tables: package, version, hash
    python benchmarks/comparison/compare.py              # everything: 5 epsilons, 10 seeds
    python benchmarks/comparison/compare.py --tables adult --epsilons 1 --seeds 3
    python benchmarks/comparison/compare.py --page       # only write the page, from the cache

The tables (definitions.py, schemas/) were described from documentation before the first run. Two
neighbour relations: ``replace-one``, that of this library, and ``own``, that of each method.
Measures are of test rows.

Each fit is one line of a file in ``--cache``, so a stopped command goes on where it was. An empty
cache begins with the fits of ``results.csv``, those of docs/comparison.md (``--fresh``: with none);
``--ours`` runs only our methods, all of them anew; ``--keep`` writes the file again. Rivals run in
environments of their own in the same folder, made by pip when they are not there. The order is from
coarse to fine: epsilon 0.5 and 1 with three seeds, the other epsilons, the references, synthetic
data, then all ten seeds; in each stage the small tables first. A fit that fails or takes more than
``--limit`` seconds of processor time is kept as failed, shown, and never counted as beaten; routes
of more than 60 s, and synthetic data, have three seeds.

Ours is one route with its defaults. It is first or level on a table if no method of the field, at
none of its settings, is ahead by more than two standard errors. The tables of means show the
setting of DP-EBM that is best *by the test rows*, which flatters it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from fractions import Fraction
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from definitions import HERE, TABLES
from fetch import environment, prepare
from fits import DELTA, Cache, Fit, Key, keep, load, restore
from page import SHOWN, csv_of_behind, csv_of_means, csv_of_measure, csv_of_standings
from picture import draw
from standing import Standing

from littlestone.classes import BoostedTreeClass, DecisionTrees, LinearClass, Rules
from littlestone.data import Sample, Schema
from littlestone.learners.boosting import Boosting
from littlestone.learners.linear import Linear, auto_takes
from littlestone.mechanisms import selection_rate
from littlestone.source import SeededSource

#: From small to large, by the time of all fits; the last is run last in each stage.
ORDER = (
    "affairs", "german", "compas", "default", "insurance", "alcohol", "happiness", "adult",
    "caravan", "loanapp", "digits", "arrests", "degree", "wives", "injuries", "census",
)  # fmt: skip
DOCS = Path(__file__).parents[2] / "docs"
EPSILONS = ("0.1", "0.5", "1", "2", "4")
FIRST, FEW = ("0.5", "1"), 3
BOOSTED = {
    "boosted trees": (2, DELTA),
    "boosted trees, pure": (2, None),
    "scorecard": (1, DELTA),
    "scorecard, pure": (1, None),
}
SINGLE = {"rules": lambda s: Rules(s, 2), "tree depth 2": lambda s: DecisionTrees(s, 2)}
#: Methods of `auto`: linear models where its rule takes them, else boosted trees.
AUTO = ("linear", "auto")
ENVIRONMENTS = {
    "rivals": ["--requirement", str(HERE / "environment.txt")],
    "synthetic": ["dpmm==0.1.9"],
}
#: Whose fits are kept; S-BDT, which has no package, is started by hand (s_bdt.py).
WORKERS = ("ours", *ENVIRONMENTS, "s_bdt")


@lru_cache(maxsize=1)
def _sample(path: Path) -> tuple[Sample, np.ndarray]:
    """Return the training sample, and the codes of the test rows."""
    with np.load(path) as arrays:
        codes, labels, test = arrays["codes"], arrays["labels"], arrays["test"]
    return Sample.of(codes[~test], labels[~test]), codes[test]


def fits(path: Path, table: str, epsilon: str, seed: int) -> dict[Key, Fit]:
    """Return our fits of one epsilon and seed."""
    return {
        (table, epsilon, method, "", "replace-one", seed): (
            lambda m=method: _fit(path, table, m, epsilon, seed)
        )
        for method in (*BOOSTED, *SINGLE, *AUTO)
    }


@lru_cache(maxsize=len(BOOSTED) + 1)
def _fit(path: Path, table: str, method: str, epsilon: str, seed: int) -> np.ndarray:
    """Return probabilities of the test rows; 0 and 1 of methods without them.

    Kept for `auto`, which is the linear model or the boosted trees of the same seed.
    """
    sample, test = _sample(path)
    schema, source = Schema.from_toml(TABLES[table].schema), SeededSource(seed)
    if method in SINGLE:
        candidates = SINGLE[method](schema).candidates(sample)
        return np.asarray(candidates.draw(selection_rate(epsilon), source).predict(test))
    if method == "auto":
        linear = auto_takes(len(schema), sample.n, Fraction(epsilon), Fraction(DELTA))
        return _fit(path, table, "linear" if linear else "boosted trees", epsilon, seed)
    if method == "linear":
        model = Linear(LinearClass(schema), epsilon=epsilon, delta=DELTA).draw(sample, source)
        return model.probability(test)
    depth, delta = BOOSTED[method]
    learner = Boosting(BoostedTreeClass(schema, depth), epsilon=epsilon, delta=delta)
    return learner.draw(sample, source).probability(test)


def run(arguments: argparse.Namespace) -> None:
    """Run what the caches lack."""
    folder: Path = arguments.cache
    pythons = (
        {}
        if arguments.ours
        else {name: environment(folder, name, wanted) for name, wanted in ENVIRONMENTS.items()}
    )
    cache = Cache(folder / "ours.jsonl", arguments.limit)
    first = [one for one in arguments.epsilons if one in FIRST]
    rest = [one for one in arguments.epsilons if one not in FIRST]
    few, more = range(min(FEW, arguments.seeds)), range(FEW, arguments.seeds)
    all_of_them = [*first, *rest]
    stages = [
        ("rivals", first, few),
        ("rivals", rest, few),
        ("rivals", [""], range(1)),  # the references
        ("synthetic", first, few),
        ("rivals", all_of_them, more),
        ("synthetic", rest, few),
    ]
    for name, epsilons, seeds in stages:
        for table in (one for one in ORDER if one in arguments.tables):
            route = name if epsilons != [""] else "references"
            if not epsilons or not seeds or route in arguments.without:
                continue
            path = prepare(TABLES[table], folder)
            with np.load(path) as arrays:
                truth = arrays["labels"][arrays["test"]]
            for seed, epsilon in product(seeds, filter(None, epsilons)):
                for key, fit in fits(path, table, epsilon, seed).items():
                    cache.run(key, truth, fit)
            if arguments.ours:
                continue
            command = [
                str(pythons[name]), str(Path(__file__).with_name(f"{name}.py")), str(folder),
                table, "--epsilons", *epsilons, "--seeds", *map(str, seeds),
                "--limit", str(arguments.limit),
            ]  # fmt: skip
            subprocess.run(command, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})


def listed() -> str:
    """Return the tables in Markdown: package, version, hash of the files."""
    lines = [
        "| table | package | label | columns | SHA-256 of the files |",
        "|---|---|---|--:|---|",
    ]
    for name in ORDER:
        table = TABLES[name]
        columns = len(Schema.from_toml(table.schema))
        cells = (table.title, table.package, table.label, columns, f"`{table.sha256[:16]}...`")
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def main() -> None:
    """Run what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", nargs="+", choices=ORDER, default=list(ORDER))
    parser.add_argument("--epsilons", nargs="+", default=list(EPSILONS))
    parser.add_argument("--seeds", type=int, default=10)
    routes = ("references", "synthetic")
    parser.add_argument("--without", nargs="+", choices=routes, default=[], help="for later")
    parser.add_argument("--limit", type=int, default=300, help="seconds of one fit")
    parser.add_argument("--list", action="store_true", help="only list the tables")
    parser.add_argument("--page", action="store_true", help="only write the page of the site")
    parser.add_argument("--ours", action="store_true", help="only our fits, all anew")
    parser.add_argument("--fresh", action="store_true", help="run what results.csv holds again")
    parser.add_argument("--keep", action="store_true", help="only write the cache to results.csv")
    default = Path(tempfile.gettempdir()) / "littlestone-tables"
    parser.add_argument("--cache", type=Path, default=default)
    arguments = parser.parse_args()
    if arguments.list:
        print(listed())
        return
    arguments.cache.mkdir(parents=True, exist_ok=True)
    if arguments.keep:
        keep(arguments.cache, WORKERS)
        return
    if arguments.ours:
        (arguments.cache / "ours.jsonl").touch()  # so it is not restored
    if not arguments.fresh:
        restore(arguments.cache, WORKERS)
    if not arguments.page:
        run(arguments)
    write(load([arguments.cache / f"{name}.jsonl" for name in WORKERS]))


def write(runs: list[dict[str, Any]], docs: Path = DOCS) -> None:
    """Write the tables and the picture of the page, and the table of all means."""
    standing = Standing(runs)
    titles = {name: TABLES[name].title for name in ORDER}
    (docs / "comparison.svg").write_text(draw(standing, ORDER, titles, EPSILONS), "utf-8")
    (docs / "comparison.csv").write_text(csv_of_means(standing, ORDER, EPSILONS), "utf-8")
    level = csv_of_standings(standing, titles, EPSILONS)
    (docs / "comparison" / "level.csv").write_text(level, "utf-8")
    behind = csv_of_behind(standing, titles)
    (docs / "comparison" / "behind.csv").write_text(behind, "utf-8")
    for measure, file in SHOWN.items():
        table = csv_of_measure(standing, titles, measure)
        (docs / "comparison" / file).write_text(table, "utf-8")


if __name__ == "__main__":
    main()
