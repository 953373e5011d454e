"""The band of R2 on six tables: the log of its width and coverage; truths by scikit-learn."""

from __future__ import annotations

import csv
import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import r2_score

from littlestone.bounds.tails import clopper_pearson
from littlestone.classes import TreeSum
from littlestone.classes.boosted_trees.export import PARTS
from littlestone.data.targets import Quantity

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    return importlib.import_module("r2_bands")


def test_bands_cover_and_are_narrow(script):
    with script.LOG.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["table"] for row in rows] == list(script.TABLES)
    for row in rows:
        runs = int(row["runs"])
        assert runs == 400
        assert int(row["printed"]) >= 0.9 * runs
        for measure, of in (("r2", int(row["printed"])), ("mae", runs), ("rmse", runs)):
            covered = int(row[f"{measure} covered"])
            assert clopper_pearson(covered, of, 0.999)[1] >= 0.95, (row, measure)
    widths = [float(row["half-width"]) for row in rows]
    assert max(widths) < 0.27
    assert np.median(widths) < 0.14  # and .33 before sums were bounded together


def test_truths_are_those_of_other_libraries(script):
    """Where no error and no value is cut."""
    model = TreeSum((), (), (20 * PARTS,), Quantity(0, 100, 100))
    codes, points = np.array([10, 20, 45]), np.zeros((3, 1), dtype=np.int64)

    class Sums:
        reach, far, center = 100, 100, 20

    found, y = script.truths(model, points, codes, Sums), codes.astype(float)
    predicted = np.asarray(model.predict(points), dtype=float)
    assert found["r2"] == pytest.approx(r2_score(y, predicted))
    assert found["mae"] == pytest.approx(np.abs(y - predicted).mean())
