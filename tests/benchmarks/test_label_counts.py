"""The log of counts of label 1 in boosting: what they gain where the label is rare, or frequent."""

import csv
from pathlib import Path

import numpy as np
import pytest

LOG = Path(__file__).parents[2] / "benchmarks" / "boosting" / "label_counts.csv"


@pytest.mark.parametrize("delta", ["0", "1e-6"])
def test_a_count_of_label_1_helps_where_it_is_rare_and_costs_nothing_elsewhere(delta):
    with LOG.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["delta"] == delta]
    cells = {(row["problem"], row["depth"], row["counted"]): row for row in rows}
    gains = {"rare": [], "frequent": []}
    for (problem, depth, counted), row in cells.items():
        if counted == "1":
            kind = "rare" if float(row["share"]) < 0.2 else "frequent"
            without = cells[problem, depth, "0"]
            gains[kind].append([float(row[x]) - float(without[x]) for x in ("auroc", "log_loss")])
    for kind, auroc, log_loss in (("rare", 0.01, -0.01), ("frequent", 0.0, 0.003)):
        assert len(gains[kind]) >= 8
        means = np.mean(gains[kind], axis=0)
        assert means[0] > auroc
        assert means[1] < log_loss
