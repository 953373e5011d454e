"""What there is to learn in the unseen tables: the page says what was kept."""

import csv
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_without_privacy_linear_models_and_trees_are_level():
    with (ROOT / "benchmarks" / "unseen_limits.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 10
    assert all(abs(float(line["logistic"]) - float(line["trees"])) < 0.01 for line in lines)
    page = (ROOT / "docs" / "comparison.md").read_text("utf-8")
    assert "logistic regression and boosting are level on all ten" in page
