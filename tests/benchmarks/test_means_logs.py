"""Logs of means: survival beside Kaplan and Meier, amounts with long and light tails, counts."""

import csv
from pathlib import Path

import numpy as np
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


def test_survival_is_as_near_as_half_of_rho_for_the_life_table_would_bring_it():
    """Up to .012; where more was wanted (.025 of the unemployed) that half would not do either."""
    cells = {
        (row["table"], row["moved"]): float(row["gap"]) for row in lines_of("survival_gaps.csv")
    }
    tables = {table for table, _ in cells}
    assert len(tables) == 5
    assert all(cells[table, "yes"] <= cells[table, "half life table"] + 0.012 for table in tables)
    assert cells["colon", "yes"] < 0.0405
    assert max(cells["nwtco", "yes"], cells["flchain", "yes"], cells["recid", "yes"]) < 0.025
    assert cells["unemployed", "half life table"] > 0.025


@pytest.mark.parametrize(
    "row", lines_of("means_heavy.csv"), ids=lambda row: row["table"] + row["range"]
)
def test_means_of_amounts_with_long_tails_are_right(row):
    assert 0.9 <= float(row["ratio"]) <= 1.1
    assert float(row["least"]) <= float(row["ratio"]) <= float(row["largest"])


def test_means_of_simulated_amounts_are_right():
    """From n epsilon of 2,000 on, by a public range that is right or ten times too wide."""
    rows = [row for row in lines_of("means.csv") if row["cell"].startswith("lognormal")]
    assert len(rows) == 24
    for row in rows:
        within = 0.2 if row["cell"] == "lognormal 2" else 0.1
        assert abs(float(row["ratio"]) - 1) <= within, row["cell"]


def test_means_of_counts_are_right_where_noise_is_small():
    """Where the sum of counts is some twenty times its noise: in a tenth, on the mean of draws."""
    rows = [row for row in lines_of("means.csv") if row["cell"].startswith("poisson")]
    assert len(rows) >= 12
    assert all(0.9 <= float(row["ratio"]) <= 1.1 for row in rows)


def test_amounts_with_light_tails_lose_nothing():
    """R2 of .003 on the mean, and no table more than .01 beyond two standard errors."""
    rows = lines_of("means_light.csv")
    assert len(rows) >= 4
    assert np.mean([float(row["difference"]) for row in rows]) >= -0.003
    for row in rows:
        assert float(row["difference"]) >= -0.01 - 2 * float(row["error"]), row["table"]


def test_visits_to_a_doctor():
    """At epsilon 1 a share of .19 (.007), of .26 to .27 without privacy; .20 was aimed at."""
    shares = {(row["model"], row["epsilon"]): row for row in lines_of("doctor_visits.csv")}
    found = shares["boosted_trees", "1"]
    assert float(found["test"]) + 2 * float(found["error"]) >= 0.2
    assert float(shares["not private: boosting", ""]["test"]) < 0.3
