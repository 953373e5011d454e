"""The published table of audits of other libraries: what it claims of itself."""

import csv
import importlib.util
import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "field_audit"
ROWS = json.loads((FOLDER / "results.json").read_text())


@pytest.fixture(scope="module")
def program():
    spec = importlib.util.spec_from_file_location("field_audit_run", FOLDER / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_claims_are_refuted_and_no_control_is(program):
    family = program.family(ROWS)
    assert family.judge() == ([], [])
    refuted = [row for row in ROWS if not row["control"]]
    others = [row for row in ROWS if row["control"] and row["library"] != "littlestone"]
    assert len(refuted) >= 18
    assert len({row["library"] for row in refuted}) >= 6
    assert len(others) >= 20
    assert {row["library"] for row in others} <= {row["library"] for row in refuted}
    assert all(row["seconds"] < 180 for row in ROWS)


def test_each_environment_is_in_the_table(program):
    assert {row["environment"] for row in ROWS} == set(program.environments())


def test_the_page_shows_the_table(program):
    with program.TABLE.open(newline="") as file:
        assert list(csv.reader(file)) == [list(row) for row in program.table(ROWS)]
