"""Logs of means: survival beside Kaplan and Meier, and amounts with long tails."""

import csv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "benchmarks"


def lines_of(name):
    with (ROOT / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_moved_periods_are_not_farther_from_kaplan_and_meier():
    """From n epsilon of 1,000 on, where they are moved; in two standard errors of both."""
    cells = {
        (row["table"], row["epsilon"], row["moved"]): row for row in lines_of("survival_gaps.csv")
    }
    pairs = [
        (row, cells[table, epsilon, "no"])
        for (table, epsilon, moved), row in cells.items()
        if moved == "yes" and int(row["n"]) * float(epsilon) >= 1_000
        if (table, epsilon, "no") in cells
    ]
    assert pairs
    for moved, other in pairs:
        error = (float(moved["error"]) ** 2 + float(other["error"]) ** 2) ** 0.5
        assert float(moved["gap"]) <= float(other["gap"]) + 2 * error, moved["table"]


@pytest.mark.parametrize(
    "row", lines_of("means_heavy.csv"), ids=lambda row: row["table"] + row["range"]
)
def test_means_of_amounts_with_long_tails_are_right(row):
    assert 0.9 <= float(row["ratio"]) <= 1.1
    assert float(row["least"]) <= float(row["ratio"]) <= float(row["largest"])
