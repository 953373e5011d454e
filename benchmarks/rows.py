"""How large a table of rows may be: trees and boosted trees on Adult's columns, resampled.

    python benchmarks/rows.py --rows 1e7 --resample rows        # whole rows: few are different
    python benchmarks/rows.py --rows 1e8 --resample columns     # each column alone: most are
    python benchmarks/rows.py --rows 2e6 --resample columns --rounds 3 --engine spark
    python benchmarks/rows.py --rows 1e7 --resample columns --ways tree-labels boosted-holdout

The table is made up in a temporary folder, as Parquet in parts of 10 million rows (6 bytes a row).
Each way runs in a process of its own, once, and reports its time, the time of its processor, and
its peak memory: the counting of the rows alone, a tree of depth 3, boosted trees of depth 2, a tree
of depth 2 and boosted trees with three labels, and boosted trees with a held-out fifth. Of Spark,
its Java process and its Python workers are told apart (Linux only).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ADULT = Path(__file__).parents[1] / "examples" / "adult"
PART, GROUP = 10_000_000, 1_000_000
#: Bytes of disk for each row: the table, and the private files.
ROW_BYTES = 48


def make(folder: Path, rows: int, kind: str) -> None:
    """Draw rows with replacement, or the cells of each column, from Adult's table."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    adult = pq.read_table(ADULT / "adult.parquet").drop(["split"])
    rng = np.random.default_rng(1)
    for number, first in enumerate(range(0, rows, PART)):
        last = min(rows, first + PART)
        with pq.ParquetWriter(folder / f"part-{number:04}.parquet", adult.schema) as written:
            for start in range(first, last, GROUP):
                size = min(GROUP, last - start)
                places = rng.integers(0, adult.num_rows, size)
                taken = [
                    column.take(pa.array(places if kind == "rows" else rng.permutation(places)))
                    for column in adult.columns
                ]
                written.write_table(pa.table(taken, schema=adult.schema))


def schema() -> Any:
    """Return the schema of the example."""
    import littlestone as ls

    return ls.Schema.from_toml(ADULT / "schema.toml")


def counted(table: Any, rounds: int) -> int:
    """Read only."""
    from littlestone.classes import DecisionTrees
    from littlestone.learners import registry
    from littlestone.learners.running import read_sample

    learner = registry.make("agnostic", DecisionTrees(schema(), depth=3), epsilon=1)
    sample: Any = read_sample(learner, table, y="over_50k")
    print(json.dumps({"entries": sum(getattr(sample, "lengths", [0]))}))
    return int(sample.n)


def tree(table: Any, rounds: int) -> int:
    """Learn a tree of depth 3, as a user of the library does."""
    from littlestone import AgnosticLearner, DecisionTrees

    learner = AgnosticLearner(DecisionTrees(schema(), depth=3), epsilon=1)
    return int(learner.fit(table, y="over_50k").release_.n)


def boosted(table: Any, rounds: int) -> int:
    """Learn boosted trees of depth 2."""
    from littlestone import BoostedTrees

    learner = BoostedTrees(schema(), epsilon=1, delta=1e-9, depth=2, rounds=rounds)
    return int(learner.fit(table, y="over_50k").release_.n)


def listed(table: Any, rounds: int) -> int:
    """Learn a tree of depth 2 with three labels, of which one never occurs."""
    from littlestone import AgnosticLearner, DecisionTrees

    learner = AgnosticLearner(DecisionTrees(schema(), depth=2, labels=[0, 1, 2]), epsilon=1)
    return int(learner.fit(table, y="over_50k").release_.n)


def voted(table: Any, rounds: int) -> int:
    """Learn boosted trees of depth 2 with three labels."""
    from littlestone import BoostedTrees

    named = {"labels": [0, 1, 2], "rounds": rounds}
    learner = BoostedTrees(schema(), epsilon=1, delta=1e-9, depth=2, **named)
    return int(learner.fit(table, y="over_50k").release_.n)


def held_out(table: Any, rounds: int) -> int:
    """Learn boosted trees of depth 2 from four fifths, and evaluate them on the others."""
    from littlestone import BoostedTrees

    apart = {"evaluate": 1, "holdout": 0.2, "rounds": rounds}
    learner = BoostedTrees(schema(), epsilon=1, delta=1e-9, depth=2, **apart)
    return int(learner.fit(table, y="over_50k").release_.n)


def spark(memory: str) -> Any:
    """Return a local Spark (its processes are not in the peak of this one)."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
    from local_spark import local_spark

    return local_spark(2, memory=memory)


def started() -> list[dict[str, float]]:
    """Return processor seconds and peak megabytes of the processes below this one (of Linux)."""
    found: list[dict[str, float]] = []
    below, tick = {os.getpid()}, os.sysconf("SC_CLK_TCK")
    for place in sorted(Path("/proc").glob("[0-9]*"), key=lambda place: int(place.name)):
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
            status = (place / "status").read_text()
        except OSError:
            continue
        if int(fields[1]) not in below:
            continue
        below.add(int(place.name))
        peak = next((x.split()[1] for x in status.splitlines() if x.startswith("VmHWM")), "0")
        spent = sum(map(int, fields[11:15])) / tick  # its ended children's, too
        found.append({"processor": spent, "megabytes": int(peak) / 1024})
    return found


WAYS: dict[str, Callable[[Any, int], int]] = {
    "count": counted,
    "tree": tree,
    "boosted": boosted,
    "tree-labels": listed,
    "boosted-labels": voted,
    "boosted-holdout": held_out,
}


def child(engine: str, way: str, parts: str, rounds: int, memory: str) -> None:
    """Run one way in this process and report."""
    import littlestone  # noqa: F401 - starting Python and Spark is not measured
    from littlestone.learners.boosting import estimators  # noqa: F401

    table = spark(memory).read.parquet(parts) if engine == "spark" else parts
    before = sum(one["processor"] for one in started())
    start, used = time.perf_counter(), time.process_time()
    found = WAYS[way](table, rounds)
    seconds, processor = time.perf_counter() - start, time.process_time() - used
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    told = {"seconds": seconds, "processor": processor, "megabytes": peak, "rows": found}
    others = started()
    told["engine"] = sum(one["processor"] for one in others) - before
    told["java"] = max((one["megabytes"] for one in others), default=0)
    told["workers"] = sum(one["megabytes"] for one in others) - told["java"]
    print(json.dumps(told))


def measure(*arguments: str) -> dict[str, Any]:
    """Run one way in a new process."""
    command = [sys.executable, __file__, "--child", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    told: dict[str, Any] = {}
    for line in done.stdout.splitlines():
        told |= json.loads(line)
    return told


def main() -> int:
    """Measure, print a table, and return 0 if all ways found all rows."""
    parser = argparse.ArgumentParser(description="Trees from large tables.")
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--resample", choices=["rows", "columns"], default="rows")
    parser.add_argument("--engine", choices=["duckdb", "spark"], default="duckdb")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--memory", default="4g", help="of Spark's Java process")
    parser.add_argument("--folder", help="where the table is made up; by default the system's")
    parser.add_argument("--child", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        engine, way, parts, rounds, memory = options.child
        child(engine, way, parts, int(rounds), memory)
        return 0
    rows = int(options.rows)
    with tempfile.TemporaryDirectory(prefix="littlestone-rows-", dir=options.folder) as name:
        folder, needed = Path(name), rows * ROW_BYTES
        free = shutil.disk_usage(folder).free
        if free < needed:
            print(f"The disk has {free / 1e9:.1f} GB; this needs about {needed / 1e9:.1f} GB.")
            return 2
        make(folder, rows, options.resample)
        size = sum(part.stat().st_size for part in folder.iterdir())
        print(f"{rows:,} rows, {options.resample} resampled: {size / 1e9:.2f} GB of Parquet")
        more = f" {'engine s':>8} {'Java MB':>8} {'workers':>8}" * (options.engine == "spark")
        head = f"{'seconds':>8} {'of CPU':>8} {'peak MB':>8}{more} {'entries':>12}"
        print(f"{options.engine:15} {head}", flush=True)
        right = True
        for way in options.ways:
            parts = f"{folder}/part-*.parquet"
            found = measure(options.engine, way, parts, str(options.rounds), options.memory)
            told = f"{found['seconds']:8.1f} {found['processor']:8.1f} {found['megabytes']:8.0f}"
            if more:
                told += f" {found['engine']:8.1f} {found['java']:8.0f} {found['workers']:8.0f}"
            print(f"{way:15} {told} {found.get('entries', ''):>12}", flush=True)
            right = right and found["rows"] == rows
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
