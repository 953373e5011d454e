"""How large a table may be: ordered classes over 2**32 points, beside the engine's own GROUP BY.

    python benchmarks/scale.py --rows 1e8 --distinct 1e8          # as many points as rows
    python benchmarks/scale.py --rows 1e8 --distinct 100
    python benchmarks/scale.py --rows 1e7 --distinct 100 --engine spark
    python benchmarks/scale.py --rows 1e7 --distinct 1e7 --labels random
    python benchmarks/scale.py --rows 1e7 --distinct 1e7 --class intervals
    python benchmarks/scale.py --rows 1e7 --distinct 1e7 --users 1e6 --method user-level

The table is made up in a temporary folder, as Parquet in parts of at most 10 million rows (about 10
bytes for each row whose point is new). Each way runs in a process of its own, once, and reports its
time (also of the processor, which other jobs on the machine move less), its peak memory and the
number of records that it found: the GROUP BY of the same two columns,
of which every group is fetched; and a whole release, from opening the files to the hypothesis. With
users both columns, and whom a row belongs to, are grouped, and users are protected: thresholds by a
method, of at most as many records of each as users have on average.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HIGH = 2**32
PART = 10_000_000
#: Bytes of disk for each row and for each distinct point: the table; what is spilled, and held.
ROW_BYTES, POINT_BYTES = 12, 80
RECORD_BYTES = 100  # for each row more, where users are protected


def make(folder: Path, rows: int, distinct: int, users: int = 0, *, random: bool) -> None:
    """Write x in 1 .. 2**32, scrambled, (nearly) so many, and y: x above half, or a coin; whose."""
    from littlestone.data.containers import connect

    y = "hash(i, 7) % 2" if random else f"x > {HIGH // 2}"
    for number, first in enumerate(range(0, rows, PART)):
        last = min(rows, first + PART)
        who = f"(hash(i, 3) % {users})::BIGINT" if users else "0"
        made = f"SELECT i, {who} AS who, (hash(i % {distinct}) % {HIGH})::BIGINT + 1 AS x"
        named = "who, " if users else ""
        query = (
            f"SELECT {named}x, ({y})::TINYINT AS y FROM ({made} FROM range({first}, {last}) t(i))"
        )
        connect().execute(f"COPY ({query}) TO '{folder}/part-{number:04}.parquet'")


def group_by(parts: str, _name: str = "", _each: float = 1) -> int:
    """Group in the library's own engine, with its limit of memory; fetch all groups."""
    from littlestone.data.containers import connect

    query = f"SELECT x, y, count(*) AS n FROM read_parquet('{parts}') GROUP BY x, y"
    batches = connect().sql(query).to_arrow_reader(1 << 20)
    return sum(int(batch.column(2).to_numpy().sum()) for batch in batches)


def release(table: Any, name: str = "thresholds", _each: float = 1) -> int:
    """Learn a hypothesis, as a user of the library does."""
    import littlestone as ls

    classes = {"thresholds": ls.Thresholds, "intervals": ls.Intervals}
    learner: Any = ls.AgnosticLearner(classes[name](1, HIGH), epsilon=1)
    return int(learner.fit(table, x="x", y="y").release_.n)


def group_by_user(parts: str, _method: str, _each: float) -> int:
    """Group by users, too; fetch all groups."""
    from littlestone.data.containers import connect

    query = f"SELECT who, x, y, count(*) AS n FROM read_parquet('{parts}') GROUP BY ALL"
    batches = connect().sql(query).to_arrow_reader(1 << 20)
    return sum(int(batch.column(3).to_numpy().sum()) for batch in batches)


def release_of_users(parts: str, method: str, each: float) -> int:
    """Learn a threshold, protecting users; return how many there are."""
    import littlestone as ls

    thresholds, options = ls.Thresholds(1, HIGH), {"samples_per_user": int(each), "method": method}
    learner = ls.UserAgnosticLearner(thresholds, epsilon=1, **options)
    return int(learner.fit(parts, x="x", y="y", user="who").release_.n)


def spark() -> Any:
    """Return a local Spark (its Java process is not in the peak)."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
    from local_spark import local_spark

    return local_spark(2, memory="6g")


def spark_group_by(parts: str, _name: str, _each: float) -> int:
    """Group in Spark; fetch all groups."""
    groups = spark().read.parquet(parts).groupBy("x", "y").count().toArrow()
    return int(groups["count"].to_numpy().sum())


def spark_release(parts: str, name: str, _each: float) -> int:
    """Learn from a Spark data frame."""
    return release(spark().read.parquet(parts), name)


WAYS: dict[str, dict[str, Callable[[str, str, float], int]]] = {
    "duckdb": {"GROUP BY": group_by, "release": release},
    "spark": {"GROUP BY": spark_group_by, "release": spark_release},
    "users": {"GROUP BY": group_by_user, "release": release_of_users},
}


def child(engine: str, way: str, parts: str, name: str, each: str) -> None:
    """Run one way in this process and report."""
    run = WAYS[engine][way]
    import littlestone  # noqa: F401 - starting Python and Spark is not measured
    from littlestone.learners import estimators  # noqa: F401

    if engine == "spark":
        spark()
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    found = run(parts, name, float(each))
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    unit = 1 if sys.platform == "darwin" else 1024
    peak = after.ru_maxrss / unit
    told = {"seconds": seconds, "processor": spent, "megabytes": peak, "rows": found}
    print(json.dumps(told))


def measure(*arguments: str) -> dict[str, Any]:
    """Run one way in a new process."""
    command = [sys.executable, __file__, "--child", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> int:
    """Measure, print a table, and return 0 if all ways found all rows."""
    parser = argparse.ArgumentParser(description="Thresholds from large tables.")
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--distinct", type=float, default=1e6)
    parser.add_argument("--engine", choices=["duckdb", "spark"], default="duckdb")
    parser.add_argument("--users", type=float, default=0, help="protect so many users")
    parser.add_argument("--method", default="user-level", help="of the learner of users")
    parser.add_argument("--labels", choices=["realizable", "random"], default="realizable")
    parser.add_argument(
        "--class", dest="name", choices=["thresholds", "intervals"], default="thresholds"
    )
    parser.add_argument("--folder", help="where the table is made up; by default the system's")
    parser.add_argument("--child", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return 0
    rows, distinct, users = int(options.rows), int(options.distinct), int(options.users)
    engine = "users" if users else options.engine
    how = (options.method, str(rows // users)) if users else (options.name, "1")
    with tempfile.TemporaryDirectory(prefix="littlestone-scale-", dir=options.folder) as name:
        folder, needed = Path(name), rows * ROW_BYTES + distinct * POINT_BYTES
        needed += rows * RECORD_BYTES if users else 0
        free = shutil.disk_usage(folder).free
        if free < needed:
            print(f"The disk has {free / 1e9:.1f} GB; this needs about {needed / 1e9:.1f} GB.")
            return 2
        make(folder, rows, distinct, users, random=options.labels == "random")
        size = sum(part.stat().st_size for part in folder.iterdir())
        print(
            f"{rows:,} rows, {distinct:,} points, {options.labels}: {size / 1e9:.2f} GB of Parquet"
        )
        print(f"{options.engine:10} {'seconds':>8} {'CPU s':>8} {'peak MB':>8}")
        results = {}
        for way in WAYS[engine]:
            parts = f"{folder}/part-*.parquet"
            results[way] = found = measure(engine, way, parts, *how)
            times = f"{found['seconds']:8.1f} {found['processor']:8.1f}"
            print(f"{way:10} {times} {found['megabytes']:8.0f}", flush=True)
    ratios = (results["release"][x] / results["GROUP BY"][x] for x in ("seconds", "processor"))
    print("ratio: {:.2f} (CPU {:.2f})".format(*ratios))
    # a release protects users, and tells how many: nearly all of them have a row
    found = results["GROUP BY"]["rows"], results["release"]["rows"]
    return 0 if found == (rows, rows) or (users and found[1] <= users) else 1


if __name__ == "__main__":
    sys.exit(main())
