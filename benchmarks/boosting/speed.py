"""Seconds of processor time, and memory: boosted trees, one tree of depth 3; prediction.

Beside them two fits without privacy on the same codes: scikit-learn's histogram gradient boosting
with its defaults (``gradient``), and with as many trees of depth 2 (``shallow``). With
``OMP_NUM_THREADS=1`` its threads do not wait for each other on a machine that has other work.

    python benchmarks/boosting/speed.py
    python benchmarks/boosting/speed.py --before PATH    # of another version's ``src``: paired

Rows are uniform over ten codes of twelve columns, so that nearly all of a million are distinct.
With ``--before`` each task runs in turn with both versions, each time in a process of its own, so
that other work on the machine meets both alike; the least of the runs is shown.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ADULT = Path(__file__).parents[2] / "examples" / "adult"
TASKS = ("boosted", "gradient", "shallow", "quantity", "tree", "predict")


def measure(task: str, rows: int, rounds: int) -> float:
    """Run one task; return its seconds of processor time."""
    if task == "predict":
        return predict()
    from littlestone.classes import BoostedTreeClass, DecisionTrees
    from littlestone.data import Sample, Schema
    from littlestone.data.targets import Quantity, TargetSample
    from littlestone.learners.boosting import Boosting, Values
    from littlestone.mechanisms import selection_rate
    from littlestone.source import SeededSource

    rng = np.random.default_rng(0)
    schema = Schema.from_dict({f"c{j}": {"bins": list(range(1, 8))} for j in range(12)})
    codes = rng.integers(0, 10, (rows, 12)).astype(np.int16)
    target = Quantity(-20, 60)
    y = codes[:, 0] + codes[:, 1] + rng.normal(0, 4, rows)
    if task == "quantity":
        of_target = TargetSample.of(codes, target.codes(y))
    else:
        sample = Sample.of(codes, (y > 9).astype(int))
    if task in ("gradient", "shallow"):
        from sklearn.ensemble import HistGradientBoostingClassifier

        alike = {"max_iter": rounds, "max_depth": 2, "early_stopping": False}
        reference = HistGradientBoostingClassifier(**(alike if task == "shallow" else {}))
    start = time.process_time()
    if task in ("gradient", "shallow"):
        reference.fit(codes, y > 9)
    elif task == "quantity":
        concepts = BoostedTreeClass(schema, 2, rounds, target=target)
        Values(concepts, epsilon=1, delta="1e-6").draw(of_target, SeededSource(0))
    elif task == "boosted":
        learner = Boosting(BoostedTreeClass(schema, 2, rounds), epsilon=1, delta="1e-6")
        learner.draw(sample, SeededSource(0))
    else:
        DecisionTrees(schema, 3).candidates(sample).draw(selection_rate(1), SeededSource(0))
    return time.process_time() - start


def predict() -> float:
    """Return the seconds of probabilities for all rows of Adult as a frame."""
    import pyarrow.parquet as pq

    import littlestone as ls

    frame = pq.read_table(ADULT / "adult.parquet").drop_columns(["split"]).to_pandas()
    schema = ls.Schema.from_toml(str(ADULT / "schema.toml"))
    trees = ls.BoostedTrees(schema, epsilon=1, delta=1e-6, random_state=0)
    trees.fit(frame, y="over_50k")
    trees.predict_proba(frame)
    start = time.process_time()
    trees.predict_proba(frame)
    return time.process_time() - start


def main() -> None:
    """Print one line for each task and version."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=80)
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--before", help="another version's folder `src`")
    parser.add_argument("--task", choices=TASKS, help="only this one, in this process")
    given = parser.parse_args()
    if given.task:
        seconds = measure(given.task, given.rows, given.rounds)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps([seconds, memory]))
        return
    versions = {"now": os.environ.get("PYTHONPATH", "")}
    versions |= {"before": given.before} if given.before else {}
    for task in TASKS:
        found: dict[str, list[list[float]]] = {name: [] for name in versions}
        for _ in range(given.times):
            for name, path in versions.items():
                command = [sys.executable, __file__, "--task", task, "--rows", str(given.rows)]
                command += ["--rounds", str(given.rounds)]
                said = subprocess.run(
                    command, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": path}
                )
                found[name].append(json.loads(said.stdout))
        for name, runs in found.items():
            seconds, memory = np.min(runs, axis=0)
            print(f"{task:8} {name:6} {seconds:7.2f} s {memory:6.0f} MB", flush=True)


if __name__ == "__main__":
    main()
