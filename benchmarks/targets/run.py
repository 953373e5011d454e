"""Quantities, counts, survival and users: boosted trees beside other libraries, on twenty tables.

    python benchmarks/targets/run.py                 # what is missing, and the page
    python benchmarks/targets/run.py --tables wage --epsilons 1 --seeds 3
    python benchmarks/targets/run.py --page          # only the page, from the cache
    python benchmarks/targets/run.py --ours          # only our fits, all of them anew

Each fit is one line of a file in ``--cache``, so a stopped command goes on where it was. An empty
cache begins with the fits of ``results.csv``, which are those of docs/targets.md. Rivals run in an
environment of their own in the same folder, made by pip when it is not there. Tables and schemas
(tables.py) were written from documentation before the first run. A fifth of the units, drawn by
the seed, is for testing.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "comparison"))

from fetch import encode, environment, facts, files
from filled import HEADINGS, csv_of_kind, filled
from fits import DELTA, Cache, Fit, Key, keep, load, restore
from measures import MEASURES, arrays_of, scores, truth
from standing import Standing
from tables import TABLES, Data

from littlestone.classes import BoostedTreeClass
from littlestone.data.cells import number
from littlestone.data.targets import Periods, Quantity, TargetSample
from littlestone.learners.boosting.values import Values
from littlestone.source import SeededSource

EPSILONS = ("1", "0.5", "2", "4")
OURS = {"boosted trees": DELTA, "boosted trees, pure": None}
WORKERS = ("ours", "field")


def prepare(data: Data, folder: Path) -> Path:
    """Return the file of a prepared table, which is made when it is not there."""
    path = folder / f"{data.name}.npz"
    if not path.exists():
        (content,) = files(data, folder / "packages")
        rows = list(csv.DictReader(io.StringIO(content)))
        if data.keep:
            column, cell = data.keep
            rows = [row for row in rows if row[column] == cell]
        rows = [row for row in rows if number(row[data.y]) is not None]
        event = [bool(data.event) and row[data.event[0]] == data.event[1] for row in rows]
        target = data.target
        low, high = (
            (target.low, target.high) if isinstance(target, Quantity)
            else (0, target.ends[-1] if isinstance(target, Periods) else target.high)
        )  # fmt: skip
        np.savez_compressed(
            path,
            **facts(data.schema, data.bounds),
            **encode(data.schema, data.bounds, rows),
            y=np.array([row[data.y] for row in rows], dtype=np.float64),
            event=np.array(event),
            user=np.array([row[data.user] for row in rows] if data.user else range(len(rows))),
            range=np.array([low, high], dtype=np.float64),
            kind=data.kind,
        )
    return path


@lru_cache(maxsize=1)
def _sample(path: Path, table: str, seed: int) -> tuple[TargetSample, np.ndarray]:
    """Return the training sample, and the codes of the test rows."""
    arrays, data = arrays_of(path), TABLES[table]
    test = arrays.test(seed)
    codes = data.target.codes(arrays.y)
    if data.kind == "time":
        codes = 2 * codes + arrays.event
    users = arrays.user[~test] if data.user else None
    return TargetSample.of(arrays.codes[~test], codes[~test], users), arrays.codes[test]


def fits(path: Path, table: str, epsilon: str, seed: int) -> dict[Key, Fit]:
    """Return our fits of one epsilon and seed; pure ones at the first epsilon only."""
    return {
        (table, epsilon, method, "", "replace-one", seed): (
            lambda delta=delta: _fit(path, table, epsilon, seed, delta)
        )
        for method, delta in OURS.items()
        if delta or epsilon == EPSILONS[0]
    }


def _fit(path: Path, table: str, epsilon: str, seed: int, delta: str | None) -> np.ndarray:
    """Return predictions of the test rows, with the defaults of the estimators."""
    data = TABLES[table]
    sample, test = _sample(path, table, seed)
    concepts = BoostedTreeClass(data.schema, 2, target=data.target)
    unit = "users" if data.user else "records"
    learner = Values(concepts, epsilon=epsilon, delta=delta, unit=unit)
    return np.asarray(learner.draw(sample, SeededSource(seed)).predict(test))


def run(arguments: argparse.Namespace) -> None:
    """Run what the caches lack: all tables at epsilon 1 and three seeds, then the others."""
    folder: Path = arguments.cache
    python = None
    if not arguments.ours:
        wanted = ["--requirement", str(HERE / "environment.txt")]
        python = environment(folder, "field", wanted)
    cache = Cache(folder / "ours.jsonl", arguments.limit, scores)
    first, rest = arguments.epsilons[:1], arguments.epsilons[1:]
    few, more = range(min(3, arguments.seeds)), range(3, arguments.seeds)
    for epsilons, seeds in ((first, few), (rest, few), (arguments.epsilons, more)):
        for table in arguments.tables:
            path = prepare(TABLES[table], folder)
            for seed in seeds:
                known = truth(path, seed)
                for epsilon in epsilons:
                    for key, fit in fits(path, table, epsilon, seed).items():
                        cache.run(key, known, fit)
            if python and epsilons and seeds:
                command = [
                    str(python), str(HERE / "field.py"), str(folder), table, "--epsilons", "",
                    *epsilons, "--seeds", *map(str, seeds), "--limit", str(arguments.limit),
                ]  # fmt: skip
                subprocess.run(command, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})


def main() -> None:
    """Run what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--epsilons", nargs="+", default=list(EPSILONS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--limit", type=int, default=300, help="seconds of one fit")
    parser.add_argument("--page", action="store_true", help="only write the page")
    parser.add_argument("--ours", action="store_true", help="only our fits, all anew")
    parser.add_argument("--keep", action="store_true", help="only write the cache to results.csv")
    default = Path(tempfile.gettempdir()) / "littlestone-targets"
    parser.add_argument("--cache", type=Path, default=default)
    arguments = parser.parse_args()
    folder: Path = arguments.cache
    folder.mkdir(parents=True, exist_ok=True)
    if arguments.keep:
        keep(folder, WORKERS, HERE / "results.csv", MEASURES)
        return
    if arguments.ours:
        (folder / "ours.jsonl").write_text("", encoding="utf-8")  # so it is not restored
    if (HERE / "results.csv").exists():
        restore(folder, WORKERS, HERE / "results.csv")
    if not arguments.page:
        run(arguments)
    write(load([folder / f"{name}.jsonl" for name in WORKERS]))


def write(runs: list[dict[str, Any]], docs: Path = HERE.parents[1] / "docs") -> None:
    """Write the results into the page, and its tables beside it."""
    page, standing = docs / "targets.md", Standing(runs, MEASURES)
    page.write_text(filled(page.read_text("utf-8"), standing), "utf-8")
    (docs / "targets").mkdir(exist_ok=True)
    for kind in HEADINGS:
        (docs / "targets" / f"{kind}.csv").write_text(csv_of_kind(standing, kind), "utf-8")


if __name__ == "__main__":
    main()
