"""List every text that a user can meet, to be read whole: `python tools/strings.py > strings.tsv`.

By syntax tree: the literals of the package that hold words and are no comments, each with its file,
its line and where it goes: an error, the terminal, a warning, help, a page, or a value that code
passes on (`text`). What is filled in stands in braces. Templates of pages are listed by line.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "littlestone"
#: Calls whose texts are shown, and where.
CALLS = {"print": "terminal", "warn": "warning", "write": "terminal", "Parameter": "help"}
#: Names of functions that make errors.
ERRORS = re.compile(r"(Error|_error)$|^(refuse|check)_")


def text_of(node: ast.expr) -> str | None:
    """Return a literal with what is filled in as {name}; None where there is none."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}"
            for part in node.values
            if isinstance(part, ast.Constant | ast.FormattedValue)
        )
    return None


def name_of(call: ast.Call) -> str:
    """Return the last name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def texts(node: ast.AST, where: str, is_help: bool) -> Iterator[tuple[int, str, str]]:
    """Yield line, place and text of all literals of words below a node."""
    if isinstance(node, ast.Raise):
        where = "error"
    elif isinstance(node, ast.Call):
        name = name_of(node)
        where = "error" if ERRORS.search(name) else CALLS.get(name, where)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):  # a docstring
        if not is_help:
            return
        where = "help"
    text = text_of(node) if isinstance(node, ast.expr) else None
    if text is not None:
        if re.search(r"[A-Za-z]{2}.* .*[A-Za-z]{2}", text, re.DOTALL):
            yield getattr(node, "lineno", 0), where, " ".join(text.split())
        return
    for child in ast.iter_child_nodes(node):
        yield from texts(child, where, is_help)


def table() -> Iterator[tuple[str, str, str]]:
    """Yield place, file with line, and text, once for each text of a file."""
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        where = "page" if name.startswith("report/") else "text"
        seen = set()
        tree = ast.parse(path.read_text("utf-8"))
        for line, place, text in texts(tree, where, name.startswith("cli/")):
            if text not in seen:
                seen.add(text)
                yield place, f"{name}:{line}", text
    for path in sorted([*ROOT.rglob("*.html"), *ROOT.rglob("*.jinja")]):
        name = path.relative_to(ROOT).as_posix()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if re.search(r"[A-Za-z]{3} [A-Za-z]{2}", re.sub(r"<[^>]*>|{[{%].*?[}%]}", "", line)):
                yield "page", f"{name}:{number}", line.strip()


if __name__ == "__main__":
    for row in table():
        sys.stdout.write("\t".join(row) + "\n")
