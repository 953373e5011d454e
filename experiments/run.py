"""All experiments, two at a time: results and figures into docs/experiments.

Run (under a quarter of an hour on two cores)::

    python experiments/run.py

Progress is printed to stderr. A run that was interrupted goes on with ``--missing``: only
experiments without results are run. Each script also runs alone.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from series import FOLDER

NAMES = (
    "references",
    "stability",
    "users",
    "table1",
    "dp_erm",
    "mistakes",
    "depth",
)  # the longest first


def experiment(name: str, arguments: list[str]) -> tuple[str, int, float]:
    """Run one script: its name, exit code and seconds."""
    began = time.perf_counter()
    script = Path(__file__).with_name(f"{name}.py")
    done = subprocess.run([sys.executable, str(script), *arguments], check=False)
    return name, done.returncode, time.perf_counter() - began


def main() -> int:
    """Run what is asked for; exit code 1 if a script failed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--missing", action="store_true", help="only those without results")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    names = [n for n in NAMES if n in options.only]
    if options.missing:
        names = [n for n in names if not (options.folder / f"{n}-fits.csv").exists()]
    passed = ["--folder", str(options.folder)]
    passed += [f"--{flag}" for flag in ("quick", "full") if getattr(options, flag)]
    began, failed = time.perf_counter(), 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for name, code, spent in pool.map(lambda n: experiment(n, passed), names):
            failed += code != 0
            print(f"== {name}: {'failed' if code else 'done'}, {spent:.0f} s", file=sys.stderr)
    print(f"== all: {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
