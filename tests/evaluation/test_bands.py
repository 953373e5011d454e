"""Coverage of printed bands: the log of 1,000 releases a cell, and ten of its cells again."""

from __future__ import annotations

import csv
import importlib.util
from pathlib import Path

import numpy as np
import pytest

from littlestone.bounds.tails import clopper_pearson

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "evaluation_bands.py"


@pytest.fixture(scope="module")
def bands():
    import sys

    spec = importlib.util.spec_from_file_location("evaluation_bands", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def within(rows):
    """Each band at least .95 by its 99.9 % upper limit, and all of them on the mean."""
    for row in rows:
        covered, printed = int(row["covered"]), int(row["printed"])
        assert clopper_pearson(covered, printed, 0.999)[1] >= 0.95, row
    return np.mean([int(row["covered"]) / int(row["printed"]) for row in rows])


def test_the_log_covers_in_every_cell(bands):
    with SCRIPT.with_suffix(".csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["cell"] for row in rows} == {cell.name for cell in bands.cells()}
    assert within(rows) >= 0.95


@pytest.mark.more
@pytest.mark.parametrize("place", range(0, 66, 7))
def test_ten_cells_again(bands, place):
    """With other seeds, and fewer releases."""
    assert within(bands.coverage(bands.cells()[place], 200, seed=place + 1)) >= 0.95
