"""``plan --class auto``: from how many records on nested classes are certified."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from littlestone.cli.main import main
from littlestone.data import Schema
from littlestone.learners import registry
from littlestone.learners.select import nested_classes

SCHEMA = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
NAMES = ["rules(max_literals=2)", "decision_trees(depth=2)", "decision_trees(depth=3)"]


def agnostic(concept_class):
    return registry.make("agnostic", concept_class, epsilon=1)


def test_each_class_is_taken_from_its_own_number_of_records_on():
    needed = [agnostic(c).required_samples() for c in nested_classes(SCHEMA)]
    assert needed == sorted(needed)


def test_classes_that_are_too_large_are_left_out():
    wide = Schema.from_dict({"x": {"integers": [1, 1000]}})
    assert [c.spec for c in nested_classes(wide)] == NAMES[:2]
    wider = Schema.from_dict({"x": {"integers": [1, 20_000]}})
    assert [c.spec for c in nested_classes(wider)] == ["rules(max_literals=1)"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "schema.toml").write_text('[age]\nbins = [30, 60]\n[city]\ncategories = ["Bonn"]\n')
    ages = [20, 40, 70, 40] * 2000
    cities = ["Bonn", "Bonn", "Rome", "Rome"] * 2000
    labels = [int((a >= 30) != (c == "Bonn")) for a, c in zip(ages, cities, strict=True)]
    pq.write_table(pa.table({"age": ages, "city": cities, "ill": labels}), "data.parquet")
    return tmp_path


def run(line: str, capfd) -> dict:
    assert main(line.split()) == 0
    return json.loads(capfd.readouterr().out)


def test_command_line(folder, capfd):
    plan = run("plan --class auto --schema schema.toml --epsilon 1 --alpha 0.1 --beta 0.05 --json",
               capfd)  # fmt: skip
    assert [step["class"] for step in plan["nested_classes"]] == NAMES
    assert [step["n"] for step in plan["nested_classes"]] == [818, 1653, 3419]
    plain = "plan --class auto --schema schema.toml --epsilon 1 --alpha 0.1 --beta 0.1"
    assert main(plain.split()) == 0
    assert "decision_trees(depth=3)" in capfd.readouterr().out


def test_fit_takes_no_class_by_itself(folder, capfd):
    assert main(["fit", "data.parquet", "--y", "ill", "--class", "auto", "--epsilon", "1"]) == 2
    assert "plan --class auto" in capfd.readouterr().err
