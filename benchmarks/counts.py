"""How long it takes to turn a big table into counts, against hand-written SQL in the same engine.

    python benchmarks/counts.py                  # 10 million rows, 500,000 users, 100,000 points
    python benchmarks/counts.py --rows 1000000   # smaller
    python benchmarks/counts.py --spark          # the same table and code on a local Spark, too
    python benchmarks/counts.py --csv            # and from a CSV file (the total parser)

The table is made up in a temporary folder (82 MB of Parquet for 10 million rows). Each way runs in
a process of its own, which reports its best of three times, its peak memory, and the counts that
it found; the script fails if two ways disagree, if `Sample.read` takes more than 2.5 times as long
as the GROUP BY, or if it needs more than 1 GB.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

POINTS = 100_000
USERS = 500_000
REPEATS = 3
MOST_RATIO, MOST_MEGABYTES = 2.5, 1000


def make(path: Path, rows: int, *, csv: bool) -> None:
    """Write the table in pieces of a million rows: user, x, y."""
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    schema = pa.schema([("user", pa.int64()), ("x", pa.int64()), ("y", pa.int8())])
    file = path / ("table.csv" if csv else "table.parquet")
    with (pc.CSVWriter if csv else pq.ParquetWriter)(file, schema) as writer:
        for start in range(0, rows, 1_000_000):
            size = min(1_000_000, rows - start)
            x = rng.integers(1, POINTS + 1, size)
            y = (x > POINTS // 3) ^ (rng.random(size) < 0.1)
            columns = [rng.integers(0, USERS, size), x, y.astype(np.int8)]
            writer.write_table(pa.table(columns, schema=schema))


def sql(path: str) -> tuple[int, int, int]:
    """Group by hand."""
    import duckdb

    # Only the engine's own columns: what a programmer would write for this one table.
    query = f"SELECT x, y, count(*) AS n FROM read_parquet('{path}') GROUP BY x, y"
    groups = duckdb.connect().sql(query).to_arrow_table()
    x, y, n = (groups[name].to_numpy() for name in ("x", "y", "n"))
    return int(n.sum()), int(n[y == 1].sum()), int((n * x).sum())


def sql_users(path: str) -> tuple[int, int, int]:
    """Group by hand, with users."""
    import duckdb

    query = f"SELECT user, x, y, count(*) AS n FROM read_parquet('{path}') GROUP BY user, x, y"
    groups = duckdb.connect().sql(query).to_arrow_table()
    x, y, n = (groups[name].to_numpy() for name in ("x", "y", "n"))
    return int(n.sum()), int(n[y == 1].sum()), int((n * x).sum())


def read(table: Any) -> tuple[int, int, int]:
    """Read as a user of the library does."""
    from littlestone.data import IntegerDomain, Sample

    sample = Sample.read(table, x="x", y="y", domain=IntegerDomain(1, POINTS))
    weight = sample.points * (sample.zeros + sample.ones)
    return sample.n, sample.positives, int(weight.sum())


def read_users(table: Any) -> tuple[int, int, int]:
    """Read with users."""
    from littlestone.data import IntegerDomain, UserSample

    users = UserSample.read(table, user="user", x="x", y="y", domain=IntegerDomain(1, POINTS))
    weight = users.points[users.point] * users.count
    return int(users.count.sum()), int(users.count[users.code == 1].sum()), int(weight.sum())


def on_spark(way: Callable[[Any], tuple[int, int, int]]) -> Callable[[str], tuple[int, int, int]]:
    """Read through a local Spark (its Java process is not in the peak)."""

    def run(path: str) -> tuple[int, int, int]:
        sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
        from local_spark import local_spark

        return way(local_spark(2, memory="4g").read.parquet(path))

    return run


WAYS: dict[str, Callable[[Any], tuple[int, int, int]]] = {
    "GROUP BY in SQL": sql,
    "Sample.read": read,
    "GROUP BY in SQL, users": sql_users,
    "UserSample.read": read_users,
    "Sample.read, CSV": read,
    "Sample.read, Spark": on_spark(read),
    "UserSample.read, Spark": on_spark(read_users),
}


def child(way: str, path: str) -> None:
    """Run one way in this process and report."""
    times, found = [], (0, 0, 0)
    for _ in range(REPEATS):
        start = time.perf_counter()
        found = WAYS[way](path)
        times.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 if _macos() else 1024)
    print(json.dumps({"seconds": min(times), "megabytes": peak, "found": found}))


def _macos() -> bool:
    return sys.platform == "darwin"


def measure(way: str, path: Path) -> dict[str, Any]:
    """Run one way in a new process."""
    command = [sys.executable, __file__, "--child", way, str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> int:
    """Measure, print a table, and return 0 if all limits hold."""
    parser = argparse.ArgumentParser(description="Counts: Sample.read against GROUP BY.")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--csv", action="store_true")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        make(place, options.rows, csv=False)
        print(f"{options.rows:,} rows, {USERS:,} users, {POINTS:,} points")
        print(f"{'way':26} {'seconds':>8} {'peak MB':>8}")
        results = {}
        for way in WAYS:
            if way.endswith("Spark") and not options.spark:
                continue
            if way.endswith("CSV"):
                if not options.csv:
                    continue
                make(place, options.rows, csv=True)
            path = place / ("table.csv" if way.endswith("CSV") else "table.parquet")
            results[way] = found = measure(way, path)
            print(f"{way:26} {found['seconds']:8.2f} {found['megabytes']:8.0f}", flush=True)
    agree = len({tuple(result["found"]) for result in results.values()}) == 1
    ratio = results["Sample.read"]["seconds"] / results["GROUP BY in SQL"]["seconds"]
    peak = results["Sample.read"]["megabytes"]
    print(f"all ways agree: {agree}")
    print(f"Sample.read / GROUP BY: {ratio:.2f} (at most {MOST_RATIO})")
    print(f"peak of Sample.read: {peak:.0f} MB (less than {MOST_MEGABYTES})")
    return 0 if agree and ratio <= MOST_RATIO and peak < MOST_MEGABYTES else 1


if __name__ == "__main__":
    sys.exit(main())
