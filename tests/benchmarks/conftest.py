"""Scripts and logs of the folder of benchmarks, and the pages that quote them."""

from __future__ import annotations

import csv
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"


def lines_of(name):
    """Return the lines of a log."""
    with (BENCHMARKS / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def words_of(page):
    """Return the text of a page, with one blank between words."""
    return " ".join((ROOT / "docs" / page).read_text("utf-8").split())


@pytest.fixture
def script(monkeypatch):
    """Import a script as ``python benchmarks/NAME.py`` does."""

    def imported(name, *folders):
        for folder in (*folders, ""):
            monkeypatch.syspath_prepend(BENCHMARKS / folder)
        return importlib.import_module(name)

    return imported
