"""Replay learners on neighbours of real and of large tables, and print the table of the docs.

    python benchmarks/replay.py               # about fifteen minutes
    python benchmarks/replay.py --share 20    # a twentieth of the neighbours

Each line is one ``littlestone audit replay``. Adult is public, and the other records are made here,
so what is printed may be shown.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ADULT = Path(__file__).resolve().parents[1] / "examples" / "adult"
TREES = f"--data {ADULT}/adult.parquet --schema {ADULT}/schema.toml --y over_50k"
AGES = "--x age --y old --class thresholds(1,9999)"
LARGE = 1_000_000
#: Words, options, and neighbours. NOISY and CLEAN are tables of a million records.
CASES = (
    ("rules of two literals", f"{TREES} --class rules(max_literals=2) --learner agnostic", 1000),
    (
        "decision trees of depth 1",
        f"{TREES} --class decision_trees(depth=1) --learner agnostic",
        200,
    ),
    (
        "decision trees of depth 2",
        f"{TREES} --class decision_trees(depth=2) --learner agnostic",
        40,
    ),
    ("boosted trees of depth 2", f"{TREES} --class boosted_trees(depth=2) --learner boosting", 30),
    ("thresholds(1, 9999), generic", f"--data NOISY {AGES} --learner generic", 1000),
    (
        "thresholds(1, 9999), VC-1, delta 1e-6",
        f"--data CLEAN {AGES} --learner vc1 --delta 1e-6",
        200,
    ),
)


def write_table(path: Path, error: float) -> None:
    """Write a million records of a threshold, of which a part has the other label."""
    rng = np.random.default_rng(1)
    points = rng.integers(1, 10_000, LARGE)
    labels = (points > 4321) ^ (rng.random(LARGE) < error)
    table = np.stack([points, labels.astype(np.int64)], axis=1)
    np.savetxt(path, table, fmt="%d", delimiter=",", header="age,old", comments="")


def main() -> int:
    """Run from the command line; exit 1 if a claim is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--share", type=int, default=1, help="one in so many neighbours")
    options = parser.parse_args()
    print("| learner | records | neighbours | these choices | any outcome | of | seconds |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    held = True
    with tempfile.TemporaryDirectory() as name:
        tables = {"NOISY": (Path(name) / "noisy.csv", 0.1), "CLEAN": (Path(name) / "clean.csv", 0)}
        for path, error in tables.values():
            write_table(path, error)
        for words, what, pairs in CASES:
            line = [str(tables[word][0]) if word in tables else word for word in what.split()]
            line += ["--epsilon", "1", "--pairs", str(max(pairs // options.share, 1)), "--json"]
            start = time.monotonic()
            command = [sys.executable, "-m", "littlestone", "audit", "replay", *line]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
            found = json.loads(done.stdout)
            held &= found["holds"]
            loudest, most = max(found["draws"], default=(found["outcomes"], found["epsilon"]))
            beside = (
                "" if found["worst_delta"] is None else f", divergence {found['worst_delta']:.2g}"
            )
            print(
                f"| {words} | {found['n']:,} | {found['pairs']:,} | {found['transcript']:.4f} | "
                f"{loudest:.4f}{beside} | {float(most):.4f} | {time.monotonic() - start:.0f} |",
                flush=True,
            )
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
