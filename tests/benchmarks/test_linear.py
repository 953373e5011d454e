"""Linear models beside boosted trees: what was kept is what the rule of `auto` says."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from littlestone.learners.linear import auto_takes

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(monkeypatch):
    """The script, imported as ``python benchmarks/linear.py`` does."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import linear

    return linear


def test_auto_is_one_of_the_families_in_every_cell(script):
    with script.KEPT.open(encoding="utf-8", newline="") as file:
        cells = {
            (line["table"], line["epsilon"], line["family"]): line for line in csv.DictReader(file)
        }
    tables = {(table, epsilon) for table, epsilon, _ in cells}
    assert len({table for table, _ in tables}) >= 6
    for table, epsilon in tables:
        auto = cells[table, epsilon, "auto"]
        columns, n = int(auto["columns"]), int(auto["n"])
        takes = auto_takes(columns, n, Fraction(epsilon), script.DELTA)
        assert auto["auroc"] == cells[table, epsilon, "linear" if takes else "boosted"]["auroc"]


def test_where_records_are_few_auto_is_ahead_on_the_mean(script):
    """By .025 at n epsilon of 200 to 2,000, on these tables."""
    with script.KEPT.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    before = {(x["table"], x["epsilon"]): x for x in lines if x["family"] == "auto before"}
    ahead = [
        float(x["auroc"]) - float(before[x["table"], x["epsilon"]]["auroc"])
        for x in lines
        if x["family"] == "auto" and 200 <= int(x["n"]) * float(x["epsilon"]) < 2_000
    ]
    assert len(ahead) >= 15
    assert np.mean(ahead) >= 0.025


def test_generated_tables_are_what_they_say(script):
    for problem in script.offline():
        assert len(problem.schema) >= 8
        assert problem.codes.shape == (len(problem.labels), len(problem.schema))
        assert 0.03 < problem.labels.mean() < 0.65
