"""Time and memory of a user-level fit from Parquet: thresholds over 2**32, many users.

Run (about a minute; a Parquet file of 190 MB is written to a temporary folder)::

    python benchmarks/users.py
    python benchmarks/users.py --users 100000 --records 16

Every step is measured in one process: wall clock, processor time, and the
peak of the resident memory so far. The last part counts the same user-level errors by window
functions inside DuckDB, once for each t, and checks that the runs are the same: reading the groups
once and sweeping them is cheaper as soon as a learner asks for more than one or two t, which it
does (a search for the best error, then the choice), and it works in every engine alike.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

LOW, HIGH = 1, 2**32

WINDOWS = """
WITH groups AS (
    SELECT "user", x, sum(CASE y WHEN 1 THEN 1 ELSE -1 END) AS change, sum(1 - y) AS zeros
    FROM read_parquet('{path}') GROUP BY "user", x
), walk AS (
    SELECT x, change,
        sum(zeros) OVER (PARTITION BY "user")
        + sum(change) OVER (PARTITION BY "user" ORDER BY x) AS mistakes
    FROM groups
)
SELECT x, sum(CAST(mistakes > {t} AS INT) - CAST(mistakes - change > {t} AS INT)) AS step
FROM walk GROUP BY x HAVING step <> 0 ORDER BY x
"""


class Clock:
    """Prints what each step took."""

    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), time.process_time()
        print("| step | seconds | processor | peak memory |\n|---|---|---|---|")

    def __call__(self, name: str) -> None:
        """Print one line, and begin the next step."""
        wall, cpu = time.perf_counter(), time.process_time()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"| {name} | {wall - self.wall:.1f} | {cpu - self.cpu:.1f} | {peak:.2f} GiB |",
            flush=True,
        )
        self.wall, self.cpu = wall, cpu


def write(path: Path, users: int, records: int) -> None:
    """Write shuffled records: label 1 above the middle, one in ten wrong."""
    rng = np.random.default_rng(1)
    n = users * records
    user = np.repeat(np.arange(users), records)
    x = rng.integers(LOW, HIGH + 1, n)
    y = ((x > HIGH // 2) ^ (rng.random(n) < 0.1)).astype(np.int64)
    order = rng.permutation(n)
    pq.write_table(pa.table({"user": user[order], "x": x[order], "y": y[order]}), path)


def measure(path: Path, records: int, epsilon: str) -> None:
    """Read, learn in two ways, compare with windows."""
    clock = Clock()
    import littlestone as ls
    from littlestone.data import UserSample
    from littlestone.data.containers import connect
    from littlestone.learners.users import UserAgnostic
    from littlestone.learners.users.scores import errors_by_user
    from littlestone.source import SecureSource

    thresholds = ls.Thresholds(LOW, HIGH)
    budget = {"epsilon": epsilon, "alpha": "0.1", "beta": "0.05", "samples_per_user": records}
    learners = {
        "user-level (Theorem 4.6)": UserAgnostic(thresholds, method="user-level", **budget),
        "group privacy": UserAgnostic(thresholds, method="group-privacy", **budget),
    }
    for learner in learners.values():
        learner.required_samples()
    clock("import and plan")
    users = UserSample.read(path, user="user", x="x", y="y", domain=thresholds.domain)
    clock("read Parquet")
    found = {}
    for name, learner in learners.items():
        found[name] = learner.draw(users, SecureSource()).describe()
        clock(f"fit: {name}")
    sweep = errors_by_user(thresholds, users, records)
    clock("one sweep: prepare")
    for t in range(2):
        sweep.least(t)
        clock(f"one sweep: t = {t}")
        steps = connect().execute(WINDOWS.format(path=path, t=t)).fetchnumpy()
        clock(f"windows in DuckDB: t = {t}")
        runs = sweep.scores(t)
        assert np.array_equal(runs.starts[1:], steps["x"])
        assert np.array_equal(np.diff(runs.scores), steps["step"].astype(np.int64))
    print(f"\nThe same runs from both. n = {users.n_users:,}. Drawn:")
    for name, said in found.items():
        print(f"* {name}: {said}")
    assert all(Fraction(learner.epsilon) == Fraction(epsilon) for learner in learners.values())


def main() -> None:
    """Write the file in a child process, so that its memory does not count, and measure."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--records", type=int, default=16)
    parser.add_argument("--epsilon", default="1")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.parquet"
        shape = (path, arguments.users, arguments.records)
        child = multiprocessing.get_context("spawn").Process(target=write, args=shape)
        child.start()
        child.join()
        measure(path, arguments.records, arguments.epsilon)


if __name__ == "__main__":
    main()
