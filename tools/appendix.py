"""Make the logs of the appendix again: the table of exact verifications, and what was killed.

    python tools/appendix.py                    # table and kills: about 15 minutes on two cores
    python tools/appendix.py --kills 20         # fewer kills, said on the page: three minutes
    python tools/appendix.py full-run           # pytest -m full: hours

A page of ``docs/appendix`` has a comment ``<!-- log: COMMAND -->`` before each file of output that
it includes, and ``<!-- table: audit exact -->`` before the totals of ``audit-table.csv``. The files
and totals are replaced by what the commands print now, the line after ``<!-- run: -->`` by the day
and the commit.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "appendix"
LOG = re.compile(r"<!-- log: (.*?) -->\n```\{literalinclude\} (\S+)\n")
TOTAL = re.compile(r"(<!-- table: audit exact -->\n).*?\n")
RUN = re.compile(r"(<!-- run: -->\n).*?\n")
HEAD = (
    "verified", "data sets", "pairs", "epsilon", "delta", "worst", "tightest epsilon",
    "nearly attained", "holds", "all n",
)  # fmt: skip


def printed(command: str) -> str:
    """Return what a command prints; it must end well."""
    words = shlex.split(command)
    programs = {"python": ["python"], "pytest": ["python", "-m", "pytest"]}
    words = [*programs.get(words[0], ["python", "-m", words[0]]), *words[1:]]
    print("+", command, file=sys.stderr, flush=True)
    done = subprocess.run(
        [sys.executable, *words[1:]], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def table() -> str:
    """Verify every mechanism and every learner now, write the table, and return its totals."""
    sys.path.insert(0, str(ROOT / "tests"))
    from audit.table import CASES  # noqa: PLC0415 - of the tests, whose folder is added above

    cases = [case for case in CASES if not case.full]
    exact = [case.row().to_dict() for case in cases]
    every = [case.all_n().to_dict() for case in cases]
    with (PAGES / "audit-table.csv").open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerows([HEAD, *map(line, exact, every)])
    proved = sum(row["route"] != "enumerated" for row in every)
    datasets, pairs = (sum(row[name] for row in exact) for name in ("datasets", "pairs"))
    total = f"{len(exact)} lines, {datasets:,} data sets, {pairs:,} ordered pairs"
    return f"{total}; {proved} of the lines name lemmas for every n.\n"


def line(row: dict[str, Any], chain: dict[str, Any]) -> list[str]:
    """Return the cells of one verification, and what holds for every n."""
    lemmas = ", ".join(chain["lemmas"])
    return [
        row["name"], f"{row['datasets']:,}", f"{row['pairs']:,}", f"{row['epsilon']:.3g}",
        f"{row['delta']:.3g}", f"{row['worst_delta']:.3g}", f"{row['tightest_epsilon']:.4f}",
        ", ".join(row["sharp"]) or "-", "yes" if row["holds"] else "NO",
        lemmas if chain["route"] != "enumerated" else f"enumerated: {row['domain']}",
    ]  # fmt: skip


def made(text: str, kills: int | None) -> str:
    """Write the output of today's runs into its files, and return the page."""

    def log(found: re.Match[str]) -> str:
        command = found[1]
        if kills is not None:
            command = re.sub(r"--kills \d+", f"--kills {kills}", command)
            command = re.sub(r"--matrix$", "--matrix --every 41", command)
        (PAGES / found[2]).write_text(f"{printed(command).rstrip()}\n", encoding="utf-8")
        return found[0].replace(found[1], command)

    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    day = datetime.datetime.now(tz=datetime.UTC).date()
    text = RUN.sub(rf"\g<1>Run on {day} at commit {commit.stdout.strip() or 'unknown'}.\n", text)
    if TOTAL.search(text):
        new = table()
        text = TOTAL.sub(lambda found: found[1] + new, text)
    return LOG.sub(log, text)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = sorted(path.stem for path in PAGES.glob("*.md"))
    usual = [name for name in names if name != "full-run"]
    parser.add_argument("pages", nargs="*", metavar="PAGE", help=f"of {', '.join(names)}")
    parser.add_argument("--kills", type=int, help="how many, instead of those of the pages")
    options = parser.parse_args()
    for name in options.pages or usual:
        page = PAGES / f"{name}.md"
        page.write_text(made(page.read_text(encoding="utf-8"), options.kills), encoding="utf-8")


if __name__ == "__main__":
    main()
