"""The file of learned columns: ten tables, four sizes, and what the page says of their means."""

from __future__ import annotations

import csv
import importlib
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


# -- What was tried, and what columns lose -------------------------------------------------------


@pytest.fixture
def rules(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    import column_rules

    return column_rules


def read(name):
    with (ROOT / "benchmarks" / name).open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_rule_is_the_best_one_that_was_tried(rules):
    areas = {rule: {} for rule in ("schema", *rules.RULES)}
    for line in read("column_rules.csv"):
        areas[line["rule"]][line["table"]] = float(line["auroc"])
    names = {name for name, *_ in rules.auto_rule.TABLES}
    assert all(set(own) == names for own in areas.values())
    means = {rule: np.mean(list(own.values())) for rule, own in areas.items()}
    assert max(means, key=means.get) == "schema"
    del means["schema"]
    assert max(means, key=means.get) == "now"


def test_parts_are_of_the_ten_tables(rules, lines):
    known = {line["table"]: line for line in lines if line["n_epsilon"] == "1000"}
    parts = read("column_parts.csv")
    assert [line["table"] for line in parts] == [data.name for data in rules.UNSEEN]
    for line in parts:  # 8 seeds of 24
        for way in ("schema", "learned"):
            assert float(line[way]) == pytest.approx(float(known[line["table"]][way]), abs=0.03)
    cost = [float(line["schema"]) - float(line["less"]) for line in parts]
    assert 0 < np.mean(cost) < 0.02


def test_cells_are_texts_as_in_a_file(rules):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, None], "b": [0.5, 2.0], "c": [True, False]})
    found = {name: rules.texts(frame[name]).to_pylist() for name in frame}
    assert found == {"a": ["1", ""], "b": ["0.5", "2"], "c": ["1", "0"]}


def test_what_a_rule_changes_is_there(rules):
    for changed in rules.RULES.values():
        for name in changed:
            module, _, attribute = name.rpartition(".")
            assert hasattr(importlib.import_module(module), attribute)
