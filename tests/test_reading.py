"""The tables that lead from the papers to the lines name functions, steps and errata that exist."""

import csv
import importlib
import inspect
import io
import re
import tokenize
from functools import reduce
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "project"
NAMED = re.compile(r"`([a-z0-9_/]+)\.py:([A-Za-z0-9_.]+)`")
STEPS = re.compile(r"(?:^|[; ])(\d[\d, -]*): `(papers/\w+)\.py:([\w.]+)`")
ERRATUM = re.compile(r"\berrat(?:um|a)\s+(\d+(?:,\s+\d+)*)")


def table(path):
    """Return the lines of a CSV file, without its head."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def thing(path, name):
    """Return what a page names."""
    return reduce(getattr, name.split("."), importlib.import_module(f"littlestone.{path}"))


def comments(source):
    """Return the comments of a piece of source."""
    lines = io.StringIO(inspect.cleandoc("\n" + source)).readline
    return [t.string for t in tokenize.generate_tokens(lines) if t.type == tokenize.COMMENT]


def numbers(text):
    """Return the numbers of "1, 3-5"."""
    pairs = [part.split("-") for part in text.replace(" ", "").split(",")]
    return {i for pair in pairs for i in range(int(pair[0]), int(pair[-1]) + 1)}


def missing(text, skipped=frozenset()):
    """Return the steps that a table names and that no comment of the function has."""
    return [
        (name, sorted(gone))
        for steps, path, name in STEPS.findall(text)
        if (gone := numbers(steps) - skipped - {
            int(i)
            for comment in comments(inspect.getsource(thing(path.replace("/", "."), name)))
            for i in re.findall(r"(?<![\w*(/.])(\d{1,2})(?=[.:,;]|\s|$)", comment)
        })
    ]  # fmt: skip


def test_every_function_that_the_page_names_exists():
    pages = [(FOLDER / name).read_text() for name in ("reading.md", "reading.csv")]
    found = NAMED.findall("".join(pages))
    assert len(found) > 40
    for path, name in found:
        at = path.replace("/", ".")
        assert thing(at, name).__module__ == f"littlestone.{at}", f"{path}.py:{name}"
        assert thing(at, name).__doc__, f"{path}.py:{name}"


def test_every_step_that_the_page_names_is_a_comment_there():
    cells = [row[1] for row in table(FOLDER / "reading.csv")]
    assert sum(len(STEPS.findall(cell)) for cell in cells) >= 20
    ends = {8, 10, 12}  # 003, Algorithm 2: else, end if, end while
    for cell in cells:
        assert not missing(cell, ends if "Run" in cell else frozenset())
    assert missing("26: `papers/lyu.py:DPOL.step`") == [("DPOL.step", [26])]


@pytest.mark.parametrize("page", ["yan", "li_wang_ye", "lyu", "alon", "alon_reductions"])
def test_errata_stand_in_the_table_and_in_the_code(page):
    rows = table(ROOT / "docs" / "errata.csv")
    assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))
    module = importlib.import_module(f"littlestone.papers.{page}")

    def cited(source):
        return {int(i) for found in ERRATUM.findall(source) for i in found.split(",")}

    named = {}
    for number, *_, code in rows:
        for path, name in NAMED.findall(code):
            if path == page:
                named.setdefault(name, set()).add(int(number))
    assert cited(inspect.getsource(module)) == set().union(*named.values())
    for name, expected in named.items():
        assert expected <= cited(inspect.getsource(getattr(module, name))), name
