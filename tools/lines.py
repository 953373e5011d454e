"""Count the lines of the package and of its tests: `python tools/lines.py [SRC] [TESTS]`.

A line of code is neither blank nor a comment nor part of a docstring; docstrings, and texts of
several lines, are found in the syntax tree. Blank lines and comments are in the total only.
``tools/lines.csv`` has a budget for each part of the package: a ceiling, which a test keeps, and
the number to come to.
"""

from __future__ import annotations

import ast
import csv
import functools
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

_OWNERS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Lines(NamedTuple):
    """Files, lines of code, lines of docstrings, all lines."""

    files: int
    code: int
    docstrings: int
    total: int


@functools.cache
def count(text: str) -> Lines:
    """Return the lines of one file."""
    documented: set[int] = set()
    nodes = list(ast.walk(ast.parse(text)))
    for node in nodes:
        if isinstance(node, _OWNERS) and ast.get_docstring(node, clean=False) is not None:
            string = node.body[0]
            documented.update(range(string.lineno, (string.end_lineno or string.lineno) + 1))
    lines = text.splitlines()
    code = {
        number
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.lstrip().startswith("#")
    }
    for node in nodes:  # also blank lines, and what looks like a comment, within a text
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.lineno != node.end_lineno:
            code.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return Lines(1, len(code - documented), len(documented), len(lines))


def total(counts: Iterable[Lines]) -> Lines:
    """Add lines up."""
    return Lines(*(sum(column) for column in zip(*counts, strict=True)))


def table(root: Path) -> list[tuple[str, Lines]]:
    """Return the lines of each folder below ``root``, of its own files, and of everything."""
    found: dict[str, list[Lines]] = {}
    for file in sorted(root.rglob("*.py")):
        inside = file.relative_to(root).parts
        folder = f"{inside[0]}/" if len(inside) > 1 else "(top)"
        found.setdefault(folder, []).append(count(file.read_text(encoding="utf-8")))
    rows = [(folder, total(counts)) for folder, counts in sorted(found.items())]
    return [*rows, ("all", total(lines for _, lines in rows))]


class Budget(NamedTuple):
    """A part of the package: the lines of code that it has, may have, and will have."""

    part: str
    code: int
    ceiling: int
    end: int


def budgets(root: Path, table: Path) -> list[Budget]:
    """Return a row for each part in a table of budgets; together the parts are the package.

    A part is one or more patterns below ``root``: ``data`` (a folder), ``learners/*.py`` (the files
    in it), ``learners/linear.py``. A file belongs to the first part that names it; the last row,
    ``all``, is their sum.
    """
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    left = {path: count(path.read_text(encoding="utf-8")).code for path in root.rglob("*.py")}
    everything = sum(left.values())
    parts = []
    for row in rows:
        paths = {
            path
            for pattern in row["part"].split()
            for path in (
                root.glob(pattern) if pattern.endswith(".py") else (root / pattern).rglob("*.py")
            )
        }
        code = sum(left.pop(path, 0) for path in paths)
        if row["part"] == "all":
            code = everything
        parts.append(Budget(row["part"], code, int(row["ceiling"]), int(row["end"])))
    if left:
        raise ValueError(f"No budget for {sorted(map(str, left))}: add them to {table.name}.")
    return parts


def main(arguments: list[str]) -> None:
    """Print a table for the package and one for its tests."""
    here = Path(__file__).resolve().parents[1]
    roots = [Path(argument) for argument in arguments] or [here / "src/littlestone", here / "tests"]
    for root in roots:
        print(f"{root.name:<16}{'files':>7}{'code':>8}{'docstrings':>12}{'total':>8}")
        for folder, lines in table(root):
            print(
                f"{folder:<16}{lines.files:>7}{lines.code:>8}{lines.docstrings:>12}{lines.total:>8}"
            )
        print()
    if not arguments:
        print(f"{'part':<40}{'code':>8}{'ceiling':>9}{'end':>8}")
        for part, code, ceiling, end in budgets(roots[0], here / "tools/lines.csv"):
            print(f"{part:<40.40}{code:>8}{ceiling:>9}{end:>8}")


if __name__ == "__main__":
    main(sys.argv[1:])
