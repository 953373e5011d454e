"""`auto` beside every single family: tables outside, and the page of what was kept."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def outside(monkeypatch):
    """The script, imported as ``python benchmarks/outside.py`` does."""
    for folder in ("targets", "comparison", "."):
        monkeypatch.syspath_prepend(ROOT / "benchmarks" / folder)
    import outside

    return outside


def test_five_tables_that_nothing_else_uses(outside):
    tables = {(each.package, each.path) for each in outside.OUTSIDE}
    assert len(tables) == 5
    others = {(each.package, path) for each in outside.TABLES.values() for path in each.files}
    assert not tables & others
    for each in (*outside.OUTSIDE, *outside.OF_USERS):
        assert len(each.sha256) == 64
        assert not {each.y, each.user} & set(each.schema.names)


def test_the_page_is_what_was_kept(outside):
    with outside.KEPT.open(encoding="utf-8", newline="") as file:
        kept = list(csv.DictReader(file))
    assert (ROOT / "docs" / "models.csv").read_text("utf-8") == outside.page(kept)


def test_auto_is_compared_on_the_same_seeds_and_kind_of_privacy(outside):
    found = {
        ("t", 3000, "1", seed, family): value + seed / 100
        for family, value in (
            ("boosted", 0.7), ("scorecard", 0.75), ("tree", 0.6),
            ("boosted, pure", 0.66), ("scorecard, pure", 0.5),
        )
        for seed in range(3)
    }  # fmt: skip
    found["t", 3000, "1", 9, "tree"] = 0.1  # nothing to compare it with
    lines = {(line["delta"], line["family"]): line for line in outside.beside(found)}
    ahead = {key: float(line["ahead"]) for key, line in lines.items()}
    assert ahead == pytest.approx(
        {
            ("1e-6", "boosted"): 0, ("1e-6", "scorecard"): -0.05, ("1e-6", "tree"): 0.1,
            ("", "boosted"): 0, ("", "scorecard"): 0.16, ("", "tree"): 0.06,
        }
    )  # fmt: skip
    said = "\n".join(outside.standing(list(lines.values())))
    assert "behind on t at 1: scorecard, -0.0500 (0.0000, 3 seeds)" in said


def test_users_are_on_one_side(outside):
    users = np.repeat(np.arange(50), 3)
    problem = outside.Problem("t", None, np.zeros((150, 1)), np.zeros(150), users, None)
    train, test = problem.split(0)
    assert not set(users[train]) & set(users[test])
    assert (problem.n, len(train) + len(test)) == (35, 150)
