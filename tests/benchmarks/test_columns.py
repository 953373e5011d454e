"""The file of learned columns: ten tables, four sizes, and what the page says of their means."""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
SIZES = (1_000, 2_000, 4_000, 10_000)


@pytest.fixture(scope="module")
def lines():
    with (ROOT / "benchmarks" / "columns.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_table_and_size_is_there(lines):
    cells = {(line["table"], int(line["n_epsilon"])) for line in lines}
    assert len(cells) == len(lines) == 40
    assert {size for _, size in cells} == set(SIZES)
    for line in lines:
        assert float(line["behind"]) == pytest.approx(
            float(line["schema"]) - float(line["learned"]), abs=2e-4
        )
        assert int(line["n"]) * float(line["epsilon"]) == pytest.approx(
            int(line["n_epsilon"]), rel=1e-3
        )


def test_the_page_says_the_means(lines):
    page = " ".join((ROOT / "docs" / "proposals.md").read_text("utf-8").split())
    four = r"(-?[.0-9]+), (-?[.0-9]+), (-?[.0-9]+) and (-?[.0-9]+)"
    (said,) = re.findall(rf"learned columns cost {four} of AUROC", page)
    (errors,) = re.findall(rf"standard errors of {four} \(", page)
    behind = [
        [float(line["behind"]) for line in lines if int(line["n_epsilon"]) == size]
        for size in SIZES
    ]
    assert [float(x) for x in said] == pytest.approx(np.mean(behind, axis=1), abs=6e-4)
    reach = np.std(behind, axis=1, ddof=1) / np.sqrt(10)
    assert [float(x) for x in errors] == pytest.approx(reach, abs=6e-4)


def test_means_are_over_the_seeds(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    import columns

    found = {("t", 1000, seed): (1000, "1.000", 0.7, 0.7 - 0.01 * seed) for seed in range(3)}
    (line,) = columns.cells_of(found)
    assert (line["seeds"], line["schema"], line["learned"]) == (3, "0.7000", "0.6900")
    assert (line["behind"], line["error"]) == ("0.0100", "0.0058")
