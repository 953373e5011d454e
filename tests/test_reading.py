"""The page that leads from the papers to the lines names functions that exist."""

import importlib
import re
from functools import reduce
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "project"
NAMED = re.compile(r"`([a-z0-9_/]+)\.py:([A-Za-z0-9_.]+)`")


def test_every_function_that_the_page_names_exists():
    pages = [(FOLDER / name).read_text() for name in ("reading.md", "reading.csv")]
    found = NAMED.findall("".join(pages))
    assert len(found) > 40
    for path, name in found:
        module = importlib.import_module(f"littlestone.{path.replace('/', '.')}")
        thing = reduce(getattr, name.split("."), module)
        assert thing.__module__ == module.__name__, f"{path}.py:{name}"
        assert thing.__doc__, f"{path}.py:{name}"
