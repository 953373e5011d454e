"""Seconds of the processor for one plan of each kind of class, beside the interpreter's start.

    python benchmarks/plan.py [--repeat 3]

Each command runs in a process of its own, as a person would start it; the least of the repetitions
is printed. Processor time (user and system) is hardly disturbed by what else the machine does.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

CLASSES = (
    "finite({matrix})",
    "thresholds(1, 99)",
    "thresholds(1, 2**1024)",
    "thresholds(1, 2**65536)",
    "points()",
    "sparse_sets(2)",
    "sparse_sets(5)",
    "intervals(1, 1000)",
    "intervals(1, 2**64)",
    "tree_paths({tree})",
    "prefixes(ipv4)",
    "prefixes(ipv6)",
    "conjunctions(10)",
    "conjunctions(10, monotone=True)",
    "affine_subspaces(7, 20, 2)",
    "rules(max_literals=2)",
    "decision_trees(depth=2)",
)
NUMBERS = ["--epsilon", "1", "--delta", "1e-6", "--alpha", "0.1", "--beta", "0.05"]
SCHEMA = """\
[age]
bins = [18, 30, 45, 60, 75]
[income]
bins = [1000, 2000, 4000, 8000]
[city]
categories = ["Bonn", "Rome", "Oslo", "Lima"]
"""
USERS = ["--samples-per-user", "16"]


def seconds(*command: str) -> float:
    """Return the processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args().repeat
    with tempfile.TemporaryDirectory() as folder:
        schema, matrix, tree = (Path(folder) / name for name in ("s.toml", "m.csv", "t.csv"))
        schema.write_text(SCHEMA)
        matrix.write_text("0,0,1,1\n0,1,0,1\n1,1,1,0\n")
        tree.write_text("node,parent\na,\nb,a\nc,a\nd,b\n")
        start = min(seconds("-c", "pass") for _ in range(repeat))
        ours = min(seconds("-c", "import littlestone.planning") for _ in range(repeat))
        print(f"{'interpreter':34}{start:7.2f} s\n{'with the planner imported':34}{ours:7.2f} s")
        print(f"\n{'plan beyond the interpreter':34}{'records':>9}{'users':>9}")
        for text in CLASSES:
            spec = text.format(matrix=matrix, tree=tree)
            base = ["-m", "littlestone", "plan", "--class", spec, *NUMBERS, "--json"]
            if "max_literals" in text or "depth" in text:
                base += ["--schema", str(schema)]
            found = [
                min(seconds(*base, *more) for _ in range(repeat)) - start for more in ([], USERS)
            ]
            shown = text.format(matrix="3 x 4", tree="4 nodes")
            print(f"{shown:34}{found[0]:7.2f} s{found[1]:7.2f} s", flush=True)


if __name__ == "__main__":
    main()
