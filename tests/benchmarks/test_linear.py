"""Linear models beside boosted trees: what was kept is what the rule of `auto` says."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from littlestone.learners.linear import auto_takes

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(monkeypatch):
    """The script, imported as ``python benchmarks/linear.py`` does."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import linear

    return linear


def cells_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return {
            (line["table"], line["epsilon"], line["family"]): line for line in csv.DictReader(file)
        }


@pytest.mark.parametrize(("file", "least"), [("KEPT", 6), ("UNSEEN", 10)])
def test_auto_is_one_of_the_families_in_every_cell(script, file, least):
    cells = cells_of(getattr(script, file))
    tables = {(table, epsilon) for table, epsilon, _ in cells}
    assert len({table for table, _ in tables}) >= least
    for table, epsilon in tables:
        auto = cells[table, epsilon, "auto"]
        columns, n = int(auto["columns"]), int(auto["n"])
        takes = auto_takes(columns, n, Fraction(epsilon), script.DELTA)
        assert auto["auroc"] == cells[table, epsilon, "linear" if takes else "boosted"]["auroc"]


def test_the_page_says_what_the_cells_of_unseen_tables_say(script):
    cells = cells_of(script.UNSEEN)
    page = (ROOT / "docs" / "comparison.md").read_text("utf-8")
    assert len(cells) == 10 * len(script.EPSILONS) * 4
    for low, high, title in (
        (0, 200, "below 200"), (200, 2_000, "200 to 2,000"), (2_000, 8_000, "2,000 to 8,000")
    ):  # fmt: skip
        ahead = {
            name: [
                float(line[name]) - float(cells[table, epsilon, "auto before"][name])
                for (table, epsilon, family), line in cells.items()
                if family == "auto" and low <= int(line["n"]) * float(epsilon) < high
            ]
            for name in ("auroc", "log_loss")
        }
        (line,) = (one for one in page.splitlines() if one.startswith(f"| {title} |"))
        found = [float(one.split(" (")[0]) for one in line.split("|")[3:6:2]]
        assert int(line.split("|")[2]) == len(ahead["auroc"])
        assert found == [round(np.mean(ahead[name]), 3) for name in ("auroc", "log_loss")]
        worst, best = map(float, line.split("|")[4].split(","))
        assert [worst, best] == [round(end(ahead["auroc"]), 3) for end in (min, max)]


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


def test_of_rare_labels_the_page_says_what_was_kept(script):
    import rare_labels

    lines = list(csv.DictReader(rare_labels.KEPT.read_text("utf-8").splitlines()))
    page = (ROOT / "docs" / "linear.md").read_text("utf-8")
    text = " ".join(page[page.index("*A rare label*") : page.index("## One round")].split())
    assert len(lines) == len(rare_labels.TABLES) == 4
    for family in ("linear", "boosted", "logistic", "best setting", "moments known"):
        values = [float(line[family]) for line in lines]
        assert f".{min(values) * 100:.0f} to .{max(values) * 100:.0f}" in text, family
    problem, score = rare_labels.generated(*rare_labels.TABLES[0])
    assert abs(problem.labels.mean() - rare_labels.SHARE) < 0.005
    test = np.random.default_rng(0).permutation(len(score))[: 3 * len(score) // 10]
    assert roc_auc_score(problem.labels[test], score[test]) == pytest.approx(
        float(lines[0]["true"]), abs=6e-4
    )
