"""Seconds of the processor for one plan of each kind of class, beside the interpreter's start.

    python benchmarks/plan.py [--repeat 3]

Each command runs in a process of its own, as a person would start it; the least of the repetitions
is printed. Processor time (user and system) is little disturbed by what else the machine does.
Bytecode is kept from one start to the next, as for any installed package.
"""

from __future__ import annotations

import argparse
import os
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
NUMBERS = ["--epsilon", "1", "--alpha", "0.1", "--beta", "0.05"]
SCHEMA = """\
[age]
bins = [18, 30, 45, 60, 75]
[income]
bins = [1000, 2000, 4000, 8000]
[city]
categories = ["Bonn", "Rome", "Oslo", "Lima"]
"""
WAYS = {
    "records": ["--delta", "1e-6"],
    "pure": [],
    "agnostic": ["--delta", "1e-6", "--agnostic"],
    "users": ["--delta", "1e-6", "--samples-per-user", "16"],
}


def seconds(*command: str, cache: Path) -> float:
    """Return the processor time of a command."""
    kept = {name: x for name, x in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    own = {**kept, "PYTHONPYCACHEPREFIX": str(cache)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL, env=own)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args().repeat
    with tempfile.TemporaryDirectory() as folder:
        names = ("s.toml", "m.csv", "t.csv", "bytecode")
        schema, matrix, tree, cache = (Path(folder) / name for name in names)
        schema.write_text(SCHEMA)
        matrix.write_text("0,0,1,1\n0,1,0,1\n1,1,1,0\n")
        tree.write_text("node,parent\na,\nb,a\nc,a\nd,b\n")

        def least(*command: str) -> float:
            return min(seconds(*command, cache=cache) for _ in range(repeat))

        seconds("-c", "import littlestone.planning, littlestone.cli.plan", cache=cache)
        start = least("-c", "pass")
        ours = least("-c", "import littlestone.planning, littlestone.cli.main")
        print(f"{'interpreter':34}{start:7.2f} s\n{'with the planner imported':34}{ours:7.2f} s")
        print(f"\n{'plan beyond the interpreter':34}" + "".join(f"{way:>11}" for way in WAYS))
        slowest = 0.0
        for text in CLASSES:
            spec = text.format(matrix=matrix, tree=tree)
            base = ["-m", "littlestone", "plan", "--class", spec, *NUMBERS, "--json"]
            if "max_literals" in text or "depth" in text:
                base += ["--schema", str(schema)]
            found = [least(*base, *more) - start for more in WAYS.values()]
            slowest = max(slowest, *found)
            shown = text.format(matrix="3 x 4", tree="4 nodes")
            print(f"{shown:34}" + "".join(f"{x:9.2f} s" for x in found), flush=True)
        print(f"{'slowest':34}{slowest:9.2f} s")


if __name__ == "__main__":
    main()
